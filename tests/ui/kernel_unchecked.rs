use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: ArrayMut<f32, 1>) {
    x[grid::<1>()] = 1.0;
}

pub fn launch(x: &mut DeviceArray<f32>) {
    k.launch_unchecked(1, 1, (x,)).unwrap(); //~ is unsafe and requires unsafe
}
