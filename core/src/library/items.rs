//! A user's function of small arrays, run once for each item of larger ones.

use crate::dtype::DType;
use crate::shape::Shape;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// Runs one item on the processor: the first elements of the item's arguments and results, and
/// the sizes of the function's dimensions.
///
/// # Safety
/// The pointers are to as many elements, of the types, as the function's signature says for these
/// sizes; nobody else uses the results meanwhile.
pub type Native = unsafe fn(&[*const u8], &[*mut u8], &[usize]);

/// The most axes that items lie along.
pub const LOOPS: usize = 8;

/// One call for all items.
#[derive(Clone, Debug)]
pub struct Items {
    /// The name of the function.
    pub name: &'static str,
    /// The function itself.
    pub native: Native,
    /// A translation unit, without the prelude, with the kernel `lz_items`; `None` where the
    /// function cannot run on a GPU item by item.
    pub source: Option<fn() -> String>,
    /// How many loops of the function have turns that threads share: with none, the kernel gives
    /// each item to a thread; with one, to any number of blocks; with more, to one block.
    pub stages: usize,
    /// For each argument its type, and by how many elements it advances from item to item along
    /// each axis of the items: 0 where all share it.
    pub inputs: Vec<(DType, SmallVec<[usize; 4]>)>,
    /// For each result its type and the number of elements of an item.
    pub outputs: Vec<(DType, usize)>,
    /// The sizes of the function's dimensions.
    pub sizes: SmallVec<[usize; 4]>,
    /// The axes that the items lie along; there is at least one item.
    pub items: Shape,
}

impl Items {
    /// The number of items.
    pub fn count(&self) -> usize {
        crate::shape::len(&self.items)
    }

    /// The place of each argument's first element for an item.
    pub fn offsets(&self, item: usize) -> SmallVec<[usize; 6]> {
        let mut rest = item;
        let mut offsets = SmallVec::from_elem(0, self.inputs.len());
        for (axis, &len) in self.items.iter().enumerate().rev() {
            let here = rest % len;
            rest /= len;
            for (offset, (_, strides)) in offsets.iter_mut().zip(&self.inputs) {
                *offset += here * strides[axis];
            }
        }
        offsets
    }

    /// What the kernel takes beside pointers: the number of items, the number of their axes, their
    /// lengths, the advances of each argument, and the sizes.
    pub fn numbers(&self) -> Vec<i64> {
        let padded = |list: &[usize], fill: usize| {
            let mut list: Vec<i64> = list.iter().map(|&n| n as i64).collect();
            list.resize(LOOPS, fill as i64);
            list
        };
        let mut numbers = vec![self.count() as i64, self.items.len() as i64];
        numbers.extend(padded(&self.items, 1));
        self.inputs.iter().for_each(|(_, strides)| numbers.extend(padded(strides, 0)));
        numbers.extend(self.sizes.iter().map(|&n| n as i64));
        numbers
    }

    /// All that tells calls apart; functions are the same where their code and types are.
    #[allow(clippy::type_complexity)]
    fn parts(
        &self,
    ) -> (
        (usize, Option<usize>, &str, usize),
        &[(DType, SmallVec<[usize; 4]>)],
        &[(DType, usize)],
        &[usize],
        &[usize],
    ) {
        let code = (self.native as usize, self.source.map(|f| f as usize), self.name, self.stages);
        (code, &self.inputs, &self.outputs, &self.sizes, &self.items)
    }
}

impl PartialEq for Items {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for Items {}

impl Hash for Items {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}
