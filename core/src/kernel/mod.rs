//! The kernel IR: one loop nest, the scalar expressions inside it, its loads and its stores.
//!
//! A [`Kernel`] is what the planner makes and what a backend runs. It holds no array, no graph
//! node and no device. It is a list of [`Value`]s in single-assignment form over a set of axes:
//!
//! - *Parallel* axes X: every combination of their positions is independent of every other.
//! - *Reduce* axes R: shared by a [`Inst::Reduce`] with these axes; the work of one X position.
//! - *Serial* axes: each belongs to exactly one `Reduce` inside an expression, which is a plain
//!   loop in place (a distance summed over its components, say).
//!
//! A value depends on a set of axes ([`Value::axes`]) and is the same along all others, so a
//! backend may compute it once for those (*hoisting*). A `Reduce` over R, and a [`Inst::Row`],
//! divide the kernel into *phases* (see [`phases`]): a phase is one sweep over R, and what a
//! later phase needs of R is computed again or kept on the chip.
//!
//! Numbers that change with sizes (extents, coefficients, offsets, moduli) stand in the IR as
//! plain integers. Only their class is structure: whether a coefficient is 0, 1 or another
//! number, whether an offset is 0 (into arrays that move, not even that). A backend that compiles
//! passes the rest as arguments.
//!
//! - *Indices* are affine sums over axes and index values ([`Inst::IndexDiv`], [`Inst::IndexMod`],
//!   [`Inst::IndexClamp`], [`Inst::IndexAbs`], or an element of an index array). *Guards* are
//!   [`Inst::InRange`] values that mask loads and choose between pieces. So padding, concatenation
//!   and slice assignment are no special case anywhere after `plan/coords.rs`.
//! - *Users' functions* are called once an element ([`Inst::Call`]; its results are one
//!   computation), or fold R ([`Inst::Fold`], with [`Inst::Component`] for the further parts of its
//!   state). A fold's function need not commute, so a kernel with one walks R in C order
//!   everywhere: the planner merges neighbouring axes only, the renderer sorts none, a warp takes
//!   tiles that lie one behind the other, and the processor combines neighbours.

pub mod around;
#[cfg(any(test, feature = "testing"))]
pub mod builder;
mod display;
mod index;
pub mod name;
pub mod own;
mod part;
pub mod phases;
pub mod ranges;
#[cfg(any(test, feature = "testing"))]
pub mod reference;
pub mod rows;
pub mod scans;
#[cfg(test)]
mod tests;
#[cfg(any(test, debug_assertions))]
pub mod verify;
pub mod weight;

pub use index::{Atom, AxisSet, Index};

use crate::dtype::DType;
use crate::function::{Fold, Function, ScanBy};
use crate::table::{Law, Op, Reduction};
use smallvec::SmallVec;
use std::sync::Arc;

/// A value of a kernel, as its position in [`Kernel::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Val(pub u32);

impl Val {
    /// The position as an index.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// What an axis is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AxisKind {
    /// Positions are independent.
    Parallel,
    /// Positions are folded by the kernel's reductions.
    Reduce,
    /// A loop inside an expression.
    Serial,
}

/// One axis of the loop nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// The number of positions; never 0 (the planner answers empty arrays itself).
    pub extent: usize,
    /// What the axis is there for.
    pub kind: AxisKind,
}

/// How a value is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inst {
    /// A scalar argument of the launch, by its slot in [`Kernel::scalars`].
    Scalar(u32),
    /// An affine index as an `i64` value that expressions compute with.
    Index(Index),
    /// An elementwise operation.
    Op(Op, SmallVec<[Val; 3]>),
    /// One result of a call of a user's function. Calls that differ in `output` alone are one
    /// computation.
    Call { function: Arc<Function>, args: SmallVec<[Val; 3]>, output: u8 },
    /// Number `index` of the random stream that a key, a first block and a stream number (each a
    /// `u64`) name; see `math::random::Seed`. The keys of the generator's later rounds follow, so
    /// that kernels need not compute them. Neighbours share the work of a block.
    Draw { law: Law, index: Index, seed: SmallVec<[Val; 12]> },
    /// A conversion to the value's dtype, as Rust's `as` does it (complex from real and back to
    /// the real part, bool from "is not zero").
    Cast(Val),
    /// One element of an input; zero where the mask is false, and then nothing is read.
    Load { input: u32, index: Index, mask: Option<Val> },
    /// A reduction over `axes` (all Reduce axes of the kernel, or Serial axes of its own): `args`
    /// is the element and, for `ArgMin` and `ArgMax`, its `i64` position. The dtype is the
    /// accumulator's (the position's for those two).
    Reduce { op: Reduction, args: SmallVec<[Val; 2]>, axes: AxisSet },
    /// A reduction by a user's function over `axes` (as those of a `Reduce`), in C order: `args`
    /// are the components of an element. The value is the first component of the result.
    Fold { fold: Arc<Fold>, args: SmallVec<[Val; 3]>, axes: AxisSet },
    /// Another component of the result of a [`Inst::Fold`], or of a [`Inst::Scan`] by a user's
    /// function.
    Component { of: Val, output: u8 },
    /// A scan along R, which is a single axis: the state at a position combines `args`, the
    /// components of an element, at all positions up to it, in order, its own left out where the
    /// scan is `exclusive` (the first is then the identity). The value is the state's first
    /// component, its dtype the accumulator's. Every Parallel axis and R are among the value's
    /// axes. What holds of kernels with scans stands in [`scans`].
    Scan { by: ScanBy, args: SmallVec<[Val; 3]>, axes: AxisSet, exclusive: bool },
    /// A value over X and R that stays on the chip until the phases that read it elsewhere on R.
    Row(Val),
    /// The element of a [`Inst::Row`] at another place of R: `at` is the position within the row
    /// in C order over the Reduce axes. Zero where the mask is false.
    RowLoad { row: Val, at: Index, mask: Option<Val> },
    // What follows computes indices: `i64` values that are never negative where they are used
    // as a dividend, and that serve as atoms of an `Index`.
    /// `index / by`, for a non-negative index.
    IndexDiv { index: Index, by: i64 },
    /// `index % by`, for a non-negative index.
    IndexMod { index: Index, by: i64 },
    /// `index` held between `low` and `high`, ends included.
    IndexClamp { index: Index, low: i64, high: i64 },
    /// The absolute value of an index.
    IndexAbs(Index),
    /// `low <= index < high`, a `bool`: what guards loads and selects between pieces.
    InRange { index: Index, low: i64, high: i64 },
}

/// One value: how it is made, its type, and the axes that it varies along.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// How the value is made.
    pub inst: Inst,
    /// The type of the value.
    pub dtype: DType,
    /// The axes that the value depends on.
    pub axes: AxisSet,
}

/// A store of a value into an output, for every position of the axes in the index (every
/// Parallel axis is among them, unless its extent is 1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Store {
    /// The output, as its position in [`Kernel::outputs`].
    pub output: u32,
    /// The element of the output.
    pub index: Index,
    /// The value, of the output's dtype.
    pub value: Val,
}

/// An array that the kernel reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// The element type.
    pub dtype: DType,
    /// The number of elements of the whole buffer; of a part of one, up to the last that is read.
    pub len: usize,
    /// Whether it is a small part of an array, as loops take one after another: offsets of 0 are
    /// then of the same class as others.
    pub moves: bool,
}

/// An array that the kernel writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// The element type.
    pub dtype: DType,
    /// The number of elements of the whole buffer; of a part of one, up to the last that is written.
    pub len: usize,
    /// As of an input.
    pub moves: bool,
    /// The input whose buffer this output writes in place, if any. Such an input is read only at
    /// the position that is being written, or where nothing is written.
    pub alias: Option<u32>,
}

/// One loop nest with everything that happens in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// The axes: Parallel ones first, then Reduce, then Serial; outermost first within a kind.
    pub axes: Vec<Axis>,
    /// The values, each after those that it uses.
    pub values: Vec<Value>,
    /// The stores.
    pub stores: Vec<Store>,
    /// The arrays read.
    pub inputs: Vec<Input>,
    /// The arrays written.
    pub outputs: Vec<Output>,
    /// The types of the scalar arguments; their values come with the launch.
    pub scalars: Vec<DType>,
}

impl Kernel {
    /// The value at a position.
    pub fn value(&self, v: Val) -> &Value {
        &self.values[v.at()]
    }

    /// The axes of a kind.
    pub fn axes_of(&self, kind: AxisKind) -> AxisSet {
        let of_kind = |(k, axis): (usize, &Axis)| (axis.kind == kind).then_some(k);
        self.axes.iter().enumerate().filter_map(of_kind).collect()
    }

    /// Whether an index follows values along an axis that are computed or read, so that nothing is
    /// known of its next place.
    pub fn is_looked_up(&self, index: &Index, axis: usize) -> bool {
        index.values().any(|v| match &self.value(v).inst {
            Inst::IndexDiv { index: at, .. }
            | Inst::IndexMod { index: at, .. }
            | Inst::IndexClamp { index: at, .. }
            | Inst::Index(at)
            | Inst::IndexAbs(at) => self.is_looked_up(at, axis),
            _ => self.value(v).axes.has(axis),
        })
    }

    /// How far an index moves for one step on an axis, roughly where it is not affine: wrapped and
    /// clipped positions move as if they were not.
    pub fn slope(&self, index: &Index, axis: usize) -> i64 {
        let mut sum = 0;
        for &(atom, coefficient) in &index.terms {
            sum += coefficient
                * match atom {
                    Atom::Axis(k) => i64::from(k as usize == axis),
                    Atom::Value(v) => match &self.value(v).inst {
                        Inst::Index(at)
                        | Inst::IndexMod { index: at, .. }
                        | Inst::IndexClamp { index: at, .. }
                        | Inst::IndexAbs(at) => self.slope(at, axis),
                        Inst::IndexDiv { index: at, by } => self.slope(at, axis) / by,
                        _ if self.value(v).axes.has(axis) => 1 << 20,
                        _ => 0,
                    },
                };
        }
        sum
    }

    /// Whether the order of the Reduce axes, and of the positions on them, matters: a user's
    /// function need not commute.
    pub fn is_ordered(&self) -> bool {
        let reduce = self.axes_of(AxisKind::Reduce);
        let sweeps = |axes: AxisSet| !axes.intersection(reduce).is_empty();
        let ordered = |v: &Value| v.inst.fold().is_some() && v.inst.swept().is_some_and(sweeps);
        self.values.iter().any(ordered)
    }

    /// The components of what a user's function folds or scans: the value itself, then whatever
    /// reads the others.
    pub fn components(&self, first: Val) -> SmallVec<[Option<Val>; 4]> {
        let count = self.value(first).inst.fold().map_or(1, |fold| fold.types().len());
        let mut list: SmallVec<[Option<Val>; 4]> = SmallVec::from_elem(None, count);
        list[0] = Some(first);
        for (k, value) in self.values.iter().enumerate() {
            if let Inst::Component { of, output } = value.inst
                && of == first
            {
                list[output as usize] = Some(Val(k as u32));
            }
        }
        list
    }

    /// The kernel as a pass has rewritten it: in builds with debug assertions, and in tests, a pass
    /// that broke an invariant ends here, before anything is run.
    #[inline]
    pub fn checked(self, _pass: &str) -> Kernel {
        #[cfg(any(test, debug_assertions))]
        if let Err(why) = verify::verify_rewritten(&self) {
            panic!("{_pass} made a wrong kernel: {why}\n{self}");
        }
        self
    }

    /// The product of the extents of some axes, or the largest number: loops one after another, as those
    /// of a chain of sums, have an axis each.
    pub fn extent(&self, axes: AxisSet) -> usize {
        axes.iter().fold(1, |all, k| all.saturating_mul(self.axes[k].extent))
    }
}

impl Inst {
    /// Calls `f` for each value that the instruction uses, the atoms of its index among them.
    pub fn for_each_arg(&self, mut f: impl FnMut(Val)) {
        let index = |index: &Index, f: &mut dyn FnMut(Val)| index.values().for_each(f);
        match self {
            Inst::Scalar(_) => {}
            Inst::Op(_, args) | Inst::Call { args, .. } => args.iter().copied().for_each(f),
            Inst::Cast(v) | Inst::Row(v) => f(*v),
            Inst::Draw { index: at, seed, .. } => {
                index(at, &mut f);
                seed.iter().copied().for_each(f);
            }
            Inst::Component { of, .. } => f(*of),
            Inst::Fold { args, .. } | Inst::Scan { args, .. } => args.iter().copied().for_each(f),
            Inst::Reduce { args, .. } => args.iter().copied().for_each(f),
            Inst::Load { index: at, mask, .. } => {
                index(at, &mut f);
                mask.iter().copied().for_each(f);
            }
            Inst::RowLoad { row, at, mask } => {
                f(*row);
                index(at, &mut f);
                mask.iter().copied().for_each(f);
            }
            Inst::Index(at)
            | Inst::IndexAbs(at)
            | Inst::IndexDiv { index: at, .. }
            | Inst::IndexMod { index: at, .. }
            | Inst::IndexClamp { index: at, .. }
            | Inst::InRange { index: at, .. } => index(at, &mut f),
        }
    }

    /// Puts other values in the place of those that the instruction uses, the atoms of its index
    /// among them.
    pub fn rename(&mut self, to: impl Fn(Val) -> Val + Copy) {
        if let Some(index) = self.index_mut() {
            index.rename(to);
        }
        self.rename_operands(to);
    }

    /// The same, but for the atoms of its index.
    pub fn rename_operands(&mut self, mut to: impl FnMut(Val) -> Val) {
        match self {
            Inst::Component { of: v, .. } | Inst::Cast(v) | Inst::Row(v) => *v = to(*v),
            Inst::Op(_, args)
            | Inst::Call { args, .. }
            | Inst::Fold { args, .. }
            | Inst::Scan { args, .. } => args.iter_mut().for_each(|v| *v = to(*v)),
            Inst::Draw { seed, .. } => seed.iter_mut().for_each(|v| *v = to(*v)),
            Inst::Reduce { args, .. } => args.iter_mut().for_each(|v| *v = to(*v)),
            Inst::Load { mask, .. } => mask.iter_mut().for_each(|v| *v = to(*v)),
            Inst::RowLoad { row, mask, .. } => {
                *row = to(*row);
                mask.iter_mut().for_each(|v| *v = to(*v));
            }
            Inst::Scalar(_)
            | Inst::Index(_)
            | Inst::IndexAbs(_)
            | Inst::IndexDiv { .. }
            | Inst::IndexMod { .. }
            | Inst::IndexClamp { .. }
            | Inst::InRange { .. } => {}
        }
    }

    /// The axes that the instruction reduces, where it is a reduction.
    pub fn reduced(&self) -> Option<AxisSet> {
        match self {
            Inst::Reduce { axes, .. } | Inst::Fold { axes, .. } => Some(*axes),
            _ => None,
        }
    }

    /// The same axes, to be changed.
    pub fn reduced_mut(&mut self) -> Option<&mut AxisSet> {
        match self {
            Inst::Reduce { axes, .. } | Inst::Fold { axes, .. } => Some(axes),
            _ => None,
        }
    }

    /// The axes that the instruction combines elements along, as a reduction or as a scan.
    pub fn swept(&self) -> Option<AxisSet> {
        match self {
            Inst::Scan { axes, .. } => Some(*axes),
            inst => inst.reduced(),
        }
    }

    /// The same axes, to be changed.
    pub fn swept_mut(&mut self) -> Option<&mut AxisSet> {
        match self {
            Inst::Scan { axes, .. } => Some(axes),
            inst => inst.reduced_mut(),
        }
    }

    /// Whether two instructions are results of one call.
    pub fn is_same_call(&self, other: &Inst) -> bool {
        match (self, other) {
            (Inst::Call { function, args, .. }, Inst::Call { function: f, args: a, .. }) => {
                function == f && args == a
            }
            _ => false,
        }
    }

    /// The user's function that the instruction folds or scans by.
    pub fn fold(&self) -> Option<&Arc<Fold>> {
        match self {
            Inst::Fold { fold, .. } => Some(fold),
            Inst::Scan { by, .. } => by.fold(),
            _ => None,
        }
    }

    /// The user's function that the instruction calls.
    pub fn function(&self) -> Option<&Arc<Function>> {
        match self {
            Inst::Call { function, .. } => Some(function),
            inst => inst.fold().map(|fold| &fold.function),
        }
    }

    /// What an operation or a call costs for an element, in additions; `None` for the rest.
    pub fn cost(&self) -> Option<u32> {
        match self {
            Inst::Op(op, _) => Some(op.cost()),
            Inst::Call { function, .. } => Some(function.additions()),
            Inst::Draw { law, .. } => Some(law.cost()),
            _ => None,
        }
    }

    /// The affine index that the instruction computes with, if it has one.
    pub fn index(&self) -> Option<&Index> {
        match self {
            Inst::Index(at)
            | Inst::IndexAbs(at)
            | Inst::IndexDiv { index: at, .. }
            | Inst::IndexMod { index: at, .. }
            | Inst::IndexClamp { index: at, .. }
            | Inst::InRange { index: at, .. }
            | Inst::Draw { index: at, .. }
            | Inst::Load { index: at, .. }
            | Inst::RowLoad { at, .. } => Some(at),
            _ => None,
        }
    }

    /// The same index, to be changed.
    pub fn index_mut(&mut self) -> Option<&mut Index> {
        match self {
            Inst::Index(at)
            | Inst::IndexAbs(at)
            | Inst::IndexDiv { index: at, .. }
            | Inst::IndexMod { index: at, .. }
            | Inst::IndexClamp { index: at, .. }
            | Inst::InRange { index: at, .. }
            | Inst::Draw { index: at, .. }
            | Inst::Load { index: at, .. }
            | Inst::RowLoad { at, .. } => Some(at),
            _ => None,
        }
    }

    /// Whether the value is an index computed for other indices, which a backend may hold in its
    /// index type rather than in 64 bits.
    pub fn is_index(&self) -> bool {
        matches!(
            self,
            Inst::IndexDiv { .. }
                | Inst::IndexMod { .. }
                | Inst::IndexClamp { .. }
                | Inst::IndexAbs(_)
        )
    }
}
