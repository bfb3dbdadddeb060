//! Random numbers for one position: the counter-based generator, what its words become, and the
//! variates that take several attempts.
//!
//! A stream is named by a key, a first block and a stream number ([`Seed`]). Number `at` of it is
//! a function of these and of `at` alone, so that it does not matter who computes it, and when.
//!
//! In the graph a draw is a node without array arguments (`NodeOp::Random`): its key, first block
//! and stream number are scalars, so that another seed is another launch of the same kernel. In the
//! kernel it is `Inst::Draw`. A backend makes whole blocks of neighbours where it can: the renderer
//! by a pack wherever places along the thread's axis are known to be multiples of a block
//! (`cuda/render/items.rs`), the processor by sixteen blocks side by side (`cpu/draw.rs`). A draw
//! of fewer than 2³² blocks does not cross a multiple of 2³²: the generator leaves blocks out
//! instead (`ops/random`), so that the counter's second word is the same for a whole kernel with
//! short indices, and what depends on it alone is computed once. cuRAND's generators are library
//! calls.

mod philox;
mod sample;
mod xorwow;

pub use philox::{BLOCKS, Drawn, Normal, Seed, Uniform, Word};
#[allow(unused_imports)] // The processor's loops take them up through the operation table.
pub use sample::{DoubleMath, WordMath};
pub use xorwow::{PARTS, Xorwow};
