//! Files that are replaced whole: who reads one finds the old contents or the new ones, never a
//! part of either.
//!
//! What is written goes to a *draft* beside the file, under a name that nobody can foretell, which
//! takes the file's place when all of it is there. A draft that is given up is removed.

use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// The end of a draft's name.
pub const DRAFT: &str = ".lazuli-draft";

/// The symbolic links that are followed, one after another.
const LINKS: usize = 40;

/// A file in the making.
pub struct Draft {
    file: File,
    /// The draft's path and the path of what it replaces; none where a device or a pipe is written
    /// to.
    paths: Option<(PathBuf, PathBuf)>,
}

impl Draft {
    /// Begins the file at a path. What a symbolic link points to is replaced rather than the link,
    /// and a device or a pipe is written to as it is.
    ///
    /// # Errors
    /// Where the folder cannot be written, or where there is a file that may not be.
    pub fn of(path: &Path) -> io::Result<Draft> {
        let old = match fs::metadata(path) {
            Ok(old) if old.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(old) if !old.is_file() => {
                let file = File::options().write(true).open(path)?;
                return Ok(Draft { file, paths: None });
            }
            Ok(old) => Some(old),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(e),
        };
        let target = behind_links(path)?;
        if old.is_some() {
            // A rename asks nobody whether the old file may be written.
            File::options().write(true).open(&target)?;
        }
        let draft = Draft::beside(target, old.is_some())?;
        if let Some(old) = old {
            keep_permissions(&draft.file, &old);
        }
        Ok(draft)
    }

    /// Begins a file that replaces `target` itself, link or not. A private one is for nobody's eyes
    /// but the owner's.
    pub fn beside(target: PathBuf, private: bool) -> io::Result<Draft> {
        let nameless = || io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
        let folder = target.parent().ok_or_else(nameless)?;
        let path = folder.join(format!(".{:032x}{DRAFT}", unforeseeable()));
        let file = new_file(private).open(&path)?;
        Ok(Draft { file, paths: Some((path, target)) })
    }

    /// The draft's own path; none where a device or a pipe is written to.
    pub fn path(&self) -> Option<&Path> {
        self.paths.as_ref().map(|paths| &*paths.0)
    }

    /// Where to write.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Puts the draft in its place. A lasting one is on the disk before.
    pub fn finish(mut self, lasting: bool) -> io::Result<()> {
        let Some((draft, target)) = &self.paths else { return Ok(()) };
        if lasting {
            self.file.sync_all()?;
        }
        fs::rename(draft, target)?;
        self.paths = None;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some((draft, _)) = &self.paths {
            let _ = fs::remove_file(draft);
        }
    }
}

/// Options that make a file, never open one, and follow no link.
fn new_file(private: bool) -> OpenOptions {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW);
        if private {
            options.mode(0o600);
        }
    }
    #[cfg(not(unix))]
    let _ = private;
    options
}

/// A number that another program can neither know nor guess: the standard library's hashes have
/// secret keys. The process takes part, since a forked one has the keys of its parent.
fn unforeseeable() -> u128 {
    let half = || {
        let mut hash = RandomState::new().build_hasher();
        hash.write_u32(std::process::id());
        u128::from(hash.finish())
    };
    half() << 64 | half()
}

/// The path itself, or where the links at its end lead, whether that is there or not.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(to) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(to);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Gives a new file the owner and the permissions of the old one, as far as this process may.
#[cfg(unix)]
fn keep_permissions(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let Ok(new) = file.metadata() else { return };
    let mut mode = old.mode() & 0o777;
    if (new.uid(), new.gid()) != (old.uid(), old.gid())
        && fchown(file, Some(old.uid()), Some(old.gid())).is_err()
        && fchown(file, None, Some(old.gid())).is_err()
    {
        // The file's group is another one, which has no more rights than everybody.
        mode = mode & !0o070 | (mode & 0o007) << 3;
    }
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn keep_permissions(_: &File, _: &Metadata) {}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
