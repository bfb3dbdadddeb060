//! Random numbers by cuRAND.

use super::super::device::CudaDevice;
use super::load;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::library::random::{Generate, Kind, Variate};
use cudarc::curand::sys;
use parking_lot::Mutex;

/// A draw with its generator. A seed and an offset are set anew for each run, so that a draw
/// gives the same numbers whatever ran before it.
struct Draw {
    device: &'static CudaDevice,
    call: Generate,
    generator: Mutex<Handle>,
}

/// A generator of cuRAND's, and the seed that it has.
struct Handle {
    generator: sys::curandGenerator_t,
    seed: Option<u64>,
}

// SAFETY: the pointer is one holder's at a time: it stands behind a lock.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the generator was made once and is destroyed once; cuRAND waits for its work.
        let _ = unsafe { sys::curandDestroyGenerator(self.generator) };
    }
}

/// Makes a draw ready.
pub(super) fn generate(
    device: &'static CudaDevice,
    call: &Generate,
) -> Result<Box<dyn LibraryCall>> {
    load("curand")?;
    use sys::curandRngType as Type;
    let kind = match call.kind {
        Kind::Xorwow => Type::CURAND_RNG_PSEUDO_XORWOW,
        Kind::Mrg32k3a => Type::CURAND_RNG_PSEUDO_MRG32K3A,
        Kind::Philox => Type::CURAND_RNG_PSEUDO_PHILOX4_32_10,
        Kind::Sobol32 => Type::CURAND_RNG_QUASI_SOBOL32,
        Kind::ScrambledSobol32 => Type::CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
        Kind::Sobol64 => Type::CURAND_RNG_QUASI_SOBOL64,
        Kind::ScrambledSobol64 => Type::CURAND_RNG_QUASI_SCRAMBLED_SOBOL64,
    };
    let mut generator = std::ptr::null_mut();
    // SAFETY: the pointer takes the generator.
    done("start", unsafe { sys::curandCreateGenerator(&raw mut generator, kind) })?;
    let handle = Handle { generator, seed: None };
    // SAFETY: the generator is alive, and the stream lives as long as the device.
    unsafe {
        done("take a stream", sys::curandSetStream(generator, device.raw_stream().cast()))?;
        if call.kind.is_quasi() {
            let status = sys::curandSetQuasiRandomGeneratorDimensions(generator, call.dims);
            done("take the dimensions", status)?;
        } else {
            // The order that is the same on every GPU, and the one that the processor has too.
            let legacy = sys::curandOrdering::CURAND_ORDERING_PSEUDO_LEGACY;
            done("take an order", sys::curandSetGeneratorOrdering(generator, legacy))?;
        }
    }
    Ok(Box::new(Draw { device, call: call.clone(), generator: Mutex::new(handle) }))
}

impl LibraryCall for Draw {
    fn run(&self, _inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()> {
        self.device.bind()?;
        let whole = |k: usize| scalars[k].get::<u64>().unwrap_or_default();
        let real = |k: usize| scalars[k].get::<f64>().unwrap_or_default();
        let (seed, offset, a, b) = (whole(0), whole(1), real(2), real(3));
        let mut handle = self.generator.lock();
        let generator = handle.generator;
        if !self.call.kind.is_quasi() && handle.seed != Some(seed) {
            // SAFETY: the generator is alive.
            let status = unsafe { sys::curandSetPseudoRandomGeneratorSeed(generator, seed) };
            done("take a seed", status)?;
            handle.seed = Some(seed);
        }
        // SAFETY: the generator is alive.
        done("move to an offset", unsafe { sys::curandSetGeneratorOffset(generator, offset) })?;
        let (to, n) = (outputs[0].address(), self.call.len);
        let single = self.call.dtype == DType::F32;
        // SAFETY: the output has room for `n` numbers of the type, and the stream orders its
        // release after the call.
        let status = unsafe {
            match self.call.variate {
                Variate::Bits if self.call.dtype == DType::U64 => {
                    sys::curandGenerateLongLong(generator, to as *mut _, n)
                }
                Variate::Bits => sys::curandGenerate(generator, to as *mut _, n),
                Variate::Uniform if single => {
                    sys::curandGenerateUniform(generator, to as *mut _, n)
                }
                Variate::Uniform => sys::curandGenerateUniformDouble(generator, to as *mut _, n),
                Variate::Normal if single => {
                    sys::curandGenerateNormal(generator, to as *mut _, n, a as f32, b as f32)
                }
                Variate::Normal => {
                    sys::curandGenerateNormalDouble(generator, to as *mut _, n, a, b)
                }
                Variate::Lognormal if single => {
                    sys::curandGenerateLogNormal(generator, to as *mut _, n, a as f32, b as f32)
                }
                Variate::Lognormal => {
                    sys::curandGenerateLogNormalDouble(generator, to as *mut _, n, a, b)
                }
                Variate::Poisson => sys::curandGeneratePoisson(generator, to as *mut _, n, a),
            }
        };
        done("generate", status)
    }

    fn describe(&self) -> String {
        format!("cuRAND {}", self.call.kind.name())
    }
}

/// What cuRAND says in the crate's terms.
fn done(doing: &str, status: sys::curandStatus) -> Result<()> {
    use sys::curandStatus as Status;
    let message = || format!("cuRAND, to {doing}: {status:?}");
    match status {
        Status::CURAND_STATUS_SUCCESS => Ok(()),
        Status::CURAND_STATUS_ALLOCATION_FAILED => Err(Error::out_of_memory(message())),
        Status::CURAND_STATUS_TYPE_ERROR | Status::CURAND_STATUS_DOUBLE_PRECISION_REQUIRED => {
            Err(Error::unsupported(message()))
        }
        _ => Err(Error::device(message())),
    }
}
