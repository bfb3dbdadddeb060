//! An index against a shape: which region it takes, and which positions within it.

use super::entries::Entry;
use crate::array::{DeviceArray, record, upload_to};
use crate::backend::Device;
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::ops::movement::{broadcast_to, permute};
use crate::ops::sorting::checked_positions;
use crate::shape::{self, Shape, broadcast, checked_len};
use crate::table::Op;
use ndarray::SliceInfoElem;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Positions along some neighbouring axes of the region, in their C order.
struct Points {
    /// The axes of the region.
    axes: std::ops::Range<usize>,
    /// The positions, none of which is out of range.
    positions: Arc<Node>,
}

/// A resolved index. Arrays are taken from, and put into, the region's axes `order`, of which those
/// with positions, from `place` on, are one.
pub(super) struct Plan {
    /// The region, as a slice of the array; axes with positions are whole.
    pub region: Vec<SliceInfoElem>,
    /// Whether the region is the array.
    pub is_whole: bool,
    points: Vec<Points>,
    /// How many axes stand before those of the positions.
    place: usize,
    /// The shape of the positions, broadcast against each other.
    shape: Shape,
}

/// The entries with every axis mentioned, and with numbers as arrays where there are arrays.
fn complete(name: &str, entries: Vec<Entry>, own: &[usize]) -> Result<Vec<Entry>> {
    let taken = |entry: &Entry| match entry {
        Entry::Basic(SliceInfoElem::NewAxis) | Entry::Ellipsis => 0,
        Entry::Mask(mask) => mask.ndim(),
        _ => 1,
    };
    let count: usize = entries.iter().map(taken).sum();
    let ellipses = entries.iter().filter(|e| matches!(e, Entry::Ellipsis)).count();
    if count > own.len() || ellipses > 1 {
        return Err(Error::shape(format!(
            "{name}: an index of {count} axes and {ellipses} ellipses for shape {own:?}"
        )));
    }
    let has_arrays = entries
        .iter()
        .any(|e| matches!(e, Entry::Listed(_) | Entry::Positions(_) | Entry::Mask(_)));
    let (mut all, mut rest) = (Vec::new(), own.len() - count);
    let whole = || Entry::Basic(SliceInfoElem::Slice { start: 0, end: None, step: 1 });
    for entry in entries {
        match entry {
            Entry::Ellipsis => {
                // It stands between arrays also where no axis is left for it.
                all.push(Entry::Ellipsis);
                all.extend((0..std::mem::take(&mut rest)).map(|_| whole()));
            }
            Entry::Basic(SliceInfoElem::Index(at)) if has_arrays => {
                all.push(Entry::One(at as i64));
            }
            other => all.push(other),
        }
    }
    all.extend((0..rest).map(|_| whole()));
    Ok(all)
}

/// Positions on the host as an array, counted from the beginning of an axis.
#[track_caller]
fn uploaded(
    name: &str,
    positions: &[i64],
    (axis, len): (usize, usize),
    device: Device,
) -> Result<Arc<Node>> {
    let n = len as i64;
    if let Some(position) = positions.iter().find(|&&p| p < -n || p >= n) {
        return Err(Error::shape(format!(
            "{name}: position {position} is out of bounds for axis {axis} of length {len}"
        )));
    }
    let positions: Vec<i64> = positions.iter().map(|&p| if p < 0 { p + n } else { p }).collect();
    let count = smallvec![positions.len()];
    match positions[..] {
        [only] => Ok(record::full(Scalar::new(only), count, device)),
        _ => Ok(upload_to(device, &positions, count)?.node().clone()),
    }
}

impl Plan {
    /// Resolves an index. Masks are evaluated.
    pub(super) fn new<T: Element>(
        name: &'static str,
        a: &DeviceArray<T>,
        entries: Vec<Entry>,
    ) -> Result<Plan> {
        let own = a.shape();
        let mut plan = Plan {
            region: Vec::new(),
            is_whole: true,
            points: Vec::new(),
            place: 0,
            shape: Shape::new(),
        };
        // The next axis of the array, and of the region.
        let (mut axis, mut to) = (0, 0);
        // Whether something stood between the arrays, and whether it is what stood last.
        let (mut apart, mut after) = (false, false);
        for entry in complete(name, entries, own)? {
            let is_points = !matches!(entry, Entry::Basic(_) | Entry::Ellipsis);
            if is_points {
                apart |= after && !plan.points.is_empty();
                if plan.points.is_empty() {
                    plan.place = to;
                }
            }
            after = !is_points;
            match entry {
                Entry::Ellipsis => {}
                Entry::Basic(part) => {
                    plan.add_basic(part);
                    to += usize::from(!matches!(part, SliceInfoElem::Index(_)));
                    axis += usize::from(!matches!(part, SliceInfoElem::NewAxis));
                }
                points => {
                    let positions = found(name, a, points, axis)?;
                    let ends = axis + positions.1;
                    plan.add_points(name, own, (axis..ends, to), positions.0)?;
                    to += ends - axis;
                    axis = ends;
                }
            }
        }
        if apart {
            plan.place = 0;
        }
        Ok(plan)
    }

    fn add_basic(&mut self, part: SliceInfoElem) {
        let whole = SliceInfoElem::Slice { start: 0, end: None, step: 1 };
        self.is_whole &= part == whole;
        self.region.push(part);
    }

    fn add_points(
        &mut self,
        name: &str,
        own: &[usize],
        (axes, to): (std::ops::Range<usize>, usize),
        positions: Arc<Node>,
    ) -> Result<()> {
        let whole = SliceInfoElem::Slice { start: 0, end: None, step: 1 };
        self.region.extend(axes.clone().map(|_| whole));
        self.shape = broadcast(&self.shape, &positions.shape).ok_or_else(|| {
            let (a, b) = (&self.shape, &positions.shape);
            Error::shape(format!("{name}: index arrays of shapes {a:?} and {b:?} do not broadcast"))
        })?;
        let empty = shape::len(&own[axes.clone()]) == 0;
        if empty && positions.len() > 0 {
            return Err(Error::shape(format!(
                "{name}: axis {} of shape {own:?} has no elements to take",
                axes.start
            )));
        }
        self.points.push(Points { axes: to..to + axes.len(), positions });
        Ok(())
    }

    /// Whether there are no arrays among the entries.
    pub(super) fn is_slice(&self) -> bool {
        self.points.is_empty()
    }

    /// The order of the region's axes: those of the positions together at their place.
    fn order(&self, rank: usize) -> SmallVec<[usize; 4]> {
        let is_point = |k: &usize| self.points.iter().any(|p| p.axes.contains(k));
        let rest: SmallVec<[usize; 4]> = (0..rank).filter(|k| !is_point(k)).collect();
        let points = self.points.iter().flat_map(|p| p.axes.clone());
        let (before, behind) = rest.split_at(self.place);
        before.iter().copied().chain(points).chain(behind.iter().copied()).collect()
    }

    /// The region with the axes of the positions at their place, as one.
    #[track_caller]
    pub(super) fn lined_up(&self, region: &Arc<Node>) -> Arc<Node> {
        let ordered = permute(region, &self.order(region.shape.len()));
        let count: usize = self.points.iter().map(|p| p.axes.len()).sum();
        let mut shape = Shape::from_slice(&ordered.shape[..self.place]);
        shape.push(shape::len(&ordered.shape[self.place..self.place + count]));
        shape.extend_from_slice(&ordered.shape[self.place + count..]);
        record::reshape(&ordered, shape)
    }

    /// What [`lined_up`](Self::lined_up) undoes, for a region of a shape.
    #[track_caller]
    pub(super) fn put_back(&self, line: &Arc<Node>, region: &[usize]) -> Arc<Node> {
        let order = self.order(region.len());
        let ordered = record::reshape(line, order.iter().map(|&k| region[k]).collect());
        let mut back: SmallVec<[usize; 4]> = SmallVec::from_elem(0, order.len());
        order.iter().enumerate().for_each(|(to, &from)| back[from] = to);
        permute(&ordered, &back)
    }

    /// The positions along the one axis that [`lined_up`](Self::lined_up) makes.
    #[track_caller]
    pub(super) fn positions(&self, region: &[usize]) -> Result<Arc<Node>> {
        let mut flat: Option<Arc<Node>> = None;
        for points in &self.points {
            let len = shape::len(&region[points.axes.clone()]) as i64;
            flat = Some(match flat {
                None => points.positions.clone(),
                Some(flat) => {
                    let row = record::binary(Op::Multiply, &flat, Scalar::new(len))?;
                    record::binary(Op::Add, &row, &points.positions)?
                }
            });
        }
        match flat {
            Some(flat) => broadcast_to("index", &flat, self.shape.clone()),
            None => Err(Error::shape("index: no positions")),
        }
    }

    /// The axis of the positions in what [`lined_up`](Self::lined_up) makes.
    pub(super) fn axis(&self) -> usize {
        self.place
    }

    /// The shape of the result: the positions' axes in place of the line.
    pub(super) fn result(&self, name: &str, line: &[usize]) -> Result<Shape> {
        let mut shape = Shape::from_slice(&line[..self.place]);
        shape.extend_from_slice(&self.shape);
        shape.extend_from_slice(&line[self.place + 1..]);
        checked_len(name, &shape)?;
        Ok(shape)
    }
}

/// The positions that an array or a mask says, and along how many axes.
#[track_caller]
fn found<T: Element>(
    name: &'static str,
    a: &DeviceArray<T>,
    entry: Entry,
    axis: usize,
) -> Result<(Arc<Node>, usize)> {
    let own = a.shape();
    let device = |other: Device| match other.differs(a.device()) {
        false => Ok(()),
        true => Err(record::devices_differ(name, a.device(), other)),
    };
    match entry {
        Entry::One(position) => {
            let one = uploaded(name, &[position], (axis, own[axis]), a.device())?;
            Ok((record::reshape(&one, Shape::new()), 1))
        }
        Entry::Listed(list) => Ok((uploaded(name, &list, (axis, own[axis]), a.device())?, 1)),
        Entry::Positions(positions) => {
            device(positions.device())?;
            let checked = checked_positions(name, axis, own[axis], positions.node());
            Ok((checked, 1))
        }
        Entry::Mask(mask) => {
            device(mask.device())?;
            let axes = mask.ndim();
            if axes == 0 || mask.shape() != &own[axis..axis + axes] {
                let mask = mask.shape();
                return Err(Error::shape(format!(
                    "{name}: a mask of shape {mask:?} does not fit shape {own:?} from axis {axis} on"
                )));
            }
            a.settle(&mask)?;
            let positions = mask.flat_nonzero()?;
            debug_assert_eq!(positions.dtype(), DType::I64);
            Ok((positions.node().clone(), axes))
        }
        Entry::Basic(_) | Entry::Ellipsis => Err(Error::shape(format!("{name}: no positions"))),
    }
}
