//! NumPy's reductions, and the methods that stand for them.

use super::params::{flag, integers};
use crate::support::value::{Value, on};
use lazuli::Result;
use lazuli::prelude::*;
use serde_json::Value as Json;

macro_rules! reductions {
    ($op:expr, $x:expr, $axes:expr; $($class:ident: $($name:literal $method:ident),*;)*) => {
        match $op {
            $($($name => on!($class Value, $x, a => a.$method($axes).map(Value::from)),)*)*
            _ => None,
        }
    };
}

fn plain<A: Axes + Copy>(op: &str, x: &Value, axes: A) -> Option<Result<Value>> {
    reductions! { op, x, axes;
        element: "sum" try_sum, "prod" try_prod, "any" try_any, "all" try_all,
            "count_nonzero" try_count_nonzero;
        ordered: "min" try_min, "max" try_max, "argmin" try_argmin, "argmax" try_argmax;
        real: "ptp" try_ptp;
        inexact: "mean" try_mean, "nansum" try_nan_sum, "nanprod" try_nan_prod,
            "nanmean" try_nan_mean;
        floating: "logsumexp" try_logsumexp, "nanmin" try_nan_min, "nanmax" try_nan_max,
            "nanargmin" try_nan_argmin, "nanargmax" try_nan_argmax;
    }
}

fn with_parameter<A: Axes + Copy>(
    op: &str,
    params: &Json,
    x: &Value,
    axes: A,
) -> Option<Result<Value>> {
    if op == "norm" {
        let p = params["ord"].as_f64().unwrap_or(f64::INFINITY);
        return match p {
            2.0 => on!(inexact Value, x, a => a.try_norm(axes).map(Value::from)),
            _ => on!(inexact Value, x, a => a.try_norm_p(p, axes).map(Value::from)),
        };
    }
    let ddof = params["ddof"].as_u64().unwrap_or(0) as usize;
    match op {
        "var" if ddof == 0 => on!(inexact Value, x, a => a.try_var(axes).map(Value::from)),
        "std" if ddof == 0 => on!(inexact Value, x, a => a.try_std(axes).map(Value::from)),
        "var" => on!(inexact Value, x, a => a.try_var_ddof(axes, ddof).map(Value::from)),
        "std" => on!(inexact Value, x, a => a.try_std_ddof(axes, ddof).map(Value::from)),
        "nanvar" => on!(inexact Value, x, a => a.try_nan_var(axes, ddof).map(Value::from)),
        "nanstd" => on!(inexact Value, x, a => a.try_nan_std(axes, ddof).map(Value::from)),
        _ => None,
    }
}

fn over<A: Axes + Copy>(op: &str, params: &Json, x: &Value, axes: A) -> Option<Result<Value>> {
    plain(op, x, axes).or_else(|| with_parameter(op, params, x, axes))
}

/// The result of a reduction by NumPy's name; `None` where the public API has no such op.
pub fn apply(op: &str, params: &Json, x: &Value) -> Option<Result<Value>> {
    let all: Vec<isize> = (0..x.any().any_shape().len() as isize).collect();
    let axes = if params["axes"].is_null() { all } else { integers(&params["axes"]) };
    match flag(params, "keep") {
        true => over(op, params, x, keep(&axes[..])),
        false => over(op, params, x, &axes[..]),
    }
}
