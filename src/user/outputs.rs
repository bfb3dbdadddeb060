//! What calls of users' functions give for arrays.

use super::lanes::Laned;
use super::pack::Pack;
use crate::array::DeviceArray;
use crate::dtype::Element;
use crate::graph::Node;
use std::sync::Arc;

/// What a function gives for arrays: an array for a number, a tuple of arrays for a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no result for a function on arrays",
    note = "it gives an element type of arrays, or a tuple of those"
)]
pub trait Outputs: Pack {
    /// The array, or the arrays.
    type Arrays;
    /// Takes the nodes of the results.
    #[doc(hidden)]
    #[track_caller]
    fn arrays(nodes: Nodes) -> Self::Arrays;
}

/// The nodes of the results of a call.
pub struct Nodes(std::vec::IntoIter<Arc<Node>>);

impl Nodes {
    pub(crate) fn new(nodes: Vec<Arc<Node>>) -> Nodes {
        Nodes(nodes.into_iter())
    }

    /// The array of the next one.
    #[track_caller]
    pub fn take<T: Element>(&mut self) -> DeviceArray<T> {
        DeviceArray::from_node(self.0.next().expect("one node for each result"))
    }
}

impl<T: Element + Laned> Outputs for T {
    type Arrays = DeviceArray<T>;
    #[track_caller]
    fn arrays(mut nodes: Nodes) -> DeviceArray<T> {
        nodes.take()
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        impl<$($name: Element + Laned),+> Outputs for ($($name,)+) {
            type Arrays = ($(DeviceArray<$name>,)+);
            #[track_caller]
            fn arrays(mut nodes: Nodes) -> Self::Arrays {
                ($(nodes.take::<$name>(),)+)
            }
        }
    )*};
}
tuples! {
    A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H;
    A B C D E F G H I; A B C D E F G H I J; A B C D E F G H I J K; A B C D E F G H I J K L;
}
