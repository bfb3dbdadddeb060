//! What a thread works on, for those who watch: profiles, NVTX ranges for NVIDIA's tools, and spans
//! of `tracing`.
//!
//! Whoever does a piece of work opens a span for it ([`span`]), which ends when it is dropped. Where
//! nobody watches, that is one look at a number. A thread that is profiled has sinks
//! ([`while_collected`]), and each span of the thread goes to all of them once its time is known: on
//! a GPU that is later, since work goes on after the call that started it. Two stamps, which the
//! backend puts into its queue before and behind the work, give the time there; at most
//! [`MOST_PENDING`] spans wait for theirs.

#[cfg(feature = "cuda")]
use super::nvtx;
use super::watchers::{PROCESS, WATCHERS};
use super::{Backend, Device, Stamp};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

pub use super::watchers::is_on;

/// A line of a program.
pub type Line = &'static Location<'static>;

/// The kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Work {
    /// An evaluation as a whole.
    Evaluate,
    /// Making a plan.
    Plan,
    /// Compiling kernels, or finding them in a cache, and making library calls ready.
    Compile,
    /// A kernel that was made from expressions.
    Kernel,
    /// A call of a library.
    Library,
    /// A kernel that a user wrote.
    UserKernel,
    /// A loop, whose turns are further work.
    Loop,
    /// A copy to the device.
    Upload,
    /// A copy to the host.
    Download,
    /// Waiting for the device.
    Wait,
}

impl Work {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Work::Evaluate => "evaluate",
            Work::Plan => "plan",
            Work::Compile => "compile",
            Work::Kernel => "kernel",
            Work::Library => "library call",
            Work::UserKernel => "user's kernel",
            Work::Loop => "loop",
            Work::Upload => "copy to the device",
            Work::Download => "copy to the host",
            Work::Wait => "wait",
        }
    }

    /// Whether a device does it.
    pub fn is_on_device(self) -> bool {
        matches!(self, Work::Kernel | Work::Library | Work::UserKernel)
    }
}

/// What a span is about.
#[derive(Clone, Debug)]
pub struct What {
    /// What is done, `exp sum` say.
    pub name: Cow<'static, str>,
    /// The line of the program that wants it.
    pub line: Option<Line>,
    /// The bytes that are read and written, each array once.
    pub bytes: u64,
}

impl What {
    /// Work that has a name alone.
    pub fn named(name: &'static str) -> What {
        What { name: name.into(), line: None, bytes: 0 }
    }

    /// The name with file and line, as tools show it: `exp sum main.rs:41`.
    pub fn label(&self) -> Cow<'static, str> {
        match self.line {
            None => self.name.clone(),
            Some(line) => format!("{} {}", self.name, short(line)).into(),
        }
    }
}

/// A line as `main.rs:41`.
pub fn short(line: Line) -> String {
    let file = line.file();
    format!("{}:{}", file.rsplit(['/', '\\']).next().unwrap_or(file), line.line())
}

thread_local! {
    static LINE: Cell<Option<Line>> = const { Cell::new(None) };
}

/// Has what is recorded meanwhile come from a line of the program, unless it does already: a function of
/// this crate that records in closures says so, through which the compiler does not see the caller.
#[inline(always)]
pub fn at(line: Line) -> At {
    let before = LINE.get();
    if before.is_none() {
        LINE.set(Some(line));
    }
    At(before)
}

/// Has what is recorded meanwhile come from a line, whatever else was said before: for nodes that are
/// made of another one.
pub fn from(line: Line) -> At {
    At(LINE.replace(Some(line)))
}

/// What [`at`] began.
pub struct At(Option<Line>);

impl Drop for At {
    #[inline(always)]
    fn drop(&mut self) {
        LINE.set(self.0);
    }
}

/// The line that what is recorded now comes from, where the compiler sees `caller`.
#[inline(always)]
pub fn origin(caller: Line) -> Line {
    LINE.get().unwrap_or(caller)
}

/// The folder of this crate's sources, as the compiler names it.
fn own_folder() -> &'static str {
    file!().strip_suffix("backend/trace.rs").unwrap_or("\0")
}

/// Whether a line is one of a program, not of this crate.
pub fn is_outside(line: Line) -> bool {
    !line.file().starts_with(own_folder())
}

/// A span that has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The kind of work.
    pub work: Work,
    /// What it was.
    pub what: What,
    /// The device that it was for.
    pub device: Device,
    /// When the host began.
    pub begin: Instant,
    /// What the host took.
    pub host: Duration,
    /// The same without the spans inside.
    pub own: Duration,
    /// When the device began, and what it took.
    pub on_device: Option<(Instant, Duration)>,
}

/// Who is given the spans of a thread.
pub trait Sink {
    /// Takes a span, in the order in which their times become known.
    fn take(&mut self, ended: &Ended);
}

/// The most spans that wait for the times of their device; then the thread waits for the device.
const MOST_PENDING: usize = 4096;

#[derive(Default)]
struct Watched {
    sinks: Vec<Rc<RefCell<dyn Sink>>>,
    /// The open spans, innermost last.
    open: Vec<Open>,
    pending: Vec<(Ended, Stamp, Stamp)>,
    /// For each device a moment that both clocks know.
    origins: Vec<(Device, Instant, Stamp)>,
}

/// What is known of an open span.
struct Open {
    /// The time of the spans inside.
    inside: Duration,
    line: Option<Line>,
}

thread_local! {
    static WATCHED: RefCell<Watched> = RefCell::default();
}

/// Whether somebody is told of this thread's work, rather than of another one's.
#[inline(always)]
pub fn is_on_here() -> bool {
    is_on() && is_told()
}

#[cold]
fn is_told() -> bool {
    #[cfg(feature = "tracing")]
    if tracing::enabled!(target: "lazuli", tracing::Level::DEBUG) {
        return true;
    }
    PROCESS.load(Relaxed) || WATCHED.with_borrow(|watched| !watched.sinks.is_empty())
}

/// Opens a span, which lasts until it is dropped.
#[inline(always)]
pub fn span(work: Work, device: Device, what: impl FnOnce() -> What) -> Option<Span> {
    if is_on() { Span::open(work, device, what()) } else { None }
}

/// Opens a span for a copy of so many bytes to a device, asked for at a line.
#[inline(always)]
#[track_caller]
pub fn upload(device: Device, bytes: usize) -> Option<Span> {
    copy(Work::Upload, device, bytes)
}

/// The same for a copy to the host; what the device was given before is waited for first.
#[inline(always)]
#[track_caller]
pub fn download(backend: &dyn Backend, bytes: usize) -> Option<Span> {
    wait_apart(backend);
    copy(Work::Download, backend.device(), bytes)
}

#[inline(always)]
#[track_caller]
fn copy(work: Work, device: Device, bytes: usize) -> Option<Span> {
    let line = Location::caller();
    span(work, device, || What {
        name: work.name().into(),
        line: Some(line).filter(|line| is_outside(line)),
        bytes: bytes as u64,
    })
}

/// Opens a span for a kernel that a user wrote and launches at a line.
#[inline(always)]
pub fn user_kernel(device: Device, name: &str, line: Line) -> Option<Span> {
    span(Work::UserKernel, device, || What {
        name: name.to_owned().into(),
        line: Some(line).filter(|line| is_outside(line)),
        bytes: 0,
    })
}

/// Work that goes on.
pub struct Span {
    work: Work,
    device: Device,
    /// What it is, where a sink waits for it.
    collected: Option<(What, Instant, Option<Stamp>)>,
    #[cfg(feature = "cuda")]
    _range: Option<nvtx::Range>,
    #[cfg(feature = "tracing")]
    _entered: tracing::span::EnteredSpan,
}

impl Span {
    #[cold]
    fn open(work: Work, device: Device, mut what: What) -> Option<Span> {
        let is_collected = WATCHED.with_borrow_mut(|watched| {
            // What has no line of its own is done for the line that the work around it has.
            what.line = what.line.or(watched.open.last().and_then(|around| around.line));
            watched.open.push(Open { inside: Duration::ZERO, line: what.line });
            !watched.sinks.is_empty()
        });
        #[cfg(feature = "cuda")]
        let range = nvtx::Range::open(|| what.label());
        #[cfg(feature = "tracing")]
        let entered = tracing::debug_span!(
            target: "lazuli",
            "work",
            kind = work.name(),
            name = %what.name,
            line = what.line.map(tracing::field::display),
            bytes = what.bytes,
        )
        .entered();
        let collected = is_collected.then(|| {
            let stamp = work.is_on_device().then(|| stamp(device)).flatten();
            (what, Instant::now(), stamp)
        });
        Some(Span {
            work,
            device,
            collected,
            #[cfg(feature = "cuda")]
            _range: range,
            #[cfg(feature = "tracing")]
            _entered: entered,
        })
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let Some((what, begin, stamp)) = self.collected.take() else {
            WATCHED.with_borrow_mut(|watched| watched.open.pop());
            return;
        };
        let after = stamp.as_ref().and_then(|_| self.device.backend().stamp());
        let host = begin.elapsed();
        WATCHED.with_borrow_mut(|watched| {
            let inside = watched.open.pop().map_or(Duration::ZERO, |open| open.inside);
            if let Some(around) = watched.open.last_mut() {
                around.inside += host;
            }
            let (own, on_device) = (host.saturating_sub(inside), None);
            let (work, device) = (self.work, self.device);
            let mut ended = Ended { work, what, device, begin, host, own, on_device };
            match (stamp, after) {
                (Some(before), Some(after)) => watched.pending.push((ended, before, after)),
                _ => {
                    // Work of the processor is done when the call returns.
                    if work.is_on_device() && !device.is_cuda() {
                        ended.on_device = Some((begin, own));
                    }
                    watched.give(&ended);
                }
            }
            if watched.pending.len() >= MOST_PENDING {
                watched.settle();
            }
        });
    }
}

/// A stamp in a device's queue, and its clock set where that is the first one.
fn stamp(device: Device) -> Option<Stamp> {
    let backend = device.backend();
    WATCHED.with_borrow_mut(|watched| {
        if !watched.origins.iter().any(|origin| origin.0 == device) {
            let stamp = backend.stamp()?;
            // What the queue was given before is over at that moment.
            backend.synchronize().ok()?;
            watched.origins.push((device, Instant::now(), stamp));
        }
        backend.stamp()
    })
}

impl Watched {
    fn give(&self, ended: &Ended) {
        self.sinks.iter().for_each(|sink| sink.borrow_mut().take(ended));
    }

    /// Waits for the times of the devices and gives the spans.
    fn settle(&mut self) {
        for (mut ended, before, after) in std::mem::take(&mut self.pending) {
            let backend = ended.device.backend();
            let origin = self.origins.iter().find(|origin| origin.0 == ended.device);
            let took = backend.between(&before, &after).ok();
            let from = origin.and_then(|(_, at, stamp)| {
                backend.between(stamp, &before).ok().map(|since| *at + since)
            });
            ended.on_device = from.zip(took);
            self.give(&ended);
        }
    }
}

/// Runs a function whose spans, of this thread, go to a sink.
pub fn while_collected<R>(sink: Rc<RefCell<dyn Sink>>, f: impl FnOnce() -> R) -> R {
    struct Collecting;
    impl Drop for Collecting {
        fn drop(&mut self) {
            WATCHED.with_borrow_mut(|watched| {
                watched.settle();
                watched.sinks.pop();
                if watched.sinks.is_empty() {
                    watched.origins.clear();
                }
            });
            WATCHERS.fetch_sub(1, Relaxed);
        }
    }
    WATCHED.with_borrow_mut(|watched| {
        // What ended before goes to those who watched then.
        watched.settle();
        watched.sinks.push(sink);
    });
    WATCHERS.fetch_add(1, Relaxed);
    let _collecting = Collecting;
    f()
}

/// Waits for what the current queue was given, as a span of its own, where somebody watches: a copy
/// to the host that follows is then timed alone.
pub fn wait_apart(backend: &dyn Backend) {
    let device = backend.device();
    if is_on() && device.is_cuda() {
        let _span = span(Work::Wait, device, || What::named("wait for the device"));
        // What failed there is an error of the copy that follows.
        let _ = backend.synchronize_queue(super::current_queue(device));
    }
}
