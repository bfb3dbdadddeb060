//! NumPy's `.npy` and `.npz` files.

use super::{DeviceArray, located};
use crate::dtype::Element;
use crate::error::{Error, Result};
use half::f16;
use ndarray::ArrayD;
use ndarray_npy::{
    NpzReader, NpzWriter, ReadDataError, ReadNpyExt, ReadableElement, WritableElement,
    WriteDataError, WriteNpyExt,
};
use num_complex::Complex;
use py_literal::Value;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

mod sealed {
    use super::*;

    /// How a type's values are kept in a file.
    pub trait Stored: Sized {
        type As: WritableElement + ReadableElement;
        fn store(array: ArrayD<Self>) -> ArrayD<Self::As>;
        fn load(array: ArrayD<Self::As>) -> ArrayD<Self>;
    }

    /// What adds itself to an archive.
    pub trait Member {
        fn add_to(&self, name: &str, archive: &mut NpzWriter<BufWriter<File>>) -> Result<()>;
    }
}

/// Element types that NumPy's files know: all but [`half::bf16`], which NumPy does not have;
/// cast it to `f32` first.
pub trait NpyElement: Element + sealed::Stored {}

macro_rules! stored_as_they_are {
    ($($t:ty)*) => {$(
        impl sealed::Stored for $t {
            type As = $t;
            fn store(array: ArrayD<$t>) -> ArrayD<$t> {
                array
            }
            fn load(array: ArrayD<$t>) -> ArrayD<$t> {
                array
            }
        }
        impl NpyElement for $t {}
    )*};
}
stored_as_they_are! { bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 Complex<f32> Complex<f64> }

impl sealed::Stored for f16 {
    type As = Half;
    fn store(array: ArrayD<f16>) -> ArrayD<Half> {
        array.mapv(Half)
    }
    fn load(array: ArrayD<Half>) -> ArrayD<f16> {
        array.mapv(|half| half.0)
    }
}
impl NpyElement for f16 {}

/// Half precision as NumPy stores it, for `ndarray-npy`, which does not know it.
#[derive(Clone, Copy, Debug)]
pub struct Half(f16);

impl WritableElement for Half {
    fn type_descriptor() -> Value {
        Value::String("<f2".into())
    }

    fn write<W: Write>(&self, mut writer: W) -> Result<(), WriteDataError> {
        writer.write_all(&self.0.to_le_bytes()).map_err(WriteDataError::Io)
    }

    fn write_slice<W: Write>(slice: &[Self], mut writer: W) -> Result<(), WriteDataError> {
        let bytes: Vec<u8> = slice.iter().flat_map(|half| half.0.to_le_bytes()).collect();
        writer.write_all(&bytes).map_err(WriteDataError::Io)
    }
}

impl ReadableElement for Half {
    fn read_to_end_exact_vec<R: Read>(
        mut reader: R,
        descriptor: &Value,
        len: usize,
    ) -> Result<Vec<Self>, ReadDataError> {
        let from_bytes: fn([u8; 2]) -> f16 = match descriptor {
            Value::String(s) if s == "<f2" || s == "=f2" => f16::from_le_bytes,
            Value::String(s) if s == ">f2" => f16::from_be_bytes,
            other => return Err(ReadDataError::WrongDescriptor(other.clone())),
        };
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(ReadDataError::Io)?;
        match bytes.len().cmp(&(2 * len)) {
            std::cmp::Ordering::Less => Err(ReadDataError::MissingData),
            std::cmp::Ordering::Greater => Err(ReadDataError::ExtraBytes(bytes.len() - 2 * len)),
            std::cmp::Ordering::Equal => {
                Ok(bytes.chunks_exact(2).map(|b| Half(from_bytes([b[0], b[1]]))).collect())
            }
        }
    }
}

fn failed(what: &str, path: &Path, why: impl fmt::Display) -> Error {
    Error::io(format!("{what}: {}: {why}", path.display()))
}

impl<T: NpyElement> DeviceArray<T> {
    /// Computes the array and writes it to a `.npy` file, which is replaced if it is there.
    ///
    /// **Laziness.** Evaluates and waits. NumPy: `save`.
    ///
    /// # Errors
    /// [`Error::is_io`] where the file cannot be written, and as [`lazuli::eval`](super::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-{}.npy", std::process::id()));
    /// DeviceArray::<f64>::linspace(0.0, 1.0, 5).write_npy(&path)?;
    /// let back = DeviceArray::<f64>::read_npy(&path)?;
    /// assert_eq!(back.shape(), [5]);
    /// # std::fs::remove_file(path).ok();
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "save")]
    #[track_caller]
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let host = T::store(self.copy_to_host()?);
        let write = || {
            let file = File::create(path).map_err(|e| failed("write_npy", path, e))?;
            host.write_npy(BufWriter::new(file)).map_err(|e| failed("write_npy", path, e))
        };
        located(write())
    }

    /// Reads a `.npy` file onto the current device. The file's element type must be `T`.
    ///
    /// **Laziness.** Reads and uploads now. NumPy: `load`.
    ///
    /// # Errors
    /// [`Error::is_io`] where the file cannot be read, is damaged or holds another element type,
    /// and as [`from_ndarray`](Self::from_ndarray).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let error = DeviceArray::<f32>::read_npy("missing.npy").unwrap_err();
    /// assert!(error.is_io());
    /// ```
    #[doc(alias = "load")]
    #[track_caller]
    pub fn read_npy(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let read = || {
            let file = File::open(path).map_err(|e| failed("read_npy", path, e))?;
            let host = ArrayD::<T::As>::read_npy(BufReader::new(file));
            Self::from_ndarray(&T::load(host.map_err(|e| failed("read_npy", path, e))?))
        };
        located(read())
    }
}

impl<T: NpyElement> sealed::Member for DeviceArray<T> {
    fn add_to(&self, name: &str, archive: &mut NpzWriter<BufWriter<File>>) -> Result<()> {
        let host = T::store(self.copy_to_host()?);
        archive.add_array(name, &host).map_err(|e| Error::io(format!("write_npz: {name}: {e}")))
    }
}

/// An array that can be written into a `.npz` file: a [`DeviceArray`] of any [`NpyElement`] type.
pub trait NpzMember: sealed::Member {}
impl<T: NpyElement> NpzMember for DeviceArray<T> {}

/// Computes arrays and writes them to a `.npz` file under names, without compression.
///
/// **Laziness.** Evaluates and waits. NumPy: `savez`.
///
/// # Errors
/// [`Error::is_io`] where the file cannot be written, and as [`lazuli::eval`](super::eval).
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let path = std::env::temp_dir().join(format!("lazuli-{}.npz", std::process::id()));
/// let (x, n) = (DeviceArray::<f64>::ones([2, 2]), DeviceArray::<i32>::arange_to(3));
/// lazuli::write_npz(&path, &[("x", &x), ("n", &n)])?;
/// let mut archive = lazuli::NpzFile::open(&path)?;
/// assert_eq!(archive.names()?, ["x", "n"]);
/// assert_eq!(archive.read::<i32>("n")?.to_vec()?, [0, 1, 2]);
/// # std::fs::remove_file(path).ok();
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "savez")]
#[track_caller]
pub fn write_npz(path: impl AsRef<Path>, arrays: &[(&str, &dyn NpzMember)]) -> Result<()> {
    let path = path.as_ref();
    let write = || {
        let file = File::create(path).map_err(|e| failed("write_npz", path, e))?;
        let mut archive = NpzWriter::new(BufWriter::new(file));
        for (name, array) in arrays {
            array.add_to(name, &mut archive)?;
        }
        let mut file = archive.finish().map_err(|e| failed("write_npz", path, e))?;
        file.flush().map_err(|e| failed("write_npz", path, e))
    };
    located(write())
}

/// A `.npz` file that is open for reading; see [`write_npz`] for an example.
pub struct NpzFile {
    archive: NpzReader<BufReader<File>>,
    path: std::path::PathBuf,
}

impl NpzFile {
    /// Opens a `.npz` file.
    ///
    /// # Errors
    /// [`Error::is_io`] where the file is not there or is not an archive.
    #[track_caller]
    pub fn open(path: impl AsRef<Path>) -> Result<NpzFile> {
        let path = path.as_ref();
        let open = || {
            let file = File::open(path).map_err(|e| failed("read_npz", path, e))?;
            let archive = NpzReader::new(BufReader::new(file));
            let archive = archive.map_err(|e| failed("read_npz", path, e))?;
            Ok(NpzFile { archive, path: path.to_owned() })
        };
        located(open())
    }

    /// The names of the arrays.
    ///
    /// # Errors
    /// [`Error::is_io`] where the archive is damaged.
    #[track_caller]
    pub fn names(&mut self) -> Result<Vec<String>> {
        located(self.archive.names().map_err(|e| failed("read_npz", &self.path, e)))
    }

    /// Reads an array onto the current device. Its element type must be `T`.
    ///
    /// # Errors
    /// [`Error::is_io`] where there is no such array, it is damaged or of another element type,
    /// and as [`DeviceArray::from_ndarray`].
    #[track_caller]
    pub fn read<T: NpyElement>(&mut self, name: &str) -> Result<DeviceArray<T>> {
        let host: Result<ArrayD<T::As>> = self
            .archive
            .by_name(name)
            .map_err(|e| failed("read_npz", &self.path, format!("{name}: {e}")));
        located(host.and_then(|host| DeviceArray::from_ndarray(&T::load(host))))
    }
}

impl fmt::Debug for NpzFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NpzFile({})", self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_and_wrong_types() {
        let path = std::env::temp_dir().join(format!("lazuli-half-{}.npy", std::process::id()));
        let values = [f16::from_f32(1.5), f16::NEG_INFINITY, f16::from_f32(-0.0)];
        DeviceArray::from_slice(&values).unwrap().write_npy(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.windows(5).any(|w| w == b"'<f2'"));
        let back = DeviceArray::<f16>::read_npy(&path).unwrap();
        assert_eq!(back.to_vec().unwrap(), values);
        assert!(DeviceArray::<f64>::read_npy(&path).unwrap_err().is_io());
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(DeviceArray::<f16>::read_npy(&path).unwrap_err().is_io());
        std::fs::remove_file(path).unwrap();
    }
}
