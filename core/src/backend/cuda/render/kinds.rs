//! The kinds of schedules: which threads do what.
//!
//! The rules of [`schedule`](super::schedule) and [`scan_schedule`](super::scan_schedule) choose one,
//! and each has a file that writes its loops.

/// The threads of a block where nothing asks for another number.
pub(super) const BLOCK: usize = 256;

/// Which threads do what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    /// One axis, `items` packs of `v` a thread.
    Flat { v: usize, items: usize },
    /// Threads along the innermost axis and along another.
    Grid(GridPlan),
    /// One position a thread, `items` times.
    Linear { items: usize },
    /// A team of threads for each X position.
    Rows { v: usize, team: usize, keep: Option<usize>, parts: usize },
    /// `across` threads along X axis `axis` with packs of `v`, `down` threads along R.
    Columns { axis: usize, v: usize, across: usize, down: usize, parts: usize },
    /// A team of threads for each X position, or for each of the `parts` of its row.
    ScanRows { v: usize, team: usize, keep: usize, parts: usize },
    /// `across` threads along X axis `axis` with packs of `v`, `down` threads along R, in `parts`.
    ScanColumns { axis: usize, v: usize, across: usize, down: usize, parts: usize },
}

/// A schedule over two axes of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GridPlan {
    /// The packs' length along the innermost axis.
    pub v: usize,
    /// The rows of a thread.
    pub items: usize,
    /// The threads of a block along the innermost axis.
    pub across: usize,
    /// The axis of the rows.
    pub row: usize,
    /// Whether what varies along the rows only is computed once a tile, in shared memory.
    pub terms: bool,
    /// Whether loads that walk the rows by one go through a tile in shared memory.
    pub turned: bool,
}
