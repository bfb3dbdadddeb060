//! The processor as a device.

mod affine;
mod calls;
#[cfg(test)]
mod chain_tests;
mod copy;
pub mod culprit;
mod cuts;
mod draw;
pub mod few;
mod guarded;
mod guards;
mod index_loops;
mod info;
mod interleave;
mod layout;
mod library;
#[cfg(test)]
mod loops_tests;
mod lower;
mod lower_calls;
mod lower_chains;
mod lower_serial;
mod lower_sweeps;
mod memory;
mod moved;
mod nest;
mod over_time;
mod pieces;
mod places;
mod prepare;
mod program;
mod registers;
mod room;
mod run;
mod scan;
mod scratch;
mod serial;
pub mod stacks;
mod states;
mod tiles;
mod turns;
mod unroll;
mod user_scan;
mod worker;

pub use lazuli_inner_loops::{ahead, level};

use self::memory::Heap;
use self::turns::Repeated;
use self::worker::Launch;
use super::{
    Arguments, Arithmetic, Backend, Buffer, Compiled, Device, DeviceInfo, Fill, LibraryCall,
    MemoryUse, Meter, Origin, PIECE, RawFunctions, RawSource, Texts, each_once, fork, pages, pool,
};
use crate::caught::returned;
use crate::dtype::Scalar;
#[cfg(any(test, feature = "testing"))]
use crate::dtype::{DType, with_dtype};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::library::Library;
#[cfg(any(test, feature = "testing"))]
use crate::table::Op;
use rayon::prelude::*;
use smallvec::SmallVec;
use std::any::Any;
use std::sync::Arc;

/// The processor.
pub struct Cpu {
    heap: Arc<Heap>,
}

impl Cpu {
    /// The processor with its pool of threads.
    pub fn new() -> Self {
        Cpu { heap: Arc::new(Heap::default()) }
    }
}

/// Copies the beginning of a buffer to that of another.
fn copy_between(from: &Buffer, to: &Buffer, bytes: usize) {
    assert!(bytes <= from.bytes().min(to.bytes()), "a copy stays inside its buffers");
    // SAFETY: both buffers hold so many bytes of the host's memory, and they are two.
    unsafe { memory::copy(from.address() as *const u8, to.address() as *mut u8, bytes) };
}

/// Refuses a kernel that calls functions which the processor lacks.
fn check_functions(kernel: &Kernel) -> Result<()> {
    let functions = kernel.values.iter().filter_map(|value| value.inst.function());
    functions.into_iter().try_for_each(|function| function.check_device(true))
}

/// What was made of a kernel, with its description and a note on how it runs.
fn described(
    pieces: Arc<prepare::Pieces>,
    note: &'static str,
    executable: Arc<dyn Any + Send + Sync>,
) -> Compiled {
    let texts = move || Texts { source: pieces.text().into(), schedule: pieces.schedule() + note };
    Compiled { texts: Arc::new(texts), executable, origin: Origin::Interpreted, launches: 1 }
}

/// What [`Cpu`] made of a kernel.
fn pieces_of(compiled: &Compiled) -> &prepare::Pieces {
    compiled.executable.downcast_ref().expect("the kernel was compiled here")
}

impl Backend for Cpu {
    fn device(&self) -> Device {
        Device::cpu()
    }

    fn info(&self) -> DeviceInfo {
        info::info()
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer> {
        fork::check()?;
        let address = if bytes == 0 { memory::ALIGN as u64 } else { self.heap.allocate(bytes)? };
        Ok(Buffer::new(address, bytes, self.heap.clone()))
    }

    fn write(&self, bytes: &[u8], buffer: &Buffer) -> Result<()> {
        assert!(bytes.len() <= buffer.bytes(), "an upload stays inside its buffer");
        // SAFETY: the buffer is as long as the slice, does not overlap it, and is the caller's alone.
        unsafe { memory::copy(bytes.as_ptr(), buffer.address() as *mut u8, bytes.len()) };
        Ok(())
    }

    fn upload_pieces(&self, bytes: usize, fill: &mut Fill) -> Result<Buffer> {
        if !pages::are_free(bytes) {
            self.heap.trim();
            if !pages::are_free(bytes) {
                return Err(Error::out_of_memory(format!(
                    "cannot allocate {bytes} bytes: they are not free"
                )));
            }
        }
        let buffer = self.allocate(bytes)?;
        let meter = Meter::start("bytes to the device", bytes as u64);
        for at in (0..bytes).step_by(PIECE) {
            let piece = PIECE.min(bytes - at);
            let address = (buffer.address() as usize + at) as *mut u8;
            // SAFETY: the piece is inside the buffer, which nobody else has yet; the zeros are bytes
            // that may be read.
            let piece = unsafe {
                address.write_bytes(0, piece);
                std::slice::from_raw_parts_mut(address, piece)
            };
            fill(piece)?;
            meter.iter().for_each(|meter| meter.add(piece.len() as u64));
        }
        Ok(buffer)
    }

    fn download(&self, buffer: &Buffer, into: &mut [u8]) -> Result<()> {
        assert!(into.len() <= buffer.bytes(), "a download stays inside its buffer");
        // SAFETY: the buffer holds at least as many bytes as the slice.
        unsafe { memory::copy(buffer.address() as *const u8, into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    fn receive(&self, from: &Buffer, source: Device, start: usize, bytes: usize) -> Result<Buffer> {
        if source.is_cuda() {
            let mut host = vec![0; start + bytes];
            source.backend().download(from, &mut host)?;
            return self.upload(&host[start..]);
        }
        assert!(start + bytes <= from.bytes(), "a copy stays inside its buffer");
        let to = self.allocate(bytes)?;
        // SAFETY: both buffers are so long, and the new one is nobody else's.
        unsafe {
            let from = (from.address() as *const u8).add(start);
            memory::copy(from, to.address() as *mut u8, bytes);
        }
        Ok(to)
    }

    fn pin(&self, bytes: usize) -> Result<Buffer> {
        self.allocate(bytes)
    }

    fn write_pinned(&self, host: &Buffer, buffer: &Buffer, bytes: usize) -> Result<()> {
        copy_between(host, buffer, bytes);
        Ok(())
    }

    fn download_pinned(&self, buffer: &Buffer, host: &Buffer, bytes: usize) -> Result<()> {
        copy_between(buffer, host, bytes);
        Ok(())
    }

    fn compile(&self, kernel: &Kernel, _: Arithmetic) -> Result<Compiled> {
        check_functions(kernel)?;
        let pieces = Arc::new(prepare::prepare(kernel, level::Level::best(), pieces::LEAST));
        Ok(described(pieces.clone(), "", pieces))
    }

    fn compile_all(&self, kernels: &[&Kernel], arithmetic: Arithmetic) -> Result<Vec<Compiled>> {
        let compile = |&kernel: &&Kernel| self.compile(kernel, arithmetic);
        each_once(kernels, |different| match different {
            // No other thread is woken for one.
            [one] => Ok(vec![compile(one)?]),
            several => pool::inside(|| several.par_iter().map(compile).collect()),
        })
    }

    fn compile_turns(
        &self,
        kernel: &Kernel,
        pairs: &[(u32, u32)],
        _: Arithmetic,
    ) -> Result<Compiled> {
        check_functions(kernel)?;
        let repeated = Repeated::new(kernel, pairs);
        Ok(described(repeated.pieces(), repeated.note(), Arc::new(repeated)))
    }

    fn takes_turns_together(&self, compiled: &Compiled) -> bool {
        let repeated: Option<&Repeated> = compiled.executable.downcast_ref();
        repeated.is_some_and(Repeated::takes_turns_apart)
    }

    fn launch_turns(
        &self,
        compiled: &Compiled,
        arguments: &Arguments,
        spares: &[&Buffer],
        turns: u64,
    ) -> Result<u64> {
        let repeated: &Repeated =
            compiled.executable.downcast_ref().expect("the kernel was compiled here");
        returned(|| repeated.run(arguments, spares, turns)).map(|()| 1)
    }

    fn launch(&self, compiled: &Compiled, arguments: &Arguments) -> Result<()> {
        let pieces = pieces_of(compiled);
        let inputs: SmallVec<[*const u8; 8]> =
            arguments.input_addresses().map(|at| at as *const u8).collect();
        let outputs: SmallVec<[*mut u8; 4]> =
            arguments.output_addresses().map(|at| at as *mut u8).collect();
        let scalars = arguments.scalars;
        returned(|| {
            for p in &pieces.0 {
                nest::launch(&Launch { p, inputs: &inputs, outputs: &outputs, scalars })?;
            }
            Ok(())
        })
    }

    fn library(&self, call: &Library) -> Result<Box<dyn LibraryCall>> {
        Ok(Box::new(Careful(library::prepare(call, &self.heap)?)))
    }

    fn load(&self, _: &RawSource) -> Result<Arc<dyn RawFunctions>> {
        Err(Error::unsupported("CUDA code does not run on the processor: it needs a GPU"))
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn row_capacity(&self) -> usize {
        256 << 10
    }

    fn memory_use(&self) -> MemoryUse {
        self.heap.memory_use()
    }

    fn pieces_from(&self) -> Option<usize> {
        Some(pieces::LEAST)
    }

    fn release_caches(&self) {
        self.heap.trim();
    }
}

/// A library call, of which a part that fails on any thread is the caller's error.
struct Careful(Box<dyn LibraryCall>);

impl LibraryCall for Careful {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()> {
        returned(|| self.0.run(inputs, outputs, scalars))
    }

    fn run_last(&self, inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()> {
        returned(|| self.0.run_last(inputs, outputs, scalars))
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}

/// The value of an operation for one element, in compute types.
#[cfg(any(test, feature = "testing"))]
pub fn evaluate(op: Op, args: &[Scalar]) -> Scalar {
    evaluate_as(op, args, args[op.principal()].dtype())
}

/// The value of an operation for one element of a type, in and out of its compute type.
#[cfg(any(test, feature = "testing"))]
pub fn evaluate_as(op: Op, args: &[Scalar], dtype: DType) -> Scalar {
    let level = level::Level::Baseline;
    let run = lazuli_inner_loops::operations::half_fn(op, dtype, level)
        .or_else(|| lazuli_inner_loops::operations::op_fn(op, dtype.compute(), level))
        .expect("the op has this type");
    let mut operands = [lazuli_inner_loops::operations::Arg::near(std::ptr::null(), false); 3];
    for (operand, arg) in operands.iter_mut().zip(args) {
        operand.ptr = arg.bytes().as_ptr();
    }
    with_dtype!(op.result(dtype.compute()), R => {
        let mut result = R::default();
        // SAFETY: each operand is one element of its type, and the result has room for one.
        unsafe { run((&raw mut result).cast(), &operands, 1) };
        Scalar::new(result)
    })
}

#[cfg(test)]
mod tests;
