//! # Energy levels: eigenvalues of three diagonals
//!
//! A particle in two wells: the second difference and the potential make a symmetric matrix of three
//! diagonals, its eigenvalues are the energies and its eigenvectors the waves.
//! [`eigh_tridiagonal`](lazuli::linalg::eigh_tridiagonal()) is `scipy.linalg.eigh_tridiagonal`;
//! [`eigh`](lazuli::DeviceArray::eigh) takes full matrices,
//! [`eig_banded`](lazuli::linalg::eig_banded()) bands. Eigenvalues ascend and eigenvectors are columns,
//! as in NumPy. The matrix is written out and all of them are computed; SciPy's `select` is a slice of
//! the result.
//!
//! Grey the potential, in colours the four lowest waves, each at the height of its energy.

use lazuli::linalg::eigh_tridiagonal;
use lazuli::prelude::*;

type Array = DeviceArray<f64>;

/// Energies, waves, places and the potential.
pub fn levels(n: usize) -> Result<(Array, Array, Array, Array)> {
    let x = Array::linspace(-4.0, 4.0, n);
    let step = 8.0 / (n - 1) as f64;
    let potential = 0.2 * (x.square() - 4.0).square();
    let diagonal = &potential + 1.0 / (step * step);
    let beside = Array::full(n - 1, -0.5 / (step * step));
    let (energies, waves) = eigh_tridiagonal(&diagonal, &beside);
    Ok((energies, waves, x, potential))
}

#[test]
fn the_lowest_levels_are_a_pair() -> Result<()> {
    let (energies, waves, ..) = levels(300)?;
    let energies = energies.slice(s![..4]).to_vec()?;
    assert!(energies[1] - energies[0] < 0.05 && energies[2] - energies[1] > 1.0);
    // Waves have the length one and stand at right angles.
    let products = waves.t().matmul(&waves) - Array::eye(300);
    assert!(products.abs().max(..).item()? < 1e-10);
    Ok(())
}
