//! The coefficients of the embedded Runge–Kutta pairs.

/// A stage of a pair: the slope there is one of those that make the step.
pub(super) struct Stage {
    /// Its time, as a part of the step.
    pub time: f64,
    /// The weights of the slopes before it.
    pub weights: &'static [f64],
}

/// How a pair estimates its error from the slopes, of which the last is that at the step's end.
pub(super) enum Estimate {
    /// The weights of the slopes in the difference of both solutions.
    One(&'static [f64]),
    /// Those of the estimates of fifth and third order, which are combined.
    Two(&'static [f64], &'static [f64]),
}

/// An embedded pair. The first slope is that at the step's start, known from the step before.
pub(super) struct Tableau {
    /// The stages after the first.
    pub stages: &'static [Stage],
    /// The weights of the slopes in the step.
    pub weights: &'static [f64],
    /// The estimate of the error.
    pub estimate: Estimate,
    /// The order of the estimate: the error is of one order more in the step's size.
    pub order: i32,
    /// Stages that dense output alone needs, after the slope at the step's end.
    pub more: &'static [Stage],
    /// The weights of all slopes in the terms of dense output beyond the cubic ones.
    pub dense: &'static [&'static [f64]],
}

/// P. Bogacki and L. F. Shampine, "A 3(2) pair of Runge–Kutta formulas", Appl. Math. Lett. 2
/// (1989).
pub(super) static BOGACKI_SHAMPINE_3: Tableau = Tableau {
    stages: &[
        Stage { time: 1.0 / 2.0, weights: &[1.0 / 2.0] },
        Stage { time: 3.0 / 4.0, weights: &[0.0, 3.0 / 4.0] },
    ],
    weights: &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0],
    estimate: Estimate::One(&[5.0 / 72.0, -1.0 / 12.0, -1.0 / 9.0, 1.0 / 8.0]),
    order: 2,
    more: &[],
    dense: &[],
};

/// J. R. Dormand and P. J. Prince, "A family of embedded Runge–Kutta formulae", J. Comput. Appl.
/// Math. 6 (1980). Dense output: L. F. Shampine, "Some practical Runge–Kutta formulas", Math. Comp.
/// 46 (1986), in the form of Hairer, Nørsett and Wanner, "Solving Ordinary Differential Equations
/// I", II.6.
pub(super) static DORMAND_PRINCE_5: Tableau = Tableau {
    stages: &[
        Stage { time: 1.0 / 5.0, weights: &[1.0 / 5.0] },
        Stage { time: 3.0 / 10.0, weights: &[3.0 / 40.0, 9.0 / 40.0] },
        Stage { time: 4.0 / 5.0, weights: &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0] },
        Stage {
            time: 8.0 / 9.0,
            weights: &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        },
        Stage {
            time: 1.0,
            weights: &[
                9017.0 / 3168.0,
                -355.0 / 33.0,
                46732.0 / 5247.0,
                49.0 / 176.0,
                -5103.0 / 18656.0,
            ],
        },
    ],
    weights: &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    estimate: Estimate::One(&[
        -71.0 / 57600.0,
        0.0,
        71.0 / 16695.0,
        -71.0 / 1920.0,
        17253.0 / 339200.0,
        -22.0 / 525.0,
        1.0 / 40.0,
    ]),
    order: 4,
    more: &[],
    dense: &[&[
        -12715105075.0 / 11282082432.0,
        0.0,
        87487479700.0 / 32700410799.0,
        -10690763975.0 / 1880347072.0,
        701980252875.0 / 199316789632.0,
        -1453857185.0 / 822651844.0,
        69997945.0 / 29380423.0,
    ]],
};

/// E. Hairer, S. P. Nørsett and G. Wanner, "Solving Ordinary Differential Equations I", II.5 and
/// II.10: the pair of order 8 with estimates of orders 5 and 3 (DOP853).
pub(super) static DORMAND_PRINCE_8: Tableau = Tableau {
    stages: &DP8_STAGES,
    weights: &DP8_WEIGHTS,
    estimate: Estimate::Two(&DP8_ERROR5, &DP8_ERROR3),
    order: 7,
    more: &DP8_MORE,
    dense: &DP8_DENSE,
};

static DP8_STAGES: [Stage; 11] = [
    Stage { time: 0.05260015195876773, weights: &[0.05260015195876773] },
    Stage { time: 0.0789002279381516, weights: &[0.0197250569845379, 0.0591751709536137] },
    Stage { time: 0.1183503419072274, weights: &[0.02958758547680685, 0.0, 0.08876275643042054] },
    Stage {
        time: 0.2816496580927726,
        weights: &[0.2413651341592667, 0.0, -0.8845494793282861, 0.924834003261792],
    },
    Stage {
        time: 0.3333333333333333,
        weights: &[0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242],
    },
    Stage {
        time: 0.25,
        weights: &[0.037109375, 0.0, 0.0, 0.17025221101954405, 0.06021653898045596, -0.017578125],
    },
    Stage {
        time: 0.3076923076923077,
        weights: &[
            0.03709200011850479,
            0.0,
            0.0,
            0.17038392571223998,
            0.10726203044637328,
            -0.015319437748624402,
            0.008273789163814023,
        ],
    },
    Stage {
        time: 0.6512820512820513,
        weights: &[
            0.6241109587160757,
            0.0,
            0.0,
            -3.3608926294469414,
            -0.868219346841726,
            27.59209969944671,
            20.154067550477894,
            -43.48988418106996,
        ],
    },
    Stage {
        time: 0.6,
        weights: &[
            0.47766253643826434,
            0.0,
            0.0,
            -2.4881146199716677,
            -0.590290826836843,
            21.230051448181193,
            15.279233632882423,
            -33.28821096898486,
            -0.020331201708508627,
        ],
    },
    Stage {
        time: 0.8571428571428571,
        weights: &[
            -0.9371424300859873,
            0.0,
            0.0,
            5.186372428844064,
            1.0914373489967295,
            -8.149787010746927,
            -18.52006565999696,
            22.739487099350505,
            2.4936055526796523,
            -3.0467644718982196,
        ],
    },
    Stage {
        time: 1.0,
        weights: &[
            2.273310147516538,
            0.0,
            0.0,
            -10.53449546673725,
            -2.0008720582248625,
            -17.9589318631188,
            27.94888452941996,
            -2.8589982771350235,
            -8.87285693353063,
            12.360567175794303,
            0.6433927460157636,
        ],
    },
];

static DP8_MORE: [Stage; 3] = [
    Stage {
        time: 0.1,
        weights: &[
            0.056167502283047954,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.25350021021662483,
            -0.2462390374708025,
            -0.12419142326381637,
            0.15329179827876568,
            0.00820105229563469,
            0.007567897660545699,
            -0.008298,
        ],
    },
    Stage {
        time: 0.2,
        weights: &[
            0.03183464816350214,
            0.0,
            0.0,
            0.0,
            0.0,
            0.028300909672366776,
            0.053541988307438566,
            -0.05492374857139099,
            0.0,
            0.0,
            -0.00010834732869724932,
            0.0003825710908356584,
            -0.00034046500868740456,
            0.1413124436746325,
        ],
    },
    Stage {
        time: 0.7777777777777778,
        weights: &[
            -0.42889630158379194,
            0.0,
            0.0,
            0.0,
            0.0,
            -4.697621415361164,
            7.683421196062599,
            4.06898981839711,
            0.3567271874552811,
            0.0,
            0.0,
            0.0,
            -0.0013990241651590145,
            2.9475147891527724,
            -9.15095847217987,
        ],
    },
];

static DP8_WEIGHTS: [f64; 12] = [
    0.054293734116568765,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    0.3111643669578199,
    -0.1521609496625161,
    0.20136540080403034,
    0.04471061572777259,
];

static DP8_ERROR5: [f64; 13] = [
    0.01312004499419488,
    0.0,
    0.0,
    0.0,
    0.0,
    -1.2251564463762044,
    -0.4957589496572502,
    1.6643771824549864,
    -0.35032884874997366,
    0.3341791187130175,
    0.08192320648511571,
    -0.022355307863886294,
    0.0,
];

static DP8_ERROR3: [f64; 13] = [
    -0.18980075407240762,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    -0.4226823213237919,
    -0.1521609496625161,
    0.20136540080403034,
    0.02265179219836082,
    0.0,
];

static DP8_DENSE: [&[f64]; 4] = [
    &[
        -8.428938276109013,
        0.0,
        0.0,
        0.0,
        0.0,
        0.5667149535193777,
        -3.0689499459498917,
        2.38466765651207,
        2.117034582445028,
        -0.871391583777973,
        2.2404374302607883,
        0.6315787787694688,
        -0.08899033645133331,
        18.148505520854727,
        -9.194632392478356,
        -4.436036387594894,
    ],
    &[
        10.427508642579134,
        0.0,
        0.0,
        0.0,
        0.0,
        242.28349177525817,
        165.20045171727028,
        -374.5467547226902,
        -22.113666853125306,
        7.733432668472264,
        -30.674084731089398,
        -9.332130526430229,
        15.697238121770845,
        -31.139403219565178,
        -9.35292435884448,
        35.81684148639408,
    ],
    &[
        19.985053242002433,
        0.0,
        0.0,
        0.0,
        0.0,
        -387.0373087493518,
        -189.17813819516758,
        527.8081592054236,
        -11.57390253995963,
        6.8812326946963,
        -1.0006050966910838,
        0.7777137798053443,
        -2.778205752353508,
        -60.19669523126412,
        84.32040550667716,
        11.99229113618279,
    ],
    &[
        -25.69393346270375,
        0.0,
        0.0,
        0.0,
        0.0,
        -154.18974869023643,
        -231.5293791760455,
        357.6391179106141,
        93.40532418362432,
        -37.45832313645163,
        104.0996495089623,
        29.8402934266605,
        -43.53345659001114,
        96.32455395918828,
        -39.17726167561544,
        -149.72683625798564,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Every weight's sum is what constant and linear slopes need.
    #[test]
    fn weights_are_consistent() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-13, "{a} {b}");
        for table in [&BOGACKI_SHAMPINE_3, &DORMAND_PRINCE_5, &DORMAND_PRINCE_8] {
            for stage in table.stages.iter().chain(table.more) {
                near(stage.weights.iter().sum(), stage.time);
            }
            let times = || std::iter::once(0.0).chain(table.stages.iter().map(|s| s.time));
            // The order conditions of quadratures: the weights integrate 1, t, t² and so on.
            for power in 0..=table.order.min(4) {
                let terms = times().zip(table.weights).map(|(t, w)| w * t.powi(power));
                near(terms.sum(), 1.0 / f64::from(power + 1));
            }
            let estimates = match table.estimate {
                Estimate::One(e) => vec![e],
                Estimate::Two(a, b) => vec![a, b],
            };
            for weights in estimates.into_iter().chain(table.dense.iter().copied()) {
                near(weights.iter().sum(), 0.0);
            }
        }
    }
}
