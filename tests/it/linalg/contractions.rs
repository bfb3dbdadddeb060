//! Products of vectors and tensors, and Einstein sums.

use super::files::{every_kind, stored};
use crate::support::load::json;
use lazuli::linalg::{einsum, multi_dot, try_einsum};
use lazuli::prelude::*;

every_kind!(products_of_tensors);

mod checks {
    use super::super::files::{Kind, case, close};

    pub fn products_of_tensors<T: Kind>() {
        let tolerance = T::TOLERANCE;
        let (a, b) = (case::<T>("dot.a"), case::<T>("dot.b"));
        close("dot", &a.dot(&b), &case("dot.x"), tolerance);
        let last = b.slice(ndarray::s![.., .., 0]);
        close("inner", &a.inner(&last), &case("dot.inner"), tolerance);
        close("tensordot", &a.tensordot(&b, &[-1], &[1]), &case("tensordot.x"), tolerance);
        let t = case::<T>("tensordot2.b");
        close("tensordot", &a.tensordot(&t, &[1, 2], &[0, 1]), &case("tensordot2.x"), tolerance);
        let (x, y) = (case::<T>("vecdot.a"), case::<T>("vecdot.b"));
        close("vecdot", &x.vecdot(&y), &case("vecdot.x"), tolerance);
        let kron = case::<T>("kron.a").kron(&case("kron.b"));
        close("kron", &kron, &case("kron.x"), tolerance);
        let batch = case::<T>("batch.a");
        close("trace", &batch.trace(1), &case::<T>("trace.x").cast(), tolerance);
        close("power", &batch.matrix_power(5), &case("power.x"), tolerance * 10.0);
        let ones = lazuli::DeviceArray::<T>::eye(4).broadcast_to([2, 3, 4, 4]);
        close("no power", &batch.matrix_power(0), &ones, 0.0);
    }
}

#[test]
fn sums_in_einsteins_notation() {
    for (k, entry) in json("linalg.json").as_array().unwrap().iter().enumerate() {
        let notation = entry["notation"].as_str().unwrap();
        let count = entry["operands"].as_u64().unwrap();
        let operands: Vec<DeviceArray<f64>> =
            (0..count).map(|i| stored(&format!("einsum{k}.{i}"))).collect();
        let operands: Vec<&DeviceArray<f64>> = operands.iter().collect();
        let want = stored::<f64>(&format!("einsum{k}.out"));
        super::files::close(notation, &einsum(notation, &operands), &want, 1e-12);
        // Whole numbers give whole numbers, exactly.
        let whole: Vec<DeviceArray<i64>> =
            operands.iter().map(|a| (*a * 4.0).round().cast()).collect();
        let exact: Vec<DeviceArray<f64>> = whole.iter().map(|a| a.cast()).collect();
        let whole = einsum(notation, &whole.iter().collect::<Vec<_>>()).cast::<f64>();
        let exact = einsum(notation, &exact.iter().collect::<Vec<_>>());
        super::files::close(notation, &whole, &exact, 1e-13);
    }
}

#[test]
fn contractions_are_library_calls_or_one_kernel() {
    let (a, b) = (DeviceArray::<f32>::ones([4, 5]), DeviceArray::<f32>::ones([5, 6]));
    eval(&[&a, &b]).unwrap();
    let plan = explain(&[&einsum("ij,jk->ik", &[&a, &b])]);
    assert_eq!((plan.library_calls(), plan.kernels()), (1, 0), "{plan}");
    let plan = explain(&[&einsum("ij,jk->ki", &[&a, &b])]);
    assert_eq!(plan.library_calls(), 1, "{plan}");
    let plan = explain(&[&einsum("ji,kj->ik", &[&b, &a.t().t()])]);
    assert_eq!((plan.library_calls(), plan.kernels()), (1, 0), "{plan}");
    let plan = explain(&[&(einsum("ij,ij->i", &[&a, &a]) + 1.0)]);
    assert_eq!((plan.library_calls(), plan.kernels()), (0, 1), "{plan}");
    // The axes of heads lie between those of the matrices: read by strides, nothing is copied.
    let (q, k) = (DeviceArray::<f32>::ones([2, 7, 3, 4]), DeviceArray::<f32>::ones([2, 6, 3, 4]));
    eval(&[&q, &k]).unwrap();
    let plan = explain(&[&einsum("bqhd,bkhd->bhqk", &[&q, &k])]);
    assert_eq!((plan.library_calls(), plan.kernels()), (1, 0), "{plan}");
}

#[test]
fn what_einsum_refuses() {
    let a = DeviceArray::<f64>::ones([3, 4]);
    let message = |notation: &str, operands: &[&DeviceArray<f64>]| {
        let error = try_einsum(notation, operands).unwrap_err();
        assert!(error.is_shape());
        error.to_string()
    };
    let wrong = message("ij,jk->ik", &[&a, &a]);
    assert!(wrong.starts_with("einsum: \"ij,jk->ik\": the axis 'j' is"), "{wrong}");
    assert!(message("ij->ik", &[&a]).contains("is in no operand"));
    assert!(message("ij,jk->ik", &[&a]).contains("2 operands are named, 1 given"));
    assert!(message("i", &[&a]).contains("has 2 axes"));
    assert!(message("", &[]).contains("operands"));
    assert!(message("i*->i", &[&a]).contains("not a letter"));
    // A length of 1 broadcasts.
    let row = DeviceArray::<f64>::ones([1, 4]);
    assert_eq!(einsum("ij,ij->ij", &[&a, &row]).shape(), [3, 4]);
    assert_eq!(einsum("ij->i", &[&DeviceArray::<f64>::zeros([3, 0])]).to_vec().unwrap(), [0.0; 3]);
}

#[test]
fn chains_of_matrices() {
    let a = DeviceArray::<f64>::linspace(0.0, 1.0, 60).reshape([10, 6]);
    let (b, c) = (a.t(), a.slice(s![..3, ..]).t());
    let direct = a.matmul(&b.matmul(&a)).matmul(&c);
    super::files::close("multi_dot", &multi_dot(&[&a, &b, &a, &c]), &direct, 1e-12);
    let (x, y) = (a.slice(s![.., 0]), a.slice(s![0]));
    let scalar = multi_dot(&[&x, &a, &y]);
    assert_eq!(scalar.shape(), [0usize; 0]);
    super::files::close("a scalar", &scalar, &x.matmul(&a).matmul(&y), 1e-12);
    assert!(lazuli::linalg::try_multi_dot::<f64>(&[]).unwrap_err().is_shape());
    assert!(lazuli::linalg::try_multi_dot(&[&a, &y, &b]).unwrap_err().is_shape());
}

#[test]
fn whole_numbers_and_halves() {
    let a = DeviceArray::from_vec([2, 2], vec![100i8, 1, 2, 3]).unwrap();
    // Wraps at eight bits, as NumPy's.
    assert_eq!(a.dot(&a).to_vec().unwrap(), [18, 103, -50, 11]);
    assert_eq!(a.trace(0).item().unwrap(), 103i64);
    let h = DeviceArray::<f16>::ones(4096);
    // Summed in singles: halves would stop at 2048.
    assert_eq!(h.dot(&h).item().unwrap(), f16::from_f64(4096.0));
    assert_eq!(DeviceArray::from(3).dot(&DeviceArray::from(4)).item().unwrap(), 12);
    assert!(a.try_dot(&DeviceArray::<i8>::ones(3)).unwrap_err().is_shape());
    let b = DeviceArray::<i8>::ones([2, 2, 2]);
    assert!(a.try_tensordot(&b, &[0, 0], &[0, 1]).unwrap_err().is_shape());
    assert!(a.try_tensordot(&b, &[0], &[0, 1]).unwrap_err().is_shape());
    assert!(a.try_tensordot(&b, &[2], &[0]).unwrap_err().is_shape());
}

#[test]
fn rows_of_a_batch_and_stored_matrices_times_vectors_are_library_calls() {
    crate::support::on_each_device(|device| {
        let from = |shape: &[usize], k: i64| {
            let n = shape.iter().product::<usize>() as i64;
            let a = (DeviceArray::<i64>::arange_to(n) * k).remainder(17).cast::<f64>() - 8.0;
            a.reshape(shape)
        };
        let (rows, b) = (from(&[6, 5, 1, 40], 7), from(&[40, 30], 5));
        let product = rows.matmul(&b);
        let plan = explain(&[&product]);
        assert_eq!(plan.library_calls(), 1, "{plan}");
        let want = rows.reshape([30, 40]).matmul(&b).reshape([6, 5, 1, 30]);
        assert_eq!(product.to_vec().unwrap(), want.to_vec().unwrap());
        // Another matrix for each row, and few rows.
        let many = from(&[6, 5, 40, 30], 11);
        let each = rows.matmul(&many);
        let want = (rows.reshape([6, 5, 40, 1]) * &many).sum(2).reshape([6, 5, 1, 30]);
        assert_eq!(each.to_vec().unwrap(), want.to_vec().unwrap());

        let (a, v, u) = (from(&[120, 100], 3), from(&[100], 5), from(&[120], 7));
        let lazy = [a.matmul(&v), u.matmul(&a), a.t().matmul(&u)];
        let plan = explain(&[&lazy[0]]);
        assert_eq!((plan.library_calls(), plan.kernels()), (0, 1), "{plan}");
        let want: Vec<Vec<f64>> = lazy.iter().map(|a| a.to_vec().unwrap()).collect();
        eval(&[&a, &v, &u]).unwrap();
        let stored = [a.matmul(&v), u.matmul(&a), a.t().matmul(&u)];
        for (stored, want) in stored.iter().zip(want) {
            let plan = explain(&[stored]);
            let calls = if device == Device::cpu() { (1, 0) } else { (0, 1) };
            assert_eq!((plan.library_calls(), plan.kernels()), calls, "{plan}");
            assert_eq!(stored.to_vec().unwrap(), want);
        }
        // Parts of matrices, every second row or column among them.
        let part = a.slice(s![10.., ..90]);
        let want = (&part * v.slice(s![..90])).sum(1);
        assert_eq!(part.matmul(&v.slice(s![..90])).to_vec().unwrap(), want.to_vec().unwrap());
        let (big, w) = (from(&[240, 200], 3), from(&[100], 5));
        eval(&[&big, &w]).unwrap();
        let part = big.slice(s![..;2, ..;2]);
        let want = (&part * &w).sum(1);
        assert_eq!(part.matmul(&w).to_vec().unwrap(), want.to_vec().unwrap());
        let stacked = big.reshape([2, 120, 200]).matmul(&from(&[200], 9));
        let want = big.matmul(&from(&[200], 9)).reshape([2, 120]);
        assert_eq!(stacked.to_vec().unwrap(), want.to_vec().unwrap());
    });
}
