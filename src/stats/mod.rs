//! Statistics: SciPy's `scipy.stats`.
//!
//! | | |
//! | --- | --- |
//! | summaries | [`describe`], [`moment`], [`skew`], [`kurtosis`], [`variation`], [`sem`], [`kstat`], [`kstatvar`], [`mode`], [`iqr`], [`median_abs_deviation`], [`expectile`]; means [`gmean`], [`hmean`], [`pmean`] |
//! | scores, ranks | [`zscore`], [`zmap`], [`gzscore`]; [`rankdata`], [`tiecorrect`], [`percentileofscore`] |
//! | within limits | [`tmean`], [`tvar`], [`tstd`], [`tsem`], [`tmin`], [`tmax`]; [`trim1`], [`trimboth`], [`trim_mean`], [`sigmaclip`] |
//! | entropy, distances | [`entropy`], [`relative_entropy`], [`differential_entropy`]; [`wasserstein_distance`], [`energy_distance`] |
//! | bins, densities | [`binned_statistic`], [`binned_statistic_2d`], [`binned_statistic_dd`], [`cumfreq`], [`relfreq`]; [`GaussianKde`] |
//! | correlation, lines | [`pearsonr`], [`spearmanr`], [`kendalltau`]; [`linregress`], [`theilslopes`] |
//! | tests of means | [`ttest_1samp`], [`ttest_ind`], [`ttest_welch`], [`ttest_rel`], [`f_oneway`] |
//! | tests of variances | [`levene`], [`bartlett`] |
//! | tests by ranks | [`mannwhitneyu`], [`wilcoxon`], [`kruskal`] |
//! | tests of a distribution | [`skewtest`], [`kurtosistest`], [`normaltest`], [`jarque_bera`], [`shapiro`]; [`ks_1samp`], [`ks_2samp`]; [`chisquare`], [`power_divergence`] |
//! | transformations, intervals | [`boxcox`], [`boxcox_with`], [`boxcox_llf`]; [`bayes_mvs`] |
//!
//! Functions along axes record, as all operations do, and fuse with what is around them: a score, a
//! moment or a test of means is as few kernels as its sums and means would be. Axes are given as
//! everywhere here, `..` for all elements and [`keep`](crate::keep()) to have them stay with length 1.
//! Functions whose answer decides what is computed next evaluate, and say so.
//!
//! **Types.** Real numbers of any type are taken. Statistics are computed in `f64` and rounded once to
//! the type of the [`mean`](crate::DeviceArray::mean): that of floating-point numbers, `f64` for integers. On
//! a GPU whose `f64` is slow this costs time.
//!
//! **NaN.** One in a sample makes the results of that sample NaN, SciPy's `nan_policy="propagate"`,
//! unless a function says otherwise.
//!
//! **Tests** give a [`TestResult`]: the statistic, and the probability of one at least as extreme where
//! the hypothesis holds. [`Alternative`] says which side is extreme.
//!
//! [`guide::statistics`](crate::guide::statistics) shows it in pictures.
//!
//! # Example
//! ```
//! use lazuli::prelude::*;
//! use lazuli::random::Generator;
//! use lazuli::stats::{Alternative, ttest_ind, zscore};
//! let mut rng = Generator::new(7);
//! let a: DeviceArray<f64> = rng.normal(0.0, 1.0, [1000, 40]);
//! let b: DeviceArray<f64> = rng.normal(0.1, 1.0, [1000, 60]);
//! // A thousand tests at once, of which about one in twelve finds the difference of the means.
//! let test = ttest_ind(&a, &b, 1, Alternative::TwoSided);
//! let found = test.pvalue.less(0.05).mean(..).item()?;
//! assert!(found > 0.03 && found < 0.15);
//! // Scores have the mean 0 and the deviation 1.
//! let scores = zscore(&a, 1, 0);
//! assert!((scores.std(..).item()? - 1.0).abs() < 1e-12);
//! # Ok::<(), Error>(())
//! ```

mod bayes;
mod binned;
mod correlation;
mod counts;
mod distances;
mod entropies;
mod exact;
mod kde;
mod kolmogorov;
mod means;
mod moments;
mod normality;
mod order;
mod power;
mod rank_tests;
mod ranks;
mod regression;
mod result;
mod sample;
mod scores;
mod shapiro;
mod trim;
mod ttest;
mod variances;

pub use bayes::{BayesInterval, BayesIntervals, bayes_mvs};
pub use binned::{
    BinStatistic, BinnedStatistic, BinnedStatistics, Frequencies, binned_statistic,
    binned_statistic_2d, binned_statistic_dd, cumfreq, relfreq,
};
pub use correlation::{kendalltau, pearsonr, spearmanr, try_pearsonr, try_spearmanr};
pub use counts::{chisquare, power_divergence, try_chisquare, try_power_divergence};
pub use distances::{
    energy_distance, try_energy_distance, try_wasserstein_distance, wasserstein_distance,
};
pub use entropies::{
    EntropyMethod, differential_entropy, entropy, relative_entropy, try_differential_entropy,
    try_entropy, try_relative_entropy,
};
pub use kde::{Bandwidth, GaussianKde};
pub use kolmogorov::{ks_1samp, ks_2samp};
pub use means::{
    gmean, hmean, pmean, sem, try_gmean, try_hmean, try_pmean, try_sem, try_variation, variation,
};
pub use moments::{
    Description, describe, kstat, kstatvar, kurtosis, kurtosis_unbiased, moment, skew,
    skew_unbiased, try_describe, try_kstat, try_kstatvar, try_kurtosis, try_kurtosis_unbiased,
    try_moment, try_skew, try_skew_unbiased,
};
pub use normality::{
    jarque_bera, kurtosistest, normaltest, skewtest, try_jarque_bera, try_kurtosistest,
    try_normaltest, try_skewtest,
};
pub use order::{
    ScoreKind, expectile, iqr, median_abs_deviation, percentileofscore, try_expectile, try_iqr,
    try_median_abs_deviation, try_percentileofscore,
};
pub use power::{boxcox, boxcox_llf, boxcox_with, try_boxcox_llf, try_boxcox_with};
pub use rank_tests::{
    RankMethod, Zeros, kruskal, mannwhitneyu, try_kruskal, try_mannwhitneyu, try_wilcoxon, wilcoxon,
};
pub use ranks::{Mode, Ties, mode, rankdata, tiecorrect, try_mode, try_rankdata, try_tiecorrect};
pub use regression::{Line, RobustLine, linregress, theilslopes, try_linregress};
pub use result::{Alternative, TestResult};
pub use scores::{gzscore, try_gzscore, try_zmap, try_zscore, zmap, zscore};
pub use shapiro::shapiro;
pub use trim::{
    Clipped, Tail, sigmaclip, tmax, tmean, tmin, trim_mean, trim1, trimboth, try_tmax, try_tmean,
    try_tmin, try_trim_mean, try_trim1, try_trimboth, try_tsem, try_tstd, try_tvar, tsem, tstd,
    tvar,
};
pub use ttest::{
    f_oneway, try_f_oneway, try_ttest_1samp, try_ttest_ind, try_ttest_rel, try_ttest_welch,
    ttest_1samp, ttest_ind, ttest_rel, ttest_welch,
};
pub use variances::{Center, bartlett, levene, try_bartlett, try_levene};
