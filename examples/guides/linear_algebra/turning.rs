//! # Solutions of linear equations, by exponentials of matrices
//!
//! The solution of `x' = A x` is `expm(t A) x(0)`. [`expm`](lazuli::DeviceArray::expm) is
//! `scipy.linalg.expm`, and takes a stack: the exponentials of three systems at three hundred times are
//! one expression, made by broadcasting a matrix against the times. Its method chooses how often each
//! matrix is squared by norms, which it evaluates when it is called; the rest is recorded. Beside it
//! are [`logm`](lazuli::DeviceArray::logm), [`sqrtm`](lazuli::DeviceArray::sqrtm),
//! [`cosm`](lazuli::DeviceArray::cosm) and [`funm`](lazuli::DeviceArray::funm).
//!
//! Three damped turns from the same place on the right.

use lazuli::prelude::*;

type Array = DeviceArray<f64>;

/// The places `[system, time, 2]`.
pub fn paths(t: &Array) -> Result<Array> {
    let systems = DeviceArray::try_from([
        [[-0.1, -1.0], [1.0, -0.1]],
        [[-0.3, -2.0], [1.0, 0.0]],
        [[-0.05, -0.5], [1.0, -0.2]],
    ])?;
    let growth = (systems.reshape([3, 1, 2, 2]) * t.reshape([t.len(), 1, 1])).expm();
    let start = DeviceArray::from_slice(&[1.0, 0.0])?;
    Ok(growth.matmul(&start))
}

#[test]
fn the_first_system_turns_and_shrinks() -> Result<()> {
    let t = Array::linspace(0.0, 12.0, 25);
    let first = paths(&t)?.index(0)?;
    let shrunk = (-0.1 * &t).exp();
    let known = stack(&[&shrunk * t.cos(), &shrunk * t.sin()], -1);
    assert!((first - known).abs().max(..).item()? < 1e-12);
    Ok(())
}
