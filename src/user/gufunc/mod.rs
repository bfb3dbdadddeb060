//! Functions of small arrays over larger ones: `#[guvectorize]`.
//!
//! A call first tries to record the function's loops (`lower.rs`), so that nothing remains of it
//! but nodes that fuse with what is around them. Where that would not mean the same, the function
//! runs item by item, as one node whose arguments are stored.
//!
//! The macro writes the body again (`macros/src/guvectorize`): what lengths and constants give
//! stays Rust; a loop becomes an axis, a position a `Sym` (affine, perhaps wrapped once), the
//! scalar code between reads and writes a *piece*, which is a function like that of `#[vectorize]`
//! in closures that hold nothing. rustc infers their types, because a variable of type `T` becomes
//! a `Value<T>` and nothing else changes.
//!
//! - A read is a view, `+=` of an outer variable a reduction over the loops in between, a write an
//!   assignment to a region, or the array itself where it covers all.
//! - Recording runs statements in the order of all turns together. So every use of a written array
//!   is noted with its place and its loops, and what another turn might meet is `Unprovable`. So is
//!   every place that is not affine; forms that the macro does not know are never written as a
//!   recording.
//! - Under a branch a piece is computed for all turns and chosen afterwards. Where it may fail or
//!   not end (a loop, a call, a quotient of integers), it has the branch's condition as one more
//!   argument and runs where that holds.
//! - A piece that is nothing but sums, differences, products and quotients of floats is recorded as
//!   those operations, about which the planner and the backends know more than about a function.
//! - A recording depends on the arguments' shapes and types and on the device alone, so it is kept
//!   and its nodes are copied for the next call (`known.rs`); that loops cannot be recorded is
//!   kept, too. A recording that asks for the value of a number is made at each call
//!   (`numbers.rs`).
//! - Item by item, the function is a library call (`library/items.rs`): natively on the processor;
//!   on a GPU from C++ that the translator prints with accessors of arrays
//!   (`macros/src/guvectorize/views.rs`), with threads that share the turns of loops whose form
//!   shows that they are independent (`spread.rs`), or one thread an item.

mod arrays;
mod call;
mod elements;
mod known;
#[cfg(test)]
mod known_tests;
mod lower;
mod numbers;
mod piece;
mod position;
mod source;
mod symbol;
#[cfg(all(test, feature = "cuda"))]
mod tests;
mod turns;
mod update;
mod uses;
mod value;

pub use arrays::CoreArray;
pub use call::{Call, Code, Dim, Param, Signature, gufunc};
pub use lower::{Fails, Lower, Refusal, Results};
pub use source::source;
pub use symbol::Sym;
pub use turns::{Reversed, Stepped, place};
pub use update::Update;
pub use value::{Split, Value};
