//! What the tests of several crates share: the oracle files, and halves in whole numbers.

pub mod halves;

/// The bytes of an oracle file: below the working directory, where a binary that was built elsewhere
/// finds its files, else beside the package that was built.
pub fn file(name: &str) -> Vec<u8> {
    let path = format!("tests/data/math/{name}.bin");
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
    let bytes = std::fs::read(&path).or_else(|_| std::fs::read(built.to_owned() + &path));
    bytes.unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The rows of an oracle file with `width` columns.
pub fn rows(name: &str, width: usize) -> Vec<Vec<f64>> {
    let bytes = file(&name.replace("_full", ""));
    let numbers: Vec<f64> =
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
    numbers.chunks_exact(width).map(<[f64]>::to_vec).collect()
}
