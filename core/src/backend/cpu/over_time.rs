//! Several turns of some rows before others begin, where each looks at rows nearby.
//!
//! A turn over an array that no cache holds waits for memory, and threads that take a turn together
//! wait for each other after it. So the rows are cut into chunks, and some turns are taken in two
//! rounds. In the first each chunk takes all of them by itself, each over fewer rows than the one
//! before, since the rows at its ends need what a neighbour has not computed:
//!
//! ```text
//! turn 3       ____        ____
//! turn 2     ________    ________
//! turn 1   ____________ ___________
//! ```
//!
//! In the second round the gaps between chunks are filled from below, each over more rows than the
//! turn before. Nothing is computed twice, and the two memories that take turns as ever suffice: what
//! a chunk writes over lies where no gap will read.

use super::nest::Turns;
use super::program::Prepared;
use super::worker::{Launch, Space, Worker};
use super::{layout::Mode, nest, prepare::Pieces};
use crate::backend::pool;
use crate::backend::turns::{Turn, kind};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::kernel::rows::{self, Rows};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::ops::Range;

/// A chunk's rows have about so many bytes in what a turn reads and writes.
const CHUNK: usize = 1 << 20;
/// A chunk of long rows may have so many for some turns to be worth it: a part of the last cache.
const LARGE_CHUNK: usize = 2 << 20;
/// The fewest turns that are worth two rounds.
const FEWEST: usize = 4;
/// The most turns of two rounds.
const MOST: usize = 64;

/// A kernel whose turns may be taken by rows.
pub struct OverTime {
    /// The rows of each piece.
    rows: Vec<Rows>,
    /// The rows of all pieces.
    count: usize,
    /// How far a turn looks.
    reach: usize,
    /// Whether the first and the last row are neighbours.
    wraps: bool,
    /// The bytes that a turn reads and writes.
    bytes: usize,
    /// The operations of a turn.
    work: usize,
}

/// What a turn reads and writes, as a launch has it.
pub struct Places {
    inputs: SmallVec<[*const u8; 8]>,
    outputs: SmallVec<[*mut u8; 4]>,
}

impl Places {
    pub fn of(turn: Turn) -> Places {
        Places {
            inputs: turn.inputs.into_iter().map(|at| at as *const u8).collect(),
            outputs: turn.outputs.into_iter().map(|at| at as *mut u8).collect(),
        }
    }

    /// A launch of a piece.
    pub fn launch<'a>(&'a self, p: &'a Prepared, scalars: &'a [Scalar]) -> Launch<'a> {
        Launch { p, inputs: &self.inputs, outputs: &self.outputs, scalars }
    }
}

/// The chunks of rows, and how many turns two rounds take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunks {
    count: usize,
    turns: usize,
}

impl OverTime {
    /// How the turns of a kernel may be taken by rows; none where a row needs others far away, or the
    /// pieces are not elementwise.
    pub fn new(kernel: &Kernel, pieces: &Pieces, pairs: &[(u32, u32)]) -> Option<OverTime> {
        let count = rows::count(kernel)?;
        let of = |p: &Prepared| {
            let plain = p.layout.mode == Mode::Elementwise && p.kept.is_empty();
            plain.then(|| rows::rows(&p.kernel, pairs, count))?
        };
        let rows: Vec<Rows> = pieces.0.iter().map(of).collect::<Option<_>>()?;
        let read: usize = kernel.inputs.iter().map(|i| i.len * i.dtype.size()).sum();
        let written: usize = kernel.outputs.iter().map(|o| o.len * o.dtype.size()).sum();
        let over_time = OverTime {
            count,
            // Rows that look at themselves alone have ends as others have.
            reach: rows.iter().map(|rows| rows.reach).max()?.max(1),
            wraps: rows.iter().any(|rows| rows.wraps),
            bytes: read + written,
            work: pieces.0.iter().map(|p| p.work).sum(),
            rows,
        };
        over_time.most().map(|_| over_time)
    }

    /// The shortest chunks that are worth it, if rows are not too long for them.
    fn most(&self) -> Option<usize> {
        let shortest = (2 * FEWEST - 1) * self.reach;
        let fits = shortest.saturating_mul(self.bytes / self.count.max(1)) <= LARGE_CHUNK;
        (fits && 2 * shortest <= self.count).then_some(self.count / shortest)
    }

    /// The chunks for as many turns; none where taking one turn after the other is as well.
    fn chunks(&self, turns: u64, threads: usize) -> Option<Chunks> {
        let most = self.most()?;
        // Threads whose parts stay in their own caches lose nothing but what waiting costs, which grows
        // with their number: squares of 256 and 512 doubles took two threads 16 to 37% longer in chunks.
        let waits = (threads + 2) * (nest::PARALLEL / 4);
        if self.bytes <= threads * CHUNK && self.work / threads >= waits {
            return None;
        }
        let large = self.work.saturating_mul(MOST) >= 4 * nest::PARALLEL;
        let least = if large && threads > 1 { threads } else { 1 };
        let chunks = self.bytes.div_ceil(CHUNK).max(least);
        let count = chunks.next_multiple_of(least).min(most);
        let longest = (self.count / count + self.reach) / (2 * self.reach);
        let turns = (turns.min(MOST as u64) as usize).min(longest);
        (count > 1 && turns >= FEWEST).then_some(Chunks { count, turns })
    }

    /// Runs some turns, at least one.
    ///
    /// # Errors
    /// Where there is no memory to work in; the outputs may have been written by then.
    pub fn run(
        &self,
        pieces: &Pieces,
        places: &[Places; 3],
        scalars: &[Scalar],
        turns: u64,
    ) -> Result<()> {
        self.run_in(self.chunks(turns, pool::threads()), (pieces, places, scalars), turns)
    }

    /// The same with these chunks.
    fn run_in(
        &self,
        chunks: Option<Chunks>,
        (pieces, places, scalars): (&Pieces, &[Places; 3], &[Scalar]),
        turns: u64,
    ) -> Result<()> {
        let launches: Vec<[Launch; 3]> = (pieces.0.iter())
            .map(|p| places.each_ref().map(|places| places.launch(p, scalars)))
            .collect();
        let mut turn = 0;
        while turn < turns {
            let own = chunks.map_or(1, |chunks| chunks.turns as u64).min(turns - turn);
            match chunks.filter(|_| own >= FEWEST as u64) {
                Some(chunks) => self.rounds(&launches, chunks.count, turn..turn + own)?,
                None => {
                    for turn in turn..turn + own {
                        launches.iter().try_for_each(|piece| nest::launch(&piece[kind(turn)]))?;
                    }
                }
            }
            turn += own;
        }
        Ok(())
    }

    /// Takes some turns in two rounds.
    fn rounds(&self, launches: &[[Launch; 3]], chunks: usize, turns: Range<u64>) -> Result<()> {
        in_parts(chunks, |chunk| {
            let mut hand = Hand::new(self, launches);
            let rows = |(n, turn)| hand.rows(turn, self.chunk((chunk, chunks), n));
            (0..).zip(turns.clone()).try_for_each(rows)
        })?;
        in_parts(self.gaps(chunks), |gap| {
            let mut hand = Hand::new(self, launches);
            let rows = |(n, turn)| hand.rows(turn, self.gap((gap, chunks), n));
            (0..).zip(turns.clone()).try_for_each(rows)
        })
    }

    /// Where a chunk begins, or the one before ends.
    fn begin(&self, chunk: usize, chunks: usize) -> i64 {
        (chunk * self.count / chunks) as i64
    }

    /// The rows of a chunk in a turn of the first round.
    fn chunk(&self, (chunk, chunks): (usize, usize), turn: usize) -> Range<i64> {
        let (from, to) = (self.begin(chunk, chunks), self.begin(chunk + 1, chunks));
        let inwards = |at: i64| match !self.wraps && (at == 0 || at == self.count as i64) {
            true => 0,
            false => (turn * self.reach) as i64,
        };
        from + inwards(from)..to - inwards(to)
    }

    /// The gaps between chunks.
    fn gaps(&self, chunks: usize) -> usize {
        if self.wraps { chunks } else { chunks - 1 }
    }

    /// The rows of a gap in a turn of the second round; those of the gap between the last chunk and the
    /// first one begin before the first row.
    fn gap(&self, (gap, chunks): (usize, usize), turn: usize) -> Range<i64> {
        let at = self.begin(gap + chunks - self.gaps(chunks), chunks);
        let further = (turn * self.reach) as i64;
        at - further..at + further
    }
}

/// Runs all parts on the pool of threads, and gives the first error.
pub(super) fn in_parts(count: usize, run: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let failed: Mutex<Option<Error>> = Mutex::default();
    pool::parts(count, |part| {
        if let Err(error) = run(part) {
            failed.lock().get_or_insert(error);
        }
    });
    failed.into_inner().map_or(Ok(()), Err)
}

/// What a thread works with on a chunk: a worker for each piece and kind of turn that it met.
struct Hand<'a> {
    over_time: &'a OverTime,
    launches: &'a [[Launch<'a>; 3]],
    workers: SmallVec<[Option<Worker<'a>>; 6]>,
}

impl<'a> Hand<'a> {
    fn new(over_time: &'a OverTime, launches: &'a [[Launch<'a>; 3]]) -> Hand<'a> {
        let workers = (0..3 * launches.len()).map(|_| None).collect();
        Hand { over_time, launches, workers }
    }

    /// A turn of some rows; those before the first one and behind the last one are at the other end.
    fn rows(&mut self, turn: u64, rows: Range<i64>) -> Result<()> {
        let count = self.over_time.count as i64;
        for around in [-count, 0, count] {
            let (from, to) = (rows.start + around, rows.end + around);
            let part = from.clamp(0, count) as usize..to.clamp(0, count) as usize;
            if !part.is_empty() {
                self.inside(turn, part)?;
            }
        }
        Ok(())
    }

    fn inside(&mut self, turn: u64, part: Range<usize>) -> Result<()> {
        for (k, rows) in self.over_time.rows.iter().enumerate() {
            let from = part.start.max(rows.written.start);
            let to = part.end.min(rows.written.end);
            if from >= to {
                continue;
            }
            let worker = match &mut self.workers[3 * k + kind(turn)] {
                Some(worker) => worker,
                none => {
                    let launch = &self.launches[k][kind(turn)];
                    let mut worker = Worker::new(launch, None)?;
                    worker.run(&launch.p.launch.steps, &Space::ONE);
                    none.insert(worker)
                }
            };
            match rows.axis {
                // What one row reads may be the same for all of its positions, and is then among what
                // comes before them, of the turn that the worker began with.
                None => {
                    worker.run(&worker.l.p.launch.steps, &Space::ONE);
                    let turns = Turns::new(worker.l.p);
                    worker.units(&turns, 0..turns.units);
                }
                Some(axis) => {
                    let first = rows.written.start;
                    worker.between(axis, from - first..to - first);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "over_time_tests.rs"]
mod tests;
