//! Expressions that several tests evaluate, written as a user writes them.

use lazuli::prelude::*;

type Array = DeviceArray<f64>;

/// The normal distribution by the five-term polynomial.
fn normal(d: &Array) -> Array {
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let inner = -1.821255978 + &k * 1.330274429;
    let inner = 1.781477937 + &k * inner;
    let inner = -0.356563782 + &k * inner;
    let poly = &k * (0.31938153 + &k * inner);
    let tail = 0.398_942_280_401_432_7 * (-0.5 * d * d).exp() * poly;
    select(&d.greater(0.0), 1.0 - &tail, &tail)
}

/// Prices of European options: call and put.
pub fn black_scholes(s: &Array, x: &Array, t: &Array) -> (Array, Array) {
    const RATE: f64 = 0.02;
    const VOLATILITY: f64 = 0.30;
    let root = t.sqrt();
    let d1 = ((s / x).ln() + t * (RATE + 0.5 * VOLATILITY * VOLATILITY)) / (&root * VOLATILITY);
    let d2 = &d1 - &root * VOLATILITY;
    let (c1, c2, discount) = (normal(&d1), normal(&d2), (t * -RATE).exp());
    let call = s * &c1 - x * &discount * &c2;
    let put = x * &discount * (1.0 - c2) - s * (1.0 - c1);
    (call, put)
}

/// Angles from the point (30, 101) to a grid: latitudes along x, longitudes along y.
pub fn great_circle(latitudes: &Array, longitudes: &Array) -> Array {
    let (lat, lon) = (latitudes.insert_axis(0), longitudes.insert_axis(1));
    let north = (0.008726645 * (30.0 - &lat)).sin().square();
    let east = (0.008726645 * (101.0 - lon)).sin().square();
    let a = north + (0.01745329 * lat).cos() * (0.01745329 * 30.0f64).cos() * east;
    a.atan2(1.0 - &a)
}

/// One sweep of Jacobi's method over the inner points of a grid.
pub fn jacobi(u: &mut Array) {
    let inner = (u.slice(s![..-2, 1..-1])
        + u.slice(s![2.., 1..-1])
        + u.slice(s![1..-1, ..-2])
        + u.slice(s![1..-1, 2..]))
        * 0.25;
    u.assign(s![1..-1, 1..-1], &inner);
}

/// Horizontal diffusion (a weather stencil): `field` has a margin of two points around `coefficient`.
pub fn hdiff(field: &Array, coefficient: &Array) -> Array {
    let laplacian = 4.0 * field.slice(s![1..-1, 1..-1, ..])
        - (field.slice(s![2.., 1..-1, ..])
            + field.slice(s![..-2, 1..-1, ..])
            + field.slice(s![1..-1, 2.., ..])
            + field.slice(s![1..-1, ..-2, ..]));
    let along_i = laplacian.slice(s![1.., 1..-1, ..]) - laplacian.slice(s![..-1, 1..-1, ..]);
    let step_i = field.slice(s![2..-1, 2..-2, ..]) - field.slice(s![1..-2, 2..-2, ..]);
    let flux_i = select(&(&along_i * step_i).greater(0.0), 0.0, &along_i);
    let along_j = laplacian.slice(s![1..-1, 1.., ..]) - laplacian.slice(s![1..-1, ..-1, ..]);
    let step_j = field.slice(s![2..-2, 2..-1, ..]) - field.slice(s![2..-2, 1..-2, ..]);
    let flux_j = select(&(&along_j * step_j).greater(0.0), 0.0, &along_j);
    let change = flux_i.slice(s![1.., .., ..]) - flux_i.slice(s![..-1, .., ..])
        + flux_j.slice(s![.., 1.., ..])
        - flux_j.slice(s![.., ..-1, ..]);
    field.slice(s![2..-2, 2..-2, ..]) - coefficient * change
}

/// Lorenz's equations of 1996 along the last axis.
pub fn lorenz(z: &Array) -> Array {
    (z.roll(-1, -1) - z.roll(2, -1)) * z.roll(1, -1) - z + 8.0
}

/// One step of the classical Runge-Kutta method.
pub fn rk4(f: impl Fn(&Array) -> Array, z: &Array, dt: f64) -> Array {
    let k1 = f(z);
    let k2 = f(&(z + 0.5 * dt * &k1));
    let k3 = f(&(z + 0.5 * dt * &k2));
    let k4 = f(&(z + dt * &k3));
    z + (k1 + 2.0 * k2 + 2.0 * k3 + k4) * (dt / 6.0)
}

/// The squared distance from each point (rows of three) to its nearest other point.
pub fn nearest(points: &Array) -> Array {
    let n = points.shape()[0];
    let apart = points.insert_axis(1) - points.insert_axis(0);
    let squared = apart.square().sum(-1);
    let own = DeviceArray::<f64>::eye(n).greater(0.0);
    select(&own, f64::INFINITY, &squared).min(1)
}

/// `x` less its mean, divided by its deviation, along the last axis.
pub fn standardise(x: &Array) -> Array {
    (x - x.mean(keep(-1))) / x.std(keep(-1))
}

/// As `standardise`, with a small number under the root, a scale and a shift.
pub fn layer_norm(x: &Array, scale: &Array, shift: &Array) -> Array {
    let moved = x - x.mean(keep(-1));
    let variance = moved.square().mean(keep(-1));
    moved / (variance + 1e-5).sqrt() * scale + shift
}
