//! Evaluation over several devices.
//!
//! A graph of arrays that lie over several devices becomes one graph for each share, made of ordinary
//! nodes on the share's device: each operation on the rows that the share's block needs
//! (`rules.rs`, `views.rs`, `reductions.rs`, `calls.rs`). Where those rows are another share's, they
//! are moved (`forms.rs`), or computed here as well (`halos.rs`). The local graphs are evaluated by
//! stages: what is moved is stored before, what reads it comes in a later stage. Then each global node
//! gets its blocks.
//!
//! - The work of this is linear in the graph times the number of shares, a view or an operation at
//!   a time, and no more is stored than what is moved or computed beside it, what a reduction needs of
//!   what others use, what was asked for, and what would be computed again (`lessons.rs`).
//! - What a reduction or a scan along the cut axis gives is computed in strict arithmetic, unless the
//!   fast one is asked for: the bits do not depend on the number of shares. Library calls are by
//!   themselves and compute as they do.
//! - What an evaluation does is written down at its second time (`writer.rs`) and done again from then on
//!   (`script.rs`). A large block whose inner rows need nothing of other shares is made in pieces there:
//!   what is moved is noted before the inner rows are computed, and the borders come last, all in the
//!   memory of the whole block.
//! - Where other processes have shares (`Mesh::world`), each process makes the graphs of all shares,
//!   computes its own, and does its part of each move (`exchange.rs`). A failure is told to the
//!   others, and nothing is tried in another way.
//! - One evaluation over several devices runs at a time. It holds no lock of the evaluator while it
//!   makes the graphs, and takes it for each stage.

mod calls;
pub(crate) mod exchange;
mod forms;
mod halos;
mod lessons;
mod local;
mod places;
mod reductions;
mod rules;
mod scans;
mod script;
mod stretches;
mod views;
mod writer;

use super::loops::no_value;
use super::{
    Pending, Turn, between_evaluations, evaluate_blocks, evaluate_keeping, held, is_inspected,
};
use crate::backend::placement::{Layout, are_shared};
use crate::backend::{Arithmetic, Buffer, Device, Ready, trace, with_arithmetic};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, Node, NodeOp, sharding};
use crate::shape::copy_of;
use forms::Shards;
use local::{Form, Local, Made, Move, Stage};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use script::{Key, Known};
use smallvec::SmallVec;
use std::sync::Arc;

/// One evaluation over several devices at a time.
static TURN: Mutex<()> = Mutex::new(());

/// What an evaluation over several devices does beside the work on each.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    /// Over which devices.
    pub device: Device,
    /// How often all wait for what is moved.
    pub waits: usize,
    /// The pieces that are moved from one share to another.
    pub moves: usize,
    /// Their bytes.
    pub bytes: usize,
    /// What takes them there.
    pub way: &'static str,
}

/// Computes nodes, of which some lie over several devices, and stores their data.
#[track_caller]
#[cold]
pub(super) fn evaluate(nodes: &[Arc<Node>]) -> Result<()> {
    let (over, on_one): (Vec<_>, Vec<_>) =
        nodes.iter().cloned().partition(|node| node.device.is_placed());
    if !on_one.is_empty() {
        evaluate_keeping(&on_one, false, Pending::Together)?;
    }
    let mut meshes: Vec<&'static [Device]> = Vec::new();
    for node in &over {
        let devices = devices_of(node);
        if !meshes.iter().any(|known| std::ptr::eq(*known, devices)) {
            meshes.push(devices);
        }
    }
    // Who evaluates already would wait for itself.
    drop(Turn::begin()?);
    let _turn = TURN.lock();
    for devices in meshes {
        let here = |node: &&Arc<Node>| std::ptr::eq(devices_of(node), devices);
        let roots: Vec<Arc<Node>> = over.iter().filter(here).cloned().collect();
        evaluate_over(devices, &roots)?;
    }
    Ok(())
}

fn devices_of(node: &Node) -> &'static [Device] {
    node.device.placement().expect("the node lies over several devices").devices
}

fn evaluate_over(devices: &'static [Device], nodes: &[Arc<Node>]) -> Result<()> {
    let graph = Graph::new(nodes)?;
    if graph.roots.is_empty() {
        return Ok(());
    }
    let run = exchange::run_of(devices);
    if let Some(run) = run {
        let last = &graph.roots[graph.roots.len() - 1];
        let line = trace::is_outside(last.line).then_some(last.line);
        run.begin(last.op.name(), line, || graph.told())?;
    }
    let data =
        graph.evaluated(devices).inspect_err(|error| run.iter().for_each(|r| r.fail(error)))?;
    graph.note_what_was_computed();
    between_evaluations(|_| {
        for (root, mut blocks) in graph.roots.iter().zip(data) {
            let first = blocks.remove(0);
            root.set_outputs(first, blocks);
        }
    });
    Ok(())
}

impl Graph {
    /// Computes the roots: as the script says, where there is one.
    fn evaluated(&self, devices: &'static [Device]) -> Result<Vec<Vec<Arc<Buffer>>>> {
        // Whoever inspects looks at nodes, and a script has none.
        if is_inspected() {
            return self.plainly(devices);
        }
        let key = &self.key;
        match script::known(key) {
            Known::New => self.plainly(devices),
            Known::Script(script) => match script.run(self) {
                Ok(blocks) => Ok(blocks),
                Err(error) if exchange::run_of(devices).is_some() => Err(error),
                // An error that names what failed, or the result after all.
                Err(_) => {
                    script::forget(key);
                    self.plainly(devices)
                }
            },
            Known::Met => match writer::written(self, &self.divided(devices)?) {
                Ok((script, blocks)) => {
                    script::keep(key.clone(), script);
                    Ok(blocks)
                }
                Err(error) if exchange::run_of(devices).is_some() => Err(error),
                Err(_) => self.plainly(devices),
            },
        }
    }

    /// Computes the roots without a script.
    fn plainly(&self, devices: &'static [Device]) -> Result<Vec<Vec<Arc<Buffer>>>> {
        let Divided { stages, results, .. } = self.divided(devices)?;
        // A stage's pieces go when what reads them is done.
        for stage in stages {
            run(&stage)?;
        }
        evaluate_blocks(&own(results.iter().flatten().map(|local| &local.node)))?;
        let missing = || Error::device("a block was not computed");
        let block = |local: &Local| match local.node.device.is_elsewhere() {
            true => nothing(local.node.device),
            false => held(&local.node).ok_or_else(missing),
        };
        let blocks = |shares: &Vec<Local>| shares.iter().map(block).collect();
        results.iter().map(blocks).collect()
    }
}

/// What an evaluation of the nodes would move, and what this process's first share would compute.
pub(crate) fn described(nodes: &[Arc<Node>]) -> Result<(Traffic, Vec<Arc<Node>>)> {
    let first = &nodes[0];
    let Divided { stages, results, .. } = Graph::new(nodes)?.divided(devices_of(first))?;
    let share = first.device.placement().map_or(0, |placement| placement.own());
    let moves = || stages.iter().flat_map(|stage| &stage.moves);
    let all = |step: &Move| step.to.len() * step.to.dtype.size();
    let bytes = moves().map(|step| step.stays.unwrap_or_else(|| all(step))).sum();
    let waits = stages.iter().filter(|stage| !stage.moves.is_empty()).count();
    let (device, way) = (first.device, way_between(devices_of(first)));
    let traffic = Traffic { device, waits, moves: moves().count(), bytes, way };
    // Nothing is read of what would be moved.
    for step in moves() {
        let nothing = nothing(step.to.device)?;
        between_evaluations(|_| step.to.set_data(nothing));
    }
    let stored = stages.iter().flat_map(|stage| stage.stored.iter().chain(&stage.strict));
    let stored = stored.filter(|stored| stored.0 == share);
    let mut own: Vec<Arc<Node>> = stored.map(|stored| stored.1.clone()).collect();
    own.extend(results.iter().map(|shares| shares[share].node.clone()));
    Ok((traffic, own))
}

/// What takes pieces from one device to another.
fn way_between(devices: &[Device]) -> &'static str {
    let reaches = |to: &Device| devices.iter().all(|&from| to.backend().reaches(from));
    match (are_shared(devices), devices[0].is_cuda()) {
        (true, true) => " by NCCL",
        (true, false) => " by MPI",
        (false, true) if !devices.iter().all(reaches) => {
            " by way of the host, since the devices do not reach each other's memory"
        }
        (false, _) => "",
    }
}

/// What waits to be computed over several devices.
#[derive(Default)]
struct Graph {
    /// What is stored: what was asked for, and what would be computed again (`lessons.rs`).
    roots: Vec<Arc<Node>>,
    /// The same for a look.
    is_root: FxHashSet<*const Node>,
    /// Everything, arguments first, with its arguments; none where there is data.
    nodes: Vec<(Arc<Node>, Option<Args>)>,
    /// How many take each node.
    uses: FxHashMap<*const Node, u32>,
    /// The key of the structure.
    key: Key,
    /// The structure of what was asked for, in short.
    structure: u64,
    /// Of which arrays it turned out that they should have been stored.
    news: Vec<u64>,
}

impl Graph {
    fn new(nodes: &[Arc<Node>]) -> Result<Graph> {
        let mut graph = Graph::default();
        for node in nodes.iter().filter(|node| !node.is_evaluated()) {
            *graph.uses.entry(Arc::as_ptr(node)).or_default() += 1;
            if graph.is_root.insert(Arc::as_ptr(node)) {
                graph.roots.push(node.clone());
            }
        }
        let mut met = FxHashSet::default();
        let mut todo: Vec<(Arc<Node>, Option<Args>)> =
            graph.roots.iter().rev().map(|root| (root.clone(), None)).collect();
        while let Some((node, args)) = todo.pop() {
            if args.is_some() {
                graph.nodes.push((node, args));
                continue;
            }
            if !met.insert(Arc::as_ptr(&node)) {
                continue;
            }
            // It counts as evaluated, and has no blocks.
            if node.op == NodeOp::StandIn {
                return Err(no_value());
            }
            if node.is_evaluated() {
                graph.nodes.push((node, None));
                continue;
            }
            let args = node.state().args.clone();
            check_form(&node, &args)?;
            todo.push((node, Some(args.clone())));
            for arg in args.iter().rev() {
                if let Arg::Node(arg) = arg {
                    *graph.uses.entry(Arc::as_ptr(arg)).or_default() += 1;
                    todo.push((arg.clone(), None));
                }
            }
        }
        graph.keep_what_comes_again();
        Ok(graph)
    }

    /// Whether a node is read once, by another one, and computed from rows of its arguments alone.
    fn has_one_reader(&self, node: &Arc<Node>, args: &[Arg]) -> bool {
        let cut = args.iter().find_map(sharding::cut);
        let (Some(cut), Some(_)) = (cut, sharding::axis_cut(node)) else { return false };
        let is_by_rows = match &node.op {
            op if halos::is_near(op) => true,
            NodeOp::Take { axis, .. } | NodeOp::TakeAlong { axis, .. } => {
                sharding::cut(&args[0]) != Some(*axis as usize)
            }
            NodeOp::Reshape => args[0].shape() != &node.shape[..],
            NodeOp::Reduce { axes, .. } | NodeOp::Fold { axes, .. } => axes >> cut & 1 == 0,
            _ => false,
        };
        is_by_rows
            && self.uses.get(&Arc::as_ptr(node)) == Some(&1)
            && !self.is_root.contains(&Arc::as_ptr(node))
    }

    /// The graphs of the shares: what is done in stages, and for each root its blocks.
    fn divided(&self, devices: &'static [Device]) -> Result<Divided> {
        let mut shards = Shards::new(devices, self.uses.clone(), self.halos(devices));
        for (node, args) in &self.nodes {
            let form = match args {
                None => shards.stored(node),
                Some(args) if args.iter().all(|arg| matches!(arg, Arg::Scalar(_))) => {
                    made(&mut shards, node, args)
                }
                Some(args) if self.has_one_reader(node, args) && shards.leave(node, args) => {
                    continue;
                }
                Some(args) => {
                    let _at = trace::from(node.line);
                    let wide = shards.with_halos(node, args);
                    wide.unwrap_or_else(|| shards.computed(node, args))
                }
            };
            shards.set_form(node, form);
        }
        let results: Vec<Vec<Local>> =
            self.roots.iter().map(|root| shards.form(root).shares.clone()).collect();
        let split = self.split(&mut shards);
        let (stages, made) = shards.into_stages();
        Ok(Divided { stages, made, results, split })
    }

    /// For each share the pieces of its block, where there is one root and nothing reads it. All
    /// processes ask for those of all shares, since they may move something.
    fn split(&self, shards: &mut Shards) -> Vec<Option<Parts>> {
        let [root] = &self.roots[..] else { return Vec::new() };
        let Some((_, Some(args))) = self.nodes.iter().find(|(node, _)| Arc::ptr_eq(node, root))
        else {
            return Vec::new();
        };
        if self.uses[&Arc::as_ptr(root)] != 1 {
            return Vec::new();
        }
        (0..shards.count()).map(|share| shards.split(root, args, share)).collect()
    }
}

/// The graphs of the shares.
struct Divided {
    /// What is done, one stage after another.
    stages: Vec<Stage>,
    /// What local nodes are made of.
    made: Made,
    /// For each root its blocks.
    results: Vec<Vec<Local>>,
    /// For each share its block in pieces, where that is of use.
    split: Vec<Option<Parts>>,
}

/// A block in parts, each with its first row within the block.
type Parts = Vec<(Local, usize)>;

/// What is made of numbers alone is made on every share.
fn made(shards: &mut Shards, node: &Arc<Node>, args: &Args) -> Form {
    let _at = trace::from(node.line);
    let mut shares = Vec::new();
    for &device in shards.devices {
        let shape = copy_of(&node.shape);
        let own = Node::new(node.op.clone(), args.clone(), shape, node.dtype, device);
        let own = Local { node: own, stage: 0 };
        shards.note(&own, node, args);
        shares.push(own);
    }
    Form { cut: None, shares, whole: None }
}

/// An error unless a node has a form over several devices.
fn check_form(node: &Node, args: &[Arg]) -> Result<()> {
    let Some(placement) = node.device.placement() else {
        return Err(Error::device(format!(
            "an array on {} is part of an expression over several devices; `to` moves it",
            node.device
        )));
    };
    let nowhere = |arg: &Arg| sharding::layout(arg) == Layout::Nowhere;
    match placement.layout == Layout::Nowhere && !args.iter().any(nowhere) {
        true => Err(no_form(node, args)),
        false => Ok(()),
    }
}

#[cold]
fn no_form(node: &Node, args: &[Arg]) -> Error {
    let lies = args.iter().find_map(|arg| match arg {
        Arg::Node(a) => Some(format!("an array of shape {:?} {}", &a.shape[..], a.device)),
        Arg::Scalar(_) => None,
    });
    let line = match trace::is_outside(node.line) {
        true => format!(" ({}:{})", node.line.file(), node.line.line()),
        false => String::new(),
    };
    Error::unsupported(format!(
        "{}{line} has no form over several devices for {}: cut it along another axis by \
         `to(mesh.shard(axis))`, or take all of it to one device by `gather()`",
        node.op.name(),
        lies.unwrap_or_default()
    ))
}

/// Does what a stage does.
fn run(stage: &Stage) -> Result<()> {
    let (calls, stored) = (own(&stage.calls), own(stage.stored.iter().map(|stored| &stored.1)));
    if !calls.is_empty() {
        evaluate_blocks(&calls)?;
    }
    if !stored.is_empty() {
        evaluate_blocks(&stored)?;
    }
    let strict = own(stage.strict.iter().map(|strict| &strict.1));
    if !strict.is_empty() {
        let arithmetic = match Arithmetic::current() {
            Arithmetic::Fast => Arithmetic::Fast,
            _ => Arithmetic::Strict,
        };
        with_arithmetic(arithmetic, || evaluate_blocks(&strict))?;
    }
    moved(&stage.moves)
}

/// Those nodes that this process computes.
fn own<'a>(nodes: impl IntoIterator<Item = &'a Arc<Node>>) -> Vec<Arc<Node>> {
    nodes.into_iter().filter(|node| !node.device.is_elsewhere()).cloned().collect()
}

/// What stands for the data of another process.
pub(crate) fn nothing(device: Device) -> Result<Arc<Buffer>> {
    device.backend().allocate(0).map(Arc::new)
}

/// Moves pieces to the nodes that wait for them.
fn moved(moves: &[Move]) -> Result<()> {
    let mut pieces = Vec::new();
    for step in moves {
        let from = match step.from.device.is_elsewhere() {
            true => nothing(step.from.device)?,
            false => held(&step.from).ok_or_else(|| Error::device("a piece was not computed"))?,
        };
        let bytes = step.to.len() * step.to.dtype.size();
        let (source, to) = (step.from.device, step.to.device);
        let stays = step.stays.is_some();
        pieces.push(Piece { from, source, range: [step.start, bytes], to, stays });
    }
    for (step, piece) in moves.iter().zip(brought_all(&pieces, None)?) {
        between_evaluations(|_| step.to.set_data(piece)).ok_or_else(inside)?;
    }
    Ok(())
}

/// What an evaluation inside of another one is told.
fn inside() -> Error {
    Error::unsupported("a function that runs in an evaluation asks for another one")
}

/// Parts up to this are read where they are, if devices can reach each other's memory.
const REACHED: usize = 1 << 20;

/// Some bytes of a buffer of one device, for kernels of another.
pub(crate) struct Piece {
    /// The buffer.
    pub from: Arc<Buffer>,
    /// Its device.
    pub source: Device,
    /// The first of the bytes, and how many there are.
    pub range: [usize; 2],
    /// The device that gets them, another one's.
    pub to: Device,
    /// Whether kernels read them where they are, however many they are.
    pub stays: bool,
}

/// Moves pieces now; all processes of a run move the same ones.
pub(crate) fn moved_now(pieces: &[Piece]) -> Result<Vec<Arc<Buffer>>> {
    let _turn = TURN.lock();
    brought_all(pieces, None)
}

/// What is noted of pieces before what they need not wait for is given to their devices.
#[derive(Default)]
struct Begun {
    /// The moments from which on other devices may read what devices have.
    moments: SmallVec<[Ready; 4]>,
    /// Memory for what other processes send, piece by piece; none where nothing comes here.
    places: Vec<Option<Arc<Buffer>>>,
}

/// Notes what pieces wait for: what devices were given until now.
fn begun(pieces: &[Piece]) -> Result<Begun> {
    if pieces.iter().any(|piece| piece.source.is_elsewhere() || piece.to.is_elsewhere()) {
        return exchange::begun(pieces);
    }
    Ok(Begun { moments: moments_of(pieces)?, places: Vec::new() })
}

/// The moments of the devices whose pieces others read.
fn moments_of(pieces: &[Piece]) -> Result<SmallVec<[Ready; 4]>> {
    let mut moments: SmallVec<[Ready; 4]> = SmallVec::new();
    let mut seen: SmallVec<[Device; 4]> = SmallVec::new();
    for piece in pieces {
        if piece.source != piece.to && !seen.contains(&piece.source) {
            seen.push(piece.source);
            moments.extend(piece.source.backend().ready()?);
        }
    }
    Ok(moments)
}

/// Parts for the devices that read them: where they are, if that can be, else copies. The moments at
/// which devices are ready are taken before any of them waits for another.
fn brought_all(pieces: &[Piece], begun: Option<Begun>) -> Result<Vec<Arc<Buffer>>> {
    if pieces.iter().any(|piece| piece.source.is_elsewhere() || piece.to.is_elsewhere()) {
        return exchange::exchanged(pieces, begun);
    }
    let moments = match begun {
        Some(begun) => begun.moments,
        None => moments_of(pieces)?,
    };
    let one = |piece: &Piece| {
        let ready = moments.iter().find(|ready| ready.device == piece.source);
        let [start, bytes] = piece.range;
        let reached = ready.map(|ready| piece.to.backend().reach(&piece.from, ready, start, bytes));
        match reached.transpose()?.flatten() {
            Some(reached) if bytes <= REACHED || piece.stays => Ok(Arc::new(reached)),
            // So that no device waits for what another one copies.
            Some(reached) => piece.to.backend().receive(&reached, piece.to, 0, bytes).map(Arc::new),
            None => brought(&piece.from, piece.source, piece.range, piece.to),
        }
    };
    pieces.iter().map(one).collect()
}

/// Some bytes of a buffer of one device, from the first on, on another device. All of a buffer of the
/// same device is that buffer.
pub(crate) fn brought(
    from: &Arc<Buffer>,
    source: Device,
    [start, bytes]: [usize; 2],
    device: Device,
) -> Result<Arc<Buffer>> {
    if source == device && start == 0 && bytes == from.bytes() {
        return Ok(from.clone());
    }
    device.backend().receive(from, source, start, bytes).map(Arc::new)
}
