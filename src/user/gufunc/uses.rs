//! The arrays of a function in recorded loops with their uses, and the proof that no turn meets
//! another one's.

use super::symbol::Affine;
use super::update::Update;
use crate::dtype::DType;
use crate::graph::{Node, Wrap};
use crate::shape::Shape;
use smallvec::SmallVec;
use std::sync::Arc;

/// An array of the function.
pub(super) struct Core {
    pub(super) name: &'static str,
    /// The elements; an array that is written has none before the first write.
    pub(super) node: Option<Arc<Node>>,
    pub(super) dtype: DType,
    pub(super) shape: Shape,
    pub(super) is_argument: bool,
    /// Its uses since the outermost loop began.
    pub(super) log: Vec<Access>,
}

/// One use of an array that is written, in those loops around it that have several turns.
pub(super) struct Access {
    pub(super) kind: Kind,
    pub(super) loops: SmallVec<[u32; 4]>,
    pub(super) place: SmallVec<[Affine; 4]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Update(Update),
}

impl Access {
    /// Whether no turn of the loops around both uses what another one writes by the other.
    pub(super) fn is_apart(&self, other: &Access) -> bool {
        let same = match (self.kind, other.kind) {
            (Kind::Read, Kind::Read) => true,
            (Kind::Update(a), Kind::Update(b)) => a.reduction() == b.reduction(),
            _ => false,
        };
        if same {
            return true;
        }
        let common = self.loops.iter().zip(&other.loops).take_while(|(a, b)| a == b);
        // Where both name the same place by a loop's turn alone, equal places mean equal turns.
        common.map(|(axis, _)| *axis).all(|axis| {
            let alone = |(a, b): (&Affine, &Affine)| {
                a == b && matches!(a.terms(), [t] if t.axis == axis) && a.wrap() == Wrap::None
            };
            self.place.iter().zip(&other.place).any(alone)
        })
    }
}
