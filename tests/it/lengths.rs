//! How long functions are: at most 80 lines, so that each can be read at one look.

use crate::circles::{CRATES, files};
use crate::support::place;
use std::path::Path;

/// The most lines of a function.
const MOST: usize = 80;

/// The name of the function that a line begins.
fn named(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let word = |word: &str| matches!(word, "const" | "unsafe" | "async" | "extern" | "\"C\"");
    let words = before.split_whitespace();
    let is_head = words.into_iter().all(|w| word(w) || w.starts_with("pub") || w.ends_with(')'));
    let name = after.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (is_head && !name.is_empty()).then_some(name)
}

/// The functions of a text with their lengths, as rustfmt lays them out: a body ends with a brace
/// below the first letter of its function.
fn lengths(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (k, line) in lines.iter().enumerate() {
        let Some(name) = named(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = [indent, "}"].concat();
        // A declaration ends before a body begins.
        let heads = lines[k..].iter().take_while(|line| !line.ends_with('{')).count();
        let is_declared = lines[k..k + heads].iter().any(|line| line.ends_with([';', '}']));
        if !is_declared && let Some(n) = lines[k..].iter().position(|line| **line == *end) {
            found.push((name.to_owned(), n + 1));
        }
    }
    found
}

#[test]
fn functions_are_short() {
    let (mut seen, mut long) = (0, Vec::new());
    // Where the clone lies says nothing of its files.
    let root = place("");
    let is_test = |file: &Path| {
        file.strip_prefix(&root).expect("below the root").to_string_lossy().contains("test")
    };
    for file in CRATES.iter().flat_map(|folder| files(&place(folder))) {
        let text = std::fs::read_to_string(&file).expect("a source");
        let text = text.split("mod tests {").next().unwrap_or_default();
        let all = if is_test(&file) { Vec::new() } else { lengths(text) };
        seen += all.len();
        let all = all.into_iter().filter(|(_, n)| *n > MOST);
        long.extend(all.map(|(name, n)| format!("{}: {name} has {n} lines", file.display())));
    }
    assert!(seen > 5000, "{seen} functions were read");
    assert!(long.is_empty(), "functions of more than {MOST} lines:\n{}", long.join("\n"));
}

#[test]
fn lengths_are_read_from_sources() {
    let text = "    fn one(\n        a: u8,\n    ) -> u8 {\n        a\n    }\n\npub(crate) unsafe fn two() {}\n\
                trait A {\n    fn three(&self) -> u8;\n}\npub const fn four() {\n    let f = |x| x;\n}\n\
                // what fn is\nlet g = h(fn_of);\n";
    let found = lengths(text);
    let found: Vec<_> = found.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(found, [("one", 5), ("four", 3)]);
}
