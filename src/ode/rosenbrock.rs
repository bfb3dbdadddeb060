//! Steps of a Rosenbrock method, for stiff equations: linear systems with the slopes' derivatives
//! stand in the place of an implicit method's equations.
//!
//! With `J` the derivatives by the state and `F` that by the time, the increments of a step of size
//! `h` obey `(I/γ − h·J)·kᵢ = h·f(t + αᵢ·h, y + Σ aᵢⱼ·kⱼ) + Σ cᵢⱼ·kⱼ + h²·γᵢ·F`: Hairer and Wanner,
//! "Solving Ordinary Differential Equations II", IV.7, times `h`, so that no small step is divided by.

use super::adaptive::{Array, Solver};
use super::lu::Lu;
use super::members::Attempt;
use super::state::{Parts, State};
use crate::array::DeviceArray;
use crate::dtype::Floating;

/// A stage of a Rosenbrock method.
pub(super) struct Stage {
    /// Its time, as a part of the step.
    pub time: f64,
    /// The weights of the increments before it in its state. Where there are none, its state is that
    /// of the stage before, with the increment.
    pub weights: &'static [f64],
    /// The weights of the increments before it in its equation.
    pub couplings: &'static [f64],
    /// The weight of the derivative by the time.
    pub rate: f64,
}

/// A stiffly accurate method: the step's end is the last stage's state with the increment, which is
/// the estimate of the error, too.
pub(super) struct Rosenbrock {
    pub gamma: f64,
    pub stages: &'static [Stage],
    /// The order of the estimate: the error is of one order more in the step's size.
    pub order: i32,
    /// The weights of the increments in the terms of dense output.
    pub dense: &'static [&'static [f64]],
}

/// G. Steinebach, "Construction of Rosenbrock–Wanner method Rodas5P and numerical benchmarks within
/// the Julia Differential Equations package", BIT 63 (2023): order 5 with an estimate of order 4,
/// stable for all stiff components, and hardly of less order where these are driven.
pub(super) static RODAS5P: Rosenbrock = Rosenbrock {
    gamma: 0.21193756319429014,
    stages: &[
        Stage { time: 0.0, weights: &[], couplings: &[], rate: 0.21193756319429014 },
        Stage {
            time: 0.6358126895828704,
            weights: &[3.0],
            couplings: &[-14.155112264123755],
            rate: -0.42387512638858027,
        },
        Stage {
            time: 0.4095798393397535,
            weights: &[2.849394379747939, 0.45842242204463923],
            couplings: &[-17.97296035885952, -2.859693295451294],
            rate: -0.3384627126235924,
        },
        Stage {
            time: 0.9769306725060716,
            weights: &[-6.954028509809101, 2.489845061869568, -10.358996098473584],
            couplings: &[147.12150275711716, -1.41221402718213, 71.68940251302358],
            rate: 1.8046452872882734,
        },
        Stage {
            time: 0.4288403609558664,
            weights: &[
                2.8029986275628964,
                0.5072464736228206,
                -0.3988312541770524,
                -0.04721187230404641,
            ],
            couplings: &[
                165.43517024871676,
                -0.4592823456491126,
                42.90938336958603,
                -5.961986721573306,
            ],
            rate: 2.325825639765069,
        },
        Stage {
            time: 1.0,
            weights: &[
                -7.502846399306121,
                2.561846144803919,
                -11.627539656261098,
                -0.18268767659942256,
                0.030198172008377946,
            ],
            couplings: &[
                24.854864614690072,
                -3.0009227002832186,
                47.4931110020768,
                5.5814197821558125,
                -0.6610691825249471,
            ],
            rate: 0.0,
        },
        Stage {
            time: 1.0,
            weights: &[],
            couplings: &[
                30.91273214028599,
                -3.1208243349937974,
                77.79954646070892,
                34.28646028294783,
                -19.097331116725623,
                -28.087943162872662,
            ],
            rate: 0.0,
        },
        Stage {
            time: 1.0,
            weights: &[],
            couplings: &[
                37.80277123390563,
                -3.2571969029072276,
                112.26918849496327,
                66.9347231244047,
                -40.06618937091002,
                -54.66780262877968,
                -9.48861652309627,
            ],
            rate: 0.0,
        },
    ],
    order: 4,
    dense: &[
        &[
            25.948786856663858,
            -2.5579724845846235,
            10.433815404888879,
            -2.3679251022685204,
            0.524948541321073,
            1.1241088310450404,
            0.4272876194431874,
            -0.17202221070155493,
        ],
        &[
            -9.91568850695171,
            -0.9689944594115154,
            3.0438037242978453,
            -24.495224566215796,
            20.176138334709044,
            15.98066361424651,
            -6.789040303419874,
            -6.710236069923372,
        ],
        &[
            11.419903575922262,
            2.8879645146136994,
            72.92137995996029,
            80.12511834622643,
            -52.072871366152654,
            -59.78993625266729,
            -0.15582684282751913,
            4.883087185713722,
        ],
    ],
};

impl Rosenbrock {
    /// The terms of dense output.
    pub fn terms<T: Floating>(&self, stages: &[Parts<T>]) -> Vec<Parts<T>> {
        self.dense.iter().map(|weights| sums(stages, weights)).collect()
    }
}

/// The sums of increments, with weights. The components share the weights' nodes: a kernel has room
/// for few scalars, and with those of each component by itself, steps of three components were nine
/// kernels.
fn sums<T: Floating>(increments: &[Parts<T>], weights: &[f64]) -> Parts<T> {
    let terms = increments.iter().zip(weights).map(|(parts, &weight)| {
        let weight = parts[0].full_like(T::from_f64(weight));
        parts.iter().map(|part| part * &weight).collect::<Parts<T>>()
    });
    let added = |sums: Parts<T>, terms: Parts<T>| {
        sums.into_iter().zip(terms).map(|(sum, term)| sum + term).collect()
    };
    terms.reduce(added).expect("every row of a table has a weight")
}

/// Sums by components.
fn added<T: Floating>(a: &[DeviceArray<T>], b: &[DeviceArray<T>]) -> Parts<T> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// An increment by which a component moves for its derivative, in terms of its size, is the cubic root
/// of the type's epsilon, and differences are centred: the order stands and falls with the derivatives,
/// and with one-sided ones 16 components, mixed, of rates up to 3e7, took 650 to 1,600 steps at a
/// tolerance of 1e-9, where they take 320. Components near zero move as if they were of the size of their change in a step,
/// if that is from the absolute tolerance to so many times it.
const MOST_CHANGE: f64 = 1000.0;
/// The size of a component that is zero and stays so, where the absolute tolerance is zero, too.
const UNKNOWN_SIZE: f64 = 1e-5;

impl<S: State> Solver<'_, '_, S> {
    /// A step of a method from a state and its slope, to the time `next`.
    pub(super) fn rosenbrock(
        &self,
        table: &Rosenbrock,
        (t, h, next): (&Array<S>, &Array<S>, &Array<S>),
        (y, slope): (&[Array<S>], &[Array<S>]),
    ) -> Attempt<S::Scalar> {
        let factors = Lu::new(self.matrix(table.gamma, (t, h), (y, slope)));
        let rates = self.reads_time.then(|| self.rates((t, h), (y, slope)));
        let mut stages: Vec<Parts<S::Scalar>> = Vec::new();
        let mut state = y.to_vec();
        for (n, stage) in table.stages.iter().enumerate() {
            let slope = match n {
                0 => slope.to_vec(),
                _ => {
                    state = match stage.weights {
                        [] => added(&state, &stages[n - 1]),
                        weights => added(y, &sums(&stages, weights)),
                    };
                    self.system.slope(&(t + h * Self::number(stage.time)), &state)
                }
            };
            let mut right: Parts<_> = slope.iter().map(|slope| slope * h).collect();
            if n > 0 {
                right = added(&right, &sums(&stages, stage.couplings));
            }
            if let Some(rates) = rates.as_ref().filter(|_| stage.rate != 0.0) {
                right = added(&right, &sums(std::slice::from_ref(rates), &[stage.rate]));
            }
            stages.push(factors.solve(right));
        }
        let last = &stages[table.stages.len() - 1];
        let moved = added(&state, last);
        let sizes = y.iter().zip(&moved).map(|(y, moved)| y.abs().maximum(moved.abs()));
        let error = self.mean_square(last.clone(), &self.scale(sizes)).sqrt();
        // A state without slopes is no good one.
        let slope = self.system.slope(next, &moved);
        let error = self.finite(&slope).select(error, Self::number(f64::NAN));
        Attempt { y: moved, slope, stages, error }
    }

    /// The matrix `I/γ − h·J`, by rows.
    fn matrix(
        &self,
        gamma: f64,
        (t, h): (&Array<S>, &Array<S>),
        (y, slope): (&[Array<S>], &[Array<S>]),
    ) -> Vec<Parts<S::Scalar>> {
        let increments = self.increments(h, y, slope);
        let columns = increments.iter().enumerate().map(|(k, increment)| {
            let moved = |place: Array<S>| {
                let mut moved = y.to_vec();
                moved[k] = place;
                self.system.slope(t, &moved)
            };
            // The differences of what is rounded.
            let (ahead, behind) = (&y[k] + increment, &y[k] - increment);
            let (per, per_half) = (h / (&ahead - &behind), h / (&ahead - &y[k]));
            let (ahead, behind) = (moved(ahead), moved(behind));
            let entry = |((ahead, behind), slope): ((&Array<S>, &Array<S>), &Array<S>)| {
                let one_sided = (ahead - slope) * &per_half;
                let centred = (ahead - behind) * &per;
                // Behind a component may leave what the function is defined for.
                behind.is_finite().select(centred, one_sided)
            };
            ahead.iter().zip(&behind).zip(slope).map(entry).collect()
        });
        let columns: Vec<Parts<S::Scalar>> = columns.collect();
        let diagonal = y[0].full_like(Self::number(1.0 / gamma));
        let entry = |row: usize, column: usize| match row == column {
            true => &diagonal - &columns[column][row],
            false => -&columns[column][row],
        };
        (0..y.len()).map(|row| (0..y.len()).map(|column| entry(row, column)).collect()).collect()
    }

    /// How far components move for their derivatives: each in the direction of its change first, because
    /// it may be at the border of what the function is defined for.
    fn increments(&self, h: &Array<S>, y: &[Array<S>], slope: &[Array<S>]) -> Parts<S::Scalar> {
        let number = |value: f64| h.full_like(Self::number(value));
        let atol = self.options.atol;
        let (least, most, zero) = (number(atol), number(MOST_CHANGE * atol), number(0.0));
        // Smaller sizes have increments that are no normal numbers.
        let normal = number(self.least_normal / self.epsilon);
        let (unknown, root) = (number(UNKNOWN_SIZE), number(self.epsilon.cbrt()));
        let increment = |(y, slope): (&Array<S>, &Array<S>)| {
            let change = (slope * h).abs().fmin(&most).maximum(&least);
            let size = y.abs().maximum(&change);
            let size = size.less(&normal).select(&unknown, size) * &root;
            let down = if self.forward { slope.less(&zero) } else { slope.greater(&zero) };
            down.select(-&size, size)
        };
        y.iter().zip(slope).map(increment).collect()
    }

    /// The derivatives by the time, times the step's size twice.
    fn rates(
        &self,
        (t, h): (&Array<S>, &Array<S>),
        (y, slope): (&[Array<S>], &[Array<S>]),
    ) -> Parts<S::Scalar> {
        let far = Self::number(if self.forward { f64::INFINITY } else { f64::NEG_INFINITY });
        let least = (t.nextafter(far) - t) * Self::number(2.0);
        let small = h * Self::number(self.epsilon.sqrt());
        // Times that are many steps from zero have no nearer neighbours.
        let later = t + small.abs().less(least.abs()).select(least, small);
        let per = h / (&later - t);
        let there = self.system.slope(&later, y);
        there.iter().zip(slope).map(|(there, slope)| (there - slope) * &per * h).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times and rates are what the weights say, by the formulas of the book.
    #[test]
    fn weights_are_consistent() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-10, "{a} {b}");
        let table = &RODAS5P;
        let n = table.stages.len();
        // y' = 1 has increments of which the states are the stages' times, and the end is 1.
        // y' = t has those with rates.
        let (mut ones, mut squares) = (Vec::<f64>::new(), Vec::<f64>::new());
        let (mut state, mut square) = (0.0, 0.0);
        let sum = |weights: &[f64], k: &[f64]| weights.iter().zip(k).map(|(w, k)| w * k).sum();
        for (i, stage) in table.stages.iter().enumerate() {
            (state, square) = match stage.weights {
                [] if i > 0 => (state + ones[i - 1], square + squares[i - 1]),
                weights => (sum(weights, &ones), sum(weights, &squares)),
            };
            near(state, stage.time);
            let (one, two): (f64, f64) =
                (sum(stage.couplings, &ones), sum(stage.couplings, &squares));
            ones.push(table.gamma * (1.0 + one));
            squares.push(table.gamma * (stage.time + two + stage.rate));
        }
        near(state + ones[n - 1], 1.0);
        near(square + squares[n - 1], 0.5);
        near(ones[n - 1], 0.0);
        near(squares[n - 1], 0.0);
        // Constant slopes have no terms beyond the line; y = t²/2 has −t·(1 − t)/2.
        for (k, weights) in table.dense.iter().enumerate() {
            near(sum(weights, &ones), 0.0);
            near(sum(weights, &squares), if k == 0 { -0.5 } else { 0.0 });
        }
    }
}
