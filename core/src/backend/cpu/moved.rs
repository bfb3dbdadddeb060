//! Halves that are only moved.
//!
//! Tiles hold halves as `f32`, for arithmetic. Where a kernel does none with them, it moves them as the
//! words that they are: nothing is converted, and a NaN keeps its bits.

use super::layout::is_choice;
use crate::dtype::DType;
use crate::kernel::{Inst, Kernel};

/// The kernel with words in place of halves, where they are loaded, chosen between and stored alone.
pub(super) fn words(mut kernel: Kernel) -> Kernel {
    let is_half = |dtype: DType| matches!(dtype, DType::F16 | DType::BF16);
    let is_moved = |inst: &Inst| match inst {
        Inst::Scalar(_) | Inst::Load { .. } => true,
        Inst::Op(op, _) => is_choice(*op),
        _ => false,
    };
    for value in &kernel.values {
        let mut halves = is_half(value.dtype);
        value.inst.for_each_arg(|v| halves |= is_half(kernel.value(v).dtype));
        if halves && !is_moved(&value.inst) {
            return kernel;
        }
    }
    let dtypes = kernel.values.iter_mut().map(|value| &mut value.dtype);
    let dtypes = dtypes.chain(kernel.inputs.iter_mut().map(|input| &mut input.dtype));
    let dtypes = dtypes.chain(kernel.outputs.iter_mut().map(|output| &mut output.dtype));
    for dtype in dtypes.chain(&mut kernel.scalars).filter(|dtype| is_half(**dtype)) {
        *dtype = DType::U16;
    }
    kernel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::AxisKind::Parallel;
    use crate::kernel::builder::{Builder, affine};
    use crate::table::Op;

    #[test]
    fn halves_are_words_where_nothing_is_computed() {
        for (op, words_of) in [(Op::Select, DType::U16), (Op::Add, DType::F16)] {
            let mut b = Builder::new(&[(Parallel, 100)]);
            let input = b.input(DType::F16, 100);
            let x = b.load(input, affine(&[(0, 1)], 0));
            let y = b.scalar(DType::F16);
            let z = match op {
                Op::Select => {
                    let inside = Inst::InRange { index: affine(&[(0, 1)], 0), low: 3, high: 9 };
                    let inside = b.index(inside);
                    b.op(op, &[inside, x, y])
                }
                _ => b.op(op, &[x, y]),
            };
            b.store(z, affine(&[(0, 1)], 0), 100);
            let kernel = words(b.kernel);
            assert_eq!(kernel.inputs[0].dtype, words_of);
            assert_eq!((kernel.outputs[0].dtype, kernel.scalars[0]), (words_of, words_of));
            assert!(kernel.values.iter().all(|v| v.dtype == words_of || v.dtype == DType::Bool));
        }
    }
}
