//! `#[device]` functions that take arrays of a kernel: `Array`, `ArrayMut` and `Shared`.
//!
//! For the processor such a function stays as it is, but for what touches arrays that threads write,
//! as in a kernel's body. In C++ it is a template over its arrays, whose types depend on the launch.
//! Kernels and other functions over arrays alone can call it, so that it has no twin.

use super::arrays::{Arrays, Kind};
use super::{kind, lifetime, native, with_lifetime};
use crate::subject::{Subject, check_item, indented, kept, recursion};
use crate::translate::{Code, Dialect, Translator, refuse};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::rc::Rc;
use syn::{FnArg, ItemFn, Pat, Result, ReturnType, Type};

/// Whether a function takes arrays of a kernel.
pub fn takes_arrays(item: &ItemFn) -> bool {
    item.sig.inputs.iter().any(|input| match input {
        FnArg::Typed(typed) => kind(&typed.ty).is_some(),
        FnArg::Receiver(_) => false,
    })
}

/// Expands the attribute.
///
/// # Errors
/// At what is outside of the language of kernels.
pub fn device(item: ItemFn) -> Result<TokenStream> {
    check_item(&item)?;
    let lifetimes = item.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => lifetime(&typed.ty),
        FnArg::Receiver(_) => None,
    });
    if let Some(one) = lifetimes.last() {
        let why = "arrays of a kernel live as long as its launch; leave the lifetime out";
        return refuse(&one, why);
    }
    if let ReturnType::Type(_, ty) = &item.sig.output
        && kind(ty).is_some()
    {
        return refuse(ty, "a device function gives numbers back; take the array as an argument");
    }
    let subject = Subject::new(item)?;
    let dialect = Rc::new(Arrays::of_device());
    let name = subject.name().to_string();
    let mut t = Translator::new(&name, &subject.generics, dialect.clone() as Rc<dyn Dialect>);
    let (template, body) = translate(&subject, &dialect, &mut t)?;
    let whole: Vec<Type> = subject.types().iter().map(|ty| with_lifetime(ty)).collect();
    Ok(expand(&subject, &t, (&template, &body), &native(&subject), &whole))
}

/// The C++ template of the function and its body.
fn translate(subject: &Subject, dialect: &Arrays, t: &mut Translator) -> Result<(String, Code)> {
    let output = match &subject.output {
        Some(ty) => t.slots.ty(quote!(#ty)),
        None => "void".into(),
    };
    let (mut classes, mut list, mut unpack) = (Vec::new(), Vec::new(), String::new());
    for (pat, ty) in &subject.params {
        match (kind(ty), pat) {
            (Some(kind), Pat::Ident(p)) => {
                let cpp = t.bind(&p.ident.to_string());
                dialect.add(&cpp, kind);
                let class = t.fresh("lz_class");
                list.push(format!("{class} {cpp}"));
                classes.push(format!("class {class}"));
            }
            (Some(_), other) => {
                return refuse(other, "an array of a kernel is a parameter with a plain name");
            }
            (None, pat) => {
                let hole = t.slots.ty(quote!(#ty));
                let hint = if let Pat::Ident(p) = pat { p.ident.to_string() } else { "a".into() };
                let cpp = t.fresh(&hint);
                unpack += &t.declare(pat, &cpp)?;
                list.push(format!("{hole} {cpp}"));
            }
        }
    }
    let body = t.body(&subject.item.block, subject.output.is_some())?;
    let lines = indented(&(unpack + &body.before));
    let (classes, list) = (classes.join(", "), list.join(", "));
    // `@` stands for the name that the instance gets.
    Ok((format!("template <{classes}>\nLZ_FN {output} @({list}) {{\n{lines}}}\n"), body))
}

/// What the attribute gives for a function over arrays: `native` is the function for the processor,
/// and `whole` are the types of its parameters with all lifetimes.
pub fn expand(
    subject: &Subject,
    t: &Translator,
    (template, body): (&str, &Code),
    native: &ItemFn,
    whole: &[Type],
) -> TokenStream {
    let (name, result) = (subject.name(), subject.result());
    let (types, turbofish, vis) = (subject.types(), subject.turbofish(), &subject.item.vis);
    let names: Vec<Ident> = (0..types.len()).map(|k| format_ident!("lz_a{k}")).collect();
    let params = subject.params.iter().map(|(pat, ty)| quote!(#pat: #ty));
    let (probe, items) = (&body.probe, &t.items);
    let fill = t.slots.probe(quote!(|#(#params),*| -> #result #probe), template, t.cost);
    let (item, recursion) = (kept(native), recursion(t, name));
    let device = subject.device();
    let plain = quote!(#name #turbofish (#(#names),*));
    let implementation =
        subject.implementation(whole, &quote!(#(#items)* #fill), &plain, &TokenStream::new());
    let doc = format!("The device code of the function `{name}` over arrays.");
    let cfgs = subject.item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let cfgs = quote!(#(#cfgs)*);
    let allow = quote! {
        #[allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic)]
        #[allow(clippy::all, clippy::pedantic)]
        #[automatically_derived]
    };
    quote! {
        #item

        #cfgs
        #[doc = #doc]
        #[allow(non_camel_case_types, dead_code)]
        #vis enum #name {}

        #cfgs
        #allow
        impl #name {
            #recursion

            #device
        }

        #cfgs
        const _: () = <#name>::DEVICE_CODE_HAS_NO_RECURSION;

        #cfgs
        #implementation
    }
}

/// The function for the processor.
fn native(subject: &Subject) -> ItemFn {
    let arrays = subject.params.iter().filter_map(|(pat, ty)| match pat {
        Pat::Ident(p) => Some((p.ident.to_string(), kind(ty)?)),
        _ => None,
    });
    let block =
        native::body(&subject.item.block, arrays.collect::<Vec<(String, Kind)>>().into_iter());
    let mut item = subject.item.clone();
    *item.block = syn::parse_quote!(#block);
    item
}
