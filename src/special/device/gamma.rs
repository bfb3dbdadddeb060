//! The gamma function's kin: ψ and its derivatives, beta, binomials and factorials.
//!
//! ψ on `[1, 2]` is a rational function times the distance from its root, which a recurrence
//! extends to 10; beyond stands the asymptotic series (DLMF 5.11.2). Its derivatives are Hurwitz' ζ.
//! The fits were computed for this crate from values of more digits, to less than 2⁻⁵⁶.

use super::zeta_functions::zeta_hurwitz;
use crate::device;
use crate::device::Float;
use crate::vectorize;
use std::f64::consts::PI;

/// The digamma function ψ, the logarithmic derivative of Γ.
#[vectorize]
pub fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY.copysign(-x);
    }
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x < 0.0 && x == x.floor() {
        return f64::NAN;
    }
    // ψ(x) = ψ(1 - x) - π / tan(πx), DLMF 5.5.4, for x below zero.
    let mut y = x;
    let mut sum = 0.0;
    if x < 0.0 {
        let part = x - x.round();
        sum = -PI / (PI * part).tan();
        y = 1.0 - x;
    }
    if y >= 10.0 {
        return sum + digamma_series(y);
    }
    if y < 1.0 {
        sum -= 1.0 / y;
        y += 1.0;
    }
    while y > 2.0 {
        y -= 1.0;
        sum += 1.0 / y;
    }
    sum + digamma_middle(y)
}

/// ψ on `[1, 2]`: a fit times the distance from the root, which is the sum of two numbers.
#[device]
fn digamma_middle(y: f64) -> f64 {
    let t = y - 1.5;
    let mut p = -2.210330038134939e-07;
    p = p * t + 1.9646757029840163e-05;
    p = p * t + 0.003580576875705518;
    p = p * t + 0.06599052380956826;
    p = p * t + 0.4202700341340492;
    p = p * t + 1.0802692252322659;
    p = p * t + 0.9510558760318328;
    let mut q = 0.0008696007295816311;
    q = q * t + 0.024202858854455344;
    q = q * t + 0.22340054906937665;
    q = q * t + 0.8933292402484476;
    q = q * t + 1.5812915775133587;
    q = q * t + 1.0;
    (y - 1.4616321449683622 - 9.549995429965697e-17) * (p / q)
}

/// ψ from 10 on, DLMF 5.11.2.
#[device]
fn digamma_series(y: f64) -> f64 {
    let t = 1.0 / (y * y);
    let mut p = -3617.0 / 8160.0;
    p = p * t + 1.0 / 12.0;
    p = p * t - 691.0 / 32760.0;
    p = p * t + 1.0 / 132.0;
    p = p * t - 1.0 / 240.0;
    p = p * t + 1.0 / 252.0;
    p = p * t - 1.0 / 120.0;
    p = p * t + 1.0 / 12.0;
    y.ln() - (0.5 / y + p * t)
}

/// The derivative of order `n` of ψ; NaN where `n` is negative.
#[vectorize]
pub fn polygamma(n: i32, x: f64) -> f64 {
    if n < 0 {
        return f64::NAN;
    }
    if n == 0 {
        return digamma(x);
    }
    let order = n as f64 + 1.0;
    let value = Float::gamma(order) * zeta_hurwitz(order, x);
    if n % 2 == 0 { -value } else { value }
}

/// `ln Γ(x)` less Stirling's `(x - 1/2) ln x - x + ln(2π)/2`, from 10 on (DLMF 5.11.1).
#[device]
pub(super) fn stirling(x: f64) -> f64 {
    let r = 1.0 / x;
    let t = r * r;
    let mut p = -3617.0 / 122400.0;
    p = p * t + 1.0 / 156.0;
    p = p * t - 691.0 / 360360.0;
    p = p * t + 1.0 / 1188.0;
    p = p * t - 1.0 / 1680.0;
    p = p * t + 1.0 / 1260.0;
    p = p * t - 1.0 / 360.0;
    p = p * t + 1.0 / 12.0;
    p * r
}

/// `ln(1 + t) - t` without cancellation: with `r = t / (2 + t)`, the logarithm is `2 artanh r`.
#[device]
pub(super) fn ln_1p_minus(t: f64) -> f64 {
    if t < -0.5 || t > 1.0 {
        return t.ln_1p() - t;
    }
    let r = t / (2.0 + t);
    let z = r * r;
    let mut p = 0.07818441814453198;
    p = p * z + 0.03744325087298126;
    p = p * z + 0.05423000373632161;
    p = p * z + 0.058670859679193076;
    p = p * z + 0.06667593530162745;
    p = p * z + 0.07692271777327765;
    p = p * z + 0.09090909955052516;
    p = p * z + 0.11111111099015313;
    p = p * z + 0.14285714285800938;
    p = p * z + 0.19999999999999757;
    p = p * z + 0.3333333333333333;
    r * (2.0 * z * p - t)
}

/// `ln Γ(1 + a)` on `[0, 1]`, exact near both of its roots.
#[device]
pub(super) fn ln_gamma_1p(a: f64) -> f64 {
    let mut p = 1.7458526528760284e-05;
    p = p * a + 0.004404299777529531;
    p = p * a + 0.08388396943976044;
    p = p * a + 0.507120606935054;
    p = p * a + 1.28577998953308;
    p = p * a + 1.4313803288070923;
    p = p * a + 0.5772156649015329;
    let mut q = 0.00128730483291214;
    q = q * a + 0.042397820801341086;
    q = q * a + 0.4073390323220105;
    q = q * a + 1.6522914874113912;
    q = q * a + 3.1924368354868524;
    q = q * a + 2.904688488687651;
    q = q * a + 1.0;
    a * (a - 1.0) * (p / q)
}

/// `Γ(a) / Γ(a + b)` for `a` from 10 on, which is large beside `b`, as its logarithm.
#[device]
fn ln_gamma_ratio(a: f64, b: f64) -> f64 {
    let sum = a + b;
    (stirling(a) - stirling(sum)) - (a - 0.5) * (b / a).ln_1p() - b * (sum.ln() - 1.0)
}

/// The beta function, `Γ(a) Γ(b) / Γ(a + b)`.
#[vectorize]
pub fn beta(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if (a == 0.0 && b >= 0.0) || (b == 0.0 && a >= 0.0) {
        return f64::INFINITY;
    }
    let large = a.max(b);
    let small = a.min(b);
    if small > 0.0 && a + b > 170.0 {
        if large == f64::INFINITY {
            return 0.0;
        }
        if small >= 10.0 {
            return beta_large(large, small);
        }
        return Float::gamma(small) * ln_gamma_ratio(large, small).exp();
    }
    beta_by_gamma(large, small)
}

/// Beta of positive numbers from 10 on, by Stirling's formula.
#[device]
fn beta_large(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let powers = -(a * (b / a).ln_1p() + b * (a / b).ln_1p());
    let scale = (2.0 * PI * (1.0 / a + 1.0 / b)).sqrt();
    scale * (powers + (stirling(a) + stirling(b) - stirling(sum))).exp()
}

/// Beta of any numbers by gamma functions. The rounding of the sum is put right by ψ, which is about
/// a logarithm.
#[device]
fn beta_by_gamma(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum <= 0.0 && sum == sum.floor() {
        return beta_at_pole(a, b);
    }
    let lost = b - (sum - a);
    let mut value = Float::gamma(a) / Float::gamma(sum) * Float::gamma(b);
    if sum < -170.0 || b < -170.0 {
        let sign_of_sum = if (sum.floor() * 0.5).fract() != 0.0 && sum < 0.0 { -1.0 } else { 1.0 };
        let sign_of_b = if (b.floor() * 0.5).fract() != 0.0 && b < 0.0 { -1.0 } else { 1.0 };
        let sign_of_a = if (a.floor() * 0.5).fract() != 0.0 && a < 0.0 { -1.0 } else { 1.0 };
        let size = Float::lgamma(a) - Float::lgamma(sum) + Float::lgamma(b);
        return size.exp() * sign_of_sum * sign_of_a * sign_of_b;
    }
    if sum > 1.0 {
        value -= value * lost * (sum.ln() - 0.5 / sum);
    }
    value
}

/// Beta where Γ of the sum has a pole: zero, unless an argument is one as well.
#[device]
fn beta_at_pole(a: f64, b: f64) -> f64 {
    if b != b.floor() || b > 0.0 {
        return 0.0;
    }
    if a <= 0.0 {
        return f64::INFINITY;
    }
    // B(a, b) = (-1)^a B(1 - a - b, a) for a whole b up to 0, if a is no pole.
    let other = beta_by_ratio(1.0 - a - b, a);
    if (0.5 * a).fract() != 0.0 { -other } else { other }
}

/// Beta of two positive numbers.
#[device]
fn beta_by_ratio(a: f64, b: f64) -> f64 {
    if a + b > 170.0 {
        return (Float::lgamma(a) + (Float::lgamma(b) - Float::lgamma(a + b))).exp();
    }
    Float::gamma(a) / Float::gamma(a + b) * Float::gamma(b)
}

/// The logarithm of the beta function's magnitude.
#[vectorize]
pub fn betaln(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if (a == 0.0 && b >= 0.0) || (b == 0.0 && a >= 0.0) {
        return f64::INFINITY;
    }
    let large = a.max(b);
    let small = a.min(b);
    if small > 0.0 && a + b > 170.0 {
        if large == f64::INFINITY {
            return f64::NEG_INFINITY;
        }
        if small >= 10.0 {
            let rest = stirling(large) + stirling(small) - stirling(large + small);
            let powers = (large - 0.5) * (small / large).ln_1p() + small * (large / small).ln_1p();
            return (0.5 * (2.0 * PI / small).ln() + rest) - powers;
        }
        return Float::lgamma(small) + ln_gamma_ratio(large, small);
    }
    let value = beta_by_gamma(large, small).abs();
    if value > 0.0 && value < f64::INFINITY {
        return value.ln();
    }
    if value == 0.0 && a + b == (a + b).floor() && a + b <= 0.0 {
        return f64::NEG_INFINITY;
    }
    Float::lgamma(large) - Float::lgamma(large + small) + Float::lgamma(small)
}

/// The binomial coefficient of real numbers, `1 / ((n + 1) B(n - k + 1, k + 1))`; NaN where `n` is a
/// negative integer.
#[vectorize]
pub fn binom(n: f64, k: f64) -> f64 {
    if n.is_nan() || k.is_nan() || (n < 0.0 && n == n.floor()) {
        return f64::NAN;
    }
    if k == k.floor() {
        if k < 0.0 || (n == n.floor() && k > n) {
            return 0.0;
        }
        // Of two equal coefficients the one with fewer factors.
        let few = if n == n.floor() { k.min(n - k) } else { k };
        if few <= 40.0 {
            return binom_product(n, few);
        }
    }
    if k < 0.0 && n > -1.0 {
        // The coefficient is that of n - k, which is above n.
        let sine = (PI * (k.round() - k)).sin();
        let odd = k.round() != 2.0 * (0.5 * k.round()).floor();
        return (if odd { -sine } else { sine }) / PI * beta(-k, n + 1.0);
    }
    if k > n && n > -1.0 {
        let d = k - n;
        let turns = k.round() - n.round();
        let sine = (PI * ((k - k.round()) - (n - n.round()))).sin();
        let odd = turns != 2.0 * (0.5 * turns).floor();
        return (if odd { -sine } else { sine }) / PI * beta(d, n + 1.0);
    }
    1.0 / ((n + 1.0) * beta(n - k + 1.0, k + 1.0))
}

/// The product of `k` quotients; what is whole stays exact while it fits.
#[device]
fn binom_product(n: f64, k: f64) -> f64 {
    let mut value = 1.0;
    let mut i = 1.0;
    while i <= k {
        let next = value * (n - k + i);
        value = if next.abs() < f64::INFINITY { next / i } else { value / i * (n - k + i) };
        i += 1.0;
    }
    value
}

/// The factorial, `Γ(x + 1)`; 0 for negative numbers.
#[vectorize]
pub fn factorial(x: f64) -> f64 {
    if x < 0.0 {
        return 0.0;
    }
    // The rounding of the sum is put right by ψ, which is about a logarithm.
    let y = x + 1.0;
    let value = Float::gamma(y);
    let lost = x - (y - 1.0);
    if lost == 0.0 || value == f64::INFINITY {
        value
    } else {
        value + value * lost * (y.ln() - 0.5 / y)
    }
}

/// The double factorial of whole numbers, `n (n - 2) (n - 4) …`; 0 for negative ones, NaN for what is
/// not whole.
#[vectorize]
pub fn factorial2(n: f64) -> f64 {
    if n < 0.0 {
        return 0.0;
    }
    if n > 400.0 {
        return f64::INFINITY;
    }
    if n != n.floor() {
        return f64::NAN;
    }
    let mut value = 1.0;
    let mut i = n;
    while i > 1.0 {
        value *= i;
        i -= 2.0;
    }
    value
}

/// `Γ(x + m) / Γ(x)`, Pochhammer's symbol.
#[vectorize]
pub fn poch(x: f64, m: f64) -> f64 {
    if m == m.floor() && m.abs() <= 40.0 {
        let mut value = 1.0;
        let mut i = 0.0;
        while i < m {
            value *= x + i;
            i += 1.0;
        }
        while i > m {
            i -= 1.0;
            value /= x + i;
        }
        return value;
    }
    let sum = x + m;
    if x >= 10.0 && sum >= 10.0 {
        let powers = (x - 0.5) * (m / x).ln_1p() + m * (sum.ln() - 1.0);
        return (powers + (stirling(sum) - stirling(x))).exp();
    }
    let value = Float::gamma(sum) / Float::gamma(x);
    // The rounding of the sum is put right by ψ.
    let lost = if m.abs() > x.abs() { x - (sum - m) } else { m - (sum - x) };
    if lost == 0.0 { value } else { value + value * lost * digamma(sum) }
}
