//! Rows that lack something are refused with what to write, and no list of methods forgets one.

use super::{arguments, expand, row, spelled_out};
use quote::{ToTokens, quote};

const ROW: &str = r#"
/// The half.
#[example(x = [2.0], gives = [1.0])]
#[oracle("x / 2", x = -9.0..9.0, within = 1)]
fn half(x: T) -> T { x / (T::ONE + T::ONE) }
"#;

/// The message at a row in which a text is replaced.
fn refused(what: &str, by: &str) -> String {
    assert!(ROW.contains(what), "{what}");
    row::read(&ROW.replace(what, by)).err().expect("the row is refused").to_string()
}

#[test]
fn rows_are_read() {
    let rows = row::read(ROW).expect("a row");
    assert_eq!(rows[0].name, "half");
    assert_eq!(rows[0].oracle.within, 1.0);
    let lines = rows[0].example(true).join("\n");
    assert!(lines.contains(" assert_eq!(x.half().to_vec()?, [1.0]);"), "{lines}");
    let lines = rows[0].example(false).join("\n");
    assert!(lines.contains("lazuli::special::half(&x)"), "{lines}");
    let rows = expand(&quote!(consumer)).expect("the rows").to_string();
    assert!(rows.starts_with("consumer !") && rows.contains("fn softsign | try_softsign (x)"));
}

#[test]
fn what_a_row_lacks_is_said() {
    for (what, by, message) in [
        ("/// The half.", "", "says nothing: write `/// …`"),
        ("#[example(x = [2.0], gives = [1.0])]", "", "write `#[example(x = [0.0, 1.0], gives ="),
        ("x = [2.0]", "y = [2.0]", "an example of other arguments"),
        ("gives = [1.0]", "gives = [1.0, 2.0]", "as many numbers of each"),
        ("#[oracle(\"x / 2\", x = -9.0..9.0, within = 1)]", "", "is held against nothing: write"),
        (", within = 1", "", "`within = 4`, in units in the last place"),
        ("x = -9.0..9.0", "y = -9.0..9.0", "an oracle of other arguments"),
        ("fn half", "fn sin", "a method that there is already"),
        ("x: T", "x: f64", "takes numbers of its type, `x: T`"),
        ("-> T ", "", "`fn name(x: T) -> T`"),
        ("/// The half.", "/// The half.\n#[inline]", "not `inline`"),
    ] {
        let found = refused(what, by);
        assert!(found.contains(message), "{what}: {found}");
    }
    let twice = format!("{ROW}{ROW}");
    assert!(row::read(&twice).err().expect("a refusal").to_string().contains("has two rows"));
}

#[test]
fn methods_of_rows_are_calls() {
    assert_eq!((arguments("softsign"), arguments("xlogy")), (Some(0), Some(1)));
    assert_eq!((arguments("huber"), arguments("sin")), (None, None));
    let item = syn::parse_quote!(
        fn f(x: f64) -> f64 {
            (x + 1.0).xlogy(x.softsign()).sin()
        }
    );
    let text = spelled_out(item).to_token_stream().to_string().replace(' ', "");
    let called =
        "::lazuli::special::device::xlogy((x+1.0),::lazuli::special::device::softsign(x)).sin()";
    assert!(text.contains(called), "{text}");
    // Other numbers of arguments are refused where methods are.
    let item = syn::parse_quote!(
        fn f(x: f64) -> f64 {
            x.xlogy()
        }
    );
    assert!(!spelled_out(item).to_token_stream().to_string().contains("special"));
}

/// Operations of arrays that users' functions write in another way, or that belong to arrays alone.
const OTHERWISE: [&str; 41] = [
    // Operators, casts and fields of Rust, and `if`.
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "logical_not",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_not",
    "left_shift",
    "right_shift",
    "real",
    "imag",
    "to_complex",
    "select",
    "square",
    // Methods of Rust that differ: `floor` of a quotient, `rem_euclid`, `signum`, `clamp`, `count_ones`;
    // `min` and `max`, where a NaN gives way; `frexp` gives both; comparisons with infinities.
    "floor_divide",
    "remainder",
    "sign",
    "clip",
    "bitwise_count",
    "minimum",
    "maximum",
    "frexp_mantissa",
    "frexp_exponent",
    "is_pos_inf",
    "is_neg_inf",
    // Of the generator of random numbers.
    "below",
    "sample_gamma",
    "sample_beta",
    "sample_poisson",
    "sample_binomial",
    // No method of numbers is theirs.
    "nextafter",
    "heaviside",
    "gcd",
    "lcm",
];

#[test]
fn users_functions_know_each_operation() {
    // The published crate has no table beside it.
    let Ok(table) = std::fs::read_to_string("../elements/src/table.rs") else { return };
    let rows = table.lines().filter(|line| line.contains(", cuda \"") && !line.contains("///"));
    let (mut seen, mut missing) = (0, Vec::new());
    for row in rows {
        let (words, cpp) = row.split_once(", cuda \"").expect("a row");
        let name = words.split_whitespace().nth(1).expect("its name");
        let cpp = cpp.split('(').next().unwrap_or_default();
        seen += 1;
        if !crate::translate::calls_cpp(cpp) && !OTHERWISE.contains(&name) {
            missing.push(name);
        }
    }
    assert!(seen > 100, "{seen} rows were read");
    assert!(
        missing.is_empty(),
        "add a row to macros/src/translate/methods.rs and the method to src/user/device.rs and twin.rs, \
         or to `OTHERWISE` with what users write instead: {missing:?}"
    );
}
