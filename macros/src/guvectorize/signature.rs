//! `"(n,m),(m,p)->(n,p)"`.

use crate::translate::refuse;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{LitStr, Result};

/// The length of a core axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dim {
    /// That of a dimension, by its number.
    Named(usize),
    /// Always the same.
    Fixed(usize),
}

/// The core axes of all arguments and results.
#[derive(Debug)]
pub struct Signature {
    /// The names of the dimensions.
    pub dims: Vec<String>,
    /// The arguments.
    pub inputs: Vec<Vec<Dim>>,
    /// The results.
    pub outputs: Vec<Vec<Dim>>,
}

const FORM: &str = "write the core axes of arguments and results: \
                    `#[guvectorize(\"(n,m),(m,p)->(n,p)\")]`; `()` is a scalar, and `(3)` a fixed \
                    length";

impl Signature {
    /// Parses.
    ///
    /// # Errors
    /// At the literal.
    pub fn parse(literal: &LitStr) -> Result<Signature> {
        let text: String = literal.value().chars().filter(|c| !c.is_whitespace()).collect();
        let Some((inputs, outputs)) = text.split_once("->") else {
            return refuse(literal, FORM);
        };
        let mut dims = Vec::new();
        let Some(inputs) = list(inputs, &mut dims) else { return refuse(literal, FORM) };
        let known = dims.len();
        let Some(outputs) = list(outputs, &mut dims) else { return refuse(literal, FORM) };
        if inputs.is_empty() || outputs.is_empty() {
            return refuse(literal, FORM);
        }
        if let Some(name) = dims.get(known) {
            let why = format!(
                "dimension `{name}` is in no argument, so that nothing says how long it is; give \
                 the result a fixed length, or the function an argument that has it"
            );
            return refuse(literal, why);
        }
        if inputs.len() > 12 || outputs.len() > 12 {
            return refuse(literal, "at most 12 arguments and 12 results");
        }
        if inputs.iter().chain(&outputs).any(|core| core.len() > 6) {
            return refuse(literal, "at most six core axes");
        }
        Ok(Signature { dims, inputs, outputs })
    }

    /// The lists of core axes as constants.
    pub fn tokens(core: &[Dim]) -> TokenStream {
        let parts = core.iter().map(|dim| match dim {
            Dim::Named(k) => quote!(::lazuli::__private::gufunc::Dim::Named(#k)),
            Dim::Fixed(size) => quote!(::lazuli::__private::gufunc::Dim::Fixed(#size)),
        });
        quote!(&[#(#parts),*])
    }
}

/// `(n,m),(m)`: groups with commas between.
fn list(text: &str, dims: &mut Vec<String>) -> Option<Vec<Vec<Dim>>> {
    let (mut groups, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let (group, after) = rest.strip_prefix('(')?.split_once(')')?;
        let names = group.split(',').filter(|_| !group.is_empty());
        groups.push(names.map(|name| dim(name, dims)).collect::<Option<_>>()?);
        rest = match after.strip_prefix(',') {
            Some(more) if !more.is_empty() => more,
            None if after.is_empty() => after,
            _ => return None,
        };
    }
    Some(groups)
}

fn dim(name: &str, dims: &mut Vec<String>) -> Option<Dim> {
    if let Ok(size) = name.parse() {
        return Some(Dim::Fixed(size));
    }
    let mut chars = name.chars();
    let first = chars.next().filter(|c| c.is_alphabetic() || *c == '_')?;
    if !(first.is_alphabetic() || first == '_') || !chars.all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let at = dims.iter().position(|known| known == name).unwrap_or_else(|| {
        dims.push(name.into());
        dims.len() - 1
    });
    Some(Dim::Named(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    fn parsed(text: &str) -> Result<Signature> {
        Signature::parse(&LitStr::new(text, Span::call_site()))
    }

    #[test]
    fn signatures() {
        let product = parsed("(n, m),(m,p) -> (n,p)").unwrap();
        assert_eq!(product.dims, ["n", "m", "p"]);
        assert_eq!(product.inputs[1], [Dim::Named(1), Dim::Named(2)]);
        assert_eq!(product.outputs, [vec![Dim::Named(0), Dim::Named(2)]]);
        let scalars = parsed("(n),(),(3)->(),(n)").unwrap();
        assert_eq!(scalars.inputs[1..], [vec![], vec![Dim::Fixed(3)]]);
        for wrong in
            ["", "(n)", "->(n)", "(n)->", "(n)(m)->(n)", "(n),->(n)", "(n->(n)", "(a b-c)->(n)"]
        {
            let error = parsed(wrong).unwrap_err().to_string();
            assert!(error.contains("write the core axes"), "{wrong}: {error}");
        }
        assert!(parsed("(n)->(p)").unwrap_err().to_string().contains("`p` is in no argument"));
    }
}
