//! `#[device]` functions that take the arrays of a gufunc: ndarray's views and slices.
//!
//! For the processor such a function stays as it is. In C++ it is a template over its arrays, as the
//! functions over arrays of kernels are, since rows of arrays and arrays are of different types there.

use super::params::{Holder, held};
use super::sums::written_out;
use super::views::Views;
use crate::kernel::expand_over_arrays;
use crate::subject::{Subject, indented};
use crate::translate::{Code, Dialect, Translator, refuse};
use proc_macro2::TokenStream;
use quote::quote;
use std::rc::Rc;
use syn::{
    FnArg, GenericArgument, ItemFn, Pat, PathArguments, Result, ReturnType, Type, parse_quote,
};

/// The element type of an array, the number of its axes and whether it is written.
fn view(ty: &Type) -> Option<(Type, usize, bool)> {
    match held(ty)? {
        (Holder::Slice | Holder::View, element, rank, written) => Some((element, rank, written)),
        _ => None,
    }
}

/// Whether a function takes arrays of a gufunc.
pub fn takes_views(item: &ItemFn) -> bool {
    item.sig.inputs.iter().any(|input| match input {
        FnArg::Typed(typed) => view(&typed.ty).is_some(),
        FnArg::Receiver(_) => false,
    })
}

/// Expands the attribute.
///
/// # Errors
/// At what is outside of the language of device code.
pub fn device(item: ItemFn) -> Result<TokenStream> {
    if let ReturnType::Type(_, ty) = &item.sig.output
        && view(ty).is_some()
    {
        return refuse(ty, "a device function gives numbers back; take the array as an argument");
    }
    let subject = Subject::with_arrays(item, |ty| view(ty).is_some())?;
    let dialect = Rc::new(Views::default());
    let name = subject.name().to_string();
    let mut t = Translator::new(&name, &subject.generics, dialect.clone() as Rc<dyn Dialect>);
    let (template, body) = translate(&subject, &dialect, &mut t)?;
    let whole: Vec<Type> = subject.types().iter().map(|ty| with_lifetime(ty)).collect();
    Ok(expand_over_arrays(&subject, &t, (&template, &body), &subject.item, &whole))
}

/// The C++ template of the function and its body.
fn translate(subject: &Subject, dialect: &Views, t: &mut Translator) -> Result<(String, Code)> {
    let output = match &subject.output {
        Some(ty) => t.slots.ty(quote!(#ty)),
        None => "void".into(),
    };
    let (mut classes, mut list, mut unpack) = (Vec::new(), Vec::new(), String::new());
    let mut elements = Vec::new();
    for (pat, ty) in &subject.params {
        match (view(ty), pat) {
            (Some((element, rank, written)), Pat::Ident(p)) => {
                let cpp = t.bind(&p.ident.to_string());
                dialect.add(&cpp, rank, written);
                let class = t.fresh("lz_class");
                list.push(format!("{class} {cpp}"));
                classes.push(format!("class {class}"));
                elements.push((p.ident.clone(), element, rank));
            }
            (Some(_), other) => {
                return refuse(other, "an array is a parameter with a plain name");
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
    let mut block = (*subject.item.block).clone();
    written_out(&mut block, &elements);
    let body = t.body(&block, subject.output.is_some())?;
    let lines = indented(&(unpack + &body.before));
    let (classes, list) = (classes.join(", "), list.join(", "));
    // `@` stands for the name that the instance gets.
    Ok((format!("template <{classes}>\nLZ_FN {output} @({list}) {{\n{lines}}}\n"), body))
}

/// A parameter's type where no lifetime may be left out.
fn with_lifetime(ty: &Type) -> Type {
    let mut ty = ty.clone();
    match &mut ty {
        Type::Reference(reference) => reference.lifetime = Some(parse_quote!('static)),
        Type::Path(path) if view(&Type::Path(path.clone())).is_some() => {
            if let Some(last) = path.path.segments.last_mut()
                && let PathArguments::AngleBracketed(list) = &mut last.arguments
            {
                if let Some(GenericArgument::Lifetime(_)) = list.args.first() {
                    list.args = list.args.iter().skip(1).cloned().collect();
                }
                list.args.insert(0, parse_quote!('static));
            }
        }
        _ => {}
    }
    ty
}
