//! The coroutine engine, on kernels that meet at barriers in many ways.

use super::engine::{Failure, Shape, run};
use super::stops::Fault;
use super::*;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn shape(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Shape {
    Shape { grid: grid.into(), block: block.into(), dynamic: 0 }
}

fn ok(shape: Shape, body: impl Fn(Block<'_>) + Sync) {
    if let Err(failure) = run(shape, &body) {
        panic!("{}", text(failure));
    }
}

fn text(failure: Failure) -> String {
    match failure {
        Failure::Panic { caught, thread, block } => {
            let why = match caught.payload.downcast::<Fault>() {
                Ok(fault) => fault.0,
                Err(other) => (*other.downcast::<&str>().expect("a message")).to_string(),
            };
            format!("{thread} {block} {why}")
        }
        Failure::Stuck { why, block } => format!("{block} {why}"),
        Failure::Stack(why) => why.to_string(),
    }
}

fn stuck(shape: Shape, body: impl Fn(Block<'_>) + Sync) -> String {
    text(run(shape, &body).expect_err("the kernel cannot end"))
}

fn array<'k, T: crate::dtype::Element, const N: usize>(
    values: &'k mut [T],
    shape: [usize; N],
) -> ArrayMut<'k, T, N> {
    // SAFETY: the slice is borrowed for as long as the array lives.
    unsafe { ArrayMut::new(values.as_mut_ptr() as u64, shape, "out") }
}

/// A small generator of random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn within(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }
}

#[test]
fn every_thread_runs_once_and_knows_its_place() {
    let cases: [(Dim3, Dim3); 5] = [
        (1.into(), 1.into()),
        (7.into(), 33.into()),
        ((3, 5).into(), (4, 8).into()),
        ((2, 3, 4).into(), (5, 3, 2).into()),
        ((1, 1, 9).into(), (1, 1, 64).into()),
    ];
    for (grid_shape, block) in cases {
        let all = grid_shape.count() * block.count();
        let mut seen = vec![0u32; all];
        let seen = array(&mut seen, [all]);
        ok(shape(grid_shape, block), |_| {
            assert_eq!((grid_dim(), block_dim()), (grid_shape, block));
            let ((x, y, z), (nx, ny, _)) = (grid::<3>(), grid_size::<3>());
            assert_eq!(grid::<2>(), (x, y));
            assert_eq!((grid::<1>(), grid_size::<1>()), (x, nx));
            seen.atomic_add(x + nx * (y + ny * z), 1);
        });
        assert!((0..all).all(|k| seen.get(k) == 1));
    }
    assert_eq!((thread_idx(), grid_dim()), (Dim3::new(0, 0, 0), Dim3::new(1, 1, 1)));
}

#[test]
fn an_empty_grid_runs_nothing() {
    ok(shape((0, 5), 3), |_| unreachable!("there is no thread"));
}

/// A sum in shared memory, halving the threads that work.
#[test]
fn blocks_sum_in_shared_memory() {
    let mut random = Random(1);
    for _ in 0..12 {
        let blocks = random.within(1, 9);
        let x: Vec<f64> = (0..blocks * 128).map(|_| (random.next() % 1000) as f64).collect();
        let mut sums = vec![f64::NAN; blocks];
        let out = array(&mut sums, [blocks]);
        ok(shape(blocks, 128), |memory| {
            let tile = memory.shared::<[f64; 128]>();
            let t = thread_idx().x;
            tile.set(t, x[grid::<1>()]);
            sync_threads();
            let mut half = 64;
            while half > 0 {
                if t < half {
                    tile.set(t, tile.get(t) + tile.get(t + half));
                }
                sync_threads();
                half /= 2;
            }
            if t == 0 {
                out.set(block_idx().x, tile.get(0));
            }
        });
        let wanted: Vec<f64> = x.chunks(128).map(|c| c.iter().sum()).collect();
        assert_eq!(sums, wanted);
    }
}

#[test]
fn tiles_transpose_matrices_of_any_shape() {
    let mut random = Random(2);
    for _ in 0..8 {
        let (rows, columns) = (random.within(1, 50), random.within(1, 50));
        let a: Vec<i32> = (0..(rows * columns) as i32).collect();
        let mut b = vec![-1; rows * columns];
        let out = array(&mut b, [columns, rows]);
        ok(shape((columns.div_ceil(16), rows.div_ceil(16)), (16, 16)), |memory| {
            let tile = memory.shared::<[[i32; 17]; 16]>();
            let (at, block) = (thread_idx(), block_idx());
            let (x, y) = grid::<2>();
            if x < columns && y < rows {
                tile.set((at.y, at.x), a[y * columns + x]);
            }
            sync_threads();
            let (x, y) = (block.y * 16 + at.x, block.x * 16 + at.y);
            if x < rows && y < columns {
                out.set((y, x), tile.get((at.x, at.y)));
            }
        });
        for (k, &value) in b.iter().enumerate() {
            assert_eq!(value as usize, k % rows * columns + k / rows);
        }
    }
}

#[test]
fn histograms_by_atomics_count_everything() {
    let mut random = Random(3);
    let x: Vec<usize> = (0..10_000).map(|_| random.within(0, 31)).collect();
    let mut wanted = vec![0u32; 32];
    x.iter().for_each(|&k| wanted[k] += 1);
    let mut counts = vec![0u32; 32];
    let out = array(&mut counts, [32]);
    ok(shape(13, 96), |memory| {
        let local = memory.shared::<[u32; 32]>();
        let t = thread_idx().x;
        if t < 32 {
            local.set(t, 0);
        }
        sync_threads();
        let mut k = grid::<1>();
        while k < x.len() {
            local.atomic_add(x[k], 1);
            k += grid_size::<1>();
        }
        sync_threads();
        if t < 32 {
            out.atomic_add(t, local.get(t));
        }
    });
    assert_eq!(counts, wanted);
}

/// A prefix sum by doubling, two barriers a step, in dynamic shared memory.
#[test]
fn scans_with_barriers() {
    let mut random = Random(4);
    for _ in 0..10 {
        let n = random.within(1, 300);
        let x: Vec<i64> = (0..n).map(|_| random.next() as i64 >> 32).collect();
        let mut y = vec![0i64; n];
        let out = array(&mut y, [n]);
        let launch = Shape { dynamic: n * 8, ..shape(1, n) };
        ok(launch, |memory| {
            let row = memory.dynamic_shared::<i64>();
            let t = thread_idx().x;
            assert_eq!(row.len(), n);
            row.set(t, x[t]);
            let mut by = 1;
            sync_threads();
            while by < n {
                let add = if t >= by { row.get(t - by) } else { 0 };
                sync_threads();
                row.set(t, row.get(t) + add);
                sync_threads();
                by *= 2;
            }
            out.set(t, row.get(t));
        });
        let mut sum = 0;
        let wanted: Vec<i64> = x.iter().map(|v| (sum += v, sum).1).collect();
        assert_eq!(y, wanted);
    }
}

#[test]
fn lanes_shuffle_and_vote() {
    let results = Mutex::new(Vec::new());
    ok(shape(1, 70), |_| {
        let (t, lane) = (thread_idx().x, lane_index());
        let mut total = t as f64;
        for by in [16u32, 8, 4, 2, 1] {
            total += shuffle_xor(total, by);
        }
        let down = shuffle_down(t as u8, 3);
        let up = shuffle_up(t as u64, 30);
        let first = shuffle(num_complex::Complex::new(t as f64, -1.0), 0);
        let odd = ballot(lane % 2 == 1);
        assert_eq!((any(lane == 5), all(lane < 32), any(lane > 31)), (true, true, false));
        assert_eq!(sync_threads_count(t % 3 == 0), 24);
        assert!(sync_threads_all(t < 70) && !sync_threads_any(t > 70));
        if t < 64 {
            let warp = t / 32 * 32;
            assert_eq!(total, (warp..warp + 32).sum::<usize>() as f64);
            assert_eq!(usize::from(down), if lane < 29 { t + 3 } else { t });
            assert_eq!(up as usize, if lane >= 30 { t - 30 } else { t });
            assert_eq!(first.re, warp as f64);
            assert_eq!(odd, 0xaaaa_aaaa);
        } else {
            // Six lanes are there; what the others would bring is the own value.
            assert_eq!(odd, 0b10_1010);
            assert_eq!(active_mask(), 0b11_1111);
        }
        results.lock().push(t);
    });
    assert_eq!(results.into_inner().len(), 70);
}

#[test]
fn lanes_in_different_branches_meet_their_own() {
    ok(shape(2, 64), |_| {
        let lane = lane_index();
        if lane % 3 == 0 {
            let mask = ballot(true);
            assert_eq!(mask, (0..32).step_by(3).fold(0, |m, k| m | 1 << k));
            // Turns that some of the lanes leave earlier.
            for turn in 0..lane {
                let mask = active_mask();
                assert!(mask >> lane & 1 == 1 && mask >> turn.min(turn / 3 * 3) != 0);
            }
        } else {
            assert_eq!(shuffle_xor(lane as u32, 0), lane as u32);
        }
        sync_threads();
    });
}

#[test]
fn threads_that_end_early_do_not_hold_up_those_without_barriers() {
    let sum = AtomicU64::new(0);
    ok(shape(5, 50), |_| {
        if thread_idx().x % 2 == 0 {
            return;
        }
        sum.fetch_add(shuffle_down(1, 2), Relaxed);
    });
    assert_eq!(sum.into_inner(), 5 * 25);
}

#[test]
fn barriers_that_some_threads_miss_are_reported() {
    let why = stuck(shape((1, 3), 40), |_| {
        if thread_idx().x < 30 {
            sync_threads();
        }
    });
    assert!(why.contains("30 of the 40 threads wait at the barrier at "), "{why}");
    assert!(why.contains("engine_tests.rs:") && why.contains("thread (30, 0, 0)"), "{why}");
    let why = stuck(shape(1, 2), |_| match thread_idx().x {
        0 => sync_threads(),
        _ => sync_threads(),
    });
    assert!(why.contains("and thread (1, 0, 0) at that at"), "{why}");
}

#[test]
fn a_panic_names_its_thread_and_ends_the_others() {
    let why = stuck(shape((4, 2), (8, 4)), |_| {
        sync_threads();
        if block_idx() == Dim3::new(3, 1, 0) && thread_idx() == Dim3::new(5, 2, 0) {
            Fault::raise("enough".into());
        }
        sync_threads();
    });
    assert_eq!(why, "(5, 2, 0) (3, 1, 0) enough");
    // The machinery is as good as new.
    ok(shape(4, 64), |_| sync_threads());
}

#[test]
fn places_out_of_range_are_named() {
    let mut values = vec![0.0f32; 6];
    let out = array(&mut values, [2, 3]);
    let why = stuck(shape(1, 4), |_| out.set((0, thread_idx().x), 1.0));
    assert_eq!(why, "(3, 0, 0) (0, 0, 0) out[(0, 3)] is out of range of shape [2, 3]");
    assert_eq!(values, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let out = array(&mut values, [6]);
    let why = stuck(shape(1, 1), |_| _ = out.get(-2));
    assert!(why.ends_with("out[(-2)] is out of range of shape [6]"), "{why}");
    let why = stuck(shape(1, 1), |memory| _ = memory.shared::<[u8; 4]>().get(4u8));
    assert!(why.ends_with("shared[(4)] is out of range of shape [4]"), "{why}");
    let why = stuck(shape(1, 1), |memory| {
        let (a, b) = (memory.shared::<[f64; 4096]>(), memory.shared::<[[f64; 64]; 33]>());
        a.set(0, b.get((0, 0)));
    });
    assert!(why.contains("a block has at most 49152"), "{why}");
}

#[test]
fn shared_memory_begins_undefined_in_every_block() {
    ok(shape(6, 1), |memory| {
        let (a, b, c) = (
            memory.shared::<[f32; 3]>(),
            memory.shared::<[i64; 2]>(),
            memory.shared::<[bool; 5]>(),
        );
        assert!(a.get(2).is_nan() && b.get(1) == -1 && !c.get(4));
        a.set(2, 1.0);
        b.set(1, 2);
        c.set(4, true);
    });
}

#[test]
fn atomics_of_every_type_do_what_they_say() {
    macro_rules! check {
        ($($t:ty: $v:expr;)*) => {$(
            let v = $v;
            let mut values = vec![v(3)];
            let a = array::<$t, 1>(&mut values, [1]);
            assert_eq!(a.atomic_add(0, v(4)), v(3));
            assert_eq!(a.atomic_sub(0, v(2)), v(7));
            assert_eq!(a.atomic_min(0, v(9)), v(5));
            assert_eq!(a.atomic_max(0, v(9)), v(5));
            assert_eq!(a.atomic_exchange(0, v(1)), v(9));
            assert_eq!(a.atomic_compare_exchange(0, v(2), v(6)), v(1));
            assert_eq!(a.atomic_compare_exchange(0, v(1), v(6)), v(1));
            assert_eq!(a.get(0), v(6));
        )*};
    }
    check! {
        i32: |v: i8| i32::from(v);
        u32: |v: i8| v as u32;
        i64: |v: i8| i64::from(v);
        u64: |v: i8| v as u64;
        f32: |v: i8| f32::from(v);
        f64: |v: i8| f64::from(v);
        half::f16: |v: i8| half::f16::from_f32(f32::from(v));
        half::bf16: |v: i8| half::bf16::from_f32(f32::from(v));
    }
    let mut bits = vec![0b1100u32];
    let a = array(&mut bits, [1]);
    assert_eq!((a.atomic_and(0, 0b0110), a.atomic_or(0, 1), a.atomic_xor(0, 0b1111)), (12, 4, 5));
    assert_eq!(a.get(0), 0b1010);
}
