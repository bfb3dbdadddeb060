//! The Mandelbrot set.

use lazuli::prelude::*;

type A = DeviceArray<f64>;
type C = DeviceArray<Complex<f64>>;
type I = DeviceArray<i64>;

#[rustfmt::skip]
pub fn mandelbrot1(
    xmin: f64, xmax: f64, ymin: f64, ymax: f64, xn: usize, yn: usize, maxiter: i64, horizon: f64,
) -> (C, I) {
    let x = A::linspace(xmin, xmax, xn);
    let y = A::linspace(ymin, ymax, yn);
    let c = x.to_complex(y.insert_axis(1));
    let mut count = I::zeros(c.shape());
    let mut z = C::zeros(c.shape());
    for n in 0..maxiter {
        let inside = z.abs().less(horizon);
        count.assign_where(&inside, n);
        z.assign_where(&inside, z.square() + &c);
    }
    count.assign_where(&count.equal(maxiter - 1), 0);
    (z, count)
}

#[rustfmt::skip]
pub fn mandelbrot2(
    xmin: f64, xmax: f64, ymin: f64, ymax: f64, xn: usize, yn: usize, itermax: i64, horizon: f64,
) -> Result<(C, I)> {
    let [xi, yi] = indices([xn, yn]).try_into().map_err(|_| ()).expect("two axes");
    let x = A::linspace(xmin, xmax, xn).take(&xi, 0);
    let y = A::linspace(ymin, ymax, yn).take(&yi, 0);
    let mut c = x.to_complex(&y).reshape(xn * yn);
    // No operation writes to pairs of positions: places are counted through both axes.
    let mut at = (xi * yn as i64 + yi).reshape(xn * yn);
    let (mut counts, mut ends) = (I::zeros(xn * yn), C::zeros(xn * yn));
    let mut z = C::zeros(xn * yn);
    for i in 0..itermax {
        if z.is_empty() {
            break;
        }
        z = &z * &z + &c;
        let outside = z.abs().greater(horizon);
        let places = at.extract(&outside)?;
        counts.put(&places, i + 1, 0);
        ends.put(&places, &z.extract(&outside)?, 0);

        let inside = outside.logical_not();
        z = z.extract(&inside)?;
        at = at.extract(&inside)?;
        c = c.extract(&inside)?;
    }
    Ok((ends.reshape([xn, yn]).t(), counts.reshape([xn, yn]).t()))
}
