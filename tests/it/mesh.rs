//! Arrays over several devices: what they compute is what one device computes, whatever the number of
//! shares, and what has no form over several is refused in words.

use crate::support::{Rng, panic_message};
use lazuli::{Arithmetic, Mesh, Sharding, prelude::*, with_arithmetic};
use ndarray::{ArrayD, SliceInfoElem};

/// The meshes of a device: shares of it, some more than many arrays have rows; of GPUs fewer, each of
/// which compiles kernels of its own, and several GPUs, where the machine has them.
pub fn meshes(device: Device) -> Vec<Mesh> {
    let shares = |shares: &[usize]| -> Vec<Mesh> {
        shares.iter().map(|&shares| Mesh::of(&vec![device; shares]).unwrap()).collect()
    };
    if !device.is_cuda() {
        return shares(&[1, 2, 3, 4, 5, 8]);
    }
    let mut meshes = shares(&[1, 3]);
    meshes.extend(Mesh::local(2));
    meshes.extend(Device::cuda(1).and_then(|other| Mesh::of(&[device, other, device])));
    meshes
}

/// The processor, and the first GPU, whose meshes take the others in.
pub fn devices() -> Vec<Device> {
    crate::support::devices().into_iter().take(2).collect()
}

pub fn on_each_mesh(test: impl Fn(Device, Mesh)) {
    for device in devices() {
        device.scope(|| meshes(device).into_iter().for_each(|mesh| test(device, mesh)));
    }
}

/// Values without a pattern, some of them not finite where that is asked for.
fn values(shape: &[usize], seed: u64, wild: bool) -> DeviceArray<f64> {
    let mut rng = Rng(seed);
    let one = |rng: &mut Rng| match wild && rng.one_in(9) {
        true => rng.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0]),
        false => rng.within(-2.0, 2.0),
    };
    let list: Vec<f64> = (0..shape.iter().product()).map(|_| one(&mut rng)).collect();
    DeviceArray::from_vec(shape, list).unwrap()
}

fn same_bits(a: &ArrayD<f64>, b: &ArrayD<f64>, what: &str) {
    assert_eq!(a.shape(), b.shape(), "{what}");
    for (at, (x, y)) in a.iter().zip(b).enumerate() {
        let same = x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
        assert!(same, "{what}: element {at} is {x:?} and not {y:?}");
    }
}

fn close(a: &ArrayD<f64>, b: &ArrayD<f64>, what: &str) {
    assert_eq!(a.shape(), b.shape(), "{what}");
    for (x, y) in a.iter().zip(b) {
        let same = x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= 1e-11 * (1.0 + y.abs());
        assert!(same, "{what}: {x:?} and not {y:?}");
    }
}

type Step = (&'static str, fn(&DeviceArray<f64>) -> DeviceArray<f64>);

/// Operations that move elements and compute each by itself: bits are equal.
const EXACT: &[Step] = &[
    ("arithmetic", |x| (x * 2.0 + 1.0) / x),
    ("scalars of arrays", |x| x - x.max(..)),
    ("roll", |x| x.roll(1, 0) + x.roll(-2, 0)),
    ("roll far", |x| x.roll(7, 0)),
    ("roll elsewhere", |x| x.roll(1, 1)),
    ("stencil", |x| x.roll(1, 0) + x.roll(-1, 0) + x.roll(1, 1) + x.roll(-1, 1) - 4.0 * x),
    ("two stencils", |x| {
        let y = x.roll(1, 0) - x;
        y.roll(-1, 0) * y
    }),
    ("slice", |x| x.slice(s![1.., ..])),
    ("slice from behind", |x| x.slice(s![..;-1, ..])),
    ("every other", |x| x.slice(s![1..;2, ..])),
    ("differences", |x| x.slice(s![1.., ..]) - x.slice(s![..-1, ..])),
    ("a row", |x| x.slice(s![0, ..]) + x),
    ("a column", |x| x.slice(s![.., 1]).insert_axis(1) * x),
    ("transpose", |x| x.t() + 1.0),
    ("pad", |x| x.pad(&[(2, 3), (1, 0)], PadMode::Constant(7.0))),
    ("pad by the edge", |x| x.pad(&[(2, 1), (0, 0)], PadMode::Edge)),
    ("reflected", |x| x.pad(&[(2, 1), (0, 0)], PadMode::Reflect)),
    ("symmetric", |x| x.pad(&[(1, 2), (0, 0)], PadMode::Symmetric)),
    ("wrapped", |x| x.pad(&[(1, 2), (0, 0)], PadMode::Wrap)),
    ("windows", |x| x.sliding_windows(3, 0).max(-1)),
    ("flatten", |x| x.flatten() * 2.0),
    ("fold rows", |x| x.reshape([x.len()]).roll(3, 0).reshape(x.shape())),
    ("joined", |x| lazuli::concatenate(&[x, &-x], 0)),
    ("joined beside", |x| lazuli::concatenate(&[x, &-x], 1)),
    ("stacked", |x| lazuli::stack(&[x, &-x], 0)),
    ("repeated", |x| x.repeat(3, 0)),
    ("tiled", |x| x.tile([2, 1])),
    ("assigned", |x| assigned(x, s![1..4, ..], 5.0)),
    ("assigned rows", |x| assigned(x, s![1..-1, ..], x.slice(s![2.., ..]) + x.slice(s![..-2, ..]))),
    ("assigned every other", |x| assigned(x, s![..;2, 1], x.slice(s![..;2, 0]))),
    ("select", |x| lazuli::select(&x.greater(0.0), x, &-x)),
    ("taken elsewhere", |x| x.take(&[2, 0, 0, 1], 1)),
    ("positions", |x| {
        DeviceArray::<f64>::arange_to(x.shape()[0] as f64)
            .to(x.gather_device())
            .unwrap()
            .insert_axis(1)
            * x
    }),
    ("largest", |x| x.max(0)),
    ("smallest of all", |x| x.min(..)),
    ("where the largest is", |x| x.argmax(0).cast()),
    ("where the smallest is", |x| x.argmin(..).cast()),
    ("where the largest is in rows", |x| x.argmax(1).cast()),
    ("any", |x| x.greater(1.0).any(0).cast()),
    ("how many", |x| x.greater(0.0).count_nonzero(0).cast()),
    ("running largest", |x| x.cummax(0)),
    ("running smallest of rows", |x| x.cummin(1)),
    ("sorted rows", |x| x.sort(1)),
    ("diagonal", |x| x.diagonal(0, 0, 1)),
    ("differences of differences", |x| x.diff(2, 0)),
    ("flipped", |x| x.flip(0)),
    ("squeezed", |x| x.insert_axis(0).squeeze(0)),
    ("swapped", |x| x.insert_axis(2).swap_axes(0, 1)),
    ("sorted columns", |x| x.sort(0)),
    ("columns from the largest", |x| x.sort_descending(0)),
    ("order of columns", |x| x.argsort(0).cast()),
    ("the first of columns", |x| x.top_k(2, 0).1.cast()),
    ("taken", |x| x.take(&[2, 0, -1, 1, 2], 0)),
    ("taken clipped", |x| {
        let places = DeviceArray::from_vec([3], vec![2i64, 900, -7]).unwrap();
        x.take_clipped(places.to(x.gather_device()).unwrap(), 0)
    }),
    ("taken by a table", |x| {
        let places = DeviceArray::from_vec([3, 2], vec![0i64, 5, 4, -1, 3, 3]).unwrap();
        x.take(places.to(x.gather_device()).unwrap(), 0)
    }),
    ("taken by what is cut", |x| x.take(shuffled(x), 0) + x),
    ("taken along", |x| x.take_along_axis(&x.argsort(0), 0)),
    ("put", |x| x.with_put(&[1, -1, 1], 5.0, 0)),
    ("put by what is cut", |x| x.with_put(shuffled(x), x * 2.0, 0)),
    ("put elsewhere", |x| x.with_put(&[1, 0], x.slice(s![.., ..2]), 1)),
    ("put along", |x| x.with_put_along_axis(&x.argsort(0), x * 3.0, 0)),
    ("put along rows", |x| x.with_put_along_axis(&x.argsort(1), x * 3.0, 1)),
    ("added", |x| x.scatter_add(&[1, 0, 1, -2, 1], 1.0 / 3.0, 0)),
    ("added by what is cut", |x| x.scatter_add(shuffled(x) / 2, x.sin(), 0)),
    ("smallest of what comes", |x| x.scatter_min(shuffled(x) / 3, -x, 0)),
];

/// All rows' numbers in another order, cut as the array is.
fn shuffled(x: &DeviceArray<f64>) -> DeviceArray<i64> {
    let n = x.shape()[0] as i64;
    let list: Vec<i64> = (0..n).map(|k| (k * 5 + 2) % n).collect();
    let all = DeviceArray::from_vec([list.len()], list).unwrap();
    let place = x.sharding().filter(|sharding| sharding.axis() == Some(0));
    let place = place.map_or(x.gather_device(), |sharding| sharding.mesh().shard(0));
    all.to(place).unwrap()
}

/// Sums, whose bits are the same on any number of shares and close to those of one device.
const SUMS: &[Step] = &[
    ("sum", |x| x.sum(0)),
    ("sum of all", |x| x.sum(..)),
    ("sum of rows", |x| x.sum(1)),
    ("mean", |x| x.mean(0)),
    ("less the mean", |x| x - x.mean(keep(0))),
    ("sines", |x| x.sin() - x.exp()),
    ("variance", |x| x.var(0)),
    ("product", |x| x.prod(0)),
    ("running sum", |x| x.cumsum(0)),
    ("running sum of rows", |x| x.cumsum(1)),
    ("running product", |x| x.cumprod(0)),
    ("running sum from the end", |x| x.cumsum_with(0, lazuli::Scan::new().reverse())),
    ("running sum without itself", |x| x.cumsum_with(0, lazuli::Scan::new().exclusive())),
    ("norm", |x| x.norm(..)),
    ("softmax", |x| {
        let e = (x - x.max(keep(0))).exp();
        &e / e.sum(keep(0))
    }),
    ("rows times columns", |x| x.matmul(&x.t().gather_to(x))),
    ("columns times rows", |x| x.t().matmul(x)),
    ("covariance", |x| {
        let y = x - x.mean(keep(0));
        y.t().matmul(&y) / 3.0
    }),
    ("rows times rows, a product of blocks", |x| {
        let y = x.slice(s![.., ..1])
            * DeviceArray::<f64>::arange_to(x.shape()[0] as f64).to(x.gather_device()).unwrap();
        y.matmul(x)
    }),
    ("rows times a cut vector, a product of blocks", |x| {
        (x.matmul(&x.t().gather_to(x))).matmul(&x.slice(s![.., 0]))
    }),
    ("rows times columns, a product of blocks", |x| x.matmul(&x.t())),
    ("columns times columns, a product of blocks", |x| {
        x.t().matmul(&(x.matmul(&x.t().gather_to(x))).t())
    }),
    ("transform of rows", |x| lazuli::fft::fft(x).abs()),
    ("transform of both axes, a times", |x| lazuli::fft::fft2(x).abs()),
    ("real transform there and back, a times", |x| lazuli::fft::irfft2(&lazuli::fft::rfft2(x))),
];

trait Elsewhere {
    fn gather_device(&self) -> Device;
    fn gather_to(&self, like: &Self) -> Self;
}

impl Elsewhere for DeviceArray<f64> {
    /// Where what each device has is, of an array of one device that device.
    fn gather_device(&self) -> Device {
        self.sharding().map_or(self.device(), |sharding| sharding.mesh().replicate())
    }

    fn gather_to(&self, like: &Self) -> Self {
        self.to(like.gather_device()).unwrap()
    }
}

fn assigned(
    x: &DeviceArray<f64>,
    region: impl AsRef<[SliceInfoElem]>,
    value: impl lazuli::Operand<f64>,
) -> DeviceArray<f64> {
    let mut y = x.clone();
    y.assign(region, value);
    y
}

#[test]
fn what_moves_elements_gives_the_same_bits() {
    on_each_mesh(|device, mesh| {
        let shapes: &[[usize; 2]] = match device.is_cuda() {
            true => &[[13, 4]],
            false => &[[13, 4], [64, 3], [7, 5], [129, 3]],
        };
        for (k, &shape) in shapes.iter().enumerate() {
            let x = values(&shape, k as u64, k % 2 == 1);
            for (name, step) in EXACT {
                let expected = step(&x).copy_to_host().unwrap();
                for axis in [0, 1] {
                    let over = x.to(mesh.shard(axis)).unwrap();
                    let what =
                        format!("{name} of {shape:?} along {axis} on {} of {device}", mesh.len());
                    let result = step(&over);
                    let sharding = result.sharding().unwrap();
                    if sharding.is_possible() {
                        same_bits(&result.copy_to_host().unwrap(), &expected, &what);
                    } else {
                        let error = result.eval().unwrap_err();
                        assert!(error.to_string().contains("gather()"), "{what}: {error}");
                        assert!(axis == 1 || *name == "transpose", "{what}: {error}");
                    }
                }
            }
        }
    });
}

#[test]
fn sums_have_the_same_bits_on_any_number_of_shares() {
    for device in devices() {
        device.scope(|| {
            let shapes: &[[usize; 2]] = match device.is_cuda() {
                true => &[[200, 4]],
                false => &[[13, 4], [64, 4], [7, 4], [200, 4]],
            };
            for (k, &shape) in shapes.iter().enumerate() {
                let x = values(&shape, 90 + k as u64, false);
                for (name, step) in SUMS {
                    let expected = step(&x).copy_to_host().unwrap();
                    let is_library = name.contains("times") || *name == "covariance";
                    let mut first: Option<ArrayD<f64>> = None;
                    for mesh in meshes(device) {
                        let what = format!("{name} of {shape:?} on {} of {device}", mesh.len());
                        let over = x.to(mesh.shard(0)).unwrap();
                        let result =
                            step(&over).copy_to_host().unwrap_or_else(|e| panic!("{what}: {e}"));
                        close(&result, &expected, &what);
                        match &first {
                            Some(first) if !is_library => same_bits(&result, first, &what),
                            _ => first = Some(result),
                        }
                    }
                }
            }
        });
    }
}

#[test]
fn in_strict_arithmetic_everything_has_the_same_bits() {
    const STEPS: &[Step] = &[
        ("products that are added", |x| x.sin() * x.cos() + x.exp() * 0.3),
        ("sum of rows", |x| (x * 1.1 + 0.7).sum(1)),
        ("sum of columns", |x| (x * 1.1 + 0.7).sum(0)),
        ("running sum of rows", |x| x.cumsum(1)),
        ("variance of rows", |x| x.var(1)),
    ];
    for device in devices() {
        device.scope(|| {
            let x = values(&[37, 300], 61, false);
            for (name, step) in STEPS {
                let run = |mesh: Mesh| {
                    let over = x.to(mesh.shard(0)).unwrap();
                    let run = || step(&over).copy_to_host().unwrap();
                    with_arithmetic(Arithmetic::Strict, run)
                };
                let meshes = meshes(device);
                let first = run(meshes[0]);
                for mesh in &meshes[1..] {
                    same_bits(&run(*mesh), &first, &format!("{name} over {mesh}"));
                }
            }
        });
    }
}

#[test]
fn a_failure_names_its_cause_and_touches_nothing() {
    let mesh = Mesh::processors(3).unwrap();
    let x = DeviceArray::<i32>::from_slice(&[7, 8, 9, 10, 11, 12, 13]).unwrap();
    let by = DeviceArray::<i32>::from_slice(&[1, 1, 1, 1, 0, 1, 1]).unwrap();
    let [x, by] = [x, by].map(|a| a.to(mesh.shard(0)).unwrap());
    // The same thing each time: also once it is written down how such an evaluation goes.
    for round in 0..4 {
        let fine = quotient::call(&x, 2);
        fine.eval().unwrap();
        let broken = quotient::call(&x, &by);
        let error = broken.eval().unwrap_err().to_string();
        let place = "for (11, 0), at element [0] of its device's block";
        assert!(error.contains("quotient") && error.contains(place), "{round}: {error}");
        assert!(!broken.is_evaluated());
        let sum = (&x + &fine).sum(..).item().unwrap();
        assert_eq!(sum, 70 + 3 + 4 + 4 + 5 + 5 + 6 + 6);
    }
}

#[vectorize]
fn quotient(x: i32, by: i32) -> i32 {
    x / by
}

#[test]
fn profiles_and_files_know_arrays_over_several_devices() {
    on_each_mesh(|device, mesh| {
        let x = values(&[12, 3], 2, false);
        let over = x.to(mesh.shard(0)).unwrap();
        over.eval().unwrap();
        let (result, profile) = lazuli::profile(|| (&over * 2.0).sum(0).copy_to_host());
        close(&result.unwrap(), &(&x * 2.0).sum(0).copy_to_host().unwrap(), "profiled");
        assert!(profile.to_string().contains("mesh.rs"), "{profile}");
        let name = format!("lazuli-mesh-{device}-{}.npy", mesh.len()).replace(':', "-");
        let path = std::env::temp_dir().join(name);
        over.write_npy(&path).unwrap();
        let read = mesh.shard(0).scope(|| DeviceArray::<f64>::read_npy(&path)).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read.sharding().unwrap().axis(), Some(0));
        same_bits(&read.copy_to_host().unwrap(), &x.copy_to_host().unwrap(), "read");
        let mut refilled = over.zeros_like();
        refilled.copy_from_host(&x.copy_to_host().unwrap()).unwrap();
        same_bits(&refilled.copy_to_host().unwrap(), &x.copy_to_host().unwrap(), "refilled");
        assert!(over.clone().into_dlpack(None).is_err());
    });
}

#[test]
fn blocks_are_any_size_and_may_be_empty() {
    on_each_mesh(|_, mesh| {
        for n in [0, 1, 2, 3, 9] {
            let x = values(&[n, 3], 5, false);
            let over = x.to(mesh.shard(0)).unwrap();
            let lengths: Vec<usize> = over.shards().unwrap().iter().map(|b| b.shape()[0]).collect();
            let expected: Vec<usize> = mesh.blocks(n).iter().map(|rows| rows.len()).collect();
            assert_eq!(lengths, expected);
            let y = (&over * 2.0 + over.sum(keep(0))).copy_to_host().unwrap();
            close(&y, &(&x * 2.0 + x.sum(keep(0))).copy_to_host().unwrap(), "sum");
            let y = over.roll(1, 0).cumsum(0).copy_to_host().unwrap();
            close(&y, &x.roll(1, 0).cumsum(0).copy_to_host().unwrap(), "roll");
            assert_eq!(over.gather().unwrap().copy_to_host().unwrap(), x.copy_to_host().unwrap());
        }
    });
}

#[test]
fn a_time_loop_is_written_as_for_one_device() {
    let run = |mut u: DeviceArray<f64>, each: usize| {
        let mut totals = Vec::new();
        for k in 0..12 {
            let inner = u.slice(s![1..-1, 1..-1]);
            let around = u.slice(s![..-2, 1..-1])
                + u.slice(s![2.., 1..-1])
                + u.slice(s![1..-1, ..-2])
                + u.slice(s![1..-1, 2..]);
            u.assign(s![1..-1, 1..-1], inner * 0.2 + around * 0.2);
            if k % each == 0 {
                totals.push(u.sum(..).item().unwrap());
            }
        }
        (u.copy_to_host().unwrap(), totals)
    };
    on_each_mesh(|_, mesh| {
        let u = values(&[33, 17], 8, false);
        let (expected, sums) = run(u.clone(), 5);
        for each in [1, 5, 100] {
            let (result, totals) = run(u.to(mesh.shard(0)).unwrap(), each);
            close(&result, &expected, "heat");
            if each == 5 {
                totals.iter().zip(&sums).for_each(|(a, b)| assert!((a - b).abs() < 1e-11));
            }
        }
    });
}

#[test]
fn arrays_of_numbers_are_made_on_each_device() {
    on_each_mesh(|device, mesh| {
        let draws = |g: &mut lazuli::random::Generator| g.standard_normal::<f64>([37, 3]);
        let mut g = lazuli::random::Generator::new(7);
        let expected = device.scope(|| draws(&mut g).copy_to_host()).unwrap();
        let mut g = lazuli::random::Generator::new(7);
        let lazy = draws(&mut g);
        let before = lazuli::counters().kernels;
        let over = lazy.to(mesh.shard(0)).unwrap();
        assert_eq!(lazuli::counters().kernels, before);
        same_bits(&over.copy_to_host().unwrap(), &expected, "draws");
        let grid = DeviceArray::<f64>::linspace(0.0, 1.0, 50).to(mesh.shard(0)).unwrap();
        assert_eq!(grid.sharding().unwrap().axis(), Some(0));
        let expected = DeviceArray::<f64>::linspace(0.0, 1.0, 50).copy_to_host().unwrap();
        same_bits(&grid.copy_to_host().unwrap(), &expected, "linspace");
        let made = mesh.shard(0).scope(|| DeviceArray::from_slice(&[1.0f64, 2.0, 3.0])).unwrap();
        assert_eq!(made.sharding().unwrap().axis(), Some(0));
        assert_eq!(made.to_vec().unwrap(), [1.0, 2.0, 3.0]);
    });
}

fn described(sharding: Option<Sharding>) -> (Option<usize>, bool) {
    let sharding = sharding.unwrap();
    (sharding.axis(), sharding.is_possible())
}

#[test]
fn the_axis_follows_the_rows() {
    let mesh = Mesh::processors(3).unwrap();
    let x = DeviceArray::<f64>::ones_on(mesh.shard(1), [4, 6, 5]);
    assert_eq!(described((&x + 1.0).sharding()), (Some(1), true));
    assert_eq!(described(x.sum(0).sharding()), (Some(0), true));
    assert_eq!(described(x.sum(1).sharding()), (None, true));
    assert_eq!(described(x.sum(2).sharding()), (Some(1), true));
    assert_eq!(described(x.insert_axis(0).sharding()), (Some(2), true));
    assert_eq!(described(x.reshape([4, 30]).sharding()), (Some(1), true));
    assert_eq!(described(x.reshape([24, 5]).sharding()), (None, false));
    assert_eq!(described(x.slice(s![.., 2, ..]).sharding()), (None, true));
    assert_eq!(described(x.sort(1).sharding()), (Some(1), true));
    assert_eq!(described(x.sum(2).sum(0).sort(0).sharding()), (Some(0), true));
    let square = x.slice(s![.., .., 0]).slice(s![.., ..4]);
    assert_eq!(described(square.inverse().sharding()), (None, false));
    assert_eq!(described(x.zeros_like().sharding()), (Some(1), true));
    assert_eq!(x.gather().unwrap().sharding(), None);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let mesh = Mesh::processors(2).unwrap();
    let x = DeviceArray::<f64>::ones_on(mesh.shard(0), [4, 4]);
    let y = x.to(mesh.shard(1)).unwrap();
    let error = (&x + &y).eval().unwrap_err();
    assert!(error.is_unsupported() && error.to_string().contains("mesh.rs"), "{error}");
    let one = Device::cpu().scope(|| DeviceArray::<f64>::ones([4, 4]));
    let error = x.try_add(&one).unwrap_err();
    assert!(error.is_device() && error.to_string().contains("`to` moves one"), "{error}");
    let other = DeviceArray::<f64>::ones_on(Mesh::processors(3).unwrap().shard(0), [4, 4]);
    assert!(x.try_add(&other).unwrap_err().is_device());
    let error = x.to(mesh.shard(2)).unwrap_err();
    assert!(error.is_shape() && error.to_string().contains("no axis 2"), "{error}");
    let inverse = x.inverse();
    let error = (&inverse + 1.0).eval().unwrap_err();
    assert!(
        error.to_string().contains("no form") && error.to_string().contains("cut along"),
        "{error}"
    );
    // The failure touched nothing, and the other way works.
    assert_eq!(x.sum(..).item().unwrap(), 16.0);
    assert_eq!(x.to(mesh.shard(1)).unwrap().sort(0).sum(..).item().unwrap(), 16.0);
    let message = panic_message(|| lazuli::repeat(3, x.clone(), |x| x.sum(0)));
    assert!(message.contains("repeat: the body changes the shape"), "{message}");
    let asks = |u: DeviceArray<f64>| {
        let why = u.sum(..).item().unwrap_err().to_string();
        assert!(why.contains("the body of a loop asks for values of its state"), "{why}");
        u
    };
    assert_eq!(lazuli::repeat(3, x.clone(), asks).sum(..).item().unwrap(), 16.0);
    let message = panic_message(|| lazuli::repeat(3, x.clone(), |x| x + &one));
    assert!(message.contains("different devices"), "{message}");
    assert!(Mesh::processors(0).unwrap_err().is_shape());
    assert!(Mesh::of(&[mesh.shard(0)]).unwrap_err().is_device());
    assert!(Mesh::local(1000).unwrap_err().is_device());
}

#[test]
fn another_axis_is_a_turn_of_all_blocks() {
    on_each_mesh(|_, mesh| {
        let x = values(&[9, 11, 2], 3, true);
        let expected = x.copy_to_host().unwrap();
        let mut over = x.to(mesh.shard(0)).unwrap();
        for axis in [1, 2, 0, 2, 1] {
            over = over.to(mesh.shard(axis)).unwrap();
            assert_eq!(over.sharding().unwrap().axis(), Some(axis));
            same_bits(&over.copy_to_host().unwrap(), &expected, "turned");
        }
        let whole = over.to(mesh.replicate()).unwrap();
        same_bits(&whole.copy_to_host().unwrap(), &expected, "whole");
        whole.shards().unwrap().iter().for_each(|block| assert_eq!(block.shape(), [9, 11, 2]));
        same_bits(
            &(whole.to(mesh.shard(1)).unwrap() + 0.0).copy_to_host().unwrap(),
            &(x + 0.0).copy_to_host().unwrap(),
            "cut",
        );
    });
}

#[test]
fn users_functions_run_on_every_share() {
    on_each_mesh(|_, mesh| {
        let x = values(&[21, 4], 31, false);
        let over = x.to(mesh.shard(0)).unwrap();
        let expected = bump::call(&x, 2.0).copy_to_host().unwrap();
        same_bits(&bump::call(&over, 2.0).copy_to_host().unwrap(), &expected, "vectorize");
        let expected = longest::reduce(&x, 0).copy_to_host().unwrap();
        same_bits(&longest::reduce(&over, 0).copy_to_host().unwrap(), &expected, "reduce");
        let expected = ordered::call(&x).copy_to_host().unwrap();
        same_bits(&ordered::call(&over).copy_to_host().unwrap(), &expected, "guvectorize");
        let (n, mean, squares) = moments::reduce((1.0, &x, 0.0), 0);
        let expected = [n, mean, squares].map(|a| a.copy_to_host().unwrap());
        let (n, mean, squares) = moments::reduce((1.0, &over, 0.0), 0);
        for (k, a) in [n, mean, squares].iter().enumerate() {
            close(&a.copy_to_host().unwrap(), &expected[k], "moments");
        }
        for how in [lazuli::Scan::new().reverse(), lazuli::Scan::new().exclusive()] {
            let expected = last::scan_with(&x, 0, how).copy_to_host().unwrap();
            let scanned = last::scan_with(&over, 0, how).copy_to_host().unwrap();
            same_bits(&scanned, &expected, "a scan by a function that does not commute");
        }
        let expected = longest::scan(&x, 0).copy_to_host().unwrap();
        same_bits(&longest::scan(&over, 0).copy_to_host().unwrap(), &expected, "scan");
    });
}

#[vectorize]
fn bump(x: f64, by: f64) -> f64 {
    if x > 0.5 { x * by } else { x - by }
}

#[reduce(identity = 0.0)]
fn longest(a: f64, b: f64) -> f64 {
    if b.abs() > a.abs() { b } else { a }
}

/// The later of two values, but zero is none.
#[reduce(identity = 0.0)]
fn last(a: f64, b: f64) -> f64 {
    if b == 0.0 { a } else { b }
}

/// Number, mean, and sum of the squares of the differences from it.
#[reduce(identity = (0.0, 0.0, 0.0))]
fn moments(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) {
    let n = a.0 + b.0;
    if n == 0.0 {
        return a;
    }
    let d = b.1 - a.1;
    (n, a.1 + d * b.0 / n, a.2 + b.2 + d * d * a.0 * b.0 / n)
}

/// Sorts a row by insertion.
#[guvectorize("(n)->(n)")]
fn ordered(x: ndarray::ArrayView1<f64>, mut out: ndarray::ArrayViewMut1<f64>) {
    for i in 0..x.len() {
        let value = x[i];
        let mut at = i;
        while at > 0 && out[at - 1] > value {
            out[at] = out[at - 1];
            at -= 1;
        }
        out[at] = value;
    }
}

#[test]
fn batches_of_matrices_are_divided() {
    on_each_mesh(|_, mesh| {
        for batch in [1, 2, 7] {
            let a = values(&[batch, 5, 5], 77, false) + 4.0 * DeviceArray::<f64>::eye(5);
            let b = values(&[batch, 5, 2], 78, false);
            let over = a.to(mesh.shard(0)).unwrap();
            let right = b.to(mesh.shard(0)).unwrap();
            let solved = over.solve(&right).copy_to_host().unwrap();
            close(&solved, &a.solve(&b).copy_to_host().unwrap(), "solve");
            let det = over.det().copy_to_host().unwrap();
            close(&det, &a.det().copy_to_host().unwrap(), &format!("det {batch} {}", mesh.len()));
            let product = over.matmul(&right).copy_to_host().unwrap();
            close(&product, &a.matmul(&b).copy_to_host().unwrap(), "matmul");
            let (u, s, vt) = over.svd();
            let back = (u * s.insert_axis(1)).matmul(&vt).copy_to_host().unwrap();
            close(&back, &a.copy_to_host().unwrap(), "svd");
        }
    });
}

#[test]
fn the_work_is_bounded_and_halos_are_few() {
    let mesh = Mesh::processors(4).unwrap();
    let x = values(&[256, 8], 2, false).to(mesh.shard(0)).unwrap();
    let mut y = x.clone();
    for _ in 0..20 {
        y = y.roll(1, 0) + y.roll(-1, 0);
    }
    let before = lazuli::counters();
    y.eval().unwrap();
    let kernels = lazuli::counters().kernels - before.kernels;
    // Each step is computed once on each share.
    assert!(kernels <= 20 * 4, "{kernels}");
    // What an evaluation stored is not computed again.
    let before = lazuli::counters();
    y.eval().unwrap();
    assert_eq!(lazuli::counters().kernels, before.kernels);
    // Arithmetic alone moves nothing, and is at most one kernel on each share.
    let before = lazuli::counters();
    (&x * 2.0 + 1.0).eval().unwrap();
    assert!(lazuli::counters().kernels - before.kernels <= 4);
}

#[test]
fn what_was_done_once_is_done_again_with_other_numbers() {
    on_each_mesh(|device, mesh| {
        let x = values(&[40, 6], 4, false);
        let mut g = lazuli::random::Generator::new(3);
        let mut h = lazuli::random::Generator::new(3);
        let (mut one, mut over) = (x.clone(), x.to(mesh.shard(0)).unwrap());
        for k in 0..8 {
            let (by, turn) = (0.5 + 0.01 * f64::from(k), isize::from(k as i8 % 2));
            let step = |u: &DeviceArray<f64>, draws: &DeviceArray<f64>| {
                let mut v = u.roll(1 + turn, 0) * by + draws;
                v.assign(s![2..5, ..], by);
                v
            };
            one = step(&one, &g.standard_normal([40, 6]));
            let draws = device.scope(|| h.standard_normal::<f64>([40, 6]));
            over = step(&over, &draws.to(mesh.shard(0)).unwrap());
            let rows = over.slice(s![1.., ..]).sum(..).item().unwrap();
            assert!((rows - one.slice(s![1.., ..]).sum(..).item().unwrap()).abs() < 1e-10);
        }
        close(&over.copy_to_host().unwrap(), &one.copy_to_host().unwrap(), "steps");
        // The same structure with arrays that are one, and then are not.
        for (a, b) in [(&x, &x), (&x, &x), (&x, &x), (&x, &one), (&x, &one), (&x, &one)] {
            let c = a.to(mesh.shard(0)).unwrap();
            let d = if std::ptr::eq(a, b) { c.clone() } else { b.to(mesh.shard(0)).unwrap() };
            let sum = (&c * &d + d.roll(1, 0)).copy_to_host().unwrap();
            close(&sum, &(a * b + b.roll(1, 0)).copy_to_host().unwrap(), "twins");
        }
    });
}

#[test]
fn explanations_say_what_is_moved() {
    let mesh = Mesh::processors(4).unwrap();
    let x = values(&[64, 8], 2, false).to(mesh.shard(0)).unwrap();
    let plan = explain(&[&(x.roll(1, 0) + x.roll(-1, 0))]);
    // A row from each neighbour.
    assert_eq!((plan.moves(), plan.bytes_moved()), (8, 8 * 64), "{plan}");
    assert!(plan.to_string().contains("over 4 shares of cpu: 8 pieces of 512 B"), "{plan}");
    let plan = explain(&[&(&x * 2.0 + 1.0)]);
    assert_eq!((plan.moves(), plan.kernels()), (0, 1), "{plan}");
    let plan = explain(&[&x.slice(s![..8, ..]).inverse()]);
    assert!(plan.to_string().contains("gather()"), "{plan}");
}

#[test]
fn threads_share_a_mesh() {
    let mesh = Mesh::processors(3).unwrap();
    let x = values(&[50, 3], 12, false);
    let expected = x.sum(0).copy_to_host().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let over = x.to(mesh.shard(0)).unwrap();
                    close(&over.sum(0).copy_to_host().unwrap(), &expected, "sum");
                }
            });
        }
    });
    let fast =
        with_arithmetic(Arithmetic::Fast, || x.to(mesh.shard(0)).unwrap().sum(0).copy_to_host());
    close(&fast.unwrap(), &expected, "fast");
}

#[test]
fn large_blocks_are_computed_in_pieces_while_their_borders_are_moved() {
    type Turn = (&'static str, fn(&DeviceArray<f64>, f64) -> DeviceArray<f64>);
    const STEPS: [Turn; 4] = [
        ("a stencil that goes round", |u, k| u + k * (u.roll(1, 0) + u.roll(-1, 0) - 2.0 * u)),
        ("held edges", |u, k| {
            let inner = u.slice(s![..-2, 1..-1]) + u.slice(s![2.., 1..-1]);
            let mut next = u.clone();
            next.assign(s![1..-1, 1..-1], k * inner);
            next
        }),
        ("a wide one", |u, k| u.roll(3, 0) * k - u.roll(-2, 0)),
        ("from above alone", |u, k| u.roll(1, 0).sin() + k),
    ];
    for device in devices() {
        let mut meshes = vec![Mesh::of(&[device; 2]).unwrap(), Mesh::of(&[device; 3]).unwrap()];
        if device.is_cuda() {
            meshes.extend(Mesh::local(2));
        }
        for mesh in meshes {
            // Each block has a little more than what is divided; rows of 1028 numbers begin where a
            // kernel would not expect it, unless there are enough of them.
            let shapes = [[2112 * mesh.len(), 1024], [2121 * mesh.len() + 3, 1028]];
            for (shape, (name, step)) in
                shapes.into_iter().flat_map(|s| STEPS.map(|step| (s, step)))
            {
                let x = device.scope(|| values(&shape, 17, false));
                let (mut one, mut over) = (x.clone(), x.to(mesh.shard(0)).unwrap());
                let mut kernels = 0;
                for turn in 0..5 {
                    let k = 0.1 * f64::from(turn) + 0.05;
                    one = step(&one, k);
                    one.eval().unwrap();
                    let before = lazuli::counters().kernels;
                    over = step(&over, k);
                    over.eval().unwrap();
                    kernels = lazuli::counters().kernels - before;
                }
                if shape[1] == 1024 {
                    assert_eq!(kernels, 3 * mesh.len() as u64, "{name} over {mesh}");
                }
                let what = format!("{name} over {mesh}");
                // Of a GPU the compiler decides for each kernel which product and sum are rounded once.
                let compare = if device.is_cuda() { close } else { same_bits };
                compare(&over.copy_to_host().unwrap(), &one.copy_to_host().unwrap(), &what);
            }
        }
    }
}

#[test]
fn lines_are_sorted_over_the_devices() {
    fn check<T: Element + PartialEq>(a: &DeviceArray<T>, mesh: Mesh, what: &str)
    where
        DeviceArray<T>: Sorted,
    {
        let over = a.to(mesh.shard(0)).unwrap();
        for (name, sort) in
            [("sort", 0), ("descending", 1), ("argsort", 2), ("from the largest", 3)]
        {
            let what = format!("{name} of {what}, {} elements over {mesh}", a.len());
            let result = over.sorted(sort);
            // The position of a single element is known.
            let axis = result.sharding().unwrap().axis();
            assert!(axis == Some(0) || a.len() == 1, "{what}");
            same_bits(
                &result.copy_to_host().unwrap(),
                &a.sorted(sort).copy_to_host().unwrap(),
                &what,
            );
        }
    }
    on_each_mesh(|device, mesh| {
        let lengths: &[usize] = if device.is_cuda() { &[5, 1000] } else { &[1, 2, 7, 64, 1000] };
        for &n in lengths {
            let wild = values(&[n], n as u64, true);
            check(&wild, mesh, "numbers");
            check(&wild.cast::<f32>(), mesh, "single numbers");
            check(&(&wild.nan_to_num().clip(-2.0, 2.0) * 3.0).cast::<i32>(), mesh, "few integers");
            check(&wild.is_nan(), mesh, "two values");
            check(&DeviceArray::<f64>::ones([n]), mesh, "one value");
            check(&DeviceArray::<i64>::arange_to(n as i64), mesh, "what is in order");
            let back = (-DeviceArray::<i64>::arange_to(n as i64)).cast::<u8>();
            check(&back, mesh, "the other way round");
            let middle = wild.nan_to_num().to(mesh.shard(0)).unwrap().median(0);
            let expected = wild.nan_to_num().median(0).item().unwrap();
            assert_eq!(middle.item().unwrap(), expected);
            let complex = |re: &DeviceArray<f64>, im: &DeviceArray<f64>| {
                re.cast::<Complex<f64>>() + im.cast::<Complex<f64>>() * Complex::new(0.0, 1.0)
            };
            let [z, over] = [&wild, &wild.to(mesh.shard(0)).unwrap()]
                .map(|x| complex(&x.nan_to_num().clip(-1.0, 1.0).round(), x).sort(0));
            let part = |z: &DeviceArray<Complex<f64>>, k: usize| {
                if k == 0 { z.real() } else { z.imag() }.copy_to_host().unwrap()
            };
            (0..2).for_each(|k| same_bits(&part(&over, k), &part(&z, k), "complex numbers"));
        }
    });
}

/// Numbers of any type as `f64`, on the host.
fn numbers<T: Element>(a: &DeviceArray<T>) -> ArrayD<f64> {
    a.cast::<f64>().copy_to_host().unwrap()
}

/// What masks select of an array over several devices, against one device.
fn check_masks(a: &DeviceArray<f64>, mask: &DeviceArray<bool>, mesh: Mesh, axis: usize) {
    let to = mesh.shard(axis);
    let (over, over_mask) = (a.to(to).unwrap(), mask.to(to).unwrap());
    let what = |name: &str| format!("{name}, shape {:?}, axis {axis} over {mesh}", a.shape());
    let at = over_mask.flat_nonzero().unwrap();
    assert_eq!(at.sharding().unwrap().axis(), Some(0), "{}", what("where it lies"));
    same_bits(&numbers(&at), &numbers(&mask.flat_nonzero().unwrap()), &what("positions"));
    let along = |mask: &DeviceArray<bool>| mask.nonzero().unwrap();
    for (own, expected) in along(&over_mask).iter().zip(along(mask)) {
        same_bits(&numbers(own), &numbers(&expected), &what("positions along axes"));
    }
    let rows = [over_mask.argwhere(), mask.argwhere()].map(|at| numbers(&at.unwrap()));
    same_bits(&rows[0], &rows[1], &what("rows of positions"));
    let elements = over.extract(&over_mask).unwrap();
    same_bits(&numbers(&elements), &numbers(&a.extract(mask).unwrap()), &what("elements"));
    let sum = |x: DeviceArray<f64>| (x.nan_to_num().clip(-9.0, 9.0) * 2.0).sum(..).item().unwrap();
    let (doubled, expected) = (sum(elements), sum(a.extract(mask).unwrap()));
    assert!((doubled - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{}", what("their sum"));
    let count = |x: &DeviceArray<f64>| x.is_nan().flat_nonzero().unwrap().len();
    assert_eq!(count(&over), count(a));
    let some = DeviceArray::<f64>::arange_to(3.0);
    let placed = [(&over, &over_mask), (a, mask)].map(|(a, mask)| {
        let some = if mask.device() == a.device() && a.sharding().is_some() {
            some.to(mesh.replicate()).unwrap()
        } else {
            some.clone()
        };
        a.with_placed(mask, &some)
    });
    same_bits(&numbers(&placed[0]), &numbers(&placed[1]), &what("placed"));
}

/// Sets of arrays over several devices, against one device.
fn check_sets(a: &DeviceArray<f64>, mesh: Mesh, axis: usize) {
    let what = |name: &str| format!("{name}, shape {:?}, axis {axis} over {mesh}", a.shape());
    let over = a.to(mesh.shard(axis)).unwrap();
    same_bits(&numbers(&over.unique().unwrap()), &numbers(&a.unique().unwrap()), &what("unique"));
    let [own, expected] = [&over, a].map(|a| a.unique_counts().unwrap());
    same_bits(&numbers(&own.0), &numbers(&expected.0), &what("values"));
    same_bits(&numbers(&own.1), &numbers(&expected.1), &what("counts"));
    let [own, expected] = [&over, a].map(|a| {
        let all = a.unique_all().unwrap();
        [numbers(&all.values), numbers(&all.positions), numbers(&all.inverse), numbers(&all.counts)]
    });
    for (own, (expected, name)) in own.iter().zip(expected.iter().zip(["v", "p", "i", "c"])) {
        same_bits(own, expected, &what(name));
    }
    let some = (a.flatten().slice(s![..a.len() / 2]) + 1.0).nan_to_num();
    let there = some.to(mesh.shard(0)).unwrap();
    let found = [lazuli::is_in(&over, &there), lazuli::is_in(a, &some)];
    let found = found.map(|found| numbers(&found.unwrap()));
    same_bits(&found[0], &found[1], &what("is_in"));
    let both = [
        lazuli::intersect1d(&over.to(mesh.shard(0)).unwrap().flatten(), &there),
        lazuli::intersect1d(&a.flatten(), &some),
    ];
    let both = both.map(|found| numbers(&found.unwrap()));
    same_bits(&both[0], &both[1], &what("intersect1d"));
}

#[test]
fn masks_select_over_the_devices() {
    on_each_mesh(|device, mesh| {
        let lengths: &[usize] = if device.is_cuda() { &[7, 1000] } else { &[1, 2, 7, 64, 1000] };
        for &n in lengths {
            for shape in [vec![n], vec![n, 3], vec![3, n], vec![n, 2, 2]] {
                let a = values(&shape, n as u64, true);
                for axis in 0..shape.len().min(2) {
                    for mask in [a.greater(0.0), a.is_nan(), a.equal(&a), a.greater(9e9)] {
                        check_masks(&a, &mask, mesh, axis);
                    }
                }
            }
            let a = values(&[n, 3], n as u64, true);
            let (over, row) = (a.to(mesh.shard(0)).unwrap(), a.slice(s![.., 1]).greater(0.0));
            let cut = row.to(mesh.shard(0)).unwrap();
            let rows = numbers(&over.extract(&cut).unwrap());
            same_bits(&rows, &numbers(&a.extract(&row).unwrap()), "rows");
            let rows = numbers(&over.compress(&cut, 0).unwrap());
            same_bits(&rows, &numbers(&a.compress(&row, 0).unwrap()), "compressed rows");
            let two = DeviceArray::from_slice(&[true, false, true]).unwrap();
            let columns = over.compress(&two.to(mesh.replicate()).unwrap(), 1).unwrap();
            same_bits(&numbers(&columns), &numbers(&a.compress(&two, 1).unwrap()), "columns");
        }
    });
}

#[test]
fn distinct_elements_are_found_over_the_devices() {
    on_each_mesh(|device, mesh| {
        let lengths: &[usize] = if device.is_cuda() { &[7, 1000] } else { &[1, 2, 7, 64, 1000] };
        for &n in lengths {
            let wild = values(&[n], n as u64, true);
            let few = (&wild * 2.0).round();
            check_sets(&wild, mesh, 0);
            check_sets(&few, mesh, 0);
            check_sets(&DeviceArray::<f64>::ones([n]), mesh, 0);
            let plane = (values(&[n, 4], n as u64, false) * 3.0).round();
            (0..2).for_each(|axis| check_sets(&plane, mesh, axis));
        }
    });
}

/// Sorts whose results are compared as numbers.
trait Sorted {
    fn sorted(&self, how: usize) -> DeviceArray<f64>;
}

impl<T: Element> Sorted for DeviceArray<T> {
    fn sorted(&self, how: usize) -> DeviceArray<f64> {
        match how {
            0 => self.sort(0).cast(),
            1 => self.sort_descending(0).cast(),
            2 => self.argsort(0).cast(),
            _ => self.argsort_descending(0).cast(),
        }
    }
}

#[test]
fn loops_run_over_several_devices() {
    on_each_mesh(|device, mesh| {
        let x = device.scope(|| values(&[13, 4], 8, false));
        let over = x.to(mesh.shard(0)).unwrap();
        let beside = values(&[13, 4], 9, false);
        let run = |x: &DeviceArray<f64>| -> Vec<ArrayD<f64>> {
            // What the body captures is computed once.
            let forcing = beside.to(x.gather_device()).unwrap().sin() + x.cos();
            let stencil = |u: DeviceArray<f64>| {
                0.25 * (u.roll(1, 0) + u.roll(-1, 0)) + 0.1 * &forcing - u.mean(keep(0))
            };
            let heat = lazuli::repeat(7, x.clone(), stencil);
            let turned =
                |(a, b): (DeviceArray<f64>, DeviceArray<f64>)| (b.roll(1, 0), a.max(..) + b);
            let (first, second) = lazuli::repeat(5, (x.clone(), x * 2.0), turned);
            let norm = |u: &DeviceArray<f64>| u.abs().max(..).greater(0.01);
            let small = lazuli::while_loop(x.clone(), norm, |u| u * 0.5);
            let never = lazuli::repeat(0, x.clone(), |u| u + 1.0);
            // The rows of what goes through the loop are cut along another axis.
            let rows = x.t();
            let start = x.slice(s![.., 0]) * 0.0;
            let (last, sums) = lazuli::scan_over(rows, start, |sum, row| {
                let sum = sum + row;
                (sum.clone(), sum * 2.0)
            });
            let all = [heat, first, second, small, never, last, sums];
            all.map(|array| array.copy_to_host().unwrap()).into()
        };
        for (k, (own, expected)) in run(&over).iter().zip(run(&x)).enumerate() {
            close(own, &expected, &format!("loop {k} over {mesh} of {device}"));
        }
        let sharding = lazuli::repeat(3, over.clone(), |u| u.roll(1, 0)).sharding().unwrap();
        assert_eq!(sharding.axis(), Some(0));
    });
}
