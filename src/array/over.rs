//! Arrays to several devices and back.

use super::record;
use crate::backend::placement::{Layout, bounds};
use crate::backend::{Buffer, Device};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::eval::shards::{brought, nothing};
use crate::eval::{evaluate, held};
use crate::graph::{Arg, Args, Node, NodeOp, View};
use crate::shape::{Shape, copy_of, len};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The nodes that are recorded again on other devices, rather than computed and copied.
const FEW: usize = 256;

/// The same array on another device or over other devices.
#[track_caller]
pub(super) fn to(node: &Arc<Node>, device: Device) -> Result<Arc<Node>> {
    check_axis(node, device)?;
    match (node.device.is_placed(), device.is_placed()) {
        (true, true) if !node.device.differs(device) => Ok(Node::placed(node, device)),
        (true, true) => over(&gathered(node, node.device.first())?, device),
        (true, false) => gathered(node, device),
        (false, true) => over(node, device),
        (false, false) => {
            evaluate(std::slice::from_ref(node))?;
            let data = data(node)?;
            let bytes = len(&node.shape) * node.dtype.size();
            let data = device.backend().receive(&data, node.device, 0, bytes)?;
            Ok(Node::source(data, copy_of(&node.shape), node.dtype, device))
        }
    }
}

fn check_axis(node: &Node, device: Device) -> Result<()> {
    match device.placement().map(|placement| placement.layout) {
        Some(Layout::Along(axis)) if axis as usize >= node.shape.len() => {
            Err(Error::shape(format!(
                "to: an array of shape {:?} has no axis {axis} along which it can be cut",
                &node.shape[..]
            )))
        }
        _ => Ok(()),
    }
}

fn data(node: &Arc<Node>) -> Result<Arc<Buffer>> {
    held(node).ok_or_else(|| Error::device("an evaluated array has no data"))
}

/// An array of one device over several.
#[track_caller]
fn over(node: &Arc<Node>, device: Device) -> Result<Arc<Node>> {
    if let Some(whole) = made_again(node, device.with_layout(Layout::Whole)) {
        return Ok(match whole.device == device {
            true => whole,
            false => Node::placed(&whole, device),
        });
    }
    let placement = device.placement().expect("the device is several");
    let shares = placement.devices.len();
    let blocks: Vec<Arc<Node>> = match placement.layout {
        Layout::Along(axis) => {
            let at = bounds(node.shape[axis as usize], shares);
            (0..shares).map(|k| rows(node, axis as usize, [at(k), at(k + 1)])).collect()
        }
        _ => vec![node.clone(); shares],
    };
    let own = blocks.iter().zip(placement.devices).filter(|(_, target)| !target.is_elsewhere());
    evaluate(&own.map(|(block, _)| block.clone()).collect::<Vec<_>>())?;
    let mut buffers = Vec::new();
    for (block, &target) in blocks.iter().zip(placement.devices) {
        if target.is_elsewhere() {
            buffers.push(nothing(target)?);
            continue;
        }
        let bytes = len(&block.shape) * block.dtype.size();
        buffers.push(brought(&data(block)?, node.device, [0, bytes], target)?);
    }
    Ok(Node::over(buffers, copy_of(&node.shape), node.dtype, device))
}

/// One value everywhere, on a device or over several.
#[track_caller]
pub(crate) fn full(device: Device, shape: Shape, value: Scalar) -> Result<Arc<Node>> {
    crate::shape::checked_len("full", &shape)?;
    let whole = record::full(value, shape, device.with_layout(Layout::Whole));
    check_axis(&whole, device)?;
    Ok(if whole.device == device { whole } else { Node::placed(&whole, device) })
}

/// Some rows of an array.
#[track_caller]
pub(crate) fn rows(node: &Arc<Node>, axis: usize, [start, end]: [usize; 2]) -> Arc<Node> {
    let mut view = View::identity(node.shape.len());
    view.0[axis].offset = start as i64;
    let mut shape = copy_of(&node.shape);
    shape[axis] = end - start;
    match len(&shape) {
        0 => record::full(record::number(node, 0.0), shape, node.device),
        _ => record::view(node, view, shape),
    }
}

/// The array recorded on another device, where it is made of numbers alone: nothing is computed.
#[track_caller]
fn made_again(node: &Arc<Node>, device: Device) -> Option<Arc<Node>> {
    let mut made: FxHashMap<*const Node, Arc<Node>> = FxHashMap::default();
    let mut todo: Vec<(Arc<Node>, Option<Args>)> = vec![(node.clone(), None)];
    while let Some((node, args)) = todo.pop() {
        if made.contains_key(&Arc::as_ptr(&node)) {
            continue;
        }
        let Some(args) = args else {
            let is_call = matches!(node.op, NodeOp::Library(_) | NodeOp::StandIn);
            if node.is_evaluated() || is_call || made.len() + todo.len() > FEW {
                return None;
            }
            let args = node.state().args.clone();
            todo.push((node.clone(), Some(args.clone())));
            let nodes = args.iter().filter_map(|arg| match arg {
                Arg::Node(arg) => Some((arg.clone(), None)),
                Arg::Scalar(_) => None,
            });
            todo.extend(nodes);
            continue;
        };
        let again = |arg: &Arg| match arg {
            Arg::Node(arg) => Arg::Node(made[&Arc::as_ptr(arg)].clone()),
            Arg::Scalar(value) => Arg::Scalar(*value),
        };
        let args: Args = args.iter().map(again).collect();
        let shape = copy_of(&node.shape);
        let new = Node::new(node.op.clone(), args, shape, node.dtype, device);
        made.insert(Arc::as_ptr(&node), new);
    }
    made.remove(&Arc::as_ptr(node))
}

/// Each share's block of an array over several devices, on the share's device; those of other processes
/// have no data here.
#[track_caller]
pub(crate) fn blocks(node: &Arc<Node>) -> Result<Vec<Arc<Node>>> {
    evaluate(std::slice::from_ref(node))?;
    let placement = node.device.placement().expect("the array lies over several devices");
    let state = node.state();
    let block = |(k, data): (usize, &Arc<Buffer>)| {
        let shape = placement.block(&node.shape, k);
        Node::shared(data.clone(), shape, node.dtype, placement.devices[k])
    };
    Ok(state.data.iter().chain(&state.more).enumerate().map(block).collect())
}

/// All of an array over several devices on one.
#[track_caller]
pub(super) fn gathered(node: &Arc<Node>, device: Device) -> Result<Arc<Node>> {
    let placement = node.device.placement().expect("the array lies over several devices");
    if placement.is_shared() && placement.axis().is_some() {
        let whole = node.device.with_layout(Layout::Whole);
        return gathered(&Node::placed(node, whole), device);
    }
    let mut blocks = blocks(node)?;
    let axis = match placement.layout {
        Layout::Along(axis) => axis as usize,
        // The device's own copy, where it has one.
        _ => {
            let own = placement.devices.iter().position(|&own| own == device);
            let own = own.unwrap_or(placement.own());
            let block = blocks.swap_remove(own);
            return brought_to(&block, device);
        }
    };
    blocks.retain(|block| block.len() > 0);
    let mut pieces: Vec<Arc<Node>> = Vec::new();
    for block in &blocks {
        pieces.push(brought_to(block, device)?);
    }
    if pieces.is_empty() {
        return Ok(record::full(record::number(node, 0.0), copy_of(&node.shape), device));
    }
    Ok(record::one_after_another(&pieces, axis))
}

#[track_caller]
fn brought_to(block: &Arc<Node>, device: Device) -> Result<Arc<Node>> {
    let bytes = len(&block.shape) * block.dtype.size();
    let data = brought(&data(block)?, block.device, [0, bytes], device)?;
    Ok(Node::shared(data, copy_of(&block.shape), block.dtype, device))
}

/// The host's bytes of an array that lies over several devices: all of them on each, or the blocks
/// of an axis with nothing in front of it.
pub(super) fn download(node: &Arc<Node>, into: &mut [u8]) -> Result<()> {
    let placement = node.device.placement().expect("the array lies over several devices");
    if placement.is_shared() {
        let all = gathered(node, node.device.first())?;
        return all.device.backend().download(&*data(&all)?, into);
    }
    let blocks = blocks(node)?;
    let in_order = match placement.layout {
        Layout::Along(axis) => len(&node.shape[..axis as usize]) == 1,
        _ => false,
    };
    if in_order {
        let mut rest = into;
        for block in &blocks {
            let (own, behind) = rest.split_at_mut(block.len() * block.dtype.size());
            rest = behind;
            if !own.is_empty() {
                block.device.backend().download(&*data(block)?, own)?;
            }
        }
        return Ok(());
    }
    let all = gathered(node, node.device.first())?;
    evaluate(std::slice::from_ref(&all))?;
    all.device.backend().download(&*data(&all)?, into)
}

/// Values of the host over several devices.
#[track_caller]
pub(super) fn upload(
    device: Device,
    bytes: &[u8],
    shape: Shape,
    dtype: DType,
) -> Result<Arc<Node>> {
    if let Some(placement) = device.placement()
        && let Some(axis) = placement.axis().filter(|&axis| axis < shape.len())
        && len(&shape[..axis]) == 1
    {
        return upload_blocks(device, bytes, (shape, axis), dtype);
    }
    let first = device.first();
    let data = first.backend().upload(bytes).map_err(|error| error.in_step("upload"))?;
    let node = Node::source(data, shape, dtype, first);
    check_axis(&node, device)?;
    over(&node, device)
}

/// Values of the host over several devices, whose blocks follow each other: each device gets its own.
#[track_caller]
fn upload_blocks(
    device: Device,
    bytes: &[u8],
    (shape, axis): (Shape, usize),
    dtype: DType,
) -> Result<Arc<Node>> {
    let placement = device.placement().expect("the device is several");
    let at = bounds(shape[axis], placement.devices.len());
    let row = len(&shape[axis + 1..]) * dtype.size();
    let mut buffers = Vec::new();
    for (k, target) in placement.devices.iter().enumerate() {
        buffers.push(match target.is_elsewhere() {
            true => nothing(*target)?,
            false => {
                let own = &bytes[at(k) * row..at(k + 1) * row];
                let data = target.backend().upload(own);
                Arc::new(data.map_err(|error| error.in_step("upload"))?)
            }
        });
    }
    Ok(Node::over(buffers, shape, dtype, device))
}
