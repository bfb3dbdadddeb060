//! Memory that threads share.

/// Memory that threads write in disjoint parts.
pub(super) struct Shared<T>(pub *mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}
// SAFETY: it is only an address; those who write through it say which parts are theirs.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The place of an element.
    pub(super) fn at(self, k: usize) -> *mut T {
        self.0.wrapping_add(k)
    }
}
