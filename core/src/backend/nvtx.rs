//! Ranges for NVIDIA's tools: Nsight shows each evaluation, kernel and copy under the name that
//! Lazuli knows it by.
//!
//! `LAZULI_NVTX=1` asks for them. They go through NVIDIA's own library, which a CUDA toolkit and
//! the packages of PyTorch bring along; where it is missing there are none.

use super::watchers::watch_process;
use libloading::Library;
use std::borrow::Cow;
use std::ffi::{CString, c_char, c_int};
use std::sync::OnceLock;

/// The names of NVIDIA's library, the newest first.
const NAMES: [&str; 4] =
    ["libnvtx3interop.so.1", "libnvtx3interop.so", "libnvToolsExt.so.1", "libnvToolsExt.so"];

/// The functions that open and close a range of this thread.
struct Nvtx {
    push: unsafe extern "C" fn(*const c_char) -> c_int,
    pop: unsafe extern "C" fn() -> c_int,
    /// What must stay loaded.
    _library: Library,
}

static NVTX: OnceLock<Option<Nvtx>> = OnceLock::new();

fn nvtx() -> Option<&'static Nvtx> {
    NVTX.get_or_init(|| if is_asked_for() { load() } else { None }).as_ref()
}

fn is_asked_for() -> bool {
    std::env::var("LAZULI_NVTX").is_ok_and(|value| !value.is_empty() && value != "0")
}

fn load() -> Option<Nvtx> {
    NAMES.iter().find_map(|name| {
        // SAFETY: the library is NVIDIA's, whose initialisers may run at any time.
        let library = unsafe { Library::new(*name) }.ok()?;
        // SAFETY: the function has this type since NVTX's first version.
        let push = *unsafe { library.get(b"nvtxRangePushA\0") }.ok()?;
        // SAFETY: as above.
        let pop = *unsafe { library.get(b"nvtxRangePop\0") }.ok()?;
        Some(Nvtx { push, pop, _library: library })
    })
}

/// Looks for the library where ranges are asked for; called when devices are opened.
pub(super) fn start() {
    if nvtx().is_some() {
        watch_process();
    }
}

/// An open range.
pub(super) struct Range(&'static Nvtx);

impl Range {
    /// Opens a range of this thread.
    pub(super) fn open(name: impl FnOnce() -> Cow<'static, str>) -> Option<Range> {
        let nvtx = NVTX.get()?.as_ref()?;
        let name = CString::new(name().into_owned()).ok()?;
        // SAFETY: the name ends with a NUL, and the library copies it.
        unsafe { (nvtx.push)(name.as_ptr()) };
        Some(Range(nvtx))
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        // SAFETY: the range was opened in this thread, and those inside were closed.
        unsafe { (self.0.pop)() };
    }
}
