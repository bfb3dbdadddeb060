//! `a.sum()`, `a.row(i).sum()` and `a.column(j).sum()` of a gufunc's arrays, written out as loops that
//! add up, which are what recordings and device code know.
//!
//! A sum becomes statements before the one that it stands in. They have no effect, so that it makes
//! no difference that they run where `&&` or a branch would have left them out.

use super::forms::ident;
use crate::translate::bare;
use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Stmt, Type, parse_quote};

/// Writes out the sums of these arrays: names, element types and numbers of axes.
pub fn written_out(block: &mut Block, arrays: &[(Ident, Type, usize)]) {
    Sums { arrays, before: Vec::new(), count: 0 }.visit_block_mut(block);
}

struct Sums<'a> {
    arrays: &'a [(Ident, Type, usize)],
    /// The statements that come before the one that is looked at.
    before: Vec<Stmt>,
    count: usize,
}

/// What is added up: a whole array, or a line of a matrix along an axis.
enum Line<'a> {
    Whole,
    Row(&'a Expr),
    Column(&'a Expr),
}

impl Sums<'_> {
    fn array(&self, e: &Expr) -> Option<&(Ident, Type, usize)> {
        let name = ident(e)?;
        self.arrays.iter().find(|array| array.0 == *name)
    }

    /// The loops of a sum, whose result has the name that is given back.
    fn sum(&mut self, e: &Expr) -> Option<Ident> {
        let Expr::MethodCall(call) = bare(e) else { return None };
        if call.method != "sum" || !call.args.is_empty() || call.turbofish.is_some() {
            return None;
        }
        let (array, line) = match (self.array(&call.receiver), bare(&call.receiver)) {
            (Some(array), _) => (array, Line::Whole),
            (None, Expr::MethodCall(line)) if line.args.len() == 1 => {
                let array = self.array(&line.receiver).filter(|array| array.2 == 2)?;
                match line.method.to_string().as_str() {
                    "row" => (array, Line::Row(&line.args[0])),
                    "column" => (array, Line::Column(&line.args[0])),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let (name, element, rank) = array.clone();
        let (sum, at) = (self.name("sum"), self.name("line"));
        let places: Vec<Ident> = (0..rank).map(|k| format_ident!("{at}_{k}")).collect();
        let zero = quote!(<#element as ::lazuli::__private::num_traits::Zero>::zero());
        self.before.push(parse_quote!(let mut #sum: #element = #zero;));
        let adds: Stmt = match line {
            Line::Row(i) => {
                let (place, j) = (&places[0], &places[1]);
                self.before.push(parse_quote!(let #place = #i;));
                parse_quote!(for #j in 0..#name.ncols() { #sum += #name[[#place, #j]]; })
            }
            Line::Column(j) => {
                let (i, place) = (&places[0], &places[1]);
                self.before.push(parse_quote!(let #place = #j;));
                parse_quote!(for #i in 0..#name.nrows() { #sum += #name[[#i, #place]]; })
            }
            Line::Whole if rank == 1 => {
                let i = &places[0];
                parse_quote!(for #i in 0..#name.len() { #sum += #name[#i]; })
            }
            Line::Whole => {
                let mut inner: Stmt = parse_quote!(#sum += #name[[#(#places),*]];);
                for (k, place) in places.iter().enumerate().rev() {
                    inner = parse_quote! {
                        for #place in 0..#name.len_of(::lazuli::__private::ndarray::Axis(#k)) { #inner }
                    };
                }
                inner
            }
        };
        self.before.push(adds);
        Some(sum)
    }

    fn name(&mut self, hint: &str) -> Ident {
        self.count += 1;
        Ident::new(&format!("lz_{hint}_{}", self.count), Span::call_site())
    }
}

impl VisitMut for Sums<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let around = std::mem::take(&mut self.before);
        let mut stmts = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            self.visit_stmt_mut(&mut stmt);
            stmts.append(&mut self.before);
            stmts.push(stmt);
        }
        block.stmts = stmts;
        self.before = around;
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            // The condition is asked for before each turn, so that statements before the loop would not
            // do: it stays, and is refused where it cannot be.
            Expr::While(e) => return self.visit_block_mut(&mut e.body),
            Expr::Closure(_) => return,
            _ => {}
        }
        visit_mut::visit_expr_mut(self, e);
        if let Some(name) = self.sum(e) {
            *e = parse_quote!(#name);
        }
    }
}
