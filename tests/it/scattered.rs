//! Polynomials through all points, and interpolants of points that lie anywhere, against SciPy's
//! (tests/data/interpolate).

use crate::support::load::json;
use crate::support::on_each_device;
use lazuli::interpolate::{
    Barycentric, Kernel, Krogh, NearestND, Rbf, barycentric_interpolate, krogh_interpolate,
    make_lsq_spline,
};
use lazuli::prelude::*;
use serde_json::Value;

/// Nested lists as an array.
fn array(value: &Value) -> DeviceArray<f64> {
    fn walk(value: &Value, shape: &mut Vec<usize>, depth: usize, flat: &mut Vec<f64>) {
        match value {
            Value::Array(list) => {
                if shape.len() == depth {
                    shape.push(list.len());
                }
                list.iter().for_each(|value| walk(value, shape, depth + 1, flat));
            }
            value => flat.push(value.as_f64().unwrap()),
        }
    }
    let (mut shape, mut flat) = (Vec::new(), Vec::new());
    walk(value, &mut shape, 0, &mut flat);
    DeviceArray::from_vec(shape, flat).unwrap()
}

#[track_caller]
fn close(what: &str, got: &DeviceArray<f64>, wanted: &DeviceArray<f64>, tolerance: f64) {
    assert_eq!(got.shape(), wanted.shape(), "{what}");
    let pairs = got.to_vec().unwrap().into_iter().zip(wanted.to_vec().unwrap());
    for (k, (got, wanted)) in pairs.enumerate() {
        assert!(
            (got - wanted).abs() <= tolerance * wanted.abs().max(1.0),
            "{what}, {k}: {got} for {wanted}"
        );
    }
}

#[test]
fn polynomials_are_scipys() {
    let cases = json("interpolate/points.json");
    on_each_device(|_| {
        for case in cases["polynomials"].as_array().unwrap() {
            let [x, y, at] = ["x", "y", "at"].map(|name| array(&case[name]));
            let f = Krogh::new(&x, &y).unwrap();
            close("krogh", &f.at(&at), &array(&case["krogh"]), 1e-11);
            close("slopes", &f.derivative(&at, 1), &array(&case["slopes"]), 1e-10);
            close("curves", &f.derivative(&at, 2), &array(&case["curves"]), 1e-9);
            let far = f.derivative(&at, 50).abs().max(..).item().unwrap();
            assert_eq!(far, 0.0);
            if case.get("values").is_some() {
                let values = array(&case["values"]);
                close("barycentric", &Barycentric::new(&x, &y).unwrap().at(&at), &values, 1e-12);
                close("once", &barycentric_interpolate(&x, &y, &at).unwrap(), &values, 1e-12);
                close("once", &krogh_interpolate(&x, &y, &at).unwrap(), &values, 1e-11);
            }
        }
    });
}

#[test]
fn odd_polynomials() {
    on_each_device(|_| {
        let (one, at) = (
            DeviceArray::from_slice(&[2.0]).unwrap(),
            DeviceArray::from_slice(&[2.0, 7.0]).unwrap(),
        );
        assert_eq!(Barycentric::new(&one, &one).unwrap().at(&at).to_vec().unwrap(), [2.0, 2.0]);
        assert_eq!(Krogh::new(&one, &one).unwrap().at(&at).to_vec().unwrap(), [2.0, 2.0]);
        // Beyond the type's whole numbers nothing is near; NaN is NaN; a number has no axes.
        let x = DeviceArray::from_slice(&[0.0f32, 1.0, 2.0]).unwrap();
        let nan = DeviceArray::from(f32::NAN);
        assert!(Barycentric::new(&x, &x).unwrap().at(&nan).item().unwrap().is_nan());
        assert!(Krogh::new(&x, &x).unwrap().at(&nan).item().unwrap().is_nan());
        assert!(Krogh::new(&x, &x).unwrap().derivative(&nan, 9).item().unwrap().is_nan());
        let half = DeviceArray::from(0.5f32);
        assert_eq!(Barycentric::new(&x, &x.square()).unwrap().at(&half).item().unwrap(), 0.25);
        // A value that is not finite stays where it is.
        let y = DeviceArray::from_slice(&[1.0f32, f32::INFINITY, 3.0]).unwrap();
        let got = Barycentric::new(&x, &y).unwrap().at(&x).to_vec().unwrap();
        assert_eq!(got, [1.0, f32::INFINITY, 3.0]);
        // A hundred points of Chebyshev's.
        let places: Vec<f64> =
            (0..100).map(|k| (std::f64::consts::PI * (k as f64 + 0.5) / 100.0).cos()).collect();
        let x = DeviceArray::from_slice(&places).unwrap();
        let at = DeviceArray::<f64>::linspace(-1.0, 1.0, 301);
        let f = Barycentric::new(&x, &(&x * 20.0).sin()).unwrap();
        let worst = (f.at(&at) - (&at * 20.0).sin()).abs().max(..).item().unwrap();
        assert!(worst < 1e-12, "{worst}");
        let none = DeviceArray::<f64>::zeros([0]);
        assert_eq!(f.at(&none).shape(), [0]);
    });
    let x = DeviceArray::from_slice(&[0.0, 1.0, 1.0]).unwrap();
    let endless = DeviceArray::from_slice(&[0.0, f64::NAN, 1.0]).unwrap();
    let short = DeviceArray::<f64>::ones([2]);
    for error in [
        Barycentric::new(&x, &x).unwrap_err(),
        Barycentric::new(&endless, &x).unwrap_err(),
        Barycentric::new(&short.slice(s![..0]), &short.slice(s![..0])).unwrap_err(),
        Barycentric::new(&DeviceArray::linspace(0.0, 1.0, 3), &short).unwrap_err(),
        Krogh::new(&endless, &x).unwrap_err(),
        Krogh::new(&x, &short).unwrap_err(),
        Krogh::new(&DeviceArray::from_slice(&[0.0, 1.0, 0.0]).unwrap(), &x).unwrap_err(),
    ] {
        assert!(error.is_shape(), "{error}");
    }
}

#[test]
fn scattered_points_are_scipys() {
    let cases = json("interpolate/points.json");
    let kernels = [
        ("linear", Kernel::Linear),
        ("thin_plate_spline", Kernel::ThinPlateSpline),
        ("cubic", Kernel::Cubic),
        ("quintic", Kernel::Quintic),
        ("multiquadric", Kernel::Multiquadric(1.7)),
        ("inverse_multiquadric", Kernel::InverseMultiquadric(1.7)),
        ("inverse_quadratic", Kernel::InverseQuadratic(1.7)),
        ("gaussian", Kernel::Gaussian(1.7)),
    ];
    on_each_device(|_| {
        for case in cases["scattered"].as_array().unwrap() {
            let [points, values, at] = ["points", "values", "at"].map(|name| array(&case[name]));
            let nearest = NearestND::new(&points, &values).unwrap();
            close("nearest", &nearest.at(&at), &array(&case["nearest"]), 0.0);
            for (name, kernel) in kernels {
                for smoothing in [0.0, 0.3] {
                    let f = Rbf::new(&points, &values, kernel, smoothing).unwrap();
                    let wanted = array(&case[format!("{name}_{smoothing:?}")]);
                    close(name, &f.at(&at), &wanted, 1e-9);
                }
                let through = Rbf::new(&points, &values, kernel, 0.0).unwrap().at(&points);
                close(name, &through, &values, 1e-10);
            }
        }
    });
}

#[test]
fn odd_scattered_points() {
    on_each_device(|_| {
        let points =
            DeviceArray::try_from([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).unwrap();
        let values = DeviceArray::from_slice(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        let at = DeviceArray::try_from([[f64::NAN, 0.0], [0.9, 0.8]]).unwrap();
        let nearest = NearestND::new(&points, &values).unwrap();
        let got = nearest.at(&at).to_vec().unwrap();
        assert!(got[0].is_nan() && got[1] == 4.0);
        // A point between all takes the first; places of any shape.
        let middle = DeviceArray::<f64>::full([2, 3, 2], 0.5);
        assert_eq!(nearest.at(&middle).to_vec().unwrap(), [1.0; 6]);
        assert_eq!(nearest.at(&DeviceArray::zeros([0, 2])).shape(), [0]);
        // Coordinates whose squares are no numbers of the type.
        for scale in [1e200, 1e-200] {
            let far = NearestND::new(&(&points * scale), &values).unwrap();
            let got = far.at(&(&at * scale)).to_vec().unwrap();
            assert!(got[0].is_nan() && got[1] == 4.0, "{scale}: {got:?}");
        }
        for scale in [1e25f32, 1e-25] {
            let [points, at] = [&points, &at].map(|a| a.cast::<f32>() * scale);
            let far = NearestND::new(&points, &values.cast::<f32>()).unwrap();
            let got = far.at(&at).to_vec().unwrap();
            assert!(got[0].is_nan() && got[1] == 4.0, "{scale}: {got:?}");
        }
        let one =
            NearestND::new(&DeviceArray::<f64>::zeros([1, 2]), &DeviceArray::ones(1)).unwrap();
        assert_eq!(one.at(&middle).to_vec().unwrap(), [1.0; 6]);
        let f = Rbf::new(&points, &values, Kernel::ThinPlateSpline, 0.0).unwrap();
        let got = f.at(&at).to_vec().unwrap();
        assert!(got[0].is_nan() && (got[1] - (1.0 + 0.9 + 2.0 * 0.8)).abs() < 1e-12);
        assert_eq!(f.at(&middle).shape(), [2, 3]);
        assert_eq!(f.at(&DeviceArray::zeros([0, 2])).shape(), [0]);
        // A point that comes twice has no interpolant.
        let twice = DeviceArray::try_from([[0.0], [1.0], [1.0], [2.0]]).unwrap();
        let f = Rbf::new(&twice, &values, Kernel::Linear, 0.0).unwrap();
        assert!(f.at(&twice).to_vec().is_err_and(|e| e.is_numeric()));
        let smooth = Rbf::new(&twice, &values, Kernel::Linear, 0.5).unwrap();
        assert!(smooth.at(&twice).to_vec().unwrap().iter().all(|x| x.is_finite()));
        let single =
            Rbf::new(&points.cast::<f32>(), &values.cast::<f32>(), Kernel::Cubic, 0.0).unwrap();
        let got = single.at(&points.cast::<f32>()) - values.cast::<f32>();
        assert!(got.abs().max(..).item().unwrap() < 1e-4);
        // Without reach in one direction the scale is one.
        let line = DeviceArray::try_from([[0.0, 5.0], [1.0, 5.0], [3.0, 5.0]]).unwrap();
        let heights = values.slice(s![..3]);
        let f = Rbf::new(&line, &heights, Kernel::Gaussian(1.0), 0.0).unwrap();
        assert!((f.at(&line) - heights).abs().max(..).item().unwrap() < 1e-12);
    });
    let points = DeviceArray::<f64>::ones([3, 2]);
    let values = DeviceArray::<f64>::ones([2]);
    assert!(NearestND::new(&points, &values).unwrap_err().is_shape());
    assert!(Rbf::new(&points, &values, Kernel::Linear, 0.0).unwrap_err().is_shape());
    assert!(NearestND::new(&values, &values).unwrap_err().is_shape());
    let three = DeviceArray::<f64>::ones([3]);
    assert!(Rbf::new(&points, &three, Kernel::Quintic, 0.0).unwrap_err().is_shape());
}

#[test]
fn splines_near_points_are_scipys() {
    let cases = json("interpolate/points.json");
    let numbers = |value: &Value| array(value).to_vec().unwrap();
    on_each_device(|_| {
        for case in cases["splines"].as_array().unwrap() {
            let [x, y, at, weights] = ["x", "y", "at", "weights"].map(|name| array(&case[name]));
            let (knots, degree) =
                (numbers(&case["knots"]), case["degree"].as_u64().unwrap() as usize);
            let f = make_lsq_spline(&x, &y, &knots, degree, None).unwrap();
            close("values", &f.at(&at), &array(&case["values"]), 1e-11);
            let f = make_lsq_spline(&x, &y, &knots, degree, Some(&weights)).unwrap();
            close("weighted", &f.at(&at), &array(&case["weighted"]), 1e-11);
        }
    });
    let (x, y) = (DeviceArray::<f64>::linspace(0.0, 1.0, 6), DeviceArray::<f64>::ones([6]));
    let made = |x: &DeviceArray<f64>, y: &DeviceArray<f64>, knots: &[f64]| {
        make_lsq_spline(x, y, knots, 1, None).map(|_| ()).unwrap_err()
    };
    let line = [0.0, 0.0, 1.0, 1.0];
    assert!(made(&x, &y.slice(s![..5]), &line).is_shape());
    assert!(made(&x.flip(0), &y, &line).is_shape());
    assert!(made(&(&x * 2.0), &y, &line).is_shape());
    assert!(made(&(&x * f64::NAN), &y, &line).is_shape());
    assert!(made(&x, &y, &[0.0, 0.0, 1.0]).is_shape());
    assert!(made(&x, &y, &[0.0, 0.0, 0.5, 0.2, 1.0, 1.0]).is_shape());
    assert!(made(&x.slice(s![..1]), &y.slice(s![..1]), &line).is_shape());
    // Three knots between two points.
    let knots = [0.0, 0.0, 0.01, 0.02, 0.03, 1.0, 1.0];
    assert!(made(&x, &y, &knots).is_numeric());
    let short = y.slice(s![..3]);
    assert!(make_lsq_spline(&x, &y, &line, 1, Some(&short)).unwrap_err().is_shape());
}
