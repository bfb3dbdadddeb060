//! Kernels that run again and again on what they gave, in one launch.
//!
//! The text of a turn becomes a function of the argument and the block's number. The kernel calls
//! it once a turn and exchanges pointers in between: a turn writes where the one before did not, and
//! the last one into the outputs. How turns wait for each other depends on who reads what
//! ([`crate::kernel::own`]): a thread for nobody, a block's threads for each other, or all blocks of
//! the launch, which must then be on the device together.

use super::kinds::Schedule;
use super::{Launch, Template};
use crate::kernel::Kernel;
use crate::kernel::own::own;
use std::fmt::Write;

/// Who waits for whom between two turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// Nobody.
    None,
    /// A block's threads for each other.
    Block,
    /// All blocks of the launch for each other.
    Grid,
}

/// How a kernel takes many turns, and where a launch writes what they need into its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnForm {
    /// Who waits for whom.
    pub barrier: Barrier,
    /// Offsets of the addresses of each pair's second memory.
    pub spares: Vec<u32>,
    /// Offset of the number of turns.
    pub turns: u32,
}

/// The counters of a launch whose blocks wait for each other: three that barriers take in turn, and
/// one of the blocks that have ended.
pub(super) const COUNTERS: usize = 4;

/// Who waits for whom between turns of a schedule; none where turns need launches of their own.
pub(super) fn barrier(
    kernel: &Kernel,
    pairs: &[(u32, u32)],
    schedule: &Schedule,
    launch: &Launch,
    text: &str,
) -> Option<Barrier> {
    // What blocks combine is ready when the last of them has come, which the others do not see.
    if launch.scratch > 0 || launch.counters > 0 {
        return None;
    }
    let by_thread =
        matches!(schedule, Schedule::Flat { .. } | Schedule::Linear { .. } | Schedule::Grid(_));
    let meets = text.contains("__syncthreads") || text.contains("__shared__");
    Some(match own(kernel, pairs) {
        None => Barrier::Grid,
        Some(_) if by_thread && !meets => Barrier::None,
        // A tile that goes through shared memory may be read by one thread and written by another.
        Some(_) => Barrier::Block,
    })
}

/// The kernel of many turns, given the text of one, and its form; adds to the template.
pub(super) fn repeated(
    kernel: &Kernel,
    pairs: &[(u32, u32)],
    barrier: Barrier,
    (text, bounds, entry): (&str, &str, &str),
    launch: &Launch,
    template: &mut Template,
) -> (String, TurnForm) {
    let form = fields(pairs, barrier, launch, template);
    (source(kernel, pairs, barrier, (text, bounds, entry)), form)
}

/// The same where the text takes all turns by itself.
pub(super) fn resident(
    kernel: &Kernel,
    pairs: &[(u32, u32)],
    barrier: Barrier,
    (text, bounds, entry): (&str, &str, &str),
    launch: &Launch,
    template: &mut Template,
) -> (String, TurnForm) {
    let form = fields(pairs, barrier, launch, template);
    let mut body = structure(kernel, pairs);
    let _ = write!(
        body,
        "extern \"C\" __global__ void __launch_bounds__({bounds}) \
         {entry}(const __grid_constant__ Turns given) {{\n    \
         const Arguments& a = given.a;\n{text}}}\n",
    );
    (body, form)
}

/// Adds what turns need to the template of an argument.
fn fields(
    pairs: &[(u32, u32)],
    barrier: Barrier,
    launch: &Launch,
    template: &mut Template,
) -> TurnForm {
    let mut bytes = std::mem::take(&mut template.bytes);
    let mut field = |count: usize| enlarge(&mut bytes, count);
    // The launch may have fewer blocks than a turn, which then take several each.
    let (turns, blocks) = (field(1), field(1));
    let spares = pairs.iter().map(|_| field(1)).collect();
    let counters = field(1);
    if barrier == Barrier::Grid {
        template.counters = Some(counters);
    }
    bytes[blocks as usize..blocks as usize + 8]
        .copy_from_slice(&(launch.grid as u64).to_le_bytes());
    template.bytes = bytes;
    TurnForm { barrier, spares, turns }
}

/// Adds words of eight bytes to an argument, and gives the offset of the first.
pub(super) fn enlarge(bytes: &mut Vec<u8>, words: usize) -> u32 {
    let at = bytes.len().next_multiple_of(8);
    bytes.resize(at + 8 * words, 0);
    at as u32
}

/// The structure of the argument.
fn structure(kernel: &Kernel, pairs: &[(u32, u32)]) -> String {
    let mut body = String::from("struct Turns {\n    Arguments a;\n");
    body += "    alignas(8) unsigned long long turns;\n    unsigned long long blocks;\n";
    for (k, &(_, output)) in pairs.iter().enumerate() {
        let ctype = super::names::type_name(kernel.outputs[output as usize].dtype);
        let _ = writeln!(body, "    {ctype}* spare{k};");
    }
    body += "    unsigned int* counters;\n};\n";
    body
}

fn source(
    kernel: &Kernel,
    pairs: &[(u32, u32)],
    barrier: Barrier,
    (text, bounds, entry): (&str, &str, &str),
) -> String {
    let mut body = structure(kernel, pairs);
    let text = text.replace("blockIdx.x", "lz_block");
    let _ = write!(
        body,
        "LZ_FN void lz_turn(const Arguments& a, const unsigned int lz_block) {{\n{text}}}\n\
         extern \"C\" __global__ void __launch_bounds__({bounds}) \
         {entry}(const __grid_constant__ Turns given) {{\n    \
         Arguments a = given.a;\n    \
         for (unsigned long long turn = 0; turn < given.turns; ++turn) {{\n        \
         const bool spare = (given.turns - 1 - turn) & 1;\n",
    );
    for (k, &(_, output)) in pairs.iter().enumerate() {
        let _ =
            writeln!(body, "        a.out{output} = spare ? given.spare{k} : given.a.out{output};");
    }
    let meets = text.contains("__shared__") || text.contains("LZ_DYNAMIC_SHARED");
    match barrier {
        Barrier::None => body += "        lz_turn(a, blockIdx.x);\n",
        Barrier::Block => {
            body += "        lz_turn(a, blockIdx.x);\n        __syncthreads();\n";
        }
        Barrier::Grid => {
            body += "        for (unsigned int block = blockIdx.x; block < given.blocks; \
                     block += gridDim.x) {\n            lz_turn(a, block);\n";
            if meets {
                body += "            __syncthreads();\n";
            }
            body += "        }\n        \
                     if (turn + 1 < given.turns) lz_all_blocks(given.counters, turn);\n";
        }
    }
    for &(input, output) in pairs {
        if text.contains(&format!("a.in{input} ")) {
            let _ = writeln!(body, "        a.in{input} = a.out{output};");
        }
    }
    body += "    }\n";
    if barrier == Barrier::Grid {
        body += "    if (given.turns > 1) lz_end_blocks(given.counters);\n";
    }
    body + "}\n"
}
