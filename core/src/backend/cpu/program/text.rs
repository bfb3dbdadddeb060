//! Programs as text.

use super::prepared::{Prepared, Program};
use super::step::{Chain, Pair, Serial, Step, Target};
use crate::backend::cpu::layout::Mode;
use crate::table::Basic;

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

impl Serial {
    /// Appends the loop's lines.
    fn describe(&self, depth: usize, text: &mut String) -> String {
        let margin = "  ".repeat(depth);
        for ahead in &self.ahead {
            let how = match ahead.slide {
                Some(slide) => format!("tiles that slide by {slide}"),
                None if ahead.kept => "all turns of the launch".into(),
                None => "all turns".into(),
            };
            *text += &format!("{margin}ahead, {how}:\n");
            ahead.steps.iter().for_each(|step| step.describe(depth + 1, text));
        }
        let axes: Vec<_> = self.axes.iter().map(|a| format!("i{}", a.0)).collect();
        let element = match &self.pair {
            Some(pair) => format!("v{} with v{}", pair.args[0], pair.args[1]),
            None => format!("v{}", self.fold.args[0]),
        };
        let at_once = match self.pair {
            Some(Pair { whole: Some(_), .. }) => ", all turns at once",
            _ => "",
        };
        format!("v{} = fold {element} over {}{at_once}:", self.fold.v, axes.join(" "))
    }
}

impl Step {
    /// Appends the step as a line, or as several.
    fn describe(&self, depth: usize, text: &mut String) {
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
