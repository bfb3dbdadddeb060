//! CUDA's libraries by the names of their files.
//!
//! cudarc has such a list in builds that load the libraries when they are needed. In a program with
//! candle it links them, and has none.

use libloading::Library;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};

/// Opens a library by its plain name, `cublasLt` say, if the loader finds it.
pub(super) fn open(name: &str) -> Option<Library> {
    // SAFETY: opening one of CUDA's libraries runs its initialisers, which are benign.
    files(name).into_iter().find_map(|file| unsafe { Library::new(file) }.ok())
}

/// The names that the library's file may have. cudarc tries them all, so that its bindings find
/// the library that was opened here.
fn files(name: &str) -> Vec<String> {
    let plain = format!("{DLL_PREFIX}{name}{DLL_SUFFIX}");
    let versions = ["13", "12", "11", "10", "9"];
    if cfg!(windows) {
        let versions = versions.into_iter().chain(["130_0"]);
        let versioned = versions.map(|version| format!("{name}64_{version}{DLL_SUFFIX}"));
        return [plain].into_iter().chain(versioned).collect();
    }
    let versions = versions.into_iter().chain(["1"]);
    let versioned = versions.map(|version| format!("{plain}.{version}"));
    [plain.clone()].into_iter().chain(versioned).collect()
}
