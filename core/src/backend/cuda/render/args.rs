//! The one argument of a rendered kernel: a structure with everything that is not structure.
//!
//! The text of the structure depends only on the kernel's classes; the numbers of this launch
//! (extents, strides, divisors) are filled into a template of its bytes, so that a launch
//! patches pointers and scalars and nothing else.

use super::names::type_name;
use crate::dtype::{DType, Scalar};
use crate::kernel::Kernel;
use std::fmt::Write;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Input(u32),
    Output(u32),
    Scratch,
    Counters,
    Scalar(u32),
    Number(i64),
    Divisor(u64),
    Turns,
}

struct Field {
    name: String,
    spelled: String,
    bytes: usize,
    align: usize,
    content: Content,
}

/// The fields that a kernel asked for while it was rendered.
pub(super) struct Args {
    wide: bool,
    fields: Vec<Field>,
    strides: Vec<i64>,
    divisors: Vec<i64>,
}

/// The bytes of an argument structure, and where a launch writes into them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// The structure with every number in place.
    pub bytes: Vec<u8>,
    /// Offsets of the inputs' addresses, by input; inputs that are not read have none.
    pub inputs: Vec<Option<u32>>,
    /// Offsets of the outputs' addresses.
    pub outputs: Vec<Option<u32>>,
    /// Offsets of the scalars.
    pub scalars: Vec<Option<u32>>,
    /// Offset of the address of the scratch memory.
    pub scratch: Option<u32>,
    /// Offset of the address of the counters.
    pub counters: Option<u32>,
    /// Offset of the number of turns, an `int`.
    pub turns: Option<u32>,
    /// Offset of the address of the byte that skips the kernel where it is 0; it runs where there is none.
    pub goes_on: Option<u32>,
}

impl Args {
    pub(super) fn new(wide: bool) -> Self {
        Args { wide, fields: Vec::new(), strides: Vec::new(), divisors: Vec::new() }
    }

    /// The C++ expression of an input's address.
    pub(super) fn input(&mut self, kernel: &Kernel, k: u32) -> String {
        let stored = type_name(kernel.inputs[k as usize].dtype);
        self.pointer(format!("in{k}"), format!("const {stored}*"), Content::Input(k))
    }

    /// The C++ expression of an output's address.
    pub(super) fn output(&mut self, kernel: &Kernel, k: u32) -> String {
        let stored = type_name(kernel.outputs[k as usize].dtype);
        self.pointer(format!("out{k}"), format!("{stored}*"), Content::Output(k))
    }

    /// The address of memory for partial results.
    pub(super) fn scratch(&mut self) -> String {
        self.pointer("scratch".into(), "unsigned char*".into(), Content::Scratch)
    }

    /// The address of the counters of arrived blocks.
    pub(super) fn counters(&mut self) -> String {
        self.pointer("counters".into(), "unsigned int*".into(), Content::Counters)
    }

    /// The number of turns that a launch takes.
    pub(super) fn turns(&mut self) -> String {
        self.field("turns".into(), "int turns".into(), 4, 4, Content::Turns)
    }

    /// A scalar argument.
    pub(super) fn scalar(&mut self, dtype: DType, k: u32) -> String {
        let bytes = dtype.size();
        let name = format!("s{k}");
        let spelled = format!("{} {name}", type_name(dtype));
        self.field(name, spelled, bytes, bytes, Content::Scalar(k))
    }

    /// A stride that is not 0 or 1; equal ones share a field.
    pub(super) fn stride(&mut self, value: i64) -> String {
        let at = self.strides.iter().position(|&s| s == value).unwrap_or_else(|| {
            self.strides.push(value);
            self.strides.len() - 1
        });
        self.number(format!("c{at}"), value)
    }

    /// The constant part of the index of a value or a store.
    pub(super) fn offset(&mut self, of: &str, value: i64) -> String {
        self.number(format!("o{of}"), value)
    }

    /// A bound of the clamp or the range that a value is.
    pub(super) fn bound(&mut self, which: &str, of: &str, value: i64) -> String {
        match (value, self.wide) {
            (0, false) => "0".into(),
            (0, true) => "0LL".into(),
            _ => self.number(format!("{which}{of}"), value),
        }
    }

    /// A named number: an extent or a count.
    pub(super) fn number(&mut self, name: String, value: i64) -> String {
        let (word, bytes) = self.word();
        let spelled = format!("{word} {name}");
        self.field(name, spelled, bytes, bytes, Content::Number(value))
    }

    /// The divisor of an index; equal ones share a field.
    pub(super) fn divisor(&mut self, value: i64) -> String {
        let at = self.divisors.iter().position(|&d| d == value).unwrap_or_else(|| {
            self.divisors.push(value);
            self.divisors.len() - 1
        });
        self.named_divisor(format!("d{at}"), value)
    }

    /// A named divisor; 32-bit ones bring their multiplier.
    pub(super) fn named_divisor(&mut self, name: String, value: i64) -> String {
        let (spelled, bytes, align) = if self.wide {
            (format!("unsigned long long {name}"), 8, 8)
        } else {
            (format!("lz_divisor {name}"), 12, 4)
        };
        self.field(name, spelled, bytes, align, Content::Divisor(value as u64))
    }

    /// The integer type of indices, and its size.
    fn word(&self) -> (&'static str, usize) {
        if self.wide { ("long long", 8) } else { ("int", 4) }
    }

    fn pointer(&mut self, name: String, spelled: String, content: Content) -> String {
        let spelled = format!("{spelled} {name}");
        self.field(name, spelled, 8, 8, content)
    }

    fn field(
        &mut self,
        name: String,
        spelled: String,
        bytes: usize,
        align: usize,
        content: Content,
    ) -> String {
        let expression = format!("a.{name}");
        if !self.fields.iter().any(|f| f.name == name) {
            self.fields.push(Field { name, spelled, bytes, align, content });
        }
        expression
    }

    /// The structure's text and its bytes.
    pub(super) fn finish(mut self, kernel: &Kernel) -> (String, Template) {
        self.fields.sort_by_key(|f| std::cmp::Reverse(f.align));
        let mut template = Template {
            inputs: vec![None; kernel.inputs.len()],
            outputs: vec![None; kernel.outputs.len()],
            scalars: vec![None; kernel.scalars.len()],
            ..Template::default()
        };
        let mut text = String::from("struct Arguments {\n");
        for field in &self.fields {
            let _ = writeln!(text, "    {};", field.spelled);
            let at = template.bytes.len() as u32;
            match field.content {
                Content::Input(k) => template.inputs[k as usize] = Some(at),
                Content::Output(k) => template.outputs[k as usize] = Some(at),
                Content::Scalar(k) => template.scalars[k as usize] = Some(at),
                Content::Scratch => template.scratch = Some(at),
                Content::Counters => template.counters = Some(at),
                Content::Turns => template.turns = Some(at),
                Content::Number(_) | Content::Divisor(_) => {}
            }
            template.bytes.extend(bytes_of(field));
        }
        // An empty structure is not what a launch passes.
        if self.fields.is_empty() {
            text.push_str("    long long nothing;\n");
            template.bytes.extend([0; 8]);
        }
        let align = self.fields.iter().map(|f| f.align).max().unwrap_or(8);
        let whole = template.bytes.len().next_multiple_of(align);
        template.bytes.resize(whole, 0);
        text.push_str("};\n");
        (text, template)
    }
}

fn bytes_of(field: &Field) -> Vec<u8> {
    match field.content {
        Content::Number(v) => v.to_le_bytes()[..field.bytes].to_vec(),
        Content::Divisor(d) if field.bytes == 8 => d.to_le_bytes().to_vec(),
        Content::Divisor(d) => divisor_bytes(d as u32),
        _ => vec![0; field.bytes],
    }
}

/// A divisor with a multiplier and a shift that divide every `n < 2^31` by a high product.
fn divisor_bytes(d: u32) -> Vec<u8> {
    let shift = if d <= 1 { 0 } else { 32 - (d - 1).leading_zeros() };
    let multiplier = if d <= 1 { 0 } else { (1u64 << (31 + shift)).div_ceil(u64::from(d)) };
    let parts = [d, multiplier as u32, shift.saturating_sub(1)];
    parts.iter().flat_map(|p| p.to_le_bytes()).collect()
}

impl Template {
    /// Writes a scalar.
    pub fn write_scalar(bytes: &mut [u8], at: u32, scalar: &Scalar) {
        let value = scalar.bytes();
        bytes[at as usize..at as usize + value.len()].copy_from_slice(value);
    }

    /// Writes the number of turns.
    pub fn write_turns(&self, bytes: &mut [u8], turns: u64) {
        if let Some(at) = self.turns {
            bytes[at as usize..at as usize + 4].copy_from_slice(&(turns as u32).to_le_bytes());
        }
    }

    /// Writes an address.
    pub fn write_address(bytes: &mut [u8], at: Option<u32>, address: u64) {
        if let Some(at) = at {
            bytes[at as usize..at as usize + 8].copy_from_slice(&address.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::divisor_bytes;

    #[test]
    fn every_divisor_divides_by_its_multiplier() {
        let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        for d in (1..2000).chain([65_535, 65_536, 1_000_003, i32::MAX as u32]) {
            let b = divisor_bytes(d);
            let (m, s) = (u64::from(word(&b[4..])), word(&b[8..]));
            for n in [0, 1, d - 1, d, d + 1, 7 * (d % 1000), 123_456_789, i32::MAX as u32] {
                let n = n & (i32::MAX as u32);
                let q = if d == 1 { n } else { ((m * u64::from(n)) >> 32 >> s) as u32 };
                assert_eq!(q, n / d, "{n} / {d}");
            }
        }
    }
}
