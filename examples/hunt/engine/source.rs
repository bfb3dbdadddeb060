//! Prints a program as Rust that a user could paste.

use super::check::{Finding, Way};
use super::op::{Margin, Node, Op, Part, Program};
use super::value::{Host, Kind, V, literal};
use std::fmt::Write;

const LINE: usize = 12;

fn list(kind: Kind, data: &[V]) -> String {
    let same = |v: &V| literal(kind, v) == literal(kind, &data[0]);
    if data.len() > LINE && data.iter().all(same) {
        return format!("vec![{}; {}]", literal(kind, &data[0]), data.len());
    }
    let all: Vec<String> = data.iter().map(|v| literal(kind, v)).collect();
    format!("vec![{}]", all.join(", "))
}

fn parts(all: &[Part]) -> String {
    let one = |p: &Part| match *p {
        Part::Index(i) => i.to_string(),
        Part::Range { start, end, step: 1 } => format!("{start}..{end}"),
        Part::Range { start, end, step } => format!("{start}..{end};{step}"),
    };
    let all: Vec<String> = all.iter().map(one).collect();
    match all.len() {
        0 => "[]".into(),
        _ => format!("s![{}]", all.join(", ")),
    }
}

fn leaf(op: &Op) -> Option<String> {
    Some(match op {
        Op::Input(host) => {
            let data = list(host.kind, &host.data);
            let name = host.kind.name();
            format!("DeviceArray::<{name}>::from_vec(vec!{:?}, {data})?", host.shape)
        }
        Op::Full(kind, shape, v) => {
            format!("DeviceArray::<{}>::full(vec!{shape:?}, {})", kind.name(), literal(*kind, v))
        }
        Op::Range(kind, n) => format!("DeviceArray::<{}>::arange_to({n} as {0})", kind.name()),
        Op::Draw { law, seed, skip, values } => {
            let (name, of) = law.split_once(' ').unwrap_or((law, ""));
            let shape = &values.shape;
            let draw = match name {
                "random" => format!("random::<{of}>(vec!{shape:?})"),
                "normal" => format!("standard_normal::<{of}>(vec!{shape:?})"),
                "integers" if of == "u8" => format!("integers::<u8>(.., vec!{shape:?})"),
                "integers" => format!("integers::<i64>(-50..50, vec!{shape:?})"),
                _ => format!("bernoulli(0.5, vec!{shape:?})"),
            };
            format!("{{ let mut g = Generator::new({seed}); g.random::<f32>({skip}); g.{draw} }}")
        }
        _ => return None,
    })
}

/// A node as an expression of the variables before it.
fn expression(node: &Node) -> String {
    if let Some(text) = leaf(&node.op) {
        return text;
    }
    let of = |k: usize| format!("v{}", node.args[k]);
    let a = of(0);
    let others = || -> String {
        let all: Vec<String> = (1..node.args.len()).map(|k| format!("&{}", of(k))).collect();
        all.join(", ")
    };
    let all = || -> String {
        let all: Vec<String> = (0..node.args.len()).map(|k| format!("&{}", of(k))).collect();
        all.join(", ")
    };
    match &node.op {
        Op::Map(name) => format!("{a}.{name}({})", others()),
        Op::Select => format!("{a}.select({})", others()),
        Op::Cast(kind) => format!("{a}.cast::<{}>()", kind.name()),
        Op::Ldexp => format!("{a}.ldexp({})", others()),
        Op::Slice(p) => format!("{a}.slice({})", parts(p)),
        Op::Permute(order) => format!("{a}.permute(&{order:?})"),
        Op::Reshape(shape) => format!("{a}.reshape(vec!{shape:?})"),
        Op::Broadcast(shape) => format!("{a}.broadcast_to(vec!{shape:?})"),
        Op::InsertAxis(axis) => format!("{a}.insert_axis({axis})"),
        Op::Flip(axis) => format!("{a}.flip({axis})"),
        Op::Roll(by, axis) => format!("{a}.roll({by}, {axis})"),
        Op::Repeat(times, axis) => format!("{a}.repeat({times}, {axis})"),
        Op::Tile(times) => format!("{a}.tile(vec!{times:?})"),
        Op::Windows(n, axis) => format!("{a}.sliding_windows({n}, {axis})"),
        Op::Diagonal(offset, x, y) => format!("{a}.diagonal({offset}, {x}, {y})"),
        Op::Pad(widths, margin) => {
            let mode = match margin {
                Margin::Constant(v) => format!("Constant({})", literal(node.value.kind, v)),
                other => format!("{other:?}"),
            };
            format!("{a}.pad(&{widths:?}, PadMode::{mode})")
        }
        Op::Take(at, axis) => format!("{a}.take(&vec!{at:?}, {axis})"),
        Op::TakeBy(axis) => format!("{a}.take({}, {axis})", others()),
        Op::TakeClipped(axis) => format!("{a}.take_clipped({}, {axis})", others()),
        Op::TakeAlong(axis) => format!("{a}.take_along_axis({}, {axis})", others()),
        Op::Concat(axis) => format!("concatenate(&[{}], {axis})", all()),
        Op::Stack(axis) => format!("stack(&[{}], {axis})", all()),
        Op::Assign(p) => format!("{a}.with_slice({}, {})", parts(p), others()),
        Op::AssignWhere => format!("{a}.with_where({})", others()),
        Op::Reduce { name, axes, keep } => {
            let (axes, all) = (format!("&[{}]", joined(axes)), axes.len() == 1);
            let axes = if all { axes.trim_matches(['&', '[', ']']).to_string() } else { axes };
            let axes = if axes == "&[]" { "&[] as &[usize]".into() } else { axes };
            if *keep { format!("{a}.{name}(keep({axes}))") } else { format!("{a}.{name}({axes})") }
        }
        Op::Scan { name, axis, reverse, exclusive } => {
            let reverse = if *reverse { ".reverse()" } else { "" };
            let exclusive = if *exclusive { ".exclusive()" } else { "" };
            format!("{a}.{name}_with({axis}, Scan::new(){reverse}{exclusive})")
        }
        Op::Sort { axis, down } => {
            format!("{a}.sort{}({axis})", if *down { "_descending" } else { "" })
        }
        Op::Argsort { axis, down } => {
            format!("{a}.argsort{}({axis})", if *down { "_descending" } else { "" })
        }
        Op::TopK { k, axis, positions } => {
            format!("{a}.top_k({k}, {axis}).{}", usize::from(*positions))
        }
        Op::Scatter { name, positions, axis } => {
            let name = if *name == "put" { "with_put".into() } else { format!("scatter_{name}") };
            format!("{a}.{name}(&vec!{positions:?}, {}, {axis})", others())
        }
        Op::Search { right } => {
            let side = if *right { "Right" } else { "Left" };
            format!("{a}.searchsorted({}, Side::{side})", others())
        }
        Op::Bincount(least) => format!("{a}.bincount({least})?"),
        Op::Matmul => format!("{a}.matmul({})", others()),
        Op::User(name) => format!("{name}::call({})", all()),
        Op::UserFold { axis, scan: true } => format!("last::scan(&{a}, {axis})"),
        Op::UserFold { axis, scan: false } => format!("last::reduce(&{a}, {axis})"),
        leaf => unreachable!("{leaf:?} was printed"),
    }
}

fn joined(all: &[usize]) -> String {
    all.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// What is right, as a comment: the first elements.
fn right(host: &Host) -> String {
    let few: Vec<String> = host.data.iter().take(8).map(|v| literal(host.kind, v)).collect();
    let more = if host.data.len() > few.len() { ", …" } else { "" };
    format!("{:?} [{}{more}]", host.shape, few.join(", "))
}

/// The program as source.
pub fn source(program: &Program, finding: Option<&Finding>) -> String {
    let mut text = format!("// The program of seed {}", program.seed);
    if let Some(found) = finding {
        let _ = write!(text, ", evaluated as {:?}", found.way);
        if let Some(k) = found.node {
            let _ = write!(text, ": v{k}");
        }
        let _ = write!(text, ": {}", found.what.lines().next().unwrap_or_default());
    }
    text.push('\n');
    for (k, node) in program.nodes.iter().enumerate() {
        let _ = writeln!(text, "let v{k} = {};", expression(node));
        if finding.is_some_and(|f| f.way == Way::Steps) {
            let _ = writeln!(text, "v{k}.eval()?;");
        }
    }
    for &k in &program.outputs {
        let _ = writeln!(text, "// v{k} is {}", right(&program.nodes[k].value));
    }
    let all: Vec<String> = program.outputs.iter().map(|k| format!("&v{k}")).collect();
    let _ = writeln!(text, "eval(&[{}])?;", all.join(", "));
    for &k in &program.outputs {
        let _ = writeln!(text, "println!(\"{{:?}}\", v{k}.to_vec()?);");
    }
    text
}
