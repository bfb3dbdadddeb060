//! Functions as users write them, and what the interpreter takes for their values.

use super::value::{Host, Kind, V};
use lazuli::prelude::*;

/// Branches and a loop over whole numbers.
#[vectorize]
pub fn collatz(start: i64, limit: i32) -> i32 {
    let mut n = start;
    for k in 0..limit {
        if n <= 1 {
            return k;
        }
        n = if n % 2 == 0 { n / 2 } else { n.wrapping_mul(3).wrapping_add(1) };
    }
    limit
}

/// Numbers chosen, none rounded.
#[vectorize]
pub fn choose(x: f64, y: f64) -> f64 {
    if x > y {
        return -x;
    }
    if y.is_nan() { 7.0 } else { y.abs() }
}

/// Bits of a hash.
#[vectorize]
pub fn mix(a: u32, b: u32) -> u32 {
    let mut h = a ^ b.rotate_left(13);
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^ (h >> 16)
}

/// The last element that is not zero, which does not commute.
#[reduce(identity = 0)]
pub fn last(a: i32, b: i32) -> i32 {
    if b != 0 { b } else { a }
}

/// Sums of neighbours, over loops that are recorded.
#[guvectorize("(n)->(n)")]
pub fn neighbours(x: &[i64], out: &mut [i64]) {
    let n = x.len();
    for i in 0..n {
        let mut sum = 0i64;
        for j in 0..3 {
            sum = sum.wrapping_add(x[(i + j) % n].wrapping_mul(j as i64 + 1));
        }
        out[i] = sum;
    }
}

/// The functions, and the types of their arguments.
pub const ALL: [(&str, &[Kind]); 4] = [
    ("collatz", &[Kind::I64, Kind::I32]),
    ("choose", &[Kind::F64, Kind::F64]),
    ("mix", &[Kind::U32, Kind::U32]),
    ("neighbours", &[Kind::I64]),
];

/// The value of a user's function: that of the plain function at each element.
pub fn interpret(name: &str, args: &[&Host]) -> Option<Host> {
    let kinds = ALL.iter().find(|f| f.0 == name)?.1;
    if args.len() != kinds.len() || args.iter().zip(kinds).any(|(a, &k)| a.kind != k) {
        return None;
    }
    if name == "neighbours" {
        return of_neighbours(args[0]);
    }
    let (a, b) = (args[0], args[1]);
    let kind = if name == "collatz" { Kind::I32 } else { a.kind };
    super::interpret::zip(kind, a, b, |x, y| {
        if x.loose != 0.0 || y.loose != 0.0 || x.sign || y.sign {
            return V::UNKNOWN;
        }
        match name {
            "collatz" => V::int(i128::from(collatz(x.int as i64, y.int.clamp(0, 300) as i32))),
            "choose" => V::float(choose(x.re, y.re)),
            _ => V::int(i128::from(mix(x.int as u32, y.int as u32))),
        }
    })
    .filter(|_| name != "collatz" || b.data.iter().all(|v| (0..=300).contains(&v.int)))
}

fn of_neighbours(a: &Host) -> Option<Host> {
    let n = *a.shape.last()?;
    if n == 0 || a.data.iter().any(|v| !v.is_known()) {
        return None;
    }
    let mut result = a.clone();
    for (from, to) in a.data.chunks(n).zip(result.data.chunks_mut(n)) {
        let x: Vec<i64> = from.iter().map(|v| v.int as i64).collect();
        let mut out = vec![0; n];
        neighbours(&x, &mut out);
        to.iter_mut().zip(out).for_each(|(v, y)| *v = V::int(i128::from(y)));
    }
    Some(result)
}

/// The fold by `last` over an axis, or its scan.
pub fn fold(a: &Host, axis: usize, scan: bool) -> Option<Host> {
    let n = *a.shape.get(axis)?;
    if a.kind != Kind::I32 || a.data.iter().any(|v| !v.is_known()) {
        return None;
    }
    let mut shape = a.shape.clone();
    if !scan {
        shape.remove(axis);
    }
    Some(Host::build(Kind::I32, shape, |at| {
        let mut place = at.to_vec();
        let upto = if scan { at[axis] + 1 } else { n };
        if !scan {
            place.insert(axis, 0);
        }
        let all = (0..upto).map(|k| {
            place[axis] = k;
            a.data[a.offset(&place)].int as i32
        });
        V::int(i128::from(all.fold(0, last)))
    }))
}
