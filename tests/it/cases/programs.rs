//! Random expression programs with NumPy's results (`programs.json`).

use super::{Outcome, apply, named, text, uploaded};
use crate::support::compare::{Tolerance, difference};
use crate::support::load::{Arrays, arrays, json};
use crate::support::on_each_device;
use crate::support::value::{Host, Value};
use lazuli::prelude::*;
use serde_json::Value as Json;

fn numbers(value: &Json) -> Vec<usize> {
    let list = value.as_array().unwrap_or_else(|| panic!("{value} is not a list"));
    list.iter().map(|v| v.as_u64().unwrap_or(u64::MAX) as usize).collect()
}

fn full(dtype: &str, value: &Json) -> Value {
    match dtype {
        "i64" => DeviceArray::from(value.as_i64().unwrap_or_default()).into(),
        _ => DeviceArray::from(value.as_f64().unwrap_or(f64::NAN)).into(),
    }
}

/// Records every node of a program; the values in the order of their numbers.
fn record(program: &Json, arrays: &Arrays) -> Result<Vec<Value>, String> {
    let dtype = text(program, "dtype");
    let mut values = uploaded(&named(program, "inputs", arrays));
    for node in program["nodes"].as_array().into_iter().flatten() {
        let op = text(node, "op");
        if op == "full" {
            values.push(full(dtype, &node["params"]["value"]));
            continue;
        }
        let args: Vec<Value> =
            numbers(&node["args"]).into_iter().map(|k| values[k].clone()).collect();
        let results = apply(op, dtype, &node["params"], &args)
            .ok_or_else(|| format!("{op} has no public op"))?
            .map_err(|e| e.to_string())?;
        values.extend(results);
    }
    Ok(values)
}

/// Evaluates all outputs together, and again from handles that are evaluated already.
fn run(program: &Json, arrays: &Arrays) -> Result<(), String> {
    let values = record(program, arrays)?;
    let outputs: Vec<&Value> =
        numbers(&program["outputs"]).into_iter().map(|k| &values[k]).collect();
    let together: Vec<&dyn AnyArray> = outputs.iter().map(|v| v.any()).collect();
    eval(&together).map_err(|e| e.to_string())?;
    let expected: Vec<&Host> = named(program, "expected", arrays);
    for (k, (output, expected)) in outputs.iter().zip(expected).enumerate() {
        let got = output.to_host().map_err(|e| e.to_string())?;
        if let Some(what) = difference(&got, expected, Tolerance::of(program)) {
            return Err(format!("output {k}: {what}"));
        }
    }
    Ok(())
}

#[test]
fn programs() {
    let manifest = json("programs.json");
    let arrays = arrays("programs.npz");
    on_each_device(|_| {
        let mut outcome = Outcome::default();
        for program in manifest["programs"].as_array().into_iter().flatten() {
            outcome.note(text(program, "id"), Some(run(program, &arrays)));
        }
        outcome.finish(&[]);
    });
}
