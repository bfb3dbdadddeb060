//! Plans of several kernels that come again: on a GPU their launches go as CUDA graphs after some
//! dozen launches, and give what launches one by one give.

use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::{CompiledFunction, Stream, compile, counters};

type Ints = DeviceArray<i64>;
type Array = DeviceArray<f64>;

/// Calls enough for each road to be taken: launches one by one, then one graph, then two.
const CALLS: i64 = 120;
/// All values stay below this, so that nothing overflows.
const MASK: i64 = 0xffff;
/// The scans of [`step`], each of which begins a kernel.
const SCANS: i64 = 5;

/// Several kernels, whose values the host knows.
fn step(z: &Ints, k: &Ints) -> Ints {
    let mut z = z.clone();
    for shift in 1..=SCANS {
        z = (z.roll(shift as isize, 0).cumsum(0) + k * shift) & MASK;
    }
    z
}

/// The same on the host.
fn step_on_host(z: &[i64], k: i64) -> Vec<i64> {
    let mut z = z.to_vec();
    for shift in 1..=SCANS {
        z.rotate_right(shift as usize);
        let mut sum = 0;
        for z in &mut z {
            sum += *z;
            *z = (sum + k * shift) & MASK;
        }
    }
    z
}

fn start(n: i64, seed: i64) -> Vec<i64> {
    (0..n).map(|i| (i * 7 + seed * 13) & MASK).collect()
}

fn number(k: i64) -> Ints {
    Ints::full((), k)
}

/// Runs a state round and round, with another number in each call.
fn goes_round<F: Fn(&(Ints, Ints)) -> Ints>(
    f: &CompiledFunction<(Ints, Ints), Ints, F>,
    n: i64,
    seed: i64,
) {
    let mut want = start(n, seed);
    let mut z = Ints::from_slice(&want).unwrap();
    for k in 0..CALLS {
        z = f.call(&(z, number(k))).unwrap();
        want = step_on_host(&want, k);
        if k % 31 == 0 {
            assert_eq!(z.to_vec().unwrap(), want, "call {k}");
        }
    }
    assert_eq!(z.to_vec().unwrap(), want);
}

#[test]
fn state_goes_round_and_numbers_change() {
    on_each_device(|_| {
        let f = compile(|(z, k): &(Ints, Ints)| step(z, k));
        for n in [8, 100, 5000] {
            goes_round(&f, n, n);
        }
        assert_eq!(f.signatures(), 3);
    });
}

#[test]
fn arguments_change_and_results_are_held() {
    on_each_device(|_| {
        let f = compile(|(z, k): &(Ints, Ints)| vec![step(z, k), z + k, step(&(z + 1), k)]);
        let mut held = Vec::new();
        for k in 0..CALLS {
            let z = start(300, k);
            held.push((k, f.call(&(Ints::from_slice(&z).unwrap(), number(k))).unwrap()));
            if k % 3 == 0 {
                held.remove((k as usize * 5) % held.len());
            }
        }
        for (k, results) in held {
            let z = start(300, k);
            let next: Vec<i64> = z.iter().map(|z| z + 1).collect();
            let sums: Vec<i64> = z.iter().map(|z| z + k).collect();
            assert_eq!(results[0].to_vec().unwrap(), step_on_host(&z, k));
            assert_eq!(results[1].to_vec().unwrap(), sums);
            assert_eq!(results[2].to_vec().unwrap(), step_on_host(&next, k));
        }
    });
}

#[test]
fn the_bits_are_those_of_the_first_calls() {
    on_each_device(|_| {
        let f = compile(|(x, t): &(Array, Array)| {
            let mut x = x.clone();
            for _ in 0..4 {
                x = (x.cumsum(1) * t).sin() + x.sum(keep(0)) / (x.square().sum(..) + 1.0);
            }
            let (largest, sorted) = (x.max(keep(0)), x.sort(1));
            (x, largest, sorted)
        });
        let x = Array::linspace(0.0, 1.0, 40 * 60).reshape([40, 60]);
        let bits = |t: f64| {
            let (x, largest, sorted) = f.call(&(x.clone(), Array::full((), t))).unwrap();
            [x, largest, sorted].map(|a| {
                let values = a.copy_to_host().unwrap();
                values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>()
            })
        };
        let first: Vec<_> = [0.1, 0.7].into_iter().map(bits).collect();
        for turn in 0..CALLS as usize {
            assert_eq!(bits([0.1, 0.7][turn % 2]), first[turn % 2], "turn {turn}");
        }
    });
}

#[test]
fn counters_say_the_same_in_every_call() {
    on_each_device(|_| {
        let f = compile(|(z, k): &(Ints, Ints)| step(z, k));
        let z = Ints::from_slice(&start(1000, 1)).unwrap();
        let call = || {
            let before = counters();
            drop(f.call(&(z.clone(), number(3))).unwrap());
            let after = counters();
            [
                after.evaluations - before.evaluations,
                after.kernels - before.kernels,
                after.launches - before.launches,
                after.allocated - before.allocated,
            ]
        };
        call();
        let first = call();
        assert_eq!(first[0], 1);
        assert!(first[1] > 1 && first[2] >= first[1], "{first:?}");
        for _ in 0..CALLS {
            assert_eq!(call(), first);
        }
    });
}

#[test]
fn library_calls_and_loops_stand_in_the_middle() {
    on_each_device(|_| {
        let f = compile(|(x, t): &(Array, Array)| {
            let y = (x.cumsum(0) * t).cos().cumsum(1) / 50.0;
            let y = y.matmul(&y.t()).cumsum(0).sin();
            let y = lazuli::repeat(3, y, |y| y.cumsum(0).sin() * y.cumsum(1).cos());
            let z = lazuli::repeat(0, y.clone(), |y| y + 1.0);
            (y.cumsum(1).sin().sum(keep(0)), z)
        });
        let x = Array::linspace(0.0, 1.0, 900).reshape([30, 30]);
        x.eval().unwrap();
        let bits = |t: f64| {
            let (y, z) = f.call(&(x.clone(), Array::full((), t))).unwrap();
            [y, z].map(|a| a.copy_to_host().unwrap().mapv(f64::to_bits))
        };
        let first: Vec<_> = [0.3, 0.9].into_iter().map(bits).collect();
        for turn in 0..CALLS as usize {
            assert_eq!(bits([0.3, 0.9][turn % 2]), first[turn % 2], "turn {turn}");
        }
    });
}

#[test]
fn errors_in_the_middle_leave_the_next_call_right() {
    on_each_device(|_| {
        let f = compile(|(a, t): &(Array, Array)| {
            let a = a.cumsum(0).cumsum(1) * t;
            let (half, sums) = (a.cholesky(), a.cumsum(0));
            half.cumsum(1) + sums
        });
        // The sums along both axes are the lower and the upper triangle's product, of ones.
        let a = Array::eye(6);
        let call = |t: f64| f.call(&(a.clone(), Array::full((), t)));
        let want = call(2.0).unwrap().to_vec().unwrap();
        for turn in 0..CALLS {
            assert!(call(-1.0).is_err(), "turn {turn}");
            assert_eq!(call(2.0).unwrap().to_vec().unwrap(), want, "turn {turn}");
        }
    });
}

#[test]
fn assignments_inside_and_outside_of_the_function() {
    on_each_device(|_| {
        let f = compile(|(z, k): &(Ints, Ints)| {
            let mut z = step(z, k);
            z.assign(s![..3], z.slice(s![3..6]) + k);
            step(&z, k)
        });
        let mut want = start(50, 4);
        let mut z = Ints::from_slice(&want).unwrap();
        for k in 0..CALLS {
            z = f.call(&(z, number(k))).unwrap();
            want = step_on_host(&want, k);
            for i in 0..3 {
                want[i] = want[i + 3] + k;
            }
            want = step_on_host(&want, k);
            // What was handed out is the caller's.
            z.assign(s![7], number(k));
            want[7] = k;
        }
        assert_eq!(z.to_vec().unwrap(), want);
    });
}

#[test]
fn evaluations_and_turns_that_come_again() {
    on_each_device(|_| {
        let mut want = start(400, 9);
        let mut z = Ints::from_slice(&want).unwrap();
        for k in 0..CALLS {
            z = step(&z, &number(k));
            let doubled = &z * 2;
            lazuli::eval(&[&z, &doubled]).unwrap();
            want = step_on_host(&want, k);
            if k % 40 == 39 {
                let twice: Vec<i64> = want.iter().map(|z| z * 2).collect();
                assert_eq!((z.to_vec().unwrap(), doubled.to_vec().unwrap()), (want.clone(), twice));
            }
        }
        let turned = lazuli::repeat(CALLS as usize, z, |z| step(&z, &number(5)));
        for _ in 0..CALLS {
            want = step_on_host(&want, 5);
        }
        assert_eq!(turned.to_vec().unwrap(), want);
    });
}

#[test]
fn threads_and_streams_share_a_function() {
    on_each_device(|device| {
        let f = compile(|(z, k): &(Ints, Ints)| step(z, k));
        std::thread::scope(|scope| {
            for seed in 0..6 {
                let f = &f;
                scope.spawn(move || {
                    device.scope(|| match seed % 2 {
                        0 => goes_round(f, 700, seed),
                        _ => Stream::new().unwrap().scope(|| goes_round(f, 700, seed)),
                    })
                });
            }
        });
        // What one stream has made, another goes on with.
        let streams = [Stream::new().unwrap(), Stream::new().unwrap()];
        let mut want = start(700, 3);
        let mut z = Ints::from_slice(&want).unwrap();
        for k in 0..CALLS {
            let at = (k / 3) as usize % streams.len();
            z = streams[at].scope(|| f.call(&(z, number(k)))).unwrap();
            want = step_on_host(&want, k);
        }
        assert_eq!(z.to_vec().unwrap(), want);
        assert_eq!(f.signatures(), 1);
    });
}

#[test]
fn functions_are_dropped_while_they_run_and_memory_is_given_back() {
    on_each_device(|device| {
        let mut want = start(900, 2);
        let mut z = Ints::from_slice(&want).unwrap();
        for turn in 0..6 {
            let f = compile(move |(z, k): &(Ints, Ints)| step(z, &(k + turn)));
            for k in 0..CALLS / 2 {
                z = f.call(&(z, number(k))).unwrap();
                want = step_on_host(&want, k + turn);
                if k == 40 {
                    device.release_memory();
                }
            }
        }
        assert_eq!(z.to_vec().unwrap(), want);
    });
}
