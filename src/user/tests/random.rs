//! Random functions, made by tests/data/generate_functions.py.
#![allow(warnings, clippy::all)]

use super::{Cases, Range};
use crate::device;

#[device]
fn random_0(a0: i16, a1: i16) -> (i32, f64, bool) {
    let mut v1: u8 = (a0 as u8).wrapping_pow(3);
    for v2 in (1..7).step_by(2) {
        let v2: i32 = v2;
        if ((1e3_f32).is_nan() && ((3_u16) != 1_u16)) {
            let mut x: u16 = ((a1 as u16) ^ (a0 as u16).wrapping_add((!(a0 as u16))));
            v1 = (v1 as u8).wrapping_add(v1.max(v1));
        } else {
            let mut x: i16 = a0.saturating_sub((a1 & a1.saturating_add(a1)));
            let v5: u32 = (((-2.5_f32)) as u32).wrapping_shr((a0 as u32));
        }
        if (if (v1 != v1) { (v2 <= 1) } else { ((v1 as f32) <= (a1 as f32)) }) {
            return ((v2.count_ones() as i32), ((v2 as f32) as f64).round(), ((a0 != a0) || ((-0.0_f64)).is_nan()));
        }
        if ((v1 as i32) <= v2.max(2147483647_i32)) {
            continue;
        }
        let mut v6: f64 = (-(((-0.0_f32)) as f64));
    }
    if ((a0 as f32) < ((0.0_f32) + (v1 as f32))) {
        if (if ((a1 > 2) && (v1 > 0_u8)) { (a0 as f32).is_nan() } else { let w6: bool = ((a0 > -32768_i16) || (a0 > 1_i16)); w6 }) {
            return ((a0 as i32).min((a0 as i32).rotate_left((v1 as u32))), ((a0 as f64) as f64), ((a1 as i32) < (((-2147483648_i32)).count_ones() as i32)));
        }
        if ((a1 as i64) <= ((-9223372036854775808_i64)).wrapping_shl((a1 as u32))) {
            v1 &= (a0 as u8).wrapping_add((if false { v1 } else { v1 }));
            v1 = v1.wrapping_shr((v1 as u32));
        } else {
            let mut v8: u8 = v1.wrapping_rem(v1 | 1);
            v8 = v1.wrapping_pow(3);
        }
    } else {
        let mut v9: i32 = ((a1 as f64) as i32).wrapping_sub((v1 as i32).saturating_sub((a0 as i32).wrapping_shr((2_u32))));
        if (((a1 as f32) as u16) != (2_u16).wrapping_neg()) {
            let mut v10: u32 = ((a0 as u32).leading_zeros() as u32);
            v1 = v1.max(v1.wrapping_mul(v1));
        } else {
            v9 = v9.wrapping_rem((a1 as i32) | 1);
            v9 = (((a0 as i64) as i64) as i32);
        }
    }
    v1 = v1.swap_bytes();
    let v11: u64 = (!(a1 as u64));
    ((a1 as i32).wrapping_div((a1 as i32) | 1), (if (a1 != a1) { ((a0 as f64) + -2.5_f64) } else { let w11: f64 = (a0 as f64).signum(); w11 }), (v1 as f64).is_nan())
}

#[device]
fn random_1(a0: u32, a1: u64, a2: u64, a3: u32) -> (u32, i32, f32) {
    let v1: u8 = (a2 as u8).rotate_left(a3);
    let v2: i64 = (a0 as i64).rotate_left(a0);
    let mut x: i32 = (v2 as i32).wrapping_shr(a3);
    for x in 2..6 {
        let x: i32 = x;
        let mut v5: i16 = ((true) as i16).saturating_sub((v1 as i16));
        let v6: f64 = ((v1 as f64) % (if (v5 != v5) { (v2 as f64) } else { (a3 as f64).round() }));
        if (((a1 > 18446744073709551615_u64) && (a3 > 3_u32)) || (if (a0 > 4294967295) { true } else { (a0 > 0_u32) })) {
            break;
        }
        let mut v7: u8 = (a0 as u8).wrapping_neg();
    }
    let mut v8: u64 = (a0 as u64).wrapping_sub(((v2 as u64) >> (((v2 > 3) as u32) % 64)));
    (a3.wrapping_add(a0.max(a3)), (x ^ x.wrapping_sub(x)), (a2 as f32).round())
}

#[device]
fn random_2(a0: i32, a1: f64) -> (f64, u16, i8) {
    let v1: i64 = (if ((a0 as f64) < a1.copysign(1e3)) { ((a0 as i64) | (a1 as i64).wrapping_mul((a1 as i64))) } else { ((a0 as i64) << (((a1 as i8) as u32) % 64)) });
    let v3: i64 = (a0 as i64).min(v1.wrapping_sub((if (a1 > 1e3_f64) { v1 } else { let w1: i64 = 2_i64; w1 })));
    let mut x: i32 = a0.wrapping_pow(3);
    let x: bool = (if (((a1 > 7.25_f64) && (x > 2147483647)) && ((a1 as u32) != 100)) { (!((v1 as i16) < (a1 as i16))) } else { ((a0 as u32) != (0_u32).wrapping_add(1_u32)) });
    let v6: f32 = ((v3 as f32) / (((a1 as f32) as f32) % (a1 as f32).copysign((a0 as f32))));
    ((v3 as f64), (if (x && x) { (x as u16).wrapping_add((a0 as u16)) } else { ((v3 as u16) & (v3 as u16)) }), (v6 as i8).min((v3 as i8).wrapping_mul(100)))
}

#[device]
fn random_3(a0: u32, a1: f64) -> (u16, i8) {
    let mut x: i8 = (a1 as i8).saturating_add((((a0 as i16) as i8).count_ones() as i8));
    if ((a1 as u32) > a0.wrapping_mul(a0)) {
        return (((a1 as f32) as u16), (a0 as i8).wrapping_pow(3));
    }
    if (x != (x >> (a0 % 8))) {
        if (!(a1 != a1)) {
            return (((x as u16).count_ones() as u16), (if ((0_u8) <= 0_u8) { x.saturating_sub(x) } else { x.saturating_sub(x) }));
        }
        let mut x: f32 = ((x as f32) / (x as f32).copysign((a0 as f32).abs()));
    } else {
        if ((a1 as f32).is_nan() ^ (((-9223372036854775808_i64)) > (a1 as i64))) {
            return (((x as u16).count_ones() as u16), (((a1 > -2.5)) as i8));
        }
        x &= x.wrapping_mul((if false { x } else { x }));
    }
    match (x as u8) {
        0 => {
            if (a1 as f64).is_nan() {
                return ((x as u16).min((65535_u16).wrapping_shl(a0)), x.wrapping_shl(a0));
            }
        }
        1 | 2 => {
            let mut v4: u32 = ((x as f32) as u32).wrapping_neg();
        }
        3..=100 => {
            x ^= (a1 as i8).wrapping_rem((x as i8) | 1);
        }
        other if ((a0 as i32) < (2_i32).wrapping_neg()) => {
            x = (other as i8).max((x << (a0 % 8)));
        }
        _ => {
            let v5: i16 = ((a0 as u16) as i16);
        }
    }
    match (a1 as i32) {
        0 => {
            let mut v7: bool = (!(if (if false { (a1 > 1e3_f64) } else { (a0 > 2) }) { (!(a1 > 0.1_f64)) } else { let w5: bool = ((a1 as u64) != (a0 as u64)); w5 }));
        }
        1 | 2 => {
            let mut v10: i16 = (if ((a0 as u64) < (100_u64).wrapping_div((a0 as u64) | 1)) { (a1 as i16).saturating_sub((if (x > 2) { (x as i16) } else { let w7: i16 = (a0 as i16); w7 })) } else { let w8: i16 = ((a0 as i64) as i16).max((0_i16).min(2_i16)); w8 });
        }
        3..=100 => {
            if (a0 as f32).is_nan() {
                x = ((a0 as i32) as i8);
                x ^= x.min(x.min(-128));
            } else {
                x = x.wrapping_mul((if (((-32768_i16)) > 1) { (x.leading_zeros() as i8) } else { x.rotate_left(a0) }));
                x = (a1 as i8).max(x.saturating_add(x));
            }
        }
        other if (a1 as f32).is_nan() => {
            let mut v11: u8 = ((a1 as u8) | ((a1 as u8) << (a0 % 8)));
        }
        _ => {
            let v12: bool = ((a0 as i64) >= (x as i64).saturating_add((100_i64).wrapping_neg()));
        }
    }
    (((a1 as u16) << (a0 % 16)), ((a0 as i8) ^ x.max(7_i8)))
}

#[device]
fn random_4(a0: bool, a1: i16, a2: u64) -> (u32, f64, u8) {
    let mut x: i16 = (a0 as i16).wrapping_pow(3);
    let v2: i32 = (a2 as i32).max((a1 as i32).wrapping_div((a2 as i32) | 1));
    if ((a2 != a2) && ((a1 as u8) <= (a2 as u8))) {
        let v3: f32 = (v2 as f32).sqrt();
        x = (if ((x as i64) != (v3 as i64).swap_bytes()) { a1.wrapping_sub(x.wrapping_sub(a1)) } else { let w4: i16 = a1.saturating_add((a1 << ((a1 as u32) % 16))); w4 });
    } else {
        match (v2 as i32) {
            0 => {
                let mut v6: u8 = (v2 as u8).wrapping_sub((a1 as u8).wrapping_pow(3));
            }
            1 | 2 => {
                let mut v7: i64 = (v2 as i64).min(((x as i64).leading_zeros() as i64));
            }
            3..=100 => {
                x = a1.wrapping_mul(((a2 as i16) >> ((a0 as u32) % 16)));
            }
            other if ((x as u16) < (x as u16).max((a0 as u16))) => {
                x = (other as i16).saturating_sub(a1.max(32767_i16));
            }
            _ => {
                x = ((a1 as u32) as i16).wrapping_mul((x & x));
            }
        }
        let mut v10: i64 = ((a0 as i64) >> ((x as u32) % 64));
    }
    let mut x: f64 = ((a2 as f64) % (v2 as f64).signum());
    if ((v2 as u64) == a2.swap_bytes()) {
        if ((a2 as f32) >= (0.0_f32).min(7.25_f32)) {
            let mut v12: f32 = (a1 as f32).abs();
            v12 = ((((-9223372036854775808_i64)) as f32) % (v12 - v12));
        } else {
            let mut x: u64 = (a2 >> ((a2 as u32) % 64));
            x = a2.saturating_sub((a2 | 3));
        }
        x /= (x + (x * 1.0_f64));
    } else {
        let mut v14: u32 = ((a2 as u32) as u32);
        let mut x: i32 = v2.wrapping_rem(v2 | 1);
    }
    ((a2 as u32).wrapping_sub((if a0 { 2_u32 } else { let w15: u32 = (v2 as u32); w15 })), x.mul_add(x.min(x), ((a2 as u8) as f64)), (if (false && a0) { (v2 as u8).wrapping_mul((a1 as u8)) } else { (0_u8).saturating_add((v2 as u8)) }))
}

#[device]
fn random_5(a0: u32, a1: f64) -> (bool, f32) {
    let v2: i8 = (if (a1 as f32).is_nan() { ((a0 as i64) as i8).wrapping_shr(a0) } else { let w0: i8 = ((a0 as i8) ^ (a1 as i8).max((a1 as i8))); w0 });
    let mut v3: i64 = ((v2 as i64) >> (a0 % 64));
    let mut v4: f64 = a1.floor();
    v3 |= (((v2 as f32) as u16) as i64);
    v4 = a1.signum();
    ((((true) as i16) != (32767_i16).wrapping_shr(a0)), ((v4 as f32) * (if (a1 > 0.1_f64) { (a0 as f32) } else { let w4: f32 = (v4 as f32); w4 })))
}

#[device]
fn random_6(a0: f64, a1: bool) -> (i8, f64, u16) {
    let v1: i16 = (a1 as i16).wrapping_neg();
    let v3: i32 = ((0.0_f32) as i32).max((if ((65535_u16) < 3) { (if false { (a1 as i32) } else { let w1: i32 = (a0 as i32); w1 }) } else { (a1 as i32).saturating_sub((v1 as i32)) }));
    let v4: i8 = ((v3 as i8) | (v3 as i8).min((7_i8).wrapping_shl((3_u32))));
    let mut v5: f64 = a0.mul_add((a0 % a0.mul_add(a0, 0.0)), ((a1 as u8 as f64) % a0.trunc()));
    let mut v6: f64 = (if (if (a1 || a1) { (a1 ^ a1) } else { (a0 == -2.5_f64) }) { (v5 + v5.signum()) } else { (v5 + (a0 + 7.25_f64)) });
    ((v4 | v4.min(3)), (if ((v5 as u32) < (v6 as u32)) { (if true { -2.5_f64 } else { -2.5_f64 }) } else { (if true { v5 } else { v5 }) }), (if (!a1) { (3_u16).wrapping_pow(3) } else { (v5 as u16).wrapping_add((v3 as u16)) }))
}

#[device]
fn random_7(a0: f64, a1: f64, a2: f64) -> (f32, i16) {
    let v1: f32 = (if (((a1 as i8) as i64) == ((a2 as i64) << ((a1 as u32) % 64))) { (((a0 as f32) as f32) % (a0 as f32).abs()) } else { ((a1 as f32) * (a2 as f32).max((a2 as f32))) });
    let x: u32 = (if a2.is_nan() { (a0 as u32).wrapping_sub((a2 as u32).min((v1 as u32))) } else { (a0 as u32).wrapping_div((a1 as u32) | 1) });
    let v4: u16 = ((a1 as i32) as u16).wrapping_mul((if (false && (x > 0)) { (a2 as u16).swap_bytes() } else { let w2: u16 = (!(v1 as u16)); w2 }));
    let mut v7: i8 = (if (if (v1 == v1) { ((a1 > -2.5) && false) } else { let w4: bool = ((a0 > 1.0_f64) && true); w4 }) { ((x as i8) & ((a1 as i8) & 7)) } else { let w5: i8 = (v1 as i8).wrapping_mul((x as i8).wrapping_shr(x)); w5 });
    v7 = v7.wrapping_sub((v7 & v7.wrapping_rem(v7 | 1)));
    ((v1 / v1.sqrt()), (v1 as i16).saturating_sub((3_i16).wrapping_rem((x as i16) | 1)))
}

#[device]
fn random_8(a0: bool, a1: bool, a2: u32, a3: u8) -> (u8, f64) {
    let mut v1: f32 = (if (a2 as f32).is_nan() { (a2 as f32).copysign(((1e3_f32) - (a1 as u8 as f32))) } else { (if ((7_u64) > 18446744073709551615) { (a0 as u8 as f32).copysign((a1 as u8 as f32)) } else { ((a3 as f32) - (a0 as u8 as f32)) }) });
    let v2: i8 = (if (a3 as f32).is_nan() { (a0 as i8).swap_bytes() } else { (v1 as i8).saturating_add(((a0 as i8).count_ones() as i8)) });
    v1 /= (v1 + (a3 as f32));
    let mut v4: f32 = (if (v2 > v2.wrapping_pow(3)) { (v1 % (if a1 { 0.0_f32 } else { 0.1 })) } else { let w2: f32 = (v1 + v1.copysign(7.25)); w2 });
    v1 = v1.round();
    ((a3.leading_zeros() as u8), ((a3 as f64) - ((v1 as u64) as f64)))
}

#[device]
fn random_9(a0: i32, a1: f32, a2: f32, a3: u8) -> (f32, f64) {
    let mut v1: bool = (if ((a1 as u16) > ((a3 as u16) | (a3 as u16))) { (if ((a3 > 100) || false) { (false && (a2 > -2.5_f32)) } else { (a0 != a0) }) } else { (!((a1 > 1e3) ^ (a1 > 1e3_f32))) });
    let v2: f64 = ((a0 as f64) + ((3_u32) as f64).abs());
    let mut v3: u32 = ((0_u32) as u32).wrapping_neg();
    let v4: u16 = (a0 as u16).max((((v1 as u64) as u16) << (v3 % 16)));
    if ((v4 as i64) != (v3 as i64).min(0_i64)) {
        return ((if (v4 > 3_u16) { (a2 - a1) } else { (v3 as f32) }), (a2 as f64).max((v2 % v2)));
    }
    (a1.min(a1.trunc()), ((v3 as f64) + (v2 + v2)))
}

#[device]
fn random_10(a0: i64, a1: f64, a2: f64) -> (i8, u64, i64) {
    let mut x: i64 = ((a0 as u32) as i64);
    if (a0 < (a0 & x)) {
        return ((a2 as i8).wrapping_shr((a0 as u32)), (a2 as u64).saturating_sub((a2 as u64).saturating_add(2_u64)), (a0 as i64).wrapping_mul(a0.wrapping_add(9223372036854775807)));
    }
    let mut v2: i16 = (a0 as i16).wrapping_rem(((a0 as i32) as i16) | 1);
    v2 ^= ((a0 as i16) | v2.wrapping_pow(3));
    let mut x: u32 = ((a2 as i8) as u32);
    ((x as i8).wrapping_mul((if true { 127_i8 } else { (a2 as i8) })), (a1 as u64).wrapping_mul((x as u64).swap_bytes()), ((a0 > 1_i64) as i64).max((!a0)))
}

#[device]
fn random_11(a0: f32, a1: u64) -> (f32, bool) {
    let mut v1: u64 = (a1 as u64).wrapping_shr(((a1 as u8) as u32));
    for v2 in 2..=7 {
        let v2: i32 = v2;
        if ((v2 as i8) as f32).is_nan() {
            return ((v1 as f32).signum(), ((a0 as i8) >= ((a0 as i8) << ((3_u32) % 8))));
        }
        let mut v4: i64 = ((v2 as i64) | ((a0 as i64) | (v1 as i64).wrapping_shr((a1 as u32))));
        if ((!(v2 > 2147483647)) ^ ((0_u8) != 0)) {
            continue;
        }
        v1 = (v1 >> ((v2 as u32) % 64));
    }
    match (a1 as i64) {
        0 => {
            v1 = (a0 as u64).wrapping_add(v1.wrapping_shl((a0 as u32)));
        }
        1 | 2 => {
            match (a1 as u16) {
                0 => {
                    let mut x: i8 = (if (v1 != (v1 & v1)) { (if (!(a1 > 18446744073709551615_u64)) { (a0 as i8).wrapping_sub((a0 as i8)) } else { (if (a0 > 1e3_f32) { (a1 as i8) } else { (a0 as i8) }) }) } else { (((a1 as i32) as u16) as i8) });
                }
                1 | 2 => {
                    v1 = (!v1);
                }
                3..=100 => {
                    v1 = a1.saturating_sub(a1.saturating_sub(v1));
                }
                other if ((a0 as f64) > ((1.0_f64) % (a0 as f64))) => {
                    v1 = v1.max(v1.wrapping_div(a1 | 1));
                }
                _ => {
                    v1 ^= (a1 as u64).wrapping_shr((v1 as u32));
                }
            }
        }
        3..=100 => {
            v1 = a1.rotate_left((a1 as u32));
        }
        other if (((a1 as i64) as i8) != (a0 as i8).wrapping_mul((a1 as i8))) => {
            v1 = a1.wrapping_add(a1.min(v1.wrapping_sub(v1)));
        }
        _ => {
            v1 = (v1 as u64).wrapping_div((v1 as u64) | 1);
        }
    }
    v1 = (if ((true && false) || ((a1 as i64) >= -9223372036854775808_i64)) { (a0 as u64).saturating_add(v1.wrapping_mul(v1)) } else { (a1 as u64).min((v1 | a1)) });
    v1 &= (if (if (a0 > -2.5_f32) { (a0 > 0.1_f32) } else { let w6: bool = (a1 > 7_u64); w6 }) { ((a1 as u8) as u64) } else { a1.min(a1) });
    ((v1 as f32).mul_add((-a0), (if (a1 > 7_u64) { a0 } else { a0 })), (((3_i64) as i8) == ((100_i8) << ((v1 as u32) % 8))))
}

#[device]
fn random_12(a0: i8, a1: u8, a2: u8, a3: i8) -> (f32, u32) {
    let mut x: u16 = (a1 as u16).wrapping_rem((a2 as u16) | 1);
    x ^= ((a1 as u16) << ((a2 as u32) % 16));
    let v2: i16 = (a2 as i16).saturating_sub(((x as u64) as i16).wrapping_div((a0 as i16) | 1));
    let v3: f64 = (if ((a0 as i8) < ((0_i64) as i8)) { ((a0 as f64) as f64).floor() } else { (a1 as f64).signum() });
    if (((0_u32) <= (a2 as u32)) || (if false { true } else { (v3 > 1e3) })) {
        return ((a0 as f32).signum(), (a0 as u32).max((1_u32).wrapping_rem((a0 as u32) | 1)));
    }
    (((x as i64) as f32).floor(), ((x as i32) as u32))
}

#[device]
fn random_13(a0: u32, a1: f32) -> (u64, f64) {
    let mut v1: f64 = (a1 as f64);
    if (if (true || (a1 > 0.1_f32)) { a1.is_nan() } else { (if (a1 > 7.25) { false } else { (v1 > 0.1_f64) }) }) {
        let mut v4: u8 = (if ((a1 as i16) >= (!(v1 as i16))) { (v1 as u8).max((v1 as u8)) } else { let w2: u8 = (((a1 as i8) as u8).leading_zeros() as u8); w2 });
        let mut v5: u16 = (((a1 as u64) as u16) ^ ((v1 as i32) as u16).wrapping_add((v1 as u16).wrapping_add((v4 as u16))));
    } else {
        match (a1 as u8) {
            0 => {
                let mut v6: f32 = a1.copysign((a1 + a1.copysign(a1)));
            }
            1 | 2 => {
                v1 *= ((a0 as u32) as f64);
            }
            3..=100 => {
                v1 *= v1.abs();
            }
            other if (if v1.is_nan() { ((3_u64) != 100) } else { let w6: bool = ((a0 as i16) <= (a0 as i16)); w6 }) => {
                let v8: i32 = ((a1 as i32) ^ (a0 as i32).saturating_add((v1 as i32).saturating_add(1_i32)));
            }
            _ => {
                v1 = ((a0 as u16) as f64).copysign(v1.trunc());
            }
        }
        let mut v9: f64 = (if (((a1 as u8) as u16) != ((a0 > 7) as u16)) { ((a1 as i32) as f64) } else { (if v1.is_nan() { v1.floor() } else { v1.trunc() }) });
    }
    let mut v10: bool = (((a1 as u64) as u64) != (if a1.is_nan() { (3_u64).wrapping_pow(3) } else { ((0_u64) ^ (a0 as u64)) }));
    let v11: i16 = ((a0 as i16) & ((a0 as i16) | ((v1 as i16) | (v10 as i16))));
    v10 = ((v10 as u8 as f64) >= (if ((3_i32) == (a0 as i32)) { (v1 * v1) } else { v1.sqrt() }));
    ((v1 as u64).wrapping_add((v11 as u64).min((v1 as u64))), ((v11 as f64) / (-v1)))
}

#[device]
fn random_14(a0: i64, a1: u8) -> (u16, f32) {
    let mut v2: u64 = ((a1 as f32) as u64).wrapping_mul((if (!(a0 > 100_i64)) { (a1 as u64).wrapping_sub((a1 as u64)) } else { let w0: u64 = ((18446744073709551615_u64) >> ((a0 as u32) % 64)); w0 }));
    if ((v2 as i32) >= (a0 as i32).saturating_add((v2 as i32))) {
        return (((1_i32) as u16).wrapping_mul((2_u16).wrapping_div((a1 as u16) | 1)), ((a0 as f32) / ((-2.5_f32)).round()));
    }
    if ((v2 as i8) < (7_i8).wrapping_add((v2 as i8))) {
        return ((v2 as u16).saturating_sub((a0 as u16).wrapping_div((3_u16) | 1)), (a1 as f32).floor());
    }
    let v4: u16 = (v2 as u16).saturating_add(((v2 as u8) as u16));
    v2 = v2.wrapping_rem(((true) as u64) | 1);
    (v4.wrapping_sub(v4.swap_bytes()), (v2 as f32).signum())
}

#[device]
fn random_15(a0: u8, a1: i16, a2: i8, a3: f32) -> (i16, u64, i16) {
    let mut v2: f32 = a3.abs();
    if (((7_u32) as i64) == (v2 as i64)) {
        return ((a1 as i16).min(a1.rotate_left((v2 as u32))), ((v2 as u64) | (if (v2 > 1.0) { 100_u64 } else { let w2: u64 = (a1 as u64); w2 })), ((a0 as u16) as i16).rotate_left((a1 as u32)));
    }
    match (v2 as u32) {
        0 => {
            let mut v4: i8 = a2.wrapping_mul(a2.saturating_sub(a2.saturating_sub(-128)));
        }
        1 | 2 => {
            if (((a1 > 7) ^ (v2 > 7.25_f32)) && ((0.1_f64) < (v2 as f64))) {
                return ((a1 as i16), (a2 as u64).swap_bytes(), a1.wrapping_div(a1 | 1));
            }
        }
        3..=100 => {
            let v5: u16 = (!(a0 as u16));
        }
        other if (((7.25_f64) as i64) < ((a0 as i64).leading_zeros() as i64)) => {
            v2 = a3.min((v2 / a3.floor()));
        }
        _ => {
            let x: f32 = (v2 as f32).round();
        }
    }
    for v7 in 2..7 {
        let v7: i32 = v7;
        match ((a0 as f64) as u32) {
            0 => {
                v2 *= (if ((v2 as f64) < (a2 as f64)) { (a3 * v2) } else { a3.floor() });
            }
            1 | 2 => {
                let mut v8: u32 = (a1 as u32).max(((a2 as u32).count_ones() as u32));
            }
            3..=100 => {
                let mut v9: i32 = v7.wrapping_add(v7.wrapping_pow(3));
            }
            other if (if ((65535_u16) >= (v7 as u16)) { ((0_i64) == (v7 as i64)) } else { let w9: bool = (!(a2 > 100_i8)); w9 }) => {
                v2 = v2.abs();
            }
            _ => {
                let mut v11: f32 = (-a3);
            }
        }
        let mut x: i8 = a2.saturating_sub(a2.saturating_sub(a2.max(2)));
        v2 = (v2 as f32).max(a3.signum());
    }
    v2 /= (if ((v2 as f64) == (a1 as f64)) { (a3 / v2) } else { a3.signum() });
    (((a3 as u32) as i16), (a3 as u64).wrapping_add((if (a2 > 100) { (a2 as u64) } else { let w12: u64 = (a1 as u64); w12 })), a1.wrapping_neg())
}

#[device]
fn random_16(a0: i16, a1: i8, a2: f32) -> (f32, i32) {
    let v1: u32 = (a2 as u32).min((a0 as u32).wrapping_shl((a0 as u32)));
    let v3: i8 = ((a2 as i8) ^ (a1 as i8).wrapping_shr((v1 as u32)));
    let mut x: u32 = v1.max(v1.wrapping_neg());
    let x: f64 = ((a0 as f64) % (-(v3 as f64)));
    let v6: i16 = (a0 >> ((v3 as u32) % 16));
    ((a2 % (a2 / -2.5_f32)), (((v3 as u64) as i32) ^ (if (a2 > -2.5_f32) { (a1 as i32) } else { (a2 as i32) })))
}

#[device]
fn random_17(a0: f64, a1: i32) -> (i8, u32) {
    let mut x: u32 = ((a1 as u16) as u32);
    match (a1 as i8) {
        0 => {
            x = (a0 as u32).saturating_sub(x.wrapping_shr((a1 as u32)));
        }
        1 | 2 => {
            if ((x as u64) < (if (a0 > -2.5) { (a1 as u64) } else { (a0 as u64) })) {
                x = (x as u32).wrapping_mul((x.leading_zeros() as u32));
                x ^= x.wrapping_add((if (a1 > 3_i32) { x } else { 1 }));
            } else {
                x &= (a0 as u32).wrapping_mul((x ^ x));
                x = (if ((x > 3_u32) && true) { (x | x) } else { x.wrapping_shl(x) });
            }
        }
        3..=100 => {
            let mut v3: i64 = (if ((x as u32) > x.saturating_add(x)) { (a0 as i64).rotate_left(x) } else { (x as i64).saturating_sub((if false { 3 } else { let w1: i64 = (a0 as i64); w1 })) });
        }
        other if ((x <= 4294967295) || (if (a0 > 0.0) { (a0 > 1e3) } else { false })) => {
            let v4: u8 = (a1 as u8).wrapping_rem((a0 as u8) | 1);
        }
        _ => {
            let mut v5: i32 = (!a1);
        }
    }
    let mut v6: i64 = (if (((a0 as f32) as i64) >= (a0 as i64)) { (x as i64).wrapping_add((x as i64).wrapping_rem((x as i64) | 1)) } else { (x as i64).min((((-9223372036854775808_i64)) | (x as i64))) });
    if ((x as i16) > (0_i16).rotate_left(x)) {
        let mut v7: u16 = ((a0 as u16) << (x % 16));
        if (v7 < (if (v6 > 7_i64) { v7 } else { v7 })) {
            return ((v7 as i8).wrapping_add((v7 as i8).wrapping_add((a0 as i8))), (v7 as u32).wrapping_mul(x.wrapping_add(4294967295)));
        }
    } else {
        let mut x: i64 = (x as i64).saturating_sub((v6.leading_zeros() as i64));
        let mut v9: i64 = (if ((a1 as u64) == ((a1 as f32) as u64)) { x.saturating_sub(v6.wrapping_rem(v6 | 1)) } else { (a0 as i64).wrapping_mul(x.wrapping_sub(9223372036854775807_i64)) });
    }
    if ((a1 as i8) <= (if (v6 > 2_i64) { (v6 as i8) } else { (x as i8) })) {
        if ((v6 as f32) >= ((a1 as f32) % (v6 as f32))) {
            return (((a0 as i8) & (a1 as i8).wrapping_pow(3)), (a0 as u32).wrapping_div((a1 as u32) | 1));
        }
        if (((a1 as i8) < (a0 as i8)) || ((x as i16) == 3)) {
            x = (if ((1.0_f32) >= (v6 as f32)) { x.wrapping_div(x | 1) } else { x.wrapping_pow(3) });
            let mut v10: f64 = (a0 / a0.signum());
        } else {
            x = (v6 as u32).wrapping_mul(x.wrapping_add(x));
            x = (if ((a0 as f32) == 1e3) { x.wrapping_sub(x) } else { (if (a1 > 1_i32) { x } else { x }) });
        }
    } else {
        for v11 in (1..6).rev() {
            let v11: i32 = v11;
            x = x.wrapping_sub((v11 as u32));
            v6 = v6.wrapping_mul((if (if (a0 > -2.5_f64) { (a1 > 1_i32) } else { false }) { v6.saturating_sub(7_i64) } else { v6.wrapping_mul(v6) }));
            let v12: i8 = ((v11 > 2147483647_i32) as i8);
        }
        if ((a1 as u8) > (0_u8).wrapping_rem((0_u8) | 1)) {
            let mut x: f64 = (a0 - (v6 as f64));
            let mut v14: i16 = (if (((0_u8) as i8) >= (x as i8).wrapping_add((a1 as i8))) { (a1 as i16).wrapping_pow(3) } else { (!(v6 as i16)) });
        } else {
            v6 = (x as i64).rotate_left(x);
            x = x.min(x.wrapping_div(x | 1));
        }
    }
    ((v6 as i8).wrapping_add((if false { (x as i8) } else { 1_i8 })), (if (if (a1 > 100_i32) { (a1 > 0) } else { let w15: bool = false; w15 }) { x.wrapping_sub(1_u32) } else { ((0_u16) as u32) }))
}

#[device]
fn random_18(a0: u8, a1: f32, a2: i32) -> (u32, u64) {
    let mut v1: u8 = (a2 as u8).max((a0 >> ((a2 as u32) % 8)));
    match (a0 as i8) {
        0 => {
            v1 = (a1 as u8).saturating_sub(a0.wrapping_sub(v1.saturating_sub(3)));
        }
        1 | 2 => {
            v1 ^= v1.saturating_sub(v1.saturating_add(a0));
        }
        3..=100 => {
            for v2 in 1..5 {
                let v2: i32 = v2;
                v1 ^= ((a0 as u8).count_ones() as u8);
                let mut x: u8 = ((a2 as u64) as u8).wrapping_rem(v1 | 1);
                if (a1.is_nan() || (if (a2 > 1_i32) { (a0 > 255_u8) } else { false })) {
                    continue;
                }
                let mut v4: f64 = ((a2 as u64) as f64).round();
            }
        }
        other if ((false ^ (v1 > 100)) && ((a0 as u16) == (v1 as u16))) => {
            v1 = v1.wrapping_sub((a0 >> ((other as u32) % 8)));
        }
        _ => {
            v1 = ((a0 as i16) as u8);
        }
    }
    let mut v5: u32 = (if ((a1 as i8) >= (a2 as i8)) { (((v1 as u64) as u32).leading_zeros() as u32) } else { (a1 as u32).wrapping_mul((!(4294967295_u32))) });
    let mut v6: f64 = (a0 as f64).abs();
    let mut v7: u32 = v5.saturating_add(v5.wrapping_mul(v5.max(7)));
    ((v5.leading_zeros() as u32), (a1 as u64).wrapping_add((if false { (v5 as u64) } else { (v1 as u64) })))
}

#[device]
fn random_19(a0: i32, a1: i8, a2: u8, a3: f64) -> (f32, u16, i8) {
    let mut v1: f32 = (a1 as f32).signum();
    v1 *= v1.sqrt();
    v1 /= (if a3.is_nan() { (a0 as f32) } else { (if (v1 > -0.0) { v1 } else { -2.5_f32 }) });
    for v2 in 2..=6 {
        let v2: i32 = v2;
        let mut v3: i32 = (!(a1 as i32));
        let mut v5: f64 = (a3 + (if ((7_u16) == (a1 as u16)) { a3.min(a3) } else { let w3: f64 = a3.mul_add(a3, a3); w3 }));
        if (v1 >= v1.copysign(v1)) {
            continue;
        }
        v1 = ((a1 as f64) as f32);
    }
    let mut v6: i64 = (if (((a2 as u32) as u16) > (3_u16).min((a3 as u16))) { (v1 as i64).max(((a1 as i64) & 1_i64)) } else { (a3 as i64).min((a2 as i64)) });
    ((v1 / (if (a1 > 2_i8) { v1 } else { v1 })), (if ((v6 > 9223372036854775807_i64) || (a0 > 3)) { (a0 as u16).saturating_add((a2 as u16)) } else { let w6: u16 = (a3 as u16); w6 }), ((a1 as i8) & a1.swap_bytes()))
}

#[device]
fn random_20(a0: i32, a1: i16, a2: i8) -> (bool, f64, u32) {
    let mut x: f64 = (-(a0 as f64));
    x += (if ((x as u8) != (a2 as u8)) { ((x as f32) as f64) } else { let w1: f64 = (x * x); w1 });
    x *= x.copysign((x % 0.0));
    let v3: i64 = ((a2 as u8) as i64).wrapping_sub((x as i64).swap_bytes());
    let x: bool = (a1 <= (x as i16).wrapping_shr(((a2 as u32) as u32)));
    (((x as i32) >= (a0 << ((2_u32) % 32))), (-((a0 as u32) as f64)), (a1 as u32).saturating_sub((((-2.5_f32)) as u32)))
}

#[device]
fn random_21(a0: i64, a1: i32) -> (i32, f64) {
    let mut v1: i32 = (if (a1 as f64).is_nan() { a1.min((!a1)) } else { (a0 as i32).wrapping_mul(a1.wrapping_sub(2_i32)) });
    v1 &= a1.wrapping_add(a1.rotate_left((a1 as u32)));
    if (if (if (a1 > 1_i32) { (a0 > 7) } else { (v1 > 7_i32) }) { (((-0.0_f32)) < (a1 as f32)) } else { let w1: bool = ((v1 > 1_i32) ^ true); w1 }) {
        let mut v3: i32 = v1.max((if ((a0 > 100_i64) ^ (a0 > 1_i64)) { a1.saturating_sub(v1) } else { (if false { 7_i32 } else { 0_i32 }) }));
        let mut v5: bool = (v3 != a1.wrapping_rem((a0 as i32) | 1));
    } else {
        match a0 {
            0 => {
                v1 = (v1 as i32).max(a1.wrapping_add(a1));
            }
            1 | 2 => {
                v1 = (v1 as i32).saturating_add(a1.wrapping_add(3_i32));
            }
            3..=100 => {
                v1 = a1.wrapping_neg();
            }
            other if (a0 as f32).is_nan() => {
                v1 = a1.swap_bytes();
            }
            _ => {
                v1 = v1.wrapping_mul((!v1));
            }
        }
        for v6 in (0..8).step_by(2) {
            let v6: i32 = v6;
            let mut v7: f64 = ((v1 as f64) * ((a0 as i8) as f64).signum());
            v1 &= a1.wrapping_neg();
            v1 = a1.wrapping_mul(v6.wrapping_shr((a0 as u32)));
        }
    }
    if (((4294967295_u32) as u8) < ((a0 as u8) ^ (a1 as u8))) {
        v1 = ((a1 as i32).leading_zeros() as i32);
        for v8 in 0..3 {
            let v8: i32 = v8;
            v1 = ((a0 > 7) as i32).saturating_add(v8.saturating_add(v1.max(-2147483648_i32)));
            v1 = ((a0 as i8) as i32).max(v8.wrapping_neg());
            v1 = (a1 as i32).saturating_sub((v8.count_ones() as i32));
        }
    } else {
        if ((if true { true } else { (a0 > 1_i64) }) ^ (true ^ false)) {
            v1 = (a1.leading_zeros() as i32);
            v1 = a1.swap_bytes();
        } else {
            v1 = (if (!(true ^ true)) { a1.wrapping_mul(a1.wrapping_pow(3)) } else { let w9: i32 = (a0 as i32).wrapping_shr((v1 as u32)); w9 });
            v1 |= ((v1 as i32) >> (((a1 as i16) as u32) % 32));
        }
        v1 = ((a1 as u64) as i32).wrapping_mul(a1.wrapping_sub((v1 << ((a1 as u32) % 32))));
    }
    match v1 {
        0 => {
            let v11: i8 = ((a1 as i8) << (((v1 as f32) as u32) % 8));
        }
        1 | 2 => {
            for x in (1..5).step_by(2) {
                let x: i32 = x;
                let v13: f32 = (a1 as f32).floor();
                let mut v14: i64 = a0.saturating_sub(a0.saturating_sub(a0.saturating_add(a0)));
                let mut v15: i16 = (x as i16).saturating_sub((a1 as i16).saturating_sub((x as i16).wrapping_mul((a0 as i16))));
            }
        }
        3..=100 => {
            v1 = a1.min(a1.wrapping_mul(v1.wrapping_add(7)));
        }
        other if (if (a1 != 0) { (a1 >= 1) } else { ((v1 as f32) > -0.0) }) => {
            let mut x: i64 = (other as i64).wrapping_sub(((other as f32) as i64));
        }
        _ => {
            v1 = (if (a0 < a0) { a1.wrapping_mul(a1) } else { let w16: i32 = (v1.leading_zeros() as i32); w16 });
        }
    }
    (a1.saturating_sub(v1.wrapping_add(a1)), ((a0 as f64) % (if (v1 > 1_i32) { (a1 as f64) } else { (a0 as f64) })))
}

#[device]
fn random_22(a0: f32, a1: i16, a2: f32, a3: i16) -> (i32, i8, f64) {
    let mut v1: i8 = (a1 as i8).wrapping_add((a2 as i8).wrapping_sub((if (a3 > 2) { (a1 as i8) } else { (a3 as i8) })));
    let mut x: i16 = ((v1 as i16).count_ones() as i16);
    match (a2 as u64) {
        0 => {
            let mut v3: u32 = (x as u32).wrapping_pow(3);
        }
        1 | 2 => {
            let mut v5: f32 = (a0 - ((a0 as f32) * a0.trunc()));
        }
        3..=100 => {
            let v6: u64 = (a0 as u64).wrapping_sub((a1 as u64).wrapping_mul((if false { (x as u64) } else { (a0 as u64) })));
        }
        other if ((a1 <= -32768) && ((a2 > 1.0_f32) && (a2 > 0.1_f32))) => {
            v1 ^= v1.wrapping_add((v1 ^ 127_i8));
        }
        _ => {
            let mut v7: u32 = (a3 as u32).wrapping_sub(((v1 as i64) as u32).wrapping_mul((a1 as u32).rotate_left((0_u32))));
        }
    }
    let mut v8: f64 = ((a1 as f64) % (a0 as f64).min((v1 as f64).mul_add(1.0, (a0 as f64))));
    for v9 in 0..=5 {
        let v9: i32 = v9;
        if (if (!false) { (v9 <= v9) } else { (if (x > 7_i16) { (a3 > 0_i16) } else { (a0 > -2.5) }) }) {
            return ((v9 as i32).wrapping_sub(v9.wrapping_rem(v9 | 1)), (a2 as i8).wrapping_add((if (a0 > 0.0_f32) { v1 } else { v1 })), (a1 as f64).min((v8 - v8)));
        }
        v1 = v1.wrapping_mul(((2_u64) as i8).wrapping_pow(3));
        x = ((a2 as u8) as i16);
    }
    (((a1 as i32) | (x as i32).wrapping_add(1_i32)), (x as i8).wrapping_mul(v1.wrapping_neg()), v8.signum())
}

#[device]
fn random_23(a0: i8, a1: i8) -> (i8, i8) {
    let v1: u16 = (a0 as u16).wrapping_mul((a0 as u16).rotate_left((a0 as u32)));
    let mut x: f64 = (if (a0 < (a1 >> ((100_u32) % 8))) { (v1 as f64).signum() } else { (a0 as f64).signum() });
    x += x.copysign((x + x));
    x = x.signum();
    x -= (-((v1 as i32) as f64));
    ((if ((x as f32) > 1.0_f32) { (a0 | a0) } else { let w2: i8 = a0.saturating_add(a1); w2 }), ((a0 as i8) ^ a0.saturating_add(a0)))
}

#[device]
fn random_24(a0: u32, a1: f64, a2: bool, a3: i16) -> (u64, f64, u16) {
    let mut v1: u16 = (a3 as u16).wrapping_sub((a1 as u16).wrapping_mul((1_u16).saturating_add(3)));
    match (a1 as u8) {
        0 => {
            for v2 in (2..8).step_by(2) {
                let v2: i32 = v2;
                v1 |= (((0_i8) as u16).count_ones() as u16);
                v1 = (v1 << ((v1 as u32) % 16));
                let mut v3: i32 = v2.wrapping_rem((a0 as i32) | 1);
            }
        }
        1 | 2 => {
            for v4 in 2..5 {
                let v4: i32 = v4;
                v1 = (if (((a0 as u8) <= (a3 as u8)) ^ (a2 ^ a2)) { v1.saturating_add(v1.swap_bytes()) } else { let w5: u16 = (a3 as u16).max((if a2 { 1_u16 } else { let w4: u16 = v1; w4 })); w5 });
                let v7: f64 = ((a0 as f64) / ((a0 as f64) * a1.signum()));
                v1 = v1.wrapping_sub(v1.wrapping_pow(3));
            }
        }
        3..=100 => {
            v1 ^= (a1 as u16).rotate_left(a0);
        }
        other if ((false || true) && (a3 as f32).is_nan()) => {
            v1 = v1.wrapping_shr(a0);
        }
        _ => {
            v1 = v1.wrapping_shl(a0);
        }
    }
    if ((v1 as u8) < ((a1 as i8) as u8)) {
        return (((a3 as u64) as u64).wrapping_sub(((a3 as u64) | (a3 as u64))), ((v1 as f64) * (-a1)), v1.wrapping_shr((v1 as u32)));
    }
    v1 |= (v1 as u16).wrapping_mul((v1 >> (a0 % 16)));
    for v8 in (2..5).rev() {
        let v8: i32 = v8;
        let x: f64 = (a1 - (if ((a3 as u64) > (v1 as u64)) { (a1 - 7.25) } else { (if a2 { a1 } else { 7.25 }) }));
        v1 = ((a3 as u16) >> (a0 % 16));
        if (a0 >= a0.wrapping_rem(a0 | 1)) {
            continue;
        }
        v1 = (v1 & (a0 as u16).saturating_sub(v1.saturating_sub(v1)));
    }
    (((a3 as i32) as u64).saturating_sub((3_u64).wrapping_div((a3 as u64) | 1)), ((a1 as i8) as f64), ((a3 as u16) & (v1 & v1)))
}

#[device]
fn random_25(a0: i64, a1: u8, a2: u16) -> (i64, f64, i64) {
    let mut v1: f32 = ((a0 as f32) * (a1 as f32).sqrt());
    v1 += v1.copysign((if (a2 > 65535_u16) { v1 } else { 0.0_f32 }));
    for x in (1..3).rev() {
        let x: i32 = x;
        let mut v3: f64 = ((v1 as f64) % ((a1 as f64) % ((a1 as f64) * (a0 as f64))));
        let mut v4: u32 = ((v1 as u32) >> ((a1 as u32) % 32));
        if (a2 <= (x as u16)) {
            continue;
        }
        let mut v7: bool = ((a1 as u32) > (a1 as u32).wrapping_neg());
    }
    if ((v1 as i64) <= a0.min(a0)) {
        match (a0 as i8) {
            0 => {
                v1 = (if (true ^ (a1 > 0)) { (v1 / v1) } else { (v1 / 1.0_f32) });
            }
            1 | 2 => {
                v1 = (v1 + (v1 % ((a1 as f64) as f32)));
            }
            3..=100 => {
                v1 = (if ((a0 as i8) >= 2) { v1.sqrt() } else { let w8: f32 = (if true { -2.5 } else { let w7: f32 = v1; w7 }); w8 });
            }
            other if (if (false && true) { (a2 == 65535) } else { ((a2 > 1_u16) && (a0 > 1)) }) => {
                v1 = v1.mul_add(v1.sqrt(), (v1 / v1));
            }
            _ => {
                v1 = v1.sqrt();
            }
        }
        let mut v12: i64 = (if ((0.1_f64).is_nan() || (v1 == v1)) { a0.wrapping_add(a0.wrapping_neg()) } else { let w10: i64 = a0.wrapping_mul((a2 as i64)); w10 });
    } else {
        if (((v1 > -2.5_f32) || (a0 > -9223372036854775808_i64)) ^ (true || (a2 > 2))) {
            return ((v1 as i64), (a1 as f64).copysign((a2 as f64).sqrt()), (a1 as i64).rotate_left(((a0 as f64) as u32)));
        }
        let x: f64 = (a0 as f64).max((v1 as f64).trunc());
    }
    v1 = v1.floor();
    (a0.wrapping_add(a0.min(-9223372036854775808)), ((a2 as f64) * (a2 as f64).sqrt()), a0.wrapping_sub(a0.max(9223372036854775807_i64)))
}

#[device]
fn random_26(a0: i16, a1: f32, a2: i16, a3: u16) -> (bool, i16, i8) {
    let v1: i32 = ((127_i8) as i32).wrapping_div((a3 as i32) | 1);
    let v2: f32 = (((a1 as f64) as f32) + (a1 - (-a1)));
    let mut v3: f32 = (v1 as f32).trunc();
    v3 = (if v3.is_nan() { v3.mul_add(a1.round(), v2.mul_add(v3, a1)) } else { (if ((a1 as u32) >= (v2 as u32)) { (v2 - v3) } else { v2.copysign(v2) }) });
    if (a0 as f64).is_nan() {
        v3 *= ((a0 as f32) - a1.trunc());
        if ((a2 as f64) <= (a3 as f64).signum()) {
            v3 = ((a0 as f32) / (a1 / 7.25_f32));
            let mut v4: u8 = (if (if ((v3 > 1e3) ^ (v1 > 7_i32)) { (if (a3 > 65535) { false } else { (v2 > 1e3) }) } else { (true ^ (v1 > 2)) }) { (v2 as u8).saturating_sub((if false { 1_u8 } else { (a3 as u8) })) } else { (if (a2 >= a2) { (v1 as u8).wrapping_rem((a1 as u8) | 1) } else { (v1 as u8).swap_bytes() }) });
        } else {
            let v5: f32 = v2.trunc();
            v3 = (v5 - (a2 as f32));
        }
    } else {
        if (((v3 as f64) as f32) != v3.max(a1)) {
            v3 = (if ((a0 > 7_i16) || (v1 > 3)) { ((v3 as u64) as f32) } else { v2.round() });
            let mut v6: f64 = ((v1 as f64) + (v2 as f64).mul_add(((a1 as f64) - (a2 as f64)), ((v3 as f64) + (a3 as f64))));
        } else {
            let mut v8: i32 = (if ((a3 <= 0) ^ ((0.1_f64) > (v3 as f64))) { (a3 as i32).wrapping_pow(3) } else { let w6: i32 = v1.wrapping_neg(); w6 });
            v3 = ((v3 as u8) as f32);
        }
        for v9 in 0..2 {
            let v9: i32 = v9;
            v3 /= (if ((a3 as u32) <= (a0 as u32)) { (v3 / v2) } else { a1.sqrt() });
            let v10: u32 = ((a2 as u16) as u32);
            if ((a0 as f64).is_nan() ^ (a2 != 0)) {
                continue;
            }
            v3 = ((3_i64) as f32).min(v3.max(v2));
        }
    }
    ((!((a0 > 3_i16) || (a0 > 2_i16))), a0.wrapping_mul((a0 >> ((a0 as u32) % 16))), (if ((a2 as u8) == (a2 as u8)) { ((7_u64) as i8) } else { let w10: i8 = (a0 as i8).saturating_add((a0 as i8)); w10 }))
}

#[device]
fn random_27(a0: i16, a1: u64) -> (i64, u32) {
    let mut v1: f64 = ((a0 as f64) + (a0 as f64).signum());
    match (v1 as i32) {
        0 => {
            let mut v3: f32 = ((a1 as f32) - (a1 as f32).signum());
        }
        1 | 2 => {
            for v4 in (0..10).step_by(2) {
                let v4: i32 = v4;
                v1 = (if ((a1 as u8) > (a0 as u8)) { (v1 + 0.1_f64) } else { v1.sqrt() });
                v1 = ((a1 as f64) / v1.min((v1 / v1)));
                if ((if (v4 > 100_i32) { (v1 > 0.0) } else { (v4 > 100) }) ^ (!(v1 > -2.5))) {
                    continue;
                }
                let mut v5: i8 = ((a1 > 0) as i8).saturating_add(((((-0.0_f32)) as i8) | (a0 as i8).wrapping_neg()));
            }
        }
        3..=100 => {
            match ((a0 as f32) as i64) {
                0 => {
                    v1 = ((7_u32) as f64).floor();
                }
                1 | 2 => {
                    v1 = ((v1 as f64) / (v1 % ((v1 as i32) as f64)));
                }
                3..=100 => {
                    v1 = v1.trunc();
                }
                other if (((a1 > 7_u64) || (a1 > 18446744073709551615)) && ((0.1_f32) != (a1 as f32))) => {
                    v1 = ((v1 as i16) as f64);
                }
                _ => {
                    v1 -= v1.round();
                }
            }
        }
        other if v1.is_nan() => {
            let mut v6: u32 = (v1 as u32).max((other as u32).min((a1 as u32).wrapping_sub((v1 as u32))));
        }
        _ => {
            let v7: f32 = ((a1 as u16) as f32).signum();
        }
    }
    v1 *= v1.max(v1.trunc());
    if (((a0 as f32) > (v1 as f32)) ^ ((a0 > 7_i16) || (a0 > 2_i16))) {
        return (((a1 as i8) as i64).wrapping_sub(((v1 as u32) as i64)), (((a1 as u8) as u32) >> ((v1 as u32) % 32)));
    }
    v1 -= ((a0 as f64) / (v1 % v1));
    ((if ((1_u32) != 100) { (2_i64).min((a0 as i64)) } else { (v1 as i64).wrapping_neg() }), (a1 as u32).rotate_left((a0 as u32)))
}

#[device]
fn random_28(a0: f64, a1: i64) -> (u32, i16) {
    let mut v1: i32 = (a1 as i32).saturating_sub(((2_i32) as i32).swap_bytes());
    let mut v2: u8 = (a0 as u8).wrapping_sub((if ((-0.0_f32)).is_nan() { (a0 as u8).saturating_sub(100_u8) } else { (a0 as u8).wrapping_sub((a1 as u8)) }));
    v1 = (v1 >> ((v2 as u32) % 32));
    if ((a0 as f32) == ((v2 as f32) + (v2 as f32))) {
        return (((a0 as u32) << ((v2 as u32) % 32)), ((v1 as u32) as i16).wrapping_add((a0 as i16).max((v1 as i16))));
    }
    if (a1 != a1.max(a1)) {
        v2 = v2.wrapping_div(v2 | 1);
        match v1 {
            0 => {
                v1 = (((v2 as i16) as u32) as i32);
            }
            1 | 2 => {
                v1 = v1.min((v1.count_ones() as i32));
            }
            3..=100 => {
                let v3: f32 = (((a1 as i16) as i8) as f32);
            }
            other if ((v1 as u32) > (if (v1 > 0_i32) { (v2 as u32) } else { 7_u32 })) => {
                let mut v4: u32 = ((other as u32) & ((v2 as u32) << ((a1 as u32) % 32)));
            }
            _ => {
                let mut v5: u64 = (a0 as u64).saturating_sub((v1 as u64).saturating_add(((v1 as u64) | (a0 as u64))));
            }
        }
    } else {
        for v6 in 1..3 {
            let v6: i32 = v6;
            let v7: u64 = (v6 as u64).wrapping_shr((v6 as u32));
            v2 = v2.max((if (a0 > 7.25) { v2 } else { let w7: u8 = v2; w7 }));
            let mut v9: u16 = (((0.1_f32) as u16).leading_zeros() as u16);
        }
        for v10 in (2..6).rev() {
            let v10: i32 = v10;
            v1 = v10.wrapping_sub(v1.rotate_left((2_u32)));
            v2 = ((v10 as u8) & (if ((v1 as u64) != (a1 as u64)) { v2.wrapping_sub(7_u8) } else { (v2 >> ((v10 as u32) % 8)) }));
            if ((v2 < v2) && ((a1 > 7_i64) || (a1 > -9223372036854775808))) {
                continue;
            }
            v1 = (v10 & v1.saturating_add(v1));
        }
    }
    ((if ((a1 as i16) > 3_i16) { ((v2 as u32) >> ((a1 as u32) % 32)) } else { let w10: u32 = (1_u32).min((v2 as u32)); w10 }), (v2 as i16).min(((a0 as i16) & (v2 as i16))))
}

#[device]
fn random_29(a0: u8, a1: f32) -> (bool, f32) {
    let mut v1: i16 = (a1 as i16).wrapping_rem(((a1 > 1.0) as i16) | 1);
    match v1 {
        0 => {
            if (!((3_u32) >= (v1 as u32))) {
                return ((if ((v1 > 7) ^ (a1 > -0.0_f32)) { ((a1 > -0.0_f32) && false) } else { (v1 == v1) }), a1.trunc());
            }
        }
        1 | 2 => {
            let v3: f32 = a1.sqrt();
        }
        3..=100 => {
            if (((a0 as i64) <= (a1 as i64)) && (!(a0 > 0))) {
                v1 = (v1 & v1.wrapping_add(v1));
                v1 = ((v1 as i16) >> ((v1 as u32) % 16));
            } else {
                v1 = (v1.count_ones() as i16);
                v1 ^= (v1.leading_zeros() as i16);
            }
        }
        other if (((3_i32) != (v1 as i32)) || ((v1 > 0) && true)) => {
            v1 = (v1 as i16).min(((a1 > -2.5) as i16));
        }
        _ => {
            let x: i64 = ((a1 as i8) as i64);
        }
    }
    v1 = v1.wrapping_sub((!(a0 as i16)));
    for v5 in 1..5 {
        let v5: i32 = v5;
        let v6: f32 = (v5 as f32).trunc();
        if (!((a1 as u32) < (v1 as u32))) {
            v1 = v1.swap_bytes();
            v1 = (a0 as i16).min(v1.rotate_left((v5 as u32)));
        } else {
            v1 = v1.wrapping_pow(3);
            v1 = v1.saturating_add(v1.wrapping_sub(v1));
        }
        if (if (if (a1 > 0.1) { (a1 > 0.1_f32) } else { (v5 > 7) }) { (if (v1 > 3_i16) { true } else { (a1 > 7.25_f32) }) } else { (v1 <= v1) }) {
            break;
        }
        v1 = v1.wrapping_rem((v5 as i16) | 1);
    }
    let mut v7: f64 = (a0 as f64).round();
    ((!(true && (v1 > 2_i16))), a1.mul_add(a1.abs(), (if (v7 > 7.25) { -0.0 } else { a1 })))
}

#[device]
fn random_30(a0: f32, a1: f64, a2: u16) -> (i64, f32, f32) {
    let x: u8 = (if (((a0 as i8) != (a1 as i8)) || ((a2 > 1) && (a1 > 7.25))) { ((a0 as u8) | (a1 as u8).saturating_add((a0 as u8))) } else { let w0: u8 = (a0 as u8).wrapping_sub((a2 as u8).wrapping_div((3_u8) | 1)); w0 });
    let mut v3: bool = ((a2 as i8) != (a1 as i8).wrapping_pow(3));
    let mut v5: bool = (v3 as u8 as f32).is_nan();
    v5 = ((x as u32) < (x as u32).wrapping_add((if v3 { (v3 as u32) } else { (a2 as u32) })));
    for v6 in (0..2).rev() {
        let v6: i32 = v6;
        let mut v8: u16 = (v5 as u16).wrapping_pow(3);
        v3 = (if (((100_i16) < (a0 as i16)) && (a1 > 0.0_f64)) { (!((v8 as i16) > 2)) } else { ((if false { v3 } else { v3 }) || (v3 || v3)) });
        let x: i64 = (a1 as i64).saturating_add((a2 as i64).saturating_sub((x as i64).saturating_sub((a1 as i64))));
    }
    (((x as u32) as i64).wrapping_pow(3), a0.min((a0 * a0)), a0.abs())
}

#[device]
fn random_31(a0: i32, a1: u64, a2: f64, a3: i32) -> (bool, u32) {
    let v1: f64 = a2.floor();
    let mut v2: f64 = (a2 - ((a0 as f64) % (a2 + a2)));
    let v3: u16 = (v2 as u16);
    let mut v5: u8 = (if (((0_i64) != (v1 as i64)) ^ ((v1 > 0.0) ^ false)) { (if ((a2 as u8) == (a2 as u8)) { ((v2 as u8).leading_zeros() as u8) } else { (1_u8).max((a1 as u8)) }) } else { (a1 as u8).wrapping_shl(((a1 as u8) as u32)) });
    v2 += a2.min(v1.signum());
    ((if (v3 <= 100) { (!(v2 > 1.0)) } else { let w5: bool = ((v2 > -2.5) && (v2 > -0.0_f64)); w5 }), ((32767_i16) as u32).wrapping_pow(3))
}

#[device]
fn random_32(a0: u8, a1: f64) -> (i64, f64, u64) {
    let mut v1: f32 = ((a1 as f32) - (((2_u64) as f32) - (a0 as f32).round()));
    v1 = ((a1 as f32) / v1.sqrt());
    let v4: i16 = ((v1 as i16) | (if (a1 < 1.0_f64) { (a0 as i16).wrapping_add(7) } else { let w2: i16 = (if true { (a1 as i16) } else { let w1: i16 = 2_i16; w1 }); w2 }));
    let mut v5: i8 = (v1 as i8).wrapping_pow(3);
    let mut v6: f32 = ((v1 as u64) as f32);
    ((if (v1 > v6) { ((v1 as i64) & (v4 as i64)) } else { (v5 as i64).wrapping_shl((v5 as u32)) }), a1.floor(), (if (v4 == v4) { ((a1 as u64) | (v5 as u64)) } else { (a0 as u64).wrapping_pow(3) }))
}

#[device]
fn random_33(a0: bool, a1: u16) -> (bool, i32, f64) {
    let v1: f64 = (((a1 as f64) as f64) % (if ((0.0_f32) <= 0.0) { ((0.1_f64) as f64) } else { (a0 as u8 as f64).mul_add(1.0, (a0 as u8 as f64)) }));
    let mut v2: f32 = (((-9223372036854775808_i64)) as f32).round();
    let mut x: u16 = (a1 ^ a1.wrapping_neg());
    let v5: u64 = (a0 as u64).wrapping_mul((((100_i64) as u64).leading_zeros() as u64));
    v2 /= (v2 * v2.signum());
    (v2.is_nan(), (((a1 as i8) as i32) ^ ((v1 as i32).leading_zeros() as i32)), (if ((0_u32) <= (a0 as u32)) { (v2 as f64) } else { v1.mul_add(v1, v1) }))
}

#[device]
fn random_34(a0: i8, a1: bool, a2: bool, a3: u32) -> (f32, u16) {
    let v2: u16 = (if (a0 as f32).is_nan() { (a2 as u16).wrapping_sub(((a3 as u16).leading_zeros() as u16)) } else { let w0: u16 = (a0 as u16).max((1_u16).wrapping_add(1_u16)); w0 });
    let v3: u16 = v2.wrapping_add(v2.min((a3 as u16)));
    let x: i64 = (if ((!a1) || (if a1 { a1 } else { let w3: bool = a1; w3 })) { (v2 as i64).wrapping_shl((v2 as u32)) } else { let w5: i64 = (a1 as i64).saturating_add((if true { 100_i64 } else { let w4: i64 = (a2 as i64); w4 })); w5 });
    let mut v8: u32 = a3.wrapping_rem(a3 | 1);
    for v9 in (0..4).step_by(2) {
        let v9: i32 = v9;
        v8 = a3.wrapping_div(((v2 as u8) as u32) | 1);
        for v10 in (1..7).step_by(2) {
            let v10: i32 = v10;
            v8 = ((v9 as u32) << (v8 % 32));
            v8 = v8.wrapping_rem(a3 | 1);
            v8 = (a0 as u32).wrapping_mul(v8.wrapping_pow(3));
        }
        v8 = (x as u32).swap_bytes();
    }
    ((v3 as f32).floor(), (v2 >> ((v2 as u32) % 16)))
}

#[device]
fn random_35(a0: u16, a1: i8) -> (f32, u32, i16) {
    let mut v1: bool = ((a1 as f32) >= (((0.1_f64) as i16) as f32));
    for v2 in (2..7).rev() {
        let v2: i32 = v2;
        let v4: bool = (a0 as f32).is_nan();
        if ((a0 as i64) > (v1 as i64).wrapping_shr((a1 as u32))) {
            v1 = (if (v2 as f32).is_nan() { (if (v4 ^ v4) { ((7.25_f32) == 1.0_f32) } else { let w4: bool = (v2 == v2); w4 }) } else { let w5: bool = ((a0 as f64) <= (a1 as f64).max(0.1)); w5 });
            v1 = ((v1 as i64) < ((a1 as f64) as i64).wrapping_pow(3));
        } else {
            v1 = ((v4 as u8 as f64) <= (-(v1 as u8 as f64)));
            v1 = (a1 == a1.wrapping_mul(127_i8));
        }
        let mut v8: u32 = (a1 as u32).wrapping_shr((v2 as u32));
    }
    if ((a0 as i16) == (a1 as i16).wrapping_mul((a1 as i16))) {
        let mut v9: u16 = (v1 as u16);
        v9 = v9.wrapping_sub((v9.count_ones() as u16));
    } else {
        let v10: f32 = (a1 as f32).signum();
        if (if (!false) { (v1 ^ false) } else { (v1 || v1) }) {
            let x: i16 = (a0 as i16).wrapping_div((a0 as i16) | 1);
            v1 = (if (if (a1 > 3) { (v1 && v1) } else { let w11: bool = ((1_u32) <= (a0 as u32)); w11 }) { (v10 < (v10 * v10)) } else { let w13: bool = (a0 as f32).is_nan(); w13 });
        } else {
            let mut x: u32 = (a1 as u32).wrapping_sub((v10 as u32));
            x ^= x.wrapping_shl((v10 as u32));
        }
    }
    for v16 in 2..5 {
        let v16: i32 = v16;
        let mut v18: u64 = ((v1 as u64) & (a0 as u64).wrapping_neg());
        let mut v19: i16 = (if ((!v1) && (if v1 { v1 } else { v1 })) { (if (a1 == a1) { (v18 as i16).wrapping_div((a1 as i16) | 1) } else { (a1 as i16).wrapping_mul(7) }) } else { (v18 as i16).wrapping_neg() });
        v1 = (a0 != a0.wrapping_pow(3));
    }
    if ((a1 as f32) != (a0 as f32).signum()) {
        v1 = (if (a0 == a0.wrapping_sub(a0)) { ((a0 as u64) >= ((a0 as f32) as u64)) } else { (if (v1 || v1) { ((a0 as f32) >= (a0 as f32)) } else { ((a1 as i64) > 3) }) });
        let v21: i32 = (a1 as i32).wrapping_div((v1 as i32) | 1);
    } else {
        for v22 in (2..12).step_by(2) {
            let v22: i32 = v22;
            v1 = (((a0 as f32) as u64) < (v1 as u64).wrapping_mul((v22 as u64).min((v22 as u64))));
            let mut v23: f32 = (v1 as u8 as f32).copysign(((v22 as f32) - (if true { (v1 as u8 as f32) } else { (a0 as f32) })));
            v1 = ((v22 as u16) < (a0.leading_zeros() as u16));
        }
        for v24 in 0..=4 {
            let v24: i32 = v24;
            v1 = ((a0 as u8) <= (v24 as u8).wrapping_shl((a0 as u32)));
            let mut x: u16 = (v24 as u16).swap_bytes();
            if (v1 as u8 as f64).is_nan() {
                continue;
            }
            let mut v27: i16 = ((v24 as i64) as i16).wrapping_add((v1 as i16).saturating_add((a0 as i16).rotate_left((3_u32))));
        }
    }
    (((v1 as u8 as f64) as f32).max(((v1 as u8 as f32) % (a1 as f32))), (a0 as u32).wrapping_rem((a0 as u32) | 1), ((a1 as f32) as i16).wrapping_pow(3))
}

#[device]
fn random_36(a0: i8, a1: bool) -> (u64, u32, bool) {
    let mut v1: u32 = (a1 as u32).wrapping_pow(3);
    let mut v2: i8 = (!a0);
    let mut v3: f32 = (a1 as u8 as f32).abs();
    v3 += v3.floor();
    v1 = (if (v1 >= v1.wrapping_mul(v1)) { v1.wrapping_shr(v1) } else { v1.wrapping_pow(3) });
    ((a0 as u64).saturating_add((v2 as u64).min((v2 as u64))), v1.min(v1.max(2_u32)), ((v2 as f64) > ((0.1_f64) - 1.0_f64)))
}

#[device]
fn random_37(a0: i8, a1: f32, a2: i16) -> (f64, f64, f64) {
    let mut v1: bool = (((true ^ (a1 > 1.0_f32)) && (a2 as f64).is_nan()) ^ (((-0.0_f64)) as f64).is_nan());
    for v2 in 1..3 {
        let v2: i32 = v2;
        v1 = (((v2 as u8) as i8) >= (a1 as i8).wrapping_div(a0 | 1));
        v1 = ((a0 as u64) != (v1 as u64).saturating_add(((0_u64) << ((v1 as u32) % 64))));
        let mut v3: i64 = (v2 as i64);
    }
    v1 = (if (((v1 as u16) as f32) == a1.floor()) { ((v1 as i32) < (a2 as i32).wrapping_sub((a2 as i32))) } else { (a0 != a0.wrapping_mul(0)) });
    let v6: bool = ((a2 as u64) > ((a2 as u64) | (a0 as u64).max((a1 as u64))));
    for v7 in (0..8).step_by(2) {
        let v7: i32 = v7;
        v1 = ((a1 as u8) != ((v7 as u32) as u8).wrapping_shl(((1_u64) as u32)));
        let mut v8: u32 = ((v6 as u32) as u32);
        if ((v7 >= v7) || (v1 || v6)) {
            break;
        }
        v1 = ((v7 as i64) <= (a2 as i64));
    }
    ((a2 as f64), ((a1 as f64) + (a0 as f64).signum()), (if (if true { v6 } else { v6 }) { (if true { 1e3_f64 } else { 7.25 }) } else { let w8: f64 = ((a1 as f64) % (v1 as u8 as f64)); w8 }))
}

#[device]
fn random_38(a0: i8, a1: u8) -> (u8, u16, i64) {
    let mut v1: u16 = ((a1 as u16) << ((a1 as u32) % 16));
    if ((v1 as u8) != a1.min(7)) {
        v1 = ((a0 as u16) & (!((v1 as i32) as u16)));
        let mut v2: f32 = ((a0 as f32) + (if ((a0 > -128_i8) ^ (a0 > 1)) { (a0 as f32).signum() } else { (1e3_f32).trunc() }));
    } else {
        v1 ^= (v1 as u16).saturating_sub((v1 ^ v1));
        v1 = (v1.count_ones() as u16);
    }
    v1 = v1.saturating_sub(((a0 as f32) as u16).wrapping_shl((v1 as u32)));
    let mut v4: u64 = (if ((a0 == a0) || ((a1 as u32) < (a0 as u32))) { (v1 as u64).wrapping_mul((a0 as u64).wrapping_rem((a0 as u64) | 1)) } else { let w2: u64 = (a1 as u64).wrapping_pow(3); w2 });
    for x in 2..=7 {
        let x: i32 = x;
        let mut v6: i64 = (v1 as i64).wrapping_mul((x as i64).saturating_add((a1 as i64).rotate_left((2_u32))));
        let mut v7: f64 = (a0 as f64).sqrt();
        if ((if (x > 7_i32) { (a0 > 1_i8) } else { true }) && ((v4 > 7_u64) || (a0 > -128_i8))) {
            break;
        }
        v1 &= v1.wrapping_pow(3);
    }
    (((a0 as u8) ^ (a1 & a1)), ((v4 as i64) as u16), ((a1 as f64) as i64))
}

#[device]
fn random_39(a0: f32, a1: i64) -> (u16, u32, bool) {
    let mut v1: f32 = (a0 % (-(a0 as f32)));
    let v2: f64 = (((a0 as u32) as f64) + (((3_u8) as f64) + ((a1 as f64) * (v1 as f64))));
    if ((a0 <= v1) ^ v1.is_nan()) {
        return ((v2 as u16).min((v1 as u16).wrapping_add((a0 as u16))), ((a0 as i32) as u32).wrapping_rem(((3_u64) as u32) | 1), ((a1 as u16) <= (a1 as u16).rotate_left((100_u32))));
    }
    v1 = (if ((v2 as u8) < (a1 as u8).saturating_sub(7_u8)) { ((v1 as u8) as f32) } else { ((v1 as f32) * (a0 / v1)) });
    if ((v2 as u16) < (v1 as u16).wrapping_sub((v2 as u16))) {
        return ((if (!(a1 > 3_i64)) { (v1 as u16).min((v2 as u16)) } else { (a1 as u16).wrapping_add(100) }), (a0 as u32).wrapping_sub((2_u32).wrapping_sub((v2 as u32))), ((a0 as u16) != ((v2 as u16).count_ones() as u16)));
    }
    ((v1 as u16).wrapping_neg(), ((a1 as u32) << ((a1 as u32) % 32)), ((a0 as u32) < ((a0 as u32).leading_zeros() as u32)))
}

#[test]
fn random_functions_agree() {
    let mut cases = Cases::default();
    cases
        .add::<random_0, ()>(Range::Edges, 0.0)
        .add::<random_1, ()>(Range::Edges, 0.0)
        .add::<random_2, ()>(Range::Edges, 0.0)
        .add::<random_3, ()>(Range::Edges, 0.0)
        .add::<random_4, ()>(Range::Edges, 0.0)
        .add::<random_5, ()>(Range::Edges, 0.0)
        .add::<random_6, ()>(Range::Edges, 0.0)
        .add::<random_7, ()>(Range::Edges, 0.0)
        .add::<random_8, ()>(Range::Edges, 0.0)
        .add::<random_9, ()>(Range::Edges, 0.0)
        .add::<random_10, ()>(Range::Edges, 0.0)
        .add::<random_11, ()>(Range::Edges, 0.0)
        .add::<random_12, ()>(Range::Edges, 0.0)
        .add::<random_13, ()>(Range::Edges, 0.0)
        .add::<random_14, ()>(Range::Edges, 0.0)
        .add::<random_15, ()>(Range::Edges, 0.0)
        .add::<random_16, ()>(Range::Edges, 0.0)
        .add::<random_17, ()>(Range::Edges, 0.0)
        .add::<random_18, ()>(Range::Edges, 0.0)
        .add::<random_19, ()>(Range::Edges, 0.0)
        .add::<random_20, ()>(Range::Edges, 0.0)
        .add::<random_21, ()>(Range::Edges, 0.0)
        .add::<random_22, ()>(Range::Edges, 0.0)
        .add::<random_23, ()>(Range::Edges, 0.0)
        .add::<random_24, ()>(Range::Edges, 0.0)
        .add::<random_25, ()>(Range::Edges, 0.0)
        .add::<random_26, ()>(Range::Edges, 0.0)
        .add::<random_27, ()>(Range::Edges, 0.0)
        .add::<random_28, ()>(Range::Edges, 0.0)
        .add::<random_29, ()>(Range::Edges, 0.0)
        .add::<random_30, ()>(Range::Edges, 0.0)
        .add::<random_31, ()>(Range::Edges, 0.0)
        .add::<random_32, ()>(Range::Edges, 0.0)
        .add::<random_33, ()>(Range::Edges, 0.0)
        .add::<random_34, ()>(Range::Edges, 0.0)
        .add::<random_35, ()>(Range::Edges, 0.0)
        .add::<random_36, ()>(Range::Edges, 0.0)
        .add::<random_37, ()>(Range::Edges, 0.0)
        .add::<random_38, ()>(Range::Edges, 0.0)
        .add::<random_39, ()>(Range::Edges, 0.0);
    cases.check();
}
