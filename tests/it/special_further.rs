//! As `special_functions.rs`, for distribution functions, Box and Cox's transforms, angles in degrees,
//! and more integrals and functions beside Γ.

use crate::special_functions::{
    Bound, F64, Results, Row, agrees, checks, column, table, values_within_bounds, whole,
};
use crate::support::load::arrays;
use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::special as sp;

fn further() -> Vec<Row> {
    let mut rows = distributions();
    rows.extend(checks! {
        boxcox(x, x): 8 1 0 0;
        boxcox1p(x, x): 8 1 0 0;
        inv_boxcox(x, x): 8 2 0 0;
        inv_boxcox1p(x, x): 8 2 0 0;
        cosm1(x): 4 0 0 0;
        exprel(x): 4 0 0 0;
        sindg(x): 4 0 0 0;
        cosdg(x): 4 0 0 0;
        tandg(x): 4 0 0 0;
        cotdg(x): 4 0 0 0;
        radian(x, x, x): 4 0 0 0;
        gammasgn(x): 0 0 0 0;
        rgamma(x): 16 0 0 0;
        loggamma(x): 4 0 1 0;
        multigammaln(x, n): 8 0 1 0;
        zetac(x): 8 1 0.1 0;
        erfcx(x): 8 0 0 0;
        expn(n, x): 8 0 0 0;
        sici(x): 4 0 1 0;
        shichi(x): 8 0 1 0;
        spherical_yn(n, x): 16 0 0.1 0;
    });
    rows
}

fn distributions() -> Vec<Row> {
    checks! {
        bdtr(x, x, x): 150 2 0.2 0;
        bdtrc(x, x, x): 150 2 0.2 0;
        bdtri(x, x, x): 500 2 0 0;
        nbdtr(x, x, x): 150 2 0.2 0;
        nbdtrc(x, x, x): 150 2 0.2 0;
        nbdtri(x, x, x): 500 2 0 0;
        pdtr(x, x): 60 2 0 0;
        pdtrc(x, x): 60 2 0 0;
        pdtri(x, x): 80 0 0 0;
        chdtr(x, x): 60 2 0 0;
        chdtrc(x, x): 60 2 0 0;
        chdtri(x, x): 80 0 0 0;
        gdtr(x, x, x): 120 2 0 0;
        gdtrc(x, x, x): 120 2 0 0;
        fdtr(x, x, x): 150 2 0.2 0;
        fdtrc(x, x, x): 150 2 0.2 0;
        fdtri(x, x, x): 500 2 0 0;
    }
}

#[test]
fn further_values_are_within_the_documented_bounds() {
    values_within_bounds("special/further.npz", &further());
}

#[test]
fn further_edges_are_those_of_scipy() {
    let file = arrays("special/further.npz");
    on_each_device(|_| {
        let (mut seen, mut wrong) = (0, Vec::new());
        for row in further() {
            let name = format!("edges_{}", row.name);
            if !file.contains_key(&format!("{name}.f64")) {
                continue;
            }
            seen += 1;
            let table = table(&file, &name);
            let arguments: Vec<F64> = (0..row.arguments).map(|k| column(&table, k)).collect();
            for (k, found) in (row.call)(&arguments).into_iter().enumerate() {
                let values = found.to_vec().unwrap();
                for (line, found) in table.rows().into_iter().zip(values) {
                    if !agrees(found, line[row.arguments + k]) {
                        wrong.push(format!("{}: {found:e} at {line}", row.name));
                    }
                }
            }
        }
        let tables = file.keys().filter(|key| key.starts_with("edges_")).count();
        assert_eq!(seen, tables, "a table without its function");
        assert!(wrong.is_empty(), "not as SciPy:\n{}", wrong.join("\n"));
    });
}

#[test]
fn whole_parameters_and_other_edges() {
    on_each_device(|_| {
        let x = |values: &[f64]| DeviceArray::from_slice(values).unwrap();
        let all = |a: F64| a.to_vec().unwrap();
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        let same = |found: Vec<f64>, wanted: &[f64]| {
            assert_eq!(found.len(), wanted.len());
            let equal = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
            assert!(found.iter().zip(wanted).all(equal), "{found:?} instead of {wanted:?}");
        };
        let odd = x(&[0.0, -1.0, infinity, nan]);
        same(all(sp::expn(0, &odd)), &[infinity, nan, 0.0, nan]);
        same(all(sp::expn(3, &odd)), &[0.5, nan, 0.0, nan]);
        same(all(sp::expn(-1, &odd)), &[nan; 4]);
        same(
            all(sp::spherical_yn(1, &x(&[0.0, infinity, -infinity, nan]))),
            &[-infinity, 0.0, 0.0, nan],
        );
        same(all(sp::spherical_yn(-1, &x(&[1.0]))), &[nan]);
        same(
            all(sp::multigammaln(&x(&[0.4, 0.5, nan, 3.0]), 2)),
            &[nan, nan, nan, all(sp::multigammaln(3.0, 2))[0]],
        );
        same(all(sp::multigammaln(&x(&[3.0]), 0)), &[0.0]);
        same(all(sp::multigammaln(&x(&[3.0]), -1)), &[nan]);
        // Counts are rounded down or towards zero, as SciPy does with a warning.
        same(all(sp::bdtr(2.7, 5.9, &x(&[0.25]))), &all(sp::bdtr(2.0, 5.0, &x(&[0.25]))));
        same(all(sp::nbdtr(2.7, 5.9, &x(&[0.25]))), &all(sp::nbdtr(2.0, 5.0, &x(&[0.25]))));
        same(
            all(sp::sindg(&x(&[infinity, 1e300, 720.0]))),
            &[nan, all(sp::sindg(&x(&[1e300 % 360.0])))[0], 0.0],
        );
        // The exponential of the square overflows a little later than twice itself.
        same(all(sp::erfcx(&x(&[-26.65, -26.67, -26.69, -26.7]))), &[infinity; 4]);
        let largest = all(sp::erfcx(&x(&[-26.62])))[0];
        assert!((largest / (2.0 * (26.62f64 * 26.62).exp()) - 1.0).abs() < 1e-12, "{largest}");
        // No power of a large number comes up to its exponential.
        let far = x(&[1e5, 1e100, 1e300]);
        same(all(sp::chdtrc(5.0, &far)), &[0.0; 3]);
        same(all(sp::chdtr(20.3, &far)), &[1.0; 3]);
        same(all(sp::gammaincc(19.9, &far)), &[0.0; 3]);
        // One parameter tiny and the other large: nearly all lies far below.
        let near = |found: f64, wanted: f64| {
            assert!((found / wanted - 1.0).abs() < 1e-9, "{found:e} instead of {wanted:e}");
        };
        same(all(sp::fdtr(0.001, &x(&[1e5, 1e8, 1e15]), 1e5)), &[1.0; 3]);
        near(all(sp::fdtrc(0.001, &x(&[1e5]), 1e5))[0], 1.9458068055628836e-27);
        near(all(sp::fdtrc(0.002, &x(&[1e4]), 5005.005005005005))[0], 1.1482808498760068e-6);
        same(all(sp::betainc(5e7, &x(&[5e-4]), 0.999)), &[0.0]);
        near(all(sp::betainc(5000.0, &x(&[0.001]), 0.999))[0], 1.1482808498760068e-6);
        let large = all(sp::boxcox(&x(&[1e300, 2.0]), 1.5));
        assert!(large[0] == infinity && (large[1] * 1.5 - 8f64.sqrt() + 1.0).abs() < 1e-15);
    });
}

#[test]
fn further_functions_round_once_broadcast_and_may_be_empty() {
    on_each_device(|_| {
        let single = DeviceArray::<f32>::linspace(0.25, 8.0, 32);
        let double = single.cast::<f64>();
        assert_eq!(sp::erfcx(&single), sp::erfcx(&double).cast::<f32>());
        assert_eq!(sp::fdtr(2.0, 3.0, &single), sp::fdtr(2.0, 3.0, &double).cast::<f32>());
        let (sine, cosine) = sp::sici(&single);
        assert_eq!((sine, cosine), (sp::sici(&double).0.cast(), sp::sici(&double).1.cast()));
        let column = double.reshape([32, 1]);
        assert_eq!(sp::boxcox(&double, &column).shape(), [32, 32]);
        assert_eq!(
            sp::expn(&DeviceArray::from_slice(&[1, 2]).unwrap().reshape([2, 1]), &double).shape(),
            [2, 32]
        );
        assert_eq!(sp::pdtr(&double.slice(s![..0]), 2.0).shape(), [0]);
        assert_eq!(sp::cosm1(&double.sum(..)).shape(), [0; 0]);
        let error = sp::try_bdtr(&double, &DeviceArray::<f64>::ones(5), 0.5).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("bdtr"), "{error}");
    });
}

/// The probability of a sum of squares beyond `x`, and how the logarithm of Γ's reciprocal goes on.
#[vectorize]
fn tail(x: f64, v: f64) -> (f64, f64) {
    (sp::device::chdtrc(v, x), sp::device::rgamma(v) * sp::device::expn(2, x))
}

#[test]
fn users_functions_call_the_further_ones() {
    on_each_device(|_| {
        let x = DeviceArray::from_slice(&[0.5, 2.0, 7.5]).unwrap();
        let (tails, rest) = tail::call(&x, 3.0);
        let wanted =
            [sp::chdtrc(3.0, &x), sp::rgamma(&DeviceArray::full(3, 3.0)) * sp::expn(2, &x)];
        for (found, wanted) in [tails, rest].into_iter().zip(wanted) {
            assert!(((found - &wanted) / &wanted).abs().max(..).item().unwrap() < 1e-14);
        }
    });
}
