//! `#[reduce]`.

use crate::subject::{Subject, of_elements};
use crate::translate::refuse;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
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
        "The function `{0}` as a reduction of arrays of `{text}`, [`{0}::reduce`](Self::reduce), \
         and as a scan of them, [`{0}::scan`](Self::scan).",
        subject.name()
    );
    subject.expand(&doc, extra)
}

fn methods(subject: &Subject, state: &syn::Type, identity: &Expr) -> TokenStream {
    let name = subject.name();
    let reduced = "**Shape.** The axes disappear; under `keep` they stay with length 1.";
    let walked = "The axis is one, or `..` for all elements in C order.\n\n**Shape.** That of the \
                  arrays together; one axis for `..`.";
    let about = [
        format!("Reduces arrays with the function [`{name}`](fn@{name}).\n\n{TUPLES}{reduced}"),
        format!(
            "Combines the elements of arrays up to each one, along an axis, with the function \
             [`{name}`](fn@{name}).\n\n{TUPLES}{walked}"
        ),
        format!(
            "Combines the elements of arrays up to each one, or before it, or from it on, with the \
             function [`{name}`](fn@{name}).\n\nElements are combined in the order in which the \
             axis is walked: in reverse, the last one is on the left of all. {TUPLES}{walked}"
        ),
    ];
    let methods = [
        method(subject, state, identity, &about[0], &REDUCE),
        method(subject, state, identity, &about[1], &SCAN),
        method(subject, state, identity, &about[2], &SCAN_WITH),
    ];
    quote! {
        #[automatically_derived]
        impl #name { #(#methods)* }
    }
}

const TUPLES: &str = "A state that is a tuple takes a tuple of arrays, which broadcast against \
                      each other, and gives one. ";

/// A method that records, and what it hands on.
struct Method {
    /// Its name, and that of the function that records.
    name: &'static str,
    record: &'static str,
    /// The name of the argument that says which axes.
    axes: &'static str,
    /// How it scans: as an argument says, or plainly.
    how: How,
}

enum How {
    /// Not at all: it reduces.
    Reduce,
    Plain,
    Given,
}

const REDUCE: Method =
    Method { name: "reduce", record: "reduce", axes: "lz_axes", how: How::Reduce };
const SCAN: Method = Method { name: "scan", record: "scan", axes: "lz_axis", how: How::Plain };
const SCAN_WITH: Method =
    Method { name: "scan_with", record: "scan", axes: "lz_axis", how: How::Given };

/// The method, and its twin that returns an error.
fn method(
    subject: &Subject,
    state: &syn::Type,
    identity: &Expr,
    about: &str,
    method: &Method,
) -> TokenStream {
    let elements = of_elements(&subject.generics);
    let (generics, _, clause) = elements.split_for_impl();
    let (name, group, vis) = (subject.name(), subject.group(), &subject.item.vis);
    let turbofish = subject.turbofish();
    let [own, record, axes] =
        [method.name, method.record, method.axes].map(|n| format_ident!("{n}"));
    let checked = format_ident!("try_{own}");
    let (parameter, argument, how) = match method.how {
        How::Reduce => (quote!(), quote!(), quote!()),
        How::Plain => (quote!(), quote!(), quote!(::lazuli::Scan::new(),)),
        How::Given => (quote!(lz_how: ::lazuli::Scan,), quote!(, lz_how), quote!(lz_how,)),
    };
    let about = format!(
        "{about} **Dtype.** The state's. **Laziness.** Records; nothing is computed.\n\n# Panics\n\
         Where an axis does not exist or the arrays do not go together; `{checked}` returns an error."
    );
    let about_checked = format!(
        "[`{own}`](Self::{own}) for axes and shapes that come from data.\n\n# Errors\n\
         Where an axis does not exist or the arrays do not go together."
    );
    quote! {
        #[doc = #about]
        #[track_caller]
        #[allow(dead_code, private_bounds, private_interfaces, clippy::multiple_bound_locations)]
        #vis fn #own #generics (
            lz_arrays: impl ::lazuli::__private::States<#state>,
            #axes: impl ::lazuli::Axes,
            #parameter
        ) -> <#state as ::lazuli::__private::Outputs>::Arrays #clause {
            ::lazuli::__private::or_panic(Self::#checked #turbofish (lz_arrays, #axes #argument))
        }

        #[doc = #about_checked]
        #[track_caller]
        #[allow(dead_code, private_bounds, private_interfaces, clippy::multiple_bound_locations)]
        #vis fn #checked #generics (
            lz_arrays: impl ::lazuli::__private::States<#state>,
            #axes: impl ::lazuli::Axes,
            #parameter
        ) -> ::lazuli::Result<<#state as ::lazuli::__private::Outputs>::Arrays> #clause {
            let lz_identity: #state = #identity;
            ::lazuli::__private::#record::<#name, #group, #state>(lz_arrays, #axes, #how lz_identity)
        }
    }
}
