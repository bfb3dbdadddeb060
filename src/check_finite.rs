//! Where the first NaN or infinity comes from: each operation is computed by itself, and what it
//! gives is looked at.

use crate::array::DeviceArray;
use crate::backend::trace;
use crate::dtype::{Complex, DType, Inexact, Scalar, bf16, f16};
use crate::error::{Error, Result};
use crate::eval::while_inspected;
use crate::graph::{Arg, Node, NodeOp};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Runs a function, and makes the first operation that gives a NaN or an infinity an error, which
/// names the operation, the element and the line of the program.
///
/// What the function evaluates is computed operation by operation, not in fused kernels, and each
/// result is looked at: this finds a fault, and takes many times as long. Functions that were
/// compiled ([`compile`](crate::compile)) run as they are written. A loop
/// ([`repeat`](crate::repeat) and its kin) counts as one operation.
///
/// An operation is at fault where it gives
/// - a NaN, unless a scalar that the program wrote is one: where an argument is data that has NaNs,
///   the message says so;
/// - an infinity, though no argument has an infinity or a NaN. Infinities that data brings are taken
///   as meant.
///
/// Views, joins, padding, selection by positions and assignments move values and are never at fault.
/// What other threads evaluate is not looked at. JAX has it as `jax_debug_nans` and
/// `jax_debug_infs`.
///
/// # Errors
/// None of its own: the evaluation inside fails, with [`Error::is_numeric`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let x = DeviceArray::from_slice(&[4.0f64, 1.0, 0.0])?;
/// let run = || (x.ln() * 0.5).exp().sum(..).item();
/// assert!((run()? - 3.0).abs() < 1e-14);
/// let error = lazuli::check_finite(run).unwrap_err().to_string();
/// assert!(error.starts_with("ln: gives -inf at [2]"), "{error}");
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "jax_debug_nans")]
#[doc(alias = "errstate")]
pub fn check_finite<R>(f: impl FnOnce() -> R) -> R {
    while_inspected(Some(inspect), f)
}

/// Evaluates what nodes stand on, one operation after the other, and looks at each.
fn inspect(nodes: &[Arc<Node>]) -> Result<()> {
    let (mut known, mut bundles) = (Known::default(), FxHashMap::default());
    // What is evaluated meanwhile asks for no inspection of its own.
    while_inspected(None, || {
        for node in in_order(nodes) {
            check(&node, &mut known, &mut bundles)?;
        }
        Ok(())
    })
}

/// The nodes without data below some nodes, arguments first. No call recurses.
fn in_order(nodes: &[Arc<Node>]) -> Vec<Arc<Node>> {
    let mut order = Vec::new();
    let mut met: FxHashMap<*const Node, ()> = FxHashMap::default();
    let mut waiting: Vec<(Arc<Node>, bool)> =
        nodes.iter().rev().map(|node| (node.clone(), false)).collect();
    while let Some((node, is_done)) = waiting.pop() {
        if is_done {
            order.push(node);
            continue;
        }
        if node.is_evaluated() || met.insert(Arc::as_ptr(&node), ()).is_some() {
            continue;
        }
        let args: Vec<Arc<Node>> = arguments(&node);
        waiting.push((node, true));
        waiting.extend(args.into_iter().rev().map(|arg| (arg, false)));
    }
    order
}

fn arguments(node: &Node) -> Vec<Arc<Node>> {
    let state = node.state();
    let nodes = state.args.iter().filter_map(|arg| match arg {
        Arg::Node(arg) => Some(arg.clone()),
        Arg::Scalar(_) => None,
    });
    nodes.collect()
}

/// What an array has that is no finite number: the first NaN and the first infinity, by their
/// positions in C order.
#[derive(Clone, Copy, Default)]
struct Found {
    nan: Option<usize>,
    infinity: Option<usize>,
}

/// What is known of nodes, which stay alive so that no other one takes their place.
type Known = FxHashMap<*const Node, (Arc<Node>, Found)>;

/// What an operation is given.
#[derive(Clone, Default)]
struct Given {
    has_nan: bool,
    has_infinity: bool,
    /// Of the first argument that has NaNs, its type, shape, and the place.
    nan_from: Option<String>,
    /// Whether a scalar of the program is a NaN, or infinite.
    scalar_nan: bool,
    scalar_infinity: bool,
}

impl Given {
    /// Looks at what a node that waits is given, all of it computed.
    fn of(node: &Node, known: &mut Known) -> Result<Given> {
        let scalars = scalars(node);
        let mut given = Given {
            scalar_nan: scalars.iter().any(is_nan),
            scalar_infinity: scalars.iter().any(is_infinite),
            ..Given::default()
        };
        for argument in arguments(node) {
            let found = look(&argument, known)?;
            given.has_nan |= found.nan.is_some();
            given.has_infinity |= found.infinity.is_some();
            if let (Some(at), None) = (found.nan, &given.nan_from) {
                let (dtype, at) = (argument.dtype, place(&argument, at));
                let shape = &argument.shape[..];
                given.nan_from =
                    Some(format!(" from data ({dtype}{shape:?}) that has NaN at {at}"));
            }
        }
        Ok(given)
    }
}

/// Computes one node and looks at it. `bundles` are the operations with several results, each with what
/// it was given: the first result that is computed computes all of them.
fn check(
    node: &Arc<Node>,
    known: &mut Known,
    bundles: &mut FxHashMap<*const Node, (Arc<Node>, Given)>,
) -> Result<()> {
    if is_bundle(node) {
        let given = Given::of(node, known)?;
        bundles.insert(Arc::as_ptr(node), (node.clone(), given));
        return Ok(());
    }
    // A part of a bundle is a result of the operation that the bundle is.
    let bundle = match &node.op {
        NodeOp::Part(_) => arguments(node).first().map(Arc::as_ptr),
        _ => None,
    };
    let (operation, given) = match bundle.and_then(|bundle| bundles.get(&bundle)) {
        Some(bundle) => bundle.clone(),
        None => (node.clone(), Given::of(node, known)?),
    };
    crate::eval::evaluate(std::slice::from_ref(node))?;
    let found = look(node, known)?;
    if moves(&node.op) || given.scalar_nan {
        return Ok(());
    }
    let is_meant = given.has_nan || given.has_infinity || given.scalar_infinity;
    let why = match (found.nan, found.infinity) {
        (Some(at), _) => {
            format!("gives NaN at {}{}", place(node, at), given.nan_from.unwrap_or_default())
        }
        (None, Some(at)) if !is_meant => {
            format!("gives {} at {}", value(node, at)?, place(node, at))
        }
        _ => return Ok(()),
    };
    let line = match trace::is_outside(operation.line) {
        true => format!(", recorded at {}:{}", operation.line.file(), operation.line.line()),
        false => String::new(),
    };
    let (name, dtype) = (operation.op.name(), node.dtype);
    Err(Error::numeric(format!("{name}: {why} of {dtype}{:?}{line}", &node.shape[..])))
}

/// Whether a node stands for several outputs of a library, which other nodes are the parts of.
fn is_bundle(node: &Node) -> bool {
    matches!(&node.op, NodeOp::Library(call) if call.outputs().len() > 1)
}

/// Whether an operation brings or moves values, and makes none.
fn moves(op: &NodeOp) -> bool {
    matches!(
        op,
        NodeOp::Source
            | NodeOp::Full
            | NodeOp::View(_)
            | NodeOp::Reshape
            | NodeOp::Pad { .. }
            | NodeOp::Concat { .. }
            | NodeOp::Take { .. }
            | NodeOp::TakeAlong { .. }
            | NodeOp::Assign(_)
    )
}

fn scalars(node: &Node) -> Vec<Scalar> {
    let state = node.state();
    let scalars = state.args.iter().filter_map(|arg| match arg {
        Arg::Scalar(scalar) => Some(*scalar),
        Arg::Node(_) => None,
    });
    scalars.collect()
}

/// The real and imaginary parts of a scalar that has them.
fn parts(scalar: &Scalar) -> [f64; 2] {
    let whole = |c: Complex<f64>| [c.re, c.im];
    match scalar.dtype() {
        DType::F16 => [scalar.get::<f16>().map_or(0.0, f64::from), 0.0],
        DType::BF16 => [scalar.get::<bf16>().map_or(0.0, f64::from), 0.0],
        DType::F32 => [scalar.get::<f32>().map_or(0.0, f64::from), 0.0],
        DType::F64 => [scalar.get::<f64>().unwrap_or_default(), 0.0],
        DType::C64 => scalar
            .get::<Complex<f32>>()
            .map_or([0.0; 2], |c| whole(Complex::new(c.re.into(), c.im.into()))),
        DType::C128 => scalar.get().map_or([0.0; 2], whole),
        _ => [0.0; 2],
    }
}

fn is_nan(scalar: &Scalar) -> bool {
    parts(scalar).iter().any(|part| part.is_nan())
}

fn is_infinite(scalar: &Scalar) -> bool {
    parts(scalar).iter().any(|part| part.is_infinite())
}

/// Runs an expression with `T` bound to the type of a dtype that has NaNs; `$other` for the rest.
macro_rules! with_inexact {
    ($dtype:expr, $T:ident => $body:expr, $other:expr) => {
        with_inexact!(@arms $dtype, $T, $body, $other;
            F16 f16, BF16 bf16, F32 f32, F64 f64, C64 Complex<f32>, C128 Complex<f64>)
    };
    (@arms $dtype:expr, $T:ident, $body:expr, $other:expr; $($d:ident $t:ty),*) => {
        match $dtype {
            $(DType::$d => { type $T = $t; $body })*
            _ => $other,
        }
    };
}

/// What an array has that is no finite number; the array is computed.
fn look(node: &Arc<Node>, known: &mut Known) -> Result<Found> {
    if let Some(found) = known.get(&Arc::as_ptr(node)) {
        return Ok(found.1);
    }
    let found = match node.len() {
        0 => Found::default(),
        _ => with_inexact!(node.dtype, T => search::<T>(node)?, Found::default()),
    };
    known.insert(Arc::as_ptr(node), (node.clone(), found));
    Ok(found)
}

fn search<T: Inexact>(node: &Arc<Node>) -> Result<Found> {
    let array = DeviceArray::<T>::from_node(node.clone());
    if array.is_finite().all(..).item()? {
        return Ok(Found::default());
    }
    let first = |mask: DeviceArray<bool>| -> Result<Option<usize>> {
        Ok(if mask.any(..).item()? { Some(mask.argmax(..).item()? as usize) } else { None })
    };
    let nan = array.is_nan();
    Ok(Found { infinity: first(array.is_inf().logical_and(nan.logical_not()))?, nan: first(nan)? })
}

/// The element at a position in C order.
fn value(node: &Arc<Node>, at: usize) -> Result<String> {
    with_inexact!(node.dtype, T => {
        let array = DeviceArray::<T>::from_node(node.clone()).reshape(node.len());
        Ok(array.slice(ndarray::s![at..at + 1]).item()?.to_string())
    }, Ok(String::new()))
}

/// A position in C order as one on each axis.
fn place(node: &Node, at: usize) -> String {
    let mut rest = at;
    let mut places: Vec<usize> = Vec::new();
    for &length in node.shape.iter().rev() {
        places.push(rest % length.max(1));
        rest /= length.max(1);
    }
    places.reverse();
    format!("{places:?}")
}
