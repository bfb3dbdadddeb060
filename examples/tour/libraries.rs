//! The libraries' part of the walk: transforms, products, scans, orders and users' functions, each
//! on generated inputs.

use super::Outcome;
use super::common::files::output;
use super::common::{GOLDEN, spread};
use super::examples::{fft_convolve, mandelbrot, matmul_shared, multiply_them};
use super::report::{Entry, Record, Tour};
use lazuli::prelude::*;
use ndarray::{Array1, Array2};
use std::cell::RefCell;

/// A square of numbers between 0 and 1.
fn square(side: usize, ratio: f64) -> Array2<f64> {
    Array2::from_shape_fn((side, side), |(y, x)| spread(y * side + x, ratio))
}

/// Runs a step for each library.
pub fn walk(tour: &mut Tour, n: usize) -> Outcome<()> {
    transforms(tour)?;
    products(tour)?;
    lines(tour, n)?;
    functions(tour)?;
    source(tour, n)
}

fn transforms(tour: &mut Tour) -> Outcome<()> {
    const SIDE: usize = 256;
    let image = square(SIDE, GOLDEN).mapv(|v| v as f32);
    tour.step(&Entry {
        name: "fft_convolve",
        what: "a picture filtered by Fourier transforms, of float32",
        prepare: &|| {
            let (image, filter) = (to_device(&image)?, fft_convolve::laplacian()?);
            Ok(Record::lazy(move || {
                vec![output("filtered", fft_convolve::by_transforms(&image, &filter))]
            }))
        },
        plain: &|| {
            let around = |at: usize, by: usize| (at + SIDE - by) % SIDE;
            let filtered = Array2::from_shape_fn((SIDE, SIDE), |(y, x)| {
                let taps = fft_convolve::LAPLACIAN.iter().enumerate();
                let row = |(i, row): (usize, &[i8; 5])| -> f64 {
                    let tap = |(j, &w): (usize, &i8)| {
                        f64::from(w) * f64::from(image[[around(y, i), around(x, j)]])
                    };
                    row.iter().enumerate().map(tap).sum()
                };
                taps.map(row).sum()
            });
            vec![filtered.into_dyn()]
        },
    })?;
    Ok(())
}

fn products(tour: &mut Tour) -> Outcome<()> {
    let (a, b) = (square(256, GOLDEN), square(256, 0.4142135623730951));
    tour.step(&Entry {
        name: "matmul",
        what: "c = a·b + 1, by the library",
        prepare: &|| {
            let (a, b) = (to_device(&a)?, to_device(&b)?);
            Ok(Record::lazy(move || vec![output("c", a.matmul(&b) + 1.0)]))
        },
        plain: &|| vec![(a.dot(&b) + 1.0).into_dyn()],
    })?;
    let [a, b] = [&a, &b].map(|x| x.mapv(|v| v as f32));
    let wanted = || vec![a.mapv(f64::from).dot(&b.mapv(f64::from)).into_dyn()];
    tour.step(&Entry {
        name: "matmul_shared",
        what: "c = a·b of float32, by a #[kernel] with tiles in shared memory",
        prepare: &|| {
            let (a, b, n) = (to_device(&a)?, to_device(&b)?, a.nrows());
            let (blocks, tile) = (n.div_ceil(matmul_shared::TILE), matmul_shared::TILE);
            let text = format!("product: ({blocks}, {blocks}) blocks of ({tile}, {tile}) threads");
            let c = RefCell::new(DeviceArray::<f32>::try_zeros([n, n])?);
            Ok(Record::launched(3 * 4 * n * n, text, move || {
                let mut c = c.borrow_mut();
                let (grid, block) = ((blocks, blocks), (tile, tile));
                matmul_shared::product.launch(grid, block, (&a, &b, &mut c))?;
                Ok(vec![output("c", c.clone())])
            }))
        },
        plain: &wanted,
    })?;
    tour.step(&Entry {
        name: "matmul_shared",
        what: "the same by the library",
        prepare: &|| {
            let (a, b) = (to_device(&a)?, to_device(&b)?);
            Ok(Record::lazy(move || vec![output("c", a.matmul(&b))]))
        },
        plain: &wanted,
    })?;
    Ok(())
}

fn lines(tour: &mut Tour, n: usize) -> Outcome<()> {
    let x = Array1::from_shape_fn(n, |i| spread(i, GOLDEN) - 0.5);
    tour.step(&Entry {
        name: "cumsum",
        what: "the sums of all beginnings of 2·x",
        prepare: &|| {
            let x = to_device(&x)?;
            Ok(Record::lazy(move || vec![output("sums", (&x * 2.0).cumsum(0))]))
        },
        plain: &|| {
            let mut sum = 0.0;
            let sums = x.mapv(|v| {
                sum += 2.0 * v;
                sum
            });
            vec![sums.into_dyn()]
        },
    })?;
    tour.step(&Entry {
        name: "sort",
        what: "x in order",
        prepare: &|| {
            let x = to_device(&x)?;
            Ok(Record::lazy(move || vec![output("sorted", x.sort(0))]))
        },
        plain: &|| {
            let mut sorted = x.to_vec();
            sorted.sort_by(f64::total_cmp);
            vec![Array1::from_vec(sorted).into_dyn()]
        },
    })?;
    Ok(())
}

fn functions(tour: &mut Tour) -> Outcome<()> {
    let (ny, nx) = (256, 384);
    tour.step(&Entry {
        name: "mandelbrot",
        what: "a function in plain Rust, with a loop and an early return, over a mesh",
        prepare: &|| {
            Ok(Record::lazy(move || {
                vec![output("image", mandelbrot::vectorized(ny, nx).cast::<f64>())]
            }))
        },
        plain: &|| {
            let line = |low: f64, high: f64, n: usize, k: usize| {
                low + k as f64 * ((high - low) / n as f64)
            };
            let image = Array2::from_shape_fn((ny, nx), |(y, x)| {
                f64::from(mandelbrot::pixel(line(-2.0, 1.0, nx, x), line(-1.0, 1.0, ny, y)))
            });
            vec![image.into_dyn()]
        },
    })?;
    Ok(())
}

fn source(tour: &mut Tour, n: usize) -> Outcome<()> {
    let [a, b] = [GOLDEN, 0.4142135623730951]
        .map(|ratio| Array1::from_shape_fn(n, |i| spread(i, ratio) as f32));
    tour.step(&Entry {
        name: "multiply_them",
        what: "a·b of float32, by CUDA C++ from a string, which needs a GPU",
        prepare: &|| {
            let (a, b, kernel) = (to_device(&a)?, to_device(&b)?, multiply_them::kernel()?);
            let text = "multiply_them: one thread an element".to_owned();
            Ok(Record::launched(3 * 4 * a.len(), text, move || {
                Ok(vec![output("dest", multiply_them::multiply_them(&kernel, &a, &b)?)])
            }))
        },
        plain: &|| vec![(&a * &b).mapv(f64::from).into_dyn()],
    })?;
    Ok(())
}
