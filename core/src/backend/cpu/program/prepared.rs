//! Programs in the loops around them.

use super::mem::Mem;
use super::step::{Ahead, States, Step};
use crate::backend::cpu::copy::Moves;
use crate::backend::cpu::guarded::Guarded;
use crate::backend::cpu::layout::Layout;
use crate::dtype::{DType, Scalar};
use crate::kernel::{Index, Kernel};
use lazuli_inner_loops::fold::{Folds, Searches};
use lazuli_inner_loops::operations::OpFn;
use smallvec::SmallVec;

/// The levels of the tree that combines the results of chunks.
pub const LEVELS: usize = 16;

/// In a kernel with scans, the sweep that scans; the one before it folds chunks.
pub const SCAN_SWEEP: usize = 1;

/// Scans `n` elements, beginning with the carry, which becomes what follows them; the last
/// argument is whether elements are left out of their own results.
pub type ScanFn = unsafe fn(*mut u8, *const u8, usize, *mut u8, bool);

/// A value along the rows.
#[derive(Clone, Copy)]
pub struct RowValue {
    /// The value.
    pub v: u32,
    /// The size of an element.
    pub size: usize,
    /// Where it is spread over short rows.
    pub mem: Mem,
}

/// A list of steps.
#[derive(Clone, Default)]
pub struct Program {
    /// The steps.
    pub steps: Vec<Step>,
    /// Values that are vectors along the rows, of which the lanes see one element, or in a tile
    /// of short rows each element spread over its row.
    pub row_values: Vec<RowValue>,
    /// Values that this program makes along the rows for programs along the lanes.
    pub exports: Vec<u32>,
}

/// An accumulator of a reduction over R.
#[derive(Clone)]
pub struct Acc {
    /// The value that the reduction gives.
    pub v: u32,
    /// The type of the accumulator.
    pub dtype: DType,
    /// The functions that fold along the lanes.
    pub folds: Folds,
    /// The functions of a search.
    pub search: Option<Searches>,
    /// The operation that combines two elements.
    pub combine: OpFn,
    /// What the reduction begins with.
    pub identity: Scalar,
    /// Whether the result varies along the positions of X at work.
    pub vector: bool,
    /// The lanes, or the tile, that elements are folded into, and in a search their positions.
    pub mem: Mem,
    /// The positions of a search.
    pub places: Mem,
    /// The results of chunks, waiting to be combined: levels of tiles, the first being the result.
    pub tree: Mem,
    /// The same for positions.
    pub tree_places: Mem,
}

/// A scan of the sweep.
#[derive(Clone)]
pub struct ScanState {
    /// The type of the accumulator.
    pub dtype: DType,
    /// The loop along the lanes.
    pub along: ScanFn,
    /// The operation that combines two elements.
    pub combine: OpFn,
    /// What the scan begins with.
    pub identity: Scalar,
    /// Whether elements are left out of their own results.
    pub exclusive: bool,
    /// What lies before the tile, for each position of X at work.
    pub carry: Mem,
}

/// A scan of the sweep by a user's function.
#[derive(Clone)]
pub struct UserScan {
    /// The function that combines two states.
    pub function: Guarded,
    /// The components of a state.
    pub parts: SmallVec<[ScanPart; 3]>,
    /// Whether elements are left out of their own results.
    pub exclusive: bool,
}

/// A component of the states of a [`UserScan`], as its elements lie in memory.
#[derive(Clone)]
pub struct ScanPart {
    /// What the scan begins with.
    pub identity: Scalar,
    /// What lies before the tile, for each position of X at work.
    pub carry: Mem,
    /// Every other element of each level of the tree, the widest level first.
    pub even: Mem,
    /// The elements between those; on the way down, what lies before pairs.
    pub odd: Mem,
    /// The states of three levels that are at work.
    pub levels: [Mem; 3],
}

impl ScanPart {
    /// The size of an element.
    pub fn size(&self) -> usize {
        self.identity.dtype().size()
    }
}

/// Values that are the same wherever a loop runs.
#[derive(Clone)]
pub struct Kept {
    /// The axis of the loop.
    pub axis: u32,
    /// The turns along it.
    pub turns: usize,
    /// What is computed.
    pub ahead: Ahead,
}

/// A row: a value over X and R that stays in scratch memory.
#[derive(Clone)]
pub struct Row {
    /// The position of an element in the row.
    pub linear: Index,
    /// How elements move.
    pub moves: Moves,
    /// Where the row is.
    pub mem: Mem,
    /// The bytes there.
    pub bytes: usize,
    /// The elements in front of a row and behind it that repeat its other end, so that what is read
    /// around the end lies in place.
    pub halo: usize,
}

/// One sweep over R; the only one of an elementwise kernel.
#[derive(Clone, Default)]
pub struct Sweep {
    /// What varies along the lanes only, once for a tile.
    pub lanes: Program,
    /// What varies along the rows only, once for a block of rows.
    pub rows: Program,
    /// The rest, for each row of lanes.
    pub body: Program,
    /// The reductions of the sweep.
    pub accs: Vec<Acc>,
    /// The reductions of the sweep by users' functions.
    pub states: Vec<States>,
    /// The scans of the sweep.
    pub scans: Vec<ScanState>,
    /// The scans of the sweep by users' functions.
    pub user_scans: Vec<UserScan>,
}

/// A kernel made ready.
pub struct Prepared {
    /// The kernel, with short loops written out.
    pub kernel: Kernel,
    /// The loop structure.
    pub layout: Layout,
    /// For each value, whether it is an index described per tile rather than a tile.
    pub is_desc: Vec<bool>,
    /// The positions of the lanes' axis at which tiles of an elementwise kernel are cut.
    pub cuts: Vec<usize>,
    /// The elements of the outermost dimension of the lanes in a tile.
    pub tile: usize,
    /// The most elements of a tile.
    pub tile_len: usize,
    /// The rows of a block.
    pub block: usize,
    /// What does not depend on any axis.
    pub launch: Program,
    /// What loops need that depends on their turns alone.
    pub kept: Vec<Kept>,
    /// What does not depend on R, by the sweep before which it is computed.
    pub outside: Vec<Program>,
    /// The sweeps.
    pub sweeps: Vec<Sweep>,
    /// The rows.
    pub rows: Vec<Row>,
    /// How the elements of each store's output move.
    pub store_moves: Vec<Moves>,
    /// The elements of a row.
    pub row_len: usize,
    /// The work of a launch, in operations on elements.
    pub work: usize,
    /// The least elements of a chunk of R along the lanes.
    pub chunk: usize,
    /// The bytes of the outer region.
    pub outer: usize,
    /// The bytes of the inner region.
    pub inner: usize,
    /// The guards behind registers.
    pub guards: Vec<Mem>,
}

impl Kept {
    /// Appends those of a program's loops.
    pub fn collect(steps: &[Step], list: &mut Vec<Kept>) {
        for step in steps {
            match step {
                Step::Serial(serial) => {
                    let &(axis, turns) = serial.axes.last().expect("a loop has an axis");
                    for ahead in &serial.ahead {
                        if ahead.kept {
                            list.push(Kept { axis, turns, ahead: ahead.clone() });
                        }
                        Kept::collect(&ahead.steps, list);
                    }
                    Kept::collect(&serial.steps, list);
                }
                Step::UserSerial(serial) => Kept::collect(&serial.steps, list),
                _ => {}
            }
        }
    }
}
