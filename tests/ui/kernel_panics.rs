use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: ArrayMut<f64, 1>) {
    assert!(x.len() > 3); //~ `assert!`: device code cannot panic
}
