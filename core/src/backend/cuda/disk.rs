//! The disk cache of compiled kernels: plain files, one a kernel, never a reason to fail.
//!
//! A file is `magic, payload length, key, SHA-256 of key and payload, payload`. The key is the
//! SHA-256 of everything that the payload depends on, and names the file too. A file is written as
//! a draft and renamed, so that a reader never sees half of one; whatever does not check is treated
//! as absent and rewritten. Machine code from here runs, so the folder and its files must be the
//! user's own (`trust.rs`).
//!
//! The key holds the build of NVRTC (`identity.rs`) and all its options. Drafts are those of
//! `files.rs`.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::trust;
use crate::files::{DRAFT, Draft};

const MAGIC: &[u8; 8] = b"LAZULI\x00\x02";
const HEADER: usize = MAGIC.len() + 8 + 32 + 32;
const EXTENSION: &str = "kernel";
const DIRECTORY_VARIABLE: &str = "LAZULI_CACHE_DIR";

/// How much is kept, and for how long after its last use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
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
pub struct DiskKey([u8; 32]);

impl DiskKey {
    /// Hashes the parts, each with its length, so that no two lists of parts run together.
    pub fn of(parts: &[&[u8]]) -> Self {
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
pub struct DiskCache {
    folder: Option<PathBuf>,
    limits: Limits,
    stores: AtomicU64,
}

impl DiskCache {
    /// The user's cache: `LAZULI_CACHE_DIR` (empty: off), else the platform's cache folder.
    pub fn for_user() -> Self {
        let folder = match std::env::var_os(DIRECTORY_VARIABLE) {
            Some(given) if given.is_empty() => None,
            Some(given) => Some(PathBuf::from(given)),
            None => platform_folder(|name| std::env::var_os(name).map(PathBuf::from)),
        };
        Self::new(folder, Limits::default())
    }

    pub fn new(folder: Option<PathBuf>, limits: Limits) -> Self {
        Self { folder, limits, stores: AtomicU64::new(0) }
    }

    /// The folder, where it can be trusted. Where it cannot, says why, once.
    fn folder(&self) -> Option<&Path> {
        static SAID: Once = Once::new();
        let folder = self.folder.as_deref()?;
        let Some(why) = trust::folder_is_foreign(folder).ok()? else { return Some(folder) };
        SAID.call_once(|| {
            let folder = folder.display();
            eprintln!("lazuli: compiled kernels are not kept in {folder}: {why}");
        });
        None
    }

    /// The entry's bytes, where there is one and it checks.
    pub fn load(&self, key: &DiskKey) -> Option<Vec<u8>> {
        let path = self.folder()?.join(key.file_name());
        let file = trust::open(&path).ok()?;
        let length = file.metadata().ok().map(|data| data.len());
        let length = length.filter(|length| *length <= self.limits.bytes)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(length).ok()?).ok()?;
        (&file).take(length).read_to_end(&mut bytes).ok()?;
        let payload = checked(key, &bytes)?.to_vec();
        mark_used(&file);
        Some(payload)
    }

    /// Stores an entry. A full, read-only or missing disk is silently no cache.
    pub fn store(&self, key: &DiskKey, payload: &[u8]) {
        let Some(folder) = &self.folder else { return };
        // What fails here costs a compilation the next time, and nothing else.
        if trust::make_folder(folder).is_err() || self.folder().is_none() {
            return;
        }
        let stores = self.stores.fetch_add(1, Ordering::Relaxed);
        if stores.is_multiple_of(self.limits.stores_between_sweeps) {
            self.sweep();
        }
        let _ = write_entry(folder.join(key.file_name()), key, payload);
    }

    /// Removes what is too old, then the least recently used until the rest fits.
    pub fn sweep(&self) {
        let Some(folder) = self.folder() else { return };
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

/// The payload of a file whose header matches it and the key.
fn checked<'a>(key: &DiskKey, file: &'a [u8]) -> Option<&'a [u8]> {
    let (header, payload) = file.split_at_checked(HEADER)?;
    (header == self::header(key, payload)).then_some(payload)
}

fn header(key: &DiskKey, payload: &[u8]) -> Vec<u8> {
    let sum = Sha256::new().chain_update(key.0).chain_update(payload).finalize();
    let length = (payload.len() as u64).to_le_bytes();
    [&MAGIC[..], &length, &key.0, &sum].concat()
}

fn write_entry(path: PathBuf, key: &DiskKey, payload: &[u8]) -> std::io::Result<()> {
    let mut draft = Draft::beside(path, true)?;
    draft.file().write_all(&header(key, payload))?;
    draft.file().write_all(payload)?;
    // After a crash the sum says whether all of it is there.
    draft.finish(false)
}

/// Sets the time of last use, at most once an hour: eviction needs no better.
fn mark_used(file: &File) {
    let Ok(used) = file.metadata().and_then(|data| data.modified()) else { return };
    if used.elapsed().is_ok_and(|age| age > Duration::from_secs(60 * 60)) {
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
        let named = |name: &str, digits: usize| {
            name.len() == digits && name.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let draft = name.strip_prefix('.').and_then(|name| name.strip_suffix(DRAFT));
        let temporary = draft.is_some_and(|name| named(name, 32));
        let entry = name.strip_suffix(EXTENSION).and_then(|name| name.strip_suffix('.'));
        let ours = entry.is_some_and(|name| named(name, 64)) || temporary;
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
