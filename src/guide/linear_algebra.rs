//! Linear algebra: fits, factorisations, eigenvalues and functions of matrices, picture by picture.
//!
//! Most are methods of [`DeviceArray`](lazuli::DeviceArray), under the names of `numpy.linalg` and
//! `scipy.linalg`; what takes several arrays stands in [`linalg`](lazuli::linalg). Elements are `f32`,
//! `f64` and their complex numbers, and matrices may come in batches, along leading axes. A
//! factorisation is a call of a library in the plan. Whether a matrix is singular is known when it is
//! computed: the evaluation fails with an error of [`is_numeric`](lazuli::Error::is_numeric).
//!
//! The pictures are those of the example `guides`, of any size:
//!
//! ```sh
//! cargo run --release --example guides -- --page linear_algebra --size 480 --out /tmp/guides
//! ```
//!
// Only documentation has the pictures: who changes them need not build the library anew.
#![cfg_attr(doc, doc = include_str!("linear_algebra.md"))]
#![cfg_attr(doc, doc = include_str!("pictures/linear_algebra.md"))]
