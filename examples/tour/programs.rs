//! The examples' part of the walk: each program on generated inputs.

use super::Outcome;
use super::common::files::output;
use super::common::{GOLDEN, plain, spread};
use super::report::{Entry, Record, Tour};
use lazuli::prelude::*;
use lazuli::{PinnedArray, Stream};
use ndarray::{Array1, Array2, arr0};
use std::cell::RefCell;

use super::examples::{black_scholes::black_scholes, great_circle, lorenz04, product::product};
use super::examples::{random::random, row_sum::row_sum, scale::scale, sinexp::sinexp};
use super::examples::{smooth, smooth::smooth as smoothed, streams};

/// Values spread over a range.
fn values(n: usize, ratio: f64, low: f64, high: f64) -> Array1<f64> {
    Array1::from_shape_fn(n, |i| low + (high - low) * spread(i, ratio))
}

/// Runs every program with inputs of about `n` elements.
pub fn walk(tour: &mut Tour, n: usize) -> Outcome<()> {
    elementwise(tour, n)?;
    reductions(tour, n)?;
    prices(tour, n)?;
    numbers(tour, n)?;
    overlapping(tour, n)?;
    rings(tour, n)
}

fn elementwise(tour: &mut Tour, n: usize) -> Outcome<()> {
    let (x, y) = (values(n, GOLDEN, 0.0, 6.0), values(n, 0.4142135623730951, -1.0, 1.0));
    tour.step(&Entry {
        name: "scale",
        what: "y = 2·x",
        prepare: &|| {
            let x = to_device(&x)?;
            Ok(Record::lazy(move || vec![output("y", scale(&x))]))
        },
        plain: &|| vec![plain::scale(&x).into_dyn()],
    })?;
    tour.step(&Entry {
        name: "sinexp",
        what: "z = sin(x)·exp(y)",
        prepare: &|| {
            let (x, y) = (to_device(&x)?, to_device(&y)?);
            Ok(Record::lazy(move || vec![output("z", sinexp(&x, &y))]))
        },
        plain: &|| vec![plain::sinexp(&x, &y).into_dyn()],
    })?;
    let side = (n as f64).sqrt() as usize;
    tour.step(&Entry {
        name: "great_circle",
        what: "a function over a mesh that is made inside the kernel",
        prepare: &|| {
            Ok(Record::lazy(move || {
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
            Ok(Record::lazy(move || vec![output("s", row_sum(&a))]))
        },
        plain: &|| vec![plain::row_sum(&a.mapv(f64::from).into_dyn())],
    })?;
    let x = values(n, GOLDEN, 0.9995, 1.0005);
    tour.step(&Entry {
        name: "product",
        what: "x.prod(..)",
        prepare: &|| {
            let x = to_device(&x)?;
            Ok(Record::lazy(move || vec![output("product", product(&x))]))
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
            Ok(Record::lazy(move || {
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

fn numbers(tour: &mut Tour, n: usize) -> Outcome<()> {
    const SEED: u64 = 42;
    tour.step(&Entry {
        name: "random",
        what: "uniform and normal numbers, the same on every device",
        prepare: &|| {
            Ok(Record::lazy(move || {
                let [u, g] = random(SEED, n);
                vec![output("u", u), output("g", g)]
            }))
        },
        plain: &|| {
            let (u, g) = plain::random::random(SEED, n);
            vec![u.into_dyn(), g.into_dyn()]
        },
    })?;
    Ok(())
}

fn overlapping(tour: &mut Tour, n: usize) -> Outcome<()> {
    const NODES: usize = 64;
    const PARTS: usize = 4;
    let x = values(n.clamp(1, 200_000), GOLDEN, 0.0, 20.0).mapv(|x| x as f32);
    tour.step(&Entry {
        name: "streams",
        what: "Bessel's J0 in parts on two streams, whose copies and kernels overlap",
        prepare: &|| {
            let (rows, sines) = (x.len().div_ceil(PARTS), streams::sines(NODES)?);
            let parts = PinnedArray::from_ndarray(&x)?.into_parts(rows)?;
            let results = RefCell::new(PinnedArray::zeros(x.len())?.into_parts(rows)?);
            let both = [Stream::new()?, Stream::new()?];
            let bytes = 4 * (2 * x.len() + NODES * parts.len());
            let text = format!("{} parts, each copied, computed and copied back", parts.len());
            Ok(Record::launched(bytes, text, move || {
                let mut results = results.borrow_mut();
                streams::compute("lazy", &both, &sines, &parts, &mut results)?;
                let mut y = Vec::new();
                for part in &*results {
                    y.extend_from_slice(part.as_slice()?);
                }
                Ok(vec![output("y", DeviceArray::from_slice(&y)?)])
            }))
        },
        plain: &|| vec![plain::bessel(&x.mapv(f64::from), NODES).into_dyn()],
    })?;
    Ok(())
}

fn rings(tour: &mut Tour, n: usize) -> Outcome<()> {
    // A ring has at least one point, however small the tour.
    let (z, a) = (values(n.max(1), GOLDEN, 0.0, 1.0), values(25, 0.4142135623730951, 0.0, 1.0));
    tour.step(&Entry {
        name: "smooth",
        what: "a weighted sum around each point of a ring, along windows",
        prepare: &|| {
            let (z, a) = (to_device(&z)?, to_device(&a)?);
            Ok(Record::lazy(move || vec![output("x", smoothed(&z, &a))]))
        },
        plain: &|| vec![plain::smooth(&z, &a).into_dyn()],
    })?;
    tour.step(&Entry {
        name: "smooth",
        what: "the same by a #[kernel], one thread a point",
        prepare: &|| {
            let (z, a) = (to_device(&z)?, to_device(&a)?);
            let bytes = 8 * (2 * z.len() + a.len());
            let (blocks, block) = (z.len().div_ceil(smooth::BLOCK), smooth::BLOCK);
            let text = format!("smooth_points: {blocks} blocks of {block} threads");
            let x = RefCell::new(DeviceArray::<f64>::try_zeros(z.len())?);
            Ok(Record::launched(bytes, text, move || {
                let mut x = x.borrow_mut();
                smooth::smooth_points.launch(blocks, block, (&z, &a, &mut x))?;
                Ok(vec![output("x", x.clone())])
            }))
        },
        plain: &|| vec![plain::smooth(&z, &a).into_dyn()],
    })?;
    ensemble(tour)
}

fn ensemble(tour: &mut Tour) -> Outcome<()> {
    const STEPS: usize = 2;
    let (members, points) = (4, 960);
    let start = Array2::from_shape_fn((members, points), |(m, p)| {
        15.0 + (0.01 * ((m + 3) * p) as f64).sin()
    });
    tour.step(&Entry {
        name: "lorenz04",
        what: "two Runge–Kutta steps of a model of the weather, compiled once",
        prepare: &|| {
            let (z, model) = (to_device(&start)?, lorenz04::Model::new()?);
            let plan = explain(&[&model.step(&z)]);
            let bytes = STEPS * (plan.bytes_read() + plan.bytes_written());
            let step = lazuli::compile(move |z: &DeviceArray<f64>| model.step(z));
            Ok(Record::launched(bytes, plan.to_string(), move || {
                let z = (1..STEPS).try_fold(step.call(&z)?, |z, _| step.call(&z))?;
                Ok(vec![output("z", z)])
            }))
        },
        plain: &|| {
            let mut z = start.clone();
            for mut ring in z.outer_iter_mut() {
                for _ in 0..STEPS {
                    let next = plain::lorenz04::step(&ring.to_vec());
                    ring.assign(&Array1::from_vec(next));
                }
            }
            vec![z.into_dyn()]
        },
    })?;
    Ok(())
}
