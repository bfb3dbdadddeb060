//! A library that hands out DLPack tensors and counts what comes back.

use lazuli::exchange::RawStream;
use lazuli::exchange::dlpack::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
    from_dlpack,
};
use lazuli::prelude::*;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

/// Element types with values that tests can tell apart.
pub trait Sample: Element {
    /// A value for each number, NaN, infinities and both zeros among the floats.
    fn sample(k: usize) -> Self;
    /// The bytes.
    fn bits(self) -> Vec<u8> {
        lazuli::dtype::Scalar::new(self).bytes().to_vec()
    }
}

/// A float for each number, the odd ones first.
fn float(k: usize) -> f64 {
    const ODD: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0];
    ODD.get(k).copied().unwrap_or(k as f64 * 0.25 - 3.0)
}

macro_rules! samples {
    ($($t:ty: $k:ident => $value:expr;)*) => {$(
        impl Sample for $t { fn sample($k: usize) -> Self { $value } }
    )*};
}
samples! {
    bool: k => k % 3 == 1;
    i8: k => (k as i8).wrapping_mul(37);
    i16: k => (k as i16).wrapping_mul(7001);
    i32: k => (k as i32).wrapping_mul(0x1234_5679);
    i64: k => (k as i64).wrapping_mul(0x1234_5678_9abc_def1);
    u8: k => (k as u8).wrapping_mul(37);
    u16: k => (k as u16).wrapping_mul(7001);
    u32: k => (k as u32).wrapping_mul(0x9234_5679);
    u64: k => (k as u64).wrapping_mul(0x9234_5678_9abc_def1);
    f16: k => f16::from_f64(float(k));
    bf16: k => bf16::from_f64(float(k));
    f32: k => float(k) as f32;
    f64: k => float(k);
    Complex<f32>: k => Complex::new(float(k) as f32, k as f32);
    Complex<f64>: k => Complex::new(k as f64, float(k));
}

/// Runs an expression for every element type.
macro_rules! for_every_type {
    ($T:ident => $body:expr) => {{
        macro_rules! one {
            ($t:ty) => {{
                type $T = $t;
                $body
            }};
        }
        one!(bool);
        one!(i8);
        one!(i16);
        one!(i32);
        one!(i64);
        one!(u8);
        one!(u16);
        one!(u32);
        one!(u64);
        one!(f16);
        one!(bf16);
        one!(f32);
        one!(f64);
        one!(Complex<f32>);
        one!(Complex<f64>);
    }};
}
pub(super) use for_every_type;

/// The threads on which tensors came back.
#[derive(Clone, Default)]
pub struct Returned(Arc<Mutex<Vec<ThreadId>>>);

impl Returned {
    pub fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    pub fn threads(&self) -> Vec<ThreadId> {
        self.0.lock().unwrap().clone()
    }

    fn note(&self) {
        self.0.lock().unwrap().push(thread::current().id());
    }
}

/// An owner that notes when it goes.
pub struct Noted(pub Returned);

impl Drop for Noted {
    fn drop(&mut self) {
        self.0.note();
    }
}

/// Where the elements of a tensor lie among a producer's values.
#[derive(Clone, Debug)]
pub struct Layout {
    pub name: &'static str,
    pub shape: Vec<i64>,
    /// None for a null pointer.
    pub strides: Option<Vec<i64>>,
    /// The first element's number.
    pub first: usize,
    /// Whether that is said by the byte offset, not by the pointer.
    pub by_offset: bool,
}

impl Layout {
    /// The numbers of the elements in C order, by plain loops.
    pub fn elements(&self) -> Vec<usize> {
        let mut own = vec![1; self.shape.len()];
        for k in (1..own.len()).rev() {
            own[k - 1] = own[k] * self.shape[k];
        }
        let strides = self.strides.as_ref().unwrap_or(&own);
        let mut elements = vec![self.first as i64];
        for (&len, &stride) in self.shape.iter().zip(strides) {
            let step = |&at: &i64| (0..len).map(move |k| at + k * stride);
            elements = elements.iter().flat_map(step).collect();
        }
        elements.into_iter().map(|at| at as usize).collect()
    }

    pub fn lengths(&self) -> Vec<usize> {
        self.shape.iter().map(|&n| n as usize).collect()
    }

    /// As many values as the elements reach.
    pub fn values<T: Sample>(&self) -> Vec<T> {
        let most = self.elements().into_iter().max().unwrap_or(0);
        (0..=most).map(T::sample).collect()
    }
}

/// Layouts of all kinds.
pub fn layouts() -> Vec<Layout> {
    let layout = |name, shape: &[i64], strides: Option<&[i64]>, first, by_offset| Layout {
        name,
        shape: shape.to_vec(),
        strides: strides.map(<[i64]>::to_vec),
        first,
        by_offset,
    };
    vec![
        layout("C order without strides", &[3, 4], None, 0, false),
        layout("C order", &[3, 4], Some(&[4, 1]), 0, false),
        layout("C order behind an offset", &[3, 4], Some(&[4, 1]), 5, true),
        layout("C order without strides behind an offset", &[7], None, 3, true),
        layout("C order from an odd element on", &[3, 4], None, 1, false),
        layout("Fortran order", &[3, 4], Some(&[1, 3]), 0, false),
        layout("axes in another order", &[2, 3, 4], Some(&[4, 8, 1]), 0, false),
        layout("rows with gaps", &[3, 4], Some(&[7, 1]), 2, false),
        layout("columns with gaps", &[3, 4], Some(&[1, 5]), 4, true),
        layout("every third element", &[5], Some(&[3]), 1, true),
        layout("one row for all", &[3, 4], Some(&[0, 1]), 2, false),
        layout("one element for all", &[2, 3], Some(&[0, 0]), 2, false),
        layout("overlapping windows", &[5, 3], Some(&[1, 1]), 0, false),
        layout("a diagonal", &[4], Some(&[5]), 0, false),
        layout("no axes", &[], None, 0, false),
        layout("no axes behind an offset", &[], Some(&[]), 6, true),
        layout("no elements", &[2, 0, 3], None, 0, false),
        layout("no elements with strides", &[0, 3], Some(&[-9, 77]), 0, false),
        layout("axes of one element with any strides", &[1, 3, 1], Some(&[-5, 1, 99]), 0, false),
        layout("six axes", &[2, 1, 3, 2, 1, 2], Some(&[1, 0, 9, 3, 5, 40]), 1, false),
    ]
}

/// Which of the two structures, and what is written into it besides the tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Structure {
    Unversioned,
    Versioned { major: u32, flags: u64 },
}

/// Both structures, and the second with read-only data and a later minor version.
pub const STRUCTURES: [Structure; 3] = [
    Structure::Unversioned,
    Structure::Versioned { major: 1, flags: 0 },
    Structure::Versioned { major: 1, flags: DLManagedTensorVersioned::READ_ONLY },
];

/// Everything behind a tensor.
struct Produced<T> {
    unversioned: DLManagedTensor,
    versioned: DLManagedTensorVersioned,
    _values: Vec<T>,
    _numbers: (Vec<i64>, Vec<i64>),
    returned: Returned,
}

unsafe extern "C" fn delete<T: Sample, M>(tensor: *mut M)
where
    M: HasContext,
{
    // SAFETY: the context is the box that was made below, and tests give tensors back once.
    let produced = unsafe { Box::from_raw(M::context(tensor).cast::<Produced<T>>()) };
    produced.returned.note();
}

pub trait HasContext {
    unsafe fn context(this: *mut Self) -> *mut c_void;
}
impl HasContext for DLManagedTensor {
    unsafe fn context(this: *mut Self) -> *mut c_void {
        // SAFETY: the caller has a tensor.
        unsafe { (*this).manager_ctx }
    }
}
impl HasContext for DLManagedTensorVersioned {
    unsafe fn context(this: *mut Self) -> *mut c_void {
        // SAFETY: the caller has a tensor.
        unsafe { (*this).manager_ctx }
    }
}

/// Produces a tensor, changes it, and has Lazuli take it.
pub fn exchange<T: Sample>(
    values: Vec<T>,
    layout: &Layout,
    structure: Structure,
    returned: &Returned,
    change: impl FnOnce(&mut DLTensor),
) -> Result<TypedArray> {
    let size = size_of::<T>();
    let (by_offset, by_pointer) =
        if layout.by_offset { (layout.first, 0) } else { (0, layout.first) };
    let mut produced = Box::new(Produced {
        unversioned: DLManagedTensor {
            dl_tensor: DLTensor {
                data: values.as_ptr().wrapping_add(by_pointer).cast_mut().cast(),
                device: DLDevice { device_type: DLDevice::CPU, device_id: 0 },
                ndim: layout.shape.len() as i32,
                dtype: DLDataType::from(T::DTYPE),
                shape: std::ptr::null_mut(),
                strides: std::ptr::null_mut(),
                byte_offset: (by_offset * size) as u64,
            },
            manager_ctx: std::ptr::null_mut(),
            deleter: Some(delete::<T, DLManagedTensor>),
        },
        versioned: DLManagedTensorVersioned {
            version: DLPackVersion { major: 1, minor: 7 },
            manager_ctx: std::ptr::null_mut(),
            deleter: Some(delete::<T, DLManagedTensorVersioned>),
            flags: 0,
            dl_tensor: DLTensor {
                data: std::ptr::null_mut(),
                device: DLDevice { device_type: 0, device_id: 0 },
                ndim: 0,
                dtype: DLDataType::from(T::DTYPE),
                shape: std::ptr::null_mut(),
                strides: std::ptr::null_mut(),
                byte_offset: 0,
            },
        },
        _values: values,
        _numbers: (layout.shape.clone(), layout.strides.clone().unwrap_or_default()),
        returned: returned.clone(),
    });
    let (shape, strides) = &mut produced._numbers;
    produced.unversioned.dl_tensor.shape = shape.as_mut_ptr();
    if layout.strides.is_some() {
        produced.unversioned.dl_tensor.strides = strides.as_mut_ptr();
    }
    change(&mut produced.unversioned.dl_tensor);
    produced.versioned.dl_tensor = produced.unversioned.dl_tensor;
    let produced = Box::into_raw(produced);
    // SAFETY: the box lives until its deleter is called; its tensor is what tests make of it.
    unsafe {
        (*produced).unversioned.manager_ctx = produced.cast();
        (*produced).versioned.manager_ctx = produced.cast();
        match structure {
            Structure::Unversioned => from_dlpack(&raw mut (*produced).unversioned, None),
            Structure::Versioned { major, flags } => {
                (*produced).versioned.version.major = major;
                (*produced).versioned.flags = flags;
                let stream = None::<RawStream>;
                from_dlpack(&raw mut (*produced).versioned, stream)
            }
        }
    }
}
