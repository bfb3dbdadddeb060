//! Distributions by rejection and mixtures, against SciPy's in `draws.rs`'s way.

use super::draws::{DRAWS, cells, counts};
use super::{File, with_file};
use lazuli::prelude::*;
use lazuli::random::Generator;
use std::f64::consts::PI;

#[test]
fn draws_by_rejection_are_of_their_distributions() {
    with_file(|file: &File| {
        let rng = &mut Generator::new(20260101);
        let n = DRAWS;
        cells(file, "noncentral_chisquare", &rng.noncentral_chisquare(3.5f64, 2.5, n));
        cells(file, "noncentral_chisquare", &rng.noncentral_chisquare(3.5f32, 2.5, [n / 8, 8]));
        cells(file, "noncentral_chisquare_small", &rng.noncentral_chisquare(0.4f64, 0.7, n));
        cells(file, "chisquare", &rng.noncentral_chisquare(3.5f64, 0.0, n));
        cells(file, "noncentral_f", &rng.noncentral_f(5.0f64, 12.0, 3.0, n));
        cells(file, "vonmises", &rng.vonmises(0.0f64, 0.3, n));
        cells(file, "vonmises", &rng.vonmises(0.0f32, 0.3, n));
        cells(file, "vonmises_narrow", &rng.vonmises(0.0f64, 6.0, n));
        // So narrow that it is a normal distribution, to parts in 10^10.
        cells(file, "vonmises_far", &rng.vonmises(0.0f64, 1e10, n));
        counts(file, "zipf", &rng.zipf(2.5, n));
        counts(file, "zipf_steep", &rng.zipf(9.0, n));
        counts(file, "zipf_flat", &rng.zipf(1.2, n).minimum(1_000_000));
        counts(file, "logseries", &rng.logseries(0.4, n));
        counts(file, "logseries_flat", &rng.logseries(0.98, n));
        counts(file, "hypergeometric_few", &rng.hypergeometric(7, 12, 5, n));
        counts(file, "hypergeometric", &rng.hypergeometric(30, 70, 25, n));
        counts(file, "hypergeometric_good", &rng.hypergeometric(70, 30, 25, n));
        counts(file, "hypergeometric_most", &rng.hypergeometric(20, 30, 40, n));
        counts(file, "hypergeometric_huge", &rng.hypergeometric(10_000_000, 990_000_000, 1000, n));
        let kinds = rng.multivariate_hypergeometric(&[45, 30, 0, 25], 35, n);
        counts(file, "multivariate_hypergeometric", &kinds.slice(s![.., 1]));
        assert_eq!(kinds.sum(-1).to_vec().unwrap(), vec![35; n]);
        assert_eq!(kinds.max(0).to_vec().unwrap()[2], 0);
        assert!(kinds.min(..).item().unwrap() >= 0);
    });
}

#[test]
fn angles_lie_around_their_mode_and_within_the_circle() {
    with_file(|file| {
        let rng = &mut Generator::new(5);
        let x = rng.vonmises(3.0f64, 6.0, DRAWS);
        assert!(x.abs().max(..).item().unwrap() <= PI);
        let off = (&x - 3.0 + PI).rem_euclid(2.0 * PI) - PI;
        cells(file, "vonmises_narrow", &off);
        // Without a concentration, and with one that changes nothing, all angles are alike.
        for kappa in [0.0, 1e-300, 1e-10] {
            let turned = rng.vonmises(-2.0f64, kappa, DRAWS) / (2.0 * PI) + 0.5;
            assert!((turned.mean(..).item().unwrap() - 0.5).abs() < 5.0 * 0.29 / 200.0);
            assert!((turned.var(..).item().unwrap() - 1.0 / 12.0).abs() < 2e-3);
        }
        let narrow = rng.vonmises(1.0f64, 1e300, 4).to_vec().unwrap();
        assert_eq!(narrow, [1.0; 4]);
    });
}

#[test]
fn the_ends_of_the_parameters() {
    with_file(|_| {
        let rng = &mut Generator::new(6);
        assert_eq!(rng.zipf(2000.0, 3).to_vec().unwrap(), [1; 3]);
        let heavy = rng.zipf(1.0 + 1e-12, 1000);
        assert!(heavy.min(..).item().unwrap() >= 1);
        // Nearly all logarithms are alike up to that of 2^63.
        let log = heavy.cast::<f64>().ln() / (63.0 * 2f64.ln());
        assert!((log.mean(..).item().unwrap() - 0.5).abs() < 0.05);
        assert_eq!(rng.logseries(0.0, 3).to_vec().unwrap(), [1; 3]);
        assert!(rng.logseries(1.0 - 1e-16, 1000).min(..).item().unwrap() >= 1);
        for (good, bad, drawn, k) in [(0, 9, 4, 0), (9, 0, 4, 4), (5, 7, 12, 5), (5, 7, 0, 0)] {
            assert_eq!(rng.hypergeometric(good, bad, drawn, 2).to_vec().unwrap(), [k; 2]);
        }
        assert_eq!(rng.hypergeometric(0, 0, 0, 1).item().unwrap(), 0);
        // Half of all: the mean is 5e8, the deviation (10^9 / 8)^0.5.
        let half = 500_000_000i64;
        let many = rng.hypergeometric(2 * half, 2 * half, 2 * half, 4000).cast::<f64>();
        let off = (many - half as f64).square().mean(..).item().unwrap();
        assert!((off / 1.25e8 - 1.0).abs() < 0.12, "{off}");
        let far = rng.noncentral_chisquare(2.0f64, 1e300, 1).item().unwrap() / 1e300;
        assert!((far - 1.0).abs() < 1e-9, "{far}");
    });
}

#[test]
fn arrays_of_parameters_and_what_is_none() {
    with_file(|_| {
        let rng = &mut Generator::new(7);
        let odd = DeviceArray::from_slice(&[2.0f64, -1.0, f64::NAN]).unwrap();
        let nan = |x: DeviceArray<f64>| x.is_nan().to_vec().unwrap() == [false, true, true];
        assert!(nan(rng.vonmises(0.5, &odd, 3)) && nan(rng.noncentral_chisquare(&odd, 1.0, 3)));
        assert!(nan(rng.noncentral_chisquare(1.0, &odd, 3)));
        assert!(
            nan(rng.noncentral_f(&odd, 1.0, 1.0, 3)) && nan(rng.noncentral_f(1.0, &odd, 1.0, 3))
        );
        assert!(nan(rng.noncentral_f(1.0, 1.0, &odd, 3)));
        let zipf = rng.zipf(&odd, 3).to_vec().unwrap();
        assert!(zipf[0] >= 1 && zipf[1..] == [-1, -1]);
        let p = DeviceArray::from_slice(&[0.0f64, 1.0, -0.1, f64::NAN]).unwrap();
        assert_eq!(rng.logseries(&p, 4).to_vec().unwrap(), [1, -1, -1, -1]);
        let good = DeviceArray::from_slice(&[3i64, -1, 2_000_000_000, 1]).unwrap();
        assert_eq!(rng.hypergeometric(&good, 0, 3, 4).to_vec().unwrap(), [3, -1, -1, -1]);
        // Parameters that vary along different axes.
        let drawn = DeviceArray::<i64>::arange_to(3).reshape([3, 1]);
        let all = rng.hypergeometric(&good.slice(s![..;3]), 0, &drawn, [3, 2]).to_vec().unwrap();
        assert_eq!(all, [0, 0, 1, 1, 2, -1]);
        assert_eq!(rng.vonmises(0.0f32, 1.0, [2, 0]).shape(), [2, 0]);
        assert_eq!(rng.multivariate_hypergeometric(&[5], 3, [2, 1]).to_vec().unwrap(), [3, 3]);
        assert_eq!(rng.multivariate_hypergeometric(&[5, 1], 6, ()).to_vec().unwrap(), [5, 1]);
    });
}

#[test]
fn each_line_has_an_order_of_its_own() {
    with_file(|_| {
        let rng = &mut Generator::new(8);
        let a = DeviceArray::<i64>::arange_to(4000).reshape([4, 1000]).t();
        let b = rng.permuted(&a, 0);
        assert_eq!(b.shape(), [1000, 4]);
        assert_eq!(b.sort(0), a);
        let first = &b - (&b / 1000) * 1000;
        assert_ne!(first.index_axis(1, 0), first.index_axis(1, 1));
        // All six orders of three are equally frequent.
        let three = DeviceArray::<i64>::arange_to(3).broadcast_to([6000, 3]);
        let orders = rng.permuted(&three, -1);
        let weights = DeviceArray::<i64>::from_slice(&[9, 3, 1]).unwrap();
        let found = (orders * weights).sum(1).bincount(27).unwrap().to_vec().unwrap();
        let seen: Vec<i64> = found.into_iter().filter(|&n| n > 0).collect();
        assert_eq!(seen.len(), 6);
        assert!(seen.iter().all(|n| (n - 1000).abs() < 150), "{seen:?}");
        assert_eq!(rng.permuted(&DeviceArray::<f32>::zeros([3, 0]), 1).shape(), [3, 0]);
        assert!(rng.try_permuted(&a, 2).unwrap_err().is_shape());
        assert!(rng.try_permuted(&DeviceArray::<f32>::zeros(()), 0).unwrap_err().is_shape());
    });
}

#[test]
fn bad_parameters_are_errors_that_name_them() {
    let mut rng = Generator::new(9);
    let a = DeviceArray::<f64>::ones(3);
    let (nan, infinity) = (f64::NAN, f64::INFINITY);
    for (error, word) in [
        (rng.try_vonmises(0.0, -1.0, 3).unwrap_err(), "kappa is -1.0"),
        (rng.try_vonmises(infinity, 1.0, 3).unwrap_err(), "the mode is inf"),
        (rng.try_vonmises(0.0, &a, 2).unwrap_err(), "shape [3] does not broadcast to [2]"),
        (rng.try_zipf(1.0, 3).unwrap_err(), "a is 1.0"),
        (rng.try_zipf(nan, 3).unwrap_err(), "a is NaN"),
        (rng.try_logseries(1.0, 3).unwrap_err(), "p is 1.0"),
        (rng.try_hypergeometric(-1, 1, 0, 3).unwrap_err(), "good ones is -1"),
        (rng.try_hypergeometric(1, 2_000_000_000, 0, 3).unwrap_err(), "bad ones is 2000000000"),
        (rng.try_hypergeometric(1, 1, 3, 3).unwrap_err(), "3 cannot be drawn out of 2"),
        (rng.try_multivariate_hypergeometric(&[2, 1], 4, 3).unwrap_err(), "out of 3"),
        (rng.try_multivariate_hypergeometric(&[2, -1], 0, 3).unwrap_err(), "[2, -1]"),
        (rng.try_multivariate_hypergeometric(&[], 0, 3).unwrap_err(), "[]"),
        (rng.try_multivariate_hypergeometric(&[i64::MAX, 1], 0, 3).unwrap_err(), "in all"),
        (rng.try_noncentral_chisquare(0.0, 1.0, 3).unwrap_err(), "df is 0.0"),
        (rng.try_noncentral_chisquare(1.0, -1.0, 3).unwrap_err(), "nonc is -1.0"),
        (rng.try_noncentral_f(1.0, 0.0, 1.0, 3).unwrap_err(), "the denominator's df is 0.0"),
    ] {
        assert!(error.is_shape(), "{error}");
        assert!(error.to_string().contains(word), "{error}: {word}");
        assert!(error.to_string().contains("rejection.rs:"), "{error}");
    }
    assert_eq!(rng, Generator::new(9));
}

/// An element depends on the generator and its place alone, whatever is computed with it.
#[test]
fn elements_stay_what_they_are() {
    with_file(|_| {
        let draw = || Generator::new(10).vonmises(0.5f64, 2.0, [50, 40]);
        let whole = draw().copy_to_host().unwrap();
        let part = draw().slice(s![7.., ..;3]).copy_to_host().unwrap();
        assert_eq!(part, whole.slice(s![7.., ..;3]).into_dyn());
        let kappa = DeviceArray::<f64>::full([50, 1], 2.0);
        let same = Generator::new(10).vonmises(0.5f64, &kappa, [50, 40]).copy_to_host().unwrap();
        assert_eq!(same, whole);
        let counts = Generator::new(11).hypergeometric(300, 200, 100, 2000);
        assert_eq!(counts.sum(..).item().unwrap(), counts.to_vec().unwrap().iter().sum::<i64>());
    });
}
