//! Pieces: scalar code between the reads and the writes of recorded loops, with what it takes from
//! around it as parameters.

use super::forms::{ident, may_fail};
use super::scopes::{Kind, Lowering, No, Outcome, lz};
use crate::translate::{
    Plain, Translator, bare, can_fail, is_assignment, is_swap, leave_twin, rare,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashSet;
use std::rc::Rc;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, Pat};

/// The most parameters of a piece.
const MOST: usize = 12;

/// A parameter: its name in the piece, and the value that it gets.
pub struct Parameter {
    name: Ident,
    value: TokenStream,
}

/// What a piece takes, and the variables from around it that it sets.
pub struct Use {
    pub params: Vec<Parameter>,
    pub assigned: Vec<Ident>,
}

/// Rewrites code so that what it takes from around it are parameters.
pub struct Gather<'a, 'b> {
    around: &'a Lowering<'b>,
    /// Whether some of the code may not run.
    control: bool,
    locals: Vec<HashSet<String>>,
    params: Vec<Parameter>,
    /// The text of the expressions that are parameters already.
    known: Vec<(String, Ident)>,
    assigned: Vec<Ident>,
    loops: usize,
    failed: bool,
}

impl<'a, 'b> Gather<'a, 'b> {
    pub fn new(around: &'a Lowering<'b>, control: bool) -> Self {
        Gather {
            around,
            control,
            locals: vec![HashSet::new()],
            params: Vec::new(),
            known: Vec::new(),
            assigned: Vec::new(),
            loops: 0,
            failed: false,
        }
    }

    /// Rewrites.
    pub fn run(&mut self, e: &mut Expr) -> Outcome<()> {
        self.visit_expr_mut(e);
        if self.failed { Err(No) } else { Ok(()) }
    }

    pub fn finish(self) -> Outcome<Use> {
        if self.params.len() > MOST || self.assigned.len() > 8 {
            return Err(No);
        }
        Ok(Use { params: self.params, assigned: self.assigned })
    }

    fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|scope| scope.contains(name))
    }

    /// What a name from around the piece is.
    fn kind(&self, e: &Expr) -> Option<(Ident, Kind)> {
        let name = ident(e)?;
        if self.is_local(&name.to_string()) {
            return None;
        }
        Some((name.clone(), self.around.kind(&name.to_string())?))
    }

    /// The parameter for an expression.
    fn parameter(&mut self, e: &Expr, hint: &str, value: TokenStream) -> Ident {
        let text = quote!(#e).to_string();
        if let Some((_, name)) = self.known.iter().find(|known| known.0 == text) {
            return name.clone();
        }
        let name = format_ident!("lz_{hint}{}", self.params.len(), span = Span::mixed_site());
        self.known.push((text, name.clone()));
        self.params.push(Parameter { name: name.clone(), value });
        name
    }

    /// A variable from around the piece under its own name.
    fn variable(&mut self, name: &Ident, value: TokenStream) {
        if !self.params.iter().any(|param| param.name == *name) {
            self.params.push(Parameter { name: name.clone(), value });
        }
    }

    /// Whether an expression holds a name that the piece binds itself.
    fn has_local(&self, e: &Expr) -> bool {
        struct Any<'s, 'a, 'b>(&'s Gather<'a, 'b>, bool);
        impl Visit<'_> for Any<'_, '_, '_> {
            fn visit_ident(&mut self, name: &Ident) {
                self.1 |= self.0.is_local(&name.to_string());
            }
        }
        let mut any = Any(self, false);
        any.visit_expr(e);
        any.1
    }

    /// What can be computed before the piece runs.
    fn is_known(&self, e: &Expr) -> bool {
        if self.around.known(e) != Some(true) || self.has_local(e) {
            return false;
        }
        // Where code may not run, what could panic is left to it.
        !((self.control || self.around.is_masked()) && may_fail(e))
    }

    fn bind(&mut self, pat: &Pat) {
        struct Names<'a>(&'a mut HashSet<String>);
        impl Visit<'_> for Names<'_> {
            fn visit_pat_ident(&mut self, p: &syn::PatIdent) {
                self.0.insert(p.ident.to_string());
                syn::visit::visit_pat_ident(self, p);
            }
        }
        Names(self.locals.last_mut().expect("there is always a scope")).visit_pat(pat);
    }

    fn scope(&mut self, f: impl FnOnce(&mut Self)) {
        self.locals.push(HashSet::new());
        f(self);
        self.locals.pop();
    }

    /// The place that an assignment writes to.
    fn place(&mut self, e: &mut Expr) {
        match self.kind(e) {
            Some((name, Kind::Value { depth })) if depth == self.around.depth() => {
                self.variable(&name, quote!(::core::clone::Clone::clone(&#name)));
                if !self.assigned.contains(&name) {
                    self.assigned.push(name);
                }
            }
            Some(_) => self.failed = true,
            None if ident(e).is_some() => {}
            None => match bare(e) {
                Expr::Index(index) => match self.kind(&index.expr) {
                    Some(_) => self.failed = true,
                    None => self.visit_expr_mut(e),
                },
                Expr::Field(field) if self.kind(&field.base).is_none() => self.visit_expr_mut(e),
                Expr::Infer(_) => {}
                _ => self.failed = true,
            },
        }
    }

    /// A name that is read.
    fn name(&mut self, e: &Expr) {
        match self.kind(e) {
            Some((name, Kind::Value { .. })) => {
                self.variable(&name, quote!(::core::clone::Clone::clone(&#name)));
            }
            Some((name, Kind::Index)) => {
                let lz = lz();
                self.variable(&name, quote!(#lz.value(&#name)?));
            }
            Some((_, Kind::Known | Kind::Array)) => self.failed = true,
            None => {}
        }
    }

    /// The parameter that brings an element of an array, unless its place depends on what the code
    /// computes.
    fn element(&mut self, array: &Ident, index: &syn::ExprIndex) -> Option<Ident> {
        if self.has_local(&index.index) {
            return None;
        }
        let place = self.around.place(&index.index).ok()?;
        let (lz, sure) = (lz(), !self.control);
        let value = quote!(#lz.read(&#array, #place, #sure)?);
        Some(self.parameter(&Expr::Index(index.clone()), "r", value))
    }
}

impl VisitMut for Gather<'_, '_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if self.failed {
            return;
        }
        if self.is_known(e) {
            let lz = lz();
            let name = self.parameter(e, "k", quote!(#lz.known(#e)));
            *e = syn::parse_quote!(#name);
            return;
        }
        match e {
            Expr::Path(_) => self.name(e),
            Expr::Index(index) => match self.kind(&index.expr) {
                Some((array, Kind::Array)) => match self.element(&array, index) {
                    Some(name) => *e = syn::parse_quote!(#name),
                    None => self.failed = true,
                },
                Some(_) => self.failed = true,
                None => visit_mut::visit_expr_mut(self, e),
            },
            Expr::Assign(assign) => {
                self.visit_expr_mut(&mut assign.right);
                match &mut *assign.left {
                    Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|e| self.place(e)),
                    left => self.place(left),
                }
            }
            Expr::Binary(binary) if is_assignment(&binary.op) => {
                self.visit_expr_mut(&mut binary.right);
                self.place(&mut binary.left);
            }
            Expr::Call(call) => {
                // The function's name is no variable.
                call.args.iter_mut().for_each(|e| self.visit_expr_mut(e));
                self.failed |= !matches!(&*call.func, Expr::Path(_));
            }
            // What it changes is not looked into.
            Expr::MethodCall(call) if is_swap(call) => self.failed = true,
            Expr::Return(_)
            | Expr::Closure(_)
            | Expr::Reference(_)
            | Expr::Macro(_)
            | Expr::Try(_)
            | Expr::Let(_)
            | Expr::Unsafe(_) => self.failed = true,
            Expr::Break(b) => {
                self.failed |= self.loops == 0 || b.label.is_some();
                visit_mut::visit_expr_mut(self, e);
            }
            Expr::Continue(c) => self.failed |= self.loops == 0 || c.label.is_some(),
            Expr::ForLoop(f) => {
                self.visit_expr_mut(&mut f.expr);
                self.loops += 1;
                self.scope(|v| {
                    v.bind(&f.pat);
                    v.visit_block_mut(&mut f.body);
                });
                self.loops -= 1;
            }
            Expr::While(w) => {
                self.loops += 1;
                self.visit_expr_mut(&mut w.cond);
                self.visit_block_mut(&mut w.body);
                self.loops -= 1;
            }
            Expr::Loop(l) => {
                self.loops += 1;
                self.visit_block_mut(&mut l.body);
                self.loops -= 1;
            }
            _ => visit_mut::visit_expr_mut(self, e),
        }
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.scope(|v| block.stmts.iter_mut().for_each(|stmt| v.visit_stmt_mut(stmt)));
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            self.visit_expr_mut(&mut init.expr);
            self.failed |= init.diverge.is_some();
        }
        self.bind(&local.pat);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scope(|v| {
            v.bind(&arm.pat);
            if let Some((_, guard)) = &mut arm.guard {
                v.visit_expr_mut(guard);
            }
            v.visit_expr_mut(&mut arm.body);
        });
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {
        self.failed = true;
    }

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {
        self.failed = true;
    }

    // Types, paths and patterns hold no values to rewrite.
    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
    fn visit_pat_mut(&mut self, _: &mut Pat) {}
}

/// Whether some of an expression may not run.
pub fn has_control(e: &Expr) -> bool {
    struct Any(bool);
    impl Visit<'_> for Any {
        fn visit_expr(&mut self, e: &Expr) {
            self.0 |= match e {
                Expr::If(_)
                | Expr::Match(_)
                | Expr::While(_)
                | Expr::Loop(_)
                | Expr::ForLoop(_)
                | Expr::Break(_) => true,
                Expr::Binary(b) => matches!(b.op, BinOp::And(_) | BinOp::Or(_)),
                _ => false,
            };
            syn::visit::visit_expr(self, e);
        }
    }
    let mut any = Any(false);
    any.visit_expr(e);
    any.0
}

/// The names that a `let` binds, and whether they are `mut`: one name, `_`, or a tuple of these.
pub fn names_of(pat: &Pat) -> Option<Vec<(Ident, bool)>> {
    match pat {
        Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
            Some(vec![(p.ident.clone(), p.mutability.is_some())])
        }
        Pat::Wild(_) => Some(Vec::new()),
        Pat::Tuple(tuple) => {
            let parts = tuple.elems.iter().map(|part| match part {
                Pat::Tuple(_) => None,
                part => names_of(part),
            });
            Some(parts.collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

/// The call that records a piece.
pub fn piece_of(t: &Lowering, params: &[Parameter], block: &syn::Block) -> Outcome<TokenStream> {
    let mut translator = Translator::new(t.name, t.generics, Rc::new(Plain));
    translator.leave = Some(leave_twin());
    let names: Vec<String> =
        params.iter().map(|param| translator.bind(&param.name.to_string())).collect();
    let body = translator.body(block, true).map_err(|_| No)?;
    let (slots, fills) = translator.slots.parts(&body.before, translator.cost);
    let (lz, rare, probe, twin) = (lz(), rare(), &body.probe, &body.twin);
    let (arithmetic, fails) = (arithmetic(params, block), fails(block));
    let patterns: Vec<&Ident> = params.iter().map(|param| &param.name).collect();
    let values = params.iter().map(|param| &param.value);
    Ok(quote!({
        #slots
        #lz.piece(
            (#(#values,)*),
            &[#(#names),*],
            |(#(#patterns,)*), #rare: &mut bool| #twin,
            |(#(#patterns,)*)| #block,
            |(#(#patterns,)*)| #probe,
            |lz_to| { #fills },
            &[#(#arithmetic),*],
            #fails,
        )?
    }))
}

/// What of a piece may fail or never end for numbers that no turn gives it, as the library's `Fails`.
/// Where overflow panics, sums and products count as quotients do. Reads of arrays are parameters by
/// now.
fn fails(block: &syn::Block) -> TokenStream {
    struct Most {
        sum: bool,
        quotient: bool,
        cast: bool,
        more: bool,
    }
    impl Most {
        /// A positive number divides everything.
        fn divides(&mut self, by: &Expr) {
            let is_zero = |lit: &syn::Lit| match lit {
                syn::Lit::Int(n) => n.base10_parse::<u128>().is_ok_and(|n| n == 0),
                _ => false,
            };
            self.quotient |= !matches!(bare(by), Expr::Lit(e) if !is_zero(&e.lit));
        }
    }
    impl Visit<'_> for Most {
        fn visit_expr(&mut self, e: &Expr) {
            match e {
                Expr::Binary(b) => match b.op {
                    BinOp::Div(_) | BinOp::Rem(_) | BinOp::DivAssign(_) | BinOp::RemAssign(_) => {
                        self.divides(&b.right);
                    }
                    BinOp::And(_)
                    | BinOp::Or(_)
                    | BinOp::Eq(_)
                    | BinOp::Ne(_)
                    | BinOp::Lt(_)
                    | BinOp::Le(_)
                    | BinOp::Gt(_)
                    | BinOp::Ge(_) => {}
                    _ => self.sum = true,
                },
                Expr::Unary(unary) => self.sum |= matches!(unary.op, syn::UnOp::Neg(_)),
                Expr::Cast(_) => self.cast = true,
                Expr::MethodCall(call) => {
                    self.more |= can_fail(&call.method.to_string(), call.args.iter());
                }
                Expr::Call(call) => {
                    self.more |= match &*call.func {
                        Expr::Path(path) => !is_of_numbers(&path.path, call.args.iter().skip(1)),
                        _ => true,
                    };
                }
                Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) | Expr::Index(_) => {
                    self.more = true;
                }
                _ => {}
            }
            syn::visit::visit_expr(self, e);
        }
    }
    let mut most = Most { sum: false, quotient: false, cast: false, more: false };
    most.visit_block(block);
    let what = |quotient: bool| match (most.more || quotient && most.cast, quotient) {
        (true, _) => quote!(Always),
        (false, true) => quote!(OfIntegers),
        (false, false) => quote!(Never),
    };
    let (wraps, panics) = (what(most.quotient), what(most.quotient || most.sum));
    let fails = quote!(::lazuli::__private::gufunc::Fails);
    quote!(if ::core::cfg!(debug_assertions) { #fails::#panics } else { #fails::#wraps })
}

/// Whether a path is a function of a primitive type that cannot fail, as `f64::sin` is.
fn is_of_numbers<'e>(path: &syn::Path, rest: impl Iterator<Item = &'e Expr>) -> bool {
    let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    match &names[..] {
        [ty, function] => {
            let number =
                ty.strip_prefix(['f', 'i', 'u']).is_some_and(|bits| bits.parse::<u8>().is_ok());
            number && !can_fail(function, rest)
        }
        _ => false,
    }
}

/// A piece that is nothing but sums, differences, products and quotients of its parameters, in
/// postfix order: a parameter by its number, an operation by its sign. Else nothing.
fn arithmetic(params: &[Parameter], block: &syn::Block) -> Vec<u8> {
    fn push(e: &Expr, params: &[Parameter], list: &mut Vec<u8>) -> Option<()> {
        if let Expr::Binary(binary) = bare(e) {
            let sign = match binary.op {
                BinOp::Add(_) => b'+',
                BinOp::Sub(_) => b'-',
                BinOp::Mul(_) => b'*',
                BinOp::Div(_) => b'/',
                _ => return None,
            };
            push(&binary.left, params, list)?;
            push(&binary.right, params, list)?;
            list.push(sign);
            return Some(());
        }
        let name = ident(bare(e))?;
        let k = params.iter().position(|param| param.name == *name)?;
        list.push(u8::try_from(k).ok()?);
        Some(())
    }
    let [syn::Stmt::Expr(e, None)] = &block.stmts[..] else { return Vec::new() };
    let mut list = Vec::new();
    match push(e, params, &mut list) {
        Some(()) if list.len() > 1 => list,
        _ => Vec::new(),
    }
}
