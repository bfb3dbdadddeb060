use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: ArrayMut<f32, 1>) {
    x[0] = shared::<[f32; 4]>().get(0); //~ bind the array: `let tile = shared::<…>();`
}
