//! The filters, as a user would write them: slices, rolls, windows and reductions, all lazy.

use lazuli::PadMode;
use lazuli::prelude::*;

/// A picture on a device: values from 0 to 1, rows from the top.
pub type Image = DeviceArray<f64>;

/// A Gaussian blur: the weights 1, 4, 6, 4, 1 along both axes.
pub fn blur(x: &Image) -> Image {
    let (h, w) = (x.shape()[0], x.shape()[1]);
    let p = x.pad(&[(2, 2), (2, 2)], PadMode::Reflect);
    let weights = [1.0, 4.0, 6.0, 4.0, 1.0].map(|w| w / 16.0);
    let mut rows = weights[0] * p.slice(s![0..h, ..]);
    for k in 1..5 {
        rows += weights[k] * p.slice(s![k..h + k, ..]);
    }
    let mut both = weights[0] * rows.slice(s![.., 0..w]);
    for k in 1..5 {
        both += weights[k] * rows.slice(s![.., k..w + k]);
    }
    both
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

/// The range of two standard deviations around the mean, stretched over 0 to 1.
pub fn stretch(x: &Image) -> Image {
    let (mean, reach) = (x.mean(..), 2.0 * x.std(..));
    ((x - (mean - &reach)) / (2.0 * reach)).clip(0.0, 1.0)
}

/// Every element against the mean and the deviation of the 15×15 window around it.
pub fn local_contrast(x: &Image) -> Image {
    let p = x.pad(&[(7, 7), (7, 7)], PadMode::Reflect);
    let windows = p.sliding_windows(15, 0).sliding_windows(15, 1);
    (x - windows.mean([-2, -1])) / (windows.std([-2, -1]) + 0.02)
}

/// The softmax of every row, as shares of the row's largest.
pub fn softmax_rows(x: &Image) -> Image {
    let e = (6.0 * (x - x.max(keep(-1)))).exp();
    let p = &e / e.sum(keep(-1));
    &p / p.max(keep(-1))
}

/// The steps of [`diffuse`].
pub const STEPS: usize = 60;

/// Heat flowing between neighbours, sixty steps recorded one after the other.
pub fn diffuse(x: &Image) -> Image {
    let mut x = x.clone();
    for _ in 0..STEPS {
        x = &x + 0.2 * laplacian(&x);
    }
    x
}
