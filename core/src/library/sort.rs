//! Sorting, selecting and scattering, described without any buffer.
//!
//! This is all that sorting needs of a device. Everything else in `ops/sorting/` composes from
//! these calls and from recorded operations, so that a quantile is a sort and one small kernel.
//!
//! - Elements are sorted as keys, unsigned integers whose order is the order asked for.
//!   [`Encoding`] holds the numbers that make a key and undo it, the same for both devices and all
//!   types of a width: NaN last in either direction, and, where positions come out, -0 equal to +0.
//!   Complex numbers are sorted by several keys.
//! - A scatter is the same on every run: the last value stays because values claim their places by
//!   number; sums of floats are made by sorting the values by place and combining runs of fixed
//!   length. Only what says `unordered` adds in any order.
//! - An index out of range is found where it is used and never followed; the evaluation fails, and
//!   names it. `take` checks by a call of its own ([`Check`]), which is left out where what
//!   computed the positions cannot err.

use super::Outputs;
use crate::dtype::DType;
use crate::error::Error;
use smallvec::smallvec;

/// One call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sorting {
    /// Rows in order, or the positions that put them in order.
    Sort(Sort),
    /// The positions of the first few elements of the order.
    Top(Top),
    /// The positions at which a mask is true.
    Nonzero(Nonzero),
    /// How many elements of a mask are true up to each of them.
    Ranks(Ranks),
    /// Values written to, or combined with, the places that indices name.
    Scatter(Scatter),
    /// Indices that are known to lie within an axis.
    Check(Check),
}

/// Argument: `rows` rows of `len` elements. Output: the same in order, stable, NaN last; or, with
/// `positions`, for each place of the order where its element stood, as `i64`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    /// The element type: any but the complex ones.
    pub dtype: DType,
    /// The number of rows.
    pub rows: usize,
    /// The length of a row.
    pub len: usize,
    /// Whether the largest element comes first. NaN is last all the same.
    pub descending: bool,
    /// Whether positions are asked for.
    pub positions: bool,
}

/// Argument: rows as for [`Sort`]. Output: for each row, the first `count` positions of its order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Top {
    /// The order.
    pub sort: Sort,
    /// How many positions of each row; at most its length.
    pub count: usize,
}

/// Argument: a mask, `bool`, of `len` elements. Output: the `count` positions at which it is true,
/// ascending, as `i64`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nonzero {
    /// The length of the mask.
    pub len: usize,
    /// How many elements are true.
    pub count: usize,
}

/// Argument: a mask, `bool`, of `len` elements. Output: for each element how many are true up to
/// it, itself included, as `i64`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ranks {
    /// The length of the mask.
    pub len: usize,
}

/// What a scatter does with the value that comes to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// The last value stays.
    Put,
    /// Values are added to what is there.
    Add,
    /// Values are multiplied with what is there.
    Multiply,
    /// The smallest stays; NaN wins.
    Min,
    /// The largest stays; NaN wins.
    Max,
}

/// Arguments: the base, an array of `outer * len * inner` elements; indices along its middle axis,
/// `i64`; values, `outer * count * inner` elements of the base's type. Output: the base with each
/// value put to the place that its index names. An index out of range is an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scatter {
    /// The operation's name, for errors.
    pub name: &'static str,
    /// The axis that the user gave, for errors.
    pub axis: usize,
    /// The element type.
    pub dtype: DType,
    /// The elements before the axis.
    pub outer: usize,
    /// The length of the axis.
    pub len: usize,
    /// The elements behind the axis.
    pub inner: usize,
    /// The values along the axis.
    pub count: usize,
    /// Whether there are `count` indices, the same for all of `outer` and `inner`, in place of
    /// one for each value.
    pub shared: bool,
    /// What happens at a place.
    pub combine: Combine,
    /// Whether values that come to one place are combined in their order, so that the result
    /// has the same bits on every run.
    pub ordered: bool,
}

/// Argument: `count` indices, `i64`. Output: the same, where all lie within an axis of `len`
/// elements (negative ones count from its end and come out counted from its beginning); else an
/// error that names the first that does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Check {
    /// The operation's name, for errors.
    pub name: &'static str,
    /// The axis that the user gave, for errors.
    pub axis: usize,
    /// The length of the axis.
    pub len: usize,
    /// The number of indices.
    pub count: usize,
}

impl Sorting {
    /// The name, for messages and reports.
    pub fn name(&self) -> &'static str {
        match self {
            Sorting::Sort(call) if call.positions => "argsort",
            Sorting::Sort(_) => "sort",
            Sorting::Top(_) => "top_k",
            Sorting::Nonzero(_) => "nonzero",
            Sorting::Ranks(_) => "ranks",
            Sorting::Scatter(call) => call.name,
            Sorting::Check(_) => "check_positions",
        }
    }

    /// Whether rows are worked on one by one, each along the last axis.
    pub fn works_on_rows(&self) -> bool {
        matches!(self, Sorting::Sort(_) | Sorting::Top(_))
    }

    /// What the call computes.
    pub fn outputs(&self) -> Outputs {
        match self {
            Sorting::Sort(call) => smallvec![(call.total(), call.output())],
            Sorting::Top(call) => smallvec![(call.sort.rows * call.count, DType::I64)],
            Sorting::Nonzero(call) => smallvec![(call.count, DType::I64)],
            Sorting::Ranks(call) => smallvec![(call.len, DType::I64)],
            Sorting::Scatter(call) => smallvec![(call.outer * call.len * call.inner, call.dtype)],
            Sorting::Check(call) => smallvec![(call.count, DType::I64)],
        }
    }
}

impl Sort {
    /// The number of elements.
    pub fn total(&self) -> usize {
        self.rows * self.len
    }

    fn output(&self) -> DType {
        if self.positions { DType::I64 } else { self.dtype }
    }

    /// How elements become keys. Where elements come out again, -0 stays -0 and is put before +0;
    /// where positions do, the two are equal.
    pub fn encoding(&self) -> Encoding {
        Encoding::of(self.dtype, self.descending, self.positions)
    }
}

impl Scatter {
    /// The number of values.
    pub fn values(&self) -> usize {
        self.outer * self.count * self.inner
    }

    /// The axis of a base of some shape along which values are put; none where the base was flattened.
    pub fn axis_in(&self, shape: &[usize]) -> Option<usize> {
        let product = |lengths: &[usize]| lengths.iter().product::<usize>();
        let fits = |&at: &usize| {
            shape[at] == self.len
                && product(&shape[..at]) == self.outer
                && product(&shape[at + 1..]) == self.inner
        };
        Some(self.axis).filter(|&at| at < shape.len()).filter(fits)
    }

    /// What an index out of range is told; `at` is its place among the indices.
    pub fn out_of_range(&self, index: i64, at: usize) -> Error {
        out_of_range(self.name, index, at, self.axis, self.len)
    }
}

impl Check {
    /// What an index out of range is told; `at` is its place among the indices.
    pub fn out_of_range(&self, index: i64, at: usize) -> Error {
        out_of_range(self.name, index, at, self.axis, self.len)
    }
}

fn out_of_range(name: &str, index: i64, at: usize, axis: usize, len: usize) -> Error {
    Error::shape(format!(
        "{name}: index {index}, number {at} of the indices, is out of bounds for axis {axis} of \
         length {len}"
    ))
}

/// How the bits of an element become a key whose order as an unsigned integer is the order asked
/// for. The same numbers serve both directions and every type of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Encoding {
    /// Flipped where the top bit is set.
    pub negative: u64,
    /// Flipped where it is not.
    pub positive: u64,
    /// Magnitudes above it are NaN.
    pub infinity: u64,
    /// The element that counts as zero; zero where there is none.
    pub minus_zero: u64,
    /// Flipped at the end, for the descending order.
    pub invert: u64,
    /// The key of every NaN.
    pub nan: u64,
    /// The NaN that stands for all of them.
    pub quiet: u64,
}

impl Encoding {
    /// The key of an element, given by its bits, of which there are so many.
    pub fn key(&self, element: u64, bits: u32) -> u64 {
        let ones = u64::MAX >> (64 - bits);
        let x = if element == self.minus_zero { 0 } else { element };
        let is_negative = x >> (bits - 1) & 1 == 1;
        let flipped = if is_negative { self.negative } else { self.positive };
        if x & (ones >> 1) > self.infinity { self.nan } else { x ^ flipped ^ self.invert }
    }

    /// The encoding of a type that is not complex; `merge` makes the two zeros equal.
    pub fn of(dtype: DType, descending: bool, merge: bool) -> Encoding {
        let bits = 8 * dtype.size() as u32;
        let (ones, top) = (u64::MAX >> (64 - bits), 1 << (bits - 1));
        let (infinity, quiet) = match dtype {
            DType::F16 => (0x7c00, 0x7e00),
            DType::BF16 => (0x7f80, 0x7fc0),
            DType::F32 => (0x7f80_0000, 0x7fc0_0000),
            DType::F64 => (0x7ff0 << 48, 0x7ff8 << 48),
            _ => (ones, 0),
        };
        let float = dtype.is_float();
        let sign = if float || dtype.is_signed_integer() { top } else { 0 };
        Encoding {
            negative: if float { ones } else { sign },
            positive: sign,
            infinity,
            minus_zero: if float && merge { top } else { 0 },
            invert: if descending { ones } else { 0 },
            nan: if descending { ones } else { quiet | top },
            quiet,
        }
    }
}
