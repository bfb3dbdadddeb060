//! # Far out in a tail
//!
//! The probability of more than x deviations is `0.5 * erfc(x / √2)`, and its logarithm is what
//! likelihoods add up. Beyond 38 deviations the probability is too small for a number, and its
//! logarithm -∞. [`log_ndtr`](lazuli::special::log_ndtr()) computes the logarithm itself, as
//! `scipy.special.log_ndtr` does. The same goes for [`erfcx`](lazuli::special::erfcx()),
//! [`log1p`](lazuli::special::log1p()), [`logsumexp`](lazuli::DeviceArray::logsumexp) and their kin:
//! one call where two would lose digits.
//!
//! Logarithms over deviations: green `log_ndtr`, red the logarithm of `erfc`, which ends.

use lazuli::prelude::*;
use lazuli::special::{erfc, log_ndtr};

pub fn tails(x: &DeviceArray<f64>) -> [DeviceArray<f64>; 2] {
    let plain = (0.5 * erfc(&(x / 2f64.sqrt()))).ln();
    [plain, log_ndtr(&-x)]
}

#[test]
fn the_logarithm_goes_on() -> Result<()> {
    let [plain, careful] = tails(&DeviceArray::from_slice(&[3.0, 40.0])?);
    let (plain, careful) = (plain.to_vec()?, careful.to_vec()?);
    assert!((plain[0] - careful[0]).abs() < 1e-12);
    assert_eq!(plain[1], f64::NEG_INFINITY);
    assert!((careful[1] / -804.6084420137538 - 1.0).abs() < 1e-12);
    Ok(())
}
