use lazuli::prelude::*;
use ndarray::{Array1, ArrayView1, ArrayViewMut1};

#[guvectorize("(n)->(n)")]
fn filled(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    let mut own = Array1::<f64>::zeros(a.len());
    for i in 0..a.len() {
        own[i] = a[i];
    }
    out.fill(1.0); //~ this cannot be: `.fill()`: the arrays of a gufunc are indexed
}

#[guvectorize("(n)->()")]
fn total(a: ArrayView1<f64>, out: &mut f64) {
    let mut own = Array1::<f64>::zeros(a.len());
    for i in 0..a.len() {
        own[i] = a[i];
    }
    *out = own.sum(); //~ this cannot be: `.sum()`: the arrays of a gufunc are indexed
}

#[guvectorize("(n)->(n)")]
fn triangle(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    let mut own = Array1::<f64>::zeros(a.len());
    for i in 0..a.len() {
        own[i] = a[i];
        for j in 0..=i { //~ this cannot be: only lengths and constants can give a range
            out[i] += own[j];
        }
    }
}

#[guvectorize("(n)->(n)")]
fn allocated(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    let own = vec![0.0; a.len()]; //~ an array of a gufunc's own is `Array1::<T>::zeros(n)`
    out[0] = own[0] + a[0];
}
