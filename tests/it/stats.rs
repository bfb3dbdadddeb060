//! Statistics against SciPy's answers (`tests/data/stats`).

mod groups;
mod odd;
mod summaries;
mod tests;

use crate::support::load::{Arrays, arrays};
use crate::support::on_each_device;
use crate::support::value::Host;
use lazuli::prelude::*;
use lazuli::stats::*;
use ndarray::ArrayD;

/// The arrays of the file.
struct File(Arrays);

impl File {
    fn host(&self, name: &str) -> ArrayD<f64> {
        match (self.0.get(&format!("{name}.f64")), self.0.get(&format!("{name}.i64"))) {
            (Some(Host::F64(a)), _) => a.clone(),
            (_, Some(Host::I64(a))) => a.mapv(|x| x as f64),
            _ => panic!("{name} is not in the file"),
        }
    }

    fn array<T: Element>(&self, name: &str) -> DeviceArray<T> {
        lazuli::to_device(&self.host(name)).unwrap().cast()
    }

    /// Holds a result against the file's, up to a part of each element and of the largest one.
    #[track_caller]
    fn near<T: Element>(&self, name: &str, got: &DeviceArray<T>, part: f64) {
        let got = got.cast::<f64>().copy_to_host().unwrap_or_else(|e| panic!("{name}: {e}"));
        let wanted = self.host(name);
        assert_eq!(got.shape(), wanted.shape(), "{name}");
        let finite = wanted.iter().filter(|x| x.is_finite()).map(|x| x.abs());
        let largest = finite.fold(1e-3, f64::max);
        for (k, (&got, &wanted)) in got.iter().zip(&wanted).enumerate() {
            let same = got == wanted
                || (got - wanted).abs() <= part * (wanted.abs() + 1e-3 * largest)
                || (got.is_nan() && wanted.is_nan());
            assert!(same, "{name}: element {k}: {got} and not {wanted}");
        }
    }

    #[track_caller]
    fn near_list(&self, name: &str, got: &[f64], part: f64) {
        let shape = self.host(name).shape().to_vec();
        let got = DeviceArray::from_vec(shape, got.to_vec()).unwrap();
        self.near(name, &got, part);
    }

    #[track_caller]
    fn near_test<T: Element>(&self, name: &str, got: &TestResult<T>, part: f64) {
        self.near(&format!("{name}_s"), &got.statistic, part);
        self.near(&format!("{name}_p"), &got.pvalue, part);
    }
}

const SIDES: [(&str, Alternative); 3] = [
    ("two-sided", Alternative::TwoSided),
    ("less", Alternative::Less),
    ("greater", Alternative::Greater),
];

/// How near results of `f64` are.
const NEAR: f64 = 1e-10;

/// Runs a check with the arrays of the file, on every device.
fn with_file(check: impl Fn(&File)) {
    let file = File(arrays("stats/stats.npz"));
    on_each_device(|_| check(&file));
}

/// Axes, and how the names of results along them end.
const AXES: [(&str, &[isize]); 3] = [("_0", &[0]), ("_2", &[2]), ("_all", &[0, 1, 2])];
