//! The attributes, with their documentation.

/// Makes a struct of numbers a value of device code, and its arrays columns:
/// [`lazuli::device::Columns`](trait@crate::device::Columns) says all of it.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
///
/// #[derive(Clone, Copy, Columns)]
/// struct Body {
///     position: f64,
///     mass: f32,
/// }
///
/// #[vectorize]
/// fn moment(body: Body) -> f64 {
///     body.position * f64::from(body.mass)
/// }
///
/// let bodies = BodyColumns::from_rows(&[Body { position: 3.0, mass: 0.5 }])?;
/// assert_eq!(moment::call(&bodies).to_vec()?, [1.5]);
/// # Ok::<(), Error>(())
/// ```
pub use lazuli_macros::Columns;
/// Marks a helper function that device code may call.
///
/// The function stays what it is, and other functions with attributes may call it by name, also
/// through generics. The module `lazuli::device` says what it may be written in; everything else is
/// refused where it stands, with a word on what to write instead. Functions that call each other
/// in a circle do not compile. A method in an `impl` block cannot carry the attribute, for it makes
/// an item beside the function: write a free function.
///
/// A function that takes [`Array`](crate::gpu::Array), [`ArrayMut`](crate::gpu::ArrayMut) or
/// [`Shared`](crate::gpu::Shared) is one of kernels: see
/// [`kernel`](macro@crate::kernel#functions-over-arrays). One that takes ndarray's views or slices is one
/// of gufuncs: see [`guvectorize`](macro@crate::guvectorize#functions-over-arrays).
///
/// «E0573: expected type, found function» at a call in device code says that the function which is
/// called has no attribute: give it this one.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
///
/// #[device]
/// fn smoothstep<T: Float>(x: T) -> T {
///     let x = x.clamp(T::ZERO, T::ONE);
///     x * x * (T::from_f64(3.0) - T::from_f64(2.0) * x)
/// }
///
/// #[vectorize]
/// fn fade(x: f32, strength: f32) -> f32 {
///     strength * smoothstep(x)
/// }
///
/// let x = DeviceArray::from_slice(&[-1.0f32, 0.5, 2.0])?;
/// assert_eq!(fade::call(&x, 10.0).to_vec()?, [0.0, 5.0, 10.0]);
/// assert_eq!(smoothstep(0.5), 0.5);
/// # Ok::<(), Error>(())
/// ```
pub use lazuli_macros::device;
/// Makes a function of small arrays a function of larger ones: a generalised ufunc.
///
/// The signature names the *core* axes of the arguments and, behind the arrow, of the results:
/// `(n,m),(m,p)->(n,p)`. `()` is a number, `(3)` an axis that always has three elements, and a
/// result's dimensions are those of arguments. The function takes what holds the core of one item:
/// ndarray's views (`ArrayView2<T>`; `ArrayViewMut1<T>` for results), slices (`&[T]`, `&mut [T]`)
/// for one axis, a number or `&mut T` for none. Results that are all numbers may be given back
/// instead. The function stays what it is.
///
/// Beside it, `name::call(…)` takes arrays whose last axes are the core. The axes in front of
/// those broadcast against each other, and the function is applied to every item along them.
/// Results are new arrays, which begin as zeros.
///
/// # How it runs
/// Where the turns of the function's loops are independent, or sums and their kin (`+=`, `*=`,
/// `x = x.max(…)`), the loops are *recorded*: over ranges that lengths and constants give, with
/// places that are affine in the positions, perhaps wrapped by `% n`, `rem_euclid`, `min`, `max`,
/// `clamp` or `saturating_sub`. Then nothing of the function is left but nodes that fuse with what
/// is around them: arguments that are expressions are computed in place, the turns spread over the
/// device, and sums run as the library's own reductions do. Such a function may also have arrays
/// of its own, `Array1::<T>::zeros(n)` or `from_elem(n, value)`, between its loops.
///
/// Any other function runs item by item: natively over all cores on the processor; on a GPU with
/// threads that share the turns of its outermost loops, `for i in a..b`, where each turn writes
/// places of its own, `out[i]` or `out[[i, k]]`, and with a thread for each item where not. Its
/// arguments are computed and stored first. An index that is out of
/// range is an error on the processor, and the user's affair on a GPU. [`explain`](fn@crate::explain)
/// tells which of the two it is: an item-by-item call is a library call there.
///
/// The module `lazuli::device` says what the scalar code in it may be written in. Arrays have
/// lengths, elements, `row`, `view`, and sums: `a.sum()`, `a.row(i).sum()`, `a.column(j).sum()`, one
/// element after another. At most 12 arguments and 12 results; a method in an `impl` block cannot carry
/// the attribute. Numba's `guvectorize`, NumPy's `vectorize` with a signature.
///
/// # Functions over arrays
/// A function with [`#[device]`](macro@crate::device) may take ndarray's views and slices, and write to
/// those that are mutable; gufuncs call it with their arrays, with rows of them, and so do other such
/// functions. A gufunc that calls one runs item by item.
/// ```
/// use lazuli::prelude::*;
/// use ndarray::{ArrayView1, ArrayViewMut1};
///
/// #[device]
/// fn smooth(z: ArrayView1<f64>, mut x: ArrayViewMut1<f64>) {
///     let n = z.len();
///     for i in 0..n {
///         x[i] = (z[(i + n - 1) % n] + 2.0 * z[i] + z[(i + 1) % n]) / 4.0;
///     }
/// }
///
/// #[guvectorize("(n)->(n)")]
/// fn rough(z: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
///     smooth(z, out.view_mut());
///     for i in 0..z.len() {
///         out[i] = z[i] - out[i];
///     }
/// }
///
/// let z = DeviceArray::from_slice(&[0.0, 4.0, 0.0, 0.0])?;
/// assert_eq!(rough::call(&z).to_vec()?, [-1.0, 2.0, -1.0, 0.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use ndarray::{ArrayView1, ArrayView2, ArrayViewMut1};
///
/// #[guvectorize("(n,m),(m)->(n)")]
/// fn weighted(a: ArrayView2<f64>, w: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
///     for i in 0..a.nrows() {
///         let mut sum = 0.0;
///         for j in 0..a.ncols() {
///             sum += w[j] * a[[i, j]];
///         }
///         out[i] = sum;
///     }
/// }
///
/// let a = DeviceArray::<f64>::ones([5, 2, 3]);
/// let w = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
/// // The square root, the sum and the difference are one kernel.
/// let sums = weighted::call(&(4.0 * a).sqrt(), &w) - 2.0;
/// assert_eq!(sums.shape(), [5, 2]);
/// assert_eq!(sums.to_vec()?, [10.0; 10]);
/// # Ok::<(), Error>(())
/// ```
pub use lazuli_macros::guvectorize;
/// Makes an associative function of two values a reduction and a scan of arrays.
///
/// The function stays what it is. Beside it, `name::reduce(&array, axes)` reduces an array over any
/// axes, beginning with the identity, which must change nothing that it is combined with; and
/// `name::try_reduce` does so for axes that come from data. A function over tuples reduces a tuple
/// of arrays, which broadcast against each other, and gives one. What the elements are computed
/// from, and what is computed from the result, joins the kernel. How values are
/// grouped, and where the identity is put in between, is the library's choice, and the same on
/// every run; they stay in their order, so the function need not commute.
///
/// `name::scan(&array, axis)` combines the elements up to each one along an axis, or all in C order
/// for `..`, as [`cumsum`](crate::DeviceArray::cumsum) adds them up: in one pass over the data, with
/// what surrounds it. `name::scan_with(&array, axis, how)` leaves each element out of its own
/// result, or begins at the end ([`Scan`](crate::Scan)); `try_scan` and `try_scan_with` are for axes
/// that come from data. In reverse, elements are combined as they are walked: the last one stands on
/// the left of the combination, as `f(f(last, last but one), …)`.
///
/// A method in an `impl` block cannot carry the attribute.
///
/// # Example
/// The mean and the variance in one pass over the data:
/// ```
/// use lazuli::prelude::*;
///
/// #[reduce(identity = (0.0, 0.0, 0.0))]
/// fn moments(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) {
///     let n = a.0 + b.0;
///     if n == 0.0 {
///         return a;
///     }
///     let d = b.1 - a.1;
///     (n, a.1 + d * b.0 / n, a.2 + b.2 + d * d * a.0 * b.0 / n)
/// }
///
/// let x = DeviceArray::<f64>::from_vec([2, 4], vec![1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0])?;
/// let (n, mean, squares) = moments::reduce((1.0, &x, 0.0), -1);
/// assert_eq!(mean.to_vec()?, [2.5, 5.0]);
/// assert_eq!((squares / n).to_vec()?, [1.25, 0.0]);
/// # Ok::<(), Error>(())
/// ```
/// A recurrence `y[i] = a[i] * y[i - 1] + b[i]`, by the composition of its steps:
/// ```
/// use lazuli::prelude::*;
///
/// #[reduce(identity = (1.0, 0.0))]
/// fn then(f: (f64, f64), g: (f64, f64)) -> (f64, f64) {
///     (f.0 * g.0, f.1 * g.0 + g.1)
/// }
///
/// let a = DeviceArray::from_slice(&[0.5, 0.5, 2.0, 0.5])?;
/// let b = DeviceArray::from_slice(&[4.0, 1.0, 0.0, 3.0])?;
/// let (_, y) = then::scan((&a, &b), 0);
/// assert_eq!(y.to_vec()?, [4.0, 3.0, 6.0, 6.0]);
/// # Ok::<(), Error>(())
/// ```
pub use lazuli_macros::reduce;
/// Makes a function of numbers a function of arrays.
///
/// The function stays what it is: native Rust for the processor, with rustc's own errors. Beside
/// it, `name::call(…)` takes arrays, references to arrays, scalars and arrays of the host that
/// broadcast against each other ([`Operand`](crate::Operand)), columns of structs where it takes a
/// struct ([`Columns`](trait@crate::device::Columns)), and records one node, which fuses like any operation; `name::try_call` is for shapes
/// that come from data. A tuple as result gives a tuple of arrays. Where arguments vary along
/// different axes and the function is `let`s and a value, calls in it that depend on some of the
/// arguments alone are computed once along the axes of these. On a CUDA device the function
/// is compiled, for the types that it is called with, into the kernel around it. On the processor
/// it runs over vectors, also where it has loops that end at different times for different
/// elements, unless it keeps arrays of its own or jumps out of a `match`.
///
/// The module `lazuli::device` says what it may be written in. At most 12 arguments and 12 results;
/// a method in an `impl` block cannot carry the attribute. Numba's `vectorize`, NumPy's
/// `frompyfunc`.
///
/// «E0573: expected type, found function» at a call in the body says that the function which is
/// called has no `#[device]`.
///
/// **Development builds.** On the processor the function is compiled with the caller's crate, at its
/// level of optimisation: a Mandelbrot set of 400 × 300 points and 200 turns took 0.9 s at level 0,
/// cargo's default for development, and 33 ms at level 1. Write into `Cargo.toml`:
/// ```toml
/// [profile.dev]
/// opt-level = 1
/// ```
///
/// # Example
/// ```
/// use lazuli::prelude::*;
///
/// #[vectorize]
/// fn clipped_log<T: Float>(x: T, least: T) -> (T, bool) {
///     if x < least { (least.ln(), true) } else { (x.ln(), false) }
/// }
///
/// let x = DeviceArray::from_slice(&[0.0f64, 1.0, 2.0])?;
/// let (log, clipped) = clipped_log::call(&x, 1e-3);
/// assert_eq!(clipped.to_vec()?, [true, false, false]);
/// let sum = log.sum(..); // the function and the sum are one kernel
/// # assert!((sum.item()? - (1e-3f64.ln() + 2f64.ln())).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
pub use lazuli_macros::vectorize;
