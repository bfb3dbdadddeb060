//! `#[vectorize]` and `#[device]`.

use crate::calls::{Calls, may_be_struct};
use crate::guvectorize::{in_parts, recording};
use crate::subject::{MOST, Subject, of_elements};
use crate::translate::refuse;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Generics, ItemFn, Pat, Result, Type, TypeParam, WherePredicate};

/// A helper function.
pub fn device(item: ItemFn) -> Result<TokenStream> {
    if crate::kernel::takes_arrays(&item) {
        return crate::kernel::device(item);
    }
    if crate::guvectorize::takes_views(&item) {
        return crate::guvectorize::device(item);
    }
    let subject = Subject::new(item)?;
    let doc = format!("The device code of the function `{}`.", subject.name());
    subject.expand(&doc, TokenStream::new())
}

/// A function of numbers that arrays can be given to.
pub fn vectorize(item: ItemFn) -> Result<TokenStream> {
    let subject = Subject::new(item)?;
    if subject.params.is_empty() {
        return refuse(&subject.item.sig, "a function for arrays takes at least one argument");
    }
    let Some(output) = &subject.output else {
        return refuse(
            &subject.item.sig,
            "a function for arrays gives a number or a tuple of them",
        );
    };
    if let Some(one_more) = subject.item.sig.inputs.iter().nth(MOST) {
        return refuse(one_more, format!("a function for arrays takes at most {MOST} arguments"));
    }
    for ty in subject.types() {
        element(ty, "give each component an argument of its own")?;
    }
    const FLAT: &str = "return a flat tuple, with a number for each component";
    match output {
        Type::Tuple(tuple) => tuple.elems.iter().try_for_each(|ty| element(ty, FLAT))?,
        other => element(other, FLAT)?,
    }
    for param in subject.item.sig.generics.type_params() {
        bounded(param, &subject.item.sig.generics)?;
    }
    let doc = format!(
        "The function `{0}` for arrays: [`{0}::call`](Self::call) and its checked twin.",
        subject.name()
    );
    // A struct is several arguments or results.
    let all = subject.types().into_iter().chain([output]);
    let parts = match all.into_iter().any(|ty| may_be_struct(ty, &subject.generics)) {
        true => None,
        false => in_parts(&subject.item, &subject.generics, &subject.params, output),
    };
    let extra = calls(&subject, parts.as_ref());
    subject.expand(&doc, extra)
}

/// Refuses what no array holds, as far as tokens tell it.
fn element(ty: &Type, way_out: &str) -> Result<()> {
    let Type::Path(path) = ty else {
        return match ty {
            Type::Array(_) | Type::Tuple(_) => {
                refuse(ty, format!("the elements of arrays are numbers; {way_out}"))
            }
            _ => Ok(()),
        };
    };
    let instead = match path.path.get_ident().map(ToString::to_string).as_deref() {
        Some("usize") => "u64",
        Some("isize") => "i64",
        Some("u128" | "i128") => "i64",
        Some("char") => "u8",
        _ => return Ok(()),
    };
    refuse(ty, format!("arrays have no elements of this type; write `{instead}`"))
}

/// Refuses a type parameter that nothing is said of.
fn bounded(param: &TypeParam, generics: &Generics) -> Result<()> {
    let is_param = |ty: &Type| matches!(ty, Type::Path(p) if p.path.is_ident(&param.ident));
    let in_clause =
        generics.where_clause.iter().flat_map(|clause| &clause.predicates).any(
            |predicate| matches!(predicate, WherePredicate::Type(p) if is_param(&p.bounded_ty)),
        );
    match param.bounds.is_empty() && !in_clause {
        true => {
            let name = &param.ident;
            let why = format!(
                "the elements of arrays are numbers: write `{name}: Float`, or `{name}: Element` \
                 with the traits of the operators that the function uses"
            );
            refuse(param, why)
        }
        false => Ok(()),
    }
}

/// `f::call` and `f::try_call`; `parts` is the body as it is recorded in parts.
fn calls(subject: &Subject, parts: Option<&TokenStream>) -> TokenStream {
    let elements = of_elements(&subject.generics);
    let (name, group, types, result) =
        (subject.name(), subject.group(), subject.types(), subject.result());
    let names: Vec<_> = subject
        .params
        .iter()
        .enumerate()
        .map(|(k, (pat, _))| match pat {
            Pat::Ident(p) => p.ident.clone(),
            _ => format_ident!("lz_a{k}"),
        })
        .collect();
    let turbofish = subject.turbofish();
    let about = format!(
        "Applies the function [`{name}`](fn@{name}) to arrays and scalars, element by element.\n\n\
         **Shape.** The arguments broadcast against each other. **Laziness.** Records; nothing is \
         computed.\n\n# Panics\nWhere the shapes do not broadcast or the arrays live on different \
         devices; `try_call` returns an error."
    );
    let checked = "[`call`](Self::call) for shapes that come from data.\n\n# Errors\nWhere the shapes do not \
         broadcast or the arrays live on different devices.";
    let record = match parts {
        Some(_) => quote!(::core::option::Option::Some(Self::lz_record #turbofish)),
        None => quote!(::core::option::Option::None),
    };
    let recording = parts.map(|parts| {
        let function = recording(&elements, parts);
        quote! {
            #[allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic)]
            #[allow(clippy::all, clippy::pedantic)]
            #[automatically_derived]
            impl #name {
                #function
            }
        }
    });
    let calls = Calls {
        vis: &subject.item.vis,
        generics: &elements,
        names: &names,
        types: &types,
        result: &result.to_token_stream(),
        docs: [&about, checked],
        body: &|arguments| quote!(::lazuli::__private::call::<#name, #group, #result>(#arguments, #record)),
    };
    let calls = calls.tokens();
    quote! {
        #[automatically_derived]
        impl #name {
            #calls
        }

        #recording
    }
}
