//! Arrays in tuples, lists and vectors, as functions of arrays take and give them.

use super::DeviceArray;
use super::sealed::HasNode;
use crate::dtype::Element;
use crate::graph::Node;
use smallvec::SmallVec;
use std::sync::Arc;

/// Arrays side by side, however they were nested.
#[derive(Clone, Default)]
pub struct Flat {
    pub(crate) nodes: Vec<Arc<Node>>,
    /// The lengths of the lists among them, in order.
    pub(crate) lengths: SmallVec<[usize; 2]>,
}

/// Takes arrays apart and puts them together again.
pub struct Reader {
    nodes: std::vec::IntoIter<Arc<Node>>,
    lengths: smallvec::IntoIter<[usize; 2]>,
}

impl Flat {
    pub(crate) fn of(arrays: &impl Arrays) -> Flat {
        let mut flat = Flat::default();
        arrays.flatten(&mut flat);
        flat
    }

    pub(crate) fn into_reader(self) -> Reader {
        Reader { nodes: self.nodes.into_iter(), lengths: self.lengths.into_iter() }
    }
}

pub(crate) mod inner {
    use super::{Flat, Reader};

    /// What is made of arrays.
    pub trait Nested {
        /// Adds the arrays.
        fn flatten(&self, into: &mut Flat);
        /// Takes as many arrays.
        fn build(from: &mut Reader) -> Self;
    }
}

/// What compiled functions and loops take and give: a [`DeviceArray`], or a tuple, an array or a `Vec` of
/// such; and the columns of a struct ([`Columns`](trait@crate::device::Columns)).
///
/// Sealed: the types are those that are listed.
pub trait Arrays: inner::Nested {}

impl<T: Element> inner::Nested for DeviceArray<T> {
    fn flatten(&self, into: &mut Flat) {
        into.nodes.push(self.any_node().0.clone());
    }

    fn build(from: &mut Reader) -> Self {
        DeviceArray::from_node(from.nodes.next().expect("as many arrays as were flattened"))
    }
}
impl<T: Element> Arrays for DeviceArray<T> {}

impl<T: Arrays> inner::Nested for Vec<T> {
    fn flatten(&self, into: &mut Flat) {
        into.lengths.push(self.len());
        self.iter().for_each(|item| item.flatten(into));
    }

    fn build(from: &mut Reader) -> Self {
        let length = from.lengths.next().expect("as many lists as were flattened");
        (0..length).map(|_| T::build(from)).collect()
    }
}
impl<T: Arrays> Arrays for Vec<T> {}

impl<T: Arrays, const N: usize> inner::Nested for [T; N] {
    fn flatten(&self, into: &mut Flat) {
        self.iter().for_each(|item| item.flatten(into));
    }

    fn build(from: &mut Reader) -> Self {
        std::array::from_fn(|_| T::build(from))
    }
}
impl<T: Arrays, const N: usize> Arrays for [T; N] {}

macro_rules! tuples {
    ($($($t:ident)*;)*) => {$(
        impl<$($t: Arrays),*> inner::Nested for ($($t,)*) {
            #[allow(non_snake_case)]
            fn flatten(&self, into: &mut Flat) {
                let ($($t,)*) = self;
                $($t.flatten(into);)*
            }

            fn build(from: &mut Reader) -> Self {
                ($($t::build(from),)*)
            }
        }
        impl<$($t: Arrays),*> Arrays for ($($t,)*) {}
    )*};
}
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E G; }
