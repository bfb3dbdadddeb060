//! What launches refuse, and what goes wrong inside kernels.

use super::tests::{Place, everywhere, filled};
use super::*;
use crate::prelude::*;
use crate::{PinnedArray, Stream};

#[kernel]
fn copied(x: Array<f64, 1>, y: ArrayMut<f64, 1>) {
    let i = grid::<1>();
    y[i] = x[i];
}

#[kernel]
fn beyond(x: Array<f32, 2>, y: ArrayMut<f32, 1>, at: i32) {
    let tile = shared::<[f32; 4]>();
    let i = grid::<1>();
    tile[i % 4] = 1.0;
    y[i] = x[(at, i)] + tile[i % 4];
}

/// Whether to run the test here. What a kernel finds is told to whoever reads from the device next,
/// which may be another test: where there is a GPU, the test runs in a process of its own.
fn is_alone(test: &str) -> bool {
    const ALONE: &str = "LAZULI_TEST_ALONE";
    if Device::cuda(0).is_err() || std::env::var_os(ALONE).is_some() {
        return true;
    }
    let module = module_path!().split_once("::").expect("below the crate").1;
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let run = command.args(["--exact", &format!("{module}::{test}")]).env(ALONE, "1").output();
    let text = String::from_utf8(run.unwrap().stdout).unwrap();
    assert!(text.contains("1 passed"), "{text}");
    false
}

#[test]
fn indices_out_of_range_are_named() {
    if !is_alone("indices_out_of_range_are_named") {
        return;
    }
    everywhere(|place| {
        let x = filled(&[2, 8], |i| i as f32);
        let mut y = DeviceArray::<f32>::zeros([8]);
        beyond.launch(2, 4, (&x, &mut y, 1)).unwrap();
        assert_eq!(y.to_vec().unwrap()[7], 16.0);
        for (at, text) in [(2, "x[(2, "), (-1, "x[(-1, ")] {
            let launched = beyond.launch(2, 4, (&x, &mut y, at));
            let error = match place {
                Place::Gpu => y.to_vec().unwrap_err(),
                _ => launched.unwrap_err(),
            };
            assert!(error.is_shape(), "{error:?}");
            let error = error.to_string();
            assert!(error.contains("beyond: ") && error.contains(text), "{error}");
            assert!(error.contains("is out of range of shape [2, 8], in thread ("), "{error}");
        }
        let launched = beyond.launch(3, 4, (&x, &mut y, 0));
        let error = launched.and_then(|()| y.eval().and_then(|()| y.device().synchronize()));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("block (2, 0, 0)"), "{error}");
        // Afterwards all is well.
        y.to_vec().unwrap();
        if let Place::Gpu = place {
            // Of another stream, and where a pinned array is read.
            let mut host = PinnedArray::zeros(8).unwrap();
            Stream::new().unwrap().scope(|| {
                beyond.launch(2, 4, (&x, &mut y, 2)).unwrap();
                y.copy_to_pinned(&mut host).unwrap();
            });
            let error = host.as_slice().unwrap_err().to_string();
            assert!(error.contains("beyond: "), "{error}");
            host.as_slice().unwrap();
        }
    });
}

#[kernel]
fn nothing() {}

#[test]
fn impossible_launches_are_refused() {
    everywhere(|place| {
        let refuse = |result: Result<()>, text: &str| {
            let error = result.expect_err(text);
            assert!(error.is_shape(), "{error:?}");
            let error = error.to_string();
            assert!(error.contains(text) && error.contains("tests.rs:"), "{error}");
        };
        nothing.launch(3, (2, 2), ()).unwrap();
        refuse(nothing.launch(0, 32, ()), "nothing: a grid of (0, 1, 1) blocks");
        refuse(nothing.launch(1, (32, 0), ()), "has no threads");
        refuse(nothing.launch(1, (64, 32), ()), "has 2048 of them, and at most 1024");
        refuse(nothing.launch(1, (1, 1, 65), ()), "at most 64 are allowed along z");
        refuse(nothing.launch((1, 65536), 1, ()), "at most (2147483647, 65535, 65535)");
        refuse(nothing.launch(usize::MAX, 1, ()), "blocks");
        refuse(nothing.dynamic_shared(1 << 20).launch(1, 1, ()), "1048576 bytes of dynamic shared");
        let x = filled(&[2, 2], |i| i as f64);
        let mut y = DeviceArray::<f64>::zeros([4]);
        refuse(
            copied.launch(1, 4, (&x, &mut y)),
            "copied: x has 1 axes, and an array of shape [2, 2] was given",
        );
        if place == Place::Gpu {
            let other = Device::cpu().scope(|| filled(&[4], |i| i as f64));
            let error = copied.launch(1, 4, (&other, &mut y)).unwrap_err();
            assert!(error.is_device() && error.to_string().contains("y is on cuda:0"), "{error}");
        }
    });
}

#[kernel]
fn divergent(n: usize) {
    if thread_idx().x < n {
        sync_threads();
    }
}

#[kernel]
fn failing(x: ArrayMut<i32, 1>) {
    let i = thread_idx().x;
    debug_assert!(i != 2, "two is one too many");
    x[i] = 1;
}

#[test]
fn what_goes_wrong_on_the_processor_is_an_error() {
    Device::cpu().scope(|| {
        divergent.launch(2, 8, (8,)).unwrap();
        let error = divergent.launch(2, 8, (5,)).unwrap_err();
        assert!(error.is_device() && !error.is_shape());
        let error = error.to_string();
        assert!(error.contains("divergent: block ("), "{error}");
        assert!(error.contains("5 of the 8 threads wait at the barrier at "), "{error}");
        let mut x = DeviceArray::<i32>::zeros([4]);
        if !cfg!(debug_assertions) {
            return failing.launch(1, 4, (&mut x,)).unwrap();
        }
        let error = failing.launch(1, 4, (&mut x,)).unwrap_err().to_string();
        assert!(
            error.contains("failing: the function panicked: two is one too many, at src/user/"),
            "{error}"
        );
        assert!(error.contains("in thread (2, 0, 0) of block (0, 0, 0)"), "{error}");
        assert_eq!(x.to_vec().unwrap(), [1, 1, 0, 0]);
    });
}
