//! The structures of DLPack 1, as its C header lays them out.

use crate::dtype::DType;
use std::ffi::c_void;

/// The version of DLPack that a tensor was made for.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Another one means another layout of everything behind `flags`.
    pub major: u32,
    /// A higher one adds to what a lower one says.
    pub minor: u32,
}

/// Where a tensor's data lies.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    /// The kind of the device: 1 for the processor, 2 for CUDA, and others.
    pub device_type: i32,
    /// Which of them.
    pub device_id: i32,
}

impl DLDevice {
    /// The processor's memory.
    pub const CPU: i32 = 1;
    /// Memory of a CUDA device.
    pub const CUDA: i32 = 2;
    /// Pinned memory of the host.
    pub const CUDA_HOST: i32 = 3;
    /// Memory that CUDA moves between the host and devices.
    pub const CUDA_MANAGED: i32 = 13;
}

/// The type of a tensor's elements.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// The class of the type: 0 for signed integers, 1 for unsigned ones, 2 for floats, 4 for
    /// `bfloat16`, 5 for complex numbers, 6 for `bool`, and others.
    pub code: u8,
    /// The bits of a number.
    pub bits: u8,
    /// How many numbers make an element: 1 but for vectors.
    pub lanes: u16,
}

impl DLDataType {
    /// Signed integers.
    pub const INT: u8 = 0;
    /// Unsigned integers.
    pub const UINT: u8 = 1;
    /// IEEE floating-point numbers.
    pub const FLOAT: u8 = 2;
    /// Brain floats.
    pub const BFLOAT: u8 = 4;
    /// Complex numbers.
    pub const COMPLEX: u8 = 5;
    /// Truth values of one byte each.
    pub const BOOL: u8 = 6;

    /// The type that arrays have with these elements, if there is one.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::dlpack::DLDataType;
    /// let float = DLDataType { code: DLDataType::FLOAT, bits: 16, lanes: 1 };
    /// assert_eq!(float.dtype(), Some(DType::F16));
    /// assert_eq!(DLDataType { lanes: 4, ..float }.dtype(), None);
    /// ```
    pub fn dtype(self) -> Option<DType> {
        DType::ALL.into_iter().find(|&dtype| DLDataType::from(dtype) == self)
    }
}

impl From<DType> for DLDataType {
    fn from(dtype: DType) -> DLDataType {
        let code = match dtype {
            DType::Bool => Self::BOOL,
            DType::BF16 => Self::BFLOAT,
            dtype if dtype.is_complex() => Self::COMPLEX,
            dtype if dtype.is_float() => Self::FLOAT,
            dtype if dtype.is_signed_integer() => Self::INT,
            _ => Self::UINT,
        };
        DLDataType { code, bits: 8 * dtype.size() as u8, lanes: 1 }
    }
}

/// A tensor that somebody else owns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    /// The data, `byte_offset` before the first element.
    pub data: *mut c_void,
    /// Where it lies.
    pub device: DLDevice,
    /// The number of axes.
    pub ndim: i32,
    /// The type of the elements.
    pub dtype: DLDataType,
    /// The lengths of the axes.
    pub shape: *mut i64,
    /// The steps along the axes, in elements; null for C order.
    pub strides: *mut i64,
    /// The bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// A tensor with what gives it back, as DLPack was before it had versions.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// The producer's own.
    pub manager_ctx: *mut c_void,
    /// Gives the tensor back; null where nothing is to do.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A tensor with what gives it back, with its version and flags.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// The version of DLPack.
    pub version: DLPackVersion,
    /// The producer's own.
    pub manager_ctx: *mut c_void,
    /// Gives the tensor back; null where nothing is to do.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Facts about the tensor, a bit for each.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

impl DLManagedTensorVersioned {
    /// The version that Lazuli exports, and whose major number it imports.
    pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 1 };
    /// The flag of data that nobody may write.
    pub const READ_ONLY: u64 = 1 << 0;
    /// The flag of data that was copied for the consumer.
    pub const IS_COPIED: u64 = 1 << 1;
    /// The flag of types below one byte whose elements have a byte each.
    pub const SUBBYTE_PADDED: u64 = 1 << 2;
}
