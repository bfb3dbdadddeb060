use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: ArrayMut<f32, 1>) {
    x[0] = 1.0;
}

pub fn launch(x: &DeviceArray<f32>) {
    k.launch(1, 1, (x,)).unwrap(); //~ mismatched types
}
