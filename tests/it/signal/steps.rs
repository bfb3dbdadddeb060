//! Orders of designs, prototypes, and the steps from them to filters.

use super::{C, File, arrays, refuses};
use lazuli::signal::*;
use ndarray::Array1;

fn file() -> File {
    File(arrays("signal/steps.npz"))
}

/// Holds points in any order against a file's.
#[track_caller]
fn same_points(file: &File, name: &str, got: &[C], part: f64) {
    let mut wanted: Vec<C> = file.host(name).iter().copied().collect();
    assert_eq!(got.len(), wanted.len(), "{name}");
    for x in got {
        let near = (0..wanted.len())
            .min_by(|&k, &l| (wanted[k] - x).norm().total_cmp(&(wanted[l] - x).norm()));
        let y = wanted.swap_remove(near.unwrap());
        assert!((x - y).norm() <= part * y.norm().max(1e-3), "{name}: {x} and not {y}");
    }
}

#[track_caller]
fn same_filter(file: &File, name: &str, got: &Zpk) {
    same_points(file, &format!("{name}_z"), got.zeros(), 1e-12);
    same_points(file, &format!("{name}_p"), got.poles(), 1e-12);
    file.near_list(&format!("{name}_k"), &[got.gain()], 1e-12);
}

#[track_caller]
fn same_coefficients(file: &File, name: &str, (b, a): (Vec<f64>, Vec<f64>)) {
    file.near_list(&format!("{name}_b"), &b, 1e-12);
    file.near_list(&format!("{name}_a"), &a, 1e-12);
}

/// A band's edges; of one frequency, a list of one, as SciPy's scalars are here.
fn edges(band: Band) -> Vec<f64> {
    match band {
        Band::Low(f) | Band::High(f) => vec![f],
        Band::Pass(f, g) | Band::Stop(f, g) => vec![f, g],
    }
}

type Order = fn(Band, Band, f64, f64) -> lazuli::Result<(usize, Band)>;

#[test]
fn orders_and_designs_are_scipys() {
    let file = &file();
    let bands = [
        ("low", Band::Low(0.2), Band::Low(0.3)),
        ("high", Band::High(0.6), Band::High(0.45)),
        ("pass", Band::Pass(0.3, 0.5), Band::Pass(0.2, 0.55)),
        ("stop", Band::Stop(0.2, 0.7), Band::Stop(0.3, 0.5)),
    ];
    let families: [(&str, Family, Order); 4] = [
        ("butter", Family::Butterworth, buttord),
        ("cheby1", Family::Chebyshev1, cheb1ord),
        ("cheby2", Family::Chebyshev2, cheb2ord),
        ("ellip", Family::Elliptic, ellipord),
    ];
    for (name, family, order) in families {
        for (kind, pass, stop) in bands {
            let key = format!("{name}_{kind}");
            let (n, band) = order(pass, stop, 0.8, 37.0).unwrap();
            file.near_list(&format!("{key}_order"), &[n as f64], 0.0);
            // SciPy's search for the edges of a band to stop ends within 1e-5.
            let part = if kind == "stop" { 2e-5 } else { 1e-12 };
            file.near_list(&format!("{key}_band"), &edges(band), part);
            let design = iirdesign(pass, stop, 0.8, 37.0, family).unwrap();
            let h = Array1::from(sosfreqz(&design.sos(), 9).1).into_dyn();
            file.near_host(&format!("{key}_h"), &h, if kind == "stop" { 1e-3 } else { 1e-10 });
        }
    }
    let filter = iirfilter(3, Band::Low(0.3), None, Some(40.0), Family::Chebyshev2).unwrap();
    assert_eq!(filter, cheby2(3, 40.0, Band::Low(0.3)).unwrap());
    let (low, high) = (Band::Low(0.2), Band::Low(0.3));
    refuses(iirfilter(3, low, None, None, Family::Elliptic), "Elliptic needs a ripple");
    refuses(buttord(high, low, 1.0, 40.0), "buttord: Low(0.3)");
    refuses(cheb1ord(low, Band::High(0.3), 1.0, 40.0), "of one kind");
    refuses(cheb2ord(low, high, 40.0, 1.0), "not larger");
    refuses(ellipord(low, Band::Low(1.5), 1.0, 40.0), "ellipord: Low(1.5)");
    refuses(iirdesign(low, high, f64::NAN, 1.0, Family::Elliptic), "a ripple of NaN");
    // Orders that overflow, and one beyond all that can be built.
    for (_, family, _) in families {
        refuses(iirdesign(low, high, 1.0, 4000.0, family), "no filter is as steep");
    }
    refuses(buttord(low, Band::Low(0.2 + 1e-16), 1.0, 40.0), "no filter is as steep");
}

#[test]
fn prototypes_are_scipys() {
    let file = &file();
    for n in 0..6 {
        same_filter(file, &format!("buttap_{n}"), &buttap(n));
        same_filter(file, &format!("cheb1ap_{n}"), &cheb1ap(n, 0.7).unwrap());
        same_filter(file, &format!("cheb2ap_{n}"), &cheb2ap(n, 43.0).unwrap());
        same_filter(file, &format!("ellipap_{n}"), &ellipap(n, 0.7, 43.0).unwrap());
    }
    refuses(cheb1ap(2, 0.0), "cheb1ap: a ripple");
    refuses(cheb2ap(2, f64::INFINITY), "cheb2ap: an attenuation");
    refuses(ellipap(2, 3.0, 3.0), "ellipap: there is no filter");
}

#[test]
fn changes_of_bands_are_scipys() {
    let file = &file();
    let filter = ellipap(3, 0.7, 43.0).unwrap();
    same_filter(file, "lp2lp", &lp2lp_zpk(&filter, 2.5).unwrap());
    same_filter(file, "lp2hp", &lp2hp_zpk(&filter, 2.5).unwrap());
    same_filter(file, "lp2bp", &lp2bp_zpk(&filter, 2.5, 0.7).unwrap());
    same_filter(file, "lp2bs", &lp2bs_zpk(&filter, 2.5, 0.7).unwrap());
    same_filter(file, "bilinear", &bilinear_zpk(&filter, 3.0).unwrap());
    let (b, a) = (&file.list("prototype_b")[..], &file.list("prototype_a")[..]);
    // With more zeros than poles, too.
    let (d, c) = (&[1.0, 2.0, 3.0][..], &[4.0, 5.0][..]);
    same_coefficients(file, "lp2lp", lp2lp(b, a, 2.5).unwrap());
    same_coefficients(file, "lp2lp_many", lp2lp(d, c, 2.5).unwrap());
    same_coefficients(file, "lp2hp", lp2hp(b, a, 2.5).unwrap());
    same_coefficients(file, "lp2hp_many", lp2hp(d, c, 2.5).unwrap());
    same_coefficients(file, "lp2bp", lp2bp(b, a, 2.5, 0.7).unwrap());
    same_coefficients(file, "lp2bp_many", lp2bp(d, c, 2.5, 0.7).unwrap());
    same_coefficients(file, "lp2bs", lp2bs(b, a, 2.5, 0.7).unwrap());
    same_coefficients(file, "lp2bs_many", lp2bs(d, c, 2.5, 0.7).unwrap());
    same_coefficients(file, "bilinear", bilinear(b, a, 3.0).unwrap());
    same_coefficients(file, "bilinear_many", bilinear(d, c, 0.7).unwrap());
    let normal = normalize(&[0.0, 0.0, 1e-20, 3.0, 0.0], &[0.0, 2.0, 0.0, 5.0]).unwrap();
    same_coefficients(file, "normalize", normal);
    assert_eq!(normalize(&[0.0, 0.0], &[2.0]).unwrap(), (vec![0.0], vec![1.0]));
    // Zeros in front are no degrees, of which common factors would come.
    let (b, a) = bilinear(&[0.0, 0.0, 3.0], &[0.0, 2.0, 0.0, 0.0], 0.5).unwrap();
    assert_eq!((b, a), (vec![1.5, 3.0, 1.5], vec![1.0, -2.0, 1.0]));
    assert_eq!(bilinear(&[0.0, 0.0], &[0.0, 2.0], 0.5).unwrap(), (vec![0.0], vec![1.0]));
    refuses(bilinear(&[1.0], &[0.0, 0.0], 0.5), "bilinear");
    refuses(normalize(&[1.0], &[0.0]), "normalize");
    refuses(bilinear(&[], &[1.0], 1.0), "bilinear");
    let zeros = Zpk::new(&[C::new(1.0, 0.0)], &[], 1.0).unwrap();
    refuses(lp2bp_zpk(&zeros, 1.0, 1.0), "lp2bp_zpk: 1 zeros and 0 poles");
    refuses(bilinear_zpk(&zeros, 1.0), "bilinear_zpk");
}

#[test]
fn filters_of_single_frequencies_are_scipys() {
    let file = &file();
    same_coefficients(file, "iirnotch", iirnotch(0.13, 25.0).unwrap());
    same_coefficients(file, "iirpeak", iirpeak(0.13, 25.0).unwrap());
    for (name, comb) in [("notch", Comb::Notch), ("peak", Comb::Peak)] {
        for (zero, at_zero) in [("False", AtZero::Stops), ("True", AtZero::Passes)] {
            let filter = iircomb(0.25, 20.0, comb, at_zero).unwrap();
            same_coefficients(file, &format!("iircomb_{name}_{zero}"), filter);
        }
    }
    let odd = iircomb(2.0 / 7.0, 20.0, Comb::Notch, AtZero::Stops).unwrap();
    same_coefficients(file, "iircomb_odd", odd);
    let (b, a) = gammatone(440.0, 16000.0, Gammatone::Iir).unwrap();
    // The gain is a quotient of differences of near numbers.
    let relative = |got: &[f64], name: &str, part: f64| {
        for (x, y) in got.iter().zip(file.list(name)) {
            assert!((x - y).abs() <= part * y.abs(), "{name}: {x} and not {y}");
        }
    };
    relative(&b, "gammatone_b", 1e-9);
    relative(&a, "gammatone_a", 1e-12);
    let (b, a) = gammatone(440.0, 16000.0, Gammatone::Fir { order: 3, taps: 30 }).unwrap();
    relative(&b, "gammatone_fir_b", 1e-12);
    assert_eq!(a, [1.0]);
    refuses(iirnotch(1.0, 2.0), "iirnotch: a frequency of 1");
    refuses(iirpeak(0.5, f64::NAN), "a quality of NaN");
    refuses(iircomb(0.3, 2.0, Comb::Peak, AtZero::Stops), "does not divide");
    refuses(gammatone(8000.0, 16000.0, Gammatone::Iir), "a frequency of 8000");
    refuses(gammatone(1.0, 16.0, Gammatone::Fir { order: 25, taps: 3 }), "an order of 25");
}

#[test]
fn designs_without_feedback_are_scipys() {
    let file = &file();
    let betas = [-3.0, 10.0, 21.0, 40.0, 50.0, 65.0].map(kaiser_beta);
    file.near_list("kaiser_beta", &betas, 1e-14);
    let orders = [(65.0, 0.048), (-8.0, 0.5), (30.5, 0.1)].map(|(r, w)| kaiserord(r, w).unwrap());
    let orders: Vec<f64> = orders.iter().flat_map(|&(n, beta)| [n as f64, beta]).collect();
    file.near_list("kaiserord", &orders, 1e-14);
    let bands = |weights: [f64; 3]| {
        let of = |edges, gains, weight| Desired { edges, gains, weight };
        [
            of([0.0, 0.25], [1.0, 0.9], weights[0]),
            of([0.3, 0.6], [0.0, 0.0], weights[1]),
            of([0.65, 1.0], [0.2, 0.7], weights[2]),
        ]
    };
    file.near_list("firls", &firls(31, &bands([1.0; 3])).unwrap(), 1e-9);
    file.near_list("firls_weight", &firls(15, &bands([1.0, 5.0, 2.5])).unwrap(), 1e-11);
    let one = Desired { edges: [0.0, 0.5], gains: [1.0, 0.0], weight: 1.0 };
    file.near_list("firls_one", &firls(1, &[one]).unwrap(), 1e-14);
    let freq = [0.0, 0.3, 0.5, 0.5, 1.0];
    let sampled = |n, ends: [f64; 2], window, taps, points| {
        firwin2(n, &freq, &[ends[0], 0.8, 0.6, 0.1, ends[1]], window, taps, points)
    };
    let (hamming, both, odd) = (Window::Hamming, Taps::Symmetric, Taps::Antisymmetric);
    let h = sampled(31, [1.0, 0.3], hamming, both, None).unwrap();
    file.near_list("firwin2_odd", &h, 1e-12);
    let h = sampled(20, [1.0, 0.0], Window::Hann, both, None).unwrap();
    file.near_list("firwin2_even", &h, 1e-12);
    let h = sampled(31, [0.0, 0.0], hamming, odd, None).unwrap();
    file.near_list("firwin2_anti_odd", &h, 1e-12);
    let h = sampled(20, [0.0, 0.3], hamming, odd, Some(50)).unwrap();
    file.near_list("firwin2_anti_even", &h, 1e-12);
    let h = firwin(21, Band::Low(0.3), hamming).unwrap();
    file.near_list("minimum_half", &minimum_phase(&h, Kept::Half, None).unwrap(), 1e-9);
    file.near_list("minimum_whole", &minimum_phase(&h, Kept::Whole, None).unwrap(), 1e-9);
    let h = [1.0, 2.0, 3.0, 4.0, 2.0, 0.5];
    file.near_list("minimum_even", &minimum_phase(&h, Kept::Half, Some(256)).unwrap(), 1e-9);
    refuses(kaiserord(7.0, 0.1), "a ripple of 7 dB");
    refuses(firls(10, &bands([1.0; 3])), "firls: 10 coefficients");
    refuses(firls(11, &[]), "firls");
    refuses(firls(11, &bands([1.0, -1.0, 1.0])), "weights be positive");
    refuses(sampled(20, [1.0, 0.3], hamming, both, None), "an even number of symmetric ones");
    refuses(sampled(31, [1.0, 0.3], hamming, both, Some(31)), "from 31 points");
    refuses(firwin2(3, &[0.0, 0.5], &[1.0, 1.0], hamming, both, None), "rise from 0 to 1");
    refuses(firwin2(3, &[0.0], &[1.0], hamming, both, None), "as many gains");
    refuses(minimum_phase(&[1.0, 2.0], Kept::Half, None), "2 coefficients");
    refuses(minimum_phase(&[0.0; 5], Kept::Half, None), "that is not 0");
}

#[test]
fn responses_are_scipys() {
    let file = &file();
    let near = |name: &str, got: Vec<C>| {
        file.near_host(name, &Array1::from(got).into_dyn(), 1e-12);
    };
    let (b, a) = (&[0.5, 1.0, 0.2][..], &[2.0, 0.3, 4.0, 0.1][..]);
    let w = [0.0, 0.3, 1.0, 2.5, 40.0];
    file.near_list("findfreqs", &findfreqs(b, a, 7), 1e-13);
    let zero = findfreqs(&[0.0, 1.0, 0.0], &[1.0, 0.0, 100.0], 4);
    file.near_list("findfreqs_zero", &zero, 1e-13);
    file.near_list("findfreqs_none", &findfreqs(&[3.0], &[2.0], 5), 1e-13);
    near("freqs", freqs(b, a, 7).1);
    near("freqs_at", freqs_at(b, a, &w));
    let filter = cheby2(3, 43.0, Band::Low(0.4)).unwrap();
    let (found, h) = freqs_zpk(&filter, 7);
    file.near_list("freqs_zpk_w", &found, 1e-13);
    near("freqs_zpk", h);
    near("freqz_zpk", freqz_zpk(&filter, 7).1);
    near("freqz_zpk_at", freqz_zpk_at(&filter, &w));
    file.near_list("group_delay", &group_delay(b, a, 9).1, 1e-11);
    file.near_list("group_delay_at", &group_delay_at(b, a, &w), 1e-11);
    let zero = group_delay_at(&[1.0, -1.0], &[1.0], &[0.0, 0.5]);
    file.near_list("group_delay_zero", &zero, 1e-13);
    assert!(freqs(b, a, 0).0.is_empty() && group_delay(b, a, 0).1.is_empty());
}

#[test]
fn more_windows_are_scipys() {
    let file = &file();
    let windows = [
        ("general_cosine", Window::GeneralCosine([0.4, 0.5, 0.07, 0.02, 0.0])),
        ("taylor", Window::Taylor(5, 35.0)),
    ];
    for (name, window) in windows {
        for n in [2, 7, 12] {
            let of = |symmetry| window.values(n, symmetry);
            file.near_list(&format!("{name}_{n}_True"), &of(Symmetry::Symmetric), 1e-13);
            file.near_list(&format!("{name}_{n}_False"), &of(Symmetry::Periodic), 1e-13);
        }
    }
    file.near_list("kbd", &kaiser_bessel_derived(12, 4.0).unwrap(), 1e-14);
    assert!(kaiser_bessel_derived(0, 4.0).unwrap().is_empty());
    refuses(kaiser_bessel_derived(3, 4.0), "3 points");
    assert!(check_cola(Window::Boxcar, 10, 0, 1e-10).unwrap());
    assert!(!check_cola(Window::Bartlett, 11, 7, 1e-10).unwrap());
    assert!(check_nola(Window::Boxcar, 10, 0, 1e-10).unwrap());
    assert!(!check_nola(Window::Bartlett, 10, 0, 1e-10).unwrap());
    refuses(check_cola(Window::Hann, 10, 10, 1e-10), "cannot share");
    refuses(check_nola(Window::Hann, 0, 0, 1e-10), "cannot share");
}

/// Residues beside their poles, in any order, against a file's; only one for a pole of several powers
/// can be near its own.
#[track_caller]
fn same_fractions(file: &File, name: &str, (r, p, k): &(Vec<C>, Vec<C>, Vec<f64>), part: f64) {
    let of =
        |key: &str| -> Vec<C> { file.host(&format!("{name}_{key}")).iter().copied().collect() };
    let mut wanted: Vec<(C, C)> = of("r").into_iter().zip(of("p")).collect();
    assert_eq!((r.len(), p.len()), (wanted.len(), wanted.len()), "{name}");
    for (r, p) in r.iter().zip(p) {
        let distance = |x: &(C, C)| (x.0 - r).norm() + (x.1 - p).norm();
        let near = (0..wanted.len())
            .min_by(|&k, &l| distance(&wanted[k]).total_cmp(&distance(&wanted[l])));
        let x = wanted.swap_remove(near.unwrap());
        assert!(distance(&x) <= part * (1.0 + x.0.norm()), "{name}: {r} at {p} and not {x:?}");
    }
    file.near_list(&format!("{name}_k"), k, 1e-12);
}

#[test]
fn partial_fractions_are_scipys() {
    let file = &file();
    let simple = (&[1.0, 3.0, -2.0, 5.0, 1.0][..], &[2.0, 1.0, 0.5, 4.0][..]);
    // Poles at 1/2, three times, and at -2.
    let double = (&[1.0, 2.0][..], &[1.0, 0.5, -2.25, 1.375, -0.25][..]);
    for (name, (b, a), part) in [("simple", simple, 1e-12), ("double", double, 1e-5)] {
        let made = residue(b, a, 0.01).unwrap();
        same_fractions(file, &format!("residue_{name}"), &made, part);
        let (top, bottom) = invres(&made.0, &made.1, &made.2, 0.01).unwrap();
        // Both are divided by what the denominator begins with.
        let same = |got: &[C], wanted: &[f64]| {
            let extra = got.len() - wanted.len();
            assert!(got[..extra].iter().all(|x| x.norm() < part));
            for (x, y) in got[extra..].iter().zip(wanted) {
                assert!((x - y / a[0]).norm() < part, "{name}: {got:?} and not {wanted:?}");
            }
        };
        same(&top, b);
        same(&bottom, a);
        let made = residuez(b, a, 0.01).unwrap();
        same_fractions(file, &format!("residuez_{name}"), &made, part);
        let (top, bottom) = invresz(&made.0, &made.1, &made.2, 0.01).unwrap();
        for (got, wanted) in [(top, b), (bottom, a)] {
            for (k, x) in got.iter().enumerate() {
                let y = wanted.get(k).map_or(0.0, |y| y / a[0]);
                assert!((x - y).norm() < part, "{name}: {got:?} and not {wanted:?}");
            }
        }
    }
    // A polynomial has no poles.
    let (r, p, k) = residue(&[2.0, 4.0], &[0.0, 2.0], 1e-3).unwrap();
    assert_eq!((r.len(), p.len(), k), (0, 0, vec![1.0, 2.0]));
    refuses(residue(&[1.0], &[0.0, 0.0], 1e-3), "the denominator is 0");
    refuses(residuez(&[1.0], &[0.0, 1.0], 1e-3), "begins with 0");
    refuses(residuez(&[1.0], &[], 1e-3), "is empty");
    refuses(invres(&[C::new(1.0, 0.0)], &[], &[], 1e-3), "1 residues and 0 poles");
}

#[test]
fn roots_that_are_near_are_one() {
    let roots = [C::new(1.0, 0.0), C::new(0.0, 2.0), C::new(1.0, 0.001), C::new(f64::NAN, 0.0)];
    let (unique, counts) = unique_roots(&roots, 0.01, Of::Mean);
    assert_eq!(counts, [2, 1, 1]);
    assert_eq!((unique[0], unique[1]), (C::new(1.0, 0.0005), C::new(0.0, 2.0)));
    assert!(unique[2].is_nan());
    assert_eq!(unique_roots(&roots, 0.01, Of::Largest).0[0], roots[2]);
    assert_eq!(unique_roots(&roots, 0.01, Of::Least).0[0], roots[0]);
    assert!(unique_roots(&[], 0.01, Of::Mean).0.is_empty());
}
