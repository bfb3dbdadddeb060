//! Interop: data of other libraries in and out, without copies where there can be none.
//!
//! The rules of ownership and of the order on a GPU stand in [`exchange`](crate::exchange). This
//! page has an example for each library.
//!
//! | library | in | out | copies |
//! | --- | --- | --- | --- |
//! | ndarray | [`from_ndarray`], [`adopt`] | [`copy_to_host`], [`lend`] | the first of each |
//! | `Vec`, slices, `Arc<[T]>` | [`from_slice`], [`adopt`] | [`to_vec`], [`lend`] | the first of each |
//! | NumPy, PyTorch, CuPy, JAX, by DLPack | [`from_dlpack`] | [`to_dlpack`], [`into_dlpack`] | none |
//! | cudarc | [`from_cuda`], [`from_cuda_view`] | [`into_cuda`], [`lend_cuda`] | none, but of shared data that is given away |
//! | pointers | [`from_raw_parts`] | [`lend`] | none |
//! | faer, nalgebra (features) | [`adopt`] | `Lent::faer`, `Lent::nalgebra` | none |
//! | `image` (feature) | [`adopt`] | `to_image` | out |
//! | candle (features `candle`, `candle-cuda`) | `from_candle` | `into_candle` | none on a GPU; out on the processor |
//!
//! [`from_ndarray`]: crate::DeviceArray::from_ndarray
//! [`adopt`]: crate::DeviceArray::adopt
//! [`copy_to_host`]: crate::DeviceArray::copy_to_host
//! [`lend`]: crate::DeviceArray::lend
//! [`from_slice`]: crate::DeviceArray::from_slice
//! [`to_vec`]: crate::DeviceArray::to_vec
//! [`from_dlpack`]: crate::DeviceArray::from_dlpack
//! [`to_dlpack`]: crate::DeviceArray::to_dlpack
//! [`into_dlpack`]: crate::DeviceArray::into_dlpack
//! [`from_cuda`]: crate::DeviceArray::from_cuda
//! [`from_cuda_view`]: crate::DeviceArray::from_cuda_view
//! [`into_cuda`]: crate::DeviceArray::into_cuda
//! [`lend_cuda`]: crate::DeviceArray::lend_cuda
//! [`from_raw_parts`]: crate::DeviceArray::from_raw_parts
//!
//! # ndarray, vectors and slices
//!
//! [`from_ndarray`] copies to the current device and takes any layout. [`adopt`] takes the memory over
//! as an array *on the processor*, whatever the current device; [`lend`] gives a view of a result there.
//!
//! ```
//! use lazuli::prelude::*;
//! use ndarray::{Array2, ArrayView2, Ix2};
//!
//! let host = Array2::from_shape_fn((2, 3), |(i, j)| (3 * i + j) as f64);
//! let a = DeviceArray::adopt(host.reversed_axes())?; // Fortran order stays as it is
//! let doubled = 2.0 * &a;
//! let lent = doubled.lend(None)?;
//! let view: ArrayView2<f64> = lent.view()?.into_dimensionality::<Ix2>().unwrap();
//! assert_eq!(view[[2, 1]], 10.0);
//!
//! let shared: std::sync::Arc<[u8]> = vec![1, 2, 3].into();
//! let b = DeviceArray::adopt(shared.clone())?; // a reference more, no copy
//! assert_eq!(b.sum(..).item()?, 6);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Python, by DLPack
//!
//! A Python extension hands a capsule's pointer to [`from_dlpack`], and gets one from
//! [`to_dlpack`] (shared, read-only) or [`into_dlpack`] (given away, writable). On a GPU both sides name
//! the stream. `examples/dlpack` is such an extension for Python's `ctypes`.
//!
//! ```
//! use lazuli::prelude::*;
//! let a = DeviceArray::<f32>::arange_to(6.0).reshape([2, 3]);
//! let capsule = a.to_dlpack(None)?.into_raw(); // a `DLManagedTensorVersioned`
//! // The other side, here Lazuli as well:
//! // SAFETY: the tensor was made just now, and is taken once.
//! let b = unsafe { DeviceArray::<f32>::from_dlpack(capsule, None) }?;
//! assert_eq!((&b + 1.0).sum(0).to_vec()?, [5.0, 7.0, 9.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! Where the type is not known beforehand,
//! [`dlpack::from_dlpack`](crate::exchange::dlpack::from_dlpack) gives a
//! [`TypedArray`](crate::TypedArray) to be matched on.
//!
//! # cudarc
//!
//! Lazuli works in the device's primary context, as cudarc's `CudaContext::new` does. The slice's
//! stream is waited for, and waits, on the GPU.
//!
//! ```
//! use lazuli::exchange::cudarc::driver::{CudaContext, CudaSlice};
//! use lazuli::prelude::*;
//!
//! if Device::cuda(0).is_ok() {
//!     let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
//!     let slice: CudaSlice<f32> = stream.clone_htod(&[1.0, 2.0, 3.0, 4.0]).unwrap();
//!     let a = DeviceArray::from_cuda(slice, [2, 2])?; // no copy
//!     let row_sums = (&a * 2.0).sum(1);
//!     let out: CudaSlice<f32> = row_sums.into_cuda(&stream)?; // no copy
//!     assert_eq!(stream.clone_dtoh(&out).unwrap(), [6.0, 14.0]);
//! }
//! # Ok::<(), Error>(())
//! ```
//!
//! # Pointers
//!
//! Whatever has an address, a shape and strides in elements becomes an array; `owner` keeps the
//! memory alive, and is dropped once, when nothing reads it any more.
//!
//! ```
//! use lazuli::exchange::RawParts;
//! use lazuli::prelude::*;
//!
//! let samples = vec![1i16, -1, 2, -2, 3, -3]; // two channels, interleaved
//! let left = RawParts::new(Device::cpu(), samples.as_ptr(), 3).strides(&[2]);
//! // SAFETY: every second element lies in the vector, which is the owner.
//! let left = unsafe { DeviceArray::<i16>::from_raw_parts(left, samples) }?;
//! assert_eq!(left.to_vec()?, [1, 2, 3]);
//!
//! let squares = left.square();
//! let lent = squares.lend(None)?; // a pointer for a C library, C order
//! // SAFETY: there are three elements, on the processor.
//! assert_eq!(unsafe { *lent.as_ptr().add(2) }, 9);
//! # Ok::<(), Error>(())
//! ```
//!
//! # faer and nalgebra
//!
//! With the features of these names their matrices are adopted as they are, by columns, and a
//! result is lent as theirs:
//!
//! ```
//! # #[cfg(all(feature = "faer", feature = "nalgebra"))] {
//! use lazuli::prelude::*;
//! let a = DeviceArray::adopt(faer::Mat::from_fn(2, 3, |i, j| (3 * i + j) as f64))?;
//! let b = DeviceArray::adopt(nalgebra::DMatrix::from_row_slice(3, 1, &[1.0, 1.0, 1.0]))?;
//! let product = a.matmul(&b);
//! assert_eq!(product.to_vec()?, [3.0, 12.0]);
//! assert_eq!(product.lend(None)?.nalgebra()?[(1, 0)], 12.0);
//! # }
//! # Ok::<(), lazuli::Error>(())
//! ```
//!
//! # Pictures
//!
//! With the feature `image` a buffer is adopted as `[height, width, channels]`, and an array copied
//! into a new one:
//!
//! ```
//! # #[cfg(feature = "image")] {
//! use lazuli::prelude::*;
//! let picture = image::RgbImage::from_pixel(4, 2, image::Rgb([10, 20, 30]));
//! let a = DeviceArray::adopt(picture)?;
//! let grey = a.cast::<f32>().mean(2).round().cast::<u8>();
//! let grey: image::GrayImage = grey.to_image()?;
//! assert_eq!(grey.get_pixel(3, 1).0, [20]);
//! # }
//! # Ok::<(), lazuli::Error>(())
//! ```
//!
//! # candle
//!
//! With the feature `candle`, and `candle-cuda` for its tensors on a GPU. candle's build for GPUs
//! needs nvcc, and links CUDA's libraries: the program starts only where they are installed.
//!
//! ```
//! # #[cfg(feature = "candle")] {
//! use candle_core::{Device as Candle, Tensor};
//! use lazuli::prelude::*;
//! let tensor = Tensor::new(&[[1f32, 2.0], [3.0, 4.0]], &Candle::Cpu).unwrap();
//! // SAFETY: nobody changes the tensor in place.
//! let a = unsafe { DeviceArray::<f32>::from_candle(&tensor) }?;
//! let softmax = a.softmax(-1); // one kernel
//! let back = softmax.into_candle(&Candle::Cpu)?;
//! let rows = back.sum(1).unwrap().to_vec1::<f32>().unwrap();
//! assert!(rows.iter().all(|sum| (sum - 1.0).abs() < 1e-6));
//! # }
//! # Ok::<(), lazuli::Error>(())
//! ```
//!
//! # Functions that take arrays take those of the host
//!
//! A function with [`vectorize`](macro@crate::vectorize) and operations with two arrays take
//! ndarray's arrays and slices where they take arrays. The elements are copied to the device in the call.
//! A [`kernel`](macro@crate::kernel) takes them by `launch_with`, in [`In`](crate::gpu::In),
//! [`Out`](crate::gpu::Out) and [`InOut`](crate::gpu::InOut).
//!
//! ```
//! use lazuli::prelude::*;
//! let a = DeviceArray::from_slice(&[1.0, 2.0])?;
//! assert_eq!(a.hypot(&[0.0, 1.5][..]).to_vec()?, [1.0, 2.5]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Files
//!
//! [`write_npy`](crate::DeviceArray::write_npy), [`read_npy`](crate::DeviceArray::read_npy),
//! [`write_npz`](crate::write_npz()) and [`NpzFile`](crate::NpzFile) are NumPy's formats;
//! [`write_txt`](crate::DeviceArray::write_txt) and [`read_txt`](crate::DeviceArray::read_txt) are
//! `savetxt` and `loadtxt`.
