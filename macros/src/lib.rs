//! The attribute macros of Lazuli.
//!
//! The user functions (`#[vectorize]` and its kin) live here once they exist; the crate is
//! empty until then.
