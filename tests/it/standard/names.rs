//! Functions of NumPy's main namespace and of its `linalg` that other tables do not hold.

use super::{CLOSE, EXACT, File, with_file};
use crate::support::compare::Tolerance;
use lazuli::prelude::*;
use lazuli::{BinRule, Bins};

const RULES: [BinRule; 8] = [
    BinRule::Auto,
    BinRule::FreedmanDiaconis,
    BinRule::Doane,
    BinRule::Scott,
    BinRule::Stone,
    BinRule::Rice,
    BinRule::Sturges,
    BinRule::Sqrt,
];

fn rules<T: Real>(file: &File, name: &str, sample: &DeviceArray<T>) {
    let bins = file.array::<i64>(&format!("bins_{name}")).to_vec().unwrap();
    for (rule, bins) in RULES.into_iter().zip(bins) {
        let (counts, edges) = sample.histogram(Bins::Rule(rule)).unwrap();
        assert_eq!(counts.len() as i64, bins, "{name} {rule:?}");
        assert_eq!(counts.sum(..).item().unwrap(), sample.len() as i64);
        assert_eq!(sample.histogram_bin_edges(Bins::Rule(rule)).unwrap(), edges);
    }
    let edges = sample.histogram_bin_edges(Bins::Rule(BinRule::default())).unwrap();
    file.same(&format!("edges_{name}"), edges, CLOSE);
}

#[test]
fn bins_by_rules_are_numpys() {
    with_file(|file| {
        for name in ["normal", "skewed", "flat", "two", "one", "none"] {
            rules(file, name, &file.array::<f64>(&format!("sample_{name}")));
        }
        for name in ["whole", "few"] {
            rules(file, name, &file.array::<i64>(&format!("sample_{name}")));
        }
        let grid = file.array::<f64>("sample_normal").reshape([10, 15]);
        rules(file, "normal", &grid);
        let given = grid.histogram_bin_edges(Bins::Within(2, 0.0, 1.0)).unwrap();
        assert_eq!(given.to_vec().unwrap(), [0.0, 0.5, 1.0]);
        let odd = DeviceArray::from_slice(&[0.0, f64::NAN, 1.0]).unwrap();
        for rule in RULES {
            assert!(odd.histogram_bin_edges(Bins::Rule(rule)).unwrap_err().is_shape());
        }
        // The spread overflows, which leaves one bin: NumPy's gives a bound and no bin.
        let wide = DeviceArray::from_slice(&[1e300, -1e300, 5e299]).unwrap();
        let edges = wide.histogram_bin_edges(Bins::Rule(BinRule::Scott)).unwrap();
        assert_eq!(edges.to_vec().unwrap(), [-1e300, 1e300]);
        let far = DeviceArray::from_slice(&[-1.7e308, 1.7e308]).unwrap();
        assert!(far.histogram_bin_edges(Bins::Rule(BinRule::Sqrt)).unwrap_err().is_shape());
    });
}

#[test]
fn neighbours_of_numbers() {
    with_file(|file| {
        let odd = file.array::<f64>("odd");
        file.exact("spacing", odd.spacing());
        file.exact("spacing_single", odd.cast::<f32>().spacing());
        let halves = DeviceArray::from_slice(&[f16::ONE, f16::MAX, f16::ZERO]).unwrap();
        let steps = halves.spacing().to_vec().unwrap();
        assert_eq!(steps, [f16::EPSILON, f16::INFINITY, f16::from_bits(1)]);
        assert_eq!(odd.slice(s![..0]).spacing().shape(), [0]);
    });
}

#[test]
fn real_and_complex_numbers() {
    with_file(|_| {
        let (nan, i) = (f64::NAN, |re, im| Complex::new(re, im));
        let z = [i(1.0, 0.0), i(0.0, 1.0), i(nan, -0.0), i(0.0, nan), i(0.0, f64::INFINITY)];
        let z = DeviceArray::from_slice(&z).unwrap();
        assert_eq!(z.is_real().to_vec().unwrap(), [true, false, true, false, false]);
        assert_eq!(z.is_complex().to_vec().unwrap(), [false, true, false, true, true]);
        let x = DeviceArray::from_slice(&[1.0, nan]).unwrap();
        assert_eq!(x.is_real().to_vec().unwrap(), [true; 2]);
        assert_eq!(x.is_complex().to_vec().unwrap(), [false; 2]);
        assert_eq!(DeviceArray::<i32>::zeros([0, 2]).is_complex().shape(), [0, 2]);
    });
}

#[test]
fn arrays_that_are_equal_up_to_broadcasting() {
    with_file(|_| {
        let a = DeviceArray::from_slice(&[1, 2]).unwrap();
        let b = DeviceArray::try_from([[1, 2], [1, 2]]).unwrap();
        let equal = |a: &DeviceArray<i32>, b: &DeviceArray<i32>| a.array_equiv(b).item().unwrap();
        assert!(equal(&a, &b) && equal(&b, &a) && equal(&a, &a));
        assert!(!equal(&a, &b.t()) && !equal(&a, &DeviceArray::ones(3)));
        assert!(equal(&DeviceArray::ones(0), &DeviceArray::ones(1)));
        assert!(equal(&DeviceArray::ones(()), &DeviceArray::ones([2, 3])));
        let nan = DeviceArray::from_slice(&[f64::NAN]).unwrap();
        assert!(!nan.array_equiv(&nan).item().unwrap());
    });
}

#[test]
fn blocks_and_masks() {
    with_file(|file| {
        let one = DeviceArray::<i64>::arange_to(4).reshape([2, 2]);
        let two = DeviceArray::<i64>::full([2, 1], 8);
        let below = DeviceArray::<i64>::from_slice(&[5, 6, 7]).unwrap();
        file.exact("block", lazuli::block(&[&[&one, &two], &[&below]]));
        let (deep, flipped) = (one.insert_axis(0), one.flip(0));
        file.exact("block_deep", lazuli::block(&[&[&deep, &two], &[&flipped, &two]]));
        assert_eq!(lazuli::block(&[&[&DeviceArray::full((), 3)]]).shape(), [1, 1]);
        let refused = [
            lazuli::try_block(&[&[&one, &below]]),
            lazuli::try_block(&[&[&one], &[&below]]),
            lazuli::try_block::<i64>(&[]),
            lazuli::try_block(&[&[&one], &[]]),
        ];
        assert!(refused.into_iter().all(|made| made.is_err_and(|e| e.is_shape())));
        let (rows, columns) = lazuli::mask_indices(4, |ones| ones.tril(-1)).unwrap();
        let (known_rows, known_columns) = lazuli::tril_indices(4, 4, -1);
        assert_eq!((rows, columns), (known_rows, known_columns));
        assert_eq!(lazuli::mask_indices(0, |ones| ones).unwrap().0.shape(), [0]);
        assert!(lazuli::mask_indices(2, |ones| ones.sum(0)).unwrap_err().is_shape());
    });
}

#[test]
fn polynomials_from_roots_and_their_division() {
    with_file(|file| {
        let roots = file.array::<f64>("roots");
        file.close("poly", lazuli::poly(&roots));
        file.close("poly_complex", lazuli::poly(&file.array::<Complex<f64>>("roots_complex")));
        assert_eq!(lazuli::poly(&roots.slice(s![..0])).to_vec().unwrap(), [1.0]);
        let whole = DeviceArray::from_slice(&[1i64, -2]).unwrap();
        assert_eq!(lazuli::poly(&whole).to_vec().unwrap(), [1, 1, -2]);
        assert!(lazuli::try_poly(&roots.reshape([5, 1])).unwrap_err().is_shape());
        let (p, q) = (file.array::<f64>("dividend"), file.array::<f64>("divisor"));
        let (quotient, rest) = lazuli::polydiv(&p, &q);
        let back = lazuli::polyadd(&lazuli::polymul(&quotient, &q), &rest);
        assert!((back - &p).abs().max(..).item().unwrap() < 1e-14);
        file.close("quotient", quotient);
        file.close("remainder", rest);
        let (quotient, rest) = lazuli::polydiv(&q, &p);
        assert_eq!((quotient.to_vec().unwrap(), rest), (vec![0.0], q.clone()));
        let (quotient, rest) = lazuli::polydiv(&q, &DeviceArray::from_slice(&[2.0]).unwrap());
        assert_eq!(quotient.to_vec().unwrap(), [1.5, 0.5, -1.0]);
        assert_eq!(rest.to_vec().unwrap(), [0.0]);
        assert!(lazuli::try_polydiv(&p, &q.slice(s![..0])).unwrap_err().is_shape());
        assert!(lazuli::try_polydiv(&p.slice(s![..0]), &q).unwrap_err().is_shape());
        assert!(lazuli::try_polydiv(&p.reshape([6, 1]), &q).unwrap_err().is_shape());
    });
}

#[test]
fn equations_of_tensors() {
    const NEAR: Tolerance = Tolerance { ulp: 64, rtol: 1e-11, atol: 1e-11, signed_zero: false };
    with_file(|file| {
        let (a, b) = (file.array::<f64>("tensor"), file.array::<f64>("tensor_right"));
        file.same("tensorinv", a.tensorinv(2), NEAR);
        file.same("tensorinv_1", a.reshape([6, 2, 3]).tensorinv(1), NEAR);
        file.same("tensorsolve", a.tensorsolve(&b, &[]), NEAR);
        file.same("tensorsolve_axes", a.permute(&[2, 0, 1, 3]).tensorsolve(&b, &[0]), NEAR);
        let x = a.tensorsolve(&b, &[]);
        let off = a.tensordot_last(&x, 2) - &b;
        assert!(off.abs().max(..).item().unwrap() < 1e-12);
        let single = a.cast::<f32>().tensorsolve(&b.cast::<f32>(), &[]).cast::<f64>() - x;
        assert!(single.abs().max(..).item().unwrap() < 1e-3);
        for error in [
            a.try_tensorinv(0).err(),
            a.try_tensorinv(1).err(),
            a.try_tensorinv(5).err(),
            a.try_tensorsolve(&b, &[4]).err(),
            a.try_tensorsolve(&b.slice(s![..1]), &[]).err(),
            a.try_tensorsolve(&DeviceArray::ones([6]), &[]).err(),
        ] {
            assert!(error.is_some_and(|e| e.is_shape()));
        }
        let none = DeviceArray::<f64>::ones([0, 0]);
        assert_eq!(none.tensorinv(1).shape(), [0, 0]);
        let singular = DeviceArray::<f64>::ones([2, 2]).tensorinv(1).to_vec();
        assert!(singular.unwrap_err().is_numeric());
        file.same("tensor", a, EXACT);
    });
}
