//! Shapes, strides and axis arguments.

pub use crate::dtype::MAX_RANK;
use crate::error::{Error, Result};
use smallvec::SmallVec;

/// The lengths of an array's axes; up to four live inline.
pub type Shape = SmallVec<[usize; 4]>;

/// The same shape again. Most have few axes, and copying these one by one is cheaper than any
/// copy of memory whose length has to be asked for.
#[inline]
pub fn copy_of(shape: &[usize]) -> Shape {
    match *shape {
        [] => Shape::new(),
        [a] => Shape::from_buf_and_len([a, 0, 0, 0], 1),
        [a, b] => Shape::from_buf_and_len([a, b, 0, 0], 2),
        [a, b, c] => Shape::from_buf_and_len([a, b, c, 0], 3),
        _ => Shape::from_slice(shape),
    }
}

/// Whether two shapes are the same: by few axes that is cheaper one by one, too.
#[inline]
pub fn same(a: &[usize], b: &[usize]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

/// The number of elements, or an error that names the operation where it overflows.
pub fn checked_len(op: &str, shape: &[usize]) -> Result<usize> {
    if shape.len() > MAX_RANK {
        return Err(Error::shape(format!("{op}: shape {shape:?} has more than {MAX_RANK} axes")));
    }
    // The other lengths of an empty array are bounded as well: strides are products of them.
    let bounded = shape
        .iter()
        .try_fold(1usize, |n, &d| n.checked_mul(d.max(1)))
        .filter(|&n| n <= (i64::MAX / 16) as usize);
    match bounded {
        Some(_) if shape.contains(&0) => Ok(0),
        Some(len) => Ok(len),
        None => Err(Error::shape(format!("{op}: shape {shape:?} has too many elements"))),
    }
}

/// The number of elements of a shape that is known to be valid.
pub fn len(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// The strides, in elements, of a C-ordered array.
pub fn contiguous_strides(shape: &[usize]) -> SmallVec<[i64; 4]> {
    let mut strides: SmallVec<[i64; 4]> = SmallVec::from_elem(1, shape.len());
    for k in (1..shape.len()).rev() {
        strides[k - 1] = strides[k] * shape[k].max(1) as i64;
    }
    strides
}

/// The position on each axis of an element with a number in C order.
pub fn position(mut element: usize, shape: &[usize]) -> Shape {
    let mut at = Shape::from_elem(0, shape.len());
    for (at, &len) in at.iter_mut().zip(shape).rev() {
        *at = element % len.max(1);
        element /= len.max(1);
    }
    at
}

/// The shape to which two shapes broadcast by NumPy's rule, if they do.
pub fn broadcast(a: &[usize], b: &[usize]) -> Option<Shape> {
    if a == b {
        return Some(Shape::from_slice(a));
    }
    let rank = a.len().max(b.len());
    let mut out = Shape::from_elem(1, rank);
    for (k, o) in out.iter_mut().enumerate() {
        let x = (k + a.len()).checked_sub(rank).map_or(1, |i| a[i]);
        let y = (k + b.len()).checked_sub(rank).map_or(1, |i| b[i]);
        *o = match (x, y) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => return None,
        };
    }
    Some(out)
}

/// Turns an axis that may count from the end into an index, or says which axis was out of range.
pub fn axis_index(op: &str, axis: isize, rank: usize) -> Result<usize> {
    let n = rank as isize;
    if axis < -n || axis >= n {
        return Err(Error::shape(format!(
            "{op}: axis {axis} is out of range for an array with {rank} axes"
        )));
    }
    Ok(if axis < 0 { axis + n } else { axis } as usize)
}
