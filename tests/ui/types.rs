use lazuli::prelude::*;

#[vectorize]
fn f(x: f64, y: f32) -> f64 {
    x + y //~ cannot add `f32` to `f64`
}
