//! The kernels of a plan as CUDA graphs, which a run gives the driver in one call.
//!
//! On an H100 a launch by itself costs the host 2.8 µs. A graph costs 1.3 µs in all, whatever its
//! length, and 0.2 to 0.3 µs for each kernel whose argument is another one than the last time.
//!
//! - Graphs are built from arguments, kernel by kernel; nothing is captured. A run works out the
//!   argument of each kernel as it would without graphs, and sets those that changed.
//! - Graphs have no memory of their own. A run allocates as always, results before all else
//!   (`eval/run.rs`), so that the allocator gives a plan that comes again the same addresses in
//!   turn, and [`MOST_GRAPHS`] graphs for the same kernels find theirs.
//! - Building one costs as much as some fifty launches, so a plan has to have launched as many
//!   kernels before ([`worth`]), each queue by itself: two queues would wait for each other where
//!   they launch one graph.
//! - Where the driver refuses a graph, the same arguments are launched one by one, from then on
//!   always.
//! - [`release`] drops all graphs, where memory runs short.

use super::cuda_graph::CudaGraph;
use super::device::CudaDevice;
use super::executable::{Argument, Executable, executable_of};
use crate::backend::{Arguments, Buffer, Compiled, Gathering, Series, Touched, fork};
use crate::error::Result;
use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock, Weak};

/// What is launched by itself as fast as in a graph.
const FEWEST: usize = 2;
/// The graphs for the same kernels.
const MOST_GRAPHS: usize = 2;
/// The queues on which a plan has graphs.
const MOST_QUEUES: usize = 4;
/// A further graph for the same kernels is made where so many arguments were set: it costs as much.
const WORTH_ANOTHER: usize = 256;
/// The kernels that a plan has launched before its graphs are made.
pub const WORTH: usize = 64;

/// The kernels that a plan has launched before its graphs are made, which the environment variable
/// `LAZULI_CUDA_GRAPHS` overrides; none where graphs are off, by its value 0.
fn worth() -> Option<usize> {
    static WORTH_HERE: OnceLock<Option<usize>> = OnceLock::new();
    *WORTH_HERE.get_or_init(|| {
        let asked = std::env::var("LAZULI_CUDA_GRAPHS").ok().and_then(|n| n.parse().ok());
        Some(asked.unwrap_or(WORTH)).filter(|&worth| worth > 0)
    })
}

/// The kernels of a plan.
pub(super) struct Launches {
    pub(super) device: &'static CudaDevice,
    kernels: Vec<Compiled>,
    /// The most counters that one of them needs.
    pub(super) counters: usize,
    state: Arc<Mutex<State>>,
}

/// What is known of a plan's launches.
#[derive(Default)]
pub(super) struct State {
    pub(super) queues: SmallVec<[OfQueue; 1]>,
    /// The kernels of a run that wait, each with its position and its argument.
    pub(super) waiting: Vec<usize>,
    pub(super) arguments: Vec<Argument>,
}

/// The same on one queue.
pub(super) struct OfQueue {
    number: u32,
    /// Kernels launched before graphs were made.
    pub(super) launched: usize,
    parts: Vec<Part<CudaGraph>>,
    has_failed: bool,
    /// Memory of the host in which launches leave word (`ahead.rs`).
    pub(super) report: Option<Arc<Buffer>>,
}

/// Kernels that follow one another, and graphs of them.
struct Part<G> {
    /// The first of the kernels, and how many there are.
    of: (usize, usize),
    graphs: SmallVec<[Made<G>; MOST_GRAPHS]>,
    /// Arguments that were set.
    set: usize,
    /// Launches.
    turn: u64,
}

/// A graph with the arguments that it has.
struct Made<G> {
    graph: G,
    arguments: Vec<Argument>,
    /// The turn at which it was last launched.
    used: u64,
}

/// What to do for a launch.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    /// To make a graph.
    Make,
    /// To change one until it has the arguments.
    Use(usize),
}

impl<G> Part<G> {
    fn new(of: (usize, usize)) -> Part<G> {
        Part { of, graphs: SmallVec::new(), set: 0, turn: 0 }
    }

    /// The graph with the fewest arguments to set, of several the one that has waited longest; a new
    /// one where there is none, or too much was set.
    fn choose(&mut self, arguments: &[Argument]) -> Choice {
        self.turn += 1;
        let differing = |made: &Made<G>| {
            made.arguments.iter().zip(arguments).filter(|(old, new)| old != new).count()
        };
        let each = self.graphs.iter().enumerate().map(|(k, made)| (differing(made), made.used, k));
        let Some((differing, _, k)) = each.min() else { return Choice::Make };
        self.set += differing;
        let is_worth = self.graphs.len() < MOST_GRAPHS && self.set > WORTH_ANOTHER;
        if differing > 0 && is_worth { Choice::Make } else { Choice::Use(k) }
    }
}

/// What has graphs.
static KNOWN: Mutex<Vec<Weak<Mutex<State>>>> = Mutex::new(Vec::new());

/// Drops all graphs but those of a run that is under way, and says whether there were any; plans make
/// theirs anew once they have launched as much again.
pub fn release() -> bool {
    let mut had = false;
    KNOWN.lock().retain(|state| {
        let Some(state) = state.upgrade() else { return false };
        let Some(mut state) = state.try_lock() else { return true };
        state.queues.clear();
        had = true;
        false
    });
    had
}

impl Launches {
    /// The kernels of a plan; none where graphs gain nothing.
    pub(super) fn new(device: &'static CudaDevice, kernels: Vec<Compiled>) -> Option<Launches> {
        if kernels.len() < FEWEST || worth().is_none() {
            return None;
        }
        Launches::of(device, kernels).ok()
    }

    /// The kernels of a plan, whether or not graphs gain anything.
    ///
    /// # Errors
    /// Where one of them is another device's.
    pub(super) fn of(device: &'static CudaDevice, kernels: Vec<Compiled>) -> Result<Launches> {
        let mut counters = 0;
        for kernel in &kernels {
            counters = counters.max(executable_of::<Executable>(kernel)?.counters);
        }
        Ok(Launches { device, kernels, counters, state: Arc::default() })
    }

    pub(super) fn kernel(&self, at: usize) -> Result<&Executable> {
        executable_of(&self.kernels[at])
    }

    /// The state, with the place of the current queue in it; none where another run has it, or too
    /// many queues have theirs.
    pub(super) fn enter(&self) -> Option<(MutexGuard<'_, State>, usize)> {
        let mut state = self.state.try_lock()?;
        let number = self.device.queue().number();
        let queue = match state.queues.iter().position(|queue| queue.number == number) {
            Some(at) => at,
            None if state.queues.len() < MOST_QUEUES => {
                state.queues.push(OfQueue::new(number));
                state.queues.len() - 1
            }
            None => return None,
        };
        state.waiting.clear();
        state.arguments.clear();
        Some((state, queue))
    }

    /// Has [`release`] know of what is made from now on.
    pub(super) fn note(&self) {
        let mut known = KNOWN.lock();
        if known.iter().any(|state| std::ptr::eq(state.as_ptr(), Arc::as_ptr(&self.state))) {
            return;
        }
        known.retain(|state| state.strong_count() > 0);
        known.push(Arc::downgrade(&self.state));
    }
}

impl Drop for Launches {
    fn drop(&mut self) {
        // Graphs go before the code that they launch. A copy of the process has no use of either, and
        // the lock may be held by a thread that it lacks.
        if !fork::is_copy() {
            self.state.lock().queues.clear();
        }
    }
}

impl Series for Launches {
    fn begin(&self) -> Option<Box<dyn Gathering + '_>> {
        let (mut state, queue) = self.enter()?;
        let known = &mut state.queues[queue];
        if known.has_failed {
            return None;
        }
        if known.launched < worth()? {
            known.launched += self.kernels.len();
            return None;
        }
        // A kernel that needs more of them than those before would give the counters of these back
        // while they wait.
        if self.counters > 0 {
            self.device.counters(self.counters).ok()?;
        }
        Some(Box::new(Waiting { launches: self, state, queue, next: 0, scratch: Vec::new() }))
    }
}

impl OfQueue {
    fn new(number: u32) -> OfQueue {
        OfQueue { number, launched: 0, parts: Vec::new(), has_failed: false, report: None }
    }

    /// What is known of so many kernels from one on.
    fn part(&mut self, of: (usize, usize)) -> &mut Part<CudaGraph> {
        let at = self.parts.iter().position(|part| part.of == of).unwrap_or_else(|| {
            self.parts.push(Part::new(of));
            self.parts.len() - 1
        });
        &mut self.parts[at]
    }
}

/// A run's launches that wait.
struct Waiting<'a> {
    launches: &'a Launches,
    state: MutexGuard<'a, State>,
    queue: usize,
    /// The position of the next kernel.
    next: usize,
    /// Their scratch memory, which goes back in the queue's order.
    scratch: Vec<Buffer>,
}

impl Gathering for Waiting<'_> {
    fn add(&mut self, arguments: &Arguments) -> Result<()> {
        let (at, launches) = (self.next, self.launches);
        let kernel = launches.kernel(at)?;
        self.next += 1;
        if kernel.shape.grid.contains(&0) {
            return Ok(());
        }
        let (scratch, [argument]) =
            kernel.with_memory(launches.device, [kernel.argument(arguments)])?;
        self.scratch.extend(scratch);
        self.state.waiting.push(at);
        self.state.arguments.push(argument);
        Ok(())
    }

    fn launch(&mut self, touched: Touched) -> Result<()> {
        if self.state.waiting.is_empty() {
            return Ok(());
        }
        let (launches, state, queue) = (self.launches, &mut self.state, self.queue);
        let launched = launches.device.in_order(touched, || launches.launch_all(state, queue));
        self.state.waiting.clear();
        self.state.arguments.clear();
        self.scratch.clear();
        launched
    }
}

impl Launches {
    /// Launches what waits as a graph, or one by one.
    fn launch_all(&self, state: &mut State, queue: usize) -> Result<()> {
        if state.waiting.len() >= FEWEST && !state.queues[queue].has_failed {
            match self.launch_graph(state, queue) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                // The launches themselves tell what is wrong, if anything is but the graph.
                Err(_) => state.queues[queue].has_failed = true,
            }
        }
        self.launch_each(state)
    }

    /// The same, one by one until as many were launched as a graph is worth.
    pub(super) fn launch_when_worth(&self, state: &mut State, queue: usize) -> Result<()> {
        let count = state.waiting.len();
        let known = &mut state.queues[queue];
        if worth().is_some_and(|worth| known.launched >= worth) {
            return self.launch_all(state, queue);
        }
        known.launched += count;
        self.launch_each(state)
    }

    /// Launches what waits, one by one.
    fn launch_each(&self, state: &State) -> Result<()> {
        for (&at, argument) in state.waiting.iter().zip(&state.arguments) {
            let kernel = self.kernel(at)?;
            // SAFETY: the argument was laid out for this function when it was rendered; the caller
            // keeps the buffers until this returns, and queues order their release afterwards.
            unsafe { kernel.function.launch(&kernel.shape, argument) }?;
        }
        Ok(())
    }

    /// Launches what waits as a graph; false where there is no room for one.
    fn launch_graph(&self, state: &mut State, queue: usize) -> Result<bool> {
        self.device.bind()?;
        let State { queues, waiting, arguments } = state;
        let part = queues[queue].part((waiting[0], waiting.len()));
        let fits = CudaGraph::fits(waiting.len());
        let chosen = match part.choose(arguments) {
            Choice::Make if fits => {
                self.note();
                let kernels: Vec<&Executable> =
                    waiting.iter().map(|&at| self.kernel(at)).collect::<Result<_>>()?;
                let graph = CudaGraph::new(self.device, kernels.into_iter().zip(&*arguments))?;
                part.graphs.push(Made { graph, arguments: arguments.clone(), used: 0 });
                part.set = 0;
                part.graphs.len() - 1
            }
            Choice::Make if part.graphs.is_empty() => return Ok(false),
            Choice::Make => 0,
            Choice::Use(k) => k,
        };
        let made = &mut part.graphs[chosen];
        for (k, (&at, argument)) in waiting.iter().zip(&*arguments).enumerate() {
            if made.arguments[k] != *argument {
                made.graph.set(k, self.kernel(at)?, argument)?;
                made.arguments[k].clone_from(argument);
            }
        }
        made.used = part.turn;
        // SAFETY: as for launches one by one.
        unsafe { made.graph.launch() }?;
        Ok(true)
    }
}

#[cfg(test)]
#[path = "series_tests.rs"]
mod tests;
