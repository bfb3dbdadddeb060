//! Image filters: a photograph through [`ndimage`](lazuli::ndimage), picture by picture.
//!
//! The names and conventions are those of `scipy.ndimage`: borders, weights, origins, orders of
//! splines. Filters, morphology and geometry record, as all operations do, so that a chain of them and
//! the arithmetic around it is planned together; what is beyond an edge is arithmetic of indices, never
//! a copy. Functions whose result depends on data in its size, such as
//! [`label`](lazuli::ndimage::label()), evaluate. Results have the array's type: convert pictures of
//! `u8` by [`cast`](lazuli::DeviceArray::cast) before filters whose values can be negative or
//! fractional.
//!
//! The pictures are those of the example `guides`, of any size:
//!
//! ```sh
//! cargo run --release --example guides -- --page image_filters --size 480 --out /tmp/guides
//! ```
//!
// Only documentation has the pictures: who changes them need not build the library anew.
#![cfg_attr(doc, doc = include_str!("image_filters.md"))]
#![cfg_attr(doc, doc = include_str!("pictures/image_filters.md"))]
