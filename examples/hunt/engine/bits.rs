//! Strict arithmetic: every way to evaluate a program gives the same bits.

use super::op::{Op, Program};
use super::value::{Host, Kind, V, literal};
use std::cell::RefCell;
use std::collections::BTreeMap;

thread_local! {
    /// The value that each node of the present program had first, where bits are compared.
    static FIRST: RefCell<Option<BTreeMap<usize, Host>>> = const { RefCell::new(None) };
}

/// Compares bits from here on, of a program that has no values yet.
pub fn begin() {
    FIRST.set(Some(BTreeMap::new()));
}

/// Whether bits are compared.
pub fn are_compared() -> bool {
    FIRST.with_borrow(Option::is_some)
}

/// An element's bits; all NaN are one.
fn bits(v: &V, kind: Kind) -> [u64; 2] {
    let part = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
    match kind {
        _ if kind.is_discrete() => [v.int as u64, (v.int >> 64) as u64],
        _ => [part(v.re), part(v.im)],
    }
}

/// What differs from the value that the node had before.
pub fn difference(k: usize, got: &Host) -> Option<String> {
    FIRST.with_borrow_mut(|first| {
        let first = first.as_mut()?;
        let Some(before) = first.get(&k) else {
            first.insert(k, got.clone());
            return None;
        };
        let kind = got.kind;
        let differs = |at: &usize| bits(&got.data[*at], kind) != bits(&before.data[*at], kind);
        let at = (0..got.data.len()).find(differs)?;
        let [now, then] = [got, before].map(|host| literal(kind, &host.data[at]));
        Some(format!("bits: number {at} is {now}, and was {then} when it was evaluated before"))
    })
}

/// Whether all devices give the same bits: what is made of sums, differences, products, quotients,
/// square roots, comparisons and moves, but no NaN, whose sign a device may choose and an integer
/// or another type may show.
fn is_portable(op: &Op, value: &Host) -> bool {
    const MAPS: [&str; 21] = [
        "add",
        "subtract",
        "multiply",
        "divide",
        "negative",
        "abs",
        "square",
        "reciprocal",
        "sqrt",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "maximum",
        "minimum",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "equal",
        "not_equal",
    ];
    let is_number = |v: &V| !v.re.is_nan() && !v.im.is_nan();
    let known = match op {
        Op::Map("abs" | "divide" | "reciprocal" | "sqrt") => !value.kind.is_complex(),
        Op::Map(name) => value.kind.is_discrete() || MAPS.contains(name),
        Op::Draw { .. } | Op::User(_) => value.kind.is_discrete(),
        _ => true,
    };
    known && value.data.iter().all(is_number)
}

/// A number that stands for the bits of a program's values, as far as devices agree on them.
pub fn digest(program: &Program) -> u64 {
    FIRST.with_borrow(|first| {
        let Some(first) = first else { return 0 };
        let mut portable = Vec::new();
        let mut sum = 0xcbf2_9ce4_8422_2325u64;
        for (k, node) in program.nodes.iter().enumerate() {
            let value = first.get(&k);
            let of_args = node.args.iter().all(|&a| portable[a]);
            portable.push(of_args && value.is_some_and(|value| is_portable(&node.op, value)));
            let Some(value) = value.filter(|_| portable[k]) else { continue };
            for word in value.data.iter().flat_map(|v| bits(v, value.kind)) {
                sum = (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
            }
        }
        sum
    })
}
