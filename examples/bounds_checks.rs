//! What bounds checks cost in kernels: each kernel is launched with them and without, in turn.
//!
//! The three kernels are bound by three things: `scale` by the device's memory, `ring` by reads that
//! the caches answer, `product` by shared memory and arithmetic.
//!
//! ```sh
//! cargo run --release --example bounds_checks
//! ```
//!
//! It prints the milliseconds of a launch, the best of several rounds, and the ratio. On the
//! processor indices are always checked, and both are the same.

use lazuli::gpu::*;
use lazuli::prelude::*;
use std::time::Instant;

#[kernel]
fn scale(x: Array<f32, 1>, factor: f32, y: ArrayMut<f32, 1>) {
    let i = grid::<1>();
    if i < x.len() {
        y[i] = x[i] * factor;
    }
}

#[kernel]
fn ring(z: Array<f64, 1>, a: Array<f64, 1>, x: ArrayMut<f64, 1>) {
    let (i, n) = (grid::<1>(), z.len());
    if i < n {
        let mut at = i;
        let mut sum = 0.0;
        for k in 0..a.len() {
            sum += a[k] * z[at];
            at = if at == 0 { n - 1 } else { at - 1 };
        }
        x[i] = sum;
    }
}

const TILE: usize = 32;

#[kernel]
fn product(a: Array<f32, 2>, b: Array<f32, 2>, c: ArrayMut<f32, 2>) {
    let tile_a = shared::<[[f32; TILE]; TILE]>();
    let tile_b = shared::<[[f32; TILE]; TILE]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (x, y) = grid::<2>();
    let n = a.shape(0);
    let mut sum = 0.0;
    for first in (0..n).step_by(TILE) {
        let (column, row) = (first + tx, first + ty);
        tile_a[(ty, tx)] = if y < n && column < n { a[(y, column)] } else { 0.0 };
        tile_b[(ty, tx)] = if row < n && x < n { b[(row, x)] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += tile_a[(ty, k)] * tile_b[(k, tx)];
        }
        sync_threads();
    }
    if y < n && x < n {
        c[(y, x)] = sum;
    }
}

/// The milliseconds of one of several launches in a row.
fn time(launches: usize, launch: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let device = Device::current()?;
    device.synchronize()?;
    let begin = Instant::now();
    for _ in 0..launches {
        launch()?;
    }
    device.synchronize()?;
    Ok(begin.elapsed().as_secs_f64() * 1e3 / launches as f64)
}

/// Times both forms in turn and prints the best times.
fn compare(
    name: &str,
    launches: usize,
    mut checked: impl FnMut() -> Result<()>,
    mut unchecked: impl FnMut() -> Result<()>,
) -> Result<()> {
    let mut best = [f64::INFINITY; 2];
    for _ in 0..7 {
        best[0] = best[0].min(time(launches, &mut checked)?);
        best[1] = best[1].min(time(launches, &mut unchecked)?);
    }
    let [with, without] = best;
    println!("{name:24} {with:10.4} ms checked {without:10.4} ms unchecked {:8.3}", with / without);
    Ok(())
}

fn main() -> Result<()> {
    let is_gpu = Device::current()?.is_cuda();
    let (long, around, side) =
        if is_gpu { (1 << 26, 1 << 20, 2048) } else { (1 << 20, 1 << 12, 128) };
    let launches = if is_gpu { 50 } else { 2 };
    for n in [1 << 10, long] {
        let x = DeviceArray::<f32>::linspace(0.0, 1.0, n);
        let (mut y, mut z) = (DeviceArray::<f32>::zeros([n]), DeviceArray::<f32>::zeros([n]));
        let blocks = n.div_ceil(256);
        compare(
            &format!("scale {n}"),
            launches,
            || scale.launch(blocks, 256, (&x, 2.0, &mut y)),
            // SAFETY: a thread touches its own element, which is below the common length.
            || unsafe { scale.launch_unchecked(blocks, 256, (&x, 2.0, &mut z)) },
        )?;
    }
    let z = DeviceArray::<f64>::linspace(0.0, 1.0, around);
    let a = DeviceArray::<f64>::ones([129]);
    let (mut x, mut y) = (DeviceArray::zeros([around]), DeviceArray::zeros([around]));
    let blocks = around.div_ceil(128);
    compare(
        &format!("ring {around}"),
        launches,
        || ring.launch(blocks, 128, (&z, &a, &mut x)),
        // SAFETY: `at` goes around below the ring's length, `k` below that of the weights.
        || unsafe { ring.launch_unchecked(blocks, 128, (&z, &a, &mut y)) },
    )?;
    let m = DeviceArray::<f32>::linspace(0.0, 1.0, side * side).reshape([side, side]);
    let (mut c, mut d) = (DeviceArray::zeros([side, side]), DeviceArray::zeros([side, side]));
    let grid = (side.div_ceil(TILE), side.div_ceil(TILE));
    compare(
        &format!("product {side}"),
        launches,
        || product.launch(grid, (TILE, TILE), (&m, &m, &mut c)),
        // SAFETY: every place is compared with the side, or is that of a thread in its block.
        || unsafe { product.launch_unchecked(grid, (TILE, TILE), (&m, &m, &mut d)) },
    )
}
