//! Pictures, signals and sparse systems: what the modules of SciPy's names do.

use super::{GOLDEN, SQRT_2, array_form, compare, places, spread};
use crate::measure::{Bench, Check};
use lazuli::ndimage::{gaussian_filter, label, map_coordinates, median_filter};
use lazuli::prelude::*;
use lazuli::signal::{Segments, welch};
use lazuli::sparse::{Csr, linalg};

/// A square of values without an order.
fn noise(n: usize) -> Result<DeviceArray<f32>> {
    let a = spread::<f64>(n * n, GOLDEN, 0.0, 1000.0)?;
    let a = ((a.square() * 17.0) % 1.0).cast::<f32>().reshape([n, n]);
    a.eval()?;
    Ok(a)
}

/// The part of a square around a place, `2 * radius + 1` wide.
fn around(a: &DeviceArray<f32>, [i, j]: [usize; 2], radius: usize) -> Result<Vec<f32>> {
    let [i, j, r] = [i, j, radius].map(|n| n as isize);
    a.slice(s![i - r..=i + r, j - r..=j + r]).to_vec()
}

/// Places inside a square, at which a filter sees no border.
fn inside(n: usize) -> impl Iterator<Item = [usize; 2]> {
    places(n - 64).into_iter().zip(places(n - 64).into_iter().rev()).map(|(i, j)| [i + 32, j + 32])
}

/// A blur with a deviation of two pixels, cut at four deviations.
pub fn gaussian(bench: &mut Bench, n: usize) -> Result<()> {
    let a = noise(n)?;
    let weight = |k: usize| (-0.125 * (k as f64 - 8.0).powi(2)).exp();
    let total: f64 = (0..17).map(weight).sum();
    let check = |blurred: DeviceArray<f32>| -> Check {
        let mut pairs = Vec::new();
        for [i, j] in inside(n) {
            let window = around(&a, [i, j], 8)?.into_iter().enumerate();
            let parts = window.map(|(k, x)| f64::from(x) * weight(k / 17) * weight(k % 17));
            let want = parts.sum::<f64>() / (total * total);
            pairs.push((f64::from(blurred.get([i, j])?), want));
        }
        compare(pairs, 1e-5)
    };
    array_form(bench, "lazy", 8 * n * n, || Ok(gaussian_filter(&a, 2.0)), check)
}

/// The median of the elements around each one.
pub fn median(bench: &mut Bench, n: usize, window: usize) -> Result<()> {
    let a = noise(n)?;
    let check = |medians: DeviceArray<f32>| -> Check {
        let mut pairs = Vec::new();
        for [i, j] in inside(n) {
            let mut near = around(&a, [i, j], window / 2)?;
            near.sort_by(f32::total_cmp);
            pairs.push((medians.get([i, j])?.into(), near[near.len() / 2].into()));
        }
        compare(pairs, 0.0)
    };
    array_form(bench, "lazy", 8 * n * n, || Ok(median_filter(&a, window)), check)
}

/// A picture turned by half a radian, through splines of an order.
pub fn turned(bench: &mut Bench, n: usize, order: usize) -> Result<()> {
    let line = || DeviceArray::<f32>::arange_to(n as f32);
    let surface = |y: f64, x: f64| (y * 0.02).sin() * (x * 0.015).cos();
    let (y, x) = (line().insert_axis(1), line().insert_axis(0));
    let picture = (&y * 0.02).sin() * (&x * 0.015).cos();
    let (centre, (sin, cos)) = ((n - 1) as f32 / 2.0, 0.5f32.sin_cos());
    let (y, x) = (y - centre, x - centre);
    let at = [&y * cos + &x * sin + centre, &x * cos - &y * sin + centre];
    let at = lazuli::stack(&[&at[0], &at[1]], 0);
    lazuli::eval(&[&picture, &at])?;
    let check = |turned: DeviceArray<f32>| -> Check {
        let mut pairs = Vec::new();
        for k in [n / 3, n / 2, n - n / 3] {
            let [i, j] = [0, 1].map(|axis| at.slice(s![axis, k, n - k]).item());
            pairs.push((turned.get([k, n - k])?.into(), surface(i?.into(), j?.into())));
        }
        compare(pairs, 1e-3)
    };
    array_form(bench, "lazy", 16 * n * n, || Ok(map_coordinates(&picture, &at, order)), check)
}

/// The parts of a noisy mask that hang together.
pub fn parts(bench: &mut Bench, n: usize) -> Result<()> {
    let mask = noise(n)?.less(0.5);
    mask.eval()?;
    let check = || -> Check {
        let (labels, count) = label(&mask, 1)?;
        let (labels, mask) = (labels.to_vec()?, mask.to_vec()?);
        let step = |k: usize, by: usize| mask[k] && mask[k - by] && labels[k] != labels[k - by];
        let cut = (n..n * n).any(|k| step(k, n) || (k % n > 0 && step(k, 1)));
        let outside = labels.iter().zip(&mask).any(|(&label, &inside)| (label > 0) != inside);
        let most = labels.iter().max().copied().unwrap_or(0) as usize;
        Ok(match !cut && !outside && most == count {
            true => Ok(()),
            false => Err(format!("{count} parts, cut {cut}, outside {outside}, {most} at most")),
        })
    };
    bench.form("lazy", 5 * n * n, || label(&mask, 1).map(drop), check)
}

/// The power of a long signal by frequencies, from segments of 1024 samples.
pub fn spectrum(bench: &mut Bench, n: usize) -> Result<()> {
    let noise = spread::<f32>(n, GOLDEN, -0.5, 0.5)?;
    let wave = (DeviceArray::<f32>::arange_to(1024.0) * (std::f32::consts::TAU / 8.0)).sin();
    let signal = noise.slice(s![..n / 1024 * 1024]).reshape([n / 1024, 1024]) + wave;
    let signal = signal.reshape([n / 1024 * 1024]);
    signal.eval()?;
    let how = Segments::new().length(1024);
    let check = |power: DeviceArray<f32>| -> Check {
        let (at, most) = (power.argmax(..).item()?, power.max(..).item()?);
        // A wave's power falls into the bin by two thirds, as the window of Hann spreads it.
        compare([(at as f64, 128.0), (most.into(), 0.5 / 1.5 * 1024.0)], 2e-2)
    };
    array_form(bench, "lazy", 4 * n, || Ok(welch(&signal, &how).1), check)
}

/// The five-point Laplacian of a square.
fn laplacian(n: usize) -> Result<Csr<f64>> {
    let (two, minus) = (DeviceArray::full([1], 2.0), DeviceArray::full([1], -1.0));
    let line = Csr::diags([n, n], &[(-1, &minus), (0, &two), (1, &minus)])?;
    let eye = Csr::eye(n)?;
    &eye.kron(&line)? + &line.kron(&eye)?
}

/// A sparse matrix times a vector.
pub fn sparse_product(bench: &mut Bench, n: usize) -> Result<()> {
    let a = laplacian(n)?;
    let x = spread::<f64>(n * n, SQRT_2, -1.0, 1.0)?;
    let check = |y: DeviceArray<f64>| -> Check {
        let (plane, y) = (x.reshape([n, n]), y.reshape([n, n]));
        let mut pairs = Vec::new();
        for [i, j] in inside(n) {
            let near = [[i - 1, j], [i + 1, j], [i, j - 1], [i, j + 1]];
            let mut want = 4.0 * plane.get([i, j])?;
            for place in near {
                want -= plane.get(place)?;
            }
            pairs.push((y.get([i, j])?, want));
        }
        compare(pairs, 1e-13)
    };
    array_form(bench, "lazy", 12 * a.nnz() + 16 * n * n, || Ok(a.dot(&x)), check)
}

/// Conjugate gradients to a residual of 1e-8.
pub fn conjugate_gradients(bench: &mut Bench, n: usize) -> Result<()> {
    let a = laplacian(n)?;
    let b = DeviceArray::<f64>::ones([n * n]);
    b.eval()?;
    let solve = || linalg::cg(&a, &b, &linalg::Options::new().rtol(1e-8));
    let check = || -> Check {
        let x = solve()?.x;
        let rest = (&b - a.dot(&x)).square().sum(..).item()?.sqrt() / n as f64;
        compare([(rest, 0.0)], 2e-8)
    };
    bench.form("cg", 0, || solve()?.x.eval(), check)
}
