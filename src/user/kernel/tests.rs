//! Kernels written with the attribute, on the processor, in the emulator of GPUs, and on the GPU
//! where there is one.

use super::cuda::{self, Class};
use super::options::Sizes;
use super::param::Bound;
use super::*;
use crate::backend::cuda::compile::{Arch, CompileOptions, compile_to_cubin, nvrtc_is_here};
use crate::backend::cuda::emulator;
use crate::backend::cuda::prelude::with_prelude;
use crate::backend::faults;
use crate::prelude::*;
use crate::user::code::Describe;
use std::cell::Cell;

thread_local! {
    static EMULATING: Cell<bool> = const { Cell::new(false) };
}

/// Whether launches of this thread go to the emulator.
pub(super) fn is_emulating() -> bool {
    EMULATING.get()
}

/// Runs the C++ of a kernel on the processor; arrays of the processor are where it expects them.
pub(super) fn emulate(sizes: &Sizes, bound: &Bound, describe: fn(&mut Describe)) -> Result<()> {
    let class = Class::of(sizes, bound);
    let source = with_prelude(&cuda::source(bound, class, describe));
    if nvrtc_is_here() {
        compile_to_cubin(&source, Arch::new(9, 0), &CompileOptions::default())?;
    }
    // As many words as a record has, aligned as it is.
    let mut record = [0u128; faults::WORDS / 4];
    let mut argument = cuda::argument(sizes, bound, class, record.as_mut_ptr() as u64);
    let numbers = |d: Dim3| [d.x as u32, d.y as u32, d.z as u32];
    let (grid, block) = (numbers(sizes.grid), numbers(sizes.block));
    let (entry, shared) = (cuda::entry(bound), sizes.options.shared);
    emulator::run(&source, &entry, grid, block, shared, &mut argument).map_err(Error::device)?;
    let words: [u32; faults::WORDS] =
        std::array::from_fn(|k| (record[k / 4] >> (k % 4 * 32)) as u32);
    if words[0] == faults::COMPLETE { Err(cuda::explain(&words)) } else { Ok(()) }
}

/// Where a test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Processor,
    Emulator,
    Gpu,
}

/// Runs a test in each place that there is.
pub(crate) fn everywhere(test: impl Fn(Place)) {
    Device::cpu().scope(|| test(Place::Processor));
    if emulator::available() {
        EMULATING.set(true);
        Device::cpu().scope(|| test(Place::Emulator));
        EMULATING.set(false);
    }
    match Device::cuda(0) {
        Ok(gpu) => gpu.scope(|| test(Place::Gpu)),
        Err(why) => {
            let required = std::env::var("LAZULI_REQUIRE_GPU").is_ok_and(|v| v == "1");
            assert!(!required, "LAZULI_REQUIRE_GPU is set, and there is no GPU: {why}");
        }
    }
}

/// An array with the values of a function of the position in C order.
pub(super) fn filled<T: Element>(shape: &[usize], value: impl Fn(usize) -> T) -> DeviceArray<T> {
    let len = shape.iter().product();
    DeviceArray::from_vec(shape, (0..len).map(value).collect()).unwrap()
}

#[kernel]
fn scaled<T: Float>(x: Array<T, 1>, factor: T, y: ArrayMut<T, 1>) {
    let i = grid::<1>();
    if i < x.len() {
        y[i] = x[i] * factor;
    }
}

#[kernel]
fn scale_in_place(x: ArrayMut<f64, 1>, factor: f64) {
    let i = grid::<1>();
    if i < x.len() {
        x[i] *= factor;
    }
}

#[test]
fn one_thread_an_element_and_kernels_in_a_chain() {
    everywhere(|place| {
        let x = filled(&[1000], |i| i as f64);
        let mut y = DeviceArray::<f64>::zeros([1000]);
        y.eval().unwrap();
        let before = crate::counters();
        scaled.launch(4, 256, (&x, 2.0, &mut y)).unwrap();
        scale_in_place.launch(4, 256, (&mut y, 0.5)).unwrap();
        scale_in_place.launch((8, 1), (125, 1), (&mut y, 3.0)).unwrap();
        let after = crate::counters();
        if place != Place::Emulator {
            assert_eq!(after.kernels - before.kernels, 3);
        }
        assert_eq!(after.allocated, before.allocated, "nothing is copied on the way");
        assert_eq!((&y - &x * 3.0).abs().max(..).item().unwrap(), 0.0);
        let halves = filled(&[7], |i| f16::from_f32(i as f32));
        let mut doubled = DeviceArray::<f16>::zeros([7]);
        scaled.launch(1, 32, (&halves, f16::from_f32(2.0), &mut doubled)).unwrap();
        assert_eq!(doubled.sum(..).item().unwrap().to_f32(), 42.0);
    });
}

#[test]
fn written_arrays_are_the_writers_own() {
    everywhere(|_| {
        let mut y = filled(&[4], |i| i as f64);
        let (seen, later) = (y.clone(), &y + 10.0);
        scale_in_place.launch(1, 4, (&mut y, -1.0)).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(later.to_vec().unwrap(), [10.0, 11.0, 12.0, 13.0]);
        assert_eq!((&y * 2.0).to_vec().unwrap(), [0.0, -2.0, -4.0, -6.0]);
        // An expression is evaluated before, one recorded on the result afterwards.
        let mut z = DeviceArray::<f64>::linspace(0.0, 3.0, 4) + 1.0;
        scale_in_place.launch(1, 4, (&mut z, 2.0)).unwrap();
        assert_eq!(z.cumulative(), 20.0);
        let mut rows = filled(&[2, 2], |i| i as f64).reshape([4]);
        scale_in_place.launch(2, 2, (&mut rows, 3.0)).unwrap();
        assert_eq!(rows.to_vec().unwrap(), [0.0, 3.0, 6.0, 9.0]);
    });
}

trait Cumulative {
    fn cumulative(&self) -> f64;
}
impl Cumulative for DeviceArray<f64> {
    fn cumulative(&self) -> f64 {
        self.sum(..).item().unwrap()
    }
}

const TILE: usize = 8;

#[kernel]
fn product(a: Array<f32, 2>, b: Array<f32, 2>, c: ArrayMut<f32, 2>) {
    let tile_a = shared::<[[f32; TILE]; TILE]>();
    let tile_b: Shared<[[f32; TILE]; TILE]> = shared();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (x, y) = grid::<2>();
    let (rows, inner, columns) = (a.shape(0), a.shape(1), b.shape(1));
    let mut sum = 0.0;
    for first in (0..inner).step_by(TILE) {
        tile_a[(ty, tx)] = if y < rows && first + tx < inner { a[(y, first + tx)] } else { 0.0 };
        tile_b[[ty, tx]] = if first + ty < inner && x < columns { b[(first + ty, x)] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += tile_a[(ty, k)] * tile_b[(k, tx)];
        }
        sync_threads();
    }
    if x < columns && y < rows {
        c[(y, x)] = sum;
    }
}

#[test]
fn products_by_tiles_in_shared_memory() {
    everywhere(|_| {
        for (rows, inner, columns) in [(1, 1, 1), (8, 8, 8), (13, 21, 10), (30, 3, 17)] {
            let a = filled(&[rows, inner], |i| (i % 7) as f32 - 3.0);
            let b = filled(&[inner, columns], |i| (i % 5) as f32);
            let mut c = DeviceArray::<f32>::full([rows, columns], -1.0);
            let blocks = (columns.div_ceil(TILE), rows.div_ceil(TILE));
            product.launch(blocks, (TILE, TILE), (&a, &b, &mut c)).unwrap();
            let wanted = (a.insert_axis(2) * b.insert_axis(0)).sum(1);
            assert_eq!(c.to_vec().unwrap(), wanted.to_vec().unwrap());
        }
    });
}

#[device]
fn steps(c: Complex<f64>, most: u32) -> u32 {
    let mut z = Complex::new(0.0, 0.0);
    for step in 0..most {
        z = z * z + c;
        if z.norm_sqr() >= 4.0 {
            return step;
        }
    }
    most
}

#[kernel]
fn mandelbrot(low: Complex<f64>, step: Complex<f64>, image: ArrayMut<u8, 2>, most: u32) {
    let (height, width) = (image.shape(0), image.shape(1));
    let (start, size) = (grid::<2>(), grid_size::<2>());
    for x in (start.0..width).step_by(size.0) {
        for y in (start.1..height).step_by(size.1) {
            let c = Complex::new(low.re + x as f64 * step.re, low.im + y as f64 * step.im);
            image[(y, x)] = steps(c, most) as u8;
        }
    }
}

#[test]
fn device_functions_return_early_from_kernels() {
    everywhere(|_| {
        let mut image = DeviceArray::<u8>::zeros([48, 60]);
        let (low, step) = (Complex::new(-2.0, -1.0), Complex::new(0.0625, 0.0625));
        mandelbrot.launch((2, 3), (16, 4), (low, step, &mut image, 20)).unwrap();
        let at =
            |k: usize| Complex::new(-2.0 + (k % 60) as f64 / 16.0, -1.0 + (k / 60) as f64 / 16.0);
        let wanted: Vec<u8> = (0..48 * 60).map(|k| steps(at(k), 20) as u8).collect();
        assert_eq!(image.to_vec().unwrap(), wanted);
    });
}

/// Loops up to lengths, from and by numbers of any size.
#[kernel]
fn counted(x: Array<i64, 1>, y: Array<i64, 2>, start: usize, by: usize, sums: ArrayMut<i64, 1>) {
    let (n, half) = (x.len(), x.len() / 2);
    let mut all = [0i64; 6];
    for i in (start..n).step_by(by) {
        all[0] += x[i];
    }
    for i in start..half {
        all[1] += x[i] - i as i64;
    }
    for i in (start..x.len().min(y.shape(1))).step_by(by) {
        all[2] += x[i] * (i as i64 + 1);
    }
    for i in (start.min(3)..y.shape(0)).step_by(by) {
        for j in start..y.shape(1) {
            all[3] += y[(i, j)];
        }
    }
    for i in start..x.len() % 7 {
        all[4] += x[i];
    }
    for i in (start..=half).rev().step_by(by) {
        all[5] += x[i];
    }
    for k in 0..6 {
        sums[k] = all[k];
    }
}

#[test]
fn loops_up_to_a_length_begin_and_step_anywhere() {
    let big = [1 << 31, (1 << 31) - 1, 1 << 32, (1 << 32) + 3, 1 << 40, usize::MAX];
    let (starts, steps) = ([0, 1, 4, 36, 37, 38], [1, 2, 7, 37]);
    everywhere(|_| {
        let x: Vec<i64> = (0..37).map(|k| k * k - 300).collect();
        let y: Vec<i64> = (0..5 * 23).map(|k| k * 7 % 31).collect();
        let rows = DeviceArray::from_vec([5, 23], y.clone()).unwrap();
        let column = DeviceArray::from_slice(&x).unwrap();
        for &start in starts.iter().chain(&big) {
            for &by in steps.iter().chain(&big) {
                let mut sums = DeviceArray::<i64>::zeros([6]);
                counted.launch(1, 1, (&column, &rows, start, by, &mut sums)).unwrap();
                let sum = |end: usize, by: usize, of: &dyn Fn(usize) -> i64| {
                    (start..end).step_by(by).map(of).sum::<i64>()
                };
                let columns = |i: usize| sum(23, 1, &|j| y[i * 23 + j]);
                let wanted = [
                    sum(37, by, &|i| x[i]),
                    sum(18, 1, &|i| x[i] - i as i64),
                    sum(23, by, &|i| x[i] * (i as i64 + 1)),
                    (start.min(3)..5).step_by(by).map(columns).sum(),
                    sum(2, 1, &|i| x[i]),
                    (start..=18).rev().step_by(by).map(|i| x[i]).sum(),
                ];
                assert_eq!(sums.to_vec().unwrap(), wanted, "from {start} by {by}");
            }
        }
    });
}

#[device]
fn warp_sum<T: Float>(mut value: T) -> T {
    let mut by = 16;
    while by > 0 {
        value = value + shuffle_down(value, by);
        by /= 2;
    }
    value
}

/// The sum of each block, by shuffles in the warps and shared memory between them.
#[kernel]
fn block_sums<T: Float>(x: Array<T, 1>, sums: ArrayMut<T, 1>) {
    let warps = shared::<[T; 32]>();
    let i = grid::<1>();
    let mut value = if i < x.len() { x[i] } else { T::from_f64(0.0) };
    value = warp_sum(value);
    let (t, lane) = (thread_idx().x, lane_index());
    if lane == 0 {
        warps[t / WARP] = value;
    }
    sync_threads();
    if t < WARP {
        value = if t < block_dim().x / WARP { warps[t] } else { T::from_f64(0.0) };
        value = warp_sum(value);
        if t == 0 {
            sums[block_idx().x] = value;
        }
    }
}

#[test]
fn sums_by_shuffles_and_shared_memory() {
    everywhere(|_| {
        for n in [1usize, 64, 200, 777] {
            let blocks = n.div_ceil(128);
            let x = filled(&[n], |i| (i % 10) as f64);
            let mut sums = DeviceArray::<f64>::zeros([blocks]);
            block_sums.launch(blocks, 128, (&x, &mut sums)).unwrap();
            assert_eq!(sums.cumulative(), x.cumulative());
            let (singles, mut sums) = (x.cast::<f32>(), DeviceArray::<f32>::zeros([blocks]));
            block_sums.launch(blocks, 128, (&singles, &mut sums)).unwrap();
            assert_eq!(f64::from(sums.sum(..).item().unwrap()), x.cumulative());
        }
    });
}

#[kernel]
fn histogram(x: Array<u8, 1>, counts: ArrayMut<u32, 1>) {
    let local = shared::<[u32; 16]>();
    let t = thread_idx().x;
    if t < 16 {
        local[t] = 0;
    }
    sync_threads();
    let mut i = grid::<1>();
    while i < x.len() {
        local.atomic_add(x[i] % 16, 1);
        i += grid_size::<1>();
    }
    sync_threads();
    if t < local.len() {
        counts.atomic_add(t, local[t]);
    }
}

#[kernel]
fn scan(x: Array<i64, 1>, y: ArrayMut<i64, 1>) {
    let row = dynamic_shared::<i64>();
    let t = thread_idx().x;
    row[t] = x[t];
    sync_threads();
    let mut by = 1;
    while by < row.len() {
        let add = if t >= by { row[t - by] } else { 0 };
        sync_threads();
        row[t] += add;
        sync_threads();
        by *= 2;
    }
    y[t] = row[t];
}

#[test]
fn histograms_and_scans() {
    everywhere(|_| {
        let x = filled(&[3000], |i| (i * i % 251) as u8);
        let mut counts = DeviceArray::<u32>::zeros([16]);
        histogram.launch(5, 64, (&x, &mut counts)).unwrap();
        let mut wanted = vec![0u32; 16];
        (0..3000usize).for_each(|i| wanted[i * i % 251 % 16] += 1);
        assert_eq!(counts.to_vec().unwrap(), wanted);
        let x = filled(&[100], |i| i as i64 - 30);
        let mut y = DeviceArray::<i64>::zeros([100]);
        scan.dynamic_shared(800).launch(1, 100, (&x, &mut y)).unwrap();
        let wanted: Vec<i64> = (0..100i64).map(|i| (0..=i).map(|k| k - 30).sum()).collect();
        assert_eq!(y.to_vec().unwrap(), wanted);
    });
}

/// Every assignment, names that hide arrays, indices of several types, printing.
#[kernel]
fn assignments(x: Array<i32, 1>, y: ArrayMut<i32, 2>, mut first: i32) {
    let i = thread_idx().x as i32;
    println!("thread {i}: {} {}", x[i], y[(0, i)]);
    debug_assert!(x[i] >= 0, "{}", x[i]);
    y[(0, i)] = x[i] + first;
    y[(1, i)] += x[i];
    y[(2, i)] -= 2 * x[x[i] % 4];
    y[(3, i)] *= 3;
    y[(4, i)] /= 2;
    y[(5, i)] %= 3;
    y[[6, i]] ^= 5;
    y[[7, i]] &= 6;
    y[(8u32, i as usize)] |= 9;
    y[(9, i as u8)] <<= 2;
    y[(10, i)] >>= 1;
    first += 1;
    {
        let mut y = [7, 8];
        y[1] += y[0];
        for x in [1, 2] {
            y[0] += x;
        }
        first += y[0] * 100 + y[1];
    }
    y.set((11, i), y.get((11, i)) + first);
    let old = y.atomic_max((12, 0), i);
    if old > 100 {
        y[(13, i)] = old;
    } else {
        y[(13, i)] = y.shape(1) as i32 + y.len() as i32 + if y.is_empty() { 1 } else { 0 };
    }
}

#[test]
fn assignments_do_what_those_of_rust_do() {
    everywhere(|_| {
        let x = filled(&[4], |i| i as i32);
        let mut y = filled(&[14, 4], |i| i as i32 - 5);
        assignments.launch(1, 4, (&x, &mut y, 1000)).unwrap();
        let got = y.to_vec().unwrap();
        for i in 0..4i32 {
            let at = |k: i32| k * 4 + i - 5;
            let row = [
                i + 1000,
                at(1) + i,
                at(2) - 2 * (i % 4),
                at(3) * 3,
                at(4) / 2,
                at(5) % 3,
                at(6) ^ 5,
                at(7) & 6,
                at(8) | 9,
                at(9) << 2,
                at(10) >> 1,
                at(11) + 1000 + 1 + 10 * 100 + 15,
            ];
            for (k, &wanted) in row.iter().enumerate() {
                assert_eq!(got[k * 4 + i as usize], wanted, "row {k}, column {i}");
            }
            assert_eq!(got[13 * 4 + i as usize], 4 + 56);
        }
        assert_eq!(got[48], 43);
    });
}

#[kernel]
fn ranks(
    zero: Array<f32, 0>,
    three: Array<i16, 3>,
    four: ArrayMut<Complex<f32>, 4>,
    one: ArrayMut<bool, 1>,
    scale: u8,
    offset: isize,
) {
    let (x, y, z) = grid::<3>();
    let value = three[(z, y, x)] as isize + offset;
    four[(z, y, x, 1)] = Complex::new(zero[()] * value as f32, scale as f32);
    if x == 0 {
        one[z * 3 + y] = value % 2 == 0 && !one[z * 3 + y];
    }
}

#[test]
fn arrays_of_any_rank_and_type() {
    everywhere(|_| {
        let zero = filled(&[], |_| 0.5f32);
        let three = filled(&[2, 3, 4], |i| i as i16);
        let mut four = DeviceArray::<Complex<f32>>::zeros([2, 3, 4, 2]);
        let mut one = DeviceArray::<bool>::zeros([6]);
        let args = (&zero, &three, &mut four, &mut one, 9, -1);
        ranks.launch((2, 3, 1), (2, 1, 2), args).unwrap();
        for (k, value) in four.to_vec().unwrap().into_iter().enumerate() {
            let wanted = Complex::new(0.5 * ((k / 2) as f32 - 1.0), 9.0);
            assert_eq!(value, if k % 2 == 1 { wanted } else { Complex::new(0.0, 0.0) });
        }
        let wanted: Vec<bool> = (0..6).map(|k| (k * 4 - 1) % 2 == 0).collect();
        assert_eq!(one.to_vec().unwrap(), wanted);
    });
}

#[kernel]
fn copied<T: Element>(from: Array<T, 1>, to: ArrayMut<T, 1>) {
    let row = shared::<[T; 64]>();
    let i = thread_idx().x;
    row[i] = from[i];
    sync_threads();
    to[i] = shuffle_xor(row[i ^ 1], 1);
}

#[test]
fn every_element_type_goes_through_shared_memory_and_shuffles() {
    macro_rules! check {
        ($($t:ty: $value:expr;)*) => {$({
            let from = filled::<$t>(&[64], $value);
            let mut to = DeviceArray::<$t>::zeros([64]);
            copied.launch(1, 64, (&from, &mut to)).unwrap();
            assert_eq!(to.to_vec().unwrap(), from.to_vec().unwrap());
        })*};
    }
    everywhere(|_| {
        check! {
            bool: |i| i % 3 == 0;
            i8: |i| i as i8 - 20;
            i16: |i| i as i16 * 500 - 1000;
            i64: |i| i as i64 - (1 << 40);
            u8: |i| i as u8 * 4;
            u32: |i| i as u32 | 1 << 31;
            f16: |i| f16::from_f32(i as f32 / 8.0);
            bf16: |i| bf16::from_f32(i as f32 * 2.0);
            f32: |i| i as f32 / 3.0;
            f64: |i| i as f64 / 7.0;
            Complex<f32>: |i| Complex::new(i as f32, -1.0);
            Complex<f64>: |i| Complex::new(0.1, i as f64);
        }
    });
}

#[kernel]
fn atomics<T: Atomic + Float>(a: ArrayMut<T, 1>, marks: ArrayMut<u64, 1>) {
    let t = thread_idx().x;
    let (one, value) = (T::from_f64(1.0), T::from_f64(t as f64));
    a.atomic_add(0, one);
    a.atomic_sub(1, one);
    a.atomic_min(2, value);
    a.atomic_max(3, value);
    let old = a.atomic_exchange(4, value);
    if old >= T::from_f64(0.0) {
        marks.atomic_add(0, 1);
    }
    // Exactly one thread finds what it looks for.
    if a.atomic_compare_exchange(5, T::from_f64(-1.0), value) == T::from_f64(-1.0) {
        marks.atomic_add(1, 1);
    }
    marks.atomic_or(2, 1 << t);
    marks.atomic_and(3, !(1 << t));
    marks.atomic_xor(4, 3 << t);
}

#[test]
fn atomics_lose_nothing() {
    fn check<T: Atomic + Float + lazuli::device::DeviceScalar>() {
        let start = [0.0, 0.0, 9.0, 9.0, -1.0, -1.0];
        let mut a = filled::<T>(&[6], |i| T::from_f64(start[i]));
        let mut marks = filled::<u64>(&[5], |i| if i == 3 { u64::MAX } else { 0 });
        atomics.launch(2, 32, (&mut a, &mut marks)).unwrap();
        let a: Vec<f64> = a.to_vec().unwrap().into_iter().map(|v| v.to_f64()).collect();
        assert_eq!(a[..4], [64.0, -64.0, 0.0, 31.0]);
        assert!(a[4] >= 0.0 && a[5] >= 0.0);
        let wanted = [63, 1, u64::from(u32::MAX), u64::MAX << 32, 0];
        assert_eq!(marks.to_vec().unwrap(), wanted);
    }
    everywhere(|_| {
        check::<f32>();
        check::<f64>();
        check::<bf16>();
        check::<f16>();
    });
}

#[kernel]
fn votes(out: ArrayMut<u32, 2>) {
    let t = thread_idx().x;
    out[(0, t)] = ballot(t % 3 == 0);
    out[(1, t)] = any(t == 40) as u32 + 2 * all(t < 64) as u32;
    out[(2, t)] = sync_threads_count(t < 10) as u32;
    out[(3, t)] = sync_threads_any(t == 63) as u32 + 2 * sync_threads_all(t != 63) as u32;
    out[(4, t)] = active_mask();
    out[(5, t)] = shuffle(t as u32, 7) + 100 * shuffle_up(t as u32, 2);
    sync_warp();
    thread_fence();
    thread_fence_block();
}

#[test]
fn lanes_vote() {
    everywhere(|_| {
        let mut out = DeviceArray::<u32>::zeros([6, 64]);
        votes.launch(1, 64, (&mut out,)).unwrap();
        let out = out.to_vec().unwrap();
        for t in 0..64usize {
            let warp = t / 32 * 32;
            let ballot = (0..32).filter(|k| (warp + k) % 3 == 0).fold(0, |m, k| m | 1u32 << k);
            let up = if t - warp >= 2 { t - 2 } else { t };
            let wanted =
                [ballot, u32::from(warp == 32) + 2, 10, 1, u32::MAX, (warp + 7 + 100 * up) as u32];
            assert_eq!([0, 1, 2, 3, 4, 5].map(|row| out[row * 64 + t]), wanted, "thread {t}");
        }
    });
}
