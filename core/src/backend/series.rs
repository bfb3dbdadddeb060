//! Kernels that come again and again in one order, for devices that take several launches at once.

use super::{Arguments, Touched};
use crate::error::Result;

/// The kernels of a plan in the order in which they run.
pub trait Series: Send + Sync {
    /// Begins a run whose launches are to be gathered; none where each kernel is to be launched by
    /// itself.
    fn begin(&self) -> Option<Box<dyn Gathering + '_>>;
}

/// The launches of a run, which are given to the device together.
pub trait Gathering {
    /// Takes the launch of the next kernel. Until [`launch`](Self::launch) the buffers stay alive,
    /// and the current queue is given nothing else that touches them.
    fn add(&mut self, arguments: &Arguments) -> Result<()>;

    /// Launches what was added since the last time, in that order; the buffers are those of all
    /// these kernels.
    fn launch(&mut self, touched: Touched) -> Result<()>;
}
