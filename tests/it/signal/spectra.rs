//! Spectra over frequencies and time.

use super::{C, File, NEAR, NEAR32, refuses, with_files};
use lazuli::fft::Sample;
use lazuli::prelude::*;
use lazuli::signal::*;

/// All spectra of a signal, named as in the file.
fn of_signal<T: Sample>(file: &File, name: &str, x: &DeviceArray<T>, part: f64) {
    let n = x.shape()[x.ndim() - 1].min(64);
    let how = || Segments::new().rate(20.0).length(n).overlap(n / 3);
    let key = |what: &str, suffix: &str| format!("{what}_{name}{suffix}");
    let (f, power) = welch(x, &how());
    file.near(&key("welch", "_f"), &f, part);
    file.near(&key("welch", ""), &power, part);
    let median = how().average(Average::Median).scaling(Scaling::Spectrum);
    file.near(&key("welch", "_median"), &welch(x, &median).1, part);
    let two = how().sides(Sides::Two).points(100).trend(Trend::Linear).window(Window::Blackman);
    file.near(&key("welch", "_two"), &welch(x, &two).1, part);
    let whole = || Segments::new().rate(2.0);
    file.near(&key("periodogram", ""), &periodogram(x, &whole()).1, part);
    let hann = whole().window(Window::Hann).scaling(Scaling::Spectrum);
    file.near(&key("periodogram", "_hann"), &periodogram(x, &hann).1, part);
    file.near(&key("periodogram", "_points"), &periodogram(x, &whole().points(40)).1, part);
    let (_, t, power) = spectrogram(x, &how());
    file.near(&key("spectrogram", "_t"), &t, part);
    file.near(&key("spectrogram", ""), &power, part);
    let (_, t, z) = stft(x, &how());
    file.near(&key("stft", "_t"), &t, part);
    file.near(&key("stft", ""), &z, part);
    let bare =
        how().edges(Edges::Bare).scaling(Scaling::Density).window(Window::Hamming).points(70);
    let (_, _, bare_z) = stft(x, &bare);
    file.near(&key("stft", "_bare"), &bare_z, part);
    let (a, b) = (file.array::<C>(&key("stft", "")), file.array::<C>(&key("stft", "_bare")));
    match T::DTYPE.is_complex() {
        true => {
            file.near(&key("istft", ""), &istft_complex(&a, &how()), part);
            file.near(&key("istft", "_bare"), &istft_complex(&b, &bare), part);
        }
        false => {
            file.near(&key("istft", ""), &istft(&a, &how()), part);
            file.near(&key("istft", "_bare"), &istft(&b, &bare), part);
        }
    }
}

#[test]
fn spectra_are_scipys() {
    with_files(&["signals", "spectra"], |file| {
        let long = file.array::<f64>("long");
        of_signal(file, "long", &long, NEAR);
        of_signal(file, "stack", &long.reshape([3, 300]), NEAR);
        of_signal(file, "even", &long.slice(s![..64]), NEAR);
        of_signal(file, "complex", &file.array::<C>("complex"), NEAR);
        of_signal(file, "long", &long.cast::<f32>(), 20.0 * NEAR32);
        of_signal(file, "complex", &file.array::<Complex<f32>>("complex"), NEAR32);
        let columns = long.reshape([300, 3]);
        let first = || Segments::new().axis(0);
        file.near("welch_columns", &welch(&columns, &first()).1, NEAR);
        let power = spectrogram(&columns, &first().length(50)).2;
        file.near("spectrogram_columns", &power, NEAR);
        let (_, t, z) = stft(&columns, &first().length(51));
        file.near("stft_columns_t", &t, NEAR);
        file.near("stft_columns", &z, NEAR);
        // Samples stand where the frequencies were; SciPy puts them where the times were.
        file.near("istft_columns", &istft(&z, &first().length(51)).t(), NEAR);
        let (a, b) = (long.slice(s![..450]), long.slice(s![450..880]));
        let how = || Segments::new().length(100);
        file.near("csd", &csd(&a, &b, &how()).1, NEAR);
        let median = how().average(Average::Median);
        file.near("csd_median", &csd(&a, &b, &median).1, NEAR);
        let stack = csd(&long.reshape([3, 300]), &long.slice(s![..300]), &how()).1;
        file.near("csd_stack", &stack, NEAR);
        let (a, b) = (long.slice(s![..300]), long.slice(s![300..600]));
        let c = coherence(&a, &b, &Segments::new().length(32)).1;
        file.near("coherence", &c, 1e-9);
    });
}

/// Integers, halves, one sample, NaN in one stretch.
#[test]
fn odd_signals() {
    with_files(&["signals"], |file| {
        let long = (file.array::<f64>("long") * 10.0).round();
        let (_, a) = welch(&long.cast::<i32>(), &Segments::new());
        let (_, b) = welch(&long, &Segments::new());
        assert_eq!(a.to_vec().unwrap(), b.to_vec().unwrap());
        let (_, halves) = welch(&(long.cast::<f16>() * f16::from_f32(0.0)), &Segments::new());
        assert_eq!(halves.max(..).item().unwrap(), 0.0f32);
        let one = DeviceArray::from_slice(&[2.0]).unwrap();
        let (f, power) = periodogram(&one, &Segments::new().trend(Trend::None));
        assert_eq!((f.to_vec().unwrap(), power.to_vec().unwrap()), (vec![0.0], vec![4.0]));
        let marked = long.with_slice(s![10], f64::NAN);
        let how = Segments::new().length(100).overlap(0);
        let (_, _, power) = spectrogram(&marked, &how);
        let nan = power.is_nan().any(0).to_vec().unwrap();
        assert_eq!(nan, [true, false, false, false, false, false, false, false, false]);
    });
    let x = &DeviceArray::<f64>::zeros(100);
    refuses(try_welch(x, &Segments::new().length(10).overlap(10)), "cannot share");
    refuses(try_welch(x, &Segments::new().points(99)), "99 points");
    refuses(try_welch(&DeviceArray::<f64>::zeros([2, 0]), &Segments::new()), "no samples");
    refuses(try_stft(x, &Segments::new().axis(1)), "axis 1");
    refuses(try_istft(x, &Segments::new()), "frequencies and times");
}
