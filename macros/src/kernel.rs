//! `#[kernel]`: a function that every thread of a grid runs.
//!
//! The macro makes a constant of the function's name with a method `launch`. For the processor the
//! body stays as it is, but for what touches arrays that threads write: `out[i] = v` becomes a
//! call of `set`, which no race makes undefined. For a GPU the translator prints it, with the
//! [`Arrays`] dialect for what only kernels have.

mod arrays;
mod device;
mod native;

use crate::subject::{bounded, indented};
use crate::translate::{Dialect, Translator, refuse};
use arrays::{Arrays, Kind};
pub use device::{device, expand as expand_over_arrays, takes_arrays};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::rc::Rc;
use syn::visit::Visit;
use syn::{
    FnArg, GenericArgument, Generics, ItemFn, Lifetime, Pat, PathArguments, Result, ReturnType,
    Type, Visibility, parse_quote,
};

/// A parameter: its name, whether it is `mut`, and its type.
struct Parameter {
    pat: Pat,
    name: Ident,
    ty: Type,
}

/// Expands the attribute.
///
/// # Errors
/// At what a kernel cannot have.
pub fn kernel(item: ItemFn) -> Result<TokenStream> {
    check(&item)?;
    let params = parameters(&item)?;
    let generics = bounded(&item.sig.generics)?;
    let describe = describe(&item, &params, &generics)?;
    Ok(expand(&item, &params, &generics, &describe))
}

fn check(item: &ItemFn) -> Result<()> {
    let sig = &item.sig;
    let modifiers = [
        sig.asyncness.as_ref().map(|t| (quote!(#t), "a kernel cannot wait")),
        sig.constness.as_ref().map(|t| (quote!(#t), "a kernel runs when it is launched")),
        sig.unsafety.as_ref().map(|t| (quote!(#t), "a kernel is safe Rust")),
        sig.abi.as_ref().map(|t| (quote!(#t), "a kernel has no ABI of its own")),
    ];
    if let Some((at, why)) = modifiers.into_iter().flatten().next() {
        return refuse(&at, why);
    }
    match &sig.output {
        ReturnType::Default => Ok(()),
        ReturnType::Type(_, ty) if matches!(&**ty, Type::Tuple(t) if t.elems.is_empty()) => Ok(()),
        ReturnType::Type(_, ty) => {
            refuse(ty, "a kernel gives nothing back; write to a parameter of type `ArrayMut<T, N>`")
        }
    }
}

fn parameters(item: &ItemFn) -> Result<Vec<Parameter>> {
    let mut params = Vec::new();
    for input in &item.sig.inputs {
        let FnArg::Typed(typed) = input else {
            return refuse(input, "a kernel has no receiver; write a free function");
        };
        let Pat::Ident(ident) = &*typed.pat else {
            return refuse(&typed.pat, "a parameter of a kernel is a plain name");
        };
        if let Some(lifetime) = lifetime(&typed.ty) {
            return refuse(
                &lifetime,
                "a kernel's arrays live as long as its launch; leave the lifetime out",
            );
        }
        if let Some((at, why)) = refused_type(&typed.ty) {
            return refuse(&at, why);
        }
        let (name, ty) = (ident.ident.clone(), (*typed.ty).clone());
        params.push(Parameter { pat: (*typed.pat).clone(), name, ty });
    }
    if params.len() > 16 {
        return refuse(&item.sig.inputs, "a kernel has at most 16 parameters");
    }
    Ok(params)
}

/// Types that users will try.
fn refused_type(ty: &Type) -> Option<(TokenStream, &'static str)> {
    let why = match ty {
        Type::Reference(r) => match &*r.elem {
            Type::Slice(_) | Type::Array(_) => {
                "a kernel takes arrays as `Array<T, N>` (to read) and `ArrayMut<T, N>` (to write)"
            }
            _ => "a kernel takes values: numbers, `Array<T, N>` and `ArrayMut<T, N>`",
        },
        Type::ImplTrait(_) => "write a type parameter, `T: Float`, instead of `impl Trait`",
        Type::Path(p) => match p.path.segments.last()?.ident.to_string().as_str() {
            "DeviceArray" => {
                "in a kernel an array is an `Array<T, N>` (to read) or an `ArrayMut<T, N>` (to \
                 write); the launch takes `&DeviceArray` and `&mut DeviceArray` for them"
            }
            "Shared" => {
                "a kernel makes its shared memory: `let tile = shared::<[f32; 256]>();`; a \
                 `#[device]` function can take it as a `Shared<[f32; 256]>`"
            }
            "Vec" | "Box" | "Arc" | "Rc" => {
                "a kernel takes arrays as `Array<T, N>` (to read) and `ArrayMut<T, N>` (to write)"
            }
            _ => return None,
        },
        _ => return None,
    };
    Some((quote!(#ty), why))
}

/// A lifetime that a type names.
fn lifetime(ty: &Type) -> Option<Lifetime> {
    struct First(Option<Lifetime>);
    impl Visit<'_> for First {
        fn visit_lifetime(&mut self, lifetime: &Lifetime) {
            if lifetime.ident != "_" {
                self.0.get_or_insert_with(|| lifetime.clone());
            }
        }
    }
    let mut first = First(None);
    first.visit_type(ty);
    first.0
}

/// The kind of array that a type names.
fn kind(ty: &Type) -> Option<Kind> {
    let Type::Path(path) = ty else { return None };
    match path.path.segments.last()?.ident.to_string().as_str() {
        "Array" => Some(Kind::Read),
        "ArrayMut" => Some(Kind::Write),
        "Shared" => Some(Kind::Shared),
        _ => None,
    }
}

/// A parameter's type where no lifetime may be left out. Which one it is makes no difference to what
/// is given for the parameter.
fn with_lifetime(ty: &Type) -> Type {
    let mut ty = ty.clone();
    if kind(&ty).is_some()
        && let Type::Path(path) = &mut ty
        && let Some(last) = path.path.segments.last_mut()
        && let PathArguments::AngleBracketed(list) = &mut last.arguments
    {
        if let Some(GenericArgument::Lifetime(_)) = list.args.first() {
            list.args = list.args.iter().skip(1).cloned().collect();
        }
        list.args.insert(0, parse_quote!('static));
    }
    ty
}

/// The body of the function that gives the C++.
fn describe(item: &ItemFn, params: &[Parameter], generics: &Generics) -> Result<TokenStream> {
    let dialect = Rc::new(Arrays::default());
    let name = item.sig.ident.to_string();
    let mut t = Translator::new(&name, generics, dialect.clone() as Rc<dyn Dialect>);
    let mut unpack = String::from("LZ_DYNAMIC_SHARED(lz_dynamic_bytes);\n");
    for (k, param) in params.iter().enumerate() {
        let name = param.name.to_string();
        let cpp = t.bind(&name);
        unpack += &format!("auto {cpp} = lz.p{k};\n");
        if let Some(kind) = kind(&param.ty) {
            dialect.add(&cpp, kind);
        }
    }
    let body = t.body(&item.block, false)?;
    let template = indented(&(unpack + &body.before));
    let typed = params.iter().map(|p| {
        let (pat, ty) = (&p.pat, &p.ty);
        quote!(#pat: #ty)
    });
    let (probe, items) = (&body.probe, &t.items);
    let fill = t.slots.probe(quote!(|#(#typed),*| -> () #probe), &template, t.cost);
    Ok(quote! {
        #(#items)*
        #fill
    })
}

fn expand(
    item: &ItemFn,
    params: &[Parameter],
    generics: &Generics,
    describe: &TokenStream,
) -> TokenStream {
    let (vis, name) = (&item.vis, &item.sig.ident);
    let (cfgs, docs) = split(&item.attrs);
    let title = format!("The kernel `{name}`: [`launch`]({name}::launch) runs it.");
    let (launches, code) =
        (launches(vis, params, generics), code(item, params, generics, describe));
    quote! {
        #(#cfgs)*
        #(#docs)*
        #[doc = ""]
        #[doc = #title]
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #vis struct #name {
            options: ::lazuli::__private::LaunchOptions,
        }

        #(#cfgs)*
        #(#docs)*
        #[allow(non_upper_case_globals)]
        #vis const #name: #name =
            #name { options: ::lazuli::__private::LaunchOptions::DEFAULT };

        #(#cfgs)*
        #[automatically_derived]
        #[allow(dead_code)]
        impl #name {
            #launches

            /// With so many bytes of dynamic shared memory for each block.
            #vis fn dynamic_shared(mut self, lz_bytes: usize) -> Self {
                self.options.shared = lz_bytes;
                self
            }

            #code
        }
    }
}

/// The methods that launch a kernel.
fn launches(vis: &Visibility, params: &[Parameter], generics: &Generics) -> TokenStream {
    let (with_generics, arguments, clause) = generics.split_for_impl();
    let turbofish = arguments.as_turbofish();
    let types: Vec<&Type> = params.iter().map(|p| &p.ty).collect();
    let whole: Vec<Type> = params.iter().map(|p| with_lifetime(&p.ty)).collect();
    let numbered: Vec<Ident> = (0..params.len()).map(|k| format_ident!("lz_a{k}")).collect();
    let (about, about_with, about_unchecked) = (launch_docs(params), with_docs(), unchecked_docs());
    let call = quote! {
        ::<(#(#types,)*)>(
            Self::lz_info(),
            self.options,
            lz_grid.into(),
            lz_block.into(),
            lz_args,
            |lz_own, (#(#numbered,)*)| Self::lz_body #turbofish (lz_own, #(#numbered),*),
            Self::lz_describe #turbofish,
        )
    };
    quote! {
        #[doc = #about]
        #[track_caller]
        #[allow(clippy::all, clippy::pedantic)]
        #vis fn launch #with_generics (
            self,
            lz_grid: impl ::core::convert::Into<::lazuli::gpu::Dim3>,
            lz_block: impl ::core::convert::Into<::lazuli::gpu::Dim3>,
            lz_args: (#(<#types as ::lazuli::gpu::Param>::Arg<'_>,)*),
        ) -> ::lazuli::Result<()> #clause {
            ::lazuli::__private::launch #call
        }

        #[doc = #about_with]
        #[track_caller]
        #[allow(clippy::all, clippy::pedantic)]
        #vis fn launch_with #with_generics (
            self,
            lz_grid: impl ::core::convert::Into<::lazuli::gpu::Dim3>,
            lz_block: impl ::core::convert::Into<::lazuli::gpu::Dim3>,
            lz_args: impl ::lazuli::gpu::Arguments<(#(#whole,)*)>,
        ) -> ::lazuli::Result<()> #clause {
            ::lazuli::__private::with_hosts::<(#(#whole,)*), _>(
                lz_args,
                |lz_args| self.launch #turbofish (lz_grid, lz_block, lz_args),
            )
        }

        #[doc = #about_unchecked]
        #[track_caller]
        #[allow(clippy::all, clippy::pedantic)]
        #vis unsafe fn launch_unchecked #with_generics (
            self,
            lz_grid: impl ::core::convert::Into<::lazuli::gpu::Dim3>,
            lz_block: impl ::core::convert::Into<::lazuli::gpu::Dim3>,
            lz_args: (#(<#types as ::lazuli::gpu::Param>::Arg<'_>,)*),
        ) -> ::lazuli::Result<()> #clause {
            // SAFETY: the caller vouches for the indices.
            unsafe { ::lazuli::__private::launch_unchecked #call }
        }
    }
}

/// What a kernel is called, its body for the processor and its C++.
fn code(
    item: &ItemFn,
    params: &[Parameter],
    generics: &Generics,
    describe: &TokenStream,
) -> TokenStream {
    let name = &item.sig.ident;
    let (with_generics, _, clause) = generics.split_for_impl();
    let types = params.iter().map(|p| &p.ty);
    let texts = params.iter().map(|p| p.name.to_string().trim_start_matches("r#").to_string());
    let pats = params.iter().map(|p| &p.pat);
    let native = native::body(
        &item.block,
        params.iter().filter_map(|p| Some((p.name.to_string(), kind(&p.ty)?))),
    );
    let block = native::block();
    quote! {
        fn lz_info() -> &'static ::lazuli::__private::KernelInfo {
            static LZ_INFO: ::lazuli::__private::KernelInfo = ::lazuli::__private::KernelInfo {
                name: ::core::stringify!(#name),
                params: &[#(#texts),*],
            };
            &LZ_INFO
        }

        // Apart from `launch`, so that no name of that hides one that the body means.
        #[inline(always)]
        #[allow(unused_mut, unused_braces, unused_parens, unstable_name_collisions)]
        #[allow(clippy::all, clippy::pedantic)]
        fn lz_body #with_generics (
            #[allow(unused_variables)] #block: ::lazuli::__private::Block<'_>,
            #(#pats: #types),*
        ) #clause #native

        #[allow(warnings, clippy::all, clippy::pedantic)]
        fn lz_describe #with_generics (lz_to: &mut ::lazuli::__private::Describe) #clause {
            #describe
        }
    }
}

/// The attributes that decide whether the item is there, and its documentation.
fn split(attributes: &[syn::Attribute]) -> (Vec<&syn::Attribute>, Vec<&syn::Attribute>) {
    let with = |name: &'static str| move |a: &&syn::Attribute| a.path().is_ident(name);
    let cfgs = attributes.iter().filter(with("cfg")).collect();
    (cfgs, attributes.iter().filter(with("doc")).collect())
}

fn launch_docs(params: &[Parameter]) -> String {
    let part = |p: &Parameter| {
        let how = match kind(&p.ty) {
            Some(Kind::Read) => ": `&DeviceArray`",
            Some(_) => ": `&mut DeviceArray`",
            None => "",
        };
        format!("`{}`{how}", p.name)
    };
    let list = params.iter().map(part).collect::<Vec<_>>().join(", ");
    format!(
        "Runs the kernel once for each thread of `grid` blocks of `block` threads, each given as \
         one number, a pair or a triple.\n\nThe arguments, as a tuple: {list}.\n\n**Laziness.** \
         Arrays that are given are evaluated first. On a GPU the work is started and not waited \
         for; on the processor it is done when this returns. A written array whose data others see \
         gets its own first.\n\n# Errors\nWhere the grid or the block has an impossible size, an \
         array has another number of axes or is on another device; where an index is out of range; \
         on the processor, where a thread panics or waits for others that never come; and as \
         [`lazuli::eval`](::lazuli::eval). On a GPU an index that is out of range reads zeros or \
         writes nowhere, and is the error of the next call that waits for the device."
    )
}

fn with_docs() -> String {
    "As `launch`, with arrays of the host among the arguments: [`In`](::lazuli::gpu::In) is copied \
     to the current device before the kernel runs, [`Out`](::lazuli::gpu::Out) from there once it \
     is done, [`InOut`](::lazuli::gpu::InOut) both ways.\n\n**Laziness.** Waits for the kernel \
     where something is copied back.\n\n# Errors\nAs `launch`, and as \
     [`lazuli::to_device`](::lazuli::to_device). What is to be copied back stays as it was."
        .into()
}

fn unchecked_docs() -> String {
    "As `launch`, without the checks of indices on a GPU.\n\n# Safety\nEvery index of every thread \
     is inside its array: what is not reads and writes the device's memory wherever it falls.\n\n\
     # Errors\nAs `launch`."
        .into()
}
