//! NumPy's `.npz` files: archives of `.npy` files.

use super::header::{NpyHeader, damaged, fill};
use super::read::read;
use super::zip::{Archive, Member, Packing, Writer};
use super::{NpyElement, bytes_of};
use crate::array::file_operation::FileOperation;
use crate::array::{AnyArray, DeviceArray, located};
use crate::error::Result;
use crate::eval::evaluate;
use crate::files::Draft;
use crate::graph::Node;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod sealed {
    use super::*;

    /// An archive in the making, and what errors of its next member name.
    pub struct Next<'a, 'f> {
        pub(super) archive: &'a mut Writer<BufWriter<&'f mut File>>,
        pub(super) place: FileOperation<'a>,
    }

    /// What adds itself to an archive.
    pub trait Member {
        fn add_to(&self, next: Next) -> Result<()>;
    }
}

impl<T: NpyElement> sealed::Member for DeviceArray<T> {
    fn add_to(&self, sealed::Next { archive, place }: sealed::Next) -> Result<()> {
        let host = self.to_vec().map_err(|error| place.device(error))?;
        let header = NpyHeader::bytes_of(T::DTYPE, self.shape());
        let name = place.member.unwrap_or_default();
        let added = archive.add(&format!("{name}.npy"), &[&header, bytes_of(&host)]);
        added.map_err(|why| place.io(why))
    }
}

/// An array that can be written into a `.npz` file: a [`DeviceArray`] of any [`NpyElement`] type.
pub trait NpzMember: AnyArray + sealed::Member {}
impl<T: NpyElement> NpzMember for DeviceArray<T> {}

/// Computes arrays and writes them to a `.npz` file under names, without compression.
///
/// The arrays are computed together before anything is written, and the file is replaced as
/// [`write_npy`](DeviceArray::write_npy) says: whole, or not at all.
///
/// **Laziness.** Evaluates and waits. NumPy: `savez`.
///
/// # Errors
/// [`Error::is_io`](crate::Error::is_io) where the file cannot be written or a name is there twice,
/// and as [`lazuli::eval`](crate::eval()).
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
    write_members("write_npz", path.as_ref(), arrays, &[], Packing::Stored)
}

/// Computes arrays and writes them to a `.npz` file under names, each of them compressed: as
/// [`write_npz`] otherwise, but slower.
///
/// **Laziness.** Evaluates and waits. NumPy: `savez_compressed`.
///
/// # Errors
/// As of [`write_npz`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let path = std::env::temp_dir().join(format!("lazuli-packed-{}.npz", std::process::id()));
/// let x = DeviceArray::<f64>::zeros(10_000);
/// lazuli::write_npz_compressed(&path, &[("x", &x)])?;
/// assert!(std::fs::metadata(&path).is_ok_and(|file| file.len() < 1000));
/// assert_eq!(lazuli::NpzFile::open(&path)?.read::<f64>("x")?, x);
/// # std::fs::remove_file(path).ok();
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "savez_compressed")]
#[track_caller]
pub fn write_npz_compressed(
    path: impl AsRef<Path>,
    arrays: &[(&str, &dyn NpzMember)],
) -> Result<()> {
    write_members("write_npz_compressed", path.as_ref(), arrays, &[], Packing::Deflated)
}

/// The same with single texts of bytes beside the arrays, whose element type is none of arrays here.
#[track_caller]
pub(crate) fn write_members(
    operation: &'static str,
    path: &Path,
    arrays: &[(&str, &dyn NpzMember)],
    texts: &[(&str, &str)],
    packing: Packing,
) -> Result<()> {
    let place = FileOperation { operation, path, member: None };
    let nodes: Vec<Arc<Node>> =
        arrays.iter().map(|(_, array)| array.any_node().0.clone()).collect();
    located(evaluate(&nodes).map_err(|error| error.in_operation(operation)))?;
    let write = || {
        let mut draft = Draft::of(place.path).map_err(|why| place.io(why))?;
        let mut archive = Writer::new(BufWriter::new(draft.file()), packing);
        for &(name, array) in arrays {
            let place = FileOperation { member: Some(name), ..place };
            array.add_to(sealed::Next { archive: &mut archive, place })?;
        }
        for (name, text) in texts {
            let header = NpyHeader::bytes_of_text(text.len());
            let added = archive.add(&format!("{name}.npy"), &[&header, text.as_bytes()]);
            added.map_err(|why| FileOperation { member: Some(name), ..place }.io(why))?;
        }
        let flushed = archive.finish().and_then(|mut file| file.flush());
        flushed.and_then(|()| draft.finish(true)).map_err(|why| place.io(why))
    };
    located(write())
}

/// A `.npz` file that is open for reading; see [`write_npz`] for an example.
///
/// Members may be compressed, as NumPy's `savez_compressed` has them.
pub struct NpzFile {
    archive: Archive<BufReader<File>>,
    path: PathBuf,
}

impl NpzFile {
    /// Opens a `.npz` file.
    ///
    /// # Errors
    /// [`Error::is_io`](crate::Error::is_io) where the file is not there or is not an archive.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!(NpzFile::open("no/such/file.npz").is_err_and(|e| e.is_io()));
    /// ```
    #[track_caller]
    pub fn open(path: impl AsRef<Path>) -> Result<NpzFile> {
        let place = FileOperation { operation: "read_npz", path: path.as_ref(), member: None };
        let archive = File::open(place.path).and_then(|file| Archive::open(BufReader::new(file)));
        let archive = located(archive.map_err(|why| place.io(why)))?;
        Ok(NpzFile { archive, path: place.path.to_owned() })
    }

    /// The names of the arrays.
    ///
    /// # Errors
    /// None today; a damaged archive is an error of [`open`](Self::open).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-names-{}.npz", std::process::id()));
    /// write_npz(&path, &[("x", &DeviceArray::<f64>::zeros(3))])?;
    /// assert_eq!(NpzFile::open(&path)?.names()?, ["x"]);
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn names(&mut self) -> Result<Vec<String>> {
        let name = |name: &str| name.strip_suffix(".npy").unwrap_or(name).to_owned();
        Ok(self.archive.members().iter().map(|member| name(&member.name)).collect())
    }

    /// Reads what the archive says of an array, the element type and the shape, and none of its
    /// elements.
    ///
    /// # Errors
    /// [`Error::is_io`](crate::Error::is_io) where there is no such array, or it has no such
    /// header.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-peek-{}.npz", std::process::id()));
    /// write_npz(&path, &[("x", &DeviceArray::<u8>::zeros([2, 3]))])?;
    /// let header = NpzFile::open(&path)?.header("x")?;
    /// assert_eq!((header.dtype(), header.shape()), (Some(DType::U8), &[2, 3][..]));
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn header(&mut self, name: &str) -> Result<NpyHeader> {
        let (mut reader, _, place) = located(self.reader(name))?;
        located(NpyHeader::read(&mut reader).map_err(|why| place.io(why)))
    }

    /// Reads an array onto the current device. Its element type must be `T`;
    /// [`header`](Self::header) tells it.
    ///
    /// **Shape.** The file's. **Laziness.** Reads and uploads now, piece by piece, as
    /// [`read_npy`](DeviceArray::read_npy) does: on the processor it takes the array's size in
    /// memory, once, however small the archive is.
    ///
    /// # Errors
    /// [`Error::is_io`](crate::Error::is_io) where there is no such array, it is damaged or of
    /// another element type; [`Error::is_out_of_memory`](crate::Error::is_out_of_memory) where it is
    /// larger than what is free; [`Error::is_device`](crate::Error::is_device).
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
        located(self.reader(name).and_then(|(from, bytes, place)| read(from, Some(bytes), place)))
    }

    /// Reads a single text of bytes.
    #[track_caller]
    pub(crate) fn text(&mut self, name: &str) -> Result<String> {
        let (mut reader, _, place) = located(self.reader(name))?;
        let mut read = || {
            let header = NpyHeader::read(&mut reader)?;
            let length = header.descr().strip_prefix("|S").and_then(|n| n.parse::<u8>().ok());
            let length = length.filter(|_| header.shape().is_empty());
            let mut text = vec![0; length.ok_or_else(|| damaged("this is no text"))? as usize];
            fill(&mut reader, &mut text)?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        };
        located(read().map_err(|why| place.io(why)))
    }

    /// The reader of a member, its bytes, and what its errors name.
    fn reader<'a>(&'a mut self, name: &'a str) -> Result<(impl Read + 'a, u64, FileOperation<'a>)> {
        let place = FileOperation { operation: "read_npz", path: &self.path, member: Some(name) };
        let is_it = |member: &&Member| {
            let file = member.name.as_str();
            file == name || file.strip_suffix(".npy") == Some(name)
        };
        // Of several members of one name the last counts.
        let member = self.archive.members().iter().rfind(is_it).cloned();
        let missing = || io::Error::new(io::ErrorKind::NotFound, "there is no such array");
        let member = member.ok_or_else(missing).map_err(|why| place.io(why))?;
        let reader = self.archive.read(&member).map_err(|why| place.io(why))?;
        Ok((BufReader::new(reader), member.bytes, place))
    }
}

impl fmt::Debug for NpzFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NpzFile({})", self.path.display())
    }
}
