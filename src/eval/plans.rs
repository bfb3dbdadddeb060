//! The plans that were made.
//!
//! A loop whose slices grow has a structure of its own in each turn. Where plans that differ in
//! sizes and places alone were made more than [`MOST_VARIANTS`] times for one kind of graph with
//! several assignments, the assignments of the next are evaluated one by one ([`Stop::Varying`]):
//! each is a small plan of its length, and comes again. The same goes for more than [`MOST_COPIES`]
//! plans for one assignment to an array that others hold, which is then copied first (`copies.rs`),
//! but for graphs that come again. `tests/it/growing.rs` counts them.

use super::periods::Values;
use super::prepared::prepared;
use super::ready::Prepared;
use super::walk::Walk;
use super::{EVALUATOR, Evaluator, Turn, count};
use crate::backend::{Arithmetic, Device};
use crate::error::{Error, Result};
use crate::plan::Graph;
use parking_lot::Condvar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The most plans that are kept.
const MAX_PLANS: usize = 1 << 14;
/// The most plans for graphs that assign to arrays more than once and differ in sizes and places
/// alone.
const MOST_VARIANTS: u8 = 4;
/// The most plans for graphs with one assignment, to an array that somebody else holds.
const MOST_COPIES: u8 = 16;
/// Such a graph that was met so often has a plan of its own all the same.
const OFTEN: u8 = 3;
/// The most of these graphs that are counted.
const MAX_MET: usize = 1 << 12;
/// The most values that the kernels of kept plans have, but for the latest: each takes some hundred
/// bytes.
const MAX_KEPT: usize = 1 << 18;

/// What a plan depends on, in short.
type Key = (Device, Arithmetic, u128);

/// The plans made so far.
#[derive(Default)]
pub(super) struct Plans {
    /// Each plan, with the turn at which it was last used.
    made: FxHashMap<Key, (Arc<Prepared>, u64)>,
    /// The sizes of all of them.
    size: usize,
    turn: u64,
    /// What some thread is planning and compiling.
    in_the_making: FxHashSet<Key>,
    /// For each kind of graph with assignments, how many plans were made that differ in sizes and
    /// places alone.
    variants: FxHashMap<u64, u8>,
    /// How often graphs with one assignment were met that have no plan.
    met: FxHashMap<Key, u8>,
}

/// Told whenever a plan was made, or could not be made.
static MADE: Condvar = Condvar::new();

/// Why what was tried under the evaluator's lock came to no end.
pub(super) enum Stop {
    /// It failed.
    Failed(Error),
    /// A plan is missing, which this thread has to make.
    Missing(Box<Missing>),
    /// A plan is missing, which another thread makes.
    InTheMaking(Key),
    /// The assignments in the graph are to be evaluated one by one, before what was asked for: a plan
    /// for all would hardly be used again, since many of its kind were made before, or it would copy an
    /// array that is kept and can be written in place.
    Varying,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What is tried under the evaluator's lock.
pub(super) type Attempt<T> = std::result::Result<T, Stop>;

/// Does something under the evaluator's lock. Where it finds a plan missing, the plan is made
/// without the lock, so that other threads evaluate meanwhile, and the whole is done anew: what
/// it had seen of the graph may have changed.
pub(super) fn with_plans<R>(mut attempt: impl FnMut(&mut Evaluator) -> Attempt<R>) -> Result<R> {
    let _turn = Turn::begin()?;
    let mut evaluator = EVALUATOR.lock();
    loop {
        match attempt(&mut evaluator) {
            Ok(done) => return Ok(done),
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Varying) => unreachable!("who evaluates goes on one by one"),
            Err(Stop::InTheMaking(key)) => {
                while evaluator.plans.in_the_making.contains(&key) {
                    MADE.wait(&mut evaluator);
                }
            }
            Err(Stop::Missing(missing)) => {
                drop(evaluator);
                missing.make()?;
                evaluator = EVALUATOR.lock();
            }
        }
    }
}

impl Plans {
    /// The plan of a walk.
    pub(super) fn find(&mut self, device: Device, walk: &Walk) -> Attempt<Arc<Prepared>> {
        if !walk.as_a_whole && walk.kept > 0 && walk.reads_kept_assignments() {
            return Err(Stop::Varying);
        }
        let mut key = (device, Arithmetic::current(), walk.key());
        let mut as_recorded = false;
        self.turn += 1;
        while let Some((prepared, used)) = self.made.get_mut(&key) {
            as_recorded = prepared.rolled.as_ref().is_some_and(|known| !walk.repeats(known));
            if !as_recorded {
                *used = self.turn;
                return Ok(prepared.clone());
            }
            key.2 = !key.2;
        }
        if self.in_the_making.contains(&key) {
            return Err(Stop::InTheMaking(key));
        }
        if !walk.as_a_whole && self.is_variant(key, walk) {
            return Err(Stop::Varying);
        }
        let graph = walk.graph();
        let values = if as_recorded { None } else { walk.values() };
        self.in_the_making.insert(key);
        Err(Stop::Missing(Box::new(Missing { key, graph, values })))
    }

    /// Whether a walk's plan would hardly come again: it assigns to regions of many sizes, or many
    /// plans were made that differ from its own in sizes and places alone. Counts this one. Of walks
    /// with one assignment those that come again have a plan.
    fn is_variant(&mut self, key: Key, walk: &Walk) -> bool {
        let Some((skeleton, alone)) = walk.skeleton() else { return false };
        if walk.has_growing_regions() {
            return true;
        }
        if self.variants.len() >= MAX_PLANS {
            self.variants.clear();
        }
        let count = self.variants.entry(skeleton).or_default();
        *count = count.saturating_add(1);
        if !alone {
            return *count > MOST_VARIANTS;
        }
        if *count <= MOST_COPIES {
            return false;
        }
        if self.met.len() >= MAX_MET {
            self.met.clear();
        }
        let met = self.met.entry(key).or_default();
        *met = met.saturating_add(1);
        *met < OFTEN
    }

    fn keep(&mut self, key: Key, prepared: Prepared) {
        let is_too_much =
            |plans: &Plans| plans.made.len() >= MAX_PLANS || plans.size + prepared.size > MAX_KEPT;
        while !self.made.is_empty() && is_too_much(self) {
            self.forget_old();
        }
        self.size += prepared.size;
        if let Some((old, _)) = self.made.insert(key, (Arc::new(prepared), self.turn)) {
            self.size -= old.size;
        }
    }

    /// Drops the half of the plans that was used longest ago, at least one: what a program runs
    /// again and again stays.
    fn forget_old(&mut self) {
        let mut turns: Vec<u64> = self.made.values().map(|plan| plan.1).collect();
        let middle = (turns.len() - 1) / 2;
        let (_, &mut middle, _) = turns.select_nth_unstable(middle);
        self.made.retain(|_, plan| plan.1 > middle);
        self.size = self.made.values().map(|plan| plan.0.size).sum();
    }
}

/// A plan to be made by the thread that has this.
pub(super) struct Missing {
    key: Key,
    graph: Graph,
    /// The scalars, where turns of a recorded loop may be taken together.
    values: Option<Values>,
}

impl Missing {
    /// Makes the plan and keeps it.
    fn make(self) -> Result<()> {
        count(|c| c.plans += 1);
        let prepared = prepared(self.key.0, &self.graph, self.values.as_ref())?;
        EVALUATOR.lock().plans.keep(self.key, prepared);
        Ok(())
    }
}

impl Drop for Missing {
    /// Whatever came of it, others need not wait any more; they try themselves.
    fn drop(&mut self) {
        EVALUATOR.lock().plans.in_the_making.remove(&self.key);
        MADE.notify_all();
    }
}
