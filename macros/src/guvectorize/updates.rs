//! Variables from outside of a loop that change in it: what may be a sum, and what may not.

use super::forms::ident;
use crate::translate::{bare, is_assignment};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;
use syn::visit::Visit;
use syn::{BinOp, Expr};

/// An operation of an assignment that sums and their kin are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Or,
    And,
    Max,
    Min,
}

impl Operation {
    pub fn tokens(self) -> TokenStream {
        let name = format_ident!("{self:?}");
        quote!(::lazuli::__private::gufunc::Update::#name)
    }

    /// The whole expression, `place op value`.
    pub fn apply(self, place: &Expr, value: &Expr) -> Expr {
        match self {
            Operation::Add => syn::parse_quote!(#place + (#value)),
            Operation::Subtract => syn::parse_quote!(#place - (#value)),
            Operation::Multiply => syn::parse_quote!(#place * (#value)),
            Operation::Or => syn::parse_quote!(#place | (#value)),
            Operation::And => syn::parse_quote!(#place & (#value)),
            Operation::Max => syn::parse_quote!(#place.max(#value)),
            Operation::Min => syn::parse_quote!(#place.min(#value)),
        }
    }

    /// What cannot be mixed in one loop.
    pub fn class(self) -> Operation {
        if self == Operation::Subtract { Operation::Add } else { self }
    }
}

/// The operation of `+=` and its kin, as far as sums are made of it.
pub fn update_of(op: &BinOp) -> Option<Operation> {
    Some(match op {
        BinOp::AddAssign(_) => Operation::Add,
        BinOp::SubAssign(_) => Operation::Subtract,
        BinOp::MulAssign(_) => Operation::Multiply,
        BinOp::BitOrAssign(_) => Operation::Or,
        BinOp::BitAndAssign(_) => Operation::And,
        _ => return None,
    })
}

pub fn plain(op: &BinOp) -> Option<TokenStream> {
    Some(match op {
        BinOp::DivAssign(_) => quote!(/),
        BinOp::RemAssign(_) => quote!(%),
        BinOp::BitXorAssign(_) => quote!(^),
        BinOp::ShlAssign(_) => quote!(<<),
        BinOp::ShrAssign(_) => quote!(>>),
        _ => return None,
    })
}

/// `x = x + e` as `x += e`, and its kin.
pub fn normalised(place: &Expr, value: &Expr) -> (Option<Operation>, Expr) {
    let is_place = |e: &Expr| {
        let text = |e: &Expr| quote!(#e).to_string();
        text(bare(e)) == text(bare(place))
    };
    match bare(value) {
        Expr::Binary(b) => {
            let op = match b.op {
                BinOp::Add(_) => Operation::Add,
                BinOp::Sub(_) => Operation::Subtract,
                BinOp::Mul(_) => Operation::Multiply,
                BinOp::BitOr(_) => Operation::Or,
                BinOp::BitAnd(_) => Operation::And,
                _ => return (None, value.clone()),
            };
            if is_place(&b.left) {
                return (Some(op), (*b.right).clone());
            }
            if is_place(&b.right) && op != Operation::Subtract {
                return (Some(op), (*b.left).clone());
            }
        }
        Expr::MethodCall(call) if call.args.len() == 1 => {
            let op = match call.method.to_string().as_str() {
                "max" => Operation::Max,
                "min" => Operation::Min,
                _ => return (None, value.clone()),
            };
            if is_place(&call.receiver) {
                return (Some(op), call.args[0].clone());
            }
            if is_place(&call.args[0]) {
                return (Some(op), (*call.receiver).clone());
            }
        }
        _ => {}
    }
    (None, value.clone())
}

/// The assignments to plain names in a loop: the operation they share, if they do, and how often
/// the name stands in them as the place.
pub struct Updates {
    pub found: HashMap<String, Option<(Option<Operation>, usize)>>,
}

impl Updates {
    fn note(&mut self, place: &Expr, op: Option<Operation>, own: usize) {
        let Some(name) = ident(place) else { return };
        let entry = self.found.entry(name.to_string()).or_insert(Some((op, 0)));
        *entry = match *entry {
            Some((before, count)) if before.map(Operation::class) == op.map(Operation::class) => {
                Some((before, count + own))
            }
            _ => None,
        };
    }
}

impl Visit<'_> for Updates {
    fn visit_expr_assign(&mut self, e: &syn::ExprAssign) {
        let (op, _) = normalised(&e.left, &e.right);
        self.note(&e.left, op, if op.is_some() { 2 } else { 1 });
        syn::visit::visit_expr_assign(self, e);
    }

    fn visit_expr_binary(&mut self, e: &syn::ExprBinary) {
        if is_assignment(&e.op) {
            self.note(&e.left, update_of(&e.op), 1);
        }
        syn::visit::visit_expr_binary(self, e);
    }
}

/// How often each plain name stands in code.
pub struct Occurrences {
    pub counts: HashMap<String, usize>,
}

impl Visit<'_> for Occurrences {
    fn visit_ident(&mut self, name: &Ident) {
        *self.counts.entry(name.to_string()).or_default() += 1;
    }

    fn visit_expr_method_call(&mut self, e: &syn::ExprMethodCall) {
        // The method's own name is no variable.
        self.visit_expr(&e.receiver);
        e.args.iter().for_each(|e| self.visit_expr(e));
    }
}
