//! The kernels of loops' turns, for tests without a GPU.

use crate::eval::{prepare, turn_of};
use crate::kernel::Kernel;
use crate::prelude::*;
use crate::repeat;

/// What a loop hands on.
pub type States<T> = Vec<DeviceArray<T>>;

/// Several states of one shape.
pub fn state<T: Element>(shape: &[usize], count: usize) -> States<T> {
    let numbers = |seed: usize| {
        let len = shape.iter().product();
        let of = |k: usize| (((k + seed) * 7919) % 1009) as f64 / 500.0 - 1.0;
        let numbers = (0..len).map(of).collect();
        let state = DeviceArray::<f64>::from_vec(shape, numbers).expect("an upload").cast::<T>();
        state.eval().expect("a cast");
        state
    };
    (0..count).map(|seed| numbers(seed * 31)).collect()
}

/// The kernel of a loop's turn with what it hands on; none where a turn is more than that.
pub fn turn<T: Element>(
    start: &States<T>,
    body: &dyn Fn(States<T>) -> States<T>,
) -> Option<(Kernel, Vec<(u32, u32)>)> {
    let end = repeat(3, start.clone(), body);
    let nodes: Vec<_> = end.iter().map(|a| a.node().clone()).collect();
    let (prepared, ..) = prepare(&nodes).unwrap().expect("something to evaluate");
    turn_of(&prepared)
}
