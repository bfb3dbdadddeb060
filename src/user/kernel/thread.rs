//! The place of the running thread of a kernel in its grid.

use super::dims::Dim3;
use super::stops::{Order, Stop};
use crate::user::lanes::Laned;
use corosensei::Yielder;
use std::cell::Cell;

/// What a thread of a kernel knows of its place, and how it waits. One for each thread of the
/// processor: the threads of a kernel's block take turns on it.
pub(super) struct Context {
    pub(super) thread: [Cell<usize>; 3],
    pub(super) block: Cell<Dim3>,
    pub(super) block_dim: Cell<Dim3>,
    pub(super) grid_dim: Cell<Dim3>,
    /// The coroutine that runs; null outside kernels.
    pub(super) yielder: Cell<*const Yielder<Order, Stop>>,
}

const ONE: Dim3 = Dim3::new(1, 1, 1);

thread_local! {
    pub(super) static CONTEXT: Context = const { Context {
        thread: [Cell::new(0), Cell::new(0), Cell::new(0)],
        block: Cell::new(Dim3::new(0, 0, 0)),
        block_dim: Cell::new(ONE),
        grid_dim: Cell::new(ONE),
        yielder: Cell::new(std::ptr::null()),
    } };
}

impl Context {
    #[inline]
    pub(super) fn thread(&self) -> Dim3 {
        Dim3::new(self.thread[0].get(), self.thread[1].get(), self.thread[2].get())
    }

    /// The number of the thread in its block, x fastest.
    #[inline]
    pub(super) fn linear(&self) -> usize {
        let (at, dim) = (self.thread(), self.block_dim.get());
        at.x + dim.x * (at.y + dim.y * at.z)
    }

    /// Leaves the kernel: what is outside is a grid of one thread.
    pub(super) fn leave(&self) {
        self.thread.iter().for_each(|k| k.set(0));
        self.block.set(Dim3::new(0, 0, 0));
        self.block_dim.set(ONE);
        self.grid_dim.set(ONE);
        self.yielder.set(std::ptr::null());
    }
}

/// The place of this thread in its block. Outside a kernel: that of a block's only thread.
///
/// CUDA's `threadIdx`, Numba's `cuda.threadIdx`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn places(out: ArrayMut<u32, 1>) {
///     out[thread_idx().x] = thread_idx().x as u32;
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// places.launch(1, 4, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [0, 1, 2, 3]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn thread_idx() -> Dim3 {
    CONTEXT.with(Context::thread)
}

/// The place of this thread's block in the grid.
///
/// CUDA's `blockIdx`, Numba's `cuda.blockIdx`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn places(out: ArrayMut<u32, 1>) {
///     out[grid::<1>()] = block_idx().x as u32;
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// places.launch(2, 2, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [0, 0, 1, 1]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn block_idx() -> Dim3 {
    CONTEXT.with(|c| c.block.get())
}

/// The threads of a block along x, y and z.
///
/// CUDA's `blockDim`, Numba's `cuda.blockDim`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn places(out: ArrayMut<u32, 1>) {
///     out[block_idx().x * block_dim().x + thread_idx().x] = block_dim().x as u32;
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(6);
/// places.launch(2, 3, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [3, 3, 3, 3, 3, 3]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn block_dim() -> Dim3 {
    CONTEXT.with(|c| c.block_dim.get())
}

/// The blocks of the grid along x, y and z.
///
/// CUDA's `gridDim`, Numba's `cuda.gridDim`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn places(out: ArrayMut<u32, 1>) {
///     out[grid::<1>()] = grid_dim().x as u32;
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// places.launch(2, 2, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [2, 2, 2, 2]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn grid_dim() -> Dim3 {
    CONTEXT.with(|c| c.grid_dim.get())
}

/// The number of this thread in its warp, 0 to 31.
///
/// Numba's `cuda.laneid`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn places(out: ArrayMut<u32, 1>) {
///     if thread_idx().x >= 30 {
///         out[thread_idx().x - 30] = lane_index() as u32;
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// places.launch(1, 34, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [30, 31, 0, 1]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn lane_index() -> usize {
    CONTEXT.with(|c| c.linear() % WARP)
}

/// The threads of a warp.
pub const WARP: usize = 32;

/// A grid of `N` dimensions, for [`grid`] and [`grid_size`]: 1, 2 and 3 there are.
pub struct Rank<const N: usize>;

/// What [`grid`] gives for a number of dimensions: one number, a pair or a triple.
pub trait GridRank {
    /// `usize`, `(usize, usize)` or `(usize, usize, usize)`.
    type Place: Laned;
    /// The first numbers of three.
    #[doc(hidden)]
    fn of(numbers: Dim3) -> Self::Place;
}

impl GridRank for Rank<1> {
    type Place = usize;
    #[inline]
    fn of(n: Dim3) -> usize {
        n.x
    }
}

impl GridRank for Rank<2> {
    type Place = (usize, usize);
    #[inline]
    fn of(n: Dim3) -> (usize, usize) {
        (n.x, n.y)
    }
}

impl GridRank for Rank<3> {
    type Place = (usize, usize, usize);
    #[inline]
    fn of(n: Dim3) -> (usize, usize, usize) {
        (n.x, n.y, n.z)
    }
}

/// The place of this thread in the whole grid: `block_idx() * block_dim() + thread_idx()` along
/// the first `N` dimensions.
///
/// Numba's `cuda.grid(N)`: `let i = grid::<1>();`, `let (x, y) = grid::<2>();`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn places(out: ArrayMut<u32, 2>) {
///     let (i, j) = grid::<2>(); // x, y
///     out[(i, j)] = (10 * i + j) as u32;
/// }
///
/// let mut out = DeviceArray::<u32>::zeros([2, 3]);
/// places.launch((1, 3), (2, 1), (&mut out,))?;
/// assert_eq!(out.to_vec()?, [0, 1, 2, 10, 11, 12]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn grid<const N: usize>() -> <Rank<N> as GridRank>::Place
where
    Rank<N>: GridRank,
{
    let (at, block, dim) = (thread_idx(), block_idx(), block_dim());
    Rank::of(Dim3::new(block.x * dim.x + at.x, block.y * dim.y + at.y, block.z * dim.z + at.z))
}

/// The threads of the whole grid along the first `N` dimensions.
///
/// Numba's `cuda.gridsize(N)`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn squares(out: ArrayMut<u32, 1>) {
///     // A grid of any size covers the array.
///     for i in (grid::<1>()..out.len()).step_by(grid_size::<1>()) {
///         out[i] = (i * i) as u32;
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(5);
/// squares.launch(1, 2, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [0, 1, 4, 9, 16]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn grid_size<const N: usize>() -> <Rank<N> as GridRank>::Place
where
    Rank<N>: GridRank,
{
    let (blocks, dim) = (grid_dim(), block_dim());
    Rank::of(Dim3::new(blocks.x * dim.x, blocks.y * dim.y, blocks.z * dim.z))
}
