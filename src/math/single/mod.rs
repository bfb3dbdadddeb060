//! Single precision: the hot functions natively, the others by way of double precision, whose
//! result rounds to within half an ulp (and a little) of the true value.

mod bits;
mod exp;
mod log;
mod plain;
mod special;
mod trig;
mod wide;

pub(crate) use exp::exp;
pub(crate) use log::ln;
pub(crate) use plain::*;
pub(crate) use special::*;
pub(crate) use trig::{cos, cos_full, sin, sin_full, sin_rare, sin_rare as cos_rare};
pub(crate) use wide::*;
