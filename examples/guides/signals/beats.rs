//! # Peaks
//!
//! [`find_peaks`](lazuli::signal::find_peaks()) is `scipy.signal.find_peaks`, with its conditions: a
//! height, a distance, a width, and the prominence, which is how far a peak stands above the valleys
//! around it. A prominence finds the beats below although the line under them rises and falls; a height
//! alone would not. Whether a sample is a peak depends on peaks around it, so that this function works
//! on the host: it evaluates the signal and returns positions in a `Vec`.

use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::signal::{PeakConditions, find_peaks};

type Array = DeviceArray<f64>;

/// Ten seconds of a pulse that wanders.
pub fn pulse(n: usize) -> (Array, Array) {
    let t = Array::linspace(0.0, 10.0, n);
    let beats = (3.9 * &t).sin().powi(20);
    let line = 0.5 * (0.9 * &t).sin();
    let noise: Array = Generator::new(4).normal(0.0, 0.03, n);
    (t, beats + line + noise)
}

pub fn beats(pulse: &Array) -> Result<Vec<usize>> {
    let stands_out = PeakConditions::new().prominence(0.6, f64::INFINITY);
    Ok(find_peaks(pulse, &stands_out)?.positions)
}

#[test]
fn every_beat_is_found() -> Result<()> {
    let (t, pulse) = pulse(1000);
    let beats: Vec<f64> = beats(&pulse)?.into_iter().map(|k| t.get(k)).collect::<Result<_>>()?;
    assert_eq!(beats.len(), 12);
    // |sin(3.9 t)| is 1 at t = (k + 1/2) π / 3.9.
    assert!((beats[3] - 3.5 * std::f64::consts::PI / 3.9).abs() < 0.06);
    Ok(())
}
