//! Loops over several devices as users write them, with a diagnostic or a value that is kept: each turn
//! is computed once, as on one device.

use crate::mesh::on_each_mesh;
use lazuli::{Mesh, counters, prelude::*};

/// The heat equation on a ring; halves and quarters, so that every bit is the same however it is computed.
fn step(u: &DeviceArray<f64>) -> DeviceArray<f64> {
    0.5 * u + 0.25 * (u.roll(1, 0) + u.roll(-1, 0))
}

fn start() -> DeviceArray<f64> {
    let mut u = DeviceArray::<f64>::zeros([64, 3]);
    u.assign(s![20..24, ..], 1024.0);
    u
}

/// The kernels of the last turns and of twice as many after them are in proportion.
fn is_steady(turns: usize, mut turn: impl FnMut()) -> bool {
    let mut count = |turns: usize| {
        let before = counters().kernels;
        (0..turns).for_each(|_| turn());
        counters().kernels - before
    };
    count(turns);
    let (some, others) = (count(turns), count(turns));
    others <= some
}

#[test]
fn a_diagnostic_in_each_turn_computes_each_turn_once() {
    on_each_mesh(|_, mesh| {
        let (mut one, mut over) = (start(), start().to(mesh.shard(0)).unwrap());
        let mut largest = Vec::new();
        let steady = is_steady(12, || {
            over = step(&over);
            largest.push(over.max(..).item().unwrap());
        });
        assert!(steady, "{} shares", mesh.len());
        for largest in largest {
            one = step(&one);
            assert_eq!(largest, one.max(..).item().unwrap());
        }
        assert_eq!(over.to_vec().unwrap(), one.to_vec().unwrap());
    });
}

#[test]
fn the_state_is_not_computed_for_the_diagnostic_besides() {
    let mesh = Mesh::processors(2).unwrap();
    let mut over = start().to(mesh.shard(0)).unwrap();
    let turn = |u: &mut DeviceArray<f64>| {
        *u = step(u);
        u.max(..).item().unwrap()
    };
    for _ in 0..8 {
        turn(&mut over);
    }
    let (_, profile) = lazuli::profile(|| turn(&mut over));
    // One kernel for the blocks of all shares: the largest element is that of what it stored.
    let steps = profile.rows().iter().filter(|row| row.name.contains("add")).map(|row| row.count);
    assert_eq!(steps.sum::<u64>(), 1, "{profile}");
}

#[test]
fn one_of_two_fields_is_asked_for() {
    on_each_mesh(|_, mesh| {
        let (mut one, mut over) = (start(), start().to(mesh.shard(0)).unwrap());
        let (mut by_one, mut by_over) = (&one * 0.5, &over * 0.5);
        let turn = |u: &DeviceArray<f64>, v: &DeviceArray<f64>| (step(v), step(u) * 0.5);
        let mut log = Vec::new();
        let steady = is_steady(12, || {
            (over, by_over) = turn(&over, &by_over);
            log.push(by_over.sum(0).max(..).item().unwrap());
        });
        assert!(steady, "{} shares", mesh.len());
        for found in log {
            (one, by_one) = turn(&one, &by_one);
            assert!((found - by_one.sum(0).max(..).item().unwrap()).abs() < 1e-9 * found.abs());
        }
        assert_eq!(over.to_vec().unwrap(), one.to_vec().unwrap());
    });
}

#[test]
fn what_is_held_and_asked_for_twice_is_computed_twice_at_most() {
    on_each_mesh(|_, mesh| {
        let over = start().to(mesh.shard(0)).unwrap();
        over.eval().unwrap();
        let held = step(&step(&over));
        let mut kernels = Vec::new();
        for k in 0..6 {
            let before = counters().kernels;
            (&held + f64::from(k)).max(..).item().unwrap();
            kernels.push(counters().kernels - before);
        }
        assert!(kernels[2..].iter().all(|&k| k == kernels[2] && k <= kernels[0]), "{kernels:?}");
        // A look at the plan changes nothing.
        let next = step(&held);
        let sum = &next + 1.0;
        let before = lazuli::explain(&[&sum]).kernels();
        assert_eq!(lazuli::explain(&[&sum]).kernels(), before);
    });
}
