//! Moves between the shares of several processes: every process knows all of them and does its part.

use super::{Begun, Graph, Piece, TURN, nothing};
use crate::backend::placement::are_shared;
use crate::backend::world::{self, Incoming, Outgoing, World};
use crate::backend::{Buffer, Device};
use crate::error::{Error, Result};
use crate::graph::{Arg, Node};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The run whose processes have the devices; none where this process has all of them.
pub(crate) fn run_of(devices: &[Device]) -> Option<&'static World> {
    are_shared(devices).then(world::joined).flatten()
}

/// Notes the moment from which on this process's data may be sent, and takes memory for what comes.
pub(super) fn begun(pieces: &[Piece]) -> Result<Begun> {
    let place = |piece: &Piece| match piece.to.is_elsewhere() {
        true => Ok(None),
        false => piece.to.backend().allocate(piece.range[1]).map(|buffer| Some(Arc::new(buffer))),
    };
    let places = pieces.iter().map(place).collect::<Result<_>>()?;
    let Some(run) = world::joined() else { return Ok(Begun { places, ..Begun::default() }) };
    Ok(Begun { moments: run.device.backend().ready()?.into_iter().collect(), places })
}

/// The pieces that come to this process; of the others nothing.
pub(super) fn exchanged(pieces: &[Piece], begun: Option<Begun>) -> Result<Vec<Arc<Buffer>>> {
    let Some(run) = world::joined() else {
        return Err(Error::device("the data of another process is asked for outside of a run"));
    };
    let rank = |device: Device| device.rank_elsewhere().unwrap_or(run.rank);
    let other = nothing(run.device)?;
    let Begun { moments, places } = match begun {
        Some(begun) => begun,
        None => self::begun(pieces)?,
    };
    let mut hasher = FxHasher::default();
    for piece in pieces {
        (rank(piece.source), rank(piece.to), piece.range[1]).hash(&mut hasher);
    }
    let place = |place: Option<Arc<Buffer>>| place.unwrap_or_else(|| other.clone());
    let brought: Vec<Arc<Buffer>> = places.into_iter().map(place).collect();
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    for (piece, into) in pieces.iter().zip(&brought) {
        let [start, bytes] = piece.range;
        match (piece.source.rank_elsewhere(), piece.to.rank_elsewhere()) {
            (Some(from), None) => receives.push(Incoming { from, into }),
            (None, Some(to)) => sends.push(Outgoing { to, from: &piece.from, start, bytes }),
            _ => {}
        }
    }
    let done = run.exchange(&sends, &receives, hasher.finish(), moments.first());
    if let Err(error) = done {
        // What was on its way may still be written to.
        brought.into_iter().for_each(std::mem::forget);
        pieces.iter().for_each(|piece| std::mem::forget(piece.from.clone()));
        return Err(error);
    }
    Ok(brought)
}

/// What each process of the run says, by rank: as many numbers from each.
///
/// # Errors
/// Where the run fails.
pub(crate) fn told_by_all(run: &World, own: &[u64]) -> Result<Vec<Vec<u64>>> {
    let _turn = TURN.lock();
    let backend = run.device.backend();
    let bytes: Vec<u8> = own.iter().flat_map(|number| number.to_le_bytes()).collect();
    let from = backend.upload(&bytes)?;
    let others: Vec<usize> = (0..run.size).filter(|&rank| rank != run.rank).collect();
    let places = others.iter().map(|_| backend.allocate(bytes.len()));
    let places: Vec<Buffer> = places.collect::<Result<_>>()?;
    let (start, length) = (0, bytes.len());
    let send = |&to: &usize| Outgoing { to, from: &from, start, bytes: length };
    let sends: Vec<Outgoing> = others.iter().map(send).collect();
    let receive = |(&from, into)| Incoming { from, into };
    let receives: Vec<Incoming> = others.iter().zip(&places).map(receive).collect();
    let done = run.exchange(&sends, &receives, length as u64, None);
    if let Err(error) = done {
        std::mem::forget((from, places));
        return Err(error);
    }
    let mut all = vec![own.to_vec(); run.size];
    for (&rank, place) in others.iter().zip(&places) {
        let mut bytes = vec![0; length];
        backend.download(place, &mut bytes)?;
        let number = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        all[rank] = bytes.as_chunks().0.iter().map(number).collect();
    }
    world::check()?;
    Ok(all)
}

impl Graph {
    /// A number for what is evaluated, the same in each process that evaluates the same.
    pub(super) fn told(&self) -> u64 {
        let mut hasher = FxHasher::default();
        let mut places: FxHashMap<*const Node, usize> = FxHashMap::default();
        for (k, (node, args)) in self.nodes.iter().enumerate() {
            places.insert(Arc::as_ptr(node), k);
            // Numbers of placements are a process's own.
            let layout = node.device.placement().map(|placement| placement.layout);
            (node.op.name(), &node.shape[..], node.dtype, layout).hash(&mut hasher);
            for arg in args.iter().flatten() {
                match arg {
                    Arg::Node(arg) => places[&Arc::as_ptr(arg)].hash(&mut hasher),
                    Arg::Scalar(value) => value.hash(&mut hasher),
                }
            }
        }
        for root in &self.roots {
            places[&Arc::as_ptr(root)].hash(&mut hasher);
        }
        hasher.finish()
    }
}
