//! Loops that ask for one value in each turn, as programs print a diagnostic: what was computed for
//! an array that the program still holds is not computed again. Each loop is run twice, asking for
//! the value alone and evaluating the state with it, and what both did is counted.

use crate::support::{Rng, on_each_device};
use lazuli::prelude::*;
use lazuli::{Counters, counters, explain};
use std::collections::HashSet;

type A = DeviceArray<f64>;

fn random(shape: &[usize], seed: u64) -> A {
    let mut rng = Rng(seed);
    let values = (0..shape.iter().product()).map(|_| rng.within(0.5, 2.0)).collect();
    DeviceArray::from_vec(shape, values).expect("an upload")
}

/// What some code did.
fn did(f: impl FnOnce()) -> Counters {
    let before = counters();
    f();
    let after = counters();
    let mut found = after;
    found.kernels -= before.kernels;
    found.library_calls -= before.library_calls;
    found.plans -= before.plans;
    found.allocated -= before.allocated;
    found
}

/// The turns in which a loop may learn.
const FIRST: usize = 6;
const TURNS: usize = 100;

/// [`costs_as_much`] in at most a fifth more kernels, too.
#[track_caller]
fn costs_little_more<const N: usize>(start: [A; N], step: impl Fn(&mut [A; N]) -> A) {
    let [alone, together] = costs_as_much(start, step, 1.2);
    assert!(5 * alone.kernels <= 6 * together.kernels, "{alone:?}\n{together:?}");
}

/// Runs a loop that asks for one value in each turn, and the same loop evaluating the whole state
/// with it; the first is to store at most so many times as much as the second, make no plans, and
/// give the same values. Gives what both did.
#[track_caller]
fn costs_as_much<const N: usize>(
    start: [A; N],
    step: impl Fn(&mut [A; N]) -> A,
    most: f64,
) -> [Counters; 2] {
    let (mut asked, mut evaluated) = (start.clone(), start);
    eval(&evaluated.each_ref().map(|a| a as &dyn AnyArray)).unwrap();
    let (mut values, mut expected) = (Vec::new(), Vec::new());
    let mut ask = |turns: usize| {
        did(|| (0..turns).for_each(|_| values.push(step(&mut asked).item().unwrap())))
    };
    ask(FIRST);
    let alone = ask(TURNS);
    let mut with_state = |turns: usize| {
        did(|| {
            for _ in 0..turns {
                let value = step(&mut evaluated);
                let mut all: Vec<&dyn AnyArray> = vec![&value];
                all.extend(evaluated.iter().map(|a| a as &dyn AnyArray));
                eval(&all).unwrap();
                expected.push(value.item().unwrap());
            }
        })
    };
    with_state(FIRST);
    let together = with_state(TURNS);
    for (a, b) in values.iter().zip(&expected) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} where {b} is right");
    }
    assert!(alone.plans <= 2, "a plan in every turn: {alone:?}");
    assert!(alone.library_calls <= together.library_calls, "{alone:?}\n{together:?}");
    let bytes = [alone, together].map(|counters| counters.allocated as f64);
    assert!(bytes[0] <= most * bytes[1], "{alone:?}\n{together:?}");
    [alone, together]
}

fn laplacian(a: &A) -> A {
    a.roll(1, 0) + a.roll(-1, 0) + a.roll(1, 1) + a.roll(-1, 1) - 4.0 * a
}

#[test]
fn a_stencil() {
    on_each_device(|_| {
        costs_little_more([random(&[64, 64], 1)], |[s]| {
            *s = &*s + 0.1 * laplacian(s);
            s.square().sum(..)
        });
    });
}

#[test]
fn a_scan() {
    on_each_device(|_| {
        costs_little_more([random(&[64, 64], 1)], |[s]| {
            *s = 0.9 * &*s + 0.001 * s.cumsum(0);
            s.sum(..)
        });
    });
}

#[test]
fn a_product() {
    on_each_device(|_| {
        let a = random(&[64, 64], 2) / 100.0;
        costs_little_more([random(&[64, 64], 1)], |[s]| {
            *s = s.matmul(&a) + 0.01;
            s.mean(..)
        });
    });
}

#[test]
fn an_assigned_slice() {
    on_each_device(|_| {
        costs_little_more([random(&[64, 64], 1)], |[s]| {
            let inner = (s.slice(s![..-2, 1..-1]) + s.slice(s![2.., 1..-1])) * 0.5;
            s.assign(s![1..-1, 1..-1], &inner);
            s.max(..)
        });
    });
}

#[test]
fn sums_over_pairs() {
    on_each_device(|_| {
        costs_little_more([random(&[64], 1)], |[s]| {
            let d = &*s - s.insert_axis(1);
            *s = &*s + 0.001 * (&d / (d.square() + 0.1)).sum(1);
            s.square().sum(..)
        });
    });
}

#[test]
fn two_fields_of_which_one_is_asked_for() {
    on_each_device(|_| {
        let fields = || [random(&[64, 64], 1) / 4.0, random(&[64, 64], 2) / 4.0];
        // From both fields of the turn before: `v` is computed when the next turn's `u` needs it,
        // each field by a kernel of its own.
        let [alone, together] = costs_as_much(
            fields(),
            |[u, v]| {
                let (u1, v1) = (&*u + 0.1 * laplacian(v), &*v - 0.1 * laplacian(u));
                (*u, *v) = (u1, v1);
                u.square().sum(..)
            },
            1.2,
        );
        assert!(alone.kernels <= 2 * together.kernels, "{alone:?}\n{together:?}");
        // One after the other, with a term that both share and that is stored between them.
        let [alone, together] = costs_as_much(
            fields(),
            |[u, v]| {
                let uvv = &*u * &*v * &*v;
                *u = &*u + 0.16 * laplacian(u) - &uvv + 0.03 * (1.0 - &*u);
                *v = &*v + 0.08 * laplacian(v) + uvv - 0.09 * &*v;
                u.sum(..)
            },
            1.6,
        );
        assert!(5 * alone.kernels <= 6 * together.kernels, "{alone:?}\n{together:?}");
        let [alone, together] = costs_as_much(
            fields(),
            |[u, v]| {
                let uvv = &*u * &*v * &*v;
                *u = &*u + 0.16 * laplacian(u) - &uvv + 0.03 * (1.0 - &*u);
                *v = &*v + 0.08 * laplacian(v) + uvv - 0.09 * &*v;
                v.sum(..)
            },
            1.6,
        );
        assert!(5 * alone.kernels <= 6 * together.kernels, "{alone:?}\n{together:?}");
    });
}

#[test]
fn a_probe_is_no_reason_to_compute_all_turns_again() {
    on_each_device(|_| {
        costs_little_more([random(&[64, 64], 1)], |[s]| {
            *s = &*s + 0.1 * laplacian(s);
            s.slice(s![32, 32])
        });
    });
}

#[test]
fn several_values_of_one_state() {
    on_each_device(|_| {
        let step = |s: &mut A| *s = &*s + 0.1 * laplacian(s);
        let mut s = random(&[64, 64], 1);
        let mut turn = || {
            step(&mut s);
            let sum = s.sum(..).item().unwrap();
            let (low, high) = (s.min(..).item().unwrap(), s.max(..).item().unwrap());
            assert!(low * 4096.0 <= sum && sum <= high * 4096.0);
        };
        (0..FIRST).for_each(|_| turn());
        let found = did(|| (0..TURNS).for_each(|_| turn()));
        assert_eq!((found.plans, found.kernels), (0, 3 * TURNS as u64));
        // 32 KiB of the state, and the results with what they are put together from.
        assert!(found.allocated <= 40_000 * TURNS as u64, "{found:?}");
    });
}

#[test]
fn a_value_of_every_tenth_turn() {
    on_each_device(|_| {
        let mut s = random(&[64, 64], 1);
        let mut turns = || {
            for _ in 0..10 {
                s = &s + 0.1 * laplacian(&s);
            }
            assert!(s.sum(..).item().unwrap().is_finite());
        };
        (0..FIRST).for_each(|_| turns());
        let found = did(|| (0..10).for_each(|_| turns()));
        assert_eq!(found.plans, 0, "{found:?}");
    });
}

#[test]
fn diagnostics_that_are_assigned_to_places() {
    on_each_device(|_| {
        let mut s = random(&[64, 64], 1);
        let (mut kinetic, mut potential) = (DeviceArray::zeros([200]), DeviceArray::zeros([200]));
        let mut turn = |i: isize| {
            s = &s + 0.1 * laplacian(&s);
            kinetic.assign(s![i], s.square().sum(..));
            potential.assign(s![i], (&s * s.roll(1, 0)).sum(..));
        };
        (0..40).for_each(&mut turn);
        let found = did(|| (40..140).for_each(&mut turn));
        assert!(found.kernels <= 450, "{} kernels in 100 turns", found.kernels);
        assert!(found.plans <= 4, "{found:?}");
    });
}

#[test]
fn a_value_that_is_assigned_twice_is_computed_once() {
    on_each_device(|_| {
        let (a, b) = (random(&[64, 64], 1), random(&[64, 64], 2));
        let mut corr = DeviceArray::<f64>::zeros([64, 64]);
        let mut turn = |i: isize| {
            let c = (&a * i as f64).matmul(&b).exp().sum(0);
            corr.assign(s![i, ..], &c);
            corr.assign(s![.., i], &c);
        };
        (0..20).for_each(&mut turn);
        let found = did(|| (20..60).for_each(&mut turn));
        assert!(found.library_calls <= 40, "{found:?}");
    });
}

#[test]
fn what_nobody_asks_for_again_is_not_stored() {
    on_each_device(|_| {
        let x = random(&[1000], 1);
        let turn = || {
            // Held until the end of the turn, and asked for once.
            let y = x.sin() + 1.0;
            let z = &y * &x;
            assert!(z.sum(..).item().unwrap() > 0.0);
        };
        let found = did(|| (0..20).for_each(|_| turn()));
        assert_eq!(found.kernels, 20);
        assert!(found.allocated < 20 * 4000, "{} bytes", found.allocated);
    });
}

#[test]
fn explain_tells_what_is_kept() {
    on_each_device(|_| {
        let x = random(&[1000], 1);
        let y = x.sin() + 1.0;
        let sum = y.sum(..);
        let before = explain(&[&sum]).to_string();
        assert!(before.contains("not kept"), "{before}");
        sum.item().unwrap();
        let after = explain(&[&y.max(..)]).to_string();
        assert!(after.contains("kept: add float64[1000]"), "{after}");
    });
}

/// Loops that are recorded as a whole: the work of a turn does not grow with their number, nor do
/// the kernels that a compiler has to make.
#[test]
fn turns_that_are_recorded_before_anything_is_asked_for() {
    let pairs = |s: &A| {
        let d = s - s.insert_axis(1);
        s + 0.001 * (&d / (d.square() + 0.1)).sum(1)
    };
    let spread = |s: &A| s + 0.1 * laplacian(s);
    on_each_device(|_| {
        for (shape, turn) in
            [(&[64][..], &pairs as &dyn Fn(&A) -> A), (&[64, 64][..], &spread as &dyn Fn(&A) -> A)]
        {
            for turns in [5, 10, 14, 15, 17, 20, 40] {
                let (mut recorded, mut stepwise) = (random(shape, 1), random(shape, 1));
                for _ in 0..turns {
                    recorded = turn(&recorded);
                    stepwise = turn(&stepwise);
                    stepwise.eval().unwrap();
                }
                let plan = explain(&[&recorded]);
                let distinct: HashSet<&str> = plan.sources().collect();
                assert!(plan.kernels() <= 2 * turns && distinct.len() <= 12, "{plan}");
                let (found, expected) = (recorded.to_vec().unwrap(), stepwise.to_vec().unwrap());
                for (a, b) in found.iter().zip(&expected) {
                    assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} where {b} is right");
                }
            }
        }
    });
}

/// The sieve of Eratosthenes as anybody writes it: each prime crosses its multiples out in place, also
/// where an element is asked for between, and no turn copies the array.
#[test]
fn what_is_kept_behind_assignments_of_numbers_is_written_in_place() {
    let n = 100_000;
    let sieve = || {
        let mut is_prime = DeviceArray::<bool>::ones(n);
        is_prime.assign(s![..2], false);
        for p in 2..317 {
            if is_prime.slice(s![p]).item().unwrap() {
                is_prime.assign(s![p * p..;p], false);
            }
        }
        is_prime.count_nonzero(..).item().unwrap()
    };
    for _ in 0..3 {
        let mut count = 0;
        let found = did(|| count = sieve());
        assert_eq!(count, 9592);
        assert!(found.allocated < 10 * n as u64, "{found:?}");
    }
}

/// The same where rows are assigned that come from elsewhere; what comes from the array itself is
/// computed with what is asked for.
#[test]
fn kept_rows_from_elsewhere_are_written_in_place() {
    let (rows, len) = (40, 1000);
    let from = random(&[rows, len], 5);
    from.eval().unwrap();
    let mut table = A::zeros([rows, len]);
    table.eval().unwrap();
    let mut wanted = vec![0.0; rows];
    let all = from.to_vec().unwrap();
    let found = did(|| {
        for (r, wanted) in wanted.iter_mut().enumerate() {
            table.assign(s![r, ..], from.slice(s![r, ..]) * 2.0);
            *wanted = table.slice(s![r, 3]).item().unwrap()
                + table.slice(s![.., 7]).sum(..).item().unwrap();
        }
    });
    for (r, wanted) in wanted.into_iter().enumerate() {
        let seven: f64 = (0..=r).map(|k| 2.0 * all[k * len + 7]).sum();
        assert!((wanted - 2.0 * all[r * len + 3] - seven).abs() < 1e-12 * wanted.abs());
    }
    assert!(found.allocated < (rows * len * 8 * 4) as u64, "{found:?}");
}

/// A loop that writes its state into a trajectory and computes the next state by products: neither copies
/// the trajectory, nor has a plan for each of its rows.
#[test]
fn a_trajectory_of_states_that_others_read_is_written_in_place() {
    let (steps, n) = (300, 6);
    let turn = A::eye(n) * 0.9 + A::eye_with(n, n, 1) * 0.1;
    let noise = (A::arange_to((steps * n) as f64) * 0.05).sin().reshape([steps, n]);
    let (mut state, mut spread) = (A::ones(n), A::eye(n));
    let mut all = A::zeros([steps, n]);
    let mut step = |t: usize| {
        state = turn.dot(&state) + spread.dot(&noise.slice(s![t, ..]));
        spread = turn.dot(&spread).dot(&turn.t()) * 0.99;
        all.assign(s![t, ..], &state);
    };
    did(|| (0..40).for_each(&mut step));
    let later = did(|| (40..steps).for_each(&mut step));
    assert!(later.plans <= 4, "{later:?}");
    assert!(later.allocated < (steps * steps * n * 8) as u64 / 4, "{later:?}");
    let (mut x, mut p) = (ndarray::Array1::<f64>::ones(n), ndarray::Array2::<f64>::eye(n));
    let by = turn.copy_to_array::<ndarray::Ix2>().unwrap();
    let found = all.copy_to_array::<ndarray::Ix2>().unwrap();
    for (t, row) in found.rows().into_iter().enumerate() {
        let at = |k: usize| (((t * n + k) as f64) * 0.05).sin();
        x = by.dot(&x) + p.dot(&ndarray::Array1::from_shape_fn(n, at));
        p = by.dot(&p).dot(&by.t()) * 0.99;
        assert!(row.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-9), "{t}: {row} {x}");
    }
}

/// Red-black sweeps, each of four assignments to every other element of every other row: in place on the
/// processor, without a copy of the field, and with the values of loops over elements.
#[test]
fn every_other_element_is_written_in_place() {
    let n = 66;
    let mut u = A::zeros([n, n]);
    u.assign(s![0, ..], 1.0);
    let mut sweep = || {
        for (i, j) in [(1, 1), (2, 2), (1, 2), (2, 1)] {
            let part = |di: isize, dj: isize| {
                let (i, j, to) = (i + di, j + dj, n as isize - 2);
                u.slice(s![i..to + i;2, j..to + j;2])
            };
            let mean = (part(-1, 0) + part(1, 0) + part(0, -1) + part(0, 1)) * 0.25;
            u.assign(s![i..n as isize - 2 + i;2, j..n as isize - 2 + j;2], mean);
        }
        u.sum(..).item().unwrap()
    };
    did(|| drop((0..5).map(|_| sweep()).collect::<Vec<_>>()));
    let mut sum = 0.0;
    let later = did(|| sum = (5..25).map(|_| sweep()).last().unwrap());
    if u.device() == Device::cpu() {
        assert!(later.allocated < (20 * n * n * 8) as u64, "{later:?}");
        assert!(later.plans <= 4, "{later:?}");
    }
    let mut v = vec![0.0; n * n];
    v[..n].fill(1.0);
    for _ in 0..25 {
        for (i, j) in [(1, 1), (2, 2), (1, 2), (2, 1)] {
            for i in (i..n - 2 + i).step_by(2) {
                for j in (j..n - 2 + j).step_by(2) {
                    let at = i * n + j;
                    v[at] = (v[at - n] + v[at + n] + v[at - 1] + v[at + 1]) * 0.25;
                }
            }
        }
    }
    let found = u.to_vec().unwrap();
    assert!(found.iter().zip(&v).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!((sum - v.iter().sum::<f64>()).abs() < 1e-9);
}

/// What is kept may be held as a reshape: its slices have no plan for each place either.
#[test]
fn slices_of_a_reshape_of_what_is_kept_share_a_plan() {
    let (steps, n) = (60, 4);
    let given = (A::arange_to((2 * steps) as f64) * 0.05).sin().reshape([steps, 2]);
    let mut state = A::zeros(n);
    let (turn, see) = (A::eye(n) * 0.9 + A::eye_with(n, n, 2) * 0.1, A::eye_with(2, n, 0));
    let mut step = |t: usize| {
        state = turn.dot(&state);
        let missed = given.slice(s![t, ..]) - see.dot(&state);
        state = &state + see.t().dot(&missed) * 0.5;
        state.sum(..).item().unwrap()
    };
    let mut found: Vec<f64> = (0..20).map(&mut step).collect();
    let later = did(|| found.extend((20..steps).map(&mut step)));
    assert!(later.plans <= 4, "{later:?}");
    let mut x = [0.0; 4];
    for (t, found) in found.into_iter().enumerate() {
        x = [0.9 * x[0] + 0.1 * x[2], 0.9 * x[1] + 0.1 * x[3], 0.9 * x[2], 0.9 * x[3]];
        (0..2).for_each(|k| x[k] += 0.5 * (((2 * t + k) as f64 * 0.05).sin() - x[k]));
        assert!((found - x.iter().sum::<f64>()).abs() < 1e-12, "{t}");
    }
}

/// Rows that begin anywhere in an array are multiplied where they lie, by plans that know nothing of
/// where that is.
#[test]
fn rows_of_every_alignment_are_multiplied() {
    for (n, width) in [(3, 7), (5, 4), (8, 8), (33, 16)] {
        let steps = 40;
        let at = |t: usize, k: usize| (((t * n + k) % 13) as f32 - 6.0) * 0.125;
        let by = |k: usize, j: usize| (((k * width + j) % 7) as f32 - 3.0) * 0.25;
        let host = ndarray::Array2::from_shape_fn((steps, n), |(t, k)| at(t, k));
        let xs = DeviceArray::<f32>::from_ndarray(&host).unwrap();
        let w = ndarray::Array2::from_shape_fn((n, width), |(k, j)| by(k, j));
        let w = DeviceArray::<f32>::from_ndarray(&w).unwrap();
        let mut state = DeviceArray::<f32>::zeros(width);
        let mut sums = Vec::new();
        let mut step = |t: usize| {
            let two = xs.slice(s![t..t + 2, ..]).dot(&w).sum(0);
            state = &state * 0.5 + two + xs.slice(s![t, ..]).dot(&w);
            sums.push(state.sum(..).item().unwrap());
        };
        (0..12).for_each(&mut step);
        let later = did(|| (12..steps - 1).for_each(&mut step));
        assert!(later.plans <= 4, "{n}: {later:?}");
        let mut state = vec![0.0f32; width];
        for (t, sum) in sums.into_iter().enumerate() {
            for (j, x) in state.iter_mut().enumerate() {
                let row = |t: usize| (0..n).map(|k| at(t, k) * by(k, j)).sum::<f32>();
                *x = *x * 0.5 + 2.0 * row(t) + row(t + 1);
            }
            let want: f32 = state.iter().sum();
            assert!((sum - want).abs() < 1e-4 * (1.0 + want.abs()), "{n} {t}: {sum} {want}");
        }
    }
}

/// Layers whose weights and biases are parts of stacks, in every type that libraries multiply, and
/// factorisations of the parts of a stack: what they give is what wholes of their own give.
#[test]
fn parts_of_stacks_go_to_libraries() {
    fn layers<T: Real>(tolerance: f64) {
        let number = |k: usize| ((k * 37 + k * k * 11) % 101) as f64 / 50.0 - 1.0;
        let array = |shape: &[usize]| {
            let values = (0..shape.iter().product()).map(number).collect();
            A::from_vec(shape, values).unwrap().cast::<T>()
        };
        for n in [3, 5, 8, 24] {
            let (weights, biases) = (array(&[9, n, n]), array(&[9, n]));
            let (mut x, mut want) = (array(&[4, n]), array(&[4, n]));
            lazuli::eval(&[&weights, &biases, &x]).unwrap();
            for k in 0..9 {
                x = (x.dot(&weights.slice(s![k])) + biases.slice(s![k])).maximum(&x);
                let whole = |a: &DeviceArray<T>| {
                    let host = a.slice(s![k]).copy_to_host().unwrap();
                    DeviceArray::<T>::from_ndarray(&host).unwrap()
                };
                want = (want.dot(&whole(&weights)) + whole(&biases)).maximum(&want);
                let host = |a: &DeviceArray<T>| a.cast::<f64>().copy_to_host().unwrap();
                let (x, want) = (host(&x), host(&want));
                let scale = want.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
                let off = (x - want).iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                assert!(off <= tolerance * scale, "{} {n}, layer {k}: {off:e}", T::DTYPE);
            }
        }
    }
    layers::<f64>(1e-13);
    layers::<f32>(1e-5);
    layers::<f16>(1e-2);
    layers::<bf16>(1e-1);
    for n in [3, 5, 33] {
        let stack = A::from_vec(
            [7, n, n],
            (0..7 * n * n).map(|k| ((k * 37 + k * k * 11) % 101) as f64 / 50.0 - 1.0).collect(),
        );
        let stack = stack.unwrap();
        let stack = stack.matmul(&stack.swap_axes(1, 2)) + A::eye(n) * n as f64;
        stack.eval().unwrap();
        let b = stack.sum(2);
        b.eval().unwrap();
        for k in 0..7 {
            let (a, b) = (stack.slice(s![k]), b.slice(s![k]));
            let near = |what: &str, got: A, want: &A| {
                let off = (got - want).abs().max(..).item().unwrap();
                assert!(off < 1e-10 * n as f64, "{what} of {n}, {k}: {off:e}");
            };
            near("solve", a.solve(&b), &A::ones(n));
            let lower = a.cholesky();
            near("cholesky", lower.dot(&lower.t()), &a);
            let (w, v) = a.eigh();
            near("eigh", (&v * &w).dot(&v.t()), &a);
            let (q, r) = a.qr();
            near("qr", q.dot(&r), &a);
        }
    }
}
