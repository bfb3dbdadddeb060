//! Images against SciPy's answers (`tests/data/ndimage`).

mod filters;
mod geometry;
mod morphology;
mod regions;
mod spectra;

use crate::support::compare::{Tolerance, difference};
use crate::support::load::{Arrays, arrays};
use crate::support::on_each_device;
use crate::support::value::{Host, Typed, Value};
use lazuli::ndimage::Border;
use lazuli::prelude::*;

const EXACT: Tolerance = Tolerance { ulp: 0, rtol: 0.0, atol: 0.0, signed_zero: false };

/// The borders, in the order in which the file stacks their results.
const BORDERS: [Border; 5] =
    [Border::Reflect, Border::Nearest, Border::Mirror, Border::Constant(2.5), Border::Wrap];

/// How near to SciPy's a result of sums has to be. Whole numbers that SciPy truncates may be the
/// neighbour.
fn close<T: Typed>() -> Tolerance {
    match T::DTYPE {
        DType::F32 => Tolerance { ulp: 0, rtol: 3e-6, atol: 2e-5, signed_zero: false },
        DType::F64 | DType::C128 => {
            Tolerance { ulp: 0, rtol: 1e-12, atol: 1e-12, signed_zero: false }
        }
        _ => Tolerance { ulp: 0, rtol: 0.0, atol: 1.0, signed_zero: false },
    }
}

/// The arrays of the file.
struct File(Arrays);

impl File {
    fn host<T: Typed>(&self, name: &str) -> &Host {
        let key = format!("{name}.{}", format!("{:?}", T::DTYPE).to_lowercase());
        self.0.get(&key).unwrap_or_else(|| panic!("{key} is not in the file"))
    }

    fn array<T: Typed>(&self, name: &str) -> DeviceArray<T> {
        T::of(&self.host::<T>(name).upload().unwrap()).clone()
    }

    /// An array of the host, `true` where the file's is not zero.
    fn flags(&self, name: &str) -> ndarray::ArrayD<bool> {
        self.array::<bool>(name).copy_to_host().unwrap()
    }

    #[track_caller]
    fn within<T: Typed>(&self, name: &str, got: &DeviceArray<T>, tolerance: Tolerance) {
        let wanted = self.array::<T>(name);
        let host = |a: DeviceArray<T>| -> Host {
            let integers = T::DTYPE.is_integer() && tolerance.atol > 0.0;
            let value = if integers { Value::from(a.cast::<f64>()) } else { Value::from(a) };
            value.to_host().unwrap_or_else(|e| panic!("{name}: {e}"))
        };
        if let Some(what) = difference(&host(got.clone()), &host(wanted), tolerance) {
            panic!("{name}.{:?}: {what}", T::DTYPE);
        }
    }

    /// Holds the results for all borders against those in the file.
    #[track_caller]
    fn borders<T: Typed>(
        &self,
        name: &str,
        tolerance: Tolerance,
        call: impl Fn(Border) -> DeviceArray<T>,
    ) {
        let one = |&border: &Border| {
            let a = call(border);
            a.eval().unwrap_or_else(|e| panic!("{name}: {border:?}: {e}"));
            a
        };
        let all: Vec<DeviceArray<T>> = BORDERS.iter().map(one).collect();
        self.within(name, &lazuli::stack(&all, 0), tolerance);
    }
}

/// Runs a check with the arrays of the file, on every device.
fn with_file(check: impl Fn(&File)) {
    let file = File(arrays("ndimage/ndimage.npz"));
    on_each_device(|_| check(&file));
}
