//! The exponential of matrices: scaling and squaring with Padé's approximant of degree 13, scaled
//! by what the powers' norms ask for, not by the matrix's own norm (A. Al-Mohy and N. Higham, "A
//! new scaling and squaring algorithm for the matrix exponential", 2009).

use super::factor::{self, Matrices, filled, identity, triangle};
use super::matmul::{matmul, swapped};
use super::solve::{epsilon, times};
use crate::array::{DeviceArray, record};
use crate::backend::Device;
use crate::dtype::{DType, Factorable, Scalar};
use crate::error::Result;
use crate::graph::Node;
use crate::ops::movement::{diagonal, insert_axis};
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// The norm up to which the approximant is exact to rounding.
const LARGEST: f64 = 4.25;

/// The coefficients of the approximant's numerator, for a constant term of 1, so that no product
/// with a large norm overflows.
const PADE: [f64; 14] = [
    1.0,
    0.5,
    0.12,
    0.018333333333333333,
    0.0019927536231884057,
    0.00016304347826086958,
    1.0351966873706003e-05,
    5.175983436853002e-07,
    2.0431513566525008e-08,
    6.306022705717595e-10,
    1.48377004840414e-11,
    2.529153491597966e-13,
    2.8101705462199623e-15,
    1.5440497506703088e-17,
];

/// A batch of matrices.
struct Batch {
    own: Matrices,
    device: Device,
}

impl Batch {
    /// Numbers of the host, one for each matrix, in a shape that broadcasts with the matrices.
    #[track_caller]
    fn upload(&self, dtype: DType, values: impl Iterator<Item = f64>) -> Result<Arc<Node>> {
        let values: Vec<f64> = values.collect();
        let array = self.device.scope(|| DeviceArray::from_vec(&self.own.lead[..], values))?;
        let rank = self.own.lead.len();
        Ok(record::cast(&insert_axis(&insert_axis(array.node(), rank), rank), dtype))
    }

    /// A condition for each matrix, in such a shape.
    #[track_caller]
    fn mark(&self, marks: impl Iterator<Item = bool>) -> Result<Arc<Node>> {
        self.upload(DType::Bool, marks.map(|mark| f64::from(u8::from(mark))))
    }

    /// The largest number of each matrix.
    fn largest(&self, sizes: &Arc<Node>) -> Result<Vec<f64>> {
        let largest = record::reduce(Reduction::Max, sizes, 3 << self.own.lead.len());
        DeviceArray::<f64>::from_node(record::cast(&largest, DType::F64)).to_vec()
    }

    /// The matrices' 1-norms.
    fn norms(&self, a: &Arc<Node>) -> Result<Vec<f64>> {
        let sums =
            record::reduce(Reduction::Sum, &record::unary(Op::Abs, a), 1 << self.own.lead.len());
        self.largest(&insert_axis(&sums, self.own.lead.len()))
    }

    /// Whether nothing but zeros lies on a side of each matrix's diagonal.
    fn is_zero(&self, a: &Arc<Node>, side: Op) -> Result<Vec<bool>> {
        let largest = self.largest(&record::unary(Op::Abs, &triangle(a, side)?))?;
        Ok(largest.iter().map(|&size| size == 0.0).collect())
    }

    #[track_caller]
    fn product(&self, x: &Arc<Node>, y: &Arc<Node>) -> Result<Arc<Node>> {
        matmul("expm", x, y)
    }
}

#[track_caller]
pub(super) fn expm<T: Factorable>(a: &DeviceArray<T>) -> Result<Arc<Node>> {
    let own = Matrices::square("expm", a.node())?;
    if own.is_empty() {
        return Ok(a.node().clone());
    }
    let batch = Batch { own, device: a.device() };
    let lower = batch.is_zero(a.node(), Op::Greater)?;
    let upper = batch.is_zero(a.node(), Op::Less)?;
    let turned: Vec<bool> = lower.iter().zip(&upper).map(|(&l, &u)| l && !u).collect();
    // Of a lower triangle the transpose is taken, so that there are upper ones alone.
    let turn = |x: &Arc<Node>| -> Result<Arc<Node>> {
        match turned.contains(&true) {
            true => record::select(&batch.mark(turned.iter().copied())?, &swapped(x), x),
            false => Ok(x.clone()),
        }
    };
    let triangular: Vec<bool> = lower.iter().zip(&upper).map(|(l, u)| l | u).collect();
    let matrix = turn(a.node())?;
    let counts = squarings(&batch, &matrix)?;
    let exact = match triangular.contains(&true) {
        true => {
            let mark = batch.mark(triangular.iter().copied())?;
            Some(Diagonals { mark, matrix: matrix.clone() })
        }
        false => None,
    };
    // The matrices times a power of two; the exponential of such a one, corrected.
    let scale =
        |done: f64| batch.upload(T::DTYPE, counts.iter().map(move |n| (done - n).min(0.0).exp2()));
    let correct = |x: Arc<Node>, done: f64| match &exact {
        Some(exact) => exact.put(&x, &scale(done)?),
        None => Ok(x),
    };
    let scaled = record::binary(Op::Multiply, &matrix, &scale(0.0)?)?;
    let mut x = correct(pade(&batch, &scaled)?, 0.0)?;
    let most = counts.iter().fold(0.0f64, |m, &n| m.max(n)) as usize;
    for done in 0..most {
        let square = correct(batch.product(&x, &x)?, done as f64 + 1.0)?;
        let further = batch.mark(counts.iter().map(|&n| n > done as f64))?;
        x = record::select(&further, &square, &x)?;
    }
    turn(&x)
}

/// The least norm of a power that is told from zero: such a one may have been too small a number.
const LEAST: f64 = 1e-290;

/// How often each matrix is to be halved before the approximant and squared behind it. In `f64`,
/// for powers leave the range of `f32` soon.
fn squarings(batch: &Batch, a: &Arc<Node>) -> Result<Vec<f64>> {
    let precision = epsilon(a.dtype) / 2.0;
    let a = record::cast(a, if a.dtype.is_complex() { DType::C128 } else { DType::F64 });
    let norms = batch.norms(&a)?;
    // Powers of a matrix whose norm is about 1 do not overflow.
    let is_usual = |norm: f64| norm > 0.0 && norm.is_finite();
    let unit = |norm: f64| if is_usual(norm) { norm.log2().ceil() } else { 0.0 };
    // In two factors, of which each is a number.
    let half = |n: f64| (unit(n) * 0.5).floor();
    let first = batch.upload(a.dtype, norms.iter().map(|&n| (-half(n)).exp2()))?;
    let rest = batch.upload(a.dtype, norms.iter().map(|&n| (half(n) - unit(n)).exp2()))?;
    let a = record::binary(Op::Multiply, &record::binary(Op::Multiply, &a, &first)?, &rest)?;
    let a2 = batch.product(&a, &a)?;
    let a4 = batch.product(&a2, &a2)?;
    let a6 = batch.product(&a4, &a2)?;
    let root = |power: &Arc<Node>, k: f64| -> Result<Vec<f64>> {
        Ok(batch.norms(power)?.iter().map(|norm| norm.max(LEAST).powf(1.0 / k)).collect())
    };
    let sixth = root(&a6, 6.0)?;
    let eighth = root(&batch.product(&a4, &a4)?, 8.0)?;
    let tenth = root(&batch.product(&a4, &a6)?, 10.0)?;
    let high = high_power(batch, &a)?;
    let count = |(k, &norm): (usize, &f64)| {
        if !is_usual(norm) {
            return 0.0;
        }
        let unit = unit(norm);
        let size = sixth[k].max(eighth[k]).min(eighth[k].max(tenth[k]));
        let by_powers = (size / LARGEST).log2().ceil().max(-unit);
        // What the first term that the approximant lacks is of the matrix, by the power of |A|.
        let term = (TERM_27 * high[k].max(LEAST)).log2() - (norm.log2() - unit) - 26.0 * by_powers;
        let further = ((term - precision.log2()) / 26.0).ceil().max(0.0);
        unit + by_powers + further
    };
    Ok(norms.iter().enumerate().map(count).collect())
}

/// The coefficient of the power 27 in the approximant's relative backward error.
const TERM_27: f64 = 8.829961602018678e-36;

/// The 1-norm of the 27th power of the absolute values, for a norm of at most 1.
fn high_power(batch: &Batch, a: &Arc<Node>) -> Result<Vec<f64>> {
    let sizes = record::unary(Op::Abs, a);
    let mut row = filled(&sizes, sizes.dtype, 1.0, batch.own.each(&[1, batch.own.n]));
    for _ in 0..27 {
        row = batch.product(&row, &sizes)?;
        // Stored, or each product would compute the ones before it again, once for every row.
        DeviceArray::<f64>::from_node(row.clone()).eval()?;
    }
    batch.largest(&row)
}

/// The diagonals and the next ones above of the exponentials of triangular matrices, which are
/// known exactly and would be squared with all their errors.
struct Diagonals {
    /// Where the matrices are triangular.
    mark: Arc<Node>,
    matrix: Arc<Node>,
}

impl Diagonals {
    /// Puts them into the exponentials of the matrices times a factor.
    #[track_caller]
    fn put(&self, x: &Arc<Node>, scale: &Arc<Node>) -> Result<Arc<Node>> {
        let (rank, device) = (x.shape.len(), x.device);
        let a = record::binary(Op::Multiply, &self.matrix, scale)?;
        let values = diagonal(&a, 0, rank - 2, rank - 1);
        let (left, right) = (insert_axis(&values, rank - 1), insert_axis(&values, rank - 2));
        let slope = divided_difference(&left, &right)?;
        let above = record::binary(Op::Multiply, &a, &slope)?;
        let rows = record::iota(rank - 2, x.shape.clone(), device);
        let columns = record::iota(rank - 1, x.shape.clone(), device);
        let next = record::binary(Op::Add, &rows, Scalar::new(1i64))?;
        let is_next = record::binary(Op::Equal, &columns, &next)?;
        let is_diagonal = record::binary(Op::Equal, &columns, &rows)?;
        let is_below = record::binary(Op::Less, &columns, &rows)?;
        // What a factorisation leaves below the diagonal is nothing.
        let upper = record::select(&is_below, record::number(x, 0.0), x)?;
        let own = record::select(&is_next, &above, &upper)?;
        let own = record::select(&is_diagonal, &record::unary(Op::Exp, &left), &own)?;
        record::select(&self.mark, &own, x)
    }
}

/// (e^x - e^y) / (x - y), near its diagonal as e^((x + y)/2)·sinh(d)/d for d = (x - y)/2.
#[track_caller]
fn divided_difference(x: &Arc<Node>, y: &Arc<Node>) -> Result<Arc<Node>> {
    let difference = record::binary(Op::Subtract, x, y)?;
    let exp = |x: &Arc<Node>| record::unary(Op::Exp, x);
    let far = record::binary(Op::Subtract, &exp(x), &exp(y))?;
    let far = record::binary(Op::Divide, &far, &difference)?;
    let d = times(&difference, 0.5)?;
    let middle = exp(&times(&record::binary(Op::Add, x, y)?, 0.5)?);
    let quotient = record::binary(Op::Divide, &record::unary(Op::Sinh, &d), &d)?;
    let zero = record::binary(Op::Equal, &d, record::number(&d, 0.0))?;
    let quotient = record::select(&zero, record::number(&d, 1.0), &quotient)?;
    let near = record::binary(Op::Multiply, &middle, &quotient)?;
    let size = record::unary(Op::Abs, &d);
    let is_near = record::binary(Op::Less, &size, record::number(&size, 1.0))?;
    record::select(&is_near, &near, &far)
}

/// The approximant of degree 13.
#[track_caller]
fn pade(batch: &Batch, a: &Arc<Node>) -> Result<Arc<Node>> {
    let product = |x: &Arc<Node>, y: &Arc<Node>| batch.product(x, y);
    let a2 = product(a, a)?;
    let a4 = product(&a2, &a2)?;
    let a6 = product(&a4, &a2)?;
    let ones = identity(a, a.dtype, batch.own.each(&[batch.own.n, batch.own.n]))?;
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
