//! Parts of a launch over threads, of which the calling one is the first.
//!
//! A thread that is none of rayon's waits, asleep, while rayon's threads run what it hands over:
//! two of them and the caller must be woken before the result is there. Here the caller begins at
//! once, and rayon's threads help as they wake up. On an AMD EPYC with two cores row sums of 1000 by
//! 1000 take 1 to 15% less time for it, softmax of 4096 by 4096 14% less, and products and scans no
//! less, which is why these stay with rayon.

use parking_lot::Mutex;
use rayon::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};

/// The turns for which a caller that has nothing left to do looks for the end before it sleeps.
const SPINS: usize = 2000;

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
pub(crate) fn parts(count: usize, run: impl Fn(usize) + Sync) {
    let threads = rayon::current_num_threads();
    if count <= 1 || threads == 1 {
        return (0..count).for_each(run);
    }
    // A thread of the pool that waited here would be one less that helps.
    if rayon::current_thread_index().is_some() {
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
                rayon::spawn(move || crew.work(helper));
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
mod tests {
    use super::parts;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_part_runs_once() {
        for count in [0, 1, 2, 3, 16, 1000] {
            let times: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            parts(count, |k| {
                times[k].fetch_add(1, Ordering::Relaxed);
            });
            assert!(times.iter().all(|t| t.load(Ordering::Relaxed) == 1), "{count} parts");
        }
    }

    #[test]
    fn parts_within_parts_and_from_many_threads() {
        let sum = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        parts(7, |k| {
                            parts(5, |j| {
                                sum.fetch_add(k * j, Ordering::Relaxed);
                            });
                        });
                    }
                });
            }
        });
        assert_eq!(sum.into_inner(), 8 * 50 * 21 * 10);
    }

    #[test]
    fn a_panic_of_a_part_is_the_callers_after_all_have_ended() {
        let done = AtomicUsize::new(0);
        let run = || {
            parts(20, |k| {
                assert!(k != 11, "part eleven");
                done.fetch_add(1, Ordering::Relaxed);
            });
        };
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(*panic.downcast::<&str>().unwrap(), "part eleven");
        assert_eq!(done.into_inner(), 19);
    }
}
