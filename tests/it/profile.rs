//! Where the time goes: rows, lines, totals and pictures of profiles, progress, and the search for the
//! first value that is not finite.

use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::{ProfileRow, check_finite, profile};
use std::time::Duration;

fn row<'a>(profile: &'a lazuli::Profile, name: &str) -> &'a ProfileRow {
    let found = profile.rows().iter().find(|row| row.name == name);
    found.unwrap_or_else(|| panic!("no {name} in\n{profile}"))
}

#[vectorize]
fn sinexp(x: f64, y: f64) -> f64 {
    x.sin() * y.exp()
}

#[test]
fn kernels_are_named_by_what_they_compute_and_where() {
    on_each_device(|device| {
        let x = DeviceArray::<f64>::linspace(0.0, 1.0, 5000);
        x.eval().unwrap();
        let mut line = 0;
        let ((), profile) = profile(|| {
            for _ in 0..3 {
                line = line!() + 1;
                let y = sinexp::call(&x, &x) + 1.0;
                y.eval().unwrap();
            }
            x.cumsum(0).to_vec().unwrap();
        });
        let first = row(&profile, "sinexp add");
        assert_eq!((first.kind, first.count, first.device), ("kernel", 3, device));
        assert_eq!(first.bytes, 3 * 2 * 5000 * 8);
        let at = first.line.unwrap();
        assert_eq!((at.file(), at.line()), (file!(), line));
        assert!(first.time > Duration::ZERO && first.bandwidth().unwrap() > 0.0);
        assert_eq!(row(&profile, "cumsum").count, 1);
        let copy = row(&profile, "copy to the host");
        assert_eq!((copy.kind, copy.bytes), ("copy to the host", 40_000));
        assert_eq!(copy.line.unwrap().file(), file!());
        let here = profile.lines().iter().find(|at| at.line.line() == line).unwrap();
        assert_eq!(here.names, ["sinexp add"]);
        assert_eq!(here.device_time, first.time);
        let evaluated = profile.lines().iter().find(|at| at.line.line() == line + 1).unwrap();
        assert!(evaluated.host_time > Duration::ZERO && evaluated.names.is_empty());
    });
}

#[test]
fn the_parts_of_the_time_add_up() {
    on_each_device(|device| {
        let ((), profile) = profile(|| {
            let x = DeviceArray::<f64>::linspace(0.0, 1.0, 54_321);
            for k in 1..5 {
                (&x * f64::from(k)).sum(..).item().unwrap();
            }
            std::thread::sleep(Duration::from_millis(2));
        });
        let host = profile.planning()
            + profile.compiling()
            + profile.launching()
            + profile.copying()
            + profile.waiting()
            + profile.program();
        assert!(profile.planning() > Duration::ZERO && profile.launching() > Duration::ZERO);
        assert!(profile.program() >= Duration::from_millis(2));
        let computed = if device.is_cuda() { Duration::ZERO } else { profile.device_time() };
        assert_eq!(host + computed, profile.wall());
        assert!(profile.peak_memory(device) > 0);
    });
}

#[test]
fn profiles_nest_and_see_their_own_thread_alone() {
    on_each_device(|_| {
        let x = DeviceArray::<f64>::ones([100]);
        let (inner, outer) = profile(|| {
            (&x + 1.0).eval().unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| (&x * 3.0).eval().unwrap());
            });
            profile(|| (&x - 1.0).eval().unwrap()).1
        });
        let names = |p: &lazuli::Profile| {
            let mut names: Vec<String> = p.rows().iter().map(|row| row.name.clone()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&inner), ["subtract"]);
        assert_eq!(names(&outer), ["add", "subtract"]);
        // What ends in a panic ends its profile, and the next one works.
        let panics = std::panic::catch_unwind(|| profile(|| panic!("in the middle")));
        assert!(panics.is_err());
        let (_, after) = profile(|| (&x * x.exp()).eval());
        assert_eq!(names(&after), ["exp multiply"]);
    });
}

#[test]
fn library_calls_loops_and_compiled_functions_are_rows() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::ones([32, 32]);
        let line = line!() + 1;
        let step = lazuli::compile(|x: &DeviceArray<f64>| (x * 0.5).tanh() + 1.0);
        let _ = step.call(&a).unwrap();
        let ((), profile) = profile(|| {
            a.matmul(&a).eval().unwrap();
            let _ = step.call(&a).unwrap();
            lazuli::repeat(5, a.clone(), |x| x * 0.5 + 1.0).eval().unwrap();
        });
        assert_eq!(row(&profile, "matmul").kind, "library call");
        assert_eq!(row(&profile, "multiply tanh add").line.unwrap().line(), line);
        let turns = profile.rows().iter().find(|row| row.name.ends_with("multiply add")).unwrap();
        assert_eq!(turns.line.unwrap().file(), file!(), "{profile}");
    });
}

#[kernel]
fn doubled(x: lazuli::gpu::Array<f64, 1>, y: lazuli::gpu::ArrayMut<f64, 1>) {
    let i = lazuli::gpu::grid::<1>();
    if i < x.len() {
        y[i] = x[i] * 2.0;
    }
}

#[test]
fn kernels_of_users_are_rows() {
    on_each_device(|_| {
        let x = DeviceArray::<f64>::ones([1000]);
        let mut y = DeviceArray::<f64>::zeros([1000]);
        let line = line!() + 1;
        let (done, profile) = profile(|| doubled.launch(8, 128, (&x, &mut y)));
        done.unwrap();
        let launched = row(&profile, "doubled");
        assert_eq!((launched.kind, launched.line.unwrap().line()), ("user's kernel", line));
    });
}

/// Each method that makes an array notes the line of the program, whatever it is made of.
#[test]
fn lines_are_those_of_the_program() {
    on_each_device(|_| {
        let x = DeviceArray::<f64>::linspace(0.1, 0.9, 36).reshape([6, 6]);
        x.eval().unwrap();
        let index = DeviceArray::from_slice(&[2i64, 0, 5]).unwrap();
        let from = line!();
        let made: Vec<(&str, DeviceArray<f64>)> = vec![
            ("operator", &x + &x),
            ("scalar", &x * 2.0),
            ("neg", -&x),
            ("try", x.try_add(&x).unwrap()),
            ("mean", x.mean(..)),
            ("var", x.var(0)),
            ("median", x.median(0)),
            ("quantile", x.quantile(0.3, 1)),
            ("sort", x.sort(1)),
            ("cumsum", x.cumsum(0)),
            ("take", x.take(&index, 0)),
            ("roll", x.roll(1, 0)),
            ("pad", x.pad(&[(1, 1), (0, 0)], lazuli::PadMode::Edge)),
            ("concatenate", lazuli::concatenate(&[&x, &x], 0)),
            ("stack", lazuli::stack(&[&x, &x], 0)),
            ("matmul", x.matmul(&x)),
            ("solve", (&x + DeviceArray::<f64>::eye(6)).solve(&x)),
            ("det", x.det()),
            ("norm", x.norm(..)),
            ("diff", x.diff(1, 0)),
            ("gradient", x.gradient(1.0, 0)),
            ("clip", x.clip(0.2, 0.5)),
            ("histogram", x.histogram(Bins::Count(5)).unwrap().0.cast::<f64>()),
            ("einsum", lazuli::linalg::einsum("ij,jk->ik", &[&x, &x])),
            ("fft", lazuli::fft::fft(&x.cast::<Complex<f64>>()).real()),
            ("gaussian", lazuli::ndimage::gaussian_filter(&x, 1.0)),
            ("repeat", lazuli::repeat(3, x.clone(), |x| x * 0.5)),
            ("interp", x.interp(&x.reshape(36), &x.reshape(36))),
            ("extract", x.extract(&x.greater(0.5)).unwrap()),
        ];
        let to = line!();
        for (name, array) in made {
            let (done, profile) = profile(|| array.eval());
            done.unwrap();
            for row in profile.rows() {
                let line = row.line.unwrap_or_else(|| panic!("{name}: {} has no line", row.name));
                assert_eq!(line.file(), file!(), "{name}: {}", row.name);
                let is_recorded = (from..to).contains(&line.line());
                assert!(is_recorded, "{name}: {} at line {}", row.name, line.line());
            }
        }
    });
}

#[test]
fn timelines_are_json_and_pictures_are_svg() {
    on_each_device(|_| {
        let x = DeviceArray::<f64>::linspace(0.0, 1.0, 1000);
        x.eval().unwrap();
        let (_, profile) = profile(|| {
            x.sin().eval().unwrap();
            x.less(0.5).select(&x, &x.exp()).to_vec().unwrap();
        });
        let trace: serde_json::Value = serde_json::from_str(&profile.chrome_trace()).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let kernels: Vec<_> = events.iter().filter(|event| event["cat"] == "kernel").collect();
        assert!(kernels.len() >= 2 && kernels.iter().any(|event| event["name"] == "sin"));
        let inside = |event: &serde_json::Value| {
            let (from, took) = (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
            from >= 0.0 && from + took <= profile.wall().as_nanos() as f64 / 1e3 + 1.0
        };
        assert!(events.iter().filter(|event| event["ph"] == "X").all(inside));
        let svg = profile.svg();
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
        assert!(svg.contains(">sin<"), "{svg}");
        let text = profile.to_string();
        assert!(text.contains("profile.rs:") && text.contains("of a copy"), "{text}");
    });
}

#[test]
fn nothing_watched_is_an_empty_profile() {
    let (value, profile) = profile(|| 7);
    assert_eq!((value, profile.rows().len(), profile.device_time()), (7, 0, Duration::ZERO));
    assert!(profile.to_string().starts_with(|c: char| c.is_numeric()));
    assert!(profile.svg().ends_with("</svg>\n"));
}

#[test]
fn the_first_value_that_is_not_finite_is_found() {
    on_each_device(|_| {
        let x = DeviceArray::from_slice(&[4.0f64, 1.0, 0.0, -1.0]).unwrap();
        let message = |f: &dyn Fn() -> DeviceArray<f64>| {
            let error = check_finite(|| f().sum(..).item()).unwrap_err();
            assert!(error.is_numeric());
            error.to_string()
        };
        let found = message(&|| (&x + 1.0).sqrt() - (&x * 2.0).sqrt());
        assert!(found.starts_with("sqrt: gives NaN at [3] of float64[4]"), "{found}");
        assert!(found.contains(&format!("{}:", file!())), "{found}");
        let found = message(&|| 1.0 / x.reshape([2, 2]));
        assert!(found.starts_with("divide: gives inf at [1, 0] of float64[2, 2]"), "{found}");
        // Halves, complex numbers, and overflow of a sum.
        let half = || x.cast::<f16>() * f16::from_f32(60000.0);
        let error = check_finite(|| half().sum(..).item()).unwrap_err().to_string();
        assert!(error.starts_with("multiply: gives inf at [0] of float16[4]"), "{error}");
        let complex = || x.cast::<Complex<f64>>().ln();
        let error = check_finite(|| complex().eval()).unwrap_err().to_string();
        assert!(
            error.starts_with("ln: gives -inf") && error.contains("at [2] of complex128[4]"),
            "{error}"
        );
        // Elements that are there are looked at as arrays are.
        x.eval().unwrap();
        let found = message(&|| &x + (x.slice(s![0]) / x.slice(s![2])));
        assert!(found.starts_with("divide: gives inf"), "{found}");
        let found = message(&|| (&x + 1e308) + 1e308);
        assert!(found.starts_with("add: gives inf at [0]"), "{found}");
    });
}

#[test]
fn faults_of_operations_with_several_results_are_theirs() {
    on_each_device(|_| {
        let start = (DeviceArray::full(3, 200.0), DeviceArray::<f64>::ones(3));
        let grow = || {
            let (x, y) = lazuli::repeat(4, start.clone(), |(x, y)| (x.exp(), y * 0.5));
            lazuli::eval(&[&y, &x])
        };
        let error = check_finite(grow).unwrap_err().to_string();
        assert!(
            error.starts_with("repeat: gives inf at [0] of float64[3], recorded at"),
            "{error}"
        );
        // Data that has NaNs is named; the second result is computed with the first.
        let data = DeviceArray::from_vec([2, 2], vec![1.0, f64::NAN, 0.0, 1.0]).unwrap();
        let parts = || {
            let (q, r) = data.qr();
            lazuli::eval(&[&q, &r])
        };
        let error = check_finite(parts).unwrap_err().to_string();
        assert!(
            error.contains("gives NaN") && error.contains("from data (float64[2, 2])"),
            "{error}"
        );
    });
}

/// Whoever watches changes nothing.
#[test]
fn values_are_those_of_a_run_that_nobody_watches() {
    on_each_device(|_| {
        let x = DeviceArray::<f64>::linspace(0.1, 2.0, 60).reshape([6, 10]);
        let run = || {
            let y = lazuli::repeat(5, &x * 1.5, |y| y.roll(1, 1) * 0.5 + y.cos());
            let mut z = y.matmul(&y.t());
            z.assign(s![0, ..], z.sort(1).slice(s![2, ..]));
            (&z - z.mean(keep(1))).cumsum(1).to_vec().unwrap()
        };
        let want = run();
        assert_eq!(profile(run).0, want);
        assert_eq!(told(run).0, want);
        // Operation by operation, sums may be rounded in another order.
        let singly = check_finite(run);
        assert!(singly.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-11));
    });
}

#[test]
fn printing_a_profile_evaluates_nothing_here() {
    on_each_device(|_| {
        let x = DeviceArray::<f64>::ones([100]);
        let (_, profile) = profile(|| (&x * 2.0).eval());
        let before = lazuli::counters();
        assert!(profile.to_string().contains("multiply"));
        assert_eq!(lazuli::counters(), before);
    });
}

#[test]
fn what_is_meant_is_no_fault() {
    on_each_device(|_| {
        let x = DeviceArray::from_slice(&[4.0f64, f64::INFINITY, 0.0]).unwrap();
        let run = || {
            let shortest = x.minimum(&(&x + 1.0)).min(..);
            let masked = x.greater(1.0).select(f64::INFINITY, &x).min(..);
            let skipped = DeviceArray::full(3, f64::NAN).nan_sum(..);
            let empty = DeviceArray::<f64>::zeros(0).sum(..);
            let whole = DeviceArray::<i32>::arange_to(5).sum(..);
            assert_eq!(whole.item()?, 10);
            Ok::<f64, Error>(shortest.item()? + masked.item()? + skipped.item()? + empty.item()?)
        };
        assert_eq!(check_finite(run).unwrap(), 0.0);
        // Data with NaNs is, where it comes through.
        let data = DeviceArray::from_slice(&[1.0f32, f32::NAN]).unwrap();
        let error = check_finite(|| (&data * 2.0).eval()).unwrap_err().to_string();
        assert!(
            error.starts_with("multiply: gives NaN at [1] from data (float32[2]) that"),
            "{error}"
        );
        assert_eq!(check_finite(|| data.nan_sum(..).item()).unwrap(), 1.0);
        let moved = || lazuli::concatenate(&[&data, &data.roll(1, 0)], 0).nan_sum(..).item();
        assert_eq!(check_finite(moved).unwrap(), 2.0);
        // Compiled functions run as they are written, and afterwards as they were compiled.
        let step = lazuli::compile(|x: &DeviceArray<f64>| x.sqrt() + 1.0);
        let (good, bad) = (DeviceArray::full(2, 4.0), DeviceArray::full(2, -4.0));
        assert_eq!(step.call(&good).unwrap().to_vec().unwrap(), [3.0, 3.0]);
        assert!(check_finite(|| step.call(&bad)).is_err());
        assert!(step.call(&bad).unwrap().to_vec().unwrap()[0].is_nan());
        // Library calls with several outputs, loops, and random numbers.
        let a = DeviceArray::<f64>::eye(4) * 2.0;
        let sum = || {
            let (q, r) = a.qr();
            let z = lazuli::random::Generator::new(3).standard_normal::<f64>([50]);
            let w = lazuli::repeat(3, a.clone(), |x| x * 0.5);
            Ok::<f64, Error>(
                (q.matmul(&r) - &a).abs().max(..).item()?
                    + w.sum(..).item()?
                    + z.mean(..).item()? * 0.0,
            )
        };
        assert!((check_finite(sum).unwrap() - 1.0).abs() < 1e-12);
    });
}

/// What a function was told, in order.
fn told<R>(f: impl FnOnce() -> R) -> (R, Vec<lazuli::Progress>) {
    let told = std::sync::Mutex::new(Vec::new());
    let show = |progress| told.lock().unwrap().push(progress);
    let result = lazuli::with_progress(Duration::ZERO, show, f);
    (result, told.into_inner().unwrap())
}

#[test]
fn loops_tell_how_far_they_have_come() {
    on_each_device(|_| {
        let x = DeviceArray::<f64>::linspace(0.0, 1.0, 100);
        let together = |x: DeviceArray<f64>| x * 0.5 + 0.25;
        let apart = |x: DeviceArray<f64>| x.sort(0) * 0.5 + x.cumsum(0) * 0.1;
        for body in [together as fn(DeviceArray<f64>) -> _, apart] {
            let run = || lazuli::repeat(1000, x.clone(), body).to_vec().unwrap();
            let (values, told) = told(run);
            assert_eq!(values, run());
            let turns: Vec<_> = told.iter().filter(|told| told.what == "turns").collect();
            assert!(turns.len() > 2 && turns.is_sorted_by_key(|told| told.done));
            assert!(turns.iter().all(|told| told.total == 1000));
            assert_eq!(turns.last().unwrap().done, 1000);
        }
        let (turns, told) = told(|| {
            let start = (DeviceArray::<f64>::ones([1]), DeviceArray::<i64>::zeros([1]));
            let more = |(x, _): &(DeviceArray<f64>, _)| x.less(100.0).all(..);
            let body = |(x, n): (DeviceArray<f64>, DeviceArray<i64>)| (x * 2.0, n + 1);
            lazuli::while_loop(start, more, body).1.item().unwrap()
        });
        let last = told.iter().rfind(|told| told.what == "turns").unwrap();
        assert_eq!((turns, last.done, last.total), (7, 7, 0));
    });
}

#[test]
fn files_and_large_copies_tell_how_far_they_have_come() {
    on_each_device(|device| {
        let x = DeviceArray::<f64>::linspace(0.0, 1.0, 1 << 20);
        let name = format!("lazuli-progress-{}.npy", std::process::id());
        let file = std::env::temp_dir().join(name);
        x.write_npy(&file).unwrap();
        let (read, told) = told(|| DeviceArray::<f64>::read_npy(&file).unwrap());
        std::fs::remove_file(&file).unwrap();
        assert_eq!(read.len(), x.len());
        let last = told.last().unwrap();
        assert_eq!((last.what, last.done, last.total), ("bytes to the device", 8 << 20, 8 << 20));
        let (_, told) = self::told(|| x.to_vec().unwrap());
        let bytes = told.iter().rfind(|told| told.what == "bytes to the host");
        assert_eq!(bytes.map(|told| told.done), device.is_cuda().then_some(8 << 20));
    });
}

#[test]
fn nobody_is_told_after_a_panic_or_of_short_work() {
    on_each_device(|_| {
        let show = |progress| panic!("{progress:?}");
        let x = DeviceArray::<f64>::ones([10]);
        let run = || lazuli::repeat(50, x.clone(), |x| x.cumsum(0) * 0.1).to_vec().unwrap();
        lazuli::with_progress(Duration::from_secs(3600), show, run);
        let panics = std::panic::catch_unwind(|| {
            lazuli::with_progress(Duration::ZERO, |_| {}, || panic!("in the middle"))
        });
        assert!(panics.is_err());
        run();
    });
}
