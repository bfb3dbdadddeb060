//! Gufuncs of many forms, each against itself run natively, item by item: sums that begin anywhere,
//! means that are used again, carried values, choices, edges, rings, several results.

use crate::support::on_each_device;
use lazuli::prelude::*;
use ndarray::{
    Array1, Array2, ArrayView0, ArrayView1, ArrayView2, ArrayViewMut0, ArrayViewMut1,
    ArrayViewMut2, arr0,
};

#[guvectorize("(n,m)->(n,m)")]
fn shift_mean(x: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
    let (n, m) = x.dim();
    for i in 0..n {
        let mut mean = 0.0;
        for j in 0..m {
            mean += x[[i, j]];
        }
        mean = mean / m as f64;
        for j in 0..m {
            out[[i, j]] = x[[i, j]] - mean;
        }
    }
}
#[guvectorize("(n,m)->(n)")]
fn best(x: ArrayView2<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..x.nrows() {
        let mut best = x[[i, 0]];
        for j in 1..x.ncols() {
            best = best.max(x[[i, j]]);
        }
        out[i] = best;
    }
}
#[guvectorize("(n),(n)->(n)")]
fn running(x: ArrayView1<f64>, y: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    let mut acc = y[0];
    for i in 0..x.len() {
        acc = acc * 0.5 + x[i] * y[i];
        out[i] = acc;
    }
}
#[guvectorize("(n,m),(m)->(n),(n)")]
fn two(
    x: ArrayView2<f64>,
    w: ArrayView1<f64>,
    mut a: ArrayViewMut1<f64>,
    mut b: ArrayViewMut1<f64>,
) {
    for i in 0..x.nrows() {
        let (mut s, mut p) = (w[0], 1.0);
        for j in 0..x.ncols() {
            s += x[[i, j]] * w[j];
            p *= 1.0 + 0.01 * x[[i, j]];
        }
        a[i] = s;
        b[i] = p + s;
    }
}
#[guvectorize("(n,m)->(m,n)")]
fn turned(x: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
    for i in 0..x.nrows() {
        for j in 0..x.ncols() {
            out[[j, i]] = x[[i, j]] * 2.0 - i as f64 + 0.5 * j as f64;
        }
    }
}
#[guvectorize("(n,m)->()")]
fn norm(x: ArrayView2<f64>, mut out: ArrayViewMut0<f64>) {
    let mut s = 0.0;
    for i in 0..x.nrows() {
        let mut r = 0.0;
        for j in 0..x.ncols() {
            r += x[[i, j]] * x[[i, j]];
        }
        s += r.sqrt();
    }
    out[[]] = s;
}
#[guvectorize("(n)->(n)")]
fn edges(x: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    let n = x.len();
    for i in 0..n {
        out[i] = x[i];
    }
    for i in 1..n - 1 {
        out[i] = x[i - 1] + x[i + 1] - 2.0 * x[i];
    }
}
#[guvectorize("(n),()->(n)")]
fn clip(x: ArrayView1<f64>, limit: f64, mut out: ArrayViewMut1<f64>) {
    for i in 0..x.len() {
        let mut v = x[i];
        if v > limit {
            v = limit;
        }
        if v < -limit {
            v = -limit;
        }
        out[i] = v;
    }
}
#[guvectorize("(n,m),(n)->(n)")]
fn masked(x: ArrayView2<f64>, t: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..x.nrows() {
        let limit = t[i];
        let mut s = limit;
        let mut c = 0.0;
        for j in 0..x.ncols() {
            if x[[i, j]] > limit {
                s += x[[i, j]];
                c += 1.0;
            }
        }
        out[i] = if c > 0.0 { s / c } else { limit };
    }
}
#[guvectorize("(n),(m)->(n,m)")]
fn outer(x: ArrayView1<f64>, y: ArrayView1<f64>, mut out: ArrayViewMut2<f64>) {
    for i in 0..x.len() {
        let a = x[i] + 1.0;
        for j in 0..y.len() {
            let mut b = a;
            for k in 0..3 {
                b += y[j] * k as f64;
            }
            out[[i, j]] = b;
        }
    }
}
#[guvectorize("(n,n)->(n)")]
fn diagonals(x: ArrayView2<f64>, mut out: ArrayViewMut1<f64>) {
    let n = x.nrows();
    for d in 0..n {
        let mut s = x[[d, d]];
        for i in 0..n {
            s += x[[i, (i + d) % n]];
        }
        out[d] = s;
    }
}
#[guvectorize("(n)->()")]
fn width(x: ArrayView1<f64>, mut out: ArrayViewMut0<f64>) {
    let mut low = x[0];
    let mut high = x[0];
    for i in 0..x.len() {
        low = low.min(x[i]);
        high = high.max(x[i]);
    }
    out[[]] = high - low;
}
#[guvectorize("(n),(n),()->(n)")]
fn leap(x: ArrayView1<f64>, v: ArrayView1<f64>, dt: f64, mut out: ArrayViewMut1<f64>) {
    let n = x.len();
    let mut total = dt;
    for i in 0..n {
        total += v[i];
    }
    let mean = total / n as f64;
    for i in 0..n {
        let mut f = mean;
        for j in 0..n {
            f -= (x[i] - x[j]) * 0.1;
        }
        out[i] = x[i] + dt * f;
    }
}
#[guvectorize("(n,m)->(n)")]
fn nested(x: ArrayView2<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..x.nrows() {
        let mut s = 0.0;
        for j in 0..x.ncols() {
            let mut p = x[[i, j]];
            for k in 0..x.ncols() {
                p *= 1.0 + 0.001 * x[[i, k]];
            }
            s += p;
        }
        out[i] = s;
    }
}

/// What one turn carries to the next cannot be recorded: items run one by one, and their results and
/// numbers come as arrays without axes or as they are.
#[guvectorize("(n),(),()->(),()")]
fn carried(
    x: ArrayView1<f64>,
    start: ArrayView0<f64>,
    factor: f64,
    mut hash: ArrayViewMut0<f64>,
    last: &mut f64,
) {
    let mut h = start[[]];
    for i in 0..x.len() {
        h = (h * factor + x[i]) % 7.0;
        *last = h - x[i];
    }
    hash[[]] = h;
}

#[test]
fn results_without_axes_are_arrays_or_references() {
    on_each_device(|_| {
        let (n, xs) = (9, numbers(5 * 9, 37));
        let x = DeviceArray::from_vec([5, n], xs.clone()).unwrap();
        let starts = [0.5, -1.0, 2.0, 0.0, 3.0];
        for factor in [1.5, -0.75] {
            let starting = DeviceArray::from_slice(&starts).unwrap();
            let (hash, last) = carried::call(&x, &starting, factor);
            let both = |i: usize| {
                let (mut h, mut l) = (arr0(0.0), 0.0);
                let own = ArrayView1::from(&xs[i * n..(i + 1) * n]);
                carried(own, arr0(starts[i]).view(), factor, h.view_mut(), &mut l);
                [h[[]], l]
            };
            close("hash", &hash.to_vec().unwrap(), &natively(5, |i| vec![both(i)[0]]));
            close("last", &last.to_vec().unwrap(), &natively(5, |i| vec![both(i)[1]]));
        }
    });
}

fn close(name: &str, found: &[f64], right: &[f64]) {
    assert_eq!(found.len(), right.len(), "{name}");
    for (k, (f, r)) in found.iter().zip(right).enumerate() {
        let near = (f - r).abs() <= 1e-9 * r.abs().max(1.0);
        assert!(near, "{name}, element {k}: {f} where {r} is right");
    }
}

/// Numbers between -4 and 7 that look random.
fn numbers(len: usize, step: usize) -> Vec<f64> {
    (0..len).map(|k| ((k * step + 11) % 101) as f64 * 0.1 - 4.0).collect()
}

/// The result of each item, one behind the other.
fn natively<T: AsRef<[f64]>>(items: usize, one: impl Fn(usize) -> T) -> Vec<f64> {
    (0..items).flat_map(|i| one(i).as_ref().to_vec()).collect()
}

const ITEMS: usize = 3;

fn forms(n: usize, m: usize) {
    let (xs, ys, ws) = (numbers(ITEMS * n * m, 37), numbers(ITEMS * n, 53), numbers(m, 29));
    let dx = DeviceArray::from_vec([ITEMS, n, m], xs.clone()).unwrap();
    let dy = DeviceArray::from_vec([ITEMS, n], ys.clone()).unwrap();
    let dw = DeviceArray::from_slice(&ws).unwrap();
    let x = |i: usize| ArrayView2::from_shape((n, m), &xs[i * n * m..(i + 1) * n * m]).unwrap();
    let y = |i: usize| ArrayView1::from(&ys[i * n..(i + 1) * n]);
    let w = ArrayView1::from(&ws);
    macro_rules! check {
        ($name:ident($($array:expr),*), $room:expr, |$i:ident, $out:ident| $native:expr) => {
            let right = natively(ITEMS, |$i| {
                let mut $out = $room;
                $native;
                $out.into_raw_vec_and_offset().0
            });
            let found = $name::call($($array),*).to_vec().unwrap();
            close(&format!("{} of {n} by {m}", stringify!($name)), &found, &right);
        };
    }
    check!(shift_mean(&dx), Array2::zeros((n, m)), |i, o| shift_mean(x(i), o.view_mut()));
    check!(best(&dx), Array1::zeros(n), |i, o| best(x(i), o.view_mut()));
    check!(running(&dy, &dy), Array1::zeros(n), |i, o| running(y(i), y(i), o.view_mut()));
    check!(turned(&dx), Array2::zeros((m, n)), |i, o| turned(x(i), o.view_mut()));
    check!(norm(&dx), arr0(0.0), |i, o| norm(x(i), o.view_mut()));
    if n >= 2 {
        check!(edges(&dy), Array1::zeros(n), |i, o| edges(y(i), o.view_mut()));
    }
    for limit in [1.0, 0.25, 2.0] {
        check!(clip(&dy, limit), Array1::zeros(n), |i, o| clip(y(i), limit, o.view_mut()));
    }
    check!(masked(&dx, &dy), Array1::zeros(n), |i, o| masked(x(i), y(i), o.view_mut()));
    check!(outer(&dy, &dw), Array2::zeros((n, m)), |i, o| outer(y(i), w, o.view_mut()));
    check!(width(&dy), arr0(0.0), |i, o| width(y(i), o.view_mut()));
    for dt in [0.5, -1.0] {
        check!(leap(&dy, &dy, dt), Array1::zeros(n), |i, o| leap(y(i), y(i), dt, o.view_mut()));
    }
    check!(nested(&dx), Array1::zeros(n), |i, o| nested(x(i), o.view_mut()));
    let (first, second) = two::call(&dx, &dw);
    let both = |i: usize| {
        let (mut a, mut b) = (Array1::zeros(n), Array1::zeros(n));
        two(x(i), w, a.view_mut(), b.view_mut());
        [a.to_vec(), b.to_vec()]
    };
    close("two, first", &first.to_vec().unwrap(), &natively(ITEMS, |i| both(i)[0].clone()));
    close("two, second", &second.to_vec().unwrap(), &natively(ITEMS, |i| both(i)[1].clone()));
    let square = numbers(n * n, 31);
    let d = DeviceArray::from_vec([n, n], square.clone()).unwrap();
    let mut right = Array1::zeros(n);
    diagonals(ArrayView2::from_shape((n, n), &square).unwrap(), right.view_mut());
    close("diagonals", &diagonals::call(&d).to_vec().unwrap(), &right.to_vec());
}

#[test]
fn many_forms_give_what_they_give_natively() {
    on_each_device(|_| {
        for (n, m) in [(4, 5), (1, 1), (7, 3), (33, 65), (3, 200)] {
            forms(n, m);
        }
    });
}
