//! The same programs in plain `ndarray`, element by element: what the tour and the tests compare
//! with.

pub mod lorenz04;
pub mod random;

use ndarray::{Array1, Array2, ArrayD, ArrayView1, Axis, Zip};

/// `2·x`.
pub fn scale(x: &Array1<f64>) -> Array1<f64> {
    x * 2.0
}

/// `sin(x)·exp(y)`.
pub fn sinexp(x: &Array1<f64>, y: &Array1<f64>) -> Array1<f64> {
    Zip::from(x).and(y).map_collect(|x, y| x.sin() * y.exp())
}

/// Sums along the last axis, added up in `f64`.
pub fn row_sum(a: &ArrayD<f64>) -> ArrayD<f64> {
    a.sum_axis(Axis(a.ndim() - 1))
}

/// The product of all elements.
pub fn product(x: &Array1<f64>) -> f64 {
    x.product()
}

/// The great-circle function of the point (30°, 101°), latitudes along x and longitudes along y.
pub fn great_circle(lat: ArrayView1<f64>, lon: ArrayView1<f64>) -> Array2<f64> {
    Array2::from_shape_fn((lon.len(), lat.len()), |(y, x)| {
        let across = (0.008726645 * (30.0 - lat[x])).sin().powi(2);
        let along = (0.008726645 * (101.0 - lon[y])).sin().powi(2);
        let a = across + (0.01745329 * lat[x]).cos() * (0.01745329f64 * 30.0).cos() * along;
        a.atan2(1.0 - a)
    })
}

/// The normal distribution by its five-term polynomial.
fn normal_cdf(d: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let inner = 1.781477937 + k * (-1.821255978 + k * 1.330274429);
    let polynomial = k * (0.31938153 + k * (-0.356563782 + k * inner));
    let tail = 0.398_942_280_401_432_7 * (-0.5 * d * d).exp() * polynomial;
    if d > 0.0 { 1.0 - tail } else { tail }
}

/// The prices of a call and of a put.
pub fn black_scholes(
    s: &Array1<f64>,
    x: &Array1<f64>,
    t: &Array1<f64>,
) -> (Array1<f64>, Array1<f64>) {
    let price = |i: usize| {
        let (s, x, t) = (s[i], x[i], t[i]);
        let spread = 0.30 * t.sqrt();
        let d1 = ((s / x).ln() + (0.02 + 0.5 * 0.30 * 0.30) * t) / spread;
        let (c1, c2) = (normal_cdf(d1), normal_cdf(d1 - spread));
        let strike = x * (-0.02 * t).exp();
        (s * c1 - strike * c2, strike * (1.0 - c2) - s * (1.0 - c1))
    };
    let both: Vec<(f64, f64)> = (0..s.len()).map(price).collect();
    (both.iter().map(|b| b.0).collect(), both.iter().map(|b| b.1).collect())
}

/// J₀ by the midpoint rule on so many angles.
pub fn bessel(x: &Array1<f64>, nodes: usize) -> Array1<f64> {
    let sine = |k: usize| ((k as f64 + 0.5) * std::f64::consts::PI / nodes as f64).sin();
    let sines: Vec<f64> = (0..nodes).map(sine).collect();
    x.mapv(|x| sines.iter().map(|s| (x * s).cos()).sum::<f64>() / nodes as f64)
}

/// The weighted sum around each point of a ring, the first and the last of several weights halved.
pub fn smooth(z: &Array1<f64>, a: &Array1<f64>) -> Array1<f64> {
    let (n, s) = (z.len() as isize, a.len() as isize / 2);
    Array1::from_shape_fn(z.len(), |i| {
        let term = |j: isize| {
            let weight = if s > 0 && j.abs() == s { 0.5 } else { 1.0 };
            weight * a[(j + s) as usize] * z[(i as isize - j).rem_euclid(n) as usize]
        };
        (-s..=s).map(term).sum()
    })
}
