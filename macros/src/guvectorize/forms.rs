//! What expressions tell by their form alone, whatever their names stand for.

use crate::translate::bare;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::visit::Visit;
use syn::{BinOp, Expr, Stmt};

/// The methods of arrays that tell their lengths.
pub const LENGTHS: [&str; 8] =
    ["len", "shape", "nrows", "ncols", "dim", "len_of", "ndim", "is_empty"];

/// The plain name that an expression is.
pub fn ident(e: &Expr) -> Option<&Ident> {
    match bare(e) {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// Whether computing this on the host may panic: lengths that are subtracted or divided by.
pub fn may_fail(e: &Expr) -> bool {
    struct Any(bool);
    impl Visit<'_> for Any {
        fn visit_expr_binary(&mut self, e: &syn::ExprBinary) {
            self.0 |= matches!(e.op, BinOp::Sub(_) | BinOp::Div(_) | BinOp::Rem(_));
            syn::visit::visit_expr_binary(self, e);
        }
        fn visit_expr_index(&mut self, e: &syn::ExprIndex) {
            syn::visit::visit_expr_index(self, e);
        }
    }
    let mut any = Any(false);
    any.visit_expr(e);
    any.0
}

/// An array that is made in a function: its rank, its element type, its lengths and its value.
pub type OwnArray = (usize, TokenStream, Vec<Expr>);

/// `Array1::<T>::zeros(shape)` and `from_elem(shape, value)`: the number of axes, the element type
/// and the arguments.
pub fn own_array(e: &Expr) -> Option<OwnArray> {
    let Expr::Call(call) = bare(e) else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let segments: Vec<_> = path.path.segments.iter().collect();
    let [.., owner, function] = &segments[..] else { return None };
    let rank = owner.ident.to_string().strip_prefix("Array")?.parse().ok()?;
    let arguments = match function.ident.to_string().as_str() {
        "zeros" => 1,
        "from_elem" => 2,
        _ => return None,
    };
    if call.args.len() != arguments || !(1..=3).contains(&rank) {
        return None;
    }
    let element = match &owner.arguments {
        syn::PathArguments::AngleBracketed(list) => {
            let list = &list.args;
            quote!(#list)
        }
        _ => quote!(_),
    };
    Some((rank, element, call.args.iter().cloned().collect()))
}

/// Whether the function makes arrays of its own.
pub fn has_arrays(block: &syn::Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Local(local) => local.init.as_ref().is_some_and(|i| own_array(&i.expr).is_some()),
        _ => false,
    })
}
