//! Differential equations: against SciPy's solutions of each member, and what is known exactly.

use crate::support::load::json;
use crate::support::{on_each_device, panic_message};
use lazuli::ode::{self, Method, Options, Solution, Status};
use lazuli::prelude::*;
use lazuli::{counters, random::Generator};
use serde_json::Value as Json;

pub type Array = DeviceArray<f64>;
type Field = Box<dyn Fn(&Array, &Vec<Array>) -> Vec<Array>>;

pub fn array(values: &[f64]) -> Array {
    DeviceArray::from_slice(values).unwrap()
}

pub fn numbers(json: &Json) -> Vec<f64> {
    json.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[track_caller]
pub fn near(found: f64, want: f64, tolerance: f64, what: &str) {
    let error = (found - want).abs();
    assert!(error <= tolerance * (1.0 + want.abs()), "{what}: {found}, not {want}");
}

/// The equations of `tests/data/ode/generate.py`, for parameters of members.
fn field(name: &str, p: Array) -> Field {
    match name {
        "decay" => Box::new(move |_, y| vec![-&p * &y[0]]),
        "oscillator" => Box::new(move |_, y| vec![y[1].clone(), -&p * &y[0]]),
        "logistic" => Box::new(move |_, y| vec![&p * &y[0] * (1.0 - &y[0])]),
        "driven" | "backward" => {
            Box::new(move |t, y| vec![y[1].clone(), -&y[0] - 0.1 * &y[1] + (&p * t).cos()])
        }
        "van_der_pol" => {
            Box::new(move |_, y| vec![y[1].clone(), &p * (1.0 - &y[0] * &y[0]) * &y[1] - &y[0]])
        }
        "lorenz" => Box::new(move |_, y| lorenz(&p, y)),
        "ring" => Box::new(move |_, y| {
            vec![p.insert_axis(1) * (y[0].roll(1, 1) + y[0].roll(-1, 1) - 2.0 * &y[0])]
        }),
        _ => panic!("no equation {name}"),
    }
}

fn lorenz(p: &Array, y: &[Array]) -> Vec<Array> {
    let (a, b, c) = (&y[0], &y[1], &y[2]);
    vec![10.0 * (b - a), a * (p - c) - b, a * b - 8.0 / 3.0 * c]
}

fn method(name: &str) -> Method {
    match name {
        "RK23" => Method::BogackiShampine3,
        "RK45" => Method::DormandPrince5,
        _ => Method::DormandPrince8,
    }
}

/// The value of a component of a member, at the end or at one of the times.
fn value(
    parts: &[Vec<f64>],
    ring: usize,
    members: usize,
    time: usize,
    member: usize,
    k: usize,
) -> f64 {
    match ring {
        1 => parts[k][time * members + member],
        n => parts[0][(time * members + member) * n + k],
    }
}

#[test]
fn members_take_the_steps_that_scipy_takes() {
    let cases = json("ode/solutions.json");
    on_each_device(|_| {
        for case in cases["cases"].as_array().unwrap() {
            let name = case["name"].as_str().unwrap();
            let (rtol, atol) = (case["rtol"].as_f64().unwrap(), case["atol"].as_f64().unwrap());
            let what = format!("{name} {} {rtol}", case["method"]);
            let (start, p) = (numbers(&case["start"]), numbers(&case["parameters"]));
            let (interval, times) = (numbers(&case["interval"]), numbers(&case["times"]));
            let n = p.len();
            let (y0, ring) = match name {
                "ring" => (vec![array(&start).insert_axis(0) + Array::zeros([n, 1])], start.len()),
                _ => (start.iter().map(|&y| Array::full(n, y)).collect(), 1),
            };
            let options = Options::new()
                .method(method(case["method"].as_str().unwrap()))
                .rtol(rtol)
                .atol(atol);
            let options = if ring > 1 { options.coupled(&[1]) } else { options };
            let f = field(name, array(&p));
            let run =
                |options: &Options| ode::solve(&f, (interval[0], interval[1]), y0.clone(), options);
            let (end, asked) = (run(&options), run(&options.clone().t_eval(&times)));
            let host = |parts: &[Array]| -> Vec<Vec<f64>> {
                parts.iter().map(|part| part.to_vec().unwrap()).collect()
            };
            let (y, ys, same) = (host(&end.y), host(&asked.ys), host(&asked.y));
            assert_eq!(end.statuses().unwrap(), vec![Status::Finished; n], "{what}");
            assert_eq!(end.t.to_vec().unwrap(), vec![interval[1]; n], "{what}");
            // Rounding may turn where the solution is sensitive to it.
            let tolerance = if name == "lorenz" || name == "van_der_pol" { 1e-8 } else { 1e-10 };
            for (m, member) in case["members"].as_array().unwrap().iter().enumerate() {
                let count = |array: &DeviceArray<i32>| i64::from(array.to_vec().unwrap()[m]);
                for solution in [&end, &asked] {
                    let steps = (count(&solution.accepted), count(&solution.rejected));
                    let want = (member["accepted"].as_i64().unwrap(), member["rejected"].as_i64());
                    assert_eq!(steps, (want.0, want.1.unwrap()), "{what}, member {m}");
                }
                for (k, &want) in numbers(&member["y"]).iter().enumerate() {
                    near(value(&y, ring, n, 0, m, k), want, tolerance, &what);
                    near(value(&same, ring, n, 0, m, k), want, tolerance, &what);
                }
                for (at, state) in member["ys"].as_array().unwrap().iter().enumerate() {
                    for (k, &want) in numbers(state).iter().enumerate() {
                        near(value(&ys, ring, n, at, m, k), want, tolerance, &what);
                    }
                }
            }
        }
    });
}

/// The slope of the errors of a fixed-step method, on a double logarithmic scale.
fn order(run: impl Fn(f64, usize) -> f64, exact: f64) -> f64 {
    let error = |steps: usize| (run(1.0 / steps as f64, steps) - exact).abs();
    (error(20) / error(40)).log2()
}

#[test]
fn errors_shrink_as_the_orders_say() {
    on_each_device(|_| {
        // y' = y cos t, whose solution is exp(sin t), and y' = -y.
        let timed = |t: &Array, y: &Array| y * t.cos();
        let exact = 1f64.sin().exp();
        let one = || Array::full((), 1.0);
        for (name, want, found) in [
            (
                "euler",
                1.0,
                order(|h, n| ode::euler(timed, 0.0, h, n, one()).item().unwrap(), exact),
            ),
            ("rk4", 4.0, order(|h, n| ode::rk4(timed, 0.0, h, n, one()).item().unwrap(), exact)),
            (
                "euler, autonomous",
                1.0,
                order(
                    |h, n| ode::euler(|_, y| -y, 0.0, h, n, one()).item().unwrap(),
                    (-1f64).exp(),
                ),
            ),
            (
                "rk4, backwards",
                4.0,
                order(
                    |h, n| ode::rk4(timed, 1.0, -h, n, Array::full((), exact)).item().unwrap(),
                    1.0,
                ),
            ),
        ] {
            assert!((found - want).abs() < 0.15, "{name}: order {found}");
        }
        // Steps of one size, by a tolerance that refuses none.
        for (method, want, sizes) in [
            (Method::BogackiShampine3, 3.0, [20, 40]),
            (Method::DormandPrince5, 5.0, [10, 20]),
            (Method::DormandPrince8, 8.0, [4, 8]),
        ] {
            let error = |steps: usize, dense: bool| {
                let h = 1.0 / steps as f64;
                let options = Options::new().method(method).rtol(1.0).atol(1.0).first_step(h);
                let options = options.max_step(h).t_eval(&[0.4321]);
                let solution = ode::solve(timed, (0.0, 1.0), one(), &options);
                match dense {
                    true => (solution.ys.to_vec().unwrap()[0] - 0.4321f64.sin().exp()).abs(),
                    false => (solution.y.item().unwrap() - exact).abs(),
                }
            };
            let found = (error(sizes[0], false) / error(sizes[1], false)).log2();
            assert!((found - want).abs() < 0.6, "{method:?}: order {found}");
            assert!(error(sizes[1], true) < 1e-5, "{method:?}");
        }
    });
}

#[test]
fn fixed_steps_are_one_launch() {
    on_each_device(|_| {
        let p = array(&[10.0, 28.0]);
        let start = [1.0, 2.0, 20.0].map(|y| array(&[y, y])).to_vec();
        let run = || ode::rk4(|_, y: &Vec<Array>| lorenz(&p, y), 0.0, 0.01, 50, start.clone());
        let launches = |run: &dyn Fn() -> Vec<Array>| {
            let before = counters();
            eval_all(&run()).unwrap();
            counters().kernels - before.kernels
        };
        assert_eq!(launches(&run), 1);
        // The number of steps so far, where the time is read, begins as an array of zeros.
        let timed =
            || ode::rk4(|t, y: &Vec<Array>| vec![t.cos() * &y[0]], 0.0, 0.01, 50, vec![p.clone()]);
        assert_eq!(launches(&timed), 2);
        // The same in plain Rust.
        let slope = |p: f64, y: [f64; 3]| {
            [10.0 * (y[1] - y[0]), y[0] * (p - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]]
        };
        let along = |y: [f64; 3], h: f64, k: [f64; 3]| [0, 1, 2].map(|i| y[i] + h * k[i]);
        let found: Vec<Vec<f64>> = run().iter().map(|y| y.to_vec().unwrap()).collect();
        for (member, p) in [10.0, 28.0].into_iter().enumerate() {
            let (mut y, h) = ([1.0, 2.0, 20.0], 0.01);
            for _ in 0..50 {
                let k1 = slope(p, y);
                let k2 = slope(p, along(y, h / 2.0, k1));
                let k3 = slope(p, along(y, h / 2.0, k2));
                let k4 = slope(p, along(y, h, k3));
                y = along(y, h / 6.0, [0, 1, 2].map(|i| k1[i] + k4[i] + 2.0 * (k2[i] + k3[i])));
            }
            for k in 0..3 {
                near(found[k][member], y[k], 1e-11, "lorenz");
            }
        }
    });
}

/// Everything that a solution says of one member.
pub fn of_member(solution: &Solution<Vec<Array>>, member: usize, members: usize) -> Vec<u64> {
    let mut all = Vec::new();
    for y in solution.y.iter().chain([&solution.t]) {
        all.push(y.to_vec().unwrap()[member].to_bits());
    }
    for ys in &solution.ys {
        let ys = ys.to_vec().unwrap();
        all.extend(ys.chunks(members).map(|row| row[member].to_bits()));
    }
    for counts in [&solution.accepted, &solution.rejected, &solution.status] {
        all.push(counts.to_vec().unwrap()[member] as u64);
    }
    all
}

#[test]
fn members_do_not_see_each_other() {
    on_each_device(|_| {
        // From slow to fast, one that blows up, one that is NaN, one that becomes NaN on the way,
        // and one that starts at infinity.
        let p = [1e-3, 0.5, 20.0, 3000.0, -5.0, f64::NAN, 7.0, 2.0];
        let start = [1.0, 2.0, -1.0, 1.0, 1.0, 1.0, 3.0, f64::INFINITY];
        let want = [
            Status::Finished,
            Status::Finished,
            Status::Finished,
            Status::TooManySteps,
            Status::StepTooSmall,
            Status::NotFinite,
            Status::NotFinite,
            Status::NotFinite,
        ];
        for method in [Method::BogackiShampine3, Method::DormandPrince5, Method::DormandPrince8] {
            let options = Options::new().method(method).max_steps(600).t_eval(&[0.1, 0.3, 1.9]);
            let run = |p: &[f64], start: &[f64]| {
                let p = array(p);
                let f = |t: &Array, y: &Vec<Array>| {
                    let x = &y[0];
                    // Member 6 leaves the domain of its root.
                    let root = (0.5 - t).sqrt();
                    let linear = p.equal(7.0).select(root, -&p * x);
                    vec![p.less(0.0).select(x * x * 5.0, linear), &y[1] * 0.0 + t]
                };
                let y0 = vec![array(start), Array::zeros(start.len())];
                ode::solve(f, (0.0, 2.0), y0, &options)
            };
            let all = run(&p, &start);
            assert_eq!(all.statuses().unwrap(), want, "{method:?}");
            for member in 0..p.len() {
                let alone = run(&p[member..=member], &start[member..=member]);
                let (alone, among) = (of_member(&alone, 0, 1), of_member(&all, member, p.len()));
                let same = alone.iter().zip(&among).all(|(a, b)| {
                    let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
                    a == b || (a - b).abs() <= 1e-9 * a.abs() || a.is_nan() && b.is_nan()
                });
                assert!(same, "{method:?}, member {member}: {alone:?} and {among:?}");
            }
            let t = all.t.to_vec().unwrap();
            near(t[4], 0.2, 1e-3, "the singularity");
            near(t[6], 0.5, 1e-3, "the end of the root's domain");
            assert_eq!(t[5], 0.0);
            // Times that were not reached.
            let ys = all.ys[0].to_vec().unwrap();
            let is_nan: Vec<bool> = ys.iter().map(|y| y.is_nan()).collect();
            assert_eq!(is_nan[4..8], [false, true, false, true], "at 0.1");
            assert_eq!(is_nan[20..24], [true; 4], "at 1.9");
            near(all.y[1].to_vec().unwrap()[0], 2.0, 1e-9, "the integral of time");
        }
    });
}

#[test]
fn both_precisions_and_all_kinds_of_states() {
    on_each_device(|_| {
        let options = Options::new().rtol(1e-5).atol(1e-6).t_eval(&[0.5, 1.0]);
        let y0 = DeviceArray::from_slice(&[1.0f32, -2.0]).unwrap();
        let solution = ode::solve(|_, y| -y, (0.0, 1.0), y0.clone(), &options);
        for (member, start) in [1.0, -2.0].into_iter().enumerate() {
            let found = f64::from(solution.y.to_vec().unwrap()[member]);
            near(found, start * (-1f64).exp(), 1e-4, "f32");
            let half = f64::from(solution.ys.to_vec().unwrap()[member]);
            near(half, start * (-0.5f64).exp(), 1e-4, "f32, dense");
        }
        // A tolerance that f32 cannot keep is raised.
        let tight = Options::new().rtol(1e-12).atol(0.0);
        let solution = ode::solve(|_, y| -y, (0.0, 1.0), y0, &tight);
        assert_eq!(solution.statuses().unwrap(), [Status::Finished; 2]);
        // Without an absolute tolerance, from zero: one component moves, one stays, one starts slowly.
        let zero = || DeviceArray::<f64>::zeros(2);
        for method in [Method::DormandPrince5, Method::DormandPrince8, Method::Rodas5P] {
            let exact = Options::new().method(method).rtol(1e-8).atol(0.0);
            let fall = |t: &Array, [x, y, _]: &[Array; 3]| [x.ones_like(), y * 0.0, t * 2.0];
            let solution = ode::solve(fall, (0.0, 3.0), [zero(), zero(), zero()], &exact);
            assert_eq!(solution.statuses().unwrap(), [Status::Finished; 2], "{method:?}");
            for (part, want) in solution.y.iter().zip([3.0, 0.0, 9.0]) {
                near(part.to_vec().unwrap()[1], want, 1e-6, "from zero");
            }
        }
        // Time is counted: a million steps of f32 end where they should.
        let y = ode::euler(|t, _| t.clone(), 0.0, 1e-6, 1_000_000, DeviceArray::full(1, 0f32));
        assert!((y.to_vec().unwrap()[0] - 0.5).abs() < 0.02, "{y}");

        // 0-d members, tuples, arrays, matrices of members.
        let zero_d = ode::solve(
            |_, (x, v): &(Array, Array)| (v.clone(), -x),
            (0.0, std::f64::consts::PI),
            (Array::full((), 1.0), Array::full((), 0.0)),
            &Options::new().rtol(1e-9).atol(1e-12).t_eval(&[1.0]),
        );
        near(zero_d.y.0.item().unwrap(), -1.0, 1e-7, "0-d");
        assert_eq!((zero_d.ys.0.shape(), zero_d.t.shape()), (&[1][..], &[][..]));
        near(zero_d.ys.1.to_vec().unwrap()[0], -1f64.sin(), 1e-7, "0-d, dense");
        let grid = Generator::new(1).normal(0.0, 1.0, [3, 4]);
        let [a, b] =
            ode::rk4(|_, [a, b]| [b.clone(), -a], 0.0, 0.01, 100, [grid.clone(), grid.clone()]);
        let (sin, cos) = 1f64.sin_cos();
        for (k, y) in grid.to_vec().unwrap().into_iter().enumerate() {
            near(a.to_vec().unwrap()[k], y * (cos + sin), 1e-8, "a matrix");
            near(b.to_vec().unwrap()[k], y * (cos - sin), 1e-8, "a matrix");
        }
        // Views: a row turned round, and one that is broadcast.
        let rows = Array::arange_to(6.0).reshape([2, 3]);
        let turned = rows.slice(s![1, ..;-1]);
        let end = ode::solve(|_, y| -y, (0.0, 1.0), turned, &Options::new().rtol(1e-8)).y;
        near(end.to_vec().unwrap()[0], 5.0 * (-1f64).exp(), 1e-6, "a view");

        // No members, no steps, no interval.
        let empty = ode::solve(|_, y| -y, (0.0, 1.0), Array::zeros([0, 2]), &options);
        assert_eq!((empty.y.shape(), empty.ys.shape()), (&[0, 2][..], &[2, 0, 2][..]));
        assert_eq!(empty.statuses().unwrap(), []);
        assert_eq!(ode::rk4(|t, y| y * t, 0.0, 0.1, 3, Array::zeros(0)).shape(), [0]);
        assert_eq!(ode::rk4(|_, y| -y, 0.0, 0.1, 0, array(&[2.0])).to_vec().unwrap(), [2.0]);
        let still =
            ode::solve(|_, y| -y, (1.0, 1.0), array(&[2.0]), &Options::new().t_eval(&[1.0]));
        assert_eq!(still.y.to_vec().unwrap(), [2.0]);
        assert_eq!(still.ys.to_vec().unwrap(), [2.0]);
        assert_eq!(still.statuses().unwrap(), [Status::Finished]);
        assert_eq!(still.accepted.to_vec().unwrap(), [0]);
    });
}

#[test]
fn steps_keep_to_their_limits() {
    on_each_device(|_| {
        let y0 = || array(&[1.0, 1.0]);
        let run = |options: &Options| ode::solve(|_, y| -y, (0.0, 1.0), y0(), options);
        let solution = run(&Options::new().max_step(0.01));
        assert!(solution.accepted.to_vec().unwrap().iter().all(|&n| (100..=102).contains(&n)));
        let solution = run(&Options::new().first_step(1.0).atol(1.0));
        assert_eq!(solution.accepted.to_vec().unwrap(), [1, 1]);
        for most in [1, 3] {
            let solution = run(&Options::new().max_step(0.1).max_steps(most));
            let counts = solution.accepted.to_vec().unwrap();
            assert_eq!(solution.statuses().unwrap(), [Status::TooManySteps; 2]);
            assert_eq!(counts, [most as i32; 2]);
        }
        // Other numbers are no other plans.
        let run = |end: f64, rtol: f64| {
            let options = Options::new().rtol(rtol);
            ode::solve(|_, y| -y, (0.0, end), y0(), &options).eval().unwrap();
        };
        run(1.0, 1e-4);
        let before = counters();
        run(2.0, 1e-6);
        assert_eq!(counters().plans, before.plans);
    });
}

#[test]
fn what_cannot_be_integrated_is_an_error() {
    let y0 = || array(&[1.0, 2.0]);
    on_each_device(|_| {
        let shape = |error: Error, part: &str| {
            assert!(error.is_shape() && error.to_string().contains(part), "{error}");
            assert!(error.to_string().contains("ode.rs"), "{error}");
        };
        let none: Vec<Array> = Vec::new();
        shape(
            ode::try_rk4(|_, y| y.clone(), 0.0, 0.1, 1, none.clone()).unwrap_err(),
            "no components",
        );
        let solved = ode::try_solve(|_, y| y.clone(), (0.0, 1.0), none, &Options::new());
        shape(solved.unwrap_err(), "no components");
        for h in [0.0, f64::NAN, f64::INFINITY] {
            shape(ode::try_euler(|_, y| -y, 0.0, h, 1, y0()).unwrap_err(), "euler: ");
        }
        shape(ode::try_rk4(|_, y| -y, f64::NAN, 0.1, 1, y0()).unwrap_err(), "finite");
        let mixed = vec![y0(), Array::zeros(3)];
        shape(ode::try_rk4(|_, y| y.clone(), 0.0, 0.1, 1, mixed).unwrap_err(), "component 1");
        let two = || vec![y0(), y0()];
        let fewer = |_: &Array, y: &Vec<Array>| vec![y[0].clone()];
        shape(
            ode::try_rk4(fewer, 0.0, 0.1, 1, two()).unwrap_err(),
            "2 components and gives one of 1",
        );
        let solved = ode::try_solve(fewer, (0.0, 1.0), two(), &Options::new());
        shape(solved.unwrap_err(), "2 components and gives one of 1");
        let sum = |_: &Array, y: &Array| y.sum(..);
        shape(ode::try_rk4(sum, 0.0, 0.1, 1, y0()).unwrap_err(), "the shape []");
        shape(ode::try_solve(sum, (0.0, 1.0), y0(), &Options::new()).unwrap_err(), "the shape []");
        let new = Options::new;
        for (options, interval, part) in [
            (new().rtol(-1.0), (0.0, 1.0), "rtol"),
            (new().atol(f64::NAN), (0.0, 1.0), "atol"),
            (new().max_step(0.0), (0.0, 1.0), "max_step"),
            (new().first_step(2.0), (0.0, 1.0), "first_step"),
            (new().first_step(-0.1), (0.0, 1.0), "first_step"),
            (new().max_steps(0), (0.0, 1.0), "max_steps"),
            (new().max_steps(usize::MAX), (0.0, 1.0), "max_steps"),
            (new(), (0.0, f64::INFINITY), "finite"),
            (new().t_eval(&[0.5, 1.5]), (0.0, 1.0), "1.5"),
            (new().t_eval(&[f64::NAN]), (0.0, 1.0), "NaN"),
            (new().t_eval(&[0.5, 0.4]), (0.0, 1.0), "direction"),
            (new().t_eval(&[0.5, 0.6]), (1.0, 0.0), "direction"),
            (new().coupled(&[1]), (0.0, 1.0), "axis"),
        ] {
            shape(ode::try_solve(|_, y| -y, interval, y0(), &options).unwrap_err(), part);
        }
        let rng = std::cell::RefCell::new(Generator::new(1));
        let noisy = |_: &Array, y: &Array| y + rng.borrow_mut().random::<f64>(2);
        assert!(ode::try_rk4(noisy, 0.0, 0.1, 1, y0()).unwrap_err().is_unsupported());
        let solved = ode::try_solve(noisy, (0.0, 1.0), y0(), &Options::new());
        assert!(solved.unwrap_err().is_unsupported());
        let why = panic_message(|| ode::rk4(|_, y| -y, 0.0, 0.0, 1, y0()));
        assert!(why.contains("step's size is zero"), "{why}");
    });
}
