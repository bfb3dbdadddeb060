//! Views: where each axis of the input is read, as a function of the output's position.

use smallvec::{SmallVec, smallvec};

/// What happens to an affine position before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Wrap {
    /// Nothing.
    None,
    /// Division by a positive number (repeat). The position is not negative.
    Div(i64),
    /// Remainder by a positive number (roll, tile). The position is not negative.
    Mod(i64),
    /// Held between 0 and the number minus 1 (edge padding).
    Clamp(i64),
    /// Reflected at 0 and at the number minus 1, the ends not repeated (reflect padding). The
    /// position may be negative or past the end by any amount.
    Reflect(i64),
    /// Reflected half a position before 0 and behind the number minus 1, so that the ends are
    /// repeated (symmetric padding). The position may be negative or past the end by any amount.
    Symmetric(i64),
}

/// The position on one axis of the input: `wrap(offset + Σ step · output position)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AxisMap {
    /// The constant part.
    pub offset: i64,
    /// Output axes with their steps.
    pub terms: SmallVec<[(u8, i64); 2]>,
    /// What happens to the sum.
    pub wrap: Wrap,
}

impl AxisMap {
    /// A fixed position.
    pub(crate) fn fixed(offset: i64) -> Self {
        AxisMap { offset, terms: SmallVec::new(), wrap: Wrap::None }
    }

    /// `offset + step · position` on one output axis.
    pub(crate) fn affine(axis: usize, offset: i64, step: i64) -> Self {
        AxisMap { offset, terms: smallvec![(axis as u8, step)], wrap: Wrap::None }
    }

    /// The position on one output axis itself.
    pub(crate) fn same(axis: usize) -> Self {
        Self::affine(axis, 0, 1)
    }

    /// The first and the last sum of any position in an output of the given shape, before anything is
    /// done to it.
    pub(crate) fn bounds(&self, shape: &[usize]) -> (i64, i64) {
        let (mut low, mut high) = (self.offset, self.offset);
        for &(axis, step) in &self.terms {
            let last = step * (shape[axis as usize] as i64 - 1);
            low += last.min(0);
            high += last.max(0);
        }
        (low, high)
    }

    /// The same sum with something done to it.
    #[must_use]
    pub(crate) fn wrapped(self, wrap: Wrap) -> Self {
        AxisMap { wrap, ..self }
    }
}

/// A view: one [`AxisMap`] for each axis of the input. Broadcasting, transposition, slices with
/// any step, flips, new axes, diagonals, sliding windows, rolls, tiles, repeats and the
/// paddings that repeat the input are all of this form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct View(pub SmallVec<[AxisMap; 2]>);

impl View {
    /// The view that changes nothing.
    pub(crate) fn identity(rank: usize) -> Self {
        View((0..rank).map(AxisMap::same).collect())
    }

    /// Where the elements of the view, of the given shape, lie in an array of the shape `under`: the
    /// first position in C order, and the distance along each axis. None where positions do not grow by
    /// steps or lie outside.
    pub(crate) fn layout(
        &self,
        under: &[usize],
        shape: &[usize],
    ) -> Option<(usize, SmallVec<[isize; 4]>)> {
        let mut stride = 1;
        let natural = under.iter().rev().map(|&len| {
            let own = stride;
            stride *= len as isize;
            own
        });
        let (start, strides) = self.layout_over(under, natural, shape)?;
        Some((start as usize, strides))
    }

    /// The same for an array whose elements lie apart, by so much along each axis, the last axis first.
    pub(crate) fn layout_over(
        &self,
        under: &[usize],
        distances: impl Iterator<Item = isize>,
        shape: &[usize],
    ) -> Option<(isize, SmallVec<[isize; 4]>)> {
        let (mut start, mut strides) = (0, SmallVec::from_elem(0, shape.len()));
        for ((map, &len), distance) in self.0.iter().zip(under).rev().zip(distances) {
            let (low, high) = map.bounds(shape);
            if map.wrap != Wrap::None || low < 0 || high >= len as i64 {
                return None;
            }
            for &(axis, step) in &map.terms {
                strides[axis as usize] += step as isize * distance;
            }
            start += map.offset as isize * distance;
        }
        Some((start, strides))
    }

    /// Whether the view changes nothing but, perhaps, how far the axes go.
    pub(crate) fn is_identity(&self) -> bool {
        self.0.iter().enumerate().all(|(k, map)| {
            map.offset == 0 && map.wrap == Wrap::None && map.terms[..] == [(k as u8, 1)]
        })
    }
}
