//! `match`, as a chain of `if`s.

use super::{Code, Translator};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprMatch, Result};

/// One arm in C++: the test, what it binds, and its body.
struct Arm {
    test: String,
    binds: String,
    guard: Option<Code>,
    body: Code,
}

impl Translator {
    pub(super) fn match_value(&mut self, e: &ExprMatch) -> Result<Code> {
        self.match_(e, true)
    }

    pub(super) fn match_effect(&mut self, e: &ExprMatch) -> Result<Code> {
        self.match_(e, false)
    }

    fn match_(&mut self, e: &ExprMatch, wanted: bool) -> Result<Code> {
        let scrutinee = self.value(&e.expr)?;
        let name = self.fresh("m");
        let mut before = scrutinee.before;
        before += &format!("const auto {name} = {};\n", scrutinee.cpp);
        let (mut arms, mut probes, mut twins) = (Vec::new(), Vec::new(), Vec::new());
        for arm in &e.arms {
            let (arm, probe, twin) = self.scope(|t| t.arm(arm, &name, wanted))?;
            arms.push(arm);
            probes.push(probe);
            twins.push(twin);
        }
        let (probe, twin) = (&scrutinee.probe, &scrutinee.twin);
        let mut probe = quote!(match #probe { #(#probes)* });
        let twin = quote!(match #twin { #(#twins)* });
        let twin = if wanted { quote_spanned!(e.span()=> (#twin)) } else { twin };
        let diverges = arms.iter().all(|arm| arm.body.diverges);
        let (mut cpp, mut set) = (String::new(), String::new());
        if wanted && !diverges {
            let (result, declared, tied) = self.result(&Expr::Match(e.clone()), probe);
            before += &declared;
            probe = tied;
            set = format!("{result} = ");
            cpp = result;
        }
        let done = self.fresh("done");
        before += &chain(&arms, &set, wanted, &done);
        Ok(Code { before, cpp, probe, twin, diverges, ..Code::default() })
    }

    fn arm(
        &mut self,
        arm: &syn::Arm,
        name: &str,
        wanted: bool,
    ) -> Result<(Arm, TokenStream, TokenStream)> {
        self.spend(1.0);
        let (test, binds) = self.test(&arm.pat, name)?;
        let guard = arm.guard.as_ref().map(|(_, guard)| self.value(guard)).transpose()?;
        let body = if wanted { self.value(&arm.body)? } else { self.effect(&arm.body)? };
        let pat = &arm.pat;
        let of = |form: fn(&Code) -> &TokenStream| {
            let guard = guard.as_ref().map(form).map(|guard| quote!(if #guard));
            let body = form(&body);
            let body = if wanted { quote!(#body) } else { quote!({ #body }) };
            quote!(#pat #guard => #body,)
        };
        let (probe, twin) = (of(|c| &c.probe), of(|c| &c.twin));
        Ok((Arm { test, binds, guard, body }, probe, twin))
    }
}

/// Each arm leaves the block behind it, so that a guard may fall through to the next.
fn chain(arms: &[Arm], set: &str, wanted: bool, done: &str) -> String {
    let mut lines = String::from("{\n");
    let mut jumps = false;
    for arm in arms {
        let mut body = arm.body.before.clone();
        if wanted && !arm.body.diverges {
            body += &format!("{set}{};\n", arm.body.cpp);
        }
        let falls_through = arm.guard.is_none() && arm.test.is_empty();
        if !arm.body.diverges && !falls_through {
            body += &format!("goto {done};\n");
            jumps = true;
        }
        if let Some(guard) = &arm.guard {
            body = format!("{}if ({}) {{\n{body}}}\n", guard.before, guard.cpp);
        }
        let test = if arm.test.is_empty() { String::new() } else { format!("if {} ", arm.test) };
        lines += &format!("{test}{{\n{}{body}}}\n", arm.binds);
        if falls_through {
            break;
        }
    }
    lines += "}\n";
    if jumps {
        lines += &format!("{done}:;\n");
    }
    lines
}
