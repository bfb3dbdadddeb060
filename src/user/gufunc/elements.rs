//! The elements of arrays in recorded loops: read as views, written as assignments.

use super::super::lanes::Laned;
use super::arrays::CoreArray;
use super::lower::{Lower, Outcome, Recorded, Refusal, broadcast, combined};
use super::symbol::Affine;
use super::update::Update;
use super::uses::{Access, Kind};
use super::value::Value;
use crate::array::record;
use crate::dtype::{Element, Scalar};
use crate::error::Error;
use crate::graph::{Arg, AxisMap, Node, NodeOp, Region, View, Wrap};
use crate::shape::Shape;
use smallvec::SmallVec;
use std::sync::Arc;

impl Lower {
    /// `array[place]`; `sure` where every turn comes by.
    pub fn read<T: Element + Laned, const N: usize>(
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
    pub fn write<T: Element + Laned, const N: usize>(
        &self,
        array: &CoreArray<T, N>,
        place: [Option<Affine>; N],
        value: &Value<T>,
    ) -> Outcome<()> {
        let place = self.inside(array.number, &place, true)?;
        self.note(array.number, Kind::Write, &place)?;
        let mut value = self.arg(value)?;
        if let Some(mask) = self.mask() {
            let old = Arg::Node(self.element(array.number, &place)?);
            value = Arg::Node(self.select(&mask, value, old)?);
        }
        self.put(array.number, &place, value)
    }

    /// `array[place] += term` and its kin.
    pub fn update_at<T: Element + Laned, const N: usize>(
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
        let whole = self.terms(how, self.arg(term)?, reduced)?;
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

    /// The elements of an array that was written, for all items.
    pub fn result<T: Element, const N: usize>(&self, array: &CoreArray<T, N>) -> Recorded {
        Recorded(self.whole(array.number))
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
        if kind != Kind::Read {
            // Every turn writes an element of its own; an update may meet others along loops that
            // the place does not name. A diagonal is no region of an array.
            let names = |axis| move |p: &&Affine| p.terms().iter().any(|t| t.axis == axis);
            let is_named = |&axis: &u32| match place.iter().filter(names(axis)).count() {
                0 => kind != Kind::Write,
                count => count == 1,
            };
            if !loops.iter().all(is_named) {
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
    pub(super) fn whole(&self, number: usize) -> Arc<Node> {
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
