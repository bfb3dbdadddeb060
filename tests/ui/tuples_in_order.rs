use lazuli::prelude::*;

#[device] //~ `(f64, f64)` is no number that device code can compute with
fn f(x: f64, y: f64) -> bool {
    (x, y) < (y, x)
}
