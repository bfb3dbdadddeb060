//! Values of recorded loops: elements that are read, and pieces.

use super::forms::ident;
use super::gather::{Gather, Use, has_control, piece_of};
use super::parts::Apart;
use super::scopes::{Kind, Lowering, No, Outcome, lz};
use crate::translate::bare;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

impl Lowering<'_> {
    /// An expression as a value.
    pub fn value(&mut self, e: &Expr) -> Outcome<TokenStream> {
        let lz = lz();
        let bare = bare(e);
        if let Some(name) = ident(bare) {
            match self.kind(&name.to_string()) {
                Some(Kind::Value { .. }) => return Ok(quote!(::core::clone::Clone::clone(&#name))),
                Some(Kind::Index) => return Ok(quote!(#lz.value(&#name)?)),
                _ => {}
            }
        }
        if let Expr::Index(element) = bare
            && let Some(name) = ident(&element.expr)
            && self.kind(&name.to_string()) == Some(Kind::Array)
        {
            let at = self.place(&element.index)?;
            return Ok(quote!(#lz.read(&#name, #at, true)?));
        }
        let mut expression = e.clone();
        let mut apart = TokenStream::new();
        if self.parts.is_some() {
            apart = self.take_apart(&mut expression)?;
        }
        let has_control = has_control(&expression);
        let mut gather = Gather::new(self, has_control);
        gather.run(&mut expression)?;
        let Use { params, assigned } = gather.finish()?;
        if !assigned.is_empty() {
            return Err(No);
        }
        let block: syn::Block = syn::parse_quote!({ #expression });
        let piece = piece_of(self, &params, &block)?;
        Ok(if apart.is_empty() { piece } else { quote!({ #apart #piece }) })
    }

    /// Takes the parts of an expression out that depend on fewer arguments than the whole, and are
    /// worth it: they call something. Gives the statements that compute them.
    fn take_apart(&mut self, e: &mut Expr) -> Outcome<TokenStream> {
        let Some(parts) = &self.parts else { return Ok(TokenStream::new()) };
        let whole = parts.on(e);
        let mut apart = Apart { parts, whole, found: Vec::new() };
        apart.below(e);
        let found = apart.found;
        if let Some(parts) = &mut self.parts {
            parts.is_worth_it |= !found.is_empty();
        }
        let mut code = TokenStream::new();
        for (name, part, on) in found {
            let value = self.value(&part)?;
            code.extend(quote!(let #name = #value;));
            self.bind(&name.to_string(), Kind::Value { depth: self.depth() });
            self.parts.as_mut().ok_or(No)?.of.insert(name.to_string(), on);
        }
        Ok(code)
    }
}
