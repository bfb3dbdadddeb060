//! Arrays in `.npy` files.

use super::picture::Picture;
use super::{Failure, Outcome, Output};
use lazuli::prelude::*;
use ndarray::{ArrayD, ArrayViewD};
use ndarray_npy::{
    ReadNpyExt, ReadableElement, ViewElement, ViewNpyError, ViewNpyExt, WritableElement,
    WriteNpyExt,
};
use std::any::Any;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Element types that examples read and write.
pub trait Sample: Element + ReadableElement + ViewElement + WritableElement {}
impl<T: Element + ReadableElement + ViewElement + WritableElement> Sample for T {}

/// An output array of any element type.
pub trait Saved: AnyArray {
    /// Copies it to the host and writes it as `.npy`.
    fn write(&self, file: &mut dyn Write) -> Outcome<()>;
    /// The array itself.
    fn as_any(&self) -> &dyn Any;
}

impl<T: Sample> Saved for DeviceArray<T> {
    fn write(&self, file: &mut dyn Write) -> Outcome<()> {
        self.copy_to_host()?.write_npy(file).map_err(|e| Failure(e.to_string()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A file of `examples/data`, above where the program was built: the tests build it, too.
pub fn data(name: &str) -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = built.ancestors().map(|folder| folder.join("examples/data").join(name));
    files.into_iter().find(|file| file.exists()).unwrap_or_else(|| PathBuf::from(name))
}

/// Names an output of an example.
pub fn output<T: Sample>(name: &'static str, array: DeviceArray<T>) -> Output {
    (name, Box::new(array))
}

/// The file of an input or an output.
pub fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.npy"))
}

fn load(folder: &Path, name: &str) -> Outcome<Vec<u8>> {
    let path = path(folder, name);
    fs::read(&path).map_err(|e| Failure(format!("{}: {e}", path.display())))
}

/// The element type of an input's file, by NumPy's name.
pub fn dtype(folder: &Path, name: &str) -> Outcome<String> {
    let found = match ArrayViewD::<u8>::view_npy(&load(folder, name)?) {
        Err(ViewNpyError::WrongDescriptor(found)) => Ok(long_name(&found.to_string())),
        Err(e @ (ViewNpyError::Io(_) | ViewNpyError::ParseHeader(_))) => Err(e.to_string()),
        _ => Ok("uint8".to_owned()),
    };
    found.map_err(|why| malformed(folder, name, &why))
}

/// Reads an input of the given element type, in C or Fortran order and of either endianness.
pub fn read<T: Sample>(folder: &Path, name: &str) -> Outcome<ArrayD<T>> {
    let mut bytes = load(folder, name)?;
    // Viewing checks the lengths before anything is allocated for them.
    if let Err(ViewNpyError::NonNativeEndian) = ArrayViewD::<T>::view_npy(&bytes) {
        swap_bytes(&mut bytes, size_of::<T>());
    }
    let array = match ArrayViewD::<T>::view_npy(&bytes) {
        Ok(view) => Ok(view.to_owned()),
        Err(ViewNpyError::MisalignedData) => {
            ArrayD::read_npy(&bytes[..]).map_err(|e| e.to_string())
        }
        Err(ViewNpyError::WrongDescriptor(found)) => {
            let (path, found) = (path(folder, name), long_name(&found.to_string()));
            let wanted = T::DTYPE.name();
            return Err(Failure(format!("{}: holds {found}; {wanted} is wanted", path.display())));
        }
        Err(e) => Err(e.to_string()),
    };
    array.map_err(|why| malformed(folder, name, &why))
}

fn malformed(folder: &Path, name: &str, why: &str) -> Failure {
    Failure(format!("{}: not a good .npy file: {why}", path(folder, name).display()))
}

/// Turns a file of big-endian numbers into one of little-endian numbers, or the other way round.
fn swap_bytes(file: &mut [u8], size: usize) {
    // The header's length follows the magic string and the version, in two or in four bytes.
    let start = match file[6] {
        1 => 10 + usize::from(u16::from_le_bytes([file[8], file[9]])),
        _ => 12 + u32::from_le_bytes([file[8], file[9], file[10], file[11]]) as usize,
    };
    let (header, data) = file.split_at_mut(start);
    for byte in header {
        *byte = match *byte {
            b'>' => b'<',
            b'<' => b'>',
            other => other,
        };
    }
    data.chunks_exact_mut(size).for_each(<[u8]>::reverse);
}

/// NumPy's name of an element type, from its descriptor such as `'<f4'`.
fn long_name(descriptor: &str) -> String {
    let plain = descriptor.trim_matches(['\'', '<', '>', '|', '=']);
    let (kind, size) = plain.split_at(plain.len().min(1));
    let bits = size.parse::<u32>().map(|size| 8 * size);
    match (kind, bits) {
        ("b", Ok(8)) => "bool".to_owned(),
        ("f", Ok(bits)) => format!("float{bits}"),
        ("i", Ok(bits)) => format!("int{bits}"),
        ("u", Ok(bits)) => format!("uint{bits}"),
        ("c", Ok(bits)) => format!("complex{bits}"),
        _ => descriptor.to_owned(),
    }
}

/// Writes arrays and pictures into a folder: all of them, or nothing. Gives their paths.
pub fn write_all(
    folder: &Path,
    outputs: &[Output],
    pictures: &[(&'static str, Picture)],
) -> Outcome<Vec<PathBuf>> {
    let fail =
        |path: &Path, why: &dyn std::fmt::Display| Failure(format!("{}: {why}", path.display()));
    fs::create_dir_all(folder).map_err(|e| fail(folder, &e))?;
    let arrays = outputs.iter().map(|(name, _)| path(folder, name));
    let images = pictures.iter().map(|(name, _)| folder.join(format!("{name}.png")));
    let paths: Vec<PathBuf> = arrays.chain(images).collect();
    let drafts: Vec<PathBuf> = paths.iter().map(|p| draft(p)).collect();
    let write = |k: usize, at: &Path| -> Outcome<()> {
        let mut file = BufWriter::new(File::create_new(at).map_err(|e| fail(at, &e))?);
        match outputs.get(k) {
            Some((_, array)) => array.write(&mut file)?,
            None => pictures[k - outputs.len()].1.write(&mut file)?,
        }
        file.flush().map_err(|e| fail(at, &e))
    };
    // A failure half-way leaves no file behind: whole files are only renamed at the end.
    let result = drafts.iter().enumerate().try_for_each(|(k, at)| write(k, at)).and_then(|()| {
        let pairs = drafts.iter().zip(&paths);
        pairs.into_iter().try_for_each(|(from, to)| fs::rename(from, to).map_err(|e| fail(to, &e)))
    });
    drafts.iter().for_each(|at| drop(fs::remove_file(at)));
    result.map(|()| paths)
}

/// Where a file is written before it is whole: a name that nobody can foretell, so that nobody has
/// put a link there.
fn draft(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let number = RandomState::new().hash_one(std::process::id());
    path.with_file_name(format!(".{}.{number:016x}", name.unwrap_or_default()))
}
