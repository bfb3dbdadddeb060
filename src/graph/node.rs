//! One node of the graph.

use super::View;
use crate::backend::trace::{self, Line};
use crate::backend::{Buffer, Device};
use crate::dtype::{DType, Scalar};
use crate::function::{Fold, Function, ScanBy};
use crate::library::Library;
use crate::shape::{Shape, copy_of};
use crate::table::{Law, Op, Reduction};
use parking_lot::Mutex;
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::mem::MaybeUninit;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

/// What a node computes from its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NodeOp {
    /// Data that the user brought; C-ordered, as all data is.
    Source,
    /// What takes the place of an array while the body of a loop is recorded: there is no data, ever.
    StandIn,
    /// One scalar (argument 0) everywhere.
    Full,
    /// The position on an axis, as `i64`.
    Iota { axis: u8 },
    /// Random numbers in C order: the arguments are the scalars of a `math::random::Seed`.
    Random(Law),
    /// An elementwise operation; arguments broadcast to the node's shape.
    Map(Op),
    /// One result of a user's function; arguments broadcast to the node's shape.
    Call { function: Arc<Function>, output: u8 },
    /// A conversion of argument 0 to the node's dtype.
    Cast,
    /// Argument 0, read elsewhere.
    View(Arc<View>),
    /// Argument 0 with its elements in the same C order.
    Reshape,
    /// Argument 0 beginning at `before`, and argument 1 (a scalar) around it.
    Pad { before: Box<[usize]> },
    /// The arguments one after another along an axis.
    Concat { axis: u8 },
    /// Argument 0 with its axis replaced by those of argument 1, whose `i64` elements say which
    /// positions of that axis to take. Negative positions count from the end, unless all are known
    /// to count `from_start`; positions out of range are clamped.
    Take { axis: u8, from_start: bool },
    /// Argument 0 taken along an axis at the positions that argument 1 holds; argument 1 has the
    /// node's shape, and so has argument 0 except along the axis. Positions as in `Take`.
    TakeAlong { axis: u8, from_start: bool },
    /// Argument 0 with argument 1 (which broadcasts to the region) in place of the region.
    Assign(Box<Region>),
    /// Argument 0 reduced over a set of axes, which disappear from the shape.
    Reduce { op: Reduction, axes: u32 },
    /// The arguments, components of one state and of one shape, reduced by a user's function over
    /// a set of axes, which disappear from the shape: one component of the result.
    Fold { fold: Arc<Fold>, axes: u32, output: u8 },
    /// A library's work on the arguments, none of them empty. The node is its one output; of
    /// several outputs it is the bundle, which only [`NodeOp::Part`]s read.
    Library(Arc<Library>),
    /// One output of argument 0, a library call with several.
    Part(u8),
    /// The arguments, components of one state and of one shape, combined along an axis up to each
    /// position: one component of the states; `exclusive` leaves the position itself out,
    /// `reverse` begins at the end.
    Scan { by: ScanBy, axis: u8, output: u8, exclusive: bool, reverse: bool },
}

impl NodeOp {
    /// Whether it computes something in a kernel, so that storing its result may save work: views and
    /// generated values are as cheap to make again.
    pub(crate) fn computes(&self) -> bool {
        use NodeOp::{Assign, Call, Cast, Concat, Fold, Map, Random, Reduce, Scan};
        matches!(
            self,
            Map(_)
                | Call { .. }
                | Random(_)
                | Cast
                | Reduce { .. }
                | Fold { .. }
                | Scan { .. }
                | Concat { .. }
                | Assign(_)
        )
    }

    /// Whether what it gives is made of positions, numbers, and its arguments element by element: where
    /// the arguments are, too, a loop's turn makes it again rather than read it.
    pub(crate) fn may_be_made_again(&self) -> bool {
        use NodeOp::{Cast, Full, Iota, Map, Reshape, View};
        matches!(self, Iota { .. } | Full | View(_) | Reshape | Map(_) | Cast)
    }

    /// The name, for messages and reports.
    pub(crate) fn name(&self) -> String {
        match self {
            NodeOp::Map(op) => op.name().to_owned(),
            NodeOp::Random(law) => law.name().to_owned(),
            NodeOp::Reduce { op, .. } => op.name().to_owned(),
            NodeOp::Call { function, .. } => function.name.clone(),
            NodeOp::Fold { fold, .. } => fold.function.name.clone(),
            NodeOp::Library(call) => call.name().to_owned(),
            NodeOp::Scan { by, .. } => format!("scan {}", by.name()),
            op => {
                let name = format!("{op:?}").to_lowercase();
                name.split([' ', '(']).next().unwrap_or_default().to_owned()
            }
        }
    }

    /// The axes that disappear, where the operation is a reduction.
    pub(crate) fn reduced(&self) -> Option<u32> {
        match self {
            NodeOp::Reduce { axes, .. } | NodeOp::Fold { axes, .. } => Some(*axes),
            _ => None,
        }
    }
}

/// A regular part of an array: it begins at `starts` and goes on by `steps` (positive) for `lens`
/// positions on each axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Region {
    /// The first position on each axis.
    pub starts: SmallVec<[usize; 4]>,
    /// The distance between positions.
    pub steps: SmallVec<[usize; 4]>,
    /// The number of positions.
    pub lens: SmallVec<[usize; 4]>,
}

impl Region {
    /// Which of the region's positions on an axis lie within some rows of it, by number.
    pub(crate) fn places(&self, axis: usize, rows: [usize; 2]) -> [usize; 2] {
        let (start, step) = (self.starts[axis], self.steps[axis].max(1));
        rows.map(|row| row.saturating_sub(start).div_ceil(step).min(self.lens[axis]))
    }
}

/// An argument: another node, or a number that travels with the launch.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    /// A node.
    Node(Arc<Node>),
    /// A scalar, which broadcasts.
    Scalar(Scalar),
}

impl Arg {
    /// What stands in the place of an argument that was taken out.
    const NOTHING: Arg = Arg::Scalar(Scalar::NOTHING);
}

/// The arguments of a node.
pub(crate) type Args = SmallVec<[Arg; 2]>;

/// Arguments on their way to a node. One or two go there word by word, where more are put together
/// first: most nodes have so few, and copying what was just written elsewhere has to wait for it.
pub(crate) trait IntoArgs: AsRef<[Arg]> {
    /// The arguments where they stay.
    fn into_args(self) -> Args;
}

impl IntoArgs for Args {
    #[inline(always)]
    fn into_args(self) -> Args {
        self
    }
}

impl IntoArgs for [Arg; 1] {
    #[inline(always)]
    fn into_args(self) -> Args {
        let [arg] = self;
        Args::from_buf_and_len([arg, Arg::NOTHING], 1)
    }
}

impl IntoArgs for [Arg; 2] {
    #[inline(always)]
    fn into_args(self) -> Args {
        Args::from_buf(self)
    }
}

/// What changes during the life of a node: it waits with its arguments, then it has data.
pub(crate) struct State {
    /// The arguments; empty once the data is there, so that nothing upstream is kept alive.
    pub args: Args,
    /// The data, in C order.
    pub data: Option<Arc<Buffer>>,
    /// The outputs after the first, of a library call that has several; of an array over several
    /// devices, what those after the first have.
    pub more: Vec<Arc<Buffer>>,
}

impl State {
    fn waiting(args: Args) -> State {
        State { args, data: None, more: Vec::new() }
    }
}

/// A node of the expression graph. Its shape, dtype and operation never change.
pub(crate) struct Node {
    /// What the node computes.
    pub op: NodeOp,
    /// The shape.
    pub shape: Shape,
    /// The element type.
    pub dtype: DType,
    /// Where the data is or will be.
    pub device: Device,
    /// A hash of the operation, the shape and the dtype, computed once.
    pub hash: u64,
    /// The line of the program that recorded it, or one of this crate where that is not known.
    pub line: Line,
    /// The longest chain of unevaluated nodes that ends here.
    depth: AtomicU32,
    /// The array handles that users hold.
    handles: AtomicU32,
    /// Whether the data counts as pinned: no user holds it, and recorded nodes keep it alive.
    pinned: AtomicBool,
    /// See [`Node::assignments`].
    assignments: AtomicU8,
    /// See [`Node::is_multiplied_again`].
    multiplied: AtomicBool,
    /// See [`Node::parts`].
    parts: AtomicU8,
    /// What the last evaluation that computed this node without storing it noted here; 0 where
    /// there was none.
    pub computed: AtomicU64,
    /// Scratch of walks: the number of the last one that met this node, and what it noted.
    mark: AtomicU64,
    state: Mutex<State>,
}

impl Node {
    /// Records a node.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn new(
        op: NodeOp,
        args: impl IntoArgs,
        shape: Shape,
        dtype: DType,
        device: Device,
    ) -> Arc<Node> {
        let hash = hash_of(&op, &shape, dtype);
        let depth = depth_over(args.as_ref());
        let device = match device.is_placed() {
            true => super::sharding::device_of(&op, args.as_ref(), &shape, device),
            false => device,
        };
        Self::build(op, hash, State::waiting(args.into_args()), depth, shape, dtype, device)
    }

    /// The same array over several devices in another way: a reshape that changes the device.
    #[track_caller]
    pub(crate) fn placed(a: &Arc<Node>, device: Device) -> Arc<Node> {
        let (shape, dtype) = (copy_of(&a.shape), a.dtype);
        let hash = hash_of(&NodeOp::Reshape, &shape, dtype);
        let args = [Arg::Node(a.clone())].into_args();
        let (state, depth) = (State::waiting(args), a.depth() + 1);
        Self::build(NodeOp::Reshape, hash, state, depth, shape, dtype, device)
    }

    /// A node like this one, with other arguments of the same shapes, types and device.
    #[track_caller]
    pub(crate) fn like(&self, args: Args) -> Arc<Node> {
        let (depth, shape) = (depth_over(&args), copy_of(&self.shape));
        let state = State::waiting(args);
        Self::build(self.op.clone(), self.hash, state, depth, shape, self.dtype, self.device)
    }

    /// What takes an array's place while a function is recorded, and lies as it does.
    #[track_caller]
    pub(crate) fn stand_in(shape: Shape, dtype: DType, device: Device) -> Arc<Node> {
        let hash = hash_of(&NodeOp::StandIn, &shape, dtype);
        Self::build(NodeOp::StandIn, hash, State::waiting(Args::new()), 0, shape, dtype, device)
    }

    /// A node that has its data.
    #[track_caller]
    pub(crate) fn source(buffer: Buffer, shape: Shape, dtype: DType, device: Device) -> Arc<Node> {
        Self::shared(Arc::new(buffer), shape, dtype, device)
    }

    /// A node with data that others hold too.
    #[track_caller]
    pub(crate) fn shared(
        data: Arc<Buffer>,
        shape: Shape,
        dtype: DType,
        device: Device,
    ) -> Arc<Node> {
        let hash = hash_of(&NodeOp::Source, &shape, dtype);
        let state = State { args: Args::new(), data: Some(data), more: Vec::new() };
        Self::build(NodeOp::Source, hash, state, 0, shape, dtype, device)
    }

    /// A node with data on several devices, a buffer on each.
    #[track_caller]
    pub(crate) fn over(
        mut data: Vec<Arc<Buffer>>,
        shape: Shape,
        dtype: DType,
        device: Device,
    ) -> Arc<Node> {
        let hash = hash_of(&NodeOp::Source, &shape, dtype);
        let first = data.remove(0);
        let state = State { args: Args::new(), data: Some(first), more: data };
        Self::build(NodeOp::Source, hash, state, 0, shape, dtype, device)
    }

    #[inline(always)]
    #[track_caller]
    fn build(
        op: NodeOp,
        hash: u64,
        state: State,
        depth: u32,
        shape: Shape,
        dtype: DType,
        device: Device,
    ) -> Arc<Node> {
        let spare = SPARE.try_with(|spare| spare.borrow_mut().pop()).ok().flatten();
        // The memory first, so that the node is made where it stays.
        let memory = spare.unwrap_or_else(Arc::new_uninit);
        let node: *mut Node = Arc::as_ptr(&memory).cast_mut().cast();
        // SAFETY: nobody else holds the memory, there is nothing in it to drop, and every field is
        // written: one by one, as a whole node would be put together elsewhere and copied.
        unsafe {
            (&raw mut (*node).hash).write(hash);
            (&raw mut (*node).line).write(trace::origin(Location::caller()));
            (&raw mut (*node).op).write(op);
            (&raw mut (*node).shape).write(shape);
            (&raw mut (*node).dtype).write(dtype);
            (&raw mut (*node).device).write(device);
            (&raw mut (*node).depth).write(AtomicU32::new(depth));
            (&raw mut (*node).handles).write(AtomicU32::new(0));
            (&raw mut (*node).pinned).write(AtomicBool::new(false));
            (&raw mut (*node).assignments).write(AtomicU8::new(0));
            (&raw mut (*node).multiplied).write(AtomicBool::new(false));
            (&raw mut (*node).parts).write(AtomicU8::new(0));
            (&raw mut (*node).computed).write(AtomicU64::new(0));
            (&raw mut (*node).mark).write(AtomicU64::new(0));
            // The empty state takes its words one by one, too.
            (&raw mut (*node).state).write(Mutex::new(State::waiting(Args::new())));
            (*node).state.data_ptr().write(state);
            memory.assume_init()
        }
    }

    /// Lets go of everything but the memory of the node itself.
    fn retire(&mut self) {
        self.unpin();
        // Most operations own nothing, and most nodes that go were never evaluated.
        if !matches!(self.op, NodeOp::Map(_) | NodeOp::Cast | NodeOp::Source) {
            self.op = NodeOp::Source;
        }
        // The memory is written over when it is used again, so that what lies elsewhere goes now.
        if self.shape.spilled() {
            self.shape = Shape::new();
        }
        let state = self.state.get_mut();
        if state.args.spilled() {
            state.args = Args::new();
        }
        if state.data.is_some() {
            (state.data, state.more) = (None, Vec::new());
        }
    }

    fn unpin(&mut self) {
        if std::mem::take(self.pinned.get_mut()) {
            PINNED.fetch_sub(self.bytes(), Relaxed);
        }
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        crate::shape::len(&self.shape)
    }

    /// The longest chain of unevaluated nodes that ends here; 0 once the data is there.
    pub(crate) fn depth(&self) -> u32 {
        self.depth.load(Relaxed)
    }

    /// What a walk noted here, if it was the last to meet this node.
    #[inline(always)]
    pub(crate) fn met(&self, walk: u32) -> Option<u32> {
        let mark = self.mark.load(Relaxed);
        (mark >> 32 == u64::from(walk)).then_some(mark as u32)
    }

    /// Notes something for a walk. Only whoever has the [`Walks`](super::Walks) may.
    #[inline(always)]
    pub(crate) fn meet(&self, walk: u32, note: u32) {
        self.mark.store(u64::from(walk) << 32 | u64::from(note), Relaxed);
    }

    /// Corrects the depth of a node below which others were evaluated.
    pub(crate) fn set_depth(&self, depth: u32) {
        self.depth.store(depth, Relaxed);
    }

    /// Whether a product of this array with a vector was recorded before; notes that one is.
    pub(crate) fn is_multiplied_again(&self) -> bool {
        self.multiplied.swap(true, Relaxed)
    }

    /// How many plans computed this node, or a part of it, without storing it, each another than the
    /// one before.
    pub(crate) fn parts(&self) -> u8 {
        self.parts.load(Relaxed)
    }

    /// Notes which evaluation computed this node without storing it; `by_plan` are the bits of the note
    /// that say by which plan.
    pub(crate) fn note_computed(&self, note: u64, by_plan: u64) {
        let before = self.computed.swap(note, Relaxed);
        if before != 0 && (before ^ note) & by_plan != 0 {
            self.parts.store(self.parts().saturating_add(1), Relaxed);
        }
    }

    /// How many assignments to small parts of an array, one upon the other, end here; those that
    /// were evaluated meanwhile count as well.
    pub(crate) fn assignments(&self) -> u8 {
        self.assignments.load(Relaxed)
    }

    /// Whether a long run of assignments to small parts of an array ends here, of which each is evaluated
    /// before the next.
    pub(crate) fn is_in_long_run(&self) -> bool {
        self.assignments() > LONG_RUN
    }

    /// Notes how many assignments end here.
    pub(crate) fn set_assignments(&self, count: u8) {
        self.assignments.store(count, Relaxed);
    }

    /// The data, if it is there.
    pub(crate) fn data(&self) -> Option<Arc<Buffer>> {
        self.state.lock().data.clone()
    }

    /// Whether the data is there.
    pub(crate) fn is_evaluated(&self) -> bool {
        self.depth() == 0
    }

    /// The arguments and the data, locked.
    pub(crate) fn state(&self) -> parking_lot::MutexGuard<'_, State> {
        self.state.lock()
    }

    /// The arguments and the data, without the lock.
    ///
    /// # Safety
    /// The caller is the evaluation that runs: data is only ever set, and arguments only ever
    /// taken, by evaluations, of which one runs at a time, or by the last holder of the node.
    pub(crate) unsafe fn state_unlocked(&self) -> &State {
        // SAFETY: the caller vouches that nobody writes meanwhile.
        unsafe { &*self.state.data_ptr() }
    }

    /// One output of a library call that has been evaluated.
    pub(crate) fn output(&self, part: u8) -> Option<Arc<Buffer>> {
        let state = self.state.lock();
        match part {
            0 => state.data.clone(),
            part => state.more.get(part as usize - 1).cloned(),
        }
    }

    /// Gives the node its data and lets go of its arguments. Only the evaluation that runs may.
    pub(crate) fn set_data(&self, data: Arc<Buffer>) {
        self.set_outputs(data, Vec::new());
    }

    /// Gives a library call all of its outputs. Only the evaluation that runs may.
    pub(crate) fn set_outputs(&self, data: Arc<Buffer>, more: Vec<Arc<Buffer>>) {
        let alone = matches!(self.op, NodeOp::Library(_)) && more.is_empty() && !self.has_handles();
        if alone && self.bytes() >= COUNTED && !self.pinned.swap(true, Relaxed) {
            PINNED.fetch_add(self.bytes(), Relaxed);
        }
        let args = {
            let mut state = self.state.lock();
            (state.data, state.more) = (Some(data), more);
            std::mem::take(&mut state.args)
        };
        self.depth.store(0, Relaxed);
        release(args);
    }

    /// Whether a user holds an array of this node.
    pub(crate) fn has_handles(&self) -> bool {
        self.handles.load(Relaxed) > 0
    }

    /// Counts a handle in.
    pub(crate) fn add_handle(self: &Arc<Self>) {
        // A node that was just recorded is seen by nobody else: it takes no atomic operation.
        if is_alone(self) && self.handles.load(Relaxed) == 0 && !self.is_pinned() {
            self.handles.store(1, Relaxed);
            return;
        }
        if self.handles.fetch_add(1, Relaxed) == 0 && self.pinned.swap(false, Relaxed) {
            PINNED.fetch_sub(self.bytes(), Relaxed);
        }
    }

    /// Counts a handle out. Data whose last handle goes counts as pinned until the node goes too.
    pub(crate) fn remove_handle(self: &Arc<Self>) {
        // The caller's handle is the only one where nobody else holds the node.
        let last = match is_alone(self) {
            true => {
                self.handles.store(0, Relaxed);
                true
            }
            false => self.handles.fetch_sub(1, Relaxed) == 1,
        };
        if last
            && self.is_evaluated()
            && self.bytes() >= COUNTED
            && !self.pinned.swap(true, Relaxed)
        {
            PINNED.fetch_add(self.bytes(), Relaxed);
        }
    }

    fn is_pinned(&self) -> bool {
        self.pinned.load(Relaxed)
    }

    fn bytes(&self) -> u64 {
        (self.len() * self.dtype.size()) as u64
    }
}

/// What two nodes share that compute the same from their arguments.
#[inline]
fn hash_of(op: &NodeOp, shape: &[usize], dtype: DType) -> u64 {
    let op = match op {
        // Most nodes are such, and their hash is made in a few steps.
        NodeOp::Map(op) => *op as u64,
        other => hash_of_other(other),
    };
    let start = mixed(op, (shape.len() as u64) << 8 | dtype as u64);
    shape.iter().fold(start, |hash, &len| mixed(hash, len as u64))
}

#[inline(never)]
fn hash_of_other(op: &NodeOp) -> u64 {
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    hasher.finish() | 1 << 63
}

/// A hash with one more word in it.
#[inline]
fn mixed(hash: u64, word: u64) -> u64 {
    let product = (hash.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

/// The depth of a node with these arguments.
#[inline]
fn depth_over(args: &[Arg]) -> u32 {
    args.iter().fold(0, |deepest, arg| match arg {
        Arg::Node(node) => deepest.max(node.depth()),
        Arg::Scalar(_) => deepest,
    }) + 1
}

/// Whether the caller's reference is the only one, so that what other threads counted before they
/// let go is seen and nobody counts meanwhile. Weak references are looked at first: one that became
/// a strong one before it went is then seen as such.
pub(crate) fn is_alone(node: &Arc<Node>) -> bool {
    let watched = is_watched(node);
    std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
    let alone = Arc::strong_count(node) == 1;
    std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
    alone && !watched
}

/// Whether there are weak references, by which others may come to hold the node at any time.
pub(crate) fn is_watched(node: &Arc<Node>) -> bool {
    Arc::weak_count(node) > 0
}

/// The bytes of data that no user holds any more and that only recorded nodes keep alive.
static PINNED: AtomicU64 = AtomicU64::new(0);

/// Smaller data is not counted as pinned.
const COUNTED: u64 = 1 << 20;

/// The bytes of data that no user holds any more and that only recorded nodes keep alive.
pub(crate) fn pinned_bytes() -> u64 {
    PINNED.load(Relaxed)
}

impl Drop for Node {
    fn drop(&mut self) {
        self.unpin();
        release(std::mem::take(&mut self.state.get_mut().args));
    }
}

/// Drops arguments with everything that only they hold, without recursion: a chain of a million
/// nodes must not overflow the stack.
fn release(mut args: Args) {
    let mut waiting: SmallVec<[Arc<Node>; 16]> = SmallVec::new();
    let mut next = take_nodes(&mut args, &mut waiting);
    while let Some(node) = next.or_else(|| waiting.pop()) {
        next = None;
        // The last holder takes the arguments out before the node goes. Should two threads let
        // go at once and neither see itself as the last, the node's own drop comes here again.
        if is_alone(&node) {
            // SAFETY: this is the only reference, and there are no weak ones.
            let last = unsafe { &mut *Arc::as_ptr(&node).cast_mut() };
            next = take_nodes(&mut last.state.get_mut().args, &mut waiting);
            last.retire();
            keep_spare(node);
        }
    }
}

/// Takes the nodes out of arguments, the first by itself, and leaves numbers, which own nothing.
#[inline]
fn take_nodes(args: &mut [Arg], others: &mut SmallVec<[Arc<Node>; 16]>) -> Option<Arc<Node>> {
    let mut first = None;
    for arg in args {
        if let Arg::Node(_) = arg
            && let Arg::Node(node) = std::mem::replace(arg, Arg::NOTHING)
        {
            match first {
                None => first = Some(node),
                Some(_) => others.push(node),
            }
        }
    }
    first
}

/// After so many assignments to small regions of an array, one upon the other, each is evaluated
/// before the next: as a whole they would be kernels over all of the array that choose between the
/// regions, and every value that reads the array would do so as well; one by one they are written
/// in place.
pub(crate) const LONG_RUN: u8 = 8;

/// The most spare nodes of a thread.
const SPARES: usize = 512;

thread_local! {
    /// The memory of nodes that nobody holds any more, to be used again: a program that records
    /// the same expression again and again frees and makes nodes at a rate at which the system's
    /// allocator is most of the cost.
    static SPARE: RefCell<Vec<Arc<MaybeUninit<Node>>>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the memory of a node that owns nothing any more and that nobody else holds.
fn keep_spare(node: Arc<Node>) {
    // At a thread's end there is no list any more, and the node goes as it would without one.
    let _ = SPARE.try_with(|spare| {
        let mut spare = spare.borrow_mut();
        if spare.len() < SPARES {
            // SAFETY: the memory of a node is laid out like memory for one.
            spare.push(unsafe { Arc::from_raw(Arc::into_raw(node).cast()) });
        }
    });
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}{:?}", self.op, self.dtype, &self.shape[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::len;

    #[test]
    fn a_spare_node_owns_nothing() {
        let device = Device::cpu();
        let shape = Shape::from_slice(&[1, 2, 1, 2, 1, 3]);
        let scalar = |value: f64| Arg::Scalar(Scalar::new(value));
        let args: Args = [scalar(1.0), scalar(2.0), scalar(3.0)].into_iter().collect();
        assert!(shape.spilled() && args.spilled() && len(&shape) == 12);
        let op = NodeOp::Pad { before: vec![0; 6].into() };
        let mut node = Node::new(op, args, shape, DType::F64, device);
        let node = Arc::get_mut(&mut node).expect("nobody else has it");
        node.retire();
        assert!(!node.shape.spilled() && !node.state.get_mut().args.spilled());
        assert!(matches!(node.op, NodeOp::Source));
    }
}
