use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: DeviceArray<f64>) {} //~ in a kernel an array is an `Array<T, N>` (to read)
