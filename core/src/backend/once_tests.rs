use super::{Arithmetic, Device, each_once};
use crate::dtype::DType;
use crate::error::Error;
use crate::kernel::AxisKind::Parallel;
use crate::kernel::Kernel;
use crate::kernel::builder::{Builder, affine};
use std::sync::Arc;

fn copy(n: usize) -> Kernel {
    let mut b = Builder::new(&[(Parallel, n)]);
    let x = b.input(DType::F32, n);
    let x = b.load(x, affine(&[(0, 1)], 0));
    b.store(x, affine(&[(0, 1)], 0), n);
    b.kernel
}

#[test]
fn equal_kernels_are_made_ready_once() {
    let (a, b, c) = (copy(5), copy(6), copy(5));
    let backend = Device::cpu().backend();
    let compiled = backend.compile_all(&[&a, &b, &c, &b], Arithmetic::default()).unwrap();
    let same = |i: usize, j: usize| Arc::ptr_eq(&compiled[i].executable, &compiled[j].executable);
    assert!(same(0, 2) && same(1, 3) && !same(0, 1));
    assert!(each_once(&[], |none| Ok(none.iter().map(|_| unreachable!()).collect())).is_ok());
    let failed = each_once(&[&a, &c], |different| {
        assert_eq!(different.len(), 1);
        Err(Error::compile("so it is"))
    });
    assert!(failed.is_err_and(|e| e.is_compile()));
}
