use lazuli::prelude::*;

type Pair = [f64; 2];

#[vectorize]
fn f(x: f64) -> Pair { //~ `[f64; 2]` is no result for a function on arrays
    [x, x]
}
