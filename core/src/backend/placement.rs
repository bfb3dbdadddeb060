//! Placements: how an array lies over several devices.
//!
//! A [`Device`] that is a placement names a list of devices and the axis along which arrays are cut
//! among them. Its number is an index into a list that only grows: a program has few of them, one for
//! each mesh and axis that it uses.

use super::Device;
use crate::shape::{Shape, copy_of};
use parking_lot::RwLock;
use std::fmt;

/// Where the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Each device has all of them.
    Whole,
    /// Each device has the rows of its block along an axis.
    Along(u8),
    /// The operation has no form over several devices: evaluating it is an error.
    Nowhere,
}

/// Several devices, and how arrays lie over them.
#[derive(Debug, PartialEq, Eq)]
pub struct Placement {
    /// The devices, each with one share of the work; one may come several times.
    pub devices: &'static [Device],
    /// Where the elements are.
    pub layout: Layout,
}

static PLACEMENTS: RwLock<Vec<&'static Placement>> = RwLock::new(Vec::new());
/// The most placements of a process.
const MOST: usize = 1 << 15;

/// The axis of an array is cut at multiples of a length that follows from the axis alone: so many
/// chunks, whose sums are the same however many devices share them.
pub const CHUNKS: usize = 64;

/// The length of a chunk of an axis of length `n`.
pub fn chunk(n: usize) -> usize {
    n.div_ceil(CHUNKS).max(1)
}

/// Where the blocks of an axis of length `n` begin and end among `shares` devices.
pub fn bounds(n: usize, shares: usize) -> impl Fn(usize) -> usize {
    let chunk = chunk(n);
    let chunks = n.div_ceil(chunk);
    move |k| (k * chunks / shares * chunk).min(n)
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layout {
            Layout::Whole => f.write_str("whole on each of ")?,
            Layout::Along(axis) => write!(f, "cut along axis {axis} over ")?,
            Layout::Nowhere => f.write_str("of no form over ")?,
        }
        f.write_str(&in_words(self.devices))
    }
}

/// Whether other processes have some of the devices.
pub fn are_shared(devices: &[Device]) -> bool {
    devices.iter().any(|device| device.is_elsewhere())
}

/// Several devices in words.
pub fn in_words(devices: &[Device]) -> String {
    let (first, count) = (devices[0], devices.len());
    if are_shared(devices) {
        let kind = if first.is_cuda() { "a GPU" } else { "the processor" };
        return format!("{count} processes with {kind} each");
    }
    if devices.iter().all(|&device| device == first) {
        return format!("{count} shares of {first}");
    }
    let names: Vec<String> = devices.iter().map(Device::to_string).collect();
    names.join(", ")
}

impl Placement {
    /// The first share that this process has.
    pub fn own(&self) -> usize {
        self.devices.iter().position(|device| !device.is_elsewhere()).unwrap_or(0)
    }

    /// Whether other processes have shares.
    pub fn is_shared(&self) -> bool {
        are_shared(self.devices)
    }

    /// The axis along which arrays are cut.
    pub fn axis(&self) -> Option<usize> {
        match self.layout {
            Layout::Along(axis) => Some(axis as usize),
            Layout::Whole | Layout::Nowhere => None,
        }
    }

    /// The shape of a share's block of an array.
    pub fn block(&self, shape: &[usize], share: usize) -> Shape {
        let mut own = copy_of(shape);
        if let Some(axis) = self.axis() {
            let at = bounds(shape[axis], self.devices.len());
            own[axis] = at(share + 1) - at(share);
        }
        own
    }
}

impl Device {
    /// The placement of arrays over some devices.
    #[doc(hidden)]
    pub fn placed(devices: &[Device], layout: Layout) -> Device {
        let same = |p: &&Placement| p.devices == devices && p.layout == layout;
        if let Some(at) = PLACEMENTS.read().iter().position(&same) {
            return Device::of_placement(at);
        }
        let mut placements = PLACEMENTS.write();
        let at = placements.iter().position(same).unwrap_or_else(|| {
            assert!(placements.len() < MOST, "a process has at most {MOST} placements");
            let known = placements.iter().find(|p| p.devices == devices);
            let devices = known.map_or_else(|| Vec::leak(devices.to_vec()) as &_, |p| p.devices);
            placements.push(Box::leak(Box::new(Placement { devices, layout })));
            placements.len() - 1
        });
        Device::of_placement(at)
    }

    /// The placement that this is.
    #[doc(hidden)]
    pub fn placement(self) -> Option<&'static Placement> {
        Some(PLACEMENTS.read()[self.placement_number()?])
    }

    /// Another layout over the same devices; the device itself where it is one.
    #[doc(hidden)]
    pub fn with_layout(self, layout: Layout) -> Device {
        self.placement().map_or(self, |placement| Device::placed(placement.devices, layout))
    }

    /// Whether arrays of the two cannot be arguments of one operation: other than over the same
    /// devices they must be on one.
    #[doc(hidden)]
    pub fn differs(self, other: Device) -> bool {
        self != other && !self.shares_with(other)
    }

    #[cold]
    fn shares_with(self, other: Device) -> bool {
        match (self.placement(), other.placement()) {
            (Some(a), Some(b)) => std::ptr::eq(a.devices, b.devices),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_an_axis_and_end_with_chunks() {
        for n in [0, 1, 2, 3, 5, 63, 64, 65, 100, 128, 1000, 12345] {
            for shares in [1, 2, 3, 4, 5, 8, 70] {
                let at = bounds(n, shares);
                assert_eq!((at(0), at(shares)), (0, n));
                for k in 0..shares {
                    assert!(at(k) <= at(k + 1) && (at(k).is_multiple_of(chunk(n)) || at(k) == n));
                    assert!(at(k + 1) - at(k) <= chunk(n) * (CHUNKS.div_ceil(shares)));
                }
            }
        }
    }

    #[test]
    fn placements_are_the_same_where_devices_and_layout_are() {
        let devices = [Device::cpu(); 3];
        let a = Device::placed(&devices, Layout::Along(0));
        assert_eq!(a, Device::placed(&devices, Layout::Along(0)));
        let b = a.with_layout(Layout::Whole);
        assert!(a != b && !a.differs(b) && a.differs(Device::cpu()));
        assert!(a.differs(Device::placed(&devices[..2], Layout::Along(0))));
        assert_eq!(Device::cpu().with_layout(Layout::Whole), Device::cpu());
    }
}
