//! From memory to a node: foreign data with strides becomes an array, and nothing is copied.
//!
//! Data of a node is in C order. Memory in another order of its axes is a node of these lengths and
//! a transposition; any other strides are a node with one axis over all that they span, and an
//! affine view of it, which kernels read in place. On a GPU the node begins at a multiple of 256
//! bytes, as allocations of the driver do, since packs and libraries rely on it; a view leaves out
//! what lies before the first element.

use crate::array::record;
use crate::backend::{Device, Foreign, Owner, RawStream};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::graph::{AxisMap, Node, View, Wrap};
use crate::shape::{Shape, checked_len, contiguous_strides};
use smallvec::SmallVec;
use std::sync::Arc;

/// The steps along the axes, in elements.
pub(super) type Strides = SmallVec<[i64; 4]>;

/// GPUs' libraries choose algorithms by what arrays are aligned to, so a node's data begins at a
/// multiple of this many bytes, as every allocation of the driver does.
const GPU_ALIGNMENT: u64 = 256;

/// An array in memory that somebody else has allocated.
pub(super) struct Memory {
    /// The function that was called, for messages.
    pub name: &'static str,
    /// Where the memory is.
    pub device: Device,
    /// The type of the elements.
    pub dtype: DType,
    /// The address of the element at position 0 on all axes.
    pub address: u64,
    /// The lengths of the axes.
    pub shape: Shape,
    /// The steps along them; C order where there are none.
    pub strides: Option<Strides>,
    /// The stream in whose order the data is.
    pub stream: Option<RawStream>,
}

impl Memory {
    /// The node that reads the memory, which `owner` keeps alive. The owner goes with the last use,
    /// or with the error.
    pub(super) fn into_node(self, owner: Owner) -> Result<Arc<Node>> {
        let Memory { name, device, dtype, .. } = self;
        let len = checked_len(name, &self.shape)?;
        if len == 0 {
            // Nothing is read, so the owner goes at once.
            drop(owner);
            let buffer = device.backend().allocate(0)?;
            return Ok(Node::source(buffer, self.shape, dtype, device));
        }
        let strides = self.strides()?;
        let span = Span::of(name, &self.shape, &strides)?;
        let (address, bytes) = self.range(&span)?;
        let skew = if device.is_cuda() { address % GPU_ALIGNMENT } else { 0 };
        let foreign = Foreign {
            address: address - skew,
            bytes: bytes + skew as usize,
            stream: self.stream,
            owner,
        };
        let buffer = device.backend().adopt(foreign).map_err(|why| why.in_operation(name))?;
        let source = |shape| Node::source(buffer, shape, dtype, device);
        if skew == 0
            && let Some(order) = compact(&self.shape, &strides)
        {
            let base = source(order.iter().map(|&axis| self.shape[axis]).collect());
            let transposed = View(order.iter().map(|&axis| AxisMap::same(axis)).collect());
            return Ok(record::view(&base, transposed, self.shape));
        }
        let first = (skew as usize / dtype.size()) as i64;
        let base = source(Shape::from_slice(&[first as usize + span.elements()]));
        Ok(record::view(&base, span.view(first, &self.shape, &strides), self.shape))
    }

    /// The strides as they are read: those of axes of one element do not matter.
    fn strides(&self) -> Result<Strides> {
        let own = contiguous_strides(&self.shape);
        let Some(strides) = &self.strides else { return Ok(own) };
        if strides.len() != self.shape.len() {
            return Err(Error::shape(format!(
                "{}: {} strides do not fit shape {:?}",
                self.name,
                strides.len(),
                &self.shape[..]
            )));
        }
        let pairs = strides.iter().zip(&own).zip(&self.shape);
        Ok(pairs.map(|((&stride, &own), &len)| if len == 1 { own } else { stride }).collect())
    }

    /// The address and the length in bytes of what the elements span.
    fn range(&self, span: &Span) -> Result<(u64, usize)> {
        let Memory { name, address, dtype, .. } = self;
        if *address == 0 {
            return Err(Error::shape(format!("{name}: the pointer to the data is null")));
        }
        let alignment = match self.device.is_cuda() {
            true => dtype.size(),
            false => dtype.real().size(),
        };
        if address % alignment as u64 != 0 {
            return Err(Error::shape(format!(
                "{name}: the address {address:#x} is misaligned: elements of {dtype} lie at \
                 multiples of {alignment} bytes"
            )));
        }
        let size = dtype.size() as i128;
        let first = i128::from(*address) + i128::from(span.low) * size;
        let bytes = (i128::from(span.high) - i128::from(span.low) + 1) * size;
        match (u64::try_from(first), isize::try_from(bytes)) {
            (Ok(first), Ok(bytes)) if first > 0 && first.checked_add(bytes as u64).is_some() => {
                Ok((first, bytes as usize))
            }
            _ => Err(Error::shape(format!(
                "{name}: shape {:?} and its strides reach outside of the address space",
                &self.shape[..]
            ))),
        }
    }
}

/// The lowest and the highest element that is read, counted from the first position.
struct Span {
    low: i64,
    high: i64,
}

impl Span {
    /// That of an array that is not empty.
    fn of(name: &str, shape: &[usize], strides: &[i64]) -> Result<Span> {
        let (mut low, mut high) = (0i64, 0i64);
        for (&len, &stride) in shape.iter().zip(strides) {
            let reach = stride.checked_mul(len as i64 - 1);
            let moved = reach.and_then(|by| match by < 0 {
                true => low.checked_add(by).map(|low| (low, high)),
                false => high.checked_add(by).map(|high| (low, high)),
            });
            (low, high) = moved.ok_or_else(|| {
                Error::shape(format!(
                    "{name}: shape {shape:?} with strides {strides:?} reaches outside of the \
                     address space"
                ))
            })?;
        }
        Ok(Span { low, high })
    }

    fn elements(&self) -> usize {
        (self.high - self.low) as usize + 1
    }

    /// The view of the span, which begins at element `first` of an array, by the strides.
    fn view(&self, first: i64, shape: &[usize], strides: &[i64]) -> View {
        let moves = |&axis: &usize| shape[axis] > 1 && strides[axis] != 0;
        let terms = (0..shape.len()).filter(moves).map(|axis| (axis as u8, strides[axis]));
        let offset = first - self.low;
        View([AxisMap { offset, terms: terms.collect(), wrap: Wrap::None }].into_iter().collect())
    }
}

/// The axes in the order in which the memory has them, where it has each element once, without gaps.
fn compact(shape: &[usize], strides: &[i64]) -> Option<SmallVec<[usize; 4]>> {
    let mut order: SmallVec<[usize; 4]> = (0..shape.len()).collect();
    // Axes of one element fit anywhere; a stable sort leaves C order as it is.
    order.sort_by_key(|&axis| std::cmp::Reverse(strides[axis]));
    let lengths: Shape = order.iter().map(|&axis| shape[axis]).collect();
    let wanted = contiguous_strides(&lengths);
    let fits = |(&axis, &wanted): (&usize, &i64)| shape[axis] == 1 || strides[axis] == wanted;
    order.iter().zip(&wanted).all(fits).then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_without_gaps_is_known_in_any_order_of_its_axes() {
        let order = |shape: &[usize], strides: &[i64]| compact(shape, strides).map(|o| o.to_vec());
        assert_eq!(order(&[2, 3], &[3, 1]), Some(vec![0, 1]));
        assert_eq!(order(&[2, 3], &[1, 2]), Some(vec![1, 0]));
        assert_eq!(order(&[4, 2, 3], &[1, 12, 4]), Some(vec![1, 2, 0]));
        assert_eq!(order(&[], &[]), Some(vec![]));
        assert_eq!(order(&[3, 1, 2], &[2, 2, 1]), Some(vec![0, 1, 2]));
        for (shape, strides) in [([2, 3], [4, 1]), ([2, 3], [3, 0]), ([2, 3], [-3, 1])] {
            assert_eq!(order(&shape, &strides), None);
        }
    }

    #[test]
    fn spans_reach_as_far_as_the_strides_and_no_further() {
        let span = Span::of("f", &[2, 3], &[-10, 2]).unwrap();
        assert_eq!((span.low, span.high, span.elements()), (-10, 4, 15));
        for (shape, stride) in [(3, i64::MAX), (3, i64::MIN), (2, i64::MIN)] {
            let error = Span::of("f", &[shape, 2], &[stride, -1]);
            assert!(error.is_err_and(|error| error.is_shape()));
        }
    }
}
