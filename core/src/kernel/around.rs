//! How far a kernel looks around each position at what it gave when it ran before.
//!
//! A stencil reads its state at places beside the position that it writes. Here each such read is
//! taken apart into a distance along every Parallel axis, whatever arithmetic leads to it: offsets,
//! rings, positions held within bounds or reflected at them, loops over windows. An index is followed
//! along one axis over stretches of positions on which it is a straight line, so that what is found
//! holds at every position, and takes as long for long axes as for short ones.

use super::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Val};
use crate::table::Op;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The longest distance that counts as near.
pub const FAR: i64 = 32;
/// The most stretches that an index is followed over.
const STRETCHES: usize = 1 << 12;
/// The most turns of a read's Serial loops.
const TURNS: usize = 256;

/// What a kernel reads around each position of what it gave.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// The loads of what was given.
    pub loads: FxHashMap<Val, Near>,
    /// The longest distance along each axis.
    pub reach: Vec<i64>,
    /// Whether reads along an axis go on at its other end.
    pub rings: Vec<bool>,
}

/// A read near a position.
#[derive(Clone, Debug)]
pub struct Near {
    /// The output that is read.
    pub output: u32,
    /// The place along each Parallel axis.
    pub along: SmallVec<[Along; 3]>,
}

/// A place along one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Along {
    /// So far from the position, at every position: a constant, and positions on Serial axes.
    Beside(Index),
    /// At a place whose distance changes with the position, and is never far.
    At(Index),
}

impl Kernel {
    /// What the kernel reads around each position, where pairs say which input is which output of the
    /// run before; none where it looks far, or where outputs are not written as they lie.
    pub fn around(&self, pairs: &[(u32, u32)]) -> Option<Around> {
        let strides = self.dense_strides()?;
        let axes = self.axes.len();
        let mut around =
            Around { reach: vec![0; axes], rings: vec![false; axes], ..Around::default() };
        for (k, value) in self.values.iter().enumerate() {
            let Inst::Load { input, index, mask } = &value.inst else { continue };
            let Some(&(_, output)) = pairs.iter().find(|pair| pair.0 == *input) else { continue };
            let given = &self.inputs[*input as usize];
            if given.moves || given.len != self.outputs[output as usize].len {
                return None;
            }
            let places = self.places(index, &strides)?;
            let mut along = SmallVec::new();
            for (axis, place) in places.into_iter().enumerate() {
                let serial = value.axes.intersection(self.axes_of(AxisKind::Serial));
                let follow = Follow { kernel: self, axis, place: &place, mask: *mask, serial };
                let (found, reach, ring) = follow.along()?;
                around.reach[axis] = around.reach[axis].max(reach);
                around.rings[axis] |= ring;
                along.push(found);
            }
            around.loads.insert(Val(k as u32), Near { output, along });
        }
        // A place that changes with the position is not counted over the end of a ring.
        let turns =
            |(axis, along): (usize, &Along)| around.rings[axis] && matches!(along, Along::At(_));
        let mixed = around.loads.values().any(|near| near.along.iter().enumerate().any(turns));
        (!mixed).then_some(around)
    }

    /// How far a place along an axis is from the position on it, where that is the same everywhere, the
    /// axis taken as a ring where places go on at its other end: a constant with positions on Serial
    /// axes, and the longest distance.
    pub fn beside(&self, axis: usize, place: &Index, serial: AxisSet) -> Option<(Index, i64)> {
        let follow = Follow { kernel: self, axis, place, mask: None, serial };
        follow.beside(&follow.met()?).map(|(beside, reach, _)| (beside, reach))
    }

    /// The strides of the Parallel axes, where every output is written once, whole and in the order
    /// of the axes.
    fn dense_strides(&self) -> Option<Vec<i64>> {
        let parallel = self.axes_of(AxisKind::Parallel);
        let mut strides = vec![0; parallel.len()];
        let mut len = 1;
        for k in parallel.iter().rev() {
            strides[k] = len;
            len *= self.axes[k].extent as i64;
        }
        let is_dense = |store: &super::Store| {
            let output = &self.outputs[store.output as usize];
            let whole = output.len as i64 == len && output.alias.is_none() && !output.moves;
            let index = &store.index;
            let walks = parallel.iter().all(|k| index.stride(k) == strides[k]);
            whole && walks && index.offset == 0 && index.terms.len() == strides.len()
        };
        let once = |output: usize| {
            self.stores.iter().filter(|store| store.output as usize == output).count() == 1
        };
        let all = self.stores.iter().all(is_dense) && (0..self.outputs.len()).all(once);
        (all && !strides.is_empty()).then_some(strides)
    }

    /// An index into an array that lies as the outputs do, as a place along each axis. Which axis a
    /// term belongs to is a guess by its size: places that all lie within their axes are the only
    /// ones that lead there, and whoever follows them checks that they do.
    fn places(&self, index: &Index, strides: &[i64]) -> Option<Vec<Index>> {
        let mut places = vec![Index::default(); strides.len()];
        let mut rest = index.offset;
        for (place, &stride) in places.iter_mut().zip(strides) {
            place.offset = (rest + stride / 2).div_euclid(stride);
            rest -= place.offset * stride;
        }
        for &(atom, coefficient) in &index.terms {
            let parallel = match atom {
                Atom::Axis(k) => Some(k as usize).filter(|&k| k < strides.len()),
                Atom::Value(_) => None,
            };
            let fits =
                |&k: &usize| strides[k] <= coefficient.abs() && coefficient % strides[k] == 0;
            let axis = match parallel {
                Some(k) if coefficient == strides[k] => k,
                Some(_) => return None,
                None => (0..strides.len()).find(fits)?,
            };
            places[axis].add_term(atom, coefficient / strides[axis]);
        }
        Some(places)
    }
}

/// A straight line over a stretch of positions.
#[derive(Clone, Copy, Debug)]
struct Line {
    slope: i64,
    offset: i64,
}

impl Line {
    fn at(self, x: i64) -> i64 {
        self.slope * x + self.offset
    }
}

/// Why a line is not known.
enum Unknown {
    /// It is another one on a part of the stretch.
    Broken,
    /// It depends on more than the axis.
    More,
}

/// A place that is followed along its axis.
struct Follow<'a> {
    kernel: &'a Kernel,
    axis: usize,
    place: &'a Index,
    mask: Option<Val>,
    /// The Serial axes that it may depend on.
    serial: AxisSet,
}

impl Follow<'_> {
    /// What the place is, how far from the position, and whether it goes on at the axis's other end.
    fn along(&self) -> Option<(Along, i64, bool)> {
        let met = self.met()?;
        if let Some((beside, reach, ring)) = self.beside(&met).filter(|beside| beside.1 <= FAR) {
            return Some((Along::Beside(beside), reach, ring));
        }
        let all = || met.iter().flatten();
        let reach = all().map(|d| d.0.abs().max(d.1.abs())).max().unwrap_or(0);
        (reach <= FAR).then(|| (Along::At(self.place.clone()), reach, false))
    }

    /// The distances that are met in each turn of the Serial loops.
    fn met(&self) -> Option<Vec<Vec<(i64, i64)>>> {
        let count = self.kernel.extent(self.serial);
        (count <= TURNS).then(|| (0..count).map(|turn| self.distances(turn)).collect())?
    }

    /// The distance from the position, where it is the same at all of them, rings taken as such.
    fn beside(&self, met: &[Vec<(i64, i64)>]) -> Option<(Index, i64, bool)> {
        let extent = self.extent();
        let centred = |d: i64| {
            let d = d.rem_euclid(extent);
            if d > extent / 2 { d - extent } else { d }
        };
        let of =
            |turn: usize| met.get(turn).and_then(|met| met.first()).map_or(0, |d| centred(d.0));
        let mut beside = Index::constant(of(0));
        let mut step = 1;
        for k in self.serial.iter().rev() {
            if self.kernel.axes[k].extent > 1 {
                beside.add_term(Atom::Axis(k as u8), of(step) - of(0));
            }
            step *= self.kernel.axes[k].extent;
        }
        let (mut reach, mut ring) = (0i64, false);
        for (turn, met) in met.iter().enumerate() {
            let d = self
                .serial_positions(turn)
                .iter()
                .fold(beside.offset, |d, &(k, at)| d + beside.stride(k) * at);
            reach = reach.max(d.abs());
            for &(low, high) in met {
                if low != high || (low - d) % extent != 0 {
                    return None;
                }
                ring |= low != d;
            }
        }
        Some((beside, reach, ring))
    }

    fn extent(&self) -> i64 {
        self.kernel.axes[self.axis].extent as i64
    }

    fn serial_positions(&self, turn: usize) -> SmallVec<[(usize, i64); 2]> {
        let mut rest = turn;
        let position = |k: usize| {
            let extent = self.kernel.axes[k].extent;
            let at = (rest % extent) as i64;
            rest /= extent;
            (k, at)
        };
        self.serial.iter().rev().map(position).collect()
    }

    /// The least and greatest distance on each stretch of positions that is read; none where the
    /// place may lie outside of the axis, or depends on more than the axis.
    fn distances(&self, turn: usize) -> Option<Vec<(i64, i64)>> {
        let serial = self.serial_positions(turn);
        let mut waiting = vec![(0, self.extent() - 1)];
        let (mut distances, mut seen) = (Vec::new(), 0);
        while let Some((first, last)) = waiting.pop() {
            seen += 1;
            if seen > STRETCHES {
                return None;
            }
            let stretch = Stretch { follow: self, serial: &serial, first, last };
            let may_read = match self.mask {
                None => Ok(true),
                Some(mask) => stretch.may_hold(mask),
            };
            let line = match may_read {
                Ok(false) => continue,
                Ok(true) => stretch.line(self.place),
                Err(why) => Err(why),
            };
            match line {
                Err(Unknown::More) => return None,
                Err(Unknown::Broken) => {
                    let middle = first + (last - first) / 2;
                    waiting.extend([(first, middle), (middle + 1, last)]);
                }
                Ok(line) => {
                    let ends = (line.at(first), line.at(last));
                    let extent = self.extent();
                    if ends.0.min(ends.1) < 0 || ends.0.max(ends.1) >= extent {
                        return None;
                    }
                    let (a, b) = (ends.0 - first, ends.1 - last);
                    distances.push((a.min(b), a.max(b)));
                }
            }
        }
        Some(distances)
    }
}

/// A stretch of positions of an axis, both ends included.
struct Stretch<'a> {
    follow: &'a Follow<'a>,
    serial: &'a [(usize, i64)],
    first: i64,
    last: i64,
}

impl Stretch<'_> {
    fn range(&self, line: Line) -> (i64, i64) {
        let (a, b) = (line.at(self.first), line.at(self.last));
        (a.min(b), a.max(b))
    }

    /// An index over the stretch.
    fn line(&self, index: &Index) -> Result<Line, Unknown> {
        let mut line = Line { slope: 0, offset: index.offset };
        for &(atom, coefficient) in &index.terms {
            let of = match atom {
                Atom::Axis(k) if k as usize == self.follow.axis => Line { slope: 1, offset: 0 },
                Atom::Axis(k) => {
                    let at = self.serial.iter().find(|s| s.0 == k as usize).ok_or(Unknown::More)?;
                    Line { slope: 0, offset: at.1 }
                }
                Atom::Value(v) => self.value(v)?,
            };
            line.slope += coefficient * of.slope;
            line.offset += coefficient * of.offset;
        }
        Ok(line)
    }

    fn value(&self, v: Val) -> Result<Line, Unknown> {
        let inst = &self.follow.kernel.value(v).inst;
        let is_place = matches!(inst, Inst::Index(_)) || inst.is_index();
        let index = inst.index().filter(|_| is_place).ok_or(Unknown::More)?;
        let line = self.line(index)?;
        let (low, high) = self.range(line);
        let constant = |offset: i64| Line { slope: 0, offset };
        match *inst {
            Inst::IndexAbs(_) if low >= 0 => Ok(line),
            Inst::IndexAbs(_) if high <= 0 => Ok(Line { slope: -line.slope, offset: -line.offset }),
            Inst::IndexClamp { low: l, high: h, .. } if low >= l && high <= h => Ok(line),
            Inst::IndexClamp { low: l, .. } if high <= l => Ok(constant(l)),
            Inst::IndexClamp { high: h, .. } if low >= h => Ok(constant(h)),
            Inst::IndexMod { by, .. } | Inst::IndexDiv { by, .. } => {
                let turns = low.div_euclid(by);
                match inst {
                    _ if turns != high.div_euclid(by) => Err(Unknown::Broken),
                    Inst::IndexDiv { .. } => Ok(constant(turns)),
                    _ => Ok(Line { offset: line.offset - turns * by, ..line }),
                }
            }
            Inst::IndexAbs(_) | Inst::IndexClamp { .. } => Err(Unknown::Broken),
            _ => Ok(line),
        }
    }

    /// Whether a condition may hold on the stretch, and then on all of it. One that is not known, or
    /// that depends on other axes too, may.
    fn may_hold(&self, condition: Val) -> Result<bool, Unknown> {
        match &self.follow.kernel.value(condition).inst {
            Inst::InRange { index, low, high } => {
                let line = match self.line(index) {
                    Err(Unknown::More) => return Ok(true),
                    line => line?,
                };
                let (first, last) = self.range(line);
                match (first >= *low && last < *high, last < *low || first >= *high) {
                    (true, _) => Ok(true),
                    (_, true) => Ok(false),
                    _ => Err(Unknown::Broken),
                }
            }
            Inst::Op(Op::LogicalAnd, args) => {
                match (self.may_hold(args[0]), self.may_hold(args[1])) {
                    (Ok(false), _) | (_, Ok(false)) => Ok(false),
                    (Ok(true), Ok(true)) => Ok(true),
                    _ => Err(Unknown::Broken),
                }
            }
            _ => Ok(true),
        }
    }
}
