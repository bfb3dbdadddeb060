//! The examples `random` and `lorenz04`: against plain Rust, and what their command lines promise.
#![allow(clippy::duplicate_mod, reason = "every example brings the module that they share")]

#[path = "../../examples/common/mod.rs"]
mod common;
#[path = "../../examples/lorenz04.rs"]
#[allow(dead_code)]
mod lorenz04;
#[path = "../../examples/random.rs"]
#[allow(dead_code)]
mod random;

use crate::support::on_each_device;
use ndarray::{Array2, ArrayD};
use std::path::PathBuf;

/// `dz/dt` of model III as the paper writes it, with the double sum.
fn slope(z: &[f64]) -> Vec<f64> {
    let n = z.len() as isize;
    let at = |v: &[f64], k: isize| v[k.rem_euclid(n) as usize];
    let weight = |k: isize, reach: isize| if k.abs() == reach { 0.5 } else { 1.0 };
    let (i, k, j) = (12isize, 32isize, 16isize);
    let reach = i as f64;
    let alpha = (3.0 * reach * reach + 3.0) / (2.0 * reach.powi(3) + 4.0 * reach);
    let beta = (2.0 * reach * reach + 1.0) / (reach.powi(4) + 2.0 * reach * reach);
    let smooth = |p: isize| {
        let term = |o: isize| weight(o, i) * (alpha - beta * o.abs() as f64) * at(z, p + o);
        (-i..=i).map(term).sum::<f64>()
    };
    let x: Vec<f64> = (0..n).map(smooth).collect();
    let y: Vec<f64> = z.iter().zip(&x).map(|(z, x)| z - x).collect();
    let bracket = |p: isize| {
        let mut sum = 0.0;
        for a in -j..=j {
            for b in -j..=j {
                let term = -at(&x, p - 2 * k - b) * at(&x, p - k - a)
                    + at(&x, p - k + a - b) * at(&x, p + k + a);
                sum += weight(a, j) * weight(b, j) * term;
            }
        }
        sum / (k * k) as f64
    };
    let pair =
        |u: &[f64], v: &[f64], p: isize| -at(u, p - 2) * at(v, p - 1) + at(u, p - 1) * at(v, p + 1);
    let value = |p: isize| {
        bracket(p) + 100.0 * pair(&y, &y, p) + 2.5 * pair(&y, &x, p) - at(&x, p) - 10.0 * at(&y, p)
            + 15.0
    };
    (0..n).map(value).collect()
}

fn step(z: &[f64]) -> Vec<f64> {
    let dt = 0.001;
    let moved = |k: &[f64], by: f64| z.iter().zip(k).map(|(z, k)| z + by * k).collect::<Vec<_>>();
    let k1 = slope(z);
    let k2 = slope(&moved(&k1, dt / 2.0));
    let k3 = slope(&moved(&k2, dt / 2.0));
    let k4 = slope(&moved(&k3, dt));
    let sum = |p: usize| z[p] + dt / 6.0 * (k1[p] + 2.0 * k2[p] + 2.0 * k3[p] + k4[p]);
    (0..z.len()).map(sum).collect()
}

/// A fresh folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("lazuli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

macro_rules! command {
    ($example:ident $text:expr) => {
        $example::PROGRAM
            .command($text.split_whitespace().map(str::to_owned), $example::run)
            .map_err(|failure| failure.to_string())
    };
}

#[test]
fn the_ensemble_steps_as_plain_rust_does() {
    on_each_device(|device| {
        let n = 120;
        let start =
            Array2::from_shape_fn((3, n), |(m, p)| 15.0 + ((p * (m + 2)) as f64 * 0.37).sin());
        let folder = Folder::new(&format!("lorenz-{device}").replace(':', "-"));
        ndarray_npy::write_npy(folder.0.join("z.npy"), &start).unwrap();
        let mut want = start.clone();
        for _ in 0..3 {
            for mut row in want.outer_iter_mut() {
                let next = step(row.as_slice().unwrap());
                row.iter_mut().zip(next).for_each(|(z, next)| *z = next);
            }
        }
        for form in ["lazy", "compiled"] {
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

#[test]
fn random_numbers_come_from_the_seed() {
    on_each_device(|device| {
        let folder = Folder::new(&format!("random-{device}").replace(':', "-"));
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
        (command!(random "--device cpu --form library --generator sobol"), "no CUDA device"),
        (command!(random "--in /no/such/folder"), "seed.npy"),
    ] {
        let why = result.expect_err(wanted);
        assert!(why.contains(wanted) && !why.contains('\n'), "{why:?} does not say {wanted:?}");
    }
    assert!(command!(random "--help").unwrap().contains("--seed"));
    assert!(command!(lorenz04 "--help").unwrap().contains("--steps"));
}
