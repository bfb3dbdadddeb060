//! Exact and fast division.

use crate::support::{Rng, on_each_device};
use lazuli::prelude::*;
use lazuli::{Arithmetic, with_arithmetic};

/// Numbers of all magnitudes between 2^-60 and 2^60, of either sign.
fn numbers(n: usize, seed: u64) -> Vec<f32> {
    let mut rng = Rng(seed);
    let mut one = || {
        let sign = if rng.one_in(2) { -1.0 } else { 1.0 };
        (sign * rng.within(1.0, 2.0) * 2f64.powf(rng.within(-60.0, 60.0).round())) as f32
    };
    (0..n).map(|_| one()).collect()
}

/// How many units in the last place of the right number lie between the two.
fn units(got: f32, right: f64) -> f64 {
    let right_single = right as f32;
    let unit = f64::from(f32::from_bits(right_single.abs().to_bits() + 1) - right_single.abs());
    (f64::from(got) - right).abs() / unit
}

#[test]
fn fast_quotients_and_roots_are_near_and_exact_ones_the_nearest() {
    on_each_device(|_| {
        let (x, y) = (numbers(100_000, 1), numbers(100_000, 2));
        let (a, b) = (DeviceArray::from_slice(&x).unwrap(), DeviceArray::from_slice(&y).unwrap());
        let all = || {
            let results = [&a / &b, b.reciprocal(), a.abs().sqrt()];
            results.map(|r| r.to_vec().unwrap())
        };
        let worst = |results: &[Vec<f32>; 3]| {
            let mut worst = [0.0f64; 3];
            for k in 0..x.len() {
                let (x, y) = (f64::from(x[k]), f64::from(y[k]));
                for (w, (r, right)) in
                    worst.iter_mut().zip(results.iter().zip([x / y, 1.0 / y, x.abs().sqrt()]))
                {
                    *w = w.max(units(r[k], right));
                }
            }
            worst
        };
        let exact = all();
        assert!(worst(&exact).iter().all(|&w| w <= 0.5), "{:?}", worst(&exact));
        let fast = worst(&with_arithmetic(Arithmetic::Fast, all));
        eprintln!("off by {fast:?} units");
        // The bounds count from the nearest number, which may be half a unit off itself.
        assert!(fast[0] <= 2.5 && fast[1] <= 1.5 && fast[2] <= 1.5, "{fast:?}");
        // The setting ends with the function, and the plans of the two are kept apart.
        assert_eq!(all(), exact);
    });
}

#[test]
fn fast_arithmetic_may_take_subnormals_for_zero_and_leaves_doubles_alone() {
    on_each_device(|_| {
        let tiny = DeviceArray::from_slice(&[1e-40f32, -1e-40, 1.0]).unwrap();
        let half = || (&tiny * 0.5 / 1.0).to_vec().unwrap();
        assert_eq!(half(), [5e-41, -5e-41, 0.5]);
        let fast = with_arithmetic(Arithmetic::Fast, half);
        assert!(fast[0] == 0.0 || fast[0] == 5e-41, "{fast:?}");
        assert_eq!(fast[2], 0.5);
        let d = DeviceArray::<f64>::linspace(0.1, 7.0, 1001);
        let thirds = || (d.sqrt() / 3.0).to_vec().unwrap();
        assert_eq!(with_arithmetic(Arithmetic::Fast, thirds), thirds());
        let special = DeviceArray::from_slice(&[0.0f32, -0.0, f32::INFINITY, f32::NAN]).unwrap();
        let turned = with_arithmetic(Arithmetic::Fast, || (1.0 / &special).to_vec().unwrap());
        assert_eq!(turned[..3], [f32::INFINITY, f32::NEG_INFINITY, 0.0]);
        assert!(turned[3].is_nan());
    });
}

#[test]
fn a_compiled_function_has_the_arithmetic_of_each_call() {
    on_each_device(|_| {
        let (x, y) = (numbers(10_000, 3), numbers(10_000, 4));
        let (a, b) = (DeviceArray::from_slice(&x).unwrap(), DeviceArray::from_slice(&y).unwrap());
        let both = (a, b);
        let divide = |(a, b): &(DeviceArray<f32>, DeviceArray<f32>)| a / b;
        let (f, g) = (lazuli::compile(divide), lazuli::compile(divide));
        let exactly = |f: &dyn Fn() -> DeviceArray<f32>| f().to_vec().unwrap();
        let fastly = |f: &dyn Fn() -> DeviceArray<f32>| {
            with_arithmetic(Arithmetic::Fast, f).to_vec().unwrap()
        };
        let (of_f, of_g) = (|| f.call(&both).unwrap(), || g.call(&both).unwrap());
        // One is recorded exactly first, the other fast.
        let (exact, fast) = (exactly(&of_f), fastly(&of_g));
        assert_eq!((fastly(&of_f), exactly(&of_g)), (fast.clone(), exact.clone()));
        assert_eq!((exactly(&of_f), fastly(&of_g)), (exact, fast));
        assert_eq!((f.signatures(), g.signatures()), (2, 2));
    });
}

#[guvectorize("(n),(n)->(n)")]
fn ratios(
    x: ndarray::ArrayView1<f32>,
    y: ndarray::ArrayView1<f32>,
    mut out: ndarray::ArrayViewMut1<f32>,
) {
    for i in 0..x.len() {
        out[i] = x[i] / y[i];
    }
}

#[vectorize]
fn ratio(x: f32, y: f32) -> f32 {
    x / y
}

/// Users' functions divide like operations, whether they are recorded as loops or called.
#[test]
fn what_users_divide_follows_the_setting() {
    on_each_device(|_| {
        let (x, y) = (numbers(10_000, 5), numbers(10_000, 6));
        let (a, b) = (DeviceArray::from_slice(&x).unwrap(), DeviceArray::from_slice(&y).unwrap());
        let quotient = || (&a / &b).to_vec().unwrap();
        for found in [|a: &_, b: &_| ratios::call(a, b), |a: &_, b: &_| ratio::call(a, b)] {
            let found = || found(&a, &b).to_vec().unwrap();
            assert_eq!(found(), quotient());
            assert_eq!(
                with_arithmetic(Arithmetic::Fast, found),
                with_arithmetic(Arithmetic::Fast, quotient)
            );
        }
        let right: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x / y).collect();
        assert_eq!(quotient(), right);
    });
}

#[test]
fn complex_functions_near_their_poles_and_cuts() {
    on_each_device(|device| {
        let z = |re: f64, im: f64| Complex::new(re, im);
        let one = |z: Complex<f64>| DeviceArray::from_slice(&[z]).unwrap();
        // Values by mpmath.
        let near = one(z(1e-160, 1.0)).atan().item().unwrap();
        assert!(
            (near - z(std::f64::consts::FRAC_PI_4, 184.55338102980363)).norm() < 1e-11,
            "{near}"
        );
        let near = one(z(1.0, -1e-160)).atanh().item().unwrap();
        assert!(
            (near - z(184.55338102980363, -std::f64::consts::FRAC_PI_4)).norm() < 1e-11,
            "{near}"
        );
        let single = DeviceArray::from_slice(&[Complex::new(1.0f32, 1e-25)]).unwrap().atanh();
        let single = single.item().unwrap();
        assert!(
            (single.re - 29.128_887).abs() < 1e-4
                && (single.im - std::f32::consts::FRAC_PI_4).abs() < 1e-5
        );

        // A reciprocal keeps the sign of a zero, and so the side of a cut.
        let below = one(z(-1.0, -0.0)).reciprocal();
        let (r, root) = (below.item().unwrap(), below.sqrt().item().unwrap());
        assert!((r.re, r.im) == (-1.0, 0.0) && r.im.is_sign_positive(), "{r}");
        assert!(root == z(0.0, 1.0), "{root}");
        for w in [z(3.0, -4.0), z(-0.5, 2.0), z(0.0, 2.0), z(1e-200, 1e-200), z(1e200, -3e200)] {
            let r = one(w).reciprocal().item().unwrap();
            assert!((r * w - 1.0).norm() < 1e-15, "{w}: {r}");
        }
        if device == Device::cpu() {
            for w in [z(0.8e308, -1.2e308), z(-3e-305, 1e-306)] {
                let r = one(w).reciprocal().item().unwrap();
                let want = w.conj() / 4.0 / (w / 4.0).norm() / w.norm();
                assert!((r - want).norm() <= want.norm() * 1e-14, "{w}: {r} for {want}");
            }
            // (1 + 1e-8 i)^1e8, whose modulus is e^(0.5e-8).
            let power = one(z(1.0, 1e-8)).power(z(1e8, 0.0)).item().unwrap();
            let want = z(0.5403023085696516, 0.8414709890152504);
            assert!((power - want).norm() < 2e-15, "{power}");
        }
    });
}

#[test]
fn logits_keep_their_digits_around_one_half() {
    on_each_device(|_| {
        let p = [0.5, 0.49917, 0.5000001, 0.31, 0.69, 0.25, 1e-300, 1.0 - 1e-12, 0.0, 1.0];
        let found = DeviceArray::from_slice(&p).unwrap().logit().to_vec().unwrap();
        // ln p - ln(1 - p) with fifty digits (mpmath).
        let want = [
            0.0,
            -0.003320003049535698,
            3.99999999789463e-07,
            -0.8001193001121132,
            0.8001193001121129,
            -1.0986122886681098,
            -690.7755278982137,
            27.63104323789236,
            f64::NEG_INFINITY,
            f64::INFINITY,
        ];
        for ((p, found), want) in p.iter().zip(found).zip(want) {
            assert!(found == want || (found / want - 1.0).abs() < 1e-15, "{p}: {found} for {want}");
        }
        let halves = [0.4998f32, 0.5005, 0.3, 0.9].map(f16::from_f32);
        let found = DeviceArray::from_slice(&halves).unwrap().logit().to_vec().unwrap();
        for (p, found) in halves.iter().zip(found) {
            let p = p.to_f64();
            assert_eq!(found, f16::from_f64((p / (1.0 - p)).ln()), "{p}");
        }
    });
}
