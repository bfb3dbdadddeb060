//! Lazuli.
