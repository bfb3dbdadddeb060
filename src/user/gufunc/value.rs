//! Values of recorded loops: numbers that are known when the loops are recorded, and nodes with an
//! axis for every loop around them.

use crate::dtype::Scalar;
use crate::graph::Node;
use crate::user::pack::Pack;
use crate::user::tuples::up_to_12;
use smallvec::SmallVec;
use std::sync::Arc;

/// A value of type `T` in recorded loops: known now or at each call, or one node for each component.
/// A node's axes are those that the arguments are looped over, then one for each loop around the
/// place where the value was made; along what the value does not depend on they have length 1.
#[derive(Clone)]
pub struct Value<T> {
    pub(super) state: State<T>,
    /// The number of loops around the place where it was made.
    pub(super) depth: usize,
}

#[derive(Clone)]
pub(super) enum State<T> {
    Known(T),
    /// Known at each call to come: these numbers, from the first on.
    Later(usize),
    Nodes(SmallVec<[Arc<Node>; 1]>),
}

impl<T: Pack> Value<T> {
    pub(super) fn nodes(nodes: SmallVec<[Arc<Node>; 1]>, depth: usize) -> Self {
        Value { state: State::Nodes(nodes), depth }
    }

    /// The number, where it is known and a single one.
    pub(super) fn scalar(&self) -> Option<Scalar> {
        match &self.state {
            State::Known(value) => {
                let mut list = Vec::new();
                value.scalars(&mut list);
                list.pop().filter(|_| list.is_empty())
            }
            State::Later(_) | State::Nodes(_) => None,
        }
    }
}

/// The arguments of a piece: a tuple of values.
pub trait Arguments {
    /// The tuple of the types in the user's code.
    type Types: Pack;
    /// All of them, where all are known.
    fn known(&self) -> Option<Self::Types>;
    /// Appends the components.
    fn components(&self, list: &mut Vec<Component>);
    /// The names of the types in C++.
    fn type_names() -> Vec<String>;
}

/// A component of an argument.
pub enum Component {
    #[doc(hidden)]
    Known(Scalar),
    #[doc(hidden)]
    Later(usize),
    #[doc(hidden)]
    Node(NodeAt),
}

/// A node with the number of loops around the place where it was made.
pub struct NodeAt(pub(super) Arc<Node>, pub(super) usize);

macro_rules! tuples {
    ($($($name:ident $k:tt)*;)*) => {$(
        #[allow(unused_variables, reason = "a piece may have no arguments")]
        impl<$($name: Pack + super::super::types::DeviceType),*> Arguments for ($(Value<$name>,)*)
        where
            ($($name,)*): Pack,
        {
            type Types = ($($name,)*);
            #[allow(clippy::unused_unit)]
            fn known(&self) -> Option<Self::Types> {
                Some(($(match &self.$k.state {
                    State::Known(value) => *value,
                    State::Later(_) | State::Nodes(_) => return None,
                },)*))
            }
            fn components(&self, list: &mut Vec<Component>) {
                $(self.$k.components(list);)*
            }
            fn type_names() -> Vec<String> {
                vec![$($name::type_name()),*]
            }
        }
    )*};
}
tuples! { ; }
up_to_12!(tuples);

impl<T: Pack> Value<T> {
    fn components(&self, list: &mut Vec<Component>) {
        match &self.state {
            State::Known(value) => {
                let mut scalars = Vec::new();
                value.scalars(&mut scalars);
                list.extend(scalars.into_iter().map(Component::Known));
            }
            State::Later(first) => {
                list.extend((*first..first + T::COUNT).map(Component::Later));
            }
            State::Nodes(nodes) => {
                let at = |node: &Arc<Node>| Component::Node(NodeAt(node.clone(), self.depth));
                list.extend(nodes.iter().map(at));
            }
        }
    }
}

/// A value that is a tuple, as a tuple of values.
pub trait Split {
    /// The tuple of values.
    type Parts;
    /// Takes the value apart.
    fn split(self) -> Self::Parts;
}

macro_rules! split {
    ($($($name:ident $k:tt)+;)*) => {$(
        impl<$($name: Pack),+> Split for Value<($($name,)+)> {
            type Parts = ($(Value<$name>,)+);
            #[allow(unused_assignments, reason = "the last part moves the start as well")]
            fn split(self) -> Self::Parts {
                let depth = self.depth;
                match self.state {
                    State::Known(value) => {
                        ($(Value { state: State::Known(value.$k), depth },)+)
                    }
                    State::Later(first) => {
                        let mut next = first;
                        ($({
                            let first = next;
                            next += $name::COUNT;
                            Value::<$name> { state: State::Later(first), depth }
                        },)+)
                    }
                    State::Nodes(nodes) => {
                        let mut from = 0;
                        ($({
                            let own = &nodes[from..from + $name::COUNT];
                            from += $name::COUNT;
                            Value::<$name>::nodes(own.iter().cloned().collect(), depth)
                        },)+)
                    }
                }
            }
        }
    )*};
}
up_to_12!(split);
