//! `#[derive(Columns)]`: a struct of numbers as a value of device code, and the struct of its columns.

use crate::subject::MOST;
use crate::translate::refuse;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, Ident, Result, Type, Visibility};

/// A field of the struct.
struct Field {
    vis: Visibility,
    name: Ident,
    ty: Type,
}

/// What the derive writes.
///
/// # Errors
/// Where the item is no struct of two to twelve named fields, or has parameters.
pub fn columns(item: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(item)?;
    let (name, vis) = (&item.ident, &item.vis);
    let columns = format_ident!("{name}Columns");
    let names: Vec<&Ident> = fields.iter().map(|field| &field.name).collect();
    let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
    let visible = fields.iter().map(|field| &field.vis);
    let about = format!("Arrays of [`{name}`]s: a column for each field.");
    let docs = names.iter().map(|name| format!("The field `{name}` of each."));
    let methods = methods(name, &columns, vis, &names);
    let value = value(name, &columns, &names, &types);
    let results = results(name, &columns, &names);
    let arguments = arguments(name, &columns, &names);
    Ok(quote! {
        #[doc = #about]
        #[derive(Clone)]
        #[allow(dead_code)]
        #[must_use = "operations only record; `eval` and `to_rows` compute"]
        #vis struct #columns {
            #(
                #[doc = #docs]
                #visible #names: ::lazuli::DeviceArray<#types>,
            )*
        }

        #methods

        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        const _: () = {
            use ::lazuli::__private as lz;
            #value
            #results
            #arguments
        };
    })
}

fn fields(item: &DeriveInput) -> Result<Vec<Field>> {
    let Data::Struct(data) = &item.data else {
        return refuse(&item.ident, "columns are the fields of a struct");
    };
    let Fields::Named(named) = &data.fields else {
        return refuse(&item.ident, "columns have the names of fields: name them");
    };
    if !item.generics.params.is_empty() {
        return refuse(
            &item.generics,
            "a struct with columns has no parameters: write the types of its fields",
        );
    }
    let field = |field: &syn::Field| Field {
        vis: field.vis.clone(),
        name: field.ident.clone().expect("a named field"),
        ty: field.ty.clone(),
    };
    let fields: Vec<Field> = named.named.iter().map(field).collect();
    match fields.len() {
        2..=MOST => Ok(fields),
        len => refuse(
            &item.ident,
            format!("a struct with columns has 2 to {MOST} fields, and this one {len}"),
        ),
    }
}

/// The methods of the struct of columns.
fn methods(name: &Ident, columns: &Ident, vis: &Visibility, names: &[&Ident]) -> TokenStream {
    let title = columns.to_string();
    quote! {
        #[automatically_derived]
        #[allow(dead_code)]
        impl #columns {
            /// The columns of these structs, of shape `[rows.len()]`, copied to the current device.
            ///
            /// # Errors
            /// Where the device has no memory for them.
            #[track_caller]
            #vis fn from_rows(rows: &[#name]) -> ::lazuli::Result<Self> {
                ::core::result::Result::Ok(Self {
                    #(#names: ::lazuli::__private::column(rows.iter().map(|row| row.#names).collect())?,)*
                })
            }

            /// The structs, in C order, after one evaluation of all columns.
            ///
            /// # Errors
            /// Where the columns have different shapes, and as `copy_to_host`.
            #[track_caller]
            #vis fn to_rows(&self) -> ::lazuli::Result<::std::vec::Vec<#name>> {
                ::lazuli::__private::evaluated(#title, &[
                    #((::core::stringify!(#names), &self.#names as &dyn ::lazuli::AnyArray),)*
                ])?;
                #(let mut #names = self.#names.to_vec()?.into_iter();)*
                let mut rows = ::std::vec::Vec::new();
                while let (#(::core::option::Option::Some(#names),)*) = (#(#names.next(),)*) {
                    rows.push(#name { #(#names),* });
                }
                ::core::result::Result::Ok(rows)
            }

            /// Computes all columns, in as few kernels as the planner finds.
            ///
            /// # Errors
            /// As [`lazuli::eval`](::lazuli::eval()).
            #[track_caller]
            #vis fn eval(&self) -> ::lazuli::Result<()> {
                ::lazuli::eval(&[#(&self.#names as &dyn ::lazuli::AnyArray),*])
            }
        }
    }
}

/// The traits of the struct as a value of device code, each by way of the tuple of the fields.
fn value(name: &Ident, columns: &Ident, names: &[&Ident], types: &[&Type]) -> TokenStream {
    quote! {
        type Tuple = (#(#types,)*);

        #[automatically_derived]
        impl lz::Fields for #name {
            type Tuple = Tuple;
            const NAMES: &'static [&'static str] = &[#(::core::stringify!(#names)),*];
            #[inline(always)]
            fn into_tuple(self) -> Tuple {
                (#(self.#names,)*)
            }
            #[inline(always)]
            fn from_tuple((#(#names,)*): Tuple) -> Self {
                Self { #(#names),* }
            }
        }

        #[automatically_derived]
        impl lz::Named for #name {
            fn field(name: &str) -> ::std::string::String {
                lz::member::<Self>(name)
            }
        }

        #[automatically_derived]
        impl ::lazuli::device::Columns for #name {
            type Arrays = #columns;
        }

        #[automatically_derived]
        impl ::lazuli::device::DeviceType for #name {
            fn type_name() -> ::std::string::String {
                <Tuple as ::lazuli::device::DeviceType>::type_name()
            }
            fn literal(&self) -> ::std::string::String {
                ::lazuli::device::DeviceType::literal(&lz::Fields::into_tuple(*self))
            }
        }

        #[automatically_derived]
        impl lz::lanes::Laned for #name {
            type Store = <Tuple as lz::lanes::Laned>::Store;
            #[inline(always)]
            fn zeros() -> Self::Store {
                <Tuple as lz::lanes::Laned>::zeros()
            }
            #[inline(always)]
            fn lane(store: &Self::Store, k: usize) -> Self {
                <Self as lz::Fields>::from_tuple(<Tuple as lz::lanes::Laned>::lane(store, k))
            }
            #[inline(always)]
            fn set_lane(self, store: &mut Self::Store, k: usize) {
                lz::lanes::Laned::set_lane(lz::Fields::into_tuple(self), store, k);
            }
        }

        #[automatically_derived]
        impl lz::Pack for #name {
            type Lanes = <Tuple as lz::Pack>::Lanes;
            type Raw = Tuple;
            #[inline(always)]
            fn into_raw(self) -> Tuple {
                lz::Fields::into_tuple(self)
            }
            #[inline(always)]
            fn from_raw(raw: Tuple) -> Self {
                <Self as lz::Fields>::from_tuple(raw)
            }
        }
    }
}

/// The traits by which functions on arrays, loops and compiled functions give columns.
fn results(name: &Ident, columns: &Ident, names: &[&Ident]) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl lz::Outputs for #name {
            type Arrays = #columns;
            #[track_caller]
            fn arrays(mut nodes: lz::Nodes) -> #columns {
                #columns { #(#names: nodes.take(),)* }
            }
        }

        #[automatically_derived]
        impl lz::Nested for #columns {
            fn flatten(&self, into: &mut lz::Flat) {
                #(lz::Nested::flatten(&self.#names, into);)*
            }
            fn build(from: &mut lz::Reader) -> Self {
                #columns { #(#names: lz::Nested::build(from),)* }
            }
        }

        #[automatically_derived]
        impl ::lazuli::Arrays for #columns {}
    }
}

/// The traits by which functions on arrays take columns, and one struct for all elements.
fn arguments(name: &Ident, columns: &Ident, names: &[&Ident]) -> TokenStream {
    let argument = |taken: TokenStream, field: &dyn Fn(&Ident) -> TokenStream| {
        let values: Vec<TokenStream> = names.iter().map(|name| field(name)).collect();
        quote! {
            #[automatically_derived]
            impl lz::Argument<#name> for #taken {
                fn device_of(&self) -> ::core::option::Option<::lazuli::Device> {
                    ::core::option::Option::None #(.or(lz::Argument::device_of(&#values)))*
                }
                #[track_caller]
                fn append(
                    self,
                    on: ::core::option::Option<::lazuli::Device>,
                    list: &mut ::std::vec::Vec<lz::Wrapped>,
                ) -> ::lazuli::Result<()> {
                    #(lz::Argument::append(#values, on, list)?;)*
                    ::core::result::Result::Ok(())
                }
            }

            #[automatically_derived]
            impl lz::States<#name> for #taken {
                fn collect(self, args: &mut lz::Arguments) -> ::lazuli::Result<()> {
                    let on = lz::Argument::<#name>::device_of(&self);
                    #(args.add(#values, on)?;)*
                    ::core::result::Result::Ok(())
                }
            }
        }
    };
    let borrowed = argument(quote!(&#columns), &|field| quote!((&self.#field)));
    let owned = argument(quote!(#columns), &|field| quote!((&self.#field)));
    let single = argument(quote!(#name), &|field| quote!((self.#field)));
    quote!(#borrowed #owned #single)
}
