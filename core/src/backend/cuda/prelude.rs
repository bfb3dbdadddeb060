//! The C++ that rendered kernels begin with.
//!
//! A kernel gets the declarations that it uses: parsing all of them would add a third to the
//! time that a small kernel takes to compile, and who reads a kernel's source finds it.
//!
//! The functions of the prelude are CUDA's own but for the exponential, the logarithm and the
//! two-sided arc tangent of doubles, whose coefficients lie in constant memory, and the logarithm
//! of floats.

mod cut;

use cut::Declarations;
use std::sync::LazyLock;

/// A file of the prelude.
struct Part {
    /// Words of a kernel that ask for the part. Where it has none of them, the overloads that the
    /// part adds to functions of other parts are of no use to it.
    asked_by: &'static [&'static str],
    source: &'static str,
}

/// In the order in which they build on each other.
const PARTS: [Part; 14] = [
    Part { asked_by: &[], source: include_str!("prelude/base.cuh") },
    Part { asked_by: &[], source: include_str!("prelude/block.cuh") },
    Part { asked_by: &[], source: include_str!("prelude/real.cuh") },
    Part { asked_by: &[], source: include_str!("prelude/pair.cuh") },
    Part { asked_by: &[], source: include_str!("prelude/special.cuh") },
    Part { asked_by: &["lz_f16", "lz_bf16"], source: include_str!("prelude/half.cuh") },
    Part {
        asked_by: &["lz_c64", "lz_c128", "lz_complex", "lz_to_complex"],
        source: include_str!("prelude/complex.cuh"),
    },
    Part { asked_by: &[], source: include_str!("prelude/random.cuh") },
    Part { asked_by: &[], source: include_str!("prelude/sample.cuh") },
    Part { asked_by: USERS, source: include_str!("prelude/rust.cuh") },
    Part { asked_by: &[], source: include_str!("prelude/usual.cuh") },
    Part { asked_by: USERS, source: include_str!("prelude/kernel.cuh") },
    Part { asked_by: &[], source: include_str!("render/support.cuh") },
    Part { asked_by: &[], source: include_str!("render/scan.cuh") },
];

/// What users' functions and kernels are called by.
const USERS: &[&str] = &["lz_user_", "lz_kernel_"];

static DECLARATIONS: LazyLock<Declarations> =
    LazyLock::new(|| Declarations::new(PARTS.map(|part| part.source)));

/// A whole translation unit: what `body` uses of the prelude, then `body`. Macros that `body` begins
/// with are defined before the prelude.
pub fn with_prelude(body: &str) -> String {
    let asks = |part: &Part| {
        part.asked_by.is_empty() || part.asked_by.iter().any(|word| body.contains(word))
    };
    let taken = PARTS.each_ref().map(asks);
    join(body, &DECLARATIONS.used_by(body, |part| taken[part]))
}

/// The same with all of the prelude.
pub(super) fn with_whole_prelude(body: &str) -> String {
    join(body, &PARTS.map(|part| part.source).join("\n"))
}

fn join(body: &str, prelude: &str) -> String {
    let defines = body.split_inclusive('\n').take_while(|line| line.starts_with("#define"));
    let (defines, body) = body.split_at(defines.map(str::len).sum());
    [defines, prelude, body].join("\n")
}

#[cfg(test)]
#[path = "prelude_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "prelude_values_tests.rs"]
mod values_tests;
