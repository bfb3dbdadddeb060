//! The disk cache of compiled kernels: plain files, one a kernel, never a reason to fail.
//!
//! A file is `magic, payload length, SHA-256 of the payload, payload`, named by the SHA-256 of
//! everything the payload depends on. It is written to a temporary file and renamed, so that a
//! reader never sees half of one; whatever does not check is treated as absent and rewritten.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"LAZULI\x00\x01";
const HEADER: usize = MAGIC.len() + 8 + 32;
const EXTENSION: &str = "kernel";
const DIRECTORY_VARIABLE: &str = "LAZULI_CACHE_DIR";

/// How much is kept, and for how long after its last use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most bytes that the files may take together.
    pub bytes: u64,
    /// How long an unused file stays.
    pub age: Duration,
    /// A sweep runs at the first store, and then once in this many stores.
    pub stores_between_sweeps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let day = Duration::from_secs(24 * 60 * 60);
        Self { bytes: 512 << 20, age: 90 * day, stores_between_sweeps: 256 }
    }
}

/// The name of an entry: a hash of everything that its contents depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DiskKey([u8; 32]);

impl DiskKey {
    /// Hashes the parts, each with its length, so that no two lists of parts run together.
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    fn file_name(&self) -> String {
        let hex: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{hex}.{EXTENSION}")
    }
}

/// A folder of compiled kernels, or nothing where caching is off.
pub(crate) struct DiskCache {
    folder: Option<PathBuf>,
    limits: Limits,
    stores: AtomicU64,
}

impl DiskCache {
    /// The user's cache: `LAZULI_CACHE_DIR` (empty: off), else the platform's cache folder.
    pub(crate) fn for_user() -> Self {
        let folder = match std::env::var_os(DIRECTORY_VARIABLE) {
            Some(given) if given.is_empty() => None,
            Some(given) => Some(PathBuf::from(given)),
            None => platform_folder(|name| std::env::var_os(name).map(PathBuf::from)),
        };
        Self::new(folder, Limits::default())
    }

    pub(crate) fn new(folder: Option<PathBuf>, limits: Limits) -> Self {
        Self { folder, limits, stores: AtomicU64::new(0) }
    }

    /// The entry's bytes, where there is one and it checks.
    pub(crate) fn load(&self, key: &DiskKey) -> Option<Vec<u8>> {
        let path = self.folder.as_ref()?.join(key.file_name());
        let file = fs::read(&path).ok()?;
        let payload = checked(&file)?.to_vec();
        mark_used(&path);
        Some(payload)
    }

    /// Stores an entry. A full, read-only or missing disk is silently no cache.
    pub(crate) fn store(&self, key: &DiskKey, payload: &[u8]) {
        let Some(folder) = &self.folder else { return };
        let stores = self.stores.fetch_add(1, Ordering::Relaxed);
        if stores.is_multiple_of(self.limits.stores_between_sweeps) {
            self.sweep();
        }
        // What fails here costs a compilation the next time, and nothing else.
        let _ = write_entry(folder, key, payload);
    }

    /// Removes what is too old, then the least recently used until the rest fits.
    pub(crate) fn sweep(&self) {
        let Some(folder) = &self.folder else { return };
        let mut entries = entries(folder);
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.used));
        let oldest = SystemTime::now().checked_sub(self.limits.age);
        let mut kept = 0u64;
        for entry in entries {
            kept = kept.saturating_add(entry.bytes);
            if oldest.is_some_and(|oldest| entry.used < oldest) || kept > self.limits.bytes {
                kept = kept.saturating_sub(entry.bytes);
                let _ = fs::remove_file(&entry.path);
            }
        }
    }
}

/// `XDG_CACHE_HOME/lazuli`, else the home folder's `.cache/lazuli`; on Windows the local
/// application data.
fn platform_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|path| !path.as_os_str().is_empty());
    set("XDG_CACHE_HOME")
        .or_else(|| set("LOCALAPPDATA"))
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .map(|base| base.join("lazuli"))
}

/// The payload of a file whose header matches it.
fn checked(file: &[u8]) -> Option<&[u8]> {
    let (header, payload) = file.split_at_checked(HEADER)?;
    let (magic, rest) = header.split_at(MAGIC.len());
    let (length, digest) = rest.split_at(8);
    let sound = magic == MAGIC
        && length == (payload.len() as u64).to_le_bytes()
        && digest == Sha256::digest(payload).as_slice();
    sound.then_some(payload)
}

fn write_entry(folder: &Path, key: &DiskKey, payload: &[u8]) -> std::io::Result<()> {
    static UNIQUE: AtomicU64 = AtomicU64::new(0);
    fs::create_dir_all(folder)?;
    let unique = UNIQUE.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!("{}-{unique}.{EXTENSION}.tmp", std::process::id()));
    let written = write_all(&temporary, payload)
        .and_then(|()| fs::rename(&temporary, folder.join(key.file_name())));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_all(path: &Path, payload: &[u8]) -> std::io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(MAGIC)?;
    file.write_all(&(payload.len() as u64).to_le_bytes())?;
    file.write_all(&Sha256::digest(payload))?;
    file.write_all(payload)
}

/// Sets the time of last use, at most once an hour: eviction needs no better.
fn mark_used(path: &Path) {
    let Ok(used) = fs::metadata(path).and_then(|data| data.modified()) else { return };
    let stale = used.elapsed().is_ok_and(|age| age > Duration::from_secs(60 * 60));
    if stale && let Ok(file) = fs::File::options().write(true).open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}

struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

/// The cache's own files in the folder, temporary ones of dead writers included.
fn entries(folder: &Path) -> Vec<Entry> {
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let entry = |file: fs::DirEntry| {
        let path = file.path();
        let name = path.file_name()?.to_str()?;
        let data = file.metadata().ok()?;
        let temporary = name.ends_with(".tmp");
        let ours = name.ends_with(&format!(".{EXTENSION}")) || temporary;
        let used = data.modified().ok()?;
        // A temporary file may be in the making; an hour later nobody will rename it.
        let in_the_making =
            temporary && used.elapsed().map_or(true, |age| age < Duration::from_secs(60 * 60));
        let used = if temporary { SystemTime::UNIX_EPOCH } else { used };
        (ours && data.is_file() && !in_the_making).then_some(Entry {
            bytes: data.len(),
            path,
            used,
        })
    };
    files.filter_map(|file| entry(file.ok()?)).collect()
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
