//! Gufuncs with branches, on every device against the plain Rust functions: what a branch holds
//! must not fail, and must end, for the turns that do not come by; and positions that leave their
//! type, diagonals, and other places that are no region of an array.

use crate::support::on_each_device;
use lazuli::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2};

#[guvectorize("(n),(n)->(n)")]
fn quotients(a: ArrayView1<i64>, b: ArrayView1<i64>, mut out: ArrayViewMut1<i64>) {
    for i in 0..a.len() {
        if b[i] != 0 {
            out[i] = a[i] / b[i];
        }
    }
}

#[guvectorize("(n),(n)->(n)")]
fn running_remainders(a: ArrayView1<i32>, b: ArrayView1<i32>, mut out: ArrayViewMut1<i32>) {
    for i in 0..a.len() {
        let mut s = 1;
        for j in 0..b.len() {
            if b[j] > 0 {
                s += a[i] % b[j];
            } else if b[j] < 0 {
                s -= a[i] / b[j];
            }
        }
        out[i] = s;
    }
}

#[guvectorize("(n)->(n)")]
fn doublings(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..a.len() {
        if a[i] > 0.0 {
            let mut x = a[i];
            let mut k = 0.0;
            while x < 100.0 {
                x *= 2.0;
                k += 1.0;
            }
            out[i] = k;
        }
    }
}

#[device]
fn steps(x: f64) -> f64 {
    let (mut x, mut k) = (x, 0.0);
    while x < 100.0 {
        x *= 2.0;
        k += 1.0;
    }
    k
}

#[guvectorize("(n)->(n)")]
fn doublings_elsewhere(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..a.len() {
        if a[i] > 0.0 {
            out[i] = steps(a[i]);
        }
    }
}

#[guvectorize("(n)->(n)")]
fn held(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..a.len() {
        if a[i] > 0.0 {
            out[i] = (2.0 * a[i]).clamp(0.0, a[i]);
        }
    }
}

#[guvectorize("(n)->(n)")]
fn successors(a: ArrayView1<i64>, mut out: ArrayViewMut1<i64>) {
    for i in 0..a.len() {
        if a[i] < i64::MAX {
            out[i] = a[i] + 1;
        }
    }
}

#[guvectorize("(n)->(n)")]
fn by_position(a: ArrayView1<i64>, mut out: ArrayViewMut1<i64>) {
    for i in 0..a.len() {
        if i > 0 {
            out[i] = a[i] / i as i64;
        }
    }
}

#[guvectorize("(n),()->(n)")]
fn by_a_number(a: ArrayView1<i64>, t: i64, mut out: ArrayViewMut1<i64>) {
    for i in 0..a.len() {
        if t != 0 {
            let q = 100 / t;
            out[i] = a[i] + q;
        }
    }
}

#[guvectorize("(n),()->(n)")]
fn nested(a: ArrayView1<i64>, t: i64, mut out: ArrayViewMut1<i64>) {
    for i in 0..a.len() {
        let mut best = a[i];
        if t > 1 {
            if a[i] != 0 {
                let (q, r) = (t / a[i], t % a[i]);
                best = q + r;
            } else {
                best = -1;
            }
        }
        out[i] = best;
    }
}

#[test]
fn branches_not_taken_do_not_fail_and_end() {
    on_each_device(|_| {
        let (a, b) = (vec![7i64, -9, 5, i64::MIN, 0], vec![2i64, 0, -1, 0, 3]);
        let mut want = Array1::zeros(5);
        quotients(ArrayView1::from(&a), ArrayView1::from(&b), want.view_mut());
        let (x, y) = (DeviceArray::from_slice(&a).unwrap(), DeviceArray::from_slice(&b).unwrap());
        let found = quotients::call(&x, &y);
        assert_eq!(lazuli::explain(&[&found]).kernels(), 1, "recorded, not run item by item");
        assert_eq!(found.to_vec().unwrap(), want.to_vec());

        let (a, b): (Vec<i32>, Vec<i32>) = (0..19).map(|k| (k * 37 - 90, k % 5 - 2)).unzip();
        let mut want = Array1::zeros(19);
        running_remainders(ArrayView1::from(&a), ArrayView1::from(&b), want.view_mut());
        let (x, y) = (DeviceArray::from_slice(&a).unwrap(), DeviceArray::from_slice(&b).unwrap());
        assert_eq!(running_remainders::call(&x, &y).to_vec().unwrap(), want.to_vec());

        let a = [-1.0, 3.0, 0.0, 99.0, f64::NAN, 100.0, f64::NEG_INFINITY, 1e-3];
        let x = DeviceArray::from_slice(&a).unwrap();
        let mut want = Array1::zeros(8);
        doublings(ArrayView1::from(&a), want.view_mut());
        assert_eq!(doublings::call(&x).to_vec().unwrap(), want.to_vec());
        assert_eq!(doublings_elsewhere::call(&x).to_vec().unwrap(), want.to_vec());
        assert_eq!((doublings_elsewhere::call(&x) + 1.0).sum(..).item().unwrap(), want.sum() + 8.0);
        held(ArrayView1::from(&a), want.view_mut());
        assert_eq!(held::call(&x).to_vec().unwrap(), want.to_vec());

        // Nor does a sum overflow there, where overflow panics.
        let x = DeviceArray::from_slice(&[i64::MAX, 3, i64::MIN]).unwrap();
        assert_eq!(successors::call(&x).to_vec().unwrap(), [0, 4, i64::MIN + 1]);

        let a = [5i64, 6, 7, 8];
        let x = DeviceArray::from_slice(&a).unwrap();
        assert_eq!(by_position::call(&x).to_vec().unwrap(), [0, 6, 3, 2]);
        for t in [0, 7, -3, 0, 1, 2] {
            let mut want = Array1::zeros(4);
            by_a_number(ArrayView1::from(&a), t, want.view_mut());
            assert_eq!(by_a_number::call(&x, t).to_vec().unwrap(), want.to_vec(), "{t}");
            let zero = [0i64, 3, -2, i64::MAX];
            nested(ArrayView1::from(&zero), t, want.view_mut());
            let zero = DeviceArray::from_slice(&zero).unwrap();
            assert_eq!(nested::call(&zero, t).to_vec().unwrap(), want.to_vec(), "{t}");
            let each = DeviceArray::full([3, 1], t);
            let found = nested::call(&zero, each.reshape(3)).to_vec().unwrap();
            assert_eq!(found, [want.to_vec(), want.to_vec(), want.to_vec()].concat(), "{t}");
        }
    });
}

#[guvectorize("(n)->(n,n)")]
fn diagonal(a: ArrayView1<f64>, mut out: ArrayViewMut2<f64>) {
    for i in 0..a.len() {
        out[[i, i]] += a[i];
    }
}

#[guvectorize("(n,n)->(n,n)")]
fn ridge(a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
    let n = a.nrows();
    for i in 0..n {
        for j in 0..n {
            out[[i, j]] = a[[i, j]];
        }
    }
    for i in 0..n {
        out[[i, i]] += 10.0;
        out[[i, n - 1 - i]] = out[[i, n - 1 - i]].max(3.0);
    }
}

#[guvectorize("(n,n)->(n,n)")]
fn traces(a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
    for i in 0..a.nrows() {
        for j in 0..a.nrows() {
            out[[i, i]] += a[[i, j]];
        }
    }
}

#[test]
fn diagonals_are_changed_alone() {
    on_each_device(|_| {
        let a = Array1::from_iter((0..4).map(|k| f64::from(k) + 0.5));
        let mut want = Array2::zeros((4, 4));
        diagonal(a.view(), want.view_mut());
        let x = DeviceArray::from_slice(a.as_slice().unwrap()).unwrap();
        assert_eq!(diagonal::call(&x).copy_to_host().unwrap(), want.into_dyn());

        let m = Array2::from_shape_fn((5, 5), |(i, j)| (i * 5 + j) as f64 - 12.0);
        let x = DeviceArray::from_ndarray(&m).unwrap();
        let mut want = Array2::zeros((5, 5));
        ridge(m.view(), want.view_mut());
        assert_eq!(ridge::call(&x).copy_to_host().unwrap(), want.into_dyn());
        let mut want = Array2::zeros((5, 5));
        traces(m.view(), want.view_mut());
        assert_eq!(traces::call(&x).copy_to_host().unwrap(), want.into_dyn());
    });
}

#[guvectorize("(n)->(n)")]
fn signed_difference(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..a.len() as i64 {
        let k = i.saturating_sub(2);
        out[i as usize] = a[i as usize] + k as f64;
    }
}

#[guvectorize("(n)->(n)")]
fn unsigned_difference(a: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..a.len() {
        out[i] = a[i.saturating_sub(2)];
    }
}

macro_rules! narrow {
    ($($name:ident |$i:ident| $form:expr;)+) => {$(
        #[guvectorize("(n)->(n)")]
        fn $name(a: ArrayView1<u32>, mut out: ArrayViewMut1<u32>) {
            for $i in 0..a.len() as u8 {
                let k = $form;
                out[$i as usize] = k as u32 + a[$i as usize];
            }
        }
    )+};
}
narrow! {
    thrice |i| i * 3;
    thrice_halved |i| i * 3 / 2;
    thrice_rest |i| i * 3 % 50;
    thrice_least |i| (i * 3).min(100);
    thrice_most |i| (i * 3).max(4);
    thrice_held |i| (i * 3).clamp(0, 77);
    thrice_ring |i| (i * 3).rem_euclid(7);
    there_and_back |i| (i + 7 - 5) / 2;
}

#[test]
fn positions_wrap_in_their_own_type() {
    on_each_device(|_| {
        let a = [0.25, 0.5, 0.75, 1.0];
        let x = DeviceArray::from_slice(&a).unwrap();
        let mut want = Array1::zeros(4);
        signed_difference(ArrayView1::from(&a), want.view_mut());
        assert_eq!(signed_difference::call(&x).to_vec().unwrap(), want.to_vec());
        unsigned_difference(ArrayView1::from(&a), want.view_mut());
        assert_eq!(unsigned_difference::call(&x).to_vec().unwrap(), want.to_vec());

        // As a release build has it, bytes wrap; in a debug build they would panic, as Rust's do.
        let lengths: &[u8] = if cfg!(debug_assertions) { &[5, 85, 86] } else { &[5, 86, 87, 255] };
        for &n in lengths {
            let base = DeviceArray::<u32>::arange(0, u32::from(n), 1);
            macro_rules! check {
                ($($name:ident |$i:ident| $native:expr;)+) => {$(
                    let native = |$i: u8| u32::from($native) + u32::from($i);
                    let want: Vec<u32> = (0..n).map(native).collect();
                    assert_eq!($name::call(&base).to_vec().unwrap(), want, "{n}");
                )+};
            }
            check! {
                thrice |i| i.wrapping_mul(3);
                thrice_halved |i| i.wrapping_mul(3) / 2;
                thrice_rest |i| i.wrapping_mul(3) % 50;
                thrice_least |i| i.wrapping_mul(3).min(100);
                thrice_most |i| i.wrapping_mul(3).max(4);
                thrice_held |i| i.wrapping_mul(3).min(77);
                thrice_ring |i| i.wrapping_mul(3) % 7;
                there_and_back |i| i.wrapping_sub(5).wrapping_add(7) / 2;
            }
        }
    });
}
