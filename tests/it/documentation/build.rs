//! Takes the examples out of the documentation of `lazuli-core` and `lazuli-elements`: they are programs of
//! users, so they need the crate above these, on which they cannot depend.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = String::new();
    let mut count = 0;
    for folder in ["core/src", "elements/src"].map(|folder| root.join(folder)) {
        println!("cargo::rerun-if-changed={}", folder.display());
        for file in sources(&folder) {
            let text = std::fs::read_to_string(&file).expect("a source");
            let name = file.strip_prefix(&root).expect("below the root").display();
            let docs = documentation(&text);
            if docs.contains("lazuli::") {
                writeln!(
                    all,
                    "#[doc = r####\"{docs}\"####]\n/// In `{name}`.\npub struct File{count};"
                )
                .expect("a string");
                count += 1;
            }
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
