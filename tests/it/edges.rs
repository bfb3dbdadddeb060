//! Values at the edges of what composed functions take, where NumPy has an answer.

use crate::support::on_each_device;
use half::{bf16, f16};
use lazuli::prelude::*;
use lazuli::{PadMode, Scan, explain};

fn one<T: Element>(x: T) -> DeviceArray<T> {
    DeviceArray::from_slice(&[x]).expect("an upload")
}

#[test]
fn small_negative_powers_of_large_numbers() {
    on_each_device(|_| {
        let half = |x: f64, n| one(f16::from_f64(x)).powi(n).item().unwrap();
        assert_eq!(half(10.0, -5), f16::from_f64(1e-5));
        assert_eq!(half(300.0, -2), f16::from_f64(1.0 / 9e4));
        assert_eq!(half(4.5, -8), f16::from_f64(4.5f64.powi(-8)));
        let short = one(bf16::from_f64(1e20)).powi(-2).item().unwrap();
        assert_eq!(short, bf16::from_f64(1e-40));
        for (x, n) in [(1e14f32, -3), (-1e14, -3), (3e19, -2), (-2e5, -8), (1e6, -7)] {
            let (found, wanted) = (one(x).powi(n).item().unwrap(), f64::from(x).powi(n) as f32);
            assert!((found - wanted).abs() <= 3e-45 + 3e-7 * wanted.abs(), "{x:e}^{n}: {found:e}");
        }
        assert_eq!(one(f64::INFINITY).powi(-3).item().unwrap(), 0.0);
        assert_eq!(one(0.0f64).powi(-2).item().unwrap(), f64::INFINITY);
        assert!(one(f64::NAN).powi(-4).item().unwrap().is_nan());
        assert_eq!(one(10.0f64).powi(-2).item().unwrap(), 0.01);
    });
}

#[test]
fn sigmoids_that_are_hardly_numbers() {
    on_each_device(|_| {
        for x in [-88.73f32, -95.0, -103.0] {
            let (found, wanted) = (one(x).sigmoid().item().unwrap(), f64::from(x).exp() as f32);
            assert!((found - wanted).abs() <= 3e-45 + 1e-4 * wanted, "{x}: {found:e}");
        }
        let far = [-745.0, -709.8, -0.0, 800.0, f64::NEG_INFINITY, f64::INFINITY];
        let found = DeviceArray::from_slice(&far).unwrap().sigmoid().to_vec().unwrap();
        assert!(found[0] > 0.0 && found[1] > 5e-309 && found[2..] == [0.5, 1.0, 0.0, 1.0]);
        assert!(one(f64::NAN).sigmoid().item().unwrap().is_nan());
    });
}

#[test]
fn medians_without_what_is_not_a_number() {
    on_each_device(|_| {
        let of = |x: &[f64]| {
            let x = DeviceArray::from_slice(x).unwrap();
            (x.median(..).item().unwrap(), x.nan_median(..).item().unwrap())
        };
        for pair in [[-1.0, 1.0 + f64::EPSILON], [-1.5e308, 1.5e308], [0.1, 0.3]] {
            let (plain, without) = of(&pair);
            assert_eq!(plain.to_bits(), without.to_bits(), "of {pair:?}");
        }
        assert_eq!(of(&[3.0, f64::NAN, 1.0, 2.0]).1, 2.0);
        assert_eq!(of(&[f64::NAN, 3.0, 1.0]).1, 2.0);
        assert!(of(&[f64::NAN, f64::NAN]).1.is_nan());
        let error = one(1.0f64).try_percentile(150.0, ..).unwrap_err().to_string();
        assert!(error.contains("percentile 150"), "{error}");
    });
}

#[test]
fn powers_of_infinite_complex_numbers() {
    on_each_device(|_| {
        let (z, n) = (Complex::new(f64::INFINITY, 0.0), |n: f64| Complex::new(n, 0.0));
        let power = |z: Complex<f64>, w| one(z).power(&one(w)).item().unwrap();
        assert_eq!(power(z, n(1.0)), z);
        let square = power(z, n(2.0));
        assert!(square.re == f64::INFINITY && square.im.is_nan(), "{square}");
        assert_eq!(power(n(-1.0), n(17.0)), n(-1.0));
        assert_eq!(power(n(2.0), n(-2.0)), n(0.25));
    });
}

#[test]
fn gammas_of_far_negative_numbers() {
    // A GPU has CUDA's own function.
    Device::cpu().scope(|| {
        let single = |x: f32| one(x).gamma().item().unwrap();
        assert!((single(-38.9999) + 4.95e-43).abs() < 3e-45);
        assert!((single(-39.000_87) - 5.6e-44).abs() < 3e-45);
        let double = |x: f64| one(x).gamma().item().unwrap();
        for (x, negative) in [(-200.5, true), (-201.5, false), (-185.14, false), (-184.2, true)] {
            let y = double(x);
            assert!(y.abs() < 1e-300 && y.is_sign_negative() == negative, "{x}: {y:e}");
        }
        assert!(double(-3.0).is_nan());
    });
}

#[test]
fn triangles_beyond_every_diagonal() {
    on_each_device(|_| {
        let a = DeviceArray::<i32>::arange_to(6).reshape([2, 3]);
        for (k, all) in [(isize::MAX, true), (isize::MIN, false), (3, true), (-2, false)] {
            let (lower, upper) = (a.tril(k).to_vec().unwrap(), a.triu(k).to_vec().unwrap());
            assert_eq!(lower == [0, 1, 2, 3, 4, 5], all, "tril({k}): {lower:?}");
            assert_eq!(upper == [0; 6], all && k >= 3, "triu({k}): {upper:?}");
            let ones = DeviceArray::<i32>::tri(2, 3, k).to_vec().unwrap();
            assert_eq!(ones, [i32::from(all); 6], "tri({k})");
        }
    });
}

/// What a kernel would store has no elements, and another reads beyond its edge.
#[test]
fn arrays_without_elements_between_kernels() {
    on_each_device(|_| {
        let flat = DeviceArray::<f64>::zeros([0, 2, 2]);
        let long = DeviceArray::<f64>::zeros([0, 2, 200]);
        let around = PadMode::Constant(7.0);
        let cube = [(1, 1), (0, 0), (0, 0)];
        for scan in [flat.cumsum(1), flat.cummax(1), flat.cumsum_with(2, Scan::new().reverse())] {
            assert_eq!(scan.pad(&cube, around).to_vec().unwrap(), [7.0; 8]);
        }
        for sums in [long.sum(2), long.max(2), long.argmax(2).cast::<f64>(), long.var(2)] {
            assert_eq!(sums.pad(&cube[..2], around).to_vec().unwrap(), [7.0; 4]);
        }
        assert_eq!(long.sum([0, 2]).to_vec().unwrap(), [0.0; 2]);
        // Results themselves, and read by another result.
        assert!(flat.cumsum(0).to_vec().unwrap().is_empty());
        let (scan, sum, twice) = (flat.cumsum(1), long.sum(2), &flat * 2.0);
        let padded = [scan.pad(&cube, around), twice.pad(&cube, around)];
        let sums = sum.pad(&cube[..2], around);
        eval(&[&scan, &padded[0], &sum, &sums, &twice, &padded[1]]).unwrap();
        assert!(scan.to_vec().unwrap().is_empty() && sum.to_vec().unwrap().is_empty());
        assert_eq!(sums.to_vec().unwrap(), [7.0; 4]);
        for padded in padded {
            assert_eq!(padded.to_vec().unwrap(), [7.0; 8]);
        }
        // Evaluated before, uploaded, sorted, and from a product.
        let made = DeviceArray::from_vec([0, 2, 2], Vec::<f64>::new()).unwrap();
        let product = DeviceArray::<f64>::zeros([0, 5]).matmul(&DeviceArray::<f64>::zeros([5, 2]));
        let product = product.insert_axis(1).broadcast_to([0, 2, 2]);
        for empty in [scan, twice, made.clone(), made.sort(1), product] {
            assert_eq!(empty.pad(&cube, around).to_vec().unwrap(), [7.0; 8]);
        }
    });
}

#[test]
fn lengths_whose_product_is_no_number() {
    let a = DeviceArray::<i32>::arange_to(6);
    for shape in [[i64::MAX, 4, -1], [1 << 62, 1 << 62, 1], [i64::MAX, i64::MAX, 2]] {
        assert!(a.try_reshape(shape).unwrap_err().is_shape(), "{shape:?}");
    }
    assert!(a.try_reshape([0, i64::MAX, -1]).unwrap_err().is_shape());
}

/// Each step reads the array before it twice, once by way of a reduction.
#[test]
fn a_chain_of_reductions_takes_time_in_proportion() {
    on_each_device(|_| {
        let start = (DeviceArray::<f64>::arange_to(1200.0) * 0.7).sin().reshape([30, 40]);
        start.eval().unwrap();
        for axis in [0, 1] {
            let step = |a: &DeviceArray<f64>| a - a.max(keep(axis)) * 0.5;
            let chain = |n| (0..n).fold(start.clone(), |a, _| step(&a));
            let kernels = [24, 48].map(|n| explain(&[&chain(n)]).kernels());
            // Where the steps are found to be a loop, there is a kernel for all of them.
            let is_loop = explain(&[&chain(24)]).to_string().contains("recorded loop");
            assert!(is_loop || kernels[0] >= 3, "{kernels:?}");
            assert!(kernels[1] <= 2 * kernels[0] + 1, "{kernels:?}");
            let mut stepwise = start.clone();
            for _ in 0..48 {
                stepwise = step(&stepwise);
                stepwise.eval().unwrap();
            }
            assert_eq!(chain(48).to_vec().unwrap(), stepwise.to_vec().unwrap());
        }
    });
}
