//! # Factorise once, solve often
//!
//! An implicit step of the equation of heat solves the same system again and again, of few diagonals.
//! [`cholesky_banded`](lazuli::linalg::cholesky_banded()) factorises it and
//! [`cho_solve_banded`](lazuli::linalg::cho_solve_banded()) solves it, as in `scipy.linalg`; rows of
//! `bands` are diagonals, the main one first. Both work on the host, since their steps follow one
//! another, and return a [`Result`](lazuli::Result): a matrix that is not positive definite is an error
//! of [`is_numeric`](lazuli::Error::is_numeric). For full matrices
//! [`lu_factor`](lazuli::DeviceArray::lu_factor) returns factors whose
//! [`solve`](lazuli::linalg::Lu::solve()) takes many right-hand sides, on the device.
//!
//! The temperature of a rod from left to right, downwards in time.

use lazuli::linalg::{cho_solve_banded, cholesky_banded};
use lazuli::prelude::*;

type Array = DeviceArray<f64>;

pub fn history(n: usize, steps: usize) -> Result<Array> {
    let r = 0.0001 * (n * n) as f64;
    let (main, below) = (Array::full(n, 1.0 + 2.0 * r), Array::full(n, -r));
    let factor = cholesky_banded(&stack(&[main, below], 0), true)?;
    let x = Array::linspace(0.0, 1.0, n);
    let hot = (&x - 0.3).abs().less(0.04) | (&x - 0.7).abs().less(0.1);
    let mut rows = vec![hot.cast::<f64>()];
    for _ in 1..steps {
        rows.push(cho_solve_banded(&factor, &rows[rows.len() - 1], true)?);
    }
    Ok(stack(&rows, 0).sqrt())
}

#[test]
fn a_step_is_implicit() -> Result<()> {
    let rows = history(100, 3)?.square();
    let (before, after) = (rows.index(1)?, rows.index(2)?);
    let around = after.pad(&[(1, 1)], PadMode::Constant(0.0));
    let spread = around.slice(s![2..]) + around.slice(s![..-2]) - 2.0 * &after;
    assert!((after - spread - before).abs().max(..).item()? < 1e-13);
    Ok(())
}
