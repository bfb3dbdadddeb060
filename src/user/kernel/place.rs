//! Indices of a kernel's arrays, between the brackets of `a[…]`.

use super::stops::Fault;

/// A number that says where in an array: any integer type.
///
/// Sealed.
pub trait Coordinate: Copy + private::Sealed {
    /// The position; what is negative is out of range of every array.
    #[doc(hidden)]
    fn position(self) -> usize;
}

mod private {
    pub trait Sealed {}
}

macro_rules! coordinates {
    ($($t:ty),*) => {$(
        impl private::Sealed for $t {}
        impl Coordinate for $t {
            #[inline]
            fn position(self) -> usize {
                self as usize
            }
        }
    )*};
}
coordinates!(usize, u32, i32, u64, i64, isize, u16, i16, u8, i8);

/// A place in an array with `N` axes: an integer for one axis, a pair, a triple and so on for
/// several, or an array of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no place in an array with {N} axes",
    label = "not a place with {N} numbers",
    note = "one axis takes an integer, several take a tuple, `a[(i, j)]`, or an array, `a[[i, j]]`"
)]
pub trait Place<const N: usize>: Copy {
    /// The position along each axis.
    #[doc(hidden)]
    fn positions(self) -> [usize; N];
}

impl<I: Coordinate> Place<1> for I {
    #[inline]
    fn positions(self) -> [usize; 1] {
        [self.position()]
    }
}

impl<I: Coordinate, const N: usize> Place<N> for [I; N] {
    #[inline]
    fn positions(self) -> [usize; N] {
        self.map(I::position)
    }
}

impl Place<0> for () {
    #[inline]
    fn positions(self) -> [usize; 0] {
        []
    }
}

macro_rules! tuple_places {
    ($($n:literal: $($t:ident $k:tt),*;)*) => {$(
        impl<$($t: Coordinate),*> Place<$n> for ($($t,)*) {
            #[inline]
            fn positions(self) -> [usize; $n] {
                [$(self.$k.position()),*]
            }
        }
    )*};
}
tuple_places! {
    1: A 0;
    2: A 0, B 1;
    3: A 0, B 1, C 2;
    4: A 0, B 1, C 2, D 3;
    5: A 0, B 1, C 2, D 3, E 4;
    6: A 0, B 1, C 2, D 3, E 4, F 5;
}

/// The number of an element in C order.
#[inline]
pub(super) fn offset<const N: usize>(
    place: impl Place<N>,
    shape: &[usize; N],
    name: &'static str,
) -> usize {
    let positions = place.positions();
    let mut offset = 0;
    for k in 0..N {
        if positions[k] >= shape[k] {
            out_of_range(&positions, shape, name);
        }
        offset = offset * shape[k] + positions[k];
    }
    offset
}

#[cold]
#[inline(never)]
fn out_of_range(positions: &[usize], shape: &[usize], name: &'static str) -> ! {
    // What was negative reads better with its sign.
    let list: Vec<String> = positions.iter().map(|&p| (p as isize).to_string()).collect();
    let place = list.join(", ");
    Fault::raise(format!("{name}[({place})] is out of range of shape {shape:?}"))
}
