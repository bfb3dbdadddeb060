//! Programs whose own rayon tasks evaluate arrays. A thread that waits inside of an evaluation must
//! not take up another of these tasks, which would wait for the evaluation that it is a part of.

use lazuli::prelude::*;
use rayon::prelude::*;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Fails where the program does not come to its end.
fn ends(what: &str, program: impl FnOnce() + Send + 'static) {
    let (done, is_done) = channel();
    let run = thread::spawn(move || {
        program();
        let _ = done.send(());
    });
    // Its end comes long before, also where many tests run at once.
    if is_done.recv_timeout(Duration::from_secs(120)).is_err() && !run.is_finished() {
        panic!("{what}: the program hangs");
    }
    run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// Evaluates something large enough for all threads; `kind` says by what.
fn evaluate(kind: usize, task: usize) {
    let n = 300_000 + task % 3;
    let x = DeviceArray::<f64>::arange_to(n as f64) / n as f64;
    let close = |got: f64, want: f64| assert!((got - want).abs() < 1e-6 * want.abs().max(1.0));
    match kind % 8 {
        0 => close((&x + task as f64).sum(..).item().unwrap(), {
            (n as f64 - 1.0) / 2.0 + n as f64 * task as f64
        }),
        1 => assert_eq!(x.flip(0).sort(-1).to_vec().unwrap(), x.to_vec().unwrap()),
        2 => close(x.cumsum(0).max(..).item().unwrap(), (n as f64 - 1.0) / 2.0),
        3 => {
            let a = x.slice(s![..40_000]).reshape([200, 200]);
            let unit = DeviceArray::<f64>::eye(200);
            assert_eq!(a.matmul(&unit).to_vec().unwrap(), a.to_vec().unwrap());
        }
        4 => {
            let unit = DeviceArray::<f64>::eye(150) * (task + 1) as f64;
            let b = x.slice(s![..150]).reshape([150, 1]);
            close(unit.solve(&b).sum(..).item().unwrap(), {
                (149.0 * 75.0) / (n * (task + 1)) as f64
            });
        }
        5 => {
            let y = lazuli::fft::fft(&x.reshape([1, n]).broadcast_to([4, n])).real();
            close(y.slice(s![3, 0]).item().unwrap(), (n as f64 - 1.0) / 2.0);
        }
        6 => {
            let (a, b) = ((&x * 2.0).sqrt(), x.sin());
            lazuli::eval(&[&a, &b]).unwrap();
            close(b.min(..).item().unwrap(), 0.0);
        }
        _ => assert_eq!((&x + 1.0).clone().to_vec().unwrap()[0], 1.0),
    }
}

/// Waits as a program's tasks do: with more tasks inside.
fn divide(first: usize, last: usize) {
    if last - first == 1 {
        return evaluate(first, first);
    }
    let middle = (first + last) / 2;
    rayon::join(|| divide(first, middle), || divide(middle, last));
}

fn all_forms() {
    (0..64usize).into_par_iter().for_each(|k| evaluate(k, k));
    divide(0, 48);
    rayon::scope(|scope| {
        for k in 0..32 {
            scope.spawn(move |inner| {
                evaluate(k, k);
                inner.spawn(move |_| evaluate(k + 3, k));
            });
        }
    });
}

#[test]
fn in_the_common_pool() {
    ends("the common pool", all_forms);
}

#[test]
fn in_pools_of_the_programs() {
    for threads in [1, 2, 5] {
        ends(&format!("{threads} threads"), move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(all_forms);
        });
    }
}

#[test]
fn in_several_pools_that_wait_for_each_other() {
    ends("two pools", || {
        let pool = || rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let (a, b) = (pool(), pool());
        a.install(|| {
            (0..32usize).into_par_iter().for_each(|k| {
                evaluate(k, k);
                b.install(|| divide(k, k + 3));
            });
        });
    });
}

#[test]
fn while_all_threads_of_the_common_pool_wait() {
    ends("the common pool is busy", || {
        // Whoever evaluates may not need a thread of the common pool: all of them wait here.
        let waiting: Vec<_> =
            (0..2 * rayon::current_num_threads()).map(|_| channel::<()>()).collect();
        let (ends, begins): (Vec<_>, Vec<_>) = waiting.into_iter().unzip();
        begins.into_iter().for_each(|end| {
            rayon::spawn(move || {
                let _ = end.recv();
            });
        });
        (0..16).for_each(|k| evaluate(k, k));
        drop(ends);
    });
}

#[test]
fn new_plans_in_many_tasks() {
    // Tasks that share plans in the making, of different shapes.
    ends("new plans", || {
        (0..200usize).into_par_iter().for_each(|k| {
            let n = 70_000 + k / 4;
            let x = DeviceArray::<f32>::ones([n]).reshape([1, n]);
            let y = (&x + 1.0).reshape([n]);
            let several = (y.sum(..), y.cumsum(0), y.sort(-1));
            lazuli::eval(&[&several.0, &several.1, &several.2]).unwrap();
            assert_eq!(several.0.item().unwrap(), 2.0 * n as f32);
        });
    });
}

/// Handing work to another thread takes longer than to solve a small system, and the threads of rayon's
/// common pool are the program's.
#[test]
fn small_systems_are_solved_on_their_thread() {
    crate::support::alone("rayon_tasks::child_that_solves");
}

#[test]
#[ignore = "a process of its own"]
fn child_that_solves() {
    fn all<T: Factorable>(a: DeviceArray<T>) {
        let b = a.slice(s![.., ..9]);
        let inputs: [&dyn AnyArray; 2] = [&a, &b];
        eval(&inputs).unwrap();
        a.inverse().eval().unwrap();
        a.solve(&b).eval().unwrap();
        a.det().eval().unwrap();
        a.matmul(&a).eval().unwrap();
    }
    let n = 31;
    let a = DeviceArray::<f64>::arange_to(n as f64 * n as f64).sin().reshape([n, n]);
    let a = a + DeviceArray::<f64>::eye(n);
    all(a.cast::<Complex<f64>>());
    all(a.cast::<f32>());
    all(a);
    // Nobody has started the common pool.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
}
