//! Stretches: statements without jumps and loops, in a loop over the lanes.

use super::survey::{Assigned, Survey, names};
use super::{Lowering, course, lz, room, stands_in};
use crate::translate::rare;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::{Expr, Stmt};

/// A stretch that is being gathered.
#[derive(Default)]
pub struct Stretch<'a> {
    stmts: Vec<&'a Stmt>,
    /// What it declares, and what it assigns.
    declared: Vec<Ident>,
    assigned: Vec<Ident>,
}

impl<'a> Stretch<'a> {
    pub fn is_empty(&self) -> bool {
        self.stmts.is_empty()
    }

    /// Takes a statement, unless that would give a name two meanings.
    #[must_use]
    pub fn take(&mut self, stmt: &'a Stmt) -> Option<bool> {
        let declared = match stmt {
            Stmt::Local(local) => names(&local.pat)?,
            _ => Vec::new(),
        };
        let again = |name: &Ident| self.declared.contains(name) || self.assigned.contains(name);
        if declared.iter().any(again) {
            return Some(false);
        }
        let mut assigned = Assigned::default();
        assigned.visit_stmt(stmt);
        for name in assigned.0 {
            if !self.declared.contains(&name) && !self.assigned.contains(&name) {
                self.assigned.push(name);
            }
        }
        self.declared.extend(declared);
        self.stmts.push(stmt);
        Some(true)
    }
}

impl Lowering {
    /// The loop of a stretch, which ends with a value if one is asked for. The value is a name.
    pub fn stretch(
        &mut self,
        stretch: &Stretch,
        value: Option<&Expr>,
    ) -> Option<(TokenStream, Option<Ident>)> {
        let (mut panics, mut heavy) = (false, false);
        let mut lines = TokenStream::new();
        // What the stretch assigns is what its names mean before it declares any.
        let mut names = Assigned(stretch.assigned.clone());
        if let Some(value) = value {
            names.visit_expr(value);
        }
        let assigned: Vec<(Ident, bool)> = names
            .0
            .iter()
            .filter(|name| !stretch.declared.contains(name) || stretch.assigned.contains(name))
            .filter_map(|name| self.variable(&name.to_string()))
            .map(|v| (v.name.clone(), v.depth < self.masks.len()))
            .collect();
        let visible: Vec<Ident> = self.visible();
        for stmt in &stretch.stmts {
            let mut survey = Survey::new(&self.t);
            survey.visit_stmt(stmt);
            panics |= survey.panics;
            heavy |= survey.heavy;
            match stmt {
                Stmt::Local(local) => lines.extend(self.t.local(local).ok()?.twin),
                Stmt::Expr(e, _) => {
                    let twin = self.t.effect(e).ok()?.twin;
                    lines.extend(quote!(#twin;));
                }
                Stmt::Macro(m) => {
                    let twin = self.t.macro_call(&m.mac).ok()?.twin;
                    lines.extend(quote!(#twin;));
                }
                Stmt::Item(_) => return None,
            }
        }
        let mut end = None;
        if let Some(value) = value {
            let survey = Survey::of(value, &self.t);
            panics |= survey.panics;
            heavy |= survey.heavy;
            end = Some((self.t.value(value).ok()?.twin, self.fresh("value")));
        }
        let tokens = self.over_lanes(&Lines {
            panics,
            heavy,
            visible: &visible,
            lines,
            declared: &stretch.declared,
            assigned: &assigned,
            value: end.as_ref().map(|(value, name)| (value, name)),
        });
        for name in &stretch.declared {
            self.declare(name);
        }
        let value = end.map(|(_, name)| name);
        Some((tokens, value))
    }

    /// The variables in lanes, each name once.
    fn visible(&self) -> Vec<Ident> {
        let mut list: Vec<Ident> = Vec::new();
        for variable in self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()) {
            if !list.contains(&variable.name) {
                list.push(variable.name.clone());
            }
        }
        list
    }

    /// Whether tokens read a variable.
    pub fn reads(&self, tokens: &TokenStream) -> bool {
        let mut read = Vec::new();
        idents(tokens.clone(), &mut read);
        read.iter().any(|name| self.variable(&name.to_string()).is_some())
    }

    /// A value for each lane from the tokens of one, which read variables.
    pub fn each(&mut self, value: &TokenStream, panics: bool) -> (TokenStream, Ident) {
        let (visible, name) = (self.visible(), self.fresh("value"));
        let tokens = self.over_lanes(&Lines {
            panics,
            heavy: false,
            visible: &visible,
            lines: TokenStream::new(),
            declared: &[],
            assigned: &[],
            value: Some((value, &name)),
        });
        (tokens, name)
    }

    fn over_lanes(&mut self, of: &Lines) -> TokenStream {
        let (lz, course, rare, mask) = (lz(), course(), rare(), self.mask());
        let mine = |name: &str| Ident::new(name, Span::mixed_site());
        let ([k, j, leader], stands_in) = (["lz_k", "lz_j", "lz_leader"].map(mine), stands_in());
        let [is_rare, any] = ["lz_is", "lz_any"].map(mine);
        let mut read = Vec::new();
        idents(of.lines.clone(), &mut read);
        if let Some((value, _)) = of.value {
            idents(value.to_token_stream(), &mut read);
        }
        let inputs: Vec<&Ident> = of.visible.iter().filter(|name| read.contains(name)).collect();
        let declared = of.declared;
        let rooms: Vec<Ident> = declared.iter().map(|_| self.fresh("new")).collect();
        let changed: Vec<&Ident> = of.assigned.iter().map(|(name, _)| name).collect();
        let copies: Vec<Ident> = changed.iter().map(|_| self.fresh("next")).collect();
        let puts = of.assigned.iter().zip(&copies).map(|((name, masked), copy)| match masked {
            true => quote!(#copy.put(#k, #mask.pick(#k, #name, #copy.get(#k)));),
            false => quote!(#copy.put(#k, #name);),
        });
        let (panics, heavy, lines) = (of.panics, of.heavy, &of.lines);
        let room = room(of.value.map(|(_, name)| name));
        let value = of.value.map(|(value, name)| quote!(#name.put(#k, #value);));
        quote! {
            #room
            #(let mut #rooms = #lz::Lanes::room();)*
            #(let mut #copies = #changed;)*
            {
                let #stands_in = #panics || ::core::cfg!(debug_assertions);
                if #stands_in && #course.rare {
                    return #lz::Lanes::room();
                }
                let #leader = if #stands_in { #mask.leader() } else { 0 };
                let mut #any = false;
                // Where no lane runs, there is none to stand in for, and nothing worth its time.
                let lz_none = (#stands_in || #heavy) && !#mask.any();
                for #k in 0..if lz_none { 0 } else { #lz::COUNT } {
                    let #j = if #stands_in { #mask.stand_in(#k, #leader) } else { #k };
                    #(let mut #inputs = #inputs.get(#j);)*
                    let mut #is_rare = false;
                    let #rare = &mut #is_rare;
                    #lines
                    #value
                    #(#rooms.put(#k, #declared);)*
                    #(#puts)*
                    #any |= #is_rare & #mask.has(#k);
                }
                #course.rare |= #any;
            }
            #(#changed = #copies;)*
            #(let mut #declared = #rooms;)*
        }
    }
}

/// What runs once a lane.
struct Lines<'a> {
    panics: bool,
    /// Whether it takes longer than to ask whether any lane runs.
    heavy: bool,
    visible: &'a [Ident],
    lines: TokenStream,
    declared: &'a [Ident],
    /// The variables from outside that change, and whether for the lanes of the mask alone.
    assigned: &'a [(Ident, bool)],
    value: Option<(&'a TokenStream, &'a Ident)>,
}

/// Whether a name stands in an expression.
pub fn reads(e: &Expr, name: &Ident) -> bool {
    let mut list = Vec::new();
    idents(e.to_token_stream(), &mut list);
    list.contains(name)
}

/// All names in tokens.
fn idents(tokens: TokenStream, list: &mut Vec<Ident>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) if !list.contains(&name) => list.push(name),
            TokenTree::Group(group) => idents(group.stream(), list),
            _ => {}
        }
    }
}
