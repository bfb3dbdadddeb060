//! Stencils of a weather model.

use lazuli::prelude::*;

type A = DeviceArray<f64>;

pub fn hdiff(field: &A, out: &A, coeff: &A) -> A {
    let (ni, nj) = (out.shape()[0], out.shape()[1]);
    let f = field;
    let lap = 4.0 * f.slice(s![1..ni + 3, 1..nj + 3, ..])
        - (f.slice(s![2..ni + 4, 1..nj + 3, ..])
            + f.slice(s![..ni + 2, 1..nj + 3, ..])
            + f.slice(s![1..ni + 3, 2..nj + 4, ..])
            + f.slice(s![1..ni + 3, ..nj + 2, ..]));

    let res = lap.slice(s![1.., 1..nj + 1, ..]) - lap.slice(s![..-1, 1..nj + 1, ..]);
    let step = f.slice(s![2..ni + 3, 2..nj + 2, ..]) - f.slice(s![1..ni + 2, 2..nj + 2, ..]);
    let flx = select(&(&res * step).greater(0.0), 0.0, &res);

    let res = lap.slice(s![1..ni + 1, 1.., ..]) - lap.slice(s![1..ni + 1, ..-1, ..]);
    let step = f.slice(s![2..ni + 2, 2..nj + 3, ..]) - f.slice(s![2..ni + 2, 1..nj + 2, ..]);
    let fly = select(&(&res * step).greater(0.0), 0.0, &res);

    f.slice(s![2..ni + 2, 2..nj + 2, ..])
        - coeff
            * (flx.slice(s![1.., .., ..]) - flx.slice(s![..-1, .., ..])
                + fly.slice(s![.., 1.., ..])
                - fly.slice(s![.., ..-1, ..]))
}

const BET_M: f64 = 0.5;
const BET_P: f64 = 0.5;

pub fn vadv(mut stage: A, u_stage: &A, wcon: &A, u_pos: &A, utens: &A, dtr_stage: f64) -> A {
    let shape = stage.shape().to_vec();
    let levels = shape[2];
    let at = |a: &A, k: usize| a.slice(s![.., .., k]);
    let (mut ccol, mut dcol) = (A::zeros(&shape), A::zeros(&shape));
    let wind = |k: usize| wcon.slice(s![1.., .., k]) + wcon.slice(s![..-1, .., k]);
    let column = |stage: &A, k: usize, correction: A| {
        dtr_stage * at(u_pos, k) + at(utens, k) + at(stage, k) + correction
    };

    let gcv = 0.25 * wind(1);
    let cs = &gcv * BET_M;
    ccol.assign(s![.., .., 0], gcv * BET_P);
    let bcol = dtr_stage - at(&ccol, 0);
    let correction = -cs * (at(u_stage, 1) - at(u_stage, 0));
    dcol.assign(s![.., .., 0], column(&stage, 0, correction));
    let divided = 1.0 / bcol;
    ccol.assign(s![.., .., 0], at(&ccol, 0) * &divided);
    dcol.assign(s![.., .., 0], at(&dcol, 0) * divided);

    for k in 1..levels - 1 {
        let gav = -0.25 * wind(k);
        let gcv = 0.25 * wind(k + 1);
        let (above, cs) = (&gav * BET_M, &gcv * BET_M);
        let acol = gav * BET_P;
        ccol.assign(s![.., .., k], gcv * BET_P);
        let bcol = dtr_stage - &acol - at(&ccol, k);
        let correction = -above * (at(u_stage, k - 1) - at(u_stage, k))
            - cs * (at(u_stage, k + 1) - at(u_stage, k));
        dcol.assign(s![.., .., k], column(&stage, k, correction));
        let divided = 1.0 / (bcol - at(&ccol, k - 1) * &acol);
        ccol.assign(s![.., .., k], at(&ccol, k) * &divided);
        dcol.assign(s![.., .., k], (at(&dcol, k) - at(&dcol, k - 1) * acol) * divided);
    }

    let k = levels - 1;
    let gav = -0.25 * wind(k);
    let above = &gav * BET_M;
    let acol = gav * BET_P;
    let bcol = dtr_stage - &acol;
    let correction = -above * (at(u_stage, k - 1) - at(u_stage, k));
    dcol.assign(s![.., .., k], column(&stage, k, correction));
    let divided = 1.0 / (bcol - at(&ccol, k - 1) * &acol);
    dcol.assign(s![.., .., k], (at(&dcol, k) - at(&dcol, k - 1) * acol) * divided);

    let mut data = at(&dcol, k);
    stage.assign(s![.., .., k], dtr_stage * (&data - at(u_pos, k)));
    for k in (0..levels - 1).rev() {
        data = at(&dcol, k) - at(&ccol, k) * data;
        stage.assign(s![.., .., k], dtr_stage * (&data - at(u_pos, k)));
    }
    stage
}
