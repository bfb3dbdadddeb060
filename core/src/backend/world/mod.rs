//! A run of several processes, each with one device: `torchrun`, `srun` or `mpiexec` starts them, all
//! record the same program, and each computes its share (`Mesh::world`).
//!
//! - `launch.rs`: which process this is, from what the launcher says.
//! - `control.rs`: connections between the processes, over which they meet and learn of failures.
//! - The engines move the data: NCCL between GPUs (`cuda/nccl.rs`), MPI between processors (`mpi.rs`).
//!   Each exchange is a set of pieces that go from one process to another; all processes know all of
//!   them, and each does its part.
//!
//! **A run fails as a whole.** Whoever cannot go on tells the others why, whoever is gone is noticed by
//! its connection, and processes whose programs differ by their exchanges. From then on each exchange
//! is that error, in each process. What an evaluation was to compute is not stored, so that arrays stay
//! what they were; where an asynchronous engine was aborted, nothing is read from the device any more,
//! since what was computed from the exchange cannot be told from the rest.

mod control;
mod launch;
mod message;
mod mpi;

use super::{Buffer, Device, Ready, fork};
use crate::error::{Error, Result};
use control::{Control, Hello, PATIENCE};
use launch::{Launch, Surroundings};
use message::Step;
use parking_lot::Mutex;
use rustc_hash::FxHasher;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Bytes for another process.
pub struct Outgoing<'a> {
    /// The process.
    pub to: usize,
    /// Where the bytes are.
    pub from: &'a Buffer,
    /// The first of them.
    pub start: usize,
    /// How many there are.
    pub bytes: usize,
}

/// Bytes of another process.
pub struct Incoming<'a> {
    /// The process.
    pub from: usize,
    /// Where they go: all of the buffer.
    pub into: &'a Buffer,
}

/// This process's part of an exchange.
pub struct Exchange<'a> {
    /// What it sends.
    pub sends: &'a [Outgoing<'a>],
    /// What it gets.
    pub receives: &'a [Incoming<'a>],
    /// Which exchange this is, from the beginning on.
    pub number: u64,
    /// The moment from which on what is sent may be read, and what comes be written; now where there is
    /// none.
    pub moment: Option<&'a Ready>,
}

/// What moves data between processes.
pub trait Engine: Send + Sync {
    /// Does this process's part of an exchange. Exchange between two processes come in the order in which
    /// they were given. Whoever waits calls `waiting` now and then, and gives up where that is an
    /// error.
    fn exchange(&self, exchange: Exchange, waiting: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Whether what was exchanged is there; an error where the engine has failed.
    fn is_done(&self) -> Result<bool> {
        Ok(true)
    }

    /// Whether exchanges go on behind the host's back, so that somebody has to look after them.
    fn is_asynchronous(&self) -> bool {
        false
    }

    /// Ends what waits for others, for ever.
    fn abort(&self) {}

    /// Ends the engine where all processes do.
    fn finish(&self) {}
}

/// What a process is doing, for messages.
struct Activity {
    name: String,
    line: Option<&'static Location<'static>>,
}

/// The exchanges of a process.
struct Progress {
    /// The number of the next one.
    exchange: u64,
    /// The number of the next evaluation.
    evaluation: u64,
    last: VecDeque<Step>,
    doing: Activity,
}

/// The run that this process belongs to.
pub struct World {
    /// The number of this process.
    pub rank: usize,
    /// The number of processes.
    pub size: usize,
    /// This process's device.
    pub device: Device,
    /// None where the process is alone.
    others: Option<Others>,
    progress: Mutex<Progress>,
}

struct Others {
    control: Arc<Control>,
    engine: Box<dyn Engine>,
}

static WORLD: OnceLock<Result<World>> = OnceLock::new();
/// Whether an asynchronous engine was aborted, so that what devices hold may be anything.
static ABORTED: AtomicBool = AtomicBool::new(false);

/// How long a failure may take to be told by whoever knows its cause.
const CAUSE: Duration = Duration::from_secs(2);

/// The run, joined at the first call.
///
/// # Errors
/// Where the launcher's variables make no sense, an engine is missing, or the processes do not come
/// together; the same error at each call.
pub fn enter() -> Result<&'static World> {
    static ENTERING: Mutex<()> = Mutex::new(());
    let world = match WORLD.get() {
        Some(world) => world,
        None => {
            let _one_at_a_time = ENTERING.lock();
            WORLD.get_or_init(World::enter)
        }
    };
    if let Ok(world) = world
        && world.others.is_some()
    {
        static STARTED: OnceLock<()> = OnceLock::new();
        STARTED.get_or_init(|| watch(world));
    }
    world.as_ref().map_err(Clone::clone)
}

/// The run, if this process has joined one.
pub fn joined() -> Option<&'static World> {
    WORLD.get()?.as_ref().ok()
}

/// An error where what the device holds may be anything, since an exchange was aborted.
#[inline]
pub fn check() -> Result<()> {
    if !ABORTED.load(Ordering::Acquire) {
        return Ok(());
    }
    Err(joined().map_or_else(|| Error::device("an exchange was aborted"), World::broken))
}

impl World {
    fn enter() -> Result<World> {
        fork::check()?;
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let here = Surroundings { variable: &variable, parent: parent() };
        let Some(launch) = Launch::of(&here)?.filter(|launch| launch.size > 1) else {
            return Ok(World::new((0, 1), Device::current()?.first(), None));
        };
        if launch.size > Device::MOST_RANKS {
            let (size, most) = (launch.size, Device::MOST_RANKS);
            return Err(Error::device(format!("{size} processes are more than a run has, {most}")));
        }
        let device = own_device(&launch)?;
        let others = match device.ordinal() {
            Some(ordinal) => over_gpus(&launch, ordinal)?,
            None => over_processors(&launch)?,
        };
        Ok(World::new((launch.rank, launch.size), device, Some(others)))
    }

    fn new((rank, size): (usize, usize), device: Device, others: Option<Others>) -> World {
        let doing = Activity { name: "an exchange".to_owned(), line: None };
        let progress = Progress { exchange: 0, evaluation: 0, last: VecDeque::new(), doing };
        World { rank, size, device, others, progress: Mutex::new(progress) }
    }

    /// The devices of all processes: that of this one, and numbers for those of others.
    pub fn devices(&self) -> Vec<Device> {
        let device = |rank| if rank == self.rank { self.device } else { Device::of_rank(rank) };
        (0..self.size).map(device).collect()
    }

    /// Says that this process begins an evaluation, which is the same one on all.
    ///
    /// # Errors
    /// Where the run has failed.
    pub fn begin(
        &self,
        name: String,
        line: Option<&'static Location<'static>>,
        told: impl FnOnce() -> u64,
    ) -> Result<()> {
        let Some(Others { control, .. }) = &self.others else { return Ok(()) };
        if control.failure().is_some() {
            return Err(self.broken());
        }
        let mut progress = self.progress.lock();
        progress.doing = Activity { name, line };
        progress.evaluation += 1;
        // What differs in a number alone is not seen by exchanges.
        if cfg!(debug_assertions) {
            let (number, what) = (progress.evaluation, progress.doing.to_string());
            control.begins(Step { number, hash: told(), what });
        }
        Ok(())
    }

    /// Says that this process cannot go on.
    pub fn fail(&self, why: &Error) {
        if let Some(Others { control, .. }) = &self.others
            && control.failure().is_none()
        {
            control.fail(&format!("rank {} failed: {why}", self.rank));
        }
    }

    /// The error of a run that cannot go on.
    fn broken(&self) -> Error {
        let why = self.others.as_ref().and_then(|others| others.control.failure());
        Error::device(format!(
            "the run of {} processes cannot go on: {}",
            self.size,
            why.as_deref().unwrap_or("an exchange was aborted")
        ))
    }

    /// Does this process's part of an exchange; `hash` is the same for all processes that take part in
    /// the same one. What is sent was there at the moment, and what comes has memory since then.
    ///
    /// # Errors
    /// Where the run has failed or fails meanwhile.
    pub fn exchange(
        &self,
        sends: &[Outgoing],
        receives: &[Incoming],
        hash: u64,
        moment: Option<&Ready>,
    ) -> Result<()> {
        let Some(Others { control, engine }) = &self.others else {
            return Err(Error::device("a process that is alone exchanges nothing"));
        };
        if control.failure().is_some() {
            return Err(self.broken());
        }
        let (number, last) = {
            let mut progress = self.progress.lock();
            progress.exchange += 1;
            let (number, what) = (progress.exchange, progress.doing.to_string());
            let mut hasher = FxHasher::default();
            (hash, &progress.doing.name).hash(&mut hasher);
            control::remember(&mut progress.last, Step { number, hash: hasher.finish(), what });
            (number, progress.last.clone())
        };
        if sends.is_empty() && receives.is_empty() {
            return Ok(());
        }
        let (started, mut is_told) = (Instant::now(), false);
        let mut waiting = || {
            if control.failure().is_some() {
                return Err(self.broken());
            }
            if !is_told && started.elapsed() > PATIENCE {
                is_told = true;
                control.waits(&last);
            }
            Ok(())
        };
        let done = engine.exchange(Exchange { sends, receives, number, moment }, &mut waiting);
        if is_told {
            control.goes();
        }
        done.map_err(|error| {
            // Whoever failed first knows why.
            if control.failure_within(CAUSE).is_none() {
                self.fail(&error);
            }
            self.broken()
        })
    }

    /// The end of the process: no process ends before all have what they wait for.
    fn end(&self) {
        let Some(Others { control, engine }) = &self.others else { return };
        if control.failure().is_some() {
            return;
        }
        if let Err(error) = self.device.synchronize() {
            self.fail(&error);
            return;
        }
        if control.end() {
            engine.finish();
        }
    }
}

impl std::fmt::Display for Activity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{} ({}:{})", self.name, line.file(), line.line()),
            None => f.write_str(&self.name),
        }
    }
}

/// The device of this process: with GPUs the one whose number is that of the process on its host.
fn own_device(launch: &Launch) -> Result<Device> {
    let default = Device::current()?.first();
    let count = Device::all().len() - 1;
    if !default.is_cuda() || count == 1 {
        return Ok(default);
    }
    if launch.local_rank >= count {
        return Err(Error::device(format!(
            "rank {} is process {} of its host, which has {count} GPUs: a process has one of its own",
            launch.rank, launch.local_rank
        )));
    }
    Device::cuda(launch.local_rank)
}

#[cfg(feature = "cuda")]
fn over_gpus(launch: &Launch, ordinal: usize) -> Result<Others> {
    use super::cuda::nccl;
    let own = Hello { rank: launch.rank, size: launch.size, kind: "a GPU" };
    let Some(meeting) = &launch.meeting else {
        return Err(Error::device(format!(
            "{} does not say where the processes of several hosts meet: set MASTER_ADDR to the host \
             of rank 0, and MASTER_PORT",
            launch.by
        )));
    };
    let library = nccl::Library::open();
    let (control, id) = match launch.rank {
        0 => {
            // The others are told where the library is missing.
            let id = library.as_ref().map_err(Clone::clone).and_then(nccl::Library::id);
            let gift = id.as_ref().map_or(&[][..], |id| id);
            let (listener, _) = control::listener(Some(&meeting.host), meeting.port)?;
            let control = Control::host(&listener, meeting.token, &own, gift)?;
            (control, id?.to_vec())
        }
        _ => Control::join(meeting, &own)?,
    };
    let tell = |error: Error| {
        control.fail(&format!("rank {} failed: {error}", launch.rank));
        error
    };
    let engine =
        library.and_then(|library| library.start(ordinal, &id, [launch.rank, launch.size]));
    Ok(Others { engine: Box::new(engine.map_err(tell)?), control })
}

#[cfg(not(feature = "cuda"))]
fn over_gpus(_: &Launch, _: usize) -> Result<Others> {
    Err(Error::device("this build of Lazuli has no GPUs: its feature `cuda` is off"))
}

fn over_processors(launch: &Launch) -> Result<Others> {
    let engine = mpi::Mpi::start(parent())?;
    if [engine.rank, engine.size] != [launch.rank, launch.size] {
        return Err(Error::device(format!(
            "{} started {} processes, of which this is rank {}, and {} knows of {}, of which this is \
             rank {}: launcher and library must be of one MPI (LAZULI_MPI names the library)",
            launch.by, launch.size, launch.rank, engine.name, engine.size, engine.rank
        )));
    }
    let own = Hello { rank: launch.rank, size: launch.size, kind: "the processor" };
    let control = engine.meet(&own)?;
    Ok(Others { engine: Box::new(engine), control })
}

/// Looks after the run in the background: ends what waits where the run has failed, and says for an
/// engine that works behind the host's back in what it waits.
fn watch(world: &'static World) {
    extern "C" fn at_exit() {
        if !fork::is_copy()
            && let Some(world) = joined()
        {
            world.end();
        }
    }
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
    }
    // SAFETY: the function is C's own, and what it is given lives as long as the process.
    let _ = unsafe { atexit(at_exit) };
    let Some(others) = &world.others else { return };
    if !others.engine.is_asynchronous() {
        return;
    }
    // Without the thread failures are found where the host waits by itself.
    let _ = std::thread::Builder::new()
        .name("lazuli-world".to_owned())
        .spawn(|| watch_engine(world, others));
}

fn watch_engine(world: &World, Others { control, engine }: &Others) {
    let mut waits_since: Option<(Instant, u64, bool)> = None;
    loop {
        std::thread::sleep(Duration::from_millis(100));
        let done = engine.is_done();
        if let Err(error) = &done
            && control.failure().is_none()
        {
            world.fail(error);
        }
        if control.failure().is_some() {
            // What is on its way may still come.
            std::thread::sleep(PATIENCE);
            if !engine.is_done().unwrap_or(false) {
                ABORTED.store(true, Ordering::Release);
                engine.abort();
            }
            return;
        }
        let number = world.progress.lock().exchange;
        match (done.unwrap_or(true), &mut waits_since) {
            (true, waits) => {
                if waits.take().is_some_and(|(_, _, is_told)| is_told) {
                    control.goes();
                }
            }
            (false, Some((since, known, is_told))) if *known == number => {
                if !*is_told && since.elapsed() > PATIENCE {
                    *is_told = true;
                    control.waits(&world.progress.lock().last.clone());
                }
            }
            (false, waits) => *waits = Some((Instant::now(), number, false)),
        }
    }
}

/// The number of the process that started this one; 0 where the system does not say it.
fn parent() -> u64 {
    #[cfg(unix)]
    {
        std::os::unix::process::parent_id().into()
    }
    #[cfg(not(unix))]
    {
        0
    }
}
