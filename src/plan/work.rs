//! Counts the work of evaluations in tests: that it grows with the graph and no faster is tested by
//! counting, since times depend on the machine.

#[cfg(test)]
thread_local! {
    static DONE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts so many steps of a loop, in tests.
#[inline(always)]
pub(crate) fn work(steps: usize) {
    #[cfg(test)]
    DONE.set(DONE.get() + steps);
    #[cfg(not(test))]
    let _ = steps;
}

/// The steps that a function takes.
#[cfg(test)]
pub(crate) fn steps_of<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let before = DONE.get();
    let result = f();
    (result, DONE.get() - before)
}
