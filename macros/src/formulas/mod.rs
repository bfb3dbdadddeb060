//! Functions of numbers that are made of others: `rows.rs` has a row for each, from which everything
//! else that knows one by name is made.

mod row;
#[cfg(test)]
mod tests;

use self::row::{Kind, Row};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use std::sync::LazyLock;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ItemFn, Result, parse_quote};

/// The rows, as they are written.
const ROWS: &str = include_str!("rows.rs");

/// The methods that rows make, and how many arguments stand beside the receiver.
static METHODS: LazyLock<Vec<(String, usize)>> = LazyLock::new(|| {
    let rows = row::read(ROWS).unwrap_or_default();
    let methods = rows.iter().filter(|row| row.kind == Kind::Method);
    methods.map(|row| (row.name.to_string(), row.parameters.len() - 1)).collect()
});

/// How many arguments the method of a row takes.
pub fn arguments(name: &str) -> Option<usize> {
    METHODS.iter().find(|method| method.0 == name).map(|method| method.1)
}

/// Hands the rows to a macro of the caller's, each as
///
/// ```text
/// method [documentation] [example] [example of the function]
///     fn name | try_name(x, y) { … } within 2.0, floor 0.0;
/// ```
///
/// or `function […] …` where it is to be no method.
///
/// # Errors
/// At a row that lacks something, which the message says.
pub fn expand(consumer: &TokenStream) -> Result<TokenStream> {
    let rows = row::read(ROWS)?.into_iter().map(|row| {
        let Row { name, parameters, documentation, body, .. } = &row;
        let kind = match row.kind {
            Kind::Method => quote!(method),
            Kind::Function => quote!(function),
        };
        let (method, function) = (row.example(true), row.example(false));
        let twin = format_ident!("try_{name}");
        let (within, floor) = (row.oracle.within, row.oracle.floor);
        quote! {
            #kind [#(#documentation)*] [#(#[doc = #method])*] [#(#[doc = #function])*]
            fn #name | #twin(#(#parameters),*) #body within #within, floor #floor;
        }
    });
    let rows = rows.collect::<Vec<_>>();
    Ok(quote!(#consumer! { #(#rows)* }))
}

/// A user's function in which methods of rows are calls of the functions: of these device code knows
/// where theirs is.
pub fn spelled_out(mut item: ItemFn) -> ItemFn {
    struct Calls;
    impl VisitMut for Calls {
        fn visit_expr_mut(&mut self, e: &mut Expr) {
            visit_mut::visit_expr_mut(self, e);
            let Expr::MethodCall(call) = &*e else { return };
            if arguments(&call.method.to_string()) != Some(call.args.len()) {
                return;
            }
            let (method, receiver, rest) = (&call.method, &call.receiver, &call.args);
            let path = quote_spanned!(method.span()=> ::lazuli::special::device::#method);
            let comma = (!rest.is_empty()).then(|| quote!(,));
            *e = parse_quote!(#path(#receiver #comma #rest));
        }
    }
    Calls.visit_item_fn_mut(&mut item);
    item
}
