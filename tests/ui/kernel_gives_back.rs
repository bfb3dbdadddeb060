use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: Array<f64, 1>) -> f64 { //~ a kernel gives nothing back; write to a parameter of type `ArrayMut<T, N>`
    x[0]
}
