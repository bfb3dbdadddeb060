use lazuli::prelude::*;

fn helper(x: f64) -> f64 {
    x + 1.0
}

#[vectorize]
fn f(x: f64) -> f64 {
    helper(x) //~ expected type, found function `helper`
}
