//! `DeviceArray<T>`: the handle that users hold, and everything that makes one from data or gives
//! data back. What computes is in [`crate::ops`].

mod any;
pub(crate) mod args;
mod convert;
mod creation;
mod display;
mod file_operation;
#[cfg(all(test, feature = "cuda"))]
mod fold_tests;
mod grids;
mod host;
pub(crate) mod limits;
mod memory;
mod nested;
#[cfg(feature = "npy")]
mod npy;
pub(crate) mod numbers;
pub(crate) mod operand;
pub(crate) mod over;
mod pinned;
mod ranges;
pub(crate) mod record;
mod scans;
mod spaced;
mod text;
mod transfer;

pub use any::{HostArray, TypedArray};
pub use args::{Axes, IntegerList, IntoShape, Keep, PadWidths, ReshapeTo, keep};
pub use grids::{Indexing, indices, meshgrid, meshgrid_open, try_meshgrid, try_meshgrid_open};
pub use nested::Arrays;
pub use nested::inner::Nested;
pub use nested::{Flat, Reader};
#[cfg(feature = "npy")]
pub use npy::{
    NpyElement, NpyHeader, NpzFile, NpzMember, npy_header, write_npz, write_npz_compressed,
};
#[cfg(feature = "npy")]
pub(crate) use npy::{Packing, write_members};
pub use operand::Operand;
pub use pinned::PinnedArray;
pub(crate) use transfer::upload_to;
pub use transfer::{eval, eval_all, to_device, warm_up};

use crate::backend::{Device, trace};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::graph::{Arg, Node};
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// An n-dimensional array on a device: a handle to a recorded expression or to its data.
///
/// Operations only record. [`eval`](Self::eval), [`copy_to_host`](Self::copy_to_host) and
/// [`item`](Self::item) compute, in as few kernels as the planner finds. A clone is another
/// handle to the same array; no operation changes an array that another handle sees.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let x = DeviceArray::<f64>::linspace(0.0, 1.0, 5);
/// let y = x.sin() + 2.0 * &x;
/// assert_eq!(y.shape(), [5]);
/// assert!(!y.is_evaluated());
/// ```
#[must_use = "operations only record; `eval` and `copy_to_host` compute"]
pub struct DeviceArray<T: Element> {
    node: Arc<Node>,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> DeviceArray<T> {
    /// The lengths of the axes. NumPy: `shape`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::<f32>::zeros([2, 3]).shape(), [2, 3]);
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.node.shape
    }

    /// The number of axes. NumPy: `ndim`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::<f32>::zeros([2, 3]).ndim(), 2);
    /// ```
    pub fn ndim(&self) -> usize {
        self.node.shape.len()
    }

    /// The number of elements. NumPy: `size`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::<f32>::zeros([2, 3]).len(), 6);
    /// ```
    #[doc(alias = "size")]
    pub fn len(&self) -> usize {
        self.node.len()
    }

    /// Whether there are no elements.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!(DeviceArray::<f32>::zeros([2, 0]).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element type as a value. NumPy: `dtype`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::<f32>::zeros([2, 3]).dtype(), DType::F32);
    /// ```
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The device that the array lives on. NumPy: `device`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = Device::cpu().scope(|| DeviceArray::<f32>::zeros([2, 3]));
    /// assert_eq!(a.device(), Device::cpu());
    /// ```
    pub fn device(&self) -> Device {
        self.node.device
    }

    /// Whether the data is there; else the array is an expression that waits for evaluation.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0, 2.0])?;
    /// let b = &a + 1.0;
    /// assert!(a.is_evaluated() && !b.is_evaluated());
    /// b.eval()?;
    /// assert!(b.is_evaluated());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_evaluated(&self) -> bool {
        self.node.is_evaluated()
    }

    /// A handle to a node, which must be of type `T`.
    #[track_caller]
    pub(crate) fn from_node(node: Arc<Node>) -> Self {
        debug_assert_eq!(node.dtype, T::DTYPE, "{node:?}");
        Node::add_handle(&node);
        DeviceArray { node, element: PhantomData }
    }

    /// The node.
    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.node
    }

    /// The node as an argument.
    pub(crate) fn arg(&self) -> Arg {
        Arg::Node(self.node.clone())
    }

    /// The node as an argument in place of this handle: nothing is counted up and down again.
    pub(crate) fn into_arg(self) -> Arg {
        self.node.remove_handle();
        let array = std::mem::ManuallyDrop::new(self);
        // SAFETY: the array is never used or dropped again, so its node is moved out of it once.
        Arg::Node(unsafe { std::ptr::read(&array.node) })
    }
}

impl<T: Element> Clone for DeviceArray<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self::from_node(self.node.clone())
    }
}

impl<T: Element> Drop for DeviceArray<T> {
    fn drop(&mut self) {
        self.node.remove_handle();
    }
}

pub(crate) mod sealed {
    use crate::graph::Node;
    use std::sync::Arc;

    /// The node behind an array, out of reach for users.
    pub struct NodeRef<'a>(pub(crate) &'a Arc<Node>);

    /// What every array has, whatever its element type.
    pub trait HasNode {
        fn any_node(&self) -> NodeRef<'_>;
    }
}

impl<T: Element> sealed::HasNode for DeviceArray<T> {
    fn any_node(&self) -> sealed::NodeRef<'_> {
        sealed::NodeRef(&self.node)
    }
}

/// An array of any element type, for functions that take arrays of several types together.
///
/// Sealed: every [`DeviceArray`] is one, and so is a [`TypedArray`], which a program can match on. A
/// `Box<dyn AnyArray>` can be cloned, and `dyn AnyArray` has the methods `cast`, `eval` and
/// `typed_as`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let all: Vec<Box<dyn AnyArray>> =
///     vec![Box::new(DeviceArray::<i32>::ones(2)), Box::new(DeviceArray::<f64>::zeros([2, 3]))];
/// assert_eq!(all[1].any_shape(), [2, 3]);
/// assert_eq!(all[0].any_dtype(), DType::I32);
/// assert_eq!(all.clone()[0].cast::<f64>().to_vec()?, [1.0, 1.0]);
/// # Ok::<(), Error>(())
/// ```
pub trait AnyArray: sealed::HasNode + Send + Sync {
    /// The lengths of the axes.
    fn any_shape(&self) -> &[usize];
    /// The element type.
    fn any_dtype(&self) -> DType;
    /// Another handle to the array, with its type to be matched on.
    #[track_caller]
    fn any_typed(&self) -> TypedArray;
    /// Computes the array and copies it to the host.
    ///
    /// # Errors
    /// As [`DeviceArray::copy_to_host`].
    fn any_to_host(&self) -> Result<HostArray>;
}

/// Panics with the error's message, which names the caller's line.
#[track_caller]
#[inline]
pub(crate) fn or_panic<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => fail(error.at(Location::caller())),
    }
}

#[cold]
#[track_caller]
fn fail(error: Error) -> ! {
    panic!("{error}")
}

/// Adds the caller's line to an error.
#[track_caller]
#[inline]
pub(crate) fn located<T>(result: Result<T>) -> Result<T> {
    match result {
        Ok(value) => Ok(value),
        Err(error) => Err(error.at(Location::caller())),
    }
}

/// Runs what records, so that it comes from the caller's line; see [`trace::at`].
#[track_caller]
#[inline]
pub(crate) fn recorded<R>(record: impl FnOnce() -> R) -> R {
    let _line = trace::at(Location::caller());
    record()
}

/// Adds the name of the operation that was asked for to an error of what it is made of.
#[inline]
pub(crate) fn named<T>(name: &'static str, result: Result<T>) -> Result<T> {
    result.map_err(|error| error.in_operation(name))
}

/// Defines methods in pairs: `name` panics where `try_name` returns an error. The documentation
/// of the pair is written once; what is the same for all of them is added here.
macro_rules! checked {
    ($(
        $(#[$meta:meta])*
        $(example $(#[$example:meta])*)?
        fn $name:ident | $try_name:ident $(<$($g:ident: $bound:path),*>)?
            (&$this:ident $(, $arg:ident : $ty:ty)* $(,)?) -> $out:ty
        $body:block
    )*) => {$(
        $(#[$meta])*
        ///
        /// **Laziness.** Records; nothing is computed.
        ///
        /// # Panics
        /// Where the arguments do not fit together; the message names the operation, the shapes
        /// and the caller's line.
        #[doc = concat!("[`Self::", stringify!($try_name), "`] returns an error in place of the panic.")]
        $(
            ///
            /// # Example
            $(#[$example])*
        )?
        #[track_caller]
        pub fn $name $(<$($g: $bound),*>)? (&$this $(, $arg: $ty)*) -> $out {
            $crate::array::or_panic($this.$try_name($($arg),*))
        }

        #[doc = concat!("[`Self::", stringify!($name), "`] for arguments that come from data.")]
        ///
        /// **Laziness.** Records; nothing is computed.
        ///
        /// # Errors
        /// [`Error::is_shape`](crate::Error::is_shape) where the arguments do not fit together,
        /// [`Error::is_device`](crate::Error::is_device) where they live on several devices.
        #[track_caller]
        pub fn $try_name $(<$($g: $bound),*>)? (
                &$this $(, $arg: $ty)*
            ) -> $crate::Result<$out> {
            let record = || -> $crate::Result<$out> { $body };
            let made = $crate::array::recorded(record);
            $crate::array::located($crate::array::named(stringify!($name), made))
        }
    )*};
}
pub(crate) use checked;

/// As [`checked`], for functions without `self`.
macro_rules! checked_fns {
    ($(
        $(#[$meta:meta])*
        $(example $(#[$example:meta])*)?
        fn $name:ident | $try_name:ident $(<$($g:ident: $bound:path),*>)? ($($arg:ident : $ty:ty),* $(,)?) -> $out:ty
        $body:block
    )*) => {$(
        $(#[$meta])*
        ///
        /// **Laziness.** Records; nothing is computed.
        ///
        /// # Panics
        /// Where the arguments do not fit together; the message names the operation, the shapes
        /// and the caller's line.
        #[doc = concat!("[`", stringify!($try_name), "`] returns an error in place of the panic.")]
        $(
            ///
            /// # Example
            $(#[$example])*
        )?
        #[track_caller]
        pub fn $name $(<$($g: $bound),*>)? ($($arg: $ty),*) -> $out {
            $crate::array::or_panic($try_name($($arg),*))
        }

        #[doc = concat!("[`", stringify!($name), "`] for arguments that come from data.")]
        ///
        /// **Laziness.** Records; nothing is computed.
        ///
        /// # Errors
        /// [`Error::is_shape`](crate::Error::is_shape) where the arguments do not fit together,
        /// [`Error::is_device`](crate::Error::is_device) where they live on several devices.
        #[track_caller]
        pub fn $try_name $(<$($g: $bound),*>)? ($($arg: $ty),*) -> $crate::Result<$out> {
            let record = || -> $crate::Result<$out> { $body };
            let made = $crate::array::recorded(record);
            $crate::array::located($crate::array::named(stringify!($name), made))
        }
    )*};
}
pub(crate) use checked_fns;

/// As [`checked`], for associated functions that make an array from nothing.
macro_rules! checked_new {
    ($(
        $(#[$meta:meta])*
        example $(#[$example:meta])*
        fn $name:ident | $try_name:ident ($($arg:ident : $ty:ty),* $(,)?) $body:block
    )*) => {$(
        $(#[$meta])*
        ///
        /// **Laziness.** Records; generated inside the kernels that use it, never uploaded.
        ///
        /// # Panics
        /// Where there is no such array or it would have too many elements, or the current device
        /// is not there;
        #[doc = concat!("[`", stringify!($try_name), "`](Self::", stringify!($try_name), ") returns an error.")]
        ///
        /// # Example
        $(#[$example])*
        #[track_caller]
        pub fn $name($($arg: $ty),*) -> Self {
            $crate::array::or_panic(Self::$try_name($($arg),*))
        }

        #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") for arguments that come from data.")]
        ///
        /// **Laziness.** Records; nothing is computed.
        ///
        /// # Errors
        /// [`Error::is_shape`](crate::Error::is_shape) where there is no such array or it would
        /// have too many elements, [`Error::is_device`](crate::Error::is_device) where the current
        /// device is not there.
        #[track_caller]
        pub fn $try_name($($arg: $ty),*) -> $crate::Result<Self> {
            let record = || -> $crate::Result<std::sync::Arc<$crate::graph::Node>> { $body };
            let made = $crate::array::named(stringify!($name), $crate::array::recorded(record));
            $crate::array::located(made).map(Self::from_node)
        }
    )*};
}
pub(crate) use checked_new;
