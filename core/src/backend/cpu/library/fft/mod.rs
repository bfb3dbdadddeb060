//! Fourier transforms on the processor: rustfft's and realfft's plans for one line, over lines of
//! any stride on all threads; a single long line is taken apart into short ones.

mod lines;
mod long;

use crate::backend::cpu::room;
use crate::backend::{Buffer, LibraryCall};
use crate::caught::raise;
use crate::dtype::Scalar;
use crate::error::Result;
use crate::library::fft::{Fft, Kind, half};
use lazuli_libraries::fft::{self, Component, FftDirection};
use lines::{Geometry, Line, Shared, run};
use long::{Long, LongReal};
use num_complex::Complex;
use std::sync::Arc;

/// Makes a transform ready.
pub(super) fn transform(fft: &Fft) -> Box<dyn LibraryCall> {
    match fft.double {
        false => Box::new(Passes::<f32>::new(fft)),
        true => Box::new(Passes::<f64>::new(fft)),
    }
}

/// The bytes that the tables of a transform's plans take at most: a length with a large prime
/// factor goes by way of a transform of up to four times the length.
pub(super) fn tables(fft: &Fft) -> usize {
    let number = if fft.double { 16 } else { 8 };
    let of = |&len: &usize| len.saturating_mul(if is_smooth(len) { 4 } else { 16 } * number);
    fft.lens.iter().map(of).fold(0, usize::saturating_add)
}

/// Whether all prime factors of a length are small.
fn is_smooth(mut len: usize) -> bool {
    for factor in 2..=31 {
        while len > 1 && len.is_multiple_of(factor) {
            len /= factor;
        }
    }
    len <= 1
}

/// The passes of a transform, one for each axis.
struct Passes<T: Component> {
    fft: Fft,
    /// Over complex lines, in order.
    complex: Vec<(Geometry, Whole<T>)>,
    /// Between real and complex lines: the first pass, or the last.
    real: Option<(Geometry, Real<T>)>,
    /// The complex numbers between the passes of a transform to real ones.
    between: usize,
}

/// A plan between complex lines.
enum Whole<T: Component> {
    Lines(Arc<dyn fft::Fft<T>>),
    /// Lines that are each shared among the threads.
    Long(Long<T>),
}

/// A plan between real and complex lines.
enum Real<T: Component> {
    Forward(Arc<dyn fft::RealToComplex<T>>),
    Inverse(Arc<dyn fft::ComplexToReal<T>>),
    LongForward(LongReal<T>),
    LongInverse(LongReal<T>),
}

impl<T: Component> Passes<T> {
    fn new(fft: &Fft) -> Passes<T> {
        let last = fft.lens.len() - 1;
        let halves = matches!(fft.kind, Kind::RealForward | Kind::RealInverse);
        let direction = match fft.kind {
            Kind::Forward | Kind::RealForward => FftDirection::Forward,
            Kind::Inverse | Kind::RealInverse => FftDirection::Inverse,
        };
        // What the complex passes see: the last axis is the half where the other side is real.
        let mut lens = fft.lens.clone();
        if halves {
            lens[last] = half(lens[last]);
        }
        let geometry = |axis: usize| Geometry {
            outer: fft.outer * lens[..axis].iter().product::<usize>(),
            from: lens[axis],
            to: lens[axis],
            inner: lens[axis + 1..].iter().product::<usize>() * fft.inner,
        };
        let axes = 0..last + usize::from(!halves);
        let mut complex: Vec<_> = axes
            .filter(|&axis| !(fft.lens[axis] == 1 && axis < last))
            .map(|axis| (geometry(axis), Whole::new(fft.lens[axis], &geometry(axis), direction)))
            .collect();
        if fft.kind == Kind::RealForward || !halves {
            // The last axis first: its lines are read from the input one after another.
            complex.reverse();
        }
        let (n, whole) = (fft.lens[last], geometry(last));
        let long = || match whole.inner {
            1 => LongReal::new(n, whole.outer, direction),
            _ => None,
        };
        let real = match fft.kind {
            Kind::RealForward => {
                let plan = long().map(Real::LongForward);
                let plan = plan.unwrap_or_else(|| Real::Forward(T::forward(n)));
                Some((Geometry { from: n, ..whole }, plan))
            }
            Kind::RealInverse => {
                let plan = long().map(Real::LongInverse);
                let plan = plan.unwrap_or_else(|| Real::Inverse(T::inverse(n)));
                Some((Geometry { to: n, ..whole }, plan))
            }
            Kind::Forward | Kind::Inverse => None,
        };
        let inverse = fft.kind == Kind::RealInverse && !complex.is_empty();
        Passes {
            fft: fft.clone(),
            complex,
            real,
            between: if inverse { fft.half_len() } else { 0 },
        }
    }

    /// The arrays of a call, of which the lengths are checked.
    fn addresses(&self, inputs: &[&Buffer], outputs: &[&Buffer]) -> (*const u8, *mut u8) {
        let bytes = |(len, dtype): (usize, crate::dtype::DType)| len * dtype.size();
        assert!(inputs[0].bytes() >= bytes(self.fft.input()), "the input of {:?}", self.fft);
        assert!(outputs[0].bytes() >= bytes(self.fft.output()), "the output of {:?}", self.fft);
        (inputs[0].address() as *const u8, outputs[0].address() as *mut u8)
    }

    /// Transforms one array into another.
    ///
    /// # Safety
    /// The arrays have the lengths and the types of the description, and do not overlap.
    unsafe fn transform(&self, input: *const u8, output: *mut u8) {
        let mut between: Vec<Complex<T>> =
            room::room("fft", self.between).unwrap_or_else(|full| raise(full));
        // SAFETY: the caller vouches for the arrays, and `between` has room for what lies between.
        unsafe { self.through(input, output, between.as_mut_ptr(), false) };
    }

    /// The same by way of `between`, which may be the input; `spare` says whether the input may be
    /// overwritten.
    ///
    /// # Safety
    /// As [`Self::transform`], and `between` has room for `self.between` numbers.
    unsafe fn through(
        &self,
        input: *const u8,
        output: *mut u8,
        between: *mut Complex<T>,
        spare: bool,
    ) {
        let complex_output = match self.between {
            0 => output.cast::<Complex<T>>(),
            _ => between,
        };
        let (mut from, mut spare) = (input.cast::<Complex<T>>(), spare);
        // SAFETY: the caller vouches for all three, and every pass writes all that the next one
        // reads.
        unsafe {
            if let Some((geometry, plan)) = &self.real
                && self.fft.kind == Kind::RealForward
            {
                plan.run(geometry, input.cast(), output.cast(), spare);
                (from, spare) = (output.cast_const().cast(), false);
            }
            for (geometry, plan) in &self.complex {
                plan.run(geometry, from, complex_output, spare && from != complex_output);
                (from, spare) = (complex_output, self.between > 0);
            }
            if let Some((geometry, plan)) = &self.real
                && self.fft.kind == Kind::RealInverse
            {
                plan.run(geometry, from.cast(), output.cast(), spare);
            }
        }
    }
}

/// Room for the numbers between the passes over a long line: the line itself where it may be
/// overwritten, else memory that is taken once.
fn room<T>(
    line: *const Complex<T>,
    spare: bool,
    own: &mut Vec<Complex<T>>,
    points: usize,
) -> *mut Complex<T> {
    if spare {
        return line.cast_mut();
    }
    if own.capacity() < points {
        *own = room::room("fft", points).unwrap_or_else(|full| raise(full));
    }
    own.as_mut_ptr()
}

impl<T: Component> Whole<T> {
    fn new(n: usize, geometry: &Geometry, direction: FftDirection) -> Self {
        let long = match geometry.inner {
            1 => Long::new(n, geometry.outer, direction),
            _ => None,
        };
        long.map_or_else(|| Whole::Lines(T::complex(n, direction)), Whole::Long)
    }

    /// Runs the pass; `spare` says whether the input may be overwritten.
    ///
    /// # Safety
    /// `from` and `to` point to arrays of the geometry.
    unsafe fn run(
        &self,
        geometry: &Geometry,
        from: *const Complex<T>,
        to: *mut Complex<T>,
        spare: bool,
    ) {
        // SAFETY: the caller vouches for the arrays, of which each turn takes another line.
        unsafe {
            match self {
                Whole::Lines(plan) => run(plan, geometry, from, Shared(to)),
                Whole::Long(long) => {
                    let (points, mut own) = (long.points(), Vec::new());
                    for line in 0..geometry.outer {
                        let (from, to) = (from.add(line * points), to.add(line * points));
                        long.transform(from, room(from, spare, &mut own, points), to);
                    }
                }
            }
        }
    }
}

impl<T: Component> Real<T> {
    /// Runs the pass; `spare` says whether the input may be overwritten.
    ///
    /// # Safety
    /// `from` and `to` point to arrays of the geometry, which do not overlap.
    unsafe fn run(&self, geometry: &Geometry, from: *const u8, to: *mut u8, spare: bool) {
        let Geometry { outer, from: before, to: after, .. } = *geometry;
        let mut own = Vec::new();
        // SAFETY: the caller vouches for the arrays, of which each turn takes another line.
        unsafe {
            match self {
                Real::Forward(plan) => run(plan, geometry, from.cast(), Shared(to.cast())),
                Real::Inverse(plan) => run(plan, geometry, from.cast(), Shared(to.cast())),
                Real::LongForward(long) => (0..outer).for_each(|line| {
                    let from = from.cast::<T>().add(line * before);
                    let room = room(from.cast(), spare, &mut own, long.points());
                    long.forward(from, room, to.cast::<Complex<T>>().add(line * after));
                }),
                Real::LongInverse(long) => (0..outer).for_each(|line| {
                    let from = from.cast::<Complex<T>>().add(line * before);
                    let room = room(from, spare, &mut own, long.points());
                    long.inverse(from, room, to.cast::<T>().add(line * after));
                }),
            }
        }
    }
}

impl<T: Component> LibraryCall for Passes<T> {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        let (input, output) = self.addresses(inputs, outputs);
        // SAFETY: the lengths were looked at, and an output is memory of its own.
        unsafe { self.transform(input, output) };
        Ok(())
    }

    fn run_last(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        let (input, output) = self.addresses(inputs, outputs);
        // SAFETY: as above; nobody else reads the input, so the passes may go on in it.
        unsafe { self.through(input, output, input.cast_mut().cast(), true) };
        Ok(())
    }

    fn describe(&self) -> String {
        format!("rustfft, {} passes", self.complex.len() + usize::from(self.real.is_some()))
    }
}

impl<T: Component> Line<T> for Arc<dyn fft::Fft<T>> {
    type From = Complex<T>;
    type To = Complex<T>;

    fn scratch_len(&self) -> usize {
        self.get_outofplace_scratch_len()
    }

    fn transform(&self, from: &mut [Self::From], to: &mut [Self::To], scratch: &mut [Complex<T>]) {
        self.process_outofplace_with_scratch(from, to, scratch);
    }
}

impl<T: Component> Line<T> for Arc<dyn fft::RealToComplex<T>> {
    type From = T;
    type To = Complex<T>;

    fn scratch_len(&self) -> usize {
        self.get_scratch_len()
    }

    fn transform(&self, from: &mut [T], to: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.process_with_scratch(from, to, scratch).expect("the lengths are the plan's");
    }
}

impl<T: Component> Line<T> for Arc<dyn fft::ComplexToReal<T>> {
    type From = Complex<T>;
    type To = T;

    fn scratch_len(&self) -> usize {
        self.get_scratch_len()
    }

    fn transform(&self, from: &mut [Complex<T>], to: &mut [T], scratch: &mut [Complex<T>]) {
        // The spectrum of real numbers is real at both ends; what is not is left out, as NumPy
        // leaves it out.
        from[0].im = T::zero();
        if to.len().is_multiple_of(2) {
            from[to.len() / 2].im = T::zero();
        }
        self.process_with_scratch(from, to, scratch).expect("the lengths are the plan's");
    }
}

#[cfg(test)]
mod tests;
