//! Library calls: what a device's libraries compute in one go, described without any buffer.
//!
//! A call is a plain description (sizes, element types, flags), so that it can be a part of a
//! node, of a plan's key and of a report. Its arguments are arrays in C order, its outputs as
//! well, one after another.
//!
//! In the graph a call is one node, which holds this description and nothing else
//! (`NodeOp::Library`). None of its arguments is empty. One output is the node itself; several are
//! a bundle that only `NodeOp::Part`s read. Parts share data as reshapes do, so that evaluating one
//! keeps the others for as long as somebody can ask for them. Views among the arguments become
//! layouts where the library reads them in place ([`Library::with_layout`], which `plan/simplify.rs`
//! asks). What a library finds wrong with the values (a singular matrix) is an error of the
//! evaluation.

pub mod count;
pub mod factor;
pub mod fft;
pub mod items;
pub mod linalg;
pub mod random;
pub mod sort;
pub mod turns;

use crate::dtype::DType;
use count::Count;
use factor::Factor;
use fft::Fft;
use items::Items;
use linalg::Matmul;
use random::Generate;
use smallvec::{SmallVec, smallvec};
use sort::Sorting;
use turns::Turns;

/// The outputs of a call: the number of elements and the element type of each.
pub type Outputs = SmallVec<[(usize, DType); 2]>;

/// One call of a library.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Library {
    /// A product of matrices, or of batches of them.
    Matmul(Matmul),
    /// A Fourier transform.
    Fft(Fft),
    /// Sorting, selecting and scattering.
    Sort(Sorting),
    /// A factorisation or the solution of a system.
    Factor(Factor),
    /// Counts in bins, or sums of weights.
    Count(Count),
    /// Random numbers.
    Generate(Generate),
    /// A user's function, item by item.
    Items(Items),
    /// A loop.
    Turns(Turns),
}

/// Where the elements of an argument lie in an array that is stored: at `offset` plus the
/// position on each of the argument's axes times its stride, all in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The place of the first element.
    pub offset: i64,
    /// The lengths of the argument's axes.
    pub shape: SmallVec<[usize; 4]>,
    /// The distance between neighbours along each of them.
    pub strides: SmallVec<[i64; 4]>,
}

impl Layout {
    /// Whether the elements are those of the array from its beginning, in C order.
    pub fn is_contiguous(&self) -> bool {
        let natural = crate::shape::contiguous_strides(&self.shape);
        let mut axes = self.shape.iter().zip(self.strides.iter().zip(&natural));
        self.offset == 0 && axes.all(|(&n, (own, natural))| n == 1 || own == natural)
    }
}

impl Library {
    /// The name, for messages and reports.
    pub fn name(&self) -> &'static str {
        match self {
            Library::Matmul(_) => "matmul",
            Library::Fft(_) => "fft",
            Library::Sort(call) => call.name(),
            Library::Factor(call) => call.name,
            Library::Count(_) => "count",
            Library::Generate(_) => "generate",
            Library::Items(call) => call.name,
            Library::Turns(call) => call.name,
        }
    }

    /// What the call computes, in order.
    pub fn outputs(&self) -> Outputs {
        match self {
            Library::Matmul(call) => smallvec![(call.len(), call.dtype)],
            Library::Fft(call) => smallvec![call.output()],
            Library::Sort(call) => call.outputs(),
            Library::Factor(call) => call.outputs(),
            Library::Count(call) => call.outputs(),
            Library::Generate(call) => smallvec![(call.len, call.dtype)],
            Library::Items(call) => {
                let items = call.count();
                call.outputs.iter().map(|&(dtype, len)| (items * len, dtype)).collect()
            }
            Library::Turns(call) => call.outputs.clone(),
        }
    }

    /// Whether the library may read arguments where they lie in other arrays, or take in what is
    /// computed before and after it.
    pub fn reads_views(&self) -> bool {
        matches!(self, Library::Matmul(_) | Library::Factor(_))
    }

    /// Whether what the call gives are positions that count from the beginning of an axis.
    pub fn gives_positions(&self) -> bool {
        match self {
            Library::Sort(Sorting::Sort(sort)) => sort.positions,
            Library::Sort(Sorting::Top(top)) => top.sort.positions,
            Library::Sort(Sorting::Nonzero(_) | Sorting::Check(_)) => true,
            _ => false,
        }
    }

    /// The same call with an argument read where it lies in another array, if the library can:
    /// what cannot be read so is stored in C order first.
    pub fn with_layout(&self, argument: usize, layout: &Layout) -> Option<Library> {
        match self {
            Library::Matmul(call) => call.with_layout(argument, layout).map(Library::Matmul),
            Library::Fft(_) => None,
            Library::Sort(_) => None,
            // A view that changes nothing, two transpositions say.
            Library::Factor(_) => layout.is_contiguous().then(|| self.clone()),
            Library::Count(_) => None,
            Library::Generate(_) => None,
            Library::Items(_) => None,
            Library::Turns(_) => None,
        }
    }
}
