//! DLPack: tensors that pass between libraries in one process, without a copy.
//!
//! A producer fills in a structure and hands out its address; a consumer reads the data and calls
//! the structure's deleter once. [`DeviceArray::to_dlpack`](crate::DeviceArray::to_dlpack) and
//! [`into_dlpack`](crate::DeviceArray::into_dlpack) produce such tensors, [`from_dlpack`] consumes
//! them. In Python the address travels in a capsule named `dltensor_versioned`, or `dltensor` for
//! the older structure, which `__dlpack__` gives and `from_dlpack` takes.

mod abi;
mod export;
mod import;

pub use abi::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
};
pub use export::DlpackTensor;
pub use import::{ManagedTensor, from_dlpack};
