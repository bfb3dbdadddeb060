//! Covariances, correlations and cross products against NumPy's answers (`tests/data/covariance`).

use crate::support::compare::{Tolerance, difference};
use crate::support::load::{Arrays, arrays};
use crate::support::on_each_device;
use crate::support::value::{Host, Typed, Value};
use lazuli::explain;
use lazuli::prelude::*;

const CLOSE: Tolerance = Tolerance { ulp: 8, rtol: 1e-12, atol: 1e-12, signed_zero: false };
const EXACT: Tolerance = Tolerance { ulp: 0, rtol: 0.0, atol: 0.0, signed_zero: false };

/// Runs a check with the arrays of the file, on every device.
fn with_file(check: impl Fn(&Arrays)) {
    let file = arrays("covariance/covariance.npz");
    on_each_device(|_| check(&file));
}

fn key<T: Typed>(name: &str) -> String {
    format!("{name}.{}", format!("{:?}", T::DTYPE).to_lowercase())
}

fn named<T: Typed>(file: &Arrays, name: &str) -> DeviceArray<T> {
    T::of(&file[&key::<T>(name)].upload().unwrap()).clone()
}

#[track_caller]
fn same<T: Typed>(file: &Arrays, name: &str, got: DeviceArray<T>, tolerance: Tolerance) {
    let got: Host = Value::from(got).to_host().unwrap();
    if let Some(what) = difference(&got, &file[&key::<T>(name)], tolerance) {
        panic!("{name}: {what}");
    }
}

fn variables<T: Typed>(file: &Arrays, name: &str)
where
    T::Mean: Typed,
{
    let a: DeviceArray<T> = named(file, name);
    let by_columns = Covariance::new().columns();
    same(file, &format!("cov_{name}"), a.cov(), CLOSE);
    same(file, &format!("cov_columns_{name}"), a.cov_with(by_columns.clone()), CLOSE);
    same(file, &format!("corrcoef_{name}"), a.corrcoef(), CLOSE);
    same(file, &format!("corrcoef_columns_{name}"), a.corrcoef_with(by_columns), CLOSE);
}

#[test]
fn covariances_and_correlations() {
    with_file(|file| {
        variables::<f64>(file, "table");
        variables::<i64>(file, "whole");
        variables::<Complex<f64>>(file, "complex");
        variables::<f64>(file, "line");
        let a: DeviceArray<f64> = named(file, "table");
        let counts: DeviceArray<i64> = named(file, "counts");
        let weights: DeviceArray<f64> = named(file, "weights");
        for ddof in 0..3 {
            let how = || Covariance::new().ddof(ddof);
            for (name, how) in [
                ("ddof", how()),
                ("counts", how().counts(&counts)),
                ("weights", how().weights(&weights)),
                ("both", how().weights(&weights).counts(&counts)),
            ] {
                same(file, &format!("cov_{name}_{ddof}"), a.cov_with(how), CLOSE);
            }
        }
        same(file, "cov_no_degrees", a.cov_with(Covariance::new().ddof(9)), CLOSE);
        same(file, "cov_one", a.slice(s![.., ..1]).cov(), CLOSE);
        same(file, "cov_none", a.slice(s![.., ..0]).cov(), CLOSE);
    });
}

#[test]
fn covariances_of_narrow_types_and_of_little() {
    on_each_device(|_| {
        let a = DeviceArray::from_vec([2, 3], vec![1.0f32, 2.0, 6.0, 0.0, -2.0, 2.0]).unwrap();
        assert_eq!(a.cov().to_vec().unwrap(), [7.0, 4.0, 4.0, 4.0]);
        // The sum of the squares leaves the range of f16.
        let large = a.cast::<f16>() * f16::from_f32(100.0);
        let single = large.cov_with(Covariance::new().columns().ddof(0)).cast::<f32>();
        assert_eq!(single.shape(), [3, 3]);
        assert_eq!(single.to_vec().unwrap()[..2], [2500.0, 10000.0]);
        let truths = DeviceArray::from_slice(&[true, false, true, false]).unwrap();
        assert_eq!(truths.cov_with(Covariance::new().ddof(0)).item().unwrap(), 0.25);
        let flat = DeviceArray::<f64>::ones([2, 4]);
        assert!(flat.corrcoef().is_nan().all(..).item().unwrap());
        assert_eq!(DeviceArray::<f64>::ones([0, 4]).cov().shape(), [0, 0]);
        assert!(DeviceArray::<f64>::full((), 1.0).cov().item().unwrap().is_nan());
    });
}

#[test]
fn cross_products() {
    fn every<T: Typed + Number>(file: &Arrays) {
        let names = ["3", "2", "43", "42", "513"];
        for a in names {
            for b in names {
                let [x, y] = [a, b].map(|n| named::<T>(file, &format!("vectors_{n}")));
                let product = x.cross(&y);
                assert_eq!(explain(&[&product]).kernels(), 1);
                same(file, &format!("cross_{a}_{b}"), product, EXACT);
            }
        }
    }
    with_file(|file| {
        every::<f64>(file);
        every::<i64>(file);
        every::<u8>(file);
        every::<Complex<f64>>(file);
    });
}

#[test]
fn what_covariances_and_cross_products_refuse() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::ones([2, 3]);
        let cube = DeviceArray::<f64>::ones([2, 2, 3]);
        let how = |weights: &DeviceArray<f64>| Covariance::new().weights(weights);
        for (error, words) in [
            (cube.try_cov().unwrap_err(), "cov: shape [2, 2, 3] has more than two axes"),
            (cube.try_corrcoef().unwrap_err(), "corrcoef: shape [2, 2, 3]"),
            (a.try_cov_with(how(&a)).unwrap_err(), "weights of shape [2, 3] for 3 observations"),
            (
                a.try_cov_with(Covariance::new().columns().counts(&a.slice(s![0, ..])))
                    .unwrap_err(),
                "counts of shape [3] for 2 observations",
            ),
            (a.try_cross(&a.slice(s![.., ..1])).unwrap_err(), "2 or 3 components"),
            (a.try_cross(&DeviceArray::full((), 1.0)).unwrap_err(), "shapes [2, 3] and []"),
            (a.try_cross(&DeviceArray::ones([3, 3])).unwrap_err(), "[3]"),
        ] {
            assert!(error.is_shape(), "{error}");
            assert!(error.to_string().contains(words), "{error}: {words}");
        }
    });
}
