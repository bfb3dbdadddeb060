//! Compiled kernels: in memory by source and options, behind that on disk, behind that NVRTC.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::compile::{Arch, CompileOptions, Settings};
use super::disk::{DiskCache, DiskKey};
use super::nvrtc;
use crate::backend::Origin;
use crate::error::Result;

/// How often kernels came from where.
#[cfg(test)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelCounts {
    /// Compiled by NVRTC.
    pub compiled: u64,
    /// Read from the disk cache.
    pub from_disk: u64,
    /// Found loaded.
    pub from_memory: u64,
}

/// Everything that the loaded kernel depends on, the architecture aside: a device has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    /// The source, or the body of one that the prelude completes.
    text: String,
    entry: String,
    options: CompileOptions,
}

type Cell<T> = Arc<Mutex<Option<Arc<T>>>>;

/// A cache of loaded kernels `T`.
pub(super) struct Kernels<T> {
    arch: Arch,
    disk: DiskCache,
    /// Each kernel has its own lock, held while it is compiled: two threads that want the same
    /// one compile it once, two that want different ones do not wait for each other.
    loaded: Mutex<FxHashMap<Key, Cell<T>>>,
    counts: [AtomicU64; 4],
}

impl<T> Kernels<T> {
    pub(super) fn new(arch: Arch) -> Self {
        Self::with_disk(arch, DiskCache::for_user())
    }

    fn with_disk(arch: Arch, disk: DiskCache) -> Self {
        Self { arch, disk, loaded: Mutex::default(), counts: Default::default() }
    }

    #[cfg(test)]
    pub(super) fn counts(&self) -> KernelCounts {
        let count = |origin: Origin| self.counts[origin as usize].load(Ordering::Relaxed);
        KernelCounts {
            compiled: count(Origin::Compiled),
            from_disk: count(Origin::Disk),
            from_memory: count(Origin::Memory),
        }
    }

    /// The kernel of a source, compiled and loaded where this is the first call.
    pub(super) fn get(
        &self,
        source: &str,
        entry: &str,
        options: &CompileOptions,
        compile: impl FnOnce(Arch) -> Result<Vec<u8>>,
        load: impl Fn(&[u8]) -> Result<T>,
    ) -> Result<(Arc<T>, Origin)> {
        self.get_or_build(source, entry, options, || source.into(), compile, load)
    }

    /// The kernel that is known in memory by `text`, and on disk by the `whole` source.
    pub(super) fn get_or_build<'s>(
        &self,
        text: &str,
        entry: &str,
        options: &CompileOptions,
        whole: impl FnOnce() -> Cow<'s, str>,
        compile: impl FnOnce(Arch) -> Result<Vec<u8>>,
        load: impl Fn(&[u8]) -> Result<T>,
    ) -> Result<(Arc<T>, Origin)> {
        let key = Key { text: text.into(), entry: entry.into(), options: *options };
        let cell = self.loaded.lock().entry(key).or_default().clone();
        let mut cell = cell.lock();
        let (kernel, origin) = match &*cell {
            Some(kernel) => (kernel.clone(), Origin::Memory),
            None => {
                let (kernel, origin) = self.build(&whole(), options, compile, load)?;
                let kernel = Arc::new(kernel);
                *cell = Some(kernel.clone());
                (kernel, origin)
            }
        };
        self.counts[origin as usize].fetch_add(1, Ordering::Relaxed);
        Ok((kernel, origin))
    }

    fn build(
        &self,
        source: &str,
        options: &CompileOptions,
        compile: impl FnOnce(Arch) -> Result<Vec<u8>>,
        load: impl Fn(&[u8]) -> Result<T>,
    ) -> Result<(T, Origin)> {
        self.through_disk(&disk_key(source, self.arch, options), compile, load)
    }

    /// What `load` makes of the image on disk, or of a new one, which is then kept there.
    pub(super) fn through_disk<U>(
        &self,
        key: &DiskKey,
        compile: impl FnOnce(Arch) -> Result<Vec<u8>>,
        load: impl Fn(&[u8]) -> Result<U>,
    ) -> Result<(U, Origin)> {
        // Code that the driver refuses (a damaged file that still checks, a changed driver) is
        // compiled again and replaced.
        if let Some(kernel) = self.disk.load(key).and_then(|image| load(&image).ok()) {
            return Ok((kernel, Origin::Disk));
        }
        let image = compile(self.arch)?;
        let kernel = load(&image)?;
        self.disk.store(key, &image);
        Ok((kernel, Origin::Compiled))
    }
}

/// The key on disk of a user's code, compiled with all of `options`, the user's and others.
pub(super) fn users_key(code: &str, arch: Arch, options: &[String]) -> DiskKey {
    key(format!("user {arch} {options:?}"), code, |nvrtc| {
        Some(Settings::of_users(nvrtc, code, arch, options))
    })
}

/// The key on disk of a kernel that was rendered here.
pub(super) fn disk_key(source: &str, arch: Arch, options: &CompileOptions) -> DiskKey {
    key(format!("kernel {arch} {options:?}"), source, |nvrtc| {
        Settings::for_device(nvrtc, arch, options).ok()
    })
}

/// Everything that the machine code depends on: the build of NVRTC and every option that it is
/// given, those that are always the same too.
fn key(
    asked: String,
    source: &str,
    settings: impl Fn(&'static nvrtc::Nvrtc) -> Option<Settings>,
) -> DiskKey {
    let nvrtc = nvrtc::nvrtc().ok();
    let settings = format!("{:?}", nvrtc.and_then(settings));
    let identity = nvrtc.map_or("none", nvrtc::Nvrtc::identity);
    let parts = [env!("CARGO_PKG_VERSION"), identity, &asked, &settings, source];
    DiskKey::of(&parts.map(str::as_bytes))
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
