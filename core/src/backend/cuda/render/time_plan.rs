//! Whether several turns of a stencil are worth a launch, and by which tiles.
//!
//! A block that keeps a tile on the chip takes `turns` turns with it and computes the border again
//! that its neighbours compute too: the more turns, the fewer launches and passes over memory, and the
//! more work twice. What a launch takes is estimated for each shape of a tile, in clocks of an H100's
//! multiprocessor; the shape with the fewest clocks a turn is taken, where it beats a launch a turn.
//!
//! Bounds: a tile's two copies of what is read beside a position fit into a block's shared memory,
//! what a thread keeps fits into its registers, and the positions of a thread are so few that NVRTC
//! takes no longer than for other kernels. Memory on the device is that of a launch a turn.

use super::names::words;
use super::{Launch, REGISTERS, Target, usual};
use crate::dtype::DType;
use crate::kernel::around::{Along, Around};
use crate::kernel::{AxisKind, AxisSet, Inst, Kernel, Val, weight};
use rustc_hash::FxHashSet;

/// From the end of one launch's work to the beginning of the next one's.
const LAUNCH: f64 = 3_900.0;
/// The same where blocks of one launch wait for each other.
const WAIT: f64 = 2_200.0;
/// What the first reads and the last writes of a tile take, besides moving.
const BEGIN: f64 = 1_500.0;
/// What a turn of a tile takes besides its work: a barrier, and the way through the pipelines.
const TURN: f64 = 250.0;
/// So many warps more would keep a multiprocessor busy as if nothing waited. 1,000 sweeps over 1024²
/// doubles took an H100 2.37 ms by 13 warps of 8 by 4 positions a thread, 2.29 by 15 of 7 by 4, 1.98 by
/// 21 of 5 by 4, and 2.13 by 26 of 4 by 4.
const IDLE: f64 = 8.0;
/// The bytes a multiprocessor moves in a clock, from the second cache and from memory.
const CACHED: f64 = 24.0;
const UNCACHED: f64 = 13.0;
/// The bytes of arrays that stay in the second cache.
const CACHE: usize = 30 << 20;
/// How much better than a launch a turn an estimate must be.
const GAIN: f64 = 0.8;
/// The registers that a thread needs for places and for what it works on.
const WORKING: usize = 28;
/// The bytes that a block's shared memory must leave.
const SPARE_BYTES: usize = 1 << 10;

/// The turns of a launch that are tried.
const TURNS: [usize; 10] = [2, 3, 4, 6, 8, 10, 12, 16, 20, 24];
/// The rows of a thread that are tried.
const ROWS: [usize; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
/// The columns of a thread that are tried.
const COLUMNS: [usize; 3] = [1, 2, 4];

/// The tiles of a kernel that takes several turns a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct TimePlan {
    /// The turns of a launch.
    pub turns: usize,
    /// The columns of a thread.
    pub v: usize,
    /// The rows of a thread.
    pub rows: usize,
    /// The threads of a block along the innermost axis.
    pub across: usize,
    /// Those along the rows.
    pub down: usize,
    /// Whether what a thread reads of other arrays at its own positions stays in registers.
    pub keeps: bool,
}

/// What is tiled of a kernel.
pub(super) struct Tiled<'k> {
    pub kernel: &'k Kernel,
    pub around: &'k Around,
    /// The innermost axis.
    pub inner: usize,
    /// The axis of the rows, where there is one.
    pub row: Option<usize>,
}

impl<'k> Tiled<'k> {
    /// None where a kernel is no stencil that tiles can be cut for.
    pub(super) fn new(kernel: &'k Kernel, around: &'k Around) -> Option<Tiled<'k>> {
        let axes = kernel.axes_of(AxisKind::Parallel);
        let inner = axes.len().checked_sub(1)?;
        let tiled = Tiled { kernel, around, inner, row: inner.checked_sub(1) };
        let is_alone = |k: usize| around.reach[k] == 0;
        let is_plain = |v: &crate::kernel::Value| {
            !matches!(v.inst, Inst::Draw { .. } | Inst::Row(_) | Inst::RowLoad { .. })
        };
        // A read that is the same at many positions is no read beside each of them.
        let cut = axes.minus(tiled.others());
        let walks = |v: &Val| cut.is_subset(kernel.value(*v).axes);
        let fits = kernel.axes_of(AxisKind::Reduce).is_empty()
            && around.loads.keys().all(walks)
            && tiled.others().iter().all(is_alone)
            && !axes.iter().all(is_alone)
            && kernel.values.iter().all(is_plain);
        fits.then_some(tiled)
    }

    /// The axes that blocks share out position by position.
    pub(super) fn others(&self) -> AxisSet {
        let tiled = AxisSet::one(self.inner).union(self.row.map_or(AxisSet::EMPTY, AxisSet::one));
        self.kernel.axes_of(AxisKind::Parallel).minus(tiled)
    }

    /// The reach along the rows and along the innermost axis.
    pub(super) fn reach(&self) -> (usize, usize) {
        let of = |k: usize| self.around.reach[k] as usize;
        (self.row.map_or(0, of), of(self.inner))
    }

    /// The positions along the rows and along the innermost axis.
    fn extents(&self) -> (usize, usize) {
        let of = |k: usize| self.kernel.axes[k].extent;
        (self.row.map_or(1, of), of(self.inner))
    }

    /// The outputs that are read beside a position: they lie in shared memory.
    pub(super) fn shared(&self) -> Vec<u32> {
        let is_zero = |along: &Along| matches!(along, Along::Beside(i) if *i == Default::default());
        let loads = self.around.loads.values();
        let beside = loads.filter(|near| !near.along.iter().all(is_zero));
        let mut outputs: Vec<u32> = beside.map(|near| near.output).collect();
        outputs.sort_unstable();
        outputs.dedup();
        outputs
    }

    /// The loads of other arrays at each position, which change in no turn.
    pub(super) fn constant(&self) -> Vec<Val> {
        let tiled = AxisSet::one(self.inner).union(self.row.map_or(AxisSet::EMPTY, AxisSet::one));
        let serial = self.kernel.axes_of(AxisKind::Serial);
        let mut known = vec![false; self.kernel.values.len()];
        let mut constant = Vec::new();
        for (k, value) in self.kernel.values.iter().enumerate() {
            let v = Val(k as u32);
            let mut all = !self.around.loads.contains_key(&v);
            value.inst.for_each_arg(|a| all &= known[a.at()]);
            known[k] = all;
            let is_load = matches!(value.inst, Inst::Load { .. });
            let own = value.axes.intersection(serial).is_empty() && tiled.is_subset(value.axes);
            if all && is_load && own {
                constant.push(v);
            }
        }
        constant
    }

    /// What threads of so many rows and columns read of each other.
    pub(super) fn exchange(&self, rows: usize, v: usize) -> Exchange {
        let (rows, v) = (rows as i64, v as i64);
        let own = |y: i64, x: i64| (0..rows).contains(&y) && (0..v).contains(&x);
        let cells = || (0..rows).flat_map(|y| (0..v).map(move |x| (y, x)));
        let mut exchange = Exchange::default();
        for near in self.around.loads.values() {
            let output = near.output;
            let at = |axis: Option<usize>| match axis.map(|k| &near.along[k]) {
                None => Some(vec![0]),
                Some(Along::Beside(index)) => Some(distances(self.kernel, index)),
                Some(Along::At(_)) => None,
            };
            let (Some(down), Some(across)) = (at(self.row), at(Some(self.inner))) else {
                exchange.anywhere.push(output);
                exchange.written.extend(cells().map(|(y, x)| (output, y, x)));
                continue;
            };
            for (dy, dx) in down.iter().flat_map(|&dy| across.iter().map(move |&dx| (dy, dx))) {
                for (y, x) in cells() {
                    if !own(y + dy, x + dx) {
                        exchange.read.insert((output, y + dy, x + dx));
                    }
                    if !own(y - dy, x - dx) {
                        exchange.written.insert((output, y, x));
                    }
                }
            }
        }
        exchange
    }

    fn dtype(&self, output: u32) -> DType {
        self.kernel.outputs[output as usize].dtype
    }

    /// The elements that lie before and behind a tile, so that places beside it are within.
    pub(super) fn margin(&self, plan: &TimePlan) -> usize {
        let (rows, columns) = self.reach();
        rows * plan.across * plan.v + columns.div_ceil(plan.v)
    }

    /// The bytes of one copy of a tile of an output.
    pub(super) fn copy_bytes(&self, plan: &TimePlan, output: u32) -> usize {
        let cells = plan.height() * plan.width() + 2 * self.margin(plan);
        (cells * self.dtype(output).size()).next_multiple_of(16)
    }

    /// The rows and columns of a tile that a launch writes; none where nothing is left of it.
    pub(super) fn interior(&self, plan: &TimePlan) -> Option<(usize, usize)> {
        let (rows, columns) = self.reach();
        let of = |all: usize, reach: usize| {
            all.checked_sub(2 * plan.turns * reach).filter(|&left| left > 0)
        };
        Some((of(plan.height(), rows)?, of(plan.width(), columns)?))
    }

    /// The tiles along the rows and along the innermost axis.
    pub(super) fn tiles(&self, plan: &TimePlan) -> Option<(usize, usize)> {
        let (interior, extents) = (self.interior(plan)?, self.extents());
        Some((extents.0.div_ceil(interior.0), extents.1.div_ceil(interior.1)))
    }

    /// How the kernel is launched.
    pub(super) fn launch(&self, plan: &TimePlan) -> Option<Launch> {
        let tiles = self.tiles(plan)?;
        let shared = self.shared().iter().map(|&o| 2 * self.copy_bytes(plan, o)).sum();
        Some(Launch {
            grid: tiles.0 * tiles.1 * self.kernel.extent(self.others()),
            block: [plan.across, plan.down, 1],
            shared,
            ..Launch::default()
        })
    }
}

/// What a thread reads of others, and what others read of it: outputs with rows and columns, counted from
/// its first position.
#[derive(Default)]
pub(super) struct Exchange {
    pub read: FxHashSet<(u32, i64, i64)>,
    pub written: FxHashSet<(u32, i64, i64)>,
    /// The outputs of reads whose distance changes, each once for each of them.
    pub anywhere: Vec<u32>,
}

impl TimePlan {
    /// The rows of a tile, its border included.
    pub(super) fn height(&self) -> usize {
        self.rows * self.down
    }

    /// The columns of a tile, its border included.
    pub(super) fn width(&self) -> usize {
        self.v * self.across
    }

    fn threads(&self) -> usize {
        self.across * self.down
    }
}

/// The tiles by which several turns a launch take the least time; none where a launch a turn is as
/// good.
pub(super) fn choose(tiled: &Tiled, target: &Target) -> Option<TimePlan> {
    let costs = Costs::new(tiled, target);
    let mut best: Option<(f64, TimePlan)> = None;
    let rows = if tiled.row.is_some() { &ROWS[..] } else { &ROWS[..1] };
    for (&rows, &v) in rows.iter().flat_map(|rows| COLUMNS.iter().map(move |v| (rows, v))) {
        for keeps in [true, false] {
            let Some(patch) = costs.patch(rows, v, keeps) else { continue };
            for plan in shapes(tiled, (rows, v, keeps), patch.most_threads) {
                let Some(cost) = costs.of(&plan, &patch) else { continue };
                if best.as_ref().is_none_or(|best| cost < best.0) {
                    best = Some((cost, plan));
                }
            }
            if costs.constant == 0 {
                break;
            }
        }
    }
    best.filter(|best| best.0 < GAIN * costs.launched()).map(|best| best.1)
}

/// The shapes of tiles whose threads have so many rows and columns.
fn shapes<'t>(
    tiled: &'t Tiled,
    (rows, v, keeps): (usize, usize, bool),
    most: usize,
) -> impl Iterator<Item = TimePlan> + 't {
    let most_down = if tiled.row.is_some() { most } else { 1 };
    let widths = (16..=most).step_by(4);
    let sides = widths
        .flat_map(move |across| (1..=most_down.min(most / across)).map(move |down| (across, down)));
    sides.filter(|&(across, down)| across * down >= 128).flat_map(move |(across, down)| {
        TURNS.into_iter().map(move |turns| TimePlan { turns, v, rows, across, down, keeps })
    })
}

/// What the parts of a turn cost.
struct Costs<'t> {
    tiled: &'t Tiled<'t>,
    target: &'t Target,
    /// The clocks that a warp's operations take for one position each.
    operations: f64,
    /// The bytes at a position of what turns read besides, and of the state.
    constant: usize,
    state: usize,
    /// The bytes of all arrays.
    bytes: usize,
    /// The outputs in shared memory.
    shared: Vec<u32>,
    /// The positions that blocks share out.
    others: usize,
}

/// What the positions of a thread cost.
struct Patch {
    /// The clocks that a warp takes for the positions of its threads.
    clocks: f64,
    /// The bytes that a position reads from memory in each turn.
    read: usize,
    most_threads: usize,
}

impl<'t> Costs<'t> {
    fn new(tiled: &'t Tiled, target: &'t Target) -> Self {
        let kernel = tiled.kernel;
        let size = |v: &Val| kernel.value(*v).dtype.size();
        // Four schedulers issue an instruction each; half as many lanes add doubles.
        let clocks = |value: &crate::kernel::Value| match value.inst.cost() {
            Some(cost) if value.dtype == DType::F64 => f64::from(cost) / 2.0,
            Some(cost) => f64::from(cost) / 4.0,
            // Places and conditions on them are the same in all turns.
            None => 0.0,
        };
        let inputs = kernel.inputs.iter().map(|i| i.len * i.dtype.size());
        let outputs = kernel.outputs.iter().map(|o| o.len * o.dtype.size());
        Costs {
            tiled,
            target,
            operations: kernel.values.iter().map(clocks).sum(),
            constant: tiled.constant().iter().map(size).sum(),
            state: kernel.outputs.iter().map(|o| o.dtype.size()).sum(),
            bytes: inputs.chain(outputs).sum(),
            shared: tiled.shared(),
            others: kernel.extent(tiled.others()),
        }
    }

    /// The bytes a multiprocessor moves in a clock.
    fn rate(&self) -> f64 {
        if self.bytes <= CACHE { CACHED } else { UNCACHED }
    }

    /// What a turn costs by a launch, or by blocks that wait for each other.
    fn launched(&self) -> f64 {
        let positions = self.tiled.kernel.extent(self.tiled.kernel.axes_of(AxisKind::Parallel));
        let sms = self.target.multiprocessors as usize;
        let begin = if positions <= sms << 10 { WAIT } else { LAUNCH };
        let own = positions.div_ceil(32).div_ceil(sms) as f64;
        begin + (self.bytes / sms) as f64 / self.rate() + own * self.operations
    }

    /// What the positions of a thread cost; none where they need too many registers, or NVRTC too
    /// long for them.
    fn patch(&self, rows: usize, v: usize, keeps: bool) -> Option<Patch> {
        let kernel = self.tiled.kernel;
        let cells = rows * v;
        let all = |dtypes: &mut dyn Iterator<Item = DType>| dtypes.map(words).sum::<usize>();
        let state = all(&mut kernel.outputs.iter().map(|o| o.dtype));
        let constant = match keeps {
            true => all(&mut self.tiled.constant().iter().map(|&v| kernel.value(v).dtype)),
            false => 0,
        };
        // Of a row that is done the next one needs what it was before.
        let registers = state * (cells + 2 * v) + constant * cells + WORKING;
        let heavy = kernel.values.iter().any(usual::is_usual);
        let registers = if heavy { registers + WORKING } else { registers };
        let most_threads = (REGISTERS / registers / 32 * 32).min(1024);
        let each: u64 =
            (0..kernel.values.len()).map(|k| weight::of_value(kernel, Val(k as u32))).sum();
        if registers > 255 || each * cells as u64 > weight::MOST {
            return None;
        }
        let moved = self.exchanged(rows, v);
        let computed = cells as f64 * self.operations;
        Some(Patch {
            clocks: moved.max(computed) + 0.5 * moved.min(computed),
            read: if keeps { 0 } else { self.constant },
            most_threads,
        })
    }

    /// The clocks that shared memory takes for an element of each lane of a warp.
    fn shared_clocks(&self, output: u32) -> f64 {
        words(self.tiled.dtype(output)) as f64
    }

    /// The clocks for what a thread reads beside its own positions and writes for others.
    fn exchanged(&self, rows: usize, v: usize) -> f64 {
        let exchange = self.tiled.exchange(rows, v);
        let cells = exchange.read.iter().chain(&exchange.written);
        let near: f64 = cells.map(|&(output, ..)| self.shared_clocks(output)).sum();
        let anywhere = exchange.anywhere.iter().map(|&output| self.shared_clocks(output));
        near + anywhere.sum::<f64>() * (rows * v) as f64
    }

    /// The clocks of a turn by a plan; none where it does not fit.
    fn of(&self, plan: &TimePlan, patch: &Patch) -> Option<f64> {
        let (tiled, sms) = (self.tiled, self.target.multiprocessors as usize);
        let shared: usize = self.shared.iter().map(|&o| 2 * tiled.copy_bytes(plan, o)).sum();
        if shared + SPARE_BYTES > self.target.shared_bytes {
            return None;
        }
        let ((rows, columns), tiles) = (tiled.interior(plan)?, tiled.tiles(plan)?);
        let grid = tiles.0.checked_mul(tiles.1)?.checked_mul(self.others)?;
        if grid > 1 << 30 {
            return None;
        }
        // The strips that a turn needs: fewer, the nearer it is to the last one.
        let border = (plan.turns - 1) * tiled.reach().0;
        let live = (rows + border + plan.rows).min(plan.height()) as f64 / plan.rows as f64;
        let warps = live * plan.across as f64 / 32.0;
        let cells = plan.height() * plan.width();
        let read = (cells * patch.read) as f64 / self.rate();
        let waves = grid.div_ceil(sms);
        let together = (self.target.shared_bytes / (shared + SPARE_BYTES))
            .min(patch.most_threads / plan.threads())
            .min(waves)
            .clamp(1, 4);
        let busy = plan.threads().div_ceil(32) as f64 * together as f64;
        let turn = warps * patch.clocks * (1.0 + IDLE / busy) + read;
        let moved = (cells * (self.state + self.constant - patch.read)
            + rows * columns * self.state) as f64
            / self.rate();
        let waiting = waves.div_ceil(together) as f64 * (plan.turns as f64 * TURN + BEGIN);
        let worked = waves as f64 * (plan.turns as f64 * turn + moved);
        Some((LAUNCH + waiting + worked) / plan.turns as f64)
    }
}

/// The distances that a place beside a position has over its Serial axes.
fn distances(kernel: &Kernel, index: &crate::kernel::Index) -> Vec<i64> {
    let mut all = vec![index.offset];
    for k in index.axes().iter() {
        let steps = 0..kernel.axes[k].extent as i64;
        all =
            all.iter().flat_map(|d| steps.clone().map(move |s| d + s * index.stride(k))).collect();
    }
    all
}
