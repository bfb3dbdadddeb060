//! The emulator itself, on kernels written by hand.

use super::emulator::{available, run};
use super::prelude::with_prelude;

/// Bytes of a structure of pointers and 64-bit integers.
fn arguments(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

const BLOCK_SUM: &str = r#"
struct Args { const double* x; double* partial; double* out; unsigned* counter; lz_i64 n; };

LZ_FN double block_sum(double a, double* warps) {
    for (int by = 16; by > 0; by >>= 1) a = lz_add(a, lz_shuffle_xor(a, by));
    if (lz_lane() == 0) warps[lz_warp()] = a;
    __syncthreads();
    a = threadIdx.x < (blockDim.x + 31) / 32 ? warps[threadIdx.x] : 0.0;
    for (int by = 16; by > 0; by >>= 1) a = lz_add(a, lz_shuffle_down(a, by));
    return a;
}

extern "C" __global__ void total(Args p) {
    LZ_DYNAMIC_SHARED(bytes);
    double* warps = (double*)bytes;
    double a = 0.0;
    for (lz_i64 i = blockIdx.x * lz_i64(blockDim.x) + threadIdx.x; i < p.n; i += lz_i64(blockDim.x) * gridDim.x)
        a += p.x[i];
    a = block_sum(a, warps);
    if (threadIdx.x == 0) p.partial[blockIdx.x] = a;
    if (!lz_last_block(p.counter, gridDim.x)) return;
    a = 0.0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) a += p.partial[i];
    a = block_sum(a, warps);
    if (threadIdx.x == 0) *p.out = a;
}
"#;

#[test]
fn a_sum_over_blocks_meets_at_barriers_shuffles_and_the_last_block() {
    if !available() {
        return;
    }
    let source = with_prelude(BLOCK_SUM);
    for (n, blocks, threads) in [(10_000u64, 7u32, 256u32), (5, 3, 64), (1, 1, 32), (0, 2, 1024)] {
        let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let (mut partial, mut out, mut counter) = (vec![f64::NAN; 7], [f64::NAN], [0u32]);
        let mut args = arguments(&[
            x.as_ptr() as u64,
            partial.as_mut_ptr() as u64,
            out.as_mut_ptr() as u64,
            counter.as_mut_ptr() as u64,
            n,
        ]);
        run(&source, "total", [blocks, 1, 1], [threads, 1, 1], 32 * 8, &mut args).unwrap();
        assert_eq!(out[0], (n * n.saturating_sub(1) / 2) as f64);
        assert_eq!(counter[0], 0, "the last block leaves the counter as it was");
    }
}

#[test]
fn indices_cover_the_grid_once() {
    if !available() {
        return;
    }
    let source = with_prelude(
        r#"
struct Args { unsigned* seen; };
extern "C" __global__ void mark(Args p) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    unsigned width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
    p.seen[x + width * (y + height * z)] += 1;
}
"#,
    );
    let mut seen = vec![0u32; 2 * 3 * 2 * 4 * 5 * 3];
    let mut args = arguments(&[seen.as_mut_ptr() as u64]);
    run(&source, "mark", [2, 3, 2], [4, 5, 3], 0, &mut args).unwrap();
    assert!(seen.iter().all(|&count| count == 1));
}

#[test]
fn shuffles_of_every_size_and_votes() {
    if !available() {
        return;
    }
    let source = with_prelude(
        r#"
struct Args { lz_c128* wide; unsigned char* narrow; unsigned* votes; };
extern "C" __global__ void lanes(Args p) {
    int lane = threadIdx.x;
    lz_c128 z = {double(lane), -double(lane)};
    p.wide[lane] = lz_shuffle_up(z, 3);
    p.narrow[lane] = lz_shuffle((unsigned char)(lane * 7), 5, 8);
    p.votes[lane] = __ballot_sync(LZ_ALL_LANES, lane % 3 == 0);
    p.votes[lane] += __syncthreads_count(lane % 2);
}
"#,
    );
    // Two doubles a value, aligned as the device aligns a complex number.
    #[repr(align(16))]
    struct Wide([[f64; 2]; 32]);
    let mut wide = Wide([[0.0; 2]; 32]);
    let (mut narrow, mut votes) = ([0u8; 32], [0u32; 32]);
    let mut args = arguments(&[
        wide.0.as_mut_ptr() as u64,
        narrow.as_mut_ptr() as u64,
        votes.as_mut_ptr() as u64,
    ]);
    run(&source, "lanes", [1, 1, 1], [32, 1, 1], 0, &mut args).unwrap();
    for lane in 0..32usize {
        let from = if lane < 3 { lane } else { lane - 3 };
        assert_eq!(wide.0[lane], [from as f64, -(from as f64)]);
        assert_eq!(usize::from(narrow[lane]), (lane / 8 * 8 + 5) * 7 % 256);
        let every_third = (0..32).step_by(3).fold(0u32, |votes, lane| votes | 1 << lane);
        assert_eq!(votes[lane], every_third.wrapping_add(16));
    }
}

#[test]
fn a_missing_barrier_shows_and_a_divergent_one_is_reported() {
    if !available() {
        return;
    }
    let without = with_prelude(
        r#"
struct Args { int* out; };
extern "C" __global__ void k(Args p) {
    __shared__ int row[64];
    row[threadIdx.x] = threadIdx.x + 100 * blockIdx.x;
    p.out[blockIdx.x * 64 + threadIdx.x] = row[63 - threadIdx.x];
}
"#,
    );
    let with = without.replace("blockIdx.x;\n", "blockIdx.x;\n    __syncthreads();\n");
    let expected: Vec<i32> =
        (0..2).flat_map(|block| (0..64).rev().map(move |i| i + 100 * block)).collect();
    for (source, right) in [(with, true), (without, false)] {
        let mut out = vec![-1i32; 128];
        let mut args = arguments(&[out.as_mut_ptr() as u64]);
        run(&source, "k", [2, 1, 1], [64, 1, 1], 0, &mut args).unwrap();
        assert_eq!(out == expected, right);
    }
    let divergent = with_prelude(
        r#"
struct Args { int* out; };
extern "C" __global__ void k(Args p) {
    if (threadIdx.x < 48) __syncthreads(); else __syncwarp();
    *p.out = 1;
}
"#,
    );
    let mut args = arguments(&[0]);
    let error = run(&divergent, "k", [1, 1, 1], [64, 1, 1], 0, &mut args).unwrap_err();
    assert!(error.contains("different barriers"), "{error}");
}

#[test]
fn what_does_not_compile_or_fit_is_an_error() {
    if !available() {
        return;
    }
    let error = run("no such thing", "k", [1; 3], [1; 3], 0, &mut []).unwrap_err();
    assert!(error.contains("could not compile"), "{error}");
    let source = with_prelude("struct Args { int* p; }; extern \"C\" __global__ void k(Args) {}");
    let error = run(&source, "k", [1; 3], [1; 3], 0, &mut [0; 4]).unwrap_err();
    assert!(error.contains("the argument has 4 bytes"), "{error}");
    let error = run(&source, "k", [1; 3], [1025, 1, 1], 0, &mut [0; 8]).unwrap_err();
    assert!(error.contains("1025 threads"), "{error}");
}
