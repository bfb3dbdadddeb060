//! Finds the loops of an item-by-item gufunc whose turns threads can share: those at the top of the
//! body, of which each turn writes places of its own.

use super::forms::{LENGTHS, ident};
use super::params::{Holder, Params};
use crate::translate::{asserted, bare, is_assignment, is_swap, matched};
use proc_macro2::Ident;
use std::collections::{HashMap, HashSet};
use syn::visit::Visit;
use syn::{Block, Expr, ExprForLoop, Pat, RangeLimits, Stmt};

/// The label of such a loop.
pub const LABEL: &str = "lz_spread";

/// Labels the loops whose turns may be shared, and says how many there are; 0 where the function
/// must run as it stands.
pub fn spread(block: &mut Block, params: &Params) -> usize {
    let written: HashSet<String> = params
        .outputs
        .iter()
        .filter(|p| p.holder != Holder::ScalarMut)
        .map(|p| p.name.to_string())
        .collect();
    let mut names: HashSet<String> = params.all().map(|p| p.name.to_string()).collect();
    for stmt in &block.stmts {
        match stmt {
            Stmt::Local(local) => bound(&local.pat, &mut names),
            Stmt::Expr(Expr::ForLoop(e), _) if e.label.is_none() => {}
            Stmt::Item(_) => {}
            _ => return 0,
        }
    }
    let loops = block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Expr(Expr::ForLoop(e), _) => Some(e),
        _ => None,
    });
    if params.returns || !loops.clone().all(|e| is_shared(e, &names, &written)) {
        return 0;
    }
    let count = loops.count();
    // With one loop several blocks share an item, and nothing makes them wait for each other.
    if count == 1 && block.stmts.iter().any(|stmt| reads_around(stmt, &written)) {
        return 0;
    }
    for stmt in &mut block.stmts {
        if let Stmt::Expr(Expr::ForLoop(e), _) = stmt {
            let name = syn::Lifetime::new(&format!("'{LABEL}"), e.for_token.span);
            e.label = Some(syn::Label { name, colon_token: Default::default() });
        }
    }
    count
}

/// Whether a `let`, or the range of a loop, reads an array that is written.
fn reads_around(stmt: &Stmt, written: &HashSet<String>) -> bool {
    struct Any<'a>(&'a HashSet<String>, bool);
    impl Visit<'_> for Any<'_> {
        fn visit_expr_index(&mut self, e: &syn::ExprIndex) {
            self.1 |= ident(&e.expr).is_some_and(|name| self.0.contains(&name.to_string()));
            syn::visit::visit_expr_index(self, e);
        }
    }
    let mut any = Any(written, false);
    match stmt {
        Stmt::Local(local) => any.visit_local(local),
        Stmt::Expr(Expr::ForLoop(e), _) => any.visit_expr(&e.expr),
        _ => {}
    }
    any.1
}

/// Whether no turn of a loop needs what another one does.
fn is_shared(e: &ExprForLoop, around: &HashSet<String>, written: &HashSet<String>) -> bool {
    let Pat::Ident(turn) = &*e.pat else { return false };
    let is_range = match bare(&e.expr) {
        Expr::Range(range) => {
            matches!(range.limits, RangeLimits::HalfOpen(_))
                && range.start.is_some()
                && range.end.is_some()
        }
        _ => false,
    };
    if !is_range || turn.by_ref.is_some() || turn.subpat.is_some() {
        return false;
    }
    let mut look = Look {
        turn: &turn.ident,
        around,
        written,
        axes: HashMap::new(),
        loops: 0,
        is_apart: turn.mutability.is_none(),
    };
    look.visit_block(&e.body);
    look.is_apart
}

/// Looks for what would tie turns to each other.
struct Look<'a> {
    turn: &'a Ident,
    around: &'a HashSet<String>,
    written: &'a HashSet<String>,
    /// For each array that is written the axis along which places are the turn's own.
    axes: HashMap<String, usize>,
    loops: usize,
    is_apart: bool,
}

impl Look<'_> {
    fn assigned(&mut self, place: &Expr) {
        match bare(place) {
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|e| self.assigned(e)),
            Expr::Index(_) | Expr::Infer(_) => {}
            Expr::Field(field) => self.assigned(&field.base),
            other => {
                let is_own = ident(other).is_some_and(|n| !self.around.contains(&n.to_string()));
                self.is_apart &= is_own;
            }
        }
    }
}

impl Visit<'_> for Look<'_> {
    fn visit_expr_index(&mut self, e: &syn::ExprIndex) {
        if let Some(name) = ident(&e.expr)
            && self.written.contains(&name.to_string())
        {
            let parts: Vec<&Expr> = match bare(&e.index) {
                Expr::Tuple(tuple) => tuple.elems.iter().collect(),
                Expr::Array(array) => array.elems.iter().collect(),
                other => vec![other],
            };
            let own = parts.iter().position(|part| ident(part) == Some(self.turn));
            match own {
                Some(axis) => {
                    let known = *self.axes.entry(name.to_string()).or_insert(axis);
                    self.is_apart &= known == axis;
                }
                None => self.is_apart = false,
            }
            self.visit_expr(&e.index);
            return;
        }
        // An array of the item's own that lies in registers is assigned by its name.
        syn::visit::visit_expr_index(self, e);
    }

    fn visit_expr_path(&mut self, e: &syn::ExprPath) {
        // An array that is written and not indexed: its lengths alone are harmless, and those are
        // methods, whose receivers are not visited.
        if let Some(name) = e.path.get_ident() {
            self.is_apart &= !self.written.contains(&name.to_string());
        }
    }

    fn visit_expr_method_call(&mut self, e: &syn::ExprMethodCall) {
        match ident(&e.receiver) {
            None => self.visit_expr(&e.receiver),
            // What hands on an array, or a part of it, may write anywhere.
            Some(name) => {
                let is_length = LENGTHS.contains(&e.method.to_string().as_str());
                self.is_apart &= is_length || !self.written.contains(&name.to_string());
            }
        }
        if is_swap(e) {
            let name = ident(&e.receiver).map(ToString::to_string);
            self.is_apart &= name.is_some_and(|name| !self.around.contains(&name));
        }
        e.args.iter().for_each(|e| self.visit_expr(e));
    }

    fn visit_expr_assign(&mut self, e: &syn::ExprAssign) {
        self.assigned(&e.left);
        if let Expr::Index(index) = bare(&e.left)
            && let Some(name) = ident(&index.expr)
        {
            let name = name.to_string();
            self.is_apart &= self.written.contains(&name) || !self.around.contains(&name);
        }
        syn::visit::visit_expr_assign(self, e);
    }

    fn visit_expr_binary(&mut self, e: &syn::ExprBinary) {
        if is_assignment(&e.op) {
            self.assigned(&e.left);
            if let Expr::Index(index) = bare(&e.left)
                && let Some(name) = ident(&index.expr)
            {
                let name = name.to_string();
                self.is_apart &= self.written.contains(&name) || !self.around.contains(&name);
            }
        }
        syn::visit::visit_expr_binary(self, e);
    }

    fn visit_pat_ident(&mut self, p: &syn::PatIdent) {
        // A name of around that is bound anew: which of the two is meant is not looked into.
        self.is_apart &= p.ident != *self.turn && !self.around.contains(&p.ident.to_string());
    }

    fn visit_expr_for_loop(&mut self, e: &ExprForLoop) {
        self.loops += 1;
        syn::visit::visit_expr_for_loop(self, e);
        self.loops -= 1;
    }

    fn visit_expr_while(&mut self, e: &syn::ExprWhile) {
        self.loops += 1;
        syn::visit::visit_expr_while(self, e);
        self.loops -= 1;
    }

    fn visit_expr_loop(&mut self, e: &syn::ExprLoop) {
        self.loops += 1;
        syn::visit::visit_expr_loop(self, e);
        self.loops -= 1;
    }

    fn visit_expr_break(&mut self, e: &syn::ExprBreak) {
        self.is_apart &= self.loops > 0 && e.label.is_none();
        syn::visit::visit_expr_break(self, e);
    }

    fn visit_expr_continue(&mut self, e: &syn::ExprContinue) {
        self.is_apart &= e.label.is_none();
    }

    fn visit_expr_return(&mut self, _: &syn::ExprReturn) {
        self.is_apart = false;
    }

    fn visit_macro(&mut self, m: &syn::Macro) {
        match matched(m) {
            Some(e) => self.visit_expr(&e),
            // A GPU leaves assertions out.
            None => self.is_apart &= asserted(m).is_some(),
        }
    }
}

/// The names that a pattern binds.
fn bound(pat: &Pat, names: &mut HashSet<String>) {
    struct Names<'a>(&'a mut HashSet<String>);
    impl Visit<'_> for Names<'_> {
        fn visit_pat_ident(&mut self, p: &syn::PatIdent) {
            self.0.insert(p.ident.to_string());
            syn::visit::visit_pat_ident(self, p);
        }
    }
    Names(names).visit_pat(pat);
}

/// Whether a loop bears the label.
pub fn is_spread(e: &ExprForLoop) -> bool {
    e.label.as_ref().is_some_and(|label| label.name.ident == LABEL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guvectorize::signature::Signature;
    use syn::{ItemFn, LitStr, parse_quote};

    fn count(mut item: ItemFn) -> usize {
        let signature = LitStr::new("(n),(m)->(n)", proc_macro2::Span::call_site());
        let signature = Signature::parse(&signature).unwrap();
        let params = Params::new(&item, &signature).unwrap();
        spread(&mut item.block, &params)
    }

    macro_rules! body {
        ($($body:tt)*) => {
            count(parse_quote! {
                fn f(a: &[f64], b: &[f64], out: &mut [f64]) { $($body)* }
            })
        };
    }

    #[test]
    fn turns_that_write_places_of_their_own_are_shared() {
        assert_eq!(
            body!(for i in 0..a.len() {
                out[i] = a[i];
            }),
            1
        );
        assert_eq!(
            body! {
                let n = a.len();
                for i in 0..n {
                    let mut k = 0;
                    while k < i { if b[k] > a[i] { break; } k += 1; }
                    out[i] = k as f64;
                }
                let first = out.len();
                for j in 1..n { out[j] = out[j] * 2.0; }
            },
            2
        );
    }

    #[test]
    fn turns_that_need_each_other_are_not() {
        assert_eq!(
            body!(for i in 1..a.len() {
                out[i] = out[i - 1] + a[i];
            }),
            0
        );
        assert_eq!(
            body!(for i in 0..a.len() {
                out[0] += a[i];
            }),
            0
        );
        assert_eq!(
            body!(for i in 0..a.len() {
                if a[i] > 0.0 {
                    break;
                }
                out[i] = 1.0;
            }),
            0
        );
        assert_eq!(
            body!(for i in 0..a.len() {
                if a[i] > 0.0 {
                    return;
                }
                out[i] = 1.0;
            }),
            0
        );
        assert_eq!(body!(let mut s = 0.0; for i in 0..a.len() { s += a[i]; out[i] = s; }), 0);
        assert_eq!(
            body!(for i in 0..a.len() {
                let i = i / 2;
                out[i] = a[i];
            }),
            0
        );
        assert_eq!(body!(let mut k = 0; while k < 3 { out[k] = 1.0; k += 1; }), 0);
        assert_eq!(
            body!(for i in (0..a.len()).rev() {
                out[i] = a[i];
            }),
            0
        );
        assert_eq!(body!(let mut t = [0.0; 4]; for i in 0..4 { t[0] += a[i]; out[i] = t[0]; }), 0);
    }
}
