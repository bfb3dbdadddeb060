//! Operations: the table of elementwise operations and reductions, and the methods that record.

pub(crate) mod elementwise;
mod movement;
mod operators;
mod reduce;
mod statistics;
pub(crate) mod table;
