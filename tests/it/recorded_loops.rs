//! Loops whose turns are recorded and evaluated at once: the values of turns one by one, and few launches
//! where the turns can be taken as a loop.

use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::{Arithmetic, compile, counters, explain, with_arithmetic};
use num_complex::Complex;

type States = Vec<DeviceArray<f64>>;
type Body<'a> = &'a dyn Fn(&States, usize) -> States;

/// The turns of a loop, each on what the one before gave.
fn turns(count: usize, start: &States, body: Body, mut after: impl FnMut(&States)) -> States {
    (0..count).fold(start.clone(), |state, turn| {
        let state = body(&state, turn);
        after(&state);
        state
    })
}

fn evaluated(state: &States) {
    let arrays: Vec<&dyn AnyArray> = state.iter().map(|a| a as &dyn AnyArray).collect();
    lazuli::eval(&arrays[..]).unwrap();
}

fn bits(state: &States) -> Vec<Vec<u64>> {
    let of = |a: &DeviceArray<f64>| a.to_vec().unwrap().into_iter().map(f64::to_bits).collect();
    state.iter().map(of).collect()
}

/// Compares recorded turns with turns one by one.
fn same(name: &str, count: usize, start: &States, body: Body) {
    evaluated(start);
    with_arithmetic(Arithmetic::Strict, || {
        let wanted = turns(count, start, body, evaluated);
        let found = turns(count, start, body, |_| {});
        evaluated(&found);
        assert_eq!(bits(&found), bits(&wanted), "{name}: {count} turns");
    });
}

/// Whether what was recorded would be taken as a loop.
fn is_loop(state: &dyn AnyArray) -> bool {
    explain(&[state]).to_string().contains("recorded loop")
}

fn normal(seed: u64, shape: &[usize]) -> DeviceArray<f64> {
    Generator::new(seed).normal(0.0, 1.0, shape.to_vec())
}

/// A step of a chain that keeps its numbers small.
fn logistic(x: &DeviceArray<f64>, r: f64) -> DeviceArray<f64> {
    let y = (x * r).tanh() * 0.75 - x.square() * 0.125;
    let y = &y + (&y * 1.5).sin() * 0.25 + (x * 0.5).cos() * 0.125;
    (&y * 0.5) + (y.square() + 1.0).sqrt() * 0.25
}

/// A step along rows that are rings, with a sum of each row.
fn rows(x: &DeviceArray<f64>, forcing: &DeviceArray<f64>) -> DeviceArray<f64> {
    let near = (x.roll(-1, -1) - x.roll(2, -1)) * x.roll(1, -1) - x + forcing;
    let mean = near.mean(-1).insert_axis(1);
    x + 0.01 * (near - mean * 0.5).tanh()
}

#[test]
fn recorded_turns_are_turns_one_by_one() {
    on_each_device(|_| {
        let x = || vec![normal(1, &[3, 41])];
        let two = || vec![normal(2, &[3, 41]), normal(3, &[3, 41])];
        let (weights, forcing) = (normal(4, &[41]), normal(5, &[3, 1]));
        evaluated(&vec![weights.clone(), forcing.clone()]);
        for count in [3, 4, 7, 20] {
            same("a chain", count, &x(), &|s, _| vec![logistic(&s[0], 1.25)]);
            same("with an array", count, &x(), &|s, _| {
                vec![logistic(&(&s[0] * &weights + &forcing), 0.5)]
            });
            same("with what is computed once", count, &x(), &|s, _| {
                let scale = (&weights * 2.0).cos().cumsum(0);
                vec![logistic(&(&s[0] + scale), 0.5)]
            });
            same("rows", count, &x(), &|s, _| vec![rows(&s[0], &forcing)]);
            same("two states", count, &two(), &|s, _| {
                let v = logistic(&s[1], 0.5) - &s[0] * 0.25;
                vec![&s[0] + &v * 0.125, v]
            });
            same("states that change places", count, &two(), &|s, _| {
                let next = rows(&s[0], &forcing) * 0.75 - &s[1] * 0.25;
                vec![next, s[0].clone()]
            });
            same("a state that only counts", count, &two(), &|s, _| {
                vec![rows(&s[0], &weights), &s[1] + 1.0]
            });
            same("a number of the turn", count, &x(), &|s, turn| {
                vec![logistic(&s[0], 0.1 * turn as f64)]
            });
            same("the beginning in each turn", count, &x(), &|s, _| {
                vec![rows(&s[0], &weights) + &x()[0] * 0.01]
            });
            same("parts by assignment", count, &x(), &|s, _| {
                let inner = s[0].slice(s![.., ..-2]) + s[0].slice(s![.., 2..]);
                vec![s[0].with_slice(s![.., 1..-1], inner * 0.5)]
            });
            same("positions", count, &x(), &|s, _| {
                let at = DeviceArray::<i64>::arange(0, 41, 1).cast::<f64>();
                vec![logistic(&(&s[0] + at * 0.01), 0.25)]
            });
            let bodies = || (12..16).map(|seed| normal(seed, &[9])).collect::<States>();
            same("forces between pairs", count, &bodies(), &|s, _| {
                let dx = &s[0] - s[0].insert_axis(1);
                let dy = &s[1] - s[1].insert_axis(1);
                let by = 1.0 / (dx.square() + dy.square() + 0.5);
                let vx = &s[2] + 0.01 * (&dx * &by).sum(1);
                let vy = &s[3] + 0.01 * (&dy * &by).sum(1);
                vec![&s[0] + 0.01 * &vx, &s[1] + 0.01 * &vy, vx, vy]
            });
            same("every other turn", count, &x(), &|s, turn| match turn % 2 {
                0 => vec![rows(&s[0], &weights)],
                _ => vec![logistic(&s[0], 0.5)],
            });
        }
    });
}

#[test]
fn rows_of_many_recorded_turns_are_a_loop() {
    on_each_device(|_| {
        let start = vec![normal(7, &[40, 960])];
        evaluated(&start);
        let slope =
            |x: &DeviceArray<f64>| (x.roll(-1, -1) - x.roll(2, -1)) * x.roll(1, -1) - x + 8.0;
        let step = |s: &States, _: usize| {
            let x = &s[0];
            let k1 = slope(x);
            let k2 = slope(&(x + 0.005 * &k1));
            let k3 = slope(&(x + 0.005 * &k2));
            let k4 = slope(&(x + 0.01 * &k3));
            vec![x + 0.01 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)]
        };
        assert!(is_loop(&turns(8, &start, &step, |_| {})[0]));
        same("Runge-Kutta steps", 8, &start, &step);
        // Recording evaluates what has become deep: a hundred turns are a few loops.
        let before = counters();
        evaluated(&turns(100, &start, &step, |_| {}));
        let launches = counters().launches - before.launches;
        assert!(launches <= 25, "{launches} launches");
    });
}

/// A chain of turns of any type, recorded and one by one.
fn same_values<T: Element + PartialEq + std::fmt::Debug>(
    name: &str,
    start: &DeviceArray<T>,
    step: impl Fn(&DeviceArray<T>) -> DeviceArray<T>,
) {
    start.eval().unwrap();
    let recorded = (0..12).fold(start.clone(), |x, _| step(&x));
    let singly = (0..12).fold(start.clone(), |x, _| {
        let x = step(&x);
        x.eval().unwrap();
        x
    });
    assert_eq!(recorded.to_vec().unwrap(), singly.to_vec().unwrap(), "{name}");
}

#[lazuli::vectorize]
fn folded(x: f64, a: f64) -> f64 {
    let mut y = x;
    for _ in 0..3 {
        y = if y > 0.5 { a * (1.0 - y) } else { a * y };
    }
    y
}

/// Counts up to a number, and no further.
#[lazuli::vectorize]
fn checked(x: i32, most: i32) -> i32 {
    x - 1 + 2 * (most - x) / (most - x)
}

#[test]
fn turns_of_other_types_and_of_functions() {
    on_each_device(|device| {
        let numbers: Vec<i32> = (0..37 * 41).map(|k| (k * 7919) % 5).collect();
        let cells = DeviceArray::from_vec([37, 41], numbers).unwrap();
        same_values("a game of life", &cells.less(2).cast::<u8>(), |x| {
            let ring = |dx, dy| x.roll(dx, 0).roll(dy, 1);
            let near = ring(1, 0) + ring(-1, 0) + ring(0, 1) + ring(0, -1);
            let near = near + ring(1, 1) + ring(1, -1) + ring(-1, 1) + ring(-1, -1);
            (near.equal(3) | (near.equal(2) & x.equal(1))).cast::<u8>()
        });
        same_values("whole numbers that wrap", &cells, |x| x * 1_103_515_245 + x.roll(1, 1));
        same_values("truths", &cells.less(2), |x| x ^ x.roll(1, 0) ^ x.roll(1, 1));
        same_values("singles", &cells.cast::<f32>(), |x| {
            (x.roll(1, 1) + x.roll(-1, 1)) * 0.5f32 - x * 0.25f32
        });
        same_values("complex numbers", &cells.cast::<Complex<f64>>(), |x| {
            x * Complex::new(0.0, 0.5) + x.roll(1, 0) * 0.25
        });
        same_values("a function", &cells.cast::<f64>(), |x| folded::call(&(x * 0.2), 1.5));
        // A function that panics in the sixth turn, where there is something to be told of.
        let least = cells.min(..).item().unwrap();
        let many = (0..12).fold(cells.clone(), |x, _| checked::call(&x, least + 8));
        if !device.is_cuda() {
            let error = many.to_vec().unwrap_err().to_string();
            assert!(error.contains("divide by zero"), "{error}");
        }
        // Nothing is lost of what was there before.
        assert_eq!(cells.min(..).item().unwrap(), least);
    });
}

#[test]
fn what_is_held_of_recorded_turns_has_its_values() {
    on_each_device(|_| {
        let start = vec![normal(8, &[5, 33])];
        let body = |s: &States, _: usize| vec![rows(&s[0], &start[0].slice(s![.., ..1]))];
        let wanted: Vec<_> = (1..=24).map(|n| bits(&turns(n, &start, &body, evaluated))).collect();
        // Some states are asked for together with the last one, others afterwards, some never.
        let mut kept = Vec::new();
        let last = turns(24, &start, &body, |state| kept.push(state.clone()));
        let close = |state: &States, n: usize| {
            let (found, wanted) = (bits(state), &wanted[n - 1]);
            for (f, w) in found[0].iter().zip(&wanted[0]) {
                let (f, w) = (f64::from_bits(*f), f64::from_bits(*w));
                assert!((f - w).abs() < 1e-9, "state {n}: {f} and {w}");
            }
        };
        close(&last, 24);
        [23, 1, 12, 2, 22].iter().for_each(|&n| close(&kept[n - 1], n));
        // A diagnostic alone, and then the state that it was of.
        let state = turns(24, &start, &body, |_| {});
        let sum = state[0].sum(..).item().unwrap();
        close(&state, 24);
        let again = state[0].to_vec().unwrap().iter().sum::<f64>();
        assert!((sum - again).abs() < 1e-9);
        // Steps in portions with a diagnostic after each, as programs have them.
        let mut state = start.clone();
        for portion in 1..=4 {
            state = turns(6, &state, &body, |_| {});
            let largest = state[0].abs().max(..).item().unwrap();
            close(&state, 6 * portion);
            let host = state[0].to_vec().unwrap();
            assert_eq!(largest, host.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
        }
    });
}

#[test]
fn compiled_functions_of_recorded_turns_take_other_numbers() {
    on_each_device(|_| {
        let start = normal(9, &[4, 29]);
        let step = |x: &DeviceArray<f64>, a: &DeviceArray<f64>, b: &DeviceArray<f64>| {
            let x = rows(x, a);
            (0..11).fold(x, |x, turn| match turn % 2 {
                0 => rows(&x, b),
                _ => rows(&x, a),
            })
        };
        let many =
            compile(move |(x, a, b): &(DeviceArray<f64>, DeviceArray<f64>, DeviceArray<f64>)| {
                step(x, a, b)
            });
        let number = |value: f64| DeviceArray::full((), value);
        // The first call's numbers are the same, the next one's are not.
        for (a, b) in [(0.5, 0.5), (0.25, 2.0), (-1.0, -1.0), (3.0, 0.0)] {
            let found = many.call(&(start.clone(), number(a), number(b))).unwrap();
            let mut wanted = rows(&start, &number(a));
            for turn in 0..11 {
                wanted = rows(&wanted, &number(if turn % 2 == 0 { b } else { a }));
                evaluated(&vec![wanted.clone()]);
            }
            for (f, w) in found.to_vec().unwrap().iter().zip(wanted.to_vec().unwrap()) {
                assert!((f - w).abs() < 1e-9, "{a}, {b}: {f} and {w}");
            }
        }
    });
}

#[test]
fn numbers_of_turns_may_differ_at_the_next_evaluation() {
    on_each_device(|_| {
        let start = vec![normal(10, &[3, 31])];
        evaluated(&start);
        let numbers =
            [vec![0.5; 16], (0..16).map(|k| 0.1 * f64::from(k)).collect(), vec![0.25; 16]];
        for round in 0..2 {
            for numbers in &numbers {
                let body = |s: &States, turn: usize| vec![logistic(&s[0], numbers[turn])];
                same(&format!("round {round}"), 16, &start, &body);
            }
        }
    });
}

#[test]
fn what_recorded_turns_compile_does_not_grow_with_them() {
    on_each_device(|_| {
        let start = vec![normal(11, &[6, 43])];
        evaluated(&start);
        let body = |s: &States, _: usize| vec![rows(&s[0], &start[0].slice(s![.., ..1]))];
        let compiled = |count: usize| {
            let state = turns(count, &start, &body, |_| {});
            let before = counters();
            evaluated(&state);
            counters().compiled - before.compiled
        };
        let first = compiled(24);
        assert!(first <= 8, "{first} kernels");
        // Other numbers of turns are the same loop where there is one, and the same pieces elsewhere.
        assert!(compiled(25) + compiled(48) + compiled(96) <= 3 * first.max(1));
    });
}

/// Steps of a flow: what is moved, and twenty sweeps for the pressure in each.
fn flow(steps: usize, shape: &[usize], mut after: impl FnMut(&States)) -> States {
    let (mut u, mut v) = (normal(21, shape), normal(22, shape));
    evaluated(&vec![u.clone(), v.clone()]);
    for _ in 0..steps {
        (u, v) = (&u * 0.9 + v.roll(1, 0) * 0.1, &v * 0.9 - u.roll(1, 1) * 0.1);
        let d = (u.roll(-1, 0) - u.roll(1, 0) + v.roll(-1, 1) - v.roll(1, 1)) * 0.5;
        let mut p = DeviceArray::<f64>::zeros(shape.to_vec());
        for _ in 0..20 {
            p = (p.roll(1, 0) + p.roll(-1, 0) + p.roll(1, 1) + p.roll(-1, 1) - &d) / 4.0;
        }
        u -= (p.roll(-1, 0) - p.roll(1, 0)) * 0.5;
        v -= (p.roll(-1, 1) - p.roll(1, 1)) * 0.5;
        after(&vec![u.clone(), v.clone()]);
    }
    let state = vec![u, v];
    evaluated(&state);
    state
}

/// Cut within the sweeps, each part would begin at another sweep and have a plan of its own.
#[test]
fn loops_in_recorded_loops_are_cut_between_the_outer_turns() {
    on_each_device(|_| {
        with_arithmetic(Arithmetic::Strict, || {
            let wanted = flow(12, &[12, 17], evaluated);
            assert_eq!(bits(&flow(12, &[12, 17], |_| {})), bits(&wanted));
        });
        let plans = |steps, shape: &[usize]| {
            let before = counters().plans;
            flow(steps, shape, |_| {});
            counters().plans - before
        };
        let few = plans(12, &[13, 18]);
        assert!(few <= 5, "{few} plans");
        // Later steps are cut as the first ones; what is left at the end differs.
        let more = plans(60, &[13, 18]);
        assert!(more <= 1, "{more} plans more");
    });
}

/// A loop that adds what each turn computes to a sum is shallow, and grows by all of a turn: it is
/// evaluated in parts, at the same place each time.
#[test]
fn shallow_loops_are_planned_in_parts() {
    on_each_device(|_| {
        let x = DeviceArray::<f64>::linspace(0.0, 1.0, 64);
        x.eval().unwrap();
        let added = |turns: usize| {
            let mut sum = DeviceArray::<f64>::zeros([]);
            for k in 0..turns {
                let a = &x * (k as f64 / 100.0);
                let b = a.sin() + a.cos();
                let c = (&b * &b - &a).abs().sqrt();
                sum += c.maximum(&b).minimum(&a).sum(..);
            }
            sum
        };
        let wanted = |turns: usize| -> f64 {
            let x = x.to_vec().unwrap();
            let turn = |k: usize| -> f64 {
                let of = |x: &f64| {
                    let a = x * (k as f64 / 100.0);
                    let b = a.sin() + a.cos();
                    (b * b - a).abs().sqrt().max(b).min(a)
                };
                x.iter().map(of).sum()
            };
            (0..turns).map(turn).sum()
        };
        let mut made = Vec::new();
        for turns in [700, 1400] {
            let before = counters();
            let found = added(turns).item().unwrap();
            let (after, wanted) = (counters(), wanted(turns));
            assert!((found - wanted).abs() < 1e-10 * wanted, "{found} for {wanted}");
            // Each turn is of ten operations or more, and one deeper than the turn before.
            let least = turns as u64 * 10 / 1536;
            assert!(after.evaluations - before.evaluations >= least, "{turns} turns at once");
            made.push(after.plans - before.plans);
        }
        assert!(made.iter().all(|&plans| plans <= 4), "{made:?} plans");
    });
}
