//! Plans for the Fourier transforms of single lines, kept for the process: rustfft's and realfft's.

pub use realfft::{ComplexToReal, RealToComplex};
pub use rustfft::{Fft, FftDirection, FftNum};

use parking_lot::Mutex;
use realfft::RealFftPlanner;
use rustfft::FftPlanner;
use std::sync::{Arc, LazyLock};

/// The components of the complex numbers that are transformed.
pub trait Component: FftNum + Default {
    /// A plan between complex lines.
    fn complex(n: usize, direction: FftDirection) -> Arc<dyn Fft<Self>>;

    /// A plan from real lines to halves of spectra.
    fn forward(n: usize) -> Arc<dyn RealToComplex<Self>>;

    /// A plan from halves of spectra to real lines.
    fn inverse(n: usize) -> Arc<dyn ComplexToReal<Self>>;

    /// The nearest number.
    fn of(value: f64) -> Self;
}

/// Planners, which keep the plans that they made.
struct Planners<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    /// The plans asked for since the planners were made.
    asked: usize,
}

/// The planners are made anew after so many plans, so that a program that goes through all
/// lengths does not keep the plans of all of them.
const MOST_PLANS: usize = 512;

impl<T: FftNum> Planners<T> {
    fn new() -> Self {
        Planners { complex: FftPlanner::new(), real: RealFftPlanner::new(), asked: 0 }
    }

    /// The planners for one plan more.
    fn ask(&mut self) -> &mut Self {
        if self.asked >= MOST_PLANS {
            *self = Planners::new();
        }
        self.asked += 1;
        self
    }
}

macro_rules! components {
    ($($component:ident),*) => {$(
        // Planners are compiled here, whatever asks for plans.
        impl Component for $component {
            #[inline(never)]
            fn complex(n: usize, direction: FftDirection) -> Arc<dyn Fft<$component>> {
                $component::planners().lock().ask().complex.plan_fft(n, direction)
            }

            #[inline(never)]
            fn forward(n: usize) -> Arc<dyn RealToComplex<$component>> {
                $component::planners().lock().ask().real.plan_fft_forward(n)
            }

            #[inline(never)]
            fn inverse(n: usize) -> Arc<dyn ComplexToReal<$component>> {
                $component::planners().lock().ask().real.plan_fft_inverse(n)
            }

            fn of(value: f64) -> $component {
                value as $component
            }
        }

        impl Planned for $component {
            fn planners() -> &'static Mutex<Planners<$component>> {
                static PLANNERS: LazyLock<Mutex<Planners<$component>>> =
                    LazyLock::new(|| Mutex::new(Planners::new()));
                &PLANNERS
            }
        }
    )*};
}

/// A component whose plans are kept.
trait Planned: FftNum {
    fn planners() -> &'static Mutex<Planners<Self>>;
}

components!(f32, f64);
