//! Lazuli's side of the speed tables: the same workloads, names and method as `benches/peers`.
//!
//! ```sh
//! cargo bench --bench speed -- [NAMES…] [--device D] [--json OUT.json] [--quick] [--strict] [--list]
//! ```
//!
//! `--strict` evaluates everything in strict arithmetic, to tell what that costs.
//!
//! A name is a whole workload, its part before `@`, or a glob. Without names, every workload of the
//! device runs: one list of sizes is for GPUs, another for the processor. The binary that
//! `cargo bench --no-run` leaves in `target/release/deps` needs nothing else and runs on a machine
//! without Rust.

mod arguments;
mod first_use;
mod host;
mod json;
mod measure;
mod programs;
mod tables;
mod workloads;

use arguments::Arguments;
use lazuli::{Arithmetic, Device, with_arithmetic};
use measure::Bench;
use std::process::ExitCode;

fn main() -> ExitCode {
    if first_use::is_child() {
        return first_use::child();
    }
    match Arguments::parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("speed: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let device = match &arguments.device {
        Some(name) => name.parse(),
        None => Device::current(),
    };
    let device = device.map_err(|e| e.to_string())?;
    let chosen = arguments.choose(tables::of(device))?;
    if arguments.list {
        chosen.iter().for_each(|w| println!("{}", w.0));
        return Ok(());
    }
    println!("{}", device.info());
    let mut bench = Bench::new(device, arguments.quick);
    let arithmetic = if arguments.strict { Arithmetic::Strict } else { Arithmetic::Exact };
    let mut all = || chosen.iter().for_each(|(name, workload)| bench.run(name, *workload));
    device.scope(|| with_arithmetic(arithmetic, &mut all));
    if let Some(path) = &arguments.json {
        let text = json::report(&device.info().to_string(), &bench.rows);
        std::fs::write(path, text).map_err(|e| format!("{path}: {e}"))?;
    }
    let wrong: Vec<&str> = bench.rows.iter().filter(|r| !r.ok()).map(|r| &*r.workload).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("failed: {}", wrong.join(", "))),
    }
}
