//! The examples' part of the walk: each program on generated inputs.

use super::Outcome;
use super::common::files::output;
use super::common::{GOLDEN, plain, spread};
use super::report::{Entry, Tour};
use lazuli::prelude::*;
use ndarray::{Array1, Array2, arr0};

use super::examples::{black_scholes::black_scholes, great_circle, product::product};
use super::examples::{row_sum::row_sum, scale::scale, sinexp::sinexp};

/// Values spread over a range.
fn values(n: usize, ratio: f64, low: f64, high: f64) -> Array1<f64> {
    Array1::from_shape_fn(n, |i| low + (high - low) * spread(i, ratio))
}

/// Runs every program with inputs of about `n` elements.
pub fn walk(tour: &mut Tour, n: usize) -> Outcome<()> {
    elementwise(tour, n)?;
    reductions(tour, n)?;
    prices(tour, n)
}

fn elementwise(tour: &mut Tour, n: usize) -> Outcome<()> {
    let (x, y) = (values(n, GOLDEN, 0.0, 6.0), values(n, 0.4142135623730951, -1.0, 1.0));
    tour.step(&Entry {
        name: "scale",
        what: "y = 2·x",
        prepare: &|| {
            let x = to_device(&x)?;
            Ok(Box::new(move || vec![output("y", scale(&x))]))
        },
        plain: &|| vec![plain::scale(&x).into_dyn()],
    })?;
    tour.step(&Entry {
        name: "sinexp",
        what: "z = sin(x)·exp(y)",
        prepare: &|| {
            let (x, y) = (to_device(&x)?, to_device(&y)?);
            Ok(Box::new(move || vec![output("z", sinexp(&x, &y))]))
        },
        plain: &|| vec![plain::sinexp(&x, &y).into_dyn()],
    })?;
    let side = (n as f64).sqrt() as usize;
    tour.step(&Entry {
        name: "great_circle",
        what: "a function over a mesh that is made inside the kernel",
        prepare: &|| {
            Ok(Box::new(move || {
                let (lat, lon) = great_circle::mesh(side, side);
                vec![output("d", great_circle::great_circle(&lat, &lon))]
            }))
        },
        plain: &|| {
            let line = |a, b| Array1::linspace(a, b, side);
            let (lat, lon) = (line(29.0, 31.0), line(99.0, 101.0));
            vec![plain::great_circle(lat.view(), lon.view()).into_dyn()]
        },
    })?;
    Ok(())
}

fn reductions(tour: &mut Tour, n: usize) -> Outcome<()> {
    let side = (n as f64).sqrt() as usize;
    let a = Array2::from_shape_fn((side, side), |(y, x)| spread(y * side + x, GOLDEN) as f32);
    tour.step(&Entry {
        name: "row_sum",
        what: "s = a.sum(-1), of float32",
        prepare: &|| {
            let a = to_device(&a)?;
            Ok(Box::new(move || vec![output("s", row_sum(&a))]))
        },
        plain: &|| vec![plain::row_sum(&a.mapv(f64::from).into_dyn())],
    })?;
    let x = values(n, GOLDEN, 0.9995, 1.0005);
    tour.step(&Entry {
        name: "product",
        what: "x.prod(..)",
        prepare: &|| {
            let x = to_device(&x)?;
            Ok(Box::new(move || vec![output("product", product(&x))]))
        },
        plain: &|| vec![arr0(plain::product(&x)).into_dyn()],
    })?;
    Ok(())
}

fn prices(tour: &mut Tour, n: usize) -> Outcome<()> {
    let (s, x) = (values(n, GOLDEN, 5.0, 30.0), values(n, 0.4142135623730951, 1.0, 100.0));
    let t = values(n, 0.7320508075688772, 0.25, 10.0);
    tour.step(&Entry {
        name: "black_scholes",
        what: "call and put prices, both from one kernel",
        prepare: &|| {
            let (s, x, t) = (to_device(&s)?, to_device(&x)?, to_device(&t)?);
            Ok(Box::new(move || {
                let (call, put) = black_scholes(&s, &x, &t);
                vec![output("call", call), output("put", put)]
            }))
        },
        plain: &|| {
            let (call, put) = plain::black_scholes(&s, &x, &t);
            vec![call.into_dyn(), put.into_dyn()]
        },
    })?;
    Ok(())
}
