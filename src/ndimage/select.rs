//! Ranks of many elements, bit by bit: how many elements of a window lie below a bound says which half
//! of the remaining values holds the one that is sought. A thread does so for each element, with no
//! memory for its window, by as many walks over it as the type has bits. Written as reductions, a
//! round each, the planner joined the rounds and stored windows.

use super::window::Around;
use crate::array::{DeviceArray, record, upload_to};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::gpu::*;
use crate::graph::Node;
use crate::shape::{Shape, contiguous_strides};
use crate::table::Op;
use lazuli_macros::{kernel, vectorize};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Whole numbers in the order of floating-point numbers, NaN last.
#[vectorize]
fn order_of_f32(x: f32) -> u32 {
    let bits = x.to_bits();
    if x.is_nan() {
        u32::MAX
    } else if bits >> 31 == 1 {
        bits ^ u32::MAX
    } else {
        bits | 0x8000_0000
    }
}

/// The number with a place in the order.
#[vectorize]
fn f32_of_order(key: u32) -> f32 {
    if key >> 31 == 1 { f32::from_bits(key ^ 0x8000_0000) } else { f32::from_bits(key ^ u32::MAX) }
}

#[vectorize]
fn order_of_f64(x: f64) -> u64 {
    let bits = x.to_bits();
    if x.is_nan() {
        u64::MAX
    } else if bits >> 63 == 1 {
        bits ^ u64::MAX
    } else {
        bits | 0x8000_0000_0000_0000
    }
}

#[vectorize]
fn f64_of_order(key: u64) -> f64 {
    if key >> 63 == 1 {
        f64::from_bits(key ^ 0x8000_0000_0000_0000)
    } else {
        f64::from_bits(key ^ u64::MAX)
    }
}

/// The unsigned type as wide as another, and its lowest value as a number of it.
fn unsigned(dtype: DType) -> (DType, u64) {
    match dtype {
        DType::I8 => (DType::U8, 1 << 7),
        DType::I16 => (DType::U16, 1 << 15),
        DType::I32 => (DType::U32, 1 << 31),
        DType::I64 => (DType::U64, 1 << 63),
        dtype => (dtype, 0),
    }
}

/// Unsigned numbers in the order of the elements.
fn keys(a: &Arc<Node>) -> Result<Arc<Node>> {
    Ok(match a.dtype {
        DType::Bool => record::cast(a, DType::U8),
        DType::F16 | DType::BF16 | DType::F32 => {
            let a = DeviceArray::<f32>::from_node(record::cast(a, DType::F32));
            order_of_f32::try_call(&a)?.node().clone()
        }
        DType::F64 => order_of_f64::try_call(DeviceArray::from_node(a.clone()))?.node().clone(),
        dtype => turned(a, dtype, unsigned(dtype).0)?,
    })
}

/// Signed numbers as unsigned ones in the same order, or back.
fn turned(a: &Arc<Node>, signed: DType, to: DType) -> Result<Arc<Node>> {
    let (kind, sign) = unsigned(signed);
    let bits = record::cast(a, kind);
    let bits = match sign {
        0 => bits,
        sign => record::binary(Op::BitwiseXor, &bits, whole(kind, sign))?,
    };
    Ok(record::cast(&bits, to))
}

/// A number of an unsigned type.
fn whole(dtype: DType, value: u64) -> Scalar {
    match dtype {
        DType::U8 => Scalar::new(value as u8),
        DType::U16 => Scalar::new(value as u16),
        DType::U32 => Scalar::new(value as u32),
        _ => Scalar::new(value),
    }
}

/// Kernels that find the element at a rank, for keys of each width.
macro_rules! selections {
    ($($name:ident $word:ident;)*) => {$(
        /// The element at a rank by its bits, from the highest to the lowest: a bit is set where no more
        /// elements than `wanted` lie below what is known with it set. `offsets` are the distances of a
        /// window's elements from its first one.
        #[kernel]
        fn $name(
            keys: Array<$word, 1>,
            lens: Array<i64, 1>,
            strides: Array<i64, 1>,
            offsets: Array<i64, 1>,
            wanted: usize,
            bits: usize,
            out: ArrayMut<$word, 1>,
        ) {
            let i = grid::<1>();
            if i < out.len() {
                let (mut rest, mut base, mut axis) = (i as i64, 0i64, lens.len());
                while axis > 0 {
                    axis -= 1;
                    base += rest % lens[axis] * strides[axis];
                    rest /= lens[axis];
                }
                let (mut found, mut bit) = (0 as $word, bits);
                while bit > 0 {
                    bit -= 1;
                    let bound = found | ((1 as $word) << bit);
                    let (mut below, mut k) = (0usize, 0usize);
                    while k < offsets.len() {
                        if keys[base + offsets[k]] < bound {
                            below += 1;
                        }
                        k += 1;
                    }
                    if below <= wanted {
                        found = bound;
                    }
                }
                out.set(i, found);
            }
        }
    )*};
}
selections! { select_u32 u32; select_u64 u64; }

/// The threads of a block.
const BLOCK: usize = 128;

/// The element at a rank of each window.
pub(super) fn bit_by_bit(
    name: &str,
    a: &Arc<Node>,
    around: &Around,
    wanted: usize,
) -> Result<Arc<Node>> {
    let (whole, reach) = around.whole(name, a)?;
    let keys = keys(&whole)?;
    let bits = if a.dtype == DType::Bool { 1 } else { 8 * keys.dtype.size() };
    let list = |values: &[i64]| upload_to(a.device, values, Shape::from_slice(&[values.len()]));
    let strides = contiguous_strides(&whole.shape);
    let lens: Vec<i64> = a.shape.iter().map(|&n| n as i64).collect();
    let offset = |offset: &SmallVec<[i64; 4]>| -> i64 {
        offset.iter().zip(&reach).zip(&strides).map(|((o, r), s)| (o + r) * s).sum()
    };
    let offsets: Vec<i64> = around.offsets().iter().map(offset).collect();
    let (lens, strides, offsets) = (list(&lens)?, list(&strides)?, list(&offsets)?);
    let blocks = a.len().div_ceil(BLOCK);
    let wide = keys.dtype.size() == 8;
    let kind = if wide { DType::U64 } else { DType::U32 };
    let flat = record::reshape(&record::cast(&keys, kind), smallvec![keys.len()]);
    let out = record::full(Scalar::from_f64(kind, 0.0), smallvec![a.len()], a.device);
    let found = if wide {
        let (flat, mut out) = (DeviceArray::from_node(flat), DeviceArray::from_node(out));
        let args = (&flat, &lens, &strides, &offsets, wanted, bits, &mut out);
        select_u64.launch(blocks, BLOCK, args)?;
        out.node().clone()
    } else {
        let (flat, mut out) = (DeviceArray::from_node(flat), DeviceArray::from_node(out));
        let args = (&flat, &lens, &strides, &offsets, wanted, bits, &mut out);
        select_u32.launch(blocks, BLOCK, args)?;
        out.node().clone()
    };
    let found = record::cast(&record::reshape(&found, a.shape.clone()), keys.dtype);
    elements(found, a.dtype)
}

/// The elements that have these keys.
fn elements(keys: Arc<Node>, dtype: DType) -> Result<Arc<Node>> {
    Ok(match dtype {
        DType::F16 | DType::BF16 | DType::F32 => {
            let value = f32_of_order::try_call(DeviceArray::<u32>::from_node(keys))?;
            record::cast(value.node(), dtype)
        }
        DType::F64 => f64_of_order::try_call(DeviceArray::<u64>::from_node(keys))?.node().clone(),
        DType::Bool => record::cast(&keys, DType::Bool),
        dtype => turned(&keys, dtype, dtype)?,
    })
}
