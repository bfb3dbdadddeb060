//! Numbers: rounding, remainders, NaN, overflow, sums and halves, and where each differs from NumPy
//! or from Rust.
//!
//! # Rounding
//!
//! [`round`](crate::DeviceArray::round) takes ties to the even neighbour, as NumPy does and Rust's
//! `f64::round` does not; [`round_ties_away`](crate::DeviceArray::round_ties_away) is Rust's.
//! Inside of functions with [`vectorize`](macro@crate::vectorize) the methods are Rust's own, so
//! that `round` is away from zero there.
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::from_slice(&[0.5, 1.5, 2.5, -2.5])?;
//! assert_eq!(x.round().to_vec()?, [0.0, 2.0, 2.0, -2.0]);
//! assert_eq!(x.round_ties_away().to_vec()?, [1.0, 2.0, 3.0, -3.0]);
//!
//! #[vectorize]
//! fn rounded(x: f64) -> f64 {
//!     x.round()
//! }
//! assert_eq!(rounded::call(&x).to_vec()?, [1.0, 2.0, 3.0, -3.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # `/` and `%` of integers
//!
//! The operators are Rust's: `/` truncates towards zero and gives an integer, and the remainder has
//! the sign of the dividend. NumPy's `//` is [`floor_divide`](crate::DeviceArray::floor_divide) and
//! its `%` is [`remainder`](crate::DeviceArray::remainder); for NumPy's `/` cast to `f64` first.
//! Division by zero gives 0 for integers; it never panics.
//!
//! ```
//! use lazuli::prelude::*;
//! let a = DeviceArray::from_slice(&[-7, 7, 7])?;
//! let b = DeviceArray::from_slice(&[2, -2, 0])?;
//! assert_eq!((&a / &b).to_vec()?, [-3, -3, 0]);
//! assert_eq!(a.floor_divide(&b).to_vec()?, [-4, -4, 0]);
//! assert_eq!((&a % &b).to_vec()?, [-1, 1, 0]);
//! assert_eq!(a.remainder(&b).to_vec()?, [1, -1, 0]);
//! assert_eq!((a.cast::<f64>() / b.cast::<f64>()).to_vec()?, [-3.5, -3.5, f64::INFINITY]);
//! // Floats follow the same rule.
//! let x = DeviceArray::from_slice(&[-7.0])?;
//! assert_eq!(((&x % 3.0).item()?, x.remainder(3.0).item()?), (-1.0, 2.0));
//! # Ok::<(), Error>(())
//! ```
//!
//! # Overflow and casts
//!
//! Operations on arrays of integers wrap, on both kinds of devices and in builds of every kind. Sums of small integers and
//! `bool` widen, as NumPy's do: signed ones and `bool` to `i64`, unsigned ones to `u64`. A cast from
//! a float to an integer saturates, and NaN becomes 0, as Rust's `as` has it; NumPy leaves that case
//! undefined. A shift by the type's width or more gives 0, or -1 for negative numbers shifted right.
//!
//! ```
//! use lazuli::prelude::*;
//! assert_eq!((DeviceArray::from_slice(&[i32::MAX])? + 1).item()?, i32::MIN);
//! assert_eq!(DeviceArray::from_slice(&[200u8, 100])?.sum(..).item()?, 300u64);
//! let x = DeviceArray::from_slice(&[1.9, -1.9, 1e10, f64::NAN])?;
//! assert_eq!(x.cast::<i32>().to_vec()?, [1, -1, i32::MAX, 0]);
//! assert_eq!(DeviceArray::from_slice(&[300, -1])?.cast::<u8>().to_vec()?, [44, 255]);
//! assert_eq!((DeviceArray::from_slice(&[1, -1])? << 40).to_vec()?, [0, 0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Slices with negative steps
//!
//! Slices are written with ndarray's `s!` and mean what they mean there: the range is taken first,
//! and a negative step goes through it from its end. NumPy's bounds are given in the direction of
//! the step: its `a[7:1:-2]` is `s![2..8;-2]`. Ranges that reach beyond an axis are cut off, as in NumPy;
//! ndarray panics.
//!
//! ```
//! use lazuli::prelude::*;
//! let a = DeviceArray::<i32>::arange(0, 10, 1);
//! assert_eq!(a.slice(s![..;-3]).to_vec()?, [9, 6, 3, 0]); // a[::-3]
//! assert_eq!(a.slice(s![2..8;-2]).to_vec()?, [7, 5, 3]); // a[7:1:-2]
//! assert_eq!(a.slice(s![-2..]).to_vec()?, [8, 9]); // a[-2:]
//! assert_eq!(a.slice(s![8..20]).to_vec()?, [8, 9]); // a[8:20]
//! # Ok::<(), Error>(())
//! ```
//!
//! # NaN
//!
//! | function | with NaN |
//! | --- | --- |
//! | `min`, `max`, `minimum`, `maximum`, `clip`, `cummin`, `cummax`, `ptp`, `median`, `quantile` | NaN wins, as in NumPy |
//! | `argmin`, `argmax` | the place of the first NaN, as in NumPy |
//! | `fmin`, `fmax`, and reductions and scans that begin with `nan_` | NaN is left out |
//! | `sort`, `sort_descending` | last, in both |
//! | `unique` | one NaN, the last |
//! | `equal`, `is_close`, `array_equal` | equal to nothing |
//! | `min`, `max` of a number inside of a function with an attribute | NaN gives way: they are Rust's |
//! | a cast to an integer | 0; to `bool`: `true` |
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::from_slice(&[1.0, f64::NAN, 3.0])?;
//! assert!(x.max(..).item()?.is_nan());
//! assert_eq!((x.nan_max(..).item()?, x.argmax(..).item()?), (3.0, 1));
//! assert_eq!(x.fmin(2.0).to_vec()?, [1.0, 2.0, 2.0]);
//! assert_eq!(x.sort_descending(0).slice(s![..2]).to_vec()?, [3.0, 1.0]);
//! assert_eq!(x.equal(&x).to_vec()?, [true, false, true]);
//! assert_eq!(x.cast::<bool>().to_vec()?, [true, true, true]);
//! # Ok::<(), Error>(())
//! ```
//!
//! What is outside of a function's domain is NaN or an infinity, with no warning: the root of -1, the
//! logarithm of 0, 1 over 0.
//!
//! # Sums
//!
//! A sum is taken in many parts, which are added as a tree, so that its error stays far below that of a
//! running total. On one device a program that is started again gives the same bits: no order depends on
//! who finishes first. The tree does depend on the plan: what shares the kernel, how the array
//! lies, which device it is. Two ways to write a sum may differ in their last bits, and so may the first
//! and the second call of a function in one program, where the second knows what is worth storing.
//!
//! ```
//! use lazuli::prelude::*;
//! // Added one after the other in f32, 2²⁵ ones stop at 2²⁴.
//! assert_eq!(DeviceArray::<f32>::ones([1 << 25]).sum(..).item()?, 33554432.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! [`Arithmetic::Strict`](crate::Arithmetic::Strict) takes the order of a sum from its length alone,
//! and contracts nothing: one expression has the same bits however it is evaluated, sums, products,
//! quotients and roots on every device. It costs speed, in sums and products of matrices most.
//!
//! ```
//! use lazuli::{Arithmetic, prelude::*, with_arithmetic};
//! let x = DeviceArray::<f32>::linspace(0.0, 1.0, 1000);
//! let (whole, column) = with_arithmetic(Arithmetic::Strict, || {
//!     Ok::<_, Error>((x.sum(..).item()?, x.reshape([1000, 1]).t().sum(1).item()?))
//! })?;
//! assert_eq!(whole.to_bits(), column.to_bits());
//! # Ok::<(), Error>(())
//! ```
//!
//! [`with_arithmetic`](crate::with_arithmetic) counts at the evaluation, not at the recording: put the
//! `eval` or `item` inside. [`Arithmetic::Fast`](crate::Arithmetic::Fast) takes a GPU's
//! approximate quotients and roots of `f32`; otherwise they are IEEE's. A sum that must be right to
//! the last digit of `f32` is best computed in `f64`: `x.cast::<f64>().sum(..)` costs no memory, since
//! the cast is part of the kernel.
//!
//! # Halves
//!
//! `f16` and `bf16` are stored in 16 bits and computed in `f32`: within a kernel each operation is
//! rounded to the half, and sums, means and scans accumulate in `f32` and are rounded once at the
//! end. A result beyond 65504 is infinite in `f16`; cast before the sum where that may happen.
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::full([4096], f16::from_f32(32.0));
//! assert_eq!(x.mean(..).item()?.to_f32(), 32.0); // the total, 131072, was in f32
//! assert_eq!(x.sum(..).item()?.to_f32(), f32::INFINITY);
//! assert_eq!(x.cast::<f32>().sum(..).item()?, 131072.0);
//! let ones = DeviceArray::full([4096], bf16::from_f32(1.0));
//! assert_eq!(ones.sum(..).item()?.to_f32(), 4096.0); // one after the other stops at 256
//! # Ok::<(), Error>(())
//! ```
//!
//! # Printing evaluates
//!
//! `println!("{x}")`, `{x:?}` and `dbg!` compute the array and wait for it; of a long array only what is
//! shown leaves the device. An error stands in place of the values. A debugger's view, a log line or
//! an `assert_eq!` that prints has the same cost as `eval`.
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::<f64>::linspace(0.0, 1.0, 5).square();
//! assert!(!x.is_evaluated());
//! assert_eq!(format!("{x:.2}"), "[0.00, 0.06, 0.25, 0.56, 1.00]");
//! assert!(x.is_evaluated());
//! # Ok::<(), Error>(())
//! ```
//!
//! # Literals without a type
//!
//! `DeviceArray::from_slice(&[1.0, 2.0])` is an array of `f64`, but Rust decides so at the end of the
//! function. A method of the result of `mean`, `sum` or another function whose result may have another
//! type needs it before that. Otherwise rustc asks for annotations, or speaks of a type `!`; a suffix on
//! one number, `&[1.0f64, 2.0]`, is enough.
