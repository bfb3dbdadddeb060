//! The examples' own files, which hold the expressions; their command lines are not used here.
#![allow(dead_code, clippy::duplicate_mod)]

#[path = "../black_scholes.rs"]
pub mod black_scholes;
#[path = "../fft_convolve.rs"]
pub mod fft_convolve;
#[path = "../great_circle.rs"]
pub mod great_circle;
#[path = "../lorenz04.rs"]
pub mod lorenz04;
#[path = "../mandelbrot.rs"]
pub mod mandelbrot;
#[path = "../matmul_shared.rs"]
pub mod matmul_shared;
#[path = "../multiply_them.rs"]
pub mod multiply_them;
#[path = "../product.rs"]
pub mod product;
#[path = "../random.rs"]
pub mod random;
#[path = "../row_sum.rs"]
pub mod row_sum;
#[path = "../scale.rs"]
pub mod scale;
#[path = "../sinexp.rs"]
pub mod sinexp;
#[path = "../smooth.rs"]
pub mod smooth;
#[path = "../streams.rs"]
pub mod streams;
