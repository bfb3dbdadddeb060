//! Stiff equations by Rodas5P: against SciPy's solutions, and what is known exactly.

use crate::ode::{Array, array, near, numbers, of_member};
use crate::support::load::json;
use crate::support::on_each_device;
use lazuli::counters;
use lazuli::ode::{self, Method, Options, Solution, Status};
use lazuli::prelude::*;

type Field = Box<dyn Fn(&Array, &Vec<Array>) -> Vec<Array>>;

fn stiff() -> Options {
    Options::new().method(Method::Rodas5P)
}

/// The equations of `tests/data/ode/generate.py`, for parameters of members.
fn field(name: &str, p: Array) -> Field {
    match name {
        "robertson" => Box::new(move |_, y| {
            let (slow, back) = (0.04 * &y[0], &p * &y[1] * &y[2]);
            let fast = 3e7 * &y[1] * &y[1];
            vec![&back - &slow, slow - back - &fast, fast]
        }),
        "van_der_pol" => {
            Box::new(move |_, y| vec![y[1].clone(), &p * (1.0 - &y[0] * &y[0]) * &y[1] - &y[0]])
        }
        "hires" => Box::new(move |_, y| hires(&p, y)),
        "oregonator" => Box::new(move |_, y| {
            let (a, b, c) = (&y[0], &y[1], &y[2]);
            vec![77.27 * (b + a * (1.0 - &p * a - b)), (c - (1.0 + a) * b) / 77.27, 0.161 * (a - c)]
        }),
        "prothero_robinson" => Box::new(move |t, y| vec![-&p * (&y[0] - t.cos()) - t.sin()]),
        _ => panic!("no equation {name}"),
    }
}

fn hires(p: &Array, y: &[Array]) -> Vec<Array> {
    let met = p * &y[5] * &y[7];
    vec![
        -1.71 * &y[0] + 0.43 * &y[1] + 8.32 * &y[2] + 0.0007,
        1.71 * &y[0] - 8.75 * &y[1],
        -10.03 * &y[2] + 0.43 * &y[3] + 0.035 * &y[4],
        8.32 * &y[1] + 1.71 * &y[2] - 1.12 * &y[3],
        -1.745 * &y[4] + 0.43 * &y[5] + 0.43 * &y[6],
        -&met + 0.69 * &y[3] + 1.71 * &y[4] - 0.43 * &y[5] + 0.69 * &y[6],
        &met - 1.81 * &y[6],
        -met + 1.81 * &y[6],
    ]
}

#[test]
fn solutions_are_those_of_scipy() {
    let cases = json("ode/stiff.json");
    on_each_device(|_| {
        for case in cases["cases"].as_array().unwrap() {
            let name = case["name"].as_str().unwrap();
            let (start, p) = (numbers(&case["start"]), numbers(&case["parameters"]));
            let (interval, times) = (numbers(&case["interval"]), numbers(&case["times"]));
            let n = p.len();
            let y0: Vec<Array> = start.iter().map(|&y| Array::full(n, y)).collect();
            let f = field(name, array(&p));
            // Components of Robertson's equations are from 1 down to 1e-9.
            let atol = if name == "robertson" { 1e-13 } else { 1e-10 };
            let options = stiff().rtol(1e-8).atol(atol).t_eval(&times);
            let solution = ode::solve(f, (interval[0], interval[1]), y0, &options);
            assert_eq!(solution.statuses().unwrap(), vec![Status::Finished; n], "{name}");
            let steps = solution.accepted.max(..).item().unwrap();
            assert!(steps < 10_000, "{name}: {steps} steps");
            let ys: Vec<Vec<f64>> = solution.ys.iter().map(|y| y.to_vec().unwrap()).collect();
            for (m, member) in case["members"].as_array().unwrap().iter().enumerate() {
                for (at, state) in member.as_array().unwrap().iter().enumerate() {
                    for (k, &want) in numbers(state).iter().enumerate() {
                        let found = ys[k][at * n + m];
                        // Between steps the interpolation of very stiff components is of less order.
                        let inside = name == "prothero_robinson" && times[at] < interval[1];
                        let relative = if inside { 3e-5 } else { 1e-5 };
                        let bound = relative * want.abs() + 10.0 * atol;
                        let what = format!("{name} {}, time {}, component {k}", p[m], times[at]);
                        assert!((found - want).abs() <= bound, "{what}: {found}, not {want}");
                    }
                }
            }
        }
    });
}

#[test]
fn errors_shrink_as_the_order_says() {
    on_each_device(|_| {
        // Steps of one size, by a tolerance that refuses none; a pair that reads the time, whose
        // solution is (cos t, sin t), and the logistic equation, which does not.
        let (time, steps) = (0.4321, [8, 16]);
        let options = |steps: usize, method: Method| {
            let h = 1.0 / steps as f64;
            let options = Options::new().method(method).rtol(1.0).atol(1.0);
            options.first_step(h).max_step(h).t_eval(&[time])
        };
        let timed = |steps: usize| {
            let f = |t: &Array, (x, y): &(Array, Array)| {
                let r = x * x + y * y - 1.0;
                (-y + &r * t * x, x + &r * t * y + (t.cos() - x) * t)
            };
            let start = (Array::full((), 1.0), Array::full((), 0.0));
            let s = ode::solve(f, (0.0, 1.0), start, &options(steps, Method::Rodas5P));
            let (end, dense) = (s.y.0.item().unwrap(), s.ys.1.to_vec().unwrap()[0]);
            ((end - 1f64.cos()).abs(), (dense - time.sin()).abs())
        };
        let logistic = |steps: usize| {
            let f = |_: &Array, y: &Array| y * (1.0 - y) * 3.0;
            let exact = |t: f64| 1.0 / (1.0 + 9.0 * (-3.0 * t).exp());
            let start = Array::full((), 0.1);
            let s = ode::solve(f, (0.0, 1.0), start, &options(steps, Method::Rodas5P));
            let (end, dense) = (s.y.item().unwrap(), s.ys.to_vec().unwrap()[0]);
            ((end - exact(1.0)).abs(), (dense - exact(time)).abs())
        };
        let runs: [(&str, &dyn Fn(usize) -> (f64, f64)); 2] =
            [("timed", &timed), ("logistic", &logistic)];
        for (name, run) in runs {
            let [coarse, fine] = steps.map(run);
            let order = (coarse.0 / fine.0).log2();
            assert!((order - 5.0).abs() < 0.3, "{name}: order {order}");
            assert!(fine.1 < 1e-7 && fine.1 < coarse.1 / 8.0, "{name}: {coarse:?} {fine:?}");
        }
    });
}

#[test]
fn linear_systems_are_solved_exactly() {
    on_each_device(|device| {
        // Of 1, 3, 8 and 16 components: rates from 1 to 1e8, mixed by a reflection, with rows in an
        // order that needs pivots: y' = Q·(−rates)·Q·y.
        for (n, rtol) in [(1usize, 1e-9), (3, 1e-9), (8, 1e-9), (16, 1e-6)] {
            // Steps of 16 components are thousands of kernels, which a GPU's compiler has to make.
            if n == 16 && device.is_cuda() {
                continue;
            }
            let rates: Vec<f64> = (0..n).map(|k| 10f64.powi(8 * k as i32 / 16)).collect();
            let mixed = |y: &[Array]| -> Vec<Array> {
                let mean = y.iter().cloned().reduce(|a, b| a + b).unwrap() * (2.0 / n as f64);
                y.iter().map(|y| &mean - y).collect()
            };
            let f = |_: &Array, y: &Vec<Array>| {
                let inner =
                    mixed(y).iter().zip(&rates).map(|(y, rate)| -*rate * y).collect::<Vec<_>>();
                mixed(&inner)
            };
            let y0: Vec<Array> = (0..n).map(|k| array(&[1.0, k as f64, -2.0])).collect();
            let options = stiff().rtol(rtol).atol(0.01 * rtol);
            let solution = ode::solve(f, (0.0, 0.7), y0.clone(), &options);
            assert_eq!(solution.statuses().unwrap(), [Status::Finished; 3]);
            assert!(solution.accepted.max(..).item().unwrap() < 250);
            let decayed = mixed(&y0);
            let decayed = decayed.iter().zip(&rates).map(|(y, rate)| y * (-rate * 0.7).exp());
            for (found, want) in solution.y.iter().zip(mixed(&decayed.collect::<Vec<_>>())) {
                for (found, want) in found.to_vec().unwrap().iter().zip(want.to_vec().unwrap()) {
                    near(*found, want, 10.0 * rtol, &format!("{n} components"));
                }
            }
        }
        // A fast rotation: no entry of the diagonal is a good pivot.
        let turn = |_: &Array, (x, y): &(Array, Array)| (1e4 * y, -1e4 * x);
        let start = (Array::full(1, 1.0), Array::full(1, 0.0));
        let end = ode::solve(turn, (0.0, 1e-3), start, &stiff().rtol(1e-9).atol(1e-11));
        near(end.y.0.to_vec().unwrap()[0], 10f64.cos(), 1e-7, "a rotation");
    });
}

#[test]
fn a_turn_is_one_launch() {
    on_each_device(|_| {
        let p = array(&[1e4, 2e4, 3e4]);
        let f = field("robertson", p);
        let start: Vec<Array> = [1.0, 0.0, 0.0].iter().map(|&y| Array::full(3, y)).collect();
        for y in &start {
            y.eval().unwrap();
        }
        let solution = ode::solve(&f, (0.0, 1e5), start, &stiff());
        let before = counters();
        solution.eval().unwrap();
        let kernels = counters().kernels - before.kernels;
        let tried = (&solution.accepted + &solution.rejected).max(..).item().unwrap();
        // A turn tries four steps, and asks once who goes on.
        let turns = u64::try_from(tried).unwrap().div_ceil(4);
        assert!(kernels <= 2 * turns + 6, "{kernels} kernels for {tried} steps");
    });
}

/// A linear equation that follows a wave, with a member that fails by its parameter.
fn following(p: &[f64], start: &[f64]) -> Solution<Vec<Array>> {
    let p = array(p);
    let f = |t: &Array, y: &Vec<Array>| {
        let followed = -&p * (&y[0] - t.cos());
        // Negative parameters blow up, 7 leaves the domain of its root.
        let blown = p.less(0.0).select(&y[0] * &y[0] * 5.0, followed);
        let slope = p.equal(7.0).select((0.5 - t).sqrt(), blown);
        vec![slope, &y[1] * 0.0 + t]
    };
    let y0 = vec![array(start), Array::zeros(start.len())];
    let options = stiff().max_steps(600).t_eval(&[0.1, 0.3, 1.9]);
    ode::solve(f, (0.0, 2.0), y0, &options)
}

#[test]
fn members_do_not_see_each_other() {
    on_each_device(|device| {
        // On a GPU the kernel of one member and that of eight may differ in their last bits, of which
        // differences of slopes make more.
        let bound = if device.is_cuda() { 1e-7 } else { 1e-9 };
        let p = [1e-3, 0.5, 20.0, 1e8, -5.0, f64::NAN, 7.0, 2.0];
        let start = [1.0, 2.0, -1.0, 1.0, 1.0, 1.0, 3.0, f64::INFINITY];
        let want = [
            Status::Finished,
            Status::Finished,
            Status::Finished,
            Status::Finished,
            Status::StepTooSmall,
            Status::NotFinite,
            Status::NotFinite,
            Status::NotFinite,
        ];
        let all = following(&p, &start);
        assert_eq!(all.statuses().unwrap(), want);
        // With nothing but good members in the places of those that fail, the bits are the same.
        let good = following(&[&p[..4], &[1.0; 4]].concat(), &[&start[..4], &[1.0; 4]].concat());
        assert_eq!(good.statuses().unwrap(), [Status::Finished; 8]);
        for member in 0..4 {
            assert_eq!(of_member(&all, member, 8), of_member(&good, member, 8), "member {member}");
        }
        for member in 0..p.len() {
            let alone = following(&p[member..=member], &start[member..=member]);
            assert_eq!(alone.statuses().unwrap(), [want[member]], "member {member}");
            // Where a member fails, the last bits decide how near to the singularity it came.
            if device.is_cuda() && want[member] != Status::Finished {
                continue;
            }
            let (alone, among) = (of_member(&alone, 0, 1), of_member(&all, member, p.len()));
            let same = alone.iter().zip(&among).all(|(a, b)| {
                let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
                a == b || (a - b).abs() <= bound * a.abs() || a.is_nan() && b.is_nan()
            });
            assert!(same, "member {member}: {alone:?} and {among:?}");
        }
        let t = all.t.to_vec().unwrap();
        near(t[4], 0.2, 1e-3, "the singularity");
        near(t[6], 0.5, 1e-3, "the end of the root's domain");
        near(all.y[1].to_vec().unwrap()[3], 2.0, 1e-9, "the integral of time");
        // Stiff ones take no more steps than slow ones.
        assert!(all.accepted.to_vec().unwrap()[3] < 100);
    });
}

#[test]
fn both_precisions_and_all_kinds_of_states() {
    on_each_device(|_| {
        // f32: a fast and a slow component, with and without an absolute tolerance.
        let y0 = DeviceArray::from_slice(&[1.0f32, 0.5]).unwrap();
        let rate = DeviceArray::from_slice(&[1e4f32, 1e2]).unwrap();
        for atol in [1e-6, 0.0] {
            let options = stiff().rtol(1e-4).atol(atol).t_eval(&[0.5, 1.0]);
            let f = |t: &DeviceArray<f32>, y: &DeviceArray<f32>| -&rate * (y - t.cos());
            let solution = ode::solve(f, (0.0, 1.0), y0.clone(), &options);
            assert_eq!(solution.statuses().unwrap(), [Status::Finished; 2], "{atol}");
            for (member, rate) in [1e4, 1e2].into_iter().enumerate() {
                // After the start y = (r² cos t + r sin t) / (r² + 1).
                let exact = |t: f64| (rate * rate * t.cos() + rate * t.sin()) / (rate * rate + 1.0);
                let end = f64::from(solution.y.to_vec().unwrap()[member]);
                near(end, exact(1.0), 1e-4, "f32");
                let half = f64::from(solution.ys.to_vec().unwrap()[member]);
                near(half, exact(0.5), 1e-3, "f32, dense");
            }
        }
        // Backwards: what is stable towards the start.
        let f = |t: &Array, [y]: &[Array; 1]| [1e5 * (y - t.sin())];
        let options = stiff().rtol(1e-7).atol(1e-9).t_eval(&[2.5, 1.0]);
        let solution = ode::solve(f, (3.0, 1.0), [array(&[0.0, 1.0])], &options);
        assert_eq!(solution.statuses().unwrap(), [Status::Finished; 2]);
        for (k, t) in [2.5f64, 2.5, 1.0, 1.0].into_iter().enumerate() {
            near(solution.ys[0].to_vec().unwrap()[k], t.sin(), 2e-5, "backwards");
        }
        assert!(solution.accepted.max(..).item().unwrap() < 200);
        // Large numbers and tiny ones, matrices of members, 0-d, none.
        let scale = array(&[1e300, 1.0, 1e-300, -2.0]).reshape([2, 2]);
        let solution =
            ode::solve(|_, y| -1e3 * y, (0.0, 1e-3), scale, &stiff().rtol(1e-8).atol(0.0));
        for (found, want) in solution.y.to_vec().unwrap().iter().zip([1e300, 1.0, 1e-300, -2.0f64])
        {
            assert!((found - want * (-1f64).exp()).abs() <= 1e-6 * want.abs(), "{found}, {want}");
        }
        let zero_d = ode::solve(|_, y: &Array| -y, (0.0, 1.0), Array::full((), 1.0), &stiff());
        near(zero_d.y.item().unwrap(), (-1f64).exp(), 1e-3, "0-d");
        let empty = ode::solve(|_, y: &Array| -y, (0.0, 1.0), Array::zeros([0, 2]), &stiff());
        assert_eq!(empty.statuses().unwrap(), []);
        let still = ode::solve(|_, y: &Array| -y, (1.0, 1.0), array(&[2.0]), &stiff());
        assert_eq!(still.y.to_vec().unwrap(), [2.0]);
    });
}

#[test]
fn what_it_cannot_solve_is_an_error() {
    on_each_device(|_| {
        let ring = |_: &Array, y: &Array| y.roll(1, 1) - y;
        let options = stiff().coupled(&[1]);
        let error = ode::try_solve(ring, (0.0, 1.0), Array::ones([2, 3]), &options).unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains("explicit"), "{error}");
        let many = vec![Array::ones(2); 17];
        let decay = |_: &Array, y: &Vec<Array>| y.iter().map(|y| -y).collect::<Vec<_>>();
        let error = ode::try_solve(decay, (0.0, 1.0), many, &stiff()).unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains("17"), "{error}");
        let fewer = |_: &Array, y: &Vec<Array>| vec![y[0].clone()];
        let two = vec![Array::ones(2); 2];
        assert!(ode::try_solve(fewer, (0.0, 1.0), two, &stiff()).unwrap_err().is_shape());
        let rng = std::cell::RefCell::new(lazuli::random::Generator::new(1));
        let noisy = |_: &Array, y: &Array| y + rng.borrow_mut().random::<f64>(2);
        let error = ode::try_solve(noisy, (0.0, 1.0), Array::ones(2), &stiff()).unwrap_err();
        assert!(error.is_unsupported(), "{error}");
    });
}
