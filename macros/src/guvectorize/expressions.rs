//! The expressions of recorded loops: what is known, and what is a position.

use super::forms::{LENGTHS, ident, may_fail};
use super::scopes::{Kind, Lowering, No, Outcome};
use crate::translate::{bare, is_assignment};
use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::Visit;
use syn::{BinOp, Expr, Lit, Type, UnOp};

impl Lowering<'_> {
    /// A place in an array.
    pub fn place(&self, e: &Expr) -> Outcome<TokenStream> {
        let parts: Vec<&Expr> = match bare(e) {
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            Expr::Array(array) => array.elems.iter().collect(),
            other => vec![other],
        };
        let place = |part: &Expr| {
            let index = match self.index(part) {
                Some(index) => index,
                None if self.known(part).is_some() => quote!(#part),
                None => return Err(No),
            };
            // What is out of range where no turn comes by must not fail now.
            if self.is_masked() && has_known_difference(self, part) {
                return Err(No);
            }
            Ok(quote!(::lazuli::__private::gufunc::place(#index)))
        };
        let parts = parts.into_iter().map(place).collect::<Outcome<Vec<_>>>()?;
        Ok(quote!([#(#parts),*]))
    }

    /// What a loop runs over.
    pub(super) fn range(&self, e: &Expr) -> Outcome<TokenStream> {
        match bare(e) {
            Expr::Range(range) => {
                let (Some(start), Some(end)) = (&range.start, &range.end) else { return Err(No) };
                if self.known(start).is_none() || self.known(end).is_none() {
                    return Err(No);
                }
                if self.is_masked() && (may_fail(start) || may_fail(end)) {
                    return Err(No);
                }
                Ok(quote!(#range))
            }
            Expr::MethodCall(call) => {
                let inner = self.range(&call.receiver)?;
                match (call.method.to_string().as_str(), call.args.len()) {
                    ("rev", 0) => Ok(quote!(::lazuli::__private::gufunc::Reversed(#inner))),
                    ("step_by", 1) if self.known(&call.args[0]).is_some() => {
                        let by = &call.args[0];
                        Ok(quote!(::lazuli::__private::gufunc::Stepped(#inner, #by)))
                    }
                    _ => Err(No),
                }
            }
            _ => Err(No),
        }
    }

    /// An expression that is affine in positions, with casts as positions have them; `None` where
    /// there is no position in it.
    pub fn index(&self, e: &Expr) -> Option<TokenStream> {
        let part = |e: &Expr| match self.index(e) {
            Some(index) => Some((index, true)),
            None => self.known(e).map(|_| (quote!(#e), false)),
        };
        match e {
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                (self.kind(&name.to_string()) == Some(Kind::Index)).then(|| quote!(#name))
            }
            Expr::Paren(paren) => self.index(&paren.expr).map(|inner| quote!((#inner))),
            Expr::Group(group) => self.index(&group.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                self.index(&unary.expr).map(|inner| quote!((-#inner)))
            }
            Expr::Binary(binary) => {
                let op = &binary.op;
                use BinOp::*;
                if !matches!(op, Add(_) | Sub(_) | Mul(_) | Div(_) | Rem(_)) {
                    return None;
                }
                let ((a, left), (b, right)) = (part(&binary.left)?, part(&binary.right)?);
                // Rust has no such division of numbers by positions.
                if right && matches!(op, Div(_) | Rem(_)) || !left && !right {
                    return None;
                }
                Some(quote!((#a #op #b)))
            }
            Expr::Cast(cast) => {
                let (inner, ty) = (self.index(&cast.expr)?, &cast.ty);
                is_integer(ty).then(|| quote!(#inner.cast::<#ty>()))
            }
            Expr::MethodCall(call) => {
                const KNOWN: [&str; 5] = ["rem_euclid", "min", "max", "clamp", "saturating_sub"];
                let (inner, method) = (self.index(&call.receiver)?, &call.method);
                let are_known = call.args.iter().all(|e| self.known(e).is_some());
                let args = &call.args;
                (are_known && KNOWN.contains(&&*method.to_string()))
                    .then(|| quote!(#inner.#method(#args)))
            }
            _ => None,
        }
    }

    /// Whether an expression is known when the function is called: `Some` of whether a variable
    /// or an array's length is in it.
    pub fn known(&self, e: &Expr) -> Option<bool> {
        let all = |list: &mut dyn Iterator<Item = &Expr>| {
            let mut has = false;
            for e in list {
                has |= self.known(e)?;
            }
            Some(has)
        };
        match e {
            Expr::Lit(lit) => (!matches!(lit.lit, Lit::Str(_))).then_some(false),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) => match self.kind(&name.to_string()) {
                    Some(Kind::Known) => Some(true),
                    Some(_) => None,
                    None => Some(false),
                },
                None => Some(false),
            },
            Expr::Paren(paren) => self.known(&paren.expr),
            Expr::Group(group) => self.known(&group.expr),
            Expr::Unary(unary) if !matches!(unary.op, UnOp::Deref(_)) => self.known(&unary.expr),
            Expr::Binary(binary) if !is_assignment(&binary.op) => {
                all(&mut [&*binary.left, &*binary.right].into_iter())
            }
            Expr::Cast(cast) => self.known(&cast.expr),
            Expr::Field(field) => self.known(&field.base),
            Expr::Tuple(tuple) => all(&mut tuple.elems.iter()),
            Expr::Call(call) => match &*call.func {
                Expr::Path(_) => all(&mut call.args.iter()),
                _ => None,
            },
            Expr::Index(index) => all(&mut [&*index.expr, &*index.index].into_iter()),
            Expr::MethodCall(call) => {
                let array = ident(&call.receiver)
                    .is_some_and(|name| self.kind(&name.to_string()) == Some(Kind::Array));
                let args = all(&mut call.args.iter())?;
                match array {
                    true => LENGTHS.contains(&&*call.method.to_string()).then_some(true),
                    false => Some(self.known(&call.receiver)? | args),
                }
            }
            _ => None,
        }
    }
}

/// Whether a difference or quotient of known numbers is in an index.
fn has_known_difference(t: &Lowering, e: &Expr) -> bool {
    struct Any<'a, 'b>(&'a Lowering<'b>, bool);
    impl Visit<'_> for Any<'_, '_> {
        fn visit_expr_binary(&mut self, e: &syn::ExprBinary) {
            let whole = Expr::Binary(e.clone());
            self.1 |= self.0.known(&whole).is_some() && may_fail(&whole);
            syn::visit::visit_expr_binary(self, e);
        }
    }
    let mut any = Any(t, false);
    any.visit_expr(e);
    any.1
}

fn is_integer(ty: &Type) -> bool {
    const INTEGERS: [&str; 10] =
        ["usize", "isize", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    INTEGERS.contains(&&*quote!(#ty).to_string())
}
