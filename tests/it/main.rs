//! The integration tests: the public API on every device of the machine.

mod bad_input;
mod cases;
mod counts;
mod examples;
mod expressions;
mod layers;
mod random;
mod semantics;
mod support;
