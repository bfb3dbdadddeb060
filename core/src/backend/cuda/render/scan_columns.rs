//! Scans by columns: threads along an X axis, each walking R with what lies before in a register.
//!
//! Where there are few columns, R is cut into parts, each with its blocks, and a part into pieces,
//! each with threads along the block's second axis. A thread first combines its piece, and the block
//! its part; it waits for the parts before it and combines those in their order; then its threads
//! walk their pieces again, which the cache may still hold. The order is the same on every run.

use super::Launch;
use super::elementwise::columns_into_arrays;
use super::emit::{Emitter, Turns};
use super::forms::emit_item;
use super::items::{Lane, Work, early_loads, issue_loads};
use super::measure::accumulator_size;
use super::scan_rows::arguments;
use crate::kernel::{AxisKind, AxisSet, Val};

/// A schedule by columns, with everything that it settles.
pub(super) struct ScanColumns {
    /// The X axis along which threads stand.
    pub axis: usize,
    /// The columns of a thread.
    pub v: usize,
    /// The threads along the axis.
    pub across: usize,
    /// The threads along R.
    pub down: usize,
    /// The parts of R.
    pub parts: usize,
}

/// Writes a kernel with scans by columns.
pub(super) fn scan_columns(e: &mut Emitter, plan: &ScanColumns) -> Launch {
    let axis = e.kernel.axes_of(AxisKind::Reduce).iter().next().unwrap_or(0);
    let writer = Columns { plan, reduce: axis, scans: e.kernel.scans() };
    let mut launch = writer.header(e);
    writer.outside(e);
    for &v in &writer.scans {
        let (ctype, first) = (e.accumulator(v), e.identity(v));
        let size = if plan.v == 1 { String::new() } else { format!("[{}]", plan.v) };
        e.line(&format!("{ctype} sum{}{size};", v.0));
        writer.each(e, &format!("sum{}{} = {first};", v.0, writer.subscript()));
    }
    if plan.parts * plan.down > 1 {
        writer.total(e);
    }
    if plan.down > 1 {
        writer.in_block(e, &mut launch);
    }
    if plan.parts > 1 {
        writer.look_back(e, &mut launch);
    }
    if plan.down > 1 {
        for &v in &writer.scans {
            let (sum, own) = (writer.element("sum", v), writer.element("own", v));
            let with = if plan.parts > 1 { e.combined(v, &sum, &own) } else { own };
            writer.each(e, &format!("{sum} = {with};"));
        }
    }
    writer.walk(e);
    if plan.parts > 1 {
        let counters = e.args.counters();
        let all = e.args.number("counters_used".into(), launch.counters as i64);
        e.open(&format!("if (lz_last_block({counters} + 1, gridDim.x))"));
        // Nobody waits any more: the counters are the next launch's.
        e.line(&format!(
            "for (int k = thread; k < (int){all}; k += {}) {counters}[k] = 0;",
            plan.across * plan.down
        ));
        e.close();
    }
    launch
}

struct Columns<'p> {
    plan: &'p ScanColumns,
    reduce: usize,
    scans: Vec<Val>,
}

impl Columns<'_> {
    fn lane(&self) -> Lane {
        let axis = self.plan.axis;
        Lane { axis: Some(axis), v: self.plan.v, base: format!("x{axis}"), tail: None }
    }

    fn subscript(&self) -> &'static str {
        if self.plan.v == 1 { "" } else { "[e]" }
    }

    /// A column of the thread in an array of a scan's.
    fn element(&self, array: &str, v: Val) -> String {
        format!("{array}{}{}", v.0, self.subscript())
    }

    /// A statement for each column of the thread.
    fn each(&self, e: &mut Emitter, statement: &str) {
        if self.plan.v == 1 {
            return e.line(statement);
        }
        e.line("#pragma unroll");
        e.line(&format!("for (int e = 0; e < {}; ++e) {statement}", self.plan.v));
    }

    fn header(&self, e: &mut Emitter) -> Launch {
        let (plan, kernel, word) = (self.plan, e.kernel, e.word());
        let axis = plan.axis;
        let others = kernel.axes_of(AxisKind::Parallel).minus(AxisSet::one(axis));
        let tiles = kernel.axes[axis].extent.div_ceil(plan.across * plan.v);
        let groups = tiles * kernel.extent(others);
        let (length, end) = (kernel.axes[self.reduce].extent, e.extent(self.reduce));
        if plan.parts > 1 {
            // The parts of R are the slow digit: those before a block's own began before it.
            let by = e.args.named_divisor("column_groups".into(), groups as i64);
            let counters = e.args.counters();
            e.line(&format!("const {word} ticket = lz_ticket({counters});"));
            e.line(&format!("const {word} group = lz_mod(ticket, {by});"));
            e.line(&format!("const {word} part = lz_div(ticket, {by});"));
        } else {
            e.line(&format!("const {word} group = blockIdx.x;"));
        }
        let piece = match (plan.parts > 1, plan.down > 1) {
            (true, true) => format!("(part * {} + (int)threadIdx.y)", plan.down),
            (true, false) => "part".into(),
            (false, _) => "(int)threadIdx.y".into(),
        };
        if plan.parts * plan.down > 1 {
            let chunk = length.div_ceil(plan.parts * plan.down);
            let chunk = e.args.number("chunk".into(), chunk as i64);
            e.line(&format!("const {word} first = {piece} * {chunk};"));
            e.line(&format!(
                "const {word} end = first + {chunk} < {end} ? first + {chunk} : {end};"
            ));
        } else {
            e.line(&format!("const {word} first = 0, end = {end};"));
        }
        let by = e.args.named_divisor("column_tiles".into(), tiles as i64);
        e.line(&format!("const {word} tile = lz_mod(group, {by});"));
        e.line(&format!("const {word} outer = lz_div(group, {by});"));
        e.decompose("outer", others);
        let width = e.extent(axis);
        let pack = if plan.v == 1 { String::new() } else { format!(" * {}", plan.v) };
        e.line(&format!("{word} x{axis} = (tile * {} + (int)threadIdx.x){pack};", plan.across));
        e.line(&format!("const bool active = x{axis} < {width};"));
        // Threads beyond the end compute the last columns again, and store nothing.
        e.line(&format!("if (!active) x{axis} = {width} - {};", plan.v));
        Launch {
            grid: groups * plan.parts,
            block: [plan.across, plan.down, 1],
            ..Launch::default()
        }
    }

    /// Emits what does not depend on R.
    fn outside(&self, e: &mut Emitter) {
        let lane = self.lane();
        let wanted = e.closure(super::rows::roots(e.kernel));
        let mut work = Work { wanted, ..Work::default() };
        e.emit_ready(&work.wanted, 0);
        let loads = early_loads(e, &lane, &work);
        issue_loads(e, &lane, &loads, None);
        if lane.v == 1 {
            e.bind(self.plan.axis, lane.base.clone());
            return e.emit_ready(&work.wanted, 0);
        }
        columns_into_arrays(e, &lane, &mut work);
    }

    fn open_walk(&self, e: &mut Emitter) {
        let (word, r) = (e.word(), self.reduce);
        let head = format!("for ({word} x{r} = first; x{r} < end; ++x{r})");
        e.open_turns(&head, Turns::Some(4));
        e.bind(r, format!("x{r}"));
    }

    /// Combines the elements of the piece.
    fn total(&self, e: &mut Emitter) {
        let work = Work {
            wanted: e.closure(arguments(e.kernel, &self.scans)),
            totals: self.scans.clone(),
            fold_into: self.subscript().into(),
            ..Work::default()
        };
        self.open_walk(e);
        emit_item(e, &self.lane(), &work);
        e.close();
    }

    /// What lies before the piece in its part, as `own`, and what the whole part combines to.
    fn in_block(&self, e: &mut Emitter, launch: &mut Launch) {
        e.line("LZ_DYNAMIC_SHARED(memory);");
        let plan = self.plan;
        for &v in &self.scans {
            let bytes = plan.across * plan.down * plan.v * accumulator_size(e.kernel, v);
            launch.shared = launch.shared.max(bytes);
            self.down(e, v, "own");
        }
    }

    /// Combines what the threads of a column have as `sum`; `before` is what those before a thread
    /// have.
    fn down(&self, e: &mut Emitter, v: Val, before: &str) {
        let (plan, k, ctype, first) = (self.plan, v.0, e.accumulator(v), e.identity(v));
        let (size, at) = match plan.v {
            1 => (String::new(), "&"),
            v => (format!("[{v}]"), ""),
        };
        let folded = e.combined(v, "a", "b");
        e.line(&format!("{ctype} {before}{k}{size};"));
        e.line(&format!(
            "lz_scan_down<{}, {}, {}>({at}sum{k}, {at}{before}{k}, ({ctype}*)memory, {ctype}({first}), [](const {ctype}& a, const {ctype}& b) {{ return {folded}; }});",
            plan.across, plan.down, plan.v
        ));
    }

    /// Walks the piece, and stores.
    fn walk(&self, e: &mut Emitter) {
        e.scan_in_place = Some(self.subscript());
        let work = Work {
            wanted: e.closure(super::rows::roots(e.kernel)),
            stores: e.phases.sweeps[0].stores.clone(),
            store_if: Some("active".into()),
            ..Work::default()
        };
        self.open_walk(e);
        emit_item(e, &self.lane(), &work);
        e.close();
    }

    /// Says what the part combines to, and goes on with what the parts before it combine to.
    fn look_back(&self, e: &mut Emitter, launch: &mut Launch) {
        let plan = self.plan;
        let groups = launch.grid / plan.parts;
        launch.counters = 2 + launch.grid;
        let by = e.args.number("groups".into(), groups as i64);
        let (counters, scratch) = (e.args.counters(), e.args.scratch());
        let width = plan.across * plan.v;
        let mut sorted = self.scans.clone();
        sorted.sort_by_key(|&v| std::cmp::Reverse(accumulator_size(e.kernel, v)));
        let mut at = 0usize;
        for &v in &sorted {
            let (k, ctype) = (v.0, e.accumulator(v));
            let offset = match at {
                0 => String::new(),
                at => format!(" + {}", e.args.number(format!("scratch{k}"), at as i64)),
            };
            e.line(&format!(
                "{ctype}* const parts{k} = ({ctype}*)({scratch}{offset}) + (long long)group * {width} + (int)threadIdx.x * {};",
                plan.v
            ));
            let element = if plan.v == 1 { "" } else { " + e" };
            let (sub, first) =
                (self.subscript(), if plan.down > 1 { "if (threadIdx.y == 0) " } else { "" });
            self.each(
                e,
                &format!(
                    "{first}parts{k}[(long long)part * {by} * {width}{element}] = sum{k}{sub};"
                ),
            );
            at = (at + launch.grid * width * accumulator_size(e.kernel, v)).next_multiple_of(16);
        }
        launch.scratch = at;
        e.line(&format!("unsigned int* const flags = {counters} + 2;"));
        e.line("__threadfence();");
        e.line("__syncthreads();");
        e.line(&format!("const int thread = threadIdx.y * {} + threadIdx.x;", plan.across));
        e.line(&format!("if (thread == 0) lz_raise(flags + (long long)part * {by} + group);"));
        e.line(&format!(
            "for (int k = thread; k < (int)part; k += {}) lz_await(flags + (long long)k * {by} + group);",
            plan.across * plan.down
        ));
        e.line("__syncthreads();");
        // Each thread of a column takes neighbouring parts.
        let parts = match plan.down {
            1 => "int k = 0; k < (int)part".to_string(),
            down => {
                e.line(&format!("const int each = ((int)part + {}) / {down};", down - 1));
                "int k = (int)threadIdx.y * each; k < ((int)threadIdx.y + 1) * each && k < (int)part".into()
            }
        };
        for &v in &self.scans {
            let (k, ctype, first) = (v.0, e.accumulator(v), e.identity(v));
            let (sub, element) = (self.subscript(), if plan.v == 1 { "" } else { " + e" });
            self.each(e, &format!("sum{k}{sub} = {first};"));
            e.line("#pragma unroll 4");
            e.open(&format!("for ({parts}; ++k)"));
            let other = format!("lz_peek(parts{k} + (long long)k * {by} * {width}{element})");
            let with = e.combined(v, &format!("sum{k}{sub}"), "other");
            self.each(e, &format!("{{ const {ctype} other = {other}; sum{k}{sub} = {with}; }}"));
            e.close();
            if plan.down > 1 {
                self.down(e, v, "rest");
            }
        }
    }
}
