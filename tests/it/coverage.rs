//! The page of functions of the array API standard, of NumPy and of SciPy (`src/guide/coverage.md`) is
//! true: it has every name of the lists, what it links to is public, what is missing is, and it
//! counts right. `tools/coverage/page.py` writes it; everything here is text.

use crate::circles::files;
use crate::contents::formulas;
use crate::support::place;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// The sections of the page in their order, and below which paths their functions would be found.
const SECTIONS: [(&str, &str); 14] = [
    ("array_api", "DeviceArray:: fft:: linalg:: "),
    ("numpy", "DeviceArray:: linalg:: "),
    ("numpy.linalg", "DeviceArray:: linalg::"),
    ("numpy.fft", "fft::"),
    ("numpy.random", "random::Generator::"),
    ("scipy.special", "special::"),
    ("scipy.ndimage", "ndimage::"),
    ("scipy.signal", "signal::"),
    ("scipy.fft", "fft::"),
    ("scipy.stats", "stats:: DeviceArray::"),
    ("scipy.interpolate", "interpolate:: "),
    ("scipy.linalg", "linalg:: DeviceArray::"),
    ("scipy.sparse", "sparse::"),
    ("scipy.integrate", "integrate:: ode:: DeviceArray::"),
];

/// Why something is not there, as the page writes it, in the order of its columns.
const REASONS: [&str; 4] = ["**missing**", "*type system*", "*host*", "*out of scope*"];

/// What stands in the crates below and has types that users see.
const SHOWN: [&str; 4] = ["dtype", "error", "backend/device", "backend/stream"];

/// Where the methods of a module's types are written, if not in a folder of the module's name.
const HOMES: [(&str, &str); 3] =
    [("fft", "ops/fft"), ("random", "ops/random"), ("linalg", "ops/linalg")];

fn read(path: &Path) -> String {
    read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn root() -> PathBuf {
    place("")
}

/// The letters of a name that a text begins with.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// A file's lines of code.
fn code(path: &Path) -> Vec<String> {
    let text = read(path);
    text.lines().filter(|l| !l.trim_start().starts_with("//")).map(str::to_owned).collect()
}

/// The type of an `impl`; nothing for a trait's.
fn type_of(header: &str) -> Option<String> {
    let header = header.split('{').next().unwrap_or_default().replace("->", "");
    if header.contains(" for ") {
        return None;
    }
    let mut depth = 0usize;
    let mut plain = String::new();
    for c in header.trim_start_matches("unsafe ").trim_start_matches("impl").chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => (),
        }
    }
    let path = plain.split_whitespace().next()?.rsplit("::").next()?;
    Some(word(path).to_owned()).filter(|name| !name.is_empty())
}

/// What a line makes public: in a module, or in a type's `impl`.
fn public_in(line: &str, in_module: bool) -> Vec<&str> {
    let text = line.trim();
    if let Some(rest) = text.strip_prefix("fn ") {
        let name = word(rest);
        let behind = &rest[name.len()..];
        // A pair, as `checked!` and its kin write it.
        if let Some(twin) = behind.strip_prefix(" | ") {
            return vec![name, word(twin)];
        }
        // A function by its name alone, as in `special`.
        let is_method = behind.starts_with(" = ") && behind.contains(", example ");
        let is_public = in_module && (behind.starts_with(';') || is_method);
        return if is_public { vec![name] } else { vec![] };
    }
    let Some(rest) = text.strip_prefix("pub ") else {
        return vec![];
    };
    let kinds = ["fn ", "const fn ", "unsafe fn ", "const "];
    let of_a_module = ["struct ", "enum ", "trait ", "type "].iter();
    let kinds = kinds.iter().chain(of_a_module.filter(|_| in_module && line.starts_with("pub ")));
    kinds.filter_map(|kind| rest.strip_prefix(kind)).map(word).take(1).collect()
}

/// What opens a block inside of which nothing is one of the file's own names.
const OPENS: [&str; 6] =
    ["macro_rules!", "trait ", "pub trait ", "pub(crate) trait ", "mod ", "pub mod "];

/// Pairs of an owner, nothing for the module itself, and a name for what a file makes public.
fn items(path: &Path) -> Vec<(String, String)> {
    let (mut found, mut header) = (Vec::new(), String::new());
    let mut owner = Some(String::new());
    let mut is_hidden = false;
    for line in code(path) {
        let is_item = ["pub fn ", "pub const "].iter().any(|kind| line.trim().starts_with(kind));
        if std::mem::replace(&mut is_hidden, line.trim() == "#[doc(hidden)]") && is_item {
            continue;
        }
        if !header.is_empty() || line.starts_with("impl") || line.starts_with("unsafe impl") {
            header = format!("{header} {}", line.trim()).trim_start().to_owned();
            if header.contains('{') {
                owner = type_of(&header);
                header.clear();
            }
            continue;
        }
        if line.starts_with("pub trait ") {
            let names = public_in(&line, true).into_iter();
            found.extend(names.map(|name| (String::new(), name.to_owned())));
        }
        if line.ends_with('{') && OPENS.iter().any(|open| line.starts_with(open)) {
            owner = None;
        } else if line.starts_with('}') {
            owner = Some(String::new());
        }
        if let Some(owner) = &owner {
            let names = public_in(&line, owner.is_empty());
            found.extend(names.into_iter().map(|name| (owner.clone(), name.to_owned())));
        }
    }
    found
}

/// The paths that the `pub use` lines of a text name, one for each name.
fn uses(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for part in text.split("pub use ").skip(1) {
        let path = part.split(';').next().unwrap_or_default();
        let path = path.split_whitespace().collect::<Vec<_>>().join(" ");
        match path.split_once('{') {
            Some((base, names)) => {
                let names = names.trim_end_matches(['}', ' ']).split(',').map(str::trim);
                all.extend(names.filter(|n| !n.is_empty()).map(|name| format!("{base}{name}")));
            }
            None => all.push(path),
        }
    }
    all
}

fn module_file(folder: &Path, name: &str) -> Option<PathBuf> {
    let files = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
    files.into_iter().find(|file| file.exists())
}

/// What is public in the crate, as paths below it.
struct Public {
    sources: PathBuf,
    /// The sources of the crates below, of which some types are re-exported.
    below: [PathBuf; 2],
    found: BTreeSet<String>,
}

impl Public {
    fn of(root: PathBuf) -> BTreeSet<String> {
        let below = [root.join("core/src"), root.join("elements/src")];
        let sources = root.join("src");
        let mut public = Public { found: BTreeSet::new(), sources, below };
        public.module(&public.sources.join("lib.rs"), "");
        public.methods();
        public.formulas(&root.join("macros/src/formulas/rows.rs"));
        public.found
    }

    /// Adds a module's names, and those of the modules below it.
    fn module(&mut self, path: &Path, prefix: &str) {
        let is_whole = path.ends_with("mod.rs") || path.ends_with("lib.rs");
        let folder = match is_whole {
            true => path.parent().expect("a folder").to_owned(),
            false => path.with_extension(""),
        };
        let own = items(path).into_iter().filter(|(owner, _)| owner.is_empty());
        self.found.extend(own.map(|(_, name)| format!("{prefix}{name}")));
        // The text without modules that are written out in it, whose names are taken here.
        let (mut text, mut inner) = (String::new(), None::<(String, String)>);
        for line in code(path) {
            let is_module = line.starts_with("mod ") || line.starts_with("pub mod ");
            if is_module && line.ends_with('{') {
                inner = Some((word(line.trim_start_matches("pub mod ")).to_owned(), String::new()));
            }
            match &mut inner {
                Some((_, body)) => body.extend([&line, "\n"]),
                None => text.extend([&line, "\n"]),
            }
            if line == "}"
                && let Some((name, body)) = inner.take()
                && body.starts_with("pub ")
            {
                let names = uses(&body).into_iter();
                let last = |path: String| path.rsplit("::").next().unwrap_or_default().to_owned();
                self.found.extend(names.map(|path| format!("{prefix}{name}::{}", last(path))));
            }
        }
        for path in uses(&text) {
            self.take(&folder, &path, prefix);
        }
        for name in text.split("\npub mod ").skip(1).map(word) {
            if let Some(file) = module_file(&folder, name) {
                self.module(&file, &format!("{prefix}{name}::"));
            }
        }
    }

    /// Adds what one `pub use` names: a module, all of a module, or a name.
    fn take(&mut self, folder: &Path, path: &str, prefix: &str) {
        let (path, other) = path.split_once(" as ").map_or((path, None), |(p, o)| (p, Some(o)));
        let parts: Vec<&str> = path.split("::").collect();
        let (mut folder, mut parts) = (folder.to_owned(), parts.as_slice());
        if parts[0] == "crate" {
            (folder, parts) = (self.sources.clone(), &parts[1..]);
        }
        let name = other.unwrap_or(parts[parts.len() - 1]);
        let is_all = name == "*";
        if is_all {
            parts = &parts[..parts.len() - 1];
        }
        let (last, before) = parts.split_last().expect("a path");
        let parent = before.iter().fold(folder, |folder, part| folder.join(part));
        let file = module_file(&parent, last);
        // A function may have the name of a private module beside it.
        let declared = [parent.join("mod.rs"), parent.with_extension("rs")];
        let is_module = declared.iter().filter(|path| path.exists()).any(|path| {
            let text = code(path).into_iter();
            text.filter_map(|line| line.strip_suffix(';').map(str::to_owned))
                .any(|line| line == format!("pub mod {last}"))
        });
        match file {
            Some(file) if is_all => {
                let own = items(&file).into_iter().filter(|(owner, _)| owner.is_empty());
                self.found.extend(own.map(|(_, name)| format!("{prefix}{name}")));
            }
            Some(file) if is_module => {
                self.module(&file, &format!("{prefix}{name}::"));
            }
            _ => drop(self.found.insert(format!("{prefix}{name}"))),
        }
    }

    /// Adds the functions that are made of others, and their methods.
    fn formulas(&mut self, rows: &Path) {
        let (functions, methods) = formulas(&read(rows));
        for name in functions {
            self.found.insert(format!("special::{name}"));
            self.found.insert(format!("special::device::{name}"));
        }
        self.found.extend(methods.into_iter().map(|name| format!("DeviceArray::{name}")));
    }

    /// Adds the methods of public types.
    fn methods(&mut self) {
        let is_type = |path: &&String| {
            path.rsplit("::").next().is_some_and(|name| name.starts_with(char::is_uppercase))
        };
        let types: Vec<String> = self.found.iter().filter(is_type).cloned().collect();
        let all = |folder: &PathBuf| {
            let inside = |file: &PathBuf| file.strip_prefix(folder).expect("a source").to_owned();
            files(folder).into_iter().map(|file| (inside(&file), file)).collect::<Vec<_>>()
        };
        let is_below = |file: &Path| self.below.iter().any(|folder| file.starts_with(folder));
        let folders = std::iter::once(&self.sources).chain(&self.below);
        for (inside, file) in folders.flat_map(all) {
            let inside = inside.to_string_lossy();
            if is_below(&file) && !SHOWN.iter().any(|part| inside.starts_with(part)) {
                continue;
            }
            for (owner, name) in items(&file) {
                for path in types.iter().filter(|_| !owner.is_empty()) {
                    let (parent, last) = path.rsplit_once("::").unwrap_or(("", path));
                    let own = parent.replace("::", "/");
                    let home = HOMES.iter().find(|(module, _)| *module == parent);
                    if last == owner && inside.starts_with(home.map_or(&*own, |(_, home)| home)) {
                        self.found.insert(format!("{path}::{name}"));
                    }
                }
            }
        }
        let kinds = ["unary", "binary", "ternary", "ldexp"];
        for line in code(&self.below[1].join("table.rs")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_row = words.len() > 6 && words[4] == "=>" && words[6] == "cuda";
            if is_row && kinds.contains(&words[2]) {
                self.found.insert(format!("DeviceArray::{}", words[1]));
            }
        }
    }
}

/// The lists of names, as the script writes them: one name a line.
fn lists(json: &str) -> BTreeMap<String, Vec<String>> {
    let begin = json.find("\"sections\": {").expect("sections");
    let end = begin + json[begin..].find("\n },").expect("the end of the sections");
    let (mut all, mut section) = (BTreeMap::new(), String::new());
    for line in json[begin..end].lines().skip(1) {
        let name = line.split('"').nth(1);
        match name {
            Some(name) if line.ends_with('[') => section = name.to_owned(),
            Some(name) => {
                all.entry(section.clone()).or_insert_with(Vec::new).push(name.to_owned());
            }
            None => (),
        }
    }
    all
}

/// The paths below the crate to which a text links.
fn links(text: &str) -> Vec<&str> {
    let parts = text.split("](").skip(1).filter_map(|part| part.split(')').next());
    parts.filter_map(|target| target.split_once("crate::").map(|(_, path)| path)).collect()
}

/// A row of a table: its cells.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.strip_prefix("| ")?.strip_suffix(" |")?;
    Some(inner.split(" | ").map(str::trim).collect())
}

/// The counts of a row of the page's first table.
fn numbers(row: &[&str]) -> Vec<Option<usize>> {
    row[1..].iter().map(|number| number.parse().ok()).collect()
}

/// What is wrong with a row, and its place among the counts: 1 for what is there, and from 2 on the
/// reasons.
fn judge(row: &[&str], owners: &str, public: &BTreeSet<String>) -> (usize, Option<String>) {
    let name = row[0].trim_matches('`');
    let short = name.rsplit('.').next().unwrap_or(name);
    let paths = links(row[1]);
    if let Some(reason) = REASONS.iter().position(|reason| row[1] == *reason) {
        // The name with and without underscores, as NumPy's `isnan` is `is_nan`.
        let plain = |path: &str| path.replace('_', "");
        let wanted = [plain(&name.replace('.', "::")), plain(short)];
        let is_there = |path: &&String| {
            let mut below = owners.split(' ').filter_map(|owner| path.strip_prefix(owner));
            below.any(|rest| wanted.contains(&plain(rest)))
        };
        let there = public.iter().find(is_there).filter(|_| reason == 0);
        return (reason + 2, there.map(|path| format!("{name} is missing, and {path} is public")));
    }
    let unknown = paths.iter().find(|path| !public.contains(**path));
    let problem = match (unknown, row[1].strip_prefix("✓ ")) {
        (Some(path), _) => Some(format!("{name}: {path} is not public")),
        (None, _) if paths.is_empty() => Some(format!("{name}: neither a link nor a reason")),
        (None, Some(_)) if paths[0].rsplit("::").next() != Some(short) => {
            Some(format!("{name}: ✓, and it is called {}", paths[0]))
        }
        _ => None,
    };
    (1, problem)
}

#[test]
fn the_page_of_functions_is_true() {
    let public = Public::of(root());
    let lists = lists(&read(&root().join("tools/coverage/names.json")));
    let page = read(&root().join("src/guide/coverage.md"));
    let mut parts = page.split("\n# ");
    let head: Vec<Vec<&str>> = parts.next().expect("a head").lines().filter_map(cells).collect();
    let (mut wrong, mut whole) = (Vec::new(), [0usize; 6]);
    let mut sections = 0;
    for (part, (section, owners)) in parts.by_ref().zip(SECTIONS) {
        let title = part.lines().next().unwrap_or_default();
        let rows: Vec<Vec<&str>> = part.lines().filter_map(cells).skip(2).collect();
        let names = rows.iter().map(|row| row[0].trim_matches('`'));
        let listed = &lists[section];
        if !names.eq(listed.iter().map(String::as_str)) {
            wrong.push(format!("{title}: the rows are not the names of {section}"));
        }
        let mut counts = [rows.len(), 0, 0, 0, 0, 0];
        for row in &rows {
            let (place, problem) = judge(row, owners, &public);
            counts[place] += 1;
            wrong.extend(problem.map(|problem| format!("{title}: {problem}")));
        }
        let said = format!("**{} of {}** are there", counts[1], counts[0]);
        let summary = head.iter().find(|row| row[0] == title);
        if !part.contains(&said)
            || summary.map(|row| numbers(row)) != Some(counts.map(Some).to_vec())
        {
            wrong.push(format!("{title}: {said} and {counts:?} is not what the page says"));
        }
        whole = std::array::from_fn(|k| whole[k] + counts[k]);
        sections += 1;
    }
    assert_eq!((sections, lists.len(), parts.next()), (SECTIONS.len(), SECTIONS.len(), None));
    let last = head.last().expect("a table of counts");
    if last[0] != "all" || numbers(last) != whole.map(Some) {
        wrong.push(format!("the sums are {whole:?}, and the page says {last:?}"));
    }
    let other = links(&page).into_iter().filter(|path| !public.contains(*path));
    let other = other.filter(|path| *path != "special::device");
    wrong.extend(other.map(|path| format!("{path} is not public")));
    assert!(wrong.is_empty(), "run tools/coverage/page.py:\n{}", wrong.join("\n"));
    // Nothing above passes because nothing was read.
    assert!(whole[0] > 1200 && whole[1] > 700, "{whole:?}");
    assert_eq!(lists["array_api"].len(), 181);
    assert!(public.len() > 1300, "{} public names", public.len());
}

#[test]
fn names_are_read_from_the_sources_and_nowhere_else() {
    let public = Public::of(root());
    let there = "DeviceArray::sin DeviceArray::try_sum DeviceArray::sum DeviceArray::zeros select
        fft::rfft linalg::einsum special::gammainc special::erf special::huber
        DeviceArray::softsign ndimage::label signal::convolve
        random::Generator::normal dtype::DType::ALL ode::solve vectorize PadMode";
    for path in there.split_whitespace() {
        assert!(public.contains(path), "{path} is public");
    }
    // Operations of the table without a method, methods of traits, what is the crate's own.
    let absent = "DeviceArray::below DeviceArray::sample_gamma DeviceArray::node DeviceArray::clone
        DeviceArray::from_node DeviceArray::any_shape DeviceArray::huber record Op located special::wide";
    for path in absent.split_whitespace() {
        assert!(!public.contains(path), "{path} is not public");
    }
    let type_of = |header| type_of(header).unwrap_or_default();
    assert_eq!(type_of("impl<T: Element<Sum = f64>> array::DeviceArray<T> {"), "DeviceArray");
    assert_eq!(type_of("impl<T: Number> std::iter::Sum for DeviceArray<T> {"), "");
}
