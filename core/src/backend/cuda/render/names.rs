//! What rendered kernels say of element types.

use crate::dtype::DType;
pub(super) use crate::function::cpp::{literal, type_name};

/// The 32-bit registers that one value takes.
pub(super) fn words(dtype: DType) -> usize {
    dtype.size().div_ceil(4)
}
