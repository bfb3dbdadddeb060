//! Where the time goes: profiles, timelines, pictures of plans, progress, and the first wrong value.
//!
//! # A profile
//!
//! [`profile`](crate::profile()) runs a function and tells what its time was spent on: by kernel, with
//! the line of the program that recorded it, and by line. Nothing has to be prepared; the same
//! program runs.
//!
//! ```
//! use lazuli::prelude::*;
//!
//! let u = DeviceArray::<f64>::linspace(0.0, 1.0, 250_000).reshape([500, 500]);
//! u.eval()?;
//! let step = |u: &DeviceArray<f64>| {
//!     let mut next = u.clone();
//!     next.assign(s![1..-1, 1..-1], u.slice(s![2.., 1..-1]) + u.slice(s![..-2, 1..-1]));
//!     next
//! };
//! let (result, profile) = lazuli::profile(|| {
//!     let mut u = u.clone();
//!     for _ in 0..5 {
//!         u = step(&u) * 0.5;
//!         let gone = u.less(1e-3).cast::<f64>().mean(..).item()?; // a wait in every turn
//!         assert!(gone >= 0.0);
//!     }
//!     u.sum(..).item()
//! });
//! assert!(result? > 0.0);
//! println!("{profile}");
//! assert!(profile.rows().iter().any(|row| row.name.ends_with("sum divide"))); // the mean
//! # Ok::<(), Error>(())
//! ```
//!
//! The first lines say how the time of the host is divided:
//!
//! | part | what it is | what helps where it is large |
//! | --- | --- | --- |
//! | planning | plans for graphs of a structure and sizes that are new | the same sizes again; see [`what_costs_what`](super::what_costs_what) |
//! | compiling | NVRTC, 50 to 250 ms a kernel at its first use, half a second for loops over sums of windows; later runs find it on disk | a second run; fewer kinds of kernels |
//! | launching | finding plans, memory, and telling the device | larger steps; [`compile`](crate::compile); [`repeat`](crate::repeat()) |
//! | kernels | the processor computes | less work; other kernels |
//! | copying | between host and device | keep data on the device; [`PinnedArray`](crate::PinnedArray) |
//! | waiting | the host waits for a GPU before it reads | read less often: each `item` waits |
//! | the program | everything else, recording among it | |
//!
//! The table below has a row for each kernel and line. `of a copy` compares the bytes that a kernel
//! reads and writes in a second with those of a plain copy on the same device: a kernel near 100% is
//! as fast as memory allows, one far below computes much, is too small, or reads in a bad order. Arrays
//! that stay in a cache can be above 100%.
//!
//! [`Profile::svg`](crate::Profile::svg) draws this, and
//! [`Profile::chrome_trace`](crate::Profile::chrome_trace) gives a timeline that `ui.perfetto.dev`
//! opens. On a GPU the time of a kernel is that between two events in its stream. While anybody watches,
//! kernels are launched one by one, where they would go as CUDA graphs else.
//!
//! # NVIDIA's tools
//!
//! Kernels have names that say what they compute: `lazuli_sin_exp_sum`. With `LAZULI_NVTX=1` each
//! evaluation, kernel and copy is an NVTX range with its line as well (`sin exp sum main.rs:41`), so
//! that Nsight Systems shows the program's lines above the kernels:
//!
//! ```sh
//! LAZULI_NVTX=1 nsys profile --trace=cuda,nvtx ./program
//! ```
//!
//! NVTX's library (`libnvtx3interop.so.1` or `libnvToolsExt.so.1`) comes with a CUDA toolkit; where it
//! is missing there are no ranges. With the feature `tracing` the same spans go to subscribers of the
//! crate `tracing`, target `lazuli`, level debug.
//!
//! # What would run
//!
//! [`explain`](crate::explain) says what an evaluation would run, before it runs:
//! how many kernels, what each reads and writes, and [`svg`](crate::Explanation::svg) draws it.
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::<f64>::ones([1000, 100]);
//! x.eval()?;
//! let centred = &x - x.mean(keep(0));
//! let plan = explain(&[&centred, &centred.square().sum(0)]);
//! assert!(plan.kernels() <= 2);
//! std::fs::write(std::env::temp_dir().join("lazuli-plan.svg"), plan.svg()).unwrap();
//! # Ok::<(), Error>(())
//! ```
//!
//! # Progress
//!
//! [`with_progress`](crate::with_progress) calls a function while kernels are compiled, large arrays
//! copied, files read, and loops run:
//!
//! ```
//! use lazuli::prelude::*;
//! use std::time::Duration;
//! let show = |p: lazuli::Progress| eprintln!("{} of {} {}", p.done, p.total, p.what);
//! let x = lazuli::with_progress(Duration::from_millis(100), show, || {
//!     lazuli::repeat(1000, DeviceArray::<f64>::ones(3), |x| x.cos()).to_vec()
//! })?;
//! assert!((x[0] - 0.7390851332151607).abs() < 1e-15);
//! # Ok::<(), Error>(())
//! ```
//!
//! # The first NaN
//!
//! [`check_finite`](crate::check_finite()) computes operation by operation and stops at the first one
//! that makes a NaN or an infinity, with its name, the element and the line. It is slow, and for
//! finding a fault:
//!
//! ```
//! use lazuli::prelude::*;
//! let x = DeviceArray::<f64>::linspace(-1.0, 1.0, 5);
//! let energy = || (x.sqrt() * 2.0).sum(..).item();
//! assert!(energy()?.is_nan());
//! let why = lazuli::check_finite(energy).unwrap_err().to_string();
//! assert!(why.starts_with("sqrt: gives NaN at [0] of float64[5]"), "{why}");
//! # Ok::<(), Error>(())
//! ```
//!
//! # Memory
//!
//! [`Device::memory_use`](crate::Device::memory_use) gives the bytes that arrays have, the most that
//! they had, and what waits to be used again; a profile has the most that it saw
//! ([`Profile::peak_memory`](crate::Profile::peak_memory)).
