//! Every kernel compiles for several architectures, and the emulator runs those of sorting on small
//! rows. The launches themselves are tested on a GPU, by the integration tests.

use super::kernels::{Gives, part, sort_definitions, source, words};
use crate::backend::cuda::compile::{Arch, CompileOptions, compile_to_cubin, nvrtc_is_here};
use crate::backend::cuda::emulator::{available, run};
use crate::dtype::DType;
use crate::library::sort::Encoding;

fn compiles(definitions: &str, parts: &[&str]) {
    let source = source(definitions, parts);
    for arch in [Arch::new(7, 5), Arch::new(9, 0)] {
        compile_to_cubin(&source, arch, &CompileOptions::default()).unwrap();
    }
}

#[test]
fn the_kernels_compile() {
    if !nvrtc_is_here() {
        return;
    }
    for (key, gives) in [(1, Gives::Positions), (4, Gives::Keys), (8, Gives::Both)] {
        let definitions = sort_definitions(key, gives, if key == 8 { 8 } else { 4 });
        let pass = format!("#define LZ_SORT_THREADS 256\n#define LZ_SORT_ITEMS 11\n{}", part::PASS);
        for text in [part::COUNT, part::PLAN, &pass] {
            compiles(&definitions, &[part::COMMON, part::RADIX, text]);
        }
        if gives != Gives::Both {
            compiles(&definitions, &[part::COMMON, part::ROWS]);
        }
    }
    compiles(&sort_definitions(1, Gives::Keys, 8), &[part::COMMON, part::NONZERO]);
    let ranks = sort_definitions(1, Gives::Keys, 8) + "#define LZ_RANKS\n";
    compiles(&ranks, &[part::COMMON, part::NONZERO]);
    let top = sort_definitions(4, Gives::Positions, 4) + "#define LZ_SORT_GIVEN\n";
    compiles(&top, &[part::COMMON, part::TOP]);
    compiles(&top, &[part::COMMON, part::ROWS]);
    compiles("", &[part::FIRST]);
    compiles("", &[part::CHECK]);
    for (element, combine, place) in
        [("lz_f16", "lz_add(a, b)", "lz_u32"), ("lz_c64", "lz_multiply(a, b)", "lz_u64")]
    {
        let definitions = format!(
            "#define LZ_ELEMENT {element}\n#define LZ_COMBINE(a, b) {combine}\n\
             #define LZ_SORT_KEY {place}\n"
        );
        compiles(&definitions, &[part::SCATTER]);
    }
    let definitions = "#define LZ_ELEMENT lz_i64\n#define LZ_COMBINE(a, b) lz_add(a, b)\n\
        #define LZ_SORT_KEY lz_u32\n\
        #define LZ_ATOMIC(place, x) atomicAdd((lz_u64*)(place), lz_u64(x))\n";
    compiles(definitions, &[part::SCATTER, part::ATOMIC]);
}

/// Few different keys, so that many are equal.
fn keys(n: usize) -> Vec<u32> {
    (0..n as u64)
        .map(|k| (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32 % 700 * 77_777)
        .collect()
}

/// The positions that sort each row.
fn expected(keys: &[u32], len: usize) -> Vec<i64> {
    let row = |row: &[u32]| {
        let mut order: Vec<i64> = (0..row.len() as i64).collect();
        order.sort_by_key(|&k| row[k as usize]);
        order
    };
    keys.chunks(len).flat_map(row).collect()
}

fn emulate(
    definitions: &str,
    parts: &[&str],
    entry: &str,
    grid: [usize; 2],
    block: usize,
    mut args: Vec<u8>,
) {
    let grid = [grid[0] as u32, grid[1] as u32, 1];
    let shared = 2 * block * 8;
    run(&source(definitions, parts), entry, grid, [block as u32, 1, 1], shared, &mut args).unwrap();
}

#[test]
fn short_rows_on_the_emulator() {
    if !available() {
        return;
    }
    let definitions = sort_definitions(4, Gives::Positions, 4);
    let encoding = Encoding::of(DType::U32, false, true);
    for (rows, len) in [(5, 1), (300, 3), (9, 100), (2, 700)] {
        let keys = keys(rows * len);
        let mut out = vec![-1i64; rows * len];
        let padded = len.next_power_of_two().max(2);
        let elements = padded.max(512);
        let numbers = [len, rows, padded.trailing_zeros() as usize, len, 0].map(|n| n as u64);
        let addresses = [keys.as_ptr() as u64, out.as_mut_ptr() as u64];
        let args = words(&[&addresses[..], &numbers].concat(), Some(&encoding));
        let blocks = rows.div_ceil(elements / padded);
        let parts = [part::COMMON, part::ROWS];
        emulate(&definitions, &parts, "lz_sort_rows", [blocks, 1], elements / 2, args);
        assert_eq!(out, expected(&keys, len), "{rows} rows of {len}");
    }
}

#[test]
fn a_radix_sort_on_the_emulator() {
    if !available() {
        return;
    }
    let definitions = sort_definitions(4, Gives::Positions, 4)
        + "#define LZ_SORT_THREADS 256\n#define LZ_SORT_ITEMS 3\n";
    let encoding = Encoding::of(DType::U32, false, true);
    for (rows, len) in [(1, 2000), (3, 769), (2, 5)] {
        let keys = keys(rows * len);
        let (tiles, passes) = (len.div_ceil(768), 4);
        let mut out = vec![-1i64; rows * len];
        let (mut a, mut b) = (vec![0u32; rows * len], vec![0u32; rows * len]);
        let (mut c, mut d) = (a.clone(), b.clone());
        let mut bins = vec![0u32; passes * rows * 256];
        let mut small = [0u32; 16];
        let mut status = vec![0u32; passes * rows * tiles * 256];
        let addresses = [
            keys.as_ptr() as u64,
            a.as_mut_ptr() as u64,
            b.as_mut_ptr() as u64,
            c.as_mut_ptr() as u64,
            d.as_mut_ptr() as u64,
            out.as_mut_ptr() as u64,
            bins.as_mut_ptr() as u64,
            small.as_mut_ptr() as u64,
            small[8..].as_mut_ptr() as u64,
            status.as_mut_ptr() as u64,
        ];
        let argument = |pass: usize| {
            let numbers = [len, rows, tiles, passes, pass].map(|n| n as u64);
            words(&[&addresses[..], &numbers].concat(), Some(&encoding))
        };
        let head = [part::COMMON, part::RADIX];
        let with = |text| [&head[..], &[text]].concat();
        emulate(&definitions, &with(part::COUNT), "lz_sort_count", [2, rows], 256, argument(0));
        emulate(&definitions, &with(part::PLAN), "lz_sort_plan", [rows, passes], 256, argument(0));
        for pass in 0..passes {
            let grid = [rows * tiles, 1];
            emulate(&definitions, &with(part::PASS), "lz_sort_pass", grid, 256, argument(pass));
        }
        assert_eq!(out, expected(&keys, len), "{rows} rows of {len}");
    }
}
