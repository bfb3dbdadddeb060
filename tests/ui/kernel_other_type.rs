use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: ArrayMut<f32, 1>) {
    let half = 0.5f64;
    x[0] = half; //~ mismatched types
}
