use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: ArrayMut<'static, f32, 1>) { //~ a kernel's arrays live as long as its launch; leave the lifetime out
    x[0] = 1.0;
}
