//! The clock. As in NPBench, a run's inputs are made before it, what a run overwrites is copied
//! anew, and each run is timed by itself until the device has finished.

use crate::arguments::Arguments;
use crate::inputs::Inputs;
use crate::outputs::{Run, Tolerance};
use crate::programs::Program;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Warm runs go on for so many milliseconds, and at least `FEWEST` and at most `MOST` times.
const LONG_ENOUGH: f64 = 500.0;
const FEWEST: usize = 10;
const MOST: usize = 1000;
/// A run of so many milliseconds is not repeated as often: more would say nothing else.
const SLOW: f64 = 2000.0;

/// What became of a program.
pub struct Row {
    pub name: &'static str,
    size: String,
    /// The first run, compiling included, and the median of the warm ones.
    first_ms: f64,
    ms: Option<f64>,
    /// Of one warm run.
    kernels: u64,
    library_calls: u64,
    evaluations: u64,
    /// Of all warm runs together: where there are any, sizes or values make new plans.
    plans: u64,
    /// The largest relative error of an output.
    off_by: f64,
    pub error: Option<String>,
}

impl Row {
    /// A row in the form that `benches/join.py` reads.
    pub fn json(&self) -> Value {
        let workload = format!("{}@{}", self.name, self.size);
        match &self.error {
            Some(error) => json!({"workload": workload, "form": "lazy", "error": error}),
            None => json!({
                "workload": workload,
                "form": "lazy",
                "ms": self.ms.unwrap_or(self.first_ms),
                "first_ms": self.first_ms,
                "kernels": self.kernels,
                "library_calls": self.library_calls,
                "evaluations": self.evaluations,
                "plans": self.plans,
                "off_by": self.off_by,
            }),
        }
    }

    fn print(&self) {
        let name = format!("{}@{}", self.name, self.size);
        match &self.error {
            Some(error) => println!("{name:28} FAILED {error}"),
            None => println!(
                "{name:28} {:11.4} ms  first {:11.3} ms  {:6} kernels {:6} calls {:6} evaluations {:5} plans  off by {:.1e}",
                self.ms.unwrap_or(self.first_ms),
                self.first_ms,
                self.kernels,
                self.library_calls,
                self.evaluations,
                self.plans,
                self.off_by,
            ),
        }
    }
}

/// Checks and times a program. One that fails must not cost the others their rows.
pub fn row(program: &'static Program, arguments: &Arguments) -> Row {
    let mut row = Row {
        name: program.name,
        size: arguments.size.clone(),
        first_ms: 0.0,
        ms: None,
        kernels: 0,
        library_calls: 0,
        evaluations: 0,
        plans: 0,
        off_by: 0.0,
        error: None,
    };
    let result = catch_unwind(AssertUnwindSafe(|| fill(&mut row, program, arguments)));
    row.error = match result {
        Ok(result) => result.err(),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            Some(text.unwrap_or_else(|| "a panic".to_owned()))
        }
    };
    row.print();
    row
}

fn fill(row: &mut Row, program: &Program, arguments: &Arguments) -> Result<(), String> {
    let folder = arguments.folder(program.name);
    let mut inputs = Inputs::open(&folder)?;
    let tolerance = match inputs.numbers("tolerance").as_deref() {
        Some(&[relative, absolute, norm]) => Tolerance { relative, absolute, norm },
        _ => return Err(format!("{}: no tolerance.npy", folder.display())),
    };
    inputs.explain = arguments.explain;
    let first = (program.run)(&inputs)?;
    inputs.explain = false;
    row.first_ms = first.ms;
    row.off_by = first.check(&folder, tolerance)?;
    row.count(&first);
    if arguments.check {
        return Ok(());
    }
    let (mut times, mut total) = (Vec::new(), 0.0);
    while times.len() < MOST && !is_enough(times.len(), total) {
        let run = (program.run)(&inputs)?;
        row.count(&run);
        row.plans += run.plans;
        total += run.ms;
        times.push(run.ms);
    }
    times.sort_by(f64::total_cmp);
    row.ms = Some(times[times.len() / 2]);
    Ok(())
}

/// Whether so many runs that took so many milliseconds say enough.
fn is_enough(runs: usize, total: f64) -> bool {
    let fewest = if total / runs.max(1) as f64 > SLOW { 1 } else { FEWEST };
    runs >= fewest && total >= LONG_ENOUGH
}

impl Row {
    fn count(&mut self, run: &Run) {
        self.kernels = run.kernels;
        self.library_calls = run.library_calls;
        self.evaluations = run.evaluations;
    }
}
