//! The parameters of a gufunc: what ndarray's views, slices and plain numbers say of them.

use super::signature::{Dim, Signature};
use crate::translate::refuse;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{FnArg, GenericArgument, ItemFn, Pat, PathArguments, Result, ReturnType, Type};

/// How a parameter holds its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// `T`, one for each item.
    Scalar,
    /// `&mut T`, one for each item.
    ScalarMut,
    /// `&[T]` or `&mut [T]`.
    Slice,
    /// `ArrayViewN<T>` or `ArrayViewMutN<T>`.
    View,
}

/// An argument or a result.
pub struct Param {
    /// Its name.
    pub name: Ident,
    /// The pattern, `mut out` say.
    pub pat: Pat,
    /// The type as it is written.
    pub ty: Type,
    /// The element type.
    pub element: Type,
    /// How it holds its elements.
    pub holder: Holder,
    /// Its core axes.
    pub core: Vec<Dim>,
    /// Whether the function writes to it.
    pub written: bool,
}

/// The parameters, and the types of the results.
pub struct Params {
    /// The arguments.
    pub inputs: Vec<Param>,
    /// The results that are parameters; none where the function gives them back.
    pub outputs: Vec<Param>,
    /// The element types of the results.
    pub results: Vec<Type>,
    /// Whether the function gives its results back.
    pub returns: bool,
}

impl Params {
    /// Compares the function's parameters with the signature.
    ///
    /// # Errors
    /// Where they do not go together.
    pub fn new(item: &ItemFn, signature: &Signature) -> Result<Params> {
        let returned = match &item.sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => match &**ty {
                Type::Tuple(tuple) if tuple.elems.is_empty() => None,
                ty => Some(ty.clone()),
            },
        };
        let (ins, outs) = (signature.inputs.len(), signature.outputs.len());
        let wanted = if returned.is_some() { ins } else { ins + outs };
        if item.sig.inputs.len() != wanted {
            let why = format!(
                "the signature has {ins} arguments and {outs} results, so that the function takes \
                 {wanted} parameters{}",
                if returned.is_some() { " and gives its results back" } else { "" }
            );
            return refuse(&item.sig, why);
        }
        let cores = signature.inputs.iter().chain(&signature.outputs);
        let mut all = Vec::new();
        for (k, (input, core)) in item.sig.inputs.iter().zip(cores).enumerate() {
            all.push(param(input, core, k >= ins)?);
        }
        let outputs = all.split_off(ins);
        let results = match returned {
            None => outputs.iter().map(|p| p.element.clone()).collect(),
            Some(ty) => results(&ty, signature)?,
        };
        let returns = outputs.is_empty();
        Ok(Params { inputs: all, outputs, results, returns })
    }

    /// The parameters of a function of numbers, which gives its results back.
    ///
    /// # Errors
    /// Where a parameter is no plain name.
    pub fn of_numbers(params: &[(Pat, Type)], output: &Type) -> Result<Params> {
        let param = |(pat, ty): &(Pat, Type)| match pat {
            Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => Ok(Param {
                name: p.ident.clone(),
                pat: pat.clone(),
                ty: ty.clone(),
                element: ty.clone(),
                holder: Holder::Scalar,
                core: Vec::new(),
                written: false,
            }),
            other => refuse(other, "a plain name"),
        };
        let inputs = params.iter().map(param).collect::<Result<_>>()?;
        let results = match output {
            Type::Tuple(tuple) => tuple.elems.iter().cloned().collect(),
            one => vec![one.clone()],
        };
        Ok(Params { inputs, outputs: Vec::new(), results, returns: true })
    }

    /// All parameters in order.
    pub fn all(&self) -> impl Iterator<Item = &Param> {
        self.inputs.iter().chain(&self.outputs)
    }
}

/// The types of results that a function gives back.
fn results(ty: &Type, signature: &Signature) -> Result<Vec<Type>> {
    if signature.outputs.iter().any(|core| !core.is_empty()) {
        let why = "a function gives back scalars alone, `->()`; write other results to parameters, \
                   `mut out: ArrayViewMut1<T>`";
        return refuse(ty, why);
    }
    let types: Vec<Type> = match ty {
        Type::Tuple(tuple) => tuple.elems.iter().cloned().collect(),
        one => vec![one.clone()],
    };
    if types.len() != signature.outputs.len() {
        let why = format!(
            "the signature has {} results, and the function gives back {}",
            signature.outputs.len(),
            types.len()
        );
        return refuse(ty, why);
    }
    Ok(types)
}

fn param(input: &FnArg, core: &[Dim], written: bool) -> Result<Param> {
    let FnArg::Typed(typed) = input else {
        return refuse(input, "a gufunc has no receiver; write a free function");
    };
    let Pat::Ident(ident) = &*typed.pat else {
        return refuse(&typed.pat, "a parameter of a gufunc is a plain name");
    };
    let ty = &*typed.ty;
    let (holder, element, rank, mutable) = match held(ty) {
        Some(held) => held,
        None => return refuse(ty, wrong(core, written)),
    };
    let fits = rank == core.len() && mutable == written;
    if !fits {
        return refuse(ty, wrong(core, written));
    }
    Ok(Param {
        name: ident.ident.clone(),
        pat: (*typed.pat).clone(),
        ty: ty.clone(),
        element,
        holder,
        core: core.to_vec(),
        written,
    })
}

fn wrong(core: &[Dim], written: bool) -> String {
    let rank = core.len();
    match (rank, written) {
        (0, false) => "by the signature this argument is a scalar: write a number type".into(),
        (0, true) => {
            "by the signature this result is a scalar: write `&mut T`, or give it back".into()
        }
        (1, false) => {
            "by the signature this argument has one axis: write `ArrayView1<T>` or `&[T]`".into()
        }
        (1, true) => {
            "by the signature this result has one axis: write `ArrayViewMut1<T>` or `&mut [T]`"
                .into()
        }
        (_, false) => {
            format!("by the signature this argument has {rank} axes: write `ArrayView{rank}<T>`")
        }
        (_, true) => {
            format!("by the signature this result has {rank} axes: write `ArrayViewMut{rank}<T>`")
        }
    }
}

/// How a type holds elements, their type, the number of axes, and whether it is written.
pub fn held(ty: &Type) -> Option<(Holder, Type, usize, bool)> {
    match ty {
        Type::Reference(reference) => {
            let mutable = reference.mutability.is_some();
            match &*reference.elem {
                Type::Slice(slice) => Some((Holder::Slice, (*slice.elem).clone(), 1, mutable)),
                element if mutable => Some((Holder::ScalarMut, element.clone(), 0, true)),
                _ => None,
            }
        }
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let name = last.ident.to_string();
            let (rest, mutable) = match name.strip_prefix("ArrayViewMut") {
                Some(rest) => (Some(rest), true),
                None => (name.strip_prefix("ArrayView"), false),
            };
            let Some(rest) = rest else { return Some((Holder::Scalar, ty.clone(), 0, false)) };
            let PathArguments::AngleBracketed(list) = &last.arguments else { return None };
            let mut types = list.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            let element = types.next()?.clone();
            let rank = match rest {
                "" => {
                    let Type::Path(dimension) = types.next()? else { return None };
                    let dimension = dimension.path.segments.last()?.ident.to_string();
                    dimension.strip_prefix("Ix")?.parse().ok()?
                }
                digits => digits.parse().ok()?,
            };
            // A view without axes is a scalar that is written as `out[()]`.
            Some((Holder::View, element, rank, mutable))
        }
        _ => None,
    }
}

impl Param {
    /// What the user's function gets for one item, from the pointer `pointer` and the sizes.
    pub fn native(&self, pointer: &TokenStream) -> TokenStream {
        let (element, written) = (&self.element, self.written);
        let sizes: Vec<TokenStream> = self
            .core
            .iter()
            .map(|dim| match dim {
                Dim::Named(k) => quote!(lz_sizes[#k]),
                Dim::Fixed(size) => quote!(#size),
            })
            .collect();
        let constant = quote!(#pointer as *const #element);
        let mutable = quote!(#pointer as *mut #element);
        match (self.holder, written) {
            (Holder::Scalar, _) => quote!(*(#constant)),
            (Holder::ScalarMut, _) => quote!(&mut *(#mutable)),
            (Holder::Slice, false) => quote!(::core::slice::from_raw_parts(#constant, #(#sizes)*)),
            (Holder::Slice, true) => {
                quote!(::core::slice::from_raw_parts_mut(#mutable, #(#sizes)*))
            }
            (Holder::View, _) => {
                let dimension = format_ident!("Ix{}", self.core.len());
                let shape = quote!(::lazuli::__private::ndarray::#dimension(#(#sizes),*));
                match written {
                    false => {
                        quote!(::lazuli::__private::ndarray::ArrayView::from_shape_ptr(#shape, #constant))
                    }
                    true => {
                        quote!(::lazuli::__private::ndarray::ArrayViewMut::from_shape_ptr(#shape, #mutable))
                    }
                }
            }
        }
    }
}
