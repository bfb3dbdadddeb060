//! States taken apart into their components, and the function that gives their slopes.

use crate::array::{Arrays, DeviceArray, Flat};
use crate::dtype::{Component, Floating};
use crate::error::{Error, Result};
use crate::eval;
use crate::graph::{Arg, Args, Node, NodeOp};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;

/// The state of an ensemble: a [`DeviceArray`] of `f32` or `f64`, or a tuple, an array or a `Vec` of
/// such, all of one type and of the shape of the ensemble.
///
/// Sealed, as [`Arrays`] is.
pub trait State: Arrays {
    /// The type of numbers: `f32` or `f64`.
    type Scalar: Component;
}

impl<T: Component> State for DeviceArray<T> {
    type Scalar = T;
}
impl<S: State> State for Vec<S> {
    type Scalar = S::Scalar;
}
impl<S: State, const N: usize> State for [S; N] {
    type Scalar = S::Scalar;
}

macro_rules! tuples {
    ($($first:ident $($t:ident)*;)*) => {$(
        impl<$first: State, $($t: State<Scalar = $first::Scalar>),*> State for ($first, $($t,)*) {
            type Scalar = $first::Scalar;
        }
    )*};
}
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E G; }

/// The components of a state.
pub(super) type Parts<T> = Vec<DeviceArray<T>>;

/// A function that gives slopes.
pub(super) type Slope<'f, S> = &'f dyn Fn(&DeviceArray<<S as State>::Scalar>, &S) -> S;

/// The right-hand side of an equation, on states taken apart.
pub(super) struct System<'f, S: State> {
    slope: Slope<'f, S>,
    lengths: SmallVec<[usize; 2]>,
    /// The first mistake of a call inside of a loop's body, which cannot return it.
    mistake: RefCell<Option<Error>>,
}

impl<'f, S: State> System<'f, S> {
    /// The system, and the components of its first state.
    ///
    /// # Errors
    /// Where there are none, or their shapes or devices differ.
    pub fn new(slope: Slope<'f, S>, start: &S) -> Result<(System<'f, S>, Parts<S::Scalar>)> {
        let Flat { nodes, lengths } = Flat::of(start);
        let Some(first) = nodes.first() else {
            return Err(Error::shape("the state has no components"));
        };
        for (k, node) in nodes.iter().enumerate() {
            if node.shape != first.shape {
                return Err(Error::shape(format!(
                    "component {k} of the state has the shape {:?}, and component 0 has {:?}",
                    &node.shape[..],
                    &first.shape[..]
                )));
            }
            if node.device.differs(first.device) {
                return Err(Error::device(format!(
                    "component {k} of the state is on {}, and component 0 on {}",
                    node.device, first.device
                )));
            }
        }
        let parts = nodes.into_iter().map(DeviceArray::from_node).collect();
        Ok((System { slope, lengths, mistake: RefCell::new(None) }, parts))
    }

    /// A state of its components.
    pub fn whole(&self, parts: &[DeviceArray<S::Scalar>]) -> S {
        let nodes = parts.iter().map(|part| part.node().clone()).collect();
        S::build(&mut Flat { nodes, lengths: self.lengths.clone() }.into_reader())
    }

    /// The slopes of a state, of its shapes. Where the function gives others, that is remembered for
    /// [`checked`](Self::checked), and the state takes their place.
    pub fn slope(
        &self,
        t: &DeviceArray<S::Scalar>,
        y: &[DeviceArray<S::Scalar>],
    ) -> Parts<S::Scalar> {
        let flat = Flat::of(&(self.slope)(t, &self.whole(y)));
        match self.compared(&flat, y) {
            Ok(()) => flat.nodes.into_iter().map(DeviceArray::from_node).collect(),
            Err(error) => {
                self.note(error);
                y.to_vec()
            }
        }
    }

    fn compared(&self, slopes: &Flat, y: &[DeviceArray<S::Scalar>]) -> Result<()> {
        if slopes.nodes.len() != y.len() || slopes.lengths != self.lengths {
            return Err(Error::shape(format!(
                "the right-hand side takes a state of {} components and gives one of {}",
                y.len(),
                slopes.nodes.len()
            )));
        }
        for (k, (node, y)) in slopes.nodes.iter().zip(y).enumerate() {
            if node.shape[..] != *y.shape() {
                return Err(Error::shape(format!(
                    "the right-hand side gives component {k} the shape {:?}, and that of the state \
                     is {:?}",
                    &node.shape[..],
                    y.shape()
                )));
            }
            if node.device.differs(y.device()) {
                return Err(Error::device(format!(
                    "the right-hand side gives component {k} on {}, and that of the state is on {}",
                    node.device,
                    y.device()
                )));
            }
        }
        Ok(())
    }

    /// Remembers a mistake, if it is the first.
    pub fn note(&self, error: Error) {
        self.mistake.borrow_mut().get_or_insert(error);
    }

    /// A result, or the mistake that came first.
    pub fn checked<R>(&self, result: Result<R>) -> Result<R> {
        match self.mistake.borrow_mut().take() {
            Some(mistake) => Err(mistake),
            None => result,
        }
    }

    /// Whether slopes depend on the time. The function is called on stand-ins, as in a loop.
    ///
    /// # Errors
    /// As [`checked`](Self::checked).
    pub fn reads_time(&self, y: &[DeviceArray<S::Scalar>]) -> Result<bool> {
        let (t, _, slopes) = self.recorded(y);
        let time = [Arc::as_ptr(t.node())];
        self.checked(Ok(slopes.iter().any(|slope| stands_on(slope.node(), &time, |_| true))))
    }

    /// Whether a member's slopes depend on nothing but its own state: only then are its steps no matter
    /// of others. The function is called on stand-ins, as in a loop.
    ///
    /// # Errors
    /// As [`checked`](Self::checked).
    pub fn is_elementwise(&self, y: &[DeviceArray<S::Scalar>]) -> Result<bool> {
        let (t, given, slopes) = self.recorded(y);
        let given: Vec<*const Node> =
            given.iter().chain([&t]).map(|given| Arc::as_ptr(given.node())).collect();
        let looks_aside = |node: &Node| {
            let own = [NodeOp::Cast, NodeOp::StandIn];
            let mapped = matches!(node.op, NodeOp::Map(_) | NodeOp::Call { .. });
            !mapped && !own.contains(&node.op)
        };
        let any = slopes.iter().any(|slope| stands_on(slope.node(), &given, looks_aside));
        self.checked(Ok(!any))
    }

    /// The time and the state as stand-ins, and their slopes.
    fn recorded(&self, y: &[DeviceArray<S::Scalar>]) -> Recorded<S::Scalar> {
        let stand_in = |like: &DeviceArray<S::Scalar>| match like.is_empty() {
            true => like.full_like(S::Scalar::from_f64(0.0)),
            false => {
                let node = like.node();
                let (shape, dtype) = (node.shape.clone(), node.dtype);
                let op = NodeOp::StandIn;
                DeviceArray::from_node(Node::new(op, Args::new(), shape, dtype, node.device))
            }
        };
        let t = stand_in(&y[0]);
        let given: Parts<S::Scalar> = y.iter().map(stand_in).collect();
        let (slopes, _) = eval::in_body(|| self.slope(&t, &given));
        (t, given, slopes)
    }
}

/// A time, a state and its slopes.
type Recorded<T> = (DeviceArray<T>, Parts<T>, Parts<T>);

/// Whether a node depends on one of some others by way of an operation of a kind, or of such a kind is one.
fn stands_on(node: &Arc<Node>, others: &[*const Node], is_of_kind: impl Fn(&Node) -> bool) -> bool {
    // Nodes are met with what is above them: whether an operation of the kind is among that.
    let (mut waiting, mut met) = (vec![(node.clone(), false)], FxHashSet::default());
    while let Some((node, above)) = waiting.pop() {
        if others.contains(&Arc::as_ptr(&node)) {
            if above || is_of_kind(&node) {
                return true;
            }
            continue;
        }
        let above = above || is_of_kind(&node);
        if met.insert((Arc::as_ptr(&node), above)) {
            waiting.extend(node.state().args.iter().filter_map(|arg| match arg {
                Arg::Node(node) => Some((node.clone(), above)),
                Arg::Scalar(_) => None,
            }));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    type State2 = (DeviceArray<f64>, DeviceArray<f64>);

    #[test]
    fn a_member_that_looks_at_others_is_found() {
        let start = || (DeviceArray::<f64>::ones(5), DeviceArray::<f64>::zeros(5));
        let wide = DeviceArray::<f64>::arange_to(10.0);
        let check = |f: &dyn Fn(&DeviceArray<f64>, &State2) -> State2| {
            let (system, y) = System::new(f, &start()).unwrap();
            (system.is_elementwise(&y).unwrap(), system.reads_time(&y).unwrap())
        };
        // What is captured may be a view of anything.
        let own = |_: &DeviceArray<f64>, (x, v): &State2| {
            (v.clone(), x.sin() * wide.roll(1, 0).reshape([2, 5]).index_axis(0, 1))
        };
        assert_eq!(check(&own), (true, false));
        let in_time = |t: &DeviceArray<f64>, (x, v): &State2| (v * t.cast::<f64>(), x.clone());
        assert_eq!(check(&in_time), (true, true));
        let beside = |_: &DeviceArray<f64>, (x, v): &State2| (v.clone(), x.roll(1, 0).sin());
        assert_eq!(check(&beside), (false, false));
        let on_the_whole = |_: &DeviceArray<f64>, (x, v): &State2| (v - x.mean(..), x.clone());
        assert_eq!(check(&on_the_whole), (false, false));
        let late = |t: &DeviceArray<f64>, (x, v): &State2| (v.clone(), x * t.sum(..));
        assert_eq!(check(&late), (false, true));
    }
}
