//! Branches, loops, matches, scopes, and the order in which things happen.

use super::{Cases, Range};
use crate::device;

#[device]
fn shadowed(x: f64) -> f64 {
    let x = x + 1.0;
    let x = {
        let x = x * 2.0;
        x - 1.0
    };
    let y = if x > 0.0 { x } else { -x };
    let x = x * y;
    x
}

#[device]
fn early(x: f64, y: f64) -> f64 {
    if x.is_nan() {
        return -1.0;
    }
    if x < 0.0 {
        if y < 0.0 {
            return x * y;
        } else if y == 0.0 {
            return 0.5;
        }
    } else if x > 3.0 {
        return x;
    }
    x - y
}

#[device]
fn with_statements(x: f64) -> f64 {
    let y = if x > 0.0 {
        let t = x * 2.0;
        t * t
    } else {
        let mut t = 1.0;
        for k in 0..3 {
            t += k as f64 * x;
        }
        t
    };
    y + if y > 10.0 { return y } else { 1.0 }
}

#[device]
fn loops(n: i32) -> (i32, i32, i32, i32, i32, i32) {
    let (mut up, mut down, mut inclusive, mut steps, mut back, mut odd) = (0, 0, 0, 0, 0, 0);
    for i in 0..n {
        up = up * 3 % 1000 + i;
    }
    for i in (0..n).rev() {
        down = down * 3 % 1000 + i;
    }
    for i in -2..=n {
        inclusive = inclusive * 3 % 1000 + i;
    }
    for i in (0..n).step_by(3) {
        steps = steps * 3 % 1000 + i;
    }
    for i in (1..n).step_by(2).rev() {
        back = back * 3 % 1000 + i;
    }
    for i in (1..=n).rev().step_by(2) {
        odd = odd * 3 % 1000 + i;
    }
    (up, down, inclusive, steps, back, odd)
}

#[device]
fn at_the_limits(x: u8) -> (u32, u32, i32) {
    let (mut count, mut sum, mut signed) = (0, 0, 0);
    for i in x..=255 {
        count += 1;
        sum += i as u32;
    }
    for i in (i8::MIN..=i8::MAX).step_by(100) {
        signed += i as i32;
    }
    (count, sum, signed)
}

#[device]
fn collatz(start: u32) -> u32 {
    let mut n = start + 1;
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[device]
fn labelled(n: i32) -> (i32, i32) {
    let mut found = (-1, -1);
    let mut skipped = 0;
    'outer: for i in 0..10 {
        for j in 0..10 {
            if j > i {
                skipped += 1;
                continue 'outer;
            }
            if i * j > n {
                found = (i, j);
                break 'outer;
            }
        }
    }
    (found.0 * 10 + found.1, skipped)
}

#[device]
fn with_value(x: f64) -> (f64, f64) {
    let mut k = 0.0;
    let first = loop {
        k += 1.0;
        if k * k > x {
            break k;
        }
        if k > 100.0 {
            return (k, k);
        }
    };
    let second = 'found: {
        if x < 0.0 {
            break 'found -1.0;
        }
        let r = x.sqrt();
        if r > 2.0 {
            break 'found r;
        }
        0.0
    };
    (first, second)
}

#[device]
fn side_conditions(x: i32) -> i32 {
    let mut n = 0;
    while {
        n += 1;
        n < 5
    } && n != x
    {
        n += 1;
    }
    n
}

const SEVEN: i32 = 7;

#[device]
fn matched(x: i32, flag: bool) -> (i32, f64, u8) {
    let a = match x {
        0 => 10,
        1 | 2 => 20,
        -5..=-1 => {
            let y = x * 2;
            y - 1
        }
        SEVEN => 70,
        i32::MIN..=-6 => -100,
        n if n % 2 == 0 => n,
        n => -n,
    };
    let b = match (x > 0, flag) {
        (true, true) => 1.5,
        (true, false) => 2.5,
        (false, _) => -0.5,
    };
    let mut c = 0u8;
    match flag {
        true => c = 1,
        false => {}
    }
    (a, b, c)
}

#[device]
fn ordered(x: f64) -> (f64, f64, bool) {
    // Operands are taken from left to right, whatever stands in a block.
    let mut a = x;
    let sum =
        a + {
            a *= 2.0;
            a
        } + a;
    let mut calls = 0.0;
    let short = x > 0.0 && {
        calls += 1.0;
        x > 1.0
    };
    let long = x > 0.0 || {
        calls += 10.0;
        x < -1.0
    };
    (sum, calls, short ^ long)
}

#[device]
fn late(x: f64) -> f64 {
    let y: f64;
    let mut z = 0.5;
    if x > 0.0 {
        y = x;
        z = 1.0;
    } else {
        y = -x;
    }
    y * z
}

#[device]
fn let_patterns(n: i32, m: u8, x: f64) -> (f64, i32, bool, bool) {
    let mut total = 0;
    if let 1..=3 | 7 = n {
        total += 1;
    } else if let -5 = n {
        total -= 1;
    }
    let y = if let (k @ 0..=4, true) = (m, x > 0.0) { k as f64 * x } else { -x };
    if let 9 = m {
        return (0.0, 0, true, true);
    }
    (y, total, matches!(n, -3..=3 if x > 1.0), matches!((n, m), (0, _) | (_, 0..=2)))
}

#[device]
fn let_patterns_in_loops(n: i32, x: f64) -> f64 {
    let mut sum = 0.0;
    for k in 0..n {
        debug_assert!(k < n, "{k} of {n}");
        if let 2 | 4 = k {
            sum += x;
        }
        if matches!(k, 3..=5) {
            sum *= 2.0;
        }
    }
    debug_assert_eq!(n.min(3).max(n), n);
    debug_assert_ne!(n, n + 1, "never");
    sum
}

#[device]
fn walked(x: f64, n: u32) -> (f64, f64, f64, u64) {
    let v = [x, 2.0, 3.0 * x];
    let mut w = v;
    w.swap(0, v.len() - 1);
    let (i, j) = (n as usize % 3, (n / 3) as usize % w.len());
    w.swap(i, j);
    let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
    for part in v.iter() {
        a = a * 0.5 + *part;
    }
    for &part in &w {
        b = b * 0.5 + part.abs();
    }
    for part in w.iter().copied() {
        c = c * 2.0 - part;
    }
    for k in 0..w.len() {
        c += w[k] * k as f64;
    }
    let mut pairs = [(1.0, 2u8), (x, 3)];
    pairs.swap(0, 1);
    for (y, k) in pairs.iter() {
        a += *y * *k as f64;
    }
    (a, b, c, w.len() as u64)
}

#[test]
fn patterns_and_walks_are_rusts() {
    Cases::default()
        .add::<let_patterns, ()>(Range::Edges, 0.0)
        .add::<let_patterns, ()>(Range::Small, 0.0)
        .add::<let_patterns_in_loops, ()>(Range::Small, 0.0)
        .add::<walked, ()>(Range::Small, 1e-15)
        .check();
}

#[test]
fn control_flow_is_rusts() {
    Cases::default()
        .add::<shadowed, ()>(Range::Edges, 0.0)
        .add::<early, ()>(Range::Edges, 0.0)
        .add::<with_statements, ()>(Range::Edges, 0.0)
        .add::<loops, ()>(Range::Small, 0.0)
        .add::<at_the_limits, ()>(Range::Edges, 0.0)
        .add::<collatz, ()>(Range::Small, 0.0)
        .add::<labelled, ()>(Range::Small, 0.0)
        .add::<with_value, ()>(Range::Small, 1e-15)
        .add::<side_conditions, ()>(Range::Small, 0.0)
        .add::<matched, ()>(Range::Small, 0.0)
        .add::<ordered, ()>(Range::Small, 0.0)
        .add::<late, ()>(Range::Small, 0.0)
        .check();
}
