//! The integration tests: the public API on every device of the machine.
// Arrays are written as users write them, by reference and with plain operators.
#![allow(clippy::needless_borrows_for_generic_args, clippy::assign_op_pattern)]

mod arithmetic;
mod assignments;
mod bad_input;
mod cases;
mod compile;
mod counts;
mod covariance;
mod drawn_parts;
mod draws;
mod edges;
mod examples;
mod expressions;
mod fft;
mod functions;
mod gufunc_forms;
mod gufuncs;
mod in_part;
mod large;
mod layers;
mod linalg;
mod masked;
mod pieces;
mod random;
mod random_examples;
mod scans;
mod semantics;
mod sorting;
mod streams;
mod strings;
mod support;
mod ui;
mod user_scans;
mod usual;
mod windows;
