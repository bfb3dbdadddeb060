//! What solvers are told, and what they give.

use crate::array::{DeviceArray, eval};
use crate::dtype::{DType, Floating};
use crate::error::{Error, Result};
use crate::repeat;

/// A preconditioner.
type Apply<'a, T> = Box<dyn Fn(&DeviceArray<T>) -> DeviceArray<T> + 'a>;

/// When a solver ends, and how it begins.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{Options, cg}};
/// let a = Csr::diags([3, 3], &[(0, &DeviceArray::from_slice(&[1.0, 10.0, 100.0])?)])?;
/// let b = DeviceArray::<f64>::ones([3]);
/// let diagonal = a.diagonal();
/// // Jacobi's preconditioner makes this the identity.
/// let options = Options::new().rtol(1e-12).preconditioner(|r| r / &diagonal);
/// let found = cg(&a, &b, &options)?;
/// assert_eq!((found.turns, found.x.to_vec()?), (1, vec![1.0, 0.1, 0.01]));
/// # Ok::<(), Error>(())
/// ```
pub struct Options<'a, T: Floating> {
    pub(super) rtol: f64,
    pub(super) atol: f64,
    pub(super) max_turns: Option<usize>,
    pub(super) restart: usize,
    pub(super) damp: f64,
    pub(super) guess: Option<DeviceArray<T>>,
    precondition: Option<Apply<'a, T>>,
}

impl<T: Floating> Default for Options<'_, T> {
    fn default() -> Self {
        Options {
            rtol: 1e-5,
            atol: 0.0,
            max_turns: None,
            restart: 20,
            damp: 0.0,
            guess: None,
            precondition: None,
        }
    }
}

impl<'a, T: Floating> Options<'a, T> {
    /// SciPy's: a relative tolerance of 1e-5, ten turns for each unknown at most, no guess and no
    /// preconditioner.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The solver ends where the residual's norm is at most so many times that of the right-hand side,
    /// or [`atol`](Self::atol).
    #[must_use]
    pub fn rtol(mut self, rtol: f64) -> Self {
        self.rtol = rtol;
        self
    }

    /// The absolute tolerance.
    #[must_use]
    pub fn atol(mut self, atol: f64) -> Self {
        self.atol = atol;
        self
    }

    /// The most turns. SciPy: `maxiter`; of GMRES these are steps, not restarts.
    #[doc(alias = "maxiter")]
    #[must_use]
    pub fn max_turns(mut self, turns: usize) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// The steps of GMRES between restarts, 20 else: as many vectors are kept.
    #[must_use]
    pub fn restart(mut self, steps: usize) -> Self {
        self.restart = steps.max(1);
        self
    }

    /// The damping of [`lsqr`](super::lsqr): it minimises `‖A·x − b‖² + damp²·‖x‖²`.
    #[must_use]
    pub fn damp(mut self, damp: f64) -> Self {
        self.damp = damp;
        self
    }

    /// Where the solver begins, at zeros else. SciPy: `x0`.
    #[doc(alias = "x0")]
    #[must_use]
    pub fn guess(mut self, x: &DeviceArray<T>) -> Self {
        self.guess = Some(x.clone());
        self
    }

    /// A function that nearly solves the system, `r ↦ A⁻¹·r`. SciPy: `M`.
    #[doc(alias = "M")]
    #[must_use]
    pub fn preconditioner(
        mut self,
        apply: impl Fn(&DeviceArray<T>) -> DeviceArray<T> + 'a,
    ) -> Self {
        self.precondition = Some(Box::new(apply));
        self
    }

    pub(super) fn precondition(&self, r: &DeviceArray<T>) -> DeviceArray<T> {
        self.precondition.as_ref().map_or_else(|| r.clone(), |apply| apply(r))
    }

    pub(super) fn most(&self, unknowns: usize) -> usize {
        self.max_turns.unwrap_or(10 * unknowns)
    }

    /// The norm of a residual that is small enough, for this right-hand side.
    pub(super) fn tolerance(&self, b: &DeviceArray<T>) -> DeviceArray<T> {
        (b.norm(0) * T::from_f64(self.rtol)).maximum(T::from_f64(self.atol))
    }

    /// Solves with a right-hand side whose powers are numbers. Where they would be zero or infinite, the
    /// solver would take it for zero, or never end, and gets a multiple by a power of two.
    pub(super) fn in_range(
        &self,
        b: &DeviceArray<T>,
        solve: impl FnOnce(&Options<'_, T>, &DeviceArray<T>) -> Result<Solution<T>>,
    ) -> Result<Solution<T>> {
        let by = match b.is_empty() {
            true => 1.0,
            false => factor::<T>(b.abs().max(..).item()?.to_f64()),
        };
        if by == 1.0 {
            return solve(self, b);
        }
        let scale = T::from_f64(by);
        let apply = self.precondition.as_ref();
        let options = Options {
            atol: self.atol * by,
            guess: self.guess.as_ref().map(|x| x * scale),
            precondition: apply.map(|apply| Box::new(move |r: &_| apply(r)) as Apply<'_, T>),
            rtol: self.rtol,
            max_turns: self.max_turns,
            restart: self.restart,
            damp: self.damp,
        };
        let found = solve(&options, &(b * scale))?;
        Ok(Solution { x: found.x / scale, residual: found.residual / by, ..found })
    }

    /// Checks the right-hand side and the guess: the first `x`.
    pub(super) fn begin(&self, name: &str, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        let guess = self.guess.as_ref().map_or(b.shape(), |x| x.shape());
        if b.ndim() != 1 || guess != b.shape() {
            return Err(Error::shape(format!(
                "{name}: a right-hand side of shape {:?} and a guess of shape {guess:?}; both are vectors \
                 of one length",
                b.shape()
            )));
        }
        Ok(self.guess.clone().unwrap_or_else(|| DeviceArray::zeros_like(b)))
    }
}

/// A power of two that takes numbers up to this one to where their fourth powers are numbers, of which
/// MINRES has some; 1 where they are.
fn factor<T: Floating>(largest: f64) -> f64 {
    let (most, last) = match T::DTYPE {
        DType::F64 => (200, 1022),
        DType::F32 => (20, 126),
        _ => return 1.0,
    };
    if largest == 0.0 || !largest.is_finite() {
        return 1.0;
    }
    let exponent = largest.log2().floor() as i32;
    if exponent.abs() <= most { 1.0 } else { f64::from((-exponent).clamp(-last, last)).exp2() }
}

/// What a solver found.
#[derive(Clone, Debug)]
pub struct Solution<T: Floating> {
    /// The unknowns.
    pub x: DeviceArray<T>,
    /// The turns that changed them.
    pub turns: usize,
    /// The norm of the residual, as the recurrences have it.
    pub residual: f64,
    /// Whether the tolerance was reached. Where it was not, the turns were at their end, or the method
    /// broke down: it divided by zero, or met a NaN.
    pub converged: bool,
}

/// The first turns between two looks at the residual, and the most.
const FIRST: usize = 8;
const MOST: usize = 64;

/// What every method carries: the vectors, the residual's norm, and how many turns changed something.
pub(super) type State<T> = (Vec<DeviceArray<T>>, DeviceArray<T>, DeviceArray<i64>);

/// Turns until the residual is small, they are at their end, or no turn changes anything. The first
/// vector is `x`. The body gets whether the turn is to change anything, and gives the vectors of the next
/// turn, the residual's norm and whether all went well.
pub(super) fn turns<T: Floating>(
    vectors: Vec<DeviceArray<T>>,
    residual: DeviceArray<T>,
    tolerance: &DeviceArray<T>,
    most: usize,
    body: impl Fn(
        Vec<DeviceArray<T>>,
        DeviceArray<bool>,
    ) -> (Vec<DeviceArray<T>>, DeviceArray<T>, DeviceArray<bool>),
) -> Result<Solution<T>> {
    let mut state: State<T> = (vectors, residual, DeviceArray::<i64>::zeros(()));
    let (mut done, mut block) = (0, FIRST);
    loop {
        let (vectors, residual, turns) = &state;
        eval(&[&vectors[0], residual, turns, tolerance])?;
        let (now, turns) = (residual.item()?.to_f64(), turns.item()? as usize);
        // Of an infinite right-hand side any residual is within the tolerance.
        let converged = now <= tolerance.item()?.to_f64() && now.is_finite();
        if converged || turns < done || turns >= most {
            let x = vectors[0].clone();
            return Ok(Solution { x, turns, residual: now, converged });
        }
        let here = block.min(most - turns);
        done = turns + here;
        state = repeat(here, state, |(vectors, residual, turns): State<T>| {
            let goes_on = residual.greater(tolerance);
            let (vectors, next, went_well) = body(vectors, goes_on.clone());
            let counts = goes_on.logical_and(went_well.clone());
            let residual = went_well.select(next, residual);
            (vectors, residual, turns + counts.cast::<i64>())
        });
        block = (2 * block).min(MOST);
    }
}

/// A quotient of two numbers where the turn is to change something and the quotient is one; else zero,
/// and whether it is one.
pub(super) fn quotient<T: Floating>(
    a: &DeviceArray<T>,
    b: &DeviceArray<T>,
    goes_on: &DeviceArray<bool>,
) -> (DeviceArray<T>, DeviceArray<bool>) {
    let quotient = a / b;
    let is_one = quotient.is_finite();
    (goes_on.logical_and(is_one.clone()).select(quotient, T::ZERO), is_one)
}
