//! A row: what it must have, and what is read from it.

use crate::translate::{method, refuse};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Block, Expr, ExprArray, FnArg, Ident, ItemFn, LitFloat, LitInt, LitStr, Pat, Result,
    ReturnType, Token,
};

/// What a row makes of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A method, and a function.
    Method,
    /// A function alone.
    Function,
}

/// A row.
pub struct Row {
    pub kind: Kind,
    pub name: Ident,
    pub parameters: Vec<Ident>,
    /// The `#[doc = …]`.
    pub documentation: Vec<Attribute>,
    pub body: Block,
    pub oracle: Oracle,
    shown: Vec<(Ident, ExprArray)>,
}

/// What a row's values are held against; the formula itself and the ranges are for the script that
/// writes the values down.
pub struct Oracle {
    pub within: f64,
    pub floor: f64,
}

/// The rows of a text, in their order.
///
/// # Errors
/// At the first row that lacks something.
pub fn read(text: &str) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for item in syn::parse_str::<syn::File>(text)?.items {
        let syn::Item::Fn(item) = &item else {
            return refuse(&item, "a row is a function, `fn name(x: T) -> T { … }`");
        };
        let row = Row::new(item)?;
        if rows.iter().any(|other| other.name == row.name) {
            return refuse(&row.name, format!("`{}` has two rows", row.name));
        }
        rows.push(row);
    }
    Ok(rows)
}

impl Row {
    fn new(item: &ItemFn) -> Result<Row> {
        let name = &item.sig.ident;
        let lacks = |what: &str| refuse(name, format!("the row of `{name}` {what}"));
        let (mut documentation, mut shown, mut oracle) = (Vec::new(), None, None);
        let mut kind = Kind::Method;
        for attribute in &item.attrs {
            let path = attribute.path();
            if path.is_ident("doc") {
                documentation.push(attribute.clone());
            } else if path.is_ident("example") {
                shown = Some(attribute.parse_args::<Shown>()?.0);
            } else if path.is_ident("oracle") {
                oracle = Some(attribute.parse_args::<Held>()?);
            } else if path.is_ident("function") {
                kind = Kind::Function;
            } else {
                let known = "has `#[example(…)]`, `#[oracle(…)]` and `#[function]`, not";
                return lacks(&format!("{known} `{}`", quote!(#path)));
            }
        }
        let mut parameters = Vec::new();
        for input in &item.sig.inputs {
            match input {
                FnArg::Typed(input) if quote!(#input).to_string().ends_with(": T") => {
                    match &*input.pat {
                        Pat::Ident(name) => parameters.push(name.ident.clone()),
                        _ => return lacks("takes names, `x: T`"),
                    }
                }
                _ => return lacks("takes numbers of its type, `x: T`"),
            }
        }
        let is_number =
            matches!(&item.sig.output, ReturnType::Type(_, ty) if quote!(#ty).to_string() == "T");
        if !is_number || parameters.is_empty() {
            return lacks("is a function of numbers, `fn name(x: T) -> T`");
        }
        if method(&name.to_string()).is_some() {
            return lacks("makes a method that there is already: take another name");
        }
        if documentation.is_empty() {
            return lacks(
                "says nothing: write `/// …` with the formula, what it gives at the edges of its \
                 domain, and its name in SciPy or another library",
            );
        }
        let inputs = parameters.iter().map(|p| format!("{p} = [0.0, 1.0], ")).collect::<String>();
        let Some(shown) = shown else {
            return lacks(&format!(
                "shows no value: write `#[example({inputs}gives = [0.0, 1.0])]`, arguments and what \
                 comes out exactly"
            ));
        };
        let names = || parameters.iter().map(ToString::to_string);
        if !shown.iter().map(|s| s.0.to_string()).eq(names().chain(["gives".into()]))
            || shown.iter().any(|s| s.1.elems.len() != shown[0].1.elems.len())
        {
            return lacks(&format!(
                "has an example of other arguments: write `#[example({inputs}gives = [0.0, 1.0])]`, \
                 as many numbers of each"
            ));
        }
        let ranges = parameters.iter().map(|p| format!("{p} = -9.0..9.0, ")).collect::<String>();
        let form = format!("`#[oracle(\"formula of mpmath\", {ranges}within = 4)]`");
        let Some(held) = oracle else {
            return lacks(&format!(
                "is held against nothing: write {form}, the range of each argument and the units in \
                 the last place that a value may be off by"
            ));
        };
        if !held.ranges.iter().map(ToString::to_string).eq(names()) || held.formula.is_empty() {
            return lacks(&format!("has an oracle of other arguments: write {form}"));
        }
        let body = (*item.block).clone();
        let (name, oracle) = (name.clone(), held.oracle);
        Ok(Row { kind, name, parameters, documentation, body, oracle, shown })
    }

    /// The lines of an example: a call of the method, or of the function.
    pub fn example(&self, by_method: bool) -> Vec<String> {
        let (last, inputs) = self.shown.split_last().expect("what comes out is shown");
        let list = |numbers: &ExprArray| {
            let numbers = numbers.elems.iter().map(written).collect::<Vec<_>>();
            format!("[{}]", numbers.join(", "))
        };
        let mut lines: Vec<String> =
            [" # Example", " ```", " use lazuli::prelude::*;"].map(str::to_owned).into();
        for (name, numbers) in inputs {
            lines.push(format!(
                " let {name} = DeviceArray::<f64>::from_slice(&{})?;",
                list(numbers)
            ));
        }
        let name = &self.name;
        let names: Vec<String> = self.parameters.iter().map(|p| format!("&{p}")).collect();
        let call = if by_method {
            format!("{}.{name}({})", self.parameters[0], names[1..].join(", "))
        } else {
            format!("lazuli::special::{name}({})", names.join(", "))
        };
        lines.push(format!(" assert_eq!({call}.to_vec()?, {});", list(&last.1)));
        lines.extend([" # Ok::<(), Error>(())", " ```"].map(str::to_owned));
        lines
    }
}

/// An expression of a row as one writes it.
fn written(e: &Expr) -> String {
    let text = e.to_token_stream().to_string();
    text.replace(" :: ", "::").replace(" . ", ".").replace("- ", "-").replace(" ()", "()")
}

/// `x = [0.0, 1.0], gives = [0.0, 0.5]`.
struct Shown(Vec<(Ident, ExprArray)>);

impl Parse for Shown {
    fn parse(input: ParseStream) -> Result<Shown> {
        let mut shown = Vec::new();
        while !input.is_empty() {
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            shown.push((name, input.parse()?));
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Shown(shown))
    }
}

/// `"x + y", x = 0.0..1.0, y = 0.0..1.0, within = 2, floor = 1.0`.
struct Held {
    formula: String,
    ranges: Vec<Ident>,
    oracle: Oracle,
}

impl Parse for Held {
    fn parse(input: ParseStream) -> Result<Held> {
        let formula = input.parse::<LitStr>()?.value();
        let (mut ranges, mut within, mut floor) = (Vec::new(), None, 0.0);
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let name = input.parse::<Ident>()?;
            input.parse::<Token![=]>()?;
            if name == "within" {
                within = Some(number(input)?);
            } else if name == "floor" {
                floor = number(input)?;
            } else {
                input.parse::<syn::ExprRange>()?;
                ranges.push(name);
            }
        }
        let Some(within) = within else {
            return Err(input.error(
                "an oracle says what a value may be off by: `within = 4`, in units in the last place",
            ));
        };
        Ok(Held { formula, ranges, oracle: Oracle { within, floor } })
    }
}

fn number(input: ParseStream) -> Result<f64> {
    if input.peek(LitInt) {
        input.parse::<LitInt>()?.base10_parse()
    } else {
        input.parse::<LitFloat>()?.base10_parse()
    }
}
