//! Trouble with CUDA: what is looked for at run time, what the messages mean, and where caches lie.
//!
//! Nothing of CUDA is needed to build. When the first array is made, Lazuli looks for the driver
//! and for NVRTC, NVIDIA's run-time compiler. Where one of them is missing there are no GPUs, and the
//! processor computes: a program that is unexpectedly slow on a machine with a GPU probably runs there.
//!
//! # What is there?
//!
//! ```
//! use lazuli::prelude::*;
//! for device in Device::list() {
//!     println!("{device}");
//! }
//! println!("new arrays are made on {}", Device::current()?);
//! if let Err(why) = Device::cuda(0) {
//!     println!("{why}"); // what is missing
//!     assert!(why.is_device());
//! }
//! # Ok::<(), Error>(())
//! ```
//!
//! On a machine with a GPU a second line tells its name, compute capability, multiprocessors, memory,
//! and the versions of the driver and of NVRTC. Set `LAZULI_DEVICE=cuda` for programs that must not run
//! on the processor: without a GPU their first array is an error, or a panic with that error, that says why.
//!
//! # What the messages mean
//!
//! | message | meaning | what helps |
//! | --- | --- | --- |
//! | `no NVIDIA driver library (libcuda) was found` | the driver's library is not on the loader's path | install the driver; in a container start it with its GPUs (below) |
//! | `the driver is for CUDA …, and 12000 is needed` | the driver is older than CUDA 12.0 | a newer driver; a newer toolkit does not help |
//! | `the driver does not start: …` | the library is there, the kernel module is not, or is of another version | `nvidia-smi` says the same; often a reboot after an update |
//! | `NVRTC, the CUDA compiler library, is missing` | neither the loader nor the toolkit's folders have `libnvrtc` | see below |
//! | `LAZULI_NVRTC names …, which does not load` | the file or folder is wrong, or of another architecture | name the folder that holds `libnvrtc.so.*` |
//! | `the CUDA library cublasLt was not found` (`cufft`, `cusolver`, `curand`) | products, transforms, factorisations or cuRAND's generators need it; everything else runs | install the library, and put its folder on `LD_LIBRARY_PATH` |
//! | `this NVRTC has no code for the device's architecture` | the GPU is older than this NVRTC supports | an older NVRTC |
//! | `NVRTC could not compile a kernel` ([`Error::is_compile`](crate::Error::is_compile)) | a defect of Lazuli's, or of a function with CUDA C++ of yours | the message has the source; please report it |
//! | `cuda:1 was asked for, and this machine has 1 CUDA devices` | numbers begin with 0, and `CUDA_VISIBLE_DEVICES` hides devices | |
//! | `this process was forked after Lazuli had begun to compute` | a forked copy has no threads and no GPU | fork before the first array, or start processes anew |
//! | [`Error::is_out_of_memory`](crate::Error::is_out_of_memory) | the device has no room, after what was kept for reuse was given back | drop arrays; [`Device::release_memory`](crate::Device::release_memory) gives unused memory to other processes |
//!
//! # NVRTC
//!
//! It is looked for, in this order, where
//!
//! 1. `LAZULI_NVRTC` says: a file, or the folder that holds it, and nowhere else if it is set;
//! 2. the loader finds it: `LD_LIBRARY_PATH`, the system's cache, on Windows `PATH`;
//! 3. the toolkit is: `lib64`, `lib`, `bin` and `bin/x64` under `CUDA_HOME`, `CUDA_PATH` and
//!    `/usr/local/cuda`.
//!
//! Its companion `libnvrtc-builtins` is taken from the same folder. The whole toolkit is not needed;
//! NVRTC alone comes as a package of Python's:
//!
//! ```sh
//! python3 -m pip install nvidia-cuda-nvrtc    # nvidia-cuda-nvrtc-cu12 for drivers of CUDA 12
//! python3 -m pip show --files nvidia-cuda-nvrtc | grep -e Location -e libnvrtc.so
//! export LAZULI_NVRTC=…                       # the folder of libnvrtc.so
//! ```
//!
//! The libraries of products, transforms, factorisations and cuRAND are found by the loader alone.
//!
//! # Versions
//!
//! - **Driver**: CUDA 12.0 or later. A driver runs what older toolkits made; so NVRTC should not be of
//!   a later major version than the driver's, which `nvidia-smi` shows as "CUDA Version".
//! - **NVRTC** compiles machine code for the device's own architecture where it knows it. For a newer
//!   GPU it gives PTX of the newest one that it knows, and the driver finishes that.
//! - **Headers** are not needed, but for CUDA C++ of yours that includes any: those of the toolkit under
//!   `CUDA_HOME`, `CUDA_PATH` or `/usr/local/cuda` are found.
//! - **cudarc** in your own code: use [`exchange::cudarc`](crate::exchange::cudarc), the version that
//!   Lazuli has.
//!
//! # Containers
//!
//! The driver comes from the host, everything else from the image. With NVIDIA's container toolkit,
//! `docker run --gpus all …` puts `libcuda` into the container. The image needs NVRTC: NVIDIA's images
//! named `…-runtime` have it and the libraries, those named `…-base` do not. The cache is lost with
//! the container unless its folder is a volume:
//!
//! ```sh
//! docker run --gpus all -v lazuli-cache:/cache -e LAZULI_CACHE_DIR=/cache …
//! ```
//!
//! # The cache of compiled kernels
//!
//! Compiled kernels are kept in `LAZULI_CACHE_DIR`; where that is not set in `lazuli` under
//! `XDG_CACHE_HOME`, under `LOCALAPPDATA`, or under `.cache` in the home folder, whichever is set first. An
//! empty `LAZULI_CACHE_DIR` turns it off. It holds at most 512 MB, and nothing unused for 90 days.
//!
//! - It may be deleted at any time, while programs run as well. Processes may share it.
//! - A file's name is made of the source, the options, the architecture, the build of NVRTC and the version
//!   of Lazuli: a newer one never finds old code.
//! - The folder must be the user's own and writable by nobody else, since what lies there runs. Otherwise
//!   a line on stderr, `lazuli: compiled kernels are not kept in …`, says so, and kernels are compiled
//!   in each process.
//! - A full or read-only disk is no error.
//!
//! [`counters().compiled`](crate::counters) tells how many kernels a process compiled; the second run of
//! a program should say 0.
//!
//! # Environment variables
//!
//! | variable | says | else |
//! | --- | --- | --- |
//! | `LAZULI_DEVICE` | `cpu`, `cuda` or `cuda:1`: where new arrays are made | the first GPU, or the processor |
//! | `LAZULI_NVRTC` | NVRTC's file or folder | the search above |
//! | `LAZULI_CACHE_DIR` | the folder of compiled kernels; empty: none | the user's cache folder |
//! | `LAZULI_CUDA_GRAPHS` | after how many launches the kernels of a plan go as CUDA graphs; 0: never | 64 |
//! | `RAYON_NUM_THREADS` | the number of threads on the processor | as many as the program may use |
//! | `CUDA_HOME`, `CUDA_PATH` | the toolkit, for NVRTC and headers | `/usr/local/cuda` |
//!
//! CUDA's own, such as `CUDA_VISIBLE_DEVICES` and `CUDA_LAUNCH_BLOCKING`, are read by the driver.
//!
//! # A kernel that fails
//!
//! Work on a GPU goes on while the host does; what fails there shows at the next wait. An index out of
//! range in a function with [`kernel`](macro@crate::kernel) is an error with its place, and the process
//! goes on. CUDA C++ of your own that writes outside of its arrays
//! may leave the driver's context unusable: every later call then fails, and only a new process helps.
//! Run such code under `compute-sanitizer`, and functions with an attribute on the processor first, where
//! they can be stepped through: `LAZULI_DEVICE=cpu`.
