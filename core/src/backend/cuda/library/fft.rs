//! Fourier transforms by cuFFT.

use super::super::device::CudaDevice;
use super::super::driver::Doing;
use super::load;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::library::fft::{Fft, Kind, half};
use cudarc::cufft::result::{self, CufftError};
use cudarc::cufft::sys::{self, cufftResult, cufftType};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::{Arc, LazyLock};

// cudarc links CUDA's libraries for candle, but for this one.
#[cfg(feature = "candle-cuda")]
#[link(name = "cufft")]
unsafe extern "C" {
    fn cufftGetVersion(version: *mut std::ffi::c_int) -> cufftResult;
}

/// A use of the library, without which linkers leave it out.
#[cfg(feature = "candle-cuda")]
#[used]
static LINKED: unsafe extern "C" fn(*mut std::ffi::c_int) -> cufftResult = cufftGetVersion;

/// Makes a plan, or finds the queue's plan for the same transform.
///
/// # Errors
/// Where there is no cuFFT, or it cannot make the plan.
pub(super) fn transform(device: &'static CudaDevice, fft: &Fft) -> Result<Box<dyn LibraryCall>> {
    load("cufft")?;
    let key = (device.info().ordinal, device.queue().number(), fft.clone());
    let mut plans = PLANS.lock();
    plans.turn += 1;
    let turn = plans.turn;
    let plan = match plans.made.get_mut(&key) {
        Some((plan, used)) => {
            *used = turn;
            plan.clone()
        }
        None => {
            let plan = Arc::new(Plan::new(device, fft)?);
            plans.keep(key, plan.clone());
            plan
        }
    };
    Ok(Box::new(Transform { device, fft: fft.clone(), plan }))
}

/// A transform with its plan on a device.
struct Transform {
    device: &'static CudaDevice,
    fft: Fft,
    plan: Arc<Plan>,
}

impl LibraryCall for Transform {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        self.device.bind()?;
        // The copy goes back when this returns, in stream order.
        match self.overwrites_its_input() {
            true => self.execute(&self.copy(inputs[0])?, outputs[0]),
            false => self.execute(inputs[0], outputs[0]),
        }
    }

    fn run_last(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        self.device.bind()?;
        self.execute(inputs[0], outputs[0])
    }

    fn describe(&self) -> String {
        let Fft { kind, outer, lens, inner, double } = &self.fft;
        let name = match (kind, double) {
            (Kind::RealForward, false) => "R2C",
            (Kind::RealForward, true) => "D2Z",
            (Kind::RealInverse, false) => "C2R",
            (Kind::RealInverse, true) => "Z2D",
            (_, false) => "C2C",
            (_, true) => "Z2Z",
        };
        format!("cuFFT {name} of {:?}, batch {}", &lens[..], outer * inner)
    }
}

impl Transform {
    /// Runs the plan, with a work area that goes back when this returns, in stream order.
    fn execute(&self, input: &Buffer, output: &Buffer) -> Result<()> {
        let work = match self.plan.work_bytes {
            0 => None,
            bytes => Some(self.device.allocate(bytes)?),
        };
        self.plan.set_work_area(work.as_ref().map_or(0, Buffer::address))?;
        let calls = if self.fft.inner > 1 { self.fft.outer } else { 1 };
        let step = |(len, dtype): (usize, DType)| (len / calls * dtype.size()) as u64;
        let (from, to) = (step(self.fft.input()), step(self.fft.output()));
        for call in 0..calls as u64 {
            let target = output.address() + call * to;
            self.plan.execute(self.fft.kind, input.address() + call * from, target)?;
        }
        Ok(())
    }

    /// Whether cuFFT uses the input of this transform as scratch memory.
    fn overwrites_its_input(&self) -> bool {
        self.fft.kind == Kind::RealInverse && self.fft.lens.len() > 1
    }

    fn copy(&self, input: &Buffer) -> Result<Buffer> {
        let copy = self.device.allocate(input.bytes())?;
        let stream = self.device.raw_stream();
        // SAFETY: both are live buffers of this device and of the same length.
        let copied = unsafe {
            cudarc::driver::result::memcpy_dtod_async(
                copy.address(),
                input.address(),
                input.bytes(),
                stream,
            )
        };
        copied.doing("copy a spectrum")?;
        Ok(copy)
    }
}

/// A plan of cuFFT. Evaluations run one at a time, and so do the uses of a plan.
struct Plan {
    handle: sys::cufftHandle,
    /// The kind of plan, by cuFFT's name.
    which: cufftType,
    work_bytes: usize,
    /// The work area that the plan was told last.
    work_area: Mutex<Option<u64>>,
}

impl Plan {
    fn new(device: &'static CudaDevice, fft: &Fft) -> Result<Plan> {
        let handle = result::create().doing("make a plan of cuFFT")?;
        let mut plan =
            Plan { handle, which: which(fft), work_bytes: 0, work_area: Mutex::new(None) };
        let stream = device.raw_stream();
        // SAFETY: the handle is new, and the stream lives as long as the process.
        unsafe {
            result::set_auto_allocation(handle, false).doing("set up a plan of cuFFT")?;
            result::set_stream(handle, stream.cast()).doing("set the stream of a plan")?;
        }
        plan.work_bytes = plan.make(fft).doing(&format!("plan {fft:?}"))?;
        Ok(plan)
    }

    /// Lays the plan out and gives the bytes of its work area.
    fn make(&self, fft: &Fft) -> std::result::Result<usize, CufftError> {
        let mut lens: SmallVec<[i64; 3]> = fft.lens.iter().map(|&n| n as i64).collect();
        let last = lens.len() - 1;
        let halved = half(fft.lens[last]) as i64;
        let (mut from, mut to) = (lens.clone(), lens.clone());
        match fft.kind {
            Kind::RealForward => to[last] = halved,
            Kind::RealInverse => from[last] = halved,
            Kind::Forward | Kind::Inverse => {}
        }
        let whole = |lens: &[i64]| lens.iter().product::<i64>();
        let (stride, from_dist, to_dist, batch) = match fft.inner {
            1 => (1, whole(&from), whole(&to), fft.outer as i64),
            inner => (inner as i64, 1, 1, inner as i64),
        };
        // SAFETY: the handle is a plan that was not made yet, and the lists have its rank.
        unsafe {
            result::make_plan_many64(
                self.handle,
                lens.len() as i32,
                lens.as_mut_ptr(),
                from.as_mut_ptr(),
                stride,
                from_dist,
                to.as_mut_ptr(),
                stride,
                to_dist,
                self.which,
                batch,
            )
        }
    }

    fn set_work_area(&self, address: u64) -> Result<()> {
        let mut known = self.work_area.lock();
        if self.work_bytes == 0 || *known == Some(address) {
            return Ok(());
        }
        // SAFETY: the area is as large as the plan asked for; the stream orders its release.
        unsafe { result::set_work_area(self.handle, address as *mut _) }
            .doing("set the work area of a plan")?;
        *known = Some(address);
        Ok(())
    }

    fn execute(&self, kind: Kind, from: u64, to: u64) -> Result<()> {
        let direction = if kind == Kind::Inverse { INVERSE } else { FORWARD };
        let plan = self.handle;
        // SAFETY: the plan has been made, and the arrays are this device's, of the lengths of
        // the transform that the plan was made for.
        let done = unsafe {
            match self.which {
                cufftType::CUFFT_R2C => result::exec_r2c(plan, from as *mut _, to as *mut _),
                cufftType::CUFFT_C2R => result::exec_c2r(plan, from as *mut _, to as *mut _),
                cufftType::CUFFT_D2Z => result::exec_d2z(plan, from as *mut _, to as *mut _),
                cufftType::CUFFT_Z2D => result::exec_z2d(plan, from as *mut _, to as *mut _),
                cufftType::CUFFT_C2C => {
                    result::exec_c2c(plan, from as *mut _, to as *mut _, direction)
                }
                cufftType::CUFFT_Z2Z => {
                    result::exec_z2z(plan, from as *mut _, to as *mut _, direction)
                }
            }
        };
        done.doing("run a Fourier transform")
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: the handle was made by `create` and is destroyed once. A failure leaves
        // nothing that could be done.
        let _ = unsafe { result::destroy(self.handle) };
    }
}

fn which(fft: &Fft) -> cufftType {
    match (fft.kind, fft.double) {
        (Kind::RealForward, false) => cufftType::CUFFT_R2C,
        (Kind::RealForward, true) => cufftType::CUFFT_D2Z,
        (Kind::RealInverse, false) => cufftType::CUFFT_C2R,
        (Kind::RealInverse, true) => cufftType::CUFFT_Z2D,
        (Kind::Forward | Kind::Inverse, false) => cufftType::CUFFT_C2C,
        (Kind::Forward | Kind::Inverse, true) => cufftType::CUFFT_Z2Z,
    }
}

/// The directions of complex transforms, by the numbers of cuFFT's header.
const FORWARD: i32 = -1;
/// See [`FORWARD`].
const INVERSE: i32 = 1;

/// A device, one of its queues, and a transform.
type Key = (usize, u32, Fft);

/// The plans of all devices, with the turn at which each was last used.
#[derive(Default)]
struct Plans {
    made: FxHashMap<Key, (Arc<Plan>, u64)>,
    turn: u64,
}

static PLANS: LazyLock<Mutex<Plans>> = LazyLock::new(Mutex::default);

/// The most plans that are kept: a plan holds some memory of the device.
const MOST_PLANS: usize = 128;

impl Plans {
    fn keep(&mut self, key: Key, plan: Arc<Plan>) {
        if self.made.len() >= MOST_PLANS {
            let oldest = self.made.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                self.made.remove(&key);
            }
        }
        self.made.insert(key, (plan, self.turn));
    }
}

impl<T> Doing<T> for std::result::Result<T, CufftError> {
    fn doing(self, what: &str) -> Result<T> {
        self.map_err(|CufftError(code)| match code {
            cufftResult::CUFFT_ALLOC_FAILED => {
                Error::out_of_memory(format!("{what}: cuFFT has no memory ({code:?})"))
            }
            _ => Error::device(format!("{what}: cuFFT failed ({code:?})")),
        })
    }
}
