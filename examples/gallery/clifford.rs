//! # An attractor of Clifford's
//!
//! Points are moved again and again by one map, and each pixel counts its visits. A `#[kernel]` is
//! written in the CUDA model, as with Numba's `@cuda.jit`: one thread follows one point and adds
//! its visits atomically. NumPy's way would be `np.histogram2d`, with all places in memory. The
//! kernel runs on the processor as well, where a debugger can step through it.

use lazuli::gpu::{ArrayMut, grid};
use lazuli::prelude::*;

#[kernel]
fn visit(turns: u32, counts: ArrayMut<u32, 2>) {
    let (height, width) = (counts.shape(0), counts.shape(1));
    let i = grid::<1>();
    let (mut x, mut y) = (0.001 * i as f64, 0.1);
    for turn in 0..turns {
        let next = (-1.4 * y).sin() + (-1.4 * x).cos();
        y = (1.6 * x).sin() + 0.7 * (1.6 * y).cos();
        x = next;
        if turn >= 20 {
            // The attractor lies within 2 of x = 0 and within 1.7 of y = 0.
            let row = (y + 1.75) / 3.5 * height as f64;
            let column = (x + 2.05) / 4.1 * width as f64;
            counts.atomic_add((row as usize, column as usize), 1);
        }
    }
}

pub fn attractor(n: usize, turns: u32) -> Result<DeviceArray<f64>> {
    let mut counts = DeviceArray::<u32>::zeros([n, n]);
    visit.launch(8, 128, (turns, &mut counts))?;
    Ok(counts.cast::<f64>().ln_1p())
}

#[test]
fn every_visit_is_counted() -> Result<()> {
    let visits = attractor(40, 25)?.exp_m1().sum(..).item()?;
    assert_eq!(visits.round(), 8.0 * 128.0 * 5.0);
    Ok(())
}
