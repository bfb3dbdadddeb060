//! Hunts for faults: random programs over the whole public API, each evaluated in several ways and
//! checked against an interpreter of its own. What fails is made smaller and printed as a program.
//!
//! ```text
//! cargo run --release --example hunt -- --device cpu --seconds 60
//!     --device D       the processor (cpu), or a GPU (cuda, cuda:1)
//!     --seconds S      how long; 60 where neither it nor --programs is given
//!     --programs N     how many programs
//!     --seed N         where to begin; the seed of each program is printed with it
//!     --kinds a,b      element types of inputs and casts, f32,i64 say
//!     --steps N        the most steps of a program
//!     --small          no arrays of thousands of elements
//!     --threads N      the threads of the processor
//!     --strict         in strict arithmetic: every way has to give the same bits, which are summed up
//!                      in a number that is the same for any number of threads and any device
//!     --show           prints the programs, and runs none
//!     --findings N     stops after so many (default 10)
//! ```
//!
//! The programs run in a process of their own, which tells its parent the seed of each before it
//! runs: so a crash, an abort and a program that does not end are findings as well.

mod args;
mod engine;
mod parent;

use args::Args;
use engine::bits;
use engine::check::check_all;
use engine::draw::draw;
use engine::shrink::shrink;
use engine::source::source;
use lazuli::{Arithmetic, Device, with_arithmetic};
use std::io::Write;
use std::time::{Duration, Instant};

/// Runs programs until time or number is up, as the child of a parent that watches.
fn child(args: &Args) -> lazuli::Result<()> {
    let device = args.device.parse::<Device>()?;
    std::panic::set_hook(Box::new(|_| {}));
    let begun = Instant::now();
    let mut out = std::io::stdout().lock();
    for k in 0..args.programs {
        if begun.elapsed() > args.time {
            break;
        }
        let seed = args.seed.wrapping_add(k);
        let _ = writeln!(out, "> {seed}");
        let _ = out.flush();
        let arithmetic = if args.strict { Arithmetic::Strict } else { Arithmetic::Exact };
        with_arithmetic(arithmetic, || {
            device.scope(|| {
                let program = draw(seed, &args.taste);
                let _ = writeln!(out, "= {} {}", program.nodes.len(), program.outputs.len());
                if args.strict {
                    bits::begin();
                }
                let Some(found) = check_all(&program) else {
                    let _ = writeln!(out, "# {}", bits::digest(&program));
                    return;
                };
                let _ = writeln!(
                    out,
                    "! seed {seed}: {:?} {}",
                    found.way,
                    found.what.replace('\n', " ")
                );
                let _ = out.flush();
                let (small, found) = shrink(&program, found, Duration::from_secs(20));
                source(&small, Some(&found)).lines().for_each(|line| {
                    let _ = writeln!(out, "| {line}");
                });
            })
        });
    }
    let _ = writeln!(out, "end");
    Ok(())
}

fn main() -> std::process::ExitCode {
    let args = match Args::parse() {
        Ok(args) => args,
        Err(why) => {
            eprintln!("{why}");
            return 2.into();
        }
    };
    if args.show {
        (0..args.programs).for_each(|k| {
            println!("{}", source(&draw(args.seed.wrapping_add(k), &args.taste), None));
        });
        return 0.into();
    }
    if args.child {
        return match child(&args) {
            Ok(()) => 0.into(),
            Err(e) => {
                eprintln!("{e}");
                2.into()
            }
        };
    }
    parent::watch(&args)
}
