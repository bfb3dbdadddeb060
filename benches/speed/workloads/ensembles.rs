//! Ensembles of differential equations, each member of which has its own steps.

use super::{compare, places};
use crate::measure::{Bench, Check};
use lazuli::{ode, prelude::*};

type Numbers = DeviceArray<f64>;
type State = (Numbers, Numbers, Numbers);

const SIGMA: f64 = 10.0;
const BETA: f64 = 8.0 / 3.0;
const START: [f64; 3] = [1.0, 0.0, 0.0];

/// Lorenz' equations of 1963 for members whose parameters lie between 0 and 21.
struct Ensemble {
    rho: Numbers,
    start: State,
}

impl Ensemble {
    fn new(members: usize) -> Result<Ensemble> {
        let rho = Numbers::linspace(0.0, 21.0, members);
        let [x, y, z] = START.map(|value| Numbers::full(members, value));
        lazuli::eval(&[&rho, &x, &y, &z])?;
        Ok(Ensemble { rho, start: (x, y, z) })
    }

    fn slope(&self, (x, y, z): &State) -> State {
        (SIGMA * (y - x), x * (&self.rho - z) - y, x * y - BETA * z)
    }

    /// Looks at some members at time 1.
    fn check(&self, end: &State, bound: f64) -> Check {
        let rho = self.rho.to_vec()?;
        let end = [end.0.to_vec()?, end.1.to_vec()?, end.2.to_vec()?];
        let pairs = places(rho.len()).into_iter().flat_map(|member| {
            let right = on_host(rho[member]);
            (0..3).map(|k| (end[k][member], right[k])).collect::<Vec<_>>()
        });
        compare(pairs, bound)
    }
}

/// A member at time 1, by many small steps.
fn on_host(rho: f64) -> [f64; 3] {
    const STEPS: usize = 4000;
    let h = 1.0 / STEPS as f64;
    let slope = |[x, y, z]: [f64; 3]| [SIGMA * (y - x), x * (rho - z) - y, x * y - BETA * z];
    let moved =
        |y: [f64; 3], k: [f64; 3], h: f64| -> [f64; 3] { std::array::from_fn(|c| y[c] + h * k[c]) };
    (0..STEPS).fold(START, |y, _| {
        let k1 = slope(y);
        let k2 = slope(moved(y, k1, 0.5 * h));
        let k3 = slope(moved(y, k2, 0.5 * h));
        let k4 = slope(moved(y, k3, h));
        std::array::from_fn(|c| y[c] + h / 6.0 * (k1[c] + 2.0 * k2[c] + 2.0 * k3[c] + k4[c]))
    })
}

/// Adaptive steps by Dormand's and Prince's pair to a tolerance of 1e-8, until time 1.
pub fn ensemble(bench: &mut Bench, members: usize) -> Result<()> {
    let ensemble = Ensemble::new(members)?;
    let options = ode::Options::new().rtol(1e-8).atol(1e-8);
    let solved = || -> Result<State> {
        let slope = |_: &Numbers, y: &State| ensemble.slope(y);
        let end = ode::solve(slope, (0.0, 1.0), ensemble.start.clone(), &options);
        end.eval()?;
        Ok(end.y)
    };
    bench.form("solve", 0, || solved().map(drop), || ensemble.check(&solved()?, 1e-5))
}

/// Runge-Kutta steps of one size, until time 1.
pub fn ensemble_rk4(bench: &mut Bench, members: usize, steps: usize) -> Result<()> {
    let ensemble = Ensemble::new(members)?;
    let solved = || -> Result<State> {
        let slope = |_: &Numbers, y: &State| ensemble.slope(y);
        let end = ode::rk4(slope, 0.0, 1.0 / steps as f64, steps, ensemble.start.clone());
        lazuli::eval(&[&end.0, &end.1, &end.2])?;
        Ok(end)
    };
    bench.form("rk4", 0, || solved().map(drop), || ensemble.check(&solved()?, 1e-6))
}
