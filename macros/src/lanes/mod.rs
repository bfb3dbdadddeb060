//! The lane form of a function: all lanes of a tile run through it together, under masks.
//!
//! A function with loops does not vectorise as it stands, because each lane turns as often as it
//! needs. So its control flow is written out over masks, and what lies between, over loops of
//! their own:
//!
//! ```text
//! while z.norm_sqr() < 4.0 {           let mut live = mask;
//!     z = z * z + c;                   loop {
//! }                                        let c1 = { for k in lanes { … z < 4.0 … } };
//!                                          live = live.and(&c1);
//!                                          if !live.any() { break }
//!                                          for k in lanes { z[k] = pick(live[k], z² + c, z[k]) }
//!                                      }
//! ```
//!
//! - A *mask* says which lanes run a place of the program. The masks of all places around a
//!   statement are a stack; `return`, `break` and `continue` stop the lanes that run them in the
//!   masks of all places that they leave.
//! - A *stretch* is a run of statements without jumps and loops: it stays the twin's Rust, once a
//!   lane. It computes for lanes that do not run, too, which must not fail: whole numbers wrap
//!   there, a divisor of zero is rare, and where anything else could panic, and in builds with
//!   debug assertions, such a lane stands in for one that runs.
//! - What has no lane form (arrays in registers, `match` with jumps in it, stepped ranges that
//!   differ by lane) leaves the function without one, and its twin runs as before.
//!
//! - A function that calls one with loops has a lane form as well. The pieces of gufuncs and of
//!   functions that are recorded in parts have none.

mod flow;
mod loops;
mod stretch;
mod survey;

use crate::subject::Subject;
use crate::translate::{Plain, Translator, rare};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::rc::Rc;
use survey::{Survey, plain_type};
use syn::{Pat, Type};

/// The constant that says whether there is a lane form worth running, and the form.
pub fn lane_form(subject: &Subject) -> TokenStream {
    let (generics, _, clause) = subject.generics.split_for_impl();
    let (lz, types, result) = (lz(), subject.types(), subject.result());
    let names: Vec<Ident> =
        (0..types.len()).map(|k| format_ident!("lz_a{k}", span = Span::mixed_site())).collect();
    let (mask, course) = (mask_parameter(), course());
    let written = written(subject, &names);
    let (worth, body) = match &written {
        Some((worth, body)) => {
            let imports = items(&subject.item.block).filter(|i| matches!(i, syn::Item::Use(_)));
            (quote!({ #(#imports)* #worth }), body.clone())
        }
        None => (quote!(false), quote!(::core::unreachable!("this function has no lane form"))),
    };
    quote! {
        #[doc(hidden)]
        pub const LZ_LANES: bool = #worth;

        #[doc(hidden)]
        #[inline(always)]
        pub fn lz_lanes #generics (
            #(#names: #lz::Lanes<#types>,)*
            #mask: &#lz::Mask,
            #course: &mut #lz::Course,
        ) -> #lz::Lanes<#result> #clause {
            #body
        }
    }
}

/// Whether the form is worth running, and its body; `None` where there is none.
fn written(subject: &Subject, names: &[Ident]) -> Option<(TokenStream, TokenStream)> {
    subject.output.as_ref()?;
    let mut types = subject.types().into_iter().chain(&subject.output);
    if !types.all(plain_type) {
        return None;
    }
    let t = translator(subject);
    let survey = Survey::of_block(&subject.item.block, &t);
    if survey.arrays || !survey.loops && !survey.calls {
        return None;
    }
    let mut lowering = Lowering::new(subject);
    let body = lowering.function(subject, names)?;
    let own = lowering.loops;
    let calls = &lowering.calls;
    Some((quote!(#own #(|| <#calls>::LZ_LANES)*), body))
}

fn translator(subject: &Subject) -> Translator {
    let mut t = Translator::new(&subject.name().to_string(), &subject.generics, Rc::new(Plain));
    t.in_lanes = true;
    let (lz, rare, course, stands_in) = (lz(), rare(), course(), stands_in());
    t.leave = Some(quote! {
        if #stands_in && *#rare {
            #course.rare = true;
            return #lz::Lanes::room();
        }
    });
    t
}

/// The module of the library.
fn lz() -> TokenStream {
    quote!(::lazuli::__private::lanes)
}

/// Room for the values of a variable that is set later, if there is one.
fn room(name: Option<&Ident>) -> Option<TokenStream> {
    let lz = lz();
    name.map(|name| quote!(let mut #name = #lz::Lanes::room();))
}

fn mask_parameter() -> Ident {
    Ident::new("lz_mask", Span::mixed_site())
}

/// Whether lanes that do not run stand in for one that does.
fn stands_in() -> Ident {
    Ident::new("lz_stands_in", Span::mixed_site())
}

/// What a run tells beside its values.
fn course() -> Ident {
    Ident::new("lz_course", Span::mixed_site())
}

/// A variable in lanes.
struct Variable {
    name: Ident,
    /// The masks around its declaration. What is assigned under no more of them needs no mask:
    /// a lane that has left a place reads nothing of it any more.
    depth: usize,
}

/// A loop or labelled block.
struct Target {
    label: Option<String>,
    is_loop: bool,
    /// The first of the masks that `break` stops lanes in, and of those for `continue`.
    breaks: usize,
    continues: usize,
    /// What `break` with a value sets.
    result: Option<Ident>,
}

/// What a part of the program becomes.
#[derive(Default)]
struct Lowered {
    /// Statements.
    before: TokenStream,
    /// The value, as `Lanes`.
    value: Option<TokenStream>,
    /// Whether control never comes past.
    diverges: bool,
}

/// The state of the walk. Its methods give `None` where there is no lane form.
struct Lowering {
    t: Translator,
    scopes: Vec<Vec<Variable>>,
    /// The masks of the places around, from the whole function's on.
    masks: Vec<Ident>,
    targets: Vec<Target>,
    /// What `return` sets.
    result: Ident,
    returns: bool,
    /// Whether loops turn lane by lane.
    loops: bool,
    calls: Vec<syn::Path>,
    counter: usize,
}

impl Lowering {
    fn new(subject: &Subject) -> Lowering {
        Lowering {
            t: translator(subject),
            scopes: vec![Vec::new()],
            masks: Vec::new(),
            targets: Vec::new(),
            result: Ident::new("lz_result", Span::mixed_site()),
            returns: false,
            loops: false,
            calls: Vec::new(),
            counter: 0,
        }
    }

    fn function(&mut self, subject: &Subject, names: &[Ident]) -> Option<TokenStream> {
        let mask = self.fresh("mask");
        self.masks.push(mask.clone());
        let mut before = TokenStream::new();
        for ((pat, ty), name) in subject.params.iter().zip(names) {
            before.extend(self.bind(pat, Some(ty), name)?);
        }
        let body = self.block(&subject.item.block.stmts, true)?;
        let (parameter, result) = (mask_parameter(), &self.result);
        let (items, lines) = (items(&subject.item.block), &body.before);
        let end = match (&body.value, self.returns) {
            (Some(value), false) => value.clone(),
            (Some(value), true) => quote!({ #result.blend(&#mask, #value); #result }),
            (None, _) => quote!(#result),
        };
        let room = room(self.returns.then_some(result));
        Some(quote! {
            #(#items)*
            let mut #mask = *#parameter;
            #room
            #before
            #lines
            #end
        })
    }

    fn fresh(&mut self, hint: &str) -> Ident {
        self.counter += 1;
        format_ident!("lz_{hint}_{}", self.counter, span = Span::mixed_site())
    }

    /// The mask of the current place.
    fn mask(&self) -> Ident {
        self.masks.last().expect("the function has one").clone()
    }

    fn enter(&mut self) {
        self.t.enter();
        self.scopes.push(Vec::new());
    }

    fn leave(&mut self) {
        self.t.leave();
        self.scopes.pop();
    }

    fn variable(&self, name: &str) -> Option<&Variable> {
        self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()).find(|v| v.name == name)
    }

    /// Declares a variable in lanes.
    fn declare(&mut self, name: &Ident) {
        self.t.bind(&name.to_string());
        let depth = self.masks.len();
        let scope = self.scopes.last_mut().expect("there is always a scope");
        scope.push(Variable { name: name.clone(), depth });
    }

    /// Binds a pattern that always matches to a value in lanes, which is a name.
    fn bind(&mut self, pat: &Pat, ty: Option<&Type>, value: &Ident) -> Option<TokenStream> {
        let lz = lz();
        match pat {
            Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
                let name = &p.ident;
                self.declare(name);
                let ty = ty.map(|ty| quote!(: #lz::Lanes<#ty>));
                Some(quote!(let mut #name #ty = #value;))
            }
            Pat::Type(p) => self.bind(&p.pat, Some(&p.ty), value),
            Pat::Paren(p) => self.bind(&p.pat, ty, value),
            Pat::Wild(_) => Some(TokenStream::new()),
            Pat::Tuple(_) => {
                let names = survey::names(pat)?;
                let ty = ty.map(|ty| quote!(: #ty));
                let outs: Vec<Ident> = names.iter().map(|_| self.fresh("part")).collect();
                names.iter().for_each(|name| self.declare(name));
                Some(quote! {
                    #(let mut #outs = #lz::Lanes::room();)*
                    for lz_k in 0..#lz::COUNT {
                        let #pat #ty = #value.get(lz_k);
                        #(#outs.put(lz_k, #names);)*
                    }
                    #(let mut #names = #outs;)*
                })
            }
            _ => None,
        }
    }
}

/// The constants and imports that a body begins with.
fn items(block: &syn::Block) -> impl Iterator<Item = &syn::Item> {
    block.stmts.iter().filter_map(|stmt| match stmt {
        syn::Stmt::Item(item) => Some(item),
        _ => None,
    })
}
