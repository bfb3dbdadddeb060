//! The bound on work, and that loops of turns become kernels that repeat: counted in the kernels of
//! random graphs and loops, which are planned and not run.

use super::random_tests::{Rng, random_graph};
use super::tests::Maker;
use super::{Graph, GraphArg, Options, Plan, bound, cut, plan};
use crate::backend::cuda::render::tests::{source, weight};
use crate::dtype::DType;
use crate::graph::{AxisMap, NodeOp, View};
use crate::kernel::{self, Kernel};
use crate::table::{Op, Reduction};
use std::collections::HashSet;
use std::sync::Arc;

type N = GraphArg;

fn options(row_capacity: usize, launch_cost: f64) -> Options {
    let max_values = crate::eval::MAX_VALUES;
    Options {
        row_capacity,
        pieces_from: (launch_cost < 1e6).then_some(16),
        max_values,
        max_weight: Some(crate::kernel::weight::MOST),
        launch_cost,
        slack: launch_cost,
        epilogues: false,
        one_order: false,
    }
}

/// The graph that stores some nodes, each once.
fn storing(m: Maker, roots: &[N]) -> Graph {
    let mut graph = m.0;
    for root in roots {
        if let GraphArg::Node(k) = root
            && graph.nodes[*k as usize].leaf.is_none()
            && !graph.roots.contains(k)
        {
            graph.roots.push(*k);
        }
    }
    graph
}

#[track_caller]
fn keeps_to_the_bound(graph: &Graph, what: &dyn std::fmt::Display) {
    for (capacity, launch_cost) in [(0, 0.0), (200 << 10, 0.0), (200 << 10, 1e6)] {
        let plan = plan(graph, options(capacity, launch_cost));
        let (work, each) = (bound::of_plan(&plan), bound::of_each(graph, &[]));
        let most = bound::MOST * each + launch_cost;
        assert!(
            work <= most,
            "{what}, rows of {capacity}: {work} where every node once is {each}\n{graph:#?}"
        );
        for step in plan.kernels() {
            is_small(&step.kernel, what);
        }
    }
}

#[track_caller]
fn is_small(kernel: &Kernel, what: &dyn std::fmt::Display) {
    let (loops, sweeps) = (cut::long_loops(kernel), kernel.phases().sweeps.len());
    let fits = kernel.values.len() <= crate::eval::MAX_VALUES;
    assert!(
        fits && loops <= cut::MOST_LOOPS && sweeps <= cut::MOST_SWEEPS,
        "{what}: {} values, {loops} loops, {sweeps} sweeps",
        kernel.values.len()
    );
    let compiled = weight(kernel).unwrap_or(0);
    assert!(
        compiled <= kernel::weight::MOST,
        "{what}: {compiled} microseconds to compile, at least {} by the planner\n{kernel}\n{}",
        kernel::weight::least(kernel, &kernel.phases()),
        source(kernel)
    );
}

impl Maker {
    fn insert_axis(&mut self, x: N, axis: usize) -> N {
        let shape = self.shape(x);
        let (mut maps, mut out) = (Vec::new(), shape.to_vec());
        out.insert(axis, 1);
        for k in 0..out.len() {
            if k != axis {
                maps.push(AxisMap::same(k));
            }
        }
        let dtype = crate::dtype::DType::F64;
        self.push(NodeOp::View(Arc::new(View(maps.into_iter().collect()))), &[x], &out, dtype)
    }

    /// `x * scalar`.
    fn scaled(&mut self, x: N) -> N {
        let scalar = self.scalar();
        self.map(Op::Multiply, &[x, scalar])
    }

    /// The sum of the neighbours less `x` itself some times.
    fn laplacian(&mut self, x: N) -> N {
        let mut sum = self.scaled(x);
        for axis in 0..self.shape(x).len() {
            for by in [1, -1] {
                let moved = self.roll(x, by, axis);
                sum = self.map(Op::Add, &[sum, moved]);
            }
        }
        sum
    }

    /// The sum over all pairs of a line: `(d / (d² + c)).sum(1)`.
    fn pairs(&mut self, x: N) -> N {
        let across = self.insert_axis(x, 1);
        let d = self.map(Op::Subtract, &[x, across]);
        let square = self.map(Op::Square, &[d]);
        let c = self.scalar();
        let below = self.map(Op::Add, &[square, c]);
        let each = self.map(Op::Divide, &[d, below]);
        self.reduce(Reduction::Sum, each, &[1], false)
    }
}

/// One turn of a loop: the states after it.
type Turn = fn(&mut Maker, &[N]) -> Vec<N>;

/// A loop of so many turns over fields of a shape.
fn looped(shape: &[usize], fields: usize, turns: usize, turn: Turn) -> Graph {
    let mut m = Maker::default();
    let mut state: Vec<N> = (0..fields).map(|_| m.leaf(shape)).collect();
    for _ in 0..turns {
        state = turn(&mut m, &state);
    }
    storing(m, &state)
}

fn pair_sums(m: &mut Maker, s: &[N]) -> Vec<N> {
    let force = m.pairs(s[0]);
    let step = m.scaled(force);
    vec![m.map(Op::Add, &[s[0], step])]
}

fn gray_scott(m: &mut Maker, s: &[N]) -> Vec<N> {
    let [u, v] = [s[0], s[1]];
    let vv = m.map(Op::Square, &[v]);
    let uvv = m.map(Op::Multiply, &[u, vv]);
    let spread = |m: &mut Maker, x: N, op: Op| {
        let l = m.laplacian(x);
        let l = m.scaled(l);
        let sum = m.map(Op::Add, &[x, l]);
        let sum = m.map(op, &[sum, uvv]);
        let fed = m.scaled(x);
        m.map(Op::Add, &[sum, fed])
    };
    let new_u = spread(m, u, Op::Subtract);
    vec![new_u, spread(m, v, Op::Add)]
}

/// Bodies that attract each other: positions and velocities on two axes.
fn bodies(m: &mut Maker, s: &[N]) -> Vec<N> {
    let [x, y, vx, vy] = [s[0], s[1], s[2], s[3]];
    let apart = |m: &mut Maker, x: N| {
        let across = m.insert_axis(x, 1);
        m.map(Op::Subtract, &[x, across])
    };
    let (dx, dy) = (apart(m, x), apart(m, y));
    let (xx, yy) = (m.map(Op::Square, &[dx]), m.map(Op::Square, &[dy]));
    let r2 = m.map(Op::Add, &[xx, yy]);
    let c = m.scalar();
    let r2 = m.map(Op::Add, &[r2, c]);
    let r = m.map(Op::Sqrt, &[r2]);
    let cube = m.map(Op::Multiply, &[r2, r]);
    let mut out = Vec::new();
    let mut speeds = Vec::new();
    for (position, speed, d) in [(x, vx, dx), (y, vy, dy)] {
        let each = m.map(Op::Divide, &[d, cube]);
        let force = m.reduce(Reduction::Sum, each, &[1], false);
        let force = m.scaled(force);
        let speed = m.map(Op::Add, &[speed, force]);
        let way = m.scaled(speed);
        out.push(m.map(Op::Add, &[position, way]));
        speeds.push(speed);
    }
    out.extend(speeds);
    out
}

/// Sweeps along rows and then along columns, as in an alternating implicit scheme.
fn sweeps(m: &mut Maker, s: &[N]) -> Vec<N> {
    let mut x = s[0];
    for axis in [0, 1] {
        let forth = m.scan(Reduction::Sum, x, axis, false, false);
        let forth = m.scaled(forth);
        let back = m.scan(Reduction::Sum, forth, axis, false, true);
        let back = m.scaled(back);
        x = m.map(Op::Add, &[x, back]);
    }
    vec![x]
}

/// A pressure that is smoothed some times, and velocities that it drives.
fn channel(m: &mut Maker, s: &[N]) -> Vec<N> {
    let [u, v, mut p] = [s[0], s[1], s[2]];
    let gradient = |m: &mut Maker, x: N, axis: usize| {
        let (a, b) = (m.roll(x, 1, axis), m.roll(x, -1, axis));
        m.map(Op::Subtract, &[a, b])
    };
    let (ux, vy) = (gradient(m, u, 1), gradient(m, v, 0));
    let source = m.map(Op::Add, &[ux, vy]);
    for _ in 0..5 {
        let l = m.laplacian(p);
        let l = m.map(Op::Subtract, &[l, source]);
        p = m.scaled(l);
    }
    let mut out = Vec::new();
    for (field, axis) in [(u, 1), (v, 0)] {
        let (g, l) = (gradient(m, p, axis), m.laplacian(field));
        let (g, l) = (m.scaled(g), m.scaled(l));
        let carried = gradient(m, field, axis);
        let carried = m.map(Op::Multiply, &[carried, u]);
        let sum = m.map(Op::Add, &[field, l]);
        let sum = m.map(Op::Subtract, &[sum, g]);
        out.push(m.map(Op::Subtract, &[sum, carried]));
    }
    out.push(p);
    out
}

/// What is normalised by its own mean in each turn.
fn normalised(m: &mut Maker, s: &[N]) -> Vec<N> {
    let top = m.reduce(Reduction::Max, s[0], &[1], true);
    let less = m.map(Op::Subtract, &[s[0], top]);
    let e = m.map(Op::Exp, &[less]);
    let sum = m.reduce(Reduction::Sum, e, &[1], true);
    vec![m.map(Op::Divide, &[e, sum])]
}

/// A formula of many operations for each element.
fn formula(m: &mut Maker, s: &[N]) -> Vec<N> {
    let [mut x, mut y] = [s[0], s[1]];
    for _ in 0..6 {
        let (a, b) = (m.map(Op::Multiply, &[x, y]), m.map(Op::Square, &[x]));
        let (a, b) = (m.scaled(a), m.scaled(b));
        let c = m.map(Op::Subtract, &[a, y]);
        (x, y) = (m.map(Op::Add, &[x, c]), m.map(Op::Subtract, &[b, y]));
    }
    vec![x, y]
}

const LOOPS: &[(&str, &[usize], usize, Turn)] = &[
    ("pair sums", &[64], 1, pair_sums),
    ("bodies", &[100], 4, bodies),
    ("Gray-Scott", &[256, 256], 2, gray_scott),
    ("a small Gray-Scott", &[32, 32], 2, gray_scott),
    ("sweeps", &[200, 200], 1, sweeps),
    ("channel flow", &[61, 61], 3, channel),
    ("rows", &[128, 300], 1, normalised),
    ("a formula", &[10_000], 2, formula),
];

#[test]
fn loops_keep_to_the_bound() {
    for &(name, shape, fields, turn) in LOOPS {
        for turns in [1, 2, 3, 5, 10, 14, 15, 17, 20] {
            let graph = looped(shape, fields, turns, turn);
            keeps_to_the_bound(&graph, &format!("{turns} turns of {name}"));
        }
    }
}

/// How many kernels a GPU's compiler would make.
fn distinct(plan: &Plan) -> usize {
    plan.kernels().map(|step| source(&step.kernel)).collect::<HashSet<_>>().len()
}

/// What a sum folds need not depend on the loop around it: it is computed there all the same.
#[test]
fn sums_of_sums_are_not_computed_in_every_turn_of_each_other() {
    for products in 2..=27 {
        let mut m = Maker::default();
        let (matrix, mut row) = (m.leaf(&[5, 5]), m.leaf(&[5]));
        let sizes = m.map(Op::Abs, &[matrix]);
        for _ in 0..products {
            let down = m.insert_axis(row, 1);
            let each = m.map(Op::Multiply, &[down, sizes]);
            row = m.reduce(Reduction::Sum, each, &[0], false);
        }
        let graph = storing(m, &[row]);
        keeps_to_the_bound(&graph, &format!("{products} products"));
        let plan = plan(&graph, options(200 << 10, 0.0));
        let turns = |kernel: &Kernel| kernel.axes.iter().map(|axis| axis.extent).product::<usize>();
        let most = plan.kernels().map(|step| turns(&step.kernel)).max().unwrap();
        // Two sums inside of a third cost less than storing them, however many follow.
        assert!(most <= 5 * 5 * 5 * 5, "{products} products: {most} turns");
    }
}

#[test]
fn turns_become_kernels_that_repeat() {
    /// However many turns there are.
    const MOST_DISTINCT: usize = 12;
    let mut wrong = Vec::new();
    // The turns of others are not cut alike yet.
    let alike = |name: &str| !["bodies", "channel flow"].contains(&name);
    for &(name, shape, fields, turn) in LOOPS.iter().filter(|form| alike(form.0)) {
        let kernels = |turns: usize| {
            let graph = looped(shape, fields, turns, turn);
            let plan = plan(&graph, options(200 << 10, 1e6));
            println!("{turns} of {name}: {} of {}", distinct(&plan), plan.kernels().count());
            distinct(&plan)
        };
        let counts = [10, 20, 40, 60].map(kernels);
        let most = counts[..2].iter().max().unwrap() + 2;
        if !counts.iter().all(|&n| n <= most && n <= MOST_DISTINCT) {
            wrong.push(format!("{name}: {counts:?} kernels"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A random turn of a loop, done some times, over one field or two.
fn random_loop(seed: u64) -> Graph {
    let mut r = Rng(seed);
    let mut m = Maker::default();
    let n = [8, 32, 100, 256][r.below(4)];
    let shape: Vec<usize> = if r.below(2) == 0 { vec![n] } else { vec![n, 1 + r.below(n)] };
    let mut state: Vec<N> = (0..1 + r.below(2)).map(|_| m.leaf(&shape)).collect();
    let recipe: Vec<(usize, usize, usize)> =
        (0..1 + r.below(5)).map(|_| (r.below(9), r.below(8), r.below(shape.len()))).collect();
    for _ in 0..1 + r.below(12) {
        let mut made = state.clone();
        for &(what, which, axis) in &recipe {
            let x = made[which % made.len()];
            let new = match what {
                0 => m.laplacian(x),
                1 if shape.len() == 1 => m.pairs(x),
                2 if shape[axis] > 1 => m.scan(Reduction::Sum, x, axis, false, which % 2 == 0),
                3 => {
                    let sum =
                        m.reduce([Reduction::Sum, Reduction::Max][which % 2], x, &[axis], true);
                    m.map(Op::Subtract, &[x, sum])
                }
                4 => m.map([Op::Exp, Op::Sin, Op::Square][which % 3], &[x]),
                5 => {
                    let last = *made.last().expect("there is a state");
                    m.map([Op::Multiply, Op::Subtract][which % 2], &[x, last])
                }
                6 if shape[axis] > 1 => {
                    // The first half of one, the other half of another.
                    let half = shape[axis] / 2;
                    let mut lens = shape.clone();
                    let mut starts = vec![0; shape.len()];
                    lens[axis] = half;
                    let low = m.slice(x, &starts, &lens);
                    let y = m.map(Op::Negative, &[made[0]]);
                    (starts[axis], lens[axis]) = (half, shape[axis] - half);
                    let high = m.slice(y, &starts, &lens);
                    let dtype = crate::dtype::DType::F64;
                    m.push(NodeOp::Concat { axis: axis as u8 }, &[low, high], &shape, dtype)
                }
                7 => {
                    // Many readers of one array.
                    let e = m.map(Op::Exp, &[x]);
                    let mut sum = e;
                    for by in 1..6 {
                        let moved = m.roll(e, by, axis);
                        sum = m.map(Op::Add, &[sum, moved]);
                    }
                    sum
                }
                _ => m.scaled(x),
            };
            made.push(new);
        }
        for (k, old) in state.iter_mut().enumerate() {
            let new = made[made.len() - 1 - k];
            *old = m.map(Op::Add, &[*old, new]);
        }
    }
    storing(m, &state)
}

fn random_graphs_keep_to_the_bound(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        keeps_to_the_bound(&random_loop(seed), &format!("loop {seed}"));
        let (m, roots) = random_graph(seed);
        let graph = storing(m, &roots);
        if !graph.roots.is_empty() {
            keeps_to_the_bound(&graph, &format!("graph {seed}"));
        }
    }
}

/// A random formula of many functions, each of what was computed shortly before, for each element.
fn random_formula(seed: u64) -> Graph {
    use crate::table::Form;
    let mut r = Rng(seed);
    let mut m = Maker::default();
    let dtype =
        [DType::F16, DType::F32, DType::F64, DType::C64, DType::C128, DType::I32][r.below(6)];
    let shape = [[1 << 20, 1], [100, 300], [1001, 3]][r.below(3)];
    let fits = |op: &&Op| {
        op.class().contains(dtype)
            && op.result(dtype) == dtype
            && matches!(op.form(), Form::unary | Form::binary)
    };
    let all: Vec<Op> = Op::ALL.iter().filter(fits).copied().collect();
    let kinds = [2, 5, 20, all.len()][r.below(4)].min(all.len());
    let ops: Vec<Op> = (0..kinds).map(|_| all[r.below(all.len())]).collect();
    let mut made: Vec<N> = (0..2).map(|_| m.leaf(&shape)).collect();
    for leaf in &mut m.0.nodes {
        leaf.dtype = dtype;
    }
    for _ in 0..[10, 60, 300, 1500][r.below(4)] {
        let op = ops[r.below(ops.len())];
        let mut args = vec![made[made.len() - 1 - r.below(made.len().min(4))]];
        if op.arity() == 2 {
            args.push(made[made.len() - 1 - r.below(made.len().min(9))]);
        }
        made.push(m.push(NodeOp::Map(op), &args, &shape, dtype));
    }
    let last = made[made.len() - 1];
    let root = match r.below(3) {
        0 if !matches!(dtype, DType::F16) => {
            m.push(NodeOp::Reduce { op: Reduction::Sum, axes: 1 }, &[last], &shape[1..], dtype)
        }
        _ => last,
    };
    storing(m, &[root])
}

/// Whatever is called how often, kernels compile in bounded time: counted, as times depend on the
/// machine.
#[test]
fn formulas_of_many_functions_are_kernels_that_compile_soon() {
    formulas_keep_to_the_bound(0..120);
}

#[test]
#[ignore = "takes many minutes"]
fn many_formulas_are_kernels_that_compile_soon() {
    formulas_keep_to_the_bound(120..3000);
}

fn formulas_keep_to_the_bound(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        keeps_to_the_bound(&random_formula(seed), &format!("formula {seed}"));
    }
}

#[test]
fn random_graphs_keep_to_the_bound_on_work() {
    random_graphs_keep_to_the_bound(0..1500);
}

/// The long run: `cargo test --release --lib bound -- --ignored`.
#[test]
#[ignore = "takes many minutes"]
fn a_hundred_thousand_graphs_keep_to_the_bound_on_work() {
    random_graphs_keep_to_the_bound(1500..50_000);
}
