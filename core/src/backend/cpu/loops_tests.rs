//! Loops of every length, in place, with scalars, and with lanes that need the careful form.

use crate::dtype::DType;
use crate::table::Op;
use lazuli_inner_loops::level::Level;
use lazuli_inner_loops::operations::{Arg, op_fn};

fn vector<T>(x: &[T]) -> Arg {
    Arg::near(x.as_ptr().cast(), true)
}

fn scalar<T>(x: &T) -> Arg {
    Arg::near(std::ptr::from_ref(x).cast(), false)
}

/// Runs a loop on `f64` operands with a result of type `R`, for every instruction set.
fn run<R: Copy + PartialEq + std::fmt::Debug>(
    op: Op,
    args: [Arg; 3],
    n: usize,
    empty: R,
    want: &[R],
) {
    for level in Level::available() {
        let f = op_fn(op, DType::F64, level).expect("the operation takes f64");
        let mut out = vec![empty; n + 1];
        // SAFETY: the operands have n elements or one, the output more than n.
        unsafe { f(out.as_mut_ptr().cast(), &args, n) };
        assert_eq!(out[..n], *want, "{op:?} {level:?} {n}");
        assert_eq!(out[n], empty, "{op:?} {level:?} {n} wrote too much");
    }
}

#[test]
fn loops_of_any_length_write_what_they_should_and_no_more() {
    for n in 0..50 {
        let x: Vec<f64> = (0..n).map(|i| i as f64 - 7.5).collect();
        let y: Vec<f64> = (0..n).map(|i| (i * i) as f64).collect();
        let two = 2.0_f64;
        let sums: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        run(Op::Add, [vector(&x), vector(&y), vector(&x)], n, -1.0, &sums);
        let doubled: Vec<f64> = x.iter().map(|x| x * two).collect();
        run(Op::Multiply, [vector(&x), scalar(&two), vector(&x)], n, -1.0, &doubled);
        run(Op::Multiply, [scalar(&two), vector(&x), vector(&x)], n, -1.0, &doubled);
        let less: Vec<bool> = x.iter().map(|&x| x < two).collect();
        run(Op::Less, [vector(&x), scalar(&two), vector(&x)], n, true, &less);
    }
}

#[test]
fn rare_lanes_are_right_in_place_too() {
    for n in [1, 15, 16, 17, 40] {
        for rare in 0..n {
            let mut x: Vec<f64> = (0..n).map(|i| i as f64 * 0.25).collect();
            x[rare] = 1e22;
            for level in Level::available() {
                let f = op_fn(Op::Sin, DType::F64, level).expect("sin takes f64");
                let mut y = x.clone();
                let args = [vector(&y), vector(&y), vector(&y)];
                // SAFETY: the operand and the output are the same n elements.
                unsafe { f(y.as_mut_ptr().cast(), &args, n) };
                for (x, y) in x.iter().zip(&y) {
                    assert!((x.sin() - y).abs() < 1e-15, "{level:?} {n} {rare}: sin {x} = {y}");
                }
            }
        }
    }
}
