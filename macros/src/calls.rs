//! `f::call` and `f::try_call`, by which arrays are given to a function.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Generics, Visibility};

/// What the two functions are made of.
pub struct Calls<'a, T> {
    pub vis: &'a Visibility,
    pub generics: &'a Generics,
    /// The arguments, and the types of their elements.
    pub names: &'a [Ident],
    pub types: &'a [T],
    /// The type of the function's results.
    pub result: &'a TokenStream,
    /// The documentation of the one that panics, and of the other.
    pub docs: [&'a str; 2],
    /// What the checked one does with its `arguments`.
    pub body: &'a dyn Fn(TokenStream) -> TokenStream,
}

impl<T: ToTokens> Calls<'_, T> {
    /// The two functions, as items of an `impl`.
    pub fn tokens(&self) -> TokenStream {
        let Calls { vis, names, types, result, docs: [about, checked], .. } = self;
        let (generics, arguments, clause) = self.generics.split_for_impl();
        let turbofish = arguments.as_turbofish();
        let allow = quote! {
            #[track_caller]
            #[allow(dead_code, private_bounds, private_interfaces, clippy::multiple_bound_locations)]
        };
        let parameters = quote!(#(#names: impl ::lazuli::Operand<#types>),*);
        let arrays = quote!(<#result as ::lazuli::__private::Outputs>::Arrays);
        let body = (self.body)(quote!([#(::lazuli::__private::operand::<#types>(#names)),*]));
        quote! {
            #[doc = #about]
            #allow
            #vis fn call #generics (#parameters) -> #arrays #clause {
                ::lazuli::__private::or_panic(Self::try_call #turbofish (#(#names),*))
            }

            #[doc = #checked]
            #allow
            #vis fn try_call #generics (#parameters) -> ::lazuli::Result<#arrays> #clause {
                #body
            }
        }
    }
}
