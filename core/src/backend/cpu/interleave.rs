//! Rows of elements taken apart into those at even and at odd positions, and put together again:
//! what users' functions combine, neighbours with neighbours, a whole tile at a time.

use crate::function::TileArg;

/// Calls a generic function on words of a size.
macro_rules! by_size {
    ($size:expr, $function:ident($($arg:expr),*)) => {
        match $size {
            1 => $function::<u8>($($arg),*),
            2 => $function::<u16>($($arg),*),
            4 => $function::<u32>($($arg),*),
            8 => $function::<u64>($($arg),*),
            _ => $function::<[u64; 2]>($($arg),*),
        }
    };
}

/// Splits each of `rows` rows of `len` elements into those at even and at odd positions; where
/// `len` is odd, the identity, which is as long as an element, stands behind the last.
///
/// # Safety
/// The source has the elements, or one for all; both halves have room.
pub(super) unsafe fn split(
    from: TileArg,
    left: *mut u8,
    right: *mut u8,
    rows: usize,
    len: usize,
    identity: &[u8],
) {
    // SAFETY: the caller says so.
    unsafe { by_size!(identity.len(), split_words(from, left, right, rows, len, identity)) }
}

/// # Safety
/// As [`split`].
unsafe fn split_words<T: Copy>(
    from: TileArg,
    left: *mut u8,
    right: *mut u8,
    rows: usize,
    len: usize,
    identity: &[u8],
) {
    let (pairs, half) = (len / 2, len.div_ceil(2));
    let (left, right) = (left.cast::<T>(), right.cast::<T>());
    // SAFETY: the caller says so.
    unsafe {
        let identity = identity.as_ptr().cast::<T>().read_unaligned();
        for row in 0..rows {
            let (left, right) = (left.add(row * half), right.add(row * half));
            if from.vector {
                let from = from.ptr.cast::<T>().add(row * len);
                for k in 0..pairs {
                    left.add(k).write(from.add(2 * k).read());
                    right.add(k).write(from.add(2 * k + 1).read());
                }
                if half > pairs {
                    left.add(pairs).write(from.add(len - 1).read());
                }
            } else {
                let one = from.ptr.cast::<T>().read();
                (0..half).for_each(|k| left.add(k).write(one));
                (0..pairs).for_each(|k| right.add(k).write(one));
            }
            if half > pairs {
                right.add(pairs).write(identity);
            }
        }
    }
}

/// Puts the elements at even and at odd positions of each of `rows` rows of `len` together.
///
/// # Safety
/// There are half as many elements of the size in both, rounded up for each row, and room for all.
pub(super) unsafe fn merge(
    size: usize,
    even: *const u8,
    odd: *const u8,
    to: *mut u8,
    rows: usize,
    len: usize,
) {
    // SAFETY: the caller says so.
    unsafe { by_size!(size, merge_words(even, odd, to, rows, len)) }
}

/// # Safety
/// As [`merge`].
unsafe fn merge_words<T: Copy>(
    even: *const u8,
    odd: *const u8,
    to: *mut u8,
    rows: usize,
    len: usize,
) {
    let (even, odd, to) = (even.cast::<T>(), odd.cast::<T>(), to.cast::<T>());
    let (pairs, half) = (len / 2, len.div_ceil(2));
    for row in 0..rows {
        // SAFETY: the caller says so.
        unsafe {
            let (even, odd, to) = (even.add(row * half), odd.add(row * half), to.add(row * len));
            for k in 0..pairs {
                to.add(2 * k).write(even.add(k).read());
                to.add(2 * k + 1).write(odd.add(k).read());
            }
            if half > pairs {
                to.add(len - 1).write(even.add(pairs).read());
            }
        }
    }
}

/// Moves each of `rows` rows of `len` elements on by one, behind what lies before it.
///
/// # Safety
/// There are as many elements of the size, one for each row before it, and room.
pub(super) unsafe fn shift(
    size: usize,
    from: *const u8,
    before: *const u8,
    to: *mut u8,
    rows: usize,
    len: usize,
) {
    for row in 0..rows {
        let at = row * len * size;
        // SAFETY: the caller says so.
        unsafe {
            std::ptr::copy_nonoverlapping(before.add(row * size), to.add(at), size);
            std::ptr::copy_nonoverlapping(from.add(at), to.add(at + size), (len - 1) * size);
        }
    }
}
