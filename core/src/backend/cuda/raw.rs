//! Code that users wrote: compiled or loaded as it is, and launched by name.

use super::cache::{disk_key, users_key};
use super::compile::{Arch, CompileOptions, compile_for_device, compile_users};
use super::device::CudaDevice;
use super::launch::{Function, LaunchShape, Module};
use super::prelude::with_whole_prelude;
use crate::backend::{RawArg, RawFunctions, RawShape, RawSource, Touched};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::sync::Arc;

/// A function with the sizes of its parameters, where they are known.
struct Known {
    function: Function,
    sizes: Option<Vec<usize>>,
}

/// A loaded module and the functions of it that were asked for.
pub(super) struct RawModule {
    device: &'static CudaDevice,
    module: Arc<Module>,
    functions: Mutex<FxHashMap<String, Arc<Known>>>,
}

impl RawModule {
    /// Compiles and loads.
    pub(super) fn load(device: &'static CudaDevice, source: &RawSource) -> Result<Self> {
        let module = match source {
            RawSource::Cuda { code, options, prelude } => compiled(device, code, options, *prelude),
            RawSource::Ptx(text) => {
                let mut image = text.trim_end_matches('\0').as_bytes().to_vec();
                image.push(0);
                Module::load(device, &image)
            }
            RawSource::Cubin(image) => {
                check_cubin(image)?;
                Module::load(device, image)
            }
        };
        Ok(RawModule { device, module: Arc::new(module?), functions: Mutex::default() })
    }

    fn function(&self, name: &str) -> Result<Arc<Known>> {
        let mut functions = self.functions.lock();
        if let Some(known) = functions.get(name) {
            return Ok(known.clone());
        }
        let function = self.module.function(name).map_err(|e| {
            Error::compile(format!(
                "{e}; a kernel is found by its name where it is `extern \"C\" __global__`"
            ))
        })?;
        let known = Arc::new(Known { sizes: function.parameter_sizes(), function });
        functions.insert(name.to_string(), known.clone());
        Ok(known)
    }
}

/// The driver reads as far as a cubin's own tables say, so at least its beginning must be one.
fn check_cubin(image: &[u8]) -> Result<()> {
    let wrapped = image.starts_with(&[0x50, 0xed, 0x55, 0xba]);
    if image.len() < 64 || !(image.starts_with(b"\x7fELF") || wrapped) {
        return Err(Error::compile("the bytes are neither a cubin nor a fat binary"));
    }
    Ok(())
}

fn compiled(
    device: &'static CudaDevice,
    code: &str,
    options: &[String],
    prelude: bool,
) -> Result<Module> {
    let load = |image: &[u8]| Module::load(device, image);
    let arch = device.info().arch;
    let whole = if prelude { with_whole_prelude(code) } else { code.to_string() };
    let plain = CompileOptions::default();
    let own = prelude && options.is_empty();
    let all = users_options(options, prelude);
    let compile = |arch: Arch| match own {
        true => compile_for_device(&whole, arch, &plain),
        false => compile_users(&whole, arch, &all),
    };
    // What a header holds is not known here, so what includes one is compiled each time.
    if code.contains("#include") || options.iter().any(|o| o.contains("include")) {
        return load(&compile(arch)?);
    }
    let key = match own {
        true => disk_key(&whole, arch, &plain),
        false => users_key(&whole, arch, &all),
    };
    Ok(device.kernels().through_disk(&key, compile, load)?.0)
}

fn users_options(options: &[String], prelude: bool) -> Vec<String> {
    let mut all = options.to_vec();
    if prelude {
        all.extend(["-default-device", "-w"].map(String::from));
    }
    all
}

impl Known {
    /// Whether the arguments are what the function takes, as far as that can be told.
    fn check(&self, name: &str, args: &[RawArg]) -> Result<()> {
        let Some(sizes) = &self.sizes else { return Ok(()) };
        if sizes.len() != args.len() {
            return Err(Error::shape(format!(
                "{name} takes {} arguments, and {} were given",
                sizes.len(),
                args.len()
            )));
        }
        for (k, (&size, arg)) in sizes.iter().zip(args).enumerate() {
            let given = match arg {
                RawArg::Buffer(_) => 8,
                RawArg::Bytes(bytes) => bytes.len(),
            };
            if given != size {
                return Err(Error::shape(format!(
                    "argument {k} of {name} has {size} bytes, and one of {given} was given"
                )));
            }
        }
        Ok(())
    }
}

impl RawFunctions for RawModule {
    fn find(&self, name: &str) -> Result<()> {
        self.function(name).map(|_| ())
    }

    unsafe fn launch(
        &self,
        name: &str,
        shape: &RawShape,
        args: &[RawArg],
        touched: Touched,
    ) -> Result<()> {
        let known = self.function(name)?;
        known.check(name, args)?;
        let address = |arg: &RawArg| match arg {
            RawArg::Buffer(buffer) => buffer.address(),
            RawArg::Bytes(_) => 0,
        };
        let mut addresses: SmallVec<[u64; 8]> = args.iter().map(address).collect();
        let pointer = |(arg, address): (&RawArg, &mut u64)| match arg {
            RawArg::Buffer(_) => std::ptr::from_mut(address).cast::<c_void>(),
            RawArg::Bytes(bytes) => bytes.as_ptr().cast_mut().cast(),
        };
        let mut parameters: SmallVec<[*mut c_void; 8]> =
            args.iter().zip(&mut addresses).map(pointer).collect();
        let shape = LaunchShape { grid: shape.grid, block: shape.block, shared: shape.shared };
        self.device.in_order(touched, || {
            // SAFETY: the parameters have the sizes that the function asks for, and the caller
            // vouches for what it does; buffers are released in their queues' order, after it.
            unsafe { known.function.launch_with(&shape, &mut parameters) }
        })
    }
}

#[cfg(test)]
#[path = "raw_tests.rs"]
mod tests;
