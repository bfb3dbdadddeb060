//! Assignments.

use super::expr::{in_lanes, operator, operator_cost};
use super::{Code, Translator, refuse};
use quote::quote;
use syn::{Expr, Result};

impl Translator {
    /// `place = value`: Rust runs the value before the place.
    pub(super) fn assign(&mut self, e: &syn::ExprAssign) -> Result<Code> {
        if let Expr::Infer(_) = &*e.left {
            let value = self.value(&e.right)?;
            let (probe, twin) = (&value.probe, &value.twin);
            let (probe, twin) = (quote!(_ = #probe), quote!(_ = #twin));
            return Ok(Code { before: value.before, probe, twin, ..Code::default() });
        }
        if let Expr::Tuple(places) = &*e.left {
            return self.assign_tuple(e, places);
        }
        if let Some(code) = self.dialect(|d, t| d.assign(t, &e.left, None, &e.right))? {
            return Ok(code);
        }
        let value = self.value(&e.right)?;
        let place = self.place(&e.left)?;
        let (left, right) = (&place.probe, &value.probe);
        let probe = quote!(#left = #right);
        let (left, right) = (&place.twin, &value.twin);
        let twin = quote!(#left = #right);
        let mut code =
            self.compose(vec![value, place], |v| format!("{} = {};\n", v[1], v[0]), probe, twin);
        code.before += &std::mem::take(&mut code.cpp);
        Ok(code)
    }

    /// `(a, b) = value`.
    fn assign_tuple(&mut self, e: &syn::ExprAssign, places: &syn::ExprTuple) -> Result<Code> {
        let value = self.value(&e.right)?;
        let name = self.fresh("t");
        let mut before = value.before;
        before += &format!("const auto {name} = {};\n", value.cpp);
        let (mut probes, mut twins) = (Vec::new(), Vec::new());
        for (k, place) in places.elems.iter().enumerate() {
            if let Expr::Infer(_) = place {
                probes.push(quote!(_));
                twins.push(quote!(_));
                continue;
            }
            let place = self.place(place)?;
            before += &place.before;
            before += &format!("{} = {name}._{k};\n", place.cpp);
            probes.push(place.probe);
            twins.push(place.twin);
        }
        let (probe, twin) = (&value.probe, &value.twin);
        let probe = quote!((#(#probes,)*) = #probe);
        let twin = quote!((#(#twins,)*) = #twin);
        Ok(Code { before, probe, twin, diverges: value.diverges, ..Code::default() })
    }

    /// `place += value` and its kin. For numbers, Rust runs the value first here too.
    pub(super) fn assign_op(&mut self, e: &syn::ExprBinary) -> Result<Code> {
        if let Some(code) = self.dialect(|d, t| d.assign(t, &e.left, Some(&e.op), &e.right))? {
            return Ok(code);
        }
        let spelling = operator(&e.op);
        self.spend(operator_cost(&e.op));
        let value = self.value(&e.right)?;
        let place = self.place(&e.left)?;
        let op = &e.op;
        let (left, right) = (&place.probe, &value.probe);
        let probe = quote!(#left #op #right);
        let (left, right) = (&place.twin, &value.twin);
        let twin = match (self.in_lanes && fails(op), op) {
            (true, _) => {
                let result = in_lanes(op, left, right);
                quote!(#left = #result)
            }
            (false, syn::BinOp::DivAssign(_) | syn::BinOp::RemAssign(_)) => {
                let right = self.divisor(&e.right, right);
                quote!(#left #op #right)
            }
            (false, _) => quote!(#left #op #right),
        };
        // A place that is computed is computed once.
        let simple = place.cpp.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        let name = self.fresh("place");
        let cpp = |v: &[&str]| {
            let (place, declared) = match simple {
                true => (v[1].to_string(), String::new()),
                false => (name.clone(), format!("auto& {name} = {};\n", v[1])),
            };
            let result = spelling.replace("{0}", &place).replace("{1}", v[0]);
            format!("{declared}{place} = {result};\n")
        };
        let mut code = self.compose(vec![value, place], cpp, probe, twin);
        code.before += &std::mem::take(&mut code.cpp);
        Ok(code)
    }

    /// What can be assigned to: a variable, a field or an element of one. The place keeps its own
    /// C++ name, so that nothing is copied.
    pub(super) fn place(&mut self, e: &Expr) -> Result<Code> {
        match e {
            Expr::Path(path) => {
                let name = path.path.get_ident().map(|name| name.to_string());
                match name.and_then(|name| self.variable(&name).map(str::to_string)) {
                    Some(cpp) => Ok(Code::plain(cpp, quote!(#path))),
                    None => refuse(e, "device code can assign to its own variables alone"),
                }
            }
            Expr::Field(_) | Expr::Index(_) => self.value(e),
            Expr::Paren(paren) => self.place(&paren.expr),
            Expr::Group(group) => self.place(&group.expr),
            _ => refuse(e, "device code can assign to variables, their fields and elements"),
        }
    }
}

/// Whether whole numbers can fail at an operator that assigns.
fn fails(op: &syn::BinOp) -> bool {
    use syn::BinOp::*;
    !matches!(op, BitXorAssign(_) | BitAndAssign(_) | BitOrAssign(_))
}
