//! The layout of a kernel: its axes as lanes, rows of tiles, and loops.

use crate::kernel::{AxisKind, AxisSet, Index, Inst, Kernel};
use crate::table::Op;

/// Which axes the lanes of tiles lie along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// There is nothing to reduce.
    Elementwise,
    /// Along Reduce axes: lanes are combined at the end of a row.
    AlongReduce,
    /// Along Parallel axes: tiles are accumulated lane by lane.
    AcrossReduce,
    /// Along a Parallel axis and all Reduce axes: a tile holds some short rows, one behind the
    /// other.
    ShortRows,
}

/// The loop structure of a kernel.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Which axes the lanes lie along.
    pub mode: Mode,
    /// The axes of the lanes, the outermost first; only that one is cut into tiles.
    pub lanes: Vec<usize>,
    /// The axis whose positions share what varies along the lanes only, and along which the
    /// values of one row of lanes are vectors.
    pub rows: Option<usize>,
    /// The other Parallel axes.
    pub parallel: Vec<usize>,
    /// The other Reduce axes.
    pub reduce: Vec<usize>,
}

/// Chooses the loop structure.
pub fn choose(kernel: &Kernel) -> Layout {
    let parallel = nontrivial(kernel, AxisKind::Parallel);
    let reduce = nontrivial(kernel, AxisKind::Reduce);
    let has_reduce = !kernel.axes_of(AxisKind::Reduce).is_empty();
    let costs = Costs::new(kernel);
    let mode = match has_reduce {
        false => Mode::Elementwise,
        true => costs.mode(kernel, parallel, reduce),
    };
    let (from, others) = match mode {
        Mode::AlongReduce => (reduce, parallel),
        Mode::Elementwise | Mode::AcrossReduce | Mode::ShortRows => (parallel, reduce),
    };
    if mode == Mode::AlongReduce
        && let Some(layout) = short_rows(kernel, parallel, reduce)
    {
        return layout;
    }
    let lanes = match mode {
        Mode::Elementwise => costs.elementwise_lanes(kernel, from),
        _ => costs.lanes(kernel, from),
    };
    let lane_set: AxisSet = lanes.iter().copied().collect();
    let rows = match mode {
        Mode::Elementwise => elementwise_rows(kernel, parallel.minus(lane_set), &lanes),
        Mode::AlongReduce => shared_rows(kernel, others, &lanes),
        // All positions of R are rows of the tile.
        Mode::AcrossReduce | Mode::ShortRows => others.iter().next_back(),
    };
    let rest = |kind: AxisKind| {
        let taken = lane_set.union(rows.iter().copied().collect());
        kernel.axes_of(kind).minus(taken).iter().collect()
    };
    Layout { mode, lanes, rows, parallel: rest(AxisKind::Parallel), reduce: rest(AxisKind::Reduce) }
}

fn nontrivial(kernel: &Kernel, kind: AxisKind) -> AxisSet {
    kernel.axes_of(kind).iter().filter(|&k| kernel.axes[k].extent > 1).collect()
}

/// The cost of a drawn number where the next one of a tile is not the next of its stream: sums of the
/// rows of 5,000 × 40 normal numbers took 34 times as long with their lanes down the rows.
const APART: f64 = 300.0;

/// What it costs to move tiles along each axis.
struct Costs {
    /// For each axis, the cost of the loads and stores of one element.
    moves: Vec<f64>,
    /// The number of instructions.
    steps: f64,
    /// Whether R must be walked in order.
    ordered: bool,
}

impl Costs {
    fn new(kernel: &Kernel) -> Self {
        let mut moves = vec![0.0; kernel.axes.len()];
        let mut add = |index: &Index, weight: f64, size: usize| {
            for (axis, cost) in moves.iter_mut().enumerate() {
                *cost += weight
                    * match kernel.slope(index, axis).unsigned_abs() as usize {
                        0 => 0.2,
                        1 => 0.5,
                        s if s * size < 64 => 4.0,
                        _ => 10.0,
                    };
            }
        };
        for value in &kernel.values {
            if let Inst::Load { index, .. } = &value.inst {
                add(index, 1.0, value.dtype.size());
            }
        }
        for store in &kernel.stores {
            add(&store.index, 1.5, kernel.value(store.value).dtype.size());
        }
        // Whole blocks of numbers are drawn where one is wanted.
        for value in &kernel.values {
            let Inst::Draw { index, .. } = &value.inst else { continue };
            for (axis, cost) in moves.iter_mut().enumerate() {
                *cost += if kernel.slope(index, axis).abs() > 1 { APART } else { 0.0 };
            }
        }
        Costs { moves, steps: kernel.values.len() as f64, ordered: kernel.is_ordered() }
    }

    /// The cost of an element when tiles of up to `len` elements lie along an axis. In a tile of a
    /// few elements a step does nothing but begin.
    fn of(&self, axis: usize, len: usize) -> f64 {
        let begin = if len < 16 { 80.0 } else { 16.0 };
        self.moves[axis] + self.steps * (0.25 + begin / len.min(512) as f64)
    }

    fn mode(&self, kernel: &Kernel, parallel: AxisSet, reduce: AxisSet) -> Mode {
        if parallel.is_empty() {
            return Mode::AlongReduce;
        }
        if reduce.is_empty() {
            return Mode::AcrossReduce;
        }
        let len = |lanes: Vec<usize>| lanes.iter().map(|&k| kernel.axes[k].extent).product();
        let best = |from: AxisSet| {
            let lanes = self.lanes(kernel, from);
            self.of(*lanes.last().expect("the set is not empty"), len(lanes.clone()))
        };
        let reductions = kernel.values.iter().filter(|v| v.inst.reduced().is_some());
        let ends = 40.0 * reductions.count() as f64 / kernel.extent(reduce) as f64;
        match best(reduce) + ends <= best(parallel) {
            true => Mode::AlongReduce,
            false => Mode::AcrossReduce,
        }
    }

    /// The axes of the lanes, outermost first: the cheapest one, and more where it is short.
    fn lanes(&self, kernel: &Kernel, from: AxisSet) -> Vec<usize> {
        let extent = |k: usize| kernel.axes[k].extent;
        let cost = |&k: &usize| self.of(k, extent(k).max(16));
        let cheapest = |a: &usize, b: &usize| cost(a).total_cmp(&cost(b)).then(b.cmp(a));
        let reduced = |k: usize| kernel.axes[k].kind == AxisKind::Reduce;
        let in_order = self.ordered && from.iter().next().is_some_and(reduced);
        let inner = if in_order { from.iter().next_back() } else { from.iter().min_by(cheapest) };
        let Some(inner) = inner else { return Vec::new() };
        let mut lanes = vec![inner];
        let mut len = extent(inner);
        let mut rest = from.minus(AxisSet::one(inner));
        while len < 256 && lanes.len() < super::affine::DIMS && !rest.is_empty() {
            // The next axis outwards in memory order, as far as there is one.
            let outward = rest.iter().rev().find(|&k| k < lanes[0]);
            let next = outward.or_else(|| rest.iter().next_back()).expect("the set is not empty");
            lanes.insert(0, next);
            len *= extent(next);
            rest = rest.minus(AxisSet::one(next));
        }
        lanes
    }
}

impl Costs {
    /// The axes of the lanes of an elementwise kernel: fewer than would fill a tile where rows and
    /// columns then share so much that shorter tiles cost less. Shortest paths, ten turns at a time,
    /// are ten operations an element and a hundred on each row and column.
    fn elementwise_lanes(&self, kernel: &Kernel, from: AxisSet) -> Vec<usize> {
        let lanes = self.lanes(kernel, from);
        let whole = shared_cost(kernel, &lanes, None);
        let inner = (1..lanes.len()).map(|k| lanes[k..].to_vec()).filter_map(|inner| {
            let set: AxisSet = inner.iter().copied().collect();
            let rows = elementwise_rows(kernel, from.minus(set), &inner)?;
            Some((shared_cost(kernel, &inner, Some(rows)), inner))
        });
        match inner.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((cost, inner)) if cost < 0.7 * whole => inner,
            _ => lanes,
        }
    }
}

/// The positions of the rows that share what varies along the lanes alone.
const SHARING: usize = 64;

/// The cost of an element of an elementwise kernel with tiles along these lanes, where what varies
/// along the lanes or along the rows alone is computed once for all that share it. A step costs as
/// in [`Costs::of`].
fn shared_cost(kernel: &Kernel, lanes: &[usize], rows: Option<usize>) -> f64 {
    let extent = |k: usize| kernel.axes[k].extent;
    let serial = kernel.axes_of(AxisKind::Serial);
    let set: AxisSet = lanes.iter().copied().collect();
    let len = lanes.iter().map(|&k| extent(k)).product::<usize>();
    let sharing = rows.map_or(1, |rows| extent(rows).min(SHARING));
    let tile = |len: usize| {
        let begin = if len < 16 { 80.0 } else { 16.0 };
        begin / len.clamp(1, 512) as f64
    };
    let cost = |value: &crate::kernel::Value| {
        let turns = kernel.extent(value.axes.intersection(serial)) as f64;
        let element = 0.25 * f64::from(value.inst.cost().unwrap_or(1).max(1));
        let (along, across) = match rows {
            Some(rows) => (!value.axes.intersection(set).is_empty(), value.axes.has(rows)),
            None => (true, true),
        };
        turns
            * match (along, across) {
                (true, true) => element + tile(len),
                (true, false) => (element + tile(len)) / sharing as f64,
                (false, true) => (element + tile(sharing)) / len as f64,
                (false, false) => 0.0,
            }
    };
    let is_step = |value: &&crate::kernel::Value| !value.inst.is_index() && !value.axes.is_empty();
    kernel.values.iter().filter(is_step).map(cost).sum()
}

/// The axis along which an elementwise kernel shares values, if that saves something.
fn elementwise_rows(kernel: &Kernel, from: AxisSet, lanes: &[usize]) -> Option<usize> {
    let lane_set: AxisSet = lanes.iter().copied().collect();
    let inner = *lanes.last()?;
    let saved = |axis: usize| -> u64 {
        let mut sum = 0;
        for value in &kernel.values {
            let along = !value.axes.intersection(lane_set).is_empty();
            sum += match &value.inst {
                // What varies along the lanes only is computed once for all rows.
                inst @ (Inst::Op(..) | Inst::Call { .. }) if along && !value.axes.has(axis) => {
                    10 * u64::from(inst.cost().unwrap_or(1))
                }
                // What varies along the rows only is computed as a vector.
                Inst::Op(..) | Inst::Call { .. } | Inst::Cast(_)
                    if !along && value.axes.has(axis) =>
                {
                    10
                }
                // A transposed load finds the other elements of its cache lines in the next rows.
                Inst::Load { index, .. }
                    if kernel.slope(index, inner).abs() > 1
                        && kernel.slope(index, axis).abs() == 1 =>
                {
                    40
                }
                _ => 0,
            };
        }
        sum
    };
    let best = from.iter().max_by_key(|&k| (saved(k), k))?;
    (saved(best) >= 10).then_some(best)
}

/// Whole rows of R in a tile, where they are short and nothing else is gained by taking them one
/// by one.
fn short_rows(kernel: &Kernel, parallel: AxisSet, reduce: AxisSet) -> Option<Layout> {
    let axis = parallel.iter().next_back()?;
    let len = kernel.extent(reduce);
    let fits = len <= 1024 && !reduce.is_empty() && reduce.len() < super::affine::DIMS;
    // What varies along R only is better computed once for all rows.
    let shared = |v: &crate::kernel::Value| {
        v.inst.cost().is_some() && !v.axes.is_empty() && v.axes.is_subset(reduce)
    };
    // Along one row an index that wraps or is held has a few affine pieces, in a tile it has not.
    let wraps = |v: &crate::kernel::Value| {
        (v.inst.is_index() || matches!(v.inst, Inst::InRange { .. }))
            && !v.axes.intersection(reduce).is_empty()
    };
    let values = || kernel.values.iter();
    if !fits || values().any(shared) || (len > 32 && values().any(wraps)) {
        return None;
    }
    let lanes: Vec<usize> = std::iter::once(axis).chain(reduce.iter()).collect();
    let rest = |kind: AxisKind| {
        kernel.axes_of(kind).iter().filter(|k| !lanes.contains(k)).collect::<Vec<_>>()
    };
    let (parallel, reduce) = (rest(AxisKind::Parallel), rest(AxisKind::Reduce));
    Some(Layout { mode: Mode::ShortRows, lanes, rows: None, parallel, reduce })
}

/// Whether tiles along the lanes read columns of arrays that lie along the rows.
pub fn is_transposed(kernel: &Kernel, layout: &Layout) -> bool {
    let (Some(&lane), Some(row)) = (layout.lanes.last(), layout.rows) else { return false };
    layout.mode == Mode::Elementwise
        && kernel.values.iter().any(|v| match &v.inst {
            Inst::Load { index, .. } => {
                kernel.slope(index, lane).abs() > 1 && kernel.slope(index, row).abs() == 1
            }
            _ => false,
        })
}

/// The Parallel axis whose positions a reduction along lanes takes together: where rows are short
/// or share what varies along R only.
fn shared_rows(kernel: &Kernel, from: AxisSet, lanes: &[usize]) -> Option<usize> {
    let reduce = kernel.axes_of(AxisKind::Reduce);
    let lane_set: AxisSet = lanes.iter().copied().collect();
    let shared = |axis: usize| {
        let alike = |v: &crate::kernel::Value| {
            matches!(&v.inst, Inst::Op(..) | Inst::Call { .. } | Inst::Load { .. })
                && !v.axes.intersection(lane_set).is_empty()
                && !v.axes.has(axis)
        };
        kernel.values.iter().filter(|v| alike(v)).count()
    };
    let best = from.iter().max_by_key(|&k| (shared(k), k))?;
    (shared(best) > 0 || kernel.extent(reduce) <= 4096).then_some(best)
}

/// Whether an operation chooses between its second and third argument.
pub fn is_choice(op: Op) -> bool {
    op.form() == crate::table::Form::select
}
