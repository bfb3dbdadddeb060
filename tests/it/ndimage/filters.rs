//! Weighted sums, derivatives and ranks over windows.

use super::{BORDERS, EXACT, File, close, with_file};
use crate::support::value::Typed;
use lazuli::ndimage::*;
use lazuli::prelude::*;

/// The first numbers of a list, as many as there are axes.
fn first<T: Copy>(list: [T; 3], rank: usize) -> Vec<T> {
    list[..rank].to_vec()
}

fn linear<T: Typed + Number>(file: &File, name: &str) {
    let a = &file.array::<T>(name);
    let rank = a.ndim();
    let w3 = &file.array::<f64>(&format!("{name}_w3"));
    let w24 = &file.array::<f64>(&format!("{name}_w24"));
    let near = close::<T>();
    let check = |what: &str, call: &dyn Fn(Border) -> DeviceArray<T>| {
        file.borders(&format!("{name}_{what}"), near, call);
    };
    let at = |border, origins: [isize; 3]| Placement::new(border).origin(first(origins, rank));
    check("correlate", &|b| correlate(a, w3, b));
    check("convolve", &|b| convolve(a, w3, b));
    check("correlate_even", &|b| correlate(a, w24, at(b, [-1, 1, 0])));
    check("convolve_even", &|b| convolve(a, w24, at(b, [0, 1, 0])));
    let weights = [0.5, -1.25, 2.0, 0.25];
    check("correlate1d", &|b| correlate1d(a, &weights, 0, Placement::new(b).origin([1])));
    check("convolve1d", &|b| convolve1d(a, &weights, -1, Placement::new(b).origin([-1])));
    check("gaussian", &|b| gaussian_filter(a, Gaussian::new(0.8).border(b)));
    let sigmas = first([0.7, 1.1, 0.5], rank);
    check("gaussian_orders", &|b| {
        let how = Gaussian::new(&sigmas[..]).order(first([1, 2, 0], rank)).truncate(3.0);
        gaussian_filter(a, how.border(b))
    });
    check("gaussian1d", &|b| gaussian_filter1d(a, Gaussian::new(1.3).order([3]).border(b), 0));
    check("gaussian_wide", &|b| gaussian_filter1d(a, Gaussian::new(6.0).border(b), -1));
    check("uniform", &|b| {
        let window = Window::from(first([3, 4, 2], rank)).origin(first([1, -1, 0], rank));
        uniform_filter(a, window.border(b))
    });
    check("uniform_long", &|b| uniform_filter1d(a, 40, -1, b));
    check("sobel", &|b| sobel(a, 0, b));
    check("prewitt", &|b| prewitt(a, -1, b));
    check("laplace", &|b| laplace(a, b));
    check("gaussian_laplace", &|b| gaussian_laplace(a, Gaussian::new(0.9).border(b)));
    if !T::DTYPE.is_integer() {
        check("gaussian_gradient", &|b| {
            gaussian_gradient_magnitude(a, Gaussian::new(0.9).border(b))
        });
    }
}

pub(super) fn footprint(rank: usize) -> Window {
    match rank {
        1 => Window::footprint(ndarray::array![true, false, true, true]),
        2 => Window::footprint(ndarray::array![[true, false, true], [false, true, true]]),
        _ => Window::footprint(ndarray::array![
            [[true, false], [true, true]],
            [[false, true], [true, true]]
        ]),
    }
}

fn ranks<T: Typed + Ordered>(file: &File, name: &str) {
    let a = &file.array::<T>(name);
    let rank = a.ndim();
    let check = |what: &str, call: &dyn Fn(Border) -> DeviceArray<T>| {
        file.borders(&format!("{name}_{what}"), EXACT, call);
    };
    let size = || Window::from(first([3, 4, 2], rank));
    let large = || Window::from(first([8, 7, 2], rank));
    let foot = || footprint(rank);
    check("minimum", &|b| minimum_filter(a, size().origin(first([1, -2, 0], rank)).border(b)));
    check("maximum", &|b| maximum_filter(a, large().border(b)));
    check("minimum_footprint", &|b| minimum_filter(a, foot().origin([-1]).border(b)));
    check("maximum_footprint", &|b| maximum_filter(a, foot().border(b)));
    let odd = || if rank < 3 { Window::from(3) } else { Window::from([3, 3, 1]) };
    check("median", &|b| median_filter(a, odd().border(b)));
    check("median_footprint", &|b| median_filter(a, foot().border(b)));
    let many = || if rank > 1 { Window::from(first([9, 5, 3], rank)) } else { Window::from(27) };
    check("median_large", &|b| median_filter(a, many().border(b)));
    check("rank", &|b| rank_filter(a, -2, size().border(b)));
    let many = || if rank > 1 { large() } else { Window::from(29) };
    check("rank_large", &|b| rank_filter(a, 3, many().origin([-1]).border(b)));
    check("percentile", &|b| percentile_filter(a, 30.0, size().border(b)));
    check("percentile_negative", &|b| percentile_filter(a, -15.0, foot().border(b)));
}

#[test]
fn linear_filters_are_scipys() {
    with_file(|file| {
        for name in ["line", "image", "volume", "flat", "small"] {
            linear::<f64>(file, name);
        }
        linear::<f32>(file, "image");
        linear::<i32>(file, "image");
        linear::<u8>(file, "image");
        linear::<i16>(file, "image");
    });
}

#[test]
fn rank_filters_are_scipys() {
    with_file(|file| {
        for name in ["line", "image", "volume", "flat", "small"] {
            ranks::<f64>(file, name);
        }
        ranks::<f32>(file, "image");
        ranks::<i32>(file, "image");
        ranks::<u8>(file, "image");
        ranks::<i16>(file, "image");
    });
}

#[test]
fn complex_arrays_and_odd_numbers() {
    with_file(|file| {
        let z = file.array::<Complex<f64>>("complex");
        let near = close::<f64>();
        file.borders("complex_gaussian", near, |b| {
            gaussian_filter(&z, Gaussian::new(0.8).border(b))
        });
        let weights = file.array::<f64>("image_w3");
        file.borders("complex_correlate", near, |b| correlate(&z, &weights, b));
        let odd = file.array::<f64>("odd");
        let weights = DeviceArray::from_slice(&[1.0, 0.0, -2.0]).unwrap();
        file.borders("odd_correlate1d", near, |b| correlate1d(&odd, &[1.0, 0.0, -2.0], -1, b));
        file.borders("odd_correlate", near, |b| correlate(&odd, &weights, b));
        file.borders("odd_gaussian", near, |b| gaussian_filter(&odd, Gaussian::new(0.3).border(b)));
        let mixed = file.array::<f64>("image");
        let how = Gaussian::new(1.0);
        let both = how.clone().borders([Border::Wrap, Border::Mirror]);
        file.within("mixed_gaussian", &gaussian_filter(&mixed, both), near);
        file.within("mixed_radius", &gaussian_filter(&mixed, how.radius([1, 3])), near);
    });
}

#[test]
fn views_empty_arrays_and_no_axes() {
    with_file(|file| {
        // What a filter reads may be strided, reversed or broadcast, and fuses with what is before.
        let a = file.array::<f64>("image");
        let view = a.slice(s![..;-2, 1..;3]);
        let copy = DeviceArray::from_ndarray(&view.copy_to_host().unwrap()).unwrap();
        let same = |x: DeviceArray<f64>, y: DeviceArray<f64>| {
            assert_eq!(x.to_vec().unwrap(), y.to_vec().unwrap());
        };
        same(gaussian_filter(&view, 1.0), gaussian_filter(&copy, 1.0));
        same(median_filter(&view.t(), 3), median_filter(&copy, 3).t());
        let one = DeviceArray::from_slice(&[2.0]).unwrap().broadcast_to([4, 4]);
        same(uniform_filter(&one, 3), DeviceArray::full([4, 4], 2.0));
        for b in BORDERS {
            let none = DeviceArray::<f64>::zeros([0, 3]);
            assert_eq!(gaussian_filter(&none, Gaussian::new(1.0).border(b)).shape(), [0, 3]);
            assert_eq!(median_filter(&none, Window::new(3).border(b)).shape(), [0, 3]);
            assert_eq!(windows(&none, Window::new(3).border(b)).shape(), [0, 3, 9]);
            assert_eq!(laplace(&none, b).shape(), [0, 3]);
            assert_eq!(correlate(&none, &DeviceArray::<f64>::ones([3, 3]), b).shape(), [0, 3]);
            let number = DeviceArray::from(3.0);
            assert_eq!(gaussian_filter(&number, Gaussian::new(1.0).border(b)).item().unwrap(), 3.0);
            assert_eq!(maximum_filter(&number, Window::new(3).border(b)).item().unwrap(), 3.0);
        }
    });
}

#[test]
fn windows_of_footprints_and_functions_of_them() {
    with_file(|file| {
        let a = &file.array::<f64>("image");
        for b in BORDERS {
            let all = windows(a, footprint(2).border(b));
            assert_eq!(all.shape(), [5, 7, 4]);
            let least = minimum_filter(a, footprint(2).border(b)).to_vec().unwrap();
            assert_eq!(all.min(-1).to_vec().unwrap(), least);
            let each = neighbours(a, footprint(2).border(b));
            let folded = each[1..].iter().fold(each[0].clone(), |x, y| x.minimum(y));
            assert_eq!(folded.to_vec().unwrap(), least);
            let mean = generic_filter(a, Window::new([3, 3]).border(b), |w| w.mean(-1));
            let uniform = uniform_filter(a, Window::new(3).border(b));
            assert!((mean - uniform).abs().max(..).item().unwrap() < 1e-14);
        }
    });
}

#[test]
fn nan_in_ranks() {
    with_file(|_| {
        let mut values = vec![1.0f32; 64];
        values[9] = f32::NAN;
        values[40] = f32::NEG_INFINITY;
        values[41] = -0.0;
        let a = DeviceArray::from_slice(&values).unwrap();
        let small = median_filter(&a, 3).to_vec().unwrap();
        assert!((8..11).all(|k| small[k].is_nan()) && small[11] == 1.0 && small[40] == 0.0);
        // Of many elements NaN is the greatest.
        let large = a.slice(s![..40]);
        let window = Window::new(27).border(Border::Nearest);
        assert!(rank_filter(&large, -2, window).to_vec().unwrap().iter().all(|&x| x == 1.0));
        let least = rank_filter(&a, 1, 31).to_vec().unwrap();
        assert_eq!(least[45], 0.0);
        let halves = a.cast::<f16>();
        assert_eq!(rank_filter(&halves, 1, 31).cast::<f32>().to_vec().unwrap()[45], 0.0);
    });
}

#[test]
fn what_filters_refuse() {
    with_file(|_| {
        let a = &DeviceArray::<f64>::zeros([4, 5]);
        let weights = DeviceArray::<f64>::ones([3]);
        let errors = [
            try_correlate(a, &weights, Border::Reflect).err(),
            try_correlate(a, &DeviceArray::<f64>::ones([0, 3]), Border::Reflect).err(),
            try_correlate(a, &DeviceArray::<Complex<f64>>::ones([1, 3]), Border::Reflect).err(),
            try_correlate1d(a, &[1.0; 3], 2, Border::Reflect).err(),
            try_correlate1d(a, &[], 0, Border::Reflect).err(),
            try_correlate1d(a, &[1.0; 3], 0, Placement::default().origin([2])).err(),
            try_correlate1d(a, &[1.0; 3], 0, [Border::Wrap; 3]).err(),
            try_gaussian_filter(a, [1.0, 2.0, 3.0]).err(),
            try_gaussian_filter(a, f64::NAN).err(),
            try_gaussian_filter(a, 1e300).err(),
            try_uniform_filter(a, 0).err(),
            try_median_filter(a, [3, 3, 3]).err(),
            try_median_filter(a, Window::footprint(ndarray::arr1(&[true]))).err(),
            try_median_filter(a, Window::footprint(ndarray::arr2(&[[false]]))).err(),
            try_median_filter(a, [1 << 13, 1 << 13]).err(),
            try_minimum_filter(a, Window::new(3).origin([-2, 0])).err(),
            try_rank_filter(a, 9, 3).err(),
            try_rank_filter(a, -10, 3).err(),
            try_percentile_filter(a, 100.5, 3).err(),
            try_generic_filter(a, 3, |w| w.sum(..)).err(),
        ];
        for (k, error) in errors.into_iter().enumerate() {
            let error = error.unwrap_or_else(|| panic!("nothing was refused: {k}"));
            assert!(error.is_shape() && error.to_string().contains("filters.rs"), "{error}");
        }
    });
}
