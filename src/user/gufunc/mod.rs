//! Functions of small arrays over larger ones: `#[guvectorize]`.
//!
//! A call first tries to record the function's loops (`lower.rs`), so that nothing remains of it
//! but nodes that fuse with what is around them. Where that would not mean the same, the function
//! runs item by item, as one node whose arguments are stored.

mod arrays;
mod call;
mod elements;
mod known;
#[cfg(test)]
mod known_tests;
mod lower;
mod numbers;
mod piece;
mod source;
mod symbol;
#[cfg(test)]
mod tests;
mod turns;
mod value;

pub use arrays::CoreArray;
pub use call::{Call, Code, Dim, Param, Signature, gufunc};
pub use lower::{Fails, Lower, Refusal, Results, Update};
pub use source::source;
pub use symbol::Sym;
pub use turns::{Reversed, Stepped, place};
pub use value::{Split, Value};
