//! The allocator over a pretended device with a fixed amount of memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::*;

struct Pretended {
    total: usize,
    state: Mutex<PretendedState>,
}

#[derive(Default)]
struct PretendedState {
    next: u64,
    live: HashMap<u64, usize>,
    /// Freed blocks stay with the pool until it is trimmed, as the driver's do.
    retained: usize,
    releases: usize,
}

impl RawMemory for &Pretended {
    fn allocate(&self, bytes: usize) -> Result<Option<u64>> {
        let mut state = self.state.lock();
        let used: usize = state.live.values().sum();
        if bytes > self.total || used + state.retained + bytes > self.total {
            return Ok(None);
        }
        state.next += 1;
        let pointer = state.next << 32;
        state.live.insert(pointer, bytes);
        Ok(Some(pointer))
    }

    fn free(&self, pointer: u64) {
        let mut state = self.state.lock();
        let bytes = state.live.remove(&pointer).expect("freed once, and only what was given");
        state.retained += bytes;
    }

    fn release_unused(&self) {
        let mut state = self.state.lock();
        state.retained = 0;
        state.releases += 1;
    }

    fn free_and_total(&self) -> (usize, usize) {
        (self.total - self.state.lock().live.values().sum::<usize>(), self.total)
    }
}

fn pretended(total: usize) -> Pretended {
    Pretended { total, state: Mutex::default() }
}

#[test]
fn classes_hold_their_requests_and_waste_little() {
    let mut last = (0, 0);
    for bytes in (1..100_000).chain((100_000..LARGEST_CACHED).step_by(99_991)) {
        let (class, size) = class_of(bytes);
        assert!(size >= bytes && size % 512 == 0, "{bytes} in {size}");
        assert!(size - bytes < 512 || size - bytes <= bytes / 8, "{bytes} in {size}");
        assert!(class < CLASSES);
        // One class has one size, and classes ascend with the sizes.
        assert_eq!(class == last.0, size == last.1 || last.1 == 0, "{bytes}");
        assert!((class, size) >= last);
        last = (class, size);
    }
    assert_eq!(class_of(LARGEST_CACHED), (CLASSES - 1, LARGEST_CACHED));
    assert_eq!(class_of(LARGEST_CACHED + 1).0, usize::MAX);
}

#[test]
fn a_freed_block_is_handed_out_again() {
    let device = pretended(1 << 30);
    let memory = Allocator::new(&device, 1 << 20);
    let first = memory.allocate(1000).unwrap();
    memory.free(first, 1000);
    assert_eq!(memory.allocate(900).unwrap(), first, "the same class");
    let other = memory.allocate(2000).unwrap();
    assert_ne!(other, first);
    let stats = memory.stats();
    assert_eq!((stats.in_use, stats.cached, stats.driver_allocations), (1024 + 2048, 0, 2));
    assert_eq!(stats.peak, 1024 + 2048);
}

#[test]
fn nothing_is_a_legal_size() {
    let device = pretended(0);
    let memory = Allocator::new(&device, 1 << 20);
    assert_eq!(memory.allocate(0).unwrap(), 0);
    memory.free(0, 0);
    assert_eq!(memory.stats(), MemoryStats::default());
}

#[test]
fn large_blocks_and_what_is_past_the_limit_go_back_to_the_driver() {
    let device = pretended(1 << 40);
    let memory = Allocator::new(&device, 4096);
    let large = memory.allocate(LARGEST_CACHED + 1).unwrap();
    memory.free(large, LARGEST_CACHED + 1);
    let blocks: Vec<u64> = (0..3).map(|_| memory.allocate(2048).unwrap()).collect();
    for block in blocks {
        memory.free(block, 2048);
    }
    assert_eq!(memory.stats().cached, 4096);
    assert_eq!(device.state.lock().live.len(), 2);
}

#[test]
fn running_out_releases_the_caches_and_tries_once_more() {
    let device = pretended(10 << 20);
    let memory = Allocator::new(&device, 10 << 20);
    let block = memory.allocate(6 << 20).unwrap();
    memory.free(block, 6 << 20);
    let next = memory.allocate(8 << 20).expect("the cached block makes room");
    assert_eq!(device.state.lock().releases, 1);
    assert_eq!(memory.stats().in_use, 8 << 20);

    let error = memory.allocate(5 << 20).unwrap_err();
    assert!(error.is_out_of_memory());
    let text = error.to_string();
    for part in
        [(5usize << 20).to_string(), (2usize << 20).to_string(), (10usize << 20).to_string()]
    {
        assert!(text.contains(&part), "{text} names {part}");
    }
    memory.free(next, 8 << 20);
    assert!(memory.allocate(5 << 20).is_ok(), "the allocator works on after an error");
}

#[test]
fn a_size_past_all_memory_is_an_error_and_no_overflow() {
    let device = pretended(1 << 30);
    let memory = Allocator::new(&device, 1 << 20);
    for bytes in [usize::MAX, usize::MAX - 511, isize::MAX as usize] {
        assert!(memory.allocate(bytes).unwrap_err().is_out_of_memory());
    }
    assert!(memory.allocate((1 << 30) + 1).unwrap_err().is_out_of_memory());
    assert_eq!(device.state.lock().releases, 0, "nobody has to give anything back for it");
}

/// Uses that are over when somebody says so, or once they were waited for.
struct Running(Arc<AtomicBool>);

impl Uses for Running {
    fn are_over(&self) -> bool {
        self.0.load(Relaxed)
    }

    fn wait(&self, _: bool) -> Result<()> {
        self.0.store(true, Relaxed);
        Ok(())
    }
}

#[test]
fn blocks_that_others_use_wait_until_they_are_done() {
    for bytes in [4096, LARGEST_CACHED + 1] {
        let device = pretended(usize::MAX / 4);
        let allocator = Allocator::new(&device, 1 << 30);
        let over = Arc::new(AtomicBool::new(false));
        let uses = |over: &Arc<AtomicBool>| -> Option<Box<dyn Uses>> {
            Some(Box::new(Running(over.clone())))
        };
        let first = allocator.allocate(bytes).unwrap();
        allocator.free_after(first, bytes, uses(&over));
        assert_eq!(device.state.lock().live.len(), 1);
        let second = allocator.allocate(bytes).unwrap();
        assert_ne!(first, second);
        assert_eq!(device.state.lock().live.len(), 2);
        over.store(true, Relaxed);
        let third = allocator.allocate(bytes).unwrap();
        // A small block is used again, a large one went back to the device.
        assert_eq!(third == first, bytes == 4096);
        assert_eq!(device.state.lock().live.len(), 2);
        allocator.free_after(third, bytes, uses(&over));
        allocator.free_after(second, bytes, None);
        let running = Arc::new(AtomicBool::new(false));
        let last = allocator.allocate(bytes).unwrap();
        allocator.free_after(last, bytes, uses(&running));
        assert_eq!(allocator.stats().in_use, class_of(bytes).1);
        allocator.release_cached();
        assert!(running.load(Relaxed), "nobody waited");
        assert_eq!((allocator.stats().in_use, device.state.lock().live.len()), (0, 0));
    }
    // What runs out of memory waits for blocks in use.
    let device = pretended(8192);
    let allocator = Allocator::new(&device, 1 << 30);
    let first = allocator.allocate(8192).unwrap();
    let running = Arc::new(AtomicBool::new(false));
    allocator.free_after(first, 8192, Some(Box::new(Running(running.clone()))));
    allocator.allocate(8192).unwrap();
    assert!(running.load(Relaxed));
}
