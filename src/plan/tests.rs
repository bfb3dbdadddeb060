//! Kernel counts of the planner alone, on graphs built by hand.

use super::{Graph, GraphArg, GraphNode, KernelStep, Options, Plan, plan};
use crate::dtype::DType;
use crate::function::ScanBy;
use crate::graph::{AxisMap, NodeOp, Region, View, Wrap};
use crate::kernel::{AxisKind, Inst};
use crate::library::Library;
use crate::library::linalg::Activation;
use crate::shape::{Shape, broadcast};
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Maker(pub Graph, u32);

type N = GraphArg;

impl Maker {
    pub(super) fn push(&mut self, op: NodeOp, args: &[N], shape: &[usize], dtype: DType) -> N {
        GraphArg::Node(self.0.push(GraphNode {
            op,
            args: args.iter().copied().collect(),
            shape: Shape::from_slice(shape),
            dtype,
            leaf: None,
            window: None,
            held: false,
            activation: None,
        }))
    }

    pub(super) fn leaf(&mut self, shape: &[usize]) -> N {
        let n = self.push(NodeOp::Source, &[], shape, DType::F64);
        let GraphArg::Node(k) = n else { unreachable!() };
        self.0.nodes[k as usize].leaf = Some(self.1);
        self.1 += 1;
        n
    }

    pub(super) fn scalar(&mut self) -> N {
        self.0.scalar_types.push(DType::F64);
        self.0.slots += 1;
        GraphArg::Scalar(self.0.slots - 1)
    }

    pub(super) fn shape(&self, n: N) -> Shape {
        match n {
            GraphArg::Node(k) => self.0.nodes[k as usize].shape.clone(),
            GraphArg::Scalar(_) => Shape::new(),
        }
    }

    pub(super) fn map(&mut self, op: Op, args: &[N]) -> N {
        let shape = args
            .iter()
            .map(|&a| self.shape(a))
            .reduce(|a, b| broadcast(&a, &b).expect("shapes broadcast"))
            .expect("an operation has arguments");
        self.push(NodeOp::Map(op), args, &shape, op.result(DType::F64))
    }

    pub(super) fn reduce(&mut self, op: Reduction, x: N, axes: &[usize], keep: bool) -> N {
        let shape = self.shape(x);
        let mask = axes.iter().fold(0, |m, &k| m | 1 << k);
        let kept: Vec<usize> = (0..shape.len()).filter(|k| !axes.contains(k)).collect();
        let out: Vec<usize> = kept.iter().map(|&k| shape[k]).collect();
        let dtype = op.result(DType::F64);
        let r = self.push(NodeOp::Reduce { op, axes: mask }, &[x], &out, dtype);
        if !keep {
            return r;
        }
        let view = View(kept.iter().map(|&k| AxisMap::same(k)).collect());
        let full: Vec<usize> =
            (0..shape.len()).map(|k| if axes.contains(&k) { 1 } else { shape[k] }).collect();
        self.push(NodeOp::View(Arc::new(view)), &[r], &full, dtype)
    }

    pub(super) fn scan(
        &mut self,
        op: Reduction,
        x: N,
        axis: usize,
        exclusive: bool,
        reverse: bool,
    ) -> N {
        let shape = self.shape(x);
        let by = ScanBy::Table(op);
        let op = NodeOp::Scan { by, axis: axis as u8, output: 0, exclusive, reverse };
        self.push(op, &[x], &shape, DType::F64)
    }

    pub(super) fn roll(&mut self, x: N, by: i64, axis: usize) -> N {
        let shape = self.shape(x);
        let n = shape[axis] as i64;
        let mut view = View::identity(shape.len());
        view.0[axis] = AxisMap::affine(axis, (-by).rem_euclid(n), 1).wrapped(Wrap::Mod(n));
        self.push(NodeOp::View(Arc::new(view)), &[x], &shape, DType::F64)
    }

    pub(super) fn slice(&mut self, x: N, starts: &[usize], lens: &[usize]) -> N {
        let view = View(
            starts.iter().enumerate().map(|(k, &s)| AxisMap::affine(k, s as i64, 1)).collect(),
        );
        self.push(NodeOp::View(Arc::new(view)), &[x], lens, DType::F64)
    }

    fn plan_with(mut self, roots: &[N], row_capacity: usize) -> Plan {
        for root in roots {
            if let GraphArg::Node(k) = root {
                self.0.roots.push(*k);
            }
        }
        let plan = plan(
            &self.0,
            Options {
                row_capacity,
                pieces_from: None,
                max_values: 2000,
                max_weight: None,
                launch_cost: 1e6,
                slack: 1e6,
                epilogues: false,
                one_order: false,
            },
        );
        for step in plan.kernels() {
            println!("{}", step.kernel);
        }
        plan
    }

    fn plan(self, roots: &[N]) -> Plan {
        self.plan_with(roots, 200 << 10)
    }
}

fn first(plan: &Plan) -> &KernelStep {
    plan.kernels().next().expect("a kernel")
}

fn rows(plan: &Plan) -> usize {
    let row = |v: &&crate::kernel::Value| matches!(v.inst, Inst::Row(_));
    plan.kernels().map(|s| s.kernel.values.iter().filter(row).count()).sum()
}

#[test]
fn softmax_is_one_kernel_of_two_axes() {
    let mut m = Maker::default();
    let x = m.leaf(&[100, 500]);
    let max = m.reduce(Reduction::Max, x, &[1], true);
    let d = m.map(Op::Subtract, &[x, max]);
    let e = m.map(Op::Exp, &[d]);
    let s = m.reduce(Reduction::Sum, e, &[1], true);
    let p = m.map(Op::Divide, &[e, s]);
    let plan = m.plan(&[p]);
    assert_eq!(plan.steps.len(), 1);
    let kernel = &first(&plan).kernel;
    assert_eq!(kernel.axes.len(), 2);
    assert_eq!(kernel.axes_of(AxisKind::Reduce).len(), 1);
    assert_eq!(kernel.phases().sweeps.len(), 3);
}

#[test]
fn sum_max_argmin_together_are_one_kernel() {
    let mut m = Maker::default();
    let x = m.leaf(&[300, 400]);
    let a = m.reduce(Reduction::Sum, x, &[0, 1], false);
    let b = m.reduce(Reduction::Max, x, &[0, 1], false);
    let c = m.reduce(Reduction::ArgMin, x, &[0, 1], false);
    let plan = m.plan(&[a, b, c]);
    assert_eq!(plan.steps.len(), 1);
    assert_eq!(first(&plan).kernel.axes.len(), 1);
}

#[test]
fn mean_and_variance_over_everything_are_two_kernels() {
    let mut m = Maker::default();
    let x = m.leaf(&[3000, 400]);
    let n = m.scalar();
    let s = m.reduce(Reduction::Sum, x, &[0, 1], false);
    let mean = m.map(Op::Divide, &[s, n]);
    let d = m.map(Op::Subtract, &[x, mean]);
    let q = m.map(Op::Square, &[d]);
    let s2 = m.reduce(Reduction::Sum, q, &[0, 1], false);
    let var = m.map(Op::Divide, &[s2, n]);
    assert_eq!(m.plan(&[mean, var]).steps.len(), 2);
}

#[test]
fn pairwise_distance_is_one_kernel_with_a_serial_loop() {
    let mut m = Maker::default();
    let n = 1000;
    let p = m.leaf(&[n, 3]);
    let a = m.push(NodeOp::Reshape, &[p], &[n, 1, 3], DType::F64);
    let b = m.push(NodeOp::Reshape, &[p], &[1, n, 3], DType::F64);
    let d = m.map(Op::Subtract, &[a, b]);
    let q = m.map(Op::Square, &[d]);
    let s = m.reduce(Reduction::Sum, q, &[2], false);
    let i = m.push(NodeOp::Iota { axis: 0 }, &[], &[n, n], DType::I64);
    let j = m.push(NodeOp::Iota { axis: 1 }, &[], &[n, n], DType::I64);
    let diagonal = m.map(Op::Equal, &[i, j]);
    let (nine, zero) = (m.scalar(), m.scalar());
    let raise = m.map(Op::Select, &[diagonal, nine, zero]);
    let t = m.map(Op::Add, &[s, raise]);
    let least = m.reduce(Reduction::Min, t, &[1], false);
    let plan = m.plan(&[least]);
    assert_eq!(plan.steps.len(), 1);
    assert_eq!(first(&plan).kernel.axes_of(AxisKind::Serial).len(), 1);
}

#[test]
fn jacobi_is_one_kernel() {
    let mut m = Maker::default();
    let n = 64;
    let a = m.leaf(&[n, n]);
    let o = m.leaf(&[n, n]);
    let inner = [n - 2, n - 2];
    let at = |m: &mut Maker, i: usize, j: usize| m.slice(a, &[i, j], &inner);
    let mut s = at(&mut m, 1, 1);
    for (i, j) in [(1, 0), (1, 2), (2, 1), (0, 1)] {
        let other = at(&mut m, i, j);
        s = m.map(Op::Add, &[s, other]);
    }
    let c = m.scalar();
    let v = m.map(Op::Multiply, &[s, c]);
    let region =
        Region { starts: smallvec![1, 1], steps: smallvec![1, 1], lens: smallvec![n - 2, n - 2] };
    let op = NodeOp::Assign(Box::new(region));
    let out = m.push(op, &[o, v], &[n, n], DType::F64);
    assert_eq!(m.plan(&[out]).steps.len(), 1);
}

fn rk4(m: &mut Maker, z: N) -> N {
    let (h, h2, h6, two, f8) = (m.scalar(), m.scalar(), m.scalar(), m.scalar(), m.scalar());
    let f = |m: &mut Maker, z: N| {
        let (a, b, c) = (m.roll(z, -1, 1), m.roll(z, 2, 1), m.roll(z, 1, 1));
        let d = m.map(Op::Subtract, &[a, b]);
        let p = m.map(Op::Multiply, &[d, c]);
        let q = m.map(Op::Subtract, &[p, z]);
        m.map(Op::Add, &[q, f8])
    };
    let stage = |m: &mut Maker, k: N, h: N| {
        let s = m.map(Op::Multiply, &[k, h]);
        m.map(Op::Add, &[z, s])
    };
    let k1 = f(m, z);
    let q1 = stage(m, k1, h2);
    let k2 = f(m, q1);
    let q2 = stage(m, k2, h2);
    let k3 = f(m, q2);
    let q3 = stage(m, k3, h);
    let k4 = f(m, q3);
    let two_k2 = m.map(Op::Multiply, &[k2, two]);
    let two_k3 = m.map(Op::Multiply, &[k3, two]);
    let s = m.map(Op::Add, &[k1, two_k2]);
    let s = m.map(Op::Add, &[s, two_k3]);
    let s = m.map(Op::Add, &[s, k4]);
    let s = m.map(Op::Multiply, &[s, h6]);
    m.map(Op::Add, &[z, s])
}

#[test]
fn rk4_keeps_its_rows_on_the_chip_or_takes_four_kernels() {
    let mut m = Maker::default();
    let z = m.leaf(&[40, 960]);
    let out = rk4(&mut m, z);
    let plan = m.plan(&[out]);
    assert_eq!(plan.steps.len(), 1);
    assert!(rows(&plan) >= 2, "{} rows", rows(&plan));
    let mut m = Maker::default();
    let z = m.leaf(&[40, 960]);
    let out = rk4(&mut m, z);
    let plan = m.plan_with(&[out], 0);
    assert!(plan.steps.len() <= 4, "{} kernels", plan.steps.len());
}

/// A sum over the `2 * reach + 1` neighbours of each element of a ring.
fn windows(m: &mut Maker, x: N, reach: usize) -> N {
    let mut shape = m.shape(x);
    let (rank, n) = (shape.len(), shape[shape.len() - 1] as i64);
    let mut view = View::identity(rank);
    let mut map = AxisMap::affine(rank - 1, n - reach as i64, 1);
    map.terms.push((rank as u8, 1));
    view.0[rank - 1] = map.wrapped(Wrap::Mod(n));
    shape.push(2 * reach + 1);
    let windows = m.push(NodeOp::View(Arc::new(view)), &[x], &shape, DType::F64);
    m.reduce(Reduction::Sum, windows, &[rank], false)
}

#[test]
fn sums_over_windows_of_such_sums_are_rows() {
    let smooth = |shape: &[usize], times: usize| {
        let mut m = Maker::default();
        let mut x = m.leaf(shape);
        for _ in 0..times {
            let y = windows(&mut m, x, 16);
            x = m.map(Op::Sin, &[y]);
        }
        m.plan(&[x])
    };
    let plan = smooth(&[40, 960], 3);
    assert_eq!((plan.steps.len(), rows(&plan)), (1, 2));
    // One alone folds over the whole device; so do a few long ones, and what does not fit.
    assert_eq!(rows(&smooth(&[40, 960], 1)), 0);
    for shape in [[4, 8000], [40, 100_000]] {
        let plan = smooth(&shape, 3);
        assert_eq!((plan.steps.len(), rows(&plan)), (3, 0), "{shape:?}");
    }
    // A short row is worth a launch, however few there are.
    assert_eq!(smooth(&[1, 960], 3).steps.len(), 1);
}

#[test]
fn hdiff_is_at_most_two_kernels() {
    let mut m = Maker::default();
    let (i, j, k) = (16, 16, 4);
    let f = m.leaf(&[i + 4, j + 4, k]);
    let c = m.leaf(&[i, j, k]);
    let (four, zero) = (m.scalar(), m.scalar());
    let at = |m: &mut Maker, x: N, a: usize, b: usize, n: usize, o: usize| {
        m.slice(x, &[a, b, 0], &[n, o, k])
    };
    let mut lap = at(&mut m, f, 1, 1, i + 2, j + 2);
    lap = m.map(Op::Multiply, &[lap, four]);
    for (a, b) in [(2, 1), (0, 1), (1, 2), (1, 0)] {
        let x = at(&mut m, f, a, b, i + 2, j + 2);
        lap = m.map(Op::Subtract, &[lap, x]);
    }
    let mut flux = |di: usize, dj: usize| {
        let (n, o) = (i + di, j + dj);
        let (a, b) = (1 - di, 1 - dj);
        let hi = at(&mut m, lap, a + di, b + dj, n, o);
        let lo = at(&mut m, lap, a, b, n, o);
        let r = m.map(Op::Subtract, &[hi, lo]);
        let fh = at(&mut m, f, a + di + 1, b + dj + 1, n, o);
        let fl = at(&mut m, f, a + 1, b + 1, n, o);
        let df = m.map(Op::Subtract, &[fh, fl]);
        let p = m.map(Op::Multiply, &[r, df]);
        let up = m.map(Op::Greater, &[p, zero]);
        m.map(Op::Select, &[up, zero, r])
    };
    let (fx, fy) = (flux(1, 0), flux(0, 1));
    let a = at(&mut m, fx, 1, 0, i, j);
    let b = at(&mut m, fx, 0, 0, i, j);
    let d = at(&mut m, fy, 0, 1, i, j);
    let e = at(&mut m, fy, 0, 0, i, j);
    let x = m.map(Op::Subtract, &[a, b]);
    let y = m.map(Op::Subtract, &[d, e]);
    let s = m.map(Op::Add, &[x, y]);
    let s = m.map(Op::Multiply, &[c, s]);
    let inner = at(&mut m, f, 2, 2, i, j);
    let out = m.map(Op::Subtract, &[inner, s]);
    let plan = m.plan(&[out]);
    assert!(plan.steps.len() <= 2, "{} kernels", plan.steps.len());
}

#[test]
fn softmax_along_axis_0_and_reductions_of_reductions() {
    let mut m = Maker::default();
    let x = m.leaf(&[100, 500]);
    let max = m.reduce(Reduction::Max, x, &[0], true);
    let d = m.map(Op::Subtract, &[x, max]);
    let e = m.map(Op::Exp, &[d]);
    let s = m.reduce(Reduction::Sum, e, &[0], true);
    let p = m.map(Op::Divide, &[e, s]);
    let all = m.reduce(Reduction::Sum, p, &[0, 1], false);
    assert_eq!(m.plan(&[all]).steps.len(), 2);
    let mut m = Maker::default();
    let x = m.leaf(&[100, 500]);
    let s = m.reduce(Reduction::Sum, x, &[0], true);
    let p = m.map(Op::Divide, &[x, s]);
    assert_eq!(m.plan(&[p]).steps.len(), 1);
}

#[test]
fn an_expensive_value_read_by_many_is_stored() {
    let mut m = Maker::default();
    let (a, b) = (m.leaf(&[200, 640]), m.leaf(&[640, 200]));
    let e = m.map(Op::Exp, &[a]);
    let e = m.map(Op::Sin, &[e]);
    let e = m.map(Op::Exp, &[e]);
    let left = m.push(NodeOp::Reshape, &[e], &[200, 640, 1], DType::F64);
    let p = m.map(Op::Multiply, &[left, b]);
    let s = m.reduce(Reduction::Sum, p, &[1], false);
    assert_eq!(m.plan(&[s]).steps.len(), 2);
}

#[test]
fn a_reshape_between_elementwise_operations_needs_no_division() {
    let mut m = Maker::default();
    let x = m.leaf(&[6, 35]);
    let y = m.map(Op::Sin, &[x]);
    let z = m.push(NodeOp::Reshape, &[y], &[7, 30], DType::F64);
    let w = m.map(Op::Exp, &[z]);
    let plan = m.plan(&[w]);
    assert_eq!(plan.steps.len(), 1);
    let kernel = &first(&plan).kernel;
    assert_eq!(kernel.axes.len(), 1, "{kernel}");
    assert!(!kernel.values.iter().any(|v| v.inst.is_index()), "{kernel}");
}

/// A product of matrices, as it is recorded.
fn product(m: &mut Maker, a: N, b: N) -> N {
    use crate::library::linalg::{Matmul, Matrix, Precision};
    let (left, right) = (m.shape(a), m.shape(b));
    let call = Matmul {
        dtype: DType::F32,
        m: left[0],
        n: right[1],
        k: left[1],
        batch: smallvec![],
        a: Matrix::contiguous(&left, &[]),
        b: Matrix::contiguous(&right, &[]),
        precision: Precision::Full,
        scaled: false,
        addend: None,
        bias: false,
        activation: None,
        part: false,
    };
    let op = NodeOp::Library(std::sync::Arc::new(crate::library::Library::Matmul(call)));
    m.push(op, &[a, b], &[left[0], right[1]], DType::F64)
}

/// The library calls and the kernels of a plan, with or without epilogues.
fn counts(m: &Maker, root: N, epilogues: bool) -> (usize, usize) {
    let mut graph = m.0.clone();
    let GraphArg::Node(root) = root else { unreachable!() };
    graph.roots.push(root);
    let options = Options {
        row_capacity: 0,
        pieces_from: None,
        max_values: 2000,
        max_weight: None,
        launch_cost: 1e6,
        slack: 1e6,
        epilogues,
        one_order: false,
    };
    let plan = plan(&graph, options);
    let kernels = plan.kernels().count();
    (plan.steps.len() - kernels, kernels)
}

#[test]
fn products_take_in_what_follows_them() {
    let mut m = Maker::default();
    let (a, b, c) = (m.leaf(&[30, 40]), m.leaf(&[40, 50]), m.leaf(&[30, 50]));
    let (bias, two, three) = (m.leaf(&[50]), m.scalar(), m.scalar());
    let p = product(&mut m, a, b);
    let scaled = m.map(Op::Multiply, &[p, two]);
    let other = m.map(Op::Multiply, &[three, c]);
    let sum = m.map(Op::Add, &[other, scaled]);
    let all = m.map(Op::Add, &[sum, bias]);
    assert_eq!(counts(&m, all, true), (1, 0));
    assert_eq!(counts(&m, all, false), (1, 1));
    let more = m.map(Op::Exp, &[all]);
    assert_eq!(counts(&m, more, true), (1, 1));
    // Read by two, the sum is stored, and the rest follows it.
    let twice = m.map(Op::Multiply, &[sum, all]);
    assert_eq!(counts(&m, twice, true), (1, 1));
}

#[test]
fn products_take_in_a_gelu() {
    let build = |bias: bool, again: bool| {
        let mut m = Maker::default();
        let (a, b, row) = (m.leaf(&[30, 40]), m.leaf(&[40, 50]), m.leaf(&[50]));
        let (c, d, half, one) = (m.scalar(), m.scalar(), m.scalar(), m.scalar());
        let mut x = product(&mut m, a, b);
        let mut map = |op, args: &[N]| m.map(op, args);
        if bias {
            x = map(Op::Add, &[x, row]);
        }
        let square = map(Op::Square, &[x]);
        let scaled = map(Op::Multiply, &[square, c]);
        let factor = map(Op::Add, &[scaled, d]);
        let inner = map(Op::Multiply, &[factor, x]);
        let tanh = map(Op::Tanh, &[inner]);
        let left = map(Op::Multiply, &[x, half]);
        let right = map(Op::Add, &[tanh, one]);
        let mut y = map(Op::Multiply, &[left, right]);
        let GraphArg::Node(k) = y else { unreachable!() };
        if again {
            y = map(Op::Add, &[y, tanh]);
        }
        m.0.nodes[k as usize].activation = Some(Activation::Gelu);
        // Of doubles, libraries have none.
        m.0.scalar_types.fill(DType::F32);
        for node in &mut m.0.nodes {
            node.dtype = DType::F32;
            if let NodeOp::Library(call) = &mut node.op
                && let Library::Matmul(call) = std::sync::Arc::make_mut(call)
            {
                call.dtype = DType::F32;
            }
        }
        (m, y)
    };
    for bias in [false, true] {
        let (m, y) = build(bias, false);
        assert_eq!(counts(&m, y, true), (1, 0));
        assert_eq!(counts(&m, y, false), (1, 1));
        // What else reads a part of the chain needs the product.
        let (m, y) = build(bias, true);
        assert_eq!(counts(&m, y, true), (1, 1));
    }
}

#[test]
fn operands_of_products_are_stored_and_results_loaded() {
    let mut m = Maker::default();
    let (a, b) = (m.leaf(&[30, 40]), m.leaf(&[40, 50]));
    let e = m.map(Op::Exp, &[a]);
    let p = product(&mut m, e, b);
    let q = m.map(Op::Sin, &[p]);
    let r = m.reduce(Reduction::Sum, q, &[1], false);
    assert_eq!(counts(&m, r, true), (1, 2));
    // A transposed view of a leaf is read in place; of a product too.
    let view = View([1, 0].into_iter().map(AxisMap::same).collect());
    let t = m.push(NodeOp::View(Arc::new(view)), &[p], &[50, 30], DType::F64);
    let s = product(&mut m, p, t);
    assert_eq!(counts(&m, s, true), (2, 1));
}

#[test]
fn a_scan_fuses_with_what_makes_its_elements_and_what_reads_it_in_place() {
    let mut m = Maker::default();
    let x = m.leaf(&[30, 500]);
    let before = m.map(Op::Sin, &[x]);
    let sum = m.scan(Reduction::Sum, before, 1, false, false);
    let top = m.scan(Reduction::Max, x, 1, true, false);
    let y = m.map(Op::Add, &[sum, top]);
    let y = m.map(Op::Multiply, &[y, x]);
    let plan = m.plan(&[y]);
    assert_eq!(plan.steps.len(), 1);
    assert_eq!(first(&plan).kernel.scans().len(), 2);
}

#[test]
fn a_scan_that_is_read_elsewhere_or_scanned_again_is_stored() {
    let mut m = Maker::default();
    let x = m.leaf(&[30, 500]);
    let sum = m.scan(Reduction::Sum, x, 1, false, false);
    let again = m.scan(Reduction::Sum, sum, 1, false, false);
    assert_eq!(m.plan(&[again]).steps.len(), 2);
    let mut m = Maker::default();
    let x = m.leaf(&[30, 500]);
    let sum = m.scan(Reduction::Sum, x, 0, false, true);
    let y = m.roll(sum, 3, 0);
    assert_eq!(m.plan(&[y]).steps.len(), 2);
    let mut m = Maker::default();
    let x = m.leaf(&[30, 500]);
    let sum = m.scan(Reduction::Sum, x, 1, false, false);
    let total = m.reduce(Reduction::Sum, sum, &[1], false);
    let back = m.scan(Reduction::Sum, x, 1, false, true);
    let plan = m.plan(&[total, back]);
    assert_eq!(plan.steps.len(), 3);
}
