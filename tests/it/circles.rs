//! Which files import each other in a circle: of a folder at most three, of several folders none.
//!
//! Imports are read from the text of the sources, outside of tests: `use` and paths that begin with `crate`,
//! `super`, `self` or the name of a module below. A name that a `mod.rs` re-exports is that of the file where
//! it stands. A folder's own `mod.rs` is left out: it and its files see each other.

use crate::support::place;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates' sources.
pub(crate) const CRATES: [&str; 6] =
    ["core/src", "elements/src", "inner-loops/src", "src", "macros/src", "libraries/src"];

/// The most files of a circle.
const MOST: usize = 3;

/// A module's path.
type Module = Vec<String>;

/// The files of a crate and what they import.
pub(crate) struct Sources {
    /// The code of each module, by its path.
    code: BTreeMap<Module, String>,
    /// What each module re-exports: the name and where it is from.
    shown: BTreeMap<Module, BTreeMap<String, Module>>,
    imports: BTreeMap<Module, BTreeSet<Module>>,
    /// Each module and each path that it names, from the crate's root.
    pub(crate) named: Vec<(Module, Module)>,
}

/// A text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("mod tests {").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn parts(path: &str) -> Module {
    path.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The paths of a `use`, `a::{b, c::d}` say.
fn paths(tree: &str, before: &[String]) -> Vec<Module> {
    let Some((head, inner)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![[before, &parts(path)].concat()];
    };
    let before = [before, &parts(head)].concat();
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    for (k, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..k].trim().is_empty() {
                    found.extend(paths(&inner[start..k], &before));
                }
                start = k + 1;
            }
            _ => {}
        }
    }
    found
}

/// The `use` statements of a text, whether others see them, and the text without them.
fn uses(text: &str) -> (Vec<(Module, bool)>, String) {
    let (mut found, mut rest, mut statement) = (Vec::new(), String::new(), String::new());
    for line in text.lines() {
        let begins = line.trim_start().starts_with("use ")
            || line.trim_start().starts_with("pub") && line.contains(" use ");
        if statement.is_empty() && !begins {
            rest.extend([line, "\n"]);
            continue;
        }
        statement.extend([line, "\n"]);
        if line.contains(';') {
            let shown = statement.trim_start().starts_with("pub");
            let tree = statement.split_once("use ").map_or("", |(_, tree)| tree);
            let tree = tree.split(';').next().unwrap_or_default();
            found.extend(paths(tree, &[]).into_iter().map(|path| (path, shown)));
            statement.clear();
        }
    }
    (found, rest)
}

impl Sources {
    pub(crate) fn of(root: &Path) -> Sources {
        let text = |file: &PathBuf| std::fs::read_to_string(file).expect("a source");
        let files = files(root).into_iter();
        let mut code: BTreeMap<Module, String> =
            files.map(|file| (module(root, &file), self::code(&text(&file)))).collect();
        code.retain(|module, _| !module.iter().any(|part| part.contains("tests")));
        Sources::of_code(code)
    }

    fn of_code(code: BTreeMap<Module, String>) -> Sources {
        let mut sources =
            Sources { code, shown: BTreeMap::new(), imports: BTreeMap::new(), named: Vec::new() };
        let mut named = Vec::new();
        for (module, text) in &sources.code {
            let (uses, rest) = uses(text);
            let mut shown = BTreeMap::new();
            for (path, is_shown) in uses {
                let Some(path) = sources.absolute(module, &path) else { continue };
                if is_shown {
                    let name = path.last().cloned().unwrap_or_default();
                    shown.insert(name, path.clone());
                }
                named.push((module.clone(), path, is_shown));
            }
            let words = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let written = words.filter(|word| word.contains("::")).map(parts);
            let written = written.filter_map(|path| sources.absolute(module, &path));
            named.extend(written.map(|path| (module.clone(), path, false)));
            sources.shown.insert(module.clone(), shown);
        }
        for (module, path, is_shown) in named {
            let from = sources.home(&path, 0);
            if from != module && !is_shown {
                sources.imports.entry(module.clone()).or_default().insert(from);
            }
            sources.named.push((module, path));
        }
        sources
    }

    /// A path from the crate's root; none where it begins with another crate or a type.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Module> {
        let first = path.first()?.as_str();
        let mut base = module.clone();
        match first {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([&base, &path[1..]].concat()),
            "super" => {
                let up = path.iter().take_while(|part| *part == "super").count();
                base.truncate(base.len().saturating_sub(up));
                Some([&base, &path[up..]].concat())
            }
            _ => {
                base.push(first.to_owned());
                self.code.contains_key(&base).then(|| [module, path].concat())
            }
        }
    }

    /// The file in which a name stands.
    fn home(&self, path: &[String], depth: usize) -> Module {
        let mut file = path.to_vec();
        while !self.code.contains_key(&file) && file.pop().is_some() {}
        let rest = &path[file.len()..];
        let shown = rest.first().and_then(|name| self.shown.get(&file)?.get(name));
        match shown {
            Some(from) if depth < 6 && from != path => {
                self.home(&[from, &rest[1..]].concat(), depth + 1)
            }
            _ => file,
        }
    }

    fn is_folder(&self, module: &Module) -> bool {
        let inside = |other: &Module| other.len() > module.len() && other.starts_with(module);
        self.code.keys().any(inside)
    }

    /// The modules that a module needs, itself and those of folders left out.
    fn reached(&self, from: &Module) -> BTreeSet<&Module> {
        let (mut found, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            for next in self.imports.get(module).into_iter().flatten() {
                if !self.is_folder(next) && found.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    }

    /// The sets of modules of which each needs each.
    fn circles(&self) -> Vec<Vec<String>> {
        let files: Vec<&Module> = self.code.keys().filter(|m| !self.is_folder(m)).collect();
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            files.iter().map(|&file| (file, self.reached(file))).collect();
        let mut circles = BTreeSet::new();
        for file in &files {
            let with = |other: &&&Module| {
                reached[*file].contains(**other) && reached[**other].contains(*file)
            };
            let circle: Vec<String> = files.iter().filter(with).map(|m| m.join("::")).collect();
            if circle.len() > 1 {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }
}

/// The Rust files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry of a folder").path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| self::files(folder));
    files
        .into_iter()
        .filter(|file| file.extension().is_some_and(|e| e == "rs"))
        .chain(below)
        .collect()
}

/// The path of a file's module.
pub(crate) fn module(root: &Path, file: &Path) -> Module {
    let inner: PathBuf = file.strip_prefix(root).expect("below the root").with_extension("");
    let parts: Module = inner.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    parts.into_iter().filter(|part| part != "mod" && part != "lib").collect()
}

fn folder(module: &str) -> &str {
    module.rsplit_once("::").map_or("", |(folder, _)| folder)
}

#[test]
fn circles_are_small_and_in_one_folder() {
    let (mut wrong, mut imports) = (Vec::new(), 0);
    for crate_ in CRATES {
        let sources = Sources::of(&place(crate_));
        imports += sources.imports.values().map(BTreeSet::len).sum::<usize>();
        for circle in sources.circles() {
            let crosses = circle.iter().any(|module| folder(module) != folder(&circle[0]));
            if crosses || circle.len() > MOST {
                wrong.push(format!("{crate_}: {}", circle.join(" ")));
            }
        }
    }
    assert!(imports > 1500, "{imports} imports were read");
    assert!(wrong.is_empty(), "files that need each other:\n{}", wrong.join("\n"));
}

/// The readers above, on texts of which the answers are known.
#[test]
fn imports_are_read_from_sources() {
    let found = paths("a::{b, c::{d as e, f}, self}", &[]);
    let found: Vec<String> = found.into_iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["a::b", "a::c::d", "a::c::f", "a::self"]);
    let files = [
        ("", "mod a;\nmod b;"),
        ("a", "mod x;\nmod y;\npub use y::Z;"),
        ("a::x", "use super::Z; // crate::b\nfn f() { crate::b::g() }"),
        ("a::y", "use super::x::{\n    f,\n};\npub struct Z;"),
        ("b", "use crate::c;\npub fn g() {}\nmod tests { use crate::a::x; }"),
        ("c", "fn h() { super::b::g() }"),
    ];
    let files = files.map(|(module, text)| (parts(module), code(text)));
    let sources = Sources::of_code(BTreeMap::from(files));
    assert_eq!(sources.circles(), [vec!["a::x", "a::y"], vec!["b", "c"]]);
}
