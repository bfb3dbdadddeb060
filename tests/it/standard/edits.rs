//! Edits of arrays, padding, windows, polynomials and phases.

use super::{CLOSE, File, with_file};
use crate::support::compare::Tolerance;
use crate::support::value::Typed;
use lazuli::PadMode;
use lazuli::prelude::*;
use std::f64::consts::PI;

fn paddings<T: Typed + Number>(file: &File, name: &str, whole: &str, end: T) {
    let a = file.array::<T>(name);
    let modes = [
        ("edge", PadMode::Edge),
        ("reflect", PadMode::Reflect),
        ("symmetric", PadMode::Symmetric),
        ("wrap", PadMode::Wrap),
        ("maximum", PadMode::Maximum),
        ("minimum", PadMode::Minimum),
        ("mean", PadMode::Mean),
        ("linear_ramp", PadMode::LinearRamp(end)),
    ];
    for (mode, how) in modes {
        file.close(&format!("pad_{whole}{mode}"), a.pad(&[(2, 5), (0, 7)], how));
    }
}

#[test]
fn edits_are_numpys() {
    with_file(|file| {
        let (a, v) = (file.array::<i32>("e"), file.array::<i32>("v"));
        file.exact("insert_one", a.insert(1, 7, 0));
        file.exact("insert_some", a.insert([4, 0, 2], &v.insert_axis(1).broadcast_to([3, 3]), 1));
        file.exact("insert_row", a.insert(-1, a.slice(s![..1]) * 2, 0));
        file.exact("delete_some", a.delete([0, -1], 1));
        file.exact("append", a.append(&a.slice(s![..2]), 0));
        file.exact("resize_more", a.resize([2, 7]));
        file.exact("resize_fewer", a.t().resize(5));
        file.exact("ediff1d", a.t().ediff1d_with(Some(&v.slice(s![1..])), Some(&v.slice(s![..1]))));
        let zeros = DeviceArray::from_slice(&[0, 0, 1, 0, 2, 0]).unwrap();
        file.exact("trim_zeros", zeros.trim_zeros().unwrap());
        let parts = [v.clone(), a.slice(s![.., ..2]), &v * 2];
        file.exact("column_stack", lazuli::column_stack(&parts));
        assert!(a.array_equal(&(&a + 0)).item().unwrap() && !a.array_equal(&v).item().unwrap());
        assert_eq!(DeviceArray::from(1).atleast_3d().shape(), [1, 1, 1]);
        assert_eq!(v.atleast_2d().atleast_3d().shape(), [1, 3, 1]);
        let bits = file.array::<bool>("bits");
        for axis in 0..2 {
            let packed = bits.packbits(axis);
            file.exact(&format!("unpackbits_{axis}"), packed.unpackbits(axis));
            file.exact(&format!("packbits_{axis}"), packed);
        }
        paddings(file, "f", "", -3.0);
        paddings(file, "e", "whole_", -3);
    });
}

#[test]
fn series_are_numpys() {
    const LOOSE: Tolerance = Tolerance { rtol: 1e-9, atol: 1e-9, ..CLOSE };
    with_file(|file| {
        let x = file.array::<f64>("phase");
        let period = 2.0 * PI;
        file.close("unwrap", x.remainder(period).unwrap_phase(1, period, None));
        file.close("unwrap_jump", x.remainder(4.0).unwrap_phase(0, 4.0, Some(2.5)));
        let edge = DeviceArray::from_slice(&[0.0, 2.0, 4.0, 2.0, 0.0, 1.0]).unwrap();
        file.close("unwrap_edge", edge.unwrap_phase(-1, 4.0, None));
        let [at, px, py] = ["at", "px", "py"].map(|name| file.array::<f64>(name));
        file.same("interp_periodic", at.interp_periodic(&px, &py, 360.0), LOOSE);
        for n in [2, 7, 12] {
            file.close(&format!("bartlett_{n}"), DeviceArray::<f64>::bartlett(n));
            file.close(&format!("hanning_{n}"), DeviceArray::<f64>::hanning(n));
            file.close(&format!("hamming_{n}"), DeviceArray::<f64>::hamming(n));
            file.close(&format!("blackman_{n}"), DeviceArray::<f64>::blackman(n));
            file.same(&format!("kaiser_{n}"), DeviceArray::<f64>::kaiser(n, 8.6), LOOSE);
        }
        let (p, q) = (file.array::<f64>("p"), file.array::<f64>("pq"));
        file.close("polyval", lazuli::polyval(&p, &x));
        file.close("polyadd", lazuli::polyadd(&p, &q));
        file.close("polysub", lazuli::polysub(&q, &p));
        file.close("polymul", lazuli::polymul(&p, &q));
        file.close("polyder", lazuli::polyder(&p));
        file.close("polyint", lazuli::polyint(&p, 1.5));
        let zero = DeviceArray::zeros(1);
        let roots = lazuli::concatenate(&[&zero, &p, &zero], 0).roots().unwrap();
        file.same("roots", roots.sort(0), LOOSE);
        let (t, y) = (file.array::<f64>("tx"), file.array::<f64>("ty"));
        file.same("polyfit", t.polyfit(&y, 3), LOOSE);
        file.same("polyfit_line", t.polyfit(&y.slice(s![.., 0]), 1), LOOSE);
        file.close("vander", lazuli::vander(&t, 4));
        let cases = [t.less(-1.0), t.less(0.0), t.less(2.0)];
        file.close("select", lazuli::select_first(&cases, &[t.clone(), &t * 2.0, &t * 3.0], 9.0));
        let pieces =
            t.piecewise(&cases, &[&|t| -t, &|t| t.square(), &|t| t + 1.0], |t| t * 0.0 - 5.0);
        file.close("piecewise", pieces);
    });
}

#[test]
fn cells_and_lines_are_numpys() {
    with_file(|file| {
        let points = file.array::<f64>("points");
        let bounds = file.array::<f64>("point_bounds");
        let parts = points.unstack(1);
        let coordinates: Vec<&DeviceArray<f64>> = parts.iter().collect();
        let bins = [Bins::Count(3), Bins::Edges(&bounds), Bins::Within(4, -1.0, 1.0)];
        let (counts, edges) = lazuli::histogramdd(&coordinates, &bins).unwrap();
        file.exact("histogramdd", counts);
        for (k, part) in edges.into_iter().enumerate() {
            file.close(&format!("histogramdd_{k}"), part);
        }
        assert!(lazuli::histogramdd(&coordinates, &bins[..2]).is_err_and(|e| e.is_shape()));
        assert!(lazuli::histogramdd::<f64>(&[], &[]).is_err_and(|e| e.is_shape()));
        let few = points.slice(s![..4]).reshape([2, 2, 3]);
        let weights = DeviceArray::from_slice(&[1.0, -2.0]).unwrap();
        file.exact("apply_along", few.apply_along_axis(1, |line| line.outer(&weights)));
    });
}
