//! What a program gives: its outputs, the time that it took, and whether NumPy's are the same.

use crate::inputs;
use lazuli::prelude::*;
use std::path::Path;
use std::time::Instant;

/// One run of a program, evaluated.
pub struct Run {
    pub outputs: Vec<TypedArray>,
    pub ms: f64,
    pub kernels: u64,
    pub library_calls: u64,
    pub evaluations: u64,
    pub plans: u64,
}

impl Run {
    /// Runs and evaluates a program; the device has nothing else to do before and after. With
    /// `explain`, what the last evaluation would run is printed first.
    pub fn of<R: Outputs>(explain: bool, program: impl FnOnce() -> R) -> Result<Run, String> {
        let run = || -> Result<Run> {
            Device::current()?.synchronize()?;
            let before = lazuli::counters();
            let start = Instant::now();
            let mut outputs = Vec::new();
            program().give(&mut outputs)?;
            if explain {
                let all: Vec<&dyn AnyArray> = outputs.iter().map(|o| o as &dyn AnyArray).collect();
                println!("{}", lazuli::explain(&all));
            }
            eval_all(&outputs)?;
            Device::current()?.synchronize()?;
            let ms = start.elapsed().as_secs_f64() * 1e3;
            let after = lazuli::counters();
            Ok(Run {
                outputs,
                ms,
                kernels: after.kernels - before.kernels,
                library_calls: after.library_calls - before.library_calls,
                evaluations: after.evaluations - before.evaluations,
                plans: after.plans - before.plans,
            })
        };
        run().map_err(|e| e.to_string())
    }

    /// Compares the outputs with the expected ones of the folder, and gives the largest relative
    /// error of an output, as norms have it.
    pub fn check(&self, folder: &Path, tolerance: Tolerance) -> Result<f64, String> {
        let mut largest: f64 = 0.0;
        for (k, output) in self.outputs.iter().enumerate() {
            let expected = inputs::read(&folder.join(format!("expected.{k}.npy")))?;
            if expected.any_shape() != output.any_shape() {
                let (own, numpy) = (output.any_shape(), expected.any_shape());
                return Err(format!("output {k} has shape {own:?}, NumPy's {numpy:?}"));
            }
            largest = largest.max(tolerance.compare(k, &values(&expected)?, &values(output)?)?);
        }
        match folder.join(format!("expected.{}.npy", self.outputs.len())).exists() {
            true => Err("NumPy has more outputs".into()),
            false => Ok(largest),
        }
    }
}

/// The elements as complex numbers, which hold all that the programs give.
fn values(array: &TypedArray) -> Result<Vec<Complex<f64>>, String> {
    array.cast::<Complex<f64>>().to_vec().map_err(|e| e.to_string())
}

/// NPBench's rule: all elements are close, or the norm of the difference is small.
#[derive(Clone, Copy)]
pub struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
    pub norm: f64,
}

impl Tolerance {
    /// The relative error of the output of this number, where it is within bounds.
    fn compare(
        &self,
        k: usize,
        expected: &[Complex<f64>],
        got: &[Complex<f64>],
    ) -> Result<f64, String> {
        let pairs = || expected.iter().zip(got);
        // What is equal is close, infinities too.
        let close = |(e, g): (&Complex<f64>, &Complex<f64>)| {
            e == g || (e - g).norm() <= self.absolute + self.relative * g.norm()
        };
        let norm = |sum: f64| sum.sqrt();
        let difference =
            norm(pairs().filter(|(e, g)| e != g).map(|(e, g)| (e - g).norm_sqr()).sum());
        let whole = norm(expected.iter().map(|e| e.norm_sqr()).sum());
        let error = if difference == 0.0 { 0.0 } else { difference / whole };
        if pairs().all(close) || error < self.norm {
            return Ok(error);
        }
        let at = pairs().position(|pair| !close(pair)).unwrap_or_default();
        Err(format!(
            "output {k} is off by {error:.1e}; element {at} is {}, NumPy's {}",
            got[at], expected[at]
        ))
    }
}

/// The results of a function.
pub trait Outputs {
    fn give(self, into: &mut Vec<TypedArray>) -> Result<()>;
}

impl<T: Element> Outputs for DeviceArray<T> {
    fn give(self, into: &mut Vec<TypedArray>) -> Result<()> {
        into.push(self.any_typed());
        Ok(())
    }
}

impl Outputs for i64 {
    fn give(self, into: &mut Vec<TypedArray>) -> Result<()> {
        DeviceArray::full((), self).give(into)
    }
}

impl<R: Outputs> Outputs for Result<R> {
    fn give(self, into: &mut Vec<TypedArray>) -> Result<()> {
        self?.give(into)
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: Outputs),*> Outputs for ($($name,)*) {
            #[allow(non_snake_case)]
            fn give(self, into: &mut Vec<TypedArray>) -> Result<()> {
                let ($($name,)*) = self;
                $($name.give(into)?;)*
                Ok(())
            }
        }
    )*};
}
tuples! { P Q; P Q R; P Q R S; }
