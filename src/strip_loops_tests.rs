//! Loops over rows that stay in registers from turn to turn, without a GPU: their kernels are rendered
//! as CUDA C++ and run by the emulator, against a launch for each turn.

use crate::backend::cuda::render::tests::strips::check_strips;
use crate::eval::{prepare, turn_of};
use crate::kernel::{Kernel, weight};
use crate::prelude::*;
use crate::repeat;

type Array = DeviceArray<f64>;
type States = Vec<Array>;

fn state(shape: &[usize], count: usize) -> States {
    let numbers = |seed: usize| {
        let len = shape.iter().product();
        let of = |k: usize| (((k + seed) * 7919) % 1009) as f64 / 500.0 - 1.0;
        DeviceArray::from_vec(shape, (0..len).map(of).collect()).expect("an upload")
    };
    (0..count).map(|seed| numbers(seed * 31)).collect()
}

/// The kernel of a loop's turn with what it hands on; none where a turn is more than that.
fn turn(start: &States, body: &dyn Fn(States) -> States) -> Option<(Kernel, Vec<(u32, u32)>)> {
    let end = repeat(3, start.clone(), body);
    let nodes: Vec<_> = end.iter().map(|a| a.node().clone()).collect();
    let (prepared, ..) = prepare(&nodes).unwrap().expect("something to evaluate");
    turn_of(&prepared)
}

fn along(u: &Array, by: isize) -> Array {
    u.roll(by, u.ndim() as isize - 1)
}

/// The slope of the Lorenz 96 model.
fn slope(z: &Array) -> Array {
    (along(z, -1) - along(z, 2)) * along(z, 1) - z + 8.0
}

/// A Runge-Kutta step of a slope.
fn step(z: &Array, slope: &dyn Fn(&Array) -> Array) -> Array {
    const H: f64 = 0.01;
    let k1 = slope(z);
    let k2 = slope(&(z + 0.5 * H * &k1));
    let k3 = slope(&(z + 0.5 * H * &k2));
    let k4 = slope(&(z + H * &k3));
    z + H / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
}

fn rk4(states: States) -> States {
    states.iter().map(|z| step(z, &slope)).collect()
}

/// Waves: what is displaced and how fast it moves.
fn waves(states: States) -> States {
    let force = |u: &Array| along(u, 1) + along(u, -1) - 2.0 * u;
    let half = &states[1] + 0.05 * force(&states[0]);
    let moved = &states[0] + 0.1 * &half;
    let fast = &half + 0.05 * force(&moved);
    vec![moved, fast]
}

/// The same step with its slopes summed up in another order.
fn rk4_of_sums(states: States) -> States {
    let step = |z: &Array| {
        let k1 = slope(z);
        let k2 = slope(&(z + &k1 * 0.005));
        let k3 = slope(&(z + &k2 * 0.005));
        let k4 = slope(&(z + &k3 * 0.01));
        z + (k1 + (k2 + k3) * 2.0 + k4) * (0.01 / 6.0)
    };
    states.iter().map(step).collect()
}

/// However a step is written, two rows are in shared memory at a time.
#[test]
fn steps_in_other_words() {
    Device::cpu().scope(|| {
        for (name, body) in [("rk4", rk4 as fn(States) -> States), ("of sums", rk4_of_sums)] {
            let (kernel, pairs) = turn(&state(&[3, 960], 1), &body).expect("a kernel");
            let rendered = check_strips(name, &kernel, &pairs).expect("strips");
            eprintln!(
                "{name}: {} {} {}",
                rendered.schedule, rendered.weight, rendered.shared_bytes
            );
            assert_eq!(rendered.shared_bytes, 2 * 960 * 8, "{name}\n{kernel}");
        }
    });
}

#[test]
fn rows_of_many_lengths() {
    Device::cpu().scope(|| {
        for n in [40, 64, 65, 97, 100, 131, 257, 960] {
            let (kernel, pairs) = turn(&state(&[3, n], 1), &rk4).expect("a kernel");
            let rendered = check_strips(&format!("rk4 of {n}"), &kernel, &pairs);
            let rendered = rendered.unwrap_or_else(|| panic!("{n} has no strips\n{kernel}"));
            assert!(rendered.weight <= weight::MOST, "{n}: {}", rendered.weight);
        }
    });
}

#[test]
fn rows_of_several_states_and_of_other_arrays() {
    Device::cpu().scope(|| {
        let (kernel, pairs) = turn(&state(&[2, 70], 2), &waves).expect("a kernel");
        eprintln!("waves:\n{kernel}");
        check_strips("waves", &kernel, &pairs);

        let [force, own] = [state(&[90], 1).remove(0), state(&[4, 1], 1).remove(0)];
        let whole = state(&[4, 90], 2).remove(1);
        let forced = |states: States| -> States {
            let slope = |z: &Array| slope(z) * &own + &force * &whole;
            states.iter().map(|z| step(z, &slope)).collect()
        };
        let (kernel, pairs) = turn(&state(&[4, 90], 1), &forced).expect("a kernel");
        assert!(check_strips("forced", &kernel, &pairs).is_some(), "{kernel}");
    });
}

/// What sums up its rows, or reads them elsewhere, is written as it was.
#[test]
fn other_rows_have_no_strips() {
    let others: [(&str, fn(States) -> States); 3] = [
        ("mean", |s| s.iter().map(|u| u - u.mean(1).insert_axis(1)).collect()),
        ("flipped", |s| s.iter().map(|u| step(u, &|u| u.flip(1) * 0.5)).collect()),
        ("far", |s| s.iter().map(|u| step(u, &|u| along(u, 30) * 0.5)).collect()),
    ];
    Device::cpu().scope(|| {
        for (name, body) in others {
            let Some((kernel, pairs)) = turn(&state(&[3, 100], 1), &body) else { continue };
            assert!(check_strips(name, &kernel, &pairs).is_none(), "{name}");
        }
    });
}
