//! The filters again, in plain `ndarray` and loops: the other side of the comparison.

use super::filters::{STEPS, WEIGHTS};
use ndarray::{Array2, Axis};

type Plane = Array2<f64>;

/// A position mirrored at the ends of an axis, which are not repeated.
fn reflect(i: isize, n: usize) -> usize {
    let last = n as isize - 1;
    let i = i.abs();
    (if i > last { 2 * last - i } else { i }) as usize
}

/// The sum over `2·reach + 1` neighbours along both axes, with a weight for each.
fn weighted(x: &Plane, weights: &[f64]) -> Plane {
    let (h, w) = x.dim();
    let reach = weights.len() as isize / 2;
    let sum = |at: &dyn Fn(isize) -> f64| -> f64 {
        weights.iter().enumerate().map(|(k, weight)| weight * at(k as isize - reach)).sum()
    };
    let rows = Array2::from_shape_fn((h, w), |(y, c)| sum(&|k| x[[reflect(y as isize + k, h), c]]));
    Array2::from_shape_fn((h, w), |(y, c)| sum(&|k| rows[[y, reflect(c as isize + k, w)]]))
}

pub fn blur(x: &Plane) -> Plane {
    weighted(x, &WEIGHTS.map(|w| w / 256.0))
}

pub fn edges(x: &Plane) -> Plane {
    let (h, w) = x.dim();
    let clamp = |i: usize, d: usize, n: usize| (i + d).saturating_sub(1).min(n - 1);
    Array2::from_shape_fn((h, w), |(y, c)| {
        let at = |dy, dx| x[[clamp(y, dy, h), clamp(c, dx, w)]];
        let across = at(0, 2) - at(0, 0) + 2.0 * (at(1, 2) - at(1, 0)) + at(2, 2) - at(2, 0);
        let down = at(2, 0) - at(0, 0) + 2.0 * (at(2, 1) - at(0, 1)) + at(2, 2) - at(0, 2);
        across.hypot(down)
    })
}

fn laplacian(x: &Plane) -> Plane {
    let (h, w) = x.dim();
    Array2::from_shape_fn((h, w), |(y, c)| {
        let (up, down) = (x[[(y + h - 1) % h, c]], x[[(y + 1) % h, c]]);
        let (left, right) = (x[[y, (c + w - 1) % w]], x[[y, (c + 1) % w]]);
        up + down + left + right - 4.0 * x[[y, c]]
    })
}

pub fn sharpen(x: &Plane) -> Plane {
    (x - 0.6 * laplacian(x)).mapv(|v| v.clamp(0.0, 1.0))
}

fn mean_std(x: &Plane) -> (f64, f64) {
    (x.mean().unwrap_or(f64::NAN), x.std(0.0))
}

pub fn standardise(x: &Plane) -> Plane {
    let (mean, std) = mean_std(x);
    x.mapv(|v| (v - mean) / std)
}

pub fn stretch(x: &Plane) -> Plane {
    let light = x.mapv(|v| (v + 0.03).ln());
    let low = light.fold(f64::INFINITY, |a, &b| a.min(b));
    let high = light.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    light.mapv(|v| (v - low) / (high - low))
}

pub fn local_contrast(x: &Plane) -> Plane {
    let mean = weighted(x, &[1.0 / 15.0; 15]);
    let squares = weighted(&x.mapv(|v| v * v), &[1.0 / 15.0; 15]);
    Array2::from_shape_fn(x.dim(), |at| {
        let variance = squares[at] - mean[at] * mean[at];
        (x[at] - mean[at]) / (variance.max(0.0).sqrt() + 0.02)
    })
}

pub fn softmax_rows(x: &Plane) -> Plane {
    let mut out = x.clone();
    for mut row in out.axis_iter_mut(Axis(0)) {
        let max = row.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        row.mapv_inplace(|v| (6.0 * (v - max)).exp());
        let sum = row.sum();
        row.mapv_inplace(|v| v / sum);
        let max = row.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        row.mapv_inplace(|v| v / max);
    }
    out
}

pub fn diffuse(x: &Plane) -> Plane {
    (0..STEPS).fold(x.clone(), |x, _| &x + 0.2 * laplacian(&x))
}
