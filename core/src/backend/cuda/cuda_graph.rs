//! A CUDA graph: launches that follow one another, which the driver takes as one.

use super::device::CudaDevice;
use super::driver::Doing;
use super::executable::{Argument, Executable};
use crate::backend::fork;
use crate::error::Result;
use cudarc::driver::sys;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The most launches of all graphs of the process: on an H100 64 graphs of 40 launches each took at
/// most 2 MiB of the device's memory.
const MOST_LAUNCHES: usize = 1 << 15;
/// How many there are.
static LAUNCHES: AtomicUsize = AtomicUsize::new(0);

/// Launches in a row, made ready.
pub(super) struct CudaGraph {
    device: &'static CudaDevice,
    graph: sys::CUgraph,
    /// What is launched; null until the graph is whole.
    whole: sys::CUgraphExec,
    nodes: Vec<sys::CUgraphNode>,
    /// What it has of [`LAUNCHES`].
    launches: usize,
}

// SAFETY: graphs are handles that the driver allows any thread to use, one at a time.
unsafe impl Send for CudaGraph {}

impl CudaGraph {
    /// Whether there is room for a graph of so many launches.
    pub(super) fn fits(launches: usize) -> bool {
        LAUNCHES.load(Relaxed) + launches <= MOST_LAUNCHES
    }

    /// A graph of kernels with their arguments, none of them with an empty grid.
    ///
    /// # Errors
    /// Where the driver refuses.
    pub(super) fn new<'a>(
        device: &'static CudaDevice,
        kernels: impl ExactSizeIterator<Item = (&'a Executable, &'a Argument)>,
    ) -> Result<CudaGraph> {
        device.bind()?;
        let launches = kernels.len();
        LAUNCHES.fetch_add(launches, Relaxed);
        let nodes = Vec::with_capacity(launches);
        let mut made = CudaGraph { device, graph: null_mut(), whole: null_mut(), nodes, launches };
        // SAFETY: the pointer is to a live handle.
        unsafe { sys::cuGraphCreate(&mut made.graph, 0) }.result().doing("create a graph")?;
        for (kernel, argument) in kernels {
            let mut parameters = [parameter(argument)];
            let node = kernel.function.node(&kernel.shape, &mut parameters)?;
            let (before, count) = match made.nodes.last() {
                Some(last) => (std::ptr::from_ref(last), 1),
                None => (std::ptr::null(), 0),
            };
            let mut added = null_mut();
            // SAFETY: the graph and the node before are alive, and the driver copies the argument,
            // which was laid out for this function, during the call.
            unsafe { sys::cuGraphAddKernelNode_v2(&mut added, made.graph, before, count, &node) }
                .result()
                .doing("add a launch to a graph")?;
            made.nodes.push(added);
        }
        // SAFETY: the graph is alive.
        unsafe { sys::cuGraphInstantiateWithFlags(&mut made.whole, made.graph, 0) }
            .result()
            .doing("make a graph ready")?;
        Ok(made)
    }

    /// Gives one of the kernels another argument, from the next launch on.
    ///
    /// # Errors
    /// Where the driver refuses.
    pub(super) fn set(
        &mut self,
        at: usize,
        kernel: &Executable,
        argument: &Argument,
    ) -> Result<()> {
        let mut parameters = [parameter(argument)];
        let node = kernel.function.node(&kernel.shape, &mut parameters)?;
        // SAFETY: the graph is alive and the node its own; the driver copies the argument, which was
        // laid out for this function, during the call. What runs already keeps what it was given.
        unsafe { sys::cuGraphExecKernelNodeSetParams_v2(self.whole, self.nodes[at], &node) }
            .result()
            .doing("change an argument in a graph")
    }

    /// Launches all kernels on the current queue.
    ///
    /// # Errors
    /// Where the driver refuses; then none is launched.
    ///
    /// # Safety
    /// The buffers that the arguments point to must outlive, in the queue's order, what the kernels
    /// do with them.
    pub(super) unsafe fn launch(&self) -> Result<()> {
        // SAFETY: the graph is alive; the caller vouches for the rest.
        unsafe { sys::cuGraphLaunch(self.whole, self.device.raw_stream()) }
            .result()
            .doing("launch a graph")
    }
}

/// Where the driver finds a kernel's one parameter.
fn parameter(argument: &Argument) -> *mut c_void {
    argument.as_ptr().cast_mut().cast()
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        LAUNCHES.fetch_sub(self.launches, Relaxed);
        // The driver is not the copy's of a process.
        if fork::is_copy() || self.device.bind().is_err() {
            return;
        }
        // A failure has nobody to be told to; the context has failed then.
        // SAFETY: both are destroyed once; what still runs is freed once it is done.
        unsafe {
            if !self.whole.is_null() {
                let _ = sys::cuGraphExecDestroy(self.whole);
            }
            if !self.graph.is_null() {
                let _ = sys::cuGraphDestroy(self.graph);
            }
        }
    }
}
