//! NumPy's `.npy` and `.npz` files.

use super::npy_read::{Kept, checked_header, values};
use super::{DeviceArray, located};
use crate::dtype::Element;
use crate::error::{Error, Result};
use half::f16;
use ndarray::ArrayD;
use ndarray_npy::{NpzWriter, ReadNpyExt, WritableElement, WriteDataError, WriteNpyExt};
use num_complex::Complex;
use py_literal::Value;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use zip::ZipArchive;

mod sealed {
    use super::*;

    /// How a type's values are written to a file.
    pub trait Stored: Sized {
        type As: WritableElement;
        fn store(array: ArrayD<Self>) -> ArrayD<Self::As>;
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
            let file = checked_header(BufReader::new(file));
            let host = ArrayD::<Kept<T>>::read_npy(file.map_err(|e| failed("read_npy", path, e))?);
            Self::from_ndarray(&values(host.map_err(|e| failed("read_npy", path, e))?))
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
    archive: ZipArchive<BufReader<File>>,
    path: std::path::PathBuf,
}

impl NpzFile {
    /// Opens a `.npz` file.
    ///
    /// # Errors
    /// [`Error::is_io`] where the file is not there or is not an archive.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!(NpzFile::open("no/such/file.npz").is_err_and(|e| e.is_io()));
    /// ```
    #[track_caller]
    pub fn open(path: impl AsRef<Path>) -> Result<NpzFile> {
        let path = path.as_ref();
        let open = || {
            let file = File::open(path).map_err(|e| failed("read_npz", path, e))?;
            let archive = ZipArchive::new(BufReader::new(file));
            let archive = archive.map_err(|e| failed("read_npz", path, e))?;
            Ok(NpzFile { archive, path: path.to_owned() })
        };
        located(open())
    }

    /// The names of the arrays.
    ///
    /// # Errors
    /// [`Error::is_io`] where the archive is damaged.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-names-{}.npz", std::process::id()));
    /// write_npz(&path, &[("x", &DeviceArray::<f64>::zeros(3))])?;
    /// assert_eq!(NpzFile::open(&path)?.names()?.len(), 1);
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn names(&mut self) -> Result<Vec<String>> {
        let name = |name: &str| name.strip_suffix(".npy").unwrap_or(name).to_owned();
        Ok(self.archive.file_names().map(name).collect())
    }

    /// Reads an array onto the current device. Its element type must be `T`.
    ///
    /// # Errors
    /// [`Error::is_io`] where there is no such array, it is damaged or of another element type,
    /// and as [`DeviceArray::from_ndarray`].
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-read-{}.npz", std::process::id()));
    /// write_npz(&path, &[("x", &DeviceArray::<i32>::arange_to(3))])?;
    /// let mut file = NpzFile::open(&path)?;
    /// assert_eq!(file.read::<i32>("x")?.to_vec()?, [0, 1, 2]);
    /// assert!(file.read::<f64>("x").is_err_and(|e| e.is_io()));
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn read<T: NpyElement>(&mut self, name: &str) -> Result<DeviceArray<T>> {
        let path = &self.path;
        let why = |e: &dyn fmt::Display| failed("read_npz", path, format!("{name}: {e}"));
        let archive = &mut self.archive;
        let mut read = || {
            let member = archive.by_name(&format!("{name}.npy")).map_err(|e| why(&e))?;
            let member = checked_header(member).map_err(|e| why(&e))?;
            let host = ArrayD::<Kept<T>>::read_npy(member).map_err(|e| why(&e))?;
            DeviceArray::from_ndarray(&values(host))
        };
        located(read())
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

    /// The bytes of a file whose header has the given length, and claims a shape.
    fn claiming(descriptor: &str, shape: &str, data: usize) -> Vec<u8> {
        let header =
            format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\0".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.bytes());
        bytes.resize(bytes.len() + data, 0);
        bytes
    }

    #[test]
    fn damaged_files_are_errors() {
        let path = std::env::temp_dir().join(format!("lazuli-bad-{}.npy", std::process::id()));
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let of_f64 = DeviceArray::<f64>::read_npy(&path).is_err_and(|e| e.is_io());
            let of_f16 = DeviceArray::<f16>::read_npy(&path).is_err_and(|e| e.is_io());
            let of_bool = DeviceArray::<bool>::read_npy(&path).is_err_and(|e| e.is_io());
            of_f64 && of_f16 && of_bool
        };
        for descriptor in ["<f8", "<f2", "|b1"] {
            for shape in ["(1000000000000000,)", "(3, 99999999999)", "(9,)", "(0,)", "(-1,)"] {
                assert!(refused(&claiming(descriptor, shape, 8)), "{descriptor} {shape}");
            }
        }
        let whole = claiming("<f8", "(2,)", 16);
        (0..whole.len()).for_each(|n| assert!(refused(&whole[..n]), "{n} bytes"));
        // A header that claims 4 GiB, and one whose brackets go deeper than any that NumPy writes.
        assert!(refused(b"\x93NUMPY\x02\0\xff\xff\xff\xff{}"));
        assert!(refused(&claiming("<f8", &"(".repeat(60_000), 8)));
        let mut not_bool = claiming("|b1", "(1,)", 0);
        not_bool.push(2);
        assert!(refused(&not_bool));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn both_byte_orders_are_read() {
        let path = std::env::temp_dir().join(format!("lazuli-big-{}.npy", std::process::id()));
        let mut bytes = claiming(">c8", "(1,)", 0);
        bytes.extend([1.5f32.to_be_bytes(), (-2.0f32).to_be_bytes()].concat());
        std::fs::write(&path, bytes).unwrap();
        let back = DeviceArray::<Complex<f32>>::read_npy(&path).unwrap();
        assert_eq!(back.item().unwrap(), Complex::new(1.5, -2.0));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_damaged_member_of_an_archive_is_an_error() {
        let path = std::env::temp_dir().join(format!("lazuli-bad-{}.npz", std::process::id()));
        let x = DeviceArray::<f64>::ones([1000]);
        write_npz(&path, &[("x", &x)]).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(6).position(|w| w == b"(1000,").expect("the shape is in the file");
        bytes[at + 1..at + 5].copy_from_slice(b"9999");
        std::fs::write(&path, bytes).unwrap();
        assert!(NpzFile::open(&path).unwrap().read::<f64>("x").unwrap_err().is_io());
        // Headers that claim 4 GiB, or nest their brackets deeper than a stack: members by themselves
        // are read as files are.
        for header in
            [b"\x93NUMPY\x02\0\xff\xff\xff\xff{}".to_vec(), claiming("<f8", &"(".repeat(60_000), 8)]
        {
            let mut archive = zip::ZipWriter::new(File::create(&path).unwrap());
            archive.start_file("x.npy", zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(&header).unwrap();
            archive.finish().unwrap();
            let mut archive = NpzFile::open(&path).unwrap();
            assert_eq!(archive.names().unwrap(), ["x"]);
            assert!(archive.read::<f64>("x").unwrap_err().is_io());
        }
        std::fs::remove_file(path).unwrap();
    }
}
