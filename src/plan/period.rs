//! The period of a recorded loop: nodes that come again and again, each turn on what the turn before
//! gave.
//!
//! A walk numbers arguments before their users, so that the nodes of a turn follow each other and those
//! of the next turn follow them, in the same order. Where several arrays of a state share what they are
//! computed from it mixes turns; then nodes are put as late as they may be ([`Order`]).
//!
//! 1. Operations, shapes and types are letters. A stretch of letters that repeats is looked for around a
//!    few places ([`stretch`]).
//! 2. Turns are divided where the least is handed on ([`boundary`]).
//! 3. Arguments are compared with those of the last turn ([`Template`]).
//! 4. The first turn may lie elsewhere, between what later turns read as well; it is found from its
//!    results ([`Found::earlier_turn`]).
//!
//! The search takes time in proportion to the graph: for each node at most as many comparisons of
//! letters as there are [`ANCHORS`] times [`TRIES`], and a constant number of passes.

use super::nodes::{Graph, GraphArg, GraphNode};
use super::work::work;
use crate::graph::NodeOp;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// Fewer turns are planned as they are.
const LEAST_TURNS: usize = 4;
/// So are fewer nodes in all.
const LEAST_NODES: usize = 32;
/// A turn reads what was made at most so many turns before.
const MOST_DELAY: usize = 2;
/// The places around which a period is looked for, in quarters of the graph.
const ANCHORS: [usize; 3] = [2, 3, 1];
/// So many periods are tried around each.
const TRIES: usize = 32;
/// So many turns before the regular ones are looked for by their results.
const MOST_EARLIER: usize = 2;
/// A turn is at most so many times what comes again by its letters alone.
const MOST_ALIKE: usize = 3;
/// So many turns at the end stay by themselves where more than their state is read.
const MOST_LATER: usize = 4;
/// The most arrays that turns hand on.
const MOST_STATES: usize = 32;

/// Whether the scalars of two slots are the same.
pub(crate) type IsSame<'a> = &'a dyn Fn(u32, u32) -> bool;

/// What turns read that was there before the first of them: by place in a turn, and by how many turns
/// before it was made.
type Starts = FxHashMap<(usize, usize), u32>;

/// A recorded loop.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Period {
    /// The nodes of the last turn, arguments first.
    pub turn: Vec<u32>,
    /// The number of turns.
    pub turns: usize,
    /// What a turn reads that turns before it have made.
    pub states: Vec<State>,
    /// The nodes of all turns.
    pub nodes: Vec<u32>,
    /// Scalars that are the same in two turns, by slot: what is one turn's and what is the last one's.
    pub same: Vec<(u32, u32)>,
}

/// What a turn reads that turns before it have made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// The node of the last turn that makes it for the next one.
    pub node: u32,
    /// How many turns later it is read.
    pub delay: usize,
    /// The node that the last turn reads.
    pub read: u32,
    /// The node that it is before the first turn.
    pub start: u32,
    /// The node that it is in the end.
    pub end: u32,
}

/// An order of nodes in which turns may follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// That of the graph: before a node all of its first argument, then all of the next one.
    Walked,
    /// Each as late as it may be: what several arrays of a state have in common comes before either.
    Late,
}

/// The period of what is most of a graph; none where nothing comes again often enough. Scalars are
/// compared by the given function, by slot.
pub(crate) fn find(graph: &Graph, order: Order, is_same: IsSame) -> Option<Period> {
    if graph.nodes.len() < LEAST_NODES {
        return None;
    }
    match order {
        Order::Walked => in_order(graph, is_same),
        Order::Late => {
            let (late, numbers) = late(graph);
            Some(in_order(&late, is_same)?.renumbered(&numbers))
        }
    }
}

/// The graph with each node as late as it may be, and the number that each of its nodes had.
fn late(graph: &Graph) -> (Graph, Vec<u32>) {
    // How many nodes follow a node at least.
    let mut followed = vec![0u32; graph.nodes.len()];
    for (n, node) in graph.nodes.iter().enumerate().rev() {
        let own = followed[n] + 1;
        read_by(node).for_each(|arg| followed[arg as usize] = followed[arg as usize].max(own));
    }
    let mut numbers: Vec<u32> = (0..graph.nodes.len() as u32).collect();
    numbers.sort_by_key(|&n| std::cmp::Reverse(followed[n as usize]));
    let mut places = vec![0; numbers.len()];
    numbers.iter().zip(0..).for_each(|(&n, at)| places[n as usize] = at);
    let place = |n: &u32| places[*n as usize];
    let node = |&n: &u32| {
        let mut node = graph.nodes[n as usize].clone();
        for arg in &mut node.args {
            if let GraphArg::Node(n) = arg {
                *n = place(n);
            }
        }
        node
    };
    let late = Graph {
        nodes: numbers.iter().map(node).collect(),
        roots: graph.roots.iter().map(place).collect(),
        in_place: graph.in_place.iter().map(place).collect(),
        ..graph.clone()
    };
    (late, numbers)
}

impl Period {
    /// The same in other numbers.
    fn renumbered(mut self, numbers: &[u32]) -> Period {
        let number = |n: &mut u32| *n = numbers[*n as usize];
        self.turn.iter_mut().chain(&mut self.nodes).for_each(number);
        for State { node, read, start, end, .. } in &mut self.states {
            [node, read, start, end].into_iter().for_each(number);
        }
        self
    }
}

/// The period of a graph whose turns follow each other.
fn in_order(graph: &Graph, is_same: IsSame) -> Option<Period> {
    let unread = unread(graph);
    let letters = letters(graph, &unread);
    let stretch = stretch(&letters)?;
    // Turns may do twice what is a turn by its letters alone, with other arguments.
    let periods = (1..=MOST_ALIKE).map(|times| times * stretch.period);
    let long = periods.filter(|period| stretch.end - stretch.first >= LEAST_TURNS * period);
    long.map(|period| Stretch { period, ..stretch })
        .find_map(|stretch| regular((graph, &unread), &stretch, is_same))
}

/// The turns of a stretch.
fn regular(
    (graph, unread): (&Graph, &[bool]),
    stretch: &Stretch,
    is_same: IsSame,
) -> Option<Period> {
    let Stretch { first, end, period } = *stretch;
    let boundary = boundary(graph, stretch);
    let mut end = boundary + (end - boundary) / period * period;
    // What is read afterwards may be no part of the state; then the last turn stays by itself.
    for _ in 0..MOST_LATER {
        let template = Template::new((graph, unread), end.checked_sub(period)?, period)?;
        let found = template.turns(first, is_same)?;
        match found.ends_with_state() {
            true => return found.period(is_same),
            false => end -= period,
        }
    }
    None
}

/// A stretch of nodes whose operations come again after a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    first: usize,
    end: usize,
    period: usize,
}

/// What each node computes, in short; 0 where it never comes again.
fn letters(graph: &Graph, unread: &[bool]) -> Vec<u64> {
    let letter = |(node, &unread): (&GraphNode, &bool)| {
        if node.leaf.is_some() && unread {
            return 1;
        }
        if !may_repeat(node) {
            return 0;
        }
        let mut hasher = FxHasher::default();
        (&node.op, &node.shape, node.dtype, node.args.len()).hash(&mut hasher);
        hasher.finish() | 2
    };
    graph.nodes.iter().zip(unread).map(letter).collect()
}

/// Which nodes nobody reads or asks for: a walk has a second number for an array that a view shows,
/// before each such view.
fn unread(graph: &Graph) -> Vec<bool> {
    let mut unread = vec![true; graph.nodes.len()];
    let read = graph.nodes.iter().flat_map(read_by).chain(graph.roots.iter().copied());
    read.for_each(|n| unread[n as usize] = false);
    unread
}

/// Whether a node may be part of a turn: what a library computes and what is drawn is left as it was
/// recorded, and arrays are what turns stand on.
fn may_repeat(node: &GraphNode) -> bool {
    let is_made = node.leaf.is_none() && node.window.is_none() && !node.held;
    is_made
        && node.len() > 0
        && !matches!(
            node.op,
            NodeOp::Library(_) | NodeOp::Part(_) | NodeOp::Random(_) | NodeOp::StandIn
        )
}

/// The longest stretch around one of a few places that comes again.
fn stretch(letters: &[u64]) -> Option<Stretch> {
    let mut best: Option<Stretch> = None;
    for quarter in ANCHORS {
        let anchor = letters.len() * quarter / 4;
        let letter = letters[anchor];
        let again = (anchor + 1..letters.len()).filter(|&k| letters[k] == letter && letter != 0);
        for next in again.take(TRIES) {
            let period = next - anchor;
            let same = |&k: &usize| {
                work(1);
                letters[k] == letters[k + period] && letters[k] != 0
            };
            let first = (0..anchor).rev().take_while(|k| same(k)).last().unwrap_or(anchor);
            let end = (anchor..letters.len() - period).take_while(|k| same(k)).last();
            let end = end.map_or(anchor, |k| k + 1) + period;
            let is_more = |best: &Stretch| end - first > best.end - best.first;
            if end - first >= LEAST_TURNS * period && best.as_ref().is_none_or(is_more) {
                best = Some(Stretch { first, end, period });
            }
        }
    }
    best
}

/// The first node of a turn, in the middle of a stretch, such that the least is handed on to it.
fn boundary(graph: &Graph, stretch: &Stretch) -> usize {
    let Stretch { first, end, period } = *stretch;
    let middle = first + (end - first) / period / 2 * period;
    let near = middle - period..middle + period;
    // The last user of each node near the middle, as far as it is near.
    let mut last: Vec<usize> = near.clone().collect();
    for k in near.start..(middle + 2 * period).min(end) {
        for arg in &graph.nodes[k].args {
            if let GraphArg::Node(arg) = *arg
                && near.contains(&(arg as usize))
            {
                last[arg as usize - near.start] = k;
            }
        }
    }
    // What is handed on at each place, by differences.
    let mut handed_on = vec![0i64; period + 1];
    for (k, &last) in near.zip(&last) {
        let bytes = match graph.nodes[k].op {
            // What shares another array's data is no state of its own.
            NodeOp::Reshape => i64::MAX >> 32,
            _ => (graph.nodes[k].len() * graph.nodes[k].dtype.size()) as i64,
        };
        let from = (k + 1).max(middle);
        let to = last.min(middle + period - 1);
        if from <= to {
            handed_on[from - middle] += bytes;
            handed_on[to + 1 - middle] -= bytes;
        }
    }
    let mut sum = 0;
    let sums = handed_on[..period].iter().map(|by| {
        sum += by;
        sum
    });
    // Of several places the one behind which the fewest nodes are left.
    let rest = |at: usize| (end - (middle + at)) % period;
    let (_, _, at) = sums.zip(0..).map(|(sum, at)| (sum, rest(at), at)).min().expect("a period");
    middle + at
}

/// What an argument of a turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Another node of the turn, by its place in it.
    Own(usize),
    /// A node of a turn before: its place, and how many turns before.
    Before(usize, usize),
    /// A node that is the same in all turns.
    Given(u32),
    /// A scalar, by slot.
    Scalar(u32),
}

/// Whether an argument is the same in all turns, be it a node or a scalar.
fn is_given(source: Source, arg: GraphArg, is_same: IsSame) -> bool {
    match (source, arg) {
        (Source::Given(own), GraphArg::Node(n)) => own == n,
        (Source::Scalar(own), GraphArg::Scalar(slot)) => is_same(own, slot),
        _ => false,
    }
}

/// The last turn, with which others are compared.
struct Template<'g> {
    graph: &'g Graph,
    unread: &'g [bool],
    first: usize,
    len: usize,
    /// The arguments of each node.
    sources: Vec<SmallVec<[Source; 3]>>,
}

impl<'g> Template<'g> {
    fn new(
        (graph, unread): (&'g Graph, &'g [bool]),
        first: usize,
        len: usize,
    ) -> Option<Template<'g>> {
        let source = |arg: &GraphArg| match *arg {
            GraphArg::Scalar(slot) => Source::Scalar(slot),
            GraphArg::Node(n) if n as usize >= first => Source::Own(n as usize - first),
            GraphArg::Node(n) => match (first - n as usize).div_ceil(len) {
                delay if delay <= MOST_DELAY => {
                    Source::Before(n as usize + delay * len - first, delay)
                }
                _ => Source::Given(n),
            },
        };
        let sources = |node: &GraphNode| node.args.iter().map(source).collect();
        let sources: Vec<SmallVec<[Source; 3]>> =
            graph.nodes[first..first + len].iter().map(sources).collect();
        // A loop reads whole arrays.
        let is_window = |source: &Source| match *source {
            Source::Given(n) => graph.nodes[n as usize].window.is_some(),
            _ => false,
        };
        let template = Template { graph, unread, first, len, sources };
        let is_whole = (0..len).all(|at| template.is_like(at, first + at))
            && !template.sources.iter().flatten().any(is_window);
        is_whole.then_some(template)
    }

    /// Whether a node does what one of the last turn does, its arguments apart.
    fn is_like(&self, at: usize, n: usize) -> bool {
        let (own, other) = (&self.graph.nodes[self.first + at], &self.graph.nodes[n]);
        work(1);
        if own.leaf.is_some() || other.leaf.is_some() {
            let is_unread = |n: usize| self.graph.nodes[n].leaf.is_some() && self.unread[n];
            return is_unread(self.first + at) && is_unread(n);
        }
        may_repeat(other)
            && own.op == other.op
            && own.shape == other.shape
            && own.dtype == other.dtype
            && own.activation == other.activation
            && own.args.len() == other.args.len()
    }

    /// The scalars of some turns' nodes beside the last one's, by slot.
    fn same_scalars(&self, nodes: &[u32]) -> Vec<(u32, u32)> {
        let mut same = Vec::new();
        for (k, &n) in nodes.iter().enumerate() {
            let sources = &self.sources[k % self.len];
            for (source, arg) in sources.iter().zip(&self.graph.nodes[n as usize].args) {
                if let (Source::Scalar(own), GraphArg::Scalar(slot)) = (source, arg)
                    && own != slot
                {
                    same.push((*slot, *own));
                }
            }
        }
        same
    }

    /// The turns before the last one that do the same, from a node on.
    fn turns(&self, from: usize, is_same: IsSame) -> Option<Found<'_>> {
        let (mut first, mut least) = (self.first, from);
        while first >= least + self.len {
            let turn = first - self.len;
            // The first turn on, as far as what this one reads goes.
            let Some(reads_from) = self.compare(turn, is_same) else { break };
            least = least.max(reads_from);
            first = turn;
        }
        // A turn whose state is no turn's is the first one.
        first = first.max(least);
        let turns = (self.first - first) / self.len + 1;
        let mut found = Found { template: self, first, turns, starts: Starts::default() };
        // The first turn may read parts of arrays, and so be another one.
        if found.find_starts().is_none() {
            (found.first, found.turns) = (first + self.len, turns - 1);
            found.find_starts()?;
        }
        (found.turns >= LEAST_TURNS && found.starts.len() <= MOST_STATES).then_some(found)
    }

    /// Compares a turn with the last one: none where it is another one, else the first node from which
    /// on turns may be taken together.
    fn compare(&self, turn: usize, is_same: IsSame) -> Option<usize> {
        let mut least = 0;
        for (at, sources) in self.sources.iter().enumerate() {
            let n = turn + at;
            if !self.is_like(at, n) {
                return None;
            }
            for (&source, &arg) in sources.iter().zip(&self.graph.nodes[n].args) {
                match (source, arg) {
                    (Source::Own(at), GraphArg::Node(n)) if n as usize == turn + at => {}
                    (Source::Before(at, delay), GraphArg::Node(n)) => {
                        if n as usize + delay * self.len != turn + at {
                            least = least.max(turn.saturating_sub((delay - 1) * self.len));
                        }
                    }
                    // What this turn makes is not the same in all turns.
                    (Source::Given(n), _) if n as usize >= turn => return None,
                    (source, arg) if is_given(source, arg, is_same) => {}
                    _ => return None,
                }
            }
        }
        Some(least)
    }
}

/// Turns that follow each other.
struct Found<'t> {
    template: &'t Template<'t>,
    /// The first node of the first of them.
    first: usize,
    turns: usize,
    starts: Starts,
}

impl Found<'_> {
    /// Finds what the first turns read; none where they do not agree.
    fn find_starts(&mut self) -> Option<()> {
        let Template { graph, len, ref sources, .. } = *self.template;
        self.starts.clear();
        for turn in 0..MOST_DELAY.min(self.turns) {
            for (at, sources) in sources.iter().enumerate() {
                let args = &graph.nodes[self.first + turn * len + at].args;
                for (&source, &arg) in sources.iter().zip(args) {
                    let (Source::Before(at, delay), GraphArg::Node(n)) = (source, arg) else {
                        continue;
                    };
                    if delay > turn && *self.starts.entry((at, delay - turn)).or_insert(n) != n {
                        return None;
                    }
                }
            }
        }
        self.fits(&self.starts).then_some(())
    }

    /// Whether what turns begin with is of the types and shapes that they hand on.
    fn fits(&self, starts: &Starts) -> bool {
        let (graph, first) = (self.template.graph, self.template.first);
        let fits = |(&(at, _), &start): (&(usize, usize), &u32)| {
            let is_before = (start as usize) < self.first;
            let (own, start) = (&graph.nodes[first + at], &graph.nodes[start as usize]);
            // What shares another array's data is nothing to be handed on by itself.
            let is_own = own.op != NodeOp::Reshape && start.window.is_none();
            is_before && is_own && own.shape == start.shape && own.dtype == start.dtype
        };
        starts.iter().all(fits)
    }

    fn end(&self) -> usize {
        self.template.first + self.template.len
    }

    /// The node that a state is in the end.
    fn end_of(&self, (at, delay): (usize, usize)) -> u32 {
        (self.template.first + at - (delay - 1) * self.template.len) as u32
    }

    /// Whether nothing of the turns is read afterwards but the state in the end.
    fn ends_with_state(&self) -> bool {
        let graph = self.template.graph;
        let ends: FxHashSet<u32> = self.starts.keys().map(|&state| self.end_of(state)).collect();
        let is_inside = |n: u32| (self.first..self.end()).contains(&(n as usize));
        let is_known = |n: u32| !is_inside(n) || ends.contains(&n);
        let later = graph.nodes[self.end()..].iter().flat_map(read_by);
        later.chain(graph.roots.iter().copied()).all(is_known)
            && !graph.in_place.iter().any(|&n| is_inside(n))
    }

    /// Takes in turns before these that lie elsewhere, and gives the loop.
    fn period(mut self, is_same: IsSame) -> Option<Period> {
        let Template { first, len, .. } = *self.template;
        // The nodes of one turn after the other, each in the order of the last one's.
        let mut nodes: Vec<u32> = (self.first as u32..self.end() as u32).collect();
        for _ in 0..MOST_EARLIER {
            let Some((earlier, starts)) = self.earlier_turn(&nodes, is_same) else { break };
            nodes.extend(earlier);
            self.starts = starts;
        }
        let state = |(&(at, delay), &start): (&(usize, usize), &u32)| {
            let (node, end) = ((first + at) as u32, self.end_of((at, delay)));
            State { node, delay, read: node - (delay * len) as u32, start, end }
        };
        let mut states: Vec<State> = self.starts.iter().map(state).collect();
        states.sort_unstable_by_key(|state| (state.node, state.delay));
        let same = self.template.same_scalars(&nodes);
        let turns = nodes.len() / len;
        let turn = (first as u32..(first + len) as u32).collect();
        (nodes.len() >= LEAST_NODES).then_some(Period { turn, turns, states, nodes, same })
    }

    /// The turn before the first one, whose nodes do not follow each other, in the order of the last
    /// one's, and what it reads; none where there is no such turn, or others read its nodes, too.
    fn earlier_turn(&self, nodes: &[u32], is_same: IsSame) -> Option<(Vec<u32>, Starts)> {
        let Template { graph, len, ref sources, .. } = *self.template;
        // What nobody reads has no place in another turn.
        let unread = |at: usize| {
            let n = self.template.first + at;
            (graph.nodes[n].leaf.is_some()).then_some(n as u32)
        };
        let mut made: Vec<Option<u32>> = (0..len).map(unread).collect();
        let mut starts = Starts::default();
        let result =
            |(&(at, delay), &start): (&(usize, usize), &u32)| (delay == 1).then_some((at, start));
        let mut waiting: Vec<(usize, u32)> =
            self.starts.iter().map(result).collect::<Option<_>>()?;
        while let Some((at, n)) = waiting.pop() {
            if made[at].is_some_and(|known| known != n) {
                return None;
            }
            if made[at].replace(n).is_some() {
                continue;
            }
            if !self.template.is_like(at, n as usize) {
                return None;
            }
            for (&source, &arg) in sources[at].iter().zip(&graph.nodes[n as usize].args) {
                match (source, arg) {
                    (Source::Own(at), GraphArg::Node(n)) => waiting.push((at, n)),
                    (Source::Before(at, 1), GraphArg::Node(n))
                        if *starts.entry((at, 1)).or_insert(n) == n => {}
                    (source, arg) if is_given(source, arg, is_same) => {}
                    _ => return None,
                }
            }
        }
        let made: Vec<u32> = made.into_iter().collect::<Option<_>>()?;
        let is_before = starts.values().all(|start| !made.contains(start));
        let is_whole = starts.len() == self.starts.len() && is_before && self.fits(&starts);
        (is_whole && self.are_read_here_alone(&made, nodes)).then_some((made, starts))
    }

    /// Whether nodes are read by each other and, as their results, by the next turn alone.
    fn are_read_here_alone(&self, made: &[u32], later: &[u32]) -> bool {
        let graph = self.template.graph;
        let own: FxHashSet<u32> = made.iter().copied().collect();
        let reads = |node: &GraphNode| read_by(node).filter(|n| own.contains(n)).count();
        let all: usize = graph.nodes.iter().map(reads).sum();
        let here: usize = own.iter().chain(later).map(|&n| reads(&graph.nodes[n as usize])).sum();
        let mut given = self.template.sources.iter().flatten();
        let is_given = given.any(|source| matches!(source, Source::Given(n) if own.contains(n)));
        all == here && !is_given && !graph.roots.iter().any(|root| own.contains(root))
    }
}

/// The nodes that a node reads.
fn read_by(node: &GraphNode) -> impl Iterator<Item = u32> {
    node.args.iter().filter_map(|arg| match arg {
        GraphArg::Node(n) => Some(*n),
        GraphArg::Scalar(_) => None,
    })
}
