//! Recursive filters over lines: where a line is cut into blocks, and what each block does.
//!
//! A filter's state follows from the state before it, so that a line is walked sample by sample.
//! Many lines are walked side by side. Few long lines are cut into blocks, all of which are walked at
//! the same time, twice: once from zeros, for the state that a block adds, and once from the state in
//! which it really begins. Between the two, the states at the beginnings of blocks follow one another
//! by a matrix, the filter's free response over a block: they are added up over 1, 2, 4, … blocks,
//! with powers of the matrix. This is exact but for rounding, since the filter is linear. Cascades of
//! sections and single sections of any order are such filters; they differ in what a step does.

use crate::DeviceArray;
use crate::array::upload_to;
use crate::backend::Device;
use crate::device;
use crate::error::Result;
use crate::guvectorize;
use crate::shape::Shape;
use ndarray::Array2;

/// Blocks have at least so many samples; shorter ones would be mostly states.
const LEAST_BLOCK: usize = 256;
/// A GPU walks so many lines and blocks side by side.
const ON_A_GPU: usize = 8192;

// The loops below are `while`s: one that only copies the state would otherwise be shared by the
// threads of a GPU's block, which would leave a line to a block instead of a thread.

/// The state that a line begins with.
#[device]
fn begin(start: &[f64], z: &mut [f64]) {
    let mut k = 0;
    while k < start.len() {
        z[k] = start[k];
        k += 1;
    }
}

/// The output of a section for a sample, by transposed direct form II: the numerator and the
/// denominator go from the power 0 of z⁻¹ on, and are divided by the denominator's first coefficient.
/// A denominator that ends earlier takes nothing from the output, not even a NaN.
#[device]
fn section_step(b: &[f64], a: &[f64], input: f64, z: &mut [f64]) -> f64 {
    let last = z.len() - 1;
    let output = z[0] + b[0] * input;
    let mut k = 0;
    while k < last {
        z[k] = z[k + 1] + b[k + 1] * input;
        k += 1;
    }
    z[last] = b[last + 1] * input;
    k = 1;
    while k < a.len() {
        z[k - 1] -= a[k] * output;
        k += 1;
    }
    output
}

/// The output for a sample of a cascade of sections of second order, `b0 b1 b2 1 a1 a2` each, with two
/// numbers of state for each.
#[device]
fn cascade_step(sos: &[f64], input: f64, z: &mut [f64]) -> f64 {
    let mut value = input;
    let mut k = 0;
    while k < z.len() {
        let (input, row) = (value, 3 * k);
        value = sos[row] * input + z[k];
        z[k] = sos[row + 1] * input - sos[row + 4] * value + z[k + 1];
        z[k + 1] = sos[row + 2] * input - sos[row + 5] * value;
        k += 2;
    }
    value
}

/// One section of any order along lines, and the state in which it ends.
#[guvectorize("(m),(p),(n),(s)->(n),(s)")]
fn section(b: &[f64], a: &[f64], x: &[f64], start: &[f64], y: &mut [f64], z: &mut [f64]) {
    begin(start, z);
    let mut i = 0;
    while i < x.len() {
        y[i] = section_step(b, a, x[i], z);
        i += 1;
    }
}

/// The state in which [`section`] ends.
#[guvectorize("(m),(p),(n),(s)->(s)")]
fn section_end(b: &[f64], a: &[f64], x: &[f64], start: &[f64], z: &mut [f64]) {
    begin(start, z);
    let mut i = 0;
    while i < x.len() {
        section_step(b, a, x[i], z);
        i += 1;
    }
}

/// A cascade along lines, and the state in which it ends.
#[guvectorize("(m),(n),(s)->(n),(s)")]
fn cascade(sos: &[f64], x: &[f64], start: &[f64], y: &mut [f64], z: &mut [f64]) {
    begin(start, z);
    let mut i = 0;
    while i < x.len() {
        y[i] = cascade_step(sos, x[i], z);
        i += 1;
    }
}

/// The state in which [`cascade`] ends.
#[guvectorize("(m),(n),(s)->(s)")]
fn cascade_end(sos: &[f64], x: &[f64], start: &[f64], z: &mut [f64]) {
    begin(start, z);
    let mut i = 0;
    while i < x.len() {
        cascade_step(sos, x[i], z);
        i += 1;
    }
}

/// A filter whose coefficients are known.
pub(super) enum Filter {
    /// A numerator of two coefficients or more, and a denominator that is not longer and begins with 1.
    Section { b: Vec<f64>, a: Vec<f64> },
    /// Sections of second order, one at least.
    Cascade(Vec<[f64; 6]>),
}

/// The results of a filter: the output, and the state behind the last sample.
pub(super) struct Filtered {
    pub(super) y: DeviceArray<f64>,
    pub(super) end: DeviceArray<f64>,
}

impl Filter {
    /// The number of numbers of a state.
    fn size(&self) -> usize {
        self.state().iter().product()
    }

    /// The shape of a state.
    pub(super) fn state(&self) -> Vec<usize> {
        match self {
            Filter::Section { b, .. } => vec![b.len() - 1],
            Filter::Cascade(sos) => vec![sos.len(), 2],
        }
    }

    /// The filter along the last axis. `start` has the shape of the axes in front of it and of a
    /// state.
    pub(super) fn along_last(
        &self,
        x: &DeviceArray<f64>,
        start: &DeviceArray<f64>,
    ) -> Result<Filtered> {
        let (n, lines) = (x.shape()[x.ndim() - 1], x.shape()[..x.ndim() - 1].iter().product());
        if n == 0 || x.is_empty() {
            return Ok(Filtered { y: x.clone(), end: start.clone() });
        }
        let coefficients = self.upload(x.device())?;
        // The functions take a state as one list of numbers.
        let front = &x.shape()[..x.ndim() - 1];
        let start = start.try_reshape([front, &[self.size()]].concat())?;
        let blocks = block_of(n, lines, x.device());
        let powers = blocks.and_then(|length| self.free_response(length, n.div_ceil(length)));
        let Filtered { y, end } = match blocks.zip(powers) {
            Some((length, powers)) => coefficients.in_blocks(x, &start, length, &powers)?,
            None => {
                let (y, end) = coefficients.run(x, &start)?;
                Filtered { y, end }
            }
        };
        let end = end.try_reshape([front, &self.state()].concat())?;
        Ok(Filtered { y, end })
    }

    fn upload(&self, device: Device) -> Result<Coefficients> {
        let list = |values: &[f64]| upload_to(device, values, Shape::from_slice(&[values.len()]));
        Ok(match self {
            Filter::Section { b, a } => Coefficients::Section(list(b)?, list(a)?),
            Filter::Cascade(sos) => Coefficients::Cascade(list(sos.as_flattened())?),
        })
    }

    /// The matrix that takes the state at the beginning of a block without input to its end, and its
    /// powers of 2, 4 and so on up to the number of blocks; `None` where they are not finite, as for
    /// filters that are far from stable. A filter without feedback forgets its state: it has none.
    fn free_response(&self, length: usize, count: usize) -> Option<Vec<Array2<f64>>> {
        let d = self.size();
        let mut powers = Vec::new();
        if !self.has_feedback() {
            return Some(powers);
        }
        let mut over = Array2::zeros((d, d));
        for l in 0..d {
            let mut z = vec![0.0; d];
            z[l] = 1.0;
            (0..length).for_each(|_| self.step_without_input(&mut z));
            (0..d).for_each(|k| over[[k, l]] = z[k]);
        }
        let mut blocks = 1;
        while blocks < count {
            let next = over.dot(&over);
            powers.push(std::mem::replace(&mut over, next));
            blocks *= 2;
        }
        powers.iter().flatten().all(|value| value.is_finite()).then_some(powers)
    }

    fn has_feedback(&self) -> bool {
        match self {
            Filter::Section { a, .. } => a[1..].iter().any(|&a| a != 0.0),
            Filter::Cascade(sos) => sos.iter().any(|row| row[4] != 0.0 || row[5] != 0.0),
        }
    }

    fn step_without_input(&self, z: &mut [f64]) {
        match self {
            Filter::Section { a, .. } => {
                let output = z[0];
                z.copy_within(1.., 0);
                *z.last_mut().expect("a section has a state") = 0.0;
                z.iter_mut().zip(&a[1..]).for_each(|(z, a)| *z -= a * output);
            }
            Filter::Cascade(sos) => {
                let mut value = 0.0;
                for (row, z) in sos.iter().zip(z.chunks_exact_mut(2)) {
                    let input = value;
                    value = row[0] * input + z[0];
                    z[0] = row[1] * input - row[4] * value + z[1];
                    z[1] = row[2] * input - row[5] * value;
                }
            }
        }
    }
}

/// The length of the blocks into which lines are cut; `None` where they are not.
fn block_of(n: usize, lines: usize, device: Device) -> Option<usize> {
    // Blocks are walked twice, which a processor with few cores has no gain from.
    let side_by_side = match device.is_cuda() {
        true => ON_A_GPU,
        false => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let blocks = (side_by_side / lines).min(n / LEAST_BLOCK);
    (blocks >= 4).then(|| n.div_ceil(blocks))
}

/// A filter's coefficients on a device.
enum Coefficients {
    Section(DeviceArray<f64>, DeviceArray<f64>),
    Cascade(DeviceArray<f64>),
}

impl Coefficients {
    fn run(
        &self,
        x: &DeviceArray<f64>,
        start: &DeviceArray<f64>,
    ) -> Result<(DeviceArray<f64>, DeviceArray<f64>)> {
        match self {
            Coefficients::Section(b, a) => section::try_call(b, a, x, start),
            Coefficients::Cascade(sos) => cascade::try_call(sos, x, start),
        }
    }

    fn end(&self, x: &DeviceArray<f64>, start: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
        match self {
            Coefficients::Section(b, a) => section_end::try_call(b, a, x, start),
            Coefficients::Cascade(sos) => cascade_end::try_call(sos, x, start),
        }
    }

    fn in_blocks(
        &self,
        x: &DeviceArray<f64>,
        start: &DeviceArray<f64>,
        length: usize,
        powers: &[Array2<f64>],
    ) -> Result<Filtered> {
        let rank = x.ndim() - 1;
        let (n, front, d) = (x.shape()[rank], &x.shape()[..rank], start.shape()[rank]);
        let count = n.div_ceil(length);
        let shaped = |tail: &[usize]| [front, tail].concat();
        let blocks = padded(x, count * length - n)?.try_reshape(shaped(&[count, length]))?;
        // Every block adds to the state what it would end in if it began in zeros.
        let added = self.end(&blocks, &super::axes::zeros(&[d], x.device()))?;
        let begin = beginnings(start, &added, powers)?;
        let y = self.run(&blocks, &begin)?.0.try_reshape(shaped(&[count * length]))?;
        let y = super::axes::part(&y, rank, 0, n, 1);
        // The last block ends behind the last sample, its state in front of what was put behind.
        let begun = (count - 1) * length;
        let rest = super::axes::part(x, rank, begun, n - begun, 1);
        let last = begin.try_index_axis(rank as isize, -1)?;
        Ok(Filtered { y, end: self.end(&rest, &last)? })
    }
}

/// The states in which blocks begin, along the axis before the last one: the first one, then what each
/// block adds to what its predecessors' states become.
fn beginnings(
    first: &DeviceArray<f64>,
    added: &DeviceArray<f64>,
    powers: &[Array2<f64>],
) -> Result<DeviceArray<f64>> {
    let axis = added.ndim() - 2;
    let count = added.shape()[axis];
    let part = |a: &DeviceArray<f64>, from, len| super::axes::part(a, axis, from, len, 1);
    let first = first.try_insert_axis(-2)?;
    let mut begin = crate::try_concatenate(&[first, part(added, 0, count - 1)], axis as isize)?;
    for (k, power) in powers.iter().enumerate() {
        // Each state takes up that of 2, 4, … blocks before.
        let by = 1 << k;
        let (rows, values) = (power.nrows(), power.iter().copied().collect::<Vec<f64>>());
        let power = upload_to(added.device(), &values, Shape::from_slice(&[rows, rows]))?;
        let earlier = part(&begin, 0, count - by).try_insert_axis(-2)?;
        let taken = earlier.try_multiply(&power)?.try_sum(-1)?;
        let later = part(&begin, by, count - by).try_add(&taken)?;
        begin = crate::try_concatenate(&[part(&begin, 0, by), later], axis as isize)?;
    }
    Ok(begin)
}

/// Zeros behind the last axis.
fn padded(x: &DeviceArray<f64>, by: usize) -> Result<DeviceArray<f64>> {
    if by == 0 {
        return Ok(x.clone());
    }
    let mut widths = vec![(0, 0); x.ndim()];
    widths[x.ndim() - 1].1 = by;
    x.try_pad(&widths, crate::PadMode::Constant(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_blocks(filter: &Filter, x: &[f64], z: &[f64], length: usize) -> (Vec<f64>, Vec<f64>) {
        let (x, z) = (DeviceArray::from_slice(x).unwrap(), DeviceArray::from_slice(z).unwrap());
        let powers = filter.free_response(length, x.len().div_ceil(length)).unwrap();
        let coefficients = filter.upload(x.device()).unwrap();
        let made = coefficients.in_blocks(&x, &z, length, &powers).unwrap();
        (made.y.to_vec().unwrap(), made.end.to_vec().unwrap())
    }

    fn at_once(filter: &Filter, x: &[f64], z: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (x, z) = (DeviceArray::from_slice(x).unwrap(), DeviceArray::from_slice(z).unwrap());
        let (y, end) = filter.upload(x.device()).unwrap().run(&x, &z).unwrap();
        (y.to_vec().unwrap(), end.to_vec().unwrap())
    }

    fn filters() -> Vec<Filter> {
        // Direct forms of a high order and a low frequency lose digits in any order of computation.
        let low = |order, at| crate::signal::butter(order, crate::signal::Band::Low(at)).unwrap();
        let section = |(b, a)| Filter::Section { b, a };
        vec![
            Filter::Cascade(low(5, 0.1).sos()),
            section(low(5, 0.4).ba()),
            section(low(2, 0.05).ba()),
            Filter::Section { b: vec![0.5, 0.0], a: vec![1.0, -0.5] },
            Filter::Section { b: vec![1.0, 2.0, 3.0], a: vec![1.0] },
        ]
    }

    #[test]
    fn blocks_give_what_a_walk_gives() {
        let x: Vec<f64> = (0..1000).map(|k| ((k * k) as f64 * 0.01).sin()).collect();
        for filter in filters() {
            let z: Vec<f64> = (0..filter.size()).map(|k| 0.3 - 0.1 * k as f64).collect();
            let (y, end) = at_once(&filter, &x, &z);
            for length in [10, 37, 250, 333, 999, 1000] {
                let (got, last) = in_blocks(&filter, &x, &z, length);
                let off = |a: &[f64], b: &[f64]| {
                    assert_eq!(a.len(), b.len());
                    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
                };
                let (values, states) = (off(&got, &y), off(&last, &end));
                assert!(values < 1e-11 && states < 1e-11, "{length}: {values}, {states}");
            }
        }
    }

    /// NaN stays where a filter has feedback, however long its blocks, and goes where it has none.
    #[test]
    fn nan_passes_through_blocks() {
        let mut x = vec![1.0; 20_000];
        x[3000] = f64::NAN;
        for (filter, count) in filters().into_iter().zip([17_000, 17_000, 17_000, 17_000, 3]) {
            let z = vec![0.0; filter.size()];
            let (y, _) = in_blocks(&filter, &x, &z, 2000);
            assert_eq!(y.iter().filter(|y| y.is_nan()).count(), count);
        }
    }

    /// What walks lines on a GPU, as far as it shows without one.
    #[cfg(feature = "cuda")]
    #[test]
    fn the_code_for_gpus_compiles() {
        let sources = [
            section::lz_source,
            section_end::lz_source,
            cascade::lz_source,
            cascade_end::lz_source,
        ];
        sources.into_iter().for_each(|source| crate::signal::gpu_tests::compiles(&source()));
    }

    #[test]
    fn filters_that_grow_have_no_blocks() {
        let filter = Filter::Section { b: vec![1.0, 0.0], a: vec![1.0, -3.0] };
        assert!(filter.free_response(1000, 4).is_none());
    }
}
