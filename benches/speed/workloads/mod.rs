//! The workloads, written as a user would write them: each evaluation records its expression anew
//! on arrays that stay on the device, and drops the result.

mod elementwise;
mod ensembles;
mod formulas;
mod loops;
mod moves;
mod pictures;
mod products;
mod random;
mod reductions;
mod rings;
mod science;
mod sorting;
mod stencils;
mod transforms;

pub use elementwise::{copy, dispatch, scale, sinexp};
pub use ensembles::{ensemble, ensemble_rk4};
pub use formulas::{blackscholes, haversine};
pub use loops::{elements, gramschmidt, lu, rows, seidel};
pub use moves::{add_rows, join, svd};
pub use pictures::mandelbrot;
pub use products::{matmul, matmul_shared, matmul_tf32};
pub use random::{mcpi, uniform};
pub use reductions::{
    argmax, colsum, cumsum, pairwise_min, prod, rowsum, softmax, standardize, sumsq,
};
pub use rings::{lorenz04, lorenz04_steps, smooth};
pub use science::{conjugate_gradients, gaussian, median, parts, sparse_product, spectrum, turned};
pub use sorting::sort;
pub use stencils::{jacobi_sweeps, jacobi2d, lorenz_rk4};
pub use transforms::fftconv;

use crate::measure::{Bench, Check};
use lazuli::prelude::*;
use std::cell::RefCell;

/// The fractional part of the golden ratio: its multiples spread evenly over [0, 1).
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// Those of the square roots of 2 and 3.
const SQRT_2: f64 = 0.414_213_562_373_095_1;
const SQRT_3: f64 = 0.732_050_807_568_877_2;

/// Values spread evenly over a range, made on the device.
fn spread<T: Floating>(n: usize, ratio: f64, low: f64, high: f64) -> Result<DeviceArray<T>> {
    let part = DeviceArray::<f64>::arange_to(n as f64) * ratio % 1.0;
    let values = (part * (high - low) + low).cast::<T>();
    values.eval()?;
    Ok(values)
}

/// Times a form that records one array and evaluates it.
fn array_form<T: Element>(
    bench: &mut Bench,
    form: &str,
    bytes: usize,
    record: impl Fn() -> Result<DeviceArray<T>>,
    check: impl FnOnce(DeviceArray<T>) -> Check,
) -> Result<()> {
    let result = || {
        let y = record()?;
        y.eval().map(|()| y)
    };
    bench.form(form, bytes, || result().map(drop), || check(result()?))
}

/// Times a form that launches a kernel, which writes to the same array each time.
fn kernel_form<T: Element>(
    bench: &mut Bench,
    name: &str,
    bytes: usize,
    out: DeviceArray<T>,
    launch: impl Fn(&mut DeviceArray<T>) -> Result<()>,
    check: impl FnOnce(DeviceArray<T>) -> Check,
) -> Result<()> {
    out.eval()?;
    let out = RefCell::new(out);
    let run = || launch(&mut out.borrow_mut());
    // The check sees a second handle only while no launch follows.
    bench.form(name, bytes, run, || check(out.borrow().clone()))
}

/// The positions at which results are looked at: both ends and some between.
fn places(n: usize) -> [usize; 5] {
    [0, n / 3, n / 2, n - n / 5 - 1, n - 1]
}

/// One element of a vector.
fn at<T: Floating>(a: &DeviceArray<T>, i: usize) -> Result<f64> {
    Ok(a.index_axis(0, i as isize).item()?.to_f64())
}

/// One row of a matrix, on the host.
fn row<T: Floating>(a: &DeviceArray<T>, i: usize) -> Result<Vec<f64>> {
    Ok(a.index_axis(0, i as isize).to_vec()?.into_iter().map(T::to_f64).collect())
}

/// Compares what was found with what was to be found, pair by pair.
fn compare(pairs: impl IntoIterator<Item = (f64, f64)>, tolerance: f64) -> Check {
    let mut pairs = pairs.into_iter();
    let is_near = |got: f64, want: f64| (got - want).abs() <= tolerance * want.abs().max(1.0);
    let bad = pairs.find(|&(got, want)| !is_near(got, want));
    Ok(match bad {
        Some((got, want)) => Err(format!("{got} where {want} is right")),
        None => Ok(()),
    })
}

/// The tolerance for results of a type after a few roundings.
fn tolerance<T: Floating>() -> f64 {
    if T::DTYPE == DType::F64 { 1e-12 } else { 2e-5 }
}
