//! What peaks have to be like.

/// What a peak has to be like for [`find_peaks`](super::find_peaks). Each bound is a pair of the least and the largest
/// value; an infinity is no bound.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::{PeakConditions, find_peaks};
/// let x = DeviceArray::from_slice(&[0.0, 2.0, 0.0, 1.0, 0.0, 3.0, 0.0])?;
/// let high = PeakConditions::new().height(1.5, f64::INFINITY);
/// assert_eq!(find_peaks(&x, &high)?.positions, [1, 5]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PeakConditions {
    pub(super) height: Option<(f64, f64)>,
    pub(super) threshold: Option<(f64, f64)>,
    pub(super) distance: usize,
    pub(super) prominence: Option<(f64, f64)>,
    pub(super) width: Option<(f64, f64)>,
    pub(super) plateau: Option<(f64, f64)>,
    pub(super) window: Option<usize>,
    pub(super) relative_height: f64,
}

impl Default for PeakConditions {
    fn default() -> Self {
        PeakConditions::new()
    }
}

macro_rules! bounds {
    ($($(#[$meta:meta])* $name:ident;)*) => {$(
        $(#[$meta])*
        #[must_use]
        pub fn $name(self, least: f64, most: f64) -> PeakConditions {
            PeakConditions { $name: Some((least, most)), ..self }
        }
    )*};
}

impl PeakConditions {
    /// Every sample, or middle of a plateau, that is higher than both of its neighbours.
    ///
    /// # Example
    /// ```
    /// use lazuli::{prelude::*, signal::{PeakConditions, find_peaks}};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 0.0, 2.0, 2.0, 2.0, 0.0])?;
    /// assert_eq!(find_peaks(&x, &PeakConditions::new())?.positions, [1, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub const fn new() -> PeakConditions {
        PeakConditions {
            height: None,
            threshold: None,
            distance: 1,
            prominence: None,
            width: None,
            plateau: None,
            window: None,
            relative_height: 0.5,
        }
    }

    bounds! {
        /// Bounds of the value. SciPy: `height=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{PeakConditions, find_peaks}};
        /// let x = DeviceArray::from_slice(&[0.0, 1.0, 0.0, 3.0, 0.0])?;
        /// let low = PeakConditions::new().height(0.0, 2.0);
        /// assert_eq!(find_peaks(&x, &low)?.positions, [1]);
        /// # Ok::<(), Error>(())
        /// ```
        height;
        /// Bounds of the steps down to both neighbours. SciPy: `threshold=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{PeakConditions, find_peaks}};
        /// let x = DeviceArray::from_slice(&[0.0, 1.0, 0.0, 3.0, 0.0])?;
        /// let steep = PeakConditions::new().threshold(2.0, f64::INFINITY);
        /// assert_eq!(find_peaks(&x, &steep)?.positions, [3]);
        /// # Ok::<(), Error>(())
        /// ```
        threshold;
        /// Bounds of the prominence ([`peak_prominences`](super::peak_prominences)). SciPy: `prominence=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{PeakConditions, find_peaks}};
        /// let x = DeviceArray::from_slice(&[0.0, 3.0, 2.0, 2.5, 0.0])?;
        /// let own = PeakConditions::new().prominence(1.0, f64::INFINITY);
        /// assert_eq!(find_peaks(&x, &own)?.positions, [1]);
        /// # Ok::<(), Error>(())
        /// ```
        prominence;
        /// Bounds of the width in samples ([`peak_widths`](super::peak_widths)). SciPy: `width=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{PeakConditions, find_peaks}};
        /// let x = DeviceArray::from_slice(&[0.0, 3.0, 0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0])?;
        /// let wide = PeakConditions::new().width(2.0, f64::INFINITY);
        /// assert_eq!(find_peaks(&x, &wide)?.positions, [5]);
        /// # Ok::<(), Error>(())
        /// ```
        width;
        /// Bounds of the number of equal samples at the top. SciPy: `plateau_size=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{PeakConditions, find_peaks}};
        /// let x = DeviceArray::from_slice(&[0.0, 3.0, 0.0, 1.0, 1.0, 0.0])?;
        /// let flat = PeakConditions::new().plateau(2.0, f64::INFINITY);
        /// assert_eq!(find_peaks(&x, &flat)?.positions, [3]);
        /// # Ok::<(), Error>(())
        /// ```
        plateau;
    }

    /// The least distance between two peaks, in samples: the lower ones near a higher one go. SciPy:
    /// `distance=`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{prelude::*, signal::{PeakConditions, find_peaks}};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 0.0, 3.0, 0.0])?;
    /// assert_eq!(find_peaks(&x, &PeakConditions::new().distance(3))?.positions, [3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn distance(self, distance: usize) -> PeakConditions {
        PeakConditions { distance, ..self }
    }

    /// The number of samples, rounded up to an odd one, in the midst of which a peak's prominence is
    /// sought. SciPy: `wlen=`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{prelude::*, signal::{PeakConditions, find_peaks}};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 1.0, 0.0])?;
    /// let near = PeakConditions::new().prominence(0.0, 10.0).window(3);
    /// assert_eq!(find_peaks(&x, &near)?.prominences, [1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn window(self, window: usize) -> PeakConditions {
        PeakConditions { window: Some(window), ..self }
    }

    /// The part of the prominence, from the top, at which widths are measured. SciPy: `rel_height=`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{prelude::*, signal::{PeakConditions, find_peaks}};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 1.0, 0.0])?;
    /// let low = PeakConditions::new().width(0.0, 10.0).relative_height(1.0);
    /// assert_eq!(find_peaks(&x, &low)?.widths, [4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn relative_height(self, relative_height: f64) -> PeakConditions {
        PeakConditions { relative_height, ..self }
    }
}
