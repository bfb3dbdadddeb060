//! The macros that device code knows: `matches!`, and the assertions of development builds.

use super::{Code, Translator, refuse};
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Macro, Pat, Result, Token, parse_quote_spanned};

fn name(m: &Macro) -> String {
    m.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
}

/// `matches!(value, pattern)` as a `match`; `None` where it is no such.
pub fn matched(m: &Macro) -> Option<Expr> {
    fn parts(input: ParseStream) -> Result<(Expr, Pat, Option<Expr>)> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.parse::<Option<Token![if]>>()? {
            Some(_) => Some(Expr::parse(input)?),
            None => None,
        };
        input.parse::<Option<Token![,]>>()?;
        Ok((value, pat, guard))
    }
    if name(m) != "matches" {
        return None;
    }
    let (value, pat, guard) = parts.parse2(m.tokens.clone()).ok()?;
    let (span, guard) = (m.path.span(), guard.map(|guard| quote!(if #guard)));
    Some(parse_quote_spanned!(span=> match #value { #pat #guard => true, _ => false }))
}

/// What `debug_assert!` and its kin ask for; `None` where it is none of them.
pub fn asserted(m: &Macro) -> Option<Expr> {
    let op = match name(m).as_str() {
        "debug_assert" => None,
        "debug_assert_eq" => Some(quote!(==)),
        "debug_assert_ne" => Some(quote!(!=)),
        _ => return None,
    };
    let list = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(m.tokens.clone()).ok()?;
    let (first, span) = (list.first()?, m.path.span());
    Some(match op {
        None => first.clone(),
        Some(op) => {
            let second = list.get(1)?;
            parse_quote_spanned!(span=> (#first) #op (#second))
        }
    })
}

impl Translator {
    pub fn macro_call(&mut self, m: &Macro) -> Result<Code> {
        if let Some(code) = self.dialect(|d, t| d.macro_call(t, m))? {
            return Ok(code);
        }
        if let Some(value) = matched(m) {
            return self.value(&value);
        }
        match asserted(m) {
            Some(condition) => self.assertion(&condition),
            None => refuse(m, super::refuse::macro_call(m)),
        }
    }

    /// A device leaves assertions out. The twin calls a value rare that fails one: then the plain
    /// function runs, and the assertion in it says what it has to.
    fn assertion(&mut self, condition: &Expr) -> Result<Code> {
        let cost = self.cost;
        let code = self.value(condition)?;
        self.cost = cost;
        let (rare, leave, probe, twin) = (super::rare(), &self.leave, &code.probe, &code.twin);
        let probe = quote!({ let _: bool = #probe; });
        let twin = quote!({
            if ::core::cfg!(debug_assertions) && !#twin {
                *#rare = true;
                #leave
            }
        });
        Ok(Code { probe, twin, ..Code::default() })
    }
}
