//! The sources of the kernels, and what every launch of them needs.

use super::super::super::compile::CompileOptions;
use super::super::super::device::CudaDevice;
use super::super::super::driver::Doing;
use super::super::super::launch::{Function, LaunchShape};
use super::super::super::prelude::with_prelude;
use crate::backend::Buffer;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::library::sort::Encoding;
use cudarc::driver::result;
use std::sync::Arc;

/// A part of the kernels' source.
pub(super) mod part {
    pub(in super::super) const COMMON: &str = include_str!("common.cuh");
    pub(in super::super) const RADIX: &str = include_str!("radix.cuh");
    pub(in super::super) const COUNT: &str = include_str!("count.cuh");
    pub(in super::super) const PLAN: &str = include_str!("plan.cuh");
    pub(in super::super) const PASS: &str = include_str!("pass.cuh");
    pub(in super::super) const ROWS: &str = include_str!("rows.cuh");
    pub(in super::super) const TOP: &str = include_str!("top.cuh");
    pub(in super::super) const FIRST: &str = include_str!("first.cuh");
    pub(in super::super) const NONZERO: &str = include_str!("nonzero.cuh");
    pub(in super::super) const CHECK: &str = include_str!("check.cuh");
    pub(in super::super) const SCATTER: &str = include_str!("scatter.cuh");
    pub(in super::super) const ATOMIC: &str = include_str!("atomic.cuh");
}

/// What a sort gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// The keys.
    Keys,
    /// The positions, as `i64`.
    Positions,
    /// The keys, and the positions as `u32`.
    Both,
}

/// The definitions that the parts of sorting begin with.
pub(super) fn sort_definitions(key: usize, gives: Gives, status: usize) -> String {
    format!(
        "#define LZ_SORT_KEY {}\n#define LZ_SORT_INDEX {}\n#define LZ_SORT_STATUS {}\n",
        word(key),
        gives as u32,
        word(status)
    )
}

/// The unsigned integer of so many bytes.
pub(super) fn word(bytes: usize) -> &'static str {
    match bytes {
        1 => "lz_u8",
        2 => "lz_u16",
        4 => "lz_u32",
        _ => "lz_u64",
    }
}

/// A whole translation unit.
pub(super) fn source(definitions: &str, parts: &[&str]) -> String {
    with_prelude(&format!("{definitions}\n{}", parts.join("\n")))
}

/// The function `entry` of such a unit.
pub(super) fn function(
    device: &'static CudaDevice,
    definitions: &str,
    parts: &[&str],
    entry: &str,
) -> Result<Arc<Function>> {
    let options = CompileOptions::default();
    Ok(device.function(&source(definitions, parts), entry, &options)?.0)
}

/// The bytes of a kernel's argument, a structure of 64-bit words.
pub(super) fn words(words: &[u64], encoding: Option<&Encoding>) -> Vec<u8> {
    let encoding = encoding
        .map(|e| [e.negative, e.positive, e.infinity, e.minus_zero, e.invert, e.nan, e.quiet]);
    words.iter().chain(encoding.iter().flatten()).flat_map(|word| word.to_le_bytes()).collect()
}

/// Launches a kernel over a grid of blocks.
///
/// # Safety
/// As [`Function::launch`].
pub(super) unsafe fn launch(
    function: &Function,
    grid: [usize; 2],
    threads: usize,
    shared: usize,
    argument: &[u8],
) -> Result<()> {
    let blocks = |n: usize| {
        u32::try_from(n).map_err(|_| Error::unsupported(format!("{n} blocks are too many")))
    };
    let shape = LaunchShape {
        grid: [blocks(grid[0])?, blocks(grid[1])?, 1],
        block: [threads as u32, 1, 1],
        shared: shared as u32,
    };
    // SAFETY: the caller vouches for it.
    unsafe { function.launch(&shape, argument) }
}

/// The blocks of 256 threads for a loop over so many elements.
pub(super) fn blocks_for(device: &CudaDevice, elements: usize) -> usize {
    let most = device.info().multiprocessors.max(1) as usize * 16;
    elements.div_ceil(256).clamp(1, most)
}

/// A new buffer of zeros, or of another byte.
pub(super) fn filled(device: &'static CudaDevice, bytes: usize, byte: u8) -> Result<Buffer> {
    let buffer = device.allocate(bytes)?;
    device.fill(&buffer, byte)?;
    Ok(buffer)
}

/// Copies the beginning of a buffer to another, in stream order.
pub(super) fn copy(device: &CudaDevice, from: &Buffer, to: &Buffer, bytes: usize) -> Result<()> {
    assert!(bytes <= from.bytes() && bytes <= to.bytes(), "a copy stays inside its buffers");
    device.bind()?;
    // SAFETY: both are live buffers of this device, and long enough.
    let copied = unsafe {
        result::memcpy_dtod_async(to.address(), from.address(), bytes, device.raw_stream())
    };
    copied.doing("copy a buffer")
}

/// Where the first index out of range stands, once all work before is done. Waits for it.
pub(super) fn first_bad(device: &'static CudaDevice, bad: &Buffer) -> Result<Option<usize>> {
    let mut at = [0; 8];
    device.copy_to_host(bad, 0, &mut at)?;
    Ok(Some(u64::from_le_bytes(at)).filter(|&at| at != u64::MAX).map(|at| at as usize))
}

/// One index of an array of them.
pub(super) fn index_at(device: &'static CudaDevice, indices: &Buffer, at: usize) -> Result<i64> {
    let mut index = [0; 8];
    device.copy_to_host(indices, 8 * at, &mut index)?;
    Ok(i64::from_le_bytes(index))
}

/// The C++ name of an element type, where `bool` is a byte of 0 or 1.
pub(super) fn element(dtype: DType) -> &'static str {
    crate::function::cpp::type_name(dtype)
}
