//! Tests of hypotheses.

use super::{AXES, File, NEAR, SIDES, with_file};
use lazuli::prelude::*;
use lazuli::special::ndtr;
use lazuli::stats::*;

#[test]
fn tests_of_means_and_variances() {
    with_file(|file| {
        let [a, b, d] = ["a", "b", "d"].map(|name| file.array::<f64>(name));
        for (end, axes) in AXES {
            let near = |name: &str, got: TestResult<f64>| {
                file.near_test(&format!("{name}{end}"), &got, NEAR)
            };
            for (side, how) in SIDES {
                near(&format!("ttest_1samp_{side}"), ttest_1samp(&a, 2.5, axes, how));
                near(&format!("ttest_ind_{side}"), ttest_ind(&a, &b, axes, how));
                near(&format!("ttest_welch_{side}"), ttest_welch(&a, &b, axes, how));
                near(&format!("ttest_rel_{side}"), ttest_rel(&a, &b, axes, how));
                near(&format!("pearsonr_{side}"), pearsonr(&a, &d, axes, how));
                if axes.len() == 1 {
                    let both = lazuli::concatenate(&[&a, &b], 0);
                    near(&format!("skewtest_{side}"), skewtest(&both, axes, how));
                    near(&format!("kurtosistest_{side}"), kurtosistest(&both, axes, how));
                }
            }
            near("normaltest", normaltest(&lazuli::concatenate(&[&a, &b], 0), axes));
            near("jarque_bera", jarque_bera(&a, axes));
            near("f_oneway", f_oneway(&[&a, &b, &d], axes));
            near("bartlett", bartlett(&[&a, &b, &d], axes));
            near("levene_median", levene(&[&a, &b, &d], Center::Median, axes));
            near("levene_mean", levene(&[&a, &b, &d], Center::Mean, axes));
            near("levene_trimmed", levene(&[&a, &b, &d], Center::Trimmed(0.1), axes));
            let counts = file.array::<f64>("counts");
            let expected = file.array::<f64>(&format!("expected{end}"));
            near("chisquare", chisquare(&counts, None, 1.0, axes));
            for lambda in [1.0, 0.0, -1.0, -0.5, 2.0 / 3.0] {
                let found = power_divergence(&counts, Some(&expected), lambda, 0.0, axes);
                near(&format!("power_divergence{lambda:.1}"), found);
            }
        }
        let c = file.array::<f64>("c");
        let short = a.slice(s![.., .., ..9]);
        file.near_test("ttest_columns", &ttest_ind(&short, &c, 0, Alternative::TwoSided), NEAR);
        let narrow = ttest_ind(&short.cast::<f32>(), &c.cast::<f32>(), 0, Alternative::TwoSided);
        file.near_test("ttest_columns", &narrow, 1e-4);
        for (side, how) in SIDES {
            let found = ttest_ind(&file.array::<f64>("hole"), &b, 2, how);
            file.near_test(&format!("ttest_hole_{side}"), &found, NEAR);
        }
    });
}

#[test]
fn tests_by_ranks() {
    with_file(|file| {
        let [a, b] = ["a", "b"].map(|name| file.array::<f64>(name));
        let [ties, counts] = ["ties", "counts"].map(|name| file.array::<i32>(name));
        let long = file.array::<f64>("long");
        for (end, axes) in AXES {
            let near = |name: &str, got: TestResult<f64>| {
                file.near_test(&format!("{name}{end}"), &got, NEAR)
            };
            near("kruskal", kruskal(&[&ties, &(&ties + 1), &(&counts / 9)], axes));
            for (side, how) in SIDES {
                let auto = RankMethod::Auto;
                near(&format!("mannwhitneyu_{side}"), mannwhitneyu(&a, &b, axes, how, auto));
                let other = RankMethod::Asymptotic;
                let found = mannwhitneyu(&ties, &(&counts / 8), axes, how, other);
                near(&format!("mannwhitneyu_ties_{side}"), found);
                near(
                    &format!("wilcoxon_exact_{side}"),
                    wilcoxon(&(&a - &b), axes, how, Zeros::Wilcox),
                );
                for (name, zeros) in
                    [("wilcox", Zeros::Wilcox), ("pratt", Zeros::Pratt), ("zsplit", Zeros::Split)]
                {
                    let found = wilcoxon(&(&ties - 2), axes, how, zeros);
                    near(&format!("wilcoxon_{name}_{side}"), found);
                }
            }
        }
        let x = a.flatten();
        for (side, how) in SIDES {
            for (n, m) in [(3, 4), (8, 8), (5, 30), (9, 9)] {
                let (u, v) = (x.slice(s![..n]), long.slice(s![..m]));
                let found = mannwhitneyu(&u, &v, .., how, RankMethod::Auto);
                file.near_test(&format!("mannwhitneyu_{n}_{m}_{side}"), &found, NEAR);
            }
            let (u, v) = (x.slice(s![..25]), long.slice(s![..40]));
            let found = mannwhitneyu(&u, &v, .., how, RankMethod::Exact);
            file.near_test(&format!("mannwhitneyu_exact_{side}"), &found, NEAR);
        }
    });
}

/// The pairs that correlations are taken of, named as in the file.
fn pairs(file: &File) -> Vec<(&'static str, DeviceArray<f64>, DeviceArray<f64>)> {
    let [a, d] = ["a", "d"].map(|name| file.array::<f64>(name).flatten());
    let ties = file.array::<f64>("ties").flatten();
    let counts = file.array::<i32>("counts").flatten() / 6;
    vec![
        ("_ties", ties, counts.cast()),
        ("_few", a.slice(s![..9]), d.slice(s![..9])),
        ("_two", a.slice(s![..2]), d.slice(s![..2])),
        ("", a, d),
    ]
}

#[test]
fn correlations_and_lines() {
    with_file(|file| {
        let [a, d] = ["a", "d"].map(|name| file.array::<f64>(name).flatten());
        for (side, how) in SIDES {
            for (key, x, y) in pairs(file) {
                let found = spearmanr(&x, &y, .., how);
                file.near_test(&format!("spearmanr{key}_{side}"), &found, NEAR);
                let found = kendalltau(&x, &y, how).unwrap();
                file.near_test(&format!("kendalltau{key}_{side}"), &found, NEAR);
            }
            let order = DeviceArray::<f64>::arange_to(60.0);
            let swapped = order.with_put([0, 1], &[1.0, 0.0], 0);
            let found = kendalltau(&order, &swapped, how).unwrap();
            file.near_test(&format!("kendalltau_order_{side}"), &found, NEAR);
            let order = order.slice(s![..12]);
            let found = kendalltau(&order, &-&order, how).unwrap();
            file.near_test(&format!("kendalltau_reverse_{side}"), &found, NEAR);
            let line = linregress(&a, &d, .., how);
            let all = [
                line.slope,
                line.intercept,
                line.rvalue,
                line.pvalue,
                line.stderr,
                line.intercept_stderr,
            ];
            file.near(&format!("linregress_{side}"), &lazuli::stack(&all, 0), NEAR);
        }
        let line = theilslopes(&a, &d, 0.95).unwrap();
        let all = [line.slope, line.intercept, line.low_slope, line.high_slope];
        file.near_list("theilslopes", &all, NEAR);
    });
}

#[test]
fn tests_of_distributions() {
    with_file(|file| {
        let [a, d] = ["a", "d"].map(|name| file.array::<f64>(name).flatten());
        let (ties, counts) = (file.array::<f64>("ties"), file.array::<i32>("counts") / 6);
        let long = file.array::<f64>("long");
        let u = (&long - 3.0) / 2.0;
        for (side, how) in SIDES {
            for n in [1, 2, 7, 60, 400, 1200] {
                let part = u.slice(s![..n]);
                let found = ks_1samp(&part, ndtr, how).unwrap();
                file.near_test(&format!("ks_1samp_{n}_{side}"), &found, 1e-8);
                let found = ks_1samp(&(part + 0.1), ndtr, how).unwrap();
                file.near_test(&format!("ks_shifted_{n}_{side}"), &found, 1e-8);
            }
            let shifted = long.slice(s![..200]) + 0.3;
            for (key, x, y) in [
                ("", &a, &d),
                ("_other", &a.slice(s![..30]), &d.slice(s![..47])),
                ("_square", &a.slice(s![..40]), &d.slice(s![..40])),
                ("_ties", &ties, &counts.cast()),
                ("_long", &long.slice(s![..300]), &shifted),
            ] {
                let found = ks_2samp(x, y, how).unwrap();
                file.near_test(&format!("ks_2samp{key}_{side}"), &found, 1e-9);
            }
        }
        for n in [3, 4, 5, 6, 11, 12, 50, 300] {
            let part = long.slice(s![..n]);
            file.near_test(&format!("shapiro_{n}"), &shapiro(&part).unwrap(), 1e-7);
            let skewed = shapiro(&part.exp()).unwrap();
            file.near_test(&format!("shapiro_skewed_{n}"), &skewed, 1e-7);
        }
    });
}
