//! The queues of a device: streams, each with its own memory in its own order, and with counters and
//! library handles of its own; and what orders the uses of one buffer by several of them.
//!
//! Memory belongs to the queue that allocated it, and within a queue nothing needs to be said: its
//! order does. A use by another queue is noted with the buffer as a mark, an event behind it. Before
//! a queue touches a buffer it waits for the marks of others, on the device; memory goes back to
//! its queue's allocator once the marks are reached. Until a program opens a second queue none of
//! this is done for the device's memory. Pinned memory of the host is marked always.
//!
//! - `CudaDevice::in_order` surrounds each launch, copy and library call: before it the queue waits
//!   for the marks of others, after it its own mark is noted.
//! - What the memory's own queue reads is not marked: a queue that writes from elsewhere waits for
//!   all that the memory's own queue was given. Writes are marked, so that a read waits for no more
//!   than it must.
//! - The host waits for the marks of pinned memory before it reads, writes or frees it.

use std::any::Any;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cudarc::driver::{CudaContext, CudaStream, result, sys};
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::driver::{Doing, bind, failed};
use super::library::Handles;
use super::memory::Allocator;
use super::pool::Pool;
use crate::backend::{Buffer, Memory, RawStream, Touched, Uses};
use crate::error::Result;

/// A stream of a device with what must not be shared between streams.
pub struct Queue {
    number: u32,
    stream: Arc<CudaStream>,
    pub(super) memory: Allocator<Pool>,
    /// What buffers hold of the queue.
    owner: OnceLock<Arc<dyn Memory>>,
    counters: Mutex<Option<Buffer>>,
    handles: Handles,
    marks: Mutex<Marks>,
}

/// What a queue has marked and what it has waited for.
#[derive(Default)]
struct Marks {
    /// The number of its last mark.
    last: u64,
    /// For another queue's stream, the last of its marks that this one has waited for.
    seen: SmallVec<[(sys::CUstream, u64); 4]>,
}

// SAFETY: streams are handles that the driver allows any thread to use.
unsafe impl Send for Marks {}

/// A moment in a queue's work.
pub(super) struct Mark {
    stream: sys::CUstream,
    /// Marks of one queue are numbered in their order.
    number: u64,
    event: Event,
}

/// An event of the driver, used again by later marks.
struct Event {
    event: sys::CUevent,
    context: Arc<CudaContext>,
}

// SAFETY: events and streams are handles that the driver allows any thread to use.
unsafe impl Send for Event {}
// SAFETY: as above; there is no state of ours.
unsafe impl Sync for Event {}
// SAFETY: as for events.
unsafe impl Send for Mark {}
// SAFETY: as for events.
unsafe impl Sync for Mark {}

/// An event that notes the time at which it is reached.
pub(super) struct TimedEvent {
    event: sys::CUevent,
    context: Arc<CudaContext>,
}

// SAFETY: events are handles that the driver allows any thread to use.
unsafe impl Send for TimedEvent {}

impl TimedEvent {
    /// The time from this event to a later one, once both are reached.
    pub(super) fn until(&self, later: &TimedEvent) -> Result<Duration> {
        bind(&self.context)?;
        // SAFETY: the event is alive.
        unsafe { result::event::synchronize(later.event) }.doing("wait for a stream")?;
        // SAFETY: both events are alive, take times, and were recorded.
        let ms = unsafe { result::event::elapsed(self.event, later.event) }.doing("read a time")?;
        Ok(Duration::from_secs_f64(f64::from(ms.max(0.0)) * 1e-3))
    }
}

impl Drop for TimedEvent {
    fn drop(&mut self) {
        // SAFETY: the event is destroyed once.
        let _ = unsafe { result::event::destroy(self.event) };
    }
}

/// Events that wait for a next use, each with its context.
static SPARE: Mutex<Vec<Spare>> = Mutex::new(Vec::new());
/// The most of them.
const MOST_SPARE: usize = 1024;

struct Spare(sys::CUcontext, sys::CUevent);

// SAFETY: contexts and events are handles that the driver allows any thread to use.
unsafe impl Send for Spare {}

impl Mark {
    /// The event that says that the moment has come.
    pub(super) fn event(&self) -> sys::CUevent {
        self.event.event
    }
}

impl Event {
    fn new(context: &Arc<CudaContext>) -> Result<Event> {
        let known = {
            let mut spare = SPARE.lock();
            let at = spare.iter().rposition(|spare| spare.0 == context.cu_ctx());
            at.map(|at| spare.swap_remove(at).1)
        };
        let event = known.map_or_else(
            || {
                result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
                    .doing("create an event")
            },
            Ok,
        )?;
        Ok(Event { event, context: context.clone() })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let mut spare = SPARE.lock();
        if spare.len() < MOST_SPARE {
            // Who waits for it already waits for what was recorded, whatever it records next.
            spare.push(Spare(self.context.cu_ctx(), self.event));
            return;
        }
        drop(spare);
        // SAFETY: the event is destroyed once; the driver lets what waits for it finish.
        let _ = unsafe { result::event::destroy(self.event) };
    }
}

impl Mark {
    fn is_reached(&self) -> bool {
        // What cannot be asked any more is over: the context has failed, and its memory with it.
        // SAFETY: the event is alive.
        let status =
            bind(&self.event.context).map(|()| unsafe { sys::cuEventQuery(self.event.event) });
        !matches!(status, Ok(sys::CUresult::CUDA_ERROR_NOT_READY))
    }

    pub(super) fn wait(&self) -> Result<()> {
        bind(&self.event.context)?;
        // SAFETY: the event is alive.
        unsafe { result::event::synchronize(self.event.event) }.doing("wait for a stream")
    }

    /// Makes a stream of another library's wait for the mark.
    pub(super) fn hold_back(&self, stream: RawStream) -> Result<()> {
        bind(&self.event.context)?;
        wait_event(stream.handle().cast(), &self.event)
    }
}

/// Makes what a stream is given from now on wait for an event.
fn wait_event(stream: sys::CUstream, event: &Event) -> Result<()> {
    let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
    // SAFETY: the stream and the event are alive; for a stream of another library whoever named it
    // vouches.
    unsafe { result::stream::wait_event(stream, event.event, flags) }
        .doing("wait for another stream")
}

/// What is noted of a buffer's uses.
#[derive(Default)]
pub(super) struct Notes {
    /// The last write; none where it was not marked: it was then by the queue of the memory.
    written: Option<Arc<Mark>>,
    /// The last use by each queue, those of the memory's own left out.
    others: SmallVec<[Arc<Mark>; 2]>,
}

impl Notes {
    fn other(&mut self, mark: &Arc<Mark>) {
        match self.others.iter_mut().find(|other| other.stream == mark.stream) {
            Some(other) => *other = mark.clone(),
            None => self.others.push(mark.clone()),
        }
    }
}

/// Notes that a queue of another device reads a buffer.
pub(super) fn note_reader(buffer: &Buffer, mark: &Arc<Mark>) {
    notes(&mut buffer.uses()).other(mark);
}

/// Makes a stream of another library's wait for what queues were given to do with a buffer, or the
/// host where there is none. The memory's own queue is not among them.
pub(super) fn settle_notes(uses: &Option<Box<dyn Uses>>, stream: Option<RawStream>) -> Result<()> {
    let Some(notes) = noted(uses) else { return Ok(()) };
    match stream {
        None => notes.wait(false),
        Some(stream) => {
            notes.written.iter().chain(&notes.others).try_for_each(|mark| mark.hold_back(stream))
        }
    }
}

impl Uses for Notes {
    fn are_over(&self) -> bool {
        self.others.iter().all(|mark| mark.is_reached())
    }

    fn wait(&self, writes_alone: bool) -> Result<()> {
        if let Some(mark) = &self.written {
            mark.wait()?;
        }
        if writes_alone { Ok(()) } else { self.others.iter().try_for_each(|mark| mark.wait()) }
    }
}

/// The notes of a buffer, made where there are none.
fn notes(uses: &mut Option<Box<dyn Uses>>) -> &mut Notes {
    let uses: &mut dyn Any = &mut **uses.get_or_insert_with(|| Box::<Notes>::default());
    uses.downcast_mut().expect("the uses of CUDA's buffers are noted here alone")
}

/// The notes of a buffer, where there are any.
fn noted(uses: &Option<Box<dyn Uses>>) -> Option<&Notes> {
    let uses: &dyn Any = &**uses.as_ref()?;
    uses.downcast_ref()
}

impl Queue {
    pub(super) fn new(context: &Arc<CudaContext>, number: u32, cache: usize) -> Result<Queue> {
        let stream = context.new_stream().doing("create a stream")?;
        let pool = Pool::new(context, &stream, number > 0)?;
        Ok(Queue {
            number,
            stream,
            memory: Allocator::new(pool, cache),
            owner: OnceLock::new(),
            counters: Mutex::new(None),
            handles: Handles::default(),
            marks: Mutex::default(),
        })
    }

    /// Its number on its device.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    pub(super) fn raw_stream(&self) -> sys::CUstream {
        self.stream.cu_stream()
    }

    /// The handles of the libraries.
    pub(super) fn handles(&self) -> &Handles {
        &self.handles
    }

    /// A block of memory, uninitialised, that goes back in the order of this queue.
    pub(super) fn allocate(&'static self, bytes: usize) -> Result<Buffer> {
        let address = self.memory.allocate(bytes)?;
        let owner = self.owner.get_or_init(|| Arc::new(Owner(self)));
        Ok(Buffer::new(address, bytes, owner.clone()))
    }

    /// The address of at least `count` 32-bit counters, all zero: `clear` makes new ones so, in the
    /// order of this queue. Kernels that count arrivals leave them at zero again; the queue's order
    /// keeps two kernels from counting at once.
    pub(super) fn counters(
        &'static self,
        count: usize,
        clear: impl FnOnce(&Buffer) -> Result<()>,
    ) -> Result<u64> {
        let mut counters = self.counters.lock();
        if let Some(buffer) = &*counters
            && buffer.bytes() >= count * 4
        {
            return Ok(buffer.address());
        }
        let buffer = self.allocate((count * 4).next_power_of_two().max(64 << 10))?;
        clear(&buffer)?;
        let address = buffer.address();
        // The smaller buffer goes back in the queue's order, after the kernels that count in it.
        *counters = Some(buffer);
        Ok(address)
    }

    /// Waits for all work of the queue.
    pub(super) fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream is alive as long as the device.
        unsafe { result::stream::synchronize(self.raw_stream()) }.doing("wait for the device")
    }

    /// Whether all work of the queue is done.
    pub(super) fn is_idle(&self) -> Result<bool> {
        // SAFETY: the stream is alive as long as the device.
        match unsafe { sys::cuStreamQuery(self.raw_stream()) } {
            sys::CUresult::CUDA_SUCCESS => Ok(true),
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            status => Err(failed("ask for a stream", result::DriverError(status))),
        }
    }

    /// Marks what the queue was given until now.
    pub(super) fn mark(&self) -> Result<Arc<Mark>> {
        let (context, stream) = (self.stream.context(), self.raw_stream());
        let event = Event::new(context)?;
        let mut marks = self.marks.lock();
        // SAFETY: the event and the stream are alive.
        unsafe { result::event::record(event.event, stream) }.doing("record an event")?;
        marks.last += 1;
        Ok(Arc::new(Mark { stream, number: marks.last, event }))
    }

    /// Notes the time at which the queue is done with what it was given until now.
    pub(super) fn stamp(&self) -> Result<TimedEvent> {
        let context = self.stream.context();
        let event =
            result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).doing("create an event")?;
        let timed = TimedEvent { event, context: context.clone() };
        // SAFETY: the event and the stream are alive.
        unsafe { result::event::record(event, self.raw_stream()) }.doing("record an event")?;
        Ok(timed)
    }

    /// Makes what the queue is given from now on wait for another queue's mark.
    pub(super) fn wait_for(&self, mark: &Mark) -> Result<()> {
        if mark.stream == self.raw_stream() {
            return Ok(());
        }
        let mut marks = self.marks.lock();
        let seen = match marks.seen.iter().position(|seen| seen.0 == mark.stream) {
            Some(at) => at,
            None => {
                marks.seen.push((mark.stream, 0));
                marks.seen.len() - 1
            }
        };
        if marks.seen[seen].1 >= mark.number {
            return Ok(());
        }
        wait_event(self.raw_stream(), &mark.event)?;
        marks.seen[seen].1 = mark.number;
        Ok(())
    }

    /// Makes what the queue is given from now on wait for all that a stream of another library's
    /// was given until now.
    pub(super) fn wait_for_stream(&self, stream: RawStream) -> Result<()> {
        let event = Event::new(self.stream.context())?;
        // SAFETY: the event is alive, and the stream, as whoever named it vouches.
        unsafe { result::event::record(event.event, stream.handle().cast()) }
            .doing("record an event on a stream of another library")?;
        wait_event(self.raw_stream(), &event)
    }

    /// The same for all that another queue was given until now.
    pub(super) fn wait_for_all(&self, other: &Queue) -> Result<()> {
        if other.number == self.number { Ok(()) } else { self.wait_for(&*other.mark()?) }
    }

    /// Makes the queue wait for what others, which the device finds by their numbers, do with the
    /// buffers that it is about to touch.
    pub(super) fn begin(
        &self,
        touched: Touched,
        numbered: impl Fn(u32) -> &'static Queue,
    ) -> Result<()> {
        for buffer in touched.read {
            match noted(&buffer.uses()).and_then(|notes| notes.written.as_ref()) {
                Some(mark) => self.wait_for(mark)?,
                None => self.wait_for_all(numbered(buffer.queue()))?,
            }
        }
        for buffer in touched.written {
            // Reads by the memory's own queue are not noted.
            self.wait_for_all(numbered(buffer.queue()))?;
            if let Some(notes) = noted(&buffer.uses()) {
                let mut marks = notes.others.iter().chain(&notes.written);
                marks.try_for_each(|mark| self.wait_for(mark))?;
            }
        }
        Ok(())
    }

    /// Notes what the queue was given to do with buffers.
    pub(super) fn end(&self, touched: Touched) -> Result<()> {
        let mark = self.mark()?;
        let foreign = |buffer: &Buffer| buffer.queue() != self.number;
        for buffer in touched.read.iter().filter(|buffer| foreign(buffer)) {
            notes(&mut buffer.uses()).other(&mark);
        }
        for buffer in touched.written {
            let mut uses = buffer.uses();
            let notes = notes(&mut uses);
            notes.written = Some(mark.clone());
            if foreign(buffer) {
                notes.other(&mark);
            }
        }
        Ok(())
    }

    /// As [`end`](Self::end) while no other queue is open: a mark would cost more than it could
    /// save. Who reads such a buffer from a queue that is opened later waits for all of this one.
    pub(super) fn end_alone(&self, touched: Touched) -> Result<()> {
        let own = |buffer: &&Buffer| buffer.queue() == self.number;
        if !touched.read.iter().chain(touched.written).all(own) {
            return self.end(touched);
        }
        for buffer in touched.written {
            let mut uses = buffer.uses();
            if uses.is_some() {
                notes(&mut uses).written = None;
            }
        }
        Ok(())
    }

    /// Makes the queue wait until others are done with the host's memory, as far as a copy that
    /// writes or reads it must.
    pub(super) fn begin_host(&self, host: &Buffer, writes: bool) -> Result<()> {
        let uses = host.uses();
        let Some(notes) = noted(&uses) else { return Ok(()) };
        if writes {
            notes.others.iter().try_for_each(|mark| self.wait_for(mark))?;
        }
        notes.written.iter().try_for_each(|mark| self.wait_for(mark))
    }

    /// Notes a copy from or to the host's memory, and gives its mark. The host's memory is no queue's,
    /// so all is noted.
    pub(super) fn end_host(&self, host: &Buffer, writes: bool) -> Result<Arc<Mark>> {
        let mark = self.mark()?;
        let mut uses = host.uses();
        let notes = notes(&mut uses);
        notes.other(&mark);
        if writes {
            notes.written = Some(mark.clone());
        }
        Ok(mark)
    }
}

/// Gives the memory of dropped buffers back to its queue, in the queue's order.
struct Owner(&'static Queue);

impl Memory for Owner {
    unsafe fn release(&self, address: u64, bytes: usize, uses: Option<Box<dyn Uses>>) {
        self.0.memory.free_after(address, bytes, uses);
    }

    fn queue(&self) -> u32 {
        self.0.number
    }

    fn surrender(&self, bytes: usize) -> bool {
        self.0.memory.surrender(bytes);
        true
    }
}

/// Pinned memory of the host, released once its copies are done.
pub(super) struct Pinned(pub(super) Arc<CudaContext>);

impl Memory for Pinned {
    unsafe fn release(&self, address: u64, _: usize, uses: Option<Box<dyn Uses>>) {
        // Nobody can be told of a failure; the context has failed then, and copies nothing more.
        if bind(&self.0).is_err() {
            return;
        }
        let _ = uses.map(|uses| uses.wait(false));
        // SAFETY: the memory was pinned once and is given back once, with no copy under way.
        let _ = unsafe { result::free_host(address as *mut _) };
    }
}
