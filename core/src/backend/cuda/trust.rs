//! Checks that nobody else may have written the files of the kernel cache. What is loaded from
//! there runs, so a folder or a file that somebody else may write is not used.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
use std::path::Path;

/// Makes a folder that is for its owner alone, and those above it.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Why a folder cannot be trusted.
///
/// # Errors
/// Where there is no such folder.
pub(super) fn folder_is_foreign(path: &Path) -> io::Result<Option<String>> {
    let (itself, folder) = (fs::symlink_metadata(path)?, fs::metadata(path)?);
    if !folder.is_dir() {
        return Ok(Some("it is no folder".to_owned()));
    }
    // Others may have set the link, though not what it leads to.
    let link = if itself.is_symlink() { owner_is_foreign(&itself) } else { None };
    Ok(link.or_else(|| is_foreign(&folder)))
}

/// Opens a file of the cache to read it.
///
/// # Errors
/// Where it is a link, no plain file, or another's.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    // A pipe would wait for its writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK,
    );
    let file = options.open(path)?;
    let data = file.metadata()?;
    match is_foreign(&data) {
        None if data.is_file() => Ok(file),
        _ => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

#[cfg(unix)]
fn is_foreign(data: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let others = data.mode() & 0o022 != 0;
    let written = || format!("others may write it (mode {:o})", data.mode() & 0o7777);
    owner_is_foreign(data).or_else(|| others.then(written))
}

#[cfg(unix)]
fn owner_is_foreign(data: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: the call has no arguments and cannot fail.
    let own = unsafe { libc::geteuid() };
    (data.uid() != own).then(|| format!("it is user {}'s, and this is user {own}", data.uid()))
}

#[cfg(not(unix))]
fn is_foreign(_: &Metadata) -> Option<String> {
    None
}

#[cfg(not(unix))]
fn owner_is_foreign(_: &Metadata) -> Option<String> {
    None
}
