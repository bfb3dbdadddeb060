//! Events of differential equations: against SciPy's, and what is known exactly.

use crate::ode::{Array, array, near, numbers};
use crate::support::load::json;
use crate::support::on_each_device;
use lazuli::ode::{self, Crossings, Event, Method, Options, Solution, Status};
use lazuli::prelude::*;
use std::f64::consts::PI;

const METHODS: [Method; 4] =
    [Method::BogackiShampine3, Method::DormandPrince5, Method::DormandPrince8, Method::Rodas5P];

fn exact(method: Method) -> Options {
    let rtol = if method == Method::BogackiShampine3 { 1e-8 } else { 1e-10 };
    Options::new().method(method).rtol(rtol).atol(1e-12)
}

fn event<'f>(name: &str, direction: i64, terminal: bool) -> Event<'f, Vec<Array>> {
    let name = name.to_owned();
    let event = Event::new(move |t: &Array, y: &Vec<Array>| match &name[..] {
        "position" => y[0].clone(),
        "speed" => y[1].clone(),
        _ => t - 1.25,
    });
    let event = match direction {
        1 => event.rising(),
        -1 => event.falling(),
        _ => event,
    };
    let event = if terminal { event.terminal() } else { event };
    event.crossings(4)
}

#[test]
fn events_are_those_of_scipy() {
    let cases = json("ode/events.json");
    on_each_device(|_| {
        for (case, method) in cases["cases"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|case| METHODS.map(|method| (case, method)))
        {
            let (start, p) = (numbers(&case["start"]), numbers(&case["parameters"]));
            let (interval, n) = (numbers(&case["interval"]), p.len());
            let what = format!("{} {method:?}", case["name"]);
            let events: Vec<Event<'_, Vec<Array>>> = case["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(|e| event(e[0].as_str().unwrap(), e[1].as_i64().unwrap(), e[2] == true))
                .collect();
            let p = array(&p);
            let falling = case["name"] == "thrown";
            let f = |_: &Array, y: &Vec<Array>| {
                let force = if falling { -9.81 - &p * &y[1] } else { -&p * &y[0] };
                vec![y[1].clone(), force]
            };
            let y0: Vec<Array> = start.iter().map(|&y| Array::full(n, y)).collect();
            let (solution, found) =
                ode::solve_events(f, (interval[0], interval[1]), y0, &events, &exact(method));
            let statuses = solution.statuses().unwrap();
            for (m, member) in case["members"].as_array().unwrap().iter().enumerate() {
                let ended = member["status"] == 1;
                let want = if ended { Status::Event } else { Status::Finished };
                assert_eq!(statuses[m], want, "{what}");
                near(solution.t.to_vec().unwrap()[m], member["t"].as_f64().unwrap(), 1e-6, &what);
                for (y, want) in solution.y.iter().zip(numbers(&member["y"])) {
                    near(y.to_vec().unwrap()[m], want, 1e-6, &what);
                }
                for (k, found) in found.iter().enumerate() {
                    // SciPy counts a zero at the start.
                    let times = numbers(&member["times"][k]);
                    let skip = usize::from(times.first() == Some(&interval[0]));
                    let what = format!("{what}, member {m}, event {k}");
                    assert_eq!(
                        found.count.to_vec().unwrap()[m],
                        (times.len() - skip) as i32,
                        "{what}"
                    );
                    let t = found.t.to_vec().unwrap();
                    for at in 0..4 {
                        let Some(&want) = times.get(at + skip) else {
                            assert!(t[at * n + m].is_nan(), "{what}");
                            continue;
                        };
                        near(t[at * n + m], want, 1e-6, &what);
                        let state = numbers(&member["states"][k][at + skip]);
                        for (y, want) in found.y.iter().zip(state) {
                            near(y.to_vec().unwrap()[at * n + m], want, 1e-6, &what);
                        }
                    }
                }
            }
        }
    });
}

/// cos t for members of several speeds, and events of it.
fn waves(
    events: &[Event<'_, Array>],
    end: f64,
    options: &Options,
) -> (Solution<Array>, Vec<Crossings<Array>>) {
    let speed = array(&[1.0, 2.0, 0.1]);
    let f = |t: &Array, _: &Array| -(&speed * t).sin() * &speed;
    ode::solve_events(f, (0.0, end), Array::ones(3), events, options)
}

#[test]
fn crossings_are_counted_and_the_first_ones_kept() {
    on_each_device(|_| {
        for method in METHODS {
            let zero = || Event::new(|_, x: &Array| x.clone());
            let events = [zero().crossings(2), zero().rising(), zero().falling().crossings(64)];
            let (solution, found) = waves(&events, 8.0, &exact(method));
            assert_eq!(solution.statuses().unwrap(), [Status::Finished; 3]);
            assert_eq!(solution.t.to_vec().unwrap(), [8.0; 3]);
            assert_eq!(found[0].t.shape(), [2, 3]);
            let counts: Vec<Vec<i32>> = found.iter().map(|f| f.count.to_vec().unwrap()).collect();
            assert_eq!(counts, [[3, 5, 0], [1, 2, 0], [2, 3, 0]], "{method:?}");
            let t = found[0].t.to_vec().unwrap();
            for (k, want) in [(0, 0.5), (1, 0.25), (3, 1.5), (4, 0.75)] {
                near(t[k], want * PI, 1e-6, &format!("{method:?}"));
            }
            assert!(t[2].is_nan() && t[5].is_nan());
            near(found[1].t.to_vec().unwrap()[0], 1.5 * PI, 1e-6, "rising");
            let falling = found[2].t.to_vec().unwrap();
            near(falling[3], 2.5 * PI, 1e-6, "falling");
            assert!(falling[6..].iter().enumerate().all(|(k, t)| k == 1 || t.is_nan()));
            assert!(found[2].y.to_vec().unwrap()[0].abs() < 1e-9);
        }
    });
}

#[test]
fn terminal_events_end_their_members_alone() {
    on_each_device(|_| {
        for method in METHODS {
            let line = |_: &Array, y: &Array| y.full_like(1.0);
            // Steps as large as the interval: all events are in one of them.
            let at = |when: f64| Event::new(move |t: &Array, _: &Array| t - when);
            let above = Event::new(|_: &Array, y: &Array| y - 2.0);
            let events = [
                at(0.75),
                at(1.25),
                at(1.0).terminal(),
                above.terminal().rising(),
                at(0.5).falling(),
            ];
            let options = exact(method).first_step(2.0).t_eval(&[0.9, 1.1, 2.0]);
            let y0 = array(&[0.0, 1.5, -3.0]);
            let (solution, found) = ode::solve_events(line, (0.0, 2.0), y0, &events, &options);
            assert_eq!(solution.statuses().unwrap(), [Status::Event; 3], "{method:?}");
            for (k, want) in [1.0, 0.5, 1.0].into_iter().enumerate() {
                near(solution.t.to_vec().unwrap()[k], want, 1e-12, "the end");
            }
            for (k, want) in [1.0, 2.0, -2.0].into_iter().enumerate() {
                near(solution.y.to_vec().unwrap()[k], want, 1e-12, "the state at the end");
            }
            let counts: Vec<Vec<i32>> = found.iter().map(|f| f.count.to_vec().unwrap()).collect();
            let want = [[1, 0, 1], [0, 0, 0], [1, 0, 1], [0, 1, 0], [0, 0, 0]];
            assert_eq!(counts, want, "{method:?}");
            for (found, counts) in found.iter().zip(want) {
                let nan = found.t.is_nan().to_vec().unwrap();
                assert_eq!(nan, counts.map(|count| count == 0), "{method:?}");
            }
            let nan = solution.ys.is_nan().to_vec().unwrap();
            let want = [false, true, false, true, true, true, true, true, true];
            assert_eq!(nan, want, "{method:?}");
        }
        // The others go on: one member ends, one does not, one fails.
        let rate = array(&[1.0, 0.0, f64::NAN]);
        let half = Event::new(|_, y: &Array| y - 0.5).terminal();
        let f = |_: &Array, y: &Array| -&rate * y;
        let options = Options::new().rtol(1e-9).atol(1e-12);
        let (solution, found) = ode::solve_events(f, (0.0, 2.0), Array::ones(3), &[half], &options);
        let want = [Status::Event, Status::Finished, Status::NotFinite];
        assert_eq!(solution.statuses().unwrap(), want);
        let t = solution.t.to_vec().unwrap();
        near(t[0], 2f64.ln(), 1e-8, "half");
        assert_eq!((t[1], t[2]), (2.0, 0.0));
        assert_eq!(found[0].count.to_vec().unwrap(), [1, 0, 0]);
    });
}

#[test]
fn zeros_at_ends_and_functions_that_are_nan() {
    on_each_device(|_| {
        for method in METHODS {
            let f = |_: &Array, y: &Array| y.full_like(1.0);
            let at = |when: f64| Event::new(move |t: &Array, _: &Array| t - when);
            let nan = Event::new(|t: &Array, _: &Array| (t - 5.0).sqrt());
            let born = Event::new(|t: &Array, _: &Array| (t - 0.5).sqrt() - 0.5);
            // At the start, at a step's end, at the end, nowhere, and what has no sign before 0.5.
            let events = [at(0.0).terminal(), at(0.5), at(1.0).terminal(), nan, born];
            let options = Options::new().method(method).first_step(0.25).max_step(0.25);
            let (solution, found) =
                ode::solve_events(f, (0.0, 1.0), Array::zeros(2), &events, &options);
            assert_eq!(solution.statuses().unwrap(), [Status::Event; 2], "{method:?}");
            assert_eq!(solution.t.to_vec().unwrap(), [1.0; 2]);
            let counts: Vec<i32> = found.iter().map(|f| f.count.to_vec().unwrap()[0]).collect();
            assert_eq!(counts, [0, 1, 1, 0, 1], "{method:?}");
            assert_eq!(found[1].t.to_vec().unwrap(), [0.5; 2]);
            near(found[4].t.to_vec().unwrap()[0], 0.75, 1e-12, "born");
        }
    });
}

#[test]
fn a_ball_bounces() {
    on_each_device(|_| {
        // Each fall is an integration from where the one before ended.
        let (mut t, mut y) = (0.0, [1.0f64, 0.0]);
        let mut bounces = Vec::new();
        for _ in 0..4 {
            let ground = Event::new(|_, (x, _): &(Array, Array)| x.clone()).falling().terminal();
            let start = (array(&[y[0]]), array(&[y[1]]));
            let f = |_: &Array, (_, v): &(Array, Array)| (v.clone(), v.full_like(-9.81));
            let (solution, _) =
                ode::solve_events(f, (t, t + 10.0), start, &[ground], &Options::new());
            assert_eq!(solution.statuses().unwrap(), [Status::Event]);
            t = solution.t.item().unwrap();
            y = [solution.y.0.item().unwrap(), -0.5 * solution.y.1.item().unwrap()];
            bounces.push(t);
        }
        let first = (2.0f64 / 9.81).sqrt();
        for (bounce, want) in bounces.iter().zip([1.0, 2.0, 2.5, 2.75]) {
            near(*bounce, want * first, 1e-10, "a bounce");
        }
    });
}

#[test]
fn single_precision_and_coupled_points() {
    on_each_device(|_| {
        for method in METHODS {
            let y0 = DeviceArray::from_slice(&[1.0f32, 2.0]).unwrap();
            let event = Event::new(|_, y: &DeviceArray<f32>| y - 0.75).terminal();
            let options = Options::new().method(method).rtol(1e-5).atol(1e-6);
            let (solution, _) = ode::solve_events(|_, y| -y, (0.0, 2.0), y0, &[event], &options);
            for (t, start) in solution.t.to_vec().unwrap().into_iter().zip([1.0f64, 2.0]) {
                near(f64::from(t), (start / 0.75).ln(), 1e-4, "f32");
            }
        }
        // Heat on rings: until the warmest point has come down to a half.
        let k = array(&[1.0, 10.0]).insert_axis(1);
        let u0 = Array::ones([2, 8]).cumsum(1).equal(1.0).cast::<f64>();
        let f = |_: &Array, u: &Array| &k * (u.roll(1, 1) + u.roll(-1, 1) - 2.0 * u);
        let event = Event::new(|_, u: &Array| u.max(keep(1)) - 0.5).terminal();
        let options = Options::new().rtol(1e-8).atol(1e-10).coupled(&[1]).t_eval(&[0.01, 1.0]);
        let (solution, found) = ode::solve_events(f, (0.0, 2.0), u0, &[event], &options);
        assert_eq!(solution.statuses().unwrap(), [Status::Event; 2]);
        assert_eq!((found[0].t.shape(), found[0].y.shape()), (&[1, 2, 1][..], &[1, 2, 8][..]));
        let (t, u) = (solution.t.to_vec().unwrap(), solution.y.to_vec().unwrap());
        near(t[0], 10.0 * t[1], 1e-6, "ten times the conductivity");
        near(u[0], 0.5, 1e-9, "the warmest point");
        let reached = solution.ys.is_finite().all(2).to_vec().unwrap();
        assert_eq!(reached, [true, true, false, false]);
    });
}

#[test]
fn what_is_no_event_is_an_error() {
    on_each_device(|_| {
        let run = |event: Event<'_, Array>| {
            ode::try_solve_events(|_, y| -y, (0.0, 1.0), Array::ones(2), &[event], &Options::new())
                .unwrap_err()
        };
        let plain = || Event::new(|_, y: &Array| y.clone());
        for count in [0, 65] {
            let error = run(plain().crossings(count));
            assert!(error.is_shape() && error.to_string().contains("crossings"), "{error}");
        }
        let error = run(Event::new(|_, y: &Array| y.sum(..)));
        assert!(error.is_shape() && error.to_string().contains("event 0"), "{error}");
        assert!(error.to_string().contains("solve_events"), "{error}");
    });
}
