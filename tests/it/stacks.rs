//! Functions whose locals no thread's own stack has room for.

use lazuli::gpu::*;
use lazuli::prelude::*;
use ndarray::{ArrayView1, ArrayViewMut0};

/// 16 MB of locals.
#[vectorize]
fn far_sum(x: i64) -> i64 {
    let mut numbers = [0i64; 2_097_152];
    for k in 0..2_097_152 {
        numbers[k] = x;
    }
    numbers[0] + numbers[1_000_000] + numbers[2_097_151]
}

/// A function that calls one with 16 MB of locals.
#[vectorize]
fn one_more(x: i64) -> i64 {
    far_sum(x) + 1
}

/// 400 KB of locals in each thread, of which some wait for the others with it.
#[kernel]
fn turned_around(x: ArrayMut<i64, 1>) {
    let i = thread_idx().x;
    let mut numbers = [0i64; 51_200];
    for k in 0..51_200 {
        numbers[k] = (i + k) as i64;
    }
    sync_threads();
    x[i] = numbers[51_199] - numbers[i];
}

/// 16 MB of locals for each item.
#[guvectorize("(n)->()")]
fn last_of_many(x: ArrayView1<i64>, mut out: ArrayViewMut0<i64>) {
    let mut numbers = [0i64; 2_097_152];
    let mut k = 0;
    while k < 2_097_152 {
        numbers[k] = x[k % x.len()];
        k += 1;
    }
    out[()] = numbers[2_097_151];
}

#[test]
fn megabytes_of_locals_have_room() {
    Device::cpu().scope(|| {
        // Fewer elements than run together, and enough for several threads.
        for n in [1, 3, 40] {
            let x = DeviceArray::<i64>::arange_to(n);
            let sums = far_sum::call(&x).to_vec().unwrap();
            assert_eq!(sums, (0..n).map(|x| 3 * x).collect::<Vec<_>>());
            let more = (one_more::call(&x) - 1).to_vec().unwrap();
            assert_eq!(more, sums);
            let rows = DeviceArray::<i64>::arange_to(3 * n).reshape([n as usize, 3]);
            let last = last_of_many::call(&rows).to_vec().unwrap();
            assert_eq!(last, (0..n).map(|row| 3 * row + 2_097_151 % 3).collect::<Vec<_>>());
        }
    });
}

#[test]
fn hundreds_of_kilobytes_of_locals_in_every_thread_of_a_block() {
    Device::cpu().scope(|| {
        let mut x = DeviceArray::<i64>::zeros([64]);
        turned_around.launch(1, 64, (&mut x,)).unwrap();
        assert_eq!(x.to_vec().unwrap(), (0..64).map(|i| 51_199 - i).collect::<Vec<i64>>());
    });
}
