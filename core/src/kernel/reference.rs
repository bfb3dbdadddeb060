//! A scalar interpreter of kernels for tests: plain, slow, and the meaning of the IR.
//!
//! A value is evaluated at a position of all axes by evaluating its arguments there. Results are
//! remembered for each position of the axes that a value depends on.

use super::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Val};
use crate::dtype::{DType, Scalar, half_from, with_dtype};
use crate::function::{Function, ScanBy, TileArg};
use crate::math::random::{Drawn, Normal, Seed, Uniform};
use crate::table::{Law, Op, Reduction};
use smallvec::SmallVec;

/// A position of all axes.
type Position = SmallVec<[usize; 8]>;

/// Runs a kernel. Inputs and outputs are the bytes of whole buffers; `outputs` come with their
/// contents before the launch. Where an output stands in an input's place, the input is still
/// given with its old contents.
pub fn run(kernel: &Kernel, inputs: &[&[u8]], outputs: &mut [Vec<u8>], scalars: &[Scalar]) {
    let mut machine =
        Machine { kernel, inputs, scalars, known: vec![Vec::new(); kernel.values.len()] };
    for store in &kernel.stores {
        let axes = kernel.index_axes(&store.index).union(kernel.value(store.value).axes);
        let output = &mut outputs[store.output as usize];
        for position in positions(kernel, axes, &[0].repeat(kernel.axes.len())) {
            let value = machine.value(store.value, &position);
            let at = machine.index(&store.index, &position);
            let at = usize::try_from(at).expect("a store's index is not negative")
                * value.dtype().size();
            assert_eq!(value.dtype(), kernel.outputs[store.output as usize].dtype);
            output[at..at + value.bytes().len()].copy_from_slice(value.bytes());
        }
    }
}

/// One element of a buffer.
pub fn element(bytes: &[u8], dtype: DType, at: usize) -> Scalar {
    let bytes = &bytes[at * dtype.size()..][..dtype.size()];
    // SAFETY: the slice is as long as the type, and buffers hold valid elements of it.
    with_dtype!(dtype, T => Scalar::new(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }))
}

/// Number `at` of a random stream.
pub fn draw(law: Law, dtype: DType, seed: Seed, at: u64) -> Scalar {
    fn one<D: Drawn>(seed: Seed, at: u64) -> Scalar {
        Scalar::new(D::of(seed.word(at)))
    }
    match (law, dtype) {
        (Law::Uniform, DType::U32) => one::<Uniform<u32>>(seed, at),
        (Law::Uniform, DType::U64) => one::<Uniform<u64>>(seed, at),
        (Law::Uniform, DType::F32) => one::<Uniform<f32>>(seed, at),
        (Law::Uniform, DType::F64) => one::<Uniform<f64>>(seed, at),
        (Law::Normal, DType::F32) => one::<Normal<f32>>(seed, at),
        (Law::Normal, DType::F64) => one::<Normal<f64>>(seed, at),
        _ => unreachable!("{law:?} numbers of type {dtype} are not drawn"),
    }
}

/// The value of an operation; halves are computed in `f32` and rounded, as a
/// rule.
pub fn evaluate(op: Op, args: &[Scalar]) -> Scalar {
    let dtype = args[usize::from(op == Op::Select)].dtype();
    let wide: SmallVec<[Scalar; 4]> = args.iter().map(|&a| cast(a, a.dtype().compute())).collect();
    cast(crate::backend::cpu::evaluate_as(op, &wide, dtype), op.result(dtype))
}

/// The results of a call, by the processor's code of the function.
pub fn call(function: &Function, args: &[Scalar]) -> Vec<Scalar> {
    let tile = function.tile.expect("the reference needs a function's code for the processor");
    let args: Vec<TileArg> =
        args.iter().map(|a| TileArg::near(a.bytes().as_ptr(), false)).collect();
    let mut results = vec![[0u64; 2]; function.results.len()];
    let outs: Vec<*mut u8> = results.iter_mut().map(|r| r.as_mut_ptr().cast()).collect();
    // SAFETY: every argument is one element of its type, every result has room for one.
    unsafe { tile(&args, &outs, 1) };
    let bytes = |r: &[u64; 2]| [r[0].to_ne_bytes(), r[1].to_ne_bytes()].concat();
    results.iter().zip(&function.results).map(|(r, &t)| element(&bytes(r), t, 0)).collect()
}

/// A conversion as Rust's `as` does it.
pub fn cast(value: Scalar, to: DType) -> Scalar {
    /// A number wide enough for every element type.
    enum Wide {
        Integer(i128),
        Real(f64),
        Complex(f64, f64),
    }
    macro_rules! get {
        ($t:ty) => {
            value.get::<$t>().expect("the dtype was matched")
        };
    }
    if value.dtype() == to {
        return value;
    }
    let wide = match value.dtype() {
        DType::Bool => Wide::Integer(get!(bool) as i128),
        DType::I8 => Wide::Integer(get!(i8) as i128),
        DType::I16 => Wide::Integer(get!(i16) as i128),
        DType::I32 => Wide::Integer(get!(i32) as i128),
        DType::I64 => Wide::Integer(get!(i64) as i128),
        DType::U8 => Wide::Integer(get!(u8) as i128),
        DType::U16 => Wide::Integer(get!(u16) as i128),
        DType::U32 => Wide::Integer(get!(u32) as i128),
        DType::U64 => Wide::Integer(get!(u64) as i128),
        DType::F16 => Wide::Real(get!(half::f16).to_f64()),
        DType::BF16 => Wide::Real(get!(half::bf16).to_f64()),
        DType::F32 => Wide::Real(get!(f32) as f64),
        DType::F64 => Wide::Real(get!(f64)),
        DType::C64 => {
            let z = get!(num_complex::Complex<f32>);
            Wide::Complex(z.re as f64, z.im as f64)
        }
        DType::C128 => {
            let z = get!(num_complex::Complex<f64>);
            Wide::Complex(z.re, z.im)
        }
        _ => unreachable!("every type has its arm"),
    };
    macro_rules! make {
        ($t:ty) => {
            Scalar::new(match wide {
                Wide::Integer(v) => v as $t,
                Wide::Real(v) | Wide::Complex(v, _) => v as $t,
            })
        };
    }
    let real = |wide: &Wide| match *wide {
        Wide::Integer(v) => v as f64,
        Wide::Real(v) | Wide::Complex(v, _) => v,
    };
    let imag = if let Wide::Complex(_, v) = wide { v } else { 0.0 };
    match to {
        DType::Bool => Scalar::new(match wide {
            Wide::Integer(v) => v != 0,
            Wide::Real(v) => v != 0.0,
            Wide::Complex(re, im) => re != 0.0 || im != 0.0,
        }),
        DType::I8 => make!(i8),
        DType::I16 => make!(i16),
        DType::I32 => make!(i32),
        DType::I64 => make!(i64),
        DType::U8 => make!(u8),
        DType::U16 => make!(u16),
        DType::U32 => make!(u32),
        DType::U64 => make!(u64),
        DType::F16 => Scalar::new(half_from(real(&wide), half::f16::from_f32)),
        DType::BF16 => Scalar::new(half_from(real(&wide), half::bf16::from_f32)),
        DType::F32 => make!(f32),
        DType::F64 => make!(f64),
        DType::C64 => Scalar::new(num_complex::Complex::new(real(&wide) as f32, imag as f32)),
        DType::C128 => Scalar::new(num_complex::Complex::new(real(&wide), imag)),
        _ => unreachable!("every type has its arm"),
    }
}

/// All positions of some axes in C order, with the other axes at `at`.
fn positions(
    kernel: &Kernel,
    axes: AxisSet,
    at: &[usize],
) -> impl Iterator<Item = Position> + use<> {
    let at = Position::from_slice(at);
    let extents: Vec<(usize, usize)> = axes.iter().map(|k| (k, kernel.axes[k].extent)).collect();
    let count: usize = extents.iter().map(|e| e.1).product();
    (0..count).map(move |mut linear| {
        let mut position = at.clone();
        for &(k, extent) in extents.iter().rev() {
            position[k] = linear % extent;
            linear /= extent;
        }
        position
    })
}

struct Machine<'a> {
    kernel: &'a Kernel,
    inputs: &'a [&'a [u8]],
    scalars: &'a [Scalar],
    /// Of each value, what is known of it, in C order of the axes that it depends on.
    known: Vec<Vec<Option<Scalar>>>,
}

impl Machine<'_> {
    fn value(&mut self, v: Val, at: &[usize]) -> Scalar {
        let is_cheap = matches!(self.kernel.value(v).inst, Inst::Scalar(_) | Inst::Index(_));
        if !is_cheap && let Some(known) = *self.known(v, at) {
            return known;
        }
        let value = self.compute(v, at);
        assert_eq!(value.dtype(), self.kernel.value(v).dtype, "the type of {v}");
        if !is_cheap {
            *self.known(v, at) = Some(value);
        }
        value
    }

    /// What is known of a value at a position.
    fn known(&mut self, v: Val, at: &[usize]) -> &mut Option<Scalar> {
        let extents = || self.kernel.value(v).axes.iter().map(|k| (k, self.kernel.axes[k].extent));
        let place = extents().fold(0, |place, (k, extent)| place * extent + at[k]);
        let known = &mut self.known[v.0 as usize];
        if known.is_empty() {
            known.resize(extents().map(|(_, extent)| extent).product(), None);
        }
        &mut known[place]
    }

    fn compute(&mut self, v: Val, at: &[usize]) -> Scalar {
        let kernel = self.kernel;
        let dtype = kernel.value(v).dtype;
        match &kernel.value(v).inst {
            Inst::Scalar(slot) => self.scalars[*slot as usize],
            Inst::Index(index) => Scalar::new(self.index(index, at)),
            Inst::Op(op, args) => {
                let args: SmallVec<[Scalar; 4]> = args.iter().map(|&a| self.value(a, at)).collect();
                evaluate(*op, &args)
            }
            Inst::Call { function, args, output } => {
                let args: Vec<Scalar> = args.iter().map(|&a| self.value(a, at)).collect();
                call(function, &args)[*output as usize]
            }
            Inst::Draw { law, index, seed } => {
                let [key, first, stream] =
                    [0, 1, 2].map(|k| self.value(seed[k], at).get().expect("a seed is a u64"));
                let seed = Seed { key, first, stream };
                draw(*law, dtype, seed, self.index(index, at) as u64)
            }
            Inst::Cast(a) => cast(self.value(*a, at), dtype),
            Inst::Load { input, index, mask } => {
                if !self.mask(mask, at) {
                    return Scalar::from_f64(dtype, 0.0);
                }
                let element_at = usize::try_from(self.index(index, at)).expect("not negative");
                element(self.inputs[*input as usize], dtype, element_at)
            }
            Inst::Reduce { op, args, axes } => self.reduce(*op, args, *axes, dtype, at),
            Inst::Fold { .. } => self.fold(v, at)[0],
            Inst::Component { of, output } => match kernel.value(*of).inst {
                Inst::Scan { .. } => self.scanned(*of, v, at),
                _ => self.fold(*of, at)[*output as usize],
            },
            Inst::Scan { .. } => self.scanned(v, v, at),
            Inst::Row(a) => self.value(*a, at),
            Inst::RowLoad { row, at: place, mask } => {
                if !self.mask(mask, at) {
                    return Scalar::from_f64(dtype, 0.0);
                }
                let mut linear = usize::try_from(self.index(place, at)).expect("not negative");
                let mut elsewhere = at.to_vec();
                for k in kernel.axes_of(AxisKind::Reduce).iter().rev() {
                    elsewhere[k] = linear % kernel.axes[k].extent;
                    linear /= kernel.axes[k].extent;
                }
                assert_eq!(linear, 0, "a row is read inside");
                self.value(*row, &elsewhere)
            }
            Inst::IndexDiv { index, by } => Scalar::new(self.index(index, at).div_euclid(*by)),
            Inst::IndexMod { index, by } => Scalar::new(self.index(index, at).rem_euclid(*by)),
            Inst::IndexClamp { index, low, high } => {
                Scalar::new(self.index(index, at).max(*low).min(*high))
            }
            Inst::IndexAbs(index) => Scalar::new(self.index(index, at).abs()),
            Inst::InRange { index, low, high } => {
                Scalar::new((*low..*high).contains(&self.index(index, at)))
            }
        }
    }

    fn mask(&mut self, mask: &Option<Val>, at: &[usize]) -> bool {
        mask.is_none_or(|m| self.value(m, at).get::<bool>().expect("a mask is a bool"))
    }

    fn index(&mut self, index: &Index, at: &[usize]) -> i64 {
        let mut sum = index.offset;
        for &(atom, coefficient) in &index.terms {
            let term = match atom {
                Atom::Axis(k) => at[k as usize] as i64,
                Atom::Value(v) => self.value(v, at).get::<i64>().expect("an index is an i64"),
            };
            sum += coefficient * term;
        }
        sum
    }

    /// All components of a fold, combined one after another in C order.
    fn fold(&mut self, v: Val, at: &[usize]) -> Vec<Scalar> {
        let Inst::Fold { fold, args, axes } = &self.kernel.value(v).inst else {
            unreachable!("a component is one of a fold's")
        };
        let mut state = fold.identity.clone();
        for position in positions(self.kernel, *axes, at) {
            let element = args.iter().map(|&a| self.value(a, &position));
            state.extend(element.collect::<Vec<_>>());
            state = call(&fold.function, &state);
        }
        state
    }

    /// A component of a scan, once the scan is made at all positions of its axis.
    fn scanned(&mut self, scan: Val, component: Val, at: &[usize]) -> Scalar {
        self.scan(scan, at);
        self.known(component, at).expect("a scan is made at all positions of its axis")
    }

    /// Makes all components of a scan at all positions of its axis.
    fn scan(&mut self, v: Val, at: &[usize]) {
        let kernel = self.kernel;
        let Inst::Scan { by, args, axes, exclusive } = &kernel.value(v).inst else {
            unreachable!("the caller passes a scan")
        };
        let mut state = match by {
            ScanBy::Table(op) => vec![op.identity_value(kernel.value(v).dtype)],
            ScanBy::User(fold) => fold.identity.clone(),
        };
        for position in positions(kernel, *axes, at) {
            let before = state.clone();
            let element: Vec<_> = args.iter().map(|&a| self.value(a, &position)).collect();
            state = match by {
                ScanBy::Table(op) => {
                    vec![evaluate(op.combine(), &[state[0], cast(element[0], state[0].dtype())])]
                }
                ScanBy::User(fold) => call(&fold.function, &[state, element].concat()),
            };
            let result = if *exclusive { before } else { state.clone() };
            for (component, value) in kernel.components(v).into_iter().zip(result) {
                if let Some(component) = component {
                    *self.known(component, &position) = Some(value);
                }
            }
        }
    }

    fn reduce(
        &mut self,
        op: Reduction,
        args: &[Val],
        axes: AxisSet,
        dtype: DType,
        at: &[usize],
    ) -> Scalar {
        let element = self.kernel.value(args[0]).dtype;
        let mut best = op.identity_value(op.accumulator(element));
        let mut place = i64::MAX;
        for position in positions(self.kernel, axes, at) {
            let value = cast(self.value(args[0], &position), best.dtype());
            if !op.is_arg() {
                best = evaluate(op.combine(), &[best, value]);
                continue;
            }
            let here = self.value(args[1], &position).get::<i64>().expect("a position is an i64");
            let winner = evaluate(op.combine(), &[best, value]);
            let wins = !same(winner, best);
            if wins || (same(value, best) && here < place) {
                (best, place) = (value, here);
            }
        }
        if op.is_arg() { Scalar::new(place) } else { cast(best, dtype) }
    }
}

/// Whether two values are equal, where a NaN equals a NaN.
fn same(a: Scalar, b: Scalar) -> bool {
    with_dtype!(a.dtype(), T => {
        let (x, y) = (a.get::<T>().expect("matched"), b.get::<T>().expect("of one type"));
        #[allow(clippy::eq_op)] // Only a NaN differs from itself.
        let nan = x != x && y != y;
        x == y || nan
    })
}
