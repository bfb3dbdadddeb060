//! What Lazuli takes of other crates for the processor: factorisations and products of matrices
//! (faer), Fourier transforms of lines (rustfft, realfft).
//!
//! Their routines are generic, so that they are compiled where they are called. Here each is called for
//! Lazuli's element types, in functions without parameters of types: this crate is compiled once, beside
//! the one that calls it, and not again after each change to that.

#[cfg(feature = "fft")]
pub mod fft;
#[cfg(feature = "linalg")]
pub mod linalg;
