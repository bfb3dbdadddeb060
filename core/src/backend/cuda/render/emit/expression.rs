//! The expression of a value: its index, its operands, the loop of a serial reduction, and what
//! reductions begin with and fold.

use super::super::names::{literal, type_name};
use super::super::outline::once;
use super::super::usual;
use super::Emitter;
use crate::dtype::DType;
use crate::function::{Fold, Function, ScanBy};
use crate::kernel::{Atom, AxisSet, Index, Inst, Val};
use crate::table::{Law, Op, Reduction};
use smallvec::SmallVec;
use std::fmt::Write;

/// Marks the tuple of a call among the instances of values.
const TUPLE: u32 = 1 << 31;

/// The components of a state as text.
fn parts_of(fold: &Fold, state: &str) -> Vec<String> {
    match fold.types().len() {
        1 => vec![state.to_string()],
        count => (0..count).map(|k| format!("{state}._{k}")).collect(),
    }
}

/// The name of a user's function in C++. Whoever recorded it has checked that there is code.
fn entry(function: &Function) -> &str {
    function.cuda.as_ref().map_or("no_code", |code| &code.entry)
}

impl Emitter<'_> {
    /// The text of an index; `of` names what it belongs to.
    pub(in crate::backend::cuda::render) fn index(&mut self, index: &Index, of: &str) -> String {
        let mut text = String::new();
        for &(atom, coefficient) in &index.terms {
            let mut factor = coefficient;
            let part = match atom {
                Atom::Axis(k) if self.unrolled.has(k as usize) => {
                    let turn = i64::from(self.turn[k as usize]);
                    if turn == 0 {
                        continue;
                    }
                    let stride = match coefficient {
                        1 => None,
                        other => Some(self.args.stride(other)),
                    };
                    factor = 1;
                    match (turn, stride) {
                        (turn, None) => turn.to_string(),
                        (1, Some(stride)) => stride,
                        (turn, Some(stride)) => format!("{turn} * {stride}"),
                    }
                }
                Atom::Axis(k) => self.axis[k as usize].clone(),
                Atom::Value(v) => self.atom(v),
            };
            let plus = if text.is_empty() { "" } else { " + " };
            let _ = match factor {
                1 => write!(text, "{plus}{part}"),
                other => {
                    let stride = self.args.stride(other);
                    write!(text, "{plus}{part} * {stride}")
                }
            };
        }
        if index.offset != 0 {
            let offset = self.args.offset(of, index.offset);
            let plus = if text.is_empty() { "" } else { " + " };
            let _ = write!(text, "{plus}{offset}");
        }
        if text.is_empty() { "0".into() } else { text }
    }

    /// The text of an index into an array.
    pub(in crate::backend::cuda::render) fn place(
        &mut self,
        index: &Index,
        of: &str,
        moves: bool,
    ) -> String {
        let text = self.index(index, of);
        if !moves || index.offset != 0 {
            return text;
        }
        let offset = self.args.offset(of, 0);
        // As it is written where there is an offset beside: one text for both.
        if text == "0" { offset } else { format!("{text} + {offset}") }
    }

    /// The expression that makes a value in the current turn. Loops are written before it, and
    /// then the expression is the value's own name.
    pub(in crate::backend::cuda::render) fn expression(&mut self, v: Val, name: &str) -> String {
        let kernel = self.kernel;
        let value = kernel.value(v);
        let of = &v.0.to_string();
        if let Some(beside) = self.beside.get(&v) {
            return self.beside(beside);
        }
        match &value.inst {
            Inst::Scalar(k) => self.args.scalar(value.dtype, *k),
            Inst::Op(op, args) => self.operation(v, *op, args),
            Inst::Call { function, output, .. } => {
                let call = self.call(v);
                if function.results.len() == 1 {
                    return call;
                }
                format!("{}._{output}", self.shared_call(v, &call))
            }
            Inst::Draw { law, index, seed } => self.drawn(*law, index, seed, v, 1),
            Inst::Cast(a) => self.cast(*a, value.dtype),
            Inst::Load { input, index, mask } => {
                let read = match self.near(v) {
                    Some(near) => near,
                    None => self.read(*input, index, of),
                };
                self.masked(mask.as_ref(), read, value.dtype)
            }
            Inst::RowLoad { row, at, mask } => {
                let memory = self.rows.get(row).cloned().unwrap_or_default();
                let read = format!("{memory}[{}]", self.index(at, of));
                self.masked(mask.as_ref(), read, value.dtype)
            }
            Inst::Reduce { args, axes, .. } => {
                let args = args.clone();
                self.serial(v, name, &args, *axes)
            }
            Inst::Fold { args, axes, .. } => {
                let args: SmallVec<[Val; 2]> = args.iter().copied().collect();
                self.serial(v, name, &args, *axes)
            }
            Inst::Component { of, output } => {
                let state = self.names.get(&(of.0 | TUPLE, self.turn_of(*of)));
                format!("{}._{output}", state.map_or("state_unbound", |state| state))
            }
            Inst::Row(_) => name.to_string(),
            Inst::Scan { exclusive, .. } => self.scanned(v, *exclusive),
            _ => self.of_position(&value.inst, of),
        }
    }

    /// The expression of an operation on values.
    fn operation(&mut self, v: Val, op: Op, args: &[Val]) -> String {
        let kernel = self.kernel;
        let dtype = kernel.value(v).dtype;
        let mut text = op.cuda().to_string();
        // Two positions compare in the index type.
        let positions = dtype == DType::Bool
            && op.arity() == 2
            && text.starts_with('(')
            && args.iter().all(|&a| self.is_index(a));
        for (k, a) in args.iter().enumerate() {
            let operand = if positions { self.raw(*a) } else { self.operand(*a) };
            text = text.replace(&format!("{{{k}}}"), &operand);
        }
        match self.usual && op.has_usual_form(dtype) {
            true => format!("usual.{text}"),
            false if self.form.is_once(kernel, v) => once(&text),
            false => text,
        }
    }

    /// The expression of what is made of a position.
    fn of_position(&mut self, inst: &Inst, of: &str) -> String {
        let kernel = self.kernel;
        match inst {
            Inst::Index(index) => self.index(index, of),
            Inst::IndexDiv { index, by } => self.divided("lz_div", index, of, *by),
            Inst::IndexMod { index, by } => {
                // A ring is left by a turn or two at most, which subtractions undo.
                let (low, high) = self.ranges.of(kernel, index);
                let function = match high {
                    _ if low < 0 => "lz_mod",
                    _ if high < 2 * by => "lz_wrap2",
                    _ if high < 3 * by => "lz_wrap3",
                    _ => "lz_mod",
                };
                self.divided(function, index, of, *by)
            }
            Inst::IndexClamp { index, low, high } => {
                let at = self.index(index, of);
                let low = self.args.bound("low", of, *low);
                let high = self.args.bound("high", of, *high);
                format!("lz_bounded({at}, {low}, {high})")
            }
            Inst::IndexAbs(index) => format!("lz_distance({})", self.index(index, of)),
            Inst::InRange { index, low, high } => {
                let at = self.index(index, of);
                let low = self.args.bound("low", of, *low);
                let high = self.args.bound("high", of, *high);
                format!("{low} <= {at} && {at} < {high}")
            }
            _ => unreachable!("no other value is made of a position"),
        }
    }

    /// The text of a call of a user's function.
    fn call(&self, v: Val) -> String {
        let Inst::Call { function, args, .. } = &self.kernel.value(v).inst else {
            return String::new();
        };
        let args: Vec<String> = args.iter().map(|&a| self.operand(a)).collect();
        let call = format!("{}({})", entry(function), args.join(", "));
        match self.usual && usual::is_member(function) {
            true => format!("usual.{call}"),
            false if self.form.is_once(self.kernel, v) => once(&call),
            false => call,
        }
    }

    /// The name of the tuple that a call gives: made once where several of its parts are used.
    fn shared_call(&mut self, v: Val, call: &str) -> String {
        let kernel = self.kernel;
        let same = |k: &usize| kernel.values[*k].inst.is_same_call(&kernel.value(v).inst);
        let first = (0..kernel.values.len()).find(same).unwrap_or(v.at());
        let turn = self.turn_of(v);
        let instance = (first as u32 | TUPLE, turn);
        if let Some(name) = self.names.get(&instance) {
            return name.clone();
        }
        let name = format!("{}_all", self.plain_name(Val(first as u32), turn));
        self.line(&format!("const auto {name} = {call};"));
        self.name(instance, name.clone());
        name
    }

    /// The value of a scan that runs along: what lies before is combined with the element.
    fn scanned(&mut self, v: Val, exclusive: bool) -> String {
        let sum = format!("sum{}{}", v.0, self.scan_in_place.unwrap_or_default());
        let folded = self.folded(v, &sum);
        let before = format!("before{}", v.0);
        if exclusive {
            let ctype = self.accumulator(v);
            self.line(&format!("const {ctype} {before} = {sum};"));
        }
        self.line(&format!("{sum} = {folded};"));
        let state = if exclusive { before } else { sum };
        if self.kernel.value(v).inst.fold().is_some() {
            self.name((v.0 | TUPLE, self.turn_of(v)), state.clone());
        }
        self.finished(v, &state)
    }

    fn divided(&mut self, function: &str, index: &Index, of: &str, by: i64) -> String {
        let at = self.index(index, of);
        let by = self.args.divisor(by);
        format!("{function}({at}, {by})")
    }

    fn cast(&mut self, a: Val, to: DType) -> String {
        let from = self.kernel.value(a).dtype;
        // An index converts from its own type: the value is the same, and the way shorter.
        let operand = self.raw(a);
        if from == to {
            return if self.is_index(a) { self.operand(a) } else { operand };
        }
        format!("lz_cast<{}>({operand})", type_name(to))
    }

    fn masked(&mut self, mask: Option<&Val>, read: String, dtype: DType) -> String {
        match mask {
            Some(mask) => {
                let zero = format!("{}{{}}", type_name(dtype));
                format!("{} ? {read} : {zero}", self.operand(*mask))
            }
            None => read,
        }
    }

    /// One element of an input, in the type that it is held in.
    pub(in crate::backend::cuda::render) fn read(
        &mut self,
        input: u32,
        index: &Index,
        of: &str,
    ) -> String {
        let at = self.place(index, of, self.kernel.inputs[input as usize].moves);
        let base = self.args.input(self.kernel, input);
        let plain = if self.aliased[input as usize] { "_own" } else { "" };
        format!("lz_read{plain}({base} + ({at}))")
    }

    /// `n` consecutive random numbers; one is a number, several are a pack.
    pub(in crate::backend::cuda::render) fn drawn(
        &mut self,
        law: Law,
        index: &Index,
        seed: &[Val],
        of: Val,
        n: usize,
    ) -> String {
        let dtype = self.kernel.value(of).dtype;
        let at = self.index(index, &of.0.to_string());
        let seed: Vec<String> = seed.iter().map(|&v| self.operand(v)).collect();
        let seed = format!("lz_seed{{{}}}", seed.join(", "));
        let ctype = type_name(dtype);
        match n {
            1 => format!("lz_draw<{ctype}, {}>({at}, {seed})", law.cuda()),
            _ => {
                let pack = Self::pack_type(dtype, n);
                format!("lz_draw_pack<{pack}, {ctype}, {n}, {}>({at}, {seed})", law.cuda())
            }
        }
    }

    /// `V` consecutive elements of an input.
    pub(in crate::backend::cuda::render) fn read_pack(
        &mut self,
        input: u32,
        index: &Index,
        of: Val,
        v: usize,
    ) -> String {
        let moves = self.kernel.inputs[input as usize].moves;
        let at = self.place(index, &of.0.to_string(), moves);
        let base = self.args.input(self.kernel, input);
        let plain = if self.aliased[input as usize] { "_own" } else { "" };
        format!("lz_read_pack{plain}<{v}>({base} + ({at}))")
    }

    /// The declared type of a pack of a load.
    pub(in crate::backend::cuda::render) fn pack_type(dtype: DType, v: usize) -> String {
        format!("lz_pack<{}, {v}>", type_name(dtype))
    }

    // ---- Reductions and scans ----

    /// The type of the accumulator of a reduction or a scan.
    pub(in crate::backend::cuda::render) fn accumulator(&self, v: Val) -> String {
        match &self.kernel.value(v).inst {
            Inst::Reduce { op, args, .. } if op.is_arg() => {
                let element = type_name(self.kernel.value(args[0]).dtype);
                match self.counts_up(v) {
                    true => format!("lz_best<{element}, {}>", self.word()),
                    false => format!("lz_best<{element}>"),
                }
            }
            inst => match inst.fold() {
                Some(fold) if fold.types().len() > 1 => {
                    let types: Vec<&str> = fold.types().iter().map(|&t| type_name(t)).collect();
                    format!("lz_tuple<{}>", types.join(", "))
                }
                _ => type_name(self.kernel.value(v).dtype).to_string(),
            },
        }
    }

    /// What the accumulator begins with.
    pub(in crate::backend::cuda::render) fn identity(&self, v: Val) -> String {
        match &self.kernel.value(v).inst {
            Inst::Reduce { op, args, .. } if op.is_arg() => {
                let dtype = self.kernel.value(args[0]).dtype;
                let first = literal(&op.identity_value(dtype));
                // Where positions count from 0, elements that all equal the identity give 0.
                match self.counts_up(v) {
                    true => format!("{{{first}, 0}}"),
                    false => format!("{{{first}, 0x7fffffffffffffffLL}}"),
                }
            }
            Inst::Reduce { op, .. } | Inst::Scan { by: ScanBy::Table(op), .. } => {
                literal(&op.identity_value(self.kernel.value(v).dtype))
            }
            Inst::Fold { fold, .. } | Inst::Scan { by: ScanBy::User(fold), .. } => {
                let parts: Vec<String> = fold.identity.iter().map(literal).collect();
                match &parts[..] {
                    [one] => one.clone(),
                    parts => format!("{}{{{}}}", self.accumulator(v), parts.join(", ")),
                }
            }
            _ => "0".into(),
        }
    }

    /// Two accumulators combined.
    pub(in crate::backend::cuda::render) fn combined(
        &self,
        v: Val,
        left: &str,
        right: &str,
    ) -> String {
        match &self.kernel.value(v).inst {
            Inst::Reduce { op, .. } if op.is_arg() => {
                let order = if *op == Reduction::ArgMin { "min" } else { "max" };
                format!("lz_arg{order}({left}, {right})")
            }
            Inst::Fold { fold, .. } | Inst::Scan { by: ScanBy::User(fold), .. } => {
                let parts = [parts_of(fold, left), parts_of(fold, right)].concat();
                format!("{}({})", entry(&fold.function), parts.join(", "))
            }
            Inst::Reduce { op, .. } | Inst::Scan { by: ScanBy::Table(op), .. } => {
                let text = op.combine().cuda();
                text.replace("{0}", left).replace("{1}", right)
            }
            _ => left.to_string(),
        }
    }

    /// An accumulator with the element of the present position folded into it.
    pub(in crate::backend::cuda::render) fn folded(&self, v: Val, accumulator: &str) -> String {
        match &self.kernel.value(v).inst {
            Inst::Fold { fold, args, .. } | Inst::Scan { by: ScanBy::User(fold), args, .. } => {
                let element: Vec<String> = args.iter().map(|&a| self.operand(a)).collect();
                let parts = [parts_of(fold, accumulator), element].concat();
                format!("{}({})", entry(&fold.function), parts.join(", "))
            }
            Inst::Reduce { op, args, .. } if op.is_arg() && self.counts_up(v) => {
                let order = if *op == Reduction::ArgMin { "min" } else { "max" };
                let (element, at) = (self.operand(args[0]), self.raw(args[1]));
                format!("lz_arg{order}_next({accumulator}, {element}, {at})")
            }
            _ => match self.counted(v) {
                Some(element) => format!("{accumulator} + {}", self.operand(element)),
                None => self.combined(v, accumulator, &self.element(v)),
            },
        }
    }

    /// Whether the positions of an `ArgMin` or `ArgMax` over R count from 0 in the order in which
    /// threads walk R: each meets its elements in ascending order.
    fn counts_up(&self, v: Val) -> bool {
        let Inst::Reduce { args, axes, .. } = &self.kernel.value(v).inst else { return false };
        let Inst::Index(index) = &self.kernel.value(args[1]).inst else { return false };
        let mut stride = 1;
        let mut expected = Index::default();
        for k in axes.iter().rev() {
            expected.add_term(Atom::Axis(k as u8), stride);
            stride *= self.kernel.axes[k].extent as i64;
        }
        self.is_sweep(*axes) && *index == expected
    }

    /// Whether the value is a reduction by a user's function, which keeps the order.
    pub(in crate::backend::cuda::render) fn is_fold(&self, v: Val) -> bool {
        matches!(self.kernel.value(v).inst, Inst::Fold { .. })
    }

    /// What a reduction over R counts, if it counts what is true. A thread then counts in 32 bits,
    /// since with short indices it meets fewer elements than that: additions of 64 bits take twice
    /// as many instructions.
    fn counted(&self, v: Val) -> Option<Val> {
        let value = self.kernel.value(v);
        let Inst::Reduce { op: Reduction::Sum, args, axes } = &value.inst else { return None };
        let long = matches!(value.dtype, DType::I64 | DType::U64);
        if !long || self.wide || !self.is_sweep(*axes) {
            return None;
        }
        let Inst::Cast(element) = self.kernel.value(args[0]).inst else { return None };
        (self.kernel.value(element).dtype == DType::Bool).then_some(element)
    }

    fn is_count(&self, v: Val) -> bool {
        self.counted(v).is_some()
    }

    /// The variable that a thread folds the elements of R into.
    pub(in crate::backend::cuda::render) fn own(&self, v: Val) -> String {
        format!("{}{}", if self.is_count(v) { "count" } else { "fold" }, v.0)
    }

    /// Declares what a thread folds into, for each of `lanes` positions, at its beginning.
    pub(in crate::backend::cuda::render) fn begin_fold(&mut self, v: Val, lanes: usize) {
        let (own, identity) = (self.own(v), self.identity(v));
        let ctype = if self.is_count(v) { "int".into() } else { self.accumulator(v) };
        if lanes == 1 {
            return self.line(&format!("{ctype} {own} = {identity};"));
        }
        self.line(&format!("{ctype} {own}[{lanes}];"));
        self.line("#pragma unroll");
        self.line(&format!("for (int e = 0; e < {lanes}; ++e) {own}[e] = {identity};"));
    }

    /// Declares the accumulator of a fold that is over, if it is not what the thread folded into.
    pub(in crate::backend::cuda::render) fn end_fold(&mut self, v: Val, lanes: usize) {
        if !self.is_count(v) {
            return;
        }
        let (own, ctype, k) = (self.own(v), self.accumulator(v), v.0);
        if lanes == 1 {
            return self.line(&format!("{ctype} fold{k} = {own};"));
        }
        self.line(&format!("{ctype} fold{k}[{lanes}];"));
        self.line("#pragma unroll");
        self.line(&format!("for (int e = 0; e < {lanes}; ++e) fold{k}[e] = {own}[e];"));
    }

    /// Names a finished reduction over R or a scan, with all its components, until the end of the
    /// kernel.
    pub(in crate::backend::cuda::render) fn name_result(&mut self, v: Val, accumulator: &str) {
        let finished = self.finished(v, accumulator);
        self.name_for_good((v.0, 0), finished);
        for (k, component) in self.kernel.components(v).into_iter().enumerate().skip(1) {
            if let Some(component) = component {
                self.name_for_good((component.0, 0), format!("{accumulator}._{k}"));
            }
        }
    }

    /// The element that a reduction folds or a scan takes, as an accumulator.
    pub(in crate::backend::cuda::render) fn element(&self, v: Val) -> String {
        match &self.kernel.value(v).inst {
            Inst::Reduce { op, args, .. } if op.is_arg() => {
                let (element, at) = (self.operand(args[0]), self.operand(args[1]));
                format!("{}{{{element}, {at}}}", self.accumulator(v))
            }
            Inst::Fold { args, .. } | Inst::Scan { args, .. } => {
                let parts: Vec<String> = args.iter().map(|&a| self.operand(a)).collect();
                match &parts[..] {
                    [one] => one.clone(),
                    parts => format!("{}{{{}}}", self.accumulator(v), parts.join(", ")),
                }
            }
            Inst::Reduce { args, .. } => {
                let element = self.operand(args[0]);
                let (from, to) = (self.kernel.value(args[0]).dtype, self.kernel.value(v).dtype);
                if from == to { element } else { format!("lz_cast<{}>({element})", type_name(to)) }
            }
            _ => String::new(),
        }
    }

    /// The text of a finished reduction, or of the first component of a state.
    pub(in crate::backend::cuda::render) fn finished(&self, v: Val, accumulator: &str) -> String {
        match &self.kernel.value(v).inst {
            Inst::Reduce { op, .. } if op.is_arg() && self.counts_up(v) && !self.wide => {
                format!("(long long){accumulator}.at")
            }
            Inst::Reduce { op, .. } if op.is_arg() => format!("{accumulator}.at"),
            inst if inst.fold().is_some_and(|fold| fold.types().len() > 1) => {
                format!("{accumulator}._0")
            }
            _ => accumulator.to_string(),
        }
    }

    fn serial(&mut self, v: Val, name: &str, args: &SmallVec<[Val; 2]>, axes: AxisSet) -> String {
        let ctype = self.accumulator(v);
        let sum = match self.finished(v, name) == name {
            true => name.to_string(),
            false => format!("{name}_state"),
        };
        let looped = axes.minus(self.unrolled);
        if looped.is_empty() {
            for turn in 0..self.turns(axes) as u32 {
                self.set_turn(axes, turn);
                let element = self.element(v);
                if turn == 0 {
                    self.line(&format!("{ctype} {sum} = {element};"));
                } else {
                    let folded = self.folded(v, &sum);
                    self.line(&format!("{sum} = {folded};"));
                }
            }
        } else {
            let identity = self.identity(v);
            self.line(&format!("{ctype} {sum} = {identity};"));
            self.serial_loop(v, &sum, args, axes);
        }
        if self.is_fold(v) {
            self.name((v.0 | TUPLE, self.turn_of(v)), sum.clone());
        }
        self.finished(v, &sum)
    }

    fn serial_loop(&mut self, v: Val, sum: &str, args: &SmallVec<[Val; 2]>, axes: AxisSet) {
        let wanted = self.closure(args.iter().copied());
        let word = self.word();
        let mut opened = 0;
        let walks = self.ring_walks(&wanted, axes, &mut opened);
        for k in axes.minus(self.unrolled).iter() {
            let extent = self.extent(k);
            self.open(&format!("for ({word} x{k} = 0; x{k} < {extent}; ++x{k}{walks})"));
            self.bind(k, format!("x{k}"));
            opened += 1;
        }
        let phase = self.phases.of[v.at()] as usize;
        let turn = self.turn.clone();
        self.emit_ready(&wanted, phase);
        self.turn = turn;
        let turns = axes.intersection(self.unrolled);
        for turn in 0..self.turns(turns) as u32 {
            self.set_turn(turns, turn);
            let folded = self.folded(v, sum);
            self.line(&format!("{sum} = {folded};"));
        }
        (0..opened).for_each(|_| self.close());
    }

    /// The places on rings that a loop over one axis moves on by one at each turn: a place is
    /// found by a remainder before the loop, and by a comparison from then on. Gives what the
    /// loop does after a turn.
    fn ring_walks(&mut self, wanted: &[bool], axes: AxisSet, opened: &mut usize) -> String {
        let mut steps = String::new();
        let (Some(axis), 1) = (axes.iter().next(), axes.len()) else { return steps };
        if self.unrolled.has(axis) {
            return steps;
        }
        let kernel = self.kernel;
        for k in (0..kernel.values.len()).filter(|&k| wanted[k]) {
            let (v, value) = (Val(k as u32), &kernel.values[k]);
            let Inst::IndexMod { index, by } = &value.inst else { continue };
            let others = value.axes.minus(AxisSet::one(axis));
            let ready = index.values().all(|a| !kernel.value(a).axes.has(axis) && self.has_name(a));
            let walks = index.stride(axis) == 1 && ready && others.is_subset(self.bound);
            if !walks || self.has_name(v) {
                continue;
            }
            if *opened == 0 {
                self.open("");
                self.bind(axis, "0");
                *opened += 1;
            }
            let (word, name) = (self.word(), format!("v{k}"));
            let first = self.divided("lz_mod", index, &k.to_string(), *by);
            self.line(&format!("{word} {name} = {first};"));
            self.name((v.0, 0), name);
            let by = self.args.divisor(*by);
            let _ = write!(steps, ", v{k} = lz_next(v{k}, {by})");
        }
        steps
    }
}
