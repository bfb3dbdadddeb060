//! Recording scans: by a reduction of the table, and by a user's function.

use super::record::{devices_differ, full, record};
use crate::error::{Error, Result};
use crate::function::{Fold, ScanBy};
use crate::graph::{Arg, Args, Node, NodeOp};
use crate::table::Reduction;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Records a scan along an axis.
#[track_caller]
pub(crate) fn accumulate(
    op: Reduction,
    a: &Arc<Node>,
    axis: usize,
    exclusive: bool,
    reverse: bool,
) -> Arc<Node> {
    // One position has nothing to scan, and a kernel has no axis for it.
    if a.shape[axis] <= 1 {
        return match exclusive {
            true => full(op.identity_value(a.dtype), a.shape.clone(), a.device),
            false => a.clone(),
        };
    }
    let by = ScanBy::Table(op);
    let node = NodeOp::Scan { by, axis: axis as u8, output: 0, exclusive, reverse };
    record(node, smallvec![a.into()], a.shape.clone(), a.dtype, a.device)
}

/// Records a scan by a user's function along an axis: one node for each component of the states.
/// The arguments are the components of an element, all of one shape.
///
/// # Errors
/// Where the components' shapes, types or devices differ from what the function takes, or the
/// device has no code for it.
#[track_caller]
pub(crate) fn scan(
    fold: Fold,
    args: &[Arc<Node>],
    axis: usize,
    exclusive: bool,
    reverse: bool,
) -> Result<SmallVec<[Arc<Node>; 1]>> {
    let name = &fold.function.name;
    if !args.iter().map(|a| a.dtype).eq(fold.types().iter().copied()) {
        return Err(Error::shape(format!("{name}: an element is not of the state's types")));
    }
    let first = &args[0];
    if let Some(other) = args.iter().find(|a| a.device.differs(first.device)) {
        return Err(devices_differ(name, first.device, other.device));
    }
    if let Some(other) = args.iter().find(|a| a.shape != first.shape) {
        let (a, b) = (&first.shape, &other.shape);
        return Err(Error::shape(format!("{name}: components of shapes {a:?} and {b:?}")));
    }
    fold.function.check_device(!first.device.is_cuda())?;
    // One position has nothing to scan, and a kernel has no axis for it.
    if first.shape[axis] <= 1 {
        let alone = |(a, &identity): (&Arc<Node>, _)| match exclusive {
            true => full(identity, a.shape.clone(), a.device),
            false => a.clone(),
        };
        return Ok(args.iter().zip(&fold.identity).map(alone).collect());
    }
    let (fold, axis) = (Arc::new(fold), axis as u8);
    let mut nodes = SmallVec::new();
    for (k, a) in args.iter().enumerate() {
        let by = ScanBy::User(fold.clone());
        let op = NodeOp::Scan { by, axis, output: k as u8, exclusive, reverse };
        let args: Args = args.iter().map(Arg::from).collect();
        nodes.push(record(op, args, a.shape.clone(), a.dtype, a.device));
    }
    Ok(nodes)
}
