//! Matrices that are hard to compute with, held against exact values and by residuals.

use super::files::{close, every_kind};
use crate::support::on_each_device;
use lazuli::prelude::*;

every_kind!(
    determinants_between_extremes,
    long_determinants,
    exponentials_of_triangles,
    factors_of_tiny_and_huge_numbers
);

fn eps<T: Factorable>() -> f64 {
    match T::Real::DTYPE {
        DType::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    }
}

mod checks {
    use super::super::files::{Kind, close};
    use super::eps;
    use lazuli::prelude::*;

    /// A matrix from the host's numbers.
    pub fn matrix<T: Kind>(shape: &[usize], values: &[f64]) -> DeviceArray<T> {
        DeviceArray::<f64>::from_vec(shape, values.to_vec()).unwrap().cast()
    }

    /// Numbers without a pattern, complex ones where the type is.
    pub fn entries<T: Kind>(shape: &[usize]) -> DeviceArray<T> {
        let part = |seed: usize| {
            let number = move |k: usize| ((k * 37 + k * k * 11 + seed) % 101) as f64 / 50.0 - 1.0;
            let values = (0..shape.iter().product()).map(number).collect();
            DeviceArray::<f64>::from_vec(shape, values).unwrap()
        };
        match T::NAME {
            "complex" => part(5).to_complex(&part(8)).cast(),
            _ => part(5).cast(),
        }
    }

    /// Times a power of two, which may be no number: by way of its halves.
    pub fn times<T: Factorable>(x: &DeviceArray<T>, power: i32) -> DeviceArray<T> {
        let by = |power: i32| DeviceArray::<f64>::from(2f64.powi(power)).cast::<T>();
        let half = x * &by(power / 2);
        lazuli::eval(&[&half]).unwrap();
        &half * &by(power - power / 2)
    }

    /// Eigenvalues and singular values of numbers whose squares, or reciprocals, are none, and factors.
    pub fn factors_of_tiny_and_huge_numbers<T: Kind>() {
        let powers = match T::Real::DTYPE {
            DType::F32 => [-132, -100, 90, 116],
            _ => [-1029, -700, 700, 1010],
        };
        for (n, power) in [2, 5, 40].into_iter().flat_map(|n| powers.map(|power| (n, power))) {
            let near = |what: &str, got: &DeviceArray<T>, want: &DeviceArray<T>| {
                close(&format!("{what} of {n} times 2^{power}"), got, want, 10.0 * T::TOLERANCE);
            };
            let adjoint = |a: &DeviceArray<T>| a.swap_axes(-1, -2).conj();
            let values = |x: &DeviceArray<T::Real>, axis: isize| {
                times(&x.cast::<T>(), -power).insert_axis(axis)
            };
            let a = entries::<T>(&[2, n, n]);
            let hermitian = &a + adjoint(&a);
            for (a, hermitian) in
                [(a.clone(), hermitian.clone()), (a.slice(s![0]), hermitian.slice(s![1]))]
            {
                let (w, v) = times(&hermitian, power).eigh();
                near("eigh", &hermitian.matmul(&v), &(&v * &values(&w, -2)));
                let one = &DeviceArray::<T>::zeros(a.shape()) + &DeviceArray::<T>::eye(n);
                near("basis", &adjoint(&v).matmul(&v), &one);
                let (u, s, vh) = times(&a, power).svd();
                near("svd", &(&u * &values(&s, -2)).matmul(&vh), &a);
                near("svdvals", &values(&times(&a, power).svdvals(), -2), &values(&s, -2));
                let (q, r) = times(&a, power).qr();
                near("qr", &q.matmul(&times(&r, -power)), &a);
                let positive = hermitian.matmul(&hermitian) + one;
                let even = (power - 8).div_euclid(2) * 2;
                let lower = times(&times(&positive, even).cholesky(), -even / 2);
                near("cholesky", &lower.matmul(&adjoint(&lower)), &positive);
            }
        }
    }

    pub fn determinants_between_extremes<T: Kind>() {
        // Products of the first two overflow, those of the last two vanish.
        let large = 2f64.powi(if T::Real::DTYPE == DType::F32 { 100 } else { 800 });
        let pivots = [large, large, 1.0 / large, 1.0 / large, -3.0];
        let diagonal = |d: &[f64]| {
            let d = DeviceArray::<f64>::from_slice(d).unwrap().cast::<T>();
            &DeviceArray::<T>::eye(d.shape()[0]) * &d
        };
        let want = matrix::<T>(&[], &[-3.0]);
        close("large, then small", &diagonal(&pivots).det(), &want, 0.0);
        let turned: Vec<f64> = pivots.iter().rev().copied().collect();
        close("small, then large", &diagonal(&turned).det(), &want, 0.0);
        let zero = matrix::<T>(&[], &[0.0]);
        close("a zero", &diagonal(&[large, 0.0, large, 1.0]).det(), &zero, 0.0);
        let overflow = diagonal(&[large, large, 1.0]).det().cast::<Complex<f64>>().item().unwrap();
        assert!(!overflow.re.is_finite(), "{overflow}");
    }

    pub fn long_determinants<T: Kind>() {
        // Pivots of ±1.5 and their reciprocals: 33, 64 and 1000 of them leave chunks and rests.
        for n in [33usize, 64, 1000] {
            let values = (0..n).map(|k| match k % 4 {
                0 => 1.5 * 2f64.powi(60),
                1 => -2f64.powi(-60),
                2 => 2f64.powi(60),
                _ => 2f64.powi(-60) / 1.5,
            });
            let values: Vec<f64> = values.collect();
            let want = values.iter().fold(1.0, |product, x| product * x);
            let d = DeviceArray::<f64>::from_slice(&values).unwrap().cast::<T>();
            let got = (&DeviceArray::<T>::eye(n) * &d).det();
            close("long", &got, &matrix(&[], &[want]), n as f64 * eps::<T>());
        }
    }

    pub fn exponentials_of_triangles<T: Kind>() {
        // exp [[0, b], [0, -1]] is [[1, b (1 - 1/e)], [0, 1/e]].
        let (rest, less) = ((-1f64).exp(), -(-1f64).exp_m1());
        for b in [1e4, 1e8, 1e20, -1e30] {
            let upper = matrix::<T>(&[2, 2], &[0.0, b, 0.0, -1.0]);
            let want = matrix::<T>(&[2, 2], &[1.0, b * less, 0.0, rest]);
            let relative = |got: &DeviceArray<T>, want: &DeviceArray<T>| {
                let (got, want) = (host(got), host(want));
                for (g, w) in got.iter().zip(&want) {
                    assert!((g - w).norm() <= 8.0 * eps::<T>() * w.norm(), "{b}: {g} for {w}");
                }
            };
            relative(&upper.expm(), &want);
            let lower = upper.t();
            relative(&lower.expm(), &want.t());
            let both = lazuli::stack(&[&upper, &lower], 0).expm();
            relative(&both.slice(s![0]), &want);
            relative(&both.slice(s![1]), &want.t());
        }
        // A nilpotent one: 1 + N + N²/2.
        let nilpotent = [0.0, 1e15, 1e10, 0.0, 0.0, 1e12, 0.0, 0.0, 0.0];
        let want = [1.0, 1e15, 5e26 + 1e10, 0.0, 1.0, 1e12, 0.0, 0.0, 1.0];
        let got = host(&matrix::<T>(&[3, 3], &nilpotent).expm());
        for (g, w) in got.iter().zip(want) {
            assert!((g - w).norm() <= 8.0 * eps::<T>() * w.abs(), "{g} for {w}");
        }
        // Of huge norm, and nothing at all.
        let falls = matrix::<T>(&[2, 2], &[-1e30, 0.0, 0.0, 0.0]).expm();
        close("falls", &falls, &matrix(&[2, 2], &[0.0, 0.0, 0.0, 1.0]), 0.0);
        assert_eq!(DeviceArray::<T>::zeros([0, 0]).expm().shape(), [0, 0]);
        assert_eq!(DeviceArray::<T>::zeros([0, 2, 2]).expm().shape(), [0, 2, 2]);
    }

    pub fn host<T: Kind>(a: &DeviceArray<T>) -> Vec<Complex<f64>> {
        a.cast::<Complex<f64>>().copy_to_host().unwrap().iter().copied().collect()
    }
}

/// Values of 50 digits (mpmath), each matrix with its exponential.
#[test]
fn exponentials_of_hard_matrices() {
    for (name, size, a, want) in super::hard_values::EXPONENTIALS {
        let scale = want.iter().fold(0.0f64, |m, w| m.max(w.abs()));
        let shape = [*size, *size];
        let a = DeviceArray::from_vec(shape, a.to_vec()).unwrap();
        let got = a.expm().to_vec().unwrap();
        let off = got.iter().zip(*want).fold(0.0f64, |m, (g, w)| m.max((g - w).abs()));
        assert!(off <= 5e-13 * scale, "{name}: off by {off} of {scale}");
        let got = a.cast::<Complex<f64>>().expm().to_vec().unwrap();
        let off = got.iter().zip(*want).fold(0.0f64, |m, (g, w)| m.max((g - w).norm()));
        assert!(off <= 5e-13 * scale, "{name}, complex: off by {off} of {scale}");
    }
}

fn frank(n: usize) -> Vec<f64> {
    let entry = |i: usize, j: usize| match j + 1 >= i {
        true => (n - i.max(j)) as f64,
        false => 0.0,
    };
    (0..n * n).map(|k| entry(k / n, k % n)).collect()
}

/// Frank's matrices have determinant 1 and are worse conditioned the larger they are: the logarithm
/// is off by no more than an LU decomposition's backward error allows.
#[test]
fn determinants_of_franks_matrices() {
    for n in 2..=13usize {
        let a = DeviceArray::from_vec([n, n], frank(n)).unwrap();
        let (sign, log) = a.slogdet();
        let condition = a.inverse().abs().max(..).item().unwrap() * n as f64;
        let bound = 4.0 * n as f64 * f64::EPSILON * condition * n as f64;
        let (sign, log) = (sign.item().unwrap(), log.item().unwrap());
        assert!(sign == 1.0 && log.abs() <= bound.max(1e-15), "{n}: {sign} {log} within {bound}");
        let det = a.det().item().unwrap();
        assert!((det - 1.0).abs() <= bound.max(1e-15), "{n}: {det}");
    }
}

/// Columns that nearly depend on each other, powers, and random ones: LAPACK's residuals.
#[test]
fn factorisations_of_nearly_dependent_columns() {
    let alternating = |m: usize, delta: f64| -> Vec<f64> {
        (0..m).flat_map(|i| [1.0, 1.0 + if i % 2 == 0 { delta } else { -delta }]).collect()
    };
    let powers: Vec<f64> =
        (0..20_000).flat_map(|i| (0..6).map(move |k| (f64::from(i) / 19_999.0).powi(k))).collect();
    let mut state = 1u64;
    let random: Vec<f64> = (0..300 * 300)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / 2f64.powi(30) - 1.0
        })
        .collect();
    let cases = [
        ("alternating f32", 100_000usize, 2usize, alternating(100_000, 0.1)),
        ("alternating f64", 1000, 2, alternating(1000, 1e-12)),
        ("powers", 20_000, 6, powers),
        ("random", 300, 300, random),
        ("a row", 1, 7, (1..8).map(f64::from).collect()),
        ("a column", 7, 1, (1..8).map(f64::from).collect()),
        ("of rank one", 6, 4, (0..24).map(|k| f64::from((k / 4 + 1) * (k % 4 + 1))).collect()),
        ("graded", 5, 5, (0..25).map(|k| 10f64.powi(-3 * (k / 5) - 2 * (k % 5))).collect()),
        ("tiny", 3, 3, [1., 2., 3., 4., 5., 6., 7., 8., 10.].map(|x| x * 1e-30).to_vec()),
        ("huge", 3, 3, [1., 2., 3., 4., 5., 6., 7., 8., 10.].map(|x| x * 1e30).to_vec()),
    ];
    for (name, m, n, values) in cases {
        residuals::<f64>(name, m, n, &values);
        residuals::<f32>(name, m, n, &values);
    }
    assert_eq!(rank_of_powers(), 6);
}

fn rank_of_powers() -> i64 {
    let values: Vec<f64> =
        (0..20_000).flat_map(|i| (0..6).map(move |k| (f64::from(i) / 19_999.0).powi(k))).collect();
    let a = DeviceArray::from_vec([20_000, 6], values).unwrap();
    a.matrix_rank(None).item().unwrap()
}

/// `|QR - A|`, `|QᴴQ - 1|`, and the same of a singular value decomposition, by precision, size and
/// norm.
fn residuals<T: super::files::Kind>(name: &str, m: usize, n: usize, values: &[f64]) {
    let a: DeviceArray<T> = DeviceArray::from_vec([m, n], values.to_vec()).unwrap().cast();
    let norm = |x: &DeviceArray<T>| -> f64 {
        let host = x.cast::<Complex<f64>>().copy_to_host().unwrap();
        let largest = host.iter().fold(0.0f64, |m, z| m.max(z.norm()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        scale * host.iter().map(|z| (z / scale).norm_sqr()).sum::<f64>().sqrt()
    };
    let least = m.min(n);
    // The errors of sums of `m` products, which are of either sign.
    let bound = 4.0 * (m.max(n) as f64).sqrt() * least as f64 * eps::<T>();
    let is_unit = |q: &DeviceArray<T>, what: &str| {
        let off = norm(&(&q.t().matmul(q) - &DeviceArray::<T>::eye(least)));
        assert!(off <= bound, "{name}: {what} is orthogonal to {off:e}, not {bound:e}");
    };
    let close = |b: &DeviceArray<T>, what: &str| {
        let off = norm(&(b - &a)) / norm(&a);
        assert!(off <= bound, "{name}: {what} gives {off:e} off, not {bound:e}");
    };
    let (q, r) = a.qr();
    is_unit(&q, "Q");
    close(&q.matmul(&r), "QR");
    let (u, sizes, vh) = a.svd();
    is_unit(&u, "U");
    is_unit(&vh.t(), "V");
    close(&(&u * &sizes.cast::<T>()).matmul(&vh), "USV");
}

/// Values of 50 digits (mpmath), and the second differences, whose values are known.
#[test]
fn singular_values_and_eigenvalues() {
    for (name, m, a, want) in super::hard_values::SINGULAR {
        let a = DeviceArray::from_vec([*m, a.len() / m], a.to_vec()).unwrap();
        values(&format!("{name}, singular"), a.shape(), &a.svdvals(), want);
        values(&format!("{name}, with vectors"), a.shape(), &a.svd().1, want);
        if *name != "Hilbert" && *name != "nearly dependent" {
            let a = a.cast::<f32>();
            values(&format!("{name}, f32"), a.shape(), &a.svdvals(), want);
        }
    }
    for (name, n, a, want) in super::hard_values::SYMMETRIC {
        let a = DeviceArray::from_vec([*n, *n], a.to_vec()).unwrap();
        values(&format!("{name}, eigvalsh"), &[*n], &a.eigvalsh(), want);
        values(&format!("{name}, eigh"), &[*n], &a.eigh().0, want);
    }
    let n = 200usize;
    let entry = |k: usize| match (k / n).abs_diff(k % n) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    };
    let a = DeviceArray::from_vec([n, n], (0..n * n).map(entry).collect()).unwrap();
    let angle = |k: usize| (k + 1) as f64 * std::f64::consts::PI / (2.0 * (n + 1) as f64);
    let want: Vec<f64> = (0..n).map(|k| 4.0 * angle(k).sin().powi(2)).collect();
    let falling: Vec<f64> = want.iter().rev().copied().collect();
    values("differences, eigvalsh", &[n], &a.eigvalsh(), &want);
    values("differences, eigh", &[n], &a.eigh().0, &want);
    values("differences, singular", &[n], &a.svdvals(), &falling);
    let a = a.cast::<f32>();
    values("differences, eigvalsh f32", &[n], &a.eigvalsh(), &want);
    values("differences, eigh f32", &[n], &a.eigh().0, &want);
    values("differences, singular f32", &[n], &a.svdvals(), &falling);
}

/// Compares values within `4 + n / 10` times the precision and the norm.
fn values<T: Factorable<Real = T> + Real>(
    what: &str,
    shape: &[usize],
    got: &DeviceArray<T>,
    want: &[f64],
) {
    let n = shape.iter().copied().max().unwrap_or(1) as f64;
    let norm = want.iter().fold(0.0f64, |m, w| m.max(w.abs()));
    let bound = (4.0 + 0.1 * n) * eps::<T>() * norm;
    let got: Vec<f64> = got.cast::<f64>().to_vec().unwrap();
    assert_eq!(got.len(), want.len(), "{what}");
    for (g, w) in got.iter().zip(want) {
        assert!(
            (g - w).abs() <= bound,
            "{what}: {g} for {w}, {:.2} times the bound",
            (g - w).abs() / bound
        );
    }
}

/// The residuals of solutions, inverses, Cholesky factors and least squares.
#[test]
fn solutions_of_hard_systems() {
    let hilbert =
        |n: usize| -> Vec<f64> { (0..n * n).map(|k| 1.0 / (k / n + k % n + 1) as f64).collect() };
    let norm = |x: &DeviceArray<f64>| x.square().sum(..).item().unwrap().sqrt();
    for (name, n, values, spd) in [
        ("Hilbert", 8usize, hilbert(8), true),
        ("Frank", 12, frank(12), false),
        (
            "graded",
            4,
            (0..16)
                .map(|k: i32| {
                    10f64.powi(-(k / 4) * 5 + (k % 4) * 3) + f64::from(u8::from(k % 5 == 0))
                })
                .collect(),
            false,
        ),
        ("huge", 2, vec![3e150, 1e150, 1e150, 2e150], true),
        ("tiny", 2, vec![3e-150, 1e-150, 1e-150, 2e-150], true),
    ] {
        let a = DeviceArray::from_vec([n, n], values).unwrap();
        let scale = norm(&(&a / a.abs().max(..))) * a.abs().max(..).item().unwrap();
        let b = DeviceArray::from_vec([n], (0..n).map(|k| k as f64 - 1.5).collect()).unwrap();
        let x = a.solve(&b);
        let off = norm(&(&a.matmul(&x.reshape([n, 1])).reshape([n]) - &b));
        let bound = 8.0 * n as f64 * f64::EPSILON * (scale * norm(&x) + norm(&b));
        assert!(off <= bound, "{name}: the residual is {off:e}, not {bound:e}");
        let inverse = a.inverse();
        let off = norm(&(&a.matmul(&inverse) - &DeviceArray::<f64>::eye(n)));
        let size = (&inverse / inverse.abs().max(..)).square().sum(..).item().unwrap().sqrt();
        let bound =
            8.0 * n as f64 * f64::EPSILON * scale * size * inverse.abs().max(..).item().unwrap();
        assert!(off <= bound, "{name}: A times its inverse is {off:e} off, not {bound:e}");
        if spd {
            let l = a.cholesky();
            let off = (&l.matmul(&l.t()) - &a).abs().max(..).item().unwrap();
            assert!(off <= 4.0 * n as f64 * f64::EPSILON * scale, "{name}: {off:e}");
        }
    }
}

/// Systems and triangles so small that the reciprocals of their pivots are no numbers.
#[test]
fn systems_of_tiny_numbers() {
    let scale = f64::MIN_POSITIVE / 1024.0;
    let mut wrong = Vec::new();
    for n in [5, 40, 300] {
        let entry = |i: usize, j: usize| ((i * 7 + j * 3 + i * j) % 11) as f64 - 4.0;
        let a = |i: usize, j: usize| entry(i, j) + if i == j { 8.0 * n as f64 } else { 0.0 };
        let array = |f: &dyn Fn(usize, usize) -> f64, width: usize| {
            let values = (0..n * width).map(|k| f(k / width, k % width)).collect();
            DeviceArray::from_vec([n, width], values).unwrap()
        };
        let x = |i: usize, k: usize| entry(i, k + 3);
        let product = |from: fn(usize, usize) -> bool| {
            let terms = move |i: usize, k: usize| {
                (0..n).filter(|&j| from(i, j)).map(|j| a(i, j) * scale * x(j, k)).sum::<f64>()
            };
            array(&terms, 2)
        };
        let (whole, want) = (array(&|i, j| a(i, j) * scale, n), array(&x, 2));
        let mut near = |what: &str, got: Result<DeviceArray<f64>>| match got
            .and_then(|got| (got - &want).abs().max(..).item())
        {
            Ok(off) if off < 1e-9 => (),
            answer => wrong.push(format!("{what} of {n}: {answer:?}")),
        };
        // cuSOLVER calls a matrix of so few of these numbers singular, which is no wrong value.
        if n > 5 || !whole.device().is_cuda() {
            near("solve", whole.try_solve(&product(|_, _| true)));
        }
        near("lower", whole.try_solve_triangular(&product(|i, j| j <= i), true));
        near("upper", whole.try_solve_triangular(&product(|i, j| j >= i), false));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Eigenvalues of matrices that are not symmetric, of numbers whose squares, or reciprocals, are none.
#[test]
fn eigenvalues_of_tiny_and_huge_numbers() {
    for (n, power) in [2, 5, 40].into_iter().flat_map(|n| [-1029, -700, 700, 1010].map(|p| (n, p)))
    {
        let a = checks::entries::<f64>(&[n, n]);
        let (w, v) = checks::times(&a, power).eig();
        let right = &v * checks::times(&w, -power);
        close(&format!("eig times 2^{power}"), &a.cast().matmul(&v), &right, 1e-9);
    }
}

/// Least squares and pseudo-inverses of columns that nearly depend on each other.
#[test]
fn least_squares_of_powers() {
    let t = |i: usize| i as f64 / 19_999.0;
    let values = (0..20_000).flat_map(|i| (0..6).map(move |k| t(i).powi(k))).collect();
    let a = DeviceArray::<f64>::from_vec([20_000, 6], values).unwrap();
    let want = [1.0, -2.0, 3.0, -4.0, 5.0, -6.0];
    let value = |i: usize| want.iter().rev().fold(0.0, |sum, c| sum * t(i) + c);
    let b = DeviceArray::from_vec([20_000], (0..20_000).map(value).collect()).unwrap();
    let found = a.lstsq(&b, None);
    assert_eq!(found.rank.item().unwrap(), 6);
    for (x, w) in found.x.to_vec().unwrap().iter().zip(want) {
        assert!((x - w).abs() <= 1e-9, "{x} for {w}");
    }
    let x = a.pinv(None).matmul(&b.reshape([20_000, 1])).to_vec().unwrap();
    for (x, w) in x.iter().zip(want) {
        assert!((x - w).abs() <= 1e-8, "{x} for {w}");
    }
}

/// Sums over 100,000 rows of `f32` leave an error of a thousandth, which another turn takes away.
#[test]
fn least_squares_of_many_rows() {
    on_each_device(|_| {
        let sign = |i: usize| if i.is_multiple_of(2) { 1.1f32 } else { 0.9 };
        let values = (0..100_000).flat_map(|i| [1.0, sign(i)]).collect();
        let a = DeviceArray::from_vec([100_000, 2], values).unwrap();
        let b = a.matmul(&DeviceArray::from_slice(&[1.0f32, 2.0]).unwrap());
        let x = a.lstsq(&b, None).x.to_vec().unwrap();
        // LAPACK's is off by 2e-5.
        assert!((x[0] - 1.0).abs() < 6e-5 && (x[1] - 2.0).abs() < 6e-5, "{x:?}");
    });
}
