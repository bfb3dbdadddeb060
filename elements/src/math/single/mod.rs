//! Single precision: what is hot natively, the rest by way of double precision, whose result rounds
//! to within half an ulp (and a little) of the true value.

mod bits;
mod erf;
mod exp;
mod hyper;
mod inverse;
mod log;
mod plain;
mod pow;
mod special;
mod trig;
mod wide;

pub use erf::{erf, erfcinv, erfinv};
pub use exp::{exp, exp_m1, exp2, exp10};
pub use hyper::{cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use log::{ln, ln_1p, log2, log10};
pub use plain::*;
pub use pow::pow;
pub use special::*;
pub use trig::{cos, cos_full, sin, sin_full, sin_rare, sin_rare as cos_rare};
pub use wide::*;
