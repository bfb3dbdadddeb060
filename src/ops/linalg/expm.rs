//! The exponential of matrices.

use super::factor::{self, Matrices, identity};
use super::matmul::matmul;
use super::norms::MatrixNorm;
use super::solve::times;
use crate::array::{DeviceArray, record};
use crate::dtype::{Factorable, Floating};
use crate::error::Result;
use crate::graph::Node;
use crate::ops::movement::insert_axis;
use crate::ops::table::Op;
use std::sync::Arc;

/// The norm up to which the approximant of degree 13 is exact to rounding (Higham, "The scaling
/// and squaring method for the matrix exponential revisited", 2005).
const LARGEST: f64 = 5.371_920_351_148_152;

/// The coefficients of the approximant's numerator.
const PADE: [f64; 14] = [
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
];

pub(super) fn expm<T: Factorable>(a: &DeviceArray<T>) -> Result<Arc<Node>> {
    let own = Matrices::square("expm", a.node())?;
    if own.is_empty() {
        return Ok(a.node().clone());
    }
    let norms = a.try_matrix_norm(MatrixNorm::One)?;
    let squarings = |norm: &T::Real| match (norm.to_f64() / LARGEST).log2().ceil() {
        n if n.is_finite() && n > 0.0 => n,
        _ => 0.0,
    };
    let counts: Vec<f64> = norms.to_vec()?.iter().map(squarings).collect();
    let most = counts.iter().fold(0.0f64, |m, &n| m.max(n)) as usize;
    let scales: Vec<f64> = counts.iter().map(|n| (-n).exp2()).collect();
    let upload = |values: &[f64]| -> Result<Arc<Node>> {
        let values: Vec<T::Real> = values.iter().map(|&v| T::Real::from_f64(v)).collect();
        let array = a.device().scope(|| DeviceArray::from_vec(&own.lead[..], values))?;
        let rank = own.lead.len();
        Ok(insert_axis(&insert_axis(array.node(), rank), rank))
    };
    let scale = record::cast(&upload(&scales)?, T::DTYPE);
    let mut x = pade(&record::binary(Op::Multiply, a.node(), &scale)?, &own)?;
    let counts = upload(&counts)?;
    for turn in 0..most {
        let square = matmul("expm", &x, &x)?;
        let further = record::binary(Op::Greater, &counts, record::number(&counts, turn as f64))?;
        x = record::select(&further, &square, &x)?;
    }
    Ok(x)
}

/// The approximant of degree 13.
fn pade(a: &Arc<Node>, own: &Matrices) -> Result<Arc<Node>> {
    let product = |x: &Arc<Node>, y: &Arc<Node>| matmul("expm", x, y);
    let a2 = product(a, a)?;
    let a4 = product(&a2, &a2)?;
    let a6 = product(&a4, &a2)?;
    let ones = identity(a, a.dtype, own.each(&[own.n, own.n]))?;
    let sum = |terms: &[(&Arc<Node>, f64)]| -> Result<Arc<Node>> {
        let mut total = times(terms[0].0, terms[0].1)?;
        for (x, by) in &terms[1..] {
            total = record::binary(Op::Add, &total, &times(x, *by)?)?;
        }
        Ok(total)
    };
    let b = &PADE;
    let high = product(&a6, &sum(&[(&a6, b[13]), (&a4, b[11]), (&a2, b[9])])?)?;
    let low = sum(&[(&a6, b[7]), (&a4, b[5]), (&a2, b[3]), (&ones, b[1])])?;
    let u = product(a, &record::binary(Op::Add, &high, &low)?)?;
    let high = product(&a6, &sum(&[(&a6, b[12]), (&a4, b[10]), (&a2, b[8])])?)?;
    let low = sum(&[(&a6, b[6]), (&a4, b[4]), (&a2, b[2]), (&ones, b[0])])?;
    let v = record::binary(Op::Add, &high, &low)?;
    let denominator = record::binary(Op::Subtract, &v, &u)?;
    factor::solve("expm", &denominator, &record::binary(Op::Add, &v, &u)?)
}
