//! Products of matrices.

use super::{GOLDEN, SQRT_2, at, compare, places, spread, tolerance};
use crate::measure::Bench;
use lazuli::linalg::{Precision, with_precision};
use lazuli::prelude::*;

/// A square product, as IEEE has it and, of `f32`, by tensor cores as an option. A row of the
/// table counts operations, not bytes, so no rate is given.
pub fn matmul<T: Floating>(bench: &mut Bench, n: usize) -> Result<()> {
    let square = |ratio| spread::<T>(n * n, ratio, -1.0, 1.0).map(|a| a.reshape([n, n]));
    let (a, b) = (square(GOLDEN)?, square(SQRT_2)?);
    let product = |precision| {
        let c = with_precision(precision, || a.matmul(&b));
        c.eval().map(|()| c)
    };
    let check = |c: DeviceArray<T>, tolerance: f64| {
        let mut pairs = Vec::new();
        for p in places(n) {
            let q = (7 * p + 3) % n;
            let (row, column) = (a.index_axis(0, p as isize), b.index_axis(1, q as isize));
            let sum = (row.cast::<f64>() * column.cast::<f64>()).sum(..).item()?;
            // The error of a sum grows with the sizes of its terms, not with its own.
            pairs.push(((at(&c.index_axis(0, p as isize), q)? - sum) / n as f64, 0.0));
        }
        compare(pairs, tolerance)
    };
    let full = if T::DTYPE == DType::F16 { 1e-3 } else { tolerance::<T>() };
    let run = |precision| product(precision).map(drop);
    let checked = || check(product(Precision::Full)?, full);
    bench.form("library", 0, || run(Precision::Full), checked)?;
    if T::DTYPE != DType::F32 {
        return Ok(());
    }
    let checked = || check(product(Precision::Tf32)?, 1e-3);
    bench.form("library, TF32", 0, || run(Precision::Tf32), checked)
}
