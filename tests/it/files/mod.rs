//! Files: whole or not at all, and errors where they are bad.

#[cfg(unix)]
mod limits;
mod mutations;

use crate::support::command::Folder;
use crate::support::on_each_device;
use lazuli::prelude::*;
use std::path::Path;

fn constant(value: f64, len: usize) -> DeviceArray<f64> {
    DeviceArray::full([len], value)
}

/// The one value of a file's elements, of which there must be so many.
fn whole(path: &Path, len: usize) -> f64 {
    let values = DeviceArray::<f64>::read_npy(path).unwrap().to_vec().unwrap();
    assert_eq!(values.len(), len);
    assert!(values.iter().all(|value| *value == values[0]), "a mixture of files");
    values[0]
}

fn files(folder: &Folder) -> usize {
    std::fs::read_dir(&folder.0).unwrap().count()
}

/// A matrix that has no inverse: what is written fails when it is computed.
fn impossible() -> DeviceArray<f64> {
    DeviceArray::<f64>::zeros([3, 3]).inverse()
}

#[test]
fn what_cannot_be_computed_leaves_the_old_file() {
    on_each_device(|device| {
        let folder = Folder::new(&format!("impossible-{device}"));
        let (npy, npz) = (folder.0.join("a.npy"), folder.0.join("a.npz"));
        let good = constant(2.0, 3);
        assert!(impossible().write_npy(&npy).unwrap_err().is_numeric());
        assert!(write_npz(&npz, &[("a", &good), ("b", &impossible())]).unwrap_err().is_numeric());
        assert_eq!(files(&folder), 0);
        good.write_npy(&npy).unwrap();
        write_npz(&npz, &[("a", &good)]).unwrap();
        assert!(impossible().write_npy(&npy).unwrap_err().is_numeric());
        assert!(write_npz(&npz, &[("a", &(&good + 1.0)), ("b", &impossible())]).is_err());
        assert_eq!((whole(&npy, 3), files(&folder)), (2.0, 2));
        let a = NpzFile::open(&npz).unwrap().read::<f64>("a").unwrap();
        assert_eq!(a.to_vec().unwrap(), [2.0; 3]);
    });
}

#[test]
fn what_has_no_place_is_an_error_that_names_it() {
    let folder = Folder::new("no-place");
    let (a, file) = (constant(1.0, 10), folder.0.join("file"));
    std::fs::write(&file, b"a file").unwrap();
    std::fs::create_dir(folder.0.join("folder")).unwrap();
    let mut places =
        vec![file.join("below.npy"), folder.0.join("no/a.npy"), folder.0.join("folder")];
    if cfg!(target_os = "linux") {
        // Nobody can make files there, the superuser neither.
        places.push("/proc/lazuli.npy".into());
    }
    for path in places {
        let name = path.display().to_string();
        for error in [a.write_npy(&path).unwrap_err(), write_npz(&path, &[("x", &a)]).unwrap_err()]
        {
            assert!(error.is_io() && error.to_string().contains(&name), "{error:?}");
            assert!(error.to_string().contains("files/mod.rs:"), "{error}");
        }
    }
    assert_eq!(files(&folder), 2);
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_keeps_its_file() {
    use std::os::unix::fs::PermissionsExt;
    // SAFETY: the call has no arguments and cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        eprintln!("skipped: the superuser may write every folder");
        return;
    }
    let folder = Folder::new("read-only");
    let path = folder.0.join("a.npy");
    constant(1.0, 10).write_npy(&path).unwrap();
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&folder.0, mode(0o555)).unwrap();
    assert!(constant(2.0, 10).write_npy(&path).unwrap_err().is_io());
    std::fs::set_permissions(&folder.0, mode(0o755)).unwrap();
    assert_eq!((whole(&path, 10), files(&folder)), (1.0, 1));
}

#[test]
fn members_with_impossible_names_are_errors() {
    let folder = Folder::new("names");
    let (path, a) = (folder.0.join("a.npz"), constant(1.0, 10));
    write_npz(&path, &[("a", &a)]).unwrap();
    let long = "n".repeat(70_000);
    for names in [["x", "x"], ["x", &long]] {
        let error =
            write_npz(&path, &names.map(|n| (n, &a as &dyn lazuli::NpzMember))).unwrap_err();
        assert!(error.is_io() && error.to_string().contains(names[1]), "{error:?}");
    }
    assert_eq!(
        (NpzFile::open(&path).unwrap().names().unwrap(), files(&folder)),
        (vec!["a".into()], 1)
    );
    write_npz(&path, &[("größe", &a), ("", &a), ("a/b", &a), ("c.npy", &a)]).unwrap();
    let mut file = NpzFile::open(&path).unwrap();
    for name in file.names().unwrap() {
        assert_eq!(file.header(&name).unwrap().shape(), [10]);
        assert_eq!(file.read::<f64>(&name).unwrap().to_vec().unwrap(), [1.0; 10]);
    }
    let other = ndarray_npy::NpzReader::new(std::fs::File::open(&path).unwrap());
    assert_eq!(other.unwrap().names().unwrap().len(), 4);
}

#[test]
fn compressed_members_are_read_here_and_elsewhere() {
    let folder = Folder::new("compressed");
    let path = folder.0.join("a.npz");
    let (a, short) = (DeviceArray::<i64>::arange_to(5000), DeviceArray::<f32>::ones(()));
    let none = DeviceArray::<f64>::zeros([0, 3]);
    lazuli::write_npz_compressed(&path, &[("a", &a), ("short", &short), ("none", &none)]).unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 20_000);
    let mut file = NpzFile::open(&path).unwrap();
    assert_eq!(file.read::<i64>("a").unwrap(), a);
    assert_eq!(file.read::<f32>("short").unwrap(), short);
    assert_eq!(file.read::<f64>("none").unwrap().shape(), [0, 3]);
    let other = ndarray_npy::NpzReader::new(std::fs::File::open(&path).unwrap());
    let whole: ndarray::Array1<i64> = other.unwrap().by_name("a.npy").unwrap();
    assert_eq!(whole, a.copy_to_host().unwrap().into_dimensionality().unwrap());
    let error = lazuli::write_npz_compressed(&path, &[("x", &a), ("x", &a)]).unwrap_err();
    assert!(error.is_io() && error.to_string().contains("write_npz_compressed"), "{error}");
}

#[test]
fn files_tell_what_they_hold() {
    let folder = Folder::new("headers");
    let (npy, npz) = (folder.0.join("a.npy"), folder.0.join("a.npz"));
    let columns = ndarray::Array::from_shape_fn((2, 3), |(i, j)| (10 * i + j) as i16);
    ndarray_npy::write_npy(&npy, &columns.t()).unwrap();
    let header = npy_header(&npy).unwrap();
    assert_eq!((header.dtype(), header.shape()), (Some(DType::I16), &[3, 2][..]));
    assert!(header.is_fortran_order() && header.descr() == "<i2");
    on_each_device(|_| {
        let a = DeviceArray::<i16>::read_npy(&npy).unwrap();
        assert_eq!(a.copy_to_host().unwrap(), columns.t().into_dyn());
    });
    write_npz(&npz, &[("x", &DeviceArray::<Complex<f32>>::zeros([4, 0]))]).unwrap();
    let mut file = NpzFile::open(&npz).unwrap();
    let header = file.header("x").unwrap();
    assert_eq!((header.dtype(), header.shape()), (Some(DType::C64), &[4, 0][..]));
    let wrong = file.read::<i8>("x").unwrap_err().to_string();
    assert!(wrong.contains("complex64") && wrong.contains("int8"), "{wrong}");
    let missing = file.header("y").unwrap_err();
    assert!(missing.is_io() && missing.to_string().contains("y"), "{missing}");
    // Dates are none of the types here, and can still be told.
    let text = b"{'descr': '<M8[s]', 'fortran_order': False, 'shape': (1,), }\n";
    let start = [&b"\x93NUMPY\x01\0"[..], &(text.len() as u16).to_le_bytes()].concat();
    std::fs::write(&npy, [&start[..], text, &[0; 8]].concat()).unwrap();
    let header = npy_header(&npy).unwrap();
    assert_eq!((header.dtype(), header.descr(), header.shape()), (None, "<M8[s]", &[1][..]));
    let wrong = DeviceArray::<i64>::read_npy(&npy).unwrap_err().to_string();
    assert!(wrong.contains("<M8[s]") && wrong.contains("int64"), "{wrong}");
}

#[test]
fn threads_that_share_a_path_read_whole_files() {
    const THREADS: usize = 8;
    const LEN: usize = 50_000;
    let folder = Folder::new("threads");
    let (npy, npz) = (folder.0.join("a.npy"), folder.0.join("a.npz"));
    let write = |value: f64| {
        let a = constant(value, LEN);
        a.write_npy(&npy).unwrap();
        write_npz(&npz, &[("a", &a), ("b", &(&a + 1.0))]).unwrap();
    };
    write(-1.0);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (npy, npz) = (&npy, &npz);
            scope.spawn(move || {
                for _ in 0..10 {
                    write(thread as f64);
                    assert!(whole(npy, LEN) < THREADS as f64);
                    let mut file = NpzFile::open(npz).unwrap();
                    let [a, b] = ["a", "b"].map(|n| file.read::<f64>(n).unwrap().to_vec().unwrap());
                    assert!(a.iter().zip(&b).all(|(x, y)| *x == a[0] && *y == a[0] + 1.0));
                }
            });
        }
    });
    assert_eq!(files(&folder), 2, "a draft stayed");
}
