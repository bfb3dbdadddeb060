//! Double precision. Every function is branch-free unless its comment says otherwise.

pub(super) mod bits;
mod erf;
mod exp;
mod gamma;
mod hyper;
mod inverse;
mod lgamma_roots;
mod log;
pub(super) mod logsum;
mod plain;
mod pow;
mod special;
mod trig;

pub use erf::{erf, erfc, erfcinv, erfinv};
pub use exp::{exp, exp_m1, exp2, exp10};
pub use gamma::{gamma, lgamma};
pub use hyper::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use log::{ln, ln_1p, log2, log10};
pub use plain::*;
pub use pow::{cbrt, hypot, pow};
pub use special::*;
pub use trig::{
    cos, cos_full, sin, sin_full, sin_rare, sin_rare as cos_rare, sin_rare as tan_rare, sinc, tan,
    tan_full,
};
