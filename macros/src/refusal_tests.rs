//! What is outside of the subset: each case, the piece of source that the error points at, and
//! what it says.

use crate::reduce::{Arguments, reduce};
use crate::vectorize::{device, vectorize};

/// The message of the refusal and the source that it points at.
fn refusal(
    attribute: impl Fn(syn::ItemFn) -> syn::Result<proc_macro2::TokenStream>,
    source: &str,
) -> (String, String) {
    let item: syn::ItemFn = syn::parse_str(source).unwrap_or_else(|e| panic!("{source}: {e}"));
    let error = match attribute(item) {
        Ok(_) => panic!("accepted: {source}"),
        Err(error) => error,
    };
    let (start, end) = (error.span().start(), error.span().end());
    assert_eq!(start.line, 1, "cases are one line: {source}");
    let text = source.chars().skip(start.column);
    let length = if end.line == 1 { end.column - start.column } else { usize::MAX };
    (error.to_string(), text.take(length).collect())
}

#[track_caller]
fn refused(body: &str, at: &str, message: &str) {
    let source = format!("fn f(x: f64, n: i32) -> f64 {{ {body} }}");
    let (found, text) = refusal(device, &source);
    assert!(found.contains(message), "{body}: {found}");
    assert_eq!(text, at, "{body}: {found}");
}

#[track_caller]
fn signature_refused(source: &str, at: &str, message: &str) {
    let (found, text) = refusal(device, source);
    assert!(found.contains(message), "{source}: {found}");
    assert_eq!(text, at, "{source}: {found}");
}

#[test]
fn input_and_output() {
    refused("println!(\"{x}\"); x", "println!(\"{x}\")", "`println!`: device code does no I/O");
    refused("dbg!(x)", "dbg!(x)", "return the value and print it on the host");
    refused("std::fs::File::open(x)", "std::fs::File::open(x)", "does no I/O");
}

#[test]
fn panics() {
    refused("if n > 2 { panic!(\"no\") } x", "panic!(\"no\")", "device code cannot panic");
    refused("assert!(x > 0.0); x", "assert!(x > 0.0)", "check the arguments before the call");
    refused("assert_eq!(n, 1); x", "assert_eq!(n, 1)", "device code cannot panic");
    refused("match n { 0 => x, _ => unreachable!() }", "unreachable!()", "cannot panic");
    refused("x.checked_add(1.0)", "checked_add", "`wrapping_` or `saturating_`");
    refused("(x).sqrt().unwrap()", "unwrap", "has no `Option` and `Result` and cannot panic");
    refused("todo!()", "todo!()", "cannot panic");
}

#[test]
fn allocation_and_strings() {
    refused("let v = vec![x]; v[0]", "vec![x]", "use an array of constant size");
    refused("let v = Vec::new(); x", "Vec::new()", "device code does not allocate");
    refused("let b = Box::new(x); x", "Box::new(x)", "device code does not allocate");
    refused("let s = String::from(x); x", "String::from(x)", "device code has no strings");
    refused("let s = format!(\"{x}\"); x", "format!(\"{x}\")", "device code has no strings");
    refused("let s = \"text\"; x", "\"text\"", "device code has no strings");
    refused("let c = 'c'; x", "'c'", "use a byte, `b'x'`");
    refused("let o = Some(x); x", "Some(x)", "return a tuple with a flag");
}

#[test]
fn recursion() {
    refused("f(x - 1.0, n)", "f(x - 1.0, n)", "`f` calls itself, and device code has no recursion");
}

#[test]
fn what_device_code_has_not() {
    refused("let y = &x; x", "&x", "pass the value");
    refused("let y = |a: f64| a; x", "|a: f64| a", "write a function with `#[device]`");
    refused("*x", "*x", "nothing to `*`");
    refused("x.log()", "log", "takes a base, `x.log(b)`");
    refused("x.max(1.0, 2.0)", "max", "takes one argument");
    refused("x.ln_gamma()", "ln_gamma", "is `lgamma` here");
    refused("x?", "x?", "return a tuple with a flag");
    refused("unsafe { x }", "unsafe { x }", "no `unsafe` blocks");
    refused("Point { 0: x }", "Point { 0: x }", "have names");
    refused("Point(x)", "Point(x)", "use a tuple");
    refused("if let 1 = n && x > 0.0 { x } else { 0.0 }", "let 1 = n", "one pattern alone");
    refused("while let 1 = n { } x", "let 1 = n", "no `while let`");
    refused("let 1 = n else { return x }; x", "{ return x }", "no `let … else`");
    refused("(0..n).map(|i| i).sum()", "sum", "write a `for` loop over a range");
    refused("for i in (0..n).map(g) { } x", "map", "write a `for` loop over a range");
    refused("for i in 0.. { } x", "0..", "has a start and an end");
    refused("let y = x.clone(); y", "clone", "leave the call out");
    refused("x.frobnicate()", "frobnicate", "`.frobnicate()`: this method has no device version");
    refused("f64::frobnicate(x)", "f64::frobnicate", "this function has no device version");
    refused("let a = [x; 4]; a[1..3]", "1..3", "has no slices");
    refused("fn g() {} x", "fn g() {}", "mark it with `#[device]`");
    refused("if x > 0.0 { const C: f64 = 1.0; } x", "const C: f64 = 1.0;", "to the top");
    refused("struct S; x", "struct S;", "no items but `const` and `use`");
    refused("LIMIT = x; x", "LIMIT", "its own variables alone");
    refused("let y; x", "let y;", "write the type");
    refused("let (a, ..) = (x, x); a", "..", "write `_` for each part");
    refused("let y = (n = 3); x", "n = 3", "an assignment has no value");
    refused("let y = if x > 0.0 { x }; y", "if x > 0.0 { x }", "needs an `else`");
    refused("x.await", "x.await", "device code cannot wait");
}

#[test]
fn functions_of_the_standard_library() {
    refused("std::cmp::max(n, 2); x", "std::cmp::max", "write `a.max(b)`");
    refused("use std::cmp; cmp::min(n, 2); x", "cmp::min", "`std::cmp::min` has no device version");
    refused("use core::cmp::{max as most}; most(n, 2); x", "most", "write `a.max(b)`");
    refused("let mut y = x; std::mem::swap(y, x); x", "std::mem::swap", "write `(a, b) = (b, a)`");
}

#[test]
fn signatures() {
    signature_refused("async fn f(x: f64) {}", "async", "device code cannot wait");
    signature_refused("unsafe fn f(x: f64) {}", "unsafe", "device code is safe Rust");
    signature_refused("fn f(&self) {}", "&self", "write a free function");
    signature_refused("fn f(x: &f64) {}", "&f64", "pass `T` instead of `&T`");
    signature_refused("fn f(x: &[f64; 3]) {}", "&[f64; 3]", "device functions take values");
    signature_refused("fn f(x: Box<f64>) {}", "Box<f64>", "does not allocate");
    signature_refused("fn f(x: Vec<f64>) {}", "Vec<f64>", "does not allocate");
    signature_refused("fn f(x: dyn Fn()) {}", "dyn Fn()", "make the function generic");
    signature_refused("fn f(x: impl Copy) {}", "impl Copy", "write a type parameter");
    signature_refused("fn f<'a>(x: f64) {}", "'a", "no lifetimes");
    signature_refused("fn f<const B: bool>() {}", "bool", "is a `usize`");
    signature_refused("fn f(x: f64) -> String { x }", "String", "no strings");
}

#[test]
fn two_attributes() {
    signature_refused("#[vectorize] fn f(x: f64) {}", "#[vectorize]", "one attribute is enough");
}

#[test]
fn elements_of_arrays() {
    let refused = |source: &str, at: &str, message: &str| {
        let (found, text) = refusal(vectorize, source);
        assert!(found.contains(message), "{source}: {found}");
        assert_eq!(text, at, "{source}: {found}");
    };
    refused("fn f(n: usize) -> f64 { 0.0 }", "usize", "write `u64`");
    refused("fn f(x: f64) -> isize { 0 }", "isize", "write `i64`");
    refused("fn f(x: [f64; 3]) -> f64 { 0.0 }", "[f64; 3]", "an argument of its own");
    refused("fn f(x: f64) -> [f64; 3] { [x; 3] }", "[f64; 3]", "return a flat tuple");
    refused("fn f(x: f64) -> (f64, (f64, f64)) { 0.0 }", "(f64, f64)", "return a flat tuple");
    refused("fn f<T>(x: T) -> T { x }", "T", "write `T: Float`");
    let types = |count: usize| vec!["f64"; count].join(", ");
    let arguments = (0..13).map(|k| format!("a{k}: f64")).collect::<Vec<_>>().join(", ");
    refused(&format!("fn f({arguments}) -> f64 {{ a0 }}"), "a12: f64", "at most 12 arguments");
    let results = format!("({})", types(13));
    refused(&format!("fn f(x: f64) -> {results} {{ 0.0 }}"), &results, "at most 12 parts");
    refused("fn f(x: f64) -> (f64, char) { (x, x) }", "char", "write `u8`");
    refused("fn f(x: f64) { }", "fn f(x: f64)", "gives a number or a tuple");
    refused("fn f() -> f64 { 0.0 }", "fn f() -> f64", "at least one argument");
}

#[test]
fn reductions() {
    let refused = |source: &str, message: &str| {
        let arguments = || syn::parse_str::<Arguments>("identity = 0.0").expect("well formed");
        let (found, _) = refusal(|item| reduce(arguments(), item), source);
        assert!(found.contains(message), "{source}: {found}");
    };
    refused("fn r(a: f64) -> f64 { a }", "combines two values");
    refused("fn r(a: f64, b: f32) -> f64 { a }", "of one type");
    for wrong in ["", "0.0", "unit = 1", "identity = 0, 3"] {
        let error = syn::parse_str::<Arguments>(wrong).err().expect("refused").to_string();
        assert!(error.contains("`#[reduce(identity = 0.0)]`"), "{wrong}: {error}");
    }
}

#[test]
fn what_is_inside_of_the_subset_is_accepted() {
    for body in [
        "let y = if x > 0.0 { x } else { return 0.0; }; y",
        "loop { if x > 1.0 { break x; } }",
        "'a: loop { loop { break 'a 1.0; } }",
        "match n { 0 | 1 => x, -3..=-1 if x > 0.0 => 2.0, _ => 0.0 }",
        "let (a, mut b) = (x, n); b += 1; a + b as f64",
        "const K: f64 = 2.0; use std::f64::consts::PI; K * PI",
        "let mut a = [0.0; 3]; for i in (0..3).rev().step_by(2) { a[i] = x; } a[0]",
        "g::<f64>(x, module::h(n)).max(f64::EPSILON)",
        "if let 0 | 3..=5 = n { x } else if let (1, m) = (n, n) { m as f64 } else { 0.0 }",
        "if let 1 = n { return x; } 0.0",
        "if matches!(n, 1..=3 | 7 if x > 0.0) { x } else { 0.0 }",
        "debug_assert!(x > 0.0, \"{x}\"); debug_assert_eq!(n, 3); x",
        "let v = [x; 3]; let mut s = 0.0; for a in v.iter() { s += *a; } for &a in &v { s += a; } s",
        "let mut v = [x, 1.0]; v.swap(0, v.len() - 1); v[0]",
        "sin(x) + erf(x) + pow(x, 2.0)",
        "let p = Particle { mass: x, charge: n }; p.mass",
    ] {
        let item = syn::parse_str(&format!("fn f(x: f64, n: i32) -> f64 {{ {body} }}"));
        device(item.expect(body)).expect(body);
    }
    for source in ["fn f(x: &[f64]) -> f64 { x[0] }", "fn f(p: Particle) -> f64 { p.mass }"] {
        device(syn::parse_str(source).expect(source)).expect(source);
    }
}
