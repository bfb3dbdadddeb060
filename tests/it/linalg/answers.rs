//! SciPy's answers as arrays of any type, and how a result is held against them.

use crate::support::load::Arrays;
use crate::support::value::Host;
use lazuli::prelude::*;
use ndarray::ArrayD;

pub type C = Complex<f64>;

/// The arrays of a file of answers.
pub struct File(pub Arrays);

impl File {
    pub fn host(&self, name: &str) -> ArrayD<C> {
        let of = |dtype: &str| self.0.get(&format!("{name}.{dtype}"));
        match ["f64", "c128", "i64"].iter().find_map(|dtype| of(dtype)) {
            Some(Host::F64(a)) => a.mapv(|x| C::new(x, 0.0)),
            Some(Host::I64(a)) => a.mapv(|x| C::new(x as f64, 0.0)),
            Some(Host::C128(a)) => a.clone(),
            _ => panic!("{name} is not in the file"),
        }
    }

    pub fn array<T: Element>(&self, name: &str) -> DeviceArray<T> {
        lazuli::to_device(&self.host(name)).unwrap().cast()
    }

    /// Holds a result against the file's, up to a part of its largest element.
    #[track_caller]
    pub fn near<T: Element>(&self, name: &str, got: &DeviceArray<T>, part: f64) {
        let got = got.cast::<C>().copy_to_host().unwrap_or_else(|e| panic!("{name}: {e}"));
        let wanted = self.host(name);
        assert_eq!(got.shape(), wanted.shape(), "{name}");
        let largest = wanted.iter().map(|x| x.norm()).fold(1e-300, f64::max);
        for (k, (got, wanted)) in got.iter().zip(&wanted).enumerate() {
            let same = (got - wanted).norm() <= part * largest;
            assert!(same, "{name}: element {k}: {got} and not {wanted}");
        }
    }
}
