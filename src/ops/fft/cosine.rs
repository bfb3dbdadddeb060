//! Cosine and sine transforms recorded, by way of Fourier transforms of the same length or so.
//!
//! Types II and III are J. Makhoul's (A Fast Cosine Transform in One and Two Dimensions, 1980): the
//! even samples in front of the odd ones, which are turned around, have the spectrum that is wanted,
//! but for a turn of each frequency. Type IV of an even length takes pairs of samples for complex
//! numbers; type I extends the samples to a signal that is even about both ends. The sine transforms
//! are cosine transforms of samples, or with results, in other orders and with other signs. What is
//! around the call of the library fuses with its neighbours.

use super::transform::{Which, fitted, scaled, transform};
use super::{AxisLen, Norm};
use crate::array::record;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, AxisMap, Node, NodeOp, View};
use crate::ops::join::concat;
use crate::shape::Shape;
use crate::table::Op;
use smallvec::smallvec;
use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};
use std::sync::Arc;

/// The type of a cosine or sine transform: about which points samples and results are even or odd.
/// SciPy: `type=`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// About the first and the last sample (cosines), or about a place beyond them (sines).
    I,
    /// About half a place in front of the first and behind the last sample: «the» cosine transform.
    #[default]
    II,
    /// The inverse of type II, but for a factor.
    III,
    /// About half a place off, in samples and results.
    IV,
}

impl Kind {
    /// The type that takes a transform back, but for a factor.
    pub(super) fn inverse(self) -> Kind {
        match self {
            Kind::I => Kind::I,
            Kind::II => Kind::III,
            Kind::III => Kind::II,
            Kind::IV => Kind::IV,
        }
    }
}

/// Cosines or sines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waves {
    Cosines,
    Sines,
}

/// One transform along an axis.
#[derive(Clone, Copy)]
pub(super) struct Along<'a> {
    pub(super) name: &'a str,
    pub(super) waves: Waves,
    pub(super) kind: Kind,
    pub(super) norm: Norm,
    pub(super) inverse: bool,
}

/// The transforms along some axes, one after the other.
#[track_caller]
pub(super) fn waves(a: &Arc<Node>, axes: &[AxisLen], how: Along) -> Result<Arc<Node>> {
    let wide = match a.dtype {
        DType::F16 | DType::BF16 => DType::F32,
        dtype => dtype,
    };
    let fit = fitted(how.name, &record::cast(a, wide), axes)?;
    let real = |a: Arc<Node>| axes.iter().try_fold(a, |a, &(axis, _)| how.one(&a, axis));
    let made = match wide.is_complex() {
        false => real(fit)?,
        true => {
            let part = |op: Op| real(record::unary(op, &fit));
            record::binary(Op::ToComplex, &part(Op::RealPart)?, &part(Op::ImagPart)?)?
        }
    };
    Ok(record::cast(&made, a.dtype))
}

impl Along<'_> {
    /// The transform along one axis, with its norm.
    #[track_caller]
    fn one(self, a: &Arc<Node>, axis: usize) -> Result<Arc<Node>> {
        let n = a.shape[axis];
        let kind = if self.inverse { self.kind.inverse() } else { self.kind };
        let cosines = self.waves == Waves::Cosines;
        if cosines && kind == Kind::I && n < 2 {
            return Err(Error::shape(format!(
                "{}: axis {axis} of shape {:?}: type I needs two points",
                self.name, a.shape
            )));
        }
        // What both directions together multiply by.
        let both = 2.0
            * match kind {
                Kind::I if cosines => n as f64 - 1.0,
                Kind::I => n as f64 + 1.0,
                _ => n as f64,
            };
        let factor = self.norm.factor(self.inverse, both);
        let ends = Ends { n, last: !cosines };
        let ortho = self.norm == Norm::Ortho;
        let a = match (ortho, kind) {
            (true, Kind::III) => ends.weighted(a, axis, SQRT_2, false)?,
            (true, Kind::I) if cosines => ends.weighted(a, axis, SQRT_2, true)?,
            _ => a.clone(),
        };
        let made = match self.waves {
            Waves::Cosines => cosines_of(self.name, &a, axis, kind)?,
            Waves::Sines => sines_of(self.name, &a, axis, kind)?,
        };
        let made = match (ortho, kind) {
            (true, Kind::II) => ends.weighted(&made, axis, FRAC_1_SQRT_2, false)?,
            (true, Kind::I) if cosines => ends.weighted(&made, axis, FRAC_1_SQRT_2, true)?,
            _ => made,
        };
        Ok(scaled(&made, factor))
    }
}

/// The places of an axis whose waves have another norm than the others: the first one, the last one
/// for sines.
struct Ends {
    n: usize,
    last: bool,
}

impl Ends {
    /// The array with a factor at the place, or at both ends.
    #[track_caller]
    fn weighted(&self, a: &Arc<Node>, axis: usize, by: f64, both: bool) -> Result<Arc<Node>> {
        let place = record::iota(axis, along(a, axis, self.n), a.device);
        let end = self.n as i64 - 1;
        let equal = |k: i64| record::binary(Op::Equal, &place, Scalar::new(k));
        let here = match both {
            true => record::binary(Op::LogicalOr, &equal(0)?, &equal(end)?)?,
            false => equal(if self.last { end } else { 0 })?,
        };
        let number = |value: f64| record::number(a, value);
        record::binary(Op::Multiply, a, &record::select(&here, number(by), number(1.0))?)
    }
}

/// The shape of numbers that vary along one axis alone.
fn along(a: &Arc<Node>, axis: usize, n: usize) -> Shape {
    let mut shape = Shape::from_elem(1, a.shape.len());
    shape[axis] = n;
    shape
}

/// Some positions of an axis.
#[track_caller]
fn part(a: &Arc<Node>, axis: usize, start: usize, len: usize, step: i64) -> Arc<Node> {
    let mut view = View::identity(a.shape.len());
    view.0[axis] = AxisMap::affine(axis, start as i64, step);
    let mut shape = a.shape.clone();
    shape[axis] = len;
    record::view(a, view, shape)
}

/// The positions of an axis in the other order.
#[track_caller]
fn turned(a: &Arc<Node>, axis: usize) -> Arc<Node> {
    let n = a.shape[axis];
    part(a, axis, n.saturating_sub(1), n, -1)
}

/// Zeros around an axis.
#[track_caller]
fn padded(a: &Arc<Node>, axis: usize, before: usize, len: usize) -> Arc<Node> {
    let (mut front, mut shape) = (Shape::from_elem(0, a.shape.len()), a.shape.clone());
    (front[axis], shape[axis]) = (before, len);
    let op = NodeOp::Pad { before: front.into_iter().collect() };
    let zero = Arg::Scalar(Scalar::from_f64(a.dtype, 0.0));
    record::record(op, smallvec![a.into(), zero], shape, a.dtype, a.device)
}

/// The array with every second element negated.
#[track_caller]
fn alternating(a: &Arc<Node>, axis: usize) -> Result<Arc<Node>> {
    let place = record::iota(axis, along(a, axis, a.shape[axis]), a.device);
    let odd = record::binary(Op::BitwiseAnd, &place, Scalar::new(1i64))?;
    let odd = record::binary(Op::Equal, &odd, Scalar::new(1i64))?;
    let number = |value: f64| record::number(a, value);
    record::binary(Op::Multiply, a, &record::select(&odd, number(-1.0), number(1.0))?)
}

/// The cosines and sines of `(k + offset) * step`, computed in `f64`, in the type of an array.
#[track_caller]
fn turns(
    a: &Arc<Node>,
    axis: usize,
    n: usize,
    offset: f64,
    step: f64,
) -> Result<(Arc<Node>, Arc<Node>)> {
    let place = record::cast(&record::iota(axis, along(a, axis, n), a.device), DType::F64);
    let place = record::binary(Op::Add, &place, Scalar::new(offset))?;
    let angle = record::binary(Op::Multiply, &place, Scalar::new(step))?;
    let of = |op: Op| record::cast(&record::unary(op, &angle), a.dtype);
    Ok((of(Op::Cos), of(Op::Sin)))
}

/// `(c + is)(p + iq)`, with the sign of `s` as given.
#[track_caller]
fn turn(
    (p, q): (&Arc<Node>, &Arc<Node>),
    (c, s): (&Arc<Node>, &Arc<Node>),
    sign: f64,
) -> Result<(Arc<Node>, Arc<Node>)> {
    let product = |a: &Arc<Node>, b: &Arc<Node>| record::binary(Op::Multiply, a, b);
    let (pc, qs, ps, qc) = (product(p, c)?, product(q, s)?, product(p, s)?, product(q, c)?);
    let (minus, plus) = (Op::Subtract, Op::Add);
    match sign > 0.0 {
        true => Ok((record::binary(minus, &pc, &qs)?, record::binary(plus, &ps, &qc)?)),
        false => Ok((record::binary(plus, &pc, &qs)?, record::binary(minus, &qc, &ps)?)),
    }
}

/// Pairs of elements of two arrays, one after the other along an axis, `n` elements of them.
#[track_caller]
fn interleaved(
    name: &str,
    even: &Arc<Node>,
    odd: &Arc<Node>,
    axis: usize,
    n: usize,
) -> Result<Arc<Node>> {
    let with_axis = |a: &Arc<Node>| {
        let mut shape = a.shape.clone();
        shape.insert(axis + 1, 1);
        record::reshape(a, shape)
    };
    let pairs = concat(name, &[with_axis(even), with_axis(odd)], axis as isize + 1)?;
    let mut shape = even.shape.clone();
    shape[axis] *= 2;
    Ok(part(&record::reshape(&pairs, shape), axis, 0, n, 1))
}

fn parts(a: &Arc<Node>) -> (Arc<Node>, Arc<Node>) {
    (record::unary(Op::RealPart, a), record::unary(Op::ImagPart, a))
}

/// The cosine transform without a norm.
#[track_caller]
fn cosines_of(name: &str, a: &Arc<Node>, axis: usize, kind: Kind) -> Result<Arc<Node>> {
    match kind {
        Kind::I => {
            let n = a.shape[axis];
            let inner = part(a, axis, n - 2, n - 2, -1);
            let even = concat(name, &[a.clone(), inner], axis as isize)?;
            let spectrum = call(name, &even, axis, None, Which::RealForward)?;
            Ok(record::unary(Op::RealPart, &spectrum))
        }
        Kind::II => second(name, a, axis),
        Kind::III => third(name, a, axis),
        Kind::IV if a.shape[axis] % 2 == 0 => fourth(name, a, axis),
        Kind::IV => fourth_odd(name, a, axis),
    }
}

#[track_caller]
fn call(
    name: &str,
    a: &Arc<Node>,
    axis: usize,
    n: Option<usize>,
    which: Which,
) -> Result<Arc<Node>> {
    // The inverse without a factor.
    transform(
        name,
        a,
        &[(axis, n)],
        match which {
            Which::RealInverse => Norm::Forward,
            _ => Norm::Backward,
        },
        which,
    )
}

#[track_caller]
fn second(name: &str, a: &Arc<Node>, axis: usize) -> Result<Arc<Node>> {
    let n = a.shape[axis];
    let even = part(a, axis, 0, n.div_ceil(2), 2);
    let last_odd = if n % 2 == 0 { n - 1 } else { n.saturating_sub(2) };
    let odd = part(a, axis, last_odd, n / 2, -2);
    let folded = concat(name, &[even, odd], axis as isize)?;
    let spectrum = call(name, &folded, axis, None, Which::RealForward)?;
    let (p, q) = parts(&spectrum);
    let (c, s) = turns(a, axis, n / 2 + 1, 0.0, PI / (2.0 * n as f64))?;
    let (re, im) = turn((&p, &q), (&c, &s), -1.0)?;
    let rest = n - 1 - n / 2;
    let back = record::unary(Op::Negative, &part(&im, axis, rest, rest, -1));
    Ok(scaled(&concat(name, &[re, back], axis as isize)?, 2.0))
}

#[track_caller]
fn third(name: &str, a: &Arc<Node>, axis: usize) -> Result<Arc<Node>> {
    let n = a.shape[axis];
    if n == 1 {
        // The one frequency has no mirror image.
        return Ok(a.clone());
    }
    let p = part(a, axis, 0, n / 2 + 1, 1);
    let mirrored = padded(&part(a, axis, n - 1, n / 2, -1), axis, 1, n / 2 + 1);
    let q = record::unary(Op::Negative, &mirrored);
    let (c, s) = turns(a, axis, n / 2 + 1, 0.0, PI / (2.0 * n as f64))?;
    let (re, im) = turn((&p, &q), (&c, &s), 1.0)?;
    let spectrum = record::binary(Op::ToComplex, &re, &im)?;
    let folded = call(name, &spectrum, axis, Some(n), Which::RealInverse)?;
    let half = n.div_ceil(2);
    let even = part(&folded, axis, 0, half, 1);
    let odd = part(&folded, axis, n - 1, half, -1);
    interleaved(name, &even, &odd, axis, n)
}

/// Type IV of an even length, by a transform of half as many complex numbers.
#[track_caller]
fn fourth(name: &str, a: &Arc<Node>, axis: usize) -> Result<Arc<Node>> {
    let n = a.shape[axis];
    let half = n / 2;
    let (c, s) = turns(a, axis, half, 0.25, PI / n as f64)?;
    let (even, odd) = (part(a, axis, 0, half, 2), part(a, axis, n - 1, half, -2));
    let (re, im) = turn((&even, &odd), (&c, &s), -1.0)?;
    let pairs = record::binary(Op::ToComplex, &re, &im)?;
    let (p, q) = parts(&call(name, &pairs, axis, None, Which::Forward)?);
    let (c, s) = turns(a, axis, half, 0.0, PI / n as f64)?;
    let (re, im) = turn((&p, &q), (&c, &s), -1.0)?;
    let odd = record::unary(Op::Negative, &turned(&im, axis));
    Ok(scaled(&interleaved(name, &re, &odd, axis, n)?, 2.0))
}

/// Type IV of an odd length, by a transform of twice as many.
#[track_caller]
fn fourth_odd(name: &str, a: &Arc<Node>, axis: usize) -> Result<Arc<Node>> {
    let n = a.shape[axis];
    let (c, s) = turns(a, axis, n, 0.0, PI / (2.0 * n as f64))?;
    let product = |b: &Arc<Node>| record::binary(Op::Multiply, a, b);
    let minus = record::unary(Op::Negative, &product(&s)?);
    let turned = record::binary(Op::ToComplex, &product(&c)?, &minus)?;
    let spectrum = call(name, &turned, axis, Some(2 * n), Which::Forward)?;
    let (p, q) = parts(&part(&spectrum, axis, 0, n, 1));
    let (c, s) = turns(a, axis, n, 0.5, PI / (2.0 * n as f64))?;
    Ok(scaled(&turn((&p, &q), (&c, &s), -1.0)?.0, 2.0))
}

/// The sine transform without a norm.
#[track_caller]
fn sines_of(name: &str, a: &Arc<Node>, axis: usize, kind: Kind) -> Result<Arc<Node>> {
    let n = a.shape[axis];
    match kind {
        Kind::I => {
            // Zeros in front of the samples, and between them and their mirror image.
            let first = padded(a, axis, 1, n + 2);
            let second = record::unary(Op::Negative, &turned(a, axis));
            let odd = concat(name, &[first, second], axis as isize)?;
            let spectrum = call(name, &odd, axis, None, Which::RealForward)?;
            let im = record::unary(Op::ImagPart, &part(&spectrum, axis, 1, n, 1));
            Ok(record::unary(Op::Negative, &im))
        }
        Kind::II => {
            let made = cosines_of(name, &alternating(a, axis)?, axis, Kind::II)?;
            Ok(turned(&made, axis))
        }
        Kind::III | Kind::IV => alternating(&cosines_of(name, &turned(a, axis), axis, kind)?, axis),
    }
}
