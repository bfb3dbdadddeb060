//! NVRTC, found and loaded at run time.
//!
//! The library is opened here rather than through `cudarc`, for three reasons: a path can be
//! given (`LAZULI_NVRTC`), a missing symbol in an old library is an error and not a panic, and
//! the companion `libnvrtc-builtins`, which NVRTC looks up by bare name, is opened from the same
//! folder first, so that an NVRTC outside the loader's search path works too.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use super::dylib;
use super::identity;
use crate::error::{Error, Result};

type Program = *mut c_void;
type Status = c_int;

/// The environment variable that names NVRTC's file, or the folder that holds it.
const PATH_VARIABLE: &str = "LAZULI_NVRTC";

/// How the names of the companion library's file begin.
const BUILTINS: &[&str] = &["libnvrtc-builtins.", "nvrtc-builtins64_"];

/// What a compilation yields: machine code for one architecture, or PTX for the driver to finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Image {
    /// A cubin, for the architecture that was named.
    Cubin,
    /// PTX text with its closing NUL, for a device newer than this NVRTC.
    Ptx,
}

/// The functions of a loaded NVRTC.
pub struct Nvrtc {
    version: (i32, i32),
    /// Which build this is.
    identity: OnceLock<String>,
    /// Compute capabilities as `major * 10 + minor`, ascending.
    architectures: Vec<u32>,
    create: CreateProgram,
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    log_size: GetSize,
    log: GetBytes,
    cubin_size: GetSize,
    cubin: GetBytes,
    ptx_size: GetSize,
    ptx: GetBytes,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
}

type GetSize = unsafe extern "C" fn(Program, *mut usize) -> Status;
type GetBytes = unsafe extern "C" fn(Program, *mut c_char) -> Status;
type CreateProgram = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;

/// The process's NVRTC, or why there is none. It is looked for once.
pub fn nvrtc() -> Result<&'static Nvrtc> {
    static NVRTC: OnceLock<std::result::Result<Nvrtc, String>> = OnceLock::new();
    NVRTC.get_or_init(load).as_ref().map_err(|why| {
        Error::device(format!("NVRTC, the CUDA compiler library, is missing: {why}"))
    })
}

impl Nvrtc {
    /// The library's version, such as (13, 0).
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// Which build this is, its patch level and all: those of the library and of its companion, or,
    /// where their files are not known, what it writes at the head of its PTX.
    pub fn identity(&self) -> &str {
        self.identity.get_or_init(|| {
            let files = identity::file_of(self.compile as *const c_void).and_then(|file| {
                let mut files = files_starting(file.parent()?, BUILTINS);
                files.sort();
                files.insert(0, file);
                files.iter().map(|file| identity::of_file(file)).collect::<Option<Vec<_>>>()
            });
            let (major, minor) = self.version;
            let build = files.map_or_else(|| self.banner(), |files| files.join(", "));
            format!("NVRTC {major}.{minor} {build}")
        })
    }

    /// The comments at the head of the PTX of an empty program, which name the build.
    fn banner(&self) -> String {
        let ptx = self.compile("", &[], Image::Ptx).unwrap_or_default();
        let ptx = String::from_utf8_lossy(&ptx);
        ptx.lines().take_while(|line| line.is_empty() || line.starts_with("//")).collect()
    }

    /// The compute capabilities this NVRTC has machine code for, as `major * 10 + minor`.
    pub fn architectures(&self) -> &[u32] {
        &self.architectures
    }

    /// Compiles `source`. On failure the error text is NVRTC's log.
    pub fn compile(
        &self,
        source: &str,
        options: &[String],
        image: Image,
    ) -> std::result::Result<Vec<u8>, String> {
        let source = CString::new(source).map_err(|_| "the source holds a NUL byte".to_string())?;
        let options: Vec<CString> = options
            .iter()
            .map(|option| CString::new(option.as_str()))
            .collect::<std::result::Result<_, _>>()
            .map_err(|_| "an option holds a NUL byte".to_string())?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let program = OpenProgram::new(self, &source)?;
        // SAFETY: the program is alive, and the pointers are to NUL-terminated strings that
        // outlive the call.
        let status =
            unsafe { (self.compile)(program.handle, pointers.len() as c_int, pointers.as_ptr()) };
        if status != 0 {
            let log = program.bytes(self.log_size, self.log).unwrap_or_default();
            let log = String::from_utf8_lossy(&log);
            return Err(format!(
                "{}\n{}",
                self.describe(status),
                log.trim_end_matches(['\0', '\n'])
            ));
        }
        match image {
            Image::Cubin => program.bytes(self.cubin_size, self.cubin),
            Image::Ptx => program.bytes(self.ptx_size, self.ptx),
        }
    }

    fn describe(&self, status: Status) -> String {
        // SAFETY: the function takes any status and returns a static, NUL-terminated string.
        let text = unsafe { CStr::from_ptr((self.error_string)(status)) };
        text.to_string_lossy().into_owned()
    }
}

/// An NVRTC program, destroyed on drop.
struct OpenProgram<'a> {
    nvrtc: &'a Nvrtc,
    handle: Program,
}

impl<'a> OpenProgram<'a> {
    fn new(nvrtc: &'a Nvrtc, source: &CStr) -> std::result::Result<Self, String> {
        let mut handle = ptr::null_mut();
        let name = c"lazuli_kernel.cu".as_ptr();
        let (headers, names) = (ptr::null(), ptr::null());
        // SAFETY: the strings are NUL-terminated, and no headers are passed.
        let status =
            unsafe { (nvrtc.create)(&mut handle, source.as_ptr(), name, 0, headers, names) };
        if status == 0 { Ok(Self { nvrtc, handle }) } else { Err(nvrtc.describe(status)) }
    }

    /// Reads one of the program's byte results: its log, cubin or PTX.
    fn bytes(&self, size: GetSize, get: GetBytes) -> std::result::Result<Vec<u8>, String> {
        let mut length = 0usize;
        // SAFETY: the program is alive.
        let status = unsafe { size(self.handle, &mut length) };
        if status != 0 {
            return Err(self.nvrtc.describe(status));
        }
        let mut bytes = vec![0u8; length];
        // SAFETY: the buffer has the length that NVRTC just asked for.
        let status = unsafe { get(self.handle, bytes.as_mut_ptr().cast()) };
        if status == 0 { Ok(bytes) } else { Err(self.nvrtc.describe(status)) }
    }
}

impl Drop for OpenProgram<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle came from create and is destroyed only here.
        unsafe { (self.nvrtc.destroy)(&mut self.handle) };
    }
}

fn load() -> std::result::Result<Nvrtc, String> {
    let library = open()?;
    // SAFETY: each name is looked up with the signature that nvrtc.h declares for it.
    let loaded = unsafe { bind(library) };
    loaded.map_err(|error| format!("the library found is too old: {error}"))
}

/// # Safety
/// `library` must be NVRTC.
unsafe fn bind(library: Library) -> std::result::Result<Nvrtc, libloading::Error> {
    // NVRTC stays loaded for the life of the process: its functions are copied out below.
    let library: &'static Library = Box::leak(Box::new(library));
    // SAFETY: the signatures are those of nvrtc.h, which the caller vouches for.
    unsafe {
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status =
            *library.get(b"nvrtcVersion\0")?;
        let (mut major, mut minor) = (0, 0);
        version(&mut major, &mut minor);
        Ok(Nvrtc {
            version: (major, minor),
            identity: OnceLock::new(),
            architectures: supported(library)?,
            create: *library.get(b"nvrtcCreateProgram\0")?,
            destroy: *library.get(b"nvrtcDestroyProgram\0")?,
            compile: *library.get(b"nvrtcCompileProgram\0")?,
            log_size: *library.get(b"nvrtcGetProgramLogSize\0")?,
            log: *library.get(b"nvrtcGetProgramLog\0")?,
            cubin_size: *library.get(b"nvrtcGetCUBINSize\0")?,
            cubin: *library.get(b"nvrtcGetCUBIN\0")?,
            ptx_size: *library.get(b"nvrtcGetPTXSize\0")?,
            ptx: *library.get(b"nvrtcGetPTX\0")?,
            error_string: *library.get(b"nvrtcGetErrorString\0")?,
        })
    }
}

/// # Safety
/// `library` must be NVRTC.
unsafe fn supported(library: &Library) -> std::result::Result<Vec<u32>, libloading::Error> {
    // SAFETY: the signatures are those of nvrtc.h, and the array has the length just asked for.
    unsafe {
        let count: unsafe extern "C" fn(*mut c_int) -> Status =
            *library.get(b"nvrtcGetNumSupportedArchs\0")?;
        let list: unsafe extern "C" fn(*mut c_int) -> Status =
            *library.get(b"nvrtcGetSupportedArchs\0")?;
        let mut length = 0;
        if count(&mut length) != 0 || length <= 0 {
            return Ok(Vec::new());
        }
        let mut found = vec![0 as c_int; length as usize];
        list(found.as_mut_ptr());
        let mut found: Vec<u32> = found.into_iter().map(|arch| arch as u32).collect();
        found.sort_unstable();
        Ok(found)
    }
}

fn open() -> std::result::Result<Library, String> {
    if let Some(given) = std::env::var_os(PATH_VARIABLE).filter(|path| !path.is_empty()) {
        let given = PathBuf::from(given);
        return open_given(&given).ok_or_else(|| {
            format!("{PATH_VARIABLE} names {}, which does not load", given.display())
        });
    }
    dylib::open("nvrtc")
        .or_else(|| toolkit_folders().iter().find_map(|folder| open_in(folder)))
        .ok_or_else(|| {
            format!(
                "neither the loader's search path nor CUDA_HOME, CUDA_PATH or /usr/local/cuda has \
                 libnvrtc; {PATH_VARIABLE} may name it"
            )
        })
}

fn open_given(given: &Path) -> Option<Library> {
    if given.is_dir() { open_in(given) } else { open_file(given) }
}

/// Opens the NVRTC of a folder, whatever its version suffix.
fn open_in(folder: &Path) -> Option<Library> {
    let mut files: Vec<PathBuf> = files_starting(folder, &["libnvrtc.", "nvrtc64_"]);
    files.sort();
    files.iter().rev().find_map(|file| open_file(file))
}

fn open_file(file: &Path) -> Option<Library> {
    let folder = file.parent()?;
    for builtins in files_starting(folder, BUILTINS) {
        // SAFETY: the library holds data for NVRTC, and has no initialisers of note.
        if let Ok(library) = unsafe { Library::new(builtins) } {
            // NVRTC finds it by name among the loaded libraries, so it must stay.
            std::mem::forget(library);
        }
    }
    // SAFETY: loading NVRTC runs its initialisers, which are benign.
    unsafe { Library::new(file).ok() }
}

fn files_starting(folder: &Path, starts: &[&str]) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let named = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let library = name.contains(".so") || name.ends_with(".dll");
        // The "alt" build is a second copy for debugging the compiler itself.
        library && !name.contains(".alt") && starts.iter().any(|start| name.starts_with(start))
    };
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(named).collect()
}

/// The folders of the toolkit's headers that are there.
pub(super) fn header_folders() -> Vec<PathBuf> {
    let folders = homes().flat_map(|home| [home.join("include"), home.join("include/cccl")]);
    folders.filter(|folder| folder.is_dir()).collect()
}

fn homes() -> impl Iterator<Item = PathBuf> {
    let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os);
    homes.map(PathBuf::from).chain([PathBuf::from("/usr/local/cuda")])
}

fn toolkit_folders() -> Vec<PathBuf> {
    homes()
        .flat_map(|home| ["lib64", "lib", "bin", "bin/x64"].map(|folder| home.join(folder)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::compile::nvrtc_is_here;
    use super::*;

    #[test]
    fn the_build_is_known() {
        if !nvrtc_is_here() {
            return;
        }
        let nvrtc = nvrtc().unwrap();
        assert!(nvrtc.identity().contains(" build ") || nvrtc.identity().contains(" file "));
        let banner = nvrtc.banner();
        assert!(banner.contains("Compiler Build ID") && !banner.contains(".version"), "{banner}");
    }
}
