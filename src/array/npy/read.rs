//! Reads the elements of `.npy` files. A header is not believed: where the file's length is known
//! the elements must be as many as it says, and memory is taken once, after a look at what is free.
//!
//! The elements go piece by piece into the device's memory (`Backend::upload_pieces`).

use super::NpyElement;
use super::header::{NpyHeader, damaged, fill};
use crate::array::DeviceArray;
use crate::array::file_operation::FileOperation;
use crate::backend::{Device, trace};
use crate::dtype::DType;
use crate::error::Result;
use crate::graph::Node;
use crate::shape::{Shape, len};
use std::io::{self, Read};

/// Reads an array from a file of so many bytes, where they are known, and checks that the file ends
/// with it.
pub(super) fn read<T: NpyElement>(
    mut from: impl Read,
    length: Option<u64>,
    place: FileOperation,
) -> Result<DeviceArray<T>> {
    let io = |why| place.io(why);
    let header = checked_header::<T>(&mut from, length, place)?;
    let bytes = len(&header.shape) * size_of::<T>();
    let mut piece = |piece: &mut [u8]| {
        fill(&mut from, piece).map_err(io)?;
        decode::<T>(piece, header.swapped).map_err(io)
    };
    // Over several devices a file is read on the first, and then divided.
    let current = Device::current()?;
    let device = current.first();
    let buffer = {
        let _span = trace::upload(device, bytes);
        device.backend().upload_pieces(bytes, &mut piece)
    };
    let buffer = buffer.map_err(|error| place.device(error))?;
    // The reader of an archive checks a sum when it is asked for more.
    if from.read(&mut [0]).map_err(io)? != 0 {
        return Err(io(damaged("more follows than the header says")));
    }
    // Columns are the rows of the transposed array.
    let columns = header.is_fortran_order() && header.shape.len() > 1;
    let shape: Shape = match columns {
        true => header.shape.iter().rev().copied().collect(),
        false => header.shape,
    };
    let stored = DeviceArray::from_node(Node::source(buffer, shape, T::DTYPE, device));
    let array = if columns { stored.t() } else { stored };
    if current.is_placed() { array.to(current) } else { Ok(array) }
}

/// The header of a file that holds elements of the type, as many as follow it.
pub(super) fn checked_header<T: NpyElement>(
    from: &mut impl Read,
    length: Option<u64>,
    place: FileOperation,
) -> Result<NpyHeader> {
    let io = |why| place.io(why);
    let header = NpyHeader::read(from).map_err(io)?;
    if header.dtype() != Some(T::DTYPE) {
        let (holds, wanted) = (header.holds(), T::DTYPE.name());
        return Err(io(damaged(&format!("the file holds {holds}, and {wanted} is asked for"))));
    }
    let bytes = len(&header.shape) * size_of::<T>();
    let there = length.map(|length| length.saturating_sub(header.length));
    if let Some(there) = there.filter(|there| *there != bytes as u64) {
        let shape = header.shape();
        return Err(io(damaged(&format!(
            "{there} bytes follow the header, and shape {shape:?} has {bytes}"
        ))));
    }
    Ok(header)
}

/// Turns the bytes of elements in a file into those in memory.
pub(super) fn decode<T: NpyElement>(bytes: &mut [u8], swapped: bool) -> io::Result<()> {
    if swapped {
        bytes.chunks_exact_mut(size_of::<T::Real>()).for_each(<[u8]>::reverse);
    }
    match bytes.iter().find(|&&byte| T::DTYPE == DType::Bool && byte > 1) {
        Some(byte) => Err(damaged(&format!("{byte} is not a bool"))),
        None => Ok(()),
    }
}
