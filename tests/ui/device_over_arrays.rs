use lazuli::gpu::*;
use lazuli::prelude::*;

#[device]
fn only_read(x: Array<f64, 1>, i: usize) {
    x[i] = 1.0; //~ `x` is an `Array`, which a kernel only reads; to write, make it an `ArrayMut`
}

#[device]
fn makes_memory(x: Array<f64, 1>) -> f64 {
    let tile = shared::<[f64; 4]>(); //~ shared memory is made in the kernel; take it as an argument
    x[0] + tile[0]
}

#[device]
fn named<'k>(x: Array<'k, f64, 1>) -> f64 { //~ arrays of a kernel live as long as its launch; leave the lifetime out
    x[0]
}

#[kernel]
fn takes_shared(tile: Shared<[f64; 4]>, out: ArrayMut<f64, 1>) { //~ a kernel makes its shared memory: `let tile = shared::<[f32; 256]>();`
    out[0] = tile[0];
}

#[device]
fn number(x: f64) -> f64 {
    let v = [x, 1.0];
    let mut sum = 0.0;
    for pair in v.iter().enumerate() { //~ take what the loop gets apart in its pattern: `for (i, &v) in v.iter().enumerate()`
        sum += pair.1;
    }
    sum
}
