//! What arrays are on each share, and how rows come from one share to another.

use super::Parts;
use super::local::{Form, Input, Local, Made, Move, Stage};
use super::stretches::Halos;
use crate::backend::placement::{CHUNKS, bounds, chunk};
use crate::backend::{Device, trace};
use crate::dtype::{DType, Scalar};
use crate::graph::sharding::axis_cut;
use crate::graph::{Arg, Args, Node, NodeOp, View};
use crate::shape::{Shape, copy_of, len};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;
use std::sync::Arc;

/// Which piece has been moved: the array it is of, the axis, its rows, and the share that gets it. What is
/// read where it is has no axis.
type Piece = (*const Node, usize, [usize; 2], usize);

/// The graphs of all shares while they are made.
pub(super) struct Shards {
    pub devices: &'static [Device],
    pub stages: Vec<Stage>,
    /// How many nodes and users take each array.
    pub uses: FxHashMap<*const Node, u32>,
    /// What was made of the graph.
    pub made: Made,
    /// What the shares ask for of each array.
    pub halos: Halos,
    forms: FxHashMap<*const Node, Form>,
    moved: FxHashMap<Piece, Local>,
    /// The keys of what was moved, in their order.
    order: Vec<Piece>,
    /// What is stored in strict arithmetic.
    strict: FxHashSet<*const Node>,
    /// Arrays with one reader, which has its rows computed where and as far as it needs them.
    waiting: FxHashMap<*const Node, (Arc<Node>, Args, u32)>,
    /// The rows that are asked for of such arrays, the innermost last.
    pub asked: Vec<(*const Node, [usize; 2])>,
}

/// Blocks from so many bytes on are computed in pieces while what their borders need is moved. On an
/// H200 a kernel over fewer is done before that has come.
const LARGE: usize = 16 << 20;
/// Pieces begin at multiples of this, as kernels expect of arrays.
const ALIGNED: usize = 256;

/// The most arrays with one reader of which one reads the other.
const WAITING: u32 = 32;

impl Shards {
    pub(super) fn new(
        devices: &'static [Device],
        uses: FxHashMap<*const Node, u32>,
        halos: Halos,
    ) -> Shards {
        let (forms, moved, strict, waiting) = Default::default();
        let (stages, asked, made, order) = Default::default();
        Shards { devices, stages, uses, made, halos, forms, moved, order, strict, waiting, asked }
    }

    /// The number of shares.
    pub(super) fn count(&self) -> usize {
        self.devices.len()
    }

    pub(super) fn set_form(&mut self, node: &Arc<Node>, form: Form) {
        self.forms.insert(Arc::as_ptr(node), form);
    }

    /// Leaves an array to its one reader, if chains of such arrays are not too long.
    pub(super) fn leave(&mut self, node: &Arc<Node>, args: &Args) -> bool {
        let depth = |arg: &Arg| match arg {
            Arg::Node(arg) => self.waiting.get(&Arc::as_ptr(arg)).map_or(0, |waiting| waiting.2),
            Arg::Scalar(_) => 0,
        };
        let depth = 1 + args.iter().map(depth).max().unwrap_or(0);
        if depth <= WAITING {
            self.waiting.insert(Arc::as_ptr(node), (node.clone(), args.clone(), depth));
        }
        depth <= WAITING
    }

    /// What an array is on the shares. Arguments come before what they are arguments of.
    pub(super) fn form(&mut self, node: &Arc<Node>) -> &Form {
        if let Some((node, args, _)) = self.waiting.remove(&Arc::as_ptr(node)) {
            let _at = trace::from(node.line);
            let form = self.computed(&node, &args);
            self.set_form(&node, form);
        }
        &self.forms[&Arc::as_ptr(node)]
    }

    /// Some rows of an array that was left to its reader, on a share; none where it was not, or where
    /// they are so many that several shares would compute the same.
    fn asked_of(&mut self, node: &Arc<Node>, rows: [usize; 2], share: usize) -> Option<Local> {
        let (axis, count) = (axis_cut(node)?, self.count());
        if rows[1] > node.shape[axis] && !self.halos.is_ring(node) {
            return None;
        }
        let most = 2 * chunk(node.shape[axis]) * CHUNKS.div_ceil(count);
        if rows[1] - rows[0] > most || rows[0] == rows[1] {
            return None;
        }
        let (node, args, _) = self.waiting.get(&Arc::as_ptr(node))?.clone();
        Some(self.rows_of_block((&node, &args), rows, share))
    }

    /// Some rows of a share's block of a node, counted in the whole array.
    pub(super) fn rows_of_block(
        &mut self,
        (node, args): (&Arc<Node>, &[Arg]),
        rows: [usize; 2],
        share: usize,
    ) -> Local {
        let _at = trace::from(node.line);
        self.asked.push((Arc::as_ptr(node), rows));
        let made = self.block_of(node, args, share);
        self.asked.pop();
        made
    }

    /// A share's block in pieces, if its inner rows need nothing of other shares: those first, then the
    /// rows in front and behind, each with its first row within the block.
    pub(super) fn split(&mut self, node: &Arc<Node>, args: &[Arg], share: usize) -> Option<Parts> {
        let axis = axis_cut(node)?;
        let rows = self.block(node.shape[axis], share);
        let row = len(&node.shape[axis + 1..]) * node.dtype.size();
        let is_large = (rows[1] - rows[0]) * row >= LARGE && len(&node.shape[..axis]) == 1;
        if !is_large || self.forms.get(&Arc::as_ptr(node))?.shares[share].stage != 1 {
            return None;
        }
        for border in [1, 2, 4, 8] {
            let starts = [border, (rows[1] - rows[0]).saturating_sub(border)];
            let are_aligned = starts.iter().all(|start| (start * row).is_multiple_of(ALIGNED));
            if 16 * border > rows[1] - rows[0] || !are_aligned {
                continue;
            }
            let before = (self.stages.iter().map(Stage::lengths).collect(), self.order.len());
            let waiting = self.waiting.len();
            let inside = [rows[0] + border, rows[1] - border];
            let inner = self.rows_of_block((node, args), inside, share);
            if inner.stage == 0 && !inner.node.is_evaluated() {
                let ends = [[rows[0], inside[0]], [inside[1], rows[1]]];
                let mut pieces = vec![(inner, border)];
                for end in ends {
                    let piece = self.rows_of_block((node, args), end, share);
                    if piece.stage > 1 || piece.node.is_evaluated() {
                        return None;
                    }
                    pieces.push((piece, end[0] - rows[0]));
                }
                return Some(pieces);
            }
            // Arrays that got their form need what was moved for it.
            if self.waiting.len() == waiting {
                self.go_back(before);
            }
        }
        None
    }

    /// Forgets what was stored and moved since then.
    fn go_back(&mut self, (lengths, moved): (Vec<[usize; 4]>, usize)) {
        for (k, stage) in self.stages.iter_mut().enumerate() {
            stage.cut(lengths.get(k).copied().unwrap_or_default());
        }
        for key in self.order.drain(moved..) {
            self.moved.remove(&key);
        }
    }

    /// Forgets the arrays, so that they go when what needs them is done.
    pub(super) fn into_stages(self) -> (Vec<Stage>, Made) {
        (self.stages, self.made)
    }

    /// Notes which argument each scalar of a local node is.
    pub(super) fn note(&mut self, local: &Local, node: &Node, args: &[Arg]) {
        let scalars = args.iter().enumerate().filter(|(_, arg)| matches!(arg, Arg::Scalar(_)));
        let origins: Vec<_> = scalars.map(|(k, _)| (std::ptr::from_ref(node), k)).collect();
        if !origins.is_empty() {
            self.made.origins.insert(Arc::as_ptr(&local.node), origins);
        }
    }

    /// The rows of a share's block of an axis of length `n`.
    pub(super) fn block(&self, n: usize, share: usize) -> [usize; 2] {
        let at = bounds(n, self.count());
        [at(share), at(share + 1)]
    }

    /// The form of an array that has its data on every device.
    pub(super) fn stored(&mut self, node: &Arc<Node>) -> Form {
        let placement = node.device.placement().expect("the array lies over several devices");
        let state = node.state();
        let mut shares = Vec::new();
        for (k, data) in state.data.iter().chain(&state.more).enumerate() {
            let shape = placement.block(&node.shape, k);
            let node = Node::shared(data.clone(), shape, node.dtype, self.devices[k]);
            self.made.leaves.push(node.clone());
            shares.push(Local { node, stage: 0 });
        }
        Form { cut: placement.axis(), shares, whole: None }
    }

    /// A node of a share; without elements it is a constant, which no library has to know.
    pub(super) fn local(
        &self,
        op: NodeOp,
        inputs: &[Input],
        shape: Shape,
        dtype: DType,
        share: usize,
    ) -> Local {
        if len(&shape) == 0 {
            return self.constant(Scalar::from_f64(dtype, 0.0), shape, share);
        }
        let stage = |input: &Input| match input {
            Input::Local(local) => local.stage,
            Input::Scalar(_) => 0,
        };
        let arg = |input: &Input| match input {
            Input::Local(local) => Arg::Node(local.node.clone()),
            Input::Scalar(value) => Arg::Scalar(*value),
        };
        let args: Args = inputs.iter().map(arg).collect();
        let node = Node::new(op, args, shape, dtype, self.devices[share]);
        Local { node, stage: inputs.iter().map(stage).max().unwrap_or(0) }
    }

    /// One number everywhere.
    pub(super) fn constant(&self, value: Scalar, shape: Shape, share: usize) -> Local {
        let args: Args = smallvec![Arg::Scalar(value)];
        let device = self.devices[share];
        Local { node: Node::new(NodeOp::Full, args, shape, value.dtype(), device), stage: 0 }
    }

    /// The same elements under another shape.
    pub(super) fn reshaped(&self, a: &Local, shape: Shape, share: usize) -> Local {
        if shape == a.node.shape {
            return a.clone();
        }
        self.local(NodeOp::Reshape, &[Input::Local(a)], shape, a.node.dtype, share)
    }

    /// The same elements as another type.
    pub(super) fn cast(&self, a: &Local, dtype: DType, share: usize) -> Local {
        if a.node.dtype == dtype {
            return a.clone();
        }
        let shape = copy_of(&a.node.shape);
        self.local(NodeOp::Cast, &[Input::Local(a)], shape, dtype, share)
    }

    /// Some rows of a share's array.
    pub(super) fn slice(&self, a: &Local, axis: usize, rows: [usize; 2], share: usize) -> Local {
        if rows == [0, a.node.shape[axis]] {
            return a.clone();
        }
        let mut view = View::identity(a.node.shape.len());
        view.0[axis].offset = rows[0] as i64;
        let mut shape = copy_of(&a.node.shape);
        shape[axis] = rows[1] - rows[0];
        let op = NodeOp::View(Arc::new(view));
        self.local(op, &[Input::Local(a)], shape, a.node.dtype, share)
    }

    /// Arrays of one share one after another along an axis; at least one.
    pub(super) fn joined(&self, mut pieces: Vec<Local>, axis: usize, share: usize) -> Local {
        if pieces.iter().any(|piece| piece.node.len() > 0) {
            pieces.retain(|piece| piece.node.len() > 0);
        }
        if pieces.len() == 1 {
            return pieces.remove(0);
        }
        let mut shape = copy_of(&pieces[0].node.shape);
        shape[axis] = pieces.iter().map(|piece| piece.node.shape[axis]).sum();
        let dtype = pieces[0].node.dtype;
        let inputs: Vec<Input> = pieces.iter().map(Input::Local).collect();
        self.local(NodeOp::Concat { axis: axis as u8 }, &inputs, shape, dtype, share)
    }

    /// All of an array on a share.
    pub(super) fn whole(&mut self, a: &Arc<Node>, share: usize) -> Local {
        match self.form(a).cut {
            None => self.form(a).shares[share].clone(),
            Some(axis) => self.rows(a, axis, [0, a.shape[axis]], share),
        }
    }

    /// Some rows of an array on a share: of its own block, of other shares' as far as they are
    /// there. The rows behind the last one are the first ones again.
    pub(super) fn rows(
        &mut self,
        a: &Arc<Node>,
        axis: usize,
        rows: [usize; 2],
        share: usize,
    ) -> Local {
        if axis_cut(a) == Some(axis)
            && let Some(made) = self.asked_of(a, rows, share)
        {
            return made;
        }
        if let Some(made) = self.made_wide(a, axis, rows, share) {
            return made;
        }
        if let Some(more) = rows[1].checked_sub(a.shape[axis]).filter(|&more| more > 0) {
            let ends = [[rows[0], a.shape[axis]], [0, more]];
            let ends = ends.map(|rows| self.rows(a, axis, rows, share));
            return self.joined(ends.into(), axis, share);
        }
        let form = self.form(a);
        match form.cut {
            None => {
                let whole = form.shares[share].clone();
                return self.slice(&whole, axis, rows, share);
            }
            Some(cut) if cut != axis => {
                let whole = self.whole(a, share);
                return self.slice(&whole, axis, rows, share);
            }
            Some(_) => {}
        }
        let (own, whole) = (form.shares[share].clone(), form.whole.clone());
        if self.block(a.shape[axis], share) == rows {
            return own;
        }
        if let Some(whole) = whole {
            return self.rows(&whole, axis, rows, share);
        }
        let mut pieces = Vec::new();
        for owner in 0..self.count() {
            let [start, end] = self.block(a.shape[axis], owner);
            let own = [rows[0].clamp(start, end) - start, rows[1].clamp(start, end) - start];
            if own[0] < own[1] {
                let block = self.form(a).shares[owner].clone();
                pieces.push(match owner == share {
                    true => self.slice(&block, axis, own, share),
                    // What several readers ask for is moved once.
                    false => {
                        let all = self.stretch(a, own.map(|row| row + start), a.shape[axis], share);
                        let all = all.map(|row| row.clamp(start, end) - start);
                        let moved = self.moved(&block, axis, all, owner, share);
                        self.slice(&moved, axis, own.map(|row| row - all[0]), share)
                    }
                });
            }
        }
        if pieces.is_empty() {
            let mut shape = copy_of(&a.shape);
            shape[axis] = rows[1] - rows[0];
            return self.constant(Scalar::from_f64(a.dtype, 0.0), shape, share);
        }
        self.joined(pieces, axis, share)
    }

    /// Some rows of an array of one share on another one. The array is stored: its rows are not
    /// computed a second time for the neighbour.
    pub(super) fn moved(
        &mut self,
        a: &Local,
        axis: usize,
        rows: [usize; 2],
        owner: usize,
        share: usize,
    ) -> Local {
        let key = (Arc::as_ptr(&a.node), axis, rows, share);
        if let Some(known) = self.moved.get(&key) {
            return known.clone();
        }
        self.store(a, owner);
        let shape = &a.node.shape;
        let inner = len(&shape[axis + 1..]) * a.node.dtype.size();
        let (from, start, stage) = match len(&shape[..axis]) {
            1 => (a.node.clone(), rows[0] * inner, self.stored_in(a)),
            _ => {
                let piece = self.slice(a, axis, rows, owner);
                self.store(&piece, owner);
                (piece.node, 0, a.stage)
            }
        };
        let mut shape = copy_of(shape);
        shape[axis] = rows[1] - rows[0];
        let to = self.waited_for(shape, a.node.dtype, share);
        self.move_then(key, stage, Move { from, start, to, stays: None })
    }

    /// All of a share's block for the kernels of another one, which read so many bytes of it where it
    /// is; none where they cannot.
    pub(super) fn lent(
        &mut self,
        a: &Local,
        bytes: usize,
        [owner, share]: [usize; 2],
    ) -> Option<Local> {
        let (from, to) = (self.devices[owner], self.devices[share]);
        let is_here = !from.is_elsewhere() && !to.is_elsewhere();
        if !is_here || from != to && !(to.is_cuda() && to.backend().reaches(from)) {
            return None;
        }
        let key = (Arc::as_ptr(&a.node), usize::MAX, [0, 0], share);
        if let Some(known) = self.moved.get(&key) {
            return Some(known.clone());
        }
        self.store(a, owner);
        let to = self.waited_for(copy_of(&a.node.shape), a.node.dtype, share);
        let step = Move { from: a.node.clone(), start: 0, to, stays: Some(bytes) };
        Some(self.move_then(key, self.stored_in(a), step))
    }

    /// The stage at whose end a stored array may be moved: what is stored strictly, is so in the one
    /// before.
    fn stored_in(&self, a: &Local) -> usize {
        a.stage - usize::from(self.strict.contains(&Arc::as_ptr(&a.node)))
    }

    /// A node of a share whose data comes from another one.
    fn waited_for(&self, shape: Shape, dtype: DType, share: usize) -> Arc<Node> {
        Node::new(NodeOp::Source, Args::new(), shape, dtype, self.devices[share])
    }

    fn move_then(&mut self, key: Piece, stage: usize, step: Move) -> Local {
        let moved = Local { node: step.to.clone(), stage: stage + 1 };
        self.stage(stage).moves.push(step);
        self.moved.insert(key, moved.clone());
        self.order.push(key);
        moved
    }

    /// Has an array stored as soon as it can be computed.
    pub(super) fn store(&mut self, a: &Local, share: usize) {
        if !a.node.is_evaluated() && !self.strict.contains(&Arc::as_ptr(&a.node)) {
            self.stage(a.stage).stored.push((share, a.node.clone()));
        }
    }

    /// Has an array stored in strict arithmetic: its bits do not depend on the number of shares. What
    /// it is made of at that moment is computed for it alone; what takes it comes in a later stage.
    pub(super) fn strictly(&mut self, a: Local, share: usize) -> Local {
        if a.node.is_evaluated() || !self.strict.insert(Arc::as_ptr(&a.node)) {
            return a;
        }
        self.stage(a.stage).strict.push((share, a.node.clone()));
        Local { stage: a.stage + 1, ..a }
    }

    /// A library call of a share by itself, its arguments stored before.
    pub(super) fn call(&mut self, mut call: Local, inputs: &[&Local], share: usize) -> Local {
        if matches!(call.node.op, NodeOp::Library(_)) {
            inputs.iter().for_each(|input| self.store(input, share));
            call.stage += 1;
            self.stage(call.stage).calls.push(call.node.clone());
        }
        call
    }

    fn stage(&mut self, stage: usize) -> &mut Stage {
        while self.stages.len() <= stage {
            self.stages.push(Stage::default());
        }
        &mut self.stages[stage]
    }
}
