//! From source to machine code: the options, the architecture, and the call of NVRTC.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::nvrtc::{self, Image, Nvrtc};
use crate::backend::Arithmetic;
use crate::error::{Error, Result};

/// A compute capability, such as 9.0; written `sm_90`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arch {
    /// The major number.
    pub major: u32,
    /// The minor number.
    pub minor: u32,
}

impl Arch {
    /// The architecture of a compute capability.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    const fn number(self) -> u32 {
        self.major * 10 + self.minor
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.number())
    }
}

/// How a kernel is compiled. The operations divide and take square roots as IEEE has it unless they
/// may be approximate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompileOptions {
    /// Contract `a * b + c` to one rounding.
    pub fmad: bool,
    /// Approximate division and square root of f32, see the prelude.
    pub approximate: bool,
    /// The most registers a thread may take; 0 leaves the choice to the compiler.
    pub max_registers: u32,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self { fmad: true, approximate: false, max_registers: 0 }
    }
}

impl CompileOptions {
    /// The options of an arithmetic.
    pub fn of(arithmetic: Arithmetic) -> Self {
        Self {
            fmad: arithmetic != Arithmetic::Strict,
            approximate: arithmetic == Arithmetic::Fast,
            ..Self::default()
        }
    }

    /// The options in NVRTC's spelling, without the architecture.
    fn flags(&self) -> Vec<String> {
        let mut flags: Vec<String> =
            ["-std=c++17", "-default-device", "-w"].map(String::from).into();
        flags.push(format!("--fmad={}", self.fmad));
        if self.approximate {
            flags.push("-DLZ_FAST".into());
        }
        if self.max_registers != 0 {
            flags.push(format!("--maxrregcount={}", self.max_registers));
        }
        flags
    }
}

/// Everything that NVRTC is told besides the source, and what it then makes.
#[derive(Debug)]
pub(super) struct Settings {
    /// The options in NVRTC's spelling.
    pub(super) flags: Vec<String>,
    image: Image,
}

impl Settings {
    /// Those for an image that a device of `arch` can load: a cubin where NVRTC knows the
    /// architecture, else PTX of the newest one it knows, which the driver finishes.
    pub(super) fn for_device(
        nvrtc: &Nvrtc,
        arch: Arch,
        options: &CompileOptions,
    ) -> Result<Settings> {
        let known = nvrtc.architectures();
        let (target, image) = if known.is_empty() || known.contains(&arch.number()) {
            (arch.to_string(), Image::Cubin)
        } else {
            let older = known.iter().rev().find(|&&known| known < arch.number());
            let older = older.ok_or_else(|| {
                Error::unsupported(format!(
                    "this NVRTC has no code for the device's architecture, {arch}"
                ))
            })?;
            (format!("compute_{older}"), Image::Ptx)
        };
        Ok(Settings { flags: flags(nvrtc, options, &target), image })
    }

    /// Those of a user's source: with the user's options, and the toolkit's headers where the
    /// source includes any.
    pub(super) fn of_users(nvrtc: &Nvrtc, code: &str, arch: Arch, options: &[String]) -> Settings {
        let given =
            |start: &str| options.iter().any(|o| o.trim_start_matches('-').starts_with(start));
        let mut flags = Vec::new();
        if !given("std") {
            flags.push("-std=c++17".to_string());
        }
        flags.extend(options.iter().cloned());
        if code.contains("#include") {
            flags.extend(nvrtc::header_folders().iter().map(|f| format!("-I{}", f.display())));
        }
        let known = nvrtc.architectures();
        let image = match known.is_empty() || known.contains(&arch.number()) {
            true => Image::Cubin,
            false => Image::Ptx,
        };
        if !given("gpu-architecture") && !given("arch") {
            flags.push(match image {
                Image::Cubin => format!("--gpu-architecture={arch}"),
                Image::Ptx => format!("--gpu-architecture=compute_{}", known.last().unwrap_or(&75)),
            });
        }
        Settings { flags, image }
    }
}

/// All options of a kernel that is rendered here.
fn flags(nvrtc: &Nvrtc, options: &CompileOptions, target: &str) -> Vec<String> {
    let mut flags = options.flags();
    flags.push(format!("--gpu-architecture={target}"));
    // From 12.8 on NVRTC can leave out texture and runtime declarations, which no kernel here
    // uses; parsing them is half of the time that a small kernel takes to compile.
    if nvrtc.version() >= (12, 8) {
        flags.push("--minimal".into());
    }
    // Its fast ways of compiling are not asked for: with `--Ofast-compile=min` programs began in 0.6 to
    // 0.9 of the time, but sums of remainders of `f64` took 0.084 ms for 0.048, and of `lgamma` 0.154
    // for 0.069 (8 million elements on an H200).
    // Kernels are kept on disk here; the cache of NVRTC's own takes 4 to 8 ms to write to.
    if nvrtc.version() >= (13, 0) {
        flags.push("--no-cache".into());
    }
    flags
}

/// Machine code for one architecture, compiled without a device: only libnvrtc is needed. This is
/// how machines without a GPU check what is rendered.
///
/// # Errors
/// Where NVRTC is missing, or where the source does not compile; then the error holds NVRTC's
/// log and the source.
#[cfg(any(test, feature = "testing"))]
pub fn compile_to_cubin(source: &str, arch: Arch, options: &CompileOptions) -> Result<Vec<u8>> {
    let nvrtc = nvrtc::nvrtc()?;
    let flags = flags(nvrtc, options, &arch.to_string());
    run(nvrtc, source, &Settings { flags, image: Image::Cubin })
}

/// An image that a device of `arch` can load.
pub fn compile_for_device(source: &str, arch: Arch, options: &CompileOptions) -> Result<Vec<u8>> {
    let nvrtc = nvrtc::nvrtc()?;
    run(nvrtc, source, &Settings::for_device(nvrtc, arch, options)?)
}

/// An image of a user's source.
pub(super) fn compile_users(code: &str, arch: Arch, options: &[String]) -> Result<Vec<u8>> {
    let nvrtc = nvrtc::nvrtc()?;
    let settings = Settings::of_users(nvrtc, code, arch, options);
    let compiled = nvrtc.compile(code, &settings.flags, settings.image);
    compiled.map_err(|log| Error::compile(format!("NVRTC could not compile the source: {log}")))
}

fn run(nvrtc: &Nvrtc, source: &str, settings: &Settings) -> Result<Vec<u8>> {
    nvrtc.compile(source, &settings.flags, settings.image).map_err(|log| {
        Error::compile(format!("NVRTC could not compile a kernel: {log}\nthe source:\n{source}"))
    })
}

/// What `make` gives for each item, in order, by as many threads as there are cores. They are no
/// threads of rayon's: one that waits there takes up other work, which may wait for this.
///
/// # Errors
/// The error of the first item that has one.
pub(super) fn in_parallel<T: Sync, R: Send + Sync>(
    items: &[T],
    make: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    if threads < 2 {
        return items.iter().map(make).collect();
    }
    let made: Vec<OnceLock<Result<R>>> = items.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(k) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&k| k < items.len())
        {
            let _ = made[k].set(make(&items[k]));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    made.into_iter().map(|made| made.into_inner().expect("every item was taken once")).collect()
}

#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(test), allow(dead_code, unused_imports))]
#[path = "compile_tests.rs"]
mod tests;
#[cfg(any(test, feature = "testing"))]
pub use tests::nvrtc_is_here;
