//! Interpolation: lines, tables, scattered points and pictures with
//! [`interpolate`](lazuli::interpolate) and [`map_coordinates`](lazuli::ndimage::map_coordinates()),
//! picture by picture.
//!
//! An interpolant is made once, which looks at the points and returns an error where they do not fit,
//! and is read with `at` as often as one likes, which records. Values may have further axes, functions
//! side by side. Types are `f32` and `f64`; coefficients are computed in `f64`.
//!
//! The pictures are those of the example `guides`, of any size:
//!
//! ```sh
//! cargo run --release --example guides -- --page interpolation --size 480 --out /tmp/guides
//! ```
//!
// Only documentation has the pictures: who changes them need not build the library anew.
#![cfg_attr(doc, doc = include_str!("interpolation.md"))]
#![cfg_attr(doc, doc = include_str!("pictures/interpolation.md"))]
