//! The C++ that rendered kernels begin with, and the C++ names of the element types.
//!
//! The prelude is cut into parts, and a kernel gets those that it uses: parsing all of it would
//! be half of the time that a small kernel takes to compile.

use crate::dtype::DType;

/// A part of the prelude, and the names that ask for it.
struct Part {
    names: &'static [&'static str],
    source: &'static str,
}

/// In the order in which they build on each other; the first three are always there.
const PARTS: [Part; 10] = [
    Part { names: &[""], source: include_str!("prelude/base.cuh") },
    Part { names: &[""], source: include_str!("prelude/block.cuh") },
    Part { names: &[""], source: include_str!("prelude/real.cuh") },
    Part {
        names: &["lz_erf", "lz_gamma", "lz_lgamma", "lz_bessel", "lz_normal", "lz_sample_"],
        source: include_str!("prelude/special.cuh"),
    },
    Part { names: &["lz_f16", "lz_bf16"], source: include_str!("prelude/half.cuh") },
    Part {
        names: &["lz_c64", "lz_c128", "lz_complex", "lz_to_complex"],
        source: include_str!("prelude/complex.cuh"),
    },
    Part {
        names: &["lz_philox", "lz_draw", "lz_sample_"],
        source: include_str!("prelude/random.cuh"),
    },
    Part { names: &["lz_sample_"], source: include_str!("prelude/sample.cuh") },
    Part { names: &["lz_user_", "lz_kernel_"], source: include_str!("prelude/rust.cuh") },
    Part { names: &["lz_usual"], source: include_str!("prelude/usual.cuh") },
];

/// A whole translation unit: the parts of the prelude that `body` uses, then `body`.
pub(crate) fn with_prelude(body: &str) -> String {
    let used = |part: &&Part| part.names.iter().any(|name| body.contains(name));
    let parts: Vec<&str> = PARTS.iter().filter(used).map(|part| part.source).collect();
    parts.join("\n") + "\n" + body
}

/// The C++ name of an element type.
pub(crate) fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "lz_bool",
        DType::I8 => "lz_i8",
        DType::I16 => "lz_i16",
        DType::I32 => "lz_i32",
        DType::I64 => "lz_i64",
        DType::U8 => "lz_u8",
        DType::U16 => "lz_u16",
        DType::U32 => "lz_u32",
        DType::U64 => "lz_u64",
        DType::F16 => "lz_f16",
        DType::BF16 => "lz_bf16",
        DType::F32 => "lz_f32",
        DType::F64 => "lz_f64",
        DType::C64 => "lz_c64",
        DType::C128 => "lz_c128",
    }
}

#[cfg(test)]
#[path = "prelude_tests.rs"]
mod tests;
