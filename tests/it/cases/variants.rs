//! The elementwise cases again with inputs that are views: reversed, strided, broadcast, rolled
//! and padded. What is computed is the same, so the expected values are too.

use super::{Outcome, apply, cases_of, check, named, text};
use crate::support::compare::Tolerance;
use crate::support::load::Arrays;
use crate::support::on_each_device;
use crate::support::value::{Host, Typed, Value};
use lazuli::prelude::*;
use lazuli::{PadMode, Result};
use ndarray::{ArrayD, Axis, IxDyn};
use serde_json::Value as Json;

/// Runs an expression with the typed array of a host array.
macro_rules! with_host {
    ($x:expr, $a:ident => $e:expr) => {
        with_host!($x, $a, $e; Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64 C64 C128)
    };
    ($x:expr, $a:ident, $e:expr; $($v:ident)*) => {
        match $x { $(Host::$v($a) => $e,)* }
    };
}

/// How an input becomes a view of something else with the same values.
#[derive(Clone, Copy, Debug)]
enum Variant {
    Reversed,
    Strided,
    Chained,
    Broadcast,
}

const COLUMNS: usize = 3;

/// A view whose values are those of `host`; all inputs of a case have one axis or none.
fn view<T: Typed>(host: &ArrayD<T>, variant: Variant) -> Result<Value> {
    if host.ndim() == 0 {
        return Ok(DeviceArray::from_ndarray(host)?.into());
    }
    let n = host.len();
    let of = |order: Vec<T>, shape: &[usize]| DeviceArray::from_vec(shape, order);
    let values: Vec<T> = host.iter().copied().collect();
    Ok(match variant {
        Variant::Reversed => {
            let reversed = values.iter().rev().copied().collect();
            of(reversed, &[n])?.slice(s![..;-1]).into()
        }
        Variant::Strided => {
            // Every second element, from a matrix that is also transposed.
            let spaced = values.iter().flat_map(|&v| [T::default(), v]).collect();
            of(spaced, &[n, 2])?.t().slice(s![1, ..]).into()
        }
        Variant::Chained => {
            let shifted = (0..n).map(|k| values[(k + 2) % n]).collect();
            let whole = of(shifted, &[n])?.roll(2, 0);
            whole.pad(&[(3, 4)], PadMode::Wrap).roll(-3, 0).slice(s![..n as isize]).into()
        }
        Variant::Broadcast => of(values, &[n])?.insert_axis(1).broadcast_to([n, COLUMNS]).into(),
    })
}

/// What is expected under a variant: one column for each of the broadcast ones.
fn expectation(host: &Host, variant: Variant) -> Host {
    let Variant::Broadcast = variant else { return host.clone() };
    with_host!(host, a => {
        let columns = a.clone().insert_axis(Axis(1));
        let whole = columns.broadcast(IxDyn(&[a.len(), COLUMNS]));
        Typed::host(whole.map(|w| w.to_owned()).unwrap_or_else(|| a.clone()))
    })
}

fn run(case: &Json, arrays: &Arrays, variant: Variant) -> std::result::Result<(), String> {
    let inputs: Result<Vec<Value>> = named(case, "inputs", arrays)
        .into_iter()
        .map(|host| with_host!(host, a => view(a, variant)))
        .collect();
    let inputs = inputs.map_err(|e| e.to_string())?;
    let (op, dtype) = (text(case, "op"), text(case, "dtype"));
    let Some(results) = apply(op, dtype, &case["params"], &inputs) else { return Ok(()) };
    let expected: Vec<Host> =
        named(case, "outputs", arrays).into_iter().map(|host| expectation(host, variant)).collect();
    check(results, &expected.iter().collect::<Vec<_>>(), Tolerance::of(case))
}

/// On a GPU each case compiles a kernel, so one variant in turn is taken there, on the processor
/// all of them.
#[test]
fn elementwise_ops_on_views() {
    const ALL: [Variant; 4] =
        [Variant::Reversed, Variant::Strided, Variant::Chained, Variant::Broadcast];
    let (cases, arrays) = cases_of("ufuncs.npz");
    on_each_device(|device| {
        let mut outcome = Outcome::default();
        for (number, case) in cases.iter().enumerate() {
            for (k, variant) in ALL.into_iter().enumerate() {
                if !device.is_cuda() || number % ALL.len() == k {
                    let id = format!("{} ({variant:?})", text(case, "id"));
                    outcome.note(&id, Some(run(case, &arrays, variant)));
                }
            }
        }
        outcome.finish(&[]);
    });
}
