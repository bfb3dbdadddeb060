//! The error function and its complement: an odd polynomial below one and 1 - e^q with a
//! polynomial q beyond it; erfc a = e^(-a²)·X(t) / (1 + 2a) with t = (a - 4)/(a + 4) (M. Shepherd and J. Laframboise,
//! "Chebyshev approximation of (1+2x)exp(x²)erfc x in 0 <= x < ∞", 1981); coefficients by a Remez
//! exchange of our own.

use super::bits::{fma, poly, select};
use super::exp::{exp_negative, exp_parts};

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
