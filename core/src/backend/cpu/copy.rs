//! Loads into tiles and stores out of them: strided, gathered and scattered, with the
//! conversion of halves. Also tiles filled with one element.

use crate::dtype::DType;
use lazuli_inner_loops::level::{Level, levels};
use lazuli_inner_loops::operations::{Arg, LANES};

/// How an element lies in memory and in a tile.
pub trait Format: 'static {
    /// In memory.
    type Mem: Copy;
    /// In a tile.
    type Reg: Copy;
    /// Whether the two are the same bytes.
    const SAME: bool;
    /// From memory to a tile.
    fn load(value: Self::Mem) -> Self::Reg;
    /// From a tile to memory.
    fn store(value: Self::Reg) -> Self::Mem;
}

macro_rules! plain {
    ($($name:ident $t:ty;)*) => {$(
        /// Elements of one size, moved as bytes.
        pub struct $name;
        impl Format for $name {
            type Mem = $t;
            type Reg = $t;
            const SAME: bool = true;
            #[inline(always)]
            fn load(value: $t) -> $t { value }
            #[inline(always)]
            fn store(value: $t) -> $t { value }
        }
    )*};
}
plain! { Bytes1 u8; Bytes2 u16; Bytes4 u32; Bytes8 u64; Bytes16 [u64; 2]; }

/// `f16` in memory, `f32` in tiles.
pub struct Half;
/// `bf16` in memory, `f32` in tiles.
pub struct Brain;

impl Format for Half {
    type Mem = u16;
    type Reg = f32;
    const SAME: bool = false;
    #[inline(always)]
    fn load(value: u16) -> f32 {
        let (value, sign) = ((value & 0x7fff) as u32, ((value & 0x8000) as u32) << 16);
        // The exponent's bias grows by 112: an exact product, for subnormal numbers too.
        let scaled = (f32::from_bits(value << 13) * f32::from_bits(0x7780_0000)).to_bits();
        let special = (value << 13) | 0x7f80_0000;
        f32::from_bits(sign | if value >= 0x7c00 { special } else { scaled })
    }
    #[inline(always)]
    fn store(value: f32) -> u16 {
        // The tile was rounded already: what is cut off here is zero.
        let bits = value.to_bits();
        let (size, sign) = (bits & 0x7fff_ffff, (bits >> 16) & 0x8000);
        let normal = (size >> 13).wrapping_sub(112 << 10);
        let tiny = (f32::from_bits(size) + 0.5).to_bits() & 0x3ff;
        let finite = if size < 0x3880_0000 { tiny } else { normal };
        let finite = if size >= 0x4780_0000 { 0x7c00 } else { finite };
        (sign | if size > 0x7f80_0000 { 0x7e00 } else { finite }) as u16
    }
}

impl Format for Brain {
    type Mem = u16;
    type Reg = f32;
    const SAME: bool = false;
    #[inline(always)]
    fn load(value: u16) -> f32 {
        f32::from_bits((value as u32) << 16)
    }
    #[inline(always)]
    fn store(value: f32) -> u16 {
        let bits = value.to_bits();
        let quiet = if bits & 0x7fff_ffff > 0x7f80_0000 { 0x40 } else { 0 };
        (bits >> 16) as u16 | quiet
    }
}

#[inline(always)]
unsafe fn load_strided<F: Format>(dst: *mut u8, src: *const u8, stride: isize, n: usize) {
    let (to, from) = (dst.cast::<F::Reg>(), src.cast::<F::Mem>());
    // SAFETY: the caller gives `n` elements at the stride, and room for as many.
    unsafe {
        match stride {
            0 => {
                let value = F::load(from.read());
                (0..n).for_each(|k| to.add(k).write(value));
            }
            1 if F::SAME => std::ptr::copy_nonoverlapping(src, dst, n * size_of::<F::Mem>()),
            1 => {
                let mut k = 0;
                while k + LANES <= n {
                    let lanes = from.add(k).cast::<[F::Mem; LANES]>().read();
                    to.add(k).cast::<[F::Reg; LANES]>().write(lanes.map(F::load));
                    k += LANES;
                }
                (k..n).for_each(|k| to.add(k).write(F::load(from.add(k).read())));
            }
            _ => (0..n).for_each(|k| {
                to.add(k).write(F::load(from.offset(k as isize * stride).read()));
            }),
        }
    }
}

#[inline(always)]
unsafe fn load_gather<F: Format>(dst: *mut u8, src: *const u8, at: *const i64, n: usize) {
    /// Positions are looked at so many at a time: what a mask selects often lies in a row.
    const ROW: usize = 8;
    let (to, from) = (dst.cast::<F::Reg>(), src.cast::<F::Mem>());
    // SAFETY: the caller gives `n` positions inside the source, and room for as many elements.
    unsafe {
        let one = |k: usize, at: i64| to.add(k).write(F::load(from.offset(at as isize).read()));
        let rows = n / ROW * ROW;
        for k in (0..rows).step_by(ROW) {
            let at = at.add(k).cast::<[i64; ROW]>().read();
            let apart = (1..ROW).fold(0, |apart, j| apart | (at[j] ^ at[0].wrapping_add(j as i64)));
            match apart {
                0 => (0..ROW).for_each(|j| one(k + j, at[0] + j as i64)),
                _ => (0..ROW).for_each(|j| one(k + j, at[j])),
            }
        }
        (rows..n).for_each(|k| one(k, *at.add(k)));
    }
}

#[inline(always)]
unsafe fn store_strided<F: Format>(dst: *mut u8, stride: isize, src: Arg, n: usize) {
    let (to, from) = (dst.cast::<F::Mem>(), src.ptr.cast::<F::Reg>());
    // SAFETY: the caller gives room for `n` elements at the stride, and one value or `n`.
    unsafe {
        if !src.vector {
            let value = F::store(from.read());
            if stride == 1 {
                return (0..n).for_each(|k| to.add(k).write(value));
            }
            return (0..n).for_each(|k| to.offset(k as isize * stride).write(value));
        }
        match stride {
            1 if F::SAME => std::ptr::copy_nonoverlapping(src.ptr, dst, n * size_of::<F::Mem>()),
            1 => {
                let mut k = 0;
                while k + LANES <= n {
                    let lanes = from.add(k).cast::<[F::Reg; LANES]>().read();
                    to.add(k).cast::<[F::Mem; LANES]>().write(lanes.map(F::store));
                    k += LANES;
                }
                (k..n).for_each(|k| to.add(k).write(F::store(from.add(k).read())));
            }
            _ => (0..n).for_each(|k| {
                to.offset(k as isize * stride).write(F::store(from.add(k).read()));
            }),
        }
    }
}

#[inline(always)]
unsafe fn store_scatter<F: Format>(dst: *mut u8, at: *const i64, src: Arg, n: usize) {
    let (to, from) = (dst.cast::<F::Mem>(), src.ptr.cast::<F::Reg>());
    let step = usize::from(src.vector);
    // SAFETY: the caller gives `n` positions inside the target, and one value or `n`.
    unsafe {
        (0..n).for_each(|k| {
            to.offset(*at.add(k) as isize).write(F::store(from.add(k * step).read()));
        });
    }
}

levels! {
    /// Loads `n` elements at a stride in elements.
    find_load_strided[F: Format](dst: *mut u8, src: *const u8, stride: isize, n: usize) = load_strided::<F>;
}
levels! {
    /// Loads `n` elements at positions.
    find_load_gather[F: Format](dst: *mut u8, src: *const u8, at: *const i64, n: usize) = load_gather::<F>;
}
levels! {
    /// Stores `n` elements at a stride in elements.
    find_store_strided[F: Format](dst: *mut u8, stride: isize, src: Arg, n: usize) = store_strided::<F>;
}
levels! {
    /// Stores `n` elements at positions.
    find_store_scatter[F: Format](dst: *mut u8, at: *const i64, src: Arg, n: usize) = store_scatter::<F>;
}

/// Writes bytes past the caches: for outputs that are too large to be found there again, so that
/// their old contents are not read first. What was written is visible to other threads after
/// [`end_streams`].
///
/// # Safety
/// As `std::ptr::copy_nonoverlapping`.
pub type StreamFn = unsafe fn(to: *mut u8, from: *const u8, bytes: usize);

/// The widest stores that an instruction set has: a whole line each with AVX-512.
fn stream(level: Level) -> StreamFn {
    match level {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        Level::Avx512 => stream_lines,
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        _ => stream_quarters,
        #[cfg(any(not(target_arch = "x86_64"), miri))]
        _ => copy_plainly,
    }
}

/// As usual, where no instruction for it is named, or Miri does not know it.
///
/// # Safety
/// As for [`StreamFn`].
#[cfg(any(not(target_arch = "x86_64"), miri))]
unsafe fn copy_plainly(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
}

/// Writes bytes: what begins and ends a line as usual, the lines between by a function of their
/// number.
///
/// # Safety
/// As `std::ptr::copy_nonoverlapping`, for the function too.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
unsafe fn by_lines(
    to: *mut u8,
    from: *const u8,
    bytes: usize,
    lines: impl FnOnce(*mut u8, *const u8, usize),
) {
    let head = to.align_offset(64).min(bytes);
    let count = (bytes - head) / 64;
    let tail = head + count * 64;
    // SAFETY: the caller's promise.
    unsafe {
        // Copies of a variable length are calls, most often for nothing.
        if head > 0 {
            std::ptr::copy_nonoverlapping(from, to, head);
        }
        lines(to.add(head), from.add(head), count);
        if tail < bytes {
            std::ptr::copy_nonoverlapping(from.add(tail), to.add(tail), bytes - tail);
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
unsafe fn stream_quarters(to: *mut u8, from: *const u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    // SAFETY: the caller's promise; addresses for streaming stores are aligned, and SSE2 is part
    // of the architecture.
    unsafe {
        by_lines(to, from, bytes, |to, from, count| {
            for k in 0..4 * count {
                let value = _mm_loadu_si128(from.cast::<__m128i>().add(k));
                _mm_stream_si128(to.cast::<__m128i>().add(k), value);
            }
        });
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "avx512f")]
unsafe fn stream_lines(to: *mut u8, from: *const u8, bytes: usize) {
    use std::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_stream_si512};
    // SAFETY: the caller's promise; addresses for streaming stores are aligned.
    unsafe {
        by_lines(to, from, bytes, |to, from, count| {
            for k in 0..count {
                let value = _mm512_loadu_si512(from.cast::<__m512i>().add(k));
                _mm512_stream_si512(to.cast::<__m512i>().add(k), value);
            }
        });
    }
}

/// Makes what a [`StreamFn`] wrote visible to other threads.
pub fn end_streams() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: SSE2 is part of the architecture.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// The functions that move elements of one type.
#[derive(Clone, Copy)]
pub struct Moves {
    /// Loads `n` elements at a stride in elements.
    pub load: unsafe fn(*mut u8, *const u8, isize, usize),
    /// Loads `n` elements at positions.
    pub gather: unsafe fn(*mut u8, *const u8, *const i64, usize),
    /// Stores `n` elements at a stride in elements.
    pub store: unsafe fn(*mut u8, isize, Arg, usize),
    /// Stores `n` elements at positions.
    pub scatter: unsafe fn(*mut u8, *const i64, Arg, usize),
    /// The size in memory.
    pub mem: usize,
    /// The size in a tile.
    pub reg: usize,
    /// Whether a tile can be read in place.
    pub same: bool,
    /// Writes the bytes of a whole tile past the caches, where that is wanted.
    pub stream: Option<StreamFn>,
}

fn moves_of<F: Format>(level: Level) -> Moves {
    Moves {
        load: find_load_strided::<F>(level),
        gather: find_load_gather::<F>(level),
        store: find_store_strided::<F>(level),
        scatter: find_store_scatter::<F>(level),
        mem: size_of::<F::Mem>(),
        reg: size_of::<F::Reg>(),
        same: F::SAME,
        stream: None,
    }
}

impl Moves {
    /// The same, past the caches.
    pub fn past_caches(self, level: Level) -> Moves {
        Moves { stream: Some(stream(level)), ..self }
    }
}

/// The functions that move elements of a type between memory and tiles.
pub fn moves(dtype: DType, level: Level) -> Moves {
    match dtype {
        DType::F16 => moves_of::<Half>(level),
        DType::BF16 => moves_of::<Brain>(level),
        other => match other.size() {
            1 => moves_of::<Bytes1>(level),
            2 => moves_of::<Bytes2>(level),
            4 => moves_of::<Bytes4>(level),
            8 => moves_of::<Bytes8>(level),
            _ => moves_of::<Bytes16>(level),
        },
    }
}

/// Writes an element `n` times.
pub fn fill(to: *mut u8, element: &[u8], n: usize) {
    macro_rules! of {
        ($t:ty) => {{
            // SAFETY: the element has the size of the type, and callers give room for `n`.
            unsafe {
                let value = element.as_ptr().cast::<$t>().read_unaligned();
                std::slice::from_raw_parts_mut(to.cast::<$t>(), n).fill(value);
            }
        }};
    }
    match element.len() {
        1 => of!(u8),
        2 => of!(u16),
        4 => of!(u32),
        8 => of!(u64),
        _ => of!([u64; 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions in rows, across the places where they are looked at together, backwards, and again.
    #[test]
    fn elements_are_gathered_from_everywhere() {
        let source: Vec<f64> = (0..100).map(|k| f64::from(k) * 1.5).collect();
        let in_rows = |k: usize| (k + k / 11 * 7) as i64 % 100;
        let some: [fn(usize) -> i64; 4] =
            [|k| k as i64, |k| 99 - k as i64, |k| (k * k % 97) as i64, |k| k as i64 / 8];
        for level in Level::available() {
            for n in [0, 1, 7, 8, 9, 16, 40, 100] {
                for place in some.iter().chain([&(in_rows as fn(usize) -> i64)]) {
                    let at: Vec<i64> = (0..n).map(place).collect();
                    let mut found = vec![-1.0; n + 1];
                    let to = found.as_mut_ptr().cast();
                    // SAFETY: all positions lie inside of the source, and there is room for all.
                    unsafe {
                        (moves(DType::F64, level).gather)(
                            to,
                            source.as_ptr().cast(),
                            at.as_ptr(),
                            n,
                        );
                    }
                    assert_eq!(found.pop(), Some(-1.0));
                    let expected: Vec<f64> = at.iter().map(|&at| source[at as usize]).collect();
                    assert_eq!(found, expected, "{n}, {level:?}");
                }
            }
        }
    }
}
