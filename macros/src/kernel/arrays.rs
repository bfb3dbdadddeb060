//! The dialect of kernels: arrays that all threads see, shared memory, and printing, which a GPU
//! leaves out.

use crate::translate::{Code, Dialect, Translator, bare, list, operator, refuse};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Pat, Result};

/// A kind of array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `Array`: only read.
    Read,
    /// `ArrayMut`.
    Write,
    /// `Shared`.
    Shared,
}

/// The arrays of a kernel, and the variables that hold lengths of them, by their names in C++.
#[derive(Default)]
pub struct Arrays {
    kinds: RefCell<HashMap<String, Kind>>,
    lengths: RefCell<HashSet<String>>,
    /// Whether the code is a device function's, which has no shared memory of its own.
    is_device: bool,
}

/// An array, or a row of one, with a place in it.
struct Element<'a> {
    kind: Kind,
    base: &'a Expr,
    place: Vec<&'a Expr>,
    index: &'a Expr,
}

impl Arrays {
    /// Those of a device function.
    pub fn of_device() -> Arrays {
        Arrays { is_device: true, ..Arrays::default() }
    }

    /// Notes that a C++ name is that of an array.
    pub fn add(&self, cpp: &str, kind: Kind) {
        self.kinds.borrow_mut().insert(cpp.into(), kind);
    }

    /// The array that an expression names.
    fn array(&self, t: &Translator, e: &Expr) -> Option<(String, Kind)> {
        let cpp = t.variable(&name(e)?.to_string())?.to_string();
        let kind = *self.kinds.borrow().get(&cpp)?;
        Some((cpp, kind))
    }

    fn element<'a>(&self, t: &Translator, e: &'a Expr) -> Option<Element<'a>> {
        let Expr::Index(e) = bare(e) else { return None };
        let (_, kind) = self.array(t, row_of(&e.expr).unwrap_or(&e.expr))?;
        Some(Element { kind, base: &e.expr, place: places(&e.index), index: &e.index })
    }

    /// An array, which is named where it stands, or a row of one.
    fn base(&self, t: &mut Translator, e: &Expr) -> Result<Code> {
        match self.array(t, e) {
            Some((cpp, _)) => Ok(Code { fixed: true, ..Code::plain(cpp, quote!(#e)) }),
            None => t.value(e),
        }
    }

    /// A method of a row that has no name: `a.row(i).sum()`.
    fn of_row(&self, t: &mut Translator, e: &syn::ExprMethodCall) -> Result<Option<Code>> {
        if row_of(&e.receiver).and_then(|matrix| self.array(t, matrix)).is_none() {
            return Ok(None);
        }
        let row = t.value(&e.receiver)?;
        let (method, ident) = (e.method.to_string(), &e.method);
        let rest = match (method.as_str(), e.args.len()) {
            ("sum" | "len", 0) => Vec::new(),
            ("get", 1) => t.values(places(&e.args[0]))?,
            _ => return refuse(ident, "give the row a name: `let row = a.row(i);`"),
        };
        let (base, place) = (&row.probe, list(&rest, |c| &c.probe));
        let probe = quote_spanned!(e.span()=> #base.#ident(#place));
        let cpp = |v: &[&str]| match method.as_str() {
            "sum" => format!("{}.sum()", v[0]),
            "len" => format!("{}.size()", v[0]),
            _ => format!("{}({})", v[0], v[1..].join(", ")),
        };
        t.spend(2.0);
        let all = std::iter::once(row).chain(rest).collect();
        Ok(Some(t.compose(all, cpp, probe, quote!())))
    }
}

/// The name that an expression is.
pub fn name(e: &Expr) -> Option<&syn::Ident> {
    match bare(e) {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// The numbers of a place: those of a tuple or an array, else the one.
fn places(e: &Expr) -> Vec<&Expr> {
    match bare(e) {
        Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        Expr::Array(array) => array.elems.iter().collect(),
        other => vec![other],
    }
}

/// The Rust form of a place from the forms of its numbers.
fn place_tokens(e: &Expr, parts: &[Code], form: impl Fn(&Code) -> &TokenStream) -> TokenStream {
    let tokens = list(parts, form);
    match bare(e) {
        Expr::Tuple(_) if parts.len() == 1 => quote!((#tokens,)),
        Expr::Tuple(_) => quote!((#tokens)),
        Expr::Array(_) => quote!([#tokens]),
        _ => tokens,
    }
}

/// What a call of `shared` or `dynamic_shared` is.
pub fn shared_call(e: &Expr) -> Option<&'static str> {
    let Expr::Call(call) = bare(e) else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let name = path.path.segments.last()?.ident.to_string();
    ["shared", "dynamic_shared"].into_iter().find(|known| call.args.is_empty() && *known == name)
}

/// The matrix whose row an expression is: `a` of `a.row(i)`.
pub fn row_of(e: &Expr) -> Option<&Expr> {
    match bare(e) {
        Expr::MethodCall(call) if call.method == "row" && call.args.len() == 1 => {
            Some(&call.receiver)
        }
        _ => None,
    }
}

fn unbound(name: &str) -> String {
    format!("bind the array: `let tile = {name}::<…>();`")
}

/// The macros that print, and those that check in development builds: a GPU leaves them out.
pub const DROPPED: [&str; 8] = [
    "println",
    "print",
    "eprintln",
    "eprint",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "dbg",
];

impl Dialect for Arrays {
    fn index(&self, t: &mut Translator, e: &syn::ExprIndex) -> Result<Option<Code>> {
        let whole = Expr::Index(e.clone());
        let Some(element) = self.element(t, &whole) else { return Ok(None) };
        let array = self.base(t, element.base)?;
        let parts = t.values(element.place.iter().copied())?;
        let (base, place) = (&array.probe, place_tokens(element.index, &parts, |c| &c.probe));
        let probe = quote_spanned!(e.span()=> #base.get(#place));
        t.spend(2.0);
        let all = std::iter::once(array).chain(parts).collect();
        let cpp = |v: &[&str]| format!("{}({})", v[0], v[1..].join(", "));
        Ok(Some(t.compose(all, cpp, probe, quote!())))
    }

    fn assign(
        &self,
        t: &mut Translator,
        place: &Expr,
        op: Option<&BinOp>,
        value: &Expr,
    ) -> Result<Option<Code>> {
        let Some(element) = self.element(t, place) else { return Ok(None) };
        if element.kind == Kind::Read {
            let name = name(element.base).map(ToString::to_string).unwrap_or_default();
            let why = format!(
                "`{name}` is an `Array`, which a kernel only reads; to write, make it an `ArrayMut`"
            );
            return refuse(&place, why);
        }
        // Rust runs the value before the place.
        let value = t.value(value)?;
        let array = self.base(t, element.base)?;
        let parts = t.values(element.place.iter().copied())?;
        let (base, at) = (&array.probe, place_tokens(element.index, &parts, |c| &c.probe));
        let right = &value.probe;
        let probe = match op {
            None => quote_spanned!(place.span()=> #base.set(#at, #right)),
            Some(op) => {
                let plain = plain_operator(op);
                quote_spanned!(place.span()=> #base.set(#at, #base.get(#at) #plain #right))
            }
        };
        let name = t.fresh("place");
        let lines = |v: &[&str]| {
            let (value, cpp, place) = (v[0], v[1], v[2..].join(", "));
            match op {
                None => format!("{cpp}({place}) = {value};\n"),
                Some(op) => {
                    let result = operator(op).replace("{0}", &name).replace("{1}", value);
                    format!("auto& {name} = {cpp}({place});\n{name} = {result};\n")
                }
            }
        };
        t.spend(2.0);
        let all = [value, array].into_iter().chain(parts).collect();
        let mut code = t.compose(all, lines, probe, quote!());
        code.before += &std::mem::take(&mut code.cpp);
        Ok(Some(code))
    }

    fn method(&self, t: &mut Translator, e: &syn::ExprMethodCall) -> Result<Option<Code>> {
        if let Some(name) = shared_call(&e.receiver) {
            return refuse(&e.receiver, unbound(name));
        }
        let Some((cpp, kind)) = self.array(t, &e.receiver) else { return self.of_row(t, e) };
        let (method, receiver) = (e.method.to_string(), &e.receiver);
        let arguments: Vec<&Expr> = e.args.iter().collect();
        let call = |tokens: TokenStream| {
            let ident = &e.method;
            quote_spanned!(e.span()=> #receiver.#ident(#tokens))
        };
        match (method.as_str(), &arguments[..]) {
            ("len", []) => Ok(Some(Code::plain(format!("{cpp}.size()"), call(quote!())))),
            ("sum", []) if kind != Kind::Shared => {
                t.spend(8.0);
                Ok(Some(Code::plain(format!("{cpp}.sum()"), call(quote!()))))
            }
            ("is_empty", []) => {
                Ok(Some(Code::plain(format!("({cpp}.size() == 0)"), call(quote!()))))
            }
            ("shape", [axis]) => {
                let axis = t.value(axis)?;
                let probe = call(axis.probe.clone());
                let code =
                    t.compose(vec![axis], |v| format!("{cpp}.shape({})", v[0]), probe, quote!());
                Ok(Some(code))
            }
            ("row", [place]) if kind != Kind::Shared => {
                let place = t.value(place)?;
                let probe = call(place.probe.clone());
                let code =
                    t.compose(vec![place], |v| format!("{cpp}.row({})", v[0]), probe, quote!());
                Ok(Some(code))
            }
            ("get", [place]) => {
                let parts = t.values(places(place))?;
                let probe = call(place_tokens(place, &parts, |c| &c.probe));
                let code =
                    t.compose(parts, |v| format!("{cpp}({})", v.join(", ")), probe, quote!());
                Ok(Some(code))
            }
            (_, [place, values @ ..]) if written(&method) == Some(values.len()) => {
                if kind == Kind::Read {
                    return refuse(e, "an `Array` is only read; to write, make it an `ArrayMut`");
                }
                self.change(t, &cpp, &method, place, values, call).map(Some)
            }
            _ => refuse(
                &e.method,
                format!(
                    "`.{method}()`: arrays in kernels have `get`, `set`, `shape`, `len`, \
                     `is_empty`, `row`, `sum` and the atomics (`atomic_add` and its kin)"
                ),
            ),
        }
    }

    fn local(&self, t: &mut Translator, e: &syn::Local) -> Result<Option<Code>> {
        let Some(init) = &e.init else { return Ok(None) };
        let pat = match &e.pat {
            Pat::Type(typed) => &*typed.pat,
            other => other,
        };
        let Some(function) = shared_call(&init.expr) else {
            return self.alias(t, &e.pat, pat, &init.expr);
        };
        if self.is_device {
            return refuse(
                &init.expr,
                "shared memory is made in the kernel; take it as an argument, `Shared<[f32; 256]>`",
            );
        }
        let Pat::Ident(ident) = pat else {
            return refuse(pat, "give the shared array a name of its own");
        };
        let (hole, probe) = {
            let call = &init.expr;
            t.slots.inferred(init.expr.span(), quote!(#call))
        };
        let cpp = t.bind(&ident.ident.to_string());
        self.add(&cpp, Kind::Shared);
        let before = match function {
            "shared" => format!("LZ_SHARED({cpp}, {hole});\n"),
            _ => format!(
                "const auto {cpp} = lz_make_dynamic<{hole}>(lz_dynamic_bytes, lz.dynamic, \
                 lz_faults_of_kernel, lz_number_of_kernel);\n"
            ),
        };
        let pat = &e.pat;
        let probe = quote!(let #pat = #probe;);
        Ok(Some(Code { before, probe, ..Code::default() }))
    }

    fn is_length(&self, t: &Translator, e: &Expr) -> bool {
        match bare(e) {
            Expr::MethodCall(call) => match call.method.to_string().as_str() {
                "len" | "shape" => self.array(t, &call.receiver).is_some(),
                "min" => {
                    self.is_length(t, &call.receiver)
                        || call.args.iter().any(|e| self.is_length(t, e))
                }
                _ => false,
            },
            Expr::Binary(e) if matches!(e.op, BinOp::Div(_) | BinOp::Rem(_)) => {
                self.is_length(t, &e.left)
            }
            e => name(e)
                .and_then(|name| t.variable(&name.to_string()))
                .is_some_and(|cpp| self.lengths.borrow().contains(cpp)),
        }
    }

    fn add_length(&self, cpp: &str) {
        self.lengths.borrow_mut().insert(cpp.into());
    }

    fn call(&self, _: &mut Translator, e: &syn::ExprCall) -> Result<Option<Code>> {
        match shared_call(&Expr::Call(e.clone())) {
            Some(name) => refuse(e, unbound(name)),
            None => Ok(None),
        }
    }

    fn macro_call(&self, _: &mut Translator, m: &syn::Macro) -> Result<Option<Code>> {
        let name = m.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        // What they print is checked where the body stands for the processor.
        Ok(DROPPED[..7].contains(&name.as_str()).then(Code::default))
    }
}

/// The number of values that a method takes which changes an element.
fn written(method: &str) -> Option<usize> {
    match method {
        "set" => Some(1),
        "atomic_add" | "atomic_sub" | "atomic_min" | "atomic_max" | "atomic_exchange"
        | "atomic_and" | "atomic_or" | "atomic_xor" => Some(1),
        "atomic_compare_exchange" => Some(2),
        _ => None,
    }
}

/// `+` of `+=`.
pub fn plain_operator(op: &BinOp) -> TokenStream {
    use BinOp::*;
    match op {
        AddAssign(_) => quote!(+),
        SubAssign(_) => quote!(-),
        MulAssign(_) => quote!(*),
        DivAssign(_) => quote!(/),
        RemAssign(_) => quote!(%),
        BitXorAssign(_) => quote!(^),
        BitAndAssign(_) => quote!(&),
        BitOrAssign(_) => quote!(|),
        ShlAssign(_) => quote!(<<),
        ShrAssign(_) => quote!(>>),
        other => quote!(#other),
    }
}

impl Arrays {
    /// `let` of another name for an array, or of a row.
    fn alias(
        &self,
        t: &mut Translator,
        whole: &Pat,
        pat: &Pat,
        init: &Expr,
    ) -> Result<Option<Code>> {
        let Some((_, kind)) = self.array(t, row_of(init).unwrap_or(init)) else {
            return Ok(None);
        };
        let Pat::Ident(ident) = pat else { return Ok(None) };
        let value = t.value(init)?;
        let cpp = t.bind(&ident.ident.to_string());
        self.add(&cpp, kind);
        let before = format!("{}const auto {cpp} = {};\n", value.before, value.cpp);
        let right = &value.probe;
        Ok(Some(Code { before, probe: quote!(let #whole = #right;), ..Code::default() }))
    }

    /// A method that changes an element.
    fn change(
        &self,
        t: &mut Translator,
        cpp: &str,
        method: &str,
        place: &Expr,
        values: &[&Expr],
        call: impl Fn(TokenStream) -> TokenStream,
    ) -> Result<Code> {
        let mut parts = t.values(places(place))?;
        let axes = parts.len();
        let at = place_tokens(place, &parts, |c| &c.probe);
        let values = t.values(values.iter().copied())?;
        let rest = list(&values, |c| &c.probe);
        parts.extend(values);
        let (probe, result) = (call(quote!(#at, #rest)), t.fresh("old"));
        t.spend(8.0);
        let lines = |v: &[&str]| {
            let (place, values) = (v[..axes].join(", "), v[axes..].join(", "));
            match method {
                "set" => format!("{cpp}({place}) = {values};\n"),
                _ => format!("const auto {result} = lz_{method}(&{cpp}({place}), {values});\n"),
            }
        };
        let mut code = t.compose(parts, lines, probe, quote!());
        code.before += &std::mem::take(&mut code.cpp);
        if method != "set" {
            code.cpp = result;
        }
        Ok(code)
    }
}
