//! Kernels that a byte in the device's memory skips: turns of a loop are launched before the host knows
//! whether they are to run.
//!
//! All threads read the byte before anything else, and no kernel that is launched so writes it, so that
//! either all of a kernel runs or nothing of it. On an H200 that costs 0.2 µs a kernel.

use super::{Template, turns::enlarge};
use std::fmt::Write;

/// How a kernel runs.
#[derive(Clone, Copy)]
pub(super) enum Runs<'a> {
    /// Once, whenever it is launched.
    Once,
    /// Once, unless the byte that its argument may name is 0.
    Unless,
    /// For many turns, where pairs say which input is which output of the turn before.
    Again(&'a [(u32, u32)]),
}

impl<'a> Runs<'a> {
    /// The inputs that become outputs.
    pub(super) fn pairs(self) -> Option<&'a [(u32, u32)]> {
        match self {
            Runs::Again(pairs) => Some(pairs),
            Runs::Once | Runs::Unless => None,
        }
    }
}

/// The function of a kernel that is skipped where it is told to be, given its text; adds to the
/// template.
pub(super) fn skipped(
    (text, bounds, entry): (&str, &str, &str),
    template: &mut Template,
) -> String {
    template.goes_on = Some(enlarge(&mut template.bytes, 1));
    let mut body = String::from(
        "struct Skipped {\n    Arguments a;\n    alignas(8) const unsigned char* goes_on;\n};\n",
    );
    let _ = write!(
        body,
        "extern \"C\" __global__ void __launch_bounds__({bounds}) \
         {entry}(const __grid_constant__ Skipped given) {{\n    \
         if (given.goes_on && !*given.goes_on) return;\n    \
         const Arguments& a = given.a;\n{text}}}\n",
    );
    body
}
