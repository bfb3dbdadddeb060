use lazuli::prelude::*;

type Pair = [f64; 2];

#[vectorize] //~ `[f64; 2]: lazuli::dtype::Element` is not satisfied
fn f(x: f64) -> Pair {
    [x, x]
}
