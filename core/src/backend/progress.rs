//! How far long work has come, for a program that shows it.

use parking_lot::Mutex;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How far one piece of work has come: see [`with_progress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is counted: `kernels to compile`, `bytes to the device`, `bytes to the host` or `turns`.
    pub what: &'static str,
    /// How much is done.
    pub done: u64,
    /// How much there is; 0 where that is not known, as for a loop with a condition.
    pub total: u64,
}

/// A program's function, and how often it wants to be called.
#[derive(Clone, Copy)]
struct Shown {
    show: &'static (dyn Fn(Progress) + Sync),
    every: Duration,
}

thread_local! {
    static SHOWN: Cell<Option<Shown>> = const { Cell::new(None) };
}

/// Runs a function, and tells how far long work in it has come: compiling kernels, copying from and to
/// GPUs, reading files to a device, and loops (`repeat` and its kin).
///
/// `show` is called at most every `every`, and at the end of what took longer than that; now and
/// then by threads of Lazuli's own. It must not evaluate anything. Loops that are one launch are cut
/// into several, each of which takes about `every`, and the host waits for them.
///
/// What other threads ask for is not told.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
/// use std::time::Duration;
/// let turns = AtomicU64::new(0);
/// let show = |progress: lazuli::Progress| {
///     assert_eq!((progress.what, progress.total), ("turns", 100));
///     turns.store(progress.done, Relaxed);
/// };
/// let x = lazuli::with_progress(Duration::ZERO, show, || {
///     let start = DeviceArray::<f64>::ones([4]);
///     lazuli::repeat(100, start, |x| x.cumsum(0) * 0.5).to_vec()
/// })?;
/// assert_eq!((x[0], turns.into_inner()), (0.5f64.powi(100), 100));
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "tqdm")]
#[doc(alias = "callback")]
pub fn with_progress<R>(
    every: Duration,
    show: impl Fn(Progress) + Sync,
    f: impl FnOnce() -> R,
) -> R {
    struct Restore(Option<Shown>);
    impl Drop for Restore {
        fn drop(&mut self) {
            SHOWN.set(self.0);
        }
    }
    let borrowed: &(dyn Fn(Progress) + Sync) = &show;
    // SAFETY: the function is called while `f` runs alone: the cell is set back when `f` ends, and
    // whoever takes it from there (a `Meter`) does so in this thread and is gone when the call that
    // made it returns.
    let show: &'static (dyn Fn(Progress) + Sync) = unsafe { std::mem::transmute(borrowed) };
    let _restore = Restore(SHOWN.replace(Some(Shown { show, every })));
    f()
}

/// Work that tells how far it has come.
pub struct Meter {
    shown: Shown,
    what: &'static str,
    total: u64,
    done: AtomicU64,
    last: Mutex<Last>,
}

/// What a program was told last.
struct Last {
    /// When, or when the work began.
    at: Instant,
    /// How much was done; none where nothing was told yet.
    told: Option<u64>,
}

impl Meter {
    /// Begins to tell, where this thread's program wants to know.
    pub fn start(what: &'static str, total: u64) -> Option<Meter> {
        let shown = SHOWN.get()?;
        Some(Meter {
            shown,
            what,
            total,
            done: AtomicU64::new(0),
            last: Mutex::new(Last { at: Instant::now(), told: None }),
        })
    }

    /// How often the program wants to be told.
    pub fn every(&self) -> Duration {
        self.shown.every
    }

    /// Whether the next step is told.
    pub fn is_due(&self) -> bool {
        self.last.lock().at.elapsed() >= self.shown.every
    }

    /// Some more is done; any thread may say so.
    pub fn add(&self, more: u64) {
        let done = self.done.fetch_add(more, Relaxed) + more;
        // One thread shows at a time, and none waits for another.
        let Some(mut last) = self.last.try_lock() else { return };
        if last.at.elapsed() >= self.shown.every {
            (self.shown.show)(Progress { what: self.what, done, total: self.total });
            *last = Last { at: Instant::now(), told: Some(done) };
        }
    }
}

impl Drop for Meter {
    /// The end is told of what took long, whenever the last report was.
    fn drop(&mut self) {
        let (done, last) = (self.done.load(Relaxed), self.last.get_mut());
        let took_long = last.told.is_some() || last.at.elapsed() >= self.shown.every;
        // A failure has its own report, and a panic in this one would be a second.
        if took_long && last.told != Some(done) && done > 0 && !std::thread::panicking() {
            (self.shown.show)(Progress { what: self.what, done, total: self.total });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(every: Duration, work: impl FnOnce()) -> Vec<u64> {
        let told = Mutex::new(Vec::new());
        with_progress(every, |progress| told.lock().push(progress.done), work);
        told.into_inner()
    }

    #[test]
    fn long_work_is_told_now_and_then_and_at_its_end() {
        let every = Duration::from_millis(20);
        let long = told(every, || {
            let meter = Meter::start("parts", 3).expect("somebody wants to know");
            meter.add(1);
            std::thread::sleep(2 * every);
            meter.add(1);
            meter.add(1);
        });
        assert_eq!(long.last(), Some(&3));
        assert!(long.is_sorted() && long.contains(&2), "{long:?}");
        let short = told(Duration::from_secs(3600), || {
            let meter = Meter::start("parts", 1).expect("somebody wants to know");
            meter.add(1);
        });
        assert!(short.is_empty());
        assert!(Meter::start("parts", 1).is_none());
    }
}
