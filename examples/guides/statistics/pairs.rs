//! # Five thousand tests at once
//!
//! A test along an axis is as many tests as the other axes have elements.
//! [`ttest_ind`](lazuli::stats::ttest_ind()) is `scipy.stats.ttest_ind`; like most tests here it is an
//! expression, and so is its result's `pvalue`. Samples, sums, the statistic and the probability of
//! five thousand pairs of samples are one kernel, and what stays of them are five thousand numbers.
//! Tests whose course depends on data, such as [`shapiro`](lazuli::stats::shapiro()) and
//! [`ks_2samp`](lazuli::stats::ks_2samp()), evaluate and return a [`Result`](lazuli::Result); their
//! documentation says so.
//!
//! Histograms of probabilities: where both means are the same (blue) they are spread evenly, where one
//! is half a deviation larger (orange) they are small.

use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::stats::{Alternative, ttest_ind};

type Array = DeviceArray<f64>;

pub fn probabilities(pairs: usize, size: usize, difference: f64) -> Array {
    let mut rng = Generator::new(10);
    let a: Array = rng.normal(0.0, 1.0, [pairs, size]);
    let b: Array = rng.normal(difference, 1.0, [pairs, size]);
    ttest_ind(&a, &b, 1, Alternative::TwoSided).pvalue
}

pub fn histogram(probabilities: &Array) -> Result<(DeviceArray<i64>, Array)> {
    probabilities.histogram(Bins::Within(20, 0.0, 1.0))
}

#[test]
fn one_in_twenty_is_wrong() -> Result<()> {
    let [same, other] = [0.0, 0.5].map(|difference| probabilities(5000, 40, difference));
    assert_eq!(explain(&[&same]).kernels(), 1);
    let found = |p: &Array| p.less(0.05).mean(..).item();
    assert!((found(&same)? - 0.05).abs() < 0.01);
    assert!((found(&other)? - 0.6).abs() < 0.03); // the power of the test
    Ok(())
}
