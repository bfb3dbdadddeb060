//! A search for the first element for which a user's function panics.

use super::stacks;
use crate::backend::pool;
use crate::caught::catch;
use crate::dtype::DType;
use crate::function::{Fold, Function, TileArg};
use crate::shape::{Shape, len, position};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// An argument of the function: where its first element lies, and by how many bytes it advances
/// along each axis.
pub struct Operand {
    pub first: *const u8,
    pub strides: Vec<usize>,
}

// SAFETY: the elements are only read, and whoever made the operand keeps them.
unsafe impl Sync for Operand {}

/// The order in which elements are met: lines in C order, each on its own.
pub struct Lines {
    shape: Shape,
    /// The axes that a line goes along, and those that lines lie side by side along.
    along: Vec<usize>,
    across: Vec<usize>,
    reverse: bool,
}

impl Lines {
    /// Each element is a line.
    pub fn elements(shape: &Shape) -> Lines {
        Lines::along(shape, 0, false)
    }

    /// Lines along a set of axes.
    pub fn along(shape: &Shape, axes: u32, reverse: bool) -> Lines {
        let (along, across) = (0..shape.len()).partition(|&k| axes >> k & 1 == 1);
        Lines { shape: shape.clone(), along, across, reverse }
    }

    fn extents(&self, axes: &[usize]) -> Shape {
        axes.iter().map(|&k| self.shape[k]).collect()
    }

    /// The position of an element of a line.
    fn place(&self, line: usize, element: usize) -> Shape {
        let (across, along) = (self.extents(&self.across), self.extents(&self.along));
        let element = if self.reverse { len(&along) - 1 - element } else { element };
        let mut place = Shape::from_elem(0, self.shape.len());
        self.across.iter().zip(position(line, &across)).for_each(|(&k, at)| place[k] = at);
        self.along.iter().zip(position(element, &along)).for_each(|(&k, at)| place[k] = at);
        place
    }
}

/// The lines that a thread takes at a time.
const PART: usize = 1024;

/// The first line, and the element in it, for which the function panics: by itself, or where a
/// fold's states are combined one after another.
pub fn first_failure(
    function: &Function,
    fold: Option<&Fold>,
    lines: &Lines,
    args: &[Operand],
) -> Option<(usize, Shape)> {
    let count = len(&lines.extents(&lines.across));
    let length = len(&lines.extents(&lines.along));
    let first = AtomicUsize::new(usize::MAX);
    let one = |line: usize| fails(function, fold, lines, args, line, length);
    pool::parts(count.div_ceil(PART), |part| {
        for line in part * PART..((part + 1) * PART).min(count) {
            if line >= first.load(Relaxed) {
                break;
            }
            if one(line).is_some() {
                first.fetch_min(line, Relaxed);
                break;
            }
        }
    });
    let line = first.into_inner();
    let element = if line == usize::MAX { None } else { one(line) };
    element.map(|element| (line, lines.place(line, element)))
}

/// The element of a line at which the function panics.
fn fails(
    function: &Function,
    fold: Option<&Fold>,
    lines: &Lines,
    args: &[Operand],
    line: usize,
    length: usize,
) -> Option<usize> {
    let tile = function.tile?;
    // A state and the next one, each component in 16 bytes.
    let room =
        |types: &[DType]| -> SmallVec<[[u64; 2]; 8]> { SmallVec::from_elem([0; 2], types.len()) };
    let (mut state, mut next) = (room(&function.results), room(&function.results));
    for (to, value) in state.iter_mut().zip(fold.iter().flat_map(|fold| &fold.identity)) {
        // SAFETY: no element has more than 16 bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(
                value.bytes().as_ptr(),
                to.as_mut_ptr().cast(),
                value.bytes().len(),
            )
        };
    }
    (0..length).find(|&element| {
        let place = lines.place(line, element);
        let states = state.iter().filter(|_| fold.is_some()).map(|s| s.as_ptr().cast());
        let elements = args.iter().map(|arg| {
            let by: usize = arg.strides.iter().zip(&place).map(|(stride, at)| stride * at).sum();
            arg.first.wrapping_add(by)
        });
        let one: SmallVec<[TileArg; 8]> =
            states.chain(elements).map(|ptr| TileArg::near(ptr, false)).collect();
        let outs: SmallVec<[*mut u8; 4]> = next.iter_mut().map(|s| s.as_mut_ptr().cast()).collect();
        // SAFETY: there is one element of each argument, and room for one of each result, apart
        // from them.
        let run = || stacks::on_large(|| unsafe { tile(&one, &outs, 1) });
        let failed = catch(run).is_err();
        std::mem::swap(&mut state, &mut next);
        failed
    })
}
