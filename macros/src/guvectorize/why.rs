//! Why a statement cannot be recorded: what the user of a gufunc with arrays of its own is told.

use super::forms::{LENGTHS, ident, own_array};
use super::scopes::{Kind, Lowering};
use super::views::no_method;
use crate::translate::bare;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Error, Expr, Stmt};

/// The first place in a statement that keeps it from being recorded, and why.
pub fn why(t: &Lowering, stmt: &Stmt) -> Error {
    let mut look = Look { t, found: None };
    look.visit_stmt(stmt);
    look.found.unwrap_or_else(|| whole(stmt))
}

/// An error at tokens.
pub fn because(at: &impl ToTokens, why: impl std::fmt::Display) -> Error {
    const MUST: &str = "a gufunc with arrays of its own must be recorded, and this cannot be";
    Error::new_spanned(at, format!("{MUST}: {why}"))
}

/// Where no part of a statement is to blame.
fn whole(stmt: &Stmt) -> Error {
    match stmt {
        Stmt::Expr(Expr::ForLoop(e), _) => because(
            &e.expr,
            "the turns need each other; what a loop changes outside of itself must be an element \
             of an array, or a sum or its kin (`+=`, `*=`, `x = x.max(…)`) that it does not read; \
             or make the arrays results of the function",
        ),
        Stmt::Expr(Expr::While(e), _) => because(
            &e.cond,
            "a `while` loop sets numbers of one item alone; write elements in `for` loops, or make \
             the arrays results of the function",
        ),
        Stmt::Local(local) => match &local.init {
            Some(init) if own_array(&init.expr).is_some() => because(
                &init.expr,
                "an array of the function's own is made outside of loops and branches, and lengths \
                 and constants give its shape",
            ),
            Some(init) if matches!(bare(&init.expr), Expr::Array(_) | Expr::Repeat(_)) => {
                because(&init.expr, "write an array in registers as `Array1::<T>::zeros(n)`")
            }
            _ => because(local, "a `let` binds names to one value"),
        },
        Stmt::Item(item) => because(item, "move it out of the function"),
        other => because(
            other,
            "its form is none that the library records; sums, elements that loops write and \
             variables of one turn are",
        ),
    }
}

struct Look<'a, 'b> {
    t: &'a Lowering<'b>,
    found: Option<Error>,
}

impl Look<'_, '_> {
    fn is_array(&self, e: &Expr) -> bool {
        ident(e).is_some_and(|name| self.t.kind(&name.to_string()) == Some(Kind::Array))
    }

    fn note(&mut self, at: &impl ToTokens, why: &str) {
        self.found.get_or_insert_with(|| because(at, why));
    }
}

impl Visit<'_> for Look<'_, '_> {
    fn visit_expr_method_call(&mut self, e: &syn::ExprMethodCall) {
        if self.is_array(&e.receiver) {
            let method = e.method.to_string();
            if !LENGTHS.contains(&&*method) {
                self.note(&e.method, &no_method(&method));
            }
        } else {
            self.visit_expr(&e.receiver);
        }
        e.args.iter().for_each(|e| self.visit_expr(e));
    }

    fn visit_expr_for_loop(&mut self, e: &syn::ExprForLoop) {
        if self.t.range(&e.expr).is_err() {
            self.note(
                &e.expr,
                "only lengths and constants can give a range; loop over a whole length, with an \
                 `if` around what some turns do, or make the arrays results of the function",
            );
        }
        visit::visit_expr_for_loop(self, e);
    }

    fn visit_expr_index(&mut self, e: &syn::ExprIndex) {
        if !self.is_array(&e.expr) {
            return visit::visit_expr_index(self, e);
        }
        self.visit_expr(&e.index);
        if self.t.place(&e.index).is_err() {
            self.note(
                &e.index,
                "positions of loops, lengths and constants can give a place, in sums of their \
                 multiples; what elements give, and a difference of lengths in a branch, cannot; \
                 or make the arrays results of the function",
            );
        }
    }

    fn visit_expr_path(&mut self, e: &syn::ExprPath) {
        if self.is_array(&Expr::Path(e.clone())) {
            self.note(e, "an array stands here as a whole; index its elements");
        }
    }

    fn visit_expr_return(&mut self, e: &syn::ExprReturn) {
        self.note(e, "an item cannot be left early");
    }

    fn visit_expr_closure(&mut self, e: &syn::ExprClosure) {
        self.note(e, "device code has no closures; write a `#[device]` function");
    }

    fn visit_macro(&mut self, m: &syn::Macro) {
        match m.path.is_ident("vec") {
            true => self.note(m, "write `Array1::<T>::zeros(n)` instead of `vec!`"),
            false => self.note(m, "macros are not recorded"),
        }
    }

    // What is written in there is no value.
    fn visit_item(&mut self, _: &syn::Item) {}
    fn visit_type(&mut self, _: &syn::Type) {}
    fn visit_pat(&mut self, _: &syn::Pat) {}
}
