//! # Waves behind two slits
//!
//! The wave equation in a box, with a wall that has two openings. The inner points are a slice, as
//! `u[1:-1, 1:-1]` is in NumPy, and `assign` writes them. [`compile`](lazuli::compile()) records a
//! step once and then only launches its one kernel, each time with a new state and a new source.

use lazuli::prelude::*;

type Plane = DeviceArray<f32>;

/// The share of its speed that the medium keeps in a step: none in the wall, less near the edges.
fn medium(n: isize) -> Plane {
    let line = Plane::linspace(-1.0, 1.0, n as usize).abs();
    let quiet = 1.0 - 2.0 * (line.maximum(line.insert_axis(1)) - 0.85).clip_min(0.0);
    let mut medium = quiet;
    let (wall, slit, gap, middle) = (n / 4, n / 20, n / 10, n / 2);
    medium.assign(s![.., wall..wall + 3], 0.0f32);
    for low in [middle - gap - slit, middle + gap] {
        medium.assign(s![low..low + slit, wall..wall + 3], 1.0f32);
    }
    medium
}

pub fn waves(n: usize, steps: usize) -> Result<Plane> {
    let medium = medium(n as isize);
    let line = DeviceArray::<i64>::arange_to(n as i64).equal(n as i64 / 10).cast::<f32>();
    eval(&[&medium, &line])?; // once, and not in every step
    let step = lazuli::compile(|(u, before, source): &(Plane, Plane, Plane)| {
        let inner = u.slice(s![1..-1, 1..-1]);
        let around = u.slice(s![2.., 1..-1]) + u.slice(s![..-2, 1..-1]);
        let around = around + u.slice(s![1..-1, 2..]) + u.slice(s![1..-1, ..-2]);
        let mut next = u + &medium * (u - before) + source * &line;
        next.assign(s![1..-1, 1..-1], next.slice(s![1..-1, 1..-1]) + 0.25 * (around - 4.0 * inner));
        next * medium.greater(0.0).cast::<f32>()
    });
    let (mut u, mut before) = (Plane::zeros([n, n]), Plane::zeros([n, n]));
    for k in 0..steps {
        let source = Plane::full((), (60.0 * k as f32 / n as f32).sin());
        let next = step.call(&(u.clone(), before, source))?;
        (u, before) = (next, u);
    }
    let (u, behind) = (u.slice(s![.., n / 8..]), u.slice(s![.., n / 2..]));
    Ok((u / behind.abs().max(..)).clip(-1.0, 1.0))
}

#[test]
fn waves_are_the_same_above_and_below() -> Result<()> {
    let u = waves(48, 100)?;
    assert!((&u - u.flip(0)).abs().max(..).item()? < 1e-3);
    Ok(())
}
