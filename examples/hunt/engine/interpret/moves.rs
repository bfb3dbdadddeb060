//! What moves elements.

use super::super::op::{Margin, Op, Part};
use super::super::value::{Host, Kind};
use super::spread;

/// The positions that a part of an axis reads, and whether the axis goes away.
pub fn positions(part: &Part, n: usize) -> Option<(Vec<usize>, bool)> {
    match *part {
        Part::Index(i) => {
            let at = if i < 0 { i + n as isize } else { i };
            (0..n as isize).contains(&at).then(|| (vec![at as usize], true))
        }
        Part::Range { start, end, step } => {
            if start > end || end > n || step == 0 {
                return None;
            }
            let by = step.unsigned_abs();
            let forward = start..end;
            let all: Vec<usize> = if step > 0 {
                forward.step_by(by).collect()
            } else {
                forward.rev().step_by(by).collect()
            };
            Some((all, false))
        }
    }
}

/// The places of a region in C order, and its shape.
fn region(a: &Host, parts: &[Part]) -> Option<(Vec<usize>, Vec<usize>)> {
    if parts.len() != a.rank() {
        return None;
    }
    let axes: Vec<(Vec<usize>, bool)> =
        parts.iter().zip(&a.shape).map(|(p, &n)| positions(p, n)).collect::<Option<_>>()?;
    let mut places = vec![0];
    for ((at, _), &n) in axes.iter().zip(&a.shape) {
        places = places.iter().flat_map(|p| at.iter().map(move |i| p * n + i)).collect();
    }
    let shape = axes.iter().filter(|(_, gone)| !gone).map(|(at, _)| at.len()).collect();
    Some((places, shape))
}

/// An array of a shape whose elements come from places of another.
fn moved(a: &Host, shape: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Option<Host> {
    (shape.iter().product::<usize>() <= super::LARGEST)
        .then(|| Host::build(a.kind, shape, |at| a.data[a.offset(&from(at))]))
}

/// An array in which one axis is read at other positions.
fn along(a: &Host, axis: usize, n: usize, from: impl Fn(usize) -> usize) -> Option<Host> {
    let mut shape = a.shape.clone();
    *shape.get_mut(axis)? = n;
    moved(a, shape, |at| {
        let mut place = at.to_vec();
        place[axis] = from(at[axis]);
        place
    })
}

/// The value of a node that moves elements.
pub fn interpret(op: &Op, args: &[&Host]) -> Option<Host> {
    match (op, args) {
        (Op::Concat(axis), parts) => concat(parts, *axis),
        (Op::Stack(axis), parts) => stack(parts, *axis),
        (Op::Assign(parts), [a, value]) => assign(a, parts, value),
        (Op::AssignWhere, [a, mask, value]) => {
            if mask.kind != Kind::Bool || value.kind != a.kind {
                return None;
            }
            super::elementwise::select(&spread(mask, &a.shape)?, &spread(value, &a.shape)?, a)
        }
        (Op::TakeBy(axis), [a, at]) => take_by(a, at, *axis, false),
        (Op::TakeClipped(axis), [a, at]) => take_by(a, at, *axis, true),
        (Op::TakeAlong(axis), [a, at]) => take_along(a, at, *axis),
        (op, [a]) => one(op, a),
        _ => None,
    }
}

fn one(op: &Op, a: &Host) -> Option<Host> {
    let n_of = |axis: usize| a.shape.get(axis).copied();
    match op {
        Op::Slice(parts) => {
            let (places, shape) = region(a, parts)?;
            Some(Host::new(a.kind, shape, places.iter().map(|&p| a.data[p]).collect()))
        }
        Op::Permute(order) => {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if sorted != (0..a.rank()).collect::<Vec<_>>() {
                return None;
            }
            moved(a, order.iter().map(|&k| a.shape[k]).collect(), |at| {
                let mut from = vec![0; at.len()];
                order.iter().zip(at).for_each(|(&k, &i)| from[k] = i);
                from
            })
        }
        Op::Reshape(shape) => (shape.iter().product::<usize>() == a.data.len())
            .then(|| Host::new(a.kind, shape.clone(), a.data.clone())),
        Op::Broadcast(shape) => spread(a, shape),
        Op::InsertAxis(axis) => {
            let mut shape = a.shape.clone();
            if *axis > shape.len() {
                return None;
            }
            shape.insert(*axis, 1);
            Some(Host::new(a.kind, shape, a.data.clone()))
        }
        Op::Flip(axis) => {
            let n = n_of(*axis)?;
            along(a, *axis, n, |i| n - 1 - i)
        }
        Op::Roll(by, axis) => {
            let n = n_of(*axis)?;
            along(a, *axis, n, |i| (i as isize - by).rem_euclid(n as isize) as usize)
        }
        Op::Repeat(times, axis) => along(a, *axis, n_of(*axis)? * times, |i| i / times),
        Op::Tile(times) => {
            if times.len() != a.rank() {
                return None;
            }
            let shape = times.iter().zip(&a.shape).map(|(t, n)| t * n).collect();
            moved(a, shape, |at| at.iter().zip(&a.shape).map(|(i, n)| i % n).collect())
        }
        Op::Windows(window, axis) => {
            let n = n_of(*axis)?;
            if *window == 0 || *window > n {
                return None;
            }
            let mut shape = a.shape.clone();
            shape[*axis] = n - window + 1;
            shape.push(*window);
            moved(a, shape, |at| {
                let (last, front) = at.split_last().expect("an axis");
                let mut from = front.to_vec();
                from[*axis] += last;
                from
            })
        }
        Op::Diagonal(offset, x, y) => diagonal(a, *offset, *x, *y),
        Op::Pad(widths, margin) => pad(a, widths, margin),
        Op::Take(positions, axis) => {
            let n = n_of(*axis)? as i64;
            if positions.iter().any(|p| !(-n..n).contains(p)) {
                return None;
            }
            along(a, *axis, positions.len(), |i| positions[i].rem_euclid(n) as usize)
        }
        _ => None,
    }
}

fn diagonal(a: &Host, offset: isize, x: usize, y: usize) -> Option<Host> {
    if x == y || x >= a.rank() || y >= a.rank() {
        return None;
    }
    let (up, down) = (offset.max(0) as usize, (-offset).max(0) as usize);
    let len = a.shape[x].saturating_sub(down).min(a.shape[y].saturating_sub(up));
    let mut shape: Vec<usize> =
        (0..a.rank()).filter(|&k| k != x && k != y).map(|k| a.shape[k]).collect();
    shape.push(len);
    moved(a, shape, |at| {
        let last = at[at.len() - 1];
        let mut rest = at.iter();
        (0..a.rank())
            .map(|k| match k {
                k if k == x => last + down,
                k if k == y => last + up,
                _ => *rest.next().expect("an axis"),
            })
            .collect()
    })
}

fn pad(a: &Host, widths: &[(usize, usize)], margin: &Margin) -> Option<Host> {
    let constant = matches!(margin, Margin::Constant(_));
    if widths.len() != a.rank() || a.data.is_empty() && !constant {
        return None;
    }
    let shape: Vec<usize> = widths.iter().zip(&a.shape).map(|((b, e), n)| b + n + e).collect();
    if shape.iter().product::<usize>() > super::LARGEST {
        return None;
    }
    let source = |at: &[usize]| -> Option<Vec<usize>> {
        let axes = at.iter().zip(widths).zip(&a.shape);
        axes.map(|((&i, &(before, _)), &n)| {
            let (n, j) = (n as isize, i as isize - before as isize);
            Some(match margin {
                Margin::Constant(_) => return (0..n).contains(&j).then_some(j as usize),
                Margin::Edge => j.clamp(0, n - 1),
                Margin::Reflect if n == 1 => 0,
                Margin::Reflect => {
                    let j = j.rem_euclid(2 * (n - 1));
                    j.min(2 * (n - 1) - j)
                }
                Margin::Wrap => j.rem_euclid(n),
            } as usize)
        })
        .collect()
    };
    Some(Host::build(a.kind, shape, |at| match (source(at), margin) {
        (Some(from), _) => a.data[a.offset(&from)],
        (None, Margin::Constant(v)) => *v,
        (None, _) => unreachable!("other margins read the array"),
    }))
}

fn concat(parts: &[&Host], axis: usize) -> Option<Host> {
    let first = parts.first()?;
    let others = |p: &Host| {
        p.rank() == first.rank()
            && p.kind == first.kind
            && (0..p.rank()).all(|k| k == axis || p.shape[k] == first.shape[k])
    };
    if axis >= first.rank() || !parts.iter().all(|p| others(p)) {
        return None;
    }
    let mut shape = first.shape.clone();
    shape[axis] = parts.iter().map(|p| p.shape[axis]).sum();
    Some(Host::build(first.kind, shape, |at| {
        let mut from = at.to_vec();
        for part in parts {
            if from[axis] < part.shape[axis] {
                return part.data[part.offset(&from)];
            }
            from[axis] -= part.shape[axis];
        }
        unreachable!("the parts cover the axis")
    }))
}

fn stack(parts: &[&Host], axis: usize) -> Option<Host> {
    let first = parts.first()?;
    if axis > first.rank() || parts.iter().any(|p| p.shape != first.shape || p.kind != first.kind) {
        return None;
    }
    let raised: Vec<Host> =
        parts.iter().map(|p| one(&Op::InsertAxis(axis), p)).collect::<Option<_>>()?;
    concat(&raised.iter().collect::<Vec<_>>(), axis)
}

fn assign(a: &Host, parts: &[Part], value: &Host) -> Option<Host> {
    if value.kind != a.kind {
        return None;
    }
    let (places, shape) = region(a, parts)?;
    let value = spread(value, &shape)?;
    let mut result = a.clone();
    places.iter().zip(&value.data).for_each(|(&p, v)| result.data[p] = *v);
    Some(result)
}

/// Positions in an array, which must be known; held within the axis, or within it already.
fn known_positions(at: &Host, n: usize, clipped: bool) -> Option<Vec<usize>> {
    if at.kind != Kind::I64 || n == 0 {
        return None;
    }
    let n = n as i128;
    at.data
        .iter()
        .map(|v| {
            let from_end = if v.int < 0 { v.int + n } else { v.int };
            let inside = (0..n).contains(&from_end);
            // What clipping makes of negative positions is not said; they stay outside of programs.
            let allowed = if clipped { v.int >= 0 } else { inside };
            (v.is_known() && allowed).then(|| from_end.clamp(0, n - 1) as usize)
        })
        .collect()
}

fn take_by(a: &Host, at: &Host, axis: usize, clipped: bool) -> Option<Host> {
    let positions = known_positions(at, *a.shape.get(axis)?, clipped)?;
    let shape = [&a.shape[..axis], &at.shape, &a.shape[axis + 1..]].concat();
    let rank = at.rank();
    moved(a, shape, |index| {
        let place = positions[at.offset(&index[axis..axis + rank])];
        [&index[..axis], &[place], &index[axis + rank..]].concat()
    })
}

fn take_along(a: &Host, at: &Host, axis: usize) -> Option<Host> {
    let n = *a.shape.get(axis)?;
    let same = |k: usize| k == axis || a.shape[k] == at.shape[k];
    if at.rank() != a.rank() || !(0..a.rank()).all(same) {
        return None;
    }
    let positions = known_positions(at, n, false)?;
    moved(a, at.shape.clone(), |index| {
        let mut from = index.to_vec();
        from[axis] = positions[at.offset(index)];
        from
    })
}
