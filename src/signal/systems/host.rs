//! Matrices on the host, computed with by the processor's operations.

use crate::DeviceArray;
use crate::array::upload_to;
use crate::backend::Device;
use crate::dtype::{Complex, Factorable};
use crate::error::Result;
use crate::shape::Shape;
use ndarray::{Array2, Axis, concatenate};

/// A matrix on a device.
pub(super) fn upload<T: Factorable>(a: &Array2<T>, device: Device) -> Result<DeviceArray<T>> {
    let elements: Vec<T> = a.iter().copied().collect();
    upload_to(device, &elements, Shape::from_slice(&[a.nrows(), a.ncols()]))
}

fn download<T: Factorable>(a: &DeviceArray<T>) -> Result<Array2<T>> {
    let elements = a.to_vec()?;
    let width = a.shape()[1];
    Ok(Array2::from_shape_fn((a.shape()[0], width), |(i, j)| elements[i * width + j]))
}

/// The exponential of a matrix.
pub(super) fn expm(a: &Array2<f64>) -> Result<Array2<f64>> {
    download(&upload(a, Device::cpu())?.try_expm()?)
}

/// The solution of `a · x = b`; an error where `a` is singular.
pub(super) fn solve(a: &Array2<f64>, b: &Array2<f64>) -> Result<Array2<f64>> {
    download(&upload(a, Device::cpu())?.try_solve(&upload(b, Device::cpu())?)?)
}

/// The eigenvalues of a matrix.
pub(super) fn eigenvalues(a: &Array2<f64>) -> Result<Vec<Complex<f64>>> {
    upload(a, Device::cpu())?.try_eigvals()?.to_vec()
}

/// An upper triangle `t` and a unitary `z` with `a = z · t · zᴴ`.
pub(super) fn schur(a: &Array2<f64>) -> Result<[Array2<Complex<f64>>; 2]> {
    let (t, z) = upload(a, Device::cpu())?.schur()?;
    Ok([download(&t)?, download(&z)?])
}

/// Matrices side by side.
pub(super) fn beside(parts: &[&Array2<f64>]) -> Array2<f64> {
    joined(parts, 1)
}

/// Matrices below each other.
pub(super) fn below(parts: &[&Array2<f64>]) -> Array2<f64> {
    joined(parts, 0)
}

fn joined(parts: &[&Array2<f64>], axis: usize) -> Array2<f64> {
    let views: Vec<_> = parts.iter().map(|a| a.view()).collect();
    concatenate(Axis(axis), &views).expect("the matrices of a system fit together")
}
