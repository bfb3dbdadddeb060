//! Strict arithmetic: sums and products of floats are taken in one order.
//!
//! Floats do not associate, so a sum's last bits tell in which order it was taken: how many threads
//! shared it, whether a row was contiguous, what else its kernel computed. This pass writes every
//! such reduction as a tree whose form depends on its length alone. The nodes of the tree are
//! reductions of at most [`LONGEST`] elements, which every backend computes as a loop of one
//! thread, from the first element to the last ([`Graph::in_one_order`] tells the grouping).
//! Scans become such reductions as well, and so do products of matrices.
//!
//! - A sum or product over `n` elements takes every `s`-th element at a time, `s = ⌈n / 128⌉`, and
//!   then the `s` results: neighbouring threads read neighbouring elements.
//! - A reduction by a user's function takes neighbours, since the function need not commute.
//! - A scan divides its axis into chunks of [`CHUNK`] from the front, so that the first values do
//!   not depend on how many follow.
//!
//! In such a graph these reductions are Serial loops, never Reduce axes, so neither the schedule
//! nor the nest can change the bits. What the pass makes beside the graph's own nodes has numbers
//! above theirs ([`OneOrder::renumbered`]), which nothing outside of a plan knows.

use super::nodes::{Graph, GraphArg, GraphNode, is_inexact};
use super::{Place, Plan, Step};
use crate::dtype::{DType, Scalar};
use crate::function::{Fold, ScanBy};
use crate::graph::{AxisMap, NodeOp, View};
use crate::library::Library;
use crate::library::linalg::{Matmul, Matrix};
use crate::shape::{Shape, len};
use crate::table::{Op, Reduction};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The most elements that one loop reduces; no more than what becomes a Serial loop.
const LONGEST: usize = 128;
/// The positions of a scan that are computed from the same prefix.
const CHUNK: usize = 16;
/// With at least so many results the levels of a tree are loops inside each other; with fewer, each
/// level is stored, so that more threads share the work.
const MANY_RESULTS: usize = 1 << 16;

/// A graph whose sums are taken in one order.
pub(super) struct OneOrder {
    /// The graph.
    pub graph: Graph,
    /// The nodes that are stored in any case.
    pub forced: Vec<bool>,
    /// The number of each node in the graph that it was made of; nodes that are new have numbers
    /// above all of those.
    numbers: Vec<u32>,
}

/// The same graph with its sums in one order.
pub(super) fn in_one_order(graph: &Graph) -> OneOrder {
    let new = Graph { nodes: Vec::new(), in_one_order: true, ..graph.clone() };
    let mut writer = Writer {
        old: graph,
        new,
        forced: Vec::new(),
        numbers: Vec::new(),
        map: Vec::with_capacity(graph.nodes.len()),
        folded: FxHashMap::default(),
    };
    for k in 0..graph.nodes.len() {
        let at = writer.write(k);
        writer.numbers[at as usize] = Some(k as u32);
        writer.map.push(at);
    }
    let Writer { mut new, forced, numbers, map, .. } = writer;
    for n in new.roots.iter_mut().chain(&mut new.in_place) {
        *n = map[*n as usize];
    }
    let mut next = graph.nodes.len() as u32;
    let number = |number: Option<u32>| {
        number.unwrap_or_else(|| {
            next += 1;
            next - 1
        })
    };
    OneOrder { graph: new, forced, numbers: numbers.into_iter().map(number).collect() }
}

impl OneOrder {
    /// The plan in the numbers of the graph that this one was made of.
    pub(super) fn renumbered(&self, mut plan: Plan) -> Plan {
        let number = |n: &mut u32| *n = self.numbers[*n as usize];
        let place = |place: &mut Place| match place {
            Place::Leaf(_) => {}
            Place::Node(n) | Place::Part(n, _) => number(n),
        };
        for step in &mut plan.steps {
            match step {
                Step::Kernel(step) => {
                    step.inputs.iter_mut().for_each(place);
                    step.outputs.iter_mut().for_each(number);
                    step.in_place.iter_mut().for_each(|(n, _)| number(n));
                }
                Step::Library(step) => {
                    step.inputs.iter_mut().for_each(place);
                    number(&mut step.node);
                }
            }
        }
        plan
    }

    /// The graph for reports: each node at its number, in no order.
    pub(super) fn by_number(self) -> Graph {
        let OneOrder { mut graph, numbers, .. } = self;
        let mut nodes: Vec<(u32, GraphNode)> = numbers.iter().copied().zip(graph.nodes).collect();
        for arg in nodes.iter_mut().flat_map(|(_, node)| &mut node.args) {
            if let GraphArg::Node(n) = arg {
                *n = numbers[*n as usize];
            }
        }
        nodes.sort_unstable_by_key(|&(number, _)| number);
        let of = |n: &u32| numbers[*n as usize];
        graph.roots = graph.roots.iter().map(of).collect();
        graph.in_place = graph.in_place.iter().map(of).collect();
        graph.nodes = nodes.into_iter().map(|(_, node)| node).collect();
        graph
    }
}

/// What combines two states.
#[derive(Clone, PartialEq, Eq, Hash)]
enum By {
    /// A sum or a product, of numbers of a type.
    Table(Reduction, DType),
    /// A user's function.
    User(Arc<Fold>),
}

impl By {
    fn types(&self) -> Vec<DType> {
        match self {
            By::Table(_, dtype) => vec![*dtype],
            By::User(fold) => fold.types().to_vec(),
        }
    }

    fn identity(&self) -> Vec<Scalar> {
        match self {
            By::Table(op, dtype) => vec![op.identity_value(*dtype)],
            By::User(fold) => fold.identity.clone(),
        }
    }

    /// The node that reduces the last of `rank` axes, for one component of the state.
    fn reduction(&self, rank: usize, output: u8) -> NodeOp {
        let axes = 1 << (rank - 1);
        match self {
            By::Table(op, _) => NodeOp::Reduce { op: *op, axes },
            By::User(fold) => NodeOp::Fold { fold: fold.clone(), axes, output },
        }
    }

    fn combine(&self, output: u8) -> NodeOp {
        match self {
            By::Table(op, _) => NodeOp::Map(op.combine()),
            By::User(fold) => NodeOp::Call { function: fold.function.clone(), output },
        }
    }
}

/// The components of a state, each a node of one and the same shape.
type State = SmallVec<[u32; 2]>;

struct Writer<'a> {
    old: &'a Graph,
    new: Graph,
    forced: Vec<bool>,
    numbers: Vec<Option<u32>>,
    /// The node of the new graph for each of the old one.
    map: Vec<u32>,
    /// All components of what was reduced or scanned for one of them.
    folded: FxHashMap<(NodeOp, SmallVec<[GraphArg; 3]>), State>,
}

impl Writer<'_> {
    /// Writes a node of the old graph, and gives a node that stands for it alone.
    fn write(&mut self, k: usize) -> u32 {
        let node = &self.old.nodes[k];
        if node.leaf.is_none() && is_inexact(&node.op, node.dtype) {
            let state = match node.op {
                NodeOp::Scan { .. } => self.scan(node),
                _ => self.reduce(node),
            };
            return self.number(state, node);
        }
        if node.leaf.is_none()
            && let NodeOp::Library(call) = &node.op
            && let Library::Matmul(call) = &**call
            && (call.dtype.is_float() || call.dtype.is_complex())
        {
            let state = self.product(node, call);
            return self.number(state, node);
        }
        let arg = |arg: &GraphArg| self.arg(*arg);
        let node = GraphNode { args: node.args.iter().map(arg).collect(), ..node.clone() };
        self.add(node)
    }

    fn arg(&self, arg: GraphArg) -> GraphArg {
        match arg {
            GraphArg::Node(n) => GraphArg::Node(self.map[n as usize]),
            scalar => scalar,
        }
    }

    fn add(&mut self, node: GraphNode) -> u32 {
        self.new.nodes.push(node);
        self.forced.push(false);
        self.numbers.push(None);
        self.new.nodes.len() as u32 - 1
    }

    fn push(&mut self, op: NodeOp, args: &[GraphArg], shape: &[usize], dtype: DType) -> u32 {
        self.add(GraphNode {
            op,
            args: SmallVec::from_slice(args),
            shape: Shape::from_slice(shape),
            dtype,
            leaf: None,
            window: None,
            held: false,
            activation: None,
        })
    }

    fn node(&self, n: u32) -> &GraphNode {
        &self.new.nodes[n as usize]
    }

    fn shape(&self, n: u32) -> Shape {
        self.node(n).shape.clone()
    }

    /// A node for the old node alone, of its type. A sum of negative zeros is zero: whether a loop
    /// begins with zero or with the first element is a backend's choice.
    fn number(&mut self, state: u32, node: &GraphNode) -> u32 {
        let is_sum = match &node.op {
            NodeOp::Reduce { op, .. } | NodeOp::Scan { by: ScanBy::Table(op), .. } => {
                *op == Reduction::Sum
            }
            NodeOp::Library(_) => true,
            _ => false,
        };
        let (mut state, mut dtype) = (state, self.node(state).dtype);
        if is_sum {
            let zero = self.new.literal(Scalar::from_f64(dtype, 0.0));
            let args = [GraphArg::Node(state), zero];
            state = self.push(NodeOp::Map(Op::Add), &args, &node.shape, dtype);
        }
        if dtype != node.dtype || !is_sum {
            dtype = node.dtype;
            let op = if self.node(state).dtype == dtype { NodeOp::Reshape } else { NodeOp::Cast };
            state = self.push(op, &[GraphArg::Node(state)], &node.shape, dtype);
        }
        state
    }

    fn cast(&mut self, n: u32, dtype: DType) -> u32 {
        if self.node(n).dtype == dtype {
            return n;
        }
        let shape = self.shape(n);
        self.push(NodeOp::Cast, &[GraphArg::Node(n)], &shape, dtype)
    }

    fn view(&mut self, n: u32, maps: impl IntoIterator<Item = AxisMap>, shape: &[usize]) -> u32 {
        let view = NodeOp::View(Arc::new(View(maps.into_iter().collect())));
        let dtype = self.node(n).dtype;
        self.push(view, &[GraphArg::Node(n)], shape, dtype)
    }

    fn reshape(&mut self, n: u32, shape: &[usize]) -> u32 {
        if self.node(n).shape[..] == *shape {
            return n;
        }
        let dtype = self.node(n).dtype;
        self.push(NodeOp::Reshape, &[GraphArg::Node(n)], shape, dtype)
    }

    /// The last axis with identities behind it up to a length.
    fn padded(&mut self, n: u32, to: usize, with: Scalar) -> u32 {
        let (mut shape, dtype) = (self.shape(n), self.node(n).dtype);
        let last = shape.len() - 1;
        if shape[last] == to {
            return n;
        }
        shape[last] = to;
        let before = vec![0; shape.len()].into_boxed_slice();
        let args = [GraphArg::Node(n), self.new.literal(with)];
        self.push(NodeOp::Pad { before }, &args, &shape, dtype)
    }

    /// What a node combines elements by.
    fn by(&self, node: &GraphNode) -> By {
        let table = |op: &Reduction| By::Table(*op, op.accumulator(node.dtype));
        match &node.op {
            NodeOp::Reduce { op, .. } | NodeOp::Scan { by: ScanBy::Table(op), .. } => table(op),
            NodeOp::Fold { fold, .. } | NodeOp::Scan { by: ScanBy::User(fold), .. } => {
                By::User(fold.clone())
            }
            _ => unreachable!("the node combines elements"),
        }
    }

    /// The arguments of a node, in the types of the states.
    fn elements(&mut self, node: &GraphNode, by: &By) -> State {
        let args = node.args.iter().map(|&arg| match self.arg(arg) {
            GraphArg::Node(n) => n,
            GraphArg::Scalar(_) => unreachable!("what is combined are arrays"),
        });
        let args: State = args.collect();
        args.into_iter().zip(by.types()).map(|(n, dtype)| self.cast(n, dtype)).collect()
    }

    /// A component of what was reduced or scanned for another one, or else of what `write` gives.
    fn component(
        &mut self,
        node: &GraphNode,
        output: u8,
        as_first: NodeOp,
        write: impl FnOnce(&mut Self) -> State,
    ) -> u32 {
        let key = (as_first, node.args.clone());
        if let Some(state) = self.folded.get(&key) {
            return state[output as usize];
        }
        let state = write(self);
        let one = state[output as usize];
        self.folded.insert(key, state);
        one
    }

    fn reduce(&mut self, node: &GraphNode) -> u32 {
        let axes = node.op.reduced().expect("the node is a reduction");
        let by = self.by(node);
        let (output, as_first) = match &node.op {
            NodeOp::Fold { fold, axes, output } => {
                (*output, NodeOp::Fold { fold: fold.clone(), axes: *axes, output: 0 })
            }
            op => (0, op.clone()),
        };
        self.component(node, output, as_first, |writer| {
            let elements = writer.elements(node, &by);
            let rows = elements.into_iter().map(|n| writer.rows(n, axes)).collect();
            writer.tree(&by, rows)
        })
    }

    /// An array with the axes that are reduced as its last one, in their order.
    fn rows(&mut self, n: u32, axes: u32) -> u32 {
        let shape = self.shape(n);
        let (reduced, kept): (Vec<usize>, Vec<usize>) =
            (0..shape.len()).partition(|k| axes >> k & 1 == 1);
        let order: Vec<usize> = kept.iter().chain(&reduced).copied().collect();
        let moved: Shape = order.iter().map(|&k| shape[k]).collect();
        let in_place = order.iter().enumerate().all(|(to, &from)| to == from);
        let n = if in_place {
            n
        } else {
            let to = |k| order.iter().position(|&from| from == k).expect("each axis is somewhere");
            let maps: Vec<AxisMap> = (0..shape.len()).map(|k| AxisMap::same(to(k))).collect();
            self.view(n, maps, &moved)
        };
        let mut rows: Shape = moved[..kept.len()].into();
        rows.push(len(&moved[kept.len()..]));
        self.reshape(n, &rows)
    }

    /// The reduction of the last axis.
    fn tree(&mut self, by: &By, mut state: State) -> State {
        let shape = self.shape(state[0]);
        let (&n, results) = shape.split_last().expect("the rows are an axis");
        let (rank, mut n) = (shape.len(), n);
        while n > LONGEST {
            let parts = n.div_ceil(LONGEST);
            let each = n.div_ceil(parts);
            let mut divided: Shape = results.into();
            divided.extend([parts, each]);
            let last = match by {
                By::Table(..) => smallvec![(rank as u8 - 1, 1), (rank as u8, parts as i64)],
                By::User(_) => smallvec![(rank as u8 - 1, each as i64), (rank as u8, 1)],
            };
            let last = AxisMap { terms: last, ..AxisMap::fixed(0) };
            for (component, identity) in state.iter_mut().zip(by.identity()) {
                let whole = self.padded(*component, parts * each, identity);
                let maps = (0..rank - 1).map(AxisMap::same).chain([last.clone()]);
                *component = self.view(whole, maps, &divided);
            }
            state = self.reduce_last(by, state);
            if len(results) < MANY_RESULTS {
                state.iter().for_each(|&n| self.forced[n as usize] = true);
            }
            n = parts;
        }
        self.reduce_last(by, state)
    }

    /// The reduction of the last axis, which is short.
    fn reduce_last(&mut self, by: &By, state: State) -> State {
        let mut shape = self.shape(state[0]);
        let rank = shape.len();
        shape.pop();
        let args: SmallVec<[GraphArg; 3]> = state.iter().map(|&n| GraphArg::Node(n)).collect();
        let one = |(k, dtype)| self.push(by.reduction(rank, k as u8), &args, &shape, dtype);
        by.types().into_iter().enumerate().map(one).collect()
    }

    fn scan(&mut self, node: &GraphNode) -> u32 {
        let NodeOp::Scan { by: scan_by, axis, output, exclusive, reverse } = &node.op else {
            unreachable!("the caller has seen a scan")
        };
        let (axis, exclusive, reverse) = (*axis as usize, *exclusive, *reverse);
        let by = self.by(node);
        let as_first =
            NodeOp::Scan { by: scan_by.clone(), axis: axis as u8, output: 0, exclusive, reverse };
        self.component(node, *output, as_first, |writer| {
            // The axis last, from its beginning; and back again.
            let shape = node.shape.clone();
            let (rank, n) = (shape.len(), shape[axis]);
            let turned = |k: usize| match reverse {
                true => AxisMap::affine(k, n as i64 - 1, -1),
                false => AxisMap::same(k),
            };
            let to = |k: usize| match k.cmp(&axis) {
                std::cmp::Ordering::Less => AxisMap::same(k),
                std::cmp::Ordering::Equal => turned(rank - 1),
                std::cmp::Ordering::Greater => AxisMap::same(k - 1),
            };
            let back = |k: usize| match k {
                k if k == rank - 1 => turned(axis),
                k if k < axis => AxisMap::same(k),
                k => AxisMap::same(k + 1),
            };
            let mut rows = shape.clone();
            rows.remove(axis);
            rows.push(n);
            let elements = writer.elements(node, &by);
            let moved =
                elements.into_iter().map(|n| writer.view(n, (0..rank).map(to), &rows)).collect();
            let scanned = writer.prefixes(&by, moved, exclusive);
            scanned.into_iter().map(|n| writer.view(n, (0..rank).map(back), &shape)).collect()
        })
    }

    /// The scan of the last axis.
    fn prefixes(&mut self, by: &By, state: State, exclusive: bool) -> State {
        let shape = self.shape(state[0]);
        let (&n, rows) = shape.split_last().expect("the rows are an axis");
        if n <= CHUNK {
            return self.chunk(by, state, exclusive);
        }
        let chunks = n.div_ceil(CHUNK);
        let mut divided: Shape = rows.into();
        divided.extend([chunks, CHUNK]);
        let divide = |(n, identity)| {
            let whole = self.padded(n, chunks * CHUNK, identity);
            self.reshape(whole, &divided)
        };
        let state: State = state.into_iter().zip(by.identity()).map(divide).collect();
        let totals = self.reduce_last(by, state.clone());
        totals.iter().for_each(|&n| self.forced[n as usize] = true);
        let before = self.prefixes(by, totals, true);
        before.iter().for_each(|&n| self.forced[n as usize] = true);
        let within = self.chunk(by, state, exclusive);
        // What lies before a chunk, at each of its positions.
        let rank = shape.len();
        let mut args: SmallVec<[GraphArg; 3]> = SmallVec::new();
        for n in before {
            let spread = self.view(n, (0..rank).map(AxisMap::same), &divided);
            args.push(GraphArg::Node(spread));
        }
        args.extend(within.into_iter().map(GraphArg::Node));
        let mut whole: Shape = rows.into();
        whole.push(chunks * CHUNK);
        let join = |(k, dtype)| {
            let joined = self.push(by.combine(k as u8), &args, &divided, dtype);
            let flat = self.reshape(joined, &whole);
            self.view(flat, (0..rank).map(AxisMap::same), &shape)
        };
        by.types().into_iter().enumerate().map(join).collect()
    }

    /// The scan of a last axis of at most [`CHUNK`] elements: at each position the reduction of
    /// those up to it.
    fn chunk(&mut self, by: &By, state: State, exclusive: bool) -> State {
        let shape = self.shape(state[0]);
        let rank = shape.len();
        let n = shape[rank - 1];
        let mut pairs = shape.clone();
        pairs.push(n);
        let position = |writer: &mut Self, axis: usize| {
            let op = NodeOp::Iota { axis: axis as u8 };
            GraphArg::Node(writer.push(op, &[], &pairs, DType::I64))
        };
        let (at, of) = (position(self, rank - 1), position(self, rank));
        let op = if exclusive { Op::Less } else { Op::LessEqual };
        let counts = GraphArg::Node(self.push(NodeOp::Map(op), &[of, at], &pairs, DType::Bool));
        let mut masked = State::new();
        for (n, identity) in state.into_iter().zip(by.identity()) {
            let maps = (0..rank).map(|k| AxisMap::same(if k + 1 == rank { rank } else { k }));
            let dtype = self.node(n).dtype;
            let spread = GraphArg::Node(self.view(n, maps, &pairs));
            let nothing = self.new.literal(identity);
            let args = [counts, spread, nothing];
            masked.push(self.push(NodeOp::Map(Op::Select), &args, &pairs, dtype));
        }
        self.reduce_last(by, masked)
    }

    /// A product of matrices as sums of products.
    fn product(&mut self, node: &GraphNode, call: &Matmul) -> u32 {
        let Matmul { dtype, m, n, k, ref batch, ref a, ref b, .. } = *call;
        let by = By::Table(Reduction::Sum, Reduction::Sum.accumulator(dtype));
        let mut shape: Shape = batch.iter().copied().collect();
        shape.extend([m, n, k]);
        let outer = batch.len() as u8;
        let operands = [(0, a, [outer, outer + 2]), (1, b, [outer + 2, outer + 1])];
        let operands = operands.map(|(k, matrix, [row, col])| {
            let GraphArg::Node(n) = self.arg(node.args[k]) else {
                unreachable!("the operands of a product are arrays")
            };
            let n = self.flat(n);
            let read = self.view(n, [place(matrix, row, col)], &shape);
            GraphArg::Node(self.cast(read, by.types()[0]))
        });
        let products = self.push(NodeOp::Map(Op::Multiply), &operands, &shape, by.types()[0]);
        let sum = self.tree(&by, smallvec![products])[0];
        self.reshape(sum, &node.shape)
    }

    /// The elements of an array in one row.
    fn flat(&mut self, n: u32) -> u32 {
        let all = self.node(n).len();
        self.reshape(n, &[all])
    }
}

/// Where the elements of a product's operand lie in its array, for axes of the batch, of rows and
/// of columns.
fn place(matrix: &Matrix, row: u8, col: u8) -> AxisMap {
    let mut map = AxisMap::fixed(matrix.offset as i64);
    let batch = matrix.batch.iter().enumerate().map(|(k, &step)| (k as u8, step as i64));
    let all = batch.chain([(row, matrix.row as i64), (col, matrix.col as i64)]);
    map.terms.extend(all.filter(|&(_, step)| step != 0));
    map
}
