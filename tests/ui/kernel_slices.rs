use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: &[f64]) {} //~ a kernel takes arrays as `Array<T, N>` (to read) and `ArrayMut<T, N>` (to write)
