//! The memory of an array, for code that is no expression: a user's own kernels.

use super::DeviceArray;
use crate::backend::Buffer;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::eval::evaluate;
use crate::graph::{Node, NodeOp, View};
use crate::shape::Shape;
use smallvec::smallvec;
use std::sync::Arc;

impl<T: Element> DeviceArray<T> {
    /// The array's data in C order, evaluated where it is not there yet.
    pub(crate) fn data(&self) -> Result<Arc<Buffer>> {
        if self.device().is_placed() {
            return Err(Error::unsupported(format!(
                "the array is {}, and its memory is asked for as one: `gather()` takes it to one \
                 device, `shards()` gives the blocks",
                self.device()
            )));
        }
        evaluate(std::slice::from_ref(self.node()))?;
        data_of(self.node())
    }

    /// The same, to be written: where anybody else could see the buffer, the array gets a copy
    /// first.
    pub(crate) fn data_mut(&mut self) -> Result<Arc<Buffer>> {
        let data = self.data()?;
        // One holder of the node is this handle, two of the data are the node and this function.
        let alone = Arc::strong_count(self.node()) == 1 && Arc::strong_count(&data) == 2;
        if alone && data.may_be_written() {
            return Ok(data);
        }
        drop(data);
        *self = Self::from_node(copy(self.node()));
        self.data()
    }
}

fn data_of(node: &Arc<Node>) -> Result<Arc<Buffer>> {
    node.data().ok_or_else(|| Error::device("an evaluated array has no data".to_string()))
}

/// A node whose evaluation copies the data.
#[track_caller]
fn copy(node: &Arc<Node>) -> Arc<Node> {
    let identity = NodeOp::View(Arc::new(View::identity(node.shape.len())));
    Node::new(
        identity,
        smallvec![node.into()],
        Shape::from_slice(&node.shape),
        node.dtype,
        node.device,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_that_others_see_is_copied_before_it_is_written() {
        let mut a = DeviceArray::from_slice(&[1.0, 2.0, 3.0]).unwrap();
        let first = a.data().unwrap().address();
        assert_eq!(a.data_mut().unwrap().address(), first);
        let double = &a * 2.0;
        assert_ne!(a.data_mut().unwrap().address(), first);
        drop(double);
        let own = a.data().unwrap().address();
        assert_eq!(a.data_mut().unwrap().address(), own);
        let other = a.clone();
        let shared = a.reshape([3, 1]);
        shared.eval().unwrap();
        assert_ne!(a.data_mut().unwrap().address(), own);
        assert_eq!(other.data().unwrap().address(), own);
        assert_eq!(a.to_vec().unwrap(), [1.0, 2.0, 3.0]);
        let mut empty = DeviceArray::<f32>::zeros([0, 4]);
        let seen = empty.clone();
        assert_eq!(empty.data_mut().unwrap().bytes(), 0);
        assert_eq!(seen.len(), 0);
    }
}
