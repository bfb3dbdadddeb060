//! # Another sampling rate
//!
//! Sixteen samples of a wave become eighty. [`resample`](lazuli::signal::resample()) goes through
//! Fourier transforms and takes the signal for a period of one that repeats;
//! [`resample_poly`](lazuli::signal::resample_poly()) filters and takes what is beyond the ends for
//! zero. Both are `scipy.signal`'s, whose axis is the first one by default; here it is always said.
//! [`decimate`](lazuli::signal::decimate()) goes down only. They record, and work along an axis of any
//! array.
//!
//! Black the samples, blue `resample`, orange `resample_poly`, which ends low.

use lazuli::prelude::*;
use lazuli::signal::{Window, resample, resample_poly};

type Array = DeviceArray<f64>;

pub fn wave(n: usize) -> Array {
    let turn = Array::linspace_open(0.0, std::f64::consts::TAU, n);
    (2.0 * &turn).sin() + 0.5 * (5.0 * turn).cos()
}

/// Five times as many samples, in two ways.
pub fn five_times(samples: &Array) -> [Array; 2] {
    let periodic = resample(samples, 5 * samples.len(), -1);
    [periodic, resample_poly(samples, 5, 1, -1, Window::Kaiser(5.0))]
}

#[test]
fn a_period_is_known_everywhere() -> Result<()> {
    let [periodic, filtered] = five_times(&wave(16));
    assert!((periodic - wave(80)).abs().max(..).item()? < 1e-12);
    let middle = (filtered - wave(80)).slice(s![20..60]);
    assert!(middle.abs().max(..).item()? < 0.05);
    Ok(())
}
