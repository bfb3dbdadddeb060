//! Stencils that take several turns a launch: each block keeps a tile of the state on the chip, and
//! computes a border around it again that its neighbours compute too.
//!
//! A tile's border is as wide as the turns of a launch reach. After each turn its outer positions are
//! worth nothing, as what they read lies beyond the tile, and after the last one the interior is left,
//! which is what the block writes. Along a ring the positions of a border are those at the other end;
//! elsewhere positions beyond an end count as the end, and nobody who is needed reads them.
//!
//! - A thread has `rows` by `v` positions, whose state is in its registers. What is read beside them
//!   lies in shared memory, in two copies that turns take in turn, so that one barrier a turn is
//!   enough.
//! - The columns of a thread lie apart in shared memory, all first ones and then all second ones:
//!   the lanes of a warp read neighbours there. Memory is read and written by lanes that are neighbours
//!   as well, and what a thread begins and ends with goes through shared memory in between.
//! - Every position is written out, since what one thread's positions read of each other is a name
//!   in place of a place. So the interior's loop over turns is all the loop there is.

use super::Launch;
use super::emit::Emitter;
use super::names::type_name;
use super::time_plan::{Exchange, Tiled, TimePlan};
use crate::kernel::around::Along;
use crate::kernel::{Inst, Store, Val};

/// The thread whose positions are being written, and the one of them that is.
#[derive(Clone)]
pub(super) struct Patch<'k> {
    tiled: &'k Tiled<'k>,
    plan: &'k TimePlan,
    cell: (i64, i64),
}

/// A distance along an axis: a number, or an expression.
enum Distance {
    Known(i64),
    Text(String),
}

impl Distance {
    fn text(&self) -> String {
        match self {
            Distance::Known(d) => format!("({d})"),
            Distance::Text(text) => format!("({text})"),
        }
    }
}

impl Emitter<'_> {
    /// The text of a load of the state, where turns of tiles are written.
    pub(super) fn near(&mut self, v: Val) -> Option<String> {
        let patch = self.patch.clone()?;
        let (tiled, plan) = (patch.tiled, patch.plan);
        let near = tiled.around.loads.get(&v)?;
        let down = match tiled.row {
            Some(row) => self.distance(&near.along[row], row, v),
            None => Distance::Known(0),
        };
        let across = self.distance(&near.along[tiled.inner], tiled.inner, v);
        let (output, v, threads) = (near.output, plan.v as i64, plan.across as i64);
        if let (Distance::Known(dy), Distance::Known(dx)) = (&down, &across) {
            let (y, x) = (patch.cell.0 + dy, patch.cell.1 + dx);
            if (0..plan.rows as i64).contains(&y) && (0..v).contains(&x) {
                return Some(format!("own{output}_{y}_{x}"));
            }
            let at = y * v * threads + x.rem_euclid(v) * threads + x.div_euclid(v);
            return Some(format!("at{output}[{at}]"));
        }
        let (y, x) = patch.cell;
        Some(format!(
            "at{output}[({y} + {}) * {} + lz_beside<{v}, {threads}>({x} + {})]",
            down.text(),
            v * threads,
            across.text()
        ))
    }

    fn distance(&mut self, along: &Along, axis: usize, v: Val) -> Distance {
        let of = format!("{}_{axis}", v.0);
        match along {
            Along::Beside(index) => match self.known(index) {
                Some(known) => Distance::Known(known),
                None => Distance::Text(self.index(index, &of)),
            },
            Along::At(index) => {
                let place = self.index(index, &of);
                Distance::Text(format!("{place} - {}", self.position(axis)))
            }
        }
    }
}

/// Writes the turns of a launch.
pub(super) fn tiles<'k>(e: &mut Emitter<'k>, tiled: &'k Tiled<'k>, plan: &'k TimePlan) -> Launch {
    let launch = tiled.launch(plan).unwrap_or_default();
    let exchange = tiled.exchange(plan.rows, plan.v);
    let writer = Writer { tiled, plan, shared: tiled.shared(), exchange };
    writer.header(e);
    writer.begin(e);
    writer.turns(e);
    writer.end(e);
    launch
}

struct Writer<'k> {
    tiled: &'k Tiled<'k>,
    plan: &'k TimePlan,
    /// The outputs in shared memory.
    shared: Vec<u32>,
    exchange: Exchange,
}

impl<'k> Writer<'k> {
    /// The positions of a thread, row by row.
    fn cells(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let v = self.plan.v;
        (0..self.plan.rows).flat_map(move |u| (0..v).map(move |x| (u, x)))
    }

    /// The tile and the positions of a thread.
    fn header(&self, e: &mut Emitter<'k>) {
        let (tiled, plan) = (self.tiled, self.plan);
        let (rows, columns) = tiled.interior(plan).unwrap_or_default();
        let (strips, tiles) = tiled.tiles(plan).unwrap_or_default();
        let reach = tiled.reach();
        let by = e.args.named_divisor("tiles".into(), tiles as i64);
        e.line("const int block = blockIdx.x, j = threadIdx.x, s = threadIdx.y;");
        e.line(&format!("const int tile = lz_mod(block, {by});"));
        e.line(&format!("const int strip = lz_div(block, {by});"));
        let mut strip = "strip".to_string();
        if !tiled.others().is_empty() {
            let by = e.args.named_divisor("strips".into(), strips as i64);
            e.line(&format!("const int outer = lz_div(strip, {by});"));
            strip = format!("lz_mod(strip, {by})");
            e.decompose("outer", tiled.others());
        }
        let (h, w) = (plan.turns * reach.0, plan.turns * reach.1);
        e.line(&format!("const int left = tile * {columns} - {w}, first = left + j * {};", plan.v));
        let apart = |of: &'static str, step: usize| move |x: usize| format!("{of} + {}", x * step);
        self.places(e, tiled.inner, plan.v, "c", &apart("first", 1));
        if !self.shared.is_empty() {
            self.places(e, tiled.inner, plan.v, "m", &apart("left + j", plan.across));
        }
        if let Some(row) = tiled.row {
            e.line(&format!("const int top = {strip} * {rows} - {h} + s * {};", plan.rows));
            self.places(e, row, plan.rows, "r", &apart("top", 1));
        }
        // What is the same everywhere in the tile.
        let stores = e.kernel.stores.iter().map(|store| store.value);
        let wanted = e.closure(stores);
        e.emit_ready(&wanted, 0);
    }

    /// Positions on an axis: on a ring those at the other end, elsewhere the end for what is beyond.
    fn places(
        &self,
        e: &mut Emitter<'k>,
        axis: usize,
        count: usize,
        name: &str,
        place: &dyn Fn(usize) -> String,
    ) {
        let extent = e.kernel.axes[axis].extent as i64;
        let border = self.plan.turns as i64 * self.tiled.around.reach[axis];
        for u in 0..count {
            let place = place(u);
            let at = match self.tiled.around.rings[axis] {
                true => {
                    let before = (border as u64).div_ceil(extent as u64) as i64 * extent;
                    let before = e.args.number(format!("before{axis}"), before);
                    let by = e.extent_divisor(axis);
                    format!("lz_mod({place} + {before}, {by})")
                }
                false => {
                    let last = e.args.number(format!("last{axis}"), extent - 1);
                    format!("lz_bounded({place}, 0, {last})")
                }
            };
            e.line(&format!("const int {name}{u} = {at};"));
        }
    }

    fn bind_place(&self, e: &mut Emitter<'k>, (u, x): (usize, usize), column: &str) {
        if let Some(row) = self.tiled.row {
            e.bind(row, format!("r{u}"));
        }
        e.bind(self.tiled.inner, format!("{column}{x}"));
    }

    fn bind(&self, e: &mut Emitter<'k>, (u, x): (usize, usize)) {
        self.bind_place(e, (u, x), "c");
        e.patch = Some(Patch { tiled: self.tiled, plan: self.plan, cell: (u as i64, x as i64) });
    }

    fn dtype(&self, output: u32) -> &'static str {
        type_name(self.tiled.kernel.outputs[output as usize].dtype)
    }

    /// Memory for what is read beside positions, and what a thread begins with.
    fn begin(&self, e: &mut Emitter<'k>) {
        let (tiled, plan) = (self.tiled, self.plan);
        if !self.shared.is_empty() {
            e.line("LZ_DYNAMIC_SHARED(memory);");
            e.line(&format!("const int here = s * {} + j;", plan.rows * plan.width()));
            for x in 0..plan.v {
                let column = x * plan.across;
                e.line(&format!(
                    "const int turned{x} = lz_beside<{}, {}>(j + {column}) - j;",
                    plan.v, plan.across
                ));
            }
        }
        let mut bytes = 0;
        for &output in &self.shared {
            let (ctype, margin) = (self.dtype(output), tiled.margin(plan));
            e.line(&format!(
                "{ctype}* at{output} = ({ctype}*)(memory + {bytes}) + {margin} + here;"
            ));
            bytes += tiled.copy_bytes(plan, output);
            e.line(&format!(
                "{ctype}* to{output} = ({ctype}*)(memory + {bytes}) + {margin} + here;"
            ));
            bytes += tiled.copy_bytes(plan, output);
        }
        for output in 0..tiled.kernel.outputs.len() as u32 {
            let ctype = self.dtype(output);
            self.cells().for_each(|(u, x)| e.line(&format!("{ctype} own{output}_{u}_{x}{{}};")));
        }
        let constant = if plan.keeps { tiled.constant() } else { Vec::new() };
        for &v in &constant {
            let held = e.held(v);
            self.cells().for_each(|(u, x)| e.line(&format!("{held} given{}_{u}_{x};", v.0)));
        }
        for store in &e.kernel.stores {
            self.read_state(e, store);
        }
        if !self.shared.is_empty() {
            e.line("__syncthreads();");
        }
        for &output in &self.shared {
            for (u, x) in self.cells() {
                let at = self.cell((u, x));
                e.line(&format!("own{output}_{u}_{x} = at{output}[{at}];"));
            }
        }
        if constant.is_empty() {
            return;
        }
        for cell in self.cells() {
            e.open("");
            self.bind(e, cell);
            self.read_constant(e, &constant, cell);
            e.close();
        }
    }

    /// Reads an output's state: where it goes into shared memory, neighbours read neighbours.
    fn read_state(&self, e: &mut Emitter<'k>, store: &Store) {
        let (kernel, output) = (self.tiled.kernel, store.output);
        let given = kernel.values.iter().enumerate().find_map(|(k, value)| {
            let near = self.tiled.around.loads.get(&Val(k as u32))?;
            match value.inst {
                Inst::Load { input, .. } if near.output == output => Some(input),
                _ => None,
            }
        });
        let Some(input) = given else { return };
        let base = e.args.input(kernel, input);
        let is_shared = self.shared.contains(&output);
        for (u, x) in self.cells() {
            self.bind_place(e, (u, x), if is_shared { "m" } else { "c" });
            let at = e.place(&store.index, &format!("_out{output}"), false);
            let read = format!("lz_read({base} + ({at}))");
            match is_shared {
                true => {
                    let to = self.turned((u, x));
                    e.line(&format!("at{output}[{to}] = {read};"));
                }
                false => e.line(&format!("own{output}_{u}_{x} = {read};")),
            }
        }
    }

    /// The place of a thread's own position, from its first one.
    fn cell(&self, (u, x): (usize, usize)) -> usize {
        u * self.plan.width() + x * self.plan.across
    }

    /// The place of the column that a thread reads for all in the passes over its rows, from the first
    /// of its own.
    fn turned(&self, (u, x): (usize, usize)) -> String {
        format!("{} + turned{x}", u * self.plan.width())
    }

    /// Writes a position's element into shared memory, where others read it.
    fn share(
        &self,
        e: &mut Emitter<'k>,
        copy: &str,
        output: u32,
        (u, x): (usize, usize),
        of: &str,
    ) {
        if self.exchange.written.contains(&(output, u as i64, x as i64)) {
            let at = self.cell((u, x));
            e.line(&format!("{copy}{output}[{at}] = {of};"));
        }
    }

    fn read_constant(&self, e: &mut Emitter<'k>, constant: &[Val], (u, x): (usize, usize)) {
        let mut needed = Vec::new();
        constant.iter().for_each(|&v| e.kernel.value(v).inst.for_each_arg(|a| needed.push(a)));
        let wanted = e.closure_up_to(needed, &|v| e.has_name(v));
        e.emit_ready(&wanted, 0);
        for &v in constant {
            e.emit(v, Some(&|_| format!("given{}_{u}_{x}", v.0)));
        }
    }

    /// The loop over turns.
    fn turns(&self, e: &mut Emitter<'k>) {
        let (tiled, plan) = (self.tiled, self.plan);
        let turns = e.args.turns();
        e.open(&format!("for (int turn = 1; turn <= {turns}; ++turn)"));
        if !self.shared.is_empty() {
            e.line("__syncthreads();");
        }
        let (rows, columns) = tiled.interior(plan).unwrap_or_default();
        let mut live = Vec::new();
        let sides =
            [("s", plan.rows, tiled.reach().0, rows), ("j", plan.v, tiled.reach().1, columns)];
        // Strips that nobody needs any more, as what is left of the tile shrinks.
        for (name, own, reach, left) in sides {
            if reach > 0 {
                let border = plan.turns * reach;
                e.line(&format!("const int far_{name} = ({turns} - turn) * {reach};"));
                let (low, high) = (format!("{border} - far_{name}"), border + left);
                live.push(format!("{name} * {own} + {own} > {low}"));
                live.push(format!("{name} * {own} < {high} + far_{name}"));
            }
        }
        e.open(&format!("if ({})", live.join(" && ")));
        self.turn(e);
        e.close();
        for &output in &self.shared {
            let ctype = self.dtype(output);
            e.line(&format!(
                "{ctype}* const was{output} = at{output}; at{output} = to{output}; \
                 to{output} = was{output};"
            ));
        }
        e.close();
    }

    /// A turn of a thread's positions.
    fn turn(&self, e: &mut Emitter<'k>) {
        let kernel = self.tiled.kernel;
        let constant = if self.plan.keeps { self.tiled.constant() } else { Vec::new() };
        let is_careful = kernel.values.iter().any(|v| v.inst.function().is_some());
        for output in 0..kernel.outputs.len() as u32 {
            let ctype = self.dtype(output);
            for (u, x) in self.cells() {
                let begin =
                    if is_careful { format!(" = own{output}_{u}_{x}") } else { String::new() };
                e.line(&format!("{ctype} new{output}_{u}_{x}{begin};"));
            }
        }
        for (u, x) in self.cells() {
            // A user's function may never end for what no turn gives.
            let head =
                if is_careful { format!("if ({})", self.needed((u, x))) } else { String::new() };
            e.open(&head);
            self.bind(e, (u, x));
            for &v in &constant {
                e.name((v.0, 0), format!("given{}_{u}_{x}", v.0));
            }
            let stores = kernel.stores.iter().map(|store| store.value);
            let wanted = e.closure_up_to(stores, &|v| e.has_name(v));
            e.emit_ready(&wanted, 0);
            for store in &kernel.stores {
                let value = e.operand(store.value);
                e.line(&format!("new{}_{u}_{x} = {value};", store.output));
            }
            e.close();
        }
        for output in 0..kernel.outputs.len() as u32 {
            for (u, x) in self.cells() {
                let new = format!("new{output}_{u}_{x}");
                self.share(e, "to", output, (u, x), &new);
                e.line(&format!("own{output}_{u}_{x} = {new};"));
            }
        }
    }

    /// The condition under which a position is needed in a turn, and then everything it reads is what
    /// the turns before gave.
    fn needed(&self, (u, x): (usize, usize)) -> String {
        let (tiled, plan) = (self.tiled, self.plan);
        let (rows, columns) = tiled.interior(plan).unwrap_or_default();
        let side = |name: &str, at: String, reach: usize, left: usize| {
            let border = plan.turns * reach;
            match reach {
                0 => format!("{at} < {left}"),
                _ => format!(
                    "{at} >= {border} - far_{name} && {at} < {} + far_{name}",
                    border + left
                ),
            }
        };
        let (row_reach, reach) = tiled.reach();
        let mut needed = side("j", format!("j * {} + {x}", plan.v), reach, columns);
        // What lies beyond an end that is none of a ring is no position at all.
        if !tiled.around.rings[tiled.inner] {
            needed += &format!(" && first + {x} == c{x}");
        }
        if let Some(row) = tiled.row {
            needed += " && ";
            needed += &side("s", format!("s * {} + {u}", plan.rows), row_reach, rows);
            if !tiled.around.rings[row] {
                needed += &format!(" && top + {u} == r{u}");
            }
        }
        needed
    }

    /// Writes the interior of the tile, neighbours beside neighbours where it is in shared memory.
    fn end(&self, e: &mut Emitter<'k>) {
        for &output in &self.shared {
            for (u, x) in self.cells() {
                if !self.exchange.written.contains(&(output, u as i64, x as i64)) {
                    let at = self.cell((u, x));
                    e.line(&format!("at{output}[{at}] = own{output}_{u}_{x};"));
                }
            }
        }
        if !self.shared.is_empty() {
            e.line("__syncthreads();");
        }
        let kernel = self.tiled.kernel;
        for (u, x) in self.cells() {
            for is_shared in [true, false] {
                let is_meant = |store: &&Store| self.shared.contains(&store.output) == is_shared;
                let stores: Vec<_> = kernel.stores.iter().filter(is_meant).collect();
                if stores.is_empty() {
                    continue;
                }
                let inside = self.inside(e, (u, x), is_shared);
                e.open(&format!("if ({inside})"));
                self.bind_place(e, (u, x), if is_shared { "m" } else { "c" });
                for store in stores {
                    let output = store.output;
                    let base = e.args.output(kernel, output);
                    let at = e.place(&store.index, &format!("_out{output}"), false);
                    let value = match is_shared {
                        true => format!("at{output}[{}]", self.turned((u, x))),
                        false => format!("own{output}_{u}_{x}"),
                    };
                    e.line(&format!("lz_write({base} + ({at}), {value});"));
                }
                e.close();
            }
        }
        e.patch = None;
    }

    /// The condition under which a position is of the interior, and there.
    fn inside(&self, e: &mut Emitter<'k>, (u, x): (usize, usize), is_shared: bool) -> String {
        let (tiled, plan) = (self.tiled, self.plan);
        let (rows, columns) = tiled.interior(plan).unwrap_or_default();
        let (row_reach, reach) = tiled.reach();
        let within = |place: &str, reach: usize, left: usize| {
            let border = plan.turns * reach;
            match border {
                0 => format!("{place} < {left}"),
                _ => format!("{place} >= {border} && {place} < {}", border + left),
            }
        };
        let column = match is_shared {
            true => format!("j + {}", x * plan.across),
            false => format!("j * {} + {x}", plan.v),
        };
        let end = e.extent(tiled.inner);
        let mut inside = within(&column, reach, columns);
        inside += &format!(" && left + {column} < {end}");
        if let Some(row) = tiled.row {
            let end = e.extent(row);
            inside += " && ";
            inside += &within(&format!("s * {} + {u}", plan.rows), row_reach, rows);
            inside += &format!(" && top + {u} < {end}");
        }
        inside
    }
}
