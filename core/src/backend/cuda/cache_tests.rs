//! The kernel cache with pretended compilers and loaders: no device is needed.

use std::cell::Cell;
use std::path::PathBuf;

use super::super::disk::Limits;
use super::*;
use crate::error::Error;

const ARCH: Arch = Arch::new(9, 0);

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let process = std::process::id();
        let path = std::env::temp_dir().join(format!("lazuli-kernels-{process}-{name}"));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    fn kernels(&self) -> Kernels<Vec<u8>> {
        Kernels::with_disk(ARCH, DiskCache::new(Some(self.0.clone()), Limits::default()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn get(kernels: &Kernels<Vec<u8>>, source: &str, options: &CompileOptions) -> Result<Origin> {
    let compile = |arch: Arch| Ok(format!("{arch} code of {source}").into_bytes());
    let (kernel, origin) =
        kernels.get(source, "k", options, compile, |image| Ok(image.to_vec()))?;
    assert_eq!(*kernel, format!("sm_90 code of {source}").into_bytes());
    Ok(origin)
}

#[test]
fn a_kernel_is_compiled_once_then_found_in_memory_then_on_disk() {
    let folder = Folder::new("origins");
    let options = CompileOptions::default();
    let kernels = folder.kernels();
    assert_eq!(get(&kernels, "a", &options).unwrap(), Origin::Compiled);
    assert_eq!(get(&kernels, "a", &options).unwrap(), Origin::Memory);
    assert_eq!(get(&kernels, "b", &options).unwrap(), Origin::Compiled);
    let counts = KernelCounts { compiled: 2, from_disk: 0, from_memory: 1 };
    assert_eq!(kernels.counts(), counts);

    let another_process = folder.kernels();
    assert_eq!(get(&another_process, "a", &options).unwrap(), Origin::Disk);
    assert_eq!(get(&another_process, "a", &options).unwrap(), Origin::Memory);
    assert_eq!(another_process.counts().from_disk, 1);
}

#[test]
fn options_are_part_of_the_key() {
    let folder = Folder::new("options");
    let kernels = folder.kernels();
    let exact = CompileOptions { fmad: false, ..CompileOptions::default() };
    assert_eq!(get(&kernels, "a", &CompileOptions::default()).unwrap(), Origin::Compiled);
    assert_eq!(get(&kernels, "a", &exact).unwrap(), Origin::Compiled);
    assert_eq!(get(&folder.kernels(), "a", &exact).unwrap(), Origin::Disk);
}

#[test]
fn a_failure_is_not_remembered() {
    let kernels = Folder::new("failure").kernels();
    let options = CompileOptions::default();
    let broken = |_| Err(Error::compile("no".to_string()));
    let failed = kernels.get("a", "k", &options, broken, |image| Ok(image.to_vec()));
    assert!(failed.unwrap_err().is_compile());
    assert_eq!(kernels.counts(), KernelCounts::default());
    assert_eq!(get(&kernels, "a", &options).unwrap(), Origin::Compiled);
}

#[test]
fn code_that_does_not_load_is_compiled_again_and_replaced() {
    let folder = Folder::new("refused");
    let options = CompileOptions::default();
    let compiled = Cell::new(0u8);
    let compile = |_| {
        compiled.set(compiled.get() + 1);
        Ok(vec![compiled.get()])
    };
    let refuse_first = |image: &[u8]| {
        if image == [1] { Err(Error::device("refused".to_string())) } else { Ok(image.to_vec()) }
    };
    let any = |image: &[u8]| Ok(image.to_vec());
    folder.kernels().get("a", "k", &options, compile, any).unwrap();
    let (kernel, origin) = folder.kernels().get("a", "k", &options, compile, refuse_first).unwrap();
    assert_eq!((kernel.as_slice(), origin), (&[2][..], Origin::Compiled));
    let (kernel, origin) = folder.kernels().get("a", "k", &options, compile, refuse_first).unwrap();
    assert_eq!((kernel.as_slice(), origin), (&[2][..], Origin::Disk));
}

#[test]
fn threads_that_want_one_kernel_compile_it_once() {
    let kernels = Folder::new("threads").kernels();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| get(&kernels, "shared", &CompileOptions::default()).unwrap());
        }
    });
    let counts = KernelCounts { compiled: 1, from_disk: 0, from_memory: 7 };
    assert_eq!(kernels.counts(), counts);
}

#[test]
fn keys_hold_the_build_and_every_option() {
    let plain = CompileOptions::default();
    let key = |source: &str, arch, options: &CompileOptions| disk_key(source, arch, options);
    let (one, other) = (Arch::new(9, 0), Arch::new(8, 0));
    let exact = CompileOptions { fmad: false, ..plain };
    let user = |options: &[&str]| {
        users_key("a", one, &options.iter().map(|o| o.to_string()).collect::<Vec<_>>())
    };
    let keys = [
        key("a", one, &plain),
        key("b", one, &plain),
        key("a", other, &plain),
        key("a", one, &exact),
        user(&[]),
        user(&["-w"]),
    ];
    if let Ok(nvrtc) = nvrtc::nvrtc() {
        let settings = format!("{:?}", Settings::for_device(nvrtc, one, &plain).unwrap());
        for flag in ["-std=c++17", "-default-device", "-w", "--fmad=true", "sm_90"] {
            assert!(settings.contains(flag), "{settings}");
        }
    }
    for (k, key) in keys.iter().enumerate() {
        assert!(!keys[..k].contains(key), "key {k}");
    }
    assert_eq!(key("a", one, &plain), keys[0]);
}
