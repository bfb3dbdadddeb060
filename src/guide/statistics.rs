//! Statistics: draws, densities, tests and lines with [`stats`](lazuli::stats) and
//! [`random`](lazuli::random), picture by picture.
//!
//! The names are those of `scipy.stats`. Summaries, scores and most tests record and take axes, so that
//! thousands of samples are one expression. Statistics are computed in `f64` and rounded once to the
//! type of the mean. Functions whose course depends on data evaluate and return a
//! [`Result`](lazuli::Result).
//!
//! The pictures are those of the example `guides`, of any size:
//!
//! ```sh
//! cargo run --release --example guides -- --page statistics --size 480 --out /tmp/guides
//! ```
//!
// Only documentation has the pictures: who changes them need not build the library anew.
#![cfg_attr(doc, doc = include_str!("statistics.md"))]
#![cfg_attr(doc, doc = include_str!("pictures/statistics.md"))]
