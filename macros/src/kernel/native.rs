//! The body of a kernel for the processor: the user's own tokens, with accesses to arrays that
//! threads write as calls of methods.
//!
//! - Elements that threads write are read and written by `get` and `set`, which are atomic accesses
//!   of the weakest kind, so that a race is no undefined behaviour.
//! - `shared::<…>()` becomes a method of a `Block`, a parameter that users cannot name.

use super::arrays::{DROPPED, Kind, name, plain_operator, row_of, shared_call};
use crate::translate::{bare, matched};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::HashMap;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Block, Expr, Pat, PathArguments, Stmt, Token, parse_quote_spanned};

/// The body, where these parameters are arrays.
pub fn body(block: &Block, arrays: impl Iterator<Item = (String, Kind)>) -> TokenStream {
    let mut block = block.clone();
    let arrays = arrays.filter(|a| a.1 != Kind::Read).map(|a| a.0).map(|name| (name, ())).collect();
    Native { arrays }.visit_block_mut(&mut block);
    block.into_token_stream()
}

/// The parameter by which a body knows its block, under a name that users cannot write.
pub fn block() -> Ident {
    Ident::new("lz_block", Span::mixed_site())
}

/// `shared::<A>()` as a method of the block, whose memory it borrows.
fn of_the_block(call: &syn::ExprCall) -> Option<Expr> {
    let name = shared_call(&Expr::Call(call.clone()))?;
    let Expr::Path(path) = bare(&call.func) else { return None };
    let turbofish = match &path.path.segments.last()?.arguments {
        PathArguments::AngleBracketed(given) => Some(given),
        _ => None,
    };
    let span = path.path.segments.last()?.ident.span();
    let (block, method) = (block(), Ident::new(name, span));
    Some(parse_quote_spanned!(span=> #block.#method #turbofish ()))
}

/// Rewrites; knows which names are arrays that threads write.
struct Native {
    arrays: HashMap<String, ()>,
}

impl Native {
    fn is_array(&self, e: &Expr) -> bool {
        name(e).is_some_and(|name| self.arrays.contains_key(&name.to_string()))
    }

    /// Whether an expression is shared memory, or an array that threads write or a row of one.
    fn gives_array(&self, e: &Expr) -> bool {
        shared_call(e).is_some() || self.is_array(row_of(e).unwrap_or(e))
    }

    /// The array and the place of `array[place]`.
    fn element(&self, e: &Expr) -> Option<(Expr, Expr)> {
        match e {
            Expr::Index(index) if self.is_array(row_of(&index.expr).unwrap_or(&index.expr)) => {
                Some(((*index.expr).clone(), (*index.index).clone()))
            }
            Expr::Paren(paren) => self.element(&paren.expr),
            Expr::Group(group) => self.element(&group.expr),
            _ => None,
        }
    }

    /// Forgets the names that a pattern binds anew.
    fn shadow(&mut self, pat: &Pat) {
        struct Names<'a>(&'a mut HashMap<String, ()>);
        impl Visit<'_> for Names<'_> {
            fn visit_pat_ident(&mut self, p: &syn::PatIdent) {
                self.0.remove(&p.ident.to_string());
            }
        }
        Names(&mut self.arrays).visit_pat(pat);
    }

    fn scope(&mut self, f: impl FnOnce(&mut Self)) {
        let outer = self.arrays.clone();
        f(self);
        self.arrays = outer;
    }

    /// `array[place] = value` and `array[place] += value`; Rust runs the value first.
    fn assignment(&mut self, place: &Expr, op: Option<&BinOp>, value: &Expr) -> Option<Expr> {
        let (mut array, mut place) = self.element(place)?;
        let mut value = value.clone();
        self.visit_expr_mut(&mut value);
        self.visit_expr_mut(&mut array);
        self.visit_expr_mut(&mut place);
        // The names stand where the user's expressions do, and so does what rustc says of them.
        let name = |text: &str, at: &Expr| Ident::new(text, at.span());
        let (new, at) = (name("lz_value", &value), name("lz_place", &place));
        let set = match op {
            None => quote!(#new),
            Some(op) => {
                let op = plain_operator(op);
                quote!(#array.get(#at) #op #new)
            }
        };
        let span = array.span();
        Some(parse_quote_spanned!(span=> {
            let #new = #value;
            let #at = #place;
            #array.set(#at, #set)
        }))
    }
}

impl VisitMut for Native {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::Macro(m) = e
            && let Some(value) = matched(&m.mac)
        {
            // Its tokens may hold elements, which are calls here.
            *e = value;
        }
        let rewritten = match &*e {
            Expr::Call(call) => of_the_block(call),
            Expr::Assign(assign) => self.assignment(&assign.left, None, &assign.right),
            Expr::Binary(b) => self.assignment(&b.left, Some(&b.op), &b.right).filter(|_| {
                let op = b.op.to_token_stream().to_string();
                op.ends_with('=') && !matches!(op.as_str(), "==" | "!=" | "<=" | ">=")
            }),
            Expr::Index(_) => self.element(e).map(|(mut array, mut place)| {
                self.visit_expr_mut(&mut array);
                self.visit_expr_mut(&mut place);
                let span = e.span();
                parse_quote_spanned!(span=> #array.get(#place))
            }),
            _ => None,
        };
        match rewritten {
            Some(new) => *e = new,
            None => visit_mut::visit_expr_mut(self, e),
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.scope(|v| block.stmts.iter_mut().for_each(|stmt| v.visit_stmt_mut(stmt)));
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let is_array = matches!(stmt, Stmt::Local(local)
            if local.init.as_ref().is_some_and(|i| self.gives_array(&i.expr)));
        visit_mut::visit_stmt_mut(self, stmt);
        if let Stmt::Local(local) = stmt {
            self.shadow(&local.pat);
            let pat = match &local.pat {
                Pat::Type(typed) => &*typed.pat,
                other => other,
            };
            if let (true, Pat::Ident(p)) = (is_array, pat) {
                self.arrays.insert(p.ident.to_string(), ());
            }
        }
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut e.expr);
        self.scope(|v| {
            v.shadow(&e.pat);
            v.visit_block_mut(&mut e.body);
        });
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scope(|v| {
            v.shadow(&arm.pat);
            visit_mut::visit_arm_mut(v, arm);
        });
    }

    fn visit_macro_mut(&mut self, m: &mut syn::Macro) {
        let name = m.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        if !DROPPED.contains(&name.as_str()) {
            return;
        }
        let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(mut arguments) = m.parse_body_with(parse) {
            arguments.iter_mut().for_each(|e| self.visit_expr_mut(e));
            let span = m.tokens.span();
            m.tokens = quote_spanned!(span=> #arguments);
        }
    }
}
