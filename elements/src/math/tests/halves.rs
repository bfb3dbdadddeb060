//! `mul_add` of halves against arithmetic in whole numbers.

use crate::math::NumberMath;
use crate::testing::halves::{BF16, F16, triples};
use half::{bf16, f16};

#[test]
fn the_oracle_rounds_to_nearest_even() {
    // What exact fractions give.
    for (a, b, c, wanted) in [(0xc06e, 0x7100, 0x0e59, -22672.0), (0xde20, 0xab2f, 0x6f1c, 7300.0)]
    {
        assert_eq!(f16::from_bits(F16.mul_add(a, b, c)).to_f32(), wanted);
    }
    // The nearest double of this sum lies halfway between two numbers.
    assert_eq!(bf16::from_bits(BF16.mul_add(0x639c, 0xa0d0, 0x164e)).to_f32(), -2024.0);
    for bits in 0..=u16::MAX {
        for (format, one) in [(&F16, 0x3c00), (&BF16, 0x3f80)] {
            let found = format.mul_add(bits, one, 0x8000);
            assert!(found == bits || format.is_nan(found) && format.is_nan(bits), "{bits:#x}");
        }
    }
}

#[test]
fn mul_add_of_halves_rounds_once() {
    for [a, b, c] in triples(&F16) {
        let [x, y, z] = [a, b, c].map(f16::from_bits);
        let (found, wanted) = (NumberMath::mul_add(x, y, z), F16.mul_add(a, b, c));
        let same = found.to_bits() == wanted || found.is_nan() && F16.is_nan(wanted);
        assert!(same, "{x:e} * {y:e} + {z:e}: {found:e}, not {:e}", f16::from_bits(wanted));
    }
    for [a, b, c] in triples(&BF16) {
        let [x, y, z] = [a, b, c].map(bf16::from_bits);
        let (found, wanted) = (NumberMath::mul_add(x, y, z), BF16.mul_add(a, b, c));
        let same = found.to_bits() == wanted || found.is_nan() && BF16.is_nan(wanted);
        assert!(same, "{x:e} * {y:e} + {z:e}: {found:e}, not {:e}", bf16::from_bits(wanted));
    }
}
