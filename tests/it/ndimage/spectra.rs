//! Filters of spectra, of any function along an axis, and what is made of each region.

use super::{BORDERS, EXACT, close, with_file};
use lazuli::ndimage::*;
use lazuli::prelude::*;

#[test]
fn spectra_are_scipys() {
    with_file(|file| {
        for rank in 1..=3 {
            let a = file.array::<Complex<f64>>(&format!("spectrum{rank}"));
            let sizes = &[3.0, 2.0, 1.5][..rank];
            let real = Some((2 * a.shape()[0] - 1, 0));
            let named = |name: &str| {
                (format!("fourier_{name}{rank}"), format!("fourier_{name}_real{rank}"))
            };
            let near = close::<f64>();
            type Filter =
                fn(&DeviceArray<Complex<f64>>, &[f64], RealAxis) -> DeviceArray<Complex<f64>>;
            let filters: [(&str, Filter); 4] = [
                ("gaussian", fourier_gaussian),
                ("uniform", fourier_uniform),
                ("shift", fourier_shift),
                ("ellipsoid", fourier_ellipsoid),
            ];
            for (name, filter) in filters {
                let (whole, half) = named(name);
                file.within(&whole, &filter(&a, sizes, None), near);
                file.within(&half, &filter(&a, &[1.25], real), near);
            }
            // In single precision, and of real numbers.
            let real_part = a.real();
            let wanted = fourier_ellipsoid(&a, sizes, None).real();
            assert!(
                (fourier_ellipsoid(&real_part, sizes, None) - &wanted)
                    .abs()
                    .max(..)
                    .item()
                    .unwrap()
                    < 1e-14
            );
            let single = fourier_ellipsoid(&real_part.cast::<f32>(), sizes, None);
            let rest = (single.cast::<f64>() - wanted).abs().max(..).item().unwrap();
            assert!(rest < 1e-5, "{rest}");
        }
    });
}

#[test]
fn spectra_that_do_not_fit() {
    let a = DeviceArray::<f64>::ones([4, 5]);
    for error in [
        try_fourier_gaussian(&a, &[1.0, 2.0, 3.0], None).unwrap_err(),
        try_fourier_uniform(&a, &[], None).unwrap_err(),
        try_fourier_shift(&a, &[1.0], Some((8, 2))).unwrap_err(),
        try_fourier_ellipsoid(&a, &[1.0], Some((10, 1))).unwrap_err(),
    ] {
        assert!(error.is_shape(), "{error}");
    }
    let four = DeviceArray::<f64>::ones([2, 2, 2, 2]);
    assert!(try_fourier_ellipsoid(&four, &[1.0], None).unwrap_err().is_unsupported());
    let none = DeviceArray::<f64>::ones([0, 3]);
    assert_eq!(fourier_gaussian(&none, &[1.0], None).shape(), [0, 3]);
    assert_eq!(fourier_ellipsoid(&none, &[1.0], None).shape(), [0, 3]);
    let number = DeviceArray::from(3.0);
    assert_eq!(fourier_uniform(&number, &[2.0], None).item().unwrap(), 3.0);
}

#[test]
fn functions_along_axes() {
    with_file(|file| {
        let a = file.array::<f64>("image");
        for axis in [0, 1] {
            let each: Vec<DeviceArray<f64>> = BORDERS
                .map(|border| {
                    let placement = Placement::new(border).origin([1]);
                    generic_filter1d(&a, 4, axis, placement, |w| w.max(-1) - w.slice(s![.., .., 0]))
                })
                .to_vec();
            file.within(&format!("generic1d_{axis}"), &lazuli::stack(&each, 0), close::<f64>());
        }
        let second = |border: Border| {
            move |a: &DeviceArray<f64>, axis| correlate1d(a, &[1.0, -3.0, 2.0], axis, border)
        };
        let each = BORDERS.map(|border| generic_laplace(&a, second(border)));
        file.within("generic_laplace", &lazuli::stack(&each, 0), close::<f64>());
        let each = BORDERS
            .map(|border| generic_gradient_magnitude(&a, move |a, axis| sobel(a, axis, border)));
        file.within("generic_gradient", &lazuli::stack(&each, 0), close::<f64>());
        let number = DeviceArray::from(3.0);
        assert_eq!(generic_laplace(&number, |a, _| a * 0.0).item().unwrap(), 3.0);
    });
    let a = DeviceArray::<f64>::ones([4, 5]);
    let wrong = |size: usize, axis: isize| {
        try_generic_filter1d(&a, size, axis, Border::Wrap, |w| w.sum(-1)).map(|_| ())
    };
    assert!(wrong(3, 2).unwrap_err().is_shape() && wrong(0, 0).unwrap_err().is_shape());
    let whole = try_generic_filter1d(&a, 3, 0, Border::Wrap, |w| w.clone());
    assert!(whole.unwrap_err().is_shape());
    let none = DeviceArray::<f64>::ones([0, 3]);
    assert_eq!(generic_filter1d(&none, 3, 1, Border::Wrap, |w| w.sum(-1)).shape(), [0, 3]);
}

#[test]
fn functions_of_regions() {
    with_file(|file| {
        let labels = file.array::<i32>("regions");
        let values = file.array::<f64>("values");
        let index = file.array::<i64>("index").to_vec().unwrap();
        let count = labels.max(..).item().unwrap() as i64;
        file.within("median_all", &median(&values, &labels, 1..=count), close::<f64>());
        let counts = histogram(&values, -1.0, 1.5, 5, &labels, 1..=count);
        file.within("histogram", &counts, EXACT);
        let spread = |v: &DeviceArray<f64>| v.max(..) - v.min(..);
        let found = labeled_comprehension(&values, &labels, index.clone(), -1.0, spread).unwrap();
        file.within("comprehension", &found, close::<f64>());
        // In the order that is asked for; a label that is not there is NaN or zeros.
        let some = median(&values, &labels, index.clone()).to_vec().unwrap();
        let all = median(&values, &labels, 1..=count).to_vec().unwrap();
        for (label, got) in index.iter().zip(some) {
            match *label {
                label if label >= 1 && label <= count => {
                    assert_eq!(got, all[label as usize - 1]);
                }
                0 => {}
                _ => assert!(got.is_nan()),
            }
        }
        assert_eq!(histogram(&values, 0.0, 1.0, 2, &labels, [9000]).to_vec().unwrap(), [0, 0]);
    });
}

#[test]
fn values_and_odd_regions() {
    with_file(|_| {
        let a = DeviceArray::from_vec([2, 3], vec![5u8, 0, 5, 7, 0, 5]).unwrap();
        let found = value_indices(&a, None).unwrap();
        let host: Vec<(u8, Vec<Vec<i64>>)> = found
            .iter()
            .map(|(value, places)| (*value, places.iter().map(|p| p.to_vec().unwrap()).collect()))
            .collect();
        let wanted = [
            (0, vec![vec![0, 1], vec![1, 1]]),
            (5, vec![vec![0, 0, 1], vec![0, 2, 2]]),
            (7, vec![vec![1], vec![0]]),
        ];
        assert_eq!(host, wanted);
        assert_eq!(value_indices(&a, Some(5)).unwrap().len(), 2);
        let none = DeviceArray::<i32>::zeros([0, 2]);
        assert!(value_indices(&none, None).unwrap().is_empty());
        let values = DeviceArray::<f64>::zeros([0, 2]);
        assert!(median(&values, &none, [1]).item().unwrap().is_nan());
        assert_eq!(histogram(&values, 0.0, 1.0, 2, &none, [1]).to_vec().unwrap(), [0, 0]);
        let nothing = labeled_comprehension(&values, &none, [1, 2], 7.0, |v| v.sum(..)).unwrap();
        assert_eq!(nothing.to_vec().unwrap(), [7.0, 7.0]);
        let none_asked = labeled_comprehension(&values, &none, [], 7.0, |v| v.sum(..)).unwrap();
        assert!(none_asked.is_empty());
        // NaN goes last; infinities are no part of a sum.
        let x =
            DeviceArray::from_slice(&[f64::NAN, 2.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, -0.0])
                .unwrap();
        let labels = DeviceArray::from_slice(&[1, 1, 1, 2, 2, 2]).unwrap();
        assert_eq!(median(&x, &labels, [2, 1]).to_vec().unwrap(), [0.0, 2.0]);
        let counts = histogram(&x, 0.0, 2.0, 2, &labels, [1, 2]).to_vec().unwrap();
        assert_eq!(counts, [0, 2, 1, 0]);
    });
    let a = DeviceArray::<f64>::ones([4]);
    let labels = DeviceArray::<i32>::ones([4]);
    let short = DeviceArray::<i32>::ones([3]);
    assert!(try_median(&a, &short, [1]).unwrap_err().is_shape());
    for (low, high, bins) in
        [(0.0, 1.0, 0), (1.0, 1.0, 3), (0.0, f64::NAN, 3), (0.0, f64::INFINITY, 3)]
    {
        assert!(try_histogram(&a, low, high, bins, &labels, [1]).unwrap_err().is_shape());
    }
    let wrong = labeled_comprehension(&a, &labels, [1], 0.0, |v| v.clone());
    assert!(wrong.unwrap_err().is_shape());
}
