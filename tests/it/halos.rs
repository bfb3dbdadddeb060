//! Steps that are recorded and evaluated together over several devices: their borders are moved once,
//! the work stays bounded, and the bits are those of one device.

use crate::mesh::{devices, meshes};
use crate::support::{Rng, bits};
use lazuli::{Mesh, explain, prelude::*};

/// Small whole numbers and halves: sums and halves of them are exact, contracted or not.
fn values(rng: &mut Rng, shape: [usize; 2]) -> DeviceArray<f64> {
    let list = (0..shape[0] * shape[1]).map(|_| rng.within(-64.0, 64.0).round() * 0.5).collect();
    DeviceArray::from_vec(shape, list).unwrap()
}

#[vectorize]
fn middle(a: f64, b: f64, c: f64) -> f64 {
    let low = if a < b { a } else { b };
    let high = if a < b { b } else { a };
    if c < low {
        low
    } else if c > high {
        high
    } else {
        c
    }
}

type Sweep = fn(&DeviceArray<f64>) -> DeviceArray<f64>;

/// Sweeps over plates that are a ring, that have held edges, and whose edges are repeated, with the rows
/// that each needs of a neighbour; blocks of padded plates begin elsewhere.
const SWEEPS: [(&str, Option<usize>, Sweep); 4] = [
    ("a ring", Some(1), |u| 0.5 * u + 0.25 * (u.roll(1, 0) + u.roll(-1, 0))),
    ("held edges", Some(1), |u| {
        let mut next = u.clone();
        next.assign(s![1..-1, ..], 0.5 * (u.slice(s![..-2, ..]) + u.slice(s![2.., ..])));
        next
    }),
    ("repeated edges", None, |u| {
        let p = u.pad(&[(2, 2), (0, 0)], PadMode::Edge);
        0.5 * (p.slice(s![..-4, ..]) + p.slice(s![4.., ..])) - u
    }),
    ("windows", None, |u| {
        let p = u.pad(&[(1, 1), (0, 0)], PadMode::Constant(0.0));
        p.sliding_windows(3, 0).max(-1)
    }),
];

#[test]
fn borders_of_steps_that_are_evaluated_together_are_moved_once() {
    let mesh = Mesh::processors(4).unwrap();
    let mut rng = Rng(5);
    let x = values(&mut rng, [512, 8]);
    for (name, width, sweep) in SWEEPS {
        let over = x.to(mesh.shard(0)).unwrap();
        let (mut one, mut all) = (x.clone(), over.clone());
        let alone = explain(&[&sweep(&over)]);
        for steps in 1..=6 {
            (one, all) = (sweep(&one), sweep(&all));
            let plan = explain(&[&all]);
            assert_eq!(plan.moves(), alone.moves(), "{name}, {steps} steps: {plan}");
            // From each neighbour so many rows.
            let bytes = width.map(|width| alone.moves() * steps * width * 8 * 8);
            let is_right = bytes.is_none_or(|bytes| bytes == plan.bytes_moved());
            assert!(is_right, "{name}, {steps} steps: {plan}");
        }
        assert_eq!(bits(&all), bits(&one), "{name}");
    }
}

#[test]
fn borders_that_are_wide_beside_their_blocks_are_moved_step_by_step() {
    let mesh = Mesh::processors(4).unwrap();
    // Blocks of eight rows: four more on both sides together are computed, and no others.
    let x = DeviceArray::<f64>::arange_to(64.0).reshape([32, 2]);
    x.eval().unwrap();
    let (mut one, mut over) = (x.clone(), x.to(mesh.shard(0)).unwrap());
    let step: Sweep = |u| u.roll(1, 0) + u.roll(-1, 0);
    let mut waits = Vec::new();
    for _ in 0..9 {
        (one, over) = (step(&one), step(&over));
        waits.push(explain(&[&over]).moves() / 8);
    }
    // Two steps' borders are computed beside the last one's block; the next ones begin anew.
    assert_eq!(waits, [1, 1, 1, 2, 2, 2, 3, 3, 3]);
    let before = lazuli::counters();
    over.eval().unwrap();
    // Each step is at most three kernels on each share: its block and the rows of two sides.
    let kernels = lazuli::counters().kernels - before.kernels;
    assert!(kernels <= 9 * 4 * 3, "{kernels}");
    assert_eq!(bits(&over), bits(&one));
}

/// A random step that reads near rows, of two arrays that have one shape.
fn step(
    rng: &mut Rng,
    a: &DeviceArray<f64>,
    b: &DeviceArray<f64>,
    axis: usize,
) -> DeviceArray<f64> {
    let by = rng.below(5) as isize - 2;
    let n = a.shape()[axis];
    let rows = |a: &DeviceArray<f64>, from: usize, to: usize| match axis {
        0 => a.slice(s![from..to, ..]),
        _ => a.slice(s![.., from..to]),
    };
    let side = |low: usize, high: usize| match axis {
        0 => [(low, high), (0, 0)],
        _ => [(0, 0), (low, high)],
    };
    match rng.below(10) {
        0 | 1 => a.roll(by, axis) + b,
        2 => a.roll(by, axis) - b.roll(-by, axis),
        3 => a.pad(&side(2, 0), PadMode::Constant(1.5)).narrow_like(a, axis) + b,
        4 => rows(&a.pad(&side(1, 1), PadMode::Edge), 2, n + 2) - a,
        5 if n > 4 => {
            let mut c = a.clone();
            let inner = rows(b, 0, n - 3) * 0.5 + rows(b, 3, n);
            match axis {
                0 => c.assign(s![1..-2, ..], inner),
                _ => c.assign(s![.., 1..-2], inner),
            }
            c
        }
        6 => middle::call(a, a.roll(1, axis), b),
        7 if n > 1 => lazuli::concatenate(&[&rows(a, 1, n), &rows(b, 0, 1)], axis as isize),
        8 => a.maximum(b).flip(axis).flip(axis) + a.roll(by, axis),
        _ => lazuli::select(&a.less(b), a, &b.roll(by, axis)),
    }
}

/// The first rows of an array, as many as another one has.
trait Narrow {
    fn narrow_like(&self, like: &Self, axis: usize) -> Self;
}

impl Narrow for DeviceArray<f64> {
    fn narrow_like(&self, like: &Self, axis: usize) -> Self {
        let n = like.shape()[axis];
        match axis {
            0 => self.slice(s![..n, ..]),
            _ => self.slice(s![.., ..n]),
        }
    }
}

/// A program of so many random steps: the last array, and one from the middle.
fn program(seed: u64, x: &DeviceArray<f64>, axis: usize, steps: usize) -> Vec<DeviceArray<f64>> {
    let mut rng = Rng(seed);
    let mut live = [x.clone(), x * 0.5];
    let mut middle = None;
    for k in 0..steps {
        let (a, b) = (rng.below(2), rng.below(2));
        let next = step(&mut rng, &live[a], &live[b], axis);
        if k == steps / 2 && rng.one_in(2) {
            middle = Some(next.clone());
        }
        let place = rng.below(2);
        live[place] = next;
    }
    let sum = &live[0] + &live[1];
    middle.into_iter().chain([sum]).collect()
}

#[test]
fn random_steps_have_the_bits_of_one_device() {
    for device in devices() {
        let programs = if device.is_cuda() { 6 } else { 60 };
        device.scope(|| {
            for (k, mesh) in meshes(device).into_iter().enumerate() {
                for seed in 0..programs {
                    let mut rng = Rng(1000 * k as u64 + seed + 1);
                    let axis = rng.below(2);
                    let mut shape = [3, 3];
                    shape[axis] = rng.pick(&[1, 2, 7, 40, 130, 200]);
                    let x = values(&mut rng, shape);
                    let steps = 1 + rng.below(9);
                    let expected = program(seed, &x, axis, steps);
                    // At first, when it is written down, and when it is done again.
                    for turn in 0..3 {
                        let over = x.to(mesh.shard(axis)).unwrap();
                        let own = program(seed, &over, axis, steps);
                        let list: Vec<&dyn AnyArray> = own.iter().map(|a| a as _).collect();
                        eval(&list).unwrap();
                        for (own, expected) in own.iter().zip(&expected) {
                            let what =
                                format!("program {seed}, {shape:?} along {axis}, turn {turn}");
                            assert_eq!(bits(own), bits(expected), "{what}, {} shares", mesh.len());
                        }
                    }
                }
            }
        });
    }
}
