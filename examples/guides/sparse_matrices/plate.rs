//! # A system by conjugate gradients
//!
//! The temperature of a plate that is heated at two places and conducts unevenly.
//! [`cg`](lazuli::sparse::linalg::cg()) is `scipy.sparse.linalg.cg`, with its `rtol` and `M`: a
//! preconditioner is a closure that nearly solves the system, here by dividing by the diagonal. A
//! solver computes when it is called and looks at the residual now and then. That it does not converge
//! is no error, [`converged`](lazuli::sparse::linalg::Solution::converged) tells; a SciPy program asks
//! for `info`. Small systems are the matter of [`splu`](lazuli::sparse::linalg::splu()), whose factors
//! solve many right-hand sides.
//!
//! Bright is hot. The right half conducts ten times as well as the left one.

use lazuli::prelude::*;
use lazuli::sparse::{Csr, linalg};

type Array = DeviceArray<f64>;

/// The differences of neighbours in a line, and of its ends and zero.
fn differences(n: usize) -> Result<Csr<f64>> {
    let (one, minus) = (Array::full([1], 1.0), Array::full([1], -1.0));
    Csr::diags([n + 1, n], &[(0, &one), (-1, &minus)])
}

/// The temperatures, and the turns that it took.
pub fn temperature(n: usize) -> Result<(Array, usize)> {
    let (slopes, eye) = (differences(n)?, Csr::eye(n)?);
    let slopes = Csr::vstack(&[&slopes.kron(&eye)?, &eye.kron(&slopes)?])?;
    let x = Array::linspace(0.0, 1.0, n);
    let down = x.greater(0.5).select(10.0, 1.0).broadcast_to([n + 1, n]).flatten();
    let x = Array::linspace(0.0, 1.0, n + 1);
    let across = x.greater(0.5).select(10.0, 1.0).broadcast_to([n, n + 1]).flatten();
    let conducts = Csr::diags([2 * n * (n + 1); 2], &[(0, &concatenate(&[down, across], 0))])?;
    let matrix = slopes.transpose()?.matmul(&conducts)?.matmul(&slopes)?;
    let mut heat = Array::zeros([n, n]);
    heat.assign(s![n / 4..n / 3, n / 5..n / 3], 1.0);
    heat.assign(s![n / 2..2 * n / 3, 2 * n / 3..5 * n / 6], 2.0);
    let diagonal = matrix.diagonal();
    let options = linalg::Options::new().rtol(1e-8).preconditioner(|r| r / &diagonal);
    let found = linalg::cg(&matrix, &heat.flatten(), &options)?;
    assert!(found.converged);
    Ok((found.x.reshape([n, n]), found.turns))
}

#[test]
fn it_is_hottest_where_it_is_heated() -> Result<()> {
    let (plate, turns) = temperature(40)?;
    assert!(plate.min(..).item()? > 0.0 && turns < 200);
    let hottest = plate.argmax(..).item()? as usize;
    assert!((10..13).contains(&(hottest / 40)) && (8..13).contains(&(hottest % 40)));
    Ok(())
}
