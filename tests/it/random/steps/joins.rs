//! Steps that join arrays, assign to regions and gather by computed positions.

use super::super::reference::{spread, zip};
use super::views::{region, sliced};
use super::{Host, Program, Rng, Step, Typed, Value, build};
use ndarray::{ArrayD, Axis, IxDyn};

/// A step of two values of one type: the reference's function and what is recorded.
macro_rules! both {
    ($p:expr, $text:expr, $args:expr, $i:expr, $j:expr, |$a:ident, $b:ident| $e:expr,
     |$v:ident, $x:ident, $y:ident| $m:expr) => {{
        let (i, j) = ($i, $j);
        let value = match (&$p.values[i], &$p.values[j]) {
            (Host::Bool($a), Host::Bool($b)) => Typed::host($e),
            (Host::I32($a), Host::I32($b)) => Typed::host($e),
            (Host::I64($a), Host::I64($b)) => Typed::host($e),
            (Host::F32($a), Host::F32($b)) => Typed::host($e),
            (Host::F64($a), Host::F64($b)) => Typed::host($e),
            (Host::C128($a), Host::C128($b)) => Typed::host($e),
            _ => return None,
        };
        Some(Step::new($text, $args, value, move |$v: &[Value]| match (&$v[i], &$v[j]) {
            (Value::Bool($x), Value::Bool($y)) => $m.into(),
            (Value::I32($x), Value::I32($y)) => $m.into(),
            (Value::I64($x), Value::I64($y)) => $m.into(),
            (Value::F32($x), Value::F32($y)) => $m.into(),
            (Value::F64($x), Value::F64($y)) => $m.into(),
            (Value::C128($x), Value::C128($y)) => $m.into(),
            _ => unreachable!("the types were checked"),
        }))
    }};
}

fn concatenate(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    let axis = rng.below(p.rank(i).max(1));
    let agrees = |p: &Program, j: usize| {
        let (a, b) = (p.shape(i), p.shape(j));
        p.values[i].dtype() == p.values[j].dtype()
            && a.len() == b.len()
            && axis < a.len()
            && (0..a.len()).all(|k| k == axis || a[k] == b[k])
    };
    let j = p.pick(rng, agrees)?;
    both!(
        p,
        format!("concatenate along {axis}"),
        &[i, j],
        i,
        j,
        |a, b| ndarray::concatenate(Axis(axis), &[a.view(), b.view()]).expect("shapes that fit"),
        |v, a, b| lazuli::concatenate(&[a, b], axis as isize)
    )
}

fn stack(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    let axis = rng.below(p.rank(i) + 1);
    let j =
        p.pick(rng, |p, j| p.values[i].dtype() == p.values[j].dtype() && p.shape(i) == p.shape(j))?;
    both!(
        p,
        format!("stack along {axis}"),
        &[i, j],
        i,
        j,
        |a, b| ndarray::stack(Axis(axis), &[a.view(), b.view()]).expect("shapes that fit"),
        |v, a, b| lazuli::stack(&[a, b], axis as isize)
    )
}

fn assigned<T: Clone>(a: &ArrayD<T>, at: &[ndarray::SliceInfoElem], b: &ArrayD<T>) -> ArrayD<T> {
    let mut result = a.clone();
    let mut part = result.slice_mut(at);
    let value = spread(b, part.shape());
    part.assign(&value);
    result
}

/// Replaces a region by a value, or by another part of the same array.
fn assign(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    let at = region(rng, p.shape(i));
    let target = match &p.values[i] {
        Host::Bool(a) => sliced(a, &at).shape().to_vec(),
        Host::I32(a) => sliced(a, &at).shape().to_vec(),
        Host::I64(a) => sliced(a, &at).shape().to_vec(),
        Host::F32(a) => sliced(a, &at).shape().to_vec(),
        Host::F64(a) => sliced(a, &at).shape().to_vec(),
        Host::C128(a) => sliced(a, &at).shape().to_vec(),
        _ => return None,
    };
    let j = p.pick(rng, |p, j| {
        let shape = super::broadcast(&target, p.shape(j));
        p.values[i].dtype() == p.values[j].dtype() && shape.is_some_and(|s| s == target)
    })?;
    both!(p, format!("assign to {at:?}"), &[i, j], i, j, |a, b| assigned(a, &at, b), |v, a, b| {
        let mut result = a.clone();
        result.assign(&at, b);
        result
    })
}

fn assign_where(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    let within = |p: &Program, j: usize| {
        super::broadcast(p.shape(i), p.shape(j)).is_some_and(|s| s == p.shape(i))
    };
    let m = p.pick(rng, |p, m| p.is(m, &["bool"]) && within(p, m))?;
    let j = p.pick(rng, |p, j| p.values[i].dtype() == p.values[j].dtype() && within(p, j))?;
    let Host::Bool(mask) = &p.values[m] else { return None };
    both!(
        p,
        "assign where",
        &[i, m, j],
        i,
        j,
        |a, b| {
            let either = zip(a, b, |x, y| (x, y));
            zip(mask, &either, |m, (x, y)| if m { y } else { x })
        },
        |v, a, b| a.with_where(bool::of(&v[m]), b)
    )
}

fn position(p: i64, n: usize) -> usize {
    let n = n as i64;
    (if p < 0 { p + n } else { p }).clamp(0, n - 1) as usize
}

fn taken<T: Typed>(a: &ArrayD<T>, at: &ArrayD<i64>, axis: usize) -> ArrayD<T> {
    let rank = at.ndim();
    let shape = [&a.shape()[..axis], at.shape(), &a.shape()[axis + 1..]].concat();
    build(&shape, |place| {
        let found = position(at[IxDyn(&place[axis..axis + rank])], a.shape()[axis]);
        a[IxDyn(&[&place[..axis], &[found], &place[axis + rank..]].concat())]
    })
}

/// Takes at positions that the device computes.
fn take(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    let axis = rng.below(p.rank(i).max(1));
    if p.rank(i) == 0 || p.shape(i)[axis] == 0 {
        return None;
    }
    let j = p.pick(rng, |p, j| p.is(j, &["i64"]) && p.rank(j) + p.rank(i) < 5)?;
    let Host::I64(at) = &p.values[j] else { return None };
    if at.len() * p.len(i) / p.shape(i)[axis] > super::LARGEST {
        return None;
    }
    let text = format!("take along {axis} at computed positions");
    macro_rules! types {
        ($($v:ident)*) => {
            match &p.values[i] {
                $(Host::$v(a) => {
                    let value = Typed::host(taken(a, at, axis));
                    Some(Step::new(text, &[i, j], value, move |v| match &v[i] {
                        Value::$v(a) => a.take_clipped(i64::of(&v[j]), axis as isize).into(),
                        _ => unreachable!("the type was checked"),
                    }))
                })*
                _ => None,
            }
        };
    }
    types!(Bool I32 I64 F32 F64 C128)
}

/// A step that joins or assigns.
pub fn draw(p: &Program, rng: &mut Rng) -> Option<Step> {
    let i = p.pick(rng, |_, _| true)?;
    match rng.below(7) {
        0 | 1 => concatenate(p, rng, i),
        2 => stack(p, rng, i),
        3 | 4 => assign(p, rng, i),
        5 => assign_where(p, rng, i),
        _ => take(p, rng, i),
    }
}
