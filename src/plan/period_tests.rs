//! Recorded loops are found, and are what was recorded: random loops are computed with symbols in the
//! place of values.

use super::period::{Order, Period, find};
use super::random_tests::{Rng, random_graph};
use super::tests::Maker;
use super::{Graph, GraphArg, steps_of};
use crate::table::Op;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

type N = GraphArg;

const ORDERS: [Order; 2] = [Order::Walked, Order::Late];

/// The steps that the search may take for each node of a graph.
const STEPS_A_NODE: usize = 120;

/// A recorded loop: what is asked for, and which scalars have the same value.
struct Recorded {
    maker: Maker,
    roots: Vec<N>,
    values: Vec<u32>,
}

/// What each turn of a random loop does: an operation and where its arguments come from.
struct Line {
    op: Op,
    args: Vec<From>,
}

#[derive(Clone, Copy)]
enum From {
    /// A component of the state, so many turns ago.
    State(usize, usize),
    /// An earlier line.
    Line(usize),
    /// What was there before the loop.
    Given(usize),
    /// A number, which may be another one in each turn.
    Number(u32, bool),
}

fn recorded(seed: u64, turns: usize, numbers_change: bool) -> Recorded {
    let mut r = Rng(seed);
    let mut m = Maker::default();
    let states = 1 + r.below(3);
    let lines = states + 2 + r.below(9);
    let script: Vec<Line> = (0..lines).map(|k| line(&mut r, k, states, numbers_change)).collect();
    let given = vec![m.leaf(&[5, 7]), m.leaf(&[7]), m.leaf(&[5, 1])];
    let mut given = given;
    given.push(m.map(Op::Sin, &[given[1]]));
    // The last two states: of the turn before, and of the one before that.
    let start: Vec<N> = (0..states).map(|_| m.leaf(&[5, 7])).collect();
    let mut before = [start.clone(), start];
    let mut values = Vec::new();
    for turn in 0..turns {
        let mut made: Vec<N> = Vec::new();
        for line in &script {
            let mut arg = |m: &mut Maker, from: From| match from {
                From::State(k, ago) => before[ago][k],
                From::Line(k) => made[k],
                From::Given(k) => given[k],
                From::Number(value, changes) => {
                    values.push(if changes { 1000 * turn as u32 + value } else { value });
                    m.scalar()
                }
            };
            let args: Vec<N> = line.args.iter().map(|&from| arg(&mut m, from)).collect();
            made.push(m.map(line.op, &args));
        }
        let next = made[lines - states..].to_vec();
        before = [next, before[0].clone()];
    }
    let mut roots = before[0].clone();
    if r.below(3) == 0 {
        // What is asked for afterwards.
        roots = vec![m.map(Op::Exp, &[roots[0]]), roots[states - 1]];
    }
    Recorded { maker: m, roots, values }
}

fn line(r: &mut Rng, k: usize, states: usize, numbers_change: bool) -> Line {
    let op = [Op::Add, Op::Multiply, Op::Subtract, Op::Tanh, Op::Square][r.below(5)];
    let count = if matches!(op, Op::Tanh | Op::Square) { 1 } else { 2 };
    let mut args: Vec<From> = (0..count)
        .map(|_| match r.below(8) {
            0 | 1 if k > 0 => From::Line(r.below(k)),
            2 => From::Given(r.below(4)),
            3 => From::Number(r.below(3) as u32, numbers_change),
            4 => From::State(r.below(states), 1),
            _ => From::State(r.below(states), 0),
        })
        .collect();
    // Every line has the shape of the state.
    args[0] = match k {
        0 => From::State(0, 0),
        _ => From::Line(k - 1),
    };
    Line { op, args }
}

/// The graph as a walk numbers it: what is asked for last, its arguments before it.
fn walked(recorded: Recorded) -> (Graph, Vec<u32>) {
    let Recorded { maker, roots, values } = recorded;
    let old = maker.0;
    let mut graph = Graph { nodes: Vec::new(), ..old.clone() };
    let mut number: HashMap<u32, u32> = HashMap::new();
    let (mut leaves, mut slots) = (0, Vec::new());
    for root in roots {
        let GraphArg::Node(root) = root else { unreachable!("roots are nodes") };
        let mut waiting = vec![(root, false)];
        while let Some((n, entered)) = waiting.pop() {
            if number.contains_key(&n) {
                continue;
            }
            let node = &old.nodes[n as usize];
            if !entered {
                waiting.push((n, true));
                let args = node.args.iter().rev();
                waiting.extend(args.filter_map(|arg| match arg {
                    GraphArg::Node(n) => Some((*n, false)),
                    GraphArg::Scalar(_) => None,
                }));
                continue;
            }
            let mut node = node.clone();
            for arg in &mut node.args {
                *arg = match *arg {
                    GraphArg::Node(n) => GraphArg::Node(number[&n]),
                    GraphArg::Scalar(slot) => {
                        slots.push(values[slot as usize]);
                        GraphArg::Scalar(slots.len() as u32 - 1)
                    }
                };
            }
            if node.leaf.is_some() {
                node.leaf = Some(leaves);
                leaves += 1;
            }
            number.insert(n, graph.nodes.len() as u32);
            graph.nodes.push(node);
        }
        let root = number[&root];
        if !graph.roots.contains(&root) {
            graph.roots.push(root);
        }
    }
    (graph, slots)
}

fn symbol(node: &super::GraphNode, args: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&node.op, &node.shape, node.leaf).hash(&mut hasher);
    args.for_each(|arg| arg.hash(&mut hasher));
    hasher.finish()
}

/// What each node of a graph is.
fn symbols(graph: &Graph, values: &[u32]) -> Vec<u64> {
    let mut symbols: Vec<u64> = Vec::new();
    for node in &graph.nodes {
        let arg = |arg: &GraphArg| match *arg {
            GraphArg::Node(n) => symbols[n as usize],
            GraphArg::Scalar(slot) => u64::from(values[slot as usize]),
        };
        let symbol = symbol(node, node.args.iter().map(arg));
        symbols.push(symbol);
    }
    symbols
}

/// Takes the turns of a loop, and compares what they give with what was recorded.
#[track_caller]
fn gives_what_was_recorded(graph: &Graph, values: &[u32], period: &Period) {
    let known = symbols(graph, values);
    let Period { turn, turns, states, nodes, same } = period;
    let mut state: Vec<u64> = states.iter().map(|s| known[s.start as usize]).collect();
    for _ in 0..*turns {
        let mut made: HashMap<u32, u64> = HashMap::new();
        for &at in turn {
            let node = &graph.nodes[at as usize];
            let arg = |arg: &GraphArg| match *arg {
                GraphArg::Node(n) if made.contains_key(&n) => made[&n],
                GraphArg::Node(n) => {
                    let read = states.iter().position(|s| s.read == n);
                    read.map_or(known[n as usize], |k| state[k])
                }
                GraphArg::Scalar(slot) => u64::from(values[slot as usize]),
            };
            let symbol = symbol(node, node.args.iter().map(arg));
            made.insert(at, symbol);
        }
        let next = |s: &super::period::State| match s.delay {
            1 => made[&s.node],
            delay => {
                let of = |o: &super::period::State| o.node == s.node && o.delay + 1 == delay;
                state[states.iter().position(of).expect("what is read later is kept")]
            }
        };
        state = states.iter().map(next).collect();
    }
    for (s, found) in states.iter().zip(&state) {
        assert_eq!(*found, known[s.end as usize], "{s:?} of {period:?}");
    }
    assert!(same.iter().all(|&(a, b)| values[a as usize] == values[b as usize]));
    // Nobody else reads what the turns make.
    assert_eq!(nodes.len(), turns * turn.len());
    let inside: HashSet<u32> = nodes.iter().copied().collect();
    let ends: HashSet<u32> = states.iter().map(|s| s.end).collect();
    let reads = graph.nodes.iter().zip(0..).filter(|(_, n)| !inside.contains(n));
    let reads = reads.flat_map(|(node, _)| {
        node.args.iter().filter_map(|arg| match arg {
            GraphArg::Node(n) => Some(*n),
            GraphArg::Scalar(_) => None,
        })
    });
    for n in reads.chain(graph.roots.iter().copied()) {
        assert!(!inside.contains(&n) || ends.contains(&n), "node {n} is read outside of the loop");
    }
}

#[test]
fn random_loops_are_found_and_are_what_was_recorded() {
    let (mut found, mut all) = (0, 0);
    for seed in 0..2000 {
        let turns = 4 + seed as usize % 37;
        let (graph, values) = walked(recorded(seed, turns, false));
        let is_same = |a: u32, b: u32| values[a as usize] == values[b as usize];
        let is_long = turns > 10 && graph.nodes.len() > 60;
        let mut is_found = false;
        for order in ORDERS {
            let (period, steps) = steps_of(|| find(&graph, order, &is_same));
            assert!(steps <= STEPS_A_NODE * graph.nodes.len(), "{steps} steps for seed {seed}");
            let Some(period) = period else { continue };
            gives_what_was_recorded(&graph, &values, &period);
            // All turns are in the loop but a few: the first ones read what was there before, and of
            // the last ones more may be read than their state.
            let left = graph.nodes.len() - period.nodes.len();
            is_found |= left <= 6 * graph.nodes.len() / turns + 10;
        }
        all += usize::from(is_long);
        found += usize::from(is_long && is_found);
    }
    assert!(20 * found > 19 * all, "{found} of {all} loops were found");
}

#[test]
fn numbers_that_change_make_no_loop() {
    for seed in 0..500 {
        let (graph, values) = walked(recorded(seed, 24, true));
        let is_same = |a: u32, b: u32| values[a as usize] == values[b as usize];
        for order in ORDERS {
            if let Some(period) = find(&graph, order, &is_same) {
                gives_what_was_recorded(&graph, &values, &period);
            }
        }
    }
}

#[test]
fn graphs_without_loops_have_none_that_is_wrong() {
    for seed in 0..3000 {
        let (maker, roots) = random_graph(seed);
        let values = vec![0; maker.0.slots as usize];
        let (graph, values) = walked(Recorded { maker, roots, values });
        for order in ORDERS {
            if let Some(period) = find(&graph, order, &|_, _| true) {
                gives_what_was_recorded(&graph, &values, &period);
            }
        }
    }
}
