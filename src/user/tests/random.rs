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
            return ((v2.count_ones() as i32), ((v2 as f32) as f64).trunc(), (((v1 > 2_u8) && (a0 > 100_i16)) || ((-0.0_f64)).is_nan()));
        }
        if ((v1 as i32) <= v2.max(2147483647_i32)) {
            continue;
        }
        v1 = (((7.25_f64) as u8).leading_zeros() as u8);
    }
    match (a0 as u32) {
        0 => {
            let mut x: u16 = ((v1 as f32) as u16).wrapping_shr((a0 as u32));
        }
        1 | 2 => {
            let v7: i32 = (((v1 as i32) as i32).leading_zeros() as i32);
        }
        3..=100 => {
            v1 ^= v1.wrapping_rem((a0 as u8) | 1);
        }
        other if ((a1 as u16) >= ((1_u16) as u16)) => {
            v1 = (a0 as u8).wrapping_sub(v1.wrapping_shr(other));
        }
        _ => {
            v1 = ((a0 as f64) as u8);
        }
    }
    for v8 in (0..3).rev() {
        let v8: i32 = v8;
        if ((a1 as f64) > ((a1 as f64) - (v1 as f64))) {
            let mut v9: f64 = (a1 as f64).max((((v1 as f32) as u32) as f64));
            v1 = v1.wrapping_sub(v1.wrapping_sub(v1));
        } else {
            let x: f32 = ((v8 as f32) + ((a0 as f32) / (if (a1 > 3_i16) { (a1 as f32) } else { (a0 as f32) })));
            v1 = v1.saturating_sub(v1.swap_bytes());
        }
        let mut v11: i16 = (a1 & a0.max((a1 ^ a0)));
        if ((v1 as u32) != (a1 as u32).saturating_sub((a1 as u32))) {
            continue;
        }
        v1 = v1.min((if (a0 > 0) { v1 } else { 2 }));
    }
    if (if ((0.1_f64) < (v1 as f64)) { (!(a1 > 32767_i16)) } else { (!(a0 > 2_i16)) }) {
        let v12: u64 = ((v1 as i32) as u64);
        let mut v13: u8 = v1.max(v1.max(v1.wrapping_mul(1_u8)));
    } else {
        let v15: f32 = 'b14: {
            v1 = (a1 as u8).rotate_left((v1 as u32));
            v1 = (v1 | (a0 as u8).saturating_sub(v1.swap_bytes()));
            if ((a1 as f64) != ((a1 as f64) + (a0 as f64))) { break 'b14 (a0 as f32).min((if (a0 > 0_i16) { (a1 as f32) } else { let w16: f32 = 7.25_f32; w16 })); }
            ((v1 as u32) as f32)
        };
        v1 = v1.max(((a0 as u8) ^ v1.wrapping_div(v1 | 1)));
    }
    (((a1 as i32) ^ (v1 as i32).wrapping_add((v1 as i32))), ((v1 as f64) / ((v1 as f64) % 1e3)), (if (v1 >= v1) { ((a1 as f64) >= (a0 as f64)) } else { (!true) }))
}

#[device]
fn random_1(a0: f64, a1: u32, a2: f32, a3: i8) -> (i16, i64, f64) {
    let v1: i64 = (a0 as i64).wrapping_shr(a1);
    let v2: i64 = v1.wrapping_shr((a0 as u32));
    let mut v3: i16 = (a1 as i16).min((a1 as i16).wrapping_sub(((a2 as i16) | (a3 as i16))));
    let mut v4: f32 = (if ((if (v3 > 3) { (v2 > 7) } else { (a2 > 0.0) }) ^ (v3 != v3)) { (a2 % a2.floor()) } else { ((3_i32) as f32).abs() });
    if (if ((a3 > 7_i8) || (a3 > 127)) { (v3 < v3) } else { (v2 <= v2) }) {
        return (v3.rotate_left(a1), v1.saturating_add(v1.saturating_sub(v2)), a0.mul_add((a0 % 1e3_f64), (v4 as f64)));
    }
    (v3.wrapping_rem(v3 | 1), ((v1 as i64) << ((a2 as u32) % 64)), (a0 / (a0 % -2.5)))
}

#[device]
fn random_2(a0: u8, a1: i32, a2: u8) -> (u32, i8) {
    let v1: u32 = (a0 as u32).min((a1 as u32).wrapping_sub(((3_u32) << ((a1 as u32) % 32))));
    let mut v2: i32 = ((a2 as f32) as i32).wrapping_mul((a1.leading_zeros() as i32));
    let mut v3: u16 = (a0 as u16).saturating_sub(((v2 as u16) as u16));
    if ((a2 as i16) > (a0 as i16).saturating_sub((a0 as i16))) {
        if (if ((7_u64) < (a0 as u64)) { (a1 < a1) } else { ((v1 as i16) < (a0 as i16)) }) {
            v2 = a1.wrapping_div(v2 | 1);
            v2 = (v2 ^ (!(a1 as i32)));
        } else {
            v2 = (if (((v1 as u64) == 3_u64) || ((v1 as i16) < 100_i16)) { (((a1 as f64) as i32) | a1.min(a1)) } else { (v1 as i32).wrapping_rem((v1 as i32) | 1) });
            v2 = a1.saturating_sub((if (a0 > 1) { 2147483647_i32 } else { 1 }));
        }
        let mut v5: f64 = (if ((a0 as i64) < (v2 as i64).wrapping_div((v2 as i64) | 1)) { (v2 as f64).trunc() } else { let w3: f64 = (-(v1 as f64)); w3 });
    } else {
        let mut turns6: u32 = 0;
        let x: f32 = loop {
            turns6 += 1;
            if turns6 > (v3 as u32 % 2) { break ((v1 as f32) - (v2 as f32).min((v2 as f32))); }
            let v9: f32 = ((a2 as f64) as f32).trunc();
            v3 = v3.saturating_sub((v3.leading_zeros() as u16));
            if (v9 as f64).is_nan() { break (v9 + v9.copysign(-0.0)); }
            v3 = v3.wrapping_sub((a2 as u16).wrapping_add(v3.saturating_sub(v3)));
        };
        let mut x: u64 = (x as u64).wrapping_mul((x as u64).wrapping_div((v1 as u64) | 1));
    }
    if ((!(v2 > -2147483648)) || (v3 as f32).is_nan()) {
        let mut v11: i32 = v2.wrapping_div(v2 | 1);
        let x: u16 = ((100_i64) as u16).min((((3_i8) as u16) << ((v2 as u32) % 16)));
    } else {
        v2 = v2.saturating_add(a1.wrapping_add((a1 << (v1 % 32))));
        let mut turns14: u32 = 0;
        'l14: while turns14 < ((v3 as i8) as u32 % 4) && ((3_i64) == 7) {
            turns14 += 1;
            let v16: f64 = (a1 as f64).max((((a0 as f64) as f64) % (((-2.5_f64)) * (v3 as f64))));
            v3 = (turns14 as u16).saturating_sub(v3.wrapping_div(v3 | 1));
            if ((v16 as i32) >= (if false { v2 } else { let w16: i32 = v2; w16 })) {
                continue;
            }
            v2 = (v16 as i32).wrapping_shr(v1);
        }
    }
    ((if ((v3 > 65535_u16) ^ true) { v1.wrapping_neg() } else { let w17: u32 = v1.wrapping_mul(v1); w17 }), (a1 as i8).min((100_i8).wrapping_sub((v1 as i8))))
}

#[device]
fn random_3(a0: u32, a1: u32, a2: u32, a3: u8) -> (i8, bool, i64) {
    let mut x: u8 = (if (a2 as f64).is_nan() { ((a0 as u8).leading_zeros() as u8) } else { a3.rotate_left(a2) });
    x = (if (((a0 > 0) as u16) > (a0 as u16).max(0)) { (a2 as u8).max(a3.swap_bytes()) } else { a3.saturating_sub((x.count_ones() as u8)) });
    if (!((a3 > 255) || (a0 > 0))) {
        let v4: f32 = (((a0 as f32) as f32) / ((a3 as f32) * ((a2 as f32) + (a2 as f32))));
        let mut v5: bool = (v4 <= ((v4 as u32) as f32));
    } else {
        let mut v7: f64 = (a1 as f64).mul_add((((-0.0_f64)) as f64).trunc(), (if (if (x > 0) { (x > 7) } else { let w5: bool = (a2 > 0_u32); w5 }) { (if true { (a0 as f64) } else { (a2 as f64) }) } else { ((a1 as i64) as f64) }));
        let mut v8: u8 = x.wrapping_shr(a1);
    }
    if (!((0_u64) == 0)) {
        let v9: i8 = (((1e3_f64) as i8) | (a3 as i8).wrapping_neg());
        x = (if (!((a1 > 4294967295_u32) && (a1 > 0_u32))) { x.saturating_add((x.count_ones() as u8)) } else { (if (0.0_f32).is_nan() { (if false { a3 } else { x }) } else { (x & x) }) });
    } else {
        if ((a3 as i32) != (0_i32).rotate_left(a2)) {
            return (((a1 as f64) as i8).wrapping_mul((100_i8).wrapping_pow(3)), (if (if true { (a2 > 100_u32) } else { true }) { ((a1 as i32) != 100) } else { ((0_i8) < 100_i8) }), ((x as f32) as i64).max((a2 as i64).max(9223372036854775807_i64)));
        }
        if ((a1 as i16) < (a3 as i16).swap_bytes()) {
            x |= ((a0 as i8) as u8);
            x = (a3 >> (a0 % 8));
        } else {
            x = ((a3 as u16) as u8);
            x = (a1 as u8).wrapping_shr((((-2.5_f64)) as u32));
        }
    }
    let mut x: i32 = (((7_i8) as i32).count_ones() as i32);
    ((if (a1 > a1) { ((x as i8).count_ones() as i8) } else { (if false { (x as i8) } else { 3 }) }), ((a2 as i32) > x.wrapping_sub(x)), ((a2 > 3_u32) as i64).rotate_left((a0 as u32)))
}

#[device]
fn random_4(a0: i16, a1: i64, a2: bool) -> (f32, f32, f32) {
    let mut x: i8 = (a1 as i8).saturating_sub((if ((1.0_f32) >= -0.0) { (a1 as i8).wrapping_mul((a2 as i8)) } else { (if a2 { (a2 as i8) } else { let w0: i8 = (a1 as i8); w0 }) }));
    let mut v3: bool = ((a0 as u64) == (a0 as u64).wrapping_sub((a1 as u64).saturating_add(0_u64)));
    let x: u16 = (a2 as u16).max(((a2 as u8 as f32) as u16).wrapping_add((7_u16).min((a2 as u16))));
    if (if ((a1 as u64) != (a1 as u64)) { (x <= 0) } else { let w4: bool = (!v3); w4 }) {
        return ((((a0 as f32) as f32) * ((x as f32) - (x as f32))), (v3 as u8 as f32).max((a1 as f32).max((a1 as f32))), ((a2 as u8 as f32) * (x as f32).round()));
    }
    let v6: i64 = (a1 & (v3 as i64).wrapping_shr((a2 as u32)));
    (((v3 as u8 as f32) * (a2 as u8 as f32).signum()), (v6 as f32).floor(), ((v3 as u8 as f32) / ((a2 as u8 as f32) / (x as f32))))
}

#[device]
fn random_5(a0: u64, a1: i32, a2: u64, a3: u64) -> (i8, i8) {
    let v1: f64 = (a1 as f64).copysign(0.0);
    let mut x: f64 = v1.floor();
    let v3: u16 = ((9223372036854775807_i64) as u16).wrapping_add((if ((a3 as f32) != (v1 as f32)) { (a1 as u16).wrapping_rem((a2 as u16) | 1) } else { (if (a0 > 18446744073709551615) { (x as u16) } else { (a3 as u16) }) }));
    for x in (2..6).rev() {
        let x: i32 = x;
        let v5: u8 = (a1 as u8).swap_bytes();
        let mut v6: u32 = (a0 as u32).saturating_sub(((v1 as u32) >> ((a2 as u32) % 32)));
        let mut v7: i32 = a1.saturating_sub((((-128_i8)) as i32).wrapping_pow(3));
    }
    let mut v8: i32 = (a1 as i32).min(((a1 as i32) & a1.wrapping_add(2147483647_i32)));
    ((if (if true { false } else { (v3 > 0) }) { (a0 as i8).wrapping_add((a1 as i8)) } else { (x as i8).wrapping_shr((0_u32)) }), (a1 as i8).wrapping_div((a0 as i8) | 1))
}

#[device]
fn random_6(a0: i16, a1: f32, a2: bool, a3: f64) -> (u8, i64) {
    let mut v2: bool = (((a0 as i8) as u16) != (!(a3 as u16)));
    let v3: i8 = (a3 as i8).max((a1 as i8).wrapping_shr(((a3 as i8) as u32)));
    let x: f64 = a3.round();
    if ((v3 as i32) > (a0 as i32).wrapping_add(0)) {
        let mut v5: f32 = (a3 as f32);
        if ((v2 ^ false) && (v2 || true)) {
            let mut v6: u32 = ((a0 as u64) as u32);
            let mut v7: i64 = (((a0 as u64) as i64) & ((a2 as i64) & ((x as i64) << (v6 % 64))));
        } else {
            v2 = (a1 != v5.min((x as f32)));
            let v8: u32 = ((a0 as u32) << ((v3 as u32) % 32));
        }
    } else {
        if (a1 as f32).is_nan() {
            return ((v3 as u8).saturating_sub((x as u8).wrapping_mul((v3 as u8))), (x as i64).wrapping_add(((v2 as i64) >> ((a3 as u32) % 64))));
        }
        let v9: i64 = (a0 as i64).swap_bytes();
    }
    v2 = (!((if false { a2 } else { let w9: bool = false; w9 }) && (v2 ^ a2)));
    ((a3 as u8).saturating_add((7_u8).wrapping_div((0_u8) | 1)), (if (if a2 { v2 } else { v2 }) { (100_i64).rotate_left((a3 as u32)) } else { let w10: i64 = (a0 as i64).saturating_add((v3 as i64)); w10 }))
}

#[device]
fn random_7(a0: u8, a1: u64) -> (i8, i64, f32) {
    let mut v1: f64 = ((a1 as f64) / (if (if (a0 > 0_u8) { false } else { (a1 > 1) }) { (((-0.0_f64)) * (a1 as f64)) } else { ((a1 as f64) % (a1 as f64)) }));
    let v2: u8 = (a1 as u8).max((a0 | a0.swap_bytes()));
    if v1.is_nan() {
        return ((a0 as i8).wrapping_rem((v2 as i8) | 1), (v1 as i64).min((a1 as i64).wrapping_rem((a0 as i64) | 1)), (((v2 as u16) as f32) * (0.0_f32).signum()));
    }
    if (v2 <= a0.wrapping_mul(2)) {
        for turns4 in (0..((v2 as u32) as u32 % 9)).rev() {
            v1 = ((9223372036854775807_i64) as f64).signum();
            v1 = (v1 - v1.min(v1));
            if ((turns4 > 0_u32) || ((v1 as i16) < (turns4 as i16))) {
                break;
            }
            v1 = (v1 % (-((a1 as i32) as f64)));
        }
        let mut v6: i8 = (v2 as i8).wrapping_add(((a1 as u32) as i8));
    } else {
        v1 = v1.copysign(1.0);
        match (a1 as i32) {
            0 => {
                v1 = (v1 as f64);
            }
            1 | 2 => {
                v1 = (v1 * (v1 % v1));
            }
            3..=100 => {
                let mut v8: f64 = ((a1 as i8) as f64).signum();
            }
            other if (((v1 as i16) as i16) < (a1 as i16)) => {
                let x: f32 = (if ((a1 >= a1) || v1.is_nan()) { (v2 as f32).copysign(0.0) } else { let w8: f32 = ((other as u32) as f32).sqrt(); w8 });
            }
            _ => {
                v1 = v1.trunc();
            }
        }
    }
    let mut v11: i16 = (!(a0 as i16));
    ((v2 as i8).wrapping_shr(((v11 as f32) as u32)), (v1 as i64).min((a0 as i64).wrapping_mul(3)), (((v11 as i32) as f32) / (v11 as f32).max((v2 as f32))))
}

#[device]
fn random_8(a0: i64, a1: f64, a2: f32) -> (u32, u64, i64) {
    let v1: u8 = (a1 as u8).wrapping_shr((a2 as u32));
    let v2: u32 = (a2 as u32).wrapping_add(((v1 as u64) as u32));
    let mut v3: f32 = a2.sqrt();
    v3 *= (v3 * a2.sqrt());
    v3 = (a2 + ((a0 as f32) * v3.trunc()));
    (((v1 as i32) as u32).wrapping_div(v2 | 1), (if (a0 > 7) { (7_u64).saturating_sub((a1 as u64)) } else { (v1 as u64).min(0) }), a0.wrapping_add(a0.wrapping_shl(v2)))
}

#[device]
fn random_9(a0: f32, a1: i32, a2: f64, a3: u8) -> (u32, i64) {
    let mut x: u16 = (a1 as u16).wrapping_sub((a1 as u16).wrapping_shl((a1 as u32)));
    if ((a1 as i64) > (a0 as i64)) {
        if (a2 >= a2.abs()) {
            x = ((a3 as i16) as u16);
            let mut v2: i8 = ((a3 as i8) as i8);
        } else {
            let v3: i16 = (a0 as i16).rotate_left((a3 as u32));
            let mut v6: i64 = (if a0.is_nan() { (a1 as i64).swap_bytes() } else { (if (if (a2 > 1.0) { (a1 > -2147483648) } else { true }) { (v3 as i64).wrapping_pow(3) } else { let w4: i64 = (a2 as i64).wrapping_shl((a3 as u32)); w4 }) });
        }
        let v7: f64 = a2.sqrt();
    } else {
        if (a3 as f32).is_nan() {
            x = (a0 as u16).wrapping_neg();
            x = ((a2 as u32) as u16).wrapping_pow(3);
        } else {
            x |= (x ^ ((x as u64) as u16));
            x = (a1 as u16).min(x.wrapping_sub(x));
        }
        let mut turns8: u32 = 0;
        let v9: f32 = loop {
            turns8 += 1;
            if turns8 > ((a2 as i8) as u32 % 6) { break (a2 as f32).min(a0.copysign(0.1_f32)); }
            x = (x ^ x.wrapping_mul(x));
            let mut x: f32 = (((x as i16) as i64) as f32);
            if (!(a2 <= 1.0)) { break ((a1 as f32) * x.max(0.0_f32)); }
            x -= a0.abs();
        };
    }
    x &= ((a0 as u32) as u16).wrapping_add(x.saturating_sub(x));
    let x: f32 = a0.mul_add((a0 % a0.round()), (-(a3 as f32)));
    let mut v12: i8 = (a1 as i8).wrapping_mul((if ((a2 as i8) <= 1) { (a1 as i8) } else { ((1_i8) | (a2 as i8)) }));
    ((x as u32), (if ((x > 7.25) || true) { ((a0 as i64).count_ones() as i64) } else { (a3 as i64).saturating_add(0_i64) }))
}

#[device]
fn random_10(a0: u16, a1: i8, a2: f64, a3: bool) -> (f32, i32) {
    let mut v1: f64 = (((a2 as u8) as f64) as f64);
    let mut v2: f32 = ((a0 as f32) - ((a2 as f32) / (((-32768_i16)) as f32)));
    let mut turns3: u32 = 0;
    'l3: loop {
        turns3 += 1;
        if turns3 > ((a3 as i16) as u32 % 5) { break; }
        if (!((a3 as i32) != (v1 as i32))) {
            return (v2.signum(), (if (turns3 != turns3) { (a2 as i32).min(3) } else { ((-2147483648_i32)).max(3) }));
        }
        let mut v5: i16 = (v2 as i16).max(((a1 as i16) | (v2 as i16).saturating_add((a0 as i16))));
        if (((v2 as i64) as u8) == (1_u8).wrapping_mul((turns3 as u8))) {
            break 'l3;
        }
        v1 = v1.mul_add((if a3 { 1.0 } else { v1 }), (if true { 1.0_f64 } else { 7.25_f64 }));
    }
    if (((a1 as u64) != (a1 as u64)) || ((0_u8) <= 100_u8)) {
        match (v2 as i8) {
            0 => {
                let mut v6: bool = ((a0 < a0.min(a0)) && ((v2 as i32) <= (a1 as i32).swap_bytes()));
            }
            1 | 2 => {
                v2 -= (v2 / (-v2));
            }
            3..=100 => {
                v2 = ((a3 as u32) as f32);
            }
            other if ((false && a3) && v2.is_nan()) => {
                v1 *= ((v2 as f64) - (a2 / 0.1_f64));
            }
            _ => {
                v2 = (if ((v2 as u8) >= ((0_u8).count_ones() as u8)) { v2.round() } else { let w7: f32 = (v2 * (v2 % 0.0_f32)); w7 });
            }
        }
        if (if (v1 < v1) { ((v1 as i16) <= 1_i16) } else { (!a3) }) {
            return ((a0 as f32), ((a3 as i32).leading_zeros() as i32));
        }
    } else {
        v1 += a2.signum();
        if (if (if false { a3 } else { a3 }) { (if false { a3 } else { false }) } else { let w8: bool = v2.is_nan(); w8 }) {
            v1 = (v1 + (v1 as f64));
            v2 = v2.max((v2 as f32));
        } else {
            let mut v10: i8 = (v2 as i8).min((a2 as i8).min(a1.wrapping_add(a1)));
            let v11: u16 = (a0 | (if ((a1 as u64) < (a2 as u64)) { a0.wrapping_add(a0) } else { a0.saturating_sub(3) }));
        }
    }
    if (if (a1 < a1) { ((3_i16) > 2_i16) } else { (a3 && false) }) {
        let mut v12: i16 = (v2 as i16).wrapping_sub((v2 as i16).wrapping_mul((v2 as i16).wrapping_add(32767)));
        v12 = ((a1 as i16).leading_zeros() as i16);
    } else {
        if (if (a3 ^ a3) { ((a1 as u64) > 7_u64) } else { (if false { a3 } else { a3 }) }) {
            v1 -= (if ((100_u64) >= (v1 as u64)) { v1.abs() } else { a2.mul_add(-2.5, a2) });
            v2 = v2.signum();
        } else {
            v1 = (a2 as f64).floor();
            let mut x: f64 = (v1 % (if ((v1 as u32) >= (a2 as u32)) { v1.round() } else { let w12: f64 = (v2 as f64); w12 }));
        }
        v1 -= (a2 / (if a3 { a2 } else { a2 }));
    }
    (((a2 as i32) as f32), (v2 as i32).rotate_left((a0 as u32)))
}

#[device]
fn random_11(a0: u32, a1: f32) -> (u16, i8) {
    let mut v1: u64 = (((a1 as u16) as u64).count_ones() as u64);
    let mut x: u32 = (a1 as u32);
    let mut v3: u8 = (x as u8).swap_bytes();
    let v4: f64 = (v1 as f64).mul_add((v3 as f64).abs(), ((a1 as f64) - (-((-2.5_f64)))));
    let v6: i32 = 'b5: {
        v1 = v1.wrapping_rem((a0 as u64) | 1);
        v3 = v3.wrapping_add((if true { v3 } else { let w6: u8 = 3_u8; w6 }));
        if (((v4 as i16) == (v4 as i16)) || (if (v1 > 18446744073709551615) { false } else { (v4 > 1.0_f64) })) { break 'b5 (a1 as i32).saturating_add((v3 as i32).min(100_i32)); }
        (a0 as i32).wrapping_mul((a0 as i32).min((a1 as i32)))
    };
    (((65535_u16) as u16).wrapping_neg(), (a1 as i8).saturating_add((7_i8).min((v3 as i8))))
}

#[device]
fn random_12(a0: f64, a1: bool) -> (i32, i64) {
    let v2: i16 = (if (((a1 as u8) != (a0 as u8)) || ((a0 as u16) > (a0 as u16))) { ((a0 as f32) as i16) } else { let w0: i16 = ((a1 as i16) as i16).wrapping_add((a1 as i16).wrapping_shl((100_u32))); w0 });
    let mut v4: u32 = (if ((a0 as u16) != (v2 as u16).wrapping_add((a0 as u16))) { ((1_u16) as u32).min(((a0 as u32) << ((a0 as u32) % 32))) } else { let w2: u32 = (a1 as u32).saturating_add((if false { 7_u32 } else { (v2 as u32) })); w2 });
    v4 = (v2 as u32).rotate_left((a1 as u32));
    v4 &= ((7.25_f32) as u32).saturating_sub(v4.wrapping_div(v4 | 1));
    v4 = v4.wrapping_rem((v4 as u32) | 1);
    (((v2 as i32).count_ones() as i32), ((v4 > 0) as i64))
}

#[device]
fn random_13(a0: bool, a1: f64, a2: f64, a3: u32) -> (i64, f64, i8) {
    let mut v1: bool = (((a1 as u32) > a3.saturating_add(a3)) ^ (((a0 as u8) as i64) < (a2 as i64).min((a2 as i64))));
    let mut x: f32 = ((v1 as u64) as f32).trunc();
    let v4: i16 = (v1 as i16).wrapping_add((if (a2 < a2) { (a2 as i16).wrapping_mul((a0 as i16)) } else { ((v1 as i8) as i16) }));
    let mut v5: f64 = a2.floor();
    x = x.copysign(1.0);
    (((3_u8) as i64).wrapping_mul((1_i64).saturating_sub((a3 as i64))), ((x as f64) + a2.copysign(-0.0_f64)), (v5 as i8).saturating_sub((3_i8).wrapping_div(((-128_i8)) | 1)))
}

#[device]
fn random_14(a0: u32, a1: f32, a2: i16) -> (u64, u64, u32) {
    let x: u8 = (a0 as u8).saturating_sub((if (false || (a2 > 7)) { (a0 as u8).min(2) } else { let w0: u8 = (a0 as u8).min((a0 as u8)); w0 }));
    let mut v3: i32 = (a1 as i32).saturating_add(((a2 as i32) | (((-2147483648_i32)).leading_zeros() as i32)));
    v3 ^= ((a1 as u64) as i32).wrapping_sub((v3 | v3));
    let mut v4: i64 = (if ((x as f32) != a1.signum()) { (x as i64).wrapping_add((100_i64).saturating_sub((a0 as i64))) } else { (v3 as i64).rotate_left((v3 as u32)) });
    let mut x: u64 = (a1 as u64).wrapping_shl(a0);
    ((!(v4 as u64)), x.saturating_add((x << (a0 % 64))), a0.wrapping_shr((a2 as u32)))
}

#[device]
fn random_15(a0: u16, a1: f32) -> (u64, u64) {
    let mut v2: f32 = ((a0 as f32) / (((a0 as f64) as f32) - (if true { 7.25_f32 } else { a1 })));
    if ((((-128_i8)) <= (a0 as i8)) || ((a0 as i32) <= (a1 as i32))) {
        return (((a0 > 2) as u64).wrapping_pow(3), (a1 as u64).wrapping_div((v2 as u64) | 1));
    }
    let mut x: u32 = (a1 as u32).wrapping_div((a1 as u32) | 1);
    match a0 {
        0 => {
            if (((127_i8) > (a0 as i8)) || (v2 == v2)) {
                return (((a1 as i32) as u64), (v2 as u64).saturating_sub((a0 as u64).wrapping_sub((a1 as u64))));
            }
        }
        1 | 2 => {
            x = (a1 as u32).max(x.wrapping_sub(x.wrapping_sub(x)));
        }
        3..=100 => {
            let mut v4: u8 = (((100_u8) as u8).leading_zeros() as u8);
        }
        other if (a1.is_nan() && ((100_i8) != 100_i8)) => {
            let mut v5: i8 = ((x as i16) as i8).saturating_add(((a1 as i8) << (((a1 as f64) as u32) % 8)));
        }
        _ => {
            x = (!x);
        }
    }
    let v7: u16 = a0.wrapping_mul(a0.wrapping_mul((if false { a0 } else { let w5: u16 = 0_u16; w5 })));
    ((if ((100_i8) >= (a0 as i8)) { ((18446744073709551615_u64) | (v7 as u64)) } else { let w7: u64 = (if (a1 > 1e3_f32) { (v2 as u64) } else { (v2 as u64) }); w7 }), (a1 as u64).max(((v2 as u64).count_ones() as u64)))
}

#[device]
fn random_16(a0: i16, a1: bool, a2: u16) -> (f32, u16) {
    let mut v3: f32 = (if (if (if true { false } else { a1 }) { (false && a1) } else { (a1 && true) }) { ((a2 as i32) as f32) } else { let w1: f32 = ((a0 as f32) - (((-0.0_f32)) + -0.0)); w1 });
    if ((a1 as u64) != ((a0 as u64).leading_zeros() as u64)) {
        return (((a2 as i8) as f32).round(), a2.wrapping_shr((a0 as u32)));
    }
    let v5: f32 = (v3 - v3.round());
    v3 /= v3.min(v3.round());
    let mut v6: i64 = (v5 as i64).wrapping_add((a1 as i64).max((0_i64).wrapping_add((v3 as i64))));
    ((v3 + v5.max(0.1)), (a0 as u16).wrapping_neg())
}

#[device]
fn random_17(a0: i32, a1: u8) -> (i16, u32, f32) {
    let mut v1: f64 = (if ((a0 as f64) > (a1 as f64).trunc()) { ((a0 as f32) as f64) } else { ((a1 as f64) / (-(a0 as f64))) });
    v1 = (if (((a0 > 1_i32) && true) ^ ((a0 as i8) != (a0 as i8))) { (if ((a0 as u32) > (v1 as u32)) { v1.signum() } else { (v1 + v1) }) } else { (v1 as f64).floor() });
    if (((a1 as u64) == (v1 as u64)) && ((v1 as u16) < 7_u16)) {
        for x in (0..4).rev() {
            let x: i32 = x;
            v1 = (if ((x > 2147483647_i32) ^ (x > 3)) { (-v1) } else { let w2: f64 = (v1 * v1); w2 });
            v1 = (v1 * v1.round());
            v1 = ((x as f64) * v1.floor());
        }
        let mut v4: i8 = (v1 as i8).min((((v1 as f32) as i8).count_ones() as i8));
    } else {
        v1 = (v1 / (if ((1_u16) > (v1 as u16)) { v1.trunc() } else { (if (a0 > 2_i32) { v1 } else { let w4: f64 = v1; w4 }) }));
        for v6 in 2..5 {
            let v6: i32 = v6;
            let mut v7: i32 = v6.max(a0.wrapping_sub(a0.wrapping_add(v6)));
            v1 = ((v7 as f32) as f64);
            if ((if (a1 > 0) { (v6 > 7_i32) } else { (v7 > 2_i32) }) || ((v6 > 2) || (v1 > 0.0))) {
                break;
            }
            v1 -= (v1 - v1.floor());
        }
    }
    let mut turns8: u32 = 0;
    while turns8 < ((a1 as u8) as u32 % 10) && (!(a0 > 3_i32)) {
        turns8 += 1;
        match a0 {
            0 => {
                v1 = v1.floor();
            }
            1 | 2 => {
                v1 = (turns8 as f64).abs();
            }
            3..=100 => {
                let mut v10: f32 = ((a0 as i16) as f32).copysign(1.0);
            }
            other if ((turns8 as i64) != (3_i64).wrapping_div((v1 as i64) | 1)) => {
                let mut v11: u64 = ((turns8 as u16) as u64).wrapping_sub((v1 as u64).wrapping_mul(((turns8 > 100_u32) as u64)));
            }
            _ => {
                v1 = (if ((18446744073709551615_u64) <= 1) { (v1 + v1) } else { (v1 % v1) });
            }
        }
        v1 *= (v1 as f64).max((v1 % v1));
        if ((v1 as f32) > (v1 as f32)) {
            break;
        }
        v1 = (v1 + v1.sqrt());
    }
    let mut x: f64 = (v1 / (((0.0_f32) as i16) as f64));
    ((a1 as i16).wrapping_shl((x as u32)), ((x as u32) ^ (v1 as u32).max(0)), ((a1 as f32) + (a0 as f32).abs()))
}

#[device]
fn random_18(a0: f32, a1: f64, a2: f32) -> (f64, i32, u8) {
    let mut v3: f64 = a1.max((if (if (a2 > -2.5) { (a0 > 0.1_f32) } else { let w0: bool = false; w0 }) { (a1 / -0.0_f64) } else { let w1: f64 = (a1 / a1); w1 }));
    let mut v4: bool = (((v3 as i32) as i8) < (if ((v3 as i64) < 3_i64) { (100_i8).saturating_add(0_i8) } else { (127_i8).swap_bytes() }));
    if (((v4 as i8) >= 2_i8) && ((v4 as i32) < 2147483647)) {
        return (((v4 as i8) as f64), (a0 as i32).max((2_i32).rotate_left((3_u32))), (((a2 as u16) as u8).leading_zeros() as u8));
    }
    let mut v5: i8 = (a1 as i8).wrapping_add((((a1 as i16) as i32) as i8));
    let mut x: u16 = ((a0 as u16) ^ (a1 as u16).wrapping_mul((a2 as u16).saturating_sub((v4 as u16))));
    ((a1 - v3.abs()), (if (v5 != v5) { (3_i32).wrapping_add(2_i32) } else { (a1 as i32).saturating_add((v5 as i32)) }), (v5 as u8).max((x as u8).rotate_left((a2 as u32))))
}

#[device]
fn random_19(a0: f32, a1: i32) -> (i16, i64) {
    let v2: u32 = (if a0.is_nan() { (a0 as u32).max((a1 as u32).saturating_sub((a0 as u32))) } else { (a0 as u32).wrapping_sub((a1 as u32).saturating_sub(0)) });
    let v3: u16 = ((a1 as i16) as u16).max((a1 as u16));
    let mut v4: f32 = a0.mul_add(a0.trunc(), (((v2 as i16) as i64) as f32));
    let mut v5: f64 = (v2 as f64).max(((a0 as f64) - (if true { (a0 as f64) } else { 1e3_f64 })));
    let mut x: f64 = (v5 + ((v2 as f64) / (v5 % v5)));
    (((a0 as i16) >> ((v4 as u32) % 16)), (a0 as i64).wrapping_rem((v4 as i64) | 1))
}

#[device]
fn random_20(a0: u16, a1: bool, a2: u32, a3: u16) -> (f32, u16, i32) {
    let mut v1: f64 = ((a1 as u8 as f64) / ((a2 as f64) - (a0 as f64).round()));
    let mut turns2: u32 = 0;
    let v3: i16 = loop {
        turns2 += 1;
        if turns2 > (((v1 as u64) as i8) as u32 % 6) { break ((v1 as i8) as i16).min((a2 as i16).swap_bytes()); }
        v1 = ((a3 as f64) + ((2_i16) as f64));
        v1 = v1.signum();
        v1 = ((turns2 as f64) as f64);
    };
    for turns4 in (0..((a3 as i16) as u32 % 9)).rev() {
        let mut x: f32 = (if ((v1 != v1) ^ (!a1)) { (if (true ^ false) { (-(a1 as u8 as f32)) } else { ((v3 as f32) % (v3 as f32)) }) } else { let w5: f32 = (if (if false { a1 } else { a1 }) { (1.0_f32).trunc() } else { (a1 as u8 as f32).abs() }); w5 });
        let mut v8: f64 = (v1 * (if ((x as i32) == (turns4 as i32)) { v1.signum() } else { (v1 - v1) }));
        if v8.is_nan() {
            continue;
        }
        let mut x: u8 = ((a0 as u8) | (v1 as u8).rotate_left(turns4));
    }
    if ((v1 as f64) > (v1 + v1)) {
        v1 /= v1.floor();
        v1 *= (a3 as f64).min(v1.signum());
    } else {
        v1 += (if (a1 ^ a1) { (v1 * v1) } else { (if false { v1 } else { -2.5 }) });
        v1 = (((0.1_f32) as f64) - ((v3 as i64) as f64).mul_add((if false { 1e3 } else { -2.5_f64 }), v1.abs()));
    }
    let v11: u64 = ((a0 as u64).count_ones() as u64);
    ((if ((v1 as i8) == (a1 as i8)) { (a3 as f32).round() } else { (a2 as f32) }), ((0.1_f32) as u16).wrapping_shr((a3 as u32)), (a0 as i32).wrapping_div((a0 as i32) | 1))
}

#[device]
fn random_21(a0: f32, a1: f64, a2: bool) -> (f64, i64, u32) {
    let mut x: u32 = (a1 as u32).saturating_sub((a2 as u32).wrapping_div((a2 as u32) | 1));
    x = (a1 as u32).saturating_add(x.wrapping_sub(x.wrapping_mul(x)));
    if ((if a2 { a2 } else { let w1: bool = a2; w1 }) || a0.is_nan()) {
        let mut v3: i64 = ((a1 as i64).count_ones() as i64);
        let x: bool = ((v3 as u8) >= (x as u8).swap_bytes());
    } else {
        x = x.wrapping_pow(3);
        x = (a1 as u32).wrapping_add(x.max((if a2 { x } else { let w6: u32 = 4294967295_u32; w6 })));
    }
    match (x as u8) {
        0 => {
            let mut v8: f64 = (a2 as u8 as f64).max((if ((a1 as u16) >= 100_u16) { a1.round() } else { a1.copysign(0.1) }));
        }
        1 | 2 => {
            let (c8_0, v9_1, v10_2) = random_7((a0 as u8).max((a2 as u8)), (x as u64).saturating_sub((a0 as u64)));
        }
        3..=100 => {
            let mut v11: f32 = ((a0 as i64) as f32);
        }
        other if (((a0 as i32) as i32) <= (a0 as i32).swap_bytes()) => {
            let mut v12: i64 = ((other as i16) as i64).wrapping_add((x as i64).wrapping_mul((a0 as i64).saturating_sub((a2 as i64))));
        }
        _ => {
            let v13: f32 = ((a1 as i8) as f32).mul_add(a0.max(a0.floor()), (x as f32).max((a0 % 0.0_f32)));
        }
    }
    x = x.wrapping_mul(((a0 as u32).leading_zeros() as u32));
    (a1.round(), (a1 as i64).wrapping_shl(((7_i8) as u32)), x.wrapping_shr(x))
}

#[device]
fn random_22(a0: u8, a1: bool, a2: f64, a3: f64) -> (u8, bool, i32) {
    let mut v1: u64 = ((a3 as i8) as u64).wrapping_rem(((0_i64) as u64) | 1);
    if (if (true && true) { (true || a1) } else { let w1: bool = (a0 == a0); w1 }) {
        return ((a0 ^ a0.wrapping_sub(a0)), (a0 >= a0.rotate_left((a2 as u32))), (a1 as i32).wrapping_add((1_i32).wrapping_add((a3 as i32))));
    }
    match ((a3 as i32) as i16) {
        0 => {
            let mut v3: u32 = ((a1 as u8 as f32) as u32).saturating_add((a2 as u32).wrapping_shl((v1 as u32)));
        }
        1 | 2 => {
            if ((a2 as i32) >= ((7_i32) << ((100_u32) % 32))) {
                v1 = (a2 as u64).wrapping_shr((a2 as u32));
                v1 = (a0 as u64).wrapping_add(v1.wrapping_add(v1));
            } else {
                v1 = v1.wrapping_rem(v1 | 1);
                let mut v5: f64 = (-((v1 as u32) as f64));
            }
        }
        3..=100 => {
            if ((a0 as i64) != ((v1 as i16) as i64)) {
                return ((if (a3 as f32).is_nan() { (if a1 { 1_u8 } else { a0 }) } else { a0.max(1) }), ((false && a1) ^ (if true { false } else { let w5: bool = true; w5 })), (if ((a0 as i32) == 3_i32) { (a1 as i32).saturating_add((a1 as i32)) } else { ((a0 as i32).leading_zeros() as i32) }));
            }
        }
        other if (a3 as f32).is_nan() => {
            let mut v7: f32 = ((a2 as f32) % ((other as f32) * ((a0 as f32) % 1.0_f32)));
        }
        _ => {
            v1 = (a3 as u64).wrapping_sub((if a1 { 0 } else { v1 }));
        }
    }
    v1 = (a0 as u64).swap_bytes();
    v1 |= (a3 as u64).max(v1.max(v1));
    ((a3 as u8).wrapping_neg(), (((a1 as u8 as f32) < -2.5_f32) || ((a1 as u32) >= (a2 as u32))), ((a1 as i32) | (a2 as i32).min(1_i32)))
}

#[device]
fn random_23(a0: u64, a1: i32, a2: u64, a3: bool) -> (f64, u64) {
    let v1: u64 = (a0 as u64).saturating_sub((a2 as u64).wrapping_shl((a1 as u32)));
    let mut v2: i32 = ((a1 as f64) as i32);
    v2 = v2.saturating_add((a3 as i32));
    if ((v1 as u8) == (a3 as u8).wrapping_rem((v1 as u8) | 1)) {
        match (a0 as u16) {
            0 => {
                v2 = (if (if (a2 <= 100) { (!a3) } else { ((a0 as f32) >= (a2 as f32)) }) { (a0 as i32).saturating_add(v2.saturating_add(1_i32)) } else { let w3: i32 = (v1 as i32).wrapping_pow(3); w3 });
            }
            1 | 2 => {
                v2 = ((a0 as i32) ^ a1.wrapping_neg());
            }
            3..=100 => {
                v2 = ((a3 as i32) >> ((v1 as u32) % 32));
            }
            other if ((a1 as u32) >= ((v1 as u32).count_ones() as u32)) => {
                let mut v5: f64 = (a3 as u8 as f64).floor();
            }
            _ => {
                v2 = a1.wrapping_sub((v2 as i32).wrapping_add((v2 << ((a2 as u32) % 32))));
            }
        }
        let mut v7: u32 = (a3 as u32).wrapping_div((a3 as u32) | 1);
    } else {
        match ((3_i64) as u64) {
            0 => {
                let mut v8: f32 = (a1 as f32).min((a2 as f32).min(((a2 as i64) as f32)));
            }
            1 | 2 => {
                v2 = ((v2 as i32) << (((a3 as u8 as f32) as u32) % 32));
            }
            3..=100 => {
                let mut x: u8 = (a1 as u8).wrapping_rem((a1 as u8) | 1);
            }
            other if ((v2 as f64) >= (((-2.5_f64)) + (v1 as f64))) => {
                v2 |= a1.max((a1 as i32));
            }
            _ => {
                v2 = (a1 << ((v2 as u32) % 32));
            }
        }
        let c9_0: bool = (if (if a3 { a3 } else { a3 }) { (!false) } else { ((v2 as i8) <= (a1 as i8)) }) && random_6((if true { (v2 as i16) } else { (v1 as i16) }), ((a3 as i8) as f32), (v1 == a0), ((a1 as f64) * (a3 as u8 as f64))).0 > 255;
    }
    for x in 0..=2 {
        let x: i32 = x;
        let mut v12: f64 = ((v1 as f64) - (v1 as f64).min(((v1 as f64) / (a3 as u8 as f64))));
        let v13: u16 = ((a3 as u16) << ((v12 as u32) % 16));
        v2 = x.max(a1.saturating_sub(x));
    }
    (((v2 as f64) + (v1 as f64).mul_add((a1 as f64), (a3 as u8 as f64))), v1.wrapping_add((v1.count_ones() as u64)))
}

#[device]
fn random_24(a0: i16, a1: f64, a2: i64, a3: f32) -> (i8, u8) {
    let x: u64 = ((a1 as u64) ^ ((a3 as u64) >> ((a0 as u32) % 64)));
    let mut v2: f32 = ((a3 as f32) * (a3 - a3.abs()));
    let v3: i16 = (a0 >> ((a2 as u32) % 16));
    let mut v5: u32 = (if ((a3 as u32) < ((a2 as u32) ^ (a1 as u32))) { ((v2 as u32).count_ones() as u32) } else { let w3: u32 = ((a0 as u32) >> ((x as u32) % 32)); w3 });
    let v6: u16 = (a3 as u16).rotate_left(v5);
    ((v5 as i8).wrapping_add((if (v6 > 0) { (v5 as i8) } else { 2_i8 })), (a3 as u8).swap_bytes())
}

#[device]
fn random_25(a0: bool, a1: f64, a2: bool) -> (u8, f64, f64) {
    let mut v1: i32 = (((a1 as u16) as f32) as i32);
    if ((a1 as u8) == (v1 as u8).min(3_u8)) {
        return ((a1 as u8).max((!(a2 as u8))), (-a1), a1.floor());
    }
    if ((a1 <= a1) || ((a1 as u32) >= (v1 as u32))) {
        let v2: u64 = ((a1 as u64) << ((a2 as u32) % 64));
        match (v2 as u32) {
            0 => {
                let mut v5: i32 = (if (if ((0_u32) >= 4294967295_u32) { ((v2 as i16) != 32767_i16) } else { let w3: bool = (if true { a0 } else { let w2: bool = a2; w2 }); w3 }) { v1.wrapping_sub((v1.count_ones() as i32)) } else { (a1 as i32).min(((a0 as u16) as i32)) });
            }
            1 | 2 => {
                let v6: i8 = (((a2 as u16) as i8).leading_zeros() as i8);
            }
            3..=100 => {
                v1 |= (a2 as i32).wrapping_shl((a1 as u32));
            }
            other if ((a2 as i32) == v1.min(v1)) => {
                v1 = (a2 as i32).swap_bytes();
            }
            _ => {
                let mut x: i8 = (a2 as i8).wrapping_sub(((a1 as u64) as i8));
            }
        }
    } else {
        'l8: for turns8 in (0..((a0 as u32) as u32 % 9)).rev() {
            let v10: f32 = (((turns8 as i64) as f32) / (v1 as f32).floor());
            v1 = ((turns8 as i32) ^ v1.saturating_add(v1));
            if ((a1 != 0.1_f64) || (turns8 != turns8)) {
                continue;
            }
            v1 ^= v1.rotate_left(turns8);
        }
        if (if a1.is_nan() { (v1 as f32).is_nan() } else { let w10: bool = (!a2); w10 }) {
            return ((a1 as u8).max((if a0 { (a0 as u8) } else { (a2 as u8) })), a1.trunc(), ((a0 as u8 as f64) % (if a0 { 0.0_f64 } else { a1 })));
        }
    }
    v1 = ((v1 as u64) as i32);
    if (((v1 as f32) as u64) <= ((7_u64) ^ (v1 as u64))) {
        let mut v12: f32 = (a2 as u8 as f32).floor();
        if ((a0 ^ false) ^ ((v1 as u64) == 2)) {
            let v13: f64 = ((a2 as u8 as f64) / (a1 as f64));
            v12 = ((v1 as f32) - v12.abs());
        } else {
            v1 = ((a2 as i32) ^ v1.wrapping_shl((a1 as u32)));
            v12 = (v12 * (v12 / v12));
        }
    } else {
        let v14: f32 = (a1 as f32).mul_add((((a1 as i8) as i8) as f32), ((a0 as u8 as f32) / ((a1 as f32) + (a0 as u8 as f32))));
        for v15 in (1..3).rev() {
            let v15: i32 = v15;
            let mut v16: i16 = (v15 as i16).wrapping_mul(((a2 as u16) as i16).saturating_sub((a2 as i16).wrapping_shr((v1 as u32))));
            v16 = (if (if a0 { a2 } else { a2 }) { v16.wrapping_mul(v16) } else { (if a0 { v16 } else { v16 }) });
            if ((a0 as u32) < (a2 as u32).min(7)) {
                break;
            }
            v1 = (v1 as i32);
        }
    }
    ((a2 as u8).rotate_left((a1 as u32)), (a1 * a1.copysign(7.25_f64)), (-((v1 as u8) as f64)))
}

#[device]
fn random_26(a0: f32, a1: u32, a2: i32, a3: f64) -> (u64, i16) {
    let mut v1: u64 = (a1 as u64).saturating_add(((a3 as u64).count_ones() as u64));
    let mut v2: u16 = (if (if ((a0 as i64) <= 0_i64) { ((a0 > 1e3) && (a3 > -0.0_f64)) } else { ((a2 > 7) || (a2 > 2147483647)) }) { (a3 as u16).wrapping_sub((a0 as u16).wrapping_neg()) } else { (a1 as u16).saturating_add((if (a3 > -0.0_f64) { (a1 as u16) } else { (a3 as u16) })) });
    v2 ^= (if (v2 >= v2) { (v2 << (a1 % 16)) } else { (if (v1 > 7) { v2 } else { v2 }) });
    let mut v3: i64 = (a2 as i64).saturating_add((a0 as i64).max(((a0 as i64).leading_zeros() as i64)));
    v3 = ((v1 as i16) as i64).wrapping_rem(v3 | 1);
    ((v3 as u64).wrapping_add(v1.swap_bytes()), (a0 as i16).wrapping_shl((a3 as u32)))
}

#[device]
fn random_27(a0: i16, a1: u64, a2: i16, a3: i32) -> (i32, i64, f64) {
    let mut x: u8 = (a2 as u8).wrapping_div((a3 as u8) | 1);
    let v2: i64 = (a2 as i64).wrapping_pow(3);
    if ((x as f64).is_nan() && (1e3_f64).is_nan()) {
        let mut x: i64 = (v2 ^ v2.wrapping_mul(v2.wrapping_shr((x as u32))));
        match (x as u16) {
            0 => {
                x = v2.wrapping_add((a1 as i64).wrapping_mul(v2.wrapping_pow(3)));
            }
            1 | 2 => {
                let mut v5: f32 = (((255_u8) as f32) / (a3 as f32).trunc());
            }
            3..=100 => {
                x = x.wrapping_mul(v2.saturating_add((if (x > 9223372036854775807) { v2 } else { v2 })));
            }
            other if (((a0 as i8) as f64) == (if (v2 > 2_i64) { (a1 as f64) } else { (a2 as f64) })) => {
                x = x.saturating_sub((x as i64).saturating_add(x.wrapping_pow(3)));
            }
            _ => {
                x = (v2 | (x ^ v2));
            }
        }
    } else {
        let mut turns6: u32 = 0;
        let v7: f32 = loop {
            turns6 += 1;
            if turns6 > (v2 as u32 % 5) { break (-(a2 as f32)); }
            x = (v2 as u8).wrapping_neg();
            x = x.wrapping_mul(x.wrapping_shr((v2 as u32)));
            if (!((x > 1) && true)) { break (turns6 as f32).max((-(7.25_f32))); }
            x = ((a1 as u8).leading_zeros() as u8);
        };
        x = ((a0 > 32767) as u8).wrapping_mul((x.leading_zeros() as u8));
    }
    let mut turns8: u32 = 0;
    while turns8 < (a1 as u32 % 10) && ((v2 > -9223372036854775808_i64) ^ false) {
        turns8 += 1;
        match a1 {
            0 => {
                x = (x & (a2 as u8).max((if (turns8 > 2_u32) { x } else { let w9: u8 = 100; w9 })));
            }
            1 | 2 => {
                x = (v2 as u8).min(x.saturating_add(0));
            }
            3..=100 => {
                let mut v11: i8 = (if ((a0 > 100_i16) || (a2 != a2)) { (turns8 as i8) } else { (a3 as i8).wrapping_div((a0 as i8) | 1) });
            }
            other if ((turns8 as i16) > a0.wrapping_div(a2 | 1)) => {
                x = ((other as i16) as u8);
            }
            _ => {
                let mut v12: f32 = ((turns8 as f32) / ((a3 as u16) as f32).floor());
            }
        }
        if ((x as f64) > ((a1 as f64) / (a0 as f64))) {
            return ((if ((turns8 > 0_u32) || (a2 > 1)) { a3.saturating_sub(a3) } else { (a3 as i32) }), (v2 << (turns8 % 64)), ((turns8 as f64) + (v2 as f64)));
        }
        if ((turns8 as u16) < (v2 as u16).wrapping_pow(3)) {
            break;
        }
        x = x.wrapping_rem(x | 1);
    }
    for v13 in 0..5 {
        let v13: i32 = v13;
        x = ((v2 as u8).leading_zeros() as u8);
        let mut turns14: u32 = 0;
        loop {
            turns14 += 1;
            if turns14 > (a1 as u32 % 5) { break; }
            let mut v16: f32 = (a0 as f32).max((if (v13 < a3) { (x as f32).floor() } else { (if (a2 > 0_i16) { (a0 as f32) } else { (a3 as f32) }) }));
            v16 -= (a1 as f32).floor();
            if (((x as i8) != (turns14 as i8)) && ((7_u16) < 0)) {
                continue;
            }
            x = x.wrapping_mul((if (v16 > -2.5) { x } else { 3_u8 }));
        }
        if (if (!(a0 > -32768)) { (v13 < v13) } else { (true || (a2 > -32768)) }) {
            break;
        }
        let mut v17: u64 = (((2_u16) as f64) as u64);
    }
    ((if ((a0 > 2) ^ false) { a3.wrapping_rem(a3 | 1) } else { ((1.0_f32) as i32) }), (x as i64).wrapping_shr((a3 as u32)), ((a1 as f64) % ((127_i8) as f64)))
}

#[device]
fn random_28(a0: f32, a1: u8) -> (i32, u64) {
    let mut v1: f32 = (a1 as f32).max(((a0 as f32) + (a0 * a0)));
    match ((9223372036854775807_i64) as u32) {
        0 => {
            if (((a0 as u32) > (a0 as u32)) && ((0_u16) < 0)) {
                return ((if (if true { false } else { (a1 > 0) }) { (v1 as i32).wrapping_sub((v1 as i32)) } else { ((a1 as i32).count_ones() as i32) }), (!(a0 as u64)));
            }
        }
        1 | 2 => {
            let mut x: bool = a0.is_nan();
        }
        3..=100 => {
            v1 = v1.signum();
        }
        other if ((a1 as f64).is_nan() || ((v1 as i32) != 0)) => {
            let mut v3: u16 = ((a0 as u8) as u16);
        }
        _ => {
            let mut v4: f64 = ((v1 as i64) as f64).sqrt();
        }
    }
    let mut v5: u16 = (((v1 > 0.1) as u16) << (((0_i64) as u32) % 16));
    match ((a0 as f64) as i64) {
        0 => {
            let (c5_0, v6_1) = random_24((a1 as i16).rotate_left((v1 as u32)), ((1.0_f64) / (v1 as f64)), (v5 as i64).wrapping_mul((v5 as i64)), v1.sqrt());
        }
        1 | 2 => {
            if ((v1 as i16) > (32767_i16).wrapping_sub((v1 as i16))) {
                v5 = v5.max((v5 as u16).wrapping_rem(v5 | 1));
                v1 = (v5 as f32).max((if (v5 > 2) { a0 } else { let w6: f32 = v1; w6 }));
            } else {
                v1 -= (v1 as f32).copysign(-2.5);
                v5 = (v5 as u16).min((v5 ^ 7_u16));
            }
        }
        3..=100 => {
            let c7_0: bool = (((3_i64) as i64) == (a1 as i64).wrapping_rem((a0 as i64) | 1)) || random_11((v1 as u32).wrapping_add((a1 as u32)), (a0 % a0)).0 > 0_u16;
        }
        other if (if (!(a1 > 7_u8)) { ((a0 > 0.0) ^ (a0 > 1e3)) } else { (if (v5 > 7_u16) { (a0 > 0.0) } else { let w8: bool = false; w8 }) }) => {
            let mut v11: bool = ((v1 as i8) > (v1 as i8).wrapping_add((if (v5 > 7_u16) { (v5 as i8) } else { let w9: i8 = (other as i8); w9 })));
        }
        _ => {
            let v12: bool = ((!((v1 > -0.0) || true)) || (!(v5 > v5)));
        }
    }
    let v13: i32 = (a0 as i32).swap_bytes();
    ((v13.count_ones() as i32), ((a1 as u64) << ((v5 as u32) % 64)))
}

#[device]
fn random_29(a0: f32, a1: i16) -> (i16, u32, u16) {
    let mut v1: i64 = (if (if ((0_u32) <= 7_u32) { ((a0 > 1.0) ^ true) } else { ((a1 as u64) > 1) }) { ((a1 as u32) as i64).wrapping_sub((a0 as i64).wrapping_mul((a1 as i64))) } else { (a1 as i64).min(((a0 as i64).count_ones() as i64)) });
    if (((v1 as u32) == 3_u32) ^ (if true { true } else { (v1 > 100_i64) })) {
        let mut v2: u16 = (v1 as u16).min(((a1 as u16) >> ((v1 as u32) % 16)));
        let mut x: f64 = ((v2 as f64) / (((0_i32) as f64) * (a1 as f64).mul_add((v2 as f64), (v1 as f64))));
    } else {
        v1 = (v1 << ((a1 as u32) % 64));
        if (((a1 as i32) as f64) > ((1e3_f64) % -0.0_f64)) {
            return (a1.swap_bytes(), (v1 as u32).saturating_add((0_u32).wrapping_mul(100)), (a1 as u16).saturating_sub((v1 as u16).wrapping_sub(1)));
        }
    }
    v1 |= (v1 | v1.swap_bytes());
    let mut v4: f64 = ((v1 as f64) % ((a1 as f64) * ((v1 as f64) / (v1 as f64))));
    v1 = v1.wrapping_rem(v1 | 1);
    ((a1.leading_zeros() as i16), ((a1 as i64) as u32), (!(a1 as u16)))
}

#[device]
fn random_30(a0: i64, a1: u32, a2: bool, a3: u32) -> (u8, f64) {
    let mut x: i32 = (a1 as i32).swap_bytes();
    let v3: i32 = (if ((a0 as u8) >= (a2 as u8).max((a1 as u8))) { ((a2 as i32) << (a1 % 32)) } else { let w1: i32 = (x & x.saturating_sub(x)); w1 });
    for turns4 in 1..=((a3 as u64) as u32 % 3) {
        for x in (1..7).step_by(2) {
            let x: i32 = x;
            let mut v7: i16 = (((a3 as f64) as i16) | (a0 as i16).rotate_left((a3 as u32)));
            let mut x: u64 = (v7 as u64).wrapping_mul(((a2 as u64).count_ones() as u64));
            v7 ^= v7.saturating_add((v7 ^ v7));
        }
        for x in 0..4 {
            let x: i32 = x;
            let mut v10: f64 = (a2 as u8 as f64).trunc();
            v10 *= ((((-0.0_f32)) as f64) % (v10 - -2.5));
            v10 /= v10.abs();
        }
        if ((x as u64) == (a1 as u64).wrapping_div((7_u64) | 1)) {
            break;
        }
        x = (((a2 as u8 as f32) as i32) & (x.count_ones() as i32));
    }
    'l12: for turns12 in 1..=(a3 as u32 % 2) {
        x = ((a0 as f32) as i32);
        match ((a3 as u64) as u16) {
            0 => {
                x = ((a0 as u8) as i32).wrapping_sub(((a0 as f32) as i32));
            }
            1 | 2 => {
                x = (a3 as i32).saturating_sub(x.wrapping_sub(v3));
            }
            3..=100 => {
                x = (turns12 as i32).wrapping_rem((v3 as i32) | 1);
            }
            other if (if (a2 || false) { ((turns12 as u16) > (a1 as u16)) } else { ((0.0_f64) == (a1 as f64)) }) => {
                let v14: u32 = a3.wrapping_add(turns12.wrapping_sub((if a2 { turns12 } else { a1 })));
            }
            _ => {
                let mut v16: f32 = (((x as i16) as f32) - (if (if a2 { true } else { a2 }) { (v3 as f32).trunc() } else { (if a2 { (v3 as f32) } else { let w14: f32 = (a0 as f32); w14 }) }));
            }
        }
        if ((a0 as f32) >= ((turns12 as f32) * -0.0)) {
            continue;
        }
        x = x.wrapping_div((v3 as i32) | 1);
    }
    if ((a0 as i32) <= v3.wrapping_pow(3)) {
        if ((x as u8) > (a3 as u8).wrapping_sub((a0 as u8))) {
            x = (x >> ((a2 as u32) % 32));
            let mut v17: f64 = ((a1 as f64) / ((a0 as f64) * (if a2 { 0.0 } else { (a1 as f64) })));
        } else {
            let mut v18: i16 = ((a0 as i8) as i16).rotate_left(a1);
            x = x.rotate_left(a1);
        }
        let mut v19: u64 = ((a2 as u64).leading_zeros() as u64);
    } else {
        let v20: bool = (((a2 as i16) > ((v3 as i16).count_ones() as i16)) && (!(a3 == 3_u32)));
        let mut x: u16 = (a0 as u16).wrapping_add((((1.0_f32) as u16) ^ (if false { (v3 as u16) } else { let w20: u16 = (a1 as u16); w20 })));
    }
    ((a0 as u8).wrapping_shr(a3), (-((a2 as u64) as f64)))
}

#[device]
fn random_31(a0: f64, a1: i16) -> (i64, f32, f32) {
    let mut v1: i16 = (a0 as i16);
    if ((true && false) ^ (true ^ (a0 > 7.25))) {
        return ((a0 as i64).saturating_add(((v1 as i8) as i64)), ((a0 as u64) as f32).signum(), (a0 as f32).trunc());
    }
    let mut x: bool = ((v1 as i32) < ((a0 as u32) as i32).saturating_sub(((2147483647_i32) | (v1 as i32))));
    let mut v4: u64 = ((x as u64) | (a0 as u64).rotate_left((x as u32)));
    v4 = (if (v4 as f32).is_nan() { ((a1 as u64) & (v4 ^ 18446744073709551615_u64)) } else { ((v4 as f32) as u64) });
    ((a0 as i64).wrapping_add(((a1 as i64) ^ 7)), ((v4 as u16) as f32), ((a0 as f32) as f32))
}

#[device]
fn random_32(a0: f32, a1: u8, a2: f64) -> (i16, u16) {
    let mut x: f64 = (a2 - a2.trunc());
    'l2: for turns2 in 1..=((x as i8) as u32 % 11) {
        if (!((0_i64) != -9223372036854775808)) {
            return ((if ((turns2 as u16) > (x as u16)) { (a2 as i16).wrapping_div((a0 as i16) | 1) } else { (7_i16).saturating_sub((a0 as i16)) }), (a1 as u16).rotate_left(turns2));
        }
        x += (if x.is_nan() { (a2 / x) } else { let w3: f64 = (if false { a2 } else { x }); w3 });
        if ((a0 as i32) == (a1 as i32).rotate_left(turns2)) {
            continue 'l2;
        }
        x = ((a2 as f64) + (if false { -2.5 } else { 0.1_f64 }));
    }
    let v5: i32 = (x as i32).saturating_sub(((a1 as i16) as i32).wrapping_sub(((a1 as i32).leading_zeros() as i32)));
    let mut x: u16 = (v5 as u16).wrapping_div((a2 as u16) | 1);
    let mut v7: i8 = (x as i8).wrapping_mul((a0 as i8));
    ((a2 as i16).wrapping_mul((if (a2 > -0.0) { 32767 } else { (a0 as i16) })), (!(a2 as u16)))
}

#[device]
fn random_33(a0: u8, a1: bool) -> (f64, bool, bool) {
    let v1: i16 = (a1 as i16).wrapping_shl((a1 as u32));
    let v2: bool = (((a0 as i32) < ((v1 as i32) << ((a1 as u32) % 32))) && ((v1 as i32) > (3_i32).wrapping_mul((a0 as i32))));
    let mut v3: u8 = a0.min((a1 as u8).max((a0 << ((v1 as u32) % 8))));
    let mut x: i64 = (a0 as i64).saturating_sub(((v1 as i64) >> ((v2 as u32) % 64)));
    if (!((v1 as i8) != (v1 as i8))) {
        let mut x: u32 = ((v1 as f64) as u32);
        if ((a1 as u64) >= ((a0 as f32) as u64)) {
            let mut x: i16 = (if ((v2 as u16) == (65535_u16).saturating_add((x as u16))) { (if (v1 <= v1) { (if a1 { 32767_i16 } else { v1 }) } else { ((v3 as f64) as i16) }) } else { v1.wrapping_rem(v1 | 1) });
            v3 = (a0 & a0.wrapping_mul(2));
        } else {
            let v7: bool = (((v2 as i8) <= (a1 as i8).wrapping_shr(x)) && (if ((v1 as i32) < (v2 as i32)) { (false && false) } else { (x != x) }));
            x = (v2 as u32).wrapping_div((a0 as u32) | 1);
        }
    } else {
        if (((v1 as u32) as i8) == ((a1 as i32) as i8)) {
            return (((v1 as f64) / (a1 as u8 as f64).trunc()), ((x as u32) != (if a1 { (v1 as u32) } else { let w7: u32 = (v2 as u32); w7 })), (if ((v3 as f32) <= (a0 as f32)) { (((-128_i8)) < (v1 as i8)) } else { ((x as u32) <= (x as u32)) }));
        }
        let x: i64 = x.wrapping_rem((v3 as i64) | 1);
    }
    ((if (if true { false } else { v2 }) { (v2 as u8 as f64).min((a1 as u8 as f64)) } else { let w9: f64 = (a1 as u8 as f64).round(); w9 }), ((x as i32) > (if a1 { (x as i32) } else { let w10: i32 = (v2 as i32); w10 })), ((v1 as u64) == (x as u64).wrapping_div((a0 as u64) | 1)))
}

#[device]
fn random_34(a0: bool, a1: f64) -> (f32, f64, f32) {
    let mut v1: bool = ((a1 as i64) <= ((a0 as i64) & (if a0 { 1_i64 } else { 7_i64 })));
    v1 = (((v1 as u32) == (a1 as u32).wrapping_rem((a1 as u32) | 1)) ^ ((!true) && ((0_i8) <= (a0 as i8))));
    v1 = ((v1 as u32) > (v1 as u32).wrapping_sub((if true { (a1 as u32) } else { (a1 as u32) })));
    let mut v2: u8 = ((a0 as u8) & (a1 as u8).saturating_add(((a0 as u8).leading_zeros() as u8)));
    v1 = ((v2 as i32) <= (a1 as i32).wrapping_add(((v1 as i32) << ((v2 as u32) % 32))));
    ((a0 as u8 as f32).mul_add(((v1 as u8 as f32) + (a0 as u8 as f32)), ((v1 as u8 as f32) + 0.0)), (a0 as u8 as f64).trunc(), (if ((a1 as u64) <= (v2 as u64)) { ((v2 as f32) + (a1 as f32)) } else { let w3: f32 = (0.1_f32).floor(); w3 }))
}

#[device]
fn random_35(a0: u64, a1: u32) -> (i8, f64) {
    let mut v1: i32 = (!(a1 as i32));
    let mut x: f64 = ((v1 as i64) as f64);
    let mut v3: i8 = (a1 as i8).saturating_add((a0 as i8).wrapping_div((a0 as i8) | 1));
    match (x as i64) {
        0 => {
            for turns4 in 1..=((a0 as i64) as u32 % 7) {
                v1 = v1.max(v1.wrapping_sub(v1));
                let mut v6: f32 = (if (a1 > a1.max(a1)) { ((x as f32) as f32) } else { (x as f32).round() });
                if v6.is_nan() {
                    break;
                }
                v1 |= ((v1 > 100_i32) as i32).saturating_sub(v1.wrapping_pow(3));
            }
        }
        1 | 2 => {
            if (((a1 > 1) || true) ^ (if (a0 > 7) { (v1 > 2147483647) } else { (v3 > 7_i8) })) {
                return ((!v3), (((v3 as f32) as f64) + (x - 1e3_f64)));
            }
        }
        3..=100 => {
            let v8: u32 = 'b7: {
                let mut v9: f32 = ((v1 as f32) * ((32767_i16) as f32).trunc());
                x = ((v9 as f64) % (x * x));
                if ((v1 as u32) > a1.wrapping_rem(a1 | 1)) { break 'b7 (a1 ^ (!a1)); }
                (v9 as u32).wrapping_neg()
            };
        }
        other if ((if (x > 1.0_f64) { true } else { (a0 > 1) }) || ((9223372036854775807_i64) >= (a0 as i64))) => {
            let v12: bool = ((x as u8) != ((a1 as u8).count_ones() as u8));
        }
        _ => {
            v1 = (((7_i16) as i32) ^ v1.min(v1));
        }
    }
    if (((v1 as f32) as u64) <= a0.saturating_sub(a0)) {
        v3 = (if (!(false ^ (v3 > -128_i8))) { (v3 as i8).max((x as i8)) } else { let w13: i8 = (v3 | (v3 ^ 1)); w13 });
        v1 = v1.saturating_sub((((v1 as u8) as i32) & ((v1 > 1_i32) as i32)));
    } else {
        if ((x as u32) == (x as u32)) {
            return ((a0 as i8).wrapping_add(((0.0_f32) as i8)), (x * x.copysign(0.1)));
        }
        let mut v16: u16 = (((-0.0_f32)) as u16).rotate_left(a1);
    }
    (v3.wrapping_neg(), (x * (x / x)))
}

#[device]
fn random_36(a0: u64, a1: i64, a2: bool, a3: u64) -> (u16, u8, u64) {
    let mut v1: f64 = (a3 as f64).copysign(-2.5_f64);
    for v2 in 0..=5 {
        let v2: i32 = v2;
        match (a1 as i16) {
            0 => {
                v1 = (v1 - v1.floor());
            }
            1 | 2 => {
                v1 /= ((a3 as f64) % v1.sqrt());
            }
            3..=100 => {
                v1 = v1.mul_add((v1 + v1), (a1 as f64));
            }
            other if (!(if a2 { a2 } else { a2 })) => {
                let mut v4: u32 = (v2 as u32).wrapping_add((if (!a2) { (0_u32).wrapping_neg() } else { (0_u32).wrapping_shl((a3 as u32)) }));
            }
            _ => {
                let mut v5: i8 = ((1_u8) as i8).wrapping_shl((a1 as u32));
            }
        }
        for v6 in (2..6).step_by(2) {
            let v6: i32 = v6;
            v1 = (-v1);
            let v7: u16 = (a0 as u16).wrapping_shl((a3 as u32));
            v1 = ((a3 as f64) + v1.max(v1));
        }
        if ((v1 as u8) != ((a3 as u8) as u8)) {
            break;
        }
        v1 = (a0 as f64).sqrt();
    }
    if (a0 != ((a2 as u8 as f32) as u64)) {
        let mut v8: f32 = ((a1 as f32) / (-(v1 as f32)));
        match (a2 as u16) {
            0 => {
                v8 = (if (v8 < v8) { (if a2 { 1.0 } else { let w8: f32 = 7.25_f32; w8 }) } else { (v8 - v8) });
            }
            1 | 2 => {
                let mut v10: i32 = (a1 as i32).wrapping_rem((a1 as i32) | 1);
            }
            3..=100 => {
                v1 = (v1 - (v1 * v1));
            }
            other if (!(!false)) => {
                let v13: f32 = v8.sqrt();
            }
            _ => {
                v8 = (v8 - (if (if a2 { a2 } else { false }) { (if a2 { v8 } else { 0.0 }) } else { (v8 % -2.5_f32) }));
            }
        }
    } else {
        if (!(if a2 { a2 } else { false })) {
            return ((a1 as u16).wrapping_pow(3), (v1 as u8).max((a1 as u8).wrapping_shl((v1 as u32))), (a2 as u64).wrapping_mul((if a2 { 7_u64 } else { let w14: u64 = a3; w14 })));
        }
        v1 = (a0 as f64).round();
    }
    v1 = (v1 / (v1 - v1.max(-2.5)));
    if (a0 != (if false { a0 } else { let w15: u64 = a0; w15 })) {
        return ((a2 as u16).wrapping_rem((a1 as u16) | 1), (((a3 as u8) as u8) >> ((v1 as u32) % 8)), a0.max(a3.wrapping_div(a0 | 1)));
    }
    (((a2 as u16) | (if a2 { (a2 as u16) } else { (a0 as u16) })), (v1 as u8).wrapping_add((!(a1 as u8))), ((a1 as i32) as u64))
}

#[device]
fn random_37(a0: i16, a1: i8) -> (i32, i16, i32) {
    let v2: u32 = (a1 as u32).saturating_add((if ((a0 as f32) == (a0 as f32)) { (a0 as u32).saturating_sub((a0 as u32)) } else { let w0: u32 = ((3_u32) | (a0 as u32)); w0 }));
    let x: f32 = (if (!(a1 == a1)) { ((a1 as f32) % ((a0 as f32) / (a0 as f32))) } else { let w2: f32 = ((a0 as f32) as f32).round(); w2 });
    let mut v5: u8 = (a1 as u8).wrapping_add(((v2 as i32) as u8));
    v5 = (if ((v2 < v2) || (a1 <= a1)) { (x as u8).saturating_sub((v5 >> (v2 % 8))) } else { ((x as u8).leading_zeros() as u8) });
    let v7: u64 = 'b6: {
        let mut v8: i16 = (a0 | (if ((v5 as f64) < (v2 as f64)) { a0.saturating_add(a0) } else { (a0.count_ones() as i16) }));
        let mut x: u32 = v2.saturating_sub(((2147483647_i32) as u32).wrapping_sub(v2.wrapping_shr(v2)));
        if ((!true) && (if false { true } else { let w9: bool = (a1 > -128_i8); w9 })) { break 'b6 ((v8 as f32) as u64); }
        (v5 as u64).wrapping_rem((v8 as u64) | 1)
    };
    (((x as i32) >> (v2 % 32)), (if (a1 < a1) { a0.wrapping_sub(a0) } else { a0.wrapping_div(a0 | 1) }), (x as i32).max(((a1 > 0_i8) as i32)))
}

#[device]
fn random_38(a0: i64, a1: bool, a2: u16, a3: f64) -> (u16, i64) {
    let mut v2: i8 = (if (if (a1 ^ a1) { ((100_u32) == (a1 as u32)) } else { let w0: bool = (a1 && a1); w0 }) { ((a2 as u32) as i8) } else { (a1 as i8).swap_bytes() });
    v2 ^= v2.saturating_sub(v2.wrapping_mul(v2));
    let mut turns3: u32 = 0;
    'l3: loop {
        turns3 += 1;
        if turns3 > (v2 as u32 % 2) { break; }
        v2 = v2.rotate_left(turns3);
        v2 |= v2.saturating_sub(v2.rotate_left(turns3));
        if (((a3 as u64) != (a1 as u64)) || ((turns3 as f32) == (v2 as f32))) {
            continue 'l3;
        }
        v2 = ((a2 as i8) ^ v2.max(-128));
    }
    let mut turns5: u32 = 0;
    let v6: f32 = loop {
        turns5 += 1;
        if turns5 > (a0 as u32 % 5) { break (if (a0 <= a0) { (-(a1 as u8 as f32)) } else { (if a1 { 7.25_f32 } else { -2.5 }) }); }
        v2 = v2.wrapping_shl(turns5);
        let mut v8: bool = ((0_u8) as f32).is_nan();
        if ((a1 ^ true) || ((1_u64) >= 3)) { break ((turns5 as f32) / (v2 as f32)); }
        let mut v9: u16 = (v2 as u16).min((((a1 as u8 as f32) as f32) as u16));
    };
    if (if v6.is_nan() { ((0_u64) <= (v6 as u64)) } else { ((a2 as u32) == (v2 as u32)) }) {
        return ((v6 as u16), a0.wrapping_add((if true { -9223372036854775808_i64 } else { a0 })));
    }
    ((a2.count_ones() as u16), a0.wrapping_div(a0 | 1))
}

#[device]
fn random_39(a0: bool, a1: u8, a2: f32) -> (u64, i64) {
    let v1: bool = ((a0 as i64) >= (a0 as i64));
    let mut v2: i8 = ((v1 as i8).count_ones() as i8);
    let mut v4: f64 = (a1 as f64).signum();
    let c4_0: bool = ((a2 > a2) || ((a0 as u32) == (a1 as u32))) && random_19(a2.sqrt(), (0_i32).wrapping_mul(7_i32)).0 > 2;
    if ((v2 as i32) > ((v2 as i32) | (a2 as i32))) {
        return ((c4_0 as u64).max((a2 as u64).wrapping_rem((v2 as u64) | 1)), ((v4 as i64) ^ (3_i64).wrapping_shl((a1 as u32))));
    }
    ((v2 as u64).wrapping_sub((a0 as u64).saturating_add((v2 as u64))), (!(v2 as i64)))
}

#[device]
fn random_40(a0: i32, a1: u32, a2: u8) -> (f32, i8, f32) {
    let mut v1: f64 = ((a1 as i64) as f64);
    v1 /= ((a2 as f64) * v1.floor());
    let mut v2: i8 = (((a1 as f32) as i8) & ((a1 as i8).count_ones() as i8));
    let mut v3: f32 = (a1 as f32);
    let mut x: i16 = (v1 as i16).wrapping_pow(3);
    ((if ((v3 > -2.5_f32) && (v1 > 1e3)) { (v3 - v3) } else { let w4: f32 = (v3 * 1.0); w4 }), (v3 as i8), (v1 as f32).sqrt())
}

#[device]
fn random_41(a0: i8, a1: u32) -> (f64, i32) {
    let mut v1: f64 = ((a0 as f64) % (((a1 as u8) as f64) * ((1e3_f64) % (a0 as f64))));
    v1 /= (if ((3_i16) >= 0_i16) { (v1 * -2.5_f64) } else { let w1: f64 = v1.max(v1); w1 });
    v1 += (a1 as f64).max(v1.min(v1));
    if ((a1 as f32).is_nan() || (!false)) {
        v1 = ((v1 as i32) as f64).round();
        v1 = (v1 / (a0 as f64).trunc());
    } else {
        let mut x: u8 = (v1 as u8).wrapping_sub(((v1 as u8) | ((v1 as u8) >> (a1 % 8))));
        x &= (if ((v1 > 1e3_f64) && (a1 > 1_u32)) { (x >> (a1 % 8)) } else { let w5: u8 = x.wrapping_shl(a1); w5 });
    }
    let mut v7: u64 = ((a0 as u64) | (((-2147483648_i32)) as u64).wrapping_neg());
    ((if (!(v1 > 7.25_f64)) { (v1 - 1e3) } else { (-v1) }), (a1 as i32).wrapping_add((v7 as i32).wrapping_add((v1 as i32))))
}

#[device]
fn random_42(a0: bool, a1: u64, a2: u8) -> (f64, bool, u16) {
    let v1: i8 = (a2 as i8).wrapping_sub((a2 as i8).saturating_sub((1_i8).wrapping_sub(1_i8)));
    let mut x: u64 = a1.saturating_add((if (if false { a0 } else { let w1: bool = a0; w1 }) { (if a0 { 2_u64 } else { a1 }) } else { a1.wrapping_shl((a0 as u32)) }));
    let mut v4: i32 = (((a1 as i16) as i32) as i32);
    for x in 0..4 {
        let x: i32 = x;
        let mut v6: i16 = (v1 as i16).wrapping_add((v4 as i16).wrapping_sub((v1 as i16).wrapping_neg()));
        for x in (0..4).rev() {
            let x: i32 = x;
            let mut v8: i32 = (v6 as i32).min(x.max(x.max(1)));
            v6 = ((a1 as f64) as i16).saturating_sub(v6.saturating_add(v6));
            if ((v1 as f32) <= (v4 as f32).copysign(0.1_f32)) {
                continue;
            }
            v8 = v4.min(v8.min(x));
        }
        v6 = v6.min(v6.min(v6));
    }
    let mut turns9: u32 = 0;
    'l9: loop {
        turns9 += 1;
        if turns9 > ((a2 as i16) as u32 % 3) { break; }
        v4 = v4.max(v4.rotate_left(turns9));
        match (a1 as i8) {
            0 => {
                let mut v11: u8 = ((turns9 as u64) as u8);
            }
            1 | 2 => {
                let mut x: u32 = turns9.wrapping_shl(turns9);
            }
            3..=100 => {
                v4 = (turns9 as i32).wrapping_add(v4.wrapping_pow(3));
            }
            other if ((a0 || a0) && (v4 > 100)) => {
                v4 = (if (if a0 { a0 } else { let w12: bool = a0; w12 }) { (v4.leading_zeros() as i32) } else { (v4 | v4) });
            }
            _ => {
                v4 = (turns9 as i32).wrapping_add(v4.max(-2147483648_i32));
            }
        }
        if ((a1 as f64) >= ((x as f64) * (a1 as f64))) {
            break;
        }
        x = (a1.count_ones() as u64);
    }
    ((-(x as f64)), ((a0 || a0) ^ ((a1 as f64) >= (a2 as f64))), (a1 as u16).min((a0 as u16).rotate_left((2_u32))))
}

#[device]
fn random_43(a0: f64, a1: u32, a2: u64) -> (f64, i32) {
    let mut v2: f64 = ((a2 as f64) + (((0.0_f32) as f64) % a0.round()));
    v2 /= ((2147483647_i32) as f64).min(a0.max(a0));
    if (a0.is_nan() || (!false)) {
        return ((a0 as f64).max(v2.abs()), (a2 as i32).wrapping_neg());
    }
    let mut x: u64 = (if (((a0 > 1.0) || (a1 > 0)) ^ (if (v2 > -0.0_f64) { (a2 > 0) } else { (a0 > 1.0_f64) })) { a2.max((a2.count_ones() as u64)) } else { let w3: u64 = (v2 as u64).saturating_add((!a2)); w3 });
    v2 += (a1 as f64).floor();
    ((a0 + (-a0)), ((0_u8) as i32).saturating_sub((a2 as i32).wrapping_add(7_i32)))
}

#[device]
fn random_44(a0: u16, a1: u16, a2: bool) -> (f64, f64, f32) {
    let v1: i16 = (if (a1 as f64).is_nan() { ((a2 as i16) | (if a2 { (a0 as i16) } else { (a0 as i16) })) } else { (a2 as i16).wrapping_sub(((a2 as i16) ^ 7)) });
    let mut v2: i8 = ((a0 as f32) as i8).wrapping_pow(3);
    if ((v2 as f32) <= ((a1 as f32) - (v2 as f32))) {
        return (((v2 as f64) - ((a0 as f64) % -0.0)), (((v2 as u64) as f64) + (a0 as f64).max((a1 as f64))), ((v1 as f32) * (v1 as f32)));
    }
    let mut x: u16 = (a0.leading_zeros() as u16);
    v2 = v2.saturating_add((((x as i32) as i8).count_ones() as i8));
    ((x as f64).round(), (v1 as f64).abs(), ((x as f32) / ((a2 as u8 as f32) * 1.0)))
}

#[device]
fn random_45(a0: f32, a1: f32, a2: i8, a3: f64) -> (f32, f64, u16) {
    let mut x: f32 = ((a1 as f32) % (a0 * a0.trunc()));
    if ((a1 as i32) < (a0 as i32).wrapping_pow(3)) {
        return ((x * x.copysign(-0.0)), (a1 as f64).signum(), ((a3 as u16) | (!(65535_u16))));
    }
    if ((a3 as i32) != (3_i32).wrapping_add((a3 as i32))) {
        if ((a2 as u8) < ((a2 as u8) >> ((x as u32) % 8))) {
            x = (if a1.is_nan() { (if true { a0 } else { let w1: f32 = -0.0; w1 }) } else { let w2: f32 = (x - a0); w2 });
            x = ((a0 as f32) / (x + a0));
        } else {
            x = a0.trunc();
            x *= (a3 as f32).trunc();
        }
        x = (a0 % (if ((a0 as u8) != (x as u8)) { a1.floor() } else { a0.copysign(7.25) }));
    } else {
        x = a0.trunc();
        if (a2 == a2.rotate_left((a2 as u32))) {
            let mut x: i64 = ((x > 1e3) as i64).saturating_sub(((a1 as u32) as i64).wrapping_add((100_i64).swap_bytes()));
            let v5: u16 = (((true) as u16) >> (((a0 > -2.5) as u32) % 16));
        } else {
            x = (x / a0.abs());
            let mut v7: f64 = (if (!(if (a0 > 1.0) { (a0 > 1.0) } else { (a0 > -2.5) })) { (if (!(a1 > -0.0)) { (a3 as f64) } else { let w5: f64 = (a3 / a3); w5 }) } else { ((a3 as f64) % (a3 * a3)) });
        }
    }
    let (c7_0, x_1) = random_41(a2.swap_bytes(), ((4294967295_u32) & (a0 as u32)));
    x = (a0 - (x * a0.round()));
    ((((c7_0 as u16) as f32) - (a1 % 7.25)), (a2 as f64).min(a3.signum()), (c7_0 as u16).saturating_add((a1 as u16).wrapping_neg()))
}

#[device]
fn random_46(a0: u64, a1: f64, a2: u8, a3: i8) -> (f32, f32, u16) {
    let v2: i32 = (a2 as i32).wrapping_div((a1 as i32) | 1);
    let mut v3: i32 = ((a3 as u32) as i32);
    let mut v4: f32 = ((v3 as f32) + (((v2 as f32) as f32) % (if false { (v3 as f32) } else { 7.25_f32 })));
    v3 = (a2 as i32).wrapping_shl((a2 as u32));
    let c4_0: bool = ((a3 as f64) <= (a1 * a1)) && random_3(((1_u32).count_ones() as u32), (a2 as u32).min((v4 as u32)), (a2 as u32).wrapping_div((a3 as u32) | 1), ((v2 as i64) as u8)).0 > 2_i8;
    (((v3 as f32) * (v4 + v4)), (v4 + (if c4_0 { 0.1 } else { v4 })), (if (a3 > a3) { ((2_u16).count_ones() as u16) } else { ((c4_0 as u16).count_ones() as u16) }))
}

#[device]
fn random_47(a0: i32, a1: i8) -> (f32, i64, u8) {
    let mut v3: f32 = (if (if (if (a0 > 7) { true } else { let w0: bool = (a1 > -128); w0 }) { (false ^ (a0 > 7_i32)) } else { ((a0 as u64) != (a0 as u64)) }) { (a1 as f32).signum() } else { let w1: f32 = ((a0 as f64) as f32); w1 });
    let v4: u16 = (a0 as u16).saturating_add((a1 as u16));
    let mut v5: bool = (v3.is_nan() || ((a0 as u8) != (v4 as u8).wrapping_add(3_u8)));
    let v6: f64 = ((v4 as u32) as f64).round();
    let mut v8: u32 = (v3 as u32).wrapping_sub((if (v6 >= v6) { (v5 as u32).wrapping_sub(7) } else { let w6: u32 = (v3 as u32).wrapping_add(0); w6 }));
    ((v3 - (if v5 { v3 } else { let w8: f32 = 1e3; w8 })), (v5 as i64).min(((7_i64) ^ (v5 as i64))), ((v3 as u8) >> (v8 % 8)))
}

#[device]
fn random_48(a0: i32, a1: i16, a2: u8) -> (f32, u64) {
    let mut x: f64 = ((a0 as u16) as f64).round();
    let mut v2: f32 = (a1 as f32).trunc();
    let mut x: u8 = (a2.leading_zeros() as u8);
    if (if (true && (a2 > 7_u8)) { (a0 < a0) } else { ((a0 > 2) ^ (x > 0)) }) {
        return (v2.min(v2.sqrt()), (if (!(a0 > -2147483648)) { (if (x > 1_u8) { (x as u64) } else { (v2 as u64) }) } else { ((a0 as u64).count_ones() as u64) }));
    }
    if (((a2 > 0_u8) ^ (v2 > 7.25_f32)) && (a1 != a1)) {
        x = ((v2 as u16) as u8).min(a2.wrapping_sub(x.wrapping_add(a2)));
        let mut v4: f32 = (v2 - v2.trunc());
    } else {
        x = a2.min((v2 as u8).max(x.wrapping_neg()));
        x ^= x.saturating_add(a2.wrapping_rem(x | 1));
    }
    ((-v2), ((v2 as u64) << ((x as u32) % 64)))
}

#[device]
fn random_49(a0: u32, a1: i8, a2: i8, a3: i32) -> (f32, bool, u32) {
    let mut v1: i64 = (((-2.5_f64)) as i64).saturating_add(((9223372036854775807_i64) as i64).wrapping_shl(a0));
    let x: u64 = 'b2: {
        v1 = ((a3 as i64).count_ones() as i64);
        v1 |= v1.saturating_sub((v1 ^ v1));
        if (a2 as f32).is_nan() { break 'b2 ((a3 as u64).count_ones() as u64); }
        (a2 as u64).wrapping_shl((a3 as u32))
    };
    v1 &= (if (if (a0 > 3) { (a3 > 7_i32) } else { false }) { (if (a2 > 1_i8) { 2_i64 } else { let w3: i64 = v1; w3 }) } else { (v1 & v1) });
    for v5 in (2..6).rev() {
        let v5: i32 = v5;
        if (v5 <= v5.saturating_sub(1_i32)) {
            v1 = (v1 << (a0 % 64));
            v1 = ((a2 as i64) << ((v5 as u32) % 64));
        } else {
            v1 = v1.rotate_left((a3 as u32));
            let mut v7: bool = (((v1 as f64).is_nan() ^ (if false { (x > 1) } else { let w5: bool = (a1 > 127_i8); w5 })) ^ (a0 as f32).is_nan());
        }
        let v8: f32 = ((a2 as f32) / (((v5 as f64) as f32) / ((a1 as f32) / (a1 as f32))));
        if (if v8.is_nan() { ((a1 as u16) <= (v1 as u16)) } else { let w8: bool = (!false); w8 }) {
            break;
        }
        let x: u32 = ((v8 as u16) as u32).rotate_left(((a3 as i16) as u32));
    }
    if (!(!false)) {
        let x: u32 = (!a0);
        let v12: f64 = (a3 as f64).copysign(-0.0_f64);
    } else {
        let v13: i32 = a3.saturating_sub(a3.max((if false { a3 } else { a3 })));
        let x: f64 = (a2 as f64).trunc();
    }
    ((if (x >= x) { (x as f32).signum() } else { ((v1 as f32) / (v1 as f32)) }), ((a2 as f64) as f32).is_nan(), a0.saturating_sub(a0.wrapping_div(a0 | 1)))
}

#[device]
fn random_50(a0: u64, a1: f32, a2: u64, a3: bool) -> (i16, f32) {
    let x: f32 = (if ((a2 as f32) == (-a1)) { ((a1 as f64) as f32) } else { (a3 as u8 as f32).signum() });
    let mut v2: bool = ((a2 as i8) <= ((a1 as f64) as i8));
    for v3 in 1..3 {
        let v3: i32 = v3;
        match ((x as f64) as u16) {
            0 => {
                v2 = ((v2 as u32) <= (v2 as u32).max((a3 as u32)));
            }
            1 | 2 => {
                v2 = ((a0 as f64) <= (if v2 { (a3 as u8 as f64) } else { (a3 as u8 as f64) }));
            }
            3..=100 => {
                v2 = ((a1 as u64) > a2.swap_bytes());
            }
            other if (!(x != x)) => {
                let v6: i64 = (a0 as i64).wrapping_sub((x as i64).min((v3 as i64).saturating_add((a1 as i64))));
            }
            _ => {
                v2 = ((v3 == v3.wrapping_neg()) || (((1.0_f64) as i16) <= (v3 as i16).min((a3 as i16))));
            }
        }
        if x.is_nan() {
            return (((a0 as i64) as i16).saturating_sub(((a0 as i16) & (v3 as i16))), x.mul_add((x * x), (if a3 { -2.5_f32 } else { let w6: f32 = a1; w6 })));
        }
        if ((a0 as u16) > (a1 as u16).rotate_left((7_u32))) {
            continue;
        }
        let v8: u64 = a2.wrapping_pow(3);
    }
    match (a2 as i64) {
        0 => {
            for v9 in (2..12).step_by(2) {
                let v9: i32 = v9;
                v2 = (if ((v2 as i16) >= (x as i16)) { ((a3 as i8) != (a2 as i8)) } else { let w9: bool = ((a2 as u8) > 3); w9 });
                v2 = ((v9 as i16) <= (x as i16).min((a3 as i16).saturating_sub((a0 as i16))));
                v2 = (((v9 as f64) as i64) <= ((a3 as i64) | (x as i64).max((v2 as i64))));
            }
        }
        1 | 2 => {
            v2 = ((((-0.0_f64)) as i16) >= (((a1 as i32) as u16) as i16));
        }
        3..=100 => {
            let v11: i32 = ((7_u16) as i32).wrapping_add(((v2 as u32) as i32));
        }
        other if ((if v2 { v2 } else { a3 }) ^ (((-9223372036854775808_i64)) == (x as i64))) => {
            v2 = ((other as u16) != (v2 as u16).min((other as u16).wrapping_mul((x as u16))));
        }
        _ => {
            let v14: f64 = (-((7_i8) as f64));
        }
    }
    v2 = ((a2 as i64) >= (!(x as i64)));
    (((x as i32) as i16).wrapping_shl((x as u32)), (x % (x % 1e3)))
}

#[device]
fn random_51(a0: bool, a1: u16, a2: f64, a3: bool) -> (u8, u8) {
    let v1: i32 = (a2 as i32).rotate_left((a3 as u32));
    let mut v2: i32 = v1.wrapping_shr((v1 as u32));
    let v4: f32 = (if ((a3 ^ a0) ^ ((1e3_f32) <= (a1 as f32))) { (v2 as f32).max((0.1_f32).copysign(-0.0_f32)) } else { let w2: f32 = (a3 as u8 as f32).min((-(v2 as f32))); w2 });
    v2 = (v4 as i32).min((!v1));
    let mut v5: f64 = a2.max((a2 / (a2 + 7.25)));
    (((v2 as u8) << ((a0 as u32) % 8)), (v4 as u8).min((if a0 { 255_u8 } else { 0_u8 })))
}

#[device]
fn random_52(a0: f32, a1: bool, a2: u8) -> (bool, u64, f64) {
    let mut x: u32 = (a1 as u32).wrapping_pow(3);
    x ^= ((a0 as i8) as u32);
    if (if (a0 == a0) { ((a2 as i16) > -32768) } else { ((a2 as f64) == 1.0_f64) }) {
        let mut v2: u64 = (a2 as u64).max(((a2 as u64).leading_zeros() as u64));
        let v4: f32 = (x as f32).trunc();
    } else {
        let mut v5: f32 = a0.floor();
        let v6: i64 = (x as i64).wrapping_add(((v5 as i16) as i64));
    }
    let mut v7: bool = ((((x as u64) <= (a2 as u64)) || (if a1 { true } else { a1 })) ^ (x != (a0 as u32)));
    if ((a0 as f64).is_nan() ^ ((0_i32) < (x as i32))) {
        let v8: i16 = ((0_i16) as i16).wrapping_pow(3);
        for v9 in 1..5 {
            let v9: i32 = v9;
            v7 = (((-2.5_f64)) as f32).is_nan();
            v7 = ((a0 as u16) < (!(a1 as u16)));
            if ((x as u64) <= (if v7 { 7_u64 } else { let w9: u64 = 1_u64; w9 })) {
                break;
            }
            v7 = (v9 as f32).is_nan();
        }
    } else {
        let mut v12: f64 = ((x as f64) * ((a1 as u8 as f64) % (if a1 { (a2 as f64) } else { 0.0_f64 })));
        'l13: for turns13 in 1..=((a2 as u16) as u32 % 3) {
            v7 = (if (((x as i16) >= (a1 as i16)) && (v7 || a1)) { (a2 <= a2.max(2_u8)) } else { (!((100_i32) >= (a2 as i32))) });
            v12 = v12.abs();
            if ((v7 as i64) == (a2 as i64)) {
                continue;
            }
            x = (if (v7 ^ a1) { turns13.min(3_u32) } else { turns13.saturating_add(x) });
        }
    }
    ((((a2 as u64) <= 0_u64) ^ a0.is_nan()), (a1 as u64).saturating_sub((2_u64).wrapping_rem((a0 as u64) | 1)), (a2 as f64).max(((0.1_f64) - 0.0_f64)))
}

#[device]
fn random_53(a0: u32, a1: bool, a2: i8, a3: f64) -> (i64, f64, u32) {
    let mut v1: bool = (((a0 == a0) || (false ^ a1)) ^ (((a3 as i16) >= (a1 as i16)) ^ (a2 >= -128_i8)));
    let v2: i32 = (v1 as i32).wrapping_div((a3 as i32) | 1);
    v1 = ((v2 < ((a3 as u16) as i32)) || (if (a2 >= a2) { (if a1 { v1 } else { let w2: bool = a1; w2 }) } else { let w3: bool = a3.is_nan(); w3 }));
    let (c4_0, v5_1) = random_30(((-9223372036854775808_i64)).wrapping_mul((a0 as i64)), (a0.leading_zeros() as u32), ((a3 as u64) >= (a1 as u64)), a0.wrapping_sub(a0));
    let v6: u64 = ((a3 as f64) as u64);
    (((v5_1 as i64) ^ (a1 as i64).wrapping_rem((a0 as i64) | 1)), a3.sqrt(), a0.saturating_add(a0.saturating_add(a0)))
}

#[device]
fn random_54(a0: i32, a1: i32, a2: u32, a3: f32) -> (i64, u64, i16) {
    let mut v1: u16 = (a1 as u16).swap_bytes();
    let mut v2: u8 = (v1 as u8).max((a3 as u8).saturating_sub((100_u8).wrapping_shr(a2)));
    let mut v3: f64 = ((a2 as f64) * ((100_i16) as f64).mul_add(((7.25_f64) * 7.25_f64), ((7.25_f64) + (a1 as f64))));
    let v5: i64 = 'b4: {
        v2 = (if (if (v3 > 1e3_f64) { (v3 > -2.5_f64) } else { (a0 > 7) }) { (if false { v2 } else { 3_u8 }) } else { v2.min(v2) });
        let mut v7: f64 = (a3 as f64).round();
        if ((if (a1 > -2147483648) { (a2 > 0_u32) } else { let w7: bool = (a2 > 0); w7 }) || ((v3 > 0.1_f64) && true)) { break 'b4 (a0 as i64).max((1_i64).rotate_left(a2)); }
        (if (v1 == v1) { (if (v2 > 0_u8) { 7_i64 } else { (a3 as i64) }) } else { (!(v2 as i64)) })
    };
    let mut v9: f32 = (v1 as f32).mul_add((if (a2 == a2) { (a3 - a3) } else { (a3 + a3) }), a3.max((a3 / 0.1)));
    ((if (a2 != a2) { v5.wrapping_mul(v5) } else { (a2 as i64) }), (if (v2 < v2) { (a2 as u64).min(0_u64) } else { (v2 as u64).saturating_add((a1 as u64)) }), (a3 as i16).rotate_left((a1 as u32)))
}

#[device]
fn random_55(a0: f32, a1: f32, a2: bool, a3: f64) -> (u16, u16) {
    let mut v1: f32 = (((a3 as u32) as f32) * (a0 % a0.copysign(7.25)));
    let v2: u8 = ((a0 as i8) as u8);
    let mut v3: i64 = ((a2 as i8) as i64).wrapping_pow(3);
    v1 = a1.copysign(1e3);
    v3 = (if (if ((3_u64) <= (v3 as u64)) { (a2 ^ a2) } else { let w3: bool = (!a2); w3 }) { (v2 as i64).wrapping_add((if a2 { v3 } else { 0_i64 })) } else { (v3 as i64).saturating_sub((!v3)) });
    ((!(v1 as u16)), (a2 as u16).wrapping_rem((a1 as u16) | 1))
}

#[device]
fn random_56(a0: f32, a1: i16, a2: f64, a3: u64) -> (u8, u16, u64) {
    let v1: u64 = (a3 as u64).wrapping_rem(((a2 as u8) as u64) | 1);
    let mut x: i8 = ((a1 as i64) as i8);
    let v3: f64 = (a2 % (a2 - a2.signum()));
    let v4: i64 = ((a3 as i64) ^ (v1 as i64).wrapping_shr((v1 as u32)));
    x = x.wrapping_sub(x.wrapping_mul(x.rotate_left((v1 as u32))));
    ((a1 as u8), (((0_u8) as u16) >> ((a2 as u32) % 16)), (if ((v4 as u32) < (a3 as u32)) { (x as u64) } else { v1.wrapping_rem(a3 | 1) }))
}

#[device]
fn random_57(a0: i32, a1: i8, a2: i32) -> (i8, i8, u32) {
    let mut x: i16 = ((a1 as u64) as i16).saturating_add((a2 as i16).swap_bytes());
    let mut x: i64 = (a0 as i64).wrapping_div((a1 as i64) | 1);
    x ^= x.min(x.wrapping_shr((2_u32)));
    for x in (1..4).rev() {
        let x: i32 = x;
        let mut v4: f32 = (((x as u8) as u16) as f32);
        for v5 in 1..=3 {
            let v5: i32 = v5;
            let mut v6: i16 = (a2 as i16).wrapping_sub((a1 as i16).wrapping_mul(((a0 as i16) << ((1_u32) % 16))));
            let x: u32 = ((x as u32) >> ((a0 as u32) % 32));
            v4 = v4.sqrt();
        }
        if (if (!(a2 > 3_i32)) { ((v4 as u32) == (x as u32)) } else { (!(x > 3_i32)) }) {
            break;
        }
        let mut v8: u64 = (a1 as u64).wrapping_shr((x as u32));
    }
    let mut v9: i8 = (!a1);
    (v9.saturating_sub(v9.saturating_add(v9)), v9.saturating_sub(v9.wrapping_rem(v9 | 1)), (x as u32).wrapping_pow(3))
}

#[device]
fn random_58(a0: f32, a1: f32, a2: u16, a3: f32) -> (f64, i64) {
    let mut v1: u16 = (a2 >> ((a2 as u32) % 16));
    let v2: i16 = (a1 as i16).wrapping_mul((a1 as i16).wrapping_shr((a3 as u32)));
    let mut v3: u64 = ((v2 as u64) << ((a2 as u32) % 64));
    let v5: f64 = (a0 as f64).round();
    if a0.is_nan() {
        return (v5.abs(), ((v1 > 0) as i64));
    }
    (((7_i64) as f64).signum(), (!(a0 as i64)))
}

#[device]
fn random_59(a0: i16, a1: f64, a2: u64, a3: u8) -> (u16, f32, u16) {
    let mut v1: u64 = ((a0 as i8) as u64).wrapping_add((a2 as u64).max((if true { a2 } else { a2 })));
    let mut v2: i64 = ((v1 as u32) as i64).max((a1 as i64).rotate_left((a3 as u32)));
    v1 = (v1 as u64).wrapping_div((a2 as u64) | 1);
    if (!(v1 > 0_u64)) {
        let c2_0: bool = a1.is_nan() || random_35((v1 ^ a2), (a0 as u32).wrapping_neg()).1 > 7.25;
        for v5 in 2..=7 {
            let v5: i32 = v5;
            let mut v6: f64 = ((a3 as f32) as f64);
            v2 = v2.wrapping_rem(v2 | 1);
            if (if ((a0 as i8) > (a0 as i8)) { (a2 == a2) } else { (if c2_0 { c2_0 } else { let w6: bool = c2_0; w6 }) }) {
                continue;
            }
            let mut x: u8 = (if (a2 <= (if c2_0 { 18446744073709551615_u64 } else { v1 })) { (c2_0 as u8).wrapping_neg() } else { (a3 as u8).wrapping_neg() });
        }
    } else {
        if (a0 <= (a0 ^ 7_i16)) {
            return ((if ((a1 > -0.0_f64) && true) { (v2 as u16).wrapping_add(1) } else { (0_u16).wrapping_mul((v2 as u16)) }), ((v2 as f32) - (if (a1 > -2.5_f64) { 1.0_f32 } else { -0.0_f32 })), ((a3 as u16) | (v2 as u16).saturating_sub((v2 as u16))));
        }
        v1 = (v1 >> ((a2 as u32) % 64));
    }
    v1 = ((a1 as i8) as u64).wrapping_neg();
    ((a3 as u16).wrapping_mul((a2 as u16).saturating_sub(0)), ((v2 as f32) - (-(v2 as f32))), (if ((7.25_f32) > (a2 as f32)) { ((a3 as u16).leading_zeros() as u16) } else { ((7_u16) >> ((a3 as u32) % 16)) }))
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
        .add::<random_39, ()>(Range::Edges, 0.0)
        .add::<random_40, ()>(Range::Edges, 0.0)
        .add::<random_41, ()>(Range::Edges, 0.0)
        .add::<random_42, ()>(Range::Edges, 0.0)
        .add::<random_43, ()>(Range::Edges, 0.0)
        .add::<random_44, ()>(Range::Edges, 0.0)
        .add::<random_45, ()>(Range::Edges, 0.0)
        .add::<random_46, ()>(Range::Edges, 0.0)
        .add::<random_47, ()>(Range::Edges, 0.0)
        .add::<random_48, ()>(Range::Edges, 0.0)
        .add::<random_49, ()>(Range::Edges, 0.0)
        .add::<random_50, ()>(Range::Edges, 0.0)
        .add::<random_51, ()>(Range::Edges, 0.0)
        .add::<random_52, ()>(Range::Edges, 0.0)
        .add::<random_53, ()>(Range::Edges, 0.0)
        .add::<random_54, ()>(Range::Edges, 0.0)
        .add::<random_55, ()>(Range::Edges, 0.0)
        .add::<random_56, ()>(Range::Edges, 0.0)
        .add::<random_57, ()>(Range::Edges, 0.0)
        .add::<random_58, ()>(Range::Edges, 0.0)
        .add::<random_59, ()>(Range::Edges, 0.0);
    cases.check();
    assert!(cases.lane_forms() > 15, "only {} have lane forms", cases.lane_forms());
}
