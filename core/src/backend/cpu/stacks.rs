//! Large stacks for what users write.
//!
//! A function may have arrays as locals that no thread's stack has room for. So it runs on a stack
//! of our own, of which the system commits only the pages that are touched. Where it grants no
//! large one, as under a limit of the address space, a smaller one is taken.

use crate::backend::pool;
use corosensei::on_stack;
use corosensei::stack::{DefaultStack, Stack};
use std::cell::RefCell;
use std::io;

/// The bytes of the stack of a function on arrays: one for each thread.
const FUNCTION: usize = if cfg!(target_pointer_width = "64") { 1 << 30 } else { 16 << 20 };
/// The bytes that any stack has at least.
const LEAST: usize = 256 << 10;

thread_local! {
    /// Stacks that wait for the next function.
    static SPARE: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// A stack of so many bytes, or of fewer where the system refuses. Of a limited address space the
/// `count` stacks that there may be at a time take a quarter at most.
pub fn reserve(most: usize, count: usize) -> io::Result<DefaultStack> {
    let mut bytes = most.min((address_space() / 4 / count).max(LEAST));
    loop {
        match DefaultStack::new(bytes) {
            Ok(stack) => {
                by_small_pages(&stack);
                return Ok(stack);
            }
            Err(error) if bytes <= LEAST => return Err(error),
            Err(_) => bytes /= 2,
        }
    }
}

/// Runs a function on a large stack, which the thread keeps for the next one.
pub fn on_large<R>(f: impl FnOnce() -> R) -> io::Result<R> {
    struct Kept(Option<DefaultStack>);
    impl Drop for Kept {
        fn drop(&mut self) {
            if let Some(stack) = self.0.take() {
                SPARE.with(|spare| spare.borrow_mut().push(stack));
            }
        }
    }
    let spare = SPARE.with(|spare| spare.borrow_mut().pop());
    let mut kept = Kept(Some(spare.map_or_else(|| reserve(FUNCTION, pool::threads()), Ok)?));
    let stack = kept.0.as_mut().expect("it was put there");
    Ok(on_stack(stack, f))
}

/// The bytes of address space that the process may have.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn address_space() -> usize {
    const ADDRESS_SPACE: i32 = 9;
    unsafe extern "C" {
        fn getrlimit(resource: i32, limit: *mut [u64; 2]) -> i32;
    }
    let mut limit = [u64::MAX; 2];
    // SAFETY: the limit is two numbers of 64 bits, the one that holds now and its most.
    match unsafe { getrlimit(ADDRESS_SPACE, &mut limit) } {
        0 => limit[0] as usize,
        _ => usize::MAX,
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn address_space() -> usize {
    usize::MAX
}

/// Has the system commit a stack by small pages: a large one would be committed whole for the
/// first local.
#[cfg(target_os = "linux")]
fn by_small_pages(stack: &DefaultStack) {
    const MADV_NOHUGEPAGE: i32 = 15;
    unsafe extern "C" {
        fn madvise(address: *mut std::ffi::c_void, bytes: usize, advice: i32) -> i32;
    }
    let (low, high) = (stack.limit().get(), stack.base().get());
    // SAFETY: the range is the stack's own mapping, and the advice changes no contents.
    unsafe { madvise(low as *mut std::ffi::c_void, high - low, MADV_NOHUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn by_small_pages(_: &DefaultStack) {}

#[cfg(test)]
mod tests {
    use super::on_large;
    use std::hint::black_box;

    #[inline(never)]
    fn deep() -> u64 {
        let numbers = black_box([1u64; 8 << 20]);
        black_box(&numbers).iter().sum()
    }

    #[test]
    fn locals_of_64_megabytes_have_room() {
        assert_eq!(on_large(deep).unwrap(), 8 << 20);
    }

    #[test]
    fn a_stack_is_there_again_after_a_panic() {
        for _ in 0..3 {
            let panics = || on_large(|| std::panic::resume_unwind(Box::new("inside"))).unwrap();
            let payload = std::panic::catch_unwind(panics).unwrap_err();
            assert_eq!(*payload.downcast::<&str>().unwrap(), "inside");
        }
        assert_eq!(on_large(|| on_large(|| 5).unwrap()).unwrap(), 5);
        assert!(super::SPARE.with(|spare| spare.borrow().len()) <= 2);
    }
}
