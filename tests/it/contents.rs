//! The table of contents names everything that is public: what the sources define is compared with
//! the links of `src/guide/contents.md`.
//!
//! Names are read from the text of the sources, which rustfmt keeps in one form: a block of methods
//! begins with `impl … DeviceArray<…> {` in the first column and ends with `}` there. What macros
//! define is written as `fn name | try_name`, or as a row of the table of operations.

use crate::support::place;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

type Names = BTreeSet<String>;

/// What exists with certain features alone, so that the page cannot link to it.
const WITH_FEATURES: &str = "DeviceArray::from_candle DeviceArray::into_candle \
    DeviceArray::to_image exchange::from_candle";

/// What is public for the code that attributes write, which rustdoc hides; a crate, and types that
/// stand in another module.
const HIDDEN: &str = "device::Complex device::bf16 device::f16 gpu::Arguments gpu::Block gpu::KernelInfo gpu::LaunchOptions gpu::launch \
    gpu::launch_unchecked gpu::with_hosts exchange::cudarc";

/// Some of what there is, of each form in which sources define it.
const KNOWN: &str = "DeviceArray::sin DeviceArray::mul_add DeviceArray::ldexp DeviceArray::is_nan \
    DeviceArray::sum DeviceArray::select DeviceArray::from_slice DeviceArray::zeros \
    DeviceArray::mean DeviceArray::adopt_view Generator::normal Generator::spawn concatenate \
    DeviceArray RawModule vectorize kernel with_arithmetic repeat fft::Options fft::fft \
    fft::irfftn fft::fftfreq linalg::einsum ndimage::label ndimage::Border ode::solve \
    exchange::Lent exchange::dlpack::DlpackTensor signal::convolve random::LibraryGenerator \
    dtype::f16 dtype::DType device::Float gpu::shuffle_down special::digamma special::jv \
    special::huber DeviceArray::softsign \
    special::erf stats::pearsonr stats::Ties profile";

fn read(path: impl AsRef<Path>) -> String {
    let path = place(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn sources(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![place(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry of a folder").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The identifier at the beginning of a text.
fn word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

/// The function that a line begins to define: `pub fn name`, or `fn name | try_name` in a macro.
fn function(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let open = line.strip_prefix("pub ").map(|l| l.strip_prefix("unsafe ").unwrap_or(l));
    if let Some(name) = open.and_then(|l| l.strip_prefix("fn ")) {
        return word(name);
    }
    let name = word(line.strip_prefix("fn ")?)?;
    line[3 + name.len()..].starts_with(" | ").then_some(name)
}

fn is_twin(name: &str) -> bool {
    name.starts_with("try_")
}

/// The methods that a file writes out for a type.
fn methods(text: &str, of: &str) -> Names {
    let mut found = Names::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("impl") && line.ends_with('{') && !line.contains(" for ") {
            inside = line.contains(of);
        } else if line.starts_with('}') {
            inside = false;
        }
        if let (true, Some(name)) = (inside, function(line)) {
            found.insert(name.to_owned());
        }
    }
    found
}

/// The operations of the table that are methods.
fn rows(table: &str) -> Names {
    let mut found = Names::new();
    for line in table.lines().filter(|line| line.contains(", cuda \"") && !line.contains("///")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, name, kind, ..] = words[..] else { continue };
        if !kind.starts_with("sample") && kind != "select" {
            found.insert(name.to_owned());
        }
    }
    found
}

/// The functions that are made of others, and those of them that are methods.
pub(crate) fn formulas(text: &str) -> (Names, Names) {
    let (mut functions, mut methods, mut is_method) = (Names::new(), Names::new(), true);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn ").and_then(word) {
            functions.insert(name.to_owned());
            methods.extend(is_method.then(|| name.to_owned()));
            is_method = true;
        } else if line == "#[function]" {
            is_method = false;
        }
    }
    (functions, methods)
}

/// What a file's `pub use` lines make public.
fn used(text: &str) -> Names {
    let mut found = Names::new();
    for statement in text.split("pub use ").skip(1) {
        let statement = statement.split(';').next().unwrap_or_default();
        let list = match statement.split_once('{') {
            Some((_, list)) => list.trim_end_matches('}'),
            None => statement.rsplit("::").next().unwrap_or_default(),
        };
        for item in list.split(',').map(|item| item.rsplit(" as ").next().unwrap_or(item).trim()) {
            found.extend(word(item).filter(|_| !item.contains("::")).map(str::to_owned));
        }
    }
    found
}

/// What a file defines in the first column that is public, and what macros define there.
fn items(text: &str) -> Names {
    let mut found = Names::new();
    let mut in_functions = false;
    for line in text.lines() {
        if line.starts_with("checked_fns!") || line.starts_with("transforms!") {
            in_functions = true;
        } else if line.starts_with('}') {
            in_functions = false;
        }
        if in_functions || line.starts_with("pub fn") || line.starts_with("pub unsafe fn") {
            found.extend(function(line).map(str::to_owned));
        }
        for kind in ["pub struct ", "pub enum ", "pub trait ", "pub type ", "pub const "] {
            // Eight spaces: in the arm of a macro.
            let line = line.strip_prefix("        ").unwrap_or(line);
            found.extend(line.strip_prefix(kind).and_then(word).map(str::to_owned));
        }
    }
    found
}

/// The functions that a file of special functions defines, all of them in macros: `fn name | try_name`,
/// `fn name;` and `fn name = method`.
fn special(text: &str) -> Names {
    let lines = text.lines().filter_map(|line| line.strip_prefix("    fn "));
    lines.filter_map(word).map(str::to_owned).collect()
}

/// The paths to which the page links, without the crate's name: `DeviceArray::sum`, `fft::fft`.
fn linked(page: &str) -> Names {
    let targets = page.split("](").skip(1);
    let ends = |c: char| !c.is_alphanumeric() && !"_:@".contains(c);
    let targets = targets.filter_map(|rest| rest.split(ends).next());
    let targets = targets.map(|target| target.rsplit('@').next().unwrap_or(target));
    targets.map(|target| target.strip_prefix("crate::").unwrap_or(target).to_owned()).collect()
}

/// The paths of everything that is public, twins left out.
fn public() -> Names {
    let mut found = Names::new();
    let mut add = |place: &str, names: Names| {
        let names = names.into_iter().filter(|name| !is_twin(name));
        found.extend(names.map(|name| format!("{place}{name}")));
    };
    for file in sources("src") {
        let text = read(&file);
        add("DeviceArray::", methods(&text, "DeviceArray<"));
        add("Generator::", methods(&text, " Generator "));
    }
    add("DeviceArray::", rows(&read("elements/src/table.rs")));
    let (functions, methods) = formulas(&read("macros/src/formulas/rows.rs"));
    add("special::", functions);
    add("DeviceArray::", methods);
    let lib = read("src/lib.rs");
    let (root, modules) = lib.split_once("pub mod linalg {").expect("the module linalg");
    let (before, after) = root.split_once("pub mod __private {").expect("the hidden module");
    let after = after.split_once("\n}\n").expect("the end of the hidden module").1;
    add("", &used(before) | &used(after));
    add("linalg::", used(modules.split("\n}\n").next().unwrap_or_default()));
    for (place, file) in [
        ("fft::", "src/ops/fft/mod.rs"),
        ("signal::", "src/signal/mod.rs"),
        ("random::", "src/ops/random/mod.rs"),
        ("ndimage::", "src/ndimage/mod.rs"),
        ("ode::", "src/ode/mod.rs"),
        ("stats::", "src/stats/mod.rs"),
        ("exchange::", "src/exchange/mod.rs"),
        ("exchange::dlpack::", "src/exchange/dlpack/mod.rs"),
        ("device::", "src/user/device.rs"),
        ("dtype::", "src/dtype.rs"),
        ("gpu::", "src/user/kernel/mod.rs"),
    ] {
        let text = read(file);
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        add(place, &used(text) | &items(text));
    }
    for file in sources("src/special") {
        // `mod.rs` makes operands of those; `device/` is linked as a module.
        if !file.starts_with(place("src/special/device")) && !file.ends_with("mod.rs") {
            add("special::", special(&read(&file)));
        }
    }
    found
}

#[test]
fn the_contents_name_everything() {
    let page = read("src/guide/contents.md") + &read("src/special/formulas.md");
    let (linked, public) = (linked(&page), public());
    // The sources were read, those of macros and modules included.
    assert!(public.len() > 600, "{} names were found", public.len());
    for known in KNOWN.split_whitespace() {
        assert!(public.contains(known), "{known} was not found in the sources");
    }
    assert!(linked.len() > 600, "{} links were found", linked.len());
    let listed = |path: &str, list: &str| list.split_whitespace().any(|name| name == path);
    let named = |path: &str| {
        let name = path.rsplit("::").next().unwrap_or(path);
        let feature = listed(path, WITH_FEATURES) && page.contains(&format!("`{name}`"));
        linked.contains(path) || feature || listed(path, HIDDEN)
    };
    let missing: Vec<&str> =
        public.iter().map(String::as_str).filter(|path| !named(path)).collect();
    assert!(missing.is_empty(), "src/guide/contents.md lacks\n{}", missing.join("\n"));
}

/// The readers above, on texts of which the answers are known.
#[test]
fn names_are_read_from_sources() {
    let text = "impl<T: Element> DeviceArray<T> {\n    pub fn a(&self) {}\n    checked! {\n        \
                fn b | try_b(&self) -> X {\n        }\n    }\n    fn private(&self) {}\n    pub \
                unsafe fn c() {}\n}\nimpl X for DeviceArray<T> {\n    fn d | try_d\n}\n";
    assert!(methods(text, "DeviceArray<").iter().eq(["a", "b", "c"]));
    assert!(
        rows("Sin sin unary Inexact => Same, cuda \"x\"\nU u sample1 R => S, cuda \"y\"")
            .iter()
            .eq(["sin"])
    );
    let (functions, methods) = formulas("#[x]\nfn a(x: T) {}\n#[function]\nfn b(x: T) {}\n");
    assert!(functions.iter().eq(["a", "b"]) && methods.iter().eq(["a"]));
    let uses = "pub use a::{\n    B, c as d,\n};\npub use e::f;\nuse g::h;\npub use i as j;\n";
    assert!(used(uses).iter().eq(["B", "d", "f", "j"]));
    let page = "[`a`](DeviceArray::a), [`b`](crate::b()) [`c`](macro@crate::c) [d](fn@crate::x::d)";
    assert!(linked(page).iter().eq(["DeviceArray::a", "b", "c", "x::d"]));
    assert!(
        items("pub struct A;\nchecked_fns! {\n    fn b | try_b()\n}\nfn c() {}\n")
            .iter()
            .eq(["A", "b"])
    );
}
