//! Tables of numbers in text files.

use super::file_operation::FileOperation;
use super::{DeviceArray, located, to_device};
use crate::dtype::{DType, Real, Scalar, bf16, f16, with_dtype};
use crate::error::{Error, Result};
use crate::files::Draft;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

/// What stands between the numbers of a line; no character stands for any white space.
type Delimiter = Option<char>;

/// Reads a number of a type; none where the text is none, or the type does not hold it.
fn parsed(dtype: DType, text: &str) -> Option<Scalar> {
    macro_rules! number {
        ($($d:ident $t:ty),*) => {
            match dtype {
                $(DType::$d => text.parse::<$t>().ok().map(Scalar::new),)*
                DType::F16 | DType::BF16 => {
                    text.parse::<f64>().ok().map(|value| Scalar::from_f64(dtype, value))
                }
                _ => None,
            }
        };
    }
    number! {
        I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64
    }
}

/// Writes a number with as few digits as tell it from all others of its type.
fn write_number(out: &mut impl Write, value: Scalar) -> io::Result<()> {
    let float = |x: f64| format!("{x:e}");
    let text = match value.dtype() {
        DType::F16 => value.get().map(|x: f16| float(f64::from(x.to_f32()))),
        DType::BF16 => value.get().map(|x: bf16| float(f64::from(x.to_f32()))),
        DType::F32 => value.get().map(|x: f32| format!("{x:e}")),
        DType::F64 => value.get().map(float),
        dtype => with_dtype!(dtype, T => value.get::<T>().map(|x| format!("{x:?}"))),
    };
    out.write_all(text.unwrap_or_default().as_bytes())
}

/// Writes the lines of a table.
fn write_lines<T: Real>(
    file: &mut File,
    values: &[T],
    columns: usize,
    delimiter: &str,
) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    for line in values.chunks(columns.max(1)) {
        for (k, &value) in line.iter().enumerate() {
            if k > 0 {
                out.write_all(delimiter.as_bytes())?;
            }
            write_number(&mut out, Scalar::new(value))?;
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// What is wrong with a line.
fn wrong(number: usize, why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {why}", number + 1))
}

/// The numbers of a file and how many stand on each line.
fn read_lines<T: Real>(from: impl BufRead, delimiter: Delimiter) -> io::Result<(Vec<T>, usize)> {
    let (mut values, mut columns) = (Vec::new(), None);
    for (number, line) in from.lines().enumerate() {
        let line = line?;
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let before = values.len();
        let mut push = |field: &str| {
            let field = field.trim();
            let value = parsed(T::DTYPE, field).and_then(|value| value.get::<T>());
            let why = || wrong(number, format!("`{field}` is no {}", T::DTYPE));
            values.push(value.ok_or_else(why)?);
            Ok::<(), io::Error>(())
        };
        match delimiter {
            Some(delimiter) => line.split(delimiter).try_for_each(&mut push)?,
            None => line.split_whitespace().try_for_each(&mut push)?,
        }
        let count = values.len() - before;
        let first = *columns.get_or_insert(count);
        if count != first {
            return Err(wrong(number, format!("{count} numbers, where lines before have {first}")));
        }
    }
    Ok((values, columns.unwrap_or(0)))
}

impl<T: Real> DeviceArray<T> {
    /// Computes the array and writes it to a text file, a row on each line; the numbers have as few
    /// digits as tell them from all others of their type. The file is replaced whole, as
    /// [`write_npy`](Self::write_npy) does it.
    ///
    /// **Shape.** One axis, a number on each line, or two. **Laziness.** Evaluates and waits. NumPy:
    /// `savetxt`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the array has no axes or more than two,
    /// [`Error::is_io`](crate::Error::is_io) where the file cannot be written, and as
    /// [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-{}.csv", std::process::id()));
    /// DeviceArray::from_vec([2, 2], vec![1.5, 2.0, -3.0, 1e100])?.write_txt(&path, ",")?;
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "1.5e0,2e0\n-3e0,1e100\n");
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "savetxt")]
    #[track_caller]
    pub fn write_txt(&self, path: impl AsRef<Path>, delimiter: &str) -> Result<()> {
        let place = FileOperation { operation: "write_txt", path: path.as_ref(), member: None };
        let columns = match *self.shape() {
            [_] => 1,
            [_, columns] => columns,
            ref shape => {
                let why = format!("write_txt: an array of shape {shape:?} is no table");
                return located(Err(Error::shape(why)));
            }
        };
        let host = located(self.to_vec().map_err(|error| error.in_operation("write_txt")))?;
        let write = || {
            let mut draft = Draft::of(place.path)?;
            write_lines(draft.file(), &host, columns, delimiter)?;
            draft.finish(true)
        };
        located(write().map_err(|why| place.io(why)))
    }

    /// Reads a table of numbers from a text file onto the current device: a row a line, with a
    /// delimiter between numbers, or any white space for none. What follows `#` on a line is not
    /// read, nor are empty lines.
    ///
    /// **Shape.** `[rows, columns]`; `[0, 0]` for no numbers. **Dtype.** `T`: a number that it does
    /// not hold is an error, but floats are rounded. **Laziness.** Reads and uploads now. NumPy:
    /// `loadtxt(…, ndmin=2)`.
    ///
    /// # Errors
    /// [`Error::is_io`](crate::Error::is_io) where the file cannot be read, a field is no number of
    /// the type, or lines have different numbers of them; the message names the line.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-read-{}.csv", std::process::id()));
    /// std::fs::write(&path, "# x, y\n1, 2\n\n3, -4 # last\n").unwrap();
    /// let a = DeviceArray::<i32>::read_txt(&path, Some(','))?;
    /// assert_eq!((a.shape(), a.to_vec()?), (&[2, 2][..], vec![1, 2, 3, -4]));
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "loadtxt")]
    #[doc(alias = "genfromtxt")]
    #[track_caller]
    pub fn read_txt(path: impl AsRef<Path>, delimiter: Option<char>) -> Result<Self> {
        let place = FileOperation { operation: "read_txt", path: path.as_ref(), member: None };
        let table = File::open(place.path)
            .and_then(|file| read_lines::<T>(BufReader::new(file), delimiter))
            .map_err(|why| place.io(why));
        let (values, columns) = located(table)?;
        let rows = values.len().checked_div(columns).unwrap_or(0);
        let line = located(to_device(&ndarray::Array1::from_vec(values)))?;
        located(line.try_reshape([rows, columns]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of this process that is removed in the end.
    struct Scratch(std::path::PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            Scratch(std::env::temp_dir().join(format!("lazuli-txt-{name}-{}", std::process::id())))
        }

        fn text(&self, text: &str) -> &Path {
            std::fs::write(&self.0, text).unwrap();
            &self.0
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn numbers_come_back_as_they_were() {
        let scratch = Scratch::new("back");
        let values = [0.1, -0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::INFINITY, f64::NAN, 3.0];
        let a = DeviceArray::from_vec([2, 4], values.to_vec()).unwrap();
        a.t().write_txt(&scratch.0, " ").unwrap();
        let back = DeviceArray::<f64>::read_txt(&scratch.0, None).unwrap();
        assert_eq!(back.shape(), [4, 2]);
        let bits = |v: &f64| if v.is_nan() { u64::MAX } else { v.to_bits() };
        let back: Vec<u64> = back.t().to_vec().unwrap().iter().map(bits).collect();
        assert_eq!(back, values.iter().map(bits).collect::<Vec<_>>());
        let whole = DeviceArray::from_slice(&[u64::MAX, 0]).unwrap();
        whole.write_txt(&scratch.0, ",").unwrap();
        let back = DeviceArray::<u64>::read_txt(&scratch.0, Some(',')).unwrap();
        assert_eq!((back.shape(), back.to_vec().unwrap()), (&[2, 1][..], vec![u64::MAX, 0]));
        let half = DeviceArray::from_slice(&[f16::from_f32(0.1), f16::MAX]).unwrap();
        half.write_txt(&scratch.0, ";").unwrap();
        let back = DeviceArray::<f16>::read_txt(&scratch.0, Some(';')).unwrap();
        assert_eq!(back.to_vec().unwrap(), half.to_vec().unwrap());
        DeviceArray::<f32>::zeros([0, 3]).write_txt(&scratch.0, ",").unwrap();
        assert_eq!(DeviceArray::<f32>::read_txt(&scratch.0, None).unwrap().shape(), [0, 0]);
    }

    #[test]
    fn what_is_no_table_is_an_error() {
        let scratch = Scratch::new("bad");
        let error = |text: &str| {
            let error = DeviceArray::<i8>::read_txt(scratch.text(text), None).unwrap_err();
            assert!(error.is_io(), "{error}");
            error.to_string()
        };
        assert!(error("1 2\n3\n").contains("line 2: 1 numbers, where lines before have 2"));
        assert!(error("\n1 x\n").contains("line 2: `x` is no int8"));
        assert!(error("1 200\n").contains("`200` is no int8"));
        assert!(error("1.0\n").contains("`1.0` is no int8"));
        let missing = DeviceArray::<f64>::read_txt(scratch.0.join("nowhere"), None).unwrap_err();
        assert!(missing.is_io());
        let cube = DeviceArray::<f64>::zeros([2, 2, 2]);
        assert!(cube.write_txt(&scratch.0, ",").unwrap_err().is_shape());
        std::fs::write(&scratch.0, [0xff, b'1']).unwrap();
        assert!(DeviceArray::<f64>::read_txt(&scratch.0, None).unwrap_err().is_io());
    }
}
