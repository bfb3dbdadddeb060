//! Statements, branches, jumps and calls, over masks.

use super::stretch::{Stretch, reads};
use super::survey::{Assigned, Survey};
use super::{Lowered, Lowering, Target, course, lz, room};
use crate::translate::matched;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, ExprCall, ExprIf, Pat, Stmt};

impl Lowering {
    /// Statements in the current scope, and the value of the last one if it is wanted.
    pub fn block(&mut self, stmts: &[Stmt], wanted: bool) -> Option<Lowered> {
        // A macro at the end is a value.
        let mut stmts = stmts.to_vec();
        if let Some(Stmt::Macro(m)) = stmts.last()
            && m.semi_token.is_none()
            && let Some(value) = matched(&m.mac)
        {
            stmts.pop();
            stmts.push(Stmt::Expr(value, None));
        }
        let mut out = Lowered::default();
        let mut stretch = Stretch::default();
        for (k, stmt) in stmts.iter().enumerate() {
            let tail = match stmt {
                Stmt::Expr(e, None) if wanted && k + 1 == stmts.len() => Some(e),
                _ => None,
            };
            if let Some(tail) = tail
                && !self.survey(tail).needs_masks()
            {
                let (lines, value) = self.stretch(&stretch, Some(tail))?;
                out.before.extend(lines);
                out.value = value.map(|name| name.to_token_stream());
                return Some(out);
            }
            if let Stmt::Item(_) = stmt {
                continue;
            }
            if tail.is_none() && self.is_plain(stmt) {
                if !stretch.take(stmt)? {
                    self.flush(&mut stretch, &mut out)?;
                    let _ = stretch.take(stmt)?;
                }
                continue;
            }
            self.flush(&mut stretch, &mut out)?;
            let part = match (stmt, tail) {
                (_, Some(tail)) => self.value(tail)?,
                (Stmt::Local(local), _) => self.local(local)?,
                (Stmt::Expr(e, _), _) => self.effect(e)?,
                _ => return None,
            };
            out.before.extend(part.before);
            out.value = part.value.filter(|_| tail.is_some());
            out.diverges = part.diverges;
            if out.diverges {
                // What stands behind a jump never runs.
                return Some(out);
            }
        }
        self.flush(&mut stretch, &mut out)?;
        Some(out)
    }

    fn flush(&mut self, stretch: &mut Stretch, out: &mut Lowered) -> Option<()> {
        if !stretch.is_empty() {
            out.before.extend(self.stretch(stretch, None)?.0);
            *stretch = Stretch::default();
        }
        Some(())
    }

    pub(super) fn survey(&self, e: &Expr) -> Survey<'_> {
        Survey::of(e, &self.t)
    }

    /// Whether a statement is part of a stretch.
    fn is_plain(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Local(local) => {
                local.init.as_ref().is_some_and(|init| !self.survey(&init.expr).needs_masks())
            }
            Stmt::Expr(e, _) => !self.survey(e).needs_masks(),
            Stmt::Macro(m) => {
                let mut survey = Survey::new(&self.t);
                survey.visit_macro(&m.mac);
                !survey.needs_masks()
            }
            Stmt::Item(_) => false,
        }
    }

    /// A block in a scope of its own, with braces around its statements.
    pub(super) fn scoped(&mut self, stmts: &[Stmt], wanted: bool) -> Option<Lowered> {
        self.enter();
        let inner = self.block(stmts, wanted);
        self.leave();
        let inner = inner?;
        let before = inner.before;
        Some(match inner.value.filter(|_| wanted) {
            Some(value) => {
                let name = self.fresh("block");
                Lowered {
                    before: quote!(let #name = { #before #value };),
                    value: Some(name.to_token_stream()),
                    diverges: false,
                }
            }
            None => Lowered { before: quote!({ #before }), value: None, diverges: inner.diverges },
        })
    }

    fn local(&mut self, local: &syn::Local) -> Option<Lowered> {
        let Some(init) = &local.init else {
            let Pat::Type(typed) = &local.pat else { return None };
            let Pat::Ident(name) = &*typed.pat else { return None };
            let (lz, name, ty) = (lz(), &name.ident, &typed.ty);
            self.declare(name);
            let before = quote!(let mut #name: #lz::Lanes<#ty> = #lz::Lanes::room(););
            return Some(Lowered { before, ..Lowered::default() });
        };
        if init.diverge.is_some() {
            return None;
        }
        let value = self.value(&init.expr)?;
        let (mut before, tokens) = (value.before, value.value?);
        let name = self.fresh("let");
        before.extend(quote!(let #name = #tokens;));
        before.extend(self.bind(&local.pat, None, &name)?);
        Some(Lowered { before, ..Lowered::default() })
    }

    /// An expression whose value is wanted.
    pub(super) fn value(&mut self, e: &Expr) -> Option<Lowered> {
        if !self.survey(e).needs_masks() {
            let (before, name) = self.stretch(&Stretch::default(), Some(e))?;
            let value = name.map(|name| name.to_token_stream());
            return Some(Lowered { before, value, diverges: false });
        }
        match e {
            Expr::Paren(e) => self.value(&e.expr),
            Expr::Group(e) => self.value(&e.expr),
            Expr::If(e) => self.branch(e, true),
            Expr::Block(e) if e.label.is_none() => self.scoped(&e.block.stmts, true),
            Expr::Block(e) => self.labelled(e, true),
            Expr::Loop(e) => self.turns(e.label.as_ref(), None, &e.body, true),
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => self.effect(e),
            Expr::Binary(e) if matches!(e.op, BinOp::And(_) | BinOp::Or(_)) => self.logical(e),
            Expr::Call(call) if self.t.device_function(call).is_some() => self.call(call),
            _ => {
                let (before, rest) = self.without_flow(e)?;
                let (after, name) = self.stretch(&Stretch::default(), Some(&rest))?;
                let value = name.map(|name| name.to_token_stream());
                Some(Lowered { before: quote!(#before #after), value, diverges: false })
            }
        }
    }

    /// An expression that is run for what it does.
    fn effect(&mut self, e: &Expr) -> Option<Lowered> {
        match e {
            Expr::Paren(e) => self.effect(&e.expr),
            Expr::Group(e) => self.effect(&e.expr),
            Expr::If(e) => self.branch(e, false),
            Expr::Block(e) if e.label.is_none() => self.scoped(&e.block.stmts, false),
            Expr::Block(e) => self.labelled(e, false),
            Expr::Loop(e) => self.turns(e.label.as_ref(), None, &e.body, false),
            Expr::While(e) => self.turns(e.label.as_ref(), Some(&e.cond), &e.body, false),
            Expr::ForLoop(e) => self.for_loop(e),
            Expr::Return(e) => {
                let value = self.value(e.expr.as_ref()?)?;
                self.returns = true;
                Some(self.jump(value, 0, Some(self.result.clone())))
            }
            Expr::Break(e) => {
                let target = self.target(e.label.as_ref())?;
                let (breaks, result) = (target.breaks, target.result.clone());
                let value = match &e.expr {
                    Some(value) => self.value(value)?,
                    None => Lowered::default(),
                };
                Some(self.jump(value, breaks, result))
            }
            Expr::Continue(e) => {
                let continues = self.target(e.label.as_ref())?.continues;
                Some(self.jump(Lowered::default(), continues, None))
            }
            _ => {
                let (before, rest) = self.without_flow(e)?;
                let stmt = Stmt::Expr(rest, Some(syn::token::Semi::default()));
                let mut stretch = Stretch::default();
                let _ = stretch.take(&stmt)?;
                let after = self.stretch(&stretch, None)?.0;
                Some(Lowered { before: quote!(#before #after), ..Lowered::default() })
            }
        }
    }

    /// The lanes that run here leave all places from the mask `from` on, perhaps with a value.
    fn jump(&mut self, value: Lowered, from: usize, result: Option<Ident>) -> Lowered {
        if value.diverges {
            return value;
        }
        let (mut before, mask, gone) = (value.before, self.mask(), self.fresh("gone"));
        let masks = &self.masks[from..];
        let blend = result.zip(value.value).map(|(r, v)| quote!(#r.blend(&#mask, #v);));
        before.extend(quote! {
            #blend
            let #gone = #mask;
            #(#masks.stop(&#gone);)*
        });
        Lowered { before, value: None, diverges: true }
    }

    fn target(&self, label: Option<&syn::Lifetime>) -> Option<&Target> {
        let mut targets = self.targets.iter().rev();
        match label {
            None => targets.find(|target| target.is_loop),
            Some(label) => {
                let name = label.ident.to_string();
                targets.find(|target| target.label.as_ref() == Some(&name))
            }
        }
    }

    fn branch(&mut self, e: &ExprIf, wanted: bool) -> Option<Lowered> {
        let condition = self.value(&e.cond)?;
        let (mask, [yes, no, test]) =
            (self.mask(), ["yes", "no", "test"].map(|hint| self.fresh(hint)));
        let (mut before, value) = (condition.before, condition.value?);
        let result = wanted.then(|| self.fresh("either"));
        before.extend(quote! {
            let #test = #value;
            let mut #yes = #mask.and(&#test);
        });
        self.masks.push(yes.clone());
        let then = self.scoped(&e.then_branch.stmts, wanted);
        self.masks.pop();
        let then = then?;
        let mut diverges = then.diverges;
        before.extend(Self::arm(then, &yes, result.as_ref()));
        match &e.else_branch {
            Some((_, other)) => {
                self.masks.push(no.clone());
                let other = if wanted { self.value(other) } else { self.effect(other) };
                self.masks.pop();
                let other = other?;
                diverges &= other.diverges;
                before.extend(quote!(let mut #no = #mask.and_not(&#test);));
                before.extend(Self::arm(other, &no, result.as_ref()));
            }
            None => diverges = false,
        }
        let result = result.filter(|_| !diverges);
        let room = room(result.as_ref());
        let value = result.map(|name| name.to_token_stream());
        Some(Lowered { before: quote!(#room #before), value, diverges })
    }

    /// What runs where any lane of a mask does.
    fn arm(of: Lowered, mask: &Ident, result: Option<&Ident>) -> TokenStream {
        let before = of.before;
        let blend = result.zip(of.value).map(|(name, v)| quote!(#name.blend(&#mask, #v);));
        quote! {
            if #mask.any() {
                #before
                #blend
            }
        }
    }

    /// `a && b` and `a || b` where `b` holds calls or loops, which some lanes must not run.
    fn logical(&mut self, e: &syn::ExprBinary) -> Option<Lowered> {
        let left = self.value(&e.left)?;
        let (mask, [result, more]) = (self.mask(), ["both", "more"].map(|hint| self.fresh(hint)));
        let (mut before, value) = (left.before, left.value?);
        let chosen = match e.op {
            BinOp::And(_) => quote!(and),
            _ => quote!(and_not),
        };
        before.extend(quote! {
            let mut #result = #value;
            let mut #more = #mask.#chosen(&#result);
        });
        self.masks.push(more.clone());
        let right = self.value(&e.right);
        self.masks.pop();
        before.extend(Self::arm(right?, &more, Some(&result)));
        Some(Lowered { before, value: Some(result.to_token_stream()), diverges: false })
    }

    /// A call of a device function: its own lane form, or its twin for each lane that runs.
    fn call(&mut self, e: &ExprCall) -> Option<Lowered> {
        let (owner, generics) = self.t.device_function(e)?;
        let mut before = TokenStream::new();
        let mut names = Vec::new();
        for argument in &e.args {
            let value = self.value(argument)?;
            let (name, tokens) = (self.fresh("argument"), value.value?);
            before.extend(value.before);
            before.extend(quote!(let #name = #tokens;));
            names.push(name);
        }
        let (lz, course, mask, result) = (lz(), course(), self.mask(), self.fresh("call"));
        self.calls.push(owner.clone());
        before.extend(quote! {
            let #result = if !#mask.any() {
                #lz::Lanes::room()
            } else if <#owner>::LZ_LANES {
                <#owner>::lz_lanes #generics(#(#names,)* &#mask, #course)
            } else {
                let mut lz_values = #lz::Lanes::room();
                for lz_k in 0..#lz::COUNT {
                    let mut lz_is = false;
                    if #mask.has(lz_k) {
                        let lz_value = <#owner>::lz_twin #generics(
                            #(#names.get(lz_k),)* &mut lz_is
                        );
                        lz_values.put(lz_k, lz_value);
                    }
                    #course.rare |= lz_is;
                }
                lz_values
            };
        });
        Some(Lowered { before, value: Some(result.to_token_stream()), diverges: false })
    }

    /// The expression with names for those of its parts that need masks, and what sets them.
    fn without_flow(&mut self, e: &Expr) -> Option<(TokenStream, Expr)> {
        struct Taking<'a> {
            of: &'a mut Lowering,
            before: TokenStream,
            assigned: Assigned,
            fails: bool,
        }
        impl VisitMut for Taking<'_> {
            fn visit_expr_mut(&mut self, e: &mut Expr) {
                if self.fails || !self.of.survey(e).needs_masks() {
                    return;
                }
                let is_flow = match e {
                    Expr::If(_) | Expr::Block(_) | Expr::Loop(_) => true,
                    Expr::Call(call) => self.of.t.device_function(call).is_some(),
                    Expr::Binary(e) => matches!(e.op, BinOp::And(_) | BinOp::Or(_)),
                    Expr::Match(_) => {
                        self.fails = true;
                        return;
                    }
                    _ => false,
                };
                if !is_flow {
                    return visit_mut::visit_expr_mut(self, e);
                }
                self.assigned.visit_expr(e);
                let taken = self.of.value(e).and_then(|of| Some((of.before, of.value?)));
                let Some((before, value)) = taken else {
                    self.fails = true;
                    return;
                };
                let name = self.of.fresh("part");
                self.of.declare(&name);
                self.before.extend(quote!(#before let mut #name = #value;));
                *e = syn::parse_quote!(#name);
            }
        }
        let mut rest = e.clone();
        let (before, assigned) = (TokenStream::new(), Assigned::default());
        let mut taking = Taking { of: self, before, assigned, fails: false };
        // The expression itself is none of these: its parts are asked.
        if let Expr::Match(_) = rest {
            return None;
        }
        visit_mut::visit_expr_mut(&mut taking, &mut rest);
        let (before, assigned, fails) = (taking.before, taking.assigned, taking.fails);
        // The parts run before the rest reads anything.
        let fails = fails || assigned.0.iter().any(|name| reads(&rest, name));
        (!fails && !self.survey(&rest).needs_masks()).then_some((before, rest))
    }

    fn labelled(&mut self, e: &syn::ExprBlock, wanted: bool) -> Option<Lowered> {
        let (outer, live) = (self.mask(), self.fresh("block"));
        let result = wanted.then(|| self.fresh("result"));
        let from = self.masks.len();
        self.targets.push(Target {
            label: e.label.as_ref().map(|label| label.name.ident.to_string()),
            is_loop: false,
            breaks: from,
            continues: from,
            result: result.clone(),
        });
        self.masks.push(live.clone());
        let inner = self.scoped(&e.block.stmts, wanted);
        self.masks.pop();
        self.targets.pop();
        let inner = inner?;
        let (lines, room) = (inner.before, room(result.as_ref()));
        let blend = result.as_ref().zip(inner.value).map(|(r, v)| quote!(#r.blend(&#live, #v);));
        let before = quote! {
            #room
            let mut #live = #outer;
            #lines
            #blend
        };
        let value = result.map(|name| name.to_token_stream());
        Some(Lowered { before, value, diverges: false })
    }
}
