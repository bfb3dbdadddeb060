//! Systems of equations, inverses, determinants, norms, exponentials.

use super::files::every_kind;
use lazuli::prelude::*;

every_kind!(
    systems_and_inverses,
    determinants,
    batches,
    triangles,
    least_squares,
    norms_and_conditions,
    exponentials
);

mod checks {
    use super::super::files::{Kind, case, close, real};
    use lazuli::linalg::MatrixNorm;
    use lazuli::prelude::*;

    pub fn systems_and_inverses<T: Kind>() {
        let (a, b) = (case::<T>("solve.a"), case::<T>("solve.b"));
        close("solve", &a.solve(&b), &case("solve.x"), T::TOLERANCE);
        let vector = a.solve(&b.slice(s![.., 0]));
        close("solve of a vector", &vector, &case("solve.v"), T::TOLERANCE);
        close("inverse", &a.inverse(), &case("inverse.x"), T::TOLERANCE);
        close("of a view", &a.t().inverse().t(), &case("inverse.x"), T::TOLERANCE);
        // Many right-hand sides of one matrix: each as if it stood alone.
        let many = lazuli::stack(&[&b, &(&b + &b), &b], 0);
        let x = case::<T>("solve.x");
        let want = lazuli::stack(&[&x, &(&x + &x), &x], 0);
        close("many right-hand sides", &a.solve(&many), &want, T::TOLERANCE);
    }

    pub fn determinants<T: Kind>() {
        let a = case::<T>("solve.a");
        close("det", &a.det(), &case("inverse.det"), T::TOLERANCE);
        let (sign, log) = a.slogdet();
        close("sign", &sign, &case("slogdet.sign"), T::TOLERANCE);
        close("logarithm", &log, &real::<T>("slogdet.log"), T::TOLERANCE);
        let singular = DeviceArray::<T>::zeros([2, 3, 3]);
        let zero = DeviceArray::<T>::zeros(2);
        close("det of a singular matrix", &singular.det(), &zero, 0.0);
        let (sign, log) = singular.slogdet();
        close("its sign", &sign, &zero, 0.0);
        let infinite = |x: &T::Real| x.to_f64() == f64::NEG_INFINITY;
        assert!(log.to_vec().unwrap().iter().all(infinite));
        // A single swap of rows changes the sign.
        let swap =
            DeviceArray::<T>::eye(4).take(&DeviceArray::from_slice(&[1i64, 0, 2, 3]).unwrap(), 0);
        close(
            "a swap",
            &swap.det(),
            &DeviceArray::full([0usize; 0], T::ZERO)
                .subtract(&DeviceArray::full([0usize; 0], T::ONE)),
            0.0,
        );
    }

    pub fn batches<T: Kind>() {
        let (a, b) = (case::<T>("batch.a"), case::<T>("batch.b"));
        close("det", &a.det(), &case("batch.det"), T::TOLERANCE * 10.0);
        close("inverse", &a.inverse(), &case("batch.inverse"), T::TOLERANCE * 10.0);
        close("solve", &a.solve(&b), &case("batch.x"), T::TOLERANCE * 10.0);
        let empty = DeviceArray::<T>::zeros([0, 3, 3]);
        assert_eq!(empty.inverse().copy_to_host().unwrap().shape(), [0, 3, 3]);
        assert_eq!(empty.det().shape(), [0]);
        let nothing = DeviceArray::<T>::zeros([2, 0, 0]);
        close("of nothing", &nothing.det(), &DeviceArray::<T>::ones(2), 0.0);
        assert_eq!(nothing.solve(&DeviceArray::<T>::zeros([2, 0, 5])).shape(), [2, 0, 5]);
        let one = a.slice(s![..1, ..1]);
        let want = case::<T>("batch.inverse").slice(s![..1, ..1]);
        close("a batch of one", &one.inverse(), &want, T::TOLERANCE * 10.0);
    }

    pub fn triangles<T: Kind>() {
        let (a, b) = (case::<T>("triangular.a"), case::<T>("triangular.b"));
        close("lower", &a.solve_triangular(&b, true), &case("triangular.lower"), T::TOLERANCE);
        close("upper", &a.solve_triangular(&b, false), &case("triangular.upper"), T::TOLERANCE);
        let unit = a.solve_unit_triangular(&b, true);
        close("unit", &unit, &case("triangular.unit"), T::TOLERANCE * 100.0);
        let many = a.broadcast_to([2, 5, 5]).solve_triangular(&b, true);
        close("a batch", &many.slice(s![1]), &case("triangular.lower"), T::TOLERANCE);
    }

    pub fn least_squares<T: Kind>() {
        for name in ["tall", "wide", "line"] {
            let (a, b) = (case::<T>(&format!("{name}.a")), case::<T>(&format!("{name}.b")));
            let found = a.lstsq(&b, None);
            close(name, &found.x, &case(&format!("{name}.x")), T::TOLERANCE);
            close(name, &found.singular_values, &real::<T>(&format!("{name}.s")), T::TOLERANCE);
            assert_eq!(found.rank.item().unwrap() as usize, a.shape()[0].min(a.shape()[1]));
            let distance = a.matmul(&found.x) - &b;
            let square = distance.norm(0).square();
            close(name, &found.residuals, &square, T::TOLERANCE);
            close(name, &a.pinv(None), &case(&format!("{name}.pinv")), T::TOLERANCE);
        }
        let (a, b) = (case::<T>("low.a"), case::<T>("low.b"));
        let rcond = Some(T::TOLERANCE);
        let found = a.lstsq(&b, rcond);
        assert_eq!(found.rank.item().unwrap(), 2);
        close("low rank", &found.x, &case("low.x"), T::TOLERANCE * 10.0);
        close("its pseudo-inverse", &a.pinv(rcond), &case("low.pinv"), T::TOLERANCE * 10.0);
        assert_eq!(a.matrix_rank(rcond).item().unwrap(), 2);
        let batch = lazuli::stack(&[&a, &case::<T>("tall.a")], 0);
        assert_eq!(batch.matrix_rank(rcond).to_vec().unwrap(), [2, 4]);
        assert_eq!(DeviceArray::<T>::zeros([3, 0]).matrix_rank(None).item().unwrap(), 0);
        assert_eq!(DeviceArray::<T>::zeros([3, 0]).pinv(None).shape(), [0, 3]);
    }

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

    pub fn norms_and_conditions<T: Kind>() {
        let (m, a) = (case::<T>("norms.a"), case::<T>("solve.a"));
        let (norms, conds) = (real::<T>("norms.x"), real::<T>("conds.x"));
        for (k, which) in NORMS.into_iter().enumerate() {
            let what = format!("{which:?}");
            close(&what, &m.matrix_norm(which), &norms.slice(s![k]), T::TOLERANCE);
            close(&what, &a.cond(which), &conds.slice(s![k]), T::TOLERANCE);
        }
        let batch = case::<T>("batch.a");
        assert_eq!(batch.matrix_norm(MatrixNorm::Two).shape(), [2, 3]);
        let none = DeviceArray::<T>::zeros([2, 0]);
        assert!(none.try_matrix_norm(MatrixNorm::One).unwrap_err().is_shape());
        assert!(none.try_cond(MatrixNorm::Two).unwrap_err().is_shape());
    }

    pub fn exponentials<T: Kind>() {
        for k in 0..3 {
            let a = case::<T>(&format!("expm{k}.a"));
            let got = a.expm();
            close("expm", &got, &case(&format!("expm{k}.x")), T::TOLERANCE * 10.0);
        }
        let batch = lazuli::stack(&[&case::<T>("expm0.a"), &case("expm2.a")], 0).expm();
        close("in a batch", &batch.slice(s![0]), &case("expm0.x"), T::TOLERANCE * 10.0);
        close("in a batch", &batch.slice(s![1]), &case("expm2.x"), T::TOLERANCE * 10.0);
        close("of zero", &DeviceArray::<T>::zeros([3, 3]).expm(), &DeviceArray::eye(3), 1e-6);
    }
}
