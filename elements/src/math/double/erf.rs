//! The error function and its complement: an odd polynomial below one and 1 - e^q with a
//! polynomial q beyond it; erfc a = e^(-a²)·X(t) / (1 + 2a) with t = (a - 4)/(a + 4) (M. Shepherd and J. Laframboise,
//! "Chebyshev approximation of (1+2x)exp(x²)erfc x in 0 <= x < ∞", 1981); coefficients by a Remez
//! exchange of our own.
//!
//! Their inverses by M. Wichura's scheme ("Algorithm AS 241: the percentage points of the normal
//! distribution", 1988), with quotients of polynomials of our own: in the square near zero, and in
//! the root of -log erfc y in the tails.

use super::bits::{divide_parts, fast_two_sum, fma, poly, select, two_sum};
use super::exp::{exp_negative, exp_product};
use super::pow::ln_parts;

/// erf x - x for |x| <= 1.
#[inline(always)]
fn small(x: f64) -> f64 {
    let z = x * x;
    x * poly!(z; 0.1283791670955126, -0.37612638903183543, 0.11283791670945159,
        -0.02686617064326027, 0.0052239776072865625, -0.000854832598287394,
        0.00012055295109403443, -1.4924740484580091e-5, 1.644746471218252e-6,
        -1.620876027098623e-7, 1.3721137893705291e-8, -7.797685989016648e-10)
}

#[inline(always)]
pub fn erf(x: f64) -> f64 {
    let a = x.abs();
    let near = x + small(x);
    let b = select(a > 6.0, 6.0, a);
    // log erfc b; what it is wrong by counts only as much as erfc b does beside 1.
    let q = poly!(b; -3.306521354937037e-7, -1.1283758108040438, -0.6366356022999785,
        -0.10272662642655223, 0.01903668366971674, 0.0003418783439664634,
        -0.001838319310507303, 0.0007022092444387843, -8.730061663069084e-5,
        -4.683010736499899e-5, 3.463128146520032e-5, -1.285195907783722e-5,
        3.3090521903021e-6, -6.30077898549717e-7, 8.931348178916626e-8,
        -9.210956205638182e-9, 6.547640080283931e-10, -2.871096181107295e-11,
        5.852017202055731e-13);
    let far = 1.0 - exp_negative(q);
    select(a < 1.0, near, far.copysign(x))
}

#[inline(always)]
pub fn erfc(x: f64) -> f64 {
    let a = x.abs();
    let a = select(a > 28.0, 28.0, a);
    let (above, above_lo) = two_sum(a, -4.0);
    let (below, below_lo) = two_sum(a, 4.0);
    let (t, t_lo) = divide_parts((above, above_lo), (below, below_lo));
    let p = poly!(t; -0.1396211168405629, 0.015379652102619924,
        0.06809705425473522, -0.10103906603630879, 0.09373283499686466, -0.06633036581241683,
        0.03716751556131304, -0.016197734049916587, 0.005031969767346863,
        -0.0007577733958489102, -0.0001992555763895305, 0.0001506224373745032,
        -2.440290658671856e-5, -1.1225200643869366e-5, 5.717252573108148e-6,
        3.018338582251501e-7, -8.342234921963891e-7, 6.249219630434075e-8,
        1.1457601816502303e-7, -7.817444481695925e-9, -1.3399113425605488e-8,
        -1.7163156592813124e-9);
    let (p, p_lo) = fast_two_sum(1.2329951186255526, p * t);
    // dX/dt by the equation that X solves, times what t was rounded by.
    let (d, d_lo) = two_sum(1.0, 2.0 * a);
    let slope = fma(2.0 / d + 2.0 * a, p, -std::f64::consts::FRAC_2_SQRT_PI * d);
    let p_lo = fma(slope * (0.125 * below * below), t_lo, p_lo);
    let square = a * a;
    let y = exp_product(-square, -fma(a, a, -square), divide_parts((p, p_lo), (d, d_lo)));
    let y = select(x < 0.0, 2.0 - y, y);
    // Near zero the result is just below 1, where an ulp is half as large.
    select(a < 0.5, 1.0 - (x + small(x)), y)
}

/// The inverse of `erf` where its magnitude is below this comes from its square.
const CENTER: f64 = 0.85;

#[inline(always)]
pub fn erfinv(x: f64) -> f64 {
    // Above the bound this is exact.
    let tail = 1.0 - x.abs();
    inverse(x, tail)
}

#[inline(always)]
pub fn erfcinv(x: f64) -> f64 {
    let tail = select(x > 1.0, 2.0 - x, x);
    let (q, q_lo) = two_sum(1.0, -x);
    let y = inverse(q, tail);
    // The slope of erf's inverse to some hundredths, times what 1 - x was rounded by.
    let z = q * q;
    let slope = fma(fma(5.38, z, -2.64), z - 0.25, fma(1.69, z, 0.69));
    select(q.abs() <= CENTER, fma(slope, q_lo, y), y)
}

/// The number whose `erf` is q, and the `erfc` of whose magnitude is `tail`: q itself, or the root of
/// -log tail, and what that is wrong by.
#[inline(always)]
fn inverse(q: f64, tail: f64) -> f64 {
    let center = q.abs() <= CENTER;
    let t = fma(-q, q, 0.7226);
    let p0 = poly!(t; 0.1976223003957807, 1.3284308288679614, 1.312456792942517,
        -8.570689178327136, -24.817860539389326, -24.07383679659698, -8.867344682566928,
        -0.9443377727372041, -0.0031616563269046423);
    let q0 = poly!(t; 1.0, 11.276481874695213, 49.63901527485872, 108.17918622866985,
        122.3590021367868, 68.88933987103222, 16.803960872371913, 1.238633015509713);
    let (ln, ln_lo) = ln_parts(select(tail > 0.0, tail, 1.0));
    let r = (-ln).sqrt();
    // Half of what r is short of the root; the inverse's slope by r is near one.
    let r_lo = (fma(-r, r, -ln) - ln_lo) / select(r > 0.0, r, 1.0) * 0.5;
    let t = r - 1.6;
    let p1 = poly!(t; 0.3508652388132621, 0.8656602702716377, 0.8809374853075588,
        0.47081863341993596, 0.1382192138543712, 0.021112986443427503, 0.0014185348772906992,
        2.8979607422873744e-5, 3.102574462956329e-8);
    let q1 = poly!(t; 1.0, 2.5915691423528537, 2.8810235566222047, 1.7615153814532678,
        0.6320095884360052, 0.13128860711749224, 0.014520514952267477, 0.0007102511577121275,
        1.0106500442924518e-5);
    let t = r - 5.0;
    let p2 = poly!(t; 0.22061514136666446, 0.14106520019261354, 0.03476356588917173,
        0.004161570897478574, 0.00025188452800993955, 7.3403876879444426e-6,
        8.923429618313771e-8, 3.192543926647083e-10, 4.9799449326884494e-14);
    let q2 = poly!(t; 1.0, 0.7510177488852441, 0.22771902781958556, 0.035615502469383,
        0.003052630711138285, 0.00014115647826105216, 3.255284635233863e-6,
        3.158052508885621e-8, 8.627344862339248e-11);
    let (p1, q1) = select(r < 5.0, (p1, q1), (p2, q2));
    let quotient = select(center, p0, p1) / select(center, q0, q1);
    let far = r + fma(1.03, r_lo, -quotient);
    let far = select(tail == 0.0, f64::INFINITY, far);
    let far = select(tail >= 0.0, far, f64::NAN);
    // A zero keeps its sign.
    select(center, fma(q, quotient, q), far).copysign(q)
}
