//! Kernels in the CUDA model.
//!
//! `#[kernel]` makes a constant with a method `launch`, which calls `launch.rs`: arguments are
//! evaluated and bound (`param.rs`), and the threads run.
//!
//! - On the processor `engine.rs` runs the body, which is the user's own tokens but for accesses to
//!   arrays and shared memory (`macros/src/kernel/native.rs`).
//! - On a GPU the translator prints the body around the accessors of `prelude/kernel.cuh`, and
//!   `cuda.rs` launches it.
//! - The functions of `lazuli::gpu` have types of the same names (`intrinsics.rs`), by which device
//!   functions find their C++, as for any function with `#[device]`.
mod arrays;
mod cuda;
mod dims;
mod engine;
mod hosts;
mod intrinsics;
mod launch;
mod memory;
mod options;
mod param;
mod place;
mod shared;
mod stops;
mod thread;
mod warp;

pub use arrays::{Array, ArrayMut};
pub use dims::Dim3;
pub use hosts::{Argument, Arguments, HostSource, HostTarget, In, InOut, Out, with_hosts};
pub use intrinsics::*;
pub use launch::{launch, launch_unchecked};
pub use memory::{Atomic, AtomicBits};
pub use options::{KernelInfo, LaunchOptions};
pub use param::Param;
pub use place::{Coordinate, Place};
pub use shared::{Block, FixedArray, PlaceIn, Shared, SharedArray, dynamic_shared, shared};
pub use thread::{
    GridRank, Rank, WARP, block_dim, block_idx, grid, grid_dim, grid_size, lane_index, thread_idx,
};
pub use warp::{
    active_mask, all, any, ballot, shuffle, shuffle_down, shuffle_up, shuffle_xor, sync_threads,
    sync_threads_all, sync_threads_any, sync_threads_count, sync_warp, thread_fence,
    thread_fence_block,
};

#[cfg(test)]
mod engine_tests;
#[cfg(all(test, feature = "cuda"))]
mod over_arrays_tests;
#[cfg(all(test, feature = "cuda"))]
mod refusals_tests;
#[cfg(all(test, feature = "cuda"))]
pub(crate) mod tests;
