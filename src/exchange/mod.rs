//! Data from other libraries and for them, without copies.
//!
//! | with | in | out |
//! | --- | --- | --- |
//! | the host's memory: `Vec`, slices, ndarray | [`DeviceArray::adopt`], [`adopt_view`](crate::DeviceArray::adopt_view) | [`lend`](crate::DeviceArray::lend) |
//! | DLPack: NumPy, PyTorch, CuPy, JAX | [`dlpack::from_dlpack`] | [`to_dlpack`](crate::DeviceArray::to_dlpack), [`into_dlpack`](crate::DeviceArray::into_dlpack) |
//! | cudarc: `CudaSlice`, `CudaView` | [`from_cuda`](crate::DeviceArray::from_cuda), [`from_cuda_view`](crate::DeviceArray::from_cuda_view) | [`into_cuda`](crate::DeviceArray::into_cuda), [`lend_cuda`](crate::DeviceArray::lend_cuda) |
//! | matrices of faer and nalgebra, pictures of `image` (features of these names) | [`adopt`](crate::DeviceArray::adopt) | `Lent::faer`, `Lent::nalgebra`, `to_image` |
//! | candle (features `candle`, `candle-cuda`) | `from_candle` | `into_candle` |
//! | pointers | [`from_raw_parts`](crate::DeviceArray::from_raw_parts) | [`lend`](crate::DeviceArray::lend) |
//!
//! # What happens to the memory
//!
//! Foreign memory is the data of an array like any other, with two differences. Lazuli never writes
//! it: an assignment to such an array computes into memory of its own. And it has an owner, which
//! is dropped once, when the last array or unevaluated expression that reads it is gone; on
//! whichever thread that is, and never while a lock of Lazuli's is held.
//!
//! Memory in C order is the data itself. Of any other layout kernels read the elements where they
//! lie, by the strides; the first operation that needs them in C order (a copy to the host, a
//! library that cannot read the strides) makes the copy.
//!
//! # Order on a GPU
//!
//! Everything is in the device's primary context, whoever retained it. Whoever hands data over names
//! the stream on which it is computed: what Lazuli reads waits for that stream, and the stream waits
//! for Lazuli's reads before the owner gets the memory back. Whoever takes data names the stream on
//! which it is read, likewise. All of this waiting is done by the GPU. Where no stream is named the
//! host waits instead. [`Stream::raw`](crate::Stream::raw) is Lazuli's own stream, for libraries that ask for the
//! consumer's.
//!
//! # What is unsafe, and why
//!
//! Owners that nobody else can write through ([`DeviceArray::adopt`], [`DeviceArray::from_cuda`])
//! are safe. A pointer, a DLPack tensor or a borrowed view says nothing of who writes the memory
//! meanwhile or when it goes, so those functions are `unsafe`, and say what the caller vouches
//! for. A producer that writes while Lazuli reads is a data race.
//!
//! [`DeviceArray::adopt`]: crate::DeviceArray::adopt
//! [`DeviceArray::from_cuda`]: crate::DeviceArray::from_cuda
//!
//! # Example
//! ```
//! use lazuli::prelude::*;
//!
//! let host = ndarray::Array2::from_shape_fn((3, 4), |(i, j)| (i * 4 + j) as f64);
//! let a = DeviceArray::adopt(host)?; // no copy
//! let result = (&a - a.mean(0)).abs();
//! let lent = result.lend(None)?; // no copy
//! assert_eq!(lent.view()?.sum(), 32.0);
//! # Ok::<(), Error>(())
//! ```

#[cfg(feature = "candle")]
mod candle;
#[cfg(feature = "cuda")]
mod cuda;
pub mod dlpack;
#[cfg(feature = "faer")]
mod faer;
mod host;
#[cfg(feature = "image")]
mod image;
mod loan;
mod memory;
#[cfg(feature = "nalgebra")]
mod nalgebra;
mod raw;

pub use crate::backend::RawStream;
#[cfg(feature = "candle")]
pub use candle::from_candle;
#[cfg(feature = "cuda")]
pub use cuda::{CudaMemory, LentCuda};
#[cfg(feature = "cuda")]
/// The crate whose memory [`DeviceArray::from_cuda`](crate::DeviceArray::from_cuda) takes, in the
/// version that Lazuli uses.
pub use cudarc;
pub use host::HostMemory;
pub use loan::Lent;
pub use raw::RawParts;
