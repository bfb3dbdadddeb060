//! Guides: from Numba and PyCUDA on this page, and more below.
//!
//! - [Contents by task](contents)
//! - From [NumPy and CuPy](from_numpy), from [ndarray](from_ndarray), from Numba and PyCUDA (here)
//! - [Performance](performance), [what costs what](what_costs_what), [loops], [many devices](many_devices)
//! - [Numbers](numerics)
//! - [Trouble with CUDA](cuda_trouble), [data of other libraries](interop)
//! - [Gallery](gallery): ten programs and the pictures that they draw
//! - Modules in pictures: [image filters](image_filters), [signals], [interpolation],
//!   [special functions](special_functions), [statistics], [linear algebra](linear_algebra),
//!   [sparse matrices](sparse_matrices), [differential equations](ode_ensembles)
//!
//! What follows are the idioms of Numba and PyCUDA, and how Lazuli writes them.
//!
//! # Data goes to the device and comes back
//!
//! ```python
//! dx = cuda.to_device(x)           # Numba
//! dz = sinexp(dx, dy)
//! z = dz.copy_to_host()
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//! let x = ndarray::Array1::linspace(0.0, 6.0, 1000);
//! let dx = to_device(&x)?;
//! let dz = dx.sin() * 2.0; // recorded, not computed
//! let z: ndarray::ArrayD<f64> = dz.copy_to_host()?;
//! assert_eq!(z.shape(), [1000]);
//! # Ok::<(), Error>(())
//! ```
//!
//! There is no output array to allocate beforehand, and nothing between two operations is copied
//! or stored: what is asked for is computed in as few kernels as possible.
//!
//! # A function of numbers becomes a function of arrays: `@vectorize`
//!
//! ```python
//! @vectorize(['float32(float32, float32)',
//!             'float64(float64, float64)'], target='cuda')
//! def sinexp(x, y):
//!     return math.sin(x) * math.exp(y)
//!
//! z = sinexp(x, y)
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//!
//! #[vectorize]
//! fn sinexp<T: Float>(x: T, y: T) -> T {
//!     x.sin() * y.exp()
//! }
//!
//! let x = DeviceArray::<f64>::linspace(0.0, 6.0, 1000);
//! let z = sinexp::call(&x, 1.5); // scalars and arrays broadcast
//! let one = sinexp(0.5f32, 0.0); // the function itself stays what it is
//! assert_eq!(one, 0.5f32.sin());
//! # assert!((z.to_vec()?[999] - sinexp(6.0, 1.5)).abs() < 1e-14);
//! # Ok::<(), Error>(())
//! ```
//!
//! No list of signatures: Rust's generics say which types there are, and each is compiled when it
//! is first used. A call is a node like any other: with operations before and behind it, it is
//! still one kernel.
//!
//! # Helper functions: `@cuda.jit(device=True)`
//!
//! ```python
//! @cuda.jit(device=True)
//! def cnd(d): ...
//!
//! @cuda.jit
//! def black_scholes(call, put, s, x, t, r, v):
//!     i = cuda.grid(1)
//!     if i < s.shape[0]:
//!         ...
//!         call[i] = s[i] * cnd(d1) - ...
//!         put[i] = ...
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//!
//! #[device]
//! fn cnd(d: f64) -> f64 {
//!     const A: [f64; 5] = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
//!     let k = 1.0 / (1.0 + 0.2316419 * d.abs());
//!     let mut polynomial = 0.0;
//!     for i in (0..5).rev() {
//!         polynomial = k * (A[i] + polynomial);
//!     }
//!     let tail = 0.3989422804014327 * (-0.5 * d * d).exp() * polynomial;
//!     if d > 0.0 { 1.0 - tail } else { tail }
//! }
//!
//! #[vectorize]
//! fn black_scholes(s: f64, x: f64, t: f64, r: f64, v: f64) -> (f64, f64) {
//!     let d1 = ((s / x).ln() + (r + 0.5 * v * v) * t) / (v * t.sqrt());
//!     let d2 = d1 - v * t.sqrt();
//!     let discounted = x * (-r * t).exp();
//!     let call = s * cnd(d1) - discounted * cnd(d2);
//!     (call, discounted - s + call)
//! }
//!
//! let s = DeviceArray::<f64>::linspace(5.0, 30.0, 100);
//! let (call, put) = black_scholes::call(&s, 20.0, 1.5, 0.02, 0.3);
//! eval(&[&call, &put])?; // one kernel
//! # assert!(call.to_vec()?.iter().all(|c| *c >= -1e-9));
//! # Ok::<(), Error>(())
//! ```
//!
//! A tuple as result gives a tuple of arrays, and both come out of one computation.
//!
//! # Functions over arrays that call each other: `@cuda.jit(device=True)`
//!
//! ```python
//! @cuda.jit(device=True)
//! def gpu_calx(z, x):
//!     for i in range(z.size):
//!         x[i] = (z[i - 1] + 2 * z[i] + z[(i + 1) % z.size]) / 4
//!
//! @guvectorize(['void(float64[:], float64[:])'], '(n)->(n)', target='cuda')
//! def rough(z, out):
//!     gpu_calx(z, out)
//!     for i in range(z.size):
//!         out[i] = z[i] - out[i]
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//! use ndarray::{ArrayView1, ArrayViewMut1};
//!
//! #[device]
//! fn calx(z: ArrayView1<f64>, mut x: ArrayViewMut1<f64>) {
//!     let n = z.len();
//!     for i in 0..n {
//!         x[i] = (z[(i + n - 1) % n] + 2.0 * z[i] + z[(i + 1) % n]) / 4.0;
//!     }
//! }
//!
//! #[guvectorize("(n)->(n)")]
//! fn rough(z: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
//!     calx(z, out.view_mut());
//!     for i in 0..z.len() {
//!         out[i] = z[i] - out[i];
//!     }
//! }
//!
//! let members = DeviceArray::try_from([[0.0, 4.0, 0.0, 0.0], [8.0, 0.0, 0.0, 0.0]])?;
//! assert_eq!(rough::call(&members).to_vec()?, [-1.0, 2.0, -1.0, 0.0, 4.0, -2.0, 0.0, -2.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! In a kernel such a function takes [`Array`](crate::gpu::Array) and
//! [`ArrayMut`](crate::gpu::ArrayMut) instead.
//!
//! # Records become columns
//!
//! ```python
//! particle = np.dtype([('x', np.float64), ('v', np.float64)])
//!
//! @cuda.jit
//! def step(p, dt):
//!     i = cuda.grid(1)
//!     if i < p.size:
//!         p[i].x += p[i].v * dt
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//!
//! #[derive(Clone, Copy, Columns)]
//! struct Particle {
//!     x: f64,
//!     v: f64,
//! }
//!
//! #[vectorize]
//! fn step(mut p: Particle, dt: f64) -> Particle {
//!     p.x += p.v * dt;
//!     p
//! }
//!
//! let rows = [Particle { x: 0.0, v: 1.0 }, Particle { x: 2.0, v: -2.0 }];
//! let particles = ParticleColumns::from_rows(&rows)?; // an array for each field
//! let particles = step::call(&particles, 0.5);
//! assert_eq!(particles.x.to_vec()?, [0.5, 1.0]);
//! assert_eq!(particles.to_rows()?[1].v, -2.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! A column is read where its field is, and neighbouring threads read neighbouring elements, which those
//! of records are not.
//!
//! # Coordinates without a grid of threads
//!
//! ```python
//! @cuda.jit
//! def fill(z, x, y):
//!     i, j = cuda.grid(2)
//!     if i < z.shape[0] and j < z.shape[1]:
//!         z[i, j] = f(x[i], y[j], 30.0, 101.0)
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//!
//! #[vectorize]
//! fn f(x: f64, y: f64, x0: f64, y0: f64) -> f64 {
//!     (x - x0).hypot(y - y0)
//! }
//!
//! let x = DeviceArray::<f64>::linspace(29.0, 31.0, 40).insert_axis(1);
//! let y = DeviceArray::<f64>::linspace(99.0, 101.0, 60);
//! let z = f::call(&x, &y, 30.0, 101.0); // the axes broadcast; the mesh is never stored
//! assert_eq!(z.shape(), [40, 60]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Loops, complex numbers, early return: the Mandelbrot set
//!
//! ```python
//! @cuda.jit(device=True)
//! def mandel(x, y, max_iters):
//!     c = complex(x, y)
//!     z = 0.0j
//!     for i in range(max_iters):
//!         z = z*z + c
//!         if (z.real*z.real + z.imag*z.imag) >= 4:
//!             return i
//!     return max_iters
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//!
//! #[vectorize]
//! fn mandel(x: f64, y: f64, max_iters: u32) -> u32 {
//!     let c = Complex::new(x, y);
//!     let mut z = Complex::new(0.0, 0.0);
//!     for i in 0..max_iters {
//!         z = z * z + c;
//!         if z.norm_sqr() >= 4.0 {
//!             return i;
//!         }
//!     }
//!     max_iters
//! }
//!
//! let x = DeviceArray::<f64>::linspace(-2.0, 1.0, 30);
//! let y = DeviceArray::<f64>::linspace(-1.0, 1.0, 20).insert_axis(1);
//! let image = mandel::call(&x, &y, 20).cast::<u8>();
//! assert_eq!(image.shape(), [20, 30]);
//! # assert_eq!(image.max(..).item()?, 20);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Reductions with a function of one's own: `@cuda.reduce`
//!
//! ```python
//! @cuda.reduce
//! def product(a, b):
//!     return a * b
//!
//! p = product(x)
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//!
//! #[reduce(identity = 1.0)]
//! fn product(a: f64, b: f64) -> f64 {
//!     a * b
//! }
//!
//! let x = DeviceArray::from_vec([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! assert_eq!(product::reduce(&x, ..).item()?, 720.0);
//! assert_eq!(product::reduce(&x, -1).to_vec()?, [6.0, 120.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! Numba reduces one-dimensional arrays of numbers. Here any axes go, and a state may be a tuple:
//! the largest value together with its place, say.
//!
//! ```
//! use lazuli::prelude::*;
//!
//! #[reduce(identity = (f64::NEG_INFINITY, i64::MAX))]
//! fn largest(a: (f64, i64), b: (f64, i64)) -> (f64, i64) {
//!     if a.0 > b.0 || a.0 == b.0 && a.1 < b.1 { a } else { b }
//! }
//!
//! let x = DeviceArray::from_slice(&[3.0, 9.0, 4.0])?;
//! let (value, place) = largest::reduce((&x, DeviceArray::<i64>::arange(0, 3, 1)), ..);
//! assert_eq!((value.item()?, place.item()?), (9.0, 1));
//! # Ok::<(), Error>(())
//! ```
//!
//! The same function is a scan, which Numba has none of: `largest::scan` gives the largest value so
//! far and its place, for every element along an axis.
//!
//! ```
//! use lazuli::prelude::*;
//! # #[reduce(identity = (f64::NEG_INFINITY, i64::MAX))]
//! # fn largest(a: (f64, i64), b: (f64, i64)) -> (f64, i64) {
//! #     if a.0 > b.0 || a.0 == b.0 && a.1 < b.1 { a } else { b }
//! # }
//!
//! let x = DeviceArray::from_slice(&[3.0, 9.0, 4.0])?;
//! let (value, place) = largest::scan((&x, DeviceArray::<i64>::arange(0, 3, 1)), 0);
//! assert_eq!(value.to_vec()?, [3.0, 9.0, 9.0]);
//! assert_eq!(place.to_vec()?, [0, 1, 1]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Sums over rows: `@guvectorize`, and NumPy inside of a kernel
//!
//! ```python
//! @guvectorize(['void(float32[:,:], float32[:])'], '(n,m)->(n)', target='cuda')
//! def sum_row(a, s):
//!     for i in range(a.shape[0]):
//!         s[i] = 0.
//!         for j in range(a.shape[1]):
//!             s[i] += a[i, j]
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//! use ndarray::{ArrayView2, ArrayViewMut1};
//!
//! #[guvectorize("(n,m)->(n)")]
//! fn sum_row(a: ArrayView2<f32>, mut s: ArrayViewMut1<f32>) {
//!     for i in 0..a.nrows() {
//!         s[i] = 0.0;
//!         for j in 0..a.ncols() {
//!             s[i] += a[[i, j]];
//!         }
//!     }
//! }
//!
//! let a = DeviceArray::<f32>::ones([3, 100, 200]);
//! let s = sum_row::call(&a); // for each of the three matrices
//! assert_eq!(s.shape(), [3, 100]);
//! # assert_eq!(s.to_vec()?, [200.0; 300]);
//! # Ok::<(), Error>(())
//! ```
//!
//! Numba runs one thread an item, so that this takes it 34 ms for a matrix of 1000×1000 on an
//! H200. Lazuli sees that the turns of the outer loop are independent and that the inner loop is a
//! sum, and records what `a.sum(-1)` records. What it cannot see through runs item by item, as in
//! Numba: a loop whose turns need each other, say.
//!
//! ```
//! use lazuli::prelude::*;
//! use ndarray::{ArrayView1, ArrayViewMut1};
//!
//! #[guvectorize("(n),()->(n)")]
//! fn moving_mean(a: ArrayView1<f64>, window: i64, mut out: ArrayViewMut1<f64>) {
//!     let window = window as usize;
//!     let mut sum = 0.0;
//!     for i in 0..a.len() {
//!         sum += a[i];
//!         if i >= window {
//!             sum -= a[i - window];
//!         }
//!         let count = if i < window { i + 1 } else { window };
//!         out[i] = sum / count as f64;
//!     }
//! }
//!
//! let a = DeviceArray::from_slice(&[1.0, 3.0, 5.0, 7.0])?;
//! assert_eq!(moving_mean::call(&a, 2i64).to_vec()?, [1.0, 2.0, 4.0, 6.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! What Numba's kernels cannot call, NumPy's functions, is what Lazuli's kernels are made of:
//! sums, means, softmax and the rest join the kernel around them.
//!
//! ```
//! use lazuli::prelude::*;
//! # #[vectorize]
//! # fn sinexp(x: f64, y: f64) -> f64 {
//! #     x.sin() * y.exp()
//! # }
//! let x = DeviceArray::<f64>::linspace(0.0, 6.0, 600).reshape([20, 30]);
//! let centred = &x - x.mean(keep(-1));
//! let energy = sinexp::call(&centred, -&x).square().sum(-1);
//! let before = lazuli::counters();
//! energy.eval()?;
//! assert_eq!(lazuli::counters().kernels - before.kernels, 1);
//! # Ok::<(), Error>(())
//! ```
//!
//! # The CUDA model: `@cuda.jit`
//!
//! ```python
//! @cuda.jit
//! def matmul(A, B, C):
//!     sA = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
//!     sB = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
//!     x, y = cuda.grid(2)
//!     tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
//!     tmp = 0.
//!     for i in range(cuda.gridDim.x):
//!         sA[tx, ty] = A[x, ty + i * TPB]
//!         sB[tx, ty] = B[tx + i * TPB, y]
//!         cuda.syncthreads()
//!         for j in range(TPB):
//!             tmp += sA[tx, j] * sB[j, ty]
//!         cuda.syncthreads()
//!     C[x, y] = tmp
//!
//! matmul[(n // TPB, n // TPB), (TPB, TPB)](A, B, C)
//! ```
//!
//! ```
//! use lazuli::gpu::{Array, ArrayMut, grid, grid_dim, shared, sync_threads, thread_idx};
//! use lazuli::prelude::*;
//!
//! const TILE: usize = 16;
//!
//! #[kernel]
//! fn matmul(a: Array<f32, 2>, b: Array<f32, 2>, c: ArrayMut<f32, 2>) {
//!     let ta = shared::<[[f32; TILE]; TILE]>();
//!     let tb = shared::<[[f32; TILE]; TILE]>();
//!     let (x, y) = grid::<2>();
//!     let (tx, ty) = (thread_idx().x, thread_idx().y);
//!     let mut sum = 0.0;
//!     for i in 0..grid_dim().x {
//!         ta[(tx, ty)] = a[(x, ty + i * TILE)];
//!         tb[(tx, ty)] = b[(tx + i * TILE, y)];
//!         sync_threads();
//!         for j in 0..TILE {
//!             sum += ta[(tx, j)] * tb[(j, ty)];
//!         }
//!         sync_threads();
//!     }
//!     c[(x, y)] = sum;
//! }
//!
//! let n = 64;
//! let (a, b) = (DeviceArray::<f32>::ones([n, n]), DeviceArray::<f32>::eye(n));
//! let mut c = DeviceArray::<f32>::zeros([n, n]);
//! matmul.launch((n / TILE, n / TILE), (TILE, TILE), (&a, &b, &mut c))?;
//! assert_eq!(c.sum(..).item()?, 4096.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! On a GPU the grid runs as CUDA's grids do; on the processor it runs for real as well, blocks
//! over the cores and the threads of a block as coroutines that meet at barriers, so that a kernel
//! can print and be stepped through in a debugger. Indices are checked on both;
//! `unsafe { matmul.launch_unchecked(…) }` leaves the checks out on a GPU.
//!
//! # Streams and pinned memory: `cuda.stream()`, `cuda.pinned_array`
//!
//! ```python
//! stream = cuda.stream()
//! with stream.auto_synchronize():
//!     devary = cuda.to_device(an_array, stream=stream)
//!     a_cuda_kernel[griddim, blockdim, stream](devary)
//!     devary.copy_to_host(an_array, stream=stream)
//! # data available in an_array
//! ```
//!
//! ```
//! use lazuli::gpu::{ArrayMut, grid};
//! use lazuli::prelude::*;
//! use lazuli::{PinnedArray, Stream};
//!
//! #[kernel]
//! fn a_kernel(x: ArrayMut<f32, 1>) {
//!     let i = grid::<1>();
//!     if i < x.len() {
//!         x[i] = x[i] + 1.0;
//!     }
//! }
//!
//! let mut an_array = PinnedArray::<f32>::zeros(1000)?;
//! let stream = Stream::new()?;
//! stream.scope(|| {
//!     let mut devary = DeviceArray::from_pinned(&an_array)?;
//!     a_kernel.launch(8, 128, (&mut devary,))?;
//!     devary.copy_to_pinned(&mut an_array)
//! })?;
//! // Nothing has been waited for; reading the array does it.
//! assert_eq!(an_array.as_slice()?[999], 1.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! Whatever is evaluated, copied or launched inside of a [`Stream`](crate::Stream)'s scope goes to
//! that stream, expressions as well as kernels, and what several streams do with one array keeps
//! the order in which the program asked for it: there are no events to record and no array to
//! wait for. The example `streams` overlaps copies and kernels so.
//!
//! # CUDA C++ as it is: PyCUDA's `SourceModule`
//!
//! ```python
//! mod = SourceModule("__global__ void multiply_them(...) { ... }")
//! multiply_them = mod.get_function("multiply_them")
//! multiply_them(drv.Out(dest), drv.In(a), drv.In(b), block=(400,1,1), grid=(1,1))
//! ```
//!
//! [`RawModule`](crate::RawModule) takes the same source, PTX or a cubin, and launches it on arrays,
//! those of the host too: `unsafe { multiply_them.launch(1, 400, (Out(&mut dest), In(&a), In(&b))) }`.
//! A [`kernel`](macro@crate::kernel) takes them by `launch_with`, and needs no `unsafe`:
//!
//! ```
//! use lazuli::gpu::*;
//! use lazuli::prelude::*;
//!
//! #[kernel]
//! fn multiply_them(dest: ArrayMut<f32, 1>, a: Array<f32, 1>, b: Array<f32, 1>) {
//!     let i = thread_idx().x;
//!     dest[i] = a[i] * b[i];
//! }
//!
//! let (a, b) = (ndarray::Array1::from_elem(400, 2.0f32), vec![1.5f32; 400]);
//! let mut dest = vec![0.0f32; 400];
//! multiply_them.launch_with(1, 400, (Out(&mut dest), In(&a), In(&b)))?;
//! assert_eq!(dest, [3.0; 400]);
//! # Ok::<(), Error>(())
//! ```
//!
//! But a function with [`vectorize`](macro@crate::vectorize) runs on both kinds of devices, and
//! fuses.
//!
//! # `fastmath=True`
//!
//! Quotients and square roots are IEEE's, as in Numba without that option. Kernels of `f32` that
//! are bound by them may be given the GPU's approximations, which some compilers take unasked:
//!
//! ```
//! use lazuli::{Arithmetic, prelude::*, with_arithmetic};
//! let x = DeviceArray::<f32>::linspace(1.0, 2.0, 100);
//! let y = with_arithmetic(Arithmetic::Fast, || (1.0 / x.sqrt()).to_vec())?;
//! assert!((y[99] - 0.5f32.sqrt()).abs() < 1e-6);
//! # Ok::<(), Error>(())
//! ```
//!
//! [`Arithmetic`](crate::Arithmetic) says how far off they are. Products of matrices have a choice
//! of their own, [`Precision`](crate::linalg::Precision).
//!
//! # The same bits every time
//!
//! Floats do not associate: a sum that shares its kernel with other work, runs on other threads or
//! on another device may differ in its last bits. Where results are compared bit by bit, in a
//! regression test say, strict arithmetic takes every sum in one order, at some cost:
//!
//! ```
//! use lazuli::{Arithmetic, prelude::*, with_arithmetic};
//! let x = DeviceArray::<f32>::linspace(0.0, 1.0, 10_000).reshape([100, 100]);
//! let [whole, rows] = with_arithmetic(Arithmetic::Strict, || {
//!     let centred = &x - x.mean(keep(1));
//!     let rows = centred.square().sum(1).to_vec()?; // with the mean in one kernel
//!     lazuli::eval(&[&centred])?;
//!     Ok::<_, Error>([rows, centred.square().sum(1).to_vec()?]) // from the stored difference
//! })?;
//! assert_eq!(whole, rows);
//! # Ok::<(), Error>(())
//! ```

pub mod contents;
pub mod coverage;
pub mod cuda_trouble;
pub mod from_ndarray;
pub mod from_numpy;
pub mod gallery;
pub mod image_filters;
pub mod interop;
pub mod interpolation;
pub mod linear_algebra;
pub mod loops;
pub mod many_devices;
pub mod numerics;
pub mod ode_ensembles;
pub mod performance;
pub mod signals;
pub mod sparse_matrices;
pub mod special_functions;
pub mod statistics;
pub mod what_costs_what;
pub mod where_time_goes;
