//! Emission: the scalar expressions of each kernel, node by node and use by use.

use super::arena::Arena;
use super::assigned::assigned_base;
use super::coords;
use super::group::{Direction, Group, Grouping, How, Use};
use super::nodes::{Graph, GraphArg, GraphNode, place};
use super::work::work;
use super::{KernelStep, Place};
use crate::dtype::DType;
use crate::function::ScanBy;
use crate::graph::NodeOp;
use crate::kernel::{Atom, AxisKind, AxisSet, Index, Input, Inst, Kernel, Output, Store, Val};
use crate::table::{Op, Reduction};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// A kernel with what it reads and writes, and the nodes computed in it, arguments first.
pub(super) struct Emitted {
    /// The kernel; its axes are not yet collapsed, its values not yet in order.
    pub step: KernelStep,
    /// The nodes computed in it.
    pub nodes: Vec<u32>,
}

/// Emits every group's kernel.
pub(super) fn emit(graph: &Graph, grouping: Grouping) -> Vec<Emitted> {
    let Grouping { mut groups, uses } = grouping;
    let mut emitters: Vec<Emitter> = groups.iter().map(|g| Emitter::new(graph, g.reduce)).collect();
    for (e, g) in emitters.iter_mut().zip(&mut groups) {
        e.arena = std::mem::take(&mut g.arena);
    }
    // The value of each use, known for all arguments before their users.
    let mut values: Vec<Vec<Option<Val>>> = uses.iter().map(|u| vec![None; u.len()]).collect();
    for n in 0..graph.nodes.len() {
        let mut rows: FxHashMap<usize, Val> = FxHashMap::default();
        // A use that fills a row comes first, so that the others find the row.
        let mut order: Vec<usize> = (0..uses[n].len()).collect();
        order.sort_by_key(|&k| !uses[n][k].fills_row);
        for k in order {
            work(1);
            let u = &uses[n][k];
            if groups[u.group].call.is_some() {
                continue;
            }
            let e = &mut emitters[u.group];
            let args = |arg: usize| {
                let at = u.args.iter().find(|a| a.0 == arg)?.1;
                let GraphArg::Node(a) = graph.nodes[n].args[arg] else { return None };
                values[a as usize][at]
            };
            let value = match u.how {
                How::Load => e.load(n as u32, u),
                How::RowLoad => e.row_load(rows[&u.group], u),
                How::Compute => {
                    e.nodes.push(n as u32);
                    e.compute(&graph.nodes[n], u, args)
                }
            };
            if u.fills_row {
                let dtype = graph.nodes[n].dtype;
                rows.insert(u.group, e.arena.push(Inst::Row(value), dtype));
            }
            values[n][k] = Some(value);
        }
    }
    let mut emitted = Vec::new();
    for (e, group) in emitters.into_iter().zip(&groups) {
        if group.call.is_none() {
            emitted.push(e.finish(group, &uses, &values));
        }
    }
    emitted
}

struct Emitter<'a> {
    graph: &'a Graph,
    arena: Arena,
    reduce: AxisSet,
    inputs: Vec<Place>,
    input_types: Vec<Input>,
    /// Where each array stands among the inputs, and each slot among the scalars.
    input_at: FxHashMap<Place, u32>,
    slot_at: FxHashMap<u32, u32>,
    slots: Vec<u32>,
    nodes: Vec<u32>,
}

impl<'a> Emitter<'a> {
    fn new(graph: &'a Graph, reduce: AxisSet) -> Self {
        Emitter {
            graph,
            arena: Arena::default(),
            reduce,
            inputs: Vec::new(),
            input_types: Vec::new(),
            input_at: FxHashMap::default(),
            slot_at: FxHashMap::default(),
            slots: Vec::new(),
            nodes: Vec::new(),
        }
    }

    fn load(&mut self, n: u32, u: &Use) -> Val {
        let node = &self.graph.nodes[n as usize];
        let place = place(self.graph, n);
        work(1);
        let new = self.inputs.len() as u32;
        let input = *self.input_at.entry(place).or_insert(new);
        if input == new {
            self.inputs.push(place);
            let (dtype, len, moves) = (node.dtype, node.reach(), node.moves());
            self.input_types.push(Input { dtype, len, moves });
        }
        let index = self.arena.linear(&u.coords, &node.shape);
        let (low, high) = self.arena.range(&index);
        // A mask that guards nothing here is left away: the value is not used where it is false.
        let inside = low >= 0 && high < node.reach() as i64;
        let mask = if inside { None } else { u.mask };
        self.arena.push(Inst::Load { input, index, mask }, node.dtype)
    }

    fn row_load(&mut self, row: Val, u: &Use) -> Val {
        let axis = self.reduce.iter().next().expect("a row lies along a Reduce axis");
        let at = u.coords[axis].clone();
        let (low, high) = self.arena.range(&at);
        let inside = low >= 0 && high < self.arena.axes[axis].extent as i64;
        let mask = if inside { None } else { u.mask };
        let dtype = self.arena.values[row.at()].dtype;
        self.arena.push(Inst::RowLoad { row, at, mask }, dtype)
    }

    fn scalar(&mut self, slot: u32) -> Val {
        work(1);
        let new = self.slots.len() as u32;
        let k = *self.slot_at.entry(slot).or_insert(new);
        if k == new {
            self.slots.push(slot);
        }
        self.arena.push(Inst::Scalar(k), self.graph.scalar_type(slot))
    }

    fn compute(
        &mut self,
        node: &GraphNode,
        u: &Use,
        arg_value: impl Fn(usize) -> Option<Val>,
    ) -> Val {
        if u.in_place {
            return match node.args[1] {
                GraphArg::Scalar(slot) => self.scalar(slot),
                GraphArg::Node(_) => arg_value(1).expect("an argument's use has its value"),
            };
        }
        let mut args: SmallVec<[Val; 3]> = SmallVec::new();
        for (k, arg) in node.args.iter().enumerate() {
            args.push(match *arg {
                GraphArg::Scalar(slot) => self.scalar(slot),
                GraphArg::Node(_) => arg_value(k).expect("an argument's use has its value"),
            });
        }
        let arena = &mut self.arena;
        match &node.op {
            NodeOp::Source | NodeOp::StandIn | NodeOp::Library(_) | NodeOp::Part(_) => {
                unreachable!("sources and what libraries compute are loaded")
            }
            NodeOp::Full | NodeOp::View(_) | NodeOp::Reshape => args[0],
            NodeOp::Iota { axis } => {
                arena.push(Inst::Index(u.coords[*axis as usize].clone()), DType::I64)
            }
            NodeOp::Random(law) => {
                let index = arena.linear(&u.coords, &node.shape);
                let seed = args.into_iter().collect();
                arena.push(Inst::Draw { law: *law, index, seed }, node.dtype)
            }
            NodeOp::Map(op) => arena.push(Inst::Op(*op, args), node.dtype),
            NodeOp::Call { function, output } => {
                let inst = Inst::Call { function: function.clone(), args, output: *output };
                arena.push(inst, node.dtype)
            }
            NodeOp::Cast => cast(arena, args[0], node.dtype),
            NodeOp::Pad { .. } => choose(arena, u.guards[0], args[0], args[1], node.dtype),
            NodeOp::Assign(_) => choose(arena, u.guards[0], args[1], args[0], node.dtype),
            NodeOp::Concat { .. } => {
                let mut value = *args.last().expect("a concatenation has pieces");
                for k in (0..args.len() - 1).rev() {
                    value = choose(arena, u.guards[k], args[k], value, node.dtype);
                }
                value
            }
            NodeOp::Take { .. } | NodeOp::TakeAlong { .. } => {
                let placeholder = u.placeholder.expect("a take has an index value");
                self.define_index(placeholder, args[1], node);
                args[0]
            }
            NodeOp::Fold { fold, output, .. } => {
                let over: AxisSet = u.axes.iter().copied().collect();
                if over.is_empty() {
                    // One element only, which the identity leaves as it is.
                    return args[*output as usize];
                }
                let inst = Inst::Fold { fold: fold.clone(), args, axes: over };
                let first = arena.push(inst, fold.types()[0]);
                component(arena, first, *output, node.dtype)
            }
            NodeOp::Reduce { op, axes } => self.reduced(node, u, (*op, *axes), args[0]),
            NodeOp::Scan { by, output, exclusive, .. } => {
                let accumulator = match by {
                    ScanBy::Table(op) => op.accumulator(node.dtype),
                    ScanBy::User(fold) => fold.types()[0],
                };
                if let ScanBy::Table(_) = by {
                    args[0] = cast(arena, args[0], accumulator);
                }
                let axes: AxisSet = u.axes.iter().copied().collect();
                let inst = Inst::Scan { by: by.clone(), args, axes, exclusive: *exclusive };
                let first = arena.push(inst, accumulator);
                component(arena, first, *output, node.dtype)
            }
        }
    }

    /// The value of a reduction of the table over axes of its argument.
    fn reduced(&mut self, node: &GraphNode, u: &Use, (op, axes): (Reduction, u32), of: Val) -> Val {
        let GraphArg::Node(input) = node.args[0] else {
            unreachable!("a reduction's argument is a node")
        };
        let (input, arena) = (&self.graph.nodes[input as usize], &mut self.arena);
        let accumulator = op.accumulator(input.dtype);
        let mut folded: SmallVec<[Val; 2]> = smallvec![cast(arena, of, accumulator)];
        if op.is_arg() {
            let position = position(arena, &input.shape, axes, &u.axes);
            folded.push(arena.push(Inst::Index(position), DType::I64));
        }
        let dtype = if op.is_arg() { DType::I64 } else { accumulator };
        let over: AxisSet = u.axes.iter().copied().collect();
        if over.is_empty() {
            // One element only: the fold is the element, and its position is 0.
            let only = *folded.last().expect("a reduction has an argument");
            return cast(arena, only, node.dtype);
        }
        let reduced = arena.push(Inst::Reduce { op, args: folded, axes: over }, dtype);
        cast(arena, reduced, node.dtype)
    }

    /// Defines the index value of a take by an element of its index array: negative ones count
    /// from the end, and the rest is clamped, so that no read leaves the array.
    fn define_index(&mut self, placeholder: Val, element: Val, node: &GraphNode) {
        let GraphArg::Node(source) = node.args[0] else { return };
        let (axis, from_start) = match node.op {
            NodeOp::Take { axis, from_start } | NodeOp::TakeAlong { axis, from_start } => {
                (axis as usize, from_start)
            }
            _ => return,
        };
        let extent = self.graph.nodes[source as usize].shape[axis] as i64;
        let position = Index::atom(crate::kernel::Atom::Value(element));
        let high = (extent - 1).max(0);
        if from_start {
            self.arena.fill(placeholder, Inst::IndexClamp { index: position, low: 0, high });
            return;
        }
        let arena = &mut self.arena;
        let mut from_end = position.clone();
        from_end.offset += extent;
        let negative = arena
            .push(Inst::InRange { index: position.clone(), low: i64::MIN, high: 0 }, DType::Bool);
        let at_end = arena.push(Inst::Index(from_end), DType::I64);
        let here = arena.push(Inst::Index(position), DType::I64);
        let chosen =
            arena.push(Inst::Op(Op::Select, smallvec![negative, at_end, here]), DType::I64);
        let index = Index::atom(crate::kernel::Atom::Value(chosen));
        arena.fill(placeholder, Inst::IndexClamp { index, low: 0, high });
    }

    fn finish(self, group: &Group, uses: &[Vec<Use>], values: &[Vec<Option<Val>>]) -> Emitted {
        let Emitter { graph, mut arena, inputs, input_types, slots, nodes, .. } = self;
        let (mut stores, mut outputs, mut output_nodes) = (Vec::new(), Vec::new(), Vec::new());
        let mut in_place = Vec::new();
        for &(n, k) in &group.roots {
            let node = &graph.nodes[n as usize];
            let u = &uses[n as usize][k];
            let index = match u.in_place {
                true => arena.linear(&coords::in_base(&node.op, &u.coords), &node.shape),
                false => arena.linear(&u.coords, &node.shape),
            };
            let (mut alias, mut len, mut moves) = (None, node.reach(), false);
            if u.in_place
                && let Some(base) = assigned_base(graph, n)
                && let Some(leaf) = graph.nodes[base as usize].leaf
            {
                in_place.push((n, leaf));
                (len, moves) =
                    (graph.nodes[base as usize].reach(), graph.nodes[base as usize].moves());
                alias = inputs.iter().position(|&p| p == Place::Leaf(leaf)).map(|k| k as u32);
            }
            let value = values[n as usize][k].expect("a root has its value");
            stores.push(Store { output: outputs.len() as u32, index, value });
            outputs.push(Output { dtype: node.dtype, len, moves, alias });
            output_nodes.push(n);
        }
        for (k, axis) in arena.axes.iter_mut().enumerate() {
            if axis.kind != AxisKind::Serial {
                let reduce = group.reduce.has(k);
                axis.kind = if reduce { AxisKind::Reduce } else { AxisKind::Parallel };
            }
        }
        if group.scan == Some(Direction::Backward) {
            let axis = group.reduce.iter().next().expect("a scan has its axis");
            turn_around(&mut arena, &mut stores, axis);
        }
        let kernel = Kernel {
            axes: arena.axes,
            values: arena.values,
            stores,
            inputs: input_types,
            outputs,
            scalars: slots.iter().map(|&slot| graph.scalar_type(slot)).collect(),
        };
        let scalars = slots.iter().map(|&slot| graph.scalar_source(slot)).collect();
        let step = KernelStep { kernel, inputs, outputs: output_nodes, in_place, scalars };
        Emitted { step, nodes }
    }
}

/// Turns an axis around: what stood at its first position stands at its last one.
fn turn_around(arena: &mut Arena, stores: &mut [Store], axis: usize) {
    let last = arena.axes[axis].extent as i64 - 1;
    let turn = |index: &mut Index| {
        let stride = index.stride(axis);
        index.offset += stride * last;
        index.add_term(Atom::Axis(axis as u8), -2 * stride);
    };
    arena.values.iter_mut().filter_map(|v| v.inst.index_mut()).for_each(turn);
    stores.iter_mut().for_each(|store| turn(&mut store.index));
}

/// A component of a state, of the type that its node has.
fn component(arena: &mut Arena, first: Val, output: u8, dtype: DType) -> Val {
    match output {
        0 => cast(arena, first, dtype),
        output => arena.push(Inst::Component { of: first, output }, dtype),
    }
}

fn cast(arena: &mut Arena, value: Val, dtype: DType) -> Val {
    if arena.values[value.at()].dtype == dtype {
        return value;
    }
    arena.push(Inst::Cast(value), dtype)
}

fn choose(arena: &mut Arena, guard: Option<Val>, then: Val, other: Val, dtype: DType) -> Val {
    match guard {
        None => then,
        Some(_) if then == other => then,
        Some(guard) => arena.push(Inst::Op(Op::Select, smallvec![guard, then, other]), dtype),
    }
}

/// The position within the reduced axes, in C order, as `argmin` counts it.
fn position(arena: &Arena, shape: &[usize], axes: u32, over: &[usize]) -> Index {
    let extents: SmallVec<[usize; 4]> = (0..shape.len())
        .filter(|k| axes & (1 << k) != 0 && shape[*k] > 1)
        .map(|k| shape[k])
        .collect();
    let coords: SmallVec<[Index; 4]> = over.iter().map(|&axis| Index::axis(axis)).collect();
    arena.linear(&coords, &extents)
}
