//! # A grid whose points depend on each other
//!
//! Waves of shallow water, `u_t = -6 u u_x - u_xxx` (Korteweg and de Vries): a tall wave runs through a
//! small one, and both go on as they were. Points of a grid share time and step;
//! [`coupled`](lazuli::ode::Options::coupled) names the axes along which they are one member, and
//! further axes are an ensemble of such waves. Differences are rolls, as with `np.roll`; SciPy takes
//! the grid as one state, which is this with one member. As the method is explicit, steps stay below
//! the cube of the grid's distance, times a constant.
//!
//! The height of the water from left to right, time downwards.

use lazuli::ode;
use lazuli::prelude::*;

type Array = DeviceArray<f64>;

fn soliton(x: &Array, speed: f64, place: f64) -> Array {
    0.5 * speed * ((x - place) * (0.5 * speed.sqrt())).cosh().powi(-2)
}

/// The heights at so many times, on a ring of length 60.
pub fn history(points: usize, times: usize, end: f64) -> Result<Array> {
    let x = Array::linspace_open(-30.0, 30.0, points);
    let h = 60.0 / points as f64;
    let start = soliton(&x, 2.0, -20.0) + soliton(&x, 0.5, -5.0);
    let slope = |_: &Array, u: &Array| {
        let (left, right) = (u.roll(1, 0), u.roll(-1, 0));
        let (far_left, far_right) = (u.roll(2, 0), u.roll(-2, 0));
        let steep = (&right - &left) / (2.0 * h);
        let third = (far_right - 2.0 * &right + 2.0 * &left - far_left) / (2.0 * h * h * h);
        -2.0 * (left + u + right) * steep - third
    };
    let at: Vec<f64> = (0..times).map(|k| end * k as f64 / (times - 1) as f64).collect();
    let options = ode::Options::new().rtol(1e-4).coupled(&[0]).t_eval(&at);
    Ok(ode::solve(slope, (0.0, end), start, &options).ys)
}

#[test]
fn the_water_stays() -> Result<()> {
    let rows = history(128, 3, 2.0)?;
    let water = rows.sum(1).to_vec()?;
    assert!((water[2] / water[0] - 1.0).abs() < 1e-9);
    // The tall wave of height 1 moves 2 units of length in each unit of time.
    let top = rows.argmax(1).to_vec()?;
    assert!(((top[2] - top[0]) as f64 * 60.0 / 128.0 - 4.0).abs() < 0.8);
    Ok(())
}
