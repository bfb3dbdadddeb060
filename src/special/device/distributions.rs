//! Distribution functions of the binomial, negative binomial, Poisson, gamma, chi-square and F
//! distributions, their complements and inverses: incomplete beta and gamma functions of other
//! arguments (DLMF 8.17.5 and 8.4.10).

use super::incomplete_beta::{betainccinv, betaincinv, parts};
use super::incomplete_gamma::{gammainc, gammaincc, gammainccinv};
use crate::vectorize;

/// Up to `k` successes in `n` trials of probability `p`.
#[vectorize]
pub fn bdtr(k: f64, n: f64, p: f64) -> f64 {
    let (k, n) = (k.floor(), n.trunc());
    if !(k >= 0.0 && n >= k && p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    if k == n {
        return 1.0;
    }
    if k == 0.0 {
        return (n * (-p).ln_1p()).exp();
    }
    parts(k + 1.0, n - k, p, 1.0 - p).1
}

/// More than `k` successes in `n` trials of probability `p`.
#[vectorize]
pub fn bdtrc(k: f64, n: f64, p: f64) -> f64 {
    let (k, n) = (k.floor(), n.trunc());
    if k.is_nan() || !(n >= k && p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    if k < 0.0 {
        return 1.0;
    }
    if k == n {
        return 0.0;
    }
    if k == 0.0 {
        return -(n * (-p).ln_1p()).exp_m1();
    }
    parts(k + 1.0, n - k, p, 1.0 - p).0
}

/// The `p` with `bdtr(k, n, p) = y`.
#[vectorize]
pub fn bdtri(k: f64, n: f64, y: f64) -> f64 {
    let (k, n) = (k.floor(), n.trunc());
    if !(k >= 0.0 && n > k && y >= 0.0 && y <= 1.0) {
        return f64::NAN;
    }
    if k == 0.0 {
        return if y > 0.8 { -((y - 1.0).ln_1p() / n).exp_m1() } else { -(y.ln() / n).exp_m1() };
    }
    betainccinv(k + 1.0, n - k, y)
}

/// Up to `k` failures before `n` successes of probability `p`.
#[vectorize]
pub fn nbdtr(k: f64, n: f64, p: f64) -> f64 {
    let (k, n) = (k.trunc(), n.trunc());
    if !(k >= 0.0 && p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    parts(n, k + 1.0, p, 1.0 - p).0
}

/// More than `k` failures before `n` successes of probability `p`.
#[vectorize]
pub fn nbdtrc(k: f64, n: f64, p: f64) -> f64 {
    let (k, n) = (k.trunc(), n.trunc());
    if !(k >= 0.0 && p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    parts(n, k + 1.0, p, 1.0 - p).1
}

/// The `p` with `nbdtr(k, n, p) = y`.
#[vectorize]
pub fn nbdtri(k: f64, n: f64, y: f64) -> f64 {
    let (k, n) = (k.trunc(), n.trunc());
    if !(k >= 0.0 && y >= 0.0 && y <= 1.0) {
        return f64::NAN;
    }
    betaincinv(n, k + 1.0, y)
}

/// Up to `k` events of mean `m`.
#[vectorize]
pub fn pdtr(k: f64, m: f64) -> f64 {
    if k.is_nan() || m.is_nan() || k < 0.0 || m < 0.0 {
        return f64::NAN;
    }
    if m == 0.0 {
        return 1.0;
    }
    gammaincc(k.floor() + 1.0, m)
}

/// More than `k` events of mean `m`.
#[vectorize]
pub fn pdtrc(k: f64, m: f64) -> f64 {
    if k.is_nan() || m.is_nan() || k < 0.0 || m < 0.0 {
        return f64::NAN;
    }
    if m == 0.0 {
        return 0.0;
    }
    gammainc(k.floor() + 1.0, m)
}

/// The `m` with `pdtr(k, m) = y`.
#[vectorize]
pub fn pdtri(k: f64, y: f64) -> f64 {
    let k = k.trunc();
    if !(k >= 0.0 && y >= 0.0 && y < 1.0) {
        return f64::NAN;
    }
    gammainccinv(k + 1.0, y)
}

/// The chi-square distribution of `v` degrees of freedom up to `x`.
#[vectorize]
pub fn chdtr(v: f64, x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    gammainc(0.5 * v, 0.5 * x)
}

/// The chi-square distribution of `v` degrees of freedom beyond `x`.
#[vectorize]
pub fn chdtrc(v: f64, x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    gammaincc(0.5 * v, 0.5 * x)
}

/// The `x` with `chdtrc(v, x) = p`.
#[vectorize]
pub fn chdtri(v: f64, p: f64) -> f64 {
    2.0 * gammainccinv(0.5 * v, p)
}

/// The gamma distribution of rate `a` and shape `b` up to `x`.
#[vectorize]
pub fn gdtr(a: f64, b: f64, x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    gammainc(b, a * x)
}

/// The gamma distribution of rate `a` and shape `b` beyond `x`.
#[vectorize]
pub fn gdtrc(a: f64, b: f64, x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    gammaincc(b, a * x)
}

/// Fisher's distribution of `a` and `b` degrees of freedom up to `x`.
#[vectorize]
pub fn fdtr(a: f64, b: f64, x: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && x >= 0.0) {
        return f64::NAN;
    }
    let part = a * x;
    if part == f64::INFINITY {
        return if a == f64::INFINITY || b == f64::INFINITY { f64::NAN } else { 1.0 };
    }
    parts(0.5 * a, 0.5 * b, part / (b + part), b / (b + part)).0
}

/// Fisher's distribution of `a` and `b` degrees of freedom beyond `x`.
#[vectorize]
pub fn fdtrc(a: f64, b: f64, x: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && x >= 0.0) {
        return f64::NAN;
    }
    let part = a * x;
    if part == f64::INFINITY {
        return if a == f64::INFINITY || b == f64::INFINITY { f64::NAN } else { 0.0 };
    }
    parts(0.5 * a, 0.5 * b, part / (b + part), b / (b + part)).1
}

/// The `x` with `fdtr(a, b, x) = p`.
#[vectorize]
pub fn fdtri(a: f64, b: f64, p: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    // The part of the numerator and its complement, each from where it is exact.
    let below = betaincinv(0.5 * a, 0.5 * b, p);
    if below <= 0.5 {
        return b * below / (a * (1.0 - below));
    }
    let above = betainccinv(0.5 * b, 0.5 * a, p);
    b * (1.0 - above) / (a * above)
}
