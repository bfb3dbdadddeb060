//! Scans, differences and searches against NumPy's and SciPy's answers (`tests/data/scans`), and
//! against plain loops where arrays are long.

use crate::support::compare::{Tolerance, difference};
use crate::support::load::{Arrays, arrays};
use crate::support::on_each_device;
use crate::support::value::{Host, Typed, Value, on};
use lazuli::prelude::*;
use lazuli::{Bins, EdgeOrder, Outside, Side, explain, histogram2d};

/// Runs a check with the arrays of the file, on every device.
fn with_file(check: impl Fn(&Arrays)) {
    let file = arrays("scans/scans.npz");
    on_each_device(|_| check(&file));
}

fn named<T: Typed>(file: &Arrays, name: &str) -> DeviceArray<T> {
    let dtype = format!("{:?}", T::DTYPE).to_lowercase();
    let key = format!("{name}.{dtype}");
    let host = file.get(&key).unwrap_or_else(|| panic!("no {key}"));
    T::of(&host.upload().unwrap()).clone()
}

#[track_caller]
fn same<T: Typed>(file: &Arrays, name: &str, got: DeviceArray<T>, tolerance: Tolerance) {
    let dtype = format!("{:?}", T::DTYPE).to_lowercase();
    let expected = &file[&format!("{name}.{dtype}")];
    let got: Host = Value::from(got).to_host().unwrap();
    if let Some(what) = difference(&got, expected, tolerance) {
        panic!("{name}: {what}");
    }
}

const CLOSE: Tolerance = Tolerance { ulp: 4, rtol: 1e-12, atol: 1e-12, signed_zero: false };
const EXACT: Tolerance = Tolerance { ulp: 0, rtol: 0.0, atol: 0.0, signed_zero: false };

fn tolerance(kind: &str) -> Tolerance {
    let relative = match kind {
        "f16" => 2e-3,
        "f32" | "c64" => 3e-6,
        _ => 1e-13,
    };
    Tolerance { ulp: 1, rtol: relative, atol: relative, signed_zero: false }
}

/// The axes of the cases, `None` for all elements.
const AXES: [Option<isize>; 4] = [Some(0), Some(1), Some(2), None];

macro_rules! along {
    ($a:expr, $method:ident, $axis:expr) => {
        match $axis {
            Some(axis) => $a.$method(axis),
            None => $a.$method(..),
        }
    };
}

fn axis_name(axis: Option<isize>) -> String {
    axis.map_or("None".into(), |axis| axis.to_string())
}

#[test]
fn scans_of_every_type_along_every_axis() {
    with_file(|file| {
        for kind in [
            "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64",
            "c64", "c128",
        ] {
            let x = file[&format!("{kind}_x.{kind}")].upload().unwrap();
            let near = tolerance(kind);
            for axis in AXES {
                let name = |op: &str| format!("{kind}_{op}_{}", axis_name(axis));
                on!(element Value, &x, a => {
                    same(file, &name("cumsum"), along!(a, cumsum, axis), near);
                    same(file, &name("cumprod"), along!(a, cumprod, axis), near);
                });
                on!(ordered Value, &x, a => {
                    same(file, &name("cummin"), along!(a, cummin, axis), EXACT);
                    same(file, &name("cummax"), along!(a, cummax, axis), EXACT);
                });
                on!(inexact Value, &x, a => {
                    same(file, &name("nancumsum"), along!(a, nan_cumsum, axis), near);
                    same(file, &name("nancumprod"), along!(a, nan_cumprod, axis), near);
                });
            }
        }
    });
}

#[test]
fn long_scans_of_every_shape_against_loops() {
    on_each_device(|_| {
        let shapes: [[usize; 2]; 10] = [
            [1, 1_200_000],
            [1, 70_001],
            [3, 50_000],
            [70, 3000],
            [400, 400],
            [5000, 33],
            [70_000, 3],
            [300_000, 2],
            [2, 300_000],
            [33, 4096],
        ];
        for shape in shapes {
            let [n, m] = shape;
            let host: Vec<i32> =
                (0..n * m).map(|i| (i as i32).wrapping_mul(77) % 1000 - 400).collect();
            let a = DeviceArray::from_vec(shape, host.clone()).unwrap();
            let mut sums = vec![0i64; n * m];
            let mut left = vec![0i64; n * m];
            let mut top = vec![0i32; n * m];
            for i in 0..n {
                let mut sum = 0i64;
                for j in 0..m {
                    left[i * m + j] = sum;
                    sum += i64::from(host[i * m + j]);
                    sums[i * m + j] = sum * 2;
                }
            }
            for j in 0..m {
                let mut best = i32::MIN;
                for i in (0..n).rev() {
                    best = best.max(host[i * m + j]);
                    top[i * m + j] = best;
                }
            }
            let along = a.cumsum(1) * 2;
            let before = a.cumsum_with(1, Scan::new().exclusive());
            eval(&[&along, &before]).unwrap();
            assert!(along.to_vec().unwrap() == sums, "sums of {shape:?}");
            assert!(before.to_vec().unwrap() == left, "sums before each of {shape:?}");
            let down = a.cummax_with(0, Scan::new().reverse());
            assert!(down.to_vec().unwrap() == top, "maxima from the end of {shape:?}");
            let flat = a.cumsum(..);
            assert_eq!(
                flat.slice(s![-1]).item().unwrap(),
                host.iter().map(|&x| i64::from(x)).sum::<i64>()
            );
        }
    });
}

#[test]
fn scans_of_floating_point_numbers_are_precise_and_the_same_on_every_run() {
    on_each_device(|_| {
        let n = 3_000_000i64;
        let host: Vec<f32> = (0..n).map(|i| ((i * 7919) % 1000) as f32 / 1000.0 - 0.3).collect();
        let a = DeviceArray::from_slice(&host).unwrap();
        let first = a.cumsum(0).to_vec().unwrap();
        let (mut sum, mut worst) = (0f64, 0f64);
        for (x, got) in host.iter().zip(&first) {
            sum += f64::from(*x);
            worst = worst.max((f64::from(*got) - sum).abs() / sum.abs().max(100.0));
        }
        assert!(worst < 2e-6, "{worst}");
        for _ in 0..4 {
            let again = a.cumsum(0).to_vec().unwrap();
            assert!(first.iter().zip(&again).all(|(x, y)| x.to_bits() == y.to_bits()));
        }
    });
}

#[test]
fn scans_fuse_on_both_sides() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::linspace(0.0, 1.0, 5000).reshape([5, 1000]);
        let y = (a.sin() * 2.0).cumsum(1).exp() + &a;
        assert_eq!(explain(&[&y]).kernels(), 1);
        let both = a.cumsum(1) - a.cummax(1);
        assert_eq!(explain(&[&both]).kernels(), 1);
        let again = a.cumsum(1).cumsum(1);
        assert_eq!(explain(&[&again]).kernels(), 2);
        let sum = y.to_vec().unwrap();
        let plain: Vec<f64> = a.to_vec().unwrap();
        for i in 0..5 {
            let mut total = 0.0;
            for j in 0..1000 {
                let x = plain[i * 1000 + j];
                total += x.sin() * 2.0;
                let right = total.exp() + x;
                let got = sum[i * 1000 + j];
                assert!(
                    (got - right).abs() <= 1e-9 * right.abs() || got == right,
                    "{got} and {right}"
                );
            }
        }
    });
}

#[test]
fn scans_of_views() {
    on_each_device(|_| {
        let a = DeviceArray::<i64>::arange_to(24).reshape([4, 6]);
        let b = a.t().slice(s![1.., ..;-1]).cumsum(0);
        let plain = |i: i64, j: i64| (1..=i + 1).map(|k| (3 - j) * 6 + k).sum::<i64>();
        let expected: Vec<i64> = (0..5).flat_map(|i| (0..4).map(move |j| plain(i, j))).collect();
        assert_eq!(b.to_vec().unwrap(), expected);
        let c = DeviceArray::full([3, 5], 2i32).cumsum(1);
        assert_eq!(c.slice(s![2, ..]).to_vec().unwrap(), [2i64, 4, 6, 8, 10]);
        let row = DeviceArray::<i64>::arange_to(5).broadcast_to([3, 5]);
        assert_eq!(row.cumsum(0).slice(s![2, ..]).to_vec().unwrap(), [0, 3, 6, 9, 12]);
        let mut d = DeviceArray::<i64>::zeros([2, 8]);
        d.assign(s![.., 2..6], &DeviceArray::<i64>::ones([2, 4]).cumsum(1));
        assert_eq!(d.slice(s![1, ..]).to_vec().unwrap(), [0, 0, 1, 2, 3, 4, 0, 0]);
    });
}

#[test]
fn differences_and_integrals() {
    with_file(|file| {
        let (y, x): (DeviceArray<f64>, DeviceArray<f64>) =
            (named(file, "y"), named(file, "points"));
        let every: DeviceArray<f64> = named(file, "every_point");
        let (before, after): (DeviceArray<f64>, DeviceArray<f64>) =
            (named(file, "before"), named(file, "after"));
        same(file, "diff2_with", y.diff_with(2, 1, Some(&before), Some(&after)), CLOSE);
        let (begin, end) =
            (DeviceArray::from_slice(&[1.0, 2.0]).unwrap(), DeviceArray::full(1, 3.0));
        same(file, "ediff1d", y.ediff1d_with(Some(&begin), Some(&end)), CLOSE);
        assert_eq!(y.ediff1d().shape(), [119]);
        same(file, "trapezoid_dx", y.trapezoid(0.25, 1), CLOSE);
        same(file, "trapezoid_x", y.trapezoid(&x, 1), CLOSE);
        same(file, "trapezoid_every", y.trapezoid(&every, 1), CLOSE);
        same(file, "cumulative_dx", y.cumulative_trapezoid(0.25, 1, None), CLOSE);
        same(file, "cumulative_x", y.cumulative_trapezoid(&x, 1, Some(0.0)), CLOSE);
        for (order, edge) in [(1, EdgeOrder::First), (2, EdgeOrder::Second)] {
            same(file, &format!("gradient_dx_{order}"), y.gradient_with(0.5, 1, edge), CLOSE);
            same(file, &format!("gradient_x_{order}"), y.gradient_with(&x, 1, edge), CLOSE);
        }
        for (axis, slope) in y.gradients().into_iter().enumerate() {
            same(file, &format!("gradients_{axis}"), slope, CLOSE);
        }
        let two = DeviceArray::from_slice(&[1.0, 4.0]).unwrap();
        assert_eq!(two.gradient(1.0, 0).to_vec().unwrap(), [3.0, 3.0]);
        assert_eq!(explain(&[&y.gradient(0.5, 1)]).kernels(), 1);
    });
}

#[test]
fn no_differences_leave_an_array_as_it_was() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::ones([2, 3]);
        // NumPy does not look at what would be put before and after, either.
        let (before, after) = (a.slice(s![.., ..1]), DeviceArray::<f64>::ones([7]));
        assert_eq!(a.diff_with(0, 1, Some(&before), Some(&after)).shape(), [2, 3]);
        assert_eq!(a.diff(0, 1).shape(), [2, 3]);
        assert!(a.try_diff_with(0, 2, None, None).unwrap_err().is_shape());
    });
}

#[test]
fn what_differences_refuse() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::ones([3, 1]);
        let x = DeviceArray::<f64>::ones([4]);
        for error in [
            a.try_gradient(1.0, 1).unwrap_err(),
            a.try_gradient_with(1.0, 1, EdgeOrder::Second).unwrap_err(),
            a.try_gradient(&x, 0).unwrap_err(),
            a.try_gradient(&a, 0).unwrap_err(),
            a.try_trapezoid(&x, 0).unwrap_err(),
            a.try_trapezoid(1.0, 2).unwrap_err(),
            a.try_diff_with(1, 0, Some(&x), None).unwrap_err(),
            DeviceArray::<f64>::ones([0]).try_cumulative_trapezoid(1.0, 0, None).unwrap_err(),
        ] {
            assert!(error.is_shape() && error.to_string().contains("scans.rs"), "{error}");
        }
        assert_eq!(DeviceArray::<f64>::ones([1]).trapezoid(1.0, 0).item().unwrap(), 0.0);
        assert_eq!(DeviceArray::<i32>::zeros([0]).ediff1d().shape(), [0]);
    });
}

#[test]
fn places_in_sorted_arrays() {
    with_file(|file| {
        for n in [1, 2, 7, 64, 100] {
            let line: DeviceArray<f64> = named(file, &format!("line_{n}"));
            let values: DeviceArray<f64> = named(file, &format!("values_{n}"));
            for (name, side) in [("left", Side::Left), ("right", Side::Right)] {
                let places = line.searchsorted(&values, side);
                assert_eq!(explain(&[&places]).kernels(), 1);
                same(file, &format!("places_{name}_{n}"), places, EXACT);
            }
        }
        let unsorted: DeviceArray<i32> = named(file, "unsorted");
        let (sorter, wanted): (DeviceArray<i64>, DeviceArray<i32>) =
            (named(file, "sorter"), named(file, "wanted"));
        same(file, "places_sorter", unsorted.searchsorted_by(&sorter, &wanted, Side::Right), EXACT);
        let (x, bounds): (DeviceArray<f64>, DeviceArray<f64>) =
            (named(file, "binned"), named(file, "bounds"));
        for (name, right) in [("False", false), ("True", true)] {
            same(file, &format!("digitize_{name}"), x.digitize(&bounds, right).unwrap(), EXACT);
            let falling = x.digitize(&bounds.flip(0), right).unwrap();
            same(file, &format!("digitize_falling_{name}"), falling, EXACT);
        }
        let at: DeviceArray<f64> = named(file, "at");
        let (xp, fp): (DeviceArray<f64>, DeviceArray<f64>) = (named(file, "xp"), named(file, "fp"));
        same(file, "interp", at.interp(&xp, &fp), CLOSE);
        let outside = Outside { left: Some(-7.0), right: Some(8.0) };
        same(file, "interp_ends", at.interp_with(&xp, &fp, outside), CLOSE);
    });
}

#[test]
fn nan_is_greater_than_every_bound() {
    on_each_device(|_| {
        let nan = f64::NAN;
        let x = [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, nan, f64::INFINITY, f64::NEG_INFINITY];
        let x = DeviceArray::from_slice(&x).unwrap();
        let digits = |bounds: &[f64], right| {
            x.digitize(&DeviceArray::from_slice(bounds).unwrap(), right)
                .map(|d| d.to_vec().unwrap())
        };
        // What NumPy gives.
        for (bounds, left, right) in [
            (&[0.0, 1.0, 2.0][..], [0, 1, 1, 2, 3, 3, 3, 3, 0], [0, 0, 1, 1, 2, 3, 3, 3, 0]),
            (&[2.0, 1.0, 0.0], [3, 2, 2, 1, 0, 0, 0, 0, 3], [3, 3, 2, 2, 1, 0, 0, 0, 3]),
            (&[0.0, 1.0, nan], [0, 1, 1, 2, 2, 2, 3, 2, 0], [0, 0, 1, 1, 2, 2, 2, 2, 0]),
            (&[nan, 1.0, 0.0], [3, 2, 2, 1, 1, 1, 0, 1, 3], [3, 3, 2, 2, 1, 1, 1, 1, 3]),
            (&[nan, nan, 2.0, 1.0], [4, 4, 4, 3, 2, 2, 0, 2, 4], [4, 4, 4, 4, 3, 2, 2, 2, 4]),
            (&[nan, 1.0], [2, 2, 2, 1, 1, 1, 0, 1, 2], [2, 2, 2, 2, 1, 1, 1, 1, 2]),
            (&[nan], [0, 0, 0, 0, 0, 0, 1, 0, 0], [0; 9]),
            (&[], [0; 9], [0; 9]),
        ] {
            assert_eq!(digits(bounds, false).unwrap(), left, "{bounds:?}");
            assert_eq!(digits(bounds, true).unwrap(), right, "{bounds:?}, right");
        }
        // These rise by the order in which NumPy sorts. Its digitize compares NaN with its neighbour,
        // takes them for falling and searches in what it has not sorted.
        assert_eq!(digits(&[1.0, nan], false).unwrap(), [0, 0, 0, 1, 1, 1, 2, 1, 0]);
        assert_eq!(digits(&[nan, nan], false).unwrap(), [0, 0, 0, 0, 0, 0, 2, 0, 0]);
        for bounds in [&[nan, 0.0, 1.0][..], &[0.0, nan, 1.0], &[1.0, 0.0, nan]] {
            assert!(digits(bounds, false).unwrap_err().is_shape(), "{bounds:?}");
        }
    });
}

#[test]
fn bins_that_are_narrower_than_numbers_are_refused() {
    on_each_device(|_| {
        let x = DeviceArray::from_slice(&[1e17, 1e17 + 64.0]).unwrap();
        let next = 1.0f64.next_up();
        let tiny = f64::from_bits(1);
        for (a, bins) in [
            (&x, Bins::Count(10)),
            (&x.slice(s![..1]), Bins::Count(1)),
            (&x, Bins::Within(10, 1.0, next.next_up())),
            (&x, Bins::Within(2, 1e16, 1e16 + 2.0)),
            (&x, Bins::Within(2, 3.0 * tiny, 4.0 * tiny)),
        ] {
            let error = a.histogram(bins).unwrap_err();
            assert!(error.is_shape() && error.to_string().contains("narrower than"), "{error}");
            assert!(a.histogram_density(bins).unwrap_err().is_shape());
            assert!(histogram2d(a, a, [Bins::Within(2, 0.0, 1.0), bins]).unwrap_err().is_shape());
        }
        // As narrow as the numbers allow.
        let counts = |a: &DeviceArray<f64>, bins| a.histogram(bins).unwrap().0.to_vec().unwrap();
        let line = DeviceArray::from_slice(&[0.0, 10.0 * tiny]).unwrap();
        assert_eq!(counts(&line, Bins::Count(10)), [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(counts(&x, Bins::Count(4)), [1, 0, 0, 1]);
        assert_eq!(counts(&x, Bins::Within(2, 1e16, 1e16 + 4.0)), [0, 0]);
    });
}

#[test]
fn searches_in_long_arrays_and_in_none() {
    on_each_device(|_| {
        let n = 1_000_003i64;
        let sorted = DeviceArray::<i64>::arange(0, 3 * n, 3);
        let values = DeviceArray::<i64>::arange(-5, 3 * n + 5, 997);
        let host = values.to_vec().unwrap();
        let places = sorted.searchsorted(&values, Side::Right).to_vec().unwrap();
        for (v, place) in host.iter().zip(places) {
            assert_eq!(place, (v.div_euclid(3) + 1).clamp(0, n), "{v}");
        }
        let none = DeviceArray::<f32>::zeros([0]);
        let some = DeviceArray::<f32>::ones([3]);
        assert_eq!(none.searchsorted(&some, Side::Left).to_vec().unwrap(), [0; 3]);
        assert_eq!(some.searchsorted(&none, Side::Left).shape(), [0]);
        let table = DeviceArray::<f32>::ones([3, 2]);
        assert!(table.try_searchsorted(&some, Side::Left).unwrap_err().is_shape());
        assert!(
            some.try_searchsorted_by(&DeviceArray::zeros([2]), &some, Side::Left)
                .unwrap_err()
                .is_shape()
        );
        let up_and_down = DeviceArray::from_slice(&[0.0f32, 2.0, 1.0]).unwrap();
        assert!(
            some.digitize(&up_and_down, false)
                .unwrap_err()
                .to_string()
                .contains("neither rise nor fall")
        );
        assert!(some.try_interp(&some, &up_and_down.slice(s![..2])).unwrap_err().is_shape());
        assert!(some.try_interp(&none, &none).unwrap_err().is_shape());
    });
}

#[test]
fn counts_and_histograms() {
    with_file(|file| {
        let (numbers, weights): (DeviceArray<i64>, DeviceArray<f64>) =
            (named(file, "numbers"), named(file, "weights"));
        same(file, "bincount", numbers.bincount(0).unwrap(), EXACT);
        same(file, "bincount_12", numbers.bincount(12).unwrap(), EXACT);
        let narrow = numbers.cast::<u8>().reshape([20, 25]);
        same(file, "bincount", narrow.bincount(3).unwrap(), EXACT);
        same(file, "bincount_weights", numbers.bincount_weighted(&weights, 0).unwrap(), CLOSE);
        let sample: DeviceArray<f64> = named(file, "sample");
        let (counts, edges) = sample.histogram(Bins::Count(10)).unwrap();
        same(file, "hist_10", counts, EXACT);
        same(file, "edges_10", edges, CLOSE);
        let within = Bins::Within(8, -2.0, 2.0);
        same(file, "hist_range", sample.histogram(within).unwrap().0, EXACT);
        same(file, "hist_density", sample.histogram_density(within).unwrap().0, CLOSE);
        let edges: DeviceArray<f64> = named(file, "edges");
        same(file, "hist_edges", sample.histogram(Bins::Edges(&edges)).unwrap().0, EXACT);
        let (sums, _) = sample.histogram_weighted(Bins::Edges(&edges), &weights).unwrap();
        same(file, "hist_weights", sums, CLOSE);
        let bins = [Bins::Within(5, -2.0, 2.0), Bins::Within(4, -1.0, 1.0)];
        let (counts, x, y) = histogram2d(&sample, &weights, bins).unwrap();
        same(file, "hist2d", counts.cast::<f64>(), EXACT);
        same(file, "edges2d_x", x, CLOSE);
        same(file, "edges2d_y", y, CLOSE);
    });
}

#[test]
fn large_counts_are_right_and_the_same_on_every_run() {
    on_each_device(|_| {
        let n = 1_000_000i64;
        for bins in [10i64, 5000, 200_000] {
            let at = (DeviceArray::<i64>::arange_to(n) * 7919).remainder(bins);
            let weights = (at.cast::<f64>() + 1.0).reciprocal() - 0.25;
            let (counts, sums) =
                (at.bincount(0).unwrap(), at.bincount_weighted(&weights, 0).unwrap());
            let (counts, first) = (counts.to_vec().unwrap(), sums.to_vec().unwrap());
            let mut expected = vec![0i64; bins as usize];
            (0..n).for_each(|i| expected[(i * 7919 % bins) as usize] += 1);
            assert!(counts == expected, "{bins} bins");
            for (k, (sum, count)) in first.iter().zip(&counts).enumerate() {
                let right = *count as f64 * (1.0 / (k as f64 + 1.0) - 0.25);
                assert!((sum - right).abs() <= 1e-9 * right.abs().max(1.0), "{sum} for {right}");
            }
            let again = at.bincount_weighted(&weights, 0).unwrap().to_vec().unwrap();
            assert!(first.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
        let at = DeviceArray::from_slice(&[0, 1, 1, 2, 2, 3, 4]).unwrap();
        let inf = f64::INFINITY;
        let odd = DeviceArray::from_slice(&[f64::NAN, inf, 1.0, inf, -inf, -inf, 1e-310]).unwrap();
        let sums = at.bincount_weighted(&odd, 6).unwrap().to_vec().unwrap();
        assert!(sums[0].is_nan() && sums[2].is_nan());
        assert_eq!((sums[1], sums[3], sums[5]), (inf, -inf, 0.0));
        let mixed = DeviceArray::from_slice(&[1e300, 1e-5, -3.0, f64::MAX, 2.0, 0.5, 0.0]).unwrap();
        assert_eq!(at.bincount_weighted(&mixed, 0).unwrap().to_vec().unwrap()[2], f64::MAX);
    });
}

#[test]
fn counts_of_nothing_and_what_counts_refuse() {
    on_each_device(|_| {
        let none = DeviceArray::<i32>::zeros([0]);
        assert_eq!(none.bincount(3).unwrap().to_vec().unwrap(), [0, 0, 0]);
        assert_eq!(none.bincount(0).unwrap().shape(), [0]);
        let (counts, edges) = none.histogram(Bins::Count(2)).unwrap();
        assert_eq!(
            (counts.to_vec().unwrap(), edges.to_vec().unwrap()),
            (vec![0, 0], vec![0.0, 0.5, 1.0])
        );
        let below = DeviceArray::from_slice(&[1, -1]).unwrap();
        assert!(below.bincount(0).unwrap_err().to_string().contains("element -1 is negative"));
        let weights = DeviceArray::<f64>::ones([3]);
        assert!(below.bincount_weighted(&weights, 0).unwrap_err().is_shape());
        let x = DeviceArray::from_slice(&[1.0, f64::NAN]).unwrap();
        assert!(x.histogram(Bins::Count(2)).unwrap_err().is_shape());
        assert!(x.histogram(Bins::Within(0, 0.0, 1.0)).unwrap_err().is_shape());
        assert!(x.histogram(Bins::Within(3, 1.0, 0.0)).unwrap_err().is_shape());
        assert_eq!(x.histogram(Bins::Within(1, 0.0, 1.0)).unwrap().0.to_vec().unwrap(), [1]);
        let falling = DeviceArray::from_slice(&[1.0, 0.0]).unwrap();
        assert!(x.histogram(Bins::Edges(&falling)).unwrap_err().is_shape());
        assert!(histogram2d(&x, &weights, [Bins::Count(1); 2]).unwrap_err().is_shape());
        let same = DeviceArray::full(4, 2.0).histogram(Bins::Count(2)).unwrap();
        assert_eq!(
            (same.0.to_vec().unwrap(), same.1.to_vec().unwrap()),
            (vec![0, 4], vec![1.5, 2.0, 2.5])
        );
    });
}

#[test]
fn a_row_of_many_long_tiles() {
    on_each_device(|_| {
        // 24 million elements, whose sums are small whole numbers; not a multiple of any tile.
        let n = 24_000_003i64;
        let steps = (DeviceArray::<i64>::arange_to(n) * 7).remainder(5) - 2;
        let steps = steps.cast::<f32>();
        let sums = (&steps * 2.0).cumsum(0) + 1.0;
        let found = sums.to_vec().unwrap();
        let mut sum = 0i64;
        for (k, found) in found.into_iter().enumerate() {
            sum += (k as i64 * 7 % 5 - 2) * 2;
            assert!(found == sum as f32 + 1.0, "element {k}: {found} where {} is right", sum + 1);
        }
        let most = steps.slice(s![..;-1]).cummax_with(0, Scan::new().reverse());
        let after = most.slice(s![..-10]).to_vec().unwrap();
        assert!(after.iter().all(|&m| m == 2.0));
    });
}

#[test]
fn integrals_by_parabolas() {
    with_file(|file| {
        for n in [1, 2, 3, 4, 7, 10] {
            let read = |name: &str| named::<f64>(file, &format!("{name}_{n}"));
            let (y, x, every) = (read("simpson_y"), read("simpson_points"), read("simpson_every"));
            same(file, &format!("simpson_dx_{n}"), y.simpson(0.25, 1), CLOSE);
            same(file, &format!("simpson_x_{n}"), y.simpson(&x, 1), CLOSE);
            same(file, &format!("simpson_each_{n}"), y.simpson(&every, -2), CLOSE);
            if n > 1 {
                same(file, &format!("simpsons_dx_{n}"), y.cumulative_simpson(0.25, 1, None), CLOSE);
                let with_first = y.cumulative_simpson(&x, 1, Some(0.75));
                same(file, &format!("simpsons_x_{n}"), with_first, CLOSE);
                let each = y.cumulative_simpson(&every, -2, None);
                same(file, &format!("simpsons_each_{n}"), each, CLOSE);
            }
        }
        let (x, y) = (named::<f64>(file, "doubled"), DeviceArray::<f64>::arange_to(6.0));
        same(file, "simpson_doubled", y.simpson(&x, 0), CLOSE);
        let five = y.slice(s![..5]).simpson(x.slice(s![..5]), 0);
        same(file, "simpson_doubled_5", five, CLOSE);
        for k in [0, 1, 4] {
            let y: DeviceArray<f64> = named(file, &format!("romb_y_{k}"));
            same(file, &format!("romb_{k}"), y.romb(0.5, 1), CLOSE);
        }
        let rules: Vec<_> = (1..13).map(|n| lazuli::newton_cotes(n).unwrap()).collect();
        let weights: Vec<f64> = rules.iter().flat_map(|rule| rule.0.clone()).collect();
        same(file, "newton_cotes", DeviceArray::from_slice(&weights).unwrap(), CLOSE);
        let errors: Vec<f64> = rules.iter().map(|rule| rule.1).collect();
        let wanted = named::<f64>(file, "newton_cotes_errors").to_vec().unwrap();
        for (n, (got, wanted)) in errors.iter().zip(&wanted).enumerate() {
            assert!((got - wanted).abs() < 1e-13 * wanted.abs(), "{n}: {got} {wanted}");
        }
        let f = |x: &DeviceArray<f64>| (-x).exp() * (x * 3.0).cos();
        let found: Vec<f64> = [1, 2, 5, 12]
            .map(|n| lazuli::fixed_quad(f, -1.0, 2.5, n).unwrap().item().unwrap())
            .to_vec();
        same(file, "fixed_quad", DeviceArray::from_slice(&found).unwrap(), CLOSE);
    });
}

#[test]
fn odd_integrals_and_wrong_ones() {
    on_each_device(|_| {
        let y = DeviceArray::from_slice(&[1.0f32, 2.0, 5.0, 10.0]).unwrap();
        assert!((y.simpson(1.0, 0).item().unwrap() - 12.0).abs() < 1e-5);
        // Of complex numbers each part.
        let z = DeviceArray::from_slice(&[1.0, 2.0, 5.0, 10.0]).unwrap().cast::<Complex<f64>>()
            * Complex::new(1.0, -2.0);
        let area = z.simpson(Complex::new(1.0, 0.0), 0).item().unwrap();
        assert!((area - Complex::new(12.0, -24.0)).norm() < 1e-12, "{area}");
        let nan = DeviceArray::from_slice(&[1.0, f64::NAN, 2.0, 3.0, 5.0]).unwrap();
        assert!(nan.simpson(1.0, 0).item().unwrap().is_nan());
        let sums = nan.cumulative_simpson(1.0, 0, None).to_vec().unwrap();
        assert!(sums.iter().all(|x| x.is_nan()));
        let endless = DeviceArray::from_slice(&[1.0, f64::INFINITY, 2.0]).unwrap();
        assert_eq!(endless.simpson(1.0, 0).item().unwrap(), f64::INFINITY);
        let one = DeviceArray::<f64>::ones([3, 1]);
        assert_eq!(one.cumulative_simpson(1.0, 1, None).shape(), [3, 0]);
        assert_eq!(one.cumulative_simpson(1.0, 1, Some(2.0)).to_vec().unwrap(), [2.0; 3]);
        let none = DeviceArray::<f64>::ones([0, 3]);
        assert_eq!(none.simpson(1.0, 1).shape(), [0]);
        assert_eq!(none.cumulative_simpson(1.0, 1, None).shape(), [0, 2]);
        // A sum for each part of the function's values.
        let waves = |x: &DeviceArray<f64>| {
            let k = DeviceArray::<f64>::arange_to(3.0).insert_axis(1);
            (k * x).cos()
        };
        let areas = lazuli::fixed_quad(waves, 0.0, 1.0, 10).unwrap().to_vec().unwrap();
        for (k, area) in areas.iter().enumerate() {
            let wanted = if k == 0 { 1.0 } else { (k as f64).sin() / k as f64 };
            assert!((area - wanted).abs() < 1e-14);
        }
        let short = DeviceArray::<f64>::ones([3]);
        for error in [
            none.try_simpson(1.0, 0).unwrap_err(),
            none.try_cumulative_simpson(1.0, 0, None).unwrap_err(),
            y.try_simpson(1.0, 1).unwrap_err(),
            nan.try_simpson(&short, 0).unwrap_err(),
            nan.try_cumulative_simpson(&short, 0, None).unwrap_err(),
            y.try_romb(1.0, 0).unwrap_err(),
            one.try_romb(1.0, 1).unwrap_err(),
            lazuli::newton_cotes(0).unwrap_err(),
            lazuli::newton_cotes(17).unwrap_err(),
            lazuli::fixed_quad(|x: &DeviceArray<f64>| x.clone(), 0.0, f64::INFINITY, 3)
                .unwrap_err(),
            lazuli::fixed_quad(|x: &DeviceArray<f64>| x.clone(), 0.0, 1.0, 0).unwrap_err(),
            lazuli::fixed_quad(|x: &DeviceArray<f64>| x.sum(..), 0.0, 1.0, 3).unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
        }
    });
}
