//! Elements as keys: unsigned integers whose order is the order asked for.

use crate::library::sort::Encoding;

/// An unsigned integer as wide as an element.
pub(super) trait Word: Copy + Ord + Default + Send + Sync + 'static {
    /// The bits in it.
    const BITS: u32;
    /// The low bits of a number.
    fn from_bits(bits: u64) -> Self;
    /// As a number.
    fn bits(self) -> u64;
    /// The key of an element.
    fn encode(self, code: &Code<Self>) -> Self;
    /// The element of a key.
    fn decode(self, code: &Code<Self>) -> Self;
}

/// An [`Encoding`] in words of the elements' width. Nothing in it branches, so that loops over
/// elements vectorise.
#[derive(Clone, Copy)]
pub(super) struct Code<W> {
    /// Flipped where the top bit is set, besides `positive`.
    sign: W,
    positive: W,
    infinity: W,
    minus_zero: W,
    invert: W,
    nan: W,
    quiet: W,
}

impl<W: Word> Code<W> {
    pub(super) fn new(e: &Encoding) -> Self {
        Code {
            sign: W::from_bits(e.negative ^ e.positive),
            positive: W::from_bits(e.positive),
            infinity: W::from_bits(e.infinity),
            minus_zero: W::from_bits(e.minus_zero),
            invert: W::from_bits(e.invert),
            nan: W::from_bits(e.nan),
            quiet: W::from_bits(e.quiet),
        }
    }
}

macro_rules! words {
    ($($t:ty, $signed:ty;)*) => {$(
        impl Word for $t {
            const BITS: u32 = <$t>::BITS;
            #[inline(always)]
            fn from_bits(bits: u64) -> Self { bits as $t }
            #[inline(always)]
            fn bits(self) -> u64 { self as u64 }
            #[inline(always)]
            fn encode(self, code: &Code<Self>) -> Self {
                let x = if self == code.minus_zero { 0 } else { self };
                let below = (x as $signed >> (Self::BITS - 1)) as $t;
                let key = x ^ code.positive ^ (below & code.sign) ^ code.invert;
                if x & (Self::MAX >> 1) > code.infinity { code.nan } else { key }
            }
            #[inline(always)]
            fn decode(self, code: &Code<Self>) -> Self {
                let key = self ^ code.invert ^ code.positive;
                // The top bit of an element tells which way its key was made.
                let below = (key as $signed >> (Self::BITS - 1)) as $t;
                let x = key ^ (below & code.sign);
                if x & (Self::MAX >> 1) > code.infinity { code.quiet } else { x }
            }
        }
    )*};
}
words! { u8, i8; u16, i16; u32, i32; u64, i64; }

/// What is sorted: a key, or a key with the position where its element stood. Such items are all
/// different, so that any order of them is stable.
pub(super) trait Item: Copy + Ord + Default + Send + Sync + 'static {
    /// The key.
    fn key(self) -> u64;
    /// The position; nothing of use for a key alone.
    fn position(self) -> i64;
}

impl<W: Word> Item for W {
    #[inline(always)]
    fn key(self) -> u64 {
        self.bits()
    }
    #[inline(always)]
    fn position(self) -> i64 {
        0
    }
}

/// A key of at most 32 bits above a position of 32, in one word.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Narrow(pub u64);

impl Item for Narrow {
    #[inline(always)]
    fn key(self) -> u64 {
        self.0 >> 32
    }
    #[inline(always)]
    fn position(self) -> i64 {
        i64::from(self.0 as u32)
    }
}

/// A key and a position.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C, align(16))]
pub(super) struct Wide(pub u64, pub u64);

impl Item for Wide {
    #[inline(always)]
    fn key(self) -> u64 {
        self.0
    }
    #[inline(always)]
    fn position(self) -> i64 {
        self.1 as i64
    }
}
