use lazuli::gpu::*;
use lazuli::prelude::*;

type Forever = ArrayMut<'static, f32, 1>;

#[kernel] //~ borrowed data escapes outside of
fn k(kept: Forever) {
    let _ = grid::<1>();
}
