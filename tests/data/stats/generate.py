#!/usr/bin/env python3
"""Writes stats.npz: what scipy.stats makes of small samples.

An array stands under the name of what it is; its key ends in the element type, as README.md beside this folder says.
`tests/it/stats` has the same calls under the same names. Results along an axis end in `_0` or `_2`, those of all elements
in `_all`.
"""

import pathlib
import warnings

import numpy as np
from scipy import stats
from scipy.stats import _ksstats

NAMES = {"bool": "bool", "int64": "i64", "float32": "f32", "float64": "f64"}
ARRAYS, rng = {}, np.random.default_rng(20261126)
AXES = {"_0": 0, "_2": 2, "_all": None}


def put(name, value):
    value = np.array(value, order="C")
    if value.dtype.name.startswith(("int", "uint")):
        value = value.astype(np.int64)
    key = f"{name}.{NAMES[value.dtype.name]}"
    assert key not in ARRAYS, key
    ARRAYS[key] = value
    return value


def test(name, found):
    put(f"{name}_s", found.statistic), put(f"{name}_p", found.pvalue)


def inputs():
    a = put("a", np.round(rng.gamma(2.0, 1.5, size=(4, 3, 12)) + 0.05, 3))
    b = put("b", np.round(rng.gamma(2.5, 1.4, size=(4, 3, 12)), 3))
    c = put("c", np.round(rng.gamma(2.2, 1.5, size=(7, 3, 9)), 3))
    d = put("d", np.round(a * 0.4 + rng.normal(size=a.shape), 3))
    ties = put("ties", rng.integers(0, 6, size=(4, 3, 12)))
    counts = put("counts", rng.integers(5, 40, size=(4, 3, 12)))
    hole = a.copy()
    hole[1, 2, 3] = np.nan
    put("hole", hole)
    long = put("long", np.round(rng.normal(3.0, 2.0, size=1200), 2))
    return a, b, c, d, ties, counts, hole, long


def summaries(sample, prefix, axes=AXES):
    for end, axis in axes.items():
        for ddof in (0, 1):
            put(f"{prefix}zscore{ddof}{end}", stats.zscore(sample, axis=axis, ddof=ddof))
            put(f"{prefix}gzscore{ddof}{end}", stats.gzscore(sample, axis=axis, ddof=ddof))
            put(f"{prefix}variation{ddof}{end}", stats.variation(sample, axis=axis, ddof=ddof))
            put(f"{prefix}sem{ddof}{end}", stats.sem(sample, axis=axis, ddof=ddof))
        put(f"{prefix}gmean{end}", stats.gmean(sample, axis=axis))
        put(f"{prefix}hmean{end}", stats.hmean(sample, axis=axis))
        for p in (-2.5, 0, 3):
            put(f"{prefix}pmean{p}{end}", stats.pmean(sample, p, axis=axis))
        for order in range(6):
            put(f"{prefix}moment{order}{end}", stats.moment(sample, order, axis=axis))
        for name in ("skew", "kurtosis"):
            put(f"{prefix}{name}{end}", getattr(stats, name)(sample, axis=axis))
            put(f"{prefix}{name}_unbiased{end}", getattr(stats, name)(sample, axis=axis, bias=False))
        for order in (1, 2, 3, 4):
            put(f"{prefix}kstat{order}{end}", stats.kstat(sample, order, axis=axis))
        for order in (1, 2):
            put(f"{prefix}kstatvar{order}{end}", stats.kstatvar(sample, order, axis=axis))
        put(f"{prefix}iqr{end}", stats.iqr(sample, axis=axis))
        put(f"{prefix}iqr_wide{end}", stats.iqr(sample, axis=axis, rng=(90, 5)))
        put(f"{prefix}mad{end}", stats.median_abs_deviation(sample, axis=axis))
        found = stats.mode(sample, axis=axis)
        put(f"{prefix}mode{end}", found.mode), put(f"{prefix}mode_count{end}", found.count.astype(np.int64))
        for how in ("average", "min", "max", "dense", "ordinal"):
            ranks = stats.rankdata(sample, how, axis=axis).astype(np.float64)
            put(f"{prefix}rank_{how}{end}", ranks.reshape(sample.shape))
        put(f"{prefix}trim_mean{end}", stats.trim_mean(sample, 0.13, axis=axis))
        put(f"{prefix}entropy{end}", stats.entropy(sample, base=2, axis=axis))


def limited(a, hole):
    # Bounds: both, lower, upper, none, and ones that nothing of some samples is within.
    limits = {"both": ((1.0, 4.0), (True, False)), "low": ((2.0, None), (False, True)),
              "high": ((None, 3.0), (True, True)), "none": (None, (True, True)), "rare": ((7.0, 20.0), (True, True))}
    for end, axis in AXES.items():
        for sample, prefix in ((a, ""), (hole, "hole_")):
            for name, (bounds, inclusive) in limits.items():
                if prefix and (name not in ("both", "none") or end == "_0"):
                    continue
                put(f"{prefix}tmean_{name}{end}", stats.tmean(sample, bounds, inclusive, axis=axis))
                for ddof in (0, 1):
                    put(f"{prefix}tvar{ddof}_{name}{end}", stats.tvar(sample, bounds, inclusive, axis=axis, ddof=ddof))
                    put(f"{prefix}tsem{ddof}_{name}{end}", stats.tsem(sample, bounds, inclusive, axis=axis, ddof=ddof))
                low, high = bounds or (None, None)
                put(f"{prefix}tmin_{name}{end}", stats.tmin(sample, low, axis=axis, inclusive=inclusive[0]))
                put(f"{prefix}tmax_{name}{end}", stats.tmax(sample, high, axis=axis, inclusive=inclusive[1]))
    put("trim1_right", np.sort(stats.trim1(a, 0.3, axis=2), axis=2))
    put("trim1_left", np.sort(stats.trim1(a, 0.3, "left", axis=0), axis=0))
    put("trimboth", np.sort(stats.trimboth(a, 0.2, axis=2), axis=2))
    found = stats.sigmaclip(a, 1.5, 1.2)
    put("sigmaclip", found.clipped), put("sigmaclip_ends", [found.lower, found.upper])


def others(a, b, ties, long):
    for end, axis in AXES.items():
        put(f"relative_entropy{end}", stats.entropy(a, b, axis=axis))
        put(f"zmap{end}", stats.zmap(b, a, axis=axis, ddof=1))
        for alpha in (0.0, 0.1, 0.5, 0.8, 1.0):
            samples = np.moveaxis(a, axis, -1) if axis is not None else a.reshape(-1)
            found = np.apply_along_axis(lambda x: stats.expectile(x, alpha), -1, samples)
            put(f"expectile{alpha}{end}", found)
    for how in ("vasicek", "van es", "ebrahimi", "correa", "auto"):
        put(f"differential_{how}", stats.differential_entropy(a, axis=2, method=how))
        put(f"differential_{how}_long", stats.differential_entropy(long[:300] + 0.001 * np.arange(300), method=how, window_length=4, base=2))
    for kind in ("rank", "weak", "strict", "mean"):
        put(f"percentileofscore_{kind}", stats.percentileofscore(ties.ravel(), [0, 2, 3, 7, -1], kind=kind))
    put("tiecorrect", stats.tiecorrect(stats.rankdata(ties)))
    put("wasserstein", stats.wasserstein_distance(a.ravel(), long)), put("energy", stats.energy_distance(a.ravel(), long))
    x, y, values = long[:400], long[400:800], long[800:]
    for how in ("mean", "std", "median", "count", "sum", "min", "max"):
        found = stats.binned_statistic(x, values, how, bins=9, range=(0.0, 5.0))
        put(f"binned_{how}", found.statistic)
        found = stats.binned_statistic_2d(x, y, values, how, bins=[4, 3], range=[(0.0, 5.0), (-2.0, 7.0)])
        put(f"binned_2d_{how}", found.statistic)
    put("binned_edges", stats.binned_statistic(x, values, bins=9, range=(0.0, 5.0)).bin_edges)
    for name in ("cumfreq", "relfreq"):
        for key, limits in (("", None), ("_within", (1.0, 3.0))):
            h, low, width, extra = getattr(stats, name)(long, 7, limits)
            put(f"{name}{key}", h), put(f"{name}{key}_ends", [low, width, extra])
    for key, points in (("", long[:200]), ("_2d", np.stack([long[:200], long[200:400] + 0.5 * long[:200]]))):
        at = np.array([0.0, 3.0, 9.0, 40.0]) if key == "" else np.array([[0.0, 3.0, 9.0, 40.0], [1.0, 2.0, 8.0, 40.0]])
        for method in ("scott", "silverman", 0.3):
            kde = stats.gaussian_kde(points, method)
            put(f"kde{key}_{method}", kde(at)), put(f"kde{key}_{method}_log", kde.logpdf(at))
    put("kde_box", stats.gaussian_kde(long[:200]).integrate_box_1d(1.0, 4.0))
    for end, axis in AXES.items():
        for lam in (-1.5, 0.0, 0.7):
            put(f"boxcox_llf{lam}{end}", stats.boxcox_llf(lam, a, axis=axis))
    transformed, lam = stats.boxcox(a.ravel())
    put("boxcox_lambda", lam), put("boxcox_with", (a**0.4 - 1) / 0.4)
    for key, sample in (("", a.ravel()[:20]), ("_two", a.ravel()[:2]), ("_long", long)):
        found = stats.bayes_mvs(sample, 0.8)
        put(f"bayes{key}", np.array([[m.statistic, *m.minmax] for m in found]))


SIDES = ("two-sided", "less", "greater")


def tests(a, b, c, d, ties, counts, hole, long):
    for end, axis in AXES.items():
        for side in SIDES:
            test(f"ttest_1samp_{side}{end}", stats.ttest_1samp(a, 2.5, axis=axis, alternative=side))
            test(f"ttest_ind_{side}{end}", stats.ttest_ind(a, b, axis=axis, alternative=side))
            test(f"ttest_welch_{side}{end}", stats.ttest_ind(a, b, axis=axis, alternative=side, equal_var=False))
            test(f"ttest_rel_{side}{end}", stats.ttest_rel(a, b, axis=axis, alternative=side))
            test(f"pearsonr_{side}{end}", stats.pearsonr(a, d, axis=axis, alternative=side))
            test(f"mannwhitneyu_{side}{end}", stats.mannwhitneyu(a, b, axis=axis, alternative=side))
            test(f"mannwhitneyu_ties_{side}{end}", stats.mannwhitneyu(ties, counts // 8, axis=axis, alternative=side))
            for zeros in ("wilcox", "pratt", "zsplit"):
                test(f"wilcoxon_{zeros}_{side}{end}", stats.wilcoxon(ties - 2, zero_method=zeros, axis=axis, alternative=side, method="asymptotic"))
            test(f"wilcoxon_exact_{side}{end}", stats.wilcoxon(a - b, axis=axis, alternative=side))
            if axis is not None:
                test(f"skewtest_{side}{end}", stats.skewtest(np.concatenate([a, b]), axis=axis, alternative=side))
                test(f"kurtosistest_{side}{end}", stats.kurtosistest(np.concatenate([a, b]), axis=axis, alternative=side))
        test(f"normaltest{end}", stats.normaltest(np.concatenate([a, b]), axis=axis))
        test(f"jarque_bera{end}", stats.jarque_bera(a, axis=axis))
        test(f"f_oneway{end}", stats.f_oneway(a, b, d, axis=axis))
        test(f"kruskal{end}", stats.kruskal(ties, ties + 1, counts // 9, axis=axis))
        test(f"bartlett{end}", stats.bartlett(a, b, d, axis=axis))
        for center in ("median", "mean", "trimmed"):
            test(f"levene_{center}{end}", stats.levene(a, b, d, center=center, proportiontocut=0.1, axis=axis))
        test(f"chisquare{end}", stats.chisquare(counts, ddof=1, axis=axis))
        expected = b / b.sum(axis=axis, keepdims=True) * counts.sum(axis=axis, keepdims=True)
        put(f"expected{end}", expected)
        for lam in (1, 0, -1, -0.5, 2 / 3):
            test(f"power_divergence{lam:.1f}{end}", stats.power_divergence(counts, expected, axis=axis, lambda_=lam))
    test("ttest_columns", stats.ttest_ind(a[:, :, :9], c, axis=0))
    for side in SIDES:
        test(f"ttest_hole_{side}", stats.ttest_ind(hole, b, axis=2, alternative=side))
        x, y = a.ravel(), d.ravel()
        for key, u, v in (("", x, y), ("_ties", ties.ravel(), counts.ravel() // 6), ("_few", x[:9], y[:9]), ("_two", x[:2], y[:2])):
            test(f"spearmanr{key}_{side}", stats.spearmanr(u, v, alternative=side))
            test(f"kendalltau{key}_{side}", stats.kendalltau(u, v, alternative=side))
        order = np.arange(60.0)
        test(f"kendalltau_order_{side}", stats.kendalltau(order, np.r_[order[1:2], order[:1], order[2:]], alternative=side))
        test(f"kendalltau_reverse_{side}", stats.kendalltau(order[:12], -order[:12], alternative=side))
        found = stats.linregress(x, y, alternative=side)
        put(f"linregress_{side}", [found.slope, found.intercept, found.rvalue, found.pvalue, found.stderr, found.intercept_stderr])
        u = (long - 3.0) / 2.0
        for n in (1, 2, 7, 60, 400, 1200):
            for name, sample in ((f"ks_1samp_{n}_{side}", u[:n]), (f"ks_shifted_{n}_{side}", u[:n] + 0.1)):
                found = stats.ks_1samp(sample, stats.norm.cdf, alternative=side)
                put(f"{name}_s", found.statistic)
                # Of so many SciPy has the limit's next terms, which have six digits.
                exact = n == 400 and side == "two-sided"
                put(f"{name}_p", float(_ksstats._kolmogn_DMTW(n, found.statistic, False)) if exact else found.pvalue)
        for key, u, v in (("", x, y), ("_other", x[:30], y[:47]), ("_square", x[:40], y[:40]), ("_ties", ties.ravel(), counts.ravel() // 6),
                          ("_long", long[:300], long[:200] + 0.3)):
            test(f"ks_2samp{key}_{side}", stats.ks_2samp(u, v, alternative=side))
        for n, m in ((3, 4), (8, 8), (5, 30), (9, 9)):
            test(f"mannwhitneyu_{n}_{m}_{side}", stats.mannwhitneyu(x[:n], long[:m], alternative=side))
        test(f"mannwhitneyu_exact_{side}", stats.mannwhitneyu(x[:25], long[:40], alternative=side, method="exact"))
    found = stats.theilslopes(d.ravel(), a.ravel())
    put("theilslopes", [found.slope, found.intercept, found.low_slope, found.high_slope])
    for n in (3, 4, 5, 6, 11, 12, 50, 300):
        test(f"shapiro_{n}", stats.shapiro(long[:n])), test(f"shapiro_skewed_{n}", stats.shapiro(np.exp(long[:n])))


def main():
    warnings.simplefilter("ignore")
    a, b, c, d, ties, counts, hole, long = inputs()
    summaries(a, "")
    summaries(hole, "hole_", {"_2": 2})
    summaries(np.concatenate([ties + 1.0, counts]), "ties_", {"_2": 2, "_all": None})
    limited(a, hole)
    others(a, b, ties, long)
    tests(a, b, c, d, ties, counts, hole, long)
    np.savez_compressed(pathlib.Path(__file__).parent / "stats.npz", **ARRAYS)


if __name__ == "__main__":
    main()
