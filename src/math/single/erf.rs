//! The error function: an odd polynomial below one, 1 - e^q with a polynomial q beyond.

use super::bits::{fma, poly, select};
use super::exp::exp_negative;

#[inline(always)]
pub(crate) fn erf(x: f32) -> f32 {
    let a = x.abs();
    let z = x * x;
    let near = poly!(z; 0.12837917, -0.37612626, 0.112835996, -0.026854403, 0.005189445,
        -0.00080199476, 7.885847e-5);
    let b = select(a > 4.0, 4.0, a);
    let q = poly!(b; -0.00033268594, -1.1271225, -0.63809353, -0.103147976, 0.02185631,
        -0.0029518753, 0.00018677673);
    let far = (1.0 - exp_negative(q)).copysign(x);
    select(a < 1.0, fma(x, near, x), far)
}
