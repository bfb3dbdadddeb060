//! Evaluations over several devices that are done again: scripts.
//!
//! Dividing a graph among the shares and walking each share's graph takes the host about a microsecond
//! a node and share, as long as a kernel of a small array. So what an evaluation did is kept, under a
//! key of the graph's structure: the plans that ran, where each takes its data and its scalars from,
//! and what was moved in between. The second evaluation of a structure writes the script, later ones
//! follow it.
//!
//! - The key says all that shaped the script: operations, shapes, places, which argument is which node,
//!   which arrays share their data, what is stored. Scalars are none of it, unless there is a product
//!   of matrices, whose epilogues depend on their values.
//! - What fails is evaluated once more without the script, which gives the error its names.
//! - There are at most [`MOST`] scripts; then all are forgotten.

use super::{Begun, Graph, Piece, begun, brought_all, nothing};
use crate::backend::{Arithmetic, Buffer, Device, with_arithmetic};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::eval::Recording;
use crate::graph::{Arg, Node, NodeOp};
use crate::library::Library;
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The most scripts, and the most structures of which one evaluation is remembered.
const MOST: usize = 512;

/// What shapes a script.
pub(super) type Key = Vec<u64>;

/// Where data lies among what a run holds: first what the graph's leaves have on each share, leaf by
/// leaf, then what was made.
pub(super) type Slot = usize;
/// Where the data of another process lies.
pub(super) const ELSEWHERE: Slot = Slot::MAX;

/// Where a scalar comes from.
pub(super) enum From {
    /// The argument of a node of the graph.
    Argument(usize, usize),
    /// It is part of the structure.
    Constant(Scalar),
}

/// One thing to do.
pub(super) enum Unit {
    /// A plan to run on a device.
    Run {
        device: Device,
        arithmetic: Arithmetic,
        recording: Box<Recording>,
        leaves: Vec<Slot>,
        scalars: Vec<From>,
        /// For each result that the plan makes, by its number, where it goes.
        made: Vec<(usize, Slot)>,
    },
    /// Notes what pieces wait for, those of the next unit that moves some.
    Begin(Vec<Moved>),
    /// Pieces to move.
    Moves(Vec<Moved>),
    /// Memory for an array that is made in pieces.
    Whole { device: Device, bytes: usize, made: Slot },
    /// A plan that makes a piece of such an array.
    Part {
        device: Device,
        arithmetic: Arithmetic,
        recording: Box<Recording>,
        leaves: Vec<Slot>,
        scalars: Vec<From>,
        /// The plan's node, the memory, and the piece's first byte there.
        into: (u32, Slot, usize),
    },
    /// An array without elements.
    Empty { device: Device, made: Slot },
}

/// A piece to move.
#[derive(Clone)]
pub(super) struct Moved {
    pub from: Slot,
    pub source: Device,
    pub range: [usize; 2],
    pub to: Device,
    pub stays: bool,
    pub made: Slot,
}

/// What an evaluation did.
pub(super) struct Script {
    pub units: Vec<Unit>,
    /// For each unit, what nobody needs behind it.
    pub done: Vec<Vec<Slot>>,
    pub slots: usize,
    /// For each root and share, where its data lies at the end.
    pub results: Vec<Vec<Slot>>,
}

#[derive(Default)]
struct Scripts {
    known: FxHashMap<Key, Arc<Script>>,
    /// The hashes of structures that were evaluated once.
    met: FxHashSet<u64>,
}

static SCRIPTS: Mutex<Option<Scripts>> = Mutex::new(None);

/// What is known of a structure.
pub(super) enum Known {
    /// It is new.
    New,
    /// It was evaluated once.
    Met,
    /// There is a script.
    Script(Arc<Script>),
}

/// What is known of a structure, which counts as evaluated from now on.
pub(super) fn known(key: &Key) -> Known {
    let mut scripts = SCRIPTS.lock();
    let scripts = scripts.get_or_insert_default();
    if let Some(script) = scripts.known.get(key) {
        return Known::Script(script.clone());
    }
    if scripts.met.len() >= MOST {
        scripts.met.clear();
    }
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    if scripts.met.insert(hasher.finish()) { Known::New } else { Known::Met }
}

/// Keeps a script.
pub(super) fn keep(key: Key, script: Script) {
    let mut scripts = SCRIPTS.lock();
    let scripts = scripts.get_or_insert_default();
    if scripts.known.len() >= MOST {
        scripts.known.clear();
    }
    scripts.known.insert(key, Arc::new(script));
}

/// Forgets a script that does not do any more.
pub(super) fn forget(key: &Key) {
    if let Some(scripts) = &mut *SCRIPTS.lock() {
        scripts.known.remove(key);
    }
}

impl Graph {
    /// The key of the graph's structure.
    pub(super) fn key(&self) -> Key {
        const SCALAR: u64 = 1 << 32;
        const LEAF: u64 = 1 << 33;
        let is_product = |(node, _): &(Arc<Node>, _)| match &node.op {
            NodeOp::Library(call) => matches!(**call, Library::Matmul(_)),
            _ => false,
        };
        let has_product = self.nodes.iter().any(is_product);
        let mut key = Vec::with_capacity(4 * self.nodes.len() + 4);
        let mut places: FxHashMap<*const Node, u64> = FxHashMap::default();
        let mut data: FxHashMap<*const Buffer, u64> = FxHashMap::default();
        places.reserve(self.nodes.len());
        key.push(Arithmetic::current() as u64);
        for (k, (node, args)) in self.nodes.iter().enumerate() {
            places.insert(Arc::as_ptr(node), k as u64);
            key.push(node.hash);
            key.push(node.device.code());
            let Some(args) = args else {
                // Arrays that share their data are one to a plan.
                let own = node.device.placement().map_or(0, |placement| placement.own());
                let state = node.state();
                let held = state.data.iter().chain(&state.more).nth(own);
                let held = held.map_or(std::ptr::null(), Arc::as_ptr);
                let next = data.len() as u64;
                key.push(LEAF | *data.entry(held).or_insert(next));
                continue;
            };
            for arg in args {
                match arg {
                    Arg::Node(arg) => key.push(places[&Arc::as_ptr(arg)]),
                    Arg::Scalar(value) => {
                        key.push(SCALAR | value.dtype() as u64);
                        if has_product {
                            let mut hasher = FxHasher::default();
                            value.hash(&mut hasher);
                            key.push(hasher.finish());
                        }
                    }
                }
            }
        }
        for root in &self.roots {
            let node = Arc::as_ptr(root);
            key.extend([places[&node], u64::from(self.uses[&node])]);
        }
        key
    }

    /// The data of the leaves on each share.
    pub(super) fn leaves(&self) -> Vec<Arc<Buffer>> {
        let mut held = Vec::new();
        for (node, _) in self.nodes.iter().filter(|(_, args)| args.is_none()) {
            let state = node.state();
            held.extend(state.data.iter().chain(&state.more).cloned());
        }
        held
    }
}

impl Script {
    /// Does it again for a graph of the same structure; gives the blocks of each root.
    pub(super) fn run(&self, graph: &Graph) -> Result<Vec<Vec<Arc<Buffer>>>> {
        let mut data: Vec<Option<Arc<Buffer>>> = graph.leaves().into_iter().map(Some).collect();
        data.resize(self.slots, None);
        let mut again = Again { graph, data, begun: None };
        for (unit, done) in self.units.iter().zip(&self.done) {
            again.unit(unit)?;
            done.iter().for_each(|&slot| again.data[slot] = None);
        }
        let block = |&slot: &Slot| again.at(slot);
        let blocks = |shares: &Vec<Slot>| shares.iter().map(block).collect();
        self.results.iter().map(blocks).collect()
    }
}

/// A script while it is done again.
struct Again<'a> {
    graph: &'a Graph,
    data: Vec<Option<Arc<Buffer>>>,
    /// What the next moves wait for, where that was noted before.
    begun: Option<Begun>,
}

impl Again<'_> {
    /// The data of a slot.
    fn at(&self, slot: Slot) -> Result<Arc<Buffer>> {
        match slot {
            ELSEWHERE => nothing(Device::cpu()),
            _ => self.data[slot].clone().ok_or_else(|| Error::device("a script has lost a piece")),
        }
    }

    fn pieces(&self, list: &[Moved]) -> Result<Vec<Piece>> {
        let piece = |&Moved { from, source, range, to, stays, .. }: &Moved| {
            Ok(Piece { from: self.at(from)?, source, range, to, stays })
        };
        list.iter().map(piece).collect()
    }

    /// What a plan reads.
    fn read(&self, leaves: &[Slot], scalars: &[From]) -> Result<(Vec<Arc<Buffer>>, Vec<Scalar>)> {
        let value = |from: &From| match from {
            From::Constant(value) => Some(*value),
            From::Argument(node, argument) => {
                match self.graph.nodes[*node].1.as_ref()?.get(*argument)? {
                    Arg::Scalar(value) => Some(*value),
                    Arg::Node(_) => None,
                }
            }
        };
        let values: Option<Vec<Scalar>> = scalars.iter().map(value).collect();
        let values = values.ok_or_else(|| Error::device("a script has lost a number"))?;
        let held = leaves.iter().map(|&slot| self.at(slot)).collect::<Result<_>>()?;
        Ok((held, values))
    }

    fn unit(&mut self, unit: &Unit) -> Result<()> {
        match unit {
            Unit::Empty { device, made } => {
                self.data[*made] = Some(Arc::new(device.backend().allocate(0)?));
            }
            Unit::Whole { device, bytes, made } => {
                self.data[*made] = Some(Arc::new(device.backend().allocate(*bytes)?));
            }
            Unit::Begin(list) => self.begun = Some(begun(&self.pieces(list)?)?),
            Unit::Moves(list) => {
                let brought = brought_all(&self.pieces(list)?, self.begun.take())?;
                for (moved, piece) in list.iter().zip(brought) {
                    self.data[moved.made] = Some(piece);
                }
            }
            Unit::Run { device, arithmetic, recording, leaves, scalars, made } => {
                let (held, values) = self.read(leaves, scalars)?;
                let results =
                    with_arithmetic(*arithmetic, || recording.run(*device, &held, &values))?;
                for (k, slot) in made {
                    self.data[*slot] = results[*k].clone();
                }
            }
            Unit::Part { device, arithmetic, recording, leaves, scalars, into } => {
                let (held, values) = self.read(leaves, scalars)?;
                let (node, whole, start) = *into;
                let into = (node, &self.at(whole)?, start);
                with_arithmetic(*arithmetic, || recording.run_into(*device, &held, &values, into))?;
            }
        }
        Ok(())
    }
}
