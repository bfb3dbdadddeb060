//! Recording: the untyped functions under every method that makes a node.
//!
//! Recording checks shapes, element types and devices, and takes no lock that another recording
//! waits for. It evaluates where an expression becomes too deep or too large (`limits.rs`). On the
//! processor operations of numbers are done as they are recorded, and reductions of arrays in long runs
//! of assignments (`numbers.rs`).

use super::limits::checked;
use super::numbers::{self, folded};
pub(crate) use super::scans::{accumulate, scan};
use crate::backend::Device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::eval::{is_recording, remember_view};
use crate::function::{Fold, Function};
use crate::graph::{Arg, Args, AxisMap, IntoArgs, Node, NodeOp, View};
use crate::library::Library;
use crate::shape::{self, Shape, broadcast, copy_of, same};
use crate::table::{Op, Reduction};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

impl From<&Arc<Node>> for Arg {
    fn from(node: &Arc<Node>) -> Arg {
        Arg::Node(node.clone())
    }
}

impl From<Scalar> for Arg {
    fn from(value: Scalar) -> Arg {
        Arg::Scalar(value)
    }
}

impl Arg {
    /// The lengths of the axes; a scalar has none.
    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Arg::Node(node) => &node.shape,
            Arg::Scalar(_) => &[],
        }
    }

    /// The element type.
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Arg::Node(node) => node.dtype,
            Arg::Scalar(value) => value.dtype(),
        }
    }
}

/// Records a node, and evaluates it where the expression has become too deep or keeps too much
/// data alive that nobody else holds.
#[track_caller]
pub(crate) fn record(
    op: NodeOp,
    args: Args,
    shape: Shape,
    dtype: DType,
    device: Device,
) -> Arc<Node> {
    checked(Node::new(op, args, shape, dtype, device))
}

/// [`record`] for the operations that most nodes are.
#[inline(always)]
#[track_caller]
fn record_few<const N: usize>(
    op: NodeOp,
    args: [Arg; N],
    shape: Shape,
    dtype: DType,
    device: Device,
) -> Arc<Node>
where
    [Arg; N]: IntoArgs,
{
    checked(Node::new(op, args, shape, dtype, device))
}

/// Records a node like another, with other arguments of the same shapes, types and device.
#[track_caller]
pub(crate) fn record_like(node: &Node, args: Args) -> Arc<Node> {
    checked(node.like(args))
}

/// Records an operation with one argument.
#[track_caller]
pub(crate) fn unary(op: Op, a: &Arc<Node>) -> Arc<Node> {
    if op == Op::RealPart
        && let Some(real) = made_complex(a)
    {
        return real;
    }
    if let Some(number) = folded(op, &[a]) {
        return number;
    }
    let dtype = op.result(a.dtype);
    record_few(NodeOp::Map(op), [a.into()], copy_of(&a.shape), dtype, a.device)
}

/// What a real array was before it was made complex.
#[cold]
fn made_complex(a: &Arc<Node>) -> Option<Arc<Node>> {
    match (&a.op, a.state().args.first()) {
        (NodeOp::Cast, Some(Arg::Node(real))) if real.dtype == a.dtype.real() => Some(real.clone()),
        _ => None,
    }
}

/// Records an operation with two arguments, of which at least one is a node.
#[track_caller]
pub(crate) fn binary(op: Op, a: impl Into<Arg>, b: impl Into<Arg>) -> Result<Arc<Node>> {
    binary_args(op, a.into(), b.into())
}

#[track_caller]
fn binary_args(op: Op, a: Arg, b: Arg) -> Result<Arc<Node>> {
    if op == Op::Power
        && let (Arg::Node(base), Arg::Scalar(exponent)) = (&a, &b)
        && let Some(node) = simple_power(base, *exponent)
    {
        return Ok(node);
    }
    if let Some(number) = folded(op, &[&a, &b]) {
        return Ok(number);
    }
    let (a, b) = numbers::beside_arrays(a, b);
    let dtype = op.result(a.dtype());
    let (shape, device) = match like_one(&a, &b) {
        Some(node) => (copy_of(&node.shape), node.device),
        None => join2(op, &a, &b)?,
    };
    Ok(record_few(NodeOp::Map(op), [a, b], shape, dtype, device))
}

/// The argument that has the shape and the device of both together, if one is plainly it.
#[inline]
fn like_one<'a>(a: &'a Arg, b: &'a Arg) -> Option<&'a Arc<Node>> {
    match (a, b) {
        (Arg::Node(node), Arg::Scalar(_)) | (Arg::Scalar(_), Arg::Node(node)) => Some(node),
        (Arg::Node(a), Arg::Node(b)) if a.device == b.device && same(&a.shape, &b.shape) => Some(a),
        _ => None,
    }
}

/// Powers that are cheaper as another operation, as NumPy's `**` has them.
#[cold]
#[track_caller]
fn simple_power(base: &Arc<Node>, exponent: Scalar) -> Option<Arc<Node>> {
    let is = |value: f64| exponent == Scalar::from_f64(exponent.dtype(), value);
    let inexact = base.dtype.is_float() || base.dtype.is_complex();
    if is(2.0) {
        Some(unary(Op::Square, base))
    } else if is(1.0) {
        Some(base.clone())
    } else if inexact && is(0.5) {
        Some(unary(Op::Sqrt, base))
    } else if inexact && is(-1.0) {
        Some(unary(Op::Reciprocal, base))
    } else {
        None
    }
}

/// Records an operation with any number of arguments, of which at least one is a node.
#[track_caller]
pub(crate) fn map(op: Op, args: Args) -> Result<Arc<Node>> {
    if let [a, b, c] = &args[..]
        && let Some(number) = folded(op, &[a, b, c])
    {
        return Ok(number);
    }
    let (shape, device) = join(op.name(), &args)?;
    let dtype = op.result(args[op.principal()].dtype());
    Ok(record(NodeOp::Map(op), args, shape, dtype, device))
}

/// Records a call of a user's function: one node for each result.
///
/// # Errors
/// Where shapes do not broadcast, types are not the function's, or the device has no code for it.
#[track_caller]
pub(crate) fn call(function: &Arc<Function>, args: Args) -> Result<SmallVec<[Arc<Node>; 1]>> {
    let (shape, device) = join(&function.name, &args)?;
    function.check_device(!device.is_cuda())?;
    let types = args.iter().map(Arg::dtype);
    if !types.eq(function.args.iter().copied()) {
        let given: Vec<&str> = args.iter().map(|arg| arg.dtype().name()).collect();
        let wanted: Vec<&str> = function.args.iter().map(|t| t.name()).collect();
        return Err(Error::shape(format!(
            "{}: takes ({}), and was given ({})",
            function.name,
            wanted.join(", "),
            given.join(", ")
        )));
    }
    let mut nodes = SmallVec::new();
    for (k, &dtype) in function.results.iter().enumerate() {
        let op = NodeOp::Call { function: function.clone(), output: k as u8 };
        nodes.push(record(op, args.clone(), shape.clone(), dtype, device));
    }
    Ok(nodes)
}

/// Records a reduction by a user's function over a set of axes, which disappear: one node for
/// each component of the state. The arguments are the components of an element; they broadcast.
///
/// # Errors
/// Where shapes do not broadcast, types are not the function's, or the device has no code for it.
#[track_caller]
pub(crate) fn fold(
    function: Arc<Function>,
    identity: Vec<Scalar>,
    args: Args,
    axes: u32,
) -> Result<SmallVec<[Arc<Node>; 1]>> {
    let fold = Arc::new(Fold::new(function, identity)?);
    let name = &fold.function.name;
    let (shape, device) = join(name, &args)?;
    fold.function.check_device(!device.is_cuda())?;
    if !args.iter().map(Arg::dtype).eq(fold.types().iter().copied()) {
        return Err(Error::shape(format!("{name}: an element is not of the state's types")));
    }
    let args = whole(&args, &shape, device);
    if axes == 0 {
        return Ok(args.into_iter().collect());
    }
    let kept = (0..shape.len()).filter(|&k| axes >> k & 1 == 0).map(|k| shape[k]);
    let kept: Shape = kept.collect();
    let mut nodes = SmallVec::new();
    for (k, &dtype) in fold.types().iter().enumerate() {
        let op = NodeOp::Fold { fold: fold.clone(), axes, output: k as u8 };
        let args = args.iter().map(Arg::from).collect();
        nodes.push(record(op, args, kept.clone(), dtype, device));
    }
    Ok(nodes)
}

/// `yes` where the condition holds, else `no`.
#[track_caller]
pub(crate) fn select(
    condition: impl Into<Arg>,
    yes: impl Into<Arg>,
    no: impl Into<Arg>,
) -> Result<Arc<Node>> {
    let mut args = Args::new();
    args.extend([condition.into(), yes.into(), no.into()]);
    map(Op::Select, args)
}

/// The shape and the device of two arguments together, where neither is plainly it.
fn join2(op: Op, a: &Arg, b: &Arg) -> Result<(Shape, Device)> {
    let (Arg::Node(a), Arg::Node(b)) = (a, b) else {
        return Ok((Shape::new(), Device::current()?));
    };
    if a.device.differs(b.device) {
        return Err(devices_differ(op.name(), a.device, b.device));
    }
    let shape = broadcast(&a.shape, &b.shape)
        .ok_or_else(|| shapes_differ(op.name(), &[&a.shape, &b.shape]))?;
    shape::checked_len(op.name(), &shape)?;
    Ok((shape, a.device))
}

/// The shape and the device of any number of arguments together.
pub(crate) fn join(name: &str, args: &[Arg]) -> Result<(Shape, Device)> {
    let mut shape = Shape::new();
    let mut device = None;
    for arg in args {
        let Arg::Node(node) = arg else { continue };
        if device.get_or_insert(node.device).differs(node.device) {
            return Err(devices_differ(name, device.expect("just set"), node.device));
        }
        if shape != node.shape {
            shape = broadcast(&shape, &node.shape).ok_or_else(|| {
                let shapes: Vec<&[usize]> = args.iter().map(Arg::shape).collect();
                shapes_differ(name, &shapes)
            })?;
        }
    }
    shape::checked_len(name, &shape)?;
    let device = match device {
        Some(device) => device,
        None => Device::current()?,
    };
    Ok((shape, device))
}

#[cold]
fn shapes_differ(name: &str, shapes: &[&[usize]]) -> Error {
    let list: Vec<String> = shapes.iter().map(|s| format!("{s:?}")).collect();
    let (last, first) = list.split_last().expect("at least two shapes");
    Error::shape(format!("{name}: shapes {} and {last} cannot be broadcast", first.join(", ")))
}

#[cold]
pub(crate) fn devices_differ(name: &str, a: Device, b: Device) -> Error {
    let hint = if a.is_placed() || b.is_placed() { "; `to` moves one" } else { "" };
    Error::device(format!("{name}: the arguments live on different devices, {a} and {b}{hint}"))
}

/// Converts to another element type; the same type gives the same node.
#[track_caller]
pub(crate) fn cast(a: &Arc<Node>, dtype: DType) -> Arc<Node> {
    if a.dtype == dtype {
        return a.clone();
    }
    if let Some(number) = numbers::converted(a, dtype) {
        return number;
    }
    record(NodeOp::Cast, smallvec![a.into()], copy_of(&a.shape), dtype, a.device)
}

/// Records a view with the given shape.
#[track_caller]
pub(crate) fn view(a: &Arc<Node>, view: View, shape: Shape) -> Arc<Node> {
    if same(&shape, &a.shape) && view.is_identity() {
        return a.clone();
    }
    let node = record_few(NodeOp::View(Arc::new(view)), [a.into()], shape, a.dtype, a.device);
    if a.assignments() > 0 && !is_recording() {
        remember_view(&node);
    }
    node
}

/// The arguments as arrays of one shape, to which they broadcast.
#[track_caller]
pub(crate) fn whole(args: &[Arg], shape: &Shape, device: Device) -> SmallVec<[Arc<Node>; 2]> {
    let one = |arg: &Arg| match arg {
        Arg::Node(node) => broadcast_to(node, shape),
        Arg::Scalar(value) => full(*value, shape.clone(), device),
    };
    args.iter().map(one).collect()
}

/// The array as a view of the given shape, to which it broadcasts.
#[track_caller]
fn broadcast_to(a: &Arc<Node>, shape: &Shape) -> Arc<Node> {
    let extra = shape.len() - a.shape.len();
    let map = |(k, &from): (usize, &usize)| match from == shape[k + extra] {
        true => AxisMap::same(k + extra),
        false => AxisMap::fixed(0),
    };
    view(a, View(a.shape.iter().enumerate().map(map).collect()), shape.clone())
}

/// Records the same elements, in C order, under another shape of the same length.
#[track_caller]
pub(crate) fn reshape(a: &Arc<Node>, shape: Shape) -> Arc<Node> {
    if shape == a.shape {
        return a.clone();
    }
    record(NodeOp::Reshape, smallvec![a.into()], shape, a.dtype, a.device)
}

/// Records a reduction over a set of axes, which disappear. Over no axes, every element is its
/// own reduction.
#[track_caller]
pub(crate) fn reduce(op: Reduction, a: &Arc<Node>, axes: u32) -> Arc<Node> {
    if axes == 0 && op.is_arg() {
        return full(Scalar::new(0i64), a.shape.clone(), a.device);
    } else if axes == 0 {
        return a.clone();
    }
    let kept = |&k: &usize| axes >> k & 1 == 0;
    if !(0..a.shape.len()).any(|k| kept(&k))
        && let Some(number) = numbers::reduced(op, a)
    {
        return number;
    }
    let shape = (0..a.shape.len()).filter(kept).map(|k| a.shape[k]).collect();
    let dtype = op.result(a.dtype);
    record(NodeOp::Reduce { op, axes }, smallvec![a.into()], shape, dtype, a.device)
}

/// The most parts that one node joins. A kernel looks at all parts for every element, and has room
/// for the addresses of some hundreds: what joins more is cut between such nodes.
const MOST_PARTS: usize = 64;

/// Parts, two or more of them and none without elements, joined along an axis to an array of the given
/// shape.
#[track_caller]
pub(crate) fn joined(mut parts: Args, axis: usize, shape: Shape) -> Arc<Node> {
    while parts.len() > MOST_PARTS {
        let groups = parts.chunks(MOST_PARTS).map(|group| match group {
            [only] => only.clone(),
            group => {
                let length = |part: &Arg| match part {
                    Arg::Node(node) => node.shape[axis],
                    Arg::Scalar(_) => 0,
                };
                let mut shape = shape.clone();
                shape[axis] = group.iter().map(length).sum();
                Arg::Node(joined(group.iter().cloned().collect(), axis, shape))
            }
        });
        parts = groups.collect();
    }
    let Arg::Node(first) = &parts[0] else { unreachable!("parts are arrays") };
    let (dtype, device) = (first.dtype, first.device);
    record(NodeOp::Concat { axis: axis as u8 }, parts, shape, dtype, device)
}

/// Arrays, at least one, one after another along an axis.
#[track_caller]
pub(crate) fn one_after_another(nodes: &[Arc<Node>], axis: usize) -> Arc<Node> {
    let mut shape = copy_of(&nodes[0].shape);
    shape[axis] = nodes.iter().map(|node| node.shape[axis]).sum();
    let parts: Args = nodes.iter().filter(|node| node.len() > 0).map(Arg::from).collect();
    match &parts[..] {
        [] => full(number(&nodes[0], 0.0), shape, nodes[0].device),
        [Arg::Node(only)] => only.clone(),
        _ => joined(parts, axis, shape),
    }
}

/// Records a library call with one output, of the given shape. None of the arguments and not the
/// output may be empty.
#[track_caller]
pub(crate) fn library(call: Library, args: Args, shape: Shape, device: Device) -> Arc<Node> {
    let outputs = call.outputs();
    debug_assert_eq!(shape::len(&shape), outputs[0].0, "{call:?}");
    debug_assert!(outputs.len() == 1 && outputs[0].0 > 0, "{call:?}");
    debug_assert!(args.iter().all(|arg| !arg.shape().contains(&0)), "{call:?}");
    record(NodeOp::Library(Arc::new(call)), args, shape, outputs[0].1, device)
}

/// Records a library call with several outputs, of the given shapes; empty ones among them are
/// allowed if there is one that is not. None of the arguments may be empty.
#[track_caller]
pub(crate) fn library_parts(
    call: Library,
    args: Args,
    shapes: &[Shape],
    device: Device,
) -> Vec<Arc<Node>> {
    let outputs = call.outputs();
    debug_assert!(outputs.iter().map(|o| o.0).eq(shapes.iter().map(|s| shape::len(s))), "{call:?}");
    debug_assert!(args.iter().all(|arg| !arg.shape().contains(&0)), "{call:?}");
    let bytes = outputs
        .iter()
        .fold(0usize, |sum, (len, dtype)| sum.saturating_add(len.saturating_mul(dtype.size())));
    debug_assert!(bytes > 0, "{call:?}");
    let bundle = smallvec![bytes];
    let bundle = record(NodeOp::Library(Arc::new(call)), args, bundle, DType::U8, device);
    let part = |(k, (shape, output)): (usize, (&Shape, &(usize, DType)))| match output.0 {
        0 => full(Scalar::from_f64(output.1, 0.0), shape.clone(), device),
        _ => {
            let args = smallvec![Arg::from(&bundle)];
            record(NodeOp::Part(k as u8), args, shape.clone(), output.1, device)
        }
    };
    shapes.iter().zip(&outputs).enumerate().map(part).collect()
}

/// One scalar everywhere.
#[track_caller]
pub(crate) fn full(value: Scalar, shape: Shape, device: Device) -> Arc<Node> {
    record(NodeOp::Full, smallvec![value.into()], shape, value.dtype(), device)
}

/// The position on an axis, as `i64`.
#[track_caller]
pub(crate) fn iota(axis: usize, shape: Shape, device: Device) -> Arc<Node> {
    record(NodeOp::Iota { axis: axis as u8 }, Args::new(), shape, DType::I64, device)
}

/// A small number of the node's own type.
pub(crate) fn number(a: &Arc<Node>, value: f64) -> Scalar {
    Scalar::from_f64(a.dtype, value)
}
