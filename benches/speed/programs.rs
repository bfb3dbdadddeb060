//! The programs of `examples/` whose functions and kernels are measured here as they stand.
#![allow(clippy::duplicate_mod, reason = "every example brings the module that they share")]
#![allow(dead_code, reason = "their command lines are not used")]

#[path = "../../examples/common/mod.rs"]
pub mod common;
#[path = "../../examples/great_circle.rs"]
pub mod great_circle;
#[path = "../../examples/lorenz04.rs"]
pub mod lorenz04;
#[path = "../../examples/mandelbrot.rs"]
pub mod mandelbrot;
#[path = "../../examples/matmul_shared.rs"]
pub mod matmul_shared;
#[path = "../../examples/product.rs"]
pub mod product;
#[path = "../../examples/row_sum.rs"]
pub mod row_sum;
#[path = "../../examples/scale.rs"]
pub mod scale;
#[path = "../../examples/sinexp.rs"]
pub mod sinexp;
#[path = "../../examples/smooth.rs"]
pub mod smooth;
#[path = "../../examples/streams.rs"]
pub mod streams;
