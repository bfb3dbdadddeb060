//! Distributions against SciPy's: draws fall into cells of known probability as often as they
//! should, by a chi-square test.

use super::{File, with_file};
use lazuli::prelude::*;
use lazuli::random::Generator;

pub(super) const DRAWS: usize = 40_000;

/// Fails where counts are further from what is expected than chi squared is in one of a million.
fn check(name: &str, found: &[f64], probabilities: &[f64]) {
    assert_eq!(found.len(), probabilities.len());
    let (mut chi, mut cells) = (0.0, 0.0f64);
    let (mut rest, mut rest_expected) = (0.0, 0.0);
    for (&seen, &p) in found.iter().zip(probabilities) {
        let expected = p * DRAWS as f64;
        if expected < 20.0 {
            (rest, rest_expected) = (rest + seen, rest_expected + expected);
            continue;
        }
        chi += (seen - expected) * (seen - expected) / expected;
        cells += 1.0;
    }
    if rest_expected > 5.0 {
        chi += (rest - rest_expected) * (rest - rest_expected) / rest_expected;
        cells += 1.0;
    }
    // The cube root of chi squared is nearly normal (Wilson and Hilferty, 1931).
    let n = cells - 1.0;
    let spread = 2.0 / (9.0 * n);
    let z = ((chi / n).cbrt() - (1.0 - spread)) / spread.sqrt();
    assert!(z < 4.8, "{name}: chi squared {chi} in {cells} cells");
}

/// Holds draws against the bounds of equally probable cells.
pub(super) fn cells<T: Component>(file: &File, name: &str, x: &DeviceArray<T>) {
    let bounds = file.array::<f64>(&format!("cells_{name}"));
    let at = bounds.searchsorted(&x.cast::<f64>(), Side::Right);
    let found = at.flatten().bincount(20).unwrap().cast::<f64>().to_vec().unwrap();
    assert_eq!(x.is_finite().all(..).item().ok(), Some(true), "{name}");
    check(name, &found, &[0.05; 20]);
}

/// Holds counts against their probabilities from 0 on.
pub(super) fn counts(file: &File, name: &str, x: &DeviceArray<i64>) {
    let p = file.array::<f64>(&format!("counts_{name}")).to_vec().unwrap();
    let found = x.bincount(25).unwrap().cast::<f64>().to_vec().unwrap();
    let beyond: f64 = found[25..].iter().sum();
    let all: Vec<f64> = p.iter().copied().chain([1.0 - p.iter().sum::<f64>()]).collect();
    let found: Vec<f64> = found[..25].iter().copied().chain([beyond]).collect();
    check(name, &found, &all);
}

#[test]
fn draws_are_of_their_distributions() {
    with_file(|file| {
        let rng = &mut Generator::new(20251125);
        let n = DRAWS;
        cells(file, "chisquare", &rng.chisquare(3.5f64, n));
        cells(file, "chisquare", &rng.chisquare(3.5f32, [200, n / 200]));
        cells(file, "chisquare_small", &rng.chisquare(0.7f64, n));
        cells(file, "f", &rng.f(5.0f64, 12.0, n));
        cells(file, "standard_t", &rng.standard_t(2.5f64, n));
        cells(file, "standard_cauchy", &rng.standard_cauchy::<f64>(n));
        cells(file, "standard_cauchy", &rng.standard_cauchy::<f32>(n));
        cells(file, "gumbel", &rng.gumbel(1.0f64, 2.0, n));
        cells(file, "laplace", &rng.laplace(-1.0f32, 0.5, n));
        cells(file, "logistic", &rng.logistic(3.0f64, 0.25, n));
        cells(file, "rayleigh", &rng.rayleigh(2.0f64, n));
        cells(file, "weibull", &rng.weibull(1.7f64, n));
        cells(file, "pareto", &rng.pareto(3.0f32, n));
        cells(file, "power", &rng.power(2.5f64, n));
        cells(file, "triangular", &rng.triangular(-1.0f64, 0.0, 4.0, n));
        cells(file, "wald", &rng.wald(2.0f64, 4.0, n));
        let alpha = DeviceArray::<f64>::from_slice(&[0.5, 1.0, 2.5]).unwrap();
        let parts = rng.dirichlet(&alpha, n);
        cells(file, "dirichlet", &parts.slice(s![.., 0]));
        assert!((parts.sum(-1) - 1.0).abs().max(..).item().unwrap() < 1e-14);
        counts(file, "geometric", &rng.geometric(0.3, n));
        counts(file, "negative_binomial", &rng.negative_binomial(3.5, 0.4, n));
        let p = DeviceArray::from_slice(&[0.1, 0.35, 0.25, 0.3]).unwrap();
        let outcomes = rng.multinomial(20, &p, n);
        counts(file, "multinomial", &outcomes.slice(s![.., 1]));
        assert_eq!(outcomes.sum(-1).min(..).item().unwrap(), 20);
    });
}

#[test]
fn parameters_that_are_arrays_and_those_that_are_none() {
    with_file(|_| {
        let rng = &mut Generator::new(1);
        let odd = DeviceArray::from_slice(&[2.0f64, -1.0, f64::NAN]).unwrap();
        let nan = |x: DeviceArray<f64>| x.is_nan().to_vec().unwrap() == [false, true, true];
        assert!(
            nan(rng.chisquare(&odd, 3)) && nan(rng.weibull(&odd, 3)) && nan(rng.pareto(&odd, 3))
        );
        assert!(nan(rng.rayleigh(&odd, 3)) && nan(rng.gumbel(0.0, &odd, 3)));
        assert!(
            nan(rng.wald(&odd, 1.0, 3)) && nan(rng.f(1.0, &odd, 3)) && nan(rng.standard_t(&odd, 3))
        );
        let odd = DeviceArray::from_slice(&[1.0f64, 0.0, 2.0, f64::NAN]).unwrap();
        assert_eq!(rng.geometric(&odd, 4).to_vec().unwrap(), [1, -1, -1, -1]);
        assert_eq!(rng.negative_binomial(1.0, &odd.slice(s![..2]), 2).to_vec().unwrap(), [0, -1]);
        let one = DeviceArray::from_slice(&[1.0f64]).unwrap();
        assert_eq!(rng.multinomial(3, &one, [2, 0]).shape(), [2, 0, 1]);
        assert_eq!(rng.multinomial(3, &one, 2).to_vec().unwrap(), [3, 3]);
        assert_eq!(rng.dirichlet(&one, 0).shape(), [0, 1]);
        let before = rng.clone();
        for error in [
            rng.try_chisquare(0.0f64, 3).err(),
            rng.try_laplace(f64::NAN, 1.0, 3).err(),
            rng.try_triangular(0.0f64, 2.0, 1.0, 3).err(),
            rng.try_geometric(1.5, 3).err(),
            rng.try_weibull(&odd, [2, 3]).err(),
        ] {
            assert!(error.is_some_and(|e| e.is_shape()));
        }
        assert_eq!(*rng, before);
    });
}
