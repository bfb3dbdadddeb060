//! A CUDA device as a [`Backend`]: kernels are rendered, compiled or found, and launched.

use super::compile::{CompileOptions, in_parallel};
use super::device::{CudaDevice, Properties};
use super::foreign;
use super::launch::{Function, LaunchShape};
use super::library;
use super::raw::RawModule;
use super::render::{ENTRY, Rendered, Target, Template, render};
use crate::backend::{
    Arguments, Arithmetic, Backend, Buffer, Compiled, DeviceInfo, Fill, Foreign, LibraryCall,
    PIECE, RawFunctions, RawSource, RawStream, Texts, Touched, each_once,
};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::library::Library;
use smallvec::SmallVec;
use std::sync::Arc;

/// What a block's shared memory must leave for the folds of reductions.
const FOLD_BYTES: usize = 4 << 10;

/// One GPU. It is opened when it is first used.
pub(crate) struct Cuda {
    ordinal: usize,
    properties: Properties,
}

impl Cuda {
    /// The GPU with these properties.
    pub(crate) fn new(properties: Properties) -> Self {
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

/// A compiled kernel with everything of its launch but addresses and scalars.
struct Executable {
    function: Arc<Function>,
    shape: LaunchShape,
    template: Template,
    scratch_bytes: usize,
    counters: usize,
}

impl Executable {
    fn new(function: Arc<Function>, rendered: Rendered) -> Self {
        let (grid, block) = (rendered.grid, rendered.block);
        Executable {
            function,
            shape: LaunchShape { grid, block, shared: rendered.shared_bytes },
            template: rendered.template,
            scratch_bytes: rendered.scratch_bytes,
            counters: rendered.counters,
        }
    }

    /// The bytes of the argument for these buffers and scalars.
    fn argument(&self, arguments: &Arguments) -> SmallVec<[u8; 512]> {
        let template = &self.template;
        let mut bytes = SmallVec::from_slice(&template.bytes);
        for (address, at) in arguments.input_addresses().zip(&template.inputs) {
            Template::write_address(&mut bytes, *at, address);
        }
        for (address, at) in arguments.output_addresses().zip(&template.outputs) {
            Template::write_address(&mut bytes, *at, address);
        }
        for (scalar, at) in arguments.scalars.iter().zip(&template.scalars) {
            if let Some(at) = at {
                Template::write_scalar(&mut bytes, *at, scalar);
            }
        }
        bytes
    }
}

impl Backend for Cuda {
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
        for at in (0..bytes).step_by(PIECE) {
            let piece = &mut piece[..PIECE.min(bytes - at)];
            fill(piece)?;
            let touched = Touched { read: &[], written: &[&buffer] };
            device.in_order(touched, || device.copy_to_device(piece, &buffer, at))?;
        }
        Ok(buffer)
    }

    fn download(&self, buffer: &Buffer, into: &mut [u8]) -> Result<()> {
        let device = self.device()?;
        let touched = Touched { read: &[buffer], written: &[] };
        device.in_order(touched, || device.copy_to_host(buffer, 0, into))
    }

    fn compile(&self, kernel: &Kernel, arithmetic: Arithmetic) -> Result<Compiled> {
        let rendered = render(kernel, &self.target())?;
        let options = CompileOptions::of(arithmetic);
        let (function, origin) =
            self.device()?.function_of_body(&rendered.body, ENTRY, &options)?;
        let schedule = rendered.schedule.clone();
        let body: Arc<str> = rendered.body.as_str().into();
        Ok(Compiled {
            texts: Arc::new(move || Texts { source: body.clone(), schedule: schedule.clone() }),
            executable: Arc::new(Executable::new(function, rendered)),
            origin,
            launches: 1,
        })
    }

    fn compile_all(&self, kernels: &[&Kernel], arithmetic: Arithmetic) -> Result<Vec<Compiled>> {
        each_once(kernels, |kernels| {
            in_parallel(kernels, |kernel| self.compile(kernel, arithmetic))
        })
    }

    fn launch(&self, compiled: &Compiled, arguments: &Arguments) -> Result<()> {
        let executable: &Executable = compiled
            .executable
            .downcast_ref()
            .ok_or_else(|| Error::device("a kernel of another device".to_string()))?;
        let device = self.device()?;
        let template = &executable.template;
        let mut argument = executable.argument(arguments);
        // The scratch memory goes back when this returns, in the queue's order.
        let scratch = match executable.scratch_bytes {
            0 => None,
            bytes => Some(device.allocate(bytes)?),
        };
        let address = scratch.as_ref().map_or(0, Buffer::address);
        Template::write_address(&mut argument, template.scratch, address);
        if executable.counters > 0 {
            let counters = device.counters(executable.counters)?;
            Template::write_address(&mut argument, template.counters, counters);
        }
        let touched = Touched { read: arguments.inputs, written: arguments.outputs };
        device.in_order(touched, || {
            // SAFETY: the argument was laid out for this function when it was rendered, and the
            // buffers are this device's, whose queues order their release after the kernel.
            unsafe { executable.function.launch(&executable.shape, &argument) }
        })
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
            device.release_cached_memory();
        }
    }
}
