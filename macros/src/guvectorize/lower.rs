//! The loops of a gufunc, written again so that they are recorded rather than run.
//!
//! What is known when the function is called (the lengths of arrays, constants, and what is
//! computed from those) stays Rust. A loop becomes an axis, a position in it a `Sym`, a number
//! that depends on elements a `Value`, and the scalar code between reads and writes a piece. This
//! looks at forms alone: whether turns are independent and places affine is decided when the
//! loops are recorded. What has no such form is `No`, and the function runs item by item.

use super::gather::{Gather, Use, has_control, names_of, piece_of};
use super::params::{Holder, Params};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;
use syn::visit::Visit;
use syn::{BinOp, Expr, ExprForLoop, ExprIf, Lit, Local, Pat, Stmt, Type, UnOp};

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
    Ident::new("lz", Span::mixed_site())
}

/// The translation of one function.
pub struct Lowering<'a> {
    /// The name of the function and its generics, for the translation of pieces.
    pub name: &'a str,
    pub generics: &'a syn::Generics,
    scopes: Vec<HashMap<String, Kind>>,
    /// The loops around the present place.
    depth: usize,
    /// Whether a branch is around it that only some turns take.
    masked: bool,
    /// Where scalar code is taken apart: the arguments that variables depend on.
    parts: Option<Parts>,
}

/// The statements that record the function, and its results.
pub fn lower(
    name: &str,
    generics: &syn::Generics,
    params: &Params,
    block: &syn::Block,
) -> Outcome<TokenStream> {
    record(name, generics, params, block, None)
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
    record(name, generics, params, block, Some(Parts::default()))
}

fn record(
    name: &str,
    generics: &syn::Generics,
    params: &Params,
    block: &syn::Block,
    parts: Option<Parts>,
) -> Outcome<TokenStream> {
    let scopes = vec![HashMap::new()];
    let mut t = Lowering { name, generics, scopes, depth: 0, masked: false, parts };
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
        Some(Stmt::Expr(e, _)) => t.returned(e, params.results.len())?,
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
    Ok(code)
}

impl Lowering<'_> {
    fn bind(&mut self, name: &str, kind: Kind) {
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
        match stmt {
            Stmt::Local(local) => self.local(local),
            Stmt::Expr(e, _) => self.effect(e),
            Stmt::Item(_) | Stmt::Macro(_) => Err(No),
        }
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
        if let Pat::Ident(p) = pat
            && let Some((rank, element, args)) = own_array(&init.expr)
        {
            let are_known = args.iter().all(|e| self.known(e).is_some());
            if !are_known || self.depth > 0 || self.masked || ty.is_some() {
                return Err(No);
            }
            let (lz, name, text) = (lz(), &p.ident, p.ident.to_string());
            self.bind(&text, Kind::Array);
            let shape = &args[0];
            return Ok(match args.get(1) {
                None => quote!(let #name = #lz.zeros::<#element, #rank>(#text, #shape);),
                Some(value) => {
                    quote!(let #name = #lz.filled::<#element, #rank>(#text, #shape, #value);)
                }
            });
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
            return pats
                .elems
                .iter()
                .zip(&values.elems)
                .map(|(p, e)| self.local(&let_of(p, e)))
                .collect();
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
        let value = self.value(e)?;
        for (name, _) in &names {
            self.bind(&name.to_string(), Kind::Value { depth: self.depth });
        }
        if let Some(parts) = &mut self.parts {
            // What may be set again may come to depend on anything.
            let on = if is_mutable { u64::MAX } else { parts.on(e) };
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

    // ---- Expressions ----

    /// An expression as a value.
    pub fn value(&mut self, e: &Expr) -> Outcome<TokenStream> {
        let lz = lz();
        let bare = bare(e);
        if let Some(name) = ident(bare) {
            match self.kind(&name.to_string()) {
                Some(Kind::Value { .. }) => return Ok(quote!(::core::clone::Clone::clone(&#name))),
                Some(Kind::Index) => return Ok(quote!(#lz.value(&#name)?)),
                _ => {}
            }
        }
        if let Expr::Index(element) = bare
            && let Some(name) = ident(&element.expr)
            && self.kind(&name.to_string()) == Some(Kind::Array)
        {
            let at = self.place(&element.index)?;
            return Ok(quote!(#lz.read(&#name, #at, true)?));
        }
        let mut expression = e.clone();
        let mut apart = TokenStream::new();
        if self.parts.is_some() {
            apart = self.take_apart(&mut expression)?;
        }
        let has_control = has_control(&expression);
        let mut gather = Gather::new(self, has_control);
        gather.run(&mut expression)?;
        let Use { params, assigned } = gather.finish()?;
        if !assigned.is_empty() {
            return Err(No);
        }
        let block: syn::Block = syn::parse_quote!({ #expression });
        let piece = piece_of(self, &params, &block)?;
        Ok(if apart.is_empty() { piece } else { quote!({ #apart #piece }) })
    }

    /// Takes the parts of an expression out that depend on fewer arguments than the whole, and are
    /// worth it: they call something. Gives the statements that compute them.
    fn take_apart(&mut self, e: &mut Expr) -> Outcome<TokenStream> {
        let Some(parts) = &self.parts else { return Ok(TokenStream::new()) };
        let whole = parts.on(e);
        let mut apart = Apart { parts, whole, found: Vec::new() };
        apart.below(e);
        let found = apart.found;
        let mut code = TokenStream::new();
        for (name, part, on) in found {
            let value = self.value(&part)?;
            code.extend(quote!(let #name = #value;));
            self.bind(&name.to_string(), Kind::Value { depth: self.depth });
            self.parts.as_mut().ok_or(No)?.of.insert(name.to_string(), on);
        }
        Ok(code)
    }

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
            if self.masked && has_known_difference(self, part) {
                return Err(No);
            }
            Ok(quote!(::lazuli::__private::gufunc::place(#index)))
        };
        let parts = parts.into_iter().map(place).collect::<Outcome<Vec<_>>>()?;
        Ok(quote!([#(#parts),*]))
    }

    /// What a loop runs over.
    fn range(&self, e: &Expr) -> Outcome<TokenStream> {
        match bare(e) {
            Expr::Range(range) => {
                let (Some(start), Some(end)) = (&range.start, &range.end) else { return Err(No) };
                if self.known(start).is_none() || self.known(end).is_none() {
                    return Err(No);
                }
                if self.masked && (may_fail(start) || may_fail(end)) {
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
                const LENGTHS: [&str; 8] =
                    ["len", "shape", "nrows", "ncols", "dim", "len_of", "ndim", "is_empty"];
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

/// The arguments that variables depend on, as bits.
#[derive(Default)]
struct Parts {
    of: HashMap<String, u64>,
}

impl Parts {
    /// The arguments that an expression depends on.
    fn on(&self, e: &Expr) -> u64 {
        let mut occurrences = Occurrences { counts: HashMap::new() };
        occurrences.visit_expr(e);
        occurrences.counts.keys().filter_map(|name| self.of.get(name)).fold(0, |a, b| a | b)
    }
}

/// Finds the parts of an expression that depend on fewer arguments than the whole.
struct Apart<'a> {
    parts: &'a Parts,
    whole: u64,
    found: Vec<(Ident, Expr, u64)>,
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
    fn below(&mut self, e: &mut Expr) {
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

/// Whether an expression calls a method or a function.
fn calls(e: &Expr) -> bool {
    struct Any(bool);
    impl Visit<'_> for Any {
        fn visit_expr_method_call(&mut self, _: &syn::ExprMethodCall) {
            self.0 = true;
        }
        fn visit_expr_call(&mut self, _: &syn::ExprCall) {
            self.0 = true;
        }
    }
    let mut any = Any(false);
    any.visit_expr(e);
    any.0
}

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
    fn tokens(self) -> TokenStream {
        let name = format_ident!("{self:?}");
        quote!(::lazuli::__private::gufunc::Update::#name)
    }

    /// The whole expression, `place op value`.
    fn apply(self, place: &Expr, value: &Expr) -> Expr {
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
    fn class(self) -> Operation {
        if self == Operation::Subtract { Operation::Add } else { self }
    }
}

/// The operation of `+=` and its kin, as far as sums are made of it.
fn update_of(op: &BinOp) -> Option<Operation> {
    Some(match op {
        BinOp::AddAssign(_) => Operation::Add,
        BinOp::SubAssign(_) => Operation::Subtract,
        BinOp::MulAssign(_) => Operation::Multiply,
        BinOp::BitOrAssign(_) => Operation::Or,
        BinOp::BitAndAssign(_) => Operation::And,
        _ => return None,
    })
}

fn plain(op: &BinOp) -> Option<TokenStream> {
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
fn normalised(place: &Expr, value: &Expr) -> (Option<Operation>, Expr) {
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
struct Updates {
    found: HashMap<String, Option<(Option<Operation>, usize)>>,
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
struct Occurrences {
    counts: HashMap<String, usize>,
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

/// `Array1::<T>::zeros(shape)` and `from_elem(shape, value)`: the number of axes, the element type
/// and the arguments.
fn own_array(e: &Expr) -> Option<(usize, TokenStream, Vec<Expr>)> {
    let Expr::Call(call) = bare(e) else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let segments: Vec<_> = path.path.segments.iter().collect();
    let [.., owner, function] = &segments[..] else { return None };
    let rank = owner.ident.to_string().strip_prefix("Array")?.parse().ok()?;
    let arguments = match function.ident.to_string().as_str() {
        "zeros" => 1,
        "from_elem" => 2,
        _ => return None,
    };
    if call.args.len() != arguments || !(1..=3).contains(&rank) {
        return None;
    }
    let element = match &owner.arguments {
        syn::PathArguments::AngleBracketed(list) => {
            let list = &list.args;
            quote!(#list)
        }
        _ => quote!(_),
    };
    Some((rank, element, call.args.iter().cloned().collect()))
}

/// Whether the function makes arrays of its own.
pub fn has_arrays(block: &syn::Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Local(local) => local.init.as_ref().is_some_and(|i| own_array(&i.expr).is_some()),
        _ => false,
    })
}

/// Whether computing this on the host may panic: lengths that are subtracted or divided by.
pub fn may_fail(e: &Expr) -> bool {
    struct Any(bool);
    impl Visit<'_> for Any {
        fn visit_expr_binary(&mut self, e: &syn::ExprBinary) {
            self.0 |= matches!(e.op, BinOp::Sub(_) | BinOp::Div(_) | BinOp::Rem(_));
            syn::visit::visit_expr_binary(self, e);
        }
        fn visit_expr_index(&mut self, e: &syn::ExprIndex) {
            syn::visit::visit_expr_index(self, e);
        }
    }
    let mut any = Any(false);
    any.visit_expr(e);
    any.0
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

fn is_integer(ty: &Type) -> bool {
    const INTEGERS: [&str; 10] =
        ["usize", "isize", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    INTEGERS.contains(&&*quote!(#ty).to_string())
}

pub fn is_assignment(op: &BinOp) -> bool {
    let text = quote!(#op).to_string();
    text.ends_with('=') && !matches!(text.as_str(), "==" | "!=" | "<=" | ">=")
}

/// Without parentheses.
pub fn bare(e: &Expr) -> &Expr {
    match e {
        Expr::Paren(paren) => bare(&paren.expr),
        Expr::Group(group) => bare(&group.expr),
        _ => e,
    }
}

/// The plain name that an expression is.
pub fn ident(e: &Expr) -> Option<&Ident> {
    match bare(e) {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}
