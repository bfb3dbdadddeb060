//! Stand-ins for the arrays of a gufunc while its loops are recorded: their lengths, under the
//! names that ndarray gives them.

use std::marker::PhantomData;

/// An array with `N` core axes in recorded loops.
pub struct CoreArray<T, const N: usize> {
    pub(super) number: usize,
    shape: [usize; N],
    of: PhantomData<T>,
}

impl<T, const N: usize> Clone for CoreArray<T, N> {
    #[track_caller]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for CoreArray<T, N> {}

impl<T, const N: usize> CoreArray<T, N> {
    #[track_caller]
    pub(super) fn new(number: usize, shape: [usize; N]) -> Self {
        CoreArray { number, shape, of: PhantomData }
    }

    /// The lengths of the core axes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of core axes.
    pub fn ndim(&self) -> usize {
        N
    }

    /// The length of an axis.
    pub fn len_of(&self, axis: ndarray::Axis) -> usize {
        self.shape[axis.0]
    }
}

impl<T> CoreArray<T, 2> {
    /// The length of the first axis.
    pub fn nrows(&self) -> usize {
        self.shape[0]
    }

    /// The length of the second axis.
    pub fn ncols(&self) -> usize {
        self.shape[1]
    }
}

impl<T> CoreArray<T, 1> {
    /// The length.
    pub fn dim(&self) -> usize {
        self.shape[0]
    }
}

macro_rules! dims {
    ($($n:literal $($k:literal)*: $($size:ident)*;)*) => {$(
        impl<T> CoreArray<T, $n> {
            /// The lengths, as a tuple.
            pub fn dim(&self) -> ($($size,)*) {
                ($(self.shape[$k],)*)
            }
        }
    )*};
}
dims! {
    2 0 1: usize usize;
    3 0 1 2: usize usize usize;
    4 0 1 2 3: usize usize usize usize;
    5 0 1 2 3 4: usize usize usize usize usize;
    6 0 1 2 3 4 5: usize usize usize usize usize usize;
}
