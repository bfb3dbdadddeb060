//! Places in scratch memory.

/// A place in a thread's scratch memory: the outer region, which threads that share the
/// positions of X share too, or the inner one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mem(u32);

impl Mem {
    const OUTER: u32 = 1 << 31;

    /// A place in the inner region.
    pub fn inner(offset: usize) -> Self {
        Mem(u32::try_from(offset).expect("scratch memory is small"))
    }

    /// A place in the outer region.
    pub fn outer(offset: usize) -> Self {
        Mem(Self::inner(offset).0 | Self::OUTER)
    }

    /// Whether the place is in the outer region.
    pub fn is_outer(self) -> bool {
        self.0 & Self::OUTER != 0
    }

    /// The offset within the region.
    pub fn offset(self) -> usize {
        (self.0 & !Self::OUTER) as usize
    }
}

/// Rounds a number of bytes up to whole cache lines.
pub fn round_up(bytes: usize) -> usize {
    bytes.next_multiple_of(64)
}
