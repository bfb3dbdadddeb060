//! Signal processing, and cosine transforms, against SciPy's answers (`tests/data/signal`).

mod designs;
mod estimates;
mod filters;
mod peaks;
mod rates;
mod spectra;
mod steps;
mod systems;
mod waveforms;
mod waves;

use crate::support::load::{Arrays, arrays};
use crate::support::on_each_device;
use crate::support::value::Host;
use lazuli::prelude::*;
use ndarray::ArrayD;

type C = Complex<f64>;

/// The arrays of a file, as complex numbers.
struct File(Arrays);

impl File {
    fn host(&self, name: &str) -> ArrayD<C> {
        let of = |dtype: &str| self.0.get(&format!("{name}.{dtype}"));
        let found = ["f64", "c128", "i64", "c64", "f32"].iter().find_map(|dtype| of(dtype));
        match found.unwrap_or_else(|| panic!("{name} is not in the file")) {
            Host::F64(a) => a.mapv(|x| C::new(x, 0.0)),
            Host::F32(a) => a.mapv(|x| C::new(x.into(), 0.0)),
            Host::I64(a) => a.mapv(|x| C::new(x as f64, 0.0)),
            Host::C64(a) => a.mapv(|x| C::new(x.re.into(), x.im.into())),
            Host::C128(a) => a.clone(),
            _ => panic!("{name} is of another type"),
        }
    }

    /// The real numbers of a list on the host.
    fn list(&self, name: &str) -> Vec<f64> {
        self.host(name).iter().map(|x| x.re).collect()
    }

    fn array<T: Element>(&self, name: &str) -> DeviceArray<T> {
        lazuli::to_device(&self.host(name)).unwrap().cast()
    }

    /// Rows of sections.
    fn sos(&self, name: &str) -> Vec<[f64; 6]> {
        self.list(name).as_chunks::<6>().0.to_vec()
    }

    /// Holds a result against the file's, up to a part of its largest element.
    #[track_caller]
    fn near<T: Element>(&self, name: &str, got: &DeviceArray<T>, part: f64) {
        let got = got.cast::<C>().copy_to_host().unwrap_or_else(|e| panic!("{name}: {e}"));
        self.near_host(name, &got, part);
    }

    #[track_caller]
    fn near_host(&self, name: &str, got: &ArrayD<C>, part: f64) {
        let wanted = self.host(name);
        assert_eq!(got.shape(), wanted.shape(), "{name}");
        let largest = wanted.iter().map(|x| x.norm()).fold(1e-3, f64::max);
        for (k, (got, wanted)) in got.iter().zip(&wanted).enumerate() {
            let same = (got - wanted).norm() <= part * largest || (got.is_nan() && wanted.is_nan());
            assert!(same, "{name}: element {k}: {got} and not {wanted}");
        }
    }

    #[track_caller]
    fn near_list(&self, name: &str, got: &[f64], part: f64) {
        let got = got.iter().map(|&x| C::new(x, 0.0)).collect();
        let shape = self.host(name).shape().to_vec();
        let got = ArrayD::from_shape_vec(shape, got).unwrap_or_else(|e| panic!("{name}: {e}"));
        self.near_host(name, &got, part);
    }
}

/// How near results of `f64` and of `f32` are.
const NEAR: f64 = 1e-11;
const NEAR32: f64 = 2e-5;

/// Runs a check with the arrays of files, on every device.
fn with_files(names: &[&str], check: impl Fn(&File)) {
    let all = names.iter().flat_map(|name| arrays(&format!("signal/{name}.npz"))).collect();
    let file = File(all);
    on_each_device(|_| check(&file));
}

/// What an operation says of arguments that do not fit.
#[track_caller]
fn refuses<T>(made: lazuli::Result<T>, part: &str) {
    let error = made.err().expect("an error");
    assert!(error.is_shape() && error.to_string().contains(part), "{error}");
}
