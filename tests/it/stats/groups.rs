//! Entropies, distances, bins, densities, transformations.

use super::{AXES, File, NEAR, with_file};
use lazuli::prelude::*;
use lazuli::stats::*;

#[test]
fn entropies_and_distances() {
    with_file(|file| {
        let (a, b) = (file.array::<f64>("a"), file.array::<f64>("b"));
        let long = file.array::<f64>("long");
        for (end, axes) in AXES {
            let name = |what: &str| format!("{what}{end}");
            file.near(&name("relative_entropy"), &relative_entropy(&a, &b, None, axes), NEAR);
            file.near(&name("zmap"), &zmap(&b, &a, axes, 1), NEAR);
            for alpha in [0.0, 0.1, 0.5, 0.8, 1.0] {
                let found = expectile(&a, alpha, axes);
                file.near(&format!("expectile{alpha:.1}{end}"), &found, 1e-9);
            }
            for lambda in [-1.5, 0.0, 0.7] {
                let found = boxcox_llf(lambda, &a, axes);
                file.near(&format!("boxcox_llf{lambda:.1}{end}"), &found, NEAR);
            }
        }
        use EntropyMethod::{Auto, Correa, Ebrahimi, VanEs, Vasicek};
        let spread = long.slice(s![..300]) + DeviceArray::<f64>::arange_to(300.0) * 0.001;
        for (name, how) in [
            ("vasicek", Vasicek),
            ("van es", VanEs),
            ("ebrahimi", Ebrahimi),
            ("correa", Correa),
            ("auto", Auto),
        ] {
            let found = differential_entropy(&a, how, None, None, 2);
            file.near(&format!("differential_{name}"), &found, NEAR);
            let found = differential_entropy(&spread, how, Some(4), Some(2.0), ..);
            file.near(&format!("differential_{name}_long"), &found, NEAR);
        }
        let ties = file.array::<i32>("ties");
        let scores = DeviceArray::from_slice(&[0, 2, 3, 7, -1]).unwrap();
        for (name, kind) in [
            ("rank", ScoreKind::Rank),
            ("weak", ScoreKind::Weak),
            ("strict", ScoreKind::Strict),
            ("mean", ScoreKind::Mean),
        ] {
            let found = percentileofscore(&ties, &scores, kind);
            file.near(&format!("percentileofscore_{name}"), &found, NEAR);
        }
        file.near("tiecorrect", &tiecorrect(&rankdata(&ties, Ties::Average, ..)), NEAR);
        file.near("wasserstein", &wasserstein_distance(&a, &long), NEAR);
        file.near("energy", &energy_distance(&a, &long), NEAR);
    });
}

#[test]
fn bins_are_scipys() {
    with_file(|file| {
        let long = file.array::<f64>("long");
        let (x, y) = (long.slice(s![..400]), long.slice(s![400..800]));
        let values = long.slice(s![800..]);
        let (one, two) =
            (Bins::Within(9, 0.0, 5.0), [Bins::Within(4, 0.0, 5.0), Bins::Within(3, -2.0, 7.0)]);
        use BinStatistic::{Count, Max, Mean, Median, Min, Std, Sum};
        for (name, how) in [
            ("mean", Mean),
            ("std", Std),
            ("median", Median),
            ("count", Count),
            ("sum", Sum),
            ("min", Min),
            ("max", Max),
        ] {
            let found = binned_statistic(&x, &values, how, one).unwrap();
            file.near(&format!("binned_{name}"), &found.statistic, NEAR);
            file.near("binned_edges", &found.edges, NEAR);
            let found = binned_statistic_2d(&x, &y, &values, how, two).unwrap();
            file.near(&format!("binned_2d_{name}"), &found.statistic, NEAR);
            let same = binned_statistic_dd(&[&x, &y], &values, how, &two).unwrap();
            file.near(&format!("binned_2d_{name}"), &same.statistic, NEAR);
        }
        for (key, limits) in [("", None), ("_within", Some((1.0, 3.0)))] {
            let check = |name: &str, found: Frequencies| {
                file.near(&format!("{name}{key}"), &found.frequency, NEAR);
                let ends = [found.lower_limit, found.bin_size, found.extra_points as f64];
                file.near_list(&format!("{name}{key}_ends"), &ends, NEAR);
            };
            check("cumfreq", cumfreq(&long, 7, limits).unwrap());
            check("relfreq", relfreq(&long, 7, limits).unwrap());
        }
    });
}

#[test]
fn densities_and_intervals() {
    with_file(|file| {
        let long = file.array::<f64>("long");
        let line = long.slice(s![..200]);
        let plane = lazuli::stack(&[&line, &(long.slice(s![200..400]) + &line * 0.5)], 0);
        let at = DeviceArray::from_slice(&[0.0, 3.0, 9.0, 40.0]).unwrap();
        let beside = DeviceArray::from_slice(&[1.0, 2.0, 8.0, 40.0]).unwrap();
        let both = lazuli::stack(&[&at, &beside], 0);
        for (key, points, at) in [("", &line, &at), ("_2d", &plane, &both)] {
            for (name, width) in [
                ("scott", Bandwidth::Scott),
                ("silverman", Bandwidth::Silverman),
                ("0.3", Bandwidth::Factor(0.3)),
            ] {
                let density = GaussianKde::new(points, width).unwrap();
                file.near(&format!("kde{key}_{name}"), &density.at(at), NEAR);
                file.near(&format!("kde{key}_{name}_log"), &density.log_at(at), NEAR);
            }
        }
        let density = GaussianKde::new(&line, Bandwidth::Scott).unwrap();
        file.near("kde_box", &density.integrate_box_1d(1.0, 4.0), NEAR);
        let a = file.array::<f64>("a");
        file.near("boxcox_with", &boxcox_with(&a, 0.4), NEAR);
        let (normal, lambda) = boxcox(&a).unwrap();
        file.near_list("boxcox_lambda", &[lambda], 1e-5);
        assert!(normal.all_close(&boxcox_with(&a, lambda)).item().unwrap());
        bayes(file, "bayes", &a.flatten().slice(s![..20]));
        bayes(file, "bayes_two", &a.flatten().slice(s![..2]));
        bayes(file, "bayes_long", &long);
    });
}

fn bayes(file: &File, name: &str, a: &DeviceArray<f64>) {
    let found = bayes_mvs(a, 0.8).unwrap();
    let row = |x: BayesInterval| [x.center, x.interval.0, x.interval.1];
    let rows = [found.mean, found.variance, found.std].map(row);
    file.near_list(name, rows.as_flattened(), 1e-9);
}
