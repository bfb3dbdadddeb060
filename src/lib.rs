#![doc = include_str!("guide/front.md")]
#![deny(missing_docs)]
// The floor that all devices and files build on stands whole; a build without some of them uses a
// part of it.
#![cfg_attr(
    not(all(feature = "cuda", feature = "fft", feature = "linalg", feature = "npy")),
    allow(dead_code)
)]

// The attributes write paths that begin with the crate's name.
extern crate self as lazuli;

// The lower floors, by the names of their modules.
use lazuli_core::{
    backend, caught, error, files, function, kernel, library, math, report, shape, table,
};

mod array;
mod check_finite;
mod compile;
pub mod dtype;
mod eval;
pub mod exchange;
mod explain;
mod graph;
pub mod guide;
pub mod interpolate;
#[cfg(all(test, feature = "cuda"))]
mod loop_tests;
mod loops;
pub mod mesh;
pub mod ndimage;
pub mod ode;
mod ops;
mod plan;
#[cfg(all(test, feature = "cuda"))]
mod planned_kernels_tests;
mod profile;
pub mod signal;
pub mod sparse;
pub mod special;
pub mod stats;
#[cfg(test)]
mod strict_tests;
#[cfg(all(test, feature = "cuda"))]
mod strip_loops_tests;
#[cfg(all(test, feature = "cuda"))]
mod tiled_loops_tests;
mod user;

pub use array::{
    AnyArray, Arrays, Axes, DeviceArray, HostArray, Indexing, IntegerList, IntoShape, Keep,
    Operand, PadWidths, PinnedArray, ReshapeTo, TypedArray, eval, eval_all, indices, keep,
    meshgrid, meshgrid_open, to_device, try_meshgrid, try_meshgrid_open, warm_up,
};
#[cfg(feature = "npy")]
pub use array::{
    NpyElement, NpyHeader, NpzFile, NpzMember, npy_header, write_npz, write_npz_compressed,
};
pub use backend::{
    Arithmetic, Device, DeviceInfo, MemoryUse, Progress, Stream, with_arithmetic, with_progress,
};
pub use check_finite::check_finite;
pub use compile::{CompiledFunction, compile};
pub use error::{Error, Result};
pub use eval::{Counters, counters};
pub use explain::{Explanation, explain};
#[doc = include_str!("user/kernel/kernel.md")]
pub use lazuli_macros::kernel;
pub use loops::{repeat, scan_over, try_repeat, try_scan_over, try_while_loop, while_loop};
pub use mesh::{Mesh, Sharding};
pub use ops::bins::BinRule;
pub use ops::broadcasting::{
    broadcast_arrays, broadcast_shapes, try_broadcast_arrays, try_broadcast_shapes,
};
pub use ops::cases::{select_first, try_select_first};
pub use ops::cells::{histogram2d, histogramdd};
pub use ops::counting::Bins;
pub use ops::covariance::Covariance;
pub use ops::differences::EdgeOrder;
pub use ops::dynamic::promote;
pub use ops::elementwise::{select, try_select};
pub use ops::fft;
pub use ops::index::Positions;
pub use ops::indexing::{
    Ellipsis, Index, IndexEntry, choose, choose_clipped, diag_indices, mask_indices,
    ravel_multi_index, tril_indices, triu_indices, try_choose, try_choose_clipped,
    try_diag_indices, try_ravel_multi_index, try_tril_indices, try_triu_indices, try_unravel_index,
    unravel_index,
};
pub use ops::join::{
    concatenate, concatenate_flat, dstack, hstack, stack, try_concatenate, try_concatenate_flat,
    try_dstack, try_hstack, try_stack, try_vstack, vstack,
};
pub use ops::padding::PadMode;
pub use ops::poly_roots::{poly, polydiv, try_poly, try_polydiv};
pub use ops::polynomial::{
    polyadd, polyder, polyint, polymul, polysub, polyval, try_polyadd, try_polyder, try_polyint,
    try_polymul, try_polysub, try_polyval, try_vander, vander,
};
pub use ops::reading::AxisIter;
pub use ops::rules::{fixed_quad, newton_cotes};
pub use ops::scan::Scan;
pub use ops::search::{Outside, Side};
pub use ops::stacks::{block, column_stack, try_block, try_column_stack};
pub use ops::statistics::Correction;
pub use user::attributes::{Columns, device, guvectorize, reduce, vectorize};
pub use user::device;
pub use user::{
    ElementwiseKernel, KernelOperand, KernelOperands, LaunchExtents, RawArgument, RawArguments,
    RawFunction, RawModule, ReductionKernel,
};

pub use profile::{Profile, ProfileLine, ProfileRow, profile};

#[doc(inline)]
pub use ops::random;

/// What the code that the attributes write stands on; nothing for users.
#[doc(hidden)]
pub mod __private {
    pub use crate::array::operand::sealed::{IntoArg, Wrapped};
    pub use crate::array::{Flat, Nested, Reader};
    pub use crate::function::{CudaCode, Function, TileArg, TileFn};
    pub use crate::user::apply::{call, device_of, operand, or_panic};
    pub use crate::user::code::{
        Callee, Const, Describe, DeviceFn, Slot, comparable, register_array,
    };
    pub use crate::user::columns::{
        Argument, Fields, Named, column, device_of_argument, evaluated, member,
    };
    pub use crate::user::gufunc;
    pub use crate::user::kernel::{
        Block, KernelInfo, LaunchOptions, launch, launch_unchecked, with_hosts,
    };
    pub use crate::user::lanes;
    pub use crate::user::outputs::{Nodes, Outputs};
    pub use crate::user::pack::Pack;
    pub use crate::user::reduce::{Arguments, States, reduce, scan};
    pub use crate::user::twin::Twin;
    pub use ndarray;
    pub use num_traits;
}
pub use ops::sorting::{
    Interpolation, Unique, UniqueOptions, intersect1d, is_in, is_not_in, lexsort, setdiff1d,
    setxor1d, try_lexsort, union1d,
};

/// Linear algebra beside the methods of [`DeviceArray`]: what takes several arrays, and the types
/// of arguments and results. [`guide::linear_algebra`] shows some of it in pictures.
pub mod linalg {
    pub use crate::library::linalg::Precision;
    pub use crate::ops::linalg::banded::{
        cho_solve_banded, cholesky_banded, solve_banded, solveh_banded,
    };
    pub use crate::ops::linalg::bases::{
        orthogonal_procrustes, subspace_angles, try_orthogonal_procrustes, try_subspace_angles,
    };
    pub use crate::ops::linalg::circular::{
        matmul_toeplitz, solve_circulant, solve_toeplitz, try_matmul_toeplitz, try_solve_circulant,
        try_solve_toeplitz,
    };
    pub use crate::ops::linalg::einsum::{einsum, try_einsum};
    pub use crate::ops::linalg::fiedler::{fiedler_companion, try_fiedler_companion};
    pub use crate::ops::linalg::hermitian::{
        eig_banded, eigh_tridiagonal, eigvals_banded, eigvalsh_tridiagonal, try_eig_banded,
        try_eigh_tridiagonal, try_eigvals_banded, try_eigvalsh_tridiagonal,
    };
    pub use crate::ops::linalg::lu::{Lu, cho_solve, try_cho_solve};
    pub use crate::ops::linalg::matmul::with_precision;
    pub use crate::ops::linalg::norms::MatrixNorm;
    pub use crate::ops::linalg::products::{multi_dot, try_multi_dot};
    pub use crate::ops::linalg::real_form::cdf2rdf;
    pub use crate::ops::linalg::schur::{
        solve_continuous_are, solve_continuous_lyapunov, solve_discrete_are,
        solve_discrete_lyapunov, solve_sylvester,
    };
    pub use crate::ops::linalg::solve::LeastSquares;
    pub use crate::ops::linalg::special_matrices::{
        PascalKind, hadamard, helmert, hilbert, invhilbert, invpascal, pascal, try_hadamard,
        try_helmert, try_hilbert, try_invhilbert, try_invpascal, try_pascal,
    };
    pub use crate::ops::linalg::structured::{
        block_diag, circulant, companion, convolution_matrix, dft, diagsvd, fiedler, hankel,
        khatri_rao, leslie, toeplitz, try_block_diag, try_circulant, try_companion,
        try_convolution_matrix, try_dft, try_diagsvd, try_fiedler, try_hankel, try_khatri_rao,
        try_leslie, try_toeplitz,
    };
    pub use crate::ops::linalg::trigonometric::{expm_frechet, try_expm_frechet};
}

/// What kernels in the CUDA model ([`kernel`](macro@kernel)) are written with.
///
/// - Places: [`thread_idx`](fn@gpu::thread_idx), [`block_idx`](fn@gpu::block_idx),
///   [`block_dim`](fn@gpu::block_dim), [`grid_dim`](fn@gpu::grid_dim), and those of the whole grid
///   in one, two or three dimensions, [`grid`](fn@gpu::grid) and
///   [`grid_size`](fn@gpu::grid_size); [`lane_index`](fn@gpu::lane_index).
/// - Arrays: [`Array`](gpu::Array) and [`ArrayMut`](gpu::ArrayMut), with atomic operations; of the
///   host, for a launch: [`In`](gpu::In), [`Out`](gpu::Out), [`InOut`](gpu::InOut).
/// - Shared memory: [`shared`](gpu::shared) and [`dynamic_shared`](gpu::dynamic_shared).
/// - Barriers: [`sync_threads`](fn@gpu::sync_threads) and its kin,
///   [`sync_warp`](fn@gpu::sync_warp); fences: [`thread_fence`](fn@gpu::thread_fence).
/// - Warps: [`shuffle`](fn@gpu::shuffle) and its kin, [`ballot`](fn@gpu::ballot),
///   [`any`](fn@gpu::any), [`all`](fn@gpu::all), [`active_mask`](fn@gpu::active_mask).
///
/// # Example
/// The sum of an array: each block by shuffles and shared memory, the blocks by an atomic.
/// ```
/// use lazuli::prelude::*;
/// use lazuli::gpu::*;
///
/// #[device]
/// fn warp_sum(mut value: f64) -> f64 {
///     for by in [16, 8, 4, 2, 1] {
///         value += shuffle_down(value, by);
///     }
///     value
/// }
///
/// #[kernel]
/// fn sum(x: Array<f64, 1>, total: ArrayMut<f64, 1>) {
///     let warps = shared::<[f64; 32]>();
///     let (i, t) = (grid::<1>(), thread_idx().x);
///     let mut value = warp_sum(if i < x.len() { x[i] } else { 0.0 });
///     if lane_index() == 0 {
///         warps[t / WARP] = value;
///     }
///     sync_threads();
///     if t < WARP {
///         value = warp_sum(if t < block_dim().x / WARP { warps[t] } else { 0.0 });
///         if t == 0 {
///             total.atomic_add(0, value);
///         }
///     }
/// }
///
/// let x = DeviceArray::<f64>::arange_to(1000.0);
/// let mut total = DeviceArray::<f64>::zeros([1]);
/// sum.launch(8, 128, (&x, &mut total))?;
/// assert_eq!(total.item()?, 499500.0);
/// # Ok::<(), Error>(())
/// ```
pub mod gpu {
    pub use crate::user::kernel::*;
}

/// What most programs need: `use lazuli::prelude::*;`.
pub mod prelude {
    pub use crate::device::Float;
    pub use crate::dtype::{
        Bits, Complex, ComplexFloating, Component, DType, Element, Factorable, Floating, Inexact,
        Integer, Number, Ordered, Real, Signed, bf16, f16,
    };
    pub use crate::special::device::Formulas;
    pub use crate::{
        AnyArray, Axes, Bins, Columns, Covariance, Device, DeviceArray, EdgeOrder, Ellipsis, Error,
        Indexing, IntegerList, IntoShape, Keep, Operand, Outside, PadMode, Positions, ReshapeTo,
        Result, Scan, Side, TypedArray, concatenate, device, dstack, eval, eval_all, explain,
        guvectorize, hstack, indices, keep, kernel, meshgrid, meshgrid_open, reduce, select, stack,
        to_device, vectorize, vstack,
    };
    #[cfg(feature = "npy")]
    pub use crate::{NpzFile, npy_header, write_npz};
    pub use ndarray::{NewAxis, s};
}

/// The code in README.md, run with the documentation's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
