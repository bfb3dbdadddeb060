//! `if`, as a value and as a statement.

use super::{Code, Translator, refuse};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprIf, ExprLet, ExprMatch, Result, parse_quote_spanned};

/// `if let pat = value { … } else { … }` as a `match`; `None` where it is no such.
pub fn as_match(e: &ExprIf) -> Option<ExprMatch> {
    let Expr::Let(ExprLet { pat, expr, .. }) = &*e.cond else { return None };
    let (span, yes) = (e.span(), &e.then_branch);
    let no = match &e.else_branch {
        Some((_, other)) => other.clone(),
        None => parse_quote_spanned!(span=> {}),
    };
    Some(parse_quote_spanned!(span=> match #expr { #pat => #yes, _ => #no }))
}

impl Translator {
    fn condition(&mut self, e: &Expr) -> Result<Code> {
        self.spend(1.0);
        self.value(e)
    }

    pub(super) fn if_value(&mut self, e: &ExprIf) -> Result<Code> {
        if let (Some(e), true) = (as_match(e), e.else_branch.is_some()) {
            return self.match_value(&e);
        }
        let Some((_, other)) = &e.else_branch else {
            return refuse(e, "an `if` whose value is wanted needs an `else`");
        };
        let condition = self.condition(&e.cond)?;
        let yes = self.block(&e.then_branch, true)?;
        let no = self.value(other)?;
        let (c, y, n) = (&condition.probe, &yes.probe, &no.probe);
        let n = as_block(other, n);
        let mut probe = quote!(if #c #y else #n);
        let (c, y, n) = (&condition.twin, &yes.twin, &no.twin);
        let n = as_block(other, n);
        let twin = quote_spanned!(e.span()=> (if #c #y else #n));
        let diverges = condition.diverges || yes.diverges && no.diverges;
        let mut before = condition.before;
        if yes.before.is_empty() && no.before.is_empty() && !diverges {
            let cpp = format!("({} ? {} : {})", condition.cpp, yes.cpp, no.cpp);
            return Ok(Code { before, cpp, probe: quote!((#probe)), twin, ..Code::default() });
        }
        let mut cpp = String::new();
        let mut set = String::new();
        if !diverges {
            let (name, declared, tied) = self.result(&Expr::If(e.clone()), probe);
            before += &declared;
            probe = tied;
            set = format!("{name} = ");
            cpp = name;
        }
        let branch = |code: &Code| {
            if code.diverges {
                code.before.clone()
            } else {
                format!("{}{set}{};\n", code.before, code.cpp)
            }
        };
        before +=
            &format!("if ({}) {{\n{}}} else {{\n{}}}\n", condition.cpp, branch(&yes), branch(&no));
        Ok(Code { before, cpp, probe, twin, diverges, ..Code::default() })
    }

    pub(super) fn if_effect(&mut self, e: &ExprIf) -> Result<Code> {
        if let Some(e) = as_match(e) {
            return self.match_effect(&e);
        }
        let condition = self.condition(&e.cond)?;
        let yes = self.block(&e.then_branch, false)?;
        let (c, y) = (&condition.probe, &yes.probe);
        let mut probe = quote!(if #c #y);
        let (c, y) = (&condition.twin, &yes.twin);
        let mut twin = quote!(if #c #y);
        let mut before = condition.before;
        before += &format!("if ({}) {{\n{}}}", condition.cpp, yes.before);
        let mut diverges = condition.diverges;
        if let Some((_, other)) = &e.else_branch {
            let no = self.effect(other)?;
            let (n, m) = (as_block(other, &no.probe), as_block(other, &no.twin));
            probe.extend(quote!(else #n));
            twin.extend(quote!(else #m));
            before += &format!(" else {{\n{}}}", no.before);
            diverges |= yes.diverges && no.diverges;
        }
        before += "\n";
        Ok(Code { before, probe, twin, diverges, ..Code::default() })
    }
}

/// What follows `else` must be a block or an `if`, which passing through a slot hides.
fn as_block(source: &Expr, tokens: &proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    match source {
        Expr::Block(_) => tokens.clone(),
        _ => quote!({ #tokens }),
    }
}
