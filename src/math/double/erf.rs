//! The error function and its complement: an odd polynomial below one and 1 - e^q with a
//! polynomial q beyond it; erfc a = e^(-a²)·X(t) / (1 + 2a) with t = (a - 4)/(a + 4) (M. Shepherd and J. Laframboise,
//! "Chebyshev approximation of (1+2x)exp(x²)erfc x in 0 <= x < ∞", 1981); coefficients by a Remez
//! exchange of our own.
//!
//! Their inverses by M. Wichura's scheme ("Algorithm AS 241: the percentage points of the normal
//! distribution", 1988), with quotients of polynomials of our own: in the square near zero, and in
//! the root of -log erfc y in the tails.

use super::bits::{fma, poly, select};
use super::exp::{exp_negative, exp_parts};
use super::log::ln;

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
pub(crate) fn erf(x: f64) -> f64 {
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
pub(crate) fn erfc(x: f64) -> f64 {
    let a = x.abs();
    let a = select(a > 28.0, 28.0, a);
    let t = (a - 4.0) / (a + 4.0);
    let p = poly!(t; 1.2329951186255526, -0.1396211168405629, 0.015379652102619924,
        0.06809705425473522, -0.10103906603630879, 0.09373283499686466, -0.06633036581241683,
        0.03716751556131304, -0.016197734049916587, 0.005031969767346863,
        -0.0007577733958489102, -0.0001992555763895305, 0.0001506224373745032,
        -2.440290658671856e-5, -1.1225200643869366e-5, 5.717252573108148e-6,
        3.018338582251501e-7, -8.342234921963891e-7, 6.249219630434075e-8,
        1.1457601816502303e-7, -7.817444481695925e-9, -1.3399113425605488e-8,
        -1.7163156592813124e-9);
    let square = a * a;
    let y = exp_parts(-square, -fma(a, a, -square), p / fma(2.0, a, 1.0));
    let y = select(x < 0.0, 2.0 - y, y);
    // Near zero the result is just below 1, where an ulp is half as large.
    select(a < 0.5, 1.0 - (x + small(x)), y)
}

/// The inverse of `erf` where its magnitude is below this comes from its square.
const CENTER: f64 = 0.85;

#[inline(always)]
pub(crate) fn erfinv(x: f64) -> f64 {
    // Above the bound this is exact.
    let tail = 1.0 - x.abs();
    inverse(x, tail)
}

#[inline(always)]
pub(crate) fn erfcinv(x: f64) -> f64 {
    let tail = select(x > 1.0, 2.0 - x, x);
    inverse(1.0 - x, tail)
}

/// The number whose `erf` is q, and the `erfc` of whose magnitude is `tail`.
#[inline(always)]
fn inverse(q: f64, tail: f64) -> f64 {
    let center = q.abs() <= CENTER;
    let t = fma(-q, q, 0.7226);
    let p0 = poly!(t; 1.1976223003957807, 12.581193314888022, 50.74166627240453, 98.93244703836942,
        96.56800829276082, 44.19837733969051, 7.7919032731870335, 0.28739692942311407,
        -0.0030706083654764805);
    let q0 = poly!(t; 1.0, 11.256676474722854, 49.44894557251226, 107.49917044377884,
        121.23307170256926, 68.01799267832014, 16.523691934073867, 1.2122440096635232);
    let r = (-ln(tail)).sqrt();
    let t = r - 1.6;
    let p1 = poly!(t; 1.249134761186738, 3.960649580039023, 5.363470061137749, 4.024245345873383,
        1.810678917300165, 0.4926810578071942, 0.07749863399658295, 0.0062564214691900166,
        0.00018915792019587137);
    let q1 = poly!(t; 1.0, 2.335231085480832, 2.3292201005599265, 1.261819023272459,
        0.392877000186916, 0.06841751490569582, 0.005955894714544685, 0.00018913092806447775,
        2.9117474953851734e-10);
    let t = r - 5.0;
    let p2 = poly!(t; 4.779384858633335, 4.355918109247887, 1.6321774653792542,
        0.32366789417422603, 0.03643120050624996, 0.0023197011843913034, 7.85157138875207e-05,
        1.221133181349383e-06, 6.140368330459481e-09);
    let q2 = poly!(t; 1.0, 0.6970138461613445, 0.19270650094136402, 0.02677432605710438,
        0.001959772910216503, 7.258397504784214e-05, 1.1904403180696051e-06,
        6.140357576231144e-09);
    let (p1, q1) = (select(r < 5.0, p1, p2), select(r < 5.0, q1, q2));
    let y = select(center, q * p0, p1) / select(center, q0, q1);
    let y = select(tail == 0.0, f64::INFINITY, y);
    select(center, y, y.copysign(q))
}
