//! The arrays of tests/data/linalg.npz, in each of the types that linear algebra factorises, and
//! comparisons within a precision.

use crate::support::load::data;
use lazuli::NpyElement;
use lazuli::prelude::*;
use ndarray::ArrayD;
use std::fmt::Debug;

/// A type to test with.
pub trait Kind: Factorable {
    /// The part of the file with its cases: `real` or `complex`.
    const NAME: &'static str;
    /// What a result may be off by, relative to 1 or to the largest number if that is larger.
    const TOLERANCE: f64;
    /// The type in the file.
    type Stored: NpyElement;
}

impl Kind for f32 {
    const NAME: &'static str = "real";
    const TOLERANCE: f64 = 2e-4;
    type Stored = f64;
}
impl Kind for f64 {
    const NAME: &'static str = "real";
    const TOLERANCE: f64 = 1e-11;
    type Stored = f64;
}
impl Kind for Complex<f32> {
    const NAME: &'static str = "complex";
    const TOLERANCE: f64 = 2e-4;
    type Stored = Complex<f64>;
}
impl Kind for Complex<f64> {
    const NAME: &'static str = "complex";
    const TOLERANCE: f64 = 1e-11;
    type Stored = Complex<f64>;
}

/// An array of the file as it is stored.
pub fn stored<T: NpyElement>(key: &str) -> DeviceArray<T> {
    let mut file = NpzFile::open(data("linalg.npz")).expect("the file is there");
    file.read(key).unwrap_or_else(|e| panic!("{key}: {e}"))
}

/// An array of the file's part for a type, in that type.
pub fn case<T: Kind>(key: &str) -> DeviceArray<T> {
    stored::<T::Stored>(&format!("{}.{key}", T::NAME)).cast()
}

/// A real array of that part.
pub fn real<T: Kind>(key: &str) -> DeviceArray<T::Real> {
    stored::<f64>(&format!("{}.{key}", T::NAME)).cast()
}

/// Compares two arrays within the precision of their type.
pub fn close<T: Element + Debug>(
    what: &str,
    got: &DeviceArray<T>,
    want: &DeviceArray<T>,
    tolerance: f64,
) {
    assert_eq!(got.shape(), want.shape(), "{what}");
    let host = |a: &DeviceArray<T>| -> ArrayD<Complex<f64>> {
        a.cast::<Complex<f64>>().copy_to_host().unwrap_or_else(|e| panic!("{what}: {e}"))
    };
    let (got, want) = (host(got), host(want));
    let scale = want.iter().map(|w| w.norm()).fold(1.0, f64::max);
    for (g, w) in got.iter().zip(&want) {
        assert!((g - w).norm() <= tolerance * scale, "{what}: {g} for {w}, among {scale}");
    }
}

/// Runs a test for every type.
macro_rules! every_kind {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            super::files::run(stringify!($name), checks::$name::<f32>);
            super::files::run(stringify!($name), checks::$name::<f64>);
            super::files::run(stringify!($name), checks::$name::<Complex<f32>>);
            super::files::run(stringify!($name), checks::$name::<Complex<f64>>);
        }
    )*};
}
pub(crate) use every_kind;

/// Says which type failed.
pub fn run(name: &str, check: fn()) {
    eprintln!("{name}: {}", std::any::type_name_of_val(&check));
    check();
}
