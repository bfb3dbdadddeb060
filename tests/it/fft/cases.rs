//! NumPy's and SciPy's answers: `tests/data/fft.json`.

use crate::support::compare::{Tolerance, difference};
use crate::support::load::{Arrays, arrays, json};
use crate::support::on_each_device;
use crate::support::value::{Value, on};
use lazuli::fft::{Norm, Options};
use lazuli::prelude::*;
use lazuli::signal::{Mode, try_convolve, try_correlate, try_fftconvolve};
use serde_json::Value as Json;

fn list<T>(params: &Json, name: &str, of: impl Fn(&Json) -> T) -> Option<Vec<T>> {
    params[name].as_array().map(|all| all.iter().map(of).collect())
}

fn options(params: &Json) -> Options {
    let mut options = Options::new();
    let signed = |v: &Json| v.as_i64().expect("an axis") as isize;
    let natural = |v: &Json| v.as_u64().expect("a length") as usize;
    if let Some(axes) = list(params, "axes", signed) {
        options = options.axes(&axes);
    } else if !params["axis"].is_null() {
        options = options.axis(signed(&params["axis"]));
    }
    if let Some(lens) = list(params, "s", natural) {
        options = options.s(&lens);
    } else if !params["n"].is_null() {
        options = options.n(natural(&params["n"]));
    }
    match params["norm"].as_str() {
        Some("ortho") => options.norm(Norm::Ortho),
        Some("forward") => options.norm(Norm::Forward),
        _ => options,
    }
}

fn transform(op: &str, params: &Json, x: &Value) -> Result<Value> {
    let o = options(params);
    macro_rules! by_name {
        ($($name:literal $method:ident;)*) => {
            match op {
                $($name => on!(element Value, x, a => o.$method(a).map(Value::from)),)*
                _ => None,
            }
        };
    }
    by_name! {
        "fft" try_fft; "ifft" try_ifft; "rfft" try_rfft; "irfft" try_irfft;
        "hfft" try_hfft; "ihfft" try_ihfft;
        "fft2" try_fft2; "ifft2" try_ifft2; "rfft2" try_rfft2; "irfft2" try_irfft2;
        "fftn" try_fftn; "ifftn" try_ifftn; "rfftn" try_rfftn; "irfftn" try_irfftn;
    }
    .unwrap_or_else(|| panic!("{op} of {}", x.dtype()))
}

fn convolution(op: &str, params: &Json, x: &Value, y: &Value) -> Result<Value> {
    use crate::support::value::like;
    let mode = match params["mode"].as_str() {
        Some("full") => Mode::Full,
        Some("same") => Mode::Same,
        _ => Mode::Valid,
    };
    let found = match op {
        "convolve" => {
            on!(number Value, x, a => try_convolve(a, like(a, y), mode).map(Value::from))
        }
        "correlate" => {
            on!(number Value, x, a => try_correlate(a, like(a, y), mode).map(Value::from))
        }
        _ => on!(inexact Value, x, a => try_fftconvolve(a, like(a, y), mode).map(Value::from)),
    };
    found.unwrap_or_else(|| panic!("{op} of {}", x.dtype()))
}

/// The results of some cases, evaluated together.
fn verdicts(cases: &[Json], arrays: &Arrays) -> Vec<String> {
    let keys = |case: &Json, name: &str| {
        list(case, name, |key| key.as_str().unwrap_or_default().to_owned())
    };
    let results: Vec<Result<Value>> = cases
        .iter()
        .map(|case| {
            let inputs: Vec<Value> = keys(case, "inputs")
                .unwrap_or_default()
                .iter()
                .map(|key| arrays[key].upload().unwrap())
                .collect();
            let op = case["op"].as_str().unwrap_or_default();
            match &inputs[..] {
                [x] => transform(op, &case["params"], x),
                [x, y] => convolution(op, &case["params"], x, y),
                _ => panic!("{case}"),
            }
        })
        .collect();
    let good: Vec<&dyn AnyArray> = results.iter().flatten().map(Value::any).collect();
    let mut wrong = Vec::new();
    if let Err(why) = eval(&good) {
        wrong.push(format!("together: {why}"));
    }
    for (case, result) in cases.iter().zip(results) {
        let refuses = case["error"].as_bool().unwrap_or(false);
        let outputs = keys(case, "outputs").unwrap_or_default();
        let what = match (result, refuses) {
            (Err(why), true) if why.is_shape() => None,
            (Err(why), _) => Some(format!("{why:?}")),
            (Ok(_), true) => Some("it is not refused".to_owned()),
            (Ok(value), false) => {
                let got = value.to_host().unwrap_or_else(|e| panic!("{case}: {e}"));
                difference(&got, &arrays[&outputs[0]], Tolerance::of(case))
            }
        };
        wrong.extend(what.map(|what| format!("{} {}: {what}", case["id"], case["params"])));
    }
    wrong
}

#[test]
fn as_numpy_and_scipy_have_it() {
    let (manifest, arrays) = (json("fft.json"), arrays("fft.npz"));
    let cases = manifest["cases"].as_array().expect("a list of cases");
    assert!(cases.len() > 400);
    on_each_device(|_| {
        let wrong: Vec<String> =
            cases.chunks(16).flat_map(|some| verdicts(some, &arrays)).collect();
        assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    });
}
