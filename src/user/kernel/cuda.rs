//! Kernels on a GPU: the C++ around a kernel's body, its compiled forms, the bytes of a launch's
//! arguments, and the records of bounds checks.
//!
//! Offsets have 32 bits where all fit. `launch` checks every index, `launch_unchecked`, which is
//! unsafe, none. The first bad index is noted in the device's record (`backend/faults.rs`), which
//! the host reads when it next waits. A GPU's `bool`s may be any byte where a kernel read shared
//! memory that nobody had written: the host makes them 0 or 1 when it takes them.

use super::dims::Dim3;
use super::options::{Checks, KernelInfo, Sizes};
use super::param::{Bound, Value};
use crate::backend::trace::{self, Line, What, Work};
use crate::backend::{Device, RawArg, RawFunctions, RawShape, RawSource, Touched, faults};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::function::cpp::type_name;
use crate::user::code::Describe;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// Everything that the compiled code depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    /// What the macro knows of the kernel: as good as a name.
    info: usize,
    /// The function that describes the kernel for its types.
    describe: usize,
    /// The types and ranks of its parameters: functions that differ in types alone may be one.
    params: SmallVec<[(DType, u8); 8]>,
    device: Device,
    class: Class,
}

/// The forms in which one kernel is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Class {
    /// Whether offsets and places in the grid take 64 bits.
    wide: bool,
    /// Whether indices are checked.
    checked: bool,
}

type Cache = RwLock<FxHashMap<Key, Arc<dyn RawFunctions>>>;
static LOADED: LazyLock<Cache> = LazyLock::new(Cache::default);

/// Launches a kernel on the current queue.
///
/// # Safety
/// Where the launch is without checks, every index of every thread is inside its array.
pub(super) unsafe fn launch(
    device: Device,
    sizes: &Sizes,
    bound: &Bound,
    (describe, line): (fn(&mut Describe), Line),
) -> Result<()> {
    let class = Class::of(sizes, bound);
    let functions = {
        let what = || What::named("user's kernel, compiled or found");
        let _span = trace::span(Work::Compile, device, what);
        functions(device, bound, class, describe)?
    };
    let record = if class.checked { faults::record(device, explain)? } else { 0 };
    let argument = argument(sizes, bound, class, record);
    let numbers = |d: Dim3| [d.x as u32, d.y as u32, d.z as u32];
    let shape = RawShape {
        grid: numbers(sizes.grid),
        block: numbers(sizes.block),
        shared: sizes.options.shared as u32,
    };
    let (read, written) = (bound.buffers(false), bound.buffers(true));
    let touched = Touched { read: &read, written: &written };
    let _span = trace::user_kernel(device, bound.info.name, line);
    // SAFETY: the argument has the layout of the structure in the source, which was made from the
    // same parameters; `bind` saw to it that nobody else sees what is written. The checked form
    // stays inside the arrays and the record; for the other form the caller vouches.
    unsafe { functions.launch(&entry(bound), &shape, &[RawArg::Bytes(&argument)], touched) }
}

/// The kernels that were launched with checks, so that a record can name one by its number.
static KERNELS: RwLock<Vec<&'static KernelInfo>> = RwLock::new(Vec::new());

/// The number of a kernel.
fn number(info: &'static KernelInfo) -> u32 {
    let find = |all: &[&KernelInfo]| all.iter().position(|known| std::ptr::eq(*known, info));
    if let Some(k) = find(&KERNELS.read()) {
        return k as u32;
    }
    let mut kernels = KERNELS.write();
    let k = find(&kernels).unwrap_or_else(|| {
        kernels.push(info);
        kernels.len() - 1
    });
    k as u32
}

/// The compiled code: made at the first launch of each form.
fn functions(
    device: Device,
    bound: &Bound,
    class: Class,
    describe: fn(&mut Describe),
) -> Result<Arc<dyn RawFunctions>> {
    let param = |value: &Value| match value {
        Value::Scalar(scalar) => (scalar.dtype(), u8::MAX),
        Value::Array { dtype, shape, .. } => (*dtype, shape.len() as u8),
    };
    let key = Key {
        info: std::ptr::from_ref(bound.info) as usize,
        describe: describe as usize,
        params: bound.values.iter().map(param).collect(),
        device,
        class,
    };
    if let Some(functions) = LOADED.read().get(&key) {
        return Ok(functions.clone());
    }
    let code = source(bound, class, describe);
    let source = RawSource::Cuda { code, options: Vec::new(), prelude: true };
    let functions = device.backend().load(&source)?;
    Ok(LOADED.write().entry(key).or_insert(functions).clone())
}

impl Class {
    pub(super) fn of(sizes: &Sizes, bound: &Bound) -> Class {
        let wide = |value: &Value| match value {
            Value::Array { shape, .. } => {
                // An empty array may have a long axis.
                let longest = shape.iter().copied().max().unwrap_or(1);
                crate::shape::len(shape).max(longest) > i32::MAX as usize
            }
            Value::Scalar(_) => false,
        };
        let (grid, block) = (sizes.grid, sizes.block);
        let threads = [(grid.x, block.x), (grid.y, block.y), (grid.z, block.z)];
        let vast = threads.iter().any(|(g, b)| g.saturating_mul(*b) > u32::MAX as usize);
        let wide = vast || bound.values.iter().any(wide);
        Class { wide, checked: sizes.checks == Checks::On }
    }

    fn index(self) -> &'static str {
        if self.wide { "lz_i64" } else { "lz_i32" }
    }
}

/// The name of the kernel in C++.
pub(super) fn entry(bound: &Bound) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("lz_kernel_{}", bound.info.name.chars().map(plain).collect::<String>())
}

/// The translation unit, without the prelude.
pub(super) fn source(bound: &Bound, class: Class, describe: fn(&mut Describe)) -> String {
    let mut lz = Describe::default();
    describe(&mut lz);
    let (body, definitions, _) = lz.finish();
    let mut code = String::new();
    if class.checked {
        code += "#define LZ_CHECKED\n";
    }
    if !class.wide {
        code += "#define LZ_NARROW\n";
    }
    for (_, definition) in &definitions {
        code += "\n";
        code += definition;
    }
    code += "\nstruct lz_arguments {\n    lz_faults* faults;\n    lz_u32 dynamic, kernel;\n";
    for (k, value) in bound.values.iter().enumerate() {
        let _ = writeln!(code, "    {} p{k};", parameter(value, class));
    }
    let name = entry(bound);
    let _ = write!(
        code,
        "}};\n\nextern \"C\" __global__ void {name}(const __grid_constant__ lz_arguments lz) {{\n    \
         lz_faults* const lz_faults_of_kernel = lz.faults;\n    \
         const lz_u64 lz_number_of_kernel = lz_u64(lz.kernel) << 32;\n{body}}}\n"
    );
    code
}

/// The C++ type of a parameter.
fn parameter(value: &Value, class: Class) -> String {
    match value {
        Value::Scalar(scalar) => type_name(scalar.dtype()).into(),
        Value::Array { shape, dtype, written, .. } => {
            let kind = if *written { "lz_view_mut" } else { "lz_view" };
            format!("{kind}<{}, {}, {}>", type_name(*dtype), shape.len(), class.index())
        }
    }
}

/// The bytes of `lz_arguments`.
pub(super) fn argument(
    sizes: &Sizes,
    bound: &Bound,
    class: Class,
    faults: u64,
) -> SmallVec<[u8; 256]> {
    let mut bytes = Bytes(SmallVec::new(), 8);
    bytes.push(&faults.to_le_bytes(), 8);
    bytes.push(&(sizes.options.shared as u32).to_le_bytes(), 4);
    let kernel = if class.checked { number(bound.info) } else { 0 };
    bytes.push(&kernel.to_le_bytes(), 4);
    for (k, value) in bound.values.iter().enumerate() {
        match value {
            Value::Scalar(scalar) => bytes.push(scalar.bytes(), align(scalar.dtype())),
            Value::Array { data, shape, .. } => {
                bytes.align(8);
                if class.checked {
                    bytes.push(&faults.to_le_bytes(), 8);
                    bytes.push(&(u64::from(kernel) << 32 | k as u64).to_le_bytes(), 8);
                }
                bytes.push(&data.address().to_le_bytes(), 8);
                // An array without axes has room for one length.
                for &length in shape.iter().chain(shape.is_empty().then_some(&1)) {
                    match class.wide {
                        true => bytes.push(&(length as u64).to_le_bytes(), 8),
                        false => bytes.push(&(length as u32).to_le_bytes(), 4),
                    }
                }
                bytes.align(8);
            }
        }
    }
    bytes.finish()
}

/// The alignment of an element type in C++: its size.
fn align(dtype: DType) -> usize {
    dtype.size()
}

/// The bytes of a structure, and its alignment so far.
struct Bytes(SmallVec<[u8; 256]>, usize);

impl Bytes {
    fn align(&mut self, to: usize) {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
        self.1 = self.1.max(to);
    }

    fn push(&mut self, bytes: &[u8], align: usize) {
        self.align(align);
        self.0.extend_from_slice(bytes);
    }

    fn finish(mut self) -> SmallVec<[u8; 256]> {
        self.align(self.1);
        self.0
    }
}

/// What a complete record, whose layout is that of `lz_faults`, says as an error.
pub(super) fn explain(words: &[u32; faults::WORDS]) -> Error {
    let three =
        |k: usize| Dim3::new(words[k] as usize, words[k + 1] as usize, words[k + 2] as usize);
    let long = |k: usize| u64::from(words[k]) | u64::from(words[k + 1]) << 32;
    let (array, thread, block) = (words[1] as usize, three(2), three(5));
    let axes = (words[33] as usize).min(6);
    let place: Vec<String> = (0..axes).map(|k| (long(8 + 2 * k) as i64).to_string()).collect();
    let shape: Vec<u64> = (0..axes).map(|k| long(20 + 2 * k)).collect();
    let info = KERNELS.read()[words[32] as usize];
    let (kernel, name) = (info.name, info.params.get(array).unwrap_or(&"shared"));
    let place = place.join(", ");
    Error::shape(format!(
        "{kernel}: {name}[({place})] is out of range of shape {shape:?}, in thread {thread} of block \
         {block}"
    ))
}
