//! `#[guvectorize]`.

mod device;
mod expressions;
mod forms;
mod gather;
mod lower;
mod params;
mod parts;
mod scopes;
mod signature;
mod spread;
mod sums;
mod updates;
mod values;
mod views;
mod why;

pub use device::{device, takes_views};

use crate::calls::Calls;
use crate::subject::{bounded, check_item, indented, kept, no_recursion, of_elements};
use crate::translate::{Dialect, Translator};
use params::{Holder, Param, Params};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use signature::Signature;
use std::rc::Rc;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Generics, ItemFn, LitStr, Result, UnOp};

/// Expands the attribute.
///
/// # Errors
/// At what is outside of the subset, and where the function and the signature do not go together.
pub fn guvectorize(literal: &LitStr, item: ItemFn) -> Result<TokenStream> {
    let signature = Signature::parse(literal)?;
    check_item(&item)?;
    let params = Params::new(&item, &signature)?;
    let generics = of_elements(&bounded(&item.sig.generics)?);
    let mut block = (*item.block).clone();
    Scalars(&params).visit_block_mut(&mut block);
    let arrays = params.all().filter(|p| matches!(p.holder, Holder::Slice | Holder::View));
    let arrays = arrays.map(|p| (p.name.clone(), p.element.clone(), p.core.len()));
    sums::written_out(&mut block, &arrays.collect::<Vec<_>>());
    let name = item.sig.ident.to_string();
    let recorded = lower::lower(&name, &generics, &params, &block);
    let (recorded, each) = match (recorded, forms::has_arrays(&block)) {
        (Ok(recorded), true) => (recorded, None),
        (Err(why), true) => return Err(why),
        (recorded, false) => {
            let unprovable = quote! {
                ::core::result::Result::Err(::lazuli::__private::gufunc::Refusal::Unprovable)
            };
            (recorded.unwrap_or(unprovable), Some(each(&name, &generics, &params, &block)?))
        }
    };
    Ok(expand(&item, &signature, &params, &generics, &recorded, each.as_ref()))
}

/// The body of a function of numbers as it is recorded in parts; `None` where its form is not one
/// of `let`s and a value, or where there is nothing to take apart.
pub fn in_parts(
    item: &ItemFn,
    generics: &Generics,
    inputs: &[(syn::Pat, syn::Type)],
    output: &syn::Type,
) -> Option<TokenStream> {
    let is_plain = |stmt: &syn::Stmt| matches!(stmt, syn::Stmt::Local(_) | syn::Stmt::Item(_));
    let stmts = &item.block.stmts;
    let (last, lets) = stmts.split_last()?;
    if inputs.len() < 2 || !lets.iter().all(is_plain) || !matches!(last, syn::Stmt::Expr(_, None)) {
        return None;
    }
    let params = Params::of_numbers(inputs, output).ok()?;
    lower::lower_in_parts(&item.sig.ident.to_string(), generics, &params, &item.block).ok()
}

/// `*out` of a scalar result as the plain name `out`: in C++ and in recorded loops it is a
/// variable.
struct Scalars<'a>(&'a Params);

impl VisitMut for Scalars<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let is_scalar = |name: &Ident| {
            self.0.outputs.iter().any(|p| p.holder == Holder::ScalarMut && p.name == *name)
        };
        if let Expr::Unary(unary) = e
            && matches!(unary.op, UnOp::Deref(_))
            && let Some(name) = forms::ident(&unary.expr)
            && is_scalar(name)
        {
            *e = (*unary.expr).clone();
        }
    }
}

/// The form for GPUs that runs item by item.
struct Each {
    /// How many of its loops have turns that threads share.
    stages: usize,
    /// The body of the function that gives the C++.
    describe: TokenStream,
    /// What sees to it that there is no recursion.
    calls: Vec<syn::Path>,
    items: Vec<syn::Item>,
}

fn each(name: &str, generics: &Generics, params: &Params, block: &Block) -> Result<Each> {
    let dialect = Rc::new(views::Views::default());
    let mut t = Translator::new(name, generics, dialect.clone() as Rc<dyn Dialect>);
    let mut block = block.clone();
    let stages = spread::spread(&mut block, params);
    let mut list = vec!["const lz_u64 lz_turn".to_string(), "const lz_u64 lz_turns".to_string()];
    for param in params.all() {
        let cpp = t.bind(&param.name.to_string());
        let element = &param.element;
        let (hole, rank) = (t.slots.ty(quote!(#element)), param.core.len());
        let is_array = !matches!(param.holder, Holder::Scalar | Holder::ScalarMut);
        list.push(match (is_array, param.written) {
            (false, false) => format!("{hole} {cpp}"),
            (false, true) => format!("{hole}& {cpp}"),
            (true, false) => format!("const lz_view<{hole}, {rank}, lz_i64>& {cpp}"),
            (true, true) => format!("const lz_view_mut<{hole}, {rank}, lz_i64>& {cpp}"),
        });
        if is_array {
            dialect.add(&cpp, rank, param.written);
        }
    }
    let output = match (params.returns, &params.results[..]) {
        (false, _) => "void".to_string(),
        (true, [one]) => t.slots.ty(quote!(#one)),
        (true, several) => t.slots.ty(quote!((#(#several),*))),
    };
    let body = t.body(&block, params.returns)?;
    let lines = indented(&body.before);
    let template = format!("LZ_FN {output} @({}) {{\n{lines}}}\n", list.join(", "));
    let typed = params.all().map(|param| {
        // A scalar result is a variable here, see `Scalars`.
        let (name, element, ty) = (&param.name, &param.element, &param.ty);
        match param.holder {
            Holder::ScalarMut => quote!(mut #name: #element),
            _ => {
                let pat = &param.pat;
                quote!(#pat: #ty)
            }
        }
    });
    let results = &params.results;
    let result = match (params.returns, &results[..]) {
        (false, _) => quote!(()),
        (true, [one]) => quote!(#one),
        (true, several) => quote!((#(#several),*)),
    };
    let (probe, items) = (&body.probe, &t.items);
    let fill = t.slots.probe(quote!(|#(#typed),*| -> #result #probe), &template, t.cost);
    let describe = quote! {
        #(#items)*
        #fill
    };
    Ok(Each { stages, describe, calls: t.calls, items: t.items })
}

fn expand(
    item: &ItemFn,
    signature: &Signature,
    params: &Params,
    generics: &Generics,
    recorded: &TokenStream,
    each: Option<&Each>,
) -> TokenStream {
    let (vis, name) = (&item.vis, &item.sig.ident);
    let arguments = generics.split_for_impl().1;
    let turbofish = arguments.as_turbofish();
    let cfgs = item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let cfgs = quote!(#(#cfgs)*);
    let results = &params.results;
    let result = match &results[..] {
        [one] => quote!(#one),
        several => quote!((#(#several),*)),
    };
    let inputs: Vec<Ident> = params.inputs.iter().map(|p| p.name.clone()).collect();
    let elements: Vec<_> = params.inputs.iter().map(|p| &p.element).collect();
    let info = info(item, signature, params);
    let native = native(name, params, generics);
    let code = code(generics, each);
    let gpu = each.map(|each| gpu_source(each, params, generics));
    let recursion = each.map(|each| no_recursion(&each.calls, &each.items));
    let (about, checked) = docs(name, signature, params);
    let calls = Calls {
        vis,
        generics,
        names: &inputs,
        types: &elements,
        result: &result,
        docs: [&about, &checked],
        body: &|arguments| {
            quote! {
                ::lazuli::__private::gufunc::gufunc::<#result>(
                    Self::LZ_SIGNATURE,
                    #arguments,
                    #code,
                    Self::lz_record #turbofish,
                )
            }
        },
    };
    let (calls, item) = (calls.tokens(), kept(item));
    let doc = format!(
        "The function `{name}` for arrays: [`{name}::call`](Self::call) and its checked twin."
    );
    let recording = recording(generics, recorded);
    quote! {
        #item

        #cfgs
        #[doc = #doc]
        #[allow(non_camel_case_types, dead_code)]
        #vis enum #name {}

        #cfgs
        #[automatically_derived]
        impl #name {
            #calls
        }

        #cfgs
        #[allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic)]
        #[allow(clippy::all, clippy::pedantic)]
        #[automatically_derived]
        impl #name {
            #info

            #recording

            #native
            #gpu
        }

        #recursion
    }
}

/// What runs the function for one item.
fn code(generics: &Generics, each: Option<&Each>) -> TokenStream {
    let arguments = generics.split_for_impl().1;
    let turbofish = arguments.as_turbofish();
    let stages = each.map_or(0, |each| each.stages);
    let source = match each {
        None => quote!(::core::option::Option::None),
        Some(_) => quote!(::core::option::Option::Some(Self::lz_source #turbofish)),
    };
    quote! {
        ::lazuli::__private::gufunc::Code {
            native: Self::lz_native #turbofish,
            source: #source,
            stages: #stages,
        }
    }
}

/// What records a function's body.
pub fn recording(generics: &Generics, recorded: &TokenStream) -> TokenStream {
    let (with_generics, _, clause) = generics.split_for_impl();
    let lz = scopes::lz();
    quote! {
        fn lz_record #with_generics (
            #lz: &::lazuli::__private::gufunc::Lower,
            lz_call: &::lazuli::__private::gufunc::Call,
        ) -> ::core::result::Result<
            ::lazuli::__private::gufunc::Results,
            ::lazuli::__private::gufunc::Refusal,
        > #clause {
            #recorded
        }
    }
}

/// What describes a function to a GPU.
fn gpu_source(each: &Each, params: &Params, generics: &Generics) -> TokenStream {
    let (with_generics, arguments, clause) = generics.split_for_impl();
    let turbofish = arguments.as_turbofish();
    let elements = params.inputs.iter().map(|p| &p.element);
    let (results, stages) = (&params.results, each.stages);
    let (describe, returns) = (&each.describe, params.returns);
    quote! {
        fn lz_describe #with_generics (lz_to: &mut ::lazuli::__private::Describe) #clause {
            #describe
        }

        fn lz_source #with_generics () -> ::std::string::String #clause {
            ::lazuli::__private::gufunc::source(
                Self::LZ_SIGNATURE,
                &[#(<#elements as ::lazuli::prelude::Element>::DTYPE),*],
                &[#(<#results as ::lazuli::prelude::Element>::DTYPE),*],
                #returns,
                #stages,
                Self::lz_describe #turbofish,
            )
        }
    }
}

/// The constant that says what the dimensions are.
fn info(item: &ItemFn, signature: &Signature, params: &Params) -> TokenStream {
    let (function, dims) = (item.sig.ident.to_string(), &signature.dims);
    let param = |name: String, core: &[signature::Dim]| {
        let core = Signature::tokens(core);
        quote!(::lazuli::__private::gufunc::Param { name: #name, core: #core })
    };
    let inputs = params.inputs.iter().map(|p| param(p.name.to_string(), &p.core));
    let outputs = signature.outputs.iter().enumerate().map(|(k, core)| {
        let name = params.outputs.get(k).map_or_else(|| "result".into(), |p| p.name.to_string());
        param(name, core)
    });
    quote! {
        const LZ_SIGNATURE: &'static ::lazuli::__private::gufunc::Signature =
            &::lazuli::__private::gufunc::Signature {
                function: #function,
                dims: &[#(#dims),*],
                inputs: &[#(#inputs),*],
                outputs: &[#(#outputs),*],
            };
    }
}

/// The form for the processor that runs one item: the user's own function on views.
fn native(name: &Ident, params: &Params, generics: &Generics) -> TokenStream {
    let (with_generics, arguments, clause) = generics.split_for_impl();
    let turbofish = arguments.as_turbofish();
    let inputs = params.inputs.iter().enumerate().map(|(k, p)| p.native(&quote!(lz_in[#k])));
    let outputs = params.outputs.iter().enumerate().map(|(k, p)| p.native(&quote!(lz_out[#k])));
    let call = quote!(#name #turbofish (#(#inputs,)* #(#outputs,)*));
    let results = &params.results;
    let body = match (params.returns, &results[..]) {
        (false, _) => quote!(#call;),
        (true, [one]) => quote!(*(lz_out[0] as *mut #one) = #call;),
        (true, several) => {
            let names: Vec<Ident> = (0..several.len()).map(|k| format_ident!("lz_r{k}")).collect();
            let stores = several
                .iter()
                .zip(&names)
                .enumerate()
                .map(|(k, (ty, name))| quote!(*(lz_out[#k] as *mut #ty) = #name;));
            quote!(let (#(#names,)*) = #call; #(#stores)*)
        }
    };
    quote! {
        unsafe fn lz_native #with_generics (
            lz_in: &[*const u8],
            lz_out: &[*mut u8],
            lz_sizes: &[usize],
        ) #clause {
            // SAFETY: the library's pointers are to as many elements as the signature says.
            unsafe { #body }
        }
    }
}

fn docs(name: &Ident, signature: &Signature, params: &Params) -> (String, String) {
    let core = |core: &[signature::Dim]| {
        let part = |dim: &signature::Dim| match dim {
            signature::Dim::Named(k) => signature.dims[*k].clone(),
            signature::Dim::Fixed(size) => size.to_string(),
        };
        format!("({})", core.iter().map(part).collect::<Vec<_>>().join(", "))
    };
    let list = |p: &Param| format!("`{}` {}", p.name, core(&p.core));
    let inputs = params.inputs.iter().map(list).collect::<Vec<_>>().join(", ");
    let outputs = signature.outputs.iter().map(|c| core(c)).collect::<Vec<_>>().join(", ");
    let about = format!(
        "Applies the function [`{name}`](fn@{name}) along the last axes of arrays.\n\n\
         **Shape.** The arguments and their core axes: {inputs}. The axes in front of those \
         broadcast against each other, and stand in front of the core axes of the results: \
         {outputs}. **Laziness.** Records; nothing is computed.\n\n# Panics\nWhere the shapes do \
         not go together or the arrays live on different devices; `try_call` returns an error."
    );
    let checked = "[`call`](Self::call) for shapes that come from data.\n\n# Errors\nWhere the \
                   shapes do not go together or the arrays live on different devices.";
    (about, checked.into())
}
