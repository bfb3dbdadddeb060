//! Solvers and products of triangular and symmetric matrices, row by row and element by element.

use lazuli::prelude::*;

type A = DeviceArray<f64>;

pub fn cholesky(mut a: A) -> A {
    let n = a.shape()[0];
    a.assign(s![0, 0], a.slice(s![0, 0]).sqrt());
    for i in 1..n {
        for j in 0..i {
            let product = a.slice(s![i, ..j]).dot(&a.slice(s![j, ..j]));
            a.assign(s![i, j], a.slice(s![i, j]) - product);
            a.assign(s![i, j], a.slice(s![i, j]) / a.slice(s![j, j]));
        }
        let product = a.slice(s![i, ..i]).dot(&a.slice(s![i, ..i]));
        a.assign(s![i, i], a.slice(s![i, i]) - product);
        a.assign(s![i, i], a.slice(s![i, i]).sqrt());
    }
    a
}

pub fn cholesky2(a: &A) -> A {
    a.cholesky() + a.triu(1)
}

pub fn durbin(r: &A) -> A {
    let mut y = r.zeros_like();
    let mut alpha = -r.slice(s![0]);
    let mut beta = A::ones(());
    y.assign(s![0], -r.slice(s![0]));
    for k in 1..r.len() {
        beta *= 1.0 - &alpha * &alpha;
        let product = r.slice(s![..k]).flip(0).dot(&y.slice(s![..k]));
        alpha = -(r.slice(s![k]) + product) / &beta;
        y.assign(s![..k], y.slice(s![..k]) + &alpha * y.slice(s![..k]).flip(0));
        y.assign(s![k], &alpha);
    }
    y
}

pub fn gramschmidt(mut a: A) -> (A, A, A) {
    let n = a.shape()[1];
    let mut q = a.zeros_like();
    let mut r = A::zeros([n, n]);
    for k in 0..n {
        let norm = a.slice(s![.., k]).dot(&a.slice(s![.., k]));
        r.assign(s![k, k], norm.sqrt());
        q.assign(s![.., k], a.slice(s![.., k]) / r.slice(s![k, k]));
        for j in k + 1..n {
            r.assign(s![k, j], q.slice(s![.., k]).dot(&a.slice(s![.., j])));
            a.assign(s![.., j], a.slice(s![.., j]) - q.slice(s![.., k]) * r.slice(s![k, j]));
        }
    }
    (q, r, a)
}

pub fn lu(mut a: A) -> A {
    let n = a.shape()[0];
    for i in 0..n {
        for j in 0..i {
            let product = a.slice(s![i, ..j]).dot(&a.slice(s![..j, j]));
            a.assign(s![i, j], a.slice(s![i, j]) - product);
            a.assign(s![i, j], a.slice(s![i, j]) / a.slice(s![j, j]));
        }
        for j in i..n {
            let product = a.slice(s![i, ..i]).dot(&a.slice(s![..i, j]));
            a.assign(s![i, j], a.slice(s![i, j]) - product);
        }
    }
    a
}

pub fn ludcmp(a: A, b: &A) -> (A, A, A) {
    let n = a.shape()[0];
    let (mut x, mut y) = (b.zeros_like(), b.zeros_like());
    let a = lu(a);
    for i in 0..n {
        y.assign(s![i], b.slice(s![i]) - a.slice(s![i, ..i]).dot(&y.slice(s![..i])));
    }
    for i in (0..n).rev() {
        let rest = y.slice(s![i]) - a.slice(s![i, i + 1..]).dot(&x.slice(s![i + 1..]));
        x.assign(s![i], rest / a.slice(s![i, i]));
    }
    (x, y, a)
}

pub fn trisolv(l: &A, mut x: A, b: &A) -> A {
    for i in 0..x.len() {
        let rest = b.slice(s![i]) - l.slice(s![i, ..i]).dot(&x.slice(s![..i]));
        x.assign(s![i], rest / l.slice(s![i, i]));
    }
    x
}

pub fn trmm(alpha: f64, a: &A, mut b: A) -> A {
    let (m, n) = (b.shape()[0], b.shape()[1]);
    for i in 0..m {
        for j in 0..n {
            let product = a.slice(s![i + 1.., i]).dot(&b.slice(s![i + 1.., j]));
            b.assign(s![i, j], b.slice(s![i, j]) + product);
        }
    }
    b * alpha
}

pub fn symm(alpha: f64, beta: f64, c: &A, a: &A, b: &A) -> A {
    let (m, n) = (c.shape()[0], c.shape()[1]);
    let mut temp2 = A::zeros(n);
    let mut c = c * beta;
    for i in 0..m {
        for j in 0..n {
            let row = a.slice(s![i, ..i]);
            c.assign(s![..i, j], c.slice(s![..i, j]) + alpha * b.slice(s![i, j]) * &row);
            temp2.assign(s![j], b.slice(s![..i, j]).dot(&row));
        }
        let own = alpha * b.slice(s![i, ..]) * a.slice(s![i, i]);
        c.assign(s![i, ..], c.slice(s![i, ..]) + own + alpha * &temp2);
    }
    c
}

pub fn syrk(alpha: f64, beta: f64, mut c: A, a: &A) -> A {
    let (n, m) = (a.shape()[0], a.shape()[1]);
    for i in 0..n {
        c.assign(s![i, ..=i], c.slice(s![i, ..=i]) * beta);
        for k in 0..m {
            let column = alpha * a.slice(s![i, k]) * a.slice(s![..=i, k]);
            c.assign(s![i, ..=i], c.slice(s![i, ..=i]) + column);
        }
    }
    c
}

pub fn syr2k(alpha: f64, beta: f64, mut c: A, a: &A, b: &A) -> A {
    let (n, m) = (a.shape()[0], a.shape()[1]);
    for i in 0..n {
        c.assign(s![i, ..=i], c.slice(s![i, ..=i]) * beta);
        for k in 0..m {
            let columns = a.slice(s![..=i, k]) * alpha * b.slice(s![i, k])
                + b.slice(s![..=i, k]) * alpha * a.slice(s![i, k]);
            c.assign(s![i, ..=i], c.slice(s![i, ..=i]) + columns);
        }
    }
    c
}
