//! Arrays of the host as arguments of kernels: copied to the device before, and back behind.

use super::arrays::{Array, ArrayMut};
use super::param::{Param, Params};
use crate::array::{DeviceArray, located};
use crate::dtype::Element;
use crate::error::Result;
use crate::shape::Shape;
use ndarray::{ArrayBase, ArrayView1, ArrayViewMut1, Data, DataMut, Dimension};

/// An array of the host that a kernel reads: it is copied to the device before the kernel runs.
///
/// For [`launch_with`](macro@crate::kernel#arrays-of-the-host). PyCUDA: `drv.In`.
///
/// # Example
/// ```
/// use lazuli::gpu::*;
/// use lazuli::prelude::*;
///
/// #[kernel]
/// fn multiply_them(dest: ArrayMut<f32, 1>, a: Array<f32, 1>, b: Array<f32, 1>) {
///     let i = thread_idx().x;
///     dest[i] = a[i] * b[i];
/// }
///
/// let (a, b) = (vec![2.0f32; 400], ndarray::Array1::from_elem(400, 1.5));
/// let mut dest = vec![0.0f32; 400];
/// multiply_them.launch_with(1, 400, (Out(&mut dest), In(&a), In(&b)))?;
/// assert_eq!(dest, [3.0; 400]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct In<'a, A: ?Sized>(pub &'a A);

/// An array of the host that a kernel writes: it is copied from the device once the kernel is done.
///
/// The kernel finds memory whose values are whatever is there; elements that it does not write are
/// such on the host, too. Where the launch fails, the host's array stays as it was.
///
/// For [`launch_with`](macro@crate::kernel#arrays-of-the-host). PyCUDA: `drv.Out`.
///
/// # Example
/// ```
/// use lazuli::gpu::*;
/// use lazuli::prelude::*;
///
/// #[kernel]
/// fn places(out: ArrayMut<i64, 2>) {
///     let (i, j) = grid::<2>();
///     out[(i, j)] = (10 * i + j) as i64;
/// }
///
/// let mut out = ndarray::Array2::zeros((2, 3));
/// places.launch_with(1, (2, 3), (Out(&mut out),))?;
/// assert_eq!(out, ndarray::arr2(&[[0, 1, 2], [10, 11, 12]]));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Out<'a, A: ?Sized>(pub &'a mut A);

/// An array of the host that a kernel reads and writes: it is copied to the device before the kernel
/// runs, and back once it is done.
///
/// For [`launch_with`](macro@crate::kernel#arrays-of-the-host). PyCUDA: `drv.InOut`.
///
/// # Example
/// ```
/// use lazuli::gpu::*;
/// use lazuli::prelude::*;
///
/// #[kernel]
/// fn double(x: ArrayMut<i32, 1>) {
///     x[thread_idx().x] *= 2;
/// }
///
/// let mut x = [1, 2, 3];
/// double.launch_with(1, 3, (InOut(&mut x),))?;
/// assert_eq!(x, [2, 4, 6]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct InOut<'a, A: ?Sized>(pub &'a mut A);

mod private {
    pub trait Sealed {}
}

/// What [`In`] copies: arrays and views of ndarray, slices, vectors.
///
/// Sealed.
pub trait HostSource: private::Sealed {
    /// The type of the elements.
    type Element: Element;
    /// A copy on the current device.
    #[doc(hidden)]
    fn upload(&self) -> Result<DeviceArray<Self::Element>>;
}

/// What [`Out`] and [`InOut`] write: arrays and mutable views of ndarray, slices, vectors.
///
/// Sealed.
pub trait HostTarget: HostSource {
    /// The lengths of the axes.
    #[doc(hidden)]
    fn lengths(&self) -> Shape;
    /// Memory on the current device for what is to be written.
    #[doc(hidden)]
    fn room(&self) -> Result<DeviceArray<Self::Element>>;
    /// Copies what was written.
    #[doc(hidden)]
    fn fetch(&mut self, from: &DeviceArray<Self::Element>) -> Result<()>;
}

impl<T: Element, S: Data<Elem = T>, D: Dimension> private::Sealed for ArrayBase<S, D> {}
impl<T: Element, S: Data<Elem = T>, D: Dimension> HostSource for ArrayBase<S, D> {
    type Element = T;

    fn upload(&self) -> Result<DeviceArray<T>> {
        DeviceArray::from_ndarray(self)
    }
}

impl<T: Element, S: DataMut<Elem = T>, D: Dimension> HostTarget for ArrayBase<S, D> {
    fn lengths(&self) -> Shape {
        Shape::from_slice(self.shape())
    }

    fn room(&self) -> Result<DeviceArray<T>> {
        DeviceArray::try_empty(self.shape())
    }

    fn fetch(&mut self, from: &DeviceArray<T>) -> Result<()> {
        from.copy_into(self)
    }
}

macro_rules! lines {
    ($($t:ty $(, $n:ident)?;)*) => {$(
        impl<T: Element $(, const $n: usize)?> private::Sealed for $t {}
        impl<T: Element $(, const $n: usize)?> HostSource for $t {
            type Element = T;

            fn upload(&self) -> Result<DeviceArray<T>> {
                ArrayView1::from(&self[..]).upload()
            }
        }
        impl<T: Element $(, const $n: usize)?> HostTarget for $t {
            fn lengths(&self) -> Shape {
                Shape::from_slice(&[self.len()])
            }

            fn room(&self) -> Result<DeviceArray<T>> {
                DeviceArray::try_empty(self.len())
            }

            fn fetch(&mut self, from: &DeviceArray<T>) -> Result<()> {
                ArrayViewMut1::from(&mut self[..]).fetch(from)
            }
        }
    )*};
}
lines! {
    [T];
    Vec<T>;
    [T; N], N;
}

/// What a launch takes for a parameter of type `P`: what [`Param::Arg`] says, and [`In`], [`Out`],
/// [`InOut`] for arrays.
///
/// Sealed by what it is implemented for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no argument for a parameter of type `{P}`",
    label = "a kernel reads `&DeviceArray` and `In`, and writes `&mut DeviceArray`, `Out`, `InOut`"
)]
pub trait Argument<P: Param> {
    /// What is held until the kernel is done.
    #[doc(hidden)]
    type Held;
    /// Copies what the kernel reads to the device.
    #[doc(hidden)]
    fn hold(self) -> Result<Self::Held>;
    /// What the launch takes.
    #[doc(hidden)]
    fn given(held: &mut Self::Held) -> P::Arg<'_>;
    /// Copies what the kernel wrote to the host.
    #[doc(hidden)]
    fn finish(held: Self::Held) -> Result<()>;
}

macro_rules! numbers {
    ($([$($g:tt)*] $t:ty;)*) => {$(
        impl<$($g)*> Argument<$t> for $t {
            type Held = $t;

            fn hold(self) -> Result<$t> {
                Ok(self)
            }

            fn given(held: &mut $t) -> $t {
                *held
            }

            fn finish(_: $t) -> Result<()> {
                Ok(())
            }
        }
    )*};
}
numbers! {
    [T: Element] T;
    [] usize;
    [] isize;
}

impl<'d, T: Element, const N: usize> Argument<Array<'_, T, N>> for &'d DeviceArray<T> {
    type Held = &'d DeviceArray<T>;

    fn hold(self) -> Result<Self::Held> {
        Ok(self)
    }

    fn given<'h>(held: &'h mut &'d DeviceArray<T>) -> &'h DeviceArray<T> {
        held
    }

    fn finish(_: Self::Held) -> Result<()> {
        Ok(())
    }
}

impl<'d, T: Element, const N: usize> Argument<ArrayMut<'_, T, N>> for &'d mut DeviceArray<T> {
    type Held = &'d mut DeviceArray<T>;

    fn hold(self) -> Result<Self::Held> {
        Ok(self)
    }

    fn given<'h>(held: &'h mut &'d mut DeviceArray<T>) -> &'h mut DeviceArray<T> {
        held
    }

    fn finish(_: Self::Held) -> Result<()> {
        Ok(())
    }
}

impl<T: Element, const N: usize, A> Argument<Array<'_, T, N>> for In<'_, A>
where
    A: HostSource<Element = T> + ?Sized,
{
    type Held = DeviceArray<T>;

    fn hold(self) -> Result<DeviceArray<T>> {
        self.0.upload()
    }

    fn given(held: &mut DeviceArray<T>) -> &DeviceArray<T> {
        held
    }

    fn finish(_: DeviceArray<T>) -> Result<()> {
        Ok(())
    }
}

macro_rules! targets {
    ($($name:ident by $make:ident;)*) => {$(
        impl<'a, T: Element, const N: usize, A> Argument<ArrayMut<'_, T, N>> for $name<'a, A>
        where
            A: HostTarget<Element = T> + ?Sized,
        {
            type Held = (DeviceArray<T>, &'a mut A);

            fn hold(self) -> Result<Self::Held> {
                Ok((self.0.$make()?, self.0))
            }

            fn given(held: &mut Self::Held) -> &mut DeviceArray<T> {
                &mut held.0
            }

            fn finish((array, host): Self::Held) -> Result<()> {
                host.fetch(&array)
            }
        }
    )*};
}
targets! {
    Out by room;
    InOut by upload;
}

/// A tuple of [`Argument`]s for a tuple of parameters.
#[doc(hidden)]
pub trait Arguments<P: Params> {
    /// As [`Argument::Held`].
    type Held;
    /// As [`Argument::hold`].
    fn hold(self) -> Result<Self::Held>;
    /// As [`Argument::given`].
    fn given(held: &mut Self::Held) -> P::Args<'_>;
    /// As [`Argument::finish`].
    fn finish(held: Self::Held) -> Result<()>;
}

macro_rules! tuples {
    ($($($name:ident $given:ident $k:tt)*;)*) => {$(
        #[allow(unused_variables, clippy::unused_unit, reason = "a kernel may have no parameters")]
        impl<$($name: Param, $given: Argument<$name>),*> Arguments<($($name,)*)> for ($($given,)*) {
            type Held = ($($given::Held,)*);

            fn hold(self) -> Result<Self::Held> {
                Ok(($(self.$k.hold()?,)*))
            }

            fn given(held: &mut Self::Held) -> <($($name,)*) as Params>::Args<'_> {
                ($($given::given(&mut held.$k),)*)
            }

            fn finish(held: Self::Held) -> Result<()> {
                $($given::finish(held.$k)?;)*
                Ok(())
            }
        }
    )*};
}
tuples! {
    ;
    A A1 0;
    A A1 0 B B1 1;
    A A1 0 B B1 1 C C1 2;
    A A1 0 B B1 1 C C1 2 D D1 3;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9 K K1 10;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9 K K1 10 L L1 11;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9 K K1 10 L L1 11 M M1 12;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9 K K1 10 L L1 11 M M1 12
        O O1 13;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9 K K1 10 L L1 11 M M1 12
        O O1 13 Q Q1 14;
    A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9 K K1 10 L L1 11 M M1 12
        O O1 13 Q Q1 14 R R1 15;
}

/// Launches with arrays of the host: what `kernel.launch_with(grid, block, (…))` expands to.
#[doc(hidden)]
#[track_caller]
pub fn with_hosts<P: Params, A: Arguments<P>>(
    args: A,
    launch: impl FnOnce(P::Args<'_>) -> Result<()>,
) -> Result<()> {
    let run = || {
        let mut held = args.hold()?;
        launch(A::given(&mut held))?;
        A::finish(held)
    };
    located(run())
}
