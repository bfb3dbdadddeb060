//! # Statistics of bins
//!
//! [`binned_statistic`](lazuli::stats::binned_statistic()) is `scipy.stats.binned_statistic`: the mean,
//! the deviation, the median or another statistic of the values whose places lie in each bin. Bins with
//! nothing in them have NaN. [`binned_statistic_2d`](lazuli::stats::binned_statistic_2d()) has cells.
//! [`describe`](lazuli::stats::describe()) and [`zscore`](lazuli::stats::zscore()) are for whole
//! samples; they record and take axes.
//!
//! Grey 3000 values, blue the means of 25 bins, green a deviation above and below.

use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::stats::{BinStatistic, binned_statistic};

type Array = DeviceArray<f64>;

pub fn measured(n: usize) -> (Array, Array) {
    let mut rng = Generator::new(13);
    let x: Array = rng.uniform(0.0, 10.0, n);
    let y = x.sin() + (0.1 + 0.08 * &x) * rng.normal(0.0, 1.0, n);
    (x, y)
}

/// The middles of the bins, the means and the deviations.
pub fn summary(x: &Array, y: &Array) -> Result<(Array, Array, Array)> {
    let bins = || Bins::Within(25, 0.0, 10.0);
    let means = binned_statistic(x, y, BinStatistic::Mean, bins())?;
    let deviations = binned_statistic(x, y, BinStatistic::Std, bins())?;
    let middles = means.edges.slice(s![..-1]) + 0.5 * means.edges.diff(1, 0);
    Ok((middles, means.statistic, deviations.statistic))
}

#[test]
fn the_noise_grows() -> Result<()> {
    let (x, y) = measured(3000);
    let (middles, means, deviations) = summary(&x, &y)?;
    assert!((means - middles.sin()).abs().max(..).item()? < 0.3);
    assert!((deviations - (0.1 + 0.08 * &middles)).abs().max(..).item()? < 0.2);
    Ok(())
}
