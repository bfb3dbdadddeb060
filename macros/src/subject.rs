//! The function under an attribute: its signature, its device code and its twin.

use crate::lanes::lane_form;
use crate::translate::{Code, Dialect, Plain, Translator, in_signature, leave_twin, rare, refuse};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::rc::Rc;
use syn::{FnArg, GenericParam, Generics, ItemFn, Pat, Result, ReturnType, Type};

/// The most parts of a tuple, and the most arguments and results of a function on arrays.
pub const MOST: usize = 12;

/// A function of the subset, taken apart.
pub struct Subject {
    /// The item as the user wrote it.
    pub item: ItemFn,
    /// Its parameters.
    pub params: Vec<(Pat, Type)>,
    /// The type of its result; `None` where there is none.
    pub output: Option<Type>,
    /// Its generic parameters, with the bounds that device code needs.
    pub generics: Generics,
}

impl Subject {
    /// Checks the signature.
    ///
    /// # Errors
    /// At what device code cannot have.
    pub fn new(item: ItemFn) -> Result<Subject> {
        Subject::with_arrays(item, |_| false)
    }

    /// The same for a function that takes arrays: parameters of types for which `is_array` holds.
    ///
    /// # Errors
    /// At what device code cannot have.
    pub fn with_arrays(item: ItemFn, is_array: impl Fn(&Type) -> bool) -> Result<Subject> {
        check_item(&item)?;
        let sig = &item.sig;
        let mut params = Vec::new();
        for input in &sig.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    return refuse(receiver, "device code has no methods; write a free function");
                }
                FnArg::Typed(typed) => {
                    if !is_array(&typed.ty) {
                        check_type(&typed.ty)?;
                    }
                    params.push(((*typed.pat).clone(), (*typed.ty).clone()));
                }
            }
        }
        let output = match &sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => {
                check_type(ty)?;
                Some((**ty).clone())
            }
        };
        let generics = bounded(&sig.generics)?;
        Ok(Subject { params, output, generics, item })
    }

    /// The name of the function.
    pub fn name(&self) -> &Ident {
        &self.item.sig.ident
    }

    /// The types of the parameters.
    pub fn types(&self) -> Vec<&Type> {
        self.params.iter().map(|(_, ty)| ty).collect()
    }

    /// The type of the result, as tokens.
    pub fn result(&self) -> TokenStream {
        self.output.as_ref().map_or_else(|| quote!(()), |ty| quote!(#ty))
    }

    /// The generic arguments as one type, `(T, Const<N>)`: what tells instances apart.
    pub fn group(&self) -> TokenStream {
        let parts = self.generics.params.iter().map(|param| match param {
            GenericParam::Const(c) => {
                let name = &c.ident;
                quote!(::lazuli::__private::Const<#name>)
            }
            GenericParam::Type(t) => {
                let name = &t.ident;
                quote!(#name)
            }
            GenericParam::Lifetime(_) => TokenStream::new(),
        });
        quote!((#(#parts,)*))
    }

    /// `::<T, N>`, for calls of the function itself.
    pub fn turbofish(&self) -> TokenStream {
        let (_, ty, _) = self.generics.split_for_impl();
        let turbofish = ty.as_turbofish();
        quote!(#turbofish)
    }

    /// The item, and the type of its name that holds what `extra` and the library need.
    ///
    /// # Errors
    /// At what is outside of the subset.
    pub fn expand(&self, doc: &str, extra: TokenStream) -> Result<TokenStream> {
        let mut t = Translator::new(
            &self.name().to_string(),
            &self.generics,
            Rc::new(Plain) as Rc<dyn Dialect>,
        );
        t.leave = Some(leave_twin());
        let (template, body) = self.translate(&mut t)?;
        let (item, vis, name) = (kept(&self.item), &self.item.vis, self.name());
        let (device, twin, lanes) = (self.device(), self.twin(&t, &body), lane_form(self));
        let (recursion, instance) = (recursion(&t, name), self.instance(&t, &body, &template));
        let cfgs = self.item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
        let cfgs = quote!(#(#cfgs)*);
        Ok(quote! {
            #item

            #cfgs
            #[doc = #doc]
            #[allow(non_camel_case_types, dead_code)]
            #vis enum #name {}

            #cfgs
            #[allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic)]
            #[allow(clippy::all, clippy::pedantic)]
            #[automatically_derived]
            impl #name {
                #recursion
                #device
                #twin
                #lanes
            }

            #cfgs
            const _: () = <#name>::DEVICE_CODE_HAS_NO_RECURSION;

            #cfgs
            #instance

            #extra
        })
    }

    /// The C++ template of the function and its body.
    fn translate(&self, t: &mut Translator) -> Result<(String, Code)> {
        let output = match &self.output {
            Some(ty) => t.slots.ty(quote!(#ty)),
            None => "void".into(),
        };
        let (mut parameters, mut unpack) = (Vec::new(), String::new());
        for (pat, ty) in &self.params {
            let hole = t.slots.ty(quote!(#ty));
            let hint = if let Pat::Ident(p) = pat { p.ident.to_string() } else { "a".into() };
            let name = t.fresh(&hint);
            unpack += &match pat {
                Pat::Ident(p) if p.by_ref.is_none() => {
                    t.bind_as(&p.ident.to_string(), name.clone());
                    String::new()
                }
                other => t.declare(other, &name)?,
            };
            parameters.push(format!("{hole} {name}"));
        }
        let body = t.body(&self.item.block, self.output.is_some())?;
        let lines = indented(&(unpack + &body.before));
        let list = parameters.join(", ");
        // `@` stands for the name that the instance gets.
        Ok((format!("LZ_FN {output} @({list}) {{\n{lines}}}\n"), body))
    }

    /// What the probes of callers call: it ties the types of a call to the caller's slot.
    pub(crate) fn device(&self) -> TokenStream {
        let (generics, _, clause) = self.generics.split_for_impl();
        let (name, group, types, result) = (self.name(), self.group(), self.types(), self.result());
        let names = (0..types.len()).map(|k| format_ident!("lz_a{k}"));
        quote! {
            #[doc(hidden)]
            pub fn lz_device #generics (
                _: &::lazuli::__private::Slot<::lazuli::__private::Callee<#name, #group>>,
                #(#names: #types),*
            ) -> #result #clause {
                ::core::unreachable!("probes are never run")
            }
        }
    }

    /// The function again, with its mathematics routed to what vectorises.
    fn twin(&self, t: &Translator, body: &Code) -> TokenStream {
        let (generics, _, clause) = self.generics.split_for_impl();
        let (rare, result, items, twin) = (rare(), self.result(), &t.items, &body.twin);
        let params = self.params.iter().map(|(pat, ty)| quote!(#pat: #ty));
        quote! {
            #[doc(hidden)]
            #[inline(always)]
            pub fn lz_twin #generics (#(#params,)* #rare: &mut bool) -> #result #clause {
                #(#items)*
                #twin
            }
        }
    }

    /// What the library takes: the C++ for given types, and both forms for the processor.
    fn instance(&self, t: &Translator, body: &Code, template: &str) -> TokenStream {
        let (types, result) = (self.types(), self.result());
        let (items, probe, turbofish) = (&t.items, &body.probe, self.turbofish());
        let params = self.params.iter().map(|(pat, ty)| quote!(#pat: #ty));
        let fill = t.slots.probe(quote!(|#(#params),*| -> #result #probe), template, t.cost);
        let names: Vec<Ident> = (0..types.len()).map(|k| format_ident!("lz_a{k}")).collect();
        let lz = quote!(::lazuli::__private::lanes);
        let places = (0..types.len()).map(syn::Index::from);
        // Longer tuples are no arguments of functions on arrays.
        let lanes = (types.len() <= MOST).then(|| {
            quote! {
                const LANES: bool = Self::LZ_LANES;

                #[inline(always)]
                fn lanes(
                    lz_args: #lz::Lanes<Self::Args>,
                    lz_mask: &#lz::Mask,
                    lz_course: &mut #lz::Course,
                ) -> #lz::Lanes<Self::Output>
                where
                    Self::Args: #lz::Laned,
                    Self::Output: #lz::Laned,
                {
                    #(let mut #names = #lz::Lanes::room();)*
                    for lz_k in 0..#lz::COUNT {
                        let lz_values: Self::Args = lz_args.get(lz_k);
                        #(#names.put(lz_k, lz_values.#places);)*
                    }
                    Self::lz_lanes #turbofish (#(#names,)* lz_mask, lz_course)
                }
            }
        });
        let describe = quote!(#(#items)* #fill);
        let fast = quote!(Self::lz_twin #turbofish (#(#names,)* lz_rare));
        self.implementation(&types, &describe, &fast, &quote!(#lanes))
    }

    /// The trait that callers and the library know the function by, on arguments of these types.
    pub(crate) fn implementation(
        &self,
        types: &[impl ToTokens],
        describe: &TokenStream,
        fast: &TokenStream,
        more: &TokenStream,
    ) -> TokenStream {
        let (generics, _, clause) = self.generics.split_for_impl();
        let (name, group, result) = (self.name(), self.group(), self.result());
        let turbofish = self.turbofish();
        let names: Vec<Ident> = (0..types.len()).map(|k| format_ident!("lz_a{k}")).collect();
        quote! {
            #[allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic)]
            #[allow(clippy::all, clippy::pedantic)]
            #[automatically_derived]
            impl #generics ::lazuli::__private::DeviceFn<#group> for #name #clause {
                type Args = (#(#types,)*);
                type Output = #result;
                const NAME: &'static str = ::core::concat!(
                    ::core::module_path!(), "::", ::core::stringify!(#name)
                );

                fn describe(lz_to: &mut ::lazuli::__private::Describe) {
                    #describe
                }

                #[inline(always)]
                fn fast((#(#names,)*): Self::Args, lz_rare: &mut bool) -> Self::Output {
                    #fast
                }

                #[inline(always)]
                fn plain((#(#names,)*): Self::Args) -> Self::Output {
                    #name #turbofish (#(#names),*)
                }

                #more
            }
        }
    }
}

/// Refuses what no function of device code can be: one with two attributes, with modifiers.
///
/// # Errors
/// At the second attribute, or the modifier.
pub fn check_item(item: &ItemFn) -> Result<()> {
    const ATTRIBUTES: [&str; 5] = ["device", "vectorize", "guvectorize", "reduce", "kernel"];
    let is_ours = |a: &&syn::Attribute| {
        a.path().segments.last().is_some_and(|s| ATTRIBUTES.contains(&&*s.ident.to_string()))
    };
    if let Some(second) = item.attrs.iter().find(is_ours) {
        return refuse(
            second,
            "one attribute is enough: device code can call functions with each of them",
        );
    }
    let sig = &item.sig;
    let modifiers = [
        sig.asyncness.as_ref().map(|t| (quote!(#t), "device code cannot wait")),
        sig.unsafety.as_ref().map(|t| (quote!(#t), "device code is safe Rust")),
        sig.abi.as_ref().map(|t| (quote!(#t), "device functions have Rust's own ABI")),
        sig.variadic.as_ref().map(|t| (quote!(#t), "device functions take a fixed number")),
    ];
    if let Some((at, why)) = modifiers.into_iter().flatten().next() {
        return refuse(&at, why);
    }
    Ok(())
}

/// The function as the user wrote it, which may call methods that the standard library has under the
/// same names, but not yet for everybody.
pub fn kept(item: &ItemFn) -> TokenStream {
    quote!(#[allow(unstable_name_collisions)] #item)
}

/// The imports of a body, which its paths may begin with.
pub fn imports(items: &[syn::Item]) -> impl Iterator<Item = &syn::Item> {
    items.iter().filter(|item| matches!(item, syn::Item::Use(_)))
}

/// A constant that needs those of all callees: see [`recursion`].
pub fn no_recursion(calls: &[syn::Path], items: &[syn::Item]) -> TokenStream {
    let constant = Ident::new("DEVICE_CODE_HAS_NO_RECURSION", proc_macro2::Span::call_site());
    let imports = imports(items);
    quote! {
        #[allow(warnings, clippy::all, clippy::pedantic)]
        const _: () = {
            #(#imports)*
            #(<#calls>::#constant;)*
        };
    }
}

/// A constant that needs those of all callees: functions that call each other in a circle make
/// rustc report the circle, at the constant's name.
pub fn recursion(t: &Translator, name: &Ident) -> TokenStream {
    let (calls, imports) = (&t.calls, imports(&t.items));
    let constant = Ident::new("DEVICE_CODE_HAS_NO_RECURSION", name.span());
    quote! {
        #[doc(hidden)]
        pub const #constant: () = {
            #(#imports)*
            #(<#calls>::#constant;)*
        };
    }
}

/// The parameters with the bounds that device code needs, and a refusal of lifetimes.
pub fn bounded(generics: &Generics) -> Result<Generics> {
    let mut generics = generics.clone();
    for param in &generics.params {
        match param {
            GenericParam::Lifetime(_) => {
                return refuse(param, "device code has no references, so no lifetimes");
            }
            GenericParam::Const(c) => {
                let ty = &c.ty;
                if quote!(#ty).to_string() != "usize" {
                    return refuse(ty, "a constant parameter of device code is a `usize`");
                }
            }
            GenericParam::Type(_) => {}
        }
    }
    let types: Vec<Ident> = generics.type_params().map(|t| t.ident.clone()).collect();
    if !types.is_empty() {
        let clause = generics.make_where_clause();
        for name in types {
            let bound = syn::parse_quote!(#name: ::lazuli::device::DeviceScalar);
            clause.predicates.push(bound);
        }
    }
    Ok(generics)
}

/// The parameters with the bound that elements of arrays have, which the user's own may leave out.
pub fn of_elements(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    let types: Vec<Ident> = generics.type_params().map(|t| t.ident.clone()).collect();
    for name in types {
        let bound = syn::parse_quote!(#name: ::lazuli::dtype::Element);
        generics.make_where_clause().predicates.push(bound);
    }
    generics
}

fn check_type(ty: &Type) -> Result<()> {
    if let Type::Tuple(tuple) = ty
        && tuple.elems.len() > MOST
    {
        return refuse(ty, format!("a tuple of device code has at most {MOST} parts"));
    }
    match in_signature(ty) {
        Some((at, why)) => refuse(&at, why),
        None => Ok(()),
    }
}

/// Indents lines by their braces.
pub fn indented(lines: &str) -> String {
    let (mut depth, mut out) = (1usize, String::new());
    for line in lines.lines() {
        let closes = line.starts_with('}');
        depth -= usize::from(closes);
        out += &"    ".repeat(depth);
        out += line;
        out.push('\n');
        depth += usize::from(closes);
        depth += line.matches('{').count();
        depth = depth.saturating_sub(line.matches('}').count()).max(1);
    }
    out
}
