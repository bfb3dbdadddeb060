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
    use candle_core::{Device as CandleDevice, Tensor};
    use lazuli::prelude::*;

    #[test]
    fn through_a_fused_expression_and_back() {
        let (Ok(gpu), Ok(_)) = (CandleDevice::new_cuda(0), Device::cuda(0)) else { return };
        let tensor = Tensor::randn(0f32, 1f32, (500, 400), &gpu).unwrap();
        let mut value = tensor.clone();
        for _ in 0..50 {
            // SAFETY: nobody changes the tensor in place.
            let x = unsafe { DeviceArray::<f32>::from_candle(&value.t().unwrap()) }.unwrap();
            let before = lazuli::counters();
            value = (&x * 0.5 + 1.0).into_candle(&gpu).unwrap();
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
    }
}
