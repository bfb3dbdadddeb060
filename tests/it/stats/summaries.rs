//! Summaries, scores, ranks and what lies within limits.

use super::{AXES, File, NEAR, with_file};
use lazuli::prelude::*;
use lazuli::stats::*;

/// All summaries of a sample, named as in the file.
fn of_sample<T: Real>(file: &File, prefix: &str, a: &DeviceArray<T>, ends: &[&str], part: f64) {
    for (end, axes) in AXES.iter().filter(|(end, _)| ends.contains(end)) {
        let axes = *axes;
        let near = |name: &str, got: &DeviceArray<T::Mean>| {
            file.near(&format!("{prefix}{name}{end}"), got, part);
        };
        for ddof in [0, 1] {
            near(&format!("zscore{ddof}"), &zscore(a, axes, ddof));
            near(&format!("gzscore{ddof}"), &gzscore(a, axes, ddof));
            near(&format!("variation{ddof}"), &variation(a, axes, ddof));
            near(&format!("sem{ddof}"), &sem(a, axes, ddof));
        }
        near("gmean", &gmean(a, axes));
        near("hmean", &hmean(a, axes));
        for (name, p) in [("pmean-2.5", -2.5), ("pmean0", 0.0), ("pmean3", 3.0)] {
            near(name, &pmean(a, p, axes));
        }
        for order in 0..6 {
            near(&format!("moment{order}"), &moment(a, order, axes));
        }
        near("skew", &skew(a, axes));
        near("skew_unbiased", &skew_unbiased(a, axes));
        near("kurtosis", &kurtosis(a, axes));
        near("kurtosis_unbiased", &kurtosis_unbiased(a, axes));
        for order in [1, 2, 3, 4] {
            near(&format!("kstat{order}"), &kstat(a, order, axes));
        }
        for order in [1, 2] {
            near(&format!("kstatvar{order}"), &kstatvar(a, order, axes));
        }
        near("iqr", &iqr(a, [25.0, 75.0], axes));
        near("iqr_wide", &iqr(a, [90.0, 5.0], axes));
        near("mad", &median_abs_deviation(a, axes));
        near("trim_mean", &trim_mean(a, 0.13, axes));
        near("entropy", &entropy(a, Some(2.0), axes));
        let found = mode(a, axes);
        near("mode", &found.mode.cast());
        file.near(&format!("{prefix}mode_count{end}"), &found.count, 0.0);
        let ties = [Ties::Average, Ties::Min, Ties::Max, Ties::Dense, Ties::Ordinal];
        for (name, how) in ["average", "min", "max", "dense", "ordinal"].iter().zip(ties) {
            let ranks = rankdata(a, how, axes);
            file.near(&format!("{prefix}rank_{name}{end}"), &ranks, 0.0);
        }
        let all = describe(a, axes, 1);
        near("kurtosis", &all.kurtosis);
        near("skew", &all.skewness);
        assert!(
            all.variance
                .is_close(&a.cast::<f64>().var_ddof(axes, 1).cast())
                .all(..)
                .item()
                .unwrap()
                || prefix == "hole_"
        );
    }
}

#[test]
fn summaries_are_scipys() {
    with_file(|file| {
        let all = ["_0", "_2", "_all"];
        let a = file.array::<f64>("a");
        of_sample(file, "", &a, &all, NEAR);
        of_sample(file, "", &a.cast::<f32>(), &["_0", "_2"], 2e-4);
        of_sample(file, "hole_", &file.array::<f64>("hole"), &["_2"], NEAR);
        let ties =
            lazuli::concatenate(&[&(file.array::<i32>("ties") + 1), &file.array("counts")], 0);
        of_sample(file, "ties_", &ties, &["_2", "_all"], NEAR);
        // Views of other arrays: reversed twice, transposed twice.
        let view = a.flip([0, 2]).permute(&[2, 0, 1]).permute(&[1, 2, 0]).flip([0, 2]);
        of_sample(file, "", &view, &["_2"], NEAR);
    });
}

#[test]
fn limits_are_scipys() {
    with_file(|file| {
        for (prefix, name) in [("", "a"), ("hole_", "hole")] {
            let a = file.array::<f64>(name);
            for (end, axes) in AXES {
                if prefix.is_empty() || end != "_0" {
                    limited(file, prefix, &a, "both", 1.0..4.0, end, axes);
                    limited(file, prefix, &a, "none", .., end, axes);
                }
                if prefix.is_empty() {
                    let above = (std::ops::Bound::Excluded(2.0), std::ops::Bound::Unbounded);
                    limited(file, prefix, &a, "low", above, end, axes);
                    limited(file, prefix, &a, "high", ..=3.0, end, axes);
                    limited(file, prefix, &a, "rare", 7.0..=20.0, end, axes);
                }
            }
        }
        let a = file.array::<f64>("a");
        file.near("trim1_right", &trim1(&a, 0.3, Tail::Right, 2), 0.0);
        file.near("trim1_left", &trim1(&a, 0.3, Tail::Left, 0), 0.0);
        file.near("trimboth", &trimboth(&a, 0.2, -1), 0.0);
        let left = sigmaclip(&a, 1.5, 1.2).unwrap();
        file.near("sigmaclip", &left.clipped, 0.0);
        file.near_list("sigmaclip_ends", &[left.lower, left.upper], NEAR);
    });
}

fn limited(
    file: &File,
    prefix: &str,
    a: &DeviceArray<f64>,
    name: &str,
    limits: impl std::ops::RangeBounds<f64> + Clone,
    end: &str,
    axes: &[isize],
) {
    let near = |what: &str, got: DeviceArray<f64>| {
        file.near(&format!("{prefix}{what}_{name}{end}"), &got, NEAR);
    };
    near("tmean", tmean(a, limits.clone(), axes));
    for ddof in [0, 1] {
        near(&format!("tvar{ddof}"), tvar(a, limits.clone(), axes, ddof));
        near(&format!("tsem{ddof}"), tsem(a, limits.clone(), axes, ddof));
    }
    let of = |bound: std::ops::Bound<&f64>| bound.cloned();
    let below = (of(limits.start_bound()), std::ops::Bound::Unbounded);
    let above = (std::ops::Bound::Unbounded, of(limits.end_bound()));
    near("tmin", tmin(a, below, axes));
    near("tmax", tmax(a, above, axes));
}
