//! Products of matrices and vectors.

use lazuli::prelude::*;

type A = DeviceArray<f64>;

pub fn atax(a: &A, x: &A) -> A {
    a.matmul(x).matmul(a)
}

pub fn bicg(a: &A, p: &A, r: &A) -> (A, A) {
    (r.matmul(a), a.matmul(p))
}

pub fn gemm(alpha: f64, beta: f64, c: &A, a: &A, b: &A) -> A {
    (alpha * a).matmul(b) + beta * c
}

#[rustfmt::skip]
pub fn gemver(
    alpha: f64, beta: f64, a: &A, u1: &A, v1: &A, u2: &A, v2: &A, w: &A, x: &A, y: &A, z: &A,
) -> (A, A, A) {
    let a = a + u1.outer(v1) + u2.outer(v2);
    let x = x + (beta * y).matmul(&a) + z;
    let w = w + (alpha * &a).matmul(&x);
    (a, w, x)
}

pub fn gesummv(alpha: f64, beta: f64, a: &A, b: &A, x: &A) -> A {
    (alpha * a).matmul(x) + (beta * b).matmul(x)
}

pub fn k2mm(alpha: f64, beta: f64, a: &A, b: &A, c: &A, d: &A) -> A {
    (alpha * a).matmul(b).matmul(c) + beta * d
}

pub fn k3mm(a: &A, b: &A, c: &A, d: &A) -> A {
    a.matmul(b).matmul(c).matmul(d)
}

pub fn mvt(x1: &A, x2: &A, y_1: &A, y_2: &A, a: &A) -> (A, A) {
    (x1 + a.matmul(y_1), x2 + y_2.matmul(a))
}

pub fn doitgen(nr: usize, nq: usize, np: usize, a: &A, c4: &A) -> A {
    a.reshape([nr, nq, 1, np]).matmul(c4).reshape([nr, nq, np])
}
