//! Streams and pinned arrays: whatever the streams are, a program gives what it gives on one.

use crate::support::{Rng, on_each_device};
use lazuli::fft;
use lazuli::gpu::{Array, ArrayMut, grid};
use lazuli::prelude::*;
use lazuli::random::{Kind, LibraryGenerator};
use lazuli::{PinnedArray, Stream};
use ndarray::{Array1, ArrayD};

/// Elements of an array.
fn length(device: Device) -> usize {
    if device.is_cuda() { 20_000 } else { 2_000 }
}

/// All values stay below this, so that nothing overflows.
const MASK: i64 = 0xffff;

/// Slow on purpose: what reads its result too early reads something else.
#[device]
fn slow_step(x: i64, turns: i64) -> i64 {
    let mut y = x;
    for k in 0..turns {
        y = (y * 3 + (y >> 7) + k) & 0xffff;
    }
    y
}

#[vectorize]
fn slow(x: i64, turns: i64) -> i64 {
    slow_step(x, turns)
}

#[kernel]
fn mix(x: Array<i64, 1>, y: ArrayMut<i64, 1>) {
    let i = grid::<1>();
    if i < x.len() {
        y[i] = (slow_step(y[i], 50) - x[i]) & 0xffff;
    }
}

/// On a GPU so many that a kernel is under way while the host gives out more work; the host computes
/// the same.
fn turns(device: Device) -> i64 {
    if device.is_cuda() { 2000 } else { 5 }
}

/// Runs `f` on one of the streams, or on the device's own.
fn on<R>(streams: &[Stream], which: usize, f: impl FnOnce() -> R) -> R {
    match streams.get(which) {
        Some(stream) => stream.scope(f),
        None => f(),
    }
}

/// A program of integers that moves arrays between streams, overwrites, drops and reads them; each
/// array is kept on the host as well, computed by plain Rust.
fn random_program(device: Device, seed: u64, steps: usize) {
    let (n, turns) = (length(device), turns(device));
    let rng = &mut Rng(seed);
    let streams: Vec<Stream> = (0..3).map(|_| Stream::new().unwrap()).collect();
    let fresh = |rng: &mut Rng| Array1::from_shape_fn(n, |_| rng.next() as i64 & MASK);
    let mut held: Vec<(DeviceArray<i64>, Array1<i64>)> = Vec::new();
    let mut pinned = PinnedArray::<i64>::zeros(n).unwrap();
    let step = lazuli::compile(|(a, b): &(DeviceArray<i64>, DeviceArray<i64>)| (a * 5 - b) & MASK);
    let mut last: Option<Array1<i64>> = None;
    for k in 0..steps {
        if held.len() < 2 || (held.len() < 6 && rng.below(4) == 0) {
            let host = fresh(rng);
            let which = rng.below(4);
            let array = if rng.below(2) == 0 {
                on(&streams, which, || to_device(&host)).unwrap()
            } else {
                // The pinned array may be overwritten at once: writing waits.
                pinned.view_mut().unwrap().assign(&host);
                last = None;
                on(&streams, which, || DeviceArray::from_pinned(&pinned)).unwrap()
            };
            held.push((array, host));
            continue;
        }
        let (i, j, which) = (rng.below(held.len()), rng.below(held.len()), rng.below(4));
        let (a, b) = (held[i].clone(), held[j].clone());
        match rng.below(9) {
            0 => {
                let y = slow::call(&a.0, turns);
                on(&streams, which, || y.eval()).unwrap();
                held[i] = (y, a.1.mapv(|x| slow_step(x, turns)));
            }
            1 => {
                let y = (&a.0 - &b.0 * 3) & MASK;
                on(&streams, which, || y.eval()).unwrap();
                held[j] = (y, (&a.1 - &(&b.1 * 3)).mapv(|x| x & MASK));
            }
            2 => {
                // In place where nobody else has the buffer.
                drop(a);
                let other = held[j].clone();
                let (x, mut host) = std::mem::replace(&mut held[i], other);
                let mut x = x;
                x.assign(s![3..n as isize - 5], k as i64);
                on(&streams, which, || x.eval()).unwrap();
                host.slice_mut(s![3..n as isize - 5]).fill(k as i64);
                held[i] = (x, host);
            }
            3 => {
                let y = on(&streams, which, || step.call(&(a.0, b.0))).unwrap();
                held[i] = (y, (&a.1 * 5 - &b.1).mapv(|x| x & MASK));
            }
            4 => {
                let y = a.0.flip(0).cumsum(0) & MASK;
                on(&streams, which, || y.eval()).unwrap();
                let mut sum = 0;
                let sums = a.1.iter().rev().map(|x| {
                    sum += x;
                    sum & MASK
                });
                held[i] = (y, sums.collect());
            }
            5 => {
                // A kernel that writes an array in place, or a copy where others have it.
                let other = held[j].clone();
                let (x, mut host) = std::mem::replace(&mut held[i], other);
                let mut x = x;
                drop(a);
                let other = b.0.clone();
                on(&streams, which, || mix.launch(n.div_ceil(128), 128, (&other, &mut x))).unwrap();
                host.zip_mut_with(&b.1, |y, x| *y = (slow_step(*y, 50) - x) & MASK);
                held[i] = (x, host);
            }
            6 => {
                drop((a, b));
                drop(held.swap_remove(i));
            }
            7 => {
                on(&streams, which, || a.0.copy_to_pinned(&mut pinned)).unwrap();
                last = Some(a.1);
            }
            _ => {
                let got = on(&streams, which, || (a.0.sum(..).item(), b.0.to_vec()));
                assert_eq!(got.0.unwrap(), a.1.sum(), "seed {seed}, step {k}");
                assert_eq!(got.1.unwrap(), b.1.to_vec(), "seed {seed}, step {k}");
            }
        }
        if let (Some(last), true) = (&last, rng.below(3) == 0) {
            assert_eq!(pinned.view().unwrap(), last.view().into_dyn(), "seed {seed}, step {k}");
        }
    }
    for (k, (array, host)) in held.into_iter().enumerate() {
        assert_eq!(array.to_vec().unwrap(), host.to_vec(), "seed {seed}, array {k}");
    }
}

#[test]
fn arrays_pass_between_streams() {
    on_each_device(|device| {
        for seed in 0..6 {
            random_program(device, seed, 100);
        }
    });
}

#[test]
fn threads_with_streams_of_their_own_share_arrays() {
    on_each_device(|device| {
        let n = length(device);
        let host = Array1::from_shape_fn(n, |k| k as i64 & MASK);
        let x = slow::call(&to_device(&host).unwrap(), turns(device));
        // Evaluated on the device's own stream, and under way when the others begin.
        x.eval().unwrap();
        let wanted = host.mapv(|x| slow_step(x, turns(device)));
        std::thread::scope(|scope| {
            for t in 0..4 {
                let (x, wanted) = (&x, &wanted);
                scope.spawn(move || {
                    let stream = Stream::on(device).unwrap();
                    stream.scope(|| {
                        let mut out = PinnedArray::zeros(n).unwrap();
                        for k in 0..10 {
                            let y = (x * (t + 1)) + k;
                            y.copy_to_pinned(&mut out).unwrap();
                            let sum = wanted.sum() * (t + 1) + k * n as i64;
                            assert_eq!(y.sum(..).item().unwrap(), sum);
                            let wanted = wanted.mapv(|w| w * (t + 1) + k);
                            assert_eq!(out.view().unwrap(), wanted.into_dyn());
                        }
                    });
                });
            }
        });
        random_program(device, 77, 40);
    });
}

#[test]
fn what_one_stream_reads_is_not_given_to_another() {
    on_each_device(|device| {
        let n = 2 * length(device);
        let (one, two) = (Stream::new().unwrap(), Stream::new().unwrap());
        for round in 0..6 {
            let host = Array1::from_shape_fn(n, |k| (k as i64 + round) & MASK);
            let x = two.scope(|| to_device(&host)).unwrap();
            let y = slow::call(&x, turns(device));
            one.scope(|| y.eval()).unwrap();
            // The slow kernel still reads it, on another stream than the memory's.
            drop(x);
            let others: Vec<DeviceArray<i64>> = two.scope(|| {
                (0..3).map(|k| DeviceArray::from_vec(n, vec![-1 - k; n]).unwrap()).collect()
            });
            assert_eq!(y.to_vec().unwrap(), host.mapv(|x| slow_step(x, turns(device))).to_vec());
            for (k, other) in others.iter().enumerate() {
                assert_eq!(other.min(..).item().unwrap(), -1 - k as i64);
            }
        }
    });
}

#[test]
fn pinned_arrays_wait_for_their_copies() {
    on_each_device(|device| {
        let n = 300 * length(device);
        let stream = Stream::new().unwrap();
        let mut host = PinnedArray::from_vec(n, vec![1i64; n]).unwrap();
        let mut back = PinnedArray::zeros(n).unwrap();
        for round in 1..5 {
            host.view_mut().unwrap().fill(round);
            let x = stream.scope(|| DeviceArray::from_pinned(&host)).unwrap();
            host.as_mut_slice().unwrap().fill(-1);
            stream.scope(|| slow::call(&x, 100).copy_to_pinned(&mut back)).unwrap();
            let wanted = slow_step(round, 100);
            assert!(back.as_slice().unwrap().iter().all(|&v| v == wanted), "round {round}");
            // Straight on from the pinned memory, on the device's own stream.
            (&x + 5).copy_to_pinned(&mut back).unwrap();
            let again = stream.scope(|| DeviceArray::from_pinned(&back)).unwrap();
            assert_eq!(again.max(..).item().unwrap(), round + 5);
            assert_eq!(again.min(..).item().unwrap(), round + 5);
        }
        // A copy under way keeps the memory.
        let mut gone = PinnedArray::zeros(n).unwrap();
        let x = DeviceArray::<i64>::ones(n);
        stream.scope(|| x.copy_to_pinned(&mut gone)).unwrap();
        drop(gone);
        stream.synchronize().unwrap();
        assert!(stream.is_idle().unwrap());
    });
}

#[test]
fn pinned_arrays_of_one_device_serve_another() {
    let all = Device::all();
    for &from in &all {
        let host = from.scope(|| PinnedArray::from_vec([2, 3], vec![1.5f32; 6])).unwrap();
        for &to in &all {
            let x = to.scope(|| DeviceArray::from_pinned(&host)).unwrap();
            let mut back = from.scope(|| PinnedArray::zeros([2, 3])).unwrap();
            (x * 2.0).copy_to_pinned(&mut back).unwrap();
            assert_eq!(back.view().unwrap(), ArrayD::from_elem(vec![2, 3], 3.0));
        }
    }
}

#[test]
fn libraries_run_on_the_stream_that_was_chosen() {
    on_each_device(|device| {
        let n = if device.is_cuda() { 192 } else { 24 };
        let grid = |seed: f64| {
            let x = DeviceArray::<f64>::arange_to((n * n) as f64).reshape([n, n]);
            (x * seed).sin() + DeviceArray::<f64>::eye(n) * n as f64
        };
        let all = |seed: f64| {
            let a = grid(seed);
            a.eval().unwrap();
            let symmetric = &a + &a.t();
            let single = a.cast::<f32>();
            let draw = LibraryGenerator::new(Kind::Xorwow, 7).unwrap().random::<f64>([n, n]);
            vec![
                a.matmul(&a.t()),
                fft::ifft(&(fft::fft(&a) * Complex::new(0.5, 0.0))).real(),
                fft::rfft(&a).abs(),
                a.solve(&symmetric),
                symmetric.eigvalsh().broadcast_to([n, n]),
                a.inverse(),
                a.qr().1,
                a.sort(-1),
                a.reshape(n * n).cumsum(0).reshape([n, n]),
                single.matmul(&single).cast::<f64>(),
                draw,
            ]
        };
        let streams: Vec<Stream> = (0..2).map(|_| Stream::new().unwrap()).collect();
        for seed in [0.7, 1.3, 0.7] {
            let plain: Vec<_> = all(seed).iter().map(|a| a.copy_to_host().unwrap()).collect();
            // Both streams have all of them under way before anything is read.
            let given: Vec<Vec<DeviceArray<f64>>> = streams
                .iter()
                .map(|stream| {
                    stream.scope(|| {
                        let all = all(seed);
                        all.iter().for_each(|a| a.eval().unwrap());
                        all
                    })
                })
                .collect();
            for given in given {
                for (k, (given, plain)) in given.iter().zip(&plain).enumerate() {
                    let given = given.copy_to_host().unwrap();
                    let near = given
                        .iter()
                        .zip(plain)
                        .all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs()));
                    assert!(near, "library {k}, seed {seed}");
                }
            }
        }
    });
}

#[test]
fn streams_do_not_wait_for_each_other() {
    on_each_device(|device| {
        let stream = Stream::new().unwrap();
        assert!(stream.is_idle().unwrap());
        assert_eq!(stream.device(), device);
        if !device.is_cuda() {
            return;
        }
        let x = DeviceArray::<i64>::arange_to(1000);
        x.eval().unwrap();
        // The kernels are there before the clock matters.
        stream.scope(|| slow::call(&x, 10).eval()).unwrap();
        (&x + 1).sum(..).item().unwrap();
        stream.synchronize().unwrap();
        // Whoever shares the GPU may hold one stream up as well, but not each time.
        let independent = (0..5).any(|turn| {
            let y = slow::call(&x, 20_000_000 + turn);
            stream.scope(|| y.eval()).unwrap();
            assert_eq!((&x + 1).sum(..).item().unwrap(), 500_500);
            let still = !stream.is_idle().unwrap();
            // One that was told to wait does so.
            let other = Stream::new().unwrap();
            other.wait_for(&stream).unwrap();
            let z = other.scope(|| (&x + 2).to_vec()).unwrap();
            assert!(stream.is_idle().unwrap(), "a stream did not wait for another");
            assert_eq!(z[999], 1001);
            still
        });
        assert!(independent, "the device's own stream waits for another");
    });
    let cpu = Stream::on(Device::cpu()).unwrap();
    if let Ok(gpu) = Device::cuda(0) {
        let error = cpu.wait_for(&Stream::on(gpu).unwrap()).unwrap_err();
        assert!(error.is_device() && error.to_string().contains("streams.rs:"), "{error}");
    }
}
