//! Filters by any function of the elements around each one.

use super::border::Placement;
use super::weighted::on_axis;
use super::window::{Around, Window};
use crate::array::{DeviceArray, checked_fns, located, or_panic, record, upload_to};
use crate::dtype::{Element, Floating, Number};
use crate::error::{Error, Result};
use crate::shape::{Shape, axis_index, checked_len};

checked_fns! {
    /// For each element those around it, along one more axis, as views: what reduces that axis is
    /// computed without storing them.
    ///
    /// **Shape.** The array's and the number of elements of the window, in C order. **Dtype.** The
    /// array's. NumPy: `lib.stride_tricks.sliding_window_view` of a padded array.
    example
    /// ```
    /// use lazuli::ndimage::windows;
    /// use lazuli::prelude::*;
    ///
    /// #[reduce(identity = 0)]
    /// fn any_bit(a: u8, b: u8) -> u8 {
    ///     a | b
    /// }
    ///
    /// let a = DeviceArray::from_slice(&[1u8, 2, 4, 8])?;
    /// assert_eq!(windows(&a, 3).shape(), [4, 3]);
    /// assert_eq!(any_bit::reduce(&windows(&a, 3), -1).to_vec()?, [3, 7, 14, 12]);
    /// # Ok::<(), Error>(())
    /// ```
    fn windows | try_windows<T: Element>(
        a: &DeviceArray<T>,
        window: impl Into<Window>,
    ) -> DeviceArray<T> {
        let around = Around::new("windows", &window.into(), a.ndim())?;
        let all: usize = around.sizes.iter().product();
        let mut shape = a.node().shape.clone();
        shape.push(all);
        checked_len("windows", &shape)?;
        if a.is_empty() {
            *shape.last_mut().expect("just pushed") = around.count();
            return Ok(DeviceArray::from_node(record::full(
                crate::dtype::Scalar::new(T::default()),
                shape,
                a.device(),
            )));
        }
        let extended = around.extend("windows", a.node())?;
        let windows = extended.windows("windows", &around.first, &around.sizes)?;
        let flat = DeviceArray::<T>::from_node(record::reshape(&windows, shape));
        let Some(footprint) = &around.footprint else { return Ok(flat) };
        let set = (0..all as i64).filter(|&k| footprint[k as usize]);
        let set: Vec<i64> = set.collect();
        let set = upload_to(a.device(), &set, Shape::from_slice(&[set.len()]))?;
        flat.try_take_clipped(&set, -1)
    }

    /// The elements around each one, an array for each place of the window in C order: the arguments
    /// of a function with [`vectorize`](macro@crate::vectorize).
    ///
    /// **Shape.** Each array has the array's. **Dtype.** The array's.
    example
    /// ```
    /// use lazuli::ndimage::neighbours;
    /// use lazuli::prelude::*;
    ///
    /// #[vectorize]
    /// fn is_peak(left: f64, here: f64, right: f64) -> bool {
    ///     here > left && here > right
    /// }
    ///
    /// let a = DeviceArray::from_slice(&[1.0, 3.0, 2.0, 4.0, 4.0])?;
    /// let [left, here, right] = &neighbours(&a, 3)[..] else { unreachable!() };
    /// let peaks = is_peak::call(left, here, right);
    /// assert_eq!(peaks.to_vec()?, [false, true, false, false, false]);
    /// # Ok::<(), Error>(())
    /// ```
    fn neighbours | try_neighbours<T: Element>(
        a: &DeviceArray<T>,
        window: impl Into<Window>,
    ) -> Vec<DeviceArray<T>> {
        let around = Around::new("neighbours", &window.into(), a.ndim())?;
        if a.is_empty() {
            return Ok(vec![a.clone(); around.count()]);
        }
        let all = around.neighbours("neighbours", a.node())?;
        Ok(all.into_iter().map(DeviceArray::from_node).collect())
    }
}

/// What a function makes of the elements around each one, which it is given along the last axis
/// ([`windows`]). It is called once, with the whole array, when this is recorded.
///
/// **Shape.** The array's, which the function's result has to have. **Dtype.** What the function
/// gives. **Laziness.** Records, as far as the function does. SciPy: `ndimage.generic_filter`,
/// `ndimage.vectorized_filter`.
///
/// # Panics
/// Where the window does not fit the array, or the result has another shape;
/// [`try_generic_filter`] returns an error.
///
/// # Example
/// ```
/// use lazuli::ndimage::generic_filter;
/// use lazuli::prelude::*;
///
/// #[reduce(identity = f64::NEG_INFINITY)]
/// fn greatest(a: f64, b: f64) -> f64 {
///     a.max(b)
/// }
///
/// let a = DeviceArray::from_slice(&[1.0, 5.0, 2.0, 2.0])?;
/// let range = generic_filter(&a, 3, |w| greatest::reduce(w, -1) - w.min(-1));
/// assert_eq!(range.to_vec()?, [4.0, 4.0, 3.0, 0.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn generic_filter<T: Element, U: Element>(
    a: &DeviceArray<T>,
    window: impl Into<Window>,
    function: impl FnOnce(&DeviceArray<T>) -> DeviceArray<U>,
) -> DeviceArray<U> {
    or_panic(try_generic_filter(a, window, function))
}

/// [`generic_filter`] for arguments that come from data.
///
/// **Laziness.** Records, as far as the function does.
///
/// # Errors
/// [`Error::is_shape`] where the window does not fit the array, or the result has another shape.
#[track_caller]
pub fn try_generic_filter<T: Element, U: Element>(
    a: &DeviceArray<T>,
    window: impl Into<Window>,
    function: impl FnOnce(&DeviceArray<T>) -> DeviceArray<U>,
) -> Result<DeviceArray<U>> {
    let result = function(&located(try_windows(a, window))?);
    if result.shape() != a.shape() {
        let (given, wanted) = (result.shape(), a.shape());
        let error = format!("generic_filter: the function gave shape {given:?}, not {wanted:?}");
        return located(Err(Error::shape(error)));
    }
    Ok(result)
}

/// What a function makes of the elements around each one along an axis, which it is given along the last
/// axis. It is called once, with the whole array, when this is recorded.
///
/// **Shape.** The function gets the array's and one axis of `size` more, and gives the array's.
/// **Dtype.** What the function gives. **Laziness.** Records, as far as the function does. SciPy:
/// `ndimage.generic_filter1d`, whose function gets a line at a time.
///
/// # Panics
/// Where the window does not fit the array, or the result has another shape;
/// [`try_generic_filter1d`] returns an error.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Border, generic_filter1d};
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[1.0, 5.0, 2.0, 2.0])?;
/// let range = generic_filter1d(&a, 3, 0, Border::Reflect, |w| w.max(-1) - w.min(-1));
/// assert_eq!(range.to_vec()?, [4.0, 4.0, 3.0, 0.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn generic_filter1d<T: Element, U: Element>(
    a: &DeviceArray<T>,
    size: usize,
    axis: isize,
    placement: impl Into<Placement>,
    function: impl FnOnce(&DeviceArray<T>) -> DeviceArray<U>,
) -> DeviceArray<U> {
    or_panic(try_generic_filter1d(a, size, axis, placement, function))
}

/// [`generic_filter1d`] for arguments that come from data.
///
/// **Laziness.** Records, as far as the function does.
///
/// # Errors
/// [`Error::is_shape`] where the window does not fit the array, or the result has another shape.
#[track_caller]
pub fn try_generic_filter1d<T: Element, U: Element>(
    a: &DeviceArray<T>,
    size: usize,
    axis: isize,
    placement: impl Into<Placement>,
    function: impl FnOnce(&DeviceArray<T>) -> DeviceArray<U>,
) -> Result<DeviceArray<U>> {
    const NAME: &str = "generic_filter1d";
    let along = || {
        let axis = axis_index(NAME, axis, a.ndim())?;
        let placement = on_axis(NAME, &placement.into(), axis, a.ndim())?;
        let around = Around::placed(NAME, &[size], &placement)?.on(axis, a.ndim());
        let mut shape = a.node().shape.clone();
        shape.push(size);
        checked_len(NAME, &shape)?;
        if a.is_empty() {
            let zero = crate::dtype::Scalar::new(T::default());
            return Ok(DeviceArray::from_node(record::full(zero, shape, a.device())));
        }
        let extended = around.extend(NAME, a.node())?;
        let windows = extended.windows(NAME, &around.first, &around.sizes)?;
        Ok(DeviceArray::<T>::from_node(record::reshape(&windows, shape)))
    };
    let result = function(&located(along())?);
    if result.shape() != a.shape() {
        let (given, wanted) = (result.shape(), a.shape());
        let error = format!("{NAME}: the function gave shape {given:?}, not {wanted:?}");
        return located(Err(Error::shape(error)));
    }
    Ok(result)
}

/// The sum of second derivatives along all axes, each by a function of the array and the axis.
///
/// **Shape, dtype.** The array's. **Laziness.** Records, as far as the function does. SciPy:
/// `ndimage.generic_laplace`.
///
/// # Panics
/// Where the function's results have other shapes.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Border, correlate1d, generic_laplace};
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[1.0, 4.0, 9.0, 16.0])?;
/// let second = |a: &DeviceArray<f64>, axis| correlate1d(a, &[1.0, -2.0, 1.0], axis, Border::Nearest);
/// assert_eq!(generic_laplace(&a, second).to_vec()?, [3.0, 2.0, 2.0, -7.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn generic_laplace<T: Number>(
    a: &DeviceArray<T>,
    derivative: impl Fn(&DeviceArray<T>, isize) -> DeviceArray<T>,
) -> DeviceArray<T> {
    let parts = (0..a.ndim()).map(|axis| derivative(a, axis as isize));
    parts.reduce(|sum, part| sum.add(part)).unwrap_or_else(|| a.clone())
}

/// The length of the gradient, whose parts a function of the array and the axis gives.
///
/// **Shape, dtype.** The array's. **Laziness.** Records, as far as the function does. SciPy:
/// `ndimage.generic_gradient_magnitude`.
///
/// # Panics
/// Where the function's results have other shapes.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Border, generic_gradient_magnitude, sobel};
/// use lazuli::prelude::*;
/// let a = DeviceArray::try_from([[0.0, 3.0, 6.0], [4.0, 7.0, 10.0], [8.0, 11.0, 14.0]])?;
/// let slope = |a: &DeviceArray<f64>, axis| sobel(a, axis, Border::Nearest);
/// assert_eq!(generic_gradient_magnitude(&a, slope).get([1, 1])?, 40.0); // 8 · √(3² + 4²)
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn generic_gradient_magnitude<T: Floating>(
    a: &DeviceArray<T>,
    derivative: impl Fn(&DeviceArray<T>, isize) -> DeviceArray<T>,
) -> DeviceArray<T> {
    let squares = (0..a.ndim()).map(|axis| derivative(a, axis as isize).square());
    squares.reduce(|sum, part| sum + part).map_or_else(|| a.clone(), |sum| sum.sqrt())
}
