//! Refuses code outside of the subset, and says what to write instead.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Error, Expr};

/// An error at a node.
pub fn refuse<T>(at: &impl ToTokens, message: impl std::fmt::Display) -> syn::Result<T> {
    Err(Error::new_spanned(at, message))
}

/// Why an expression is outside of the subset.
pub(super) fn expression(e: &Expr) -> &'static str {
    match e {
        Expr::Async(_) | Expr::Await(_) => "device code cannot wait: `async` is not for it",
        Expr::Closure(_) => {
            "device code has no closures; write a function with `#[device]` and call it"
        }
        Expr::Let(_) => {
            "device code has `if let` with one pattern alone, and no `while let`; compare, or use \
             `match`"
        }
        Expr::RawAddr(_) | Expr::Reference(_) => {
            "device code has no references; pass the value, and return a new one (or a tuple)"
        }
        Expr::Try(_) => "device code has no `?`: it cannot fail; return a tuple with a flag",
        Expr::Range(_) => "a range can only be what a `for` loop runs over",
        Expr::Unsafe(_) => "device code has no `unsafe` blocks",
        Expr::Yield(_) => "device code has no generators",
        _ => "this expression is not part of the language of device code",
    }
}

/// Why a macro is outside of the subset.
pub(super) fn macro_call(m: &syn::Macro) -> String {
    let name = m.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
    let why = match name.as_str() {
        "println" | "print" | "eprintln" | "eprint" | "write" | "writeln" | "dbg" => {
            "device code does no I/O; return the value and print it on the host"
        }
        "panic" | "todo" | "unimplemented" | "unreachable" => {
            "device code cannot panic; return a value that marks the case, such as NaN"
        }
        "assert" | "assert_eq" | "assert_ne" => {
            "device code cannot panic; check the arguments before the call, or return a value \
             that marks the case; `debug_assert!` stands for the processor alone"
        }
        "debug_assert" | "debug_assert_eq" | "debug_assert_ne" => {
            "this is no condition that device code can see"
        }
        "vec" => "device code does not allocate; use an array of constant size, `[0.0; 8]`",
        "format" | "concat" | "stringify" | "format_args" => "device code has no strings",
        "matches" => "write a value and a pattern: `matches!(n, 1..=3)`",
        _ => "device code cannot see into macros; write out what this one expands to",
    };
    format!("`{name}!`: {why}")
}

/// Types whose associated functions allocate or do I/O.
pub(super) fn of_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "Vec" | "Box" | "Rc" | "Arc" | "HashMap" | "BTreeMap" | "VecDeque" | "HashSet" => {
            "device code does not allocate; use an array of constant size, `[0.0; 8]`"
        }
        "String" | "str" => "device code has no strings",
        "Some" | "None" | "Ok" | "Err" | "Option" | "Result" => {
            "device code has no `Option` and `Result`; return a tuple with a flag, or NaN"
        }
        "File" | "Stdout" | "Stdin" => "device code does no I/O",
        _ => return None,
    })
}

/// Methods that users will try, and what to do instead.
pub(super) fn method(name: &str) -> String {
    let why = match name {
        "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "is_some" | "is_none" | "ok" => {
            "device code has no `Option` and `Result` and cannot panic; `T::from_f64(2.0)` makes \
             a number of a generic type, and a tuple with a flag stands for an `Option`"
        }
        "iter" | "into_iter" | "iter_mut" | "map" | "filter" | "fold" | "sum" | "product"
        | "zip" | "enumerate" | "chain" | "any" | "all" | "collect" | "for_each" | "take"
        | "skip" | "windows" | "chunks" => {
            "device code has no iterators; write a `for` loop over a range"
        }
        "clone" | "to_owned" | "copied" | "cloned" => {
            "everything in device code is `Copy`; leave the call out"
        }
        "push" | "pop" | "to_vec" | "to_string" | "insert" | "extend" | "append" => {
            "device code does not allocate; use an array of constant size, `[0.0; 8]`"
        }
        "checked_add" | "checked_sub" | "checked_mul" | "checked_div" | "checked_rem"
        | "checked_pow" | "checked_neg" => {
            "device code has no `Option`; use the `wrapping_` or `saturating_` method and compare"
        }
        "total_cmp" | "cmp" | "partial_cmp" => "compare with `<`, `==` and `>` instead",
        "into" | "try_into" => "name the type: write a cast with `as`, or `T::from(x)`",
        "ln_gamma" => "the logarithm of the gamma function is `lgamma` here",
        "swap" => "`v.swap(i, j)` stands as a statement, and swaps two elements of an array",
        _ => {
            "this method has no device version; what has is the mathematics of numbers, as the \
             documentation of `device` lists it, and functions with `#[device]`: `f(x)`"
        }
    };
    format!("`.{name}()`: {why}")
}

/// A method with the wrong number of arguments.
pub(super) fn arguments(name: &str, wanted: usize) -> String {
    match (name, wanted) {
        ("log", _) => "`.log()` takes a base, `x.log(b)`; the logarithms of fixed bases are `ln`, \
                       `log2` and `log10`"
            .into(),
        (_, 0) => format!("`.{name}()` takes no arguments"),
        (_, 1) => format!("`.{name}()` takes one argument"),
        _ => format!("`.{name}()` takes {wanted} arguments"),
    }
}

/// Functions of the standard library that users will try, by their paths: the method to write
/// instead.
pub(super) fn function(path: &[String]) -> Option<String> {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let names = match &names[..] {
        ["std" | "core", rest @ ..] => rest,
        all => all,
    };
    let instead = match names {
        ["cmp", name @ ("max" | "min")] => format!("a.{name}(b)"),
        ["mem", "swap"] => "(a, b) = (b, a)".into(),
        ["mem", "replace" | "take"] => "an assignment".into(),
        _ => return None,
    };
    let path = path.join("::");
    let what = if instead.contains('(') { format!("`{instead}`") } else { instead };
    Some(format!("`{path}` has no device version; write {what}"))
}

/// The span of a type that cannot stand in a signature, and why.
pub fn in_signature(ty: &syn::Type) -> Option<(TokenStream, &'static str)> {
    let why = match ty {
        syn::Type::TraitObject(_) => "device code has no trait objects; make the function generic",
        syn::Type::ImplTrait(_) => "write a type parameter, `T: Float`, instead of `impl Trait`",
        syn::Type::Reference(_) => "device functions take values: pass `T` instead of `&T`",
        syn::Type::Slice(_) => "device functions take arrays of constant size, `[T; 8]`",
        syn::Type::BareFn(_) => "device code has no function pointers; call a `#[device]` function",
        syn::Type::Ptr(_) => "device functions have no pointers; index an array",
        syn::Type::Path(p) => {
            let name = p.path.segments.last()?.ident.to_string();
            of_type(&name)?
        }
        _ => return None,
    };
    Some((ty.to_token_stream(), why))
}
