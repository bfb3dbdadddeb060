//! Events: times at which functions of the solution change their signs.

use super::state::State;
use crate::array::DeviceArray;

/// The crossings that an event looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Both,
    Rising,
    Falling,
}

/// A function of an event: of the times, of a state.
type Value<'f, S> =
    Box<dyn Fn(&DeviceArray<<S as State>::Scalar>, &S) -> DeviceArray<<S as State>::Scalar> + 'f>;

/// A function of times and states whose changes of sign [`solve_events`](super::solve_events) looks
/// for.
///
/// An event happens in a step whose start has a sign and whose end has the other one or zero. So a
/// zero at the start of the integration is none, and a zero at the end of a step is one event. A
/// function that is NaN has no sign. Where a function changes its sign twice within a step, neither
/// is noticed: [`Options::max_step`](super::Options::max_step) makes steps as small as that needs.
pub struct Event<'f, S: State> {
    pub(super) value: Value<'f, S>,
    pub(super) direction: Direction,
    pub(super) terminal: bool,
    pub(super) crossings: usize,
}

impl<'f, S: State> Event<'f, S> {
    /// An event that happens where a function changes its sign. The function is given the members'
    /// times and a state, and gives an array of the shape of the times.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// // When does cos t become zero?
    /// let event = ode::Event::new(|_, x: &DeviceArray<f64>| x.clone());
    /// let x0 = DeviceArray::from_slice(&[1.0])?;
    /// let options = ode::Options::new().rtol(1e-9).atol(1e-12);
    /// let (_, found) = ode::solve_events(|t, _| -t.sin(), (0.0, 3.0), x0, &[event], &options);
    /// assert!((found[0].t.to_vec()?[0] - std::f64::consts::FRAC_PI_2).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(
        value: impl Fn(&DeviceArray<S::Scalar>, &S) -> DeviceArray<S::Scalar> + 'f,
    ) -> Event<'f, S> {
        let value = Box::new(value);
        Event { value, direction: Direction::Both, terminal: false, crossings: 1 }
    }

    /// Only where the function becomes positive: SciPy's `direction = 1`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let event = ode::Event::new(|_, x: &DeviceArray<f64>| x.clone()).rising();
    /// let x0 = DeviceArray::from_slice(&[1.0])?;
    /// let options = ode::Options::new().rtol(1e-9).atol(1e-12);
    /// let (_, found) = ode::solve_events(|t, _| -t.sin(), (0.0, 6.0), x0, &[event], &options);
    /// assert!((found[0].t.to_vec()?[0] - 1.5 * std::f64::consts::PI).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn rising(self) -> Self {
        Event { direction: Direction::Rising, ..self }
    }

    /// Only where the function becomes negative: SciPy's `direction = -1`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let event = ode::Event::new(|_, x: &DeviceArray<f64>| x.clone()).falling();
    /// let x0 = DeviceArray::from_slice(&[1.0])?;
    /// let options = ode::Options::new().rtol(1e-9).atol(1e-12);
    /// let (_, found) = ode::solve_events(|t, _| -t.sin(), (0.0, 6.0), x0, &[event], &options);
    /// assert_eq!(found[0].count.to_vec()?, [1]); // not at 3π/2
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn falling(self) -> Self {
        Event { direction: Direction::Falling, ..self }
    }

    /// The event ends its member, with [`Status::Event`](super::Status::Event). The other members go
    /// on.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// // Stones thrown upwards, until they are back.
    /// let start = (DeviceArray::<f64>::zeros(2), DeviceArray::from_slice(&[9.81, 19.62])?);
    /// let ground = ode::Event::new(|_, (height, _): &(DeviceArray<f64>, _)| height.clone());
    /// let (solution, _) = ode::solve_events(
    ///     |_, (_, speed)| (speed.clone(), speed.full_like(-9.81)),
    ///     (0.0, 10.0),
    ///     start,
    ///     &[ground.terminal()],
    ///     &ode::Options::new(),
    /// );
    /// assert_eq!(solution.statuses()?, [ode::Status::Event; 2]);
    /// assert!((solution.t.to_vec()?[1] - 4.0).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn terminal(self) -> Self {
        Event { terminal: true, ..self }
    }

    /// The number of crossings of each member whose times and states are kept, from 1, which is what
    /// an event begins with, to 64. All are counted. Each costs a few arrays of the ensemble's shape.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let event = ode::Event::new(|_, x: &DeviceArray<f64>| x.clone()).crossings(3);
    /// let x0 = DeviceArray::from_slice(&[1.0])?;
    /// let options = ode::Options::new().rtol(1e-9).atol(1e-12);
    /// let (_, found) = ode::solve_events(|t, _| -t.sin(), (0.0, 6.0), x0, &[event], &options);
    /// let times = found[0].t.to_vec()?;
    /// assert!((times[1] - 1.5 * std::f64::consts::PI).abs() < 1e-8 && times[2].is_nan());
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn crossings(self, count: usize) -> Self {
        Event { crossings: count, ..self }
    }
}

/// The crossings of an event, of all members. All of it is recorded, not computed yet.
#[derive(Clone, Debug)]
pub struct Crossings<S: State> {
    /// The times, along a new first axis of the length that [`Event::crossings`] asks for; NaN where a
    /// member has fewer.
    pub t: DeviceArray<S::Scalar>,
    /// The states there, by dense output.
    pub y: S,
    /// The number of crossings of each member, those included that are not kept.
    pub count: DeviceArray<i32>,
}
