//! Turns of a loop that are launched before the host knows whether they are to run.
//!
//! A portion of turns is launched again and again with the same arguments. Each kernel of a turn first
//! reads the condition that the turn before gave and ends where that is false (`render/skipped.rs`).
//! Conditions lie in a place of their own for each turn of a portion, cleared before it, so that
//! nothing runs after one that is false. A last kernel (`ahead.cuh`) counts the turns that ran, hands
//! the condition on to the next portion, clears the places, and leaves word in the host's memory.
//!
//! A CUDA graph with a conditional node needs no such kernels, and is slower: on an H200 a round of a
//! `WHILE` node took 4.2 µs besides the turn's kernels, that of the kernel which sets its condition
//! among them, and an `IF` node as long, where reading the byte costs a kernel 0.2 µs. So portions are
//! ordinary graphs once they are worth it (`series.rs`), and need no driver that has such nodes.

use super::compile::CompileOptions;
use super::device::CudaDevice;
use super::executable::{Argument, Executable};
use super::launch::LaunchShape;
use super::queue::Mark;
use super::render::Template;
use super::series::{Launches, State};
use crate::backend::{
    Ahead, Arguments, Buffer, Compiled, Gathering, Origin, Portion, Portions, Texts, Touched,
};
use crate::error::{Error, Result};
use parking_lot::MutexGuard;
use std::collections::VecDeque;
use std::sync::Arc;

/// The source of the last kernel.
const SOURCE: &str = include_str!("ahead.cuh");
/// The bytes of each condition's place: whatever a kernel stores at once is aligned.
const PLACE: usize = 16;
/// The most turns of a portion: each has a lane of the last kernel.
const MOST_TURNS: usize = 32;
/// The portions that may leave word before the host reads it.
const REPORTS: usize = 4;

/// The kernels of a turn, and the one that ends a portion.
pub(super) struct TurnsAhead {
    launches: Launches,
    /// The kernels of a turn.
    kernels: usize,
}

/// What the last kernel takes.
#[repr(C)]
struct End {
    flags: u64,
    reports: u64,
    turns: i32,
    nothing: i32,
}

/// The last kernel without the prelude.
fn source() -> String {
    format!("#define lz_place_bytes {PLACE}\n#define lz_reports {REPORTS}\n{SOURCE}")
}

impl TurnsAhead {
    /// The kernels of a turn, which were rendered so that they can be skipped.
    ///
    /// # Errors
    /// Where the last kernel does not compile.
    pub(super) fn new(
        device: &'static CudaDevice,
        mut kernels: Vec<Compiled>,
    ) -> Result<TurnsAhead> {
        let (body, options) = (source(), CompileOptions::default());
        let (function, origin) = device.function_of_body(&body, "lazuli_end_portion", &options)?;
        let shape = LaunchShape { grid: [1; 3], block: [MOST_TURNS as u32, 1, 1], shared: 0 };
        let texts = move || Texts { source: body.as_str().into(), schedule: "one warp".into() };
        let count = kernels.len();
        kernels.push(Compiled {
            executable: Arc::new(Executable::fixed(function, shape)),
            texts: Arc::new(texts),
            origin: if origin == Origin::Compiled { origin } else { Origin::Memory },
            launches: 1,
        });
        Ok(TurnsAhead { launches: Launches::of(device, kernels)?, kernels: count })
    }
}

impl Ahead for TurnsAhead {
    fn begin(&self, turns: usize) -> Result<Option<Box<dyn Portions + '_>>> {
        let device = self.launches.device;
        let Some((mut state, queue)) = self.launches.enter() else { return Ok(None) };
        if turns > MOST_TURNS {
            return Err(Error::unsupported(format!("a portion of {turns} turns")));
        }
        let known = &mut state.queues[queue].report;
        let reports = match &*known {
            Some(reports) => reports.clone(),
            None => {
                self.launches.note();
                known.insert(Arc::new(device.pin(8 * REPORTS)?)).clone()
            }
        };
        let flags = Arc::new(device.allocate(PLACE * (turns + 1))?);
        let mut first = vec![0; flags.bytes()];
        first[0] = 1;
        device.copy_to_device(&first, &flags, 0)?;
        let counters = match self.launches.counters {
            0 => None,
            count => Some(device.counters(count)?),
        };
        Ok(Some(Box::new(OfLoop {
            of: self,
            state,
            queue,
            flags,
            reports,
            counters,
            scratch: (0..self.kernels).map(|_| None).collect(),
            turns,
            begun: 0,
            next: 0,
            is_whole: false,
            marks: VecDeque::new(),
            read: 0,
        })))
    }
}

/// The portions of one loop.
struct OfLoop<'a> {
    of: &'a TurnsAhead,
    state: MutexGuard<'a, State>,
    queue: usize,
    /// What is true of the loop, see `ahead.cuh`.
    flags: Arc<Buffer>,
    reports: Arc<Buffer>,
    /// Where the counters of kernels are.
    counters: Option<u64>,
    /// The scratch memory of each kernel of a turn: one turn after the other uses it.
    scratch: Vec<Option<Buffer>>,
    /// The turns of a portion, and those that were begun.
    turns: usize,
    begun: usize,
    /// The next kernel of the turn.
    next: usize,
    /// Whether all launches of a portion were added.
    is_whole: bool,
    /// Marks behind the portions that were not waited for.
    marks: VecDeque<Arc<Mark>>,
    /// The portions that were waited for.
    read: usize,
}

impl OfLoop<'_> {
    /// Adds the last kernel.
    fn end(&mut self) {
        let end = End {
            flags: self.flags.address(),
            reports: self.reports.address(),
            turns: self.turns as i32,
            nothing: 0,
        };
        // SAFETY: the structure is plain and has no padding.
        let bytes =
            unsafe { std::slice::from_raw_parts((&raw const end).cast::<u8>(), size_of::<End>()) };
        self.state.waiting.push(self.of.kernels);
        self.state.arguments.push(Argument::from_slice(bytes));
        self.is_whole = true;
    }

    /// Has kernels count where the queue's counters are: what ran on the queue between two portions may
    /// have needed more of them.
    fn settle_counters(&mut self) -> Result<()> {
        let launches = &self.of.launches;
        if self.counters.is_none() {
            return Ok(());
        }
        let now = launches.device.counters(launches.counters)?;
        if self.counters == Some(now) {
            return Ok(());
        }
        let State { waiting, arguments, .. } = &mut *self.state;
        for (&at, argument) in waiting.iter().zip(arguments) {
            Template::write_address(argument, launches.kernel(at)?.template.counters, now);
        }
        self.counters = Some(now);
        Ok(())
    }
}

impl Gathering for OfLoop<'_> {
    fn add(&mut self, arguments: &Arguments) -> Result<()> {
        let (at, launches) = (self.next, &self.of.launches);
        let kernel = launches.kernel(at)?;
        self.next += 1;
        if kernel.shape.grid.contains(&0) {
            return Ok(());
        }
        if self.begun == 1 {
            self.scratch[at] = kernel.scratch(launches.device)?;
        }
        let mut argument = kernel.argument(arguments);
        kernel.place(&mut argument, self.scratch[at].as_ref(), self.counters);
        let before = self.flags.address() + (PLACE * (self.begun - 1)) as u64;
        Template::write_address(&mut argument, kernel.template.goes_on, before);
        self.state.waiting.push(at);
        self.state.arguments.push(argument);
        Ok(())
    }

    fn launch(&mut self, touched: Touched) -> Result<()> {
        if !self.is_whole {
            self.end();
        }
        self.settle_counters()?;
        let (launches, state, queue) = (&self.of.launches, &mut self.state, self.queue);
        let device = launches.device;
        device.in_order(touched, || launches.launch_when_worth(state, queue))?;
        self.marks.push_back(device.queue().end_host(&self.reports, true)?);
        Ok(())
    }
}

impl Portions for OfLoop<'_> {
    fn turn(&mut self) -> (Arc<Buffer>, usize) {
        self.begun += 1;
        self.next = 0;
        (self.flags.clone(), PLACE * self.begun)
    }

    fn wait(&mut self) -> Result<Portion> {
        let mark = self.marks.pop_front().expect("a portion was launched");
        mark.wait()?;
        let at = self.read % REPORTS;
        self.read += 1;
        // SAFETY: the memory is pinned and has so many words. The portion that wrote these is done, and
        // those that were launched since then write others.
        let [turns, goes_on] =
            unsafe { (self.reports.address() as *const [u32; 2]).add(at).read_volatile() };
        Ok(Portion { turns: u64::from(turns), goes_on: goes_on != 0 })
    }
}

#[cfg(test)]
#[path = "ahead_tests.rs"]
mod tests;
