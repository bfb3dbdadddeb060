//! Functions on a GPU against the processor's, which `elements/src/math/tests` hold against an oracle of more
//! digits: within the bounds that their documentation says, at ordinary, tiny, large and special
//! arguments, near integers and near roots.

use crate::support::{Rng, devices};
use lazuli::prelude::*;

type F32 = DeviceArray<f32>;
type F64 = DeviceArray<f64>;

/// A function with what its documentation allows a GPU: units in the last place in `f32` and `f64`,
/// and where arguments are larger than a number the absolute error instead.
struct Row {
    name: &'static str,
    single: fn(&F32) -> F32,
    double: fn(&F64) -> F64,
    /// The processor's own bound in `f64`, which is what a difference may have besides.
    own: f64,
    ulps: [f64; 2],
    beyond: Option<fn(f64) -> [f64; 2]>,
    range: std::ops::Range<f64>,
}

macro_rules! rows {
    ($($name:ident $own:literal $single:literal $double:literal $range:expr $(, $beyond:expr)?;)*) => {
        [$(Row {
            name: stringify!($name),
            single: |x| x.$name(),
            double: |x| x.$name(),
            own: $own,
            ulps: [$single, $double],
            beyond: None$(.or(Some($beyond)))?,
            range: $range,
        }),*]
    };
}

/// Beyond 8 the errors of CUDA's Bessel functions are absolute ones.
fn bessel(x: f64) -> [f64; 2] {
    [2.2e-6, if x < 16.0 { 5e-12 } else { 1e-15 }]
}

fn rows() -> Vec<Row> {
    rows! {
        exp 1.0 2.0 2.0 -90.0..90.0;
        ln 1.0 2.0 2.0 1e-9..1e3;
        log2 1.0 2.0 2.0 1e-9..1e3;
        log10 1.0 3.0 2.0 1e-9..1e3;
        cbrt 1.0 2.0 2.0 -50.0..50.0;
        exp2 1.0 3.0 2.0 -100.0..100.0;
        exp10 1.0 3.0 2.0 -30.0..30.0;
        exp_m1 1.1 2.0 2.0 -3.0..3.0;
        ln_1p 1.0 2.0 2.0 -0.99..10.0;
        sin 1.0 3.0 3.0 -100.0..100.0;
        cos 1.0 3.0 3.0 -100.0..100.0;
        tan 1.0 4.0 2.0 -100.0..100.0;
        asin 1.0 3.0 3.0 -1.0..1.0;
        acos 1.0 3.0 3.0 -1.0..1.0;
        atan 1.0 3.0 3.0 -9.0..9.0;
        sinh 2.0 3.0 2.0 -9.0..9.0;
        cosh 2.0 3.0 2.0 -9.0..9.0;
        tanh 1.0 2.0 2.0 -5.0..5.0;
        asinh 2.0 4.0 3.0 -50.0..50.0;
        acosh 2.0 4.0 3.0 1.0..50.0;
        atanh 2.0 4.0 3.0 -0.99..0.99;
        erf 1.5 3.0 3.0 -4.0..4.0;
        erfc 1.5 4.0 5.0 -4.0..9.0;
        erfinv 1.5 3.0 5.0 -1.0..1.0;
        erfcinv 1.5 4.0 6.0 0.0..2.0;
        gamma 1.5 5.0 10.0 -20.0..34.0;
        lgamma 2.0 6.0 4.0 -20.0..100.0;
        bessel_j0 1.0 9.0 7.0 -30.0..30.0, bessel;
        bessel_j1 1.0 9.0 7.0 -30.0..30.0, bessel;
        bessel_y0 1.0 9.0 7.0 0.0..30.0, bessel;
        bessel_y1 1.0 9.0 7.0 0.0..30.0, bessel;
        bessel_i0 1.0 6.0 6.0 -20.0..20.0;
        bessel_i1 1.0 6.0 6.0 -20.0..20.0;
    }
    .into()
}

/// Arguments: all over the range, of every size, near integers and halves, and the first roots of
/// Bessel functions and of `lgamma`.
fn arguments(range: &std::ops::Range<f64>) -> Vec<f64> {
    const ROOTS: [f64; 16] = [
        2.404825557695773,
        5.520078110286311,
        8.653727912911013,
        3.831705970207512,
        7.015586669815619,
        10.173468135062722,
        0.8935769662791675,
        3.957678419314858,
        7.086051060301773,
        2.197141326031017,
        5.429681040794135,
        -2.4570247382208006,
        -2.7476826467274127,
        -3.14358088834998,
        -3.955294284858598,
        -4.039361839740537,
    ];
    let mut r = Rng(7);
    let mut all = Vec::new();
    let width = range.end - range.start;
    for _ in 0..60_000 {
        let [a, b] = [r.next(), r.next()].map(|n| (n >> 11) as f64 / (1u64 << 53) as f64);
        all.push(range.start + a * width);
        let sign = if r.next() % 2 == 0 { 1.0 } else { -1.0 };
        all.push(sign * 10f64.powf(-30.0 * b));
        let near = 10f64.powf(-1.0 - 12.0 * b) * sign;
        all.push((2.0 * (range.start + a * width)).round() / 2.0 + near);
        all.push(ROOTS[r.next() as usize % ROOTS.len()] + near);
    }
    all.retain(|x| range.contains(x));
    all.extend([0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
    all
}

/// How far a result is from the exact one, in units in the last place of a format.
fn ulps(found: f64, exact: f64, digits: i32, least: i32) -> f64 {
    if found == exact || found.is_nan() && exact.is_nan() {
        return 0.0;
    }
    if !found.is_finite() || !exact.is_finite() {
        return f64::INFINITY;
    }
    let exponent = exact.abs().log2().floor().max(least as f64) as i32;
    (found - exact).abs() / 2f64.powi(exponent - digits + 1)
}

#[test]
fn functions_on_a_gpu_are_within_their_bounds() {
    let Some(gpu) = devices().into_iter().find(|device| device.is_cuda()) else { return };
    let mut wrong = Vec::new();
    for Row { name, single, double, own, ulps: bounds, beyond, range } in rows() {
        let x = arguments(&range);
        let short: Vec<f32> = x.iter().map(|&x| x as f32).collect();
        let wide: Vec<f64> = short.iter().map(|&x| f64::from(x)).collect();
        let on_processor = |x: &[f64]| {
            let compute = || double(&F64::from_slice(x).unwrap()).to_vec().unwrap();
            Device::cpu().scope(compute)
        };
        let (exact, of_short) = (on_processor(&x), on_processor(&wide));
        let (found, found_short) = gpu.scope(|| {
            let doubles = double(&F64::from_slice(&x).unwrap()).to_vec().unwrap();
            (doubles, single(&F32::from_slice(&short).unwrap()).to_vec().unwrap())
        });
        let found_short: Vec<f64> = found_short.into_iter().map(f64::from).collect();
        let kinds = [
            ("f32", &wide, &found_short, &of_short, 24, -126, bounds[0], 0),
            ("f64", &x, &found, &exact, 53, -1022, bounds[1] + own, 1),
        ];
        for (dtype, x, found, exact, digits, least, bound, k) in kinds {
            let (mut worst, mut at) = (0.0, 0.0);
            let mut far = 0.0f64;
            for ((&x, &found), &exact) in x.iter().zip(found).zip(exact) {
                let exact = if dtype == "f32" && exact.abs() > f64::from(f32::MAX) {
                    f64::from(exact as f32)
                } else {
                    exact
                };
                if let Some(beyond) = beyond.filter(|_| x.abs() > 8.0 && x.is_finite()) {
                    far = far.max((found - exact).abs() / beyond(x.abs())[k]);
                    continue;
                }
                let error = ulps(found, exact, digits, least);
                if error > worst {
                    (worst, at) = (error, x);
                }
            }
            let line = format!(
                "{name} {dtype}: {worst:.2} ulp of {bound} at {at:e}; beyond 8 {far:.2} of the bound"
            );
            eprintln!("{line}");
            if worst > bound || far > 1.0 {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "beyond the documented bounds:\n{}", wrong.join("\n"));
}
