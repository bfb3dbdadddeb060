//! Loops over rows that stay in registers from turn to turn, without a GPU: their kernels are rendered
//! as CUDA C++ and run by the emulator, against a launch for each turn.

use crate::backend::cuda::render::tests::strips::check_strips;
use crate::kernel::weight;
use crate::loop_tests::{States, state, turn};
use crate::prelude::*;

fn along<T: Real>(u: &DeviceArray<T>, by: i64) -> DeviceArray<T> {
    u.roll(by, u.ndim() as isize - 1)
}

/// The slope of the Lorenz 96 model.
fn slope<T: Real + From<f32>>(z: &DeviceArray<T>) -> DeviceArray<T> {
    (along(z, -1) - along(z, 2)) * along(z, 1) - z + T::from(8.0)
}

/// A Runge-Kutta step of a slope.
fn step<T: Real + From<f32>>(
    z: &DeviceArray<T>,
    slope: &dyn Fn(&DeviceArray<T>) -> DeviceArray<T>,
) -> DeviceArray<T> {
    let [h, half, two, six] = [0.01, 0.5, 2.0, 6.0].map(T::from);
    let k1 = slope(z);
    let k2 = slope(&(z + &k1 * (half * h)));
    let k3 = slope(&(z + &k2 * (half * h)));
    let k4 = slope(&(z + &k3 * h));
    z + (k1 + &k2 * two + &k3 * two + k4) * (h / six)
}

fn rk4<T: Real + From<f32>>(states: States<T>) -> States<T> {
    states.iter().map(|z| step(z, &slope)).collect()
}

/// Waves: what is displaced and how fast it moves.
fn waves(states: States<f64>) -> States<f64> {
    let force = |u: &DeviceArray<f64>| along(u, 1) + along(u, -1) - 2.0 * u;
    let half = &states[1] + 0.05 * force(&states[0]);
    let moved = &states[0] + 0.1 * &half;
    let fast = &half + 0.05 * force(&moved);
    vec![moved, fast]
}

/// The same step with its slopes summed up in another order.
fn rk4_of_sums(states: States<f64>) -> States<f64> {
    let step = |z: &DeviceArray<f64>| {
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
        for (name, body) in
            [("rk4", rk4 as fn(States<f64>) -> States<f64>), ("of sums", rk4_of_sums)]
        {
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
            let doubles = turn(&state::<f64>(&[3, n], 1), &rk4).expect("a kernel");
            let singles = turn(&state::<f32>(&[3, n], 1), &rk4).expect("a kernel");
            for (size, (kernel, pairs)) in [(8, doubles), (4, singles)] {
                let name = format!("rk4 of {n}, {size} bytes each");
                let rendered = check_strips(&name, &kernel, &pairs);
                let rendered = rendered.unwrap_or_else(|| panic!("{name} has no strips\n{kernel}"));
                assert!(rendered.weight <= weight::MOST, "{name}: {}", rendered.weight);
                let row = (n * size).next_multiple_of(16) as u32;
                assert_eq!(rendered.shared_bytes, 2 * row, "{name}\n{kernel}");
            }
        }
    });
}

#[test]
fn rows_of_several_states_and_of_other_arrays() {
    Device::cpu().scope(|| {
        let (kernel, pairs) = turn(&state(&[2, 70], 2), &waves).expect("a kernel");
        eprintln!("waves:\n{kernel}");
        check_strips("waves", &kernel, &pairs);

        let [force, own] = [&[90][..], &[4, 1]].map(|shape| state::<f64>(shape, 1).remove(0));
        let whole = state::<f64>(&[4, 90], 2).remove(1);
        let forced = |states: States<f64>| -> States<f64> {
            let slope = |z: &DeviceArray<f64>| slope(z) * &own + &force * &whole;
            states.iter().map(|z| step(z, &slope)).collect()
        };
        let (kernel, pairs) = turn(&state(&[4, 90], 1), &forced).expect("a kernel");
        assert!(check_strips("forced", &kernel, &pairs).is_some(), "{kernel}");
    });
}

/// What sums up its rows, or reads them elsewhere, is written as it was.
#[test]
fn other_rows_have_no_strips() {
    let others: [(&str, fn(States<f64>) -> States<f64>); 3] = [
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
