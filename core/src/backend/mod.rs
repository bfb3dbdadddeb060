//! The trait of devices, and the devices there are.
//!
//! A backend knows kernels and buffers, and neither arrays, graph nodes nor operations by name:
//! what an operation means comes to it through the rows of [`crate::table`].

#[cfg(all(test, feature = "cuda"))]
mod agreement_tests;
#[deny(missing_docs)]
mod arithmetic;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
#[deny(missing_docs)]
mod device;
pub mod faults;
#[deny(missing_docs)]
mod foreign;
pub mod fork;
#[cfg(feature = "cuda")]
mod nvtx;
#[cfg(test)]
mod once_tests;
pub mod pages;
pub mod placement;
pub mod pool;
#[deny(missing_docs)]
mod progress;
mod series;
#[deny(missing_docs)]
mod stream;
pub mod trace;
pub mod turns;
#[deny(missing_docs)]
mod wait;
mod watchers;
pub mod world;

pub use arithmetic::{Arithmetic, with_arithmetic};
pub use device::{Device, DeviceInfo, MemoryUse};
pub use foreign::RawStream;
pub use foreign::{Foreign, Hold, Owner};
pub use progress::Meter;
pub use progress::{Progress, with_progress};
pub use series::{Ahead, Gathering, Portion, Portions, Series};
pub use stream::Stream;
pub use stream::current_queue;

use crate::dtype::Scalar;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::library::Library;
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// What owns the memory of buffers and takes it back.
pub trait Memory: Send + Sync {
    /// Releases a buffer's memory, where it was used so last.
    ///
    /// # Safety
    /// `address` and `bytes` are those of a buffer that this memory gave out, once.
    unsafe fn release(&self, address: u64, bytes: usize, uses: Option<Box<dyn Uses>>);

    /// The queue in whose order the memory is released.
    fn queue(&self) -> u32 {
        0
    }

    /// Whether kernels may write into the memory: not into what somebody else has allocated.
    fn may_be_written(&self) -> bool {
        true
    }

    /// Gives a buffer's block away, to be freed by whoever takes it; false where the memory is of a
    /// kind that only its own release frees.
    fn surrender(&self, _bytes: usize) -> bool {
        false
    }

    /// The buffer that this is a part of.
    fn whole(&self) -> Option<&Buffer> {
        None
    }
}

/// What queues have been given to do with a buffer's memory: noted where the order of one queue
/// does not say it.
pub trait Uses: Any + Send {
    /// Whether all of it is done.
    fn are_over(&self) -> bool;

    /// Waits until all of it is done, or what writes the memory.
    fn wait(&self, writes_alone: bool) -> Result<()>;
}

/// Memory of a device, or of the host for copies, released when dropped.
pub struct Buffer {
    address: u64,
    bytes: usize,
    memory: Arc<dyn Memory>,
    uses: Mutex<Option<Box<dyn Uses>>>,
}

impl Buffer {
    /// Wraps memory that `memory` gave out.
    pub fn new(address: u64, bytes: usize, memory: Arc<dyn Memory>) -> Self {
        Buffer { address, bytes, memory, uses: Mutex::new(None) }
    }

    /// What follows a byte of a buffer, which stays alive for as long: uses of a part are uses of the
    /// buffer.
    pub fn part(whole: &Arc<Buffer>, start: usize) -> Buffer {
        let memory = Arc::new(PartOf(whole.clone()));
        Buffer::new(whole.address + start as u64, whole.bytes - start, memory)
    }

    /// The queue in whose order the memory is released.
    pub fn queue(&self) -> u32 {
        self.memory.queue()
    }

    /// The address of a block that whoever called this frees, as the device's driver does; the
    /// buffer itself where its memory is freed in another way.
    pub fn surrender(self) -> std::result::Result<u64, Buffer> {
        if !self.memory.surrender(self.bytes) {
            return Err(self);
        }
        let buffer = std::mem::ManuallyDrop::new(self);
        // SAFETY: the buffer is neither used nor dropped again, so each field is moved out once.
        unsafe {
            drop(std::ptr::read(&buffer.memory));
            drop(std::ptr::read(&buffer.uses));
        }
        Ok(buffer.address)
    }

    /// Whether an operation may overwrite the memory where nobody else holds the buffer.
    pub fn may_be_written(&self) -> bool {
        self.memory.may_be_written()
    }

    /// What has been noted of the buffer's uses.
    pub fn uses(&self) -> MutexGuard<'_, Option<Box<dyn Uses>>> {
        match self.memory.whole() {
            Some(whole) => whole.uses(),
            None => self.uses.lock(),
        }
    }

    /// Waits for all that queues do with the memory, or for what writes it.
    pub fn wait(&self, writes_alone: bool) -> Result<()> {
        let mut uses = self.uses();
        let Some(noted) = &*uses else { return Ok(()) };
        noted.wait(writes_alone)?;
        if !writes_alone {
            *uses = None;
        }
        Ok(())
    }

    /// Where the memory begins, in the device's address space.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The length in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The memory of a part: that of the buffer that it is a part of.
struct PartOf(Arc<Buffer>);

impl Memory for PartOf {
    unsafe fn release(&self, _address: u64, _bytes: usize, _uses: Option<Box<dyn Uses>>) {}

    fn queue(&self) -> u32 {
        self.0.queue()
    }

    fn may_be_written(&self) -> bool {
        self.0.may_be_written()
    }

    fn whole(&self) -> Option<&Buffer> {
        Some(&self.0)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // The memory's lock may be held by a thread that a forked process lacks.
        if fork::is_copy() {
            return;
        }
        // SAFETY: the buffer was made from this memory and is dropped once.
        unsafe { self.memory.release(self.address, self.bytes, self.uses.get_mut().take()) }
    }
}

/// What a kernel is launched on.
pub struct Arguments<'a> {
    /// The arrays that it reads.
    pub inputs: &'a [&'a Buffer],
    /// The arrays that it writes.
    pub outputs: &'a [&'a Buffer],
    /// The byte at which each array begins in its buffer, inputs first; none where all begin with
    /// their buffers.
    pub starts: &'a [usize],
    /// The scalars.
    pub scalars: &'a [Scalar],
}

impl Arguments<'_> {
    /// Where the inputs begin.
    pub fn input_addresses(&self) -> impl Iterator<Item = u64> {
        addresses(self.inputs, self.starts)
    }

    /// Where the outputs begin.
    pub fn output_addresses(&self) -> impl Iterator<Item = u64> {
        addresses(self.outputs, self.starts.get(self.inputs.len()..).unwrap_or(&[]))
    }
}

/// Where arrays begin in their buffers.
fn addresses(buffers: &[&Buffer], starts: &[usize]) -> impl Iterator<Item = u64> {
    let starts = starts.iter().copied().chain(std::iter::repeat(0));
    buffers.iter().zip(starts).map(|(buffer, start)| buffer.address() + start as u64)
}

/// Where a compiled kernel came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The compiler ran.
    Compiled,
    /// The cache on disk had it.
    Disk,
    /// The process had it already.
    Memory,
    /// Nothing needs compiling on this backend.
    Interpreted,
}

/// A kernel made ready for a device: kept with the plan and launched any number of times.
#[derive(Clone)]
pub struct Compiled {
    /// What the backend needs for a launch.
    pub executable: Arc<dyn Any + Send + Sync>,
    /// What `explain` says of it, written when it is asked for.
    pub texts: Arc<dyn Fn() -> Texts + Send + Sync>,
    /// Where the code came from.
    pub origin: Origin,
    /// The number of launches that one run takes.
    pub launches: u32,
}

/// What there is to read of a kernel.
pub struct Texts {
    /// The rendered source, or the schedule as text where nothing is rendered.
    pub source: Arc<str>,
    /// One line on the schedule.
    pub schedule: String,
}

/// Makes each different one of some kernels ready, once. Steps of a simulation that are recorded one
/// after another have the same kernels, and so have the pieces of a wide graph.
///
/// # Errors
/// Those of `make`, which gives for each kernel what it became.
pub fn each_once(
    kernels: &[&Kernel],
    make: impl FnOnce(&[&Kernel]) -> Result<Vec<Compiled>>,
) -> Result<Vec<Compiled>> {
    let (mut different, mut places) = (Vec::new(), FxHashMap::default());
    let mut place = Vec::with_capacity(kernels.len());
    for &kernel in kernels {
        place.push(*places.entry(kernel).or_insert_with(|| {
            different.push(kernel);
            different.len() - 1
        }));
    }
    let compiled = make(&different)?;
    let mut met = 0;
    let of = |at: usize| {
        // A kernel that comes again is one that the process has.
        let again = at < met;
        met = met.max(at + 1);
        let origin = match compiled[at].origin {
            Origin::Compiled | Origin::Disk if again => Origin::Memory,
            origin => origin,
        };
        Compiled { origin, ..compiled[at].clone() }
    };
    Ok(place.into_iter().map(of).collect())
}

/// A library call made ready for a device: kept with the plan and run any number of times.
pub trait LibraryCall: Send + Sync {
    /// Runs the call on buffers that hold the arguments and take the outputs, and on the scalars
    /// that came with the arguments; asynchronous where it can be. What a library finds wrong
    /// with the values (a singular matrix, no convergence) is an error, after which the
    /// evaluation leaves every array as it was.
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()>;

    /// The same where the first input has no other reader left, so that the call may use its
    /// memory as its own.
    fn run_last(&self, inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()> {
        self.run(inputs, outputs, scalars)
    }

    /// The library and what it was told, in a few words, for `explain`.
    fn describe(&self) -> String;
}

/// Code that a user wrote for a device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RawSource {
    /// CUDA C++, whose kernels are `extern "C" __global__`.
    Cuda {
        /// The source.
        code: String,
        /// Further options for the compiler, such as `-I/folder` or `-DN=4`.
        options: Vec<String>,
        /// Whether the types and functions of rendered kernels come first; a macro that the
        /// options define must not have a name that these use.
        prelude: bool,
    },
    /// PTX, which the driver compiles.
    Ptx(String),
    /// Machine code for one architecture.
    Cubin(Vec<u8>),
}

/// How many blocks and threads run a [`RawFunctions`] function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawShape {
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
}

/// An argument of a launch: one parameter of the function.
#[derive(Clone, Copy)]
pub enum RawArg<'a> {
    /// The address of a buffer.
    Buffer(&'a Buffer),
    /// The bytes of a parameter passed by value: a scalar or a structure.
    Bytes(&'a [u8]),
}

/// The buffers that a user's code works on, whatever its arguments look like.
#[derive(Clone, Copy, Default)]
pub struct Touched<'a> {
    /// Those that it reads.
    pub read: &'a [&'a Buffer],
    /// Those that it may write.
    pub written: &'a [&'a Buffer],
}

/// A user's code, loaded onto a device.
pub trait RawFunctions: Send + Sync {
    /// Fails where there is no function of that name.
    fn find(&self, name: &str) -> Result<()>;

    /// Launches a function in the order of the current queue. An empty grid launches nothing.
    ///
    /// # Safety
    /// What the function does with the buffers is inside them; it writes none but those that are
    /// said to be written, and nobody else may write them.
    unsafe fn launch(
        &self,
        name: &str,
        shape: &RawShape,
        args: &[RawArg],
        touched: Touched,
    ) -> Result<()>;
}

/// The bytes of a piece of [`Backend::upload_pieces`]: whole elements of any type.
pub const PIECE: usize = 1 << 20;

/// What fills a piece.
pub type Fill<'a> = dyn FnMut(&mut [u8]) -> Result<()> + 'a;

/// A moment in the order of a queue, of the backend that made it.
pub struct Stamp(pub Box<dyn Any + Send>);

/// A moment in the order of a device's queue, for queues of other devices.
pub struct Ready {
    /// The device.
    pub device: Device,
    /// What its backend knows of the moment.
    pub moment: Box<dyn Any + Send>,
}

/// A device that runs kernels. Work is asynchronous and goes to the current queue of the thread
/// ([`current_queue`]), whose order it keeps; what other queues do with the same buffers comes
/// before it or after it, as the calls came. `download` waits for what it reads, `synchronize` for
/// everything.
pub trait Backend: Send + Sync {
    /// The device that this is.
    fn device(&self) -> Device;

    /// What the device is.
    fn info(&self) -> DeviceInfo;

    /// Memory with undefined contents; zero bytes are allowed.
    fn allocate(&self, bytes: usize) -> Result<Buffer>;

    /// Copies host memory into a new buffer. The host's memory may be reused when this returns.
    fn upload(&self, bytes: &[u8]) -> Result<Buffer> {
        let buffer = self.allocate(bytes.len())?;
        self.write(bytes, &buffer)?;
        Ok(buffer)
    }

    /// Copies host memory to the beginning of a buffer that nobody else reads or writes, in the order
    /// of the current queue. The host's memory may be reused when this returns.
    fn write(&self, bytes: &[u8], buffer: &Buffer) -> Result<()>;

    /// A new buffer of so many bytes, which `fill` gives piece by piece, in order: pieces have
    /// [`PIECE`] bytes, but for the last. Besides the buffer no more than a piece is allocated, and
    /// an error of `fill` ends it.
    ///
    /// # Errors
    /// Out of memory, where less is free.
    fn upload_pieces(&self, bytes: usize, fill: &mut Fill) -> Result<Buffer>;

    /// Copies the beginning of a buffer to the host, after all work recorded before.
    fn download(&self, buffer: &Buffer, into: &mut [u8]) -> Result<()>;

    /// Copies some bytes of another device's buffer, or of one of this device, from byte `start` on
    /// into a new buffer, in the order of the current queues of both.
    fn receive(&self, from: &Buffer, source: Device, start: usize, bytes: usize) -> Result<Buffer>;

    /// A moment in the order of the current queue, for others to wait for; none where work is done
    /// when a call returns.
    fn ready(&self) -> Result<Option<Ready>> {
        Ok(None)
    }

    /// Whether kernels of this device can read another one's memory where it is.
    fn reaches(&self, _source: Device) -> bool {
        true
    }

    /// Some bytes of another device's buffer where they are, if kernels of this device can read them
    /// there: what the current queue is given from now on waits for the other device's moment. The
    /// other device's memory stays what it is until this buffer is gone and what read it is done.
    fn reach(
        &self,
        _from: &Arc<Buffer>,
        _ready: &Ready,
        _start: usize,
        _bytes: usize,
    ) -> Result<Option<Buffer>> {
        Ok(None)
    }

    /// Makes a kernel ready: compiles it or finds it in a cache. A device without approximations
    /// computes exactly whatever the arithmetic.
    fn compile(&self, kernel: &Kernel, arithmetic: Arithmetic) -> Result<Compiled>;

    /// Makes several kernels ready; where that takes long, side by side.
    fn compile_all(&self, kernels: &[&Kernel], arithmetic: Arithmetic) -> Result<Vec<Compiled>> {
        kernels.iter().map(|kernel| self.compile(kernel, arithmetic)).collect()
    }

    /// Makes a kernel ready that runs many turns, in one launch where that is best, where pairs say
    /// which input is which output of the turn before.
    fn compile_turns(
        &self,
        kernel: &Kernel,
        pairs: &[(u32, u32)],
        arithmetic: Arithmetic,
    ) -> Result<Compiled>;

    /// The same where several turns at a time are computed by tiles whose borders are computed again,
    /// and that is best; none otherwise.
    fn compile_tiles(
        &self,
        _kernel: &Kernel,
        _pairs: &[(u32, u32)],
        _arithmetic: Arithmetic,
    ) -> Result<Option<Compiled>> {
        Ok(None)
    }

    /// Whether many turns of such a kernel are one launch, or a few, which keeps on the chip what a turn
    /// hands to the next one.
    fn takes_turns_together(&self, compiled: &Compiled) -> bool;

    /// Runs the turns of such a kernel, at least one, and gives the number of launches. The outputs
    /// hold what the last one gives; there is a spare buffer for each pair, which turns write in
    /// between, unless there is one turn.
    fn launch_turns(
        &self,
        compiled: &Compiled,
        arguments: &Arguments,
        spares: &[&Buffer],
        turns: u64,
    ) -> Result<u64>;

    /// Launches a kernel. Where an output is an alias of an input, both are the same buffer.
    fn launch(&self, compiled: &Compiled, arguments: &Arguments) -> Result<()>;

    /// Makes kernels ready that come again and again in this order; none where launches gain nothing
    /// from being given to the device together.
    fn series(&self, _kernels: Vec<Compiled>) -> Option<Box<dyn Series>> {
        None
    }

    /// Makes kernels ready as [`compile_all`](Self::compile_all) does, for [`ahead`](Self::ahead).
    fn compile_ahead(&self, kernels: &[&Kernel], arithmetic: Arithmetic) -> Result<Vec<Compiled>> {
        self.compile_all(kernels, arithmetic)
    }

    /// Makes the kernels of a loop's turn ready to be launched before it is known whether the turn is
    /// to run; none where the host learns that at no cost.
    ///
    /// # Errors
    /// Where the device fails.
    fn ahead(&self, _kernels: Vec<Compiled>) -> Result<Option<Box<dyn Ahead>>> {
        Ok(None)
    }

    /// Makes a library call ready: handles, plans, the sizes of work spaces.
    ///
    /// # Errors
    /// Where the device has no such library, or the library cannot do this.
    fn library(&self, call: &Library) -> Result<Box<dyn LibraryCall>>;

    /// Loads code that a user wrote: compiles it or finds it in a cache.
    fn load(&self, source: &RawSource) -> Result<Arc<dyn RawFunctions>>;

    /// Whether products of matrices may scale, add and add to rows in the same call. One that
    /// cannot do so in a particular case is an error of the kind `unsupported`.
    fn epilogues(&self) -> bool {
        false
    }

    /// Waits for all work.
    fn synchronize(&self) -> Result<()>;

    /// Marks a moment in the order of the current queue, to measure what lies between two of them;
    /// none where work is done when a call returns.
    fn stamp(&self) -> Option<Stamp> {
        None
    }

    /// The time from one moment of this device to another, once both are reached.
    fn between(&self, _from: &Stamp, _to: &Stamp) -> Result<Duration> {
        Ok(Duration::ZERO)
    }

    /// The memory that buffers have.
    fn memory_use(&self) -> MemoryUse;

    /// Opens a queue beside the device's own one, which is number 0, and gives its number. Where
    /// work is done when a call returns, all queues are that one.
    fn open_queue(&self) -> Result<u32> {
        Ok(0)
    }

    /// Gives a queue back. What it was given to do is still done.
    fn close_queue(&self, _queue: u32) {}

    /// Waits for the work of one queue.
    fn synchronize_queue(&self, _queue: u32) -> Result<()> {
        Ok(())
    }

    /// Whether the work of one queue is done.
    fn is_queue_idle(&self, _queue: u32) -> Result<bool> {
        Ok(true)
    }

    /// Makes what queue `after` is given from now on wait for what `before` was given until now.
    fn order_queues(&self, _before: u32, _after: u32) -> Result<()> {
        Ok(())
    }

    /// Host memory that copies run from and into while the host goes on, with undefined contents.
    fn pin(&self, bytes: usize) -> Result<Buffer>;

    /// Copies the beginning of pinned memory into a new buffer, in the order of the current queue.
    fn upload_pinned(&self, host: &Buffer, bytes: usize) -> Result<Buffer> {
        let buffer = self.allocate(bytes)?;
        self.write_pinned(host, &buffer, bytes)?;
        Ok(buffer)
    }

    /// Copies the beginning of pinned memory to that of a buffer that nobody else reads or writes, in
    /// the order of the current queue.
    fn write_pinned(&self, host: &Buffer, buffer: &Buffer, bytes: usize) -> Result<()>;

    /// Copies the beginning of a buffer into pinned memory, in the order of the current queue.
    fn download_pinned(&self, buffer: &Buffer, host: &Buffer, bytes: usize) -> Result<()>;

    /// Wraps memory that somebody else has allocated, and that nothing writes from now on, in order
    /// behind what its stream was given until now. The owner goes with the buffer, or with the
    /// error.
    ///
    /// # Errors
    /// Where the memory is not this device's, as far as that can be known.
    fn adopt(&self, foreign: Foreign) -> Result<Buffer> {
        let Foreign { address, bytes, owner, .. } = foreign;
        Ok(Buffer::new(address, bytes, Arc::new(foreign::Adopted { _owner: owner })))
    }

    /// Makes a stream of somebody else's wait for what queues do with a buffer, or the host where
    /// there is none, before the data is handed out.
    fn lend(&self, _buffer: &Buffer, _stream: Option<RawStream>) -> Result<()> {
        Ok(())
    }

    /// Makes what follows in the order of a buffer's queue wait for what a stream of somebody
    /// else's was given, or the host for the whole device where there is none: the data that was
    /// lent comes back.
    fn reclaim(&self, _buffer: &Buffer, _stream: Option<RawStream>) -> Result<()> {
        Ok(())
    }

    /// The handle of a queue's stream, where queues are such.
    fn stream_of(&self, _queue: u32) -> Result<Option<RawStream>> {
        Ok(None)
    }

    /// The bytes of one row that fit on the chip, over all [`crate::kernel::Inst::Row`]s of a
    /// kernel.
    fn row_capacity(&self) -> usize;

    /// The elements from which a kernel without reductions runs in pieces, along whose borders
    /// conditions on positions change; none where kernels have no pieces.
    fn pieces_from(&self) -> Option<usize> {
        None
    }

    /// The most bytes of dynamic shared memory that a block of a user's kernel may ask for.
    fn shared_capacity(&self) -> usize {
        self.row_capacity()
    }

    /// Gives cached memory back to the system.
    fn release_caches(&self);
}
