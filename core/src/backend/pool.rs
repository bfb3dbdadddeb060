//! The threads that Lazuli computes with.
//!
//! They are a pool of their own, and who waits for them sleeps. In rayon's common pool a thread
//! that waits takes up other work of the pool meanwhile, which may be a task of the program that
//! evaluates an array, and waits for the evaluation that this thread is in the middle of.
//! So a thread of the program's takes part in [`parts`], and never in what rayon divides
//! ([`inside`], [`each`]): that runs on the pool's own threads alone.
//!
//! A thread that is none of rayon's waits, asleep, while rayon's threads run what it hands over:
//! two of them and the caller must be woken before the result is there. In [`parts`] the caller
//! begins at once, and the pool's threads help as they wake up. On an AMD EPYC with two cores row
//! sums of 1000 by 1000 take 1 to 15% less time for it, softmax of 4096 by 4096 14% less, and
//! products and scans no less, which is why these stay with rayon.
//!
//! A launch is cut into parts of which each thread takes its own share first, so that a core finds
//! in its cache what it wrote before. Scans, whose chunks wait for each other, and the libraries
//! are divided by rayon, inside this pool and nowhere else (`tests/it/layers.rs`).

use super::fork;
use crate::caught::raise;
use crate::error::Error;
use parking_lot::Mutex;
use rayon::prelude::*;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread::{self, Thread};

/// The turns for which a caller that has nothing left to do looks for the end before it sleeps.
const SPINS: usize = 2000;

/// Some threads, which start when they are first needed.
struct Pool {
    threads: usize,
    started: OnceLock<rayon::ThreadPool>,
}

/// The pool that all work goes to: as many threads as `RAYON_NUM_THREADS` says, or as the program
/// may use processors.
static POOL: LazyLock<Pool> = LazyLock::new(|| {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok());
    let all = || thread::available_parallelism().map_or(1, usize::from);
    Pool::new(asked.filter(|&n| n > 0).unwrap_or_else(all))
});

thread_local! {
    /// The pool that this thread is one of, or hands its work to.
    static OWN: Cell<Option<&'static Pool>> = const { Cell::new(None) };
    /// Whether this thread is one of a pool's.
    static WORKS: Cell<bool> = const { Cell::new(false) };
}

impl Pool {
    fn new(threads: usize) -> Pool {
        Pool { threads, started: OnceLock::new() }
    }

    fn current() -> &'static Pool {
        OWN.get().unwrap_or_else(|| &POOL)
    }

    fn rayon(&'static self) -> &'static rayon::ThreadPool {
        self.started.get_or_init(|| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(self.threads)
                .thread_name(|k| format!("lazuli-{k}"))
                .start_handler(|_| {
                    OWN.set(Some(self));
                    WORKS.set(true);
                })
                .build()
                .unwrap_or_else(|why| {
                    let threads = self.threads;
                    raise(Error::out_of_memory(format!("no room for {threads} threads: {why}")))
                })
        })
    }
}

/// The number of threads that share work. In a copy of the process that started them there is this
/// thread alone.
pub fn threads() -> usize {
    if fork::is_copy() { 1 } else { Pool::current().threads }
}

/// Whether this thread is one of the pool's: it runs a part of some work, for which others wait.
pub fn is_worker() -> bool {
    WORKS.get()
}

/// Runs a function with so many threads to share its work. The pools that are made for this stay.
pub fn with_threads<R>(threads: usize, f: impl FnOnce() -> R) -> R {
    static MADE: Mutex<Vec<&'static Pool>> = Mutex::new(Vec::new());
    struct Restore(Option<&'static Pool>);
    impl Drop for Restore {
        fn drop(&mut self) {
            OWN.set(self.0);
        }
    }
    let mut made = MADE.lock();
    let pool = made.iter().copied().find(|pool| pool.threads == threads).unwrap_or_else(|| {
        made.push(Box::leak(Box::new(Pool::new(threads))));
        made[made.len() - 1]
    });
    drop(made);
    let _restore = Restore(OWN.replace(Some(pool)));
    f()
}

/// Runs a function on a thread of the pool, for which this one waits. What rayon divides inside
/// of it stays with the pool's threads. A thread of the pool runs it itself.
///
/// # Panics
/// As the function does.
pub fn inside<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    debug_assert!(!fork::is_copy(), "whoever calls has asked");
    if is_worker() {
        return f();
    }
    let (mut function, mut result) = (Some(f), None);
    let over = Over { ended: AtomicBool::new(false), caller: thread::current() };
    // The job has pointers: references that a function was given count as in use until it returns,
    // which is after it has told this thread to go on.
    let places =
        Places { function: &raw mut function, result: &raw mut result, over: &raw const over };
    let job = Box::new(move || {
        let Places { function, result, over } = { places };
        // SAFETY: what the pointers lead to stays until `over` says that the job has ended, and only
        // the job uses it until then. The guard is made first and so dropped last.
        unsafe {
            let _over = (*over).guard();
            let f = (*function).take().expect("a job runs once");
            *result = Some(catch_unwind(AssertUnwindSafe(f)));
        }
    });
    // SAFETY: this function returns only when `over` says that the job has ended, which the
    // job's last use of what it borrows does.
    let job = unsafe {
        std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Box<dyn FnOnce() + Send + 'static>>(
            job,
        )
    };
    Pool::current().rayon().spawn(job);
    over.wait();
    match result.expect("the job has ended") {
        Ok(result) => result,
        Err(panic) => resume_unwind(panic),
    }
}

/// What a job takes and gives, on the stack of the thread that waits for it.
struct Places<F, R> {
    function: *mut Option<F>,
    result: *mut Option<thread::Result<R>>,
    over: *const Over,
}

// SAFETY: the function and its result may be sent, and the waiting thread uses neither meanwhile.
unsafe impl<F: Send, R: Send> Send for Places<F, R> {}

/// Tells a thread that a job of its has ended.
struct Over {
    ended: AtomicBool,
    caller: Thread,
}

/// Says at its end that the job is over.
struct Guard<'a>(&'a AtomicBool, Thread);

impl Over {
    fn guard(&self) -> Guard<'_> {
        Guard(&self.ended, self.caller.clone())
    }

    fn wait(&self) {
        while !self.ended.load(Ordering::Acquire) {
            thread::park();
        }
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // The caller may go on, and take its flag with it, before it is woken.
        self.0.store(true, Ordering::Release);
        self.1.unpark();
    }
}

/// Runs `f` for all numbers below `count`, as rayon divides them among the pool's threads; one
/// number, or where there is one thread, this thread runs. So `f` divides nothing by rayon itself.
///
/// # Panics
/// As `f` does.
pub fn each(count: usize, f: impl Fn(usize) + Sync) {
    if count <= 1 || threads() == 1 {
        return (0..count).for_each(f);
    }
    inside(|| (0..count).into_par_iter().with_max_len(1).for_each(&f));
}

/// What the threads of one call share.
struct Crew {
    count: usize,
    /// For each thread's share the next part that nobody runs. The shares are the same from call to
    /// call, so that a core finds in its cache what it wrote there before.
    next: Vec<AtomicUsize>,
    /// The parts that have ended.
    done: AtomicUsize,
    /// The threads that may still be asked for help; the number of the last of them is its share.
    idle: AtomicUsize,
    /// What runs a part; valid until all parts have ended.
    run: *const (dyn Fn(usize) + Sync),
    caller: Thread,
    pool: &'static rayon::ThreadPool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `run` may be called from any thread, and is called only for parts that have not ended.
unsafe impl Send for Crew {}
// SAFETY: as above.
unsafe impl Sync for Crew {}

/// Runs `run` for all numbers below `count`, in any order, by this thread and by those of the pool.
///
/// # Panics
/// As the first of the parts that panics does, after all others have ended.
pub fn parts(count: usize, run: impl Fn(usize) + Sync) {
    let threads = threads();
    if count <= 1 || threads == 1 {
        return (0..count).for_each(run);
    }
    // A thread of the pool that waited here would be one less that helps.
    if is_worker() {
        return (0..count).into_par_iter().with_max_len(1).for_each(&run);
    }
    let shares = threads.min(count);
    let run: *const (dyn Fn(usize) + Sync + '_) = &run;
    let crew = Arc::new(Crew {
        count,
        next: (0..shares).map(|share| AtomicUsize::new(share * count / shares)).collect(),
        done: AtomicUsize::new(0),
        idle: AtomicUsize::new(shares - 1),
        // SAFETY: this function does not return before all parts have ended, and nobody uses the
        // pointer for another one.
        run: unsafe {
            std::mem::transmute::<
                *const (dyn Fn(usize) + Sync + '_),
                *const (dyn Fn(usize) + Sync + 'static),
            >(run)
        },
        caller: thread::current(),
        pool: Pool::current().rayon(),
        panic: Mutex::new(None),
    });
    Crew::work(&crew, 0);
    crew.wait();
    if let Some(panic) = crew.panic.lock().take() {
        resume_unwind(panic);
    }
}

impl Crew {
    /// Asks two more threads for help, which ask others in turn, and runs the parts of a share, and
    /// then those that are left of others.
    fn work(self: &Arc<Self>, share: usize) {
        for _ in 0..2 {
            let take = |idle: usize| idle.checked_sub(1);
            let taken = self.idle.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
            if let Ok(helper) = taken {
                let crew = self.clone();
                self.pool.spawn(move || crew.work(helper));
            }
        }
        let shares = self.next.len();
        for share in (share..shares).chain(0..share) {
            let end = (share + 1) * self.count / shares;
            loop {
                let part = self.next[share].fetch_add(1, Ordering::Relaxed);
                if part >= end {
                    break;
                }
                self.run(part);
            }
        }
    }

    fn run(&self, part: usize) {
        // SAFETY: the part has not ended, so the caller waits.
        let run = unsafe { &*self.run };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run(part))) {
            self.panic.lock().get_or_insert(panic);
        }
        if self.done.fetch_add(1, Ordering::Release) + 1 == self.count {
            self.caller.unpark();
        }
    }

    /// Waits for the parts that others run.
    fn wait(&self) {
        let mut turns = 0;
        while self.done.load(Ordering::Acquire) < self.count {
            turns += 1;
            if turns < SPINS {
                std::hint::spin_loop();
            } else {
                thread::park();
            }
        }
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
