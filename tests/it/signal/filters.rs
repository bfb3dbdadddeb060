//! Recursive filters, forwards and both ways.

use super::{C, File, NEAR, NEAR32, refuses, with_files};
use lazuli::prelude::*;
use lazuli::signal::*;

/// A numerator and a denominator.
type Ba = (&'static [f64], &'static [f64]);

const FILTERS: [(&str, Ba); 5] = [
    ("iir", (&[0.2, 0.3, -0.1], &[2.0, -0.9, 0.5, -0.2])),
    ("fir", (&[1.0, 0.5, -0.25], &[1.0])),
    ("gain", (&[3.0], &[2.0])),
    ("first", (&[0.1], &[1.0, -0.9])),
    ("pole", (&[1.0], &[1.0, 0.4, 0.3, 0.2])),
];

fn first_column(a: &DeviceArray<f64>) -> DeviceArray<f64> {
    a.slice(s![.., ..1])
}

#[test]
fn lfilter_is_scipys() {
    with_files(&["signals"], |file| {
        let (line, image) = (file.array::<f64>("line"), file.array::<f64>("image"));
        let z = file.array::<C>("complex");
        for (name, (b, a)) in FILTERS {
            let key = |what: &str| format!("lfilter_{name}{what}");
            file.near(&key(""), &lfilter(b, a, &line, 0), NEAR);
            file.near(&key("_columns"), &lfilter(b, a, &image, 0), NEAR);
            file.near(&key("_rows"), &lfilter(b, a, &image, -1), NEAR);
            file.near(&key("_rows"), &lfilter(b, a, &image.cast::<f32>(), 1), NEAR32);
            file.near(&key("_complex"), &lfilter(b, a, &z, 1), NEAR);
            file.near(&key("_complex"), &lfilter(b, a, &z.cast::<Complex<f32>>(), 1), NEAR32);
            // An expression, transposed and with every second element.
            let doubled = (2.0 * image.t()).repeat(2, 0).slice(s![..;2, ..]);
            file.near(&key("_rows"), &(lfilter(b, a, &doubled, 0).t() / 2.0), NEAR);
            if name == "gain" {
                continue;
            }
            let zi = lfilter_zi(b, a).unwrap();
            file.near_list(&key("_zi"), &zi, NEAR);
            let zi = &DeviceArray::from_slice(&zi).unwrap() * first_column(&image);
            let (y, zf) = lfilter_with_state(b, a, &image, 1, &zi);
            file.near(&key("_with"), &y, NEAR);
            file.near(&key("_zf"), &zf, NEAR);
            let both = filtfilt(b, a, &image, 1, Extension::Odd, None);
            file.near(&format!("filtfilt_{name}"), &both, NEAR);
        }
        let (b, a) = FILTERS[0].1;
        let zi = z.slice(s![.., ..1]);
        let zi = zi.broadcast_to([2, 3]);
        let (y, zf) = lfilter_with_state(b, a, &z, -1, &zi);
        file.near("lfilter_iir_complex_with", &y, NEAR);
        file.near("lfilter_iir_complex_zf", &zf, NEAR);
        let (y, zf) = lfilter_with_state(b, a, &image, 0, &image.slice(s![..1, ..]).repeat(3, 0));
        file.near("lfilter_iir_columns_with", &y, NEAR);
        file.near("lfilter_iir_columns_zf", &zf, NEAR);
    });
}

#[test]
fn sosfilt_is_scipys() {
    with_files(&["signals"], |file| {
        let (line, image) = (file.array::<f64>("line"), file.array::<f64>("image"));
        let z = file.array::<C>("complex");
        for name in ["low", "band"] {
            let key = |what: &str| format!("sosfilt_{name}{what}");
            let sos = &file.sos(&key("_sos"));
            file.near(&key(""), &sosfilt(sos, &line, -1), NEAR);
            file.near(&key(""), &sosfilt(sos, &line.cast::<f32>(), -1), NEAR32);
            file.near(&key("_columns"), &sosfilt(sos, &image, 0), NEAR);
            file.near(&key("_complex"), &sosfilt(sos, &z, 1), NEAR);
            let zi = sosfilt_zi(sos).unwrap();
            file.near_list(&key("_zi"), zi.as_flattened(), NEAR);
            let zi = DeviceArray::from_slice(zi.as_flattened()).unwrap();
            let zi = zi.reshape([sos.len(), 1, 2]) * first_column(&image);
            let (y, zf) = sosfilt_with_state(sos, &image, 1, &zi);
            file.near(&key("_with"), &y, NEAR);
            file.near(&key("_zf"), &zf, NEAR);
            let both = sosfiltfilt(sos, &image, 1, Extension::Odd, None);
            file.near(&format!("sosfiltfilt_{name}"), &both, NEAR);
        }
    });
}

#[test]
fn extensions_are_scipys() {
    with_files(&["signals"], |file| {
        let line = file.array::<f64>("line");
        let (b, a) = FILTERS[0].1;
        let kinds = [
            ("odd", Extension::Odd),
            ("even", Extension::Even),
            ("constant", Extension::Constant),
            ("None", Extension::None),
        ];
        for (name, how) in kinds {
            let both = filtfilt(b, a, &line, 0, how, Some(5));
            file.near(&format!("filtfilt_{name}"), &both, NEAR);
        }
        let both = filtfilt(b, a, &file.array::<C>("complex"), 1, Extension::Odd, None);
        file.near("filtfilt_complex", &both, NEAR);
        let sos = &file.sos("sosfilt_low_sos");
        let both = sosfiltfilt(sos, &line, 0, Extension::Even, Some(9));
        file.near("sosfiltfilt_even", &both, NEAR);
    });
}

/// The recurrence itself, on the host.
fn by_hand(sos: &[[f64; 6]], x: &[f64]) -> Vec<f64> {
    let mut x = x.to_vec();
    for [b0, b1, b2, _, a1, a2] in sos {
        let mut z = [0.0, 0.0];
        for x in &mut x {
            let y = b0 * *x + z[0];
            z = [b1 * *x - a1 * y + z[1], b2 * *x - a2 * y];
            *x = y;
        }
    }
    x
}

/// Lines so long that they are cut into blocks where many of these run side by side, the state
/// behind them, and what comes in two pieces.
#[test]
fn long_lines() {
    with_files(&[], |_: &File| {
        let n = 40_001;
        let host: Vec<f64> = (0..n).map(|k| ((k * k % 1009) as f64 / 500.0 - 1.0).sin()).collect();
        let x = DeviceArray::from_slice(&host).unwrap();
        let design = butter(4, Band::Low(0.05)).unwrap();
        let sos = &design.sos();
        let wanted = by_hand(sos, &host);
        let near = |got: &[f64], wanted: &[f64]| {
            assert_eq!(got.len(), wanted.len());
            let off = got.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-12, "{off}");
        };
        near(&sosfilt(sos, &x, -1).to_vec().unwrap(), &wanted);
        let at_rest = DeviceArray::zeros([2, 2]);
        let (first, state) = sosfilt_with_state(sos, &x.slice(s![..30_000]), -1, &at_rest);
        let (second, _) = sosfilt_with_state(sos, &x.slice(s![30_000..]), -1, &state);
        near(&concatenate(&[first, second], 0).to_vec().unwrap(), &wanted);
        let (b, a) = design.ba();
        let ba = lfilter(&b, &a, &x, 0).to_vec().unwrap();
        let off = ba.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-8, "{off}");
        // A filter that grows, whose answer over a block is not finite.
        let grown = lfilter(&[1.0], &[1.0, -3.0], &(&x * 0.0 + 1.0), 0).to_vec().unwrap();
        assert!(grown[10] == (3f64.powi(11) - 1.0) / 2.0 && grown[n - 1] == f64::INFINITY);
        // NaN goes on for ever with feedback, and for two samples without.
        let mut host = host;
        host[17_000] = f64::NAN;
        let x = DeviceArray::from_slice(&host).unwrap();
        let y = lfilter(&[1.0], &[1.0, -0.5], &x, 0).is_nan().sum(..).item().unwrap();
        assert_eq!(y, (n - 17_000) as i64);
        let y = lfilter(&[1.0, 1.0, 1.0], &[1.0], &x, 0).is_nan().sum(..).item().unwrap();
        assert_eq!(y, 3);
    });
}

#[test]
fn short_and_empty_lines() {
    with_files(&[], |_: &File| {
        let one = DeviceArray::from_slice(&[2.0]).unwrap();
        let (b, a) = FILTERS[0].1;
        assert_eq!(lfilter(b, a, &one, 0).to_vec().unwrap(), [0.2]);
        let empty = DeviceArray::<f64>::zeros([3, 0]);
        assert_eq!(lfilter(b, a, &empty, 1).shape(), [3, 0]);
        assert_eq!(lfilter(b, a, &empty, 0).shape(), [3, 0]);
        let sos = [[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]];
        assert!(sosfilt(&sos, &empty, 1).to_vec().unwrap().is_empty());
        let zi = DeviceArray::full([1, 3, 2], 4.0);
        let (y, zf) = sosfilt_with_state(&sos, &empty, 1, &zi);
        assert_eq!((y.shape(), zf.to_vec().unwrap()), (&[3, 0][..], vec![4.0; 6]));
        let (y, zf) = lfilter_with_state(&[3.0], &[2.0], &one, 0, &DeviceArray::zeros(0));
        assert_eq!((y.to_vec().unwrap(), zf.shape()), (vec![3.0], &[0][..]));
        let half = DeviceArray::from_slice(&[f16::from_f32(1.0); 3]).unwrap();
        let y = lfilter(&[1.0], &[1.0, -0.5], &half, 0).cast::<f64>().to_vec().unwrap();
        assert_eq!(y, [1.0, 1.5, 1.75]);
    });
}

#[test]
fn what_filters_refuse() {
    let x = &DeviceArray::<f64>::zeros([3, 20]);
    refuses(try_lfilter(&[1.0], &[0.0, 1.0], x, 0), "lfilter: numerator");
    refuses(try_lfilter(&[], &[1.0], x, 0), "lfilter");
    refuses(try_lfilter(&[1.0], &[1.0], x, 2), "axis 2");
    refuses(try_sosfilt(&[], x, 0), "sosfilt: no section");
    refuses(try_sosfilt(&[[1.0, 0.0, 0.0, 2.0, 0.0, 0.0]], x, 0), "must be 1");
    let ba = (&[1.0], &[1.0, -0.5]);
    let zi = &DeviceArray::zeros([3, 2]);
    refuses(try_lfilter_with_state(ba.0, ba.1, x, 1, zi), "[3, 2]");
    refuses(try_lfilter_with_state(ba.0, ba.1, x, 1, &DeviceArray::zeros(1)), "initial states");
    refuses(try_filtfilt(ba.0, ba.1, x, 0, Extension::Odd, None), "must be longer");
    assert!(lfilter_zi(&[1.0], &[1.0, -1.0]).unwrap_err().is_numeric());
}
