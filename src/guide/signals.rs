//! Signals: spectra, filters and peaks with [`signal`](lazuli::signal) and [`fft`](lazuli::fft),
//! picture by picture.
//!
//! The names and conventions are those of `scipy.signal` and `scipy.fft`. Designs of filters are
//! computed on the host at once and are plain `Vec`s; filters, spectra and transforms of arrays record,
//! take `f32` and `f64`, and work along an axis, so that many lines go side by side. Functions that
//! find peaks evaluate.
//!
//! The pictures are those of the example `guides`, of any size:
//!
//! ```sh
//! cargo run --release --example guides -- --page signals --size 480 --out /tmp/guides
//! ```
//!
// Only documentation has the pictures: who changes them need not build the library anew.
#![cfg_attr(doc, doc = include_str!("signals.md"))]
#![cfg_attr(doc, doc = include_str!("pictures/signals.md"))]
