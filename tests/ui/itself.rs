use lazuli::prelude::*;

#[vectorize]
fn factorial(n: f64) -> f64 {
    if n < 2.0 { 1.0 } else { n * factorial(n - 1.0) } //~ `factorial` calls itself, and device code has no recursion; write a loop
}
