//! A kernel made ready: straight lists of steps over tiles, and the loops around them.

use super::affine::Map;
use super::chain::{ChainFns, Link};
use super::copy::Moves;
use super::draw::DrawFn;
use super::fold::{Folds, Searches};
use super::guarded::Guarded;
use super::layout::{Layout, Mode};
use super::loops::OpFn;
use super::scan::ScanState;
use super::serial::{Kept, Serial};
use super::user_scan::UserScan;
use crate::dtype::{DType, Scalar};
use crate::kernel::{Index, Kernel};
use crate::table::Basic;
use smallvec::SmallVec;

/// A place in a thread's scratch memory: the outer region, which threads that share the
/// positions of X share too, or the inner one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mem(u32);

impl Mem {
    const OUTER: u32 = 1 << 31;

    /// A place in the inner region.
    pub fn inner(offset: usize) -> Self {
        Mem(u32::try_from(offset).expect("scratch memory is small"))
    }

    /// A place in the outer region.
    pub fn outer(offset: usize) -> Self {
        Mem(Self::inner(offset).0 | Self::OUTER)
    }

    /// Whether the place is in the outer region.
    pub fn is_outer(self) -> bool {
        self.0 & Self::OUTER != 0
    }

    /// The offset within the region.
    pub fn offset(self) -> usize {
        (self.0 & !Self::OUTER) as usize
    }
}

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
    /// The results of chunks, as in [`Acc`].
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

impl Prepared {
    /// The schedule in one line.
    pub fn schedule(&self) -> String {
        let axes =
            |list: &[usize]| list.iter().map(|k| format!("i{k}")).collect::<Vec<_>>().join(" ");
        let mode = match self.layout.mode {
            Mode::Elementwise => "elementwise",
            Mode::AlongReduce => "lanes along R",
            Mode::AcrossReduce => "lanes across R",
            Mode::ShortRows => "short rows",
        };
        let mut text = format!("{mode}, tiles of {}", self.tile_len);
        if !self.layout.lanes.is_empty() {
            text += &format!(" along {}", axes(&self.layout.lanes));
        }
        if let Some(k) = self.layout.rows {
            text += &format!(", blocks of {} along i{k}", self.block);
        }
        text
    }

    /// The schedule with the steps of every program.
    pub fn text(&self) -> String {
        let mut text = format!("{}{}\n", self.kernel, self.schedule());
        let mut list = |name: String, program: &Program| {
            if !program.steps.is_empty() {
                text += &format!("{name}:\n");
                program.steps.iter().for_each(|step| step.describe(1, &mut text));
            }
        };
        list("once".into(), &self.launch);
        for (s, sweep) in self.sweeps.iter().enumerate() {
            list(format!("before sweep {s}"), &self.outside[s]);
            list(format!("sweep {s}, each tile"), &sweep.lanes);
            list(format!("sweep {s}, each block of rows"), &sweep.rows);
            list(format!("sweep {s}, each row of lanes"), &sweep.body);
        }
        list("at the end".into(), &self.outside[self.sweeps.len()]);
        text
    }
}

impl Target {
    fn text(self) -> String {
        match self {
            Target::Register => String::new(),
            Target::Store(k) => format!(", into store {k}"),
            Target::Row(k) => format!(", into row {k}"),
            Target::Stream(k) => format!(", past the caches into store {k}"),
        }
    }
}

impl Chain {
    /// The chain as a line.
    fn text(&self) -> String {
        let mut text = format!("v{}", self.first);
        for link in &self.links {
            text = match (link.op, link.second) {
                (Basic::Square, _) => format!("Square({text})"),
                (op, false) => format!("{op:?}({text}, v{})", link.arg),
                (op, true) => format!("{op:?}(v{}, {text})", link.arg),
            };
        }
        if let Some(choice) = self.choice {
            let not = if choice.holds { "" } else { "not " };
            text += &format!(" if {not}v{} else v{}", choice.condition, choice.other);
        }
        match self.sum {
            Some(acc) => format!("accumulator {acc} sums up {text}"),
            None => format!("v{} = {text}{}", self.v, self.target.text()),
        }
    }
}

impl Step {
    /// Appends the step as a line, or as several.
    pub(super) fn describe(&self, depth: usize, text: &mut String) {
        let line = match self {
            Step::Index { v, map, index, .. } => format!("v{v} = index {map:?} of {index}"),
            Step::Numbers { v, .. } | Step::Truth { v, .. } => format!("v{v} as a tile"),
            Step::Scalar { v, slot, .. } => format!("v{v} = scalar {slot}"),
            Step::Op { v, args, arity, target, .. } => {
                let args: Vec<_> =
                    args[..*arity as usize].iter().map(|a| format!("v{a}")).collect();
                format!("v{v} = op({}){}", args.join(", "), target.text())
            }
            Step::Chain(chain) => chain.text(),
            Step::Call(call) | Step::UserScan { call, .. } => {
                let scan = if matches!(self, Step::Call(_)) { "" } else { "scan " };
                let args: Vec<_> = call.args.iter().map(|a| format!("v{}", a.v)).collect();
                let results = call.results.iter().filter_map(|r| r.v);
                let results: Vec<_> = results.map(|v| format!("v{v}")).collect();
                format!("{} = {scan}{}({})", results.join(", "), call.name, args.join(", "))
            }
            Step::Scan { v, arg, .. } => format!("v{v} = scan v{arg}"),
            Step::Load { v, input, index, in_place, .. } => {
                let how = if *in_place { ", in place" } else { "" };
                format!("v{v} = in{input}[{index}]{how}")
            }
            Step::Draw { v, index, .. } => format!("v{v} = numbers [{index}] of a stream"),
            Step::RowLoad { v, row, index, .. } => format!("v{v} = row {row}[{index}]"),
            Step::Serial(serial) => serial.describe(depth, text),
            Step::UserSerial(serial) => {
                let axes: Vec<_> = serial.axes.iter().map(|a| format!("i{}", a.0)).collect();
                format!("fold v{:?} by a function over {}:", serial.args, axes.join(" "))
            }
            Step::UserFold { state, args } => format!("state {state} folds v{args:?}"),
            Step::Fold { acc, args, .. } => format!("accumulator {acc} folds v{}", args[0]),
            Step::RowStore { row, value } => format!("row {row} = v{value}"),
            Step::Store { store, .. } => format!("store {store}"),
        };
        *text += &format!("{}{line}\n", "  ".repeat(depth));
        let inner = match self {
            Step::Serial(serial) => &serial.steps[..],
            Step::UserSerial(serial) => &serial.steps,
            _ => &[],
        };
        inner.iter().for_each(|step| step.describe(depth + 1, text));
    }
}
