//! Tables on rectangular grids.

use super::{Beyond, intervals, nan_beyond, read, rising, with_axes, wrapped};
use crate::array::{DeviceArray, located};
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::try_broadcast_arrays;

/// How a [`RegularGrid`] is read between its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GridMethod {
    /// Linear along each axis.
    #[default]
    Linear,
    /// The value of the nearest point; of two the lower one.
    Nearest,
}

/// Values at the points of a rectangular grid, whose lines need not be evenly spaced. SciPy:
/// `RegularGridInterpolator`, `interpn`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::interpolate::RegularGrid;
/// let (x, y) = (DeviceArray::from_slice(&[0.0, 1.0, 4.0])?, DeviceArray::from_slice(&[0.0, 10.0])?);
/// let table = x.insert_axis(1) * 2.0 + &y;
/// let f = RegularGrid::new(&[&x, &y], &table)?;
/// let (at_x, at_y) = (DeviceArray::from_slice(&[0.5, 2.5])?, DeviceArray::from_slice(&[5.0, 1.0])?);
/// assert_eq!(f.at(&[&at_x, &at_y]).to_vec()?, [6.0, 6.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RegularGrid<T: Floating> {
    points: Vec<DeviceArray<T>>,
    ends: Vec<[f64; 2]>,
    /// The values, `[points, …]`.
    values: DeviceArray<T>,
    method: GridMethod,
    beyond: Beyond,
}

impl<T: Floating> RegularGrid<T> {
    /// The table of these values at the points of these lines.
    ///
    /// **Shape.** Each line has one axis and rises; `values` is `[lines[0].len(), lines[1].len(), …]`,
    /// perhaps with further axes behind, functions side by side. **Laziness.** Looks at the lines now,
    /// the values are recorded.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the shapes do not fit or a line does not rise.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::RegularGrid, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 2.0])?;
    /// let f = RegularGrid::new(&[&x], &DeviceArray::from_slice(&[1.0, 5.0])?)?;
    /// assert_eq!(f.at(&[&DeviceArray::from_slice(&[0.5])?]).to_vec()?, [2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new(lines: &[&DeviceArray<T>], values: &DeviceArray<T>) -> Result<RegularGrid<T>> {
        let make = || {
            let mut ends = Vec::new();
            for (axis, line) in lines.iter().enumerate() {
                let host = rising("RegularGrid", line)?;
                if values.shape().get(axis) != Some(&host.len()) {
                    let (shape, points) = (values.shape(), host.len());
                    return Err(Error::shape(format!(
                        "RegularGrid: values of shape {shape:?} for {points} points along axis {axis}"
                    )));
                }
                ends.push([host[0], host[host.len() - 1]]);
            }
            if lines.is_empty() {
                return Err(Error::shape("RegularGrid: a grid has an axis at least".to_owned()));
            }
            let (along, behind) = values.shape().split_at(lines.len());
            let shape = [along.iter().product()].into_iter().chain(behind.iter().copied());
            Ok(RegularGrid {
                points: lines.iter().map(|&line| line.clone()).collect(),
                ends,
                values: values.reshape(shape.collect::<Vec<_>>()),
                method: GridMethod::default(),
                beyond: Beyond::Nan,
            })
        };
        located(make())
    }

    /// The same table, read in another way.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::{GridMethod, RegularGrid}, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 2.0])?;
    /// let f = RegularGrid::new(&[&x], &x)?.method(GridMethod::Nearest);
    /// assert_eq!(f.at(&[&DeviceArray::from_slice(&[0.5, 1.5])?]).to_vec()?, [0.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn method(mut self, method: GridMethod) -> Self {
        self.method = method;
        self
    }

    /// The same table with other values beyond its ends, which are NaN else. SciPy: `bounds_error` and
    /// `fill_value`, of which the first raises an exception by default.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::{Beyond, RegularGrid}, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 2.0])?;
    /// let f = RegularGrid::new(&[&x], &x)?.beyond(Beyond::Extrapolate);
    /// assert_eq!(f.at(&[&DeviceArray::from_slice(&[3.0])?]).to_vec()?, [3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn beyond(mut self, beyond: Beyond) -> Self {
        self.beyond = beyond;
        self
    }

    /// The values at these places: an array of coordinates for each axis, which broadcast against
    /// each other. NaN gives NaN.
    ///
    /// **Shape.** That of the coordinates, with the trailing axes of the values behind. **Laziness.**
    /// Records: one kernel, which reads `2ⁿ` values for `n` axes.
    ///
    /// # Panics
    /// Where there are not as many coordinates as axes, or they do not broadcast;
    /// [`try_at`](Self::try_at) returns an error.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::RegularGrid, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0])?;
    /// let f = RegularGrid::new(&[&x, &x], &(x.insert_axis(1) * &x))?;
    /// assert_eq!(f.at(&[&DeviceArray::full((), 0.5), &x]).to_vec()?, [0.0, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn at(&self, places: &[&DeviceArray<T>]) -> DeviceArray<T> {
        crate::array::or_panic(self.try_at(places))
    }

    /// [`at`](Self::at) for coordinates that come from data.
    ///
    /// # Errors
    /// [`Error::is_shape`] where there are not as many coordinates as axes, or they do not broadcast.
    #[track_caller]
    pub fn try_at(&self, places: &[&DeviceArray<T>]) -> Result<DeviceArray<T>> {
        if places.len() != self.points.len() {
            let (there, axes) = (places.len(), self.points.len());
            return located(Err(Error::shape(format!(
                "RegularGrid: {there} coordinates for {axes} axes"
            ))));
        }
        let mut places = try_broadcast_arrays(places)?;
        if self.beyond == Beyond::Periodic {
            for (place, &ends) in places.iter_mut().zip(&self.ends) {
                *place = wrapped(place, ends);
            }
        }
        let trailing = self.values.ndim() - 1;
        let mut steps = vec![1i64];
        for points in self.points[1..].iter().rev() {
            steps.insert(0, steps[0] * points.len() as i64);
        }
        // The elements around each place, and their weights.
        let mut corners: Vec<(DeviceArray<i64>, DeviceArray<T>)> = Vec::new();
        for ((place, points), &step) in places.iter().zip(&self.points).zip(&steps) {
            let interval = intervals(points, place);
            let (left, right) = (read(points, &interval), read(points, &(&interval + 1)));
            let weight = (place - &left) / (right - &left);
            let base = interval * step;
            let axis = match self.method {
                GridMethod::Nearest => {
                    let up = weight.greater(T::from_f64(0.5)).cast::<i64>();
                    // A NaN stays one.
                    vec![(base + up * step, weight * T::ZERO + T::ONE)]
                }
                GridMethod::Linear => {
                    vec![(base.clone(), -&weight + T::ONE), (base + step, weight)]
                }
            };
            corners = match corners.is_empty() {
                true => axis,
                false => {
                    let both = corners.iter().flat_map(|(at, weight)| {
                        axis.iter().map(move |(more, factor)| (at + more, weight * factor))
                    });
                    both.collect()
                }
            };
        }
        let parts = corners
            .into_iter()
            .map(|(at, weight)| read(&self.values, &at) * with_axes(&weight, trailing));
        let mut value = parts.reduce(|sum, part| sum + part).expect("a grid has a corner");
        if self.beyond == Beyond::Nan {
            for (place, &ends) in places.iter().zip(&self.ends) {
                value = nan_beyond(value, place, ends, trailing);
            }
        }
        Ok(value)
    }
}
