use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: ArrayMut<f32, 1>) {
    let v = Vec::new(); //~ device code does not allocate
    x[0] = v[0];
}
