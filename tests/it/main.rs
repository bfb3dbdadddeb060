//! The integration tests: the public API on every device of the machine.

mod architecture;
mod bad_input;
mod cases;
mod counts;
mod examples;
mod expressions;
mod random;
mod semantics;
mod support;
