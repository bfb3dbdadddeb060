//! Who may import whom: the imports of the sources hold the order of the layers. The lower
//! ones are the crate `lazuli-core`, and the lowest `lazuli-elements` below it, so that the compiler
//! holds them, too; to those above, their modules have the names that they would have in one crate.
//!
//! Code that is compiled for tests alone is exempt. Four exceptions stand in the lists: a node
//! holds its data and the name of its device (`graph` takes `backend`), creating an array takes
//! `backend::Device` and moving one to the host takes `backend::{faults, pages}`, draws by rejection
//! are users' functions (`ops::random::rejection` takes the attributes), and what users write is
//! printed with the backends' names of types (`user` takes `backend::cuda::prelude`, and
//! `backend::cpu::level` for its loops).

use crate::circles::{self, Sources, files};
use crate::support::place;
use std::path::{Path, PathBuf};

/// Each layer, by the first parts of its modules' paths, and what it may import beside itself.
const LAYERS: [(&str, &str); 31] = [
    ("dtype shape error", ""),
    ("files", ""),
    ("report", ""),
    ("caught", "error"),
    ("math", "dtype"),
    ("function", "dtype error table"),
    ("table", "dtype math"),
    (
        "ops::random::rejection",
        "dtype shape error table graph backend::Device array ops device vectorize try_stack",
    ),
    ("kernel", "dtype shape error math table function"),
    ("library", "dtype shape error"),
    ("backend", "dtype shape error files caught math table function kernel library"),
    ("graph", "dtype shape error table function library backend"),
    ("plan", "dtype shape error table function kernel library graph"),
    ("eval", "dtype shape error table function kernel library graph plan backend"),
    ("array", "dtype shape error files table function library graph backend eval Result"),
    ("exchange", "dtype shape error graph backend array"),
    ("mesh", "dtype shape error backend array"),
    ("compile", "dtype shape error library::linalg::Precision graph backend eval array"),
    ("loops", "dtype shape error library graph backend eval array"),
    (
        "ops",
        "dtype shape error math table function library graph backend::Device eval array prelude \
         Error Result try_concatenate try_stack",
    ),
    ("check_finite", "dtype error graph backend::trace eval array"),
    ("profile", "error backend array report"),
    ("explain", "dtype error kernel plan graph backend eval array report"),
    ("ode", "dtype error graph eval array loops try_stack"),
    ("user", "dtype shape error caught math table ops function library graph backend eval array"),
    (
        "ndimage",
        "dtype shape error table graph backend::Device eval array ops device gpu Result try_stack",
    ),
    ("interpolate", "dtype error array ops stack try_broadcast_arrays ndimage DeviceArray"),
    (
        "sparse",
        "dtype error shape backend::Device array ops loops repeat try_concatenate try_stack",
    ),
    (
        "special",
        "dtype error graph backend::Device array table device vectorize DeviceArray Operand",
    ),
    ("stats", "dtype error array ops special keep prelude::s"),
    (
        "signal",
        "dtype shape error table graph backend::Device array ops fft ndimage special::device device \
         guvectorize keep vectorize DeviceArray IntoShape Operand PadMode try_concatenate try_stack",
    ),
];

/// Where the sources stand: of the lower layers, and of those above.
const FOLDERS: [&str; 3] = ["elements/src", "core/src", "src"];

/// The sources of these crates.
fn all_sources() -> Vec<PathBuf> {
    FOLDERS.iter().flat_map(|folder| files(&place(folder))).collect()
}

/// The path of a file's module, `backend::cuda::render` say.
fn module(file: &Path) -> String {
    let folders = FOLDERS.iter().map(place);
    let root = folders.into_iter().find(|root| file.starts_with(root)).expect("a crate's sources");
    circles::module(&root, file).join("::")
}

fn within(path: &str, layer: &str) -> bool {
    path == layer || path.strip_prefix(layer).is_some_and(|rest| rest.starts_with("::"))
}

#[test]
fn imports_follow_the_layers() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    let among = |path: &str, list: &str| list.split_whitespace().any(|name| within(path, name));
    for (module, import) in FOLDERS.iter().flat_map(|folder| Sources::of(&place(folder)).named) {
        let (module, import) = (module.join("::"), import.join("::"));
        // The reference interpreter is part of the tests, and what has no layer is named by nobody else.
        let Some((own, others)) = LAYERS.iter().find(|layer| among(&module, layer.0)) else {
            continue;
        };
        if module == "kernel::reference" || import.is_empty() {
            continue;
        }
        seen += 1;
        if !among(&import, own) && !among(&import, others) {
            wrong.push(format!("{module}: {import}"));
        }
        let across = (within(&module, "backend::cpu") && within(&import, "backend::cuda"))
            || (within(&module, "backend::cuda") && within(&import, "backend::cpu"));
        if across {
            wrong.push(format!("{module}: {import} of the other backend"));
        }
    }
    assert!(seen > 3000, "{seen} imports were read");
    assert!(wrong.is_empty(), "imports against the order of the layers:\n{}", wrong.join("\n"));
}

/// The lower crate is imported in one place, so that the test above sees every import.
#[test]
fn the_lower_crate_is_named_at_the_root_alone() {
    let named: Vec<_> = files(&place("src"))
        .into_iter()
        .filter(|file| std::fs::read_to_string(file).expect("a source").contains("lazuli_core"))
        .map(|file| module(&file))
        .collect();
    assert!(named.iter().all(|name| ["", "dtype"].contains(&&**name)), "{named:?}");
}

/// Other crates' routines are called by the processor's library calls alone, and loops by the
/// processor alone.
#[test]
fn routines_and_loops_are_named_by_the_processor_alone() {
    let users =
        [("lazuli_libraries", "backend::cpu::library"), ("lazuli_inner_loops", "backend::cpu")];
    for (crate_name, user) in users {
        let names =
            |file: &&PathBuf| std::fs::read_to_string(file).expect("a source").contains(crate_name);
        let named: Vec<_> = all_sources().iter().filter(names).map(|f| module(f)).collect();
        assert!(named.len() > 3, "the sources were not read");
        assert!(named.iter().all(|name| within(name, user)), "{crate_name}: {named:?}");
    }
}

/// What divides work by rayon does so inside of Lazuli's own pool: in another one a thread that
/// waits takes up tasks of the program, which may wait for what this thread is in the middle of.
#[test]
fn rayon_divides_work_in_the_own_pool_alone() {
    // The pool itself, and factorisations, which `cpu/library/mod.rs` runs inside.
    const ELSEWHERE: [&str; 2] = ["backend::pool", "backend::cpu::library::factor"];
    let mut seen = 0;
    for file in all_sources() {
        let module = module(&file);
        let text = std::fs::read_to_string(&file).expect("a source");
        let code: Vec<&str> = text.lines().filter(|line| !line.trim().starts_with("//")).collect();
        let code = code.join("\n");
        if !code.contains("rayon") || module.contains("tests") {
            continue;
        }
        seen += 1;
        let divides = ["par_iter", "par_chunks", "into_par", "rayon::join", "rayon::scope"];
        let inside = code.matches("pool::inside").count() + code.matches("pool::each").count();
        let divided: usize = divides.iter().map(|how| code.matches(how).count()).sum();
        let others = ["rayon::spawn", "rayon::current", "in_place_scope", "bridge"];
        assert!(
            ELSEWHERE.contains(&&*module)
                || (divided > 0 && inside > 0 && !others.iter().any(|how| code.contains(how))),
            "{module} calls rayon outside of `pool::inside`"
        );
    }
    assert!(seen > 4, "the sources were not read");
}
