//! Stretches of a signal, and what comes of their spectra.

use super::trend::Trend;
use super::window::Window;
use crate::error::{Error, Result};

/// What a spectrum of power is measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scaling {
    /// Power for each unit of frequency, whose sum over frequencies is the signal's power.
    #[default]
    Density,
    /// Power, which for a wave is the square of its amplitude's root mean square.
    Spectrum,
}

/// How the spectra of stretches become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Average {
    /// Their mean.
    #[default]
    Mean,
    /// Their median, corrected for its bias under noise; outliers do not move it.
    Median,
}

/// Which frequencies a spectrum has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sides {
    /// Those from 0 on for real signals, to which the power of the negative ones is added, and all
    /// for complex signals.
    #[default]
    One,
    /// All, the negative ones behind the positive ones.
    Two,
}

/// The stretches of a signal whose spectra are computed: how long they are, how far they overlap, by
/// what they are weighted, and what comes of their spectra. What is not said is as in SciPy, for each
/// function.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::{Segments, Window, welch};
/// let x = (DeviceArray::<f64>::arange_to(4096.0) * 0.5).sin();
/// let how = Segments::new().rate(100.0).length(512).window(Window::Blackman);
/// let (f, power) = welch(&x, &how);
/// let strongest = power.argmax(..).item()?;
/// // 0.5 radians a sample are 100 / 4π hertz.
/// assert!((f.get(strongest)? - 7.96).abs() < 0.2);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Segments {
    pub(super) rate: f64,
    pub(super) window: Option<Window>,
    pub(super) length: Option<usize>,
    pub(super) overlap: Option<usize>,
    pub(super) points: Option<usize>,
    pub(super) trend: Option<Trend>,
    pub(super) scaling: Option<Scaling>,
    pub(super) sides: Sides,
    pub(super) average: Average,
    pub(super) axis: isize,
    pub(super) edges: Edges,
}

/// What [`stft`](super::stft()) puts beyond the ends of a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edges {
    /// Half a stretch of zeros at both ends, and zeros until stretches fill the signal, so that
    /// [`istft`](super::istft()) gives all of it back.
    #[default]
    Padded,
    /// Nothing: samples that fill no stretch are left out.
    Bare,
}

impl Default for Segments {
    fn default() -> Self {
        Segments::new()
    }
}

macro_rules! settings {
    ($($(#[$meta:meta])* $name:ident: $ty:ty = $value:expr;)*) => {$(
        $(#[$meta])*
        #[must_use]
        pub fn $name(self, $name: $ty) -> Segments {
            Segments { $name: $value, ..self }
        }
    )*};
}

impl Segments {
    /// SciPy's defaults: stretches of 256 samples, half overlapping, under Hann's window.
    ///
    /// # Example
    /// ```
    /// use lazuli::{prelude::*, signal::{Segments, welch}};
    /// let (f, power) = welch(&DeviceArray::<f64>::ones(1000), &Segments::new());
    /// assert_eq!((f.shape(), power.shape()), (&[129][..], &[129][..]));
    /// ```
    pub const fn new() -> Segments {
        Segments {
            rate: 1.0,
            window: None,
            length: None,
            overlap: None,
            points: None,
            trend: None,
            scaling: None,
            sides: Sides::One,
            average: Average::Mean,
            axis: -1,
            edges: Edges::Padded,
        }
    }

    settings! {
        /// The sampling rate. SciPy: `fs=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Segments, welch}};
        /// let (f, _) = welch(&DeviceArray::<f64>::ones(1000), &Segments::new().rate(100.0));
        /// assert_eq!(f.get(128)?, 50.0);
        /// # Ok::<(), Error>(())
        /// ```
        rate: f64 = rate;
        /// The window, one period of it. SciPy: `window=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Segments, Window, periodogram}};
        /// let x = DeviceArray::from_slice(&[1.0f64, -1.0, 1.0, -1.0])?;
        /// let (_, power) = periodogram(&x, &Segments::new().window(Window::Hann));
        /// assert!((power.get(2)? - 8.0 / 3.0).abs() < 1e-12);
        /// # Ok::<(), Error>(())
        /// ```
        window: Window = Some(window);
        /// The number of samples of a stretch. SciPy: `nperseg=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Segments, welch}};
        /// let (f, _) = welch(&DeviceArray::<f64>::ones(1000), &Segments::new().length(100));
        /// assert_eq!(f.shape(), [51]);
        /// ```
        length: usize = Some(length);
        /// How many samples two neighbouring stretches share. SciPy: `noverlap=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Segments, spectrogram}};
        /// let how = Segments::new().length(100).overlap(0);
        /// let (_, times, _) = spectrogram(&DeviceArray::<f64>::ones(1000), &how);
        /// assert_eq!(times.shape(), [10]);
        /// ```
        overlap: usize = Some(overlap);
        /// The number of points to which a stretch is padded with zeros. SciPy: `nfft=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Segments, welch}};
        /// let how = Segments::new().length(100).points(128);
        /// let (f, _) = welch(&DeviceArray::<f64>::ones(1000), &how);
        /// assert_eq!(f.shape(), [65]);
        /// ```
        points: usize = Some(points);
        /// What is taken away from each stretch. SciPy: `detrend=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Segments, Trend, periodogram}};
        /// let x = DeviceArray::<f64>::ones(8);
        /// let (_, power) = periodogram(&x, &Segments::new().trend(Trend::None));
        /// assert_eq!(power.get(0)?, 8.0);
        /// # Ok::<(), Error>(())
        /// ```
        trend: Trend = Some(trend);
        /// What power is measured in. SciPy: `scaling=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Scaling, Segments, Trend, periodogram}};
        /// let x = DeviceArray::<f64>::ones(8);
        /// let how = Segments::new().trend(Trend::None).scaling(Scaling::Spectrum);
        /// assert_eq!(periodogram(&x, &how).1.get(0)?, 1.0);
        /// # Ok::<(), Error>(())
        /// ```
        scaling: Scaling = Some(scaling);
        /// Which frequencies there are. SciPy: `return_onesided=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Segments, Sides, periodogram}};
        /// let x = DeviceArray::<f64>::ones(4);
        /// let (f, _) = periodogram(&x, &Segments::new().sides(Sides::Two));
        /// assert_eq!(f.to_vec()?, [0.0, 0.25, -0.5, -0.25]);
        /// # Ok::<(), Error>(())
        /// ```
        sides: Sides = sides;
        /// How stretches become one spectrum. SciPy: `average=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Average, Segments, welch}};
        /// let x = (DeviceArray::<f64>::arange_to(900.0) * 0.5).sin();
        /// let how = Segments::new().length(64).average(Average::Median);
        /// assert_eq!(welch(&x, &how).1.argmax(..).item()?, 5);
        /// # Ok::<(), Error>(())
        /// ```
        average: Average = average;
        /// The axis along which the samples lie. SciPy: `axis=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Segments, welch}};
        /// let (_, power) = welch(&DeviceArray::<f64>::ones([300, 2]), &Segments::new().axis(0));
        /// assert_eq!(power.shape(), [129, 2]);
        /// ```
        axis: isize = axis;
        /// What stands beyond the ends of a signal, for [`stft`](super::stft()) and
        /// [`istft`](super::istft()). SciPy: `boundary=`, `padded=`.
        ///
        /// # Example
        /// ```
        /// use lazuli::{prelude::*, signal::{Edges, Segments, stft}};
        /// let how = Segments::new().length(100).edges(Edges::Bare);
        /// let (_, times, _) = stft(&DeviceArray::<f64>::ones(1000), &how);
        /// assert_eq!(times.get(0)?, 50.0);
        /// # Ok::<(), Error>(())
        /// ```
        edges: Edges = edges;
    }
}

/// The numbers of samples that a call works with.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    pub(super) segment: usize,
    pub(super) step: usize,
    pub(super) points: usize,
}

impl Segments {
    /// The settings with those of a function where nothing else was said.
    pub(super) fn or(&self, window: Window, trend: Trend, scaling: Scaling) -> Segments {
        Segments {
            window: Some(self.window.unwrap_or(window)),
            trend: Some(self.trend.unwrap_or(trend)),
            scaling: Some(self.scaling.unwrap_or(scaling)),
            ..self.clone()
        }
    }

    /// The numbers for a signal of `n` samples, `shared` of so many being the default.
    pub(super) fn lengths(
        &self,
        name: &str,
        n: usize,
        shared: impl Fn(usize) -> usize,
    ) -> Result<Lengths> {
        let segment = self.length.unwrap_or(256).min(n);
        let overlap = self.overlap.unwrap_or_else(|| shared(segment));
        let points = self.points.unwrap_or(segment);
        let wrong = |what: String| Err(Error::shape(format!("{name}: {what}")));
        if segment == 0 {
            return wrong(format!("stretches without samples, of a signal of {n}"));
        }
        if overlap >= segment {
            return wrong(format!("stretches of {segment} samples cannot share {overlap} of them"));
        }
        if points < segment {
            return wrong(format!(
                "{points} points are less than the {segment} samples of a stretch"
            ));
        }
        Ok(Lengths { segment, step: segment - overlap, points })
    }

    /// The factor of power.
    pub(super) fn factor(&self, window: &[f64]) -> f64 {
        match self.scaling.unwrap_or_default() {
            Scaling::Density => 1.0 / (self.rate * window.iter().map(|w| w * w).sum::<f64>()),
            Scaling::Spectrum => window.iter().sum::<f64>().powi(-2),
        }
    }
}
