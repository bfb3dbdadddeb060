//! What tests give, and the probabilities of statistics.

use crate::array::DeviceArray;
use crate::dtype::Element;
use crate::special::{betainc, betaincc, gammaincc, ndtr};

/// Which values of a statistic speak against the hypothesis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alternative {
    /// Large and small ones.
    #[default]
    TwoSided,
    /// Small ones.
    Less,
    /// Large ones.
    Greater,
}

/// What a test gives.
#[derive(Clone, Debug)]
pub struct TestResult<T: Element> {
    /// The statistic.
    pub statistic: DeviceArray<T>,
    /// The probability of a statistic at least as extreme where the hypothesis holds.
    pub pvalue: DeviceArray<T>,
}

impl<T: Element> TestResult<T> {
    #[track_caller]
    pub(super) fn of(statistic: DeviceArray<f64>, pvalue: DeviceArray<f64>) -> TestResult<T> {
        TestResult { statistic: statistic.cast(), pvalue: pvalue.cast() }
    }
}

/// Of a standard normal statistic.
#[track_caller]
pub(super) fn normal(z: &DeviceArray<f64>, alternative: Alternative) -> DeviceArray<f64> {
    match alternative {
        Alternative::TwoSided => 2.0 * ndtr(&-z.abs()),
        Alternative::Less => ndtr(z),
        Alternative::Greater => ndtr(&-z),
    }
}

/// `1 - I(a, b, odds / (1 + odds))`, the smaller part of 1 being computed from a small number.
#[track_caller]
fn beta_above(
    a: &DeviceArray<f64>,
    b: &DeviceArray<f64>,
    odds: &DeviceArray<f64>,
) -> DeviceArray<f64> {
    let near = betaincc(a, b, odds / (odds + 1.0));
    let far = betainc(b, a, (odds + 1.0).reciprocal());
    odds.less(1.0).select(near, far)
}

/// Of Student's t with degrees of freedom that broadcast with it.
#[track_caller]
pub(super) fn student(
    t: &DeviceArray<f64>,
    df: &DeviceArray<f64>,
    alternative: Alternative,
) -> DeviceArray<f64> {
    let half = df.full_like(0.5);
    let both = beta_above(&half, &(df * 0.5), &(t.square() / df));
    let side = &both * 0.5;
    let other = 1.0 - &side;
    match alternative {
        Alternative::TwoSided => both,
        Alternative::Less => t.less(0.0).select(side, other),
        Alternative::Greater => t.greater(0.0).select(side, other),
    }
}

/// The degrees of freedom beside a statistic.
#[track_caller]
pub(super) fn degrees(statistic: &DeviceArray<f64>, df: f64) -> DeviceArray<f64> {
    statistic.full_like(df)
}

/// The probability of a larger F, for degrees of freedom above and below.
#[track_caller]
pub(super) fn f_above(
    f: &DeviceArray<f64>,
    above: &DeviceArray<f64>,
    below: &DeviceArray<f64>,
) -> DeviceArray<f64> {
    let odds = (f * above / below).clip_min(0.0);
    beta_above(&(above * 0.5), &(below * 0.5), &odds)
}

/// The probability of a larger χ².
#[track_caller]
pub(super) fn chi2_above(x: &DeviceArray<f64>, df: f64) -> DeviceArray<f64> {
    gammaincc(0.5 * df, x.clip_min(0.0) * 0.5)
}

/// Of a coefficient of correlation of so many independent normal pairs: `(r + 1) / 2` has a beta
/// distribution.
#[track_caller]
pub(super) fn correlation(
    r: &DeviceArray<f64>,
    pairs: usize,
    alternative: Alternative,
) -> DeviceArray<f64> {
    if pairs <= 2 {
        // Any two pairs lie on a line: the coefficient is 1 or -1.
        return r.abs();
    }
    let a = 0.5 * pairs as f64 - 1.0;
    let above = |r: DeviceArray<f64>| betainc(a, a, (1.0 - r) * 0.5);
    match alternative {
        Alternative::TwoSided => (2.0 * above(r.abs())).clip_max(1.0),
        Alternative::Less => above(-r),
        Alternative::Greater => above(r.clone()),
    }
}
