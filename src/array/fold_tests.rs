//! Reductions and scans by users' functions, over expressions and views, against plain loops.

use super::record;
use crate::backend::cuda::render::tests::check_planned;
use crate::dtype::Scalar;
use crate::eval::prepare;
use crate::function::tests::{affine, moments, product, two_results};
use crate::function::{Fold, Function};
use crate::graph::{Arg, Args, Node};
use crate::prelude::*;
use std::sync::Arc;

fn fold<T: Element, const N: usize>(
    fold: Fold,
    args: [Arg; N],
    axes: &[usize],
) -> [DeviceArray<T>; N] {
    let mask = axes.iter().fold(0, |mask, k| mask | 1 << k);
    let args: Args = args.into_iter().collect();
    let nodes = record::fold(fold.function, fold.identity, args, mask).unwrap();
    let arrays: Vec<DeviceArray<T>> = nodes.into_iter().map(DeviceArray::from_node).collect();
    arrays.try_into().ok().unwrap()
}

/// The composition of the maps at all positions of some axes, in C order, as one number.
fn composed(a: &ndarray::ArrayD<i64>, b: &ndarray::ArrayD<i64>, axes: &[usize]) -> Vec<i64> {
    let kept: Vec<usize> = (0..a.ndim()).filter(|k| !axes.contains(k)).collect();
    let shape: Vec<usize> = kept.iter().map(|&k| a.shape()[k]).collect();
    let mut states = ndarray::ArrayD::from_elem(shape, (1i64, 0i64));
    for (at, &a) in a.indexed_iter() {
        let place: Vec<usize> = kept.iter().map(|&k| at[k]).collect();
        let state = &mut states[&place[..]];
        let b = b[at.clone()];
        *state = (state.0.wrapping_mul(a), a.wrapping_mul(state.1).wrapping_add(b));
    }
    states.iter().map(|s| s.0 ^ s.1).collect()
}

/// Plans the evaluation, and runs the CUDA code of each of its kernels in the emulator.
fn check(name: &str, array: &dyn AnyArray) {
    let nodes: Vec<Arc<Node>> = vec![array.any_node().0.clone()];
    let (prepared, ..) = prepare(&nodes).unwrap().unwrap();
    for step in prepared.plan.kernels() {
        check_planned(name, &step.kernel, (9, 0));
    }
}

fn on_each_device(test: impl Fn()) {
    for info in Device::list() {
        eprintln!("on {}", info.device);
        info.device.parse::<Device>().unwrap().scope(&test);
    }
}

#[test]
fn folds_of_expressions_and_views_keep_the_order() {
    on_each_device(|| {
        let cases: [(&[usize], &[usize]); 9] = [
            (&[1], &[0]),
            (&[7], &[0]),
            (&[3001], &[0]),
            (&[300_000], &[0]),
            (&[6, 70], &[1]),
            (&[70, 6], &[0]),
            (&[5, 6, 7], &[0, 2]),
            (&[5, 6, 7], &[1]),
            (&[4, 1, 0], &[2]),
        ];
        for (shape, axes) in cases {
            let n: usize = shape.iter().product();
            let a = DeviceArray::<i64>::arange_to(n as i64).reshape(shape) * 2 + 1;
            let b = a.remainder(13) - 5;
            // Turned round, so that C order is not the order in memory.
            let (ta, tb) = (a.t(), b.t());
            eval(&[&ta, &tb]).unwrap();
            let views = [(a, b), (ta.t(), tb.t())];
            for (a, b) in views {
                let [p, q]: [DeviceArray<i64>; 2] = fold(affine(), [a.arg(), b.arg()], axes);
                let both = &p ^ &q;
                let (ha, hb) = (a.copy_to_host().unwrap(), b.copy_to_host().unwrap());
                assert_eq!(both.to_vec().unwrap(), composed(&ha, &hb, axes), "{shape:?} {axes:?}");
            }
        }
    });
}

#[test]
fn folds_fuse_with_what_surrounds_them() {
    on_each_device(|| {
        let x = DeviceArray::<f64>::linspace(-1.0, 2.0, 4000).reshape([40, 100]);
        let x = DeviceArray::from_ndarray(&x.copy_to_host().unwrap()).unwrap();
        let y = x.sin() * 3.0;
        let args = || [Scalar::new(1.0).into(), y.arg(), Scalar::new(0.0).into()];
        let [n, mean, squares]: [DeviceArray<f64>; 3] = fold(moments(), args(), &[1]);
        let deviation = (&squares / &n).sqrt();
        let one = explain(&[&mean, &deviation, &y.sum(1)]);
        assert_eq!(one.kernels(), 1, "{one}");
        check("moments", &deviation);
        let scaled = (&y - mean.insert_axis(1)) / deviation.insert_axis(1);
        assert_eq!(explain(&[&scaled]).kernels(), 1);
        check("scaled", &scaled);
        let host = y.copy_to_host().unwrap();
        let wanted = host.mean_axis(ndarray::Axis(1)).unwrap();
        let found = mean.copy_to_host().unwrap();
        assert!(found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-14));
        let found = deviation.copy_to_host().unwrap();
        let wanted = host.std_axis(ndarray::Axis(1), 0.0);
        assert!(found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-13));
        // As a loop inside an expression: each of the elements is folded over three neighbours.
        let near = x.sliding_windows(3, 1);
        let [_, near, _]: [DeviceArray<f64>; 3] =
            fold(moments(), [Scalar::new(1.0).into(), near.arg(), Scalar::new(0.0).into()], &[2]);
        let all = (&near * 2.0).sum(..);
        assert_eq!(explain(&[&all]).kernels(), 1);
        check("windows", &all);
        let plain = x.sliding_windows(3, 1).mean(2).sum(..).item().unwrap() * 2.0;
        assert!((all.item().unwrap() - plain).abs() < 1e-10);
    });
}

fn scan<const N: usize>(fold: Fold, args: [&DeviceArray<f64>; N]) -> [DeviceArray<f64>; N] {
    let args: Vec<Arc<Node>> = args.map(|a| a.node().clone()).into();
    let nodes = record::scan(fold, &args, 1, false, true).unwrap();
    let arrays: Vec<DeviceArray<f64>> = nodes.into_iter().map(DeviceArray::from_node).collect();
    arrays.try_into().ok().unwrap()
}

#[test]
fn scans_fuse_with_what_surrounds_them() {
    on_each_device(|| {
        for (rows, len) in [(40, 100), (3, 9000), (500, 5)] {
            let x = DeviceArray::<f64>::linspace(-1.0, 2.0, rows * len).reshape([rows, len]);
            let x = DeviceArray::from_ndarray(&x.copy_to_host().unwrap()).unwrap();
            let y = x.sin() * 3.0;
            let [one, zero] = [1.0, 0.0].map(|v| DeviceArray::full([rows, len], v));
            let [n, mean, squares] = scan(moments(), [&one, &y, &zero]);
            let [product] = scan(product(), [&(&y * 0.001 + 1.0)]);
            let score = (&y - &mean) / ((&squares / &n).sqrt() + 1.0) + &product;
            assert_eq!(explain(&[&score]).kernels(), 1);
            check("scans", &score);
            // What a scan gave is no argument of a scan in the same kernel.
            let [_, again, _] = scan(moments(), [&one, &mean, &zero]);
            assert_eq!(explain(&[&again]).kernels(), 2);
            check("scan of a scan", &again);
            let (y, found) = (y.copy_to_host().unwrap(), score.copy_to_host().unwrap());
            for row in 0..rows {
                let (mut n, mut sum, mut product) = (0.0, 0.0, 1.0);
                let mut squares = 0.0;
                for k in (0..len).rev() {
                    let y = y[[row, k]];
                    (n, sum, squares) = (n + 1.0, sum + y, squares + y * y);
                    product *= y * 0.001 + 1.0;
                    let mean: f64 = sum / n;
                    let spread = (squares / n - mean * mean).max(0.0).sqrt();
                    let wanted = (y - mean) / (spread + 1.0) + product;
                    let got = found[[row, k]];
                    // The plain loop's variance loses digits where there is nearly none.
                    assert!((got - wanted).abs() <= 1e-6 * (1.0 + wanted.abs()), "{got} {wanted}");
                }
            }
        }
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    Device::cpu().scope(|| {
        let x = DeviceArray::<f64>::ones([3]);
        let function: Arc<Function> = Arc::new(two_results());
        assert!(Fold::new(function.clone(), vec![Scalar::new(0.0)]).is_err());
        let one: Args = [x.arg()].into_iter().collect();
        assert!(record::call(&function, one.clone()).unwrap_err().is_shape());
        let fold = affine();
        let wrong = record::fold(fold.function, fold.identity, one, 1);
        assert!(wrong.unwrap_err().is_shape());
        let args: Args = [x.arg(), Scalar::new(2.0).into()].into_iter().collect();
        let both = record::call(&function, args).unwrap();
        let first = DeviceArray::<f64>::from_node(both[0].clone());
        let second = DeviceArray::<bool>::from_node(both[1].clone());
        assert_eq!(explain(&[&first, &second]).kernels(), 1);
        eval(&[&first, &second]).unwrap();
        assert_eq!(first.to_vec().unwrap(), [3.0; 3]);
        assert_eq!(second.to_vec().unwrap(), [true; 3]);
    });
}

/// On a GPU, the time of a product by a user's function beside the built-in one.
#[test]
#[ignore = "a measurement"]
fn speed_of_a_product() {
    use std::time::Instant;
    let Ok(gpu) = Device::cuda(0) else { return };
    gpu.scope(|| {
        for (rows, len) in [(1usize, 30_000_000usize), (1, 1_000_000), (1000, 1000), (4096, 4096)] {
            let x = DeviceArray::from_vec([rows, len], vec![1.0f64; rows * len]).unwrap();
            let user = || {
                let [p]: [DeviceArray<f64>; 1] = fold(product(), [x.arg()], &[1]);
                p
            };
            let time = |f: &dyn Fn() -> DeviceArray<f64>| {
                let mut best = f64::INFINITY;
                for _ in 0..20 {
                    let start = Instant::now();
                    for _ in 0..10 {
                        f().eval().unwrap();
                    }
                    Device::current().unwrap().synchronize().unwrap();
                    best = best.min(start.elapsed().as_secs_f64() * 1e5);
                }
                best
            };
            let (built_in, user) = (time(&|| x.prod(1)), time(&user));
            eprintln!("{rows}×{len}: built in {built_in:.4} ms, by a function {user:.4} ms");
        }
    });
}
