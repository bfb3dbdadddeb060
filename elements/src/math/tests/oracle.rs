//! The oracle files, and the error of every function against them.

use crate::math::Math;
use crate::testing::rows;

/// The distance in units of the last place of `want`; zero for equal bits (any NaN equals any).
fn ulps64(got: f64, want: f64) -> f64 {
    if got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()) {
        return 0.0;
    }
    if want == 0.0 || !want.is_finite() || !got.is_finite() {
        return f64::INFINITY;
    }
    let order = |x: f64| {
        let b = x.to_bits() as i64;
        if b < 0 { i64::MIN - b } else { b }
    };
    (i128::from(order(got)) - i128::from(order(want))).abs() as f64
}

/// The error of a single-precision result against a double-precision value, in its own ulps.
fn ulps32(got: f32, want: f64) -> f64 {
    let nearest = want as f32;
    if got.to_bits() == nearest.to_bits() || (got.is_nan() && want.is_nan()) {
        return 0.0;
    }
    if !nearest.is_finite() || !got.is_finite() || nearest == 0.0 {
        // One step at the edge of the range is an error of one ulp, anything else is wrong.
        let edge = (got.to_bits() as i64 - nearest.to_bits() as i64).abs() <= 1;
        return if edge { 1.0 } else { f64::INFINITY };
    }
    let ulp = f64::from(f32::from_bits((nearest.abs().to_bits() & 0x7f80_0000).max(1 << 23)))
        * f64::from(f32::EPSILON);
    (f64::from(got) - want).abs() / ulp
}

/// The worst error of one function over its file, with the arguments it occurs at.
fn worst(name: &str, arity: usize, error: impl Fn(&[f64]) -> f64) -> (f64, Vec<f64>) {
    let rows = rows(name, arity + 1);
    assert!(rows.len() > 20, "{name}: the oracle file is too short");
    let mut top = (0.0, Vec::new());
    for row in rows {
        let e = error(&row);
        if e > top.0 {
            top = (e, row);
        }
    }
    top
}

/// Checks functions of one and two arguments against a bound in ulps, all before failing.
macro_rules! check {
    ($ulps:ident, $t:ident; $($rows:tt)+) => { check!(@from "", $ulps, $t; $($rows)+) };
    (@from $kind:literal, $ulps:ident, $t:ident; $($name:ident($($i:literal),+) <= $bound:expr,)+) => {{
        let mut failures = Vec::new();
        $(
            let arity = [$($i),+].len();
            let (e, at) = worst(concat!(stringify!($name), $kind), arity, |row| {
                // The argument must be the number that the value belongs to.
                if [$(row[$i] as $t as f64 != row[$i] && !row[$i].is_nan()),+].contains(&true) {
                    return 0.0;
                }
                $ulps(<$t as Math>::$name($(row[$i] as $t),+), row[arity])
            });
            if std::env::var_os("MATH_REPORT").is_some() {
                println!("{:14} {e:8.3} at {at:?}", stringify!($name));
            }
            if e > $bound {
                failures.push(format!("{}: {e} ulp at {at:?}", stringify!($name)));
            }
        )+
        assert!(failures.is_empty(), "{failures:#?}");
    }};
}

#[test]
fn double_precision_is_within_its_bounds() {
    check! { ulps64, f64;
        exp(0) <= 1.0, exp2(0) <= 1.0, exp10(0) <= 2.0, exp_m1(0) <= 1.0,
        ln(0) <= 1.0, log2(0) <= 1.0, log10(0) <= 1.0, ln_1p(0) <= 2.0,
        sin_full(0) <= 2.0, cos_full(0) <= 2.0, tan_full(0) <= 1.0,
        sinc(0) <= 4.0, asin(0) <= 2.0, acos(0) <= 2.0, atan(0) <= 2.0,
        sinh(0) <= 2.0, cosh(0) <= 2.0, tanh(0) <= 1.0,
        asinh(0) <= 4.0, acosh(0) <= 4.0, atanh(0) <= 4.0,
        cbrt(0) <= 1.0, erf(0) <= 2.0, erfc(0) <= 2.0,
        pow(0, 1) <= 2.0, atan2(0, 1) <= 2.0, hypot(0, 1) <= 1.0,
        logaddexp(0, 1) <= 5.0, logaddexp2(0, 1) <= 5.0,
    }
}

#[test]
fn special_functions_are_close() {
    check! { ulps64, f64;
        erfinv(0) <= 2.0, gamma(0) <= 2.0, lgamma(0) <= 2.0, bessel_j0(0) <= 4.0, bessel_j1(0) <= 4.0,
        bessel_y0(0) <= 4.0, bessel_y1(0) <= 4.0, bessel_i0(0) <= 4.0, bessel_i1(0) <= 4.0,
    }
}

/// The files of `generate_hard.py`: near roots, near results of zero, at the ends of the range, and
/// densely where the errors are largest.
#[test]
fn hard_arguments_are_within_the_bounds_too() {
    check! { @from "_hard", ulps64, f64;
        exp_m1(0) <= 1.0, sinh(0) <= 2.0, tanh(0) <= 1.0, tan_full(0) <= 1.0, erfc(0) <= 2.0,
        erfinv(0) <= 2.0, erfcinv(0) <= 2.0, gamma(0) <= 2.0, lgamma(0) <= 2.0,
        logaddexp(0, 1) <= 5.0, logaddexp2(0, 1) <= 5.0,
    }
}

#[test]
fn sums_of_exponentials_that_vanish_keep_their_digits() {
    // Of 40 digits (mpmath).
    for (x, y, want) in [
        (-0.6931, -0.6931, 4.718055994526003e-5),
        (-0.6931471805599453, -0.6931471805599453, 2.3190468138462996e-17),
    ] {
        assert!(ulps64(<f64 as Math>::logaddexp(x, y), want) <= 1.0, "{x} {y}");
    }
    assert_eq!(<f64 as Math>::logaddexp2(-1.0, -1.0), 0.0);
    assert_eq!(<f64 as Math>::logaddexp(f64::NEG_INFINITY, -0.0), 0.0);
}

#[test]
fn zeros_keep_their_signs() {
    for x in [0.0f64, -0.0] {
        let odd = [Math::erfinv(x), Math::tanh(x), Math::sinh(x), Math::exp_m1(x), Math::tan(x)];
        assert!(odd.iter().all(|y| y.to_bits() == x.to_bits()), "{x}: {odd:?}");
        let x = x as f32;
        let odd = [Math::erfinv(x), Math::tanh(x), Math::sinh(x), Math::exp_m1(x), Math::tan(x)];
        assert!(odd.iter().all(|y| y.to_bits() == x.to_bits()), "{x}: {odd:?}");
    }
}

#[test]
fn the_inverse_of_erfc_keeps_its_digits_in_the_tail() {
    // By Newton's method with fifty digits (mpmath).
    let values = [
        (1e-320, 27.073153719853043),
        (1e-308, 26.558309310079643),
        (1e-250, 23.914400580302193),
        (1e-200, 21.37478304902626),
        (1e-100, 15.065574702592645),
        (1e-30, 8.148616223169865),
        (1e-17, 6.062693998163568),
        (1.2e-11, 4.794333596814754),
        (1e-5, 3.123413274340875),
        (0.149, 1.0204064737926706),
        (0.151, 1.0154111558190086),
        (0.25, 0.8134198475976185),
        (0.5, 0.4769362762044699),
        (0.999, 0.0008862271574665529),
        (1.25, -0.22531205501217808),
        (1.0, 0.0),
    ];
    for (x, want) in values {
        let error = ulps64(<f64 as Math>::erfcinv(x), want);
        assert!(error <= 2.0, "{x}: {error}");
        // A single's argument is another number where it was rounded.
        if f64::from(x as f32) == x {
            let error = ulps32(<f32 as Math>::erfcinv(x as f32), want);
            assert!(error <= 2.0, "{x}: {error}");
        }
    }
}

#[test]
fn inverses_of_the_error_functions_invert_them() {
    for k in 0..=4000 {
        let y = f64::from(k - 2000) / 400.0;
        // What erf y says of y, and what erfc y says of it: an ulp of theirs by the slope.
        let slope = std::f64::consts::FRAC_2_SQRT_PI * Math::exp(-y * y);
        let (p, q) = (Math::erf(y), Math::erfc(y));
        let bound = |by: f64| 8.0 * f64::EPSILON * (by / slope + y.abs());
        assert!((<f64 as Math>::erfinv(p) - y).abs() <= bound(p.abs()), "{y}");
        assert!((<f64 as Math>::erfcinv(q) - y).abs() <= bound(q), "{y}");
        let bound = |by: f32| {
            let eps = f32::EPSILON;
            8.0 * f64::from(eps) * (f64::from(by) / slope + y.abs())
        };
        let (p, q) = (p as f32, q as f32);
        let found = f64::from(<f32 as Math>::erfinv(p));
        // What rounds to the end of the range has no inverse but infinity.
        assert!(
            (found - y).abs() <= bound(p.abs()) || found.is_infinite() && p.abs() == 1.0,
            "{y}"
        );
        let found = f64::from(<f32 as Math>::erfcinv(q));
        assert!((found - y).abs() <= bound(q) || found.is_infinite() && q == 2.0, "{y}");
    }
}

#[test]
fn angles_of_subnormal_points_are_those_of_their_multiples() {
    for (y, x) in (0..40u32).flat_map(|y| (0..40u32).map(move |x| (y, x))) {
        for (s, t) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)] {
            let want = (s * f64::from(y)).atan2(t * f64::from(x));
            let (y64, x64) = (s * f64::from_bits(y.into()), t * f64::from_bits(x.into()));
            assert!(ulps64(<f64 as Math>::atan2(y64, x64), want) <= 2.0, "{y64:e} {x64:e}");
            let (y32, x32) = (s as f32 * f32::from_bits(y), t as f32 * f32::from_bits(x));
            assert!(ulps32(<f32 as Math>::atan2(y32, x32), want) <= 2.0, "{y32:e} {x32:e}");
        }
    }
}

#[test]
fn exact_functions_are_numpys() {
    check! { ulps64, f64;
        fmod(0, 1) <= 0.0, remainder(0, 1) <= 0.0, floor_divide(0, 1) <= 0.0,
        nextafter(0, 1) <= 0.0, copysign(0, 1) <= 0.0, heaviside(0, 1) <= 0.0,
        minimum(0, 1) <= 0.0, maximum(0, 1) <= 0.0, fmin(0, 1) <= 0.0, fmax(0, 1) <= 0.0,
        rint(0) <= 0.0, trunc(0) <= 0.0, floor(0) <= 0.0, ceil(0) <= 0.0, sign(0) <= 0.0,
        degrees(0) <= 1.0, radians(0) <= 1.0, frexp_mantissa(0) <= 0.0,
    }
}

#[test]
fn exponents_and_scaling_are_numpys() {
    for row in rows("frexp_exponent", 2) {
        assert_eq!(f64::from(<f64 as Math>::frexp_exponent(row[0])), row[1], "{row:?}");
    }
    for row in rows("ldexp", 3) {
        let got = <f64 as Math>::ldexp(row[0], row[1] as i32);
        assert_eq!(ulps64(got, row[2]), 0.0, "{row:?} {got}");
    }
}

#[test]
fn single_precision_keeps_the_special_cases() {
    check! { ulps32, f32;
        exp(0) <= 1.0, exp2(0) <= 1.0, exp10(0) <= 1.0, exp_m1(0) <= 1.0, ln(0) <= 1.0,
        log2(0) <= 1.0, log10(0) <= 1.0, ln_1p(0) <= 1.0, sin_full(0) <= 1.5,
        cos_full(0) <= 1.5, tan_full(0) <= 2.0, asin(0) <= 1.0, acos(0) <= 1.0,
        atan(0) <= 1.0, sinh(0) <= 1.0, cosh(0) <= 1.0, tanh(0) <= 1.0, asinh(0) <= 1.0,
        acosh(0) <= 1.0, atanh(0) <= 1.0, cbrt(0) <= 1.0, erf(0) <= 1.0, erfc(0) <= 1.0,
        pow(0, 1) <= 1.0, atan2(0, 1) <= 1.0, hypot(0, 1) <= 1.0, fmod(0, 1) <= 0.0,
        remainder(0, 1) <= 0.0, copysign(0, 1) <= 0.0, heaviside(0, 1) <= 0.0,
        rint(0) <= 0.0, trunc(0) <= 0.0, floor(0) <= 0.0, ceil(0) <= 0.0, sign(0) <= 0.0,
    }
}

/// Every 997th single-precision number, through the double-precision function as the oracle.
#[test]
fn single_precision_is_within_its_bounds() {
    macro_rules! sweep {
        ($($name:ident <= $bound:expr,)+) => {$(
            let mut top = (0.0, 0.0f32);
            let (all, small) = (0..=u32::MAX, 0x3d00_0000..0x4000_0000);
            let small = small.step_by(2003).flat_map(|bits| [bits, bits | 1 << 31]);
            for bits in all.step_by(99_991).chain(small) {
                let x = f32::from_bits(bits);
                let e = ulps32(<f32 as Math>::$name(x), <f64 as Math>::$name(f64::from(x)));
                if e > top.0 {
                    top = (e, x);
                }
            }
            if std::env::var_os("MATH_REPORT").is_some() {
                println!("{:14} {top:?}", stringify!($name));
            }
            assert!(top.0 <= $bound, "{}: {top:?}", stringify!($name));
        )+};
    }
    sweep! {
        exp <= 1.0, exp2 <= 1.0, exp10 <= 1.0, exp_m1 <= 2.0, ln <= 1.0, log2 <= 1.0,
        log10 <= 1.0, ln_1p <= 2.0, sin_full <= 1.5, cos_full <= 1.5, tan_full <= 1.0, asin <= 2.0,
        acos <= 2.0, atan <= 2.0, sinh <= 2.0, cosh <= 2.0, tanh <= 1.0, asinh <= 1.0,
        acosh <= 1.0, atanh <= 1.0, cbrt <= 1.0, erf <= 2.0, erfc <= 1.0, erfinv <= 2.0,
        erfcinv <= 2.0, gamma <= 1.0, lgamma <= 1.0,
    }
}

/// Pseudo-random pairs of any bits, and pairs near 1 with large exponents.
#[test]
fn single_precision_of_two_arguments_is_within_its_bounds() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 32) as u32
    };
    let mut top = [(0.0, 0.0, 0.0); 3];
    for i in 0..60_000 {
        let (x, y) = match i % 3 {
            0 => (f32::from_bits(next()), f32::from_bits(next())),
            1 => (next() as f32 / 1e9, next() as f32 / 2e8 - 10.0),
            _ => (1.0 + next() as f32 * 1e-12, next() as f32 / 4e4 - 5e4),
        };
        let (wx, wy) = (f64::from(x), f64::from(y));
        let errors = [
            ulps32(<f32 as Math>::pow(x, y), <f64 as Math>::pow(wx, wy)),
            ulps32(<f32 as Math>::atan2(x, y), <f64 as Math>::atan2(wx, wy)),
            ulps32(<f32 as Math>::hypot(x, y), <f64 as Math>::hypot(wx, wy)),
        ];
        for (top, e) in top.iter_mut().zip(errors) {
            if e > top.0 {
                *top = (e, x, y);
            }
        }
    }
    if std::env::var_os("MATH_REPORT").is_some() {
        println!("pow, atan2, hypot {top:?}");
    }
    assert!(top[0].0 <= 1.0 && top[1].0 <= 2.0 && top[2].0 <= 1.0, "{top:?}");
}

#[test]
fn fast_remainders_agree_with_the_library() {
    for name in ["fmod", "remainder"] {
        for row in rows(name, 3) {
            let (x, y) = (row[0], row[1]);
            if <f64 as Math>::fmod_rare(x, y) {
                continue;
            }
            let got = (<f64 as Math>::fmod_fast(x, y), <f64 as Math>::remainder_fast(x, y));
            assert_eq!(ulps64(got.0, <f64 as Math>::fmod(x, y)), 0.0, "{x} {y}");
            assert_eq!(ulps64(got.1, <f64 as Math>::remainder(x, y)), 0.0, "{x} {y}");
            let quotient = <f64 as Math>::floor_divide_fast(x, y);
            assert_eq!(ulps64(quotient, <f64 as Math>::floor_divide(x, y)), 0.0, "{x} {y}");
            let euclid =
                (<f64 as Math>::div_euclid_fast(x, y), <f64 as Math>::rem_euclid_fast(x, y));
            assert_eq!(ulps64(euclid.0, x.div_euclid(y)), 0.0, "{x} {y}");
            assert_eq!(ulps64(euclid.1, x.rem_euclid(y)), 0.0, "{x} {y}");
        }
    }
}
