//! Recording the loops of a gufunc: they are not run but become nodes, whose kernels read what the
//! arguments are computed from in place, spread the turns over the device and reduce as the
//! library's own reductions do.
//!
//! The attribute writes the user's body again, with a call of a method here for every loop, every
//! element that is read or written, and every piece of scalar code between those. Whatever cannot
//! be recorded with the meaning that the loops have, turn after turn, is `Refusal::Unprovable`,
//! and the function then runs as it stands, item by item.

use super::arrays::CoreArray;
use super::numbers::Numbers;
use super::piece;
use super::symbol::{Int, Sym};
use super::turns::{Lengths, Turns};
use super::update::Update;
use super::uses::Core;
use super::value::{Arguments, Component, State, Value};
use crate::array::record;
use crate::backend::Device;
use crate::dtype::{DType, Element, Scalar};
use crate::error::Error;
use crate::graph::{Arg, Args, AxisMap, Node, NodeOp, View};
use crate::shape::Shape;
use crate::table::Op;
use crate::user::code::Describe;
use crate::user::lanes::nothing;
use crate::user::pack::Pack;
use crate::user::types::DeviceType;
use smallvec::{SmallVec, smallvec};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Why loops were not recorded.
#[derive(Debug)]
pub enum Refusal {
    /// Nothing shows that they mean the same when they are recorded.
    Unprovable,
    /// They would fail however they are run.
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Failed(error)
    }
}

pub(super) type Outcome<T> = Result<T, Refusal>;

/// Whether a piece may fail or never end for numbers that no turn gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fails {
    /// It gives a value for all numbers.
    Never,
    /// Where some of its numbers are integers: by a quotient, or by a sum where overflow panics.
    OfIntegers,
    /// Whatever its types: it has a loop, a call, a place in an array.
    Always,
}

/// The elements of a result.
pub struct Recorded(pub(super) Arc<Node>);

/// The results of a function that was recorded.
pub type Results = Vec<Recorded>;

/// The loops that are being recorded.
pub struct Lower {
    pub(super) function: &'static str,
    pub(super) device: Device,
    /// What the arguments are looped over.
    pub(super) items: Shape,
    pub(super) arrays: RefCell<Vec<Core>>,
    /// The loops around the present place: their number and their turns.
    pub(super) loops: RefCell<SmallVec<[(u32, usize); 4]>>,
    count: Cell<u32>,
    /// The conditions of the branches around the present place.
    pub(super) masks: RefCell<Vec<Value<bool>>>,
    /// The numbers that are known at each call to come; none where the recording is for one call.
    pub(super) numbers: RefCell<Numbers>,
}

impl Lower {
    pub(super) fn new(function: &'static str, device: Device, items: Shape) -> Lower {
        Lower {
            function,
            device,
            items,
            arrays: RefCell::default(),
            loops: RefCell::default(),
            count: Cell::new(0),
            masks: RefCell::default(),
            numbers: RefCell::default(),
        }
    }

    /// Adds an argument, or an array that is written.
    pub(super) fn add<T: Element, const N: usize>(
        &self,
        name: &'static str,
        node: Option<Arc<Node>>,
        shape: [usize; N],
    ) -> CoreArray<T, N> {
        let mut arrays = self.arrays.borrow_mut();
        let shape_of = Shape::from_slice(&shape);
        let is_argument = node.is_some();
        let dtype = T::DTYPE;
        arrays.push(Core { name, node, dtype, shape: shape_of, is_argument, log: Vec::new() });
        CoreArray::new(arrays.len() - 1, shape)
    }

    /// An array of the function's own, of zeros.
    pub fn zeros<T: Element, const N: usize>(
        &self,
        name: &'static str,
        shape: impl Lengths<N>,
    ) -> CoreArray<T, N> {
        self.add(name, None, shape.lengths())
    }

    /// An array of the function's own, of one value.
    pub fn filled<T: Element, const N: usize>(
        &self,
        name: &'static str,
        shape: impl Lengths<N>,
        value: T,
    ) -> CoreArray<T, N> {
        let array = self.add(name, None, shape.lengths());
        let full = record::full(Scalar::new(value), Shape::from_slice(array.shape()), self.device);
        self.arrays.borrow_mut()[array.number].node = Some(full);
        array
    }

    /// A scalar result, for all items.
    pub fn scalar_result<T: Element>(&self, value: &Value<T>) -> Recorded {
        Recorded(match &value.state {
            State::Known(value) => {
                record::full(Scalar::new(*value), self.items.clone(), self.device)
            }
            State::Later(k) => self.full(self.stand_in(*k), self.items.clone()),
            State::Nodes(nodes) => broadcast(&nodes[0], &self.items),
        })
    }

    // ---- Loops ----

    /// Begins a loop; `None` where it has no turns.
    pub fn enter<T: Int>(&self, range: impl Turns<T>) -> Outcome<Option<Sym<T>>> {
        let (start, step, turns) = range.turns().ok_or(Refusal::Unprovable)?;
        if turns == 0 {
            return Ok(None);
        }
        let axis = self.count.get();
        self.count.set(axis + 1);
        let mut loops = self.loops.borrow_mut();
        if self.items.len() + loops.len() >= 12 {
            return Err(Refusal::Unprovable);
        }
        loops.push((axis, turns));
        Ok(Some(Sym::of_loop(axis, turns as i64, start, step)))
    }

    /// Ends the innermost loop.
    pub fn leave(&self) {
        let mut loops = self.loops.borrow_mut();
        loops.pop();
        if loops.is_empty() {
            // What is outside of all loops comes after them.
            self.arrays.borrow_mut().iter_mut().for_each(|array| array.log.clear());
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.loops.borrow().len()
    }

    /// Begins a branch that is taken where the condition holds.
    pub fn when(&self, condition: &Value<bool>) -> Outcome<()> {
        let mut masks = self.masks.borrow_mut();
        let all = match masks.last() {
            Some(outer) => self.binary(Op::BitwiseAnd, outer, condition)?,
            None => condition.clone(),
        };
        masks.push(all);
        Ok(())
    }

    /// Begins the branch that is taken where the condition does not hold.
    pub fn otherwise(&self, condition: &Value<bool>) -> Outcome<()> {
        self.masks.borrow_mut().pop();
        let not = match &condition.state {
            State::Known(value) => Value { state: State::Known(!value), depth: condition.depth },
            State::Later(_) => return Err(self.ask()),
            State::Nodes(nodes) => {
                let node = record::unary(Op::BitwiseNot, &nodes[0]);
                Value::nodes(SmallVec::from_elem(node, 1), condition.depth)
            }
        };
        self.when(&not)
    }

    /// Ends a branch.
    pub fn end_when(&self) {
        self.masks.borrow_mut().pop();
    }

    pub(super) fn mask(&self) -> Option<Value<bool>> {
        self.masks.borrow().last().cloned()
    }

    // ---- Values ----

    /// A number that is known now.
    pub fn known<T: Pack>(&self, value: T) -> Value<T> {
        Value { state: State::Known(value), depth: self.depth() }
    }

    /// Length 1 on all axes of a value at this place.
    pub(super) fn ones(&self) -> Shape {
        Shape::from_elem(1, self.items.len() + self.depth())
    }

    /// The axis of a loop around this place.
    pub(super) fn axis(&self, number: u32) -> Outcome<usize> {
        let at = self.loops.borrow().iter().position(|l| l.0 == number);
        Ok(self.items.len() + at.ok_or(Refusal::Unprovable)?)
    }

    /// A piece of scalar code: the value for every turn of the loops around it. With `arithmetic`
    /// it is nothing but basic operations on its arguments: their numbers and the signs of the
    /// operations, in postfix order. Under a branch, what may fail runs for the turns that come by
    /// alone, and gives zeros, which nobody looks at, for the others.
    ///
    /// # Errors
    /// Where the device has no code for it.
    #[allow(clippy::too_many_arguments, reason = "the attribute writes the calls")]
    pub fn piece<A, R, F, P, Q>(
        &self,
        args: A,
        names: &[&str],
        _fast: F,
        plain: P,
        _probe: Q,
        describe: impl FnOnce(&mut Describe),
        arithmetic: &[u8],
        fails: Fails,
    ) -> Outcome<Value<R>>
    where
        A: Arguments,
        R: Pack + DeviceType,
        F: Fn(A::Types, &mut bool) -> R + Copy + 'static,
        P: Fn(A::Types) -> R + Copy + 'static,
        Q: Fn(A::Types) -> R,
    {
        let may_fail = match fails {
            Fails::Never => false,
            Fails::OfIntegers => has_integer::<A::Types, R>(),
            Fails::Always => true,
        };
        let live = match self.mask().filter(|_| may_fail) {
            None => None,
            Some(mask) => match &mask.state {
                State::Known(true) => None,
                State::Known(false) => return Ok(self.known(nothing())),
                State::Later(_) => return Err(self.ask()),
                State::Nodes(_) => Some(self.arg(&mask)?),
            },
        };
        let mut list = Vec::new();
        args.components(&mut list);
        if live.is_none() {
            if let Some(known) = args.known() {
                return Ok(self.known(plain(known)));
            }
            if let Some(first) = self.numbers.borrow_mut().add::<A::Types, R, P>(&list) {
                return Ok(Value { state: State::Later(first), depth: self.depth() });
            }
        }
        if !piece::is_flat::<R>() {
            return Err(Refusal::Unprovable);
        }
        let args = list.into_iter().map(|component| match component {
            Component::Known(scalar) => Arg::Scalar(scalar),
            Component::Later(k) => self.stand_in(k),
            Component::Node(node) => Arg::Node(self.deepened(&node.0, node.1)),
        });
        if live.is_some() {
            let args: Args = live.into_iter().chain(args).collect();
            let function = piece::function::<A, R, F, P>(self.function, names, describe, true);
            let nodes = record::call(&function, args)?;
            return Ok(Value::nodes(nodes, self.depth()));
        }
        let args: Args = args.collect();
        if !arithmetic.is_empty() && is_of_one_float::<A::Types, R>() {
            let node = self.arithmetic(arithmetic, &args)?;
            return Ok(Value::nodes(SmallVec::from_elem(node, 1), self.depth()));
        }
        let function = piece::function::<A, R, F, P>(self.function, names, describe, false);
        let nodes = record::call(&function, args)?;
        Ok(Value::nodes(nodes, self.depth()))
    }

    /// Basic operations as nodes, about which the planner knows more than about a function.
    fn arithmetic(&self, postfix: &[u8], args: &[Arg]) -> Outcome<Arc<Node>> {
        let mut stack: SmallVec<[Arg; 8]> = SmallVec::new();
        for &code in postfix {
            let op = match code {
                b'+' => Op::Add,
                b'-' => Op::Subtract,
                b'*' => Op::Multiply,
                b'/' => Op::Divide,
                number => {
                    stack.push(args[number as usize].clone());
                    continue;
                }
            };
            let second = stack.pop().expect("the macro wrote it");
            let first = stack.pop().expect("the macro wrote it");
            let node = self.operation(op, first, second)?;
            stack.push(Arg::Node(node));
        }
        match stack.pop() {
            Some(Arg::Node(node)) => Ok(node),
            _ => unreachable!("the last operation gives a node"),
        }
    }

    /// A node of a place with `depth` loops around it, as one of this place.
    fn deepened(&self, node: &Arc<Node>, depth: usize) -> Arc<Node> {
        let more = self.depth() - depth;
        if more == 0 {
            return node.clone();
        }
        let axes = node.shape.len();
        let mut shape = node.shape.clone();
        shape.resize(axes + more, 1);
        record::view(node, View::identity(axes), shape)
    }

    /// A value as an argument at this place.
    pub(super) fn arg<T: Pack>(&self, value: &Value<T>) -> Outcome<Arg> {
        match &value.state {
            State::Known(_) => Ok(Arg::Scalar(value.scalar().expect("a single number"))),
            State::Later(_) => Err(self.ask()),
            State::Nodes(nodes) => Ok(Arg::Node(self.deepened(&nodes[0], value.depth))),
        }
    }

    /// Refuses where more than the type of a number has to be known.
    pub(super) fn ask(&self) -> Refusal {
        self.numbers.borrow_mut().asked = true;
        Refusal::Unprovable
    }

    /// What stands for a number that is known later, in nodes that take a number.
    fn stand_in(&self, k: usize) -> Arg {
        Arg::Node(self.numbers.borrow_mut().stand_in(k, self.device))
    }

    /// Whether an argument is a number, known now or later.
    fn is_number(&self, arg: &Arg) -> bool {
        match arg {
            Arg::Scalar(_) => true,
            Arg::Node(node) => self.numbers.borrow().is_stand_in(node),
        }
    }

    /// A number everywhere.
    fn full(&self, number: Arg, shape: Shape) -> Arc<Node> {
        let dtype = number.dtype();
        record::record(NodeOp::Full, smallvec![number], shape, dtype, self.device)
    }

    /// An operation on two single values.
    fn binary<T: Pack>(&self, op: Op, a: &Value<T>, b: &Value<T>) -> Outcome<Value<T>> {
        let node = self.operation(op, self.arg(a)?, self.arg(b)?)?;
        Ok(Value::nodes(SmallVec::from_elem(node, 1), self.depth()))
    }

    fn operation(&self, op: Op, mut a: Arg, b: Arg) -> Outcome<Arc<Node>> {
        if self.is_number(&a) && self.is_number(&b) {
            a = Arg::Node(self.full(a, self.ones()));
        }
        Ok(record::binary(op, a, b)?)
    }

    /// A value as that of a variable of this place: what is added in loops from here on is added for
    /// each turn of the loops around it, though the value may be that of a place further out.
    pub fn here<T: Pack>(&self, value: Value<T>) -> Value<T> {
        let state = match value.state {
            State::Nodes(nodes) => {
                State::Nodes(nodes.iter().map(|node| self.deepened(node, value.depth)).collect())
            }
            number => number,
        };
        Value { state, depth: self.depth() }
    }

    /// The new value of a variable at a place that only some turns come by.
    pub fn choose<T: Pack>(&self, new: Value<T>, old: &Value<T>) -> Outcome<Value<T>> {
        let Some(mask) = self.mask() else { return Ok(self.here(new)) };
        if T::COUNT != 1 {
            return Err(Refusal::Unprovable);
        }
        let node = self.select(&mask, self.arg(&new)?, self.arg(old)?)?;
        Ok(Value::nodes(SmallVec::from_elem(node, 1), self.depth()))
    }

    pub(super) fn select(&self, mask: &Value<bool>, yes: Arg, no: Arg) -> Outcome<Arc<Node>> {
        let mut mask = self.arg(mask)?;
        if let (Arg::Scalar(known), Arg::Scalar(_), Arg::Scalar(_)) = (&mask, &yes, &no) {
            mask = Arg::Node(record::full(*known, self.ones(), self.device));
        }
        Ok(record::select(mask, yes, no)?)
    }

    /// `variable += term` and its kin, where the variable stands outside of some of the loops.
    pub fn update<T: Pack>(
        &self,
        variable: &mut Value<T>,
        how: Update,
        term: &Value<T>,
    ) -> Outcome<()> {
        if T::COUNT != 1 {
            return Err(Refusal::Unprovable);
        }
        let depth = variable.depth;
        let outer = self.items.len() + depth;
        let reduced: u32 = (outer..self.items.len() + self.depth()).map(|k| 1 << k).sum();
        let whole = self.terms(how, self.arg(term)?, reduced)?;
        let sum = record::reduce(how.reduction(), &whole, reduced);
        let before = match &variable.state {
            State::Known(_) => Arg::Scalar(variable.scalar().expect("a single number")),
            State::Later(_) => return Err(self.ask()),
            State::Nodes(nodes) => Arg::Node(nodes[0].clone()),
        };
        let node = combined(how, before, sum)?;
        *variable = Value::nodes(SmallVec::from_elem(node, 1), depth);
        Ok(())
    }

    /// The terms of a reduction: the identity where a branch is not taken, and every turn of the
    /// loops that are reduced.
    pub(super) fn terms(&self, how: Update, term: Arg, reduced: u32) -> Outcome<Arc<Node>> {
        let identity = how.reduction().identity_value(term.dtype());
        let term = match self.mask() {
            Some(mask) => Arg::Node(self.select(&mask, term, Arg::Scalar(identity))?),
            None => term,
        };
        let node = match term {
            Arg::Node(node) => node,
            Arg::Scalar(scalar) => record::full(scalar, self.ones(), self.device),
        };
        let mut shape = node.shape.clone();
        for (k, &(_, turns)) in self.loops.borrow().iter().enumerate() {
            let axis = self.items.len() + k;
            if reduced >> axis & 1 == 1 {
                shape[axis] = turns;
            }
        }
        Ok(broadcast(&node, &shape))
    }
}

/// What was there before, combined with the terms.
pub(super) fn combined(how: Update, before: Arg, terms: Arc<Node>) -> Outcome<Arc<Node>> {
    let is_identity = |scalar: &Scalar| {
        how != Update::Subtract && *scalar == how.reduction().identity_value(scalar.dtype())
    };
    match before {
        Arg::Scalar(scalar) if is_identity(&scalar) => Ok(terms),
        before => Ok(record::binary(how.op(), before, &terms)?),
    }
}

/// An array as a view of the given shape, to which it broadcasts.
pub(super) fn broadcast(node: &Arc<Node>, shape: &Shape) -> Arc<Node> {
    let extra = shape.len() - node.shape.len();
    let map = |(k, &from): (usize, &usize)| match from == shape[k + extra] {
        true => AxisMap::same(k + extra),
        false => AxisMap::fixed(0),
    };
    record::view(node, View(node.shape.iter().enumerate().map(map).collect()), shape.clone())
}

/// Whether an argument or the result is an integer, or has one.
fn has_integer<T: Pack, R: Pack>() -> bool {
    let mut dtypes = Vec::new();
    T::dtypes(&mut dtypes);
    R::dtypes(&mut dtypes);
    dtypes.iter().any(|dtype| dtype.is_integer())
}

/// Whether arguments and result are numbers of one type, for which an operation on arrays and the
/// operator in the user's code are the same.
fn is_of_one_float<A: Pack, R: Pack>() -> bool {
    let mut types = Vec::new();
    A::dtypes(&mut types);
    R::dtypes(&mut types);
    matches!(types[0], DType::F32 | DType::F64) && types.iter().all(|&dtype| dtype == types[0])
}
