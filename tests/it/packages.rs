//! What Lazuli brings along: licences that are allowed, no crate twice without a reason, and small
//! packages. The lists are those of `deny.toml`.

use crate::support::place;
use std::collections::BTreeMap;
use std::process::Command;

/// What cargo prints; it needs nothing that is not there.
fn cargo(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(args)
        .current_dir(place("."))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Name, version and licence of each package that is built with Lazuli.
fn packages() -> Vec<(String, String, String)> {
    let tree = cargo(&["tree", "-e", "normal,build", "-f", "{p}|{l}", "--prefix", "none"]);
    let mut all: Vec<_> = tree
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (package, licence) = line.trim_end_matches(" (*)").split_once('|').expect(line);
            let mut words = package.split(' ');
            let (name, version) = (words.next().expect(line), words.next().expect(line));
            (name.to_owned(), version.trim_start_matches('v').to_owned(), licence.to_owned())
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// The strings between quotes in a list of `deny.toml`.
fn list(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(place("deny.toml")).unwrap();
    let from = text.find(&format!("\n{name} = [")).unwrap_or_else(|| panic!("no list {name}"));
    let list = text[from..].split("\n]").next().unwrap_or_default();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether one of the alternatives of a licence is allowed as a whole.
fn is_allowed(licence: &str, allowed: &[String]) -> bool {
    let plain = |text: &str| text.trim_matches(['(', ')', ' ']).to_owned();
    licence.split(" AND ").all(|part| {
        let part = plain(part);
        let mut choices = part.split(" OR ").flat_map(|choice| choice.split('/'));
        choices.any(|choice| allowed.contains(&plain(choice)))
    })
}

#[test]
fn licences_are_allowed() {
    let allowed = list("allow");
    assert!(is_allowed("(MIT OR GPL-3.0) AND Zlib", &allowed));
    assert!(!is_allowed("MIT AND GPL-3.0", &allowed) && !is_allowed("", &allowed));
    let packages = packages();
    assert!(packages.len() > 50, "the tree was not read");
    for (name, version, licence) in packages {
        assert!(is_allowed(&licence, &allowed), "{name} {version}: {licence:?}");
    }
}

#[test]
fn no_crate_comes_twice_without_a_reason() {
    let skipped = list("skip");
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, version, _) in packages() {
        versions.entry(name).or_default().push(version);
    }
    for (name, mut versions) in versions {
        let known = |version: &String| {
            skipped.iter().any(|skip| {
                skip.split_once('@').is_some_and(|(crate_, begins)| {
                    crate_ == name && format!("{version}.").starts_with(&format!("{begins}."))
                })
            })
        };
        versions.retain(|version| !known(version));
        assert!(versions.len() <= 1, "{name} comes as {versions:?}");
    }
}

/// What is published is what is needed to build, to read and to run the examples.
#[test]
fn packages_are_small() {
    for (package, needed) in [
        ("lazuli", ["src/lib.rs", "README.md", "LICENSE-MIT", "examples/sinexp.rs"]),
        ("lazuli-core", ["src/lib.rs", "README.md", "LICENSE-MIT", "src/function.rs"]),
        ("lazuli-elements", ["src/lib.rs", "README.md", "LICENSE-MIT", "src/table.rs"]),
        ("lazuli-inner-loops", ["src/lib.rs", "README.md", "LICENSE-MIT", "src/fold.rs"]),
        ("lazuli-libraries", ["src/lib.rs", "README.md", "LICENSE-MIT", "src/linalg/lu.rs"]),
        ("lazuli-macros", ["src/lib.rs", "README.md", "LICENSE-MIT", "Cargo.toml"]),
    ] {
        let listed = cargo(&["package", "--list", "--allow-dirty", "-p", package]);
        let files: Vec<&str> = listed.lines().collect();
        for file in needed {
            assert!(files.contains(&file), "{package} lacks {file}");
        }
        let folder = match package {
            "lazuli" => place("."),
            _ => place(package.trim_start_matches("lazuli-")),
        };
        let size = |file: &&str| std::fs::metadata(folder.join(file)).map_or(0, |m| m.len());
        let bytes: u64 = files.iter().map(size).sum();
        // Sources compress to a quarter.
        assert!(bytes < 8 << 20, "{package} has {bytes} bytes");
        for file in files {
            let outside = ["tests/", "benches/", "tools/", ".ci/", "examples/data/"];
            assert!(!outside.iter().any(|folder| file.starts_with(folder)), "{package}: {file}");
        }
    }
}
