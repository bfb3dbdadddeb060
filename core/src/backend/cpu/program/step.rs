//! The steps of a program.

use super::mem::Mem;
use crate::backend::cpu::affine::Map;
use crate::backend::cpu::copy::Moves;
use crate::backend::cpu::guarded::Guarded;
use crate::dtype::{DType, Scalar};
use crate::kernel::Index;
use crate::math::random::Seed;
use crate::table::Basic;
use lazuli_inner_loops::chain::{ChainFns, Link};
use lazuli_inner_loops::fold::Searches;
use lazuli_inner_loops::operations::OpFn;
use lazuli_inner_loops::slide::PairLoops;
use smallvec::SmallVec;

/// The most turns for which values are computed ahead at a time.
pub const TURNS: usize = 256;

/// Writes the numbers from `at` on, `n` of them, to `dst`. What is read before the first number, as a
/// join does beside the part that it chooses, is any number; what follows it in the same tile is not.
///
/// # Safety
/// There is room for `n` numbers of the type that the function was found for.
pub type DrawFn = unsafe fn(dst: *mut u8, at: i64, n: usize, seed: &Seed);

/// Where an operation writes its tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Into its register.
    Register,
    /// Into the output of a store, where the tile lies there in order.
    Store(u32),
    /// Into a row, where the tile lies there in order.
    Row(u32),
    /// As [`Store`](Target::Store), past the caches: only chains do so.
    Stream(u32),
}

/// One step of a program, for a whole tile. Values are numbered as in the kernel.
#[derive(Clone)]
pub enum Step {
    /// Says what an index is within the tile.
    Index { v: u32, map: Map, index: Index, mem: Mem },
    /// Writes an index as a tile of numbers.
    Numbers { v: u32, mem: Mem },
    /// Writes a condition on an index as a tile of `bool`s.
    Truth { v: u32, mem: Mem },
    /// A scalar argument; a half is widened into `mem`.
    Scalar { v: u32, slot: u32, mem: Mem, moves: Moves },
    /// An operation or a conversion, and the rounding after it.
    Op {
        v: u32,
        f: OpFn,
        /// What it is in a chain.
        basic: Option<Basic>,
        args: [u32; 3],
        arity: u8,
        choice: bool,
        round: Option<OpFn>,
        mem: Mem,
        target: Target,
    },
    /// Some operations in a row.
    Chain(Box<Chain>),
    /// A call of a user's function.
    Call(Box<Call>),
    /// A scan of the sweep by a user's function: all components of its states.
    UserScan { scan: u32, call: Box<Call> },
    /// A scan of the sweep: the tile's elements, with all before them.
    Scan { v: u32, scan: u32, arg: u32, mem: Mem, target: Target },
    /// Random numbers.
    Draw { v: u32, f: DrawFn, index: Index, seed: [u32; 3], size: usize, mem: Mem },
    /// A load from an input.
    Load {
        v: u32,
        input: u32,
        index: Index,
        mask: Option<u32>,
        moves: Moves,
        /// Whether the tile must not be read in place.
        copy: bool,
        /// Whether the tile is always read in place.
        in_place: bool,
        mem: Mem,
    },
    /// A load from a row.
    RowLoad {
        v: u32,
        row: u32,
        index: Index,
        mask: Option<u32>,
        /// Whether the tile must not be read in place.
        copy: bool,
        /// Whether the value varies within the tile.
        vector: bool,
        mem: Mem,
    },
    /// A loop over Serial axes that folds a value.
    Serial(Box<Serial>),
    /// A loop over Serial axes that folds by a user's function.
    UserSerial(Box<UserSerial>),
    /// Folds a tile into a state of the sweep, by a user's function.
    UserFold { state: u32, args: SmallVec<[u32; 4]> },
    /// Folds a tile into an accumulator of the sweep.
    Fold { acc: u32, args: [u32; 2], sums: bool },
    /// Writes a value into a row.
    RowStore { row: u32, value: u32 },
    /// Writes a value into an output.
    Store { store: u32, uses: Vec<u32> },
}

/// Some operations of which each takes the result of the one before.
#[derive(Clone)]
pub struct Chain {
    /// The value of the last one.
    pub v: u32,
    /// The functions.
    pub fns: ChainFns,
    /// The first operand of the first one.
    pub first: u32,
    /// The operations with their other operands.
    pub links: SmallVec<[Link; 4]>,
    /// A choice between the result and another value.
    pub choice: Option<Choice>,
    /// The register.
    pub mem: Mem,
    /// Where the result is written.
    pub target: Target,
    /// The accumulator that it is summed up into, and not written.
    pub sum: Option<u32>,
}

/// A choice at the end of a chain, which need not be computed where the other value is taken.
#[derive(Clone, Copy)]
pub struct Choice {
    /// The condition.
    pub condition: u32,
    /// Whether the chain's result is taken where the condition holds.
    pub holds: bool,
    /// The other value.
    pub other: u32,
    /// The choice element by element.
    pub f: OpFn,
}

/// A loop over Serial axes that folds a value.
#[derive(Clone)]
pub struct Serial {
    /// The axes with their extents; the last one turns fastest.
    pub axes: Vec<(u32, usize)>,
    /// What is computed before the turns along the last axis.
    pub ahead: Vec<Ahead>,
    /// The steps of a turn.
    pub steps: Vec<Step>,
    /// What gives the element, where it is folded in one go.
    pub pair: Option<Pair>,
    /// The fold.
    pub fold: SerialFold,
}

/// Values of all turns along the last axis, computed before the first of them.
#[derive(Clone)]
pub struct Ahead {
    /// For values that are the same wherever the sum of the lane and the turn is (or their
    /// difference), the step from a turn's tile to the next in a longer tile along the lanes: 1 or
    /// -1. `None` for values that are the same in all lanes: a tile with an element for each turn.
    pub slide: Option<i64>,
    /// Whether the values are the same in the whole launch, and computed at its beginning.
    pub kept: bool,
    /// What computes the values.
    pub steps: Vec<Step>,
    /// The values that the turns use, with the sizes of their elements.
    pub values: Vec<(u32, usize)>,
}

/// An operation on two values whose results are folded.
#[derive(Clone)]
pub struct Pair {
    /// The values.
    pub args: [u32; 2],
    /// The loops.
    pub loops: PairLoops,
    /// How all turns are folded in one go, where nothing else is left in a turn.
    pub whole: Option<Whole>,
}

/// What a loop folds in one go: the results of an operation on what slides and on numbers that are
/// the same in all lanes; or of it once more, on that and on something else that slides.
#[derive(Clone, Copy)]
pub struct Whole {
    /// The place of what slides among the values computed ahead, and its slide.
    pub slides: (usize, i64),
    /// The place of the numbers.
    pub numbers: usize,
    /// The same of what else slides.
    pub second: Option<(usize, i64)>,
}

/// How a Serial loop folds its value.
#[derive(Clone)]
pub struct SerialFold {
    /// The value that the loop gives.
    pub v: u32,
    /// The element, and the position in a search.
    pub args: [u32; 2],
    /// The operation that combines two elements.
    pub combine: OpFn,
    /// The functions of a search.
    pub search: Option<Searches>,
    /// What the loop begins with.
    pub identity: Scalar,
    /// Whether the result varies along the lanes.
    pub vector: bool,
    /// The accumulator.
    pub mem: Mem,
    /// The positions of a search.
    pub places: Mem,
}

/// The states of a user's reduction: one tile for each component, as its elements lie in memory.
#[derive(Clone)]
pub struct States {
    /// The function that combines two states.
    pub function: Guarded,
    /// The same over neighbours, if it is known.
    pub neighbours: Option<Guarded>,
    /// The components.
    pub parts: SmallVec<[StatePart; 3]>,
    /// Whether the results vary along the positions of X at work, or along the lanes.
    pub vector: bool,
}

/// One component of [`States`].
#[derive(Clone)]
pub struct StatePart {
    /// The value of the result, if anything uses it.
    pub v: Option<u32>,
    /// What the reduction begins with.
    pub identity: Scalar,
    /// How halves are narrowed and widened.
    pub half: Option<Moves>,
    /// The states.
    pub state: Mem,
    /// Room for new states.
    pub temp: Mem,
    /// Every other element of a tile.
    pub left: Mem,
    /// The elements between those.
    pub right: Mem,
    /// A tile of halves.
    pub narrow: Mem,
    /// The results of chunks, as in [`Acc`](super::Acc).
    pub tree: Mem,
    /// The result of halves, widened.
    pub wide: Mem,
}

/// A loop over Serial axes that folds by a user's function.
#[derive(Clone)]
pub struct UserSerial {
    /// The axes with their extents.
    pub axes: Vec<(u32, usize)>,
    /// The steps of a turn.
    pub steps: Vec<Step>,
    /// The components of an element.
    pub args: SmallVec<[u32; 4]>,
    /// The states.
    pub states: States,
}

/// A call of a user's function: all its results at once.
#[derive(Clone)]
pub struct Call {
    /// The name, for the list of steps.
    pub name: String,
    /// The function.
    pub function: Guarded,
    /// Whether it waits for memory rather than for itself.
    pub light: bool,
    /// The arguments.
    pub args: SmallVec<[CallArg; 4]>,
    /// The results.
    pub results: SmallVec<[CallResult; 2]>,
}

/// An argument of a call.
#[derive(Clone)]
pub struct CallArg {
    /// The value.
    pub v: u32,
    /// A half is narrowed into this place before the call.
    pub narrow: Option<(Moves, Mem)>,
}

/// A result of a call.
#[derive(Clone)]
pub struct CallResult {
    /// The value, if anything uses it.
    pub v: Option<u32>,
    /// The type.
    pub dtype: DType,
    /// The register.
    pub mem: Mem,
    /// A half is written to this place and then widened.
    pub widen: Option<(Moves, Mem)>,
    /// Where the result is written.
    pub target: Target,
}
