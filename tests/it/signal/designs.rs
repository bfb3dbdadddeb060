//! Designs, responses and windows.

use super::{C, File, arrays, refuses};
use lazuli::signal::*;
use ndarray::Array1;

fn band(name: &str) -> Band {
    match name {
        "low" => Band::Low(0.3),
        "high" => Band::High(0.4),
        "pass" => Band::Pass(0.2, 0.45),
        _ => Band::Stop(0.25, 0.6),
    }
}

fn file() -> File {
    File(arrays("signal/designs.npz"))
}

fn near_complex(file: &File, name: &str, got: Vec<C>, part: f64) {
    file.near_host(name, &Array1::from(got).into_dyn(), part);
}

#[test]
fn recursive_designs_are_scipys() {
    let file = &file();
    for name in ["low", "high", "pass", "stop"] {
        for n in [1, 2, 5, 6] {
            let designs = [
                ("butter", butter(n, band(name))),
                ("cheby1", cheby1(n, 0.7, band(name))),
                ("cheby2", cheby2(n, 43.0, band(name))),
                ("ellip", ellip(n, 0.7, 43.0, band(name))),
            ];
            for (kind, design) in designs {
                let (key, design) = (format!("{kind}_{name}_{n}"), design.unwrap());
                let (b, a) = design.ba();
                file.near_list(&format!("{key}_b"), &b, 1e-11);
                file.near_list(&format!("{key}_a"), &a, 1e-11);
                let h = freqz(&b, &a, 7).1;
                near_complex(file, &format!("{key}_h"), h.clone(), 1e-10);
                let sos = design.sos();
                near_complex(file, &format!("{key}_h"), sosfreqz(&sos, 7).1, 1e-10);
                assert_eq!(sos.len(), file.sos(&format!("{key}_sos")).len());
                // The cascade has the same poles and zeros, and the gain in its first section.
                let (product, _) = sos2tf(&sos);
                let extra = product.len() - b.len();
                assert!(product[b.len()..].iter().all(|x| x.abs() < 1e-12), "{extra}");
            }
        }
    }
}

/// Sections as SciPy pairs them, where no two poles or zeros are equally near.
#[test]
fn sections_are_paired_as_scipys() {
    let file = &file();
    for name in ["low", "high"] {
        for kind in ["cheby2", "ellip", "butter", "cheby1"] {
            for n in [1, 2, 5, 6] {
                let design = match kind {
                    "cheby2" => cheby2(n, 43.0, band(name)),
                    "ellip" => ellip(n, 0.7, 43.0, band(name)),
                    "cheby1" => cheby1(n, 0.7, band(name)),
                    _ => butter(n, band(name)),
                };
                let sos = design.unwrap().sos();
                file.near_list(&format!("{kind}_{name}_{n}_sos"), sos.as_flattened(), 1e-9);
            }
        }
    }
}

#[test]
fn filters_from_windows_are_scipys() {
    let file = &file();
    for name in ["low", "high", "pass", "stop"] {
        let h = firwin(21, band(name), Window::Hamming).unwrap();
        file.near_list(&format!("firwin_{name}"), &h, 1e-13);
        let h = firwin(33, band(name), Window::Kaiser(6.0)).unwrap();
        file.near_list(&format!("firwin_kaiser_{name}"), &h, 1e-13);
    }
    let h = firwin(10, Band::Low(0.3), Window::Blackman).unwrap();
    file.near_list("firwin_even", &h, 1e-13);
    let filter = tf2zpk(&[0.5, -0.2, 0.3, 0.0], &[2.0, -1.0, 0.7, -0.1]).unwrap();
    let sorted = |list: &[C]| {
        let mut list = list.to_vec();
        list.sort_by(|x, y| x.re.total_cmp(&y.re).then(x.im.total_cmp(&y.im)));
        list
    };
    near_complex(file, "tf2zpk_z", sorted(filter.zeros()), 1e-13);
    near_complex(file, "tf2zpk_p", sorted(filter.poles()), 1e-13);
    file.near_list("tf2zpk_k", &[filter.gain()], 1e-15);
    // And back.
    let (b, a) = filter.ba();
    assert!((b[1] + 0.1).abs() < 1e-14 && (a[3] + 0.05).abs() < 1e-14);
}

#[test]
fn windows_are_scipys() {
    let file = &file();
    let windows = [
        ("boxcar", Window::Boxcar),
        ("bartlett", Window::Bartlett),
        ("triang", Window::Triang),
        ("hann", Window::Hann),
        ("hamming", Window::Hamming),
        ("blackman", Window::Blackman),
        ("blackmanharris", Window::BlackmanHarris),
        ("nuttall", Window::Nuttall),
        ("flattop", Window::Flattop),
        ("cosine", Window::Cosine),
        ("bohman", Window::Bohman),
        ("parzen", Window::Parzen),
        ("barthann", Window::Barthann),
        ("lanczos", Window::Lanczos),
        ("general_hamming", Window::GeneralHamming(0.7)),
        ("kaiser", Window::Kaiser(5.5)),
        ("gaussian", Window::Gaussian(2.5)),
        ("general_gaussian", Window::GeneralGaussian(1.5, 3.0)),
        ("exponential", Window::Exponential(2.0)),
        ("tukey", Window::Tukey(0.4)),
        ("tukey_wide", Window::Tukey(1.5)),
        ("tukey_none", Window::Tukey(0.0)),
        ("chebwin", Window::Chebyshev(70.0)),
    ];
    for (name, window) in windows {
        for n in [2, 7, 12] {
            let both = [Symmetry::Symmetric, Symmetry::Periodic].map(|s| window.values(n, s));
            file.near_list(&format!("window_{name}_{n}"), &both.concat(), 1e-13);
        }
        for n in 0..2 {
            assert_eq!(window.values(n, Symmetry::Periodic), vec![1.0; n]);
        }
        if let Ok(named) = name.parse::<Window>() {
            assert!(named == window || name == "tukey", "{name}");
        }
    }
    refuses("kaiser".parse::<Window>(), "hann");
}

#[test]
fn what_designs_refuse() {
    refuses(butter(0, Band::Low(0.5)), "butter: a filter of order 0");
    refuses(butter(2, Band::Low(1.0)), "butter: Low(1.0)");
    refuses(butter(2, Band::Pass(0.5, 0.4)), "rise");
    refuses(cheby1(2, -1.0, Band::Low(0.5)), "cheby1: a ripple of -1 dB");
    refuses(ellip(2, 3.0, 2.0, Band::Low(0.5)), "ellip: there is no filter");
    refuses(firwin(10, Band::High(0.5), Window::Hann), "firwin: 10 coefficients");
    refuses(firwin(0, Band::Low(0.5), Window::Hann), "firwin");
    refuses(tf2zpk(&[1.0], &[]), "tf2zpk");
    refuses(tf2zpk(&[0.0], &[1.0]), "tf2zpk");
    refuses(Zpk::new(&[C::new(0.0, 1.0)], &[], 1.0), "no conjugate");
    assert!(butter(2, Band::Low(f64::NAN)).is_err());
}
