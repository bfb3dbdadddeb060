//! Sorting, searching, counting, and putting values at positions.

use super::super::value::{Host, Kind, V};
use super::folds::sum;
use std::cmp::Ordering;

/// The places of the lines along an axis.
fn lines(a: &Host, axis: usize) -> Vec<Vec<usize>> {
    let n = a.shape[axis];
    let inner: usize = a.shape[axis + 1..].iter().product();
    let outer: usize = a.shape[..axis].iter().product();
    (0..outer)
        .flat_map(|o| (0..inner).map(move |i| (0..n).map(|k| (o * n + k) * inner + i).collect()))
        .collect()
}

/// The order of sorting: NaN behind all numbers, both zeros equal.
fn compare(kind: Kind, a: &V, b: &V) -> Ordering {
    if kind.is_discrete() {
        return a.int.cmp(&b.int);
    }
    a.re.partial_cmp(&b.re).unwrap_or_else(|| a.re.is_nan().cmp(&b.re.is_nan()))
}

/// As `compare`, from the greatest down; NaN is last all the same.
fn directed(kind: Kind, down: bool) -> impl Fn(&V, &V) -> Ordering {
    move |a, b| {
        let number = kind.is_discrete() || !a.re.is_nan() && !b.re.is_nan();
        let order = compare(kind, a, b);
        if down && number { order.reverse() } else { order }
    }
}

/// The elements along an axis in order.
pub fn sort(a: &Host, axis: usize, down: bool) -> Option<Host> {
    if axis >= a.rank() || a.kind.is_complex() {
        return None;
    }
    let mut result = a.clone();
    for line in lines(a, axis) {
        let mut values: Vec<V> = line.iter().map(|&p| a.data[p]).collect();
        if values.iter().any(|v| !v.is_known()) {
            line.iter().for_each(|&p| result.data[p] = V::UNKNOWN);
            continue;
        }
        values.sort_by(directed(a.kind, down));
        // What is uncertain may stand at its neighbours' places, but each place's value is as
        // certain as the least certain element.
        let err = values.iter().fold(0.0f64, |m, v| m.max(v.loose));
        let zeros = values.iter().filter(|v| v.re == 0.0);
        let signs = zeros.clone().any(|v| v.sign)
            || zeros.clone().any(|v| v.re.is_sign_negative())
                && zeros.clone().any(|v| v.re.is_sign_positive());
        for (&p, v) in line.iter().zip(values) {
            result.data[p] = V { sign: signs && v.re == 0.0 || err > 0.0, ..v };
            result.data[p].err = err;
            result.data[p].loose = err;
        }
    }
    Some(result)
}

/// Positions in order, equal elements as they stand; unknown where elements are uncertain.
pub fn argsort(a: &Host, axis: usize, down: bool) -> Option<Host> {
    if axis >= a.rank() || a.kind.is_complex() {
        return None;
    }
    let mut result = Host::new(Kind::I64, a.shape.clone(), vec![V::UNKNOWN; a.data.len()]);
    for line in lines(a, axis) {
        if line.iter().any(|&p| a.data[p].loose > 0.0) {
            continue;
        }
        let mut order: Vec<usize> = (0..line.len()).collect();
        let before = directed(a.kind, down);
        order.sort_by(|&i, &j| before(&a.data[line[i]], &a.data[line[j]]));
        line.iter().zip(order).for_each(|(&p, k)| result.data[p] = V::int(k as i128));
    }
    Some(result)
}

/// The greatest elements along an axis, or their positions.
pub fn top_k(a: &Host, k: usize, axis: usize, positions: bool) -> Option<Host> {
    let n = *a.shape.get(axis)?;
    if k > n || k == 0 {
        return None;
    }
    let whole = if positions { argsort(a, axis, true)? } else { sort(a, axis, true)? };
    let mut shape = a.shape.clone();
    shape[axis] = k;
    Some(Host::build(whole.kind, shape, |at| whole.data[whole.offset(at)]))
}

/// Values put or combined at positions of an axis, in order.
pub fn scatter(name: &str, a: &Host, b: &Host, positions: &[i64], axis: usize) -> Option<Host> {
    let n = *a.shape.get(axis)? as i64;
    let (kind, mut shape) = (a.kind, a.shape.clone());
    if b.kind != kind || positions.iter().any(|p| !(-n..n).contains(p)) {
        return None;
    }
    if kind == Kind::Bool && name != "put" || kind.is_complex() && !["put", "add"].contains(&name) {
        return None;
    }
    shape[axis] = positions.len();
    let b = super::spread(b, &shape)?;
    Some(Host::build(kind, a.shape.clone(), |at| {
        let mut place = at.to_vec();
        let hits: Vec<V> = (0..positions.len())
            .filter(|&j| positions[j].rem_euclid(n) as usize == at[axis])
            .map(|j| {
                place[axis] = j;
                b.data[b.offset(&place)]
            })
            .collect();
        let first = a.data[a.offset(at)];
        let all: Vec<V> = [&[first], &hits[..]].concat();
        match name {
            _ if hits.is_empty() => first,
            "put" => hits[hits.len() - 1],
            "add" => V { sign: true, ..sum(kind, &all) },
            _ if all.iter().any(|v| !v.is_known() || v.re.is_nan()) => V::UNKNOWN,
            _ => {
                let err = all.iter().fold(0.0f64, |m, v| m.max(v.loose));
                let least = |p: V, q: V| match compare(kind, &p, &q) {
                    Ordering::Greater => (q, p),
                    _ => (p, q),
                };
                let best = all.iter().copied().reduce(|p, q| {
                    let (low, high) = least(p, q);
                    if name == "min" { low } else { high }
                });
                let best = best.expect("at least the element itself");
                V { sign: true, ..best.within(err) }
            }
        }
    }))
}

/// The places in a sorted line at which values would have to be put.
pub fn search(a: &Host, b: &Host, right: bool) -> Option<Host> {
    let kind = a.kind;
    let certain = |v: &V| v.loose == 0.0;
    if a.rank() != 1 || b.kind != kind || kind.is_complex() || !a.data.iter().all(certain) {
        return None;
    }
    if a.data.windows(2).any(|w| compare(kind, &w[0], &w[1]).is_gt()) {
        return None;
    }
    let one = |v: &V| {
        if !certain(v) {
            return V::UNKNOWN;
        }
        let before = |x: &&V| {
            let order = compare(kind, x, v);
            order.is_lt() || right && order.is_eq()
        };
        V::int(a.data.iter().filter(before).count() as i128)
    };
    Some(Host::new(Kind::I64, b.shape.clone(), b.data.iter().map(one).collect()))
}

/// How often each number from 0 on occurs.
pub fn bincount(a: &Host, least: usize) -> Option<Host> {
    let fits = |v: &V| v.is_known() && (0..200).contains(&v.int);
    if !a.kind.is_integer() || !a.data.iter().all(fits) {
        return None;
    }
    let longest = a.data.iter().map(|v| v.int as usize + 1).max().unwrap_or(0);
    let mut counts = vec![V::int(0); longest.max(least)];
    a.data.iter().for_each(|v| counts[v.int as usize].int += 1);
    Some(Host::new(Kind::I64, vec![counts.len()], counts))
}
