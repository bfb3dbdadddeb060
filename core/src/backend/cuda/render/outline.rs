//! Functions that stay functions for NVRTC: written out they are too much to compile.

use crate::dtype::DType;
use crate::kernel::weight::CALL;
use crate::table::Op;
use std::fmt::Write;

/// The definition of a function that calls another, and is compiled once.
pub(super) fn define(text: &mut String, name: &str, arguments: usize) {
    let list =
        |one: &dyn Fn(usize) -> String| (0..arguments).map(one).collect::<Vec<_>>().join(", ");
    let types = list(&|k| format!("class T{k}"));
    let parameters = list(&|k| format!("T{k} a{k}"));
    let passed = list(&|k| format!("a{k}"));
    let own = once(name);
    let _ = writeln!(
        text,
        "template <{types}> __device__ __noinline__ auto {own}({parameters}) {{ return {name}({passed}); }}"
    );
}

/// A call, or the name, of the function of which there is one for a kernel.
pub(super) fn once(call: &str) -> String {
    format!("lz_once_{}", call.strip_prefix("lz_").unwrap_or(call))
}

/// The operations that the definitions of users' functions call too often: those that weigh most,
/// until the others weigh no more than `most`.
pub(super) fn called_often(definitions: &str, most: u64) -> Vec<Op> {
    let is_complex = definitions.contains("lz_c64") || definitions.contains("lz_c128");
    let dtype = if is_complex { DType::C128 } else { DType::F64 };
    let weight = |&op: &Op| {
        let name = op.cuda().split('(').next().filter(|name| name.starts_with("lz_"))?;
        let each = op.compile_weight(dtype);
        let places = calls(definitions, name).count() as u64;
        (each > 2 * CALL && places > 1).then_some((places * u64::from(each), op))
    };
    let mut heavy: Vec<(u64, Op)> = Op::ALL.iter().filter_map(weight).collect();
    heavy.sort_unstable_by(|a, b| b.cmp(a));
    let mut sum: u64 = heavy.iter().map(|called| called.0).sum();
    let lighter = heavy.into_iter().take_while(|called| {
        let is_heavy = sum > most;
        sum -= called.0;
        is_heavy
    });
    lighter.map(|called| called.1).collect()
}

/// Where a function is called: where its name is neither the end of another nor a member's.
fn calls<'t>(text: &'t str, name: &str) -> impl Iterator<Item = usize> + use<'t> {
    let call = format!("{name}(");
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '>');
    let places: Vec<usize> = text.match_indices(&call).map(|(at, _)| at).collect();
    places.into_iter().filter(move |&at| !text[..at].chars().next_back().is_some_and(is_part))
}

/// Replaces what is called.
pub(super) fn replace_calls(text: &str, name: &str, by: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut done = 0;
    for at in calls(text, name) {
        replaced += &text[done..at];
        replaced += by;
        done = at + name.len();
    }
    replaced + &text[done..]
}

#[cfg(test)]
mod tests {
    use super::{called_often, replace_calls};
    use crate::table::Op;

    #[test]
    fn what_users_functions_call_often_is_found() {
        let divided = |times: usize| {
            let calls = "z = lz_divide(lz_exp(z), w); ".repeat(times);
            format!("LZ_FN lz_c128 lz_user_f(lz_c128 z, lz_c128 w) {{ {calls}return z; }}")
        };
        assert_eq!(called_often(&divided(5), 480_000), []);
        assert_eq!(called_often(&divided(20), 480_000), [Op::Exp]);
        assert_eq!(called_often(&divided(60), 480_000), [Op::Exp, Op::Divide]);
    }

    #[test]
    fn calls_are_replaced_and_members_stay() {
        let text = "lz_tanh(x) + y.lz_tanh(1) * lz_atanh(lz_tanh(2)) - U::lz_tanh(lz_tanh2(3))";
        let wanted = "f(x) + y.lz_tanh(1) * lz_atanh(f(2)) - U::lz_tanh(lz_tanh2(3))";
        assert_eq!(replace_calls(text, "lz_tanh", "f"), wanted);
    }
}
