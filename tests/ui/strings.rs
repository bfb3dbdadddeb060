use lazuli::prelude::*;

const NAME: &str = "name";

#[device]
fn f(x: f64) -> f64 {
    let _s = NAME; //~ device code cannot hold a value of type `&'static str`
    x
}
