//! Calls: of device functions, of associated functions, of methods, of macros.

use super::aggregate::{is_complex, is_length};
use super::methods::{Method, find, rare};
use super::{Code, Translator, list, refuse};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, PathArguments, Result};

/// Whether the function of a type, by its name, only converts.
pub fn is_conversion(name: &str) -> bool {
    matches!(name, "from" | "from_f64" | "from_f32" | "from_real")
}

/// A path without its generic arguments, and those, `::<T>`.
fn taken_apart(path: &syn::Path) -> (syn::Path, TokenStream) {
    let mut owner = path.clone();
    let mut generics = TokenStream::new();
    if let Some(last) = owner.segments.last_mut()
        && let PathArguments::AngleBracketed(list) = &last.arguments
    {
        let list = &list.args;
        generics = quote!(::<#list>);
        last.arguments = PathArguments::None;
    }
    (owner, generics)
}

/// The path that a `use` gives a name, whose beginning is `before`.
fn imported(tree: &syn::UseTree, name: &str, mut before: Vec<String>) -> Option<Vec<String>> {
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            imported(&path.tree, name, before)
        }
        syn::UseTree::Name(last) if last.ident == name => {
            before.push(name.into());
            Some(before)
        }
        syn::UseTree::Rename(last) if last.rename == name => {
            before.push(last.ident.to_string());
            Some(before)
        }
        syn::UseTree::Group(group) => {
            group.items.iter().find_map(|tree| imported(tree, name, before.clone()))
        }
        _ => None,
    }
}

impl Translator {
    pub(super) fn call(&mut self, e: &syn::ExprCall) -> Result<Code> {
        if let Some(code) = self.dialect(|d, t| d.call(t, e))? {
            return Ok(code);
        }
        let Expr::Path(function) = &*e.func else {
            return refuse(&e.func, "device code calls functions by their names alone");
        };
        let path = &function.path;
        let name = path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        if let Some(why) = super::refuse::of_type(&name) {
            return refuse(e, why);
        }
        if function.qself.is_some() {
            return self.associated(e, "", &name);
        }
        let owner = path.segments.iter().rev().nth(1).map(|s| s.ident.to_string());
        match owner.filter(|owner| self.is_type(owner)) {
            Some(owner) => self.associated(e, &owner, &name),
            None if name.starts_with(char::is_uppercase) => refuse(
                e,
                "a struct of device code has named fields, and `#[derive(Columns)]`; or use a tuple",
            ),
            None => self.device_call(e, path, &name),
        }
    }

    /// The path of the device function that is called, with its generic arguments apart; `None`
    /// where it is the function of a type.
    pub fn device_function(&self, e: &syn::ExprCall) -> Option<(syn::Path, TokenStream)> {
        let Expr::Path(function) = &*e.func else { return None };
        let path = &function.path;
        let owner = path.segments.iter().rev().nth(1).map(|s| s.ident.to_string());
        if function.qself.is_some() || owner.is_some_and(|owner| self.is_type(&owner)) {
            return None;
        }
        Some(taken_apart(path))
    }

    fn is_type(&self, name: &str) -> bool {
        const PRIMITIVE: [&str; 14] = [
            "f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32",
            "u64", "usize",
        ];
        PRIMITIVE.contains(&name)
            || name == "bool"
            || self.generics.contains(name)
            || name.starts_with(char::is_uppercase)
    }

    /// The names of a path, with what the body imports by its first one in front.
    fn whole(&self, path: &syn::Path) -> Vec<String> {
        let mut names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        let imported = self.items.iter().find_map(|item| match item {
            syn::Item::Use(item) => imported(&item.tree, names.first()?, Vec::new()),
            _ => None,
        });
        if let Some(imported) = imported {
            names.splice(..1, imported);
        }
        names
    }

    /// A call of another device function: it hands out its device code for the types of the call.
    fn device_call(&mut self, e: &syn::ExprCall, path: &syn::Path, name: &str) -> Result<Code> {
        if path.is_ident(&self.name) {
            return refuse(
                e,
                format!("`{name}` calls itself, and device code has no recursion; write a loop"),
            );
        }
        if self.variable(name).is_some() && path.get_ident().is_some() {
            return refuse(e, "device code has no closures and function pointers");
        }
        if let Some(why) = super::refuse::function(&self.whole(path)) {
            return refuse(path, why);
        }
        let arguments = self.values(&e.args)?;
        let (owner, generics) = taken_apart(path);
        let span = path.span();
        let (hole, slot) = self.slots.call(span);
        let (probe, twin) = (list(&arguments, |c| &c.probe), list(&arguments, |c| &c.twin));
        let probe = quote_spanned!(span=> <#owner>::lz_device #generics(&#slot, #probe));
        let rare = rare();
        let comma = (!arguments.is_empty()).then(|| quote!(,));
        let twin = quote_spanned!(span=> <#owner>::lz_twin #generics(#twin #comma #rare));
        let twin = self.source(span, twin);
        self.calls.push(owner);
        let cpp = |v: &[&str]| format!("{hole}({})", v.join(", "));
        Ok(self.compose(arguments, cpp, probe, twin))
    }

    /// A call of a type's function: `f64::max(a, b)`, `Complex::new(re, im)`, `T::from_f64(2.0)`.
    fn associated(&mut self, e: &syn::ExprCall, owner: &str, name: &str) -> Result<Code> {
        if let Some(why) = super::refuse::of_type(owner) {
            return refuse(e, why);
        }
        let function = &e.func;
        if e.args.is_empty() {
            // No argument: `T::zero()`, `f64::default()`. The host can call it.
            return Ok(self.constant(e.span(), quote!(#e)));
        }
        let arguments = self.values(&e.args)?;
        let (probe, twin) = (list(&arguments, |c| &c.probe), list(&arguments, |c| &c.twin));
        let span = e.span();
        let (probe, twin) = (quote!(#function(#probe)), quote_spanned!(span=> #function(#twin)));
        let conversion = match name {
            name if is_conversion(name) => Some("lz_cast"),
            "from_bits" => Some("lz_bitcast"),
            _ => None,
        };
        if let Some(conversion) = conversion {
            self.spend(1.0);
            let (hole, probe) = self.slots.inferred(e.span(), probe);
            let cpp = |v: &[&str]| format!("{conversion}<{hole}>({})", v[0]);
            return Ok(self.compose(arguments, cpp, probe, twin));
        }
        let complex = match name {
            "new" if is_complex(owner) => Some("lz_to_complex"),
            "from_polar" if is_complex(owner) => Some("lz_rust_from_polar"),
            "cis" if is_complex(owner) => Some("lz_rust_cis"),
            _ => None,
        };
        if let Some(complex) = complex {
            self.spend(if name == "new" { 0.0 } else { 40.0 });
            let cpp = |v: &[&str]| format!("{complex}({})", v.join(", "));
            return Ok(self.compose(arguments, cpp, probe, twin));
        }
        match find(name) {
            Some(method) if method.arguments + 1 == arguments.len() => {
                let rest = list(&arguments[1..], |c| &c.twin);
                let receiver = &arguments[0].twin;
                let twin = match method.twin(name, receiver, &rest, e.span()) {
                    Some(routed) => self.source(span, routed),
                    None => self.careful(name, e.args.iter().skip(1), span, twin),
                };
                Ok(self.known(method, arguments, probe, twin))
            }
            _ => refuse(
                &e.func,
                "this function has no device version; call the mathematics of numbers, \
                 `Complex::new`, `T::from_f64` or functions with `#[device]`",
            ),
        }
    }

    pub(super) fn method_call(&mut self, e: &syn::ExprMethodCall) -> Result<Code> {
        if let Some(code) = self.dialect(|d, t| d.method(t, e))? {
            return Ok(code);
        }
        let name = e.method.to_string();
        if is_length(e) {
            return self.length(e);
        }
        let Some(method) = find(&name) else {
            // With the right arguments it would be a call by now.
            let why = match crate::formulas::arguments(&name) {
                Some(arguments) => super::refuse::arguments(&name, arguments),
                None => super::refuse::method(&name),
            };
            return refuse(&e.method, why);
        };
        if method.arguments != e.args.len() {
            return refuse(&e.method, super::refuse::arguments(&name, method.arguments));
        }
        let span = e.method.span();
        let parts = self.values(std::iter::once(&*e.receiver).chain(&e.args))?;
        let (ident, turbofish) = (&e.method, &e.turbofish);
        let (receiver, rest) = (&parts[0].probe, list(&parts[1..], |c| &c.probe));
        let probe = quote!(#receiver.#ident #turbofish(#rest));
        let (receiver, rest) = (&parts[0].twin, list(&parts[1..], |c| &c.twin));
        let twin = match method.twin(&name, receiver, &rest, span) {
            Some(routed) => self.source(span, routed),
            None if self.in_lanes && name == "abs" => quote_spanned!(span=>
                ::lazuli::__private::lanes::magnitude(
                    ::core::cfg!(debug_assertions), #receiver, |lz_a| lz_a.#ident()
                )
            ),
            None => {
                let call = quote_spanned!(span=> #receiver.#ident #turbofish(#rest));
                self.careful(&name, e.args.iter(), span, call)
            }
        };
        Ok(self.known(method, parts, probe, twin))
    }

    fn known(
        &mut self,
        method: &'static Method,
        parts: Vec<Code>,
        probe: TokenStream,
        twin: TokenStream,
    ) -> Code {
        self.spend(method.cost);
        self.compose(parts, |v| format!("{}({})", method.cpp, v.join(", ")), probe, twin)
    }
}
