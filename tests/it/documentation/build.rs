//! Takes the examples out of the documentation of `lazuli-core`: they are programs of users, so they
//! need the crate above it, on which it cannot depend.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/src");
    println!("cargo::rerun-if-changed={}", core.display());
    let mut all = String::new();
    for (k, file) in sources(&core).iter().enumerate() {
        let text = std::fs::read_to_string(file).expect("a source");
        let name = file.strip_prefix(&core).expect("below src").display();
        let docs = documentation(&text);
        if docs.contains("lazuli::") {
            writeln!(all, "#[doc = r####\"{docs}\"####]\n/// In `{name}`.\npub struct File{k};")
                .expect("a string");
        }
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo's folder");
    std::fs::write(Path::new(&out).join("examples.rs"), all).expect("a file");
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of sources");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    paths
        .into_iter()
        .flat_map(below)
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .collect()
}

/// The lines of documentation; all else is empty lines, so that examples keep their numbers of lines.
fn documentation(text: &str) -> String {
    let doc = |line: &str| line.trim_start().strip_prefix("///").unwrap_or_default().to_owned();
    text.lines()
        .map(doc)
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned() + "\n")
        .collect()
}
