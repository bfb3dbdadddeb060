//! Systems by their matrices.

use super::host;
use crate::dtype::Complex;
use crate::error::{Error, Result};
use ndarray::Array2;

/// A linear system in the form of its state: `x' = a x + b u`, `y = c x + d u`. Of a continuous system
/// `x'` is the derivative, of a discrete one the state a step later.
///
/// [`tf2ss`](super::super::tf2ss()) and [`zpk2ss`](super::super::zpk2ss()) make one of a transfer
/// function. SciPy: `signal.StateSpace`.
///
/// # Example
/// ```
/// use lazuli::signal::{StateSpace, ss2tf};
/// use ndarray::array;
/// // A mass on a spring with friction, moved by a force.
/// let system = StateSpace::new(
///     array![[0.0, 1.0], [-2.0, -3.0]],
///     array![[0.0], [1.0]],
///     array![[1.0, 0.0]],
///     array![[0.0]],
/// )?;
/// let (b, a) = ss2tf(&system, 0)?;
/// assert!((a[1] - 3.0).abs() < 1e-13 && (a[2] - 2.0).abs() < 1e-13);
/// assert!((b[0][2] - 1.0).abs() < 1e-13);
/// # Ok::<(), lazuli::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    pub(super) a: Array2<f64>,
    pub(super) b: Array2<f64>,
    pub(super) c: Array2<f64>,
    pub(super) d: Array2<f64>,
    pub(super) step: Option<f64>,
}

impl StateSpace {
    /// A continuous system of its matrices: `[n, n]`, `[n, inputs]`, `[outputs, n]` and
    /// `[outputs, inputs]`. SciPy: `signal.StateSpace(a, b, c, d)`; its `abcd_normalize` checks the
    /// same.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the matrices do not fit together, or there is no state, no input or no
    /// output.
    ///
    /// # Example
    /// ```
    /// use lazuli::signal::StateSpace;
    /// use ndarray::array;
    /// let system = StateSpace::new(array![[-1.0]], array![[2.0]], array![[1.0]], array![[0.0]])?;
    /// assert_eq!((system.step_length(), system.poles()?[0].re), (None, -1.0));
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn new(
        a: Array2<f64>,
        b: Array2<f64>,
        c: Array2<f64>,
        d: Array2<f64>,
    ) -> Result<StateSpace> {
        let (n, inputs, outputs) = (a.nrows(), b.ncols(), c.nrows());
        let fits = a.dim() == (n, n)
            && b.dim() == (n, inputs)
            && c.dim() == (outputs, n)
            && d.dim() == (outputs, inputs);
        if !fits || n == 0 || inputs == 0 || outputs == 0 {
            return Err(Error::shape(format!(
                "StateSpace::new: matrices of the shapes {:?}, {:?}, {:?} and {:?}: they must be \
                 [n, n], [n, inputs], [outputs, n] and [outputs, inputs], without a 0",
                a.shape(),
                b.shape(),
                c.shape(),
                d.shape()
            )));
        }
        Ok(StateSpace { a, b, c, d, step: None })
    }

    /// The discrete system with the same matrices, whose steps take so long. SciPy:
    /// `signal.StateSpace(a, b, c, d, dt=step)`; [`cont2discrete`](super::super::cont2discrete())
    /// makes a discrete system that behaves as a continuous one.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the length is not positive or not finite.
    ///
    /// # Example
    /// ```
    /// use lazuli::signal::tf2ss;
    /// let system = tf2ss(&[1.0], &[1.0, -0.5])?.discrete(0.1)?;
    /// assert_eq!(system.step_length(), Some(0.1));
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn discrete(self, step: f64) -> Result<StateSpace> {
        let step = Some(positive("StateSpace::discrete", step)?);
        Ok(StateSpace { step, ..self })
    }

    /// The length of a step, `None` for a continuous system. SciPy: `dt`.
    ///
    /// # Example
    /// ```
    /// assert_eq!(lazuli::signal::tf2ss(&[1.0], &[1.0, 2.0])?.step_length(), None);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn step_length(&self) -> Option<f64> {
        self.step
    }

    /// The matrices `a`, `b`, `c` and `d`. SciPy: `A`, `B`, `C`, `D`.
    ///
    /// # Example
    /// ```
    /// let system = lazuli::signal::tf2ss(&[1.0], &[1.0, 2.0])?;
    /// let [a, b, c, d] = system.matrices();
    /// assert_eq!((a[[0, 0]], b[[0, 0]], c[[0, 0]], d[[0, 0]]), (-2.0, 1.0, 1.0, 0.0));
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn matrices(&self) -> [&Array2<f64>; 4] {
        [&self.a, &self.b, &self.c, &self.d]
    }

    /// The poles, which are the eigenvalues of `a`, in no certain order. SciPy: `poles`.
    ///
    /// # Errors
    /// [`Error::is_numeric`] where `a` holds what is not finite.
    ///
    /// # Example
    /// ```
    /// let poles = lazuli::signal::tf2ss(&[1.0], &[1.0, 0.0, 4.0])?.poles()?;
    /// assert!(poles.iter().all(|p| p.re.abs() < 1e-14 && (p.im.abs() - 2.0).abs() < 1e-14));
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn poles(&self) -> Result<Vec<Complex<f64>>> {
        if self.a.iter().any(|x| !x.is_finite()) {
            return Err(Error::numeric("StateSpace::poles: `a` holds what is not finite"));
        }
        host::eigenvalues(&self.a)
    }

    pub(super) fn inputs(&self) -> usize {
        self.b.ncols()
    }

    pub(super) fn outputs(&self) -> usize {
        self.c.nrows()
    }

    /// An error for a discrete system.
    pub(super) fn continuous(&self, name: &str) -> Result<()> {
        match self.step {
            None => Ok(()),
            Some(step) => Err(Error::shape(format!(
                "{name}: the system is discrete, with steps of {step}; it must be continuous"
            ))),
        }
    }

    /// The length of a step; an error for a continuous system.
    pub(super) fn stepped(&self, name: &str) -> Result<f64> {
        self.step.ok_or_else(|| {
            Error::shape(format!("{name}: the system is continuous; it must be discrete"))
        })
    }
}

/// A length that is positive and finite.
pub(super) fn positive(name: &str, step: f64) -> Result<f64> {
    if step > 0.0 && step.is_finite() {
        return Ok(step);
    }
    Err(Error::shape(format!("{name}: steps of {step}: their length must be positive")))
}
