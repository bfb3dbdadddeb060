//! What is known at a place of a function that is written again: what its variables are, and the
//! loops and branches around it.

use super::parts::Parts;
use proc_macro2::{Ident, Span};
use std::collections::HashMap;

/// The loops cannot be recorded, as far as their form tells.
pub struct No;

pub type Outcome<T> = Result<T, No>;

/// What a variable of the function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Known when the function is called.
    Known,
    /// A position in a loop, or computed from such.
    Index,
    /// A number for every turn of `depth` loops.
    Value { depth: usize },
    /// An array, with whether it is written.
    Array,
}

/// What the recording is called in the code that the macro writes.
pub fn lz() -> Ident {
    Ident::new("lz_lower", Span::mixed_site())
}

/// The translation of one function.
pub struct Lowering<'a> {
    /// The name of the function and its generics, for the translation of pieces.
    pub name: &'a str,
    pub generics: &'a syn::Generics,
    pub(super) scopes: Vec<HashMap<String, Kind>>,
    /// The loops around the present place.
    pub(super) depth: usize,
    /// Whether a branch is around it that only some turns take.
    pub(super) masked: bool,
    /// Where scalar code is taken apart: the arguments that variables depend on.
    pub(super) parts: Option<Parts>,
    /// Why the first statement cannot be recorded that cannot.
    pub(super) refused: Option<syn::Error>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(name: &'a str, generics: &'a syn::Generics, parts: Option<Parts>) -> Self {
        let scopes = vec![HashMap::new()];
        Lowering { name, generics, scopes, depth: 0, masked: false, parts, refused: None }
    }

    pub(super) fn bind(&mut self, name: &str, kind: Kind) {
        self.scopes.last_mut().expect("there is always a scope").insert(name.into(), kind);
    }

    /// What a name is; `None` for constants and functions.
    pub fn kind(&self, name: &str) -> Option<Kind> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    /// The loops around the present place.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether only some turns come by the present place.
    pub fn is_masked(&self) -> bool {
        self.masked
    }
}
