//! The loops of a gufunc, written again so that they are recorded rather than run.
//!
//! What is known when the function is called (the lengths of arrays, constants, and what is
//! computed from those) stays Rust. A loop becomes an axis, a position in it a `Sym`, a number
//! that depends on elements a `Value`, and the scalar code between reads and writes a piece. This
//! looks at forms alone: whether turns are independent and places affine is decided when the
//! loops are recorded. What has no such form is `No`, and the function runs item by item.

use super::forms::{OwnArray, ident, may_fail, own_array};
use super::gather::{Gather, Use, has_control, names_of, piece_of};
use super::params::{Holder, Params};
use super::parts::{Parts, calls};
use super::scopes::{Kind, Lowering, No, Outcome, lz};
use super::updates::{Occurrences, Operation, Updates, normalised, plain, update_of};
use super::why::{because, why};
use crate::translate::{bare, is_assignment};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;
use syn::visit::Visit;
use syn::{Expr, ExprForLoop, ExprIf, Local, Pat, Stmt, Type};

/// The statements that record the function, and its results.
///
/// # Errors
/// At the first statement that cannot be recorded.
pub fn lower(
    name: &str,
    generics: &syn::Generics,
    params: &Params,
    block: &syn::Block,
) -> syn::Result<TokenStream> {
    let mut t = Lowering::new(name, generics, None);
    record(&mut t, params, block).map_err(|No| {
        t.refused.take().unwrap_or_else(|| because(&block.stmts.last(), "it gives no value"))
    })
}

/// The same for a function of numbers, whose body is taken apart: what depends on some of the
/// arguments alone becomes a piece of its own, so that it is computed once along the axes that
/// these are broadcast along.
pub fn lower_in_parts(
    name: &str,
    generics: &syn::Generics,
    params: &Params,
    block: &syn::Block,
) -> Outcome<TokenStream> {
    record(&mut Lowering::new(name, generics, Some(Parts::default())), params, block)
}

fn record(t: &mut Lowering, params: &Params, block: &syn::Block) -> Outcome<TokenStream> {
    let lz = lz();
    let mut code = TokenStream::new();
    for stmt in &block.stmts {
        match stmt {
            Stmt::Item(item @ (syn::Item::Const(_) | syn::Item::Use(_))) => {
                code.extend(quote!(#item));
            }
            Stmt::Item(_) => return Err(No),
            _ => {}
        }
    }
    for (k, param) in params.inputs.iter().enumerate() {
        let (name, element, rank) = (&param.name, &param.element, param.core.len());
        match param.holder {
            Holder::Scalar => {
                t.bind(&name.to_string(), Kind::Value { depth: 0 });
                if let Some(parts) = &mut t.parts {
                    parts.of.insert(name.to_string(), 1 << k);
                }
                code.extend(quote!(let mut #name = lz_call.scalar::<#element>(#k);));
            }
            _ => {
                t.bind(&name.to_string(), Kind::Array);
                code.extend(quote!(let #name = lz_call.input::<#element, #rank>(#lz, #k);));
            }
        }
    }
    for (k, param) in params.outputs.iter().enumerate() {
        let (name, element, rank) = (&param.name, &param.element, param.core.len());
        match param.holder {
            Holder::ScalarMut => {
                t.bind(&name.to_string(), Kind::Value { depth: 0 });
                code.extend(quote! {
                    let mut #name = #lz.known(<#element as ::core::default::Default>::default());
                });
            }
            _ => {
                t.bind(&name.to_string(), Kind::Array);
                code.extend(quote!(let #name = lz_call.output::<#element, #rank>(#lz, #k);));
            }
        }
    }
    let mut stmts: Vec<Stmt> =
        block.stmts.iter().filter(|stmt| !matches!(stmt, Stmt::Item(_))).cloned().collect();
    let tail = match (params.returns, stmts.last()) {
        (true, Some(Stmt::Expr(_, None))) => stmts.pop(),
        (true, _) => return Err(No),
        _ => None,
    };
    t.scopes.push(HashMap::new());
    for stmt in &stmts {
        code.extend(t.stmt(stmt)?);
    }
    let results = match &tail {
        Some(tail @ Stmt::Expr(e, _)) => {
            let results = t.returned(e, params.results.len());
            t.noted(tail, results)?
        }
        _ => {
            let result = params.outputs.iter().map(|param| {
                let name = &param.name;
                match param.holder {
                    Holder::ScalarMut => quote!(#lz.scalar_result(&#name)),
                    _ => quote!(#lz.result(&#name)),
                }
            });
            quote!(::std::vec![#(#result),*])
        }
    };
    code.extend(quote!(::core::result::Result::Ok(#results)));
    match &t.parts {
        Some(parts) if !parts.is_worth_it => Err(No),
        _ => Ok(code),
    }
}

impl Lowering<'_> {
    fn returned(&mut self, e: &Expr, count: usize) -> Outcome<TokenStream> {
        let lz = lz();
        if count == 1 {
            let value = self.value(e)?;
            return Ok(quote!(::std::vec![#lz.scalar_result(&#value)]));
        }
        if let Expr::Tuple(tuple) = e {
            let parts = tuple.elems.iter().map(|e| self.value(e)).collect::<Outcome<Vec<_>>>()?;
            return Ok(quote!(::std::vec![#(#lz.scalar_result(&#parts)),*]));
        }
        let value = self.value(e)?;
        let names: Vec<Ident> = (0..count).map(|k| format_ident!("lz_part{k}")).collect();
        Ok(quote! {{
            let (#(#names,)*) = ::lazuli::__private::gufunc::Split::split(#value);
            ::std::vec![#(#lz.scalar_result(&#names)),*]
        }})
    }

    fn block(&mut self, stmts: &[Stmt]) -> Outcome<TokenStream> {
        self.scopes.push(HashMap::new());
        let code = stmts.iter().map(|stmt| self.stmt(stmt)).collect::<Outcome<TokenStream>>();
        self.scopes.pop();
        code
    }

    fn stmt(&mut self, stmt: &Stmt) -> Outcome<TokenStream> {
        let outcome = match stmt {
            Stmt::Local(local) => self.local(local),
            Stmt::Expr(e, _) => self.effect(e),
            Stmt::Item(_) | Stmt::Macro(_) => Err(No),
        };
        self.noted(stmt, outcome)
    }

    /// Keeps the innermost statement that cannot be recorded: its own parts have come by before.
    fn noted<T>(&mut self, stmt: &Stmt, outcome: Outcome<T>) -> Outcome<T> {
        if outcome.is_err() && self.refused.is_none() {
            self.refused = Some(why(self, stmt));
        }
        outcome
    }

    // ---- Variables ----

    fn local(&mut self, local: &Local) -> Outcome<TokenStream> {
        let Some(init) = &local.init else { return Err(No) };
        if init.diverge.is_some() {
            return Err(No);
        }
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        if let (Pat::Ident(p), Some(array)) = (pat, own_array(&init.expr)) {
            return if ty.is_some() { Err(No) } else { self.own_array(&p.ident, array) };
        }
        if matches!(&*init.expr, Expr::Array(_) | Expr::Repeat(_))
            || ty.is_some_and(|ty| matches!(ty, Type::Array(_) | Type::Tuple(_)))
        {
            return Err(No);
        }
        if let (Pat::Tuple(pats), Expr::Tuple(values), None) = (pat, bare(&init.expr), ty)
            && pats.elems.len() == values.elems.len()
            && !self.binds_what_it_reads(pat, &init.expr)
        {
            let each = pats.elems.iter().zip(&values.elems);
            return each.map(|(p, e)| self.local(&let_of(p, e))).collect();
        }
        let names = names_of(pat).ok_or(No)?;
        let is_mutable = names.iter().any(|(_, is_mutable)| *is_mutable);
        let e = &init.expr;
        if !is_mutable && self.known(e).is_some() {
            if self.masked && may_fail(e) {
                return Err(No);
            }
            names.iter().for_each(|(name, _)| self.bind(&name.to_string(), Kind::Known));
            let pat = &local.pat;
            return Ok(quote!(let #pat = #e;));
        }
        if let ([(name, false)], Some(index)) = (&names[..], self.index(e)) {
            self.bind(&name.to_string(), Kind::Index);
            return Ok(quote!(let #name = #index;));
        }
        let mut value = self.value(e)?;
        if is_mutable {
            let lz = lz();
            value = quote!(#lz.here(#value));
        }
        for (name, _) in &names {
            self.bind(&name.to_string(), Kind::Value { depth: self.depth });
        }
        if let Some(parts) = &mut self.parts {
            // What may be set again may come to depend on anything.
            let on = if is_mutable { u64::MAX } else { parts.on(e) };
            let all = parts.of.values().fold(0, |a, b| a | b);
            parts.is_worth_it |= on != 0 && on & all != all && calls(e);
            parts.of.extend(names.iter().map(|(name, _)| (name.to_string(), on)));
        }
        match pat {
            Pat::Ident(p) => {
                let name = &p.ident;
                let ty = ty.map(|ty| quote!(: ::lazuli::__private::gufunc::Value<#ty>));
                Ok(quote!(let mut #name #ty = #value;))
            }
            Pat::Wild(_) => Ok(quote!(let _ = #value;)),
            _ => {
                let parts = parts_of(pat).ok_or(No)?;
                Ok(quote! {
                    let (#(#parts,)*) = ::lazuli::__private::gufunc::Split::split(#value);
                })
            }
        }
    }

    /// An array of the item's own: its length is known, and it is made where nothing decides whether.
    fn own_array(&mut self, name: &Ident, array: OwnArray) -> Outcome<TokenStream> {
        let (rank, element, args) = array;
        let are_known = args.iter().all(|e| self.known(e).is_some());
        if !are_known || self.depth > 0 || self.masked {
            return Err(No);
        }
        let (lz, text) = (lz(), name.to_string());
        self.bind(&text, Kind::Array);
        let shape = &args[0];
        Ok(match args.get(1) {
            None => quote!(let #name = #lz.zeros::<#element, #rank>(#text, #shape);),
            Some(value) => {
                quote!(let #name = #lz.filled::<#element, #rank>(#text, #shape, #value);)
            }
        })
    }

    /// Whether a pattern binds a name that the value has: `let (a, b) = (b, a);`.
    fn binds_what_it_reads(&self, pat: &Pat, e: &Expr) -> bool {
        let mut occurrences = Occurrences { counts: HashMap::new() };
        occurrences.visit_expr(e);
        let names = names_of(pat).unwrap_or_default();
        names.iter().any(|(name, _)| occurrences.counts.contains_key(&name.to_string()))
    }

    // ---- Statements ----

    fn effect(&mut self, e: &Expr) -> Outcome<TokenStream> {
        match e {
            Expr::Assign(assign) => {
                let (op, term) = normalised(&assign.left, &assign.right);
                self.assign(&assign.left, op, &term)
            }
            Expr::Binary(binary) => match update_of(&binary.op) {
                Some(op) => self.assign(&binary.left, Some(op), &binary.right),
                None if is_assignment(&binary.op) => {
                    let (left, right) = (&binary.left, &binary.right);
                    let op = plain(&binary.op).ok_or(No)?;
                    let whole: Expr = syn::parse_quote!(#left #op (#right));
                    self.assign(left, None, &whole)
                }
                None => Err(No),
            },
            Expr::ForLoop(e) => match self.straight(&Expr::ForLoop(e.clone())) {
                Ok(code) => Ok(code),
                Err(No) => self.for_loop(e),
            },
            Expr::If(e) => match self.straight(&Expr::If(e.clone())) {
                Ok(code) => Ok(code),
                Err(No) => self.branch(e),
            },
            Expr::While(_) | Expr::Loop(_) | Expr::Match(_) => self.straight(e),
            Expr::Block(b) if b.label.is_none() => {
                let code = self.block(&b.block.stmts)?;
                Ok(quote!({ #code }))
            }
            Expr::Paren(p) => self.effect(&p.expr),
            Expr::Group(g) => self.effect(&g.expr),
            Expr::Tuple(t) if t.elems.is_empty() => Ok(TokenStream::new()),
            _ => Err(No),
        }
    }

    /// `place = value` or, with an operation, `place op= value`.
    fn assign(
        &mut self,
        place: &Expr,
        op: Option<Operation>,
        value: &Expr,
    ) -> Outcome<TokenStream> {
        let lz = lz();
        if let Some(name) = ident(place) {
            let Some(Kind::Value { depth }) = self.kind(&name.to_string()) else { return Err(No) };
            if depth == self.depth {
                let value = match op {
                    None => self.value(value)?,
                    Some(op) => {
                        let whole = op.apply(place, value);
                        self.value(&whole)?
                    }
                };
                return Ok(quote!(#name = #lz.choose(#value, &#name)?;));
            }
            let update = op.ok_or(No)?.tokens();
            let value = self.value(value)?;
            return Ok(quote!({
                let lz_term = #value;
                #lz.update(&mut #name, #update, &lz_term)?;
            }));
        }
        let Expr::Index(element) = bare(place) else { return Err(No) };
        let Some(name) = ident(&element.expr) else { return Err(No) };
        if self.kind(&name.to_string()) != Some(Kind::Array) {
            return Err(No);
        }
        let at = self.place(&element.index)?;
        let value = self.value(value)?;
        Ok(match op {
            None => quote!({
                let lz_value = #value;
                #lz.write(&#name, #at, &lz_value)?;
            }),
            Some(op) => {
                let update = op.tokens();
                quote!({
                    let lz_term = #value;
                    #lz.update_at(&#name, #at, #update, &lz_term)?;
                })
            }
        })
    }

    fn for_loop(&mut self, e: &ExprForLoop) -> Outcome<TokenStream> {
        if e.label.is_some() {
            return Err(No);
        }
        let range = self.range(&e.expr)?;
        self.check_updates(e)?;
        let name = match &*e.pat {
            Pat::Ident(p) if p.by_ref.is_none() && p.mutability.is_none() => p.ident.clone(),
            Pat::Wild(_) => format_ident!("lz_turn"),
            _ => return Err(No),
        };
        self.scopes.push(HashMap::new());
        self.bind(&name.to_string(), Kind::Index);
        self.depth += 1;
        let body = self.block(&e.body.stmts);
        self.depth -= 1;
        self.scopes.pop();
        let (lz, body) = (lz(), body?);
        Ok(quote! {
            if let ::core::option::Option::Some(#name) = #lz.enter(#range)? {
                #body
                #lz.leave();
            }
        })
    }

    /// A branch that only some turns take, or one that is known.
    fn branch(&mut self, e: &ExprIf) -> Outcome<TokenStream> {
        let lz = lz();
        if self.known(&e.cond).is_some() && !(self.masked && may_fail(&e.cond)) {
            let (condition, yes) = (&e.cond, self.block(&e.then_branch.stmts)?);
            let no = match &e.else_branch {
                Some((_, e)) => self.effect(e)?,
                None => TokenStream::new(),
            };
            return Ok(quote!(if #condition { #yes } else { #no }));
        }
        let condition = self.value(&e.cond)?;
        let outer = std::mem::replace(&mut self.masked, true);
        let yes = self.block(&e.then_branch.stmts);
        let no = e.else_branch.as_ref().map(|(_, e)| self.effect(e));
        self.masked = outer;
        let yes = yes?;
        let no = match no {
            Some(code) => {
                let code = code?;
                quote!(#lz.otherwise(&lz_condition)?; { #code })
            }
            None => TokenStream::new(),
        };
        Ok(quote!({
            let lz_condition = #condition;
            #lz.when(&lz_condition)?;
            { #yes }
            #no
            #lz.end_when();
        }))
    }

    /// A statement without writes and without loops over elements: one piece, which gives the new
    /// values of the variables that it sets.
    fn straight(&mut self, e: &Expr) -> Outcome<TokenStream> {
        let lz = lz();
        let mut statement = e.clone();
        let mut gather = Gather::new(self, has_control(e));
        gather.run(&mut statement)?;
        let Use { params, assigned } = gather.finish()?;
        let names = assigned.clone();
        let result = match &assigned[..] {
            [] => return Err(No),
            [one] => quote!(#one),
            several => quote!((#(#several,)*)),
        };
        let block: syn::Block = syn::parse_quote!({
            #(let mut #names = #names;)*
            #statement
            #result
        });
        let piece = piece_of(self, &params, &block)?;
        if let [one] = &assigned[..] {
            return Ok(quote!(#one = #lz.choose(#piece, &#one)?;));
        }
        let new: Vec<Ident> = (0..assigned.len()).map(|k| format_ident!("lz_new{k}")).collect();
        Ok(quote!({
            let (#(#new,)*) = ::lazuli::__private::gufunc::Split::split(#piece);
            #(#assigned = #lz.choose(#new, &#assigned)?;)*
        }))
    }

    /// The variables that stand outside of a loop and change in it must do so as sums do, and
    /// nothing may look at them meanwhile.
    fn check_updates(&self, e: &ExprForLoop) -> Outcome<()> {
        let mut updates = Updates { found: HashMap::new() };
        updates.visit_block(&e.body);
        let mut occurrences = Occurrences { counts: HashMap::new() };
        occurrences.visit_block(&e.body);
        for (name, found) in &updates.found {
            let Some(Kind::Value { depth }) = self.kind(name) else { continue };
            if depth > self.depth {
                continue;
            }
            let total = occurrences.counts.get(name).copied().unwrap_or(0);
            let Some((op, own)) = found else { return Err(No) };
            if op.is_none() || total != *own {
                return Err(No);
            }
        }
        Ok(())
    }
}

/// `let pat = e;`
fn let_of(pat: &Pat, e: &Expr) -> Local {
    match syn::parse_quote!(let #pat = #e;) {
        Stmt::Local(local) => local,
        _ => unreachable!("a `let` is what was written"),
    }
}

/// The parts of a tuple pattern, each a name or `_`.
fn parts_of(pat: &Pat) -> Option<Vec<TokenStream>> {
    let Pat::Tuple(tuple) = pat else { return None };
    let part = |pat: &Pat| match pat {
        Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
            let name = &p.ident;
            Some(quote!(mut #name))
        }
        Pat::Wild(_) => Some(quote!(_)),
        _ => None,
    };
    tuple.elems.iter().map(part).collect()
}
