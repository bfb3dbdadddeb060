//! # The Mandelbrot set
//!
//! Each pixel counts the turns of z ← z² + c after which c has escaped, in a valley at the set's
//! edge. `#[vectorize]` makes a function of numbers, with its loop and its early return, a function
//! of arrays, as Numba's `@vectorize` does. A row and a column broadcast like NumPy's `x + 1j *
//! y[:, None]`, and the mean of nine points for each pixel joins the same kernel: the points are
//! never stored.

use lazuli::prelude::*;

#[vectorize]
fn turns(re: f64, im: f64, most: u32) -> f64 {
    let c = Complex::new(re, im);
    let mut z = Complex::new(0.0, 0.0);
    for turn in 0..most {
        z = z * z + c;
        if z.norm_sqr() > 1e4 {
            // The modulus tells which part of the last turn was needed.
            return turn as f64 + 2.0 - (0.5 * z.norm_sqr().ln()).log2();
        }
    }
    0.0
}

pub fn mandelbrot(n: usize) -> DeviceArray<f64> {
    let re = -0.7457 + DeviceArray::<f64>::linspace(-0.0055, 0.0055, 3 * n);
    let im = 0.1127 + DeviceArray::<f64>::linspace(-0.0055, 0.0055, 3 * n).insert_axis(1);
    let points = turns::call(re, im, 1000).maximum(28.0).ln();
    points.reshape([n, 3, n, 3]).mean([1, 3])
}

#[test]
fn points_of_the_set_do_not_escape() -> Result<()> {
    assert_eq!(mandelbrot(60).shape(), [60, 60]);
    assert_eq!(turns(0.0, 0.0, 100), 0.0);
    Ok(())
}
