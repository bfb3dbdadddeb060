//! The integration tests: the public API on every device of the machine.

mod cases;
mod examples;
mod expressions;
mod support;
