//! Peaks of a signal, found on the host.

use super::conditions::PeakConditions;
use crate::DeviceArray;
use crate::dtype::Floating;
use crate::error::{Error, Result};

/// The peaks that [`find_peaks`] found, and of each one what it was asked about; lists that no
/// condition asked for are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Peaks {
    /// Where they are.
    pub positions: Vec<usize>,
    /// Their values, with a condition on the height.
    pub heights: Vec<f64>,
    /// The steps down to the left and the right neighbour, with a condition on these.
    pub thresholds: Vec<(f64, f64)>,
    /// Their prominences, with a condition on these or on widths.
    pub prominences: Vec<f64>,
    /// The lowest samples on the left and on the right that prominences are measured by.
    pub bases: Vec<(usize, usize)>,
    /// Their widths, with a condition on these.
    pub widths: Vec<f64>,
    /// The heights at which widths are measured.
    pub width_heights: Vec<f64>,
    /// Where lines at these heights meet the signal, on the left and on the right.
    pub crossings: Vec<(f64, f64)>,
    /// The first and the last sample of the plateau, with a condition on its size.
    pub plateaus: Vec<(usize, usize)>,
}

impl Peaks {
    /// Leaves out the peaks for which a condition does not hold.
    fn keep(&mut self, holds: &[bool]) {
        fn one<T>(list: &mut Vec<T>, holds: &[bool]) {
            if list.len() == holds.len() {
                let mut holds = holds.iter();
                list.retain(|_| *holds.next().expect("a condition for each peak"));
            }
        }
        one(&mut self.heights, holds);
        one(&mut self.thresholds, holds);
        one(&mut self.prominences, holds);
        one(&mut self.bases, holds);
        one(&mut self.widths, holds);
        one(&mut self.width_heights, holds);
        one(&mut self.crossings, holds);
        one(&mut self.plateaus, holds);
        one(&mut self.positions, holds);
    }

    fn keep_within(&mut self, (least, most): (f64, f64), of: impl Fn(&Peaks, usize) -> f64) {
        let inside = |k| {
            let value = of(self, k);
            least <= value && value <= most
        };
        let holds: Vec<bool> = (0..self.positions.len()).map(inside).collect();
        self.keep(&holds);
    }
}

/// The samples on the host, in `f64`.
fn samples<T: Floating>(name: &str, x: &DeviceArray<T>) -> Result<Vec<f64>> {
    match x.shape() {
        [_] => x.cast::<f64>().to_vec(),
        shape => Err(Error::shape(format!("{name}: shape {shape:?}; a signal has one axis"))),
    }
}

/// The plateaus, mostly of one sample, that are higher than what is beside them.
fn plateaus(x: &[f64]) -> Vec<(usize, usize)> {
    let (mut found, mut i) = (Vec::new(), 1);
    while i + 1 < x.len() {
        if x[i - 1] < x[i] {
            let mut ahead = i + 1;
            while ahead + 1 < x.len() && x[ahead] == x[i] {
                ahead += 1;
            }
            if x[ahead] < x[i] {
                found.push((i, ahead - 1));
                i = ahead;
            }
        }
        i += 1;
    }
    found
}

/// Which peaks stay where each must be so far from every higher one that stays.
fn far_apart(x: &[f64], positions: &[usize], distance: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by(|&k, &l| x[positions[k]].total_cmp(&x[positions[l]]));
    let mut stays = vec![true; positions.len()];
    for &k in order.iter().rev().filter(|_| distance > 1) {
        if !stays[k] {
            continue;
        }
        let near = |l: &usize| positions[*l].abs_diff(positions[k]) < distance;
        (0..k).rev().take_while(near).for_each(|l| stays[l] = false);
        (k + 1..positions.len()).take_while(near).for_each(|l| stays[l] = false);
    }
    stays
}

/// The lowest sample from a peak on, walked until a higher one or the end of the window.
fn base(x: &[f64], peak: usize, walk: impl Iterator<Item = usize>) -> usize {
    let mut lowest = peak;
    for i in walk.take_while(|&i| x[i] <= x[peak]) {
        if x[i] < x[lowest] {
            lowest = i;
        }
    }
    lowest
}

/// The prominence of a peak and its bases.
fn prominence(x: &[f64], peak: usize, window: Option<usize>) -> (f64, (usize, usize)) {
    let reach = window.map_or(x.len(), |window| window / 2);
    let (from, to) = (peak.saturating_sub(reach), (peak + reach + 1).min(x.len()));
    let left = base(x, peak, (from..=peak).rev());
    let right = base(x, peak, peak..to);
    (x[peak] - x[left].max(x[right]), (left, right))
}

/// The width of a peak at a part of its prominence, the height there, and where it begins and ends.
fn width(
    x: &[f64],
    peak: usize,
    part: f64,
    known: (f64, (usize, usize)),
) -> (f64, f64, (f64, f64)) {
    let (prominence, (from, to)) = known;
    let height = x[peak] - prominence * part;
    let (mut i, mut j) = (peak, peak);
    while from < i && height < x[i] {
        i -= 1;
    }
    while j < to && height < x[j] {
        j += 1;
    }
    let between = |low: usize, high: usize| (height - x[low]) / (x[high] - x[low]);
    let left = i as f64 + if x[i] < height { between(i, i + 1) } else { 0.0 };
    let right = j as f64 - if x[j] < height { between(j, j - 1) } else { 0.0 };
    (right - left, height, (left, right))
}

/// The peaks of a signal: samples, or the middles of plateaus, that are higher than what is beside
/// them, as far as they meet the conditions, which are asked in SciPy's order: plateau, height,
/// threshold, distance, prominence, width.
///
/// **Evaluates**, and works on a copy on the host, where peaks are walked one after the other. Neither
/// NaN nor its neighbours are peaks. SciPy: `signal.find_peaks`.
///
/// # Errors
/// [`Error::is_shape`] where the array has not one axis, or the distance or the window is too small.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::{PeakConditions, find_peaks};
/// let x = (DeviceArray::<f64>::arange_to(100.0) * 0.2).sin();
/// let peaks = find_peaks(&x, &PeakConditions::new().prominence(0.5, f64::INFINITY))?;
/// assert_eq!(peaks.positions, [8, 39, 71]);
/// # Ok::<(), Error>(())
/// ```
pub fn find_peaks<T: Floating>(x: &DeviceArray<T>, conditions: &PeakConditions) -> Result<Peaks> {
    if conditions.distance == 0 || conditions.window.is_some_and(|window| window < 2) {
        return Err(Error::shape(format!(
            "find_peaks: a distance of {} and a window of {:?}: a distance is 1 or more, a window has \
             2 samples or more",
            conditions.distance, conditions.window
        )));
    }
    let x = samples("find_peaks", x)?;
    let mut found = Peaks { plateaus: plateaus(&x), ..Peaks::default() };
    found.positions = found.plateaus.iter().map(|(first, last)| (first + last) / 2).collect();
    match conditions.plateau {
        Some(bounds) => found.keep_within(bounds, |found, k| {
            let (first, last) = found.plateaus[k];
            (last - first + 1) as f64
        }),
        None => found.plateaus.clear(),
    }
    if let Some(bounds) = conditions.height {
        found.heights = found.positions.iter().map(|&p| x[p]).collect();
        found.keep_within(bounds, |found, k| found.heights[k]);
    }
    if let Some((least, most)) = conditions.threshold {
        let steps = |&p: &usize| (x[p] - x[p - 1], x[p] - x[p + 1]);
        found.thresholds = found.positions.iter().map(steps).collect();
        found.keep_within((least, f64::INFINITY), |found, k| {
            found.thresholds[k].0.min(found.thresholds[k].1)
        });
        found.keep_within((f64::NEG_INFINITY, most), |found, k| {
            found.thresholds[k].0.max(found.thresholds[k].1)
        });
    }
    found.keep(&far_apart(&x, &found.positions, conditions.distance));
    if conditions.prominence.is_some() || conditions.width.is_some() {
        let of = |&p: &usize| prominence(&x, p, conditions.window);
        (found.prominences, found.bases) = found.positions.iter().map(of).unzip();
    }
    if let Some(bounds) = conditions.prominence {
        found.keep_within(bounds, |found, k| found.prominences[k]);
    }
    if let Some(bounds) = conditions.width {
        let of = |k: usize| {
            let known = (found.prominences[k], found.bases[k]);
            width(&x, found.positions[k], conditions.relative_height, known)
        };
        let all: Vec<_> = (0..found.positions.len()).map(of).collect();
        found.widths = all.iter().map(|w| w.0).collect();
        found.width_heights = all.iter().map(|w| w.1).collect();
        found.crossings = all.iter().map(|w| w.2).collect();
        found.keep_within(bounds, |found, k| found.widths[k]);
    }
    Ok(found)
}

fn check_positions(name: &str, positions: &[usize], len: usize) -> Result<()> {
    match positions.iter().find(|&&p| p >= len) {
        Some(p) => Err(Error::shape(format!("{name}: there is no sample {p} among {len}"))),
        None => Ok(()),
    }
}

/// The prominences of peaks: how far each stands above the higher one of the lowest samples on its two
/// sides, which are sought until a higher sample, the end, or that of a window of so many samples. The
/// second list has the positions of these two samples.
///
/// **Evaluates**, and works on a copy on the host. SciPy: `signal.peak_prominences`.
///
/// # Errors
/// [`Error::is_shape`] where the array has not one axis, or a position is out of range.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::peak_prominences;
/// let x = DeviceArray::from_slice(&[0.0, 3.0, 2.0, 2.5, 1.0])?;
/// let (prominences, bases) = peak_prominences(&x, &[1, 3], None)?;
/// assert_eq!(prominences, [2.0, 0.5]);
/// assert_eq!(bases, [(0, 4), (2, 4)]);
/// # Ok::<(), Error>(())
/// ```
#[expect(clippy::type_complexity)]
pub fn peak_prominences<T: Floating>(
    x: &DeviceArray<T>,
    positions: &[usize],
    window: Option<usize>,
) -> Result<(Vec<f64>, Vec<(usize, usize)>)> {
    let x = samples("peak_prominences", x)?;
    check_positions("peak_prominences", positions, x.len())?;
    Ok(positions.iter().map(|&p| prominence(&x, p, window)).unzip())
}

/// The widths of peaks in samples, where each has lost a part of its prominence, with the heights
/// there and where lines at these heights meet the signal on the left and on the right.
///
/// **Evaluates**, and works on a copy on the host. SciPy: `signal.peak_widths`, whose part is 0.5 by
/// default.
///
/// # Errors
/// [`Error::is_shape`] where the array has not one axis, or a position is out of range.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::peak_widths;
/// let x = DeviceArray::from_slice(&[0.0, 1.0, 4.0, 1.0, 0.0])?;
/// let (widths, heights, crossings) = peak_widths(&x, &[2], 0.75, None)?;
/// assert_eq!((widths[0], heights[0], crossings[0]), (2.0, 1.0, (1.0, 3.0)));
/// # Ok::<(), Error>(())
/// ```
#[expect(clippy::type_complexity)]
pub fn peak_widths<T: Floating>(
    x: &DeviceArray<T>,
    positions: &[usize],
    part: f64,
    window: Option<usize>,
) -> Result<(Vec<f64>, Vec<f64>, Vec<(f64, f64)>)> {
    let x = samples("peak_widths", x)?;
    check_positions("peak_widths", positions, x.len())?;
    let of = |&p: &usize| width(&x, p, part, prominence(&x, p, window));
    let all: Vec<_> = positions.iter().map(of).collect();
    let (widths, heights) = all.iter().map(|w| (w.0, w.1)).unzip();
    Ok((widths, heights, all.iter().map(|w| w.2).collect()))
}
