//! Numbers along x, y and z: places of threads and blocks, and how many there are of them.

use std::fmt;

/// Three numbers, along x, y and z: the place of a thread or a block, or how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// Along x, which runs fastest.
    pub x: usize,
    /// Along y.
    pub y: usize,
    /// Along z.
    pub z: usize,
}

impl Dim3 {
    /// Three numbers.
    ///
    /// # Example
    /// ```
    /// use lazuli::gpu::Dim3;
    /// assert_eq!(Dim3::new(2, 3, 1), Dim3::from((2, 3)));
    /// ```
    pub const fn new(x: usize, y: usize, z: usize) -> Self {
        Dim3 { x, y, z }
    }

    /// The product, held at the largest number that there is.
    pub(super) fn count(self) -> usize {
        self.x.saturating_mul(self.y).saturating_mul(self.z)
    }

    /// The three numbers at position `k` of a walk with x fastest.
    pub(super) fn place(self, k: usize) -> Dim3 {
        Dim3::new(k % self.x, k / self.x % self.y, k / (self.x * self.y))
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", self.x, self.y, self.z)
    }
}

impl From<usize> for Dim3 {
    fn from(x: usize) -> Self {
        Dim3::new(x, 1, 1)
    }
}

impl From<(usize, usize)> for Dim3 {
    fn from((x, y): (usize, usize)) -> Self {
        Dim3::new(x, y, 1)
    }
}

impl From<(usize, usize, usize)> for Dim3 {
    fn from((x, y, z): (usize, usize, usize)) -> Self {
        Dim3::new(x, y, z)
    }
}

impl From<[usize; 2]> for Dim3 {
    fn from([x, y]: [usize; 2]) -> Self {
        Dim3::new(x, y, 1)
    }
}

impl From<[usize; 3]> for Dim3 {
    fn from([x, y, z]: [usize; 3]) -> Self {
        Dim3::new(x, y, z)
    }
}
