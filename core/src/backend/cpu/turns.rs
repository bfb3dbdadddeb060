//! Kernels that run again and again on what they gave.
//!
//! Where no position of X reads what another one wrote ([`crate::kernel::own`]), a thread takes all
//! turns of some positions before it goes on to others, whose elements stay in its cache meanwhile.
//! Where it reads what positions nearby wrote, several turns of some rows come before others
//! (`over_time.rs`). Elsewhere all threads take a turn together.

use super::nest::{self, Turns};
use super::over_time::{OverTime, Places, in_parts};
use super::pieces;
use super::prepare::{self, Pieces};
use super::program::Prepared;
use super::worker::{Space, Worker};
use crate::backend::turns::{self, kind};
use crate::backend::{Arguments, Buffer, pool};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::kernel::own::{Own, own};
use lazuli_inner_loops::level::Level;
use std::sync::Arc;

/// A thread works on positions whose outputs have about so many bytes: with what a turn reads and
/// writes they stay in the second cache.
const PART: usize = 64 << 10;

/// A kernel for many turns.
pub struct Repeated {
    pieces: Arc<Pieces>,
    pairs: Vec<(u32, u32)>,
    own: Option<Own>,
    /// How turns are taken by rows, where positions read what others wrote.
    over_time: Option<OverTime>,
    /// The bytes that a turn writes.
    bytes: usize,
}

impl Repeated {
    /// A kernel whose outputs become inputs, as pairs say.
    pub fn new(kernel: &Kernel, pairs: &[(u32, u32)]) -> Repeated {
        let (own, level) = (own(kernel, pairs), Level::best());
        let pieces = prepare::prepare_for_turns(kernel, level, pieces::LEAST);
        let over_time = match own {
            Some(_) => None,
            None => OverTime::new(kernel, &pieces, pairs),
        };
        let pieces = match own.is_some() || over_time.is_some() {
            true => pieces,
            false => prepare::prepare(kernel, level, pieces::LEAST),
        };
        let bytes = kernel.outputs.iter().map(|o| o.len * o.dtype.size()).sum();
        Repeated { pieces: Arc::new(pieces), pairs: pairs.to_vec(), own, over_time, bytes }
    }

    /// The programs of a turn.
    pub fn pieces(&self) -> Arc<Pieces> {
        self.pieces.clone()
    }

    /// What `explain` says of the turns besides.
    pub fn note(&self) -> &'static str {
        match self.over_time {
            Some(_) => ", several turns of some rows before others",
            None => "",
        }
    }

    /// Whether some positions take turns before others do.
    pub fn takes_turns_apart(&self) -> bool {
        self.over_time.is_some() || self.keeps_parts()
    }

    /// Whether a thread takes all turns of some positions before it goes on to others.
    fn keeps_parts(&self) -> bool {
        let by_piece = match self.own {
            Some(Own::Element) => true,
            Some(Own::Row) => self.pieces.0.len() == 1,
            None => false,
        };
        by_piece && self.pieces.0.iter().all(|p| p.kept.is_empty())
    }

    /// Runs some turns, at least one.
    ///
    /// # Errors
    /// Where there is no memory to work in; the outputs may have been written by then.
    pub fn run(&self, arguments: &Arguments, spares: &[&Buffer], turns: u64) -> Result<()> {
        let scalars = arguments.scalars;
        let places = turns::kinds(arguments, spares, &self.pairs, turns).map(Places::of);
        if let Some(over_time) = &self.over_time {
            return over_time.run(&self.pieces, &places, scalars, turns);
        }
        if !self.keeps_parts() {
            for turn in 0..turns {
                for p in &self.pieces.0 {
                    nest::launch(&places[kind(turn)].launch(p, scalars))?;
                }
            }
            return Ok(());
        }
        self.pieces.0.iter().try_for_each(|p| self.piece(p, &places, scalars, turns))
    }

    /// All turns of the positions of a piece.
    fn piece(
        &self,
        p: &Prepared,
        places: &[Places; 3],
        scalars: &[Scalar],
        turns: u64,
    ) -> Result<()> {
        let launches = places.each_ref().map(|places| places.launch(p, scalars));
        let t = Turns::new(p);
        let threads = pool::threads();
        let large = p.work.saturating_mul(turns as usize) >= nest::PARALLEL;
        // A row that all threads share has them all in each turn.
        if large && t.units < threads && p.work >= nest::PARALLEL {
            return (0..turns).try_for_each(|turn| nest::launch(&launches[kind(turn)]));
        }
        let least = if large { threads } else { 1 };
        let parts = self.bytes.div_ceil(PART).max(least).min(t.units);
        let work = |part: usize| -> Result<()> {
            for turn in 0..turns {
                let mut worker = Worker::new(&launches[kind(turn)], None)?;
                worker.run(&p.launch.steps, &Space::ONE);
                worker.units(&t, part * t.units / parts..(part + 1) * t.units / parts);
            }
            Ok(())
        };
        if large { in_parts(parts, work) } else { (0..parts).try_for_each(work) }
    }
}
