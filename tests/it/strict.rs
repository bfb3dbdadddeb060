//! Strict arithmetic: one expression, one result, bit by bit.

use crate::support::{Rng, devices, on_each_device};
use lazuli::prelude::*;
use lazuli::{Arithmetic, concatenate, reduce, with_arithmetic};

/// Numbers of very different sizes, so that every order of a sum has bits of its own.
fn numbers<T: Float>(shape: &[usize], seed: u64) -> Vec<T> {
    let mut rng = Rng(seed);
    let mut one = || {
        let sign = if rng.one_in(2) { -1.0 } else { 1.0 };
        T::from_f64(sign * rng.within(1.0, 2.0) * 2f64.powf(rng.within(-6.0, 6.0)))
    };
    (0..shape.iter().product()).map(|_| one()).collect()
}

fn array<T: Float>(shape: &[usize], seed: u64) -> DeviceArray<T> {
    DeviceArray::from_vec(shape, numbers::<T>(shape, seed)).unwrap()
}

fn stored<T: Float>(array: DeviceArray<T>) -> DeviceArray<T> {
    lazuli::eval(&[&array]).unwrap();
    array
}

/// The sum as the documentation of the order has it: every s-th element, and then the s sums.
fn tree(x: &[f64]) -> f64 {
    let (mut x, mut n) = (x.to_vec(), x.len());
    while n > 128 {
        let parts = n.div_ceil(128);
        let one = |j: usize| (j..n).step_by(parts).fold(0.0, |sum, k| sum + x[k]);
        x = (0..parts).map(one).collect();
        n = parts;
    }
    x.iter().fold(0.0, |sum, x| sum + x)
}

/// The scan by chunks of 16 from the front.
fn prefixes(x: &[f64], exclusive: bool) -> Vec<f64> {
    let within = |chunk: &[f64]| -> Vec<f64> {
        let upto = |k: usize| chunk[..k + usize::from(!exclusive)].iter().fold(0.0, |s, x| s + x);
        (0..chunk.len()).map(upto).collect()
    };
    if x.len() <= 16 {
        return within(x);
    }
    let chunks: Vec<&[f64]> = x.chunks(16).collect();
    let totals: Vec<f64> =
        chunks.iter().map(|chunk| chunk.iter().fold(0.0, |s, x| s + x)).collect();
    let before = prefixes(&totals, true);
    let joined = chunks.iter().zip(before).flat_map(|(chunk, before)| {
        within(chunk).into_iter().map(move |x| before + x).collect::<Vec<f64>>()
    });
    joined.collect()
}

fn strictly<R>(f: impl FnOnce() -> R) -> R {
    with_arithmetic(Arithmetic::Strict, f)
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn sums_and_scans_are_in_the_order_that_is_documented() {
    on_each_device(|_| {
        for n in [1, 2, 15, 16, 17, 100, 128, 129, 200, 1000, 4096, 16_385, 100_003] {
            let host = numbers::<f64>(&[n], n as u64);
            let x = DeviceArray::from_slice(&host).unwrap();
            let sum = strictly(|| x.sum(..).item()).unwrap();
            assert_eq!(sum.to_bits(), tree(&host).to_bits(), "{n}");
            let scan = strictly(|| x.cumsum(0).to_vec()).unwrap();
            assert_eq!(bits(&scan), bits(&prefixes(&host, false)), "{n}");
            let from_end =
                strictly(|| x.cumsum_with(0, Scan::new().reverse().exclusive()).to_vec()).unwrap();
            let mut turned: Vec<f64> = host.iter().rev().copied().collect();
            turned = prefixes(&turned, true);
            turned.reverse();
            assert_eq!(bits(&from_end), bits(&turned), "{n}");
        }
    });
}

#[test]
fn products_of_matrices_are_sums_of_products() {
    on_each_device(|_| {
        for (m, k, n) in [(3, 5, 4), (1, 300, 1), (7, 129, 2), (20, 64, 33)] {
            let (x, y) = (numbers::<f64>(&[m, k], 1), numbers::<f64>(&[k, n], 2));
            let (a, b) = (
                DeviceArray::from_vec([m, k], x.clone()).unwrap(),
                DeviceArray::from_vec([k, n], y.clone()).unwrap(),
            );
            // Read where it lies in other arrays, too.
            let turned = stored(b.t().slice(s![..;-1, ..]));
            let views = [a.matmul(&b), a.matmul(&turned.slice(s![..;-1, ..]).t())];
            for product in views {
                let got = strictly(|| product.to_vec()).unwrap();
                for (at, got) in got.iter().enumerate() {
                    let (i, j) = (at / n, at % n);
                    let products: Vec<f64> = (0..k).map(|l| x[i * k + l] * y[l * n + j]).collect();
                    assert_eq!(got.to_bits(), tree(&products).to_bits(), "{m} {k} {n}: {at}");
                }
            }
        }
    });
}

#[reduce(identity = (T::ZERO, T::ONE))]
fn affine<T: Float>(a: (T, T), b: (T, T)) -> (T, T) {
    (a.0 * b.1 + b.0, a.1 * b.1)
}

/// Expressions whose parts another plan would compute in another order.
fn expressions<T: Float>(x: &DeviceArray<T>, y: &DeviceArray<T>) -> Vec<DeviceArray<T>> {
    let half = T::from_f64(0.5);
    let centred = x - x.mean(keep(-1));
    let spread = (centred.square().mean(keep(-1)) + half).sqrt();
    let chain = (x * y + x - half) * (x * half + y) / (y.square() + T::ONE);
    let pairs = (x.insert_axis(2) * y.insert_axis(1)).sum(-1);
    let smooth = x.roll(1, 0) * half + x * y.roll(-1, 1);
    let (shift, factor) = affine::reduce((&(x * half), &(y / (y.square() + T::ONE).sqrt())), 0);
    vec![
        &centred / &spread,
        x.sum(0) + y.sum(0) * half,
        x.sum(..) * y.sum(1),
        chain.sum(1) * chain.sum(..),
        pairs,
        smooth.cumsum(1) + smooth.cumsum(0) * half,
        smooth.sum(..) + (x.t() * half).sum(..),
        x.matmul(&y.t()) * half,
        concatenate(&[&chain, &smooth], 0).sum(0),
        (x / y).prod(1),
        shift + factor,
        x.var(0).sqrt() - y.var(..).sqrt(),
    ]
}

fn same_bits<T: Float>(name: &str) {
    let shape = [70, 41];
    let upload = |seed| array::<T>(&shape, seed);
    let (x, y) = (upload(3), upload(4));
    let text = |a: &DeviceArray<T>| {
        let values = strictly(|| a.to_vec()).unwrap();
        values.iter().map(|v| v.to_f64().to_bits()).collect::<Vec<u64>>()
    };
    let alone: Vec<Vec<u64>> = expressions(&x, &y).iter().map(text).collect();
    // All together.
    let all = expressions(&x, &y);
    let arrays: Vec<&dyn AnyArray> = all.iter().map(|a| a as &dyn AnyArray).collect();
    strictly(|| lazuli::eval(&arrays)).unwrap();
    assert!(all.iter().map(text).eq(alone.iter().cloned()), "{name}: together");
    // From other layouts, and from what is computed in the same kernel.
    let (turned, joined) = (stored(x.t()).t(), concatenate(&[&y, &x], 1));
    let part = joined.slice(s![.., ..41]);
    let others: Vec<Vec<u64>> = expressions(&turned, &part).iter().map(text).collect();
    for (k, (other, alone)) in others.iter().zip(&alone).enumerate() {
        assert!(other == alone, "{name}: expression {k} from other layouts");
    }
    // As a compiled function.
    let function = lazuli::compile(|(x, y): &(DeviceArray<T>, DeviceArray<T>)| {
        let all = expressions(x, y);
        (all[0].clone(), all[5].clone(), all[6].clone())
    });
    let (a, b, c) = strictly(|| function.call(&(x.clone(), y.clone()))).unwrap();
    for (got, k) in [(a, 0), (b, 5), (c, 6)] {
        assert!(text(&got) == alone[k], "{name}: expression {k} compiled");
    }
}

#[test]
fn however_an_expression_is_evaluated_it_has_the_same_bits() {
    on_each_device(|_| {
        same_bits::<f64>("f64");
        same_bits::<f32>("f32");
        same_bits::<f16>("f16");
        same_bits::<bf16>("bf16");
    });
}

#[test]
fn devices_agree() {
    let values = devices().into_iter().map(|device| {
        device.scope(|| {
            let (x, y) = (array::<f64>(&[70, 41], 3), array::<f64>(&[70, 41], 4));
            let (u, v) = (array::<f32>(&[70, 41], 3), array::<f32>(&[70, 41], 4));
            let doubles = expressions(&x, &y).into_iter().map(|a| strictly(|| a.to_vec()).unwrap());
            let singles = expressions(&u, &v).into_iter().map(|a| strictly(|| a.to_vec()).unwrap());
            let singles = singles.flatten().map(|x| u64::from(x.to_bits()));
            doubles.flatten().map(f64::to_bits).chain(singles).collect::<Vec<u64>>()
        })
    });
    let values: Vec<Vec<u64>> = values.collect();
    assert!(values.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn signs_of_zero_and_what_is_empty() {
    on_each_device(|_| {
        let zeros = DeviceArray::<f64>::full([300], -0.0);
        let sum = |n: usize| strictly(|| zeros.slice(s![..n]).sum(..).item()).unwrap();
        for n in [0, 1, 2, 9, 300] {
            assert_eq!(sum(n).to_bits(), 0, "{n}");
        }
        let empty = DeviceArray::<f64>::zeros([0, 3]);
        assert_eq!(strictly(|| empty.sum(0).to_vec()).unwrap(), [0.0; 3]);
        assert_eq!(strictly(|| empty.prod(0).to_vec()).unwrap(), [1.0; 3]);
        assert_eq!(strictly(|| empty.cumsum(0).to_vec()).unwrap(), [0.0; 0]);
        assert_eq!(strictly(|| empty.t().matmul(&empty).to_vec()).unwrap(), [0.0; 9]);
        let special = DeviceArray::from_slice(&[1.0, f64::INFINITY, 2.0, f64::NAN]).unwrap();
        let scan = strictly(|| special.cumsum(0).to_vec()).unwrap();
        assert_eq!(scan[..3], [1.0, f64::INFINITY, f64::INFINITY]);
        assert!(scan[3].is_nan());
        let whole = DeviceArray::<i32>::arange_to(1000);
        assert_eq!(strictly(|| whole.sum(..).item()).unwrap(), 499_500);
        let point = DeviceArray::full([], 2.5f32);
        assert_eq!(strictly(|| (&point + point.sum(..)).item()).unwrap(), 5.0);
    });
}

#[test]
fn the_plan_of_strict_arithmetic_is_told() {
    Device::cpu().scope(|| {
        let x = stored(DeviceArray::<f64>::linspace(0.0, 1.0, 100_000));
        let plan = strictly(|| explain(&[&(x.square().sum(..) + 1.0)]));
        assert!(plan.kernels() >= 2, "{plan}");
        assert_eq!(explain(&[&(x.square().sum(..) + 1.0)]).kernels(), 1);
        assert!(!format!("{plan}").is_empty() && !plan.dot().is_empty());
    });
}
