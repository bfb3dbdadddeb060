//! Scans by rows: a team of threads walks R, a tile at a time, and holds what lies before the
//! tile. Few long rows are cut into tiles of which each has its block.
//!
//! A block must then learn what the tiles before its own combine to. It asks for it in a tree of
//! fixed shape, so that the same values are combined in the same order on every run, whatever the
//! order in which blocks finish: every 32 tiles are a group, every 32 groups a larger one. A tile
//! combines what lies before the larger group, the groups before its own in that, and the tiles
//! before its own in the group; the last tile of a group says what the group combines to, the last
//! of a larger one what lies up to its end. So one wait in 1,024 tiles follows from another, where
//! taking whatever neighbours have ready would be as fast and never the same twice.

use super::Launch;
use super::emit::{Emitter, Turns};
use super::forms::emit_item;
use super::items::{Lane, Work, declare_loads, early_loads, issue_loads};
use super::kinds::BLOCK;
use super::measure::accumulator_size;
use super::names::words;
use crate::kernel::{AxisKind, AxisSet, Inst, Kernel, Val};
use rustc_hash::FxHashSet;

/// The packs of a thread.
pub(super) struct ScanRows {
    /// The positions of a pack along R.
    pub v: usize,
    /// The threads that share a row: a part of a warp, a warp, or the whole block.
    pub team: usize,
    /// The packs of a thread in a tile.
    pub keep: usize,
    /// The tiles of a row that have blocks of their own; 1 where a team walks the whole row.
    pub parts: usize,
}

/// The tiles of a group, and the groups of a larger one: the lanes of a warp.
const GROUP: usize = 32;

/// Writes a kernel with scans by rows.
pub(super) fn scan_rows(e: &mut Emitter, plan: &ScanRows) -> Launch {
    let writer = Writer::new(e, plan);
    let mut launch = writer.header(e);
    let everything = e.closure(super::rows::roots(e.kernel));
    e.emit_ready(&everything, 0);
    for &v in &writer.scans {
        let (ctype, first) = (e.accumulator(v), e.identity(v));
        e.line(&format!("{ctype} sum{} = {first};", v.0));
        if plan.team > 32 {
            e.line(&format!("__shared__ {ctype} warps{}[{}];", v.0, plan.team / 32));
        }
    }
    if plan.parts > 1 {
        writer.tile(e);
        writer.part(e, &mut launch);
        return launch;
    }
    let (word, end, tile) = (e.word(), e.extent(writer.axis), writer.tile_len());
    e.open(&format!("for ({word} first = 0; first < {end}; first += {tile})"));
    writer.tile(e);
    writer.scan(e, "sum");
    writer.after(e);
    if plan.team > 32 {
        e.line("__syncthreads();");
    }
    e.close();
    launch
}

/// The values that the scans take.
pub(super) fn arguments(kernel: &Kernel, scans: &[Val]) -> Vec<Val> {
    let mut taken = Vec::new();
    scans.iter().for_each(|&v| kernel.value(v).inst.for_each_arg(|a| taken.push(a)));
    taken
}

/// Whether the scan leaves elements out of their own results.
fn is_exclusive(kernel: &Kernel, v: Val) -> bool {
    matches!(kernel.value(v).inst, Inst::Scan { exclusive: true, .. })
}

fn fold(e: &Emitter, v: Val) -> String {
    let (ctype, folded) = (e.accumulator(v), e.combined(v, "a", "b"));
    format!("[](const {ctype}& a, const {ctype}& b) {{ return {folded}; }}")
}

struct Writer<'p> {
    plan: &'p ScanRows,
    axis: usize,
    scans: Vec<Val>,
    /// What is made before the scans and used after them.
    kept: FxHashSet<Val>,
    threads: usize,
    length: usize,
    count: usize,
}

impl<'p> Writer<'p> {
    fn new(e: &Emitter, plan: &'p ScanRows) -> Self {
        let kernel = e.kernel;
        let axis = kernel.axes_of(AxisKind::Reduce).iter().next().unwrap_or(0);
        let scans = kernel.scans();
        Writer {
            plan,
            axis,
            kept: kept(e, &scans, plan.v * plan.keep),
            scans,
            threads: if plan.team <= 32 { BLOCK } else { plan.team },
            length: kernel.axes[axis].extent,
            count: kernel.extent(kernel.axes_of(AxisKind::Parallel)),
        }
    }

    fn tile_len(&self) -> usize {
        self.plan.team * self.plan.keep * self.plan.v
    }

    fn ragged(&self) -> bool {
        self.plan.team <= 32
    }

    /// Finds the X position, and the tile where a row is cut.
    fn header(&self, e: &mut Emitter) -> Launch {
        let (word, axes) = (e.word(), e.kernel.axes_of(AxisKind::Parallel));
        let ScanRows { team, parts, .. } = *self.plan;
        if parts > 1 {
            let by = e.args.named_divisor("parts".into(), parts as i64);
            let counters = e.args.counters();
            e.line(&format!("const {word} ticket = lz_ticket({counters});"));
            e.line(&format!("const {word} part = lz_mod(ticket, {by});"));
            e.line(&format!("const {word} team = lz_div(ticket, {by});"));
            e.line(&format!("const {word} first = part * {};", self.tile_len()));
        } else if self.ragged() {
            let per = self.threads / team;
            let count = e.args.number("teams".into(), self.count as i64);
            e.line(&format!("{word} team = ({word})blockIdx.x * {per} + threadIdx.x / {team};"));
            e.line(&format!("const bool active = team < {count};"));
            // A team without a row computes the last one again, and stores nothing.
            e.line(&format!("if (!active) team = {count} - 1;"));
        } else {
            e.line(&format!("const {word} team = blockIdx.x;"));
        }
        e.decompose("team", axes);
        let blocks = self.count.div_ceil(self.threads / team) * parts;
        Launch { grid: blocks, block: [self.threads, 1, 1], ..Launch::default() }
    }

    fn lane(&self, e: &mut Emitter) -> Lane {
        let cut = self.plan.v > 1 && !self.length.is_multiple_of(self.plan.v);
        let tail = if cut { Some(e.extent(self.axis)) } else { None };
        Lane { axis: Some(self.axis), v: self.plan.v, base: format!("x{}", self.axis), tail }
    }

    fn subscript(&self) -> &'static str {
        if self.plan.v > 1 { "[k][e]" } else { "[k]" }
    }

    /// The place of an item in its tile.
    fn place(&self, e: &Emitter) -> String {
        let ScanRows { v, team, keep, .. } = *self.plan;
        let (word, at) = (e.word(), self.axis);
        if team <= 32 {
            return format!(
                "const {word} x{at} = first + (k * {team} + (int)threadIdx.x % {team}) * {v};"
            );
        }
        let warp = format!("((int)threadIdx.x / 32 * {keep} + k) * 32 + (int)threadIdx.x % 32");
        format!("const {word} x{at} = first + ({warp}) * {v};")
    }

    fn open_items(&self, e: &mut Emitter) {
        let (place, end) = (self.place(e), e.extent(self.axis));
        let head = format!("for (int k = 0; k < {}; ++k)", self.plan.keep);
        e.open_turns(&head, Turns::All(self.plan.keep));
        e.line(&place);
        e.open(&format!("if (x{} < {end})", self.axis));
    }

    /// Makes what the scans take, in arrays.
    fn tile(&self, e: &mut Emitter) {
        let (v, keep, lane) = (self.plan.v, self.plan.keep, self.lane(e));
        for &scan in &self.scans {
            let (ctype, first) = (e.accumulator(scan), e.identity(scan));
            e.line(&format!("{ctype} scan{}[{keep}][{v}];", scan.0));
            e.line("#pragma unroll");
            let each = format!("for (int k = 0; k < {keep}; ++k) for (int e = 0; e < {v}; ++e)");
            e.line(&format!("{each} scan{}[k][e] = {first};", scan.0));
        }
        let mut roots = arguments(e.kernel, &self.scans);
        roots.extend(&self.kept);
        let work = Work {
            wanted: e.closure(roots),
            scans: self.scans.clone(),
            scan_into: if v > 1 { "[k][e]".into() } else { "[k][0]".into() },
            kept: self.kept.clone(),
            subscript: self.subscript().into(),
            ..Work::default()
        };
        let mut loads = early_loads(e, &lane, &work);
        // What the scans alone use may be loaded early as far as registers go.
        let mut room = 64;
        loads.retain(|&l| {
            let taken = keep * v * words(e.kernel.value(l).dtype);
            let fits = work.kept.contains(&l) || taken <= room;
            room -= if fits { taken.min(room) } else { 0 };
            fits
        });
        declare_loads(e, &lane, &loads, keep);
        self.declare_kept(e, &loads);
        if !loads.is_empty() {
            self.open_items(e);
            issue_loads(e, &lane, &loads, Some("[k]"));
            e.close();
            e.close();
        }
        self.open_items(e);
        emit_item(e, &lane, &work);
        e.close();
        e.close();
    }

    fn declare_kept(&self, e: &mut Emitter, loads: &[Val]) {
        let mut kept: Vec<Val> = self.kept.iter().copied().filter(|v| !loads.contains(v)).collect();
        kept.sort();
        let (keep, v) = (self.plan.keep, self.plan.v);
        let vector = if v > 1 { format!("[{v}]") } else { String::new() };
        for v in kept {
            let held = e.held(v);
            e.for_turns(v, |e, _, name| e.line(&format!("{held} {name}[{keep}]{vector};")));
        }
    }

    /// Scans the arrays of a tile; `sum` is what the names of what lies before begin with.
    fn scan(&self, e: &mut Emitter, sum: &str) {
        for &v in &self.scans {
            let (k, ctype) = (v.0, e.accumulator(v));
            let (fold, team) = (fold(e, v), self.plan.team);
            e.line(&format!("{ctype} before{k}[{}];", self.plan.keep));
            if team <= 32 {
                e.line(&format!("lz_scan_lanes<{team}>(scan{k}, before{k}, {sum}{k}, {fold});"));
            } else {
                let first = e.identity(v);
                e.line(&format!(
                    "lz_scan_block<{team}>(scan{k}, before{k}, {sum}{k}, warps{k}, {ctype}({first}), {fold});"
                ));
            }
            if self.plan.parts == 1 {
                self.finish(e, v);
            }
        }
    }

    fn finish(&self, e: &mut Emitter, v: Val) {
        let (k, fold, exclusive) = (v.0, fold(e, v), is_exclusive(e.kernel, v));
        e.line(&format!("lz_scan_finish<{exclusive}>(scan{k}, before{k}, {fold});"));
    }

    /// Makes what follows from the scans, and stores it.
    fn after(&self, e: &mut Emitter) {
        let lane = self.lane(e);
        let at = if self.plan.v > 1 { "[k][e]" } else { "[k][0]" };
        for &v in &self.scans {
            e.name_result(v, &format!("scan{}{at}", v.0));
        }
        let scans = &self.scans;
        let wanted = e.closure_up_to(super::rows::roots(e.kernel), &|v| scans.contains(&v));
        let work = Work {
            wanted,
            stores: e.phases.sweeps[0].stores.clone(),
            store_if: self.ragged().then(|| "active".to_string()),
            ..Work::default()
        };
        self.open_items(e);
        emit_item(e, &lane, &work);
        e.close();
        e.close();
    }

    /// Scans a tile that has a block of its own.
    fn part(&self, e: &mut Emitter, launch: &mut Launch) {
        self.scan(e, "sum");
        self.look_back(e, launch);
        for &v in &self.scans {
            self.finish(e, v);
        }
        self.after(e);
        let counters = e.args.counters();
        let all = e.args.number("counters_used".into(), launch.counters as i64);
        e.open(&format!("if (lz_last_block({counters} + 1, gridDim.x))"));
        // Nobody waits any more: the counters are the next launch's.
        e.line(&format!(
            "for (int k = threadIdx.x; k < (int){all}; k += {}) {counters}[k] = 0;",
            self.threads
        ));
        e.close();
    }

    /// Combines what lies before the tile, and says what others need of it.
    fn look_back(&self, e: &mut Emitter, launch: &mut Launch) {
        let groups = self.plan.parts.div_ceil(GROUP);
        let larger = groups.div_ceil(GROUP);
        let each = self.plan.parts + groups + larger;
        launch.counters = 2 + each * self.count;
        let counters = e.args.counters();
        let number = |e: &mut Emitter, name: &str, n: usize| e.args.number(name.into(), n as i64);
        let (each, groups) = (number(e, "each", each), number(e, "groups", groups));
        let parts = number(e, "tiles", self.plan.parts);
        e.line(&format!(
            "unsigned int* const tile_flags = {counters} + 2 + (long long)team * {each};"
        ));
        e.line(&format!("unsigned int* const group_flags = tile_flags + {parts};"));
        e.line(&format!("unsigned int* const larger_flags = group_flags + {groups};"));
        self.places(e, launch, &each, &parts, &groups);
        let scans: Vec<(Val, u32, String, String)> =
            self.scans.iter().map(|&v| (v, v.0, e.accumulator(v), fold(e, v))).collect();
        for (_, k, ctype, _) in &scans {
            e.line(&format!("__shared__ {ctype} prefix{k};"));
        }
        e.open("if (threadIdx.x < 32)");
        e.line("const int lane = threadIdx.x, group = (int)part / 32, larger = group / 32;");
        e.open("if (lane == 0)");
        for (_, k, _, _) in &scans {
            e.line(&format!("tiles{k}[part] = sum{k};"));
        }
        e.line("lz_raise(tile_flags + part);");
        e.close();
        e.line("const bool has_tile = lane < (int)part % 32, has_group = lane < group % 32;");
        e.line("if (has_tile) lz_await(tile_flags + group * 32 + lane);");
        e.line("__syncwarp();");
        for (v, k, ctype, fold) in &scans {
            let first = e.identity(*v);
            e.line(&format!("{ctype} near{k} = has_tile ? lz_peek(tiles{k} + group * 32 + lane) : {ctype}({first});"));
            e.line(&format!("near{k} = lz_fold_in_order(near{k}, {fold});"));
            let own = e.combined(*v, &format!("near{k}"), &format!("sum{k}"));
            e.line(&format!("if (lane == 0 && part % 32 == 31) groups{k}[group] = {own};"));
        }
        e.line("if (lane == 0 && part % 32 == 31) lz_raise(group_flags + group);");
        e.line("if (has_group) lz_await(group_flags + larger * 32 + lane);");
        e.line("if (larger > 0) lz_await(larger_flags + larger - 1);");
        e.line("__syncwarp();");
        for (v, k, ctype, fold) in &scans {
            let first = e.identity(*v);
            e.line(&format!("{ctype} far{k} = has_group ? lz_peek(groups{k} + larger * 32 + lane) : {ctype}({first});"));
            e.line(&format!("far{k} = lz_fold_in_order(far{k}, {fold});"));
            let far = e.combined(*v, &format!("further{k}"), &format!("far{k}"));
            e.line("if (larger > 0) {");
            e.line(&format!("    const {ctype} further{k} = lz_peek(larger{k} + larger - 1);"));
            e.line(&format!("    far{k} = {far};"));
            e.line("}");
            let prefix = e.combined(*v, &format!("far{k}"), &format!("near{k}"));
            e.line(&format!("near{k} = {prefix};"));
            let end = e.combined(*v, &format!("near{k}"), &format!("sum{k}"));
            e.line(&format!("if (lane == 0 && part % 1024 == 1023) larger{k}[larger] = {end};"));
            e.line(&format!("if (lane == 0) prefix{k} = near{k};"));
        }
        e.line("if (lane == 0 && part % 1024 == 1023) lz_raise(larger_flags + larger);");
        e.close();
        e.line("__syncthreads();");
        for (v, k, _, _) in &scans {
            let with = e.combined(*v, &format!("prefix{k}"), &format!("before{k}[k]"));
            e.line("#pragma unroll");
            e.line(&format!("for (int k = 0; k < {}; ++k) before{k}[k] = {with};", self.plan.keep));
        }
    }

    /// Names the memory of the tree for each scan.
    fn places(&self, e: &mut Emitter, launch: &mut Launch, each: &str, parts: &str, groups: &str) {
        let scratch = e.args.scratch();
        let total = launch.counters - 2;
        let mut sorted = self.scans.clone();
        sorted.sort_by_key(|&v| std::cmp::Reverse(accumulator_size(e.kernel, v)));
        let mut at = 0usize;
        for v in sorted {
            let (k, ctype) = (v.0, e.accumulator(v));
            let offset = match at {
                0 => String::new(),
                at => format!(" + {}", e.args.number(format!("scratch{k}"), at as i64)),
            };
            e.line(&format!(
                "{ctype}* const tiles{k} = ({ctype}*)({scratch}{offset}) + (long long)team * {each};"
            ));
            e.line(&format!("{ctype}* const groups{k} = tiles{k} + {parts};"));
            e.line(&format!("{ctype}* const larger{k} = groups{k} + {groups};"));
            at = (at + total * accumulator_size(e.kernel, v)).next_multiple_of(16);
        }
        launch.scratch = at;
    }
}

/// The values over R that are made before the scans and used after them, and loads that only what
/// follows uses, as far as registers go.
fn kept(e: &Emitter, scans: &[Val], items: usize) -> FxHashSet<Val> {
    let kernel = e.kernel;
    let (reduce, serial) = (kernel.axes_of(AxisKind::Reduce), kernel.axes_of(AxisKind::Serial));
    let before = e.closure(arguments(kernel, scans));
    let roots = super::rows::roots(kernel);
    let after = e.closure_up_to(roots.iter().copied(), &|v| scans.contains(&v));
    let depends = kernel.after_scans();
    let own = |axes: AxisSet| {
        !axes.intersection(reduce).is_empty() && axes.intersection(serial).is_empty()
    };
    let may = |k: usize| {
        let value = &kernel.values[k];
        own(value.axes) && !depends[k] && !e.cheap[k] && after[k]
    };
    let keepable = |k: usize| may(k) && before[k];
    let mut kept: FxHashSet<Val> = FxHashSet::default();
    let mut used = |v: Val| {
        if keepable(v.at()) {
            kept.insert(v);
        }
    };
    roots.iter().for_each(|&v| used(v));
    for k in (0..kernel.values.len()).filter(|&k| after[k] && !keepable(k)) {
        if !scans.contains(&Val(k as u32)) {
            kernel.values[k].inst.for_each_arg(&mut used);
        }
    }
    let mut room = 64usize;
    for k in (0..kernel.values.len()).filter(|&k| may(k) && !before[k]) {
        let (v, taken) = (Val(k as u32), items * words(kernel.values[k].dtype));
        let plain = matches!(kernel.values[k].inst, Inst::Load { mask: None, .. });
        if plain && taken <= room {
            room -= taken;
            kept.insert(v);
        }
    }
    kept
}
