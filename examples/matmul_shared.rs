//! The product of two square matrices, tile by tile in shared memory.
//!
//! Inputs `a`, `b`: float32\[n,n\]; without `--in`, evenly spread over [0, 1): the elements in C
//! order are `i·0.6180339887498949 mod 1` and `i·0.4142135623730951 mod 1`, rounded to float32.
//! Output `c`: float32\[n,n\].
//!
//! Forms: `kernel`; `library`, the library's product.
//!
//! ```sh
//! cargo run --release --example matmul_shared -- --size 1600
//! cargo run --release --example matmul_shared -- --form library
//! ```

mod common;

use common::{GOLDEN, Job, Launches, Outcome, Program, Run, files::output, spread};
use lazuli::gpu::{Array, ArrayMut, grid, shared, sync_threads, thread_idx};
use lazuli::prelude::*;
use std::cell::RefCell;
use std::process::ExitCode;

/// The rows and columns of a tile, and the threads of a block along x and y.
pub const TILE: usize = 32;

/// `c = a·b`, one thread an element. The threads of a block bring a tile of each matrix into
/// shared memory, multiply, and go on to the next pair of tiles.
#[kernel]
pub fn product(a: Array<f32, 2>, b: Array<f32, 2>, c: ArrayMut<f32, 2>) {
    let tile_a = shared::<[[f32; TILE]; TILE]>();
    let tile_b = shared::<[[f32; TILE]; TILE]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (x, y) = grid::<2>();
    let n = a.shape(1);
    let mut sum = 0.0;
    for first in (0..n).step_by(TILE) {
        let (column, row) = (first + tx, first + ty);
        // Past the edge of the matrices stand zeros.
        tile_a[(ty, tx)] = if y < n && column < n { a[(y, column)] } else { 0.0 };
        tile_b[(ty, tx)] = if row < n && x < n { b[(row, x)] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += tile_a[(ty, k)] * tile_b[(k, tx)];
        }
        sync_threads();
    }
    if x < n && y < n {
        c[(y, x)] = sum;
    }
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "matmul_shared",
    about: "a, b float32[n,n] → c = a·b",
    forms: &["kernel", "library"],
    size: &[("n", 512)],
    dtypes: &["float32"],
};

/// Reads the inputs and evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let a = job.input("a", &["n", "n"], |i| spread(i, GOLDEN) as f32)?;
    let b = job.input("b", &["n", "n"], |i| spread(i, 2f64.sqrt() - 1.0) as f32)?;
    if job.options.form == "library" {
        return job.evaluate(|| vec![output("c", a.matmul(&b))]);
    }
    let n = a.shape()[0];
    let blocks = n.div_ceil(TILE).max(1);
    let c = RefCell::new(DeviceArray::<f32>::try_zeros([n, n])?);
    let text = format!("product: ({blocks}, {blocks}) blocks of ({TILE}, {TILE}) threads");
    job.launch(Launches { bytes: 3 * n * n * 4, text }, || {
        let mut c = c.borrow_mut();
        product.launch((blocks, blocks), (TILE, TILE), (&a, &b, &mut c))?;
        Ok(vec![output("c", c.clone())])
    })
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
