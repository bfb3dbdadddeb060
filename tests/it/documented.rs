//! What the documentation promises of itself: every public function has an example, and what the
//! guides' tables say is run.

use crate::support::place;
use std::path::{Path, PathBuf};

fn read(path: impl AsRef<Path>) -> String {
    let path = place(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The folders and files whose public functions are the interface of users.
const PLACES: [&str; 20] = [
    "src/array",
    "src/ops",
    "src/ndimage",
    "src/signal",
    "src/stats",
    "src/ode/options.rs",
    "src/ode/adaptive.rs",
    "src/ode/events.rs",
    "src/ode/fixed.rs",
    "src/exchange",
    "src/user/kernel",
    "core/src/backend/device.rs",
    "core/src/backend/progress.rs",
    "core/src/backend/wait.rs",
    "src/check_finite.rs",
    "src/compile.rs",
    "src/loops",
    "src/explain/mod.rs",
    "src/profile/mod.rs",
    "src/user/raw.rs",
];

fn sources(folder: &str) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![place(folder)]);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder of sources");
            open.extend(entries.map(|entry| entry.expect("an entry of a folder").path()));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if name != "tests" && !name.ends_with("_tests") {
                found.push(path);
            }
        }
    }
    found
}

/// The function that a line begins to define: `pub fn name`, or `fn name | try_name` in a macro.
fn function(line: &str) -> Option<&str> {
    let (line, open) = match line.trim_start().strip_prefix("pub ") {
        Some(rest) => (rest, true),
        None => (line.trim_start(), false),
    };
    let line = line.strip_prefix("const ").unwrap_or(line);
    let line = line.strip_prefix("unsafe ").unwrap_or(line);
    let rest = line.strip_prefix("fn ")?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let pair = rest[end..].starts_with(" | ");
    ((open || pair) && end > 0).then(|| &rest[..end])
}

/// The documented public functions of a text that are no twins, and whether they show an example.
fn functions(text: &str) -> Vec<(String, bool)> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut found = Vec::new();
    let (mut documented, mut example, mut hidden) = (false, false, false);
    let mut in_block = false;
    for line in text.lines() {
        // `gpu::Block` is for the code that `#[kernel]` writes, `Meter` for the crate above.
        let inside = [" Block<", " Meter {"];
        in_block = match line.starts_with("impl") {
            true => inside.iter().any(|name| line.contains(name)),
            false => in_block,
        };
        let line = line.trim_start();
        let shown = documented && !hidden && !in_block;
        if let Some(name) = function(line).filter(|name| shown && !name.starts_with("try_")) {
            found.push((name.to_owned(), example));
        }
        if line.starts_with("///") || line.starts_with("#[doc = ") || line.starts_with("$(#[$") {
            documented = true;
            example |=
                line.contains("```") || line.contains("# Example") || line.contains("example!");
        } else if line.starts_with("#[doc(hidden)") {
            hidden = true;
        } else if !(line.starts_with("#[") || line == "example") {
            (documented, example, hidden) = (false, false, false);
        }
    }
    found
}

#[test]
fn every_public_function_has_an_example() {
    let (mut seen, mut missing) = (0, Vec::new());
    for file in PLACES.iter().flat_map(|place| sources(place)) {
        for (name, example) in functions(&read(&file)) {
            seen += 1;
            if !example {
                missing.push(format!("{}: {name}", file.display()));
            }
        }
    }
    assert!(seen > 450, "{seen} functions were found");
    assert!(missing.is_empty(), "no example:\n{}", missing.join("\n"));
}

/// Each row of the guide for users of NumPy is code of the file that is run against NumPy's values.
#[test]
fn rows_of_the_guide_from_numpy_are_run() {
    let (guide, rows) = (read("src/guide/from_numpy.rs"), read("src/guide/from_numpy_rows.md"));
    let (_, tables) = guide.split_once("//! # The idioms").expect("the tables");
    let tables = tables.split("//! # Differences").next().unwrap_or_default();
    let mut seen = 0;
    for line in tables.lines().filter_map(|line| line.strip_prefix("//! | `")) {
        let cells: Vec<&str> = line.trim_end_matches("` |").split("` | `").collect();
        let [numpy, lazuli] = cells[..] else { panic!("no row of two cells: {line}") };
        let (numpy, lazuli) = (numpy.replace("\\|", "|"), lazuli.replace("\\|", "|"));
        assert!(rows.contains(&format!("// {numpy}\n")), "{numpy} is not run");
        assert!(rows.contains(&lazuli), "{lazuli} is not run");
        seen += 1;
    }
    assert!(seen >= 60, "{seen} rows were found");
}

#[test]
fn functions_are_read_from_sources() {
    let text = "/// A.\n///\n/// # Example\n/// ```\n/// ```\n#[inline]\npub fn a() {}\n\n/// B.\npub \
                unsafe fn b() {}\n    /// C.\n    example\n    /// ```\n    fn c | try_c() {}\npub fn \
                d() {}\n/// E.\nfn e() {}\n/// F.\n#[doc(hidden)]\npub fn f() {}\n/// G.\npub fn \
                try_g() {}\n";
    let expected = [("a", true), ("b", false), ("c", true)];
    assert_eq!(functions(text), expected.map(|(name, example)| (name.to_owned(), example)));
}
