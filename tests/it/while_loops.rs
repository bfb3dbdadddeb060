//! Loops with a condition. On a GPU their later turns are launched before the condition is known, in
//! portions: against loops on the host, and against the same loops whose turns are waited for one by one.

use crate::support::{on_each_device, on_each_device_by_itself};
use lazuli::prelude::*;
use lazuli::{Stream, compile, counters, repeat, while_loop, with_progress};
use std::time::Duration;

type Ints = DeviceArray<i64>;
type Array = DeviceArray<f64>;

/// All values stay below this, so that nothing overflows.
const MASK: i64 = 0xffff;

fn number(k: i64) -> Ints {
    Ints::full((), k)
}

/// Runs something so that each turn of its loops is waited for: who is told of turns sees each.
fn turn_by_turn<R>(f: impl FnOnce() -> R) -> R {
    with_progress(Duration::from_secs(3600), |_| (), f)
}

fn bits(values: &Array) -> Vec<u64> {
    values.to_vec().unwrap().into_iter().map(f64::to_bits).collect()
}

/// Several kernels of integers, and the same on the host.
fn mixed(x: &Ints, k: &Ints) -> Ints {
    let x = (x.roll(1, 0).cumsum(0) + k) & MASK;
    (x.roll(-2, 0).cumsum(0) + x.max(..) * 3) & MASK
}

fn mixed_on_host(x: &[i64], k: i64) -> Vec<i64> {
    let summed = |x: &[i64], add: i64| -> Vec<i64> {
        let mut sum = 0;
        let sums = x.iter().map(|x| {
            sum += x;
            (sum + add) & MASK
        });
        sums.collect()
    };
    let mut x = x.to_vec();
    x.rotate_right(1);
    let mut x = summed(&x, k);
    let most = x.iter().copied().max().unwrap();
    let len = x.len();
    x.rotate_left(2 % len);
    summed(&x, most * 3)
}

fn start(n: i64, seed: i64) -> Vec<i64> {
    (0..n).map(|i| (i * 7 + seed * 13) & MASK).collect()
}

/// Every number of turns around those at which the way changes, and far beyond.
fn many_turns() -> impl Iterator<Item = i64> {
    (0..60).chain([63, 64, 65, 100, 333, 1000])
}

#[test]
fn a_loop_ends_after_the_turn_that_makes_its_condition_false() {
    on_each_device(|_| {
        for n in [1, 700] {
            let first = start(n, 3);
            let x = Ints::from_slice(&first).unwrap();
            let (mut want, mut done) = (first.clone(), 0);
            for turns in many_turns() {
                let (found, count) = while_loop(
                    (x.clone(), number(0)),
                    |(_, k)| k.less(turns),
                    |(x, k)| ((x * 3 + &k) & MASK, k + 1),
                );
                while done < turns {
                    want.iter_mut().for_each(|x| *x = (*x * 3 + done) & MASK);
                    done += 1;
                }
                assert_eq!(found.to_vec().unwrap(), want, "{turns} turns of {n}");
                assert_eq!(count.item().unwrap(), turns);
            }
            assert_eq!(x.to_vec().unwrap(), first, "what the loop was given stays");
        }
    });
}

#[test]
fn turns_of_several_kernels_give_what_they_give_on_the_host() {
    on_each_device(|_| {
        for n in [2, 300, 5000] {
            let (mut want, mut done) = (start(n, 5), 0);
            let x = Ints::from_slice(&want).unwrap();
            for turns in many_turns().filter(|turns| turns % 3 != 1) {
                let (found, _) = while_loop(
                    (x.clone(), number(0)),
                    |(_, k)| k.less(turns),
                    |(x, k)| (mixed(&x, &k), k + 1),
                );
                while done < turns {
                    want = mixed_on_host(&want, done);
                    done += 1;
                }
                assert_eq!(found.to_vec().unwrap(), want, "{turns} turns of {n}");
            }
        }
    });
}

#[test]
fn turns_have_the_bits_and_the_number_of_turns_waited_for_one_by_one() {
    on_each_device(|_| {
        let bodies: [(&str, fn(Array) -> Array); 6] = [
            ("elementwise", |x| x.sin() * 0.99 + 0.01),
            ("relaxed", |x| (x.roll(1, 0) + x.roll(-1, 0) + x.roll(1, 1) + x.roll(-1, 1)) * 0.25),
            ("mean of rows", |x| &x * 0.9 + x.mean(keep(-1)) * 0.1),
            ("mean of columns", |x| &x * 0.9 + x.mean(keep(0)) * 0.1),
            ("scans", |x| x.cumsum(1) * 0.01 + x.cumsum(0).tanh()),
            ("inner part", |x| {
                let inner = x.slice(s![..-2, 1..-1]) + x.slice(s![2.., 1..-1]);
                x.with_slice(s![1..-1, 1..-1], inner * 0.5)
            }),
        ];
        for (name, body) in bodies {
            for shape in [[4, 5], [60, 130]] {
                let x =
                    (Array::arange_to((shape[0] * shape[1]) as f64) * 0.37).sin().reshape(shape);
                for tolerance in [1e-1, 1e-3, 1e-5] {
                    let run = || {
                        let state = (x.clone(), Array::full((), f64::INFINITY), number(0));
                        let before = counters().kernels;
                        let (x, change, turns) = while_loop(
                            state,
                            |(_, change, k)| change.greater(tolerance).logical_and(k.less(200)),
                            |(x, _, k)| {
                                let next = body(x.clone());
                                let change = (&next - x).abs().max(..);
                                (next, change, k + 1)
                            },
                        );
                        let (x, change) = (bits(&x), change.item().unwrap().to_bits());
                        (x, change, turns.item().unwrap(), counters().kernels - before)
                    };
                    let (found, want) = (run(), turn_by_turn(run));
                    assert_eq!(found, want, "{name} {shape:?} {tolerance}");
                }
            }
        }
    });
}

/// States that are handed on, exchanged, captured and never changed.
#[test]
fn states_go_round_in_every_way() {
    on_each_device(|_| {
        let fixed = Ints::from_slice(&[5, 6, 7]).unwrap();
        for turns in many_turns().filter(|turns| *turns < 90) {
            let goes_on = |k: &Ints| k.less(turns);
            // A recurrence of two, and of three.
            let (a, b, _) = while_loop(
                (number(0), number(1), number(0)),
                |(_, _, k)| goes_on(k),
                |(a, b, k)| (b.clone(), a + b, k + 1),
            );
            let mut want = (0i64, 1i64);
            (0..turns).for_each(|_| want = (want.1, want.0.wrapping_add(want.1)));
            assert_eq!((a.item().unwrap(), b.item().unwrap()), want, "{turns}");
            let (a, b, c, _) = while_loop(
                (number(1), number(2), number(3), number(0)),
                |(_, _, _, k)| goes_on(k),
                |(a, b, c, k)| (b, c.clone(), (a + c) & MASK, k + 1),
            );
            let mut want = [1, 2, 3];
            (0..turns).for_each(|_| want = [want[1], want[2], (want[0] + want[2]) & MASK]);
            assert_eq!([a, b, c].map(|a| a.item().unwrap()), want, "{turns}");
            // Exchanged, unchanged, and an array from outside.
            let x = Ints::arange_to(3);
            let state = (x.clone(), &x * 10, x.clone(), x.clone(), number(0));
            let (p, q, r, s, _) = while_loop(
                state,
                |(_, _, _, _, k)| goes_on(k),
                |(p, q, r, _, k)| (q, p, r, fixed.clone(), k + 1),
            );
            let (p, q) = if turns % 2 == 0 { (p, q) } else { (q, p) };
            assert_eq!(p.to_vec().unwrap(), [0, 1, 2]);
            assert_eq!(q.to_vec().unwrap(), [0, 10, 20]);
            assert_eq!(r.to_vec().unwrap(), [0, 1, 2]);
            assert_eq!(s.to_vec().unwrap(), if turns == 0 { [0, 1, 2] } else { [5, 6, 7] });
            assert_eq!(x.to_vec().unwrap(), [0, 1, 2]);
        }
        assert_eq!(fixed.to_vec().unwrap(), [5, 6, 7]);
    });
}

#[test]
fn conditions_of_every_kind_end_loops() {
    on_each_device(|_| {
        for turns in [0, 1, 6, 7, 22, 23, 51] {
            // A condition that is a part of the state.
            let state = (number(0), number(0).less(turns));
            let (k, goes_on) = while_loop(
                state,
                |(_, goes_on)| goes_on.clone(),
                |(k, _)| {
                    let k = k + 1;
                    let goes_on = k.less(turns);
                    (k, goes_on)
                },
            );
            assert_eq!((k.item().unwrap(), goes_on.item().unwrap()), (turns, false));
            // One of several arrays, all of an array, and one that an array of the state shows.
            let x = Ints::arange_to(40);
            let (x, y, k) = while_loop(
                (x.clone(), &x * 2, number(0)),
                |(x, y, k)| {
                    let some = (x + y).less(3 * (turns + 39)).any(..);
                    some.logical_and(k.less(turns))
                },
                |(x, y, k)| (x + 1, y + 2, k + 1),
            );
            assert_eq!(k.item().unwrap(), turns);
            let want: Vec<i64> = (0..40).map(|x| x + turns).collect();
            assert_eq!(x.to_vec().unwrap(), want);
            assert_eq!(y.sum(..).item().unwrap(), 2 * want.iter().sum::<i64>());
            let flags = (Ints::arange_to(64) - turns).less(0);
            let (flags, k) = while_loop(
                (flags, number(0)),
                |(flags, _)| flags.index(0).unwrap(),
                |(flags, k)| (flags.roll(-1, 0), k + 1),
            );
            assert_eq!(k.item().unwrap(), turns);
            assert!(!flags.to_vec().unwrap()[0]);
            // What is not a number is greater than nothing.
            let next = |x: f64| {
                let root = (x - 1.0).sqrt();
                root * root
            };
            let (mut want, mut count) = (turns as f64, 0);
            while want >= 0.0 {
                (want, count) = (next(want), count + 1);
            }
            let (x, k) = while_loop(
                (Array::full((), turns as f64), number(0)),
                |(x, _)| x.greater_equal(0.0),
                |(x, k)| ((x - 1.0).sqrt().square(), k + 1),
            );
            assert!(want.is_nan() && x.item().unwrap().is_nan());
            assert_eq!(k.item().unwrap(), count);
        }
    });
}

/// Loops that come again, so that portions become graphs, with other data, numbers and results that are
/// held.
#[test]
fn loops_come_again_with_other_data() {
    on_each_device(|_| {
        let f = compile(|(x, k): &(Ints, Ints)| {
            let state = (x.clone(), number(0));
            let (x, _) = while_loop(
                state,
                |(_, turn)| turn.less(k),
                |(x, turn)| (mixed(&x, &turn), turn + 1),
            );
            x
        });
        let mut held = Vec::new();
        for k in 0..60 {
            let x = start(90, k);
            let turns = (k * 11) % 64;
            held.push((x.clone(), turns, f.call(&(Ints::from_slice(&x).unwrap(), number(turns)))));
            if k % 4 == 0 {
                drop(held.remove((k as usize * 5) % held.len()));
            }
        }
        for (x, turns, found) in held {
            let want = (0..turns).fold(x, |x, k| mixed_on_host(&x, k));
            assert_eq!(found.unwrap().to_vec().unwrap(), want);
        }
        assert_eq!(f.signatures(), 1);
    });
}

#[test]
fn loops_stand_in_loops() {
    fn collatz(n: &Ints) -> Ints {
        let state = (n.clone(), number(0));
        let even = |n: &Ints| (n % 2).equal(0);
        let (_, steps) = while_loop(
            state,
            |(n, _)| n.greater(1),
            |(n, steps)| (even(&n).select(&n / 2, &n * 3 + 1), steps + 1),
        );
        steps
    }
    on_each_device(|_| {
        let steps_of = |mut n: i64| {
            let mut steps = 0;
            while n > 1 {
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            steps
        };
        let want: i64 = (0..30).map(steps_of).sum();
        let (_, sum) = while_loop(
            (number(0), number(0)),
            |(n, _)| n.less(30),
            |(n, sum)| {
                let steps = collatz(&n);
                (n + 1, sum + steps)
            },
        );
        assert_eq!(sum.item().unwrap(), want);
        let (_, sum) = repeat(30, (number(0), number(0)), |(n, sum)| {
            let steps = collatz(&n);
            (n + 1, sum + steps)
        });
        assert_eq!(sum.item().unwrap(), want);
    });
}

#[test]
fn loops_run_in_threads_and_streams_at_once() {
    on_each_device(|device| {
        let run = |seed: i64, turns: i64| {
            let x = Ints::from_slice(&start(500, seed)).unwrap();
            let (x, _) =
                while_loop((x, number(0)), |(_, k)| k.less(turns), |(x, k)| (mixed(&x, &k), k + 1));
            x.eval().unwrap();
            x
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    device.scope(|| {
                        let stream = Stream::on(device).unwrap();
                        for turn in 0..12 {
                            let turns = 20 + 9 * turn;
                            let found = match (thread + turn) % 2 {
                                0 => run(thread, turns),
                                _ => stream.scope(|| run(thread, turns)),
                            };
                            let first = start(500, thread);
                            let want = (0..turns).fold(first, |x, k| mixed_on_host(&x, k));
                            assert_eq!(found.to_vec().unwrap(), want);
                        }
                    });
                });
            }
        });
    });
}

#[test]
fn a_loop_leaves_no_memory_behind() {
    on_each_device_by_itself(|device| {
        let run = |turns: i64| {
            let x = Array::linspace(0.0, 1.0, 1 << 16).reshape([256, 256]);
            x.eval().unwrap();
            let (x, k) = while_loop(
                (x, number(0)),
                |(_, k)| k.less(turns),
                |(x, k)| ((x.roll(1, 0) + x.mean(keep(1))) * 0.5, k + 1),
            );
            assert_eq!(k.item().unwrap(), turns);
            x.sum(..).item().unwrap()
        };
        run(50);
        let before = device.memory_use().in_use;
        let sums: Vec<f64> = [3, 50, 51, 200, 200].into_iter().map(run).collect();
        assert_eq!(sums[3], sums[4]);
        assert_eq!(device.memory_use().in_use, before);
        // More turns take no more.
        let peak = device.memory_use().peak;
        run(400);
        assert_eq!(device.memory_use().peak, peak);
    });
}

/// A turn that fails in a library call ends its loop and nothing else.
#[test]
fn a_failure_leaves_the_state_of_before() {
    on_each_device(|_| {
        let x = Array::eye(4) * 8.0;
        x.eval().unwrap();
        let run = |turns: i64| {
            let (x, _) = while_loop(
                (x.clone(), number(0)),
                |(_, k)| k.less(turns),
                |(x, k)| {
                    let lower = (&x - 1.0).cholesky();
                    (&x - Array::eye(4) + lower * 0.0, k + 1)
                },
            );
            x.to_vec()
        };
        assert!(run(2).is_ok());
        assert!(run(9).is_err());
        assert_eq!(x.to_vec().unwrap(), (Array::eye(4) * 8.0).to_vec().unwrap());
        assert!(run(1).is_ok());
    });
}

#[test]
fn what_explains_a_loop_says_whether_its_turns_wait() {
    on_each_device(|device| {
        let (x, _) = while_loop(
            (Array::linspace(0.0, 1.0, 1000), number(0)),
            |(_, k)| k.less(9),
            |(x, k)| (x.sin(), k + 1),
        );
        let text = lazuli::explain(&[&x]).to_string();
        let says = "launched before its condition is known";
        assert_eq!(text.contains(says), device.is_cuda(), "{text}");
    });
}
