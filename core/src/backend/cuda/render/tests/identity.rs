//! A new size or a new scalar gives the same source; a new class gives another.

use super::{fixtures as f, source};
use crate::dtype::DType;
use crate::kernel::Kernel;
use crate::table::Reduction;

fn assert_same(name: &str, kernels: &[Kernel]) {
    let first = source(&kernels[0]);
    for kernel in &kernels[1..] {
        assert_eq!(source(kernel), first, "{name}");
    }
}

#[test]
fn sizes_of_a_class_share_their_source() {
    let large = [4_000_000, 5_000_000, 6_000_004];
    assert_same("chain", &large.map(|n| f::chain(n, DType::F32, 0)));
    assert_same("shifted", &[1, 2, 5].map(|o| f::chain(30_001, DType::F32, o)));
    assert_same(
        "table",
        &[(300, 512), (300, 1024), (100, 2048)].map(|(n, m)| f::table(n, m, DType::F64)),
    );
    assert_same("jacobi", &[(2000, 1026), (3000, 2050)].map(|(n, m)| f::jacobi(n, m, DType::F64)));
    let rows = |n, m| f::reduction(n, m, Reduction::Sum, DType::F32, true);
    assert_same("rows", &[rows(1000, 4000), rows(900, 2400), rows(3000, 16384)]);
    assert_same("all", &[rows(1, 400_000), rows(1, 4_000_000)]);
    assert_same("all of many", &[rows(1, 5_000_000), rows(1, 90_000_000)]);
    let columns = |n, m| f::reduction(n, m, Reduction::Sum, DType::F32, false);
    assert_same("columns", &[columns(16384, 16384), columns(9000, 5000)]);
    assert_same("softmax", &[4096, 4000, 3600].map(|m| f::softmax(16384, m, DType::F32, true)));
    assert_same("haversine", &[(8192, 8192), (9000, 7000)].map(|(n, m)| f::haversine(n, m)));
    assert_same("transpose", &[(100, 200), (300, 77)].map(|(n, m)| f::transpose(n, m, DType::F32)));
    assert_same("pairwise", &[32768, 40000].map(|n| f::pairwise(n, n)));
    assert_same("lorenz", &[9600, 9472].map(|m| f::lorenz(4096, m)));
}

#[test]
fn classes_differ() {
    let whole = source(&f::chain(4_000_000, DType::F32, 0));
    assert_ne!(source(&f::chain(4_000_001, DType::F32, 0)), whole);
    assert_ne!(source(&f::chain(4_000_000, DType::F64, 0)), whole);
    let narrow = f::chain(4_000_000, DType::I8, 0);
    let wide = f::chain(3_000_000_000, DType::I8, 0);
    assert!(source(&narrow).contains("32-bit indices"));
    assert!(source(&wide).contains("64-bit indices"));
}
