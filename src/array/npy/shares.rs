//! `.npy` files of arrays over several devices: each block by itself, at its place in the file.
//!
//! Of several processes each reads and writes its own rows. What is written goes to one draft, which
//! rank 0 begins and puts in its place when all have written theirs; whatever fails in one process,
//! all are told, and the old file is as it was.

use super::NpyElement;
use super::header::NpyHeader;
use super::read::{checked_header, decode, read as read_whole};
use crate::array::file_operation::FileOperation;
use crate::array::{DeviceArray, over};
use crate::backend::Device;
use crate::backend::placement::{Layout, bounds};
use crate::backend::world::World;
use crate::error::{Error, Result};
use crate::eval::shards::exchange::{run_of, told_by_all};
use crate::eval::shards::nothing;
use crate::files::Draft;
use crate::graph::Node;
use crate::shape::{Shape, len};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Reads a file onto the current device, a placement that is cut along the first axis.
pub(super) fn read<T: NpyElement>(
    mut file: File,
    length: u64,
    place: FileOperation,
) -> Result<DeviceArray<T>> {
    let io = |why| place.io(why);
    let header = checked_header::<T>(&mut BufReader::new(&mut file), Some(length), place)?;
    let start = header.length;
    if header.shape.is_empty() || (header.is_fortran_order() && header.shape.len() > 1) {
        file.rewind().map_err(io)?;
        return read_whole(BufReader::new(file), Some(length), place);
    }
    let device = Device::current()?;
    let placement = device.placement().expect("the current device is several");
    let shape: Shape = header.shape.iter().copied().collect();
    let at = bounds(shape[0], placement.devices.len());
    let row = len(&shape[1..]) * size_of::<T>();
    let mut blocks = Vec::new();
    for (k, target) in placement.devices.iter().enumerate() {
        if target.is_elsewhere() {
            blocks.push(nothing(*target)?);
            continue;
        }
        file.seek(SeekFrom::Start(start + (at(k) * row) as u64)).map_err(io)?;
        let mut piece = |piece: &mut [u8]| {
            file.read_exact(piece).map_err(io)?;
            decode::<T>(piece, header.swapped).map_err(io)
        };
        let data = target.backend().upload_pieces((at(k + 1) - at(k)) * row, &mut piece);
        blocks.push(Arc::new(data.map_err(|error| place.device(error))?));
    }
    Ok(DeviceArray::from_node(Node::over(blocks, shape, T::DTYPE, device)))
}

/// Writes an array over several devices.
pub(super) fn write<T: NpyElement>(a: &DeviceArray<T>, place: FileOperation) -> Result<()> {
    let blocks = over::blocks(a.node()).map_err(|error| error.in_operation("write_npy"))?;
    let placement = a.device().placement().expect("the array lies over several devices");
    let mut parts = Vec::new();
    for (share, block) in blocks.iter().enumerate() {
        let is_own = match placement.layout {
            Layout::Along(_) => !block.device.is_elsewhere(),
            // Each process has all of it, and one writes it.
            _ => share == 0 && !block.device.is_elsewhere(),
        };
        if is_own && block.len() > 0 {
            parts.push((share, DeviceArray::<T>::from_node(block.clone()).to_vec()?));
        }
    }
    let header = NpyHeader::bytes_of(T::DTYPE, a.shape());
    let layout = Places {
        start: header.len() as u64,
        shape: a.shape(),
        axis: placement.axis().unwrap_or(0),
        shares: if placement.axis().is_some() { placement.devices.len() } else { 1 },
    };
    match run_of(placement.devices) {
        None => {
            let write = || {
                let mut draft = Draft::of(place.path)?;
                draft.file().write_all(&header)?;
                match draft.path().is_some() {
                    true => layout.write(draft.file(), &parts)?,
                    false => {
                        draft.file().write_all(super::bytes_of(&a.to_vec().map_err(other)?))?
                    }
                }
                draft.finish(true)
            };
            write().map_err(|why| place.io(why))
        }
        Some(run) => together(run, (a, &header), (&layout, &parts), place),
    }
}

/// An error of a device in the place of a file's.
fn other(error: Error) -> io::Error {
    io::Error::other(error.to_string())
}

/// Where blocks stand in a file.
struct Places<'a> {
    start: u64,
    shape: &'a [usize],
    axis: usize,
    shares: usize,
}

impl Places<'_> {
    /// Writes blocks, each at its place.
    fn write<T: NpyElement>(&self, file: &mut File, parts: &[(usize, Vec<T>)]) -> io::Result<()> {
        for (share, values) in parts {
            let bytes = super::bytes_of(values);
            if self.shape.is_empty() {
                file.seek(SeekFrom::Start(self.start))?;
                file.write_all(bytes)?;
                continue;
            }
            let n = self.shape[self.axis];
            let at = bounds(n, self.shares);
            let row = len(&self.shape[self.axis + 1..]) * size_of::<T>();
            let (first, own) = (at(*share) * row, (at(share + 1) - at(*share)) * row);
            for (k, piece) in bytes.chunks(own).enumerate() {
                file.seek(SeekFrom::Start(self.start + (k * n * row + first) as u64))?;
                file.write_all(piece)?;
            }
        }
        Ok(())
    }
}

/// What rank 0 says of the draft.
const FAILED: u64 = 0;
const DRAFTED: u64 = 1;
/// It is a device or a pipe, which takes its bytes in their order.
const STREAM: u64 = 2;

/// Writes the blocks of several processes into one file.
fn together<T: NpyElement>(
    run: &World,
    (a, header): (&DeviceArray<T>, &[u8]),
    (places, parts): (&Places, &[(usize, Vec<T>)]),
    place: FileOperation,
) -> Result<()> {
    let mut draft = match run.rank {
        0 => Some(Draft::of(place.path).and_then(|mut draft| {
            draft.file().write_all(header)?;
            Ok(draft)
        })),
        _ => None,
    };
    let path = draft.as_ref().and_then(|draft| draft.as_ref().ok()?.path().map(PathBuf::from));
    let named = path.as_ref().and_then(|path| path.file_name()?.to_str().map(str::to_owned));
    let kind = match (&draft, &named) {
        (Some(Ok(_)), Some(_)) => DRAFTED,
        (Some(Ok(_)), None) => STREAM,
        _ => FAILED,
    };
    let said = told_by_all(run, &numbers(kind, named.as_deref().unwrap_or("")))?;
    let (kind, name) = (said[0][0], text(&said[0]));
    let written = match kind {
        STREAM => {
            let all = a.to_vec()?;
            match &mut draft {
                Some(Ok(draft)) => draft.file().write_all(super::bytes_of(&all)),
                _ => Ok(()),
            }
        }
        DRAFTED => match &mut draft {
            Some(Ok(draft)) => places.write(draft.file(), parts),
            _ if parts.is_empty() => Ok(()),
            _ => File::options().write(true).open(place.path.with_file_name(&name)).and_then(
                |mut file| {
                    places.write(&mut file, parts)?;
                    file.sync_all()
                },
            ),
        },
        _ => match draft.take() {
            Some(Err(why)) => Err(why),
            _ => Ok(()),
        },
    };
    let is_done = |done: &io::Result<()>| u64::from(done.is_ok() && kind != FAILED);
    let all = told_by_all(run, &[is_done(&written)])?;
    let failed = all.iter().position(|said| said[0] == 0);
    let put = match (draft, failed) {
        (Some(Ok(draft)), None) => draft.finish(true),
        _ => Ok(()),
    };
    // Nobody goes on before the file is there.
    let all = told_by_all(run, &[u64::from(put.is_ok())])?;
    let failed = failed.or_else(|| all.iter().position(|said| said[0] == 0));
    written.and(put).map_err(|why| place.io(why))?;
    match failed {
        None => Ok(()),
        Some(rank) => {
            Err(place.io(io::Error::other(format!("rank {rank} could not write its part"))))
        }
    }
}

/// The most bytes of a draft's name.
const NAME: usize = 64;

/// A number and a name as numbers.
fn numbers(kind: u64, name: &str) -> Vec<u64> {
    let mut bytes = name.as_bytes().to_vec();
    bytes.resize(NAME, 0);
    let number = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    std::iter::once(kind).chain(bytes.as_chunks().0.iter().map(number)).collect()
}

/// The name among such numbers.
fn text(numbers: &[u64]) -> String {
    let bytes: Vec<u8> = numbers[1..].iter().flat_map(|number| number.to_le_bytes()).collect();
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
}
