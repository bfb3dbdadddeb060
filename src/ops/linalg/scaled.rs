//! Products of many numbers that neither overflow nor vanish on the way: of each the exponent is
//! taken off, and the exponents are added up as integers. Matrices of tiny or huge numbers as moderate ones.

use crate::array::record;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::graph::{AxisMap, Node};
use crate::ops::movement::{insert_axis, replace_axis};
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// So many numbers between 1/2 and √2 have a product that every type holds.
const CHUNK: usize = 32;

/// The largest power of two that is multiplied by at once, and how many it takes from the least
/// number of a type to the largest.
fn step(dtype: DType) -> (i64, usize) {
    match dtype.real() {
        DType::F32 => (120, 3),
        _ => (1000, 3),
    }
}

#[track_caller]
fn clamp(a: &Arc<Node>, limit: i64) -> Result<Arc<Node>> {
    let below = record::binary(Op::Minimum, a, Scalar::new(limit))?;
    record::binary(Op::Maximum, &below, Scalar::new(-limit))
}

/// `a · 2^exponent`, rounded once, by powers of two that are numbers themselves.
#[track_caller]
pub(super) fn scale(a: &Arc<Node>, exponent: &Arc<Node>) -> Result<Arc<Node>> {
    let (most, steps) = step(a.dtype);
    let (mut a, mut left) = (a.clone(), clamp(exponent, most * steps as i64)?);
    for _ in 0..steps {
        let part = clamp(&left, most)?;
        left = record::binary(Op::Subtract, &left, &part)?;
        let one = record::full(Scalar::from_f64(a.dtype.real(), 1.0), part.shape.clone(), a.device);
        let power = record::binary(Op::Ldexp, &one, &record::cast(&part, DType::I32))?;
        a = record::binary(Op::Multiply, &a, &record::cast(&power, a.dtype))?;
    }
    Ok(a)
}

/// The absolute values, or those of the larger parts.
#[track_caller]
fn size(a: &Arc<Node>) -> Result<Arc<Node>> {
    let part = |op| record::unary(Op::Abs, &record::unary(op, a));
    match a.dtype.is_complex() {
        true => record::binary(Op::Maximum, &part(Op::RealPart), &part(Op::ImagPart)),
        false => Ok(record::unary(Op::Abs, a)),
    }
}

/// Matrices brought to about one by a power of two each, where the largest of the elements that count is
/// far from it, and the exponents that were taken off: their last axis is of length 1, so that
/// [`scale`] takes values of the matrices back.
#[track_caller]
pub(super) fn moderate(a: &Arc<Node>, counts: &Arc<Node>) -> Result<(Arc<Node>, Arc<Node>)> {
    // Between these, squares of sums of squares are numbers.
    let usual = if a.dtype.real() == DType::F32 { 24i64 } else { 200 };
    let rank = a.shape.len();
    let largest = record::reduce(Reduction::Max, &size(counts)?, 3 << (rank - 2));
    let exponent = record::cast(&record::unary(Op::FrexpExponent, &largest), DType::I64);
    let off = record::unary(Op::Abs, &exponent);
    let is_usual = record::binary(Op::LessEqual, &off, Scalar::new(usual))?;
    let exponent = record::select(&is_usual, Scalar::new(0i64), &exponent)?;
    let each = insert_axis(&exponent, rank - 2);
    let back = insert_axis(&record::unary(Op::Negative, &each), rank - 1);
    Ok((scale(a, &back)?, each))
}

/// Numbers whose larger part is between 1/2 and 1, and the exponents that were taken off.
#[track_caller]
fn split(a: &Arc<Node>) -> Result<(Arc<Node>, Arc<Node>)> {
    let exponent = record::cast(&record::unary(Op::FrexpExponent, &size(a)?), DType::I64);
    let back = record::unary(Op::Negative, &exponent);
    Ok((scale(a, &back)?, exponent))
}

/// The product over the last axis, which is not empty.
#[track_caller]
pub(super) fn product(a: &Arc<Node>) -> Result<Arc<Node>> {
    let (mantissa, exponent) = parts(a)?;
    scale(&mantissa, &exponent)
}

/// The same as a number of moderate size and the exponent of a power of two.
#[track_caller]
fn parts(a: &Arc<Node>) -> Result<(Arc<Node>, Arc<Node>)> {
    let last = a.shape.len() - 1;
    let n = a.shape[last];
    let (mantissa, exponents) = split(a)?;
    let exponent = record::reduce(Reduction::Sum, &exponents, 1 << last);
    if n <= CHUNK {
        return Ok((record::reduce(Reduction::Prod, &mantissa, 1 << last), exponent));
    }
    let rest = n % CHUNK;
    let whole = replace_axis(&mantissa, last, AxisMap::same(last), n - rest);
    let mut shape = whole.shape.clone();
    shape[last] = n / CHUNK;
    shape.push(CHUNK);
    let chunks = record::reduce(Reduction::Prod, &record::reshape(&whole, shape), 2 << last);
    let (product, of_chunks) = parts(&chunks)?;
    let exponent = record::binary(Op::Add, &exponent, &of_chunks)?;
    if rest == 0 {
        return Ok((product, exponent));
    }
    let map = AxisMap::affine(last, (n - rest) as i64, 1);
    let tail = replace_axis(&mantissa, last, map, rest);
    let tail = record::reduce(Reduction::Prod, &tail, 1 << last);
    Ok((record::binary(Op::Multiply, &product, &tail)?, exponent))
}
