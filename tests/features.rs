//! What a build has with the features that it was made with, and what it says of those that are off.
//! `tools/features` runs this for every combination of them.

use lazuli::linalg;
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::{fft, special};

/// An array of rank two with all elements different.
fn numbers(rows: usize, cols: usize) -> DeviceArray<f64> {
    DeviceArray::<f64>::arange_to((rows * cols) as f64).sin().reshape([rows, cols])
}

/// On the processor: a GPU has libraries of its own.
fn here<R>(run: impl FnOnce() -> R) -> R {
    Device::cpu().scope(run)
}

/// The message of a call that a build leaves out.
fn refusal<T>(name: &str, feature: &str, result: Result<T>) {
    let Err(error) = result else { panic!("{name} needs the feature {feature}") };
    assert!(error.is_unsupported(), "{error:?}");
    let said = error.to_string();
    assert!(said.contains(name) && said.contains(&format!("feature `{feature}`")), "{said}");
}

#[vectorize]
fn saturated(x: f64, most: f64) -> f64 {
    if x > most { most + (x - most).tanh() } else { x }
}

#[test]
fn arrays_need_no_feature() {
    here(|| {
        let a = numbers(40, 30);
        let host = a.copy_to_host().unwrap().into_dimensionality::<ndarray::Ix2>().unwrap();
        let mean = (&a - a.mean(0)).square().mean(0).to_vec().unwrap();
        for (col, got) in host.columns().into_iter().zip(mean) {
            let mean = col.mean().unwrap();
            let wanted = col.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 40.0;
            assert!((got - wanted).abs() < 1e-14);
        }
        let sorted = a.reshape([1200]).sort(0).to_vec().unwrap();
        assert!(sorted.is_sorted());
        let most = saturated::call(&a, 0.5).max(..).item().unwrap();
        assert!(most > 0.5 && most < 1.0);
        let mut draws = Generator::new(1);
        assert_eq!(draws.random::<f64>([5]).to_vec().unwrap().len(), 5);
        let half = special::ndtr(&DeviceArray::<f64>::zeros([1])).to_vec().unwrap();
        assert_eq!(half, [0.5]);
        let smooth = lazuli::ndimage::uniform_filter(&a, 3);
        assert_eq!(smooth.copy_to_host().unwrap().shape(), [40, 30]);
    });
}

/// Products are everywhere: without `linalg` they are sums in a kernel.
#[test]
fn products_need_no_feature() {
    here(|| {
        let (a, b) = (numbers(33, 70), numbers(70, 21));
        let [x, y] = [&a, &b].map(|m| m.copy_to_host().unwrap());
        let [x, y] = [x, y].map(|m| m.into_dimensionality::<ndarray::Ix2>().unwrap());
        let wanted = x.dot(&y);
        let got = a.matmul(&b).copy_to_host().unwrap();
        let error = (&got - &wanted.into_dyn()).mapv(f64::abs).fold(0.0, |a, &b| b.max(a));
        assert!(error < 1e-13, "{error}");
        let long = a.matmul(&b.slice(s![.., 0])).to_vec().unwrap();
        assert!(
            long.iter()
                .zip(got.as_slice().unwrap().chunks(21))
                .all(|(a, b)| (a - b[0]).abs() < 1e-13)
        );
        let single = a.cast::<f32>().matmul(&b.cast::<f32>()).cast::<f64>().copy_to_host().unwrap();
        assert!((single - got).iter().all(|x| x.abs() < 1e-4));
        let _ = linalg::Precision::Tf32;
    });
}

#[test]
fn factorisations() {
    here(|| {
        let a = numbers(6, 6) + DeviceArray::<f64>::eye(6) * 4.0;
        let right = numbers(6, 2);
        let solution = a.solve(&right);
        if !cfg!(feature = "linalg") {
            refusal("solve", "linalg", solution.eval());
            refusal("svd", "linalg", a.svdvals().eval());
            // What is there goes on.
            return assert_eq!(right.to_vec().unwrap().len(), 12);
        }
        let rest = (a.matmul(&solution) - right).abs().max(..).item().unwrap();
        assert!(rest < 1e-14, "{rest}");
    });
}

#[test]
fn transforms() {
    here(|| {
        let a = numbers(4, 60);
        let there = fft::rfft(&a);
        if !cfg!(feature = "fft") {
            return refusal("fft", "fft", there.eval());
        }
        let back = fft::irfft(&there);
        assert!((back - a).abs().max(..).item().unwrap() < 1e-15);
    });
}

#[cfg(feature = "npy")]
#[test]
fn files() {
    here(|| {
        let path = std::env::temp_dir().join(format!("lazuli-features-{}.npz", std::process::id()));
        let a = numbers(3, 4);
        lazuli::write_npz(&path, &[("a", &a)]).unwrap();
        let back = NpzFile::open(&path).unwrap().read::<f64>("a").unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(back.to_vec().unwrap(), a.to_vec().unwrap());
    });
}

#[test]
fn devices() {
    assert_eq!(Device::all()[0], Device::cpu());
    if cfg!(feature = "cuda") {
        return assert!(Device::cuda(0).map_or_else(|why| why.is_device(), |gpu| gpu.is_cuda()));
    }
    let why = Device::cuda(0).unwrap_err();
    assert!(why.is_device() && why.to_string().contains("feature `cuda`"), "{why}");
    assert_eq!(Device::all().len(), 1);
}
