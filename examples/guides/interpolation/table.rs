//! # A table with lines at uneven places
//!
//! [`RegularGrid`](lazuli::interpolate::RegularGrid) reads a table of any number of axes between its
//! entries, linearly or at the nearest one: SciPy's `RegularGridInterpolator` and `interpn`. The places
//! are an array for each axis, and they broadcast against each other, where SciPy writes every
//! combination out: a column and a row read a whole plane, and the plane of coordinates is never
//! stored. What lies beyond the table is NaN or goes on, as
//! [`beyond`](lazuli::interpolate::RegularGrid::beyond()) says. Lines that are even and dense enough
//! for a smooth surface are the matter of [`map_coordinates`](lazuli::ndimage::map_coordinates()).
//!
//! Nine lines that lie closer where the function is steep.

use lazuli::interpolate::RegularGrid;
use lazuli::prelude::*;

type Array = DeviceArray<f64>;

fn steep(x: &Array, y: &Array) -> Array {
    (x.insert_axis(1).square() + y.insert_axis(0).square()).sqrt().tanh()
}

pub fn fine(n: usize) -> Result<Array> {
    let line = DeviceArray::from_slice(&[-3.0, -1.5, -0.8, -0.3, 0.0, 0.3, 0.8, 1.5, 3.0])?;
    let table = RegularGrid::new(&[&line, &line], &steep(&line, &line))?;
    let at = Array::linspace(-3.0, 3.0, n);
    Ok(table.at(&[&at.insert_axis(1), &at]))
}

#[test]
fn entries_come_back() -> Result<()> {
    let fine = fine(61)?;
    assert_eq!(fine.shape(), [61, 61]);
    assert!(fine.get([30, 30])? < 1e-12); // (0, 0) is in the table
    assert!((fine.get([15, 15])? - 4.5f64.sqrt().tanh()).abs() < 1e-12); // (-1.5, -1.5)
    Ok(())
}
