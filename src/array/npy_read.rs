//! Reads the elements of `.npy` files without believing their headers: memory is taken as data
//! arrives, so that a header that claims more than the file holds is an error.

use crate::dtype::Element;
use ndarray::ArrayD;
use ndarray_npy::{ReadDataError, ReadableElement, WritableElement};
use py_literal::Value;
use std::io::{self, Read};

/// The longest header that is read; NumPy's have some hundred bytes.
const HEADER_LIMIT: usize = 1 << 16;

/// The elements read at a time.
const PIECE: usize = 1 << 16;

/// An element as a file keeps it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Kept<T>(T);

/// The elements themselves.
pub(super) fn values<T: Element>(array: ArrayD<Kept<T>>) -> ArrayD<T> {
    array.mapv_into_any(|kept| kept.0)
}

impl<T: super::npy::NpyElement> ReadableElement for Kept<T> {
    fn read_to_end_exact_vec<R: Read>(
        mut reader: R,
        descriptor: &Value,
        len: usize,
    ) -> Result<Vec<Self>, ReadDataError> {
        let swapped = is_swapped::<T>(descriptor)
            .ok_or_else(|| ReadDataError::WrongDescriptor(descriptor.clone()))?;
        let (size, part) = (size_of::<T>(), size_of::<T::Real>());
        let mut elements = Vec::new();
        let mut bytes = vec![0; size * PIECE.min(len)];
        while elements.len() < len {
            let piece = &mut bytes[..size * PIECE.min(len - elements.len())];
            reader.read_exact(piece).map_err(|e| match e.kind() {
                io::ErrorKind::UnexpectedEof => ReadDataError::MissingData,
                _ => ReadDataError::Io(e),
            })?;
            if swapped {
                piece.chunks_exact_mut(part).for_each(<[u8]>::reverse);
            }
            if size_of::<T>() == 1 && T::DTYPE == crate::dtype::DType::Bool {
                only_truth_values(piece)?;
            }
            // SAFETY: every chunk has an element's bytes, which are any for numbers, and 0 or 1
            // for bool.
            let element =
                |chunk: &[u8]| Kept(unsafe { chunk.as_ptr().cast::<T>().read_unaligned() });
            elements.extend(piece.chunks_exact(size).map(element));
        }
        match io::copy(&mut reader, &mut io::sink()).map_err(ReadDataError::Io)? {
            0 => Ok(elements),
            more => Err(ReadDataError::ExtraBytes(more as usize)),
        }
    }
}

/// Whether the bytes of a file's elements are in the other order; `None` where they are of
/// another type.
fn is_swapped<T: super::npy::NpyElement>(descriptor: &Value) -> Option<bool> {
    let Value::String(found) = descriptor else { return None };
    let Value::String(own) = T::As::type_descriptor() else { return None };
    let (found_order, found_type) = found.split_at_checked(1)?;
    let (own_order, own_type) = own.split_at_checked(1)?;
    let known = matches!(found_order, "<" | ">" | "=" | "|") && found_type == own_type;
    let single = size_of::<T>() == 1;
    known.then_some(!single && found_order != "=" && found_order != own_order)
}

fn only_truth_values(bytes: &[u8]) -> Result<(), ReadDataError> {
    match bytes.iter().find(|&&byte| byte > 1) {
        Some(byte) => Err(ReadDataError::ParseData(format!("{byte} is not a bool").into())),
        None => Ok(()),
    }
}

/// Reads the header of a `.npy` file and gives the whole file again, unless the header is longer
/// or its brackets are deeper than its parser should be given.
pub(super) fn checked_header<R: Read>(mut file: R) -> io::Result<impl Read> {
    let damaged = |what| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut head = vec![0; 10];
    file.read_exact(&mut head)?;
    let mut len = usize::from(u16::from_le_bytes([head[8], head[9]]));
    if head[6] > 1 {
        head.resize(12, 0);
        file.read_exact(&mut head[10..])?;
        len |= usize::from(u16::from_le_bytes([head[10], head[11]])) << 16;
    }
    if len > HEADER_LIMIT {
        return Err(damaged("the header is too long"));
    }
    let start = head.len();
    head.resize(start + len, 0);
    file.read_exact(&mut head[start..])?;
    if head[start..].iter().filter(|byte| b"([{".contains(byte)).count() > 64 {
        return Err(damaged("the header has too many brackets"));
    }
    Ok(io::Cursor::new(head).chain(file))
}
