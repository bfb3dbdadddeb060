//! # A Laplacian, put together
//!
//! The matrix of the five-point stencil on a grid is made of that of a line and of identities.
//! [`Csr::diags`](lazuli::sparse::Csr::diags), [`eye`](lazuli::sparse::Csr::eye) and
//! [`kron`](lazuli::sparse::Csr::kron) are SciPy's `diags_array`, `eye_array` and `kron`;
//! [`kronsum`](lazuli::sparse::Csr::kronsum) would do the last line at once. The places of entries are
//! known on the host and their values are an array on the device: sums of matrices decide now which
//! entries there are, return a [`Result`](lazuli::Result), and record the values.
//!
//! The entries for a grid of 6×6: red 4, blue -1.

use lazuli::prelude::*;
use lazuli::sparse::Csr;

fn line(n: usize) -> Result<Csr<f64>> {
    let (two, minus) = (DeviceArray::full([1], 2.0), DeviceArray::full([1], -1.0));
    Csr::diags([n, n], &[(-1, &minus), (0, &two), (1, &minus)])
}

pub fn laplacian(rows: usize, columns: usize) -> Result<Csr<f64>> {
    let down = line(rows)?.kron(&Csr::eye(columns)?)?;
    let across = Csr::eye(rows)?.kron(&line(columns)?)?;
    &down + &across
}

#[test]
fn rows_have_five_entries_or_fewer() -> Result<()> {
    let laplacian = laplacian(6, 6)?;
    assert_eq!((laplacian.shape(), laplacian.nnz()), ([36, 36], 36 + 4 * 30));
    // The product is one kernel, with what stands around it.
    let x = DeviceArray::<f64>::arange_to(36.0);
    let energy = (&x * laplacian.dot(&x)).sqrt();
    assert_eq!(explain(&[&energy]).kernels(), 1);
    Ok(())
}
