//! The runtime on a real device. Without one the tests say why they are skipped, and fail where
//! `LAZULI_REQUIRE_GPU=1` asks for one.

use super::compile::CompileOptions;
use super::device::{CudaDevice, list};
use super::launch::LaunchShape;
use super::prelude::with_prelude;
use crate::backend::Origin;
use crate::error::Result;

/// The first device, where there is one.
pub fn gpu() -> Option<&'static CudaDevice> {
    match CudaDevice::get(0) {
        Ok(device) => Some(device),
        Err(why) if std::env::var("LAZULI_REQUIRE_GPU").is_ok_and(|value| value == "1") => {
            panic!("LAZULI_REQUIRE_GPU=1, and there is no GPU: {why}")
        }
        Err(why) => {
            eprintln!("skipped: {why}");
            None
        }
    }
}

/// Compiles and launches a kernel with one structure as its parameter.
pub fn run_on(
    device: &'static CudaDevice,
    source: &str,
    entry: &str,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    args: &[u8],
) -> Result<()> {
    // As in the emulator, nothing contracts on its own.
    let options = CompileOptions { fmad: false, ..CompileOptions::default() };
    let (function, _) = device.function(source, entry, &options)?;
    // SAFETY: the tests pass what their kernels take, and wait before they drop it.
    unsafe { function.launch(&LaunchShape { grid, block, shared }, args) }
}

/// Bytes that differ from place to place.
fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + i / 251 + seed) as u8).collect()
}

#[test]
fn a_device_says_what_it_is() {
    let Some(device) = gpu() else { return };
    let info = device.info();
    assert!(!info.name.is_empty() && info.arch.major >= 7 && info.multiprocessors > 0);
    assert!(info.total_memory > 1 << 28 && info.shared_memory_per_block >= 48 << 10);
    assert!(info.l2_bytes > 0 && info.driver_version >= (12, 0) && info.nvrtc_version.is_some());
    let listed = list().unwrap();
    assert_eq!(listed[0].name, info.name);
    assert!(CudaDevice::get(listed.len()).unwrap_err().is_device());
}

#[test]
fn copies_of_all_sizes_come_back() {
    let Some(device) = gpu() else { return };
    let around = |n: usize| [n - 1, n, n + 1];
    let sizes = [0usize, 1, 3, 1000]
        .into_iter()
        .chain(around(64 << 10))
        .chain(around(128 << 10))
        .chain(around(1 << 20))
        .chain(around(2 << 20))
        .chain(around(33 << 20))
        .chain([200 << 20]);
    for (seed, bytes) in sizes.enumerate() {
        let source = pattern(bytes, seed);
        let buffer = device.allocate(bytes).unwrap();
        device.copy_to_device(&source, &buffer, 0).unwrap();
        let mut back = vec![0u8; bytes];
        device.copy_to_host(&buffer, 0, &mut back).unwrap();
        assert!(source == back, "{bytes} bytes");
        if bytes > 10 {
            let other = device.allocate(bytes).unwrap();
            device.fill(&other, 9).unwrap();
            device.copy_to_device(&source[3..bytes - 5], &other, 5).unwrap();
            device.copy_to_host(&other, 0, &mut back).unwrap();
            assert!(back[..5] == [9; 5] && back[bytes - 3..] == [9; 3]);
            assert!(back[5..bytes - 3] == source[3..bytes - 5]);
        }
    }
}

#[test]
fn many_small_uploads_in_a_row_keep_their_contents() {
    let Some(device) = gpu() else { return };
    let buffer = device.allocate(1000 * 64).unwrap();
    for i in 0..1000usize {
        // The source is gone as soon as the call returns.
        device.copy_to_device(&[i as u8; 64], &buffer, i * 64).unwrap();
    }
    let mut back = vec![0u8; 1000 * 64];
    device.copy_to_host(&buffer, 0, &mut back).unwrap();
    assert!(back.iter().enumerate().all(|(at, &byte)| byte == (at / 64) as u8));
}

#[test]
fn threads_copy_at_once_also_from_inside_the_pool() {
    use rayon::prelude::*;
    let Some(device) = gpu() else { return };
    (0..32usize).into_par_iter().for_each(|i| {
        let source = pattern(3_000_000 + i * 1000, i);
        let buffer = device.allocate(source.len()).unwrap();
        device.copy_to_device(&source, &buffer, 0).unwrap();
        let mut back = vec![0u8; source.len()];
        device.copy_to_host(&buffer, 0, &mut back).unwrap();
        assert!(source == back);
    });
}

#[test]
fn memory_is_reused_and_bounded() {
    let Some(device) = gpu() else { return };
    drop(device.allocate(12_345).unwrap());
    let first = device.allocate(12_345).unwrap();
    let before = device.memory_stats().driver_allocations;
    let address = first.address();
    drop(first);
    for _ in 0..1000 {
        drop(device.allocate(12_345).unwrap());
    }
    assert!(address != 0);
    // Other tests allocate at the same time, but not by the thousand.
    assert!(device.memory_stats().driver_allocations < before + 500);
}

#[test]
fn too_much_memory_is_an_error_and_the_device_works_on() {
    let Some(device) = gpu() else { return };
    let total = device.info().total_memory;
    for bytes in [total * 2, 1 << 60, usize::MAX] {
        let error = device.allocate(bytes).map(drop).unwrap_err();
        assert!(error.is_out_of_memory(), "{error}");
        assert!(error.to_string().contains(&bytes.to_string()), "{error}");
    }
    let buffer = device.allocate(1 << 20).unwrap();
    device.fill(&buffer, 1).unwrap();
    device.synchronize().unwrap();
}

#[test]
fn a_kernel_runs_and_is_found_again() {
    let Some(device) = gpu() else { return };
    let unique = std::process::id();
    let source = with_prelude(&format!(
        "struct Args {{ float* x; float by; }};\n\
         extern \"C\" __global__ void scale_{unique}(Args p) {{ p.x[threadIdx.x] *= p.by; }}\n"
    ));
    let options = CompileOptions::default();
    let entry = format!("scale_{unique}");
    let (function, origin) = device.function(&source, &entry, &options).unwrap();
    assert_eq!(origin, Origin::Compiled);
    assert_eq!(device.function(&source, &entry, &options).unwrap().1, Origin::Memory);
    assert!(function.resources().unwrap().registers > 0);
    assert!(function.blocks_per_multiprocessor(128, 0).unwrap() >= 1);

    let x: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let bytes: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
    let buffer = device.allocate(bytes.len()).unwrap();
    device.copy_to_device(&bytes, &buffer, 0).unwrap();
    let mut args = buffer.address().to_le_bytes().to_vec();
    args.extend(2.5f32.to_le_bytes());
    args.extend([0; 4]);
    let shape = LaunchShape { grid: [1, 1, 1], block: [64, 1, 1], shared: 0 };
    // SAFETY: the argument is the kernel's structure, and the buffer lives on.
    unsafe { function.launch(&shape, &args) }.unwrap();
    let nothing = LaunchShape { grid: [0, 1, 1], ..shape };
    // SAFETY: as above; an empty grid launches nothing.
    unsafe { function.launch(&nothing, &args) }.unwrap();
    let mut back = vec![0u8; bytes.len()];
    device.copy_to_host(&buffer, 0, &mut back).unwrap();
    for (chunk, x) in back.chunks_exact(4).zip(x) {
        assert_eq!(f32::from_le_bytes(chunk.try_into().unwrap()), x * 2.5);
    }
}

#[test]
fn a_launch_that_does_not_fit_is_an_error() {
    let Some(device) = gpu() else { return };
    let source = "extern \"C\" __global__ void nothing(unsigned long long p) {}";
    let (function, _) = device.function(source, "nothing", &CompileOptions::default()).unwrap();
    let args = [0u8; 8];
    for (block, shared) in [([2048, 1, 1], 0), ([32, 1, 1], 1 << 24)] {
        let shape = LaunchShape { grid: [1, 1, 1], block, shared };
        // SAFETY: the kernel reads nothing.
        let error = unsafe { function.launch(&shape, &args) }.unwrap_err();
        assert!(error.is_device() && error.to_string().contains("nothing"), "{error}");
    }
    assert!(device.function(source, "absent", &CompileOptions::default()).is_err());
    device.synchronize().unwrap();
}

#[test]
fn all_of_the_shared_memory_can_be_asked_for() {
    let Some(device) = gpu() else { return };
    let source = with_prelude(
        "struct Args { int* out; int n; };\n\
         extern \"C\" __global__ void reverse(Args p) {\n    LZ_DYNAMIC_SHARED(bytes);\n    \
         int* row = (int*)bytes;\n    \
         for (int i = threadIdx.x; i < p.n; i += blockDim.x) row[i] = i;\n    __syncthreads();\n    \
         for (int i = threadIdx.x; i < p.n; i += blockDim.x) p.out[i] = row[p.n - 1 - i];\n}\n",
    );
    let shared = device.info().shared_memory_per_block;
    let n = shared / 4;
    let out = device.allocate(n * 4).unwrap();
    let mut args = out.address().to_le_bytes().to_vec();
    args.extend((n as u64).to_le_bytes());
    run_on(device, &source, "reverse", [1; 3], [256, 1, 1], shared as u32, &args).unwrap();
    let mut back = vec![0u8; n * 4];
    device.copy_to_host(&out, 0, &mut back).unwrap();
    for (i, chunk) in back.chunks_exact(4).enumerate() {
        assert_eq!(i32::from_le_bytes(chunk.try_into().unwrap()), (n - 1 - i) as i32);
    }
}

#[test]
fn the_last_block_sees_the_others_and_leaves_the_counter_at_zero() {
    let Some(device) = gpu() else { return };
    let source = with_prelude(
        "struct Args { lz_u64* partial; lz_u64* out; unsigned* counter; };\n\
         extern \"C\" __global__ void last(Args p) {\n    \
         if (threadIdx.x == 0) p.partial[blockIdx.x] = blockIdx.x;\n    \
         if (!lz_last_block(p.counter, gridDim.x) || threadIdx.x != 0) return;\n    \
         lz_u64 sum = 0;\n    for (unsigned i = 0; i < gridDim.x; ++i) sum += p.partial[i];\n    \
         *p.out += sum;\n}\n",
    );
    let blocks = 3000u64;
    let partial = device.allocate(blocks as usize * 8).unwrap();
    let out = device.allocate(8).unwrap();
    device.fill(&out, 0).unwrap();
    let counter = device.counters(1).unwrap();
    let words = [partial.address(), out.address(), counter];
    let args: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for _ in 0..20 {
        run_on(device, &source, "last", [blocks as u32, 1, 1], [64, 1, 1], 0, &args).unwrap();
    }
    let mut back = [0u8; 8];
    device.copy_to_host(&out, 0, &mut back).unwrap();
    assert_eq!(u64::from_le_bytes(back), 20 * blocks * (blocks - 1) / 2);
    assert_eq!(device.counters(16).unwrap(), counter, "the same counters are handed out");
}

/// Seconds of the fastest of several runs.
fn fastest(times: usize, mut run: impl FnMut()) -> f64 {
    let one = |_| {
        let start = std::time::Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..times).map(one).fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "a measurement, not a check"]
fn measure_the_runtime() {
    let Some(device) = gpu() else { return };
    for bytes in [4usize << 10, 64 << 10, 1 << 20, 8 << 20, 64 << 20, 512 << 20] {
        let buffer = device.allocate(bytes).unwrap();
        let source = vec![1u8; bytes];
        let up = fastest(6, || {
            device.copy_to_device(&source, &buffer, 0).unwrap();
            device.synchronize().unwrap();
        });
        let mut target = vec![1u8; bytes];
        let down = fastest(6, || device.copy_to_host(&buffer, 0, &mut target).unwrap());
        let fresh = fastest(6, || {
            let mut target = vec![0u8; bytes];
            device.copy_to_host(&buffer, 0, &mut target).unwrap();
        });
        let rate = |seconds: f64| bytes as f64 / seconds * 1e-9;
        println!(
            "{bytes:>10} bytes: up {:.1} GB/s ({:.1} us), down {:.1} ({:.1} us), into fresh memory {:.1}",
            rate(up),
            up * 1e6,
            rate(down),
            down * 1e6,
            rate(fresh)
        );
    }
    let source = "extern \"C\" __global__ void empty(unsigned long long p) {}";
    let options = CompileOptions::default();
    let (function, _) = device.function(source, "empty", &options).unwrap();
    let shape = LaunchShape { grid: [1; 3], block: [32, 1, 1], shared: 0 };
    let each = |name: &str, run: &dyn Fn()| {
        let seconds = fastest(20, || (0..1000).for_each(|_| run()));
        device.synchronize().unwrap();
        println!("{name}: {:.0} ns", seconds * 1e6);
    };
    each("bind", &|| device.bind().unwrap());
    each("allocate and free 8 KiB", &|| drop(device.allocate(8 << 10).unwrap()));
    each("allocate and free 128 MiB", &|| drop(device.allocate(128 << 20).unwrap()));
    // SAFETY: the kernel reads nothing.
    each("launch", &|| unsafe { function.launch(&shape, &[0; 8]) }.unwrap());
    each("counters", &|| {
        device.counters(1).unwrap();
    });
    each("function from memory", &|| drop(device.function(source, "empty", &options).unwrap()));
}
