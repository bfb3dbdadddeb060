//! Sums of segments of different lengths, without atomics: segments of about the same length are
//! padded to one length and summed side by side.
//!
//! A segment is a run of entries, a row of a matrix say. Segments are put into *slices*: arrays of
//! positions `[width, segments]`, in which neighbouring segments are neighbours, so that a GPU's
//! threads read neighbouring places and a processor's lanes hold one segment each. This is the sliced
//! ELLPACK format (A. Monakov et al., HiPEAC 2010), with slices by length. The widths of two slices
//! differ by half of the smaller one at least, so that all slices together have at most one and a half
//! times as many places as there are entries, and there are at most 111 of them (a test holds both).

use crate::array::DeviceArray;
use crate::dtype::Number;
use crate::error::Result;

/// Segments of about one length.
pub(super) struct Slice {
    /// The most entries of a segment.
    pub width: usize,
    /// The first entry of each segment.
    starts: DeviceArray<i64>,
    /// The entries of each segment; none where all have `width`.
    lengths: Option<DeviceArray<i32>>,
}

/// All segments.
pub(super) struct Segments {
    pub slices: Vec<Slice>,
    /// Where the sum of each segment stands among those of the slices; none where they are in order.
    order: Option<DeviceArray<i64>>,
    /// How many segments there are.
    count: usize,
}

/// The lengths of slices that segments of these lengths are put into, the longest first.
fn widths(longest: usize, shortest: usize) -> Vec<usize> {
    let mut widths = Vec::new();
    let mut width = longest;
    while width > 0 && width >= shortest {
        widths.push(width);
        // The next slice has those that would be padded by half of their length or more.
        width = (2 * width).div_ceil(3).min(width - 1);
    }
    // Empty segments are not padded.
    if shortest == 0 {
        widths.push(0);
    }
    widths
}

impl Segments {
    /// The segments that begin and end at these entries.
    ///
    /// # Errors
    /// Where the device has no memory.
    pub(super) fn new(ends: &[usize]) -> Result<Segments> {
        let count = ends.len() - 1;
        let length = |k: usize| ends[k + 1] - ends[k];
        let (longest, shortest) =
            (0..count).map(length).fold((0, usize::MAX), |(a, b), n| (a.max(n), b.min(n)));
        // In one slice nothing has to be put back in order.
        let entries = ends[count] - ends[0];
        let alone = longest * count <= entries + entries / 2;
        let widths = if alone { vec![longest] } else { widths(longest, shortest) };
        let slice_of = |n: usize| widths.iter().rposition(|&width| n <= width).unwrap_or(0);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); widths.len().max(1)];
        (0..count).for_each(|k| members[slice_of(length(k))].push(k));
        let mut order = vec![0i64; count];
        let mut slices = Vec::new();
        let mut place = 0;
        for (members, &width) in
            members.iter().zip(&widths).filter(|(members, _)| !members.is_empty())
        {
            for &k in members {
                order[k] = place;
                place += 1;
            }
            let starts = members.iter().map(|&k| ends[k] as i64).collect();
            let is_full = members.iter().all(|&k| length(k) == width);
            let lengths = || members.iter().map(|&k| length(k) as i32).collect();
            slices.push(Slice {
                width,
                starts: DeviceArray::from_vec([members.len()], starts)?,
                lengths: match is_full {
                    true => None,
                    false => Some(DeviceArray::from_vec([members.len()], lengths())?),
                },
            });
        }
        let order = match slices.len() {
            0 | 1 => None,
            _ => Some(DeviceArray::from_vec([count], order)?),
        };
        Ok(Segments { slices, order, count })
    }

    /// The sum of each segment of what `values` gives for the places of a slice, `[width, segments]`
    /// and perhaps one axis more, of `columns`; what stands at padded places does not count.
    ///
    /// # Errors
    /// Those of `values`.
    pub(super) fn sum<T: Number>(
        &self,
        columns: Option<usize>,
        values: impl Fn(usize, &Slice) -> Result<DeviceArray<T>>,
    ) -> Result<DeviceArray<T>> {
        let mut parts = Vec::new();
        for (k, slice) in self.slices.iter().enumerate() {
            let mut values = values(k, slice)?;
            if let Some(lengths) = &slice.lengths {
                let mut inside = slice.steps().less(lengths);
                if columns.is_some() {
                    inside = inside.insert_axis(2);
                }
                values = inside.select(values, T::ZERO);
            }
            parts.push(values.sum(0).cast::<T>());
        }
        let all = match &parts[..] {
            [] => {
                let mut shape = vec![self.count];
                shape.extend(columns);
                return Ok(DeviceArray::zeros(shape));
            }
            [one] => one.clone(),
            _ => crate::try_concatenate(&parts.iter().collect::<Vec<_>>(), 0)?,
        };
        Ok(match &self.order {
            Some(order) => all.take_clipped(order, 0),
            None => all,
        })
    }
}

impl Slice {
    /// The numbers of the places of a segment, as a column.
    fn steps(&self) -> DeviceArray<i32> {
        DeviceArray::<i32>::arange(0, self.width as i32, 1).insert_axis(1)
    }

    /// The entries at the places, `[width, segments]`; behind the end of a segment those of the next.
    pub(super) fn entries(&self) -> DeviceArray<i64> {
        self.steps().cast::<i64>() + &self.starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any lengths: few slices, little padding, every segment in one.
    #[test]
    fn slices_are_few_and_full() {
        assert!(widths(usize::MAX >> 2, 0).len() <= 111);
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for round in 0..200 {
            let count = 1 + random(60) as usize;
            let most = 1 + random(1 << (round % 12));
            let mut ends = vec![0];
            for _ in 0..count {
                let length = if random(4) == 0 { 0 } else { random(most) as usize };
                ends.push(ends.last().unwrap() + length);
            }
            let segments = Segments::new(&ends).unwrap();
            let entries = ends[count];
            let places: usize = (segments.slices.iter()).map(|s| s.width * s.starts.len()).sum();
            assert!(2 * places <= 3 * entries, "{places} places for {entries}");
            let values = DeviceArray::<i64>::arange_to(entries.max(1) as i64) + 1;
            let sums = segments.sum(None, |_, slice| Ok(values.take_clipped(slice.entries(), 0)));
            let wanted: Vec<i64> =
                ends.windows(2).map(|e| (e[0]..e[1]).map(|k| k as i64 + 1).sum()).collect();
            assert_eq!(sums.unwrap().to_vec().unwrap(), wanted, "{ends:?}");
        }
    }
}
