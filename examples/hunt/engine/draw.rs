//! Draws programs: each step is interpreted at once, and what the interpreter does not take is
//! drawn again.

use super::interpret::interpret;
use super::op::{Margin, Node, Op, Part, Program};
use super::rng::Rng;
use super::value::{Host, Kind, V, broadcast};
use super::{device, functions};

/// What programs are drawn from.
#[derive(Clone, Debug)]
pub struct Taste {
    /// The element types of inputs and casts.
    pub kinds: Vec<Kind>,
    /// The most steps of a program.
    pub steps: usize,
    /// Whether arrays may be large enough for several tiles and threads.
    pub large: bool,
}

const UNARY: [&str; 54] = [
    "negative",
    "abs",
    "sign",
    "square",
    "reciprocal",
    "sqrt",
    "exp",
    "ln",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp2",
    "exp10",
    "exp_m1",
    "ln_1p",
    "cbrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "round_ties_away",
    "degrees",
    "radians",
    "sinc",
    "signbit",
    "erf",
    "erfc",
    "lgamma",
    "bessel_j0",
    "bessel_j1",
    "is_nan",
    "is_inf",
    "is_finite",
    "is_pos_inf",
    "is_neg_inf",
    "frexp_mantissa",
    "frexp_exponent",
    "logical_not",
    "bitwise_not",
    "bitwise_count",
    "conj",
    "real",
    "imag",
];

const BINARY: [&str; 39] = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "power",
    "fmod",
    "floor_divide",
    "remainder",
    "div_euclid",
    "rem_euclid",
    "logaddexp",
    "atan2",
    "hypot",
    "copysign",
    "heaviside",
    "to_complex",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "equal",
    "not_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "left_shift",
    "right_shift",
    "gcd",
    "lcm",
    "add",
    "subtract",
    "multiply",
];

const REDUCTIONS: [&str; 13] = [
    "sum",
    "sum",
    "prod",
    "any",
    "all",
    "count_nonzero",
    "min",
    "max",
    "argmin",
    "argmax",
    "mean",
    "var",
    "std",
];

const LAWS: [(&str, Kind); 7] = [
    ("random f32", Kind::F32),
    ("random f64", Kind::F64),
    ("normal f32", Kind::F32),
    ("normal f64", Kind::F64),
    ("integers i64", Kind::I64),
    ("integers u8", Kind::U8),
    ("bernoulli", Kind::Bool),
];

/// A program that grows.
struct Drawing<'a> {
    rng: Rng,
    taste: &'a Taste,
    lengths: Vec<usize>,
    nodes: Vec<Node>,
}

/// The program of a seed.
pub fn draw(seed: u64, taste: &Taste) -> Program {
    let mut rng = Rng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut lengths: Vec<usize> =
        (0..3).map(|_| rng.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 33])).collect();
    if taste.large && rng.one_in(12) {
        lengths[0] = rng.pick(&[300, 1000, 2049, 4097, 5000]);
    }
    if rng.one_in(30) {
        lengths[1] = 0;
    }
    let mut drawing = Drawing { rng, taste, lengths, nodes: Vec::new() };
    drawing.input();
    let steps = 1 + drawing.rng.below(taste.steps);
    let mut tries = 0;
    while drawing.nodes.len() < steps + 1 && tries < 40 * steps {
        tries += 1;
        drawing.step();
    }
    let last = drawing.nodes.len() - 1;
    let mut outputs: Vec<usize> = (0..last).filter(|_| drawing.rng.one_in(4)).collect();
    outputs.push(last);
    Program { seed, nodes: drawing.nodes, outputs }
}

impl Drawing<'_> {
    /// Adds a node where the interpreter takes it.
    fn push(&mut self, op: Op, args: &[usize]) -> Option<usize> {
        let values: Vec<&Host> = args.iter().map(|&k| &self.nodes[k].value).collect();
        let value = interpret(&op, &values)?;
        // Nothing is learned from a value of which nothing is known.
        if !value.data.is_empty() && value.data.iter().all(|v| !v.is_known()) {
            return None;
        }
        self.nodes.push(Node { op, args: args.to_vec(), value });
        Some(self.nodes.len() - 1)
    }

    fn shape(&mut self) -> Vec<usize> {
        let rank = self.rng.pick(&[0, 1, 1, 1, 2, 2, 2, 3]);
        let mut shape: Vec<usize> = (0..rank).map(|_| self.rng.pick(&self.lengths)).collect();
        while shape.iter().product::<usize>() > 6000 {
            shape.pop();
        }
        shape
    }

    fn input(&mut self) -> Option<usize> {
        let (kind, shape) = (self.rng.pick(&self.taste.kinds), self.shape());
        self.fresh(kind, shape)
    }

    /// A new leaf of a type and shape.
    fn fresh(&mut self, kind: Kind, shape: Vec<usize>) -> Option<usize> {
        let n: usize = shape.iter().product();
        let law = LAWS.into_iter().find(|l| l.1 == kind);
        match self.rng.below(8) {
            0 => {
                let v = element(&mut self.rng, kind, 0);
                self.push(Op::Full(kind, shape, v), &[])
            }
            1 if shape.len() == 1
                && n < 100
                && !kind.is_complex()
                && !kind.is_half()
                && kind != Kind::Bool =>
            {
                self.push(Op::Range(kind, n), &[])
            }
            2 => {
                let law = if kind == Kind::F32 {
                    LAWS[self.rng.below(2) * 2]
                } else {
                    law.unwrap_or(LAWS[3])
                };
                let (seed, skip) = (self.rng.next() % 1000, self.rng.pick(&[0, 0, 1, 3, 16, 4099]));
                // By itself, and read at once: what surrounds it must give the same numbers.
                let values = device::draw(law.0, seed, skip, &shape).and_then(|v| v.read()).ok()?;
                self.push(Op::Draw { law: law.0, seed, skip, values }, &[])
            }
            _ => {
                let flavour = self.rng.below(6);
                let data = (0..n).map(|_| element(&mut self.rng, kind, flavour)).collect();
                self.push(Op::Input(Host::new(kind, shape, data)), &[])
            }
        }
    }

    /// A node, later ones more often.
    fn pick(&mut self) -> usize {
        let n = self.nodes.len();
        let back = self.rng.below(4).min(self.rng.below(8)).min(n - 1);
        if self.rng.one_in(3) { self.rng.below(n) } else { n - 1 - back }
    }

    /// A node of a type that satisfies a condition, or a new leaf of a shape.
    fn other(
        &mut self,
        kind: Kind,
        shape: &[usize],
        fits: impl Fn(&[usize]) -> bool,
    ) -> Option<usize> {
        let all: Vec<usize> = (0..self.nodes.len())
            .filter(|&k| self.nodes[k].value.kind == kind && fits(&self.nodes[k].value.shape))
            .collect();
        if all.is_empty() || self.rng.one_in(6) {
            return self.fresh(kind, shape.to_vec());
        }
        Some(self.rng.pick(&all))
    }

    /// A node of the same type that broadcasts with `a`.
    fn partner(&mut self, a: usize) -> Option<usize> {
        let (kind, shape) = (self.nodes[a].value.kind, self.nodes[a].value.shape.clone());
        self.like(kind, &shape)
    }

    fn like(&mut self, kind: Kind, shape: &[usize]) -> Option<usize> {
        let mut own = shape.to_vec();
        if self.rng.one_in(4) {
            own.iter_mut().for_each(|n| *n = if self.rng.one_in(2) { 1 } else { *n });
        }
        self.other(kind, &own, |s| broadcast(s, shape).is_some())
    }

    fn step(&mut self) -> Option<usize> {
        match self.rng.below(24) {
            0 => self.input(),
            1..5 => {
                let (name, a) = (self.rng.pick(&UNARY), self.pick());
                self.push(Op::Map(name), &[a])
            }
            5..10 => {
                let (name, a) = (self.rng.pick(&BINARY), self.pick());
                let b = self.partner(a)?;
                self.push(Op::Map(name), &[a, b])
            }
            10 => self.ternary(),
            11 => {
                let (kind, a) = (self.rng.pick(&self.taste.kinds), self.pick());
                self.push(Op::Cast(kind), &[a])
            }
            12..16 => self.view(),
            16 => self.join(),
            17 => self.assignment(),
            18 | 19 => self.fold(),
            20 => self.order(),
            21 => self.indexed(),
            22 => self.user(),
            _ => self.product(),
        }
    }

    fn ternary(&mut self) -> Option<usize> {
        let a = self.pick();
        let (kind, shape) = (self.nodes[a].value.kind, self.nodes[a].value.shape.clone());
        let b = self.partner(a)?;
        match self.rng.below(4) {
            0 => {
                let c = self.partner(a)?;
                self.push(Op::Map("clip"), &[a, b, c])
            }
            1 => {
                let c = self.partner(a)?;
                self.push(Op::Map("mul_add"), &[a, b, c])
            }
            2 if kind.is_float() => {
                let n = self.like(Kind::I32, &shape)?;
                self.push(Op::Ldexp, &[a, n])
            }
            _ => {
                let mask = self.like(Kind::Bool, &shape)?;
                self.push(Op::Select, &[mask, a, b])
            }
        }
    }

    /// A part of each axis.
    fn parts(&mut self, shape: &[usize]) -> Vec<Part> {
        let rng = &mut self.rng;
        shape
            .iter()
            .map(|&n| {
                if n > 0 && rng.one_in(6) {
                    return Part::Index(rng.between(-(n as i64), n as i64 - 1) as isize);
                }
                let start = rng.below(n / 2 + 1);
                let end = n - rng.below(n / 2 + 1);
                Part::Range { start, end: end.max(start), step: rng.pick(&[1, 1, 1, -1, 2, -2, 3]) }
            })
            .collect()
    }

    fn view(&mut self) -> Option<usize> {
        let a = self.pick();
        let shape = self.nodes[a].value.shape.clone();
        let (rank, len) = (shape.len(), shape.iter().product::<usize>());
        let axis = self.rng.below(rank.max(1));
        let n = shape.get(axis).copied().unwrap_or(1);
        let op = match self.rng.below(15) {
            0..3 => Op::Slice(self.parts(&shape)),
            3 => {
                let mut order: Vec<usize> = (0..rank).collect();
                (1..rank).for_each(|k| order.swap(k, self.rng.below(k + 1)));
                Op::Permute(order)
            }
            4 => {
                let divisors: Vec<usize> = (1..=len.min(64)).filter(|d| len % d == 0).collect();
                let d = if len == 0 { return None } else { self.rng.pick(&divisors) };
                Op::Reshape(if self.rng.one_in(3) { vec![len] } else { vec![len / d, d] })
            }
            5 => Op::Broadcast([&[self.rng.pick(&[1, 2, 3])], &shape[..]].concat()),
            6 => Op::InsertAxis(self.rng.below(rank + 1)),
            7 => Op::Flip(axis),
            8 => Op::Roll(self.rng.between(-5, 5) as isize, axis),
            9 => Op::Repeat(1 + self.rng.below(3), axis),
            10 => Op::Tile(shape.iter().map(|_| 1 + self.rng.below(2)).collect()),
            11 => Op::Windows(1 + self.rng.below(n.clamp(1, 6)), axis),
            12 => Op::Diagonal(self.rng.between(-2, 2) as isize, axis, self.rng.below(rank.max(1))),
            13 => {
                let kind = self.nodes[a].value.kind;
                let flavour = self.rng.below(4);
                let v = element(&mut self.rng, kind, flavour);
                let widths = shape.iter().map(|_| (self.rng.below(4), self.rng.below(4))).collect();
                let margins = [Margin::Constant(v), Margin::Edge, Margin::Reflect, Margin::Wrap];
                Op::Pad(widths, self.rng.pick(&margins))
            }
            _ => Op::Take(self.positions(n)?, axis),
        };
        self.push(op, &[a])
    }

    fn positions(&mut self, n: usize) -> Option<Vec<i64>> {
        let n = n as i64;
        let count = 1 + self.rng.below(6);
        (n > 0).then(|| (0..count).map(|_| self.rng.between(-n, n - 1)).collect())
    }

    fn join(&mut self) -> Option<usize> {
        let a = self.pick();
        let (kind, shape) = (self.nodes[a].value.kind, self.nodes[a].value.shape.clone());
        let mut parts = vec![a];
        if self.rng.one_in(2) || shape.is_empty() {
            for _ in 0..1 + self.rng.below(3) {
                let wanted = shape.clone();
                parts.push(self.other(kind, &shape, |s| s == wanted)?);
            }
            let axis = self.rng.below(shape.len() + 1);
            return self.push(Op::Stack(axis), &parts);
        }
        let axis = self.rng.below(shape.len());
        for _ in 0..1 + self.rng.below(3) {
            let wanted = shape.clone();
            let fits = |s: &[usize]| {
                s.len() == wanted.len() && (0..s.len()).all(|k| k == axis || s[k] == wanted[k])
            };
            parts.push(self.other(kind, &shape, fits)?);
        }
        let from = self.rng.below(parts.len());
        parts.swap(0, from);
        self.push(Op::Concat(axis), &parts)
    }

    fn assignment(&mut self) -> Option<usize> {
        let a = self.pick();
        let (kind, shape) = (self.nodes[a].value.kind, self.nodes[a].value.shape.clone());
        if self.rng.one_in(3) {
            let (mask, value) = (self.like(Kind::Bool, &shape)?, self.like(kind, &shape)?);
            return self.push(Op::AssignWhere, &[a, mask, value]);
        }
        let parts = self.parts(&shape);
        let region = interpret(&Op::Slice(parts.clone()), &[&self.nodes[a].value])?.shape;
        let wanted = region.clone();
        let fits = |s: &[usize]| broadcast(s, &wanted).is_some_and(|b| b == wanted);
        let value = self.other(kind, &region, fits)?;
        self.push(Op::Assign(parts), &[a, value])
    }

    fn fold(&mut self) -> Option<usize> {
        let a = self.pick();
        let rank = self.nodes[a].value.rank();
        if self.rng.one_in(3) {
            let name = self.rng.pick(&["cumsum", "cumsum", "cumprod", "cummin", "cummax"]);
            let axis = self.rng.below(rank.max(1));
            let (reverse, exclusive) = (self.rng.one_in(3), self.rng.one_in(4));
            return self.push(Op::Scan { name, axis, reverse, exclusive }, &[a]);
        }
        let mut axes: Vec<usize> = (0..rank).filter(|_| self.rng.one_in(2)).collect();
        if self.rng.one_in(3) || axes.is_empty() {
            axes = (0..rank).collect();
        }
        let (name, keep) = (self.rng.pick(&REDUCTIONS), self.rng.one_in(2));
        self.push(Op::Reduce { name, axes, keep }, &[a])
    }

    fn order(&mut self) -> Option<usize> {
        let a = self.pick();
        let shape = self.nodes[a].value.shape.clone();
        let axis = self.rng.below(shape.len().max(1));
        let n = *shape.get(axis)?;
        let down = self.rng.one_in(2);
        match self.rng.below(6) {
            0 | 1 => self.push(Op::Sort { axis, down }, &[a]),
            2 => self.push(Op::Argsort { axis, down }, &[a]),
            3 => {
                let k = 1 + self.rng.below(n.clamp(1, 5));
                self.push(Op::TopK { k, axis, positions: down }, &[a])
            }
            4 => {
                let kind = self.nodes[a].value.kind;
                let line = self.push(Op::Reshape(vec![shape.iter().product()]), &[a])?;
                let sorted = self.push(Op::Sort { axis: 0, down: false }, &[line])?;
                let values = self.other(kind, &[5], |_| true)?;
                self.push(Op::Search { right: down }, &[sorted, values])
            }
            _ => {
                let small = self.push(Op::Cast(Kind::U8), &[a])?;
                let below = self.push(Op::Full(Kind::U8, vec![], V::int(50)), &[])?;
                let held = self.push(Op::Map("minimum"), &[small, below])?;
                let least = self.rng.below(60);
                self.push(Op::Bincount(least), &[held])
            }
        }
    }

    /// Reads and writes at positions.
    fn indexed(&mut self) -> Option<usize> {
        let a = self.pick();
        let (kind, shape) = (self.nodes[a].value.kind, self.nodes[a].value.shape.clone());
        let axis = self.rng.below(shape.len().max(1));
        let n = *shape.get(axis)?;
        let positions = self.positions(n)?;
        match self.rng.below(5) {
            0 | 1 => {
                let mut values = shape.clone();
                values[axis] = positions.len();
                let b = self.like(kind, &values)?;
                let name = self.rng.pick(&["put", "add", "min", "max"]);
                self.push(Op::Scatter { name, positions, axis }, &[a, b])
            }
            2 => {
                let at = self.push(Op::Argsort { axis, down: false }, &[a])?;
                self.push(Op::TakeAlong(axis), &[a, at])
            }
            which => {
                let data = positions.iter().map(|&p| V::int(p.abs().min(n as i64 - 1).into()));
                let data: Vec<V> = data.collect();
                let at = Op::Input(Host::new(Kind::I64, vec![data.len()], data));
                let at = self.push(at, &[])?;
                let op = if which == 3 { Op::TakeBy(axis) } else { Op::TakeClipped(axis) };
                self.push(op, &[a, at])
            }
        }
    }

    fn user(&mut self) -> Option<usize> {
        let shape = self.shape();
        if self.rng.one_in(3) {
            let a = self.other(Kind::I32, &shape, |s| !s.is_empty())?;
            let axis = self.rng.below(self.nodes[a].value.rank().max(1));
            let scan = self.rng.one_in(2);
            return self.push(Op::UserFold { axis, scan }, &[a]);
        }
        let (name, kinds) = self.rng.pick(&functions::ALL);
        let a = self.other(kinds[0], &shape, |_| true)?;
        let mut args = vec![a];
        if let Some(&second) = kinds.get(1) {
            let shape = self.nodes[a].value.shape.clone();
            args.push(self.like(second, &shape)?);
        }
        self.push(Op::User(name), &args)
    }

    fn product(&mut self) -> Option<usize> {
        let a = self.pick();
        let (kind, shape) = (self.nodes[a].value.kind, self.nodes[a].value.shape.clone());
        let m = if shape.len() < 2 { return None } else { shape[shape.len() - 1] };
        let n = self.rng.pick(&self.lengths).min(40);
        let b = self.other(kind, &[m, n], |s| s.len() == 2 && s[0] == m)?;
        self.push(Op::Matmul, &[a, b])
    }
}

/// An element of a type: small and whole, by quarters, any, or at the edges.
fn element(rng: &mut Rng, kind: Kind, flavour: usize) -> V {
    if kind == Kind::Bool {
        return V::truth(rng.one_in(2));
    }
    if kind.is_integer() {
        let (low, high) = kind.limits();
        return V::int(match flavour {
            4 => rng.pick(&[low, high, 0, 1, -1, low + 1, high / 2]).clamp(low, high),
            5 => kind.wrap(rng.next().into()),
            _ => i128::from(rng.between(-16, 16)).clamp(low, high),
        });
    }
    let mut part = |k: Kind| match flavour {
        0 | 1 => rng.between(-16, 16) as f64,
        2 => rng.between(-32, 32) as f64 / 4.0,
        4 => rng.pick(&[
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            k.greatest(),
            -k.greatest(),
            libm::ldexp(1.0, k.digits().1),
            0.5,
        ]),
        5 => k.round(libm::ldexp(rng.unit() - 0.5, rng.between(-20, 14) as i32)),
        _ => k.round(rng.unit() * 20.0 - 10.0),
    };
    let re = part(kind.component());
    if kind.is_complex() { V::complex(re, part(kind.component())) } else { V::float(re) }
}
