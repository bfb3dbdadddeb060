//! Statements and blocks.

use super::{Code, Translator, refuse};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, Expr, Item, Pat, Result, Stmt};

impl Translator {
    /// A block in a scope of its own: its statements are in `before`, the value of its tail, if
    /// it is wanted, in `cpp`. The Rust forms carry the braces.
    pub fn block(&mut self, block: &Block, wanted: bool) -> Result<Code> {
        self.scope(|t| t.statements(&block.stmts, wanted)).map_err(|mut error| {
            if wanted && block.stmts.is_empty() {
                error = syn::Error::new(block.span(), "this block must give a value");
            }
            error
        })
    }

    fn statements(&mut self, stmts: &[Stmt], wanted: bool) -> Result<Code> {
        let mut code = Code::default();
        let (mut probe, mut twin) = (TokenStream::new(), TokenStream::new());
        for (k, stmt) in stmts.iter().enumerate() {
            let tail = k + 1 == stmts.len();
            let part = match stmt {
                Stmt::Expr(e, None) if tail && wanted => self.value(e)?,
                Stmt::Expr(e, semi) => {
                    let mut part = self.effect(e)?;
                    part.probe.extend(quote!(#semi));
                    part.twin.extend(quote!(#semi));
                    part
                }
                Stmt::Local(local) => self.local(local)?,
                Stmt::Item(item) => {
                    self.item(item)?;
                    continue;
                }
                Stmt::Macro(m) => {
                    let mut part = self.macro_call(&m.mac)?;
                    let semi = &m.semi_token;
                    part.probe.extend(quote!(#semi));
                    part.twin.extend(quote!(#semi));
                    part
                }
            };
            probe.extend(part.probe);
            twin.extend(part.twin);
            if !code.diverges {
                // What stands behind a `return` is checked by rustc, and never runs.
                code.before += &part.before;
                code.cpp = part.cpp;
                code.fixed = part.fixed;
                code.diverges = part.diverges;
            }
        }
        code.probe = quote!({ #probe });
        code.twin = quote!({ #twin });
        Ok(code)
    }

    fn item(&mut self, item: &Item) -> Result<()> {
        match item {
            // They go to the top, where the constants that are computed on the host see them; so
            // they must stand at the top.
            Item::Const(_) | Item::Use(_) if self.scopes.len() == 2 => {
                self.items.push(item.clone());
                Ok(())
            }
            Item::Const(_) | Item::Use(_) => {
                refuse(item, "move this item to the top of the function's body")
            }
            Item::Fn(_) => refuse(item, "move this function out, and mark it with `#[device]`"),
            _ => refuse(item, "device code has no items but `const` and `use`"),
        }
    }

    /// A `let`.
    pub fn local(&mut self, local: &syn::Local) -> Result<Code> {
        if let Some(code) = self.dialect(|d, t| d.local(t, local))? {
            return Ok(code);
        }
        let Some(init) = &local.init else { return self.declaration(local) };
        if let Some((_, diverge)) = &init.diverge {
            return refuse(diverge, "device code has no `let … else`; use `if`");
        }
        let value = self.value(&init.expr)?;
        if value.diverges {
            return refuse(&init.expr, "this never gives a value");
        }
        let (pat, mut before) = (&local.pat, value.before);
        let is_name = |pat: &Pat| matches!(pat, Pat::Ident(_) | Pat::Wild(_));
        let whole = match pat {
            Pat::Type(p) => is_name(&p.pat),
            other => is_name(other),
        };
        let cpp = if whole {
            value.cpp
        } else {
            let name = self.fresh("t");
            before += &format!("const auto {name} = {};\n", value.cpp);
            name
        };
        let mut lengths = Vec::new();
        self.lengths(pat, &init.expr, &mut lengths);
        before += &self.declare(pat, &cpp)?;
        for name in lengths {
            let cpp = self.variable(&name).expect("just declared").to_string();
            self.dialect.add_length(&cpp);
        }
        let (pat, probe, twin) = (Self::same(pat), &value.probe, &value.twin);
        let (probe, twin) = (quote!(let #pat = #probe;), quote!(let #pat = #twin;));
        Ok(Code { before, probe, twin, ..Code::default() })
    }

    /// The variables that a `let` makes lengths of arrays, which stay what they are.
    fn lengths(&mut self, pat: &Pat, init: &Expr, list: &mut Vec<String>) {
        match (pat, init) {
            (Pat::Ident(p), _) if p.mutability.is_none() && self.is_length(init) => {
                list.push(p.ident.to_string());
            }
            (Pat::Type(p), _) => self.lengths(&p.pat, init, list),
            (Pat::Tuple(p), Expr::Tuple(e)) if p.elems.len() == e.elems.len() => {
                p.elems.iter().zip(&e.elems).for_each(|(p, e)| self.lengths(p, e, list));
            }
            _ => {}
        }
    }

    /// Whether the dialect knows an expression as a length.
    pub(super) fn is_length(&mut self, e: &Expr) -> bool {
        self.dialect.clone().is_length(self, e)
    }

    /// `let x: f64;`, which something later fills.
    fn declaration(&mut self, local: &syn::Local) -> Result<Code> {
        let Pat::Type(typed) = &local.pat else {
            return refuse(local, "write the type, `let x: f64;`, or give the variable a value");
        };
        let Pat::Ident(ident) = &*typed.pat else {
            return refuse(&typed.pat, "declare one name at a time, or give the pattern a value");
        };
        let ty = &typed.ty;
        let name = self.bind(&ident.ident.to_string());
        let hole = self.slots.ty(quote!(#ty));
        let (before, rust) = (format!("{hole} {name};\n"), quote!(#local));
        Ok(Code { before, ..Code::plain("", rust) })
    }

    /// A block as a value.
    pub(super) fn block_value(&mut self, e: &syn::ExprBlock) -> Result<Code> {
        let Some(label) = &e.label else { return self.block(&e.block, true) };
        self.labelled(e, label, true)
    }

    /// A block as a statement.
    pub(super) fn block_effect(&mut self, e: &syn::ExprBlock) -> Result<Code> {
        let Some(label) = &e.label else { return self.block(&e.block, false) };
        self.labelled(e, label, false)
    }

    pub(super) fn return_(&mut self, e: &syn::ExprReturn) -> Result<Code> {
        let Some(value) = &e.expr else {
            let before = "return;\n".into();
            return Ok(Code { before, diverges: true, ..Code::plain("", quote!(#e)) });
        };
        if !self.returns {
            return refuse(value, "this function gives no value");
        }
        let code = self.value(value)?;
        let (probe, twin) = (&code.probe, &code.twin);
        let (probe, twin) = (quote!(return #probe), quote!(return #twin));
        let mut before = code.before;
        if !code.diverges {
            before += &format!("return {};\n", code.cpp);
        }
        Ok(Code { before, probe, twin, diverges: true, ..Code::default() })
    }

    /// A C++ variable that branches will set to the value of `probe`, declared, and the probe
    /// that tells its type.
    pub(super) fn result(
        &mut self,
        at: &Expr,
        probe: TokenStream,
    ) -> (String, String, TokenStream) {
        let (hole, probe) = self.slots.inferred(at.span(), probe);
        let name = self.fresh("r");
        let declared = format!("{hole} {name};\n");
        (name, declared, quote_spanned!(at.span()=> #probe))
    }
}
