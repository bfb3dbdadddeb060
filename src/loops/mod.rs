//! Loops as arrays: [`repeat`], [`while_loop`] and [`scan_over`].
//!
//! A body is run once, on stand-ins for its state, and what it recorded becomes one node of the
//! graph (`eval/loops.rs`). Here arguments and results are checked, and arrays without elements left
//! out: their values never change.

mod over;

use crate::array::{Arrays, DeviceArray, Flat, located, named, or_panic, record};
use crate::backend::Device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::eval::{self, End, Function, Recorded};
use crate::graph::{Arg, Args, AxisMap, Node, NodeOp, View};
use crate::library::Library;
use crate::library::turns::Turns;
use crate::shape::{self, Shape, copy_of};
use smallvec::smallvec;
use std::sync::Arc;

/// A loop of a fixed number of turns: each gives the body the state that the turn before gave.
///
/// The body is called once, for its recording, whatever the number of turns: what it does besides
/// (printing, counting) happens once. It gives the new state, of the same shapes and types. What it
/// captures is computed once, before the first turn. It cannot ask for values of its state (`item`,
/// `copy_to_host`, printing), which are not there yet, nor draw random numbers, which would be the
/// same in every turn: draw them before, with one axis more, and go through them with
/// [`scan_over`].
///
/// JAX's `fori_loop`. A loop is one node however many turns it has: what it compiles does not depend
/// on their number, and nothing is recorded or planned between turns.
///
/// **Laziness.** Records; nothing is computed. Over several devices ([`Mesh`](crate::Mesh)) the turns are
/// computed at once, each by itself.
///
/// # Panics
/// Where the body changes a shape, the number of arrays or their device, asks for values of its
/// state or draws random numbers; [`try_repeat`] returns an error in place of the panic.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// // Newton's iteration for the square roots of 4 and 9.
/// let a = DeviceArray::from_slice(&[4.0, 9.0])?;
/// let x = lazuli::repeat(20, a.clone(), |x| 0.5 * (&x + &a / &x));
/// assert_eq!(x.to_vec()?, [2.0, 3.0]);
///
/// // A state of two arrays: the Fibonacci numbers.
/// let start = (DeviceArray::<u64>::full((), 0), DeviceArray::full((), 1));
/// let (f, _) = lazuli::repeat(10, start, |(a, b)| (b.clone(), a + b));
/// assert_eq!(f.item()?, 55);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "fori_loop")]
#[track_caller]
pub fn repeat<S: Arrays>(turns: usize, state: S, body: impl FnOnce(S) -> S) -> S {
    or_panic(try_repeat(turns, state, body))
}

/// [`repeat`] for bodies that come from data.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Errors
/// [`Error::is_shape`] where the body changes a shape or the number of arrays,
/// [`Error::is_device`] where it brings devices together, [`Error::is_unsupported`] where it draws
/// random numbers.
#[track_caller]
pub fn try_repeat<S: Arrays>(turns: usize, state: S, body: impl FnOnce(S) -> S) -> Result<S> {
    located(named("repeat", repeated(turns, &Flat::of(&state), body)))
}

#[track_caller]
fn repeated<S: Arrays>(turns: usize, state: &Flat, body: impl FnOnce(S) -> S) -> Result<S> {
    let count = i64::try_from(turns).map_err(|_| {
        Error::shape(format!("{turns} turns are more than a loop can have, {}", i64::MAX))
    })?;
    let looped = Loop { name: "repeat", turns: count, device: device_of(&[state])?, start: None };
    let (state, _) = looped.record(state, |given, _| {
        let state = Flat::of(&body(S::build(&mut given.into_reader())));
        Ok(Outcome { state, condition: None, stacked: Vec::new() })
    })?;
    Ok(S::build(&mut state.into_reader()))
}

/// A loop that goes on while a condition holds: each turn gives the body the state that the turn
/// before gave.
///
/// The condition gives a `bool` of shape `[]` for a state, and is asked before each turn, the first
/// among them. It and the body are recorded as that of [`repeat`] is, which says what they cannot
/// do. The condition is computed on the device, together with the state. The evaluation waits for the
/// end of the loop, and on a GPU for the first turns one by one; later ones whose kernels are short are
/// launched before their condition is known, and do nothing once it is false. Where a turn has library
/// calls or loops, and while progress is shown or a profile taken, each turn is waited for.
///
/// JAX's `while_loop`.
///
/// **Laziness.** Records; nothing is computed. Over several devices as [`repeat`]. An evaluation of a
/// loop whose condition never becomes false does not end: count turns in the state where that may be.
///
/// # Panics
/// As [`repeat`], and where the condition is not of shape `[]`; [`try_while_loop`] returns an error
/// in place of the panic.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// // The greatest common divisor of 1071 and 462.
/// let start = (DeviceArray::<i64>::full((), 1071), DeviceArray::full((), 462));
/// let (gcd, _) = lazuli::while_loop(start, |(_, b)| b.not_equal(0), |(a, b)| (b.clone(), a % b));
/// assert_eq!(gcd.item()?, 21);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn while_loop<S: Arrays>(
    state: S,
    condition: impl Fn(&S) -> DeviceArray<bool>,
    body: impl FnOnce(S) -> S,
) -> S {
    or_panic(try_while_loop(state, condition, body))
}

/// [`while_loop`] for bodies that come from data.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Errors
/// As [`try_repeat`], and [`Error::is_shape`] where the condition is not of shape `[]`.
#[track_caller]
pub fn try_while_loop<S: Arrays>(
    state: S,
    condition: impl Fn(&S) -> DeviceArray<bool>,
    body: impl FnOnce(S) -> S,
) -> Result<S> {
    located(named("while_loop", while_true(&state, condition, body)))
}

#[track_caller]
fn while_true<S: Arrays>(
    state: &S,
    condition: impl Fn(&S) -> DeviceArray<bool>,
    body: impl FnOnce(S) -> S,
) -> Result<S> {
    let scalar = |condition: DeviceArray<bool>| match condition.shape() {
        [] => Ok(condition.node().clone()),
        shape => Err(Error::shape(format!(
            "the condition has the shape {shape:?}, and one bool is needed: use all(..) or any(..)"
        ))),
    };
    let start = Some(scalar(condition(state))?);
    let state = Flat::of(state);
    let looped = Loop { name: "while_loop", turns: 0, device: device_of(&[&state])?, start };
    let (state, _) = looped.record(&state, |given, _| {
        let state = body(S::build(&mut given.into_reader()));
        let condition = Some(scalar(condition(&state))?);
        Ok(Outcome { state: Flat::of(&state), condition, stacked: Vec::new() })
    })?;
    Ok(S::build(&mut state.into_reader()))
}

/// A loop through arrays, along their first axis: each turn gives the body the state that the turn
/// before gave and the next item, and what the turns give besides is stacked.
///
/// **Shape.** All of `items` have as many entries along their first axis; an item is one of them,
/// without that axis. The body gives a new state, of the same shapes and types, and what is stacked:
/// any arrays, which get a new first axis of that length. The result is the state in the end and the
/// stacked arrays.
///
/// The body is recorded as that of [`repeat`] is, which says what it cannot do. JAX's `lax.scan`.
///
/// **Laziness.** Records; nothing is computed. Over several devices as [`repeat`].
///
/// # Panics
/// As [`repeat`], where there are no items or one of them has no axis, and where their lengths
/// differ; [`try_scan_over`] returns an error in place of the panic.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// // A moving average with a memory.
/// let xs = DeviceArray::from_slice(&[4.0f64, 0.0, 2.0])?;
/// let (last, all) = lazuli::scan_over(xs, DeviceArray::full((), 0.0f64), |mean, x| {
///     let mean = 0.5 * mean + 0.5 * x;
///     (mean.clone(), mean)
/// });
/// assert_eq!(all.to_vec()?, [2.0, 1.0, 1.5]);
/// assert_eq!(last.item()?, 1.5);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "lax.scan")]
#[track_caller]
pub fn scan_over<X: Arrays, S: Arrays, Y: Arrays>(
    items: X,
    state: S,
    body: impl FnOnce(S, X) -> (S, Y),
) -> (S, Y) {
    or_panic(try_scan_over(items, state, body))
}

/// [`scan_over`] for bodies and lengths that come from data.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Errors
/// As [`try_repeat`], and [`Error::is_shape`] where there are no items, one of them has no axis,
/// their lengths differ, or what is stacked would have too many elements.
#[track_caller]
pub fn try_scan_over<X: Arrays, S: Arrays, Y: Arrays>(
    items: X,
    state: S,
    body: impl FnOnce(S, X) -> (S, Y),
) -> Result<(S, Y)> {
    located(named("scan_over", scanned(&items, &state, body)))
}

#[track_caller]
fn scanned<X: Arrays, S: Arrays, Y: Arrays>(
    items: &X,
    state: &S,
    body: impl FnOnce(S, X) -> (S, Y),
) -> Result<(S, Y)> {
    let (items, state) = (Flat::of(items), Flat::of(state));
    let count = count_of(&items)?;
    let device = device_of(&[&state, &items])?;
    let looped = Loop { name: "scan_over", turns: count as i64, device, start: None };
    let mut lengths = None;
    let (state, stacked) = looped.record(&state, |given, turn| {
        let nodes = items.nodes.iter().map(|node| item(node, turn)).collect();
        let items = Flat { nodes, lengths: items.lengths.clone() };
        let items = X::build(&mut items.into_reader());
        let (state, stacked) = body(S::build(&mut given.into_reader()), items);
        let stacked = Flat::of(&stacked);
        lengths = Some(stacked.lengths);
        Ok(Outcome { state: Flat::of(&state), condition: None, stacked: stacked.nodes })
    })?;
    let stacked = Flat { nodes: stacked, lengths: lengths.unwrap_or_default() };
    Ok((S::build(&mut state.into_reader()), Y::build(&mut stacked.into_reader())))
}

/// The number of entries along the first axis of all arrays.
fn count_of(items: &Flat) -> Result<usize> {
    let mut lengths = items.nodes.iter().map(|node| match node.shape.first() {
        Some(&n) => Ok(n),
        None => Err(Error::shape("an array without axes has no items to go through")),
    });
    let first =
        lengths.next().ok_or_else(|| Error::shape("there are no items to go through"))??;
    for length in lengths {
        let length = length?;
        if length != first {
            return Err(Error::shape(format!(
                "the items have first axes of different lengths, {first} and {length}"
            )));
        }
    }
    Ok(first)
}

/// The item of a turn.
#[track_caller]
fn item(items: &Arc<Node>, turn: &Arc<Node>) -> Arc<Node> {
    let shape = Shape::from_slice(&items.shape[1..]);
    if items.len() == 0 {
        return record::full(Scalar::from_f64(items.dtype, 0.0), shape, items.device);
    }
    let args = smallvec![Arg::from(items), Arg::from(turn)];
    let op = NodeOp::Take { axis: 0, from_start: true };
    record::record(op, args, shape, items.dtype, items.device)
}

/// The device on which some arrays live; where there are none, the current one.
fn device_of(arrays: &[&Flat]) -> Result<Device> {
    let mut devices = arrays.iter().flat_map(|flat| &flat.nodes).map(|node| node.device);
    let Some(first) = devices.next() else { return Device::current() };
    match devices.find(|&device| device.differs(first)) {
        Some(other) => Err(Error::device(format!("the arrays live on {first} and on {other}"))),
        None => Ok(first),
    }
}

/// A loop to be recorded.
struct Loop {
    name: &'static str,
    turns: i64,
    device: Device,
    /// The condition before the first turn, where there is one.
    start: Option<Arc<Node>>,
}

/// What a body gives.
struct Outcome {
    state: Flat,
    condition: Option<Arc<Node>>,
    stacked: Vec<Arc<Node>>,
}

impl Loop {
    /// Records the loop, and gives the state in the end and the stacked arrays.
    #[track_caller]
    fn record(
        self,
        state: &Flat,
        body: impl FnOnce(Flat, &Arc<Node>) -> Result<Outcome>,
    ) -> Result<(Flat, Vec<Arc<Node>>)> {
        let stand_in = |node: &Arc<Node>| match node.len() {
            0 => record::full(Scalar::from_f64(node.dtype, 0.0), copy_of(&node.shape), self.device),
            _ => Loop::stand_in_for(node),
        };
        let turn = record::full(Scalar::new(0i64), Shape::new(), self.device);
        let turn = Node::stand_in(Shape::new(), DType::I64, turn.device);
        let given: Vec<Arc<Node>> = state.nodes.iter().map(stand_in).collect();
        let flat = Flat { nodes: given.clone(), lengths: state.lengths.clone() };
        let (outcome, drew) = eval::in_body(|| body(flat, &turn));
        let outcome = outcome?;
        if drew {
            return Err(Error::unsupported(
                "the body draws random numbers, which would be the same in every turn: draw them \
                 before the loop, with one axis more, and go through them with scan_over",
            ));
        }
        self.check(state, &outcome)?;
        if self.device.is_placed() {
            return self.turns_over(state, (&given, &turn), &outcome);
        }
        let live = |nodes: &[Arc<Node>]| -> Vec<Arc<Node>> {
            nodes.iter().filter(|node| node.len() > 0).cloned().collect()
        };
        let (live_state, stacked) = (live(&state.nodes), live(&outcome.stacked));
        let mut results = live(&outcome.state.nodes);
        results.extend(outcome.condition);
        let recorded = eval::record_body(&Function {
            state: &live(&given),
            turn: &turn,
            results: &results,
            stacked: &stacked,
            end: if self.start.is_some() { End::False } else { End::Count },
        })?;
        let has_turns = self.turns > 0 || self.start.is_some();
        let mut made = match has_turns && live_state.len() + stacked.len() > 0 {
            true => self.node(&live_state, &stacked, recorded)?.into_iter(),
            false => live_state.into_iter(),
        };
        let mut next = |node: &Arc<Node>| match node.len() {
            0 => node.clone(),
            _ => made.next().expect("each array with elements has its result"),
        };
        let nodes = state.nodes.iter().map(&mut next).collect();
        let end = Flat { nodes, lengths: state.lengths.clone() };
        let stack = |node: &Arc<Node>| {
            let shape = self.stack_of(&node.shape);
            match shape::len(&shape) {
                0 => record::full(Scalar::from_f64(node.dtype, 0.0), shape, self.device),
                _ => trimmed(&next(node), node, shape),
            }
        };
        let stacked = outcome.stacked.iter().map(stack).collect();
        Ok((end, stacked))
    }

    /// The shape of what the turns stack.
    fn stack_of(&self, shape: &[usize]) -> Shape {
        std::iter::once(self.turns as usize).chain(shape.iter().copied()).collect()
    }

    /// Checks what a body gave.
    fn check(&self, state: &Flat, outcome: &Outcome) -> Result<()> {
        let (before, after) = (&state.nodes, &outcome.state.nodes);
        if before.len() != after.len() || state.lengths != outcome.state.lengths {
            return Err(Error::shape(format!(
                "the body takes a state of {} arrays and gives one of {}",
                before.len(),
                after.len()
            )));
        }
        for (k, (before, after)) in before.iter().zip(after).enumerate() {
            if before.shape != after.shape {
                return Err(Error::shape(format!(
                    "the body changes the shape of array {k} of the state from {:?} to {:?}",
                    &before.shape[..],
                    &after.shape[..]
                )));
            }
        }
        let made = after.iter().chain(&outcome.condition).chain(&outcome.stacked);
        for node in made.chain(&self.start) {
            if node.device.differs(self.device) {
                return Err(Error::device(format!(
                    "the state is on {}, and the body gives an array on {}",
                    self.device, node.device
                )));
            }
        }
        for node in &outcome.stacked {
            shape::checked_len("what is stacked", &self.stack_of(&node.shape))?;
        }
        if before.len() + outcome.stacked.len() > MOST_ARRAYS {
            return Err(Error::unsupported(format!(
                "a loop has at most {MOST_ARRAYS} arrays in its state and stacked"
            )));
        }
        Ok(())
    }

    /// The node of the loop, taken apart.
    #[track_caller]
    fn node(
        &self,
        state: &[Arc<Node>],
        stacked: &[Arc<Node>],
        recorded: Recorded,
    ) -> Result<Vec<Arc<Node>>> {
        let Recorded { body, key, captured, scalars } = recorded;
        let nodes = state.iter().chain(&captured).chain(&self.start).map(Arg::from);
        let numbers = std::iter::once(Scalar::new(self.turns)).chain(scalars).map(Arg::Scalar);
        let args: Args = nodes.chain(numbers).collect();
        let mut shapes: Vec<Shape> = state.iter().map(|node| copy_of(&node.shape)).collect();
        for node in stacked {
            let part = node.len() + eval::padding(&node.shape, node.dtype);
            let shape: Shape = smallvec![self.turns as usize, part];
            shape::checked_len("what is stacked", &shape)?;
            shapes.push(shape);
        }
        let types = state.iter().chain(stacked).map(|node| node.dtype);
        let outputs = shapes.iter().map(|shape| shape::len(shape)).zip(types).collect();
        let call = Library::Turns(Turns { name: self.name, outputs, key, body: Arc::new(body) });
        Ok(match &shapes[..] {
            [shape] => vec![record::library(call, args, shape.clone(), self.device)],
            shapes => record::library_parts(call, args, shapes, self.device),
        })
    }
}

/// The most arrays that a loop gives.
const MOST_ARRAYS: usize = 250;

/// A stacked array without what fills up each turn's part.
#[track_caller]
fn trimmed(stack: &Arc<Node>, part: &Arc<Node>, shape: Shape) -> Arc<Node> {
    let (turns, len) = (stack.shape[0], part.len());
    let rows = smallvec![AxisMap::same(0), AxisMap::same(1)];
    let rows = record::view(stack, View(rows), smallvec![turns, len]);
    record::reshape(&rows, shape)
}
