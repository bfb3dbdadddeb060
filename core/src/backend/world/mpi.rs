//! MPI, for processes that compute on the processor: by the standard's binary interface (MPI 5.0,
//! chapter 20), so that any library of MPI that has it serves, and none is needed to build.
//!
//! The library is `libmpi_abi.so`, opened when it is needed: the one that `LAZULI_MPI` names, the one
//! beside the launcher, or the loader's.

use super::control::{Control, Hello, listener};
use super::launch::Meeting;
use super::{Engine, Exchange, Incoming, Outgoing};
use crate::error::{Error, Result};
use libloading::Library;
use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

type Handle = *mut c_void;
type Count = i64;

/// `MPI_COMM_WORLD` and others, as the standard's binary interface has them.
const COMM_WORLD: usize = 0x101;
const COMM_SELF: usize = 0x102;
const BYTE: usize = 0x247;
const ERRORS_RETURN: usize = 0x143;
const THREAD_SERIALIZED: c_int = 2048;
const SUCCESS: c_int = 0;
const LONGEST_ERROR: usize = 512;
/// Tags go round below what each library allows.
const TAGS: u64 = 32_768;

/// `MPI_Status`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Status([c_int; 8]);

/// The functions that are called.
struct Functions {
    isend: unsafe extern "C" fn(
        *const c_void,
        Count,
        Handle,
        c_int,
        c_int,
        Handle,
        *mut Handle,
    ) -> c_int,
    irecv: unsafe extern "C" fn(
        *mut c_void,
        Count,
        Handle,
        c_int,
        c_int,
        Handle,
        *mut Handle,
    ) -> c_int,
    testall: unsafe extern "C" fn(c_int, *mut Handle, *mut c_int, *mut Status) -> c_int,
    get_count: unsafe extern "C" fn(*const Status, Handle, *mut Count) -> c_int,
    bcast: unsafe extern "C" fn(*mut c_void, c_int, Handle, c_int, Handle) -> c_int,
    error_string: unsafe extern "C" fn(c_int, *mut c_char, *mut c_int) -> c_int,
    finalize: unsafe extern "C" fn() -> c_int,
}

/// MPI, initialised.
pub(super) struct Mpi {
    /// The number of this process.
    pub rank: usize,
    /// The number of processes.
    pub size: usize,
    /// What the library calls itself.
    pub name: String,
    functions: Functions,
    /// A communicator of our own.
    comm: Handle,
    /// Whether the program had initialised MPI before, and ends it.
    is_guest: bool,
}

// SAFETY: handles of MPI are valid in every thread, and calls come one after another: exchanges hold
// the lock of evaluations over several devices, and the last call comes when the process ends.
unsafe impl Send for Mpi {}
// SAFETY: as above.
unsafe impl Sync for Mpi {}

fn open(parent: u64) -> Result<Library> {
    const NAMES: [&str; 3] = ["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"];
    // SAFETY: opening a library of MPI runs its initialisers, which are benign.
    let load = |path: &Path| unsafe { Library::new(path) };
    let given = std::env::var_os("LAZULI_MPI").filter(|path| !path.is_empty()).map(PathBuf::from);
    if let Some(given) = given {
        let found = match given.is_dir() {
            true => NAMES.iter().find_map(|name| load(&given.join(name)).ok()),
            false => load(&given).ok(),
        };
        return found.ok_or_else(|| {
            Error::device(format!("LAZULI_MPI names {}, which does not load", given.display()))
        });
    }
    let launcher = std::fs::read_link(format!("/proc/{parent}/exe")).ok();
    let folder = launcher.as_deref().and_then(Path::parent).and_then(Path::parent);
    let beside = folder.map(|folder| folder.join("lib"));
    let beside = beside.iter().flat_map(|folder| NAMES.map(|name| folder.join(name)));
    let mut paths = beside.chain(NAMES.map(PathBuf::from));
    paths.find_map(|path| load(&path).ok()).ok_or_else(|| {
        Error::device(
            "processes that compute on the processor exchange data by MPI, and no library with its \
             standard binary interface was found (libmpi_abi.so, MPICH 5 or Open MPI 6; `pip install \
             mpich` brings it with its mpiexec): LAZULI_MPI may name it",
        )
    })
}

impl Mpi {
    /// Opens and initialises MPI.
    ///
    /// # Errors
    /// Where there is no library, or it lacks a function.
    pub(super) fn start(parent: u64) -> Result<Mpi> {
        // MPI stays loaded for the life of the process: its functions are copied out below.
        let library: &'static Library = Box::leak(Box::new(open(parent)?));
        // SAFETY: the signatures are those of the standard's binary interface.
        unsafe { Mpi::begin(library) }
            .map_err(|error| Error::device(format!("the library of MPI lacks a function: {error}")))
    }

    /// # Safety
    /// `library` must be a library of MPI with the standard's binary interface.
    unsafe fn begin(library: &'static Library) -> std::result::Result<Mpi, libloading::Error> {
        type Flag = unsafe extern "C" fn(*mut c_int) -> c_int;
        type Init = unsafe extern "C" fn(*mut c_int, *mut c_void, c_int, *mut c_int) -> c_int;
        type Number = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
        type Duplicate = unsafe extern "C" fn(Handle, *mut Handle) -> c_int;
        type SetHandler = unsafe extern "C" fn(Handle, Handle) -> c_int;
        type Name = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
        // SAFETY: the caller vouches for the library; each function is called as the standard says,
        // with places for what it gives.
        unsafe {
            let functions = Functions {
                isend: *library.get(b"MPI_Isend_c\0")?,
                irecv: *library.get(b"MPI_Irecv_c\0")?,
                testall: *library.get(b"MPI_Testall\0")?,
                get_count: *library.get(b"MPI_Get_count_c\0")?,
                bcast: *library.get(b"MPI_Bcast\0")?,
                error_string: *library.get(b"MPI_Error_string\0")?,
                finalize: *library.get(b"MPI_Finalize\0")?,
            };
            let initialized: Flag = *library.get(b"MPI_Initialized\0")?;
            let init: Init = *library.get(b"MPI_Init_thread\0")?;
            let (rank_of, size_of): (Number, Number) =
                (*library.get(b"MPI_Comm_rank\0")?, *library.get(b"MPI_Comm_size\0")?);
            let duplicate: Duplicate = *library.get(b"MPI_Comm_dup\0")?;
            let set_handler: SetHandler = *library.get(b"MPI_Comm_set_errhandler\0")?;
            let name_of: Name = *library.get(b"MPI_Get_library_version\0")?;

            let mut is_guest = 0;
            initialized(&mut is_guest);
            if is_guest == 0 {
                let mut provided = 0;
                // Errors end the process here, as MPI has it.
                init(std::ptr::null_mut(), std::ptr::null_mut(), THREAD_SERIALIZED, &mut provided);
            }
            let world = COMM_WORLD as Handle;
            let (mut rank, mut size, mut comm) = (0, 0, std::ptr::null_mut());
            rank_of(world, &mut rank);
            size_of(world, &mut size);
            duplicate(world, &mut comm);
            set_handler(comm, ERRORS_RETURN as Handle);
            if is_guest == 0 {
                // Errors that belong to no communicator go to this one.
                set_handler(COMM_SELF as Handle, ERRORS_RETURN as Handle);
            }
            // The standard's longest name of a library has so many bytes.
            let (mut text, mut length) = (vec![0u8; 8192], 0);
            name_of(text.as_mut_ptr().cast(), &mut length);
            text.truncate(length.max(0) as usize);
            let text = String::from_utf8_lossy(&text);
            let name = text.lines().next().unwrap_or("MPI").trim().to_owned();
            let (rank, size) = (rank as usize, size as usize);
            Ok(Mpi { rank, size, name, functions, comm, is_guest: is_guest != 0 })
        }
    }

    /// Has the processes meet: MPI tells where.
    pub(super) fn meet(&self, own: &Hello) -> Result<Arc<Control>> {
        let mut text = [0u8; 320];
        let listening = match self.rank {
            0 => Some(listener(None, 0)?),
            _ => None,
        };
        let token = u64::from(std::process::id()) << 16;
        if let Some((_, port)) = &listening {
            let line = format!("{} {port} {token}", host_name());
            text[..line.len()].copy_from_slice(line.as_bytes());
        }
        // SAFETY: the text has so many bytes.
        let status = unsafe {
            let start = text.as_mut_ptr().cast();
            (self.functions.bcast)(start, text.len() as c_int, BYTE as Handle, 0, self.comm)
        };
        self.check(status, "say where processes meet")?;
        if let Some((listener, _)) = listening {
            return Control::host(&listener, token, own, &[]);
        }
        let text = String::from_utf8_lossy(&text);
        let mut parts = text.trim_end_matches('\0').split(' ');
        let mut part = || parts.next().unwrap_or_default();
        let (host, port, token) = (part().to_owned(), part().parse(), part().parse());
        let (Ok(port), Ok(token)) = (port, token) else {
            return Err(Error::device("MPI gave nothing of where processes meet"));
        };
        let host = if host == host_name() { "127.0.0.1".to_owned() } else { host };
        Ok(Control::join(&Meeting { host, port, token }, own)?.0)
    }

    fn check(&self, status: c_int, what: &str) -> Result<()> {
        if status == SUCCESS {
            return Ok(());
        }
        let (mut text, mut length) = ([0u8; LONGEST_ERROR], 0);
        // SAFETY: the text has the standard's longest length.
        unsafe { (self.functions.error_string)(status, text.as_mut_ptr().cast(), &mut length) };
        let text = String::from_utf8_lossy(&text[..(length.max(0) as usize).min(LONGEST_ERROR)]);
        Err(Error::device(format!("MPI, to {what}: {text}")))
    }

    /// Waits until all requests are done; gives their statuses.
    fn finish(
        &self,
        requests: &mut [Handle],
        waiting: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<Status>> {
        let mut statuses = vec![Status([0; 8]); requests.len()];
        for turn in 0u32.. {
            let mut is_done = 0;
            // SAFETY: there are so many requests and statuses.
            let status = unsafe {
                let (requests, count) = (requests.as_mut_ptr(), requests.len() as c_int);
                (self.functions.testall)(count, requests, &mut is_done, statuses.as_mut_ptr())
            };
            self.check(status, "exchange data")?;
            if is_done != 0 {
                break;
            }
            // Processes may share a processor, so that whoever waits makes room.
            match turn {
                0..=1000 => std::thread::yield_now(),
                _ => {
                    waiting()?;
                    std::thread::sleep(Duration::from_micros(50));
                }
            }
        }
        Ok(statuses)
    }
}

impl Engine for Mpi {
    fn exchange(&self, exchange: Exchange, waiting: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let Exchange { sends, receives, number, .. } = exchange;
        let tag = (number % TAGS) as c_int;
        let mut requests = Vec::with_capacity(sends.len() + receives.len());
        for Incoming { from, into } in receives {
            let mut request = std::ptr::null_mut();
            // SAFETY: the buffer is the host's memory and stays until the request is done: where
            // `finish` gives up, the run has failed, and the caller keeps the buffer (see below).
            let status = unsafe {
                let (to, bytes) = (into.address() as *mut c_void, into.bytes() as Count);
                let (byte, from) = (BYTE as Handle, *from as c_int);
                (self.functions.irecv)(to, bytes, byte, from, tag, self.comm, &mut request)
            };
            self.check(status, "receive")?;
            requests.push(request);
        }
        for Outgoing { to, from, start, bytes } in sends {
            let mut request = std::ptr::null_mut();
            // SAFETY: the buffer is the host's memory and has so many bytes from there on.
            let status = unsafe {
                let from = (from.address() as usize + start) as *const c_void;
                let (byte, bytes, to) = (BYTE as Handle, *bytes as Count, *to as c_int);
                (self.functions.isend)(from, bytes, byte, to, tag, self.comm, &mut request)
            };
            self.check(status, "send")?;
            requests.push(request);
        }
        let statuses = self.finish(&mut requests, waiting)?;
        for (Incoming { from, into }, status) in receives.iter().zip(&statuses) {
            let mut came = 0;
            // SAFETY: the status is that of a request that is done.
            unsafe { (self.functions.get_count)(status, BYTE as Handle, &mut came) };
            if came != into.bytes() as Count {
                return Err(Error::device(format!(
                    "rank {from} sent {came} bytes where {} were to come",
                    into.bytes()
                )));
            }
        }
        Ok(())
    }

    fn finish(&self) {
        if !self.is_guest {
            // SAFETY: all processes have said that they end, and nobody calls MPI any more.
            unsafe { (self.functions.finalize)() };
        }
    }
}

/// The name of this host.
fn host_name() -> String {
    #[cfg(unix)]
    {
        let mut name = [0u8; 256];
        // SAFETY: the name has room for so many bytes.
        unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
        let length = name.iter().position(|&byte| byte == 0).unwrap_or(0);
        String::from_utf8_lossy(&name[..length]).into_owned()
    }
    #[cfg(not(unix))]
    {
        std::env::var("COMPUTERNAME").unwrap_or_default()
    }
}
