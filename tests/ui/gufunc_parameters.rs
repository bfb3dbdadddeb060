use lazuli::prelude::*;
use ndarray::{ArrayView1, ArrayViewMut1};

#[guvectorize("(n,m)->(n)")]
fn rows(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) { //~ this argument has 2 axes: write `ArrayView2<T>`
    out[0] = a[0];
}

#[guvectorize("(n)->(n)")]
fn one(a: ArrayView1<f64>) {} //~ so that the function takes 2 parameters

#[guvectorize("(n)->(p)")] //~ dimension `p` is in no argument
fn longer(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    out[0] = a[0];
}

#[guvectorize(n, m)] //~ write the core axes of arguments and results
fn bare(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    out[0] = a[0];
}
