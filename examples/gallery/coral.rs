//! # A coral of two chemicals
//!
//! The model of Gray and Scott: the chemical v feeds on u, both spread, and patterns grow. The sum
//! over the neighbours is written by `roll`, as with `np.roll`, and a turn is one kernel without
//! temporary arrays. [`repeat`](lazuli::repeat()) makes the whole loop one node, where Python would
//! go round 6,000 times: nothing is recorded or planned between turns.

use lazuli::prelude::*;
use lazuli::random::Generator;

type Plane = DeviceArray<f32>;

fn laplace(a: &Plane) -> Plane {
    a.roll(1, 0) + a.roll(-1, 0) + a.roll(1, 1) + a.roll(-1, 1) - 4.0 * a
}

pub fn coral(n: usize, turns: usize) -> Plane {
    let seeds = Generator::new(5).random::<f32>([n, n]).less(0.002);
    let seeds = seeds.cast::<f32>();
    let v = &seeds + seeds.roll(1, 0) + seeds.roll(1, 1) + seeds.roll([1, 1], [0, 1]);
    let u = 1.0 - 0.5 * &v;
    let (_, v) = lazuli::repeat(turns, (u, 0.5 * v), |(u, v)| {
        let fed = &u * v.square();
        let next = &v + 0.08 * laplace(&v) + &fed - (0.0545 + 0.062) * &v;
        (&u + 0.16 * laplace(&u) - fed + 0.0545 * (1.0 - &u), next)
    });
    v
}

#[test]
fn concentrations_stay_below_one() -> Result<()> {
    let v = coral(32, 100);
    assert!(v.max(..).item()? < 1.0);
    Ok(())
}
