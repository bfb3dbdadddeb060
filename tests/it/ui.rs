//! What does not compile: rustc on each file of `tests/ui`, whose `//~` comments say the message and
//! mark the line that it must point at.

use crate::support::place;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The library that this test was linked with, and the folder of its dependencies.
fn library() -> Option<(PathBuf, PathBuf)> {
    let folder = std::env::current_exe().ok()?.parent()?.to_path_buf();
    let files = std::fs::read_dir(&folder).ok()?.flatten().map(|entry| entry.path());
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("liblazuli-") && name.ends_with(".rlib")
    };
    let written = |path: &PathBuf| {
        path.metadata().and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let newest = files.filter(is_library).max_by_key(written)?;
    Some((newest, folder))
}

/// What rustc says to a file.
fn messages(file: &Path, library: &Path, dependencies: &Path) -> Option<String> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "-o"]);
    command.arg(if cfg!(windows) { "NUL" } else { "/dev/null" });
    command.arg("--extern").arg(format!("lazuli={}", library.display()));
    command.arg("-L").arg(format!("dependency={}", dependencies.display())).arg(file);
    let output = command.output().ok()?;
    assert!(!output.status.success(), "{} compiles", file.display());
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The lines of a file that must be pointed at, and what must be said there.
fn expected(text: &str) -> Vec<(usize, &str)> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(k, line)| Some((k + 1, line.split_once("//~ ")?.1))).collect()
}

#[test]
fn refusals_name_the_place_and_the_way_out() {
    let Some((library, dependencies)) = library() else {
        eprintln!("skipped: the library is not beside the test");
        return;
    };
    let mut seen = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(place("tests/ui")).expect("the cases").flatten() {
        let file = entry.path();
        let text = std::fs::read_to_string(&file).expect("a case");
        let Some(said) = messages(&file, &library, &dependencies) else {
            eprintln!("skipped: rustc does not run here");
            return;
        };
        let expected = expected(&text);
        assert!(!expected.is_empty(), "{} expects nothing", file.display());
        for (line, message) in expected {
            seen += 1;
            let place = format!("{}:{line}:", file.display());
            if !said.contains(message) || !said.contains(&place) {
                wrong.push(format!("{place} {message}\nnot in:\n{said}"));
            }
        }
    }
    assert!(seen >= 55, "{seen} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
