//! Operations for which there is not enough memory: each ends with an error that names it and the
//! bytes, and leaves the arrays usable. The process has an allocator of its own here, which counts,
//! and refuses what goes beyond a budget.

use lazuli::prelude::*;
use lazuli::{fft, signal};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

struct Budget;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

// SAFETY: all memory is the system's; what is refused is a null pointer.
unsafe impl GlobalAlloc for Budget {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // What is refused never counts, not even for a moment: other threads' small blocks would be
        // refused with it.
        let with_this = |live: usize| live.checked_add(layout.size());
        let fits = |live: usize| with_this(live).filter(|&live| live <= MOST.load(Relaxed));
        let Ok(live) = LIVE.fetch_update(Relaxed, Relaxed, fits) else {
            return std::ptr::null_mut();
        };
        PEAK.fetch_max(live + layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(address, layout) }
    }
}

/// The tests run one at a time: a budget is for all threads.
static ALONE: Mutex<()> = Mutex::new(());

#[global_allocator]
static ALLOCATOR: Budget = Budget;

/// An operation with its name in errors.
struct Case {
    name: &'static str,
    run: Box<dyn Fn() -> Result<()>>,
}

fn numbers(shape: [usize; 2]) -> DeviceArray<f64> {
    let k = DeviceArray::<f64>::arange_to((shape[0] * shape[1]) as f64);
    let array = (k * 0.7).sin().reshape(shape);
    array.eval().expect("there is memory");
    array
}

#[vectorize]
fn halved(x: f64) -> f64 {
    let parts = [x, 0.5];
    parts[0] * parts[1]
}

#[reduce(identity = 0.0)]
fn larger(a: f64, b: f64) -> f64 {
    if a < b { b } else { a }
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    macro_rules! case {
        ($name:literal, $array:expr, |$a:ident| $result:expr) => {
            let $a = $array;
            all.push(Case { name: $name, run: Box::new(move || ($result).map(drop)) });
        };
    }
    let square = || numbers([600, 600]);
    let definite = || {
        let a = numbers([600, 600]);
        let a = a.matmul(&a.t()) + DeviceArray::<f64>::eye(600) * 600.0;
        a.eval().unwrap();
        a
    };
    let row = || numbers([1, 3_000_017]).reshape([3_000_017]);
    case!("matmul", square(), |a| a.matmul(&a).eval());
    case!("matmul", square().cast::<f16>(), |a| a.matmul(&a).eval());
    case!("solve", square(), |a| a.solve(&a).eval());
    case!("inverse", square(), |a| a.inverse().eval());
    case!("det", square(), |a| a.det().eval());
    case!("cholesky", definite(), |a| a.cholesky().eval());
    case!("qr", numbers([1500, 300]), |a| both(a.qr()));
    case!("qr", numbers([300, 600]), |a| both(a.qr_complete()));
    case!("svd", numbers([1500, 300]), |a| {
        let (u, s, v) = a.svd();
        eval(&[&u, &s, &v])
    });
    case!("svd", numbers([400, 300]), |a| {
        let (u, s, v) = a.svd_full();
        eval(&[&u, &s, &v])
    });
    case!("svdvals", square(), |a| a.svdvals().eval());
    case!("eigh", definite(), |a| both(a.eigh()));
    case!("eig", numbers([300, 300]), |a| both(a.eig()));
    case!("expm", numbers([300, 300]), |a| a.try_expm()?.eval());
    case!("sort", row(), |a| a.sort(0).eval());
    case!("argsort", row(), |a| a.argsort(0).eval());
    case!("sort", numbers([1000, 3000]), |a| a.sort(1).eval());
    case!("sort", numbers([20, 100_000]), |a| a.sort(1).eval());
    case!("top_k", row(), |a| both(a.top_k(100_000, 0)));
    case!("unique", row(), |a| a.unique());
    case!("fft", row().slice(s![..300_007]).cast::<Complex<f64>>(), |a| fft::fft(&a).eval());
    case!("fft", row(), |a| fft::rfft(&a.slice(s![..3_000_000])).eval());
    case!("fft", numbers([1024, 2048]), |a| fft::fft2(&a).eval());
    case!("convolve", row(), |a| signal::convolve(
        &a,
        &numbers([1, 9]).reshape([9]),
        signal::Mode::Full
    )
    .eval());
    case!("histogram", row(), |a| a.histogram(lazuli::Bins::Count(1_000_000))?.0.eval());
    case!("scatter_add", row().cast::<f16>(), |a| a.scatter_add(places(), f16::ONE, 0).eval());
    case!("cumsum", row(), |a| a.cumsum(0).eval());
    case!("sum", row(), |a| a.sum(0).eval());
    case!("sin", row(), |a| (a.sin() + 1.0).eval());
    case!("halved", row(), |a| halved::call(&a).eval());
    case!("larger", row(), |a| larger::reduce(&a, 0).eval());
    case!("larger", row(), |a| larger::scan(&a, 0).eval());
    case!("copy_to_host", row(), |a| a.to_vec());
    let files = Files::new();
    case!("read_npy", files.clone(), |f| DeviceArray::<f64>::read_npy(&f.npy));
    case!("read_npz", files.clone(), |f| NpzFile::open(&f.npz)?.read::<f64>("a"));
    case!("read_npz", files.clone(), |f| NpzFile::open(&f.packed)?.read::<f64>("a"));
    case!("write_npy", (files.clone(), row().cast::<f16>()), |f| f.1.write_npy(&f.0.written));
    case!("write_npz", (files, row()), |f| write_npz(&f.0.written, &[("a", &f.1)]));
    all
}

/// A file of three million numbers, alone and in archives, and the path of another one.
struct Files {
    npy: PathBuf,
    npz: PathBuf,
    packed: PathBuf,
    written: PathBuf,
}

const IN_FILES: usize = 3_000_017;

impl Files {
    fn new() -> Arc<Files> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Relaxed);
        let name = |end: &str| {
            let process = std::process::id();
            std::env::temp_dir().join(format!("lazuli-memory-{process}-{count}-{end}"))
        };
        let files = Files {
            npy: name("a.npy"),
            npz: name("a.npz"),
            packed: name("packed.npz"),
            written: name("written"),
        };
        let a = DeviceArray::<f64>::ones([IN_FILES]);
        a.write_npy(&files.npy).unwrap();
        write_npz(&files.npz, &[("a", &a)]).unwrap();
        let mut archive = zip::ZipWriter::new(File::create(&files.packed).unwrap());
        archive.start_file("a.npy", zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&std::fs::read(&files.npy).unwrap()).unwrap();
        archive.finish().unwrap();
        Arc::new(files)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        for path in [&self.npy, &self.npz, &self.packed, &self.written] {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[test]
fn memory_in_use_goes_up_and_down() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for device in Device::all() {
        device.scope(|| {
            let bytes = 8 << 20;
            let before = device.memory_use().in_use;
            let x = DeviceArray::<f64>::linspace(0.0, 1.0, bytes / 8);
            assert_eq!(device.memory_use().in_use, before); // recorded
            x.eval().expect("there is memory");
            let during = device.memory_use();
            assert!(during.in_use >= before + bytes && during.peak >= during.in_use);
            drop(x);
            let after = device.memory_use();
            assert!(after.in_use <= during.in_use - bytes && after.peak == during.peak);
            assert!(after.cached >= bytes);
        });
    }
}

#[test]
fn a_file_takes_its_size_once() {
    let _alone = ALONE.lock();
    Device::cpu().scope(|| {
        let files = Files::new();
        let (npy, npz, packed) = (files.clone(), files.clone(), files);
        let reads: [Case; 3] = [
            Case {
                name: "read_npy",
                run: Box::new(move || DeviceArray::<f64>::read_npy(&npy.npy).map(drop)),
            },
            Case {
                name: "read_npz",
                run: Box::new(move || NpzFile::open(&npz.npz)?.read::<f64>("a").map(drop)),
            },
            Case {
                name: "read_npz of what is packed",
                run: Box::new(move || NpzFile::open(&packed.packed)?.read::<f64>("a").map(drop)),
            },
        ];
        for case in reads {
            let (peak, size) = (peak(&case), IN_FILES * 8);
            println!("{}: {peak} bytes for {size}", case.name);
            // Blocks have steps of an eighth of their size, and the margin is looked for.
            assert!(
                peak >= size && peak < size + size / 8 + SMALL + MARGIN,
                "{}: {peak}",
                case.name
            );
        }
    });
}

fn places() -> DeviceArray<i64> {
    DeviceArray::from_slice(&[3, 5]).expect("there is memory")
}

fn both<A: Element, B: Element>((a, b): (DeviceArray<A>, DeviceArray<B>)) -> Result<()> {
    eval(&[&a, &b])
}

/// The bytes that an operation has at a time beside what was there before.
fn peak(case: &Case) -> usize {
    Device::cpu().release_memory();
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    (case.run)().unwrap_or_else(|error| panic!("{}: {error}", case.name));
    PEAK.load(Relaxed) - before
}

/// What is left for plans, messages and other small things.
const SMALL: usize = 512 << 10;
/// What large allocations leave for such things.
const MARGIN: usize = 5 << 20;

/// Runs an operation with a part of the memory that it wants: whether it was enough.
fn with_part(case: &Case, peak: usize, part: usize, parts: usize) -> bool {
    Device::cpu().release_memory();
    let budget = LIVE.load(Relaxed) + SMALL + (peak + MARGIN) * part / parts;
    MOST.store(budget, Relaxed);
    let result = (case.run)();
    MOST.store(usize::MAX, Relaxed);
    let Err(error) = result else { return true };
    assert!(error.is_out_of_memory(), "{}: {error:?}", case.name);
    let text = error.to_string();
    assert!(text.contains(" bytes"), "{}: {text}", case.name);
    assert!(text.contains(": cannot allocate "), "{}: {text}", case.name);
    false
}

/// How much an operation takes at a time depends on which threads take part, and so the whole test is
/// that of one thread, in a process of its own. With several, an operation fails in words or is done.
#[test]
fn too_little_memory_is_an_error_and_no_end() {
    const PARTS: usize = 16;
    const THREADS: &str = "RAYON_NUM_THREADS";
    let _alone = ALONE.lock();
    let is_one = std::env::var(THREADS).is_ok_and(|threads| threads == "1");
    if !is_one {
        let mut child = Command::new(std::env::current_exe().unwrap());
        let name = "too_little_memory_is_an_error_and_no_end";
        let output = child.args(["--exact", name, "--nocapture"]).env(THREADS, "1").output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "one thread: {said}");
    }
    Device::cpu().scope(|| {
        for case in cases() {
            // Plans, threads and what libraries keep are there afterwards.
            peak(&case);
            let peak = peak(&case);
            let parts = (0..=PARTS + 2).step_by(if is_one { 1 } else { 3 });
            let enough = parts.filter(|&part| {
                eprintln!("{} with {part}/{PARTS} of {peak} bytes", case.name);
                with_part(&case, peak, part, PARTS)
            });
            let enough: Vec<usize> = enough.collect();
            if is_one {
                assert!(enough.ends_with(&[PARTS + 1, PARTS + 2]), "{}: {enough:?}", case.name);
                let is_large = peak >= SMALL + MARGIN;
                assert!(!is_large || !enough.contains(&0), "{}: {enough:?}", case.name);
            }
            // The arrays are as they were, and so is the operation.
            (case.run)().unwrap_or_else(|error| panic!("{}: {error}", case.name));
            println!("{:12} {peak:>12} bytes, enough: {enough:?} of {PARTS}", case.name);
        }
    });
}

#[cfg(target_os = "linux")]
mod limited {
    use super::*;

    #[repr(C)]
    struct Limit {
        soft: u64,
        hard: u64,
    }

    const ADDRESS_SPACE: i32 = 9;

    unsafe extern "C" {
        fn getrlimit(resource: i32, limit: *mut Limit) -> i32;
        fn setrlimit(resource: i32, limit: *const Limit) -> i32;
    }

    /// Limits the address space of this process to what it has and so many bytes more.
    fn limit(more: Option<u64>) {
        let text = std::fs::read_to_string("/proc/self/statm").expect("this is Linux");
        let pages: u64 = text.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
        let mut limit = Limit { soft: 0, hard: 0 };
        // SAFETY: the limit is a place for one.
        assert_eq!(unsafe { getrlimit(ADDRESS_SPACE, &mut limit) }, 0);
        limit.soft = more.map_or(limit.hard, |more| pages * 4096 + more);
        // SAFETY: as above.
        assert_eq!(unsafe { setrlimit(ADDRESS_SPACE, &limit) }, 0);
    }

    /// The operations in processes of their own, of which the first one finds no plans, no threads
    /// and nothing that libraries keep. The process of a limit is this test again.
    #[test]
    fn a_limited_process_ends_no_earlier() {
        const LIMIT: &str = "LAZULI_TEST_LIMIT";
        let _alone = ALONE.lock();
        let Some(megabytes) = std::env::var(LIMIT).ok().and_then(|text| text.parse::<u64>().ok())
        else {
            for megabytes in ["8", "20", "50", "120", "300"] {
                let mut child = Command::new(std::env::current_exe().unwrap());
                child.args([
                    "--exact",
                    "limited::a_limited_process_ends_no_earlier",
                    "--nocapture",
                ]);
                let output = child.env(LIMIT, megabytes).output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{megabytes} MB more: {said}");
            }
            return;
        };
        Device::cpu().scope(|| {
            for case in cases() {
                Device::cpu().release_memory();
                eprintln!("{} with {megabytes} MB more", case.name);
                limit(Some(megabytes << 20));
                let result = (case.run)();
                limit(None);
                if let Err(error) = result {
                    assert!(error.is_out_of_memory(), "{}: {error:?}", case.name);
                }
                // The arrays are as they were, and so is the operation.
                (case.run)().unwrap_or_else(|error| panic!("{}: {error}", case.name));
            }
        });
    }
}
