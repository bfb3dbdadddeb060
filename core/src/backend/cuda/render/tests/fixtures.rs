//! Kernels written by hand: one for each construct and each schedule.

use super::Noise;
use crate::dtype::{DType, Scalar};
use crate::function::tests::{self as users, on_halves, two_results};
use crate::kernel::AxisKind::{Parallel, Reduce, Serial};
use crate::kernel::builder::{Builder, affine, by_value};
use crate::kernel::{Atom, Index, Inst, Kernel, Val};
use crate::math::random::Seed;
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// A kernel with contents for its inputs and scalars.
#[derive(Clone)]
pub struct Case {
    pub kernel: Kernel,
    pub inputs: Vec<Vec<u8>>,
    pub scalars: Vec<Scalar>,
}

/// A case with inputs drawn at random.
pub fn case(kernel: Kernel) -> Case {
    let mut noise = Noise(kernel.values.len() as u64 * 77 + 1);
    let inputs = kernel.inputs.iter().map(|i| noise.array(i.dtype, i.len)).collect();
    let scalar = |k: usize, d: DType| Scalar::from_f64(d, 1.0 + k as f64 * 0.5);
    let mut scalars: Vec<Scalar> =
        kernel.scalars.iter().enumerate().map(|(k, &d)| scalar(k, d)).collect();
    for value in &kernel.values {
        if let Inst::Draw { seed, .. } = &value.inst {
            draw_keys(&kernel, seed, &mut scalars);
        }
    }
    Case { kernel, inputs, scalars }
}

/// The keys of a generator's later rounds follow from the first, whatever that is.
fn draw_keys(kernel: &Kernel, seed: &[Val], scalars: &mut [Scalar]) {
    let slot = |v: Val| match kernel.value(v).inst {
        Inst::Scalar(slot) => slot as usize,
        _ => unreachable!("the seed of a draw is made of scalars"),
    };
    let word = |v: Val, scalars: &[Scalar]| scalars[slot(v)].get::<u64>().expect("a word");
    let [key, first, stream] = [seed[0], seed[1], seed[2]].map(|v| word(v, scalars));
    let keys = Seed { key, first, stream }.keys();
    let later = keys.iter().skip(keys.len() + 3 - seed.len());
    for (&v, &key) in seed[3..].iter().zip(later) {
        scalars[slot(v)] = Scalar::new(key);
    }
}

/// `exp(x) * s + y` over one axis.
pub fn chain(n: usize, dtype: DType, offset: i64) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n)]);
    let x = b.input(dtype, n + offset as usize);
    let y = b.input(dtype, n);
    let (x, y) = (b.load(x, affine(&[(0, 1)], offset)), b.load(y, affine(&[(0, 1)], 0)));
    let s = b.scalar(dtype);
    let v = if dtype.is_float() { b.op(Op::Exp, &[x]) } else { x };
    let v = b.op(Op::Multiply, &[v, s]);
    let v = b.op(Op::Add, &[v, y]);
    b.store(v, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// Quotients, roots and exponentials, or another function, of two arrays, a choice among them, and
/// two results.
pub fn heavy(n: usize, dtype: DType, op: Op) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n)]);
    let (x, y) = (b.input(dtype, n), b.input(dtype, n));
    let (x, y) = (b.load(x, affine(&[(0, 1)], 0)), b.load(y, affine(&[(0, 1)], 0)));
    let s = b.scalar(dtype);
    let mut v = b.op(Op::Divide, &[x, y]);
    let positive = b.op(Op::Greater, &[v, s]);
    for _ in 0..3 {
        let size = b.op(Op::Abs, &[v]);
        let root = b.op(Op::Sqrt, &[size]);
        let less = b.op(Op::Negative, &[root]);
        let e = b.op(op, &[less]);
        let q = b.op(Op::Divide, &[e, x]);
        v = b.op(Op::Add, &[q, s]);
    }
    let chosen = b.op(Op::Select, &[positive, v, y]);
    b.store(chosen, affine(&[(0, 1)], 0), n);
    b.store(v, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// A function of each element, of that again, and so on, as often as `turns` says.
pub fn often(n: usize, dtype: DType, op: Op, turns: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n)]);
    let x = b.input(dtype, n);
    let x = b.load(x, affine(&[(0, 1)], 0));
    let mut v = x;
    for _ in 0..turns {
        let y = match op.arity() {
            1 => b.op(op, &[v]),
            _ => b.op(op, &[v, x]),
        };
        v = b.op(Op::Add, &[y, x]);
    }
    b.store(v, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// `x < y` of `f32`, a narrow result of wide inputs.
pub fn compare(n: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n)]);
    let (x, y) = (b.input(DType::F32, n), b.input(DType::F32, n));
    let (x, y) = (b.load(x, affine(&[(0, 1)], 0)), b.load(y, affine(&[(0, 1)], 0)));
    let v = b.op(Op::Less, &[x, y]);
    b.store(v, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// `sin(row) + cos(column) * m`, a table of two vectors.
pub fn table(n: usize, m: usize, dtype: DType) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Parallel, m)]);
    let (r, c) = (b.input(dtype, n), b.input(dtype, m));
    let a = b.input(dtype, n * m);
    let (r, c) = (b.load(r, affine(&[(0, 1)], 0)), b.load(c, affine(&[(1, 1)], 0)));
    let a = b.load(a, affine(&[(0, m as i64), (1, 1)], 0));
    let (r, c) = (b.op(Op::Sin, &[r]), b.op(Op::Cos, &[c]));
    let v = b.op(Op::Multiply, &[c, a]);
    let v = b.op(Op::Add, &[r, v]);
    b.store(v, affine(&[(0, m as i64), (1, 1)], 0), n * m);
    b.kernel
}

/// The haversine formula over a table of two lists of places.
pub fn haversine(n: usize, m: usize) -> Kernel {
    let d = DType::F64;
    let mut b = Builder::new(&[(Parallel, n), (Parallel, m)]);
    let inputs: Vec<u32> = [n, n, m, m].iter().map(|&l| b.input(d, l)).collect();
    let p1 = b.load(inputs[0], affine(&[(0, 1)], 0));
    let l1 = b.load(inputs[1], affine(&[(0, 1)], 0));
    let p2 = b.load(inputs[2], affine(&[(1, 1)], 0));
    let l2 = b.load(inputs[3], affine(&[(1, 1)], 0));
    let half = b.scalar(d);
    let square_sine = |b: &mut Builder, x: Val, y: Val| {
        let v = b.op(Op::Subtract, &[x, y]);
        let v = b.op(Op::Multiply, &[v, half]);
        let v = b.op(Op::Sin, &[v]);
        b.op(Op::Square, &[v])
    };
    let (u, w) = (square_sine(&mut b, p2, p1), square_sine(&mut b, l2, l1));
    let (c1, c2) = (b.op(Op::Cos, &[p1]), b.op(Op::Cos, &[p2]));
    let c = b.op(Op::Multiply, &[c1, c2]);
    let cw = b.op(Op::Multiply, &[c, w]);
    let a = b.op(Op::Add, &[u, cw]);
    let v = b.op(Op::Abs, &[a]);
    let v = b.op(Op::Sqrt, &[v]);
    let one = b.scalar(d);
    let v = b.op(Op::Minimum, &[v, one]);
    let v = b.op(Op::Asin, &[v]);
    b.store(v, affine(&[(0, m as i64), (1, 1)], 0), n * m);
    b.kernel
}

/// A transposed copy with an addition.
pub fn transpose(n: usize, m: usize, dtype: DType) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Parallel, m)]);
    let (x, y) = (b.input(dtype, n * m), b.input(dtype, n * m));
    let x = b.load(x, affine(&[(0, 1), (1, n as i64)], 0));
    let y = b.load(y, affine(&[(0, m as i64), (1, 1)], 0));
    let v = b.op(Op::Add, &[x, y]);
    b.store(v, affine(&[(0, m as i64), (1, 1)], 0), n * m);
    b.kernel
}

/// Three axes that no index walks as one.
pub fn scattered(shape: [usize; 3]) -> Kernel {
    let [l, n, m] = shape.map(|s| s as i64);
    let len = (l * n * m) as usize;
    let mut b = Builder::new(&shape.map(|s| (Parallel, s)));
    let x = b.input(DType::I32, len);
    let v = b.load(x, affine(&[(0, m), (1, l * m), (2, 1)], 0));
    let w = b.load(x, affine(&[(0, -n * m), (1, m), (2, 1)], (l - 1) * n * m));
    let v = b.op(Op::Add, &[v, w]);
    b.store(v, affine(&[(0, n * m), (1, m), (2, 1)], 0), len);
    b.kernel
}

/// The five-point stencil over the inner part.
pub fn jacobi(n: usize, m: usize, dtype: DType) -> Kernel {
    let w = m as i64;
    let mut b = Builder::new(&[(Parallel, n - 2), (Parallel, m - 2)]);
    let x = b.input(dtype, n * m);
    let offsets = [1, w, w + 2, 2 * w + 1];
    let parts = offsets.map(|o| b.load(x, affine(&[(0, w), (1, 1)], o)));
    let quarter = b.scalar(dtype);
    let v = b.op(Op::Add, &[parts[0], parts[1]]);
    let v = b.op(Op::Add, &[v, parts[2]]);
    let v = b.op(Op::Add, &[v, parts[3]]);
    let v = b.op(Op::Multiply, &[v, quarter]);
    b.store(v, affine(&[(0, w), (1, 1)], w + 1), n * m);
    b.kernel
}

/// The stencil as a new array: the inner part is the mean around, the edge is kept.
pub fn jacobi_whole(n: usize, m: usize, dtype: DType) -> Kernel {
    let w = m as i64;
    let mut b = Builder::new(&[(Parallel, n), (Parallel, m)]);
    let x = b.input(dtype, n * m);
    let rows = Inst::InRange { index: affine(&[(0, 1)], -1), low: 0, high: n as i64 - 2 };
    let columns = Inst::InRange { index: affine(&[(1, 1)], -1), low: 0, high: w - 2 };
    let (rows, columns) = (b.index(rows), b.index(columns));
    let inside = b.op(Op::LogicalAnd, &[rows, columns]);
    let here = b.load(x, affine(&[(0, w), (1, 1)], 0));
    let mut v = here;
    for o in [-1, 1, w, -w] {
        let part = b.masked(x, affine(&[(0, w), (1, 1)], o), Some(inside));
        v = b.op(Op::Add, &[v, part]);
    }
    let quarter = b.scalar(dtype);
    let v = b.op(Op::Multiply, &[v, quarter]);
    let v = b.op(Op::Select, &[inside, v, here]);
    b.store(v, affine(&[(0, w), (1, 1)], 0), n * m);
    b.kernel
}

/// A roll, a padded load and a gather, all by index instructions.
pub fn indices(n: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n)]);
    let (x, at) = (b.input(DType::F32, n), b.input(DType::I64, n));
    let here = || affine(&[(0, 1)], 3);
    let rolled = b.index(Inst::IndexMod { index: here(), by: n as i64 });
    let rolled = b.load(x, by_value(rolled));
    let inside =
        b.index(Inst::InRange { index: affine(&[(0, 1)], -2), low: 0, high: n as i64 - 4 });
    let padded = b.masked(x, affine(&[(0, 1)], -2), Some(inside));
    let raw = b.load(at, affine(&[(0, 1)], 0));
    let raw = b.op(Op::Abs, &[raw]);
    let gathered = b.load(x, by_value(raw));
    let half = b.index(Inst::IndexDiv { index: here(), by: 7 });
    let held =
        b.index(Inst::IndexClamp { index: affine(&[(0, 2)], -9), low: 0, high: n as i64 - 1 });
    let far = b.index(Inst::IndexAbs(affine(&[(0, 1)], -5)));
    let held = b.load(x, by_value(held));
    let position = b.index(Inst::Index(affine(&[(0, 5)], 2)));
    let sum = b.op(Op::Add, &[half, far]);
    let sum = b.op(Op::Add, &[sum, position]);
    let sum = b.cast(sum, DType::F32);
    let mut v = b.op(Op::Add, &[rolled, padded]);
    for w in [gathered, held, sum] {
        v = b.op(Op::Add, &[v, w]);
    }
    b.store(v, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// In place: `x = x * s`.
pub fn in_place(n: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n)]);
    let x = b.input(DType::F64, n);
    let v = b.load(x, affine(&[(0, 1)], 0));
    let s = b.scalar(DType::F64);
    let v = b.op(Op::Multiply, &[v, s]);
    b.store_in(v, affine(&[(0, 1)], 0), n, Some(x));
    b.kernel
}

/// A serial sum inside an expression, over `d` components.
pub fn lengths(n: usize, d: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Serial, d)]);
    let x = b.input(DType::F32, n * d);
    let v = b.load(x, affine(&[(0, d as i64), (1, 1)], 0));
    let v = b.op(Op::Square, &[v]);
    let v = b.reduce(Reduction::Sum, &[v], &[1]);
    let v = b.op(Op::Sqrt, &[v]);
    b.store(v, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// How many elements are true in each row (or column) of `n` by `m`.
pub fn counts(n: usize, m: usize, rows: bool) -> Kernel {
    let x = if rows { n } else { m };
    let at = if rows { [(0, m as i64), (1, 1)] } else { [(1, m as i64), (0, 1)] };
    let mut b = Builder::new(&[(Parallel, x), (Reduce, n * m / x)]);
    let input = b.input(DType::Bool, n * m);
    let v = b.load(input, affine(&at, 0));
    let v = b.cast(v, DType::I64);
    let v = b.reduce(Reduction::Sum, &[v], &[1]);
    b.store(v, affine(&[(0, 1)], 0), x);
    b.kernel
}

/// A reduction of the rows (or the columns) of `n` by `m`.
pub fn reduction(n: usize, m: usize, op: Reduction, dtype: DType, rows: bool) -> Kernel {
    let (x, r) = if rows { (n, m) } else { (m, n) };
    let (sx, sr) = if rows { (m as i64, 1) } else { (1, m as i64) };
    let axes = if x == 1 { vec![(Reduce, r)] } else { vec![(Parallel, x), (Reduce, r)] };
    let last = axes.len() - 1;
    let mut b = Builder::new(&axes);
    let input = b.input(dtype, n * m);
    let at = |sx: i64, sr: i64| match last {
        0 => affine(&[(0, sr)], 0),
        _ => affine(&[(0, sx), (1, sr)], 0),
    };
    let v = b.load(input, at(sx, sr));
    let v = if op.is_arg() {
        let position = b.index(Inst::Index(affine(&[(last, 1)], 0)));
        b.reduce(op, &[v, position], &[last])
    } else {
        b.reduce(op, &[v], &[last])
    };
    b.store(v, at(i64::from(last > 0), 0), x);
    b.kernel
}

/// Twice the elements, and a reduction of them: what a loop stores of its state with a diagnostic.
pub fn stored(n: usize, m: usize, op: Reduction, dtype: DType, rows: bool) -> Kernel {
    let (x, r) = if rows { (n, m) } else { (m, n) };
    let (sx, sr) = if rows { (m as i64, 1) } else { (1, m as i64) };
    let mut b = Builder::new(&[(Parallel, x), (Reduce, r)]);
    let input = b.input(dtype, n * m);
    let v = b.load(input, affine(&[(0, sx), (1, sr)], 0));
    let v = b.op(Op::Add, &[v, v]);
    let position = b.index(Inst::Index(affine(&[(1, 1)], 0)));
    let args: &[Val] = if op.is_arg() { &[v, position] } else { &[v] };
    let found = b.reduce(op, args, &[1]);
    b.store(v, affine(&[(0, sx), (1, sr)], 0), n * m);
    b.store(found, affine(&[(0, 1)], 0), x);
    b.kernel
}

/// Softmax along the rows or along the columns.
pub fn softmax(n: usize, m: usize, dtype: DType, rows: bool) -> Kernel {
    let (x, r) = if rows { (n, m) } else { (m, n) };
    let (sx, sr) = if rows { (m as i64, 1) } else { (1, m as i64) };
    let mut b = Builder::new(&[(Parallel, x), (Reduce, r)]);
    let input = b.input(dtype, n * m);
    let v = b.load(input, affine(&[(0, sx), (1, sr)], 0));
    let most = b.reduce(Reduction::Max, &[v], &[1]);
    let most = b.cast(most, dtype);
    let d = b.op(Op::Subtract, &[v, most]);
    let e = b.op(Op::Exp, &[d]);
    let sum = b.reduce(Reduction::Sum, &[e], &[1]);
    let sum = b.cast(sum, dtype);
    let p = b.op(Op::Divide, &[e, sum]);
    b.store(p, affine(&[(0, sx), (1, sr)], 0), n * m);
    b.kernel
}

/// `(x - mean) / std` by rows, with the mean stored as well.
pub fn standardize(n: usize, m: usize) -> Kernel {
    let d = DType::F32;
    let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
    let input = b.input(d, n * m);
    let v = b.load(input, affine(&[(0, m as i64), (1, 1)], 0));
    let count = b.scalar(d);
    let sum = b.reduce(Reduction::Sum, &[v], &[1]);
    let mean = b.op(Op::Divide, &[sum, count]);
    let away = b.op(Op::Subtract, &[v, mean]);
    let square = b.op(Op::Square, &[away]);
    let sum = b.reduce(Reduction::Sum, &[square], &[1]);
    let variance = b.op(Op::Divide, &[sum, count]);
    let std = b.op(Op::Sqrt, &[variance]);
    let out = b.op(Op::Divide, &[away, std]);
    b.store(out, affine(&[(0, m as i64), (1, 1)], 0), n * m);
    b.store(mean, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// Sum, largest and its position in one sweep.
pub fn several(n: usize, m: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
    let input = b.input(DType::I16, n * m);
    let v = b.load(input, affine(&[(0, m as i64), (1, 1)], 0));
    let wide = b.cast(v, DType::I64);
    let at = b.index(Inst::Index(affine(&[(1, 1)], 0)));
    let sum = b.reduce(Reduction::Sum, &[wide], &[1]);
    let most = b.reduce(Reduction::Max, &[v], &[1]);
    let place = b.reduce(Reduction::ArgMax, &[v, at], &[1]);
    for v in [sum, most, place] {
        b.store(v, affine(&[(0, 1)], 0), n);
    }
    b.kernel
}

/// The sums over windows of `m` elements on a ring of `n`, `turns` rings further on, weighted from
/// the last weight to the first.
pub fn windows(n: usize, m: usize, turns: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
    let (z, weights) = (b.input(DType::F64, n), b.input(DType::F64, m));
    let place = affine(&[(0, 1), (1, 1)], (turns * n) as i64);
    let place = b.index(Inst::IndexMod { index: place, by: n as i64 });
    let z = b.load(z, by_value(place));
    let weight = b.load(weights, affine(&[(1, -1)], m as i64 - 1));
    let product = b.op(Op::Multiply, &[z, weight]);
    let sum = b.reduce(Reduction::Sum, &[product], &[1]);
    b.store(sum, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// The place of the largest element over two axes, in C order; `turned` has them lie the other
/// way round.
pub fn place_in_table(k: usize, n: usize, m: usize, turned: bool) -> Kernel {
    let mut b = Builder::new(&[(Parallel, k), (Reduce, n), (Reduce, m)]);
    let x = b.input(DType::F32, k * n * m);
    let table = (n * m) as i64;
    let at = match turned {
        true => affine(&[(0, table), (1, 1), (2, n as i64)], 0),
        false => affine(&[(0, table), (1, m as i64), (2, 1)], 0),
    };
    let x = b.load(x, at);
    let place = b.index(Inst::Index(affine(&[(1, m as i64), (2, 1)], 0)));
    let place = b.reduce(Reduction::ArgMax, &[x, place], &[1, 2]);
    b.store(place, affine(&[(0, 1)], 0), k);
    b.kernel
}

/// A reduction over two axes that no index walks as one.
pub fn two_axes(n: usize, k: usize, m: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, k), (Reduce, n), (Reduce, m)]);
    let input = b.input(DType::F64, n * k * m);
    let (k, m) = (k as i64, m as i64);
    let v = b.load(input, affine(&[(1, k * m), (0, m), (2, 1)], 0));
    let v = b.reduce(Reduction::Sum, &[v], &[1, 2]);
    b.store(v, affine(&[(0, 1)], 0), k as usize);
    b.kernel
}

/// One Runge-Kutta step of the Lorenz 96 model along rows of `m`.
pub fn lorenz(n: usize, m: usize) -> Kernel {
    let d = DType::F64;
    let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
    let at = || affine(&[(0, m as i64), (1, 1)], 0);
    let input = b.input(d, n * m);
    let z = b.load(input, at());
    let [eight, half, whole, sixth, two] = [(); 5].map(|()| b.scalar(d));
    let shifted = |b: &mut Builder, row: Val, by: i64| {
        let place = affine(&[(1, 1)], (by + m as i64) % m as i64);
        let place = b.index(Inst::IndexMod { index: place, by: m as i64 });
        b.row_load(row, by_value(place), None)
    };
    let slope = |b: &mut Builder, z: Val| {
        let row = b.row(z);
        let next = shifted(b, row, 1);
        let before2 = shifted(b, row, -2);
        let before = shifted(b, row, -1);
        let v = b.op(Op::Subtract, &[next, before2]);
        let v = b.op(Op::Multiply, &[v, before]);
        let v = b.op(Op::Subtract, &[v, z]);
        b.op(Op::Add, &[v, eight])
    };
    let step = |b: &mut Builder, k: Val, by: Val| {
        let v = b.op(Op::Multiply, &[k, by]);
        b.op(Op::Add, &[z, v])
    };
    let k1 = slope(&mut b, z);
    let z2 = step(&mut b, k1, half);
    let k2 = slope(&mut b, z2);
    let z3 = step(&mut b, k2, half);
    let k3 = slope(&mut b, z3);
    let z4 = step(&mut b, k3, whole);
    let k4 = slope(&mut b, z4);
    let (k2, k3) = (b.op(Op::Multiply, &[k2, two]), b.op(Op::Multiply, &[k3, two]));
    let v = b.op(Op::Add, &[k1, k2]);
    let v = b.op(Op::Add, &[v, k3]);
    let v = b.op(Op::Add, &[v, k4]);
    let out = step(&mut b, v, sixth);
    b.store(out, at(), n * m);
    b.kernel
}

/// A row read in reverse and beyond its end, over two Reduce axes.
pub fn reversed(n: usize, k: usize, m: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Reduce, k), (Reduce, m)]);
    let (ki, mi) = (k as i64, m as i64);
    let input = b.input(DType::F32, n * k * m);
    let v = b.load(input, affine(&[(0, ki * mi), (1, 1), (2, ki)], 0));
    let v = b.op(Op::Exp, &[v]);
    let row = b.row(v);
    let back = b.row_load(row, affine(&[(1, -mi), (2, -1)], ki * mi - 1), None);
    let inside = b.index(Inst::InRange { index: affine(&[(2, 1)], 1), low: 0, high: mi });
    let next = b.row_load(row, affine(&[(1, mi), (2, 1)], 1), Some(inside));
    let v = b.op(Op::Add, &[back, next]);
    b.store(v, affine(&[(0, ki * mi), (1, mi), (2, 1)], 0), n * k * m);
    b.kernel
}

/// The least squared distance of each point to all others.
pub fn pairwise(n: usize, m: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Reduce, m), (Serial, 3)]);
    let p = b.input(DType::F32, 3 * n.max(m));
    let a = b.load(p, affine(&[(0, 3), (2, 1)], 0));
    let c = b.load(p, affine(&[(1, 3), (2, 1)], 0));
    let d = b.op(Op::Subtract, &[a, c]);
    let d = b.op(Op::Square, &[d]);
    let d = b.reduce(Reduction::Sum, &[d], &[2]);
    let i = b.index(Inst::Index(affine(&[(0, 1)], 0)));
    let j = b.index(Inst::Index(affine(&[(1, 1)], 0)));
    let same = b.op(Op::Equal, &[i, j]);
    let (nine, zero) = (b.scalar(DType::F32), b.scalar(DType::F32));
    let raised = b.op(Op::Select, &[same, nine, zero]);
    let d = b.op(Op::Add, &[d, raised]);
    let v = b.reduce(Reduction::Min, &[d], &[1]);
    b.store(v, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// A serial loop too long to be written out, with a masked element and its position.
pub fn nearest(n: usize, k: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Serial, k)]);
    let (x, y) = (b.input(DType::F64, n), b.input(DType::F64, k));
    let (x, y) = (b.load(x, affine(&[(0, 1)], 0)), b.load(y, affine(&[(1, 1)], 0)));
    let d = b.op(Op::Subtract, &[x, y]);
    let d = b.op(Op::Abs, &[d]);
    let at = b.index(Inst::Index(affine(&[(1, 1)], 0)));
    let v = b.reduce(Reduction::ArgMin, &[d, at], &[1]);
    let shift = Index { offset: 0, terms: [(Atom::Value(v), 1)].into_iter().collect() };
    let v = b.load(1, shift);
    b.store(v, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// The same kernel with indices of 64 bits, which a bound far away asks for.
/// Both results of a user's function, summed over its turns where there are several.
pub fn calls(n: usize, turns: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Serial, turns)]);
    let (x, y) = (b.input(DType::F64, n * turns), b.input(DType::F64, n));
    let x = b.load(x, affine(&[(0, turns as i64), (1, 1)], 0));
    let y = b.load(y, affine(&[(0, 1)], 0));
    let both = b.call(&Arc::new(two_results()), &[x, y]);
    let first = b.reduce(Reduction::Sum, &[both[0]], &[1]);
    let second = b.reduce(Reduction::All, &[both[1]], &[1]);
    b.store(first, affine(&[(0, 1)], 0), n);
    b.store(second, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// A user's function of halves between two operations.
pub fn calls_of_halves(n: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n)]);
    let (x, y) = (b.input(DType::F16, n), b.input(DType::F16, n));
    let (x, y) = (b.load(x, affine(&[(0, 1)], 0)), b.load(y, affine(&[(0, 1)], 0)));
    let z = b.op(Op::Add, &[x, y]);
    let z = b.call(&Arc::new(on_halves()), &[x, z])[0];
    let z = b.op(Op::Negative, &[z]);
    b.store(z, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// Users' reductions of rows or of columns beside a sum.
pub fn folds([n, k, m]: [usize; 3], rows: bool) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Reduce, k), (Reduce, m)]);
    let at = match rows {
        // The second axis first, so that C order is not the order in memory.
        true => affine(&[(0, (k * m) as i64), (1, 1), (2, k as i64)], 0),
        false => affine(&[(0, 1), (1, (m * n) as i64), (2, n as i64)], 0),
    };
    let (x, y) = (b.input(DType::I64, n * k * m), b.input(DType::F16, n * k * m));
    let (x, y) = (b.load(x, at.clone()), b.load(y, at));
    let three = b.scalar(DType::I64);
    let slope = b.op(Op::BitwiseXor, &[x, three]);
    let maps = b.fold(&Arc::new(users::affine()), &[slope, x], &[1, 2]);
    let top = b.fold(&Arc::new(users::larger_half()), &[y], &[1, 2]);
    let sum = b.reduce(Reduction::Sum, &[x], &[1, 2]);
    let after = b.op(Op::Add, &[maps[1], sum]);
    for v in [maps[0], after, top[0]] {
        b.store(v, affine(&[(0, 1)], 0), n);
    }
    b.kernel
}

/// Rows less their mean over their deviation, both from one fold.
pub fn centred(n: usize, m: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
    let x = b.input(DType::F64, n * m);
    let x = b.load(x, affine(&[(0, m as i64), (1, 1)], 0));
    let one = b.scalar(DType::F64);
    let zero = b.op(Op::Subtract, &[one, one]);
    let moments = b.fold(&Arc::new(users::moments()), &[one, x, zero], &[1]);
    let variance = b.op(Op::Divide, &[moments[2], moments[0]]);
    let deviation = b.op(Op::Sqrt, &[variance]);
    let centred = b.op(Op::Subtract, &[x, moments[1]]);
    let scaled = b.op(Op::Divide, &[centred, deviation]);
    b.store(scaled, affine(&[(0, m as i64), (1, 1)], 0), n * m);
    b.kernel
}

/// A user's reduction as a loop in an expression.
pub fn folds_in_loops(n: usize, s: usize, t: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Serial, s), (Serial, t)]);
    let (x, y) = (b.input(DType::I64, n * s * t), b.input(DType::I64, s));
    let x = b.load(x, affine(&[(0, (s * t) as i64), (1, t as i64), (2, 1)], 0));
    let y = b.load(y, affine(&[(1, 1)], 0));
    let maps = b.fold(&Arc::new(users::affine()), &[x, y], &[1, 2]);
    let both = b.op(Op::BitwiseXor, &[maps[0], maps[1]]);
    b.store(both, affine(&[(0, 1)], 0), n);
    b.store(maps[1], affine(&[(0, 1)], 0), n);
    b.kernel
}

/// The same kernel with places that need 64 bits.
pub fn wide(kernel: Kernel) -> Kernel {
    let mut b = Builder { kernel };
    let index = affine(&[], 0);
    b.index(Inst::IndexClamp { index, low: 0, high: 1 << 40 });
    b.kernel
}

/// Every fixture with a name, at sizes that the emulator runs quickly.
pub fn all() -> Vec<(&'static str, Case)> {
    use Reduction::{ArgMax, ArgMin, Max, Min, Prod, Sum};
    let mut found = Vec::new();
    let mut add = |name, kernel| found.push((name, case(kernel)));
    add("chain f32", chain(5000, DType::F32, 0));
    add("chain f64 cut", chain(4003, DType::F64, 0));
    add("chain f16", chain(8192, DType::F16, 0));
    add("chain bf16 few", chain(77, DType::BF16, 0));
    add("chain shifted", chain(3000, DType::F32, 1));
    add("chain large", chain(70_001, DType::F32, 0));
    add("chain i8", chain(20_000, DType::I8, 0));
    add("heavy f32 with branches", heavy(4003, DType::F32, Op::Cosh));
    add("heavy f32", heavy(8192, DType::F32, Op::Exp));
    add("heavy f32 cut", heavy(4003, DType::F32, Op::Exp));
    add("heavy f16 cut", heavy(4003, DType::F16, Op::Exp));
    add("heavy bf16 few", heavy(5, DType::BF16, Op::Exp));
    add("wide heavy f64 cut", wide(heavy(1003, DType::F64, Op::Exp)));
    add("heavy f64 cut", heavy(4003, DType::F64, Op::Exp));
    add("compare", compare(9001));
    add("table f64", table(37, 1024, DType::F64));
    add("table f32 odd", table(37, 203, DType::F32));
    add("haversine", haversine(70, 256));
    add("haversine tall", haversine(520, 128));
    add("haversine odd", haversine(90, 301));
    add("transpose", transpose(70, 45, DType::F32));
    add("transpose f64", transpose(64, 96, DType::F64));
    add("scattered", scattered([5, 7, 64]));
    add("scattered short", scattered([15, 17, 3]));
    add("jacobi", jacobi(40, 67, DType::F64));
    add("jacobi whole", jacobi_whole(90, 67, DType::F64));
    add("jacobi whole even", jacobi_whole(150, 128, DType::F32));
    add("indices", indices(1000));
    add("in place", in_place(3000));
    add("lengths", lengths(500, 3));
    add("nearest", nearest(300, 40));
    add("rows short", reduction(1000, 64, Sum, DType::F32, true));
    add("rows very short", reduction(1000, 3, Sum, DType::F64, true));
    add("rows", reduction(20, 1000, Max, DType::F32, true));
    add("rows odd", reduction(50, 333, Sum, DType::F64, true));
    add("rows f16", reduction(9, 512, Sum, DType::F16, true));
    add("all", reduction(1, 50_000, Sum, DType::F64, true));
    add("all cut", reduction(1, 50_001, Prod, DType::F32, true));
    add("all complex", reduction(1, 9_000, Sum, DType::C128, true));
    add("few long rows", reduction(3, 20_000, Sum, DType::F32, true));
    add("argmax of all", reduction(1, 30_000, ArgMax, DType::F32, true));
    add("argmin of rows", reduction(30, 100, ArgMin, DType::F64, true));
    add("columns", reduction(1000, 200, Sum, DType::F32, false));
    add("columns short", reduction(3, 5000, Sum, DType::F32, false));
    add("columns of ten", reduction(10, 700, Max, DType::F64, false));
    add("softmax short columns", softmax(5, 301, DType::F64, false));
    add("columns odd", reduction(300, 77, Min, DType::F64, false));
    add("columns argmax", reduction(2000, 128, ArgMax, DType::F32, false));
    add("columns u8", reduction(100, 64, Max, DType::U8, false));
    add("stored", stored(1, 50_000, Sum, DType::F64, true));
    add("stored odd", stored(1, 50_001, Max, DType::F32, true));
    add("stored rows", stored(3, 20_000, ArgMin, DType::F32, true));
    add("stored columns", stored(20_000, 3, Sum, DType::F64, false));
    add("stored columns odd", stored(3001, 45, ArgMax, DType::F32, false));
    add("wide stored", wide(stored(1, 50_001, Max, DType::F64, true)));
    add("wide stored columns", wide(stored(20_000, 3, Min, DType::F32, false)));
    add("softmax", softmax(20, 1000, DType::F32, true));
    add("softmax short", softmax(300, 128, DType::F32, true));
    add("softmax odd", softmax(33, 77, DType::F64, true));
    add("softmax f16", softmax(5, 600, DType::F16, true));
    add("softmax long", softmax(2, 40_001, DType::F64, true));
    add("softmax columns", softmax(300, 50, DType::F32, false));
    add("standardize", standardize(10, 640));
    add("several", several(12, 500));
    add("two axes", two_axes(30, 20, 50));
    add("two axes by columns", two_axes(30, 200, 1));
    add("lorenz", lorenz(5, 960));
    add("lorenz short", lorenz(6, 40));
    add("lorenz long", lorenz(2, 2500));
    add("reversed", reversed(4, 6, 50));
    add("wide chain", wide(chain(4001, DType::F32, 0)));
    add("wide haversine", wide(haversine(40, 128)));
    add("wide transpose", wide(transpose(50, 45, DType::F32)));
    add("wide indices", wide(indices(1000)));
    add("wide rows", wide(reduction(3, 20_000, Sum, DType::F64, true)));
    add("wide columns", wide(reduction(1000, 200, ArgMin, DType::F32, false)));
    add("wide softmax", wide(softmax(20, 600, DType::BF16, true)));
    add("wide two axes", wide(two_axes(30, 20, 50)));
    add("wide lorenz", wide(lorenz(5, 100)));
    add("windows", windows(1000, 25, 0));
    add("windows a turn on", windows(300, 17, 1));
    add("windows two turns on", windows(300, 40, 2));
    add("windows around the ring", windows(9, 40, 0));
    add("long windows", windows(700, 3000, 0));
    add("wide windows", wide(windows(300, 25, 1)));
    add("places in tables", place_in_table(7, 30, 40, false));
    add("places in turned tables", place_in_table(7, 30, 40, true));
    add("places in a turned table", place_in_table(1, 90, 110, true));
    add("calls", calls(3000, 1));
    add("calls of packs", calls(4096, 1));
    add("calls in loops", calls(300, 3));
    add("calls of halves", calls_of_halves(4096));
    add("folds of rows", folds([12, 1, 501], true));
    add("folds of long rows", folds([3, 1, 20_000], true));
    add("folds of all", folds([1, 1, 50_001], true));
    add("folds of short rows", folds([1000, 1, 33], true));
    add("folds of tiny rows", folds([500, 1, 3], true));
    add("folds of columns", folds([300, 1, 70], false));
    add("folds of few columns", folds([5, 1, 5000], false));
    add("folds of many columns", folds([2000, 1, 1200], false));
    add("folds of two axes", folds([7, 12, 50], true));
    add("folds of two axes by columns", folds([70, 12, 50], false));
    add("wide folds", wide(folds([3, 1, 20_000], true)));
    add("folds in two sweeps", centred(20, 1000));
    add("folds in two long sweeps", centred(2, 40_001));
    add("folds in two short sweeps", centred(300, 60));
    add("folds in loops", folds_in_loops(100, 5, 30));
    add("folds in loops of two", folds_in_loops(100, 40, 2));
    add("folds in few turns", folds_in_loops(100, 3, 4));
    for (k, (n, m)) in
        [(70, 7), (40, 33), (5, 1000), (70, 1000), (3, 10_001)].into_iter().enumerate()
    {
        let dtype = [DType::F32, DType::F64, DType::I64, DType::F16, DType::U8][k];
        for (name, along) in [("scan rows", true), ("scan columns", false)] {
            add(
                name,
                scan((n, m), Sum, if k == 4 { DType::F64 } else { dtype }, along, k % 2 == 1),
            );
            add(name, scan((n, m), Reduction::Min, dtype, along, k % 2 == 0));
        }
    }
    add("long scan", cumsum(300_003, DType::F64));
    add("long integer scan", cumsum(160_000, DType::I64));
    add("wide scan", wide(cumsum(9001, DType::C128)));
    for (n, m) in [(70, 7), (40, 33), (5, 1000), (70, 300), (3, 10_001)] {
        add("user scan rows", user_scan((n, m), true, n > 10));
        add("user scan columns", user_scan((n, m), false, n < 60));
    }
    add("long user scan", user_scan((1, 70_001), true, false));
    add("long user scan of moments", moving_moments(1, 140_000));
    add("user scan of moments", moving_moments(9, 500));
    add("wide user scan", wide(user_scan((2, 5001), true, true)));
    add("pairwise", pairwise(300, 200));
    add("pairwise large", pairwise(1030, 131));
    found
}

/// The scan of `x * s` along rows or columns of a table, and `x` added to it.
pub fn scan(
    (n, m): (usize, usize),
    op: Reduction,
    dtype: DType,
    along: bool,
    exclusive: bool,
) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
    let (x, wide) = (b.input(dtype, n * m), op.accumulator(dtype));
    let at = if along {
        affine(&[(0, m as i64), (1, 1)], 0)
    } else {
        affine(&[(0, 1), (1, n as i64)], 0)
    };
    let x = b.load(x, at.clone());
    let s = b.scalar(dtype);
    let scaled = if dtype == DType::Bool { x } else { b.op(Op::Minimum, &[x, s]) };
    let element = b.cast(scaled, wide);
    let scanned = b.scan(op, element, exclusive);
    let top = b.scan(Reduction::Max, element, false);
    let sum = b.op(Op::Maximum, &[scanned, top]);
    let back = b.cast(sum, dtype);
    b.store(back, at.clone(), n * m);
    b.store(x, at.clone(), n * m);
    b.store(scanned, at, n * m);
    b.kernel
}

/// Users' scans of rows or of columns beside a sum: of maps that do not commute, and of halves.
pub fn user_scan((n, m): (usize, usize), along: bool, exclusive: bool) -> Kernel {
    let rows = if n == 1 { vec![] } else { vec![(Parallel, n)] };
    let mut b = Builder::new(&[rows, vec![(Reduce, m)]].concat());
    let column = b.kernel.axes.len() - 1;
    let at = match (n, along) {
        (1, _) => affine(&[(0, 1)], 0),
        (_, true) => affine(&[(0, m as i64), (1, 1)], 0),
        (_, false) => affine(&[(0, 1), (1, n as i64)], 0),
    };
    let (x, y) = (b.input(DType::I64, n * m), b.input(DType::F16, n * m));
    let slope = b.input(DType::I64, m);
    let (x, y) = (b.load(x, at.clone()), b.load(y, at.clone()));
    let slope = b.load(slope, affine(&[(column, 1)], 0));
    let three = b.scalar(DType::I64);
    let slope = b.op(Op::BitwiseXor, &[slope, three]);
    let maps = b.user_scan(&Arc::new(users::affine()), &[slope, x], exclusive);
    let top = b.user_scan(&Arc::new(users::larger_half()), &[y], !exclusive);
    let sum = b.scan(Reduction::Sum, x, exclusive);
    let after = b.op(Op::Add, &[maps[1], sum]);
    for v in [maps[0], after, top[0]] {
        b.store(v, at.clone(), n * m);
    }
    b.kernel
}

/// Rows less the mean of all up to each element, over their deviation.
pub fn moving_moments(n: usize, m: usize) -> Kernel {
    let rows = if n == 1 { vec![] } else { vec![(Parallel, n)] };
    let mut b = Builder::new(&[rows, vec![(Reduce, m)]].concat());
    let at = if n == 1 { affine(&[(0, 1)], 0) } else { affine(&[(0, m as i64), (1, 1)], 0) };
    let x = b.input(DType::F64, n * m);
    let x = b.load(x, at.clone());
    let one = b.scalar(DType::F64);
    let zero = b.op(Op::Subtract, &[one, one]);
    let count = b.op(Op::Divide, &[one, one]);
    let moments = b.user_scan(&Arc::new(users::moments()), &[count, x, zero], false);
    let centred = b.op(Op::Subtract, &[x, moments[1]]);
    b.store(centred, at.clone(), n * m);
    b.store(moments[2], at, n * m);
    b.kernel
}

/// The sum of everything up to each element.
pub fn cumsum(n: usize, dtype: DType) -> Kernel {
    let mut b = Builder::new(&[(Reduce, n)]);
    let x = b.input(dtype, n);
    let x = b.load(x, affine(&[(0, 1)], 0));
    let sum = b.scan(Reduction::Sum, x, false);
    b.store(sum, affine(&[(0, 1)], 0), n);
    b.kernel
}

/// The workloads of the comparison with other libraries, at their sizes.
pub fn workloads() -> Vec<(&'static str, Kernel)> {
    use Reduction::{ArgMax, Prod, Sum};
    vec![
        ("scale", chain(30_000_000, DType::F32, 0)),
        ("table", table(8192, 8192, DType::F64)),
        ("haversine@8192", haversine(8192, 8192)),
        ("haversine@1000", haversine(1000, 1000)),
        ("jacobi@8192", jacobi(8192, 8192, DType::F64)),
        ("jacobi whole@8192", jacobi_whole(8192, 8192, DType::F64)),
        ("jacobi whole@1024", jacobi_whole(1024, 1024, DType::F64)),
        ("rowsum@1000x1000", reduction(1000, 1000, Sum, DType::F32, true)),
        ("rowsum@16384", reduction(16384, 16384, Sum, DType::F32, true)),
        ("rowsum@1048576x64", reduction(1048576, 64, Sum, DType::F32, true)),
        ("rowsum@64x1048576", reduction(64, 1048576, Sum, DType::F32, true)),
        ("colsum@1000", reduction(1000, 1000, Sum, DType::F32, false)),
        ("colsum@16384", reduction(16384, 16384, Sum, DType::F32, false)),
        ("cumsum@64000000", cumsum(64_000_000, DType::F32)),
        ("cumsum rows", scan((16384, 16384), Sum, DType::F32, true, false)),
        ("cumsum columns", scan((16384, 16384), Sum, DType::F32, false, false)),
        ("prod@4000000", reduction(1, 4_000_000, Prod, DType::F64, true)),
        ("argmax@64000000", reduction(1, 64_000_000, ArgMax, DType::F32, true)),
        ("softmax@16384x4096", softmax(16384, 4096, DType::F32, true)),
        ("softmax@1048576x128", softmax(1048576, 128, DType::F32, true)),
        ("standardize", standardize(16384, 4096)),
        ("lorenz@4096x9600", lorenz(4096, 9600)),
        ("lorenz@40x960", lorenz(40, 960)),
        ("pairwise@32768", pairwise(32768, 32768)),
        ("smooth@1000000", windows(1_000_000, 25, 1)),
        ("transpose@8192", transpose(8192, 8192, DType::F32)),
    ]
}
