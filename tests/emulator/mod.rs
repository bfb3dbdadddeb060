//! Runs rendered CUDA kernels on the processor: g++ compiles them against `lz_emulate.h`.
//!
//! Device pointers are host pointers. Libraries are kept below `target` by the hash of what they were
//! made from, so that a second run of the tests compiles nothing. The headers are compiled once for all
//! of them, which would take half of each one's time.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex};

use libloading::Library;
use sha2::{Digest, Sha256};

const HEADERS: [&str; 2] = [include_str!("lz_emulate.h"), include_str!("lz_emulate_math.h")];

/// Nothing contracts on its own, as with --fmad=false.
const OPTIONS: [&str; 7] = [
    "-std=c++17",
    "-O1",
    "-fPIC",
    "-fvisibility=hidden",
    "-w",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
];

/// Whether kernels can be emulated here; says why a test is skipped where they cannot.
pub fn available() -> bool {
    static FOUND: LazyLock<bool> = LazyLock::new(|| {
        let version = Command::new(compiler()).arg("--version").output();
        version.is_ok_and(|output| output.status.success()) && cfg!(target_os = "linux")
    });
    if !*FOUND {
        eprintln!("skipped: {} does not run here, and the emulator needs it", compiler());
    }
    *FOUND
}

/// Runs the kernel `entry` of `source` over a grid. `args` holds the bytes of its one parameter,
/// a structure passed by value; the pointers in it are host pointers.
///
/// # Errors
/// What g++ says where the kernel does not compile, and what the emulator says where threads
/// wait at different barriers.
pub fn run(
    source: &str,
    entry: &str,
    grid: [u32; 3],
    block: [u32; 3],
    shared: usize,
    args: &mut [u8],
) -> Result<(), String> {
    let library = load(source, entry)?;
    // A library has one set of threads, so it runs one grid at a time.
    let library = library.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut message = [0 as c_char; 256];
    // SAFETY: LZ_EMULATE_ENTRY defines the symbol with this signature; the kernel itself is as
    // safe as its pointers, which the caller vouches for.
    let failed = unsafe {
        let call: libloading::Symbol<'_, Entry> =
            library.get(b"lz_emulate_entry\0").map_err(|error| error.to_string())?;
        let argument = args.as_ptr().cast();
        let (text, length) = (message.as_mut_ptr(), message.len());
        call(grid.as_ptr(), block.as_ptr(), shared, argument, args.len(), text, length)
    };
    if failed == 0 {
        return Ok(());
    }
    // SAFETY: the emulator ends its message with a NUL.
    Err(unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy().into_owned())
}

type Entry = unsafe extern "C" fn(
    *const c_uint,
    *const c_uint,
    usize,
    *const c_void,
    usize,
    *mut c_char,
    usize,
) -> c_int;

type Loaded = Arc<Mutex<Library>>;

fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "g++".into())
}

fn load(source: &str, entry: &str) -> Result<Loaded, String> {
    static LOADED: LazyLock<Mutex<HashMap<String, Loaded>>> = LazyLock::new(Mutex::default);
    let unit = format!("#include \"lz_emulate.h\"\n{source}\nLZ_EMULATE_ENTRY({entry})\n");
    let name = name_of(&unit);
    if let Some(library) = LOADED.lock().unwrap().get(&name) {
        return Ok(library.clone());
    }
    let path = folder()?.join(format!("{name}.so"));
    if !path.exists() {
        compile(&unit, &path)?;
    }
    // SAFETY: the library was made by us and has no initialisers of note.
    let library = unsafe { Library::new(&path) }.map_err(|error| error.to_string())?;
    let library = Arc::new(Mutex::new(library));
    Ok(LOADED.lock().unwrap().entry(name).or_insert(library).clone())
}

/// The hash of what a library is made from, or of what all are, as a name.
fn name_of(unit: &str) -> String {
    let mut hash = Sha256::new();
    for part in HEADERS.iter().chain(&OPTIONS).copied().chain([unit, compiler().as_str()]) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The folder of the libraries that are made with these headers, which lie in it, compiled.
fn folder() -> Result<&'static Path, String> {
    static FOLDER: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
        let mut folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tmp/emulator");
        // Tests that were built elsewhere may find no such folder here.
        if fs::create_dir_all(&folder).is_err() {
            folder = std::env::temp_dir().join("lazuli-emulator");
        }
        folder.push(name_of(""));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for (name, header) in ["lz_emulate.h", "lz_emulate_math.h"].iter().zip(HEADERS) {
            write_once(&folder.join(name), header)?;
        }
        compile_headers(&folder);
        Ok(folder)
    });
    FOLDER.as_deref().map_err(Clone::clone)
}

/// Compiles the headers to what g++ reads in place of the first, unless that was done. A compiler that
/// cannot do that reads them each time.
fn compile_headers(folder: &Path) {
    let (header, compiled) = (folder.join("lz_emulate.h"), folder.join("lz_emulate.h.gch"));
    if compiled.exists() {
        return;
    }
    let partial = unique(&compiled);
    let mut command = Command::new(compiler());
    command.args(OPTIONS).args(["-x", "c++-header", "-o"]).args([&partial, &header]);
    if command.output().is_ok_and(|output| output.status.success()) {
        let _ = fs::rename(&partial, &compiled);
    }
}

/// Writes a file where it does not have those contents already.
fn write_once(path: &Path, contents: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|found| found == contents) {
        return Ok(());
    }
    let temporary = unique(path);
    fs::write(&temporary, contents)
        .and_then(|()| fs::rename(&temporary, path))
        .map_err(|error| format!("{}: {error}", path.display()))
}

fn compile(unit: &str, library: &Path) -> Result<(), String> {
    let (source, partial) = (library.with_extension("cc"), unique(library));
    write_once(&source, unit)?;
    let output = Command::new(compiler())
        .args(OPTIONS)
        .args(["-shared", "-o"])
        .args([&partial, &source])
        .output()
        .map_err(|error| format!("{}: {error}", compiler()))?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} could not compile {}:\n{log}", compiler(), source.display()));
    }
    fs::rename(&partial, library).map_err(|error| format!("{}: {error}", library.display()))
}

/// A name beside `path` that no other thread or process uses.
fn unique(path: &Path) -> PathBuf {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    path.with_extension(format!("{}-{next}.tmp", std::process::id()))
}
