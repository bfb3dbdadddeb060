//! Reductions by rows: a team of threads for each X position walks R together.

mod ordered;

use super::Launch;
use super::emit::{Emitter, Turns};
use super::forms::emit_item;
use super::items::{
    Lane, Work, declare_loads, early_loads, is_long, issue_loads, side_by_side, write_one,
};
use super::kinds::BLOCK;
use super::measure::accumulator_size;
use super::names::words;
use super::schedule::LIGHT;
use super::uses;
use super::uses::{computed, crossing, rereads};
use crate::kernel::{AxisKind, AxisSet, Inst, Kernel, Val};
use rustc_hash::{FxHashMap, FxHashSet};

/// A schedule by rows, with everything that it settles.
pub(super) struct RowPlan {
    /// The positions of a pack along the innermost Reduce axis.
    pub v: usize,
    /// The threads that share a row: a part of a warp, a warp, or the whole block.
    pub team: usize,
    /// The packs of a thread, where rows stay in registers.
    pub keep: Option<usize>,
    /// The blocks that share a row.
    pub parts: usize,
}

/// Writes a kernel by rows.
pub(super) fn rows(e: &mut Emitter, plan: &RowPlan) -> Launch {
    let kernel = e.kernel;
    let writer = Rows::new(e, plan);
    let mut launch = writer.header(e);
    launch.shared = writer.declare_rows(e);
    let sweeps = e.phases.sweeps.len();
    let everything = e.closure(roots(kernel));
    for p in 0..sweeps {
        e.emit_ready(&everything, p);
        writer.sweep(e, p);
        writer.combine(e, p, &mut launch);
    }
    e.emit_ready(&everything, sweeps);
    let only = writer.first_lane();
    for k in e.phases.stores.clone() {
        write_one(e, k, only.as_deref());
    }
    launch
}

/// The function that combines two accumulators, as a C++ lambda.
fn combiner(e: &Emitter, v: Val) -> String {
    let (ctype, folded) = (e.accumulator(v), e.combined(v, "a", "b"));
    format!("[](const {ctype}& a, const {ctype}& b) {{ return {folded}; }}")
}

/// Everything that the kernel stores, with its places.
pub(super) fn roots(kernel: &Kernel) -> Vec<Val> {
    let mut roots = Vec::new();
    for store in &kernel.stores {
        roots.push(store.value);
        roots.extend(store.index.values());
    }
    // Reductions and rows that nothing stored depends on need no work.
    roots
}

struct Rows<'p> {
    plan: &'p RowPlan,
    reduce: AxisSet,
    inner: usize,
    length: usize,
    count: usize,
    /// Threads of a block.
    threads: usize,
    kept: Vec<bool>,
    /// See [`computed`].
    computed: Vec<u32>,
    /// The values that later sweeps read back from the row that they fill.
    reread: FxHashMap<Val, Val>,
    resident: bool,
    /// Whether a block's last teams may have no row.
    ragged: bool,
    /// Whether R is walked in order: every warp takes tiles that lie one behind the other, folds
    /// each over its lanes, and goes on to the next.
    tiles: bool,
}

impl<'p> Rows<'p> {
    fn new(e: &Emitter, plan: &'p RowPlan) -> Self {
        let kernel = e.kernel;
        let reduce = kernel.axes_of(AxisKind::Reduce);
        let kept = match plan.keep {
            Some(_) => crossing(kernel, e.phases),
            None => vec![false; kernel.values.len()],
        };
        let reread = match plan.keep {
            Some(_) => rereads(kernel, e.phases),
            None => FxHashMap::default(),
        };
        let threads = if plan.team <= 32 { BLOCK } else { plan.team };
        Rows {
            plan,
            reduce,
            inner: reduce.iter().next_back().unwrap_or(0),
            length: kernel.extent(reduce),
            count: kernel.extent(kernel.axes_of(AxisKind::Parallel)),
            threads,
            kept,
            computed: computed(kernel, e.phases),
            reread,
            resident: kernel.values.iter().any(|v| matches!(v.inst, Inst::Row(_))),
            ragged: plan.team <= 32,
            tiles: kernel.is_ordered() && plan.team > 1,
        }
    }

    fn per_block(&self) -> usize {
        self.threads / self.plan.team
    }

    /// Finds the X position and binds its axes.
    fn header(&self, e: &mut Emitter) -> Launch {
        let word = e.word();
        let axes = e.kernel.axes_of(AxisKind::Parallel);
        let team = self.plan.team;
        if team == self.threads {
            e.line("const int lane = threadIdx.x;");
        } else {
            e.line(&format!("const int lane = threadIdx.x % {team};"));
        }
        if self.plan.parts > 1 {
            let by = e.args.named_divisor("parts".into(), self.plan.parts as i64);
            e.line(&format!("const {word} part = lz_mod(({word})blockIdx.x, {by});"));
            e.line(&format!("const {word} team = lz_div(({word})blockIdx.x, {by});"));
        } else if self.ragged {
            let per = self.per_block();
            let count = e.args.number("teams".into(), self.count as i64);
            e.line(&format!("{word} team = ({word})blockIdx.x * {per} + threadIdx.x / {team};"));
            e.line(&format!("const bool active = team < {count};"));
            // A team without a row computes the last one again, and stores nothing.
            e.line(&format!("if (!active) team = {count} - 1;"));
        } else {
            e.line(&format!("const {word} team = blockIdx.x;"));
        }
        e.decompose("team", axes);
        let blocks = self.count.div_ceil(self.per_block()) * self.plan.parts;
        // A large block that waits for its row is covered by others, where registers allow it.
        let words = |keep: usize| keep * uses::live_words(e.kernel, e.phases).max(1) * self.plan.v;
        let light = self.plan.keep.is_some_and(|keep| words(keep) <= LIGHT);
        let together = if light && team == 512 { 4 } else { 0 };
        Launch { grid: blocks, block: [self.threads, 1, 1], together, ..Launch::default() }
    }

    /// Shares out dynamic shared memory among the rows: a row's memory is used again once the
    /// last sweep that reads it is over.
    fn declare_rows(&self, e: &mut Emitter) -> usize {
        if !self.resident {
            return 0;
        }
        let kernel = e.kernel;
        let mut last = vec![0; kernel.values.len()];
        for (k, value) in kernel.values.iter().enumerate() {
            if let Inst::RowLoad { row, .. } = value.inst {
                last[row.at()] = last[row.at()].max(self.latest_use(e, k));
            }
        }
        e.line("LZ_DYNAMIC_SHARED(memory);");
        let (mut slots, mut end): (Vec<(usize, usize, u32)>, usize) = (Vec::new(), 0);
        for (k, value) in kernel.values.iter().enumerate() {
            if !matches!(value.inst, Inst::Row(_)) {
                continue;
            }
            let bytes = (self.length * value.dtype.size()).next_multiple_of(16);
            let filled = e.phases.of[k] - 1;
            let free = slots.iter().position(|s| s.1 >= bytes && s.2 < filled);
            let slot = free.unwrap_or_else(|| {
                slots.push((end, bytes, 0));
                end += bytes;
                slots.len() - 1
            });
            slots[slot].2 = last[k].max(filled);
            let ctype = super::names::type_name(value.dtype);
            let at = slots[slot].0;
            let place = if at == 0 {
                "memory".into()
            } else {
                let offset = e.args.number(format!("row{slot}"), at as i64);
                format!("(memory + {offset})")
            };
            e.line(&format!("{ctype}* const row{k} = ({ctype}*){place};"));
            e.rows.insert(Val(k as u32), format!("row{k}"));
        }
        end
    }

    /// The last sweep in which a value over R is computed.
    fn latest_use(&self, e: &Emitter, k: usize) -> u32 {
        if self.plan.keep.is_some() {
            return self.computed[k];
        }
        let within = |p: &usize| e.phases.sweeps[*p].body.contains(&Val(k as u32));
        (0..e.phases.sweeps.len()).rev().find(within).unwrap_or(0) as u32
    }

    /// What a sweep computes and does.
    fn work(&self, e: &Emitter, p: usize) -> Work {
        let (kernel, sweep) = (e.kernel, &e.phases.sweeps[p]);
        let mut roots = Vec::new();
        for &v in sweep.reductions.iter().chain(&sweep.rows) {
            kernel.value(v).inst.for_each_arg(|a| roots.push(a));
        }
        for &k in &sweep.stores {
            roots.push(kernel.stores[k].value);
            roots.extend(kernel.stores[k].index.values());
        }
        let mut kept: FxHashSet<Val> = FxHashSet::default();
        if self.plan.keep.is_some() {
            // What later sweeps use and this one can compute is computed now.
            for k in 0..kernel.values.len() {
                if self.kept[k] && e.phases.of[k] as usize == p {
                    kept.insert(Val(k as u32));
                    roots.push(Val(k as u32));
                }
            }
        }
        let vector = if self.plan.v > 1 { "[k][e]" } else { "[k]" };
        let there = |v: &Val| (e.phases.of[v.at()] as usize) < p;
        let reread: FxHashMap<Val, Val> =
            self.reread.iter().filter(|(v, _)| there(v)).map(|(v, r)| (*v, *r)).collect();
        Work {
            wanted: e.closure_up_to(roots, &|v| reread.contains_key(&v)),
            reread,
            phase: p,
            reductions: sweep.reductions.clone(),
            rows: sweep.rows.clone(),
            stores: sweep.stores.clone(),
            store_if: self.ragged.then(|| "active".to_string()),
            kept,
            subscript: vector.into(),
            tiles: self.tiles,
            ..Work::default()
        }
    }

    fn sweep(&self, e: &mut Emitter, p: usize) {
        for v in e.phases.sweeps[p].reductions.clone() {
            e.begin_fold(v, 1);
        }
        let work = self.work(e, p);
        match self.plan.keep {
            Some(keep) => self.kept_sweep(e, &work, keep),
            None if self.tiles => self.ordered_sweep(e, &work),
            None => self.looped_sweep(e, &work),
        }
        work.reductions.iter().for_each(|&v| e.end_fold(v, 1));
        if self.resident {
            e.line("__syncthreads();");
        }
    }

    /// The position along R: its only axis, or a linear position over several.
    fn position(&self) -> String {
        if self.reduce.len() == 1 { format!("x{}", self.inner) } else { "r".into() }
    }

    fn lane(&self, e: &mut Emitter) -> Lane {
        let cut = self.plan.v > 1 && !self.length.is_multiple_of(self.plan.v);
        let tail = if cut { Some(self.end(e)) } else { None };
        Lane { axis: Some(self.inner), v: self.plan.v, base: format!("x{}", self.inner), tail }
    }

    fn end(&self, e: &mut Emitter) -> String {
        if self.reduce.len() == 1 {
            e.extent(self.inner)
        } else {
            e.args.number("n".into(), self.length as i64)
        }
    }

    /// Finds the axes' positions from the linear one, and binds all but the innermost.
    fn take_apart(&self, e: &mut Emitter) {
        if self.reduce.len() > 1 {
            e.decompose("r", self.reduce);
            e.bound = e.bound.minus(AxisSet::one(self.inner));
        }
    }

    fn looped_sweep(&self, e: &mut Emitter, work: &Work) {
        if self.plan.parts > 1 {
            return self.split_sweep(e, work);
        }
        let (word, at, end) = (e.word(), self.position(), self.end(e));
        let (v, team) = (self.plan.v, self.plan.team);
        let first = if v == 1 { "lane".into() } else { format!("lane * {v}") };
        let folds_only = work.stores.is_empty() && work.rows.is_empty();
        let unroll = if folds_only { side_by_side(e, work, self.plan.v, 4) } else { 2 };
        let head = format!("for ({word} {at} = {first}; {at} < {end}; {at} += {})", team * v);
        e.open_turns(&head, Turns::Some(unroll));
        self.take_apart(e);
        let lane = self.lane(e);
        emit_item(e, &lane, work);
        e.close();
    }

    /// The walk of a block that shares its row with others. The turns in which every thread of
    /// every block has a pack are counted, so that the compiler can take several at once and have
    /// their loads under way together; with a stride that is an argument it would not by itself.
    fn split_sweep(&self, e: &mut Emitter, work: &Work) {
        let (word, at, end) = (e.word(), self.position(), self.end(e));
        let (v, team) = (self.plan.v, self.plan.team);
        let parts = e.args.named_divisor("parts".into(), self.plan.parts as i64);
        let by = if e.wide { "" } else { ".by" };
        e.line(&format!("const {word} stride = ({word}){parts}{by} * {};", team * v));
        let first = format!("(part * {team} + lane) * {v}");
        // Without loads there is nothing to wait for.
        let loads = |k: usize| matches!(e.kernel.values[k].inst, Inst::Load { .. });
        let reads = (0..work.wanted.len()).any(|k| work.wanted[k] && loads(k));
        let unroll = if reads { side_by_side(e, work, v, 4) } else { 1 };
        let lane = self.lane(e);
        if unroll == 1 && lane.tail.is_none() && is_long(e, work, v) {
            let head = format!("for ({word} {at} = {first}; {at} < {end}; {at} += stride)");
            e.open_turns(&head, Turns::Some(1));
            self.take_apart(e);
            emit_item(e, &lane, work);
            return e.close();
        }
        let turns = self.length / (self.plan.parts * team * v);
        let turns = e.args.number("turns".into(), turns as i64);
        e.line(&format!("{word} {at} = {first};"));
        let head = format!("for ({word} turn = 0; turn < {turns}; ++turn, {at} += stride)");
        e.open_turns(&head, Turns::Some(unroll));
        self.take_apart(e);
        emit_item(e, &Lane { tail: None, ..lane.clone() }, work);
        e.close();
        e.open(&format!("if ({at} < {end})"));
        self.take_apart(e);
        emit_item(e, &lane, work);
        e.close();
    }

    /// The lanes that fold a tile together.
    fn lanes(&self) -> usize {
        self.plan.team.min(32)
    }

    /// Walks R in order: whole tiles first, then what is left.
    fn ordered_sweep(&self, e: &mut Emitter, work: &Work) {
        if self.plan.parts > 1 && ordered::pays(self, e, work) {
            return ordered::sweep(self, e, work);
        }
        let (word, end, p) = (e.word(), self.end(e), work.phase);
        let (v, team, lanes) = (self.plan.v, self.plan.team, self.lanes());
        let warps = team / lanes * self.plan.parts;
        let tile = lanes * v;
        let last = if warps == 1 {
            e.line(&format!("{word} base{p} = 0;"));
            end
        } else {
            let chunk = self.length.div_ceil(warps * tile) * tile;
            let chunk = e.args.number("chunk".into(), chunk as i64);
            // By a shuffle the compiler knows that a warp's lanes agree on it: a warp that might be
            // apart would cost each later shuffle a branch.
            let own = "lz_shuffle(lane / 32, 0)";
            let warp = match self.plan.parts {
                1 => own.to_string(),
                _ => format!("(part * {} + {own})", team / 32),
            };
            e.line(&format!("{word} base{p} = {warp} * {chunk};"));
            e.line(&format!(
                "const {word} last{p} = base{p} + {chunk} < {end} ? base{p} + {chunk} : {end};"
            ));
            format!("last{p}")
        };
        let base = format!("base{p}");
        let folds_only = work.stores.is_empty() && work.rows.is_empty();
        let unroll = if folds_only { side_by_side(e, work, self.plan.v, 4) } else { 2 };
        if folds_only && lanes == 32 && ordered::fit_together(e, work) {
            let tiles = ordered::TOGETHER;
            e.open(&format!("for (; {base} + {0} <= {last}; {base} += {0})", tiles * tile));
            ordered::tiles_together(self, e, work, &base);
            e.close();
        }
        let head = format!("for (; {base} + {tile} <= {last}; {base} += {tile})");
        e.open_turns(&head, Turns::Some(unroll));
        self.tile(e, work, &base, None);
        e.close();
        e.open(&format!("if ({base} < {last})"));
        self.tile(e, work, &base, Some(&last));
        e.close();
    }

    /// One tile of a warp from `base` on, of which positions from `last` on are left out.
    fn tile(&self, e: &mut Emitter, work: &Work, base: &str, last: Option<&str>) {
        self.begin_tile(e, work);
        self.tile_items(e, work, base, last);
        self.end_tile(e, work);
    }

    /// What each lane does of a tile.
    fn tile_items(&self, e: &mut Emitter, work: &Work, base: &str, last: Option<&str>) {
        let (word, at) = (e.word(), self.position());
        let lane = if self.plan.team > 32 { "lane % 32" } else { "lane" };
        let pack = if self.plan.v == 1 { String::new() } else { format!(" * {}", self.plan.v) };
        e.line(&format!("const {word} {at} = {base} + {lane}{pack};"));
        match last {
            Some(last) => e.open(&format!("if ({at} < {last})")),
            None => e.open(""),
        }
        self.take_apart(e);
        let whole = Lane { tail: None, ..self.lane(e) };
        let lane = if last.is_some() { self.lane(e) } else { whole };
        emit_item(e, &lane, work);
        e.close();
    }

    fn begin_tile(&self, e: &mut Emitter, work: &Work) {
        for &v in work.reductions.iter().filter(|_| self.tiles) {
            if e.is_fold(v) {
                let (ctype, identity) = (e.accumulator(v), e.identity(v));
                e.line(&format!("{ctype} tile{} = {identity};", v.0));
            }
        }
    }

    /// Folds a tile over the lanes, and behind what the warp has folded before; the first lane
    /// has the result.
    fn end_tile(&self, e: &mut Emitter, work: &Work) {
        for &v in work.reductions.iter().filter(|_| self.tiles) {
            if e.is_fold(v) {
                let (k, lanes) = (v.0, self.lanes());
                let fold = combiner(e, v);
                e.line(&format!("tile{k} = lz_fold_in_order<{lanes}>(tile{k}, {fold});"));
                let folded = e.combined(v, &format!("fold{k}"), &format!("tile{k}"));
                e.line(&format!("fold{k} = {folded};"));
            }
        }
    }

    fn kept_sweep(&self, e: &mut Emitter, work: &Work, keep: usize) {
        let (word, at, end) = (e.word(), self.position(), self.end(e));
        let (v, team) = (self.plan.v, self.plan.team);
        let lane = self.lane(e);
        let before = e.bound;
        e.bound = before.union(self.reduce.minus(AxisSet::one(self.inner)));
        let mut loads = early_loads(e, &lane, work);
        e.bound = before;
        // What this sweep alone uses may be loaded early as far as registers go.
        let mut room = 32;
        loads.retain(|&v| {
            let taken = keep * self.plan.v * words(e.kernel.value(v).dtype);
            let fits = work.kept.contains(&v) || taken <= room;
            room -= if fits { taken.min(room) } else { 0 };
            fits
        });
        declare_loads(e, &lane, &loads, keep);
        let computed: Vec<Val> = work.kept.iter().copied().filter(|v| !loads.contains(v)).collect();
        self.declare_kept(e, computed, keep);
        let pack = if v == 1 { String::new() } else { format!(" * {v}") };
        let place = match (keep, team) {
            (1, _) => format!("const {word} {at} = lane{pack};"),
            _ if self.tiles && team > 32 => {
                format!("const {word} {at} = ((lane / 32 * {keep} + k) * 32 + lane % 32){pack};")
            }
            _ => format!("const {word} {at} = (k * {team} + lane){pack};"),
        };
        if !loads.is_empty() {
            self.open_items(e, keep, &place, &at, &end, None);
            issue_loads(e, &lane, &loads, Some("[k]"));
            e.close();
            e.close();
        }
        self.open_items(e, keep, &place, &at, &end, Some(work));
        emit_item(e, &lane, work);
        e.close();
        self.end_tile(e, work);
        e.close();
    }

    fn declare_kept(&self, e: &mut Emitter, mut kept: Vec<Val>, keep: usize) {
        kept.sort();
        let vector = if self.plan.v > 1 { format!("[{}]", self.plan.v) } else { String::new() };
        for v in kept {
            let held = e.held(v);
            e.for_turns(v, |e, _, name| e.line(&format!("{held} {name}[{keep}]{vector};")));
        }
    }

    fn open_items(
        &self,
        e: &mut Emitter,
        keep: usize,
        place: &str,
        at: &str,
        end: &str,
        tile: Option<&Work>,
    ) {
        e.open_turns(&format!("for (int k = 0; k < {keep}; ++k)"), Turns::All(keep));
        if let Some(work) = tile {
            self.begin_tile(e, work);
        }
        e.line(place);
        e.open(&format!("if ({at} < {end})"));
        self.take_apart(e);
    }

    /// Combines the accumulators of a team, and of the blocks that share a row.
    fn combine(&self, e: &mut Emitter, p: usize, launch: &mut Launch) {
        let reductions = e.phases.sweeps[p].reductions.clone();
        if reductions.is_empty() {
            return;
        }
        self.fold_team(e, &reductions, "");
        if self.plan.parts > 1 {
            self.fold_parts(e, &reductions, launch);
        }
        for &v in &reductions {
            e.name_result(v, &format!("fold{}", v.0));
        }
    }

    fn fold_team(&self, e: &mut Emitter, reductions: &[Val], suffix: &str) {
        let (team, threads) = (self.plan.team, self.threads);
        if team == 1 {
            return;
        }
        for &v in reductions {
            let (k, ctype, fold) = (v.0, e.accumulator(v), combiner(e, v));
            let in_order = e.is_fold(v);
            if team <= 32 && in_order {
                e.line(&format!("fold{k} = lz_shuffle(fold{k}, 0, {team});"));
            } else if team <= 32 {
                e.line(&format!("fold{k} = lz_fold_lanes<{team}>(fold{k}, {fold});"));
            } else {
                e.line(&format!("__shared__ {ctype} memory{k}{suffix}[{}];", threads / 32));
                let memory = format!("memory{k}{suffix}");
                let function = if in_order { "lz_block_in_order" } else { "lz_fold_block" };
                e.line(&format!("fold{k} = {function}<{team}>(fold{k}, {memory}, {fold});"));
            }
        }
    }

    /// Every block leaves its part in scratch memory; the last to arrive combines them, each
    /// time in the same order.
    fn fold_parts(&self, e: &mut Emitter, reductions: &[Val], launch: &mut Launch) {
        let parts = self.plan.parts;
        let count = e.args.named_divisor("parts".into(), parts as i64);
        let count = if e.wide { count } else { format!("{count}.by") };
        let (scratch, counters) = (e.args.scratch(), e.args.counters());
        let mut sorted = reductions.to_vec();
        sorted.sort_by_key(|&v| std::cmp::Reverse(accumulator_size(e.kernel, v)));
        let mut at = 0usize;
        for &v in &sorted {
            let ctype = e.accumulator(v);
            let offset = match at {
                0 => String::new(),
                at => format!(" + {}", e.args.number(format!("scratch{}", v.0), at as i64)),
            };
            let k = v.0;
            e.line(&format!("{ctype}* const parts{k} = ({ctype}*)({scratch}{offset}) + (long long)team * {count};"));
            e.line(&format!("if (lane == 0) parts{k}[part] = fold{k};"));
            at += accumulator_size(e.kernel, v) * parts * self.count;
            at = at.next_multiple_of(16);
        }
        launch.scratch = at;
        launch.counters = self.count;
        e.line(&format!("if (!lz_last_block({counters} + team, {count})) return;"));
        for &v in reductions {
            let (k, identity) = (v.0, e.identity(v));
            e.line(&format!("fold{k} = {identity};"));
            let folded = e.combined(v, &format!("fold{k}"), &format!("parts{k}[k]"));
            if e.is_fold(v) {
                // Each thread takes neighbouring parts.
                let (team, fold) = (self.plan.team, combiner(e, v));
                e.line(&format!("const int each{k} = ((int){count} + {}) / {team};", team - 1));
                e.line(&format!("for (int k = lane * each{k}; k < (lane + 1) * each{k} && k < (int){count}; ++k) fold{k} = {folded};"));
                e.line(&format!("fold{k} = lz_fold_in_order<32>(fold{k}, {fold});"));
                continue;
            }
            e.line("#pragma unroll 4");
            e.line(&format!(
                "for (int k = lane; k < (int){count}; k += {}) fold{k} = {folded};",
                self.plan.team
            ));
        }
        self.fold_team(e, reductions, "_last");
    }

    /// The condition of the stores outside of all sweeps.
    fn first_lane(&self) -> Option<String> {
        match (self.plan.team, self.ragged) {
            (1, _) => Some("active".into()),
            (_, true) => Some("active && lane == 0".into()),
            _ => Some("lane == 0".into()),
        }
    }
}
