//! Kernels without reductions over several axes: threads along the innermost axis and along one
//! more, the rows; the block's number is taken apart into the other axes.

use super::Launch;
use super::elementwise::{columns_into_arrays, positions, work};
use super::emit::{Emitter, Turns};
use super::forms::emit_item;
use super::items::{Lane, early_loads, issue_loads};
use super::kinds::{BLOCK, GridPlan};
use super::names::type_name;
use super::usual;
use crate::kernel::{AxisKind, AxisSet, Inst, Kernel, Val};

/// The width and height of a tile through which turned loads go.
const TILE: usize = 32;

/// Writes a kernel by tiles of rows and columns.
pub(super) fn grid(e: &mut Emitter, plan: &GridPlan) -> Launch {
    let grid = Grid::new(e.kernel, plan);
    let launch = grid.header(e);
    if plan.turned {
        grid.turn_loads(e);
    }
    hoist_columns(e, &grid.lane());
    if plan.terms {
        grid.share_terms(e);
        grid.walk(e);
    } else {
        grid.items(e);
    }
    launch
}

struct Grid<'p> {
    plan: &'p GridPlan,
    inner: usize,
    down: usize,
    tiles: usize,
    strips: usize,
    others: AxisSet,
    blocks: usize,
}

impl<'p> Grid<'p> {
    fn new(kernel: &Kernel, plan: &'p GridPlan) -> Self {
        let axes = kernel.axes_of(AxisKind::Parallel);
        let inner = axes.len() - 1;
        let others = axes.minus(AxisSet::one(inner)).minus(AxisSet::one(plan.row));
        let down = BLOCK / plan.across;
        let tiles = kernel.axes[inner].extent.div_ceil(plan.across * plan.v);
        let strips = kernel.axes[plan.row].extent.div_ceil(down * plan.items);
        let blocks = tiles * strips * kernel.extent(others);
        Grid { plan, inner, down, tiles, strips, others, blocks }
    }

    fn lane(&self) -> Lane {
        let base = format!("x{}", self.inner);
        Lane { axis: Some(self.inner), v: self.plan.v, base, tail: None }
    }

    /// Whether all threads must stay to the end, since they meet at a barrier.
    fn together(&self) -> bool {
        self.plan.terms || self.plan.turned
    }

    fn header(&self, e: &mut Emitter) -> Launch {
        let (plan, inner, word) = (self.plan, self.inner, e.word());
        let by = e.args.named_divisor("tiles".into(), self.tiles as i64);
        let pack = if plan.v == 1 { String::new() } else { format!(" * {}", plan.v) };
        let fixed = if self.together() { "" } else { "const " };
        e.line(&format!("const {word} block = blockIdx.x;"));
        e.line(&format!("const {word} tile = lz_mod(block, {by});"));
        e.line(&format!("const {word} strip = lz_div(block, {by});"));
        let mut strip = "strip".to_string();
        if !self.others.is_empty() {
            let by = e.args.named_divisor("strips".into(), self.strips as i64);
            e.line(&format!("const {word} outer = lz_div(strip, {by});"));
            strip = format!("lz_mod(strip, {by})");
            e.decompose("outer", self.others);
        }
        e.line(&format!(
            "{fixed}{word} x{inner} = (tile * (int)blockDim.x + (int)threadIdx.x){pack};"
        ));
        if self.together() {
            e.line(&format!("const {word} top = {strip} * {};", self.down * plan.items));
        } else {
            let many = if plan.items == 1 { String::new() } else { format!(" * {}", plan.items) };
            e.line(&format!(
                "const {word} row = ({strip} * (int)blockDim.y + (int)threadIdx.y){many};"
            ));
        }
        let end = e.extent(inner);
        if self.together() {
            e.line(&format!("const bool active = x{inner} < {end};"));
            e.line(&format!("if (!active) x{inner} = {end} - {};", plan.v));
        } else {
            e.line(&format!("if (x{inner} >= {end}) return;"));
        }
        Launch { grid: self.blocks, block: [plan.across, self.down, 1], ..Launch::default() }
    }

    /// The rows of a thread, all their loads first.
    fn items(&self, e: &mut Emitter) {
        let (row, word) = (self.plan.row, e.word());
        let end = e.extent(row);
        let place = |item: &str| {
            let at = match (self.together(), self.plan.items) {
                (true, _) => format!("top + (int)threadIdx.y + {item} * {}", self.down),
                (false, 1) => "row".into(),
                (false, _) => format!("row + {item}"),
            };
            vec![format!("const {word} x{row} = {at};")]
        };
        let inside = match self.together() {
            true => format!("active && x{row} < {end}"),
            false => format!("x{row} < {end}"),
        };
        let bind = |e: &mut Emitter| e.bind(row, format!("x{row}"));
        positions(e, &self.lane(), self.plan.items, &place, &inside, &bind);
    }

    /// The rows of a thread one after the other, with the terms of each read from shared memory.
    fn walk(&self, e: &mut Emitter) {
        let (row, word, items) = (self.plan.row, e.word(), self.plan.items);
        let end = e.extent(row);
        // Rows that may be computed again are long: more of them side by side gain nothing.
        let again = e.kernel.values.iter().any(usual::is_usual);
        let turns = match weight(e.kernel) {
            40.. => 1,
            16.. if again => 2,
            _ => 4,
        };
        e.open_turns(&format!("for (int u = 0; u < {items}; ++u)"), Turns::Some(turns));
        e.line(&format!("const int t = (int)threadIdx.y * {items} + u;"));
        e.line(&format!("const {word} x{row} = top + t;"));
        e.open(&format!("if (active && x{row} < {end})"));
        e.bind(row, format!("x{row}"));
        let work = work(e);
        emit_item(e, &self.lane(), &work);
        e.close();
        e.close();
    }

    /// Computes what varies along the rows only, once a tile, into shared memory.
    fn share_terms(&self, e: &mut Emitter) {
        let (row, word) = (self.plan.row, e.word());
        let count = self.down * self.plan.items;
        let terms = row_terms(e.kernel, row, self.inner);
        for &v in &terms {
            let ctype = e.held(v);
            e.for_turns(v, |e, _, name| {
                e.line(&format!("__shared__ {ctype} shared_{name}[{count}];"));
            });
        }
        let threads = self.plan.across * self.down;
        let own = "(int)(threadIdx.y * blockDim.x + threadIdx.x)";
        e.open(&format!("for (int t = {own}; t < {count}; t += {threads})"));
        e.line(&format!("const {word} x{row} = top + t;"));
        let end = e.extent(row);
        e.open(&format!("if (x{row} < {end})"));
        e.bind(row, format!("x{row}"));
        let wanted = e.closure(terms.iter().copied());
        for v in e.ready(&wanted, 0) {
            if terms.contains(&v) {
                e.emit(v, Some(&|name| format!("shared_{name}[t]")));
            } else {
                e.emit(v, None);
            }
        }
        e.close();
        e.close();
        e.line("__syncthreads();");
    }

    /// Loads that walk the rows by one are read along the rows into a tile, and used across it.
    fn turn_loads(&self, e: &mut Emitter) {
        let (kernel, row, inner, word) = (e.kernel, self.plan.row, self.inner, e.word());
        let loads = turned_loads(kernel, row, inner);
        for &v in &loads {
            let ctype = type_name(kernel.value(v).dtype);
            e.line(&format!("__shared__ {ctype} turned{}[{TILE}][{TILE} + 1];", v.0));
        }
        let (row_end, inner_end) = (e.extent(row), e.extent(inner));
        let head = format!("for (int u = 0; u < {}; ++u)", self.plan.items);
        e.open_turns(&head, Turns::All(self.plan.items));
        e.line(&format!("const int t = (int)threadIdx.y + u * {};", self.down));
        e.line(&format!("const {word} y{inner} = tile * {TILE} + t;"));
        e.line(&format!("const {word} y{row} = top + (int)threadIdx.x;"));
        e.open(&format!("if (y{inner} < {inner_end} && y{row} < {row_end})"));
        e.bind(inner, format!("y{inner}"));
        e.bind(row, format!("y{row}"));
        for &v in &loads {
            e.emit(v, None);
            e.line(&format!("turned{0}[t][threadIdx.x] = v{0};", v.0));
        }
        e.close();
        e.close();
        e.line("__syncthreads();");
        for &v in &loads {
            let at = format!("[threadIdx.x][x{row} - top]");
            e.name_for_good((v.0, 0), format!("turned{}{at}", v.0));
        }
    }
}

/// Emits before the rows what varies only along the innermost axis.
fn hoist_columns(e: &mut Emitter, lane: &Lane) {
    let mut work = work(e);
    e.emit_ready(&work.wanted, 0);
    let loads = early_loads(e, lane, &work);
    issue_loads(e, lane, &loads, None);
    if lane.v == 1 {
        // The innermost axis is bound from here on.
        if let Some(axis) = lane.axis {
            e.bind(axis, lane.base.clone());
        }
        return e.emit_ready(&work.wanted, 0);
    }
    work.stores.clear();
    columns_into_arrays(e, lane, &mut work);
}

/// The values that vary along the rows and not across, and that something across uses.
pub(super) fn row_terms(kernel: &Kernel, row: usize, inner: usize) -> Vec<Val> {
    let serial = kernel.axes_of(AxisKind::Serial);
    let across = |k: usize| kernel.values[k].axes.has(inner);
    let along = |v: Val| {
        let axes = kernel.value(v).axes;
        axes.has(row) && !axes.has(inner) && axes.intersection(serial).is_empty()
    };
    let mut terms = Vec::new();
    for k in (0..kernel.values.len()).filter(|&k| across(k)) {
        kernel.values[k].inst.for_each_arg(|a| terms.extend(along(a).then_some(a)));
    }
    // Positions cost less than a read of shared memory.
    terms.retain(|&v| !matches!(kernel.value(v).inst, Inst::Index(_) | Inst::InRange { .. }));
    terms.sort();
    terms.dedup();
    terms
}

/// The bytes that the terms of one row take in shared memory.
pub(super) fn terms_bytes(kernel: &Kernel, row: usize, inner: usize) -> usize {
    let terms = row_terms(kernel, row, inner);
    terms.iter().map(|&v| kernel.value(v).dtype.size()).sum()
}

/// What the values that vary along the rows only cost, for one row.
pub(super) fn row_cost(kernel: &Kernel, row: usize, inner: usize) -> u32 {
    let along = |axes: AxisSet| axes.has(row) && !axes.has(inner);
    kernel.values.iter().filter(|v| along(v.axes)).map(|v| cost(&v.inst)).sum()
}

/// What all values of a position cost.
fn weight(kernel: &Kernel) -> u32 {
    let axes = kernel.axes_of(AxisKind::Parallel);
    let both = |v: &&crate::kernel::Value| v.axes.intersection(axes).len() > 1;
    kernel.values.iter().filter(both).map(|v| cost(&v.inst)).sum()
}

fn cost(inst: &Inst) -> u32 {
    inst.cost().unwrap_or(0)
}

/// The loads that walk the rows by one and the innermost axis by more, as many as have room.
pub(super) fn turned_loads(kernel: &Kernel, row: usize, inner: usize) -> Vec<Val> {
    let serial = kernel.axes_of(AxisKind::Serial);
    let turned = |k: &usize| match &kernel.values[*k].inst {
        Inst::Load { index, mask: None, .. } => {
            let affine = index.values().next().is_none();
            let own = kernel.values[*k].axes.intersection(serial).is_empty();
            own && affine && index.stride(row) == 1 && index.stride(inner).abs() > 1
        }
        _ => false,
    };
    let mut room = 40 << 10;
    let fits = |k: &usize| {
        let bytes = TILE * (TILE + 1) * kernel.values[*k].dtype.size();
        let fits = bytes <= room;
        room -= if fits { bytes } else { 0 };
        fits
    };
    (0..kernel.values.len())
        .filter(turned)
        .filter_map({
            let mut fits = fits;
            move |k| fits(&k).then_some(Val(k as u32))
        })
        .collect()
}

/// The rows of a tile whose row terms are shared, by how many blocks there would be.
pub(super) fn tile_rows(rows: usize, columns: usize, busy: usize) -> usize {
    let blocks = |tile: usize| rows.div_ceil(tile) * columns;
    if blocks(64) >= 4 * busy { 64 } else { 8 }
}

/// A plan with turned loads: a tile of 32 by 32.
pub(super) fn turned(row: usize) -> GridPlan {
    GridPlan { v: 1, items: TILE * TILE / BLOCK, across: TILE, row, terms: false, turned: true }
}
