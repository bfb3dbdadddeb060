//! What costs what: when arrays are computed, what is kept, and what is compiled.
//!
//! # Recording costs next to nothing
//!
//! An operation on arrays writes down what is to be computed: some tens of nanoseconds, whatever
//! the size. Nothing is computed until somebody needs values: `item`, `to_vec`, `copy_to_host`,
//! printing, [`eval`](crate::eval()), or an operation whose result has a size that depends on data.
//!
//! ```
//! use lazuli::prelude::*;
//! let before = lazuli::counters();
//! let x = DeviceArray::<f64>::linspace(0.0, 1.0, 1000);
//! let y = (&x * &x).sin() + 1.0;
//! assert_eq!(lazuli::counters(), before);
//! y.sum(..).item()?; // one kernel computes all of it
//! assert_eq!(lazuli::counters().kernels - before.kernels, 1);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Names are free
//!
//! A value that is only a step on the way is not stored because it has a name. In the formula
//! below `d` and `e` stay in registers.
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::<f64>::linspace(0.0, 1.0, 1000);
//! let d = &x - 0.5;
//! let e = (&d * &d).exp();
//! let y = &d * &e;
//! let plan = lazuli::explain(&[&y]);
//! assert_eq!((plan.kernels(), plan.bytes_written()), (1, 8000));
//! ```
//!
//! # What is asked for twice is computed once
//!
//! Where a program asks for several values of an array that it holds, or goes on from it, the
//! array is stored, whether it was asked for itself or not. The first turn of a loop shows what the
//! loop needs; from then on each turn stores its state while it computes the value.
//!
//! ```
//! use lazuli::prelude::*;
//! let mut heat = DeviceArray::<f64>::linspace(0.0, 1.0, 4096).reshape([64, 64]);
//! let mut turn = || -> Result<f64> {
//!     let around = heat.roll(1, 0) + heat.roll(-1, 0) + heat.roll(1, 1) + heat.roll(-1, 1);
//!     heat = 0.6 * &heat + 0.1 * around;
//!     heat.max(..).item() // a diagnostic in each turn
//! };
//! for _ in 0..5 {
//!     turn()?;
//! }
//! let before = lazuli::counters();
//! for _ in 0..100 {
//!     turn()?;
//! }
//! let after = lazuli::counters();
//! assert_eq!(after.plans, before.plans); // each turn begins where the last one ended
//! assert_eq!(after.kernels - before.kernels, 100);
//! # Ok::<(), Error>(())
//! ```
//!
//! [`explain`](crate::explain()) says what an evaluation keeps, and what it computes and does not
//! keep. What is kept goes when the last array and the last expression that need it go. Where there
//! is no room for it, it is not kept. To have the first turn store the state as well, ask for it:
//! `eval(&[&heat, &value])` computes both together.
//!
//! # Long recordings are cut
//!
//! Many turns may be recorded before anything is asked for. They become kernels of limited size,
//! which repeat: a loop compiles a few kernels, however many turns it has. What neighbours share is
//! computed again only where that costs less than a store and a load of it; all in all, the kernels
//! of an evaluation compute and move at most half more than if every operation were computed once
//! and stored. Arrays that only recorded expressions need stay in memory until these are
//! evaluated, which is done where they are a quarter of it, or where an expression is 256
//! operations deep.
//!
//! ```
//! use lazuli::prelude::*;
//! let mut s = DeviceArray::<f64>::linspace(-1.0, 1.0, 64);
//! for _ in 0..20 {
//!     let d = &s - s.insert_axis(1); // all pairs
//!     s = &s + 0.001 * (&d / (d.square() + 0.1)).sum(1);
//! }
//! assert!(lazuli::explain(&[&s]).kernels() <= 40);
//! assert!(s.sum(..).item()?.abs() < 1e-9);
//! # Ok::<(), Error>(())
//! ```
//!
//! # What is compiled
//!
//! A *plan* is made for each structure: operations, shapes and types. Values of scalars, the data,
//! and the places of slices are no part of it. The kernels of a plan are compiled for a GPU where no
//! kernel of the same form exists, which takes tenths of a second for each; another size is the same
//! kernel. Compiled kernels are kept on disk, so that the next run of the program loads them. A loop
//! whose slices grow makes a plan for each length, once: 0.1 to 0.15 ms on the processor, at most
//! 0.24 ms with an H200; its kernels are of few kinds. So does an assignment to an array that another
//! handle holds, for the first places: `let mut b = a.clone(); b.assign(s![i..j], 0.0)`. A search that
//! tries many of them has the array copied before each, which needs no plan of its own.
//! [`counters`](crate::counters) tells how many plans were made and kernels compiled.
