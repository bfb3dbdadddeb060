//! Interpolants against SciPy's (tests/data/interpolate).

use crate::support::load::json;
use crate::support::on_each_device;
use lazuli::interpolate::{
    BSpline, Beyond, Boundary, GridMethod, PPoly, RegularGrid, akima, cubic_spline, hermite,
    make_interp_spline, pchip,
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
            Value::Null => flat.push(f64::NAN),
            value => flat.push(value.as_f64().unwrap()),
        }
    }
    let (mut shape, mut flat) = (Vec::new(), Vec::new());
    walk(value, &mut shape, 0, &mut flat);
    DeviceArray::from_vec(shape, flat).unwrap()
}

fn close(what: &str, got: &DeviceArray<f64>, wanted: &DeviceArray<f64>, tolerance: f64) {
    assert_eq!(got.shape(), wanted.shape(), "{what}");
    for (k, (got, wanted)) in got.to_vec().unwrap().iter().zip(wanted.to_vec().unwrap()).enumerate()
    {
        let near = (got - wanted).abs() <= tolerance * wanted.abs().max(1.0);
        assert!(near || got.is_nan() && wanted.is_nan(), "{what}, {k}: {got} for {wanted}");
    }
}

/// One of both kinds.
enum Line {
    Pieces(PPoly<f64>),
    Spline(BSpline<f64>),
}

fn made(case: &Value) -> Line {
    let (x, y) = (array(&case["x"]), array(&case["y"]));
    Line::Pieces(match case["name"].as_str().unwrap() {
        "cubic" => {
            let boundary = match case["boundary"].as_str().unwrap() {
                "not-a-knot" => Boundary::NotAKnot,
                "natural" => Boundary::Natural,
                "clamped" => Boundary::Clamped,
                "periodic" => Boundary::Periodic,
                "slopes" => Boundary::Slopes(0.5, -2.0),
                _ => Boundary::Curvatures(0.5, -2.0),
            };
            cubic_spline(&x, &y, boundary).unwrap()
        }
        "pchip" => pchip(&x, &y).unwrap(),
        "akima" => akima(&x, &y).unwrap(),
        "hermite" => hermite(&x, &y, &array(&case["dydx"])).unwrap(),
        _ => {
            let degree = case["degree"].as_u64().unwrap() as usize;
            return Line::Spline(make_interp_spline(&x, &y, degree).unwrap());
        }
    })
}

#[test]
fn lines_are_those_of_scipy() {
    let cases = json("interpolate/cases.json");
    on_each_device(|_| {
        let mut seen = 0;
        for case in cases["lines"].as_array().unwrap() {
            let what = format!("{} {} {}", case["name"], case["boundary"], case["x"]);
            let at = array(&case["at"]);
            let line = made(case);
            let (values, slopes, areas) = match &line {
                Line::Pieces(f) => (f.at(&at), f.derivative(1).at(&at), f.antiderivative().at(&at)),
                Line::Spline(f) => (
                    f.at(&at),
                    f.derivative().unwrap().at(&at),
                    f.antiderivative().unwrap().at(&at),
                ),
            };
            close(&what, &values, &array(&case["values"]), 1e-11);
            if !case["slopes"].is_null() {
                close(&what, &slopes, &array(&case["slopes"]), 1e-10);
            }
            if !case["areas"].is_null() {
                close(&what, &areas, &array(&case["areas"]), 1e-10);
            }
            if let Line::Pieces(f) = &line
                && !case["integral"].is_null()
            {
                let x = array(&case["x"]).to_vec().unwrap();
                let got = f.integrate(x[0] - 0.3, x[x.len() - 1] + 5.5);
                close(&what, &got, &array(&case["integral"]), 1e-10);
            }
            seen += 1;
        }
        assert!(seen > 40);
    });
}

#[test]
fn grids_are_those_of_scipy() {
    let cases = json("interpolate/cases.json");
    on_each_device(|_| {
        for case in cases["grids"].as_array().unwrap() {
            let what = format!("{} {} {}", case["shape"], case["method"], case["extrapolates"]);
            let shape: Vec<usize> = case["shape"]
                .as_array()
                .unwrap()
                .iter()
                .map(|n| n.as_u64().unwrap() as usize)
                .collect();
            let lines: Vec<DeviceArray<f64>> =
                case["lines"].as_array().unwrap().iter().map(array).collect();
            let places: Vec<DeviceArray<f64>> =
                case["places"].as_array().unwrap().iter().map(array).collect();
            let grid = RegularGrid::new(
                &lines.iter().collect::<Vec<_>>(),
                &array(&case["values"]).reshape(shape.clone()),
            );
            let grid = grid.unwrap().method(match case["method"].as_str().unwrap() {
                "linear" => GridMethod::Linear,
                _ => GridMethod::Nearest,
            });
            let grid = match case["extrapolates"].as_bool().unwrap() {
                true => grid.beyond(Beyond::Extrapolate),
                false => grid,
            };
            let got = grid.at(&places.iter().collect::<Vec<_>>());
            close(&what, &got.reshape([got.len()]), &array(&case["got"]), 1e-12);
        }
    });
}

#[test]
fn reading_a_spline_is_one_kernel() {
    let x = DeviceArray::<f64>::linspace(0.0, 1.0, 20);
    let f = cubic_spline(&x, &x.cos(), Boundary::Natural).unwrap();
    let at = DeviceArray::<f64>::linspace(0.0, 1.0, 1000);
    let plan = lazuli::explain(&[&(f.at(&at.square()) * 2.0)]);
    assert_eq!((plan.kernels(), plan.library_calls()), (1, 0));
}

#[test]
fn edges() {
    on_each_device(|_| {
        let x = DeviceArray::from_slice(&[0.0f32, 1.0, 3.0]).unwrap();
        let f = pchip(&x, &x).unwrap();
        // Places of any shape, none and one among them.
        assert_eq!(f.at(&DeviceArray::zeros([0, 2])).shape(), [0, 2]);
        assert_eq!(f.at(&DeviceArray::full((), 2.0)).item().unwrap(), 2.0);
        let odd = DeviceArray::from_slice(&[f32::NAN, f32::INFINITY, -1.0, 4.0]).unwrap();
        let values = f.at(&odd).to_vec().unwrap();
        assert!(values[0].is_nan() && values[2] == -1.0 && values[3] == 4.0);
        let inside = f.clone().beyond(Beyond::Nan).at(&odd).to_vec().unwrap();
        assert!(inside.iter().all(|x| x.is_nan()));
        let again = f.clone().beyond(Beyond::Periodic).at(&odd).to_vec().unwrap();
        assert_eq!(again[2..], [2.0, 1.0]);
        // A constant and its derivative know NaN.
        let flat = f.derivative(1).derivative(3).at(&odd).to_vec().unwrap();
        assert!(flat[0].is_nan() && flat[2] == 0.0);
        let halves = pchip(&x.cast::<f16>(), &x.cast::<f16>()).unwrap();
        assert_eq!(halves.at(&DeviceArray::full([1], f16::ONE)).to_vec().unwrap(), [f16::ONE]);
        let steps = BSpline::new(&[0.0, 1.0, 2.0], &x.slice(s![..2]), 0).unwrap();
        assert!(steps.at(&odd).to_vec().unwrap()[0].is_nan());
    });
}

#[test]
fn points_that_do_not_fit_are_errors() {
    let x = DeviceArray::from_slice(&[0.0, 1.0, 1.0]).unwrap();
    let y = DeviceArray::<f64>::ones([3]);
    let rising = DeviceArray::from_slice(&[0.0, 1.0, 2.0]).unwrap();
    let one = rising.slice(s![..1]);
    let wrong = [
        (cubic_spline(&x, &y, Boundary::NotAKnot).map(|_| ()), "1 and 1 do not rise"),
        (cubic_spline(&one, &one, Boundary::NotAKnot).map(|_| ()), "are 2 at least"),
        (cubic_spline(&rising, &rising, Boundary::Periodic).map(|_| ()), "periodic"),
        (pchip(&(&rising * f64::NAN), &y).map(|_| ()), "do not rise"),
        (pchip(&rising, &one).map(|_| ()), "values of shape [1] at 3 points"),
        (akima(&rising.insert_axis(0), &y).map(|_| ()), "one axis"),
        (hermite(&rising, &y, &one).map(|_| ()), "slopes of shape [1]"),
        (make_interp_spline(&rising, &y, 3).map(|_| ()), "degree 3 through 3 points"),
        (make_interp_spline(&rising, &y, 0).map(|_| ()), "degree 0"),
        (BSpline::new(&[0.0, 1.0], &y, 1).map(|_| ()), "2 knots"),
        (BSpline::new(&[0.0, 2.0, 1.0, 3.0], &y, 0).map(|_| ()), "fall"),
        (PPoly::new(&y, &rising).map(|_| ()), "coefficients of shape [3]"),
        (RegularGrid::new(&[&rising, &rising], &y).map(|_| ()), "along axis 1"),
        (RegularGrid::new(&[], &y).map(|_| ()), "an axis at least"),
        (
            RegularGrid::new(&[&rising], &y).unwrap().try_at(&[&y, &y]).map(|_| ()),
            "2 coordinates for 1",
        ),
    ];
    for (result, said) in wrong {
        let error = result.unwrap_err();
        assert!(error.is_shape() && error.to_string().contains(said), "{error} for {said}");
    }
    assert!(BSpline::new(&[0.0, 1.0], &one, 0).unwrap().derivative().unwrap_err().is_shape());
}
