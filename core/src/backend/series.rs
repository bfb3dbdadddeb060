//! Kernels that come again and again in one order, for devices that take several launches at once or
//! ahead of their time.

use super::{Arguments, Buffer, Touched};
use crate::error::Result;
use std::sync::Arc;

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

/// The kernels of a loop's turn. The loop goes on while each turn gives a condition that is true, and
/// its turns are launched before that is known.
pub trait Ahead: Send + Sync {
    /// Begins a loop whose first turn is to run, and that is launched in portions of so many turns, 32
    /// at most; none where each turn is to be waited for.
    ///
    /// # Errors
    /// Where memory runs out, or the device fails.
    fn begin(&self, turns: usize) -> Result<Option<Box<dyn Portions + '_>>>;
}

/// The portions of a loop. The launches of a portion are added once, turn by turn; each
/// [`launch`](Gathering::launch) launches all of them. The buffers stay alive until the last portion was
/// launched. Whatever follows a turn whose condition was false does nothing.
pub trait Portions: Gathering {
    /// Begins the next turn of the portion, whose kernels are then added, and gives where it stores its
    /// condition: the memory, and the byte.
    fn turn(&mut self) -> (Arc<Buffer>, usize);

    /// Waits for a portion, in the order in which they were launched. Two may wait at a time.
    ///
    /// # Errors
    /// Where a kernel has failed.
    fn wait(&mut self) -> Result<Portion>;
}

/// What came of a portion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The turns that ran.
    pub turns: u64,
    /// Whether the condition holds.
    pub goes_on: bool,
}
