//! Sweeps in which an element looks at its neighbours.

use lazuli::prelude::*;

type A = DeviceArray<f64>;

pub fn adi(steps: usize, n: usize, mut u: A) -> A {
    let (mut v, mut p, mut q) = (u.zeros_like(), u.zeros_like(), u.zeros_like());
    let (dx, dy, dt) = (1.0 / n as f64, 1.0 / n as f64, 1.0 / steps as f64);
    let (mul1, mul2) = (2.0 * dt / (dx * dx), dt / (dy * dy));
    let (a, b) = (-mul1 / 2.0, 1.0 + mul2);
    let (c, d, e) = (a, -mul2 / 2.0, 1.0 + mul2);
    let f = d;
    let inner = 1..n - 1;
    for _ in 0..steps {
        v.assign(s![0, 1..n - 1], 1.0);
        p.assign(s![1..n - 1, 0], 0.0);
        q.assign(s![1..n - 1, 0], v.slice(s![0, 1..n - 1]));
        for j in inner.clone() {
            let below = a * p.slice(s![1..n - 1, j - 1]) + b;
            let above = -d * u.slice(s![j, ..n - 2]) + (1.0 + 2.0 * d) * u.slice(s![j, 1..n - 1])
                - f * u.slice(s![j, 2..])
                - a * q.slice(s![1..n - 1, j - 1]);
            p.assign(s![1..n - 1, j], -c / &below);
            q.assign(s![1..n - 1, j], above / below);
        }
        v.assign(s![n - 1, 1..n - 1], 1.0);
        for j in inner.clone().rev() {
            let next = p.slice(s![1..n - 1, j]) * v.slice(s![j + 1, 1..n - 1]);
            v.assign(s![j, 1..n - 1], next + q.slice(s![1..n - 1, j]));
        }

        u.assign(s![1..n - 1, 0], 1.0);
        p.assign(s![1..n - 1, 0], 0.0);
        q.assign(s![1..n - 1, 0], u.slice(s![1..n - 1, 0]));
        for j in inner.clone() {
            let below = d * p.slice(s![1..n - 1, j - 1]) + e;
            let above = -a * v.slice(s![..n - 2, j]) + (1.0 + 2.0 * a) * v.slice(s![1..n - 1, j])
                - c * v.slice(s![2.., j])
                - d * q.slice(s![1..n - 1, j - 1]);
            p.assign(s![1..n - 1, j], -f / &below);
            q.assign(s![1..n - 1, j], above / below);
        }
        u.assign(s![1..n - 1, n - 1], 1.0);
        for j in inner.clone().rev() {
            let next = p.slice(s![1..n - 1, j]) * u.slice(s![1..n - 1, j + 1]);
            u.assign(s![1..n - 1, j], next + q.slice(s![1..n - 1, j]));
        }
    }
    u
}

pub fn fdtd_2d(tmax: usize, mut ex: A, mut ey: A, mut hz: A, fict: &A) -> (A, A, A) {
    for t in 0..tmax {
        ey.assign(s![0, ..], fict.slice(s![t]));
        let d = hz.slice(s![1.., ..]) - hz.slice(s![..-1, ..]);
        ey.assign(s![1.., ..], ey.slice(s![1.., ..]) - 0.5 * d);
        let d = hz.slice(s![.., 1..]) - hz.slice(s![.., ..-1]);
        ex.assign(s![.., 1..], ex.slice(s![.., 1..]) - 0.5 * d);
        let curl = ex.slice(s![..-1, 1..]) - ex.slice(s![..-1, ..-1]) + ey.slice(s![1.., ..-1])
            - ey.slice(s![..-1, ..-1]);
        hz.assign(s![..-1, ..-1], hz.slice(s![..-1, ..-1]) - 0.7 * curl);
    }
    (ex, ey, hz)
}

pub fn heat_3d(steps: usize, mut a: A, mut b: A) -> (A, A) {
    fn sweep(a: &A) -> A {
        let centre = a.slice(s![1..-1, 1..-1, 1..-1]);
        0.125 * (a.slice(s![2.., 1..-1, 1..-1]) - 2.0 * &centre + a.slice(s![..-2, 1..-1, 1..-1]))
            + 0.125
                * (a.slice(s![1..-1, 2.., 1..-1]) - 2.0 * &centre + a.slice(s![1..-1, ..-2, 1..-1]))
            + 0.125
                * (a.slice(s![1..-1, 1..-1, 2..]) - 2.0 * &centre + a.slice(s![1..-1, 1..-1, ..-2]))
            + centre
    }
    for _ in 1..steps {
        b.assign(s![1..-1, 1..-1, 1..-1], sweep(&a));
        a.assign(s![1..-1, 1..-1, 1..-1], sweep(&b));
    }
    (a, b)
}

pub fn jacobi_1d(steps: usize, mut a: A, mut b: A) -> (A, A) {
    let mean = |x: &A| 0.33333 * (x.slice(s![..-2]) + x.slice(s![1..-1]) + x.slice(s![2..]));
    for _ in 1..steps {
        b.assign(s![1..-1], mean(&a));
        a.assign(s![1..-1], mean(&b));
    }
    (a, b)
}

pub fn jacobi_2d(steps: usize, mut a: A, mut b: A) -> (A, A) {
    fn mean(x: &A) -> A {
        0.2 * (x.slice(s![1..-1, 1..-1])
            + x.slice(s![1..-1, ..-2])
            + x.slice(s![1..-1, 2..])
            + x.slice(s![2.., 1..-1])
            + x.slice(s![..-2, 1..-1]))
    }
    for _ in 1..steps {
        b.assign(s![1..-1, 1..-1], mean(&a));
        a.assign(s![1..-1, 1..-1], mean(&b));
    }
    (a, b)
}

pub fn seidel_2d(steps: usize, n: usize, mut a: A) -> A {
    for _ in 0..steps - 1 {
        for i in 1..n - 1 {
            let sum = a.slice(s![i - 1, ..-2])
                + a.slice(s![i - 1, 1..-1])
                + a.slice(s![i - 1, 2..])
                + a.slice(s![i, 2..])
                + a.slice(s![i + 1, ..-2])
                + a.slice(s![i + 1, 1..-1])
                + a.slice(s![i + 1, 2..]);
            a.assign(s![i, 1..-1], a.slice(s![i, 1..-1]) + sum);
            for j in 1..n - 1 {
                a.assign(s![i, j], a.slice(s![i, j]) + a.slice(s![i, j - 1]));
                a.assign(s![i, j], a.slice(s![i, j]) / 9.0);
            }
        }
    }
    a
}
