//! Scalar code taken apart by the arguments that its parts depend on.

use super::updates::Occurrences;
use crate::translate::{is_conversion, method};
use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use std::collections::HashMap;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr};

/// The arguments that variables depend on, as bits.
#[derive(Default)]
pub struct Parts {
    pub of: HashMap<String, u64>,
    /// Whether there was something to take apart.
    pub is_worth_it: bool,
}

impl Parts {
    /// The arguments that an expression depends on.
    pub fn on(&self, e: &Expr) -> u64 {
        let mut occurrences = Occurrences { counts: HashMap::new() };
        occurrences.visit_expr(e);
        occurrences.counts.keys().filter_map(|name| self.of.get(name)).fold(0, |a, b| a | b)
    }
}

/// Finds the parts of an expression that depend on fewer arguments than the whole.
pub struct Apart<'a> {
    pub parts: &'a Parts,
    pub whole: u64,
    pub found: Vec<(Ident, Expr, u64)>,
}

impl Apart<'_> {
    fn look(&mut self, e: &mut Expr) {
        let on = self.parts.on(e);
        if on == 0 {
            return;
        }
        if on == self.whole || !calls(e) {
            return self.below(e);
        }
        let text = quote!(#e).to_string();
        let known = self.found.iter().find(|(_, part, _)| quote!(#part).to_string() == text);
        let name = match known {
            Some((name, ..)) => name.clone(),
            None => {
                let span = Span::mixed_site();
                let name = format_ident!(
                    "lz_part{}_{}",
                    self.parts.of.len(),
                    self.found.len(),
                    span = span
                );
                self.found.push((name.clone(), e.clone(), on));
                name
            }
        };
        *e = syn::parse_quote!(#name);
    }

    /// The operands of an expression; what may not run stays where it is.
    pub fn below(&mut self, e: &mut Expr) {
        match e {
            Expr::Paren(paren) => self.look(&mut paren.expr),
            Expr::Group(group) => self.look(&mut group.expr),
            Expr::Unary(unary) => self.look(&mut unary.expr),
            Expr::Cast(cast) => self.look(&mut cast.expr),
            Expr::Binary(b) if !matches!(b.op, BinOp::And(_) | BinOp::Or(_)) => {
                self.look(&mut b.left);
                self.look(&mut b.right);
            }
            Expr::MethodCall(call) => {
                self.look(&mut call.receiver);
                call.args.iter_mut().for_each(|e| self.look(e));
            }
            Expr::Call(call) => call.args.iter_mut().for_each(|e| self.look(e)),
            Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|e| self.look(e)),
            _ => {}
        }
    }
}

/// Whether an expression calls a method or a function that costs more than what hoisting it does.
pub fn calls(e: &Expr) -> bool {
    struct Any(bool);
    impl Visit<'_> for Any {
        fn visit_expr_method_call(&mut self, e: &syn::ExprMethodCall) {
            self.0 |= method(&e.method.to_string()).is_none_or(|method| method.cost > 1.0);
            visit::visit_expr_method_call(self, e);
        }
        fn visit_expr_call(&mut self, e: &syn::ExprCall) {
            let name = match &*e.func {
                Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
                _ => None,
            };
            let made = name.is_some_and(|name| name == "new" || is_conversion(&name));
            self.0 |= !made;
            visit::visit_expr_call(self, e);
        }
    }
    let mut any = Any(false);
    any.visit_expr(e);
    any.0
}
