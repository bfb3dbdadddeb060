//! `#[reduce]`.

use crate::subject::Subject;
use crate::translate::refuse;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, ItemFn, Result, Token};

/// `identity = expression`.
pub struct Arguments {
    identity: Expr,
}

impl Parse for Arguments {
    fn parse(input: ParseStream) -> Result<Self> {
        const WANTED: &str = "write what the reduction begins with: `#[reduce(identity = 0.0)]`";
        let name: Ident = input.parse().map_err(|error| syn::Error::new(error.span(), WANTED))?;
        if name != "identity" {
            return Err(syn::Error::new(name.span(), WANTED));
        }
        input.parse::<Token![=]>()?;
        let identity = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        if !input.is_empty() {
            return Err(input.error(WANTED));
        }
        Ok(Arguments { identity })
    }
}

/// An associative function of two values, as a reduction.
pub fn reduce(arguments: Arguments, item: ItemFn) -> Result<TokenStream> {
    let subject = Subject::new(item)?;
    let (state, text) = match (&subject.params[..], &subject.output) {
        ([(_, a), (_, b)], Some(state)) => {
            let text = |ty: &syn::Type| ty.to_token_stream().to_string();
            if text(a) != text(state) || text(b) != text(state) {
                let why = "both arguments and the result must be of one type";
                return refuse(&subject.item.sig, why);
            }
            (state, text(state))
        }
        _ => {
            return refuse(
                &subject.item.sig,
                "a reduction combines two values: `fn r(a: T, b: T) -> T`",
            );
        }
    };
    let extra = methods(&subject, state, &arguments.identity);
    let doc = format!(
        "The function `{0}` as a reduction of arrays of `{text}`: [`{0}::reduce`](Self::reduce).",
        subject.name()
    );
    subject.expand(&doc, extra)
}

fn methods(subject: &Subject, state: &syn::Type, identity: &Expr) -> TokenStream {
    let (generics, _, clause) = subject.generics.split_for_impl();
    let (name, group, vis) = (subject.name(), subject.group(), &subject.item.vis);
    let turbofish = subject.turbofish();
    let about = format!(
        "Reduces arrays with the function [`{name}`](fn@{name}).\n\n\
         A state that is a tuple takes a tuple of arrays, which broadcast against each other, and \
         gives one.\n\n**Shape.** The axes disappear; under `keep` they stay with length 1. \
         **Laziness.** Records; nothing is computed.\n\n# Panics\nWhere an axis does not exist or \
         the arrays do not go together; `try_reduce` returns an error."
    );
    let checked = "[`reduce`](Self::reduce) for axes and shapes that come from data.\n\n# Errors\n\
                   Where an axis does not exist or the arrays do not go together.";
    quote! {
        #[automatically_derived]
        impl #name {
            #[doc = #about]
            #[track_caller]
            #[allow(dead_code, private_bounds, private_interfaces, clippy::multiple_bound_locations)]
            #vis fn reduce #generics (
                arrays: impl ::lazuli::__private::States<#state>,
                axes: impl ::lazuli::Axes,
            ) -> <#state as ::lazuli::__private::Outputs>::Arrays #clause {
                ::lazuli::__private::or_panic(Self::try_reduce #turbofish (arrays, axes))
            }

            #[doc = #checked]
            #[track_caller]
            #[allow(dead_code, private_bounds, private_interfaces, clippy::multiple_bound_locations)]
            #vis fn try_reduce #generics (
                arrays: impl ::lazuli::__private::States<#state>,
                axes: impl ::lazuli::Axes,
            ) -> ::lazuli::Result<<#state as ::lazuli::__private::Outputs>::Arrays> #clause {
                let identity: #state = #identity;
                ::lazuli::__private::reduce::<#name, #group, #state>(arrays, axes, identity)
            }
        }
    }
}
