//! NumPy's answers (`tests/data`): every case through the public API, on every device.

mod creation;
mod elementwise;
mod examples;
mod movement;
mod params;
mod programs;
mod reductions;
mod variants;

use crate::support::compare::{Tolerance, difference};
use crate::support::load::{Arrays, arrays, json};
use crate::support::on_each_device;
use crate::support::value::{Host, Value};
use lazuli::prelude::*;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// What became of the cases of one file.
#[derive(Default)]
struct Outcome {
    ran: usize,
    failures: Vec<String>,
    missing: BTreeMap<String, usize>,
}

impl Outcome {
    /// Notes the result of one case.
    fn note(&mut self, id: &str, found: Option<std::result::Result<(), String>>) {
        self.ran += 1;
        match found {
            Some(Ok(())) => {}
            Some(Err(why)) => self.failures.push(format!("{id}: {why}")),
            None => *self.missing.entry(operation(id).to_owned()).or_default() += 1,
        }
    }

    /// Fails with every failing case, and with every op that has no public form but is not in
    /// the list.
    fn finish(mut self, known_missing: &[&str]) {
        assert!(self.ran > 0, "no cases were found");
        for (op, count) in &self.missing {
            if !known_missing.contains(&op.as_str()) {
                self.failures.push(format!("{op}: {count} cases have no public op"));
            }
        }
        let all = self.failures.join("\n");
        assert!(self.failures.is_empty(), "{} of {} failed:\n{all}", self.failures.len(), self.ran);
    }
}

/// The op in a case's id, `topic/number/op/dtype`.
fn operation(id: &str) -> &str {
    id.split('/').nth(2).unwrap_or(id)
}

fn text<'a>(case: &'a Json, name: &str) -> &'a str {
    case[name].as_str().unwrap_or_else(|| panic!("a case without {name}: {case}"))
}

fn named<'a>(case: &Json, name: &str, arrays: &'a Arrays) -> Vec<&'a Host> {
    let keys = case[name].as_array().unwrap_or_else(|| panic!("a case without {name}: {case}"));
    keys.iter().map(|key| &arrays[key.as_str().unwrap_or_default()]).collect()
}

fn uploaded(inputs: &[&Host]) -> Vec<Value> {
    inputs.iter().map(|host| host.upload().unwrap_or_else(|e| panic!("{e}"))).collect()
}

/// Applies an op of any kind.
fn apply(op: &str, dtype: &str, params: &Json, x: &[Value]) -> Option<Result<Vec<Value>>> {
    let reduced = || match x {
        [x] => reductions::apply(op, params, x).map(|v| v.map(|v| vec![v])),
        _ => None,
    };
    if x.is_empty() {
        return creation::apply(op, dtype, params, x);
    }
    elementwise::apply(op, params, x)
        .or_else(reduced)
        .or_else(|| movement::apply(op, params, x))
        .or_else(|| creation::apply(op, dtype, params, x))
}

/// Holds results against what is expected.
fn check(
    results: Result<Vec<Value>>,
    expected: &[&Host],
    tolerance: Tolerance,
) -> std::result::Result<(), String> {
    let results = results.map_err(|e| e.to_string())?;
    if results.len() != expected.len() {
        return Err(format!("{} results where {} are right", results.len(), expected.len()));
    }
    for (result, expected) in results.iter().zip(expected) {
        let got = result.to_host().map_err(|e| e.to_string())?;
        if let Some(what) = difference(&got, expected, tolerance) {
            return Err(what);
        }
    }
    Ok(())
}

/// What is known of a case once it is recorded.
enum Recorded {
    /// The verdict, where nothing needs to be computed for it; `None` where the op is missing.
    Settled(Option<std::result::Result<(), String>>),
    /// The results to be computed.
    Results(Result<Vec<Value>>),
}

/// Records one case as it stands.
fn record(case: &Json, inputs: &[Value]) -> Recorded {
    let (op, dtype, params) = (text(case, "op"), text(case, "dtype"), &case["params"]);
    let refuses = case["error"].as_bool().unwrap_or(false);
    if refuses && inputs.is_empty() {
        let refused = creation::refuses(op, dtype, params);
        return Recorded::Settled(Some(refused.then_some(()).ok_or("it is not refused".into())));
    }
    let Some(results) = apply(op, dtype, params, inputs) else { return Recorded::Settled(None) };
    if !refuses {
        return Recorded::Results(results);
    }
    Recorded::Settled(Some(match results {
        Err(e) if e.is_shape() => Ok(()),
        Err(e) => Err(format!("refused as {e:?}")),
        Ok(_) => Err("it is not refused".into()),
    }))
}

/// Records some cases, whose inputs are shared, evaluates them together where that is asked for,
/// and checks each. What fails together fails again for itself, and is told apart so.
fn run(cases: &[Json], arrays: &Arrays, together: bool, outcome: &mut Outcome) {
    let mut uploads: BTreeMap<String, Value> = BTreeMap::new();
    let mut upload = |key: &Json| {
        let key = key.as_str().unwrap_or_default();
        let value = || arrays[key].upload().unwrap_or_else(|e| panic!("{key}: {e}"));
        uploads.entry(key.to_owned()).or_insert_with(value).clone()
    };
    let recorded: Vec<Recorded> = cases
        .iter()
        .map(|case| {
            let keys = case["inputs"].as_array().into_iter().flatten();
            record(case, &keys.map(&mut upload).collect::<Vec<_>>())
        })
        .collect();
    if together {
        let results = recorded.iter().filter_map(|r| match r {
            Recorded::Results(Ok(values)) => Some(values),
            _ => None,
        });
        let all: Vec<&dyn AnyArray> = results.flatten().map(Value::any).collect();
        if let Err(error) = eval(&all) {
            eprintln!("together: {error}");
        }
    }
    for (case, recorded) in cases.iter().zip(recorded) {
        let verdict = match recorded {
            Recorded::Settled(verdict) => verdict,
            Recorded::Results(results) => {
                let expected = named(case, "outputs", arrays);
                Some(check(results, &expected, Tolerance::of(case)))
            }
        };
        outcome.note(text(case, "id"), verdict);
    }
}

/// The cases of a file, and its arrays.
fn cases_of(file: &str) -> (Vec<Json>, Arrays) {
    let mut manifest = json("cases.json");
    let Json::Array(all) = manifest["cases"].take() else { panic!("no list of cases") };
    (all.into_iter().filter(|c| c["file"] == file).collect(), arrays(file))
}

fn run_file(file: &str, known_missing: &[&str]) {
    let (cases, arrays) = cases_of(file);
    on_each_device(|device| {
        // One by one, and many together in the kernels that they share; on a GPU, where a kernel
        // takes time to compile, together only.
        let shares: &[usize] = if device.is_cuda() { &[24] } else { &[1, 24] };
        let mut outcome = Outcome::default();
        for &share in shares {
            for some in cases.chunks(share) {
                run(some, &arrays, share > 1, &mut outcome);
            }
        }
        outcome.finish(known_missing);
    });
}

#[test]
fn ufuncs() {
    run_file("ufuncs.npz", &[]);
}

#[test]
fn special_functions() {
    run_file("special.npz", &[]);
}

#[test]
fn reductions() {
    run_file("reductions.npz", &[]);
}

#[test]
fn movement() {
    run_file("movement.npz", &[]);
}

#[test]
fn creation() {
    run_file("creation.npz", &[]);
}
