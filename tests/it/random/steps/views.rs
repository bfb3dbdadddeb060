//! Steps that move elements.

use super::super::reference::reshaped;
use super::{Host, Program, Rng, Step, Typed, Value, build, device, host};
use lazuli::PadMode;
use lazuli::prelude::*;
use ndarray::{ArrayD, IxDyn, SliceInfoElem};

/// A view step: the shape of the result, and where each of its elements comes from.
macro_rules! view {
    ($text:expr, $p:expr, $i:expr, $shape:expr, |$at:ident| $from:expr, |$d:ident| $m:expr) => {{
        let i = $i;
        let shape: Vec<usize> = $shape;
        let value = host!(&$p.values[i], a => build(&shape, |$at: &[usize]| {
            let from: Vec<usize> = $from;
            a[IxDyn(&from)]
        }));
        Some(Step::new($text, &[i], value, move |v| device!(&v[i], $d => $m)))
    }};
}

/// A random region: for each axis a range with a step, or an index.
pub fn region(rng: &mut Rng, shape: &[usize]) -> Vec<SliceInfoElem> {
    let part = |rng: &mut Rng, n: usize| {
        if n > 0 && rng.one_in(6) {
            return SliceInfoElem::Index(rng.below(2 * n) as isize - n as isize);
        }
        let start = rng.below(n / 2 + 1) as isize;
        let end = n as isize - rng.below(n / 2 + 1) as isize;
        let step = rng.pick(&[1, 1, 1, -1, 2, -2, 3]);
        SliceInfoElem::Slice { start, end: Some(end.max(start)), step }
    };
    shape.iter().map(|&n| part(rng, n)).collect()
}

/// The part of an array, by `ndarray`.
pub fn sliced<T: Clone>(a: &ArrayD<T>, region: &[SliceInfoElem]) -> ArrayD<T> {
    a.slice(region).to_owned()
}

fn cut(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    let region = region(rng, p.shape(i));
    let value = host!(&p.values[i], a => sliced(a, &region));
    let text = format!("slice {region:?}");
    Some(Step::new(text, &[i], value, move |v| device!(&v[i], a => a.slice(&region))))
}

fn permute(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    let rank = p.rank(i);
    let mut order: Vec<usize> = (0..rank).collect();
    (1..rank).for_each(|k| order.swap(k, rng.below(k + 1)));
    let shape = order.iter().map(|&k| p.shape(i)[k]).collect();
    let signed: Vec<isize> = order.iter().map(|&k| k as isize).collect();
    view!(
        format!("permute {order:?}"),
        p,
        i,
        shape,
        |at| {
            let mut from = vec![0; rank];
            (0..rank).for_each(|k| from[order[k]] = at[k]);
            from
        },
        |a| a.permute(&signed)
    )
}

fn reshape(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    let len = p.len(i);
    let mut shape = vec![len];
    if len > 0 && !rng.one_in(3) {
        let divisors: Vec<usize> = (1..=len).filter(|d| len.is_multiple_of(*d)).collect();
        let d = rng.pick(&divisors);
        shape = vec![len / d, d];
    }
    if rng.one_in(4) {
        shape.insert(rng.below(shape.len() + 1), 1);
    }
    let value = host!(&p.values[i], a => reshaped(a, &shape));
    let text = format!("reshape {shape:?}");
    Some(Step::new(text, &[i], value, move |v| device!(&v[i], a => a.reshape(&shape[..]))))
}

fn along_axis(p: &Program, rng: &mut Rng, i: usize, axis: usize) -> Option<Step> {
    let (n, k) = (p.shape(i)[axis], axis);
    let (mut shape, to) = (p.shape(i).to_vec(), axis as isize - p.rank(i) as isize);
    let moved = |at: &[usize], j: usize| {
        let mut from = at.to_vec();
        from[k] = j;
        from
    };
    match rng.below(8) {
        0 => view!("flip", p, i, shape, |at| moved(at, n - 1 - at[k]), |a| a.flip(to)),
        1 | 2 => {
            let shift = rng.below(9) as isize - 4;
            view!(
                format!("roll by {shift} along {k}"),
                p,
                i,
                shape,
                |at| moved(at, (at[k] as isize - shift).rem_euclid(n as isize) as usize),
                |a| a.roll(shift, to)
            )
        }
        3 => {
            let times = 1 + rng.below(3);
            shape[k] *= times;
            view!(
                format!("repeat {times} along {k}"),
                p,
                i,
                shape,
                |at| moved(at, at[k] / times),
                |a| a.repeat(times, to)
            )
        }
        4 if n > 0 => {
            let window = 1 + rng.below(n);
            shape[k] = n - window + 1;
            shape.push(window);
            view!(
                format!("windows of {window} along {k}"),
                p,
                i,
                shape,
                |at| moved(&at[..at.len() - 1], at[k] + at[at.len() - 1]),
                |a| a.sliding_windows(window, k as isize)
            )
        }
        5 if n > 0 => {
            let positions: Vec<i64> =
                (0..rng.below(5)).map(|_| rng.below(2 * n) as i64 - n as i64).collect();
            shape[k] = positions.len();
            let text = format!("take {positions:?} along {k}");
            let of = positions.clone();
            view!(text, p, i, shape, |at| moved(at, of[at[k]].rem_euclid(n as i64) as usize), |a| a
                .take(&positions, to))
        }
        _ => pad(p, rng, i, axis),
    }
}

/// Padding at one axis, in any mode.
fn pad(p: &Program, rng: &mut Rng, i: usize, k: usize) -> Option<Step> {
    let n = p.shape(i)[k];
    let (before, after) = (rng.below(4), rng.below(4));
    let mode = rng.below(4);
    if n == 0 && mode > 0 {
        return None;
    }
    let mut shape = p.shape(i).to_vec();
    shape[k] += before + after;
    let mut widths = vec![(0, 0); shape.len()];
    widths[k] = (before, after);
    let source = move |j: usize| -> Option<usize> {
        let (n, j) = (n as isize, j as isize - before as isize);
        let inside = (0..n).contains(&j);
        Some(match mode {
            0 => return inside.then_some(j as usize),
            1 => j.clamp(0, n - 1),
            2 if n == 1 => 0,
            2 => {
                let j = j.rem_euclid(2 * (n - 1));
                j.min(2 * (n - 1) - j)
            }
            _ => j.rem_euclid(n),
        } as usize)
    };
    macro_rules! padded {
        ($($v:ident $one:expr;)*) => {
            match &p.values[i] {
                $(Host::$v(a) => {
                    let value = Typed::host(build(&shape, |at| match source(at[k]) {
                        Some(j) => {
                            let mut from = at.to_vec();
                            from[k] = j;
                            a[IxDyn(&from)]
                        }
                        None => $one,
                    }));
                    let modes = [PadMode::Constant($one), PadMode::Edge, PadMode::Reflect, PadMode::Wrap];
                    let text = format!("pad {widths:?} {:?}", modes[mode]);
                    Some(Step::new(text, &[i], value, move |v| match &v[i] {
                        Value::$v(a) => a.pad(&widths, modes[mode]).into(),
                        _ => unreachable!("the type was checked"),
                    }))
                })*
                _ => None,
            }
        };
    }
    padded! { Bool true; I32 1; I64 1; F32 1.0; F64 1.0; C128 Complex::new(1.0, 0.0); }
}

fn axes(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    let (rank, shape) = (p.rank(i), p.shape(i).to_vec());
    match rng.below(4) {
        0 => {
            let k = rng.below(rank + 1);
            let mut longer = shape;
            longer.insert(k, 1);
            view!(
                format!("insert axis {k}"),
                p,
                i,
                longer,
                |at| [&at[..k], &at[k + 1..]].concat(),
                |a| a.insert_axis(k as isize)
            )
        }
        1 => {
            let longer = [&[2], &shape[..]].concat();
            let to = longer.clone();
            view!("broadcast", p, i, longer, |at| at[1..].to_vec(), |a| a.broadcast_to(&to))
        }
        2 if rank >= 2 => {
            let (x, y) = (rng.below(rank), rng.below(rank));
            let offset = rng.below(3) as isize - 1;
            if x == y {
                return None;
            }
            let (up, down) = (offset.max(0) as usize, (-offset).max(0) as usize);
            let len = shape[x].saturating_sub(down).min(shape[y].saturating_sub(up));
            let mut result: Vec<usize> =
                (0..rank).filter(|&k| k != x && k != y).map(|k| shape[k]).collect();
            result.push(len);
            view!(
                format!("diagonal {offset} of {x}, {y}"),
                p,
                i,
                result,
                |at| {
                    let mut rest = at.iter();
                    let last = at[at.len() - 1];
                    (0..rank)
                        .map(|k| match k {
                            k if k == x => last + down,
                            k if k == y => last + up,
                            _ => *rest.next().expect("an axis"),
                        })
                        .collect()
                },
                |a| a.diagonal(offset, x as isize, y as isize)
            )
        }
        _ => {
            let tiled: Vec<usize> = shape.iter().map(|_| 1 + rng.below(2)).collect();
            let result = shape.iter().zip(&tiled).map(|(n, t)| n * t).collect();
            let text = format!("tile {tiled:?}");
            view!(
                text,
                p,
                i,
                result,
                |at| at.iter().zip(&shape).map(|(j, n)| j % n).collect(),
                |a| a.tile(&tiled)
            )
        }
    }
}

/// A step that moves elements.
pub fn draw(p: &Program, rng: &mut Rng) -> Option<Step> {
    let i = p.pick(rng, |_, _| true)?;
    let axis = rng.below(p.rank(i).max(1));
    match rng.below(10) {
        0..3 => cut(p, rng, i),
        3 => permute(p, rng, i),
        4 => reshape(p, rng, i),
        5 | 6 => axes(p, rng, i),
        _ if p.rank(i) > 0 => along_axis(p, rng, i, axis),
        _ => None,
    }
}
