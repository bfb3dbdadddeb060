//! The attribute macros of Lazuli; the crate `lazuli` re-exports and documents them.

mod calls;
mod columns;
mod formulas;
mod guvectorize;
mod kernel;
mod lanes;
mod reduce;
#[cfg(test)]
mod refusal_tests;
mod subject;
mod translate;
mod vectorize;

use proc_macro::TokenStream;
use syn::{ItemFn, parse_macro_input};

fn finish(tokens: syn::Result<proc_macro2::TokenStream>, item: &ItemFn) -> TokenStream {
    // The item stays, so that its callers do not fail as well.
    tokens
        .unwrap_or_else(|error| {
            let error = error.to_compile_error();
            quote::quote!(#error #item)
        })
        .into()
}

fn without_arguments(name: &str, arguments: TokenStream) -> syn::Result<()> {
    let arguments = proc_macro2::TokenStream::from(arguments);
    if arguments.is_empty() {
        return Ok(());
    }
    translate::refuse(&arguments, format!("`#[{name}]` takes no arguments"))
}

/// A helper function for device code.
#[proc_macro_attribute]
pub fn device(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = formulas::spelled_out(parse_macro_input!(item as ItemFn));
    let tokens =
        without_arguments("device", arguments).and_then(|()| vectorize::device(item.clone()));
    finish(tokens, &item)
}

/// A scalar function that arrays can be given to.
#[proc_macro_attribute]
pub fn vectorize(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = formulas::spelled_out(parse_macro_input!(item as ItemFn));
    let tokens =
        without_arguments("vectorize", arguments).and_then(|()| vectorize::vectorize(item.clone()));
    finish(tokens, &item)
}

/// A function of small arrays that larger ones can be given to.
#[proc_macro_attribute]
pub fn guvectorize(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = formulas::spelled_out(parse_macro_input!(item as ItemFn));
    let tokens = syn::parse::<syn::LitStr>(arguments)
        .map_err(|error| {
            let why = "write the core axes of arguments and results: \
                       `#[guvectorize(\"(n,m),(m,p)->(n,p)\")]`";
            syn::Error::new(error.span(), why)
        })
        .and_then(|signature| guvectorize::guvectorize(&signature, item.clone()));
    finish(tokens, &item)
}

/// An associative function of two values that reduces arrays.
#[proc_macro_attribute]
pub fn reduce(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = formulas::spelled_out(parse_macro_input!(item as ItemFn));
    let tokens =
        syn::parse(arguments).and_then(|arguments| reduce::reduce(arguments, item.clone()));
    finish(tokens, &item)
}

/// A function that every thread of a grid runs, in the CUDA model.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = formulas::spelled_out(parse_macro_input!(item as ItemFn));
    let tokens = without_arguments("kernel", arguments).and_then(|()| kernel::kernel(item.clone()));
    // The body is no plain Rust, so that it would add errors of its own.
    let mut stub = item;
    stub.block = syn::parse_quote!({ ::core::unreachable!() });
    finish(tokens, &stub)
}

/// A struct of numbers, and the struct of its columns.
#[proc_macro_derive(Columns)]
pub fn columns(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as syn::DeriveInput);
    columns::columns(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// The functions that are made of others, handed to a macro: for the crate `lazuli` and its tests.
#[doc(hidden)]
#[proc_macro]
pub fn formulas(consumer: TokenStream) -> TokenStream {
    formulas::expand(&consumer.into()).unwrap_or_else(|error| error.to_compile_error()).into()
}
