//! A C library around Lazuli that takes and gives DLPack tensors, for Python's ctypes.
//!
//! ```sh
//! cargo build --example dlpack
//! python3 examples/dlpack/exchange.py target/debug/examples/libdlpack.so
//! ```
//!
//! Every function returns 0, or -1 and leaves a message for [`lz_error`].

use lazuli::exchange::RawStream;
use lazuli::exchange::dlpack::{DLManagedTensor, DLManagedTensorVersioned, from_dlpack};
use lazuli::prelude::*;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_void};

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Why the last call in this thread failed.
#[unsafe(no_mangle)]
pub extern "C" fn lz_error() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// Says in C whether a call went well.
fn status(result: Result<()>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(error) => {
            let text = error.to_string().replace('\0', " ");
            MESSAGE.set(CString::new(text).unwrap_or_default());
            -1
        }
    }
}

/// A stream as Python's `__dlpack__` names it: 1 and 2 are the default streams, -1 is none.
fn stream(handle: i64) -> Option<RawStream> {
    // SAFETY: whoever calls from Python keeps the stream as long as its tensors.
    (handle >= 0).then(|| unsafe { RawStream::from_handle(handle as *mut c_void) })
}

/// Takes a tensor over, of the structure with a version or of the older one, and gives an array.
///
/// # Safety
/// As for `lazuli::exchange::dlpack::from_dlpack`; `array` is to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lz_import(
    tensor: *mut c_void,
    versioned: bool,
    handle: i64,
    array: *mut *mut TypedArray,
) -> c_int {
    // SAFETY: the caller vouches for the tensor.
    let taken = unsafe {
        match versioned {
            true => from_dlpack(tensor.cast::<DLManagedTensorVersioned>(), stream(handle)),
            false => from_dlpack(tensor.cast::<DLManagedTensor>(), stream(handle)),
        }
    };
    // SAFETY: the caller has a place for the array.
    status(taken.map(|taken| unsafe { *array = Box::into_raw(Box::new(taken)) }))
}

/// A fused expression of an array: `x·x + x`, or its negation where it is of truths.
///
/// # Safety
/// `array` is one that this library gave, and `result` is to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lz_compute(
    array: *const TypedArray,
    result: *mut *mut TypedArray,
) -> c_int {
    macro_rules! compute {
        ($($name:ident)*) => {
            // SAFETY: the caller has the array.
            match unsafe { &*array } {
                TypedArray::Bool(x) => (!x).into(),
                $(TypedArray::$name(x) => (x * x + x).into(),)*
                other => other.clone(),
            }
        };
    }
    let computed: TypedArray = compute!(I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64 C64 C128);
    // SAFETY: the caller has a place for the array.
    unsafe { *result = Box::into_raw(Box::new(computed)) };
    0
}

/// Gives a tensor of an array: read-only, or where `own`, the array's data itself, and the array is
/// gone.
///
/// # Safety
/// `array` is one that this library gave, not used again where `own`; `tensor` is to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lz_export(
    array: *mut TypedArray,
    own: bool,
    versioned: bool,
    handle: i64,
    tensor: *mut *mut c_void,
) -> c_int {
    macro_rules! export {
        ($($name:ident)*) => {
            // SAFETY: the caller has the array.
            match (own, unsafe { &*array }) {
                $(
                    (false, TypedArray::$name(x)) => x.to_dlpack(stream(handle)),
                    // SAFETY: the caller does not use the array again.
                    (true, TypedArray::$name(_)) => match *unsafe { Box::from_raw(array) } {
                        TypedArray::$name(x) => x.into_dlpack(stream(handle)),
                        _ => unreachable!("it was matched just now"),
                    },
                )*
                (_, other) => unreachable!("{:?} is no type of Lazuli's", other.any_dtype()),
            }
        };
    }
    let exported = export!(Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64 C64 C128);
    let raw = exported.map(|exported| match versioned {
        true => exported.into_raw().cast::<c_void>(),
        false => exported.into_raw_unversioned().cast(),
    });
    // SAFETY: the caller has a place for the tensor.
    status(raw.map(|raw| unsafe { *tensor = raw }))
}

/// Lets an array go.
///
/// # Safety
/// `array` is one that this library gave, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lz_free(array: *mut TypedArray) {
    // SAFETY: the array was boxed here.
    drop(unsafe { Box::from_raw(array) });
}

/// The bytes that evaluations in this thread have allocated.
#[unsafe(no_mangle)]
pub extern "C" fn lz_allocated() -> u64 {
    lazuli::counters().allocated
}

/// The stream on which Lazuli works on a GPU, as `__dlpack__` takes it; -1 where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn lz_stream(ordinal: usize) -> i64 {
    let stream = Device::cuda(ordinal).and_then(lazuli::Stream::raw_main);
    stream.ok().flatten().map_or(-1, |stream| stream.handle() as i64)
}
