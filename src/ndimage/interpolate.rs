//! Values of a spline at any places.
//!
//! Each axis gives, for each place, the positions of the coefficients around it and their weights;
//! the products over all axes are reads at computed positions, in the kernel that computes the
//! places. Where there are very many of them, the first axes are a loop.

use super::border::{Border, Extended};
use super::spline::{Spline, check_order, coefficients_along, weights};
use super::weighted::sums_of;
use crate::array::record;
use crate::device::Float;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::graph::{Arg, Args, Node, NodeOp};
use crate::shape::{Shape, checked_len};
use crate::table::{Op, Reduction};
use lazuli_macros::vectorize;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Up to so many coefficients of a place are written out; of more, the first axes are loops.
const WRITTEN_OUT: usize = 64;
/// How far an array is extended before it is filtered where its border is none that a spline can
/// have: SciPy's number.
const EXTENDED: usize = 12;

/// A place on an axis of `n > 1` elements that is mirrored at its ends. What is less than one
/// position behind the last element stays there, as coefficients are mirrored too: so SciPy rounds
/// to the nearest one.
#[vectorize]
fn mirrored<T: Float>(x: T, n: T) -> T {
    let period = T::from_f64(2.0) * (n - T::ONE);
    let r = x - period * (x / period).floor();
    if x >= T::ZERO && x <= n - T::ONE {
        x
    } else if r > n - T::ONE && (x < T::ZERO || r >= n) {
        period - r
    } else {
        r
    }
}

/// The same with the ends repeated.
#[vectorize]
fn reflected<T: Float>(x: T, n: T) -> T {
    let period = T::from_f64(2.0) * n;
    let r = x - period * (x / period).floor();
    if x >= T::ZERO && x < n {
        x
    } else if r < n {
        r
    } else {
        period - r - T::ONE
    }
}

/// A place on an axis whose last element is the first one again.
#[vectorize]
fn wrapped<T: Float>(x: T, n: T) -> T {
    let period = n - T::ONE;
    let r = x - period * (x / period).floor();
    if x >= T::ZERO && x <= period {
        x
    } else if x < T::ZERO && r == T::ZERO {
        period
    } else {
        r
    }
}

/// A place on an axis that begins anew behind its last element.
#[vectorize]
fn repeated<T: Float>(x: T, n: T) -> T {
    if x >= T::ZERO && x <= n - T::ONE { x } else { x - n * (x / n).floor() }
}

/// Calls one of the functions above for the type of the places.
macro_rules! mapped {
    ($function:ident, $x:expr, $n:expr) => {{
        let (x, n): (&Arc<Node>, f64) = ($x, $n);
        match x.dtype {
            DType::F32 => {
                let x = crate::array::DeviceArray::<f32>::from_node(x.clone());
                $function::try_call(&x, n as f32)?.node().clone()
            }
            _ => {
                let x = crate::array::DeviceArray::<f64>::from_node(x.clone());
                $function::try_call(&x, n)?.node().clone()
            }
        }
    }};
}

/// What the places have along one axis.
struct AxisTaps {
    /// The positions of the coefficients, times the axis's stride.
    positions: Vec<Arc<Node>>,
    /// Where a position is beyond the edges and stands for a constant.
    outside: Vec<Option<Arc<Node>>>,
    weights: Vec<Arc<Node>>,
    /// Whether the place is one at all.
    inside: Arc<Node>,
}

/// An axis of the coefficients.
#[derive(Clone, Copy)]
struct Line {
    /// The elements of the array before it was extended.
    len: usize,
    /// How many stand before the first one.
    before: usize,
    stride: i64,
}

/// A small number of a node's type.
#[track_caller]
fn with(op: Op, a: &Arc<Node>, value: f64) -> Result<Arc<Node>> {
    record::binary(op, a, Scalar::from_f64(a.dtype, value))
}

impl Line {
    /// The elements, those around them included.
    fn whole(self) -> usize {
        self.len + 2 * self.before
    }

    /// The place within the axis for one that may be beyond it, and whether there is one.
    #[track_caller]
    fn place(self, x: &Arc<Node>, border: Border) -> Result<(Arc<Node>, Arc<Node>)> {
        let (n, last) = (self.len as f64, self.len as f64 - 1.0);
        let is_number = record::binary(Op::Equal, x, x)?;
        let x = &record::select(&is_number, x, Scalar::from_f64(x.dtype, 0.0))?;
        let zero = || with(Op::Multiply, x, 0.0);
        let place = match border {
            Border::Constant(_) => {
                let (low, high) = (with(Op::GreaterEqual, x, 0.0)?, with(Op::LessEqual, x, last)?);
                let inside = record::binary(Op::LogicalAnd, &low, &high)?;
                let inside = record::binary(Op::LogicalAnd, &inside, &is_number)?;
                let held = with(Op::Minimum, &with(Op::Maximum, x, 0.0)?, last)?;
                return Ok((held, inside));
            }
            Border::GridConstant(_) => x.clone(),
            Border::Nearest => {
                // So far outside all coefficients are that of the edge.
                let reach = (self.before + 8) as f64;
                with(Op::Minimum, &with(Op::Maximum, x, -reach)?, last + reach)?
            }
            _ if self.len < 2 => zero()?,
            Border::Mirror => mapped!(mirrored, x, n),
            Border::Reflect => mapped!(reflected, x, n),
            Border::Wrap => mapped!(wrapped, x, n),
            Border::GridWrap => mapped!(repeated, x, n),
        };
        Ok((place, is_number))
    }

    /// A position of a coefficient on the axis, for one that is up to a few beyond it.
    #[track_caller]
    fn back(self, at: &Arc<Node>, border: Border) -> Result<Arc<Node>> {
        let n = self.whole() as f64;
        if n < 2.0 {
            return with(Op::Multiply, at, 0.0);
        }
        let (low, high, period) = match border {
            Border::GridConstant(_) | Border::Nearest => {
                return with(Op::Minimum, &with(Op::Maximum, at, 0.0)?, n - 1.0);
            }
            Border::Reflect => (-1.0, 2.0 * n - 1.0, 2.0 * n),
            Border::GridWrap => {
                let r = with(Op::RemEuclid, at, n)?;
                let beyond = record::binary(
                    Op::LogicalOr,
                    &with(Op::Less, at, 0.0)?,
                    &with(Op::GreaterEqual, at, n)?,
                )?;
                return record::select(&beyond, &r, at);
            }
            _ => (0.0, 2.0 * (n - 1.0), 2.0 * (n - 1.0)),
        };
        // A short axis may be left several times.
        let at = &match n < 8.0 {
            true => with(Op::RemEuclid, at, period)?,
            false => at.clone(),
        };
        let low = record::binary(Op::Subtract, Scalar::from_f64(at.dtype, low), at)?;
        let high = record::binary(Op::Subtract, Scalar::from_f64(at.dtype, high), at)?;
        let above = record::select(&with(Op::GreaterEqual, at, n)?, &high, at)?;
        record::select(&with(Op::Less, at, 0.0)?, &low, &above)
    }

    /// The coefficients around each place, and their weights in the type `dtype`.
    fn taps(self, x: &Arc<Node>, spline: Spline, dtype: DType) -> Result<AxisTaps> {
        let (order, border) = (spline.order, spline.border);
        let (place, inside) = self.place(x, border)?;
        let nearest = match order % 2 {
            1 => record::unary(Op::Floor, &place),
            _ => record::unary(Op::Floor, &with(Op::Add, &place, 0.5)?),
        };
        let t = record::cast(&record::binary(Op::Subtract, &place, &nearest)?, dtype);
        let whole = if self.whole() < 1 << 30 { DType::I32 } else { DType::I64 };
        let first = record::cast(&nearest, whole);
        let first = with(Op::Add, &first, self.before as f64 - (order / 2) as f64)?;
        let mut taps = AxisTaps {
            positions: Vec::new(),
            outside: Vec::new(),
            weights: weights(&t, order)?,
            inside,
        };
        for k in 0..=order {
            let at = with(Op::Add, &first, k as f64)?;
            taps.outside.push(match border {
                Border::GridConstant(_) => {
                    let low = with(Op::Less, &at, 0.0)?;
                    let high = with(Op::GreaterEqual, &at, self.whole() as f64)?;
                    Some(record::binary(Op::LogicalOr, &low, &high)?)
                }
                _ => None,
            });
            let at = record::cast(&self.back(&at, border)?, DType::I64);
            taps.positions.push(record::binary(Op::Multiply, &at, Scalar::new(self.stride))?);
        }
        Ok(taps)
    }
}

impl AxisTaps {
    /// The taps along one more axis behind those of the places, in place of a list.
    fn as_loop(&self) -> Result<AxisTaps> {
        let stacked = |all: &[Arc<Node>]| -> Result<Arc<Node>> {
            let raised: Args = all.iter().map(|a| Arg::from(&raised(a))).collect();
            let mut shape = all[0].shape.clone();
            shape.push(all.len());
            let axis = (shape.len() - 1) as u8;
            let (dtype, device) = (all[0].dtype, all[0].device);
            Ok(record::record(NodeOp::Concat { axis }, raised, shape, dtype, device))
        };
        let outside: Option<Vec<Arc<Node>>> = self.outside.iter().cloned().collect();
        Ok(AxisTaps {
            positions: vec![stacked(&self.positions)?],
            outside: vec![outside.as_deref().map(stacked).transpose()?],
            weights: vec![stacked(&self.weights)?],
            inside: self.inside.clone(),
        })
    }

    /// The same beside a loop: with one more axis of length 1.
    fn beside_loop(&self) -> AxisTaps {
        AxisTaps {
            positions: self.positions.iter().map(raised).collect(),
            outside: self.outside.iter().map(|o| o.as_ref().map(raised)).collect(),
            weights: self.weights.iter().map(raised).collect(),
            inside: self.inside.clone(),
        }
    }
}

/// An array with one more axis, of length 1, behind the others.
#[track_caller]
fn raised(a: &Arc<Node>) -> Arc<Node> {
    let mut shape = a.shape.clone();
    shape.push(1);
    record::reshape(a, shape)
}

/// The coefficients of a spline in one row, and what stands in for those beyond the edges.
struct Source {
    flat: Arc<Node>,
    constant: Scalar,
}

impl Source {
    /// The sum over the taps of the axes that are left, at what the axes before them chose.
    #[track_caller]
    fn sum(
        &self,
        axes: &[AxisTaps],
        at: Option<&Arc<Node>>,
        out: Option<&Arc<Node>>,
    ) -> Result<Arc<Node>> {
        let Some((axis, rest)) = axes.split_first() else { return self.read(at, out) };
        let mut total: Option<Arc<Node>> = None;
        for (k, position) in axis.positions.iter().enumerate() {
            let next = match at {
                Some(at) => record::binary(Op::Add, at, position)?,
                None => position.clone(),
            };
            let beyond = match (out, &axis.outside[k]) {
                (Some(a), Some(b)) => Some(record::binary(Op::LogicalOr, a, b)?),
                (a, b) => a.or(b.as_ref()).cloned(),
            };
            let value = self.sum(rest, Some(&next), beyond.as_ref())?;
            let term = match axis.weights.len() == 1 && axis.is_nearest() {
                true => value,
                false => record::binary(
                    Op::Multiply,
                    &value,
                    &record::cast(&axis.weights[k], self.flat.dtype),
                )?,
            };
            total = Some(match total {
                Some(total) => record::binary(Op::Add, &total, &term)?,
                None => term,
            });
        }
        Ok(total.expect("every axis has a tap"))
    }

    #[track_caller]
    fn read(&self, at: Option<&Arc<Node>>, out: Option<&Arc<Node>>) -> Result<Arc<Node>> {
        let Some(at) = at else { return Ok(self.flat.clone()) };
        let op = NodeOp::Take { axis: 0, from_start: true };
        let args: Args = smallvec![Arg::from(&self.flat), Arg::from(at)];
        let value = record::record(op, args, at.shape.clone(), self.flat.dtype, at.device);
        match out {
            Some(out) => record::select(out, self.constant, &value),
            None => Ok(value),
        }
    }
}

impl AxisTaps {
    /// Whether the one weight is 1.
    fn is_nearest(&self) -> bool {
        matches!(self.weights[0].op, NodeOp::Full)
    }
}

/// The array's spline at places: `places` holds for each axis of the array where it is read, in
/// shapes that broadcast to `shape`.
#[track_caller]
pub(super) fn at_places(
    name: &str,
    a: &Arc<Node>,
    places: &[Arc<Node>],
    shape: &Shape,
    spline: Spline,
) -> Result<Arc<Node>> {
    let planes = record::reshape(a, std::iter::once(1).chain(a.shape.iter().copied()).collect());
    let found = planes_at_places(name, &planes, places, shape, spline)?;
    Ok(record::reshape(&found, shape.clone()))
}

/// The same for every array along the first axis of `a`, along which the results stand.
#[track_caller]
pub(super) fn planes_at_places(
    name: &str,
    a: &Arc<Node>,
    places: &[Arc<Node>],
    shape: &Shape,
    spline: Spline,
) -> Result<Arc<Node>> {
    check_order(name, spline.order)?;
    let planes = a.shape[0];
    let whole: Shape = std::iter::once(planes).chain(shape.iter().copied()).collect();
    checked_len(name, &whole)?;
    let dtype = sums_of(a.dtype);
    let constant = Scalar::from_f64(dtype, spline.border.constant().unwrap_or(0.0));
    if crate::shape::len(&whole) == 0 || a.len() == 0 {
        return rounded(&record::full(constant, whole, a.device), a.dtype);
    }
    let (source, before) = filtered(name, a, spline)?;
    let mut axes = Vec::new();
    for (line, place) in lines(&a.shape[1..], before).iter().zip(places) {
        let place = match place.dtype {
            DType::F32 | DType::F64 => place.clone(),
            _ => record::cast(place, DType::F32),
        };
        axes.push(line.taps(&behind_planes(&place, shape.len()), spline, dtype.real())?);
    }
    let inside: Vec<Arc<Node>> = axes.iter().map(|axis| axis.inside.clone()).collect();
    let first = (planes > 1).then(|| plane_starts(planes, shape.len(), &source)).transpose()?;
    let flat = record::reshape(&source, smallvec![source.len()]);
    let value = looped(&Source { flat, constant }, axes, first)?;
    let inside = super::weighted::balanced(inside, |a, b| record::binary(Op::LogicalAnd, a, b))?;
    let value = record::select(&inside, &value, constant)?;
    let value = record::whole(&[Arg::from(&value)], &whole, a.device)[0].clone();
    rounded(&value, a.dtype)
}

/// Places as an array of one rank more than the results of a plane, which broadcasts along planes.
#[track_caller]
fn behind_planes(place: &Arc<Node>, rank: usize) -> Arc<Node> {
    let missing = rank + 1 - place.shape.len();
    let ones = std::iter::repeat_n(1, missing);
    record::reshape(place, ones.chain(place.shape.iter().copied()).collect())
}

/// Where each plane begins in the row of all elements.
#[track_caller]
fn plane_starts(planes: usize, rank: usize, source: &Arc<Node>) -> Result<Arc<Node>> {
    let mut shape = Shape::from_elem(1, rank + 1);
    shape[0] = planes;
    let stride = (source.len() / planes) as i64;
    record::binary(Op::Multiply, &record::iota(0, shape, source.device), Scalar::new(stride))
}

/// The sum over all taps, with loops over the first axes where they are many.
#[track_caller]
fn looped(
    source: &Source,
    mut axes: Vec<AxisTaps>,
    mut first: Option<Arc<Node>>,
) -> Result<Arc<Node>> {
    let taps = |axes: &[AxisTaps]| axes.iter().map(|a| a.positions.len()).product::<usize>();
    let mut loops = 0;
    while taps(&axes) > WRITTEN_OUT {
        let own = loops;
        axes = axes
            .iter()
            .enumerate()
            .map(|(k, axis)| if k == own { axis.as_loop() } else { Ok(axis.beside_loop()) })
            .collect::<Result<_>>()?;
        first = first.as_ref().map(raised);
        loops += 1;
    }
    let sum = source.sum(&axes, first.as_ref(), None)?;
    let rank = sum.shape.len();
    let last = ((1u32 << loops) - 1) << (rank - loops);
    Ok(record::reduce(Reduction::Sum, &sum, last))
}

/// The coefficients of an array's spline, and by how many elements it was extended first.
#[track_caller]
fn filtered(name: &str, a: &Arc<Node>, spline: Spline) -> Result<(Arc<Node>, usize)> {
    let source = record::cast(a, sums_of(a.dtype));
    if spline.order < 2 || !spline.prefilter {
        return Ok((source, 0));
    }
    let before = match spline.border {
        Border::Nearest | Border::GridConstant(_) => EXTENDED,
        _ => 0,
    };
    let rank = a.shape.len();
    let mut whole = source;
    if before > 0 {
        // Planes are no axis of the spline.
        let reach = |k: usize| if k == 0 { (0, 0) } else { (before, before) };
        let reach: Vec<(usize, usize)> = (0..rank).map(reach).collect();
        let borders: SmallVec<[Border; 4]> = SmallVec::from_elem(spline.border, rank);
        let extended = Extended::new(name, &whole, &borders, &reach)?;
        let sizes: Shape =
            a.shape.iter().zip(&reach).map(|(n, (low, high))| n + low + high).collect();
        checked_len(name, &sizes)?;
        whole = extended.around(&reach, sizes);
    }
    for axis in 1..rank {
        whole = coefficients_along(name, &whole, spline.order, axis, spline.border)?;
    }
    Ok((whole, before))
}

fn lines(shape: &[usize], before: usize) -> Vec<Line> {
    let sizes: Shape = shape.iter().map(|n| n + 2 * before).collect();
    let strides = crate::shape::contiguous_strides(&sizes);
    let line = |(&len, &stride): (&usize, &i64)| Line { len, before, stride };
    shape.iter().zip(&strides).map(line).collect()
}

/// A result in the array's type: whole numbers are the nearest ones, of two that are equally near
/// the one farther from zero, within the type's range.
#[track_caller]
fn rounded(value: &Arc<Node>, dtype: DType) -> Result<Arc<Node>> {
    if !dtype.is_integer() {
        return Ok(record::cast(value, dtype));
    }
    let half = record::select(
        &with(Op::Greater, value, 0.0)?,
        Scalar::from_f64(value.dtype, 0.5),
        Scalar::from_f64(value.dtype, -0.5),
    )?;
    Ok(record::cast(&record::binary(Op::Add, value, &half)?, dtype))
}
