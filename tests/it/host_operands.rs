//! Arrays of the host as operands, beside arrays of a device and alone.

use crate::support::{on_each_device, panic_message};
use lazuli::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, arr0, arr1, arr2};

#[vectorize]
fn axpy(a: f64, x: f64, y: f64) -> f64 {
    a * x + y
}

#[vectorize]
fn larger<T: Float>(x: T, y: T) -> T {
    if x > y { x } else { y }
}

#[guvectorize("(n,m),(m)->(n)")]
fn times(a: ArrayView2<f64>, x: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            out[i] += a[[i, j]] * x[j];
        }
    }
}

#[reduce(identity = (0.0, 0.0))]
fn both(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1.max(b.1))
}

#[test]
fn operators_take_arrays_of_the_host() {
    on_each_device(|device| {
        let a = DeviceArray::<f64>::linspace(1.0, 3.0, 3);
        let (column, line) = (arr2(&[[10.0], [f64::INFINITY]]), vec![1.0, 2.0, 4.0]);
        let sum = &a + &column;
        assert_eq!((sum.shape(), sum.device()), (&[2, 3][..], device));
        assert_eq!(sum.to_vec().unwrap()[..4], [11.0, 12.0, 13.0, f64::INFINITY]);
        assert_eq!((&a * &line).to_vec().unwrap(), [1.0, 4.0, 12.0]);
        assert_eq!((a.clone() - &line[..]).to_vec().unwrap(), [0.0, 0.0, -1.0]);
        assert_eq!((&a / &[2.0, 4.0, 0.0]).to_vec().unwrap(), [0.5, 0.5, f64::INFINITY]);
        let mut b = a.clone();
        b += &arr0(1.0);
        b *= &arr1(&[3.0, 2.0, 1.0]).slice(s![..;-1]);
        assert_eq!(b.to_vec().unwrap(), [2.0, 6.0, 12.0]);
        let none = &a.slice(s![..0]) + &Array2::<f64>::zeros((4, 0));
        assert_eq!(none.shape(), [4, 0]);
        let transposed = arr2(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).reversed_axes();
        let product = a.insert_axis(1) * &transposed;
        assert_eq!(product.to_vec().unwrap(), [1.0, 4.0, 4.0, 10.0, 9.0, 18.0]);
        let refused = panic_message(|| &a + &arr1(&[1.0, 2.0]));
        assert!(refused.starts_with("add: shapes [3] and [2] cannot be broadcast"), "{refused}");
    });
}

#[test]
fn methods_take_arrays_of_the_host() {
    on_each_device(|_| {
        let mut a = DeviceArray::<f64>::linspace(1.0, 3.0, 3);
        assert_eq!(a.maximum(&vec![2.0; 3]).to_vec().unwrap(), [2.0, 2.0, 3.0]);
        assert!(a.equal(&[1.0, 2.0, 4.0]).to_vec().unwrap() == [true, true, false]);
        let chosen = a.less(2.5).select(&[7.0, 8.0, 9.0], 0.0);
        assert_eq!(chosen.to_vec().unwrap(), [7.0, 8.0, 0.0]);
        assert_eq!(a.clip(&[0.0, 2.5, 0.0], 2.75).to_vec().unwrap(), [1.0, 2.5, 2.75]);
        a.assign(s![1..], &Array1::from_vec(vec![5.0, 6.0]));
        assert_eq!(a.to_vec().unwrap(), [1.0, 5.0, 6.0]);
        a.assign_where(&a.greater(5.5), &[0.0, 0.0, -1.0]);
        a.put([0], &[9.0], 0);
        assert_eq!(a.to_vec().unwrap(), [9.0, 5.0, -1.0]);
        assert!(a.try_add(&[1.0, 2.0]).unwrap_err().is_shape());
    });
}

#[test]
fn functions_take_arrays_of_the_host() {
    on_each_device(|device| {
        let x = DeviceArray::<f64>::linspace(1.0, 3.0, 3);
        let y = arr2(&[[0.5], [-0.5]]);
        let z = axpy::call(2.0, &x, &y);
        assert_eq!((z.shape(), z.device()), (&[2, 3][..], device));
        assert_eq!(z.to_vec().unwrap(), [2.5, 4.5, 6.5, 1.5, 3.5, 5.5]);
        // Of the host alone, they go to the current device.
        let z = axpy::call(&[1.0, 2.0], &vec![3.0, 4.0], 1.0);
        assert_eq!((z.to_vec().unwrap(), z.device()), (vec![4.0, 9.0], device));
        let z = larger::call(&[1.0f32, 5.0], &arr1(&[3.0f32, 4.0]));
        assert_eq!(z.to_vec().unwrap(), [3.0, 5.0]);
        let m = arr2(&[[1.0, 2.0], [3.0, 4.0]]);
        assert_eq!(times::call(&m.t(), &[1.0, 10.0]).to_vec().unwrap(), [31.0, 42.0]);
        let (sum, most) = both::reduce((&x, &[4.0, 0.0, 7.0]), ..);
        assert_eq!((sum.item().unwrap(), most.item().unwrap()), (6.0, 7.0));
        assert!(axpy::try_call(1.0, &x, &[1.0, 2.0]).unwrap_err().is_shape());
    });
}

#[test]
fn they_go_where_the_other_operand_is() {
    let devices = Device::all();
    let Some(&other) = devices.iter().find(|&&device| Device::current().unwrap() != device) else {
        return;
    };
    let a = other.scope(|| DeviceArray::<f64>::ones(2));
    let host = [1.0, 2.0];
    assert_eq!((&a + &host).device(), other);
    assert_eq!(axpy::call(&host, 2.0, &a).device(), other);
    assert_eq!(a.maximum(&host).device(), other);
}
