//! `f::call` and `f::try_call`, by which arrays are given to a function.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Generics, Type, Visibility};

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
        let arrays = quote!(<#result as ::lazuli::__private::Outputs>::Arrays);
        // Where tokens tell that all parameters are numbers, errors name the operand alone.
        let are_numbers = !self.types.iter().any(|ty| may_be_struct(ty, self.generics));
        let (bound, device, arguments) = if are_numbers {
            (
                quote!(::lazuli::Operand),
                quote!(::lazuli::__private::device_of),
                quote!([#(::lazuli::__private::operand::<#types>(#names, &lz_devices)?),*]),
            )
        } else {
            (
                quote!(::lazuli::__private::Argument),
                quote!(::lazuli::__private::device_of_argument),
                quote!({
                    let lz_device = lz_devices.into_iter().flatten().next();
                    let mut lz_list = ::std::vec::Vec::new();
                    #(::lazuli::__private::Argument::<#types>::append(#names, lz_device, &mut lz_list)?;)*
                    lz_list
                }),
            )
        };
        let parameters = quote!(#(#names: impl #bound<#types>),*);
        let body = (self.body)(arguments);
        quote! {
            #[doc = #about]
            #allow
            #vis fn call #generics (#parameters) -> #arrays #clause {
                ::lazuli::__private::or_panic(Self::try_call #turbofish (#(#names),*))
            }

            #[doc = #checked]
            #allow
            #vis fn try_call #generics (#parameters) -> ::lazuli::Result<#arrays> #clause {
                let lz_devices = [#(#device::<#types>(&#names)),*];
                #body
            }
        }
    }
}

/// Whether a type may be a struct, or another name of a type: what is neither a number's own name nor
/// a parameter.
pub fn may_be_struct(ty: &impl ToTokens, generics: &Generics) -> bool {
    const NUMBERS: [&str; 17] = [
        "bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f16",
        "bf16", "f32", "f64", "Complex", "Self",
    ];
    let Ok(Type::Path(path)) = syn::parse2::<Type>(ty.to_token_stream()) else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let is_parameter = generics.type_params().any(|param| path.path.is_ident(&param.ident));
    !is_parameter && !NUMBERS.iter().any(|number| last.ident == number)
}
