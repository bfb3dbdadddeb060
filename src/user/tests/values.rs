//! Tuples, arrays, complex numbers, constants, generics and calls.

use super::{Cases, Range};
use crate::device;
use crate::device::{Complex, Float, bf16, f16};

#[device]
fn pair(x: f64, y: f64) -> (f64, f64) {
    (x + y, x * y)
}

#[device]
fn of_pairs(x: f64, y: f64) -> (f64, f64, f64) {
    let (sum, product) = pair(x, y);
    let both = (pair(sum, product), 3.0);
    let ((a, _), c) = both;
    let mut moved = (a, c);
    moved.0 += 1.0;
    (moved.0, moved.1) = (moved.1, moved.0);
    (moved.0, moved.1, (both.0).1)
}

#[device]
fn registers(x: f64, k: u32) -> (f64, f64) {
    let mut a = [0.0; 5];
    for i in 0..5 {
        a[i] = x * i as f64;
        a[i] += 1.0;
    }
    let b = [1.0, 2.0, x];
    let mut sum = 0.0;
    for v in a {
        sum += v;
    }
    let mut grid = [[0.0; 3]; 2];
    grid[1][2] = b[2];
    grid[0][(k % 3) as usize] += b[1];
    (sum + a[(k % 5) as usize], grid[1][2] + grid[0][0] * b[0])
}

const COEFFICIENTS: [f64; 4] = [0.31938153, -0.356563782, 1.781477937, -1.821255978];
static OFFSET: f32 = 0.1;

#[device]
fn constants(x: f64, y: f32) -> (f64, f64, f32, i32, f32, u64) {
    use std::f64::consts::{PI, TAU};
    const HALF: f64 = 0.5;
    const COUNT: usize = 4;
    let mut p = 0.0;
    for k in 0..COUNT {
        p = p * x + COEFFICIENTS[COUNT - 1 - k];
    }
    let largest = if y > 0.0 { f32::MAX } else { f32::MIN_POSITIVE };
    (p, x * PI + TAU * HALF, y + OFFSET, i32::MAX - 1, largest, u64::MAX)
}

#[device]
fn literals(x: f32) -> (f32, f64, u8, i64, f32, u32, i8) {
    let small = 0.1;
    let wide = 0.1;
    (x + small, wide, b'a', 5_000_000_000, 1e-3, 0xff, -128)
}

#[test]
fn tuples_arrays_and_constants() {
    Cases::default()
        .add::<of_pairs, ()>(Range::Edges, 0.0)
        .add::<registers, ()>(Range::Small, 0.0)
        .add::<constants, ()>(Range::Edges, 0.0)
        .add::<literals, ()>(Range::Edges, 0.0)
        .check();
}

#[device]
fn escape(c: Complex<f64>) -> u8 {
    let mut z = Complex::new(0.0, 0.0);
    for k in 0..20 {
        z = z * z + c;
        if z.norm_sqr() >= 4.0 {
            return k;
        }
    }
    20
}

#[device]
fn complex_operators(
    a: Complex<f64>,
    b: Complex<f64>,
) -> (Complex<f64>, Complex<f64>, Complex<f64>, Complex<f64>, bool) {
    let mut c = a * 2.0 + 1.0;
    c -= b;
    c *= 0.5;
    c /= 4.0;
    (a + b, (a - b) * b, a / b, -c, a == b)
}

#[device]
fn complex_parts(a: Complex<f64>) -> (f64, f64, f64, f64, f64, Complex<f64>) {
    let (r, angle) = a.to_polar();
    let w = Complex { re: a.im, im: 2.0 * a.re };
    (a.re, a.im, a.norm(), r, angle, w.conj().scale(3.0))
}

#[device]
fn complex_mathematics(
    a: Complex<f64>,
    b: Complex<f64>,
) -> (Complex<f64>, Complex<f64>, Complex<f64>, Complex<f64>, Complex<f64>) {
    (a.exp(), a.sqrt(), (a / 4.0).sin(), a.powi(3), Complex::from_polar(b.re, b.im))
}

#[test]
fn complex_numbers() {
    Cases::default()
        .add::<escape, ()>(Range::Small, 0.0)
        .add::<complex_operators, ()>(Range::Small, 1e-14)
        .add::<complex_parts, ()>(Range::Small, 1e-14)
        .add::<complex_mathematics, ()>(Range::Small, 1e-13)
        .check();
}

#[device]
fn sinexp<T: Float>(x: T, y: T) -> T {
    x.sin() * y.exp()
}

#[device]
fn polynomial<T: Float>(x: T) -> T {
    let half = T::from_f64(0.5);
    let mut sum = T::ZERO;
    for k in 1..4 {
        sum += (x * half).powi(k) / T::from_f64(k as f64);
    }
    if sum > T::ONE { sum - T::EPSILON } else { sum * T::PI }
}

#[device]
fn generic_calls<T>(x: T) -> (T, T)
where
    T: Float,
{
    (polynomial(x), polynomial::<T>(sinexp(x, T::ONE)))
}

#[device]
fn mixed(x: f32, y: f64) -> (f64, f32) {
    (polynomial(y) + polynomial(x) as f64, polynomial(2.5))
}

#[device]
fn truncated<const N: usize>(x: f64) -> f64 {
    let mut terms = [0.0; N];
    for k in 0..N {
        terms[k] = x / (k + 1) as f64;
    }
    let mut sum = 0.0;
    for term in terms {
        sum += term;
    }
    sum
}

#[device]
fn sized(x: f64) -> f64 {
    truncated::<2>(x) + truncated::<5>(x)
}

#[test]
fn generic_functions() {
    Cases::default()
        .add::<sinexp, (f64,)>(Range::Small, 1e-14)
        .add::<sinexp, (f32,)>(Range::Small, 1e-6)
        .add::<polynomial, (f64,)>(Range::Small, 1e-14)
        .add::<polynomial, (f32,)>(Range::Small, 1e-6)
        .add::<polynomial, (f16,)>(Range::Small, 1e-2)
        .add::<polynomial, (bf16,)>(Range::Small, 4e-2)
        .add::<generic_calls, (f64,)>(Range::Small, 1e-13)
        .add::<generic_calls, (f32,)>(Range::Small, 1e-4)
        .add::<mixed, ()>(Range::Small, 1e-6)
        .add::<sized, ()>(Range::Small, 1e-15)
        .check();
}
