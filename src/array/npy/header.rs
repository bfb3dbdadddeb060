//! The headers of NumPy's `.npy` files.

use crate::dtype::DType;
use crate::shape::{Shape, checked_len};
use std::fmt::Write;
use std::io::{self, Read};

/// The longest header that is read; NumPy's have some hundred bytes.
const LIMIT: usize = 1 << 16;
const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Headers are filled up so that the elements begin at a multiple of this.
const ALIGN: usize = 64;

/// What a `.npy` file says of its array, before any element is read; see
/// [`npy_header`](crate::npy_header).
///
/// NumPy: `lib.format.read_array_header_1_0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyHeader {
    descr: String,
    dtype: Option<DType>,
    /// Whether numbers are in the order of bytes that this machine does not have.
    pub(super) swapped: bool,
    fortran_order: bool,
    pub(super) shape: Shape,
    /// The bytes before the elements.
    pub(super) length: u64,
}

impl NpyHeader {
    /// The element type, or `None` where the file's is none of those that arrays have here: text,
    /// dates, records.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-dtype-{}.npy", std::process::id()));
    /// DeviceArray::<i32>::arange_to(3).write_npy(&path)?;
    /// match npy_header(&path)?.dtype() {
    ///     Some(DType::I32) => assert_eq!(DeviceArray::<i32>::read_npy(&path)?.to_vec()?, [0, 1, 2]),
    ///     other => panic!("{other:?}"),
    /// }
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn dtype(&self) -> Option<DType> {
        self.dtype
    }

    /// The lengths of the axes.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-shape-{}.npy", std::process::id()));
    /// DeviceArray::<f64>::zeros([2, 3]).write_npy(&path)?;
    /// assert_eq!(npy_header(&path)?.shape(), [2, 3]);
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Whether the elements are stored by columns, as Fortran has them.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-order-{}.npy", std::process::id()));
    /// DeviceArray::<f64>::zeros([2, 3]).t().write_npy(&path)?;
    /// assert!(!npy_header(&path)?.is_fortran_order());
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_fortran_order(&self) -> bool {
        self.fortran_order
    }

    /// The element type in NumPy's own words: `<f8`, or a list where the elements are records.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let path = std::env::temp_dir().join(format!("lazuli-descr-{}.npy", std::process::id()));
    /// DeviceArray::<u8>::zeros(3).write_npy(&path)?;
    /// assert_eq!(npy_header(&path)?.descr(), "|u1");
    /// # let _ = std::fs::remove_file(path);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn descr(&self) -> &str {
        &self.descr
    }

    /// The element type in words.
    pub(super) fn holds(&self) -> String {
        self.dtype.map_or_else(|| format!("{:?}", self.descr), |dtype| dtype.name().to_owned())
    }

    /// Reads the header at the beginning of a file.
    pub(super) fn read(from: &mut impl Read) -> io::Result<NpyHeader> {
        let mut start = [0; 12];
        fill(from, &mut start[..8])?;
        if start[..6] != *MAGIC {
            return Err(damaged("this is no .npy file"));
        }
        let version = start[6];
        let digits = match version {
            1 => 2,
            2 | 3 => 4,
            _ => return Err(damaged(&format!("version {version} of .npy files is unknown"))),
        };
        fill(from, &mut start[8..8 + digits])?;
        let len = u32::from_le_bytes([start[8], start[9], start[10], start[11]]) as usize;
        if len > LIMIT {
            return Err(damaged("the header is too long"));
        }
        let mut text = vec![0; len];
        fill(from, &mut text)?;
        // Versions 1 and 2 are in Latin-1; only names in records are not ASCII.
        let text = String::from_utf8_lossy(&text);
        let mut header = parse(&text).map_err(|why| damaged(&format!("the header: {why}")))?;
        header.length = (8 + digits + len) as u64;
        Ok(header)
    }

    /// The header of an array in C order.
    pub(super) fn bytes_of(dtype: DType, shape: &[usize]) -> Vec<u8> {
        let order = match (dtype.size(), cfg!(target_endian = "big")) {
            (1, _) => '|',
            (_, false) => '<',
            (_, true) => '>',
        };
        bytes_of(&format!("{order}{}", code(dtype)), shape)
    }

    /// The header of a single text of so many bytes.
    pub(super) fn bytes_of_text(length: usize) -> Vec<u8> {
        bytes_of(&format!("|S{length}"), &[])
    }
}

/// The header of elements that NumPy calls so.
fn bytes_of(descr: &str, shape: &[usize]) -> Vec<u8> {
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (");
    for (k, len) in shape.iter().enumerate() {
        let space = if k > 0 { " " } else { "" };
        let comma = if k == 0 || k + 1 < shape.len() { "," } else { "" };
        write!(text, "{space}{len}{comma}").expect("a string takes any text");
    }
    text.push_str("), }");
    let start = MAGIC.len() + 4;
    let spaces = (start + text.len() + 1).next_multiple_of(ALIGN) - start - text.len() - 1;
    text.extend(std::iter::repeat_n(' ', spaces));
    text.push('\n');
    // Arrays have few axes, so that the length fits.
    let len = (text.len() as u16).to_le_bytes();
    [&MAGIC[..], &[1, 0], &len, text.as_bytes()].concat()
}

/// NumPy's letter and size of an element type, which only `bfloat16` has not.
fn code(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "b1",
        DType::I8 => "i1",
        DType::I16 => "i2",
        DType::I32 => "i4",
        DType::I64 => "i8",
        DType::U8 => "u1",
        DType::U16 => "u2",
        DType::U32 => "u4",
        DType::U64 => "u8",
        DType::F16 => "f2",
        DType::F32 => "f4",
        DType::F64 => "f8",
        DType::C64 => "c8",
        DType::C128 => "c16",
        // `bfloat16` is bytes to NumPy.
        _ => "V2",
    }
}

/// An error that says what is wrong with a file.
pub(super) fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Reads as many bytes as there is room for.
pub(super) fn fill(from: &mut impl Read, into: &mut [u8]) -> io::Result<()> {
    from.read_exact(into).map_err(|e| match e.kind() {
        io::ErrorKind::UnexpectedEof => damaged("the file ends too early"),
        _ => e,
    })
}

/// What is left of a header's text.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn takes(&mut self, start: &str) -> bool {
        self.0 = self.0.trim_start();
        match self.0.strip_prefix(start) {
            Some(rest) => self.0 = rest,
            None => return false,
        }
        true
    }

    fn expect(&mut self, start: &str) -> Result<(), String> {
        if self.takes(start) { Ok(()) } else { Err(format!("`{start}` is missing")) }
    }

    fn split(&mut self, at: usize) -> &'a str {
        let (taken, rest) = self.0.split_at(at);
        self.0 = rest;
        taken
    }

    /// A text in quotes.
    fn text(&mut self) -> Result<&'a str, String> {
        let quote = if self.takes("'") { '\'' } else { '"' };
        if quote == '"' {
            self.expect("\"")?;
        }
        let end = self.0.find(quote).ok_or("a quote does not end")?;
        let text = self.split(end);
        self.0 = &self.0[1..];
        Ok(text)
    }

    /// A text in quotes, or anything else as it is written, up to the end of its brackets.
    fn description(&mut self) -> Result<&'a str, String> {
        self.0 = self.0.trim_start();
        if self.0.starts_with(['\'', '"']) {
            return self.text();
        }
        let (mut depth, mut quote) = (0usize, None);
        for (at, c) in self.0.char_indices() {
            match (quote, c) {
                (Some(open), _) => quote = quote.filter(|_| c != open),
                (None, '\'' | '"') => quote = Some(c),
                (None, '[' | '(' | '{') => depth += 1,
                (None, ',' | '}') if depth == 0 => return Ok(self.split(at).trim()),
                (None, ']' | ')' | '}') => {
                    depth = depth.checked_sub(1).ok_or("a bracket is lost")?
                }
                _ => (),
            }
        }
        Err("a bracket does not end".to_owned())
    }

    fn truth(&mut self) -> Result<bool, String> {
        match self.takes("True") {
            true => Ok(true),
            false => self.expect("False").map(|()| false),
        }
    }

    fn number(&mut self) -> Result<usize, String> {
        self.0 = self.0.trim_start();
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let digits = self.split(end);
        // Python 2 wrote long numbers so.
        self.takes("L");
        digits.parse().map_err(|_| format!("`{digits}` is no length of an axis"))
    }

    fn shape(&mut self) -> Result<Shape, String> {
        let mut shape = Shape::new();
        self.expect("(")?;
        while !self.takes(")") {
            shape.push(self.number()?);
            if !self.takes(",") {
                self.expect(")")?;
                // Without a comma the brackets are around a number, not a tuple.
                if shape.len() == 1 {
                    return Err("the shape is a number".to_owned());
                }
                break;
            }
        }
        checked_len("", &shape)
            .map_err(|_| format!("an array cannot have {} axes of these lengths", shape.len()))?;
        Ok(shape)
    }
}

fn parse(text: &str) -> Result<NpyHeader, String> {
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    let mut rest = Rest(text);
    rest.expect("{")?;
    while !rest.takes("}") {
        let key = rest.text()?;
        rest.expect(":")?;
        let again = match key {
            "descr" => descr.replace(rest.description()?).is_some(),
            "fortran_order" => fortran_order.replace(rest.truth()?).is_some(),
            "shape" => shape.replace(rest.shape()?).is_some(),
            _ => return Err(format!("`{}` is unknown", key.escape_debug())),
        };
        if again {
            return Err(format!("`{key}` is there twice"));
        }
        if !rest.takes(",") {
            rest.expect("}")?;
            break;
        }
    }
    if !rest.0.trim().is_empty() {
        return Err("something follows".to_owned());
    }
    let descr = descr.ok_or("`descr` is missing")?;
    let (dtype, swapped) = element_type(descr);
    Ok(NpyHeader {
        descr: descr.to_owned(),
        dtype,
        swapped,
        fortran_order: fortran_order.ok_or("`fortran_order` is missing")?,
        shape: shape.ok_or("`shape` is missing")?,
        length: 0,
    })
}

/// The element type of a description, and whether its bytes are in the other order.
fn element_type(descr: &str) -> (Option<DType>, bool) {
    let order = descr.chars().next().filter(|order| "<>=|".contains(*order));
    let Some(order) = order else { return (None, false) };
    let known = |dtype: &DType| *dtype != DType::BF16 && code(*dtype) == &descr[1..];
    let dtype = DType::ALL.into_iter().find(known);
    let other = if cfg!(target_endian = "big") { '<' } else { '>' };
    (dtype, order == other && dtype.is_some_and(|dtype| dtype.size() > 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_numpys() {
        for (shape, text) in
            [(&[][..], "()"), (&[3], "(3,)"), (&[3, 4], "(3, 4)"), (&[3, 0, 5], "(3, 0, 5)")]
        {
            let bytes = NpyHeader::bytes_of(DType::F64, shape);
            let (start, rest) = bytes.split_at(10);
            assert_eq!(start[..8], *b"\x93NUMPY\x01\x00");
            assert_eq!(usize::from(u16::from_le_bytes([start[8], start[9]])), rest.len());
            assert!(bytes.len() % 64 == 0 && rest.ends_with(b" \n"));
            let order = if cfg!(target_endian = "big") { '>' } else { '<' };
            let wanted =
                format!("{{'descr': '{order}f8', 'fortran_order': False, 'shape': {text}, }}");
            assert_eq!(String::from_utf8_lossy(rest).trim_end(), wanted);
            let header = NpyHeader::read(&mut &bytes[..]).unwrap();
            assert_eq!((header.shape(), header.dtype()), (shape, Some(DType::F64)));
            assert_eq!((header.swapped, header.length), (false, bytes.len() as u64));
        }
    }

    #[test]
    fn every_spelling_of_a_header_is_read() {
        let header = |text: &str| parse(text).unwrap();
        let one = header("{\"shape\": (3L, 4L), 'descr': '>i2', 'fortran_order': True}\n");
        assert_eq!((one.shape(), one.dtype()), (&[3, 4][..], Some(DType::I16)));
        assert!(one.swapped && one.is_fortran_order());
        let bytes = header("{'descr':'>u1','fortran_order':False,'shape':(  7 , )}  ");
        assert_eq!((bytes.swapped, bytes.shape()), (false, &[7][..]));
        for descr in ["'<M8[ns]'", "'|O'", "'<U7'", "'<f16'", "'?'", "''", "'é'", "'f8'"] {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (), }}");
            let header = header(&text);
            assert_eq!((header.dtype(), header.descr()), (None, descr.trim_matches('\'')));
        }
        let record = "[('a}', '<f8', (2, 3)), (\"b'\", '<i4')]";
        let text = format!("{{'descr': {record}, 'fortran_order': False, 'shape': (2,), }}");
        assert_eq!(header(&text).descr(), record);
    }

    #[test]
    fn what_is_no_header_is_an_error() {
        let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
        assert!(parse(good).is_ok());
        (0..good.len()).for_each(|n| assert!(parse(&good[..n]).is_err(), "{n}"));
        for (from, to) in [
            ("(3, 4)", "(-3, 4)"),
            ("(3, 4)", "(3)"),
            ("(3, 4)", "(3.5, 4)"),
            ("(3, 4)", "(4294967296, 4294967296)"),
            ("(3, 4)", "(0, 4294967296, 4294967296)"),
            ("(3, 4)", "(99999999999999999999, 4)"),
            ("(3, 4)", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
            ("False", "None"),
            ("'shape'", "'descr'"),
            ("'shape'", "'other'"),
            ("'<f8'", "])"),
            ("}", "}}"),
        ] {
            assert!(parse(&good.replace(from, to)).is_err(), "{to}");
        }
        for bytes in [&b""[..], b"\x93NUMPY\x01\0", b"\x93NUMPY\x07\0\x01\0{", b"NUMPY!\x01\0"] {
            assert!(NpyHeader::read(&mut &bytes[..]).is_err());
        }
    }
}
