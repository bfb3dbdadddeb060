//! Kernels on the processor: blocks over cores, the threads of a block as coroutines.
//!
//! A coroutine runs the threads of its block one after another, as a plain loop. Only where a
//! thread has to wait for others does the coroutine stop with that thread in it, and another one
//! goes on with the threads that have not begun. So a kernel without barriers costs what its loop
//! costs, and nobody has to know beforehand whether a kernel waits.
//!
//! A block of which every thread has ended or waits either goes on, because all that wait may, or
//! never will: that is found here, and is an error.

use super::dims::Dim3;
use super::shared::{Arena, Block};
use super::stops::{Order, Request, Stop, What};
use super::thread::{CONTEXT, WARP};
use crate::backend::cpu::stacks;
use crate::backend::pool;
use crate::caught::{Caught, catch};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The bytes of a coroutine's stack; pages that nobody touches cost nothing. On a GPU a thread has
/// at most 512 KB of locals, and development builds have several copies of one.
const STACK: usize = if cfg!(target_pointer_width = "64") { 64 << 20 } else { 256 << 10 };
/// The most coroutines at a time, over all cores: each takes two of the process's mappings.
const MOST_COROUTINES: usize = 1 << 14;

/// How many blocks and threads run, and the dynamic shared memory of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) grid: Dim3,
    pub(super) block: Dim3,
    pub(super) dynamic: usize,
}

/// Why a kernel ended early.
pub(super) enum Failure {
    /// A thread of a block panicked.
    Panic { caught: Caught, thread: Dim3, block: Dim3 },
    /// Some threads of a block wait for others that never come.
    Stuck { why: String, block: Dim3 },
    /// The system refuses another stack.
    Stack(std::io::Error),
}

/// Runs `body` once for each thread of the grid.
pub(super) fn run<F: Fn(Block<'_>) + Sync>(shape: Shape, body: &F) -> Result<(), Failure> {
    let blocks = shape.grid.count();
    let most = (MOST_COROUTINES / shape.block.count().max(1)).max(1);
    let workers = pool::threads().min(blocks).min(most);
    let shared = Run {
        shape,
        body,
        next: AtomicUsize::new(0),
        chunk: (blocks / (16 * workers.max(1))).clamp(1, 1 << 16),
        stop: AtomicBool::new(false),
        failure: Mutex::new(None),
    };
    pool::parts(workers, |_| shared.work());
    shared.failure.into_inner().map_or(Ok(()), Err)
}

/// A launch, as all its workers see it.
struct Run<'a, F> {
    shape: Shape,
    body: &'a F,
    /// The first block that nobody has taken.
    next: AtomicUsize,
    /// The blocks that a worker takes at a time.
    chunk: usize,
    stop: AtomicBool,
    failure: Mutex<Option<Failure>>,
}

impl<F: Fn(Block<'_>) + Sync> Run<'_, F> {
    fn work(&self) {
        let (threads, arena) = (Threads::new(self.shape.block), Arena::new(self.shape.dynamic));
        let mut worker = Worker {
            body: self.body,
            threads: &threads,
            arena: &arena,
            coroutines: Vec::new(),
            idle: Vec::new(),
            waiting: Vec::new(),
            released: Vec::new(),
        };
        CONTEXT.with(|c| {
            c.block_dim.set(self.shape.block);
            c.grid_dim.set(self.shape.grid);
        });
        let failed = self.blocks(&mut worker).err();
        // The coroutines unwind while the kernel's place is still known.
        drop(worker);
        CONTEXT.with(|c| c.leave());
        if let Some(failure) = failed {
            self.stop.store(true, Relaxed);
            self.failure.lock().get_or_insert(failure);
        }
    }

    fn blocks(&self, worker: &mut Worker<'_, F>) -> Result<(), Failure> {
        let all = self.shape.grid.count();
        loop {
            let first = self.next.fetch_add(self.chunk, Relaxed);
            if first >= all || self.stop.load(Relaxed) {
                return worker.end();
            }
            for k in first..all.min(first + self.chunk) {
                worker.run_block(self.shape.grid.place(k))?;
            }
        }
    }
}

/// The threads of a block that have not begun: all from this place on, x fastest.
struct Threads {
    block: Dim3,
    x: Cell<usize>,
    y: Cell<usize>,
    z: Cell<usize>,
}

impl Threads {
    fn new(block: Dim3) -> Self {
        Threads { block, x: Cell::new(0), y: Cell::new(0), z: Cell::new(0) }
    }

    fn begin(&self) {
        self.x.set(0);
        self.y.set(0);
        self.z.set(0);
    }

    fn all_begun(&self) -> bool {
        self.z.get() >= self.block.z
    }

    /// Runs threads until none is left. Where a thread waits in `body`, others begin in another
    /// call of this function; when `body` returns at last, all threads have begun.
    #[inline(always)]
    fn run(&self, body: &impl Fn()) {
        while !self.all_begun() {
            let (y, z) = (self.y.get(), self.z.get());
            CONTEXT.with(|c| {
                c.thread[1].set(y);
                c.thread[2].set(z);
            });
            while self.x.get() < self.block.x {
                let x = self.x.get();
                self.x.set(x + 1);
                CONTEXT.with(|c| c.thread[0].set(x));
                body();
            }
            if !self.all_begun() {
                self.next_row(y, z);
            }
        }
    }

    fn next_row(&self, y: usize, z: usize) {
        if y + 1 < self.block.y {
            self.y.set(y + 1);
            self.x.set(0);
        } else if z + 1 < self.block.z {
            self.z.set(z + 1);
            self.y.set(0);
            self.x.set(0);
        } else {
            self.z.set(self.block.z);
        }
    }
}

type Fiber = Coroutine<Order, Stop, (), DefaultStack>;

thread_local! {
    /// Stacks that wait for the next kernel: making one costs system calls and page faults.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// One core's share of a launch.
struct Worker<'a, F> {
    body: &'a F,
    threads: &'a Threads,
    arena: &'a Arena,
    coroutines: Vec<Fiber>,
    /// The coroutines without a thread, by number.
    idle: Vec<usize>,
    waiting: Vec<Waiting>,
    /// Scratch of [`Worker::release`].
    released: Vec<(usize, [u64; 2])>,
}

/// A thread that waits, and the coroutine that it waits in.
#[derive(Clone, Copy)]
struct Waiting {
    coroutine: usize,
    request: Request,
}

impl<F: Fn(Block<'_>)> Worker<'_, F> {
    fn run_block(&mut self, block: Dim3) -> Result<(), Failure> {
        self.threads.begin();
        self.arena.begin_block();
        CONTEXT.with(|c| c.block.set(block));
        let ran = catch(|| {
            while !self.threads.all_begun() {
                let coroutine = self.idle_coroutine()?;
                self.resume(coroutine, [0; 2]);
            }
            while !self.waiting.is_empty() {
                self.release().map_err(|why| Failure::Stuck { why, block })?;
            }
            Ok(())
        });
        let thread = CONTEXT.with(|c| c.thread());
        ran.unwrap_or_else(|caught| Err(Failure::Panic { caught, thread, block }))
    }

    fn idle_coroutine(&mut self) -> Result<usize, Failure> {
        if let Some(coroutine) = self.idle.pop() {
            return Ok(coroutine);
        }
        let spare = STACKS.with(|stacks| stacks.borrow_mut().pop());
        let stack = spare
            .map_or_else(|| stacks::reserve(STACK, MOST_COROUTINES), Ok)
            .map_err(Failure::Stack)?;
        let (threads, body, block) = (self.threads, self.body, self.arena.block());
        let run = move |yielder: &Yielder<Order, Stop>, _| {
            loop {
                CONTEXT.with(|c| c.yielder.set(yielder));
                threads.run(&|| body(block));
                if let Order::End = yielder.suspend(Stop::Idle) {
                    return;
                }
            }
        };
        // SAFETY: the worker, which owns the coroutine, does not outlive what it borrows.
        self.coroutines.push(unsafe { Coroutine::with_stack_unchecked(stack, run) });
        Ok(self.coroutines.len() - 1)
    }

    fn resume(&mut self, coroutine: usize, answer: [u64; 2]) {
        match self.coroutines[coroutine].resume(Order::Go(answer)) {
            CoroutineResult::Yield(Stop::Idle) => self.idle.push(coroutine),
            CoroutineResult::Yield(Stop::Wait(request)) => {
                self.waiting.push(Waiting { coroutine, request });
            }
            CoroutineResult::Return(()) => {}
        }
    }

    /// Lets the threads go on that may, once every thread of the block waits or has ended.
    fn release(&mut self) -> Result<(), String> {
        self.waiting.sort_unstable_by_key(|w| w.request.thread);
        self.released.clear();
        self.release_warps();
        if self.released.is_empty() {
            self.release_block()?;
        }
        let released = std::mem::take(&mut self.released);
        for &(coroutine, answer) in &released {
            self.resume(coroutine, answer);
        }
        self.released = released;
        Ok(())
    }

    /// Lanes of a warp that wait at the same place meet there: the active lanes are those.
    fn release_warps(&mut self) {
        let waiting = &mut self.waiting;
        let (mut first, released) = (0, &mut self.released);
        while first < waiting.len() {
            let warp = |w: &Waiting| w.request.thread / WARP;
            let lanes = waiting[first..].partition_point(|w| warp(w) == warp(&waiting[first]));
            meet(&waiting[first..first + lanes], released);
            first += lanes;
        }
        if !released.is_empty() {
            waiting.retain(|w| matches!(w.request.what, What::Barrier { .. }));
        }
    }

    /// All threads of the block are at one barrier, or they will never be.
    fn release_block(&mut self) -> Result<(), String> {
        let first = self.waiting[0].request;
        let all = self.threads.block.count();
        if self.waiting.len() < all {
            return Err(self.missing(first));
        }
        if let Some(other) = self.waiting.iter().find(|w| w.request.site != first.site) {
            let place = |r: &Request| self.threads.block.place(r.thread);
            return Err(format!(
                "thread {} waits at the barrier at {}, and thread {} at that at {}",
                place(&first),
                first.site,
                place(&other.request),
                other.request.site
            ));
        }
        let yes = |w: &&Waiting| matches!(w.request.what, What::Barrier { vote: true });
        let votes = self.waiting.iter().filter(yes).count() as u64;
        self.released.extend(self.waiting.drain(..).map(|w| (w.coroutine, [votes, 0])));
        Ok(())
    }

    fn missing(&self, first: Request) -> String {
        let (waiting, all) = (self.waiting.len(), self.threads.block.count());
        let is_here = |k: &usize| self.waiting.iter().any(|w| w.request.thread == *k);
        let gone = (0..all).find(|k| !is_here(k)).unwrap_or(0);
        format!(
            "{waiting} of the {all} threads wait at the barrier at {}, and the others have ended, \
             thread {} the first of them",
            first.site,
            self.threads.block.place(gone)
        )
    }

    /// Ends the coroutines and keeps their stacks.
    fn end(&mut self) -> Result<(), Failure> {
        for mut coroutine in self.coroutines.drain(..) {
            coroutine.resume(Order::End);
            if coroutine.done() {
                STACKS.with(|stacks| stacks.borrow_mut().push(coroutine.into_stack()));
            }
        }
        Ok(())
    }
}

/// Answers what lanes of one warp ask of each other.
fn meet(lanes: &[Waiting], released: &mut Vec<(usize, [u64; 2])>) {
    for lane in lanes {
        let request = lane.request;
        let here = lanes.iter().filter(|l| l.request.site == request.site);
        let answer = match request.what {
            What::Barrier { .. } => continue,
            What::Shuffle { value, from } => {
                let mut here = here.filter(|l| l.request.thread % WARP == from);
                match here.next().map(|l| l.request.what) {
                    Some(What::Shuffle { value, .. }) => value,
                    // The lane is not active: what it would bring is undefined.
                    _ => value,
                }
            }
            What::Ballot { .. } => {
                let yes = here.filter(|l| matches!(l.request.what, What::Ballot { vote: true }));
                [yes.fold(0, |bits, l| bits | 1 << (l.request.thread % WARP)), 0]
            }
        };
        released.push((lane.coroutine, answer));
    }
}

/// Waits, and gives the answer. Outside a kernel there is nobody to wait for: `None`.
pub(super) fn wait(site: &'static Location<'static>, what: What) -> Option<[u64; 2]> {
    let (yielder, thread, at) = CONTEXT.with(|c| (c.yielder.get(), c.linear(), c.thread()));
    if yielder.is_null() {
        return None;
    }
    // SAFETY: the coroutine that runs this set the pointer, and its yielder lives as long as it.
    let order = unsafe { &*yielder }.suspend(Stop::Wait(Request { thread, site, what }));
    CONTEXT.with(|c| {
        c.yielder.set(yielder);
        c.thread[0].set(at.x);
        c.thread[1].set(at.y);
        c.thread[2].set(at.z);
    });
    match order {
        Order::Go(answer) => Some(answer),
        Order::End => None,
    }
}
