//! Steps of one size.

use super::state::{Parts, Slope, State, System};
use crate::array::{DeviceArray, located, named, or_panic};
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::loops::try_repeat;

/// Integrates an ensemble by so many steps of Euler's method, `y + h·f(t, y)`.
///
/// **Shape, dtype.** The state's components have one shape, that of the ensemble, and one type, `f32`
/// or `f64`; the function takes the time, of the ensemble's shape, and a state, and gives the slopes,
/// of the state's shapes. The result is the state at `t0 + h·steps`.
///
/// The method is of first order: for noisy and for very cheap equations, and to compare with.
/// [`rk4`] is the one to begin with. A negative `h` integrates backwards.
///
/// The steps are one [`repeat`](crate::repeat): the function is recorded, not run step by step, and
/// where its values at a position depend on the state there alone, all steps are one launch.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Panics
/// Where the state has no components, or their shapes or devices differ, where the function gives
/// another number of components or other shapes, where `t0` or `h` is not finite, or `h` is zero;
/// [`try_euler`] returns an error.
///
/// # Example
/// ```
/// use lazuli::{ode, prelude::*};
/// // Two members of y' = -y, by two steps of a quarter: factors of 3/4.
/// let y0 = DeviceArray::from_slice(&[1.0, 16.0])?;
/// let y = ode::euler(|_, y| -y, 0.0, 0.25, 2, y0);
/// assert_eq!(y.to_vec()?, [0.5625, 9.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn euler<S: State>(
    f: impl Fn(&DeviceArray<S::Scalar>, &S) -> S,
    t0: f64,
    h: f64,
    steps: usize,
    y0: S,
) -> S {
    or_panic(try_euler(f, t0, h, steps, y0))
}

/// [`euler`] for equations and steps that come from data.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Errors
/// [`Error::is_shape`] where the state has no components, their shapes differ, the function gives
/// another number of components or other shapes, or `t0` or `h` is not finite or `h` is zero;
/// [`Error::is_device`] where arrays live on several devices; [`Error::is_unsupported`] where the
/// function draws random numbers.
#[track_caller]
pub fn try_euler<S: State>(
    f: impl Fn(&DeviceArray<S::Scalar>, &S) -> S,
    t0: f64,
    h: f64,
    steps: usize,
    y0: S,
) -> Result<S> {
    located(named("euler", stepped(&f, (t0, h), steps, &y0, euler_step)))
}

/// Integrates an ensemble by so many steps of the classical Runge–Kutta method, of fourth order.
///
/// **Shape, dtype.** As [`euler`] has them. A negative `h` integrates backwards.
///
/// The steps are one [`repeat`](crate::repeat): where the function's values at a position depend on
/// the state there alone, all steps are one launch, with the state in registers between them.
///
/// The method: W. Kutta, "Beitrag zur näherungsweisen Integration totaler Differentialgleichungen",
/// Z. Math. Phys. 46 (1901); Hairer, Nørsett and Wanner, "Solving Ordinary Differential Equations
/// I", II.1.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Panics
/// As [`euler`]; [`try_rk4`] returns an error.
///
/// # Example
/// ```
/// use lazuli::{ode, prelude::*};
/// // Springs of three stiffnesses, for half a period of the first.
/// let k = DeviceArray::from_slice(&[1.0, 4.0, 9.0])?;
/// let start = (DeviceArray::<f64>::ones(3), DeviceArray::zeros(3));
/// let h = std::f64::consts::PI / 1000.0;
/// let (x, _) = ode::rk4(|_, (x, v)| (v.clone(), -(&k * x)), 0.0, h, 1000, start);
/// let wanted = [-1.0, 1.0, -1.0];
/// assert!(x.to_vec()?.iter().zip(wanted).all(|(x, want)| (x - want).abs() < 1e-8));
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "runge_kutta")]
#[track_caller]
pub fn rk4<S: State>(
    f: impl Fn(&DeviceArray<S::Scalar>, &S) -> S,
    t0: f64,
    h: f64,
    steps: usize,
    y0: S,
) -> S {
    or_panic(try_rk4(f, t0, h, steps, y0))
}

/// [`rk4`] for equations and steps that come from data.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Errors
/// As [`try_euler`].
#[track_caller]
pub fn try_rk4<S: State>(
    f: impl Fn(&DeviceArray<S::Scalar>, &S) -> S,
    t0: f64,
    h: f64,
    steps: usize,
    y0: S,
) -> Result<S> {
    located(named("rk4", stepped(&f, (t0, h), steps, &y0, rk4_step)))
}

/// A step: from the system, the time, the step's size and the state.
type Step<'f, S> = fn(
    &System<'f, S>,
    &DeviceArray<<S as State>::Scalar>,
    f64,
    &[DeviceArray<<S as State>::Scalar>],
) -> Parts<<S as State>::Scalar>;

fn stepped<'f, S: State>(
    slope: Slope<'f, S>,
    (t0, h): (f64, f64),
    steps: usize,
    y0: &S,
    step: Step<'f, S>,
) -> Result<S> {
    if !t0.is_finite() || !h.is_finite() {
        return Err(Error::shape(format!(
            "a start at {t0} with steps of {h}: both must be finite"
        )));
    }
    if h == 0.0 {
        return Err(Error::shape("the step's size is zero"));
    }
    let (system, y) = System::new(slope, y0)?;
    let (first, size) = (S::Scalar::from_f64(t0), S::Scalar::from_f64(h));
    let end = if system.reads_time(&y)? {
        // The steps are counted, because a sum of many small steps would drift from the time.
        let count = y[0].full_like(0i64);
        let end = try_repeat(steps, (count, y), |(count, y)| {
            let t = count.cast::<S::Scalar>() * size + first;
            (count + 1, step(&system, &t, h, &y))
        });
        system.checked(end)?.1
    } else {
        let t = y[0].full_like(first);
        let end = try_repeat(steps, y, |y| step(&system, &t, h, &y));
        system.checked(end)?
    };
    Ok(system.whole(&end))
}

/// `y + h·slope`.
fn along<T: Floating>(y: &[DeviceArray<T>], h: f64, slope: &[DeviceArray<T>]) -> Parts<T> {
    y.iter().zip(slope).map(|(y, slope)| y + slope * T::from_f64(h)).collect()
}

fn euler_step<S: State>(
    system: &System<S>,
    t: &DeviceArray<S::Scalar>,
    h: f64,
    y: &[DeviceArray<S::Scalar>],
) -> Parts<S::Scalar> {
    along(y, h, &system.slope(t, y))
}

fn rk4_step<S: State>(
    system: &System<S>,
    t: &DeviceArray<S::Scalar>,
    h: f64,
    y: &[DeviceArray<S::Scalar>],
) -> Parts<S::Scalar> {
    let number = S::Scalar::from_f64;
    let (middle, end) = (t + number(0.5 * h), t + number(h));
    let k1 = system.slope(t, y);
    let k2 = system.slope(&middle, &along(y, 0.5 * h, &k1));
    let k3 = system.slope(&middle, &along(y, 0.5 * h, &k2));
    let k4 = system.slope(&end, &along(y, h, &k3));
    let ends = k1.iter().zip(&k4).map(|(first, last)| first + last);
    let middles = k2.iter().zip(&k3).map(|(a, b)| (a + b) * number(2.0));
    let slopes: Parts<_> = ends.zip(middles).map(|(ends, middles)| ends + middles).collect();
    along(y, h / 6.0, &slopes)
}
