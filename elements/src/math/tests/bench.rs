//! Times the hot functions in the loop of the processor backend: `cargo test --release --lib
//! math::tests::bench -- --ignored --nocapture`.

#![cfg(target_arch = "x86_64")]

use crate::math::Math;
use std::hint::black_box;
use std::time::Instant;

/// The least time of many runs, in nanoseconds an element.
fn time(n: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..60 {
        let start = Instant::now();
        for _ in 0..4 {
            run();
        }
        best = best.min(start.elapsed().as_secs_f64() / 4.0);
    }
    best * 1e9 / n as f64
}

macro_rules! kernels {
    ($feature:literal, $module:ident: $($name:ident($($arg:ident),+),)+) => {
        mod $module {
            use super::Math;
            $(
                /// One pass over the tile.
                #[target_feature(enable = $feature)]
                pub(super) fn $name<T: Math>($($arg: &[[T; 16]],)+ out: &mut [[T; 16]]) {
                    let mut chunks = out.iter_mut();
                    $(let mut $arg = $arg.iter();)+
                    while let Some(o) = chunks.next() {
                        $(let $arg = $arg.next().expect("as long as the output");)+
                        for i in 0..16 {
                            o[i] = Math::$name($($arg[i]),+);
                        }
                    }
                }
            )+
        }
    };
}

macro_rules! all {
    ($macro:ident, $feature:literal, $module:ident) => {
        $macro! { $feature, $module:
            exp(a), exp2(a), exp_m1(a), ln(a), log2(a), log10(a), ln_1p(a), sin(a), cos(a), tan(a),
            asin(a), acos(a), atan(a), sinh(a), cosh(a), tanh(a), asinh(a), acosh(a), atanh(a),
            cbrt(a), sqrt(a), erf(a), erfc(a), sinc(a), round(a), rint(a), sign(a), nextafter(a, b),
            pow(a, b), atan2(a, b), hypot(a, b), logaddexp(a, b), fmod_fast(a, b), remainder_fast(a, b),
            floor_divide_fast(a, b), fmod(a, b), maximum(a, b), fmax(a, b),
        }
    };
}

macro_rules! report {
    ($feature:literal, $module:ident: $($name:ident($($arg:ident),+),)+) => {{
        let a64: Vec<[f64; 16]> = (0..256).map(|i| std::array::from_fn(|j| 0.01 + (i * 16 + j) as f64 * 2e-4)).collect();
        let a32: Vec<[f32; 16]> = a64.iter().map(|c| c.map(|x| x as f32)).collect();
        let mut o64 = a64.clone();
        let mut o32 = a32.clone();
        $(
            // SAFETY: the caller has checked that the processor has these features.
            let (d, s) = unsafe {(
                time(4096, || { $(let $arg = black_box(&a64[..]);)+ $module::$name($($arg,)+ black_box(&mut o64)) }),
                time(4096, || { $(let $arg = black_box(&a32[..]);)+ $module::$name($($arg,)+ black_box(&mut o32)) }),
            )};
            println!("{:18} {:8} f64 {d:7.3} ns  f32 {s:7.3} ns", stringify!($name), stringify!($module));
        )+
    }};
}

all! { kernels, "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma", avx512 }
all! { kernels, "avx2,fma", avx2 }

#[test]
#[ignore = "a measurement, not a check"]
fn times() {
    if is_x86_feature_detected!("avx512dq") {
        all! { report, "", avx512 }
    }
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        all! { report, "", avx2 }
    }
}
