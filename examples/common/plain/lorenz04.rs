//! Lorenz's model III as the paper writes it, one ring at a time.

/// `dz/dt` of model III as the paper writes it, with the double sum.
fn slope(z: &[f64]) -> Vec<f64> {
    let n = z.len() as isize;
    let at = |v: &[f64], k: isize| v[k.rem_euclid(n) as usize];
    let weight = |k: isize, reach: isize| if k.abs() == reach { 0.5 } else { 1.0 };
    let (i, k, j) = (12isize, 32isize, 16isize);
    let reach = i as f64;
    let alpha = (3.0 * reach * reach + 3.0) / (2.0 * reach.powi(3) + 4.0 * reach);
    let beta = (2.0 * reach * reach + 1.0) / (reach.powi(4) + 2.0 * reach * reach);
    let smooth = |p: isize| {
        let term = |o: isize| weight(o, i) * (alpha - beta * o.abs() as f64) * at(z, p + o);
        (-i..=i).map(term).sum::<f64>()
    };
    let x: Vec<f64> = (0..n).map(smooth).collect();
    let y: Vec<f64> = z.iter().zip(&x).map(|(z, x)| z - x).collect();
    let bracket = |p: isize| {
        let mut sum = 0.0;
        for a in -j..=j {
            for b in -j..=j {
                let term = -at(&x, p - 2 * k - b) * at(&x, p - k - a)
                    + at(&x, p - k + a - b) * at(&x, p + k + a);
                sum += weight(a, j) * weight(b, j) * term;
            }
        }
        sum / (k * k) as f64
    };
    let pair =
        |u: &[f64], v: &[f64], p: isize| -at(u, p - 2) * at(v, p - 1) + at(u, p - 1) * at(v, p + 1);
    let value = |p: isize| {
        bracket(p) + 100.0 * pair(&y, &y, p) + 2.5 * pair(&y, &x, p) - at(&x, p) - 10.0 * at(&y, p)
            + 15.0
    };
    (0..n).map(value).collect()
}

/// One ring after a step of 0.001 by the classical Runge–Kutta scheme.
pub fn step(z: &[f64]) -> Vec<f64> {
    let dt = 0.001;
    let moved = |k: &[f64], by: f64| z.iter().zip(k).map(|(z, k)| z + by * k).collect::<Vec<_>>();
    let k1 = slope(z);
    let k2 = slope(&moved(&k1, dt / 2.0));
    let k3 = slope(&moved(&k2, dt / 2.0));
    let k4 = slope(&moved(&k3, dt));
    let sum = |p: usize| z[p] + dt / 6.0 * (k1[p] + 2.0 * k2[p] + 2.0 * k3[p] + k4[p]);
    (0..z.len()).map(sum).collect()
}
