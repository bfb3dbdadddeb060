//! A loaded kernel function and its launch.

use std::ffi::{CString, c_void};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::{result, sys};

use super::device::CudaDevice;
use super::driver::Doing;
use crate::error::{Error, Result};

/// Above this many bytes, dynamic shared memory has to be asked for once before a launch.
const SHARED_WITHOUT_ASKING: u32 = 48 << 10;

/// A loaded module, unloaded on drop.
pub(super) struct Module {
    device: &'static CudaDevice,
    module: sys::CUmodule,
}

// SAFETY: modules are handles that the driver allows any thread to use.
unsafe impl Send for Module {}
// SAFETY: as above; there is no state of ours.
unsafe impl Sync for Module {}

impl Module {
    /// Loads an image: a whole cubin, or PTX with its closing NUL.
    pub(super) fn load(device: &'static CudaDevice, image: &[u8]) -> Result<Self> {
        device.bind()?;
        // SAFETY: the caller passes a whole image.
        let module = unsafe { result::module::load_data(image.as_ptr().cast()) }
            .doing("load a kernel's module")?;
        Ok(Self { device, module })
    }

    /// The function of that name, which keeps the module loaded.
    pub(super) fn function(self: &Arc<Self>, entry: &str) -> Result<Function> {
        self.device.bind()?;
        let name = CString::new(entry)
            .map_err(|_| Error::compile(format!("{entry:?} is no kernel name")))?;
        // SAFETY: the module is loaded.
        let function = unsafe { result::module::get_function(self.module, name) }
            .doing(&format!("find the kernel {entry}"))?;
        Ok(Function {
            device: self.device,
            _module: self.clone(),
            function,
            name: entry.to_string(),
            all_shared_allowed: AtomicBool::new(false),
        })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // Launched work may still need the code.
        if self.device.synchronize().is_ok() {
            // SAFETY: the module was loaded once and is unloaded only here.
            let _ = unsafe { result::module::unload(self.module) };
        }
    }
}

/// A function of a loaded module.
pub struct Function {
    device: &'static CudaDevice,
    /// What must stay loaded.
    _module: Arc<Module>,
    function: sys::CUfunction,
    name: String,
    /// Whether all of a block's shared memory was asked for.
    all_shared_allowed: AtomicBool,
}

// SAFETY: modules and functions are handles that the driver allows any thread to use.
unsafe impl Send for Function {}
// SAFETY: as above; the only state of ours is atomic.
unsafe impl Sync for Function {}

/// How many blocks and threads run a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
}

/// What the compiler made of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelResources {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of local memory of a thread: what did not fit in registers.
    pub local_bytes: u32,
    /// Bytes of static shared memory of a block.
    pub shared_bytes: u32,
    /// The most threads that a block may have.
    pub max_threads: u32,
}

impl Function {
    pub(super) fn load(device: &'static CudaDevice, image: &[u8], entry: &str) -> Result<Self> {
        Arc::new(Module::load(device, image)?).function(entry)
    }

    /// The sizes of the function's parameters, where the driver can tell.
    pub(super) fn parameter_sizes(&self) -> Option<Vec<usize>> {
        if super::driver::driver().ok()?.version() < (12, 4) {
            return None;
        }
        self.device.bind().ok()?;
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function belongs to a loaded module; an index past the end is an error.
            let status = unsafe {
                sys::cuFuncGetParamInfo(self.function, sizes.len(), &mut offset, &mut size)
            };
            if status != sys::CUresult::CUDA_SUCCESS {
                return Some(sizes);
            }
            sizes.push(size);
        }
    }

    /// Launches the kernel on the current queue, with one parameter: a structure, passed by
    /// value, of these bytes. An empty grid launches nothing.
    ///
    /// # Errors
    /// Where the driver refuses the shape or the amount of shared memory.
    ///
    /// # Safety
    /// `argument` must have the size and layout of the kernel's one parameter, and the buffers
    /// that it points to must outlive, in the queue's order, what the kernel does with them.
    #[inline]
    pub unsafe fn launch(&self, shape: &LaunchShape, argument: &[u8]) -> Result<()> {
        let mut parameters = [argument.as_ptr().cast_mut().cast::<c_void>()];
        // SAFETY: the caller vouches for the argument; the driver copies it during the call.
        unsafe { self.launch_with(shape, &mut parameters) }
    }

    /// The same; where `together` is true, with all blocks on the device at once, so that they may
    /// wait for each other.
    ///
    /// # Errors
    /// As [`launch`](Self::launch), and where there is no room for all blocks.
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    pub unsafe fn launch_all(
        &self,
        shape: &LaunchShape,
        argument: &[u8],
        together: bool,
    ) -> Result<()> {
        if !together {
            // SAFETY: the caller vouches for the same.
            return unsafe { self.launch(shape, argument) };
        }
        self.device.bind()?;
        self.allow_shared(shape.shared)?;
        let mut parameters = [argument.as_ptr().cast_mut().cast::<c_void>()];
        let ([x, y, z], [across, down, deep]) = (shape.grid, shape.block);
        let stream = self.device.raw_stream();
        // SAFETY: the function belongs to a loaded module; the caller vouches for the rest.
        let launched = unsafe {
            sys::cuLaunchCooperativeKernel(
                self.function,
                x,
                y,
                z,
                across,
                down,
                deep,
                shape.shared,
                stream,
                parameters.as_mut_ptr(),
            )
        };
        launched.result().map_err(|error| self.refused(shape, error))
    }

    /// Launches with one pointer for each parameter of the kernel.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    ///
    /// # Safety
    /// As [`launch`](Self::launch), for every parameter.
    #[inline]
    pub unsafe fn launch_with(
        &self,
        shape: &LaunchShape,
        parameters: &mut [*mut c_void],
    ) -> Result<()> {
        if shape.grid.contains(&0) {
            return Ok(());
        }
        self.device.bind()?;
        self.allow_shared(shape.shared)?;
        let grid = shape.grid.into();
        let block = shape.block.into();
        let stream = self.device.raw_stream();
        // SAFETY: the function belongs to a loaded module; the caller vouches for the rest.
        let launched = unsafe {
            result::launch_kernel(self.function, grid, block, shape.shared, stream, parameters)
        };
        launched.map_err(|error| self.refused(shape, error))
    }

    /// What a graph of the driver's is told of a launch with these parameters.
    ///
    /// # Errors
    /// Where the driver refuses the amount of shared memory.
    pub(super) fn node(
        &self,
        shape: &LaunchShape,
        parameters: &mut [*mut c_void],
    ) -> Result<sys::CUDA_KERNEL_NODE_PARAMS> {
        self.allow_shared(shape.shared)?;
        let ([x, y, z], [across, down, deep]) = (shape.grid, shape.block);
        Ok(sys::CUDA_KERNEL_NODE_PARAMS {
            func: self.function,
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: across,
            blockDimY: down,
            blockDimZ: deep,
            sharedMemBytes: shape.shared,
            kernelParams: parameters.as_mut_ptr(),
            extra: std::ptr::null_mut(),
            kern: std::ptr::null_mut(),
            ctx: std::ptr::null_mut(),
        })
    }

    /// How many blocks of that shape a multiprocessor holds at once.
    ///
    /// # Errors
    /// Where the driver refuses the shape.
    pub fn blocks_per_multiprocessor(&self, threads: u32, shared: u32) -> Result<u32> {
        self.device.bind()?;
        self.allow_shared(shared)?;
        // SAFETY: the function belongs to a loaded module.
        let blocks = unsafe {
            result::occupancy::max_active_block_per_multiprocessor(
                self.function,
                threads as i32,
                shared as usize,
            )
        };
        Ok(blocks.doing("ask for a kernel's occupancy")?.max(0) as u32)
    }

    /// What the compiler made of the kernel.
    ///
    /// # Errors
    /// Where the driver fails.
    pub fn resources(&self) -> Result<KernelResources> {
        use sys::CUfunction_attribute_enum as A;
        self.device.bind()?;
        let attribute = |attribute| {
            // SAFETY: the function belongs to a loaded module.
            let value =
                unsafe { result::function::get_function_attribute(self.function, attribute) };
            value.doing("ask for a kernel's resources").map(|value| value.max(0) as u32)
        };
        Ok(KernelResources {
            registers: attribute(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: attribute(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            shared_bytes: attribute(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            max_threads: attribute(A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        })
    }

    #[inline]
    fn allow_shared(&self, bytes: u32) -> Result<()> {
        if bytes <= SHARED_WITHOUT_ASKING || self.all_shared_allowed.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.allow_all_shared()
    }

    /// Asks for all that a block can have: asking for less would let two threads that launch
    /// the kernel at once lower each other's limit.
    #[cold]
    fn allow_all_shared(&self) -> Result<()> {
        use sys::CUfunction_attribute_enum as A;
        let fixed = self.resources()?.shared_bytes as usize;
        let most = self.device.info().shared_memory_per_block.saturating_sub(fixed) as i32;
        let attribute = A::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function belongs to a loaded module.
        unsafe { result::function::set_function_attribute(self.function, attribute, most) }
            .doing(&format!("allow {} {most} bytes of shared memory", self.name))?;
        self.all_shared_allowed.store(true, Ordering::Relaxed);
        Ok(())
    }

    #[cold]
    fn refused(&self, shape: &LaunchShape, error: result::DriverError) -> Error {
        super::driver::failed(&format!("launch {} with {shape:?}", self.name), error)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({} on {:?})", self.name, self.device)
    }
}
