//! What a launch is told beside the kernel's arguments.

use super::dims::Dim3;

/// What the macro knows of a kernel.
#[doc(hidden)]
#[derive(Debug)]
pub struct KernelInfo {
    /// The name, for messages and in C++.
    pub name: &'static str,
    /// The names of the parameters.
    pub params: &'static [&'static str],
}

/// How a kernel is launched, beside its grid.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchOptions {
    /// Bytes of dynamic shared memory of a block.
    pub shared: usize,
}

impl LaunchOptions {
    /// What a kernel has before anything is asked for.
    pub const DEFAULT: Self = LaunchOptions { shared: 0 };
}

/// How many blocks and threads run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) grid: Dim3,
    pub(super) block: Dim3,
    pub(super) options: LaunchOptions,
    pub(super) checks: Checks,
}

/// Whether indices are checked on a GPU; the processor checks them always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Checks {
    /// They are: a launch that is safe.
    On,
    /// They are not: the caller vouches for them.
    Off,
}
