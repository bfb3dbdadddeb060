//! Compiled functions on a GPU, which keeps graphs of their launches.

use crate::backend::cuda::gpu_tests::gpu;
use crate::backend::cuda::series::{WORTH, release};
use crate::prelude::*;

#[test]
fn plans_that_come_again_have_graphs_until_memory_is_released() {
    if gpu().is_none() {
        return;
    }
    Device::cuda(0).unwrap().scope(|| {
        let step = crate::compile(|x: &DeviceArray<f64>| x.cumsum(0).sin().cumsum(0).cos());
        let mut x = DeviceArray::linspace(0.0, 1.0, 1000);
        let mut had = false;
        // Another test may have them released in between.
        for _ in 0..20 {
            for _ in 0..WORTH + 2 {
                x = step.call(&x).unwrap();
            }
            had |= release();
        }
        assert!(had);
        assert!(x.to_vec().unwrap().iter().all(|x| x.is_finite()));
    });
}
