//! What the tests share: the devices, arrays of any element type, the manifest, comparisons.

pub mod command;
pub mod compare;
pub mod load;
pub mod value;

use lazuli::prelude::*;
use parking_lot::RwLock;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The devices of this machine. Where there is no GPU, says why the GPU's half is skipped; with
/// `LAZULI_REQUIRE_GPU=1` that is a failure.
pub fn devices() -> Vec<Device> {
    if let Err(why) = Device::cuda(0) {
        let required = std::env::var("LAZULI_REQUIRE_GPU").is_ok_and(|v| v == "1");
        assert!(!required, "LAZULI_REQUIRE_GPU is set, and there is no GPU: {why}");
        eprintln!("skipped on CUDA: {why}");
    }
    Device::all()
}

/// A file or folder of the repository: below the working directory, where a binary that was built
/// elsewhere finds it, else where the tests were built.
pub fn place(name: impl AsRef<Path>) -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = built.ancestors().nth(2).expect("tests and it");
    let root = if Path::new("tests/it").is_dir() { Path::new("") } else { root };
    root.join(name)
}

/// Held for reading by tests that compute, for writing by those that take a GPU's whole memory or
/// whose kernels fail, which another thread that waits for the GPU is told, too.
pub static MEMORY: RwLock<()> = RwLock::new(());

/// Runs a test once for each device, which is the current one meanwhile.
pub fn on_each_device(test: impl Fn(Device)) {
    let _held = MEMORY.read();
    on_all(test);
}

/// The same while no other such test runs.
pub fn on_each_device_by_itself(test: impl Fn(Device)) {
    let _held = MEMORY.write();
    on_all(test);
}

fn on_all(test: impl Fn(Device)) {
    for device in devices() {
        eprintln!("on {device}");
        device.scope(|| test(device));
    }
}

/// The message of a panic that `f` must raise.
pub fn panic_message<R>(f: impl FnOnce() -> R) -> String {
    let payload = match catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("nothing panicked"),
        Err(payload) => payload,
    };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast_ref::<&str>().map(|s| s.to_string()).unwrap_or_default(),
    }
}

/// The memory of this process in bytes, where the system tells it.
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// A small generator of random numbers (SplitMix64), so that a seed gives the same program on
/// every machine.
pub struct Rng(pub u64);

impl Rng {
    /// 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A number in `low..high`.
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of the items.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// The bits of all elements.
pub fn bits(a: &DeviceArray<f64>) -> Vec<u64> {
    a.to_vec().expect("the array is computed").into_iter().map(f64::to_bits).collect()
}

/// Runs an ignored test, by its path, in a process of its own: the memory of a process and the
/// number of plans that it keeps belong to all tests in it.
pub fn alone(test: &str) {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", test, "--nocapture"]);
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
    let text = text.concat();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
