//! How exactly kernels divide.

use std::cell::Cell;

/// How kernels divide and take square roots of `f32`, and of halves, which are computed in `f32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Arithmetic {
    /// As IEEE 754 has it: quotients and roots are the nearest numbers there are.
    #[default]
    Exact,
    /// By the GPU's approximations: a quotient is off by at most 2 units in the last place, a root
    /// or a reciprocal by 1, and subnormal numbers count as zero there, as arguments and as
    /// results. This holds for the `/` and the `sqrt` of users' functions as well, and for the
    /// roots that functions of `Complex<f32>` take; quotients of `Complex<f32>` are exact, and other
    /// functions keep the accuracy that they have. Triton's compiler divides so without being asked.
    Fast,
}

thread_local! {
    static ARITHMETIC: Cell<Arithmetic> = const { Cell::new(Arithmetic::Exact) };
}

impl Arithmetic {
    /// What evaluations in this thread are asked for.
    pub(crate) fn current() -> Arithmetic {
        ARITHMETIC.get()
    }
}

/// Runs `f` with expressions that are evaluated in it, in this thread, computed in the given
/// arithmetic.
///
/// It makes a difference on a GPU, to kernels that are bound by divisions. The processor divides
/// exactly either way, and so do `f64`, library calls and `#[kernel]`.
///
/// **Laziness.** The arithmetic is that at evaluation, not at recording; a function under
/// [`compile`](crate::compile()) has that of the call, and is recorded once for each.
///
/// # Example
/// ```
/// use lazuli::{Arithmetic, prelude::*, with_arithmetic};
/// let x = DeviceArray::<f32>::linspace(1.0, 2.0, 1000);
/// let mean = with_arithmetic(Arithmetic::Fast, || (1.0 / &x).mean(..).item())?;
/// assert!((mean - 2f32.ln()).abs() < 1e-3);
/// # Ok::<(), Error>(())
/// ```
pub fn with_arithmetic<R>(arithmetic: Arithmetic, f: impl FnOnce() -> R) -> R {
    struct Restore(Arithmetic);
    impl Drop for Restore {
        fn drop(&mut self) {
            ARITHMETIC.set(self.0);
        }
    }
    let _restore = Restore(ARITHMETIC.replace(arithmetic));
    f()
}
