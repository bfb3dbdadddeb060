//! Tuples, arrays of constant size, fields and indices.

use super::{Code, Translator, list, refuse};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Member, Result};

impl Translator {
    pub(super) fn tuple(&mut self, e: &syn::ExprTuple) -> Result<Code> {
        if e.elems.len() < 2 {
            return refuse(e, "a tuple of device code has two parts or more");
        }
        let parts = self.values(&e.elems)?;
        let (probe, twin) = (list(&parts, |c| &c.probe), list(&parts, |c| &c.twin));
        let cpp = |v: &[&str]| format!("lz_make_tuple({})", v.join(", "));
        let twin = quote_spanned!(e.span()=> (#twin));
        Ok(self.compose(parts, cpp, quote!((#probe)), twin))
    }

    pub(super) fn array(&mut self, e: &syn::ExprArray) -> Result<Code> {
        let parts = self.values(&e.elems)?;
        let (probe, twin) = (list(&parts, |c| &c.probe), list(&parts, |c| &c.twin));
        let (hole, probe) = self.slots.inferred(e.span(), quote!([#probe]));
        let cpp = |v: &[&str]| format!("{hole}{{{{{}}}}}", v.join(", "));
        Ok(self.compose(parts, cpp, probe, quote_spanned!(e.span()=> [#twin])))
    }

    pub(super) fn repeat(&mut self, e: &syn::ExprRepeat) -> Result<Code> {
        let part = self.value(&e.expr)?;
        let (probe, twin, len) = (&part.probe, &part.twin, &e.len);
        let twin = quote_spanned!(e.span()=> [#twin; #len]);
        let (hole, probe) = self.slots.inferred(e.span(), quote!([#probe; #len]));
        Ok(self.compose(vec![part], |v| format!("lz_filled<{hole}>({})", v[0]), probe, twin))
    }

    /// `Complex { re, im }`, or a struct whose fields are columns, perhaps with the rest of another.
    pub(super) fn structure(&mut self, e: &syn::ExprStruct) -> Result<Code> {
        let is_complex = e.path.segments.last().is_some_and(|s| is_complex(&s.ident.to_string()));
        let named = |m: &Member| matches!(m, Member::Named(_));
        if !e.fields.iter().all(|field| named(&field.member)) {
            return refuse(e, "the fields of a struct of device code have names");
        }
        let parts =
            self.values(e.fields.iter().map(|field| &field.expr).chain(e.rest.as_deref()))?;
        let of = |form: fn(&Code) -> &TokenStream| {
            let mut values = parts.iter().map(form);
            let fields: Vec<TokenStream> = (e.fields.iter().zip(&mut values))
                .map(|(field, value)| {
                    let member = &field.member;
                    quote!(#member: #value)
                })
                .collect();
            let (path, rest) = (&e.path, values.next().map(|rest| quote!(..#rest)));
            quote_spanned!(e.span()=> (#path { #(#fields,)* #rest }))
        };
        let (mut probe, twin) = (of(|c| &c.probe), of(|c| &c.twin));
        if is_complex {
            let part = |name: &str| {
                e.fields.iter().position(|f| matches!(&f.member, Member::Named(n) if n == name))
            };
            let (Some(re), Some(im), None) = (part("re"), part("im"), &e.rest) else {
                return refuse(e, "a complex number has the parts `re` and `im`");
            };
            let cpp = |v: &[&str]| format!("lz_to_complex({}, {})", v[re], v[im]);
            return Ok(self.compose(parts, cpp, probe, twin));
        }
        let at = e.path.span();
        let (ty, tied) = self.slots.inferred(at, probe);
        probe = tied;
        let mut holes = Vec::new();
        for field in &e.fields {
            let member = &field.member;
            let (hole, tied) = self.slots.member(at, probe, &quote!(#member).to_string());
            holes.push(hole);
            probe = tied;
        }
        let name = self.fresh("made");
        let mut code = self.compose(
            parts,
            |v| {
                let begin = v.get(holes.len()).map_or("{}".to_owned(), |rest| format!(" = {rest}"));
                let set = holes.iter().zip(v).map(|(hole, v)| format!("{name}.{hole} = {v};\n"));
                format!("{ty} {name}{begin};\n{}", set.collect::<String>())
            },
            probe,
            twin,
        );
        code.before += &std::mem::replace(&mut code.cpp, name);
        Ok(code)
    }

    pub(super) fn field(&mut self, e: &syn::ExprField) -> Result<Code> {
        let base = self.value(&e.base)?;
        let field = &e.member;
        let (mut probe, twin) = (base.probe.clone(), &base.twin);
        let twin = quote!(#twin.#field);
        let member = match field {
            Member::Unnamed(index) => format!("_{}", index.index),
            Member::Named(name) => {
                let (hole, tied) = self.slots.member(name.span(), probe, &name.to_string());
                probe = tied;
                hole
            }
        };
        let probe = quote!(#probe.#field);
        Ok(self.compose(vec![base], |v| format!("{}.{member}", v[0]), probe, twin))
    }

    pub(super) fn index(&mut self, e: &syn::ExprIndex) -> Result<Code> {
        if let Some(code) = self.dialect(|d, t| d.index(t, e))? {
            return Ok(code);
        }
        if let Expr::Range(range) = &*e.index {
            return refuse(range, "device code has no slices; index single elements in a loop");
        }
        let parts = self.values([&*e.expr, &*e.index])?;
        let (base, index) = (&parts[0].probe, &parts[1].probe);
        let span = e.expr.span();
        let probe = quote_spanned!(span=> ::lazuli::__private::register_array(#base));
        let probe = quote!(#probe[#index]);
        let (base, index) = (&parts[0].twin, self.index_behind_exit(&e.index, &parts[1].twin));
        // A place out of range names the line of the brackets.
        let twin = quote_spanned!(e.bracket_token.span.join()=> #base[#index]);
        Ok(self.compose(parts, |v| format!("{}[{}]", v[0], v[1]), probe, twin))
    }

    /// `array.len()`.
    pub(super) fn length(&mut self, e: &syn::ExprMethodCall) -> Result<Code> {
        let array = self.value(&e.receiver)?;
        let (probe, twin, span) = (&array.probe, &array.twin, e.receiver.span());
        let probe = quote_spanned!(span=> ::lazuli::__private::register_array(#probe).len());
        let twin = quote_spanned!(e.span()=> #twin.len());
        Ok(self.compose(vec![array], |v| format!("{}.size()", v[0]), probe, twin))
    }

    /// `array.swap(i, j);`
    pub(super) fn swap(&mut self, e: &syn::ExprMethodCall) -> Result<Code> {
        if let Some(code) = self.dialect(|d, t| d.method(t, e))? {
            return Ok(code);
        }
        let place = self.place(&e.receiver)?;
        let (i, j) = (self.value(&e.args[0])?, self.value(&e.args[1])?);
        let (span, method) = (e.method.span(), &e.method);
        let (base, left, right) = (&place.probe, &i.probe, &j.probe);
        let probe = quote_spanned! {span=>
            { let _ = ::lazuli::__private::register_array(#base); #base.#method(#left, #right) }
        };
        let (base, left) = (&place.twin, self.index_behind_exit(&e.args[0], &i.twin));
        let right = self.index_behind_exit(&e.args[1], &j.twin);
        let twin = quote_spanned!(span=> #base.#method(#left, #right));
        let [array, first, second, kept] = ["array", "i", "j", "t"].map(|hint| self.fresh(hint));
        // The array is borrowed before the places are computed, and these may not change it.
        let cpp = |v: &[&str]| {
            format!(
                "{{\nauto& {array} = {};\nconst lz_u64 {first} = {};\nconst lz_u64 {second} = {};\n\
                 const auto {kept} = {array}[{first}];\n{array}[{first}] = {array}[{second}];\n\
                 {array}[{second}] = {kept};\n}}\n",
                v[0], v[1], v[2]
            )
        };
        // Last, so that it stays a place where what comes before needs statements.
        let lines = |v: &[&str]| cpp(&[v[2], v[0], v[1]]);
        let mut code = self.compose(vec![i, j, place], lines, probe, twin);
        code.before += &std::mem::take(&mut code.cpp);
        Ok(code)
    }
}

/// Whether this is `array.len()`.
pub(super) fn is_length(e: &syn::ExprMethodCall) -> bool {
    e.method == "len" && e.args.is_empty()
}

/// Whether this is `array.swap(i, j)`.
pub fn is_swap(e: &syn::ExprMethodCall) -> bool {
    e.method == "swap" && e.args.len() == 2
}

/// Whether a type of this name is a complex number.
pub(super) fn is_complex(name: &str) -> bool {
    matches!(name, "Complex" | "Complex32" | "Complex64")
}
