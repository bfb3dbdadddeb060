//! Reductions by columns: threads along an X axis, R over the block's second axis and over
//! blocks.

use super::Launch;
use super::elementwise::columns_into_arrays;
use super::emit::{Emitter, Turns};
use super::forms::emit_item;
use super::items::{Lane, Work, early_loads, issue_loads, side_by_side};
use super::measure::accumulator_size;
use super::rows::roots;
use crate::kernel::{AxisKind, AxisSet, Val};

/// A schedule by columns, with everything that it settles.
pub(super) struct ColumnPlan {
    /// The X axis along which threads stand.
    pub axis: usize,
    /// The columns of a thread.
    pub v: usize,
    /// The threads along the axis.
    pub across: usize,
    /// The threads along R.
    pub down: usize,
    /// The blocks that share a column.
    pub parts: usize,
}

/// Writes a kernel by columns.
pub(super) fn columns(e: &mut Emitter, plan: &ColumnPlan) -> Launch {
    let (reduce, ordered) = (e.kernel.axes_of(AxisKind::Reduce), e.kernel.is_ordered());
    let writer = Columns { plan, reduce, ordered };
    let mut launch = writer.header(e);
    let sweeps = e.phases.sweeps.len();
    let everything = e.closure(roots(e.kernel));
    writer.outside(e, &everything, 0);
    for p in 0..sweeps {
        writer.sweep(e, p);
        writer.combine(e, p, &mut launch);
        writer.outside(e, &everything, p + 1);
    }
    let mut work = Work { wanted: everything, phase: sweeps, ..Work::default() };
    work.stores = e.phases.stores.clone();
    if work.stores.is_empty() {
        return launch;
    }
    let first = if plan.down > 1 { " && threadIdx.y == 0" } else { "" };
    e.open(&format!("if (active{first})"));
    emit_item(e, &writer.lane(), &work);
    e.close();
    launch
}

struct Columns<'p> {
    plan: &'p ColumnPlan,
    reduce: AxisSet,
    /// Whether each thread walks neighbouring positions of R, and threads are folded in order.
    ordered: bool,
}

impl Columns<'_> {
    fn lane(&self) -> Lane {
        let axis = self.plan.axis;
        Lane { axis: Some(axis), v: self.plan.v, base: format!("x{axis}"), tail: None }
    }

    fn header(&self, e: &mut Emitter) -> Launch {
        let (plan, kernel, word) = (self.plan, e.kernel, e.word());
        let axis = plan.axis;
        let others = kernel.axes_of(AxisKind::Parallel).minus(AxisSet::one(axis));
        let width = plan.across * plan.v;
        let tiles = kernel.axes[axis].extent.div_ceil(width);
        let by = e.args.named_divisor("tiles".into(), tiles as i64);
        e.line(&format!("const {word} tile = lz_mod(({word})blockIdx.x, {by});"));
        e.line(&format!("{word} outer = lz_div(({word})blockIdx.x, {by});"));
        if plan.parts > 1 {
            let by = e.args.named_divisor("parts".into(), plan.parts as i64);
            e.line(&format!("const {word} part = lz_mod(outer, {by});"));
            e.line(&format!("outer = lz_div(outer, {by});"));
        }
        e.decompose("outer", others);
        let end = e.extent(axis);
        let pack = if plan.v == 1 { String::new() } else { format!(" * {}", plan.v) };
        e.line(&format!("{word} x{axis} = (tile * {} + (int)threadIdx.x){pack};", plan.across));
        e.line(&format!("const bool active = x{axis} < {end};"));
        // Threads beyond the end compute the last columns again, and store nothing.
        e.line(&format!("if (!active) x{axis} = {end} - {};", plan.v));
        Launch {
            grid: tiles * plan.parts * kernel.extent(others),
            block: [plan.across, plan.down, 1],
            ..Launch::default()
        }
    }

    /// Emits what does not depend on R and is ready before a sweep.
    fn outside(&self, e: &mut Emitter, wanted: &[bool], phase: usize) {
        let lane = self.lane();
        let mut work = Work { wanted: wanted.to_vec(), phase, ..Work::default() };
        e.emit_ready(wanted, phase);
        let loads = early_loads(e, &lane, &work);
        issue_loads(e, &lane, &loads, None);
        if lane.v == 1 {
            e.bind(self.plan.axis, lane.base.clone());
            return e.emit_ready(wanted, phase);
        }
        columns_into_arrays(e, &lane, &mut work);
    }

    fn sweep(&self, e: &mut Emitter, p: usize) {
        let (plan, kernel, word) = (self.plan, e.kernel, e.word());
        let sweep = &e.phases.sweeps[p];
        let lanes = if plan.v == 1 { String::new() } else { "[e]".into() };
        for &v in &sweep.reductions {
            e.begin_fold(v, plan.v);
        }
        let mut wanted_roots = Vec::new();
        for &v in &sweep.reductions {
            kernel.value(v).inst.for_each_arg(|a| wanted_roots.push(a));
        }
        for &k in &sweep.stores {
            wanted_roots.push(kernel.stores[k].value);
            wanted_roots.extend(kernel.stores[k].index.values());
        }
        let work = Work {
            wanted: e.closure(wanted_roots),
            phase: p,
            reductions: sweep.reductions.clone(),
            fold_into: lanes,
            stores: sweep.stores.clone(),
            store_if: Some("active".into()),
            ..Work::default()
        };
        self.walk(e, &work, word);
        work.reductions.iter().for_each(|&v| e.end_fold(v, plan.v));
    }

    fn walk(&self, e: &mut Emitter, work: &Work, word: &str) {
        let plan = self.plan;
        let inner = self.reduce.iter().next_back().unwrap_or(0);
        let single = self.reduce.len() == 1;
        let at = if single { format!("x{inner}") } else { "r".into() };
        let length = e.kernel.extent(self.reduce) as i64;
        let end = if single { e.extent(inner) } else { e.args.number("n".into(), length) };
        let down = if plan.down > 1 { "(int)threadIdx.y" } else { "0" };
        let (first, end) = if plan.parts > 1 {
            let chunk = (length as usize).div_ceil(plan.parts);
            let chunk = e.args.number("chunk".into(), chunk as i64);
            e.line(&format!("const {word} first = part * {chunk};"));
            e.line(&format!(
                "const {word} end = first + {chunk} < {end} ? first + {chunk} : {end};"
            ));
            (if plan.down > 1 { format!("first + {down}") } else { "first".into() }, "end".into())
        } else {
            (down.to_string(), end)
        };
        let unroll = match (work.stores.is_empty(), plan.down) {
            (false, _) => 2,
            (true, 1) => side_by_side(e, work, plan.v, 4),
            (true, _) => side_by_side(e, work, plan.v, 8),
        };
        let (first, end, step) = match self.ordered && plan.down > 1 {
            true => {
                let (first, end) = self.in_order(e, work.phase, &end);
                (first, end, 1)
            }
            false => (first, end, plan.down),
        };
        let head = format!("for ({word} {at} = {first}; {at} < {end}; {at} += {step})");
        e.open_turns(&head, Turns::Some(unroll));
        if single {
            e.bind(inner, at);
        } else {
            e.decompose("r", self.reduce);
        }
        emit_item(e, &self.lane(), work);
        e.close();
    }

    /// The positions of a thread along R where each takes neighbouring ones.
    fn in_order(&self, e: &mut Emitter, p: usize, end: &str) -> (String, String) {
        let (plan, word) = (self.plan, e.word());
        let length = e.kernel.extent(self.reduce).div_ceil(plan.parts);
        let each = e.args.number("each".into(), length.div_ceil(plan.down) as i64);
        let from = if plan.parts > 1 { "first + " } else { "" };
        e.line(&format!("const {word} from{p} = {from}(int)threadIdx.y * {each};"));
        e.line(&format!(
            "const {word} to{p} = from{p} + {each} < {end} ? from{p} + {each} : {end};"
        ));
        (format!("from{p}"), format!("to{p}"))
    }

    /// Combines what the threads of a column hold, and the blocks that share it.
    fn combine(&self, e: &mut Emitter, p: usize, launch: &mut Launch) {
        let reductions = e.phases.sweeps[p].reductions.clone();
        if reductions.is_empty() {
            return;
        }
        let largest = reductions.iter().map(|&v| accumulator_size(e.kernel, v)).max();
        let threads = self.plan.across * self.plan.down;
        if self.plan.down > 1 {
            launch.shared = launch.shared.max(threads * self.plan.v * largest.unwrap_or(0));
        }
        self.fold_down(e, &reductions, p, "");
        if self.plan.parts > 1 {
            self.fold_parts(e, &reductions, launch);
        }
        let lanes = if self.plan.v == 1 { "" } else { "[e]" };
        for &v in &reductions {
            e.name_result(v, &format!("fold{}{lanes}", v.0));
        }
    }

    /// Folds over the block's second axis: a tree through shared memory.
    fn fold_down(&self, e: &mut Emitter, reductions: &[Val], p: usize, suffix: &str) {
        let plan = self.plan;
        if plan.down == 1 {
            return;
        }
        if p == 0 && suffix.is_empty() {
            e.line("LZ_DYNAMIC_SHARED(memory);");
        }
        for &v in reductions {
            let (k, ctype) = (v.0, e.accumulator(v));
            let folded = e.combined(v, "a", "b");
            let fold = format!("[](const {ctype}& a, const {ctype}& b) {{ return {folded}; }}");
            let value = if plan.v == 1 { format!("&fold{k}") } else { format!("fold{k}") };
            let function = if e.is_fold(v) { "lz_fold_down_in_order" } else { "lz_fold_down" };
            e.line(&format!(
                "{function}<{}, {}, {}>({value}, ({ctype}*)memory, {fold});",
                plan.across, plan.down, plan.v
            ));
        }
    }

    fn fold_parts(&self, e: &mut Emitter, reductions: &[Val], launch: &mut Launch) {
        let plan = self.plan;
        let count = e.args.named_divisor("parts".into(), plan.parts as i64);
        let count = if e.wide { count } else { format!("{count}.by") };
        let (scratch, counters) = (e.args.scratch(), e.args.counters());
        let width = plan.across * plan.v;
        let columns = launch.grid / plan.parts;
        let word = e.word();
        // The number of this block's columns among all blocks that share none.
        let by = e.args.named_divisor("tiles".into(), 0);
        let by = if e.wide { by } else { format!("{by}.by") };
        e.line(&format!(
            "const {word} group = lz_div(lz_div(({word})blockIdx.x, a.tiles), a.parts) * ({word}){by} + tile;"
        ));
        let mut sorted = reductions.to_vec();
        sorted.sort_by_key(|&v| std::cmp::Reverse(accumulator_size(e.kernel, v)));
        let mut at = 0usize;
        for &v in &sorted {
            let (k, ctype) = (v.0, e.accumulator(v));
            let offset = match at {
                0 => String::new(),
                at => format!(" + {}", e.args.number(format!("scratch{k}"), at as i64)),
            };
            e.line(&format!(
                "{ctype}* const parts{k} = ({ctype}*)({scratch}{offset}) + ((long long)group * {count} * {} + threadIdx.x) * {};",
                plan.across, plan.v
            ));
            let guard = if plan.down > 1 { "if (threadIdx.y == 0) " } else { "" };
            let value = if plan.v == 1 { format!("fold{k}") } else { format!("fold{k}[e]") };
            e.line("#pragma unroll");
            e.line(&format!(
                "for (int e = 0; e < {}; ++e) {guard}parts{k}[(long long)part * {width} + e] = {value};",
                plan.v
            ));
            at += accumulator_size(e.kernel, v) * width * plan.parts * columns;
            at = at.next_multiple_of(16);
        }
        launch.scratch = at;
        launch.counters = columns;
        e.line(&format!("if (!lz_last_block({counters} + group, {count})) return;"));
        let first = if plan.down > 1 { "threadIdx.y" } else { "0" };
        for &v in reductions {
            let (k, identity) = (v.0, e.identity(v));
            let value = if plan.v == 1 { format!("fold{k}") } else { format!("fold{k}[e]") };
            let folded = e.combined(v, &value, "pack.at[e]");
            let each = format!("for (int e = 0; e < {}; ++e)", plan.v);
            e.line("#pragma unroll");
            e.line(&format!("{each} {value} = {identity};"));
            if e.is_fold(v) {
                // Each thread takes neighbouring parts.
                let down = plan.down;
                e.line(&format!("const int each{k} = ((int){count} + {}) / {down};", down - 1));
                e.open(&format!("for (int k = {first} * each{k}; k < ((int){first} + 1) * each{k} && k < (int){count}; ++k)"));
                let part = format!("parts{k}[(long long)k * {width} + e]");
                let folded = e.combined(v, &value, &part);
                e.line("#pragma unroll");
                e.line(&format!("{each} {value} = {folded};"));
                e.close();
                continue;
            }
            e.line("#pragma unroll 8");
            e.open(&format!("for (int k = {first}; k < (int){count}; k += {})", plan.down));
            e.line(&format!(
                "const auto pack = lz_read_pack_own<{}>(parts{k} + (long long)k * {width});",
                plan.v
            ));
            e.line("#pragma unroll");
            e.line(&format!("{each} {value} = {folded};"));
            e.close();
        }
        self.fold_down(e, reductions, usize::MAX, "_last");
    }
}
