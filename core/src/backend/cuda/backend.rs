//! A CUDA device as a [`Backend`]: kernels are rendered, compiled or found, and launched.

use super::ahead::TurnsAhead;
use super::compile::{CompileOptions, in_parallel};
use super::device::{CudaDevice, Properties};
use super::executable::{Argument, Executable, executable_of};
use super::foreign;
use super::library;
use super::queue::{Mark, TimedEvent};
use super::raw::RawModule;
use super::render::{
    Barrier, Rendered, Target, Template, render, render_skipped, render_tiled, render_turns,
};
use super::series::{self, Launches};
use crate::backend::turns::{self, Turn};
use crate::backend::{
    Ahead, Arguments, Arithmetic, Backend, Buffer, Compiled, Device, DeviceInfo, Fill, Foreign,
    LibraryCall, MemoryUse, Meter, Origin, PIECE, RawFunctions, RawSource, RawStream, Ready,
    Series, Stamp, Texts, Touched, each_once,
};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::library::Library;
use smallvec::SmallVec;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// What a block's shared memory must leave for the folds of reductions.
const FOLD_BYTES: usize = 4 << 10;

/// One GPU. It is opened when it is first used.
pub struct Cuda {
    ordinal: usize,
    properties: Properties,
}

impl Cuda {
    /// The GPU with these properties.
    pub fn new(properties: Properties) -> Self {
        Cuda { ordinal: properties.ordinal, properties }
    }

    fn device(&self) -> Result<&'static CudaDevice> {
        CudaDevice::get(self.ordinal)
    }

    fn target(&self) -> Target {
        Target {
            multiprocessors: self.properties.multiprocessors.max(1),
            shared_bytes: self.row_capacity(),
        }
    }
}

/// Kernels whose blocks wait for each other may have so many for each multiprocessor. On an H100
/// waiting costs less than a launch for so few; a thousand blocks of a sweep over 1024² elements
/// took 7.7 µs a turn, and 5.4 in launches of their own.
const MOST_WAITING: u32 = 2;

/// A kernel whose outputs become inputs, as pairs say.
struct Repeated {
    executable: Executable,
    pairs: Vec<(u32, u32)>,
}

/// What there is to read of a kernel, once it is asked for.
type LazyTexts = Arc<dyn Fn() -> Texts + Send + Sync>;

fn compiled(executable: impl Any + Send + Sync, texts: LazyTexts, origin: Origin) -> Compiled {
    Compiled { texts, executable: Arc::new(executable), origin, launches: 1 }
}

/// Takes turns by so many launches, each as many as the others, or one more.
fn tiled(
    executable: &Executable,
    mut kinds: [Argument; 3],
    launches: u64,
    turns: u64,
) -> Result<u64> {
    for launch in 0..launches {
        let argument = &mut kinds[turns::kind(launch)];
        let own = turns / launches + u64::from(launch < turns % launches);
        executable.template.write_turns(argument, own);
        // SAFETY: the argument was laid out for this function when it was rendered, its buffers are
        // those of one launch, and the spare ones are as long as the outputs.
        unsafe { executable.function.launch(&executable.shape, argument) }?;
    }
    Ok(launches)
}

impl Cuda {
    /// A rendered kernel that takes many turns, compiled or found.
    fn repeated(
        &self,
        rendered: Rendered,
        pairs: &[(u32, u32)],
        arithmetic: Arithmetic,
    ) -> Result<Compiled> {
        let (executable, texts, origin) = self.executable(rendered, arithmetic)?;
        let repeated = Repeated { executable, pairs: pairs.to_vec() };
        Ok(compiled(repeated, texts, origin))
    }

    /// Kernels, each rendered in one way and compiled or found, side by side.
    fn each(
        &self,
        kernels: &[&Kernel],
        arithmetic: Arithmetic,
        render: fn(&Kernel, &Target) -> Result<Rendered>,
    ) -> Result<Vec<Compiled>> {
        each_once(kernels, |kernels| {
            let meter = Meter::start("kernels to compile", kernels.len() as u64);
            in_parallel(kernels, |kernel| {
                let made = render(kernel, &self.target())
                    .and_then(|rendered| self.executable(rendered, arithmetic));
                meter.iter().for_each(|meter| meter.add(1));
                made.map(|(executable, texts, origin)| compiled(executable, texts, origin))
            })
        })
    }

    /// A rendered kernel, compiled or found.
    fn executable(
        &self,
        rendered: Rendered,
        arithmetic: Arithmetic,
    ) -> Result<(Executable, LazyTexts, Origin)> {
        let options = CompileOptions::of(arithmetic);
        let (function, origin) =
            self.device()?.function_of_body(&rendered.body, &rendered.entry, &options)?;
        let schedule = rendered.schedule.clone();
        let body: Arc<str> = rendered.body.as_str().into();
        let texts = move || Texts { source: body.clone(), schedule: schedule.clone() };
        Ok((Executable::new(function, rendered), Arc::new(texts), origin))
    }
}

impl Backend for Cuda {
    fn device(&self) -> Device {
        Device::numbered(self.ordinal)
    }

    fn info(&self) -> DeviceInfo {
        let p = &self.properties;
        let version = |(major, minor): (i32, i32)| format!("{major}.{minor}");
        DeviceInfo {
            device: format!("cuda:{}", p.ordinal),
            name: p.name.clone(),
            compute_capability: Some((p.arch.major, p.arch.minor)),
            multiprocessors: p.multiprocessors,
            memory: p.total_memory as u64,
            driver: Some(version(p.driver_version)),
            nvrtc: p.nvrtc_version.map(version),
            ..DeviceInfo::default()
        }
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer> {
        self.device()?.allocate(bytes)
    }

    fn write(&self, bytes: &[u8], buffer: &Buffer) -> Result<()> {
        let device = self.device()?;
        let touched = Touched { read: &[], written: &[buffer] };
        device.in_order(touched, || device.copy_to_device(bytes, buffer, 0))
    }

    fn upload_pieces(&self, bytes: usize, fill: &mut Fill) -> Result<Buffer> {
        let device = self.device()?;
        let buffer = device.allocate(bytes)?;
        let mut piece = Vec::new();
        let room = PIECE.min(bytes);
        piece
            .try_reserve_exact(room)
            .map_err(|_| Error::out_of_memory(format!("the host cannot allocate {room} bytes")))?;
        piece.resize(room, 0);
        let meter = Meter::start("bytes to the device", bytes as u64);
        for at in (0..bytes).step_by(PIECE) {
            let piece = &mut piece[..PIECE.min(bytes - at)];
            fill(piece)?;
            let touched = Touched { read: &[], written: &[&buffer] };
            device.in_order(touched, || device.copy_to_device(piece, &buffer, at))?;
            meter.iter().for_each(|meter| meter.add(piece.len() as u64));
        }
        Ok(buffer)
    }

    fn download(&self, buffer: &Buffer, into: &mut [u8]) -> Result<()> {
        let device = self.device()?;
        let touched = Touched { read: &[buffer], written: &[] };
        device.in_order(touched, || device.copy_to_host(buffer, 0, into))
    }

    fn receive(&self, from: &Buffer, source: Device, start: usize, bytes: usize) -> Result<Buffer> {
        let device = self.device()?;
        match source.ordinal() {
            Some(ordinal) => device.receive(from, CudaDevice::get(ordinal)?, start, bytes),
            None => {
                let mut host = vec![0; start + bytes];
                source.backend().download(from, &mut host)?;
                self.upload(&host[start..])
            }
        }
    }

    fn ready(&self) -> Result<Option<Ready>> {
        let device = self.device()?;
        device.bind()?;
        Ok(Some(Ready { device: Backend::device(self), moment: Box::new(device.queue().mark()?) }))
    }

    fn reaches(&self, source: Device) -> bool {
        let (Ok(own), Some(ordinal)) = (self.device(), source.ordinal()) else { return true };
        let Ok(source) = CudaDevice::get(ordinal) else { return true };
        std::ptr::eq(own, source) || own.open_to(source).unwrap_or(false)
    }

    fn reach(
        &self,
        from: &Arc<Buffer>,
        ready: &Ready,
        start: usize,
        bytes: usize,
    ) -> Result<Option<Buffer>> {
        let (Some(ordinal), Some(mark)) =
            (ready.device.ordinal(), ready.moment.downcast_ref::<Arc<Mark>>())
        else {
            return Ok(None);
        };
        self.device()?.reach(from, (CudaDevice::get(ordinal)?, mark), start, bytes)
    }

    fn compile(&self, kernel: &Kernel, arithmetic: Arithmetic) -> Result<Compiled> {
        let rendered = render(kernel, &self.target())?;
        let (executable, texts, origin) = self.executable(rendered, arithmetic)?;
        Ok(compiled(executable, texts, origin))
    }

    fn compile_all(&self, kernels: &[&Kernel], arithmetic: Arithmetic) -> Result<Vec<Compiled>> {
        self.each(kernels, arithmetic, render)
    }

    fn compile_ahead(&self, kernels: &[&Kernel], arithmetic: Arithmetic) -> Result<Vec<Compiled>> {
        self.each(kernels, arithmetic, render_skipped)
    }

    fn compile_tiles(
        &self,
        kernel: &Kernel,
        pairs: &[(u32, u32)],
        arithmetic: Arithmetic,
    ) -> Result<Option<Compiled>> {
        let rendered = render_tiled(kernel, pairs, &self.target())?;
        rendered.map(|rendered| self.repeated(rendered, pairs, arithmetic)).transpose()
    }

    fn compile_turns(
        &self,
        kernel: &Kernel,
        pairs: &[(u32, u32)],
        arithmetic: Arithmetic,
    ) -> Result<Compiled> {
        if let Some(tiled) = self.compile_tiles(kernel, pairs, arithmetic)? {
            return Ok(tiled);
        }
        let one_by_one = || self.repeated(render(kernel, &self.target())?, pairs, arithmetic);
        let rendered = match render_turns(kernel, pairs, &self.target()) {
            Err(error) if error.is_unsupported() => return one_by_one(),
            rendered => rendered?,
        };
        let threads = rendered.block.iter().product::<u32>();
        let multiprocessors = self.target().multiprocessors;
        let waits = rendered.turns.as_ref().is_some_and(|form| form.barrier == Barrier::Grid);
        if waits && rendered.grid[0] > MOST_WAITING * multiprocessors {
            return one_by_one();
        }
        let (mut executable, texts, origin) = self.executable(rendered, arithmetic)?;
        if waits {
            let shape = &mut executable.shape;
            let together = executable.function.blocks_per_multiprocessor(threads, shape.shared)?;
            shape.grid[0] = shape.grid[0].min(together * multiprocessors);
        }
        let repeated = Repeated { executable, pairs: pairs.to_vec() };
        Ok(compiled(repeated, texts, origin))
    }

    fn takes_turns_together(&self, compiled: &Compiled) -> bool {
        let repeated: Result<&Repeated> = executable_of(compiled);
        repeated.is_ok_and(|Repeated { executable, .. }| {
            executable.at_a_time.is_some() || executable.turns.is_some()
        })
    }

    fn launch_turns(
        &self,
        compiled: &Compiled,
        arguments: &Arguments,
        spares: &[&Buffer],
        turns: u64,
    ) -> Result<u64> {
        let repeated: &Repeated = executable_of(compiled)?;
        let (executable, device) = (&repeated.executable, self.device()?);
        let written: SmallVec<[&Buffer; 8]> =
            arguments.outputs.iter().chain(spares).copied().collect();
        let touched = Touched { read: arguments.inputs, written: &written };
        if let Some(most) = executable.at_a_time {
            let launches = turns.div_ceil(most);
            let kinds = turns::kinds(arguments, spares, &repeated.pairs, launches);
            let bytes = |t: Turn| executable.bytes_for(&t.inputs, &t.outputs, arguments);
            let kinds = kinds.map(bytes);
            return device.in_order(touched, || tiled(executable, kinds, launches, turns));
        }
        let Some(form) = &executable.turns else {
            let turn = |turn: Turn| executable.bytes_for(&turn.inputs, &turn.outputs, arguments);
            let kinds = turns::kinds(arguments, spares, &repeated.pairs, turns).map(turn);
            let (_scratch, kinds) = executable.with_memory(device, kinds)?;
            return device.in_order(touched, || {
                for turn in 0..turns {
                    let argument = &kinds[turns::kind(turn)];
                    // SAFETY: as for one turn; the spare buffers are as long as the outputs.
                    unsafe { executable.function.launch(&executable.shape, argument) }?;
                }
                Ok(turns)
            });
        };
        let mut argument = executable.argument(arguments);
        for (&at, spare) in form.spares.iter().zip(spares) {
            Template::write_address(&mut argument, Some(at), spare.address());
        }
        Template::write_address(&mut argument, Some(form.turns), turns);
        let (_scratch, [argument]) = executable.with_memory(device, [argument])?;
        let together = form.barrier == Barrier::Grid;
        device.in_order(touched, || {
            // SAFETY: as above.
            unsafe { executable.function.launch_all(&executable.shape, &argument, together) }
        })?;
        Ok(1)
    }

    fn launch(&self, compiled: &Compiled, arguments: &Arguments) -> Result<()> {
        let (executable, device): (&Executable, _) = (executable_of(compiled)?, self.device()?);
        // The scratch memory goes back when this returns, in the queue's order.
        let (_scratch, [argument]) =
            executable.with_memory(device, [executable.argument(arguments)])?;
        let touched = Touched { read: arguments.inputs, written: arguments.outputs };
        device.in_order(touched, || {
            // SAFETY: the argument was laid out for this function when it was rendered, and the
            // buffers are this device's, whose queues order their release after the kernel.
            unsafe { executable.function.launch(&executable.shape, &argument) }
        })
    }

    fn series(&self, kernels: Vec<Compiled>) -> Option<Box<dyn Series>> {
        let series = Launches::new(self.device().ok()?, kernels)?;
        Some(Box::new(series))
    }

    fn ahead(&self, kernels: Vec<Compiled>) -> Result<Option<Box<dyn Ahead>>> {
        Ok(Some(Box::new(TurnsAhead::new(self.device()?, kernels)?)))
    }

    fn library(&self, call: &Library) -> Result<Box<dyn LibraryCall>> {
        library::prepare(self.device()?, call)
    }

    fn load(&self, source: &RawSource) -> Result<Arc<dyn RawFunctions>> {
        Ok(Arc::new(RawModule::load(self.device()?, source)?))
    }

    fn epilogues(&self) -> bool {
        true
    }

    fn synchronize(&self) -> Result<()> {
        self.device()?.synchronize()
    }

    fn open_queue(&self) -> Result<u32> {
        self.device()?.open_queue()
    }

    fn close_queue(&self, queue: u32) {
        if let Ok(device) = self.device() {
            device.close_queue(queue);
        }
    }

    fn stamp(&self) -> Option<Stamp> {
        let device = self.device().ok()?;
        device.bind().ok()?;
        Some(Stamp(Box::new(device.queue().stamp().ok()?)))
    }

    fn between(&self, from: &Stamp, to: &Stamp) -> Result<Duration> {
        match (from.0.downcast_ref::<TimedEvent>(), to.0.downcast_ref()) {
            (Some(from), Some(to)) => from.until(to),
            _ => Err(Error::device("a moment of another device")),
        }
    }

    fn memory_use(&self) -> MemoryUse {
        // What was never opened has given nothing out.
        CudaDevice::opened(self.ordinal).map_or_else(MemoryUse::default, |device| {
            let queues = device.every_queue();
            queues.iter().map(|queue| queue.memory.stats()).fold(
                MemoryUse::default(),
                |sum, one| MemoryUse {
                    in_use: sum.in_use + one.in_use,
                    peak: sum.peak + one.peak,
                    cached: sum.cached + one.cached,
                },
            )
        })
    }

    fn synchronize_queue(&self, queue: u32) -> Result<()> {
        let device = self.device()?;
        device.bind()?;
        device.numbered(queue).synchronize()
    }

    fn is_queue_idle(&self, queue: u32) -> Result<bool> {
        let device = self.device()?;
        device.bind()?;
        device.numbered(queue).is_idle()
    }

    fn order_queues(&self, before: u32, after: u32) -> Result<()> {
        let device = self.device()?;
        device.bind()?;
        device.numbered(after).wait_for_all(device.numbered(before))
    }

    fn pin(&self, bytes: usize) -> Result<Buffer> {
        self.device()?.pin(bytes)
    }

    fn write_pinned(&self, host: &Buffer, buffer: &Buffer, bytes: usize) -> Result<()> {
        self.device()?.copy_pinned(buffer, host, bytes, false)
    }

    fn download_pinned(&self, buffer: &Buffer, host: &Buffer, bytes: usize) -> Result<()> {
        self.device()?.copy_pinned(buffer, host, bytes, true)
    }

    fn adopt(&self, foreign: Foreign) -> Result<Buffer> {
        foreign::adopt(self.device()?, foreign)
    }

    fn lend(&self, buffer: &Buffer, stream: Option<RawStream>) -> Result<()> {
        foreign::lend(self.device()?, buffer, stream)
    }

    fn reclaim(&self, buffer: &Buffer, stream: Option<RawStream>) -> Result<()> {
        foreign::reclaim(self.device()?, buffer, stream)
    }

    fn stream_of(&self, queue: u32) -> Result<Option<RawStream>> {
        let handle = self.device()?.numbered(queue).raw_stream();
        // SAFETY: queues live as long as the process, in the device's primary context.
        Ok(Some(unsafe { RawStream::from_handle(handle.cast()) }))
    }

    fn row_capacity(&self) -> usize {
        self.properties.shared_memory_per_block.saturating_sub(FOLD_BYTES)
    }

    fn shared_capacity(&self) -> usize {
        self.properties.shared_memory_per_block
    }

    fn release_caches(&self) {
        if let Ok(device) = self.device() {
            series::release();
            device.release_cached_memory();
        }
    }
}
