//! Random numbers in cuRAND's order: XORWOW.

use crate::backend::{Buffer, LibraryCall, pool};
use crate::dtype::{DType, Plain, Scalar};
use crate::error::{Error, Result};
use crate::library::random::{Generate, Kind, Variate};
use crate::math::random::{PARTS, Xorwow};
use rayon::prelude::*;

/// A draw.
struct Draw(Generate);

/// Makes a draw ready.
pub(super) fn generate(call: &Generate) -> Result<Box<dyn LibraryCall>> {
    let is_there = matches!(call.variate, Variate::Bits | Variate::Uniform);
    if call.kind != Kind::Xorwow || !is_there {
        let name = call.kind.name();
        let what = call.variate;
        return Err(Error::unsupported(format!("{what:?} numbers of {name} on the processor")));
    }
    Ok(Box::new(Draw(call.clone())))
}

impl LibraryCall for Draw {
    fn run(&self, _inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()> {
        let whole = |k: usize| scalars[k].get::<u64>().unwrap_or_default();
        let (seed, offset) = (whole(0), whole(1));
        let (address, n) = (outputs[0].address(), self.0.len);
        // SAFETY: the output has room for `n` numbers of the call's type, which any bytes are.
        unsafe {
            match (self.0.variate, self.0.dtype) {
                (Variate::Bits, _) => {
                    fill(room(address, n), seed, offset, |s: &mut Xorwow| s.next())
                }
                (_, DType::F32) => fill(room(address, n), seed, offset, single),
                _ => fill(room(address, n), seed, offset, double),
            }
        }
        Ok(())
    }

    fn describe(&self) -> String {
        "XORWOW".to_owned()
    }
}

/// The numbers of an output.
///
/// # Safety
/// There are so many of them at the address, and nobody else uses them.
unsafe fn room<'a, T: Plain>(address: u64, n: usize) -> &'a mut [T] {
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts_mut(address as *mut T, n) }
}

/// cuRAND's number of (0, 1] from a word.
fn single(state: &mut Xorwow) -> f32 {
    state.next() as f32 * (1.0 / (1u64 << 32) as f32) + 0.5 / (1u64 << 32) as f32
}

/// cuRAND's number of (0, 1] from two words.
fn double(state: &mut Xorwow) -> f64 {
    let (x, y) = (u64::from(state.next()), u64::from(state.next()));
    let bits = x ^ y << 21;
    bits as f64 * (1.0 / (1u64 << 53) as f64) + 0.5 / (1u64 << 53) as f64
}

/// Fills an array whose element `k` is made by part `(offset + k) % PARTS`.
fn fill<T: Plain>(to: &mut [T], seed: u64, offset: u64, number: impl Fn(&mut Xorwow) -> T + Sync) {
    let (turn, first) = (offset / PARTS as u64, (offset % PARTS as u64) as usize);
    let mut parts = Xorwow::parts(seed, turn);
    // Parts before the first have had this turn's word.
    parts[..first].iter_mut().for_each(|part| part.skip(1));
    parts.rotate_left(first);
    // Columns of the stream are independent: threads take bands of parts.
    let band = PARTS.div_ceil(4 * pool::threads());
    let n = to.len();
    let base = Shared(to.as_mut_ptr());
    let fill = |(at, states): (usize, &mut [Xorwow])| {
        for (k, state) in states.iter_mut().enumerate() {
            for place in (at * band + k..n).step_by(PARTS) {
                // SAFETY: the place is inside, and each place belongs to one part.
                unsafe { base.at(place).write(number(state)) };
            }
        }
    };
    pool::inside(|| parts.par_chunks_mut(band).enumerate().for_each(fill));
}

/// A pointer that threads share, each writing its own elements.
struct Shared<T>(*mut T);

// SAFETY: every thread writes elements of its own.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn at(&self, place: usize) -> *mut T {
        self.0.wrapping_add(place)
    }
}
