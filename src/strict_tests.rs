//! Strict arithmetic by any number of threads: what divides its work by their number in the default
//! arithmetic does not do so here.

use crate::backend::pool::with_threads;
use crate::prelude::*;
use crate::{Arithmetic, with_arithmetic};

/// Numbers without any order, between −1 and 1.
fn numbers(shape: &[usize]) -> DeviceArray<f64> {
    let mut state = 1u64;
    let mut one = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let values = (0..shape.iter().product()).map(|_| one()).collect();
    DeviceArray::from_vec(shape, values).expect("an upload")
}

/// The bits of everything that libraries compute, and of long sums and scans.
fn bits() -> Vec<Vec<u64>> {
    let (long, square) = (numbers(&[1 << 17]), numbers(&[150, 150]));
    let spectrum = crate::fft::fft(&long.cast::<Complex<f32>>());
    let (q, r) = square.qr();
    let (_, singular, _) = square.svd();
    let symmetric = &square + square.t();
    let (values, _) = symmetric.eigh();
    let half = crate::fft::rfft(&long).abs();
    let solved = square.solve(&numbers(&[150, 3]));
    let text = |a: &DeviceArray<f64>| {
        let values = a.to_vec().expect("an evaluation");
        values.into_iter().map(f64::to_bits).collect()
    };
    let doubles = [
        long.cumsum(0),
        long.sum(..) + long.square().mean(..),
        long.reshape([512, 256]).matmul(&long.reshape([256, 512])).sum(0),
        q,
        r,
        singular,
        values,
        half,
        solved,
    ];
    let mut all: Vec<Vec<u64>> = doubles.iter().map(text).collect();
    let spectrum = spectrum.to_vec().expect("an evaluation");
    let parts = spectrum.into_iter().flat_map(|z| [z.re, z.im]);
    all.push(parts.map(|x| u64::from(x.to_bits())).collect());
    all
}

#[test]
fn the_number_of_threads_does_not_matter() {
    Device::cpu().scope(|| {
        with_arithmetic(Arithmetic::Strict, || {
            let alone = with_threads(1, bits);
            for threads in [2, 5] {
                let shared = with_threads(threads, bits);
                for (k, (a, b)) in alone.iter().zip(shared).enumerate() {
                    assert!(*a == b, "number {k} by {threads} threads");
                }
            }
        });
    });
}
