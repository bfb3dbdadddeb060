use lazuli::prelude::*;

#[vectorize]
fn unbound<T>(x: T) -> T { //~ write `T: Float`, or `T: Element`
    x
}

#[vectorize]
fn array(x: f64) -> [f64; 3] { //~ return a flat tuple
    [x; 3]
}

#[vectorize]
fn base(x: f64) -> f64 {
    x.log() //~ `.log()` takes a base, `x.log(b)`
}

#[vectorize]
fn larger(x: i32) -> i32 {
    std::cmp::max(x, 1) //~ `std::cmp::max` has no device version; write `a.max(b)`
}
