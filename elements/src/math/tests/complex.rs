//! Complex functions against mpmath, and NumPy's values at infinities, NaN and zeros.

use crate::math::complex as functions;
use crate::testing::rows;
use num_complex::Complex;

type C = Complex<f64>;

/// Whether two parts are the same special value; a NaN's sign and that of a zero beside a NaN
/// are not specified.
fn same(got: f64, want: f64) -> bool {
    got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan())
}

/// The error in units of 2^-53 of the modulus, and in those of the worse part.
fn errors(got: C, want: C) -> (f64, f64) {
    if same(got.re, want.re) && same(got.im, want.im) {
        return (0.0, 0.0);
    }
    let finite = |z: C| z.re.is_finite() && z.im.is_finite();
    if !finite(want) || !finite(got) {
        let part = |g: f64, w: f64| same(g, w) || (g - w).abs() <= 4e-16 * w.abs();
        let close = part(got.re, want.re) && part(got.im, want.im);
        return if close { (0.0, 0.0) } else { (f64::INFINITY, f64::INFINITY) };
    }
    let size = (want.re.abs() * 0.5).hypot(want.im.abs() * 0.5).max(f64::MIN_POSITIVE);
    let part = |g: f64, w: f64| {
        let sign_lost = w == 0.0 && g == 0.0 && !same(g, w);
        let e = (g * 0.5 - w * 0.5).abs() / (w.abs() * 0.5).max(f64::MIN_POSITIVE);
        if sign_lost { f64::INFINITY } else { e / f64::EPSILON * 2.0 }
    };
    let whole = (got.re * 0.5 - want.re * 0.5).hypot(got.im * 0.5 - want.im * 0.5) / size;
    (whole / f64::EPSILON * 2.0, part(got.re, want.re).max(part(got.im, want.im)))
}

fn check(name: &str, args: usize, whole: f64, parts: f64, f: impl Fn(&[C]) -> C) -> Vec<String> {
    let rows = rows(&format!("complex_{name}"), 2 * args + 2);
    assert!(rows.len() > 20, "{name}: the oracle file is too short");
    let (mut worst, mut bad, mut count) = ([0.0_f64; 2], Vec::new(), 0);
    for row in rows {
        let z: Vec<C> = row.chunks_exact(2).map(|p| C::new(p[0], p[1])).collect();
        let (want, got) = (z[args], f(&z[..args]));
        let (a, b) = errors(got, want);
        if a > whole || b > parts {
            count += 1;
            if bad.len() < 200 {
                bad.push(format!("{name}{:?}: {got} for {want}, {a:.1} {b:.1}", &z[..args]));
            }
        } else {
            worst = [worst[0].max(a), worst[1].max(b)];
        }
    }
    if std::env::var_os("MATH_REPORT").is_some() {
        println!(
            "{name:8} {:8.2} of the modulus {:10.2} of a part, {count} bad",
            worst[0], worst[1]
        );
    }
    bad
}

#[test]
fn complex_functions_are_close_and_special_where_numpys_are() {
    let mut bad = Vec::new();
    macro_rules! unary {
        ($($name:ident <= $whole:literal $parts:literal,)+) => {
            $(bad.extend(check(stringify!($name), 1, $whole, $parts, |z| functions::$name(z[0])));)+
        };
    }
    macro_rules! binary {
        ($($name:ident <= $whole:literal $parts:literal,)+) => {
            $(bad.extend(check(stringify!($name), 2, $whole, $parts, |z| functions::$name(z[0], z[1])));)+
        };
    }
    unary! {
        exp <= 8.0 8.0, sinh <= 8.0 8.0, cosh <= 8.0 8.0, tanh <= 16.0 16.0,
        sin <= 8.0 8.0, cos <= 8.0 8.0, tan <= 16.0 16.0,
        sqrt <= 8.0 8.0, ln <= 8.0 8.0, log2 <= 8.0 8.0, log10 <= 8.0 8.0,
        asin <= 16.0 16.0, acos <= 16.0 16.0, atan <= 16.0 16.0,
        asinh <= 16.0 16.0, acosh <= 16.0 16.0, atanh <= 16.0 16.0,
    }
    binary! { pow <= 128.0 1e9, div <= 8.0 1e9, mul <= 8.0 1e9, }
    assert!(bad.is_empty(), "{} cases: {bad:#?}", bad.len());
}

/// All quotients of zeros, ones, infinities and NaN: the file of `generate_hard.py` has NumPy's.
#[test]
fn quotients_of_special_parts_are_numpys() {
    let bad: Vec<String> = rows("complex_div_special", 6)
        .iter()
        .filter_map(|row| {
            let [a, b, want] = [0, 2, 4].map(|k| C::new(row[k], row[k + 1]));
            let got = functions::div(a, b);
            let right = same(got.re, want.re) && same(got.im, want.im);
            (!right).then(|| format!("{a} / {b}: {got} for {want}"))
        })
        .collect();
    assert!(bad.is_empty(), "{} quotients: {bad:#?}", bad.len());
}

#[test]
fn quotients_of_nearly_subnormal_numbers_keep_their_digits() {
    let tiny = C::new(3e-323, -5e-320);
    assert!((functions::div(tiny, tiny) - 1.0).norm() <= 1e-15);
    let by = |z: C, power: i32| z * 2f64.powi(power / 2) * 2f64.powi(power - power / 2);
    let got = functions::div(by(C::new(1.0, 2.0), -1050), by(C::new(3.0, -1.0), -1000));
    let want = by(C::new(0.1, 0.7), -50);
    assert!((got - want).norm() <= 1e-15 * want.norm(), "{got} for {want}");
}
