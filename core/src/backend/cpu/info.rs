//! Describes this processor.

use crate::backend::{DeviceInfo, pool};
use lazuli_inner_loops::level::Level;

/// The processor's name, threads, memory and instruction set.
pub(super) fn info() -> DeviceInfo {
    DeviceInfo {
        device: "cpu".into(),
        name: name().unwrap_or_else(|| std::env::consts::ARCH.into()),
        multiprocessors: pool::threads() as u32,
        memory: memory().unwrap_or(0),
        instructions: Some(Level::best().name().into()),
        ..DeviceInfo::default()
    }
}

/// The product's name, where the system tells it.
fn name() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.trim();
    (!name.is_empty()).then(|| name.into())
}

/// The bytes of memory, where the system tells them.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}
