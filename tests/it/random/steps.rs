//! Draws programs: each step computes its reference value at once and keeps how to record it.

use super::reference::{broadcast, build, host, is_exact, magnitude};
use crate::support::Rng;
use crate::support::value::{Host, Typed, Value};
use ndarray::ArrayD;
use num_complex::Complex;
use std::fmt;

mod elementwise;
mod joins;
mod reductions;
mod views;

/// How a step is recorded, from the values before it.
pub type Record = Box<dyn Fn(&[Value]) -> Value + Send + Sync>;

/// What rounding a value carries: none, that of `f64`, or that of `f32` somewhere on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rounding {
    None,
    Double,
    Single,
}

/// A program: its values by the reference, and how each is recorded.
pub struct Program {
    /// Where it was drawn from.
    pub seed: u64,
    /// The values: inputs first, then one for each step.
    pub values: Vec<Host>,
    /// The rounding that is part of each value.
    pub rounded: Vec<Rounding>,
    text: Vec<String>,
    inputs: usize,
    records: Vec<Record>,
}

impl Program {
    /// Uploads the inputs and records every step.
    pub fn record(&self) -> Vec<Value> {
        let mut values: Vec<Value> = self.values[..self.inputs]
            .iter()
            .map(|host| host.upload().unwrap_or_else(|e| panic!("{e}")))
            .collect();
        for record in &self.records {
            values.push(record(&values));
        }
        values
    }

    fn is_rounded(&self, k: usize) -> bool {
        self.rounded[k] != Rounding::None
    }

    fn shape(&self, k: usize) -> &[usize] {
        self.values[k].shape()
    }

    fn rank(&self, k: usize) -> usize {
        self.shape(k).len()
    }

    fn len(&self, k: usize) -> usize {
        self.shape(k).iter().product()
    }

    /// A value of a kind, later ones more often.
    fn pick(&self, rng: &mut Rng, want: impl Fn(&Program, usize) -> bool) -> Option<usize> {
        let all: Vec<usize> = (0..self.values.len()).filter(|&k| want(self, k)).collect();
        let back = rng.below(3).min(rng.below(8)).min(all.len().checked_sub(1)?);
        Some(if rng.one_in(3) { all[rng.below(all.len())] } else { all[all.len() - 1 - back] })
    }

    /// A value of the same type as `k` that broadcasts with it.
    fn partner(&self, rng: &mut Rng, k: usize) -> Option<usize> {
        self.pick(rng, |p, j| p.values[j].dtype() == p.values[k].dtype() && p.fits(k, j))
    }

    fn fits(&self, k: usize, j: usize) -> bool {
        broadcast(self.shape(k), self.shape(j))
            .is_some_and(|s| s.iter().product::<usize>() <= LARGEST)
    }

    fn is(&self, k: usize, types: &[&str]) -> bool {
        types.contains(&self.values[k].dtype())
    }

    /// Adds a step, unless its values leave the range in which programs stay.
    fn push(&mut self, step: Step) -> bool {
        let Step { text, args, rounds, value, record } = step;
        let size = magnitude(&value);
        let limit = if matches!(value, Host::I32(_) | Host::I64(_)) { f64::INFINITY } else { 1e6 };
        if value.shape().iter().product::<usize>() > LARGEST
            || value.shape().len() > 5
            || size.is_nan()
            || size > limit
        {
            return false;
        }
        let before = args.iter().map(|&k| self.rounded[k]).max().unwrap_or(Rounding::None);
        let own = match &value {
            _ if !rounds && is_exact(&value) => Rounding::None,
            Host::F32(_) => Rounding::Single,
            _ => Rounding::Double,
        };
        self.rounded.push(before.max(own));
        self.text.push(format!("{text} of {args:?}"));
        self.values.push(value);
        self.records.push(record);
        true
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the program of seed {}:", self.seed)?;
        for (k, text) in self.text.iter().enumerate() {
            let value = &self.values[k];
            writeln!(f, "  {k}: {text} -> {} {:?}", value.dtype(), value.shape())?;
        }
        Ok(())
    }
}

/// The most elements of a value.
const LARGEST: usize = 600;

/// One step before it is part of a program.
struct Step {
    text: String,
    args: Vec<usize>,
    /// Whether the step itself rounds, exact arguments or not.
    rounds: bool,
    value: Host,
    record: Record,
}

impl Step {
    fn new(
        text: impl Into<String>,
        args: &[usize],
        value: Host,
        record: impl Fn(&[Value]) -> Value + Send + Sync + 'static,
    ) -> Step {
        let text = text.into();
        Step { text, args: args.to_vec(), rounds: false, value, record: Box::new(record) }
    }

    fn rounding(self) -> Step {
        Step { rounds: true, ..self }
    }
}

/// Runs an expression with the array of a [`Value`] of one of the types that programs use.
macro_rules! device {
    ($x:expr, $a:ident => $e:expr) => {
        match $x {
            Value::Bool($a) => Value::from($e),
            Value::I32($a) => Value::from($e),
            Value::I64($a) => Value::from($e),
            Value::F32($a) => Value::from($e),
            Value::F64($a) => Value::from($e),
            Value::C128($a) => Value::from($e),
            other => unreachable!("programs have no {}", other.dtype()),
        }
    };
}
use device;

const SHAPES: [&[usize]; 12] = [
    &[],
    &[6],
    &[1],
    &[4, 6],
    &[4, 1],
    &[1, 6],
    &[3, 4, 6],
    &[0],
    &[0, 6],
    &[24],
    &[2, 1, 6],
    &[17],
];

fn input(rng: &mut Rng) -> Host {
    let shape = rng.pick(&SHAPES);
    let values: Vec<i64> = (0..shape.iter().product()).map(|_| rng.below(33) as i64 - 16).collect();
    let whole: ArrayD<i64> = ArrayD::from_shape_vec(shape, values).expect("as many as needed");
    match rng.below(9) {
        0 => Host::Bool(whole.mapv(|v| v > 0)),
        1 => Host::I32(whole.mapv(|v| v as i32)),
        2 | 3 => Host::I64(whole),
        4 | 5 => Host::F32(whole.mapv(|v| v as f32 / 4.0)),
        6 => Host::C128(whole.mapv(|v| Complex::new(v as f64 / 2.0, (v % 5) as f64))),
        _ => Host::F64(whole.mapv(|v| v as f64 / 4.0)),
    }
}

/// The program of a seed, of so many steps.
pub fn draw(seed: u64, steps: usize) -> Program {
    let mut rng = Rng(seed);
    let values: Vec<Host> = (0..2 + rng.below(4)).map(|_| input(&mut rng)).collect();
    let mut program = Program {
        seed,
        rounded: vec![Rounding::None; values.len()],
        text: vec!["input".into(); values.len()],
        inputs: values.len(),
        records: Vec::new(),
        values,
    };
    let mut made = 0;
    while made < steps {
        let step = match rng.below(20) {
            0..9 => elementwise::draw(&program, &mut rng),
            9..14 => views::draw(&program, &mut rng),
            14..17 => reductions::draw(&program, &mut rng),
            _ => joins::draw(&program, &mut rng),
        };
        made += usize::from(step.is_some_and(|step| program.push(step)));
    }
    program
}
