use lazuli::prelude::*;

#[reduce(identity = 0.0)]
fn r(a: f64, b: f32) -> f64 { //~ both arguments and the result must be of one type
    a + b
}

#[reduce(0.0)] //~ write what the reduction begins with: `#[reduce(identity = 0.0)]`
fn s(a: f64, b: f64) -> f64 {
    a + b
}
