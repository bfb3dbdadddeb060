//! Expressions: the entry points, literals, variables, operators, casts.
//!
//! What the twin has around the user's tokens bears the user's spans: rustc gives an expression
//! whose ends come from a macro the place of the attribute, and so would a panic in it.

use super::aggregate::is_swap;
use super::{Code, Translator, refuse};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, Result, UnOp};

impl Translator {
    /// An expression whose value is wanted.
    pub fn value(&mut self, e: &Expr) -> Result<Code> {
        match e {
            Expr::Lit(lit) => self.literal(&lit.lit),
            Expr::Path(path) => self.path(path),
            Expr::Paren(paren) => {
                let mut code = self.value(&paren.expr)?;
                let (probe, twin, span) = (code.probe, code.twin, paren.paren_token.span.join());
                (code.probe, code.twin) = (quote!((#probe)), quote_spanned!(span=> (#twin)));
                Ok(code)
            }
            Expr::Group(group) => self.value(&group.expr),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Binary(binary) if !is_assignment(&binary.op) => self.binary(binary),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Field(field) => self.field(field),
            Expr::Index(index) => self.index(index),
            Expr::Reference(reference) => match self.dialect(|d, t| d.reference(t, reference))? {
                Some(code) => Ok(code),
                None => refuse(e, super::refuse::expression(e)),
            },
            Expr::Tuple(tuple) => self.tuple(tuple),
            Expr::Array(array) => self.array(array),
            Expr::Repeat(repeat) => self.repeat(repeat),
            Expr::Struct(s) => self.structure(s),
            Expr::If(e) => self.if_value(e),
            Expr::Match(e) => self.match_value(e),
            Expr::Block(e) => self.block_value(e),
            Expr::Loop(e) => self.loop_value(e),
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => self.effect(e),
            Expr::Macro(m) => self.macro_call(&m.mac),
            Expr::Assign(_) | Expr::Binary(_) => {
                refuse(e, "an assignment has no value; write it as a statement")
            }
            Expr::While(_) | Expr::ForLoop(_) => refuse(e, "this loop has no value"),
            _ => refuse(e, super::refuse::expression(e)),
        }
    }

    /// An expression that is run for what it does.
    pub fn effect(&mut self, e: &Expr) -> Result<Code> {
        match e {
            Expr::Assign(assign) => self.assign(assign),
            Expr::Binary(binary) if is_assignment(&binary.op) => self.assign_op(binary),
            Expr::If(e) => self.if_effect(e),
            Expr::Match(e) => self.match_effect(e),
            Expr::Block(e) => self.block_effect(e),
            Expr::Loop(e) => self.loop_effect(e),
            Expr::While(e) => self.while_loop(e),
            Expr::ForLoop(e) => self.for_loop(e),
            Expr::Return(e) => self.return_(e),
            Expr::Break(e) => self.break_(e),
            Expr::Continue(e) => self.continue_(e),
            Expr::Paren(e) => self.effect(&e.expr),
            Expr::Group(e) => self.effect(&e.expr),
            Expr::MethodCall(e) if is_swap(e) => self.swap(e),
            Expr::Tuple(e) if e.elems.is_empty() => Ok(Code::plain("", quote!(()))),
            _ => {
                // A value that nobody takes: what it does, stays.
                let mut code = self.value(e)?;
                let cpp = std::mem::take(&mut code.cpp);
                // A device function may wait for other threads.
                if let (Expr::Call(_), false) = (e, code.diverges) {
                    code.before += &format!("{cpp};\n");
                }
                Ok(code)
            }
        }
    }

    fn literal(&mut self, lit: &Lit) -> Result<Code> {
        match lit {
            Lit::Bool(value) => {
                let cpp = value.value.to_string();
                Ok(Code { fixed: true, ..Code::plain(cpp, lit.to_token_stream()) })
            }
            Lit::Int(_) | Lit::Float(_) | Lit::Byte(_) => {
                Ok(self.constant(lit.span(), lit.to_token_stream()))
            }
            Lit::Char(_) => refuse(lit, "device code has no characters; use a byte, `b'x'`"),
            _ => refuse(lit, "device code has no strings"),
        }
    }

    /// A constant expression, whose value rustc computes.
    pub fn constant(&mut self, span: proc_macro2::Span, rust: proc_macro2::TokenStream) -> Code {
        let (cpp, probe) = self.slots.constant(span, rust.clone());
        Code { cpp, probe, twin: rust, fixed: true, ..Code::default() }
    }

    fn path(&mut self, e: &syn::ExprPath) -> Result<Code> {
        if let Some(name) = e.path.get_ident()
            && let Some(cpp) = self.variable(&name.to_string())
        {
            return Ok(Code::plain(cpp, quote!(#e)));
        }
        if let Some(code) = self.dialect(|d, t| d.path(t, e))? {
            return Ok(code);
        }
        let last = e.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        if let Some(why) = super::refuse::of_type(&last) {
            return refuse(e, why);
        }
        Ok(self.constant(e.span(), quote!(#e)))
    }

    fn unary(&mut self, e: &syn::ExprUnary) -> Result<Code> {
        let op = &e.op;
        let function = match op {
            // One literal: `-128i8` is in range, and `128i8` is not.
            UnOp::Neg(_) if is_number(&e.expr) => return Ok(self.constant(e.span(), quote!(#e))),
            UnOp::Neg(_) => "lz_negative",
            UnOp::Not(_) => "lz_bitwise_not",
            UnOp::Deref(_) if self.is_reference(&e.expr) => return self.value(&e.expr),
            _ => return refuse(e, "device code has no references, so there is nothing to `*`"),
        };
        self.spend(1.0);
        let a = self.value(&e.expr)?;
        let (probe, twin) = (&a.probe, &a.twin);
        let twin = match (op, self.in_lanes) {
            (UnOp::Neg(_), true) => {
                quote_spanned!(e.span()=> ::lazuli::__private::lanes::negated(
                    ::core::cfg!(debug_assertions), #twin, |lz_a| -lz_a
                ))
            }
            _ => quote!(#op #twin),
        };
        let probe = quote!(#op #probe);
        Ok(self.compose(vec![a], |v| format!("{function}({})", v[0]), probe, twin))
    }

    fn binary(&mut self, e: &syn::ExprBinary) -> Result<Code> {
        if matches!(e.op, BinOp::And(_) | BinOp::Or(_)) {
            return self.logical(e);
        }
        let spelling = operator(&e.op);
        self.spend(operator_cost(&e.op));
        let a = self.value(&e.left)?;
        let mut b = self.value(&e.right)?;
        let op = &e.op;
        let (mut left, right) = (a.probe.clone(), &b.probe);
        if spelling.starts_with('(') {
            // What is compared must be numbers; a tuple would compile here and not in C++.
            let span = e.left.span();
            left = quote_spanned!(span=> ::lazuli::__private::comparable(#left));
        }
        let probe = quote_spanned!(op.span()=> #left #op #right);
        let (left, right) = (&a.twin, &b.twin);
        let twin = match (self.in_lanes, op) {
            (true, _) => in_lanes(op, left, right),
            (false, BinOp::Div(_) | BinOp::Rem(_)) => {
                let right = self.divisor(&e.right, right);
                quote!(#left #op #right)
            }
            (false, _) => quote!(#left #op #right),
        };
        b.fixed &= a.fixed;
        let is_product =
            |e: &Expr| matches!(bare(e), Expr::Binary(b) if matches!(b.op, BinOp::Mul(_)));
        let adds_to_product = matches!(e.op, BinOp::Add(_)) && is_product(&e.left);
        let cpp = |v: &[&str]| match v[0].strip_prefix("lz_multiply(") {
            // One function, so that kernels can contract it for complex numbers too.
            Some(factors) if adds_to_product => {
                format!("lz_multiply_add({}, {})", &factors[..factors.len() - 1], v[1])
            }
            _ => spelling.replace("{0}", v[0]).replace("{1}", v[1]),
        };
        Ok(self.compose(vec![a, b], cpp, probe, twin))
    }

    /// `&&` and `||`, whose right side may not run.
    fn logical(&mut self, e: &syn::ExprBinary) -> Result<Code> {
        let (a, b) = (self.value(&e.left)?, self.value(&e.right)?);
        let op = &e.op;
        let (left, right) = (&a.probe, &b.probe);
        let probe = quote!(#left #op #right);
        let (left, right) = (&a.twin, &b.twin);
        let twin = quote!(#left #op #right);
        self.spend(1.0);
        let and = matches!(op, BinOp::And(_));
        if b.before.is_empty() && !a.diverges {
            let cpp = format!("({} {} {})", a.cpp, if and { "&&" } else { "||" }, b.cpp);
            return Ok(Code { before: a.before, cpp, probe, twin, ..Code::default() });
        }
        let name = self.fresh("t");
        let mut before = a.before;
        if !a.diverges {
            let test = if and { "" } else { "!" };
            before += &format!("bool {name} = {};\nif ({test}{name}) {{\n{}", a.cpp, b.before);
            if !b.diverges {
                before += &format!("{name} = {};\n", b.cpp);
            }
            before += "}\n";
        }
        Ok(Code { before, cpp: name, probe, twin, diverges: a.diverges, ..Code::default() })
    }

    fn cast(&mut self, e: &syn::ExprCast) -> Result<Code> {
        self.spend(1.0);
        let a = self.value(&e.expr)?;
        let ty = &e.ty;
        let (probe, twin) = (&a.probe, &a.twin);
        let (hole, probe) = self.slots.inferred(e.span(), quote!(#probe as #ty));
        let twin = quote_spanned!(e.span()=> (#twin as #ty));
        Ok(self.compose(vec![a], |v| format!("lz_cast<{hole}>({})", v[0]), probe, twin))
    }
}

/// Without parentheses that change nothing.
pub fn bare(e: &Expr) -> &Expr {
    match e {
        Expr::Paren(paren) => bare(&paren.expr),
        Expr::Group(group) => bare(&group.expr),
        _ => e,
    }
}

/// Whether this is a number, perhaps in parentheses that a macro put there.
pub(super) fn is_number(e: &Expr) -> bool {
    match e {
        Expr::Lit(lit) => matches!(lit.lit, Lit::Int(_) | Lit::Float(_)),
        Expr::Group(group) => is_number(&group.expr),
        _ => false,
    }
}

/// `a op b` for lanes that may run nothing, or `a op= b` as the value that `a` takes.
pub(super) fn in_lanes(op: &BinOp, a: &TokenStream, b: &TokenStream) -> TokenStream {
    use BinOp::*;
    let name = match op {
        Add(_) | AddAssign(_) => quote!(Add),
        Sub(_) | SubAssign(_) => quote!(Sub),
        Mul(_) | MulAssign(_) => quote!(Mul),
        Div(_) | DivAssign(_) => quote!(Div),
        Rem(_) | RemAssign(_) => quote!(Rem),
        Shl(_) | ShlAssign(_) => quote!(Shl),
        Shr(_) | ShrAssign(_) => quote!(Shr),
        _ => return quote!(#a #op #b),
    };
    // What panics in here names the operator's line.
    let span = op.span();
    let native = match is_assignment(op) {
        true => quote_spanned!(span=> |mut lz_a, lz_b| { lz_a #op lz_b; lz_a }),
        false => quote_spanned!(span=> |lz_a, lz_b| lz_a #op lz_b),
    };
    let (rare, lanes) = (super::rare(), quote!(::lazuli::__private::lanes));
    quote_spanned! {span=>
        #lanes::binary(::core::cfg!(debug_assertions), #lanes::Op::#name, #a, #b, #rare, #native)
    }
}

/// Whether an operator assigns.
pub fn is_assignment(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// How C++ spells an operator, or the operator of an assignment.
pub fn operator(op: &BinOp) -> &'static str {
    use BinOp::*;
    match op {
        Add(_) | AddAssign(_) => "lz_add({0}, {1})",
        Sub(_) | SubAssign(_) => "lz_subtract({0}, {1})",
        Mul(_) | MulAssign(_) => "lz_multiply({0}, {1})",
        Div(_) | DivAssign(_) => "lz_divide({0}, {1})",
        Rem(_) | RemAssign(_) => "lz_fmod({0}, {1})",
        BitXor(_) | BitXorAssign(_) => "lz_bitwise_xor({0}, {1})",
        BitAnd(_) | BitAndAssign(_) => "lz_bitwise_and({0}, {1})",
        BitOr(_) | BitOrAssign(_) => "lz_bitwise_or({0}, {1})",
        Shl(_) | ShlAssign(_) => "lz_rust_shl({0}, {1})",
        Shr(_) | ShrAssign(_) => "lz_rust_shr({0}, {1})",
        Eq(_) => "({0} == {1})",
        Ne(_) => "({0} != {1})",
        Lt(_) => "({0} < {1})",
        Le(_) => "({0} <= {1})",
        Gt(_) => "({0} > {1})",
        _ => "({0} >= {1})",
    }
}

pub(super) fn operator_cost(op: &BinOp) -> f64 {
    match op {
        BinOp::Div(_) | BinOp::DivAssign(_) => 5.0,
        BinOp::Rem(_) | BinOp::RemAssign(_) => 8.0,
        _ => 1.0,
    }
}
