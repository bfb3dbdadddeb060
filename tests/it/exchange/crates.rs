//! Types of other crates, behind features of their names.

#[cfg(feature = "faer")]
mod faer_matrices {
    use faer::Mat;
    use lazuli::prelude::*;

    #[test]
    fn matrices_come_and_go_without_a_copy() {
        for (rows, columns) in [(3, 4), (1, 5), (5, 1), (0, 3), (3, 0), (17, 9)] {
            let value = |i: usize, j: usize| Complex::new(i as f64, j as f64);
            let host = Mat::from_fn(rows, columns, value);
            let a = DeviceArray::adopt(host.clone()).unwrap();
            assert_eq!(a.shape(), [rows, columns]);
            let twice = &a + &a;
            let lent = twice.lend(None).unwrap();
            let seen = lent.faer().unwrap();
            assert_eq!((seen.nrows(), seen.ncols()), (rows, columns));
            for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                assert_eq!(seen[(i, j)], value(i, j) * 2.0);
            }
            assert!(seen.nrows() * seen.ncols() == 0 || lent.as_ptr() == seen.as_ptr());
        }
        let cube = Device::cpu().scope(|| DeviceArray::<f32>::ones([2, 2, 2]));
        assert!(cube.lend(None).unwrap().faer().is_err_and(|error| error.is_shape()));
    }
}

#[cfg(feature = "nalgebra")]
mod nalgebra_matrices {
    use lazuli::prelude::*;
    use nalgebra::{DMatrix, DVector, Matrix3xX, RowDVector};

    #[test]
    fn matrices_and_vectors_come_and_go_without_a_copy() {
        for (rows, columns) in [(3, 4), (1, 5), (5, 1), (0, 3), (3, 0), (17, 9)] {
            let value = |i: usize, j: usize| (i * 100 + j) as i32;
            let a = DeviceArray::adopt(DMatrix::from_fn(rows, columns, value)).unwrap();
            assert_eq!(a.shape(), [rows, columns]);
            let lent = (&a + 1).lend(None).unwrap();
            let seen = lent.nalgebra().unwrap();
            assert_eq!(seen, DMatrix::from_fn(rows, columns, |i, j| value(i, j) + 1));
        }
        let vector = DVector::from_vec(vec![1.0f32, 2.0, 3.0]);
        assert_eq!(DeviceArray::adopt(vector).unwrap().shape(), [3, 1]);
        let row = RowDVector::from_vec(vec![true, false]);
        assert_eq!(DeviceArray::adopt(row).unwrap().to_vec().unwrap(), [true, false]);
        let thin = Matrix3xX::from_fn(2, |i, j| (i * 2 + j) as u8);
        let thin = DeviceArray::adopt(thin).unwrap();
        assert_eq!(thin.to_vec().unwrap(), [0, 1, 2, 3, 4, 5]);
        let line = Device::cpu().scope(|| DeviceArray::<f32>::ones(4));
        assert!(line.lend(None).unwrap().nalgebra().is_err_and(|error| error.is_shape()));
    }
}

#[cfg(feature = "image")]
mod pictures {
    use image::{GrayImage, ImageBuffer, Luma, Rgb, RgbImage, Rgba};
    use lazuli::prelude::*;

    #[test]
    fn pictures_come_and_go() {
        let picture = RgbImage::from_fn(5, 3, |x, y| Rgb([x as u8, y as u8, 7]));
        let a = DeviceArray::adopt(picture.clone()).unwrap();
        assert_eq!((a.shape(), a.to_vec().unwrap()), (&[3, 5, 3][..], picture.as_raw().clone()));
        assert_eq!(a.to_image::<Rgb<u8>>().unwrap(), picture);
        // A vector that is longer than its picture.
        let long = ImageBuffer::<Luma<u16>, _>::from_raw(2, 2, vec![1u16, 2, 3, 4, 5, 6]).unwrap();
        let long = DeviceArray::adopt(long).unwrap();
        assert_eq!((long.shape(), long.sum(..).item().unwrap()), (&[2, 2, 1][..], 10));
        let rgba = ImageBuffer::<Rgba<f32>, _>::from_pixel(2, 1, Rgba([0.5, 0.25, 1.0, 1.0]));
        let rgba = DeviceArray::adopt(rgba).unwrap() * 2.0;
        assert_eq!(rgba.to_image::<Rgba<f32>>().unwrap().get_pixel(1, 0).0, [1.0, 0.5, 2.0, 2.0]);
        let gray: GrayImage = DeviceArray::<u8>::ones([2, 3]).to_image().unwrap();
        assert_eq!(gray.dimensions(), (3, 2));
        for shape in [vec![6], vec![2, 3, 2], vec![1, 2, 3, 1]] {
            let error = DeviceArray::<u8>::ones(&shape[..]).to_image::<Rgb<u8>>().unwrap_err();
            assert!(error.is_shape() && error.to_string().contains("3 channels"), "{error}");
        }
    }
}

#[cfg(feature = "candle")]
mod candle_tensors {
    use candle_core::{DType as CandleType, Device as CandleDevice, Tensor, Var};
    use lazuli::exchange::from_candle;
    use lazuli::prelude::*;

    const CPU: CandleDevice = CandleDevice::Cpu;

    #[test]
    fn tensors_of_every_type_and_layout_are_read_in_place() {
        let types = [
            CandleType::U8,
            CandleType::U32,
            CandleType::I16,
            CandleType::I32,
            CandleType::I64,
            CandleType::BF16,
            CandleType::F16,
            CandleType::F32,
            CandleType::F64,
        ];
        for dtype in types {
            let base = Tensor::arange(0f32, 60f32, &CPU).unwrap().reshape((3, 4, 5)).unwrap();
            let base = base.to_dtype(dtype).unwrap();
            let layouts = [
                base.clone(),
                base.transpose(0, 2).unwrap(),
                base.narrow(1, 1, 2).unwrap(),
                base.one_column(),
                base.narrow(0, 0, 1).unwrap().broadcast_as((3, 4, 5)).unwrap(),
                base.get(1).unwrap().get(2).unwrap().get(3).unwrap(),
            ];
            for tensor in layouts {
                // SAFETY: nobody changes the tensor in place.
                let a = unsafe { from_candle(&tensor) }.unwrap();
                assert_eq!(a.any_shape(), tensor.dims());
                let flat = tensor.flatten_all().unwrap().to_dtype(CandleType::F64).unwrap();
                let wanted = flat.to_vec1::<f64>().unwrap();
                assert_eq!(a.cast::<f64>().to_vec().unwrap(), wanted);
            }
        }
    }

    trait Column {
        fn one_column(&self) -> Tensor;
    }
    impl Column for Tensor {
        fn one_column(&self) -> Tensor {
            self.narrow(2, 3, 1).unwrap().squeeze(2).unwrap().t().unwrap()
        }
    }

    #[test]
    fn through_a_fused_expression_and_back() {
        let tensor = Tensor::randn(0f32, 1f32, (50, 40), &CPU).unwrap();
        // SAFETY: nobody changes the tensor in place.
        let x = unsafe { DeviceArray::<f32>::from_candle(&tensor) }.unwrap();
        let before = lazuli::counters();
        let e = (&x - x.max(keep(1))).exp();
        let back = (&e / e.sum(keep(1))).into_candle(&CPU).unwrap();
        assert_eq!(lazuli::counters().kernels - before.kernels, 1);
        let shifted = tensor.broadcast_sub(&tensor.max_keepdim(1).unwrap()).unwrap().exp().unwrap();
        let wanted = shifted.broadcast_div(&shifted.sum_keepdim(1).unwrap()).unwrap();
        let difference = (back - wanted).unwrap().abs().unwrap().max_all().unwrap();
        assert!(difference.to_scalar::<f32>().unwrap() < 1e-6);
    }

    #[test]
    fn arrays_of_every_shape_become_tensors() {
        for shape in [vec![], vec![0, 2], vec![5], vec![2, 3, 4]] {
            let tensor = DeviceArray::<f64>::ones(&shape[..]).into_candle(&CPU).unwrap();
            assert_eq!(tensor.dims(), shape);
        }
    }

    #[test]
    fn the_array_holds_the_tensor() {
        let variable = Var::new(&[1f64, 2.0, 3.0], &CPU).unwrap();
        // SAFETY: nobody changes the variable while the array lives.
        let a = unsafe { DeviceArray::<f64>::from_candle(&variable) }.unwrap();
        drop(variable);
        assert_eq!(a.sum(..).item().unwrap(), 6.0);
        let tensor = Tensor::new(&[1u8], &CPU).unwrap();
        // SAFETY: as above.
        assert!(unsafe { DeviceArray::<f64>::from_candle(&tensor) }.unwrap_err().is_shape());
    }
}

/// On a GPU nothing is copied: what is allocated is the result.
#[cfg(feature = "candle-cuda")]
mod candle_tensors_on_a_gpu {
    use crate::support::{MEMORY, devices};
    use candle_core::cuda_backend::CudaDType;
    use candle_core::{DType as CandleType, Device as CandleDevice, Storage, Tensor, WithDType};
    use half::{bf16, f16};
    use lazuli::exchange::cudarc::driver::DevicePtr;
    use lazuli::exchange::from_candle;
    use lazuli::prelude::*;

    const CPU: CandleDevice = CandleDevice::Cpu;

    /// Runs a test on the first GPU, if there is one: with candle on the thread's stream, and with
    /// candle on a stream of its own.
    fn on_a_gpu(test: impl Fn(&CandleDevice)) {
        let _held = MEMORY.read();
        let Some(&gpu) = devices().get(1) else { return };
        for open in [CandleDevice::new_cuda, CandleDevice::new_cuda_with_stream] {
            let candle = open(0).unwrap();
            gpu.scope(|| test(&candle));
        }
    }

    /// The types that candle and Lazuli share.
    trait Shared: Element + WithDType + CudaDType {}
    impl<T: Element + WithDType + CudaDType> Shared for T {}

    /// Calls a generic function for each shared type.
    macro_rules! for_each_type {
        ($call:ident($($argument:expr),*)) => {
            $call::<u8>($($argument),*);
            $call::<u32>($($argument),*);
            $call::<i16>($($argument),*);
            $call::<i32>($($argument),*);
            $call::<i64>($($argument),*);
            $call::<bf16>($($argument),*);
            $call::<f16>($($argument),*);
            $call::<f32>($($argument),*);
            $call::<f64>($($argument),*);
        };
    }

    fn array<T: Shared>(tensor: &Tensor) -> DeviceArray<T> {
        // SAFETY: no test changes a tensor in place while an array reads it.
        unsafe { DeviceArray::from_candle(tensor) }.unwrap()
    }

    /// The address of a tensor's first element.
    fn address<T: Shared>(tensor: &Tensor) -> u64 {
        let (storage, layout) = tensor.storage_and_layout();
        let Storage::Cuda(storage) = &*storage else { panic!("a tensor on another device") };
        let slice = storage.as_cuda_slice::<T>().unwrap();
        slice.device_ptr(slice.stream()).0 + (layout.start_offset() * size_of::<T>()) as u64
    }

    /// The address of an array's first element, which is computed first.
    fn place<T: Element>(array: &DeviceArray<T>) -> u64 {
        array.lend(None).unwrap().as_ptr() as u64
    }

    /// The elements as candle sees them, in C order.
    fn values(tensor: &Tensor) -> Vec<f64> {
        let flat = tensor.to_device(&CPU).unwrap().flatten_all().unwrap();
        flat.to_dtype(CandleType::F64).unwrap().to_vec1().unwrap()
    }

    /// Numbers from 0 on, of a type that candle may have no kernels for.
    fn numbers<T: Shared>(shape: &[usize], gpu: &CandleDevice) -> Tensor {
        let len = shape.iter().product::<usize>() as f64;
        let host = Tensor::arange(0f64, len, &CPU).unwrap().reshape(shape).unwrap();
        host.to_dtype(<T as WithDType>::DTYPE).unwrap().to_device(gpu).unwrap()
    }

    /// What a piece of code did in this thread: its result, its kernels, and the bytes that it
    /// allocated. It calls no library and copies nothing.
    #[track_caller]
    fn computed<R>(run: impl FnOnce() -> R) -> (R, u64, u64) {
        let before = lazuli::counters();
        let (result, profile) = lazuli::profile(run);
        let after = lazuli::counters();
        assert!(profile.rows().iter().all(|row| row.kind == "kernel"), "{profile}");
        let kernels = after.kernels - before.kernels;
        assert_eq!(profile.rows().iter().map(|row| row.count).sum::<u64>(), kernels, "{profile}");
        (result, kernels, after.allocated - before.allocated)
    }

    #[test]
    fn a_fused_expression_is_one_kernel() {
        on_a_gpu(|gpu| {
            let tensor = Tensor::randn(0f32, 1f32, (500, 400), gpu).unwrap();
            let (back, kernels, allocated) = computed(|| {
                let x = array::<f32>(&tensor);
                let e = (&x - x.max(keep(1))).exp();
                (&e / e.sum(keep(1))).into_candle(gpu).unwrap()
            });
            assert_eq!((kernels, allocated), (1, 4 * 500 * 400));
            assert!(back.device().same_device(gpu));
            let shifted = tensor.broadcast_sub(&tensor.max_keepdim(1).unwrap()).unwrap();
            let shifted = shifted.exp().unwrap();
            let wanted = shifted.broadcast_div(&shifted.sum_keepdim(1).unwrap()).unwrap();
            let difference = (back - wanted).unwrap().abs().unwrap().max_all().unwrap();
            assert!(difference.to_scalar::<f32>().unwrap() < 1e-6);
        });
    }

    /// Over and over, without anybody waiting.
    #[test]
    fn the_streams_of_both_are_ordered() {
        on_a_gpu(|gpu| {
            let tensor = Tensor::randn(0f32, 1f32, (500, 400), gpu).unwrap();
            let mut value = tensor.clone();
            for _ in 0..50 {
                let x = array::<f32>(&value.t().unwrap());
                let before = lazuli::counters();
                value = (&x * 0.5 + 1.0).into_candle(gpu).unwrap();
                let after = lazuli::counters();
                assert_eq!(after.allocated - before.allocated, 4 * 500 * 400);
                value = (value * 2.0).unwrap();
            }
            let mut wanted = tensor;
            for _ in 0..50 {
                wanted = ((wanted.t().unwrap() * 0.5).unwrap() + 1.0).unwrap();
                wanted = (wanted * 2.0).unwrap();
            }
            let difference = (value - wanted).unwrap().abs().unwrap().max_all().unwrap();
            assert!(difference.to_scalar::<f32>().unwrap() < 1e-3);
        });
    }

    fn type_goes_there_and_back<T: Shared>(gpu: &CandleDevice) {
        let tensor = numbers::<T>(&[6, 10], gpu);
        let (back, kernels, allocated) = computed(|| {
            let doubled = array::<T>(&tensor).cast::<f64>() * 2.0 + 1.0;
            let back = doubled.cast::<T>();
            // Of `f64` it is the same array, which would be copied while somebody else holds it.
            drop(doubled);
            back.into_candle(gpu).unwrap()
        });
        assert_eq!((kernels, allocated), (1, 60 * size_of::<T>() as u64));
        assert_eq!((back.dims(), back.dtype()), (tensor.dims(), tensor.dtype()));
        let wanted: Vec<f64> = (0..60).map(|k| f64::from(k) * 2.0 + 1.0).collect();
        assert_eq!(values(&back), wanted);
        // SAFETY: nobody changes the tensor in place.
        let found = unsafe { from_candle(&back) }.unwrap();
        assert_eq!(found.any_dtype(), <T as Element>::DTYPE);
    }

    #[test]
    fn every_type_goes_there_and_back() {
        on_a_gpu(|gpu| {
            for_each_type!(type_goes_there_and_back(gpu));
        });
    }

    fn layouts_are_read_in_place<T: Shared>(gpu: &CandleDevice) {
        let base = numbers::<T>(&[3, 4, 5], gpu);
        let column = base.narrow(2, 3, 1).unwrap().squeeze(2).unwrap();
        let layouts = [
            base.clone(),
            base.transpose(0, 2).unwrap(),
            base.permute((1, 2, 0)).unwrap(),
            base.narrow(1, 1, 2).unwrap(),
            base.narrow(0, 1, 2).unwrap().transpose(1, 2).unwrap(),
            column.t().unwrap(),
            base.narrow(0, 0, 1).unwrap().broadcast_as((3, 4, 5)).unwrap(),
            base.get(1).unwrap().get(2).unwrap().get(3).unwrap(),
        ];
        for tensor in layouts {
            let (plus, kernels, allocated) = computed(|| {
                let plus = array::<T>(&tensor).cast::<f64>() + 1.0;
                plus.eval().unwrap();
                plus
            });
            assert_eq!((kernels, allocated), (1, 8 * tensor.elem_count() as u64));
            assert_eq!(plus.shape(), tensor.dims());
            let wanted: Vec<f64> = values(&tensor).iter().map(|value| value + 1.0).collect();
            assert_eq!(plus.to_vec().unwrap(), wanted);
        }
    }

    #[test]
    fn tensors_of_every_type_and_layout_are_read_in_place() {
        on_a_gpu(|gpu| {
            for_each_type!(layouts_are_read_in_place(gpu));
        });
    }

    fn memory_is_shared<T: Shared>(gpu: &CandleDevice) {
        let tensor = numbers::<T>(&[64], gpu);
        let (a, kernels, allocated) = computed(|| array::<T>(&tensor));
        assert_eq!((kernels, allocated), (0, 0));
        assert_eq!(place(&a), address::<T>(&tensor));
        let a = (a.cast::<f64>() + 1.0).cast::<T>();
        let (at, before) = (place(&a), values(&tensor));
        let (back, kernels, allocated) = computed(|| a.into_candle(gpu).unwrap());
        assert_eq!((kernels, allocated), (0, 0));
        assert_eq!(address::<T>(&back), at);
        assert_eq!(values(&back)[63], 64.0);
        assert_eq!(values(&tensor), before);
    }

    #[test]
    fn where_nothing_is_computed_the_memory_is_the_same() {
        on_a_gpu(|gpu| {
            for_each_type!(memory_is_shared(gpu));
            // A part of a tensor that begins where an allocation might.
            let tensor = numbers::<f32>(&[64, 64], gpu).narrow(0, 7, 10).unwrap();
            assert_eq!(place(&array::<f32>(&tensor)), address::<f32>(&tensor));
        });
    }

    #[test]
    fn what_somebody_else_sees_is_copied() {
        on_a_gpu(|gpu| {
            // The tensor that the array came from.
            let tensor = numbers::<f64>(&[100], gpu);
            let back = array::<f64>(&tensor).into_candle(gpu).unwrap();
            assert_ne!(address::<f64>(&back), address::<f64>(&tensor));
            back.zero_set().unwrap();
            assert_eq!(values(&tensor)[99], 99.0);
            // Another handle of the array.
            let a = array::<f64>(&tensor) * 2.0;
            a.eval().unwrap();
            let back = a.clone().into_candle(gpu).unwrap();
            assert_ne!(address::<f64>(&back), place(&a));
            back.zero_set().unwrap();
            assert_eq!(a.to_vec().unwrap()[99], 198.0);
            // An expression that has not been computed.
            let later = &a + 1.0;
            let back = a.into_candle(gpu).unwrap();
            back.zero_set().unwrap();
            assert_eq!(later.to_vec().unwrap()[99], 199.0);
        });
    }

    const LENGTH: usize = 1 << 20;

    #[test]
    fn the_array_holds_the_tensor_and_the_tensor_the_data() {
        on_a_gpu(|gpu| {
            let tensor = numbers::<i64>(&[LENGTH], gpu);
            let a = array::<i64>(&tensor);
            let sum = a.sum(..);
            let part = a.slice(s![-3..]);
            drop((tensor, a));
            // Memory that was free would be overwritten.
            let others: Vec<Tensor> =
                (0..4).map(|_| Tensor::ones(LENGTH, CandleType::I64, gpu).unwrap()).collect();
            assert_eq!(sum.item().unwrap(), (LENGTH * (LENGTH - 1) / 2) as i64);
            let part = (part + 1).into_candle(gpu).unwrap();
            drop(others);
            let others: Vec<DeviceArray<i64>> =
                (0..4).map(|k| DeviceArray::full(LENGTH, k)).collect();
            others.iter().for_each(|other| other.eval().unwrap());
            let last = LENGTH as i64;
            assert_eq!(part.to_vec1::<i64>().unwrap(), [last - 2, last - 1, last]);
        });
    }

    /// More goes there and back than any GPU has memory.
    #[test]
    fn the_memory_goes_with_the_last_that_holds_it() {
        on_a_gpu(|gpu| {
            let mut value = Tensor::zeros((1 << 24,), CandleType::F32, gpu).unwrap();
            for _ in 0..2500 {
                value = (array::<f32>(&value) + 1.0).into_candle(gpu).unwrap();
                value = (value + 1.0).unwrap();
            }
            let ends = value.narrow(0, (1 << 24) - 2, 2).unwrap();
            assert_eq!(ends.to_vec1::<f32>().unwrap(), [5000.0; 2]);
        });
    }

    #[test]
    fn arrays_of_tensors_go_to_other_threads() {
        on_a_gpu(|gpu| {
            for turn in 0..20 {
                let mut tensor = Tensor::ones(LENGTH, CandleType::F64, gpu).unwrap();
                for _ in 0..turn {
                    tensor = (tensor * 2.0).unwrap();
                }
                let a = array::<f64>(&tensor);
                drop(tensor);
                let device = a.device();
                let doubled = std::thread::scope(|scope| {
                    let run = move || {
                        device.scope(|| {
                            let b = &a * 2.0;
                            b.eval().unwrap();
                            b
                        })
                    };
                    scope.spawn(run).join().unwrap()
                });
                let back = doubled.into_candle(gpu).unwrap();
                let wanted = 2f64.powi(turn + 1);
                assert!(back.to_vec1::<f64>().unwrap().iter().all(|&value| value == wanted));
            }
        });
    }

    #[test]
    fn arrays_of_every_shape_become_tensors_and_arrays_again() {
        on_a_gpu(|gpu| {
            for shape in [vec![], vec![0, 2], vec![5], vec![2, 3, 4]] {
                let tensor = DeviceArray::<f64>::ones(&shape[..]).into_candle(gpu).unwrap();
                assert_eq!(tensor.dims(), shape);
                let a = array::<f64>(&tensor) + 1.0;
                assert_eq!(a.shape(), shape);
                assert_eq!(a.to_vec().unwrap(), vec![2.0; tensor.elem_count()]);
            }
        });
    }

    #[test]
    fn tensors_on_the_other_device_are_copies() {
        on_a_gpu(|gpu| {
            let wanted: Vec<f64> = (0..5).map(f64::from).collect();
            let there = DeviceArray::<f32>::arange_to(5.0);
            assert!(there.device().is_cuda());
            let here = there.into_candle(&CPU).unwrap();
            assert!(here.device().is_cpu());
            assert_eq!(values(&here), wanted);
            let here = Device::cpu().scope(|| DeviceArray::<f32>::arange_to(5.0));
            let there = here.into_candle(gpu).unwrap();
            assert!(there.device().same_device(gpu));
            assert_eq!(values(&there), wanted);
        });
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        on_a_gpu(|gpu| {
            let tensor = Tensor::ones(3, CandleType::F32, gpu).unwrap();
            // SAFETY: nobody changes the tensors in place.
            let wrong = unsafe { DeviceArray::<f64>::from_candle(&tensor) };
            assert!(wrong.unwrap_err().is_shape());
            let bytes = Tensor::zeros(3, CandleType::F8E4M3, gpu).unwrap();
            // SAFETY: as above.
            let error = unsafe { from_candle(&bytes) }.unwrap_err();
            assert!(error.is_unsupported() && error.to_string().contains("F8E4M3"), "{error}");
            // The array is where its tensor is, whatever the current device.
            let there = Device::cpu().scope(|| array::<f32>(&tensor));
            assert!(there.device().is_cuda());
            let here = array::<f32>(&Tensor::ones(3, CandleType::F32, &CPU).unwrap());
            assert!(!here.device().is_cuda());
            assert!(there.try_add(&here).unwrap_err().is_device());
        });
    }
}
