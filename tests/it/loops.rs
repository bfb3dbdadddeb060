//! Loops as arrays, against the same loops written out.

use crate::support::{Rng, on_each_device, panic_message};
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::{
    Arithmetic, compile, counters, repeat, scan_over, try_repeat, try_scan_over, try_while_loop,
    while_loop, with_arithmetic,
};

type Array = DeviceArray<f64>;

/// Compares bits; on a GPU, where the compiler contracts a product and a sum in one kernel and not
/// in another, values.
fn same(found: &Array, want: &Array) {
    near(found, want, if found.device().is_cuda() { 1e-9 } else { 0.0 });
}

fn near(found: &Array, want: &Array, tolerance: f64) {
    assert_eq!(found.shape(), want.shape());
    let (found, want) = (found.to_vec().unwrap(), want.to_vec().unwrap());
    for (k, (f, w)) in found.into_iter().zip(want).enumerate() {
        let near = tolerance > 0.0 && (f - w).abs() <= tolerance * (1.0 + w.abs());
        let is_right = f.to_bits() == w.to_bits() || near || f.is_nan() && w.is_nan();
        assert!(is_right, "{f} for {w} at {k}");
    }
}

/// The loop of [`repeat`], turn by turn.
fn plainly<S>(turns: usize, state: S, body: impl Fn(S) -> S) -> S {
    (0..turns).fold(state, |state, _| body(state))
}

/// Each turn evaluated, so that a turn is one plan as it is in a loop.
fn step_by_step(turns: usize, state: &Array, body: impl Fn(Array) -> Array) -> Array {
    plainly(turns, state.clone(), |state| {
        let state = body(state);
        state.eval().unwrap();
        state
    })
}

fn numbers(seed: u64, shape: &[usize]) -> Array {
    Generator::new(seed).normal(0.0, 1.0, shape.to_vec())
}

const TURNS: [usize; 6] = [0, 1, 2, 3, 8, 19];

#[test]
fn a_loop_gives_what_its_turns_give() {
    let bodies: [(&str, fn(Array) -> Array); 12] = [
        ("elementwise", |x| x.sin() * 0.5 + 0.1),
        ("unchanged", |x| x),
        ("constant", |x| Array::full(x.shape().to_vec(), 3.0)),
        ("reshaped", |x| x.reshape([-1]).flip(0).reshape(x.shape().to_vec())),
        ("rolled along rows", |x| (x.roll(1, -1) - x.roll(-1, -1)) * 0.5 + &x),
        ("rolled across rows", |x| (x.roll(1, 0) + x.roll(-1, 0)) * 0.25 + &x * 0.5),
        ("mean of rows", |x| &x - x.mean(keep(-1))),
        ("mean of all", |x| &x * 0.9 + x.mean(..)),
        ("assigned", |mut x| {
            if x.len() > 3 {
                let moved = x.slice(s![..-1, 1..]) * 0.5;
                x.assign(s![1.., ..-1], &moved);
            }
            x
        }),
        ("a product", |x| x.matmul(&x.t()).matmul(&x) * 0.001),
        ("sorted", |x| x.sort(-1) * 0.5 + x.cos()),
        ("a scan", |x| x.cumsum(1) * 0.1),
    ];
    on_each_device(|_| {
        for (name, body) in bodies {
            for shape in [&[5, 7][..], &[64, 300], &[1, 1], &[3, 1]] {
                let start = numbers(1, shape);
                for turns in TURNS {
                    eprintln!("{name} {shape:?} {turns}");
                    same(&repeat(turns, start.clone(), body), &step_by_step(turns, &start, body));
                }
            }
        }
    });
}

/// Arrays that all threads work on: positions by themselves, rows, and neighbours across them.
#[test]
fn large_states_are_shared_among_threads() {
    let bodies: [(&str, fn(Array) -> Array); 6] = [
        ("elementwise", |x| x.sin() * 0.5 + 0.1),
        ("mean of rows", |x| &x - x.mean(keep(-1))),
        ("rolled after a sum", |x| {
            let y = &x * 0.5 + x.sum(keep(-1)) * 1e-4;
            y.roll(1, 1) - &y
        }),
        ("means of columns", |x| &x * 0.9 - x.mean(keep(0))),
        ("rolled across rows", |x| x.roll(1, 0) * 0.25 + &x * 0.5),
        ("inner part", |x| {
            let inner = x.slice(s![..-2, 1..-1]) + x.slice(s![2.., 1..-1]);
            x.with_slice(s![1..-1, 1..-1], inner * 0.5)
        }),
    ];
    on_each_device(|_| {
        for (name, body) in bodies {
            for shape in [[700, 600], [3, 200_000], [200_000, 3]] {
                let start = numbers(3, &shape);
                for turns in [1, 2, 5] {
                    eprintln!("{name} {shape:?} {turns}");
                    let found = repeat(turns, start.clone(), body);
                    // Tiles that stay in the caches may be longer, and are summed up by themselves.
                    near(&found, &step_by_step(turns, &start, body), 1e-9);
                }
            }
        }
    });
}

#[test]
fn a_state_of_several_arrays() {
    on_each_device(|_| {
        let (a, b) = (numbers(1, &[40]), numbers(2, &[3, 1]));
        for turns in TURNS {
            let step = |(a, b): (Array, Array)| (b.sum(..) * 0.1 + &a, b * 0.5 + a.mean(..));
            let (found, want) = (
                repeat(turns, (a.clone(), b.clone()), step),
                plainly(turns, (a.clone(), b.clone()), |state| {
                    let state = step(state);
                    eval_all([&state.0, &state.1]).unwrap();
                    state
                }),
            );
            same(&found.0, &want.0);
            same(&found.1, &want.1);
            // Exchanged.
            let (p, q) = repeat(turns, (a.clone(), &a * 2.0), |(a, b)| (b, a));
            let (want_p, want_q) = plainly(turns, (a.clone(), &a * 2.0), |(a, b)| (b, a));
            same(&p, &want_p);
            same(&q, &want_q);
        }
        // Other types, a vector, and an array without elements.
        let state = vec![DeviceArray::<i32>::arange_to(5), DeviceArray::zeros([0, 3])];
        let found = repeat(4, state, |s| vec![&s[0] * 3 + 1, &s[1] + 1]);
        assert_eq!(found[0].to_vec().unwrap(), [40, 121, 202, 283, 364]);
        assert_eq!(found[1].shape(), [0, 3]);
        let flags = (DeviceArray::full(3, true), DeviceArray::<u8>::zeros(3));
        let (flag, count) = repeat(3, flags, |(f, n)| (!&f, n + f.cast::<u8>()));
        assert_eq!(flag.to_vec().unwrap(), [false; 3]);
        assert_eq!(count.to_vec().unwrap(), [2; 3]);
    });
}

#[test]
fn a_body_reads_what_is_around_it() {
    on_each_device(|_| {
        let (x, weights) = (numbers(1, &[6, 4]), numbers(2, &[4]));
        let (lazy, dt) = (weights.exp(), 0.01);
        let grid = Array::linspace(0.0, 1.0, 4);
        let body = |x: Array| &x + (&lazy * &grid - x.slice(s![..1, ..]) * &weights) * dt;
        same(&repeat(10, x.clone(), body), &step_by_step(10, &x, body));
        // What surrounds the loop is computed with it.
        let result = (repeat(3, x.sin(), body) * 2.0).sum(..);
        let mut want = x.sin();
        want.eval().unwrap();
        want = step_by_step(3, &want, body);
        same(&result, &(want * 2.0).sum(..));
        // Shown in part, broadcast, and cut out.
        let table = numbers(3, &[10, 4]);
        let body = |x: Array| &x * 0.5 + table.slice(s![2..8, ..]) + table.slice(s![9, ..]);
        same(&repeat(5, x.clone(), body), &step_by_step(5, &x, body));
    });
}

#[test]
fn loops_stand_in_loops() {
    on_each_device(|_| {
        let x = numbers(5, &[8, 8]);
        let inner = |x: &Array| {
            let y = x.clone();
            repeat(3, x.clone(), move |z| (z + &y) * 0.5)
        };
        let found = repeat(4, x.clone(), |x| inner(&x) + 1.0);
        let want = plainly(4, x.clone(), |x| {
            let (y, mut z) = (x.clone(), x);
            for _ in 0..3 {
                z = (z + &y) * 0.5;
                z.eval().unwrap();
            }
            let out = z + 1.0;
            out.eval().unwrap();
            out
        });
        same(&found, &want);
        // The number of an outer turn within an inner loop.
        let (sum, _) =
            scan_over(DeviceArray::<i64>::arange_to(4), DeviceArray::full((), 0), |s, i| {
                (repeat(2, s, |s| s + &i), i)
            });
        assert_eq!(sum.item().unwrap(), 2 * (1 + 2 + 3));
    });
}

#[test]
fn conditions_end_loops() {
    on_each_device(|_| {
        for (a, b) in [(1071, 462), (5, 0), (0, 5), (17, 13)] {
            let start = (DeviceArray::<i64>::full((), a), DeviceArray::full((), b));
            let (gcd, rest) =
                while_loop(start, |(_, b)| b.not_equal(0), |(a, b)| (b.clone(), a % b));
            let (mut p, mut q) = (a, b);
            while q != 0 {
                (p, q) = (q, p % q);
            }
            assert_eq!((gcd.item().unwrap(), rest.item().unwrap()), (p, 0));
        }
        // A relaxation that ends when it hardly changes anything.
        let x = numbers(3, &[50]);
        let relaxed = |x: &Array| (x.roll(1, 0) + x.roll(-1, 0) + x) / 3.0;
        let start = (x.clone(), Array::full((), f64::INFINITY), DeviceArray::<i32>::full((), 0));
        let (found, _, turns) = while_loop(
            start,
            |(_, change, _)| change.greater(1e-3),
            |(x, _, n)| {
                let next = relaxed(&x);
                let change = (&next - x).abs().max(..);
                (next, change, n + 1)
            },
        );
        let (mut want, mut count) = (x, 0);
        loop {
            let next = relaxed(&want);
            let change = (&next - &want).abs().max(..);
            eval_all([&next, &change]).unwrap();
            (want, count) = (next, count + 1);
            if change.item().unwrap() <= 1e-3 {
                break;
            }
        }
        assert_eq!(turns.item().unwrap(), count);
        same(&found, &want);
    });
}

#[test]
fn scans_stack_what_their_turns_give() {
    on_each_device(|_| {
        for n in [0, 1, 2, 7] {
            for shape in [&[][..], &[3], &[4], &[2, 5], &[0], &[8, 16]] {
                let full: Vec<usize> = std::iter::once(n).chain(shape.iter().copied()).collect();
                let xs = numbers(4, &full);
                let start = numbers(5, shape);
                let (last, (all, sums)) = scan_over(xs.clone(), start.clone(), |state, x| {
                    let state = state * 0.5 + x;
                    let sum = state.sum(..);
                    (state.clone(), (state, sum))
                });
                let (mut state, mut parts) = (start.clone(), Vec::new());
                for k in 0..n {
                    state = state * 0.5 + xs.index(k as isize).unwrap();
                    state.eval().unwrap();
                    parts.push(state.clone());
                }
                same(&last, &state);
                assert_eq!(all.shape(), full);
                assert_eq!(sums.shape(), [n]);
                for (k, part) in parts.iter().enumerate() {
                    same(&all.index(k as isize).unwrap(), part);
                    let (sum, want) = (sums.to_vec().unwrap()[k], part.sum(..).item().unwrap());
                    assert!((sum - want).abs() <= 1e-12 * (1.0 + want.abs()), "{sum} {want}");
                }
            }
        }
        // Types of odd sizes side by side, unread items, and the state itself stacked.
        let items =
            (DeviceArray::<i8>::arange_to(5), DeviceArray::<i32>::arange_to(15).reshape([5, 3]));
        let start = DeviceArray::<i16>::zeros(3);
        let (_, (a, b, c)) = scan_over(items, start, |state, (i, row)| {
            (&state + 1, (i.cast::<u8>() * 2, row.flip(0), state))
        });
        assert_eq!(a.to_vec().unwrap(), [0, 2, 4, 6, 8]);
        assert_eq!(b.to_vec().unwrap(), [2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12]);
        let counts: Vec<i16> = (0..5).flat_map(|k| [k; 3]).collect();
        assert_eq!(c.to_vec().unwrap(), counts);
    });
}

#[test]
fn a_loop_is_planned_once() {
    on_each_device(|_| {
        let run = |turns: usize, factor: f64, start: f64| {
            let x = Array::full(1000, start);
            x.eval().unwrap();
            repeat(turns, x, |x| x * factor + 1.0).to_vec().unwrap()[0]
        };
        run(3, 0.5, 1.0);
        let before = counters();
        for turns in [1, 5, 100] {
            let want = (0..turns).fold(2.0, |x, _| x * 0.25 + 1.0);
            assert_eq!(run(turns, 0.25, 2.0), want);
        }
        assert_eq!(counters().plans, before.plans);
        assert_eq!(counters().evaluations - before.evaluations, 6);
    });
}

#[test]
fn a_compiled_function_may_have_loops() {
    on_each_device(|_| {
        let f = compile(|(x, dt): &(Array, Array)| repeat(5, x.clone(), |x| &x - &x * dt));
        for (first, dt) in [(1.0, 0.5), (2.0, 0.25), (3.0, 0.5)] {
            let x = Array::from_slice(&[first, -first]).unwrap();
            let found = f.call(&(x, Array::full((), dt))).unwrap().to_vec().unwrap();
            let want = (0..5).fold(first, |x, _| x - x * dt);
            assert_eq!(found, [want, -want]);
        }
        assert_eq!(f.signatures(), 1);
    });
}

#[test]
fn what_no_loop_can_do_is_an_error() {
    on_each_device(|_| {
        let x = Array::linspace(0.0, 1.0, 4);
        let error = try_repeat(3, x.clone(), |x| x.insert_axis(0)).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("from [4] to [1, 4]"), "{error}");
        assert!(error.to_string().contains("loops.rs"), "{error}");
        let error = try_repeat(3, vec![x.clone()], |_| vec![]).unwrap_err();
        assert!(error.is_shape(), "{error}");
        let mut seen = None;
        let kept = try_repeat(3, x.clone(), |x| {
            seen = Some(x.sum(..).item());
            x
        });
        let error = seen.unwrap().unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains("body of a loop"), "{error}");
        same(&kept.unwrap(), &x);
        let mut rng = Generator::new(1);
        let error = try_repeat(3, x.clone(), |x| x + rng.random::<f64>(4)).unwrap_err();
        assert!(error.to_string().contains("scan_over"), "{error}");
        // An array that leaves its loop.
        let mut leaked = None;
        let _ = repeat(3, x.clone(), |x| {
            leaked = Some(x.exp());
            x
        });
        let error = leaked.unwrap().to_vec().unwrap_err();
        assert!(error.to_string().contains("outside of the loop"), "{error}");
        let error = try_while_loop(x.clone(), |x| x.greater(0.0), |x| x).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("all(..)"), "{error}");
        let error = try_scan_over(Array::full((), 1.0), x.clone(), |s, x| (s, x)).unwrap_err();
        assert!(error.is_shape(), "{error}");
        let pair = (Array::zeros([3, 2]), Array::zeros([4, 2]));
        assert!(try_scan_over(pair, x.clone(), |s, x| (s, x)).unwrap_err().is_shape());
        let many = DeviceArray::<u8>::zeros(1 << 40);
        let error = try_scan_over(many, Array::zeros(1 << 40), |s, _| (s.clone(), s));
        assert!(error.is_err());
        // What runs out of memory leaves everything as it was.
        let wide = DeviceArray::<u8>::zeros(1 << 20);
        let (end, all) = scan_over(wide, Array::zeros(1 << 20), |s, _| (&s + 1.0, s));
        assert!(all.eval().unwrap_err().is_out_of_memory());
        drop((end, all));
        let message = panic_message(|| repeat(2, x.clone(), |x| x.sum(..)));
        assert!(message.contains("repeat: the body changes the shape"), "{message}");
    });
}

/// Bodies of each type, alone, along rows and across them, against turns that are evaluated.
#[test]
fn states_of_every_type() {
    fn check<T: Element + PartialEq>(
        start: &[T],
        step: impl Fn(&DeviceArray<T>) -> DeviceArray<T>,
    ) {
        let state = DeviceArray::from_slice(start).unwrap().reshape([3, 5]);
        let bodies: [&dyn Fn(DeviceArray<T>) -> DeviceArray<T>; 3] =
            [&|x| step(&x), &|x| step(&x).roll(1, 1), &|x| step(&x).roll(1, 0)];
        for body in bodies {
            for turns in [1, 2, 9] {
                let found = repeat(turns, state.clone(), body).to_vec().unwrap();
                let want = plainly(turns, state.clone(), |x| {
                    let x = body(x);
                    x.eval().unwrap();
                    x
                });
                assert_eq!(found, want.to_vec().unwrap(), "{} {turns}", T::DTYPE);
            }
        }
    }
    fn numbers<T>(of: impl Fn(i32) -> T) -> Vec<T> {
        (0..15).map(|k| of(k * 7 % 11 - 5)).collect()
    }
    on_each_device(|_| {
        check(&numbers(|k| k > 0), |x| x.logical_xor(x.roll(1, 1)));
        check(&numbers(|k| k as i8), |x| x * 3 + 1);
        check(&numbers(|k| k as i16), |x| x * 3 - 7);
        check(&numbers(|k| k), |x| x * x - 1);
        check(&numbers(i64::from), |x| x * x - 1);
        check(&numbers(|k| k as u8), |x| x * 5 + 3);
        check(&numbers(|k| k as u16), |x| x * 5 + 3);
        check(&numbers(|k| k as u32), |x| x ^ (x >> 3));
        check(&numbers(|k| k as u64), |x| x ^ (x >> 3));
        // Rounded after each operation, in registers as in memory.
        check(&numbers(|k| f16::from_f32(k as f32 * 0.3)), |x| x * f16::from_f32(0.7));
        check(&numbers(|k| bf16::from_f32(k as f32 * 0.3)), |x| x * bf16::from_f32(0.7));
        check(&numbers(|k| k as f32 * 0.3), |x| x.abs().sqrt() - x);
        check(&numbers(|k| f64::from(k) * 0.3), |x| x.abs().sqrt() - x);
        check(&numbers(|k| Complex::new(k as f32, 0.5)), |x| x.conj());
        check(&numbers(|k| Complex::new(f64::from(k), 0.5)), |x| x.conj());
    });
}

#[test]
fn strict_loops_have_the_bits_of_their_turns() {
    on_each_device(|_| {
        let start = numbers(7, &[30, 400]);
        let bodies: [fn(Array) -> Array; 3] = [
            |x| &x * 0.9 + x.sum(keep(-1)) * 1e-3,
            |x| (x.roll(1, 1) + &x * 1.1) * 0.4,
            |x| x.cumsum(1) * 0.01 + x.mean(keep(0)),
        ];
        for body in bodies {
            let (found, want) = with_arithmetic(Arithmetic::Strict, || {
                let found = repeat(11, start.clone(), body).to_vec().unwrap();
                (found, step_by_step(11, &start, body).to_vec().unwrap())
            });
            assert_eq!(found, want);
        }
    });
}

/// Panics where an element has grown.
#[vectorize]
fn careful(x: i32) -> i32 {
    if x > 40 { x / (41 - x) } else { x + 1 }
}

#[test]
fn a_function_that_panics_ends_its_loop_and_nothing_else() {
    let _held = crate::support::MEMORY.read();
    Device::cpu().scope(|| {
        let x = DeviceArray::<i32>::arange_to(2000);
        let start = x.minimum(38);
        start.eval().unwrap();
        let end = repeat(100, start.clone(), |x| careful::call(&x));
        let error = end.eval().unwrap_err().to_string();
        assert!(error.contains("careful") && error.contains("divide by zero"), "{error}");
        assert_eq!(repeat(2, start.clone(), |x| careful::call(&x)).max(..).item().unwrap(), 40);
        assert_eq!(start.max(..).item().unwrap(), 38);
    });
}

#[test]
fn loops_run_in_threads_and_streams() {
    on_each_device(|device| {
        let want = step_by_step(50, &numbers(1, &[70, 90]), |x| (x.roll(1, 0) + &x) * 0.5);
        let want = want.to_vec().unwrap();
        std::thread::scope(|scope| {
            for k in 0..4 {
                let want = &want;
                scope.spawn(move || {
                    device.scope(|| {
                        let run =
                            || repeat(50, numbers(1, &[70, 90]), |x| (x.roll(1, 0) + &x) * 0.5);
                        let found = match k % 2 {
                            0 => run(),
                            _ => {
                                let stream = lazuli::Stream::on(device).unwrap();
                                stream.scope(|| {
                                    let found = run();
                                    found.eval().unwrap();
                                    found
                                })
                            }
                        };
                        for (f, w) in found.to_vec().unwrap().into_iter().zip(want) {
                            assert!((f - w).abs() < 1e-12, "{f} {w}");
                        }
                    });
                });
            }
        });
    });
}

/// Chains of views that a body captures, short and long.
#[test]
fn a_body_may_read_views_of_views() {
    on_each_device(|_| {
        let table = numbers(2, &[6, 6]);
        for depth in [1, 8, 9, 300] {
            let seen = (0..depth).fold(table.clone(), |a, _| a.t().flip(0));
            let x = numbers(3, &[6, 6]);
            let body = |x: Array| x * 0.5 + &seen;
            same(&repeat(3, x.clone(), body), &step_by_step(3, &x, body));
        }
    });
}

/// Random bodies over a state of two matrices.
#[test]
fn random_bodies_give_what_their_turns_give() {
    fn grown(rng: &mut Rng, a: &Array, b: &Array, around: &Array) -> (Array, Array) {
        let mut known = vec![a.clone(), b.clone(), around.clone()];
        for _ in 0..1 + rng.next() % 6 {
            let at = |rng: &mut Rng| (rng.next() as usize) % 1_000;
            let x = known[at(rng) % known.len()].clone();
            let y = known[at(rng) % known.len()].clone();
            known.push(match rng.next() % 10 {
                0 => x.sin() + y,
                1 => x.roll(1, 0) * 0.5 - y,
                2 => x.roll(-2, 1) * y.cos(),
                3 => x.mean(keep(-1)) + y,
                4 => x.max(keep(0)) - y,
                5 => {
                    let mut x = x;
                    x.assign(s![.., 1..3], &y.slice(s![.., 2..4]));
                    x
                }
                6 => x.cumsum(-1) * 0.1 + y,
                7 => x.flip(1).tanh() + y * 0.25,
                8 => x.greater(&y).select(&x, &y),
                _ => x.minimum(&y).abs().sqrt(),
            });
        }
        let last = known.len() - 1;
        let first = known[(rng.next() as usize) % known.len()].clone();
        (known[last].clone(), first)
    }
    on_each_device(|device| {
        let around = numbers(9, &[6, 5]);
        let count = if device.is_cuda() { 40 } else { 120 };
        for seed in 0..count {
            let start = (numbers(seed, &[6, 5]), numbers(seed + 1000, &[6, 5]));
            let turns = (seed % 6) as usize;
            let body = |(a, b): (Array, Array)| grown(&mut Rng(seed), &a, &b, &around);
            let found = repeat(turns, start.clone(), body);
            let want = plainly(turns, start, |state| {
                let state = body(state);
                eval_all([&state.0, &state.1]).unwrap();
                state
            });
            eprintln!("seed {seed}");
            same(&found.0, &want.0);
            same(&found.1, &want.1);
        }
    });
}
