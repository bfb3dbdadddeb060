//! Samples that are empty, of one element, of the same elements, huge or tiny; what is refused; how many
//! kernels there are.

use super::with_file;
use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::stats::*;

const BOTH: Alternative = Alternative::TwoSided;

fn array(values: &[f64]) -> DeviceArray<f64> {
    DeviceArray::from_slice(values).unwrap()
}

#[test]
fn few_elements() {
    on_each_device(|_| {
        let none = DeviceArray::<f64>::zeros([0, 2]);
        let nan = |x: DeviceArray<f64>| x.is_nan().all(..).item().unwrap();
        assert!(nan(gmean(&none, 0)) && nan(hmean(&none, 0)) && nan(pmean(&none, 3.0, 0)));
        assert!(nan(skew(&none, 0)) && nan(kurtosis(&none, 0)) && nan(moment(&none, 0, 0)));
        assert!(nan(sem(&none, 0, 1)) && nan(variation(&none, 0, 0)) && nan(tmean(&none, .., 0)));
        assert!(nan(trim_mean(&none, 0.1, 0)) && nan(ttest_1samp(&none, 0.0, 0, BOTH).pvalue));
        assert!(nan(ttest_ind(&none, &none, 0, BOTH).pvalue));
        assert_eq!(zscore(&none, 0, 0).shape(), [0, 2]);
        assert_eq!(rankdata(&none, Ties::Average, 0).shape(), [0, 2]);
        // Along an axis with elements there is no sample.
        assert_eq!(gmean(&none, 1).shape(), [0]);
        let one = array(&[3.0]);
        assert!(nan(zscore(&one, .., 0)) && nan(skew(&one, ..)) && nan(sem(&one, .., 1)));
        assert!(nan(ttest_1samp(&one, 0.0, .., BOTH).pvalue) && nan(tvar(&one, .., .., 1)));
        assert_eq!(mode(&one, ..).count.item().unwrap(), 1);
        assert_eq!(rankdata(&one, Ties::Average, ..).to_vec().unwrap(), [1.0]);
        assert_eq!(expectile(&one, 0.7, ..).item().unwrap(), 3.0);
        // Without axes there is one element.
        let scalar = one.reshape(());
        assert_eq!(moment(&scalar, 2, ..).item().unwrap(), 0.0);
        assert_eq!(rankdata(&scalar, Ties::Dense, ..).item().unwrap(), 1.0);
        assert_eq!(mode(&scalar, ..).mode.item().unwrap(), 3.0);
        assert_eq!(iqr(&scalar, [25.0, 75.0], ..).item().unwrap(), 0.0);
    });
}

#[test]
fn the_same_elements() {
    on_each_device(|_| {
        let nan = |x: DeviceArray<f64>| x.is_nan().all(..).item().unwrap();
        let same = DeviceArray::full([5], 0.1f64);
        assert!(nan(zscore(&same, .., 0)) && nan(skew(&same, ..)) && nan(kurtosis(&same, ..)));
        let rising = DeviceArray::<f64>::arange_to(5.0);
        assert!(nan(pearsonr(&same, &rising, .., BOTH).pvalue));
        assert!(nan(spearmanr(&rising, &same, .., BOTH).statistic));
        assert!(nan(kendalltau(&rising, &same, BOTH).unwrap().statistic));
        assert!(nan(linregress(&same, &rising, .., BOTH).slope));
        let level = linregress(&rising, &same, .., BOTH);
        assert_eq!(level.slope.item().unwrap(), 0.0);
        assert!(nan(f_oneway(&[&same, &same], ..).pvalue));
        let apart = f_oneway(&[&same, &(&same + 1.0)], ..);
        assert_eq!(apart.statistic.item().unwrap(), f64::INFINITY);
        assert_eq!(apart.pvalue.item().unwrap(), 0.0);
        assert_eq!(ttest_1samp(&same, 0.5, .., BOTH).pvalue.item().unwrap(), 0.0);
        assert_eq!(mode(&same, ..).count.item().unwrap(), 5);
        assert_eq!(shapiro(&same).unwrap().statistic.item().unwrap(), 1.0);
        assert_eq!(wasserstein_distance(&same, &same).item().unwrap(), 0.0);
        assert!(boxcox(&same).unwrap_err().is_shape());
        let perfect = linregress(&rising, &(&rising * 2.0 + 1.0), .., BOTH);
        assert!(perfect.pvalue.item().unwrap() < 1e-15);
    });
}

#[test]
fn large_and_small_numbers() {
    on_each_device(|_| {
        let a = array(&[1.0, 2.0, 4.0, 9.0, 5.0]);
        let b = array(&[2.0, 1.0, 7.0, 8.0, 6.0]);
        let r = pearsonr(&a, &b, .., BOTH).statistic.item().unwrap();
        for scale in [1e200, 1e-200, 1e300] {
            let scaled = pearsonr(&(&a * scale), &(&b * scale), .., BOTH);
            assert!((scaled.statistic.item().unwrap() - r).abs() < 1e-14, "{scale}");
        }
        // Means far from 0 cost digits of the numbers, not of the moments.
        let far = skew(&(&a + 1e8), ..).item().unwrap();
        assert!((far - skew(&a, ..).item().unwrap()).abs() < 1e-7);
        let far = kstat(&(&a + 1e8), 4, ..).item().unwrap();
        assert!((far / kstat(&a, 4, ..).item().unwrap() - 1.0).abs() < 1e-6);
        assert!((gmean(&(&a * 1e300), ..) / gmean(&a, ..)).item().unwrap() > 0.999e300);
        // Probabilities are right where they are next to 0 or 1.
        let t = ttest_1samp(&(&a * 1e-8 + 1.0), 0.0, .., Alternative::Greater);
        let p = t.pvalue.item().unwrap();
        assert!(p > 1e-40 && p < 1e-28, "{p}");
        let halves = DeviceArray::full([4000], f16::from_f32(300.0));
        assert_eq!(gmean(&halves, ..).item().unwrap(), f16::from_f32(300.0));
    });
}

#[test]
fn what_is_refused() {
    let (a, b) = (DeviceArray::<f64>::ones([3, 4]), DeviceArray::<f64>::ones([3, 5]));
    let refused = [
        try_zscore(&a, 2, 0).unwrap_err(),
        try_pmean(&a, f64::INFINITY, ..).unwrap_err(),
        try_moment(&a, -1, 0).unwrap_err(),
        try_kstat(&a, 5, 0).unwrap_err(),
        try_kstat(&a.slice(s![..2]), 3, 0).unwrap_err(),
        try_pearsonr(&a, &b, 1, BOTH).err().unwrap(),
        try_ttest_ind(&a, &b, 0, BOTH).err().unwrap(),
        try_ttest_rel(&a, &b, .., BOTH).err().unwrap(),
        try_ttest_ind(&a, &b.flatten(), 0, BOTH).err().unwrap(),
        try_f_oneway(&[&a], ..).err().unwrap(),
        try_levene(&[&a, &b], Center::Trimmed(0.6), 1).err().unwrap(),
        try_entropy(&a, Some(0.0), ..).unwrap_err(),
        try_expectile(&a, 1.5, ..).unwrap_err(),
        try_expectile(&DeviceArray::<f64>::zeros(0), 0.5, ..).unwrap_err(),
        try_trimboth(&a, 0.5, 1).unwrap_err(),
        try_trim_mean(&a, -0.1, ..).unwrap_err(),
        try_differential_entropy(&a, EntropyMethod::Auto, Some(2), None, 0).unwrap_err(),
        try_wasserstein_distance(&a, &DeviceArray::zeros(0)).unwrap_err(),
        try_mode(&DeviceArray::<f64>::zeros([0, 2]), 0).err().unwrap(),
        kendalltau(&a, &b, BOTH).err().unwrap(),
        theilslopes(&a, &a, 0.9).unwrap_err(),
        shapiro(&DeviceArray::<f64>::ones(2)).err().unwrap(),
        bayes_mvs(&a, 1.0).unwrap_err(),
        boxcox(&(a.clone() - 2.0)).err().unwrap(),
        ks_2samp(&a, &DeviceArray::zeros(0), BOTH).err().unwrap(),
        ks_1samp(&a, |x| x.sum(..), BOTH).err().unwrap(),
        cumfreq(&a, 1, None).err().unwrap(),
        binned_statistic(&a.flatten(), &b.flatten(), BinStatistic::Sum, Bins::Count(2))
            .err()
            .unwrap(),
        GaussianKde::new(&DeviceArray::<f64>::ones([2, 2, 2]), Bandwidth::Scott).err().unwrap(),
    ];
    for error in refused {
        assert!(error.is_shape(), "{error}");
        assert!(error.to_string().contains("odd.rs:"), "{error}");
    }
}

/// NaN in one sample leaves the others alone.
#[test]
fn nan_stays_in_its_sample() {
    with_file(|file| {
        let (a, hole) = (file.array::<f64>("a"), file.array::<f64>("hole"));
        let marks = |x: DeviceArray<f64>| x.is_nan().sum(..).item().unwrap();
        for (name, found) in [
            ("skew", skew(&hole, 2)),
            ("tmin", tmin(&hole, .., 2)),
            ("tmax", tmax(&hole, 0.0.., 2)),
            ("median_abs_deviation", median_abs_deviation(&hole, 2)),
            ("iqr", iqr(&hole, [25.0, 75.0], 2)),
            ("expectile", expectile(&hole, 0.3, 2)),
            ("trim_mean", trim_mean(&hole, 0.2, 2)),
            ("mannwhitneyu", mannwhitneyu(&hole, &a, 2, BOTH, RankMethod::Auto).pvalue),
            ("wilcoxon", wilcoxon(&hole, 2, BOTH, Zeros::Wilcox).statistic),
            ("kruskal", kruskal(&[&hole, &a], 2).pvalue),
            ("spearmanr", spearmanr(&hole, &file.array("d"), 2, BOTH).pvalue),
            ("f_oneway", f_oneway(&[&hole, &a], 2).statistic),
            ("levene", levene(&[&hole, &a], Center::Median, 2).pvalue),
            ("chisquare", chisquare(&hole, None, 0.0, 2).pvalue),
            ("normaltest", normaltest(&hole, 2).pvalue),
        ] {
            assert_eq!(marks(found), 1, "{name}");
        }
        assert!(kendalltau(&hole, &a, BOTH).unwrap().pvalue.item().unwrap().is_nan());
        assert!(ks_2samp(&hole, &a, BOTH).unwrap().pvalue.item().unwrap().is_nan());
        assert!(
            ks_1samp(&hole, lazuli::special::ndtr, BOTH).unwrap().pvalue.item().unwrap().is_nan()
        );
        assert!(shapiro(&hole).unwrap().pvalue.item().unwrap().is_nan());
    });
}

#[test]
fn kept_axes_and_other_samples_broadcast() {
    with_file(|file| {
        let (a, b) = (file.array::<f64>("a"), file.array::<f64>("b"));
        assert_eq!(skew(&a, keep(1)).shape(), [4, 1, 12]);
        assert_eq!(mode(&a, keep([0, 2])).mode.shape(), [1, 3, 1]);
        assert_eq!(rankdata(&a, Ties::Average, [0, 2]).shape(), [4, 3, 12]);
        assert_eq!(mannwhitneyu(&a, &b, keep(2), BOTH, RankMethod::Auto).pvalue.shape(), [4, 3, 1]);
        let row = b.slice(s![..1, ..1]);
        let test = ttest_ind(&a, &row, 2, BOTH);
        assert_eq!(test.pvalue.shape(), [4, 3]);
        let single = ttest_ind(&a.slice(s![3, 2]), &row.flatten(), .., BOTH);
        let p = single.pvalue.item().unwrap();
        assert!((test.pvalue.get([3, 2]).unwrap() - p).abs() < 1e-15);
        let ranks = mannwhitneyu(&a, &row, 2, BOTH, RankMethod::Auto);
        assert_eq!(ranks.pvalue.shape(), [4, 3]);
        assert_eq!(kruskal(&[&row, &a], 2).pvalue.shape(), [4, 3]);
    });
}

/// Statistics of moments are one kernel, tests with their probabilities too.
#[test]
fn summaries_are_one_kernel() {
    let a = DeviceArray::<f64>::linspace(0.0, 5.0, 1200).sin().reshape([30, 40]);
    a.eval().unwrap();
    for (name, found) in [
        ("zscore", zscore(&a, 1, 0)),
        ("skew", skew(&a, 1)),
        ("kurtosis", kurtosis(&a, 1)),
        ("gmean", gmean(&a, 1)),
        ("sem", sem(&a, 1, 1)),
        ("tvar", tvar(&a, 0.0.., 1, 1)),
        ("entropy", entropy(&a, None, 1)),
        ("ttest_1samp", ttest_1samp(&a, 0.0, 1, BOTH).pvalue),
        ("ttest_rel", ttest_rel(&a, &a.flip(0), 1, BOTH).pvalue),
        ("pearsonr", pearsonr(&a, &a.flip(0), 1, BOTH).pvalue),
        ("normaltest", normaltest(&a, 1).pvalue),
        ("chisquare", chisquare(&a, None, 0.0, 1).pvalue),
    ] {
        let plan = lazuli::explain(&[&found]);
        assert_eq!(plan.kernels(), 1, "{name}: {plan}");
    }
}
