//! From one GPU to many: a simulation that outgrows a device goes on as it is written.
//!
//! # One device
//!
//! Heat in a plate, as a NumPy user writes it.
//!
//! ```
//! use lazuli::prelude::*;
//! fn step(u: &DeviceArray<f64>) -> DeviceArray<f64> {
//!     u + 0.1 * (u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1) - 4.0 * u)
//! }
//! let mut u = DeviceArray::<f64>::zeros([64, 64]);
//! u.assign(s![30..34, 30..34], 1.0);
//! for _ in 0..20 {
//!     u = step(&u);
//!     u.eval()?;
//! }
//! assert!((u.sum(..).item()? - 16.0).abs() < 1e-12);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Several devices: one line
//!
//! The array is made over a [`Mesh`](crate::Mesh), cut along its first axis. Everything else stays.
//!
//! ```
//! # use lazuli::prelude::*;
//! # fn step(u: &DeviceArray<f64>) -> DeviceArray<f64> {
//! #     u + 0.1 * (u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1) - 4.0 * u)
//! # }
//! use lazuli::Mesh;
//! let mesh = Mesh::local(4).or_else(|_| Mesh::processors(4))?; // four GPUs, or shares of the processor
//! let mut u = DeviceArray::<f64>::zeros_on(mesh.shard(0), [64, 64]);
//! u.assign(s![30..34, 30..34], 1.0);
//! for _ in 0..20 {
//!     u = step(&u);
//!     u.eval()?;
//! }
//! assert!((u.sum(..).item()? - 16.0).abs() < 1e-12);
//! # Ok::<(), Error>(())
//! ```
//!
//! The `eval` in the loop may be left out where the loop asks for a number of each state, as in
//! `u = step(&u); most = u.max(..).item()?`: from the third turn on the state is stored with the first
//! number that is asked for of it, and no turn is computed twice.
//!
//! ```python
//! mesh = jax.make_mesh((4,), ("x",))                                   # JAX
//! u = jax.device_put(u, NamedSharding(mesh, PartitionSpec("x")))
//! ```
//!
//! Each device has a block of rows and computes it. What a block needs of its neighbours is moved
//! before: here a row from above and a row from below. [`explain`](crate::explain()) says so.
//!
//! ```
//! # use lazuli::{Mesh, prelude::*};
//! let mesh = Mesh::processors(4)?;
//! let u = DeviceArray::<f64>::ones_on(mesh.shard(0), [64, 64]);
//! u.eval()?;
//! let plan = explain(&[&(u.roll(1, 0) + u.roll(-1, 0))]);
//! assert_eq!((plan.moves(), plan.bytes_moved()), (8, 8 * 64 * 8));
//! # Ok::<(), Error>(())
//! ```
//!
//! # Several processes: the same line
//!
//! [`Mesh::world`](crate::Mesh::world) is the mesh of all processes of a run, each with one device. It
//! takes one line of the program above; a launcher starts the processes, on one host or on many.
//!
//! ```
//! # use lazuli::prelude::*;
//! # fn step(u: &DeviceArray<f64>) -> DeviceArray<f64> {
//! #     u + 0.1 * (u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1) - 4.0 * u)
//! # }
//! use lazuli::Mesh;
//! let mesh = Mesh::world()?;
//! let mut u = DeviceArray::<f64>::zeros_on(mesh.shard(0), [64, 64]);
//! u.assign(s![30..34, 30..34], 1.0);
//! for _ in 0..20 {
//!     u = step(&u);
//!     u.eval()?;
//! }
//! let heat = u.sum(..).item()?; // the same number in each process
//! if mesh.rank() == 0 {
//!     println!("{heat}");
//! }
//! # assert!((heat - 16.0).abs() < 1e-12);
//! # Ok::<(), Error>(())
//! ```
//!
//! ```sh
//! torchrun --nproc-per-node 2 --no-python target/release/heat     # GPUs of one host; NCCL
//! srun --ntasks 8 --gpus-per-task 1 target/release/heat           # GPUs of several hosts
//! mpiexec -n 4 target/release/heat                                # processors; MPI
//! ```
//!
//! | launcher | what it must say |
//! | --- | --- |
//! | `torchrun` | nothing more: `RANK`, `WORLD_SIZE`, `LOCAL_RANK`, `MASTER_ADDR`, `MASTER_PORT` are set |
//! | `mpiexec` of MPICH or Open MPI | with GPUs on several hosts `MASTER_ADDR`, the host of rank 0 |
//! | `srun` | nothing more; the first host of the step is where processes meet |
//!
//! - GPUs exchange data by NCCL: `libnccl.so.2`, which PyTorch and JAX bring along, on the loader's path
//!   or named by `LAZULI_NCCL`. Processors do by MPI: `libmpi_abi.so` of a library that has the
//!   standard's binary interface, beside `mpiexec` or named by `LAZULI_MPI` (`pip install mpich` brings
//!   both; nothing is needed to build). `LAZULI_DEVICE=cpu` has processes compute on the processor.
//! - **Every process is the same program** and evaluates the same arrays in the same order; a number
//!   that it reads (`item`, `to_vec`, `gather`) is the same in each. So loops until something is small
//!   need nothing more. What differs between processes must not decide what is evaluated: the time,
//!   files of one host, generators without a seed. [`rank`](crate::Mesh::rank) is for printing and for
//!   writing files: take the values in each process, and write them in one.
//! - A process has its rows alone ([`local`](crate::DeviceArray::local)): of values of the host, each
//!   process takes its own.
//! - A run fails as a whole. Where a process ends, fails, or evaluates something else than the others,
//!   what the others evaluate is an error that names it, and nothing hangs. On the processor arrays stay
//!   what they were. With GPUs an exchange may have been broken off in the middle, so that nothing is
//!   read from the process's device any more: write to files now and then what must outlive a failure.
//!
//! # What lies where
//!
//! [`sharding`](crate::DeviceArray::sharding) says how an array lies. The result of an operation lies
//! as its arguments do: a transposed array is cut along the other axis, a sum over the axis that is
//! cut is had by each device.
//!
//! ```
//! # use lazuli::{Mesh, prelude::*};
//! let mesh = Mesh::processors(4)?;
//! let u = DeviceArray::<f64>::ones_on(mesh.shard(0), [64, 32]);
//! assert_eq!(u.t().sharding().unwrap().axis(), Some(1));
//! assert_eq!(u.sum(1).sharding().unwrap().axis(), Some(0));
//! assert_eq!(u.sum(0).sharding().unwrap().axis(), None); // whole on each
//! let means = u.mean(keep(0)); // so it goes with what is cut
//! assert_eq!((&u - means).sum(..).item()?, 0.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! [`to`](crate::DeviceArray::to) moves an array: onto a mesh, from one axis to another, whole onto
//! each device ([`replicate`](crate::Mesh::replicate)), or to one
//! ([`gather`](crate::DeviceArray::gather)). Nothing else does: arrays that are cut along different
//! axes are an error that names both, and so is what cannot be computed over several devices.
//!
//! ```
//! # use lazuli::{Mesh, prelude::*};
//! let mesh = Mesh::processors(4)?;
//! let u = DeviceArray::<f64>::ones_on(mesh.shard(0), [64, 32]);
//! let matrix = u.t().matmul(&u) + 1.0; // each device has all of it
//! let rows = matrix.to(mesh.shard(0))?;
//! let why = rows.det().eval().unwrap_err(); // one matrix is on all devices
//! assert!(why.to_string().contains("no form over several devices"));
//! assert_eq!(rows.gather()?.det().item()?, 0.0); // now one device has it
//! # Ok::<(), Error>(())
//! ```
//!
//! # Numbers
//!
//! What is summed along the axis that is cut is summed by chunks that follow from its length alone: the
//! bits do not depend on the number of devices, but are others than those of an array on one device.
//! Draws are the same as there. Sums along other axes and, on a GPU, products that are added may differ
//! in the last bits where a block has another shape; in
//! [`Arithmetic::Strict`](crate::Arithmetic::Strict) they do not. Libraries' products, transforms and
//! factorisations may differ in any arithmetic. In [`Arithmetic::Fast`](crate::Arithmetic::Fast) each
//! device sums its block as one alone would: faster, and the last bits depend on the number of devices.
//!
//! # What it costs
//!
//! - Arithmetic moves nothing. A stencil moves as many rows as it reaches, for each step that is
//!   evaluated. A sum moves a number for each chunk, 64 at most. Another axis moves everything once.
//! - Large blocks (16 MiB and more) of a step that is evaluated by itself are computed in pieces from the
//!   third time on: the inner rows while what the borders need is moved.
//! - Of several steps that are recorded and evaluated together the narrow borders are computed on both
//!   sides: what they need is moved once for as many steps as half a block's rows allow, and 1 MiB (16
//!   kB on the processor). With blocks of few MiB, where waiting is most of a step, evaluate each eighth
//!   or sixteenth step. What more is read of another device is stored there and moved.
//! - Each device's part is planned and launched by one thread, one device after the other: with very
//!   short kernels the host is what limits.
//! - [`Mesh::processors`](crate::Mesh::processors) is for tests and for machines without GPUs: one
//!   processor does not become several by it.
