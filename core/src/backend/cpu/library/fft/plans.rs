//! The plans for single lines, kept for the process.

use parking_lot::Mutex;
use realfft::{ComplexToReal, FftNum, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftPlanner};
use std::sync::{Arc, LazyLock};

/// The components of the complex numbers that are transformed: `f32` and `f64`.
pub trait Component: FftNum + Default {
    /// The plans for this type.
    fn plans() -> &'static Plans<Self>;

    /// The nearest number.
    fn of(value: f64) -> Self;
}

/// Planners, which keep the plans that they made.
pub struct Plans<T: FftNum> {
    planners: Mutex<Planners<T>>,
}

struct Planners<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    /// The plans asked for since the planners were made.
    asked: usize,
}

/// The planners are made anew after so many plans, so that a program that goes through all
/// lengths does not keep the plans of all of them.
const MOST_PLANS: usize = 512;

impl<T: FftNum> Default for Plans<T> {
    fn default() -> Self {
        Plans { planners: Mutex::new(Planners::new()) }
    }
}

impl<T: FftNum> Planners<T> {
    fn new() -> Self {
        Planners { complex: FftPlanner::new(), real: RealFftPlanner::new(), asked: 0 }
    }
}

impl<T: FftNum> Plans<T> {
    fn with<R>(&self, make: impl FnOnce(&mut Planners<T>) -> R) -> R {
        let mut planners = self.planners.lock();
        if planners.asked >= MOST_PLANS {
            *planners = Planners::new();
        }
        planners.asked += 1;
        make(&mut planners)
    }

    /// A plan between complex lines.
    pub fn complex(&self, n: usize, direction: FftDirection) -> Arc<dyn Fft<T>> {
        self.with(|planners| planners.complex.plan_fft(n, direction))
    }

    /// A plan from real lines to halves of spectra.
    pub fn forward(&self, n: usize) -> Arc<dyn RealToComplex<T>> {
        self.with(|planners| planners.real.plan_fft_forward(n))
    }

    /// A plan from halves of spectra to real lines.
    pub fn inverse(&self, n: usize) -> Arc<dyn ComplexToReal<T>> {
        self.with(|planners| planners.real.plan_fft_inverse(n))
    }
}

impl Component for f32 {
    fn plans() -> &'static Plans<f32> {
        static PLANS: LazyLock<Plans<f32>> = LazyLock::new(Plans::default);
        &PLANS
    }

    fn of(value: f64) -> f32 {
        value as f32
    }
}

impl Component for f64 {
    fn plans() -> &'static Plans<f64> {
        static PLANS: LazyLock<Plans<f64>> = LazyLock::new(Plans::default);
        &PLANS
    }

    fn of(value: f64) -> f64 {
        value
    }
}
