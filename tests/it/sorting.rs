//! Sorting, quantiles, sets, masks and scatters: against NumPy's results in a file, and against
//! plain loops on arrays of many shapes.

use crate::support::compare::{Tolerance, difference};
use crate::support::load::{Arrays, arrays};
use crate::support::value::{Host, Typed, Value, like, on};
use crate::support::{Rng, on_each_device};
use lazuli::Interpolation;
use lazuli::prelude::*;
use std::cmp::Ordering;

const TYPES: [&str; 15] = [
    "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64",
    "c64", "c128",
];

/// The cases of NumPy.
struct Cases(Arrays);

impl Cases {
    fn load() -> Cases {
        Cases(arrays("sorting.npz"))
    }

    fn host(&self, key: &str) -> &Host {
        self.0.get(key).unwrap_or_else(|| panic!("{key} is not in the file"))
    }

    fn value(&self, key: &str) -> Value {
        self.host(key).upload().expect("an upload")
    }

    fn check(&self, key: &str, got: impl Into<Value>, tolerance: Tolerance) {
        let got = got.into().to_host().unwrap_or_else(|e| panic!("{key}: {e}"));
        if let Some(wrong) = difference(&got, self.host(key), tolerance) {
            panic!("{key}: {wrong}");
        }
    }

    fn exact(&self, key: &str, got: impl Into<Value>) {
        self.check(key, got, Tolerance::default());
    }
}

fn orders<T: Typed>(cases: &Cases, t: &str, x: &DeviceArray<T>) -> Result<()> {
    for axis in 0..3 {
        cases.exact(&format!("sort:x:{axis}.{t}"), x.sort(axis));
        cases.exact(&format!("argsort:x:{axis}:{t}.i64"), x.argsort(axis - 3));
    }
    let all = x.unique_all()?;
    cases.exact(&format!("unique:x:values.{t}"), all.values);
    cases.exact(&format!("unique:x:positions:{t}.i64"), all.positions);
    cases.exact(&format!("unique:x:inverse:{t}.i64"), all.inverse);
    cases.exact(&format!("unique:x:counts:{t}.i64"), all.counts);
    cases.exact(&format!("unique:x:values.{t}"), x.unique()?);
    cases.exact(&format!("unique:x:counts:{t}.i64"), x.unique_counts()?.1);
    for (k, part) in x.nonzero()?.into_iter().enumerate() {
        cases.exact(&format!("nonzero:x:{k}:{t}.i64"), part);
    }
    Ok(())
}

fn sets<T: Typed>(cases: &Cases, t: &str, x: &DeviceArray<T>, y: &DeviceArray<T>) -> Result<()> {
    cases.exact(&format!("is_in:{t}.bool"), lazuli::is_in(x, y)?);
    cases.exact(&format!("intersect1d.{t}"), lazuli::intersect1d(x, y)?);
    cases.exact(&format!("union1d.{t}"), lazuli::union1d(x, y)?);
    cases.exact(&format!("setdiff1d.{t}"), lazuli::setdiff1d(x, y)?);
    cases.exact(&format!("setxor1d.{t}"), lazuli::setxor1d(x, y)?);
    Ok(())
}

#[test]
fn orders_and_sets_are_numpys() {
    let cases = Cases::load();
    on_each_device(|device| {
        for t in TYPES {
            let [x, a, b] = ["x", "set_x", "set_y"].map(|name| cases.value(&format!("{name}.{t}")));
            on!(element Value, &x, x => {
                let (a, b) = (like(x, &a), like(x, &b));
                orders(&cases, t, x).unwrap_or_else(|e| panic!("{t}: {e}"));
                // Most of the time on a GPU is compiling, and sets are made of what was tested.
                if !device.is_cuda() || ["i32", "f32", "c64"].contains(&t) {
                    sets(&cases, t, a, b).unwrap_or_else(|e| panic!("{t}: {e}"));
                }
            })
            .expect("every type");
        }
    });
}

const METHODS: [Interpolation; 5] = [
    Interpolation::Linear,
    Interpolation::Lower,
    Interpolation::Higher,
    Interpolation::Nearest,
    Interpolation::Midpoint,
];
const PARTS: [f64; 5] = [0.0, 0.1, 0.5, 0.77, 1.0];

fn stacked<T: Element>(all: Vec<DeviceArray<T>>) -> DeviceArray<T> {
    lazuli::stack(&all, 0)
}

fn quantiles<T: Real>(cases: &Cases, t: &str, a: &DeviceArray<T>)
where
    T::Mean: Typed,
{
    let result = <T::Mean as Element>::DTYPE;
    let result = TYPES[result as usize];
    let near = Tolerance { ulp: 2, rtol: 1e-6, atol: 1e-6, ..Tolerance::default() };
    let axes: [(&str, &[isize]); 4] =
        [("0", &[0]), ("1", &[-2]), ("02", &[0, 2]), ("all", &[0, 1, 2])];
    for (name, axes) in axes {
        let mut found = vec![a.median(axes)];
        for how in METHODS {
            found.extend(PARTS.map(|q| a.quantile_by(q, axes, how)));
        }
        cases.check(&format!("quantiles:plain:{name}:{t}.{result}"), stacked(found), near);
    }
    let several = a.quantiles(&PARTS, 1).to_vec().unwrap();
    let one: Vec<_> = PARTS.iter().flat_map(|&q| a.quantile(q, 1).to_vec().unwrap()).collect();
    assert_eq!(several, one);
    assert_eq!(a.quantile(0.3, keep(1)).shape(), [4, 1, 5]);
    assert_eq!(a.percentile(30.0, 1).to_vec().unwrap(), a.quantile(0.3, 1).to_vec().unwrap());
}

fn quantiles_with_nan<T: Real>(cases: &Cases, t: &str, a: &DeviceArray<T>)
where
    T::Mean: Typed,
{
    let near = Tolerance { ulp: 2, rtol: 1e-6, atol: 1e-6, ..Tolerance::default() };
    for axis in 0..3 {
        let mut found = vec![a.median(axis)];
        found.extend(PARTS.map(|q| a.quantile(q, axis)));
        cases.check(&format!("quantiles:holes:{axis}:{t}.{t}"), stacked(found), near);
        let mut found = vec![a.nan_median(axis)];
        for how in METHODS {
            found.extend(PARTS.map(|q| a.nan_quantile_by(q, axis, how)));
        }
        cases.check(&format!("nanquantiles:holes:{axis}:{t}.{t}"), stacked(found), near);
    }
}

#[test]
fn quantiles_are_numpys() {
    let cases = Cases::load();
    on_each_device(|_| {
        for t in &TYPES[1..13] {
            let plain = cases.value(&format!("plain.{t}"));
            on!(real Value, &plain, a => quantiles(&cases, t, a)).expect("a real type");
        }
        for t in &TYPES[9..13] {
            let holes = cases.value(&format!("holes.{t}"));
            on!(floating Value, &holes, a => quantiles_with_nan(&cases, t, a)).expect("a float");
        }
    });
}

#[test]
fn scatters_are_numpys() {
    let cases = Cases::load();
    on_each_device(|_| {
        for t in TYPES {
            let key = |name: &str| format!("{name}.{t}");
            let (base, given) = (cases.value(&key("base")), cases.value(&key("given")));
            let at = cases.value(&format!("at:{t}.i64"));
            let along = cases.value(&format!("along:{t}.i64"));
            let (at, along) = (i64::of(&at), i64::of(&along));
            on!(element Value, &base, a => {
                let given = like(a, &given);
                cases.exact(&key("scatter:put"), a.with_put(at, given, 1));
                cases.exact(&key("scatter:along"), a.with_put_along_axis(along, given, 1));
            });
            on!(number Value, &base, a => {
                let given = like(a, &given);
                cases.exact(&key("scatter:add"), a.scatter_add(at, given, -2));
                cases.exact(&key("scatter:add"), a.scatter_add_unordered(at, given, 1));
                cases.exact(&key("scatter:multiply"), a.scatter_multiply(at, given, 1));
            });
            on!(ordered Value, &base, a => {
                let given = like(a, &given);
                cases.exact(&key("scatter:minimum"), a.scatter_min(at, given, 1));
                cases.exact(&key("scatter:maximum"), a.scatter_max(at, given, 1));
            });
        }
    });
}

/// NumPy's order of floats.
fn order(a: f32, b: f32) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Floats with equal ones among them, NaN, infinities and both zeros.
fn floats(rng: &mut Rng, n: usize) -> Vec<f32> {
    let special = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0];
    let few = rng.one_in(2);
    let mut value = || match rng.below(8) {
        0 => rng.pick(&special),
        _ if few => rng.below(10) as f32 - 5.0,
        _ => rng.within(-1e3, 1e3) as f32,
    };
    (0..n).map(|_| value()).collect()
}

fn check_rows(rng: &mut Rng, rows: usize, len: usize) {
    let x = floats(rng, rows * len);
    let a = DeviceArray::from_vec([rows, len], x.clone()).unwrap();
    let mut want = Vec::new();
    let mut down = Vec::new();
    for row in x.chunks(len.max(1)) {
        let mut positions: Vec<i64> = (0..len as i64).collect();
        positions.sort_by(|&i, &j| order(row[i as usize], row[j as usize]));
        want.extend(&positions);
        positions = (0..len as i64).collect();
        positions.sort_by(|&i, &j| {
            let (a, b) = (row[i as usize], row[j as usize]);
            if a.is_nan() || b.is_nan() { order(a, b) } else { order(b, a) }
        });
        down.extend(&positions);
    }
    let sorted = |positions: &[i64]| -> Vec<f32> {
        positions.iter().enumerate().map(|(k, &p)| x[k / len * len + p as usize]).collect()
    };
    let same = |got: Vec<f32>, want: Vec<f32>, what: &str| {
        let wrong = got.iter().zip(&want).position(|(&g, &w)| order(g, w) != Ordering::Equal);
        assert!(got.len() == want.len() && wrong.is_none(), "{what} of {rows}x{len} at {wrong:?}");
    };
    assert!(a.argsort(1).to_vec().unwrap() == want, "argsort of {rows}x{len}");
    assert!(a.argsort_descending(1).to_vec().unwrap() == down, "descending {rows}x{len}");
    same(a.sort(1).to_vec().unwrap(), sorted(&want), "sort");
    same(a.sort_descending(1).to_vec().unwrap(), sorted(&down), "sort_descending");
    let columns = a.t().sort(0).t().to_vec().unwrap();
    same(columns, sorted(&want), "sort of columns");
    for k in [1, len / 5, len].into_iter().filter(|&k| k <= len) {
        let first = |all: &[i64]| -> Vec<i64> {
            all.chunks(len.max(1)).flat_map(|row| row[..k].to_vec()).collect()
        };
        let (values, positions) = a.top_k(k, 1);
        assert!(positions.to_vec().unwrap() == first(&down), "top {k} of {rows}x{len}");
        let want_values: Vec<f32> =
            first(&down).iter().enumerate().map(|(n, &p)| x[n / k * len + p as usize]).collect();
        same(values.to_vec().unwrap(), want_values, "values of top_k");
        assert!(a.bottom_k(k, 1).1.to_vec().unwrap() == first(&want), "bottom {k} of {rows}x{len}");
    }
}

#[test]
fn rows_of_many_lengths() {
    on_each_device(|device| {
        let mut rng = Rng(7);
        let long = if device.is_cuda() { 3_000_000 } else { 200_000 };
        for (rows, len) in [
            (1, 1),
            (1, 2),
            (5, 3),
            (3000, 7),
            (40, 33),
            (9, 512),
            (3, 1000),
            (2, 2048),
            (3, 2049),
            (4, 6000),
            (2, 20_000),
            (1, long),
        ] {
            check_rows(&mut rng, rows, len);
        }
    });
}

#[test]
fn elements_are_found_by_tables_and_by_search() {
    fn check<T: lazuli::dtype::Element>(a: &[T], b: &[T]) {
        let want: Vec<bool> = a.iter().map(|x| b.contains(x)).collect();
        let (x, y) = (DeviceArray::from_slice(a).unwrap(), DeviceArray::from_slice(b).unwrap());
        assert_eq!(lazuli::is_in(&x, &y).unwrap().to_vec().unwrap(), want, "{a:?} in {b:?}");
        let square = x.reshape([a.len() / 2, 2]);
        let one = y.slice(s![0]);
        let want: Vec<bool> = a.iter().map(|x| *x == b[0]).collect();
        assert_eq!(lazuli::is_in(&square, &one).unwrap().to_vec().unwrap(), want, "{a:?}");
    }
    on_each_device(|_| {
        check(&[i64::MIN, -1, 0, 7, i64::MAX, 3], &[3, 5, -1]);
        check(&[i64::MIN, -1, 0, 7, i64::MAX, 3], &[i64::MAX, i64::MIN, 0]);
        check(&[i64::MIN, i64::MAX, 0, 7], &[i64::MAX, i64::MAX - 2]);
        check(&[0u64, u64::MAX, 1 << 63, 9], &[u64::MAX, u64::MAX - 3]);
        check(&[0u64, u64::MAX, 1 << 63, 9], &[u64::MAX, 9]);
        check(&[-128i8, 127, 0, -1], &[127, -128]);
        check(&[0u8, 255, 128, 7], &[255, 0, 128]);
        let inf = f64::INFINITY;
        check(&[f64::NAN, 0.0, -0.0, inf, -inf, 1.5], &[0.0, inf, f64::NAN, 2.0]);
        check(&[f32::NAN, -0.0, 1e-40, 3.0], &[1e-40, -1.0]);
        check(&[true, false], &[true]);
        check(&[Complex::new(1.0, 2.0), Complex::new(0.0, 1.0)], &[Complex::new(0.0, 1.0)]);
        let far: Vec<i32> = (0..70_000).map(|k| k * 30_000 - 1_000_000_000).collect();
        let (x, y) =
            (DeviceArray::from_slice(&far).unwrap(), DeviceArray::from_slice(&far[1..]).unwrap());
        let found = lazuli::is_in(&x, &y).unwrap().to_vec().unwrap();
        assert!(!found[0] && found[1..].iter().all(|&f| f));
    });
}

#[test]
fn what_is_empty_or_has_no_axes() {
    on_each_device(|_| {
        let none = DeviceArray::<f32>::zeros([0, 3]);
        assert_eq!(none.sort(0).shape(), [0, 3]);
        assert_eq!(none.argsort(1).to_vec().unwrap(), [0i64; 0]);
        assert_eq!(none.top_k(0, 0).0.shape(), [0, 3]);
        assert_eq!(none.unique().unwrap().len(), 0);
        assert_eq!(none.unique_all().unwrap().inverse.shape(), [0, 3]);
        assert_eq!(none.flat_nonzero().unwrap().len(), 0);
        assert_eq!(none.argwhere().unwrap().shape(), [0, 2]);
        assert!(none.median(0).to_vec().unwrap().iter().all(|x| x.is_nan()));
        assert_eq!(none.median(1).shape(), [0]);
        assert_eq!(none.quantiles(&[0.5, 1.0], 1).shape(), [2, 0]);
        assert!(
            !lazuli::is_in(&DeviceArray::<i32>::ones(2), &DeviceArray::zeros(0))
                .unwrap()
                .any(..)
                .item()
                .unwrap()
        );
        let scalar = DeviceArray::<i32>::full((), 7);
        assert!(scalar.try_sort(0).unwrap_err().is_shape());
        assert!(scalar.nonzero().unwrap_err().is_shape());
        assert_eq!(scalar.argwhere().unwrap().shape(), [1, 0]);
        assert_eq!(scalar.unique().unwrap().to_vec().unwrap(), [7]);
        assert_eq!(scalar.median(..).item().unwrap(), 7.0);
        let a = DeviceArray::<i32>::zeros([2, 3]);
        let empty: [i64; 0] = [];
        assert_eq!(a.with_put(empty, 7, 0).to_vec().unwrap(), [0; 6]);
        assert_eq!(
            a.extract(&DeviceArray::from_vec([2], vec![false; 2]).unwrap()).unwrap().shape(),
            [0, 3]
        );
        assert_eq!(
            a.compress(&DeviceArray::from_vec([2], vec![false; 2]).unwrap(), 1).unwrap().shape(),
            [2, 0]
        );
    });
}

#[test]
fn what_an_order_refuses() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::zeros([2, 3]);
        for error in [
            a.try_sort(2).unwrap_err(),
            a.try_argsort(-3).unwrap_err(),
            a.try_top_k(4, 1).unwrap_err(),
            a.try_partition(3, 1).unwrap_err(),
            a.try_quantile(1.5, 0).unwrap_err(),
            a.try_quantile(f64::NAN, 0).unwrap_err(),
            a.try_sort_by_key(&DeviceArray::<i32>::zeros([3, 2]), 0).unwrap_err(),
            lazuli::try_lexsort(&[]).unwrap_err(),
            a.extract(&DeviceArray::full([3], true)).unwrap_err(),
            a.compress(&DeviceArray::full([4], true), 1).unwrap_err(),
            a.try_with_placed(&DeviceArray::full([2, 3], true), &DeviceArray::zeros(0))
                .unwrap_err(),
            a.try_with_put([3], 1.0, 1).unwrap_err(),
            a.try_with_put([0], &DeviceArray::zeros([5]), 1).unwrap_err(),
            a.try_with_put_along_axis(&DeviceArray::zeros([2]), 1.0, 1).unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
            assert!(error.to_string().contains("sorting.rs:"), "{error}");
        }
    });
}

#[test]
fn positions_out_of_range_fail_the_evaluation_and_nothing_else() {
    on_each_device(|_| {
        let a = DeviceArray::<f32>::arange_to(5.0);
        a.eval().unwrap();
        let at = DeviceArray::from_slice(&[1i64, -5, 7, 9]).unwrap();
        let values = DeviceArray::<f32>::ones(4);
        let results = [
            ("take", a.take(&at, 0)),
            ("take_along_axis", a.take_along_axis(&at, 0)),
            ("with_put", a.with_put(&at, &values, 0)),
            ("with_put_along_axis", a.with_put_along_axis(&at, &values, 0)),
            ("put", {
                let mut changed = a.clone();
                changed.put(&at, &values, 0);
                changed
            }),
            ("scatter_add", a.scatter_add(&at, &values, 0)),
            ("scatter_add_unordered", a.scatter_add_unordered(&at, &values, 0)),
            ("scatter_max", a.scatter_max(&at, &values, 0)),
        ];
        for (name, result) in results {
            for _ in 0..2 {
                let error = result.eval().unwrap_err();
                assert!(error.is_shape(), "{error}");
                let start = format!("{name}: index 7, number 2 of the indices, is out of bounds");
                assert!(error.to_string().starts_with(&start), "{error}");
            }
        }
        assert_eq!(a.to_vec().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(a.take_clipped(&at, 0).to_vec().unwrap(), [1.0, 0.0, 4.0, 4.0]);
        let inside = DeviceArray::from_slice(&[1i64, -5]).unwrap();
        assert_eq!(a.take(&inside, 0).to_vec().unwrap(), [1.0, 0.0]);
    });
}

#[test]
fn positions_that_an_order_gives_are_not_checked_again() {
    on_each_device(|_| {
        let a = DeviceArray::<f32>::linspace(1.0, 0.0, 100).reshape([10, 10]);
        a.eval().unwrap();
        let before = lazuli::counters();
        a.take_along_axis(&a.argsort(1), 1).eval().unwrap();
        a.take_along_axis(&a.argmin(keep(1)), 1).eval().unwrap();
        assert_eq!(lazuli::counters().library_calls - before.library_calls, 1);
    });
}

#[test]
fn many_values_come_to_few_places_the_same_on_every_run() {
    on_each_device(|_| {
        let mut rng = Rng(9);
        let n = 100_000;
        let at: Vec<i64> =
            (0..n).map(|_| if rng.one_in(3) { 17 } else { rng.below(1000) as i64 }).collect();
        let values: Vec<f32> = (0..n).map(|_| rng.within(-1.0, 1.0) as f32).collect();
        let mut want = vec![1.0f64; 1000];
        let mut last = vec![1.0f32; 1000];
        for (&p, &v) in at.iter().zip(&values) {
            want[p as usize] += f64::from(v);
            last[p as usize] = v;
        }
        let base = DeviceArray::<f32>::ones(1000);
        let at = DeviceArray::from_slice(&at).unwrap();
        let values = DeviceArray::from_slice(&values).unwrap();
        let sums: Vec<Vec<f32>> =
            (0..3).map(|_| base.scatter_add(&at, &values, 0).to_vec().unwrap()).collect();
        assert!(sums[0] == sums[1] && sums[1] == sums[2], "the same bits");
        let unordered = base.scatter_add_unordered(&at, &values, 0).to_vec().unwrap();
        for (k, want) in want.iter().enumerate() {
            for got in [sums[0][k], unordered[k]] {
                assert!((f64::from(got) - want).abs() < 0.05, "{k}: {got} {want}");
            }
        }
        assert_eq!(base.with_put(&at, &values, 0).to_vec().unwrap(), last);
        let halves = DeviceArray::<f16>::zeros(1000).scatter_add(&at, &values.cast::<f16>(), 0);
        for (got, want) in halves.to_vec().unwrap().iter().zip(&want) {
            assert!((got.to_f64() - (want - 1.0)).abs() < 0.3, "{got} {want}");
        }
    });
}

#[test]
fn many_rows_come_to_few_places_the_same_on_every_run() {
    on_each_device(|_| {
        let mut rng = Rng(10);
        for (shape, count, axis) in [
            (vec![50, 12], 4000, 0),
            (vec![3, 40, 7], 1500, 1),
            (vec![2, 5], 700, 1),
            (vec![1, 9], 300, 0),
            (vec![4, 300], 1, 0),
        ] {
            let len = shape[axis];
            let at: Vec<i64> = (0..count)
                .map(|_| {
                    let place = if rng.one_in(3) { len / 2 } else { rng.below(len) } as i64;
                    if rng.one_in(4) { place - len as i64 } else { place }
                })
                .collect();
            let mut of_values = shape.clone();
            of_values[axis] = count;
            let values = ndarray::ArrayD::<f32>::from_shape_simple_fn(of_values, || {
                rng.within(-1.0, 1.0) as f32
            });
            let mut want = ndarray::ArrayD::<f64>::ones(shape.clone());
            for (k, &place) in at.iter().enumerate() {
                let place = place.rem_euclid(len as i64) as usize;
                let value = values.index_axis(ndarray::Axis(axis), k).mapv(f64::from);
                let mut row = want.index_axis_mut(ndarray::Axis(axis), place);
                row += &value;
            }
            let base = DeviceArray::<f32>::ones(&shape[..]);
            let at = DeviceArray::from_slice(&at).unwrap();
            let values = DeviceArray::from_ndarray(&values).unwrap();
            let sum = || base.scatter_add(&at, &values, axis as isize).copy_to_host().unwrap();
            let (first, second) = (sum(), sum());
            assert!(first == second, "the same bits");
            for (got, want) in first.iter().zip(&want) {
                assert!((f64::from(*got) - want).abs() < 0.01, "{shape:?}: {got} {want}");
            }
            let halves = DeviceArray::<f16>::ones(&shape[..]);
            let halves = halves.scatter_add(&at, values.cast::<f16>(), axis as isize);
            for (got, want) in halves.to_vec().unwrap().iter().zip(&want) {
                assert!((got.to_f64() - want).abs() < 0.5, "{shape:?}: {got} {want}");
            }
        }
    });
}

#[test]
fn masks_select_and_place() {
    on_each_device(|_| {
        let mut rng = Rng(11);
        for n in [1usize, 100, 4096, 70_001] {
            let x = floats(&mut rng, n);
            let a = DeviceArray::from_slice(&x).unwrap();
            let mask = a.greater(0.0);
            let want: Vec<f32> = x.iter().copied().filter(|&v| v > 0.0).collect();
            let found = a.extract(&mask).unwrap();
            assert_eq!(found.to_vec().unwrap(), want);
            let values = DeviceArray::<f32>::arange_to(37.0);
            let placed = a.with_placed(&mask, &values).to_vec().unwrap();
            let mut next = 0;
            for (got, &v) in placed.iter().zip(&x) {
                let want = if v > 0.0 { (next % 37) as f32 } else { v };
                next += usize::from(v > 0.0);
                assert_eq!(order(*got, want), Ordering::Equal);
            }
        }
        let a = DeviceArray::<i64>::arange_to(24).reshape([2, 3, 4]);
        let mask =
            DeviceArray::from_vec([2, 3], vec![true, false, true, false, false, true]).unwrap();
        assert_eq!(a.extract(&mask).unwrap().shape(), [3, 4]);
        assert_eq!(a.extract(&mask).unwrap().sum(1).to_vec().unwrap(), [6, 38, 86]);
        let columns = DeviceArray::from_slice(&[true, false, true]).unwrap();
        assert_eq!(a.compress(&columns, 2).unwrap().shape(), [2, 3, 2]);
    });
}

#[test]
fn several_keys_count_the_last_first() {
    on_each_device(|_| {
        let mut rng = Rng(13);
        let n = 5000;
        let a: Vec<i32> = (0..n).map(|_| rng.below(10) as i32).collect();
        let b: Vec<f64> = (0..n).map(|_| rng.below(20) as f64 / 2.0).collect();
        let mut want: Vec<i64> = (0..n as i64).collect();
        want.sort_by(|&i, &j| {
            let (i, j) = (i as usize, j as usize);
            a[i].cmp(&a[j]).then(b[i].total_cmp(&b[j]))
        });
        let (a, b) = (DeviceArray::from_slice(&a).unwrap(), DeviceArray::from_slice(&b).unwrap());
        assert_eq!(lazuli::lexsort(&[&b, &a]).to_vec().unwrap(), want);
        assert_eq!(
            a.sort_by_key(&b, 0).to_vec().unwrap(),
            a.take(&b.argsort(0), 0).to_vec().unwrap()
        );
    });
}
