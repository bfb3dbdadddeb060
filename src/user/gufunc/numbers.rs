//! Numbers beside the arrays of a call, where what is recorded is kept for other numbers.
//!
//! Such a recording is made without their values: a number is an entry of a list that each call
//! fills in anew, and so is what is computed from numbers alone. Nodes are recorded on stand-ins
//! for them. Where a recording asks for a value, it is a recording for that value alone, and is
//! not kept.

use super::piece::nothing;
use super::value::Component;
use crate::backend::Device;
use crate::dtype::{DType, Scalar};
use crate::graph::{Args, Node, NodeOp};
use crate::shape::Shape;
use crate::user::pack::Pack;
use smallvec::SmallVec;
use std::sync::Arc;

/// The numbers of one recording.
#[derive(Default)]
pub(super) struct Numbers {
    /// Each number's type, and what stands for it in the nodes that take it.
    list: Vec<(DType, Option<Arc<Node>>)>,
    steps: Vec<Step>,
    /// Whether a value was asked for.
    pub(super) asked: bool,
}

/// What is computed from numbers alone.
pub(super) struct Step {
    from: SmallVec<[Origin; 4]>,
    compute: fn(&[Origin], &mut Vec<Scalar>),
}

/// Where a component of an argument of a step comes from.
enum Origin {
    Number(usize),
    Constant(Scalar),
}

impl Numbers {
    /// Those of a call, in order.
    pub(super) fn of_call(types: impl Iterator<Item = DType>) -> Numbers {
        Numbers { list: types.map(|dtype| (dtype, None)).collect(), ..Numbers::default() }
    }

    /// The node that stands for a number.
    pub(super) fn stand_in(&mut self, k: usize, device: Device) -> Arc<Node> {
        let (dtype, node) = &mut self.list[k];
        let new = || Node::new(NodeOp::Source, Args::new(), Shape::new(), *dtype, device);
        node.get_or_insert_with(new).clone()
    }

    /// Whether a node stands for a number.
    pub(super) fn is_stand_in(&self, node: &Arc<Node>) -> bool {
        self.stand_ins().any(|(_, stand_in)| Arc::ptr_eq(node, stand_in))
    }

    /// The nodes that stand for numbers.
    pub(super) fn stand_ins(&self) -> impl Iterator<Item = (usize, &Arc<Node>)> {
        self.list.iter().enumerate().filter_map(|(k, (_, node))| Some((k, node.as_ref()?)))
    }

    /// Adds what a function gives for numbers and constants; its first number. Nothing where
    /// there is an array among the arguments.
    pub(super) fn add<A, R, P>(&mut self, components: &[Component]) -> Option<usize>
    where
        A: Pack,
        R: Pack,
        P: Fn(A) -> R + Copy + 'static,
    {
        let origin = |component: &Component| match component {
            Component::Known(scalar) => Some(Origin::Constant(*scalar)),
            Component::Later(k) => Some(Origin::Number(*k)),
            Component::Node(_) => None,
        };
        let from = components.iter().map(origin).collect::<Option<_>>()?;
        self.steps.push(Step { from, compute: compute::<A, R, P> });
        let first = self.list.len();
        let mut types = Vec::new();
        R::dtypes(&mut types);
        self.list.extend(types.into_iter().map(|dtype| (dtype, None)));
        Some(first)
    }

    /// What is computed from the call's numbers, in order.
    pub(super) fn into_steps(self) -> Vec<Step> {
        self.steps
    }
}

impl Step {
    /// Computes, and appends what comes of it.
    pub(super) fn run(&self, values: &mut Vec<Scalar>) {
        (self.compute)(&self.from, values);
    }
}

/// Calls a function that holds nothing.
fn compute<A, R, P>(from: &[Origin], values: &mut Vec<Scalar>)
where
    A: Pack,
    R: Pack,
    P: Fn(A) -> R + Copy + 'static,
{
    let mut scalars = from.iter().map(|origin| match *origin {
        Origin::Number(k) => values[k],
        Origin::Constant(scalar) => scalar,
    });
    let args = A::of_scalars(&mut scalars);
    nothing::<P>()(args).scalars(values);
}
