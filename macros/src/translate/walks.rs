//! `for` loops over what `enumerate`, `zip` and `rev` make of ranges and arrays.
//!
//! In C++ such a loop counts its turns, and each part says what it gives in turn `i`. What rustc has
//! as a reference to an element is the value itself, in the probe and in the twin too.

use super::loops::{Counter, progression};
use super::{Code, Translator, bare, refuse};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, Pat, Result};

/// What a loop walks over.
struct Walk {
    /// C++ statements that run first.
    before: String,
    /// The number of turns, in C++: a name.
    count: String,
    item: Item,
    probe: TokenStream,
    twin: TokenStream,
}

/// What a turn gets: the C++ for turn `i`, and what Rust makes of it.
#[derive(Clone)]
enum Item {
    Value(Rc<dyn Fn(&str) -> String>),
    Reference(Rc<dyn Fn(&str) -> String>),
    Tuple(Box<[Item; 2]>),
}

impl Item {
    fn at(&self, turn: &str) -> String {
        match self {
            Item::Value(at) | Item::Reference(at) => at(turn),
            Item::Tuple(parts) => {
                format!("lz_make_tuple({}, {})", parts[0].at(turn), parts[1].at(turn))
            }
        }
    }

    fn has_references(&self) -> bool {
        match self {
            Item::Value(_) => false,
            Item::Reference(_) => true,
            Item::Tuple(parts) => parts.iter().any(Item::has_references),
        }
    }

    /// The same from the last turn to the first.
    fn reversed(&self, count: &str) -> Item {
        let back = |at: &Rc<dyn Fn(&str) -> String>| -> Rc<dyn Fn(&str) -> String> {
            let (at, count) = (at.clone(), count.to_string());
            Rc::new(move |turn| at(&format!("({count} - 1 - {turn})")))
        };
        match self {
            Item::Value(at) => Item::Value(back(at)),
            Item::Reference(at) => Item::Reference(back(at)),
            Item::Tuple(parts) => {
                Item::Tuple(Box::new([parts[0].reversed(count), parts[1].reversed(count)]))
            }
        }
    }

    /// The pattern of a turn's values where there are no references, and the names that are
    /// references in Rust.
    fn bind(&self, pat: &Pat, references: &mut Vec<String>) -> Result<Pat> {
        match (pat, self) {
            (Pat::Paren(paren), item) => item.bind(&paren.pat, references),
            (Pat::Wild(_), _) => Ok(pat.clone()),
            (Pat::Reference(reference), Item::Reference(_)) => Ok((*reference.pat).clone()),
            (Pat::Ident(p), Item::Reference(_)) => {
                references.push(p.ident.to_string());
                Ok(pat.clone())
            }
            (Pat::Tuple(tuple), Item::Tuple(parts)) if tuple.elems.len() == 2 => {
                let mut tuple = tuple.clone();
                for (pat, item) in tuple.elems.iter_mut().zip(parts.iter()) {
                    *pat = item.bind(pat, references)?;
                }
                Ok(Pat::Tuple(tuple))
            }
            (_, Item::Tuple(_)) if self.has_references() => refuse(
                pat,
                "take what the loop gets apart in its pattern: `for (i, &v) in v.iter().enumerate()`",
            ),
            _ => Ok(pat.clone()),
        }
    }
}

impl Translator {
    /// A loop over the results of `enumerate`, `zip` and `rev`, or over an array of the dialect;
    /// `None` for any other.
    pub(super) fn walking(&mut self, e: &ExprForLoop) -> Result<Option<Code>> {
        let Some(walk) = self.walk(&e.expr)? else { return Ok(None) };
        let (mut values, mut references) = (e.clone(), Vec::new());
        *values.pat = walk.item.bind(&e.pat, &mut references)?;
        let i = self.fresh("i");
        let head = format!("for (lz_u64 {i} = 0; {i} < {}; ++{i})", walk.count);
        let cpp = walk.item.at(&i);
        let counter =
            Counter { cpp: &cpp, is_steady: false, is_bound: false, references: &references };
        self.for_body(&values, walk.before, &head, &counter, walk.probe, walk.twin).map(Some)
    }

    fn walk(&mut self, e: &Expr) -> Result<Option<Walk>> {
        let Expr::MethodCall(call) = bare(e) else { return self.line(e) };
        let inner = &*call.receiver;
        match (call.method.to_string().as_str(), call.args.first()) {
            ("enumerate", None) => self.part(inner).map(|walk| Some(enumerated(walk))),
            ("zip", Some(other)) => {
                let (a, b) = (self.part(inner)?, self.part(other)?);
                Ok(Some(self.zipped(a, b)))
            }
            ("rev", None) => match progression(e)? {
                Some(_) => Ok(None),
                None => self.part(inner).map(|walk| Some(reversed(walk))),
            },
            _ => self.line(e),
        }
    }

    /// An array of the dialect with one axis, `a`, `&a`, `a.iter()` or that with `copied`.
    fn line(&mut self, e: &Expr) -> Result<Option<Walk>> {
        let (array, is_copied) = lined(e);
        let Some(cpp) = self.dialect.clone().line(self, array) else { return Ok(None) };
        let count = self.fresh("count");
        let before = format!("const lz_u64 {count} = {cpp}.shape(0);\n");
        let at: Rc<dyn Fn(&str) -> String> = Rc::new(move |turn| format!("{cpp}({turn})"));
        let item = if is_copied { Item::Value(at) } else { Item::Reference(at) };
        let probe = quote_spanned!(e.span()=> #array.iter().copied());
        Ok(Some(Walk { before, count, item, probe, twin: TokenStream::new() }))
    }

    /// What stands in front of an adapter or is its argument.
    fn part(&mut self, e: &Expr) -> Result<Walk> {
        if let Some(walk) = self.walk(e)? {
            return Ok(walk);
        }
        if let Some(range) = progression(e)? {
            let mut parts = self.range_parts(&range)?;
            let probe = range.tokens(&parts, |c| &c.probe);
            let twin = range.tokens(&parts, |c| &c.twin);
            let twin = self.behind_exit(e.span(), twin);
            let (mut before, diverges) = self.operands(&mut parts);
            if diverges {
                return refuse(e, "this never gives a range");
            }
            let name = self.progression_of(&range, &parts, &mut before);
            let count = format!("{name}.count");
            let item = Item::Value(Rc::new(move |turn| format!("{name}[{turn}]")));
            return Ok(Walk { before, count, item, probe, twin });
        }
        let (array, is_copied) = match (self.walked(e)?, bare(e)) {
            (Some(walked), _) => walked,
            (None, Expr::MethodCall(call)) if call.method == "into_iter" => (&*call.receiver, true),
            (None, e) => (e, true),
        };
        let span = array.span();
        let array = self.value(array)?;
        let all = self.fresh("all");
        let before = format!("{}const auto {all} = {};\n", array.before, array.cpp);
        let count = format!("lz_u64({all}.size())");
        let at: Rc<dyn Fn(&str) -> String> = Rc::new(move |turn| format!("{all}[{turn}]"));
        let item = if is_copied { Item::Value(at) } else { Item::Reference(at) };
        let over = |tokens: &TokenStream| {
            quote_spanned!(span=> ::core::iter::IntoIterator::into_iter(
                ::lazuli::__private::register_array(#tokens)
            ))
        };
        let (probe, twin) = (over(&array.probe), over(&array.twin));
        Ok(Walk { before, count, item, probe, twin })
    }

    fn zipped(&mut self, a: Walk, b: Walk) -> Walk {
        let count = self.fresh("count");
        let (n, m) = (&a.count, &b.count);
        let before =
            format!("{}{}const lz_u64 {count} = {n} < {m} ? {n} : {m};\n", a.before, b.before);
        let zip = |a: &TokenStream, b: &TokenStream| quote!((#a).zip(#b));
        let (probe, twin) = (zip(&a.probe, &b.probe), zip(&a.twin, &b.twin));
        Walk { before, count, item: Item::Tuple(Box::new([a.item, b.item])), probe, twin }
    }
}

fn enumerated(walk: Walk) -> Walk {
    let number = Item::Value(Rc::new(|turn| format!("lz_u64({turn})")));
    let (probe, twin) = (&walk.probe, &walk.twin);
    Walk {
        probe: quote!((#probe).enumerate()),
        twin: quote!((#twin).enumerate()),
        item: Item::Tuple(Box::new([number, walk.item])),
        ..walk
    }
}

fn reversed(walk: Walk) -> Walk {
    let (probe, twin) = (&walk.probe, &walk.twin);
    Walk {
        probe: quote!((#probe).rev()),
        twin: quote!((#twin).rev()),
        item: walk.item.reversed(&walk.count),
        ..walk
    }
}

/// The expression whose elements another one refers to, and whether these are copied at once.
fn lined(e: &Expr) -> (&Expr, bool) {
    match bare(e) {
        Expr::Reference(reference) if reference.mutability.is_none() => (&reference.expr, false),
        Expr::MethodCall(call) if call.args.is_empty() => match call.method.to_string().as_str() {
            "iter" => (&call.receiver, false),
            "copied" | "cloned" => (lined(&call.receiver).0, true),
            _ => (e, false),
        },
        e => (e, false),
    }
}
