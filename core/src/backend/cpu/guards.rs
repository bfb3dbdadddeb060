//! Guards behind registers, in builds with debug assertions: a tile that is longer than its register
//! would otherwise overwrite a neighbour, and only some later value would be wrong.

use super::program::Mem;

/// The bytes of a guard.
pub const GUARD: usize = if cfg!(debug_assertions) { 64 } else { 0 };
const MARK: u8 = 0xc5;

/// Marks guards before a launch; `at` tells where a place in scratch memory is.
///
/// # Safety
/// The memory is the caller's, and `GUARD` bytes of it lie at each place.
pub unsafe fn mark(guards: &[Mem], at: impl Fn(Mem) -> *mut u8) {
    for &guard in guards {
        // SAFETY: so says the caller.
        unsafe { at(guard).write_bytes(MARK, GUARD) };
    }
}

/// The first guard that was overwritten.
///
/// # Safety
/// As for [`mark`], which marked them.
pub unsafe fn overwritten(guards: &[Mem], at: impl Fn(Mem) -> *mut u8) -> Option<Mem> {
    let whole = |&guard: &Mem| {
        // SAFETY: so says the caller; the bytes were written.
        let bytes = unsafe { std::slice::from_raw_parts(at(guard).cast_const(), GUARD) };
        bytes.iter().all(|&byte| byte == MARK)
    };
    guards.iter().copied().find(|guard| !whole(guard))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_that_was_overwritten_is_found() {
        if GUARD == 0 {
            return;
        }
        let mut memory = vec![0u8; 4 * GUARD];
        let base = memory.as_mut_ptr();
        let guards = [Mem::inner(GUARD), Mem::outer(3 * GUARD)];
        let at = |mem: Mem| base.wrapping_add(mem.offset());
        // SAFETY: both guards lie in the memory.
        unsafe { mark(&guards, at) };
        // SAFETY: they were marked.
        assert_eq!(unsafe { overwritten(&guards, at) }, None);
        // SAFETY: the byte lies in the memory.
        unsafe { base.add(4 * GUARD - 1).write(0) };
        // SAFETY: they were marked.
        assert_eq!(unsafe { overwritten(&guards, at) }, Some(guards[1]));
    }
}
