//! The routines of linear algebra on hard matrices.

mod balance;
mod lu;
mod qr;
mod spectra;
