//! Sorts of arrays of one axis that several devices share, by samples, and the positions at which their
//! masks are true.
//!
//! Each share sorts its block. Samples at regular places of all blocks give bounds, between which each
//! share gets all elements; it sorts those, and what shares have then is moved to where the blocks of the
//! result are. Equal elements are told apart by where they stood, so that no share gets more than twice
//! its part, whatever the values are. (Shi and Schaeffer, Parallel sorting by regular sampling, 1992.)
//! Of a mask each share finds its own positions, which are moved to where the blocks of the result are.
//! How many elements go where depends on the data, so that this evaluates.

use super::nodes::{self, Gives};
use crate::array::{over, record};
use crate::backend::Device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::eval::shards::exchange::{run_of, told_by_all};
use crate::eval::shards::{Piece, moved_now, nothing};
use crate::eval::{evaluate, held};
use crate::graph::{Arg, Node};
use crate::library::sort::Encoding;
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::ops::Range;
use std::sync::Arc;

/// A share's elements in order, and where they stood, if that is asked for.
#[derive(Clone)]
struct Part {
    elements: Arc<Node>,
    places: Option<Arc<Node>>,
}

/// Where the elements for a share begin: a key, and which of those with that key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Bound {
    key: u64,
    share: usize,
    at: usize,
}

/// The devices, and the elements of each.
struct Shares {
    devices: &'static [Device],
    lengths: Vec<usize>,
    encoding: Encoding,
    dtype: DType,
}

/// An array of one axis, cut along it, in order; or the positions that put it in order.
#[track_caller]
pub(super) fn sort(a: &Arc<Node>, descending: bool, gives: Gives) -> Result<Arc<Node>> {
    let blocks = over::blocks(a)?;
    let devices = a.device.placement().expect("the array is cut").devices;
    let encoding = Encoding::of(a.dtype, descending, gives == Gives::Positions);
    let lengths: Vec<usize> = blocks.iter().map(|block| block.len()).collect();
    let shares = Shares { devices, lengths, encoding, dtype: a.dtype };
    let mut start = 0;
    let mut parts = Vec::new();
    for (share, block) in blocks.iter().enumerate() {
        let own = !block.device.is_elsewhere();
        let part = || Part::sorted(block, descending, gives, Scalar::new(start as i64));
        parts.push(if own { Some(part()?) } else { None });
        start += shares.lengths[share];
    }
    evaluated(&parts)?;
    let bounds = shares.bounds(&parts)?;
    let cuts = shares.cuts(&parts, &bounds)?;
    let between = |share: usize, to: usize| cuts[share][to]..cuts[share][to + 1];
    let parts = shares.exchanged(&parts, between)?;
    let sorted = parts.iter().map(|part| match part {
        Some(part) => part.again(descending).map(Some),
        None => Ok(None),
    });
    let parts: Vec<Option<Part>> = sorted.collect::<Result<_>>()?;
    evaluated(&parts)?;
    let count = shares.devices.len();
    let lengths: Vec<usize> =
        (0..count).map(|to| (0..count).map(|share| between(share, to).len()).sum()).collect();
    let asked = parts.into_iter().map(|part| {
        part.map(|part| Part { elements: part.places.unwrap_or(part.elements), places: None })
    });
    let dtype = if gives == Gives::Positions { DType::I64 } else { a.dtype };
    shares.in_blocks(&asked.collect::<Vec<_>>(), &lengths, dtype, a.device)
}

/// The positions at which a mask of one axis, cut along it, is true.
#[track_caller]
pub(super) fn nonzero(mask: &Arc<Node>) -> Result<Arc<Node>> {
    let blocks = over::blocks(mask)?;
    let devices = mask.device.placement().expect("the mask is cut").devices;
    let lengths = blocks.iter().map(|block| block.len()).collect();
    let encoding = Encoding::of(DType::I64, false, false);
    let shares = Shares { devices, lengths, encoding, dtype: DType::I64 };
    let own = |block: &Arc<Node>| !block.device.is_elsewhere();
    let counts: Vec<Option<Arc<Node>>> =
        blocks.iter().map(|block| own(block).then(|| count_of(block))).collect();
    evaluate(&counts.iter().flatten().cloned().collect::<Vec<_>>())?;
    let mut known = Vec::new();
    for count in &counts {
        known.push(match count {
            Some(count) => Some(vec![number_of(count)?]),
            None => None,
        });
    }
    let told = shares.told(known)?;
    let counts: Vec<usize> =
        told.iter().map(|count| count.first().map_or(0, |&count| count as usize)).collect();
    let mut start = 0;
    let mut parts = Vec::new();
    for (share, block) in blocks.iter().enumerate() {
        let found = || positions_from(block, counts[share], start);
        parts.push(if own(block) { Some(Part { elements: found()?, places: None }) } else { None });
        start += shares.lengths[share] as i64;
    }
    evaluated(&parts)?;
    shares.in_blocks(&parts, &counts, DType::I64, mask.device)
}

/// How many elements of a block's mask are true.
#[track_caller]
fn count_of(block: &Arc<Node>) -> Arc<Node> {
    match block.len() {
        0 => record::full(Scalar::new(0i64), Shape::new(), block.device),
        _ => record::reduce(Reduction::Sum, &record::cast(block, DType::I64), 1),
    }
}

/// A number that was computed.
fn number_of(node: &Arc<Node>) -> Result<u64> {
    let mut bytes = [0; 8];
    node.device.backend().download(&*held(node).ok_or_else(lost)?, &mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// The positions of a block's true elements, the first of which has that position.
#[track_caller]
fn positions_from(block: &Arc<Node>, count: usize, start: i64) -> Result<Arc<Node>> {
    match count {
        0 => Ok(record::full(Scalar::new(0i64), smallvec![0], block.device)),
        _ => record::binary(Op::Add, &nodes::nonzero(block, count), Scalar::new(start)),
    }
}

fn lost() -> Error {
    Error::device("a share was not sorted")
}

/// Computes what this process has.
#[track_caller]
fn evaluated(parts: &[Option<Part>]) -> Result<()> {
    let own = parts.iter().flatten();
    let nodes: Vec<Arc<Node>> =
        own.flat_map(|part| std::iter::once(&part.elements).chain(&part.places)).cloned().collect();
    evaluate(&nodes)
}

impl Part {
    /// A block in order, the first of whose elements has that position.
    #[track_caller]
    fn sorted(block: &Arc<Node>, descending: bool, gives: Gives, start: Scalar) -> Result<Part> {
        if gives == Gives::Elements {
            let elements = nodes::sort(block, 0, descending, Gives::Elements)?;
            return Ok(Part { elements, places: None });
        }
        let order = nodes::sort(block, 0, descending, Gives::Positions)?;
        let places = record::binary(Op::Add, &order, Arg::Scalar(start))?;
        Ok(Part { elements: nodes::take(block, &order), places: Some(places) })
    }

    /// What came from several shares, in order: equal elements stay in that of the shares.
    #[track_caller]
    fn again(&self, descending: bool) -> Result<Part> {
        let Some(places) = &self.places else {
            let elements = nodes::sort(&self.elements, 0, descending, Gives::Elements)?;
            return Ok(Part { elements, places: None });
        };
        let order = nodes::sort(&self.elements, 0, descending, Gives::Positions)?;
        let elements = nodes::take(&self.elements, &order);
        Ok(Part { elements, places: Some(nodes::take(places, &order)) })
    }
}

impl Shares {
    /// Numbers that each share's process knows, of all shares.
    fn told(&self, own: Vec<Option<Vec<u64>>>) -> Result<Vec<Vec<u64>>> {
        match run_of(self.devices) {
            Some(run) => told_by_all(run, own[run.rank].as_deref().unwrap_or_default()),
            None => Ok(own.into_iter().map(Option::unwrap_or_default).collect()),
        }
    }

    /// The keys of elements of a share, which are in order.
    #[track_caller]
    fn keys(&self, part: &Part, at: &[usize]) -> Result<Vec<u64>> {
        let device = part.elements.device;
        let bytes: Vec<u8> = at.iter().flat_map(|&at| (at as i64).to_le_bytes()).collect();
        let places = device.backend().upload(&bytes)?;
        let places = Node::source(places, smallvec![at.len()], DType::I64, device);
        let taken = nodes::take(&part.elements, &places);
        evaluate(std::slice::from_ref(&taken))?;
        let size = self.dtype.size();
        let mut bytes = vec![0; size * at.len()];
        device.backend().download(&*held(&taken).ok_or_else(lost)?, &mut bytes)?;
        let element = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..size].copy_from_slice(bytes);
            self.encoding.key(u64::from_le_bytes(word), 8 * size as u32)
        };
        Ok(bytes.chunks(size).map(element).collect())
    }

    /// Where the elements of each share but the first begin, by samples of all.
    #[track_caller]
    fn bounds(&self, parts: &[Option<Part>]) -> Result<Vec<Bound>> {
        let count = self.devices.len();
        let at = |share: usize| -> Vec<usize> {
            (0..count).map(|k| k * self.lengths[share] / count).collect()
        };
        let mut own = Vec::new();
        for (share, part) in parts.iter().enumerate() {
            own.push(match part {
                Some(part) if self.lengths[share] > 0 => Some(self.keys(part, &at(share))?),
                Some(_) => Some(vec![0; count]),
                None => None,
            });
        }
        let mut samples = Vec::new();
        for (share, keys) in self.told(own)?.into_iter().enumerate() {
            if self.lengths[share] > 0 {
                let places = keys.into_iter().zip(at(share));
                samples.extend(places.map(|(key, at)| Bound { key, share, at }));
            }
        }
        samples.sort_unstable();
        Ok((1..count).map(|k| samples[k * samples.len() / count]).collect())
    }

    /// For each share how many of its elements stand before each bound, with none and all around.
    #[track_caller]
    fn cuts(&self, parts: &[Option<Part>], bounds: &[Bound]) -> Result<Vec<Vec<usize>>> {
        let mut own = Vec::new();
        for (share, part) in parts.iter().enumerate() {
            own.push(match part {
                Some(part) => {
                    let cuts = self.cuts_of(part, share, bounds)?;
                    Some(cuts.into_iter().map(|cut| cut as u64).collect())
                }
                None => None,
            });
        }
        let all = self.told(own)?.into_iter().enumerate().map(|(share, cuts)| {
            let cuts = cuts.into_iter().map(|cut| cut as usize);
            std::iter::once(0).chain(cuts).chain([self.lengths[share]]).collect()
        });
        Ok(all.collect())
    }

    /// The bounds among a share's elements, each found by halves, all together.
    #[track_caller]
    fn cuts_of(&self, part: &Part, share: usize, bounds: &[Bound]) -> Result<Vec<usize>> {
        let mut found: Vec<Range<usize>> = bounds.iter().map(|_| 0..self.lengths[share]).collect();
        for (range, bound) in found.iter_mut().zip(bounds).filter(|(_, b)| b.share == share) {
            *range = bound.at..bound.at;
        }
        while found.iter().any(|range| !range.is_empty()) {
            let open: Vec<usize> = (0..found.len()).filter(|&k| !found[k].is_empty()).collect();
            let middle = |&k: &usize| found[k].start + found[k].len() / 2;
            let at: Vec<usize> = open.iter().map(middle).collect();
            for ((k, at), key) in open.iter().zip(&at).zip(self.keys(part, &at)?) {
                let bound = bounds[*k];
                let is_before = key < bound.key || key == bound.key && share < bound.share;
                match is_before {
                    true => found[*k].start = at + 1,
                    false => found[*k].end = *at,
                }
            }
        }
        Ok(found.into_iter().map(|range| range.start).collect())
    }

    /// What the shares have, so many elements each, as one array: moved to where its blocks are.
    #[track_caller]
    fn in_blocks(
        &self,
        parts: &[Option<Part>],
        lengths: &[usize],
        dtype: DType,
        device: Device,
    ) -> Result<Arc<Node>> {
        let mut from = vec![0];
        lengths.iter().for_each(|length| from.push(from[from.len() - 1] + length));
        let total = from[lengths.len()];
        let placement = device.placement().expect("the array is cut");
        let mut to = vec![0];
        (0..lengths.len()).for_each(|k| to.push(to[k] + placement.block(&[total], k)[0]));
        let rows = |share: usize, block: usize| {
            let inside = |at: usize| at.clamp(from[share], from[share + 1]) - from[share];
            inside(to[block])..inside(to[block + 1])
        };
        let blocks = self.exchanged(parts, rows)?;
        evaluated(&blocks)?;
        let mut data = Vec::new();
        for (block, &device) in blocks.iter().zip(self.devices) {
            data.push(match block {
                Some(block) => held(&block.elements).ok_or_else(lost)?,
                None => nothing(device)?,
            });
        }
        Ok(Node::over(data, smallvec![total], dtype, device))
    }

    /// For each share what all shares have for it, one after another: `rows` says which of a share's
    /// elements go to another.
    #[track_caller]
    fn exchanged(
        &self,
        parts: &[Option<Part>],
        rows: impl Fn(usize, usize) -> Range<usize>,
    ) -> Result<Vec<Option<Part>>> {
        let has_places = parts.iter().flatten().any(|part| part.places.is_some());
        let columns = |part: &Part| -> Vec<Arc<Node>> {
            std::iter::once(&part.elements).chain(&part.places).cloned().collect()
        };
        let dtype = parts.iter().flatten().next().map_or(self.dtype, |part| part.elements.dtype);
        let dtypes = if has_places { vec![dtype, DType::I64] } else { vec![dtype] };
        let count = self.devices.len();
        let (mut pieces, mut routes) = (Vec::new(), Vec::new());
        for to in 0..count {
            for share in (0..count).filter(|&share| share != to) {
                let rows = rows(share, to);
                for (column, dtype) in dtypes.iter().enumerate().filter(|_| !rows.is_empty()) {
                    let from = match &parts[share] {
                        Some(part) => held(&columns(part)[column]).ok_or_else(lost)?,
                        None => nothing(self.devices[share])?,
                    };
                    let range = [rows.start * dtype.size(), rows.len() * dtype.size()];
                    let (source, to_device) = (self.devices[share], self.devices[to]);
                    pieces.push(Piece { from, source, range, to: to_device, stays: false });
                    routes.push((share, to, column, rows.len(), *dtype));
                }
            }
        }
        let brought = moved_now(&pieces)?;
        let mut all = Vec::new();
        for to in 0..count {
            let Some(own) = &parts[to] else {
                all.push(None);
                continue;
            };
            let device = self.devices[to];
            let mut joined = Vec::new();
            for (column, &dtype) in dtypes.iter().enumerate() {
                let mut nodes = Vec::new();
                for share in 0..count {
                    if share == to {
                        let rows = rows(to, to);
                        let column = &columns(own)[column];
                        nodes.push(over::rows(column, 0, [rows.start, rows.end]));
                    }
                    let here = routes.iter().position(|r| (r.0, r.1, r.2) == (share, to, column));
                    if let Some(at) = here {
                        let shape = smallvec![routes[at].3];
                        nodes.push(Node::shared(brought[at].clone(), shape, dtype, device));
                    }
                }
                joined.push(record::one_after_another(&nodes, 0));
            }
            let places = if has_places { joined.pop() } else { None };
            let elements = joined.pop().expect("there is a column");
            all.push(Some(Part { elements, places }));
        }
        Ok(all)
    }
}
