//! Files by hand: what they hold, and what is wrong with them.

use super::*;
use crate::{NpzFile, write_npz};

#[test]
fn halves_and_wrong_types() {
    let path = std::env::temp_dir().join(format!("lazuli-half-{}.npy", std::process::id()));
    let values = [f16::from_f32(1.5), f16::NEG_INFINITY, f16::from_f32(-0.0)];
    DeviceArray::from_slice(&values).unwrap().write_npy(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.windows(5).any(|w| w == b"'<f2'"));
    let back = DeviceArray::<f16>::read_npy(&path).unwrap();
    assert_eq!(back.to_vec().unwrap(), values);
    let wrong = DeviceArray::<f64>::read_npy(&path).unwrap_err();
    assert!(wrong.is_io());
    let text = wrong.to_string();
    assert!(text.contains("holds float16, and float64 is asked for"), "{text}");
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(DeviceArray::<f16>::read_npy(&path).unwrap_err().is_io());
    std::fs::remove_file(path).unwrap();
}

/// The bytes of a file whose header has the given length, and claims a shape.
fn claiming(descriptor: &str, shape: &str, data: usize) -> Vec<u8> {
    let header =
        format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.resize(bytes.len() + data, 0);
    bytes
}

#[test]
fn damaged_files_are_errors() {
    let path = std::env::temp_dir().join(format!("lazuli-bad-{}.npy", std::process::id()));
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let of_f64 = DeviceArray::<f64>::read_npy(&path).is_err_and(|e| e.is_io());
        let of_f16 = DeviceArray::<f16>::read_npy(&path).is_err_and(|e| e.is_io());
        let of_bool = DeviceArray::<bool>::read_npy(&path).is_err_and(|e| e.is_io());
        of_f64 && of_f16 && of_bool
    };
    for descriptor in ["<f8", "<f2", "|b1"] {
        for shape in ["(1000000000000000,)", "(3, 99999999999)", "(9,)", "(0,)", "(-1,)"] {
            assert!(refused(&claiming(descriptor, shape, 8)), "{descriptor} {shape}");
        }
    }
    let whole = claiming("<f8", "(2,)", 16);
    (0..whole.len()).for_each(|n| assert!(refused(&whole[..n]), "{n} bytes"));
    // A header that claims 4 GiB, and one whose brackets go deeper than any that NumPy writes.
    assert!(refused(b"\x93NUMPY\x02\0\xff\xff\xff\xff{}"));
    assert!(refused(&claiming("<f8", &"(".repeat(60_000), 8)));
    let mut not_bool = claiming("|b1", "(1,)", 0);
    not_bool.push(2);
    assert!(refused(&not_bool));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn both_byte_orders_are_read() {
    let path = std::env::temp_dir().join(format!("lazuli-big-{}.npy", std::process::id()));
    let mut bytes = claiming(">c8", "(1,)", 0);
    bytes.extend([1.5f32.to_be_bytes(), (-2.0f32).to_be_bytes()].concat());
    std::fs::write(&path, bytes).unwrap();
    let back = DeviceArray::<Complex<f32>>::read_npy(&path).unwrap();
    assert_eq!(back.item().unwrap(), Complex::new(1.5, -2.0));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_damaged_member_of_an_archive_is_an_error() {
    let path = std::env::temp_dir().join(format!("lazuli-bad-{}.npz", std::process::id()));
    let x = DeviceArray::<f64>::ones([1000]);
    write_npz(&path, &[("x", &x)]).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(6).position(|w| w == b"(1000,").expect("the shape is in the file");
    bytes[at + 1..at + 5].copy_from_slice(b"9999");
    std::fs::write(&path, bytes).unwrap();
    assert!(NpzFile::open(&path).unwrap().read::<f64>("x").unwrap_err().is_io());
    // Headers that claim 4 GiB, or nest their brackets deeper than a stack: members by themselves
    // are read as files are.
    for header in
        [b"\x93NUMPY\x02\0\xff\xff\xff\xff{}".to_vec(), claiming("<f8", &"(".repeat(60_000), 8)]
    {
        let mut archive = ::zip::ZipWriter::new(File::create(&path).unwrap());
        archive.start_file("x.npy", ::zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&header).unwrap();
        archive.finish().unwrap();
        let mut archive = NpzFile::open(&path).unwrap();
        assert_eq!(archive.names().unwrap(), ["x"]);
        assert!(archive.read::<f64>("x").unwrap_err().is_io());
    }
    std::fs::remove_file(path).unwrap();
}
