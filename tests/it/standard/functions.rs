//! Promotion, movement, rounding, statistics, linear algebra, sets, positions.

use super::{File, with_file};
use crate::support::value::Typed;
use lazuli::linalg::MatrixNorm;
use lazuli::prelude::*;
use lazuli::{Scan, UniqueOptions};

#[test]
fn types_are_promoted_as_numpys() {
    // NumPy has no `bfloat16`.
    let types: Vec<DType> = DType::ALL.into_iter().filter(|&t| t != DType::BF16).collect();
    let number = |t: DType| types.iter().position(|&other| other == t).unwrap() as i64;
    with_file(|file| {
        let pairs = || types.iter().flat_map(|&a| types.iter().map(move |&b| (a, b)));
        let common: Vec<i64> = pairs().map(|(a, b)| number(a.promote(b))).collect();
        let casts: Vec<bool> = pairs().map(|(a, b)| a.can_cast(b)).collect();
        let n = types.len();
        file.exact("promote", DeviceArray::from_vec([n, n], common).unwrap());
        file.exact("can_cast", DeviceArray::from_vec([n, n], casts).unwrap());
    });
}

#[test]
fn elements_are_moved_as_numpys() {
    with_file(|file| {
        let a = file.array::<i32>("a");
        file.exact("roll_two", a.roll([1, -2], [0, 2]));
        file.exact("roll_one_for_all", a.roll(2, [1, -1]));
        file.exact("roll_twice", a.roll([1, 2], [1, 1]));
        file.exact("roll_shifts", a.roll([1, 2], -1));
        file.exact("moveaxis", a.move_axis([0, 2], [-1, 0]));
        file.exact("expand_dims", a.insert_axis([0, -1, 2]));
        file.exact("mt", a.mt());
        file.exact("repeat_list", a.repeat([2, 0, 3], 1));
        let counts = DeviceArray::from_slice(&[2i16, 0, 3]).unwrap();
        file.exact("repeat_list", a.repeat_counts(&counts, 1).unwrap());
        let row = a.index_axis(0, 0);
        let parts = [a.clone(), row.t(), a.index_axis(1, 0)];
        file.exact("concatenate_flat", lazuli::concatenate_flat(&parts));
        for (k, part) in a.unstack(-2).into_iter().enumerate() {
            file.exact(&format!("unstack_{k}"), part);
        }
        let parts = [a.slice(s![..1, .., ..1]), row.index_axis(0, 0), DeviceArray::from(7)];
        for (k, part) in lazuli::broadcast_arrays(&parts).into_iter().enumerate() {
            file.exact(&format!("broadcast_{k}"), part);
        }
    });
}

#[test]
fn numbers_are_numpys() {
    with_file(|file| {
        let x = file.array::<f64>("x");
        file.exact("round", x.round());
        file.exact("clip_min", x.clip_min(0.25));
        file.exact("clip_max", x.clip_max(0.25));
        let s = file.array::<f64>("s");
        for (name, ddof) in [("half", 0.5), ("more", -1.25), ("most", 3.5)] {
            file.close(&format!("var_{name}"), s.var_ddof(0, ddof));
            file.close(&format!("std_{name}"), s.std_ddof(keep(1), ddof));
            file.close(&format!("var_{name}"), s.nan_var(0, ddof));
        }
        let complex = |re: f64, im: f64| Complex::new(re, im);
        let ends = [
            ("both", complex(1.0, -2.0), complex(3.0, 5.0)),
            ("real", complex(2.0, 0.0), complex(-1.0, 0.0)),
        ];
        for (name, start, stop) in ends {
            file.close(&format!("linspace_{name}"), DeviceArray::linspace(start, stop, 7));
            file.close(
                &format!("linspace_open_{name}"),
                DeviceArray::linspace_open(start, stop, 6),
            );
        }
        let how = Scan::new().include_initial();
        for axis in 0..2 {
            file.close(&format!("cumsum_initial_{axis}"), s.cumsum_with(axis, how));
            file.close(&format!("cumprod_initial_{axis}"), s.cumprod_with(axis, how));
        }
        let line = file.array::<i32>("line");
        file.exact("searchsorted_left", line.searchsorted(4, Side::Left));
        file.exact("searchsorted_right", line.searchsorted(4, Side::Right));
    });
}

#[test]
fn linear_algebra_is_numpys() {
    const NORMS: [MatrixNorm; 8] = [
        MatrixNorm::Frobenius,
        MatrixNorm::Nuclear,
        MatrixNorm::One,
        MatrixNorm::MinusOne,
        MatrixNorm::Two,
        MatrixNorm::MinusTwo,
        MatrixNorm::Infinity,
        MatrixNorm::MinusInfinity,
    ];
    with_file(|file| {
        let (t, u) = (file.array::<f64>("t"), file.array::<f64>("u"));
        file.close("tensordot_2", t.tensordot_last(&u, 2));
        file.close("tensordot_0", t.index_axis(0, 0).tensordot_last(&u.index_axis(0, 0), 0));
        file.close("vecdot_0", t.vecdot_along(&(t.slice(s![.., ..1]) * 2.0), 0));
        let z = file.array::<Complex<f64>>("z");
        file.close("vecdot_complex", z.vecdot_along(&z.flip(1), -2));
        file.close("cross_1", t.cross_along(&(t.flip(0) + 1.0), 1));
        file.close("cross_0", z.cross_along(&z.flip(1).square(), 0));
        let h = file.array::<Complex<f64>>("h");
        file.close("cholesky_upper", h.cholesky_upper());
        // What is below the diagonal is not read.
        let above = h.triu(0);
        file.close("cholesky_upper", above.cholesky_upper());
        file.close("power_minus", h.matrix_power(-3));
        for (k, which) in NORMS.into_iter().enumerate() {
            file.close(&format!("norm_{k}"), h.matrix_norm_kept(which));
        }
        let whole = DeviceArray::<i32>::ones([2, 2]);
        assert!(whole.try_matrix_power(-1).unwrap_err().is_shape());
        assert!(t.try_tensordot_last(&u, 4).unwrap_err().is_shape());
        assert!(t.try_cross_along(&u, 0).unwrap_err().is_shape());
    });
}

fn distinct<T: Typed>(file: &File, name: &str, from: &str, how: UniqueOptions) {
    let found = file.array::<T>(from).unique_with(how).unwrap_or_else(|e| panic!("{name}: {e}"));
    file.exact(&format!("unique_{name}"), found.values);
    file.exact(&format!("unique_{name}_positions"), found.positions);
    file.exact(&format!("unique_{name}_inverse"), found.inverse);
    file.exact(&format!("unique_{name}_counts"), found.counts);
}

#[test]
fn sets_are_numpys() {
    let how = UniqueOptions::new();
    with_file(|file| {
        distinct::<i32>(file, "rows", "rows", how.axis(0));
        distinct::<i32>(file, "columns", "rows", how.axis(-1));
        distinct::<f64>(file, "middle", "floats", how.axis(1));
        distinct::<Complex<f64>>(file, "complexes", "complexes", how.axis(0));
        distinct::<bool>(file, "bools", "bools", how.axis(0));
        distinct::<f64>(file, "nan", "nan", how.equal_nan(false));
        let (rows, nan) = (file.array::<i32>("rows"), file.array::<f64>("nan"));
        let some = DeviceArray::from_slice(&[0, 7]).unwrap();
        file.exact("isin_not", lazuli::is_not_in(&rows, &some).unwrap());
        file.exact("isin_one", lazuli::is_in(&nan, 2.0).unwrap());
    });
}

#[test]
fn positions_are_numpys() {
    with_file(|file| {
        let index = file.array::<i64>("choice");
        let choices = [0, 1, 2].map(|k| file.array::<f64>(&format!("choice_{k}")));
        file.exact("choose", lazuli::choose(&index, &choices));
        file.exact("choose_clip", lazuli::choose_clipped(&(&index * 3 - 2), &choices));
        let wrapped = (&index + 5).remainder(3);
        file.exact("choose_wrap", lazuli::choose(&wrapped, &choices));
        let flat = file.array::<i64>("flat");
        let parts = lazuli::unravel_index(&flat, [3, 4, 5]);
        for (k, part) in parts.iter().enumerate() {
            file.exact(&format!("unravel_{k}"), part.clone());
        }
        file.exact("ravel", lazuli::ravel_multi_index(&parts, [7, 4, 5]));
        for (n, m, k) in [(3, 5, 1), (5, 3, -1), (4, 4, 0)] {
            let (lower, upper) = (lazuli::tril_indices(n, m, k), lazuli::triu_indices(n, m, k));
            file.exact(&format!("tril_{n}{m}_0"), lower.0);
            file.exact(&format!("tril_{n}{m}_1"), lower.1);
            file.exact(&format!("triu_{n}{m}_0"), upper.0);
            file.exact(&format!("triu_{n}{m}_1"), upper.1);
        }
        let zeros = |shape: &[usize]| DeviceArray::<i32>::zeros(shape);
        file.exact("diagonal_wide", zeros(&[3, 5]).with_diagonal(7));
        let three = DeviceArray::from_slice(&[1, 2, 3]).unwrap();
        file.exact("diagonal_tall", zeros(&[5, 2]).with_diagonal(&three));
        let mut cube = zeros(&[3, 3, 3]);
        cube.fill_diagonal(&three.slice(s![..2]) + 3);
        file.exact("diagonal_cube", cube);
    });
}
