//! Smoothing, trends, the analytic signal, other rates.

use super::{C, File, NEAR, NEAR32, refuses, with_files};
use lazuli::ndimage::Border;
use lazuli::prelude::*;
use lazuli::signal::*;

#[test]
fn savitzky_and_golay_as_scipy() {
    with_files(&["signals"], |file| {
        for (n, degree) in [(5, 2), (7, 3), (11, 4), (3, 0), (1, 0), (9, 8)] {
            for d in 0..=degree.min(2) {
                let c = savgol_coeffs(n, degree, d, 0.5, None).unwrap();
                file.near_list(&format!("savgol_{n}_{degree}_{d}"), &c, NEAR);
            }
        }
        file.near_list("savgol_even", &savgol_coeffs(6, 3, 0, 1.0, Some(2.0)).unwrap(), NEAR);
        let image = file.array::<f64>("image");
        let ends = [
            ("interp", Ends::Polynomial),
            ("mirror", Ends::Beyond(Border::Mirror)),
            ("constant", Ends::Beyond(Border::Constant(1.5))),
            ("nearest", Ends::Beyond(Border::Nearest)),
            ("wrap", Ends::Beyond(Border::GridWrap)),
        ];
        for (name, ends) in ends {
            let key = format!("savgol_filter_{name}");
            file.near(&key, &savgol_filter(&image, 7, 3, 1, 0.2, -1, ends), NEAR);
            let single = image.cast::<f32>();
            file.near(&key, &savgol_filter(&single, 7, 3, 1, 0.2, 1, ends), NEAR32);
        }
        let columns = savgol_filter(&image, 3, 1, 0, 1.0, 0, Ends::Polynomial);
        file.near("savgol_filter_columns", &columns, NEAR);
        let z = savgol_filter(&file.array::<C>("complex"), 9, 2, 0, 1.0, 1, Ends::Polynomial);
        file.near("savgol_filter_complex", &z, NEAR);
    });
    let x = &DeviceArray::<f64>::zeros(5);
    refuses(try_savgol_filter(x, 7, 2, 0, 1.0, 0, Ends::Polynomial), "shorter than the window");
    refuses(try_savgol_filter(x, 4, 2, 0, 1.0, 0, Ends::Polynomial), "no middle one");
    refuses(try_savgol_filter(x, 3, 3, 0, 1.0, 0, Ends::Polynomial), "degree 3");
    refuses(savgol_coeffs(4, 2, 0, 1.0, None), "no middle one");
}

#[test]
fn trends_and_the_analytic_signal_as_scipy() {
    with_files(&["signals"], |file| {
        let (line, image) = (file.array::<f64>("line"), file.array::<f64>("image"));
        file.near("detrend_linear", &detrend(&image, Trend::Linear, -1), NEAR);
        file.near("detrend_linear", &detrend(&image.cast::<f32>(), Trend::Linear, -1), NEAR32);
        file.near("detrend_constant", &detrend(&image, Trend::Constant, 1), NEAR);
        file.near("detrend_columns", &detrend(&image, Trend::Linear, 0), NEAR);
        file.near("detrend_complex", &detrend(&file.array::<C>("complex"), Trend::Linear, 1), NEAR);
        file.near("image", &detrend(&image, Trend::None, 1), 0.0);
        file.near("hilbert", &hilbert(&image, -1), NEAR);
        file.near("hilbert", &hilbert(&image.cast::<f32>(), -1), NEAR32);
        file.near("hilbert_columns", &hilbert(&image, 0), NEAR);
        file.near("hilbert_even", &hilbert(&line, 0), NEAR);
        let one = DeviceArray::from_slice(&[3.0]).unwrap();
        assert_eq!(detrend(&one, Trend::Linear, 0).to_vec().unwrap(), [0.0]);
        assert_eq!(detrend(&DeviceArray::<f64>::zeros([2, 0]), Trend::Linear, 1).shape(), [2, 0]);
    });
    let z = &DeviceArray::<Complex<f32>>::zeros(4);
    refuses(try_hilbert(z, 0), "hilbert: the array is complex");
    refuses(try_hilbert(&DeviceArray::<f64>::zeros(0), 0), "no elements");
}

#[test]
fn resampling_as_scipy() {
    with_files(&["signals"], |file| {
        let (line, image) = (file.array::<f64>("line"), file.array::<f64>("image"));
        let z = file.array::<C>("complex");
        for n in [1, 2, 30, 31, 59, 60, 61, 90, 97] {
            file.near(&format!("resample_{n}"), &resample(&line, n, 0), NEAR);
            file.near(&format!("resample_{n}"), &resample(&line.cast::<f32>(), n, 0), NEAR32);
            file.near(&format!("resample_odd_{n}"), &resample(&image, n, 1), NEAR);
            file.near(&format!("resample_complex_{n}"), &resample(&z, n, 1), NEAR);
        }
        file.near("resample_columns", &resample(&image, 5, 0), NEAR);
        let kaiser = Window::Kaiser(5.0);
        for (up, down) in [(3, 2), (2, 3), (1, 4), (5, 1), (4, 6), (7, 7)] {
            let key = format!("resample_poly_{up}_{down}");
            file.near(&key, &resample_poly(&line, up, down, 0, kaiser), NEAR);
            file.near(&key, &resample_poly(&line.cast::<f32>(), up, down, 0, kaiser), NEAR32);
            file.near(&format!("{key}_rows"), &resample_poly(&image, up, down, 1, kaiser), NEAR);
        }
        file.near("resample_poly_many", &resample_poly(&line, 17, 16, 0, kaiser), NEAR);
        file.near("resample_poly_columns", &resample_poly(&image, 3, 2, 0, kaiser), NEAR);
        let hamming = resample_poly(&z, 3, 2, 1, Window::Hamming);
        file.near("resample_poly_complex", &hamming, NEAR);
        let own = resample_poly_with(&line, 3, 2, 0, &[0.1, 0.5, 0.9, 0.5, 0.1]);
        file.near("resample_poly_own", &own, NEAR);
        file.near("upfirdn", &upfirdn(&[1.0, -0.5, 0.25, 2.0], &image, 3, 2, 1), NEAR);
        file.near("upfirdn_long", &upfirdn(&[1.0, -0.5], &line, 2, 5, 0), NEAR);
        let wide = concatenate(&[image.clone(), image.flip(1)], 1);
        for q in [2, 3, 13] {
            for (zero, phase) in [("True", Phase::Zero), ("False", Phase::Causal)] {
                let iir = decimate(&wide, q, AntiAlias::Iir(6), 1, phase);
                file.near(&format!("decimate_iir_{q}_{zero}"), &iir, NEAR);
                let fir = decimate(&wide, q, AntiAlias::Fir(30), -1, phase);
                file.near(&format!("decimate_fir_{q}_{zero}"), &fir, NEAR);
            }
        }
    });
}

#[test]
fn what_other_rates_refuse() {
    let x = &DeviceArray::<f64>::zeros([0, 4]);
    refuses(try_resample(x, 3, 0), "no elements");
    refuses(try_resample(x, 0, 1), "0 samples");
    refuses(try_resample_poly(x, 0, 1, 1, Window::Hann), "must be positive");
    refuses(try_resample_poly(x, 2, 1, 0, Window::Hann), "no elements");
    refuses(try_resample_poly_with(x, 2, 1, 1, &[]), "no coefficients");
    refuses(try_decimate(x, 0, AntiAlias::Iir(8), 1, Phase::Zero), "must be positive");
    refuses(try_upfirdn(&[], x, 1, 1, 1), "no coefficients");
    with_files(&[], |_: &File| {
        assert_eq!(resample(&DeviceArray::<f64>::zeros([0, 4]), 3, 1).shape(), [0, 3]);
        let one = DeviceArray::from_slice(&[2.0]).unwrap();
        assert_eq!(resample(&one, 3, 0).to_vec().unwrap(), [2.0; 3]);
    });
}
