//! The coefficients of Rosenbrock methods.

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
