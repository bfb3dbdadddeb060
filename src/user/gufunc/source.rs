//! The C++ around a gufunc that runs item by item: a kernel with a thread for each item, or with
//! blocks whose threads share the turns of its loops.

use super::call::{Dim, Param, Signature};
use crate::dtype::DType;
use crate::function::cpp::type_name;
use crate::library::items::LOOPS;
use crate::user::code::Describe;
use std::fmt::Write;

/// The numbers before the advances of the arguments: see `Items::numbers`.
const HEAD: usize = 2 + LOOPS;

/// Which items a thread takes, where each has one.
const THREADS: &str = "const lz_u64 turn = 0, turns = 1;
    const lz_i64 begin = lz_i64(blockIdx.x) * blockDim.x + threadIdx.x;
    const lz_i64 step = lz_i64(gridDim.x) * blockDim.x;";
/// The same where each item has a block.
const BLOCKS: &str = "const lz_u64 turn = lz_u64(blockIdx.y) * blockDim.x + threadIdx.x;
    const lz_u64 turns = lz_u64(gridDim.y) * blockDim.x;
    const lz_i64 begin = blockIdx.x, step = gridDim.x;";

/// The translation unit, without the prelude. `returns` says that the function gives its results
/// back, rather than writing to them.
pub fn source(
    signature: &Signature,
    inputs: &[DType],
    outputs: &[DType],
    returns: bool,
    stages: usize,
    describe: fn(&mut Describe),
) -> String {
    let mut lz = Describe::default();
    describe(&mut lz);
    let (text, definitions, _) = lz.finish();
    let mut code = String::new();
    for (_, definition) in &definitions {
        code += "\n";
        code += definition;
    }
    code += "\n";
    code += &text.replace('@', "lz_user_item");
    let sizes = HEAD + LOOPS * inputs.len();
    let numbers = sizes + signature.dims.len();
    let pointers = inputs.len() + outputs.len();
    let place = if stages == 0 { THREADS } else { BLOCKS };
    let _ = write!(
        code,
        "
struct lz_arguments {{
    lz_u64 p[{pointers}];
    lz_i64 n[{numbers}];
}};

extern \"C\" __global__ void lz_items(const __grid_constant__ lz_arguments lz) {{
    {place}
    // There may be more items than a grid has blocks.
    for (lz_i64 item = begin; item < lz.n[0]; item += step) {{
    lz_i64 at[{inputs}] = {{}}, rest = item;
    for (int k = int(lz.n[1]) - 1; k >= 0; --k) {{
        const lz_i64 here = rest % lz.n[2 + k];
        rest /= lz.n[2 + k];
        for (int j = 0; j < {inputs}; ++j) at[j] += here * lz.n[{HEAD} + {LOOPS} * j + k];
    }}
",
        inputs = inputs.len()
    );
    let length = |dim: &Dim| match *dim {
        Dim::Named(k) => format!("lz.n[{}]", sizes + k),
        Dim::Fixed(size) => size.to_string(),
    };
    let mut list = vec!["turn".to_string(), "turns".to_string()];
    for (k, (param, &dtype)) in signature.inputs.iter().zip(inputs).enumerate() {
        let (name, ty) = (format!("a{k}"), type_name(dtype));
        // Without axes it is the number as well.
        code += &array(param, &name, ty, "lz_view", "const ", k, &format!("at[{k}]"), &length);
        list.push(name);
    }
    let mut results = Vec::new();
    for (k, (param, &dtype)) in signature.outputs.iter().zip(outputs).enumerate() {
        let (name, ty, number) = (format!("r{k}"), type_name(dtype), inputs.len() + k);
        let mut at = "item".to_string();
        param.core.iter().for_each(|dim| at += &format!(" * {}", length(dim)));
        code += &array(param, &name, ty, "lz_view_mut", "", number, &at, &length);
        results.push(name);
    }
    code += &calling(list, results, returns);
    code + "    }\n}\n"
}

/// The call for one item, whose function returns its results or writes them.
fn calling(mut list: Vec<String>, results: Vec<String>, returns: bool) -> String {
    match (returns, &results[..]) {
        (false, _) => {
            list.extend(results);
            format!("    lz_user_item({});\n", list.join(", "))
        }
        (true, [one]) => format!("    *{one}.data = lz_user_item({});\n", list.join(", ")),
        (true, several) => {
            let mut lines = format!("    const auto all = lz_user_item({});\n", list.join(", "));
            for (k, name) in several.iter().enumerate() {
                let _ = writeln!(lines, "    *{name}.data = all._{k};");
            }
            lines
        }
    }
}

/// The declaration of an accessor.
#[allow(clippy::too_many_arguments, reason = "the parts of one line of text")]
fn array(
    param: &Param,
    name: &str,
    ty: &str,
    kind: &str,
    constant: &str,
    pointer: usize,
    at: &str,
    length: &impl Fn(&Dim) -> String,
) -> String {
    let mut lines = format!(
        "    {kind}<{ty}, {}, lz_i64> {name};\n    \
         {name}.data = reinterpret_cast<{constant}{ty}*>(lz.p[{pointer}]) + {at};\n",
        param.core.len()
    );
    for (axis, dim) in param.core.iter().enumerate() {
        let _ = writeln!(lines, "    {name}.lengths[{axis}] = {};", length(dim));
    }
    lines
}
