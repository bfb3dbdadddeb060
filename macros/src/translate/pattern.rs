//! Patterns: of `let` and parameters, which bind, and of `match`, which test as well.

use super::{Translator, refuse};
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Expr, Pat, RangeLimits, Result};

impl Translator {
    /// Declares the variables of a pattern that always matches, in C++; the C++ expression `value`
    /// is read once for each.
    pub fn declare(&mut self, pat: &Pat, value: &str) -> Result<String> {
        match pat {
            Pat::Ident(p) if p.by_ref.is_some() || p.subpat.is_some() => {
                refuse(p, "device code has no references; bind the value")
            }
            Pat::Ident(p) => {
                let name = self.bind(&p.ident.to_string());
                Ok(format!("auto {name} = {value};\n"))
            }
            Pat::Wild(_) => Ok(String::new()),
            Pat::Type(p) => self.declare(&p.pat, value),
            Pat::Paren(p) => self.declare(&p.pat, value),
            Pat::Tuple(p) => self.declare_parts(p.elems.iter(), value, |k| format!("._{k}")),
            Pat::Struct(p) => self.declare_fields(p, value),
            Pat::Slice(p) => self.declare_parts(p.elems.iter(), value, |k| format!("[{k}]")),
            Pat::Reference(_) => refuse(pat, "device code has no references; bind the value"),
            _ => refuse(pat, "device code binds names, `_`, and tuples and structs of them"),
        }
    }

    fn declare_parts<'a>(
        &mut self,
        parts: impl Iterator<Item = &'a Pat>,
        value: &str,
        member: impl Fn(usize) -> String,
    ) -> Result<String> {
        let mut lines = String::new();
        for (k, part) in parts.enumerate() {
            if let Pat::Rest(_) = part {
                return refuse(
                    part,
                    "device code has no `..` in patterns; write `_` for each part",
                );
            }
            lines += &self.declare(part, &format!("{value}{}", member(k)))?;
        }
        Ok(lines)
    }

    /// The fields of a struct, with or without `..`.
    fn declare_fields(&mut self, pat: &syn::PatStruct, value: &str) -> Result<String> {
        let (mut lines, path) = (String::new(), &pat.path);
        for field in &pat.fields {
            let syn::Member::Named(name) = &field.member else {
                return refuse(field, "the fields of a struct of device code have names");
            };
            let hole = self.slots.field(quote!(#path), &name.to_string());
            lines += &self.declare(&field.pat, &format!("{value}.{hole}"))?;
        }
        Ok(lines)
    }

    /// What must hold for `value` to match, as a C++ expression (empty: it always does), and the
    /// declarations of what the pattern binds.
    pub(super) fn test(&mut self, pat: &Pat, value: &str) -> Result<(String, String)> {
        match pat {
            Pat::Lit(lit) => {
                let literal = self.pattern_value(&Expr::Lit(lit.clone()), value)?;
                Ok((format!("({value} == {literal})"), String::new()))
            }
            Pat::Path(path) => {
                let constant = self.constant(path.span(), quote!(#path));
                Ok((format!("({value} == {})", constant.cpp), String::new()))
            }
            // What begins with an upper-case letter is a constant, as rustc sees it too.
            Pat::Ident(p) if p.subpat.is_none() && is_constant(&p.ident.to_string()) => {
                let constant = self.constant(p.span(), quote!(#p));
                Ok((format!("({value} == {})", constant.cpp), String::new()))
            }
            Pat::Ident(p) if p.subpat.is_some() => {
                let name = self.bind(&p.ident.to_string());
                let (_, inner) = p.subpat.as_ref().expect("just asked");
                let (test, binds) = self.test(inner, value)?;
                Ok((test, format!("auto {name} = {value};\n{binds}")))
            }
            Pat::Range(range) => Ok((self.range_test(range, value)?, String::new())),
            Pat::Or(or) => self.or_test(or, value),
            Pat::Paren(p) => self.test(&p.pat, value),
            Pat::Tuple(p) => {
                let (mut tests, mut binds) = (Vec::new(), String::new());
                for (k, part) in p.elems.iter().enumerate() {
                    if let Pat::Rest(_) = part {
                        return refuse(part, "write `_` for each part instead of `..`");
                    }
                    let (test, bind) = self.test(part, &format!("{value}._{k}"))?;
                    tests.extend((!test.is_empty()).then_some(test));
                    binds += &bind;
                }
                let test = match tests.is_empty() {
                    true => String::new(),
                    false => format!("({})", tests.join(" && ")),
                };
                Ok((test, binds))
            }
            _ => Ok((String::new(), self.declare(pat, value)?)),
        }
    }

    fn or_test(&mut self, or: &syn::PatOr, value: &str) -> Result<(String, String)> {
        let mut tests = Vec::new();
        for case in &or.cases {
            let (test, binds) = self.test(case, value)?;
            if !binds.is_empty() {
                return refuse(case, "device code binds nothing inside of `|`; use two arms");
            }
            if test.is_empty() {
                return Ok((test, binds));
            }
            tests.push(test);
        }
        Ok((format!("({})", tests.join(" || ")), String::new()))
    }

    fn range_test(&mut self, range: &syn::PatRange, value: &str) -> Result<String> {
        let mut tests = Vec::new();
        if let Some(start) = &range.start {
            tests.push(format!("{value} >= {}", self.pattern_value(start, value)?));
        }
        if let Some(end) = &range.end {
            let op = if matches!(range.limits, RangeLimits::Closed(_)) { "<=" } else { "<" };
            tests.push(format!("{value} {op} {}", self.pattern_value(end, value)?));
        }
        Ok(format!("({})", tests.join(" && ")))
    }

    /// A literal or constant of a pattern. Literals take the type of what is matched, which C++
    /// knows.
    fn pattern_value(&mut self, e: &Expr, value: &str) -> Result<String> {
        let (number, sign) = match e {
            Expr::Unary(unary) => (&*unary.expr, "-"),
            _ => (e, ""),
        };
        match number {
            Expr::Lit(lit) => match &lit.lit {
                syn::Lit::Int(n) => {
                    Ok(format!("lz_rust_same({value}, {sign}{}ull)", n.base10_digits()))
                }
                syn::Lit::Float(n) => Ok(format!("lz_rust_same({value}, {sign}{})", float(n))),
                syn::Lit::Bool(b) => Ok(b.value.to_string()),
                syn::Lit::Byte(b) => Ok(b.value().to_string()),
                _ => refuse(e, "device code has no strings and characters"),
            },
            Expr::Path(path) if sign.is_empty() => {
                Ok(self.constant(path.span(), quote!(#path)).cpp)
            }
            _ => refuse(e, "a pattern of device code is a number, a constant, a range or `_`"),
        }
    }

    /// The tokens of a pattern, unchanged.
    pub(super) fn same(pat: &Pat) -> TokenStream {
        quote!(#pat)
    }
}

fn float(n: &syn::LitFloat) -> String {
    let digits = n.base10_digits();
    if digits.contains(['.', 'e', 'E']) { digits.into() } else { format!("{digits}.0") }
}

fn is_constant(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}
