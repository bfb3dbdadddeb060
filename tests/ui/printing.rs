use lazuli::prelude::*;

#[vectorize]
fn f(x: f64) -> f64 {
    println!("{x}"); //~ `println!`: device code does no I/O; return the value and print it on the host
    x
}
