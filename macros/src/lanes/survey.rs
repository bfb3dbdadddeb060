//! Surveys a part of a program for what its lane form must know.

use crate::translate::{Translator, asserted, can_fail, is_assignment, is_swap, matched, method};
use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Expr, Pat, Type};

/// What was seen.
pub struct Survey<'t> {
    t: &'t Translator,
    /// A loop.
    pub loops: bool,
    /// `return`, `break` or `continue`.
    pub jumps: bool,
    /// A call of a device function.
    pub calls: bool,
    /// An array in registers, or one whose elements are taken.
    pub arrays: bool,
    /// What panics on some numbers, beside operators.
    pub panics: bool,
    /// Mathematics that takes as long as many additions.
    pub heavy: bool,
    /// A branch with heavy mathematics.
    pub heavy_branch: bool,
}

/// What costs as many additions keeps a branch from becoming a choice between two values.
const HEAVY: f64 = 8.0;

impl<'t> Survey<'t> {
    /// Nothing yet.
    pub fn new(t: &'t Translator) -> Self {
        Survey {
            t,
            loops: false,
            jumps: false,
            calls: false,
            arrays: false,
            panics: false,
            heavy: false,
            heavy_branch: false,
        }
    }

    pub fn of_block(block: &syn::Block, t: &'t Translator) -> Self {
        let mut survey = Survey::new(t);
        survey.visit_block(block);
        survey
    }

    pub fn of(e: &Expr, t: &'t Translator) -> Self {
        let mut survey = Survey::new(t);
        survey.visit_expr(e);
        survey
    }

    /// Whether masks must stand for it: it is no plain stretch.
    pub fn needs_masks(&self) -> bool {
        self.loops || self.jumps || self.calls || self.heavy_branch
    }
}

impl<'ast> Visit<'ast> for Survey<'_> {
    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::While(_) | Expr::ForLoop(_) | Expr::Loop(_) => self.loops = true,
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => self.jumps = true,
            Expr::Index(_) | Expr::Array(_) | Expr::Repeat(_) => self.arrays = true,
            Expr::Call(call) => match (self.t.device_function(call), &*call.func) {
                (Some(_), _) => self.calls = true,
                (None, Expr::Path(path)) => {
                    let last = path.path.segments.last();
                    let name = last.map(|last| last.ident.to_string()).unwrap_or_default();
                    // Only a method of a value has an absolute value that wraps.
                    self.panics |= name == "abs";
                    self.function(&name, call.args.iter().skip(1));
                }
                _ => {}
            },
            // It changes an array, and `Assigned` does not see that.
            Expr::MethodCall(call) if is_swap(call) => self.arrays = true,
            Expr::MethodCall(call) => self.function(&call.method.to_string(), call.args.iter()),
            Expr::If(e) => {
                let branches = [Some(Survey::of_block(&e.then_branch, self.t))]
                    .into_iter()
                    .chain([e.else_branch.as_ref().map(|(_, e)| Survey::of(e, self.t))]);
                self.heavy_branch |= branches.flatten().any(|branch| branch.heavy);
            }
            _ => {}
        }
        visit::visit_expr(self, e);
    }

    fn visit_macro(&mut self, m: &'ast syn::Macro) {
        if let Some(e) = matched(m).or_else(|| asserted(m)) {
            let of = Survey::of(&e, self.t);
            self.loops |= of.loops;
            self.jumps |= of.jumps;
            self.calls |= of.calls;
            self.arrays |= of.arrays;
            self.panics |= of.panics;
            self.heavy |= of.heavy;
            self.heavy_branch |= of.heavy_branch;
        }
    }

    fn visit_type_array(&mut self, _: &'ast syn::TypeArray) {
        self.arrays = true;
    }
}

impl Survey<'_> {
    /// A function of numbers, with its arguments behind the first.
    fn function<'e>(&mut self, name: &str, rest: impl Iterator<Item = &'e Expr>) {
        self.panics |= can_fail(name, rest);
        self.heavy |= method(name).is_some_and(|m| m.routed && m.cost >= HEAVY);
    }
}

/// The variables whose values statements change.
#[derive(Default)]
pub struct Assigned(pub Vec<Ident>);

impl<'ast> Visit<'ast> for Assigned {
    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        self.place(&e.left);
        visit::visit_expr_assign(self, e);
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        if is_assignment(&e.op) {
            self.place(&e.left);
        }
        visit::visit_expr_binary(self, e);
    }
}

impl Assigned {
    fn place(&mut self, e: &Expr) {
        match e {
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident()
                    && !self.0.contains(name)
                {
                    self.0.push(name.clone());
                }
            }
            Expr::Field(e) => self.place(&e.base),
            Expr::Paren(e) => self.place(&e.expr),
            Expr::Group(e) => self.place(&e.expr),
            Expr::Tuple(e) => e.elems.iter().for_each(|e| self.place(e)),
            _ => {}
        }
    }
}

/// The names that a pattern of `let` binds; `None` for what is none.
pub fn names(pat: &Pat) -> Option<Vec<Ident>> {
    fn walk(pat: &Pat, names: &mut Vec<Ident>) -> Option<()> {
        match pat {
            Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
                names.push(p.ident.clone());
            }
            Pat::Type(p) => walk(&p.pat, names)?,
            Pat::Paren(p) => walk(&p.pat, names)?,
            Pat::Wild(_) => {}
            Pat::Tuple(p) => p.elems.iter().try_for_each(|part| walk(part, names))?,
            _ => return None,
        }
        Some(())
    }
    let mut list = Vec::new();
    walk(pat, &mut list)?;
    Some(list)
}

/// Whether lanes can hold the type, as its tokens tell: numbers, names of types, tuples of them.
pub fn plain_type(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.iter().all(|segment| match &segment.arguments {
            syn::PathArguments::None => true,
            syn::PathArguments::AngleBracketed(_) => segment.ident == "Complex",
            syn::PathArguments::Parenthesized(_) => false,
        }),
        Type::Tuple(tuple) => tuple.elems.iter().all(plain_type),
        Type::Paren(inner) => plain_type(&inner.elem),
        Type::Group(inner) => plain_type(&inner.elem),
        _ => false,
    }
}
