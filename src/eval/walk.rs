//! The walk of an evaluation: over the unevaluated part of a graph, arguments before their users.

use super::lessons::Lessons;
use super::parts::{Placed, Window, placed_on};
use super::run::Made;
use crate::backend::Buffer;
use crate::dtype::Scalar;
use crate::graph::{Arg, Node, NodeOp, Walks, activation, is_watched};
use crate::plan::{Graph, GraphArg, GraphNode, Place, work};
use crate::shape;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// One walk over the unevaluated part of a graph, arguments before their users. It borrows the
/// nodes from the targets, which keep all that is below them alive.
pub(super) struct Walk<'a> {
    /// The number of this walk, by which nodes tell whether they were met.
    number: u32,
    /// The nodes in order.
    pub nodes: SmallVec<[&'a Arc<Node>; 64]>,
    /// The data of those that have some.
    pub leaves: SmallVec<[Arc<Buffer>; 8]>,
    /// The scalars of the others.
    pub scalars: SmallVec<[Scalar; 32]>,
    pub(super) roots: SmallVec<[u32; 4]>,
    /// The number of roots that were asked for.
    pub asked: usize,
    /// The number of roots after them that nobody asked for.
    pub kept: usize,
    /// How many nodes an earlier evaluation computed without storing them.
    pub noted: usize,
    /// What was walked, in short: operations, shapes, types and which argument is which node.
    pub structure: u64,
    /// The notes of what evaluations should store.
    pub lessons: SmallVec<[u64; 4]>,
    /// Whether there is something to learn: of these notes, or of the structure.
    pub has_news: bool,
    /// Whether small values that other expressions wait for are stored.
    pub keep_shared: bool,
    /// Whether parts of stored arrays may have windows.
    pub with_windows: bool,
    /// Whether a plan is made of what was walked however many there are of its kind.
    pub as_a_whole: bool,
    /// What reads or overwrites parts of stored arrays.
    pub placed: SmallVec<[Placed; 8]>,
    /// The windows of these.
    pub windows: SmallVec<[Window; 2]>,
    /// Assignments whose base nobody else can see.
    pub in_place: SmallVec<[u32; 4]>,
    hash: [u64; 2],
}

/// Of the assignments whose arrays others read, too, so many are looked at before one is found that
/// can run in place.
const MOST_READERS: usize = 8;

/// Nodes with their data, and with the further outputs of library calls.
pub(super) type Stored = SmallVec<[(Arc<Node>, Arc<Buffer>, Vec<Arc<Buffer>>); 4]>;

/// Some of the numbered nodes of a walk, so that asking for one takes the same time however many
/// there are.
pub(super) struct Marks(SmallVec<[u64; 4]>);

impl Marks {
    /// The given ones of so many nodes.
    pub(super) fn of(some: &[u32], nodes: usize) -> Marks {
        let mut words = SmallVec::from_elem(0, nodes.div_ceil(64));
        some.iter().for_each(|&n| words[n as usize / 64] |= 1 << (n % 64));
        Marks(words)
    }

    pub(super) fn contains(&self, n: u32) -> bool {
        self.0[n as usize / 64] >> (n % 64) & 1 == 1
    }
}

/// The nodes that a walk has met and not yet entered, and whether their arguments were met.
type Waiting<'a> = SmallVec<[(&'a Arc<Node>, bool); 32]>;

impl<'a> Walk<'a> {
    /// A walk that has met nothing.
    #[inline(always)]
    pub(super) fn new(walks: &mut Walks) -> Walk<'a> {
        Walk {
            number: walks.begin(),
            nodes: SmallVec::new(),
            leaves: SmallVec::new(),
            scalars: SmallVec::new(),
            roots: SmallVec::new(),
            asked: 0,
            kept: 0,
            noted: 0,
            structure: 0,
            lessons: SmallVec::new(),
            has_news: false,
            keep_shared: false,
            with_windows: true,
            as_a_whole: false,
            placed: SmallVec::new(),
            windows: SmallVec::new(),
            in_place: SmallVec::new(),
            hash: [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344],
        }
    }

    /// Walks from unevaluated nodes, as part of the evaluation that runs; with lessons, what comes
    /// again is a root as well.
    pub(super) fn walk(
        &mut self,
        targets: impl Iterator<Item = &'a Arc<Node>>,
        lessons: Option<&Lessons>,
    ) {
        let mut waiting = Waiting::new();
        for target in targets {
            self.visit(target, &mut waiting);
            self.roots.push(self.place(target).expect("a visited node has its place"));
        }
        self.asked = self.roots.len();
        self.note_structure();
        if let Some(lessons) = lessons {
            self.keep_what_comes_again(lessons);
        }
        if self.keep_shared {
            self.keep_what_others_wait_for();
        }
        // What is recorded is run again, and has to find its data as it was.
        if !super::is_recording() {
            self.find_in_place();
        }
        self.find_windows();
        for k in 0..self.roots.len() {
            self.mix(u64::from(self.roots[k]));
        }
        for k in 0..self.in_place.len() {
            self.mix(u64::from(self.in_place[k]) | 1 << 40);
        }
    }

    /// The assignments that are yet to be computed for some nodes, in order; not the nodes
    /// themselves.
    pub(super) fn assignments_below(
        mut self,
        targets: impl Iterator<Item = &'a Arc<Node>>,
    ) -> Vec<Arc<Node>> {
        let mut waiting = Waiting::new();
        let mut asked = SmallVec::<[u32; 4]>::new();
        for target in targets {
            self.visit(target, &mut waiting);
            asked.push(self.place(target).expect("a visited node has its place"));
        }
        let asked = Marks::of(&asked, self.nodes.len());
        let below = self.nodes.iter().zip(0..).filter(|&(_, at)| !asked.contains(at));
        below
            .filter(|(node, _)| is_pending_assignment(node))
            .map(|(&node, _)| node.clone())
            .collect()
    }

    /// Whether the assignments that are yet to be computed are to regions of one size after
    /// another, as in a loop whose slices grow.
    pub(super) fn has_growing_regions(&self) -> bool {
        /// A step of a simulation assigns to its inner part, its edges and its corners.
        const FEW: usize = 6;
        /// As many assignments show what a loop does.
        const SEEN: usize = 64;
        let regions = self.nodes.iter().filter(|node| is_pending_assignment(node));
        let regions = regions.filter_map(|node| match &node.op {
            NodeOp::Assign(region) => Some(&region.lens[..]),
            _ => None,
        });
        let mut count = 0;
        let mut sizes: SmallVec<[&[usize]; 16]> = SmallVec::new();
        for lens in regions.take(SEEN) {
            count += 1;
            if !sizes.contains(&lens) {
                sizes.push(lens);
            }
        }
        sizes.len() >= FEW && 2 * sizes.len() > count
    }

    /// What was walked, without sizes, places and functions, and whether it assigns once, to an array
    /// that somebody else holds; none where that is not so and it does not assign several times.
    pub(super) fn skeleton(&self) -> Option<(u64, bool)> {
        let mut assignments = self.nodes.iter().filter(|node| is_pending_assignment(node));
        let first = assignments.next()?;
        let alone = assignments.next().is_none();
        if alone && (!needs_a_copy(first) || super::is_recording()) {
            return None;
        }
        let mut hasher = rustc_hash::FxHasher::default();
        for node in &self.nodes {
            std::mem::discriminant(&node.op).hash(&mut hasher);
            (node.is_evaluated(), node.shape.len(), node.dtype).hash(&mut hasher);
        }
        self.for_each_argument(|_, at| at.hash(&mut hasher));
        Some((hasher.finish(), alone))
    }

    /// Finds the roots that assign to data which nobody else can see: the base is held by nodes of
    /// this walk alone, and its memory by the base alone (and by this walk).
    fn find_in_place(&mut self) {
        let (mut held, mut left) = (None, MOST_READERS);
        let mut reads_itself = false;
        for k in 0..self.roots.len() {
            let root = self.roots[k];
            let node = self.nodes[root as usize];
            let NodeOp::Assign(region) = &node.op else { continue };
            let state = node.state();
            let Some(Arg::Node(base)) = state.args.first() else { continue };
            let is_held = |data: Arc<Buffer>| Arc::strong_count(&data) != 3;
            let taken = base.data().is_none_or(|data| !data.may_be_written() || is_held(data));
            if taken || is_watched(base) {
                continue;
            }
            if Arc::strong_count(base) > 1 {
                // What reads the base here cannot be computed once more afterwards. At most one
                // such kernel runs, as the last of all: until then nothing has changed.
                // Half of what it reads would be gone if it panicked in the middle.
                if self.may_panic() {
                    continue;
                }
                let most = shape::len(&region.lens).saturating_mul(4).max(64);
                if reads_itself || left == 0 {
                    continue;
                }
                let held: &Vec<usize> = held.get_or_insert_with(|| self.held());
                let at = self.place(base).expect("every argument was walked") as usize;
                // Somebody else holds the base itself.
                if Arc::strong_count(base) > held[at] {
                    continue;
                }
                left -= 1;
                let Some(others) = self.readers(base, root, most, held) else { continue };
                reads_itself = true;
                self.roots.extend(others);
            }
            self.in_place.push(root);
        }
    }

    /// Whether a function of the program's may end this evaluation at any element.
    fn may_panic(&self) -> bool {
        let by_function = |node: &&Arc<Node>| match &node.op {
            NodeOp::Call { function, .. } => function.may_panic(),
            NodeOp::Fold { fold, .. } => fold.function.may_panic(),
            NodeOp::Scan { by, .. } => by.fold().is_some_and(|fold| fold.function.may_panic()),
            _ => false,
        };
        self.nodes.iter().any(|node| !node.device.is_cuda() && by_function(node))
    }

    /// How often nodes of this walk hold each node as an argument.
    pub(super) fn held(&self) -> Vec<usize> {
        let mut held = vec![0; self.nodes.len()];
        self.for_each_argument(|_, at| held[at] += 1);
        held
    }

    /// Tells of every argument of a node that is yet to be computed: the places of both.
    pub(super) fn for_each_argument(&self, mut tell: impl FnMut(usize, usize)) {
        for (k, node) in self.nodes.iter().enumerate().filter(|(_, n)| !n.is_evaluated()) {
            // SAFETY: the walk is part of the evaluation that runs.
            for arg in &unsafe { node.state_unlocked() }.args {
                if let Arg::Node(arg) = arg {
                    work(1);
                    tell(k, self.place(arg).expect("every argument was walked") as usize);
                }
            }
        }
    }

    /// The nodes to be stored because somebody holds them and their values come from `base`, which
    /// `root` is about to overwrite; none where these nodes have more than `most` elements.
    fn readers(
        &self,
        base: &Arc<Node>,
        root: u32,
        most: usize,
        held: &[usize],
    ) -> Option<SmallVec<[u32; 4]>> {
        let mut reads = vec![false; self.nodes.len()];
        let base_at = self.place(base)? as usize;
        self.for_each_argument(|k, at| reads[k] |= reads[at] || at == base_at);
        let roots = Marks::of(&self.roots, self.nodes.len());
        let mut others = SmallVec::new();
        let mut elements = 0;
        for (k, node) in self.nodes.iter().enumerate() {
            let here = k as u32;
            if !reads[k] || here == root || roots.contains(here) {
                continue;
            }
            if Arc::strong_count(node) > held[k] {
                elements += node.len();
                if shares(node) || elements > most || node.len() == 0 {
                    return None;
                }
                others.push(here);
            }
        }
        Some(others)
    }

    /// The number that this walk gave to a node.
    pub(super) fn place(&self, node: &Node) -> Option<u32> {
        node.met(self.number)
    }

    /// What a node that has no data is a view of.
    pub(super) fn under(&self, k: usize) -> Option<usize> {
        let node = self.nodes[k];
        // SAFETY: the walk is part of the evaluation that runs.
        match (&node.op, unsafe { node.state_unlocked() }.args.first()) {
            (NodeOp::View(_) | NodeOp::Reshape, Some(Arg::Node(under))) => {
                self.place(under).map(|at| at as usize)
            }
            _ => None,
        }
    }

    fn visit(&mut self, target: &'a Arc<Node>, waiting: &mut Waiting<'a>) {
        waiting.push((target, false));
        while let Some(last) = waiting.last_mut() {
            let node = last.0;
            if self.place(node).is_some() {
                waiting.pop();
            } else if last.1 || node.is_evaluated() || self.share_data(node) {
                waiting.pop();
                self.enter(node);
            } else {
                last.1 = true;
                // SAFETY: the walk is part of the evaluation that runs.
                for arg in unsafe { node.state_unlocked() }.args.iter().rev() {
                    if let Arg::Node(arg) = arg
                        && self.place(arg).is_none()
                    {
                        waiting.push((arg, false));
                    }
                }
            }
        }
    }

    /// Gives a node the data that it shares with an evaluated one: an output of a library call, or a
    /// reshape, whose slices then have windows as those of any array.
    fn share_data(&self, node: &Node) -> bool {
        // What is recorded or shared among devices knows what it reads by the nodes.
        let is_plain = self.with_windows && !self.as_a_whole && !super::is_recording();
        let is_shared = match node.op {
            NodeOp::Part(_) => true,
            NodeOp::Reshape => is_plain,
            _ => false,
        };
        if !is_shared {
            return false;
        }
        // SAFETY: the walk is part of the evaluation that runs.
        let under = match unsafe { node.state_unlocked() }.args.first() {
            Some(Arg::Node(under)) if under.is_evaluated() => under.clone(),
            _ => return false,
        };
        let data = match node.op {
            NodeOp::Part(part) => under.output(part),
            // A reshape to another device moves.
            _ if under.device == node.device => under.data(),
            _ => None,
        };
        data.map(|data| node.set_data(data)).is_some()
    }

    /// Gives a node its number, once its arguments have theirs.
    fn enter(&mut self, node: &'a Arc<Node>) {
        // SAFETY: the walk is part of the evaluation that runs.
        let state = unsafe { node.state_unlocked() };
        if let Some(data) = &state.data {
            self.leaves.push(data.clone());
            self.mix(1);
            self.mix(hash_of_array(node));
        } else {
            self.noted += usize::from(node.computed.load(Relaxed) != 0);
            match placed_on(node, &state.args).filter(|_| self.with_windows) {
                Some(leaf) => self.enter_placed(node, leaf),
                None => self.mix(node.hash),
            }
            if counts_handles(node, &state.args) {
                self.mix(u64::from(node.has_handles()) | 1 << 41);
            }
            if let Some(activation) = activation(node, &state.args) {
                self.mix((activation as u64 + 1) << 42);
            }
            for arg in &state.args {
                match arg {
                    Arg::Node(arg) => {
                        let place = self.place(arg).expect("arguments come first");
                        self.mix(u64::from(place) << 8);
                    }
                    Arg::Scalar(scalar) => {
                        self.scalars.push(*scalar);
                        self.mix(scalar.dtype() as u64 + 2);
                    }
                }
            }
        }
        work(1 + state.args.len());
        node.meet(self.number, self.nodes.len() as u32);
        self.nodes.push(node);
    }

    /// Notes a node that reads or overwrites a part of stored data. The data get a second number,
    /// just before the node's, by which the plan knows them where the part has a window. What the
    /// plan depends on besides shape and type is told once the windows are known.
    fn enter_placed(&mut self, node: &Node, leaf: &'a Arc<Node>) {
        self.mix(hash_of_array(node) ^ 1);
        let number = self.place(leaf).expect("arguments come first");
        self.nodes.push(leaf);
        self.placed.push(Placed::new(self.nodes.len() as u32, number));
    }

    /// Whether a number stands for data that have another one, too.
    pub(super) fn is_twin(&self, number: u32) -> bool {
        self.placed.binary_search_by_key(&(number + 1), |part| part.node).is_ok()
    }

    pub(super) fn mix(&mut self, word: u64) {
        let [a, b] = self.hash;
        self.hash[0] = (a.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.hash[1] = (b.rotate_left(23) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ (b >> 29);
    }

    pub(super) fn key(&self) -> u128 {
        u128::from(self.hash[0]) << 64 | u128::from(self.hash[1])
    }

    /// The planner's graph of what was walked.
    pub(super) fn graph(&self) -> Graph {
        let mut graph = Graph {
            slots: self.scalars.len() as u32,
            scalar_types: self.scalars.iter().map(Scalar::dtype).collect(),
            roots: self.roots.to_vec(),
            in_place: self.in_place.to_vec(),
            ..Graph::default()
        };
        let (mut leaf, mut slot) = (0, 0);
        let mut placed = self.placed.iter().peekable();
        let twins = self.twins();
        for (k, &node) in self.nodes.iter().enumerate() {
            let state = node.state();
            let activation = activation(node, &state.args);
            let is_leaf = state.data.is_some();
            let args = state.args.iter().map(|arg| match arg {
                Arg::Node(arg) => {
                    GraphArg::Node(self.place(arg).expect("every argument was walked"))
                }
                Arg::Scalar(_) => {
                    slot += 1;
                    GraphArg::Scalar(slot - 1)
                }
            });
            let mut node = GraphNode {
                op: node.op.clone(),
                args: args.collect(),
                shape: node.shape.clone(),
                dtype: node.dtype,
                leaf: is_leaf.then_some(leaf),
                window: None,
                held: !is_leaf && counts_handles(node, &state.args) && node.has_handles(),
                activation,
            };
            if is_leaf && placed.peek().is_some_and(|part| part.node as usize == k + 1) {
                self.set_twin(&mut node, twins.get(&(k as u32)));
            } else {
                leaf += u32::from(is_leaf);
            }
            if let Some(part) = placed.next_if(|part| part.node as usize == k)
                && let Some(window) = part.window
            {
                node.op = self.within(self.nodes[k], window);
                node.args[0] = GraphArg::Node(self.windows[window as usize].twin);
            }
            graph.push(node);
        }
        graph
    }

    /// What gets data: the roots, and what had to be stored besides, which is all that libraries
    /// have computed, and what users hold of the rest. Notes what was computed without being
    /// stored.
    pub(super) fn finish(&self, roots: &[u32], made: Made) -> Stored {
        self.note_what_was_computed();
        let roots = Marks::of(roots, self.nodes.len());
        let mut stored = Stored::new();
        let mut made = made.into_iter().peekable();
        while let Some((place, data)) = made.next() {
            let Place::Node(n) = place else { continue };
            // A partial result of strict arithmetic is no node of the program's.
            let Some(&node) = self.nodes.get(n as usize) else { continue };
            if let NodeOp::Library(_) = node.op {
                let mut more = Vec::new();
                while let Some((_, part)) =
                    made.next_if(|m| matches!(m.0, Place::Part(call, _) if call == n))
                {
                    more.push(part);
                }
                stored.push((node.clone(), data, more));
            } else if node.has_handles() || roots.contains(n) {
                stored.push((node.clone(), data, Vec::new()));
            }
        }
        stored
    }
}

/// Whether what others can reach through a node (`holder`, the real part of what was made complex) is
/// its argument itself.
pub(super) fn shares(node: &Node) -> bool {
    matches!(node.op, NodeOp::Reshape | NodeOp::Part(_) | NodeOp::Library(_) | NodeOp::Cast)
}

/// Whether a node is an assignment that was not evaluated.
pub(super) fn is_pending_assignment(node: &Node) -> bool {
    matches!(node.op, NodeOp::Assign(_)) && !node.is_evaluated()
}

/// Whether an assignment is to an array that is there and that a handle of the program's holds.
pub(super) fn needs_a_copy(node: &Node) -> bool {
    // SAFETY: whoever asks is the evaluation that runs.
    let first = || unsafe { node.state_unlocked() }.args.first();
    is_pending_assignment(node)
        && matches!(first(), Some(Arg::Node(base)) if base.is_evaluated() && base.has_handles())
}

/// What a node's shape and type are, without what it computes.
fn hash_of_array(node: &Node) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    node.shape.hash(&mut hasher);
    node.dtype.hash(&mut hasher);
    hasher.finish()
}

/// Whether it matters to the plan that a user holds the node: a library's work is not done a
/// second time for him.
fn counts_handles(node: &Node, args: &[Arg]) -> bool {
    let is_call = |arg: &Arg| matches!(arg, Arg::Node(arg) if matches!(arg.op, NodeOp::Library(_)));
    match node.op {
        NodeOp::Library(_) => true,
        NodeOp::Map(_) => args.iter().take(2).any(is_call),
        _ => false,
    }
}
