//! Operations: the table of elementwise operations and reductions, and the methods that record.

pub(crate) mod table;
