//! The filters again, in plain `ndarray` and loops: the other side of the comparison.

use super::filters::STEPS;
use ndarray::{Array2, Axis};

type Plane = Array2<f64>;

/// A position mirrored at the ends of an axis, which are not repeated.
fn reflect(i: isize, n: usize) -> usize {
    let last = n as isize - 1;
    let i = i.abs();
    (if i > last { 2 * last - i } else { i }) as usize
}

pub fn blur(x: &Plane) -> Plane {
    let weights = [1.0, 4.0, 6.0, 4.0, 1.0].map(|w: f64| w / 16.0);
    let (h, w) = x.dim();
    let sum = |at: &dyn Fn(isize) -> f64| -> f64 {
        weights.iter().enumerate().map(|(k, weight)| weight * at(k as isize - 2)).sum()
    };
    let rows = Array2::from_shape_fn((h, w), |(y, c)| sum(&|k| x[[reflect(y as isize + k, h), c]]));
    Array2::from_shape_fn((h, w), |(y, c)| sum(&|k| rows[[y, reflect(c as isize + k, w)]]))
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
    let (mean, std) = mean_std(x);
    x.mapv(|v| ((v - (mean - 2.0 * std)) / (4.0 * std)).clamp(0.0, 1.0))
}

pub fn local_contrast(x: &Plane) -> Plane {
    let (h, w) = x.dim();
    let padded = Array2::from_shape_fn((h + 14, w + 14), |(y, c)| {
        x[[reflect(y as isize - 7, h), reflect(c as isize - 7, w)]]
    });
    Array2::from_shape_fn((h, w), |(y, c)| {
        let window = padded.slice(ndarray::s![y..y + 15, c..c + 15]);
        let mean = window.sum() / 225.0;
        let variance = window.fold(0.0, |sum, v| sum + (v - mean) * (v - mean)) / 225.0;
        (x[[y, c]] - mean) / (variance.sqrt() + 0.02)
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
