//! Programs of a few lines as people write them in NumPy, line by line: each gives one number, by which
//! `peers.py` checks it, and is timed, the first run apart.
//!
//! ```sh
//! cargo bench --bench natural -- [NAMES…] [--device D]
//! python3 benches/natural/peers.py [NAMES…] [--cupy] [--lazuli BINARY] [--device D]
//! ```

mod programs;

use lazuli::Device;
use std::process::ExitCode;
use std::time::Instant;

/// A program runs so often after its first run; the least time counts.
const RUNS: usize = 5;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("natural: {why}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let (mut names, mut device) = (Vec::new(), Device::current().map_err(|e| e.to_string())?);
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        match word.as_str() {
            // Cargo's.
            "--bench" => (),
            "--device" => {
                let name = given.next().ok_or("--device takes a name, cpu say")?;
                device = name.parse().map_err(|e: lazuli::Error| e.to_string())?;
            }
            name if programs::ALL.iter().any(|program| program.0 == name) => {
                names.push(name.to_owned());
            }
            other => return Err(format!("there is no program {other}")),
        }
    }
    println!("# {}", device.info());
    device.scope(|| {
        let chosen = |name: &str| names.is_empty() || names.iter().any(|other| other == name);
        for (name, program) in programs::ALL.iter().filter(|program| chosen(program.0)) {
            let time = || {
                let start = Instant::now();
                let value = program().map_err(|e| format!("{name}: {e}"))?;
                Ok::<_, String>((start.elapsed().as_secs_f64() * 1e3, value))
            };
            let (first, value) = time()?;
            let before = lazuli::counters();
            let mut least = f64::INFINITY;
            for _ in 0..RUNS {
                let (ms, again) = time()?;
                // A later run may have another plan, which adds up in another order.
                if (again - value).abs() > 1e-9 * value.abs() {
                    return Err(format!("{name}: {again} after {value}"));
                }
                least = least.min(ms);
            }
            let after = lazuli::counters();
            let plans = after.plans - before.plans;
            println!("{name} {least:.4} {first:.4} {value:.12e} {plans}");
        }
        Ok(())
    })
}
