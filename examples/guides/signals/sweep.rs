//! # A sweep over time and frequency
//!
//! [`chirp`](lazuli::signal::chirp()) makes a tone that rises, its square adds a second one at twice
//! the frequency, and [`spectrogram`](lazuli::signal::spectrogram()) shows both. It is
//! `scipy.signal.spectrogram`, and returns frequencies, times, and the power with an axis for each.
//! What NumPy would do behind it, `10 * np.log10(p / p.max())`, joins the kernel that reads the
//! transform.
//!
//! Two seconds from left to right, up to 4 kHz upwards, 60 dB from black to yellow. The second tone
//! meets Nyquist's frequency and comes back below it.

use lazuli::prelude::*;
use lazuli::signal::{Segments, Sweep, chirp, spectrogram};

type Array = DeviceArray<f64>;

/// Frequencies, times, and decibels below the loudest, of 8000 samples a second.
pub fn levels(n: usize) -> (Array, Array, Array) {
    let t = Array::arange_to(n as f64) / 8000.0;
    let tone = chirp(&t, 200.0, n as f64 / 8000.0, 3000.0, Sweep::Quadratic, 0.0);
    let signal = &tone + 0.2 * tone.square();
    let how = Segments::new().rate(8000.0).length(256).overlap(192);
    let (f, times, power) = spectrogram(&signal, &how);
    let levels = 10.0 * (&power / power.max(..) + 1e-12).log10();
    (f, times, levels)
}

#[test]
fn the_loudest_frequency_rises() -> Result<()> {
    let (f, times, levels) = levels(16_000);
    assert_eq!(levels.shape(), [f.len(), times.len()]);
    let loudest = f.take(levels.argmax(0), 0);
    // f(t) = 200 + 2800 (t / 2)²
    let expected = 200.0 + 700.0 * times.square();
    assert!((loudest - expected).abs().max(..).item()? < 60.0);
    Ok(())
}
