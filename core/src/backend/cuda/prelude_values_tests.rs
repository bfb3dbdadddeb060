//! The functions of the prelude that are no library's, held against the oracle's files.

use super::super::compile::{Arch, CompileOptions, compile_to_cubin, nvrtc_is_here};
use super::super::emulator;
use super::with_prelude;
use lazuli_elements::testing::rows;

/// The results of an expression over the columns `a`, `b`, `c` and `d` of a file, in `f64` and `f32`.
fn compute(expression: [&str; 2], rows: &[Vec<f64>]) -> Option<[Vec<[f64; 2]>; 2]> {
    let body = format!(
        "struct Args {{ lz_u64 n; lz_u64 width; const double* x; double* twice; double* single; }};
        LZ_FN void put(double* to, double x) {{ to[0] = x; }}
        LZ_FN void put(double* to, float x) {{ to[0] = x; }}
        LZ_FN void put(double* to, lz_c128 x) {{ to[0] = x.re; to[1] = x.im; }}
        extern \"C\" __global__ void all(Args p) {{
            for (lz_u64 i = 0; i < p.n; ++i) {{
                const double* x = p.x + i * p.width;
                {{
                    const double a = x[0], b = x[1], c = p.width > 4 ? x[2] : 0.0, d = p.width > 4 ? x[3] : 0.0;
                    put(p.twice + 2 * i, {});
                }}
                {{
                    const float a = x[0], b = x[1];
                    put(p.single + 2 * i, {});
                }}
            }}
        }}\n",
        expression[0], expression[1]
    );
    let source = with_prelude(&body);
    if nvrtc_is_here() {
        compile_to_cubin(&source, Arch::new(9, 0), &CompileOptions::default()).unwrap();
    }
    if !emulator::available() {
        return None;
    }
    let flat: Vec<f64> = rows.concat();
    let mut results = [vec![[0.0; 2]; rows.len()], vec![[0.0; 2]; rows.len()]];
    let [twice, single] = &mut results;
    let words = [
        rows.len() as u64,
        rows[0].len() as u64,
        flat.as_ptr() as u64,
        twice.as_mut_ptr() as u64,
        single.as_mut_ptr() as u64,
    ];
    let mut args: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    emulator::run(&source, "all", [1; 3], [1; 3], 0, &mut args).unwrap();
    Some(results)
}

/// The error in units of the last place of a value, or more of them where it is a small float.
fn ulps(got: f64, want: f64, digits: i32) -> f64 {
    if got == want || got.is_nan() && want.is_nan() {
        return 0.0;
    }
    if !got.is_finite() || !want.is_finite() {
        return f64::INFINITY;
    }
    let exponent = want.abs().log2().floor().max(if digits == 24 { -126.0 } else { -1022.0 });
    (got - want).abs() / (exponent - f64::from(digits - 1)).exp2()
}

fn check(file: &str, width: usize, names: [&str; 2], keep: impl Fn(f64) -> bool, bound: f64) {
    let rows: Vec<Vec<f64>> = rows(file, width).into_iter().filter(|row| keep(row[0])).collect();
    assert!(rows.len() > 100, "{file}");
    let Some([twice, single]) = compute(names, &rows) else { return };
    for (k, row) in rows.iter().enumerate() {
        let want = row[width - 1];
        let off = ulps(twice[k][0], want, 53);
        // What is nearly zero is off by what pairs of numbers have no digits for.
        let none = (twice[k][0] - want).abs() <= 1e-32;
        assert!(off <= bound || none, "{} of {row:?}: {}, {off} ulp", names[0], twice[k][0]);
        // A float's argument is another number where it was rounded.
        if row[..width - 1].iter().all(|&x| f64::from(x as f32) == x) {
            let off = ulps(single[k][0], want, 24);
            assert!(off <= 2.0, "{} of {row:?}: {}, {off} ulp", names[1], single[k][0]);
        }
    }
}

/// From -24 to -2.25, where the prelude has its own function.
#[test]
fn lgamma_is_right_near_its_negative_roots() {
    let own = |x: f64| x > -24.0 && x < -2.25;
    check("lgamma_hard", 2, ["lz_lgamma(a)", "lz_lgamma(a)"], own, 4.0);
    // The floats nearest to roots, by the double's function.
    let roots = rows("lgamma_hard", 2);
    let near = roots.iter().map(|row| f64::from(row[0] as f32)).filter(|x| *x > -11.0 && *x < -2.3);
    let near: Vec<Vec<f64>> = near.filter(|x| x.fract() != 0.0).map(|x| vec![x, 0.0]).collect();
    let Some([twice, single]) = compute(["lz_lgamma(a)", "lz_lgamma(a)"], &near) else { return };
    for ((row, twice), single) in near.iter().zip(twice).zip(single) {
        let want = crate::math::Math::lgamma(row[0]);
        assert!(ulps(twice[0], want, 53) <= 4.0, "{row:?}: {twice:?} for {want}");
        assert!(ulps(single[0], want, 24) <= 0.51, "{row:?}: {single:?} for {want}");
    }
}

#[test]
fn sums_of_exponentials_keep_their_digits_near_zero() {
    for (file, name) in
        [("logaddexp_hard", "lz_logaddexp(a, b)"), ("logaddexp2_hard", "lz_logaddexp2(a, b)")]
    {
        check(file, 3, [name; 2], |_| true, 6.0);
    }
}

#[test]
fn quotients_of_special_parts_are_numpys() {
    let rows = rows("complex_div_special", 6);
    let names = ["lz_divide(lz_c128{a, b}, lz_c128{c, d})", "a"];
    let Some([twice, _]) = compute(names, &rows) else { return };
    let same =
        |got: f64, want: f64| got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
    for (row, got) in rows.iter().zip(twice) {
        assert!(same(got[0], row[4]) && same(got[1], row[5]), "{row:?}: {got:?}");
    }
}
