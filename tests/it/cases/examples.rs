//! The examples' expressions with NumPy's results.

use super::{Outcome, cases_of, check, named, text, uploaded};
use crate::expressions;
use crate::support::compare::Tolerance;
use crate::support::load::Arrays;
use crate::support::on_each_device;
use crate::support::value::{Typed, Value};
use lazuli::prelude::*;
use serde_json::Value as Json;

fn great_circle(case: &Json, x: &[Value]) -> DeviceArray<f64> {
    if let [latitudes, longitudes] = x {
        return expressions::great_circle(f64::of(latitudes), f64::of(longitudes));
    }
    let length = |name: &str| case["params"][name].as_u64().unwrap_or(0) as usize;
    expressions::great_circle(
        &DeviceArray::linspace(29.0, 31.0, length("nx")),
        &DeviceArray::linspace(99.0, 101.0, length("ny")),
    )
}

fn record(case: &Json, x: &[Value]) -> Option<Vec<Value>> {
    Some(match (text(case, "op"), x) {
        ("black_scholes", [s, k, t]) => {
            let (call, put) = expressions::black_scholes(f64::of(s), f64::of(k), f64::of(t));
            vec![call.into(), put.into()]
        }
        ("great_circle", _) => vec![great_circle(case, x).into()],
        ("sinexp", [Value::F64(x), Value::F64(y)]) => vec![(x.sin() * y.exp()).into()],
        ("sinexp", [Value::F32(x), Value::F32(y)]) => vec![(x.sin() * y.exp()).into()],
        ("row_sum", [Value::F32(a)]) => vec![a.sum(-1).into()],
        ("row_sum", [Value::I32(a)]) => vec![a.sum(-1).cast::<i32>().into()],
        ("product", [Value::F64(x)]) => vec![x.prod(..).into()],
        ("scale", [Value::F64(x)]) => vec![(2.0 * x).into()],
        _ => return None,
    })
}

fn run(case: &Json, arrays: &Arrays) -> Option<Result<(), String>> {
    let results = record(case, &uploaded(&named(case, "inputs", arrays)))?;
    Some(check(Ok(results), &named(case, "outputs", arrays), Tolerance::of(case)))
}

#[test]
fn examples() {
    let (cases, arrays) = cases_of("examples.npz");
    on_each_device(|_| {
        let mut outcome = Outcome::default();
        for case in &cases {
            outcome.note(text(case, "id"), run(case, &arrays));
        }
        outcome.finish(&[]);
    });
}
