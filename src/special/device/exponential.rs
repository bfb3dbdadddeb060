//! Exponential integrals, and the real branches of Lambert's W function.
//!
//! The integrals are logarithms and fits near zero, and beyond an exponential times a fit in the
//! reciprocal; the fits were computed for this crate from values of more digits, to less than 2⁻⁵⁶.
//! W is Fritsch, Shafer and Crowley's iteration of third order (*Algorithm 443*, 1973), and near the
//! branch point its series there (DLMF 4.13.6).

use crate::device;
use crate::vectorize;

const EULER_GAMMA: f64 = 0.5772156649015329;

/// The exponential integral E₁.
#[vectorize]
pub fn exp1(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::INFINITY;
    }
    if x <= 1.0 {
        return exp1_small(x);
    }
    if x > 750.0 {
        return 0.0;
    }
    let t = 1.0 / x;
    let fit = if x < 3.0 {
        exp1_from_1(t)
    } else if x < 10.0 {
        exp1_from_3(t)
    } else {
        exp1_from_10(t)
    };
    // The exponential alone would vanish before the result does.
    let half = (-0.5 * x).exp();
    if x < 600.0 { (-x).exp() * t * fit } else { half * t * fit * half }
}

/// E₁ up to 1.
#[device]
fn exp1_small(x: f64) -> f64 {
    let mut p = -1.1397652264669951e-10;
    p = p * x + 2.130981302673451e-09;
    p = p * x - 2.734379179925994e-08;
    p = p * x + 3.059918450658695e-07;
    p = p * x - 3.1000728962945702e-06;
    p = p * x + 2.83446185372482e-05;
    p = p * x - 0.00023148146688268723;
    p = p * x + 0.0016666666640939181;
    p = p * x - 0.01041666666639848;
    p = p * x + 0.05555555555554108;
    p = p * x - 0.2499999999999997;
    p = p * x + 1.0;
    x * p - x.ln() - EULER_GAMMA
}

/// `x e^x E₁(x)` from 1 to 3, where `t` is the reciprocal.
#[device]
fn exp1_from_1(t: f64) -> f64 {
    let mut p = -0.0021203478857705106;
    p = p * t + 0.10790912861751106;
    p = p * t + 6.349941161596334;
    p = p * t + 37.313113627449475;
    p = p * t + 66.63031468896075;
    p = p * t + 45.09036705352157;
    p = p * t + 11.871878845567156;
    p = p * t + 0.9999985853407767;
    let mut q = 2.3098958475374936;
    q = q * t + 25.590802904305015;
    q = q * t + 81.7582811211434;
    q = q * t + 102.82659821527979;
    q = q * t + 55.9636380798651;
    q = q * t + 12.87181580102432;
    q = q * t + 1.0;
    p / q
}

/// `x e^x E₁(x)` from 3 to 10, where `t` is the reciprocal.
#[device]
fn exp1_from_3(t: f64) -> f64 {
    let mut p = 1.1602261868521198;
    p = p * t + 57.97559238961211;
    p = p * t + 222.72725052332896;
    p = p * t + 247.7718578067005;
    p = p * t + 105.01370280013859;
    p = p * t + 17.798980203901863;
    p = p * t + 0.9999999953483674;
    let mut q = 23.00746860640771;
    q = q * t + 187.24493071701832;
    q = q * t + 405.89984042710427;
    q = q * t + 337.98584943108807;
    q = q * t + 121.81270585495453;
    q = q * t + 18.798979731518088;
    q = q * t + 1.0;
    p / q
}

/// `x e^x E₁(x)` from 10 on, where `t` is the reciprocal.
#[device]
fn exp1_from_10(t: f64) -> f64 {
    let mut p = 64.3284571221056;
    p = p * t + 1263.3523796998877;
    p = p * t + 2298.994710932719;
    p = p * t + 1313.0965148702228;
    p = p * t + 304.3393877561939;
    p = p * t + 29.679615350203584;
    p = p * t + 1.0;
    let mut q = 657.8262503611635;
    q = q * t + 2847.433597116863;
    q = q * t + 3383.7906854689754;
    q = q * t + 1590.756287268147;
    q = q * t + 333.01900310642236;
    q = q * t + 30.67961535020355;
    q = q * t + 1.0;
    p / q
}

/// The exponential integral Ei.
#[vectorize]
pub fn expi(x: f64) -> f64 {
    if x < 0.0 {
        return -exp1(-x);
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x <= 6.0 {
        return expi_small(x);
    }
    let t = 1.0 / x;
    let fit = if x < 10.0 {
        expi_from_6(t)
    } else if x < 20.0 {
        expi_from_10(t)
    } else if x < 40.0 {
        expi_from_20(t)
    } else {
        expi_from_40(t)
    };
    // The exponential alone would overflow before the result does.
    let half = (0.5 * x).exp();
    if x < 600.0 { x.exp() * t * fit } else { half * t * fit * half }
}

/// Ei up to 6: a logarithm and a fit times the distance from the root, which is the sum of two numbers.
#[device]
fn expi_small(x: f64) -> f64 {
    let u = (x - 3.0) / 3.0;
    let mut p = 7.745291034173643e-07;
    p = p * u + 1.4142352383536765e-05;
    p = p * u + 0.000510379817176478;
    p = p * u + 0.0005559611538562144;
    p = p * u + 0.039734463410565586;
    p = p * u - 0.010195263975983405;
    p = p * u + 0.7557519243849287;
    p = p * u - 0.14254569462564706;
    p = p * u + 2.986772243435986;
    let mut q = 3.788664921102503e-06;
    q = q * u - 0.00011127075238519573;
    q = q * u + 0.0015562533619712924;
    q = q * u - 0.013457269507252968;
    q = q * u + 0.07827017070760177;
    q = q * u - 0.3120491599894475;
    q = q * u + 0.8292604693924214;
    q = q * u - 1.3379370517561833;
    q = q * u + 1.0;
    let off = (x - 0.3725074107813666) - 1.3140183414386028e-17;
    let quotient = off / 0.3725074107813666;
    let log = if quotient.abs() < 0.5 { quotient.ln_1p() } else { (x / 0.3725074107813666).ln() };
    log + off * (p / q)
}

/// `x e^-x Ei(x)` from 6 to 10, where `t` is the reciprocal.
#[device]
fn expi_from_6(t: f64) -> f64 {
    let u = t * 30.0 - 4.0;
    let mut p = -2.2494343517414666e-06;
    p = p * u + 7.925337842221247e-05;
    p = p * u + 0.0021919051708524174;
    p = p * u + 0.022717629412675994;
    p = p * u + 0.13537196532524237;
    p = p * u + 0.5049165012105724;
    p = p * u + 1.1231433787044776;
    p = p * u + 1.2004214995996307;
    let mut q = 2.4184348883880964e-06;
    q = q * u + 7.873205718691343e-05;
    q = q * u + 0.0013413377970009457;
    q = q * u + 0.013627970747166587;
    q = q * u + 0.08805658781458786;
    q = q * u + 0.36138645581643886;
    q = q * u + 0.8725755430108757;
    q = q * u + 1.0;
    p / q
}

/// `x e^-x Ei(x)` from 10 to 20, where `t` is the reciprocal.
#[device]
fn expi_from_10(t: f64) -> f64 {
    let u = t * 40.0 - 3.0;
    let mut p = 6.854880498517904e-06;
    p = p * u + 5.4649122471327674e-05;
    p = p * u + 0.0010483859132750148;
    p = p * u + 0.005967865157628697;
    p = p * u + 0.039900481146213695;
    p = p * u + 0.14561390184311468;
    p = p * u + 0.4771587003217193;
    p = p * u + 0.839464293212535;
    p = p * u + 1.0901408684282592;
    let mut q = 5.832030582041164e-06;
    q = q * u + 1.668162353747072e-05;
    q = q * u + 0.0007095618701193744;
    q = q * u + 0.003875296677377746;
    q = q * u + 0.03089771010916762;
    q = q * u + 0.11666033933149071;
    q = q * u + 0.40927547718150203;
    q = q * u + 0.7358851722914199;
    q = q * u + 1.0;
    p / q
}

/// `x e^-x Ei(x)` from 20 to 40, where `t` is the reciprocal.
#[device]
fn expi_from_20(t: f64) -> f64 {
    let u = t * 80.0 - 3.0;
    let mut p = -5.4660881149622395e-08;
    p = p * u - 1.0070046317839763e-05;
    p = p * u + 0.0006507202551368349;
    p = p * u - 0.008081484499083623;
    p = p * u + 0.04689599277543184;
    p = p * u - 0.16359575091948872;
    p = p * u + 0.4266920798866933;
    p = p * u - 0.6361395579726615;
    p = p * u + 1.0406880411016135;
    let mut q = -1.7135362480845823e-05;
    q = q * u + 0.0007262219570836948;
    q = q * u - 0.008371919155445802;
    q = q * u + 0.04720107742749501;
    q = q * u - 0.16288507128532723;
    q = q * u + 0.4184430137166288;
    q = q * u - 0.6254660330697077;
    q = q * u + 1.0;
    p / q
}

/// `x e^-x Ei(x)` from 40 on, where `t` is the reciprocal.
#[device]
fn expi_from_40(t: f64) -> f64 {
    let mut p = -463.01980821010966;
    p = p * t + 2903.6361671497975;
    p = p * t - 2040.5058440799585;
    p = p * t + 452.68080191274885;
    p = p * t - 37.53579975579364;
    p = p * t + 1.0;
    let mut q = -2267.2260546453126;
    q = q * t + 4591.0686010007175;
    q = q * t - 2458.6508462067377;
    q = q * t + 489.2166016684815;
    q = q * t - 38.5357997557936;
    q = q * t + 1.0;
    p / q
}

/// The principal branch of Lambert's W function, the solution `w` of `w e^w = x` that is at least -1.
#[vectorize]
pub fn lambertw(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() || x == f64::INFINITY {
        return x;
    }
    let s = above_branch_point(x);
    if s < 0.0 {
        return f64::NAN;
    }
    if s < 1e-2 {
        return near_branch_point((2.0 * s).sqrt());
    }
    // Guesses for the three parts of the branch.
    let root = (2.0 * s).sqrt();
    let log = x.max(1.0).ln();
    let guess = if x.abs() < 0.25 {
        x / (1.0 + x)
    } else if x < 0.5 {
        -1.0 + root * (1.0 - root / (3.0 + 0.7 * root))
    } else if x < 3.0 {
        x.ln_1p() * 0.8
    } else {
        log - log.ln() + log.ln() / log
    };
    newton(x, guess)
}

/// The lower real branch of Lambert's W function, the solution `w` of `w e^w = x` that is at most -1,
/// for `x` from `-1/e` to 0.
#[vectorize]
pub fn lambertw_lower(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    let s = above_branch_point(x);
    if !(x < 0.0 && s >= 0.0) {
        return f64::NAN;
    }
    if s < 1e-2 {
        return near_branch_point(-(2.0 * s).sqrt());
    }
    let root = (2.0 * s).sqrt();
    let log = (-x).ln();
    let guess = if x < -0.25 {
        -1.0 - root * (1.0 + root / (3.0 - root))
    } else {
        log - (-log).ln() + (-log).ln() / log
    };
    newton(x, guess)
}

/// `e x + 1` without cancellation: e is the sum of two numbers, and the product is taken exactly.
#[device]
fn above_branch_point(x: f64) -> f64 {
    const LOW: f64 = 1.4456468917292502e-16;
    let e = std::f64::consts::E;
    if x > 1.0 {
        return x;
    }
    let sum = e.mul_add(x, 1.0);
    // What the fused product lost in rounding is less than the last place of the sum.
    let s = sum + LOW * x;
    // The double that is nearest to -1/e counts as the branch point.
    if s < 0.0 && s > -2e-16 { 0.0 } else { s }
}

/// W near its branch point, by powers of `sqrt(2 (e x + 1))`, which is negative on the lower branch.
#[device]
fn near_branch_point(p: f64) -> f64 {
    let mut w = 0.0004424730618146209;
    w = w * p - 0.0006720616311561362;
    w = w * p + 0.0010262633205076071;
    w = w * p - 0.0015769303446867841;
    w = w * p + 0.0024408779911439826;
    w = w * p - 0.0038112980348919993;
    w = w * p + 0.006014543252956118;
    w = w * p - 0.009616892024299432;
    w = w * p + 0.01563563253233392;
    w = w * p - 0.02598471487360376;
    w = w * p + 0.044502314814814814;
    w = w * p - 0.07962962962962963;
    w = w * p + 0.1527777777777778;
    w = w * p - 0.3333333333333333;
    w * p * p + p - 1.0
}

/// The iteration of third order, from a guess near the solution.
#[device]
fn newton(x: f64, guess: f64) -> f64 {
    let mut w = guess;
    for _ in 0..12 {
        // The logarithm of x over w e^w.
        let z = (x / w).ln() - w;
        let q = 2.0 * (1.0 + w) * (1.0 + w + z * (2.0 / 3.0));
        let change = z / (1.0 + w) * (q - z) / (q - 2.0 * z);
        w *= 1.0 + change;
        if change.abs() < 1e-6 {
            break;
        }
    }
    w
}
