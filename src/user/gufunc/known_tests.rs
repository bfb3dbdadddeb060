//! How often calls of one signature are recorded, and what they give.

use super::call::Call;
use super::lower::{Fails, Lower, Refusal, Results};
use super::update::Update;
use crate::array::DeviceArray;
use crate::backend::Device;
use crate::graph::Arg;
use crate::shape::Shape;
use std::cell::Cell;

thread_local! {
    static RECORDED: Cell<usize> = const { Cell::new(0) };
}

type Recording = fn(&Lower, &Call) -> Result<Results, Refusal>;

fn note() {
    RECORDED.set(RECORDED.get() + 1);
}

/// `x · 2t`, and `3 · 2t` for all items.
fn scaled(lz: &Lower, call: &Call) -> Result<Results, Refusal> {
    note();
    let (x, t) = (call.scalar::<f64>(0), call.scalar::<f64>(1));
    let twice = lz.piece(
        (t, lz.known(2.0)),
        &["t", "two"],
        |(t, two): (f64, f64), _| two * t,
        |(t, two)| two * t,
        |(t, two)| two * t,
        |_| unreachable!("numbers alone are no code for a device"),
        &[1, 0, b'*'],
        Fails::Never,
    )?;
    let product = lz.piece(
        (x, twice.clone()),
        &["x", "twice"],
        |(x, twice): (f64, f64), _| x * twice,
        |(x, twice)| x * twice,
        |(x, twice)| x * twice,
        |_| unreachable!("these are operations"),
        &[0, 1, b'*'],
        Fails::Never,
    )?;
    let thrice = lz.piece(
        (twice, lz.known(3.0)),
        &["twice", "three"],
        |(twice, three): (f64, f64), _| three * twice,
        |(twice, three)| three * twice,
        |(twice, three)| three * twice,
        |_| unreachable!("numbers alone are no code for a device"),
        &[1, 0, b'*'],
        Fails::Never,
    )?;
    Ok(vec![lz.scalar_result(&product), lz.scalar_result(&thrice)])
}

/// `t` and the terms together: where a sum begins is looked at.
fn summed(lz: &Lower, call: &Call) -> Result<Results, Refusal> {
    note();
    let (x, mut t) = (call.scalar::<f64>(0), call.scalar::<f64>(1));
    lz.update(&mut t, Update::Add, &x)?;
    Ok(vec![lz.scalar_result(&t)])
}

/// The results of a call with `x` and a number, and how often it was recorded.
fn called(f: Recording, x: &DeviceArray<f64>, number: Arg) -> (Vec<Vec<f64>>, usize) {
    let before = RECORDED.get();
    let args = vec![Arg::from(x.node()), number];
    let call = Call::of_numbers(args, Shape::from_slice(x.shape()), Device::cpu());
    let results = call.recorded_once_at("f", f).unwrap();
    let values = results.into_iter().map(|node| DeviceArray::from_node(node).to_vec().unwrap());
    (values.collect(), RECORDED.get() - before)
}

fn number(value: f64) -> Arg {
    Arg::Scalar(crate::dtype::Scalar::new(value))
}

#[test]
fn a_call_is_recorded_once_for_all_numbers() {
    Device::cpu().scope(|| {
        let x = DeviceArray::from_slice(&[1.0, -2.0, 0.0]).unwrap();
        for (k, t) in [0.5, -0.0, f64::INFINITY, f64::NAN, 7.0].into_iter().enumerate() {
            let (results, recorded) = called(scaled, &x, number(t));
            assert_eq!(recorded, usize::from(k == 0));
            let right = [[1.0, -2.0, 0.0].map(|x| x * (2.0 * t)), [3.0 * (2.0 * t); 3]];
            for (result, right) in results.iter().flatten().zip(right.iter().flatten()) {
                let same = result.to_bits() == right.to_bits();
                assert!(same || result.is_nan() && right.is_nan(), "{t}: {result} for {right}");
            }
        }
        // A longer array, and an array of no axes in place of the number, are other signatures.
        let longer = DeviceArray::from_slice(&[1.0; 4]).unwrap();
        assert_eq!(called(scaled, &longer, number(1.0)), (vec![vec![2.0; 4], vec![6.0; 4]], 1));
        let t = DeviceArray::<f64>::full((), 0.5);
        assert_eq!(called(scaled, &longer, Arg::from(t.node())).1, 1);
        assert_eq!(called(scaled, &longer, number(2.0)), (vec![vec![4.0; 4], vec![12.0; 4]], 0));
    });
}

#[test]
fn a_call_that_asks_for_a_number_is_recorded_each_time() {
    Device::cpu().scope(|| {
        let x = DeviceArray::from_slice(&[1.0, -0.0]).unwrap();
        // The first call finds out that it asks.
        for (t, sum, recorded) in
            [(0.5, [1.5, 0.5], 2), (0.0, [1.0, 0.0], 1), (-2.0, [-1.0, -2.0], 1)]
        {
            assert_eq!(called(summed, &x, number(t)), (vec![sum.to_vec()], recorded));
        }
    });
}
