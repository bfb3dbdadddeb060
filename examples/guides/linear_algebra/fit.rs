//! # A fit by least squares
//!
//! Columns of a matrix are what a measurement is made of: a constant, a trend, and the cosines and
//! sines of two known periods. [`lstsq`](lazuli::DeviceArray::lstsq) is `np.linalg.lstsq`. It returns
//! the coefficients, the squared distance, the rank and the singular values, and records: the
//! factorisation, faer's on the processor and cuSOLVER's on a GPU, is a call in the plan, and what
//! makes the matrix and what uses the result are kernels around it. A matrix of too low a rank is no
//! error, [`rank`](lazuli::linalg::LeastSquares::rank) tells.
//!
//! Grey 200 heights of water over sixty hours, blue the fit.

use lazuli::prelude::*;
use lazuli::random::Generator;

type Array = DeviceArray<f64>;

const PERIODS: [f64; 2] = [12.42, 25.82];

fn columns(t: &Array) -> Array {
    let waves = PERIODS.map(|period| t * (std::f64::consts::TAU / period));
    let [fast, slow] = &waves;
    let all = [Array::ones_like(t), t.clone(), fast.cos(), fast.sin(), slow.cos(), slow.sin()];
    stack(&all, -1)
}

pub fn tides(n: usize) -> (Array, Array) {
    let t = Array::linspace(0.0, 60.0, n);
    let known = DeviceArray::from_iter([0.5, 0.01, 1.2, -0.4, 0.3, 0.6]);
    let noise: Array = Generator::new(14).normal(0.0, 0.3, n);
    (t.clone(), columns(&t).matmul(&known) + noise)
}

/// The fitted heights, and the coefficients.
pub fn fitted(t: &Array, y: &Array) -> (Array, Array) {
    let columns = columns(t);
    let found = columns.lstsq(y, None).x;
    (columns.matmul(&found), found)
}

#[test]
fn coefficients_are_found() -> Result<()> {
    let (t, y) = tides(200);
    let (heights, found) = fitted(&t, &y);
    assert!((found.get([2])? - 1.2).abs() < 0.1 && (found.get([3])? + 0.4).abs() < 0.1);
    assert!(((y - heights).std(..).item()? - 0.3).abs() < 0.05); // the noise is left
    Ok(())
}
