//! The dialect of gufuncs that run item by item: views of arrays, their lengths, and elements that
//! are written.

use super::forms::ident;
use crate::translate::bare;
use crate::translate::{Code, Dialect, Translator, list, operator, refuse};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use std::cell::RefCell;
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Pat, Result};

/// An array by its name in C++.
#[derive(Clone, Copy)]
struct View {
    rank: usize,
    is_written: bool,
}

/// The arrays of a gufunc.
#[derive(Default)]
pub struct Views(RefCell<HashMap<String, View>>);

impl Views {
    /// Notes that a C++ name is that of an array.
    pub fn add(&self, cpp: &str, rank: usize, is_written: bool) {
        self.0.borrow_mut().insert(cpp.into(), View { rank, is_written });
    }

    fn array(&self, t: &Translator, e: &Expr) -> Option<(String, View)> {
        let cpp = t.variable(&ident(e)?.to_string())?.to_string();
        let view = *self.0.borrow().get(&cpp)?;
        Some((cpp, view))
    }

    /// The part of an array that an expression is: `a`, `&a`, `a.view()`, `a.row(i)`.
    fn part(&self, t: &Translator, e: &Expr) -> Option<View> {
        match bare(e) {
            Expr::Reference(e) => self.part(t, &e.expr),
            Expr::MethodCall(call) => {
                let view = self.array(t, &call.receiver)?.1;
                let rank = match call.method.to_string().as_str() {
                    "view" | "view_mut" => view.rank,
                    "row" | "row_mut" if view.rank == 2 => 1,
                    _ => return None,
                };
                Some(View {
                    rank,
                    is_written: view.is_written && call.method.to_string().ends_with("_mut"),
                })
            }
            other => self.array(t, other).map(|(_, view)| view),
        }
    }
}

/// The numbers of a place.
fn places(e: &Expr) -> Vec<&Expr> {
    match bare(e) {
        Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        Expr::Array(array) => array.elems.iter().collect(),
        other => vec![other],
    }
}

/// Why an array has no such method.
pub fn no_method(method: &str) -> String {
    format!(
        "`.{method}()`: the arrays of a gufunc are indexed, and have `len`, `dim`, `shape()[k]`, \
         `nrows`, `ncols`, `len_of`, `is_empty`, `row`, `view`, `sum()`; write a `for` loop over a \
         range for what this does"
    )
}

/// The place again, with its numbers as the probe has them.
fn probed(e: &Expr, parts: &[Code]) -> TokenStream {
    let parts = list(parts, |c| &c.probe);
    match bare(e) {
        Expr::Tuple(_) => quote!((#parts)),
        Expr::Array(_) => quote!([#parts]),
        _ => parts,
    }
}

impl Dialect for Views {
    fn index(&self, t: &mut Translator, e: &syn::ExprIndex) -> Result<Option<Code>> {
        // `a.shape()[k]`.
        if let Expr::MethodCall(call) = bare(&e.expr)
            && call.method == "shape"
            && let Some((cpp, _)) = self.array(t, &call.receiver)
        {
            let axis = t.value(&e.index)?;
            let (base, at) = (&e.expr, &axis.probe);
            let probe = quote_spanned!(e.span()=> #base[#at]);
            let cpp = |v: &[&str]| format!("{cpp}.shape({})", v[0]);
            return Ok(Some(t.compose(vec![axis], cpp, probe, quote!())));
        }
        let Some((cpp, view)) = self.array(t, &e.expr) else { return Ok(None) };
        let place = places(&e.index);
        if place.len() != view.rank {
            let why =
                format!("this array has {} core axes, and the place {}", view.rank, place.len());
            return refuse(&e.index, why);
        }
        let parts = t.values(place)?;
        let (base, at) = (&e.expr, probed(&e.index, &parts));
        let probe = quote_spanned!(e.span()=> #base[#at]);
        t.spend(2.0);
        Ok(Some(t.compose(parts, |v| format!("{cpp}({})", v.join(", ")), probe, quote!())))
    }

    fn assign(
        &self,
        t: &mut Translator,
        place: &Expr,
        op: Option<&BinOp>,
        value: &Expr,
    ) -> Result<Option<Code>> {
        let Expr::Index(element) = bare(place) else { return Ok(None) };
        let Some((cpp, view)) = self.array(t, &element.expr) else { return Ok(None) };
        if !view.is_written {
            return refuse(place, "this is an argument, which a gufunc only reads");
        }
        let value = t.value(value)?;
        let parts = t.values(places(&element.index))?;
        let (base, at) = (&element.expr, probed(&element.index, &parts));
        let right = &value.probe;
        let probe = match op {
            None => quote_spanned!(place.span()=> #base[#at] = #right),
            Some(op) => quote_spanned!(place.span()=> #base[#at] #op #right),
        };
        let name = t.fresh("place");
        let lines = |v: &[&str]| {
            let (value, place) = (v[0], v[1..].join(", "));
            match op {
                None => format!("{cpp}({place}) = {value};\n"),
                Some(op) => {
                    let result = operator(op).replace("{0}", &name).replace("{1}", value);
                    format!("auto& {name} = {cpp}({place});\n{name} = {result};\n")
                }
            }
        };
        t.spend(2.0);
        let all = std::iter::once(value).chain(parts).collect();
        let mut code = t.compose(all, lines, probe, quote!());
        code.before += &std::mem::take(&mut code.cpp);
        Ok(Some(code))
    }

    fn local(&self, t: &mut Translator, e: &syn::Local) -> Result<Option<Code>> {
        let (Some(init), Pat::Ident(name)) = (&e.init, &e.pat) else { return Ok(None) };
        let Some(view) = self.part(t, &init.expr) else { return Ok(None) };
        let value = t.value(&init.expr)?;
        let cpp = t.bind(&name.ident.to_string());
        self.add(&cpp, view.rank, view.is_written);
        let before = format!("{}const auto {cpp} = {};\n", value.before, value.cpp);
        let (pat, right) = (&e.pat, &value.probe);
        Ok(Some(Code { before, probe: quote!(let #pat = #right;), ..Code::default() }))
    }

    fn reference(&self, t: &mut Translator, e: &syn::ExprReference) -> Result<Option<Code>> {
        if self.part(t, &e.expr).is_none() {
            return Ok(None);
        }
        let value = t.value(&e.expr)?;
        let (mutability, probe) = (&e.mutability, &value.probe);
        let probe = quote_spanned!(e.span()=> &#mutability #probe);
        Ok(Some(Code { probe, ..value }))
    }

    fn line(&self, t: &Translator, e: &Expr) -> Option<String> {
        self.array(t, e).filter(|(_, view)| view.rank == 1).map(|(cpp, _)| cpp)
    }

    fn spreads(&self, e: &syn::ExprForLoop) -> bool {
        super::spread::is_spread(e)
    }

    fn macro_call(&self, _: &mut Translator, m: &syn::Macro) -> Result<Option<Code>> {
        match m.path.is_ident("vec") {
            true => refuse(
                m,
                "`vec!`: device code does not allocate; an array of a gufunc's own is \
                 `Array1::<T>::zeros(n)`",
            ),
            false => Ok(None),
        }
    }

    fn method(&self, t: &mut Translator, e: &syn::ExprMethodCall) -> Result<Option<Code>> {
        let Some((cpp, view)) = self.array(t, &e.receiver) else { return Ok(None) };
        let method = e.method.to_string();
        let all = || (0..view.rank).map(|k| format!("{cpp}.shape({k})")).collect::<Vec<_>>();
        let text = match (method.as_str(), e.args.len()) {
            ("view" | "view_mut", 0) => cpp,
            ("row" | "row_mut", 1) if view.rank == 2 => {
                let place = t.value(&e.args[0])?;
                let (base, at) = (&e.receiver, &place.probe);
                let ident = &e.method;
                let probe = quote_spanned!(e.span()=> #base.#ident(#at));
                let cpp = |v: &[&str]| format!("{cpp}.row({})", v[0]);
                return Ok(Some(t.compose(vec![place], cpp, probe, quote!())));
            }
            ("len", 0) => format!("{cpp}.size()"),
            ("is_empty", 0) => format!("({cpp}.size() == 0)"),
            ("nrows", 0) => format!("{cpp}.shape(0)"),
            ("ncols", 0) => format!("{cpp}.shape(1)"),
            ("dim", 0) if view.rank == 1 => format!("{cpp}.shape(0)"),
            ("dim", 0) => format!("lz_make_tuple({})", all().join(", ")),
            ("ndim", 0) => format!("lz_u64({})", view.rank),
            ("len_of", 1) => {
                let Expr::Call(axis) = bare(&e.args[0]) else {
                    return refuse(&e.args[0], "write the axis where it is used: `Axis(0)`");
                };
                let Some(axis) = axis.args.first() else {
                    return refuse(&e.args[0], "write the axis where it is used: `Axis(0)`");
                };
                let axis = t.value(axis)?;
                let (base, at) = (&e.receiver, &axis.probe);
                let probe = quote_spanned!(e.span()=> #base.shape()[#at]);
                let cpp = |v: &[&str]| format!("{cpp}.shape({})", v[0]);
                return Ok(Some(t.compose(vec![axis], cpp, probe, quote!())));
            }
            _ => {
                return refuse(&e.method, no_method(&method));
            }
        };
        Ok(Some(Code::plain(text, quote!(#e))))
    }
}
