//! What is refused, how the refusal reads, and what is left as it was.

use crate::support::{MEMORY, devices, on_each_device, panic_message};
use lazuli::prelude::*;
use lazuli::{Bins, Indexing, PadMode};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is wrong with a refusal of shapes, whose words must hold every part and this file's name.
fn unlike<T>(result: Result<T>, parts: &[&str]) -> Option<String> {
    let error = match result {
        Ok(_) => return Some("it is not refused".into()),
        Err(error) => error,
    };
    let text = error.to_string();
    let missing: Vec<&&str> = parts.iter().filter(|part| !text.contains(**part)).collect();
    let placed = text.contains(concat!("(", file!(), ":"));
    let wrong = !error.is_shape() || !placed || !missing.is_empty();
    wrong.then(|| format!("{error:?} lacks {missing:?} or its place"))
}

/// Asserts that each expression is refused; says all that are not.
macro_rules! refused {
    ($($result:expr, [$($part:expr),*];)*) => {{
        let mut wrong = Vec::new();
        $(if let Some(why) = unlike($result, &[$($part),*]) {
            wrong.push(format!("{}: {why}", stringify!($result)));
        })*
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }};
}

fn zeros(shape: &[usize]) -> DeviceArray<f64> {
    DeviceArray::zeros(shape)
}

#[test]
fn counts_beyond_every_array() {
    on_each_device(|_| {
        let (long, most) = (zeros(&[1]).broadcast_to([1 << 40]), usize::MAX);
        let counts = DeviceArray::from_slice(&[0i64, 2]).unwrap();
        let none = DeviceArray::<i64>::zeros(0);
        let line = zeros(&[4]);
        let many = [Bins::Within(1 << 40, 0.0, 1.0); 2];
        refused! {
            long.try_kron(&long), ["kron", "too many elements"];
            counts.bincount(most), ["bincount", "too many elements"];
            none.bincount(most), ["bincount", "too many elements"];
            line.histogram(Bins::Count(most)), ["histogram", "are too many"];
            lazuli::histogram2d(&line, &line, many), ["histogram2d", "are too many"];
            DeviceArray::<f64>::try_zeros([1 << 40, 0, 1 << 40]), ["zeros", "too many elements"];
        }
        assert_eq!(none.bincount(2).unwrap().to_vec().unwrap(), [0, 0]);
    });
}

#[test]
fn the_largest_and_the_least_of_numbers_are_no_mistake() {
    on_each_device(|_| {
        let a = DeviceArray::from_slice(&[1.5, 2.5, 3.5]).unwrap();
        for step in [isize::MIN, isize::MAX] {
            let one = a.slice(s![..;step]).to_vec().unwrap();
            assert_eq!(one, [if step < 0 { 3.5 } else { 1.5 }]);
            let mut b = &a * 2.0;
            b.assign(s![..;step], 0.0);
            let at = if step < 0 { 2 } else { 0 };
            let wanted: Vec<f64> =
                (0..3).map(|k| [3.0, 5.0, 7.0][k] * f64::from(k != at)).collect();
            assert_eq!(b.to_vec().unwrap(), wanted);
        }
        assert_eq!(a.round_to(i32::MIN).len(), 3);
        assert_eq!(a.round_to(i32::MAX).len(), 3);
        // 2^63 is 2 more than a multiple of 3.
        assert_eq!(a.roll(isize::MIN, 0).to_vec().unwrap(), a.roll(-2, 0).to_vec().unwrap());
        let square = zeros(&[3, 4]);
        for offset in [isize::MIN, isize::MAX] {
            assert_eq!(square.diagonal(offset, 0, 1).shape(), [0]);
            assert_eq!(square.trace(offset).item().unwrap(), 0.0);
        }
        assert_eq!(a.diff(usize::MAX, 0).shape(), [0]);
    });
}

#[test]
fn shapes_that_do_not_broadcast() {
    on_each_device(|_| {
        let (a, b) = (zeros(&[3, 4]), zeros(&[2, 4]));
        let mask = a.less(0.0);
        refused! {
            a.try_add(&b), ["add", "[3, 4]", "[2, 4]"];
            a.try_atan2(&b), ["atan2", "[3, 4]", "[2, 4]"];
            a.try_less(&b), ["less", "[3, 4]", "[2, 4]"];
            a.try_mul_add(&b, 1.0), ["mul_add", "[3, 4]", "[2, 4]"];
            a.try_clip(0.0, &b), ["clip", "[3, 4]", "[2, 4]"];
            mask.try_select(&a, &b), ["select", "[3, 4]", "[2, 4]"];
            lazuli::try_select(&mask, &b, 0.0), ["select", "[3, 4]", "[2, 4]"];
            a.try_broadcast_to([3, 5]), ["broadcast_to", "[3, 4]", "[3, 5]"];
            a.try_broadcast_to([4]), ["broadcast_to", "[3, 4]", "[4]"];
            a.try_with_slice(s![1.., ..], b.slice(s![.., ..3])), ["with_slice", "[2, 3]", "[2, 4]"];
            a.try_with_where(&b.less(0.0), 1.0), ["[2, 4]", "[3, 4]"];
            lazuli::try_concatenate(&[&a, &zeros(&[3, 5])], 0), ["concatenate", "[3, 4]", "[3, 5]"];
            lazuli::try_stack(&[&a, &b], 0), ["stack", "[3, 4]", "[2, 4]"];
            a.try_take_along_axis(&DeviceArray::zeros([2, 2]), 1), ["take_along_axis", "[3, 4]", "[2, 2]"];
            a.try_average(1, &b), ["[3, 4]", "[2, 4]"];
            lazuli::try_meshgrid(&[&a], Indexing::Xy), ["meshgrid", "[3, 4]"];
        }
    });
}

#[test]
fn axes_out_of_range() {
    on_each_device(|_| {
        let a = zeros(&[3, 4]);
        refused! {
            a.try_sum(2), ["sum", "axis 2", "2 axes"];
            a.try_max(-3), ["max", "axis -3", "2 axes"];
            a.try_mean([0, 5]), ["mean", "axis 5"];
            a.try_var(keep(2)), ["var", "axis 2"];
            a.try_std(2), ["std", "axis 2"];
            a.try_argmin(7), ["argmin", "axis 7"];
            a.try_norm(2), ["norm", "axis 2"];
            a.try_softmax(2), ["softmax", "axis 2"];
            a.try_log_softmax(-4), ["log_softmax", "axis -4"];
            a.try_logsumexp(9), ["logsumexp", "axis 9"];
            a.try_nan_mean(2), ["nan_mean", "axis 2"];
            a.try_sum([0, 0]), ["sum", "axis 0", "twice"];
            a.try_sum([1, -1]), ["sum", "twice"];
            a.try_flip(2), ["flip", "axis 2"];
            a.try_roll(1, 2), ["roll", "axis 2"];
            a.try_swap_axes(0, 2), ["swap_axes", "axis 2"];
            a.try_move_axis(-3, 0), ["move_axis", "axis -3"];
            a.try_insert_axis(4), ["insert_axis", "axis 4"];
            a.try_permute(&[0]), ["permute", "[0]", "[3, 4]"];
            a.try_permute(&[0, 0]), ["permute", "[0, 0]", "[3, 4]"];
            a.try_squeeze(1), ["squeeze", "axis 1", "[3, 4]"];
            a.try_repeat(2, 3), ["repeat", "axis 3"];
            a.try_diagonal(0, 0, 0), ["diagonal", "axis 0"];
            a.try_sliding_windows(2, 2), ["sliding_windows", "axis 2"];
            a.try_take([0], 2), ["take", "axis 2"];
            a.try_index_axis(2, 0), ["index_axis"];
            lazuli::try_concatenate(&[&a, &a], 2), ["concatenate", "axis 2"];
            lazuli::try_stack(&[&a, &a], 3), ["stack", "axis 3"];
            zeros(&[]).try_sum(0), ["sum", "axis 0", "0 axes"];
        }
    });
}

#[test]
fn places_out_of_bounds_and_sizes_that_do_not_fit() {
    on_each_device(|_| {
        let a = zeros(&[3, 4]);
        let none: [&DeviceArray<f64>; 0] = [];
        refused! {
            a.try_slice(s![3, ..]), ["slice", "axis 0", "[3, 4]"];
            a.try_slice(s![.., -5]), ["slice", "axis 1", "[3, 4]"];
            a.try_slice(s![1..9, -5]), ["slice", "axis 1", "-5", "[3, 4]"];
            a.try_slice(s![.., .., 0]), ["slice", "[3, 4]"];
            a.try_with_slice(s![5, ..], 0.0), ["with_slice", "axis 0", "[3, 4]"];
            a.try_index_axis(0, 3), ["index_axis", "axis 0", "[3, 4]"];
            a.try_reshape([5, 2]), ["reshape", "[3, 4]", "[5, 2]"];
            a.try_reshape([5, -1]), ["reshape", "12", "[5, -1]"];
            a.try_reshape([-1, -1]), ["reshape", "[-1, -1]"];
            zeros(&[0, 3]).try_reshape([0, -1]), ["reshape"];
            a.try_take([0, 3], 0), ["take", "position 3", "3"];
            a.try_take([-5], 1), ["take", "position -5"];
            zeros(&[0]).try_take(DeviceArray::<i64>::zeros(1), 0), ["take", "[0]"];
            a.try_sliding_windows(4, 0), ["sliding_windows", "4", "[3, 4]"];
            a.try_sliding_windows(0, 0), ["sliding_windows", "0"];
            a.try_pad(&[(1, 1)], PadMode::Edge), ["pad", "[3, 4]"];
            zeros(&[0]).try_pad(&[(1, 0)], PadMode::Wrap), ["pad", "[0]"];
            a.try_split(5, 1), ["split", "5", "[3, 4]"];
            a.try_split_at(&[5], 1), ["[3, 4]"];
            lazuli::try_concatenate(&none, 0), ["concatenate"];
            lazuli::try_stack(&none, 0), ["stack"];
            DeviceArray::from_vec([2, 3], vec![0.0; 5]), ["from_vec", "5", "[2, 3]"];
            a.item(), ["item", "[3, 4]"];
            a.copy_into(&mut ndarray::Array1::zeros(12)), ["copy_into", "[3, 4]", "[12]"];
            DeviceArray::<f64>::try_arange(0.0, 1.0, 0.0), ["arange"];
            DeviceArray::<f64>::try_arange(0.0, f64::INFINITY, 1.0), ["arange"];
            DeviceArray::<i32>::try_arange(0, 5, 0), ["arange"];
        }
    });
}

#[test]
fn empty_reductions_without_identity() {
    on_each_device(|_| {
        let a = zeros(&[0, 3]);
        refused! {
            a.try_max(0), ["max", "[0, 3]"];
            a.try_min(..), ["min", "[0, 3]"];
            a.try_argmax(0), ["argmax", "[0, 3]"];
            a.try_argmin(..), ["argmin", "[0, 3]"];
            a.try_ptp(0), ["ptp", "[0, 3]"];
            a.try_nan_max(0), ["nan_max", "[0, 3]"];
            a.try_nan_argmin(0), ["nan_argmin", "[0, 3]"];
            a.try_logsumexp(0), ["logsumexp", "[0, 3]"];
        }
        assert_eq!(a.max(1).shape(), [0], "no element is missing there");
    });
}

#[test]
fn sizes_that_overflow() {
    on_each_device(|_| {
        let huge = 1usize << 40;
        let a = zeros(&[huge]);
        refused! {
            DeviceArray::<f32>::try_zeros([huge, huge]), ["[1099511627776, 1099511627776]", "too many"];
            DeviceArray::<f32>::try_full([usize::MAX, 2], 1.0), ["full", "too many"];
            DeviceArray::<u8>::try_ones([1; 17]), ["axes"];
            a.try_broadcast_to([huge, huge]), ["broadcast_to", "too many"];
            a.try_add(a.insert_axis(1)), ["add", "too many"];
            a.try_tile([huge]), ["too many"];
            a.try_repeat(huge, 0), ["repeat", "too many"];
            a.try_repeat(usize::MAX, 0), ["repeat", "too many"];
            a.try_pad(&[(usize::MAX, 1)], PadMode::Edge), ["pad", "too many"];
            a.try_pad(&[(usize::MAX / 2, 1)], PadMode::Constant(0.0)), ["pad", "too many"];
            a.try_sliding_windows(huge / 2, 0), ["sliding_windows", "too many"];
            a.try_diag(0), ["diag", "too many"];
            lazuli::try_meshgrid(&[&a, &a], Indexing::Ij), ["meshgrid", "too many"];
            DeviceArray::<i64>::try_arange(i64::MIN, i64::MAX, 1), ["arange"];
            DeviceArray::<f64>::try_arange(0.0, 1e300, 1.0), ["arange"];
        }
        let wide = zeros(&[1; 16]);
        refused! {
            wide.try_insert_axis(0), ["insert_axis", "axes"];
            wide.try_slice(vec![ndarray::SliceInfoElem::NewAxis]), ["slice", "axes"];
        }
    });
}

#[test]
fn mistakes_panic_with_the_same_words() {
    on_each_device(|_| {
        let (a, b) = (zeros(&[3, 4]), zeros(&[2, 4]));
        let same = |message: String, parts: &[&str]| {
            let file = concat!("(", file!(), ":");
            assert!(message.contains(file), "no place in {message:?}");
            parts.iter().for_each(|part| assert!(message.contains(part), "{part:?}: {message:?}"));
        };
        let shapes = ["[3, 4]", "[2, 4]", "cannot be broadcast"];
        same(panic_message(|| &a + &b), &shapes);
        same(panic_message(|| a.clone() * &b), &shapes);
        same(panic_message(|| a.hypot(&b)), &shapes);
        same(panic_message(|| select(&a.less(0.0), 0.0, &b)), &["select", "[3, 4]", "[2, 4]"]);
        same(panic_message(|| a.sum(5)), &["sum", "axis 5"]);
        same(panic_message(|| a.reshape([7])), &["reshape", "[3, 4]", "[7]"]);
        same(panic_message(|| a.slice(s![9, ..])), &["slice", "axis 0", "[3, 4]"]);
        same(panic_message(|| a.clone().assign(s![.., 4], 1.0)), &["assign", "axis 1", "[3, 4]"]);
        same(panic_message(|| a.clone().assign(s![.., 0], &b)), &["assign", "[2, 4]", "[3]"]);
        same(panic_message(|| a.clone().assign_where(&b.less(0.0), 1.0)), &["[3, 4]", "[2, 4]"]);
        same(panic_message(|| zeros(&[0]).max(..)), &["max", "[0]"]);
        same(panic_message(|| DeviceArray::<f64>::zeros([1 << 40, 1 << 40])), &["too many"]);
        same(panic_message(|| DeviceArray::<f64>::geomspace(0.0, 1.0, 3)), &["geomspace"]);
        same(panic_message(|| DeviceArray::<f64>::linspace(0.0, 1.0, usize::MAX)), &["linspace"]);
        same(panic_message(|| lazuli::indices([1 << 40, 1 << 40])), &["indices", "too many"]);
        same(panic_message(|| a.split(3, 1)), &["split", "[3, 4]"]);
        same(
            panic_message(|| {
                let mut row = zeros(&[4]);
                row += &a;
            }),
            &["add_assign", "[4]", "[3, 4]"],
        );
        // The line is the caller's.
        let here = format!("({}:{}:", file!(), line!() + 1);
        let message = panic_message(|| a.add(&b));
        assert!(message.contains(&here), "{here} is not in {message:?}");
    });
}

/// A number of bytes that no device here has.
const BEYOND: usize = 1 << 58;

#[test]
fn memory_that_is_not_there() {
    on_each_device(|_| {
        let small = DeviceArray::from_slice(&[1.0, 2.0]).unwrap();
        let waiting = small.exp();
        let huge = DeviceArray::<f64>::linspace(0.0, 1.0, BEYOND).sqrt();
        let error = eval(&[&waiting, &huge]).unwrap_err();
        assert!(error.is_out_of_memory(), "{error:?}");
        assert!(error.to_string().contains(concat!("(", file!(), ":")), "{error}");
        let start = format!("sqrt: {} bytes were asked for", 8 * BEYOND);
        assert!(error.to_string().starts_with(&start), "{error}");
        assert!(!waiting.is_evaluated() && !huge.is_evaluated(), "nothing is lost or half done");
        for _ in 0..3 {
            assert!(huge.eval().unwrap_err().is_out_of_memory());
            assert!(huge.to_vec().unwrap_err().is_out_of_memory());
        }
        assert_eq!(waiting.ln().rint().to_vec().unwrap(), [1.0, 2.0]);
        assert_eq!(huge.slice(s![..2]).to_vec().unwrap()[0], 0.0);
        assert_eq!(small.to_vec().unwrap(), [1.0, 2.0]);
        let total = DeviceArray::full([1000], 2.0f64).sum(..);
        assert_eq!(total.item().unwrap(), 2000.0);
    });
}

/// Fills most of a GPU's memory: the allocation beyond it is refused, and what is there stays.
#[test]
fn a_gpu_that_is_full() {
    let _alone = MEMORY.write();
    for device in devices().into_iter().filter(|d| d.is_cuda()) {
        device.scope(|| {
            let memory = device.info().memory as usize;
            let part = DeviceArray::full([memory / 16], 1u8) + 1;
            let mut held = Vec::new();
            let error = loop {
                let next = &part + held.len() as u8;
                match next.eval() {
                    Ok(()) => held.push(next),
                    Err(error) => break error,
                }
                assert!(held.len() < 64, "more memory than the device has");
            };
            assert!(error.is_out_of_memory(), "{error:?}");
            for (k, array) in held.iter().enumerate() {
                assert_eq!(array.slice(s![-1]).item().unwrap(), k as u8 + 2);
            }
            held.truncate(held.len() / 2);
            let after = &part + 9;
            after.eval().unwrap();
            assert_eq!(after.slice(s![0]).item().unwrap(), 11);
        });
        // Other processes need the device too.
        device.release_memory();
    }
}

#[test]
fn devices_that_are_not_there() {
    let missing = Device::cuda(99).unwrap_err();
    assert!(missing.is_device(), "{missing:?}");
    assert!(!missing.to_string().is_empty());
    for name in ["cuda:99", "gpu", "cuda:", "cuda:-1", "cpu:0", ""] {
        let error = name.parse::<Device>().unwrap_err();
        assert!(error.is_device(), "{name:?}: {error:?}");
    }
    assert_eq!("cpu".parse::<Device>().unwrap(), Device::cpu());
    assert_eq!(Device::list().len(), Device::all().len());
    assert_eq!(Device::list()[0].device, "cpu");
}

#[test]
fn arrays_on_different_devices() {
    let _held = MEMORY.read();
    for device in devices().into_iter().filter(|d| d.is_cuda()) {
        let here = Device::cpu().scope(|| zeros(&[3]));
        let there = device.scope(|| zeros(&[3]));
        for error in [
            here.try_add(&there).unwrap_err(),
            lazuli::try_concatenate(&[&here, &there], 0).unwrap_err(),
            here.try_with_slice(s![..], &there).unwrap_err(),
        ] {
            assert!(error.is_device(), "{error:?}");
            assert!(error.to_string().contains("cpu"), "{error}");
        }
        assert_eq!((there.to(Device::cpu()).unwrap() + &here).to_vec().unwrap(), [0.0; 3]);
        eval(&[&(&here + 1.0), &(&there + 1.0)]).unwrap();
    }
}

/// Runs one of the ignored tests below in a process of its own, with variables set.
fn in_a_child(test: &str, variables: &[(&str, &Path)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", &format!("bad_input::{test}"), "--nocapture"]);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
    (output.status.success(), text.concat())
}

#[test]
#[ignore = "needs LAZULI_DEVICE to name a missing device; another test runs it"]
fn child_with_a_missing_device() {
    let error = Device::current().unwrap_err();
    assert!(error.is_device(), "{error:?}");
    assert!(DeviceArray::<f64>::try_zeros(3).unwrap_err().is_device());
    assert!(DeviceArray::from_slice(&[1.0]).unwrap_err().is_device());
    assert!(panic_message(|| DeviceArray::<f64>::ones(3)).contains("bad_input.rs:"));
    let here = Device::cpu().scope(|| DeviceArray::<f64>::ones(3).sum(..).item().unwrap());
    assert_eq!(here, 3.0, "other devices still work");
}

#[test]
fn cuda_is_asked_for_where_there_is_none() {
    for name in ["cuda:77", "abacus"] {
        let (passed, text) =
            in_a_child("child_with_a_missing_device", &[("LAZULI_DEVICE", Path::new(name))]);
        assert!(passed && text.contains("1 passed"), "{text}");
    }
}

#[test]
#[ignore = "needs LAZULI_CACHE_DIR; another test runs it"]
fn child_that_compiles() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::linspace(0.0, 1.0, 1001);
        assert!(((a.sin() * 3.0).sum(..).item().unwrap() - 3.0 * 460.117).abs() < 1.0);
    });
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let (folders, mut files): (Vec<_>, Vec<_>) = entries.partition(|p| p.is_dir());
    files.extend(folders.iter().flat_map(|f| files_below(f)));
    files
}

/// The kernel cache may be anything: absent, a file, read-only, cut short, overwritten.
#[test]
fn a_kernel_cache_that_is_no_use() {
    let _held = MEMORY.read();
    let folder = std::env::temp_dir().join(format!("lazuli-cache-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let passes = |cache: &Path| {
        let (passed, text) = in_a_child("child_that_compiles", &[("LAZULI_CACHE_DIR", cache)]);
        assert!(passed && text.contains("1 passed"), "{}: {text}", cache.display());
    };
    let cache = folder.join("cache");
    passes(&cache);
    if devices().iter().any(|d| d.is_cuda()) {
        assert!(!files_below(&cache).is_empty(), "nothing was cached");
    }
    for (k, file) in files_below(&cache).into_iter().enumerate() {
        let bytes = std::fs::read(&file).unwrap();
        let damaged =
            if k % 2 == 0 { bytes[..bytes.len() / 2].to_vec() } else { vec![7; bytes.len()] };
        std::fs::write(&file, damaged).unwrap();
    }
    passes(&cache);
    let read_only = folder.join("read-only");
    std::fs::create_dir_all(&read_only).unwrap();
    let mut permissions = std::fs::metadata(&read_only).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&read_only, permissions.clone()).unwrap();
    passes(&read_only.join("below"));
    let file = folder.join("file");
    std::fs::write(&file, "not a folder").unwrap();
    passes(&file);
    passes(Path::new("/dev/null/cache"));
    passes(Path::new(""));
    #[allow(clippy::permissions_set_readonly_false)]
    permissions.set_readonly(false);
    std::fs::set_permissions(&read_only, permissions).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_is_made_of_others_names_itself() {
    let (a, b) = (DeviceArray::<f64>::zeros(2), DeviceArray::<f64>::zeros(3));
    let n = DeviceArray::from_slice(&[3u64, u64::MAX]).unwrap();
    let still = ndarray::SliceInfoElem::Slice { start: 0, end: None, step: 0 };
    let messages = [
        (a.try_is_close(&b).unwrap_err().to_string(), "is_close: subtract: shapes [2] and [3]"),
        (a.try_all_close(&b).unwrap_err().to_string(), "all_close: subtract: shapes [2] and [3]"),
        (a.try_lerp(&b, 0.5).unwrap_err().to_string(), "lerp: subtract: shapes [3] and [2]"),
        (a.try_add(&b).unwrap_err().to_string(), "add: shapes [2] and [3]"),
        (a.try_slice([still]).unwrap_err().to_string(), "slice: the step on axis 0"),
        (n.bincount(0).unwrap_err().to_string(), "bincount: element 18446744073709551615 is too"),
        (
            a.histogram(Bins::Count(1 << 62)).unwrap_err().to_string(),
            "histogram: 4611686018427387904 bins are too many",
        ),
    ];
    for (message, begins) in messages {
        assert!(message.starts_with(begins), "{message}");
    }
    let message = panic_message(|| a.divmod(&b));
    assert!(message.starts_with("divmod: floor_divide: shapes [2] and [3]"), "{message}");
}
