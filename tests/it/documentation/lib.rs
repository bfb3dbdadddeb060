//! The examples in the documentation of `lazuli-core`, to be run with Lazuli.

// Links lead from where the text stands.
#![allow(rustdoc::broken_intra_doc_links)]

include!(concat!(env!("OUT_DIR"), "/examples.rs"));
