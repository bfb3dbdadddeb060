//! Files where the system has no more room, memory or patience: each in a process of its own.

use super::*;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Sets the softer one of a resource's limits.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn limit(resource: libc::__rlimit_resource_t, most: u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is a place for one.
    assert_eq!(unsafe { libc::getrlimit(resource, &raw mut limit) }, 0);
    limit.rlim_cur = most.min(limit.rlim_max);
    // SAFETY: as above.
    assert_eq!(unsafe { libc::setrlimit(resource, &raw const limit) }, 0);
}

#[test]
fn a_full_disk_is_an_error() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        eprintln!("skipped: the system has no /dev/full");
        return;
    }
    let a = constant(1.0, 100_000);
    for error in [a.write_npy(full).unwrap_err(), write_npz(full, &[("member", &a)]).unwrap_err()] {
        assert!(error.is_io() && error.to_string().contains("/dev/full"), "{error:?}");
    }
    let small = write_npz(full, &[("a", &constant(1.0, 1))]).unwrap_err();
    assert!(small.is_io(), "the error comes when what was written is flushed");
    assert!(!std::fs::metadata(full).unwrap().is_file());
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_file_that_may_not_grow_leaves_the_old_one() {
    crate::support::alone("files::limits::child_whose_files_may_not_grow");
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
#[ignore = "limits the files of its process; another test runs it"]
fn child_whose_files_may_not_grow() {
    let folder = Folder::new("growth");
    let (npy, npz) = (folder.0.join("a.npy"), folder.0.join("a.npz"));
    let (old, large) = (constant(1.0, 100), constant(2.0, 100_000));
    old.write_npy(&npy).unwrap();
    write_npz(&npz, &[("a", &old)]).unwrap();
    // SAFETY: the signal is ignored, so that the limit is an error of the write.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    limit(libc::RLIMIT_FSIZE, 64 << 10);
    let errors = [
        large.write_npy(&npy).unwrap_err(),
        write_npz(&npz, &[("small", &old), ("large", &large)]).unwrap_err(),
    ];
    for (error, name) in errors.iter().zip(["a.npy", "a.npz: large"]) {
        assert!(error.is_io() && error.to_string().contains(name), "{error:?}");
    }
    assert_eq!((whole(&npy, 100), files(&folder)), (1.0, 2));
    let a = NpzFile::open(&npz).unwrap().read::<f64>("a").unwrap();
    assert_eq!(a.to_vec().unwrap(), [1.0; 100]);
    constant(3.0, 100).write_npy(&npy).unwrap();
    assert_eq!(whole(&npy, 100), 3.0);
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn what_memory_cannot_hold_is_an_error() {
    crate::support::alone("files::limits::child_with_little_memory");
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
#[ignore = "limits the memory of its process; another test runs it"]
fn child_with_little_memory() {
    use std::io::Write;
    const BYTES: usize = 256 << 20;
    const SLACK: u64 = 48 << 20;
    let folder = Folder::new("memory");
    let (npy, npz) = (folder.0.join("a.npy"), folder.0.join("a.npz"));
    // Zeros: little in an archive and, with a hole, on the disk.
    DeviceArray::<u8>::zeros([0]).write_npy(&npy).unwrap();
    let header = std::fs::read(&npy).unwrap();
    let header =
        String::from_utf8_lossy(&header).replace("(0,), }        ", &format!("({BYTES},), }}"));
    let header =
        [b"\x93NUMPY\x01\0\x76\0", &header.as_bytes()[header.find('{').unwrap()..]].concat();
    std::fs::write(&npy, &header).unwrap();
    let file = std::fs::File::options().write(true).open(&npy).unwrap();
    file.set_len((header.len() + BYTES) as u64).unwrap();
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&npz).unwrap());
    archive.start_file("a.npy", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(&header).unwrap();
    (0..256).for_each(|_| archive.write_all(&vec![0; BYTES / 256]).unwrap());
    archive.finish().unwrap();
    assert!(std::fs::metadata(&npz).unwrap().len() < 1 << 20);
    Device::cpu().scope(|| {
        let before = constant(1.0, 1000).sin();
        let values = before.to_vec().unwrap();
        let used = || {
            let text = std::fs::read_to_string("/proc/self/statm").unwrap();
            text.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096
        };
        let read_npy = || DeviceArray::<u8>::read_npy(&npy);
        let read_npz = || NpzFile::open(&npz).unwrap().read::<u8>("a");
        let reads: [(&str, &dyn Fn() -> Result<DeviceArray<u8>>); 2] =
            [("read_npy", &read_npy), ("read_npz", &read_npz)];
        for (name, read) in reads {
            limit(libc::RLIMIT_AS, used() + BYTES as u64 / 2);
            let error = read().unwrap_err();
            assert!(error.is_out_of_memory(), "{error:?}");
            let text = error.to_string();
            assert!(text.starts_with(name) && text.contains(&format!("{BYTES} bytes")), "{text}");
            assert_eq!(before.to_vec().unwrap(), values);
            // Once its size and little more is enough.
            Device::cpu().release_memory();
            limit(libc::RLIMIT_AS, used() + BYTES as u64 + SLACK);
            let a = read().unwrap();
            assert_eq!((a.len(), a.slice(s![-1..]).to_vec().unwrap()), (BYTES, vec![0]));
            limit(libc::RLIMIT_AS, u64::MAX);
            drop(a);
            Device::cpu().release_memory();
        }
        // Half precision is written without a copy in another type.
        let halves = DeviceArray::<f16>::ones([BYTES / 2]);
        halves.eval().unwrap();
        limit(libc::RLIMIT_AS, used() + BYTES as u64 / 2);
        let error = halves.write_npy(&npy).unwrap_err();
        assert!(error.is_out_of_memory() && error.to_string().starts_with("write_npy"), "{error}");
        assert_eq!(npy_header(&npy).unwrap().dtype(), Some(DType::U8));
        limit(libc::RLIMIT_AS, used() + BYTES as u64 + SLACK);
        halves.write_npy(&npy).unwrap();
        limit(libc::RLIMIT_AS, u64::MAX);
        assert_eq!(npy_header(&npy).unwrap().dtype(), Some(DType::F16));
    });
}

/// The elements of the file that is written again and again.
const LEN: usize = 2 << 20;
const TARGET: &str = "LAZULI_TEST_TARGET";

#[test]
fn a_killed_writer_leaves_a_whole_file() {
    let folder = Folder::new("killed");
    let path = folder.0.join("a.npy");
    constant(0.0, LEN).write_npy(&path).unwrap();
    let mut seen = Vec::new();
    for round in 0..12 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--ignored", "--exact", "files::limits::child_that_writes", "--nocapture"]);
        child.env(TARGET, &path).stdout(std::process::Stdio::null());
        let mut child = child.spawn().unwrap();
        // The writer has written once, and is in the midst of it again.
        let began = std::time::Instant::now();
        let first = whole(&path, LEN);
        while whole(&path, LEN) == first && began.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(7 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        seen.push(whole(&path, LEN));
    }
    assert!(seen.iter().any(|value| *value > 0.0), "nothing was written");
    println!("{seen:?}, and {} drafts of {} writers stayed", files(&folder) - 1, seen.len());
    constant(-1.0, LEN).write_npy(&path).unwrap();
    assert_eq!(whole(&path, LEN), -1.0);
}

#[test]
#[ignore = "writes until it is killed; another test runs it"]
fn child_that_writes() {
    let path = PathBuf::from(std::env::var_os(TARGET).expect("another test runs this one"));
    let mut value = whole(&path, LEN);
    // It ends by itself where nobody kills it.
    for _ in 0..10_000 {
        value += 1.0;
        constant(value, LEN).write_npy(&path).unwrap();
    }
}
