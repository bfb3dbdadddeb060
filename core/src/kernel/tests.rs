//! Kernels of a few elements, by the interpreter that other tests trust, and what they read of their
//! own.

use super::builder::{Builder, affine, by_value};
use super::own::{Own, own};
use super::verify::verify;
use super::*;

/// Runs a kernel of `f64` and gives its first output.
fn run(kernel: &Kernel, inputs: &[&[f64]]) -> Vec<f64> {
    verify(kernel).unwrap_or_else(|why| panic!("{why}\n{kernel}"));
    let bytes: Vec<Vec<u8>> =
        inputs.iter().map(|input| input.iter().flat_map(|x| x.to_ne_bytes()).collect()).collect();
    let inputs: Vec<&[u8]> = bytes.iter().map(|bytes| &bytes[..]).collect();
    let mut outputs: Vec<Vec<u8>> =
        kernel.outputs.iter().map(|o| vec![0; o.len * o.dtype.size()]).collect();
    reference::run(kernel, &inputs, &mut outputs, &[]);
    let element = |at| reference::element(&outputs[0], DType::F64, at).get().expect("an f64");
    (0..kernel.outputs[0].len).map(element).collect()
}

#[test]
fn what_a_mask_hides_is_zero() {
    let mut b = Builder::new(&[(AxisKind::Parallel, 5)]);
    let input = b.input(DType::F64, 5);
    let inside = b.index(Inst::InRange { index: affine(&[(0, 1)], 0), low: 1, high: 4 });
    let before = b.masked(input, affine(&[(0, 1)], -1), Some(inside));
    let here = b.load(input, affine(&[(0, 1)], 0));
    let sum = b.op(Op::Add, &[before, here]);
    b.store(sum, affine(&[(0, 1)], 0), 5);
    assert_eq!(run(&b.kernel, &[&[1.0, 2.0, 4.0, 8.0, 16.0]]), [1.0, 3.0, 6.0, 12.0, 16.0]);
}

#[test]
fn rows_are_reduced_and_scanned() {
    let mut b = Builder::new(&[(AxisKind::Parallel, 2), (AxisKind::Reduce, 3)]);
    let input = b.input(DType::F64, 6);
    let x = b.load(input, affine(&[(0, 3), (1, 1)], 0));
    let sum = b.reduce(Reduction::Sum, &[x], &[1]);
    b.store(sum, affine(&[(0, 1)], 0), 2);
    assert_eq!(run(&b.kernel, &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]), [6.0, 15.0]);
    for (exclusive, wanted) in
        [(false, [1.0, 3.0, 6.0, 4.0, 9.0, 15.0]), (true, [0.0, 1.0, 3.0, 0.0, 4.0, 9.0])]
    {
        let mut b = Builder::new(&[(AxisKind::Parallel, 2), (AxisKind::Reduce, 3)]);
        let input = b.input(DType::F64, 6);
        let x = b.load(input, affine(&[(0, 3), (1, 1)], 0));
        let scan = b.scan(Reduction::Sum, x, exclusive);
        b.store(scan, affine(&[(0, 3), (1, 1)], 0), 6);
        assert_eq!(run(&b.kernel, &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]), wanted);
    }
}

/// A row, read one position on, around its end.
fn rolled(rows: usize, length: usize, by_rows: bool) -> Kernel {
    let mut b = Builder::new(&[(AxisKind::Parallel, rows), (AxisKind::Reduce, length)]);
    let input = b.input(DType::F64, rows * length);
    let (axis, by) = if by_rows { (0, rows) } else { (1, length) };
    let at = b.index(Inst::IndexMod { index: affine(&[(axis, 1)], 1), by: by as i64 });
    let mut index = by_value(at);
    index.terms[0].1 = if by_rows { length as i64 } else { 1 };
    index.add_term(Atom::Axis(1 - axis as u8), if by_rows { 1 } else { length as i64 });
    let next = b.load(input, index);
    let here = b.load(input, affine(&[(0, length as i64), (1, 1)], 0));
    let mean = b.reduce(Reduction::Sum, &[here], &[1]);
    let sum = b.op(Op::Add, &[next, mean]);
    b.store(sum, affine(&[(0, length as i64), (1, 1)], 0), rows * length);
    b.kernel
}

#[test]
fn a_position_that_reads_its_own_row_is_told_from_others() {
    let along = rolled(3, 4, false);
    let values: Vec<f64> = (0..12).map(f64::from).collect();
    let wanted: Vec<f64> =
        (0..12).map(|k| f64::from(k / 4 * 4 + (k + 1) % 4 + (k / 4) * 16 + 6)).collect();
    assert_eq!(run(&along, &[&values]), wanted);
    assert_eq!(own(&along, &[(0, 0)]), Some(Own::Row));
    assert_eq!(own(&along, &[]), Some(Own::Element));
    assert_eq!(own(&rolled(3, 4, true), &[(0, 0)]), None);
    // Where rows overlap, and where the output has more than its rows.
    let mut b = Builder::new(&[(AxisKind::Parallel, 3)]);
    let input = b.input(DType::F64, 3);
    let x = b.load(input, affine(&[(0, 1)], 0));
    let y = b.op(Op::Negative, &[x]);
    b.store(y, affine(&[(0, 1)], 0), 3);
    assert_eq!(own(&b.kernel, &[(0, 0)]), Some(Own::Element));
    let mut b = Builder::new(&[(AxisKind::Parallel, 3)]);
    let input = b.input(DType::F64, 3);
    let x = b.load(input, affine(&[(0, -1)], 2));
    b.store(x, affine(&[(0, 1)], 0), 3);
    assert_eq!(own(&b.kernel, &[(0, 0)]), None);
}
