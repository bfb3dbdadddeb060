use lazuli::prelude::*;
use ndarray::{Array1, ArrayView1, ArrayViewMut1};

#[guvectorize("(n)->()")]
fn total(a: ArrayView1<f64>, out: &mut f64) {
    *out = a.product(); //~ `.product()`: the arrays of a gufunc are indexed
}

#[guvectorize("(n)->(n)")]
fn overwritten(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    a[0] = 1.0; //~ this is an argument, which a gufunc only reads
    out[0] = 1.0;
}

#[guvectorize("(n)->(n)")]
fn ordered(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    let mut all = Array1::<f64>::zeros(a.len());
    for i in 1..a.len() {
        all[i] = all[i - 1] + a[i];
    }
    while out[0] < 1.0 { //~ a `while` loop sets numbers of one item alone
        out[0] += all[0];
    }
}
