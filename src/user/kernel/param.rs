//! The parameters of kernels, and the arguments that launches give for them.
//!
//! What a body sees has the lifetime of the launch: it is called for every `'k` with a `Block<'k>`
//! and what [`Param::Seen`] says, so that neither an `Array` nor a `Shared` can be kept in a
//! static, a channel or another thread, whatever its type says (`tests/ui/kernel_keeps_*`).

use super::arrays::{Array, ArrayMut};
use super::options::KernelInfo;
use crate::array::DeviceArray;
use crate::backend::{Buffer, Device};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::shape::Shape;
use smallvec::SmallVec;
use std::sync::Arc;

/// A type that a parameter of a [`kernel`](macro@crate::kernel) can have: [`Array`], [`ArrayMut`],
/// the element types, `usize` and `isize`.
///
/// Sealed.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot have a parameter of type `{Self}`",
    label = "not a type of kernel parameters",
    note = "a kernel takes numbers, `Array<T, N>` for what it reads, and `ArrayMut<T, N>` for what \
            it writes"
)]
pub trait Param: private::Sealed {
    /// What a launch gives: the value, `&DeviceArray<T>` or `&mut DeviceArray<T>`.
    type Arg<'a>;
    /// What the kernel's threads see: the value, or the array, for as long as the launch lasts.
    #[doc(hidden)]
    type Seen<'k>: Copy + Sync;
    /// Adds the nodes that must be evaluated before the launch.
    #[doc(hidden)]
    fn gather(arg: &Self::Arg<'_>, nodes: &mut private::Nodes);
    /// Takes hold of the argument's data.
    #[doc(hidden)]
    fn bind(arg: Self::Arg<'_>, bound: &mut Bound) -> Result<()>;
    /// What the kernel's threads get on the processor.
    ///
    /// # Safety
    /// `bound` is on the processor, the parameter of this number was bound by this type, and nobody
    /// but the threads of the kernel uses what it writes while `bound` is borrowed.
    #[doc(hidden)]
    unsafe fn get(bound: &Bound, number: usize) -> Self::Seen<'_>;
}

mod private {
    use crate::graph::Node;
    use smallvec::SmallVec;
    use std::sync::Arc;

    pub trait Sealed {}
    /// The nodes of a launch's arguments.
    pub struct Nodes(pub(in crate::user::kernel) SmallVec<[Arc<Node>; 8]>);
}
pub(super) use private::Nodes;

/// The arguments of a launch, evaluated.
#[doc(hidden)]
pub struct Bound {
    pub(super) info: &'static KernelInfo,
    pub(super) device: Option<Device>,
    pub(super) values: SmallVec<[Value; 8]>,
}

/// An argument.
pub(super) enum Value {
    Scalar(Scalar),
    Array { data: Arc<Buffer>, shape: Shape, dtype: DType, written: bool },
}

impl Bound {
    pub(super) fn new(info: &'static KernelInfo) -> Self {
        Bound { info, device: None, values: SmallVec::new() }
    }

    /// The name of the next parameter.
    fn name(&self) -> &'static str {
        self.info.params[self.values.len()]
    }

    /// Checks the rank and the device of an array.
    fn check(&mut self, shape: &[usize], device: Device, rank: usize) -> Result<()> {
        let (kernel, name) = (self.info.name, self.name());
        if shape.len() != rank {
            return Err(Error::shape(format!(
                "{kernel}: {name} has {rank} axes, and an array of shape {shape:?} was given"
            )));
        }
        match self.device {
            Some(other) if other != device => Err(Error::device(format!(
                "{kernel}: {name} is on {device}, and an array before it on {other}"
            ))),
            _ => {
                self.device = Some(device);
                Ok(())
            }
        }
    }

    /// The bytes of all arrays.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |value: &Value| match value {
            Value::Scalar(_) => 0,
            Value::Array { data, .. } => data.bytes(),
        };
        self.values.iter().map(bytes).sum()
    }

    /// The buffers that the kernel may write, or those that it only reads.
    pub(super) fn buffers(&self, are_written: bool) -> SmallVec<[&Buffer; 8]> {
        let buffer = |value| match value {
            &Value::Array { ref data, written, .. } if written == are_written => Some(&**data),
            _ => None,
        };
        self.values.iter().filter_map(buffer).collect()
    }

    fn scalar(&self, number: usize) -> Scalar {
        match &self.values[number] {
            Value::Scalar(scalar) => *scalar,
            Value::Array { .. } => unreachable!("the parameter is a number"),
        }
    }

    /// The address and shape of an array.
    fn array<const N: usize>(&self, number: usize) -> (u64, [usize; N], &'static str) {
        match &self.values[number] {
            Value::Array { data, shape, .. } => {
                (data.address(), std::array::from_fn(|k| shape[k]), self.info.params[number])
            }
            Value::Scalar(_) => unreachable!("the parameter is an array"),
        }
    }
}

impl<T: Element> private::Sealed for T {}
impl<T: Element> Param for T {
    type Arg<'a> = T;
    type Seen<'k> = T;
    fn gather(_: &T, _: &mut Nodes) {}
    fn bind(arg: T, bound: &mut Bound) -> Result<()> {
        bound.values.push(Value::Scalar(Scalar::new(arg)));
        Ok(())
    }
    unsafe fn get(bound: &Bound, number: usize) -> T {
        bound.scalar(number).get().expect("bound with this type")
    }
}

macro_rules! sizes {
    ($($t:ty as $fixed:ty),*) => {$(
        impl private::Sealed for $t {}
        impl Param for $t {
            type Arg<'a> = $t;
            type Seen<'k> = $t;
            fn gather(_: &$t, _: &mut Nodes) {}
            fn bind(arg: $t, bound: &mut Bound) -> Result<()> {
                bound.values.push(Value::Scalar(Scalar::new(arg as $fixed)));
                Ok(())
            }
            unsafe fn get(bound: &Bound, number: usize) -> $t {
                bound.scalar(number).get::<$fixed>().expect("bound with this type") as $t
            }
        }
    )*};
}
sizes!(usize as u64, isize as i64);

impl<T: Element, const N: usize> private::Sealed for Array<'_, T, N> {}
impl<T: Element, const N: usize> Param for Array<'_, T, N> {
    type Arg<'a> = &'a DeviceArray<T>;
    type Seen<'k> = Array<'k, T, N>;
    fn gather(arg: &&DeviceArray<T>, nodes: &mut Nodes) {
        nodes.0.push(arg.node().clone());
    }
    fn bind(arg: &DeviceArray<T>, bound: &mut Bound) -> Result<()> {
        bound.check(arg.shape(), arg.device(), N)?;
        let (data, shape) = (arg.data()?, arg.node().shape.clone());
        bound.values.push(Value::Array { data, shape, dtype: T::DTYPE, written: false });
        Ok(())
    }
    unsafe fn get(bound: &Bound, number: usize) -> Array<'_, T, N> {
        let (address, shape, name) = bound.array(number);
        // SAFETY: `bind` put a buffer there that has the elements that the shape says, and `bound`
        // holds it while the array lives; the caller vouches for the rest.
        unsafe { Array::new(address, shape, name) }
    }
}

impl<T: Element, const N: usize> private::Sealed for ArrayMut<'_, T, N> {}
impl<T: Element, const N: usize> Param for ArrayMut<'_, T, N> {
    type Arg<'a> = &'a mut DeviceArray<T>;
    type Seen<'k> = ArrayMut<'k, T, N>;
    fn gather(arg: &&mut DeviceArray<T>, nodes: &mut Nodes) {
        nodes.0.push(arg.node().clone());
    }
    fn bind(arg: &mut DeviceArray<T>, bound: &mut Bound) -> Result<()> {
        bound.check(arg.shape(), arg.device(), N)?;
        // Where anybody else sees the data, the array gets its own.
        let (data, shape) = (arg.data_mut()?, arg.node().shape.clone());
        bound.values.push(Value::Array { data, shape, dtype: T::DTYPE, written: true });
        Ok(())
    }
    unsafe fn get(bound: &Bound, number: usize) -> ArrayMut<'_, T, N> {
        let (address, shape, name) = bound.array(number);
        // SAFETY: as for `Array`.
        unsafe { ArrayMut::new(address, shape, name) }
    }
}

/// The parameters of a kernel together: a tuple.
#[doc(hidden)]
pub trait Params {
    /// The tuple of the arguments.
    type Args<'a>;
    /// The tuple of what the threads see.
    type Seen<'k>: Copy + Sync;
    /// As [`Param::gather`].
    fn gather(args: &Self::Args<'_>, nodes: &mut Nodes);
    /// As [`Param::bind`].
    fn bind(args: Self::Args<'_>, bound: &mut Bound) -> Result<()>;
    /// As [`Param::get`].
    ///
    /// # Safety
    /// As for [`Param::get`].
    unsafe fn get(bound: &Bound) -> Self::Seen<'_>;
}

macro_rules! tuples {
    ($($($name:ident $k:tt)*;)*) => {$(
        #[allow(unused_variables, reason = "a kernel may have no parameters")]
        impl<$($name: Param),*> Params for ($($name,)*) {
            type Args<'a> = ($($name::Arg<'a>,)*);
            type Seen<'k> = ($($name::Seen<'k>,)*);
            fn gather(args: &Self::Args<'_>, nodes: &mut Nodes) {
                $($name::gather(&args.$k, nodes);)*
            }
            fn bind(args: Self::Args<'_>, bound: &mut Bound) -> Result<()> {
                $($name::bind(args.$k, bound)?;)*
                Ok(())
            }
            #[allow(clippy::unused_unit, unused_unsafe)]
            unsafe fn get(bound: &Bound) -> Self::Seen<'_> {
                // SAFETY: as the caller says.
                unsafe { ($($name::get(bound, $k),)*) }
            }
        }
    )*};
}
tuples! {
    ;
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 O 13;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 O 13 Q 14;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 O 13 Q 14 R 15;
}
