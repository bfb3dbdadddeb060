//! From NumPy and CuPy: their idioms beside Lazuli's, and the differences that bite.
//!
//! ```python
//! import cupy as cp
//! x = cp.asarray(host)                    # to the device
//! y = cp.exp(-x**2).sum(axis=1)           # four kernels, three temporary arrays
//! out = cp.asnumpy(y)                     # to the host
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//! let host = ndarray::arr2(&[[0.0, 1.0], [1.0, 2.0]]);
//! let x = to_device(&host)?; // to the device
//! let y = (-x.square()).exp().sum(1); // recorded: one kernel, no temporary arrays
//! let out: ndarray::Array1<f64> = y.copy_to_array()?; // computed, and to the host
//! assert!((out[0] - (1.0 + (-1.0f64).exp())).abs() < 1e-15);
//! # Ok::<(), Error>(())
//! ```
//!
//! CuPy's names are NumPy's. What CuPy has beside them:
//!
//! | CuPy | Lazuli |
//! | --- | --- |
//! | `cp.asarray(host)`, `cp.asnumpy(x)`, `x.get()` | [`to_device(&host)`](crate::to_device()), [`x.copy_to_host()`](crate::DeviceArray::copy_to_host) |
//! | `x.item()`, `float(x)` | [`x.item()`](crate::DeviceArray::item) |
//! | `cp.cuda.Device(1).use()` | [`Device::cuda(1)?.scope(…)`](crate::Device::scope) |
//! | `cp.cuda.Stream()` | [`Stream::new()`](crate::Stream::new) |
//! | `cp.cuda.alloc_pinned_memory(n)` | [`PinnedArray`](crate::PinnedArray) |
//! | `@cp.fuse()` | nothing: all code is fused |
//! | `cp.ElementwiseKernel`, `cp.ReductionKernel`, `cp.RawModule` | the types of [the same names](crate::ElementwiseKernel) |
//! | `cp.cuda.Device().synchronize()` | [`x.device().synchronize()`](crate::Device::synchronize) |
//! | `cp.get_default_memory_pool().free_all_blocks()` | [`device.release_memory()`](crate::Device::release_memory) |
//! | `cp.from_dlpack(x)` | [`DeviceArray::from_dlpack`](crate::DeviceArray::from_dlpack) |
//! | `cp.random.default_rng(1).normal(size=n)` | [`Generator::new(1).normal(0.0, 1.0, n)`](crate::random::Generator::normal) |
//! | `cp.save("x.npy", x)`, `cp.load("x.npy")` | [`x.write_npy("x.npy")`](crate::DeviceArray::write_npy), [`DeviceArray::read_npy("x.npy")`](crate::DeviceArray::read_npy) |
//!
//! # The idioms
//!
//! In the tables `a`, `b`, `t` and `s` are arrays of `f64` with two and three axes, `v`, `w` and `x`
//! have one, `n` holds integers and `m` is a mask. Each row is run as a test against NumPy's values.
//! [Contents by task](crate::guide::contents) has the rest.
//!
//! ## Create
//!
//! | NumPy | Lazuli |
//! | --- | --- |
//! | `np.array([3.0, 1.0, 2.0])` | `DeviceArray::from_slice(&[3.0, 1.0, 2.0])?` |
//! | `np.array([[1.0, 2.0], [3.0, 4.0]])` | `DeviceArray::try_from([[1.0, 2.0], [3.0, 4.0]])?` |
//! | `np.zeros((2, 3))` | `DeviceArray::<f64>::zeros([2, 3])` |
//! | `np.full((2, 3), 7.0)` | `DeviceArray::full([2, 3], 7.0)` |
//! | `np.zeros_like(a)` | `a.zeros_like()` |
//! | `np.arange(5)` | `DeviceArray::<i64>::arange_to(5)` |
//! | `np.arange(1.0, 2.0, 0.25)` | `DeviceArray::arange(1.0, 2.0, 0.25)` |
//! | `np.linspace(0, 1, 5)` | `DeviceArray::<f64>::linspace(0.0, 1.0, 5)` |
//! | `np.logspace(0, 2, 3)` | `DeviceArray::<f64>::logspace(0.0, 2.0, 3, 10.0)` |
//! | `np.eye(3)` | `DeviceArray::<f64>::eye(3)` |
//! | `np.diag(v)` | `v.diag(0)` |
//! | `np.tril(s)` | `s.tril(0)` |
//! | `np.meshgrid(v, w)` | `meshgrid(&[&v, &w], Indexing::Xy)` |
//! | `np.indices((2, 3))` | `indices([2, 3])` |
//!
//! ## Types and copies
//!
//! | NumPy | Lazuli |
//! | --- | --- |
//! | `a.astype(np.float32)` | `a.cast::<f32>()` |
//! | `a.copy()` | `a.clone()` |
//! | `a + 1j * b` | `a.to_complex(&b)` |
//!
//! ## Elementwise
//!
//! | NumPy | Lazuli |
//! | --- | --- |
//! | `a + 2 * b` | `&a + 2.0 * &b` |
//! | `a / b` | `&a / &b` |
//! | `n // 2` | `n.floor_divide(2)` |
//! | `n % 3` | `n.remainder(3)` |
//! | `b ** 2` | `b.square()` |
//! | `b ** 1.5` | `b.power(1.5)` |
//! | `np.exp(a)` | `a.exp()` |
//! | `np.log(b)` | `b.ln()` |
//! | `np.log1p(a)` | `a.ln_1p()` |
//! | `np.arctan2(a, b)` | `a.atan2(&b)` |
//! | `np.abs(n)` | `n.abs()` |
//! | `np.round(a / 4)` | `(&a / 4.0).round()` |
//! | `np.round(b / 7, 2)` | `(&b / 7.0).round_to(2)` |
//! | `np.clip(a, 1, 3)` | `a.clip(1.0, 3.0)` |
//! | `np.maximum(a, b)` | `a.maximum(&b)` |
//! | `np.isnan(a)` | `a.is_nan()` |
//! | `special.erf(a)` | `a.erf()` |
//!
//! ## Compare and choose
//!
//! | NumPy | Lazuli |
//! | --- | --- |
//! | `a > b` | `a.greater(&b)` |
//! | `a == b` | `a.equal(&b)` |
//! | `(a > 1) & (b < 4)` | `a.greater(1.0) & b.less(4.0)` |
//! | `~m` | `!&m` |
//! | `np.where(a > 2, a, 0)` | `a.greater(2.0).select(&a, 0.0)` |
//! | `np.select([a < 1, a < 3], [b, -b], 9)` | `select_first(&[a.less(1.0), a.less(3.0)], &[&b, &-&b], 9.0)` |
//! | `np.allclose(a, a + 1e-12)` | `a.all_close(&(&a + 1e-12))` |
//!
//! ## Reduce and scan
//!
//! | NumPy | Lazuli |
//! | --- | --- |
//! | `a.sum()` | `a.sum(..)` |
//! | `a.sum(axis=0)` | `a.sum(0)` |
//! | `a.mean(axis=1, keepdims=True)` | `a.mean(keep(1))` |
//! | `a.sum(axis=(0, 1))` | `a.sum([0, 1])` |
//! | `a.std(ddof=1)` | `a.std_ddof(.., 1)` |
//! | `b.argmax(axis=-1)` | `b.argmax(-1)` |
//! | `np.nanmax(a)` | `a.nan_max(..)` |
//! | `np.linalg.norm(v)` | `v.norm(..)` |
//! | `special.logsumexp(v)` | `v.logsumexp(..)` |
//! | `np.cumsum(a, axis=1)` | `a.cumsum(1)` |
//! | `np.maximum.accumulate(v)` | `v.cummax(0)` |
//! | `np.diff(v)` | `v.diff(1, 0)` |
//! | `np.trapezoid(v, dx=0.5)` | `v.trapezoid(0.5, 0)` |
//! | `np.gradient(v)` | `v.gradient(1.0, 0)` |
//!
//! ## Shapes
//!
//! | NumPy | Lazuli |
//! | --- | --- |
//! | `a.reshape(3, -1)` | `a.reshape([3, -1])` |
//! | `a.ravel()` | `a.flatten()` |
//! | `a.T` | `a.t()` |
//! | `np.transpose(t, (2, 0, 1))` | `t.permute(&[2, 0, 1])` |
//! | `v[:, None]` | `v.insert_axis(1)` |
//! | `np.squeeze(v[None])` | `v.insert_axis(0).squeeze(..)` |
//! | `np.broadcast_to(v, (2, 4))` | `v.broadcast_to([2, 4])` |
//! | `np.flip(a, 1)` | `a.flip(1)` |
//! | `np.roll(v, 1)` | `v.roll(1, 0)` |
//! | `np.tile(v, 2)` | `v.tile([2])` |
//! | `np.repeat(v, 2)` | `v.repeat(2, 0)` |
//! | `np.pad(v, 1, mode="edge")` | `v.pad(&[(1, 1)], PadMode::Edge)` |
//! | `sliding_window_view(v, 2)` | `v.sliding_windows(2, 0)` |
//!
//! ## Join and split
//!
//! | NumPy | Lazuli |
//! | --- | --- |
//! | `np.concatenate([a, b], axis=1)` | `concatenate(&[&a, &b], 1)` |
//! | `np.stack([a, b])` | `stack(&[&a, &b], 0)` |
//! | `np.vstack([v, w])` | `vstack(&[&v, &w])` |
//! | `np.split(v, 2)` | `v.split(2, 0)` |
//! | `np.insert(v, 1, 9.0)` | `v.insert(1, 9.0, 0)` |
//! | `np.delete(v, 1)` | `v.delete(1, 0)` |
//!
//! ## Index and assign
//!
//! | NumPy | Lazuli |
//! | --- | --- |
//! | `a[1]` | `a.index(1)?` |
//! | `a[0, 2]` | `a.get([0, 2])?` |
//! | `a[:, 1:]` | `a.slice(s![.., 1..])` |
//! | `v[::-1]` | `v.slice(s![..;-1])` |
//! | `t[..., 0]` | `t.index((Ellipsis, 0))?` |
//! | `v[[2, 0]]` | `v.take(&[2, 0], 0)` |
//! | `a[:, [2, 0]]` | `a.index((.., [2, 0]))?` |
//! | `v[v > 1]` | `v.extract(&v.greater(1.0))?` |
//! | `np.take_along_axis(b, b.argsort(1), 1)` | `b.take_along_axis(&b.argsort(1), 1)` |
//! | `c[:, 0] = 7` | `c.assign(s![.., 0], 7.0)` |
//! | `c[c > 2] = 0` | `c.assign_where(&c.greater(2.0), 0.0)` |
//! | `c += 1` | `c += 1.0` |
//! | `np.add.at(d, [0, 0, 2], 1.0)` | `d.scatter_add(&[0, 0, 2], 1.0, 0)` |
//! | `np.nonzero(m)[0]` | `m.flat_nonzero()?` |
//!
//! ## Sort, search, sets, statistics
//!
//! | NumPy | Lazuli |
//! | --- | --- |
//! | `np.sort(v)` | `v.sort(0)` |
//! | `np.argsort(v, kind="stable")` | `v.argsort(0)` |
//! | `np.searchsorted(w, 2.5)` | `w.searchsorted(2.5, Side::Left)` |
//! | `np.unique(v)` | `v.unique()?` |
//! | `np.isin(v, w)` | `is_in(&v, &w)?` |
//! | `np.interp(v, w, x)` | `v.interp(&w, &x)` |
//! | `np.median(v)` | `v.median(..)` |
//! | `np.quantile(v, 0.25)` | `v.quantile(0.25, ..)` |
//! | `np.bincount([1, 1, 3])` | `DeviceArray::from_slice(&[1, 1, 3])?.bincount(0)?` |
//! | `np.histogram(v, bins=2)[0]` | `v.histogram(Bins::Count(2))?.0` |
//!
//! ## Linear algebra, transforms, the rest
//!
//! | NumPy | Lazuli |
//! | --- | --- |
//! | `a @ b.T` | `a.matmul(&b.t())` |
//! | `np.einsum("ij,ij->i", a, b)` | `linalg::einsum("ij,ij->i", &[&a, &b])` |
//! | `np.outer(v, w)` | `v.outer(&w)` |
//! | `np.linalg.solve(s, [1.0, 2.0, 3.0])` | `s.solve(&DeviceArray::from_slice(&[1.0, 2.0, 3.0])?)` |
//! | `np.linalg.inv(s)` | `s.inverse()` |
//! | `np.linalg.det(s)` | `s.det()` |
//! | `np.linalg.svd(s)[1]` | `s.svd().1` |
//! | `np.linalg.eigvalsh(s)` | `s.eigvalsh()` |
//! | `np.fft.rfft(v)` | `fft::rfft(&v)` |
//! | `np.convolve(v, w)` | `signal::convolve(&v, &w, signal::Mode::Full)` |
//! | `ndimage.gaussian_filter(s, 1.0)` | `ndimage::gaussian_filter(&s, 1.0)` |
//!
//! # Differences that bite
//!
//! **Nothing is computed yet.** An operation records; [what costs what](crate::guide::what_costs_what)
//! tells when it runs. A timing needs an `eval`, and on a GPU a
//! [`synchronize`](crate::Device::synchronize), inside.
//!
//! **References.** `a + b` consumes both handles; `&a + &b` does not, and costs the same. A clone of a
//! handle copies nothing.
//!
//! **Slices are values, not windows.** `row = a[0]; row += 1` changes `a` in NumPy. Here a slice is an array of
//! its own, and assignments go through the array that is to change:
//!
//! ```
//! use lazuli::prelude::*;
//! let mut a = DeviceArray::<f64>::zeros([2, 2]);
//! let mut row = a.index(0)?;
//! row += 1.0;
//! assert_eq!(a.to_vec()?, [0.0; 4]); // nothing happened to it
//! a.assign(s![0, ..], &row);
//! assert_eq!(a.to_vec()?, [1.0, 1.0, 0.0, 0.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! For the same reason `b = a.clone(); b += 1.0` leaves `a` as it was, where NumPy's `b = a; b += 1`
//! changes both. In place or not is the planner's matter: where nobody else holds the data it is overwritten.
//!
//! **Types do not mix.** `i32 + f64` does not compile; [`cast`](crate::DeviceArray::cast) says what is
//! meant. A literal takes the array's type, so `x * 2.0` stays `f32` for an `x` of `f32`. Where types
//! are known at run time only, [`TypedArray`](crate::TypedArray) promotes as NumPy 2 does.
//!
//! **`/` of integers is an integer**, `%` has the sign of the dividend, and division by zero gives 0:
//! see [numbers](crate::guide::numerics).
//!
//! **`min` and `max` reduce; `minimum` and `maximum` compare two arrays.** `select` is NumPy's `where`,
//! and [`select_first`](crate::select_first()) its `select`.
//!
//! **An axis is an argument.** `..` stands for all axes and [`keep(1)`](crate::keep()) for
//! `keepdims=True`; `a.sort(-1)` and `a.argsort(-1)` name theirs as well.
//!
//! **Negative steps take the range first**: NumPy's `a[7:1:-2]` is `s![2..8;-2]`, as in ndarray.
//!
//! **`svd` is the short one.** [`svd`](crate::DeviceArray::svd) is NumPy's
//! `svd(full_matrices=False)`, [`svd_full`](crate::DeviceArray::svd_full) NumPy's default.
//!
//! **Comparisons are methods.** Rust's `==` gives one `bool`: it compares whole arrays, as
//! `array_equal` does, and waits for the answer. [`equal`](crate::DeviceArray::equal) compares
//! element by element.
//!
//! ```
//! use lazuli::prelude::*;
//! let a = DeviceArray::from_slice(&[1, 2, 3])?;
//! let b = DeviceArray::from_slice(&[1, 2, 4])?;
//! assert!(a != b);
//! assert_eq!(a.equal(&b).to_vec()?, [true, true, false]);
//! # Ok::<(), Error>(())
//! ```
//!
//! **What has a size that depends on data** ([`extract`](crate::DeviceArray::extract),
//! [`nonzero`](crate::DeviceArray::nonzero), [`unique`](crate::DeviceArray::unique))
//! evaluates at once and gives a `Result`. Where a mask
//! only leaves elements out of a sum, `mask.select(&x, 0.0).sum(..)` stays in the kernel.
//!
//! **Random numbers are a value of yours.** A [`Generator`](crate::random::Generator) has its seed and
//! its place; there is no global state. A seed gives the same numbers on every device, and other ones
//! than NumPy's.

/// The rows of the tables, run with the documentation's examples.
#[cfg(doctest)]
#[doc = include_str!("from_numpy_rows.md")]
struct Rows;
