//! Runs programs in every way in which they may be evaluated, against the interpreter.

use super::bits;
use super::device::{Value, record};
use super::op::{Op, Program};
use super::value::Kind;
use lazuli::Mesh;
use lazuli::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is wrong with a program.
#[derive(Clone, Debug)]
pub struct Finding {
    /// How it was evaluated.
    pub way: Way,
    /// The node whose value is wrong, where it is one's.
    pub node: Option<usize>,
    /// What differs, or the message of an error or a panic.
    pub what: String,
}

/// How a program is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All outputs together, with no other handles left.
    Whole,
    /// The last output with all handles held, then every other node.
    Held,
    /// Each output in a program of its own.
    Alone,
    /// Each node as soon as it is recorded.
    Steps,
    /// Each node as soon as it is recorded, and dropped behind its last use: what is assigned to
    /// is overwritten.
    Dropped,
    /// As a compiled function of its inputs, called twice.
    Compiled,
    /// With its inputs over several shares of the device, each in a way of its own.
    Over,
}

impl Way {
    /// Every way.
    pub const ALL: [Way; 7] =
        [Way::Whole, Way::Held, Way::Alone, Way::Steps, Way::Dropped, Way::Compiled, Way::Over];
}

/// Records all nodes.
fn record_all(program: &Program) -> lazuli::Result<Vec<Value>> {
    let mut values: Vec<Value> = Vec::with_capacity(program.nodes.len());
    for node in &program.nodes {
        let args: Vec<&Value> = node.args.iter().map(|&k| &values[k]).collect();
        let value = record(&node.op, &args)?;
        values.push(value);
    }
    Ok(values)
}

/// What is wrong with a node's value.
fn compare(program: &Program, k: usize, value: &Value) -> Result<(), (Option<usize>, String)> {
    let got = value.read().map_err(|e| (Some(k), format!("error: {e}")))?;
    match program.nodes[k].value.difference(&got).or_else(|| bits::difference(k, &got)) {
        Some(what) => Err((Some(k), what)),
        None => Ok(()),
    }
}

type Checked = Result<(), (Option<usize>, String)>;

fn failed(e: lazuli::Error) -> (Option<usize>, String) {
    (None, format!("error: {e}"))
}

fn whole(program: &Program, outputs: &[usize]) -> Checked {
    let values = record_all(program).map_err(failed)?;
    let kept: Vec<(usize, Value)> = outputs.iter().map(|&k| (k, values[k].clone())).collect();
    drop(values);
    let arrays: Vec<&dyn AnyArray> = kept.iter().map(|(_, v)| v.any()).collect();
    eval(&arrays).map_err(failed)?;
    kept.iter().try_for_each(|(k, v)| compare(program, *k, v))
}

fn held(program: &Program) -> Checked {
    let values = record_all(program).map_err(failed)?;
    let last = *program.outputs.last().expect("programs have an output");
    eval(&[values[last].any()]).map_err(failed)?;
    (0..values.len()).rev().try_for_each(|k| compare(program, k, &values[k]))
}

fn steps(program: &Program) -> Checked {
    let mut values: Vec<Value> = Vec::new();
    for (k, node) in program.nodes.iter().enumerate() {
        let args: Vec<&Value> = node.args.iter().map(|&k| &values[k]).collect();
        let value = record(&node.op, &args).map_err(failed)?;
        eval(&[value.any()]).map_err(failed)?;
        values.push(value);
        compare(program, k, &values[k])?;
    }
    Ok(())
}

fn dropped(program: &Program) -> Checked {
    let mut last: Vec<usize> = (0..program.nodes.len()).collect();
    for (k, node) in program.nodes.iter().enumerate() {
        node.args.iter().for_each(|&a| last[a] = k);
    }
    program.outputs.iter().for_each(|&k| last[k] = usize::MAX);
    let mut values: Vec<Option<Value>> = Vec::new();
    for (k, node) in program.nodes.iter().enumerate() {
        let args: Vec<&Value> =
            node.args.iter().map(|&k| values[k].as_ref().expect("it is used here")).collect();
        let value = record(&node.op, &args).map_err(failed)?;
        // Before the evaluation: nobody else may hold what is written over.
        (0..k).filter(|&j| last[j] <= k).for_each(|j| values[j] = None);
        eval(&[value.any()]).map_err(failed)?;
        values.push(Some(value));
    }
    let kept = values.iter().enumerate().filter_map(|(k, v)| Some((k, v.as_ref()?)));
    kept.into_iter().try_for_each(|(k, v)| compare(program, k, v))
}

/// The nodes without those that data flows into, from arguments of one type.
fn compiled(program: &Program) -> Checked {
    let leaves: Vec<(usize, Value)> = (0..program.nodes.len())
        .filter(|&k| matches!(program.nodes[k].op, Op::Input(_)))
        .map(|k| Ok((k, record(&program.nodes[k].op, &[])?)))
        .collect::<lazuli::Result<_>>()
        .map_err(failed)?;
    // A function takes arrays of as many types as it says; inputs of the first one's type are
    // arguments, the others are captured.
    let Some((_, Value::F32(_) | Value::I64(_))) = leaves.first() else {
        return Ok(());
    };
    macro_rules! by {
        ($($k:ident)*) => {
            match &leaves[0].1 {
                $(Value::$k(_) => {
                    let of = |v: &Value| match v { Value::$k(a) => Some(a.clone()), _ => None };
                    let given: Vec<usize> =
                        leaves.iter().filter(|(_, v)| of(v).is_some()).map(|l| l.0).collect();
                    let args: Vec<_> = leaves.iter().filter_map(|(_, v)| of(v)).collect();
                    let run = |args: &Vec<_>| -> Vec<Value> {
                        let mut values: Vec<Value> = Vec::new();
                        for (k, node) in program.nodes.iter().enumerate() {
                            let value = match given.iter().position(|&g| g == k) {
                                Some(p) => Value::$k(DeviceArray::clone(&args[p])),
                                None => match leaves.iter().find(|l| l.0 == k) {
                                    Some((_, v)) => v.clone(),
                                    None => {
                                        let inner: Vec<&Value> =
                                            node.args.iter().map(|&j| &values[j]).collect();
                                        record(&node.op, &inner).unwrap_or_else(|e| panic!("{e}"))
                                    }
                                },
                            };
                            values.push(value);
                        }
                        values
                    };
                    replay(program, &run, &args)
                })*
                _ => Ok(()),
            }
        };
    }
    by!(F32 I64)
}

/// Compiles the recording of the last output, and calls it twice.
fn replay<T: super::device::Typed>(
    program: &Program,
    run: &dyn Fn(&Vec<DeviceArray<T>>) -> Vec<Value>,
    args: &Vec<DeviceArray<T>>,
) -> Checked {
    let last = *program.outputs.last().expect("programs have an output");
    let kind = program.nodes[last].value.kind;
    super::device::typed!(kind, R => {
        let function = lazuli::compile(|args: &Vec<DeviceArray<T>>| -> DeviceArray<R> {
            <R as super::device::Typed>::of(&run(args)[last]).clone()
        });
        for _ in 0..2 {
            let value: Value = function.call(args).map_err(failed)?.into();
            compare(program, last, &value)?;
        }
        Ok(())
    })
}

/// Records all nodes over several devices. Arguments that do not go together, and those of what has
/// no form over several, are had whole by each.
fn record_over(program: &Program, mesh: Mesh) -> lazuli::Result<Vec<Value>> {
    let mut values: Vec<Value> = Vec::with_capacity(program.nodes.len());
    for (k, node) in program.nodes.iter().enumerate() {
        let args: Vec<&Value> = node.args.iter().map(|&k| &values[k]).collect();
        let mut value = record(&node.op, &args).and_then(|value| match args.is_empty() {
            // One way of so many axes, or whole on each.
            true => match (k * 7 + program.nodes.len()) % (value.rank() + 1) {
                axis if axis < value.rank() => value.to(mesh.shard(axis)),
                _ => value.to(mesh.replicate()),
            },
            false => Ok(value),
        });
        let is_refused = match &value {
            Ok(value) => !value.is_possible(),
            Err(e) => e.is_device() || e.is_unsupported(),
        };
        if is_refused {
            let whole = args.iter().map(|arg| arg.to(mesh.replicate()));
            let whole: Vec<Value> = whole.collect::<lazuli::Result<_>>()?;
            value = record(&node.op, &whole.iter().collect::<Vec<_>>());
        }
        values.push(value?);
    }
    Ok(values)
}

fn over(program: &Program) -> Checked {
    let shares = 2 + program.nodes.len() % 4;
    let device = Device::current().map_err(failed)?;
    let mesh = Mesh::of(&vec![device; shares]).map_err(failed)?;
    // What an evaluation did is written down at the second one of its kind, and read at the third.
    for _ in 0..3 {
        let values = record_over(program, mesh).map_err(failed)?;
        let arrays: Vec<&dyn AnyArray> = program.outputs.iter().map(|&k| values[k].any()).collect();
        eval(&arrays).map_err(failed)?;
        (0..values.len()).rev().try_for_each(|k| compare(program, k, &values[k]))?;
    }
    Ok(())
}

/// Evaluates a program in one way; where bits are compared, step by step before.
pub fn check(program: &Program, way: Way) -> Option<Finding> {
    if bits::are_compared() {
        bits::begin();
        run(program, Way::Steps).or_else(|| run(program, way))
    } else {
        run(program, way)
    }
}

fn run(program: &Program, way: Way) -> Option<Finding> {
    let run = || match way {
        Way::Whole => whole(program, &program.outputs),
        Way::Held => held(program),
        Way::Alone => {
            let few = program.outputs.iter().rev().take(3);
            few.copied().try_for_each(|k| whole(program, &[k]))
        }
        Way::Steps => steps(program),
        Way::Dropped => dropped(program),
        Way::Compiled => compiled(program),
        Way::Over => over(program),
    };
    let (node, what) = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return None,
        Ok(Err(found)) => found,
        Err(payload) => (None, format!("panic: {}", message(&*payload))),
    };
    Some(Finding { way, node, what })
}

fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default()
}

/// The first thing that is wrong with a program, in any way.
pub fn check_all(program: &Program) -> Option<Finding> {
    if bits::are_compared() {
        bits::begin();
    }
    // Sums along the axis that is cut are taken by chunks: always the same, but others than on one device.
    let is_compared = |way: &Way| !bits::are_compared() || *way != Way::Over;
    Way::ALL.into_iter().filter(is_compared).find_map(|way| run(program, way))
}
