//! Reads the manifest and its arrays.

use super::place;
use super::value::Host;
use lazuli::prelude::*;
use ndarray::{ArrayD, OwnedRepr};
use ndarray_npy::{NpzReader, ReadableElement};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;

/// A file below `tests/data`.
pub fn data(name: &str) -> PathBuf {
    place("tests/data").join(name)
}

/// A JSON file below `tests/data`.
pub fn json(name: &str) -> Json {
    let text = std::fs::read(data(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The arrays of a file, by key.
pub type Arrays = HashMap<String, Host>;

type Reader = NpzReader<File>;

fn read<T: ReadableElement>(file: &mut Reader, key: &str) -> ArrayD<T> {
    file.by_name::<OwnedRepr<T>, _>(key).unwrap_or_else(|e| panic!("{key}: {e}"))
}

fn read_as(file: &mut Reader, key: &str) -> Host {
    let dtype = key.rsplit('.').next().unwrap_or_default();
    match dtype {
        "bool" => Host::Bool(read(file, key)),
        "i8" => Host::I8(read(file, key)),
        "i16" => Host::I16(read(file, key)),
        "i32" => Host::I32(read(file, key)),
        "i64" => Host::I64(read(file, key)),
        "u8" => Host::U8(read(file, key)),
        "u16" => Host::U16(read(file, key)),
        "u32" => Host::U32(read(file, key)),
        "u64" => Host::U64(read(file, key)),
        "f16" => Host::F16(read::<u16>(file, key).mapv(f16::from_bits)),
        "bf16" => Host::BF16(read::<u16>(file, key).mapv(bf16::from_bits)),
        "f32" => Host::F32(read(file, key)),
        "f64" => Host::F64(read(file, key)),
        "c64" => Host::C64(read(file, key)),
        "c128" => Host::C128(read(file, key)),
        _ => panic!("{key}: the key does not end in an element type"),
    }
}

/// Every array of an `.npz` file below `tests/data`.
pub fn arrays(name: &str) -> Arrays {
    let file = File::open(data(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut file = NpzReader::new(file).unwrap_or_else(|e| panic!("{name}: {e}"));
    let names = file.names().unwrap_or_else(|e| panic!("{name}: {e}"));
    let entry = |key: String| {
        let array = read_as(&mut file, &key);
        (key, array)
    };
    names.into_iter().map(entry).collect()
}
