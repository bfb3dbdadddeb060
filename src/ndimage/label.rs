//! Connected components.
//!
//! Every element of the mask begins as a tree of its own; a thread for each element joins its tree
//! with those of its neighbours, the larger root below the smaller one, by atomic minima. Then
//! every element is put below its root, which is the first element of its component in C order, and
//! the roots are counted in that order.

use super::binary::Connectivity;
use super::window::InvertAll;
use crate::array::{DeviceArray, located, record, upload_to};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::gpu::*;
use crate::graph::Node;
use crate::shape::Shape;
use crate::table::Op;
use lazuli_macros::{device, kernel};
use ndarray::ArrayD;
use smallvec::smallvec;
use std::sync::Arc;

/// The threads of a block.
const BLOCK: usize = 256;

/// Joins the trees of two elements, of which the first has one.
#[device]
fn join(one: i32, other: i32, labels: ArrayMut<i32, 1>) {
    let (mut a, mut b) = (one, other);
    let mut open = labels[b as usize] >= 0;
    while open {
        let mut up = labels[a as usize];
        while up != a {
            a = up;
            up = labels[a as usize];
        }
        up = labels[b as usize];
        while up != b {
            b = up;
            up = labels[b as usize];
        }
        if a == b {
            open = false;
        } else {
            let (low, high) = (a.min(b), a.max(b));
            let before = labels.atomic_min(high as usize, low);
            // Somebody else may have put the larger root elsewhere meanwhile.
            open = before != high;
            a = before;
            b = low;
        }
    }
}

/// Joins the trees of neighbours. `steps` has for each neighbour its distance on the axes and in C
/// order; an element without a tree has the label -1.
#[kernel]
fn join_trees(shape: Array<i32, 1>, steps: Array<i32, 2>, labels: ArrayMut<i32, 1>) {
    let i = grid::<1>();
    if i < labels.len() && labels[i] >= 0 {
        let rank = shape.len();
        let mut k = 0;
        while k < steps.shape(0) {
            let mut rest = i as i32;
            let mut inside = true;
            let mut axis = rank;
            while axis > 0 {
                axis -= 1;
                let n = shape[axis];
                let at = rest % n + steps[(k, axis)];
                rest /= n;
                inside = inside && at >= 0 && at < n;
            }
            if inside {
                join(i as i32, i as i32 + steps[(k, rank)], labels);
            }
            k += 1;
        }
    }
}

/// The same for two axes, a thread for each element, without a division for each neighbour.
#[kernel]
fn join_trees_2d(width: usize, steps: Array<i32, 2>, labels: ArrayMut<i32, 1>) {
    let i = grid::<1>();
    if i < labels.len() && labels[i] >= 0 {
        let (x, y) = ((i % width) as i32, (i / width) as i32);
        let (right, below) = (width as i32, (labels.len() / width) as i32);
        let mut k = 0;
        while k < steps.shape(0) {
            let (down, across) = (y + steps[(k, 0)], x + steps[(k, 1)]);
            if down >= 0 && down < below && across >= 0 && across < right {
                join(i as i32, i as i32 + steps[(k, 2)], labels);
            }
            k += 1;
        }
    }
}

/// Puts every element below the root of its tree.
#[kernel]
fn flatten_trees(labels: ArrayMut<i32, 1>) {
    let i = grid::<1>();
    if i < labels.len() {
        let mut root = labels[i];
        if root >= 0 {
            let mut up = labels[root as usize];
            while up != root {
                root = up;
                up = labels[root as usize];
            }
            labels.set(i, root);
        }
    }
}

/// Sets the flags of the roots below which an element is set.
#[kernel]
fn flag_roots(roots: Array<i32, 1>, seeds: Array<bool, 1>, flags: ArrayMut<bool, 1>) {
    let i = grid::<1>();
    if i < roots.len() && seeds[i] && roots[i] >= 0 {
        flags.set(roots[i] as usize, true);
    }
}

/// The distances to the neighbours before each element in C order, on the axes and in that order.
fn steps(structure: &ArrayD<bool>, shape: &[usize]) -> Vec<i32> {
    let strides = crate::shape::contiguous_strides(shape);
    let mut all = Vec::new();
    let center = structure.len() / 2;
    for (k, (at, &set)) in structure.indexed_iter().enumerate() {
        if !set || k >= center {
            continue;
        }
        let by = |axis: usize| at[axis] as i32 - 1;
        all.extend((0..shape.len()).map(by));
        all.push((0..shape.len()).map(|axis| by(axis) * strides[axis] as i32).sum());
    }
    all
}

/// For each element of the mask the first one of its component in C order; -1 elsewhere.
#[track_caller]
pub(super) fn roots(
    name: &str,
    mask: &DeviceArray<bool>,
    structure: &ArrayD<bool>,
) -> Result<DeviceArray<i32>> {
    let (len, shape) = (mask.len(), mask.node().shape.clone());
    if len >= i32::MAX as usize {
        return Err(Error::unsupported(format!(
            "{name}: an array of {len} elements, more than i32 counts"
        )));
    }
    let mut turned = structure.clone();
    turned.invert_all();
    if structure.shape().iter().any(|&n| n != 3) || turned != *structure {
        return Err(Error::shape(format!(
            "{name}: a structure of 3 elements on each axis that is the same turned around is needed"
        )));
    }
    let flat = record::reshape(mask.node(), smallvec![len]);
    let own = record::cast(&record::iota(0, smallvec![len], mask.device()), DType::I32);
    let labels = record::select(&flat, &own, Scalar::new(-1i32))?;
    let mut labels = DeviceArray::<i32>::from_node(labels);
    let steps = steps(structure, &shape);
    if len > 0 && !steps.is_empty() {
        let rank = shape.len();
        let count = steps.len() / (rank + 1);
        let device = mask.device();
        let steps = upload_to(device, &steps, Shape::from_slice(&[count, rank + 1]))?;
        let blocks = len.div_ceil(BLOCK);
        match rank {
            2 => join_trees_2d.launch(blocks, BLOCK, (shape[1], &steps, &mut labels))?,
            _ => {
                let lengths: Vec<i32> = shape.iter().map(|&n| n as i32).collect();
                let lengths = upload_to(device, &lengths, Shape::from_slice(&[rank]))?;
                join_trees.launch(blocks, BLOCK, (&lengths, &steps, &mut labels))?;
            }
        }
        flatten_trees.launch(blocks, BLOCK, (&mut labels,))?;
    }
    Ok(DeviceArray::from_node(record::reshape(labels.node(), shape)))
}

/// The seeds, and all elements of the components that hold one.
#[track_caller]
pub(super) fn seeded(
    roots: &DeviceArray<i32>,
    seeds: &DeviceArray<bool>,
) -> Result<DeviceArray<bool>> {
    let len = roots.len();
    let flat = |a: &Arc<Node>| record::reshape(a, smallvec![len]);
    let (own, set) = (
        DeviceArray::<i32>::from_node(flat(roots.node())),
        DeviceArray::<bool>::from_node(flat(seeds.node())),
    );
    let none = record::full(Scalar::new(false), smallvec![len], roots.device());
    let mut flags = DeviceArray::<bool>::from_node(none);
    flag_roots.launch(len.div_ceil(BLOCK), BLOCK, (&own, &set, &mut flags))?;
    let whole = flags.try_take_clipped(&own.try_maximum(0)?, 0)?;
    let whole = whole.try_logical_and(own.try_greater_equal(0)?)?;
    let all = record::binary(Op::LogicalOr, whole.node(), set.node())?;
    Ok(DeviceArray::from_node(record::reshape(&all, roots.node().shape.clone())))
}

/// The connected components of a mask, numbered from 1 in the order of their first elements, and how
/// many there are; 0 is what is not set.
///
/// **Shape.** The mask's. **Dtype.** `i32`. **Laziness.** Evaluates. SciPy: `ndimage.label`.
///
/// # Errors
/// [`Error::is_shape`] where the structure has not 3 elements on each of the mask's axes, or is not
/// the same turned around; [`Error::is_unsupported`] for masks of 2³¹ elements or more; what an
/// evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::ndimage::label;
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_vec([2, 4], vec![0, 1, 0, 1, 1, 0, 0, 1])?.not_equal(0);
/// let (labels, count) = label(&a, 1)?;
/// assert_eq!((labels.to_vec()?, count), (vec![0, 1, 0, 2, 3, 0, 0, 2], 3));
/// // With diagonal neighbours.
/// assert_eq!(label(&a, 2)?.0.to_vec()?, [0, 1, 0, 2, 1, 0, 0, 2]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn label(
    mask: &DeviceArray<bool>,
    structure: impl Into<Connectivity>,
) -> Result<(DeviceArray<i32>, usize)> {
    located(numbered(mask, &structure.into()))
}

#[track_caller]
fn numbered(
    mask: &DeviceArray<bool>,
    structure: &Connectivity,
) -> Result<(DeviceArray<i32>, usize)> {
    let structure = structure.of_rank("label", mask.ndim())?;
    let (len, shape) = (mask.len(), mask.node().shape.clone());
    let roots = roots("label", mask, &structure)?;
    if len == 0 {
        return Ok((roots, 0));
    }
    let roots = DeviceArray::<i32>::from_node(record::reshape(roots.node(), smallvec![len]));
    let own = record::cast(&record::iota(0, smallvec![len], mask.device()), DType::I32);
    let is_root = record::binary(Op::Equal, roots.node(), &own)?;
    let numbers = DeviceArray::<bool>::from_node(is_root).try_cumsum(0)?;
    numbers.eval()?;
    let count = numbers.slice(ndarray::s![len - 1]).item()? as usize;
    let found = numbers.try_take_clipped(&roots.try_maximum(0)?, 0)?;
    let within = roots.try_greater_equal(0)?;
    let labels =
        record::select(within.node(), &record::cast(found.node(), DType::I32), Scalar::new(0i32))?;
    let labels = DeviceArray::<i32>::from_node(record::reshape(&labels, shape));
    labels.eval()?;
    Ok((labels, count))
}
