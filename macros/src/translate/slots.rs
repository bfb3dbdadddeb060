//! The holes of a template and how the probe fills them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// What fills one hole.
enum Fill {
    /// The C++ name of a type that tokens name.
    Named(TokenStream),
    /// The C++ name of the type that rustc infers at a place.
    Inferred(Span),
    /// The C++ name of a field of the type that rustc infers at a place.
    Member(Span, String),
    /// The C++ name of a field of a type that tokens name.
    Field(TokenStream, String),
    /// The C++ literal of a constant expression.
    Value(Span, TokenStream),
    /// The name of the device function that a call means.
    Call(Span),
}

/// The holes of a template, `$0$`, `$1$`, ….
#[derive(Default)]
pub struct Slots(Vec<Fill>);

impl Slots {
    fn add(&mut self, fill: Fill) -> (String, Ident) {
        let k = self.0.len();
        self.0.push(fill);
        (format!("${k}$"), format_ident!("lz_{k}", span = Span::mixed_site()))
    }

    /// The C++ name of a type that the macro has the tokens of.
    pub fn ty(&mut self, rust: TokenStream) -> String {
        self.add(Fill::Named(rust)).0
    }

    /// The C++ name of an expression's type: the hole, and the expression for the probe.
    pub fn inferred(&mut self, span: Span, probe: TokenStream) -> (String, TokenStream) {
        let (hole, slot) = self.add(Fill::Inferred(span));
        (hole, quote_spanned!(span=> #slot.tie(#probe)))
    }

    /// The C++ name of a field of an expression: the hole, and the expression for the probe.
    pub fn member(&mut self, span: Span, probe: TokenStream, name: &str) -> (String, TokenStream) {
        let (hole, slot) = self.add(Fill::Member(span, name.to_owned()));
        (hole, quote_spanned!(span=> #slot.tie(#probe)))
    }

    /// The C++ name of a field of a type that the macro has the tokens of.
    pub fn field(&mut self, rust: TokenStream, name: &str) -> String {
        self.add(Fill::Field(rust, name.to_owned())).0
    }

    /// A constant of the type that rustc infers where it stands: the hole, and the expression for
    /// the probe. The constant is also evaluated outside of the closure.
    pub fn constant(&mut self, span: Span, rust: TokenStream) -> (String, TokenStream) {
        let (hole, slot) = self.add(Fill::Value(span, rust.clone()));
        (hole, quote_spanned!(span=> #slot.tie(#rust)))
    }

    /// The name of a device function: the hole, and the slot to hand to the callee.
    pub fn call(&mut self, span: Span) -> (String, Ident) {
        self.add(Fill::Call(span))
    }

    /// Statements that make the slots, type-check `closure`, and fill the holes of `template` in
    /// the `Describe` that `lz_to` is.
    pub fn probe(&self, closure: TokenStream, template: &str, cost: f64) -> TokenStream {
        let (slots, fills) = self.parts(template, cost);
        quote! {
            #slots
            let _ = #closure;
            #fills
        }
    }

    /// The same in two parts: the slots, which a probe between them ties, and what fills the holes.
    pub fn parts(&self, template: &str, cost: f64) -> (TokenStream, TokenStream) {
        let name = |k: usize| format_ident!("lz_{k}", span = Span::mixed_site());
        let is_tied = |fill: &Fill| !matches!(fill, Fill::Named(_) | Fill::Field(..));
        let slots = self.0.iter().enumerate().filter(|(_, fill)| is_tied(fill));
        let slots = slots.map(|(k, _)| name(k));
        let lz = Ident::new("lz_to", Span::call_site());
        let fills = self.0.iter().enumerate().map(|(k, fill)| {
            let slot = name(k);
            // The name is not the user's, whatever place an error is to point at.
            match fill {
                Fill::Named(ty) => quote!(#lz.named::<#ty>();),
                Fill::Inferred(span) => quote_spanned!(*span=> #slot.inferred(#lz);),
                Fill::Member(span, name) => quote_spanned!(*span=> #slot.member(#lz, #name);),
                Fill::Field(ty, name) => quote!(#lz.field::<#ty>(#name);),
                Fill::Value(span, value) => quote_spanned!(*span=> #slot.constant(#lz, #value);),
                Fill::Call(span) => quote_spanned!(*span=> #slot.call(#lz);),
            }
        });
        let slots = quote!(#(let #slots = ::lazuli::__private::Slot::new();)*);
        (slots, quote!(#(#fills)* #lz.template(#template, #cost);))
    }
}
