use lazuli::prelude::*;

struct Bare {
    x: f64,
    y: f64,
}

#[device] //~ cannot hold a value of type `Bare`
fn made_of_bare(x: f64) -> f64 {
    let bare = Bare { x, y: x };
    1.0
}

#[device] //~ does not know the fields of `Bare`
fn field_of_bare(bare: Bare) -> f64 {
    bare.x
}

#[derive(Clone, Copy, Columns)]
struct Parameter<T> { //~ a struct with columns has no parameters
    x: T,
    y: T,
}

#[derive(Clone, Copy, Columns)]
struct One { //~ has 2 to 12 fields, and this one 1
    x: f64,
}

#[derive(Clone, Copy, Columns)]
struct Unnamed(f64, f64); //~ columns have the names of fields

#[derive(Clone, Copy, Columns)]
enum Either { //~ columns are the fields of a struct
    A,
    B,
}

#[derive(Clone, Copy, Columns)]
struct Pair {
    x: f64,
    y: f64,
}

#[vectorize]
fn sum(p: Pair) -> f64 {
    p.x + p.y
}

fn wrong(a: DeviceArray<f64>) {
    let _ = sum::call(&a); //~ is no argument for a parameter of type `Pair`
}
