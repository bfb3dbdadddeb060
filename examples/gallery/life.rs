//! # Conway's game of life
//!
//! Seven cells, called the acorn, grow for 2,000 turns on a torus. Bright cells live, and others
//! fade with the time since they did. The neighbours are rolls, as in `np.roll(a, 1, 0)`, and the
//! loop is an ordinary one: a turn records its operations, `eval` runs them as one kernel, and each
//! turn finds the plan of the one before.

use lazuli::prelude::*;

type World = (DeviceArray<bool>, DeviceArray<f32>);

fn turn(alive: &DeviceArray<bool>, trace: &DeviceArray<f32>) -> World {
    let cells = alive.cast::<u8>();
    let rows = &cells + cells.roll(1, 0) + cells.roll(-1, 0);
    let around = &rows + rows.roll(1, 1) + rows.roll(-1, 1) - &cells;
    let alive = around.equal(3) | (around.equal(2) & alive);
    let trace = alive.select(1.0, 0.997 * trace);
    (alive, trace)
}

pub fn life(cells: &[(usize, usize)], n: usize, turns: usize) -> Result<DeviceArray<f32>> {
    let mut start = ndarray::Array2::from_elem((n, n), false);
    for &(row, column) in cells {
        start[[n / 2 + row, n / 2 + column]] = true;
    }
    let mut alive = to_device(&start)?;
    let mut trace = alive.cast::<f32>();
    for _ in 0..turns {
        (alive, trace) = turn(&alive, &trace);
        eval(&[&alive, &trace])?;
    }
    Ok(trace)
}

pub const ACORN: [(usize, usize); 7] = [(0, 1), (1, 3), (2, 0), (2, 1), (2, 4), (2, 5), (2, 6)];

#[test]
fn a_block_stays_what_it_is() -> Result<()> {
    let block = [(0, 0), (0, 1), (1, 0), (1, 1)];
    assert_eq!(life(&block, 10, 5)?.sum(..).item()?, 4.0);
    assert!(life(&ACORN, 40, 20)?.sum(..).item()? > 20.0);
    Ok(())
}
