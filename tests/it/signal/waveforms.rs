//! Waves, impulses, sequences.

use super::{File, NEAR, refuses, with_files};
use lazuli::prelude::*;
use lazuli::signal::*;

const DUTIES: [(&str, f64); 6] =
    [("0.0", 0.0), ("0.3", 0.3), ("0.5", 0.5), ("1.0", 1.0), ("1.5", 1.5), ("-0.1", -0.1)];

#[test]
fn sweeps_are_scipys() {
    with_files(&["waveforms"], |file| {
        let t = file.array::<f64>("time");
        let sweeps = [
            ("linear", Sweep::Linear),
            ("quadratic", Sweep::Quadratic),
            ("logarithmic", Sweep::Logarithmic),
            ("hyperbolic", Sweep::Hyperbolic),
        ];
        for (name, sweep) in sweeps {
            let key = format!("chirp_{name}");
            file.near(&key, &chirp(&t, 0.5, 4.0, 3.0, sweep, 30.0), NEAR);
            let same = chirp(&t, 0.5, 4.0, 0.5, sweep, 0.0);
            file.near(&format!("{key}_same"), &same, NEAR);
            // Rounded times, whose phases are computed in double precision.
            let t = t.cast::<f32>();
            let wide = chirp(&t.cast::<f64>(), 0.5, 4.0, 3.0, sweep, 30.0).cast::<f32>();
            let single = chirp(&t, 0.5, 4.0, 3.0, sweep, 30.0);
            assert_eq!(single.to_vec().unwrap(), wide.to_vec().unwrap());
        }
        let down = chirp(&t, -3.0, 4.0, -0.5, Sweep::Logarithmic, 0.0);
        file.near("chirp_down", &down, NEAR);
        let vertex = chirp(&t, 0.5, 4.0, 3.0, Sweep::QuadraticToVertex, 0.0);
        file.near("chirp_vertex", &vertex, NEAR);
        file.near("sweep_poly", &sweep_poly(&t, &[0.025, -0.36, 1.25, 2.0], 45.0), NEAR);
        let constant = sweep_poly(&t, &[], 0.0);
        assert_eq!(constant.min(..).item().unwrap(), 1.0);
    });
    let t = &DeviceArray::<f64>::zeros(3);
    refuses(try_chirp(t, -1.0, 1.0, 2.0, Sweep::Logarithmic, 0.0), "of one sign");
    refuses(try_chirp(t, 0.0, 1.0, 2.0, Sweep::Hyperbolic, 0.0), "none may be 0");
}

#[test]
fn periodic_waves_are_scipys() {
    with_files(&["waveforms"], |file| {
        let t = file.array::<f64>("odd_time");
        for (name, duty) in DUTIES {
            if !(0.0..=1.0).contains(&duty) {
                // In SciPy a time that is NaN comes before a fraction that is none.
                let nan = square(&t, duty).is_nan() & sawtooth(&t, duty).is_nan();
                assert!(nan.all(..).item().unwrap(), "{name}");
                continue;
            }
            file.near(&format!("square_{name}"), &square(&t, duty), 0.0);
            file.near(&format!("sawtooth_{name}"), &sawtooth(&t, duty), 1e-14);
        }
        let t = file.array::<f64>("time");
        let duties = DeviceArray::from_vec([3, 1], vec![0.2, 0.8, f64::NAN]).unwrap();
        file.near("square_many", &square(&t, &duties), 0.0);
        file.near("sawtooth_many", &sawtooth(&t, &duties), 1e-14);
        let single = square(&t.cast::<f32>(), 0.3).to_vec().unwrap();
        assert!(single.iter().all(|x| x.abs() == 1.0));
        assert_eq!(square(&DeviceArray::<f64>::zeros([0, 3]), 0.5).shape(), [0, 3]);
        assert_eq!(sawtooth(&DeviceArray::<f64>::zeros(()), 0.5).item().unwrap(), -1.0);
    });
    let (t, duty) = (DeviceArray::<f64>::zeros(3), DeviceArray::<f64>::zeros(2));
    refuses(try_square(&t, &duty), "[2]");
}

#[test]
fn pulses_are_scipys() {
    with_files(&["waveforms"], |file| {
        let t = file.array::<f64>("time") / 9.0;
        let (wave, quadrature, envelope) = gausspulse(&t, 5.0, 0.4, -7.0);
        for (k, part) in [wave, quadrature, envelope].iter().enumerate() {
            file.near(&format!("gausspulse_{k}"), part, NEAR);
        }
        let cutoff = gausspulse_cutoff(5.0, 0.4, -7.0, -40.0).unwrap();
        file.near_list("gausspulse_cutoff", &[cutoff], 1e-14);
    });
    let t = &DeviceArray::<f64>::zeros(3);
    refuses(try_gausspulse(t, -1.0, 0.5, -6.0), "centre frequency of -1");
    refuses(try_gausspulse(t, 1.0, 0.0, -6.0), "a bandwidth of 0");
    refuses(try_gausspulse(t, 1.0, f64::NAN, -6.0), "a bandwidth of NaN");
    refuses(gausspulse_cutoff(1.0, 0.5, 0.0, -60.0), "measured at 0 dB");
    refuses(gausspulse_cutoff(1.0, 0.5, -6.0, 0.0), "a floor of 0 dB");
}

/// The bits of a list of numbers.
fn bits(file: &File, name: &str) -> Vec<bool> {
    file.list(name).iter().map(|&x| x == 1.0).collect()
}

#[test]
fn impulses_and_sequences_are_scipys() {
    with_files(&["waveforms"], |file| {
        file.near("impulse_middle", &unit_impulse::<f64>([3, 4], Impulse::Middle), 0.0);
        file.near("impulse_at", &unit_impulse::<f32>([2, 3], Impulse::At(&[1, 0])), 0.0);
        assert_eq!(unit_impulse::<i32>(3, Impulse::First).to_vec().unwrap(), [1, 0, 0]);
        assert_eq!(unit_impulse::<f64>((), Impulse::First).item().unwrap(), 1.0);
        assert_eq!(unit_impulse::<f64>([0, 2], Impulse::Middle).shape(), [0, 2]);
        for n in 2..33 {
            let register = Register { length: Some(70), ..Register::default() };
            let (sequence, state) = max_len_seq(n, &register).unwrap();
            file.near(&format!("mls_{n}"), &sequence, 0.0);
            assert_eq!(state, bits(file, &format!("mls_{n}_state")), "{n}");
        }
        let begin = [true, false, false, true, true];
        let own = Register { state: Some(&begin), length: Some(12), taps: Some(&[1, 3]) };
        let (sequence, state) = max_len_seq(5, &own).unwrap();
        file.near("mls_own", &sequence, 0.0);
        assert_eq!(state, bits(file, "mls_own_state"));
        // A period has one 1 more than it has 0.
        let (sequence, _) = max_len_seq(10, &Register::default()).unwrap();
        let ones = sequence.cast::<i64>().sum(..).item().unwrap();
        assert_eq!((sequence.len(), ones), (1023, 512));
    });
    refuses(try_unit_impulse::<f64>([2, 2], Impulse::At(&[1])), "no element at [1]");
    refuses(try_unit_impulse::<f64>([2, 0], Impulse::At(&[1, 0])), "no element at [1, 0]");
    refuses(max_len_seq(1, &Register::default()), "of 1 bits");
    refuses(max_len_seq(33, &Register::default()), "of 33 bits");
    let zeros = Register { state: Some(&[false; 4]), ..Register::default() };
    refuses(max_len_seq(4, &zeros), "a 1 among them");
    let far = Register { taps: Some(&[4]), ..Register::default() };
    refuses(max_len_seq(4, &far), "place 4");
}
