//! Functions recorded once and replayed.

use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::{compile, counters};
use std::cell::Cell;

type Array = DeviceArray<f64>;

#[test]
fn a_signature_is_recorded_once_and_replayed_on_other_data() {
    on_each_device(|_| {
        let calls = Cell::new(0);
        let f = compile(|(a, b): &(Array, Array)| {
            calls.set(calls.get() + 1);
            ((a * b).sum(keep(-1)) + a, b.sin())
        });
        for n in [5, 5, 5, 7, 5] {
            let a = Array::linspace(0.0, n as f64, 2 * n).reshape([2, n]);
            let b = Array::linspace(-1.0, calls.get() as f64, n);
            let (x, y) = f.call(&(a.clone(), b.clone())).unwrap();
            assert!(x.is_evaluated() && y.is_evaluated());
            assert_eq!(x.to_vec().unwrap(), ((&a * &b).sum(keep(-1)) + &a).to_vec().unwrap());
            assert_eq!(y.to_vec().unwrap(), b.sin().to_vec().unwrap());
        }
        assert_eq!((calls.get(), f.signatures()), (2, 2));
    });
}

#[test]
fn replays_plan_and_compile_nothing() {
    on_each_device(|device| {
        let f = compile(|[z, dt]: &[Array; 2]| z + z.roll(1, 0) * dt);
        let mut z = Array::linspace(0.0, 1.0, 100);
        let mut want = z.to_vec().unwrap();
        z.eval().unwrap();
        z = f.call(&[z, Array::full((), 0.0)]).unwrap();
        let before = counters();
        for k in 1..20 {
            let dt = 0.01 * f64::from(k);
            z = f.call(&[z, Array::full((), dt)]).unwrap();
            want = (0..100).map(|i| want[i] + want[(i + 99) % 100] * dt).collect();
        }
        let after = counters();
        assert_eq!((after.plans, after.compiled), (before.plans, before.compiled));
        assert_eq!(after.kernels - before.kernels, 19);
        assert_eq!(f.signatures(), 1);
        let got = z.to_vec().unwrap();
        if device.is_cuda() {
            // A GPU contracts the product and the sum.
            let close = |(got, want): (&f64, &f64)| (got - want).abs() <= 1e-13 * want.abs();
            assert!(got.iter().zip(&want).all(close), "{got:?} where {want:?} is right");
        } else {
            assert_eq!(got, want);
        }
    });
}

#[test]
fn equal_arguments_stay_apart_and_results_may_be_arguments() {
    on_each_device(|_| {
        let captured = Array::arange_to(3.0);
        let f = compile(|(a, b): &(Array, Array)| {
            vec![a - b, b.clone(), a.reshape([3, 1]), captured.clone(), a.reshape([3, 1])]
        });
        let a = Array::linspace(0.0, 1.0, 3);
        f.call(&(a.clone(), a.clone())).unwrap();
        let (x, y) = (Array::full(3, 5.0) * 1.0, Array::arange_to(3.0));
        let all = f.call(&(x, y)).unwrap();
        let found: Vec<Vec<f64>> = all.iter().map(|r| r.to_vec().unwrap()).collect();
        assert_eq!(found[0], [5.0, 4.0, 3.0]);
        assert_eq!(found[1], [0.0, 1.0, 2.0]);
        assert_eq!(found[2], [5.0; 3]);
        assert_eq!(all[2].shape(), [3, 1]);
        assert_eq!(found[3], [0.0, 1.0, 2.0]);
        assert_eq!(f.signatures(), 1);
    });
}

#[test]
fn an_argument_that_another_thread_evaluates_meanwhile_is_still_the_scalar_that_it_was() {
    on_each_device(|_| {
        let dt = Array::full((), 0.5);
        let seen = dt.clone();
        let f = compile(move |(a, dt): &(Array, Array)| {
            std::thread::scope(|s| s.spawn(|| seen.eval()).join()).unwrap().unwrap();
            a * dt
        });
        let a = Array::arange_to(3.0);
        assert_eq!(f.call(&(a.clone(), dt.clone())).unwrap().to_vec().unwrap(), [0.0, 0.5, 1.0]);
        assert!(dt.is_evaluated());
        // It is an array with data from now on: another signature.
        assert_eq!(f.call(&(a, dt)).unwrap().to_vec().unwrap(), [0.0, 0.5, 1.0]);
        assert_eq!(f.signatures(), 2);
    });
}

#[test]
fn what_evaluates_inside_is_called_each_time() {
    on_each_device(|_| {
        let calls = Cell::new(0);
        let f = compile(|a: &Array| {
            calls.set(calls.get() + 1);
            let largest = a.max(..).item().unwrap();
            a / largest
        });
        for top in [2.0, 4.0, 8.0] {
            let a = Array::linspace(0.0, top, 9);
            assert_eq!(f.call(&a).unwrap().max(..).item().unwrap(), 1.0);
        }
        // Once to see that it evaluates, and then for each call.
        assert_eq!(calls.get(), 4);
        let empty = compile(|a: &Array| a.slice(s![..0]) + 1.0);
        assert_eq!(empty.call(&Array::ones(3)).unwrap().shape(), [0]);
        assert_eq!(empty.call(&Array::ones(3)).unwrap().shape(), [0]);
    });
}

#[test]
fn long_functions_are_recorded_as_a_whole() {
    on_each_device(|_| {
        let f = compile(|a: &Array| (0..600).fold(a.clone(), |a, _| a * 0.999 + 0.001));
        let a = Array::linspace(0.0, 1.0, 50);
        let plain = |a: f64| (0..600).fold(a, |a, _| a * 0.999 + 0.001);
        for a in [&a, &(&a * 2.0), &(&a * 3.0)] {
            let found = f.call(a).unwrap().to_vec().unwrap();
            for (found, a) in found.iter().zip(a.to_vec().unwrap()) {
                assert!((found - plain(a)).abs() < 1e-12);
            }
        }
        assert_eq!(f.signatures(), 1);
    });
}

#[test]
fn random_numbers_are_drawn_once_for_each_recording() {
    on_each_device(|_| {
        let rng = std::cell::RefCell::new(Generator::new(1));
        let f = compile(|a: &Array| a + rng.borrow_mut().random::<f64>(4));
        let a = Array::zeros(4) + 1.0;
        let first = f.call(&a).unwrap().to_vec().unwrap();
        assert_eq!(f.call(&a).unwrap().to_vec().unwrap(), first);
    });
}

#[test]
fn arrays_of_two_devices_are_refused() {
    let Ok(cuda) = Device::cuda(0) else { return };
    let f = compile(|(a, b): &(Array, Array)| [a + 1.0, b + 1.0]);
    let a = Device::cpu().scope(|| Array::ones(3));
    let b = cuda.scope(|| Array::ones(3));
    assert!(f.call(&(a, b)).is_err_and(|e| e.is_device()));
}
