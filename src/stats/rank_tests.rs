//! Tests by ranks.

use super::exact::{mann_whitney, signed_ranks, up_to};
use super::ranks::{Runs, Ties};
use super::result::{self, Alternative, TestResult};
use super::sample::{Sample, at_least, beside};
use super::ttest::several;
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::Real;
use crate::error::Result;
use crate::ops::broadcasting::try_broadcast_shapes;
use crate::ops::join::try_concatenate;

/// How the probability of a statistic of ranks is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RankMethod {
    /// Exactly for samples without ties of which one has 8 elements or fewer, else approximately.
    #[default]
    Auto,
    /// By its distribution where there are no ties.
    Exact,
    /// By a normal distribution, with a correction for ties.
    Asymptotic,
}

/// What becomes of differences of 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Zeros {
    /// They are left out (Wilcoxon's way).
    #[default]
    Wilcox,
    /// They are ranked, and their ranks are left out (Pratt's way).
    Pratt,
    /// They are ranked, and their ranks are shared by both signs.
    Split,
}

/// The most values of a statistic that [`RankMethod::Auto`] makes a table for.
const MOST: usize = 1 << 22;

/// The elements of all samples as rows, those of each behind those of the one before.
#[track_caller]
fn joined(name: &str, samples: &[Sample]) -> Result<DeviceArray<f64>> {
    let mut lines = Vec::new();
    for sample in samples {
        at_least(name, sample.n as usize, 1)?;
        lines.push(sample.rows());
    }
    let rests: Vec<&[usize]> = lines.iter().map(|l| &l.shape()[..l.ndim() - 1]).collect();
    let rest = try_broadcast_shapes(&rests)?;
    let wide = lines.iter().map(|line| {
        let shape: Vec<usize> = rest.iter().copied().chain(line.shape().last().copied()).collect();
        line.try_broadcast_to(shape)
    });
    let wide = wide.collect::<Result<Vec<_>>>()?;
    try_concatenate(&wide.iter().collect::<Vec<_>>(), -1)
}

/// NaN in the place of results of rows that hold one.
#[track_caller]
fn of_numbers(rows: &DeviceArray<f64>, results: DeviceArray<f64>) -> DeviceArray<f64> {
    rows.is_nan().any(-1).select(f64::NAN, results)
}

/// The entries of a table at places that are whole numbers.
#[track_caller]
fn look_up(table: &[f64], places: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    Ok(beside(places, table)?.take_clipped(places.cast::<i64>(), 0))
}

checked_fns! {
    /// The test of Mann and Whitney of two samples over the axes having been drawn from one
    /// distribution: the number of pairs of which the element of `a` is larger, equal ones counting
    /// half.
    ///
    /// With a normal distribution there is a correction for continuity.
    ///
    /// **Shape.** The arrays' without the axes, along which they may have different lengths but no
    /// length of 0; other axes broadcast. **Dtype.** As [`mean`](DeviceArray::mean). SciPy:
    /// `stats.mannwhitneyu`, which decides for all samples together whether there are ties.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, RankMethod, mannwhitneyu};
    /// let a = DeviceArray::from_slice(&[19i32, 22, 16, 29, 24])?;
    /// let b = DeviceArray::from_slice(&[20, 11, 17, 12])?;
    /// let test = mannwhitneyu(&a, &b, .., Alternative::TwoSided, RankMethod::Auto);
    /// assert_eq!(test.statistic.item()?, 17.0);
    /// assert!((test.pvalue.item()? - 1.0 / 9.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn mannwhitneyu | try_mannwhitneyu<T: Real>(
        a: &DeviceArray<T>,
        b: &DeviceArray<T>,
        axes: impl Axes,
        alternative: Alternative,
        method: RankMethod,
    ) -> TestResult<T::Mean> {
        let samples = several("mannwhitneyu", &[a, b], axes)?;
        let all = joined("mannwhitneyu", &samples)?;
        let (n, m) = (samples[0].n, samples[1].n);
        let (pairs, runs) = (n * m, Runs::of(&all));
        let own = runs.ranks(Ties::Average).try_split_at(&[n as usize], -1)?.swap_remove(0);
        let u = own.sum(-1) - n * (n + 1.0) / 2.0;
        let (extreme, sides) = match alternative {
            Alternative::Greater => (u.clone(), 1.0),
            Alternative::Less => (pairs - &u, 1.0),
            Alternative::TwoSided => (u.maximum(pairs - &u), 2.0),
        };
        let small = n.min(m) <= 8.0 && pairs <= MOST as f64;
        let exact = match method {
            RankMethod::Asymptotic => None,
            RankMethod::Auto if !small => None,
            _ => {
                let (few, many) = (n.min(m) as usize, n.max(m) as usize);
                let table = up_to(&mann_whitney(few, many));
                Some(look_up(&table, &(pairs - extreme.floor()))?)
            }
        };
        let approximate = || {
            let n = n + m;
            let ties = runs.ties() / (n * (n - 1.0));
            let spread = (((n + 1.0) - ties) * (pairs / 12.0)).sqrt();
            result::normal(&((&extreme - (0.5 * pairs + 0.5)) / spread), Alternative::Greater)
        };
        let p = match (exact, method) {
            (Some(exact), RankMethod::Exact) => exact,
            (Some(exact), _) => runs.ties().equal(0.0).select(exact, approximate()),
            (None, _) => approximate(),
        };
        let p = of_numbers(&all, (p * sides).clip_max(1.0));
        let first = &samples[0];
        Ok(TestResult::of(first.back(&of_numbers(&all, u)), first.back(&p)))
    }

    /// Wilcoxon's test of differences of pairs over the axes being distributed symmetrically around 0,
    /// by the sums of the ranks of their magnitudes. The statistic is the sum for the positive ones,
    /// or where both sides are extreme the smaller one.
    ///
    /// The probability is exact for up to 50 differences without ties and zeros, else by a normal
    /// distribution without a correction for continuity.
    ///
    /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.wilcoxon`, which for up to 13 differences with ties
    /// or zeros tries all signs.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, Zeros, wilcoxon};
    /// let d = [6i32, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75];
    /// let d = DeviceArray::from_slice(&d)?;
    /// let test = wilcoxon(&d, .., Alternative::TwoSided, Zeros::Wilcox);
    /// assert_eq!(test.statistic.item()?, 24.0);
    /// assert!((test.pvalue.item()? - 0.041259765625).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn wilcoxon | try_wilcoxon<T: Real>(
        differences: &DeviceArray<T>,
        axes: impl Axes,
        alternative: Alternative,
        zeros: Zeros,
    ) -> TestResult<T::Mean> {
        let sample = Sample::new("wilcoxon", differences, axes)?;
        at_least("wilcoxon", sample.n as usize, 1)?;
        let d = sample.rows();
        let runs = Runs::of(&d.abs());
        let sum = |of: DeviceArray<bool>, ranks: &DeviceArray<f64>| {
            of.select(ranks, 0.0).sum(-1)
        };
        let zero = d.equal(0.0).sum(-1).cast::<f64>();
        let ranks = runs.ranks(Ties::Average);
        let (ranks, n) = match zeros {
            Zeros::Wilcox => (ranks - zero.insert_axis(-1), sample.n - &zero),
            _ => (ranks, zero.full_like(sample.n)),
        };
        let shared = match zeros {
            Zeros::Split => &zero * (&zero + 1.0) * 0.25,
            _ => &zero * 0.0,
        };
        let plus = sum(d.greater(0.0), &ranks) + &shared;
        let minus = sum(d.less(0.0), &ranks) + &shared;
        let (mut mean, mut spread) = (&n * (&n + 1.0) * 0.25, &n * (&n + 1.0) * (&n * 2.0 + 1.0));
        if zeros == Zeros::Pratt {
            mean -= &zero * (&zero + 1.0) * 0.25;
            spread -= &zero * (&zero + 1.0) * (&zero * 2.0 + 1.0);
        }
        let ties = match zeros {
            Zeros::Split => runs.ties(),
            _ => runs.ties() - (zero.powi(3) - &zero),
        };
        let z = (&plus - mean) / ((spread - ties * 0.5) / 24.0).sqrt();
        let mut p = result::normal(&z, alternative);
        if sample.n <= 50.0 {
            let whole = sample.n * (sample.n + 1.0) / 2.0;
            let table = up_to(&signed_ranks(sample.n as usize));
            let exact = match alternative {
                Alternative::TwoSided => look_up(&table, &plus.minimum(&minus))? * 2.0,
                Alternative::Less => look_up(&table, &plus)?,
                Alternative::Greater => look_up(&table, &(whole - &plus))?,
            };
            let usual = zero.equal(0.0).logical_and(runs.ties().equal(0.0));
            p = usual.select(exact.clip_max(1.0), p);
        }
        let statistic = match alternative {
            Alternative::TwoSided => plus.minimum(&minus),
            _ => plus,
        };
        let [statistic, p] = [statistic, p].map(|x| sample.back(&of_numbers(&d, x)));
        Ok(TestResult::of(statistic, p))
    }

    /// The test of Kruskal and Wallis of samples over the axes having been drawn from distributions of
    /// one median: an analysis of variance of ranks, for samples of 5 elements or more.
    ///
    /// **Shape.** The arrays' without the axes, along which they may have different lengths but no
    /// length of 0; other axes broadcast. NaN where all elements are the same. **Dtype.** As
    /// [`mean`](DeviceArray::mean). There are 2 samples or more. SciPy: `stats.kruskal`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1i32, 3, 5, 7, 9])?;
    /// let b = DeviceArray::from_slice(&[2, 4, 6, 8, 10])?;
    /// let test = lazuli::stats::kruskal(&[&a, &b], ..);
    /// assert!((test.statistic.item()? - 0.2727272727272734).abs() < 1e-13);
    /// assert!((test.pvalue.item()? - 0.6015081344405895).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn kruskal | try_kruskal<T: Real>(
        samples: &[&DeviceArray<T>],
        axes: impl Axes,
    ) -> TestResult<T::Mean> {
        let samples = several("kruskal", samples, axes)?;
        let all = joined("kruskal", &samples)?;
        let runs = Runs::of(&all);
        let ends: Vec<usize> = samples.iter().scan(0, |end, s| {
            *end += s.n as usize;
            Some(*end)
        }).collect();
        let (inner, n) = (&ends[..ends.len() - 1], ends[ends.len() - 1] as f64);
        let parts = runs.ranks(Ties::Average).try_split_at(inner, -1)?;
        let squares = parts.iter().zip(&samples).map(|(part, s)| part.sum(-1).square() / s.n);
        let squares = squares.reduce(|sum, term| sum + term).expect("there are samples");
        let h = squares * (12.0 / (n * (n + 1.0))) - 3.0 * (n + 1.0);
        let h = of_numbers(&all, h / (1.0 - runs.ties() / (n * n * n - n)));
        let p = result::chi2_above(&h, samples.len() as f64 - 1.0);
        Ok(TestResult::of(samples[0].back(&h), samples[0].back(&p)))
    }
}
