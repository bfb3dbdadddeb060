//! Fourier transforms.
//!
//! A call that is the last to read what a kernel has made for it may overwrite it
//! (`LibraryCall::run_last`): cuFFT's transforms to real arrays use their input as scratch memory.

use crate::dtype::DType;
use smallvec::SmallVec;

/// Transforms, none of them scaled, of an array `[outer, lens…, inner]` over the axes in its
/// middle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fft {
    /// Which transform.
    pub kind: Kind,
    /// Whether the components are `f64`; else they are `f32`.
    pub double: bool,
    /// The elements in front of the transformed axes.
    pub outer: usize,
    /// The lengths of the transformed axes, one to three of them; of a transform between real and
    /// complex numbers, those of the real array.
    pub lens: SmallVec<[usize; 3]>,
    /// The elements behind the transformed axes, which have those axes in strides.
    pub inner: usize,
}

/// The kinds of Fourier transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Complex to complex, with `exp(-i…)`.
    Forward,
    /// Complex to complex, with `exp(+i…)`.
    Inverse,
    /// Real to the first half of the complex spectrum along the last transformed axis; the rest
    /// follows from the symmetry.
    RealForward,
    /// The first half of a spectrum to the real array that has it.
    RealInverse,
}

/// The most axes that one call transforms.
pub const MOST_AXES: usize = 3;

impl Fft {
    /// The number of elements of the real array, or of the complex arrays on both sides.
    pub fn len(&self) -> usize {
        self.outer * self.lens.iter().product::<usize>() * self.inner
    }

    /// The number of elements of the first half of a spectrum.
    pub fn half_len(&self) -> usize {
        let (last, before) = self.lens.split_last().expect("a transform has an axis");
        self.outer * before.iter().product::<usize>() * half(*last) * self.inner
    }

    /// The number and the type of the elements that go in.
    pub fn input(&self) -> (usize, DType) {
        match self.kind {
            Kind::RealForward => (self.len(), self.real()),
            Kind::RealInverse => (self.half_len(), self.complex()),
            Kind::Forward | Kind::Inverse => (self.len(), self.complex()),
        }
    }

    /// The number and the type of the elements that come out.
    pub fn output(&self) -> (usize, DType) {
        match self.kind {
            Kind::RealForward => (self.half_len(), self.complex()),
            Kind::RealInverse => (self.len(), self.real()),
            Kind::Forward | Kind::Inverse => (self.len(), self.complex()),
        }
    }

    fn real(&self) -> DType {
        if self.double { DType::F64 } else { DType::F32 }
    }

    fn complex(&self) -> DType {
        if self.double { DType::C128 } else { DType::C64 }
    }
}

/// The length of the half of a spectrum that the spectrum of `n` real numbers is known by.
pub fn half(n: usize) -> usize {
    n / 2 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    #[test]
    fn elements_in_and_out() {
        let fft = |kind| Fft { kind, double: false, outer: 2, lens: smallvec![3, 5], inner: 4 };
        let ends = |kind| (fft(kind).input(), fft(kind).output());
        assert_eq!(ends(Kind::Forward), ((120, DType::C64), (120, DType::C64)));
        assert_eq!(ends(Kind::RealForward), ((120, DType::F32), (72, DType::C64)));
        assert_eq!(ends(Kind::RealInverse), ((72, DType::C64), (120, DType::F32)));
    }
}
