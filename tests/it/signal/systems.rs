//! Linear systems: forms, discrete versions, and responses over time and over frequencies.

use super::{C, File, NEAR, refuses, with_files};
use lazuli::prelude::*;
use lazuli::signal::*;
use ndarray::{Array2, array};

/// The numerator and the denominator of `systems.py`.
const TF: (&[f64], &[f64]) = (&[2.0, 1.0, 3.0], &[2.0, 3.0, 8.0, 5.0]);

fn one() -> StateSpace {
    tf2ss(TF.0, TF.1).unwrap()
}

fn matrix(file: &File, name: &str) -> Array2<f64> {
    let host = file.host(name);
    Array2::from_shape_fn((host.shape()[0], host.shape()[1]), |(i, j)| host[[i, j]].re)
}

/// The system of two inputs and two outputs.
fn many(file: &File) -> StateSpace {
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|key| matrix(file, &format!("many_{key}")));
    StateSpace::new(a, b, c, d).unwrap()
}

#[track_caller]
fn same(file: &File, name: &str, system: &StateSpace) {
    for (key, got) in ["a", "b", "c", "d"].into_iter().zip(system.matrices()) {
        let got = got.map(|&x| C::new(x, 0.0)).into_dyn();
        file.near_host(&format!("{name}_{key}"), &got, 1e-13);
    }
}

#[test]
fn forms_are_scipys() {
    with_files(&["systems"], |file| {
        same(file, "tf2ss", &one());
        same(file, "tf2ss_same", &tf2ss(&[1.0, 3.0, 3.0], &[1.0, 2.0, 1.0]).unwrap());
        same(file, "tf2ss_gain", &tf2ss(&[3.0], &[2.0]).unwrap());
        let c = C::new;
        let poles = [c(-2.0, 0.0), c(-1.0, 2.0), c(-1.0, -2.0)];
        same(file, "zpk2ss", &zpk2ss(&Zpk::new(&[c(-1.0, 0.0)], &poles, 3.0).unwrap()).unwrap());
        let system = many(file);
        for k in 0..2 {
            let (b, a) = ss2tf(&system, k).unwrap();
            file.near_list(&format!("ss2tf_{k}_b"), &b.concat(), 1e-13);
            file.near_list(&format!("ss2tf_{k}_a"), &a, 1e-13);
        }
        let mut poles = system.poles().unwrap();
        poles.sort_by(|x, y| x.re.total_cmp(&y.re).then(x.im.total_cmp(&y.im)));
        let wanted = file.host("many_poles");
        assert!(poles.iter().zip(&wanted).all(|(x, y)| (x - y).norm() < 1e-13), "{poles:?}");
        let filter = ss2zpk(&one(), 0).unwrap();
        file.near_list("ss2zpk_k", &[filter.gain()], 1e-13);
        for (name, got) in [("ss2zpk_z", filter.zeros()), ("ss2zpk_p", filter.poles())] {
            let wanted = file.host(name);
            assert_eq!(got.len(), wanted.len(), "{name}");
            for y in &wanted {
                assert!(got.iter().any(|x| (x - y).norm() < 1e-12), "{name}: {y} in {got:?}");
            }
        }
    });
}

#[test]
fn systems_that_do_not_fit_are_refused() {
    refuses(tf2ss(&[1.0, 2.0, 3.0], &[1.0, 2.0]), "must not be longer");
    refuses(tf2ss(&[1.0], &[0.0]), "tf2ss");
    refuses(ss2tf(&one(), 1), "no input 1: the system has 1");
    let row = || array![[1.0, 0.0]];
    refuses(StateSpace::new(array![[1.0]], row(), row(), row()), "StateSpace::new");
    let none = |m, n| Array2::zeros((m, n));
    refuses(StateSpace::new(none(0, 0), none(0, 1), none(1, 0), none(1, 1)), "without a 0");
    let two = StateSpace::new(array![[1.0]], array![[1.0]], none(2, 1), none(2, 1)).unwrap();
    refuses(ss2zpk(&two, 0), "2 outputs");
    let unmoved = StateSpace::new(array![[1.0]], none(1, 1), none(1, 1), none(1, 1)).unwrap();
    refuses(ss2zpk(&unmoved, 0), "ss2zpk");
    refuses(one().discrete(0.0), "steps of 0");
    refuses(one().discrete(f64::NAN), "steps of NaN");
    let nan = StateSpace::new(array![[f64::NAN]], none(1, 1), none(1, 1), none(1, 1)).unwrap();
    assert!(nan.poles().unwrap_err().is_numeric());
}

#[test]
fn discrete_versions_are_scipys() {
    let methods = [
        ("zoh", Discretization::ZeroOrderHold),
        ("foh", Discretization::FirstOrderHold),
        ("bilinear", Discretization::Bilinear),
        ("euler", Discretization::Euler),
        ("backward_diff", Discretization::BackwardDifference),
        ("gbt", Discretization::Generalized(0.3)),
    ];
    with_files(&["systems"], |file| {
        let system = many(file);
        for (name, method) in methods {
            let made = cont2discrete(&system, 0.4, method).unwrap();
            assert_eq!(made.step_length(), Some(0.4));
            same(file, &format!("discrete_{name}"), &made);
        }
        let [a, b, c, d] = system.matrices().map(Clone::clone);
        let strict = StateSpace::new(a, b, c, d * 0.0).unwrap();
        let made = cont2discrete(&strict, 0.4, Discretization::Impulse).unwrap();
        same(file, "discrete_impulse", &made);
        refuses(cont2discrete(&system, 0.4, Discretization::Impulse), "at once");
        refuses(cont2discrete(&made, 0.4, Discretization::Euler), "must be continuous");
    });
    for weight in [-0.1, 1.5, f64::NAN] {
        refuses(cont2discrete(&one(), 1.0, Discretization::Generalized(weight)), "a weight of");
    }
    refuses(cont2discrete(&one(), -1.0, Discretization::Euler), "must be positive");
    // The end of a step of length 1 is reached from nowhere.
    let growing = tf2ss(&[1.0], &[1.0, -1.0]).unwrap();
    let refused = cont2discrete(&growing, 1.0, Discretization::BackwardDifference);
    assert!(refused.unwrap_err().is_numeric());
}

#[test]
fn responses_over_time_are_scipys() {
    with_files(&["systems"], |file| {
        let (u, two, system) = (file.array("u"), file.array("u_many"), many(file));
        let first = [1.0, -2.0, 0.5];
        for (name, hold) in [("linear", Hold::Linear), ("zero", Hold::Zero)] {
            let got = lsim(&one(), &u, 0.25, None, hold);
            file.near(&format!("lsim_{name}_y"), &got.y, NEAR);
            file.near(&format!("lsim_{name}_x"), &got.x, NEAR);
            let got = lsim(&system, &two, 0.25, Some(&first), hold);
            file.near(&format!("lsim_many_{name}_y"), &got.y, NEAR);
            file.near(&format!("lsim_many_{name}_x"), &got.x, NEAR);
        }
        let discrete = cont2discrete(&system, 0.4, Discretization::ZeroOrderHold).unwrap();
        let got = dlsim(&discrete, &two, Some(&first));
        file.near("dlsim_y", &got.y, NEAR);
        file.near("dlsim_x", &got.x, NEAR);
        let double = tf2ss(&[1.0], &[1.0, 0.0, 0.0]).unwrap();
        let answers = [
            ("impulse", impulse(&one(), None, 100)),
            ("step", step(&one(), None, 100)),
            ("double_step", step(&double, None, 8)),
            ("dimpulse", dimpulse(&discrete, 12)),
            ("dstep", dstep(&discrete, 12)),
        ];
        for (name, got) in answers {
            let got = got.unwrap();
            file.near(&format!("{name}_t"), &got.t, NEAR);
            file.near(&format!("{name}_y"), &got.y, NEAR);
        }
    });
}

/// Batches of inputs run as each of them by itself, strided ones too.
#[test]
fn inputs_of_a_batch_are_walked_side_by_side() {
    with_files(&["systems"], |file| {
        let system = many(file);
        let u = file.array::<f64>("u_many");
        let back = u.flip(0);
        let both = lazuli::stack(&[u.clone(), back.clone()], 0);
        let got = lsim(&system, &both, 0.25, None, Hold::Linear);
        assert_eq!(got.y.shape(), [2, 30, 2]);
        assert_eq!(got.x.shape(), [2, 30, 3]);
        for (k, u) in [u, back].iter().enumerate() {
            let alone = lsim(&system, u, 0.25, None, Hold::Linear);
            let off = (got.y.index_axis(0, k as isize) - alone.y).abs().max(..).item().unwrap();
            assert!(off < 1e-13, "{off}");
        }
        // One number is one sample.
        let gain = tf2ss(&[3.0], &[2.0]).unwrap();
        let u = DeviceArray::from_slice(&[2.0]).unwrap();
        assert_eq!(lsim(&gain, &u, 1.0, None, Hold::Linear).y.to_vec().unwrap(), [3.0]);
    });
}

/// NaN and infinities go on from where they come in, and a strictly causal system is a step late.
#[test]
fn what_is_not_finite_stays_in_the_state() {
    let system = tf2ss(&[1.0], &[1.0, -0.5]).unwrap().discrete(1.0).unwrap();
    for odd in [f64::NAN, f64::INFINITY] {
        let u = DeviceArray::from_slice(&[1.0, odd, 1.0, 0.0]).unwrap();
        let y = dlsim(&system, &u, None).y.to_vec().unwrap();
        assert_eq!(y[..2], [0.0, 1.0]);
        assert!(y[2..].iter().all(|&y| y == odd || (y.is_nan() && odd.is_nan())), "{y:?}");
    }
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    let (system, discrete) = (one(), one().discrete(1.0).unwrap());
    let u = DeviceArray::from_slice(&[1.0, 2.0]).unwrap();
    let none = DeviceArray::<f64>::zeros(0);
    let number = DeviceArray::<f64>::zeros(());
    refuses(try_lsim(&discrete, &u, 1.0, None, Hold::Zero), "lsim: the system is discrete");
    refuses(try_lsim(&system, &u, 0.0, None, Hold::Zero), "must be positive");
    refuses(try_lsim(&system, &u, 1.0, Some(&[1.0]), Hold::Zero), "1 numbers of a beginning");
    refuses(try_lsim(&system, &none, 1.0, None, Hold::Zero), "no samples");
    refuses(try_dlsim(&discrete, &number, None), "dlsim: inputs of the shape []");
    refuses(try_dlsim(&system, &u, None), "dlsim: the system is continuous");
    refuses(impulse(&discrete, None, 3), "impulse: the system is discrete");
    refuses(step(&system, None, 0), "step: no samples");
    refuses(dimpulse(&system, 3), "dimpulse: the system is continuous");
    refuses(dstep(&discrete, 0), "dstep: no samples");
    let b = array![[1.0, 2.0]];
    let two = StateSpace::new(array![[1.0]], b.clone(), array![[1.0]], b).unwrap();
    refuses(try_lsim(&two, &u.insert_axis(1), 1.0, None, Hold::Zero), "of 2 inputs");
    refuses(freqresp(&two, 3), "freqresp");
    refuses(try_freqresp_at(&two, &u), "2 inputs and 1 outputs");
    refuses(try_freqresp_at(&discrete, &u), "freqresp_at: the system is discrete");
    refuses(try_dfreqresp_at(&system, &u), "dfreqresp_at: the system is continuous");
    refuses(try_bode_at(&discrete, &u), "the system is discrete");
    refuses(dbode(&system, 3), "dbode: the system is continuous");
    refuses(bode(&discrete, 3), "bode: the system is discrete");
}

#[test]
fn responses_over_frequencies_are_scipys() {
    with_files(&["systems"], |file| {
        let (system, w) = (one(), file.array("w"));
        let (at, h) = freqresp(&system, 9).unwrap();
        file.near("freqresp_w", &at, NEAR);
        file.near("freqresp", &h, NEAR);
        file.near("freqresp_at", &freqresp_at(&system, &w), NEAR);
        let discrete = cont2discrete(&system, 0.3, Discretization::ZeroOrderHold).unwrap();
        let (at, h) = dfreqresp(&discrete, 9).unwrap();
        file.near("dfreqresp_w", &at, NEAR);
        file.near("dfreqresp", &h, NEAR);
        file.near("dfreqresp_at", &dfreqresp_at(&discrete, &w), NEAR);
        for (name, (w, m, p)) in
            [("bode", bode(&system, 25).unwrap()), ("dbode", dbode(&discrete, 25).unwrap())]
        {
            file.near(&format!("{name}_w"), &w, NEAR);
            file.near(&format!("{name}_m"), &m, NEAR);
            file.near(&format!("{name}_p"), &p, NEAR);
        }
        // Of any shape, none and 0-d among them, and what is not finite.
        assert_eq!(freqresp_at(&system, &DeviceArray::zeros([0, 2])).shape(), [0, 2]);
        let number = bode_at(&system, &DeviceArray::zeros(())).0.item().unwrap();
        assert!((number - 20.0 * 0.6f64.log10()).abs() < 1e-12, "{number}");
        let odd = DeviceArray::from_slice(&[f64::NAN, 0.0]).unwrap();
        let h = freqresp_at(&system, &odd).to_vec().unwrap();
        assert!(h[0].is_nan() && (h[1].re - 0.6).abs() < 1e-14);
    });
}
