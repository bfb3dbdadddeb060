//! The examples `random`, `lorenz04` and `ode`: against plain Rust, and what their command lines promise.
#![allow(clippy::duplicate_mod, reason = "every example brings the module that they share")]

#[path = "../../examples/common/mod.rs"]
mod common;
#[path = "../../examples/lorenz04.rs"]
#[allow(dead_code)]
mod lorenz04;
#[path = "../../examples/ode.rs"]
#[allow(dead_code)]
mod ode;
#[path = "../../examples/random.rs"]
#[allow(dead_code)]
mod random;

use crate::support::command::{Folder, command};
use crate::support::on_each_device;
use common::plain;
use ndarray::{Array2, ArrayD};

#[test]
fn the_ensemble_steps_as_plain_rust_does() {
    on_each_device(|device| {
        let n = 120;
        let start =
            Array2::from_shape_fn((3, n), |(m, p)| 15.0 + ((p * (m + 2)) as f64 * 0.37).sin());
        let folder = Folder::new(&format!("lorenz-{device}"));
        ndarray_npy::write_npy(folder.0.join("z.npy"), &start).unwrap();
        let mut want = start.clone();
        for _ in 0..3 {
            for mut row in want.outer_iter_mut() {
                let next = plain::lorenz04::step(row.as_slice().unwrap());
                row.iter_mut().zip(next).for_each(|(z, next)| *z = next);
            }
        }
        for form in ["lazy", "compiled", "guvectorize", "repeat"] {
            let out = folder.0.join(form);
            let text = command!(lorenz04 format!(
                "--device {device} --form {form} --steps 3 --repeat 1 --in {} --out {}",
                folder.0.display(), out.display()
            ));
            let text = text.unwrap();
            assert!(text.contains("z.png"), "{text}");
            let found: ArrayD<f64> = ndarray_npy::read_npy(out.join("z.npy")).unwrap();
            for (found, want) in found.iter().zip(&want) {
                assert!(
                    (found - want).abs() < 1e-9 * want.abs().max(1.0),
                    "{form}: {found} {want}"
                );
            }
        }
    });
}

/// Four slopes with three sums over windows each: all of them stay on the chip.
#[test]
fn a_step_of_the_ensemble_is_one_kernel() {
    on_each_device(|_| {
        let model = lorenz04::Model::new().unwrap();
        let z = lazuli::DeviceArray::<f64>::linspace(10.0, 15.0, 40 * 960).reshape([40, 960]);
        z.eval().unwrap();
        let next = model.step(&z);
        let before = lazuli::counters().kernels;
        next.eval().unwrap();
        assert_eq!(lazuli::counters().kernels - before, 1);
    });
}

#[test]
fn each_member_reaches_the_end() {
    let slope = |y: [f64; 3]| {
        [10.0 * (y[1] - y[0]), y[0] * (28.0 - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]]
    };
    let along = |y: [f64; 3], h: f64, k: [f64; 3]| [0, 1, 2].map(|i| y[i] + h * k[i]);
    on_each_device(|device| {
        let start = Array2::from_shape_fn((3, 5), |(k, m)| 1.0 + (k + 2 * m) as f64);
        let folder = Folder::new(&format!("ode-{device}"));
        ndarray_npy::write_npy(folder.0.join("y.npy"), &start).unwrap();
        for form in ode::PROGRAM.forms {
            let out = folder.0.join(form);
            let text = command!(ode format!(
                "--device {device} --form {form} --end 0.5 --rtol 1e-9 --repeat 1 --in {} --out {}",
                folder.0.display(), out.display()
            ));
            let text = text.unwrap();
            assert!(text.contains("y.png") && text.contains("5 of 5 members finished"), "{text}");
            let found: Array2<f64> = ndarray_npy::read_npy(out.join("y.npy")).unwrap();
            let status: ArrayD<i32> = ndarray_npy::read_npy(out.join("status.npy")).unwrap();
            assert!(status.iter().all(|&code| code == 0));
            for m in 0..5 {
                // Plain Runge–Kutta steps of a ten-thousandth.
                let (mut y, h) = ([0, 1, 2].map(|k| start[[k, m]]), 1e-4);
                for _ in 0..5000 {
                    let k1 = slope(y);
                    let k2 = slope(along(y, h / 2.0, k1));
                    let k3 = slope(along(y, h / 2.0, k2));
                    let k4 = slope(along(y, h, k3));
                    let sum = [0, 1, 2].map(|i| k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
                    y = along(y, h / 6.0, sum);
                }
                for k in 0..3 {
                    let (found, want) = (found[[k, m]], y[k]);
                    assert!((found - want).abs() < 1e-6, "{form}: {found} {want}");
                }
            }
        }
    });
}

#[test]
fn random_numbers_come_from_the_seed() {
    on_each_device(|device| {
        let folder = Folder::new(&format!("random-{device}"));
        ndarray_npy::write_npy(folder.0.join("seed.npy"), &ndarray::arr0(7i64)).unwrap();
        ndarray_npy::write_npy(folder.0.join("n.npy"), &ndarray::arr0(500i64)).unwrap();
        let text = command!(random format!(
            "--device {device} --repeat 1 --in {0} --out {0}", folder.0.display()
        ));
        text.unwrap();
        let u: ArrayD<f64> = ndarray_npy::read_npy(folder.0.join("u.npy")).unwrap();
        let g: ArrayD<f64> = ndarray_npy::read_npy(folder.0.join("g.npy")).unwrap();
        assert_eq!((u.len(), g.len()), (500, 500));
        let [again, _] = random::random(7, 500);
        assert_eq!(u, again.copy_to_host().unwrap());
        for n in [500, 501] {
            let (wanted_u, wanted_g) = plain::random::random(7, n);
            let [u, g] = random::random(7, n);
            assert_eq!(u.copy_to_host().unwrap(), wanted_u.into_dyn());
            for (g, wanted) in g.copy_to_host().unwrap().iter().zip(&wanted_g) {
                assert!((g - wanted).abs() < 1e-14 * wanted.abs().max(1.0), "{g} for {wanted}");
            }
        }
        let text =
            command!(random format!("--device {device} --form library --size 300 --repeat 1"));
        assert!(text.unwrap().contains("program=random"));
    });
}

#[test]
fn what_these_command_lines_refuse() {
    for (result, wanted) in [
        (command!(random "--seed x"), "--seed x: not a whole number"),
        (command!(random "--form library --generator dice"), "--generator dice"),
        (command!(random "--steps 3"), "no such option"),
        (command!(lorenz04 "--steps -1"), "--steps -1"),
        (command!(lorenz04 "--steps"), "needs a value"),
        (command!(ode "--end 0"), "--end 0: not a positive number"),
        (command!(ode "--rtol x"), "--rtol x: not a positive number"),
        (command!(ode "--in /no/such/folder"), "y.npy"),
        (command!(random "--device cpu --form library --generator sobol"), "no CUDA device"),
        (command!(random "--in /no/such/folder"), "seed.npy"),
    ] {
        let why = result.expect_err(wanted);
        assert!(why.contains(wanted) && !why.contains('\n'), "{why:?} does not say {wanted:?}");
    }
    assert!(command!(random "--help").unwrap().contains("--seed"));
    assert!(command!(lorenz04 "--help").unwrap().contains("--steps"));
}
