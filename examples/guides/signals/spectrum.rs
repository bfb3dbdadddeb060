//! # The spectrum of a noisy signal
//!
//! Two tones lie under noise whose deviation is twice their amplitude.
//! [`welch`](lazuli::signal::welch()) takes the mean of the spectra of stretches that overlap, as
//! `scipy.signal.welch` does, and the tones stand out; [`periodogram`](lazuli::signal::periodogram()),
//! the spectrum of the whole, is as noisy as the signal. [`Segments`](lazuli::signal::Segments) has
//! SciPy's keywords: `fs` is [`rate`](lazuli::signal::Segments::rate()), `nperseg` is
//! [`length`](lazuli::signal::Segments::length()). Both functions return frequencies and powers, and
//! record; a signal of several lines gives the spectra of all.
//!
//! The powers over frequencies up to 500 Hz, as decimal logarithms: grey the periodogram, blue Welch's
//! mean.

use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::signal::{Segments, periodogram, welch};

type Array = DeviceArray<f64>;

/// A second has a thousand samples.
pub fn two_tones(n: usize) -> Array {
    let turns = Array::arange_to(n as f64) * (std::f64::consts::TAU / 1000.0);
    let noise: Array = Generator::new(1).normal(0.0, 1.0, n);
    0.5 * (60.0 * &turns).sin() + 0.5 * (190.0 * &turns).sin() + noise
}

pub fn power(signal: &Array, rate: f64) -> (Array, Array) {
    welch(signal, &Segments::new().rate(rate).length(512))
}

pub fn single(signal: &Array, rate: f64) -> (Array, Array) {
    periodogram(signal, &Segments::new().rate(rate))
}

#[test]
fn the_loudest_frequency_is_one_of_the_tones() -> Result<()> {
    let (f, power) = power(&two_tones(8192), 1000.0);
    assert_eq!(f.shape(), [257]);
    let loudest = f.get(power.argmax(..).item()? as usize)?;
    assert!((loudest - 60.0).abs() < 2.0 || (loudest - 190.0).abs() < 2.0);
    Ok(())
}
