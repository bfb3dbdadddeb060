use lazuli::gpu::*;
use lazuli::prelude::*;

#[kernel]
fn k(x: ArrayMut<f32, 1>) {
    let tile = shared::<[f32; 4]>();
    debug_assert!(std::thread::scope(|s| s.spawn(move || tile.set(0, 1.0)).is_finished())); //~ cannot be sent between threads safely
    x[0] = tile[0];
}
