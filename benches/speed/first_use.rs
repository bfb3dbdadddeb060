//! A kernel's first use: in a new process each time, since a process keeps what it compiled.

use crate::measure::{Bench, Row};
use lazuli::prelude::*;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Set where this process is to measure one first use.
const CHILD: &str = "LAZULI_BENCH_FIRST_USE";

/// With an empty cache on disk, then with the cache that the run before has filled. Each row is
/// the first evaluation of a process; the device was opened before.
pub fn run(bench: &mut Bench) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("lazuli-first-use-{}", std::process::id()));
    for form in ["cold", "warm disk"] {
        let output = std::env::current_exe().and_then(|exe| {
            let mut command = Command::new(exe);
            command.env(CHILD, bench.device.to_string());
            command.env("LAZULI_CACHE_DIR", &folder).output()
        });
        let text = output.map_err(|e| e.to_string()).and_then(|output| {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let why = || String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.success() { Ok(text) } else { Err(why()) }
        });
        match text {
            Err(why) => bench.fail(form, why),
            Ok(text) => {
                let figures: Vec<f64> =
                    text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                for (name, ms) in [("first", 0), ("second", 1)] {
                    let form = format!("{form}, {name}");
                    let Some(&ms) = figures.get(ms) else { continue };
                    bench.push(Row { form, ms, first_ms: ms, ..Row::default() });
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    Ok(())
}

/// Whether this process was started by [`run`].
pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Prints the milliseconds of a process's first kernel, and of a second one.
pub fn child() -> ExitCode {
    let measure = || -> Result<[f64; 2]> {
        let device: Device = std::env::var(CHILD).unwrap_or_default().parse()?;
        device.scope(|| {
            let x = DeviceArray::from_vec([1000], vec![0.5f64; 1000])?;
            device.synchronize()?;
            let time = |make: &dyn Fn() -> DeviceArray<f64>| {
                let start = Instant::now();
                make().eval()?;
                device.synchronize()?;
                Ok(start.elapsed().as_secs_f64() * 1e3)
            };
            Ok([time(&|| x.sin() * x.exp())?, time(&|| (x.cos() + &x).sum(0))?])
        })
    };
    match measure() {
        Ok([first, second]) => {
            println!("{first} {second}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
