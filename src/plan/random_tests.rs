//! Random graphs: the fused plan and the plan that stores every node give the same values, both
//! run by the reference interpreter.

use super::tests::Maker;
use super::{Graph, GraphArg, Options, Place, ScalarSource, plan_forced};
use crate::dtype::{DType, Scalar};
use crate::graph::{AxisMap, NodeOp, View, Wrap};
use crate::kernel::reference;
use crate::table::{Op, Reduction};
use std::collections::HashMap;
use std::sync::Arc;

/// A small linear congruential generator: the same cases on every machine.
pub(super) struct Rng(pub u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

pub(super) fn random_graph(seed: u64) -> (Maker, Vec<GraphArg>) {
    let mut r = Rng(seed);
    let mut m = Maker::default();
    let base: Vec<usize> = (0..1 + r.below(3)).map(|_| 1 + r.below(12)).collect();
    let mut nodes = vec![m.leaf(&base), m.leaf(&base)];
    for _ in 0..3 + r.below(12) {
        let pick = r.below(nodes.len());
        let x = nodes[pick];
        let shape = m.shape(x);
        let rank = shape.len();
        let new = match r.below(16) {
            0 | 1 => {
                let op = [Op::Sin, Op::Square, Op::Negative, Op::Abs][r.below(4)];
                m.map(op, &[x])
            }
            2..=4 => {
                let y = nodes[r.below(nodes.len())];
                if crate::shape::broadcast(&shape, &m.shape(y)).is_none() {
                    continue;
                }
                let op = [Op::Add, Op::Subtract, Op::Multiply, Op::Maximum][r.below(4)];
                m.map(op, &[x, y])
            }
            5 if rank > 0 => {
                let axes: Vec<usize> = (0..rank).filter(|_| r.below(2) == 0).collect();
                if axes.is_empty() {
                    continue;
                }
                let op = [Reduction::Sum, Reduction::Max, Reduction::Min][r.below(3)];
                m.reduce(op, x, &axes, r.below(3) > 0)
            }
            6 if rank > 0 => {
                let by = r.below(5) as i64 - 2;
                m.roll(x, by, r.below(rank))
            }
            7 if rank > 0 => {
                let axis = r.below(rank);
                let (len, step) = (shape[axis], if r.below(2) == 0 { -1 } else { 1 });
                let out_len = 1 + r.below(len);
                let offset = if step < 0 { len as i64 - 1 } else { (len - out_len) as i64 };
                let mut view = View::identity(rank);
                view.0[axis] = AxisMap::affine(axis, offset, step);
                let mut out = shape.to_vec();
                out[axis] = out_len;
                m.push(NodeOp::View(Arc::new(view)), &[x], &out, DType::F64)
            }
            8 => {
                let n: usize = shape.iter().product();
                let options: Vec<usize> = (1..=n).filter(|d| n.is_multiple_of(*d)).collect();
                let d = options[r.below(options.len())];
                m.push(NodeOp::Reshape, &[x], &[d, n / d], DType::F64)
            }
            9 if rank > 0 => {
                let before: Box<[usize]> = (0..rank).map(|_| r.below(3)).collect();
                let out: Vec<usize> =
                    (0..rank).map(|k| shape[k] + before[k] + r.below(3)).collect();
                let fill = m.scalar();
                m.push(NodeOp::Pad { before }, &[x, fill], &out, DType::F64)
            }
            10 if rank > 0 => {
                let axis = r.below(rank);
                let mut out = shape.to_vec();
                out[axis] *= 2;
                let y = m.map(Op::Negative, &[x]);
                m.push(NodeOp::Concat { axis: axis as u8 }, &[x, y], &out, DType::F64)
            }
            11 if rank > 0 => {
                let axis = r.below(rank);
                let n = shape[axis] as i64;
                let mut view = View::identity(rank);
                let wrap = [Wrap::Mod(n), Wrap::Clamp(n), Wrap::Reflect(n)][r.below(3)];
                let offset = if matches!(wrap, Wrap::Mod(_)) { n } else { -2 };
                view.0[axis] = AxisMap::affine(axis, offset, 1).wrapped(wrap);
                let mut out = shape.to_vec();
                out[axis] += 3;
                m.push(NodeOp::View(Arc::new(view)), &[x], &out, DType::F64)
            }
            12 | 13 if rank > 0 => {
                // A sum over windows of a ring.
                let (axis, reach) = (r.below(rank), 1 + r.below(3));
                let n = shape[axis] as i64;
                let mut view = View::identity(rank);
                let mut map = AxisMap::affine(axis, n * reach as i64 - reach as i64, 1);
                map.terms.push((rank as u8, 1));
                view.0[axis] = map.wrapped(Wrap::Mod(n));
                let mut windows = shape.to_vec();
                windows.push(2 * reach + 1);
                let windows = m.push(NodeOp::View(Arc::new(view)), &[x], &windows, DType::F64);
                m.reduce([Reduction::Sum, Reduction::Max][r.below(2)], windows, &[rank], false)
            }
            14 | 15 if rank > 0 => {
                let axis = r.below(rank);
                if shape[axis] < 2 {
                    continue;
                }
                m.scan(
                    [Reduction::Sum, Reduction::Max][r.below(2)],
                    x,
                    axis,
                    r.below(3) == 0,
                    r.below(3) == 0,
                )
            }
            _ => continue,
        };
        if m.shape(new).iter().product::<usize>() < 3000 {
            nodes.push(new);
        }
    }
    let mut roots = vec![*nodes.last().expect("there are leaves")];
    for _ in 0..r.below(3) {
        roots.push(nodes[r.below(nodes.len())]);
    }
    (m, roots)
}

/// Runs the plan of a graph; every node listed in `forced` is stored.
fn run(
    graph: &Graph,
    forced: &[bool],
    row_capacity: usize,
    launch_cost: f64,
) -> HashMap<u32, Vec<f64>> {
    let plan = plan_forced(
        graph,
        Options {
            row_capacity,
            pieces_from: (row_capacity == 0).then_some(4),
            max_values: 2000,
            max_weight: None,
            launch_cost,
            slack: launch_cost,
            epilogues: false,
            one_order: false,
        },
        forced.to_vec(),
    );
    let mut buffers: HashMap<u32, Vec<u8>> = HashMap::new();
    let leaves: Vec<Vec<u8>> = graph
        .nodes
        .iter()
        .filter(|n| n.leaf.is_some())
        .enumerate()
        .map(|(k, n)| {
            let value = |i: usize| ((i * 37 + k * 11) % 23) as f64 * 0.25 - 2.0;
            (0..n.len()).flat_map(|i| value(i).to_le_bytes()).collect()
        })
        .collect();
    for step in plan.kernels() {
        let inputs: Vec<&[u8]> = step
            .inputs
            .iter()
            .map(|p| match p {
                Place::Leaf(k) => &leaves[*k as usize][..],
                Place::Node(n) => &buffers[n][..],
                Place::Part(..) => unreachable!("there are no library calls here"),
            })
            .collect();
        let size = |o: &crate::kernel::Output| o.len * o.dtype.size();
        let mut outputs: Vec<Vec<u8>> =
            step.kernel.outputs.iter().map(|o| vec![0xAA; size(o)]).collect();
        let scalars: Vec<Scalar> = step
            .scalars
            .iter()
            .map(|s| match *s {
                ScalarSource::Slot(k) => Scalar::new(f64::from(k) * 0.5 + 1.0),
                ScalarSource::Literal(s) => s,
            })
            .collect();
        reference::run(&step.kernel, &inputs, &mut outputs, &scalars);
        for (n, bytes) in step.outputs.iter().zip(outputs) {
            buffers.insert(*n, bytes);
        }
    }
    let number = |b: &[u8]| f64::from_le_bytes(b.try_into().expect("eight bytes"));
    let numbers = |bytes: Vec<u8>| bytes.chunks(8).map(number).collect();
    buffers.into_iter().map(|(n, bytes)| (n, numbers(bytes))).collect()
}

#[test]
fn fused_and_stored_graphs_agree() {
    for seed in 0..1000 {
        let (m, roots) = random_graph(seed);
        let mut graph = m.0;
        for root in &roots {
            if let GraphArg::Node(k) = root
                && graph.nodes[*k as usize].leaf.is_none()
                && !graph.roots.contains(k)
            {
                graph.roots.push(*k);
            }
        }
        if graph.roots.is_empty() {
            continue;
        }
        let all: Vec<bool> = graph.nodes.iter().map(|n| n.leaf.is_none()).collect();
        let stored = run(&graph, &all, 0, 0.0);
        for (capacity, launch_cost) in [(0, 1e6), (0, 0.0), (1 << 20, 1e6), (1 << 20, 0.0)] {
            let fused = run(&graph, &vec![false; graph.nodes.len()], capacity, launch_cost);
            for root in &graph.roots {
                let (a, b) = (&stored[root], &fused[root]);
                assert_eq!(a.len(), b.len(), "seed {seed}");
                for (k, (x, y)) in a.iter().zip(b).enumerate() {
                    let close = (x - y).abs() <= 1e-9 * (1.0 + x.abs());
                    assert!(
                        close || x == y || (x.is_nan() && y.is_nan()),
                        "seed {seed}, node {root}, element {k}: stored {x}, fused {y}\n{graph:#?}"
                    );
                }
            }
        }
    }
}
