//! Kernels that run in pieces on the processor: 4096 elements or more behind a roll, a pad, a join or
//! an assignment. What holds for a few elements holds for them.

use crate::support::on_each_device;
use half::{bf16, f16};
use lazuli::prelude::*;
use lazuli::{PadMode, concatenate};

/// Arrays of at least 5,000 elements that are computed in pieces.
fn in_pieces<T: Number>(x: &DeviceArray<T>) -> Vec<DeviceArray<T>> {
    let mut assigned = x.clone();
    assigned.assign(s![2..5], T::ZERO);
    vec![
        x.roll(3, 0),
        x.pad(&[(2, 1)], PadMode::Constant(T::ONE)),
        concatenate(&[x, x], 0),
        assigned,
    ]
}

/// Logic of numbers with themselves, which are the same value: the result is whether they are zero.
fn logic<T: Number, U: Number>(of: impl Fn(usize) -> T) {
    on_each_device(|_| {
        let x = DeviceArray::from_slice(&(0..5000).map(&of).collect::<Vec<T>>()).unwrap();
        for x in in_pieces(&x) {
            let x = x.cast::<U>();
            let zero = x.to_vec().unwrap().into_iter().map(|x| x == U::ZERO);
            let zero: Vec<bool> = zero.collect();
            let not_zero: Vec<bool> = zero.iter().map(|zero| !zero).collect();
            for (name, found, expected) in [
                ("and", x.logical_and(&x), &not_zero),
                ("and of a clone", x.logical_and(&x.clone()), &not_zero),
                ("or", x.logical_or(&x), &not_zero),
                ("not", x.logical_not(), &zero),
                ("both", x.logical_and(&x).logical_or(&x.logical_and(&x)), &not_zero),
            ] {
                let counted = found.cast::<u8>().sum(..).item().unwrap();
                assert_eq!(&found.to_vec().unwrap(), expected, "{name} of {}", U::DTYPE);
                assert_eq!(counted as usize, expected.iter().filter(|e| **e).count());
            }
        }
    });
}

#[test]
fn logic_of_numbers_in_pieces_gives_conditions() {
    logic::<f32, u64>(|k| (k % 7) as f32 * 37.0);
    logic::<f32, f32>(|k| [0.0, -0.0, f32::NAN, 1.0, f32::INFINITY][k % 5]);
    logic::<f64, f64>(|k| [0.0, -0.0, f64::NAN, 1e-310][k % 4]);
    logic::<i64, i8>(|k| k as i64 * 64);
    logic::<i32, i16>(|k| k as i32 - 2500);
    logic::<u32, u32>(|k| k as u32 % 3 * 256);
    logic::<f32, f16>(|k| k as f32 * 1e-6);
    logic::<f32, bf16>(|k| (k % 5) as f32);
    logic::<f64, Complex<f64>>(|k| (k % 3) as f64);
}

/// The greatest value of an array in pieces is not computed beside it: the conditions on positions
/// would be asked at each element, where the pieces have none.
#[test]
fn a_reduction_is_no_part_of_a_kernel_in_pieces() {
    on_each_device(|device| {
        let u =
            DeviceArray::from_slice(&(0..8000).map(|k| f64::from(k * 7 % 31)).collect::<Vec<_>>());
        let u = u.unwrap().reshape([80, 100]);
        u.eval().unwrap();
        let mut next = u.clone();
        next.assign(
            s![1..-1, 1..-1],
            0.25 * (u.slice(s![2.., 1..-1])
                + u.slice(s![..-2, 1..-1])
                + u.slice(s![1..-1, 2..])
                + u.slice(s![1..-1, ..-2])),
        );
        let greatest = next.max(..);
        let plan = lazuli::explain(&[&next, &greatest]);
        let kernels = if device.is_cuda() { 1 } else { 2 };
        assert_eq!(plan.kernels(), kernels, "{plan}");
        let (next, greatest) = (next.to_vec().unwrap(), greatest.item().unwrap());
        assert_eq!(greatest, next.iter().copied().fold(f64::MIN, f64::max));
        // Small arrays have no pieces, and one kernel.
        let small = u.slice(s![..9, ..9]).roll(1, 0);
        assert_eq!(lazuli::explain(&[&small, &small.max(..)]).kernels(), 1);
    });
}
