//! Identifies the build of a library, without loading or running anything: NVRTC says its major and
//! minor version alone, and releases that differ behind them give other machine code.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The beginning of a library, where linkers put its notes.
const HEAD: u64 = 64 << 10;
const NOTES: u32 = 4;
const BUILD_ID: u32 = 3;

/// The build ID of a library, which its linker made from the contents. Without one, the file's path,
/// size and time.
pub(super) fn of_file(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    let data = file.metadata().ok()?;
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head).ok()?;
    if let Some(id) = build_id(&head) {
        let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        return Some(format!("build {hex} {}", data.len()));
    }
    let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let path = path.canonicalize().ok()?;
    Some(format!("file {} {} {}", path.display(), data.len(), changed.as_nanos()))
}

/// The build ID in the notes of a 64-bit ELF file.
fn build_id(head: &[u8]) -> Option<&[u8]> {
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let bytes = |at: u64, len: u64| head.get(usize::try_from(at).ok()?..)?.get(..len as usize);
    let short = |at| Some(u64::from(u16::from_le_bytes(bytes(at, 2)?.try_into().ok()?)));
    let word = |at| Some(u32::from_le_bytes(bytes(at, 4)?.try_into().ok()?));
    let long = |at| Some(u64::from_le_bytes(bytes(at, 8)?.try_into().ok()?));
    let (table, size, count) = (long(32)?, short(54)?, short(56)?);
    for k in 0..count {
        let line = table.checked_add(k * size)?;
        if word(line)? != NOTES {
            continue;
        }
        let mut at = long(line.checked_add(8)?)?;
        let end = at.checked_add(long(line.checked_add(32)?)?)?;
        while at.checked_add(12)? <= end {
            let [name, content] = [at, at + 4].map(|at| word(at).map(u64::from));
            let (name, content) = (name?, content?);
            let begin = at + 12 + name.next_multiple_of(4);
            if word(at + 8)? == BUILD_ID && bytes(at + 12, name)? == b"GNU\0" {
                return bytes(begin, content).filter(|id| !id.is_empty());
            }
            at = begin.checked_add(content.next_multiple_of(4))?;
        }
    }
    None
}

/// The file of the library that holds a function.
#[cfg(unix)]
pub(super) fn file_of(function: *const std::ffi::c_void) -> Option<std::path::PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the call looks for the address among those of libraries, whatever it is, and writes to
    // the structure.
    if unsafe { libc::dladdr(function, found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: zeros are a valid structure, and the call has filled it.
    let name = unsafe { found.assume_init() }.dli_fname;
    if name.is_null() {
        return None;
    }
    // SAFETY: the name is text with a NUL behind it that lives as long as the library.
    let name = unsafe { std::ffi::CStr::from_ptr(name) };
    Some(std::ffi::OsStr::from_bytes(name.to_bytes()).into())
}

#[cfg(not(unix))]
pub(super) fn file_of(_: *const std::ffi::c_void) -> Option<std::path::PathBuf> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A library's beginning with a note of another kind and a build ID behind it.
    fn library(id: &[u8]) -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        file.resize(64, 0);
        file[32] = 64;
        (file[54], file[56]) = (56, 2);
        file.resize(64 + 2 * 56, 0);
        let (line, notes) = (64 + 56, file.len() as u64);
        file[line] = 4;
        file[line + 8..line + 16].copy_from_slice(&notes.to_le_bytes());
        let words = [4u32, 5, 1].map(u32::to_le_bytes).concat();
        file.extend([&words[..], b"GNU\0", b"other\0\0\0"].concat());
        let words = [4, id.len() as u32, 3].map(u32::to_le_bytes).concat();
        file.extend([&words[..], b"GNU\0", id].concat());
        let length = file.len() as u64 - notes;
        file[line + 32..line + 40].copy_from_slice(&length.to_le_bytes());
        file
    }

    #[test]
    fn build_ids_are_found() {
        let file = library(b"twenty bytes of them");
        assert_eq!(build_id(&file), Some(&b"twenty bytes of them"[..]));
        (0..file.len()).for_each(|n| assert_eq!(build_id(&file[..n]), None, "{n} bytes"));
        for k in 0..file.len() {
            let mut damaged = file.clone();
            damaged[k] ^= 0xff;
            let _ = build_id(&damaged);
        }
        assert_eq!(build_id(b"MZ, and no ELF"), None);
    }

    #[test]
    fn another_build_is_another_identity() {
        let name = format!("lazuli-identity-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let identity = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            of_file(&path).unwrap()
        };
        let (first, second) = (identity(&library(b"1234")), identity(&library(b"1235")));
        assert!(first.starts_with("build 31323334 ") && first != second, "{first}");
        assert_eq!(first, identity(&library(b"1234")));
        let (none, longer) = (identity(b"no ELF"), identity(b"no ELF!"));
        assert!(none.starts_with("file ") && none != longer);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(of_file(&path), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn functions_know_their_file() {
        let own = file_of(file_of as *const std::ffi::c_void).unwrap();
        assert_eq!(own.canonicalize().unwrap(), std::env::current_exe().unwrap());
        assert_eq!(file_of(std::ptr::null()), None);
    }
}
