use lazuli::prelude::*;

#[device] //~ `Duration` is no type that device code can hold
fn seconds(x: std::time::Duration) -> f64 {
    0.0
}
