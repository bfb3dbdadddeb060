//! NumPy's functions that make arrays, and what stands for them.

use super::params::{flag, integer, number, shape};
use crate::support::value::{Typed, Value};
use lazuli::prelude::*;
use lazuli::{Indexing, Result, indices, meshgrid, meshgrid_open};
use serde_json::Value as Json;

fn values<T: Typed>(arrays: Vec<DeviceArray<T>>) -> Result<Vec<Value>> {
    Ok(arrays.into_iter().map(Value::from).collect())
}

fn arange(dtype: &str, p: &Json) -> Option<Result<Value>> {
    let part = |name| number(p, name);
    macro_rules! of {
        ($($name:literal $t:ty),*) => {
            match dtype {
                $($name => DeviceArray::<$t>::try_arange(
                    part("start") as $t, part("stop") as $t, part("step") as $t,
                ).map(Value::from),)*
                _ => return None,
            }
        };
    }
    Some(of!("f64" f64, "f32" f32, "i64" i64, "i32" i32))
}

fn spaced<T: Floating + Typed>(op: &str, p: &Json) -> Option<Result<Value>> {
    let part = |name| T::from_f64(number(p, name));
    let (start, stop, n) = (part("start"), part("stop"), integer(p, "num") as usize);
    let array = match (op, flag(p, "endpoint")) {
        ("linspace", true) => DeviceArray::try_linspace(start, stop, n),
        ("linspace", false) => DeviceArray::try_linspace_open(start, stop, n),
        ("logspace", true) => DeviceArray::try_logspace(start, stop, n, part("base")),
        ("logspace", false) => DeviceArray::try_logspace_open(start, stop, n, part("base")),
        ("geomspace", true) => DeviceArray::try_geomspace(start, stop, n),
        ("geomspace", false) => DeviceArray::try_geomspace_open(start, stop, n),
        _ => return None,
    };
    Some(array.map(Value::from))
}

/// A matrix with ones, and its `bool` form by way of integers: `bool` is not a number.
fn matrix(op: &str, dtype: &str, p: &Json) -> Option<Value> {
    let (n, m, k) = (integer(p, "n") as usize, integer(p, "m") as usize, integer(p, "k"));
    macro_rules! of {
        ($($name:literal $t:ty),*) => {
            match (op, dtype) {
                $(("eye", $name) => Some(DeviceArray::<$t>::eye_with(n, m, k).into()),
                  ("tri", $name) => Some(DeviceArray::<$t>::tri(n, m, k).into()),)*
                ("eye", "bool") => Some(DeviceArray::<u8>::eye_with(n, m, k).cast::<bool>().into()),
                ("tri", "bool") => Some(DeviceArray::<u8>::tri(n, m, k).cast::<bool>().into()),
                _ => None,
            }
        };
    }
    of!("f64" f64, "i32" i32, "c64" Complex<f32>)
}

/// The positions on each axis; the dense form is one array with the axes stacked in front.
fn grid(p: &Json) -> Result<Vec<Value>> {
    let shape = shape(p);
    if !flag(p, "sparse") {
        return values(vec![lazuli::stack(&indices(&shape), 0)]);
    }
    let lines: Vec<DeviceArray<i64>> =
        shape.iter().map(|&n| DeviceArray::arange_to(n as i64)).collect();
    values(meshgrid_open(&lines.iter().collect::<Vec<_>>(), Indexing::Ij))
}

fn mesh(p: &Json, x: &[Value]) -> Result<Vec<Value>> {
    let lines: Vec<&DeviceArray<f64>> = x.iter().map(f64::of).collect();
    let indexing = if p["indexing"] == "ij" { Indexing::Ij } else { Indexing::Xy };
    values(match flag(p, "sparse") {
        true => meshgrid_open(&lines, indexing),
        false => meshgrid(&lines, indexing),
    })
}

/// The results of a function by NumPy's name; `None` where the public API has no such function.
pub fn apply(op: &str, dtype: &str, p: &Json, x: &[Value]) -> Option<Result<Vec<Value>>> {
    let one = |value: Result<Value>| value.map(|v| vec![v]);
    Some(match op {
        "arange" => one(arange(dtype, p)?),
        "linspace" | "logspace" | "geomspace" if dtype == "f32" => one(spaced::<f32>(op, p)?),
        "linspace" | "logspace" | "geomspace" => one(spaced::<f64>(op, p)?),
        "eye" | "tri" => one(Ok(matrix(op, dtype, p)?)),
        "indices" => grid(p),
        "meshgrid" => mesh(p, x),
        _ => return None,
    })
}

/// Whether the case, which must refuse, does.
pub fn refuses(op: &str, dtype: &str, p: &Json) -> bool {
    matches!(apply(op, dtype, p, &[]), Some(Err(e)) if e.is_shape())
}
