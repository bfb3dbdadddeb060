//! Systems as states, as quotients of polynomials, and as zeros and poles.

use super::state_space::StateSpace;
use crate::dtype::Complex;
use crate::error::{Error, Result};
use crate::signal::design::{Zpk, normalize, polynomial, tf2zpk};
use ndarray::{Array2, s};

/// The system with a transfer function, whose coefficients go from the highest power down, in the
/// controller's canonical form. It is continuous; [`StateSpace::discrete`] makes a discrete one of it.
///
/// Computed on the host. A transfer function without poles has a state that stays 0. SciPy:
/// `signal.tf2ss`, of one numerator; `signal.TransferFunction`.
///
/// # Errors
/// [`Error::is_shape`] where the numerator is longer than the denominator, and as
/// [`normalize`].
///
/// # Example
/// ```
/// use lazuli::signal::tf2ss;
/// use ndarray::array;
/// let system = tf2ss(&[1.0, 3.0, 3.0], &[1.0, 2.0, 1.0])?;
/// let [a, b, c, d] = system.matrices();
/// assert_eq!((a, b), (&array![[-2.0, -1.0], [1.0, 0.0]], &array![[1.0], [0.0]]));
/// assert_eq!((c, d), (&array![[1.0, 2.0]], &array![[1.0]]));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn tf2ss(b: &[f64], a: &[f64]) -> Result<StateSpace> {
    let (b, a) = normalize(b, a).map_err(|error| error.in_operation("tf2ss"))?;
    if b.len() > a.len() {
        return Err(Error::shape(format!(
            "tf2ss: numerator {b:?} and denominator {a:?}: the first must not be longer"
        )));
    }
    let mut numerator = vec![0.0; a.len() - b.len()];
    numerator.extend(&b);
    let (n, through) = (a.len() - 1, numerator[0]);
    let d = Array2::from_elem((1, 1), through);
    if n == 0 {
        let zero = || Array2::zeros((1, 1));
        return StateSpace::new(zero(), zero(), zero(), d);
    }
    let matrix = Array2::from_shape_fn((n, n), |(i, j)| match i {
        0 => -a[j + 1],
        _ if i == j + 1 => 1.0,
        _ => 0.0,
    });
    let input = Array2::from_shape_fn((n, 1), |(i, _)| f64::from(u8::from(i == 0)));
    let output = Array2::from_shape_fn((1, n), |(_, j)| numerator[j + 1] - through * a[j + 1]);
    StateSpace::new(matrix, input, output, d)
}

/// The characteristic polynomial of a matrix, from its highest power down.
fn characteristic(a: &StateSpace) -> Result<Vec<f64>> {
    Ok(polynomial(&a.poles()?).iter().map(|c: &Complex<f64>| c.re).collect())
}

/// The transfer functions from one of a system's inputs: a numerator for each output, and the
/// denominator, from the highest power down.
///
/// Computed on the host. With `bᵢ` the input's column and `cⱼ` the output's row, the numerator is
/// `det(s - a + bᵢ cⱼ) + (dⱼᵢ - 1) det(s - a)`, whose first coefficients may be rounding where they
/// ought to be 0. SciPy: `signal.ss2tf(…, input=input)`.
///
/// # Errors
/// [`Error::is_shape`] where there is no such input, [`Error::is_numeric`] where `a` holds what is not
/// finite.
///
/// # Example
/// ```
/// use lazuli::signal::{ss2tf, tf2ss};
/// let (b, a) = ss2tf(&tf2ss(&[1.0, 3.0, 3.0], &[1.0, 2.0, 1.0])?, 0)?;
/// assert!(b[0].iter().zip([1.0, 3.0, 3.0]).all(|(x, y)| (x - y).abs() < 1e-14));
/// assert!(a.iter().zip([1.0, 2.0, 1.0]).all(|(x, y)| (x - y).abs() < 1e-14));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn ss2tf(system: &StateSpace, input: usize) -> Result<(Vec<Vec<f64>>, Vec<f64>)> {
    if input >= system.inputs() {
        return Err(Error::shape(format!(
            "ss2tf: there is no input {input}: the system has {}",
            system.inputs()
        )));
    }
    let denominator = characteristic(system)?;
    let column = system.b.slice(s![.., input..input + 1]);
    let numerator = |j: usize| {
        let closed = &system.a - &column.dot(&system.c.slice(s![j..j + 1, ..]));
        let closed = characteristic(&StateSpace { a: closed, ..system.clone() })?;
        let rest = system.d[[j, input]] - 1.0;
        Ok(closed.iter().zip(&denominator).map(|(x, y)| x + rest * y).collect())
    };
    let numerators = (0..system.outputs()).map(numerator).collect::<Result<_>>()?;
    Ok((numerators, denominator))
}

/// The zeros, the poles and the gain from one of a system's inputs to its only output.
///
/// Computed on the host, from the coefficients that [`ss2tf`] gives: those below 1e-14 at the beginning
/// of the numerator count as 0. SciPy: `signal.ss2zpk(…, input=input)`; `signal.ZerosPolesGain`.
///
/// # Errors
/// As [`ss2tf`]; [`Error::is_shape`] for several outputs, and where the output does not depend on the
/// input.
///
/// # Example
/// ```
/// use lazuli::signal::{ss2zpk, tf2ss};
/// let filter = ss2zpk(&tf2ss(&[2.0, 6.0], &[1.0, 3.0, 2.0])?, 0)?;
/// assert!((filter.zeros()[0].re + 3.0).abs() < 1e-13 && (filter.gain() - 2.0).abs() < 1e-13);
/// assert_eq!(filter.poles().len(), 2);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn ss2zpk(system: &StateSpace, input: usize) -> Result<Zpk> {
    if system.outputs() != 1 {
        return Err(Error::shape(format!(
            "ss2zpk: the system has {} outputs; it must have one",
            system.outputs()
        )));
    }
    let (b, a) = ss2tf(system, input).map_err(|error| error.in_operation("ss2zpk"))?;
    let (b, a) = normalize(&b[0], &a)?;
    tf2zpk(&b, &a).map_err(|error| error.in_operation("ss2zpk"))
}

/// The system of zeros, poles and a gain: [`tf2ss`] of their polynomials.
///
/// Computed on the host. SciPy: `signal.zpk2ss`; `signal.ZerosPolesGain`.
///
/// # Errors
/// [`Error::is_shape`] for more zeros than poles.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::{Zpk, zpk2ss};
/// let system = zpk2ss(&Zpk::new(&[], &[Complex::new(-3.0, 0.0)], 2.0)?)?;
/// assert_eq!((system.matrices()[0][[0, 0]], system.matrices()[2][[0, 0]]), (-3.0, 2.0));
/// # Ok::<(), Error>(())
/// ```
pub fn zpk2ss(filter: &Zpk) -> Result<StateSpace> {
    let (b, a) = filter.ba();
    tf2ss(&b, &a).map_err(|error| error.in_operation("zpk2ss"))
}
