//! Gallery: ten programs, and the pictures that they draw.
//!
//! Each is written as one would write it with NumPy: whole arrays, broadcasting, slices, no loops over
//! elements. What NumPy stores between two operations is not stored here, and on a GPU the same
//! programs run there. They are the example `gallery`, which draws the pictures of any size:
//!
//! ```sh
//! cargo run --release --example gallery -- --size 480 --out /tmp/gallery
//! ```
//!
// Only documentation has the pictures: who changes them need not build the library anew.
#![cfg_attr(doc, doc = include_str!("gallery.md"))]
#![cfg_attr(doc, doc = include_str!("pictures/gallery.md"))]
