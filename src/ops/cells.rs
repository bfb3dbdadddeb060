//! Cells that bins along several axes make.

use super::counting::{Bins, Line, count, too_many};
use crate::array::{DeviceArray, located, record, recorded};
use crate::dtype::{DType, Real, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::Shape;
use crate::table::Op;
use std::sync::Arc;

/// How many points fall into each of the cells that bins along two axes make, and the bounds of
/// the bins along each.
///
/// **Shape.** The coordinates have one shape; the counts have an axis for each. **Dtype.** `i64`
/// and `f64`.
///
/// **Laziness.** As [`histogram`](DeviceArray::histogram).
///
/// # Errors
/// As [`histogram`](DeviceArray::histogram), and [`Error::is_shape`] where the coordinates' shapes
/// differ.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let x = DeviceArray::from_slice(&[0.1, 0.2, 0.9])?;
/// let y = DeviceArray::from_slice(&[0.1, 0.7, 0.8])?;
/// let bins = Bins::Within(2, 0.0, 1.0);
/// let (counts, _, _) = lazuli::histogram2d(&x, &y, [bins, bins])?;
/// assert_eq!(counts.to_vec()?, [1, 1, 0, 1]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn histogram2d<T: Real>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    bins: [Bins; 2],
) -> Result<(DeviceArray<i64>, DeviceArray<f64>, DeviceArray<f64>)> {
    let find = || {
        let (counts, edges) = cells("histogram2d", &[x, y], &bins)?;
        let [rows, columns] = <[DeviceArray<f64>; 2]>::try_from(edges)
            .map_err(|_| Error::shape("histogram2d: not two axes"))?;
        Ok((counts, rows, columns))
    };
    located(recorded(find))
}

/// How many points fall into each of the cells that bins along several axes make, and the bounds of
/// the bins along each.
///
/// **Shape.** The coordinates, one array for each axis, have one shape; the counts have an axis for
/// each. **Dtype.** `i64` and `f64`. NumPy: `histogramdd`, which takes the coordinates of a point as
/// a row.
///
/// **Laziness.** As [`histogram`](DeviceArray::histogram).
///
/// # Errors
/// As [`histogram`](DeviceArray::histogram), and [`Error::is_shape`] where there are not as many
/// kinds of bins as coordinates, or the coordinates' shapes differ.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let x = DeviceArray::from_slice(&[0.1, 0.2, 0.9])?;
/// let bins = Bins::Within(2, 0.0, 1.0);
/// let (counts, edges) = lazuli::histogramdd(&[&x, &x, &x], &[bins; 3])?;
/// assert_eq!((counts.shape(), edges.len()), (&[2, 2, 2][..], 3));
/// assert_eq!(counts.to_vec()?, [2, 0, 0, 0, 0, 0, 0, 1]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn histogramdd<T: Real>(
    coordinates: &[&DeviceArray<T>],
    bins: &[Bins],
) -> Result<(DeviceArray<i64>, Vec<DeviceArray<f64>>)> {
    located(cells("histogramdd", coordinates, bins))
}

/// Cells that bins along several axes make.
pub(crate) struct Cells {
    /// The number of the cell of each point; -1 for none.
    pub at: DeviceArray<i64>,
    /// How many bins there are along each axis.
    pub shape: Shape,
    /// The number of cells.
    pub total: usize,
    /// The bounds of the bins along each axis.
    pub edges: Vec<DeviceArray<f64>>,
}

/// The counts of the cells, and the bounds along each axis.
#[track_caller]
fn cells<T: Real>(
    name: &str,
    coordinates: &[&DeviceArray<T>],
    bins: &[Bins],
) -> Result<(DeviceArray<i64>, Vec<DeviceArray<f64>>)> {
    let cells = cells_of(name, coordinates, bins)?;
    let counts = count(name, cells.at.node(), None, cells.total)?;
    Ok((DeviceArray::from_node(record::reshape(&counts, cells.shape)), cells.edges))
}

/// The cells in which points lie.
#[track_caller]
pub(crate) fn cells_of<T: Real>(
    name: &str,
    coordinates: &[&DeviceArray<T>],
    bins: &[Bins],
) -> Result<Cells> {
    let (Some(first), true) = (coordinates.first(), coordinates.len() == bins.len()) else {
        let (n, m) = (coordinates.len(), bins.len());
        return Err(Error::shape(format!("{name}: {m} kinds of bins for {n} coordinates")));
    };
    let (mut shape, mut edges) = (Shape::new(), Vec::new());
    // The number of the cell, and whether a point has a bin along each axis.
    let mut found: Option<(Arc<Node>, Arc<Node>)> = None;
    for (x, &bins) in coordinates.iter().zip(bins) {
        if x.shape() != first.shape() {
            let (a, b) = (first.shape(), x.shape());
            return Err(Error::shape(format!("{name}: coordinates of shapes {a:?} and {b:?}")));
        }
        if x.device().differs(first.device()) {
            return Err(record::devices_differ(name, first.device(), x.device()));
        }
        let line = Line::new(name, x, bins)?;
        let n = line.bins();
        let low = record::binary(Op::GreaterEqual, &line.at, Scalar::new(0i32))?;
        let high = record::binary(Op::Less, &line.at, Scalar::new(n as i32))?;
        let inside = record::binary(Op::LogicalAnd, &low, &high)?;
        let at = record::cast(&line.at, DType::I64);
        found = Some(match found {
            None => (at, inside),
            Some((cell, all)) => {
                let row = record::binary(Op::Multiply, &cell, Scalar::new(n as i64))?;
                let cell = record::binary(Op::Add, &row, &at)?;
                (cell, record::binary(Op::LogicalAnd, &all, &inside)?)
            }
        });
        shape.push(n);
        edges.push(line.edges);
    }
    let total = shape.iter().try_fold(1usize, |n, &m| n.checked_mul(m));
    let total = total.ok_or_else(|| too_many(name, shape[0]))?;
    let Some((cell, inside)) = found else {
        return Err(Error::shape(format!("{name}: no coordinates")));
    };
    // A point that has no bin along one axis must not fall into another's cell.
    let cell = record::select(&inside, &cell, Scalar::new(-1i64))?;
    Ok(Cells { at: DeviceArray::from_node(cell), shape, total, edges })
}
