//! Positions of recorded loops used as values.

use super::lower::{Lower, Outcome, Refusal};
use super::symbol::{Int, Sym, Term};
use super::value::Value;
use crate::array::record;
use crate::dtype::Scalar;
use crate::graph::{Node, Wrap};
use crate::table::Op;
use crate::user::pack::Pack;
use smallvec::SmallVec;
use std::sync::Arc;

/// A value, or a position of a loop used as one.
pub trait IntoValue {
    /// The type in the user's code.
    type Type: Pack;
    /// The value at this place.
    ///
    /// # Errors
    /// Where a position is no affine form.
    fn value(&self, lower: &Lower) -> Result<Value<Self::Type>, Refusal>;
}

impl<T: Pack> IntoValue for Value<T> {
    type Type = T;
    fn value(&self, _: &Lower) -> Result<Value<T>, Refusal> {
        Ok(self.clone())
    }
}

impl<T: Int + Pack> IntoValue for Sym<T> {
    type Type = T;
    fn value(&self, lower: &Lower) -> Result<Value<T>, Refusal> {
        lower.position(*self)
    }
}

impl Lower {
    /// A value, or a position as one.
    pub fn value<X: IntoValue>(&self, x: &X) -> Outcome<Value<X::Type>> {
        x.value(self)
    }

    /// The value of a position.
    fn position<T: Int + Pack>(&self, position: Sym<T>) -> Outcome<Value<T>> {
        let form = position.form().ok_or(Refusal::Unprovable)?;
        let mut dtypes = Vec::new();
        T::dtypes(&mut dtypes);
        let mut node: Option<Arc<Node>> = None;
        for term in form.terms() {
            let mut part = self.turn(term)?;
            if term.step != 1 {
                part = record::binary(Op::Multiply, &part, Scalar::new(term.step))?;
            }
            node = Some(match node {
                Some(sum) => record::binary(Op::Add, &sum, &part)?,
                None => part,
            });
        }
        let node = match node {
            Some(node) if form.offset() != 0 => {
                record::binary(Op::Add, &node, Scalar::new(form.offset()))?
            }
            Some(node) => node,
            None => record::full(Scalar::new(form.offset()), self.ones(), self.device),
        };
        let of = |op, n: i64| record::binary(op, &node, Scalar::new(n));
        let node = match form.wrap() {
            Wrap::None => node,
            Wrap::Div(n) => of(Op::FloorDivide, n)?,
            Wrap::Mod(n) => of(Op::Remainder, n)?,
            Wrap::Clamp(n) => {
                let held = of(Op::Maximum, 0)?;
                record::binary(Op::Minimum, &held, Scalar::new(n - 1))?
            }
            Wrap::Reflect(_) | Wrap::Symmetric(_) => return Err(Refusal::Unprovable),
        };
        let node = record::cast(&node, dtypes[0]);
        Ok(Value::nodes(SmallVec::from_elem(node, 1), self.depth()))
    }

    /// The number of the turn of a loop, from 0.
    fn turn(&self, term: &Term) -> Outcome<Arc<Node>> {
        let mut shape = self.ones();
        let axis = self.axis(term.axis)?;
        shape[axis] = term.turns as usize;
        Ok(record::iota(axis, shape, self.device))
    }
}
