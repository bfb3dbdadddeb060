//! Recording the loops of a gufunc: they are not run but become nodes, whose kernels read what the
//! arguments are computed from in place, spread the turns over the device and reduce as the
//! library's own reductions do.
//!
//! The attribute writes the user's body again, with a call of a method here for every loop, every
//! element that is read or written, and every piece of scalar code between those. Whatever cannot
//! be recorded with the meaning that the loops have, turn after turn, is `Refusal::Unprovable`,
//! and the function then runs as it stands, item by item.

use super::arrays::CoreArray;
use super::piece;
use super::symbol::{Affine, Int, Place, Sym, Term};
use super::value::{Arguments, Component, IntoValue, State, Value};
use crate::array::record;
use crate::backend::Device;
use crate::dtype::{DType, Element, Scalar};
use crate::error::Error;
use crate::graph::{Arg, Args, AxisMap, Node, NodeOp, Region, View, Wrap};
use crate::ops::table::{Op, Reduction};
use crate::shape::Shape;
use crate::user::code::Describe;
use crate::user::pack::Pack;
use crate::user::types::DeviceType;
use smallvec::SmallVec;
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

type Outcome<T> = Result<T, Refusal>;

/// How a variable that is declared outside of a loop changes in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `*=`
    Multiply,
    /// `x = x.max(…)`, which drops NaN.
    Max,
    /// `x = x.min(…)`, which drops NaN.
    Min,
    /// `|=`
    Or,
    /// `&=`
    And,
}

impl Update {
    /// How the terms are combined with each other.
    fn reduction(self) -> Reduction {
        match self {
            Update::Add | Update::Subtract => Reduction::Sum,
            Update::Multiply => Reduction::Prod,
            Update::Max => Reduction::Fmax,
            Update::Min => Reduction::Fmin,
            Update::Or => Reduction::Any,
            Update::And => Reduction::All,
        }
    }

    /// How they are combined with what was there before.
    fn op(self) -> Op {
        match self {
            Update::Subtract => Op::Subtract,
            other => other.reduction().combine(),
        }
    }
}

/// An array of the function.
struct Core {
    name: &'static str,
    /// The elements; an array that is written has none before the first write.
    node: Option<Arc<Node>>,
    dtype: DType,
    shape: Shape,
    is_argument: bool,
    /// Its uses since the outermost loop began.
    log: Vec<Access>,
}

/// One use of an array that is written, in those loops around it that have several turns.
struct Access {
    kind: Kind,
    loops: SmallVec<[u32; 4]>,
    place: SmallVec<[Affine; 4]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Update(Update),
}

/// The elements of a result.
pub struct Recorded(pub(super) Arc<Node>);

/// The results of a function that was recorded.
pub type Results = Vec<Recorded>;

/// The loops that are being recorded.
pub struct Lower {
    function: &'static str,
    device: Device,
    /// What the arguments are looped over.
    items: Shape,
    arrays: RefCell<Vec<Core>>,
    /// The loops around the present place: their number and their turns.
    loops: RefCell<SmallVec<[(u32, usize); 4]>>,
    count: Cell<u32>,
    /// The conditions of the branches around the present place.
    masks: RefCell<Vec<Value<bool>>>,
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

    /// The elements of an array that was written, for all items.
    pub fn result<T: Element, const N: usize>(&self, array: &CoreArray<T, N>) -> Recorded {
        Recorded(self.whole(array.number))
    }

    /// A scalar result, for all items.
    pub fn scalar_result<T: Element>(&self, value: &Value<T>) -> Recorded {
        Recorded(match &value.state {
            State::Known(value) => {
                record::full(Scalar::new(*value), self.items.clone(), self.device)
            }
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

    fn depth(&self) -> usize {
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

    fn mask(&self) -> Option<Value<bool>> {
        self.masks.borrow().last().cloned()
    }

    // ---- Values ----

    /// A number that is known now.
    pub fn known<T: Pack>(&self, value: T) -> Value<T> {
        Value { state: State::Known(value), depth: self.depth() }
    }

    /// A value, or a position as one.
    pub fn value<X: IntoValue>(&self, x: &X) -> Outcome<Value<X::Type>> {
        x.value(self)
    }

    /// The value of a position.
    pub(super) fn position<T: Int + Pack>(&self, position: Sym<T>) -> Outcome<Value<T>> {
        let form = position.form().ok_or(Refusal::Unprovable)?;
        let mut dtypes = Vec::new();
        T::dtypes(&mut dtypes);
        let mut node: Option<Arc<Node>> = None;
        for term in form.terms() {
            let mut part = self.turn(term)?;
            if term.step != 1 {
                part = record::binary(Op::Multiply, &part, Scalar::new(term.step))?;
            }
            node = Some(match node {
                Some(sum) => record::binary(Op::Add, &sum, &part)?,
                None => part,
            });
        }
        let node = match node {
            Some(node) if form.offset() != 0 => {
                record::binary(Op::Add, &node, Scalar::new(form.offset()))?
            }
            Some(node) => node,
            None => record::full(Scalar::new(form.offset()), self.ones(), self.device),
        };
        let of = |op, n: i64| record::binary(op, &node, Scalar::new(n));
        let node = match form.wrap() {
            Wrap::None => node,
            Wrap::Div(n) => of(Op::FloorDivide, n)?,
            Wrap::Mod(n) => of(Op::Remainder, n)?,
            Wrap::Clamp(n) => {
                let held = of(Op::Maximum, 0)?;
                record::binary(Op::Minimum, &held, Scalar::new(n - 1))?
            }
            Wrap::Reflect(_) => return Err(Refusal::Unprovable),
        };
        let node = record::cast(&node, dtypes[0]);
        Ok(Value::nodes(SmallVec::from_elem(node, 1), self.depth()))
    }

    /// The number of the turn of a loop, from 0.
    fn turn(&self, term: &Term) -> Outcome<Arc<Node>> {
        let mut shape = self.ones();
        let axis = self.axis(term.axis)?;
        shape[axis] = term.turns as usize;
        Ok(record::iota(axis, shape, self.device))
    }

    /// Length 1 on all axes of a value at this place.
    fn ones(&self) -> Shape {
        Shape::from_elem(1, self.items.len() + self.depth())
    }

    /// The axis of a loop around this place.
    fn axis(&self, number: u32) -> Outcome<usize> {
        let at = self.loops.borrow().iter().position(|l| l.0 == number);
        Ok(self.items.len() + at.ok_or(Refusal::Unprovable)?)
    }

    /// A piece of scalar code: the value for every turn of the loops around it.
    ///
    /// # Errors
    /// Where the device has no code for it.
    pub fn piece<A, R, F, P, Q>(
        &self,
        args: A,
        names: &[&str],
        _fast: F,
        plain: P,
        _probe: Q,
        describe: impl FnOnce(&mut Describe),
    ) -> Outcome<Value<R>>
    where
        A: Arguments,
        R: Pack + DeviceType,
        F: Fn(A::Types, &mut bool) -> R + Copy + 'static,
        P: Fn(A::Types) -> R + Copy + 'static,
        Q: Fn(A::Types) -> R,
    {
        if let Some(known) = args.known() {
            return Ok(self.known(plain(known)));
        }
        if !piece::is_flat::<R>() {
            return Err(Refusal::Unprovable);
        }
        let function = piece::function::<A, R, F, P>(self.function, names, describe);
        let mut list = Vec::new();
        args.components(&mut list);
        let args: Args = list
            .into_iter()
            .map(|component| match component {
                Component::Known(scalar) => Arg::Scalar(scalar),
                Component::Node(node) => Arg::Node(self.deepened(&node.0, node.1)),
            })
            .collect();
        let nodes = record::call(&function, args)?;
        Ok(Value::nodes(nodes, self.depth()))
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
    fn arg<T: Pack>(&self, value: &Value<T>) -> Arg {
        match &value.state {
            State::Known(_) => Arg::Scalar(value.scalar().expect("a single number")),
            State::Nodes(nodes) => Arg::Node(self.deepened(&nodes[0], value.depth)),
        }
    }

    /// An operation on two single values.
    fn binary<T: Pack>(&self, op: Op, a: &Value<T>, b: &Value<T>) -> Outcome<Value<T>> {
        let (mut a, b) = (self.arg(a), self.arg(b));
        if let (Arg::Scalar(scalar), Arg::Scalar(_)) = (&a, &b) {
            a = Arg::Node(record::full(*scalar, self.ones(), self.device));
        }
        let node = record::binary(op, a, b)?;
        Ok(Value::nodes(SmallVec::from_elem(node, 1), self.depth()))
    }

    /// The new value of a variable at a place that only some turns come by.
    pub fn choose<T: Pack>(&self, new: Value<T>, old: &Value<T>) -> Outcome<Value<T>> {
        let Some(mask) = self.mask() else { return Ok(new) };
        if T::COUNT != 1 {
            return Err(Refusal::Unprovable);
        }
        let node = self.select(&mask, self.arg(&new), self.arg(old))?;
        Ok(Value::nodes(SmallVec::from_elem(node, 1), self.depth()))
    }

    fn select(&self, mask: &Value<bool>, yes: Arg, no: Arg) -> Outcome<Arc<Node>> {
        let mut mask = self.arg(mask);
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
        let whole = self.terms(how, self.arg(term), reduced)?;
        let sum = record::reduce(how.reduction(), &whole, reduced);
        let before = match &variable.state {
            State::Known(_) => Arg::Scalar(variable.scalar().expect("a single number")),
            State::Nodes(nodes) => Arg::Node(nodes[0].clone()),
        };
        let node = combined(how, before, sum)?;
        *variable = Value::nodes(SmallVec::from_elem(node, 1), depth);
        Ok(())
    }

    /// The terms of a reduction: the identity where a branch is not taken, and every turn of the
    /// loops that are reduced.
    fn terms(&self, how: Update, term: Arg, reduced: u32) -> Outcome<Arc<Node>> {
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

    // ---- Elements ----

    /// `array[place]`; `sure` where every turn comes by.
    pub fn read<T: Element, const N: usize>(
        &self,
        array: &CoreArray<T, N>,
        place: [Option<Affine>; N],
        sure: bool,
    ) -> Outcome<Value<T>> {
        let place = self.inside(array.number, &place, sure)?;
        self.note(array.number, Kind::Read, &place)?;
        let node = self.element(array.number, &place)?;
        Ok(Value::nodes(SmallVec::from_elem(node, 1), self.depth()))
    }

    /// `array[place] = value`.
    pub fn write<T: Element, const N: usize>(
        &self,
        array: &CoreArray<T, N>,
        place: [Option<Affine>; N],
        value: &Value<T>,
    ) -> Outcome<()> {
        let place = self.inside(array.number, &place, true)?;
        self.note(array.number, Kind::Write, &place)?;
        let mut value = self.arg(value);
        if let Some(mask) = self.mask() {
            let old = Arg::Node(self.element(array.number, &place)?);
            value = Arg::Node(self.select(&mask, value, old)?);
        }
        self.put(array.number, &place, value)
    }

    /// `array[place] += term` and its kin.
    pub fn update_at<T: Element, const N: usize>(
        &self,
        array: &CoreArray<T, N>,
        place: [Option<Affine>; N],
        how: Update,
        term: &Value<T>,
    ) -> Outcome<()> {
        let place = self.inside(array.number, &place, true)?;
        self.note(array.number, Kind::Update(how), &place)?;
        let mut reduced = 0u32;
        for (k, &(number, turns)) in self.loops.borrow().iter().enumerate() {
            let is_in = place.iter().any(|p| p.terms().iter().any(|t| t.axis == number));
            if !is_in && turns > 1 {
                reduced |= 1 << (self.items.len() + k);
            }
        }
        let whole = self.terms(how, self.arg(term), reduced)?;
        let mut sum = record::reduce(how.reduction(), &whole, reduced);
        // The reduced axes stay, with length 1.
        let mut shape = whole.shape.clone();
        (0..shape.len()).filter(|k| reduced >> k & 1 == 1).for_each(|k| shape[k] = 1);
        let kept = (0..shape.len()).filter(|k| reduced >> k & 1 == 0).map(AxisMap::same);
        sum = record::view(&sum, View(kept.collect()), shape);
        let before = Arg::Node(self.element(array.number, &place)?);
        let value = combined(how, before, sum)?;
        self.put(array.number, &place, Arg::Node(value))
    }

    /// The forms of a place, which is inside of the array.
    fn inside(
        &self,
        number: usize,
        place: &[Option<Affine>],
        sure: bool,
    ) -> Outcome<SmallVec<[Affine; 4]>> {
        let arrays = self.arrays.borrow();
        let array = &arrays[number];
        let mut forms = SmallVec::new();
        for (axis, form) in place.iter().enumerate() {
            let form = form.ok_or(Refusal::Unprovable)?;
            let (low, high) = form.range().ok_or(Refusal::Unprovable)?;
            let extent = array.shape[axis] as i64;
            if low < 0 || high >= extent {
                if !sure || !self.masks.borrow().is_empty() {
                    return Err(Refusal::Unprovable);
                }
                let (name, function) = (array.name, self.function);
                let at = if low < 0 { low } else { high };
                return Err(Refusal::Failed(Error::shape(format!(
                    "{function}: index {at} of axis {axis} is out of range of {name}, whose core \
                     has the shape {:?}",
                    array.shape
                ))));
            }
            forms.push(form);
        }
        Ok(forms)
    }

    /// Notes a use of an array, and sees to it that no turn uses what another one writes.
    fn note(&self, number: usize, kind: Kind, place: &[Affine]) -> Outcome<()> {
        let mut arrays = self.arrays.borrow_mut();
        let array = &mut arrays[number];
        if array.is_argument {
            return Ok(());
        }
        // A loop of one turn has no other turn to meet.
        let loops = self.loops.borrow();
        let loops: SmallVec<[u32; 4]> = loops.iter().filter(|l| l.1 > 1).map(|l| l.0).collect();
        if kind == Kind::Write {
            // Every turn writes an element of its own.
            let names = |axis| move |p: &&Affine| p.terms().iter().any(|t| t.axis == axis);
            if !loops.iter().all(|&axis| place.iter().filter(names(axis)).count() == 1) {
                return Err(Refusal::Unprovable);
            }
        }
        let access = Access { kind, loops, place: SmallVec::from_slice(place) };
        if !array.log.iter().all(|earlier| earlier.is_apart(&access)) {
            return Err(Refusal::Unprovable);
        }
        array.log.push(access);
        Ok(())
    }

    /// The elements of an array at a place, with the axes of this place; length 1 along loops that
    /// the place does not depend on.
    fn element(&self, number: usize, place: &[Affine]) -> Outcome<Arc<Node>> {
        let node = self.elements(number);
        let items = self.items.len();
        let own = node.shape.len() - place.len();
        let mut shape = self.ones();
        let mut maps = SmallVec::new();
        for k in 0..own {
            let axis = items - own + k;
            shape[axis] = node.shape[k];
            maps.push(AxisMap::same(axis));
        }
        for form in place {
            let mut map = AxisMap::fixed(form.offset());
            for term in form.terms() {
                let axis = self.axis(term.axis)?;
                shape[axis] = term.turns as usize;
                map.terms.push((axis as u8, term.step));
            }
            maps.push(map.wrapped(form.wrap()));
        }
        Ok(record::view(&node, View(maps), shape))
    }

    /// The elements of an array as far as they are there: an argument's own axes of items, and the
    /// core axes.
    fn elements(&self, number: usize) -> Arc<Node> {
        let arrays = self.arrays.borrow();
        let array = &arrays[number];
        array.node.clone().unwrap_or_else(|| {
            record::full(Scalar::from_f64(array.dtype, 0.0), array.shape.clone(), self.device)
        })
    }

    /// The elements of an array for all items.
    fn whole(&self, number: usize) -> Arc<Node> {
        let node = self.elements(number);
        let mut shape = self.items.clone();
        shape.extend(self.arrays.borrow()[number].shape.iter().copied());
        broadcast(&node, &shape)
    }

    /// Puts values into an array.
    fn put(&self, number: usize, place: &[Affine], value: Arg) -> Outcome<()> {
        let items = self.items.len();
        let lengths = self.arrays.borrow()[number].shape.clone();
        let mut region =
            Region { starts: SmallVec::new(), steps: SmallVec::new(), lens: SmallVec::new() };
        for &len in &self.items {
            region.starts.push(0);
            region.steps.push(1);
            region.lens.push(len);
        }
        // The axis of each loop in the array, and whether it runs backwards.
        let mut of_loop: SmallVec<[(usize, usize, bool); 4]> = SmallVec::new();
        for (k, form) in place.iter().enumerate() {
            let [start, step, len] = match (form.terms(), form.wrap()) {
                ([], Wrap::None) => [form.offset(), 1, 1],
                ([term], Wrap::None) => {
                    of_loop.push((self.axis(term.axis)?, items + k, term.step < 0));
                    let far = form.offset() + term.step * (term.turns - 1);
                    [form.offset().min(far), term.step.abs(), term.turns]
                }
                _ => return Err(Refusal::Unprovable),
            };
            region.starts.push(start as usize);
            region.steps.push(step as usize);
            region.lens.push(len as usize);
        }
        let value = match value {
            Arg::Node(node) => Arg::Node(arranged(&node, items, &of_loop, &region.lens)),
            scalar => scalar,
        };
        let covers = region.lens[items..] == lengths[..] && !self.items.contains(&0);
        let node = match (covers, value) {
            (true, Arg::Node(node)) => node,
            (true, Arg::Scalar(scalar)) => record::full(scalar, lengths, self.device),
            (false, value) => {
                let base = self.whole(number);
                let (shape, dtype) = (base.shape.clone(), base.dtype);
                let args = [Arg::Node(base), value].into_iter().collect();
                let op = NodeOp::Assign(Box::new(region));
                record::record(op, args, shape, dtype, self.device)
            }
        };
        self.arrays.borrow_mut()[number].node = Some(node);
        Ok(())
    }
}

impl Access {
    /// Whether no turn of the loops around both uses what another one writes by the other.
    fn is_apart(&self, other: &Access) -> bool {
        let same = match (self.kind, other.kind) {
            (Kind::Read, Kind::Read) => true,
            (Kind::Update(a), Kind::Update(b)) => a.reduction() == b.reduction(),
            _ => false,
        };
        if same {
            return true;
        }
        let common = self.loops.iter().zip(&other.loops).take_while(|(a, b)| a == b);
        // Where both name the same place by a loop's turn alone, equal places mean equal turns.
        common.map(|(axis, _)| *axis).all(|axis| {
            let alone = |(a, b): (&Affine, &Affine)| {
                a == b && matches!(a.terms(), [t] if t.axis == axis) && a.wrap() == Wrap::None
            };
            self.place.iter().zip(&other.place).any(alone)
        })
    }
}

/// What was there before, combined with the terms.
fn combined(how: Update, before: Arg, terms: Arc<Node>) -> Outcome<Arc<Node>> {
    let is_identity = |scalar: &Scalar| {
        how != Update::Subtract && *scalar == how.reduction().identity_value(scalar.dtype())
    };
    match before {
        Arg::Scalar(scalar) if is_identity(&scalar) => Ok(terms),
        before => Ok(record::binary(how.op(), before, &terms)?),
    }
}

/// An array as a view of the given shape, to which it broadcasts.
fn broadcast(node: &Arc<Node>, shape: &Shape) -> Arc<Node> {
    let extra = shape.len() - node.shape.len();
    let map = |(k, &from): (usize, &usize)| match from == shape[k + extra] {
        true => AxisMap::same(k + extra),
        false => AxisMap::fixed(0),
    };
    record::view(node, View(node.shape.iter().enumerate().map(map).collect()), shape.clone())
}

/// Values with an axis for every loop, as values with the axes of a region.
fn arranged(
    node: &Arc<Node>,
    items: usize,
    of_loop: &[(usize, usize, bool)],
    lens: &[usize],
) -> Arc<Node> {
    let mut shape = Shape::from_slice(&node.shape[..items]);
    shape.extend(lens[items..].iter().copied());
    let map = |k: usize| {
        if k < items {
            return AxisMap::same(k);
        }
        match of_loop.iter().find(|l| l.0 == k) {
            Some(&(_, axis, back)) if node.shape[k] > 1 => match back {
                true => AxisMap::affine(axis, lens[axis] as i64 - 1, -1),
                false => AxisMap::same(axis),
            },
            _ => AxisMap::fixed(0),
        }
    };
    record::view(node, View((0..node.shape.len()).map(map).collect()), shape)
}

/// The lengths of an array that a function makes.
pub trait Lengths<const N: usize> {
    /// The lengths.
    fn lengths(self) -> [usize; N];
}

impl Lengths<1> for usize {
    fn lengths(self) -> [usize; 1] {
        [self]
    }
}

impl<const N: usize> Lengths<N> for [usize; N] {
    fn lengths(self) -> [usize; N] {
        self
    }
}

impl Lengths<2> for (usize, usize) {
    fn lengths(self) -> [usize; 2] {
        [self.0, self.1]
    }
}

impl Lengths<3> for (usize, usize, usize) {
    fn lengths(self) -> [usize; 3] {
        [self.0, self.1, self.2]
    }
}

/// What a recorded loop runs over.
pub trait Turns<T> {
    /// The first position, the step and the number of turns, where they are known and fit.
    fn turns(self) -> Option<(i64, i64, usize)>;
}

impl<T: Int> Turns<T> for std::ops::Range<T> {
    fn turns(self) -> Option<(i64, i64, usize)> {
        let (start, end) = (self.start.to_i64()?, self.end.to_i64()?);
        Some((start, 1, usize::try_from(end.checked_sub(start)?.max(0)).ok()?))
    }
}

impl<T: Int> Turns<T> for std::ops::RangeInclusive<T> {
    fn turns(self) -> Option<(i64, i64, usize)> {
        let (start, end) = (self.start().to_i64()?, self.end().to_i64()?);
        Some((start, 1, usize::try_from(end.checked_sub(start)?.checked_add(1)?.max(0)).ok()?))
    }
}

/// A range from its end to its beginning.
pub struct Reversed<R>(pub R);

impl<T, R: Turns<T>> Turns<T> for Reversed<R> {
    fn turns(self) -> Option<(i64, i64, usize)> {
        let (start, step, turns) = self.0.turns()?;
        let last = (turns as i64).checked_sub(1)?.checked_mul(step)?.checked_add(start)?;
        Some((last, step.checked_neg()?, turns))
    }
}

/// Every so many positions of a range.
pub struct Stepped<R>(pub R, pub usize);

impl<T, R: Turns<T>> Turns<T> for Stepped<R> {
    fn turns(self) -> Option<(i64, i64, usize)> {
        let (start, step, turns) = self.0.turns()?;
        let by = i64::try_from(self.1).ok().filter(|&by| by > 0)?;
        Some((start, step.checked_mul(by)?, turns.div_ceil(self.1)))
    }
}

/// The form of a place's index.
pub fn place(index: impl Place) -> Option<Affine> {
    index.place()
}
