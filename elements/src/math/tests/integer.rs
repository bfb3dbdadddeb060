//! Integer arithmetic against NumPy, and against the definitions where NumPy has no function.

use crate::math::IntMath;
use crate::testing::file;

/// The rows of an integer oracle file: two arguments and nine results.
fn rows(name: &str) -> Vec<Vec<i64>> {
    let bytes = file(&format!("integer_{name}"));
    let numbers: Vec<i64> =
        bytes.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect();
    numbers.chunks_exact(11).map(<[i64]>::to_vec).collect()
}

macro_rules! check {
    ($($t:ident $file:literal,)+) => {$({
        let rows = rows($file);
        assert!(rows.len() > 100);
        for row in rows {
            let (a, b) = (row[0] as $t, row[1] as $t);
            let got = [
                IntMath::floor_divide(a, b), IntMath::remainder(a, b), IntMath::gcd(a, b),
                IntMath::lcm(a, b), IntMath::left_shift(a, b), IntMath::right_shift(a, b),
                IntMath::bitwise_count(a) as $t, IntMath::abs(a), IntMath::sign(a),
            ];
            let want: Vec<$t> = row[2..].iter().map(|&x| x as $t).collect();
            assert_eq!(got[..], want[..], "{} {a} {b}", $file);
        }
    })+};
}

#[test]
fn integers_are_numpys() {
    check! {
        i8 "int8", i16 "int16", i32 "int32", i64 "int64",
        u8 "uint8", u16 "uint16", u32 "uint32", u64 "uint64",
    }
}

#[test]
fn euclidean_forms_recompose() {
    for a in i8::MIN..=i8::MAX {
        for b in i8::MIN..=i8::MAX {
            let (q, r) = (IntMath::div_euclid(a, b), IntMath::rem_euclid(a, b));
            if b == 0 {
                assert_eq!((q, r, IntMath::divide(a, b), IntMath::fmod(a, b)), (0, 0, 0, 0));
                continue;
            }
            assert_eq!(q.wrapping_mul(b).wrapping_add(r), a, "{a} {b}");
            assert!(r >= 0 && i16::from(r) < i16::from(b).abs(), "{a} {b}");
            let (q, r) = (IntMath::divide(a, b), IntMath::fmod(a, b));
            assert_eq!(q.wrapping_mul(b).wrapping_add(r), a, "{a} {b}");
        }
    }
}

#[test]
fn powers_wrap_and_vanish() {
    let power = |a: i32, b: i32| IntMath::power(a, b);
    assert_eq!(power(3, 4), 81);
    assert_eq!(power(-2, 3), -8);
    assert_eq!(power(2, 32), 0);
    assert_eq!(power(7, 0), 1);
    assert_eq!(power(0, 0), 1);
    assert_eq!(power(2, -1), 0);
    assert_eq!(power(1, -5), 1);
    assert_eq!(power(-1, -5), -1);
    assert_eq!(power(-1, -4), 1);
    assert_eq!(power(0, -1), 0);
    assert_eq!(<u8 as IntMath>::power(3, 255), 3_u8.wrapping_pow(255));
    assert_eq!(
        [IntMath::reciprocal(1), IntMath::reciprocal(-1), IntMath::reciprocal(5)],
        [1, -1, 0]
    );
}
