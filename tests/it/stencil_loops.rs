//! Loops over stencils, of which a GPU takes several turns a launch: the bits of their turns one by
//! one, by fewer launches.

use crate::support::{Rng, on_each_device};
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::{Arithmetic, PadMode, counters, explain, repeat, with_arithmetic};

type States<T> = Vec<DeviceArray<T>>;

/// Each turn evaluated by itself.
fn one_by_one<T: Element>(
    turns: usize,
    start: &States<T>,
    body: &dyn Fn(States<T>) -> States<T>,
) -> States<T> {
    (0..turns).fold(start.clone(), |state, _| {
        let state = body(state);
        let arrays: Vec<&dyn AnyArray> = state.iter().map(|a| a as &dyn AnyArray).collect();
        lazuli::eval(&arrays[..]).unwrap();
        state
    })
}

/// Compares the bits of a loop with those of its turns, without contraction, which a compiler may do in
/// one kernel and not in another.
fn same<T: Element>(
    name: &str,
    start: &States<T>,
    turns: usize,
    body: &dyn Fn(States<T>) -> States<T>,
    bits: impl Fn(T) -> u64,
) {
    let (found, wanted) = with_arithmetic(Arithmetic::Strict, || {
        let found = repeat(turns, start.clone(), body);
        let wanted = one_by_one(turns, start, body);
        let host = |state: States<T>| -> Vec<Vec<T>> {
            state.iter().map(|a| a.to_vec().unwrap()).collect()
        };
        (host(found), host(wanted))
    });
    for (k, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        let differs = found.iter().zip(wanted).position(|(f, w)| bits(*f) != bits(*w));
        assert_eq!(differs, None, "{name}: state {k} after {turns} turns");
    }
}

fn plate(seed: u64, shape: &[usize]) -> DeviceArray<f64> {
    Generator::new(seed).normal(0.0, 1.0, shape.to_vec())
}

fn held(u: &DeviceArray<f64>) -> DeviceArray<f64> {
    let inner = u.slice(s![1..-1, ..-2]) + u.slice(s![1..-1, 2..]);
    let inner = inner + u.slice(s![2.., 1..-1]) + u.slice(s![..-2, 1..-1]);
    u.with_slice(s![1..-1, 1..-1], inner * 0.25)
}

/// The turns of a launch, as `explain` says it; none where each turn is one.
fn at_a_time(
    start: &DeviceArray<f64>,
    body: impl Fn(DeviceArray<f64>) -> DeviceArray<f64>,
) -> Option<usize> {
    let text = explain(&[&repeat(3, start.clone(), body)]).to_string();
    let (before, _) = text.split_once(" turns a launch, borders computed again")?;
    before.split_whitespace().next_back()?.parse().ok()
}

#[test]
fn turns_share_launches_and_keep_their_bits() {
    on_each_device(|device| {
        let start = plate(1, &[700, 900]);
        start.eval().unwrap();
        let most = at_a_time(&start, |u| held(&u));
        assert_eq!(most.is_some(), device.is_cuda());
        let most = most.unwrap_or(1);
        for turns in [0, 1, most - 1, most, most + 1, 5 * most + 3] {
            let before = counters().launches;
            repeat(turns, start.clone(), |u| held(&u)).eval().unwrap();
            if device.is_cuda() {
                let launches = counters().launches - before;
                assert_eq!(launches, turns.div_ceil(most) as u64, "{turns} turns by {most}");
            }
            let body = |s: States<f64>| s.iter().map(held).collect();
            same("held edges", &vec![start.clone()], turns, &body, f64::to_bits);
        }
    });
}

/// Random sums of neighbours on rings, within edges and by windows, of one to three states.
#[test]
fn random_stencils_keep_their_bits() {
    fn term(rng: &mut Rng, u: &DeviceArray<f64>) -> DeviceArray<f64> {
        let axis = (rng.next() % u.ndim() as u64) as usize;
        let by = (rng.next() % 5) as isize - 2;
        let n = u.shape()[axis] as isize;
        let mut widths = vec![(0, 0); u.ndim()];
        widths[axis] = (2, 2);
        let beside = |wide: DeviceArray<f64>| match (u.ndim(), axis) {
            (1, _) => wide.slice(s![2 + by..2 + by + n]),
            (_, 0) => wide.slice(s![2 + by..2 + by + n, ..]),
            _ => wide.slice(s![.., 2 + by..2 + by + n]),
        };
        match rng.next() % 6 {
            0 | 1 => u.roll(by as i64, axis as i64),
            2 => beside(u.pad(&widths, PadMode::Edge)),
            3 => beside(u.pad(&widths, PadMode::Reflect)),
            4 => beside(u.pad(&widths, PadMode::Constant(0.5))),
            _ => u.roll(by as i64, axis as i64).minimum(u),
        }
    }
    on_each_device(|device| {
        let shapes: [&[usize]; 5] = [&[300, 500], &[1001, 257], &[90_001], &[7, 6], &[64, 64]];
        let count = if device.is_cuda() { 30 } else { 10 };
        for seed in 0..count {
            let shape = shapes[seed as usize % shapes.len()];
            let states = 1 + (seed % 3) as usize;
            let start: States<f64> =
                (0..states).map(|k| plate(seed * 10 + k as u64, shape)).collect();
            let around = plate(seed + 500, shape);
            let body = |state: States<f64>| -> States<f64> {
                let mut rng = Rng(seed * 7 + 3);
                (0..states)
                    .map(|k| {
                        let mut sum = &state[k] * 0.5 + &around * 0.01;
                        for _ in 0..1 + rng.next() % 4 {
                            let from = (rng.next() % states as u64) as usize;
                            sum = sum + term(&mut rng, &state[from]) * 0.1;
                        }
                        sum
                    })
                    .collect()
            };
            for turns in [1, 6, 29] {
                let name = format!("seed {seed}, {shape:?}");
                same(&name, &start, turns, &body, f64::to_bits);
            }
        }
    });
}

/// A wave by leaps, whose last field becomes the one before it; types beside doubles.
#[test]
fn waves_and_other_types_keep_their_bits() {
    on_each_device(|_| {
        let start = vec![plate(1, &[400, 500]), plate(2, &[400, 500])];
        let body = |s: States<f64>| {
            let around = s[0].roll(1, 0) + s[0].roll(-1, 0) + s[0].roll(1, 1) + s[0].roll(-1, 1);
            vec![1.6 * &s[0] - &s[1] + 0.1 * around, s[0].clone()]
        };
        for turns in [1, 2, 13, 50] {
            same("wave", &start, turns, &body, f64::to_bits);
        }
        let start: States<f32> = start.iter().map(|a| a.cast::<f32>()).collect();
        let body = |s: States<f32>| {
            let flow = s[0].roll(1, 1) - s[0].roll(-1, 1);
            vec![&s[0] - 0.1f32 * (&s[1] * flow), &s[1] * 0.999f32 + s[1].roll(2, 0) * 0.001f32]
        };
        for turns in [1, 5, 40] {
            same("flow", &start, turns, &body, |x| u64::from(x.to_bits()));
        }
        // Life: cells by whole numbers.
        let cells = vec![start[0].greater(0.3f32).cast::<i32>()];
        let body = |s: States<i32>| {
            let rows = &s[0] + s[0].roll(1, 0) + s[0].roll(-1, 0);
            let all = &rows + rows.roll(1, 1) + rows.roll(-1, 1);
            let lives = all.equal(3).logical_or(all.equal(4).logical_and(s[0].equal(1)));
            vec![lives.cast::<i32>()]
        };
        for turns in [3, 40] {
            same("life", &cells, turns, &body, |x| x as u64);
        }
    });
}

/// Counts until two numbers meet, which what is no number never does.
#[vectorize]
fn until(a: f64, b: f64) -> f64 {
    let (mut x, mut steps) = (a, 0.0);
    while x != b {
        x = if x < b { x + 1.0 } else { x - 1.0 };
        steps += 1.0;
    }
    a + steps % 3.0 - 1.0
}

#[test]
fn functions_meet_what_their_turns_give_and_nothing_else() {
    on_each_device(|_| {
        let start = vec![(plate(3, &[300, 400]) * 3.0).round()];
        let ring = |s: States<f64>| vec![until::call(&s[0], &s[0].roll(1, 0))];
        let within = |s: States<f64>| {
            let steps = until::call(&s[0].slice(s![1.., ..]), &s[0].slice(s![..-1, ..]));
            vec![s[0].with_slice(s![1.., ..], steps)]
        };
        let bodies: [(&str, &dyn Fn(States<f64>) -> States<f64>); 2] =
            [("ring", &ring), ("within", &within)];
        for (name, body) in bodies {
            for turns in [1, 7, 20] {
                same(name, &start, turns, body, f64::to_bits);
            }
        }
    });
}

/// A Runge-Kutta step along the rows of an array.
fn stepped<T: Real>(
    z: &DeviceArray<T>,
    h: T,
    slope: &dyn Fn(&DeviceArray<T>) -> DeviceArray<T>,
) -> DeviceArray<T> {
    let two = T::one() + T::one();
    let k1 = slope(z);
    let k2 = slope(&(z + &k1 * (h / two)));
    let k3 = slope(&(z + &k2 * (h / two)));
    let k4 = slope(&(z + &k3 * h));
    z + (k1 + (k2 + k3) * two + k4) * (h / (two * two + two))
}

/// Rows of several sweeps, which a GPU keeps in registers where they fit: one launch for all turns.
#[test]
fn rows_of_several_sweeps_keep_their_bits() {
    fn slope<T: Real>(z: &DeviceArray<T>) -> DeviceArray<T> {
        (z.roll(-1, 1) - z.roll(2, 1)) * z.roll(1, 1) - z
    }
    on_each_device(|device| {
        for (rows, n) in
            [(3, 97), (40, 960), (200, 333), (5, 4100), (9, 9472), (4, 9600), (2, 14000)]
        {
            let start = vec![plate(7, &[rows, n]) * 0.1];
            let (force, own) = (plate(8, &[n]), plate(9, &[rows, 1]));
            let name = format!("{rows} rows of {n}");
            let step = |s: States<f64>| vec![stepped(&s[0], 0.01, &|z| slope(z) + 8.0)];
            same(&name, &start, 7, &step, f64::to_bits);
            let forced = |s: States<f64>| vec![stepped(&s[0], 0.01, &|z| slope(z) * &own + &force)];
            same(&format!("{name}, forced"), &start, 4, &forced, f64::to_bits);
            let single = vec![start[0].cast::<f32>()];
            let step = |s: States<f32>| vec![stepped(&s[0], 0.01, &|z| slope(z) + 8.0)];
            same(&format!("{name} of f32"), &single, 5, &step, |x| u64::from(x.to_bits()));
        }
        let step = |z: DeviceArray<f64>| {
            let slope = |z: &DeviceArray<f64>| slope(z) + 8.0;
            let k1 = slope(&z);
            let k2 = slope(&(&z + 0.005 * &k1));
            let k3 = slope(&(&z + 0.005 * &k2));
            let k4 = slope(&(&z + 0.01 * &k3));
            &z + 0.01 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        };
        for shape in [[40, 960], [4096, 960], [300, 9600]] {
            let start = plate(7, &shape) * 0.1;
            start.eval().unwrap();
            let end = repeat(20, start, step);
            let plan = explain(&[&end]).to_string();
            let before = counters().launches;
            end.eval().unwrap();
            let launches = counters().launches - before;
            assert!(!device.is_cuda() || launches == 1, "{shape:?}: {launches} launches\n{plan}");
        }
    });
}

/// Sums over windows of rows, whose neighbours share what they read, and reads from far along a ring.
#[test]
fn windows_of_rows_keep_their_bits() {
    fn around<T: Floating>(z: &DeviceArray<T>, reach: usize) -> DeviceArray<T> {
        z.pad(&[(0, 0), (reach, reach)], PadMode::Wrap).sliding_windows(2 * reach + 1, 1)
    }
    /// Lorenz's model III in small: the large scales, and how their products carry them.
    fn slope<T: Floating>(z: &DeviceArray<T>, weights: [&DeviceArray<T>; 2]) -> DeviceArray<T> {
        let x = (around(z, 12) * weights[0]).sum(-1);
        let w = (around(&x, 16) * weights[1]).sum(-1);
        let near = around(&w.roll(32, 1), 16) * around(&x.roll(-32, 1), 16) * weights[1];
        let y = z - &x;
        let carried = near.sum(-1) - w.roll(64, 1) * w.roll(32, 1);
        carried + y.roll(1, 1) * (y.roll(-1, 1) - y.roll(2, 1)) - x
    }
    on_each_device(|device| {
        let doubles = [25, 33].map(|len| plate(len as u64, &[len]) * 0.05);
        let singles = doubles.each_ref().map(|weights| weights.cast::<f32>());
        let step = |z: &DeviceArray<f64>| stepped(z, 0.01, &|z| slope(z, doubles.each_ref()));
        let single = |z: &DeviceArray<f32>| stepped(z, 0.01, &|z| slope(z, singles.each_ref()));
        for (rows, n) in [(3, 97), (40, 960), (200, 333), (5, 1333), (2, 4096), (150, 64)] {
            let start = vec![plate(7, &[rows, n]) * 0.1];
            let name = format!("windows of {rows} rows of {n}");
            let body = |s: States<f64>| s.iter().map(step).collect();
            same(&name, &start, 5, &body, f64::to_bits);
            let start = vec![start[0].cast::<f32>()];
            let body = |s: States<f32>| s.iter().map(single).collect();
            same(&format!("{name} of f32"), &start, 4, &body, |x| u64::from(x.to_bits()));
        }
        let start = plate(7, &[40, 960]) * 0.1;
        start.eval().unwrap();
        let end = repeat(20, start, |z| step(&z));
        let plan = explain(&[&end]).to_string();
        let before = counters().launches;
        end.eval().unwrap();
        let launches = counters().launches - before;
        assert!(!device.is_cuda() || launches == 1, "{launches} launches\n{plan}");
        assert!(!device.is_cuda() || plan.contains("strips of 3 positions"), "{plan}");
    });
}

/// Chunks of rows that take several turns before others, on the processor; on a GPU as it has them.
#[test]
fn several_turns_of_some_rows_keep_their_bits() {
    fn around<T: Floating>(u: &DeviceArray<T>, axis: isize) -> DeviceArray<T> {
        u.roll(1, axis) + u.roll(-2, axis)
    }
    fn line<T: Floating>(u: &DeviceArray<T>) -> DeviceArray<T> {
        let inner = u.slice(s![..-4]) + u.slice(s![1..-3]) + u.slice(s![4..]);
        u.with_slice(s![2..-2], inner * T::from_f64(0.3))
    }
    on_each_device(|device| {
        let of = |shape: &[usize]| {
            let start = plate(3, shape);
            start.eval().unwrap();
            start
        };
        let said = |start: &DeviceArray<f64>,
                    body: &dyn Fn(&DeviceArray<f64>) -> DeviceArray<f64>| {
            let text = explain(&[&repeat(9, start.clone(), |u| body(&u))]).to_string();
            text.contains("several turns of some rows before others")
        };
        let torus = |u: &DeviceArray<f64>| (u + around(u, 0) + around(u, 1)) * 0.2;
        let ball = |u: &DeviceArray<f64>| {
            let beside = |axis: isize| u.roll(1, axis) + u.roll(-1, axis);
            (beside(0) + beside(1) + beside(2)) * 0.15
        };
        let mirrored = |u: &DeviceArray<f64>| {
            let wide = u.pad(&[(2, 2), (1, 1)], PadMode::Reflect);
            (wide.slice(s![..-4, 1..-1]) + wide.slice(s![4.., 1..-1]) + u) * 0.3
        };
        let columns = |u: &DeviceArray<f64>| u.t() * 0.5 + u * 0.4;
        let bodies: [(&str, &[usize], &dyn Fn(&DeviceArray<f64>) -> DeviceArray<f64>); 6] = [
            ("a torus", &[3000, 41], &torus),
            ("a torus of long rows", &[31, 9000], &torus),
            ("a line", &[90_001], &line::<f64>),
            ("a ball", &[60, 31, 29], &ball),
            ("mirrored edges", &[400, 300], &mirrored),
            ("columns", &[300, 300], &columns),
        ];
        for (name, shape, body) in bodies {
            let start = of(shape);
            // Mirrored edges may be taken by rows or not; a column reads every row.
            if !device.is_cuda() && name != "mirrored edges" {
                assert_eq!(said(&start, body), name != "columns", "{name}");
            }
            for turns in [1, 5, 67] {
                let all = |s: States<f64>| s.iter().map(body).collect();
                same(name, &vec![start.clone()], turns, &all, f64::to_bits);
            }
        }
        let (u, v) = (of(&[500, 130]), of(&[500, 130]));
        let two = |s: States<f64>| {
            let product = &s[0] * &s[1];
            vec![&s[0] - 0.1 * &product + 0.01 * around(&s[0], 0), (&s[1] + around(&s[1], 1)) * 0.3]
        };
        same("two fields", &vec![u.clone(), v.clone()], 23, &two, f64::to_bits);
        let swapped =
            |s: States<f64>| vec![1.9 * &s[0] - &s[1] + 0.01 * torus(&s[0]), s[0].clone()];
        same("two times", &vec![u, v], 23, &swapped, f64::to_bits);
        let single = of(&[70_000]).cast::<f32>();
        let body = |s: States<f32>| s.iter().map(line).collect();
        same("a line of f32", &vec![single], 40, &body, |x: f32| u64::from(x.to_bits()));
    });
}
