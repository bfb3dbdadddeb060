//! Performance: reading a plan, when to `eval`, when to `compile` or `repeat`, and what fuses.
//!
//! [What costs what](crate::guide::what_costs_what) tells the rules; this page tells what to do.
//!
//! # Before anything else
//!
//! - Build with `--release`, or put `opt-level = 1` under `[profile.dev]`: functions with an attribute
//!   run on the processor at your crate's level.
//! - Time the second turn. The first plans, and on a GPU compiles a kernel in tenths of a second; both
//!   are kept, compiled kernels on disk as well.
//! - Time an `eval` and, on a GPU, a [`synchronize`](crate::Device::synchronize) behind it. `eval` starts
//!   work and does not wait; a line that only records takes no time.
//! - Keep data on the device. A copy to the host costs more than most kernels.
//!
//! # Reading a plan
//!
//! [`explain`](crate::explain()) plans an evaluation, runs nothing, and prints what would run.
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::from_vec([1000, 500], vec![1.0f32; 500_000])?;
//! let e = (&x - x.max(keep(-1))).exp();
//! let softmax = &e / e.sum(keep(-1));
//! let plan = explain(&[&softmax]);
//! println!("{plan}");
//! assert_eq!((plan.kernels(), plan.library_calls()), (1, 0));
//! assert_eq!((plan.bytes_read(), plan.bytes_written()), (2_000_000, 2_000_000));
//! # Ok::<(), Error>(())
//! ```
//!
//! On the processor it prints
//!
//! ```text
//! 1 kernel on cpu, 1 launched, 2.0 MB read, 2.0 MB written
//! kernel 1: parallel 1000, reduced 500, 3 sweeps
//!   reads    float32[1000, 500]
//!   writes   %7 float32[1000, 500]
//!   schedule short rows, tiles of 4000 along i0 i1
//!   code     nothing to compile
//! not kept: exp float32[1000, 500]
//! ```
//!
//! - **The number of kernels.** Each one reads its inputs from memory and writes its outputs there.
//!   For arrays that do not fit into caches, time is bytes over bandwidth.
//! - **`reads` and `writes`** name the arrays. An output that you did not ask for is a temporary:
//!   something stands between two kernels that cannot fuse.
//! - **Bytes.** The least there can be is what you gave and what you asked for. Twice that is a plan with
//!   one temporary.
//! - **`kept` and `not kept`.** What is kept is stored unasked, because the program went on from it
//!   before. What the program holds and is not kept is computed again where somebody asks for it, once.
//! - **`code`** says, on a GPU, whether a kernel was compiled, or found in memory or on disk.
//!
//! [`Explanation::sources`](crate::Explanation::sources) is the code,
//! [`loop_nests`](crate::Explanation::loop_nests) the plan in the planner's own notation, and
//! [`dot`](crate::Explanation::dot) the graph for Graphviz.
//! [`counters`](crate::counters) counts what did run, for a test that holds a number of kernels:
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::<f64>::linspace(0.0, 1.0, 1000);
//! let before = lazuli::counters();
//! let variance = (&x - x.mean(..)).square().mean(..).item()?;
//! assert_eq!(lazuli::counters().kernels - before.kernels, 1);
//! assert!((variance - 1.0 / 12.0).abs() < 1e-3);
//! # Ok::<(), Error>(())
//! ```
//!
//! # What fuses
//!
//! | operation | in a kernel with others |
//! | --- | --- |
//! | elementwise functions, casts, comparisons, `select`, functions with `#[vectorize]` | yes |
//! | creation (`zeros`, `linspace`, `arange`), random numbers | yes: generated where they are read |
//! | views: slices, transposes, broadcasts, rolls, flips, pads, joins, `take` | yes: index arithmetic |
//! | reductions | yes, with what they reduce and with what reads them along the same rows |
//! | scans | yes, with what comes before and behind |
//! | functions with `#[guvectorize]` | where their loops are seen through; else with what they read |
//! | products of matrices | the library's kernel; a scale, a bias, `relu` and `gelu` behind it join it where the library can |
//! | Fourier transforms, factorisations, sorts, searches, scatters | kernels or calls of their own |
//! | functions with `#[kernel]`, `RawModule` | launched as written |
//!
//! Two reductions along different axes cannot share a kernel; nor can a reduction of everything and
//! what reads its result, where the array is long.
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::from_vec([300, 200], vec![0.5f64; 60_000])?;
//! let rows = &x / x.sum(keep(1)); // along rows: one kernel
//! assert_eq!(explain(&[&rows]).kernels(), 1);
//! let both = &rows / rows.sum(keep(0)); // then along columns: another
//! assert!(explain(&[&both]).kernels() > 1);
//! # Ok::<(), Error>(())
//! ```
//!
//! # When to `eval`
//!
//! Seldom. `item`, `to_vec` and their kin evaluate what they need. Call [`eval`](crate::eval())
//!
//! - **for several results at once**: `eval(&[&a, &b])` computes what they share once, in fewer kernels
//!   than two evaluations;
//! - **at the end of a turn** of a long loop that asks for nothing, so that its state is stored rather
//!   than recorded on and on;
//! - **before a timing**, to have the inputs there;
//! - **to start work early**: on a GPU it returns at once, and the host goes on.
//!
//! It does not help to call it after each line: that stores every temporary, as NumPy does.
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::from_vec([1000], vec![0.5f64; 1000])?;
//! let y = x.exp();
//! let (mean, largest) = (y.mean(..), y.max(..));
//! assert_eq!(explain(&[&mean, &largest]).kernels(), 1); // together
//! eval(&[&mean, &largest])?;
//! assert!((mean.item()? - largest.item()?).abs() < 1e-12);
//! # Ok::<(), Error>(())
//! ```
//!
//! # When to `compile`, when to `repeat`
//!
//! An evaluation costs some microseconds of the host: it walks what was recorded and finds the plan.
//! Where kernels take longer than that it does not show, since a GPU works meanwhile. Where they are
//! short it is the whole cost:
//!
//! | a step is | take |
//! | --- | --- |
//! | large arrays | the plain Rust loop |
//! | small arrays, called from code of yours with new values each time | [`compile`](crate::compile()): recorded once for each signature, then bound and launched |
//! | small arrays, turn after turn with nothing of the host in between | [`repeat`](crate::repeat()), [`while_loop`](crate::while_loop()), [`scan_over`](crate::scan_over()): one node, often one launch |
//! | an ordinary differential equation | [`ode`](crate::ode) |
//! | a loop over elements of a row | [`guvectorize`](macro@crate::guvectorize), or [`kernel`](macro@crate::kernel) |
//!
//! On the processor a loop that assigns to single elements or short rows, `a.assign(s![i, j], …)`, has
//! no plans once it has made its first few turns: its statements are computed operation by operation,
//! as NumPy does it, each in about a microsecond. An element that is there, `a.slice(s![i, j])`, is read
//! at once there, and arithmetic of such numbers is done as it is recorded; slices that are held are
//! stored before their array is overwritten. Where that is the whole program, a
//! [`guvectorize`](macro@crate::guvectorize)d loop is compiled code.
//!
//! ```
//! use lazuli::prelude::*;
//! let step = lazuli::compile(|(x, rate): &(DeviceArray<f64>, DeviceArray<f64>)| rate * x * (1.0 - x));
//! let mut x = DeviceArray::from_slice(&[0.1, 0.2])?;
//! for k in 0..10 {
//!     let rate = DeviceArray::full((), 3.0 + 0.05 * k as f64); // what changes is an argument
//!     x = step.call(&(x, rate))?;
//! }
//! assert_eq!(step.signatures(), 1); // recorded once
//!
//! let y = lazuli::repeat(10, DeviceArray::from_slice(&[0.1, 0.2])?, |x| 3.7 * &x * (1.0 - &x));
//! let mut z = [0.1, 0.2];
//! for _ in 0..10 {
//!     z = z.map(|z| 3.7 * z * (1.0 - z));
//! }
//! assert!((y.get([0])? - z[0]).abs() < 1e-12);
//! # Ok::<(), Error>(())
//! ```
//!
//! # A slow program, by symptoms
//!
//! | symptom | look for |
//! | --- | --- |
//! | each turn compiles: `counters().compiled` grows | an expression of another structure in each turn: a list of arrays that grows, say. Values of scalars and sizes are no part of a kernel |
//! | each turn plans: `counters().plans` grows | shapes that are new each time |
//! | many small kernels | `eval` or `item` in an inner loop; a loop for [`repeat`](crate::repeat()) |
//! | much time in copies | `to_vec` and `from_slice` in a loop; [`PinnedArray`](crate::PinnedArray) and a [`Stream`](crate::Stream) where copies must be |
//! | one slow kernel on a GPU, `f64` | `f32` is half the bytes, and on consumer cards many times the arithmetic |
//! | a product of matrices in `f32` | [`Precision::Tf32`](crate::linalg::Precision) where three digits suffice |
//! | quotients and roots of `f32` | [`Arithmetic::Fast`](crate::Arithmetic::Fast) |
//! | the processor's functions are slow in debug builds | `opt-level`, above |
