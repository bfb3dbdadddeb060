//! Structs in device code.

use super::{Cases, Range};
use crate::prelude::*;

#[derive(Clone, Copy, Columns)]
struct Body {
    x: f64,
    v: f64,
    n: i32,
    half: f16,
    z: Complex<f32>,
    is_fast: bool,
}

#[device]
fn swapped(b: Body) -> Body {
    let Body { x, v, .. } = b;
    Body { v: x, x: v, ..b }
}

#[device]
fn nested(b: Body, by: (f64, Body)) -> (Body, f64) {
    let mut c = by.1;
    c.z.re += b.z.im;
    c.n = b.n.wrapping_add(c.n);
    (c, by.0 + c.x)
}

#[vectorize]
fn straight(b: Body, dt: f64) -> Body {
    let b = swapped(b);
    let (c, sum) = nested(b, (dt, swapped(b)));
    Body { x: sum, is_fast: c.v > 1.0, z: c.z, half: b.half, v: b.v - dt, n: c.n }
}

#[vectorize]
fn branches(b: Body, c: Body) -> Body {
    let larger = if b.x > c.x { b } else { c };
    let mut all = [b, larger, c];
    all[1].v = all[0].x;
    let k = if larger.is_fast { 2 } else { 1 };
    match larger.n {
        0..=9 => all[k],
        _ => Body { v: all[1].v, ..larger },
    }
}

#[vectorize]
fn turns(b: Body, c: Body) -> f64 {
    let mut state = b;
    let mut k = 0u32;
    while k < 5 && state.x < c.v {
        state.x += 0.75;
        state = if k == 2 { swapped(state) } else { state };
        k += 1;
    }
    state.x + state.v
}

const REST: Body =
    Body { x: 0.5, v: -1.5, n: 3, half: f16::ONE, z: Complex::new(1.0, 2.0), is_fast: true };

#[vectorize]
fn with_a_constant(x: f64) -> f64 {
    let rest = REST;
    x * rest.v + rest.x
}

#[test]
fn structs_are_tuples_with_names() {
    let mut cases = Cases::default();
    cases
        .add::<straight, ()>(Range::Small, 0.0)
        .add::<branches, ()>(Range::Small, 0.0)
        .add::<turns, ()>(Range::Small, 0.0)
        .add::<with_a_constant, ()>(Range::Small, 0.0);
    assert!(cases.lane_forms() >= 1);
    cases.check();
}
