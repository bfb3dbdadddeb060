use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: Array<f64, 1>) {
    x[0] = 1.0; //~ `x` is an `Array`, which a kernel only reads; to write, make it an `ArrayMut`
}
