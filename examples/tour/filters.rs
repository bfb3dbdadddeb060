//! The filters, as a user would write them: slices, rolls, windows and reductions, all lazy.

use lazuli::PadMode;
use lazuli::prelude::*;

/// A picture on a device: values from 0 to 1, rows from the top.
pub type Image = DeviceArray<f64>;

/// The binomial weights of [`blur`], in 256ths.
pub const WEIGHTS: [f64; 9] = [1.0, 8.0, 28.0, 56.0, 70.0, 56.0, 28.0, 8.0, 1.0];

/// The weighted sum of nine shifted pictures.
fn weighted(shifted: impl Fn(usize) -> Image) -> Image {
    let part = |k: usize| WEIGHTS[k] / 256.0 * shifted(k);
    (1..9).fold(part(0), |sum, k| sum + part(k))
}

/// A Gaussian blur: the same nine weights along both axes.
pub fn blur(x: &Image) -> Image {
    let (h, w) = (x.shape()[0], x.shape()[1]);
    let p = x.pad(&[(4, 4), (4, 4)], PadMode::Reflect);
    let rows = weighted(|k| p.slice(s![k..h + k, ..]));
    weighted(|k| rows.slice(s![.., k..w + k]))
}

/// The length of the gradient, by Sobel's two stencils.
pub fn edges(x: &Image) -> Image {
    let (h, w) = (x.shape()[0], x.shape()[1]);
    let p = x.pad(&[(1, 1), (1, 1)], PadMode::Edge);
    let at = |dy: usize, dx: usize| p.slice(s![dy..h + dy, dx..w + dx]);
    let across = at(0, 2) - at(0, 0) + 2.0 * (at(1, 2) - at(1, 0)) + at(2, 2) - at(2, 0);
    let down = at(2, 0) - at(0, 0) + 2.0 * (at(2, 1) - at(0, 1)) + at(2, 2) - at(0, 2);
    across.hypot(down)
}

/// The sum of the four neighbours less four times the element, over the ends of the picture.
fn laplacian(x: &Image) -> Image {
    x.roll(1, 0) + x.roll(-1, 0) + x.roll(1, 1) + x.roll(-1, 1) - 4.0 * x
}

/// The picture less a part of its Laplacian.
pub fn sharpen(x: &Image) -> Image {
    (x - 0.6 * laplacian(x)).clip(0.0, 1.0)
}

/// Mean 0 and standard deviation 1.
pub fn standardise(x: &Image) -> Image {
    (x - x.mean(..)) / x.std(..)
}

/// Shadows lifted by a logarithm, whose range is stretched over 0 to 1.
pub fn stretch(x: &Image) -> Image {
    let light = (x + 0.03).ln();
    (&light - light.min(..)) / light.ptp(..)
}

/// The mean of the 15×15 window around each element: along one axis, then along the other.
fn window_mean(x: &Image) -> Image {
    let p = x.pad(&[(7, 7), (7, 7)], PadMode::Reflect);
    p.sliding_windows(15, 0).mean(-1).sliding_windows(15, 1).mean(-1)
}

/// Every element against the mean and the deviation of the window around it.
pub fn local_contrast(x: &Image) -> Image {
    let mean = window_mean(x);
    let variance = window_mean(&x.square()) - mean.square();
    (x - mean) / (variance.maximum(0.0).sqrt() + 0.02)
}

/// The softmax of every row, as shares of the row's largest.
pub fn softmax_rows(x: &Image) -> Image {
    let e = (6.0 * (x - x.max(keep(-1)))).exp();
    let p = &e / e.sum(keep(-1));
    &p / p.max(keep(-1))
}

/// The steps of [`diffuse`].
pub const STEPS: usize = 30;

/// Heat flowing between neighbours, one step recorded after the other.
pub fn diffuse(x: &Image) -> Image {
    let mut x = x.clone();
    for _ in 0..STEPS {
        x = &x + 0.2 * laplacian(&x);
    }
    x
}
