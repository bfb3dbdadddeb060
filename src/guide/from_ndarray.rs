//! From ndarray: what stays, what is called otherwise, and what to leave behind.
//!
//! Lazuli's arrays come from ndarray's and go back to them, slices are written with the same `s!`,
//! and operators work the same on values, references and numbers. What differs is that an array has
//! its number of axes at run time, lives on a device, and is computed when it is asked for.
//!
//! ```
//! use lazuli::prelude::*;
//! use ndarray::{Array2, Axis, arr1};
//!
//! let host = Array2::from_shape_fn((3, 4), |(i, j)| (i * 4 + j) as f64);
//! let expected = (&host - &host.mean_axis(Axis(0)).unwrap()).mapv(f64::abs).sum_axis(Axis(1));
//!
//! let a = DeviceArray::from_ndarray(&host)?; // owned or a view, of any layout
//! let sums: ndarray::Array1<f64> = (&a - a.mean(0)).abs().sum(1).copy_to_array()?;
//! assert_eq!(sums, expected);
//! assert_eq!(sums, arr1(&[16.0, 0.0, 16.0]));
//! # Ok::<(), Error>(())
//! ```
//!
//! # The idioms
//!
//! | ndarray | Lazuli |
//! | --- | --- |
//! | `Array::zeros((2, 3))` | `DeviceArray::<f64>::zeros([2, 3])` |
//! | `Array::from_elem((2, 3), 7.0)` | `DeviceArray::full([2, 3], 7.0)` |
//! | `Array::linspace(0.0, 1.0, 5)` | `DeviceArray::<f64>::linspace(0.0, 1.0, 5)` |
//! | `Array::range(0.0, 1.0, 0.25)` | `DeviceArray::arange(0.0, 1.0, 0.25)` |
//! | `Array::eye(3)`, `Array::from_diag(&v)` | `DeviceArray::<f64>::eye(3)`, `v.diag(0)` |
//! | `Array::from_shape_vec((2, 2), v)?` | `DeviceArray::from_vec([2, 2], v)?` |
//! | `arr1(&[1.0, 2.0])` | `DeviceArray::from_slice(&[1.0, 2.0])?` |
//! | `arr2(&[[1.0, 2.0], [3.0, 4.0]])` | `DeviceArray::try_from([[1.0, 2.0], [3.0, 4.0]])?` |
//! | `Array::from_shape_fn((2, 3), f)` | coordinates that broadcast: `indices([2, 3])`, or `arange_to` with `insert_axis`, and a function with `#[vectorize]` |
//! | `a.mapv(f64::sin)` | `a.sin()` |
//! | `a.mapv(f)` | `f::call(&a)`, where `f` has `#[vectorize]` |
//! | `Zip::from(&a).and(&b).map_collect(f)` | `f::call(&a, &b)` |
//! | `a.mapv(\|x\| x as f32)` | `a.cast::<f32>()` |
//! | `a.sum()`, `a.sum_axis(Axis(0))` | `a.sum(..)`, `a.sum(0)` |
//! | `a.mean_axis(Axis(0)).unwrap()` | `a.mean(0)` |
//! | `a.std_axis(Axis(0), 1.0)` | `a.std_ddof(0, 1)` |
//! | `a.fold(init, f)`, `a.fold_axis(Axis(0), init, f)` | `f::reduce(&a, ..)`, `f::reduce(&a, 0)`, where `f` has `#[reduce]` |
//! | `a.accumulate_axis_inplace(Axis(0), f)` | `a.cumsum(0)` and its kin; `f::scan(&a, 0)` |
//! | `a.dot(&b)` | `a.dot(&b)` or `a.matmul(&b)` |
//! | `a.t()`, `a.reversed_axes()` | `a.t()` |
//! | `a.permuted_axes([1, 0])` | `a.permute(&[1, 0])` |
//! | `a.swap_axes(0, 1)` in place | `a.swap_axes(0, 1)`, a new handle |
//! | `a.insert_axis(Axis(1))`, `a.remove_axis(Axis(1))` | `a.insert_axis(1)`, `a.squeeze(1)` |
//! | `a.to_shape((3, 2))?` | `a.reshape([3, 2])` |
//! | `a.broadcast((4, 3)).unwrap()` | `a.broadcast_to([4, 3])` |
//! | `a.slice(s![.., 1..;2])` | the same |
//! | `a.slice_mut(s![0, ..]).assign(&b)` | `a.assign(s![0, ..], &b)` |
//! | `a.slice_mut(s![0, ..]).fill(1.0)` | `a.assign(s![0, ..], 1.0)` |
//! | `a.index_axis(Axis(0), 1)`, `a.row(1)` | `a.index_axis(0, 1)` |
//! | `a.select(Axis(0), &[2, 0])` | `a.take(&[2, 0], 0)` |
//! | `a[[1, 2]]` | `a.get([1, 2])?`, a copy of one number from the device |
//! | `concatenate![Axis(0), a, b]`, `stack![Axis(0), a, b]` | `concatenate(&[&a, &b], 0)`, `stack(&[&a, &b], 0)` |
//! | `a.windows(3)` | `a.sliding_windows(3, 0)`, an axis more |
//! | `a.outer_iter()`, `a.axis_iter(Axis(1))`, `a.rows()` | `a.outer_iter()`, `a.axis_iter(1)`, `a.rows()` |
//! | `a.iter()` | `a.to_vec()?`, once |
//! | `a == b` | the same; `a.equal(&b)` for each element |
//!
//! # A closure becomes a function with an attribute
//!
//! A closure is machine code for the processor; Lazuli needs one that it can read. The attribute
//! leaves the function as it is, so that the loop in the old code may call it as well.
//!
//! ```
//! use lazuli::prelude::*;
//! use ndarray::Array1;
//!
//! #[vectorize]
//! fn softsign(x: f64, scale: f64) -> f64 {
//!     if x > 0.0 { x / (scale + x) } else { x / (scale - x) }
//! }
//!
//! let host = Array1::linspace(-2.0, 2.0, 5);
//! let a = to_device(&host)?;
//! let b: Array1<f64> = softsign::call(&a, 2.0).copy_to_array()?;
//! assert_eq!(b, host.mapv(|x| softsign(x, 2.0)));
//! assert_eq!(b[4], 0.5);
//! # Ok::<(), Error>(())
//! ```
//!
//! # A loop over elements becomes an expression
//!
//! Reading one element waits for the device, so that a loop with `a.get([i])?` is slow whatever it
//! does. What it says can nearly always be said for all elements: neighbours by
//! [`roll`](crate::DeviceArray::roll) or slices, conditions by
//! [`select`](crate::DeviceArray::select), pairs by [`insert_axis`](crate::DeviceArray::insert_axis),
//! running values by a scan. Or keep the loop: [`guvectorize`](macro@crate::guvectorize) takes
//! functions over ndarray's own views.
//!
//! ```
//! use lazuli::prelude::*;
//! use ndarray::{ArrayView1, ArrayViewMut1};
//!
//! #[guvectorize("(n)->(n)")]
//! fn slopes(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
//!     out[0] = 0.0;
//!     for i in 1..a.len() {
//!         out[i] = a[i] - a[i - 1];
//!     }
//! }
//!
//! let a = DeviceArray::try_from([[1.0, 4.0, 9.0], [2.0, 2.0, 3.0]])?;
//! assert_eq!(slopes::call(&a).to_vec()?, [0.0, 3.0, 5.0, 0.0, 0.0, 1.0]);
//! // As an expression:
//! assert_eq!(a.diff(1, 1).to_vec()?, [3.0, 5.0, 0.0, 1.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Differences that bite
//!
//! - `mapv` and operators compute at once; here they record. A temporary costs nothing, and asking for
//!   two results together, `eval(&[&a, &b])`, computes what they share once.
//! - Slices that reach beyond an axis panic in ndarray, and are cut off here, as in NumPy.
//! - A slice is an array of its own: there is no `slice_mut`, and `assign` takes the region.
//! - `min`, `max`, `argmin` and `argmax` are methods without a trait of another crate, and carry NaN.
//! - `Axis(0)` is `0`, and `-1` is the last one.
//! - `f64::round` takes ties away from zero, `a.round()` to even: see
//!   [numbers](crate::guide::numerics).
//! - Operators on `i32` wrap; ndarray's panic in debug builds.
//! - The number of axes is checked at run time: [`copy_to_array`](crate::DeviceArray::copy_to_array) gives
//!   an `Array2`, or says that there are three.
//!
//! # Memory stays where it is
//!
//! [`from_ndarray`](crate::DeviceArray::from_ndarray) copies. On the processor
//! [`adopt`](crate::DeviceArray::adopt) takes an owned array without a copy, and
//! [`lend`](crate::DeviceArray::lend) gives a view of a result where it lies; see
//! [interop](crate::guide::interop). Functions and operations with two arrays take ndarray's where they
//! take arrays:
//!
//! ```
//! use lazuli::prelude::*;
//! #[vectorize]
//! fn scaled(x: f64, by: f64) -> f64 {
//!     x * by
//! }
//! let host = ndarray::arr1(&[1.0, 2.0]);
//! assert_eq!(scaled::call(&host, 3.0).to_vec()?, [3.0, 6.0]);
//! let a = DeviceArray::from_slice(&[10.0, 20.0])?;
//! assert_eq!(a.add(&host).to_vec()?, [11.0, 22.0]);
//! # Ok::<(), Error>(())
//! ```
