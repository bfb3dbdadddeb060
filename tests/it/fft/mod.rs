//! Fourier transforms and convolutions: NumPy's and SciPy's answers, round trips, spectra that are
//! known to be real, what runs for them, and what is refused.

mod cases;

use crate::support::{on_each_device, panic_message};
use lazuli::fft::{self, Norm, Options};
use lazuli::prelude::*;
use lazuli::signal::{Mode, convolve, fftconvolve};

/// Values without a pattern, made on the host.
fn noise(n: usize, seed: f64) -> Vec<f64> {
    (0..n).map(|i| ((i as f64 + seed) * 12.9898).sin() * 43758.5453 % 1.0).collect()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn round_trips_of_any_length() {
    on_each_device(|device| {
        // Primes, powers, composites and neighbours of them; the long ones take Bluestein's way.
        let lengths: &[usize] = match device.is_cuda() {
            true => &[1, 2, 3, 13, 127, 128, 1000, 4093, 65537, 1 << 18],
            false => &[1, 2, 3, 13, 127, 128, 1000, 4093, 65537],
        };
        for &n in lengths {
            let host = noise(2 * n, 0.5);
            let x = DeviceArray::from_vec([2, n], host.clone()).unwrap();
            for norm in [Norm::Backward, Norm::Ortho, Norm::Forward] {
                let options = Options::new().n(n).norm(norm);
                let back = options.irfft(&options.rfft(&x)).to_vec().unwrap();
                assert!(largest_difference(&back, &host) < 1e-13, "rfft of {n}");
                let z = x.to_complex(&x.roll(1, 1));
                let back = options.ifft(&options.fft(&z)).real().to_vec().unwrap();
                assert!(largest_difference(&back, &host) < 1e-13, "fft of {n}");
            }
            let x = x.cast::<f32>();
            let back: Vec<f64> =
                Options::new().n(n).irfft(&fft::rfft(&x)).cast::<f64>().to_vec().unwrap();
            assert!(largest_difference(&back, &host) < 1e-5, "rfft of {n} singles");
        }
    });
}

#[test]
fn large_batches_and_several_axes() {
    on_each_device(|_| {
        let host = noise(3 * 96 * 130, 0.1);
        let x = DeviceArray::from_vec([3, 96, 130], host.clone()).unwrap();
        for axes in [&[1][..], &[1, 2], &[2, 1], &[0, 1, 2], &[0, 2], &[0]] {
            let last = x.shape()[axes[axes.len() - 1] as usize];
            let mut lens: Vec<usize> = axes.iter().map(|&k| x.shape()[k as usize]).collect();
            *lens.last_mut().unwrap() = last;
            let options = Options::new().axes(axes);
            let spectrum = options.rfftn(&x);
            let back = options.s(&lens).irfftn(&spectrum).to_vec().unwrap();
            assert!(largest_difference(&back, &host) < 1e-13, "{axes:?}");
        }
        let many = DeviceArray::from_vec([20_000, 6], noise(120_000, 0.7)).unwrap();
        let sums = fft::fft(&many).real().slice(s![.., 0]).to_vec().unwrap();
        assert!(largest_difference(&sums, &many.sum(-1).to_vec().unwrap()) < 1e-12);
    });
}

#[test]
fn long_lines_in_strides() {
    on_each_device(|_| {
        let count = DeviceArray::<f64>::arange_to(2048.0 * 700.0).reshape([2048, 700]);
        let x = (&count * 0.37).sin();
        let turned = x.swap_axes(0, 1);
        eval(&[&x, &turned]).unwrap();
        let columns = Options::new().axis(0);
        let difference = columns.rfft(&x).swap_axes(0, 1) - fft::rfft(&turned);
        assert!(difference.abs().max(..).item().unwrap() < 1e-10);
        let z = x.to_complex(&x.flip(0));
        let back = columns.ifft(&columns.fft(&z));
        assert!((back - z).abs().max(..).item().unwrap() < 1e-13);
    });
}

#[test]
fn parseval_and_linearity() {
    on_each_device(|_| {
        let x = DeviceArray::from_vec([5, 77], noise(385, 0.3)).unwrap();
        let spectrum = Options::new().norm(Norm::Ortho).fft2(&x);
        let (a, b) = (x.square().sum(..), spectrum.abs().square().sum(..));
        assert!((a.item().unwrap() / b.item().unwrap() - 1.0).abs() < 1e-13);
        let y = x.flip(..);
        let apart = fft::fft2(&x) * Complex::new(0.0, 2.0) + fft::fft2(&y);
        let z = x.zeros_like().to_complex(&(2.0 * &x)) + y.to_complex(&x.zeros_like());
        let difference = (apart - fft::fft2(&z)).abs().max(..).item().unwrap();
        assert!(difference < 1e-12, "{difference}");
    });
}

#[test]
fn an_inverse_of_spectra_of_real_arrays_is_real() {
    on_each_device(|_| {
        let (a, b) = (noise(6 * 7 * 8, 0.2), noise(7 * 8, 0.9));
        let a = DeviceArray::from_vec([6, 7, 8], a).unwrap();
        let b = DeviceArray::from_vec([7, 8], b).unwrap();
        let product = |spectrum: &dyn Fn(&DeviceArray<f64>) -> DeviceArray<Complex<f64>>| {
            (spectrum(&a) * spectrum(&b) - spectrum(&a.flip(0)).conj() * Complex::new(0.5, 0.0))
                / Complex::new(3.0, 0.0)
        };
        let known = fft::ifft2(&product(&|x| fft::fft2(x)));
        // Once evaluated, nothing is known of an array but its values.
        let values = product(&|x| {
            let spectrum = fft::fft2(x);
            spectrum.eval().unwrap();
            spectrum
        });
        let whole = fft::ifft2(&values);
        assert!((&known - &whole).abs().max(..).item().unwrap() < 1e-14);
        assert_eq!(known.imag().abs().max(..).item().unwrap(), 0.0);
        // What is not the spectrum of a real array keeps its imaginary part.
        let turned = fft::ifft2(&(fft::fft2(&a) * Complex::new(0.0, 1.0)));
        assert!((turned.imag() - &a).abs().max(..).item().unwrap() < 1e-14);
        let shifted = fft::ifft2(&(fft::fft2(&a) + fft::fft2(&a).flip(0)));
        assert!(shifted.real().is_finite().all(..).item().unwrap());
        let along = Options::new().axis(1);
        let mixed = along.ifft(&(along.fft(&a) * fft::fft(&a)));
        let plain = along.fft(&a);
        plain.eval().unwrap();
        let wanted = along.ifft(&(plain * fft::fft(&a)));
        assert!((mixed - wanted).abs().max(..).item().unwrap() < 1e-13);
    });
}

#[test]
fn what_runs() {
    on_each_device(|_| {
        let counted = |result: &dyn AnyArray| {
            let before = lazuli::counters();
            eval(&[result]).unwrap();
            let after = lazuli::counters();
            (after.library_calls - before.library_calls, after.kernels - before.kernels)
        };
        let a = DeviceArray::from_vec([32, 32], noise(1024, 0.4)).unwrap().cast::<f32>();
        let b = a.flip(..);
        eval(&[&a, &b]).unwrap();
        assert_eq!(counted(&fft::rfft(&a)), (1, 0));
        assert_eq!(counted(&fft::rfft2(&(2.0 * &a))), (1, 1));
        assert_eq!(counted(&fft::fft2(&a)), (1, 1), "the other half is one kernel");
        let convolved = fft::ifft2(&(fft::fft2(&a) * fft::fft2(&b))).real();
        assert_eq!(counted(&convolved), (3, 1), "the product with the norm, and nothing else");
        let z = a.to_complex(&b);
        z.eval().unwrap();
        assert_eq!(counted(&Options::new().norm(Norm::Ortho).fft2(&z)), (1, 1));
        // Padding is part of the producer's kernel, the norm of the consumer's.
        let padded = Options::new().s(&[64, 64]).norm(Norm::Ortho).rfft2(&a.sin()).abs();
        assert_eq!(counted(&padded), (1, 2));
        // Columns without a transposition.
        assert_eq!(counted(&Options::new().axis(0).fft(&z)), (1, 0));
        assert_eq!(counted(&Options::new().axis(0).rfft(&a)), (1, 0));
        // A small kernel is a stencil that joins its neighbours.
        let k = DeviceArray::from_vec([3, 3], vec![0.1f32; 9]).unwrap();
        assert_eq!(counted(&(convolve(&a, &k, Mode::Same) * 2.0).exp()), (0, 1));
        assert_eq!(counted(&fftconvolve(&a, &k, Mode::Same)).0, 3);
    });
}

#[test]
fn plans_are_used_again() {
    on_each_device(|_| {
        let a = DeviceArray::from_vec([16, 16], noise(256, 0.6)).unwrap();
        fft::rfft2(&a).eval().unwrap();
        let before = lazuli::counters();
        for _ in 0..3 {
            fft::rfft2(&a).eval().unwrap();
        }
        assert_eq!(lazuli::counters().plans - before.plans, 0);
    });
}

#[test]
fn arguments_stay_as_they_were() {
    on_each_device(|_| {
        // A transform back to reals may use its input as scratch memory, but not the user's array.
        let x = DeviceArray::from_vec([4, 6, 10], noise(240, 0.8)).unwrap();
        let half = fft::rfftn(&x);
        half.eval().unwrap();
        let before = half.to_vec().unwrap();
        fft::irfftn(&half).eval().unwrap();
        assert_eq!(half.to_vec().unwrap(), before);
        let computed = &half * Complex::new(2.0, 0.0);
        let back = fft::irfftn(&computed);
        eval(&[&back, &computed]).unwrap();
        let doubled: Vec<Complex<f64>> = before.iter().map(|z| z * 2.0).collect();
        assert_eq!(computed.to_vec().unwrap(), doubled);
    });
}

#[test]
fn messages_name_the_function_and_the_line() {
    let a = DeviceArray::<f64>::zeros([3, 0]);
    let message = panic_message(|| fft::fft(&a));
    assert!(message.starts_with("fft: axis 1 of shape [3, 0] has no points"), "{message}");
    assert!(message.contains("fft/mod.rs"), "{message}");
    let why = fft::try_fft2(&DeviceArray::<f64>::zeros(3)).unwrap_err();
    assert!(
        why.is_shape() && why.to_string().starts_with("fft2: axis -2 is out of range"),
        "{why}"
    );
    let why = Options::new().axes(&[0, 0]).try_fftn(&a).unwrap_err().to_string();
    assert!(why.starts_with("fftn: axis 0 is given twice"), "{why}");
    let why = Options::new().axes(&[0, 1]).try_fft(&a).unwrap_err().to_string();
    assert!(why.starts_with("fft: one axis is transformed"), "{why}");
    let why = Options::new().n(usize::MAX / 2).try_fft(&DeviceArray::<f64>::ones(3)).unwrap_err();
    assert!(why.is_shape(), "{why}");
    assert!(fft::try_fftfreq::<f64>(0, 1.0).unwrap_err().is_shape());
    let message = panic_message(|| fft::fftshift(&a, 2));
    assert!(message.starts_with("fftshift: axis 2"), "{message}");
}

#[test]
fn frequencies_and_shifts() {
    on_each_device(|_| {
        for n in [1usize, 2, 5, 8] {
            let count = n as i64;
            let order: Vec<f64> = (0..count)
                .map(|k| if k < (count + 1) / 2 { k } else { k - count } as f64)
                .collect();
            let want: Vec<f64> = order.iter().map(|k| k * (1.0 / (n as f64 * 0.1))).collect();
            let got = fft::fftfreq::<f64>(n, 0.1);
            assert!(largest_difference(&got.to_vec().unwrap(), &want) < 1e-14);
            let half = fft::rfftfreq::<f64>(n, 0.1).to_vec().unwrap();
            let want: Vec<f64> = (0..=n / 2).map(|k| k as f64 / (n as f64 * 0.1)).collect();
            assert!(largest_difference(&half, &want) < 1e-14);
            let shifted = fft::fftshift(&got, ..);
            let sorted = shifted.to_vec().unwrap();
            assert!(sorted.is_sorted(), "{sorted:?}");
            assert_eq!(fft::ifftshift(&shifted, 0).to_vec().unwrap(), got.to_vec().unwrap());
        }
        let a = DeviceArray::<i64>::arange_to(15).reshape([3, 5]);
        let both = fft::fftshift(&a, ..).to_vec().unwrap();
        assert_eq!(both, fft::fftshift(&fft::fftshift(&a, 0), 1).to_vec().unwrap());
        assert_eq!(both[0], 13);
        assert_eq!(fft::fftshift(&DeviceArray::<f32>::zeros([0, 3]), ..).shape(), [0, 3]);
    });
}
