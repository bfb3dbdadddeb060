use lazuli::gpu::*;
use lazuli::prelude::*;

#[device]
fn first_row(x: Array<f64, 2>) -> Array<f64, 1> { //~ a device function gives numbers back; take the array as an argument
    x.row(0)
}
