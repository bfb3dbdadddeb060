//! The routines of linear algebra on hard matrices.

mod balance;
mod kinds;
mod lu;
mod qr;
mod spectra;
