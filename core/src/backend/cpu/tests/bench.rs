//! Timings of kernels written by hand: `cargo test --release --lib cpu::tests::bench -- --ignored
//! --nocapture`. On a busy machine only the processor time of one thread says something: it
//! stands beside the wall time of all.

use super::super::pieces::LEAST;
use super::super::prepare::Pieces;
use super::super::worker::Launch;
use super::super::{nest, prepare};
use super::Rng;
use crate::backend::pool;
use crate::dtype::{DType, Scalar};
use crate::kernel::AxisKind::{Parallel, Reduce, Serial};
use crate::kernel::builder::{Builder, affine, by_value};
use crate::kernel::{Atom, Inst, Val};
use crate::table::{Op, Reduction};
use lazuli_inner_loops::level::Level;
use std::time::{Duration, Instant};

/// The processor time that this thread has used.
#[cfg(target_os = "linux")]
fn thread_time() -> Option<Duration> {
    const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
    }
    let mut time = [0; 2];
    // SAFETY: the call writes seconds and nanoseconds.
    let failed = unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    (failed == 0).then(|| Duration::new(time[0] as u64, time[1] as u32))
}

#[cfg(not(target_os = "linux"))]
fn thread_time() -> Option<Duration> {
    None
}

fn scalar(b: &mut Builder, list: &mut Vec<Scalar>, value: Scalar) -> Val {
    list.push(value);
    b.scalar(value.dtype())
}

fn launch_once(pieces: &Pieces, buffers: &mut [Vec<u128>], inputs: usize, scalars: &[Scalar]) {
    let pointers: Vec<*mut u8> = buffers.iter_mut().map(|b| b.as_mut_ptr().cast()).collect();
    let read: Vec<*const u8> = pointers[..inputs].iter().map(|p| p.cast_const()).collect();
    for p in &pieces.0 {
        nest::launch(&Launch { p, inputs: &read, outputs: &pointers[inputs..], scalars })
            .expect("there is memory");
    }
}

/// Times a kernel, and prints the best of a few runs beside the goal.
fn time(name: &str, goal: f64, b: &Builder, scalars: &[Scalar]) {
    let p = prepare::prepare(&b.kernel, Level::best(), LEAST);
    let mut rng = Rng(1);
    let buffer = |bytes: usize| vec![0u128; bytes.div_ceil(16)];
    let mut buffers: Vec<Vec<u128>> = Vec::new();
    for input in &b.kernel.inputs {
        let mut words = buffer(input.len * input.dtype.size());
        let some = rng.buffer(input.dtype, input.len.min(10_000));
        let bytes = input.len * input.dtype.size();
        for at in (0..bytes).step_by(some.len()) {
            let count = some.len().min(bytes - at);
            // SAFETY: the buffer has that many bytes.
            unsafe {
                let to = words.as_mut_ptr().cast::<u8>().add(at);
                std::ptr::copy_nonoverlapping(some.as_ptr(), to, count);
            }
        }
        buffers.push(words);
    }
    buffers.extend(b.kernel.outputs.iter().map(|o| buffer(o.len * o.dtype.size())));
    let inputs = b.kernel.inputs.len();
    let (mut wall, mut alone) = (f64::MAX, f64::MAX);
    let begin = Instant::now();
    let mut runs = 0usize;
    while runs < 4 || (begin.elapsed().as_millis() < 300 && runs < 200) {
        let start = Instant::now();
        launch_once(&p, &mut buffers, inputs, scalars);
        wall = wall.min(start.elapsed().as_secs_f64() * 1e3);
        runs += 1;
    }
    pool::with_threads(1, || {
        let batch = if alone.min(wall) < 0.2 { 50 } else { 1 };
        for _ in 0..runs.div_ceil(batch).max(4) {
            let Some(start) = thread_time() else { return };
            (0..batch).for_each(|_| launch_once(&p, &mut buffers, inputs, scalars));
            let used = thread_time().expect("it was there") - start;
            alone = alone.min(used.as_secs_f64() * 1e3 / batch as f64);
        }
    });
    let verdict = if alone / 2.0 <= goal { "" } else { "  <- behind" };
    println!(
        "{name:24} wall {wall:9.4}  one thread {alone:9.4}  half {:9.4}  goal {goal:9.4}{verdict}",
        alone / 2.0
    );
    println!("{:24} {}", "", p.schedule());
}

fn linear(n: usize, dtype: DType) -> (Builder, Val) {
    let mut b = Builder::new(&[(Parallel, n)]);
    let x = b.input(dtype, n);
    let x = b.load(x, affine(&[(0, 1)], 0));
    (b, x)
}

fn black_scholes(n: usize) -> (Builder, Vec<Scalar>) {
    let f = DType::F64;
    let (mut b, s) = linear(n, f);
    let mut list = Vec::new();
    let t = b.input(f, n);
    let t = b.load(t, affine(&[(0, 1)], 0));
    let mut c = |b: &mut Builder, v: f64| scalar(b, &mut list, Scalar::new(v));
    let (strike, rate) = (c(&mut b, 40.0), c(&mut b, 0.02));
    let (drift, vol, half) = (c(&mut b, 0.065), c(&mut b, 0.3), c(&mut b, 0.5));
    let (root, one) = (c(&mut b, std::f64::consts::FRAC_1_SQRT_2), c(&mut b, 1.0));
    let ratio = b.op(Op::Divide, &[s, strike]);
    let ln = b.op(Op::Ln, &[ratio]);
    let t = b.op(Op::Abs, &[t]);
    let drifted = b.op(Op::Multiply, &[t, drift]);
    let up = b.op(Op::Add, &[ln, drifted]);
    let sqrt = b.op(Op::Sqrt, &[t]);
    let sigma = b.op(Op::Multiply, &[sqrt, vol]);
    let d1 = b.op(Op::Divide, &[up, sigma]);
    let d2 = b.op(Op::Subtract, &[d1, sigma]);
    let normal = |b: &mut Builder, d: Val| {
        let x = b.op(Op::Multiply, &[d, root]);
        let e = b.op(Op::Erf, &[x]);
        let e = b.op(Op::Add, &[e, one]);
        b.op(Op::Multiply, &[e, half])
    };
    let (n1, n2) = (normal(&mut b, d1), normal(&mut b, d2));
    let rt = b.op(Op::Multiply, &[t, rate]);
    let rt = b.op(Op::Negative, &[rt]);
    let discount = b.op(Op::Exp, &[rt]);
    let kd = b.op(Op::Multiply, &[discount, strike]);
    let first = b.op(Op::Multiply, &[s, n1]);
    let second = b.op(Op::Multiply, &[kd, n2]);
    let call = b.op(Op::Subtract, &[first, second]);
    let put = b.op(Op::Subtract, &[call, s]);
    let put = b.op(Op::Add, &[put, kd]);
    b.store(call, affine(&[(0, 1)], 0), n);
    b.store(put, affine(&[(0, 1)], 0), n);
    (b, list)
}

#[test]
#[ignore = "a benchmark"]
fn elementwise() {
    let n = 30_000_000;
    let (mut b, x) = linear(n, DType::F64);
    let k = b.scalar(DType::F64);
    let y = b.op(Op::Multiply, &[x, k]);
    b.store(y, affine(&[(0, 1)], 0), n);
    time("scale@30M:f64", 21.0, &b, &[Scalar::new(2.0f64)]);
    for (dtype, goal) in [(DType::F64, 2.4), (DType::F32, 1.4)] {
        let n = 1_000_000;
        let (mut b, x) = linear(n, dtype);
        let (s, e) = (b.op(Op::Sin, &[x]), b.op(Op::Exp, &[x]));
        let y = b.op(Op::Multiply, &[s, e]);
        b.store(y, affine(&[(0, 1)], 0), n);
        time(&format!("sinexp@1M:{dtype}"), goal, &b, &[]);
    }
    let (b, list) = black_scholes(4_000_000);
    time("blackscholes@4M:f64", 45.0, &b, &list);
    let (mut b, x) = linear(1000, DType::F32);
    let (k, c) = (b.scalar(DType::F32), b.scalar(DType::F32));
    let mut y = x;
    for _ in 0..10 {
        y = b.op(Op::Sin, &[y]);
        y = b.op(Op::Multiply, &[y, k]);
        y = b.op(Op::Add, &[y, c]);
    }
    b.store(y, affine(&[(0, 1)], 0), 1000);
    time("dispatch@1000x30ops", 0.025, &b, &[Scalar::new(1.01f32), Scalar::new(0.5f32)]);
}

fn fold(name: &str, goal: f64, n: usize, dtype: DType, op: Reduction, square: bool) {
    let mut b = Builder::new(&[(Reduce, n)]);
    let x = b.input(dtype, n);
    let x = b.load(x, affine(&[(0, 1)], 0));
    let v = if square { b.op(Op::Multiply, &[x, x]) } else { x };
    let at = b.index(Inst::Index(affine(&[(0, 1)], 0)));
    let args: &[Val] = if op.is_arg() { &[v, at] } else { &[v] };
    let sum = b.reduce(op, args, &[0]);
    b.store(sum, affine(&[], 0), 1);
    time(name, goal, &b, &[]);
}

#[test]
#[ignore = "a benchmark"]
fn reductions() {
    let f = DType::F32;
    for (name, n, m, along, goal) in [
        ("rowsum@1000x1000:f32", 1000, 1000, true, 0.138),
        ("colsum@4096x4096:f32", 4096, 4096, false, 2.39),
        ("rowsum@262144x64:f32", 262_144, 64, true, 2.4),
        ("rowsum@1000000x3:f32", 1_000_000, 3, true, 1.0),
    ] {
        let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
        let x = b.input(f, n * m);
        let (s, t) = if along { (m as i64, 1) } else { (1, n as i64) };
        let x = b.load(x, affine(&[(0, s), (1, t)], 0));
        let sum = b.reduce(Reduction::Sum, &[x], &[1]);
        b.store(sum, affine(&[(0, 1)], 0), n);
        time(name, goal, &b, &[]);
    }
    fold("prod@4M:f64", 0.96, 4_000_000, DType::F64, Reduction::Prod, false);
    fold("sumsq@64M:f32", 18.6, 64_000_000, f, Reduction::Sum, true);
    fold("argmax@16M:f32", 2.24, 16_000_000, f, Reduction::ArgMax, false);
    for along in [true, false] {
        let (n, m) = (4096, 4096);
        let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
        let (s, t) = if along { (m as i64, 1) } else { (1, n as i64) };
        let x = b.input(f, n * m);
        let x = b.load(x, affine(&[(0, s), (1, t)], 0));
        let max = b.reduce(Reduction::Max, &[x], &[1]);
        let d = b.op(Op::Subtract, &[x, max]);
        let e = b.op(Op::Exp, &[d]);
        let sum = b.reduce(Reduction::Sum, &[e], &[1]);
        let p = b.op(Op::Divide, &[e, sum]);
        b.store(p, affine(&[(0, s), (1, t)], 0), n * m);
        time(&format!("softmax@4096x4096 {along}"), 21.7, &b, &[]);
    }
}

fn haversine() -> (Builder, Vec<Scalar>) {
    let (n, f) = (1000, DType::F64);
    let mut list = Vec::new();
    let mut b = Builder::new(&[(Parallel, n), (Parallel, n)]);
    let half = scalar(&mut b, &mut list, Scalar::new(0.5f64));
    let radius = scalar(&mut b, &mut list, Scalar::new(12742.0f64));
    let mut load = |axis: usize| {
        let x = b.input(f, n);
        let x = b.load(x, affine(&[(axis, 1)], 0));
        b.op(Op::Radians, &[x])
    };
    let (lat1, lon1, lat2, lon2) = (load(0), load(0), load(1), load(1));
    let (c1, c2) = (b.op(Op::Cos, &[lat1]), b.op(Op::Cos, &[lat2]));
    let mut part = |x: Val, y: Val| {
        let d = b.op(Op::Subtract, &[x, y]);
        let d = b.op(Op::Multiply, &[d, half]);
        let s = b.op(Op::Sin, &[d]);
        b.op(Op::Multiply, &[s, s])
    };
    let (p, q) = (part(lat2, lat1), part(lon2, lon1));
    let cc = b.op(Op::Multiply, &[c1, c2]);
    let q = b.op(Op::Multiply, &[cc, q]);
    let a = b.op(Op::Add, &[p, q]);
    let r = b.op(Op::Sqrt, &[a]);
    let r = b.op(Op::Asin, &[r]);
    let r = b.op(Op::Multiply, &[r, radius]);
    b.store(r, affine(&[(0, n as i64), (1, 1)], 0), n * n);
    (b, list)
}

fn lorenz(rows: usize, len: usize) -> (Builder, Vec<Scalar>) {
    let f = DType::F64;
    let mut list = Vec::new();
    let mut b = Builder::new(&[(Parallel, rows), (Reduce, len)]);
    let force = scalar(&mut b, &mut list, Scalar::new(8.0f64));
    let steps = [0.005f64, 0.005, 0.01].map(|h| scalar(&mut b, &mut list, Scalar::new(h)));
    let sixth = scalar(&mut b, &mut list, Scalar::new(0.01f64 / 6.0));
    let two = scalar(&mut b, &mut list, Scalar::new(2.0f64));
    let x = b.input(f, rows * len);
    let x = b.load(x, affine(&[(0, len as i64), (1, 1)], 0));
    let mut slopes = Vec::new();
    let mut z = x;
    for step in [Some(steps[0]), Some(steps[1]), Some(steps[2]), None] {
        let row = b.row(z);
        let mut rolled = |shift: i64| {
            let index = affine(&[(1, 1)], (len as i64 + shift) % len as i64);
            let at = b.index(Inst::IndexMod { index, by: len as i64 });
            b.row_load(row, by_value(at), None)
        };
        let (next, before, last) = (rolled(1), rolled(-2), rolled(-1));
        let d = b.op(Op::Subtract, &[next, before]);
        let d = b.op(Op::Multiply, &[d, last]);
        let d = b.op(Op::Subtract, &[d, z]);
        let k = b.op(Op::Add, &[d, force]);
        slopes.push(k);
        if let Some(step) = step {
            let h = b.op(Op::Multiply, &[k, step]);
            z = b.op(Op::Add, &[x, h]);
        }
    }
    let middle = b.op(Op::Add, &[slopes[1], slopes[2]]);
    let middle = b.op(Op::Multiply, &[middle, two]);
    let sum = b.op(Op::Add, &[slopes[0], middle]);
    let sum = b.op(Op::Add, &[sum, slopes[3]]);
    let sum = b.op(Op::Multiply, &[sum, sixth]);
    let y = b.op(Op::Add, &[x, sum]);
    b.store(y, affine(&[(0, len as i64), (1, 1)], 0), rows * len);
    (b, list)
}

#[test]
#[ignore = "a benchmark"]
fn grids() {
    let (b, list) = haversine();
    time("haversine@1000x1000:f64", 5.1, &b, &list);
    let (b, list) = lorenz(40, 960);
    time("lorenz_rk4@40x960/step", 0.57, &b, &list);
    let (n, m) = (4094usize, 4096i64);
    let mut b = Builder::new(&[(Parallel, n), (Parallel, n)]);
    let quarter = b.scalar(DType::F64);
    let x = b.input(DType::F64, 4096 * 4096);
    let mut at = |offset: i64| b.load(x, affine(&[(0, m), (1, 1)], offset));
    let (up, down, left, right) = (at(1), at(2 * m + 1), at(m), at(m + 2));
    let (s, t) = (b.op(Op::Add, &[up, down]), b.op(Op::Add, &[left, right]));
    let s = b.op(Op::Add, &[s, t]);
    let s = b.op(Op::Multiply, &[s, quarter]);
    b.store(s, affine(&[(0, m), (1, 1)], m + 1), 4096 * 4096);
    time("jacobi2d@4096x4096:f64", 11.0, &b, &[Scalar::new(0.25f64)]);
    let n = 4096;
    let mut b = Builder::new(&[(Parallel, n), (Reduce, n), (Serial, 3)]);
    let x = b.input(DType::F32, n * 3);
    let p = b.load(x, affine(&[(0, 3), (2, 1)], 0));
    let q = b.load(x, affine(&[(1, 3), (2, 1)], 0));
    let d = b.op(Op::Subtract, &[p, q]);
    let d = b.op(Op::Multiply, &[d, d]);
    let d = b.reduce(Reduction::Sum, &[d], &[2]);
    let min = b.reduce(Reduction::Min, &[d], &[1]);
    b.store(min, affine(&[(0, 1)], 0), n);
    time("pairwise_min@4096:f32", 69.0, &b, &[]);
    let (n, m) = (4096, 4096);
    let mut b = Builder::new(&[(Parallel, n), (Parallel, m)]);
    let x = b.input(DType::F64, n * m);
    let x = b.load(x, affine(&[(0, 1), (1, n as i64)], 0));
    b.store(x, affine(&[(0, m as i64), (1, 1)], 0), n * m);
    time("transpose@4096x4096:f64", 60.0, &b, &[]);
}

/// Sums along windows of rings.
struct Rings {
    b: Builder,
    len: i64,
    /// The next Serial axis.
    axis: usize,
}

impl Rings {
    /// An element of a row, around the ring.
    fn rolled(&mut self, row: Val, shift: i64) -> Val {
        let index = affine(&[(1, 1)], shift.rem_euclid(self.len));
        let at = self.b.index(Inst::IndexMod { index, by: self.len });
        self.b.row_load(row, by_value(at), None)
    }

    /// A sum of weights times elements from `shift` on, or of products of two rows.
    fn window(&mut self, weights: u32, rows: &[(Val, i64)]) -> Val {
        let axis = self.axis;
        self.axis += 1;
        let mut element = None;
        for &(row, shift) in rows {
            let index = affine(&[(1, 1), (axis, 1)], shift.rem_euclid(self.len));
            let at = self.b.index(Inst::IndexMod { index, by: self.len });
            let new = self.b.row_load(row, by_value(at), None);
            element = Some(element.map_or(new, |old| self.b.op(Op::Multiply, &[old, new])));
        }
        let weight = self.b.load(weights, affine(&[(axis, 1)], 0));
        let element = self.b.op(Op::Multiply, &[element.expect("there is a row"), weight]);
        self.b.reduce(Reduction::Sum, &[element], &[axis])
    }
}

/// A step of Lorenz's model III in one kernel.
fn lorenz04(rows: usize, len: usize) -> (Builder, Vec<Scalar>) {
    let f = DType::F64;
    let mut list = Vec::new();
    let mut axes = vec![(Parallel, rows), (Reduce, len)];
    (0..4).for_each(|_| axes.extend([(Serial, 25), (Serial, 33), (Serial, 33)]));
    let mut b = Builder::new(&axes);
    let mut constant = |b: &mut Builder, value: f64| scalar(b, &mut list, Scalar::new(value));
    let (hundred, five) = (constant(&mut b, 100.0), constant(&mut b, 2.5));
    let (ten, force) = (constant(&mut b, 10.0), constant(&mut b, 15.0));
    let steps = [0.0005, 0.0005, 0.001].map(|h| constant(&mut b, h));
    let (sixth, two) = (constant(&mut b, 0.001 / 6.0), constant(&mut b, 2.0));
    let x = b.input(f, rows * len);
    let (smooth, mean) = (b.input(f, 25), b.input(f, 33));
    let start = b.load(x, affine(&[(0, len as i64), (1, 1)], 0));
    let mut r = Rings { b, len: len as i64, axis: 2 };
    let (mut slopes, mut z) = (Vec::new(), start);
    for step in [Some(steps[0]), Some(steps[1]), Some(steps[2]), None] {
        let z_row = r.b.row(z);
        let x = r.window(smooth, &[(z_row, -12)]);
        let x_row = r.b.row(x);
        let y = r.b.op(Op::Subtract, &[z, x]);
        let y_row = r.b.row(y);
        let w = r.window(mean, &[(x_row, -16)]);
        let w_row = r.b.row(w);
        let near = r.window(mean, &[(w_row, -48), (x_row, 16)]);
        let (w2, w1) = (r.rolled(w_row, -64), r.rolled(w_row, -32));
        let (y1, y2, yn) = (r.rolled(y_row, -1), r.rolled(y_row, -2), r.rolled(y_row, 1));
        let (x1, xn) = (r.rolled(x_row, -1), r.rolled(x_row, 1));
        let b = &mut r.b;
        let far = b.op(Op::Multiply, &[w2, w1]);
        let drift = b.op(Op::Subtract, &[near, far]);
        let mut pair = |an: Val, a1: Val, factor: Val| {
            let (p, q) = (b.op(Op::Multiply, &[an, y1]), b.op(Op::Multiply, &[y2, a1]));
            let d = b.op(Op::Subtract, &[p, q]);
            b.op(Op::Multiply, &[d, factor])
        };
        let (small, coupling) = (pair(yn, y1, hundred), pair(xn, x1, five));
        let slope = b.op(Op::Add, &[drift, small]);
        let slope = b.op(Op::Add, &[slope, coupling]);
        let slope = b.op(Op::Subtract, &[slope, x]);
        let damped = b.op(Op::Multiply, &[y, ten]);
        let slope = b.op(Op::Subtract, &[slope, damped]);
        let slope = b.op(Op::Add, &[slope, force]);
        slopes.push(slope);
        if let Some(step) = step {
            let h = b.op(Op::Multiply, &[slope, step]);
            z = b.op(Op::Add, &[start, h]);
        }
    }
    let mut b = r.b;
    let middle = b.op(Op::Add, &[slopes[1], slopes[2]]);
    let middle = b.op(Op::Multiply, &[middle, two]);
    let sum = b.op(Op::Add, &[slopes[0], middle]);
    let sum = b.op(Op::Add, &[sum, slopes[3]]);
    let sum = b.op(Op::Multiply, &[sum, sixth]);
    let end = b.op(Op::Add, &[start, sum]);
    b.store(end, affine(&[(0, len as i64), (1, 1)], 0), rows * len);
    (b, list)
}

#[test]
#[ignore = "a benchmark"]
fn windows() {
    let (b, list) = lorenz04(40, 960);
    time("lorenz04@40x960/step", 1.3, &b, &list);
    for (rows, n, m) in [(1, 960, 25), (1, 1_000_000, 25), (40, 960, 33)] {
        let mut b = Builder::new(&[(Parallel, rows), (Parallel, n), (Serial, m)]);
        let (z, a) = (b.input(DType::F64, rows * n), b.input(DType::F64, m));
        let index = affine(&[(1, 1), (2, 1)], n as i64 - m as i64 / 2);
        let at = b.index(Inst::IndexMod { index, by: n as i64 });
        let mut place = by_value(at);
        place.add_term(Atom::Axis(0), n as i64);
        let (z, a) = (b.load(z, place), b.load(a, affine(&[(2, 1)], 0)));
        let element = b.op(Op::Multiply, &[z, a]);
        let sum = b.reduce(Reduction::Sum, &[element], &[2]);
        b.store(sum, affine(&[(0, n as i64), (1, 1)], 0), rows * n);
        time(&format!("smooth@{rows}x{n}x{m}"), 0.0, &b, &[]);
    }
}

/// The parts of a softmax one by one.
#[test]
#[ignore = "a benchmark"]
fn parts() {
    let (n, m, f) = (4096, 4096, DType::F32);
    let rows = |b: &mut Builder| {
        let x = b.input(f, n * m);
        b.load(x, affine(&[(0, m as i64), (1, 1)], 0))
    };
    let axes = [(Parallel, n), (Reduce, m)];
    let mut b = Builder::new(&axes);
    let x = rows(&mut b);
    let max = b.reduce(Reduction::Max, &[x], &[1]);
    b.store(max, affine(&[(0, 1)], 0), n);
    time("max of rows", 3.0, &b, &[]);
    let mut b = Builder::new(&axes);
    let x = rows(&mut b);
    let e = b.op(Op::Exp, &[x]);
    let sum = b.reduce(Reduction::Sum, &[e], &[1]);
    b.store(sum, affine(&[(0, 1)], 0), n);
    time("sum of exp of rows", 6.0, &b, &[]);
    let mut b = Builder::new(&axes);
    let x = rows(&mut b);
    let sum = b.reduce(Reduction::Sum, &[x], &[1]);
    let e = b.op(Op::Divide, &[x, sum]);
    b.store(e, affine(&[(0, m as i64), (1, 1)], 0), n * m);
    time("rows over their sum", 12.0, &b, &[]);
    for (dtype, op) in
        [(f, Op::Exp), (f, Op::Divide), (f, Op::Add), (f, Op::Sin), (DType::F64, Op::Erf)]
    {
        let n = 4096;
        let (mut b, x) = linear(n, dtype);
        let args = [x, x];
        let y = b.op(op, &args[..op.arity()]);
        b.store(y, affine(&[(0, 1)], 0), n);
        time(&format!("{} of 4096 {dtype}", op.name()), 0.001, &b, &[]);
    }
}
