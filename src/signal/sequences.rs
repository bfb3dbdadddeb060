//! Impulses and sequences of maximal length.

use crate::DeviceArray;
use crate::IntoShape;
use crate::array::{checked_fns, record, upload_to};
use crate::backend::Device;
use crate::dtype::{Number, Scalar};
use crate::error::{Error, Result};
use crate::shape::{Shape, checked_len};
use crate::table::Op;

/// The place of the 1 of a [`unit_impulse`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Impulse<'a> {
    /// The first element. SciPy: `idx=None`.
    #[default]
    First,
    /// The middle of every axis; of an even number, the element behind it. SciPy: `idx="mid"`.
    Middle,
    /// A position on each axis.
    At(&'a [usize]),
}

impl Impulse<'_> {
    /// The place in C order; `None` in an array without elements.
    fn place(self, shape: &[usize]) -> Result<Option<i64>> {
        if shape.contains(&0) && !matches!(self, Impulse::At(_)) {
            return Ok(None);
        }
        let at = match self {
            Impulse::First => vec![0; shape.len()],
            Impulse::Middle => shape.iter().map(|n| n / 2).collect(),
            Impulse::At(at) => at.to_vec(),
        };
        if at.len() != shape.len() || at.iter().zip(shape).any(|(k, n)| k >= n) {
            return Err(Error::shape(format!(
                "unit_impulse: there is no element at {at:?} of an array of shape {shape:?}"
            )));
        }
        let place = at.iter().zip(shape).fold(0, |place, (k, n)| place * n + k);
        Ok(Some(place as i64))
    }
}

checked_fns! {
    /// Zeros with a single 1, on the current device.
    ///
    /// **Shape.** As given. **Dtype.** `T`. A place that is outside of the shape is an error. SciPy:
    /// `signal.unit_impulse`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Impulse, unit_impulse};
    /// let x: DeviceArray<f64> = unit_impulse(4, Impulse::At(&[2]));
    /// assert_eq!(x.to_vec()?, [0.0, 0.0, 1.0, 0.0]);
    /// let x: DeviceArray<i32> = unit_impulse([2, 2], Impulse::Middle);
    /// assert_eq!(x.to_vec()?, [0, 0, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn unit_impulse | try_unit_impulse<T: Number>(
        shape: impl IntoShape,
        at: Impulse<'_>,
    ) -> DeviceArray<T> {
        let zeros = DeviceArray::<T>::try_zeros(shape)?;
        let Some(place) = at.place(zeros.shape())? else {
            return Ok(zeros);
        };
        let line = record::iota(0, Shape::from_slice(&[zeros.len()]), Device::current()?);
        let one = record::binary(Op::Equal, &line, Scalar::new(place))?;
        let one = record::reshape(&record::cast(&one, T::DTYPE), zeros.node().shape.clone());
        Ok(DeviceArray::from_node(one))
    }
}

/// For registers of 2 bits and more, the places beside the first one whose bits are added up to the
/// next bit: primitive polynomials over two elements, from the tables of W. Stahnke, Primitive binary
/// polynomials (1973), and of shift registers since. They are SciPy's, so that its sequences come.
const TAPS: [&[usize]; 31] = [
    &[1],
    &[2],
    &[3],
    &[3],
    &[5],
    &[6],
    &[7, 6, 1],
    &[5],
    &[7],
    &[9],
    &[11, 10, 4],
    &[12, 11, 8],
    &[13, 12, 2],
    &[14],
    &[15, 13, 4],
    &[14],
    &[11],
    &[18, 17, 14],
    &[17],
    &[19],
    &[21],
    &[18],
    &[23, 22, 17],
    &[22],
    &[25, 24, 20],
    &[26, 25, 22],
    &[25],
    &[27],
    &[29, 28, 7],
    &[28],
    &[31, 30, 10],
];

/// How a [`max_len_seq`] differs from the usual one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register<'a> {
    /// The bits with which the register begins, as many as it has; all ones without them. They must
    /// not all be 0.
    pub state: Option<&'a [bool]>,
    /// The number of bits wanted, `2ⁿ - 1` without one.
    pub length: Option<usize>,
    /// The places, below the number of bits, whose bits are added up; SciPy's table without them.
    pub taps: Option<&'a [usize]>,
}

/// A pseudorandom sequence of 0 and 1 from a shift register of `n` bits with feedback, on the current
/// device, and the state in which the register ends. It repeats after `2ⁿ - 1` bits, which is as late as
/// it can be.
///
/// **Shape.** `[length]`. **Dtype.** `i8`. Computed on the host, a bit after the other, and copied.
/// SciPy: `signal.max_len_seq(n, state, length, taps)`.
///
/// # Errors
/// [`Error::is_shape`] for a number of bits below 2, and above 32 where no places are given; for a
/// state of another number of bits or of zeros alone; for places beyond the register.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::{Register, max_len_seq};
/// let (bits, state) = max_len_seq(3, &Register::default())?;
/// assert_eq!(bits.to_vec()?, [1, 1, 1, 0, 1, 0, 0]);
/// // After a whole period it is where it began.
/// assert_eq!(state, [true, true, true]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn max_len_seq(n: usize, register: &Register<'_>) -> Result<(DeviceArray<i8>, Vec<bool>)> {
    let taps = match register.taps {
        Some(taps) if n >= 2 => taps,
        None if (2..TAPS.len() + 2).contains(&n) => TAPS[n - 2],
        _ => return Err(Error::shape(format!("max_len_seq: no register of {n} bits is known"))),
    };
    if let Some(tap) = taps.iter().find(|&&tap| tap >= n) {
        return Err(Error::shape(format!("max_len_seq: place {tap} of a register of {n} bits")));
    }
    let mut state = register.state.map_or_else(|| vec![true; n], <[bool]>::to_vec);
    if state.len() != n || !state.contains(&true) {
        return Err(Error::shape(format!(
            "max_len_seq: the state {state:?} of a register of {n} bits, which must have as many and \
             a 1 among them"
        )));
    }
    let whole = (n <= 32).then(|| (1usize << n) - 1);
    let Some(length) = register.length.or(whole) else {
        return Err(Error::shape(format!(
            "max_len_seq: a whole period of {n} bits is too long: say how many bits are wanted"
        )));
    };
    let shape = Shape::from_slice(&[length]);
    checked_len("max_len_seq", &shape)?;
    // The register is a ring: what leaves it makes room for what enters.
    let mut first = 0;
    let mut bits = vec![0i8; length];
    for bit in &mut bits {
        let out = state[first];
        *bit = i8::from(out);
        let next = taps.iter().fold(out, |sum, tap| sum ^ state[(first + tap) % n]);
        state[first] = next;
        first = (first + 1) % n;
    }
    state.rotate_left(first);
    Ok((upload_to(Device::current()?, &bits, shape)?, state))
}
