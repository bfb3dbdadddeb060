use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: ArrayMut<f32, 2>) {
    x[3] = 1.0; //~ is no place in an array with 2 axes
}
