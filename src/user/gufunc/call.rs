//! A call of a gufunc: the sizes of its dimensions, what it is looped over, and its nodes.

use super::super::lanes::Laned;
use super::arrays::CoreArray;
use super::lower::{Lower, Refusal, Results};
use super::value::{State, Value};
use crate::array::operand::sealed::Wrapped;
use crate::array::{located, record};
use crate::backend::Device;
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, AxisMap, Node, View};
use crate::library::Library;
use crate::library::items::{Items, LOOPS, Native};
use crate::shape::{Shape, broadcast, len};
use crate::user::outputs::{Nodes, Outputs};
use smallvec::SmallVec;
use std::sync::Arc;

/// What a gufunc says of its dimensions, `(n,m),(m)->(n)`.
#[derive(Debug)]
pub struct Signature {
    /// The name of the function.
    pub function: &'static str,
    /// The names of the dimensions.
    pub dims: &'static [&'static str],
    /// The arguments.
    pub inputs: &'static [Param],
    /// The results.
    pub outputs: &'static [Param],
}

/// An argument or a result.
#[derive(Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Its core axes.
    pub core: &'static [Dim],
}

/// The length of a core axis.
#[derive(Clone, Copy, Debug)]
pub enum Dim {
    /// That of a dimension, by its number.
    Named(usize),
    /// Always the same.
    Fixed(usize),
}

/// The forms of a function that run item by item.
pub struct Code {
    /// For the processor.
    pub native: Native,
    /// For GPUs.
    pub source: Option<fn() -> String>,
    /// How many of its loops have turns that the threads of a GPU share.
    pub stages: usize,
}

/// A call whose arguments go together.
pub struct Call {
    signature: &'static Signature,
    args: Vec<Arg>,
    sizes: SmallVec<[usize; 4]>,
    items: Shape,
    device: Device,
    /// Whether what is recorded is kept for calls with other numbers.
    kept: bool,
}

/// Records a call.
#[track_caller]
pub fn gufunc<R: Outputs>(
    signature: &'static Signature,
    args: impl IntoIterator<Item = Wrapped>,
    code: Code,
    lower: impl Fn(&Lower, &Call) -> std::result::Result<Results, Refusal> + 'static,
) -> Result<R::Arrays> {
    let args: Vec<Arg> = args.into_iter().map(|arg| arg.0).collect();
    let call = located(Call::new(signature, args))?;
    let mut dtypes = Vec::new();
    R::dtypes(&mut dtypes);
    let nodes = located(call.record(&dtypes, code, lower))?;
    Ok(R::arrays(Nodes::new(nodes)))
}

impl Call {
    fn new(signature: &'static Signature, args: Vec<Arg>) -> Result<Call> {
        let name = signature.function;
        let mut sizes: SmallVec<[Option<(usize, usize)>; 4]> =
            SmallVec::from_elem(None, signature.dims.len());
        let (mut items, mut device) = (Shape::new(), None);
        for (number, (param, arg)) in signature.inputs.iter().zip(&args).enumerate() {
            let shape = arg.shape();
            let Some(loops) = shape.len().checked_sub(param.core.len()) else {
                return Err(Error::shape(format!(
                    "{name}: {} has the core {}, and an array of shape {shape:?} was given",
                    param.name,
                    signature.core(param)
                )));
            };
            for (&dim, &size) in param.core.iter().zip(&shape[loops..]) {
                match dim {
                    Dim::Fixed(wanted) if wanted == size => {}
                    Dim::Fixed(wanted) => {
                        return Err(Error::shape(format!(
                            "{name}: {} has the core {}, and a length of {size} was given where it \
                             is always {wanted}",
                            param.name,
                            signature.core(param)
                        )));
                    }
                    Dim::Named(k) => match sizes[k] {
                        Some((other, first)) if other != size => {
                            return Err(Error::shape(format!(
                                "{name}: dimension {} is {other} in {} and {size} in {}",
                                signature.dims[k], signature.inputs[first].name, param.name
                            )));
                        }
                        Some(_) => {}
                        None => sizes[k] = Some((size, number)),
                    },
                }
            }
            items = broadcast(&items, &shape[..loops]).ok_or_else(|| {
                Error::shape(format!(
                    "{name}: the axes {:?} of {}, which items lie along, do not broadcast to \
                     {items:?}",
                    &shape[..loops],
                    param.name
                ))
            })?;
            if let Arg::Node(node) = arg
                && device.get_or_insert(node.device).differs(node.device)
            {
                let first = device.expect("just set");
                return Err(record::devices_differ(name, first, node.device));
            }
        }
        let device = device.map_or_else(Device::current, Ok)?;
        let sizes = sizes.into_iter().map(|size| size.map_or(0, |(size, _)| size)).collect();
        Ok(Call { signature, args, sizes, items, device, kept: false })
    }

    #[track_caller]
    fn record(
        &self,
        dtypes: &[DType],
        code: Code,
        lower: impl Fn(&Lower, &Call) -> std::result::Result<Results, Refusal> + 'static,
    ) -> Result<Vec<Arc<Node>>> {
        let shapes: Vec<Shape> = self
            .signature
            .outputs
            .iter()
            .map(|param| self.items.iter().copied().chain(self.core(param)).collect())
            .collect();
        for shape in &shapes {
            crate::shape::checked_len(self.signature.function, shape)?;
        }
        if shapes.iter().all(|shape| len(shape) == 0) {
            let empty = |(shape, &dtype): (Shape, &DType)| {
                record::full(Scalar::from_f64(dtype, 0.0), shape, self.device)
            };
            return Ok(shapes.into_iter().zip(dtypes).map(empty).collect());
        }
        match self.recorded_once(self.signature.function, lower) {
            Ok(nodes) => Ok(nodes),
            Err(Refusal::Failed(error)) => Err(error),
            Err(Refusal::Unprovable) => self.each(&shapes, dtypes, code),
        }
    }

    pub(super) fn args(&self) -> &[Arg] {
        &self.args
    }

    pub(super) fn device(&self) -> Device {
        self.device
    }

    /// The same call with other arguments of the same shapes and types, to be kept.
    pub(super) fn with_args(&self, args: Vec<Arg>) -> Call {
        Call {
            signature: self.signature,
            args,
            sizes: self.sizes.clone(),
            items: self.items.clone(),
            device: self.device,
            kept: true,
        }
    }

    /// A call of a function of numbers, with the shape that its arguments broadcast to.
    pub(crate) fn of_numbers(args: Vec<Arg>, items: Shape, device: Device) -> Call {
        const NUMBERS: &Signature =
            &Signature { function: "", dims: &[], inputs: &[], outputs: &[] };
        Call { signature: NUMBERS, args, sizes: SmallVec::new(), items, device, kept: false }
    }

    /// A recording of the call.
    pub(super) fn recording(&self, name: &'static str) -> Lower {
        Lower::new(name, self.device, self.items.clone())
    }

    /// The nodes of a call whose results are recorded.
    #[track_caller]
    pub(super) fn recorded(
        &self,
        name: &'static str,
        record: impl Fn(&Lower, &Call) -> std::result::Result<Results, Refusal>,
    ) -> std::result::Result<Vec<Arc<Node>>, Refusal> {
        let results = record(&self.recording(name), self)?;
        Ok(results.into_iter().map(|result| result.0).collect())
    }

    /// The function item by item.
    #[track_caller]
    fn each(&self, shapes: &[Shape], dtypes: &[DType], code: Code) -> Result<Vec<Arc<Node>>> {
        let name = self.signature.function;
        if self.items.len() > LOOPS {
            return Err(Error::unsupported(format!(
                "{name}: items lie along at most {LOOPS} axes, and were given along {}",
                self.items.len()
            )));
        }
        let (mut args, mut inputs) = (Args::new(), Vec::new());
        for (param, arg) in self.signature.inputs.iter().zip(&self.args) {
            inputs.push((arg.dtype(), self.strides(arg.shape(), param.core.len())));
            // Libraries take arrays, and none that is empty: of those nothing is read.
            args.push(match arg {
                Arg::Node(node) if node.len() > 0 => arg.clone(),
                Arg::Scalar(value) => {
                    Arg::Node(record::full(*value, Shape::from_elem(1, 1), self.device))
                }
                Arg::Node(node) => {
                    let nothing = Scalar::from_f64(node.dtype, 0.0);
                    Arg::Node(record::full(nothing, Shape::from_elem(1, 1), self.device))
                }
            });
        }
        if args.is_empty() {
            return Err(Error::unsupported(format!("{name}: a gufunc takes an argument")));
        }
        let cores = self.signature.outputs.iter().map(|param| self.core(param).product());
        let call = Items {
            name,
            native: code.native,
            source: code.source,
            stages: code.stages,
            inputs,
            outputs: dtypes.iter().copied().zip(cores).collect(),
            sizes: self.sizes.clone(),
            items: self.items.clone(),
        };
        if let [shape] = shapes {
            let call = Library::Items(call);
            return Ok(vec![record::library(call, args, shape.clone(), self.device)]);
        }
        Ok(record::library_parts(Library::Items(call), args, shapes, self.device))
    }

    /// By how many elements an argument advances along each axis of the items.
    fn strides(&self, shape: &[usize], core: usize) -> SmallVec<[usize; 4]> {
        let own = shape.len() - core;
        let mut strides = SmallVec::from_elem(0, self.items.len());
        let mut step: usize = shape[own..].iter().product();
        for k in (0..own).rev() {
            if shape[k] > 1 {
                strides[self.items.len() - own + k] = step;
            }
            step *= shape[k];
        }
        strides
    }

    /// The lengths of a parameter's core axes.
    fn core(&self, param: &Param) -> impl Iterator<Item = usize> {
        param.core.iter().map(|dim| match *dim {
            Dim::Named(k) => self.sizes[k],
            Dim::Fixed(size) => size,
        })
    }

    fn lengths<const N: usize>(&self, param: &Param) -> [usize; N] {
        let mut lengths = self.core(param);
        std::array::from_fn(|_| lengths.next().expect("the macro compared the ranks"))
    }

    /// An argument with core axes, for recording.
    pub fn input<T: Element, const N: usize>(&self, lower: &Lower, k: usize) -> CoreArray<T, N> {
        let param = &self.signature.inputs[k];
        let node = match &self.args[k] {
            Arg::Node(node) => node.clone(),
            Arg::Scalar(value) => {
                if self.kept {
                    // The array's data would be part of what is kept.
                    lower.ask();
                }
                record::full(*value, Shape::new(), self.device)
            }
        };
        lower.add(param.name, Some(node), self.lengths(param))
    }

    /// An argument that is a number for each item, for recording.
    pub fn scalar<T: Element + Laned>(&self, k: usize) -> Value<T> {
        match &self.args[k] {
            Arg::Scalar(_) if self.kept => {
                let before = self.args[..k].iter().filter(|arg| matches!(arg, Arg::Scalar(_)));
                Value { state: State::Later(before.count()), depth: 0 }
            }
            Arg::Scalar(value) => {
                let value = value.get().expect("the operand has this type");
                Value { state: State::Known(value), depth: 0 }
            }
            Arg::Node(node) => {
                let missing = self.items.len() - node.shape.len();
                let mut shape = Shape::from_elem(1, missing);
                shape.extend_from_slice(&node.shape);
                let maps = (0..node.shape.len()).map(|axis| AxisMap::same(axis + missing));
                let node = record::view(node, View(maps.collect()), shape);
                Value::nodes(SmallVec::from_elem(node, 1), 0)
            }
        }
    }

    /// A result with core axes, for recording.
    pub fn output<T: Element, const N: usize>(&self, lower: &Lower, k: usize) -> CoreArray<T, N> {
        let param = &self.signature.outputs[k];
        lower.add(param.name, None, self.lengths(param))
    }
}

impl Signature {
    /// The core axes of a parameter, as they are written.
    fn core(&self, param: &Param) -> String {
        let part = |dim: &Dim| match *dim {
            Dim::Named(k) => self.dims[k].to_string(),
            Dim::Fixed(size) => size.to_string(),
        };
        format!("({})", param.core.iter().map(part).collect::<Vec<_>>().join(","))
    }
}
