//! Plans that are kept with what they were made from, to be run on other data.

use super::plans::with_plans;
use super::run::Run;
use super::walk::Walk;
use super::{EVALUATOR, Prepared, holder};
use crate::backend::{Buffer, Device};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::graph::{Arg, Node, NodeOp};
use crate::plan::Place;
use std::cell::Cell;
use std::sync::Arc;

/// A plan with what it was made from, to be run on other data.
pub(crate) struct Recording {
    prepared: Arc<Prepared>,
    /// The nodes that held the data, in the order in which a run takes data.
    pub leaves: Vec<Arc<Node>>,
    /// The nodes that had the scalars, and the scalars.
    pub scalars: Vec<(Arc<Node>, Scalar)>,
    /// For each result, what makes it; none where it had its data.
    pub places: Vec<Option<Place>>,
}

thread_local! {
    static RECORDING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is recording a function to be run again and again.
pub(crate) fn is_recording() -> bool {
    RECORDING.get()
}

/// Runs a function whose expressions are recorded as a whole, however deep they are.
pub(crate) fn while_recording<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            RECORDING.set(self.0);
        }
    }
    let _restore = Restore(RECORDING.replace(true));
    f()
}

/// Plans the evaluation of results, all of one device, without running it; `None` where all of
/// them have their data.
pub(crate) fn record(results: &[Arc<Node>]) -> Result<Option<Recording>> {
    // Under the lock nothing becomes evaluated.
    with_plans(|evaluator| {
        let mut targets: Vec<Arc<Node>> = Vec::new();
        for target in results.iter().map(holder) {
            let known = targets.iter().any(|t| Arc::ptr_eq(t, &target));
            if !target.is_evaluated() && !known {
                targets.push(target);
            }
        }
        let Some(device) = targets.first().map(|t| t.device) else { return Ok(None) };
        if targets.iter().any(|t| t.len() == 0) {
            return Err(Error::unsupported("compile: a result without elements").into());
        }
        let mut walk = Walk::new(&mut evaluator.walks);
        // What comes again would be stored at every call, and be given to nobody.
        walk.walk(targets.iter(), false);
        let prepared = evaluator.plans.find(device, &walk)?;
        let place = |node: &Arc<Node>| {
            let target = holder(node);
            let n = (!target.is_evaluated()).then(|| walk.place(&target)).flatten()?;
            Some(match part(node) {
                Some(k) if k > 0 => Place::Part(n, k),
                _ => Place::Node(n),
            })
        };
        let (mut leaves, mut scalars) = (Vec::new(), Vec::new());
        for &node in &walk.nodes {
            if node.is_evaluated() {
                leaves.push(node.clone());
                continue;
            }
            for arg in &node.state().args {
                if let Arg::Scalar(value) = arg {
                    scalars.push((node.clone(), *value));
                }
            }
        }
        let places = results.iter().map(place).collect();
        Ok(Some(Recording { prepared, leaves, scalars, places }))
    })
}

/// Which output of a library call a node is, if it is one.
fn part(node: &Arc<Node>) -> Option<u8> {
    let mut node = node.clone();
    loop {
        let next = match (&node.op, node.state().args.first()) {
            (NodeOp::Part(k), _) => return Some(*k),
            (NodeOp::Reshape, Some(Arg::Node(next))) => next.clone(),
            _ => return None,
        };
        node = next;
    }
}

impl Recording {
    /// Runs the plan on other data and other scalars, and gives what makes up each result.
    pub(crate) fn run(
        &self,
        device: Device,
        leaves: &[Arc<Buffer>],
        scalars: &[Scalar],
    ) -> Result<Vec<Option<Arc<Buffer>>>> {
        let _one_at_a_time = EVALUATOR.lock();
        let mut run = Run::new(device.backend(), leaves, scalars);
        run.steps(&self.prepared)?;
        let made = |place: Place| run.made.iter().find(|m| m.0 == place).map(|m| m.1.clone());
        Ok(self.places.iter().map(|place| place.and_then(made)).collect())
    }
}
