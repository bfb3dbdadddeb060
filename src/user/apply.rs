//! Calls of user functions on arrays.
//!
//! A call is one node, unless the function's arguments vary along different axes. Then the function
//! is taken apart as the loops of gufuncs are, and the recording is kept in the same way: what
//! calls something and depends on fewer arguments than the whole becomes a piece of its own, with
//! the axes of these arguments, so that hoisting finds it.

use super::code::{Callee, DeviceFn, code};
use super::gufunc::{Call, Lower, Refusal, Results};
use super::lanes::Laned;
use super::pack::Pack;
use super::tile::{neighbours_fn, tile_fn};
use crate::array::operand::sealed::Wrapped;
use crate::array::{DeviceArray, Operand, located, record};
use crate::backend::Device;
use crate::dtype::{DType, Element};
use crate::error::Result;
use crate::function::cpp::type_name;
use crate::function::{CudaCode, Function};
use crate::graph::{Arg, Args, Node};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::any::TypeId;
use std::sync::{Arc, LazyLock};

/// What a function gives for arrays: an array for a number, a tuple of arrays for a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no result for a function on arrays",
    note = "it gives an element type of arrays, or a tuple of those"
)]
pub trait Outputs: Pack {
    /// The array, or the arrays.
    type Arrays;
    /// Takes the nodes of the results.
    #[doc(hidden)]
    #[track_caller]
    fn arrays(nodes: Nodes) -> Self::Arrays;
}

/// The nodes of the results of a call.
pub struct Nodes(std::vec::IntoIter<Arc<Node>>);

impl Nodes {
    pub(crate) fn new(nodes: Vec<Arc<Node>>) -> Nodes {
        Nodes(nodes.into_iter())
    }

    /// The array of the next one.
    #[track_caller]
    pub fn take<T: Element>(&mut self) -> DeviceArray<T> {
        DeviceArray::from_node(self.0.next().expect("one node for each result"))
    }
}

impl<T: Element + Laned> Outputs for T {
    type Arrays = DeviceArray<T>;
    #[track_caller]
    fn arrays(mut nodes: Nodes) -> DeviceArray<T> {
        nodes.take()
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        impl<$($name: Element + Laned),+> Outputs for ($($name,)+) {
            type Arrays = ($(DeviceArray<$name>,)+);
            #[track_caller]
            fn arrays(mut nodes: Nodes) -> Self::Arrays {
                ($(nodes.take::<$name>(),)+)
            }
        }
    )*};
}
tuples! {
    A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H;
    A B C D E F G H I; A B C D E F G H I J; A B C D E F G H I J K; A B C D E F G H I J K L;
}

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

/// The code with numbers as its arguments: where the function takes tuples, one more function
/// makes them.
pub(crate) fn flat<A: Pack>(code: &CudaCode, args: &[DType], results: &[DType]) -> CudaCode {
    let name = |k: usize| format!("a{k}");
    let (values, nested) = A::arguments(&mut (0..args.len()).map(name));
    let mut code = code.clone();
    if !nested {
        return code;
    }
    let parameters: Vec<String> =
        args.iter().enumerate().map(|(k, &d)| format!("{} {}", type_name(d), name(k))).collect();
    let output = match results {
        [one] => type_name(*one).to_string(),
        more => {
            let names: Vec<&str> = more.iter().map(|&d| type_name(d)).collect();
            format!("lz_tuple<{}>", names.join(", "))
        }
    };
    let entry = format!("{}_flat", code.entry);
    let text = format!(
        "LZ_FN {output} {entry}({}) {{\n    return {}({});\n}}\n",
        parameters.join(", "),
        code.entry,
        values.join(", ")
    );
    code.definitions.push((entry.clone(), text));
    code.entry = entry;
    code
}
