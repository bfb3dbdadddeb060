//! Generic code of the host: elements as numbers of `num_traits`, and the standard library's traits.

use crate::support::{on_each_device, panic_message};
use lazuli::prelude::*;
use ndarray::ArrayView1;

#[device]
fn log_of_one_and_exp<T: num_traits::Float>(z: T) -> T {
    z.exp().ln_1p()
}

#[vectorize]
fn softplus<T: num_traits::Float>(x: T, sharpness: T) -> T {
    let z = x * sharpness;
    if z > T::zero() {
        x + log_of_one_and_exp(-z) / sharpness
    } else {
        log_of_one_and_exp(z) / sharpness
    }
}

#[guvectorize("(n)->()")]
fn sum_of_squares<T: num_traits::Float>(x: ArrayView1<T>) -> T {
    let mut sum = T::zero();
    for i in 0..x.len() {
        sum = sum + x[i] * x[i];
    }
    sum
}

/// A polynomial of an array or of a number.
fn horner<T: Number>(coefficients: &[T], x: T) -> T {
    coefficients.iter().fold(T::zero(), |sum, &c| sum * x + c)
}

fn variance<T: Floating>(x: &[T]) -> T {
    let n = T::from_f64(x.len() as f64);
    let mean = x.iter().fold(T::zero(), |sum, &v| sum + v) / n;
    x.iter().fold(T::zero(), |sum, &v| sum + (v - mean) * (v - mean)) / n
}

fn normalised<T: Floating>(x: &DeviceArray<T>) -> DeviceArray<T> {
    (x - x.mean(..)) / (x.var(..) + T::one()).sqrt()
}

#[test]
fn elements_are_numbers() {
    assert_eq!(horner(&[1, 0, -2], 3), 7);
    assert_eq!(horner(&[1.0, 0.0, -2.0], 3.0f32), 7.0);
    let i = Complex::new(0.0, 1.0);
    assert_eq!(horner(&[i, i], i), Complex::new(-1.0, 1.0));
    assert_eq!(horner(&[f16::ONE, f16::ONE], f16::from_f32(0.5)), f16::from_f32(1.5));
    assert_eq!(variance(&[1.0, 3.0]), 1.0);
    fn bits<T: Integer>(a: T, b: T) -> T {
        (a & b) ^ (!(a | b) % T::one())
    }
    assert_eq!(bits(12i32, 10), 8);
    fn mirrored<T: Signed>(mut x: T) -> T {
        x -= T::one();
        -x
    }
    assert_eq!((mirrored(3i8), mirrored(0.5)), (-2, 0.5));
    on_each_device(|_| {
        let x = DeviceArray::<f64>::linspace(-1.0, 1.0, 3);
        let scale = (2.0f64 / 3.0 + 1.0).sqrt();
        let wanted = [-1.0 / scale, 0.0, 1.0 / scale];
        for (got, wanted) in normalised(&x).to_vec().unwrap().into_iter().zip(wanted) {
            assert!((got - wanted).abs() < 1e-15);
        }
    });
}

#[test]
fn functions_over_the_floats_of_num_traits() {
    on_each_device(|_| {
        let x = [-800.0, -1.0, 0.0, 2.5, 800.0, f64::INFINITY, f64::NAN];
        let got = softplus::call(&DeviceArray::from_slice(&x).unwrap(), 2.0).to_vec().unwrap();
        for (got, wanted) in got.into_iter().zip(x.map(|x| softplus(x, 2.0))) {
            let near = (got - wanted).abs() <= 4e-16 * wanted.abs() || got == wanted;
            assert!(near || got.is_nan() && wanted.is_nan(), "{got} {wanted}");
        }
        let x = [-3.0f32, 0.5];
        let got = softplus::call(&DeviceArray::from_slice(&x).unwrap(), 1.0).to_vec().unwrap();
        assert!((got[1] - softplus(0.5f32, 1.0)).abs() < 1e-6);
        let x = DeviceArray::from_slice(&[3.0f32, 4.0]).unwrap();
        assert_eq!(sum_of_squares::call(&x).item().unwrap(), 25.0);
    });
}

#[test]
fn equality_is_that_of_all_elements() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::linspace(0.0, 1.0, 5);
        assert_eq!(&a + 1.0, DeviceArray::linspace(1.0, 2.0, 5));
        assert_ne!(a, a.insert_axis(0));
        assert_ne!(a, &a + 1e-9);
        let nan = DeviceArray::full(2, f64::NAN);
        assert_ne!(nan, nan.clone());
        assert_eq!(DeviceArray::<f64>::full((), -0.0), DeviceArray::zeros(()));
        assert_eq!(DeviceArray::<i8>::zeros([0, 3]), DeviceArray::ones([0, 3]));
        assert_ne!(DeviceArray::<i8>::zeros([0, 3]), DeviceArray::ones([3, 0]));
        assert_eq!(a.slice(s![..;-2]), DeviceArray::from_slice(&[1.0, 0.5, 0.0]).unwrap());
        assert!(a.broadcast_to([2, 5]) == twice(&a));
        // Shapes that differ are not computed.
        let waiting = a.sin();
        assert_ne!(waiting, DeviceArray::zeros(4));
        assert!(!waiting.is_evaluated());
    });
    let devices = Device::all();
    if let [a, b, ..] = devices[..] {
        let on = |device: Device| device.scope(|| DeviceArray::<f64>::zeros(2));
        assert!(panic_message(|| on(a) == on(b)).contains("live on different devices"));
        assert!(on(a) != on(b).insert_axis(0));
    }
}

fn twice(a: &DeviceArray<f64>) -> DeviceArray<f64> {
    stack(&[a, a], 0)
}

#[test]
fn an_evaluation_that_fails_panics() {
    let a = DeviceArray::from_slice(&[1, 2]).unwrap();
    let out = a.take(DeviceArray::from_slice(&[0, 5]).unwrap(), 0);
    assert!(panic_message(|| out == a).contains("index 5"));
}

#[test]
fn defaults_and_collected_arrays() {
    on_each_device(|device| {
        let empty = DeviceArray::<f32>::default();
        assert_eq!((empty.shape(), empty.device()), (&[0][..], device));
        let squares: DeviceArray<i64> = (0..5).map(|k| k * k).collect();
        assert_eq!(squares.to_vec().unwrap(), [0, 1, 4, 9, 16]);
        assert_eq!(std::iter::empty::<bool>().collect::<DeviceArray<bool>>(), Default::default());
    });
}

#[test]
fn sums_and_products_of_arrays() {
    on_each_device(|device| {
        let a = DeviceArray::<f64>::linspace(1.0, 3.0, 3);
        let all = [a.clone(), &a * 10.0, DeviceArray::full([2, 1], 0.5)];
        let sum: DeviceArray<f64> = all.iter().sum();
        assert_eq!(sum, DeviceArray::try_from([[11.5, 22.5, 33.5]; 2]).unwrap());
        let product: DeviceArray<f64> = all.into_iter().product();
        assert_eq!(product, DeviceArray::try_from([[5.0, 20.0, 45.0]; 2]).unwrap());
        let none: DeviceArray<i32> = std::iter::empty::<DeviceArray<i32>>().sum();
        assert_eq!((none.shape(), none.item().unwrap(), none.device()), (&[][..], 0, device));
        let none: DeviceArray<Complex<f32>> = [].iter().product();
        assert_eq!(none.item().unwrap(), Complex::new(1.0, 0.0));
        let other = [DeviceArray::<f64>::zeros(2), DeviceArray::zeros(3)];
        let refused = panic_message(|| other.iter().sum::<DeviceArray<f64>>());
        assert!(refused.contains("[2] and [3] cannot be broadcast"), "{refused}");
    });
}

#[test]
fn arrays_along_an_axis() {
    on_each_device(|_| {
        let a = DeviceArray::<i32>::arange_to(24).reshape([2, 3, 4]);
        let firsts = |axis: isize| -> Vec<i32> {
            a.axis_iter(axis).map(|part| part.get([0, 0]).unwrap()).collect()
        };
        assert_eq!(
            (firsts(0), firsts(1), firsts(-1)),
            (vec![0, 12], vec![0, 4, 8], vec![0, 1, 2, 3])
        );
        let mut outer = a.outer_iter();
        assert_eq!((outer.len(), outer.size_hint()), (2, (2, Some(2))));
        assert_eq!(outer.next_back().unwrap(), a.slice(s![1, .., ..]));
        assert_eq!(outer.next().unwrap(), a.slice(s![0, .., ..]));
        assert!(outer.next().is_none() && outer.next_back().is_none() && outer.nth(3).is_none());
        let m = a.slice(s![1, .., ..;-1]);
        let rows: Vec<Vec<i32>> = m.rows().map(|row| row.to_vec().unwrap()).collect();
        assert_eq!(rows, [[15, 14, 13, 12], [19, 18, 17, 16], [23, 22, 21, 20]]);
        assert_eq!(m.columns().map(|c| c.sum(..).item().unwrap()).max(), Some(57));
        let none = DeviceArray::<f64>::zeros([0, 3]);
        assert_eq!((none.rows().count(), none.columns().count()), (0, 3));
        for error in [
            a.try_rows().err().unwrap(),
            a.index_axis(0, 0).index_axis(0, 0).try_columns().err().unwrap(),
            a.try_axis_iter(3).err().unwrap(),
            DeviceArray::<f64>::zeros(()).try_outer_iter().err().unwrap(),
        ] {
            assert!(error.is_shape() && error.to_string().contains("generic.rs:"), "{error}");
        }
    });
}

#[test]
fn elements_by_their_places() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::linspace(0.0, 5.0, 6).reshape([2, 3]) * 2.0;
        assert_eq!((a.get([1, 2]).unwrap(), a.get([-1, -3]).unwrap()), (10.0, 6.0));
        assert!(a.is_evaluated());
        let place = vec![1usize, 1];
        assert_eq!(a.t().get(&place).unwrap(), 8.0);
        assert_eq!(a.slice(s![1, ..;-1]).get(0).unwrap(), 10.0);
        assert_eq!(a.broadcast_to([4, 2, 3]).get([3, 0, 1]).unwrap(), 2.0);
        assert!(DeviceArray::full((), true).get(&[] as &[usize]).unwrap());
        for place in [&[2, 0][..], &[0, -4], &[0], &[0, 0, 0], &[]] {
            let error = a.get(place).unwrap_err();
            assert!(error.is_shape() && error.to_string().contains("generic.rs:"), "{error}");
        }
    });
}
