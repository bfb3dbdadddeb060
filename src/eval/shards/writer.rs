//! Writes down what an evaluation over several devices does, while it does it.

use super::local::Local;
use super::script::{ELSEWHERE, From, Moved, Script, Slot, Unit};
use super::{Divided, Graph, Made, Move, Parts, Piece, brought_all, nothing};
use crate::backend::{Arithmetic, Buffer, Device, with_arithmetic};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::eval::{Recording, between_evaluations, held, holder, record, while_recording};
use crate::graph::Node;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A script while it is written: what is done is done at once.
struct Writer<'a> {
    made: &'a Made,
    places: FxHashMap<*const Node, usize>,
    units: Vec<Unit>,
    data: Vec<Arc<Buffer>>,
    slots: FxHashMap<*const Node, Slot>,
}

/// Does what the stages say and writes it down; gives the script and the data of the results.
pub(super) fn written(graph: &Graph, divided: &Divided) -> Result<(Script, Vec<Vec<Arc<Buffer>>>)> {
    let Divided { stages, made, results, split } = divided;
    let mut writer = Writer {
        made,
        places: graph.nodes.iter().zip(0..).map(|((node, _), k)| (Arc::as_ptr(node), k)).collect(),
        units: Vec::new(),
        data: graph.leaves(),
        slots: FxHashMap::default(),
    };
    for (slot, leaf) in made.leaves.iter().enumerate() {
        writer.slots.insert(Arc::as_ptr(leaf), slot);
    }
    let current = Arithmetic::current();
    let strict = if current == Arithmetic::Fast { current } else { Arithmetic::Strict };
    for stage in stages {
        writer.run(&stage.calls, current)?;
        let nodes = |list: &[(usize, Arc<Node>)]| list.iter().map(|s| s.1.clone()).collect();
        let (stored, strictly): (Vec<_>, Vec<_>) = (nodes(&stage.stored), nodes(&stage.strict));
        writer.run(&stored, current)?;
        writer.run(&strictly, strict)?;
        writer.moved(&stage.moves)?;
    }
    let blocks: Vec<Arc<Node>> = results.iter().flatten().map(|local| local.node.clone()).collect();
    let before = writer.units.len();
    writer.run(&blocks, current)?;
    let mut slots = Vec::new();
    for shares in results {
        let shares = shares.iter().map(|local| writer.slot(&local.node));
        slots.push(shares.collect::<Result<Vec<Slot>>>()?);
    }
    if let [shares] = &mut slots[..] {
        writer.split(split, before, (shares, graph.leaves().len()), current)?;
    }
    let block = |&slot: &Slot| writer.at(slot);
    let data = slots.iter().map(|shares| shares.iter().map(block).collect::<Result<_>>());
    let data = data.collect::<Result<_>>()?;
    let (units, count) = (writer.units, writer.data.len());
    let done = last_uses(&units, count, graph.leaves().len(), &slots);
    Ok((Script { units, done, slots: count, results: slots }, data))
}

/// For each unit the slots that it is the last to use, but for the leaves' and the results'.
fn last_uses(units: &[Unit], slots: usize, leaves: usize, results: &[Vec<Slot>]) -> Vec<Vec<Slot>> {
    let mut last: Vec<Option<usize>> = vec![None; slots];
    for (k, unit) in units.iter().enumerate() {
        let mut uses = |slot: Slot| {
            if slot != ELSEWHERE {
                last[slot] = Some(k);
            }
        };
        match unit {
            Unit::Run { leaves, made, .. } => {
                leaves.iter().copied().for_each(&mut uses);
                made.iter().for_each(|made| uses(made.1));
            }
            Unit::Moves(list) => list.iter().for_each(|moved| {
                uses(moved.from);
                uses(moved.made);
            }),
            Unit::Empty { made, .. } | Unit::Whole { made, .. } => uses(*made),
            Unit::Part { leaves, .. } => leaves.iter().copied().for_each(&mut uses),
            Unit::Begin(_) => {}
        }
    }
    for &slot in results.iter().flatten().filter(|&&slot| slot != ELSEWHERE) {
        last[slot] = None;
    }
    let mut done = vec![Vec::new(); units.len()];
    for (slot, last) in last.into_iter().enumerate().skip(leaves) {
        if let Some(unit) = last {
            done[unit].push(slot);
        }
    }
    done
}

impl Writer<'_> {
    /// Where the data of a node lies.
    fn slot(&self, node: &Arc<Node>) -> Result<Slot> {
        if node.device.is_elsewhere() {
            return Ok(ELSEWHERE);
        }
        let known = self.slots.get(&Arc::as_ptr(node));
        let known = known.or_else(|| self.slots.get(&Arc::as_ptr(&holder(node))));
        known.copied().ok_or_else(|| Error::device("a piece was not computed"))
    }

    /// The data of a slot.
    fn at(&self, slot: Slot) -> Result<Arc<Buffer>> {
        match slot {
            ELSEWHERE => nothing(Device::cpu()),
            _ => Ok(self.data[slot].clone()),
        }
    }

    /// Gives a node its data, which goes into a new slot.
    fn push(&mut self, node: &Arc<Node>, data: Arc<Buffer>) -> Result<Slot> {
        let slot = self.data.len();
        self.slots.insert(Arc::as_ptr(node), slot);
        self.data.push(data.clone());
        between_evaluations(|_| node.set_data(data)).ok_or_else(super::inside)?;
        Ok(slot)
    }

    /// Moves pieces to the nodes that wait for them.
    fn moved(&mut self, moves: &[Move]) -> Result<()> {
        let (mut list, mut pieces) = (Vec::new(), Vec::new());
        for step in moves {
            let (from, to) = (self.slot(&step.from)?, step.to.device);
            let bytes = step.to.len() * step.to.dtype.size();
            let (source, range) = (step.from.device, [step.start, bytes]);
            let stays = step.stays.is_some();
            pieces.push(Piece { from: self.at(from)?, source, range, to, stays });
            list.push(Moved { from, source, range, to, stays, made: 0 });
        }
        for ((step, moved), piece) in moves.iter().zip(&mut list).zip(brought_all(&pieces, None)?) {
            moved.made = self.push(&step.to, piece)?;
        }
        if !list.is_empty() {
            self.units.push(Unit::Moves(list));
        }
        Ok(())
    }

    /// Computes nodes, those of each device by one plan.
    fn run(&mut self, nodes: &[Arc<Node>], arithmetic: Arithmetic) -> Result<()> {
        let mut waiting: Vec<Arc<Node>> = Vec::new();
        for node in nodes.iter().filter(|n| !n.is_evaluated() && !n.device.is_elsewhere()) {
            if node.len() == 0 {
                let nothing = Arc::new(node.device.backend().allocate(0)?);
                let made = self.push(node, nothing)?;
                self.units.push(Unit::Empty { device: node.device, made });
            } else if !waiting.iter().any(|known| Arc::ptr_eq(known, node)) {
                waiting.push(node.clone());
            }
        }
        while let Some(device) = waiting.first().map(|node| node.device) {
            let (here, rest) = waiting.into_iter().partition(|node| node.device == device);
            waiting = rest;
            with_arithmetic(arithmetic, || self.run_on(device, &here, arithmetic))?;
        }
        Ok(())
    }

    fn run_on(
        &mut self,
        device: Device,
        nodes: &[Arc<Node>],
        arithmetic: Arithmetic,
    ) -> Result<()> {
        let Some(mut recording) = while_recording(|| record(nodes))? else {
            return Ok(());
        };
        let slots = recording.leaves.iter().map(|leaf| self.slot(leaf));
        let leaves: Vec<Slot> = slots.collect::<Result<_>>()?;
        let scalars = self.origins(&recording);
        let data: Vec<Arc<Buffer>> = leaves.iter().map(|&slot| self.data[slot].clone()).collect();
        let values: Vec<Scalar> = recording.scalars.iter().map(|scalar| scalar.1).collect();
        let results = recording.run(device, &data, &values)?;
        // What the recording was made from is not needed any more, only its plan.
        (recording.leaves, recording.scalars) = (Vec::new(), Vec::new());
        let mut made = Vec::new();
        for (k, (node, result)) in nodes.iter().zip(results).enumerate() {
            match result {
                Some(data) => made.push((k, self.push(node, data)?)),
                // It is what an earlier unit made, under another shape.
                None => {
                    let slot = self.slot(node)?;
                    self.slots.insert(Arc::as_ptr(node), slot);
                    if let Some(data) = held(node) {
                        between_evaluations(|_| node.set_data(data)).ok_or_else(super::inside)?;
                    }
                }
            }
        }
        let recording = Box::new(recording);
        self.units.push(Unit::Run { device, arithmetic, recording, leaves, scalars, made });
        Ok(())
    }

    /// Has blocks made in pieces, where all are that this process makes: inner rows while what the
    /// borders need is on its way, the borders then. `before` is the unit that makes the blocks whole.
    fn split(
        &mut self,
        split: &[Option<Parts>],
        before: usize,
        (blocks, leaves): (&mut [Slot], usize),
        arithmetic: Arithmetic,
    ) -> Result<()> {
        let own = || blocks.iter().enumerate().filter(|(_, slot)| **slot != ELSEWHERE);
        let is_split = |(share, _): (usize, &Slot)| split.get(share).is_some_and(Option::is_some);
        let moves = self.units.iter().position(|unit| matches!(unit, Unit::Moves(_)));
        let (Some(at), true) = (moves, own().all(is_split)) else { return Ok(()) };
        // One move there is, of what was there before.
        let Unit::Moves(list) = &self.units[at] else { return Ok(()) };
        let is_early = |moved: &Moved| moved.from == ELSEWHERE || moved.from < leaves;
        let is_only = !self.units[at + 1..].iter().any(|unit| matches!(unit, Unit::Moves(_)));
        if !is_only || !list.iter().all(is_early) {
            return Ok(());
        }
        let (begin, mut inner, mut borders) = (Unit::Begin(list.clone()), Vec::new(), Vec::new());
        let mut wholes = Vec::new();
        for (share, slot) in own() {
            let pieces = split[share].as_ref().expect("the block is split");
            let whole = self.data.len() + wholes.len();
            let device = pieces[0].0.node.device;
            wholes.push((share, device, self.data[*slot].clone(), whole));
            for (k, (piece, row)) in pieces.iter().enumerate() {
                let Some(part) = self.part(piece, (*row, whole), arithmetic)? else {
                    return Ok(());
                };
                if k == 0 { inner.push(part) } else { borders.push(part) }
            }
        }
        self.units.truncate(before);
        self.units.extend(borders);
        let mut early = vec![begin];
        for (share, device, data, whole) in wholes {
            early.push(Unit::Whole { device, bytes: data.bytes(), made: whole });
            self.data.push(data);
            blocks[share] = whole;
        }
        early.extend(inner);
        self.units.splice(at..at, early);
        Ok(())
    }

    /// A unit that makes a piece; none where its plan cannot store it anywhere.
    fn part(
        &self,
        piece: &Local,
        (row, whole): (usize, Slot),
        arithmetic: Arithmetic,
    ) -> Result<Option<Unit>> {
        let node = &piece.node;
        let record = || while_recording(|| record(std::slice::from_ref(node)));
        let Some(mut recording) = with_arithmetic(arithmetic, record)? else { return Ok(None) };
        let Some(output) = recording.only_output() else { return Ok(None) };
        let slots = recording.leaves.iter().map(|leaf| self.slot(leaf));
        let leaves: Vec<Slot> = slots.collect::<Result<_>>()?;
        let scalars = self.origins(&recording);
        (recording.leaves, recording.scalars) = (Vec::new(), Vec::new());
        let bytes = node.len() / node.shape[0] * node.dtype.size();
        let (device, recording) = (node.device, Box::new(recording));
        let into = (output, whole, row * bytes);
        Ok(Some(Unit::Part { device, arithmetic, recording, leaves, scalars, into }))
    }

    /// Where the scalars of a recording come from.
    fn origins(&self, recording: &Recording) -> Vec<From> {
        let mut from = Vec::new();
        let mut last: (*const Node, usize) = (std::ptr::null(), 0);
        for (node, value) in &recording.scalars {
            // Scalars of one node follow each other in the order of its arguments.
            last = match last {
                (known, count) if known == Arc::as_ptr(node) => (known, count + 1),
                _ => (Arc::as_ptr(node), 0),
            };
            let origin = self.made.origins.get(&last.0).and_then(|origins| origins.get(last.1));
            from.push(match origin {
                Some(&(global, argument)) => From::Argument(self.places[&global], argument),
                None => From::Constant(*value),
            });
        }
        from
    }
}
