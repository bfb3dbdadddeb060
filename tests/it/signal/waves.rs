//! Cosine and sine transforms, and those of spectra that are real.

use super::{C, NEAR, NEAR32, refuses, with_files};
use lazuli::fft::{self, Kind, Norm, Options};
use lazuli::prelude::*;

const KINDS: [(usize, Kind); 4] = [(1, Kind::I), (2, Kind::II), (3, Kind::III), (4, Kind::IV)];
const NORMS: [(&str, Norm); 3] =
    [("backward", Norm::Backward), ("ortho", Norm::Ortho), ("forward", Norm::Forward)];

fn along<T: Inexact>(name: &str, how: &Options, a: &DeviceArray<T>, kind: Kind) -> DeviceArray<T> {
    match name {
        "dct" => how.dct(a, kind),
        "idct" => how.idct(a, kind),
        "dst" => how.dst(a, kind),
        _ => how.idst(a, kind),
    }
}

fn over<T: Inexact>(name: &str, how: &Options, a: &DeviceArray<T>, kind: Kind) -> DeviceArray<T> {
    match name {
        "dctn" => how.dctn(a, kind),
        "idctn" => how.idctn(a, kind),
        "dstn" => how.dstn(a, kind),
        _ => how.idstn(a, kind),
    }
}

#[test]
fn waves_are_scipys() {
    with_files(&["signals", "waves"], |file| {
        let image = file.array::<f64>("image");
        let z = file.array::<C>("complex");
        for name in ["dct", "idct", "dst", "idst"] {
            for (number, kind) in KINDS {
                for (norm_name, norm) in NORMS {
                    for n in [2, 3, 8, 9, 61] {
                        let rows = image.slice(s![..if n == 61 { 1 } else { 2 }, ..]);
                        let how = Options::new().n(n).norm(norm);
                        let key = format!("{name}_{number}_{norm_name}_{n}");
                        file.near(&key, &along(name, &how, &rows, kind), 1e-13);
                        if n > 8 {
                            let single = along(name, &how, &rows.cast::<f32>(), kind);
                            file.near(&key, &single, NEAR32);
                        }
                    }
                }
                let columns = along(name, &Options::new().axis(0).n(6), &image, kind);
                file.near(&format!("{name}_{number}_columns"), &columns, 1e-13);
                let complex = along(name, &Options::new(), &z.slice(s![..1, ..]), kind);
                file.near(&format!("{name}_{number}_complex"), &complex, 1e-13);
            }
        }
        for name in ["dctn", "idctn", "dstn", "idstn"] {
            let some = image.slice(s![.., ..7]);
            let ortho = Options::new().norm(Norm::Ortho);
            file.near(name, &over(name, &ortho, &some, Kind::II), 1e-13);
            let how = Options::new().axes(&[0, 1]).s(&[2, 5]);
            file.near(&format!("{name}_some"), &over(name, &how, &image, Kind::IV), 1e-13);
        }
    });
}

#[test]
fn real_spectra_are_scipys() {
    with_files(&["signals", "waves"], |file| {
        let c = file.array::<C>("complex").slice(s![.., ..8]).reshape([2, 2, 4]);
        let re = c.real();
        for (norm_name, norm) in &NORMS[..2] {
            let how = Options::new().norm(*norm);
            file.near(&format!("hfft2_{norm_name}"), &how.hfft2(&c), NEAR);
            file.near(&format!("ihfft2_{norm_name}"), &how.ihfft2(&re), NEAR);
            file.near(&format!("hfftn_{norm_name}"), &how.hfftn(&c), NEAR);
            file.near(&format!("ihfftn_{norm_name}"), &how.ihfftn(&re), NEAR);
        }
    });
}

/// One point, no lines, NaN, and views.
#[test]
fn odd_arrays() {
    with_files(&["signals"], |file| {
        let one = DeviceArray::from_slice(&[3.0]).unwrap();
        for (_, kind) in KINDS.iter().skip(1) {
            let back = fft::idct(&fft::dct(&one, *kind), *kind).item().unwrap();
            assert!((back - 3.0).abs() < 1e-14);
            let back = fft::idst(&fft::dst(&one, *kind), *kind).item().unwrap();
            assert!((back - 3.0).abs() < 1e-14);
        }
        assert_eq!(fft::dst(&one, Kind::I).item().unwrap(), 6.0);
        assert_eq!(fft::dct(&DeviceArray::<f64>::zeros([0, 4]), Kind::II).shape(), [0, 4]);
        let image = file.array::<f64>("image");
        let view = image.t().flip(1);
        let (a, b) = (Options::new().axis(0).dct(&view, Kind::II), fft::dct(&image, Kind::II));
        assert!(a.all_close(&b.t().flip(1)).item().unwrap());
        let broadcast = image.slice(s![..1, ..]).broadcast_to([4, 61]);
        let (a, b) = (fft::dct(&broadcast, Kind::IV), fft::dct(&image, Kind::IV));
        assert!(a.all_close(&b.slice(s![..1, ..])).item().unwrap());
        let marked = image.with_slice(s![1, 7], f64::NAN);
        let nan = fft::dct(&marked, Kind::II).is_nan().all(1).to_vec().unwrap();
        assert_eq!(nan, [false, true, false]);
    });
    refuses(fft::try_dct(&DeviceArray::<f64>::zeros(1), Kind::I), "type I needs two points");
    refuses(fft::try_dct(&DeviceArray::<f64>::zeros(0), Kind::II), "no points");
    refuses(Options::new().axis(1).try_dst(&DeviceArray::<f64>::zeros(3), Kind::II), "axis 1");
}
