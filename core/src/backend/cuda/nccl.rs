//! NCCL, for processes with a GPU each: `libnccl.so.2`, opened when it is needed, or the file that
//! `LAZULI_NCCL` names.
//!
//! An exchange is one group of NCCL's sends and receives in a stream of its own, which waits for the
//! moment at which the data was there; the current queue goes on behind the exchange. So kernels that
//! were given to the queue after that moment run beside it, and the host waits for nothing. Of its interface no more is used than what has stayed the
//! same since NCCL 2.7.

use super::device::CudaDevice;
use super::driver::Doing;
use super::queue::Mark;
use crate::backend::world::{Engine, Exchange, Incoming, Outgoing};
use crate::backend::{Buffer, Touched};
use crate::error::{Error, Result};
use cudarc::driver::sys;
use parking_lot::Mutex;
use std::ffi::{CStr, OsString, c_char, c_int, c_void};
use std::sync::Arc;

type Status = c_int;
type Comm = *mut c_void;

const SUCCESS: Status = 0;
const IN_PROGRESS: Status = 7;
/// `ncclUint8`.
const BYTES: c_int = 1;

/// `ncclUniqueId`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Id([u8; 128]);

/// The functions that are called.
struct Functions {
    version: unsafe extern "C" fn(*mut c_int) -> Status,
    id: unsafe extern "C" fn(*mut Id) -> Status,
    init: unsafe extern "C" fn(*mut Comm, c_int, Id, c_int) -> Status,
    count: unsafe extern "C" fn(Comm, *mut c_int) -> Status,
    abort: unsafe extern "C" fn(Comm) -> Status,
    async_error: unsafe extern "C" fn(Comm, *mut Status) -> Status,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
    group_start: unsafe extern "C" fn() -> Status,
    group_end: unsafe extern "C" fn() -> Status,
    send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Comm, sys::CUstream) -> Status,
    receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Comm, sys::CUstream) -> Status,
}

/// NCCL's library.
pub struct Library {
    functions: Functions,
}

impl Library {
    /// Opens the library.
    ///
    /// # Errors
    /// Where it is not there, or lacks a function.
    pub fn open() -> Result<Library> {
        let given = std::env::var_os("LAZULI_NCCL").filter(|path| !path.is_empty());
        let names = match &given {
            Some(path) => vec![path.clone()],
            None => ["libnccl.so.2", "libnccl.so"].map(OsString::from).to_vec(),
        };
        // SAFETY: opening NCCL runs its initialisers, which are benign.
        let found = names.iter().find_map(|name| unsafe { libloading::Library::new(name) }.ok());
        let library = found.ok_or_else(|| {
            Error::device(match &given {
                Some(path) => format!("LAZULI_NCCL names {}, which does not load", path.display()),
                None => "processes with GPUs exchange data by NCCL, and the loader does not find \
                         libnccl.so.2: LAZULI_NCCL may name it"
                    .to_owned(),
            })
        })?;
        // NCCL stays loaded for the life of the process: its functions are copied out below.
        let library: &'static libloading::Library = Box::leak(Box::new(library));
        // SAFETY: the signatures are those of nccl.h.
        let functions = unsafe { Functions::of(library) };
        let functions =
            functions.map_err(|error| Error::device(format!("NCCL lacks a function: {error}")))?;
        Ok(Library { functions })
    }

    /// The name under which the processes of a run find each other.
    ///
    /// # Errors
    /// Where NCCL cannot listen.
    pub fn id(&self) -> Result<[u8; 128]> {
        let mut id = Id([0; 128]);
        // SAFETY: the name has room.
        self.check(unsafe { (self.functions.id)(&mut id) }, "begin a run")?;
        Ok(id.0)
    }

    /// Joins the run of that name.
    ///
    /// # Errors
    /// Where rank 0 has given no name, or NCCL fails.
    pub fn start(self, ordinal: usize, id: &[u8], [rank, size]: [usize; 2]) -> Result<Nccl> {
        let Ok(id) = <[u8; 128]>::try_from(id) else {
            return Err(Error::device("rank 0 could not begin a run of NCCL's"));
        };
        // NVLink's multicast is of no use to sends and receives, and starting it may fail.
        if std::env::var_os("NCCL_NVLS_ENABLE").is_none() {
            // SAFETY: the run is joined before other threads of the program read the environment by C's
            // functions; NCCL's own come later.
            unsafe { std::env::set_var("NCCL_NVLS_ENABLE", "0") };
        }
        let device = CudaDevice::get(ordinal)?;
        device.bind()?;
        let mut comm = std::ptr::null_mut();
        // SAFETY: the context is bound, and the place for the communicator is there.
        let status =
            unsafe { (self.functions.init)(&mut comm, size as c_int, Id(id), rank as c_int) };
        self.check(status, "join a run")?;
        let (mut count, mut version) = (0, 0);
        // SAFETY: the communicator is alive; the places are there.
        unsafe {
            (self.functions.count)(comm, &mut count);
            (self.functions.version)(&mut version);
        }
        if count as usize != size {
            return Err(Error::device(format!(
                "the launcher speaks of {size} processes, and NCCL {version} of {count}"
            )));
        }
        let mut done = std::ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: the context is bound, and the place is there.
        unsafe { sys::cuEventCreate(&mut done, flags) }.result().doing("make an event")?;
        let (mut stream, mut priority) = (std::ptr::null_mut(), 0);
        // SAFETY: the context is bound, and the places are there.
        unsafe {
            sys::cuCtxGetStreamPriorityRange(std::ptr::null_mut(), &mut priority)
                .result()
                .doing("ask for priorities")?;
            let kind = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
            sys::cuStreamCreateWithPriority(&mut stream, kind, priority)
                .result()
                .doing("open a stream")?;
        }
        let run = Run { comm: Some(comm), stream, done, is_busy: false };
        Ok(Nccl { library: self, device, run: Mutex::new(run) })
    }

    fn check(&self, status: Status, what: &str) -> Result<()> {
        if status == SUCCESS || status == IN_PROGRESS {
            return Ok(());
        }
        // SAFETY: NCCL gives a text that stays.
        let text = unsafe { CStr::from_ptr((self.functions.error_string)(status)) };
        let text = text.to_string_lossy();
        Err(Error::device(format!("NCCL, to {what}: {text} (NCCL_DEBUG=WARN says more)")))
    }
}

impl Functions {
    /// # Safety
    /// `library` must be NCCL.
    unsafe fn of(
        library: &'static libloading::Library,
    ) -> std::result::Result<Functions, libloading::Error> {
        // SAFETY: the caller vouches for the library.
        unsafe {
            Ok(Functions {
                version: *library.get(b"ncclGetVersion\0")?,
                id: *library.get(b"ncclGetUniqueId\0")?,
                init: *library.get(b"ncclCommInitRank\0")?,
                count: *library.get(b"ncclCommCount\0")?,
                abort: *library.get(b"ncclCommAbort\0")?,
                async_error: *library.get(b"ncclCommGetAsyncError\0")?,
                error_string: *library.get(b"ncclGetErrorString\0")?,
                group_start: *library.get(b"ncclGroupStart\0")?,
                group_end: *library.get(b"ncclGroupEnd\0")?,
                send: *library.get(b"ncclSend\0")?,
                receive: *library.get(b"ncclRecv\0")?,
            })
        }
    }
}

/// A run of processes with a GPU each.
pub struct Nccl {
    library: Library,
    device: &'static CudaDevice,
    run: Mutex<Run>,
}

struct Run {
    /// None once it was aborted.
    comm: Option<Comm>,
    /// The stream of exchanges, whose kernels come before others, so that they run beside a kernel that
    /// fills the device.
    stream: sys::CUstream,
    /// The moment at which the last exchange is done.
    done: sys::CUevent,
    /// Whether that moment was not seen to have come.
    is_busy: bool,
}

// SAFETY: NCCL's communicators and the driver's events may be used in any thread, by one at a time.
unsafe impl Send for Run {}

impl Nccl {
    /// Gives NCCL all sends and receives of an exchange at once.
    fn group(
        &self,
        comm: Comm,
        stream: sys::CUstream,
        sends: &[Outgoing],
        receives: &[Incoming],
    ) -> Result<()> {
        let functions = &self.library.functions;
        // SAFETY: a group is of one thread.
        self.library.check(unsafe { (functions.group_start)() }, "begin an exchange")?;
        let mut given = Ok(());
        for Incoming { from, into } in receives {
            let (to, bytes) = (into.address() as *mut c_void, into.bytes());
            // SAFETY: the buffer is the device's, and its uses are in the stream's order.
            let status =
                unsafe { (functions.receive)(to, bytes, BYTES, *from as c_int, comm, stream) };
            given = given.and_then(|()| self.library.check(status, "receive"));
        }
        for Outgoing { to, from, start, bytes } in sends {
            let from = (from.address() + *start as u64) as *const c_void;
            // SAFETY: the buffer is the device's and has so many bytes from there on; its uses are in
            // the stream's order.
            let status =
                unsafe { (functions.send)(from, *bytes, BYTES, *to as c_int, comm, stream) };
            given = given.and_then(|()| self.library.check(status, "send"));
        }
        // SAFETY: as above; a group is ended whatever came between.
        let ended = self.library.check(unsafe { (functions.group_end)() }, "exchange data");
        given.and(ended)
    }
}

impl Engine for Nccl {
    fn exchange(&self, exchange: Exchange, waiting: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let Exchange { sends, receives, moment, .. } = exchange;
        waiting()?;
        let read: Vec<&Buffer> = sends.iter().map(|piece| piece.from).collect();
        let written: Vec<&Buffer> = receives.iter().map(|piece| piece.into).collect();
        let mut run = self.run.lock();
        let comm = run.comm.ok_or_else(|| Error::device("the run was aborted"))?;
        self.device.bind()?;
        self.device.in_order(Touched { read: &read, written: &written }, || {
            let now;
            let mark = match moment.and_then(|ready| ready.moment.downcast_ref::<Arc<Mark>>()) {
                Some(mark) => mark,
                None => {
                    now = self.device.queue().mark()?;
                    &now
                }
            };
            let (stream, own) = (run.stream, self.device.raw_stream());
            let waits = |stream, event| {
                // SAFETY: both are alive, and no flag is set.
                unsafe { sys::cuStreamWaitEvent(stream, event, 0) }.result()
            };
            waits(stream, mark.event()).doing("wait for an event")?;
            self.group(comm, stream, sends, receives)?;
            run.is_busy = true;
            // SAFETY: event and stream are alive.
            unsafe { sys::cuEventRecord(run.done, stream) }.result().doing("record an event")?;
            waits(own, run.done).doing("wait for an event")
        })
    }

    fn is_done(&self) -> Result<bool> {
        let mut run = self.run.lock();
        let Some(comm) = run.comm else { return Ok(true) };
        if !run.is_busy {
            return Ok(true);
        }
        let mut status = SUCCESS;
        // SAFETY: the communicator is alive, and the place is there.
        let asked = unsafe { (self.library.functions.async_error)(comm, &mut status) };
        self.library.check(asked, "ask for errors")?;
        self.library.check(status, "exchange data")?;
        self.device.bind()?;
        // SAFETY: the event is alive.
        run.is_busy = match unsafe { sys::cuEventQuery(run.done) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => true,
            status => {
                status.result().doing("ask for an event")?;
                false
            }
        };
        Ok(!run.is_busy)
    }

    fn is_asynchronous(&self) -> bool {
        true
    }

    fn abort(&self) {
        // Whoever holds the run is inside of NCCL and waits for what will not come.
        let comm = match self.run.try_lock() {
            Some(mut run) => run.comm.take(),
            // SAFETY: no field is written while NCCL waits, and NCCL allows an abort meanwhile.
            None => unsafe { (*self.run.data_ptr()).comm },
        };
        if let Some(comm) = comm {
            // SAFETY: the communicator is alive, and nobody gives it work any more: the run has failed.
            unsafe { (self.library.functions.abort)(comm) };
        }
    }
}
