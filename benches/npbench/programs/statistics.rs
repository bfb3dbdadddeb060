//! Statistics, and formulas over whole arrays.

use lazuli::prelude::*;

type A = DeviceArray<f64>;

pub fn correlation(m: usize, float_n: f64, data: &A) -> A {
    let mean = data.mean(0);
    let mut stddev = data.std(0);
    stddev.assign_where(&stddev.less_equal(0.1), 1.0);
    let data = (data - mean) / (float_n.sqrt() * stddev);
    let mut corr = A::eye(m);
    for i in 0..m - 1 {
        let row = data.slice(s![.., i]).matmul(&data.slice(s![.., i + 1..m]));
        corr.assign(s![i + 1..m, i], &row);
        corr.assign(s![i, i + 1..m], row);
    }
    corr
}

pub fn covariance(m: usize, float_n: f64, data: &A) -> A {
    let data = data - data.mean(0);
    let mut cov = A::zeros([m, m]);
    for i in 0..m {
        let row = data.slice(s![.., i]).matmul(&data.slice(s![.., i..m])) / (float_n - 1.0);
        cov.assign(s![i..m, i], &row);
        cov.assign(s![i, i..m], row);
    }
    cov
}

pub fn covariance2(data: &A) -> A {
    data.t().cov()
}

pub fn azimint_hist(data: &A, radius: &A, npt: usize) -> Result<A> {
    let (histu, _) = radius.histogram(Bins::Count(npt))?;
    let (histw, _) = radius.histogram_weighted(Bins::Count(npt), data)?;
    Ok(histw / histu.cast::<f64>())
}

pub fn azimint_naive(data: &A, radius: &A, npt: usize) -> Result<A> {
    let rmax = radius.max(..).item()?;
    let mut res = A::zeros(npt);
    for i in 0..npt {
        let r1 = rmax * i as f64 / npt as f64;
        let r2 = rmax * (i + 1) as f64 / npt as f64;
        let mask = radius.greater_equal(r1).logical_and(radius.less(r2));
        let values = data.extract(&mask)?;
        res.assign(s![i], values.mean(..));
    }
    Ok(res)
}

pub fn arc_distance(theta_1: &A, phi_1: &A, theta_2: &A, phi_2: &A) -> A {
    let temp = ((theta_2 - theta_1) / 2.0).sin().square()
        + theta_1.cos() * theta_2.cos() * ((phi_2 - phi_1) / 2.0).sin().square();
    2.0 * temp.sqrt().atan2((1.0 - temp).sqrt())
}

pub fn compute(
    array_1: &DeviceArray<i64>,
    array_2: &DeviceArray<i64>,
    a: i64,
    b: i64,
    c: i64,
) -> DeviceArray<i64> {
    array_1.clip(2, 10) * a + array_2 * b + c
}

pub fn go_fast(a: &A) -> A {
    let mut trace = A::zeros(());
    for i in 0..a.shape()[0] {
        trace += a.slice(s![i, i]).tanh();
    }
    a + trace
}
