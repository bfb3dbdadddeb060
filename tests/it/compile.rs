//! Functions recorded once and replayed.

use crate::support::on_each_device;
use lazuli::linalg::{Precision, with_precision};
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::{Arithmetic, PinnedArray, compile, counters, fft, with_arithmetic};
use ndarray::Array1;
use std::cell::Cell;

type Array = DeviceArray<f64>;

mod kernels {
    use lazuli::gpu::{Array, ArrayMut, grid};
    use lazuli::prelude::*;

    #[kernel]
    pub fn double(x: Array<f64, 1>, y: ArrayMut<f64, 1>) {
        let i = grid::<1>();
        if i < x.len() {
            y[i] = 2.0 * x[i];
        }
    }
}

/// Calls a compiled function of three elements three times, on other data each time; gives how
/// often the function itself ran.
fn calls_of_three(
    name: &str,
    function: impl Fn(&Array) -> Array,
    want: impl Fn(f64) -> f64,
) -> u32 {
    let calls = Cell::new(0);
    let f = compile(|a: &Array| {
        calls.set(calls.get() + 1);
        function(a)
    });
    for first in [1.0, 2.0, 5.0] {
        let values = [first, first + 1.0, first + 2.0];
        let found = f.call(&Array::from_slice(&values).unwrap()).unwrap().to_vec().unwrap();
        assert_eq!(found, values.map(|x| x * want(first)), "{name} of {values:?}");
    }
    assert_eq!(f.signatures(), 1, "{name}");
    calls.get()
}

/// Once to see that data is asked for, and then for each call.
const EACH_TIME: u32 = 4;

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

#[test]
fn what_reads_an_argument_is_called_each_time() {
    on_each_device(|device| {
        type Read = Box<dyn Fn(&Array) -> f64>;
        let first = |a: &Array| a.slice(s![..1]).reshape(());
        let number = |text: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
            words.find(|word| !word.is_empty()).unwrap().parse().unwrap()
        };
        let file = std::env::temp_dir().join(format!("lazuli-read-{}.npy", std::process::id()));
        let path = file.clone();
        let ways: Vec<(&str, Read)> = vec![
            ("to_vec", Box::new(|a| a.to_vec().unwrap()[0])),
            ("copy_to_host", Box::new(|a| a.copy_to_host().unwrap()[[0]])),
            ("try_from", Box::new(|a| ndarray::ArrayD::try_from(a).unwrap()[[0]])),
            ("item", Box::new(move |a| first(a).item().unwrap())),
            (
                "copy_into",
                Box::new(|a| {
                    let mut host = Array1::zeros(3);
                    a.copy_into(&mut host).unwrap();
                    host[0]
                }),
            ),
            (
                "copy_into a view",
                Box::new(|a| {
                    let mut host = Array1::zeros(6);
                    a.copy_into(&mut host.slice_mut(s![..;2])).unwrap();
                    host[0]
                }),
            ),
            (
                "copy_to_pinned",
                Box::new(|a| {
                    let mut host = PinnedArray::zeros(3).unwrap();
                    a.copy_to_pinned(&mut host).unwrap();
                    host.as_slice().unwrap()[0]
                }),
            ),
            (
                "reshape",
                Box::new(|a| {
                    let row = a.reshape([1, 3]);
                    row.eval().unwrap();
                    row.to_vec().unwrap()[0]
                }),
            ),
            ("display", Box::new(move |a| number(&a.to_string()))),
            ("debug", Box::new(move |a| number(&format!("{a:?}")))),
            (
                "write_npy",
                Box::new(move |a| {
                    a.write_npy(&path).unwrap();
                    ndarray_npy::read_npy::<_, Array1<f64>>(&path).unwrap()[0]
                }),
            ),
            (
                "another device",
                Box::new(move |a| {
                    let other = if device.is_cuda() { Device::cpu() } else { a.device() };
                    a.to(other).unwrap().to_vec().unwrap()[0]
                }),
            ),
            (
                "bounds",
                Box::new(|a| {
                    let values = Array::linspace(0.0, 9.0, 10);
                    let (_, edges) = values.histogram(Bins::Edges(a)).unwrap();
                    edges.to_vec().unwrap()[0]
                }),
            ),
        ];
        for (name, read) in ways {
            let calls = calls_of_three(name, |a| a * read(a), |first| first);
            assert_eq!(calls, EACH_TIME, "{name}");
        }
        let _ = std::fs::remove_file(file);
    });
}

#[test]
fn what_library_functions_read_is_not_baked_in() {
    on_each_device(|_| {
        let f = compile(|(a, bounds): &(Array, Array)| a.digitize(bounds, false).unwrap());
        let a = Array::from_slice(&[0.5, 1.5, 2.5]).unwrap();
        for (bounds, want) in [
            ([1.0, 2.0, 3.0], [0, 1, 2]),
            ([3.0, 2.0, 1.0], [3, 2, 1]),
            ([0.0, 0.1, 2.0], [2, 2, 3]),
        ] {
            let found = f.call(&(a.clone(), Array::from_slice(&bounds).unwrap())).unwrap();
            assert_eq!(found.to_vec().unwrap(), want, "{bounds:?}");
        }
        assert_eq!(f.signatures(), 1);
        let widest = |a: &Array| a * a.histogram(Bins::Count(1)).unwrap().1.slice(s![..1]);
        assert_eq!(calls_of_three("histogram", widest, |first| first), EACH_TIME);
    });
}

#[test]
fn what_launches_a_kernel_is_called_each_time() {
    on_each_device(|_| {
        let launch = |a: &Array| {
            let mut twice = Array::from_slice(&[0.0; 3]).unwrap();
            kernels::double.launch(1, 32, (a, &mut twice)).unwrap();
            twice
        };
        assert_eq!(calls_of_three("an argument", launch, |_| 2.0), EACH_TIME);
        let one = Array::from_slice(&[1.0]).unwrap();
        let captured = |a: &Array| {
            let mut twice = Array::from_slice(&[0.0]).unwrap();
            kernels::double.launch(1, 32, (&one, &mut twice)).unwrap();
            a * twice
        };
        assert_eq!(calls_of_three("what was captured", captured, |_| 2.0), EACH_TIME);
    });
}

#[test]
fn reading_what_was_captured_does_not_keep_from_replaying() {
    on_each_device(|_| {
        let factor = Array::from_slice(&[3.0]).unwrap();
        let before = counters().kernels;
        let replayed = calls_of_three("captured", |a| a * factor.item().unwrap(), |_| 3.0);
        assert_eq!((replayed, counters().kernels - before), (1, 3));
        // What another thread computes from something else does not matter either.
        let elsewhere = |a: &Array| {
            let sum = || Array::arange_to(4.0).sum(..).item().unwrap();
            let sum = std::thread::scope(|s| s.spawn(sum).join()).unwrap();
            a * sum
        };
        assert_eq!(calls_of_three("another thread", elsewhere, |_| 6.0), 1);
    });
}

#[test]
fn an_evaluation_that_fails_inside_counts() {
    on_each_device(|_| {
        let f = compile(|a: &Array| match a.cholesky().eval() {
            Ok(()) => a * 2.0,
            Err(_) => a * -1.0,
        });
        for (matrix, sign) in [
            ([1.0, 2.0, 2.0, 1.0], -1.0),
            ([2.0, 0.0, 0.0, 2.0], 2.0),
            ([1.0, 3.0, 3.0, 1.0], -1.0),
        ] {
            let a = Array::from_vec([2, 2], matrix.to_vec()).unwrap();
            let found = f.call(&a).unwrap().to_vec().unwrap();
            assert_eq!(found, matrix.map(|x| x * sign));
        }
        assert_eq!(f.signatures(), 1);
    });
}

#[test]
fn what_other_threads_ask_for_counts() {
    on_each_device(|device| {
        fn elsewhere<R: Send>(device: Device, f: impl FnOnce() -> R + Send) -> R {
            std::thread::scope(|s| s.spawn(|| device.scope(f)).join()).unwrap()
        }
        let read = |a: &Array| a * elsewhere(device, || a.to_vec().unwrap()[0]);
        assert_eq!(calls_of_three("read", read, |first| first), EACH_TIME);
        let compute = |a: &Array| {
            let least = a.min(..);
            elsewhere(device, || least.eval().unwrap());
            a * least.item().unwrap()
        };
        assert_eq!(calls_of_three("computed", compute, |first| first), EACH_TIME);
        let compiled = |a: &Array| {
            let same =
                elsewhere(device, || compile(|a: &Array| a.reshape([3, 1])).call(a).unwrap());
            a * same.slice(s![0, 0])
        };
        assert_eq!(calls_of_three("replayed", compiled, |first| first), EACH_TIME);
        // A scalar that another thread evaluates is no scalar any more.
        let f = compile(|(a, factor): &(Array, Array)| {
            elsewhere(device, || factor.eval().unwrap());
            a * factor
        });
        let a = Array::arange_to(3.0);
        for factor in [2.0, 3.0, 4.0] {
            let found = f.call(&(a.clone(), Array::full((), factor))).unwrap().to_vec().unwrap();
            assert_eq!(found, [0.0, factor, 2.0 * factor]);
        }
        assert_eq!(f.signatures(), 1);
    });
}

#[test]
fn a_compiled_function_inside_of_another_is_recorded_with_it() {
    on_each_device(|_| {
        let inner_calls = Cell::new(0);
        let count = || inner_calls.set(inner_calls.get() + 1);
        let same = compile(|a: &Array| {
            count();
            a.clone()
        });
        let column = compile(|a: &Array| {
            count();
            a.reshape([3, 1])
        });
        let halves = compile(|(a, by): &(Array, Array)| {
            count();
            [a * by, a.clone()]
        });
        let outer = |a: &Array| {
            let a = same.call(a).unwrap();
            let first = column.call(&a).unwrap().slice(s![0, 0]);
            let [half, whole] = halves.call(&(a, Array::full((), 0.5))).unwrap();
            (half + whole * 0.5) * first
        };
        let before = counters().kernels;
        assert_eq!(calls_of_three("nested", outer, |first| first), 1);
        // Each inner function ran once, and all of them are one kernel.
        assert_eq!((inner_calls.get(), counters().kernels - before), (3, 3));
        assert_eq!(same.signatures() + column.signatures() + halves.signatures(), 0);
        // By itself each is what it was.
        let a = Array::from_slice(&[1.0, 2.0, 4.0]).unwrap();
        assert_eq!(column.call(&a).unwrap().shape(), [3, 1]);
        assert_eq!(column.signatures(), 1);
    });
}

#[test]
fn what_a_compiled_function_does_inside_of_another_counts_for_both() {
    on_each_device(|_| {
        let above = compile(|a: &Array| a - a.min(..).item().unwrap());
        let within = compile(|a: &Array| above.call(a).unwrap());
        let outer = |a: &Array| within.call(a).unwrap() + a.slice(s![..1]);
        let calls = calls_of_three("a reader inside", outer, |_| 1.0);
        assert_eq!(calls, EACH_TIME);
        // What fails is the outer call's error, and leaves everything as it was.
        let inverse = compile(|a: &Array| a.inverse());
        let f = compile(|a: &Array| inverse.call(a).unwrap() * 2.0);
        for _ in 0..2 {
            assert!(f.call(&(Array::ones([2, 2]) * 1.0)).is_err_and(|e| e.is_numeric()));
            let half = f.call(&(Array::eye(2) * 4.0)).unwrap().to_vec().unwrap();
            assert_eq!(half, [0.5, 0.0, 0.0, 0.5]);
        }
        assert_eq!((f.signatures(), inverse.signatures()), (1, 0));
        // Nor does a panic leave anything behind.
        let stops = compile(|a: &Array| same_or_panic(a));
        let bad = Array::arange_to(2.0);
        let stopped = std::panic::AssertUnwindSafe(|| stops.call(&bad));
        assert!(std::panic::catch_unwind(stopped).is_err());
        assert_eq!(calls_of_three("after a panic", |a| a * 2.0, |_| 2.0), 1);
    });
}

fn same_or_panic(a: &Array) -> Array {
    assert_eq!(a.len(), 3, "a panic inside of a recording");
    a.clone()
}

#[test]
fn devices_do_not_mix_inside_of_another_function_either() {
    let Ok(cuda) = Device::cuda(0) else { return };
    let both = compile(|(a, b): &(Array, Array)| [a + 1.0, b + 1.0]);
    let there = cuda.scope(|| Array::ones(3));
    let refused = Cell::new(0);
    let f = compile(|a: &Array| {
        let mixed = both.call(&(a.clone(), there.clone()));
        refused.set(refused.get() + i32::from(mixed.is_err_and(|e| e.is_device())));
        a + 1.0
    });
    Device::cpu().scope(|| f.call(&Array::ones(3)).unwrap().eval().unwrap());
    assert_eq!(refused.get(), 1);
}

#[test]
fn constants_outlive_assignments() {
    on_each_device(|_| {
        let f = compile(|a: &Array| {
            let mut y = Array::from_slice(&[0.0; 3]).unwrap();
            y.assign(s![0], a.slice(s![0]));
            y
        });
        let one = |value: f64| f.call(&Array::from_slice(&[value]).unwrap()).unwrap();
        let (p, q, r) = (one(1.0), one(2.0), one(3.0));
        assert_eq!(p.to_vec().unwrap(), [1.0, 0.0, 0.0]);
        assert_eq!(q.to_vec().unwrap(), [2.0, 0.0, 0.0]);
        assert_eq!(r.to_vec().unwrap(), [3.0, 0.0, 0.0]);
        assert_eq!(f.signatures(), 1);
    });
}

#[test]
fn the_arithmetic_is_part_of_the_signature() {
    on_each_device(|_| {
        let f = compile(|a: &DeviceArray<f32>| 1.0 / a);
        let a = DeviceArray::from_slice(&[2.0f32, 4.0]).unwrap();
        for _ in 0..2 {
            let exact = f.call(&a).unwrap();
            let fast = with_arithmetic(Arithmetic::Fast, || f.call(&a)).unwrap();
            assert!(exact.is_evaluated() && fast.is_evaluated());
        }
        assert_eq!(f.signatures(), 2);
        assert_eq!(f.call(&a).unwrap().to_vec().unwrap(), [0.5, 0.25]);
    });
}

#[test]
fn the_precision_of_products_is_part_of_the_signature() {
    on_each_device(|_| {
        let f = compile(|a: &DeviceArray<f32>| a.matmul(a));
        let a = DeviceArray::<f32>::eye(64) * (1.0 + 2f32.powi(-20));
        let exact = f.call(&a).unwrap().max(..).item().unwrap();
        let coarse = with_precision(Precision::Tf32, || f.call(&a)).unwrap();
        assert_eq!(f.signatures(), 2);
        let tf32 = with_precision(Precision::Tf32, || a.matmul(&a)).max(..).item().unwrap();
        assert_eq!(coarse.max(..).item().unwrap(), tf32);
        assert_eq!(f.call(&a).unwrap().max(..).item().unwrap(), exact);
        assert_eq!(f.signatures(), 2);
    });
}

#[test]
fn a_function_without_arguments_makes_its_arrays_on_the_current_device() {
    let f = compile(|_: &[Array; 0]| Array::ones(3) * 2.0);
    on_each_device(|device| {
        for _ in 0..2 {
            let found = f.call(&[]).unwrap();
            assert_eq!((found.device(), found.to_vec().unwrap()), (device, vec![2.0; 3]));
        }
    });
    assert_eq!(f.signatures(), Device::all().len());
}

#[test]
fn many_steps_find_what_others_made() {
    on_each_device(|_| {
        // Products, factors of several parts, transforms whose argument nobody else reads.
        let step = |a: &Array| {
            let (values, vectors) = (a + a.t()).eigh();
            let (q, r) = (a + 1.0).qr();
            let back = fft::irfft(&(fft::rfft(a) * Complex::new(0.5, 0.0)));
            let next = q.matmul(&r) - &back + values.sum(..) * 0.01;
            vec![values, vectors.abs(), q, r, back, next]
        };
        let f = compile(|a: &Array| {
            let mut results = vec![a.clone()];
            for _ in 0..6 {
                let next = step(&results[results.len() - 1]);
                results.extend(next);
            }
            results.split_off(1)
        });
        let plainly = |a: &Array| {
            let mut results: Vec<Vec<f64>> = Vec::new();
            let mut next = a.clone();
            for _ in 0..6 {
                let all = step(&next);
                results.extend(all.iter().map(|array| array.to_vec().unwrap()));
                next = all[5].clone();
            }
            results
        };
        for turn in 1..4 {
            let a = (Array::arange_to(16.0) * (0.3 * f64::from(turn))).sin().reshape([4, 4]);
            let found = f.call(&a).unwrap();
            for (k, (found, want)) in found.iter().zip(plainly(&a)).enumerate() {
                for (found, want) in found.to_vec().unwrap().into_iter().zip(want) {
                    assert!((found - want).abs() < 1e-9, "result {k}: {found} and {want}");
                }
            }
        }
        assert_eq!(f.signatures(), 1);
    });
}

#[test]
fn parts_of_arguments_and_of_what_was_captured_are_found() {
    on_each_device(|_| {
        let table = Array::arange_to(60.0).reshape([6, 10]);
        table.eval().unwrap();
        let parts = |a: &Array| {
            let row = a.slice(s![4, 1..]) * table.slice(s![2, ..-1]) + a.slice(s![0, 9]);
            [row, a.slice(s![1.., 3]).cumsum(0) - table.slice(s![..-1, 7]), a.index_axis(0, -1)]
        };
        let f = compile(parts);
        for turn in 0..3 {
            let a = (Array::arange_to(60.0) * (1.0 + f64::from(turn))).reshape([6, 10]);
            for (found, want) in f.call(&a).unwrap().iter().zip(parts(&a)) {
                assert_eq!(found.copy_to_host().unwrap(), want.copy_to_host().unwrap());
            }
        }
        assert_eq!(f.signatures(), 1);
        let plan = explain(&[&table.slice(s![3, ..]).exp()]).to_string();
        assert!(plan.contains("10 of float64[6, 10]"), "{plan}");
    });
}

#[test]
fn what_was_prepared_runs_without_a_plan() {
    on_each_device(|_| {
        let (x, y) = (DeviceArray::<f64>::linspace(0.0, 1.0, 77), DeviceArray::full(77, 2.0));
        lazuli::eval(&[&x, &y]).unwrap();
        let calls = std::cell::Cell::new(0);
        let step = lazuli::compile(|(a, b): &(DeviceArray<f64>, DeviceArray<f64>)| {
            calls.set(calls.get() + 1);
            ((a * b).cos().sum(..), a.cumsum(0))
        });
        let before = lazuli::counters();
        for _ in 0..3 {
            step.prepare(&(x.clone(), y.clone())).unwrap();
        }
        let prepared = lazuli::counters();
        assert_eq!((calls.get(), prepared.kernels, step.signatures()), (1, before.kernels, 1));
        let (sum, sums) = step.call(&(x.clone(), y.clone())).unwrap();
        let called = lazuli::counters();
        assert_eq!(
            (calls.get(), called.plans, called.compiled),
            (1, prepared.plans, prepared.compiled)
        );
        let want: f64 = x.to_vec().unwrap().iter().map(|x| (x * 2.0).cos()).sum();
        assert!((sum.item().unwrap() - want).abs() < 1e-12);
        assert!((sums.to_vec().unwrap()[76] - 38.5).abs() < 1e-12);
        // Arguments of another shape are another signature; what cannot be is an error.
        step.prepare(&(x.reshape([7, 11]), y.reshape([7, 11]))).unwrap();
        assert_eq!(step.signatures(), 2);
        lazuli::warm_up(&[&(&x - 1.0), &x]).unwrap();
        let before = lazuli::counters();
        assert_eq!((&x - 1.0).to_vec().unwrap()[76], 0.0);
        assert_eq!(lazuli::counters().plans, before.plans);
    });
}
