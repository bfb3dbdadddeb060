//! Library calls on NVIDIA GPUs: cuBLASLt, cuSOLVER and their like, each loaded when it is first
//! needed, but for cuBLASLt, which is loaded while the device is opened.
//!
//! A call is made ready once for each queue that runs it, since plans and generators have memory of
//! their own: handles, descriptors, sizes of work spaces. That is done without the evaluator's lock
//! ([`Turn`]), and kept with the plan. A run allocates its work space, which goes back in its
//! queue's order. cuBLASLt is large and so is loaded in the background.

mod batched;
mod count;
mod factor;
mod fft;
mod items;
mod jacobi;
mod linalg;
mod lt;
mod random;
mod sizes;
mod solver;
mod sort;

use super::device::CudaDevice;
use super::dylib;
use crate::backend::{Buffer, LibraryCall, Touched};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::library::Library;
use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};

/// Makes a call ready.
pub(super) fn prepare(device: &'static CudaDevice, call: &Library) -> Result<Box<dyn LibraryCall>> {
    let (queue, first) = (device.queue().number(), ready(device, call)?);
    Ok(Box::new(Call { device, call: call.clone(), queue, first, others: Mutex::default() }))
}

/// A call for each queue that it was run on: handles and plans are bound to a stream, and some
/// have memory of their own.
struct Call {
    device: &'static CudaDevice,
    call: Library,
    /// The queue for which it was made ready, and the call.
    queue: u32,
    first: Box<dyn LibraryCall>,
    others: Mutex<Others>,
}

/// The calls for other queues, by their numbers.
type Others = SmallVec<[(u32, Arc<dyn LibraryCall>); 2]>;

impl Call {
    /// Runs the call of the current queue, in order with what others do with the buffers.
    #[inline]
    fn with(&self, touched: Touched, run: impl Fn(&dyn LibraryCall) -> Result<()>) -> Result<()> {
        let queue = self.device.queue().number();
        if queue == self.queue {
            let _turn = Turn::of(&self.call);
            return self.device.in_order(touched, || run(&*self.first));
        }
        let call = self.other(queue)?;
        let _turn = Turn::of(&self.call);
        self.device.in_order(touched, || run(&*call))
    }

    fn other(&self, queue: u32) -> Result<Arc<dyn LibraryCall>> {
        let mut others = self.others.lock();
        if let Some((_, call)) = others.iter().find(|other| other.0 == queue) {
            return Ok(call.clone());
        }
        let call: Arc<dyn LibraryCall> = ready(self.device, &self.call)?.into();
        others.push((queue, call.clone()));
        Ok(call)
    }
}

impl LibraryCall for Call {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()> {
        let touched = Touched { read: inputs, written: outputs };
        self.with(touched, |call| call.run(inputs, outputs, scalars))
    }

    fn run_last(&self, inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()> {
        // The first input may be overwritten, too.
        let written: SmallVec<[&Buffer; 8]> =
            outputs.iter().chain(inputs.first()).copied().collect();
        let touched = Touched { read: inputs, written: &written };
        self.with(touched, |call| call.run_last(inputs, outputs, scalars))
    }

    fn describe(&self) -> String {
        self.first.describe()
    }
}

/// The turn of a thread with the handles of cuSOLVER and cuBLAS, which no two threads may use at a
/// time. Evaluations run one at a time, but calls are made ready without the evaluator's lock, and
/// that asks the library for sizes.
struct Turn {
    _held: Option<MutexGuard<'static, ()>>,
}

impl Turn {
    /// Waits for the turn, where a call needs one.
    fn of(call: &Library) -> Turn {
        static HANDLES: Mutex<()> = Mutex::new(());
        Turn { _held: matches!(call, Library::Factor(_)).then(|| HANDLES.lock()) }
    }
}

/// Makes a call ready for the current queue.
fn ready(device: &'static CudaDevice, call: &Library) -> Result<Box<dyn LibraryCall>> {
    let _turn = Turn::of(call);
    device.bind()?;
    match call {
        Library::Matmul(call) => linalg::matmul(device, &call.folded()),
        Library::Fft(call) => fft::transform(device, call),
        Library::Sort(call) => sort::prepare(device, call),
        Library::Factor(call) => factor::factor(device, call),
        Library::Count(call) => count::count(device, call),
        Library::Generate(call) => random::generate(device, call),
        Library::Items(call) => items::items(device, call),
        Library::Turns(_) => unreachable!("an evaluation runs a loop turn by turn"),
    }
}

/// The handles of a queue, each made when it is first needed.
#[derive(Default)]
pub(super) struct Handles {
    lt: OnceLock<Result<lt::Lt>>,
    solver: OnceLock<Result<solver::Solver>>,
    blas: OnceLock<Result<solver::Blas>>,
}

impl Handles {
    fn lt(&self) -> Result<&lt::Lt> {
        self.lt.get_or_init(lt::Lt::new).as_ref().map_err(Clone::clone)
    }

    fn solver(&self, device: &CudaDevice) -> Result<&solver::Solver> {
        let solver = self.solver.get_or_init(|| solver::Solver::new(device));
        solver.as_ref().map_err(Clone::clone)
    }

    fn blas(&self, device: &CudaDevice) -> Result<&solver::Blas> {
        self.blas.get_or_init(|| solver::Blas::new(device)).as_ref().map_err(Clone::clone)
    }
}

/// Loads the library of products in the background. It is large: a process's first product would
/// wait for it for longer than a new context takes, while the device is opened beside it.
pub(super) fn preload() {
    // Where there is no thread, or no library, the first product says so.
    let _ = std::thread::Builder::new().name("lazuli-preload".into()).spawn(|| load("cublasLt"));
}

/// Finds and loads a CUDA library by its plain name, `cublasLt` say, for good: cudarc's bindings,
/// which would panic without it, then find it loaded.
///
/// # Errors
/// Where the library is not on this machine.
fn load(name: &'static str) -> Result<&'static libloading::Library> {
    static LOADED: Mutex<Vec<(&'static str, &'static libloading::Library)>> =
        Mutex::new(Vec::new());
    let mut loaded = LOADED.lock();
    if let Some((_, library)) = loaded.iter().find(|l| l.0 == name) {
        return Ok(library);
    }
    let Some(library) = dylib::open(name) else {
        return Err(Error::device(format!("the CUDA library {name} was not found")));
    };
    let library: &'static _ = Box::leak(Box::new(library));
    loaded.push((name, library));
    Ok(library)
}
