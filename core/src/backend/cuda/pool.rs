//! The driver's stream-ordered memory pool, below the allocator's cache.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, result, sys};

use super::driver::{Doing, bind, failed};
use super::memory::RawMemory;
use crate::error::Result;

/// The driver's pool of the device, in the order of its stream.
pub(super) struct Pool {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// Null where the device has no pools; then blocks come from the plain allocator.
    pool: sys::CUmemoryPool,
}

// SAFETY: the pool is a handle that the driver allows any thread to use.
unsafe impl Send for Pool {}
// SAFETY: as above; the driver locks.
unsafe impl Sync for Pool {}

impl Pool {
    /// The pool in the order of a stream; `several` where there are others beside it.
    pub(super) fn new(
        context: &Arc<CudaContext>,
        stream: &Arc<CudaStream>,
        several: bool,
    ) -> Result<Self> {
        let mut pool = std::ptr::null_mut();
        if context.has_async_alloc() {
            // SAFETY: the device belongs to a live context.
            pool = unsafe { result::device::get_mem_pool(context.cu_device()) }
                .doing("find the device's memory pool")?;
            use sys::CUmemPool_attribute as Attribute;
            // By default the pool gives everything back at each synchronisation, and the next
            // allocation maps memory again, at hundreds of microseconds.
            set(pool, Attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &mut { u64::MAX })?;
            if several {
                // By default the pool makes a stream wait for another one to take a block that
                // this has freed, and what should overlap would not.
                let none = &mut 0i32;
                set(pool, Attribute::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, none)?;
            }
        }
        Ok(Self { context: context.clone(), stream: stream.clone(), pool })
    }
}

/// Sets one of a pool's attributes.
fn set<T>(
    pool: sys::CUmemoryPool,
    attribute: sys::CUmemPool_attribute,
    value: &mut T,
) -> Result<()> {
    // SAFETY: the pool is alive, and the callers give values of the attribute's type.
    unsafe { result::mem_pool::set_attribute(pool, attribute, std::ptr::from_mut(value).cast()) }
        .doing("set an attribute of the memory pool")
}

impl RawMemory for Pool {
    fn allocate(&self, bytes: usize) -> Result<Option<u64>> {
        use sys::CUresult::{CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY};
        bind(&self.context)?;
        let allocated = if self.pool.is_null() {
            // SAFETY: the memory is handed out as uninitialised.
            unsafe { result::malloc_sync(bytes) }
        } else {
            // SAFETY: the pool and the stream are alive; the memory is handed out uninitialised.
            unsafe { result::mem_pool::alloc_async(self.pool, bytes, self.stream.cu_stream()) }
        };
        match allocated {
            Ok(pointer) => Ok(Some(pointer)),
            // The size is the only value there is to be invalid: one past the address space.
            Err(error)
                if matches!(error.0, CUDA_ERROR_OUT_OF_MEMORY | CUDA_ERROR_INVALID_VALUE) =>
            {
                Ok(None)
            }
            Err(error) => Err(failed("allocate device memory", error)),
        }
    }

    fn free(&self, pointer: u64) {
        if bind(&self.context).is_err() {
            return;
        }
        // A free fails only where the context has, or at the process's end; then the memory is
        // gone anyway, and a drop has nobody to tell.
        // SAFETY: the block came from allocate above, and the allocator frees it once.
        let _ = unsafe {
            if self.pool.is_null() {
                result::free_sync(pointer)
            } else {
                result::free_async(pointer, self.stream.cu_stream())
            }
        };
    }

    fn release_unused(&self) {
        if bind(&self.context).is_err() {
            return;
        }
        // Failures show in the allocation that is tried next.
        // SAFETY: the stream is alive.
        let _ = unsafe { result::stream::synchronize(self.stream.cu_stream()) };
        if !self.pool.is_null() {
            // SAFETY: the pool is alive.
            let _ = unsafe { result::mem_pool::trim_to(self.pool, 0) };
        }
    }

    fn free_and_total(&self) -> (usize, usize) {
        bind(&self.context).ok().and_then(|()| result::mem_get_info().ok()).unwrap_or((0, 0))
    }
}
