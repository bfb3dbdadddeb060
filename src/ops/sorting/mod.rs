//! Order: sorting, the first few, quantiles, distinct elements; positions that data decide, and
//! values scattered to positions.

mod distinct;
mod masks;
mod nodes;
mod quantile;
mod scatter;
mod sets;
mod shares;
mod sort;

pub use distinct::UniqueOptions;
pub(super) use masks::along_axes;
pub(crate) use nodes::{checked_positions, counts_from_start};
pub use quantile::Interpolation;
pub(super) use scatter::{How, recorded, spread};
pub use sets::{Unique, intersect1d, is_in, is_not_in, setdiff1d, setxor1d, union1d};
pub use sort::{lexsort, try_lexsort};
