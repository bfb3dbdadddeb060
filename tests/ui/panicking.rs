use lazuli::prelude::*;

#[device]
fn f(x: f64) -> f64 {
    assert!(x > 0.0); //~ `assert!`: device code cannot panic; check the arguments before the call
    x.sqrt()
}
