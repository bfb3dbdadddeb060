//! NumPy's functions that move elements, and the methods that stand for them.

use super::elementwise::bool_of;
use super::params::{flag, integer, integers, number, shape, slices};
use crate::support::value::{Typed, Value};
use lazuli::prelude::*;
use lazuli::{PadMode, Result};
use serde_json::Value as Json;

type Arrays<T> = Result<Vec<DeviceArray<T>>>;

fn one<T: Element>(array: DeviceArray<T>) -> Arrays<T> {
    Ok(vec![array])
}

/// The function `step` for each axis in turn.
fn fold<T: Element>(
    a: &DeviceArray<T>,
    axes: impl Iterator<Item = isize>,
    step: impl Fn(&DeviceArray<T>, isize) -> Result<DeviceArray<T>>,
) -> Arrays<T> {
    let mut result = a.clone();
    for axis in axes {
        result = step(&result, axis)?;
    }
    one(result)
}

fn axes_or_all<T: Element>(a: &DeviceArray<T>, axes: &Json) -> Vec<isize> {
    if axes.is_null() { (0..a.ndim() as isize).collect() } else { integers(axes) }
}

fn transpose<T: Element>(a: &DeviceArray<T>, axes: &Json) -> Result<DeviceArray<T>> {
    if axes.is_null() { Ok(a.t()) } else { a.try_permute(&integers(axes)) }
}

fn roll<T: Element>(a: &DeviceArray<T>, p: &Json) -> Arrays<T> {
    let shifts = integers(&p["shift"]);
    if p["axes"].is_null() {
        return one(a.try_roll_flat(shifts[0])?);
    }
    let axes = integers(&p["axes"]);
    fold(a, 0..axes.len() as isize, |a, k| a.try_roll(shifts[k as usize], axes[k as usize]))
}

/// Windows along each axis in turn; each inserts its axis at the end, as NumPy does.
fn windows<T: Element>(a: &DeviceArray<T>, p: &Json) -> Arrays<T> {
    let (lengths, axes) = (integers(&p["window"]), integers(&p["axes"]));
    let rank = a.ndim() as isize;
    fold(a, 0..axes.len() as isize, |a, k| {
        let axis = if axes[k as usize] < 0 { axes[k as usize] + rank } else { axes[k as usize] };
        a.try_sliding_windows(lengths[k as usize] as usize, axis)
    })
}

/// NumPy's `repeat`; with a count for each element, positions are taken.
fn repeat<T: Element>(a: &DeviceArray<T>, p: &Json) -> Arrays<T> {
    let counts = integers(&p["counts"]);
    let (a, axis) = match p["axis"].is_null() {
        true => (a.flatten(), 0),
        false => (a.clone(), integer(p, "axis")),
    };
    if let [count] = counts[..] {
        return one(a.try_repeat(count as usize, axis)?);
    }
    let positions: Vec<i64> =
        (0..counts.len()).flat_map(|k| std::iter::repeat_n(k as i64, counts[k] as usize)).collect();
    one(a.try_take(&positions, axis)?)
}

fn pad<T: Element>(a: &DeviceArray<T>, p: &Json, value: impl Fn(f64) -> T) -> Arrays<T> {
    let pair = |w: &Json| (integers(w)[0] as usize, integers(w)[1] as usize);
    let widths: Vec<(usize, usize)> =
        p["width"].as_array().map(|w| w.iter().map(pair).collect()).unwrap_or_default();
    let mode = match p["mode"].as_str() {
        Some("constant") => PadMode::Constant(value(number(p, "value"))),
        Some("edge") => PadMode::Edge,
        Some("reflect") => PadMode::Reflect,
        Some("wrap") => PadMode::Wrap,
        other => panic!("no padding {other:?}"),
    };
    one(a.try_pad(&widths, mode)?)
}

fn take<T: Element>(a: &DeviceArray<T>, p: &Json, at: &DeviceArray<i64>) -> Arrays<T> {
    let (a, axis) = match p["axis"].is_null() {
        true => (a.flatten(), 0),
        false => (a.clone(), integer(p, "axis")),
    };
    // Positions on the host are checked when they are recorded.
    let listed = a.try_take(&at.to_vec()?, axis)?;
    let computed = a.try_take(at, axis)?;
    if at.ndim() == 1 {
        assert_eq!(listed.to_vec()?, computed.to_vec()?, "positions from host and device");
    }
    one(computed)
}

fn views<T: Typed>(
    op: &str,
    p: &Json,
    a: &DeviceArray<T>,
    value: impl Fn(f64) -> T,
) -> Option<Arrays<T>> {
    let axis = |name: &str| integer(p, name);
    let attempt = |result: Result<DeviceArray<T>>| result.and_then(one);
    Some(match op {
        "reshape" => attempt(a.try_reshape(&integers(&p["shape"])[..])),
        "transpose_reshape" => {
            attempt(a.permute(&integers(&p["axes"])).try_reshape(&integers(&p["shape"])[..]))
        }
        "transpose" => attempt(transpose(a, &p["axes"])),
        "swapaxes" => attempt(a.try_swap_axes(axis("axis1"), axis("axis2"))),
        "moveaxis" => attempt(a.try_move_axis(axis("source"), axis("destination"))),
        "expand_dims" => attempt(a.try_insert_axis(axis("axis"))),
        "squeeze" if p["axis"].is_null() => attempt(a.try_squeeze(..)),
        "squeeze" => attempt(a.try_squeeze(axis("axis"))),
        "slice" => attempt(a.try_slice(slices(&p["slices"]))),
        "broadcast_to" => attempt(a.try_broadcast_to(shape(p))),
        "flip" => attempt(a.try_flip(&axes_or_all(a, &p["axes"])[..])),
        "roll" => roll(a, p),
        "diagonal" => attempt(a.try_diagonal(axis("offset"), axis("axis1"), axis("axis2"))),
        "sliding_window_view" => windows(a, p),
        "split" => {
            let at: Vec<usize> = integers(&p["indices"]).into_iter().map(|i| i as usize).collect();
            a.try_split_at(&at, axis("axis"))
        }
        "tile" => {
            let reps: Vec<usize> = integers(&p["reps"]).into_iter().map(|i| i as usize).collect();
            attempt(a.try_tile(reps))
        }
        "repeat" => repeat(a, p),
        "pad" => pad(a, p, value),
        "slice_assign_from_self" => {
            let mut result = a.clone();
            let source = a.slice(slices(&p["source"]));
            result.assign(slices(&p["target"]), &source);
            let kept = a.try_with_slice(slices(&p["target"]), &source);
            kept.and_then(|kept| {
                assert_eq!(kept.to_vec()?, result.to_vec()?);
                one(result)
            })
        }
        _ => return None,
    })
}

fn several<T: Typed>(op: &str, p: &Json, a: &DeviceArray<T>, x: &[Value]) -> Option<Arrays<T>> {
    let all = || x.iter().map(T::of).collect::<Vec<_>>();
    Some(match op {
        "concatenate" => lazuli::try_concatenate(&all(), integer(p, "axis")).and_then(one),
        "stack" => lazuli::try_stack(&all(), integer(p, "axis")).and_then(one),
        "take" => take(a, p, i64::of(&x[1])),
        "take_along_axis" => {
            a.try_take_along_axis(i64::of(&x[1]), integer(p, "axis")).and_then(one)
        }
        "slice_assign" => a.try_with_slice(slices(&p["slices"]), T::of(&x[1])).and_then(one),
        "mask_assign" => a.try_with_where(bool_of(&x[1]), T::of(&x[2])).and_then(one),
        _ => return None,
    })
}

/// The results of a function by NumPy's name; `None` where the public API has no such function.
pub fn apply(op: &str, p: &Json, x: &[Value]) -> Option<Result<Vec<Value>>> {
    debug_assert!(!flag(p, "error"));
    macro_rules! dispatch {
        ($($v:ident |$n:ident| $value:expr;)*) => {
            match &x[0] {
                $(Value::$v(a) => {
                    let found = views(op, p, a, |$n| $value).or_else(|| several(op, p, a, x))?;
                    found.map(|list| list.into_iter().map(Value::from).collect())
                })*
                _ => return None,
            }
        };
    }
    Some(dispatch! {
        Bool |v| v != 0.0;
        I32 |v| v as i32;
        I64 |v| v as i64;
        U8 |v| v as u8;
        F32 |v| v as f32;
        F64 |v| v;
        C64 |v| Complex::new(v as f32, 0.0);
        C128 |v| Complex::new(v, 0.0);
    })
}
