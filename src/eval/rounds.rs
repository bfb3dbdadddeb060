//! Where the state of a loop lies when its turns are launched ahead (`ahead.rs`).

use super::body::{Body, From, Source};
use crate::error::Result;
use std::sync::Arc;

/// The most turns after which the state lies where it lay.
pub(super) const MOST_PERIOD: usize = 6;

/// Where the state of a loop lies before each turn of a period, and where the turn writes.
///
/// What a turn makes lies in memory that earlier turns wrote and that nothing of its state lies in, the
/// longest unused first, or in new memory where there is none.
pub(super) struct Rounds<B> {
    before: Vec<Vec<Arc<B>>>,
    written: Vec<Vec<(u32, Arc<B>)>>,
}

impl<B> Rounds<B> {
    /// The rounds of a body that has run for [`MOST_PERIOD`] turns at least, whose state lies here now;
    /// none where a period would be longer.
    ///
    /// # Errors
    /// Those of `allocate`, which gives memory for what a node of the body computes.
    pub(super) fn new(
        body: &Body,
        state: &[Arc<B>],
        captured: &[Arc<B>],
        mut allocate: impl FnMut(u32) -> Result<Arc<B>>,
    ) -> Result<Option<Self>> {
        let mut rings = rings(body, state);
        let mut rounds = Rounds { before: Vec::new(), written: Vec::new() };
        let mut now = state.to_vec();
        for _ in 0..MOST_PERIOD {
            let mut written = Vec::new();
            for (node, ring) in &mut rings {
                let is_free = |buffer: &Arc<B>| !now.iter().any(|other| Arc::ptr_eq(other, buffer));
                let buffer = match ring.iter().position(is_free) {
                    Some(at) => ring.remove(at),
                    None => allocate(*node)?,
                };
                ring.push(buffer.clone());
                written.push((*node, buffer));
            }
            let next = after(body, &now, captured, &written);
            rounds.before.push(std::mem::replace(&mut now, next));
            rounds.written.push(written);
            if now.iter().zip(state).all(|(now, first)| Arc::ptr_eq(now, first)) {
                return Ok(Some(rounds));
            }
        }
        Ok(None)
    }

    /// The turns after which the state lies where it lay.
    pub(super) fn period(&self) -> usize {
        self.before.len()
    }

    /// Where the state lies before a turn.
    pub(super) fn before(&self, turn: u64) -> &[Arc<B>] {
        &self.before[(turn % self.period() as u64) as usize]
    }

    /// Where a turn writes its state: nodes of the body, each with its memory.
    pub(super) fn written(&self, turn: u64) -> &[(u32, Arc<B>)] {
        &self.written[(turn % self.period() as u64) as usize]
    }

    /// All memory that turns write, some of it more than once.
    pub(super) fn memory(&self) -> impl Iterator<Item = &Arc<B>> {
        self.written.iter().flatten().map(|(_, buffer)| buffer)
    }
}

/// Whether the rounds of a body have a period that is short enough.
pub(super) fn come_round(body: &Body) -> bool {
    let nodes: Vec<u32> = (0..body.states).filter_map(|k| maker(body, k)).collect();
    let of = |source: &Source| match source {
        Source::Captured(k) => k + 1,
        Source::State(_) => 0,
    };
    let given = body.results.iter().filter_map(|result| match result {
        From::Given(source) => Some(of(source)),
        From::Step(..) => None,
    });
    let captured: Vec<Arc<()>> = (0..given.max().unwrap_or(0)).map(|_| Arc::new(())).collect();
    let mut state: Vec<Arc<()>> = (0..body.states).map(|_| Arc::new(())).collect();
    for _ in 0..MOST_PERIOD {
        let written: Vec<(u32, Arc<()>)> = nodes.iter().map(|&n| (n, Arc::new(()))).collect();
        state = after(body, &state, &captured, &written);
    }
    matches!(Rounds::new(body, &state, &captured, |_| Ok(Arc::new(()))), Ok(Some(_)))
}

/// The state after a turn that has written so.
fn after<B>(
    body: &Body,
    state: &[Arc<B>],
    captured: &[Arc<B>],
    written: &[(u32, Arc<B>)],
) -> Vec<Arc<B>> {
    let result = |result: &From| match result {
        From::Given(source) => source.of(state, captured).clone(),
        From::Step(n, _) => {
            let made = written.iter().find(|made| made.0 == *n);
            made.expect("the turn makes its state").1.clone()
        }
    };
    body.results[..body.states].iter().map(result).collect()
}

/// For each node of a body that is a part of its state, the memory that turns have written it into, as far
/// as some of the state still lies there.
fn rings<B>(body: &Body, state: &[Arc<B>]) -> Vec<(u32, Vec<Arc<B>>)> {
    let mut rings: Vec<(u32, Vec<Arc<B>>)> = Vec::new();
    for (k, buffer) in state.iter().enumerate() {
        let Some(node) = maker(body, k) else { continue };
        let at = rings.iter().position(|ring| ring.0 == node).unwrap_or_else(|| {
            rings.push((node, Vec::new()));
            rings.len() - 1
        });
        let ring = &mut rings[at].1;
        if !ring.iter().any(|known| Arc::ptr_eq(known, buffer)) {
            ring.push(buffer.clone());
        }
    }
    rings
}

/// The node that made an array of the state, in the last turn or in one of those before, from which it was
/// handed on; none where no turn made it, or only one that is long ago.
fn maker(body: &Body, mut of: usize) -> Option<u32> {
    for _ in 0..MOST_PERIOD {
        match body.results[of] {
            From::Step(n, _) => return Some(n),
            From::Given(Source::State(other)) if other != of => of = other,
            From::Given(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::body::{End, Source::*};
    use crate::plan::Graph;

    fn body(results: &[From]) -> Body {
        Body {
            graph: Graph::default(),
            leaves: Vec::new(),
            numbers: Vec::new(),
            results: results.to_vec(),
            states: results.len(),
            end: End::False,
            stacked: Vec::new(),
        }
    }

    /// Plays turns on memory that holds numbers, and compares with turns that always take new memory.
    fn check(results: &[From], period: Option<usize>, memory: usize) {
        let body = body(results);
        let count = results.len();
        let captured: Vec<Arc<usize>> = (0..2).map(|k| Arc::new(1000 + k)).collect();
        // The names of what the state holds: who made it, and in which turn.
        let step = |state: &[(u32, u64)], turn: u64| -> Vec<(u32, u64)> {
            let result = |result: &From| match *result {
                From::Step(n, _) => (n, turn),
                From::Given(State(k)) => state[k],
                From::Given(Captured(k)) => (1000 + k as u32, 0),
            };
            results.iter().map(result).collect()
        };
        let first: Vec<(u32, u64)> = (0..count as u32).map(|k| (2000 + k, 0)).collect();
        let (mut holds, mut lies) = (first, Vec::new());
        for turn in 1..=MOST_PERIOD as u64 {
            holds = step(&holds, turn);
        }
        // Memory by what lies there.
        let mut known: Vec<((u32, u64), Arc<usize>)> = Vec::new();
        for name in &holds {
            let at = known.iter().position(|known| known.0 == *name).unwrap_or_else(|| {
                let memory = match name.0.checked_sub(1000) {
                    Some(k) if k < 2 => captured[k as usize].clone(),
                    _ => Arc::new(known.len()),
                };
                known.push((*name, memory));
                known.len() - 1
            });
            lies.push(known[at].1.clone());
        }
        let mut made = 0;
        let rounds = Rounds::new(&body, &lies, &captured, |_| {
            made += 1;
            Ok(Arc::new(100 + made))
        });
        let rounds = rounds.unwrap();
        assert_eq!(come_round(&body), period.is_some());
        assert_eq!(rounds.as_ref().map(Rounds::period), period);
        let Some(rounds) = rounds else { return };
        assert_eq!(made, memory);
        let mut content: Vec<(Arc<usize>, (u32, u64))> =
            known.into_iter().map(|(name, memory)| (memory, name)).collect();
        content.extend(captured.iter().map(|c| (c.clone(), (**c as u32, 0))));
        for turn in 0..20 {
            let read = |buffer: &Arc<usize>| {
                content.iter().find(|known| Arc::ptr_eq(&known.0, buffer)).unwrap().1
            };
            let found: Vec<(u32, u64)> = rounds.before(turn).iter().map(read).collect();
            assert_eq!(found, holds, "turn {turn} of {results:?}");
            let now = turn + 1 + MOST_PERIOD as u64;
            for (node, buffer) in rounds.written(turn) {
                assert!(rounds.before(turn).iter().all(|read| !Arc::ptr_eq(read, buffer)));
                assert!(captured.iter().all(|read| !Arc::ptr_eq(read, buffer)));
                content.retain(|known| !Arc::ptr_eq(&known.0, buffer));
                content.push((buffer.clone(), (*node, now)));
            }
            holds = step(&holds, now);
        }
        assert!(rounds.memory().count() >= made);
    }

    #[test]
    fn a_state_goes_round_and_no_turn_writes_what_it_reads() {
        let step = |n: u32| From::Step(n, 0);
        let given = From::Given;
        // Made anew; two of them; one of them twice.
        check(&[step(7)], Some(2), 1);
        check(&[step(7), step(8)], Some(2), 2);
        check(&[step(7), step(7)], Some(2), 1);
        // Handed on once and twice, as by a recurrence.
        check(&[given(State(1)), step(7)], Some(3), 1);
        check(&[given(State(1)), given(State(2)), step(7)], Some(4), 1);
        check(&[given(State(1)), step(7), step(8)], Some(6), 2);
        // What never changes, and what is always the same array.
        check(&[given(State(0)), step(7)], Some(2), 1);
        check(&[given(Captured(1)), step(7)], Some(2), 1);
        check(&[given(State(1)), given(Captured(0)), step(7)], Some(2), 1);
        // Exchanged.
        check(&[given(State(1)), given(State(0)), step(7)], Some(2), 1);
        check(&[given(State(1)), given(State(2)), given(State(0)), step(7)], Some(6), 1);
        // Handed on too often.
        let chain = (1..7).map(|k| given(State(k))).chain([step(7)]);
        check(&chain.collect::<Vec<_>>(), None, 0);
    }
}
