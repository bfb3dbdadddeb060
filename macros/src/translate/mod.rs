//! From a Rust function of the subset to C++.
//!
//! A macro sees tokens and no types. So the C++ is a template with holes, and rustc fills them:
//! beside the C++ the translator makes a *probe*, the same code in a closure that is never
//! called, in which every literal, cast and call passes through a [`Slot`](slots) whose type rustc
//! infers; when the function is first used with some element types, each slot gives the C++ for
//! its hole. The third product is the *twin*, the Rust function again with its mathematics routed
//! to functions that vectorise, for the processor.
//!
//! # How to use it
//! ```text
//! let mut t = Translator::new(generics, dialect);     // `Plain` where nothing is special
//! let x = t.bind("x");                                // the C++ name of a parameter
//! let hole = t.slots.ty(quote!(T));                   // "$0$": a type that the macro knows
//! let body = t.body(&function.block, returns)?;       // a `Code`: body.before is the C++
//! let probe = t.slots.probe(quote!(|x: T| -> T { … })) // fills the holes, see `slots`
//! ```
//! - [`Code`] is one expression in three forms: `cpp`, with the statements `before` it that must
//!   run first, `probe` and `twin`. Every method of [`Translator`] that takes a `syn` node gives
//!   one, or an error at the node's span.
//! - [`Translator::value`] translates an expression whose value is wanted, [`Translator::effect`]
//!   one that only does something, [`Translator::operands`] puts several in Rust's order.
//! - A [`Dialect`] is asked first about every index, call, method, macro and path, and may give its own
//!   `Code`: `#[kernel]` and `#[guvectorize]` read and write arrays through it. An index may give
//!   a C++ lvalue; assignments then write to it. Code that has an effect must put itself into
//!   `before`, with its result in a name from [`Translator::fresh`]: the order follows from that.
//! - Names: every binding gets a C++ name of its own, so shadowing needs no care.
//!
//! In the C++, every expression has exactly the type that rustc gives it, so that `auto` is right
//! everywhere; what C++ would promote (`char + char`) is a call of a function of the prelude.
//!
//! So a literal has the type that rustc gives it, generics need no list of signatures, and a type
//! that devices lack is rustc's own error at its place. The template says `auto` and needs few
//! holes; `prelude/rust.cuh` holds what Rust means where C++ means something else. Statements that
//! an expression contains go before it, and operands before them are stored first: the order of
//! evaluation is Rust's. Recursion through other functions is found by a constant that needs the
//! constants of all callees (`subject.rs`).

mod aggregate;
mod assign;
mod calls;
mod choice;
mod expr;
mod leave;
mod loops;
mod macros;
mod matches;
mod methods;
mod pattern;
mod refuse;
pub mod slots;
mod statement;
mod walks;

pub use aggregate::is_swap;
pub use calls::is_conversion;
pub use expr::{bare, is_assignment, operator};
pub use leave::{can_fail, leave_twin};
pub use loops::{Progression, progression};
pub use macros::{asserted, matched};
#[cfg(test)]
pub use methods::calls_cpp;
pub use methods::find as method;
pub use methods::rare;
pub use refuse::{in_signature, refuse};
pub use slots::Slots;

use proc_macro2::TokenStream;
use quote::quote;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use syn::{Expr, Result};

/// One expression in its three forms.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// C++ statements that run first.
    pub before: String,
    /// The C++ expression; empty where there is no value.
    pub cpp: String,
    /// The expression in the probe.
    pub probe: TokenStream,
    /// The expression in the twin.
    pub twin: TokenStream,
    /// Whether nothing that runs later can change the value of `cpp`: a literal.
    pub fixed: bool,
    /// Whether control never comes past: `return`, `break`, `continue`.
    pub diverges: bool,
}

impl Code {
    /// An expression that is written the same in the probe and in the twin.
    pub fn plain(cpp: impl Into<String>, rust: TokenStream) -> Code {
        Code { cpp: cpp.into(), probe: rust.clone(), twin: rust, ..Code::default() }
    }
}

/// What a kind of user function adds to the language. The methods give `None` for what they leave
/// to the translator.
#[allow(unused_variables, reason = "the defaults leave everything to the translator")]
pub trait Dialect {
    /// `base[index]`, as a value and as a place.
    fn index(&self, t: &mut Translator, e: &syn::ExprIndex) -> Result<Option<Code>> {
        Ok(None)
    }
    /// `path(arguments)`.
    fn call(&self, t: &mut Translator, e: &syn::ExprCall) -> Result<Option<Code>> {
        Ok(None)
    }
    /// `receiver.method(arguments)`.
    fn method(&self, t: &mut Translator, e: &syn::ExprMethodCall) -> Result<Option<Code>> {
        Ok(None)
    }
    /// A path that is no variable.
    fn path(&self, t: &mut Translator, e: &syn::ExprPath) -> Result<Option<Code>> {
        Ok(None)
    }
    /// `&expression`.
    fn reference(&self, t: &mut Translator, e: &syn::ExprReference) -> Result<Option<Code>> {
        Ok(None)
    }
    /// `name!(…)`.
    fn macro_call(&self, t: &mut Translator, e: &syn::Macro) -> Result<Option<Code>> {
        Ok(None)
    }
    /// `place = value`, and `place += value` and its kin (with `op`), as a statement.
    fn assign(
        &self,
        t: &mut Translator,
        place: &Expr,
        op: Option<&syn::BinOp>,
        value: &Expr,
    ) -> Result<Option<Code>> {
        Ok(None)
    }
    /// Whether the turns of a loop are spread over the threads of the item, `lz_turns` of them, of
    /// which this is number `lz_turn`.
    fn spreads(&self, e: &syn::ExprForLoop) -> bool {
        false
    }
    /// The C++ name of an array with one axis that an expression names; `name(i)` is an element.
    fn line(&self, t: &Translator, e: &Expr) -> Option<String> {
        None
    }
    /// Whether an expression is a length of an array, or no more than one: where all places of a
    /// kernel fit into 32 bits, so does it.
    fn is_length(&self, t: &Translator, e: &Expr) -> bool {
        false
    }
    /// Notes that a variable, by its C++ name, holds such a length for good.
    fn add_length(&self, cpp: &str) {}
    /// `let …;` (the code's forms are whole statements, and it binds the names itself).
    fn local(&self, t: &mut Translator, e: &syn::Local) -> Result<Option<Code>> {
        Ok(None)
    }
}

/// The language itself, with nothing added.
pub struct Plain;
impl Dialect for Plain {}

/// A loop or labelled block that is being translated.
struct Target {
    label: Option<String>,
    number: usize,
    is_loop: bool,
    /// The C++ variable that `break value` sets.
    result: Option<String>,
    breaks: bool,
    continues: bool,
    /// Whether a `break` without label, from a place where C++'s own `break` would mean it.
    left: bool,
}

/// The state of a translation.
pub struct Translator {
    /// The holes of the template.
    pub slots: Slots,
    /// `const` and `use` items of the body, which the probe and the twin begin with.
    pub items: Vec<syn::Item>,
    /// What one call costs, in additions.
    pub cost: f64,
    /// The device functions that the body calls, as paths.
    pub calls: Vec<syn::Path>,
    /// Whether the twin is for lanes, some of which run nothing: its operators do not panic.
    pub in_lanes: bool,
    /// What the twin does before what may fail: it leaves if a value was rare, for what was
    /// computed from that one may be anything, and an index or a loop's end among it.
    pub leave: Option<TokenStream>,
    /// The C++ names of variables that no rare value can reach.
    steady: HashSet<String>,
    /// The C++ names of variables that are references in Rust: to elements that a loop walks over.
    references: HashSet<String>,
    dialect: Rc<dyn Dialect>,
    name: String,
    generics: HashSet<String>,
    scopes: Vec<HashMap<String, String>>,
    targets: Vec<Target>,
    returns: bool,
    counter: usize,
    weight: f64,
}

impl Translator {
    /// A translator for the function `name` (a call of it is recursion) with these generic
    /// parameters.
    pub fn new(name: &str, generics: &syn::Generics, dialect: Rc<dyn Dialect>) -> Translator {
        let generics = generics.params.iter().filter_map(|p| match p {
            syn::GenericParam::Type(t) => Some(t.ident.to_string()),
            _ => None,
        });
        Translator {
            slots: Slots::default(),
            items: Vec::new(),
            cost: 1.0,
            calls: Vec::new(),
            in_lanes: false,
            leave: None,
            steady: HashSet::new(),
            references: HashSet::new(),
            dialect,
            name: name.into(),
            generics: generics.collect(),
            scopes: vec![HashMap::new()],
            targets: Vec::new(),
            returns: false,
            counter: 0,
            weight: 1.0,
        }
    }

    /// A C++ name that nothing else has.
    pub fn fresh(&mut self, hint: &str) -> String {
        self.counter += 1;
        let plain = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        let hint: String = hint.trim_start_matches("r#").chars().filter(plain).collect();
        format!("{}_{}", if hint.is_empty() { "v" } else { &hint }, self.counter)
    }

    /// Binds a variable of the program to a C++ name of its own, in the innermost scope.
    pub fn bind(&mut self, name: &str) -> String {
        let cpp = self.fresh(name);
        self.bind_as(name, cpp.clone());
        cpp
    }

    /// Binds a variable of the program to a C++ expression.
    pub fn bind_as(&mut self, name: &str, cpp: String) {
        self.scopes.last_mut().expect("there is always a scope").insert(name.into(), cpp);
    }

    /// The C++ name of a variable, if it is one.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).map(String::as_str)
    }

    /// Runs `f` in a scope of its own.
    pub fn scope<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.enter();
        let result = f(self);
        self.leave();
        result
    }

    /// Begins a scope.
    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Ends the innermost scope.
    pub fn leave(&mut self) {
        self.scopes.pop();
    }

    /// The body of a function: all of its C++ is in `before`, `return`s included.
    pub fn body(&mut self, block: &syn::Block, returns: bool) -> Result<Code> {
        self.returns = returns;
        let mut code = self.block(block, returns)?;
        if returns && !code.diverges {
            code.before += &format!("return {};\n", code.cpp);
        }
        Ok(code)
    }

    /// Several expressions in the order of Rust: what an operand does happens after the operands
    /// before it have their values.
    pub fn operands(&mut self, list: &mut [Code]) -> (String, bool) {
        let last = list.iter().rposition(|code| !code.before.is_empty());
        let mut before = String::new();
        for (k, code) in list.iter_mut().enumerate() {
            before += &std::mem::take(&mut code.before);
            if code.diverges {
                return (before, true);
            }
            if last.is_some_and(|last| k < last) && !code.fixed {
                let name = self.fresh("t");
                before += &format!("const auto {name} = {};\n", code.cpp);
                code.cpp = name;
            }
        }
        (before, false)
    }

    /// A C++ expression of several operands, with Rust's order among them.
    pub fn compose(
        &mut self,
        mut list: Vec<Code>,
        cpp: impl FnOnce(&[&str]) -> String,
        probe: TokenStream,
        twin: TokenStream,
    ) -> Code {
        let (before, diverges) = self.operands(&mut list);
        let parts: Vec<&str> = list.iter().map(|code| code.cpp.as_str()).collect();
        let cpp = if diverges { String::new() } else { cpp(&parts) };
        let fixed = before.is_empty() && list.iter().all(|code| code.fixed);
        Code { before, cpp, probe, twin, fixed, diverges }
    }

    /// Counts operations, as many as `cost` additions, for the planner.
    pub fn spend(&mut self, cost: f64) {
        self.cost += cost * self.weight;
    }

    /// Asks the dialect first.
    fn dialect<R>(
        &mut self,
        ask: impl FnOnce(&dyn Dialect, &mut Translator) -> Result<Option<R>>,
    ) -> Result<Option<R>> {
        let dialect = self.dialect.clone();
        ask(&*dialect, self)
    }

    /// Several expressions whose values are wanted.
    pub fn values<'a>(&mut self, list: impl IntoIterator<Item = &'a Expr>) -> Result<Vec<Code>> {
        list.into_iter().map(|e| self.value(e)).collect()
    }
}

/// The probes of several expressions, or their twins, with commas between.
pub fn list(codes: &[Code], form: impl Fn(&Code) -> &TokenStream) -> TokenStream {
    let forms = codes.iter().map(form);
    quote!(#(#forms),*)
}
