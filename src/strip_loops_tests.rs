//! Loops over rows that stay in registers from turn to turn, without a GPU: their kernels are rendered
//! as CUDA C++ and run by the emulator, against a launch for each turn.

use crate::PadMode;
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
        ("mirrored", |s| {
            let ends = [(0, 0), (20, 20)];
            let around = |u: &DeviceArray<f64>| u.pad(&ends, PadMode::Reflect);
            let sum = |u: &DeviceArray<f64>| around(u).sliding_windows(41, 1).sum(-1);
            s.iter().map(|u| step(u, &|u| sum(u) * 0.01)).collect()
        }),
    ];
    Device::cpu().scope(|| {
        for (name, body) in others {
            let Some((kernel, pairs)) = turn(&state(&[3, 100], 1), &body) else { continue };
            assert!(check_strips(name, &kernel, &pairs).is_none(), "{name}");
        }
    });
}

/// The values within a reach of each point of a ring, along a new last axis.
fn around<T: Floating>(z: &DeviceArray<T>, reach: usize) -> DeviceArray<T> {
    z.pad(&[(0, 0), (reach, reach)], PadMode::Wrap).sliding_windows(2 * reach + 1, 1)
}

/// What Lorenz's model III is made of: weighted sums over windows, and sums of their products.
fn rings<T: Floating + From<f32>>(smooth: &DeviceArray<T>, mean: &DeviceArray<T>) -> Slope<T> {
    let (smooth, mean) = (smooth.clone(), mean.clone());
    Box::new(move |z| {
        let (by, reach) = (32, 16);
        let x = (around(z, 12) * &smooth).sum(-1);
        let w = (around(&x, reach) * &mean).sum(-1);
        let near = around(&along(&w, by), reach) * around(&along(&x, -by), reach) * &mean;
        let advection = near.sum(-1) - along(&w, 2 * by) * along(&w, by);
        let y = z - &x;
        advection + along(&y, 1) * (along(&y, -1) - along(&y, 2)) - x * T::from(0.5)
    })
}

type Slope<T> = Box<dyn Fn(&DeviceArray<T>) -> DeviceArray<T>>;

fn slopes<T: Floating + From<f32>>() -> Vec<(&'static str, Slope<T>)> {
    let weights = |len: usize| {
        let weights = &state::<T>(&[len], 1)[0] * T::from(0.05);
        weights.eval().expect("a product");
        weights
    };
    let edge: Slope<T> = Box::new(|z| {
        let own = z * z + T::from(0.5);
        let apart = around(z, 10) - own.clone().insert_axis(2);
        (&apart * &apart).sum(-1) * T::from(0.01) - around(&own, 3).max(-1)
    });
    let far: Slope<T> = Box::new(|z| along(z, 30) * T::from(0.5) - along(z, -17) * along(z, 1));
    vec![("rings", rings(&weights(25), &weights(33))), ("edge", edge), ("far", far)]
}

fn check_windows<T: Floating + From<f32>>(n: usize) {
    for (name, slope) in slopes::<T>() {
        let body = |states: States<T>| states.iter().map(|z| step(z, &slope)).collect();
        let (kernel, pairs) = turn(&state::<T>(&[2, n], 1), &body).expect("a kernel");
        let name = format!("{name} of {n} {}", T::DTYPE);
        let rendered = check_strips(&name, &kernel, &pairs);
        let rendered = rendered.unwrap_or_else(|| panic!("{name} has no strips\n{kernel}"));
        eprintln!("{name}: {} {}", rendered.schedule, rendered.weight);
    }
}

/// Sums over windows of all positions of a strip together, and reads from far, which go through whole
/// rows in shared memory.
#[test]
fn windows_and_far_reads() {
    Device::cpu().scope(|| {
        [64, 131].into_iter().for_each(check_windows::<f64>);
        check_windows::<f32>(64);
    });
}
