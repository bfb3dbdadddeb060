//! Calls of user functions on arrays.
//!
//! A call is one node, unless the function's arguments vary along different axes. Then the function
//! is taken apart as the loops of gufuncs are, and the recording is kept in the same way: what
//! calls something and depends on fewer arguments than the whole becomes a piece of its own, with
//! the axes of these arguments, so that hoisting finds it.

use super::code::{Callee, DeviceFn, code, flat};
use super::gufunc::{Call, Lower, Refusal, Results};
use super::outputs::{Nodes, Outputs};
use super::pack::Pack;
use super::tile::{neighbours_fn, tile_fn};
use crate::array::operand::sealed::Wrapped;
use crate::array::{Operand, located, record};
use crate::backend::Device;
use crate::dtype::Element;
use crate::error::Result;
use crate::function::Function;
use crate::graph::{Arg, Args, Node};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::any::TypeId;
use std::sync::{Arc, LazyLock};

/// The device of an operand that is an array on one.
pub fn device_of<T: Element>(operand: &impl Operand<T>) -> Option<Device> {
    operand.device()
}

/// An operand as an argument, on the first device among those of all of them where it is an array of
/// the host.
///
/// # Errors
/// Where it cannot be copied there.
#[track_caller]
pub fn operand<T: Element>(operand: impl Operand<T>, all: &[Option<Device>]) -> Result<Wrapped> {
    located(operand.wrap(all.iter().flatten().next().copied()))
}

/// The value, or a panic that names the caller's line.
#[track_caller]
pub fn or_panic<T>(result: Result<T>) -> T {
    crate::array::or_panic(result)
}

/// Records a call of `F`. Where arguments are broadcast against each other, `parts` records what
/// depends on some of them alone apart, so that it is computed once along the other axes.
#[track_caller]
pub fn call<F, G, R>(
    args: impl IntoIterator<Item = Wrapped>,
    parts: Option<fn(&Lower, &Call) -> std::result::Result<Results, Refusal>>,
) -> Result<R::Arrays>
where
    F: DeviceFn<G, Output = R>,
    F::Args: Pack,
    G: 'static,
    R: Outputs,
{
    let args: Args = args.into_iter().map(|arg| arg.0).collect();
    if let Some(parts) = parts
        && let Some(nodes) = located(in_parts(plain_name(F::NAME), &args, parts))?
    {
        return Ok(R::arrays(Nodes::new(nodes)));
    }
    let nodes = located(record::call(&function::<F, G>(), args))?;
    Ok(R::arrays(Nodes::new(nodes.into_vec())))
}

/// The nodes of a call in parts, where its arguments vary along different axes.
#[track_caller]
fn in_parts(
    name: &'static str,
    args: &[Arg],
    parts: fn(&Lower, &Call) -> std::result::Result<Results, Refusal>,
) -> Result<Option<Vec<Arc<Node>>>> {
    let mut arrays = args.iter().filter(|arg| matches!(arg, Arg::Node(_)));
    let Some(first) = arrays.next() else { return Ok(None) };
    if arrays.all(|arg| arg.shape() == first.shape()) {
        return Ok(None);
    }
    let (shape, device) = record::join(name, args)?;
    if crate::shape::len(&shape) == 0 {
        return Ok(None);
    }
    let call = Call::of_numbers(args.to_vec(), shape, device);
    match call.recorded_once_at(name, parts) {
        Ok(nodes) => Ok(Some(nodes)),
        Err(Refusal::Unprovable) => Ok(None),
        Err(Refusal::Failed(error)) => Err(error),
    }
}

/// The last part of a function's path.
fn plain_name(path: &'static str) -> &'static str {
    path.rsplit("::").next().unwrap_or(path)
}

/// The function for given types, made once.
pub(crate) fn function<F, G>() -> Arc<Function>
where
    F: DeviceFn<G>,
    F::Args: Pack,
    F::Output: Pack,
    G: 'static,
{
    static MADE: LazyLock<RwLock<FxHashMap<TypeId, Arc<Function>>>> =
        LazyLock::new(RwLock::default);
    let id = TypeId::of::<Callee<F, G>>();
    if let Some(function) = MADE.read().get(&id) {
        return function.clone();
    }
    let function = Arc::new(make::<F, G>());
    MADE.write().entry(id).or_insert(function).clone()
}

/// The function of two states for given types, with its loops over neighbours, made once.
pub(crate) fn combining<F, G, S>() -> Arc<Function>
where
    F: DeviceFn<G, Args = (S, S), Output = S>,
    G: 'static,
    S: Pack,
{
    static MADE: LazyLock<RwLock<FxHashMap<TypeId, Arc<Function>>>> =
        LazyLock::new(RwLock::default);
    let id = TypeId::of::<Callee<F, G>>();
    if let Some(function) = MADE.read().get(&id) {
        return function.clone();
    }
    let function = Arc::new(make::<F, G>().with_neighbours(neighbours_fn::<F, G, S>()));
    MADE.write().entry(id).or_insert(function).clone()
}

fn make<F, G>() -> Function
where
    F: DeviceFn<G>,
    F::Args: Pack,
    F::Output: Pack,
    G: 'static,
{
    let code = code::<F, G>();
    let (mut args, mut results) = (Vec::new(), Vec::new());
    F::Args::dtypes(&mut args);
    F::Output::dtypes(&mut results);
    let name = plain_name(F::NAME);
    let cuda = flat::<F::Args>(&code.cuda, &args, &results);
    Function::new(name, args, results, Some(cuda), Some(tile_fn::<F, G>()), code.cost)
}
