//! The array API's functions and indices by several arrays against NumPy's answers
//! (`tests/data/standard`).

mod draws;
mod edits;
mod functions;
mod indexing;
mod names;
mod rejection;
mod types;

use crate::support::compare::{Tolerance, difference};
use crate::support::load::{Arrays, arrays};
use crate::support::on_each_device;
use crate::support::value::{Host, Typed, Value};
use lazuli::prelude::*;

const CLOSE: Tolerance = Tolerance { ulp: 8, rtol: 1e-12, atol: 1e-12, signed_zero: false };
const EXACT: Tolerance = Tolerance { ulp: 0, rtol: 0.0, atol: 0.0, signed_zero: true };

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

    #[track_caller]
    fn same<T: Typed>(&self, name: &str, got: DeviceArray<T>, tolerance: Tolerance) {
        let got: Host = Value::from(got).to_host().unwrap_or_else(|e| panic!("{name}: {e}"));
        if let Some(what) = difference(&got, self.host::<T>(name), tolerance) {
            panic!("{name}: {what}");
        }
    }

    #[track_caller]
    fn exact<T: Typed>(&self, name: &str, got: DeviceArray<T>) {
        self.same(name, got, EXACT);
    }

    #[track_caller]
    fn close<T: Typed>(&self, name: &str, got: DeviceArray<T>) {
        self.same(name, got, CLOSE);
    }
}

/// Runs a check with the arrays of the file, on every device.
fn with_file(check: impl Fn(&File)) {
    let file = File(arrays("standard/standard.npz"));
    on_each_device(|_| check(&file));
}
