//! NumPy's files: `.npy`, and archives of them, `.npz`.

mod header;
mod npz;
mod read;
mod shares;
mod zip;

pub use header::NpyHeader;
pub(crate) use npz::write_members;
pub use npz::{NpzFile, NpzMember, write_npz, write_npz_compressed};
pub(crate) use zip::Packing;

use super::file_operation::FileOperation;
use super::{DeviceArray, located};
use crate::backend::Device;
use crate::dtype::Element;
use crate::error::Result;
use crate::files::Draft;
use half::f16;
use num_complex::Complex;
use read::read;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

mod sealed {
    /// A type that NumPy has too.
    pub trait Stored {}
}

/// Element types that NumPy's files know: all but [`half::bf16`], which NumPy does not have;
/// cast it to `f32` first.
pub trait NpyElement: Element + sealed::Stored {}

macro_rules! stored {
    ($($t:ty)*) => {$(
        impl sealed::Stored for $t {}
        impl NpyElement for $t {}
    )*};
}
stored! { bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex<f32> Complex<f64> }

/// The elements as they are in memory, which is how a file has them.
pub(super) fn bytes_of<T: NpyElement>(values: &[T]) -> &[u8] {
    // SAFETY: elements are plain old data without padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) }
}

/// Reads what a `.npy` file says of its array, the element type and the shape, and none of its
/// elements.
///
/// NumPy: `lib.format.read_array_header_1_0`, or `load` with `mmap_mode`.
///
/// # Errors
/// [`Error::is_io`](crate::Error::is_io) where the file cannot be read or has no such header.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let path = std::env::temp_dir().join(format!("lazuli-header-{}.npy", std::process::id()));
/// DeviceArray::<f32>::zeros([2, 3]).write_npy(&path)?;
/// let header = npy_header(&path)?;
/// assert_eq!((header.dtype(), header.shape()), (Some(DType::F32), &[2, 3][..]));
/// # let _ = std::fs::remove_file(path);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "read_array_header_1_0")]
#[track_caller]
pub fn npy_header(path: impl AsRef<Path>) -> Result<NpyHeader> {
    let place = FileOperation { operation: "npy_header", path: path.as_ref(), member: None };
    let header = File::open(place.path).and_then(|file| NpyHeader::read(&mut BufReader::new(file)));
    located(header.map_err(|why| place.io(why)))
}

impl<T: NpyElement> DeviceArray<T> {
    /// Computes the array and writes it to a `.npy` file, which is replaced if it is there.
    ///
    /// The array is computed before anything is written, and the file is written beside its place
    /// and put there when it is whole and on the disk: whatever fails, and should the program be
    /// killed, the old file is as it was. (A program that is killed may leave a hidden file whose
    /// name ends in `.lazuli-draft`.) So the folder must be writable. A file that may not be written
    /// is not replaced either; the new file has the permissions of the old one. Where the path is a
    /// symbolic link, what it points to is replaced and the link stays; other hard links keep the
    /// old file. A device or a pipe, such as `/dev/stdout`, is written to as it is.
    ///
    /// Of an array over several devices each block is written by itself; of several processes each
    /// writes its rows of the one file, which all must be able to reach under that path, and all go on
    /// when the file is there.
    ///
    /// **Laziness.** Evaluates and waits. NumPy: `save`.
    ///
    /// # Errors
    /// [`Error::is_io`](crate::Error::is_io) where the file cannot be written, and as
    /// [`lazuli::eval`](crate::eval()).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-{}.npy", std::process::id()));
    /// DeviceArray::<f64>::linspace(0.0, 1.0, 5).write_npy(&path)?;
    /// let back = DeviceArray::<f64>::read_npy(&path)?;
    /// assert_eq!(back.to_vec()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # std::fs::remove_file(path).ok();
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "save")]
    #[track_caller]
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let place = FileOperation { operation: "write_npy", path: path.as_ref(), member: None };
        if self.device().is_placed() {
            return located(shares::write(self, place));
        }
        let host = located(self.to_vec().map_err(|error| error.in_operation("write_npy")))?;
        let write = || {
            let mut draft = Draft::of(place.path)?;
            draft.file().write_all(&NpyHeader::bytes_of(T::DTYPE, self.shape()))?;
            draft.file().write_all(bytes_of(&host))?;
            draft.finish(true)
        };
        located(write().map_err(|why| place.io(why)))
    }

    /// Reads a `.npy` file onto the current device. The file's element type must be `T`;
    /// [`npy_header`] tells it.
    ///
    /// **Shape.** The file's. **Laziness.** Reads and uploads now, piece by piece: on the processor
    /// it takes the array's size in memory, once. An array in Fortran order is a transposed view of
    /// what was read. In the scope of a placement that is cut along the first axis each device gets its
    /// rows of the file, and a process reads no others. NumPy: `load`.
    ///
    /// # Errors
    /// [`Error::is_io`](crate::Error::is_io) where the file cannot be read, is damaged or holds
    /// another element type; [`Error::is_out_of_memory`](crate::Error::is_out_of_memory) where the
    /// array is larger than what is free; [`Error::is_device`](crate::Error::is_device).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-load-{}.npy", std::process::id()));
    /// DeviceArray::<i32>::arange_to(3).write_npy(&path)?;
    /// assert_eq!(DeviceArray::<i32>::read_npy(&path)?.to_vec()?, [0, 1, 2]);
    /// let error = DeviceArray::<f32>::read_npy(&path).unwrap_err();
    /// assert!(error.to_string().contains("holds int32, and float32 is asked for"));
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "load")]
    #[track_caller]
    pub fn read_npy(path: impl AsRef<Path>) -> Result<Self> {
        let place = FileOperation { operation: "read_npy", path: path.as_ref(), member: None };
        let open = || {
            let file = File::open(place.path)?;
            let data = file.metadata()?;
            // A pipe does not say how much it will bring.
            Ok((file, data.is_file().then_some(data.len())))
        };
        let read_all = || {
            let (file, length) = open().map_err(|why| place.io(why))?;
            match (length, Device::current()?.placement()) {
                (Some(length), Some(placement)) if placement.axis() == Some(0) => {
                    shares::read(file, length, place)
                }
                _ => read(BufReader::new(file), length, place),
            }
        };
        located(read_all())
    }
}

#[cfg(test)]
mod tests;
