//! What is computed when, what is stored, who shares what, and the rules of the numbers.

use crate::support::{Rng, alone, on_each_device, resident};
use lazuli::prelude::*;
use lazuli::{Counters, counters};
use ndarray::{Array2, ArrayD, ShapeBuilder, arr1, arr2};
use std::sync::Arc;

fn allocated_by(f: impl FnOnce()) -> u64 {
    let before = counters().allocated;
    f();
    counters().allocated - before
}

fn line(n: usize) -> DeviceArray<f64> {
    DeviceArray::from_vec([n], (0..n).map(|k| k as f64).collect()).expect("an upload")
}

#[test]
fn nothing_runs_before_it_is_asked_for() {
    on_each_device(|_| {
        let x = line(100).reshape([10, 10]);
        let before: Counters = counters();
        let y = (x.sin() + x.t()).slice(s![1.., ..;-1]).sum(keep(0));
        let mut z = y.broadcast_to([5, 10]).clone();
        z.assign(s![0, ..], 3.0);
        let _ = (z.shape(), z.len(), z.dtype(), z.device(), format!("{:?}", z.ndim()));
        let generated = DeviceArray::<f64>::eye(10) * DeviceArray::linspace(0.0, 1.0, 10);
        assert_eq!(counters(), before);
        assert!(!y.is_evaluated() && !z.is_evaluated() && !generated.is_evaluated());
        assert_eq!(z.shape(), [5, 10]);
    });
}

#[test]
fn only_what_was_asked_for_is_stored() {
    on_each_device(|_| {
        let x = line(1000);
        let y = x.exp();
        let z = (&y + 1.0).sqrt();
        let bytes = allocated_by(|| z.eval().unwrap());
        assert!(z.is_evaluated() && !y.is_evaluated());
        assert_eq!(bytes, 8000);
        assert_eq!(allocated_by(|| z.eval().unwrap()), 0, "it is evaluated already");
    });
}

#[test]
fn computed_again_once_then_kept() {
    on_each_device(|_| {
        let y = line(1000).sqrt() * 0.5;
        let (a, b, c) = (&y + 1.0, &y * 2.0, &y - 3.0);
        a.eval().unwrap();
        assert!(!y.is_evaluated(), "a live handle alone is no reason to store");
        b.eval().unwrap();
        assert!(y.is_evaluated(), "what is computed a second time is kept");
        c.eval().unwrap();
        let expected = |f: fn(f64) -> f64| -> Vec<f64> {
            (0..1000).map(|k| f((k as f64).sqrt() * 0.5)).collect()
        };
        assert_eq!(y.to_vec().unwrap(), expected(|v| v));
        assert_eq!(a.to_vec().unwrap(), expected(|v| v + 1.0));
        assert_eq!(b.to_vec().unwrap(), expected(|v| v * 2.0));
        assert_eq!(c.to_vec().unwrap(), expected(|v| v - 3.0));
    });
}

#[test]
fn a_million_nodes_overflow_no_stack() {
    on_each_device(|device| {
        let build = move || {
            device.scope(|| {
                let mut a = DeviceArray::from_slice(&[1.0f64]).unwrap();
                let mut handles = Vec::new();
                for k in 0..1_000_000 {
                    a = if k % 2 == 0 { a.negative() } else { a.insert_axis(0).reshape(1) };
                    if k % 3 == 0 {
                        handles.push(a.clone());
                    }
                }
                drop(a);
                handles.reverse();
                let last = handles.swap_remove(0);
                drop(handles);
                assert_eq!(last.item().unwrap().abs(), 1.0);
            });
        };
        let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(build).unwrap();
        assert!(thread.join().is_ok());
    });
}

#[test]
fn threads_share_arrays() {
    fn shared<T: Send + Sync + Clone + 'static>() {}
    shared::<DeviceArray<f64>>();
    shared::<DeviceArray<Complex<f32>>>();
    shared::<Error>();
    shared::<Device>();
    on_each_device(|device| {
        let x = Arc::new(line(500));
        let y = x.square();
        std::thread::scope(|scope| {
            for t in 0..8 {
                let (x, y) = (x.clone(), y.clone());
                scope.spawn(move || {
                    device.scope(|| {
                        for round in 0..20 {
                            let by = f64::from(t * 100 + round);
                            let total = (&y + &*x * by).sum(..).item().unwrap();
                            let expected: f64 =
                                (0..500).map(f64::from).map(|k| k * k + k * by).sum();
                            assert_eq!(total, expected);
                        }
                        assert_eq!(y.slice(s![3]).item().unwrap(), 9.0);
                    });
                });
            }
        });
    });
}

#[test]
fn threads_that_need_one_plan_make_it_once() {
    on_each_device(|device| {
        // Lengths are no part of what is compiled, but of a plan; nothing else is so long.
        let x = DeviceArray::<f64>::linspace(0.0, 1.0, 4177);
        x.eval().unwrap();
        let expected: f64 = (0..4177).map(|k| (f64::from(k) / 4176.0).exp2()).sum();
        let start = std::sync::Barrier::new(8);
        let plans = |_: usize| {
            device.scope(|| {
                let before = lazuli::counters().plans;
                start.wait();
                let total = x.exp2().sum(..).item().unwrap();
                assert!((total / expected - 1.0).abs() < 1e-13, "{total} and {expected}");
                lazuli::counters().plans - before
            })
        };
        let made: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|k| scope.spawn(move || plans(k))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(made, 1, "plans made by all threads together");
    });
}

#[test]
fn threads_that_make_plans_all_the_time_share_arrays() {
    on_each_device(|device| {
        let shared = DeviceArray::<f64>::arange(0.0, 120.0, 1.0).square();
        std::thread::scope(|scope| {
            for t in 0..4_usize {
                let shared = shared.clone();
                scope.spawn(move || {
                    device.scope(|| {
                        // Each turn evaluates a piece of another length of what all share, and
                        // assigns to it.
                        for k in 1..40 {
                            let len = 24 * t + k;
                            let mut part = shared.slice(s![..len]);
                            part.assign(s![0], -1.0);
                            let total = (&part + 1.0).sum(..).item().unwrap();
                            let expected: f64 = (1..len).map(|v| (v * v) as f64 + 1.0).sum();
                            assert_eq!(total, expected, "{len}");
                        }
                    });
                });
            }
        });
        assert_eq!(shared.slice(s![..3]).to_vec().unwrap(), [0.0, 1.0, 4.0]);
    });
}

#[test]
fn assignment_is_in_place_where_nobody_else_sees_it() {
    on_each_device(|_| {
        let mut a = line(1000);
        let expected: Vec<f64> = (0..1000).map(|k| if k < 10 { -1.0 } else { k as f64 }).collect();
        a.assign(s![..10], -1.0);
        assert_eq!(allocated_by(|| a.eval().unwrap()), 0, "the buffer has one owner");
        assert_eq!(a.to_vec().unwrap(), expected);

        let old = a.clone();
        a.assign(s![10..20], 0.5);
        assert_eq!(allocated_by(|| a.eval().unwrap()), 8000, "a clone sees the old buffer");
        assert_eq!(old.to_vec().unwrap(), expected);
        assert_eq!(a.slice(s![8..12]).to_vec().unwrap(), [-1.0, -1.0, 0.5, 0.5]);

        let view = old.slice(s![..;2]);
        let mut b = old;
        b.assign(s![..], 7.0);
        b.eval().unwrap();
        assert_eq!(view.slice(s![..6]).to_vec().unwrap(), [-1.0, -1.0, -1.0, -1.0, -1.0, 10.0]);
    });
}

#[test]
fn an_assignment_reads_what_was_there_before() {
    on_each_device(|_| {
        let shift = |mut a: DeviceArray<f64>| {
            let source = a.slice(s![..-1]);
            a.assign(s![1..], &source);
            a
        };
        let expected: Vec<f64> = (0..1000).map(|k: i32| f64::from((k - 1).max(0))).collect();
        assert_eq!(shift(line(1000)).to_vec().unwrap(), expected);
        assert_eq!(shift(DeviceArray::arange_to(1000.0)).to_vec().unwrap(), expected);

        let mut a = line(1000);
        let (mirror, mean) = (a.slice(s![..;-1]), a.mean(..));
        a.assign(s![..], &mirror);
        a.assign(s![..2], &mean);
        a.eval().unwrap();
        assert_eq!(a.slice(s![..4]).to_vec().unwrap(), [499.5, 499.5, 997.0, 996.0]);
        assert_eq!(mirror.slice(s![0]).item().unwrap(), 999.0);

        let mut b = line(6).reshape([2, 3]);
        let (row, whole) = (b.slice(s![1, ..]), b.clone());
        b.assign(s![0, ..], &row);
        b.assign_where(&b.greater(4.0), -1.0);
        b.assign(s![.., 0], b.slice(s![.., 1]));
        assert_eq!(b.to_vec().unwrap(), [4.0, 4.0, -1.0, 4.0, 4.0, -1.0]);
        assert_eq!(whole.to_vec().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    });
}

#[test]
fn many_assignments_are_bounded() {
    alone("semantics::many_assignments_in_a_loop_stay_bounded");
}

#[test]
#[ignore = "needs a process of its own; another test runs it"]
fn many_assignments_in_a_loop_stay_bounded() {
    on_each_device(|_| {
        let mut a = line(4096);
        a.eval().unwrap();
        let before = resident();
        for k in 0..3000 {
            a.assign(s![k..k + 5], k as f64);
        }
        let values = a.to_vec().unwrap();
        assert_eq!((values[2999], values[3003], values[3004]), (2999.0, 2999.0, 3004.0));
        assert!((0..2999).all(|k| values[k] == k as f64));
        if let (Some(before), Some(after)) = (before, resident()) {
            assert!(after < before + (256 << 20), "{} MiB more", (after - before) >> 20);
        }
    });
}

#[test]
fn nan_and_infinity() {
    on_each_device(|_| {
        let nan = f64::NAN;
        let a = DeviceArray::from_slice(&[nan, 1.0, nan, 2.0]).unwrap();
        let b = DeviceArray::from_slice(&[3.0, nan, nan, 1.0]).unwrap();
        let bits = |x: DeviceArray<f64>| {
            x.to_vec().unwrap().into_iter().map(|v| (!v.is_nan()).then_some(v)).collect::<Vec<_>>()
        };
        assert_eq!(bits(a.maximum(&b)), [None, None, None, Some(2.0)]);
        assert_eq!(bits(a.minimum(&b)), [None, None, None, Some(1.0)]);
        assert_eq!(bits(a.fmax(&b)), [Some(3.0), Some(1.0), None, Some(2.0)]);
        assert_eq!(bits(a.fmin(&b)), [Some(3.0), Some(1.0), None, Some(1.0)]);
        assert!(a.max(..).item().unwrap().is_nan() && a.min(..).item().unwrap().is_nan());
        assert_eq!(a.nan_max(..).item().unwrap(), 2.0);
        assert_eq!((a.argmax(..).item().unwrap(), b.argmin(..).item().unwrap()), (0, 1));
        assert_eq!(a.equal(&a).to_vec().unwrap(), [false, true, false, true]);
        assert_eq!(a.not_equal(&a).to_vec().unwrap(), [true, false, true, false]);
        let zeros = DeviceArray::from_slice(&[0.0f64, -0.0]).unwrap();
        assert_eq!((1.0 / &zeros).to_vec().unwrap(), [f64::INFINITY, f64::NEG_INFINITY]);
        assert!((&zeros / &zeros).is_nan().all(..).item().unwrap());
        let infinite = DeviceArray::from_slice(&[f64::INFINITY, 1.0, f64::NEG_INFINITY]).unwrap();
        assert!(infinite.sum(..).item().unwrap().is_nan());
        assert_eq!(infinite.slice(s![..2]).sum(..).item().unwrap(), f64::INFINITY);
        assert!(infinite.softmax(-1).is_nan().any(..).item().unwrap());
    });
}

#[test]
fn integers() {
    on_each_device(|_| {
        let a = DeviceArray::from_slice(&[7, -7, 0, i32::MIN, i32::MAX]).unwrap();
        let zero = a.zeros_like();
        for result in [
            &a / &zero,
            &a % &zero,
            a.floor_divide(&zero),
            a.remainder(&zero),
            a.div_euclid(0),
            a.rem_euclid(0),
        ] {
            assert_eq!(result.to_vec().unwrap(), [0; 5]);
        }
        assert_eq!((&a / -1).to_vec().unwrap(), [-7, 7, 0, i32::MIN, -i32::MAX]);
        assert_eq!((&a / 2).to_vec().unwrap(), [3, -3, 0, i32::MIN / 2, i32::MAX / 2]);
        assert_eq!(a.floor_divide(2).to_vec().unwrap(), [3, -4, 0, i32::MIN / 2, i32::MAX / 2]);
        assert_eq!(
            (&a % 3).to_vec().unwrap(),
            a.to_vec().unwrap().into_iter().map(|v| v % 3).collect::<Vec<_>>()
        );
        assert_eq!(
            a.remainder(3).to_vec().unwrap(),
            a.to_vec().unwrap().into_iter().map(|v| v.rem_euclid(3)).collect::<Vec<_>>()
        );
        assert_eq!((&a + 1).to_vec().unwrap(), [8, -6, 1, i32::MIN + 1, i32::MIN]);
        assert_eq!((&a * &a).to_vec().unwrap(), [49, 49, 0, 0, 1]);
        assert_eq!((-&a).to_vec().unwrap(), [-7, 7, 0, i32::MIN, -i32::MAX]);
        assert_eq!(a.abs().slice(s![3]).item().unwrap(), i32::MIN);
        let counts = DeviceArray::from_slice(&[0, 31, 32, 100, -1]).unwrap();
        let ones = DeviceArray::full(5, -1);
        assert_eq!(ones.left_shift(&counts).to_vec().unwrap(), [-1, i32::MIN, 0, 0, 0]);
        assert_eq!(ones.right_shift(&counts).to_vec().unwrap(), [-1; 5]);
        assert_eq!(
            (&ones.cast::<u32>() >> counts.cast::<u32>()).to_vec().unwrap(),
            [u32::MAX, 1, 0, 0, 0]
        );
        let small = DeviceArray::from_slice(&[200u8, 100]).unwrap();
        assert_eq!((&small + &small).to_vec().unwrap(), [144, 200]);
        assert_eq!(small.sum(..).item().unwrap(), 300u64, "sums of small integers widen");
        assert_eq!(small.cast::<i8>().to_vec().unwrap(), [-56, 100]);
        let bools = DeviceArray::from_slice(&[true, true, false]).unwrap();
        assert_eq!(
            (bools.sum(..).item().unwrap(), bools.mean(..).item().unwrap()),
            (2i64, 2.0 / 3.0)
        );
    });
}

#[test]
fn floats_saturate_in_integers() {
    on_each_device(|_| {
        let values = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e300,
            -1e300,
            2.9,
            -2.9,
            255.0,
            256.0,
            -0.5,
            9.3e18,
            1.9e19,
        ];
        let a = DeviceArray::from_slice(&values).unwrap();
        macro_rules! as_rust {
            ($($t:ty)*) => {$(
                let expected: Vec<$t> = values.iter().map(|&v| v as $t).collect();
                assert_eq!(a.cast::<$t>().to_vec().unwrap(), expected);
                let singles: Vec<$t> = values.iter().map(|&v| v as f32 as $t).collect();
                assert_eq!(a.cast::<f32>().cast::<$t>().to_vec().unwrap(), singles);
            )*};
        }
        as_rust!(i8 i16 i32 i64 u8 u16 u32 u64);
        assert_eq!(a.cast::<bool>().to_vec().unwrap(), [true; 12]);
    });
}

#[test]
fn halves_round_after_every_operation() {
    on_each_device(|_| {
        let mut rng = Rng(5);
        let (x, y): (Vec<f32>, Vec<f32>) =
            (0..500).map(|_| (rng.within(-4.0, 4.0) as f32, rng.within(-4.0, 4.0) as f32)).unzip();
        macro_rules! chain {
            ($t:ty) => {{
                let (a, b): (Vec<$t>, Vec<$t>) = (
                    x.iter().map(|&v| <$t>::from_f32(v)).collect(),
                    y.iter().map(|&v| <$t>::from_f32(v)).collect(),
                );
                let (da, db) =
                    (DeviceArray::from_slice(&a).unwrap(), DeviceArray::from_slice(&b).unwrap());
                let got = ((&da * &db + &da) / (db.abs() + <$t>::from_f32(1.0))
                    - db.sqrt().nan_to_num())
                .to_vec()
                .unwrap();
                for ((&a, &b), got) in a.iter().zip(&b).zip(got) {
                    let r = |v: f32| <$t>::from_f32(v);
                    let product = r(a.to_f32() * b.to_f32());
                    let sum = r(product.to_f32() + a.to_f32());
                    let below = r(b.to_f32().abs() + 1.0);
                    let quotient = r(sum.to_f32() / below.to_f32());
                    let root = if b.to_f32() < 0.0 { r(0.0) } else { r(b.to_f32().sqrt()) };
                    let expected = r(quotient.to_f32() - root.to_f32());
                    assert_eq!(got.to_f32(), expected.to_f32(), "from {a} and {b}");
                }
                let many = DeviceArray::full([40, 300], <$t>::from_f32(1.0));
                assert_eq!(
                    many.sum(1).to_vec().unwrap(),
                    vec![<$t>::from_f32(300.0); 40],
                    "sums accumulate in f32"
                );
                assert_eq!(many.sum(..).item().unwrap(), <$t>::from_f32(12000.0));
                assert_eq!(many.mean(..).item().unwrap(), <$t>::from_f32(1.0));
            }};
        }
        chain!(f16);
        chain!(bf16);
    });
}

#[test]
fn reductions_repeat_bit_for_bit() {
    on_each_device(|_| {
        let mut rng = Rng(6);
        let values: Vec<f32> = (0..300_000).map(|_| rng.within(-1.0, 1.0) as f32).collect();
        let a = DeviceArray::from_vec([300, 1000], values).unwrap();
        let run = || {
            let (all, rows, columns) = (a.sum(..), a.sum(1), a.exp().sum(0));
            eval(&[&all, &rows, &columns]).unwrap();
            let bits = |x: &DeviceArray<f32>| {
                x.to_vec().unwrap().into_iter().map(f32::to_bits).collect::<Vec<_>>()
            };
            (bits(&all), bits(&rows), bits(&columns))
        };
        let first = run();
        for _ in 0..5 {
            assert_eq!(run(), first);
        }
    });
}

#[test]
fn long_sums_of_singles_are_accurate() {
    on_each_device(|_| {
        let n = 10_000_000;
        let tenth = DeviceArray::full([n], 0.1f32);
        let expected = n as f64 * f64::from(0.1f32);
        let error = |got: f32| (f64::from(got) - expected).abs() / expected;
        let all = tenth.sum(..).item().unwrap();
        assert!(error(all) < 2e-6, "{all}");
        let matrix = tenth.reshape([10, n / 10]);
        for row in matrix.sum(1).to_vec().unwrap() {
            assert!(error(row * 10.0) < 2e-6, "{row}");
        }
        for column in tenth.reshape([n / 10, 10]).sum(0).to_vec().unwrap() {
            assert!(error(column * 10.0) < 2e-6, "{column}");
        }
        let mean = tenth.mean(..).item().unwrap();
        assert!((mean - 0.1).abs() < 1e-6, "{mean}");
        let moved = DeviceArray::<f32>::arange_to(1_000_000.0) % 2.0 + 10_000.0;
        let var = moved.var(..).item().unwrap();
        assert!((var - 0.25).abs() < 1e-4, "the variance far from zero is {var}");
    });
}

#[test]
fn arrays_without_elements_or_axes() {
    on_each_device(|_| {
        let empty = DeviceArray::<f64>::zeros([0, 3]);
        assert!(empty.is_empty());
        assert_eq!((empty.sin() + &DeviceArray::<f64>::ones([1, 3])).shape(), [0, 3]);
        assert_eq!(empty.exp().copy_to_host().unwrap().shape(), [0, 3]);
        assert_eq!(empty.sum(0).to_vec().unwrap(), [0.0; 3]);
        assert_eq!(empty.sum(1).to_vec().unwrap(), [0.0; 0]);
        assert_eq!((empty.prod(..).item().unwrap(), empty.sum(..).item().unwrap()), (1.0, 0.0));
        assert!(
            empty.greater(0.0).all(..).item().unwrap() && !empty.less(0.0).any(..).item().unwrap()
        );
        assert!(empty.mean(0).is_nan().all(..).item().unwrap());
        assert_eq!(empty.max(1).shape(), [0]);
        assert_eq!(empty.t().reshape([0]).to_vec().unwrap(), [0.0; 0]);
        assert_eq!(
            empty.pad(&[(1, 1), (0, 0)], lazuli::PadMode::Constant(2.0)).to_vec().unwrap(),
            [2.0; 6]
        );
        assert_eq!(
            lazuli::concatenate(&[&empty, &DeviceArray::ones([1, 3])], 0).to_vec().unwrap(),
            [1.0; 3]
        );
        assert_eq!(empty.roll(1, 0).flip(0).slice(s![.., 1..]).tile([1, 2]).shape(), [0, 4]);
        assert_eq!(DeviceArray::<i32>::arange_to(5).take(&[0usize; 0][..], 0).shape(), [0]);
        eval(&[&empty, &empty.cos(), &DeviceArray::<f64>::ones(2).sqrt()]).unwrap();
        let _ = format!("{empty} {empty:?}");

        let point = DeviceArray::from(2.5f64);
        assert_eq!((point.ndim(), point.len()), (0, 1));
        assert_eq!((point.square() + 1.0).item().unwrap(), 7.25);
        assert_eq!((&point * line(3)).to_vec().unwrap(), [0.0, 2.5, 5.0]);
        assert_eq!(point.sum(..).item().unwrap(), 2.5);
        assert_eq!(point.softmax(..).item().unwrap(), 1.0);
        assert_eq!((point.argmax(..).item().unwrap(), point.std(..).item().unwrap()), (0, 0.0));
        assert_eq!(point.reshape([1, 1]).broadcast_to([2, 2]).to_vec().unwrap(), [2.5; 4]);
        assert_eq!(
            point.insert_axis(0).squeeze(..).copy_to_host().unwrap(),
            ndarray::arr0(2.5).into_dyn()
        );
        let zero_d = DeviceArray::from_ndarray(&ndarray::arr0(4i64)).unwrap();
        assert_eq!(zero_d.copy_to_host().unwrap()[[]], 4);
        let one = line(1);
        assert_eq!((one.roll(5, 0) + one.flip(0)).to_vec().unwrap(), [0.0]);
    });
}

#[test]
fn host_arrays_of_any_layout() {
    on_each_device(|_| {
        let c = Array2::from_shape_fn((5, 7), |(i, j)| (10 * i + j) as f64);
        let f = {
            let mut f = Array2::zeros((5, 7).f());
            f.assign(&c);
            f
        };
        assert_eq!(
            DeviceArray::from_ndarray(&f).unwrap().copy_to_host().unwrap(),
            c.clone().into_dyn()
        );
        let views = [
            c.view().into_dyn(),
            c.t().into_dyn(),
            f.t().into_dyn(),
            c.slice(s![..;2, ..;-3]).into_dyn(),
            f.slice(s![..;-1, 1..5]).into_dyn(),
            c.slice(s![2..2, ..]).into_dyn(),
            c.slice(s![3, ..]).into_dyn(),
            c.broadcast((2, 5, 7)).unwrap().into_dyn(),
        ];
        for view in views {
            let a = to_device(&view).unwrap();
            assert_eq!(a.copy_to_host().unwrap(), view);
            assert_eq!((&a + &a).copy_to_host().unwrap(), &view * 2.0);
        }
        let mut into = Array2::zeros((7, 5).f());
        DeviceArray::from_ndarray(&c).unwrap().t().copy_into(&mut into).unwrap();
        assert_eq!(into, c.t());
        let mut strided = Array2::<f64>::zeros((5, 14));
        DeviceArray::from_ndarray(&c)
            .unwrap()
            .copy_into(&mut strided.slice_mut(s![.., ..;2]))
            .unwrap();
        assert_eq!(strided.slice(s![.., ..;2]), c);
        assert_eq!(strided.slice(s![.., 1..;2]).sum(), 0.0);
    });
}

#[test]
fn every_type_survives_transfer_and_files() {
    on_each_device(|device| {
        let name =
            format!("lazuli-it-{}-{}", std::process::id(), device.to_string().replace(':', "-"));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        macro_rules! round_trip {
            ($($t:ty: $values:expr;)*) => {$({
                let host: ArrayD<$t> = arr2(&$values).into_dyn();
                let a = DeviceArray::from_ndarray(&host).unwrap();
                assert_eq!(a.copy_to_host().unwrap(), host);
                let path = folder.join(format!("{}.npy", a.dtype().name()));
                a.t().write_npy(&path).unwrap();
                let back = DeviceArray::<$t>::read_npy(&path).unwrap();
                assert_eq!(back.copy_to_host().unwrap(), host.t());
            })*};
        }
        round_trip! {
            bool: [[true, false, true]];
            i8: [[-128, 0, 127]]; i16: [[i16::MIN, 0, i16::MAX]]; i32: [[i32::MIN, 0, i32::MAX]];
            i64: [[i64::MIN, 0, i64::MAX]]; u8: [[0, 1, 255]]; u16: [[0, 1, u16::MAX]];
            u32: [[0, 1, u32::MAX]]; u64: [[0, 1, u64::MAX]];
            f16: [[f16::from_f32(0.1), f16::MAX, f16::NEG_INFINITY]];
            f32: [[0.1, f32::MAX, f32::INFINITY]]; f64: [[0.1, f64::MIN_POSITIVE, -0.0]];
            Complex<f32>: [[Complex::new(1.0, -2.0), Complex::new(0.0, f32::INFINITY)]];
            Complex<f64>: [[Complex::new(1.0, -2.0), Complex::new(-0.0, 1e300)]];
        }
        let path = folder.join("several.npz");
        let (a, b) = (line(4), DeviceArray::from_slice(&[true, false]).unwrap());
        lazuli::write_npz(&path, &[("a", &a), ("b", &b)]).unwrap();
        let mut file = lazuli::NpzFile::open(&path).unwrap();
        let mut names = file.names().unwrap();
        names.sort();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(
            file.read::<f64>("a").unwrap().copy_to_host().unwrap(),
            arr1(&[0.0, 1.0, 2.0, 3.0]).into_dyn()
        );
        assert_eq!(file.read::<bool>("b").unwrap().to_vec().unwrap(), [true, false]);
        for (wrong, what) in [
            (file.read::<f32>("a").map(|_| ()), "a"),
            (file.read::<f64>("c").map(|_| ()), "c"),
            (DeviceArray::<f64>::read_npy(folder.join("nothing.npy")).map(|_| ()), "nothing.npy"),
            (DeviceArray::<f64>::read_npy(folder.join("bool.npy")).map(|_| ()), "bool.npy"),
            (DeviceArray::<f64>::read_npy(&path).map(|_| ()), "several.npz"),
            (a.write_npy(folder.join("no/such/folder.npy")), "folder.npy"),
        ] {
            let error = wrong.unwrap_err();
            assert!(error.is_io(), "{error:?}");
            assert!(error.to_string().contains(what), "{error}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    });
}

#[test]
fn what_an_assignment_replaces_is_not_computed() {
    on_each_device(|_| {
        let flags = line(17).greater(3.0);
        let one = DeviceArray::from_slice(&[true]).unwrap();
        let replaced = flags.all(keep(0)).minimum(&one).with_slice(s![..], &one);
        assert_eq!(replaced.logical_and(&one).to_vec().unwrap(), [true]);
        let total = line(17).sum(keep(0));
        let mut pair = DeviceArray::<f64>::zeros(2);
        pair.assign(s![..1], &total);
        assert_eq!(pair.slice(s![1..]).to_vec().unwrap(), [0.0]);
        assert_eq!(pair.to_vec().unwrap(), [136.0, 0.0]);
    });
}

#[test]
fn gelu_is_one_kernel_of_every_type() {
    fn check<T: Floating>(tolerance: f64) {
        let host: Vec<T> = (-4000..4000).map(|i| T::from_f64(f64::from(i) * 0.01)).collect();
        let x = DeviceArray::from_slice(&host).unwrap();
        let y = x.gelu();
        assert_eq!(explain(&[&(&y * T::from_f64(2.0))]).kernels(), 1);
        for (x, y) in host.iter().zip(y.to_vec().unwrap()) {
            let (x, got) = (x.to_f64(), y.to_f64());
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            let want = 0.5 * x * (1.0 + inner.tanh());
            assert!((got - want).abs() <= tolerance * x.abs(), "{got} for {want}");
        }
        let ends = [f64::NAN, f64::INFINITY].map(T::from_f64);
        let ends = DeviceArray::from_slice(&ends).unwrap().gelu().to_vec().unwrap();
        assert!(ends[0].to_f64().is_nan() && ends[1].to_f64() == f64::INFINITY);
    }
    on_each_device(|_| {
        check::<f64>(1e-15);
        check::<f32>(5e-7);
        check::<f16>(5e-4);
        check::<bf16>(4e-3);
    });
}

/// What a user holds is stored when it would be computed a second time, but not for the sake of
/// small parts, and not where there is no room for it.
#[test]
fn what_is_held_and_too_large_is_computed_again() {
    on_each_device(|_| {
        // 800 GB of numbers that nobody could store.
        let far = (DeviceArray::<f64>::arange_to(1e11) * 0.5).sin();
        for k in [0i64, 7, 99_999_999_000, 7] {
            let part = far.slice(s![k as isize..k as isize + 10]).to_vec().unwrap();
            let right: Vec<f64> = (k..k + 10).map(|i| (i as f64 * 0.5).sin()).collect();
            let near = part.iter().zip(&right).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near, "{part:?} {right:?}");
        }
        // A part of what needs all: stored when it comes again.
        let x = DeviceArray::<f64>::arange_to(1e5) + 1.0;
        let y = &x / x.sum(..);
        let launches = || lazuli::counters().launches;
        assert_eq!(y.slice(s![..2]).to_vec().unwrap().len(), 2);
        assert_eq!(y.slice(s![2..4]).to_vec().unwrap().len(), 2);
        let before = launches();
        assert_eq!(y.slice(s![4..5]).to_vec().unwrap(), [5.0 / 5000050000.0]);
        assert!(launches() - before <= 1);
        // A third of it, often.
        let z = (&x * 2.0).exp2().ln();
        for k in 0..3 {
            z.slice(s![k * 30_000..(k + 1) * 30_000]).eval().unwrap();
        }
        let before = lazuli::counters().allocated;
        z.eval().unwrap();
        assert_eq!(lazuli::counters().allocated, before);
    });
}

/// Against the system's own function: ordinary arguments, those around every bound of an
/// implementation, results that are subnormal, and what is no number.
#[test]
fn exponentials_of_doubles_are_right_everywhere() {
    let mut rng = Rng(5);
    let mut x = vec![0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e308, -1e308];
    for bound in
        [708.0, 708.38, 708.39, 708.396, 709.0, 709.78, 709.79, 744.4, 745.0, 745.13, 746.0, 750.0]
    {
        for near in [-1e-3, -1e-9, 0.0, 1e-9, 1e-3] {
            x.extend([bound + near, -bound - near]);
        }
    }
    for span in [0.4, 20.0, 708.0, 760.0, 1e-5, 1e-300] {
        x.extend((0..20_000).map(|_| rng.within(-span, span)));
    }
    on_each_device(|_| {
        let found = DeviceArray::from_slice(&x).unwrap().exp().to_vec().unwrap();
        for (x, y) in x.iter().zip(found) {
            let right = x.exp();
            // Neighbouring doubles have neighbouring bits.
            let apart = (y.to_bits() as i64).abs_diff(right.to_bits() as i64);
            assert!(
                apart <= 2 || y.is_nan() && right.is_nan(),
                "exp({x:e}) = {y:e}, not {right:e}"
            );
        }
    });
}
