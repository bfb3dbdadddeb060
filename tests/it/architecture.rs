//! Who may import whom: the layers of ARCHITECTURE.md, held against the paths that the sources
//! name.

use crate::support::load::below_package;
use std::path::{Path, PathBuf};

/// For each part, the parts that it may name besides itself. The most specific entry counts.
const MAY_NAME: [(&str, &[&str]); 15] = [
    ("error", &[]),
    ("dtype", &[]),
    ("shape", &["error"]),
    ("ops::table", &["dtype"]),
    ("math", &["dtype", "ops::table"]),
    ("kernel", &["dtype", "shape", "error", "ops::table", "math"]),
    ("backend", &["dtype", "shape", "error", "ops::table", "math", "kernel"]),
    // The data of a node: the handle to a buffer and the name of its device.
    ("graph", &["dtype", "shape", "error", "ops::table", "backend::Buffer", "backend::Device"]),
    ("plan", &["dtype", "shape", "error", "ops::table", "kernel", "graph"]),
    ("eval", &["dtype", "shape", "error", "ops::table", "kernel", "graph", "plan", "backend"]),
    ("array", &ABOVE_EVAL),
    ("ops", &ABOVE_EVAL),
    ("explain", &EXPLAIN),
    ("backend::cpu", &BACKEND),
    ("backend::cuda", &BACKEND),
];

const BACKEND: [&str; 12] = [
    "dtype",
    "shape",
    "error",
    "ops::table",
    "math",
    "kernel",
    // What `backend/mod.rs` and `backend/device.rs` define for both.
    "backend::Backend",
    "backend::Buffer",
    "backend::Compiled",
    "backend::DeviceInfo",
    "backend::Memory",
    "backend::Origin",
];
const ABOVE_EVAL: [&str; 9] =
    ["dtype", "shape", "error", "ops", "graph", "eval", "array", "backend::Device", "Result"];
const EXPLAIN: [&str; 8] =
    ["dtype", "error", "kernel", "graph", "plan", "eval", "array", "backend"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("the folder can be read").path();
        match path.extension() {
            _ if path.is_dir() => sources(&path, found),
            Some(extension) if extension == "rs" => found.push(path),
            _ => {}
        }
    }
}

/// The module of a file: `backend::cpu::casts` for `src/backend/cpu/casts.rs`.
fn module(path: &Path, root: &Path) -> String {
    let below = path.strip_prefix(root).expect("the file is below the root").with_extension("");
    let parts: Vec<String> = below
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .filter(|p| p != "mod")
        .collect();
    parts.join("::")
}

/// Whether a file is compiled for tests alone: it is named so, or its `mod` line says so.
fn is_test(path: &Path, root: &Path) -> bool {
    let named = |part: &std::ffi::OsStr| {
        let part = part.to_string_lossy();
        part == "tests" || part.ends_with("tests.rs") || part == "gpu_tests"
    };
    if path.strip_prefix(root).is_ok_and(|below| below.iter().any(named)) {
        return true;
    }
    let stem = path.file_stem().expect("a source has a name").to_string_lossy();
    let parent = path.with_file_name("mod.rs");
    let text = std::fs::read_to_string(parent).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(2).any(|pair| {
        pair[0].starts_with("#[cfg(test)]") && pair[1].ends_with(&format!("mod {stem};"))
    })
}

/// The text of a file without comments and without what is compiled for tests alone.
fn product(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // The item that follows ends at the first line that closes at its depth.
            let indent = &line[..line.len() - line.trim_start().len()];
            let one_line =
                |l: &str| l.ends_with(';') && l.len() - l.trim_start().len() == indent.len();
            let _ = lines.find(|l| *l == format!("{indent}}}") || one_line(l));
            continue;
        }
        if !line.trim_start().starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The paths after `crate::`, of at most two names, with the braces of a `use` expanded.
fn named(text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, start) in text.match_indices("crate::") {
        if text[..at].ends_with(|c: char| is_name(c) || c == '$' || c == '(') {
            continue;
        }
        let rest = &text[at + start.len()..];
        let first: String = rest.chars().take_while(|&c| is_name(c)).collect();
        let rest = rest[first.len()..].strip_prefix("::").unwrap_or_default();
        let group = rest.strip_prefix('{').and_then(|g| g.split('}').next());
        let second =
            |name: &str| name.trim().chars().take_while(|&c| is_name(c)).collect::<String>();
        let seconds =
            group.map_or_else(|| vec![second(rest)], |g| g.split(',').map(second).collect());
        found.extend(seconds.into_iter().map(|second| format!("{first}::{second}")));
    }
    found
}

/// Whether a path is a part or lies in it.
fn within(path: &str, part: &str) -> bool {
    path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn violations(module: &str, text: &str) -> Vec<String> {
    let entries = MAY_NAME.iter().filter(|(part, _)| within(module, part));
    let Some((own, allowed)) = entries.max_by_key(|(part, _)| part.len()) else {
        return vec![format!("{module}: belongs to no part")];
    };
    let may = |path: &str| within(path, own) || allowed.iter().any(|part| within(path, part));
    let names = named(&product(text)).into_iter();
    names.filter(|path| !may(path)).map(|path| format!("{module} names {path}")).collect()
}

#[test]
fn no_part_imports_what_it_must_not_know() {
    let root = below_package("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 50, "the sources were not found");
    let mut found = Vec::new();
    for path in files.iter().filter(|path| !is_test(path, &root)) {
        let module = module(path, &root);
        if module != "lib" {
            let text = std::fs::read_to_string(path).expect("the source can be read");
            found.extend(violations(&module, &text));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn forbidden_imports_are_seen() {
    let wrong = |module: &str, line: &str| violations(module, line).len();
    assert_eq!(wrong("backend::cpu::run", "use crate::graph::Node;"), 1);
    assert_eq!(wrong("backend::cpu::run", "use crate::backend::cuda::device;"), 1);
    assert_eq!(wrong("graph::node", "use crate::backend::{Buffer, cpu};"), 1);
    assert_eq!(wrong("graph::node", "use crate::plan::Plan;"), 1);
    assert_eq!(wrong("kernel::index", "let x = crate::ops::index::take();"), 1);
    assert_eq!(wrong("dtype", "#[cfg(test)]\nmod tests {\n    use crate::plan::Plan;\n}\n"), 0);
    assert_eq!(wrong("plan::emit", "// crate::backend\nuse crate::graph::{Node, View};"), 0);
}
