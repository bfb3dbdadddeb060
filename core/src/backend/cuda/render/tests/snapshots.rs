//! A few kernels as text. `LAZULI_BLESS=1` writes the files anew.

use super::{LARGE, fixtures as f, render};
use crate::dtype::DType;
use crate::kernel::Kernel;
use crate::table::Reduction;
use std::path::Path;

fn kernels() -> Vec<(&'static str, Kernel)> {
    let sum = |n, m, rows| f::reduction(n, m, Reduction::Sum, DType::F32, rows);
    vec![
        ("chain", f::chain(1_000_000, DType::F32, 0)),
        ("chain-shifted", f::chain(100_001, DType::F64, 1)),
        ("chain-half", f::chain(4_000_000, DType::F16, 0)),
        ("table", f::table(8192, 8192, DType::F64)),
        ("transpose", f::transpose(1000, 1000, DType::F32)),
        ("stencil", f::jacobi_whole(1024, 1024, DType::F64)),
        ("indices", f::indices(100_000)),
        ("rows", sum(16384, 16384, true)),
        ("rows-short", sum(1_048_576, 64, true)),
        ("rows-split", sum(1, 4_000_000, true)),
        ("columns", sum(16384, 16384, false)),
        ("softmax", f::softmax(16384, 4096, DType::F32, true)),
        ("argmax", f::reduction(1000, 1000, Reduction::ArgMax, DType::F32, true)),
        ("argmax-split", f::reduction(1, 4_000_000, Reduction::ArgMax, DType::F32, true)),
        ("windows", f::windows(1_000_000, 25, 1)),
        ("lorenz", f::lorenz(40, 960)),
        ("pairwise", f::pairwise(32768, 32768)),
    ]
}

#[test]
fn sources_are_those_on_file() {
    // Beside a prebuilt binary the sources may lie where it runs.
    let here = Path::new("core/src/backend/cuda/render/tests/snapshots");
    let folder = match here.is_dir() {
        true => here.to_path_buf(),
        false => Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(here),
    };
    for (name, kernel) in kernels() {
        let file = folder.join(format!("{name}.cu"));
        let body = render(&kernel, &LARGE).unwrap().body;
        if std::env::var_os("LAZULI_BLESS").is_some() {
            std::fs::write(&file, &body).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == body, "{name} is now (LAZULI_BLESS=1 keeps it):\n{body}");
    }
}
