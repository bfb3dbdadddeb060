//! Damaged files: whatever is in one, reading it gives an array or an error, never a panic.

use super::*;
use crate::support::Rng;
use std::fmt::Debug;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;

const FILES: usize = 10_000;

/// Good files to begin with: of several types and versions, in archives of both kinds.
fn good(folder: &Folder) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let path = folder.0.join("good");
    let read = || std::fs::read(&path).unwrap();
    let mut plain = Vec::new();
    constant(1.5, 20).reshape([4, 5]).write_npy(&path).unwrap();
    plain.push(read());
    DeviceArray::from_slice(&[true, false, true]).unwrap().write_npy(&path).unwrap();
    plain.push(read());
    DeviceArray::<f16>::ones([0, 3]).write_npy(&path).unwrap();
    plain.push(read());
    DeviceArray::<Complex<f32>>::ones(()).write_npy(&path).unwrap();
    plain.push(read());
    ndarray_npy::write_npy(&path, &ndarray::Array2::<i32>::ones((3, 7)).t()).unwrap();
    plain.push(read());
    let text =
        b"{'descr': [('a', '<f8'), ('b', '>i4')], 'fortran_order': False, 'shape': (2,), }\n";
    let records = [b"\x93NUMPY\x03\x00", &(text.len() as u32).to_le_bytes()[..], text, &[0; 24]];
    plain.push(records.concat());
    let (a, b) = (constant(2.0, 9), DeviceArray::<u8>::ones([2, 2]));
    write_npz(&path, &[("a", &a), ("b", &b)]).unwrap();
    let mut archives = vec![read()];
    for large in [false, true] {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().large_file(large);
        for (name, file) in ["a.npy", "b.npy"].iter().zip([&plain[0], &plain[1]]) {
            archive.start_file(*name, options).unwrap();
            archive.write_all(file).unwrap();
        }
        archives.push(archive.finish().unwrap().into_inner());
    }
    (plain, archives)
}

/// Numbers at the ends of what fields hold.
fn edge(rng: &mut Rng) -> [u8; 8] {
    let edges = [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 62, u64::MAX];
    let number = rng.pick(&edges).wrapping_add(rng.below(3) as u64).wrapping_sub(1);
    number.to_le_bytes()
}

const SHAPES: [&str; 12] = [
    "(4, 5)",
    "(5, 4)",
    "(20,)",
    "()",
    "(0,)",
    "(-1,)",
    "(4294967296, 4294967296)",
    "(99999999999999999999999,)",
    "(1152921504606846976,)",
    "(2, 9223372036854775807)",
    "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,20)",
    "((4, 5), )",
];

/// Damages a file in one of the ways in which files are damaged, or made to deceive.
fn mutate(rng: &mut Rng, file: &mut Vec<u8>, others: &[Vec<u8>]) {
    let at = rng.below(file.len().max(1)).min(file.len());
    match rng.below(7) {
        0 => (0..1 + rng.below(4)).for_each(|_| {
            let at = rng.below(file.len().max(1));
            if let Some(byte) = file.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }),
        1 => file.truncate(at),
        2 => {
            let other = &others[rng.below(others.len())];
            let from = rng.below(other.len());
            let piece = &other[from..from + rng.below(other.len() - from)];
            let end = if rng.one_in(2) { at } else { file.len().min(at + piece.len()) };
            file.splice(at..end, piece.iter().copied());
        }
        3 => {
            // The length of the header of a `.npy` file, wherever it lies.
            let starts = file.windows(6).enumerate().filter(|(_, w)| w == b"\x93NUMPY");
            let at = starts.map(|(at, _)| at + 6).next_back().unwrap_or(at);
            let edge = edge(rng);
            file.iter_mut().skip(at + rng.below(3)).zip(&edge[..4]).for_each(|(to, x)| *to = *x);
        }
        4 => {
            let (from, to) = (b"'shape': ", rng.pick(&SHAPES));
            if let Some(at) = file.windows(from.len()).position(|w| w == from) {
                let end = at + from.len() + if rng.one_in(2) { to.len() } else { 6 };
                file.splice(at + from.len()..end.min(file.len()), to.bytes());
            }
        }
        5 => {
            // A field of one of an archive's headers.
            let starts = file.windows(2).enumerate().filter(|(_, w)| w == b"PK");
            let starts: Vec<usize> = starts.map(|(at, _)| at).collect();
            let at = if starts.is_empty() { at } else { rng.pick(&starts) };
            let (edge, bytes) = (edge(rng), 1 << rng.below(4));
            let field = at + rng.below(60);
            file.iter_mut().skip(field).zip(&edge[..bytes]).for_each(|(to, x)| *to = *x);
        }
        _ => {
            let descriptors = ["<f8", ">f8", "|b1", "<f2", "<c8", "|O8", "<M8", "'''", "<f9"];
            let known = ["<f8", "|b1", "<f2", "<c8", "<i4"].map(str::as_bytes);
            if let Some(at) = file.windows(3).position(|w| known.contains(&w)) {
                file[at..at + 3].copy_from_slice(rng.pick(&descriptors).as_bytes());
            }
        }
    }
}

/// What came of reading: whether it was an array.
fn outcome<T: Element + Debug>(result: Result<DeviceArray<T>>) -> bool {
    match result {
        Ok(a) => {
            assert_eq!(a.to_vec().unwrap().len(), a.shape().iter().product::<usize>());
            true
        }
        Err(e) => {
            assert!(e.is_io() || e.is_out_of_memory(), "{e:?}");
            assert!(e.to_string().contains("mutant"), "{e}");
            false
        }
    }
}

fn read_as<T: lazuli::NpyElement + Debug>(path: &Path) -> bool {
    let mut any = outcome(DeviceArray::<T>::read_npy(path));
    if let Ok(mut file) = NpzFile::open(path) {
        for name in file.names().unwrap().into_iter().take(4) {
            let _ = file.header(&name);
            any |= outcome(file.read::<T>(&name));
        }
    }
    any
}

#[test]
fn ten_thousand_damaged_files() {
    let folder = Folder::new("mutations");
    let (plain, archives) = good(&folder);
    let everything = [&plain[..], &archives].concat();
    let path = folder.0.join("mutant");
    let mut arrays = 0;
    Device::cpu().scope(|| {
        for seed in 0..FILES as u64 {
            let mut rng = Rng(seed);
            let mut file = match rng.one_in(2) {
                true => plain[rng.below(plain.len())].clone(),
                false => archives[rng.below(archives.len())].clone(),
            };
            (0..1 + rng.below(3)).for_each(|_| mutate(&mut rng, &mut file, &everything));
            std::fs::write(&path, &file).unwrap();
            let read = std::panic::catch_unwind(|| {
                let _ = npy_header(&path);
                // Every type sees every file in which something of it was.
                let all = [
                    read_as::<f64>(&path),
                    read_as::<f16>(&path),
                    read_as::<bool>(&path),
                    read_as::<Complex<f32>>(&path),
                    read_as::<i32>(&path),
                ];
                all.contains(&true)
            });
            arrays += usize::from(read.unwrap_or_else(|_| panic!("the file of seed {seed}")));
        }
    });
    // Most damage is found, and some does not matter.
    println!("{arrays} of {FILES} files could still be read in part");
    assert!(arrays > FILES / 100 && arrays < FILES * 9 / 10, "{arrays}");
}
