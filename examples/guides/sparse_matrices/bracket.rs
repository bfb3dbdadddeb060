//! # Modes of a membrane with a corner
//!
//! The lowest modes of an L-shaped membrane, MATLAB's logo, are eigenvectors of the smallest
//! eigenvalues of a Laplacian on the points inside. A matrix that takes these points out of a square
//! selects rows and columns, by products of sparse matrices. [`eigsh`](lazuli::sparse::linalg::eigsh())
//! is `scipy.sparse.linalg.eigsh`. Small eigenvalues come slowly to Lanczos's method; they are the
//! largest ones of the inverse, so that [`splu`](lazuli::sparse::linalg::splu()) factorises the matrix
//! once and a closure solves: SciPy's `sigma=0`. Values are a `Vec`, since the iteration looks at them
//! anyway; vectors stay on the device, as columns.
//!
//! The first six modes.

use lazuli::prelude::*;
use lazuli::sparse::linalg::{EigenOptions, eigsh, splu};
use lazuli::sparse::{Coo, Csr};

type Array = DeviceArray<f64>;

/// The modes as columns on a square of `n` points a side, an odd number, and their eigenvalues for a unit square.
pub fn modes(n: usize, count: usize) -> Result<(Array, Vec<f64>)> {
    let (two, minus) = (Array::full([1], 2.0), Array::full([1], -1.0));
    let line = Csr::diags([n, n], &[(-1, &minus), (0, &two), (1, &minus)])?;
    let laplacian = line.kronsum(&line)?;
    let inside: Vec<usize> = (0..n * n).filter(|k| k / n > n / 2 || k % n < n / 2).collect();
    let rows: Vec<usize> = (0..inside.len()).collect();
    let ones = Array::ones(inside.len());
    let take = Coo::new([inside.len(), n * n], &rows, &inside, &ones)?.to_csr()?;
    let put = take.transpose()?;
    let factors = splu(&take.matmul(&laplacian)?.matmul(&put)?)?;
    let inverse = |x: &Array| factors.solve(x).expect("the membrane is held at its edges");
    let found = eigsh(&inverse, count, &EigenOptions::new().start(&ones))?;
    let scale = ((n + 1) * (n + 1)) as f64;
    let values = found.values.iter().rev().map(|inverse| scale / inverse).collect();
    Ok((put.dot(&found.vectors.slice(s![.., ..;-1])), values))
}

#[test]
fn the_third_mode_is_a_sine() -> Result<()> {
    let (_, values) = modes(39, 3)?;
    // That of the square of half the side, which ends in the corner: 2π² · 4.
    assert!((values[2] / (8.0 * std::f64::consts::PI.powi(2)) - 1.0).abs() < 0.003);
    Ok(())
}
