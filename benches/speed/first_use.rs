//! What is used first in a process: in a new process each time, since a process keeps what it
//! compiled and loaded.

use crate::measure::{Bench, Row, median};
use lazuli::fft::fft2;
use lazuli::prelude::*;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Names the device where this process is to measure one first use.
const CHILD: &str = "LAZULI_BENCH_FIRST_USE";
/// Names what it is to use.
const WHAT: &str = "LAZULI_BENCH_FIRST_USE_OF";

/// A process's first kernel, and a second one.
pub fn kernel(bench: &mut Bench) -> Result<()> {
    run(bench, "kernel", ["first", "second"])
}

/// A process's first product of 1024×1024 singles.
pub fn matmul(bench: &mut Bench) -> Result<()> {
    run(bench, "matmul", [""])
}

/// A process's first transform of 512×512 complex numbers.
pub fn fft(bench: &mut Bench) -> Result<()> {
    run(bench, "fft", [""])
}

/// With an empty cache on disk, then with the cache that the runs before have filled; of each, the
/// median of several processes. The clock runs from before the call to the synchronised result; the
/// device was opened and the arrays were there before.
fn run<const N: usize>(bench: &mut Bench, what: &str, parts: [&str; N]) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("lazuli-first-use-{}", std::process::id()));
    for form in ["cold", "warm disk"] {
        let repeats = if bench.quick { 1 } else { 3 };
        let mut runs = Vec::new();
        for _ in 0..repeats {
            if form == "cold" {
                let _ = std::fs::remove_dir_all(&folder);
            }
            match process::<N>(bench.device, what, &folder) {
                Ok(figures) => runs.push(figures),
                Err(why) => bench.fail(form, why),
            }
        }
        for (k, part) in parts.iter().enumerate().filter(|_| !runs.is_empty()) {
            let ms = median(runs.iter().map(|figures| figures[k]).collect());
            let form = if part.is_empty() { form.to_owned() } else { format!("{form}, {part}") };
            bench.push(Row { form, ms, first_ms: ms, ..Row::default() });
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    Ok(())
}

/// The figures that a new process prints.
fn process<const N: usize>(
    device: Device,
    what: &str,
    folder: &Path,
) -> std::result::Result<[f64; N], String> {
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(exe);
    command.env(CHILD, device.to_string()).env(WHAT, what).env("LAZULI_CACHE_DIR", folder);
    if what == "kernel" {
        // NVRTC keeps what it compiled in the driver's cache as well.
        command.env("CUDA_CACHE_PATH", folder);
    }
    let output = command.output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let figures: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    figures.try_into().map_err(|_| format!("{N} figures were wanted: {text}"))
}

/// Whether this process was started by [`run`].
pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Prints the milliseconds of what is used first.
pub fn child() -> ExitCode {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let measured = variable(CHILD)
        .parse::<Device>()
        .and_then(|device| device.scope(|| measure(device, &variable(WHAT))));
    match measured {
        Ok(figures) => {
            figures.iter().for_each(|ms| print!("{ms} "));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(device: Device, what: &str) -> Result<Vec<f64>> {
    match what {
        "matmul" => {
            let a = DeviceArray::from_vec([1024, 1024], vec![0.5f32; 1 << 20])?;
            Ok(vec![time(device, || a.matmul(&a))?])
        }
        "fft" => {
            let values = vec![Complex::new(0.5f32, 0.25); 512 * 512];
            let a = DeviceArray::from_vec([512, 512], values)?;
            Ok(vec![time(device, || fft2(&a))?])
        }
        _ => {
            let x = DeviceArray::from_vec([1000], vec![0.5f64; 1000])?;
            let first = time(device, || x.sin() * x.exp())?;
            Ok(vec![first, time(device, || (x.cos() + &x).sum(0))?])
        }
    }
}

/// The milliseconds from before an expression is recorded to its synchronised result.
fn time<T: Element>(device: Device, record: impl Fn() -> DeviceArray<T>) -> Result<f64> {
    device.synchronize()?;
    let start = Instant::now();
    record().eval()?;
    device.synchronize()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
