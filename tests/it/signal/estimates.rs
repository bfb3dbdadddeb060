//! Periodograms of uneven samples, noise, events, lags, spirals, splines as filters.

use super::{C, NEAR, NEAR32, refuses, with_files};
use lazuli::prelude::*;
use lazuli::signal::*;

#[test]
fn periodograms_of_uneven_samples_are_scipys() {
    with_files(&["estimates"], |file| {
        let of = |name: &str| file.array::<f64>(name);
        let (x, y, w, f) = (of("times"), of("samples"), of("weights"), of("freqs"));
        for (name, power) in [("power", Power::Absolute), ("normalize", Power::Relative)] {
            let plain = lombscargle(&x, &y, &f, None, power, Mean::Zero);
            file.near(&format!("lomb_{name}"), &plain, NEAR);
            let weighted = lombscargle(&x, &y, &f, Some(&w), power, Mean::Zero);
            file.near(&format!("lomb_{name}_weights"), &weighted, NEAR);
            let mean = lombscargle(&x, &y, &f, Some(&w), power, Mean::Floating);
            file.near(&format!("lomb_{name}_mean"), &mean, NEAR);
        }
        let single = |a: &DeviceArray<f64>| a.cast::<f32>();
        let (x32, y32, f32s) = (single(&x), single(&y), single(&f));
        let power = lombscargle(&x32, &y32, &f32s, None, Power::Absolute, Mean::Zero);
        file.near("lomb_power", &power, NEAR32);
        let none = lombscargle(&x, &y, &x.slice(s![..0]), None, Power::Absolute, Mean::Zero);
        assert_eq!(none.shape(), [0]);
        let nan = lombscargle(&x, &(&y * f64::NAN), &f, None, Power::Absolute, Mean::Zero);
        assert!(nan.is_nan().all(..).item().unwrap());
    });
    let (a, b) = (&DeviceArray::<f64>::ones(3), &DeviceArray::<f64>::ones(2));
    let power = |x: &DeviceArray<f64>, y: &DeviceArray<f64>| {
        try_lombscargle(x, y, a, None, Power::Absolute, Mean::Zero)
    };
    refuses(power(a, b), "3 times, 2 samples and 3 weights");
    refuses(power(&DeviceArray::ones([2, 2]), b), "times of shape [2, 2]");
    refuses(power(&DeviceArray::zeros(0), &DeviceArray::zeros(0)), "0 times");
}

#[test]
fn filters_of_noise_are_scipys() {
    with_files(&["estimates"], |file| {
        let grid = file.array::<f64>("grid");
        file.near("wiener", &wiener(&grid, &[3, 3], None), NEAR);
        file.near("wiener", &wiener(&grid.cast::<f32>(), &[3, 3], None), NEAR32);
        file.near("wiener_own", &wiener(&grid, &[1, 5], Some(0.4)), NEAR);
        file.near("wiener_even", &wiener(&grid, &[2, 4], None), NEAR);
        assert_eq!(wiener(&grid.slice(s![..0, ..]), &[3, 3], None).shape(), [0, 9]);
        file.near("hilbert2", &hilbert2(&grid), NEAR);
        file.near("hilbert2_odd", &hilbert2(&grid.slice(s![..3, ..8])), NEAR);
        file.near("sepfir2d", &sepfir2d(&grid, &[1.0, 3.0, 1.0], &[0.5, 1.0, 2.0, 1.0, 0.5]), NEAR);
    });
    let x = &DeviceArray::<f64>::ones([2, 3]);
    refuses(try_wiener(x, &[3], None), "a window of shape [3]");
    refuses(try_wiener(x, &[3, 0], None), "a window of shape [3, 0]");
    refuses(try_hilbert2(&DeviceArray::<f64>::ones(3)), "two axes");
    refuses(try_hilbert2(&x.cast::<C>()), "must be real");
    refuses(try_sepfir2d(x, &[1.0, 2.0], &[1.0]), "filters of 2 and 1");
}

#[test]
fn events_quotients_and_lags_are_scipys() {
    with_files(&["estimates"], |file| {
        let (x, y) = (file.array::<f64>("times"), file.array::<f64>("samples"));
        let periods = DeviceArray::from_slice(&[1.5, 4.0, 0.3]).unwrap();
        let (strength, phase) = vectorstrength(&x, &periods);
        file.near("vectorstrength_0", &strength, NEAR);
        file.near("vectorstrength_1", &phase, NEAR);
        let one = vectorstrength(&x, &DeviceArray::full((), 4.0)).0;
        assert_eq!((one.ndim(), one.item().unwrap()), (0, strength.get(1).unwrap()));
        let none = vectorstrength(&x.slice(s![..0]), &periods).0;
        assert!(none.is_nan().all(..).item().unwrap());
        let divisor = [2.0, 1.0, -0.5];
        let (quotient, remainder) = deconvolve(&y, &divisor);
        file.near("deconvolve_0", &quotient, NEAR);
        let rest = (&remainder.cast::<C>() - file.array::<C>("deconvolve_1")).abs();
        assert!(rest.max(..).item().unwrap() < 1e-11);
        let (quotient, remainder) = deconvolve(&y.slice(s![..2]), &divisor);
        assert_eq!((quotient.shape(), remainder.shape()), (&[0][..], &[2][..]));
        let (b, a) = (&[0.2, 0.3, -0.1][..], &[2.0, -0.9, 0.5, -0.2][..]);
        let state = lfiltic(b, a, &[1.0, 2.0], &[3.0, -1.0, 5.0]).unwrap();
        file.near_list("lfiltic", &state, 1e-14);
        file.near_list("lfiltic_fir", &lfiltic(b, &[2.0], &[], &[3.0]).unwrap(), 1e-14);
        for (n, m) in [(5, 3), (4, 3), (3, 5), (4, 4), (1, 1), (6, 1)] {
            for (name, mode) in [("full", Mode::Full), ("same", Mode::Same), ("valid", Mode::Valid)]
            {
                file.near(&format!("lags_{n}_{m}_{name}"), &correlation_lags(n, m, mode), 0.0);
            }
        }
    });
    let x = &DeviceArray::<f64>::ones([2, 2]);
    refuses(try_vectorstrength(x, x), "events of shape [2, 2]");
    refuses(try_deconvolve(x, &[1.0]), "a signal of shape [2, 2]");
    refuses(try_deconvolve(&DeviceArray::<f64>::ones(2), &[0.0, 1.0]), "must not be 0");
    refuses(lfiltic(&[], &[1.0], &[], &[]), "lfiltic");
    refuses(try_correlation_lags(0, 3, Mode::Full), "0 and 3 samples");
}

#[test]
fn spirals_are_scipys() {
    with_files(&["estimates"], |file| {
        let (grid, y) = (file.array::<f64>("grid"), file.array::<f64>("samples"));
        let one = C::new(1.0, 0.0);
        let (w, a) = (0.98 * C::from_polar(1.0, -0.2), 1.1 * C::from_polar(1.0, 0.3));
        file.near("czt", &czt(&grid, 9, None, one, -1), NEAR);
        file.near("czt", &czt(&grid.cast::<f32>(), 9, None, one, -1), NEAR32);
        file.near("czt_columns", &czt(&grid, 7, None, one, 0), NEAR);
        file.near("czt_spiral", &czt(&y, 12, Some(w), a, -1), NEAR);
        file.near("czt_spiral", &czt(&y.cast::<C>(), 12, Some(w), a, -1), NEAR);
        file.near("czt_points", &czt_points(5, None, one), NEAR);
        file.near("czt_points_spiral", &czt_points(6, Some(w), a), NEAR);
        file.near("zoom", &zoom_fft(&grid, 0.2, 0.6, 11, 2.0, -1), NEAR);
        file.near("zoom_columns", &zoom_fft(&grid, 5.0, 9.0, 3, 20.0, 0), NEAR);
        // A long one, whose chirps turn often, is a Fourier transform.
        let long = (DeviceArray::<f64>::arange_to(3001.0) * 0.37).sin();
        let difference = czt(&long, 3001, None, one, 0) - lazuli::fft::fft(&long);
        assert!(difference.abs().max(..).item().unwrap() < 1e-9);
    });
    let x = &DeviceArray::<f64>::zeros([2, 0]);
    let one = C::new(1.0, 0.0);
    refuses(try_czt(x, 3, None, one, 1), "has no elements");
    refuses(try_czt(&x.t(), 3, None, one, 2), "axis 2");
    refuses(try_zoom_fft(&DeviceArray::<f64>::ones(3), 0.0, 1.0, 0, 2.0, 0), "no points");
}

#[test]
fn splines_are_scipys() {
    with_files(&["estimates"], |file| {
        let (y, places) = (file.array::<f64>("samples"), file.array::<f64>("places"));
        file.near("cspline1d", &cspline1d(&y), NEAR);
        file.near("cspline1d", &cspline1d(&y.cast::<f32>()), NEAR32);
        file.near("qspline1d", &qspline1d(&y), NEAR);
        file.near("cspline1d_eval", &cspline1d_eval(&y, &places, 1.0, 0.0), NEAR);
        file.near("qspline1d_eval", &qspline1d_eval(&y, &places, 1.0, 0.0), NEAR);
        let four = y.slice(s![..4]);
        file.near("cspline1d_eval_far", &cspline1d_eval(&four, &places, 0.5, -1.0), NEAR);
        let two = y.slice(s![..2]);
        file.near("qspline1d_eval_two", &qspline1d_eval(&two, &places, 2.0, 3.0), NEAR);
        // A spline of one coefficient is constant, as weights add up to 1.
        let one = cspline1d_eval(&y.slice(s![..1]), &places, 1.0, 0.0);
        assert!((one - y.get(0).unwrap()).abs().max(..).item().unwrap() < 1e-12);
        let nan = cspline1d_eval(&y, &(&places * f64::NAN), 1.0, 0.0);
        assert!(nan.is_nan().all(..).item().unwrap());
        file.near("gauss_spline", &gauss_spline(&places, 3), NEAR);
        file.near("symiirorder1", &symiirorder1(&y, 0.7, 0.2, 0), NEAR);
        let rows = lazuli::stack(&[y.clone(), y.flip(0)], 0);
        file.near("symiirorder1_rows", &symiirorder1(&rows, 2.0, -0.15, 1), NEAR);
        let columns = symiirorder1(&rows.t(), 2.0, -0.15, 0);
        file.near("symiirorder1_rows", &columns.t(), NEAR);
        assert_eq!(cspline1d(&DeviceArray::<f64>::zeros([2, 0])).shape(), [2, 0]);
    });
    let x = &DeviceArray::<f64>::ones(4);
    refuses(try_symiirorder1(x, 1.0, 1.0, 0), "z1 is 1");
    refuses(try_symiirorder1(x, 1.0, 0.5, 1), "axis 1");
    refuses(try_cspline1d_eval(&DeviceArray::zeros(0), x, 1.0, 0.0), "coefficients of shape [0]");
    refuses(try_cspline1d(&DeviceArray::<f64>::zeros(())), "axis");
}
