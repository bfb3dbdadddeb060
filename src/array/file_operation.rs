//! Errors of files: each names the operation and the path.

use crate::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

/// An operation on a file, as errors name it.
#[derive(Clone, Copy)]
pub(super) struct FileOperation<'a> {
    pub(super) operation: &'static str,
    pub(super) path: &'a Path,
    pub(super) member: Option<&'a str>,
}

impl fmt::Display for FileOperation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.operation, self.path.display())?;
        self.member.map_or(Ok(()), |member| write!(f, ": {}", member.escape_debug()))
    }
}

impl FileOperation<'_> {
    /// The error of a file.
    #[cold]
    pub(super) fn io(&self, why: io::Error) -> Error {
        match why.kind() {
            io::ErrorKind::OutOfMemory => Error::out_of_memory(format!("{self}: {why}")),
            _ => Error::io(format!("{self}: {why}")),
        }
    }

    /// An error of a device, which names the file where memory is missing.
    #[cold]
    pub(super) fn device(&self, error: Error) -> Error {
        error.in_step(&self.to_string())
    }
}
