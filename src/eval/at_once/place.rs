//! Where elements lie that are there.

use super::Strides;
use super::compute::are_contiguous;
use super::values::Memory;
use crate::backend::cpu::few::{self, Strided};
use crate::graph::{Arg, Node, NodeOp};
use crate::shape::contiguous_strides;

/// Views of views are looked through, so many at most.
pub(super) const MOST_VIEWS: usize = 4;

/// Where the elements of an array lie.
pub(super) struct Place {
    /// The first element.
    pub first: *const u8,
    /// The distance in elements along each axis.
    strides: Strides,
}

impl Place {
    /// The place of an array's elements, if they are there, or are regular parts of what is there. The
    /// caller's evaluation is the one that runs.
    pub fn of(node: &Node) -> Option<Place> {
        Place::through(node, MOST_VIEWS)
    }

    fn through(node: &Node, views: usize) -> Option<Place> {
        // SAFETY: this is the evaluation that runs.
        let state = unsafe { node.state_unlocked() };
        match (&state.data, &node.op, state.args.first()) {
            (Some(data), ..) => {
                let strides = contiguous_strides(&node.shape).into_iter().map(|s| s as isize);
                Some(Place { first: data.address() as *const u8, strides: strides.collect() })
            }
            (None, NodeOp::View(view), Some(Arg::Node(under))) if views > 0 => {
                let place = Place::through(under, views - 1)?;
                let distances = place.strides.iter().rev().copied();
                let (start, strides) = view.layout_over(&under.shape, distances, &node.shape)?;
                let first = place.first.wrapping_offset(start * node.dtype.size() as isize);
                Some(Place { first, strides })
            }
            _ => None,
        }
    }

    /// The elements one behind the other: where they lie, or gathered.
    pub fn in_a_row(&self, memory: &mut Memory, node: &Node) -> Option<*const u8> {
        if are_contiguous(&node.shape, &self.strides) {
            return Some(self.first);
        }
        let to = memory.take(node.dtype, node.len())?;
        let from = Strided { first: self.first.cast_mut(), strides: &self.strides };
        // SAFETY: the elements exist, and the memory is new.
        unsafe { few::load(node.dtype, to, from, &node.shape) };
        Some(to)
    }
}
