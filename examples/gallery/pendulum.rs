//! # A pendulum above three magnets
//!
//! Each pixel is a place where an iron bob is let go. The colour names the magnet at which it comes
//! to rest, the shade tells how soon. SciPy's `solve_ivp` would be called 57,600 times, or take the
//! smallest step that any place needs for all of them; for [`ode::solve`](lazuli::ode::solve()) the
//! places are an ensemble whose members take steps of their own.

use lazuli::ode;
use lazuli::prelude::*;

type Array = DeviceArray<f64>;

const MAGNETS: [(f64, f64); 3] = [(1.0, 0.0), (-0.5, 0.866), (-0.5, -0.866)];
const COLOURS: [[f64; 3]; 3] = [[0.3, 0.7, 1.0], [1.0, 0.6, 0.2], [0.4, 0.9, 0.5]];

/// The derivatives of the place and the velocity.
fn swing([x, y, vx, vy]: &[Array; 4]) -> [Array; 4] {
    let (mut ax, mut ay) = (-0.2 * vx - 0.5 * x, -0.2 * vy - 0.5 * y);
    for (mx, my) in MAGNETS {
        let (dx, dy) = (mx - x, my - y);
        let square = dx.square() + dy.square() + 0.04;
        let cube = &square * square.sqrt();
        ax += dx / &cube;
        ay += dy / &cube;
    }
    [vx.clone(), vy.clone(), ax, ay]
}

pub fn basins(n: usize, end: usize) -> Result<Array> {
    let (line, zero) = (Array::linspace(-2.2, 2.2, n), Array::zeros([n, n]));
    let start = [&zero + &line, &zero + line.insert_axis(1), zero.clone(), zero];
    let times: Vec<f64> = (1..=2 * end).map(|k| 0.5 * k as f64).collect();
    let options = ode::Options::new().rtol(1e-3).atol(1e-3).t_eval(&times);
    let [x, y, ..] = ode::solve(|_, state| swing(state), (0.0, end as f64), start, &options).ys;
    let distances = MAGNETS.map(|(mx, my)| (&x - mx).hypot(&y - my));
    let nearest = stack(&distances, 0).argmin(0); // times × n × n
    let last = nearest.slice(s![-1, .., ..]);
    let restless = nearest.not_equal(&last).cast::<f64>().sum(0);
    let colours = DeviceArray::try_from(COLOURS)?;
    Ok(colours.take(last, 0) * (-0.13 * restless).exp().insert_axis(-1))
}

#[test]
fn a_bob_above_a_magnet_stays_there() -> Result<()> {
    let basins = basins(45, 10)?;
    assert_eq!(basins.shape(), [45, 45, 3]);
    assert_eq!(basins.get([22, 32, 2])?, 1.0); // blue, from the beginning on
    Ok(())
}
