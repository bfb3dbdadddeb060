//! The examples: their expressions against plain Rust, and what their command lines promise.
#![allow(clippy::duplicate_mod, reason = "every example brings the module that they share")]

#[path = "../../examples/black_scholes.rs"]
#[allow(dead_code)]
mod black_scholes;
#[path = "../../examples/common/mod.rs"]
mod common;
#[path = "../../examples/fft_convolve.rs"]
#[allow(dead_code)]
mod fft_convolve;
#[path = "../../examples/great_circle.rs"]
#[allow(dead_code)]
mod great_circle;
#[path = "../../examples/jacobi.rs"]
#[allow(dead_code)]
mod jacobi;
#[path = "../../examples/mandelbrot.rs"]
#[allow(dead_code)]
mod mandelbrot;
#[path = "../../examples/matmul_shared.rs"]
#[allow(dead_code)]
mod matmul_shared;
#[path = "../../examples/multiply_them.rs"]
#[allow(dead_code)]
mod multiply_them;
#[path = "../../examples/product.rs"]
#[allow(dead_code)]
mod product;
#[path = "../../examples/row_sum.rs"]
#[allow(dead_code)]
mod row_sum;
#[path = "../../examples/scale.rs"]
#[allow(dead_code)]
mod scale;
#[path = "../../examples/scaling.rs"]
#[allow(dead_code)]
mod scaling;
#[path = "../../examples/sinexp.rs"]
#[allow(dead_code)]
mod sinexp;
#[path = "../../examples/smooth.rs"]
#[allow(dead_code)]
mod smooth;
#[path = "../../examples/streams.rs"]
#[allow(dead_code)]
mod streams;

use crate::support::command::{Folder, command};
use crate::support::{on_each_device, place};
use common::{GOLDEN, plain, spread};
use lazuli::prelude::*;
use ndarray::{Array1, ArrayD, arr1};
use std::path::Path;
use std::process::Command;

/// Compares with a tolerance for the largest value.
fn close<'a>(
    got: impl IntoIterator<Item = &'a f64>,
    want: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    let (got, want): (Vec<&f64>, Vec<&f64>) =
        (got.into_iter().collect(), want.into_iter().collect());
    assert_eq!(got.len(), want.len());
    let scale = want.iter().fold(f64::MIN_POSITIVE, |a, b| a.max(b.abs()));
    for (k, (got, want)) in got.iter().zip(&want).enumerate() {
        assert!((**got - **want).abs() <= tolerance * scale, "element {k}: {got}, not {want}");
    }
}

fn values(n: usize, ratio: f64, low: f64, high: f64) -> Array1<f64> {
    Array1::from_shape_fn(n, |i| low + (high - low) * spread(i, ratio))
}

#[test]
fn expressions_agree_with_plain_rust() {
    on_each_device(|_| {
        for n in [1, 2, 31, 1000, 4099] {
            let (x, y) = (values(n, GOLDEN, -7.0, 7.0), values(n, 0.4142, -2.0, 2.0));
            let (dx, dy) = (to_device(&x).unwrap(), to_device(&y).unwrap());
            close(&scale::scale(&dx).copy_to_host().unwrap(), &plain::scale(&x), 0.0);
            let z = sinexp::sinexp(&dx, &dy).copy_to_host().unwrap();
            close(&z, &plain::sinexp(&x, &y), 1e-15);
            let z = sinexp::per_element::call(&dx, &dy).copy_to_host().unwrap();
            close(&z, &plain::sinexp(&x, &y), 1e-15);
            let near = values(n, GOLDEN, 0.99, 1.01);
            let p = product::product(&to_device(&near).unwrap()).item().unwrap();
            close(&[p], &[plain::product(&near)], 1e-12);
            let p = product::times::reduce(&to_device(&near).unwrap(), ..).item().unwrap();
            close(&[p], &[plain::product(&near)], 1e-12);
        }
    });
}

#[test]
fn raw_kernels_multiply_on_a_gpu_and_are_refused_on_the_processor() {
    on_each_device(|device| {
        let kernel = match multiply_them::kernel() {
            Ok(kernel) => kernel,
            Err(why) => {
                assert!(why.is_unsupported() && device == Device::cpu(), "{why}");
                return;
            }
        };
        for n in [0, 1, 400, 100_001] {
            let [a, b] = [GOLDEN, 0.4142].map(|r| values(n, r, -7.0, 7.0).mapv(|v| v as f32));
            let (da, db) = (to_device(&a).unwrap(), to_device(&b).unwrap());
            let dest = multiply_them::multiply_them(&kernel, &da, &db).unwrap();
            assert_eq!(dest.copy_to_host().unwrap(), (&a * &b).into_dyn());
        }
    });
    let why = command!(multiply_them "--device cpu").unwrap_err();
    assert!(why.contains("does not run on the processor"), "{why}");
}

#[test]
fn kernels_in_a_chain_scale() {
    on_each_device(|device| {
        for n in [1, 127, 4099] {
            let x = values(n, GOLDEN, -7.0, 7.0);
            let (dx, mut y) = (to_device(&x).unwrap(), DeviceArray::<f64>::zeros([n]));
            y.eval().unwrap();
            let before = lazuli::counters();
            scale::chained(&dx, &mut y).unwrap();
            let after = lazuli::counters();
            assert_eq!(after.kernels - before.kernels, 3);
            assert_eq!(after.allocated, before.allocated);
            close(&y.copy_to_host().unwrap(), &plain::scale(&x), 0.0);
        }
        let text = command!(scale format!("--device {device} --form kernel --size 100")).unwrap();
        assert!(text.contains("kernels=3"), "{text}");
    });
}

/// The steps as the document's program counts them.
fn steps(re: f64, im: f64) -> u8 {
    let (mut a, mut b) = (0.0f64, 0.0f64);
    for step in 0..20 {
        (a, b) = (a * a - b * b + re, a * b + b * a + im);
        if a * a + b * b >= 4.0 {
            return step;
        }
    }
    20
}

#[test]
fn mandelbrot_by_a_kernel_and_by_a_vectorized_function() {
    on_each_device(|device| {
        let out = Folder::new(&format!("mandelbrot-{device}"));
        for (form, ny, nx) in [("kernel", 64, 96), ("vectorize", 64, 96), ("kernel", 7, 1100)] {
            let text = command!(mandelbrot format!(
                "--device {device} --form {form} --size {ny}x{nx} --out {}", out.text()
            ));
            let text = text.unwrap();
            assert!(text.contains("image.png") && text.contains("kernels=1"), "{text}");
            let image: ArrayD<u8> = ndarray_npy::read_npy(out.0.join("image.npy")).unwrap();
            assert_eq!(image.shape(), [ny, nx]);
            let differs = |(k, &got): (usize, &u8)| {
                let (x, y) = ((k % nx) as f64, (k / nx) as f64);
                got != steps(-2.0 + x * (3.0 / nx as f64), -1.0 + y * (2.0 / ny as f64))
            };
            // A GPU fuses multiplications and additions, which moves pixels on the edge.
            let wrong = image.iter().enumerate().filter(|&pixel| differs(pixel)).count();
            let allowed = if device.is_cuda() { ny * nx / 100 } else { 0 };
            assert!(wrong <= allowed, "{form}: {wrong} of {} pixels differ", ny * nx);
        }
    });
}

#[test]
fn products_by_shared_memory() {
    on_each_device(|device| {
        let out = Folder::new(&format!("matmul-{device}"));
        for (n, form) in [(1, "kernel"), (32, "kernel"), (45, "kernel"), (45, "library")] {
            let text = command!(matmul_shared format!(
                "--device {device} --form {form} --repeat 1 --size {n} --out {}", out.text()
            ));
            let text = text.unwrap();
            assert!(form == "library" || text.contains("kernels=1"), "{text}");
            let c: ArrayD<f32> = ndarray_npy::read_npy(out.0.join("c.npy")).unwrap();
            let matrix = |r| {
                ndarray::Array2::from_shape_fn((n, n), |(i, j)| {
                    f64::from(spread(i * n + j, r) as f32)
                })
            };
            let wanted = matrix(GOLDEN).dot(&matrix(2f64.sqrt() - 1.0));
            close(&c.mapv(f64::from), &wanted, 1e-6);
        }
    });
}

#[test]
fn row_sums_of_matrices_and_of_stacks() {
    on_each_device(|_| {
        for shape in [vec![1, 1], vec![7, 33], vec![3, 5, 100], vec![4, 0]] {
            let n: usize = shape.iter().product();
            let floats: Vec<f32> = (0..n).map(|i| spread(i, GOLDEN) as f32).collect();
            let floats = ArrayD::from_shape_vec(shape.clone(), floats).unwrap();
            let s = row_sum::row_sum(&to_device(&floats).unwrap()).copy_to_host().unwrap();
            close(&s.mapv(f64::from), &plain::row_sum(&floats.mapv(f64::from)), 1e-6);
            let loops = row_sum::row_sum_of::call(&to_device(&floats).unwrap());
            assert_eq!(loops.copy_to_host().unwrap(), s);
            let whole = floats.mapv(|v| (v * 4e9) as i32);
            let s = row_sum::row_sum(&to_device(&whole).unwrap()).copy_to_host().unwrap();
            assert_eq!(s.mapv(|v| v as f64), plain::row_sum(&whole.mapv(f64::from)));
            let loops = row_sum::row_sum_of_integers::call(&to_device(&whole).unwrap());
            assert_eq!(loops.copy_to_host().unwrap(), s);
        }
    });
}

#[test]
fn great_circles_on_the_mesh_and_on_other_points() {
    on_each_device(|_| {
        for (ny, nx) in [(1, 1), (2, 3), (40, 61)] {
            let (lat, lon) = great_circle::mesh(ny, nx);
            let d = great_circle::great_circle(&lat, &lon);
            let line = |low, high, n| Array1::linspace(low, high, n);
            let (lat, lon) = (line(29.0, 31.0, nx), line(99.0, 101.0, ny));
            let wanted = plain::great_circle(lat.view(), lon.view());
            assert_eq!(d.shape(), wanted.shape());
            close(&d.copy_to_host().unwrap(), &wanted, 1e-13);
            let d = great_circle::vectorized(&to_device(&lat).unwrap(), &to_device(&lon).unwrap());
            close(&d.copy_to_host().unwrap(), &wanted, 1e-13);
        }
        let mut d = DeviceArray::<f64>::zeros([40, 61]);
        let grid = great_circle::blocks(40, 61);
        great_circle::on_mesh.launch(grid, (32, 8), (29.0, 31.0, 99.0, 101.0, &mut d)).unwrap();
        let (lat, lon) = (Array1::linspace(29.0, 31.0, 61), Array1::linspace(99.0, 101.0, 40));
        let wanted = plain::great_circle(lat.view(), lon.view());
        close(&d.copy_to_host().unwrap(), &wanted, 1e-13);
        let (dlat, dlon) = (to_device(&lat).unwrap(), to_device(&lon).unwrap());
        great_circle::on_points.launch(grid, (32, 8), (&dlat, &dlon, &mut d)).unwrap();
        close(&d.copy_to_host().unwrap(), &wanted, 1e-13);
        let (lat, lon) = (arr1(&[-80.0, 0.0, 30.0]), arr1(&[-170.0, 101.0]));
        let d = great_circle::great_circle(&to_device(&lat).unwrap(), &to_device(&lon).unwrap());
        let wanted = plain::great_circle(lat.view(), lon.view());
        close(&d.copy_to_host().unwrap(), &wanted, 1e-13);
    });
}

#[test]
fn sweeps_are_the_same_in_every_form_and_over_several_devices() {
    let (ny, nx, steps) = (19, 23, 12);
    let mut wanted =
        ndarray::Array2::from_shape_fn((ny, nx), |(y, _)| if y == 0 { 1.0 } else { 0.0 });
    for _ in 0..steps {
        let u = wanted.clone();
        for (y, x) in (1..ny - 1).flat_map(|y| (1..nx - 1).map(move |x| (y, x))) {
            wanted[[y, x]] = 0.25 * (u[[y - 1, x]] + u[[y + 1, x]] + u[[y, x - 1]] + u[[y, x + 1]]);
        }
    }
    on_each_device(|device| {
        let out = Folder::new(&format!("jacobi-{device}"));
        let size = format!("--size {ny}x{nx} --steps {steps} --repeat 1");
        let forms = ["--form lazy", "--form compiled", "--form repeat", "--mesh 1", "--mesh 3"];
        for form in forms.into_iter().filter(|form| !device.is_cuda() || *form != "--mesh 3") {
            let line = format!("--device {device} {size} {form} --out {}", out.text());
            assert!(command!(jacobi line).unwrap().contains("u.png"));
            let u: ArrayD<f64> = ndarray_npy::read_npy(out.0.join("u.npy")).unwrap();
            close(&u, &wanted, 1e-14);
        }
        let why = command!(jacobi format!("--device {device} --mesh 1 --form repeat")).unwrap_err();
        assert!(why.contains("runs on one device"), "{why}");
        let line = format!("--device {device} --size 40x64 --mesh 1 --out {}", out.text());
        assert!(command!(great_circle line).unwrap().contains("d.png"));
    });
    let out = Folder::new("scaling");
    let line = format!("--device cpu --size 32 --steps 2 --repeat 1 --mesh 2 --out {}", out.text());
    assert!(command!(scaling line).unwrap().contains("lorenz04  strong"));
    let ms: ArrayD<f64> = ndarray_npy::read_npy(out.0.join("ms.npy")).unwrap();
    assert!(ms.shape() == [8, 2] && ms.iter().all(|&time| time > 0.0));
}

#[test]
fn prices_come_from_one_kernel() {
    on_each_device(|_| {
        let (s, x) = (values(1500, GOLDEN, 5.0, 30.0), values(1500, 0.4142, 1.0, 100.0));
        let t = values(1500, 0.7320, 0.25, 10.0);
        let [ds, dx, dt] = [&s, &x, &t].map(|v| to_device(v).unwrap());
        let (call, put) = black_scholes::black_scholes(&ds, &dx, &dt);
        let before = lazuli::counters();
        eval(&[&call, &put]).unwrap();
        assert_eq!(lazuli::counters().kernels - before.kernels, 1);
        let (other_call, other_put) = black_scholes::prices::call(&ds, &dx, &dt);
        let (plain_call, plain_put) = plain::black_scholes(&s, &x, &t);
        close(&other_call.copy_to_host().unwrap(), &plain_call, 1e-14);
        close(&other_put.copy_to_host().unwrap(), &plain_put, 1e-14);
        close(&call.copy_to_host().unwrap(), &plain_call, 1e-14);
        close(&put.copy_to_host().unwrap(), &plain_put, 1e-14);
    });
}

#[test]
fn sums_around_the_points_of_a_ring() {
    on_each_device(|device| {
        // The last windows go round the ring more than once.
        for (n, m) in [(1, 1), (5, 1), (1, 3), (7, 3), (960, 25), (129, 129), (3, 25), (1, 9)] {
            let (z, a) = (values(n, GOLDEN, -7.0, 7.0), values(m, 0.4142, 0.5, 2.0));
            let (dz, da) = (to_device(&z).unwrap(), to_device(&a).unwrap());
            let wanted = plain::smooth(&z, &a);
            let x = smooth::smooth(&dz, &da);
            assert_eq!(explain(&[&x]).kernels(), 1);
            close(&x.copy_to_host().unwrap(), &wanted, 1e-14);
            let mut x = DeviceArray::<f64>::zeros(n);
            smooth::smooth_points
                .launch(n.div_ceil(smooth::BLOCK), smooth::BLOCK, (&dz, &da, &mut x))
                .unwrap();
            close(&x.copy_to_host().unwrap(), &wanted, 1e-14);
            let x = smooth::smooth_loops::call(&dz, &da);
            assert_eq!(explain(&[&x]).kernels(), 1);
            close(&x.copy_to_host().unwrap(), &wanted, 1e-14);
        }
        for (n, m) in [(100_000, 25), (20_000, 601)] {
            let (z, a) = (DeviceArray::<f64>::zeros(n) + 1.0, DeviceArray::<f64>::zeros(m) + 1.0);
            eval(&[&z, &a]).unwrap();
            assert_eq!(explain(&[&smooth::smooth(&z, &a)]).kernels(), 1, "{m} weights");
        }
        for form in smooth::PROGRAM.forms {
            let out = Folder::new(&format!("smooth-{form}-{device}"));
            let text = command!(smooth format!(
                "--device {device} --form {form} --size 100 --reach 3 --repeat 2 --out {}", out.text()
            ));
            let text = text.unwrap();
            // Weights at the ends are numbers on the processor, which travel with the launch.
            let read = if device == Device::cpu() && *form == "lazy" { 1648 } else { 1656 };
            assert!(text.ends_with(&format!(" kernels=1 bytes={read}")), "{text}");
            let z = Array1::from_shape_fn(100, |i| spread(i, GOLDEN));
            let a = Array1::from_shape_fn(7, |k| 1.0 - (k as f64 - 3.0).abs() / 3.5);
            let x: ArrayD<f64> = ndarray_npy::read_npy(out.0.join("x.npy")).unwrap();
            close(&x, &plain::smooth(&z, &a), 1e-14);
        }
    });
}

#[test]
fn parts_on_streams() {
    on_each_device(|device| {
        for form in streams::PROGRAM.forms {
            for (n, parts, nodes) in
                [(1000, 16, 64), (10, 16, 64), (4097, 1, 40), (1, 1, 64), (0, 3, 8)]
            {
                let out = Folder::new(&format!("streams-{form}-{device}"));
                let text = command!(streams format!(
                    "--device {device} --form {form} --size {n} --parts {parts} --nodes {nodes} \
                     --repeat 2 --out {}", out.text()
                ));
                let text = text.unwrap();
                let rows = usize::div_ceil(n, parts).max(1);
                let parts = n.div_ceil(rows);
                let (kernels, arrays) = if *form == "lazy" { (parts, 2) } else { (2 * parts, 3) };
                let bytes = 4 * (arrays * n + nodes * parts);
                let last = format!(" kernels={kernels} bytes={bytes}");
                assert!(text.ends_with(&last), "{text}");
                assert!(text.contains("\none stream: ") || text.starts_with("one stream: "));
                assert!(text.contains("\ntwo streams: "), "{text}");
                let x = Array1::from_shape_fn(n, |i| f64::from((20.0 * spread(i, GOLDEN)) as f32));
                let y: ArrayD<f32> = ndarray_npy::read_npy(out.0.join("y.npy")).unwrap();
                close(&y.mapv(f64::from), &plain::bessel(&x, nodes), 3e-6);
                // Enough angles give the function itself.
                let exact = to_device(&x).unwrap().bessel_j0().copy_to_host().unwrap();
                if nodes == 64 {
                    close(&y.mapv(f64::from), &exact, 3e-6);
                }
            }
        }
    });
    for (args, wanted) in [("--parts 0", "at least 1"), ("--nodes 0", "at least 1")] {
        let why = command!(streams args).unwrap_err();
        assert!(why.contains(wanted), "{why}");
    }
}

#[test]
fn rings_and_weights_that_are_refused() {
    let input = Folder::new("rings");
    let refuse = |z: ArrayD<f64>, a: ArrayD<f64>, more: &str, wanted: &str| {
        let out = input.0.join("results");
        ndarray_npy::write_npy(input.0.join("z.npy"), &z).unwrap();
        ndarray_npy::write_npy(input.0.join("a.npy"), &a).unwrap();
        for form in smooth::PROGRAM.forms {
            let why = command!(smooth format!(
                "--form {form} --in {} --out {} {more}", input.text(), out.display()
            ));
            let why = why.expect_err(wanted);
            assert!(why.contains(wanted) && !why.contains('\n'), "{why:?} is not {wanted:?}");
            assert!(!out.exists(), "{wanted}: something was written");
        }
    };
    let ones = |shape: &[usize]| ArrayD::<f64>::ones(shape);
    refuse(ones(&[9]), ones(&[4]), "", "a: 4 weights where an odd number is wanted");
    refuse(ones(&[9]), ones(&[0]), "", "a: 0 weights where an odd number is wanted");
    refuse(ones(&[0]), ones(&[3]), "", "z: a ring without points");
    refuse(ones(&[3, 3]), ones(&[3]), "", "shape [3, 3] where [n] is wanted");
    refuse(ones(&[9]), ones(&[]), "", "shape [] where [m] is wanted");
    refuse(ones(&[9]), ones(&[3]), "--reach 2", "with m = 5 is wanted");
    refuse(ones(&[9]), ones(&[3]), "--size 8", "with n = 8 is wanted");
    let far = usize::MAX;
    let why = command!(smooth format!("--reach {far}")).unwrap_err();
    assert!(why.contains("too far"), "{why}");
    let why = command!(smooth "--size 0").unwrap_err();
    assert!(why.contains("a ring without points"), "{why}");
    assert!(command!(smooth "--reach -1").unwrap_err().contains("not a whole number"));
    assert!(command!(scale "--reach 1").unwrap_err().contains("no such option"));
    assert!(command!(smooth "--help").unwrap().contains("--reach"));
}

#[test]
fn a_picture_is_filtered_by_transforms() {
    on_each_device(|_| {
        for (ny, nx) in [(5, 5), (12, 31), (64, 48)] {
            let image = values(ny * nx, GOLDEN, 0.0, 255.0).mapv(|v| v as f32);
            let plane = image.to_shape((ny, nx)).unwrap().to_owned();
            let wanted = ndarray::Array2::from_shape_fn((ny, nx), |(y, x)| {
                let weights = fft_convolve::LAPLACIAN.iter().enumerate();
                let row = |(i, row): (usize, &[i8; 5])| -> f64 {
                    let places = (0..5).map(|j| ((y + ny - i) % ny, (x + nx - j) % nx));
                    places.zip(row).map(|(at, &w)| f64::from(w) * f64::from(plane[at])).sum()
                };
                weights.map(row).sum()
            });
            let (image, laplacian) =
                (to_device(&plane).unwrap(), fft_convolve::laplacian().unwrap());
            let filtered = fft_convolve::by_transforms(&image, &laplacian);
            let before = lazuli::counters();
            filtered.eval().unwrap();
            let after = lazuli::counters();
            assert!(after.library_calls - before.library_calls <= 3);
            assert!(after.kernels - before.kernels <= 3);
            for filtered in [filtered, fft_convolve::by_library(&image, &laplacian)] {
                close(&filtered.copy_to_host().unwrap().mapv(f64::from), &wanted, 4e-6);
            }
        }
    });
}

#[test]
fn pictures_come_from_files() {
    let (input, out) = (Folder::new("pictures"), Folder::new("filtered"));
    std::fs::copy(data("camera.png"), input.0.join("image.png")).unwrap();
    let args = format!("--repeat 1 --in {} --out {}", input.text(), out.text());
    let text = command!(fft_convolve args).unwrap();
    assert!(text.contains("image.png") && text.contains("filtered.png"), "{text}");
    let filtered: ArrayD<f32> = ndarray_npy::read_npy(out.0.join("filtered.npy")).unwrap();
    assert_eq!(filtered.shape(), [512, 512]);
    let refuse = |args: String, wanted: &str| {
        let why = command!(fft_convolve args).expect_err("a bad picture was taken");
        assert!(why.contains(wanted) && !why.contains('\n'), "{why:?}");
    };
    refuse("--size 4x9".to_owned(), "at least 5×5");
    refuse(format!("--size 9x9 --in {}", input.text()), "--size says");
    std::fs::write(input.0.join("image.png"), b"no picture").unwrap();
    refuse(format!("--in {}", input.text()), "image.png");
    ndarray_npy::write_npy(input.0.join("image.npy"), &ndarray::Array2::<i16>::zeros((9, 9)))
        .unwrap();
    refuse(format!("--in {}", input.text()), "holds int16");
}

fn data(name: &str) -> String {
    place("examples/data").join(name).display().to_string()
}

#[test]
fn files_go_in_and_out() {
    on_each_device(|device| {
        let out = Folder::new(&format!("examples-{device}"));
        let text = command!(row_sum format!(
            "--device {device} --repeat 2 --explain --in {} --out {}", data("table"), out.text()
        ));
        let text = text.unwrap();
        let last = text.lines().last().unwrap();
        assert!(last.starts_with(&format!("program=row_sum device={device} ms=")), "{last}");
        assert!(last.ends_with(" bytes=4160"), "{last}");
        assert!(text.contains("1 kernel on"), "{text}");
        let a: ArrayD<f32> =
            ndarray_npy::read_npy(Path::new(&data("table")).join("a.npy")).unwrap();
        let s: ArrayD<f32> = ndarray_npy::read_npy(out.0.join("s.npy")).unwrap();
        close(&s.mapv(f64::from), &plain::row_sum(&a.mapv(f64::from)), 1e-6);
        let text = command!(great_circle format!(
            "--device={device} --in={} --out={}", data("route"), out.text()
        ));
        assert!(text.unwrap().contains("d.png"));
        let d: ArrayD<f64> = ndarray_npy::read_npy(out.0.join("d.npy")).unwrap();
        assert_eq!(d.shape(), [48, 64]);
    });
}

#[test]
fn what_the_command_lines_refuse() {
    let refuse = |result: Result<String, String>, wanted: &str| {
        let why = result.expect_err("a bad command line was taken");
        assert!(why.contains(wanted), "{why:?} does not say {wanted:?}");
        assert!(!why.contains('\n'), "{why:?} has several lines");
    };
    refuse(command!(scale "--form reduce"), "scale is written as");
    refuse(command!(scale "--form cursive"), "no such form");
    refuse(command!(scale "--device gpu"), "not a device");
    refuse(command!(scale "--device cuda:99"), "cuda");
    refuse(command!(scale "--size 3x4"), "--size takes");
    refuse(command!(scale "--size many"), "--size many");
    refuse(command!(scale "--size"), "needs a value");
    refuse(command!(scale "--size 1 --size 2"), "twice");
    refuse(command!(scale "--repeat 0"), "--repeat 0");
    refuse(command!(scale "--speed 9"), "no such option");
    refuse(command!(scale "--dtype i32"), "scale takes float64");
    refuse(command!(scale "--size 99999999999999999"), "no memory");
    refuse(command!(great_circle "--size 1x2x3"), "--size takes");
    refuse(command!(scale "--in /no/such/folder"), "x.npy");
    refuse(command!(scale format!("--size 7 --in {}", data("line"))), "n = 7");
    refuse(command!(row_sum format!("--dtype i32 --in {}", data("table"))), "holds float32");
    assert!(command!(scale "--help").unwrap().contains("--repeat"));
}

#[test]
fn damaged_files_are_refused_and_nothing_is_written() {
    let (input, out) = (Folder::new("damaged"), Folder::new("untouched"));
    let write = |name: &str, bytes: &[u8]| std::fs::write(input.0.join(name), bytes).unwrap();
    let good = std::fs::read(Path::new(&data("line")).join("x.npy")).unwrap();
    let claims = |shape: &str| {
        let mut text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape},), }}");
        text += &" ".repeat(117 - text.len());
        [b"\x93NUMPY\x01\x00\x76\x00", text.as_bytes(), b"\n"].concat()
    };
    let narrow = {
        let text = String::from_utf8_lossy(&good[..128]).replace("<f8", "<i8");
        [b"\x93", &text.as_bytes()[3..], &good[128..]].concat()
    };
    let files: [(&str, Vec<u8>); 6] = [
        ("empty", Vec::new()),
        ("text", b"no array at all".to_vec()),
        ("cut off", good[..good.len() - 8].to_vec()),
        ("too long", [&good[..], b"12345678"].concat()),
        ("a huge claim", claims("999999999999999")),
        ("another type", narrow),
    ];
    for (what, bytes) in files {
        write("x.npy", &bytes);
        let target = out.0.join("results");
        let args = format!("--in {} --out {}", input.text(), target.display());
        let why = command!(scale args).expect_err(what);
        assert!(why.contains("x.npy") && !why.contains('\n'), "{what}: {why}");
        assert!(!target.exists(), "{what}: something was written");
    }
    let other = data("waves");
    let why = command!(scale format!("--in {other} --out {}", out.text()));
    why.expect("scale takes the waves' x as well");
    write("x.npy", &good);
    write("y.npy", &std::fs::read(Path::new(&data("waves")).join("y.npy")).unwrap()[..]);
    command!(sinexp format!("--in {}", input.text())).expect("both have 1000 elements");
    std::fs::copy(Path::new(&data("table")).join("a.npy"), input.0.join("y.npy")).unwrap();
    let why = command!(sinexp format!("--in {}", input.text())).unwrap_err();
    assert!(why.contains("y.npy: holds float32; float64 is wanted"), "{why}");
}

#[test]
fn numbers_of_the_other_endianness_are_read() {
    let input = Folder::new("endian");
    let mut bytes = std::fs::read(Path::new(&data("line")).join("x.npy")).unwrap();
    let header = String::from_utf8_lossy(&bytes[10..128]).replace("<f8", ">f8");
    bytes.splice(10..128, header.bytes());
    bytes[128..].chunks_exact_mut(8).for_each(<[u8]>::reverse);
    std::fs::write(input.0.join("x.npy"), bytes).unwrap();
    command!(scale format!("--in {} --out {}", input.text(), input.text())).unwrap();
    let y: ArrayD<f64> = ndarray_npy::read_npy(input.0.join("y.npy")).unwrap();
    let x: ArrayD<f64> = ndarray_npy::read_npy(Path::new(&data("line")).join("x.npy")).unwrap();
    let same = |a: &f64, b: &f64| a.to_bits() == (2.0 * b).to_bits() || a.is_nan() && b.is_nan();
    assert!(y.iter().zip(&x).all(|(a, b)| same(a, b)));
}

/// An example as a user runs it; cargo builds it beside the tests, unless it was told to build the
/// tests alone.
fn program(name: &str) -> Option<Command> {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    if !program.exists() {
        eprintln!("skipped: {} was not built", program.display());
        return None;
    }
    Some(Command::new(program))
}

#[test]
fn the_tour_agrees_with_plain_rust_in_every_step() {
    let out = Folder::new("tour");
    let Some(mut tour) = program("tour") else { return };
    // A GPU contracts products and sums, which moves pixels on mandelbrot's edge.
    tour.args(["--device", "cpu", "--size", "1000", "--repeat", "1", "--out", &out.text()]);
    let output = tour.output().unwrap();
    let [text, why] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
    assert!(output.status.success(), "{why}");
    let errors: Vec<f64> = text
        .lines()
        .filter_map(|line| line.split("largest relative error ").nth(1)?.parse().ok())
        .collect();
    // The photograph's filters, the examples and the libraries; only the raw kernel needs a GPU.
    assert!(errors.len() >= 25, "{} steps:\n{text}", errors.len());
    assert!(errors.iter().all(|error| *error < 1e-5), "{text}");
    for name in ["scale", "smooth", "streams", "random", "lorenz04", "mandelbrot", "matmul_shared"]
    {
        assert!(text.contains(&format!("\n  {name} ")), "{name} is missing:\n{text}");
    }
    assert!(out.0.join("all.png").exists());
}

#[test]
fn a_bad_argument_ends_with_status_two_and_one_line() {
    let input = Folder::new("even");
    ndarray_npy::write_npy(input.0.join("z.npy"), &arr1(&[1.0, 2.0, 3.0])).unwrap();
    ndarray_npy::write_npy(input.0.join("a.npy"), &arr1(&[1.0, 2.0])).unwrap();
    for (name, args) in [
        ("scale", ["--form", "reduce"]),
        ("smooth", ["--in", &input.text()]),
        ("smooth", ["--size", "0"]),
    ] {
        let Some(mut program) = program(name) else { continue };
        let output = program.args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let lines = String::from_utf8(output.stderr).unwrap();
        assert_eq!(lines.lines().count(), 1, "{lines}");
        assert!(output.stdout.is_empty());
    }
}
