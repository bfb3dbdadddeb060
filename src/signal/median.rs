//! Medians over windows, as `scipy.signal` has them.

use crate::DeviceArray;
use crate::array::checked_fns;
use crate::dtype::Ordered;
use crate::error::Error;
use crate::ndimage::{Border, Window, try_median_filter};

checked_fns! {
    /// The median of the elements around each one, zeros being beyond the edges.
    ///
    /// The size is one for all axes (`3`) or one for each (`[3, 5]`), and odd; other edges and windows: [`ndimage::median_filter`](crate::ndimage::median_filter()).
    ///
    /// **Shape.** The array's. **Dtype.** The array's. SciPy: `signal.medfilt`, `signal.medfilt2d`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::medfilt;
    /// let x = DeviceArray::from_slice(&[1.0, 9.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(medfilt(&x, 3).to_vec()?, [1.0, 2.0, 3.0, 3.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn medfilt | try_medfilt<T: Ordered>(
        a: &DeviceArray<T>,
        size: impl Into<Window>,
    ) -> DeviceArray<T> {
        let window = Window::new(size).border(Border::Constant(0.0));
        if let Some(even) = window.each_size("medfilt", a.ndim())?.iter().find(|n| **n % 2 == 0) {
            return Err(Error::shape(format!("medfilt: a window of {even} samples has no middle one")));
        }
        try_median_filter(a, window)
    }
}
