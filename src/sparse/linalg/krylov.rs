//! Steps through Krylov spaces, by Arnoldi's method.

use crate::array::{DeviceArray, eval};
use crate::dtype::Floating;
use crate::error::Result;
use ndarray::s;

/// Adds so many orthonormal vectors to a basis, whose vectors are the rows of a matrix, each by the map of
/// the one before it; the first one goes on from row `from`. Gives the columns of the Hessenberg matrix
/// of the map.
///
/// What is there of the earlier vectors is taken out twice, since once leaves rounding. Each step is
/// evaluated as soon as it is recorded, so that its vector goes to its place in the matrix; a GPU is not
/// waited for before the columns are read.
pub(super) fn extended<T: Floating>(
    basis: &mut DeviceArray<T>,
    from: usize,
    steps: usize,
    map: impl Fn(&DeviceArray<T>) -> Result<DeviceArray<T>>,
) -> Result<Vec<Vec<f64>>> {
    let mut columns = Vec::new();
    for k in from..from + steps {
        basis.eval()?;
        let made = basis.slice(s![..=k, ..]);
        let mut w = map(&basis.slice(s![k, ..]))?;
        let mut column = DeviceArray::zeros([k + 1]);
        for _ in 0..2 {
            let parts = made.try_matmul(&w)?;
            w -= made.t().try_matmul(&parts)?;
            column += parts;
        }
        let length = w.norm(0);
        // A space that is exhausted has no further vector.
        let inverse = length.greater(T::ZERO).select(length.reciprocal(), T::ZERO);
        let column = crate::try_concatenate(&[&column, &length.reshape([1])], 0)?;
        let next = w * inverse;
        eval(&[&next, &column])?;
        drop(made);
        basis.assign(s![k + 1, ..], next);
        columns.push(column);
    }
    basis.eval()?;
    let host = |column: &DeviceArray<T>| -> Result<Vec<f64>> {
        Ok(column.to_vec()?.into_iter().map(Floating::to_f64).collect())
    };
    columns.iter().map(host).collect()
}
