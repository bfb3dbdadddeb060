//! What filters run on a GPU, as far as it shows without one.

use crate::backend::cuda::compile::{Arch, CompileOptions, compile_to_cubin, nvrtc_is_here};
use crate::backend::cuda::prelude::with_prelude;
use crate::planned_kernels_tests::compile;
use crate::prelude::*;
use crate::signal::*;

/// Compiles the code of a function that runs item by item, where NVRTC is.
pub(super) fn compiles(source: &str) {
    let source = with_prelude(source);
    if nvrtc_is_here() {
        let compiled = compile_to_cubin(&source, Arch::new(9, 0), &CompileOptions::default());
        assert!(compiled.is_ok(), "{}", compiled.err().unwrap());
    }
}

#[test]
fn kernels_of_waves_and_splines_compile() {
    Device::cpu().scope(|| {
        let t = DeviceArray::<f64>::linspace(0.0, 9.0, 500);
        compile("square", &[&square(&t, 0.3)]);
        compile("sawtooth", &[&sawtooth(&t.cast::<f32>(), 0.25)]);
        compile("quadratic spline", &[&qspline1d_eval(&t, &t, 1.0, 0.0)]);
        compile("cubic spline", &[&cspline1d_eval(&t, &t, 1.0, 0.0)]);
    });
}
