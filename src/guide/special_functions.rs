//! Special functions: Bessel's, Legendre's, Γ and their kin with [`special`](lazuli::special), picture
//! by picture.
//!
//! The names are those of `scipy.special`. Each function records one node, which fuses with what stands
//! around it, on either kind of device, and its documentation says how accurate it is. Functions of
//! several arguments broadcast them and take numbers in place of arrays; functions of one argument take
//! a reference to an array.
//!
//! The pictures are those of the example `guides`, of any size:
//!
//! ```sh
//! cargo run --release --example guides -- --page special_functions --size 480 --out /tmp/guides
//! ```
//!
// Only documentation has the pictures: who changes them need not build the library anew.
#![cfg_attr(doc, doc = include_str!("special_functions.md"))]
#![cfg_attr(doc, doc = include_str!("pictures/special_functions.md"))]
