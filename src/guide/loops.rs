//! Loops over time: a Rust loop, a compiled step, or the whole loop as one node.
//!
//! # The natural loop
//!
//! A loop in Rust does what a loop in NumPy does. Each turn records; `eval` at its end, or asking
//! for a value, computes it. Every turn finds the plan of the one before.
//!
//! ```python
//! for _ in range(100):             # NumPy
//!     x = 3.7 * x * (1 - x)
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//! let mut x = DeviceArray::from_slice(&[0.1, 0.2, 0.3])?;
//! for _ in 0..100 {
//!     x = 3.7 * &x * (1.0 - &x);
//! }
//! # assert!(x.to_vec()?.into_iter().all(|x| (0.0..1.0).contains(&x)));
//! # Ok::<(), Error>(())
//! ```
//!
//! # The loop as one node: [`repeat`](crate::repeat())
//!
//! Where turns are many and short, recording and launching them takes longer than computing them.
//! [`repeat`](crate::repeat()) records the body once, and the loop is one node however many turns
//! it has.
//!
//! ```python
//! x = jax.lax.fori_loop(0, 100, lambda _, x: 3.7 * x * (1 - x), x)     # JAX
//!
//! @cuda.jit                                                            # Numba
//! def logistic(x, turns):
//!     i = cuda.grid(1)
//!     if i < x.size:
//!         for _ in range(turns):
//!             x[i] = 3.7 * x[i] * (1 - x[i])
//! ```
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::from_slice(&[0.1, 0.2, 0.3])?;
//! let y = lazuli::repeat(100, x, |x| 3.7 * &x * (1.0 - &x));
//! let before = lazuli::counters();
//! y.eval()?;
//! // Twelve times eight turns in one launch, and the four that are left in another.
//! assert!(lazuli::counters().launches - before.launches <= 2);
//! # Ok::<(), Error>(())
//! ```
//!
//! What a turn costs depends on who reads what.
//!
//! | a turn of the body | all turns |
//! | --- | --- |
//! | is one kernel, and each element reads itself alone | one launch, with the state in registers; where a turn is work, a thread of a GPU ends once a turn changes nothing |
//! | is one kernel, and rows read themselves alone: sums, rolls and windows along a row | one launch; a block keeps its row |
//! | is one kernel, and elements read neighbours up to 32 away, along one axis or two | on a GPU up to 24 turns a launch, where that takes less time: each block keeps a tile on the chip and computes its border again; `explain` says how many turns |
//! | is one kernel, and elements read others | on a GPU one launch whose blocks wait for each other, where they are few; otherwise a launch a turn |
//! | is several kernels or library calls | what a turn launches, with nothing recorded or planned in between |
//!
//! [`explain`](crate::explain()) says which it is. The processor does the same with its threads: where
//! positions read only their own, a thread takes all turns of as many as its cache holds; where they read
//! others a few rows of the outermost axis away, it takes up to 64 turns of some rows before others
//! begin, and the rows where two such parts meet follow.
//!
//! # Turns that are recorded together
//!
//! The natural loop of the beginning asks for nothing while it runs, so that all its turns are recorded
//! before any is computed. In what was recorded the planner finds where operations come again, and
//! takes the turns as a loop where they can be one launch or a few; `explain` calls that a `recorded
//! loop`. Elsewhere neighbouring turns share kernels as far as little is computed twice. For that
//! numbers must be the same in all turns (a number that changes from turn to turn is better an
//! item of [`scan_over`](crate::scan_over())), and what is read but the state must be made before the
//! loop. An expression that becomes deeper than 256 operations, or has more than about a thousand, is
//! evaluated up to its last turn.
//!
//! # A state of several arrays
//!
//! The state is an array, a tuple, a list or a vector of arrays. What the body reads besides is
//! computed once, before the first turn.
//!
//! ```
//! use lazuli::prelude::*;
//! // A pendulum: leapfrog steps of many at once.
//! let angle = DeviceArray::<f64>::linspace(0.1, 3.0, 1000);
//! let speed = DeviceArray::<f64>::zeros(1000);
//! let dt = 1e-3;
//! let (angle, speed) = lazuli::repeat(1000, (angle, speed), |(angle, speed)| {
//!     let speed = speed - dt * angle.sin();
//!     (angle + dt * &speed, speed)
//! });
//! # assert!(angle.square().max(..).item()? < 10.0);
//! # assert!(speed.abs().max(..).item()? < 3.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Until something holds: [`while_loop`](crate::while_loop())
//!
//! ```
//! use lazuli::prelude::*;
//! let start = (DeviceArray::<f64>::linspace(0.0, 1.0, 50), DeviceArray::full((), f64::INFINITY));
//! let (smooth, change) = lazuli::while_loop(
//!     start,
//!     |(_, change)| change.greater(1e-4),
//!     |(x, _)| {
//!         let next = (x.roll(1, 0) + x.roll(-1, 0) + &x) / 3.0;
//!         let change = (&next - &x).abs().max(..);
//!         (next, change)
//!     },
//! );
//! assert!(change.item()? <= 1e-4);
//! # assert_eq!(smooth.shape(), [50]);
//! # Ok::<(), Error>(())
//! ```
//!
//! The condition is computed on the device with the state, and the evaluation reads it after each
//! turn. Where the number of turns is known, [`repeat`](crate::repeat()) does not wait.
//!
//! # What each turn gives: [`scan_over`](crate::scan_over())
//!
//! A trajectory, a forcing that changes in time, random numbers for each step: the items are read
//! along the first axis, and what the body gives besides is stacked.
//!
//! ```
//! use lazuli::prelude::*;
//! use lazuli::random::Generator;
//! // A thousand random walks of 100 steps, every position of each.
//! let steps = Generator::new(1).normal(0.0, 1.0, [100, 1000]);
//! let start = DeviceArray::<f64>::zeros(1000);
//! let (end, path) = lazuli::scan_over(steps, start, |position, step| {
//!     let position = position + step;
//!     (position.clone(), position)
//! });
//! assert_eq!(path.shape(), [100, 1000]);
//! assert_eq!(path.index(99)?.to_vec()?, end.to_vec()?);
//! # Ok::<(), Error>(())
//! ```
//!
//! # What a body cannot do
//!
//! It is recorded before any turn runs. So it cannot ask for values of its state, change shapes, or
//! draw random numbers, which would be the same in every turn; printing and counting happen once. A
//! step that needs such things stays in a Rust loop, with [`compile`](crate::compile()) for what can be
//! recorded.
