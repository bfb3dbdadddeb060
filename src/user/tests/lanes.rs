//! Functions with loops, whose lanes run together under masks.

use super::{Cases, Range};
use crate::device;
use crate::device::Float;
use crate::dtype::Complex;
use crate::function::TileArg;
use crate::user::code::DeviceFn;
use crate::user::tile::tile_fn;

#[device]
fn escape(c: Complex<f64>, most: u32) -> u32 {
    let mut z = Complex::new(0.0, 0.0);
    for step in 0..most {
        z = z * z + c;
        if z.re * z.re + z.im * z.im >= 4.0 {
            return step;
        }
    }
    most
}

/// A call whose argument is an expression, between expressions.
#[device]
fn pixel(re: f64, im: f64) -> u8 {
    let scaled = escape(Complex::new(re / 4.0, im / 4.0), 40) + 1;
    scaled as u8
}

#[device]
fn newton<T: Float>(x: T) -> (T, u16) {
    let x = x.abs();
    let (mut y, mut turns) = (x, 0);
    while turns < 60 {
        let next = T::from_f64(0.5) * (y + x / y);
        if (next - y).abs() <= T::EPSILON * y {
            break;
        }
        y = next;
        turns += 1;
    }
    (y, turns)
}

#[device]
fn gcd(a: i32, b: i32) -> i32 {
    let (mut a, mut b) = (a % 1000, b % 1000);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

/// Lanes that have left would overflow and divide by zero.
#[device]
fn countdown(n: u8, m: i64) -> (u8, i64) {
    let mut n = n % 50;
    let mut m = m % 20;
    let mut sum = 0;
    loop {
        if n == 0 {
            break;
        }
        n -= 1;
        sum += 100 / (n as i64 + 1);
        m = -m;
        if m == 7 {
            continue;
        }
        sum ^= 3 << (n % 8);
        m = m.abs().rem_euclid(n as i64 + 1);
    }
    (n, sum * 2 - m)
}

#[device]
fn nested(n: i32, m: i32) -> (i32, i32, i32) {
    let (n, m) = (n % 13, m % 11);
    let mut count = 0;
    let mut found = (-1, -1);
    'rows: for i in 0..n {
        let mut weight = 1;
        for j in (i..n + m).rev() {
            weight = (weight * 3 + j) % 101;
            if weight == 50 {
                continue 'rows;
            }
            if weight == 7 {
                found = (i, j);
                break 'rows;
            }
            let mut k = j;
            while k > 0 {
                k /= 2;
                count += 1;
                if k == 3 {
                    break;
                }
            }
        }
        for k in -3..=i {
            if (k + weight) % 9 == 8 {
                return (count, k, found.1);
            }
            found.0 += k;
        }
        count += weight;
    }
    (count, found.0, found.1)
}

#[device]
fn with_values(x: f64, n: i32) -> (f64, i32, f64) {
    let n = n % 20;
    let mut k = 0;
    let first = loop {
        k += 1;
        if k * k > n {
            break k * 10;
        }
        if k > 3 {
            break -k;
        }
    };
    let half = 'half: {
        if x < -2.0 {
            break 'half -1.0;
        }
        let mut y = x;
        for _ in 0..n {
            y *= 0.75;
            if y < 1.0 {
                break 'half y;
            }
        }
        y + 100.0
    };
    let chosen = if x > 1.0 {
        let mut s = 0.0;
        for i in 0..first {
            s += 1.0 / (i as f64 + x);
        }
        s
    } else if x < -8.0 {
        return (x, first, half);
    } else {
        (x * 0.25).exp() + (x * 0.5).sin()
    };
    (chosen, first, half)
}

/// Never ends for zero.
#[device]
fn halvings(n: u32) -> u32 {
    let (mut n, mut count) = (n, 0);
    while n % 2 == 0 {
        n /= 2;
        count += 1;
    }
    count
}

#[device]
fn twice(x: u32) -> u32 {
    x.wrapping_mul(2)
}

/// Calls that some lanes must not make.
#[device]
fn guarded(n: u32, m: u32) -> (u32, bool, bool) {
    let even = n > 0 && halvings(n) > 1;
    let odd = n == 0 || halvings(n) == 0 || m > 5;
    let mut sum = if m > 3 && odd { twice(m) } else { 1 };
    if n != 0 {
        sum = sum.wrapping_add(halvings(twice(n | 1)) + halvings(n | 8) * 3);
    }
    (sum, even, odd)
}

#[device]
fn declared_later(x: f64, n: u8) -> f64 {
    let y: f64;
    let z: Complex<f64>;
    if n % 3 == 0 {
        y = x;
        z = Complex::new(x, 1.0);
    } else {
        let mut t = x;
        while t > 1.0 {
            t *= 0.5;
        }
        y = t;
        z = Complex::new(t, t) * 2.0;
    }
    let mut z = z;
    z.re += y;
    for k in 0..12 {
        let x = y * k as f64;
        z.im -= x;
        let x = x + 1.0;
        z *= Complex::new(0.5, 0.25 * x / (1.0 + x * x));
    }
    z.re + z.im
}

/// A sum that every lane takes equally far.
#[device]
fn series(x: f32) -> f32 {
    const TERMS: usize = 40;
    let mut sum = 0.0;
    let mut term = 1.0;
    for k in 1..TERMS + 1 {
        term *= x * 0.5 / k as f32;
        if k % 7 == 0 {
            continue;
        }
        sum += term;
    }
    sum
}

/// Some lanes turn a thousand times as often as others.
#[device]
fn uneven(n: u16) -> u32 {
    let mut sum: u32 = 1;
    let most = if n % 16 == 3 { n / 8 } else { n % 4 };
    for k in 0..most {
        sum = (sum * 5 + k as u32) & 0xffff;
    }
    sum
}

/// Has no lane form: an array in registers.
#[device]
fn with_array(n: u8) -> u8 {
    let mut list = [0; 4];
    for k in 0..n {
        list[(k % 4) as usize] ^= k;
    }
    list[1]
}

/// The fast sine of such numbers may be anything, and with it the index.
#[device]
fn looked_up(x: f64) -> i32 {
    let list = [31, 41, 59, 26, 53];
    let k = ((x * 1e300).sin() * 2.0 + 2.5) as usize;
    100 * list[k] / (k as i32 + 1)
}

/// And with it how often a loop turns, and what it divides by.
#[device]
fn turned(x: f64, n: i32) -> i32 {
    let (mut y, mut sum) = ((x * 1e300).sin().abs() + 0.5, n % 1000);
    while y > 0.01 {
        sum = sum / ((y * 40.0) as i32 + 1) + looked_up(x + y);
        y *= 0.5;
    }
    for k in 0..((x * 1e300).cos() * 4.0 + 4.5) as u16 {
        sum -= k as i32;
    }
    sum
}

#[test]
fn lanes_that_run_together_give_what_each_gives_alone() {
    Cases::default()
        .add::<escape, ()>(Range::Small, 0.0)
        .add::<pixel, ()>(Range::Edges, 0.0)
        .add::<newton, (f64,)>(Range::Edges, 1e-15)
        .add::<newton, (f32,)>(Range::Edges, 2e-7)
        .add::<gcd, ()>(Range::Edges, 0.0)
        .add::<countdown, ()>(Range::Small, 0.0)
        .add::<nested, ()>(Range::Edges, 0.0)
        .add::<with_values, ()>(Range::Small, 1e-13)
        .add::<guarded, ()>(Range::Edges, 0.0)
        .add::<declared_later, ()>(Range::Small, 1e-13)
        .add::<series, ()>(Range::Small, 1e-5)
        .add::<uneven, ()>(Range::Edges, 0.0)
        .add::<with_array, ()>(Range::Edges, 0.0)
        .add::<looked_up, ()>(Range::Edges, 0.0)
        .add::<turned, ()>(Range::Edges, 0.0)
        .check();
}

/// Functions with loops have lane forms.
const _: () = {
    assert!(<pixel as DeviceFn<()>>::LANES);
    assert!(<newton as DeviceFn<(f32,)>>::LANES);
    assert!(<nested as DeviceFn<()>>::LANES);
    assert!(<with_values as DeviceFn<()>>::LANES);
    assert!(<guarded as DeviceFn<()>>::LANES);
    assert!(<declared_later as DeviceFn<()>>::LANES);
    assert!(<series as DeviceFn<()>>::LANES);
    assert!(<turned as DeviceFn<()>>::LANES);
    assert!(!<twice as DeviceFn<()>>::LANES);
    assert!(!<with_array as DeviceFn<()>>::LANES);
};

#[device]
fn quotients(n: i32) -> i32 {
    let (mut k, mut sum) = (5, 0);
    while k != n {
        k -= 1;
        sum += 60 / k;
    }
    sum
}

#[test]
#[should_panic(expected = "divide by zero")]
fn what_panics_in_rust_panics_in_lanes() {
    run_quotients(&[3, 4, 1, -1, 2]);
}

/// Where nothing panicked, this would turn for ever.
#[device]
fn digits(n: u32, base: u32) -> u32 {
    let (mut n, mut sum) = (n, 0);
    while n != 0 {
        sum += n % base;
        n /= base;
    }
    sum
}

#[test]
#[should_panic(expected = "divisor of zero")]
fn a_lane_that_divides_by_zero_leaves_its_loop() {
    let (n, base, mut out) = ([300u32, 7, 12], [10u32, 0, 2], [0u32; 3]);
    let [n, base] = [&n, &base].map(|list| TileArg::near(list.as_ptr().cast(), true));
    // SAFETY: all have three elements.
    unsafe { tile_fn::<digits, ()>()(&[n, base], &[out.as_mut_ptr().cast()], 3) };
}

#[test]
fn what_panics_in_no_lane_does_not_panic() {
    assert_eq!(run_quotients(&[3, 4, 1, 5, 2]), [35, 15, 125, 0, 65]);
}

fn run_quotients(n: &[i32]) -> Vec<i32> {
    let mut out = vec![0; n.len()];
    let args = [TileArg::near(n.as_ptr().cast(), true)];
    // SAFETY: both have as many elements.
    unsafe { tile_fn::<quotients, ()>()(&args, &[out.as_mut_ptr().cast()], n.len()) };
    out
}
