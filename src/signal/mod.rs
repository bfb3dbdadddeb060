//! Signal processing, by SciPy's names (`scipy.signal`) and conventions.
//!
//! | | |
//! | --- | --- |
//! | waves | [`chirp`], [`sweep_poly`], [`square`], [`sawtooth`], [`gausspulse`]; [`unit_impulse`], [`max_len_seq`] |
//! | filters | [`convolve`], [`correlate`], [`fftconvolve`], [`deconvolve`]; with feedback [`lfilter`], [`sosfilt`], both ways [`filtfilt`], [`sosfiltfilt`]; [`savgol_filter`], [`medfilt`], [`wiener`]; of splines [`cspline1d`], [`symiirorder1`] |
//! | designs | [`butter`], [`cheby1`], [`cheby2`], [`ellip`], [`iirdesign`], [`iirnotch`], [`iircomb`]; [`firwin`], [`firwin2`], [`firls`], [`savgol_coeffs`]; [`Window`] |
//! | steps of designs | [`buttord`] and its kin, [`buttap`], [`lp2bp_zpk`], [`bilinear_zpk`], [`minimum_phase`]; [`residuez`] |
//! | systems | [`StateSpace`], [`tf2ss`], [`ss2tf`], [`cont2discrete`]; over time [`lsim`], [`impulse`](fn@impulse), [`dstep`]; over frequencies [`bode`], [`freqresp`] |
//! | responses | [`freqz`], [`sosfreqz`], [`freqs`], [`group_delay`] |
//! | spectra | [`periodogram`], [`welch`], [`csd`], [`coherence`], [`spectrogram`], [`stft`], [`istft`]; settings: [`Segments`]; [`lombscargle`], [`czt`], [`zoom_fft`] |
//! | rates | [`resample`], [`resample_poly`], [`upfirdn`], [`decimate`] |
//! | trends, envelopes, peaks | [`detrend`], [`hilbert`], [`hilbert2`], [`find_peaks`], [`argrelextrema`] |
//!
//! Functions of arrays record, as all operations do, and their arithmetic fuses with what is around
//! it; those that find peaks evaluate. Designs are computed on the host at once.
//!
//! **Convolutions.** With a small kernel they are computed directly, as a stencil inside the kernels
//! around them; numbers that are not integers, with a kernel of more than 64 elements, through Fourier
//! transforms, padded to lengths that are fast. [`fftconvolve`] always takes transforms. What goes
//! through transforms has errors of the size of the largest result's, and a NaN or an infinity spreads
//! over all of it.
//!
//! **Filters with feedback** go from sample to sample. Lines run side by side; where they are few and
//! long, they are cut into blocks, which do. Cascades of sections ([`Zpk::sos`]) are the accurate form
//! of a filter of high order.
//!
//! [`guide::signals`](crate::guide::signals) shows it in pictures.
//!
//! # Example
//! ```
//! use lazuli::prelude::*;
//! use lazuli::signal::{Band, Extension, PeakConditions, butter, find_peaks, sosfiltfilt};
//! let t = DeviceArray::<f64>::linspace(0.0, 10.0, 2000);
//! let beats = (&t * 7.0).sin().powi(21);
//! let hum = (&t * 300.0).sin();
//! // Below 10 Hz, of 200 samples a second.
//! let sos = butter(4, Band::Low(10.0).rate(200.0))?.sos();
//! let clean = sosfiltfilt(&sos, &(beats + 0.5 * hum), -1, Extension::Odd, None);
//! let beats = find_peaks(&clean, &PeakConditions::new().height(0.5, f64::INFINITY))?;
//! assert_eq!(beats.positions.len(), 11);
//! # Ok::<(), Error>(())
//! ```

mod axes;
mod chirp_z;
mod conditions;
mod design;
mod estimates;
mod extremes;
mod filter;
#[cfg(all(test, feature = "cuda"))]
mod gpu_tests;
mod lombscargle;
mod median;
mod peaks;
mod recurrence;
mod resample;
mod savgol;
mod segments;
mod sequences;
mod spectral;
mod splines;
mod stft;
mod systems;
mod trend;
mod waveforms;
mod window;
mod zero_phase;

pub use crate::ops::convolve::{
    Mode, convolve, correlate, fftconvolve, try_convolve, try_correlate, try_fftconvolve,
};
pub use chirp_z::{czt, czt_points, try_czt, try_czt_points, try_zoom_fft, zoom_fft};
pub use conditions::PeakConditions;
pub use design::{
    AtZero, Band, Comb, Desired, Family, Gammatone, Kept, Of, Taps, Zpk, bilinear, bilinear_zpk,
    buttap, butter, buttord, cheb1ap, cheb1ord, cheb2ap, cheb2ord, cheby1, cheby2, ellip, ellipap,
    ellipord, findfreqs, firls, firwin, firwin2, freqs, freqs_at, freqs_zpk, freqs_zpk_at, freqz,
    freqz_at, freqz_zpk, freqz_zpk_at, gammatone, group_delay, group_delay_at, iircomb, iirdesign,
    iirfilter, iirnotch, iirpeak, invres, invresz, kaiser_atten, kaiser_beta, kaiserord, lp2bp,
    lp2bp_zpk, lp2bs, lp2bs_zpk, lp2hp, lp2hp_zpk, lp2lp, lp2lp_zpk, minimum_phase, normalize,
    residue, residuez, sos2tf, sosfreqz, sosfreqz_at, tf2zpk, unique_roots,
};
pub use estimates::{
    correlation_lags, deconvolve, lfiltic, try_correlation_lags, try_deconvolve,
    try_vectorstrength, try_wiener, vectorstrength, wiener,
};
pub use extremes::{Extreme, argrelextrema};
pub use filter::{
    lfilter, lfilter_with_state, lfilter_zi, sosfilt, sosfilt_with_state, sosfilt_zi, try_lfilter,
    try_lfilter_with_state, try_sosfilt, try_sosfilt_with_state,
};
pub use lombscargle::{Mean, Power, lombscargle, try_lombscargle};
pub use median::{medfilt, try_medfilt};
pub use peaks::{Peaks, find_peaks, peak_prominences, peak_widths};
pub use resample::{
    AntiAlias, Phase, decimate, resample, resample_poly, resample_poly_with, try_decimate,
    try_resample, try_resample_poly, try_resample_poly_with, try_upfirdn, upfirdn,
};
pub use savgol::{Ends, savgol_coeffs, savgol_filter, try_savgol_filter};
pub use segments::{Average, Edges, Scaling, Segments, Sides};
pub use sequences::{Impulse, Register, max_len_seq, try_unit_impulse, unit_impulse};
pub use spectral::{
    coherence, csd, periodogram, spectrogram, try_coherence, try_csd, try_periodogram,
    try_spectrogram, try_welch, welch,
};
pub use splines::{
    cspline1d, cspline1d_eval, gauss_spline, qspline1d, qspline1d_eval, sepfir2d, symiirorder1,
    try_cspline1d, try_cspline1d_eval, try_gauss_spline, try_qspline1d, try_qspline1d_eval,
    try_sepfir2d, try_symiirorder1,
};
pub use stft::{istft, istft_complex, stft, try_istft, try_istft_complex, try_stft};
pub use systems::{
    Discretization, Hold, StateSpace, TimeResponse, bode, bode_at, cont2discrete, dbode, dbode_at,
    dfreqresp, dfreqresp_at, dimpulse, dlsim, dstep, freqresp, freqresp_at, impulse, lsim, ss2tf,
    ss2zpk, step, tf2ss, try_bode_at, try_dbode_at, try_dfreqresp_at, try_dlsim, try_freqresp_at,
    try_lsim, zpk2ss,
};
pub use trend::{Trend, detrend, hilbert, hilbert2, try_detrend, try_hilbert, try_hilbert2};
pub use waveforms::{
    Sweep, chirp, gausspulse, gausspulse_cutoff, sawtooth, square, sweep_poly, try_chirp,
    try_gausspulse, try_sawtooth, try_square, try_sweep_poly,
};
pub use window::{
    Symmetry, Window, check_cola, check_nola, get_window, kaiser_bessel_derived, try_get_window,
};
pub use zero_phase::{Extension, filtfilt, sosfiltfilt, try_filtfilt, try_sosfiltfilt};
