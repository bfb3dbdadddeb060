//! Early ends of twins: code that follows a rare value may compute with garbage.
//!
//! The values of such a run are thrown away, and the plain function runs instead. But until then
//! the twin must not fail where the function would not: find an index out of range, divide by
//! zero, turn for ever.

use super::aggregate::is_length;
use super::expr::{bare, is_number};
use super::{Translator, rare};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

/// What a twin does if a value was rare: it returns a value that nobody looks at.
pub fn leave_twin() -> TokenStream {
    let rare = rare();
    quote!(if *#rare { return ::lazuli::__private::lanes::nothing(); })
}

impl Translator {
    /// An expression that may fail, behind the way out.
    pub(super) fn behind_exit(&self, span: Span, twin: TokenStream) -> TokenStream {
        match &self.leave {
            // In parentheses, as an expression may begin a statement.
            Some(leave) => quote_spanned!(span=> ({ #leave #twin })),
            None => twin,
        }
    }

    /// The index of an element, behind the way out if it may be anything.
    pub(super) fn index_behind_exit(&self, e: &Expr, twin: &TokenStream) -> TokenStream {
        match self.is_steady(e) {
            true => twin.clone(),
            false => self.behind_exit(e.span(), twin.clone()),
        }
    }

    /// An expression that may be rare. Builds with debug assertions leave at once: sums and
    /// products of whole numbers that were computed from it could overflow.
    pub(super) fn source(&self, span: Span, twin: TokenStream) -> TokenStream {
        let Some(leave) = &self.leave else { return twin };
        let value = local("lz_value");
        quote_spanned!(span=> ({
            let #value = #twin;
            if ::core::cfg!(debug_assertions) {
                #leave
            }
            #value
        }))
    }

    /// What whole numbers are divided by, behind the way out: they fail where floats do not.
    pub(super) fn divisor(&self, e: &Expr, twin: &TokenStream) -> TokenStream {
        let Some(leave) = self.leave.as_ref().filter(|_| !is_number(bare(e))) else {
            return twin.clone();
        };
        let value = local("lz_divisor");
        quote_spanned!(e.span()=> ({
            let #value = #twin;
            if ::lazuli::__private::lanes::is_integer(&#value) {
                #leave
            }
            #value
        }))
    }

    /// The call of a function of numbers that may fail, behind the way out: by its name and its
    /// arguments behind the first.
    pub(super) fn careful<'e>(
        &self,
        name: &str,
        rest: impl Iterator<Item = &'e Expr>,
        span: Span,
        twin: TokenStream,
    ) -> TokenStream {
        match can_fail(name, rest) {
            true => self.behind_exit(span, twin),
            false => twin,
        }
    }

    /// Whether no rare value can reach an expression: numbers, constants, and what counts through
    /// a range of such.
    pub(super) fn is_steady(&self, e: &Expr) -> bool {
        match bare(e) {
            Expr::Lit(_) => true,
            Expr::Path(path) => path.path.get_ident().is_none_or(|name| {
                self.variable(&name.to_string()).is_none_or(|cpp| self.steady.contains(cpp))
            }),
            Expr::Binary(e) => self.is_steady(&e.left) && self.is_steady(&e.right),
            Expr::Unary(e) => self.is_steady(&e.expr),
            Expr::Cast(e) => self.is_steady(&e.expr),
            // The length of an array is part of its type.
            Expr::MethodCall(e) => is_length(e),
            _ => false,
        }
    }

    /// Whether an expression is a variable that is a reference in Rust, and a value here.
    pub(super) fn is_reference(&self, e: &Expr) -> bool {
        match bare(e) {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                self.variable(&name.to_string()).is_some_and(|cpp| self.references.contains(cpp))
            }),
            _ => false,
        }
    }

    /// Notes that a name, as it is bound now, is steady.
    pub(super) fn add_steady(&mut self, name: &Ident) {
        if let Some(cpp) = self.variable(&name.to_string()) {
            let cpp = cpp.to_string();
            self.steady.insert(cpp);
        }
    }
}

/// Whether a function of numbers panics on some: by its name and its arguments behind the first.
pub fn can_fail<'e>(name: &str, mut rest: impl Iterator<Item = &'e Expr>) -> bool {
    let is_signed_number = |e: &Expr| match e {
        Expr::Unary(e) => is_number(&e.expr),
        e => is_number(e),
    };
    match name {
        "pow" | "rem_euclid" | "div_euclid" | "wrapping_div" | "wrapping_rem" | "div_ceil"
        | "isqrt" | "ilog2" | "next_power_of_two" => true,
        "clamp" => !rest.all(is_signed_number),
        _ => false,
    }
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
