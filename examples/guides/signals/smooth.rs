//! # A Butterworth filter without delay
//!
//! [`butter`](lazuli::signal::butter()) designs a filter on the host, and its sections go to
//! [`sosfiltfilt`](lazuli::signal::sosfiltfilt()), which runs them forwards and backwards, so that
//! nothing is delayed. SciPy: `butter(4, 8, fs=500, output="sos")` and `sosfiltfilt`. The band carries
//! its sampling rate; without one, frequencies are fractions of Nyquist's, as in SciPy. The order of a
//! design and its frequencies are checked when it is made, which is why it returns a
//! [`Result`](lazuli::Result). The filter itself records.
//!
//! Two seconds: grey the samples, blue what is below 8 Hz.

use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::signal::{Band, Extension, butter, sosfiltfilt};

type Array = DeviceArray<f64>;

/// Times of 500 Hz, and a wave of 1.5 Hz under noise.
pub fn noisy(n: usize) -> (Array, Array) {
    let t = Array::arange_to(n as f64) / 500.0;
    let noise: Array = Generator::new(2).normal(0.0, 0.5, n);
    let wave = (&t * (1.5 * std::f64::consts::TAU)).sin();
    (t, wave + noise)
}

pub fn low_passed(signal: &Array, rate: f64) -> Result<Array> {
    let sections = butter(4, Band::Low(8.0).rate(rate))?.sos();
    Ok(sosfiltfilt(&sections, signal, -1, Extension::Odd, None))
}

#[test]
fn the_wave_is_left() -> Result<()> {
    let (t, noisy) = noisy(1000);
    let wave = (&t * (1.5 * std::f64::consts::TAU)).sin();
    let error = |a: &Array| (a - &wave).std(..).item();
    assert!(error(&noisy)? > 0.45 && error(&low_passed(&noisy, 500.0)?)? < 0.15);
    Ok(())
}
