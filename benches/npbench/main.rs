//! The programs of NPBench in Lazuli, as NumPy has them line by line: checked against NumPy's
//! outputs, and timed.
//!
//! ```sh
//! python3 benches/npbench/peers.py --npbench DIR --size S --exchange IN --out peers.json
//! cargo bench --bench npbench -- --inputs IN --size S [NAMES…] [--device D] [--json OUT.json]
//! ```
//!
//! README.md beside this file says more. The binary that `cargo bench --no-run` leaves in
//! `target/release/deps` runs on a machine without Rust.

mod arguments;
mod inputs;
mod measure;
mod outputs;
mod programs;

use arguments::Arguments;
use lazuli::Device;
use measure::Row;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Arguments::parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("npbench: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let chosen = arguments.choose()?;
    if arguments.list {
        chosen.iter().for_each(|program| println!("{}", program.name));
        return Ok(());
    }
    let device = match &arguments.device {
        Some(name) => name.parse(),
        None => Device::current(),
    };
    let device = device.map_err(|e| e.to_string())?;
    println!("{}", device.info());
    let rows: Vec<Row> =
        device.scope(|| chosen.iter().map(|program| measure::row(program, arguments)).collect());
    if let Some(path) = &arguments.json {
        let report = serde_json::json!({
            "device": device.info().to_string(),
            "results": rows.iter().map(Row::json).collect::<Vec<_>>(),
        });
        std::fs::write(path, format!("{report:#}\n")).map_err(|e| format!("{path}: {e}"))?;
    }
    let wrong: Vec<&str> = rows.iter().filter(|r| r.error.is_some()).map(|r| r.name).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("failed: {}", wrong.join(", "))),
    }
}
